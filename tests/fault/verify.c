/* SPDX-License-Identifier: MIT
 * verify: a verification survives any of its allocations failing, and leaks nothing */
#include "support/fail_alloc.h"
#include "support/test.h"

enum { N = 4, BLOCKS = 9 };

static const double ones[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
static const double half[N] = { 0.5, 0.5, 0.5, 0.5 }, mixed[N] = { 0.75, 0.25, 0.25, 0.75 };

typedef struct {
    crease_set set[BLOCKS], parts[2];
    crease_affine_set moved;
    crease_product_set product;
    crease_map term[2];
    crease_map_list sum;
    crease_map_pair pair;
    crease_space space[BLOCKS], line, square, pieces[2];
    crease_block block[BLOCKS];
    int terms[2];
    crease_predictor predictor, classes;
    crease_power_data power;
    crease_tucker_data tucker;
    crease_smooth f[5];
    crease_smooth_list list;
    crease_problem p;
    const double *x[BLOCKS];
} everything;

static double zero_value(void *user, const double *const *x) { return (void)user, (void)x, 0.0; }
static void zero_grad(void *user, const double *const *x, int i, double *g)
{
    (void)user, (void)x, (void)i, (void)g;
}
static const crease_callback_smooth call = { .value = zero_value,
                                             .grad = zero_grad,
                                             .constants = { .L = 1 } };

static void make_sets(everything *t)
{
    t->parts[0] = crease_simplex(1), t->parts[1] = crease_k_support(2, 1);
    t->pieces[0] = t->pieces[1] = crease_vector(2);
    t->moved = (crease_affine_set){ &t->parts[0], 2, NULL };
    t->product = (crease_product_set){ 2, t->parts, t->pieces };
    t->set[3] = crease_permutahedron(mixed);
    t->set[4] = crease_birkhoff();
    t->set[5] = crease_spectrahedron(1);
    t->set[6] = crease_affine(&t->moved);
    t->set[7] = crease_product(&t->product);
    t->set[8] = crease_capped_simplex(2);
}

static void make(everything *t)
{
    static const ptrdiff_t starts[] = { 0, 1, 4 }, order[] = { 3, 2, 1, 0 };
    static const crease_groups groups = { 2, starts, order };
    static const int factor[] = { 4, 5 };
    *t = (everything){ .line = crease_vector(N), .square = crease_matrix(2, 2) };
    make_sets(t);
    t->term[0] = crease_dense(ones), t->term[1] = crease_diagonal(half);
    t->sum = (crease_map_list){ 2, t->term, NULL };
    t->pair = (crease_map_pair){ &t->term[0], &t->term[1], &t->line };
    for (int i = 0; i < BLOCKS; i++) {
        t->space[i] = i == 2 || i == 4 || i == 5 ? t->square : t->line;
        t->block[i] = (crease_block){ .set = i > 2 ? &t->set[i] : NULL };
        t->x[i] = i < 3 ? mixed : half;
    }
    t->block[0] = (crease_block){ .reg = crease_group_l1(1, &groups) };
    t->block[1] = (crease_block){ .reg = crease_tv1d(1), .map = crease_map_sum(&t->sum) };
    t->block[2].reg = crease_nuclear(1);
    t->block[8].map = crease_composition(&t->pair);
    t->terms[0] = 0, t->terms[1] = 6;
    t->predictor = (crease_predictor){ 2, t->terms, t->term, t->line, NULL, NULL };
    t->tucker = (crease_tucker_data){ t->square, t->square, factor, 2, -1, ones };
    t->f[0] = crease_cauchy(&t->predictor), t->f[1] = crease_tucker(&t->tucker);
    t->f[2] = crease_smooth_callback(&call);
    t->classes = (crease_predictor){ 1, t->terms, t->term, t->square, ones, half };
    t->power = (crease_power_data){ 0, 1, 3, half };
    t->f[3] = crease_softmax(&t->classes), t->f[4] = crease_norm_power(&t->power);
    t->list = (crease_smooth_list){ 5, t->f };
    t->p =
        (crease_problem){ BLOCKS, t->space, t->block, crease_smooth_sum(&t->list), t->line, ones };
}

static void any_allocation_may_fail(void **state)
{
    everything t;
    crease_verification v;
    crease_error e;
    long failures = 0;
    (void)state;
    make(&t);
    for (bool done = false; !done; failures += !done) {
        allocations_left = failures;
        e = (crease_error){ 0 };
        done = crease_verify(&t.p, t.x, half, NULL, false, 100, false, &v, &e);
        allocations_left = -1;
        if (done) break;
        assert_int_equal(e.code, CREASE_NO_MEMORY);
        assert_true(v.verdict == CREASE_VERDICT_UNSUPPORTED && !v.residual);
        assert_int_equal(allocations_live, 0);
    }
    if (v.verdict != CREASE_VERDICT_VALID) fail_msg("%s", v.text);
    assert_true(v.trusted_callback && failures > 50);
    crease_verification_free(&v);
    assert_int_equal(allocations_live, 0);
}

/* Normals and barriers: rows with a regularizer, cones, and what is built from them. */
static void any_allocation_may_fail_on_unbounded_sets(void **state)
{
    enum { SETS = 8 };
    static const double up[N] = { 0, 0.5, 0.5, 1 }, twice[N] = { 0, 1, 1, 2 }, first[] = { -1 };
    const crease_space line = crease_vector(N), square = crease_matrix(2, 2);
    const crease_space halves[] = { crease_vector(2), crease_vector(2) };
    const crease_set parts[] = { crease_soc(), crease_orthant() }, cone = crease_soc();
    const crease_product_set product = { 2, parts, halves };
    const crease_affine_set turned = { &cone, -1, twice };
    const crease_set set[SETS] = { crease_psd(),
                                   crease_rank_ball(1),
                                   crease_l0_ball(3),
                                   crease_soc(),
                                   crease_hyperplane(ones, 2),
                                   crease_box_hyperplane(0, 1, ones, 2),
                                   crease_product(&product),
                                   crease_affine(&turned) };
    crease_space space[SETS];
    crease_block block[SETS] = { { .set = NULL } };
    const double *x[SETS];
    for (int i = 0; i < SETS; i++) {
        space[i] = i < 2 ? square : line;
        block[i].set = &set[i];
        x[i] = i < 2 ? ones : i == 5 ? half : up;
    }
    block[4].reg = block[5].reg = crease_l1(0.1);
    block[0].map = crease_dense(ones);
    const crease_problem p = { .count = SETS, .space = space, .block = block };
    const crease_problem none = { 1, space, block, { .ops = NULL }, crease_vector(1), first };
    (void)state;
    for (long failures = 0, done = 0; done < 2; failures++) {
        crease_verification v = { 0 };
        crease_refutation r;
        crease_error e = { 0 };
        const double y = -1;
        block[0].map.ops = NULL;
        allocations_left = failures;
        const bool one = crease_verify(&p, x, NULL, NULL, false, 100, false, &v, &e);
        allocations_left = -1;
        assert_true(one || e.code == CREASE_NO_MEMORY);
        if (one && v.verdict != CREASE_VERDICT_VALID) fail_msg("%s", v.text);
        crease_verification_free(&v);
        block[0].map = crease_dense(ones);
        allocations_left = failures;
        const bool other = crease_verify_infeasible(&none, &y, &r, &e);
        allocations_left = -1;
        assert_true(other ? r.verdict == CREASE_VERDICT_VALID : e.code == CREASE_NO_MEMORY);
        assert_int_equal(allocations_live, 0);
        done = one + other;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(any_allocation_may_fail_on_unbounded_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
