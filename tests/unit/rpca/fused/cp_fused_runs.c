/* SPDX-License-Identifier: MIT
 * cp_fused_runs: what must not change results, NaN, the floating-point state, singular systems */
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "rpca/fused/state.h"
#include "support/cp_example.h"

static crs_cp_settings settings_of(int method, const crease_space *shape, ptrdiff_t rank)
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

static const crease_space shapes[] = { { .order = 3, .dim = { 11, 23, 37 } },
                                       { .order = 2, .dim = { 301, 41 } },
                                       { .order = 4, .dim = { 7, 5, 9, 13 } } };

static void threads_change_nothing(void **state)
{
    draws d = { { 2, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 6; k++) {
        crs_cp_settings c = settings_of(k, &shapes[k % 3], 5);
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
        crs_cp_settings c = settings_of(k % 6, &shapes[k % 3], 4);
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
        const crs_cp_settings c = settings_of(k % 6, &shapes[k % 3], 3 + k);
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
        const crs_cp_settings c = settings_of(k, &shapes[k % 3], 3);
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
        const crs_cp_settings c = settings_of(k, &shapes[k % 3], 3);
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
    crs_cp_settings c = settings_of(CRS_CP_BCD, &shapes[0], 6);
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
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(storage_of_E_changes_nothing),
        cmocka_unit_test(kernels_agree),
        cmocka_unit_test(nan_reaches_the_statistics),
        cmocka_unit_test(unobserved_nan_is_ignored),
        cmocka_unit_test(singular_systems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
