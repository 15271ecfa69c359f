/* SPDX-License-Identifier: MIT
 * rank: the checker and the library decide the rank of a matrix alike: small entries that are no
 * rounding count, whatever the gap; roundings of a matrix of lower rank do not
 *
 * Without f the residual of the nuclear norm is dist(0, d|X|_*) = sqrt(rank X). */
#include "dense/dense.h"
#include "support/test.h"

enum { MOST = 24 };

static double residual(ptrdiff_t m, ptrdiff_t n, const double *x, double *checked)
{
    const crease_space space = crease_matrix(m, n);
    const crease_block block = { .reg = crease_nuclear(1) };
    const crease_problem p = { 1, &space, &block, { .ops = NULL }, { .order = 0 }, NULL };
    const double *const at[] = { x };
    crease_residual room;
    crease_certificate c = { .block = &room };
    crease_verification v;
    double *work = crs_alloc((size_t)crease_certify_scratch(&p), sizeof *work);
    assert_non_null(work);
    crease_certify(&p, at, NULL, &c, work);
    assert_true(crease_verify(&p, at, NULL, NULL, false, 1e-9, false, &v, NULL));
    *checked = v.smallest_eps;
    if (v.verdict == CREASE_VERDICT_UNSUPPORTED) *checked = NAN;
    crease_verification_free(&v);
    crs_free(work);
    return c.worst;
}

/* The rank that both find; -1: the checker says that it cannot tell. */
static int rank_of(ptrdiff_t m, ptrdiff_t n, const double *x)
{
    double checked;
    const double own = residual(m, n, x, &checked);
    if (isnan(checked)) return -1;
    if (!(fabs(own - checked) < 1e-6))
        fail_msg("%td x %td: the library finds %g, the checker %g", m, n, own, checked);
    const int r = (int)lround(own * own);
    assert_true(fabs(own - sqrt(r)) < 1e-6);
    return r;
}

/* diag(1e10, 1e10/gap), also with rows and columns exchanged and beside zeros */
static void diagonals_have_their_rank_at_any_gap(void **state)
{
    (void)state;
    for (int g = 4; g <= 300; g += g < 24 ? 1 : 23)
        for (int kind = 0; kind < 4; kind++) {
            const ptrdiff_t m = 3 + kind / 2, n = 6 - m, at = kind % 2;
            double x[12] = { 0 };
            x[at] = 1e10;
            x[2 * n + 1 - at] = pow(10, 10 - g);
            assert_int_equal(rank_of(m, n, x), 2);
        }
}

/* nuclear:1 at diag(1e10, 1e-6) with gradient -diag(1, 0): the residual is 1 */
static void a_small_entry_is_not_passed_over(void **state)
{
    static const double q[] = { -1, 0, 0, 0 };
    const double *const linear[] = { q };
    const crease_quadratic_data line = { 0, NULL, NULL, NULL, linear, 1 };
    const crease_space space = crease_matrix(2, 2);
    const crease_block block = { .reg = crease_nuclear(1) };
    const crease_problem p = { 1, &space, &block, crease_quadratic(&line), { .order = 0 }, NULL };
    (void)state;
    for (int g = 4; g <= 40; g++) {
        const double x[] = { 1e10, 0, 0, pow(10, 10 - g) }, *const at[] = { x };
        crease_verification v;
        assert_true(crease_verify(&p, at, NULL, NULL, false, 1e-6, false, &v, NULL));
        assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
        assert_true(fabs(v.smallest_eps - 1) < 1e-12);
        crease_verification_free(&v);
    }
}

/* X = A B' of rank r in double, rows and columns scaled by up to 10^+-grade, entries left out */
static void roundings_of_lower_rank_do_not_count(void **state)
{
    draws d = { { 5, 0 }, 0 };
    int undecided[3] = { 0 };
    (void)state;
    for (int k = 0; k < 900; k++) {
        const ptrdiff_t m = 2 + k % 9, n = 2 + k / 9 % 7, least = m < n ? m : n;
        const ptrdiff_t r = 1 + k % (least > 1 ? least - 1 : 1);
        const double grade = k % 3 * 2;
        double a[MOST * MOST], b[MOST * MOST], x[MOST * MOST];
        normals(&d, m * r, 1, a);
        normals(&d, n * r, 1, b);
        for (ptrdiff_t j = 0; k % 2 && j < r; j++) a[(j * 7 + k) % m * r + j] = 0;
        for (ptrdiff_t i = 0; i < m; i++)
            for (ptrdiff_t j = 0; j < r; j++)
                a[i * r + j] *= pow(10, grade * cos((double)(i * i + k)));
        for (ptrdiff_t i = 0; i < n; i++)
            for (ptrdiff_t j = 0; j < r; j++)
                b[i * r + j] *= pow(10, grade * sin((double)(3 * i + k)));
        for (ptrdiff_t i = 0; i < m; i++)
            for (ptrdiff_t j = 0; j < n; j++) {
                x[i * n + j] = 0;
                for (ptrdiff_t l = 0; l < r; l++) x[i * n + j] += a[i * r + l] * b[j * r + l];
            }
        const int found = rank_of(m, n, x);
        undecided[k % 3] += found < 0;
        if (found > r || (grade == 0 && k % 2 == 0 && found < r))
            fail_msg("case %d: %td x %td, rank %td, grade %g: found %d", k, m, n, r, grade, found);
    }
    assert_true(undecided[0] == 0 && undecided[1] == 0 && undecided[2] <= 15);
    print_message("undecided of 300 each: %d, %d, %d\n", undecided[0], undecided[1], undecided[2]);
}

/* The same for matrices of the size that models have, with singular values over five decades. */
static void larger_matrices_are_decided(void **state)
{
    enum { ROWS = 80, COLS = 60, TERMS = 12 };
    static double a[ROWS * TERMS], b[COLS * TERMS], x[ROWS * COLS];
    draws d = { { 7, 0 }, 0 };
    (void)state;
    for (int r = 1; r <= TERMS; r++) {
        const ptrdiff_t m = ROWS - 4 * r, n = COLS - 2 * (r % 5);
        normals(&d, m * r, 1, a);
        normals(&d, n * r, 1, b);
        for (ptrdiff_t i = 0; i < m; i++)
            for (ptrdiff_t j = 0; j < n; j++) {
                x[i * n + j] = 0;
                for (int l = 0; l < r; l++)
                    x[i * n + j] += pow(10, -5.0 * l / TERMS) * a[i * r + l] * b[j * r + l];
            }
        assert_int_equal(rank_of(m, n, x), r);
    }
}

/* Q diag(1, 1/gap) Z': rank 2 while entries can tell, 1 when they cannot */
static void dense_gaps_are_told_while_entries_can(void **state)
{
    draws d = { { 6, 0 }, 0 };
    (void)state;
    for (int g = 4; g <= 24; g++)
        for (int k = 0; k < 10; k++) {
            const ptrdiff_t m = 3 + k % 4, n = 3 + k / 3;
            double u[2][MOST], v[2][MOST], x[MOST * MOST];
            for (int l = 0; l < 2; l++) normals(&d, m, 1, u[l]), normals(&d, n, 1, v[l]);
            for (ptrdiff_t i = 0; i < m; i++)
                for (ptrdiff_t j = 0; j < n; j++)
                    x[i * n + j] = u[0][i] * v[0][j] + pow(10, -g) * u[1][i] * v[1][j];
            if (g <= 13) assert_int_equal(rank_of(m, n, x), 2);
            if (g >= 18) assert_int_equal(rank_of(m, n, x), 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diagonals_have_their_rank_at_any_gap),
        cmocka_unit_test(a_small_entry_is_not_passed_over),
        cmocka_unit_test(roundings_of_lower_rank_do_not_count),
        cmocka_unit_test(larger_matrices_are_decided),
        cmocka_unit_test(dense_gaps_are_told_while_entries_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
