/* SPDX-License-Identifier: MIT
 * spectral: sum_j rho(sigma_j(X)): prox, value and ball against the definitions; the distance to
 * the subdifferential by the formula with the orthogonal complements themselves */
#include "support/spectral.h"

static double objective(const crease_reg *r, const crease_space *s, double t, const double *v,
                        const double *x)
{
    double sum = r->ops->value(r, s, x, work);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) sum += square(x[j] - v[j]) / (2 * t);
    return sum;
}

/* No small step, no other singular values and no random point is better than x; `norm` tells how
 * a candidate is measured against the radius. */
static void assert_best(draws *d, const crease_reg *r, const crease_space *s, double t,
                        double radius, bool spectral_norm, const double *v, const double *x)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1], k = m < n ? m : n, size = m * n;
    double u[MOST], sv[MOST], vt[MOST], y[MOST];
    const double best = objective(r, s, t, v, x);
    crs_svd(m, n, v, u, sv, vt, work);
    for (int trial = 0; trial < 40; trial++) {
        double left[MOST];
        for (ptrdiff_t i = 0; i < m; i++)
            for (ptrdiff_t j = 0; j < k; j++)
                left[i * k + j] = u[i * k + j] * (trial % 3 ? uniform(d, 0, 1.2) * sv[j] : 0);
        crs_gemm_plain(false, false, m, n, k, 1, left, vt, 0, y);
        if (trial % 2)
            for (ptrdiff_t j = 0; j < size; j++) y[j] = x[j] + pow(10, -trial % 6) * normal(d);
        if (trial == 0) fill(size, 0, y);
        if (trial == 2) copy(size, v, y);
        crs_singular_values(m, n, y, sv, work);
        const double norm = spectral_norm ? sv[0] : crs_norm(k, sv);
        if (norm > radius)
            for (ptrdiff_t j = 0; j < size; j++) y[j] *= radius / norm;
        crs_svd(m, n, v, u, sv, vt, work);
        const double other = objective(r, s, t, v, y);
        assert_true(best <= other + 1000 * DBL_EPSILON * (1 + other));
    }
}

static void prox_is_best_and_certified(void **state)
{
    draws d = { { 4, 1 }, 0 };
    double v[MOST], x[MOST], g[MOST];
    (void)state;
    for (int k = 0; k < 12 * FAMILY * SHAPES; k++) {
        const ptrdiff_t m = shapes[k % SHAPES][0], n = shapes[k % SHAPES][1];
        const crease_space s = crease_matrix(m, n);
        const int which = k / SHAPES % FAMILY;
        const crease_reg r = crease_spectral(family[which].p, family[which].par);
        const double t = pow(10, uniform(&d, -2, 1));
        assert_true(crease_reg_check(&r, &s, NULL) && crease_reg_scratch(&r, &s) <= WORK);
        random_matrix(&d, m, n, 1 + k % 3, v);
        r.ops->prox(&r, &s, t, v, x, work);
        assert_best(&d, &r, &s, t, INFINITY, false, v, x);
        for (ptrdiff_t j = 0; j < m * n; j++) g[j] = (v[j] - x[j]) / t;
        const double tol = 1000 * DBL_EPSILON * (1 + crs_norm(m * n, v) / t);
        assert_true(r.ops->dist(&r, &s, x, g, work) <= tol);
        r.ops->prox(&r, &s, t, v, v, work);
        assert_memory_equal(v, x, (size_t)(m * n) * sizeof *x);
    }
}

static void balls_are_exact(void **state)
{
    draws d = { { 4, 2 }, 0 };
    double v[MOST], x[MOST], sv[MOST];
    (void)state;
    for (int k = 0; k < 8 * FAMILY * SHAPES; k++) {
        const ptrdiff_t m = shapes[k % SHAPES][0], n = shapes[k % SHAPES][1];
        const crease_space s = crease_matrix(m, n);
        const int which = k / SHAPES % FAMILY;
        const crease_reg r = crease_spectral(family[which].p, family[which].par);
        const double radius = uniform(&d, 0.2, 2), t = uniform(&d, 0.05, 3);
        crease_reg_traits traits;
        random_matrix(&d, m, n, 1 + k % 3, v);
        assert_true(crease_reg_describe(&r, &s, 1, &traits, NULL));
        if (t < traits.ball_step) {
            r.ops->prox_ball(&r, &s, t, radius, v, x, work);
            assert_true(crs_norm(m * n, x) <= radius * (1 + 100 * DBL_EPSILON));
            assert_best(&d, &r, &s, t, radius, false, v, x);
        }
        crs_spectral_prox_spectral_ball(&r, &s, t, radius, v, x, work);
        assert_true(crs_singular_values(m, n, x, sv, work));
        assert_true(sv[0] <= radius * (1 + 100 * DBL_EPSILON));
        assert_best(&d, &r, &s, t, radius, true, v, x);
    }
}

static void refusals_and_bad_numbers(void **state)
{
    const crease_space s = crease_matrix(2, 3), vector = crease_vector(3);
    const crease_comm comm = { 0 };
    crease_space shared = s;
    crease_reg r = crease_nuclear(1);
    double v[6] = { 1, 2, NAN, 3, 4, 5 }, x[6], weight[2] = { 1, 1 };
    crease_error e;
    (void)state;
    r.ops->prox(&r, &s, 1, v, x, work);
    for (int j = 0; j < 6; j++) assert_true(isnan(x[j]));
    assert_true(isnan(r.ops->value(&r, &s, v, work)));
    fill(6, 0, x);
    assert_true(isnan(r.ops->dist(&r, &s, v, x, work)) && isnan(r.ops->dist(&r, &s, x, v, work)));
    fill(6, 1e-3, v);
    r.ops->prox(&r, &s, 1, v, x, work); /* all of it shrinks away: exactly */
    for (int j = 0; j < 6; j++) assert_true(x[j] == 0);

    r = crease_rank(1e-9);
    v[1] = 7;
    r.ops->prox(&r, &s, 1e-9, v, x, work); /* nothing shrinks: x is v, not a recomposition */
    assert_memory_equal(v, x, sizeof x);

    r = crease_nuclear(1);
    assert_false(crease_reg_check(&r, &vector, &e));
    assert_int_equal(e.code, CREASE_BAD_SHAPE);
    shared.comm = &comm;
    assert_false(crease_reg_check(&r, &shared, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    r.weight = weight;
    assert_false(crease_reg_check(&r, &s, &e));
    r = crease_nuclear(-1);
    assert_false(crease_reg_check(&r, &s, &e));
    crease_reg_traits traits;
    r = crease_nuclear(3);
    assert_true(crease_reg_describe(&r, &s, 1, &traits, NULL) && traits.convex &&
                !traits.separable);
    assert_close(traits.lipschitz, 3 * sqrt(2), DBL_EPSILON);
}

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

/* Value and distance by the factors of a prox are those of the matrix itself. */
static void factors_say_what_the_matrix_says(void **state)
{
    const crease_reg regs[] = { crease_nuclear(0.7), crease_rank(0.4),
                                crease_spectral(&crs_mcp, (double[]){ 0.8, 3 }),
                                crease_spectral(&crs_squared_l2, (double[]){ 0.5 }) };
    draws d = { { 91, 1 }, 0 };
    (void)state;
    for (int trial = 0; trial < 80; trial++) {
        const crease_reg *r = &regs[trial % 4];
        const ptrdiff_t m = 1 + below(&d, 6), n = 1 + below(&d, 6);
        const crease_space s = crease_matrix(m, n);
        double v[36], g[36], x[36], y[36], *memory;
        const double scale = trial % 5 ? 1 : 0.1; /* now and then x = 0 */
        memory =
            crs_alloc((size_t)(crs_thin_scratch(m, n) + crease_reg_scratch(r, &s)), sizeof *memory);
        crs_thin f = { .u = memory };
        double *room = memory + crs_thin_scratch(m, n);
        normals(&d, m * n, scale, v);
        normals(&d, m * n, 1, g);
        assert_true(crs_spectral_prox(r, &s, 0.5, v, x, &f, room));
        r->ops->prox(r, &s, 0.5, v, y, room);
        for (ptrdiff_t j = 0; j < m * n; j++) assert_close(x[j], y[j], 1e-13);
        assert_close(crs_spectral_value(r, &f), r->ops->value(r, &s, x, room), 1e-12);
        assert_close(crs_spectral_dist(r, &f, g, room), r->ops->dist(r, &s, x, g, room), 1e-11);
        v[0] = NAN;
        assert_false(crs_spectral_prox(r, &s, 0.5, v, x, &f, room));
        assert_true(isnan(x[0]));
        crs_free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prox_is_best_and_certified),
        cmocka_unit_test(balls_are_exact),
        cmocka_unit_test(refusals_and_bad_numbers),
        cmocka_unit_test(dist_is_the_formula),
        cmocka_unit_test(noise_does_not_count),
        cmocka_unit_test(factors_say_what_the_matrix_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
