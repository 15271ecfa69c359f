/* SPDX-License-Identifier: MIT
 * fit_starts: the envelope begins where the settings say; the order of several starts */
#include "support/cp_fit_case.h"

#include "rpca/start.h"

typedef struct {
    crease_cp_start start;
    double clip;
    const char *name;
} named;

static const named starts[] = {
    { CREASE_START_ALS, 0, "als" },       { CREASE_START_ALS, 2, "als-clipped" },
    { CREASE_START_HOSVD, 0, "hosvd" },   { CREASE_START_HOSVD, 3, "hosvd-clipped" },
    { CREASE_START_GEVD, 0, "gevd" },     { CREASE_START_GEVD, 2.5, "gevd-clipped" },
    { CREASE_START_RANDOM, 0, "random" },
};
enum { STARTS = sizeof starts / sizeof *starts };

static fit_case draw(const crease_space *s, bool masked, bool nonneg)
{
    fit_case c = fit_draw(s, masked, 1);
    c.s.model.nonneg = nonneg;
    c.s.starts = 1;
    return c;
}

/* Where the fit began is not told: it is where a fit given these factors ends as well. */
static void same(const fit_case *a, const double *const *factor, bool masked)
{
    fit_case b = draw(&a->shape, masked, a->s.model.nonneg);
    b.s.model.factor = factor;
    fit_run(&b);
    assert_string_equal(crease_cp_fit_pilot(b.fit).start, "given");
    const ptrdiff_t rank = crease_cp_fit_used(a->fit).model.rank;
    assert_true(crease_cp_fit_used(b.fit).model.rank == rank);
    for (int n = 0; n < a->shape.order; n++)
        assert_memory_equal(crease_cp_fit_factor(a->fit, n), crease_cp_fit_factor(b.fit, n),
                            (size_t)(a->shape.dim[n] * rank) * sizeof(double));
    fit_free(&b);
}

/* The model's own start, as every other method takes it. */
static void same_as_model(const fit_case *a, bool masked)
{
    const double *factor[CREASE_MAX_ORDER];
    crease_cp_rpca *m = crease_cp_rpca_new(&a->s.model, a->given, NULL);
    const crease_problem *p = crease_cp_rpca_problem(m);
    for (int n = 0; n < a->shape.order; n++) factor[n] = p->block[n].start;
    same(a, factor, masked);
    crease_cp_rpca_free(m);
}

static void same_as_family(const fit_case *a, int q, bool masked)
{
    double *x[CREASE_MAX_ORDER];
    unsigned char *mask = malloc((size_t)a->size);
    crs_memory data;
    double *seen = malloc((size_t)a->size * sizeof(double));
    for (ptrdiff_t j = 0; j < a->size; j++)
        mask[j] = (unsigned char)!isnan(a->given[j]), seen[j] = mask[j] ? a->given[j] : 0;
    const crs_cp_view v = { .shape = a->shape, .source = &data.source, .limit = INFINITY };
    crs_memory_open(&data, &a->shape, seen, masked ? mask : NULL);
    const crs_cp_gevd_options o = { .rank = 2, .cut = true, .clip = a->s.model.clip };
    for (int n = 0; n < a->shape.order; n++) x[n] = malloc((size_t)a->shape.dim[n] * 16);
    assert_true(crs_cp_start_of(&v, &o, q, x, NULL));
    same(a, (const double *const *)x, masked);
    for (int n = 0; n < a->shape.order; n++) free(x[n]);
    free(mask), free(seen);
}

static void the_envelope_begins_where_the_settings_say(void **state)
{
    (void)state;
    for (int k = 0; k < STARTS * 12; k++) {
        const named *at = &starts[k / 12];
        const crease_space s = fit_shape(2 + k % 3);
        const bool masked = k / 3 % 2;
        fit_case c = draw(&s, masked, k / 6 % 2);
        c.s.model.start = at->start;
        c.s.model.clip = at->clip;
        const crease_outcome o = fit_run(&c);
        if (o != CREASE_STATIONARY)
            fail_msg("%s, case %d: %s", at->name, k, crease_outcome_text(o));
        const crease_cp_pilot p = crease_cp_fit_pilot(c.fit);
        assert_string_equal(p.start, at->name);
        assert_int_equal(p.starts, 1);
        if (at->start == CREASE_START_ALS || at->start == CREASE_START_HOSVD)
            same_as_model(&c, masked);
        else
            same_as_family(
                &c, at->start == CREASE_START_RANDOM ? CRS_CP_RANDOM_START : at->clip > 0, masked);
        fit_free(&c);
    }
}

/* Every member once, the named one first; after random ones random ones. */
static void every_start_comes_once_the_named_one_first(void **state)
{
    (void)state;
    for (int first = 0; first < 6; first++) {
        int times[40] = { 0 };
        assert_int_equal(crs_cp_start_after(first, 0), first);
        for (int q = 0; q < 20; q++) times[crs_cp_start_after(first, q)]++;
        for (int q = 0; q < 20; q++)
            assert_int_equal(times[first < CRS_CP_RANDOM_START ? q : first + q], 1);
    }
}

/* As many as asked for; the best is no worse than the first alone. */
static void the_best_of_several_is_no_worse_than_the_first(void **state)
{
    const crease_space s = fit_shape(3);
    (void)state;
    for (int k = 0; k < STARTS; k++) {
        double deviation[2];
        for (int several = 0; several < 2; several++) {
            fit_case c = draw(&s, false, false);
            c.s.model.start = starts[k].start;
            c.s.model.clip = starts[k].clip;
            c.s.starts = several ? 4 : 1;
            c.s.learn = 3;
            assert_int_equal(fit_run(&c), CREASE_STATIONARY);
            const crease_cp_pilot p = crease_cp_fit_pilot(c.fit);
            assert_int_equal(p.starts, c.s.starts);
            assert_true(p.spread >= 0 && !(p.agreement > 1)); /* nan: none is as good */
            if (!several) assert_true(isnan(p.agreement) && p.spread == 0);
            if (starts[k].start == CREASE_START_RANDOM) assert_string_equal(p.start, "random");
            deviation[several] = p.deviation;
            fit_free(&c);
        }
        assert_true(deviation[1] <= deviation[0]);
    }
}

static void data_of_zeros_end_at_zero_from_every_start(void **state)
{
    const crease_space s = fit_shape(3);
    (void)state;
    for (int k = 0; k < STARTS; k++) {
        fit_case c = draw(&s, false, false);
        fill(c.size, 0, c.tensor);
        c.s.model.start = starts[k].start;
        c.s.model.clip = starts[k].clip;
        assert_int_equal(fit_run(&c), CREASE_STATIONARY);
        assert_true(crease_cp_fit_factor(c.fit, 0)[0] == 0);
        fit_free(&c);
    }
}

static void other_methods_take_one_start(void **state)
{
    const crease_space s = fit_shape(3);
    fit_case c = draw(&s, false, false);
    crease_error e = { CREASE_OK, "" };
    (void)state;
    c.s.run.method = CREASE_METHOD_ADMM_G;
    c.s.starts = 2;
    assert_null(crease_cp_fit_new(&c.s, c.tensor, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    assert_non_null(strstr(e.text, "2 starts"));
    c.s.starts = 1;
    c.s.run.mode = CREASE_MODE_PAPER;
    c.s.model.start = CREASE_START_GEVD;
    c.fit = crease_cp_fit_new(&c.s, c.tensor, NULL);
    assert_int_equal(crease_cp_fit_used(c.fit).model.start, CREASE_START_GEVD);
    fit_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_envelope_begins_where_the_settings_say),
        cmocka_unit_test(every_start_comes_once_the_named_one_first),
        cmocka_unit_test(the_best_of_several_is_no_worse_than_the_first),
        cmocka_unit_test(data_of_zeros_end_at_zero_from_every_start),
        cmocka_unit_test(other_methods_take_one_start)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
