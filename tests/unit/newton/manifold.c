/* SPDX-License-Identifier: MIT
 * manifold: Newton's method on free coordinates ends stationary for every separable penalty, never
 * raises F, finds the minimum of convex problems, and ends on data that are no numbers */
#include "support/core_run.h"

enum { N = 20, ROWS = 36, LOSSES = 6, REGS = 9, NONZEROS = 120 };

typedef struct {
    double K[ROWS * N], rhs[ROWS], labels[ROWS], weight[ROWS], start[2 * N], value[NONZEROS];
    double Q[N * N];
    ptrdiff_t row_start[ROWS + 1], col[NONZEROS];
    crease_csr_matrix csr;
    crease_map map[2];
    int block[2], zero;
    crease_predictor p;
    const double *form;
    crease_quadratic_data quadratic;
    crease_distance_data ridge;
    crease_smooth term[2];
    crease_smooth_list list;
    crease_space space[2];
    crease_block blocks[2];
    crease_set box;
    crease_problem problem;
} example;

static void draw_data(draws *d, example *s)
{
    normals(d, ROWS * N, 0.4, s->K);
    normals(d, ROWS, 1, s->rhs);
    normals(d, 2 * N, 0.3, s->start);
    for (int j = 0; j < 2 * N; j++) s->start[j] = clip(s->start[j], -0.5, 1);
    for (int i = 0; i < ROWS; i++) s->labels[i] = s->rhs[i] > 0 ? 1 : -1;
    for (int i = 0; i < ROWS; i++) s->weight[i] = uniform(d, 0, 2);
    for (ptrdiff_t i = 0, k = 0; i < ROWS; i++) {
        s->row_start[i] = k;
        for (ptrdiff_t e = below(d, 5); e > 0 && k < NONZEROS; e--, k++)
            s->value[k] = normal(d), s->col[k] = below(d, N);
        s->row_start[i + 1] = k;
    }
    s->csr = (crease_csr_matrix){ ROWS, N, s->row_start, s->col, s->value };
    fill(N * N, 0, s->Q);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < ROWS; k++) {
                s->Q[i * N + j] += 0.1 * s->K[k * N + i] * s->K[k * N + j];
                s->Q[j * N + i] = s->Q[i * N + j];
            }
}

/* K x + C z in the loss, with a square of z: two blocks; or the square of x: one. */
static crease_smooth loss_at(example *s, int k)
{
    s->p.rhs = k == 1 ? s->labels : s->rhs;
    return k == 0   ? crease_least_squares(&s->p)
           : k == 1 ? crease_logistic(&s->p)
           : k == 2 ? crease_huber_loss(&s->p, 0.3)
           : k == 3 ? crease_cauchy(&s->p)
           : k == 4 ? crease_quadratic(&s->quadratic)
                    : crease_lp_loss(&s->p, 1.5);
}

static crease_reg reg_at(int k)
{
    const crease_reg all[REGS] = {
        crease_l1(0.3),
        crease_mcp(0.3, 3),
        crease_scad(0.3, 3.7),
        crease_l0(0.05),
        crease_lq(0.2, 0.5),
        crease_nonneg_indicator(),
        crease_elastic_net(0.2, 0.4),
        crease_lsp(0.2, 0.5),
        crease_squared_l2(0.2),
    };
    return all[k];
}

typedef struct {
    int loss, reg, blocks;
    bool boxed, sparse, weighted, started;
} choice;

static void make_example(example *s, draws *d, choice a)
{
    *s = (example){ .block = { 0, 1 } };
    draw_data(d, s);
    s->map[0] = a.sparse ? crease_csr(&s->csr) : crease_dense(s->K);
    s->map[1] = a.sparse ? crease_dense(s->K) : crease_csr(&s->csr);
    s->p = (crease_predictor){ .count = a.blocks, .block = s->block, .map = s->map };
    s->p.range = crease_vector(ROWS);
    s->p.weight = a.weighted ? s->weight : NULL;
    s->form = s->Q;
    s->quadratic = (crease_quadratic_data){ .count = 1, .row = &s->zero, .col = &s->zero };
    s->quadratic.matrix = &s->form;
    s->ridge = (crease_distance_data){ .a = a.blocks - 1, .b = -1, .weight = 0.3, .d = s->start };
    s->term[0] = loss_at(s, a.loss);
    s->term[1] = crease_squared_distance(&s->ridge);
    s->list = (crease_smooth_list){ .count = 2, .term = s->term };
    s->box = crease_box(-0.5, 1);
    for (int i = 0; i < a.blocks; i++) {
        s->space[i] = crease_vector(N);
        s->blocks[i].reg = reg_at((a.reg + 3 * i) % REGS);
        s->blocks[i].set = a.boxed ? &s->box : NULL;
        s->blocks[i].start = a.started && a.reg + 3 * i != 5 ? s->start + i * N : NULL;
    }
    s->problem = (crease_problem){ .count = a.blocks, .space = s->space, .block = s->blocks };
    s->problem.f = crease_smooth_sum(&s->list);
}

static choice choice_at(int k)
{
    return (choice){ .loss = k % LOSSES,
                     .reg = k / LOSSES % REGS,
                     .boxed = k / (LOSSES * REGS) % 2,
                     .sparse = k / (2 * LOSSES * REGS) % 2,
                     .started = k / (4 * LOSSES * REGS) % 2,
                     .blocks = 1 + k % 2,
                     .weighted = k % 3 == 0 };
}

/* phi' of |u|^1.5 turns an error of 1e-16 in u into one of 1e-8. */
static double eps_at(choice a) { return a.loss == 5 ? 1e-5 : 1e-8; }

static void every_loss_and_penalty_ends_stationary(void **state)
{
    draws d = { { 61, 1 }, 0 };
    example s;
    core_run r;
    (void)state;
    for (int k = 0; k < 8 * LOSSES * REGS; k++) {
        make_example(&s, &d, choice_at(k));
        run_to(&r, &crs_core_newton, &s.problem, eps_at(choice_at(k)), 500);
        end_run(&r);
    }
}

static bool is_convex(choice a)
{
    static const int reg[] = { 0, 5, 6, 8 };
    const int second = a.blocks == 2 ? (a.reg + 3) % REGS : a.reg;
    bool first = false, last = false;
    for (int k = 0; k < 4; k++) first = first || reg[k] == a.reg, last = last || reg[k] == second;
    return first && last && a.loss != 3;
}

/* F(a) - F(b) <= residual(a) |a - b| for convex F, and <= residual(a) where that is a gap. */
static bool is_no_higher(const core_run *a, const core_run *b, double eps)
{
    double apart = 1;
    for (ptrdiff_t j = 0; j < a->c->n; j++) apart += fabs(a->at.x[j] - b->at.x[j]);
    return a->at.objective <= b->at.objective + 2 * eps * apart + 1e-13 * fabs(b->at.objective);
}

static void no_plain_steps_end_below_it_on_convex_problems(void **state)
{
    draws d = { { 62, 1 }, 0 };
    int count = 0;
    example s;
    core_run r, plain;
    (void)state;
    for (int k = 0; k < 8 * LOSSES * REGS; k++) {
        if (!is_convex(choice_at(k))) continue;
        make_example(&s, &d, choice_at(k));
        const double eps = eps_at(choice_at(k));
        run_to(&r, &crs_core_newton, &s.problem, eps, 500);
        begin_run(&plain, &crs_core_plain, &s.problem, 1e-8);
        turn(&plain, 300);
        assert_true(is_no_higher(&r, &plain, eps));
        count++;
        end_run(&r), end_run(&plain);
    }
    assert_true(count > 50);
}

/* Penalties that are not convex, from x = 0, where l0 and l_q are stationary whatever the data: on
 * a grid no other value of one coordinate lowers F by more than what is let go. */
static void no_coordinate_alone_could_be_better(void **state)
{
    draws d = { { 66, 1 }, 0 };
    int left = 0;
    example s;
    core_run r;
    (void)state;
    for (int k = 0; k < 8 * LOSSES * REGS; k += LOSSES) {
        make_example(&s, &d, choice_at(k));
        run_to(&r, &crs_core_newton, &s.problem, 1e-8, 500);
        double *w = doubles(r.c->n), *u = unset_doubles(r.c->rows);
        copy(r.c->n, r.at.x, w);
        for (ptrdiff_t j = 0; j < r.c->n; j++) {
            const crs_coordinate *by = &r.c->by[j];
            left += w[j] != 0;
            for (int step = -60; step <= 60; step++) {
                w[j] = clip(0.05 * step, by->low, by->high);
                crs_products(r.c, w, u);
                const double F = crs_smooth_part(r.c, w, u) + crs_nonsmooth_part(r.c, w);
                if (!(F >= r.at.objective - 2e-6 * (1 + fabs(F))))
                    fail_msg(
                        "case %d: %g for entry %td instead of %g leads from F = %.12g to %.12g", k,
                        w[j], j, r.at.x[j], r.at.objective, F);
            }
            w[j] = r.at.x[j];
        }
        free(w), free(u);
        end_run(&r);
    }
    assert_true(left > 100);
}

/* A term changes its weight and its data as it does between two multipliers. */
static void renewed_it_ends_where_a_new_one_does(void **state)
{
    draws d = { { 63, 1 }, 0 };
    example s;
    core_run r, fresh;
    (void)state;
    for (int k = 0; k < LOSSES * REGS; k++) {
        if (!is_convex(choice_at(k)) || choice_at(k).loss == 5) continue;
        make_example(&s, &d, choice_at(k));
        run_to(&r, &crs_core_newton, &s.problem, 1e-8, 500);
        begin_run(&fresh, &crs_core_newton, &s.problem, 1e-8);
        for (int side = 0; side < 2; side++) {
            core_run *one = side ? &fresh : &r;
            crs_term *t = &one->c->term[one->c->terms - 1];
            t->weight = 2;
            t->rhs = s.start + (s.ridge.a == 0 ? N : 0);
            assert_true(crs_core_newton.renew(one->self));
            for (crs_core_state said = CRS_CORE_GOES_ON; said == CRS_CORE_GOES_ON; one->steps++)
                said = crs_core_newton.step(one->self);
            crs_core_newton.stand(one->self, &one->at);
            assert_true(one->at.ratio <= 1);
        }
        assert_true(is_no_higher(&r, &fresh, 1e-8) && is_no_higher(&fresh, &r, 1e-8));
        end_run(&r), end_run(&fresh);
    }
}

static void data_that_are_no_numbers_end_it(void **state)
{
    draws d = { { 64, 1 }, 0 };
    crease_error e;
    example s;
    (void)state;
    for (int k = 0; k < 2 * LOSSES * REGS; k++) {
        crs_work work = { 0 };
        make_example(&s, &d, choice_at(k));
        if (k % 2 == 0) s.rhs[3] = s.labels[3] = NAN;
        s.start[4] = NAN; /* of the ridge */
        for (int i = 0; i < 2; i++) s.blocks[i].start = NULL;
        crs_composite *c = crs_composite_new(&s.problem, 1, &work, NULL, &e);
        const double tolerance[2] = { 1e-6, 1e-6 };
        const crs_task task = { .c = c, .start = c->start, .tolerance = tolerance };
        void *self = crs_core_newton.open(&task, &e);
        crs_standing at = { .ratio = NAN };
        crs_core_state said = self ? CRS_CORE_GOES_ON : CRS_CORE_STUCK;
        for (int step = 0; step < 100 && said == CRS_CORE_GOES_ON; step++)
            said = crs_core_newton.step(self);
        if (self) crs_core_newton.stand(self, &at);
        assert_int_equal(said, CRS_CORE_STUCK);
        assert_true(isnan(at.ratio) || isnan(at.objective));
        crs_core_newton.close(self);
        crs_composite_free(c);
    }
}

static void a_watch_that_is_over_stops_it_where_it_is(void **state)
{
    draws d = { { 65, 1 }, 0 };
    crease_error e;
    example s;
    crs_work work = { 0 };
    (void)state;
    make_example(&s, &d, (choice){ .blocks = 2 });
    crease_watch *watch = crease_watch_new(&e);
    crs_composite *c = crs_composite_new(&s.problem, 1, &work, watch, &e);
    const double tolerance[2] = { 1e-6, 1e-6 };
    const crs_task task = { .c = c, .start = c->start, .tolerance = tolerance };
    void *self = crs_core_newton.open(&task, &e);
    crs_standing before, after;
    assert_int_equal(crs_core_newton.step(self), CRS_CORE_GOES_ON);
    crs_core_newton.stand(self, &before);
    crease_watch_stop(watch);
    assert_int_equal(crs_core_newton.step(self), CRS_CORE_STUCK);
    crs_core_newton.stand(self, &after);
    assert_true(after.objective == before.objective);
    crs_core_newton.close(self);
    crs_composite_free(c);
    crease_watch_free(watch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_and_penalty_ends_stationary),
        cmocka_unit_test(no_plain_steps_end_below_it_on_convex_problems),
        cmocka_unit_test(no_coordinate_alone_could_be_better),
        cmocka_unit_test(renewed_it_ends_where_a_new_one_does),
        cmocka_unit_test(data_that_are_no_numbers_end_it),
        cmocka_unit_test(a_watch_that_is_over_stops_it_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
