/* SPDX-License-Identifier: MIT
 * map_bounds: norms from above, eigenvalues from below, and close where nothing stands in the way
 *
 * |A v|/|v| <= |A|_2 and |A'u|^2/|u|^2 >= lambda_min(A A') hold for any v and u, so with LAPACK's
 * singular vectors, in long double, they judge a bound to far below an ulp of a double. */
#include <float.h>

#include "dense/dense.h"
#include "map/map.h"
#include "support/map_samples.h"

static const long double slightly = 64 * LDBL_EPSILON;

/* |M x|^2 / |x|^2, or of M' x. */
static long double quotient(ptrdiff_t m, ptrdiff_t n, const double *a, bool adjoint,
                            const double *x)
{
    long double above = 0, below = 0;
    for (ptrdiff_t i = 0; i < (adjoint ? n : m); i++) {
        long double sum = 0;
        for (ptrdiff_t j = 0; j < (adjoint ? m : n); j++)
            sum += (long double)(adjoint ? a[j * n + i] : a[i * n + j]) * x[j];
        above += sum * sum;
    }
    for (ptrdiff_t j = 0; j < (adjoint ? m : n); j++) below += (long double)x[j] * x[j];
    return above / below;
}

typedef struct {
    long double norm, least; /* of A; of A A' */
} truth;

static truth true_bounds(const sample *s)
{
    static double work[20000], u[SIDE_MAX * SIDE_MAX], vt[SIDE_MAX * SIDE_MAX], sv[SIDE_MAX];
    const ptrdiff_t m = crease_size(&s->ran), n = crease_size(&s->dom);
    const ptrdiff_t k = m < n ? m : n;
    double left[SIDE_MAX];
    assert_true(crs_svd_scratch(m, n) <= 20000);
    assert_true(crs_svd(m, n, s->matrix, u, sv, vt, work));
    for (ptrdiff_t i = 0; i < m; i++) left[i] = u[i * k + k - 1];
    return (truth){ sqrtl(quotient(m, n, s->matrix, false, vt)),
                    m > n ? 0 : quotient(m, n, s->matrix, true, left) };
}

static void bounds_are_safe_and_close(void **state)
{
    sample list[SAMPLES_MAX];
    combined c;
    double worst = 0, worst_least = 0;
    (void)state;
    for (int k = 0, count = map_samples(list, &c); k < count; k++) {
        const sample *s = &list[k];
        const truth t = true_bounds(s);
        double norm, least;
        assert_true(crease_map_norm(&s->map, &s->dom, &s->ran, &norm, NULL));
        assert_true(crease_map_sigma_min(&s->map, &s->dom, &s->ran, &least, NULL));
        if (!(norm >= t.norm * (1 - slightly))) fail_msg("%s: norm %.17g is low", s->what, norm);
        if (!(least >= 0 && least <= t.least * (1 + slightly)))
            fail_msg("%s: sigma_min %.17g is high", s->what, least);
        worst = larger(worst, t.norm > 0 ? (double)(norm / t.norm - 1) : norm);
        if (t.norm > 0) /* a value LAPACK cannot tell from zero is zero */
            worst_least = larger(worst_least, (double)((t.least - least) / (t.norm * t.norm)));
    }
    print_message("norms within %.1e, eigenvalues within %.1e of |A|^2\n", worst, worst_least);
    /* Gram matrices: (9 n + 16) n eps |A|^2 with n <= 24 */
    assert_true(worst < (9 * SIDE_MAX + 16) * SIDE_MAX * 0x1p-52);
    assert_true(worst_least < (9 * SIDE_MAX + 16) * SIDE_MAX * 0x1p-51);
}

static void written_out_maps_are_their_matrices(void **state)
{
    sample list[SAMPLES_MAX];
    combined c;
    (void)state;
    for (int k = 0, count = map_samples(list, &c); k < count; k++) {
        const sample *s = &list[k];
        const ptrdiff_t entries = crease_size(&s->ran) * crease_size(&s->dom);
        double out[SIDE_MAX * SIDE_MAX], work[4 * SIDE_MAX];
        assert_in_range(crs_map_materialize_scratch(&s->map, &s->dom, &s->ran), 1, 4 * SIDE_MAX);
        fill(entries, NAN, out);
        crs_map_materialize(&s->map, &s->dom, &s->ran, out, work);
        for (ptrdiff_t j = 0; j < entries; j++) assert_true(out[j] == s->matrix[j]);
    }
    const crease_space side = crease_vector(500), long_side = crease_vector(2000);
    const crease_space more = crease_vector(501), longer = crease_vector(2001);
    assert_true(crs_map_small(&side, &long_side) && crs_map_small(&long_side, &side));
    assert_false(crs_map_small(&side, &longer) || crs_map_small(&more, &more));
}

static void bounds_of(crease_map A, ptrdiff_t n, ptrdiff_t m, double *norm, double *least)
{
    const crease_space dom = crease_vector(n), ran = crease_vector(m);
    assert_true(crease_map_norm(&A, &dom, &ran, norm, NULL));
    assert_true(crease_map_sigma_min(&A, &dom, &ran, least, NULL));
}

static void closed_forms_are_exact(void **state)
{
    const double tenth = 0.1, d[] = { -3, 0.1, 7 }, tiny[] = { 1e-300, -2e-200 }, zero = 0;
    double norm, least;
    (void)state;
    bounds_of(crease_identity(-1), 3, 3, &norm, &least);
    assert_true(norm == 1 && least == 1);
    bounds_of(crease_identity(0.1), 3, 3, &norm, &least); /* 0.1 * 0.1 rounds up */
    assert_true(norm == 0.1 && least < tenth * tenth && least >= (1 - 0x1p-52) * tenth * tenth);
    bounds_of(crease_identity(1e200), 1, 1, &norm, &least);
    assert_true(norm == 1e200 && least > 1e308 && least < INFINITY);
    bounds_of(crease_diagonal(d), 3, 3, &norm, &least);
    assert_true(norm == 7 && least <= tenth * tenth && least >= 0.01 * (1 - 0x1p-51));
    bounds_of(crease_diagonal(tiny), 2, 2, &norm, &least);
    assert_true(norm == 2e-200 && least == 0);
    bounds_of(crease_dense(&zero), 1, 1, &norm, &least);
    assert_true(norm == 0 && least == 0);
    bounds_of(crease_selection(&distinct), 6, 4, &norm, &least);
    assert_true(norm == 1 && least == 1);
    bounds_of(crease_selection(&repeated), 6, 5, &norm, &least);
    assert_true((long double)norm * norm >= 3 && norm <= sqrt(3) * (1 + 0x1p-51) && least == 0);
    bounds_of(crease_mask(some_mask), 6, 6, &norm, &least);
    assert_true(norm == 1 && least == 0);
}

static void differences_of_any_length(void **state)
{
    const long double pi = acosl(-1);
    (void)state;
    for (ptrdiff_t n = 2; n < 10000000; n = 3 * n + 1) {
        double norm, least;
        bounds_of(crease_finite_difference(0), n, n - 1, &norm, &least);
        const long double high = 2 * cosl(pi / (2 * (long double)n));
        const long double low =
            4 * sinl(pi / (2 * (long double)n)) * sinl(pi / (2 * (long double)n));
        assert_true(norm >= high && norm <= high * (1 + 0x1p-48L));
        assert_true(least <= low && least >= low * (1 - 0x1p-48L));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_safe_and_close),
        cmocka_unit_test(written_out_maps_are_their_matrices),
        cmocka_unit_test(closed_forms_are_exact),
        cmocka_unit_test(differences_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
