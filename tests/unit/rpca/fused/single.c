/* SPDX-License-Identifier: MIT
 * single: tensors stored as float give the iteration in double within float's rounding */
#include <float.h>

#include "support/cp_example.h"

typedef struct {
    naive a;
    float *T;
} example;

static const crease_space shapes[] = { { .order = 2, .dim = { 41, 53 } },
                                       { .order = 3, .dim = { 9, 10, 37 } },
                                       { .order = 4, .dim = { 3, 5, 4, 7 } } };

static crs_cp_settings settings_of(int k)
{
    crs_cp_settings c = { .shape = shapes[k % 3], .rank = 2 + k % 4, .beta = 4.4, .threads = 1 };
    c.method = (crs_cp_method)(k / 3 % 3);
    c.h_factor = c.h_sparse = c.h_z = 2;
    c.penalty.weight = c.alpha_noise = c.penalty.par[0] = 1;
    c.penalty.rho = k % 2 ? &crs_mcp : &crs_l1; /* continuous, so that rounding stays rounding */
    c.penalty.par[1] = 2;
    c.potential_weight = 1;
    c.accelerate = k >= 9;
    c.full = true;
    return c;
}

/* The start is one that float holds exactly. */
static example example_of(int k, draws *d)
{
    const crs_cp_settings c = settings_of(k);
    example x = { naive_make(&c, k % 4 == 3, d), NULL };
    double *const tensors[] = { x.a.T, x.a.Z, x.a.E, x.a.B };
    for (int n = 0; n < 4; n++)
        for (ptrdiff_t j = 0; j < x.a.size; j++) tensors[n][j] = (double)(float)tensors[n][j];
    for (ptrdiff_t j = 0; j < x.a.size; j++)
        x.a.lambda[j] = 2 * (x.a.mask && !x.a.mask[j] ? 0 : 1) * x.a.B[j];
    x.T = malloc((size_t)x.a.size * sizeof *x.T);
    for (ptrdiff_t j = 0; j < x.a.size; j++) x.T[j] = (float)x.a.T[j];
    return x;
}

static crs_cp_fused *single_of(const example *x, const crs_cp_kernel *kernel)
{
    crs_cp_settings c = x->a.c;
    const naive *a = &x->a;
    c.single = true;
    c.kernel = kernel;
    crs_cp_fused *f = crs_cp_fused_new(&c, x->T, NULL);
    assert_non_null(f);
    assert_true(
        crs_cp_fused_start(f, (const double *const *)a->x, a->Z, a->E, a->B, a->lambda, NULL));
    return f;
}

/* |got - want| <= slack times the largest entry */
static void near(ptrdiff_t n, const double *got, const double *want, double slack)
{
    double scale = 0;
    for (ptrdiff_t j = 0; j < n; j++) scale = larger(scale, fabs(want[j]));
    for (ptrdiff_t j = 0; j < n; j++) assert_true(fabs(got[j] - want[j]) <= slack * scale);
}

static void compare(const crs_cp_fused *f, const crs_cp_fused *g, const naive *a, double slack)
{
    double *x = some(a->size), *y = some(a->size);
    ptrdiff_t left, right;
    crs_cp_fused_rows(f, &left, &right);
    for (int part = CRS_CP_Z; part <= CRS_CP_LOW_RANK; part++) {
        crs_cp_fused_read(f, (crs_cp_part)part, 0, left, x);
        crs_cp_fused_read(g, (crs_cp_part)part, 0, left, y);
        near(a->size, x, y, slack);
    }
    for (int n = 0; n < a->c.shape.order; n++)
        near(a->c.shape.dim[n] * a->c.rank, crs_cp_fused_factor(f, n), crs_cp_fused_factor(g, n),
             slack);
    const crs_cp_statistics *s = crs_cp_fused_statistics(f), *t = crs_cp_fused_statistics(g);
    assert_true(fabs(s->objective - t->objective) <= slack * t->objective);
    assert_true(fabs(s->potential - t->potential) <= slack * t->potential);
    assert_true(s->accelerated == t->accelerated);
    assert_true(fabs(s->moves - t->moves) <= slack * (t->moves + t->objective));
    free(x), free(y);
}

/* An iteration makes some ten roundings, magnified by the condition of the factors' systems. */
static void float_follows_double(void **state)
{
    draws d = { { 21, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 18; k++) {
        example x = example_of(k, &d);
        crs_cp_fused *g = fused_of(&x.a);
        for (int step = 0; step < 4; step++) crs_cp_fused_step(g);
        const crs_cp_kernel *kernel;
        for (int i = 0; (kernel = crs_cp_kernel_at(true, i)) != NULL; i++) {
            crs_cp_fused *f = single_of(&x, kernel);
            for (int step = 0; step < 4; step++) crs_cp_fused_step(f);
            compare(f, g, &x.a, 500 * (double)FLT_EPSILON);
            crs_cp_fused_free(f);
        }
        crs_cp_fused_free(g);
        naive_free(&x.a), free(x.T);
    }
}

static void threads_change_nothing(void **state)
{
    draws d = { { 22, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 18; k++) {
        example x = example_of(k, &d), other = x;
        other.a.c.threads = 3;
        crs_cp_fused *f = single_of(&x, NULL), *g = single_of(&other, NULL);
        for (int step = 0; step < 3; step++) crs_cp_fused_step(f), crs_cp_fused_step(g);
        assert_memory_equal(crs_cp_fused_statistics(f), crs_cp_fused_statistics(g),
                            sizeof(crs_cp_statistics));
        compare(f, g, &x.a, 0);
        crs_cp_fused_free(f), crs_cp_fused_free(g);
        naive_free(&x.a), free(x.T);
    }
}

static void a_kernel_of_the_other_type_is_refused(void **state)
{
    crs_cp_settings c = settings_of(0);
    const float T[41 * 53] = { 0 };
    crease_error e = { CREASE_OK, "" };
    (void)state;
    c.kernel = &crs_cp_kernel_base_single;
    assert_null(crs_cp_fused_new(&c, T, &e));
    assert_non_null(strstr(e.text, "base single"));
    c.kernel = &crs_cp_kernel_base;
    c.single = true;
    assert_null(crs_cp_fused_new(&c, T, &e));
    c.kernel = NULL;
    crs_cp_fused *f = crs_cp_fused_new(&c, T, &e);
    const ptrdiff_t single = crs_cp_fused_bytes(&c, NULL);
    c.single = false;
    assert_non_null(f);
    assert_true(single < crs_cp_fused_bytes(&c, NULL));
    crs_cp_fused_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_follows_double),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_kernel_of_the_other_type_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
