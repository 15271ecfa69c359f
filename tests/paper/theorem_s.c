/* SPDX-License-Identifier: MIT
 * theorem_s: any candidate that test S accepts keeps the bound (docs/theory.md, any candidate)
 *
 * Steps by the letter of the theorem on random nonconvex problems, with junk for candidates: every
 * trial t of length gamma has F(t) <= F(x) - (1 - gamma L) D/2, so that halving ends at gamma_min;
 * sigma sum D_k <= F(x^0) - F(x^K), and dist(-grad f(t), dr(t)) <= (L + 1/gamma) |t - x|, times the
 * diameter of the set in setting 1. */
#include <crease/certificate.h>

#include "support/core_steps.h"

enum { N = 8, DATA = 12, PROBLEMS = 300, STEPS = 40 };

static const double sigma = 1e-3;

typedef struct {
    double K[DATA * N], y[DATA], start[N];
    crease_map design;
    int block;
    crease_predictor u;
    crease_space space;
    crease_set box;
    crease_block blocks[1];
    crease_problem p;
} example;

/* Losses and penalties are >= 0: F* >= 0. */
static void draw(draws *d, example *s)
{
    const crease_reg regs[] = { crease_mcp(0.3, 2), crease_scad(0.3, 3.7), crease_l0(0.2),
                                crease_lq(0.2, 0.5), crease_zero() };
    normals(d, DATA * N, spread(d, -2, 2), s->K);
    normals(d, DATA, 2, s->y);
    normals(d, N, 1, s->start);
    s->design = crease_dense(s->K);
    s->block = 0;
    s->u = (crease_predictor){ .count = 1, .block = &s->block, .map = &s->design, .rhs = s->y };
    s->u.range = crease_vector(DATA);
    s->space = crease_vector(N);
    s->box = crease_box(-0.5, 1);
    s->blocks[0] = (crease_block){ .reg = regs[below(d, 5)], .start = s->start };
    if (below(d, 2)) s->blocks[0].set = &s->box;
    s->p = (crease_problem){ .count = 1, .space = &s->space, .block = s->blocks };
    switch (below(d, 4)) {
    case 0:
        s->p.f = crease_least_squares(&s->u);
        break;
    case 1:
        s->p.f = crease_cauchy(&s->u);
        break;
    case 2:
        s->p.f = crease_welsch(&s->u);
        break;
    default:
        for (int i = 0; i < DATA; i++) s->y[i] = s->y[i] > 0 ? 1 : -1;
        s->p.f = crease_logistic(&s->u);
    }
}

/* |K|^2 max |phi''|, by power steps that have converged. */
static double lipschitz(const example *s, const crs_term *t)
{
    double x[N], u[DATA], square_of = 0;
    const crs_range line = { -INFINITY, INFINITY }, bend = loss_bend(t->loss, t->par, line);
    fill(N, 1, x);
    for (int k = 0; k < 3000; k++) {
        const double length = crs_norm(N, x);
        for (int j = 0; j < N; j++) x[j] /= length;
        for (int i = 0; i < DATA; i++) u[i] = crs_dot(N, s->K + i * N, x);
        square_of = crs_dot(DATA, u, u);
        fill(N, 0, x);
        for (int i = 0; i < DATA; i++)
            for (int j = 0; j < N; j++) x[j] += s->K[i * N + j] * u[i];
    }
    return (1 + 1e-6) * square_of * larger(fabs(bend.low), fabs(bend.high));
}

typedef struct {
    const crs_composite *c;
    double L, diameter, gamma, first, F, D, sum;
    double x[N], g[N], t[N], gt[N], w[N], u[DATA];
    long taken, offered, halvings;
} walk;

static double objective(walk *s, const double *x, double *g)
{
    return crs_smooth_both(s->c, x, s->u, g) + crs_nonsmooth_part(s->c, x);
}

/* t, D and the residual at t; returns F(t). */
static double trial(walk *s)
{
    double v[N], slack;
    for (int j = 0; j < N; j++) v[j] = s->x[j] - s->gamma * s->g[j];
    crs_prox(s->c, &s->gamma, v, s->t);
    s->D = 0;
    for (int j = 0; j < N; j++) s->D += square(s->t[j] - s->x[j]) / s->gamma;
    const double Ft = objective(s, s->t, s->gt);
    const double promised = s->F - (1 - s->gamma * s->L) * s->D / 2;
    if (!(Ft <= promised + 1e-12 * (1 + fabs(s->F)))) fail_msg("F(t) %g > %g", Ft, promised);
    slack = 1e-10 * (1 + crs_norm(N, s->g) + crs_norm(N, s->x) / s->gamma);
    const double r = crs_block_residual(s->c, 0, s->t, s->gt);
    const double most = s->diameter * (s->L + 1 / s->gamma) * sqrt(s->gamma * s->D);
    if (!(r <= most + slack)) fail_msg("residual %.17g > %.17g", r, most);
    return Ft;
}

/* Junk inside the sets: far away, near x, beyond t, with zeros; or a step that gains too little. */
static void junk(walk *s, draws *d)
{
    double v[N];
    const bool timid = below(d, 4) == 0, far = !timid && below(d, 4) == 0;
    const double tiny = 1e-12, away = timid ? 0 : spread(d, -8, 1);
    const double along = timid ? uniform(d, 0, 1e-3) : uniform(d, -1, 3);
    for (int j = 0; j < N; j++) {
        const double to = s->x[j] + along * (s->t[j] - s->x[j]);
        v[j] = far ? 3 * normal(d) : to + (below(d, 2) ? away * normal(d) : 0);
        if (!timid && below(d, 4) == 0) v[j] = 0;
    }
    crs_prox(s->c, &tiny, v, s->w); /* which is next to a projection */
}

static void one_step(walk *s, draws *d, double gamma_min)
{
    double g[N], Ft = trial(s), F;
    junk(s, d);
    s->offered++;
    F = objective(s, s->w, g);
    if (crs_accepted(s->F, F, s->D)) {
        s->taken++;
        copy(N, s->w, s->x), copy(N, g, s->g);
    } else {
        for (; !crs_accepted(s->F, Ft, s->D); Ft = trial(s)) s->gamma /= 2, s->halvings++;
        if (!(s->gamma >= gamma_min * (1 - 1e-6)))
            if (s->D > 1e-9 * fabs(s->F)) /* what rounding decides is not the theorem's */
                fail_msg("gamma %g < %g", s->gamma, gamma_min);
        copy(N, s->t, s->x), copy(N, s->gt, s->g);
        F = Ft;
    }
    assert_true(sigma * s->D <= s->F - F + 1e-13 * s->F);
    s->sum += s->D;
    s->F = F;
}

static void junk_that_passes_test_s_keeps_every_bound(void **state)
{
    draws d = { { 61, 1 }, 0 };
    long taken = 0, offered = 0, halvings = 0;
    (void)state;
    for (int k = 0; k < PROBLEMS; k++) {
        crs_work work = { 0 };
        crease_error e;
        example s;
        draw(&d, &s);
        crs_composite *c = crs_composite_new(&s.p, 0, &work, NULL, &e);
        if (!c) fail_msg("%s", e.text);
        walk w = { .c = c, .L = lipschitz(&s, &c->term[0]), .diameter = 1 };
        if (crease_setting(&s.p, 0, NULL) == 1) w.diameter = 1.5 * sqrt(N);
        w.gamma = smaller(spread(&d, -2, 3) / w.L, 0.99 * c->step[0]);
        const double gamma_min = smaller(w.gamma, (1 - 2 * sigma) / (2 * w.L));
        copy(N, c->start, w.x);
        w.first = w.F = objective(&w, w.x, w.g);
        double least = INFINITY;
        for (int j = 1; j <= STEPS; j++) {
            one_step(&w, &d, gamma_min);
            least = smaller(least, w.D);
            assert_true(least <= (w.first - 0) / (sigma * j) * (1 + 1e-9));
            assert_true(sigma * w.sum <= w.first - w.F + 1e-13 * j * w.first);
        }
        taken += w.taken, offered += w.offered, halvings += w.halvings;
        crs_composite_free(c);
    }
    print_message("%d problems: %ld of %ld junk candidates taken, %ld halvings\n", PROBLEMS, taken,
                  offered, halvings);
    assert_true(taken > offered / 20 && taken < offered && halvings > PROBLEMS / 10);
}

/* At most so many steps; the objective is what the definitions say. */
static void turn(core_steps *r, const crease_problem *p, long most)
{
    double F;
    const double *x[CORE_BLOCKS];
    core_go(r, most);
    for (int i = 0; i < p->count; i++) x[i] = r->now.x + r->c->at[i];
    assert_true(crease_objective(p, x, &F, NULL));
    assert_close(r->now.objective, F, 1e-11);
}

/* Any core that takes the problem. */
static const crs_core *some_core(draws *d, const crease_problem *p)
{
    crs_work work = { 0 };
    crs_composite *c = crs_composite_new(p, 0, &work, NULL, NULL);
    int count = 0;
    assert_non_null(c);
    while (crs_core_at(c, count)) count++;
    const crs_core *core = crs_core_at(c, (int)below(d, count));
    crs_composite_free(c);
    return core;
}

/* Cores in any order, each from where the last one stood. */
static void cores_that_take_turns_only_descend(void **state)
{
    draws d = { { 62, 1 }, 0 };
    long steps = 0, ended = 0;
    (void)state;
    for (int k = 0; k < PROBLEMS; k++) {
        double x[N], before = INFINITY;
        core_steps r;
        example s;
        draw(&d, &s);
        for (int turns = 0; turns < 8; turns++) {
            if (turns > 0) s.blocks[0].start = x;
            core_begin(&r, some_core(&d, &s.p), &s.p, 1e-7, NULL);
            if (!(r.now.objective <= before + 1e-12 * (1 + fabs(before))))
                fail_msg("problem %d: %s begins at %g, above %g", k, r.core->name, r.now.objective,
                         before);
            turn(&r, &s.p, 1 + below(&d, 4));
            before = r.now.objective;
            steps += r.steps;
            copy(N, r.now.x, x);
            ended += turns == 7 && core_certified(&r, &s.p) <= 1e-6;
            core_end(&r);
        }
    }
    print_message("%ld steps of cores in turn, %ld of %d problems ended\n", steps, ended, PROBLEMS);
    assert_true(ended > PROBLEMS / 2);
}

/* T near rank 2 with nonnegative or sparse factors; or x - y near T, x of low rank. */
static void cores_of_several_blocks_only_descend(void **state)
{
    enum { SIDE = 5, ALL = SIDE * SIDE * SIDE };
    static const int factor[] = { 0, 1, 2 };
    static const crease_space cube = { 3, { SIDE, SIDE, SIDE }, NULL };
    draws d = { { 63, 1 }, 0 };
    long steps = 0, by_gauss = 0, by_alternation = 0;
    (void)state;
    for (int k = 0; k < 120; k++) {
        const bool pair = k % 2;
        const crease_reg regs[] = { crease_nonneg_indicator(), crease_l1(0.3), crease_mcp(0.4, 2),
                                    crease_l0(0.3), crease_zero() };
        double T[ALL], start[3][ALL];
        const crease_cp_data cp = { cube, 2, factor, -1, T, 1e-2 };
        const crease_distance_data gap = { 0, 1, spread(&d, -1, 2), T };
        crease_space space[3];
        crease_block block[3];
        core_steps r;
        normals(&d, ALL, 2, T);
        for (int i = 0; i < 3; i++) {
            space[i] = pair ? crease_matrix(SIDE, SIDE) : crease_matrix(SIDE, 2);
            block[i] = (crease_block){ .reg = regs[below(&d, pair ? 5 : 3)], .start = start[i] };
            normals(&d, ALL, 1, start[i]);
        }
        if (pair) block[0].reg = k % 4 == 1 ? crease_nuclear(1) : crease_rank(1);
        crease_problem p = { .count = pair ? 2 : 3, .space = space, .block = block };
        p.f = pair ? crease_squared_distance(&gap) : crease_cp(&cp);
        for (int turns = 0; turns < 6; turns++) {
            core_begin(&r, some_core(&d, &p), &p, 1e-7, NULL);
            turn(&r, &p, 3);
            steps += r.steps;
            by_gauss += r.core == &crs_core_gauss_newton;
            by_alternation += r.core == &crs_core_alternation;
            for (int i = 0; i < p.count; i++)
                copy(crs_block_size(r.c, i), r.now.x + r.c->at[i], start[i]);
            core_end(&r);
        }
    }
    print_message("%ld steps; %ld turns of gauss-newton, %ld of alternation\n", steps, by_gauss,
                  by_alternation);
    assert_true(by_gauss > 50 && by_alternation > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(junk_that_passes_test_s_keeps_every_bound),
        cmocka_unit_test(cores_that_take_turns_only_descend),
        cmocka_unit_test(cores_of_several_blocks_only_descend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
