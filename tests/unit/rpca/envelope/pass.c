/* SPDX-License-Identifier: MIT
 * pass: one streamed evaluation is the plain loops, for every penalty, order, mask and rank; the
 * gradient is one; threads change nothing; NaN stays; refusals */
#include <stdio.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

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
    double *out = some(a->size);
    for (int part = CRS_CP_Z; part <= CRS_CP_LOW_RANK; part++) {
        assert_true(crs_envelope_read(s, a->rank, (const double *const *)a->x, &a->penalty,
                                      (crs_cp_part)part, out, NULL));
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
    crs_envelope_evaluate(s, a->rank, (const double *const *)a->x, judge, &a->penalty, &got, NULL);
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

static void an_evaluation_is_the_plain_loops(void **state)
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

#if defined(__SSE2__)
static unsigned control(void) { return _mm_getcsr() & ~0x3fu; } /* without the sticky flags */
#else
static unsigned control(void) { return 0; }
#endif

static const crease_space small_shapes[] = { { .order = 2, .dim = { 6, 9 } },
                                             { .order = 3, .dim = { 4, 5, 6 } },
                                             { .order = 4, .dim = { 2, 3, 4, 3 } } };

/* sum phi at the factors plus h times a direction */
static double value_at(const example *a, double *const *direction, double h)
{
    crs_envelope *s = envelope_of(a);
    crs_envelope_sums out = { 0 };
    for (int n = 0; n < a->c.shape.order; n++)
        axpy(a->c.shape.dim[n] * a->rank, h, direction[n], a->x[n]);
    crs_envelope_evaluate(s, a->rank, (const double *const *)a->x, &a->penalty, &a->penalty, &out,
                          NULL);
    for (int n = 0; n < a->c.shape.order; n++)
        axpy(a->c.shape.dim[n] * a->rank, -h, direction[n], a->x[n]);
    crs_envelope_free(s);
    assert_true(out.value == out.value_next);
    return out.value;
}

/* -2c <S_(n) M_n, D_n> summed over the modes */
static double slope(const example *a, double *const *direction)
{
    crs_envelope *s = envelope_of(a);
    crs_envelope_sums out = sums_make(a);
    double sum = 0;
    crs_envelope_evaluate(s, a->rank, (const double *const *)a->x, &a->penalty, &a->penalty, &out,
                          NULL);
    for (int n = 0; n < a->c.shape.order; n++)
        sum -=
            2 * fit_weight(a) * crs_dot(a->c.shape.dim[n] * a->rank, out.gradient[n], direction[n]);
    sums_free(&out);
    crs_envelope_free(s);
    return sum;
}

/* phi is a minimum of parabolas c (r-e)^2 + const: its derivative along any line is at most that
 * of the parabola chosen, and equal to it where the chosen one is unique nearby. */
static void check_slope(const example *a, draws *d)
{
    double *direction[CREASE_MAX_ORDER] = { NULL };
    for (int n = 0; n < a->c.shape.order; n++) {
        direction[n] = some(a->c.shape.dim[n] * a->rank);
        for (ptrdiff_t k = 0; k < a->c.shape.dim[n] * a->rank; k++) direction[n][k] = normal(d);
    }
    const double h = 1e-6, g = slope(a, direction), F = value_at(a, direction, 0);
    const double up = (value_at(a, direction, h) - F) / h;
    const double down = (F - value_at(a, direction, -h)) / h;
    const double rounding = 1e-14 * F / h + 3000 * h * (1 + F);
    if (!(up <= g + rounding && down >= g - rounding))
        fail_msg("%s: slopes %.12g and %.12g around %.12g", a->penalty.rho->name, down, up, g);
    if (a->penalty.rho->convex && !(fabs(up - g) <= rounding && fabs(down - g) <= rounding))
        fail_msg("%s: slopes %.12g, %.12g, not %.12g", a->penalty.rho->name, down, up, g);
    for (int n = 0; n < a->c.shape.order; n++) free(direction[n]);
}

static void the_gradient_is_the_slope(void **state)
{
    draws d = { { 3, 0 }, 0 };
    (void)state;
    for (int shape = 0; shape < 3; shape++)
        for (int p = 0; p < PENALTIES; p++)
            for (int masked = 0; masked < 2; masked++) {
                const crs_envelope_settings c = settings_for(small_shapes + shape, 3);
                example a = example_make(&c, 3, masked, &d);
                a.penalty = (crs_penalty_value){ .rho = penalties[p], .weight = 0.7 };
                draw_par(&d, a.penalty.rho, 0.3, a.penalty.par);
                check_slope(&a, &d);
                example_free(&a);
            }
}

static void check_equal(const example *a, const crs_envelope_sums *x, const crs_envelope_sums *y)
{
    assert_true(x->value == y->value && x->value_next == y->value_next);
    assert_true(x->squares == y->squares && x->weights == y->weights);
    assert_int_equal(x->nonzeros, y->nonzeros);
    assert_memory_equal(x->histogram, y->histogram, sizeof x->histogram);
    for (int n = 0; n < a->c.shape.order; n++) {
        const size_t dim = (size_t)a->c.shape.dim[n];
        assert_memory_equal(x->gradient[n], y->gradient[n], dim * (size_t)a->rank * sizeof(double));
        assert_memory_equal(x->marginal[n], y->marginal[n], dim * sizeof(double));
    }
}

static void threads_change_nothing(void **state)
{
    const crease_space shape[] = { { .order = 3, .dim = { 23, 19, 67 } },
                                   { .order = 4, .dim = { 41, 7, 5, 9 } } };
    draws d = { { 4, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int p = 0; p < 2; p++) {
            const crs_envelope_settings c = settings_for(shape + k, 5);
            example a = example_make(&c, 4, k, &d);
            a.penalty = (crs_penalty_value){ p ? &crs_mcp : &crs_l1, { 1, 3 }, 0.7 };
            crs_penalty_value judge = a.penalty;
            judge.weight = 0.9;
            crs_envelope_sums one = sums_make(&a), many = sums_make(&a);
            for (a.c.threads = 1; a.c.threads <= 4; a.c.threads++) {
                crs_envelope *s = envelope_of(&a);
                const unsigned before = control();
                crs_envelope_evaluate(s, a.rank, (const double *const *)a.x, &judge, &a.penalty,
                                      a.c.threads == 1 ? &one : &many, NULL);
                assert_int_equal(control(), before);
                if (a.c.threads > 1) check_equal(&a, &many, &one);
                crs_envelope_free(s);
            }
            sums_free(&one), sums_free(&many);
            example_free(&a);
        }
}

/* Whole rows, 1/k of them up to two (the golden section's discrepancy is small), and a median from
 * them near that of all. */
static void a_thinned_histogram_has_nearly_the_median(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 40, 30, 17 } };
    const crs_envelope_settings c = settings_for(&shape, 3);
    draws d = { { 5, 0 }, 0 };
    example a = example_make(&c, 3, false, &d);
    crs_envelope *s = envelope_of(&a);
    crs_envelope_sums all = { 0 };
    const ptrdiff_t left = left_of(&c), right = crease_size(&shape) / left;
    (void)state;
    a.penalty = (crs_penalty_value){ &crs_l1, { 1 }, 0.7 };
    for (int every = 1; every <= 8; every *= 2) {
        crs_envelope_sums out = { .every = every };
        ptrdiff_t total = 0;
        crs_envelope_evaluate(s, 3, (const double *const *)a.x, &a.penalty, &a.penalty, &out, NULL);
        for (int b = 0; b < CRS_ENVELOPE_BINS; b++) total += out.histogram[b];
        assert_int_equal(total % right, 0);
        assert_true(fabs((double)total / (double)right - (double)left / every) <= 2);
        if (every == 1) all = out;
        const double median = crs_envelope_quantile(&all, 0.5);
        assert_true(fabs(crs_envelope_quantile(&out, 0.5) - median) <= 0.15 * median);
    }
    crs_envelope_free(s);
    example_free(&a);
}

static void nan_in_gives_nan_out(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 4, 5, 6 } };
    draws d = { { 6, 0 }, 0 };
    (void)state;
    for (int p = 0; p < PENALTIES; p++)
        for (int where = 0; where < 2; where++) {
            const crs_envelope_settings c = settings_for(&shape, 2);
            example a = example_make(&c, 2, false, &d);
            a.penalty = (crs_penalty_value){ .rho = penalties[p], .weight = 0.7 };
            draw_par(&d, a.penalty.rho, 0.3, a.penalty.par);
            if (where == 0) a.T[77] = NAN;
            if (where == 1) a.x[1][3] = NAN;
            crs_envelope *s = envelope_of(&a);
            crs_envelope_sums out = sums_make(&a);
            crs_envelope_evaluate(s, 2, (const double *const *)a.x, &a.penalty, &a.penalty, &out,
                                  NULL);
            assert_true(isnan(out.value) && isnan(out.value_next) && isnan(out.weights));
            for (int n = 0; n < 3; n++) {
                double sum = 0;
                for (ptrdiff_t k = 0; k < shape.dim[n] * 2; k++) sum += out.gradient[n][k];
                assert_true(isnan(sum));
            }
            sums_free(&out);
            crs_envelope_free(s);
            example_free(&a);
        }
}

static void refused(crs_envelope_settings c)
{
    crease_error e = { CREASE_OK, "" };
    const crease_space square = { .order = 2, .dim = { 2, 2 } };
    const double T[4] = { 0 };
    crs_memory data;
    crs_memory_open(&data, &square, T, NULL);
    assert_null(crs_envelope_new(&c, &data.source, &e));
    assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
    assert_int_equal(crs_envelope_bytes(&c, NULL), -1);
}

static void settings_out_of_range_are_refused(void **state)
{
    const crease_space square = { .order = 2, .dim = { 2, 2 } };
    crs_envelope_settings c = settings_for(&square, 1);
    (void)state;
    assert_true(crs_envelope_bytes(&c, NULL) > 0);
    const double bad[] = { 0, -1, INFINITY, NAN };
    for (int k = 0; k < 4; k++) {
        c.alpha_noise = bad[k];
        refused(c);
    }
    c = settings_for(&square, 0);
    refused(c);
    c = settings_for(&square, 1);
    c.threads = 0;
    refused(c);
    c.threads = 1;
    c.shape.order = 1;
    refused(c);
    crs_envelope_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_evaluation_is_the_plain_loops),
        cmocka_unit_test(the_gradient_is_the_slope),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_thinned_histogram_has_nearly_the_median),
        cmocka_unit_test(nan_in_gives_nan_out),
        cmocka_unit_test(settings_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
