/* SPDX-License-Identifier: MIT
 * refute: a run that gets nowhere asks whether there is an answer at all
 *
 * Every time the iterations have doubled. Where the distance to the constraint was not halved, a
 * search for a feasible point (theory/feasible.c) may end with a y that separates; where |x| has
 * doubled while F fell, the last move and x itself, small entries left out and
 * brought into the null space of the constraint, may be directions along which F falls without end.
 * What the checker does not confirm is no proof, and the run goes on. */
#include <stdio.h>

#include <crease/verify.h>

#include "solve/solver.h"
#include "theory/theory.h"

enum { FIRST_DOUBT = 50, LEAST_EFFORT = 50, MOST_EFFORT = 400, MOST_TURNS = 200 };

static long larger_of(long a, long b) { return a > b ? a : b; }

static crease_assumption *line_of(crease_analysis *a, const char *name)
{
    for (int k = 0; k < a->assumptions; k++)
        if (strcmp(a->assumption[k].name, name) == 0) return &a->assumption[k];
    return NULL;
}

void crs_revise(crease_solver *s, const char *name, crease_status status, const char *reason)
{
    crease_assumption *at = line_of(s->a, name);
    if (!at) return;
    at->status = status;
    snprintf(at->reason, sizeof at->reason, "%.159s", reason);
    if (status == CREASE_VIOLATED || status == CREASE_UNKNOWN) s->a->guarantee = false;
}

static double rated(const crease_solver *s, const crease_residual *r)
{
    return s->run.o.relative && r->residual != 0 ? r->residual / r->scale : r->residual;
}

static double size_of(const crease_solver *s)
{
    double sum = 0;
    for (int i = 0; i < s->given->count; i++)
        sum += square(crease_norm(&s->given->space[i], s->st.x[i]));
    return sqrt(sum);
}

static bool doubts_constraint(crease_solver *s, double off)
{
    const crease_assumption *line = line_of(s->a, "feasible");
    return line && line->status != CREASE_PROVED && off > s->run.o.eps &&
           off > 0.5 * s->doubted_off;
}

static bool is_infeasible(crease_solver *s, long effort)
{
    crs_feasibility f;
    if (!crs_seek_feasible(s->given, points(s->st.x), effort < MOST_EFFORT ? effort : MOST_EFFORT,
                           &s->run.watch, &f, NULL))
        return false;
    if (f.status == CREASE_VIOLATED) {
        s->separator = f.y;
        f.y = NULL;
        snprintf(s->run.report.note, sizeof s->run.report.note, "infeasible: %.180s", f.text);
    }
    if (f.status != CREASE_UNKNOWN) crs_revise(s, "feasible", f.status, f.text);
    crs_feasibility_free(&f);
    return s->separator;
}

/* d <- its part in the null space of A, entries that are 0 left alone: z solves A M A'z = A d by
 * conjugate gradients, M the entries that are not 0, and d loses M A'z. */
static void keep_constraint(crease_solver *s, double **d)
{
    const crease_problem *p = s->given;
    const ptrdiff_t m = crease_size(&p->range);
    double *r = s->st.m, *q = s->kept_lambda, *t = s->st.s;
    fill(m, 0, r);
    for (int i = 0; i < p->count; i++) crs_apply(p, i, 1, d[i], r, s->st.work);
    copy(m, r, q);
    double rr = crs_dot(m, r, r);
    for (int k = 0; k < MOST_TURNS && rr > 0; k++) {
        fill(m, 0, t); /* t = A M A'q, and d loses a share of M A'q */
        for (int i = 0; i < p->count; i++) {
            double *g = s->kept[i];
            fill(crs_size(s, i), 0, g);
            crs_adjoint(p, i, 1, q, g, s->st.work);
            for (ptrdiff_t j = 0, n = crs_size(s, i); j < n; j++)
                if (d[i][j] == 0) g[j] = 0;
            crs_apply(p, i, 1, g, t, s->st.work);
        }
        const double step = rr / crs_dot(m, q, t), before = rr;
        if (!(step > 0 && step < INFINITY)) return;
        for (int i = 0; i < p->count; i++) axpy(crs_size(s, i), -step, s->kept[i], d[i]);
        axpy(m, -step, t, r);
        rr = crs_dot(m, r, r);
        for (ptrdiff_t j = 0; j < m; j++) q[j] = r[j] + rr / before * q[j];
    }
}

/* The candidate: x - from, or x, scaled to 1 at most; entries below `least` are 0. */
static bool make_ray(crease_solver *s, double *const *from, double least)
{
    const crease_problem *p = s->given;
    double largest = 0;
    for (int i = 0; i < p->count; i++)
        for (ptrdiff_t j = 0, n = crs_size(s, i); j < n; j++) {
            s->ray[i][j] = s->st.x[i][j] - (from ? from[i][j] : 0);
            largest = larger(largest, fabs(s->ray[i][j]));
        }
    if (!(largest > 0 && largest < INFINITY)) return false;
    for (int i = 0; i < p->count; i++)
        for (ptrdiff_t j = 0, n = crs_size(s, i); j < n; j++)
            s->ray[i][j] = fabs(s->ray[i][j]) <= least * largest ? 0 : s->ray[i][j] / largest;
    for (int k = 0; k < 2 && p->range.order > 0; k++) keep_constraint(s, s->ray);
    return true;
}

static bool confirms_from(crease_solver *s, double *const *x, crease_refutation *proof)
{
    const crease_options *o = &s->run.o;
    return crease_verify_unbounded(s->given, points(x), points(s->ray), o->eps, o->relative != 0,
                                   proof, NULL) &&
           proof->verdict == CREASE_VERDICT_VALID;
}

/* From the point that a search from x finds. */
static bool confirms_near(crease_solver *s, double *const *x, crs_feasibility *f,
                          crease_refutation *proof)
{
    crs_feasibility_free(f);
    return crs_seek_feasible(s->given, points(x), MOST_EFFORT, &s->run.watch, f, NULL) && f->x &&
           confirms_from(s, f->x, proof);
}

/* The start, in memory that nobody reads now. */
static double *const *start_of(crease_solver *s)
{
    for (int i = 0; i < s->given->count; i++) {
        fill(crs_size(s, i), 0, s->kept[i]);
        if (s->given->block[i].start) copy(crs_size(s, i), s->given->block[i].start, s->kept[i]);
    }
    return s->kept;
}

/* The ray starts where the constraint holds: at the best iterate, where the run is, or at a point
 * that a search finds; far out nothing holds it to eps. There is the answer then. */
static bool confirms(crease_solver *s)
{
    crs_feasibility f = { .status = CREASE_UNKNOWN };
    crease_refutation proof = { .verdict = CREASE_VERDICT_INVALID };
    double *const *x = s->best;
    if (!confirms_from(s, x, &proof)) {
        x = s->st.x;
        if (!confirms_from(s, x, &proof) && s->given->range.order > 0 &&
            rated(s, &s->run.now.feasibility) > s->run.o.eps &&
            (confirms_near(s, x, &f, &proof) || confirms_near(s, start_of(s), &f, &proof)))
            x = f.x;
    }
    const bool proved = proof.verdict == CREASE_VERDICT_VALID;
    if (proved) {
        for (int i = 0; x != s->best && i < s->given->count; i++)
            copy(crs_size(s, i), x[i], s->best[i]);
        crease_certify(s->given, points(s->best), s->best_lambda, &s->run.best, s->certify_work);
        snprintf(s->run.report.note, sizeof s->run.report.note, "unbounded: %.180s", proof.text);
        crs_revise(s, "f bounded below", CREASE_VIOLATED, proof.text);
        crs_revise(s, "stationary point (1.1)", CREASE_UNKNOWN, "F falls without end");
    }
    crs_feasibility_free(&f);
    return proved;
}

static bool open_ray(crease_solver *s)
{
    const int N = s->given->count;
    ptrdiff_t all = 0;
    for (int i = 0; i < N; i++) all += crs_size(s, i);
    s->ray = crs_alloc((size_t)N, sizeof *s->ray);
    double *room = crs_doubles(all, "a ray", NULL);
    if (!s->ray || !room) {
        crs_free(room);
        crs_free(s->ray);
        s->ray = NULL;
        return false;
    }
    for (int i = 0; i < N; room += crs_size(s, i++)) s->ray[i] = room;
    return true;
}

void crs_forget_ray(crease_solver *s)
{
    if (s->ray) crs_free(s->ray[0]);
    crs_free(s->ray);
    s->ray = NULL;
}

static bool is_unbounded(crease_solver *s)
{
    static const double least[] = { 1e-2, 1e-4, 1e-6, 0 };
    if (!open_ray(s)) return false;
    for (int k = 0; k < 8 && !crease_watch_over(&s->run.watch); k++)
        if (make_ray(s, k % 2 ? NULL : s->st.was, least[k / 2]) && confirms(s)) return true;
    crs_forget_ray(s);
    if (s->a->last >= 0) crs_constraint(s->p, points(s->st.x), s->st.s, s->st.work);
    return false;
}

crease_outcome crs_refute(crease_solver *s, bool diverged)
{
    const long k = s->run.report.iterations;
    const double off = s->given->range.order > 0 ? rated(s, &s->run.now.feasibility) : 0;
    const double size = size_of(s);
    if (s->run.comm) return CREASE_NOT_RUN; /* the checker has one process */
    if (!diverged && k < (s->doubted > 0 ? 2 * s->doubted : FIRST_DOUBT)) return CREASE_NOT_RUN;
    const bool first = s->doubted == 0 && !diverged;
    const bool grows = size > 2 * s->doubted_size && s->run.now.objective < s->run.first;
    const bool stalls = doubts_constraint(s, off);
    s->doubted = k;
    s->doubted_off = off;
    s->doubted_size = size;
    if (first) return CREASE_NOT_RUN;
    if (stalls && is_infeasible(s, k / 4)) return CREASE_INFEASIBLE;
    if ((grows || diverged) && is_unbounded(s)) return CREASE_UNBOUNDED;
    return CREASE_NOT_RUN;
}

/* Small entries are left out where the others separate: fewer rows are easier to read. */
static bool is_separator(crease_solver *s, const double *y, double *kept, crease_refutation *proof)
{
    static const double least[] = { 1e-2, 1e-4, 1e-6, 0 };
    const ptrdiff_t m = crease_size(&s->given->range);
    double largest = 0;
    for (ptrdiff_t j = 0; j < m; j++) largest = larger(largest, fabs(y[j]));
    for (int k = 0; k < 4; k++) {
        for (ptrdiff_t j = 0; j < m; j++) kept[j] = fabs(y[j]) <= least[k] * largest ? 0 : y[j];
        if (!crease_verify_infeasible(s->given, kept, proof, NULL)) return false;
        if (proof->verdict == CREASE_VERDICT_VALID) return true;
    }
    return false;
}

bool crs_confirm_separator(crease_solver *s, const double *y)
{
    double *kept = crs_doubles(crease_size(&s->given->range), "a proof", NULL);
    crease_refutation proof;
    if (!kept || !is_separator(s, y, kept, &proof)) {
        crs_free(kept);
        return false;
    }
    s->separator = kept;
    snprintf(s->run.report.note, sizeof s->run.report.note, "infeasible: %.180s", proof.text);
    crs_revise(s, "feasible", CREASE_VIOLATED, proof.text);
    return true;
}

/* F falls, x is a thousand times what it was when residuals were small first, and they stay: no
 * proof, but that is what was seen. */
static bool is_unattained(crease_solver *s, double size)
{
    const double F = s->run.now.objective, worst = s->run.now.worst;
    const bool grown = s->settled > 0 && size > 1e3 * larger(1, s->settled) &&
                       size > 1.2 * s->doubted_size && s->doubted_size > 0;
    if (!grown || !(F < s->doubted_F) || !(worst > 0.5 * s->doubted_worst)) return false;
    snprintf(s->run.report.note, sizeof s->run.report.note,
             "no minimizer was found: |x| grows like iterations^%.2g, to %.3g, while F falls to "
             "%.6g; bound the blocks by a set or add a ridge",
             log2(size / s->doubted_size), size, F);
    return true;
}

crease_outcome crs_refute_core(crease_solver *s, bool stalls, bool grows)
{
    const double size = size_of(s);
    const crease_assumption *line = line_of(s->a, "feasible");
    crease_outcome o = CREASE_NOT_RUN;
    if (stalls && line && line->status != CREASE_PROVED &&
        is_infeasible(s, larger_of(s->run.report.iterations, LEAST_EFFORT)))
        o = CREASE_INFEASIBLE;
    else if (grows && is_unbounded(s))
        o = CREASE_UNBOUNDED;
    else if (is_unattained(s, size))
        o = CREASE_NO_MINIMIZER;
    s->doubted_F = s->run.now.objective;
    s->doubted_worst = s->run.now.worst;
    s->doubted_size = size;
    return o;
}

void crs_settle_doubts(crease_solver *s)
{
    crease_report *r = &s->run.report;
    const crease_assumption *line = line_of(s->a, "feasible");
    const double off = s->given->range.order > 0 ? rated(s, &s->run.best.feasibility) : 0;
    char text[160];
    if (!line || line->status != CREASE_ESTIMATED) return;
    if (off <= s->run.o.eps) {
        snprintf(text, sizeof text, "the answer satisfies the constraint to %.2g",
                 s->run.best.feasibility.residual);
        crs_revise(s, "feasible", CREASE_ESTIMATED, text);
        return;
    }
    crs_revise(s, "feasible", CREASE_UNKNOWN,
               "no point was found that satisfies the constraint to eps");
    if (!r->note[0])
        snprintf(
            r->note, sizeof r->note,
            "no point was found that satisfies the constraint; there may be none: crease check "
            "looks for a proof");
}
