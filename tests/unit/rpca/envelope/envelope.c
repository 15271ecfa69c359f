/* SPDX-License-Identifier: MIT
 * envelope: one streamed evaluation is the plain loops, for every penalty, order, mask and rank */
#include <stdio.h>

#include "support/envelope_naive.h"

static const crease_space shapes[] = {
    { .order = 2, .dim = { 7, 41 } },          { .order = 2, .dim = { 1, 13 } },
    { .order = 2, .dim = { 1, 1 } },           { .order = 2, .dim = { 3, 801 } },
    { .order = 2, .dim = { 141, 37 } },        { .order = 3, .dim = { 5, 7, 11 } },
    { .order = 3, .dim = { 37, 1, 3 } },       { .order = 3, .dim = { 3, 13, 67 } },
    { .order = 3, .dim = { 1, 1, 1 } },        { .order = 4, .dim = { 3, 5, 2, 7 } },
    { .order = 4, .dim = { 2, 1, 19, 37 } },   { .order = 5, .dim = { 3, 2, 5, 2, 3 } },
    { .order = 5, .dim = { 2, 3, 2, 1, 43 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static char doing[200]; /* the case at hand */

/* |a - b| <= tolerance times the largest entry */
static void same(const char *what, ptrdiff_t n, const double *a, const double *b, double tolerance)
{
    double scale = 1e-300;
    for (ptrdiff_t j = 0; j < n; j++) scale = larger(scale, fabs(b[j]));
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(fabs(a[j] - b[j]) <= tolerance * scale))
            fail_msg("%s: %s: entry %td is %.17g, not %.17g", doing, what, j, a[j], b[j]);
}

/* Sums of at most some thousand terms, each right to some roundings of T's size: the sums of s
 * may cancel, therefore the scale of sum |s| |product|, at least that of one term. */
static void same_sums(const example *a, const crs_envelope_sums *got, const crs_envelope_sums *want)
{
    const double eps = 1e-11, loose = 1e-6;
    const double g[] = { got->value, got->value_next, got->squares };
    const double w[] = { want->value, want->value_next, want->squares };
    for (int k = 0; k < 3; k++)
        if (!close_to(g[k], w[k], eps))
            fail_msg("%s: sum %d is %.17g, not %.17g", doing, k, g[k], w[k]);
    if (!close_to(got->weights, want->weights, loose))
        fail_msg("%s: weights %.17g, not %.17g", doing, got->weights, want->weights);
    assert_int_equal(got->observed, want->observed);
    assert_int_equal(got->nonzeros, want->nonzeros);
    for (int n = 0; n < a->c.shape.order; n++) {
        const ptrdiff_t dim = a->c.shape.dim[n];
        double scale = sqrt(want->squares);
        for (int m = 0; m < a->c.shape.order; m++)
            if (m != n) scale *= crs_norm(a->c.shape.dim[m] * a->rank, a->x[m]);
        for (ptrdiff_t k = 0; k < dim * a->rank; k++)
            if (!(fabs(got->gradient[n][k] - want->gradient[n][k]) <= 1e-13 * scale + 1e-300))
                fail_msg("%s: gradient %d: entry %td is %.17g, not %.17g", doing, n, k,
                         got->gradient[n][k], want->gradient[n][k]);
        same("marginal", dim, got->marginal[n], want->marginal[n], loose);
    }
}

/* The bins' edges are counted again with the definition |r| >= edge. */
static void same_histogram(const example *a, const crs_envelope_sums *got)
{
    double least = INFINITY, most = 0;
    ptrdiff_t count = 0, below = 0;
    double *r = some(a->size);
    for (ptrdiff_t j = 0; j < a->size; j++) {
        ptrdiff_t index[CREASE_MAX_ORDER];
        if (a->mask && !a->mask[j]) continue;
        index_of(&a->c.shape, j, index);
        r[count] = fabs(a->T[j] - low_rank(a, index));
        least = smaller(least, r[count]);
        most = larger(most, r[count]);
        count++;
    }
    const double median = crs_envelope_quantile(got, 0.5);
    ptrdiff_t total = 0;
    for (int b = 0; b < CRS_ENVELOPE_BINS; b++) total += got->histogram[b];
    assert_int_equal(total, count);
    if (count == 0) assert_true(isnan(median));
    for (ptrdiff_t j = 0; j < count; j++) below += r[j] < median / 1.13;
    assert_true(2 * below <= count);
    below = 0;
    for (ptrdiff_t j = 0; j < count; j++) below += r[j] <= median * 1.13;
    assert_true(2 * below >= count);
    if (count > 0) {
        assert_true(crs_envelope_quantile(got, 0) <= least * (1 + 1e-9));
        assert_true(crs_envelope_quantile(got, 0) >= least / 1.13);
        assert_true(crs_envelope_quantile(got, 1) >= most * (1 - 1e-9));
        assert_true(crs_envelope_quantile(got, 1) <= most * 1.13);
    }
    free(r);
}

static void check_parts(const example *a, crs_envelope *s)
{
    const double c = fit_weight(a);
    ptrdiff_t left, right;
    double *out = some(a->size);
    crs_envelope_rows(s, &left, &right);
    assert_int_equal(left * right, a->size);
    crs_envelope_open(s, a->rank, (const double *const *)a->x, &a->penalty);
    for (int part = CRS_CP_Z; part <= CRS_CP_LOW_RANK; part++) {
        crs_envelope_read(s, (crs_cp_part)part, 0, left / 2, out);
        crs_envelope_read(s, (crs_cp_part)part, left / 2, left - left / 2, out + left / 2 * right);
        for (ptrdiff_t j = 0; j < a->size; j++) {
            ptrdiff_t index[CREASE_MAX_ORDER];
            index_of(&a->c.shape, j, index);
            const bool seen = !a->mask || a->mask[j];
            const double m = low_rank(a, index), r = seen ? a->T[j] - m : 0;
            const double e = seen ? naive_prox(a, &a->penalty, r) : 0, lambda = 2 * c * (r - e);
            const double b = seen ? lambda / (2 * a->c.alpha_noise) : -m;
            const double want[] = { m + lambda / 2, e, b, lambda, m };
            assert_close(out[j], want[part], 1e-12);
        }
    }
    free(out);
}

static void check_case(example *a, const crs_penalty_value *judge)
{
    crs_envelope *s = envelope_of(a);
    crs_envelope_sums got = sums_make(a), want = sums_make(a);
    naive_evaluate(a, judge, &a->penalty, &want);
    crs_envelope_evaluate(s, a->rank, (const double *const *)a->x, judge, &a->penalty, &got);
    same_sums(a, &got, &want);
    same_histogram(a, &got);
    check_parts(a, s);
    sums_free(&got), sums_free(&want);
    crs_envelope_free(s);
}

static crs_penalty_value draw_weighted(draws *d, int p)
{
    crs_penalty_value f = { .rho = penalties[p], .weight = uniform(d, 0.1, 1.5) };
    draw_par(d, f.rho, 0.3, f.par);
    return f;
}

static void plain_loops(void **state)
{
    static const ptrdiff_t ranks[] = { 1, 3, 8, 17 };
    draws d = { { 1, 0 }, 0 };
    int kernels = 0;
    (void)state;
    while (crs_envelope_kernel_at(kernels)) kernels++;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int p = 0; p < PENALTIES; p++)
            for (int masked = 0; masked < 2; masked++)
                for (int k = 0; k < 2; k++) {
                    const ptrdiff_t rank = ranks[(shape + p + masked + 2 * k) % 4];
                    crs_envelope_settings c = { .shape = shapes[shape],
                                                .rank = rank + p % 3,
                                                .alpha_noise = uniform(&d, 0.2, 3),
                                                .threads = 1 + p % 2 };
                    c.kernel = crs_envelope_kernel_at((shape + p / 2) % kernels);
                    example a = example_make(&c, rank, masked, &d);
                    snprintf(doing, sizeof doing, "shape %d %s %s rank %td%s", shape,
                             c.kernel->name, penalties[p]->name, rank, masked ? " masked" : "");
                    a.penalty = draw_weighted(&d, p);
                    const crs_penalty_value other = draw_weighted(&d, (p + shape) % PENALTIES);
                    check_case(&a, p % 2 ? &other : &a.penalty);
                    example_free(&a);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(plain_loops) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
