/* SPDX-License-Identifier: MIT
 * unsplit: differences that were split off come back with their multiplier: at a solution of the
 * problem without them the user's certificate is small, whatever the scales of the constraint; what
 * only looks like such a splitting stays */
#include "support/presolved.h"

enum { N = 12, DATA = 24 };

typedef struct {
    draws d;
    double K[DATA * N], y[DATA], b[N], vectors[N];
    int x, both[2];
    crease_map D, design[2];
    crease_predictor u;
    crease_space space[2];
    crease_set box;
    crease_block block[2];
    crease_problem p;
} example;

/* c D x + s z = 0, (1/2)|K x - y|^2 + lambda |z|_1, with mu |x|_1 or without; x the first or the
 * second block. */
static void draw(example *s, uint64_t seed)
{
    *s = (example){ .d = { { 82, seed }, 0 } };
    draws *d = &s->d;
    const int z = (int)below(d, 2);
    s->x = 1 - z;
    normals(d, DATA * N, 1, s->K);
    normals(d, DATA, 2, s->y);
    s->D = crease_finite_difference(0);
    s->design[0] = crease_dense(s->K);
    s->both[0] = s->x, s->both[1] = z;
    s->space[s->x] = crease_vector(N);
    s->space[z] = crease_vector(N - 1);
    s->block[s->x] = (crease_block){ .map = crease_map_scaled(uniform(d, 0.5, 3), &s->D) };
    if (below(d, 2)) s->block[s->x].map = s->D;
    if (below(d, 2)) s->block[s->x].reg = crease_l1(spread(d, -2, 1));
    s->block[z] = (crease_block){ .reg = crease_l1(spread(d, -3, 1)),
                                  .map = crease_identity(uniform(d, -2, -0.5)) };
    if (below(d, 2)) s->block[z].map = crease_identity(uniform(d, 0.5, 2));
    s->u = (crease_predictor){ .count = 1, .block = &s->x, .map = s->design, .rhs = s->y };
    s->u.range = crease_vector(DATA);
    s->p = (crease_problem){ .count = 2, .space = s->space, .block = s->block };
    s->p.f = crease_least_squares(&s->u);
    s->p.range = crease_vector(N - 1);
    s->box = crease_box(-1, 1);
}

/* Proximal gradient steps, by this file alone; the problem without z is convex. */
static void solve(presolved *r)
{
    const crs_composite *c = r->plan->c;
    double g[N], v[N], u[DATA], L = 0;
    for (ptrdiff_t k = 0; k < DATA * N; k++) L += square(c->term[0].part[0].matrix->value[k]);
    const double gamma = 1 / L;
    for (int k = 0; k < 20000; k++) {
        crs_smooth_both(c, r->x, u, g);
        for (int j = 0; j < N; j++) v[j] = r->x[j] - gamma * g[j];
        crs_prox(c, &gamma, v, r->x);
    }
}

static void solutions_come_back_as_solutions(void **state)
{
    enum { CASES = 60 };
    double worst = 0;
    long jumps = 0, penalized = 0;
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        example s;
        presolved r;
        draw(&s, seed);
        presolved_open(&r, &s.p);
        assert_int_equal(r.plan->count, 1);
        assert_null(r.plan->c->constraint);
        solve(&r);
        presolved_back(&r);
        for (int j = 0; j + 1 < N; j++) jumps += r.x[j] != r.x[j + 1];
        penalized += s.block[s.x].reg.ops != NULL;
        if (!(r.c.worst <= 1e-8)) fail_msg("problem %d: %g", (int)seed, r.c.worst);
        worst = larger(worst, r.c.worst);
        presolved_close(&r);
    }
    print_message("%d problems, %ld with a penalty on x, %ld jumps, worst residual %g\n", CASES,
                  penalized, jumps, worst);
    assert_true(jumps > CASES && jumps < CASES * (N - 1));
}

static void stays(const example *s, const char *why)
{
    presolved r;
    presolved_open(&r, &s->p);
    for (int k = 0; k < r.plan->count; k++)
        if (strstr(r.plan->step[k].text, "un-split")) fail_msg("%s: %s", why, r.plan->step[k].text);
    presolved_close(&r);
}

static void what_only_looks_like_a_splitting_stays(void **state)
{
    (void)state;
    for (uint64_t seed = 100; seed < 140; seed++) {
        example s, t;
        draw(&s, seed);
        const int x = s.x, z = 1 - x;
        s.b[N / 2] = 1;
        s.p.rhs = s.b;
        stays(&s, "a right-hand side");
        s.p.rhs = NULL;
        s.block[x].reg = crease_mcp(0.1, 2);
        stays(&s, "another penalty on x");
        s.block[x].reg = crease_zero();
        s.block[x].set = &s.box;
        stays(&s, "a box for x");
        s.block[x].set = NULL;
        s.block[z].set = &s.box;
        stays(&s, "a box for z");
        s.block[z].set = NULL;
        s.block[z].reg = crease_mcp(0.3, 2);
        stays(&s, "another penalty on z");
        s.block[z].reg = crease_l1(0.3);
        const crease_distance_data own = { z, -1, 1, NULL };
        s.p.f = crease_squared_distance(&own);
        stays(&s, "a term with z");
        draw(&t, seed);
        for (int j = 0; j < N; j++) t.vectors[j] = 1 + j;
        t.block[1 - t.x].map = crease_diagonal(t.vectors);
        stays(&t, "a diagonal on z");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_come_back_as_solutions),
        cmocka_unit_test(what_only_looks_like_a_splitting_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
