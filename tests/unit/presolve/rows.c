/* SPDX-License-Identifier: MIT
 * rows: whatever point comes back is doubly stochastic to 1e-14, one that is so stays as it is, and
 * none moves further than a few times what it lacks */
#include "support/presolved.h"

enum { MOST = 7 };

typedef struct {
    double target[MOST * MOST];
    crease_distance_data distance;
    crease_space space;
    crease_set set;
    crease_block block;
    crease_problem p;
} example;

static void make(example *s, draws *d, ptrdiff_t n)
{
    normals(d, n * n, 1, s->target);
    s->distance = (crease_distance_data){ 0, -1, 1.5, s->target };
    s->space = crease_matrix(n, n);
    s->set = crease_birkhoff();
    s->block = (crease_block){ .set = &s->set };
    s->p = (crease_problem){ .count = 1, .space = &s->space, .block = &s->block };
    s->p.f = crease_squared_distance(&s->distance);
}

/* The largest of |row sum - 1|, |column sum - 1| and -entry. */
static double off(ptrdiff_t n, const double *X)
{
    double worst = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double row = -1, column = -1;
        for (ptrdiff_t j = 0; j < n; j++) {
            row += X[i * n + j], column += X[j * n + i];
            worst = larger(worst, -X[i * n + j]);
        }
        worst = larger(worst, larger(fabs(row), fabs(column)));
    }
    return worst;
}

/* An average of permutations. */
static void draw_inside(draws *d, ptrdiff_t n, double *X)
{
    fill(n * n, 0, X);
    for (int k = 0; k < 4; k++) {
        const ptrdiff_t by = below(d, n);
        for (ptrdiff_t i = 0; i < n; i++) X[i * n + (i + by) % n] += 0.25;
    }
}

static void what_comes_back_is_doubly_stochastic(void **state)
{
    draws d = { { 83, 1 }, 0 };
    double worst = 0;
    long cases = 0;
    (void)state;
    for (int k = 0; k < 400; k++, cases++) {
        const ptrdiff_t n = 1 + below(&d, MOST);
        example s;
        presolved r;
        double inside[MOST * MOST], lacks, moved = 0;
        make(&s, &d, n);
        presolved_open(&r, &s.p);
        assert_int_equal(r.plan->count, 1);
        const double far = spread(&d, -30, 2);
        draw_inside(&d, n, inside);
        for (ptrdiff_t j = 0; j < n * n; j++) r.x[j] = inside[j] + (k % 8 ? far * normal(&d) : 0);
        lacks = off(n, r.x);
        presolved_back(&r);
        worst = larger(worst, off(n, r.X));
        for (ptrdiff_t j = 0; j < n * n; j++) moved = larger(moved, fabs(r.X[j] - r.x[j]));
        if (!(off(n, r.X) <= 1e-14)) fail_msg("%td: off by %g", n, off(n, r.X));
        if (!(moved <= 4 * (double)n * lacks + 1e-15)) fail_msg("moved %g for %g", moved, lacks);
        presolved_close(&r);
    }
    print_message("%ld points, the worst is off by %g\n", cases, worst);
}

/* The rows of the reduced problem hold exactly at doubly stochastic matrices. */
static void the_rows_say_what_the_set_says(void **state)
{
    draws d = { { 84, 1 }, 0 };
    (void)state;
    for (int k = 0; k < 100; k++) {
        const ptrdiff_t n = 1 + below(&d, MOST);
        example s;
        presolved r;
        make(&s, &d, n);
        presolved_open(&r, &s.p);
        draw_inside(&d, n, r.x);
        assert_true(presolved_gap(&r) <= 1e-15);
        const ptrdiff_t at = below(&d, n * n);
        r.x[at] += 0.1;
        assert_true(presolved_gap(&r) >= 0.0999);
        presolved_close(&r);
    }
}

/* f concave: the linear oracle finds vertices, and rows would not; gcg's. */
static void a_concave_f_keeps_the_set(void **state)
{
    draws d = { { 85, 1 }, 0 };
    example s;
    presolved r;
    (void)state;
    make(&s, &d, 4);
    s.distance.weight = -1;
    presolved_open(&r, &s.p);
    assert_int_equal(r.plan->count, 0);
    assert_null(crs_core_at(r.plan->c, 0));
    presolved_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_back_is_doubly_stochastic),
        cmocka_unit_test(the_rows_say_what_the_set_says),
        cmocka_unit_test(a_concave_f_keeps_the_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
