/* SPDX-License-Identifier: MIT
 * impossible: proofs that a problem has no answer are found valid when they are, and what only
 * looks like one is refused: for every set that can be separated and every growth at infinity */
#include "support/test.h"

#include "reg/reg.h"

enum { N = 3 };

static const crease_space space[] = { { 1, { N }, NULL }, { 1, { N }, NULL } };

static crease_refutation infeasible(const crease_problem *p, const double *y)
{
    crease_refutation r;
    crease_error e = { CREASE_OK, "" };
    if (!crease_verify_infeasible(p, y, &r, &e)) fail_msg("%s", e.text);
    return r;
}

static crease_refutation falling(const crease_problem *p, const double *const *x,
                                 const double *const *d)
{
    crease_refutation r;
    crease_error e = { CREASE_OK, "" };
    if (!crease_verify_unbounded(p, x, d, 1e-9, false, &r, &e)) fail_msg("%s", e.text);
    return r;
}

/* sum x = t has no solution in a set exactly when t is above its largest sum */
static void every_compact_set_is_separated_at_its_support(void **state)
{
    static const double a[] = { 3, 1, 2 }, shift[] = { 5, 5, 5 }, ones[] = { 1, 1, 1 };
    const crease_set unit = crease_simplex(1);
    const crease_affine_set moved = { &unit, -2, shift };
    const crease_space part[] = { { 1, { 1 }, NULL }, { 1, { 2 }, NULL } };
    const crease_set parts[] = { crease_l2_ball(2), crease_full_simplex(3) };
    const crease_product_set both = { 2, parts, part };
    const struct {
        crease_set set;
        double most;
    } known[] = {
        { crease_box(-1, 2), 6 },
        { crease_linf_ball(2), 6 },
        { crease_l1_ball(2), 2 },
        { crease_l2_ball(2), 2 * sqrt(3) },
        { crease_lp_ball(2, 3), 2 * pow(3, 2.0 / 3) },
        { crease_simplex(4), 4 },
        { crease_full_simplex(4), 4 },
        { crease_capped_simplex(2), 2 },
        { crease_k_sparse(1, 2), 2 },
        { crease_permutahedron(a), 6 },
        { crease_affine(&moved), 13 },
        { crease_product(&both), 5 },
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int above = -1; above <= 1; above += 2) {
            const double most = known[k].most, t = most + above * 1e-6, up = 1, down = -1;
            const crease_space row = { 1, { 1 }, NULL };
            const crease_block block = { .set = &known[k].set, .map = crease_dense(ones) };
            const crease_problem p = { 1, space, &block, { .ops = NULL }, row, &t };
            const crease_refutation r = infeasible(&p, &up);
            if ((r.verdict == CREASE_VERDICT_VALID) != (above > 0))
                fail_msg("%s: %s", known[k].set.ops->name, r.text);
            if (above > 0) assert_true(fabs(r.margin - 1e-6) < 1e-12 && r.radius == INFINITY);
            const bool fixed = k == 5 || k == 7 || k == 9 || k == 10; /* the sum is one number */
            assert_true((infeasible(&p, &down).verdict == CREASE_VERDICT_VALID) ==
                        (fixed && above < 0));
        }
}

/* Two rows that contradict each other, and all of x free: y = (-1, 1) is exact, y = (-1, 1 + 1e-5)
 * proves nothing, and a third row is not named. */
static void free_blocks_need_an_exact_y(void **state)
{
    static const double A[] = { 1, 1, 1, 1, 1, 1, 0, 0, 1 }, b[] = { 1, 2, 0 };
    const double y[] = { -1, 1, 0 }, off[] = { -1, 1 + 1e-5, 0 }, zero[N] = { 0 };
    const double odd[] = { -1, NAN, 0 };
    crease_block block = { .map = crease_dense(A) };
    crease_problem p = { 1, space, &block, { .ops = NULL }, space[0], b };
    (void)state;
    crease_refutation r = infeasible(&p, y);
    assert_int_equal(r.verdict, CREASE_VERDICT_VALID);
    assert_true(fabs(r.margin - 1) < 1e-15 && r.radius > 1e15);
    assert_non_null(strstr(r.text, "rows 1 and 2 of"));
    assert_int_equal(infeasible(&p, off).verdict, CREASE_VERDICT_INVALID);
    assert_int_equal(infeasible(&p, zero).verdict, CREASE_VERDICT_INVALID);
    assert_int_equal(infeasible(&p, odd).verdict, CREASE_VERDICT_INVALID);
    p.rhs = zero; /* and now there is a solution */
    assert_int_equal(infeasible(&p, y).verdict, CREASE_VERDICT_INVALID);

    const double first = 1, up = 1, down = -1, minus = -1;
    const crease_space row = { 1, { 1 }, NULL };
    const crease_set half = crease_orthant();
    block.set = &half; /* sum x = -1 with x >= 0: bounded on the one side only */
    p = (crease_problem){ 1, space, &block, { .ops = NULL }, row, &minus };
    r = infeasible(&p, &down);
    assert_true(r.verdict == CREASE_VERDICT_VALID && r.radius == INFINITY);
    assert_int_equal(infeasible(&p, &up).verdict, CREASE_VERDICT_INVALID);
    p.rhs = &first;
    assert_int_equal(infeasible(&p, &down).verdict, CREASE_VERDICT_INVALID);
    block.set = NULL; /* the same by the domain of r */
    block.reg = crease_nonneg(&crs_l1, (double[]){ 1 });
    p.rhs = &minus;
    assert_int_equal(infeasible(&p, &down).verdict, CREASE_VERDICT_VALID);
}

/* One row over x in an unbounded set: y = 1 or -1 separates only where the set is bounded that way.
 */
static void cones_and_half_spaces_are_separated(void **state)
{
    static const double along[] = { 2, -4, 6 }, row[] = { 1, -2, 3 }, off[] = { 1, -2, 3.1 };
    static const double up[] = { 0, 0, 1 }, side[] = { 1, 0, 1 }, out[] = { 1, 0, 0.5 };
    const crease_set half = crease_half_space(along, 2), plane = crease_hyperplane(along, 2);
    const crease_set soc = crease_soc();
    const crease_space one = { 1, { 1 }, NULL };
    const struct {
        const crease_set *set;
        const double *row;
        double rhs;
        int y;
        bool proves;
    } cases[] = {
        { &half, row, 1.5, 1, true },   { &half, row, 0.5, 1, false }, /* row x <= 1 */
        { &half, row, 0.5, -1, false }, { &half, off, 1.5, 1, false },
        { &plane, row, 1.5, 1, true },  { &plane, row, 0.5, -1, true }, /* row x = 1 */
        { &plane, row, 1, 1, false },   { &plane, off, 1.5, 1, false },
        { &soc, up, -1, -1, true },     { &soc, up, 1, -1, false },  /* t >= 0 */
        { &soc, side, -1, -1, true },   { &soc, side, 1, 1, false }, /* x + t >= 0 */
        { &soc, out, -1, -1, false },
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double y = cases[k].y, rhs = cases[k].rhs;
        const crease_block block = { .set = cases[k].set, .map = crease_dense(cases[k].row) };
        const crease_problem p = { 1, space, &block, { .ops = NULL }, one, &rhs };
        const crease_refutation r = infeasible(&p, &y);
        if ((r.verdict == CREASE_VERDICT_VALID) != cases[k].proves)
            fail_msg("%zu, %s: %s", k, cases[k].set->ops->name, r.text);
        if (cases[k].proves) assert_true(r.radius > 1e12);
    }
}

/* trace X = -1 contradicts X >= 0, trace X = 1 and X_12 = -1 do not */
static void the_psd_cone_is_separated(void **state)
{
    static const double trace[] = { 1, 0, 0, 1 }, corner[] = { 0, 1, 1, 0 };
    static const double skew[] = { 0, 1, -1, 0 };
    const crease_set psd = crease_psd();
    const crease_space one = { 1, { 1 }, NULL }, square = { 2, { 2, 2 }, NULL };
    const struct {
        const double *row;
        double rhs;
        bool proves[2]; /* by y = -1, y = 1 */
    } cases[] = { { trace, -1, { true, false } },
                  { trace, 1, { false, false } },
                  { corner, -1, { false, false } },
                  { skew, 1, { false, true } } };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int sign = 0; sign <= 1; sign++) {
            const double y = sign ? 1 : -1, rhs = cases[k].rhs;
            const crease_block block = { .set = &psd, .map = crease_dense(cases[k].row) };
            const crease_problem p = { 1, &square, &block, { .ops = NULL }, one, &rhs };
            const crease_refutation r = infeasible(&p, &y);
            if ((r.verdict == CREASE_VERDICT_VALID) != cases[k].proves[sign])
                fail_msg("%zu, y = %g: %s", k, y, r.text);
        }
}

/* F = -<x, d> along d, from a point of the set */
static void rays_of_cones_and_half_spaces_are_known(void **state)
{
    static const double a[] = { 1, 1, 0 }, origin[N] = { 0 };
    const crease_set half = crease_half_space(a, 1), plane = crease_hyperplane(a, 0);
    const crease_set soc = crease_soc(), sparse = crease_l0_ball(2), capped = crease_capped_soc(1);
    const crease_affine_set turned = { &soc, -2, NULL };
    const crease_set below = crease_affine(&turned);
    const struct {
        const crease_set *set;
        double d[N];
        bool falls;
    } cases[] = {
        { &half, { -1, 0, 0 }, true },   { &half, { 1, -1, 5 }, true },
        { &half, { 1, 0, 0 }, false },   { &plane, { 1, -1, 3 }, true },
        { &plane, { 1, -2, 0 }, false }, { &soc, { 3, 4, 5 }, true },
        { &soc, { 3, 4, 4.9 }, false },  { &soc, { 0, 0, -1 }, false },
        { &below, { 0, 0, -1 }, true },  { &below, { 0, 0, 1 }, false },
        { &capped, { 0, 0, 1 }, false }, { &sparse, { 1, 0, 0 }, false }, /* not known */
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double q[N];
        for (int j = 0; j < N; j++) q[j] = -cases[k].d[j];
        const double *const linear[] = { q }, *const x[] = { origin }, *const d[] = { cases[k].d };
        const crease_quadratic_data line = { 0, NULL, NULL, NULL, linear, 1 };
        const crease_block block = { .set = cases[k].set };
        const crease_problem p = {
            .count = 1, .space = space, .block = &block, .f = crease_quadratic(&line)
        };
        const crease_refutation r = falling(&p, x, d);
        if ((r.verdict == CREASE_VERDICT_VALID) != cases[k].falls)
            fail_msg("%zu, %s: %s", k, cases[k].set->ops->name, r.text);
    }
}

/* F = f + r along d from x = 0, or another start */
typedef struct {
    const char *what;
    crease_smooth f;
    crease_reg reg;
    bool falls;
} growth;

static void every_growth_at_infinity_counts(void **state)
{
    static const double q[] = { -1, 0, 0 }, A[] = { 0, 1, 1, 0, 1, -1 }, b[] = { 1, 2 };
    static const double onto[] = { 1, 1, 1, 0, 1, -1 }, labels[] = { 1, -1 };
    static const double Q[] = { -1, 0, 0, 0, 1, 0, 0, 0, 1 };
    const double *const linear[] = { q }, *const matrix[] = { Q };
    const int zero = 0;
    const crease_quadratic_data line = { 0, NULL, NULL, NULL, linear, 1 };
    const crease_quadratic_data saddle = { 1, &zero, &zero, matrix, NULL, 0 };
    const crease_map blind = crease_dense(A), sees = crease_dense(onto);
    const crease_space pair = { 1, { 2 }, NULL };
    const crease_predictor past = { 1, &zero, &blind, pair, b, NULL },
                           hit = { 1, &zero, &sees, pair, b, NULL };
    const crease_predictor marks = { 1, &zero, &sees, pair, labels, NULL };
    const crease_smooth f[] = { crease_quadratic(&line),      crease_least_squares(&past),
                                crease_least_squares(&hit),   crease_huber_loss(&hit, 0.9),
                                crease_huber_loss(&hit, 1.1), crease_cauchy(&hit),
                                crease_quadratic(&saddle),    crease_logistic(&marks) };
    const crease_smooth with[][2] = { { f[0], f[1] }, { f[0], f[2] }, { f[0], f[3] },
                                      { f[0], f[4] }, { f[0], f[5] }, { f[0], f[7] } };
    const crease_smooth_list sum[] = { { 2, with[0] }, { 2, with[1] }, { 2, with[2] },
                                       { 2, with[3] }, { 2, with[4] }, { 2, with[5] } };
    const growth all[] = {
        { "linear", f[0], { .ops = NULL }, true },
        { "linear, l1 below", f[0], crease_l1(0.9), true },
        { "linear, l1 above", f[0], crease_l1(1.1), false },
        { "linear, elastic net", f[0], crease_elastic_net(0.5, 0.1), false },
        { "linear, mcp", f[0], crease_mcp(5, 3), true },
        { "linear, total variation below", f[0], crease_tv1d(0.9), true },
        { "linear, total variation above", f[0], crease_tv1d(1.1), false },
        { "linear and squares that do not see it",
          crease_smooth_sum(&sum[0]),
          { .ops = NULL },
          true },
        { "linear and squares", crease_smooth_sum(&sum[1]), { .ops = NULL }, false },
        { "linear and huber below", crease_smooth_sum(&sum[2]), { .ops = NULL }, true },
        { "linear and huber above", crease_smooth_sum(&sum[3]), { .ops = NULL }, false },
        { "linear and cauchy", crease_smooth_sum(&sum[4]), { .ops = NULL }, true },
        { "linear and logistic", crease_smooth_sum(&sum[5]), { .ops = NULL }, true },
        { "saddle", f[6], { .ops = NULL }, true },
        { "saddle, l1", f[6], crease_l1(1.1), true },
        { "saddle, ridge below", f[6], crease_squared_l2(0.5), true },
        { "saddle, ridge above", f[6], crease_squared_l2(2), false },
    };
    const double at[N] = { 0 }, to[N] = { 1, 0, 0 }, back[N] = { -1, 0, 0 };
    const double *const x[] = { at }, *const d[] = { to }, *const away[] = { back };
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        crease_block block = { .reg = all[k].reg };
        const crease_problem p = { 1, space, &block, all[k].f, { 0 }, NULL };
        const crease_refutation r = falling(&p, x, d);
        if ((r.verdict == CREASE_VERDICT_VALID) != all[k].falls)
            fail_msg("%s: %s", all[k].what, r.text);
        if (all[k].falls) assert_true(r.margin < 0 && strstr(r.text, "x1"));
        const bool even = strncmp(all[k].what, "saddle", 6) == 0;
        assert_true(even || falling(&p, x, away).verdict == CREASE_VERDICT_INVALID);
        const crease_set box = crease_box(-1, 1), half = crease_orthant();
        block.set = &box;
        assert_int_equal(falling(&p, x, d).verdict, CREASE_VERDICT_INVALID);
        block.set = &half;
        assert_true((falling(&p, x, d).verdict == CREASE_VERDICT_VALID) == all[k].falls);
        assert_int_equal(falling(&p, x, away).verdict, CREASE_VERDICT_INVALID);
    }
}

/* -x1 + w phi(x1) and x1 + w phi(x1): F falls along x1 or -x1 where w times phi's slope there at
 * infinity is below 1. */
static void losses_grow_as_their_slopes_at_infinity(void **state)
{
    static const double in[] = { 1, 0, 0 }, one[] = { 1 }, minus[] = { -1 }, three[] = { 3 };
    const int zero = 0;
    const crease_map first = crease_dense(in);
    const crease_space single = { 1, { 1 }, NULL };
    double weight[1];
    const crease_predictor up = { 1, &zero, &first, single, one, weight };
    const crease_predictor down = { 1, &zero, &first, single, minus, weight };
    const crease_predictor counted = { 1, &zero, &first, single, three, weight };
    const struct {
        crease_smooth f;
        double ahead, behind; /* the slopes */
    } all[] = {
        { crease_quantile(&up, 0.8, 0.1), 0.2, 0.8 },
        { crease_squared_hinge(&up), 0, INFINITY },
        { crease_squared_hinge(&down), INFINITY, 0 },
        { crease_logistic(&down), 1, 0 },
        { crease_huber_loss(&up, 0.3), 0.3, 0.3 },
        { crease_poisson(&counted), INFINITY, 3 },
        { crease_poisson_identity(&counted, 1), 1, INFINITY },
        { crease_polynomial(&up, 1, in), INFINITY, INFINITY },
        { crease_lp_loss(&up, 1.5), INFINITY, INFINITY },
        { crease_cauchy(&up), 0, 0 },
    };
    const double at[N] = { 0 }, to[N] = { 1, 0, 0 }, back[N] = { -1, 0, 0 };
    const double *const x[] = { at }, *const d[] = { to }, *const away[] = { back };
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int j = 0; j < 12; j++) {
            const double slope = j % 2 ? all[k].ahead : all[k].behind;
            const double *const linear[] = { j % 2 ? back : to };
            const crease_quadratic_data line = { 0, NULL, NULL, NULL, linear, 1 };
            const crease_smooth term[] = { crease_quadratic(&line), all[k].f };
            const crease_smooth_list sum = { 2, term };
            const crease_block block = { 0 };
            const crease_problem p = { 1, space, &block, crease_smooth_sum(&sum), { 0 }, NULL };
            weight[0] = slope > 0 && slope < INFINITY ? (0.25 + 0.25 * j) / slope : 0.5 * j;
            if (j == 3) weight[0] = 0; /* left out */
            const bool falls = weight[0] == 0 || weight[0] * slope < 1;
            const crease_refutation r = falling(&p, x, j % 2 ? d : away);
            if ((r.verdict == CREASE_VERDICT_VALID) != falls)
                fail_msg("%s, weight %g: %s", all[k].f.ops->name, weight[0], r.text);
        }
}

/* min -x1 with x1 = x2 in two blocks: d must keep the constraint, x must satisfy it */
static void the_ray_keeps_the_constraint(void **state)
{
    static const double q[] = { -1, 0, 0 };
    const double *const linear[] = { q };
    const crease_quadratic_data line = { 0, NULL, NULL, NULL, linear, 1 };
    const crease_block block[] = { { .map = crease_identity(1) }, { .map = crease_identity(-1) } };
    const crease_problem p = { 2, space, block, crease_quadratic(&line), space[0], NULL };
    const double one[] = { 1, 0, 0 }, third[] = { 1.0 / 3, 0, 0 }, zero[N] = { 0 };
    const double *const x[] = { one, one }, *const d[] = { third, third };
    const double *const off[] = { one, zero }, *const first[] = { zero, zero };
    (void)state;
    assert_int_equal(falling(&p, x, d).verdict, CREASE_VERDICT_VALID);
    assert_int_equal(falling(&p, off, d).verdict, CREASE_VERDICT_INVALID);
    assert_int_equal(falling(&p, x, off).verdict, CREASE_VERDICT_INVALID);
    assert_int_equal(falling(&p, x, first).verdict, CREASE_VERDICT_INVALID);
    crease_refutation r;
    crease_error e = { CREASE_OK, "" };
    const double *const hole[] = { one, NULL };
    assert_false(crease_verify_unbounded(&p, hole, d, 1, false, &r, &e));
    assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
    assert_false(crease_verify_infeasible(&p, NULL, &r, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_compact_set_is_separated_at_its_support),
        cmocka_unit_test(free_blocks_need_an_exact_y),
        cmocka_unit_test(cones_and_half_spaces_are_separated),
        cmocka_unit_test(the_psd_cone_is_separated),
        cmocka_unit_test(rays_of_cones_and_half_spaces_are_known),
        cmocka_unit_test(every_growth_at_infinity_counts),
        cmocka_unit_test(losses_grow_as_their_slopes_at_infinity),
        cmocka_unit_test(the_ray_keeps_the_constraint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
