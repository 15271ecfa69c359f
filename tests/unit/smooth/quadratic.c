/* SPDX-License-Identifier: MIT
 * quadratic: gradients, safe constants and trust-region block steps of random Hessians */
#include "smooth/smooth.h"
#include "support/argmin.h"

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
    for (int k = 0; k < 240; k++) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_and_constants_hold),
        cmocka_unit_test(block_steps_are_optimal),
        cmocka_unit_test(bad_inputs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
