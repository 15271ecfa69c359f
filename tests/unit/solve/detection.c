/* SPDX-License-Identifier: MIT
 * detection: random problems without an answer end with a proof that the checker confirms, and no
 * problem with an answer is accused, by the default method */
#include <crease/verify.h>

#include "support/solving.h"

enum { N = 8, ROWS = 3, DATA = 4 };
enum { FEASIBLE, SEPARATED, CONTRADICTORY, FALLING, CURVED, BOUNDED, SORTS };
static const char *const sorts[] = { "feasible",
                                     "outside the sets",
                                     "contradictory rows",
                                     "falling linear part",
                                     "concave along a line",
                                     "bounded" };

typedef struct {
    draws d;
    int sort, reg;
    double A[ROWS * N], b[ROWS], K[DATA * N], y[DATA], q[N], Q[N * N];
    int block;
    crease_map design;
    crease_predictor u;
    const double *forms[1], *linears[1];
    crease_quadratic_data form;
    crease_smooth term[2];
    crease_smooth_list sum;
    crease_space space;
    crease_set set;
    crease_block blocks[1];
    crease_problem p;
} example;

/* Of the box or the ball in direction w. */
static double support(bool ball, const double *w)
{
    double sum = 0;
    for (int j = 0; j < N; j++) sum += ball ? square(w[j]) : fabs(w[j]);
    return ball ? sqrt(sum) : sum;
}

static void make_constraint(example *s)
{
    draws *d = &s->d;
    const bool ball = below(d, 2);
    double x[N], y[ROWS], w[N] = { 0 };
    normals(d, ROWS * N, 1, s->A);
    for (int j = 0; j < N; j++) x[j] = uniform(d, -1, 1) / (ball ? sqrt(N) : 1);
    if (s->sort == CONTRADICTORY)
        for (int j = 0; j < N; j++) s->A[2 * N + j] = s->A[j] - 2 * s->A[N + j];
    for (int i = 0; i < ROWS; i++) s->b[i] = crs_dot(N, s->A + i * N, x);
    if (s->sort == CONTRADICTORY) s->b[2] += below(d, 2) ? 0.3 : -0.3;
    if (s->sort == SEPARATED) {
        normals(d, ROWS, 1, y);
        for (int i = 0; i < ROWS; i++) axpy(N, y[i], s->A + i * N, w);
        const double h = support(ball, w), lacks = 1.2 * h - crs_dot(ROWS, y, s->b);
        axpy(ROWS, lacks / crs_dot(ROWS, y, y), y, s->b);
    }
    s->set = ball ? crease_l2_ball(1) : crease_box(-1, 1);
    if (s->sort != CONTRADICTORY || below(d, 2)) s->blocks[0].set = &s->set;
    s->blocks[0].map = crease_dense(s->A);
    s->p.range = crease_vector(ROWS);
    s->p.rhs = s->b;
}

/* K has a null space, in which q has a part: F falls there. CURVED: a line with d'Qd < 0. */
static void make_fall(example *s)
{
    draws *d = &s->d;
    normals(d, N, 2, s->q);
    if (s->sort == BOUNDED) {
        fill(N, 0, s->q);
        for (int i = 0; i < DATA; i++) axpy(N, 0.3 * normal(d), s->K + i * N, s->q);
    }
    s->linears[0] = s->q;
    s->forms[0] = s->Q;
    if (s->sort == CURVED)
        for (int j = 0; j < N; j++) s->Q[j * N + j] = j == 2 ? -0.5 : 1;
    s->form =
        (crease_quadratic_data){ s->sort == CURVED, &s->block, &s->block, s->forms, s->linears, 1 };
    s->term[1] = crease_quadratic(&s->form);
    s->sum = (crease_smooth_list){ 2, s->term };
    s->p.f = s->sort == CURVED ? s->term[1] : crease_smooth_sum(&s->sum);
}

static void make(example *s, int sort, uint64_t seed)
{
    const crease_reg regs[] = { crease_mcp(0.3, 2), crease_zero(), crease_scad(0.3, 3.7),
                                crease_l1(0.01), crease_l0(0.1) };
    *s = (example){ .d = { { 96, seed }, 0 }, .sort = sort };
    normals(&s->d, DATA * N, 1, s->K);
    normals(&s->d, DATA, 1, s->y);
    s->design = crease_dense(s->K);
    s->u = (crease_predictor){ .count = 1, .block = &s->block, .map = &s->design, .rhs = s->y };
    s->u.range = crease_vector(DATA);
    s->term[0] = crease_least_squares(&s->u);
    s->space = crease_vector(N);
    s->reg = (int)below(&s->d, 5);
    s->blocks[0].reg = regs[s->reg];
    s->p = (crease_problem){ .count = 1, .space = &s->space, .block = s->blocks };
    s->p.f = s->term[0];
    if (sort <= CONTRADICTORY)
        make_constraint(s);
    else
        make_fall(s);
}

/* The proof of its outcome is confirmed, or there is none to confirm. */
static void check_proof(const example *s, crease_solver *run, crease_outcome how)
{
    crease_refutation r = { .verdict = CREASE_VERDICT_VALID };
    crease_error e = { CREASE_OK, "" };
    const double *x[] = { crease_solution(run, 0) };
    const double *ray[] = { how == CREASE_UNBOUNDED ? crease_ray(run, 0) : NULL };
    if (how == CREASE_INFEASIBLE)
        assert_true(crease_verify_infeasible(&s->p, crease_separator(run), &r, &e));
    if (how == CREASE_UNBOUNDED)
        assert_true(crease_verify_unbounded(&s->p, x, ray, 1e-6, false, &r, &e));
    assert_int_equal(r.verdict, CREASE_VERDICT_VALID);
}

/* Then it has no stationary point where F falls without end. */
static bool is_convex(const example *s) { return s->reg == 1 || s->reg == 3; }

static void problems_without_an_answer_end_with_a_proof(void **state)
{
    enum { EACH = 60 };
    (void)state;
    for (int sort = 0; sort < SORTS; sort++) {
        long found[CREASE_UNBOUNDED + 1] = { 0 };
        for (uint64_t seed = 0; seed < EACH; seed++) {
            example s;
            crease_options o = options_to(1e-6);
            o.max_seconds = 2;
            make(&s, sort, seed + 1000 * (uint64_t)sort);
            crease_solver *run = solver_for(&s.p, &o);
            const crease_outcome how = crease_solve(run);
            check_proof(&s, run, how);
            found[how]++;
            if (sort == FALLING && is_convex(&s)) assert_int_equal(how, CREASE_UNBOUNDED);
            crease_solver_free(run);
        }
        print_message("%-20s %d: %ld stationary, %ld infeasible, %ld unbounded\n", sorts[sort],
                      EACH, found[CREASE_STATIONARY], found[CREASE_INFEASIBLE],
                      found[CREASE_UNBOUNDED]);
        const bool falls = sort == FALLING || sort == CURVED;
        const bool empty = sort == SEPARATED || sort == CONTRADICTORY;
        assert_int_equal(found[CREASE_INFEASIBLE], empty ? EACH : 0);
        assert_true(falls ? found[CREASE_UNBOUNDED] > EACH * 3 / 4 : found[CREASE_UNBOUNDED] == 0);
    }
}

enum { Z = 2 };

/* A x + B z = b, x in a box, z free with half a square and B = v (1, -1) of rank 1, v = (1, 2, 3):
 * presolve minimizes z out, and what remains of the rows no x meets, or one does. */
typedef struct {
    double A[ROWS * N], B[ROWS * Z], b[ROWS];
    crease_set box;
    crease_distance_data half;
    crease_space space[2];
    crease_block block[2];
    crease_problem p;
} remains;

/* b beyond what a direction y with B'y = 0 allows. */
static void lift(remains *s, draws *d)
{
    double y[ROWS], w[N] = { 0 }, along = 0, most = 0;
    normals(d, ROWS, 1, y);
    for (int i = 0; i < ROWS; i++) along += y[i] * (1 + i) / 14;
    for (int i = 0; i < ROWS; i++) y[i] -= along * (1 + i);
    for (int i = 0; i < ROWS; i++) axpy(N, y[i], s->A + i * N, w);
    for (int j = 0; j < N; j++) most += fabs(w[j]);
    axpy(ROWS, (1.2 * most - crs_dot(ROWS, y, s->b)) / crs_dot(ROWS, y, y), y, s->b);
}

static void make_remains(remains *s, draws *d, bool empty)
{
    double x[N];
    normals(d, ROWS * N, 1, s->A);
    for (int j = 0; j < N; j++) x[j] = uniform(d, -1, 1);
    for (int i = 0; i < ROWS; i++) {
        s->B[i * Z] = 1 + i, s->B[i * Z + 1] = -1 - i;
        s->b[i] = crs_dot(N, s->A + i * N, x);
    }
    if (empty) lift(s, d);
    s->box = crease_box(-1, 1);
    s->half = (crease_distance_data){ 1, -1, 1, NULL };
    s->space[0] = crease_vector(N);
    s->space[1] = crease_vector(Z);
    s->block[0] = (crease_block){ .reg = crease_l1(0.1), .map = crease_dense(s->A) };
    s->block[0].set = &s->box;
    s->block[1] = (crease_block){ .map = crease_dense(s->B) };
    s->p = (crease_problem){ .count = 2, .space = s->space, .block = s->block, .rhs = s->b };
    s->p.f = crease_squared_distance(&s->half);
    s->p.range = crease_vector(ROWS);
}

/* The proof is for the rows of the user. */
static void what_presolve_leaves_may_be_impossible(void **state)
{
    enum { EACH = 60 };
    const crease_options o = options_to(1e-6);
    (void)state;
    for (uint64_t seed = 0; seed < EACH; seed++) {
        draws d = { { 97, seed }, 0 };
        const bool empty = seed % 2;
        crease_refutation r = { .verdict = CREASE_VERDICT_VALID };
        remains s;
        make_remains(&s, &d, empty);
        crease_solver *run = solver_for(&s.p, &o);
        assert_non_null(crease_presolve(run, 0));
        assert_int_equal(crease_solve(run), empty ? CREASE_INFEASIBLE : CREASE_STATIONARY);
        if (empty) assert_true(crease_verify_infeasible(&s.p, crease_separator(run), &r, NULL));
        assert_int_equal(r.verdict, CREASE_VERDICT_VALID);
        crease_solver_free(run);
    }
    print_message("%d problems, half of them impossible\n", EACH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_without_an_answer_end_with_a_proof),
        cmocka_unit_test(what_presolve_leaves_may_be_impossible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
