/* SPDX-License-Identifier: MIT
 * consensus: agents with data of their own agree on the solution of all data together */
#include "support/reduced.h"
#include "theory/theory.h"

enum { AGENTS = 4, ROWS = 40, COLS = 6 };
static const ptrdiff_t rows[AGENTS] = { 15, 3, 12, 10 };

typedef struct {
    reduced plain;
    double A[ROWS * COLS], y[ROWS], start[COLS];
    const double *matrix[AGENTS], *rhs[AGENTS];
    crease_consensus_settings s;
} example;

static void make(example *x, uint64_t seed, loss_kind loss)
{
    draws d = { { seed, 4 }, 0 };
    draw_data(&d, loss, ROWS, COLS, x->A, x->y);
    x->plain = (reduced){ ROWS, COLS, 1, x->A, x->y, loss, { COLS }, { { 0 } } };
    x->plain.reg[0] = loss == LOGISTIC ? crease_elastic_net(1, 0.3) : crease_mcp(1, 3);
    ptrdiff_t from = 0;
    for (int j = 0; j < AGENTS; from += rows[j], j++)
        x->matrix[j] = x->A + from * COLS, x->rhs[j] = x->y + from;
    for (int j = 0; j < COLS; j++) x->start[j] = normal(&d);
    x->s = (crease_consensus_settings){ .agents = AGENTS,
                                        .size = COLS,
                                        .rows = rows,
                                        .matrix = x->matrix,
                                        .rhs = x->rhs,
                                        .loss = named_loss(loss),
                                        .reg = x->plain.reg[0],
                                        .start = x->start };
}

/* The largest |A_j|_2^2, by power iteration from below. */
static double largest_curvature(const example *x)
{
    double most = 0;
    for (int j = 0; j < AGENTS; j++) {
        double v[COLS], u[ROWS], norm = 0;
        for (int k = 0; k < COLS; k++) v[k] = 1 + k;
        for (int step = 0; step < 2000; step++) {
            residual_of((int)rows[j], COLS, x->matrix[j], NULL, v, u);
            fill(COLS, 0, v);
            for (ptrdiff_t i = 0; i < rows[j]; i++)
                for (int k = 0; k < COLS; k++) v[k] += x->matrix[j][i * COLS + k] * u[i];
            norm = crs_norm(COLS, v);
            for (int k = 0; k < COLS; k++) v[k] /= norm;
        }
        most = larger(most, norm);
    }
    return most;
}

static void agrees(loss_kind loss, const char *theorem, crease_method method)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        example x;
        double reference[COLS] = { 0 };
        make(&x, seed, loss);
        crease_consensus *m = crease_consensus_new(&x.s, NULL);
        crease_options o = options_to(1e-9);
        o.method = method;
        crease_solver *s = certified(crease_consensus_problem(m), &o);
        crease_analysis *a =
            crs_analyse(crease_consensus_problem(m), &o, CRS_EFFORT, NULL); /* the paper's method */
        const double *z = crease_solution(s, 0), *stack = crease_solution(s, 1);
        assert_true(a->guarantee && a->last == 1 && a->separable_last);
        assert_memory_equal(a->theorem, theorem, 2);
        const double L = (loss == LOGISTIC ? 0.25 : 1) * largest_curvature(&x);
        assert_true(a->L_last >= L * (1 - 1e-12) && a->L_last <= L * (1 + 1e-9));
        reduced_solve(&x.plain, reference);
        for (int k = 0; k < COLS; k++) {
            assert_close(z[k], reference[k], 1e-6);
            for (int j = 0; j < AGENTS; j++) assert_true(fabs(stack[j * COLS + k] - z[k]) <= 1e-9);
        }
        assert_close(reduced_value(&x.plain, z), reduced_value(&x.plain, reference), 1e-9);
        crease_analysis_free(a);
        crease_solver_free(s);
        crease_consensus_free(m);
    }
}

static void squares_have_the_guarantee_of_R2(void **state)
{
    (void)state, agrees(SQUARES, "R2", CREASE_METHOD_AUTO);
}
static void squares_by_gradient_steps_have_the_guarantee_of_R1(void **state)
{
    (void)state, agrees(SQUARES, "R1", CREASE_METHOD_ADMM_G);
}
static void huber_has_the_guarantee_of_R1(void **state)
{
    (void)state, agrees(HUBER, "R1", CREASE_METHOD_AUTO);
}
static void logistic_has_the_guarantee_of_R1(void **state)
{
    (void)state, agrees(LOGISTIC, "R1", CREASE_METHOD_AUTO);
}

static void refused(const crease_consensus_settings *s, crease_code code, const char *word)
{
    crease_error e = { CREASE_OK, "" };
    assert_null(crease_consensus_new(s, &e));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, word)) fail_msg("'%s' lacks '%s'", e.text, word);
}

static void wrong_settings_are_refused(void **state)
{
    const ptrdiff_t none[] = { 15, 0, 12, 10 }, many[] = { PTRDIFF_MAX, PTRDIFF_MAX, 1, 1 };
    example x;
    (void)state;
    make(&x, 1, SQUARES);
    crease_consensus_settings s = x.s;
    s.agents = 0;
    refused(&s, CREASE_BAD_ARGUMENT, "0 agents");
    s = x.s, s.size = 0;
    refused(&s, CREASE_BAD_ARGUMENT, "0 unknowns");
    s = x.s, s.rows = none;
    refused(&s, CREASE_BAD_ARGUMENT, "agent 2");
    s.rows = many;
    refused(&s, CREASE_BAD_ARGUMENT, "counted");
    s = x.s, s.reg = crease_mcp(1, -1);
    refused(&s, CREASE_BAD_ARGUMENT, "mcp");
    s = x.s, s.loss = crease_logistic(NULL);
    refused(&s, CREASE_BAD_DATA, "label 1");
    s = x.s, x.A[7] = INFINITY;
    refused(&s, CREASE_BAD_DATA, "8");
    crease_consensus_free(NULL);
}

/* Without right-hand sides and start: zeros; one agent and one row are enough. */
static void one_agent_with_one_row_is_enough(void **state)
{
    const double one = 2, *matrix = &one;
    const ptrdiff_t row = 1;
    const crease_consensus_settings s = {
        .agents = 1, .size = 1, .rows = &row, .matrix = &matrix, .reg = crease_l1(1)
    };
    const crease_options o = options_to(1e-9);
    (void)state;
    crease_consensus *m = crease_consensus_new(&s, NULL);
    crease_solver *solver = certified(crease_consensus_problem(m), &o);
    assert_true(crease_solution(solver, 0)[0] == 0);
    crease_solver_free(solver);
    crease_consensus_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_have_the_guarantee_of_R2),
        cmocka_unit_test(squares_by_gradient_steps_have_the_guarantee_of_R1),
        cmocka_unit_test(huber_has_the_guarantee_of_R1),
        cmocka_unit_test(logistic_has_the_guarantee_of_R1),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(one_agent_with_one_row_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
