/* SPDX-License-Identifier: MIT
 * rpca: the one handle of robust PCA: what the settings leave open is chosen, the parts add up to
 * the data, the facts are those of the answer, every kind runs, wrong settings are refused */
#include "rpca/rpca.h"
#include "support/rpca_naive.h"

static crease_cp_instance *instance(const crease_space *s, ptrdiff_t rank)
{
    crease_cp_recipe r = crease_cp_recipe_default(s, rank);
    r.outliers = 0.05, r.magnitude = 10, r.noise = 0.1, r.seed = 4;
    return crease_cp_generate(&r, NULL);
}

static const crease_space cube = { .order = 3, .dim = { 9, 10, 11 } };
static const crease_space matrix = { .order = 2, .dim = { 30, 40 } };

/* The order in which the program used to choose: sweep, then a fit that learns. */
static void defaults_choose_rank_and_threshold(void **state)
{
    crease_cp_instance *c = instance(&cube, 2);
    const ptrdiff_t n = crease_size(&cube);
    double *own = doubles(n);
    copy(n, c->tensor, own);
    const crease_cp_rank_options o = { .high = crs_rank_highest(&cube) };
    crease_cp_rank_table *t = crease_cp_rank_sweep(&cube, own, NULL, &o, NULL);
    crease_cp_fit_settings s = crease_cp_fit_default(&cube, t->rank);
    s.learn = 3;
    crease_cp_fit *fit = crease_cp_fit_new(&s, own, NULL);
    const crease_rpca_settings plain = crease_rpca_default(&cube);
    crease_rpca *r = crease_rpca_new(&plain, NULL, c->tensor, NULL);
    (void)state;
    assert_true(fit && r);
    assert_int_equal(crease_cp_fit_run(fit), CREASE_STATIONARY);
    assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
    for (int k = 0; k < 3; k++)
        assert_memory_equal(crease_rpca_factor(r, k), crease_cp_fit_factor(fit, k),
                            (size_t)(cube.dim[k] * t->rank) * sizeof(double));
    const crease_rpca_facts *f = crease_rpca_about(r);
    assert_true(crease_rpca_used(r)->rank == 2 && f->ranks->count == t->count);
    assert_string_equal(f->rank_reason, t->reason);
    assert_true(crease_rpca_used(r)->alpha == crease_cp_fit_used(fit).model.alpha);
    assert_true(crease_rpca_used(r)->learn == 3 && f->learned_threshold > 0);
    crease_rpca_free(r);
    crease_cp_fit_free(fit);
    crease_cp_rank_table_free(t);
    free(own);
    crease_cp_instance_free(c);
}

static double *part_of(const crease_rpca *r, crease_rpca_part part)
{
    ptrdiff_t left, right;
    crease_rpca_rows(r, &left, &right);
    double *out = doubles(left * right);
    for (ptrdiff_t i = 0; i < left; i++) crease_rpca_read(r, part, i, 1, out + i * right);
    return out;
}

/* lowrank + sparse + noise = T where it was observed; the counts are those of the sparse part. */
static void check_parts(crease_rpca *r, const double *tensor, bool all_zero_noise)
{
    const ptrdiff_t n = crease_size(&crease_rpca_used(r)->shape);
    double *low = part_of(r, CREASE_RPCA_LOWRANK), *sparse = part_of(r, CREASE_RPCA_SPARSE);
    double *noise = part_of(r, CREASE_RPCA_NOISE), *seen = part_of(r, CREASE_RPCA_SEEN);
    double *z = part_of(r, CREASE_RPCA_Z), *b = part_of(r, CREASE_RPCA_B);
    ptrdiff_t outliers = 0, missing = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        const double size = fabs(low[j]) + fabs(sparse[j]) + fabs(noise[j]);
        outliers += sparse[j] != 0, missing += seen[j] == 0;
        if (seen[j] == 0) assert_true(noise[j] == 0 && b[j] == 0);
        if (seen[j] == 0) continue;
        assert_true(fabs(low[j] + sparse[j] + noise[j] - tensor[j]) <= 4e-16 * size + 1e-300);
        if (!all_zero_noise)
            assert_true(fabs(z[j] + sparse[j] + b[j] - tensor[j]) <= 1e-5 * size + 1e-300);
    }
    const crease_rpca_facts *f = crease_rpca_about(r);
    assert_true(f->outliers == outliers && f->missing == missing);
    assert_close(f->share, (double)outliers / (double)(n - missing), 1e-15);
    free(low), free(sparse), free(noise), free(seen), free(z), free(b);
}

/* By the definitions of rpca.h, one entry after the other. */
static void check_clear(crease_rpca *r, const double *tensor)
{
    const ptrdiff_t n = crease_size(&crease_rpca_used(r)->shape);
    const crease_rpca_facts *f = crease_rpca_about(r);
    double *low = part_of(r, CREASE_RPCA_LOWRANK), *sparse = part_of(r, CREASE_RPCA_SPARSE);
    double *seen = part_of(r, CREASE_RPCA_SEEN), squares = 0, all = 0, least = INFINITY, most = 0;
    ptrdiff_t clear = 0, calm = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        const double rest = tensor[j] - low[j];
        if (seen[j] == 0) continue;
        if (sparse[j] == 0) squares += square(rest), all += square(tensor[j]), calm++;
        if (sparse[j] == 0) continue;
        clear += fabs(rest) > 5 * f->deviation;
        least = smaller(least, fabs(rest)), most = larger(most, fabs(rest));
    }
    assert_int_equal(f->observed, n - f->missing);
    assert_true(f->outliers > 0 && fabs(f->least - least) <= 1e-14 * most);
    assert_close(f->rms, sqrt(squares / (double)calm), 1e-12);
    assert_close(f->explained, 1 - squares / all, 1e-12);
    assert_true(f->largest >= 0 && seen[f->largest] != 0 && sparse[f->largest] != 0);
    assert_close(fabs(f->largest_rest), most, 1e-14);
    assert_true(fabs(tensor[f->largest] - low[f->largest] - f->largest_rest) <= 1e-14 * most);
    if (crease_rpca_used(r)->kind == CREASE_RPCA_PCP) { /* has no noise */
        assert_true(isnan(f->deviation) && isnan(f->clear_share));
    } else {
        assert_true(f->clear == clear && clear > 0 && clear <= f->outliers);
        assert_close(f->clear_share, (double)clear / (double)f->observed, 1e-15);
        assert_true(fabs(f->deviation / 0.1 - 1) < 0.2); /* of the instance */
    }
    free(low), free(sparse), free(seen);
}

static void every_kind_runs_and_its_parts_add_up(void **state)
{
    const crease_rpca_kind kind[] = { CREASE_RPCA_CP, CREASE_RPCA_TUCKER, CREASE_RPCA_TUCKER,
                                      CREASE_RPCA_BALL, CREASE_RPCA_PCP };
    (void)state;
    for (int k = 0; k < 5; k++)
        for (int holes = 0; holes < (k < 3 ? 2 : 1); holes++) {
            const crease_space *shape = k < 2 ? &cube : &matrix;
            crease_cp_instance *c = instance(shape, 2);
            crease_rpca_settings s = crease_rpca_default(shape);
            crease_error e = { CREASE_OK, "" };
            s.kind = kind[k], s.missing = holes;
            if (holes) c->tensor[7] = c->tensor[100] = NAN;
            crease_rpca *r = crease_rpca_new(&s, NULL, c->tensor, &e);
            if (!r) fail_msg("kind %d: %s", k, e.text);
            assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
            assert_true(crease_rpca_certificate(r)->worst_relative <= 1e-6);
            assert_true((crease_rpca_problem(r) != NULL) == (k > 2));
            assert_true((crease_rpca_core(r) != NULL) == (k == 1 || k == 2));
            assert_true((crease_rpca_factor(r, 0) != NULL) == (k < 4));
            check_parts(r, c->tensor, kind[k] == CREASE_RPCA_PCP);
            check_clear(r, c->tensor);
            crease_rpca_free(r);
            crease_cp_instance_free(c);
        }
}

/* A Tucker model by another method, with what its fit does not read, or of a fit that cannot end,
 * is the problem in blocks. */
static void a_tucker_model_is_a_problem_where_it_must_be(void **state)
{
    crease_options o[3] = { crease_rpca_options(), crease_rpca_options(), crease_rpca_options() };
    (void)state;
    o[0].method = CREASE_METHOD_ADMM_M;
    o[1].certify_every = 3;
    o[2].eps = 1e-300;
    for (int k = 0; k < 3; k++)
        for (int holes = 0; holes < 2; holes++) {
            crease_cp_instance *c = instance(&matrix, 2);
            crease_rpca_settings s = crease_rpca_default(&matrix);
            s.kind = CREASE_RPCA_TUCKER, s.ranks = crease_matrix(2, 2), s.missing = holes;
            o[k].max_iterations = 2;
            if (holes) c->tensor[7] = c->tensor[100] = NAN;
            crease_rpca *r = crease_rpca_new(&s, &o[k], c->tensor, NULL);
            assert_true(r && crease_rpca_problem(r) && crease_rpca_multiplier(r));
            crease_rpca_run(r);
            assert_string_equal(crease_rpca_about(r)->engine, "solver");
            check_parts(r, c->tensor, false);
            crease_rpca_free(r);
            crease_cp_instance_free(c);
        }
}

/* 0.1 of noise and a twentieth of outliers a hundred times as large */
static void facts_are_those_of_the_answer(void **state)
{
    crease_cp_instance *c = instance(&cube, 2);
    const crease_rpca_settings s = crease_rpca_default(&cube);
    crease_rpca *r = crease_rpca_new(&s, NULL, c->tensor, NULL);
    (void)state;
    assert_true(isnan(crease_rpca_about(r)->share)); /* nothing is known before the run */
    assert_true(isnan(crease_rpca_about(r)->clear_share) && crease_rpca_about(r)->largest == -1);
    crease_rpca_run(r);
    const crease_rpca_facts *f = crease_rpca_about(r);
    double *low = part_of(r, CREASE_RPCA_LOWRANK), *sparse = part_of(r, CREASE_RPCA_SPARSE);
    for (ptrdiff_t j = 0; j < crease_size(&cube); j++) {
        const double rest = fabs(c->tensor[j] - low[j]);
        if (sparse[j] != 0) assert_true(rest > f->threshold * (1 - 1e-12));
        if (sparse[j] == 0) assert_true(rest < f->threshold * (1 + 1e-12));
    }
    assert_true(fabs(f->deviation / 0.1 - 1) < 0.1);
    assert_true(f->share > 0.04 && f->share < 0.1);
    free(low), free(sparse);
    crease_rpca_free(r);
    crease_cp_instance_free(c);
}

static void refused(const crease_rpca_settings *s, crease_code code, const char *word)
{
    double t[990] = { 1, 2, 3 };
    crease_error e = { CREASE_OK, "" };
    assert_null(crease_rpca_new(s, NULL, t, &e));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, word)) fail_msg("'%s' does not say '%s'", e.text, word);
}

static void wrong_settings_are_refused(void **state)
{
    const double *const x[3] = { NULL };
    crease_rpca_settings s = crease_rpca_default(&cube);
    (void)state;
    s.size = 0, refused(&s, CREASE_BAD_ARGUMENT, "crease_rpca_default");
    s = crease_rpca_default(&cube), s.kind = (crease_rpca_kind)9;
    refused(&s, CREASE_BAD_ARGUMENT, "kind 9");
    s = crease_rpca_default(&cube), s.rank = -1, refused(&s, CREASE_BAD_ARGUMENT, "rank is -1");
    s = crease_rpca_default(&cube), s.learn = 0, refused(&s, CREASE_BAD_ARGUMENT, "learn");
    s = crease_rpca_default(&cube), s.factor = x, refused(&s, CREASE_BAD_ARGUMENT, "give the rank");
    s = crease_rpca_default(&cube), s.memory = 1000, s.rank = 1;
    refused(&s, CREASE_NO_MEMORY, "MB are free");
    s = crease_rpca_default(&cube), s.kind = CREASE_RPCA_TUCKER, s.nonneg = true;
    refused(&s, CREASE_UNSUPPORTED, "CP model");
    s = crease_rpca_default(&cube), s.kind = CREASE_RPCA_PCP;
    refused(&s, CREASE_BAD_SHAPE, "matrices");
}

/* A program compiled before `memory` and what follows it were there. */
static void settings_of_an_older_program_get_the_defaults(void **state)
{
    crease_cp_instance *c = instance(&matrix, 1);
    crease_rpca_settings s;
    (void)state;
    memset(&s, 0xff, sizeof s);
    crease_rpca_init(&s, offsetof(crease_rpca_settings, memory), &matrix);
    s.rank = 1;
    crease_rpca *r = crease_rpca_new(&s, NULL, c->tensor, NULL);
    assert_true(r && crease_rpca_used(r)->memory == 0);
    crease_rpca_free(r);
    crease_cp_instance_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_choose_rank_and_threshold),
        cmocka_unit_test(every_kind_runs_and_its_parts_add_up),
        cmocka_unit_test(a_tucker_model_is_a_problem_where_it_must_be),
        cmocka_unit_test(facts_are_those_of_the_answer),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(settings_of_an_older_program_get_the_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
