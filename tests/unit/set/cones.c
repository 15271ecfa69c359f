/* SPDX-License-Identifier: MIT
 * cones: rows on a box, cones, and the l0 and rank balls against their definitions: projections by
 * the variational inequality, distances to normals that are attained and never above those of
 * normals, P(x + n) = x, the fractional knapsack against all vertices, refusals by their sentence
 */
#include <stdlib.h>

#include "dense/dense.h"
#include "support/set_test.h"

enum { DRAWS = 300, N = 6 };

static const double slanted[9] = { 0.9, -0.4, 0.3, 1.2, 0, -0.7, 0.5, -1, 0.2 };

/* Convex sets with normals, on vectors of nine entries or matrices of 3 x 3. */
static int convex_sets(crease_set *list)
{
    int n = 0;
    list[n++] = crease_half_space(slanted, 0.4);
    list[n++] = crease_hyperplane(slanted, -0.3);
    list[n++] = crease_box_hyperplane(-0.6, 0.9, slanted, 0.2);
    list[n++] = crease_soc();
    list[n++] = crease_psd();
    list[n++] = crease_orthant();
    list[n++] = crease_box(-0.3, 0.4);
    list[n++] = crease_linf_ball(0.5);
    list[n++] = crease_simplex(1.3);
    list[n++] = crease_full_simplex(0.8);
    list[n++] = crease_capped_simplex(3);
    return n;
}

static crease_space space_of(const crease_set *c)
{
    return c->ops->matrix ? crease_matrix(3, 3) : crease_vector(9);
}

static double normal_distance(const crease_set *c, const crease_space *s, const double *x,
                              const double *v)
{
    double *work = calloc((size_t)crease_set_scratch(c, s) + 1, sizeof *work);
    assert_non_null(work);
    const double d = c->ops->dist_normal(c, s, x, v, work);
    free(work);
    return d;
}

/* With T the tangent cone at x, dist(w, N) = |P_T(w)| (Moreau), the limit of |P(x + h w) - x|/h as
 * h falls to 0, which grows on the way. Polyhedra are there at some h; curved sets are off by
 * h times their curvature, at most 1/(the least of sizes here). */
static void distances_to_normals_are_attained(void **state)
{
    const double h = 1e-7;
    draws d = { { 51, 0 }, 0 };
    crease_set sets[16];
    (void)state;
    for (int k = 0, count = convex_sets(sets); k < DRAWS * count; k++) {
        const crease_set *c = &sets[k % count];
        const crease_space s = space_of(c);
        double x[9], w[9], z[9], step = 0;
        for (int j = 0; j < 9; j++) x[j] = normal(&d), w[j] = normal(&d);
        assert_true(crease_project(c, &s, x, x, NULL));
        const double dist = normal_distance(c, &s, x, w);
        for (int j = 0; j < 9; j++) z[j] = x[j] + h * w[j];
        assert_true(crease_project(c, &s, z, z, NULL));
        for (int j = 0; j < 9; j++) step = hypot(step, (z[j] - x[j]) / h);
        assert_at_most(step - dist, 1e-7);
        assert_at_most(dist - step, 2e-3);
    }
}

/* u - P(u) is a normal at P(u), all its multiples are, and P takes x + n back to x. */
static void what_a_projection_leaves_is_normal(void **state)
{
    draws d = { { 52, 0 }, 0 };
    crease_set sets[16];
    (void)state;
    for (int k = 0, count = convex_sets(sets); k < DRAWS * count; k++) {
        const crease_set *c = &sets[k % count];
        const crease_space s = space_of(c);
        double x[9], n[9], w[9], z[9];
        const double factor = pow(10, uniform(&d, -2, 2));
        for (int j = 0; j < 9; j++) n[j] = 2 * normal(&d), w[j] = normal(&d);
        assert_true(crease_project(c, &s, n, x, NULL));
        for (int j = 0; j < 9; j++) n[j] = factor * (n[j] - x[j]), z[j] = x[j] + n[j];
        const double size = 10 + crs_norm(9, n) + factor * (10 + crs_norm(9, x));
        assert_at_most(normal_distance(c, &s, x, n), 1e-13 * size);
        assert_true(crease_project(c, &s, z, z, NULL));
        for (int j = 0; j < 9; j++) z[j] -= x[j];
        assert_at_most(crs_norm(9, z), 1e-13 * size);
        for (int j = 0; j < 9; j++) z[j] = w[j] - n[j];
        assert_at_most(normal_distance(c, &s, x, w), crs_norm(9, z) + 1e-13 * size);
    }
}

/* Known cases: a vertex, an edge and the inside of each. */
static void normals_of_known_points(void **state)
{
    const crease_space three = crease_vector(3), two = crease_matrix(2, 2);
    const crease_set soc = crease_soc(), psd = crease_psd();
    const crease_set half = crease_half_space((double[]){ 1, 2, 2 }, 9);
    const double apex[] = { 0, 0, 0 }, edge[] = { 3, 4, 5 }, inside[] = { 0, 1, 2 };
    const double v[] = { 3, 4, -5 }, up[] = { 0, 0, 1 }, flat[] = { 1, 0, 0 };
    const double one[] = { 1, 0, 0, 0 }, t[] = { 2, 5, 3, -1 }, pushed[] = { 0, 1, -1, 3 };
    (void)state;
    assert_true(normal_distance(&soc, &three, apex, v) == 0);
    assert_close(normal_distance(&soc, &three, apex, up), 1, 1e-15);
    assert_close(normal_distance(&soc, &three, apex, flat), sqrt(0.5), 1e-15);
    assert_close(normal_distance(&soc, &three, edge, v), 0, 1e-14);
    assert_close(normal_distance(&soc, &three, edge, up), 1, 1e-15);
    assert_close(normal_distance(&soc, &three, inside, v), sqrt(50), 1e-15);
    assert_close(normal_distance(&psd, &two, one, t), sqrt(4 + 2 * 16), 1e-14);
    assert_close(normal_distance(&psd, &two, one, pushed), 3, 1e-14);
    const double on[] = { 1, 2, 2 }, below[] = { 1, 2, 1 }, in[] = { -1, -2, -2 };
    assert_close(normal_distance(&half, &three, on, on), 0, 1e-15);
    assert_close(normal_distance(&half, &three, on, in), 3, 1e-15);
    assert_close(normal_distance(&half, &three, below, on), 3, 1e-15);
}

/* All sets of k entries that hold those of x: the normals there vanish on one of them. */
static void normals_of_the_l0_ball_are_those_of_the_definition(void **state)
{
    draws d = { { 53, 0 }, 0 };
    const crease_space s = crease_vector(N);
    (void)state;
    for (int trial = 0; trial < DRAWS; trial++) {
        const int k = 1 + (int)uniform(&d, 0, N);
        const crease_set c = crease_l0_ball(k);
        double x[N], v[N], least = INFINITY;
        unsigned used = 0;
        for (int j = 0; j < N; j++) x[j] = 0, v[j] = uniform(&d, 0, 1) < 0.2 ? 0 : normal(&d);
        for (int j = 0; j < k; j++) x[(int)uniform(&d, 0, N)] = normal(&d);
        for (int j = 0; j < N; j++) used |= (unsigned)(x[j] != 0) << j;
        for (unsigned set = 0; set < 1u << N; set++) {
            double sum = 0;
            int count = 0;
            for (int j = 0; j < N; j++)
                if (set >> j & 1) count++, sum += v[j] * v[j];
            if (count == k && (set & used) == used) least = smaller(least, sqrt(sum));
        }
        assert_close(normal_distance(&c, &s, x, v), least, 1e-14);
        assert_true(excess_of(&c, &s, x) == 0);
        double p[N], best = 0; /* the projection keeps as much as any k entries */
        assert_true(crease_project(&c, &s, v, p, NULL));
        for (unsigned set = 0; set < 1u << N; set++) {
            double sum = 0;
            int count = 0;
            for (int j = 0; j < N; j++)
                if (set >> j & 1) count++, sum += v[j] * v[j];
            if (count == k) best = larger(best, sum);
        }
        assert_close(crs_dot(N, p, p), best, 1e-14);
    }
}

/* t = U'Z + .. of known singular vectors: diag matrices turned by orthogonal ones. */
static void normals_of_the_rank_ball_are_those_of_the_definition(void **state)
{
    draws d = { { 54, 0 }, 0 };
    enum { M = 4, K = 3 };
    const crease_space s = crease_matrix(M, K);
    (void)state;
    for (int trial = 0; trial < DRAWS; trial++) {
        const int k = 1 + trial % K, r = trial / K % (k + 1);
        const crease_set ball = crease_rank_ball(k), *c = &ball;
        double g[M * K], work[400], x[M * K] = { 0 }, n[M * K] = { 0 }, t[M * K], w[M * K], sum = 0;
        crs_thin f;
        for (int j = 0; j < M * K; j++) g[j] = normal(&d), w[j] = normal(&d);
        assert_true(crs_thin_scratch(M, K) <= 400 && crs_thin_svd(M, K, g, work, &f));
        for (int l = 0; l < K; l++) { /* r terms of x, K - k of a normal, k - r that are too many */
            const double size = 1 + uniform(&d, 0, 1), few = 0.1 + 0.1 * l;
            const bool in_x = l < r, in_n = l >= r && l < r + K - k;
            sum += in_x || in_n ? 0 : few * few;
            for (int i = 0; i < M; i++)
                for (int j = 0; j < K; j++) {
                    const double one = f.u[i * K + l] * f.vt[l * K + j];
                    x[i * K + j] += in_x ? size * one : 0;
                    n[i * K + j] += in_n ? size * one : 0;
                    t[i * K + j] = (l == 0 ? 0 : t[i * K + j]) + (in_n   ? size * one
                                                                  : in_x ? 0
                                                                         : few * one);
                }
        }
        assert_close(normal_distance(c, &s, x, n), 0, 1e-13);
        assert_close(normal_distance(c, &s, x, t), sqrt(sum), 1e-13);
        assert_true(excess_of(c, &s, x) == 0);
        double away = 0, back[M * K];
        for (int j = 0; j < M * K; j++) away = hypot(away, w[j] - n[j]);
        assert_at_most(normal_distance(c, &s, x, w), away + 1e-13);
        if (r < k) continue;
        for (int j = 0; j < M * K; j++) back[j] = x[j] + 0.1 * n[j];
        assert_true(crease_project(c, &s, back, back, NULL));
        for (int j = 0; j < M * K; j++) back[j] -= x[j];
        assert_at_most(crs_norm(M * K, back), 1e-13);
    }
}

/* A vertex of the box and the row: all entries but one at an end, that one by the row. */
static double best_vertex(ptrdiff_t n, const crease_row *r, const double *w)
{
    double most = -INFINITY;
    for (ptrdiff_t free = 0; free < n; free++)
        for (unsigned ends = 0; r->a[free] != 0 && ends < 1u << n; ends++) {
            double rest = r->b, value = 0;
            for (ptrdiff_t j = 0; j < n; j++) {
                const double x = ends >> j & 1 ? r->box.upper[j] : r->box.lower[j];
                if (j != free) rest -= r->a[j] * x, value += w[j] * x;
            }
            const double x = rest / r->a[free];
            if (x >= r->box.lower[free] - 1e-12 && x <= r->box.upper[free] + 1e-12)
                most = larger(most, value + w[free] * x);
        }
    return most;
}

static void the_knapsack_is_the_best_vertex(void **state)
{
    draws d = { { 55, 0 }, 0 };
    const crease_space s = crease_vector(N);
    (void)state;
    for (int trial = 0; trial < DRAWS; trial++) {
        double a[N], low[N], high[N], w[N], y[N], x[N];
        for (int j = 0; j < N; j++) {
            a[j] = uniform(&d, 0, 1) < 0.2 ? 0 : normal(&d);
            low[j] = normal(&d), high[j] = low[j] + uniform(&d, 0, 2);
            w[j] = uniform(&d, 0, 1) < 0.2 && j > 0 ? a[j] * 0.7 : normal(&d); /* ties */
            x[j] = uniform(&d, low[j], high[j]);
        }
        if (crs_norm(N, a) == 0) continue;
        const crease_row row = { { 0, 0, low, high }, a, crs_dot(N, a, x), true };
        const crease_set box_row = crease_box_hyperplane_array(&row), *c = &box_row;
        const double most = best_vertex(N, &row, w);
        assert_close(support_of(c, &s, w), most, 1e-12);
        for (int j = 0; j < N; j++) w[j] = -w[j];
        assert_oracle(c, &s, w, x);
        assert_true(crease_lmo(c, &s, w, y, NULL));
        assert_close(-crs_dot(N, w, y), most, 1e-12);
        for (int j = 0; j < N; j++) w[j] *= pow(10, uniform(&d, -3, 3));
        assert_projection(c, &s, w);
        assert_firm(c, &s, w, y);
        double z[N], diameter;
        assert_true(crease_diameter(c, &s, 1, &diameter, NULL));
        for (int j = 0; j < N; j++) z[j] = normal(&d);
        assert_true(crease_lmo(c, &s, z, z, NULL));
        assert_at_most(distance(N, 1, y, z), diameter * (1 + 1e-12) + 1e-12);
    }
}

/* The diameter of 0 <= x <= 1, sum x = k is that of the capped simplex. */
static void the_row_is_known_to_the_diameter(void **state)
{
    const double ones[] = { 1, 1, 1, 1, 1 };
    const crease_space s = crease_vector(5);
    (void)state;
    for (int k = 1; k <= 5; k++)
        for (double p = 1; p < 4; p += 0.5) {
            const crease_set row = crease_box_hyperplane(0, 1, ones, k);
            const crease_set capped = crease_capped_simplex(k);
            double is = NAN, should = NAN;
            assert_true(crease_diameter(&row, &s, p, &is, NULL));
            assert_true(crease_diameter(&capped, &s, p, &should, NULL));
            assert_close(is, should, 1e-14);
        }
}

static void refused(const crease_set *c, const crease_space *s, const char *why)
{
    crease_error e;
    assert_false(crease_set_check(c, s, &e));
    if (!strstr(e.text, why)) fail_msg("%s", e.text);
}

static void bad_rows_are_refused_by_a_sentence(void **state)
{
    const double zero[3] = { 0 }, odd[] = { 1, NAN, 1 }, ones[] = { 1, 1, 1 };
    const crease_space s = crease_vector(3), flat = crease_matrix(2, 3);
    const crease_row wide = { { -INFINITY, 1, NULL, NULL }, ones, 1, true };
    const crease_set none = crease_half_space(NULL, 1), no_row = crease_half_space(zero, 1);
    const crease_set strange = crease_hyperplane(odd, 1);
    const crease_set empty = crease_box_hyperplane(0, 1, ones, 4);
    const crease_set endless = crease_box_hyperplane_array(&wide), psd = crease_psd();
    (void)state;
    refused(&none, &s, "the vector a is missing; give 3 numbers");
    refused(&no_row, &s, "all entries of a are 0");
    refused(&strange, &s, "entry 2 of a is nan");
    refused(&empty, &s, "between 0 and 3 on the box, so it is never b = 4");
    refused(&endless, &s, "entry 1 has the bounds -inf and 1; give two finite numbers");
    refused(&psd, &flat, "square matrices");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_to_normals_are_attained),
        cmocka_unit_test(what_a_projection_leaves_is_normal),
        cmocka_unit_test(normals_of_known_points),
        cmocka_unit_test(normals_of_the_l0_ball_are_those_of_the_definition),
        cmocka_unit_test(normals_of_the_rank_ball_are_those_of_the_definition),
        cmocka_unit_test(the_knapsack_is_the_best_vertex),
        cmocka_unit_test(the_row_is_known_to_the_diameter),
        cmocka_unit_test(bad_rows_are_refused_by_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
