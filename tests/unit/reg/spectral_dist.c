/* SPDX-License-Identifier: MIT
 * spectral_dist: the distance to the subdifferential of sum_j rho(sigma_j(X)) by the formula with
 * the orthogonal complements themselves, and what rounding may not change */
#include "support/spectral.h"

/* X = U diag(sigma) V' with U, V of random matrices and `rank` singular values; G = U M V' */
typedef struct {
    ptrdiff_t m, n;
    double u[MOST], vt[MOST];
} frame;

static void make_frame(draws *d, ptrdiff_t m, ptrdiff_t n, frame *f)
{
    double a[MOST], s[MOST], unused[MOST];
    f->m = m, f->n = n;
    random_matrix(d, m, m, m, a);
    assert_true(crs_svd(m, m, a, f->u, s, unused, work));
    random_matrix(d, n, n, n, a);
    assert_true(crs_svd(n, n, a, unused, s, f->vt, work));
}

static void place(const frame *f, const double *middle, double *x)
{
    double left[MOST];
    crs_gemm_plain(false, false, f->m, f->n, f->m, 1, f->u, middle, 0, left);
    crs_gemm_plain(false, false, f->m, f->n, f->n, 1, left, f->vt, 0, x);
}

/* The formula with the complements themselves: G = U M V', X = U diag(sigma) V'. */
static double dist_in_frame(const crease_penalty *p, const double *par, const frame *f,
                            ptrdiff_t rank, const double *sigma, const double *M)
{
    double corner[MOST], s[MOST], sum = 0;
    const ptrdiff_t rows = f->m - rank, columns = f->n - rank;
    for (ptrdiff_t i = 0; i < f->m; i++)
        for (ptrdiff_t j = 0; j < f->n; j++) {
            const double g = M[i * f->n + j];
            if (i >= rank && j >= rank)
                corner[(i - rank) * columns + j - rank] = g;
            else
                sum += square(i == j ? g - p->slope(par, sigma[j]) : g);
        }
    if (rows == 0 || columns == 0) return sqrt(sum);
    crs_singular_values(rows, columns, corner, s, work);
    for (ptrdiff_t j = 0; j < (rows < columns ? rows : columns); j++)
        sum += square(pos(s[j] - p->slope(par, 0)));
    return sqrt(sum);
}

static void dist_is_the_formula(void **state)
{
    draws d = { { 4, 3 }, 0 };
    double x[MOST], g[MOST], M[MOST];
    frame f;
    (void)state;
    for (int k = 0; k < 10 * FAMILY * SHAPES; k++) {
        const ptrdiff_t m = shapes[k % SHAPES][0], n = shapes[k % SHAPES][1];
        const ptrdiff_t most = m < n ? m : n, rank = k % (most + 1);
        const int which = k / SHAPES % FAMILY;
        const crease_space s = crease_matrix(m, n);
        const crease_reg r = crease_spectral(family[which].p, family[which].par);
        double sigma[MOST];
        make_frame(&d, m, n, &f);
        fill(m * n, 0, M);
        for (ptrdiff_t j = 0; j < rank; j++) M[j * n + j] = sigma[j] = 1.9 - 0.4 * (double)j;
        place(&f, M, x);
        for (ptrdiff_t j = 0; j < m * n; j++) M[j] = normal(&d);
        place(&f, M, g);
        const double expected = dist_in_frame(r.penalty, r.par, &f, rank, sigma, M);
        assert_close(r.ops->dist(&r, &s, x, g, work), expected, 2000 * DBL_EPSILON);
    }
}

static void noise_does_not_count(void **state)
{
    draws d = { { 4, 4 }, 0 };
    double v[MOST], x[MOST], M[MOST] = { 0 };
    const crease_space s = crease_matrix(6, 5);
    const crease_reg rank = crease_rank(0.5);
    const crease_reg capped = crease_spectral(&crs_capped_l1, (double[]){ 0.5, 1 });
    frame f;
    (void)state;
    for (int k = 0; k < 200; k++) {
        random_matrix(&d, 6, 5, 5, v);
        double sv[MOST];
        crs_singular_values(6, 5, v, sv, work);
        const double t = sv[2] * sv[3]; /* keeps sigma^2 > 2 t 0.5: between the third and fourth */
        rank.ops->prox(&rank, &s, t, v, x, work);
        assert_true(rank.ops->value(&rank, &s, x, work) == 3 * 0.5);

        make_frame(&d, 6, 5, &f); /* singular values 3 and 1, the second on the kink */
        M[0] = 3, M[6] = 1;
        place(&f, M, x);
        for (int slope = 0; slope < 2; slope++) {
            M[0] = 0, M[6] = slope * 0.5;
            place(&f, M, v);
            assert_true(capped.ops->dist(&capped, &s, x, v, work) <= 200 * DBL_EPSILON);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dist_is_the_formula),
        cmocka_unit_test(noise_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
