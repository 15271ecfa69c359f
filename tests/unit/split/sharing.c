/* SPDX-License-Identifier: MIT
 * sharing: the split problem has the last block that R1 and R2 want, and its solution is
 * that of the problem without the split */
#include "support/reduced.h"
#include "theory/theory.h"

enum { ROWS = 40, PARTS = 3, COLS = 12 };
static const int size[PARTS] = { 4, 5, 3 };

typedef struct {
    reduced plain;
    double A[ROWS * COLS], y[ROWS], part[PARTS][ROWS * COLS], start[COLS];
    crease_space space[PARTS];
    crease_block block[PARTS];
    crease_sharing_settings s;
} example;

/* With squares and the Huber loss the curvature of A'A exceeds the weak convexity of the penalties:
 * one stationary point. */
static void make(example *x, uint64_t seed, loss_kind loss)
{
    draws d = { { seed, 3 }, 0 };
    const crease_reg reg[] = { loss == LOGISTIC ? crease_elastic_net(1, 0.3) : crease_mcp(1, 3),
                               crease_l1(0.5),
                               loss == LOGISTIC ? crease_squared_l2(0.5) : crease_scad(1, 3.7) };
    draw_data(&d, loss, ROWS, COLS, x->A, x->y);
    x->plain = (reduced){ ROWS, COLS, PARTS, x->A, x->y, loss, { 0 }, { { 0 } } };
    for (int k = 0, from = 0; k < PARTS; from += size[k], k++) {
        x->plain.size[k] = size[k];
        x->plain.reg[k] = reg[k];
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < size[k]; j++)
                x->part[k][i * size[k] + j] = x->A[i * COLS + from + j];
        x->space[k] = crease_vector(size[k]);
        x->block[k] = (crease_block){ .reg = reg[k],
                                      .map = crease_dense(x->part[k]),
                                      .start = k == 1 ? NULL : x->start + from };
    }
    for (int j = 0; j < COLS; j++) x->start[j] = normal(&d);
    x->s = (crease_sharing_settings){ .count = PARTS,
                                      .space = x->space,
                                      .block = x->block,
                                      .range = crease_vector(ROWS),
                                      .y = x->y,
                                      .loss = named_loss(loss) };
}

/* u^0 = y - sum A_j x_j^0, without the y for labels */
static void starts_feasibly(const example *x, const crease_problem *p)
{
    const double *u = p->block[PARTS].start;
    double start[COLS], product[ROWS];
    copy(COLS, x->start, start);
    fill(size[1], 0, start + size[0]);
    residual_of(ROWS, COLS, x->A, NULL, start, product);
    for (int i = 0; i < ROWS; i++)
        assert_close(u[i], (x->plain.loss == LOGISTIC ? 0 : x->y[i]) - product[i], 1e-13);
}

static void agrees(loss_kind loss, const char *theorem)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        example x;
        double reference[COLS] = { 0 }, found[COLS];
        make(&x, seed, loss);
        crease_sharing *m = crease_sharing_new(&x.s, NULL);
        const crease_problem *p = crease_sharing_problem(m);
        const crease_options o = options_to(1e-9);
        starts_feasibly(&x, p);
        crease_solver *s = certified(p, &o);
        crease_analysis *a = crs_analyse(p, &o, CRS_EFFORT, NULL); /* the paper's method */
        assert_true(a->guarantee && a->last == PARTS && a->separable_last);
        assert_memory_equal(a->theorem, theorem, 2);
        for (int k = 0, from = 0; k < PARTS; from += size[k], k++)
            copy(size[k], crease_solution(s, k), found + from);
        reduced_solve(&x.plain, reference);
        for (int j = 0; j < COLS; j++) assert_close(found[j], reference[j], 1e-6);
        assert_close(reduced_value(&x.plain, found), reduced_value(&x.plain, reference), 1e-9);
        crease_analysis_free(a);
        crease_solver_free(s);
        crease_sharing_free(m);
    }
}

static void squares_have_the_guarantee_of_R2(void **state) { (void)state, agrees(SQUARES, "R2"); }
static void huber_has_the_guarantee_of_R1(void **state) { (void)state, agrees(HUBER, "R1"); }
static void logistic_has_the_guarantee_of_R1(void **state) { (void)state, agrees(LOGISTIC, "R1"); }

/* A nonconvex loss too: the point is stationary for the problem without the split. */
static void a_nonconvex_loss_ends_stationary(void **state)
{
    example x;
    double reference[COLS], u[ROWS], g[COLS] = { 0 };
    (void)state;
    make(&x, 5, HUBER);
    x.s.loss = crease_cauchy(NULL);
    crease_sharing *m = crease_sharing_new(&x.s, NULL);
    const crease_options o = options_to(1e-8);
    crease_solver *s = certified(crease_sharing_problem(m), &o);
    for (int k = 0, from = 0; k < PARTS; from += size[k], k++)
        copy(size[k], crease_solution(s, k), reference + from);
    residual_of(ROWS, COLS, x.A, x.y, reference, u);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) g[j] -= x.A[i * COLS + j] * u[i] / (1 + u[i] * u[i]);
    for (int k = 0, from = 0; k < PARTS; from += size[k], k++) {
        double dist;
        assert_true(
            crease_reg_dist(&x.plain.reg[k], &x.space[k], reference + from, g + from, &dist, NULL));
        assert_true(dist <= 1e-8 * (1 + 12 * 2)); /* |A|_2 < 12, L = 1 */
    }
    crease_solver_free(s);
    crease_sharing_free(m);
}

static void refused(const crease_sharing_settings *s, crease_code code, const char *word)
{
    crease_error e = { CREASE_OK, "" };
    assert_null(crease_sharing_new(s, &e));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, word)) fail_msg("'%s' lacks '%s'", e.text, word);
}

static void wrong_settings_are_refused(void **state)
{
    example x;
    crease_block bad[PARTS];
    (void)state;
    make(&x, 1, SQUARES);
    crease_sharing_settings s = x.s;
    s.count = 0;
    refused(&s, CREASE_BAD_ARGUMENT, "at least one");
    s = x.s, s.block = bad;
    memcpy(bad, x.block, sizeof bad);
    bad[1].map.ops = NULL;
    refused(&s, CREASE_BAD_ARGUMENT, "block 2 has no map");
    bad[1].map = crease_identity(1);
    refused(&s, CREASE_BAD_SHAPE, "x2");
    s = x.s, s.loss = crease_cp(NULL);
    refused(&s, CREASE_BAD_ARGUMENT, "no loss");
    s = x.s, s.loss = crease_logistic(NULL);
    refused(&s, CREASE_BAD_DATA, "label 1");
    s = x.s, x.y[2] = NAN;
    refused(&s, CREASE_BAD_DATA, "3");
    crease_sharing_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_have_the_guarantee_of_R2),
        cmocka_unit_test(huber_has_the_guarantee_of_R1),
        cmocka_unit_test(logistic_has_the_guarantee_of_R1),
        cmocka_unit_test(a_nonconvex_loss_ends_stationary),
        cmocka_unit_test(wrong_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
