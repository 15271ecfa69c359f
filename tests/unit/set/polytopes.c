/* SPDX-License-Identifier: MIT
 * polytopes: linear oracles, supports and diameters against all vertices; ties */
#include "support/set_test.h"

enum { N = 4, MOST_VERTICES = 32, TYPES = 10 };

/* The vertices are scale times the vectors of {-1, 0, 1}^N with so many entries of each. */
typedef struct {
    crease_set set;
    double scale;
    int down[2], up[2]; /* least and most entries -1 and 1 */
    int both[2];        /* least and most entries that are not 0 */
} polytope;

static const double mixed[N] = { 2, -2, 0, 2 };

static void make_polytopes(polytope *all)
{
    const polytope made[TYPES] = {
        { crease_box(-3, 3), 3, { 0, N }, { 0, N }, { N, N } },
        { crease_linf_ball(3), 3, { 0, N }, { 0, N }, { N, N } },
        { crease_l1_ball(3), 3, { 0, 1 }, { 0, 1 }, { 1, 1 } },
        { crease_simplex(3), 3, { 0, 0 }, { 1, 1 }, { 1, 1 } },
        { crease_full_simplex(3), 3, { 0, 0 }, { 0, 1 }, { 0, 1 } },
        { crease_capped_simplex(1), 1, { 0, 0 }, { 1, 1 }, { 1, 1 } },
        { crease_capped_simplex(3), 1, { 0, 0 }, { 3, 3 }, { 3, 3 } },
        { crease_capped_simplex(4), 1, { 0, 0 }, { 4, 4 }, { 4, 4 } },
        { crease_k_sparse(3, 2), 3, { 0, 2 }, { 0, 2 }, { 2, 2 } },
        { crease_permutahedron(mixed), 2, { 1, 1 }, { 2, 2 }, { 3, 3 } },
    };
    memcpy(all, made, sizeof made);
}

static bool within(int n, const int *range) { return n >= range[0] && n <= range[1]; }

static int list_vertices(const polytope *p, double vertex[][N])
{
    int found = 0;
    for (int code = 0; code < 81; code++) {
        int down = 0, up = 0;
        for (int j = 0, rest = code; j < N; j++, rest /= 3) {
            const int digit = rest % 3 - 1;
            vertex[found][j] = p->scale * digit;
            down += digit < 0;
            up += digit > 0;
        }
        found += within(down, p->down) && within(up, p->up) && within(down + up, p->both);
        assert_true(found < MOST_VERTICES);
    }
    return found;
}

static void check_directions(const polytope *p, int count, double vertex[][N], draws *d)
{
    const crease_space s = crease_vector(N);
    for (int trial = 0; trial < 300; trial++) {
        double g[N], y[N], best = INFINITY;
        bool is_vertex = false;
        for (int j = 0; j < N; j++) g[j] = trial % 2 ? normal(d) : floor(uniform(d, 1, 4));
        assert_true(crease_lmo(&p->set, &s, g, y, NULL));
        for (int i = 0; i < count; i++) {
            best = smaller(best, crs_dot(N, g, vertex[i]));
            is_vertex = is_vertex || distance(N, 1, y, vertex[i]) == 0;
        }
        assert_true(is_vertex);
        assert_close(crs_dot(N, g, y), best, N * 0x1p-53 * 3 * p->scale);
        for (int j = 0; j < N; j++) g[j] = -g[j];
        assert_close(support_of(&p->set, &s, g), -best, N * 0x1p-53 * 3 * p->scale);
    }
}

static void oracles_agree_with_all_vertices(void **state)
{
    polytope all[TYPES];
    double vertex[MOST_VERTICES][N];
    draws d = { .r = { .seed = 21 } };
    (void)state;
    make_polytopes(all);
    for (int i = 0; i < TYPES; i++)
        check_directions(&all[i], list_vertices(&all[i], vertex), vertex, &d);
}

static void diameters_are_attained_by_vertices(void **state)
{
    static const double powers[] = { 1, 1.2, 1.5, 2, 3, 5 };
    polytope all[TYPES];
    double vertex[MOST_VERTICES][N], value;
    const crease_space s = crease_vector(N);
    (void)state;
    make_polytopes(all);
    for (int i = 0; i < TYPES * 6; i++) {
        const polytope *c = &all[i / 6];
        const int count = list_vertices(c, vertex);
        double most = 0;
        assert_true(c->set.ops->compact == (i / 6 > 0)); /* a box may have an infinite side */
        for (int k = 0; k < count * count; k++)
            most = larger(most, distance(N, powers[i % 6], vertex[k / count], vertex[k % count]));
        assert_true(crease_diameter(&c->set, &s, powers[i % 6], &value, NULL));
        assert_close(value, most, 16 * 0x1p-53);
    }
}

static void diameters_at_size_one(void **state)
{
    const double a[] = { 7 };
    const crease_set sets[] = { crease_simplex(3),     crease_full_simplex(3),
                                crease_l1_ball(3),     crease_capped_simplex(1),
                                crease_k_sparse(3, 5), crease_k_support(3, 5),
                                crease_lp_ball(3, 4),  crease_permutahedron(a),
                                crease_box(-1, 4) };
    const double expected[] = { 0, 3, 6, 0, 6, 6, 6, 0, 5 };
    const crease_space s = crease_vector(1);
    (void)state;
    for (int i = 0; i < 9; i++)
        for (double p = 1; p < 4; p += 0.5) {
            double value;
            assert_true(crease_diameter(&sets[i], &s, p, &value, NULL));
            assert_close(value, expected[i], 4 * 0x1p-53);
        }
}

static void assert_lmo(crease_set set, const double *g, const double *expected)
{
    double y[N];
    const crease_space s = crease_vector(N);
    assert_true(crease_lmo(&set, &s, g, y, NULL));
    for (int j = 0; j < N; j++)
        if (y[j] != expected[j]) fail_msg("%s: y[%d] = %g", set.ops->name, j, y[j]);
}

static void ties_go_to_the_first(void **state)
{
    const double zero[N] = { 0 }, g[N] = { 1, -2, -2, 2 }, up[N] = { 1, 2, 2, 3 };
    (void)state;
    assert_lmo(crease_box(-1, 2), zero, (double[]){ 2, 2, 2, 2 });
    assert_lmo(crease_box(-1, INFINITY), zero, (double[]){ -1, -1, -1, -1 });
    assert_lmo(crease_box(-INFINITY, INFINITY), zero, zero);
    assert_lmo(crease_box(-INFINITY, 5), zero, (double[]){ 5, 5, 5, 5 });
    assert_lmo(crease_orthant(), zero, zero);
    assert_lmo(crease_l1_ball(3), zero, zero);
    assert_lmo(crease_l1_ball(3), g, (double[]){ 0, 3, 0, 0 });
    assert_lmo(crease_linf_ball(3), (double[]){ 0, 1, -1, 0 }, (double[]){ 0, -3, 3, 0 });
    assert_lmo(crease_simplex(3), g, (double[]){ 0, 3, 0, 0 });
    assert_lmo(crease_simplex(3), zero, (double[]){ 3, 0, 0, 0 });
    assert_lmo(crease_full_simplex(3), g, (double[]){ 0, 3, 0, 0 });
    assert_lmo(crease_full_simplex(3), up, zero);
    assert_lmo(crease_full_simplex(3), zero, zero);
    assert_lmo(crease_capped_simplex(2), up, (double[]){ 1, 1, 0, 0 });
    assert_lmo(crease_k_sparse(3, 2), g, (double[]){ 0, 3, 3, 0 });
    assert_lmo(crease_k_support(5, 1), g, (double[]){ 0, 5, 0, 0 });
    assert_lmo(crease_k_support(5, 2), zero, zero);
    assert_lmo(crease_permutahedron(mixed), zero, (double[]){ 2, 2, 0, -2 });
    assert_lmo(crease_permutahedron(mixed), g, (double[]){ 0, 2, 2, -2 });
}

static void infinite_sides_give_infinite_answers(void **state)
{
    const double g[N] = { 1, -1, 0, 2 }, out[N] = { -1, 1, 0, 0 }, in[N] = { -1, 0, -2, 0 };
    const crease_space s = crease_vector(N);
    const crease_set orthant = crease_orthant();
    double value;
    (void)state;
    assert_lmo(orthant, g, (double[]){ 0, INFINITY, 0, 0 });
    assert_lmo(crease_box(-INFINITY, 5), g, (double[]){ -INFINITY, 5, 5, -INFINITY });
    assert_true(support_of(&orthant, &s, out) == INFINITY);
    assert_true(support_of(&orthant, &s, in) == 0);
    assert_true(crease_diameter(&orthant, &s, 2, &value, NULL) && value == INFINITY);
    const crease_set box = crease_box(-1, INFINITY);
    assert_true(crease_diameter(&box, &s, 2, &value, NULL) && value == INFINITY);
    assert_true(support_of(&box, &s, in) == 3);
    assert_true(excess_of(&box, &s, (double[]){ INFINITY, 0, -3, 1 }) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracles_agree_with_all_vertices),
        cmocka_unit_test(diameters_are_attained_by_vertices),
        cmocka_unit_test(diameters_at_size_one),
        cmocka_unit_test(ties_go_to_the_first),
        cmocka_unit_test(infinite_sides_give_infinite_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
