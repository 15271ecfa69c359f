/* SPDX-License-Identifier: MIT
 * dominant: a second answer of the pilot, where one term dwarfs the others
 *
 * The size of the data sets the price of a term on the path, and where a term u is far larger than
 * the others, that is its size: the others do not pay. So u is put aside: T - u is fitted with one
 * term less, u joins what was found, and all are refined on T. There is such a u where |median T|
 * is beyond the median distance from it, or where the largest term of the first answer is beyond
 * the others; it is that constant, or a rank-one fit where this leaves clearly less. Of the two
 * answers the one stays whose sum min(|r|, t)^2 is smaller, t^2 for each parameter included, at one
 * t for both: each learned its own, and the one that calls more entries outliers has the smaller
 * deviation. Either is refined more closely: a gradient that is small beside u need not be so
 * beside the others. */
#include "rpca/start.h"

static const double dwarfs = 4;    /* times the others together */
static const double clearly = 0.7; /* of what a constant leaves */

typedef struct {
    crs_cp_pilot *p;
    const crs_cp_view *v;
    double *u[CREASE_MAX_ORDER]; /* I_n */
    double share;                /* of the other terms' norm in u's */
    crs_less rest;               /* T - u */
    crs_cp_pilot sub;            /* of that */
    double *both[CREASE_MAX_ORDER];
    crease_cp_cut *cut;
    double *memory;
} second;

/* Term r of the first answer into u; its norm. */
static double take_term(const second *s, ptrdiff_t r)
{
    const crease_space *shape = &s->p->c.shape;
    double norm = 1;
    for (int n = 0; n < shape->order; n++) {
        for (ptrdiff_t i = 0; i < shape->dim[n]; i++)
            s->u[n][i] = s->p->factor[n][i * s->p->rank + r];
        norm *= crs_norm(shape->dim[n], s->u[n]);
    }
    return norm;
}

/* Is there such a term in the answer? Then it is u. */
static bool find_term(second *s)
{
    double squares = 0, top = 0;
    ptrdiff_t best = 0;
    for (ptrdiff_t r = 0; r < s->p->rank; r++) {
        const double norm = take_term(s, r);
        squares += square(norm);
        if (norm > top) top = norm, best = r;
    }
    const double others = sqrt(pos(squares - square(top)));
    s->share = top > 0 ? others / top : 1;
    take_term(s, best);
    return dwarfs * s->share <= 1;
}

static void constant(const second *s, double value)
{
    const crease_space *shape = &s->p->c.shape;
    const double root = pow(fabs(value), 1.0 / shape->order);
    for (int n = 0; n < shape->order; n++)
        fill(shape->dim[n], n == 0 && value < 0 ? -root : root, s->u[n]);
}

/* Passes that the limit leaves */
static long left_of(const crs_cp_pilot *p)
{
    const long left = p->most - p->report.passes;
    return p->most == 0 ? 0 : left > 1 ? left : 1;
}

/* A rank-one fit from u into the room of the second answer, and median|T - it|. */
static bool fit_one(second *s, double *left, crease_error *e)
{
    crs_cp_pilot one = *s->p;
    crs_kruskal k = { .shape = one.c.shape, .rank = 1 };
    crs_cp_view v = *s->v;
    one.c.rank = one.starts = 1;
    one.c.prune = false;
    one.c.eps = 1e-10;
    one.given = (const double *const *)s->u;
    one.given_name = "given";
    one.alone = true;
    one.most = left_of(s->p);
    one.cut = NULL;
    for (int n = 0; n < k.shape.order; n++) k.factor[n] = one.factor[n] = s->both[n];
    if (!crs_cp_pilot_run(&one, e)) return false;
    s->p->report.passes += one.report.passes;
    s->p->report.readings += one.report.readings;
    v.model = &k;
    return crs_view_median(&v, left, e);
}

/* u, if there is one; beside a good answer a constant must have shown in it. */
static bool find(second *s, bool bad, bool *found, crease_error *e)
{
    const crease_space *shape = &s->p->c.shape;
    double median, around, left, size = 1;
    if (!crs_view_middle(s->v, &median, &around, e)) return false;
    *found = find_term(s) || (bad && fabs(median) > around);
    const bool offset = fabs(median) > around;
    if (!*found) return true;
    if (offset) constant(s, median);
    if (!fit_one(s, &left, e)) return false;
    const bool one = !offset || left < clearly * around;
    for (int n = 0; n < shape->order; n++) {
        if (one) copy(shape->dim[n], s->both[n], s->u[n]);
        size *= crs_norm(shape->dim[n], s->u[n]) / sqrt((double)shape->dim[n]);
    }
    s->share = (one ? left : around) / size;
    return true;
}

static void close(second *s)
{
    crs_free(s->memory);
    if (s->rest.place) crs_less_close(&s->rest.source);
    crs_free(s->cut);
}

static bool open(second *s, crease_error *e)
{
    const crease_space *shape = &s->p->c.shape;
    const ptrdiff_t rank = s->p->c.rank;
    ptrdiff_t rows = 0;
    for (int n = 0; n < shape->order; n++) rows += shape->dim[n];
    s->cut = crs_alloc((size_t)rank, sizeof *s->cut);
    s->memory = s->cut ? crs_doubles(rows * 2 * rank, "a second answer", e) : NULL;
    if (!s->cut) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a second answer");
    double *at = s->memory;
    for (int n = 0; s->memory && n < shape->order; n++) {
        s->u[n] = at, at += shape->dim[n];
        s->sub.factor[n] = at, at += shape->dim[n] * (rank - 1);
        s->both[n] = at, at += shape->dim[n] * rank;
    }
    return s->memory;
}

/* What is left, by the same path with one term less; then u beside it. */
static bool fit_rest(second *s, crease_error *e)
{
    const crease_space *shape = &s->p->c.shape;
    crs_cp_pilot *sub = &s->sub;
    double *factor[CREASE_MAX_ORDER];
    for (int n = 0; n < shape->order; n++) factor[n] = sub->factor[n];
    *sub = *s->p;
    for (int n = 0; n < shape->order; n++) sub->factor[n] = factor[n];
    sub->c.rank--;
    sub->source = &s->rest.source;
    sub->given = NULL;
    sub->named = false;
    sub->first = sub->starts = 0;
    sub->alone = true;
    sub->most = left_of(s->p);
    sub->cut = s->cut;
    if (!crs_cp_pilot_run(sub, e)) return false;
    const ptrdiff_t rank = sub->rank + 1;
    for (int n = 0; n < shape->order; n++)
        for (ptrdiff_t j = 0; j < shape->dim[n] * rank; j++)
            s->both[n][j] = j % rank == 0 ? s->u[n][j / rank]
                                          : sub->factor[n][j / rank * sub->rank + j % rank - 1];
    return true;
}

/* On T, to the precision that the others need. */
static crs_envelope_solver *refine(second *s, ptrdiff_t rank, double *const *factor,
                                   crease_error *e)
{
    crs_cp_pilot *p = s->p;
    crs_envelope_solver_settings c = p->c;
    p->closer = square(larger(1e-4, smaller(1, s->share)));
    c.rank = rank;
    c.path = c.prune = false;
    c.eps = larger(1e-14, c.eps * p->closer);
    crs_envelope_solver *solver = crs_envelope_solver_new(&c, p->source, e);
    if (solver && crs_envelope_solver_start(solver, rank, (const double *const *)factor, e) &&
        crs_envelope_solver_lead(solver, p->passes, crs_cp_pilot_late, p, e))
        return solver;
    crs_envelope_solver_free(solver);
    return NULL;
}

/* sum min(|r|, t)^2 of both, and t^2 for each parameter */
static bool compare(second *s, const crs_envelope_solver *solver, double t, bool *better,
                    crease_error *e)
{
    const crs_cp_pilot *p = s->p;
    const crs_envelope_settings c = { .shape = p->c.shape,
                                      .rank = p->c.rank,
                                      .alpha_noise = p->c.alpha_noise,
                                      .threads = p->c.threads };
    const crs_penalty_value huber = crs_envelope_l1(t, crs_noise_share(p->c.alpha_noise));
    const double *x[CREASE_MAX_ORDER];
    double each = 1;
    crs_envelope *pass = crs_envelope_new(&c, p->source, e);
    crs_envelope_sums *sum = pass ? crs_alloc(2, sizeof *sum) : NULL;
    if (pass && !sum) crs_fail(e, CREASE_NO_MEMORY, "out of memory: sums of two answers");
    for (int n = 0; n < c.shape.order; n++) {
        x[n] = crs_envelope_solver_factor(solver, n);
        each += (double)c.shape.dim[n] - 1;
    }
    crease_error own = { .code = CREASE_OK };
    const double *const *first = (const double *const *)p->factor;
    const bool both =
        sum && crs_envelope_evaluate(pass, p->rank, first, &huber, &huber, sum, &own) &&
        crs_envelope_evaluate(pass, s->sub.rank + 1, x, &huber, &huber, sum + 1, &own);
    if (both) {
        const double price = square(t) * each * (double)(s->sub.rank + 1 - p->rank);
        *better = sum[1].squares + price < sum[0].squares;
    }
    if (own.code != CREASE_OK && e) *e = own;
    const bool done = sum && own.code == CREASE_OK; /* cut by the watch: the first answer stays */
    crs_free(sum);
    crs_envelope_free(pass);
    return done;
}

static void keep(second *s, const crs_envelope_solver *solver)
{
    crs_cp_pilot *p = s->p;
    const crs_envelope_progress *at = crs_envelope_solver_progress(solver);
    p->rank = at->rank;
    p->value = at->value;
    p->penalty = *crs_envelope_solver_penalty(solver);
    p->report.deviation = crs_envelope_solver_deviation(solver);
    p->report.threshold = at->threshold;
    p->report.share = crs_envelope_solver_share(solver);
    for (int n = 0; n < p->c.shape.order; n++)
        copy(p->c.shape.dim[n] * at->rank, crs_envelope_solver_factor(solver, n), p->factor[n]);
}

static void count(crs_cp_pilot *p, const crs_envelope_solver *solver, long passes, long readings)
{
    const long own = crs_envelope_solver_progress(solver)->passes;
    p->report.passes += passes + own;
    p->report.readings += readings + own;
}

/* Terms far larger than their sum: what was gained is the way to infinity. */
static bool cancels(const second *s, const crs_envelope_solver *solver)
{
    const crease_space *shape = &s->p->c.shape;
    const ptrdiff_t rank = crs_envelope_solver_progress(solver)->rank;
    double terms = 0, u = 1;
    for (ptrdiff_t r = 0; r < rank; r++) {
        double norm = 1;
        for (int n = 0; n < shape->order; n++)
            norm *= column_norm(shape->dim[n], rank, crs_envelope_solver_factor(solver, n) + r);
        terms += square(norm);
    }
    for (int n = 0; n < shape->order; n++) u *= crs_norm(shape->dim[n], s->u[n]);
    return terms > square(3 * u * (1 + s->share));
}

/* The second answer, from T - u */
static bool answer(second *s, bool *better, crease_error *e)
{
    crs_cp_pilot *p = s->p;
    crs_kruskal u = { .shape = p->c.shape, .rank = 1 };
    for (int n = 0; n < u.shape.order; n++) u.factor[n] = s->u[n];
    crs_view_count(s->v);
    if (!crs_less_open(&s->rest, p->source, p->c.threads, &u, e) || !fit_rest(s, e)) return false;
    crs_envelope_solver *solver = refine(s, s->sub.rank + 1, s->both, e);
    if (!solver) return false;
    const double own = crs_envelope_solver_deviation(solver);
    const double t = (p->c.learn > 0 ? p->c.learn : 3) * smaller(own, p->report.deviation);
    const bool done = compare(s, solver, t, better, e);
    p->report.starts++;
    count(p, solver, s->sub.report.passes, s->sub.report.readings + 2);
    *better = *better && !cancels(s, solver);
    if (done && *better) {
        keep(s, solver);
        p->report.start = "apart";
        for (ptrdiff_t k = 0; p->cut && k < p->c.rank - p->rank; k++) p->cut[k] = s->cut[k];
    }
    crs_envelope_solver_free(solver);
    return done;
}

/* The first answer, closer, where a term dwarfs the others */
static bool closer(second *s, crease_error *e)
{
    crs_cp_pilot *p = s->p;
    p->closer = 0;
    if (p->rank < 2 || !find_term(s)) return true;
    crs_envelope_solver *solver = refine(s, p->rank, p->factor, e);
    if (!solver) return false;
    count(p, solver, 0, 0);
    keep(s, solver);
    crs_envelope_solver_free(solver);
    return true;
}

bool crs_cp_dominant(crs_cp_pilot *p, const crs_cp_view *v, bool *better, crease_error *e)
{
    second s = { .p = p, .v = v };
    bool found = false;
    const bool bad = *better;
    *better = false;
    if (p->c.rank < 2 || crs_cp_pilot_late(p, 0)) return true;
    bool done = open(&s, e);
    if (done && !p->c.nonneg) /* T - u has both signs */
        done = find(&s, bad, &found, e) && (!found || answer(&s, better, e));
    if (done && !*better) done = closer(&s, e);
    close(&s);
    return done;
}
