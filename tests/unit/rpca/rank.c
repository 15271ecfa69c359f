/* SPDX-License-Identifier: MIT
 * cp_rank_sweep: held-out errors and core consistency by their definitions; the true rank chosen */
#include "support/rpca_naive.h"

static crease_cp_instance *instance(const crease_space *s, ptrdiff_t rank, double noise,
                                    uint64_t seed)
{
    crease_cp_recipe r = crease_cp_recipe_default(s, rank);
    r.outliers = 0.02, r.magnitude = 5, r.noise = noise, r.seed = seed;
    return crease_cp_generate(&r, NULL);
}

static void true_rank(void **state)
{
    const crease_space s = { .order = 3, .dim = { 8, 10, 12 } };
    (void)state;
    for (ptrdiff_t rank = 1; rank <= 4; rank++)
        for (int searched = 0; searched < 2; searched++) {
            crease_cp_instance *c = instance(&s, rank, 1e-2, (uint64_t)rank);
            const crease_cp_rank_options o = { .low = !searched, .high = rank + 2 };
            crease_cp_rank_table *t = crease_cp_rank_sweep(&s, c->tensor, NULL, &o, NULL);
            assert_non_null(t);
            assert_int_equal(t->rank, rank);
            assert_true(strstr(t->reason, "held-out") && t->count <= rank + 2);
            for (ptrdiff_t k = 1; k < t->count; k++)
                assert_true(t->row[k - 1].rank < t->row[k].rank);
            crease_cp_rank_table_free(t);
            crease_cp_instance_free(c);
        }
}

/* A fit that hands back the truth: its errors are those of the noise, its consistency is known. */
typedef struct {
    const crease_cp_instance *c;
    ptrdiff_t calls, fitted;
} oracle;

static bool give_truth(void *self, const crease_cp_fit_request *r, double *const *factor,
                       double *objective, crease_error *e)
{
    oracle *o = self;
    (void)e;
    o->calls++, o->fitted = 0;
    for (ptrdiff_t j = 0; j < crease_size(&r->shape); j++) o->fitted += r->mask[j] > 0;
    for (int n = 0; n < r->shape.order; n++)
        for (ptrdiff_t j = 0; j < r->shape.dim[n] * r->rank; j++)
            factor[n][j] = j % r->rank < o->c->recipe.rank
                               ? o->c->factor[n][j / r->rank * o->c->recipe.rank + j % r->rank]
                               : 0;
    *objective = -(double)r->rank;
    return true;
}

static void any_fit(void **state)
{
    const crease_space s = { .order = 3, .dim = { 12, 13, 14 } };
    crease_cp_instance *c = instance(&s, 2, 0.1, 9);
    oracle self = { c, 0, 0 };
    const crease_cp_rank_options o = {
        .low = 2, .high = 4, .share = 0.2, .fit = give_truth, .self = &self
    };
    (void)state;
    for (ptrdiff_t j = 3; j < 2184; j += 40) c->tensor[j] = NAN; /* not observed */
    crease_cp_rank_table *t = crease_cp_rank_sweep(&s, c->tensor, NULL, &o, NULL);
    assert_true(t && t->count == 3 && t->rank == 2);
    /* one fold, or two, four, or the most whose shares are less than all */
    assert_true(self.calls == 3 || self.calls == 6 || self.calls == 12);
    /* 80 % of what is there; binomial within five deviations */
    assert_true(fabs((double)self.fitted - 0.8 * 2129) < 5 * sqrt(0.16 * 2129));
    for (int k = 0; k < 3; k++) {
        assert_true(t->row[k].rank == k + 2 && t->row[k].objective == -(k + 2));
        /* the median of |N(0, 0.1^2)| is 0.0674; of 400 of them, within five deviations */
        assert_true(fabs(t->row[k].held_out - 0.0674) < 5 * 0.1 * 0.79 / sqrt(400));
        assert_true(fabs(t->row[k].fitted - 0.0674) < 5 * 0.1 * 0.79 / sqrt(1600));
    }
    crease_cp_rank_table_free(t);
    crease_cp_instance_free(c);
}

/* A search from an over-estimate ends where one without does, and says what it read. */
static void from_above(void **state)
{
    const crease_space s = { .order = 3, .dim = { 8, 10, 12 } };
    crease_cp_instance *c = instance(&s, 3, 1e-2, 4);
    (void)state;
    for (ptrdiff_t from = 4; from <= 8; from += 2) {
        const crease_cp_rank_options o = { .high = 20, .from = from };
        crease_cp_rank_table *t = crease_cp_rank_sweep(&s, c->tensor, NULL, &o, NULL);
        assert_true(t && t->rank == 3 && t->count >= 3);
        assert_true(t->readings > 10 * t->count); /* a fit takes more than ten */
        crease_cp_rank_table_free(t);
    }
    crease_cp_instance_free(c);
}

/* Noise as large as the data: medians of 5 % of 2000 entries do not tell 3 from 2 terms. */
static void in_noise(void **state)
{
    const crease_space s = { .order = 2, .dim = { 40, 50 } };
    int found = 0;
    (void)state;
    for (uint64_t seed = 21; seed <= 26; seed++) {
        crease_cp_recipe r = crease_cp_recipe_default(&s, 3);
        r.outliers = 0.05, r.magnitude = 17, r.noise = sqrt(3), r.seed = seed;
        crease_cp_instance *c = crease_cp_generate(&r, NULL);
        const crease_cp_rank_options o = { .high = 10, .seed = seed };
        crease_cp_rank_table *t = crease_cp_rank_sweep(&s, c->tensor, NULL, &o, NULL);
        assert_true(t && t->rank >= 1 && t->rank <= 4);
        found += t->rank == 3;
        crease_cp_rank_table_free(t);
        crease_cp_instance_free(c);
    }
    assert_true(found >= 3);
}

/* In orthonormal factors the core is T(x_r, y_s, z_t): 100 (1 - |G - I|^2/R) written out. */
static void consistency(void **state)
{
    const crease_space s = { .order = 3, .dim = { 3, 3, 3 } };
    double eye[9] = { 1, 0, 0, 1, 0, 0 }, t[27] = { 0 }, percent;
    const double *const x[] = { eye, eye, eye };
    const crease_cp_fit_request r = { .shape = s, .tensor = t, .rank = 2 };
    (void)state;
    eye[0] = 1, eye[1] = 0, eye[2] = 0, eye[3] = 1, eye[4] = 0, eye[5] = 0; /* 3 x 2 */
    t[0] = t[13] = 1;
    assert_true(crease_cp_consistency(&r, x, &percent, NULL));
    assert_close(percent, 100, 1e-12);
    for (int j = 0; j < 27; j++) t[j] += 0.5; /* residual 0.5 everywhere: 8 of them in the core */
    assert_true(crease_cp_consistency(&r, x, &percent, NULL));
    assert_close(percent, 100 * (1 - 8 * 0.25 / 2), 1e-12);
    t[0] += 1000; /* one outlier: cut at 3 x 0.5 */
    assert_true(crease_cp_consistency(&r, x, &percent, NULL));
    assert_close(percent, 100 * (1 - (7 * 0.25 + 2.25) / 2), 1e-12);
    const crease_cp_fit_request four = { .shape = s, .tensor = t, .rank = 4 };
    assert_true(crease_cp_consistency(&four, x, &percent, NULL) && isnan(percent));
}

/* Nothing is left beside the truth; without one of its terms that term is, in noise too. */
static void structure(void **state)
{
    const crease_space s = { .order = 3, .dim = { 12, 20, 30 } };
    (void)state;
    for (double noise = 1e-3; noise < 2.1; noise *= 10 * sqrt(20)) { /* 1e-3, 0.045, 2 */
        crease_cp_instance *c = instance(&s, 4, noise, 11);
        const crease_cp_fit_request r = { .shape = s, .tensor = c->tensor, .rank = 4 };
        const double *const *x = (const double *const *)c->factor;
        double with, without;
        assert_true(crease_cp_structure(&r, x, &with, NULL));
        for (ptrdiff_t i = 0; i < 12; i++) c->factor[0][i * 4 + 1] = 0;
        assert_true(crease_cp_structure(&r, x, &without, NULL));
        assert_true(with < 1.2 && without > 1.5);
        c->tensor[8] = NAN;
        assert_false(crease_cp_structure(&r, x, &with, NULL));
        crease_cp_instance_free(c);
    }
}

static void refusals(void **state)
{
    const crease_space s = shape_of(3), one = crease_vector(5);
    double t[60] = { 0 };
    crease_cp_rank_options o = { .low = 3, .high = 2 };
    (void)state;
    assert_null(crease_cp_rank_sweep(&s, t, NULL, &o, NULL));
    o = (crease_cp_rank_options){ .high = 0 };
    assert_null(crease_cp_rank_sweep(&s, t, NULL, &o, NULL));
    o = (crease_cp_rank_options){ .high = 2, .share = NAN };
    assert_null(crease_cp_rank_sweep(&s, t, NULL, &o, NULL));
    o = (crease_cp_rank_options){ .high = 2 };
    assert_null(crease_cp_rank_sweep(&one, t, NULL, &o, NULL));
    o = (crease_cp_rank_options){ .high = 2, .from = 3 };
    assert_null(crease_cp_rank_sweep(&s, t, NULL, &o, NULL));
    o = (crease_cp_rank_options){ .high = 2 };
    t[7] = INFINITY;
    assert_null(crease_cp_rank_sweep(&s, t, NULL, &o, NULL));
    t[7] = 0; /* zeros have rank 1 as well as any other */
    crease_cp_rank_table *table = crease_cp_rank_sweep(&s, t, NULL, &o, NULL);
    assert_true(table && table->rank == 1);
    crease_cp_rank_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(true_rank),   cmocka_unit_test(any_fit),
                                        cmocka_unit_test(from_above),  cmocka_unit_test(in_noise),
                                        cmocka_unit_test(consistency), cmocka_unit_test(structure),
                                        cmocka_unit_test(refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
