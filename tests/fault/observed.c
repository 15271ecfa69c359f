/* SPDX-License-Identifier: MIT
 * observed: a fit of mostly missing data survives any one of its allocations failing, a matrix and
 * a tensor, also where the observed entries are all there is, with its check and its pairs */
#include "rpca/fit.h"
#include "support/survive.h"

static bool fit(crease_error *e, const crease_space *shape)
{
    double t[960];
    const ptrdiff_t size = crease_size(shape);
    crease_cp_fit_settings s = crease_cp_fit_default(shape, 1);
    for (ptrdiff_t j = 0; j < size; j++) t[j] = j % 7 ? NAN : 2 + sin((double)j);
    s.model.missing = true;
    s.run.max_iterations = 3;
    crease_cp_fit *f = crease_cp_fit_new(&s, t, e);
    if (f) {
        const long live = allocations_live, left = allocations_left;
        assert_non_null(f->source->listed);
        crease_cp_fit_run(f);
        assert_true(allocations_live == live && allocations_left == left); /* none in the loop */
    }
    crease_cp_fit_free(f);
    return f;
}

static bool matrix(crease_error *e) { return fit(e, &(crease_space){ 2, { 24, 40 }, NULL }); }
static bool tensor(crease_error *e) { return fit(e, &(crease_space){ 3, { 8, 15, 8 }, NULL }); }

typedef struct {
    const crs_coordinates *t;
    const double *pair; /* one for every entry, in the order of their places */
} judged;

static void entry(void *user, ptrdiff_t k, ptrdiff_t *index, double *t, double *e)
{
    const judged *j = user;
    ptrdiff_t row = 0;
    while (k >= j->t->start[row + 1]) row++;
    crs_coordinates_place(j->t, row, k, index);
    *t = j->t->value[k];
    *e = 0;
}

static bool check(const crease_rpca *r, const crs_coordinates *t, crease_error *e)
{
    const crease_rpca_settings *used = crease_rpca_used(r);
    const double *factor[] = { crease_rpca_factor(r, 0), crease_rpca_factor(r, 1),
                               crease_rpca_factor(r, 2) };
    const crease_cp_claim c = { .shape = used->shape,
                                .rank = used->rank,
                                .penalty = used->penalty,
                                .alpha = used->alpha,
                                .alpha_noise = used->alpha_noise,
                                .factor = factor };
    judged j = { .t = t };
    const crease_cp_entries list = { t->count, entry, &j };
    crease_verification v = { .count = 0 };
    const bool done = crease_cp_verify_entries(&c, &list, 1e-6, true, &v, e);
    crease_verification_free(&v);
    return done;
}

static bool finish(crease_rpca *r, const crs_coordinates *t, crease_error *e)
{
    crs_parts parts;
    double pair[2 * 960];
    crease_rpca_run(r);
    const crease_rpca_facts *f = crease_rpca_about(r);
    if (crease_rpca_failure(r)->code != CREASE_OK) {
        *e = *crease_rpca_failure(r);
        return false;
    }
    assert_true(crs_parts_listed(r, &parts) && f->outliers < 960);
    crs_parts_pairs(&parts, pair);
    return check(r, t, e);
}

static bool list_alone(crease_error *e)
{
    const crease_space shape = { 3, { 8, 15, 8 }, NULL };
    double pair[2 * 960];
    ptrdiff_t count = 0, twice;
    crs_coordinates list;
    for (ptrdiff_t j = 958; j >= 0; j -= 7, count++)
        pair[2 * count] = (double)j, pair[2 * count + 1] = 2 + sin((double)j);
    if (!crs_coordinates_sort(&list, &shape, count, pair, &twice, e))
        return crs_coordinates_close(&list), false;
    crs_source *source = crs_listed_open(&list, e);
    if (!source) return false;
    crease_rpca_settings m = crease_rpca_default(&shape);
    crease_options o = crease_rpca_options();
    m.rank = 1;
    o.max_iterations = 3;
    crease_rpca *r = crs_rpca_new_on(&m, &o, source, e);
    const bool done = r && finish(r, source->listed, e);
    crease_rpca_free(r);
    source->ops->close(source);
    return done;
}

static void survive(void **state)
{
    (void)state;
    survives(matrix, 10);
    survives(tensor, 10);
    survives(list_alone, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
