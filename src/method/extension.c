/* SPDX-License-Identifier: MIT
 * extension: proximal ADMM with a slack block, sum A_i x_i + y = b and (mu/2)|y|^2 in f: no
 * condition on A_N
 *
 * The slack is a quadratic last block with D = mu, so R2 covers any beta > mu (Theorem 4.2 of
 * Jiang, Lin, Ma, Zhang 2019). Paper mode: mu = 1/eps, beta = 3 mu. Theory mode from a feasible
 * start: mu = 2 (F(x^0) - F*)/eps^2 keeps |sum A_i x_i - b| <= eps in every iteration. Otherwise mu
 * starts low and grows when the slack stalls (solve/blocks.c). */
#include "method/method.h"
#include "problem/problem.h"

static const char *const theorem = "Theorem 4.2 by R2: any beta > mu";

static crease_analysis *analyse_with(const crease_problem *p, const crease_options *o, double mu,
                                     bool fixed, crease_error *e)
{
    crease_options inner = *o;
    crs_extension *x = crs_extension_new(p, mu, e);
    if (!x) return NULL;
    const bool paper = o->mode == CREASE_MODE_PAPER;
    inner.method = CREASE_METHOD_ADMM_M;
    inner.mode = paper ? CREASE_MODE_THEORY : o->mode;
    inner.beta = o->beta > 0 ? o->beta : (paper ? 3 : 1.5) * mu;
    crease_analysis *a = crs_analyse_steps(&x->problem, &inner, e);
    if (a) {
        a->method = CREASE_METHOD_EXTENSION;
        a->mode = o->mode;
        a->theorem = theorem;
        a->mu = mu;
        a->mu_fixed = fixed;
    }
    crs_extension_free(x);
    return a;
}

/* F(x^0) when the start satisfies the constraint to rounding, otherwise NaN. */
static bool feasible_objective(const crease_problem *p, double *F, crease_error *e)
{
    const ptrdiff_t m = crease_size(&p->range), n = crs_largest_block(p);
    const double **x = crs_alloc((size_t)p->count, sizeof *x);
    double *zero = crs_doubles(n, "the start", e);
    double *s = crs_doubles(m + crs_problem_scratch(p), "the start", e);
    const bool done = x && zero && s;
    if (done) {
        bool drawn = false; /* a start by the seed */
        for (int i = 0; i < p->count; i++) {
            x[i] = p->block[i].start ? p->block[i].start : zero;
            drawn = drawn || (!p->block[i].start && crs_default_start(p, i, 0, zero));
            fill(n, 0, zero);
        }
        crs_constraint(p, x, s, s + m);
        const double off = crease_norm(&p->range, s);
        const double size = p->rhs ? crease_norm(&p->range, p->rhs) : 0;
        *F = !drawn && off <= 1e-12 * (1 + size) ? crs_f(p, x, s + m) + crs_regs(p, x, s + m) : NAN;
    } else {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the start of %d blocks", p->count);
    }
    crs_free(x);
    crs_free(zero);
    crs_free(s);
    return done;
}

/* A first mu in the units of the problem: ten times L_i/|A_i|^2. */
static bool first_mu(const crease_problem *p, const crease_options *o, double *mu, crease_error *e)
{
    crease_analysis *a = analyse_with(p, o, 1, false, e);
    if (!a) return false;
    *mu = 10 * crs_free_beta(a);
    crease_analysis_free(a);
    return true;
}

static crease_analysis *analyse(const crease_problem *p, const crease_options *o, crease_error *e)
{
    double F = NAN, mu;
    if (o->mu > 0 || o->mode == CREASE_MODE_PAPER)
        return analyse_with(p, o, o->mu > 0 ? o->mu : 1 / o->eps, true, e);
    if (!first_mu(p, o, &mu, e)) return NULL;
    crease_analysis *a = analyse_with(p, o, mu, false, e);
    if (!a || o->mode != CREASE_MODE_THEORY) return a;
    if (!feasible_objective(p, &F, e)) {
        crease_analysis_free(a);
        return NULL;
    }
    mu = 2 * (F - a->lower) / square(o->eps);
    if (!(mu > 0 && mu < INFINITY)) return a;
    crease_analysis_free(a);
    return analyse_with(p, o, mu, true, e);
}

static void recipe(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    crs_admm_exact.recipe(p, o, a);
    a->theorem = theorem;
}

/* R2's is about sum A_i x_i + y = b; without the slack, |sum A_i x_i - b|^2 <= 2 drop/mu, which
 * must be eps^2 at most. */
static double bound(const crease_analysis *a, double drop, double eps)
{
    if (!(a->mu * eps * eps >= 2 * drop)) return INFINITY;
    return ceil(a->theta_factor * a->kappa * drop / (a->decrease * eps * eps));
}

static bool suits(const crease_problem *p, const crease_options *o, crs_last last)
{
    (void)p, (void)o, (void)last;
    return true;
}

static void step(crs_state *st) { crs_admm_exact.step(st); }

const crs_method crs_method_extension = {
    .constrained = true,
    .slack = true,
    .accelerate = true,
    .reads = CRS_READS_POTENTIAL | CRS_READS(beta) | CRS_READS(h) | CRS_READS(mu),
    .suits = suits,
    .analyse = analyse,
    .recipe = recipe,
    .bound = bound,
    .step = step,
};
