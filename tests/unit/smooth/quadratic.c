/* SPDX-License-Identifier: MIT
 * quadratic: values, gradients and block minimizers; its constants against the eigenvalues */
#include "smooth/smooth.h"
#include "support/argmin.h"
#include "support/coupling.h"

enum { N0 = 5, N1 = 4, TERMS = 4 };

/* Q_00 twice, Q_01 (given as such or as Q_10), Q_11; q in block 1; block 2 is not in f. */
typedef struct {
    double a[N0 * N0], again[N0 * N0], cross[N0 * N1], d[N1 * N1], q[N1];
    const double *matrix[TERMS], *linear[2];
    int row[TERMS], col[TERMS];
    crease_space space[3];
    crease_quadratic_data data;
    crease_blocks blocks;
    crease_smooth f;
} model;

static void draw_symmetric(draws *d, ptrdiff_t n, double shift, double *a)
{
    draw_vector(d, n * n, 1, a);
    for (ptrdiff_t r = 0; r < n; r++) {
        for (ptrdiff_t c = 0; c < r; c++) a[c * n + r] = a[r * n + c];
        a[r * n + r] += shift;
    }
}

static void make_model(draws *d, double shift, bool turned, model *m)
{
    draw_symmetric(d, N0, shift, m->a);
    draw_symmetric(d, N0, 0, m->again);
    draw_symmetric(d, N1, shift, m->d);
    draw_vector(d, N0 * N1, 1, m->cross);
    draw_vector(d, N1, 1, m->q);
    const double *matrix[TERMS] = { m->a, m->cross, m->d, m->again };
    const int row[TERMS] = { 0, turned, 1, 0 }, col[TERMS] = { 0, !turned, 1, 0 };
    for (int k = 0; k < TERMS; k++)
        m->matrix[k] = matrix[k], m->row[k] = row[k], m->col[k] = col[k];
    m->linear[0] = NULL;
    m->linear[1] = m->q;
    m->space[0] = m->space[2] = crease_vector(N0);
    m->space[1] = crease_vector(N1);
    m->data = (crease_quadratic_data){ TERMS, m->row, m->col, m->matrix, m->linear, 2 };
    m->blocks = (crease_blocks){ .count = 3, .space = m->space };
    m->f = crease_quadratic(&m->data);
}

static void gradients_and_constants_hold(void **state)
{
    static const double shift[] = { 0, 12, -12 };
    draws d = { { 1, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 6; k++) {
        model m;
        point x;
        make_model(&d, shift[k / 2], k % 2, &m);
        draw_point(&d, &m.blocks, 1, &x);
        assert_gradients(&m.f, &m.blocks, &x, 0);
        assert_constants(&m.f, &m.blocks, &d);
        const crease_constants c = constants_of(&m.f, &m.blocks, 1, NULL);
        assert_true(c.concave == (k / 2 == 2) && !c.separable_last && !c.quadratic_last);
        assert_true(c.p == 2 && (c.rho == 0) == c.concave);
        assert_true((c.lower == -INFINITY) == (k / 2 != 1));
    }
}

static void block_steps_are_optimal(void **state)
{
    static const double shift[] = { 12, 0, -12 }, radius[] = { INFINITY, 1e-3, 0.7, 50 };
    static double work[5000];
    draws d = { { 3, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 1200; k++) {
        model m;
        point x;
        make_model(&d, shift[k % 3], k % 2, &m);
        draw_point(&d, &m.blocks, 1, &x);
        const double h = k % 5 * 0.5, r = radius[k / 3 % 4];
        if (k % 3 == 2) /* negative definite: unbounded below without a ball */
            assert_true(m.f.ops->argmin(&m.f, &m.blocks, x.at, 0, h, NULL, r, NULL, work) ==
                        (r < INFINITY));
        if (r == INFINITY && k % 3) continue;
        assert_argmin(&m.f, &m.blocks, &x, 0, h, r, 50, &d);
        assert_argmin(&m.f, &m.blocks, &x, 1, h, r, 50, &d);
        assert_false(m.f.ops->argmin(&m.f, &m.blocks, x.at, 2, 1, NULL, r, NULL, work));

        m.data.count = 2; /* now linear in block 1 */
        if (h > 0 || r < INFINITY) assert_argmin(&m.f, &m.blocks, &x, 1, h, r, 50, &d);
        double v[N0] = { 0 }, y[N0];
        x.entry[1][0] = NAN;
        assert_true(m.f.ops->argmin(&m.f, &m.blocks, x.at, 0, 12, v, r, y, work));
        assert_true(isnan(crs_norm(N0, y)) && isnan(value_of(&m.f, &m.blocks, &x)));
    }
}

static void bad_inputs_are_refused(void **state)
{
    draws d = { { 4, 0 }, 0 };
    model m;
    (void)state;
    make_model(&d, 0, false, &m);
    m.a[1] += 1;
    assert_refused(&m.f, &m.blocks, CREASE_BAD_DATA, "(2, 1) and (1, 2) differ");
    m.a[1] = NAN;
    assert_refused(&m.f, &m.blocks, CREASE_BAD_DATA, "(1, 2) of the matrix of term 1");
    make_model(&d, 0, false, &m);
    m.col[2] = 3;
    assert_refused(&m.f, &m.blocks, CREASE_BAD_ARGUMENT, "no block 4");
    m.col[2] = 1;
    m.q[0] = INFINITY;
    assert_refused(&m.f, &m.blocks, CREASE_BAD_DATA, "block 2");
    m.data.blocks = 4;
    assert_refused(&m.f, &m.blocks, CREASE_BAD_ARGUMENT, "4 blocks");
    m.data.linear = NULL;
    m.matrix[3] = NULL;
    assert_refused(&m.f, &m.blocks, CREASE_BAD_ARGUMENT, "term 4");
    m.data.row = NULL;
    assert_refused(&m.f, &m.blocks, CREASE_BAD_ARGUMENT, "missing");
    m.data.count = 0;
    const crease_comm comm = { 0 };
    m.space[1].comm = &comm;
    assert_refused(&m.f, &m.blocks, CREASE_UNSUPPORTED, "block 2");
}

/* 2x2 block 0, 1 number in block 1: Q = (2 1 0; 1 2 0; 0 0 -5) has eigenvalues 3, 1, -5. */
static void constants_are_exact(void **state)
{
    const double a[] = { 2, 1, 1, 2 }, d[] = { -5 }, q[] = { 1, 0 };
    const double *const matrix[] = { a, d }, *const linear[] = { q };
    const int row[] = { 0, 1 }, col[] = { 0, 1 };
    const crease_space space[] = { crease_vector(2), crease_vector(1) };
    crease_quadratic_data data = { 2, row, col, matrix, linear, 1 };
    crease_blocks b = { .count = 2, .space = space };
    const crease_smooth f = crease_quadratic(&data);
    double block[2];
    (void)state;
    crease_constants c = constants_of(&f, &b, 1, block);
    const double slack = 64 * 0x1p-52;
    assert_true(c.L >= 5 && c.L <= 5 + slack && c.M >= 5 && c.M <= 5 + slack);
    assert_true(c.rho >= 3 && c.rho <= 3 + slack && block[0] >= 3 && block[0] <= 3 + slack);
    assert_true(block[1] == 5 && c.separable_last && c.quadratic_last && !c.concave);
    assert_true(c.last_low == -5 && c.last_high == -5 && c.lower == -INFINITY);
    const double radius[] = { 2, 3 };
    b.radius = radius; /* -5/2 (4 + 9) - 2, at most */
    c = constants_of(&f, &b, 0, NULL);
    assert_true(c.lower <= -5.0 / 2 * 9 - 2 && c.lower >= -5.0 / 2 * 13 - 2 - 1e-12);
    assert_true(c.last_low <= 1 && c.last_low >= 1 - slack && c.last_high >= 3);

    data.count = 1; /* definite: -q'Q^{-1}q/2 = -1/3 */
    b.radius = NULL;
    c = constants_of(&f, &b, 1, NULL);
    assert_true(c.lower <= -1.0 / 3 && c.lower >= -1.0 / 3 - 1e-13);
    assert_true(c.quadratic_last && c.last_low == 0 && c.last_high == 0 && c.M == 0);
    data.linear = NULL;
    assert_true(constants_of(&f, &b, 1, NULL).lower == 0);
    data.count = 0; /* linear alone: concave, nothing curved */
    data.linear = linear;
    c = constants_of(&f, &b, 0, NULL);
    assert_true(c.concave && c.L == 0 && c.rho == 0 && c.lower == -INFINITY && c.quadratic_last);
}

/* Q = (0 0 1; 0 0 1; 1 1 0), all of it coupling: eigenvalues 0 and +-sqrt(2). */
static void couplings_count(void **state)
{
    const double cross[] = { 1, 1 };
    const double *const matrix[] = { cross };
    const int zero = 0, one = 1;
    const crease_space space[] = { crease_vector(2), crease_vector(1) };
    const crease_blocks b = { .count = 2, .space = space };
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        const crease_quadratic_data data = {
            1, turned ? &one : &zero, turned ? &zero : &one, matrix, NULL, 0
        };
        const crease_smooth f = crease_quadratic(&data);
        double block[2];
        const crease_constants c = constants_of(&f, &b, 1, block);
        assert_true(c.L >= sqrt(2) && c.L <= sqrt(2) + 0x1p-45 && c.M >= sqrt(2));
        assert_true(c.M <= c.L && c.rho == c.L && block[0] == 0 && block[1] == 0);
        assert_true(!c.separable_last && !c.concave && c.lower == -INFINITY);
    }
}

static void concavity_is_recognised(void **state)
{
    double a[] = { -1, 0, 0, 0, -1e-12, 0, 0, 0, 0 };
    const double *const matrix[] = { a };
    const int zero = 0;
    const crease_space space = crease_vector(3);
    const crease_quadratic_data data = { 1, &zero, &zero, matrix, NULL, 0 };
    const crease_blocks b = { .count = 1, .space = &space };
    const crease_smooth f = crease_quadratic(&data);
    (void)state;
    assert_true(constants_of(&f, &b, 0, NULL).concave);
    a[8] = 1e-300; /* and the least positive eigenvalue ends it */
    assert_false(constants_of(&f, &b, 0, NULL).concave);
    a[8] = -1, a[1] = a[3] = 0.5, a[4] = -1;
    assert_true(constants_of(&f, &b, 0, NULL).concave);
    draws d = { { 2, 0 }, 0 };
    for (int k = 0; k < 100; k++) { /* f((x+y)/2) >= (f(x) + f(y))/2 */
        point x, y, z;
        draw_point(&d, &b, 1, &x);
        draw_point(&d, &b, 1, &y);
        draw_point(&d, &b, 1, &z);
        for (int j = 0; j < 3; j++) z.entry[0][j] = (x.entry[0][j] + y.entry[0][j]) / 2;
        assert_true(2 * value_of(&f, &b, &z) >=
                    value_of(&f, &b, &x) + value_of(&f, &b, &y) - 1e-14);
    }
}

/* Beyond the affordable size, the discs: for the second difference (-1, 2, -1), [0, 4]. */
static void large_hessians_are_bounded(void **state)
{
    enum { LARGE = 1600 };
    const ptrdiff_t n = LARGE;
    double *a = crs_alloc((size_t)(n * n + n), sizeof *a), block[1];
    const double *const matrix[] = { a };
    const int zero = 0;
    const crease_space space = crease_vector(n);
    crease_quadratic_data data = { 1, &zero, &zero, matrix, NULL, 0 };
    const crease_blocks b = { .count = 1, .space = &space };
    const crease_smooth f = crease_quadratic(&data);
    (void)state;
    assert_non_null(a);
    for (ptrdiff_t j = 0; j < n; j++) {
        a[j * n + j] = 2;
        if (j > 0) a[j * n + j - 1] = a[(j - 1) * n + j] = -1;
    }
    const crease_constants c = constants_of(&f, &b, 0, block);
    assert_true(c.L >= 3.99999 && c.L <= 4.000001 && block[0] == c.L && c.rho == c.L);
    assert_true(c.last_low <= 0 && c.last_low >= -1e-9);
    assert_false(f.ops->argmin(&f, &b, NULL, 0, 1, NULL, INFINITY, NULL, NULL));

    double *one = a + n * n; /* (-1, 3, -1) and q = 1: f >= -|q|^2/2, nearly attained at -1 */
    const double *const linear[] = { one };
    for (ptrdiff_t j = 0; j < n; j++) a[j * n + j] = 3, one[j] = 1;
    data.linear = linear;
    data.blocks = 1;
    const double lower = constants_of(&f, &b, 0, NULL).lower, half = (double)n / 2;
    assert_true(lower <= -half + 1 && lower >= -half * (1 + 1e-9)); /* slack: n^1.5 2^-50 */
    crs_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_and_constants_hold),
        cmocka_unit_test(block_steps_are_optimal),
        cmocka_unit_test(bad_inputs_are_refused),
        cmocka_unit_test(constants_are_exact),
        cmocka_unit_test(couplings_count),
        cmocka_unit_test(concavity_is_recognised),
        cmocka_unit_test(large_hessians_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
