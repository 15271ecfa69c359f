/* SPDX-License-Identifier: MIT
 * apply: a slice's coefficients are stationary by the definition, global for the 1-norm, those
 * of the fit on the fit's own slices; outliers show in the scores */
#include "rpca/rpca.h"
#include "support/rpca_naive.h"

enum { R = 3 };

typedef struct {
    crease_cp_instance *c;
    crease_cp_apply_settings s;
    crease_cp_apply_result out;
    const double *factor[CREASE_MAX_ORDER];
} example;

static example make(int order, int mode, uint64_t seed)
{
    crease_space shape = { .order = order, .dim = { 7, 6, 8, 3 } };
    crease_cp_recipe r = crease_cp_recipe_default(&shape, R);
    r.outliers = 0.1, r.magnitude = 6, r.noise = 0.05, r.seed = seed;
    example x = { .c = crease_cp_generate(&r, NULL) };
    x.s = (crease_cp_apply_settings){
        .shape = shape, .rank = R, .mode = mode, .alpha = 0.2, .alpha_noise = 1.5
    };
    const ptrdiff_t n = crease_size(&shape), slices = shape.dim[mode];
    x.out = (crease_cp_apply_result){ doubles(slices * R), unset_doubles(n), unset_doubles(n),
                                      calloc((size_t)slices, sizeof(crease_cp_slice_score)) };
    return x;
}

static bool run(example *x, crease_error *e)
{
    for (int n = 0; n < x->s.shape.order; n++)
        x->factor[n] = n == x->s.mode ? NULL : x->c->factor[n];
    x->s.factor = x->factor;
    return crease_cp_apply(&x->s, x->c->tensor, &x->out, e);
}

static void discard(example *x)
{
    crease_cp_instance_free(x->c);
    free(x->out.coefficients), free(x->out.lowrank), free(x->out.sparse), free(x->out.score);
}

static bool hidden(const example *x, ptrdiff_t j)
{
    return isnan(x->c->tensor[j]) || (x->s.mask && x->s.mask[j] == 0);
}

static double term_at(const example *x, ptrdiff_t j, int r)
{
    const double *f[CREASE_MAX_ORDER];
    for (int n = 0; n < x->s.shape.order; n++) f[n] = x->c->factor[n];
    return term(&x->s.shape, R, f, j, x->s.mode, r);
}

static ptrdiff_t slice_at(const example *x, ptrdiff_t j)
{
    ptrdiff_t i[CREASE_MAX_ORDER] = { 0 };
    unravel(&x->s.shape, j, i);
    return i[x->s.mode];
}

static double prox_naive(const example *x, double r)
{
    const crease_space one = crease_vector(1);
    const crease_reg l1 = crease_l1(1), *inner = x->s.penalty.ops ? &x->s.penalty : &l1;
    const crease_reg scaled = crease_scaled(x->s.alpha, inner);
    double e;
    crease_prox(&scaled, &one, (1 + x->s.alpha_noise) / (2 * x->s.alpha_noise), &r, &e, NULL);
    return e;
}

/* lowrank = M a, sparse = prox(t - M a), and -2c M'(r - e) + nu a = 0, or >= 0 where a = 0 binds;
 * all sums written out. */
static void check(const example *x)
{
    const double c = x->s.alpha_noise / (1 + x->s.alpha_noise);
    const ptrdiff_t slices = x->s.shape.dim[x->s.mode];
    double *g = doubles(slices * R), size = 0;
    for (ptrdiff_t j = 0; j < crease_size(&x->s.shape); j++) {
        const ptrdiff_t i = slice_at(x, j);
        double low = 0;
        for (int r = 0; r < R; r++) low += x->out.coefficients[i * R + r] * term_at(x, j, r);
        assert_close(x->out.lowrank[j], low, 1e-12);
        const double rest = hidden(x, j) ? 0 : x->c->tensor[j] - low, e = prox_naive(x, rest);
        assert_close(x->out.sparse[j], hidden(x, j) ? 0 : e, 1e-9);
        for (int r = 0; r < R; r++) g[i * R + r] -= 2 * c * (rest - e) * term_at(x, j, r);
        size += fabs(rest - e);
    }
    for (ptrdiff_t k = 0; k < slices * R; k++) {
        const double a = x->out.coefficients[k], slope = g[k] + x->s.ridge * a;
        if (x->s.nonneg) assert_true(a >= 0);
        if (x->s.nonneg && a == 0)
            assert_true(slope > -1e-8 * size);
        else
            assert_true(fabs(slope) < 1e-8 * size);
    }
    free(g);
}

static void coefficients_are_stationary_by_definition(void **state)
{
    const crease_reg penalty[] = { { .ops = NULL }, crease_mcp(1, 3), crease_scad(1, 3.7) };
    (void)state;
    for (int order = 2; order <= 4; order++)
        for (int mode = 0; mode < order; mode++)
            for (int k = 0; k < 6; k++) {
                example x = make(order, mode, (uint64_t)(10 * order + k));
                x.s.penalty = penalty[k / 2], x.s.nonneg = k % 2, x.s.ridge = k == 3 ? 0.3 : 0;
                if (order > 2) x.c->tensor[5] = NAN, x.s.missing = true;
                assert_true(run(&x, NULL));
                check(&x);
                discard(&x);
            }
}

/* The fit's own coefficients on its own slices, to the fit's accuracy. */
static void own_slices_get_the_coefficients_of_the_fit(void **state)
{
    example x = make(3, 2, 77);
    crease_cp_rpca_settings s = crease_cp_rpca_default(&x.s.shape, R);
    s.alpha = x.s.alpha, s.alpha_noise = x.s.alpha_noise;
    crease_cp_rpca *m = crease_cp_rpca_new(&s, x.c->tensor, NULL);
    crease_options o = crease_options_default();
    (void)state;
    o.relative = 1, o.eps = 1e-9, o.max_iterations = 20000;
    crease_solver *solver = crease_solver_new(crease_cp_rpca_problem(m), &o, NULL);
    crease_solve(solver);
    for (int n = 0; n < 3; n++)
        copy(x.s.shape.dim[n] * R, crease_solution(solver, n), x.c->factor[n]);
    assert_true(run(&x, NULL));
    assert_true(crease_relative_error(8 * R, x.out.coefficients, x.c->factor[2]) < 1e-5);
    crease_solver_free(solver);
    crease_cp_rpca_free(m);
    discard(&x);
}

/* A slice full of spikes, and one far from all that were seen. */
static void spiked_and_distant_slices_stand_out(void **state)
{
    example x = make(3, 0, 5);
    (void)state;
    for (ptrdiff_t j = 0; j < crease_size(&x.s.shape); j++) {
        x.c->tensor[j] = x.c->lowrank[j] + x.c->noise[j];
        if (slice_at(&x, j) == 3 && j % 3 == 0) x.c->tensor[j] += 30;
        if (slice_at(&x, j) == 5) x.c->tensor[j] += 40 * x.c->lowrank[j];
    }
    x.s.trained = x.c->factor[0], x.s.trained_count = 7;
    assert_true(run(&x, NULL));
    for (int i = 0; i < 7; i++) {
        const crease_cp_slice_score *s = &x.out.score[i];
        assert_true(s->observed == 48 && s->gradient < 1e-8 && s->objective >= 0);
        assert_true(i == 3 ? s->share >= 16.0 / 48 && s->energy > 100 : s->share < 0.2);
        assert_true(i == 5 ? s->distance > 10 : s->distance < 10);
    }
    discard(&x);
}

static void bad_settings_and_data_are_refused(void **state)
{
    example x = make(3, 1, 6);
    crease_error e;
    (void)state;
    x.c->tensor[3] = NAN;
    assert_false(run(&x, &e));
    assert_non_null(strstr(e.text, "entry 4"));
    x.s.missing = true;
    assert_true(run(&x, NULL));
    x.s.penalty = crease_nuclear(1), assert_false(run(&x, NULL));
    x.s.penalty = crease_l1(1), x.s.alpha = NAN, assert_false(run(&x, NULL));
    x.s.alpha = 1, x.s.mode = 3, assert_false(run(&x, NULL));
    x.s.mode = 1, x.c->factor[0][2] = INFINITY, assert_false(run(&x, NULL));
    discard(&x);
}

/* The slices from `first` on of what is written. */
static crease_cp_apply_result from(const example *x, ptrdiff_t first)
{
    const ptrdiff_t right = crease_size(&x->s.shape) / x->s.shape.dim[0];
    return (crease_cp_apply_result){ x->out.coefficients + first * R,
                                     x->out.lowrank + first * right, x->out.sparse + first * right,
                                     NULL };
}

static crs_slices *begin(example *x)
{
    const crs_extent all = crs_extent_of(crease_size(&x->s.shape), x->c->tensor, NULL);
    for (int n = 0; n < x->s.shape.order; n++) x->factor[n] = x->c->factor[n];
    x->s.factor = x->factor;
    return crs_slices_open(&x->s, &all, x->c->tensor[all.at], NULL);
}

static void expect_same(const example *x, const example *y)
{
    const ptrdiff_t n = crease_size(&x->s.shape), slices = x->s.shape.dim[0];
    assert_memory_equal(x->out.coefficients, y->out.coefficients, (size_t)(slices * R) * 8);
    assert_memory_equal(x->out.lowrank, y->out.lowrank, (size_t)n * 8);
    assert_memory_equal(x->out.sparse, y->out.sparse, (size_t)n * 8);
    for (ptrdiff_t i = 0; i < slices; i++) {
        const crease_cp_slice_score *a = &x->out.score[i], *b = &y->out.score[i];
        assert_true(a->share == b->share && a->energy == b->energy && a->scale == b->scale);
        assert_true(a->objective == b->objective && a->gradient == b->gradient);
        assert_true(a->observed == b->observed && a->iterations == b->iterations);
    }
}

/* Slices 0 to 3 are fitted in one place, 4 to 6 in another. */
static void slices_of_two_places_are_those_of_one(void **state)
{
    (void)state;
    example x = make(3, 0, 7), y = make(3, 0, 7);
    const ptrdiff_t right = crease_size(&x.s.shape) / 7;
    const crease_cp_apply_result rest = from(&y, 4), one = from(&y, 5);
    crs_slices *a = begin(&y), *b = begin(&y);
    assert_true(run(&x, NULL));
    assert_true(a && b && crs_slices_words(a) == crs_slices_words(b));
    int64_t *word = calloc((size_t)crs_slices_words(a), sizeof *word);
    assert_non_null(word);
    crs_slices_run(a, 0, 4, y.c->tensor, &y.out);
    crs_slices_run(b, 4, 3, y.c->tensor + 4 * right, &rest);
    for (ptrdiff_t i = 0; i < 7; i++) {
        crs_slices_tell(b, i, word);
        for (ptrdiff_t k = 0; i < 4 && k < crs_slices_words(b); k++) assert_true(word[k] == 0);
        crs_slices_hear(a, i, word);
    }
    assert_true(crs_slices_scores(a, y.out.score, NULL));
    expect_same(&x, &y);
    crs_slices_close(b);
    free(word);
    discard(&x);

    /* What was heard of is not fitted again, whatever there is. */
    crs_slices *c = begin(&y);
    word = calloc((size_t)crs_slices_words(c), sizeof *word);
    crs_slices_run(c, 5, 1, y.c->tensor + 5 * right, &one);
    crs_slices_tell(c, 5, word);
    crs_slices *d = begin(&y);
    double *zeros = doubles(right), known[R];
    memcpy(known, one.coefficients, sizeof known);
    crs_slices_hear(d, 5, word);
    crs_slices_run(d, 5, 1, zeros, &one);
    assert_memory_equal(known, one.coefficients, sizeof known);
    assert_true(known[0] != 0);
    crs_slices_close(a), crs_slices_close(c), crs_slices_close(d);
    free(word), free(zeros);
    discard(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(coefficients_are_stationary_by_definition),
                                        cmocka_unit_test(
                                            own_slices_get_the_coefficients_of_the_fit),
                                        cmocka_unit_test(spiked_and_distant_slices_stand_out),
                                        cmocka_unit_test(slices_of_two_places_are_those_of_one),
                                        cmocka_unit_test(bad_settings_and_data_are_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
