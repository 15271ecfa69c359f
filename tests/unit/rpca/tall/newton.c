/* SPDX-License-Identifier: MIT
 * newton: what it leads to is stationary for both factors and no worse than where the envelope's
 * steps lead; threads and entries that were not observed change nothing, nor does where slabs come
 * from; a slab that cannot be had is told; limits hold; NaN moves nothing */
#include <stdlib.h>

#include "rpca/tall/tall.h"
#include "support/test.h"

enum { ROWS = 420, COLUMNS = 37, RANK = 3, SIZE = ROWS * COLUMNS };

typedef struct {
    double T[SIZE], x[ROWS * RANK], y[COLUMNS * RANK];
    unsigned char mask[SIZE];
    crs_memory data;
} example;

static example *example_new(uint64_t seed, double scale)
{
    example *s = calloc(1, sizeof *s);
    draws d = { { seed, 0 }, 0 };
    for (int k = 0; k < ROWS * RANK; k++) s->x[k] = normal(&d);
    for (int k = 0; k < COLUMNS * RANK; k++) s->y[k] = normal(&d);
    for (int k = 0; k < SIZE; k++) {
        double t = 0.1 * normal(&d) + (k % 13 == 0 ? 5 * normal(&d) : 0);
        for (int q = 0; q < RANK; q++)
            t += s->x[k / COLUMNS * RANK + q] * s->y[k % COLUMNS * RANK + q];
        s->T[k] = scale * t;
        s->mask[k] = k % 10 != 4;
    }
    for (int k = 0; k < ROWS * RANK; k++) s->x[k] = scale * (s->x[k] + 0.2 * normal(&d));
    for (int k = 0; k < COLUMNS * RANK; k++) s->y[k] += 0.2 * normal(&d);
    return s;
}

static crs_envelope_settings settings(example *s, bool masked, int threads)
{
    const crease_space shape = crease_matrix(ROWS, COLUMNS);
    crs_memory_open(&s->data, &shape, s->T, masked ? s->mask : NULL);
    return (crs_envelope_settings){
        .shape = shape, .rank = RANK, .alpha_noise = 1, .threads = threads
    };
}

static const crs_penalty_value losses[] = { { &crs_l1, { 1 }, 0.3 },
                                            { &crs_mcp, { 0.3, 3 }, 1 },
                                            { &crs_scad, { 0.3, 3.7 }, 1 } };

static crs_tall_run run_of(example *s, const crs_penalty_value *penalty, double nu)
{
    return (crs_tall_run){ .rank = RANK,
                           .penalty = *penalty,
                           .nu = nu,
                           .steps = 60,
                           .fall = 1e-9,
                           .most = 5000,
                           .x = s->x,
                           .y = s->y };
}

/* F, and the largest of |gradient| over that of its terms, by the pass over the tensor */
static double measured(const crs_envelope_settings *c, example *s, const crs_penalty_value *penalty,
                       double nu, double *worst)
{
    double gx[ROWS * RANK], gy[COLUMNS * RANK], a = 0, b = 0, squares = 0;
    const double *const factor[] = { s->x, s->y };
    crs_envelope *pass = crs_envelope_new(c, &s->data.source, NULL);
    crs_envelope_sums *sums = calloc(1, sizeof *sums);
    sums->gradient[0] = gx, sums->gradient[1] = gy;
    assert_true(crs_envelope_evaluate(pass, RANK, factor, penalty, penalty, sums, NULL));
    for (int k = 0; k < ROWS * RANK; k++)
        a += square(nu * s->x[k] - gx[k]), squares += square(s->x[k]);
    for (int k = 0; k < COLUMNS * RANK; k++)
        b += square(nu * s->y[k] - gy[k]), squares += square(s->y[k]);
    const double size = sqrt(sums->squares);
    *worst = larger(sqrt(a) / (size * crs_norm(COLUMNS * RANK, s->y)),
                    sqrt(b) / (size * crs_norm(ROWS * RANK, s->x)));
    const double value = sums->value + nu / 2 * squares;
    crs_envelope_free(pass);
    free(sums);
    return value;
}

static void both_factors_are_stationary(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        example *s = example_new((uint64_t)k, 1);
        const crs_envelope_settings c = settings(s, k / 3 % 2, 1);
        const crs_penalty_value *penalty = &losses[k % 3];
        const double nu = k / 6 * 0.2;
        crs_tall_run run = run_of(s, penalty, nu);
        crs_tall *tall = crs_tall_new(&c, &s->data.source);
        double worst, before = measured(&c, s, penalty, nu, &worst);
        assert_true(crs_tall_takes(tall, penalty) && crs_tall_descend(tall, &run));
        assert_true(measured(&c, s, penalty, nu, &worst) < before && worst < 1e-7);
        assert_true(run.passes > run.cg && run.passes < 400);
        crs_tall_free(tall);
        free(s);
    }
}

/* The transposed matrix is wide, and goes by the other steps. */
static double transposed(const example *s, const crs_penalty_value *penalty, double nu)
{
    const crease_space shape = crease_matrix(COLUMNS, ROWS);
    crs_envelope_solver_settings c = crs_envelope_solver_default(&shape, RANK);
    double *T = calloc(SIZE, sizeof *T);
    for (int k = 0; k < SIZE; k++) T[k % COLUMNS * ROWS + k / COLUMNS] = s->T[k];
    const double *const factor[] = { s->y, s->x };
    crs_memory data;
    crs_memory_open(&data, &shape, T, NULL);
    c.penalty = *penalty;
    c.nu = nu;
    c.path = c.prune = false;
    c.eps = 1e-9;
    assert_true(!crs_envelope_solver_tall(&c));
    crs_envelope_solver *solver = crs_envelope_solver_new(&c, &data.source, NULL);
    assert_true(crs_envelope_solver_start(solver, RANK, factor, NULL));
    for (int k = 0; k < 3000 && crs_envelope_solver_step(solver) == CRS_ENVELOPE_RUNNING;) k++;
    const double value = crs_envelope_solver_progress(solver)->value;
    crs_envelope_solver_free(solver);
    free(T);
    return value;
}

static void it_ends_where_the_envelope_ends(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        example *s = example_new(5, 1);
        const double nu = 0.1 * k, other = transposed(s, losses, nu);
        const crease_space shape = crease_matrix(ROWS, COLUMNS);
        crs_envelope_solver_settings c = crs_envelope_solver_default(&shape, RANK);
        const double *const factor[] = { s->x, s->y };
        crs_memory_open(&s->data, &shape, s->T, NULL);
        c.penalty = losses[0];
        c.nu = nu;
        c.path = c.prune = false;
        c.eps = 1e-9;
        assert_true(crs_envelope_solver_tall(&c));
        crs_envelope_solver *solver = crs_envelope_solver_new(&c, &s->data.source, NULL);
        assert_true(crs_envelope_solver_start(solver, RANK, factor, NULL));
        while (crs_envelope_solver_step(solver) == CRS_ENVELOPE_RUNNING) {}
        const crs_envelope_progress *at = crs_envelope_solver_progress(solver);
        assert_int_equal(at->status, CRS_ENVELOPE_STATIONARY);
        assert_true(at->worst <= 1e-9 && at->value <= other * (1 + 1e-10));
        crs_envelope_solver_free(solver);
        free(s);
    }
}

static void threads_and_the_unobserved_change_nothing(void **state)
{
    (void)state;
    example *a = example_new(3, 1), *b = example_new(3, 1);
    const crs_envelope_settings one = settings(a, true, 1), three = settings(b, true, 3);
    for (int k = 0; k < SIZE; k++)
        if (!b->mask[k]) b->T[k] = 1e3;
    crs_tall *s = crs_tall_new(&one, &a->data.source), *t = crs_tall_new(&three, &b->data.source);
    crs_tall_run first = run_of(a, &losses[1], 0), second = run_of(b, &losses[1], 0);
    first.steps = second.steps = 4;
    assert_true(crs_tall_descend(s, &first) && crs_tall_descend(t, &second));
    assert_memory_equal(a->x, b->x, sizeof a->x);
    assert_memory_equal(a->y, b->y, sizeof a->y);
    assert_int_equal(first.passes, second.passes);
    crs_tall_free(s), crs_tall_free(t);
    free(a), free(b);
}

/* Scaling the data by a power of two scales everything. */
static void units_do_not_matter(void **state)
{
    (void)state;
    const double scales[] = { 0x1p-400, 0x1p300 };
    for (int k = 0; k < 2; k++) {
        example *a = example_new(3, 1), *b = example_new(3, scales[k]);
        const crs_envelope_settings c = settings(a, false, 1);
        settings(b, false, 1);
        crs_tall *s = crs_tall_new(&c, &a->data.source), *t = crs_tall_new(&c, &b->data.source);
        crs_penalty_value scaled = losses[0];
        scaled.weight *= scales[k];
        crs_tall_run first = run_of(a, losses, 0), second = run_of(b, &scaled, 0);
        assert_true(crs_tall_descend(s, &first) && crs_tall_descend(t, &second));
        for (int j = 0; j < COLUMNS * RANK; j++)
            assert_true(fabs(a->y[j] - b->y[j]) <= 1e-6 * (1 + fabs(a->y[j])));
        crs_tall_free(s), crs_tall_free(t);
        free(a), free(b);
    }
}

static void limits_hold_and_nan_moves_nothing(void **state)
{
    (void)state;
    example *s = example_new(8, 1);
    const crs_envelope_settings c = settings(s, false, 1);
    crs_tall *tall = crs_tall_new(&c, &s->data.source);
    crs_tall_run run = run_of(s, losses, 0);
    run.most = 5;
    crs_tall_descend(tall, &run);
    assert_true(run.passes <= 8);
    run.most = 5000;
    s->T[17] = NAN;
    assert_false(crs_tall_descend(tall, &run));
    assert_true(run.passes == 1);
    crs_tall_free(tall);
    free(s);
}

/* Several slabs that are not in one piece: each is handed out as a copy; `fails` cannot be had. */
enum { MANY = 50000, NARROW = 100, ONE = 1 };
typedef struct {
    crs_source source;
    const double *T;
    double *copy;
    ptrdiff_t fails;
} handed;

static bool take(crs_source *s, ptrdiff_t k, crs_slab *out, crease_error *e)
{
    handed *h = (handed *)s;
    *out = crs_slab_at(&s->cut, k);
    if (k == h->fails) return crs_fail(e, CREASE_IO, "slab %td is gone", k);
    copy(crease_size(&out->shape), h->T + out->first, h->copy);
    out->t = h->copy;
    return true;
}

static void give(crs_source *s, const crs_slab *slab)
{
    fill(crease_size(&slab->shape), NAN, ((handed *)s)->copy);
}

static const crs_source_ops handing = { .name = "handed", .take = take, .give = give };

static handed handed_of(const crease_space *shape, const double *T, ptrdiff_t fails)
{
    handed h = { .source = { .ops = &handing, .cut = crs_partition_of(shape) }, .T = T };
    h.source.count = h.source.cut.count;
    h.copy = malloc((size_t)crs_slab_most(&h.source.cut) * sizeof *h.copy);
    h.fails = fails;
    return h;
}

static double *outer(void) /* rank one, noise, outliers */
{
    double *T = malloc(sizeof *T * MANY * NARROW);
    for (ptrdiff_t k = 0; k < MANY * NARROW; k++)
        T[k] = (1 + (double)(k / NARROW % 7)) * (double)(k % NARROW % 5 - 2) +
               1e-4 * (double)(k * 7919 % 2003 - 1001) + (k % 101 == 0 ? 9 : 0);
    return T;
}

/* One step from 1; the factors in x. */
static crs_tall_run descend(crs_source *T, int threads, double *x, bool *moved)
{
    const crs_envelope_settings c = {
        .shape = T->cut.shape, .rank = ONE, .alpha_noise = 1, .threads = threads
    };
    crs_tall_run run = { .rank = ONE, .penalty = losses[0], .steps = 1, .fall = 1e-9, .most = 20 };
    crs_tall *s = crs_tall_new(&c, T);
    run.x = x;
    run.y = x + MANY;
    fill(MANY, 1, run.x);
    for (int j = 0; j < NARROW; j++) run.y[j] = j % 5 - 1.9;
    *moved = crs_tall_descend(s, &run);
    crs_tall_free(s);
    return run;
}

static void slabs_have_the_same_bits_wherever_they_come_from(void **state)
{
    const crease_space shape = crease_matrix(MANY, NARROW);
    const size_t size = sizeof(double) * (MANY + NARROW);
    double *T = outer(), *x = malloc(size), *y = malloc(size);
    handed h = handed_of(&shape, T, -1);
    crs_memory data;
    bool moved, other;
    (void)state;
    crs_memory_open(&data, &shape, T, NULL);
    assert_true(data.source.cut.count > 1);
    const crs_tall_run a = descend(&data.source, 1, x, &moved);
    const crs_tall_run b = descend(&h.source, 2, y, &other);
    assert_true(moved && other && a.passes == b.passes && a.failure.code == CREASE_OK);
    assert_memory_equal(x, y, size);
    for (int j = 0; j < NARROW; j++) assert_true(isfinite(x[MANY + j]));
    free(h.copy), free(T), free(x), free(y);
}

static void a_slab_that_cannot_be_had_is_told(void **state)
{
    const crease_space shape = crease_matrix(MANY, NARROW);
    double *T = outer(), *x = malloc(sizeof *x * (MANY + NARROW));
    handed h = handed_of(&shape, T, 1);
    bool moved;
    (void)state;
    const crs_tall_run a = descend(&h.source, 1, x, &moved);
    assert_false(moved);
    assert_int_equal(a.failure.code, CREASE_IO);
    assert_string_equal(a.failure.text, "slab 1 is gone");
    free(h.copy), free(T), free(x);
}

static void only_tall_matrices_suit(void **state)
{
    (void)state;
    const crease_space tall = crease_matrix(400, 100), low = crease_matrix(399, 100),
                       wide = crease_matrix(100, 400), many = crease_matrix(1 << 20, 2001),
                       tensor = { .order = 3, .dim = { 400, 10, 10 } };
    assert_true(crs_tall_suits(&tall, 8) && !crs_tall_suits(&tall, 9));
    assert_false(crs_tall_suits(&low, 1) || crs_tall_suits(&wide, 1) || crs_tall_suits(&tensor, 1));
    assert_true(crs_tall_suits(&many, 1) && !crs_tall_suits(&many, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(both_factors_are_stationary),
                                        cmocka_unit_test(it_ends_where_the_envelope_ends),
                                        cmocka_unit_test(threads_and_the_unobserved_change_nothing),
                                        cmocka_unit_test(units_do_not_matter),
                                        cmocka_unit_test(limits_hold_and_nan_moves_nothing),
                                        cmocka_unit_test(
                                            slabs_have_the_same_bits_wherever_they_come_from),
                                        cmocka_unit_test(a_slab_that_cannot_be_had_is_told),
                                        cmocka_unit_test(only_tall_matrices_suit) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
