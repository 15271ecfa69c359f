/* SPDX-License-Identifier: MIT
 * asked: a rank that was asked for is kept: every method returns that many columns, terms that the
 * noise explains are zeros with a reason, and with `prune` they are gone; none is cut because
 * another one dwarfs it */
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
