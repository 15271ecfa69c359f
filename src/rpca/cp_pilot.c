/* SPDX-License-Identifier: MIT
 * cp_pilot: starts compared, a bad one detected and replaced */
#include "rpca/cp_pilot.h"

#include "reg/reg.h"
#include "rpca/cp_gevd.h"

enum { MORE = 3 };                   /* further starts while the fit is bad */
static const double structure = 1.5; /* above: the residual holds a term */
static const double as_good = 1.02;  /* deviations that count as equal */
static const double missed = 0.3;  /* median|T - M| in median|T| of a start that outliers spoiled */
static const double crowded = 1.1; /* median|r| in deviations: a third of T or more is outliers */
static const double alike = 1.5;   /* deviations of two starts that support each other then */
static const double near_kap = 1;  /* the path's threshold then, in medians of |r| */

typedef struct {
    crs_cp_pilot *p;
    crs_envelope_solver *solver;
    double *mask;     /* W as doubles; NULL: all observed */
    crs_cp_view view; /* the data */
    double deviation; /* of the answer at hand */
    double second;    /* least deviation but one */
    double *trial[CREASE_MAX_ORDER];
    double *memory;
    const char *start; /* its name */
} runner;

static bool open(runner *r, crs_cp_pilot *p, crease_error *e)
{
    const crease_space *s = &p->c.shape;
    const ptrdiff_t size = crease_size(s);
    ptrdiff_t all = 0;
    *r = (runner){ .p = p, .second = INFINITY };
    for (int n = 0; n < s->order; n++) all += s->dim[n] * p->c.rank;
    double *at = r->memory = crs_doubles(all, "starts", e);
    if (!r->memory) return false;
    for (int n = 0; n < s->order; n++) r->trial[n] = at, at += s->dim[n] * p->c.rank;
    if (p->c.mask) {
        r->mask = crs_doubles(size, "the mask", e);
        for (ptrdiff_t j = 0; r->mask && j < size; j++) r->mask[j] = p->c.mask[j];
        if (!r->mask) return false;
    }
    r->view = (crs_cp_view){ .shape = *s,
                             .tensor = p->tensor,
                             .mask = r->mask,
                             .limit = INFINITY,
                             .checked = true,
                             .readings = &p->report.readings };
    r->solver = crs_envelope_solver_new(&p->c, p->tensor, e);
    return r->solver;
}

static void close(runner *r)
{
    crs_envelope_solver_free(r->solver);
    crs_free(r->mask);
    crs_free(r->memory);
}

/* Start q: the caller's, then the family's. */
static bool begin(runner *r, int q, crease_error *e)
{
    const crs_cp_pilot *p = r->p;
    const crs_cp_gevd_options o = {
        .rank = p->c.rank, .cut = p->c.prune, .seed = p->c.seed, .kap = p->clip
    };
    const bool own = p->given && q == 0;
    const int member = crs_cp_start_after(p->first, p->given ? q - 1 : q);
    const double *const *x = (const double *const *)r->trial;
    r->start = own ? p->given_name : crs_cp_start_name(member);
    if (own)
        x = p->given;
    else if (!crs_cp_start_of(&r->view, &o, member, r->trial, e))
        return false;
    for (int n = 0; p->c.nonneg && x == (const double *const *)r->trial && n < p->c.shape.order;
         n++)
        for (ptrdiff_t j = 0; j < p->c.shape.dim[n] * p->c.rank; j++)
            r->trial[n][j] = fabs(r->trial[n][j]);
    return crs_envelope_solver_start(r->solver, p->c.rank, x, e);
}

/* Is the first start of the family spoiled by outliers? Then the path has to begin below them. */
static bool spoiled(runner *r, int q, bool *answer, crease_error *e)
{
    double data;
    *answer = false;
    if (q > 0 || r->p->given || r->p->named) return true;
    if (!crs_view_median(&r->view, &data, e)) return false;
    crs_envelope_solver_step(r->solver);
    *answer = !(crs_envelope_solver_progress(r->solver)->median <= missed * data);
    if (*answer) crs_envelope_solver_follow(r->solver, smaller(near_kap, r->p->c.threshold_factor));
    return true;
}

static void lead(runner *r)
{
    const long before = crs_envelope_solver_progress(r->solver)->passes;
    while (crs_envelope_solver_step(r->solver) == CRS_ENVELOPE_RUNNING &&
           crs_envelope_solver_progress(r->solver)->passes < before + r->p->passes &&
           !crs_cp_pilot_late(r->p))
        continue;
    r->deviation = crs_envelope_solver_deviation(r->solver);
}

static void factors_of(const crs_envelope_solver *s, int order, const double **x)
{
    for (int n = 0; n < order; n++) x[n] = crs_envelope_solver_factor(s, n);
}

/* Does the residual of the answer still hold a term, has the path not ended, or does a fit among
 * many outliers stand alone? */
static bool bad(const runner *r, bool *answer, crease_error *e)
{
    const crs_cp_pilot *p = r->p;
    const double *x[CREASE_MAX_ORDER];
    const crs_envelope_progress *at = crs_envelope_solver_progress(r->solver);
    double found;
    factors_of(r->solver, p->c.shape.order, x);
    if (!crs_cp_structure(&r->view, at->rank, x, &found, e)) return false;
    *answer =
        !(found <= structure) || at->status == CRS_ENVELOPE_RUNNING ||
        (at->median > crowded * r->deviation && !(r->second <= alike * r->p->report.deviation));
    return true;
}

static void keep(runner *r)
{
    crs_cp_pilot *p = r->p;
    const crs_envelope_progress *at = crs_envelope_solver_progress(r->solver);
    p->rank = at->rank;
    p->value = at->value;
    p->penalty = *crs_envelope_solver_penalty(r->solver);
    p->report.deviation = r->deviation;
    p->report.threshold = at->threshold;
    p->report.start = r->start;
    p->report.share = crs_envelope_solver_share(r->solver);
    for (int n = 0; n < p->c.shape.order; n++)
        copy(p->c.shape.dim[n] * at->rank, crs_envelope_solver_factor(r->solver, n), p->factor[n]);
}

/* The best is kept; those as good as it must agree with it, or the model is not unique. */
static bool compare(runner *r, crease_error *e)
{
    crs_cp_pilot *p = r->p;
    const ptrdiff_t rank = crs_envelope_solver_progress(r->solver)->rank;
    const double *x[CREASE_MAX_ORDER];
    const double deviation = r->deviation, best = p->report.deviation;
    double score;
    factors_of(r->solver, p->c.shape.order, x);
    if (p->report.starts == 1) return keep(r), true;
    p->report.spread = larger(p->report.spread, fabs(deviation / best - 1));
    if (deviation <= as_good * best && best <= as_good * deviation) {
        if (!crease_cp_match(&p->c.shape, rank, x, p->rank, (const double *const *)p->factor,
                             &score, e))
            return false;
        p->report.agreement =
            isnan(p->report.agreement) ? score : smaller(p->report.agreement, score);
    }
    r->second = smaller(r->second, larger(deviation, best));
    if (deviation < best) keep(r);
    return true;
}

/* The readings since the solver's last start. */
static void count(runner *r)
{
    const long passes = crs_envelope_solver_progress(r->solver)->passes;
    r->p->report.passes += passes;
    r->p->report.readings += passes;
}

/* From start q, or the one after it where outliers have spoiled the first. */
static bool pursue(runner *r, int *q, crease_error *e)
{
    bool again;
    if (!begin(r, *q, e) || !spoiled(r, *q, &again, e)) return false;
    if (again) {
        count(r);
        if (r->p->starts == 0) ++*q;
        if (!begin(r, *q, e)) return false;
    }
    lead(r);
    count(r);
    r->p->report.starts++;
    return compare(r, e);
}

bool crs_cp_pilot_run(crs_cp_pilot *p, crease_error *e)
{
    runner r;
    bool done = open(&r, p, e), again = true;
    p->report = (crease_cp_pilot){ .agreement = NAN };
    for (int q = 0; done && again && (q == 0 || !crs_cp_pilot_late(p)); q++) {
        done = pursue(&r, &q, e);
        if (done && p->starts > 0) again = q + 1 < p->starts;
        if (done && p->starts == 0) done = bad(&r, &again, e), again = again && q < MORE;
    }
    close(&r);
    return done;
}
