/* SPDX-License-Identifier: MIT
 * iteration: fused iterations are the plain ones, for every method, penalty, order, mask and rank;
 * what must not change results; NaN, the floating-point state, singular systems */
#include <stdio.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "rpca/fused/state.h"
#include "support/cp_example.h"

typedef struct {
    const crease_penalty *p;
    double par[2];
} penalty_case;

static const penalty_case penalty_cases[] = {
    { &crs_l1, { 1 } },       { &crs_scad, { 1, 3.7 } },      { &crs_mcp, { 1, 2 } },
    { &crs_lsp, { 1, 0.5 } }, { &crs_capped_l1, { 1, 0.7 } }, { &crs_l0, { 1 } },
    { &crs_l_half, { 1 } },   { &crs_zero, { 0 } },
};
enum { PENALTY_CASES = sizeof penalty_cases / sizeof *penalty_cases };

static const crease_space shapes[] = {
    { .order = 2, .dim = { 7, 41 } },          { .order = 2, .dim = { 1, 13 } },
    { .order = 2, .dim = { 37, 101 } },        { .order = 3, .dim = { 5, 7, 11 } },
    { .order = 3, .dim = { 37, 1, 3 } },       { .order = 3, .dim = { 3, 13, 67 } },
    { .order = 3, .dim = { 2, 3, 131 } },      { .order = 4, .dim = { 3, 5, 2, 7 } },
    { .order = 4, .dim = { 2, 1, 19, 37 } },   { .order = 5, .dim = { 3, 2, 5, 2, 3 } },
    { .order = 5, .dim = { 2, 3, 2, 1, 43 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ADMM-g, the same with another gamma, ADMM-m exact and majorized, proximal and classical BCD */
enum { METHODS = 7 };
static crs_cp_settings settings_of(int method, const crease_space *shape, ptrdiff_t rank)
{
    crs_cp_settings c = { .shape = *shape, .rank = rank, .method = CRS_CP_ADMM_G, .beta = 4.4 };
    c.h_factor = 2.2;
    c.h_sparse = 1.3;
    c.h_z = 1.7;
    c.penalty.weight = 0.9;
    c.alpha_noise = 1.1;
    c.nu = 0.05;
    c.threads = 1;
    if (method == 1) c.gamma = 0.18;
    if (method == 2 || method == 3) c.method = CRS_CP_ADMM_M;
    if (method == 3) c.ell = 3.1;
    if (method == 4) c.method = CRS_CP_ADMM_M, c.ell = 2.2;
    if (method >= 5) c.method = CRS_CP_BCD;
    if (method == 6) c.h_factor = c.h_sparse = c.h_z = c.nu = 0;
    return c;
}

static char doing[200]; /* the case at hand */

/* |a - b| <= tolerance times the largest entry */
static void same(const char *what, ptrdiff_t n, const double *a, const double *b, double tolerance)
{
    double scale = 1e-300;
    for (ptrdiff_t j = 0; j < n; j++) scale = larger(scale, fabs(b[j]));
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(fabs(a[j] - b[j]) <= tolerance * scale))
            fail_msg("%s: %s: entry %td is %.17g, not %.17g", doing, what, j, a[j], b[j]);
}

static void same_iterate(const crs_cp_fused *f, const naive *a, double tolerance)
{
    static const char *const name[] = { "Z", "E", "B", "Lambda" };
    const double *const part[] = { a->Z, a->E, a->B, a->lambda };
    double *out = some(a->size);
    ptrdiff_t left, right;
    crs_cp_fused_rows(f, &left, &right);
    assert_int_equal(left * right, a->size);
    for (int k = 0; k < (a->c.method == CRS_CP_BCD ? 2 : 4); k++) {
        crs_cp_fused_read(f, (crs_cp_part)k, 0, left / 2, out);
        crs_cp_fused_read(f, (crs_cp_part)k, left / 2, left - left / 2, out + left / 2 * right);
        same(name[k], a->size, out, part[k], tolerance);
    }
    crs_cp_fused_read(f, CRS_CP_LOW_RANK, 0, left, out);
    for (ptrdiff_t j = 0; j < a->size; j++) out[j] -= low_rank(a, j) - a->Z[j];
    same("low rank", a->size, out, a->Z, 10 * tolerance);
    for (int n = 0; n < a->c.shape.order; n++)
        same("factor", a->c.shape.dim[n] * a->c.rank, crs_cp_fused_factor(f, n), a->x[n],
             tolerance);
    free(out);
}

static void same_statistics(const crs_cp_statistics *s, const naive *a, double tolerance)
{
    const crs_cp_statistics *t = &a->s;
    const double got[] = { s->theta,  s->moves,       s->move_e,     s->move_z,
                           s->move_b, s->objective,   s->fit,        s->penalty,
                           s->noise,  s->feasibility, s->residual_z, s->residual_b };
    const double want[] = { t->theta,  t->moves,       t->move_e,     t->move_z,
                            t->move_b, t->objective,   t->fit,        t->penalty,
                            t->noise,  t->feasibility, t->residual_z, t->residual_b };
    const size_t made = a->c.full ? sizeof got / sizeof *got : 5;
    /* differences of numbers of this size are squared and added up */
    const double scale = 1 + sqrt(t->objective);
    for (size_t k = made; k < sizeof got / sizeof *got; k++) assert_true(isnan(got[k]));
    for (size_t k = 0; k < made; k++)
        if (got[k] != want[k] && !(fabs(got[k] - want[k]) <= tolerance * (fabs(want[k]) + scale)))
            fail_msg("%s: statistic %zu is %.17g, not %.17g", doing, k, got[k], want[k]);
    for (int n = 0; n < a->c.shape.order; n++)
        assert_close(s->move_factor[n], t->move_factor[n], tolerance * scale);
    const double low = t->residual_e - tolerance * (t->residual_e + scale);
    const double high = 3 * (1 + a->c.beta) * sqrt(t->moves) + tolerance;
    assert_true(a->c.full ? s->residual_e >= low && s->residual_e <= high : isnan(s->residual_e));
    if (s->nonzeros != t->nonzeros)
        fail_msg("%s: %td nonzeros, not %td", doing, s->nonzeros, t->nonzeros);
    assert_int_equal(s->iteration, t->iteration);
}

/* slack: what the condition of the factors' systems costs without h and nu */
static void follow(naive *a, int iterations, double slack)
{
    crs_cp_fused *f = fused_of(a);
    same_iterate(f, a, 1e-15);
    for (int k = 0; k < iterations; k++) {
        const double tolerance = slack * (k == 0 ? 1e-12 : 1e-9);
        crs_cp_fused_step(f);
        naive_step(a);
        same_statistics(crs_cp_fused_statistics(f), a, 10 * tolerance);
        if (k == 0 || k == iterations - 1) same_iterate(f, a, tolerance);
    }
    crs_cp_fused_free(f);
}

/* Is every Gram matrix safely regular without h and nu? */
static bool regular(const crs_cp_settings *c)
{
    for (int n = 0; n < c->shape.order; n++)
        if (crease_size(&c->shape) / c->shape.dim[n] < 4 * c->rank) return false;
    return true;
}

static void one_case(int method, int shape, int p, ptrdiff_t rank, draws *d)
{
    crs_cp_settings c = settings_of(method, shapes + shape, rank);
    if (method == 6 && !regular(&c)) return;
    c.penalty.rho = penalty_cases[p].p;
    copy(2, penalty_cases[p].par, c.penalty.par);
    c.full = uniform(d, 0, 1) < 0.7;
    if (uniform(d, 0, 1) < 0.3) c.penalty.weight = 0.05;
    if (uniform(d, 0, 1) < 0.3 && method < 5) c.h_sparse = 0;
    for (int masked = 0; masked < 2; masked++) {
        snprintf(doing, sizeof doing, "method %d shape %d %s rank %td%s", method, shape,
                 c.penalty.rho->name, rank, masked ? " masked" : "");
        naive a = naive_make(&c, masked, d);
        if (method == 4 && masked) a.c.ell = 2.5;
        follow(&a, crease_size(&c.shape) * rank < 1200 ? 20 : 2, method == 6 ? 100 : 1);
        naive_free(&a);
    }
}

static void fused_iterations_are_the_plain_ones(void **state)
{
    static const ptrdiff_t ranks[] = { 1, 3, 8, 17 };
    draws d = { { 1, 0 }, 0 };
    (void)state;
    for (int method = 0; method < METHODS; method++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int p = 0; p < PENALTY_CASES; p++)
                for (int r = 0; r < 4; r++)
                    if ((p + shape + r + method) % 4 == 0) one_case(method, shape, p, ranks[r], &d);
}

#if defined(__SSE2__)
#endif

static crs_cp_settings run_settings(int method, const crease_space *shape, ptrdiff_t rank)
{
    crs_cp_settings c = { .shape = *shape, .rank = rank, .beta = 4.4, .threads = 1 };
    c.method = (crs_cp_method)(method % 3);
    c.ell = method > 2 ? 3 : 0;
    c.h_factor = c.h_sparse = c.h_z = 2;
    c.penalty.weight = c.alpha_noise = 1;
    c.penalty.rho = method % 2 ? &crs_mcp : &crs_l1;
    c.penalty.par[0] = 1;
    c.penalty.par[1] = 2;
    c.full = true;
    return c;
}

static bool same_bits(const crs_cp_fused *f, const crs_cp_fused *g, const naive *a)
{
    double *x = some(a->size), *y = some(a->size);
    ptrdiff_t left, right;
    bool same =
        !memcmp(crs_cp_fused_statistics(f), crs_cp_fused_statistics(g), sizeof(crs_cp_statistics));
    crs_cp_fused_rows(f, &left, &right);
    for (int part = CRS_CP_Z; part <= CRS_CP_LOW_RANK; part++) {
        crs_cp_fused_read(f, (crs_cp_part)part, 0, left, x);
        crs_cp_fused_read(g, (crs_cp_part)part, 0, left, y);
        same = same && !memcmp(x, y, (size_t)a->size * sizeof *x);
    }
    free(x), free(y);
    return same;
}

/* E as it is, every tile of it in its dense place. */
static void make_dense(crs_cp_fused *f, ptrdiff_t size)
{
    double *e = some(size);
    crs_cp_fused_read(f, CRS_CP_E, 0, f->grid.left, e);
    memcpy(f->E, e, (size_t)size * sizeof *e);
    for (ptrdiff_t k = 0; k < f->grid.blocks * f->grid.chunks; k++) f->stored[k] = -1;
    free(e);
}

/* Steps of the settings of `a` with other threads, or with E dense before every step. */
static void same_run(const naive *a, int threads, bool dense, int steps)
{
    naive other = *a;
    other.c.threads = threads;
    crs_cp_fused *f = fused_of(a), *g = fused_of(&other);
    for (int k = 0; k < steps; k++) {
        if (dense) make_dense(g, a->size);
        crs_cp_fused_step(f);
        crs_cp_fused_step(g);
    }
    assert_true(same_bits(f, g, a));
    crs_cp_fused_free(f), crs_cp_fused_free(g);
}

static const crease_space run_shapes[] = { { .order = 3, .dim = { 11, 23, 37 } },
                                           { .order = 2, .dim = { 301, 41 } },
                                           { .order = 4, .dim = { 7, 5, 9, 13 } } };

static void threads_change_nothing(void **state)
{
    draws d = { { 2, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 6; k++) {
        crs_cp_settings c = run_settings(k, &run_shapes[k % 3], k % 4 == 1 ? 33 : 5);
        c.full = k > 2;
        naive a = naive_make(&c, k % 2, &d);
        for (int threads = 2; threads <= 4; threads++) same_run(&a, threads, false, 3);
        naive_free(&a);
    }
}

/* alpha from where E is dense to where it is 0 */
static void storage_of_E_changes_nothing(void **state)
{
    draws d = { { 3, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 24; k++) {
        crs_cp_settings c = run_settings(k % 6, &run_shapes[k % 3], 4);
        c.penalty.weight = pow(10, k / 6 - 2);
        c.full = k % 4 < 2;
        naive a = naive_make(&c, k % 2, &d);
        same_run(&a, 1, true, 12);
        naive_free(&a);
    }
}

static void kernels_agree(void **state)
{
    draws d = { { 4, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 12; k++) {
        const ptrdiff_t rank = k < 9 ? 3 + k : 30 + k; /* vectors along the columns, the rank */
        const crs_cp_settings c = run_settings(k % 6, &run_shapes[k % 3], rank);
        naive a = naive_make(&c, k % 2, &d), plain = a;
        plain.c.kernel = &crs_cp_kernel_base;
        for (int i = 0; (a.c.kernel = crs_cp_kernel_at(false, i)) != NULL; i++) {
            crs_cp_fused *f = fused_of(&a), *g = fused_of(&plain);
            for (int step = 0; step < 3; step++) crs_cp_fused_step(f), crs_cp_fused_step(g);
            for (int n = 0; n < c.shape.order; n++)
                for (ptrdiff_t j = 0; j < c.shape.dim[n] * c.rank; j++)
                    assert_close(crs_cp_fused_factor(f, n)[j], crs_cp_fused_factor(g, n)[j], 1e-10);
            assert_close(crs_cp_fused_statistics(f)->objective,
                         crs_cp_fused_statistics(g)->objective, 1e-11);
            assert_int_equal(crs_cp_fused_statistics(f)->nonzeros,
                             crs_cp_fused_statistics(g)->nonzeros);
            crs_cp_fused_free(f), crs_cp_fused_free(g);
        }
        naive_free(&a);
    }
}

static void nan_reaches_the_statistics(void **state)
{
    draws d = { { 5, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 6; k++) {
        const crs_cp_settings c = run_settings(k, &run_shapes[k % 3], 3);
        naive a = naive_make(&c, false, &d);
        a.T[a.size - 1] = NAN;
        crs_cp_fused *f = fused_of(&a);
        for (int step = 0; step < 3; step++) {
            crs_cp_fused_step(f);
            const crs_cp_statistics *s = crs_cp_fused_statistics(f);
            assert_true(isnan(s->objective) && isnan(s->moves) && isnan(s->theta));
        }
        crs_cp_fused_free(f);
        naive_free(&a);
    }
}

/* Unobserved entries of T are not read as numbers. */
static void unobserved_nan_is_ignored(void **state)
{
    draws d = { { 6, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 6; k++) {
        const crs_cp_settings c = run_settings(k, &run_shapes[k % 3], 3);
        naive a = naive_make(&c, true, &d);
        for (ptrdiff_t j = 0; j < a.size; j++)
            if (!a.mask[j]) a.T[j] = NAN;
        crs_cp_fused *f = fused_of(&a);
        for (int step = 0; step < 3; step++) crs_cp_fused_step(f);
        assert_true(isfinite(crs_cp_fused_statistics(f)->objective));
        crs_cp_fused_free(f);
        naive_free(&a);
    }
}

static unsigned control_word(void)
{
#if defined(__SSE2__)
    return _mm_getcsr() & 0xffc0;
#else
    return 0;
#endif
}

/* The paper's start: Z constant makes every later Gram matrix singular for classical descent. */
static void singular_systems_are_solved(void **state)
{
    draws d = { { 7, 0 }, 0 };
    crs_cp_settings c = run_settings(CRS_CP_BCD, &run_shapes[0], 6);
    c.h_factor = c.h_sparse = c.h_z = 0;
    naive a = naive_make(&c, false, &d);
    (void)state;
    for (ptrdiff_t j = 0; j < a.size; j++) a.Z[j] = 1;
    crs_cp_fused *f = fused_of(&a);
    double before = INFINITY;
    const unsigned control = control_word();
    for (int k = 0; k < 20; k++) {
        crs_cp_fused_step(f);
        const double now = crs_cp_fused_statistics(f)->objective;
        assert_true(now <= before * (1 + 1e-12));
        before = now;
    }
    assert_int_equal(control_word(), control);
    crs_cp_fused_free(f);
    naive_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_iterations_are_the_plain_ones),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(storage_of_E_changes_nothing),
        cmocka_unit_test(kernels_agree),
        cmocka_unit_test(nan_reaches_the_statistics),
        cmocka_unit_test(unobserved_nan_is_ignored),
        cmocka_unit_test(singular_systems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
