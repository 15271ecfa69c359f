/* SPDX-License-Identifier: MIT
 * newton: an evaluation by observed entries is that of the masked tensor, for orders 2 to 4, every
 * kernel and several penalties; steps lead to points that are stationary for all factors, for
 * any rank; threads change no bit; NaN moves nothing; limits hold */
#include <stdlib.h>

#include "rpca/observed/observed.h"
#include "support/test.h"

enum { MOST = 8192, RANK = 5, ROWS = 200 };
static const crease_space shapes[] = { { .order = 2, .dim = { 40, 90 } },
                                       { .order = 2, .dim = { 97, 30 } },
                                       { .order = 3, .dim = { 12, 31, 14 } },
                                       { .order = 4, .dim = { 7, 6, 15, 8 } } };
enum { SHAPES = sizeof shapes / sizeof *shapes, PENALTIES = 4 };

typedef struct {
    crease_space shape;
    double T[MOST], x[CREASE_MAX_ORDER][ROWS * RANK];
    unsigned char mask[MOST];
    crs_memory data;
    crs_coordinates listed;
} example;

static double model(const example *s, ptrdiff_t j)
{
    double sum = 0;
    for (int r = 0; r < RANK; r++) {
        double product = 1;
        ptrdiff_t rest = j;
        for (int n = s->shape.order - 1; n >= 0; rest /= s->shape.dim[n--])
            product *= s->x[n][rest % s->shape.dim[n] * RANK + r];
        sum += product;
    }
    return sum;
}

static example *example_new(const crease_space *shape)
{
    example *s = calloc(1, sizeof *s);
    draws d = { { 7, 0 }, 0 };
    ptrdiff_t seen = 0;
    s->shape = *shape;
    for (int n = 0; n < shape->order; n++)
        for (ptrdiff_t k = 0; k < shape->dim[n] * RANK; k++) s->x[n][k] = normal(&d);
    for (ptrdiff_t j = 0; j < crease_size(shape); j++) {
        const double t = model(s, j) + 0.1 * normal(&d) + (j % 23 == 0 ? 9 * normal(&d) : 0);
        s->mask[j] = uniform(&d, 0, 1) < 0.24;
        s->T[j] = s->mask[j] ? t : 0;
        seen += s->mask[j];
    }
    for (int n = 0; n < shape->order; n++)
        for (ptrdiff_t k = 0; k < shape->dim[n] * RANK; k++) s->x[n][k] += 0.3 * normal(&d);
    crs_memory_open(&s->data, shape, s->T, s->mask);
    assert_true(crs_coordinates_open(&s->listed, shape, s->T, s->mask, seen, NULL));
    return s;
}

static void example_free(example *s)
{
    crs_coordinates_close(&s->listed);
    free(s);
}

static crs_penalty_value penalty(int k)
{
    return k == 0   ? crs_envelope_l1(0.3, 0.5)
           : k == 1 ? (crs_penalty_value){ .rho = &crs_mcp, .par = { 0.4, 3 }, .weight = 1 }
           : k == 2 ? (crs_penalty_value){ .rho = &crs_lsp, .par = { 0.5, 1 }, .weight = 1 }
                    : crs_envelope_l1(1e9, 0.5); /* least squares */
}

static crs_envelope_settings settings(const example *s, int threads, int kernel)
{
    return (crs_envelope_settings){ .shape = s->shape,
                                    .rank = RANK,
                                    .alpha_noise = 1,
                                    .threads = threads,
                                    .kernel = crs_envelope_kernel_at(kernel) };
}

typedef struct {
    crs_envelope_sums sums;
    double g[CREASE_MAX_ORDER][ROWS * RANK], w[CREASE_MAX_ORDER][ROWS];
} yield;

static yield *evaluate(example *s, bool listed, int threads, int kernel, int which)
{
    const crs_envelope_settings c = settings(s, threads, kernel);
    const crs_penalty_value judge = penalty(which), next = penalty((which + 1) % PENALTIES);
    const double *x[CREASE_MAX_ORDER];
    yield *y = calloc(1, sizeof *y);
    for (int n = 0; n < s->shape.order; n++) {
        x[n] = s->x[n];
        y->sums.gradient[n] = y->g[n];
        y->sums.marginal[n] = y->w[n];
    }
    s->data.source.listed = listed ? &s->listed : NULL;
    crs_envelope *pass = crs_envelope_new(&c, &s->data.source, NULL);
    assert_non_null(pass);
    assert_true(crs_envelope_evaluate(pass, RANK, x, &judge, &next, &y->sums, NULL));
    crs_envelope_free(pass);
    return y;
}

static void same(const example *s, const yield *a, const yield *b, double eps)
{
    if (!(fabs(a->sums.value - b->sums.value) <= eps * b->sums.value))
        fail_msg("value %.17g, not %.17g", a->sums.value, b->sums.value);
    assert_true(fabs(a->sums.value_next - b->sums.value_next) <= eps * b->sums.value_next);
    assert_true(fabs(a->sums.squares - b->sums.squares) <= eps * b->sums.squares);
    assert_true(fabs(a->sums.weights - b->sums.weights) <= eps * b->sums.weights);
    assert_int_equal(a->sums.nonzeros, b->sums.nonzeros);
    assert_int_equal(a->sums.observed, b->sums.observed);
    assert_memory_equal(a->sums.histogram, b->sums.histogram, sizeof a->sums.histogram);
    for (int n = 0; n < s->shape.order; n++) {
        const double size = crs_norm(s->shape.dim[n] * RANK, b->g[n]);
        for (ptrdiff_t k = 0; k < s->shape.dim[n] * RANK; k++)
            assert_true(fabs(a->g[n][k] - b->g[n][k]) <= eps * size);
        for (ptrdiff_t k = 0; k < s->shape.dim[n]; k++)
            assert_true(fabs(a->w[n][k] - b->w[n][k]) <= 1e-9 * (1 + b->w[n][k]));
    }
}

static void evaluation_is_that_of_the_masked_tensor(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (int kernel = 0; crs_envelope_kernel_at(kernel); kernel++)
            for (int which = 0; which < PENALTIES; which++) {
                example *s = example_new(&shapes[k]);
                yield *a = evaluate(s, true, 1, kernel, which),
                      *b = evaluate(s, false, 1, kernel, which),
                      *two = evaluate(s, true, 3, kernel, which);
                same(s, a, b, 1e-10);
                same(s, two, a, 0);
                free(a), free(b), free(two);
                example_free(s);
            }
}

/* Steps from x until none is left; returns F's gradient by its size at the start. */
static double descend_from(const example *s, const crs_envelope_settings *c, double *const *x,
                           int which, double nu)
{
    const crs_penalty_value p = penalty(which);
    crs_envelope_sums *sums = calloc(1, sizeof *sums);
    double first = 0, now = 0, *g[CREASE_MAX_ORDER];
    crs_observed_pass *pass = crs_observed_open(c, &s->listed, true);
    crs_observed_run run = { .rank = c->rank, .penalty = p, .nu = nu, .steps = 60, .most = 4000 };
    assert_non_null(pass);
    for (int n = 0; n < s->shape.order; n++) {
        run.x[n] = x[n];
        sums->gradient[n] = g[n] = calloc((size_t)(ROWS * c->rank), sizeof *g[n]);
    }
    for (int time = 0; time < 2; time++) {
        now = 0;
        crs_observed_evaluate(pass, c->rank, (const double *const *)x, &p, &p, 1, sums);
        for (int n = 0; n < s->shape.order; n++)
            for (ptrdiff_t k = 0; k < s->shape.dim[n] * c->rank; k++)
                now += square(nu * x[n][k] - g[n][k]); /* 2c = 1 */
        if (time == 0) first = now, assert_true(crs_observed_descend(pass, &run));
    }
    for (int n = 0; n < s->shape.order; n++) free(g[n]);
    crs_observed_free(pass);
    free(sums);
    return sqrt(now / first);
}

static double descend(example *s, int threads, int kernel, int which, double nu)
{
    const crs_envelope_settings c = settings(s, threads, kernel);
    double *x[CREASE_MAX_ORDER];
    for (int n = 0; n < s->shape.order; n++) x[n] = s->x[n];
    return descend_from(s, &c, x, which, nu);
}

static void steps_lead_to_a_stationary_point(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (int which = 0; which < PENALTIES; which++)
            for (int ridge = 0; ridge < 2; ridge++) {
                example *s = example_new(&shapes[k]);
                const double fell = descend(s, 2, 0, which, ridge ? 2 : 0.5);
                if (!(fell < (which == 2 ? 1e-3 : 1e-6)))
                    fail_msg("shape %d, penalty %d, ridge %d: %g", k, which, ridge, fell);
                example_free(s);
            }
}

/* Ranks that fill vectors, that do not, and that take more of them than are unrolled */
static void of_any_rank(void **state)
{
    static const int ranks[] = { 1, 3, 7, 10, 16, 21, 37 };
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (int kernel = 0; crs_envelope_kernel_at(kernel); kernel++)
            for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
                example *s = example_new(&shapes[k]);
                crs_envelope_settings c = settings(s, 1, kernel);
                double *x[CREASE_MAX_ORDER];
                draws d = { { 8, 0 }, 0 };
                c.rank = ranks[r];
                for (int n = 0; n < s->shape.order; n++) {
                    x[n] = calloc((size_t)(ROWS * c.rank), sizeof *x[n]);
                    for (ptrdiff_t j = 0; j < ROWS * c.rank; j++) x[n][j] = normal(&d);
                }
                const double fell = descend_from(s, &c, x, 3, 4);
                if (!(fell < 1e-6)) fail_msg("shape %d, rank %d: %g", k, ranks[r], fell);
                for (int n = 0; n < s->shape.order; n++) free(x[n]);
                example_free(s);
            }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        example *a = example_new(&shapes[k]), *b = example_new(&shapes[k]);
        descend(a, 1, 0, 1, 0.1);
        descend(b, 3, 0, 1, 0.1);
        assert_memory_equal(a->x, b->x, sizeof a->x);
        example_free(a);
        example_free(b);
    }
}

static void nan_moves_nothing_and_limits_hold(void **state)
{
    (void)state;
    example *s = example_new(&shapes[0]);
    const crs_envelope_settings c = settings(s, 1, 0);
    crs_observed_pass *pass = crs_observed_open(&c, &s->listed, true);
    crs_observed_run run = { .rank = RANK, .penalty = penalty(0), .nu = 1, .steps = 9, .most = 3 };
    assert_non_null(pass);
    for (int n = 0; n < 2; n++) run.x[n] = s->x[n];
    crs_observed_descend(pass, &run);
    assert_in_range(run.passes, 1, 5);
    s->listed.value[3] = NAN;
    run.most = 100;
    assert_false(crs_observed_descend(pass, &run));
    for (int n = 0; n < 2; n++)
        for (ptrdiff_t k = 0; k < s->shape.dim[n] * RANK; k++) assert_true(isfinite(s->x[n][k]));
    crs_observed_free(pass);
    example_free(s);
}

static void few_are_less_than_one_in_four(void **state)
{
    (void)state;
    const crease_space s = crease_matrix(10, 10);
    assert_true(crs_coordinates_suit(&s, 24));
    assert_false(crs_coordinates_suit(&s, 25));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluation_is_that_of_the_masked_tensor),
        cmocka_unit_test(steps_lead_to_a_stationary_point),
        cmocka_unit_test(of_any_rank),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(nan_moves_nothing_and_limits_hold),
        cmocka_unit_test(few_are_less_than_one_in_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
