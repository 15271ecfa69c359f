/* SPDX-License-Identifier: MIT
 * sweep: held-out errors and core consistency by their definitions; the true rank chosen, also
 * among many outliers, in noise, of matrices and of order 4; failed fits are tried again, not for
 * ever */
#include <crease/rpca_tools.h>

#include "rpca/rpca.h"
#include "support/arrays.h"
#include "support/rpca_naive.h"
#include "support/slab_copies.h"

static crease_cp_instance *instance(const crease_space *s, ptrdiff_t rank, double noise,
                                    uint64_t seed)
{
    crease_cp_recipe r = crease_cp_recipe_default(s, rank);
    r.outliers = 0.02, r.magnitude = 5, r.noise = noise, r.seed = seed;
    return crease_cp_generate(&r, NULL);
}

static void true_rank_is_found_by_a_table_and_by_a_search(void **state)
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

/* Slabs with a mask of their own, and the same entries as an array with nan */
static void a_source_has_the_table_of_its_entries(void **state)
{
    const crease_space s = { .order = 3, .dim = { 8, 10, 12 } };
    crease_cp_instance *c = instance(&s, 2, 1e-2, 5);
    unsigned char w[960];
    double t[960];
    const crease_cp_rank_options o = { .low = 1, .high = 3, .most = 900 };
    (void)state;
    for (int j = 0; j < 960; j++) {
        w[j] = j % 9 > 0;
        t[j] = w[j] ? c->tensor[j] : 0;
        if (!w[j]) c->tensor[j] = NAN;
    }
    slab_copies slabs = copies_of(cut_at(&s, 0, 3), t, w);
    crease_cp_rank_table *a = crease_cp_rank_sweep(&s, c->tensor, NULL, &o, NULL);
    crease_cp_rank_table *b = crs_rank_sweep_on(&slabs.source, &o, NULL);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(b->rank, 2);
    assert_string_equal(a->reason, b->reason);
    for (ptrdiff_t k = 0; k < a->count; k++) assert_true(a->row[k].loss == b->row[k].loss);
    crease_cp_rank_table_free(a);
    crease_cp_rank_table_free(b);
    crease_cp_instance_free(c);
}

/* A fit that hands back the truth: its errors are those of the noise, its consistency is known. */
typedef struct {
    const crease_cp_instance *c;
    ptrdiff_t calls, fitted, least;
} oracle;

static bool give_truth(void *self, const crease_cp_fit_request *r, double *const *factor,
                       double *objective, crease_error *e)
{
    oracle *o = self;
    (void)e;
    o->calls++, o->fitted = 0;
    for (ptrdiff_t j = 0; j < crease_size(&r->shape); j++) o->fitted += r->mask[j] > 0;
    if (crease_size(&r->shape) == crease_size(&o->c->recipe.shape))
        o->least = fewer(o->least, o->fitted);
    for (int n = 0; n < r->shape.order; n++)
        for (ptrdiff_t j = 0; j < r->shape.dim[n] * r->rank; j++)
            factor[n][j] = j % r->rank < o->c->recipe.rank
                               ? o->c->factor[n][j / r->rank * o->c->recipe.rank + j % r->rank]
                               : 0;
    *objective = -(double)r->rank;
    return true;
}

static void errors_of_a_supplied_fit_are_those_of_the_noise(void **state)
{
    const crease_space s = { .order = 3, .dim = { 12, 13, 14 } };
    crease_cp_instance *c = instance(&s, 2, 0.1, 9);
    oracle self = { c, 0, 0, 2184 };
    const crease_cp_rank_options o = {
        .low = 2, .high = 4, .share = 0.2, .fit = give_truth, .self = &self
    };
    (void)state;
    for (ptrdiff_t j = 3; j < 2184; j += 40) c->tensor[j] = NAN; /* not observed */
    crease_cp_rank_table *t = crease_cp_rank_sweep(&s, c->tensor, NULL, &o, NULL);
    assert_true(t && t->count == 3 && t->rank == 2);
    /* 80 % of what is there, and a run of each mode too many at most */
    const double least = (double)self.least;
    assert_true(least <= 0.8 * 2129 + 3 && least >= 0.8 * 2129 - 3 * 6);
    for (int k = 0; k < 3; k++) {
        assert_true(t->row[k].rank == k + 2 && t->row[k].objective == -(k + 2));
        /* the median of |N(0, 0.1^2)| is 0.0674; of 400 of them, within five deviations */
        assert_true(fabs(t->row[k].held_out - 0.0674) < 5 * 0.1 * 0.79 / sqrt(400));
        assert_true(fabs(t->row[k].fitted - 0.0674) < 5 * 0.1 * 0.79 / sqrt(2129));
    }
    crease_cp_rank_table_free(t);
    crease_cp_instance_free(c);
}

/* A search from an over-estimate ends where one without does, and says what it read. */
static void a_search_from_above_ends_where_one_without_does(void **state)
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
static void most_ranks_are_found_in_noise_as_large_as_the_data(void **state)
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
static void core_consistency_is_by_definition(void **state)
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
static void a_missing_term_shows_in_the_residual(void **state)
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

static void bad_requests_are_refused_and_zeros_have_rank_one(void **state)
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

static crease_cp_instance *instance_with(const crease_space *s, ptrdiff_t rank, double outliers,
                                         double noise)
{
    crease_cp_recipe r = crease_cp_recipe_default(s, rank);
    r.outliers = outliers, r.magnitude = 10, r.noise = noise, r.seed = 3;
    return crease_cp_generate(&r, NULL);
}

static double model_at(const crease_space *s, ptrdiff_t rank, double *const *x, ptrdiff_t j)
{
    double sum = 0;
    ptrdiff_t index[CREASE_MAX_ORDER];
    for (int n = s->order - 1; n >= 0; n--) index[n] = j % s->dim[n], j /= s->dim[n];
    for (ptrdiff_t r = 0; r < rank; r++) {
        double term = 1;
        for (int n = 0; n < s->order; n++) term *= x[n][index[n] * rank + r];
        sum += term;
    }
    return sum;
}

/* 56 parameters from 823 entries: the errors are well below the noise, 1e-3, also where an entry is
 * missing, which is nan. */
static void missing_entries_are_recovered_below_the_noise(void **state)
{
    const crease_space s = { .order = 3, .dim = { 8, 10, 12 } };
    crease_cp_instance *c = instance_with(&s, 2, 0.1, 1e-3);
    double x0[16], x1[20], x2[24], *x[] = { x0, x1, x2 }, mask[960], objective;
    double sum[2] = { 0, 0 };
    const crease_cp_fit_request r = { .shape = s, .tensor = c->tensor, .mask = mask, .rank = 2 };
    (void)state;
    for (ptrdiff_t j = 0; j < 960; j++) {
        mask[j] = j % 7 != 1;
        if (j % 7 == 1) c->tensor[j] = NAN;
    }
    assert_true(crease_cp_fit_envelope(NULL, &r, x, &objective, NULL));
    for (ptrdiff_t j = 0; j < 960; j++)
        sum[j % 7 == 1] += square(model_at(&s, 2, x, j) - c->lowrank[j]);
    assert_true(sqrt(sum[0] / 823) < 1e-3 && sqrt(sum[1] / 137) < 1e-3);
    assert_true(objective > 0);
    mask[1] = 1; /* an entry that is said to be there is nan */
    crease_error e = { CREASE_OK, "" };
    assert_false(crease_cp_fit_envelope(NULL, &r, x, &objective, &e));
    assert_true(e.code != CREASE_OK);
    crease_cp_instance_free(c);
}

static void finds(const crease_space *s, ptrdiff_t rank, double outliers, double noise)
{
    crease_cp_instance *c = instance_with(s, rank, outliers, noise);
    const crease_cp_rank_options o = { .high = 20 };
    crease_cp_rank_table *t = crease_cp_rank_sweep(s, c->tensor, NULL, &o, NULL);
    assert_non_null(t);
    assert_int_equal(t->rank, rank);
    crease_cp_rank_table_free(t);
    crease_cp_instance_free(c);
}

static void ranks_are_found_among_many_outliers_and_in_noise(void **state)
{
    const crease_space three = { .order = 3, .dim = { 10, 15, 20 } };
    const crease_space four = { .order = 4, .dim = { 6, 7, 8, 9 } };
    const crease_space matrix = { .order = 2, .dim = { 40, 50 } };
    (void)state;
    finds(&three, 4, 0.2, 1e-3);
    finds(&three, 3, 0.05, 0.3);
    finds(&four, 3, 0.1, 1e-2);
    finds(&matrix, 2, 0.05, 1e-2);
}

enum { RANK = 3 };

typedef struct {
    int left;    /* failures to come of fits of the true rank */
    int started; /* such fits that were given a start */
} unlucky;

/* The fit of one term less, and a term of 0. */
static bool fall_short(const crease_cp_fit_request *r, double *const *factor, double *objective,
                       crease_error *e)
{
    crease_cp_fit_request less = *r;
    less.rank--;
    less.start = NULL;
    if (!crease_cp_fit_envelope(NULL, &less, factor, objective, e)) return false;
    for (int n = 0; n < r->shape.order; n++)
        for (ptrdiff_t i = r->shape.dim[n] - 1; i >= 0; i--) {
            for (ptrdiff_t k = less.rank - 1; k >= 0; k--)
                factor[n][i * r->rank + k] = factor[n][i * less.rank + k];
            factor[n][i * r->rank + less.rank] = 0;
        }
    return true;
}

static bool fit_unless_unlucky(void *self, const crease_cp_fit_request *r, double *const *factor,
                               double *objective, crease_error *e)
{
    unlucky *u = self;
    if (r->rank == RANK) u->started += r->start != NULL;
    if (r->rank == RANK && u->left-- > 0) return fall_short(r, factor, objective, e);
    return crease_cp_fit_envelope(NULL, r, factor, objective, e);
}

static void a_fit_that_fails_once_does_not_hide_the_true_rank(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 9, 10, 12 } };
    (void)state;
    const int counts[] = { 0, 1, 100 };
    for (int k = 0; k < 3; k++) {
        const int failures = counts[k];
        crease_cp_recipe recipe = crease_cp_recipe_default(&shape, RANK);
        recipe.noise = 1e-2, recipe.outliers = 0.02, recipe.magnitude = 5;
        crease_cp_instance *c = crease_cp_generate(&recipe, NULL);
        unlucky u = { failures, 0 };
        const crease_cp_rank_options o = { .high = 6, .fit = fit_unless_unlucky, .self = &u };
        crease_cp_rank_table *t = crease_cp_rank_sweep(&shape, c->tensor, NULL, &o, NULL);
        assert_non_null(t);
        if (failures < 100) assert_int_equal(t->rank, RANK);
        if (failures > 0) assert_true(u.started > 0 && u.left < failures);
        assert_true(u.left > failures - 40);
        crease_cp_rank_table_free(t);
        crease_cp_instance_free(c);
    }
}

static crease_cp_rank_table *swept(const crease_space *s, const double *t)
{
    const crease_cp_rank_options o = { .high = 20 };
    crease_cp_rank_table *table = crease_cp_rank_sweep(s, t, NULL, &o, NULL);
    assert_non_null(table);
    return table;
}

static void exact_data_have_their_rank_and_ones_have_rank_one(void **state)
{
    const crease_space s = { .order = 3, .dim = { 8, 9, 10 } };
    double t[720];
    (void)state;
    for (int j = 0; j < 720; j++) t[j] = 1;
    crease_cp_rank_table *table = swept(&s, t);
    assert_int_equal(table->rank, 1);
    assert_non_null(strstr(table->reason, "rank 1 predicts what is held out to rounding"));
    assert_null(strstr(table->reason, "smaller rank"));
    crease_cp_rank_table_free(table);
    crease_cp_instance *c = instance(&s, 3, 0, 5);
    table = swept(&s, c->lowrank);
    assert_int_equal(table->rank, 3);
    crease_cp_rank_table_free(table);
    crease_cp_instance_free(c);
}

static void ranks_of_order_five_and_beside_an_offset_are_found(void **state)
{
    const crease_space five = { .order = 5, .dim = { 4, 5, 4, 5, 6 } };
    const crease_space s = { .order = 3, .dim = { 10, 12, 14 } };
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        crease_cp_instance *c = instance(&five, 3, 0.05, seed);
        crease_cp_rank_table *table = swept(&five, c->tensor);
        assert_int_equal(table->rank, 3);
        crease_cp_rank_table_free(table);
        crease_cp_instance_free(c);
    }
    for (double offset = 10; offset < 1000; offset *= 10) {
        crease_cp_instance *c = instance(&s, 3, 0.02, 7);
        for (ptrdiff_t j = 0; j < crease_size(&s); j++) c->tensor[j] += offset * sqrt(3);
        crease_cp_rank_table *table = swept(&s, c->tensor);
        assert_int_equal(table->rank, 4); /* a constant is a term */
        crease_cp_rank_table_free(table);
        crease_cp_instance_free(c);
    }
}

/* Terms that share their columns: many are needed, and no core of theirs is diagonal. */
static void low_core_consistency_is_no_veto(void **state)
{
    const crease_space s = { .order = 3, .dim = { 12, 13, 14 } };
    const crease_tucker_recipe r = {
        .parts = { .shape = s, .outliers = 0.02, .magnitude = 10, .noise = 0.02, .seed = 2 },
        .ranks = { .order = 3, .dim = { 2, 3, 3 } }
    };
    crease_tucker_instance *c = crease_tucker_generate(&r, NULL);
    (void)state;
    assert_non_null(c);
    crease_cp_rank_table *t = swept(&s, c->parts->tensor);
    double least = INFINITY, chosen = NAN, consistency = 0;
    for (ptrdiff_t k = 0; k < t->count; k++) {
        least = smaller(least, t->row[k].loss);
        if (t->row[k].rank == t->rank) chosen = t->row[k].loss, consistency = t->row[k].consistency;
    }
    assert_true(t->rank >= 3 && !(consistency >= 80) && chosen <= square(1.2) * least);
    crease_cp_rank_table_free(t);
    crease_tucker_instance_free(c);
}

typedef struct {
    crease_watch *watch;
    int left; /* fits until it is stopped */
} impatient;

static bool fit_then_stop(void *self, const crease_cp_fit_request *r, double *const *factor,
                          double *objective, crease_error *e)
{
    impatient *w = self;
    if (w->left-- == 0) crease_watch_stop(w->watch);
    return crease_cp_fit_envelope(NULL, r, factor, objective, e);
}

static void a_search_that_is_stopped_returns_what_it_has(void **state)
{
    const crease_space s = { .order = 3, .dim = { 8, 10, 12 } };
    crease_cp_instance *c = instance(&s, 3, 1e-2, 4);
    (void)state;
    for (int fits = 0; fits < 60; fits += 7) {
        impatient self = { crease_watch_new(NULL), fits };
        const crease_cp_rank_options o = {
            .high = 6, .fit = fit_then_stop, .self = &self, .watch = self.watch
        };
        crease_cp_rank_table *t = crease_cp_rank_sweep(&s, c->tensor, NULL, &o, NULL);
        assert_true(t && (!t->stopped || self.left < 0));
        assert_true(self.left >= -4); /* two modes are cut in half between two questions */
        assert_true(t->rank >= 1 && t->reason[0]);
        assert_true(!t->stopped || strstr(t->reason, "stopped"));
        for (ptrdiff_t k = 0; k < t->count; k++)
            assert_true(t->row[k].factor[0] && isfinite(t->row[k].loss));
        crease_cp_rank_table_free(t);
        crease_watch_free(self.watch);
    }
    crease_cp_instance_free(c);
}

/* Some slices stand for all; the mask goes with them. */
static void a_large_tensor_is_judged_by_some_of_its_slices(void **state)
{
    const crease_space s = { .order = 3, .dim = { 20, 60, 30 } };
    crease_cp_instance *c = instance(&s, 3, 0.05, 6);
    double *mask = doubles(36000);
    const crease_cp_rank_options o = { .high = 10, .most = 6000 };
    (void)state;
    for (ptrdiff_t j = 0; j < 36000; j++) mask[j] = j % 9 != 4;
    for (ptrdiff_t j = 4; j < 36000; j += 9) c->tensor[j] = NAN;
    for (int masked = 0; masked < 2; masked++) {
        crease_cp_rank_table *t =
            crease_cp_rank_sweep(&s, c->tensor, masked ? mask : NULL, &o, NULL);
        assert_true(t && t->rank == 3);
        assert_true(crease_size(&t->judged) <= 6000 && crease_size(&t->judged) > 3000);
        assert_non_null(strstr(t->reason, " of the data"));
        crease_cp_rank_table_free(t);
    }
    free(mask);
    crease_cp_instance_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(true_rank_is_found_by_a_table_and_by_a_search),
        cmocka_unit_test(a_source_has_the_table_of_its_entries),
        cmocka_unit_test(errors_of_a_supplied_fit_are_those_of_the_noise),
        cmocka_unit_test(a_search_from_above_ends_where_one_without_does),
        cmocka_unit_test(most_ranks_are_found_in_noise_as_large_as_the_data),
        cmocka_unit_test(core_consistency_is_by_definition),
        cmocka_unit_test(a_missing_term_shows_in_the_residual),
        cmocka_unit_test(bad_requests_are_refused_and_zeros_have_rank_one),
        cmocka_unit_test(missing_entries_are_recovered_below_the_noise),
        cmocka_unit_test(ranks_are_found_among_many_outliers_and_in_noise),
        cmocka_unit_test(exact_data_have_their_rank_and_ones_have_rank_one),
        cmocka_unit_test(ranks_of_order_five_and_beside_an_offset_are_found),
        cmocka_unit_test(low_core_consistency_is_no_veto),
        cmocka_unit_test(a_search_that_is_stopped_returns_what_it_has),
        cmocka_unit_test(a_large_tensor_is_judged_by_some_of_its_slices),
        cmocka_unit_test(a_fit_that_fails_once_does_not_hide_the_true_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
