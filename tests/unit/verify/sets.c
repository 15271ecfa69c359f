/* SPDX-License-Identifier: MIT
 * sets: every defining inequality of every set counts, alone; and kinks at the end of a box
 */
#include "reg/reg.h"
#include "support/verify_test.h"

static const crease_space two = { 1, { 2 }, NULL }, square_space = { 2, { 2, 2 }, NULL };
static const double up = 1 + 0x1p-50, tiny = 0x1p-50; /* two roundings are allowed, not four */

/* f = 0: a point of the set is stationary, another is outside by the given excess. */
static void assert_excess(const crease_set *set, const crease_space *s, const double *x,
                          double excess)
{
    const double *const at[] = { x };
    const crease_block block = { .set = set };
    const crease_problem p = { .count = 1, .space = s, .block = &block };
    crease_verification v = verified(&p, at, NULL, 1, false);
    if (v.verdict != (excess > 0 ? CREASE_VERDICT_INVALID : CREASE_VERDICT_VALID))
        fail_msg("%s (%g, %g, ..): %s", set->ops->name, x[0], x[1], v.text);
    assert_true(fabs(v.outside - excess) <= 1e-15 * (1 + excess));
    crease_verification_free(&v);
}

static void line(const crease_set *set, double x, double y, double excess)
{
    assert_excess(set, &two, (double[]){ x, y }, excess);
}

static void matrix(const crease_set *set, double a, double b, double c, double d, double excess)
{
    assert_excess(set, &square_space, (double[]){ a, b, c, d }, excess);
}

static void entries_are_bounded(void **state)
{
    const crease_set box = crease_box(-1, 1), linf = crease_linf_ball(1),
                     sparse = crease_k_sparse(1, 2);
    const crease_set orthant = crease_orthant(), simplex = crease_simplex(1);
    const crease_set capped = crease_capped_simplex(1), birkhoff = crease_birkhoff();
    (void)state;
    line(&box, 1, -1, 0), line(&box, up, 0, tiny), line(&box, 0, -up, tiny);
    line(&linf, 1, -1, 0), line(&linf, up, 0, tiny), line(&linf, 0, -up, tiny);
    line(&sparse, 1, -1, 0), line(&sparse, up, 0, tiny), line(&sparse, 0, -up, tiny);
    line(&orthant, 0, 1e300, 0), line(&orthant, -1e-300, 0, 1e-300);
    line(&simplex, 0.5, 0.5, 0), line(&simplex, 1, -1e-300, 1e-300);
    line(&capped, 1, 0, 0), line(&capped, up, 0, tiny), line(&capped, 1, -1e-300, 1e-300);
    matrix(&birkhoff, 1, 0, 0, 1, 0), matrix(&birkhoff, 1, -1e-300, 0, 1, 1e-300);
}

static void sums_and_norms(void **state)
{
    const double a[] = { 0, 1 };
    const crease_set simplex = crease_simplex(1), full = crease_full_simplex(1);
    const crease_set capped = crease_capped_simplex(1), sparse = crease_k_sparse(1, 1);
    const crease_set l1 = crease_l1_ball(1), l2 = crease_l2_ball(5), lp = crease_lp_ball(1, 3);
    const crease_set support = crease_k_support(1, 1), hull = crease_permutahedron(a);
    (void)state;
    line(&simplex, 0.5, 0.25, 0.25), line(&simplex, 1, 0.25, 0.25);
    line(&full, 0.5, 0.25, 0), line(&full, 1, 0.25, 0.25);
    line(&capped, 0.5, 0.25, 0.25), line(&capped, 1, 0.25, 0.25);
    line(&l1, 0.5, -0.5, 0), line(&l1, 0.75, -0.5, 0.25);
    line(&l2, 3, -4, 0), line(&l2, 6, 8, 5), line(&lp, 0, -1, 0), line(&lp, 0, 1.5, 0.5);
    line(&sparse, 0.5, -0.5, 0), line(&sparse, 0.75, -0.5, 0.25);
    line(&support, 0.5, -0.5, 0), line(&support, 0.75, -0.5, 0.25);
    line(&hull, 0.25, 0.75, 0), line(&hull, 1.25, -0.25, 0.25), line(&hull, 0.5, 0.25, 0.25);
    line(&hull, 0.75, 0.5, 0.25);
}

static void rows_and_cones(void **state)
{
    const double a[] = { 1, 2 };
    const crease_set half = crease_half_space(a, 4), plane = crease_hyperplane(a, 4);
    const crease_set boxed = crease_box_hyperplane(0, 2, a, 4), soc = crease_soc();
    const crease_set capped = crease_capped_soc(2), sparse = crease_l0_ball(1);
    (void)state;
    line(&half, 2, 1, 0), line(&half, -9, 1, 0), line(&half, 2, 1.25, 0.5);
    line(&plane, 2, 1, 0), line(&plane, 2, 0.75, 0.5), line(&plane, 2, 1.25, 0.5);
    line(&boxed, 2, 1, 0), line(&boxed, 2.5, 0.75, 0.5), line(&boxed, -0.5, 2.25, 0.5);
    line(&boxed, 1, 1, 1), line(&soc, -2, 2, 0), line(&soc, -2, 1.75, 0.25);
    line(&capped, -2, 2, 0), line(&capped, 0, 2.25, 0.25), line(&capped, 1, 0.75, 0.25);
    line(&sparse, 0, 3, 0), line(&sparse, 1e-300, 3, 1e-300), line(&sparse, 2, -1, 1);
}

static void matrices(void **state)
{
    const crease_set nuclear = crease_nuclear_ball(1), spectral = crease_spectral_ball(1);
    const crease_set psd = crease_spectrahedron(1), birkhoff = crease_birkhoff();
    (void)state;
    matrix(&nuclear, 0, 0.75, -0.25, 0, 0), matrix(&nuclear, 0, 0.75, -0.5, 0, 0.25);
    matrix(&spectral, 0, 1, -1, 0, 0), matrix(&spectral, 0, 1.25, -1, 0, 0.25);
    matrix(&psd, 0.5, 0.5, 0.5, 0.5, 0), matrix(&psd, 1.25, 0, 0, -0.25, 0.25);
    matrix(&psd, 0.5, 0.125, 0, 0.5, 0.125), matrix(&psd, 0.5, 0, 0, 0.25, 0.25);
    matrix(&psd, 1, 0, 0, 0.5, 0.5);
    const crease_set cone = crease_psd(), below = crease_capped_psd(1), rank = crease_rank_ball(1);
    const crease_set columns = crease_column_balls(5), rows = crease_row_balls(5);
    matrix(&cone, 9, 9, 9, 9, 0), matrix(&cone, 1, 0, 0, -0.25, 0.25);
    matrix(&cone, 1, 0.125, 0, 1, 0.125), matrix(&below, 0.5, 0, 0, 0.25, 0);
    matrix(&below, 1, 0, 0, 0.25, 0.25), matrix(&rank, 1, 2, 2, 4, 0), matrix(&rank, 2, 0, 0, 1, 1);
    matrix(&columns, 3, 4, 4, 3, 0), matrix(&columns, 6, 0, 8, 5, 5);
    matrix(&rows, 3, 4, 4, 3, 0), matrix(&rows, 6, 8, 0, 5, 5),
        matrix(&rows, 6, 0, 8, 5, 4.433981132056603);
    matrix(&birkhoff, 0.5, 0.5, 0.25, 0.75, 0.25), matrix(&birkhoff, 0.5, 0.25, 0.5, 0.75, 0.25);
    matrix(&birkhoff, 1.25, -0.25, -0.25, 1.25, 0.25);
}

static void combinations(void **state)
{
    const double shift[] = { 1, -1 };
    const crease_space one = crease_vector(1), parts_space[] = { one, one };
    const crease_set simplex = crease_simplex(1), parts[] = { crease_box(0, 1), crease_l2_ball(2) };
    const crease_affine_set moved = { &simplex, -2, shift };
    const crease_product_set both = { 2, parts, parts_space };
    const crease_set affine = crease_affine(&moved), product = crease_product(&both);
    (void)state;
    line(&affine, -1, -1, 0), line(&affine, 1, -3, 0), line(&affine, 0, -2, 0);
    line(&affine, 1.5, -3.5, 0.5), line(&affine, 1, -3.5, 0.5), line(&affine, 1, -2.5, 0.5);
    line(&product, 1, -2, 0), line(&product, up, 0, tiny), line(&product, 0, 2.5, 0.5);
}

/* The nonnegative capped-l1 at its kink theta = 1, which is also the end of the box:
 * r + indicator rises with slope 1 from the left, so every slope >= 1 is one, 0 is not. */
static void kinks_at_the_end(void **state)
{
    const crease_set ends[] = { crease_box(0, 1), crease_box(1, 2) };
    const double x[] = { 1, 1 }, inside[] = { -1, -5 }, between[] = { -0.25, -1 };
    const double *const at[] = { x };
    const double *linear[] = { inside };
    const crease_quadratic_data q = { .linear = linear, .blocks = 1 };
    crease_block block = { .reg = crease_nonneg(&crs_capped_l1, (double[]){ 1, 1 }),
                           .set = &ends[0] };
    const crease_problem p = { 1, &two, &block, crease_quadratic(&q), { 0 }, NULL };
    (void)state;
    assert_int_equal(verdict_on(&p, at, NULL, 1e-15), CREASE_VERDICT_VALID);
    linear[0] = between; /* -c = 1/4 is 3/4 below the interval [1, inf) */
    assert_int_equal(verdict_on(&p, at, NULL, 0.7499), CREASE_VERDICT_INVALID);
    assert_int_equal(verdict_on(&p, at, NULL, 0.7501), CREASE_VERDICT_VALID);
    block.set = &ends[1]; /* (-inf, 0]: 1/4 and 1 above it */
    assert_int_equal(verdict_on(&p, at, NULL, 1.03), CREASE_VERDICT_INVALID);
    assert_int_equal(verdict_on(&p, at, NULL, 1.04), CREASE_VERDICT_VALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_bounded), cmocka_unit_test(sums_and_norms),
        cmocka_unit_test(rows_and_cones),      cmocka_unit_test(matrices),
        cmocka_unit_test(combinations),        cmocka_unit_test(kinks_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
