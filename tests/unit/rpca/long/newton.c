/* SPDX-License-Identifier: MIT
 * newton: of a tensor with a long first mode, for orders 2 to 4 and several penalties: the value
 * and the rows are those of a naive minimization, the reduced gradient and Hessian products those
 * of differences; steps lead to points that are stationary for all factors; threads change no bit;
 * what is missing counts for nothing; NaN moves nothing, and nothing stays so; limits hold */
#include <stdlib.h>

#include "rpca/long/long.h"
#include "support/test.h"

enum { MOST = 12000, RANK = 3, ROWS = 90, SLAB = 23 };
static const crease_space shapes[] = { { .order = 2, .dim = { 83, 11 } },
                                       { .order = 3, .dim = { 71, 5, 6 } },
                                       { .order = 3, .dim = { 90, 9, 14 } },
                                       { .order = 4, .dim = { 64, 3, 4, 5 } } };
enum { SHAPES = sizeof shapes / sizeof *shapes, PENALTIES = 3 };

typedef struct {
    crease_space shape;
    ptrdiff_t columns, size; /* of a row; numbers of the short factors */
    double T[MOST], x[CREASE_MAX_ORDER][ROWS * RANK];
    unsigned char mask[MOST];
    bool masked;
    crs_memory data;
} example;

static double *factor(example *s, int n, ptrdiff_t i) { return s->x[n] + i * RANK; }

/* The Khatri-Rao row of a column */
static void product(example *s, ptrdiff_t j, double *k)
{
    for (int r = 0; r < RANK; r++) k[r] = 1;
    for (int n = s->shape.order - 1; n > 0; j /= s->shape.dim[n--])
        for (int r = 0; r < RANK; r++) k[r] *= factor(s, n, j % s->shape.dim[n])[r];
}

static double model(example *s, ptrdiff_t j)
{
    double k[RANK], sum = 0;
    product(s, j % s->columns, k);
    for (int r = 0; r < RANK; r++) sum += k[r] * factor(s, 0, j / s->columns)[r];
    return sum;
}

static bool seen(const example *s, ptrdiff_t j) { return !s->masked || s->mask[j]; }

/* Slabs of a few rows, as of tensors that are much larger. */
static example *example_new(const crease_space *shape, bool masked)
{
    example *s = calloc(1, sizeof *s);
    draws d = { { 11, 0 }, 0 };
    s->shape = *shape;
    s->masked = masked;
    s->columns = crease_size(shape) / shape->dim[0];
    for (int n = 0; n < shape->order; n++)
        for (ptrdiff_t k = 0; k < shape->dim[n] * RANK; k++) s->x[n][k] = normal(&d);
    for (int n = 1; n < shape->order; n++) s->size += shape->dim[n] * RANK;
    for (ptrdiff_t j = 0; j < crease_size(shape); j++) {
        const double t = model(s, j) + 0.1 * normal(&d) + (j % 23 == 0 ? 9 * normal(&d) : 0);
        s->mask[j] = uniform(&d, 0, 1) < 0.8;
        s->T[j] = seen(s, j) ? t : 0;
    }
    for (int n = 0; n < shape->order; n++)
        for (ptrdiff_t k = 0; k < shape->dim[n] * RANK; k++) s->x[n][k] += 0.1 * normal(&d);
    crs_memory_open(&s->data, shape, s->T, masked ? s->mask : NULL);
    crs_partition *cut = &s->data.source.cut;
    cut->rows = SLAB;
    cut->per = cut->count = s->data.source.count = (shape->dim[0] + SLAB - 1) / SLAB;
    return s;
}

static crs_penalty_value penalty(int k)
{
    return k == 0   ? crs_envelope_l1(0.3, 0.5)
           : k == 1 ? (crs_penalty_value){ .rho = &crs_mcp, .par = { 0.4, 3 }, .weight = 1 }
                    : crs_envelope_l1(1e9, 0.5); /* least squares */
}

static crs_long *start(example *s, int threads, int which, double nu)
{
    const double *x[CREASE_MAX_ORDER];
    for (int n = 0; n < s->shape.order; n++) x[n] = s->x[n];
    const crs_long_settings c = { .shape = s->shape,
                                  .rank = RANK,
                                  .penalty = penalty(which),
                                  .alpha_noise = 1,
                                  .nu = nu,
                                  .threads = threads,
                                  .eps = 1e-9,
                                  .most = 3000,
                                  .factor = x };
    crs_long *p = crs_long_new(&c, &s->data.source, NULL);
    assert_non_null(p);
    return p;
}

/* phi/(2c) and its slope by definition: 2c = 1 */
static double phi(int which, double r, double *s)
{
    const double size = fabs(r), t = 0.3, lambda = 0.4, gamma = 3;
    *s = r;
    if (which == 2) return r * r / 2;
    if (which == 0) {
        if (size <= t) return r * r / 2;
        *s = r < 0 ? -t : t;
        return t * (size - t / 2);
    }
    if (size <= lambda) return r * r / 2;
    if (size >= gamma * lambda) return *s = 0, gamma * lambda * lambda / 2;
    const double e = gamma / (gamma - 1) * (size - lambda); /* firm thresholding */
    *s = (r < 0 ? -1 : 1) * (size - e);
    return square(size - e) / 2 + lambda * e - e * e / (2 * gamma);
}

/* Of the rows X as given: F/(2c); the largest |gradient of a row| goes to worst. */
static double naive(example *s, int which, double nu, double *worst)
{
    double sum = 0;
    *worst = 0;
    for (ptrdiff_t i = 0; i < s->shape.dim[0]; i++) {
        double g[RANK] = { 0 }, k[RANK], slope;
        for (ptrdiff_t j = 0; j < s->columns; j++) {
            const ptrdiff_t at = i * s->columns + j;
            if (!seen(s, at)) continue;
            sum += phi(which, s->T[at] - model(s, at), &slope);
            product(s, j, k);
            for (int r = 0; r < RANK; r++) g[r] -= slope * k[r];
        }
        for (int r = 0; r < RANK; r++)
            *worst = larger(*worst, fabs(g[r] + nu * factor(s, 0, i)[r]));
    }
    for (int n = 0; n < s->shape.order; n++)
        sum += nu / 2 * square(crs_norm(s->shape.dim[n] * RANK, s->x[n]));
    return sum;
}

/* The short factors as one vector. */
static double *number(example *s, ptrdiff_t k)
{
    for (int n = 1;; k -= s->shape.dim[n++] * RANK)
        if (k < s->shape.dim[n] * RANK) return s->x[n] + k;
}

static void rows_and_value_are_those_of_the_definition(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (int which = 0; which < PENALTIES; which++)
            for (int masked = 0; masked < 2; masked++) {
                example *s = example_new(&shapes[k], masked);
                double worst;
                crs_long *p = start(s, 1, which, 0.2);
                assert_true(crs_long_rows(p, s->x[0], NULL));
                const double value = naive(s, which, 0.2, &worst);
                if (!(worst < 1e-8)) fail_msg("shape %d, penalty %d: %g", k, which, worst);
                if (!(fabs(crs_long_at(p)->value - value) <= 1e-10 * value))
                    fail_msg("%.17g, not %.17g", crs_long_at(p)->value, value);
                crs_long_free(p);
                free(s);
            }
}

/* Differences of F along a direction, of l1 and of least squares, where F is smooth. */
static void the_gradient_is_that_of_differences(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int k = 0; k < SHAPES; k++)
        for (int which = 0; which < PENALTIES; which++) {
            example *s = example_new(&shapes[k], k % 2);
            crs_long *p = start(s, 1, which, 0.3);
            double size = crs_norm(s->size, crs_long_gradient(p));
            for (ptrdiff_t j = 0; j < s->size; j += 3) {
                double value[2];
                for (int side = 0; side < 2; side++) {
                    const double was = *number(s, j);
                    *number(s, j) += side ? h : -h;
                    crs_long *q = start(s, 1, which, 0.3);
                    value[side] = crs_long_at(q)->value;
                    crs_long_free(q);
                    *number(s, j) = was;
                }
                const double slope = (value[1] - value[0]) / (2 * h);
                if (!(fabs(slope - crs_long_gradient(p)[j]) < 1e-5 * size))
                    fail_msg("shape %d, penalty %d: %g, not %g", k, which, crs_long_gradient(p)[j],
                             slope);
            }
            crs_long_free(p);
            free(s);
        }
}

static void products_are_those_of_differences(void **state)
{
    (void)state;
    const double h = 1e-6;
    for (int k = 0; k < SHAPES; k++)
        for (int which = 0; which < PENALTIES; which++) {
            double d[200], hd[200], g[2][200];
            draws z = { { 3, 0 }, 0 };
            example *s = example_new(&shapes[k], k % 2);
            crs_long *p = start(s, 1, which, 0.3);
            for (ptrdiff_t j = 0; j < s->size; j++) d[j] = normal(&z);
            assert_true(crs_long_product(p, d, hd, NULL));
            for (int side = 0; side < 2; side++) {
                for (ptrdiff_t j = 0; j < s->size; j++) *number(s, j) += (side ? 2 : -1) * h * d[j];
                crs_long *q = start(s, 1, which, 0.3);
                copy(s->size, crs_long_gradient(q), g[side]);
                crs_long_free(q);
            }
            double off = 0;
            for (ptrdiff_t j = 0; j < s->size; j++)
                off += square((g[1][j] - g[0][j]) / (2 * h) - hd[j]);
            if (!(sqrt(off) < 1e-3 * crs_norm(s->size, hd)))
                fail_msg("shape %d, penalty %d: %g of %g", k, which, sqrt(off),
                         crs_norm(s->size, hd));
            crs_long_free(p);
            free(s);
        }
}

/* Of all factors by the envelope's own pass, by its size at the start */
static double joint_gradient(example *s, int which, double nu)
{
    static double g[CREASE_MAX_ORDER][ROWS * RANK];
    const crs_envelope_settings c = {
        .shape = s->shape, .rank = RANK, .alpha_noise = 1, .threads = 1
    };
    const crs_penalty_value p = penalty(which);
    const double *x[CREASE_MAX_ORDER];
    crs_envelope_sums *sums = calloc(1, sizeof *sums);
    crs_memory data;
    double all = 0;
    crs_memory_open(&data, &s->shape, s->T, s->masked ? s->mask : NULL);
    crs_envelope *pass = crs_envelope_new(&c, &data.source, NULL);
    assert_non_null(pass);
    for (int n = 0; n < s->shape.order; n++) x[n] = s->x[n], sums->gradient[n] = g[n];
    assert_true(crs_envelope_evaluate(pass, RANK, x, &p, &p, sums, NULL));
    for (int n = 0; n < s->shape.order; n++)
        for (ptrdiff_t k = 0; k < s->shape.dim[n] * RANK; k++)
            all += square(nu * s->x[n][k] - g[n][k]); /* 2c = 1 */
    crs_envelope_free(pass);
    free(sums);
    return sqrt(all);
}

/* Steps until none is left, and the factors there. */
static void descend(example *s, int threads, int which, double nu)
{
    crs_long *p = start(s, threads, which, nu);
    while (crs_long_step(p, NULL) == CRS_GO_ON) continue;
    for (int n = 1; n < s->shape.order; n++)
        copy(s->shape.dim[n] * RANK, crs_long_factor(p, n), s->x[n]);
    assert_true(crs_long_rows(p, s->x[0], NULL));
    crs_long_free(p);
}

static void steps_lead_to_a_stationary_point(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (int which = 0; which < PENALTIES; which++)
            for (int ridge = 0; ridge < 2; ridge++) {
                example *s = example_new(&shapes[k], k % 2);
                const double nu = ridge ? 1 : 0.05, first = joint_gradient(s, which, nu);
                descend(s, 1, which, nu);
                const double fell = joint_gradient(s, which, nu) / first;
                if (!(fell < 1e-6)) fail_msg("shape %d, penalty %d: %g", k, which, fell);
                free(s);
            }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        example *a = example_new(&shapes[k], true), *b = example_new(&shapes[k], true);
        descend(a, 1, 1, 0.1);
        descend(b, 3, 1, 0.1);
        assert_memory_equal(a->x, b->x, sizeof a->x);
        free(a);
        free(b);
    }
}

static void nan_moves_nothing_and_limits_hold(void **state)
{
    (void)state;
    example *s = example_new(&shapes[1], false);
    const double *x[CREASE_MAX_ORDER] = { s->x[0], s->x[1], s->x[2] };
    crs_long_settings c = { .shape = s->shape,
                            .rank = RANK,
                            .penalty = penalty(0),
                            .alpha_noise = 1,
                            .threads = 1,
                            .most = 4,
                            .factor = x };
    crs_long *p = crs_long_new(&c, &s->data.source, NULL);
    assert_non_null(p);
    while (crs_long_step(p, NULL) == CRS_GO_ON) continue;
    assert_in_range(crs_long_at(p)->passes, 1, 6);
    crs_long_free(p);
    s->T[77] = NAN;
    c.most = 100;
    p = crs_long_new(&c, &s->data.source, NULL);
    assert_non_null(p);
    assert_int_equal(crs_long_step(p, NULL), CRS_DONE);
    assert_memory_equal(crs_long_factor(p, 1), s->x[1], sizeof(double) * 5 * RANK);
    crs_long_free(p);
    free(s);
}

static void a_model_of_nothing_stays_so(void **state)
{
    (void)state;
    example *s = example_new(&shapes[1], false);
    for (int n = 0; n < 3; n++) fill(ROWS * RANK, 0, s->x[n]);
    crs_long *p = start(s, 1, 0, 0);
    assert_int_equal(crs_long_step(p, NULL), CRS_DONE);
    fill(ROWS * RANK, 1, s->x[0]);
    assert_true(crs_long_rows(p, s->x[0], NULL));
    for (ptrdiff_t j = 0; j < 71 * RANK; j++) assert_true(s->x[0][j] == 0);
    crs_long_free(p);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_value_are_those_of_the_definition),
        cmocka_unit_test(the_gradient_is_that_of_differences),
        cmocka_unit_test(products_are_those_of_differences),
        cmocka_unit_test(steps_lead_to_a_stationary_point),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(nan_moves_nothing_and_limits_hold),
        cmocka_unit_test(a_model_of_nothing_stays_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
