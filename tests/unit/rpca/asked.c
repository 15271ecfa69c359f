/* SPDX-License-Identifier: MIT
 * asked: a rank that was asked for is kept: every method returns that many columns, terms that the
 * noise explains are zeros with a reason, and with `prune` they are gone; none is cut because
 * another one dwarfs it */
#include <crease/random.h>

#include "rpca/rpca.h"
#include "support/rpca_naive.h"

static crease_cp_instance *instance(const crease_space *s, ptrdiff_t rank, uint64_t seed)
{
    crease_cp_recipe r = crease_cp_recipe_default(s, rank);
    r.outliers = 0.1, r.magnitude = 10, r.noise = 0.01, r.seed = seed;
    return crease_cp_generate(&r, NULL);
}

static const crease_space cube = { .order = 3, .dim = { 9, 10, 11 } };

static double column(const crease_rpca *r, int n, ptrdiff_t k)
{
    const crease_rpca_settings *s = crease_rpca_used(r);
    double sum = 0;
    for (ptrdiff_t i = 0; i < s->shape.dim[n]; i++)
        sum += fabs(crease_rpca_factor(r, n)[i * s->rank + k]);
    return sum;
}

static double error_of(const crease_rpca *r, const double *truth)
{
    const crease_space *s = &crease_rpca_used(r)->shape;
    ptrdiff_t left, right;
    double *low = doubles(crease_size(s));
    crease_rpca_rows(r, &left, &right);
    crease_rpca_read(r, CREASE_RPCA_LOWRANK, 0, left, low);
    const double error = crease_relative_error(crease_size(s), low, truth);
    free(low);
    return error;
}

/* Rank 2 asked for as 4. */
static void every_method_returns_the_rank_asked_for(void **state)
{
    static const crease_method methods[] = { CREASE_METHOD_AUTO,   CREASE_METHOD_ENVELOPE,
                                             CREASE_METHOD_ADMM_G, CREASE_METHOD_ADMM_M,
                                             CREASE_METHOD_BCD,    CREASE_METHOD_PROX_BCD };
    int runs = 0;
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (int mode = CREASE_MODE_PRACTICAL; mode <= CREASE_MODE_PAPER; mode++) {
            crease_cp_instance *c = instance(&cube, 2, 5);
            crease_rpca_settings s = crease_rpca_default(&cube);
            crease_options o = crease_rpca_options();
            o.method = methods[k], o.mode = (crease_mode)mode, o.max_iterations = 50;
            s.rank = 4;
            crease_error e = { CREASE_OK, "" };
            crease_rpca *r = crease_rpca_new(&s, &o, c->tensor, &e);
            if (r) {
                runs++;
                crease_rpca_run(r);
                assert_int_equal(crease_rpca_used(r)->rank, 4);
                assert_int_equal(crease_rpca_about(r)->rank_asked, 4);
                for (int n = 0; n < 3; n++) assert_true(isfinite(column(r, n, 3)));
            }
            assert_true(r || e.code == CREASE_UNSUPPORTED); /* not in this mode */
            crease_rpca_free(r);
            crease_cp_instance_free(c);
        }
    assert_true(runs >= 14);
}

/* The spare columns are zeros, last, and on record; the others are as with pruning. */
static void spare_terms_are_zeros_with_a_reason(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        double error[2];
        for (int prune = 0; prune < 2; prune++) {
            crease_cp_instance *c = instance(&cube, 2, seed);
            crease_rpca_settings s = crease_rpca_default(&cube);
            s.rank = 4, s.prune = prune;
            crease_rpca *r = crease_rpca_new(&s, NULL, c->tensor, NULL);
            assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
            const crease_rpca_facts *f = crease_rpca_about(r);
            assert_true(f->terms == 2 && f->cuts == 2 && f->rank_asked == 4);
            assert_int_equal(crease_rpca_used(r)->rank, prune ? 2 : 4);
            for (int q = 0; q < 2; q++) {
                assert_true(f->cut[q].reason[0] && f->cut[q].size >= 0 && f->cut[q].noise > 0);
                for (int n = 0; !prune && n < 3; n++) assert_true(column(r, n, 2 + q) == 0);
            }
            error[prune] = error_of(r, c->lowrank);
            crease_rpca_free(r);
            crease_cp_instance_free(c);
        }
        assert_true(error[0] < 0.01);
        assert_close(error[0], error[1], 1e-12);
    }
}

static void nothing_cut_is_an_empty_list(void **state)
{
    (void)state;
    crease_cp_instance *c = instance(&cube, 2, 3);
    crease_rpca_settings s = crease_rpca_default(&cube);
    s.rank = 2;
    crease_rpca *r = crease_rpca_new(&s, NULL, c->tensor, NULL);
    assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
    assert_true(crease_rpca_about(r)->cuts == 0 && crease_rpca_about(r)->terms == 2);
    crease_rpca_free(r);
    crease_cp_instance_free(c);
}

static void refused(const crease_rpca_settings *s, const crease_options *o, const char *word)
{
    crease_cp_instance *c = instance(&cube, 2, 3);
    crease_error e = { CREASE_OK, "" };
    assert_null(crease_rpca_new(s, o, c->tensor, &e));
    if (!strstr(e.text, word)) fail_msg("'%s' does not name %s", e.text, word);
    crease_cp_instance_free(c);
}

/* A ridge of the user's is a price per term already; other methods do not judge terms. */
static void pruning_is_refused_where_nothing_prunes(void **state)
{
    (void)state;
    crease_rpca_settings s = crease_rpca_default(&cube);
    crease_options o = crease_rpca_options();
    s.rank = 3, s.prune = true, s.ridge = 0.1;
    refused(&s, &o, "prune");
    s.ridge = 0, o.method = CREASE_METHOD_ADMM_G;
    refused(&s, &o, "prune");
    s.prune = false, s.most = 2;
    refused(&s, &o, "at most");
}

static void at_most_bounds_the_rank_that_is_chosen(void **state)
{
    (void)state;
    crease_cp_instance *c = instance(&cube, 3, 3);
    crease_rpca_settings s = crease_rpca_default(&cube);
    s.most = 2;
    crease_rpca *r = crease_rpca_new(&s, NULL, c->tensor, NULL);
    crease_rpca_run(r);
    assert_true(crease_rpca_used(r)->rank <= 2 && crease_rpca_about(r)->rank_asked == 0);
    crease_rpca_free(r);
    s.kind = CREASE_RPCA_TUCKER;
    r = crease_rpca_new(&s, NULL, c->tensor, NULL);
    for (int n = 0; n < 3; n++) assert_in_range(crease_rpca_used(r)->ranks.dim[n], 1, 2);
    crease_rpca_free(r);
    s.kind = CREASE_RPCA_PCP;
    s.shape = crease_matrix(cube.dim[0], cube.dim[1] * cube.dim[2]);
    refused(&s, NULL, "most");
    crease_cp_instance_free(c);
}

/* T plus `size` deviations of its structure times a term: constant, or uniform in [0.5, 1.5]. */
static void add_term(crease_cp_instance *c, double size, bool constant)
{
    const crease_space *s = &c->recipe.shape;
    const ptrdiff_t n = crease_size(s);
    double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += square(c->lowrank[j]);
    const double deviation = sqrt(sum / (double)n);
    for (ptrdiff_t j = 0; j < n; j++) {
        double term = size * deviation;
        ptrdiff_t at = j;
        for (int k = s->order - 1; !constant && k >= 0; at /= s->dim[k--])
            term *= 0.5 + crease_random_uniform((crease_random){ 7, 50u + (unsigned)k },
                                                (uint64_t)(at % s->dim[k]));
        c->tensor[j] += term;
        c->lowrank[j] += term;
    }
}

/* |M - truth| in units of the structure alone */
static double structure_error(const crease_rpca *r, const crease_cp_instance *c, double before)
{
    return error_of(r, c->lowrank) * crs_norm(crease_size(&c->recipe.shape), c->lowrank) / before;
}

static double error_beside(const crease_space *s, double size, bool constant, ptrdiff_t spare)
{
    crease_cp_instance *c = instance(s, 3, 900);
    const double norm = crs_norm(crease_size(s), c->lowrank);
    crease_rpca_settings m = crease_rpca_default(s);
    m.rank = 3 + (size > 0) + spare;
    add_term(c, size, constant);
    crease_rpca *r = crease_rpca_new(&m, NULL, c->tensor, NULL);
    assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
    assert_int_equal(crease_rpca_used(r)->rank, m.rank);
    const double error = structure_error(r, c, norm);
    crease_rpca_free(r);
    crease_cp_instance_free(c);
    return error;
}

/* The noise, .01, and the structure, of deviation sqrt(3), stay as they are. */
static void small_terms_are_found_beside_a_large_one(void **state)
{
    static const crease_space shapes[] = { { .order = 2, .dim = { 30, 40 } },
                                           { .order = 3, .dim = { 12, 14, 16 } },
                                           { .order = 4, .dim = { 7, 8, 9, 10 } } };
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const double alone = error_beside(&shapes[k], 0, true, 0);
        assert_true(alone < 0.01);
        for (double size = 10; size < 2e4; size *= 10)
            for (int constant = 0; constant < 2; constant++) {
                const double error = error_beside(&shapes[k], size, constant, 0);
                if (!(error <= 2 * alone))
                    fail_msg("order %d, %g deviations, constant %d: error %g, alone %g",
                             shapes[k].order, size, constant, error, alone);
            }
    }
    assert_true(error_beside(&shapes[1], 1000, true, 1) < 0.01);
}

/* A rating is near 3.5, most are missing, and a ridge is a price per term already. */
static void ratings_keep_the_terms_asked_for(void **state)
{
    const crease_space s = crease_matrix(80, 60);
    crease_cp_instance *c = instance(&s, 2, 11);
    crease_rpca_settings m = crease_rpca_default(&s);
    (void)state;
    for (ptrdiff_t j = 0; j < crease_size(&s); j++) {
        const double u = crease_random_uniform((crease_random){ 3, 60 }, (uint64_t)j);
        c->tensor[j] = u < 0.7 ? (double)NAN : 3.5 + 0.5 * c->lowrank[j] + c->noise[j];
    }
    m.rank = 3, m.missing = true, m.ridge = 0.5;
    crease_rpca *r = crease_rpca_new(&m, NULL, c->tensor, NULL);
    assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
    const crease_rpca_facts *f = crease_rpca_about(r);
    assert_true(crease_rpca_used(r)->rank == 3 && f->terms == 3 && f->cuts == 0);
    for (ptrdiff_t k = 0; k < 3; k++) assert_true(column(r, 0, k) > 1);
    crease_rpca_free(r);
    crease_cp_instance_free(c);
}

/* Of every term there is a verdict; strong ones need no pass. */
static void support_of_strong_terms_takes_no_pass(void **state)
{
    (void)state;
    crease_cp_instance *c = instance(&cube, 2, 3);
    crease_rpca_settings s = crease_rpca_default(&cube);
    s.rank = 2;
    crease_rpca *r = crease_rpca_new(&s, NULL, c->tensor, NULL);
    const crease_rpca_facts *f = crease_rpca_about(r);
    assert_non_null(f->support);
    assert_int_equal(f->support_passes, 0);
    for (ptrdiff_t k = 0; k < f->terms; k++)
        assert_true(f->support[k].support == CREASE_TERM_SUPPORTED &&
                    f->support[k].gain > f->support[k].needed && f->support[k].size > 0);
    crease_rpca_free(r);
    crease_cp_instance_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_returns_the_rank_asked_for),
        cmocka_unit_test(spare_terms_are_zeros_with_a_reason),
        cmocka_unit_test(nothing_cut_is_an_empty_list),
        cmocka_unit_test(pruning_is_refused_where_nothing_prunes),
        cmocka_unit_test(at_most_bounds_the_rank_that_is_chosen),
        cmocka_unit_test(small_terms_are_found_beside_a_large_one),
        cmocka_unit_test(ratings_keep_the_terms_asked_for),
        cmocka_unit_test(support_of_strong_terms_takes_no_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
