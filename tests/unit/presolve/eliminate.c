/* SPDX-License-Identifier: MIT
 * eliminate: any point of the problem without the block, brought back, has the residuals that it
 * has there, meets the constraint as well as it does there, and leaves nothing to the block that
 * was eliminated; problems that must not be reduced are not */
#include "support/presolved.h"

enum { ROWS = 4, MOST = 6, DATA = 5 };

/* Block `gone` is free; of the others each has a penalty or a box. */
typedef struct {
    draws d;
    int gone, term_count, all[3];
    double A[3][ROWS * MOST], K[4][DATA * MOST], y[4][DATA], each[DATA], b[ROWS], linear[3][MOST];
    ptrdiff_t start[ROWS + 1], column[2 * ROWS];
    double value[2 * ROWS];
    crease_csr_matrix csr;
    const double *linears[3];
    crease_map map[4][3];
    crease_predictor u[4];
    crease_quadratic_data q;
    crease_smooth term[6];
    crease_smooth_list sum;
    crease_space space[3];
    crease_set box;
    crease_block block[3];
    crease_problem p;
} example;

static void make_blocks(example *s)
{
    draws *d = &s->d;
    const crease_reg regs[] = { crease_l1(0.3), crease_mcp(0.3, 2), crease_l0(0.2),
                                crease_lq(0.2, 0.5), crease_elastic_net(0.2, 0.4) };
    s->box = crease_box(-1, 2);
    for (int i = 0; i < 3; i++) {
        s->all[i] = i;
        s->space[i] = crease_vector(1 + below(d, MOST));
        s->block[i] = (crease_block){ .reg = regs[below(d, 5)] };
        if (below(d, 2)) s->block[i].set = &s->box;
        normals(d, ROWS * MOST, 1, s->A[i]);
        s->block[i].map = crease_dense(s->A[i]);
        switch (below(d, 4)) {
        case 0:
            s->space[i] = crease_vector(ROWS);
            s->block[i].map = crease_identity(uniform(d, 1, 2));
            break;
        case 1:
            s->space[i] = crease_vector(ROWS);
            s->block[i].map = crease_diagonal(s->A[i]);
            break;
        case 2:
            s->space[i] = crease_vector(ROWS + 1);
            s->block[i].map = crease_finite_difference(0);
            break;
        }
        normals(d, MOST, 1, s->linear[i]);
        s->linears[i] = s->linear[i];
    }
    s->gone = (int)below(d, 3);
    s->block[s->gone] = (crease_block){ .map = crease_identity(-1.5) };
    s->space[s->gone] = crease_vector(ROWS);
}

static crease_smooth loss_at(example *s, int k, bool shifts)
{
    switch (below(&s->d, shifts ? 4 : 6)) {
    case 0:
        return crease_least_squares(&s->u[k]);
    case 1:
        return crease_huber_loss(&s->u[k], 0.7);
    case 2:
        return crease_cauchy(&s->u[k]);
    case 3:
        return crease_welsch(&s->u[k]);
    case 4:
        for (int i = 0; i < DATA; i++) s->y[k][i] = s->y[k][i] > 0 ? 1 : -1;
        return crease_logistic(&s->u[k]);
    default:
        for (int i = 0; i < DATA; i++) s->y[k][i] = floor(3 * fabs(s->y[k][i]));
        return crease_poisson(&s->u[k]);
    }
}

/* phi(K x - y) in `count` blocks from `first`. */
static void add_loss(example *s, const int *first, int count, bool shifts)
{
    const int k = s->term_count++;
    normals(&s->d, DATA * MOST, 0.7, s->K[k]);
    normals(&s->d, DATA, 1, s->y[k]);
    for (int i = 0; i < count; i++) s->map[k][i] = crease_dense(s->K[k]);
    s->u[k] = (crease_predictor){ .count = count, .block = first, .map = s->map[k] };
    s->u[k].range = crease_vector(DATA);
    if (below(&s->d, 4)) s->u[k].rhs = s->y[k];
    if (below(&s->d, 2)) s->u[k].weight = s->each;
    s->term[k] = loss_at(s, k, shifts || !s->u[k].rhs);
}

static void finish(example *s)
{
    s->q = (crease_quadratic_data){ 0, NULL, NULL, NULL, s->linears, 3 };
    s->term[s->term_count++] = crease_quadratic(&s->q);
    s->sum = (crease_smooth_list){ s->term_count, s->term };
    s->p = (crease_problem){ .count = 3, .space = s->space, .block = s->block };
    s->p.f = crease_smooth_sum(&s->sum);
    s->p.range = crease_vector(ROWS);
}

static void draw(example *s, uint64_t seed)
{
    *s = (example){ .d = { { 81, seed }, 0 } };
    for (int i = 0; i < DATA; i++) s->each[i] = uniform(&s->d, 0, 2);
    make_blocks(s);
    normals(&s->d, ROWS, 1, s->b);
}

/* Several points; the user's certificate against the reduced residuals. */
static void compare(presolved *r, draws *d, double tolerance)
{
    for (int k = 0; k < 5; k++) {
        presolved_draw(r, d);
        presolved_back(r);
        presolved_compare(r, tolerance);
    }
}

static void a_multiple_of_the_identity(void **state)
{
    long cases = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++, cases++) {
        example s;
        presolved r;
        draw(&s, seed);
        const bool shifts = below(&s.d, 2);
        add_loss(&s, &s.gone, 1, shifts);
        if (below(&s.d, 2)) add_loss(&s, &s.gone, 1, shifts);
        if (s.gone != 0) add_loss(&s, s.all, 1, false);
        finish(&s);
        if (shifts) s.p.rhs = s.b;
        presolved_open(&r, &s.p);
        assert_int_equal(r.plan->count, 1);
        assert_null(r.plan->c->constraint);
        compare(&r, &s.d, 1e-10);
        presolved_close(&r);
    }
    print_message("%ld problems, 5 points each\n", cases);
}

/* Rank of A_j from 1 to its rows. */
static void make_rank(example *s, double *A, int rank, int cols)
{
    double left[ROWS * ROWS], right[ROWS * MOST];
    normals(&s->d, ROWS * ROWS, 1, left);
    normals(&s->d, ROWS * MOST, 1, right);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < cols; j++) {
            A[i * cols + j] = 0;
            for (int k = 0; k < rank; k++)
                A[i * cols + j] += left[i * ROWS + k] * right[k * MOST + j];
        }
}

/* (w/2)|a x - d|^2 in this block, and a map of a given rank. */
static int make_square(example *s, int i, int k)
{
    const int cols = 1 + (int)below(&s->d, MOST), rank = 1 + (int)below(&s->d, ROWS);
    make_rank(s, s->A[i], rank, cols);
    normals(&s->d, DATA * MOST, 1, s->K[k]);
    s->space[i] = crease_vector(cols);
    s->block[i] = (crease_block){ .map = crease_dense(s->A[i]) };
    s->map[k][0] = crease_identity(uniform(&s->d, 0.5, 2));
    s->u[k] = (crease_predictor){ .count = 1, .block = &s->all[i], .map = s->map[k] };
    s->u[k].range = s->space[i];
    if (below(&s->d, 3)) s->u[k].rhs = s->K[k];
    return rank < cols ? rank : cols;
}

static void half_a_square(void **state)
{
    long cases = 0, deficient = 0;
    (void)state;
    for (uint64_t seed = 1000; seed < 1300; seed++, cases++) {
        example s;
        presolved r;
        draw(&s, seed);
        const int rank = make_square(&s, s.gone, 0);
        s.term[0] = crease_least_squares(&s.u[0]);
        s.term_count = 1;
        if (s.gone != 0) add_loss(&s, s.all, 1, false);
        finish(&s);
        if (below(&s.d, 2)) s.p.rhs = s.b;
        presolved_open(&r, &s.p);
        assert_int_equal(r.plan->count, 1);
        assert_int_equal(r.plan->c->constraint ? r.plan->c->constraint->rows : 0, ROWS - rank);
        deficient += rank < ROWS;
        compare(&r, &s.d, 1e-9);
        presolved_close(&r);
    }
    print_message("%ld problems, %ld of them rank deficient, 5 points each\n", cases, deficient);
    assert_true(deficient > 50 && deficient < 290);
}

/* Singular values 1, 1, 1 and one that falls to 1e-16: small is not zero. */
static void a_map_that_is_nearly_rank_deficient(void **state)
{
    long reduced = 0;
    (void)state;
    for (uint64_t seed = 4000; seed < 4200; seed++) {
        example s;
        presolved r;
        draw(&s, seed);
        make_square(&s, s.gone, 0);
        s.space[s.gone] = s.u[0].range = crease_vector(ROWS);
        const double small = spread(&s.d, -16 * log(10), 0), angle = uniform(&s.d, 0, 6);
        fill(ROWS * ROWS, 0, s.A[s.gone]);
        for (int i = 0; i < 3; i++) s.A[s.gone][i * ROWS + i] = i == 0 ? cos(angle) : 1;
        s.A[s.gone][ROWS - 1] = -sin(angle) * small;
        s.A[s.gone][3 * ROWS] = sin(angle), s.A[s.gone][ROWS * ROWS - 1] = cos(angle) * small;
        s.term[0] = crease_least_squares(&s.u[0]);
        s.term_count = 1;
        finish(&s);
        s.p.rhs = s.b;
        presolved_open(&r, &s.p);
        reduced += r.plan->count;
        compare(&r, &s.d, 1e-9 + (r.plan->count ? 1e-15 / square(larger(small, 1e-5)) : 0));
        presolved_close(&r);
    }
    print_message("%ld of 200 reduced\n", reduced);
    assert_true(reduced > 50 && reduced < 150);
}

/* Two free blocks with half a square each: one is minimized out, which couples the other. Rows that
 * have all one weight are no hindrance. */
static void of_two_free_blocks_one_stays(void **state)
{
    double alike[MOST];
    (void)state;
    fill(MOST, 2.5, alike);
    for (uint64_t seed = 2000; seed < 2200; seed++) {
        example s;
        presolved r;
        draw(&s, seed);
        make_square(&s, s.gone, 0);
        make_square(&s, (s.gone + 1) % 3, 1);
        s.term[0] = crease_least_squares(&s.u[0]);
        s.term[1] = crease_least_squares(&s.u[1]);
        if (seed % 2) s.u[0].weight = s.u[1].weight = alike;
        s.term_count = 2;
        finish(&s);
        s.p.rhs = s.b;
        presolved_open(&r, &s.p);
        assert_int_equal(r.plan->count, 1);
        compare(&r, &s.d, 1e-9);
        presolved_close(&r);
    }
}

static void stays(example *s, const char *why)
{
    presolved r;
    presolved_open(&r, &s->p);
    if (r.plan->count > 0) fail_msg("%s: %s", why, r.plan->step[0].text);
    presolved_draw(&r, &s->d); /* and the way back is the identity */
    presolved_back(&r);
    presolved_compare(&r, 1e-10);
    presolved_close(&r);
}

/* Labels and counts are no right-hand side that could be shifted; a term with two blocks couples;
 * a penalty or a bound on the block; only products of a map are known. */
static void what_must_not_be_reduced(void **state)
{
    (void)state;
    for (uint64_t seed = 3000; seed < 3060; seed++) {
        example s;
        draw(&s, seed);
        const int j = s.gone;
        for (int i = 0; i < DATA; i++) s.y[0][i] = i % 2 ? 1 : 3;
        add_loss(&s, &s.all[j], 1, true);
        s.u[0].rhs = s.y[0];
        finish(&s);
        s.p.rhs = s.b;
        for (int i = 0; i < DATA; i++) s.y[0][i] = i % 2 ? 1 : 3;
        s.term[0] = crease_poisson(&s.u[0]);
        stays(&s, "counts");
        for (int i = 0; i < DATA; i++) s.y[0][i] = i % 2 ? 1 : -1;
        s.term[0] = crease_logistic(&s.u[0]);
        stays(&s, "labels");
        s.term[0] = crease_least_squares(&s.u[0]);
        s.block[j].reg = crease_l1(0.1);
        stays(&s, "a penalty");
        s.block[j].reg = crease_zero();
        s.block[j].set = &s.box;
        stays(&s, "a box");
        s.block[j].set = NULL;
        s.block[j].map = crease_zero_map();
        stays(&s, "a map that is 0");
        s.block[j].map = crease_identity(2);
        s.u[0].block = s.all, s.u[0].count = 3;
        s.map[0][1] = s.map[0][2] = s.map[0][0];
        stays(&s, "a term with other blocks");
    }
}

static void forward(void *user, double a, const double *x, double *y)
{
    (void)user;
    for (int i = 0; i < ROWS; i++) y[i] += a * (x[i] - x[(i + 1) % ROWS] / 2);
}

static void backward(void *user, double a, const double *y, double *x)
{
    (void)user;
    for (int i = 0; i < ROWS; i++) x[i] += a * (y[i] - y[(i + ROWS - 1) % ROWS] / 2);
}

/* Half a square of rows with weights, or of weight < 0; a map of which products alone are known. */
static void squares_that_must_not_be_reduced(void **state)
{
    static const crease_callback_map own = { .apply = forward, .adjoint = backward };
    (void)state;
    for (uint64_t seed = 5000; seed < 5060; seed++) {
        example s;
        double each[MOST];
        draw(&s, seed);
        const int j = s.gone;
        make_square(&s, j, 0);
        s.term[0] = crease_least_squares(&s.u[0]);
        s.term_count = 1;
        finish(&s);
        s.p.rhs = s.b;
        for (int i = 0; i < MOST; i++) each[i] = 1 + i;
        s.u[0].weight = each;
        if (crease_size(&s.space[j]) > 1) stays(&s, "weights"); /* of one row: the square's own */
        s.u[0].weight = NULL;
        const crease_distance_data concave = { j, -1, -1, NULL };
        s.term[0] = crease_squared_distance(&concave);
        stays(&s, "a negative weight");
        s.term[0] = crease_least_squares(&s.u[0]);
        s.space[j] = s.u[0].range = crease_vector(ROWS);
        s.block[j].map = crease_map_callback(&own);
        stays(&s, "an operator");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_multiple_of_the_identity),
        cmocka_unit_test(half_a_square),
        cmocka_unit_test(a_map_that_is_nearly_rank_deficient),
        cmocka_unit_test(of_two_free_blocks_one_stays),
        cmocka_unit_test(what_must_not_be_reduced),
        cmocka_unit_test(squares_that_must_not_be_reduced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
