/* SPDX-License-Identifier: MIT
 * envelope_properties: the gradient is one, threads change nothing, a thinned histogram */
#if defined(__SSE2__)
#include <xmmintrin.h>
static unsigned control(void) { return _mm_getcsr() & ~0x3fu; } /* without the sticky flags */
#else
static unsigned control(void) { return 0; }
#endif

#include "support/envelope_naive.h"

static const crease_space shapes[] = { { .order = 2, .dim = { 6, 9 } },
                                       { .order = 3, .dim = { 4, 5, 6 } },
                                       { .order = 4, .dim = { 2, 3, 4, 3 } } };

/* sum phi at the factors plus h times a direction */
static double value_at(const example *a, double *const *direction, double h)
{
    crs_envelope *s = envelope_of(a);
    crs_envelope_sums out = { 0 };
    for (int n = 0; n < a->c.shape.order; n++)
        axpy(a->c.shape.dim[n] * a->rank, h, direction[n], a->x[n]);
    crs_envelope_evaluate(s, a->rank, (const double *const *)a->x, &a->penalty, &a->penalty, &out);
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
    crs_envelope_evaluate(s, a->rank, (const double *const *)a->x, &a->penalty, &a->penalty, &out);
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

static void gradient_is_the_slope(void **state)
{
    draws d = { { 3, 0 }, 0 };
    (void)state;
    for (int shape = 0; shape < 3; shape++)
        for (int p = 0; p < PENALTIES; p++)
            for (int masked = 0; masked < 2; masked++) {
                const crs_envelope_settings c = settings_for(shapes + shape, 3);
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
                                      a.c.threads == 1 ? &one : &many);
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
static void thinned_histogram(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 40, 30, 17 } };
    const crs_envelope_settings c = settings_for(&shape, 3);
    draws d = { { 5, 0 }, 0 };
    example a = example_make(&c, 3, false, &d);
    crs_envelope *s = envelope_of(&a);
    crs_envelope_sums all = { 0 };
    ptrdiff_t left, right;
    (void)state;
    crs_envelope_rows(s, &left, &right);
    a.penalty = (crs_penalty_value){ &crs_l1, { 1 }, 0.7 };
    for (int every = 1; every <= 8; every *= 2) {
        crs_envelope_sums out = { .every = every };
        ptrdiff_t total = 0;
        crs_envelope_evaluate(s, 3, (const double *const *)a.x, &a.penalty, &a.penalty, &out);
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(gradient_is_the_slope),
                                        cmocka_unit_test(threads_change_nothing),
                                        cmocka_unit_test(thinned_histogram) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
