/* SPDX-License-Identifier: MIT
 * panoc: with any loss and any prox it ends stationary by the definitions, without a rise of F; it
 * finds the answer where there is one, and takes few products and decompositions */
#include "composite/lbfgs.h"
#include "support/core_steps.h"

enum {
    ROWS = 6,
    COLS = 5,
    N = ROWS * COLS,
    DATA = 40,
    MOST = 20000,
    PANOC_LOSSES = 4,
    PROXES = 15
};

typedef struct {
    double K[DATA * N], y[DATA], start[N];
    crease_map design;
    int block;
    crease_predictor u;
    crease_space space;
    crease_block blocks[1];
    crease_set set;
} example;

static void draw_example(draws *d, example *s)
{
    normals(d, DATA * N, 0.3, s->K);
    for (int i = 0; i < DATA; i++) s->y[i] = normal(d) > 0 ? 1 : -1;
    for (int j = 0; j < N; j++) s->start[j] = 1.0 / N;
    s->design = crease_dense(s->K);
    s->block = 0;
    s->u = (crease_predictor){ .count = 1, .block = &s->block, .map = &s->design, .rhs = s->y };
    s->u.range = crease_vector(DATA);
    s->space = crease_matrix(ROWS, COLS);
    s->blocks[0] = (crease_block){ .start = s->start };
}

static crease_smooth loss_at(const example *s, int k)
{
    return k == 0   ? crease_least_squares(&s->u)
           : k == 1 ? crease_logistic(&s->u)
           : k == 2 ? crease_huber_loss(&s->u, 0.3)
                    : crease_lp_loss(&s->u, 1.5);
}

static void choose_prox(example *s, int k)
{
    const crease_reg regs[] = {
        crease_l1(0.3),        crease_mcp(0.3, 3),
        crease_scad(0.3, 3.7), crease_l0(0.1),
        crease_lq(0.1, 0.5),   crease_nonneg_indicator(),
        crease_nuclear(0.3),   crease_spectral(&crs_mcp, (double[]){ 0.3, 3 }),
        crease_rank(0.1),      crease_elastic_net(0.1, 0.2),
    };
    const crease_set sets[] = { crease_simplex(1), crease_nuclear_ball(1), crease_l2_ball(1),
                                crease_box(-0.1, 0.2), crease_l1_ball(1) };
    const int count = (int)(sizeof regs / sizeof *regs);
    s->blocks[0].reg = k < count ? regs[k] : crease_zero();
    if (k >= count) s->set = sets[k - count];
    s->blocks[0].set = k < count ? NULL : &s->set;
}

static crease_problem problem_of(const example *s, crease_smooth f)
{
    return (crease_problem){ .count = 1, .space = &s->space, .block = s->blocks, .f = f };
}

static void every_loss_and_prox_ends_stationary(void **state)
{
    draws d = { { 41, 1 }, 0 };
    example s;
    core_steps r;
    (void)state;
    for (int k = 0; k < 3 * PANOC_LOSSES * PROXES; k++) {
        const int loss = k % PANOC_LOSSES, prox = k / PANOC_LOSSES % PROXES;
        draw_example(&d, &s);
        choose_prox(&s, prox);
        const crease_problem p = problem_of(&s, loss_at(&s, loss));
        core_begin(&r, &crs_core_panoc, &p, 1e-6, NULL);
        core_go(&r, MOST);
        const double worst = core_certified(&r, &p);
        if (r.said != CRS_CORE_DONE || !(worst <= 1.001e-6))
            fail_msg("loss %d, prox %d: state %d after %ld steps, worst %g, ratio %g", loss, prox,
                     (int)r.said, r.steps, worst, r.now.ratio);
        core_end(&r);
    }
}

/* Coordinate descent on (1/2)|Kx - y|^2 + lambda |x|_1. */
static void naive_lasso(const example *s, double lambda, double *x)
{
    double res[DATA];
    for (int i = 0; i < DATA; i++) res[i] = -s->y[i];
    fill(N, 0, x);
    for (int sweep = 0; sweep < 5000; sweep++)
        for (int j = 0; j < N; j++) {
            double square_sum = 0, slope = 0;
            for (int i = 0; i < DATA; i++) {
                square_sum += square(s->K[i * N + j]);
                slope += s->K[i * N + j] * res[i];
            }
            const double v = x[j] - slope / square_sum, t = lambda / square_sum;
            const double next = v > t ? v - t : v < -t ? v + t : 0;
            for (int i = 0; i < DATA; i++) res[i] += (next - x[j]) * s->K[i * N + j];
            x[j] = next;
        }
}

static void the_answer_of_a_lasso_is_that_of_coordinate_descent(void **state)
{
    draws d = { { 42, 1 }, 0 };
    example s;
    core_steps r;
    double x[N];
    (void)state;
    for (int k = 0; k < 5; k++) {
        draw_example(&d, &s);
        choose_prox(&s, 0);
        const crease_problem p = problem_of(&s, loss_at(&s, 0));
        naive_lasso(&s, 0.3, x);
        core_begin(&r, &crs_core_panoc, &p, 1e-9, NULL);
        core_go(&r, MOST);
        assert_int_equal(r.said, CRS_CORE_DONE);
        for (int j = 0; j < N; j++) assert_close(r.now.x[j], x[j], 1e-7);
        core_end(&r);
    }
}

/* (1/2)|x - y|^2 + r(x) is the prox itself. */
static void a_prox_takes_one_step(void **state)
{
    draws d = { { 48, 1 }, 0 };
    example s;
    core_steps r;
    double y[N], expected[N];
    (void)state;
    for (int prox = 0; prox < PROXES; prox++) {
        draw_example(&d, &s);
        choose_prox(&s, prox);
        normals(&d, N, 1, y);
        const crease_distance_data near = { .a = 0, .b = -1, .weight = 2, .d = y };
        const crease_problem p = problem_of(&s, crease_squared_distance(&near));
        core_begin(&r, &crs_core_panoc, &p, 1e-9, NULL);
        core_go(&r, MOST);
        assert_int_equal(r.said, CRS_CORE_DONE);
        assert_true(r.steps == 1);
        crs_prox(r.c, (double[]){ 0.5 }, y, expected);
        for (int j = 0; j < N; j++) assert_close(r.now.x[j], expected[j], 1e-12);
        core_end(&r);
    }
}

/* Two blocks that f multiplies, one of them on a ball: nothing but f and its gradients is known. */
static void products_of_blocks_end_stationary(void **state)
{
    enum { RANK = 2 };
    draws d = { { 43, 1 }, 0 };
    core_steps r;
    (void)state;
    for (int k = 0; k < 10; k++) {
        double target[N], x[ROWS * RANK], y[COLS * RANK];
        normals(&d, N, 1, target);
        normals(&d, ROWS * RANK, 1, x);
        normals(&d, COLS * RANK, 1, y);
        const crease_factorization_data data = { .x = 0, .y = 1, .z = -1, .target = target };
        const crease_space spaces[] = { crease_matrix(ROWS, RANK), crease_matrix(COLS, RANK) };
        const crease_set ball = crease_l2_ball(2);
        const crease_block blocks[] = { { .set = &ball, .start = x },
                                        { .reg = crease_l1(0.1), .start = y } };
        const crease_problem p = {
            .count = 2, .space = spaces, .block = blocks, .f = crease_matrix_factorization(&data)
        };
        core_begin(&r, &crs_core_panoc, &p, 1e-6, NULL);
        core_go(&r, MOST);
        assert_int_equal(r.said, CRS_CORE_DONE);
        assert_true(core_certified(&r, &p) <= 1.001e-6);
        core_end(&r);
    }
}

static void a_step_takes_little_more_than_one_pair_and_one_decomposition(void **state)
{
    draws d = { { 44, 1 }, 0 };
    example s;
    core_steps r;
    double pairs = 0, spectra = 0, steps = 0;
    (void)state;
    for (int k = 0; k < 20; k++) {
        draw_example(&d, &s);
        choose_prox(&s, 6);
        const crease_problem p = problem_of(&s, loss_at(&s, 1));
        core_begin(&r, &crs_core_panoc, &p, 1e-9, NULL);
        const double set_up = r.work.entries;
        const long before = r.work.spectra;
        core_go(&r, MOST);
        assert_int_equal(r.said, CRS_CORE_DONE);
        pairs += (r.work.entries - set_up) / r.work.unit;
        spectra += (double)(r.work.spectra - before);
        steps += (double)r.steps;
        core_end(&r);
    }
    assert_true(pairs <= 1.3 * steps);
    assert_true(spectra <= 1.1 * steps);
}

static void data_that_are_no_numbers_end_it_without_a_claim(void **state)
{
    draws d = { { 45, 1 }, 0 };
    example s;
    core_steps r;
    (void)state;
    for (int prox = 0; prox < PROXES; prox++) {
        draw_example(&d, &s);
        choose_prox(&s, prox);
        s.y[3] = NAN;
        const crease_problem p = problem_of(&s, loss_at(&s, 0));
        core_begin(&r, &crs_core_panoc, &p, 1e-6, NULL);
        core_go(&r, 10);
        assert_int_equal(r.said, CRS_CORE_STUCK);
        assert_false(r.now.ratio <= 1);
        core_end(&r);
    }
}

static void a_watch_that_is_over_ends_it(void **state)
{
    draws d = { { 46, 1 }, 0 };
    example s;
    core_steps r;
    (void)state;
    draw_example(&d, &s);
    choose_prox(&s, 0);
    const crease_problem p = problem_of(&s, loss_at(&s, 1));
    crease_watch *w = crease_watch_new(NULL);
    core_begin(&r, &crs_core_panoc, &p, 1e-12, w);
    crease_watch_stop(w);
    assert_int_equal(r.core->step(r.self), CRS_CORE_STUCK);
    r.core->stand(r.self, &r.now);
    assert_true(r.now.objective < INFINITY);
    core_end(&r);
    crease_watch_free(w);
}

/* H of the BFGS formula: H' = (I - s y'/<s,y>) H (I - y s'/<s,y>) + s s'/<s,y> */
static void update(int n, const double *s, const double *y, double *H)
{
    double next[64] = { 0 }, left[64];
    const double rho = 1 / crs_dot(n, s, y);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) left[i * n + j] = (i == j) - rho * s[i] * y[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++)
                    next[i * n + j] += left[i * n + k] * H[k * n + l] * left[j * n + l];
            next[i * n + j] += rho * s[i] * s[j];
        }
    copy(n * n, next, H);
}

static void two_loops_make_the_matrix_of_the_formula(void **state)
{
    enum { SIZE = 6 };
    draws d = { { 47, 1 }, 0 };
    (void)state;
    for (int pairs = 0; pairs <= CRS_LBFGS_PAIRS + 3; pairs++) {
        double s[30 * SIZE], y[30 * SIZE], H[SIZE * SIZE] = { 0 }, q[SIZE], expected[SIZE] = { 0 };
        crs_lbfgs m;
        assert_true(crs_lbfgs_open(&m, SIZE, NULL));
        for (int k = 0; k < pairs; k++) {
            normals(&d, SIZE, 1, s + k * SIZE);
            for (int j = 0; j < SIZE; j++) /* <s, y> > 0 */
                y[k * SIZE + j] = s[k * SIZE + j] * (j + 1) + 0.1 * uniform(&d, 0, 1);
            copy(SIZE, s + k * SIZE, crs_lbfgs_step(&m));
            copy(SIZE, y + k * SIZE, crs_lbfgs_change(&m));
            assert_true(crs_dot(SIZE, s + k * SIZE, y + k * SIZE) > 0);
            crs_lbfgs_keep(&m);
        }
        const int first = pairs > CRS_LBFGS_PAIRS ? pairs - CRS_LBFGS_PAIRS : 0, last = pairs - 1;
        double scale = 1;
        if (pairs > 0)
            scale = crs_dot(SIZE, s + last * SIZE, y + last * SIZE) /
                    crs_dot(SIZE, y + last * SIZE, y + last * SIZE);
        for (int j = 0; j < SIZE; j++) H[j * SIZE + j] = scale;
        for (int k = first; k < pairs; k++) update(SIZE, s + k * SIZE, y + k * SIZE, H);
        normals(&d, SIZE, 1, q);
        for (int i = 0; i < SIZE; i++) expected[i] = crs_dot(SIZE, H + i * SIZE, q);
        crs_lbfgs_times(&m, q);
        for (int i = 0; i < SIZE; i++) assert_close(q[i], expected[i], 1e-9);
        crs_lbfgs_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_and_prox_ends_stationary),
        cmocka_unit_test(the_answer_of_a_lasso_is_that_of_coordinate_descent),
        cmocka_unit_test(a_prox_takes_one_step),
        cmocka_unit_test(products_of_blocks_end_stationary),
        cmocka_unit_test(a_step_takes_little_more_than_one_pair_and_one_decomposition),
        cmocka_unit_test(data_that_are_no_numbers_end_it_without_a_claim),
        cmocka_unit_test(a_watch_that_is_over_ends_it),
        cmocka_unit_test(two_loops_make_the_matrix_of_the_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
