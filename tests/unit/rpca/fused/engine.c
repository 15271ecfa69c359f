/* SPDX-License-Identifier: MIT
 * engine: the fused iterations are those of the general engine, to rounding, for every
 * method, convex and other penalties, orders 2 to 4, with and without missing entries, and so is
 * their potential over fifty of them
 *
 * Both start from the engine's first iterate, whose multiplier is the method's. Descent with
 * missing entries is left out: there the engine majorizes by the largest weight where the fused
 * iteration minimizes exactly. */
#include <stdio.h>

#include <crease/rpca.h>

#include "rpca/fused/fused.h"
#include "rpca/rpca.h"
#include "solve/solver.h"
#include "support/rpca_naive.h"

static char doing[120];

typedef struct {
    crease_method method;
    bool holes;
    int order, penalty;
} trial;

static crease_reg penalty_at(int k)
{
    const crease_reg all[] = { crease_l1(1), crease_mcp(1, 2), crease_scad(1, 3.7),
                               crease_capped_l1(1, 0.5), crease_l0(1) };
    return all[k];
}
enum { PENALTIES = 5 };

static crease_solver *engine_of(const trial *c, const crease_cp_rpca *m)
{
    crease_options o = crease_options_default();
    crease_error e = { CREASE_OK, "" };
    o.method = c->method;
    o.accelerate = 0;
    o.audit = 1;
    o.eps = 0;
    if (c->method != CREASE_METHOD_PROX_BCD && c->method != CREASE_METHOD_BCD) o.beta = 5;
    if (c->method != CREASE_METHOD_BCD) o.h = 2;
    crease_solver *s = crease_solver_new(crease_cp_rpca_problem(m), &o, &e);
    if (!s) fail_msg("%s: %s", doing, e.text);
    return s;
}

/* What the engine settled on. */
static crs_cp_settings settings_of(const crease_solver *s, const crease_cp_rpca_settings *u,
                                   const unsigned char *mask)
{
    const crease_analysis *a = s->a;
    const int d = u->shape.order;
    crs_cp_settings c = { .shape = u->shape, .rank = u->rank, .threads = 1, .mask = mask };
    c.full = true;
    c.method = u->unconstrained                    ? CRS_CP_BCD
               : a->method == CREASE_METHOD_ADMM_G ? CRS_CP_ADMM_G
                                                   : CRS_CP_ADMM_M;
    if (c.method != CRS_CP_BCD) c.beta = a->beta;
    if (c.method == CRS_CP_ADMM_G) c.gamma = a->gamma;
    if (c.method == CRS_CP_ADMM_M && !a->exact_last) c.ell = a->ell;
    if (c.method != CRS_CP_BCD) c.potential_weight = a->potential_weight;
    c.h_factor = a->block[0].h;
    c.h_sparse = a->block[d].h;
    c.h_z = a->block[d + 1].h;
    c.penalty.weight = u->alpha;
    c.alpha_noise = u->alpha_noise;
    c.nu = u->ridge;
    c.penalty.rho = u->penalty.penalty;
    copy(CREASE_PARS, u->penalty.par, c.penalty.par);
    return c;
}

static void same(const char *what, ptrdiff_t n, const double *got, const double *want)
{
    double scale = 1;
    for (ptrdiff_t j = 0; j < n; j++) scale = larger(scale, fabs(want[j]));
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(fabs(got[j] - want[j]) <= 1e-10 * scale))
            fail_msg("%s: %s: entry %td is %.17g, the engine's %.17g", doing, what, j, got[j],
                     want[j]);
}

static void compare(const crs_cp_fused *f, const crease_solver *s, const crs_cp_settings *c)
{
    static const char *const name[] = { "E", "Z", "B" };
    static const crs_cp_part part[] = { CRS_CP_E, CRS_CP_Z, CRS_CP_B };
    const ptrdiff_t n = crease_size(&c->shape);
    const int d = c->shape.order;
    double *out = doubles(n);
    ptrdiff_t left, right;
    crs_cp_fused_rows(f, &left, &right);
    for (int k = 0; k < d; k++)
        same("factor", c->shape.dim[k] * c->rank, crs_cp_fused_factor(f, k), s->st.x[k]);
    for (int k = 0; d + k < s->p->count; k++) {
        crs_cp_fused_read(f, part[k], 0, left, out);
        same(name[k], n, out, s->st.x[d + k]);
    }
    if (c->method != CRS_CP_BCD) {
        crs_cp_fused_read(f, CRS_CP_LAMBDA, 0, left, out);
        same("lambda", n, out, s->st.lambda);
    }
    free(out);
}

static void run(const crease_solver *s, const crs_cp_settings *c, const double *t)
{
    const int d = c->shape.order;
    const bool admm = c->method != CRS_CP_BCD, derived = c->method == CRS_CP_ADMM_M && c->ell == 0;
    crease_error e = { CREASE_OK, "" };
    crs_cp_fused *f = crs_cp_fused_new(c, t, &e);
    double *const *x = s->st.x;
    if (!f || !crs_cp_fused_start(f, points(x), x[d + 1], x[d], admm ? x[d + 2] : NULL,
                                  admm && !derived ? s->st.lambda : NULL, &e))
        fail_msg("%s: %s", doing, e.text);
    const bool continuous = c->penalty.rho != &crs_l0 && c->penalty.rho != &crs_capped_l1;
    for (int k = 0; k < (continuous ? 50 : 6); k++) {
        const crs_cp_statistics *a = crs_cp_fused_statistics(f);
        crs_cp_fused_step(f);
        crease_step((crease_solver *)s);
        if (k < 6) compare(f, s, c);
        if (!close_to(a->potential, s->run.progress.potential, 1e-10))
            fail_msg("%s: step %d: potential %.17g, the engine's %.17g", doing, k, a->potential,
                     s->run.progress.potential);
    }
    crs_cp_fused_free(f);
}

static void one_trial(const trial *c, draws *d)
{
    const crease_space shape = shape_of(c->order);
    const ptrdiff_t n = crease_size(&shape);
    crease_cp_rpca_settings u = crease_cp_rpca_default(&shape, 2);
    double *t = tensor_with_holes(&shape, c->holes, d);
    unsigned char *mask = calloc((size_t)n, 1);
    for (ptrdiff_t j = 0; j < n; j++) mask[j] = weight_at(c->holes, j) > 0;
    u.penalty = penalty_at(c->penalty);
    u.alpha = 0.3;
    u.ridge = c->order % 2 ? 0.1 : 0;
    u.missing = c->holes;
    u.start = CREASE_START_RANDOM;
    u.unconstrained = c->method == CREASE_METHOD_PROX_BCD || c->method == CREASE_METHOD_BCD;
    snprintf(doing, sizeof doing, "%s, %s, order %d%s", crease_method_name(c->method),
             u.penalty.penalty->name, c->order, c->holes ? ", holes" : "");
    crease_cp_rpca *m = crease_cp_rpca_new(&u, t, NULL);
    assert_non_null(m);
    crease_solver *s = engine_of(c, m);
    crease_step(s);
    const crs_cp_settings settings = settings_of(s, &u, c->holes ? mask : NULL);
    run(s, &settings, t);
    crease_solver_free(s);
    crease_cp_rpca_free(m);
    free(t), free(mask);
}

static void fused_is_the_engine(void **state)
{
    static const crease_method methods[] = { CREASE_METHOD_ADMM_G, CREASE_METHOD_ADMM_M,
                                             CREASE_METHOD_PROX_BCD };
    draws d = { { 31, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int order = 2; order <= 4; order++)
            for (int p = 0; p < PENALTIES; p++)
                for (int holes = 0; holes < (methods[k] == CREASE_METHOD_PROX_BCD ? 1 : 2); holes++)
                    one_trial(&(trial){ methods[k], holes, order, p }, &d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(fused_is_the_engine) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
