/* SPDX-License-Identifier: MIT
 * accelerate: the potential is the one defined, extrapolated iterations are the plain-loop ones,
 * and the potential never rises, for every method, penalty and storage, with and without masks */
#include <stdio.h>

#include "support/cp_accelerated_naive.h"

static char doing[120];

static const crease_space shapes[] = { { .order = 2, .dim = { 9, 41 } },
                                       { .order = 3, .dim = { 5, 7, 11 } },
                                       { .order = 4, .dim = { 3, 5, 2, 7 } } };

typedef struct {
    const crease_penalty *p;
    double par[2];
} penalty_case;
static const penalty_case penalties[] = {
    { &crs_l1, { 1 } }, { &crs_mcp, { 1, 3 } }, { &crs_l0, { 1 } }, { &crs_capped_l1, { 1, 0.7 } }
};

/* ADMM-g, with another gamma, ADMM-m exact, majorized, proximal BCD, BCD; omega as the recipes */
enum { METHODS = 6 };
static crs_cp_settings settings_of(int method, int shape, int penalty)
{
    const double w = 2.2, z = method == 1 ? 7 - 1 / 0.15 : 0;
    crs_cp_settings c = { .shape = shapes[shape], .rank = 2, .beta = 7, .threads = 1 };
    c.method = method < 2 ? CRS_CP_ADMM_G : method < 4 ? CRS_CP_ADMM_M : CRS_CP_BCD;
    c.h_factor = c.h_sparse = c.h_z = method == 5 ? 0 : 1.3;
    c.penalty.weight = 0.9;
    c.alpha_noise = w / 2;
    c.nu = method % 2 ? 0.05 : 0;
    c.penalty.rho = penalties[penalty].p;
    copy(2, penalties[penalty].par, c.penalty.par);
    if (method == 0) c.potential_weight = w * w / c.beta;
    if (method == 1) c.gamma = 0.15, c.potential_weight = 3 / c.beta * (z * z + w * w);
    if (method == 3) c.ell = 3.1, c.potential_weight = 3 / c.beta * (w * w + 3.1 * 3.1);
    return c;
}

static void same(const char *what, ptrdiff_t n, const double *got, const double *want)
{
    double scale = 1e-300;
    for (ptrdiff_t j = 0; j < n; j++) scale = larger(scale, fabs(want[j]));
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(fabs(got[j] - want[j]) <= 1e-8 * scale))
            fail_msg("%s: %s: entry %td is %.17g, not %.17g", doing, what, j, got[j], want[j]);
}

static void same_iterate(const crs_cp_fused *f, const naive *a)
{
    static const char *const name[] = { "Z", "E", "B", "Lambda" };
    const double *const part[] = { a->Z, a->E, a->B, a->lambda };
    double *out = some(a->size);
    ptrdiff_t left, right;
    crs_cp_fused_rows(f, &left, &right);
    for (int k = 0; k < (a->c.method == CRS_CP_BCD ? 2 : 4); k++) {
        crs_cp_fused_read(f, (crs_cp_part)k, 0, left, out);
        same(name[k], a->size, out, part[k]);
    }
    for (int n = 0; n < a->c.shape.order; n++)
        same("factor", rows(a, n), crs_cp_fused_factor(f, n), a->x[n]);
    free(out);
}

/* Seven iterations by every kernel that runs here. */
static void follow(const crs_cp_settings *c, bool masked, draws *d)
{
    const crs_cp_kernel *kernel;
    for (int i = 0; (kernel = crs_cp_kernel_at(false, i)) != NULL; i++) {
        reference r = reference_of(c, masked, d);
        r.a.c.kernel = kernel;
        crs_cp_fused *f = fused_of(&r.a);
        const crs_cp_statistics *s = crs_cp_fused_statistics(f);
        for (int k = 0; k < 7; k++) {
            crs_cp_fused_step(f);
            reference_step(&r);
            if (!close_to(s->potential, r.potential, 1e-9))
                fail_msg("%s: step %d: %.17g, not %.17g", doing, k, s->potential, r.potential);
            assert_true(s->accelerated == r.accelerated);
        }
        same_iterate(f, &r.a);
        assert_true(c->accelerate ? s->accelerated > 0 : s->eliminations == 0);
        crs_cp_fused_free(f);
        reference_free(&r);
    }
}

static void extrapolation_is_the_definition(void **state)
{
    draws d = { { 41, 0 }, 0 };
    (void)state;
    for (int method = 0; method < METHODS; method++)
        for (int shape = 0; shape < 3; shape++)
            for (int k = 0; k < 16; k++) {
                crs_cp_settings c = settings_of(method, shape, k / 4);
                c.accelerate = k % 2;
                c.full = true;
                snprintf(doing, sizeof doing, "method %d shape %d %s%s%s", method, shape,
                         c.penalty.rho->name, k % 2 ? " accelerated" : "",
                         k / 2 % 2 ? " masked" : "");
                follow(&c, k / 2 % 2, &d);
            }
}

/* Where the potential is too weak for it, nothing is extrapolated: the same bits. */
static void where_unsafe_the_iteration_is_plain(void **state)
{
    draws d = { { 42, 0 }, 0 };
    (void)state;
    for (int method = 0; method < 2; method++) {
        crs_cp_settings c = settings_of(method, 1, 0);
        c.potential_weight = 0;
        c.full = true;
        naive a = naive_make(&c, method, &d);
        crs_cp_fused *f = fused_of(&a);
        a.c.accelerate = true;
        crs_cp_fused *g = fused_of(&a);
        for (int k = 0; k < 5; k++) crs_cp_fused_step(f), crs_cp_fused_step(g);
        assert_memory_equal(crs_cp_fused_statistics(f), crs_cp_fused_statistics(g),
                            sizeof(crs_cp_statistics));
        for (int n = 0; n < c.shape.order; n++)
            assert_memory_equal(crs_cp_fused_factor(f, n), crs_cp_fused_factor(g, n),
                                (size_t)rows(&a, n) * sizeof(double));
        crs_cp_fused_free(f), crs_cp_fused_free(g);
        naive_free(&a);
    }
}

/* NaN in the data: no candidate is taken, and the potential says NaN. */
static void nan_survives_extrapolation(void **state)
{
    draws d = { { 43, 0 }, 0 };
    (void)state;
    for (int method = 0; method < METHODS; method++) {
        crs_cp_settings c = settings_of(method, 1, method % 4);
        c.accelerate = true;
        naive a = naive_make(&c, false, &d);
        a.T[7] = NAN;
        crs_cp_fused *f = fused_of(&a);
        for (int k = 0; k < 4; k++) crs_cp_fused_step(f);
        assert_true(isnan(crs_cp_fused_statistics(f)->potential));
        assert_true(crs_cp_fused_statistics(f)->accelerated == 0);
        crs_cp_fused_free(f);
        naive_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(extrapolation_is_the_definition),
                                        cmocka_unit_test(where_unsafe_the_iteration_is_plain),
                                        cmocka_unit_test(nan_survives_extrapolation) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
