/* SPDX-License-Identifier: MIT
 * multilinear: constants where they are known exactly, and the linear oracle of the ball; the rest
 * is tested with the other couplings made from tensors */
#include "support/couplings.h"

/* a o b o c has spectral norm |a||b||c|; on unit balls L = (d-1) sigma. */
static void rank_one_multilinear(void **state)
{
    draws d = { { 4, 0 }, 0 };
    const double ones[MOST_BLOCKS] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    const double scales[] = { 1, 1e-150, 1e150 };
    (void)state;
    for (int order = 2; order <= 5; order++)
        for (int s = 0; s < 3; s++) {
            problem p;
            crease_constants c;
            make_problem(&p, MULTILINEAR, order, false, &d);
            for (ptrdiff_t j = 0; j < crease_size(&p.shape); j++) {
                ptrdiff_t i[CREASE_MAX_ORDER];
                unravel(&p.shape, j, i);
                p.target[j] = scales[s];
                for (int n = 0; n < order; n++) p.target[j] *= p.x[p.factor[n]][i[n]];
            }
            const double sigma = 1.5 * crs_norm(crease_size(&p.shape), p.target);
            p.b.radius = ones;
            assert_true(p.f.ops->constants(&p.f, &p.b, 1, &c, NULL, NULL));
            assert_close(c.L / sigma, order - 1, 1e-10);
            assert_close(c.M / sigma, sqrt(order - 1), 1e-10);
            assert_close(c.lower / sigma, -1, 1e-10);
            assert_true(c.L >= (order - 1) * sigma * (1 - 1e-15) && c.lower <= -sigma);
            discard_problem(&p);
        }
}

/* The two-dimensional case is x'Ay: L = |A|_2 on the whole space, by power iteration on A'A. */
static void bilinear_constant_is_the_matrix_norm(void **state)
{
    draws d = { { 5, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        problem p;
        crease_constants c;
        double y[4] = { 1, 1, 1, 1 }, x[3], norm = 0;
        make_problem(&p, MULTILINEAR, 2, false, &d);
        for (int k = 0; k < 2000; k++) {
            for (int i = 0; i < 3; i++) x[i] = crs_dot(4, p.target + 4 * i, y);
            norm = crs_norm(3, x) / crs_norm(4, y);
            fill(4, 0, y);
            for (int i = 0; i < 3; i++) axpy(4, x[i] / crs_norm(3, x), p.target + 4 * i, y);
        }
        assert_true(p.f.ops->constants(&p.f, &p.b, 1, &c, NULL, NULL));
        assert_true(c.L >= 1.5 * norm * (1 - 1e-14) && c.L <= 1.5 * norm * (1 + 1e-6));
        discard_problem(&p);
    }
}

/* h = 0: -R c/|c|, and 0 when the form vanishes; v is not read. */
static void linear_oracle(void **state)
{
    draws d = { { 6, 0 }, 0 };
    problem p;
    double y[4], v[4] = { NAN, NAN, NAN, NAN };
    (void)state;
    make_problem(&p, MULTILINEAR, 3, false, &d);
    const double *const *x = (const double *const *)p.x;
    const int i = p.factor[1];
    double *c = gradient(&p, i);
    assert_true(p.f.ops->argmin(&p.f, &p.b, x, i, 0, v, 2, y, p.work));
    for (int j = 0; j < 4; j++) assert_close(y[j], -2 * c[j] / crs_norm(4, c), 100 * 0x1p-53);
    fill(p.shape.dim[0], 0, p.x[p.factor[0]]);
    assert_true(p.f.ops->argmin(&p.f, &p.b, x, i, 0, v, 2, y, p.work));
    for (int j = 0; j < 4; j++) assert_true(y[j] == 0);
    free(c);
    discard_problem(&p);
}

static void nothing_is_zero(void **state)
{
    draws d = { { 7, 0 }, 0 };
    problem p;
    crease_constants c;
    (void)state;
    make_problem(&p, MULTILINEAR, 4, false, &d);
    p.multilinear.weight = 0; /* on an unbounded region: 0, not 0 times infinity */
    assert_true(p.f.ops->constants(&p.f, &p.b, 1, &c, NULL, NULL));
    assert_true(c.L == 0 && c.M == 0 && c.rho == 0 && c.lower == 0);
    discard_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_one_multilinear),
        cmocka_unit_test(bilinear_constant_is_the_matrix_norm),
        cmocka_unit_test(linear_oracle),
        cmocka_unit_test(nothing_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
