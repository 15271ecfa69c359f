/* SPDX-License-Identifier: MIT
 * ranks: the ranks of planted tensors and matrices are found, whatever their unit and where entries
 * are missing; what a watch has ended is what there is; every penalty takes spare ranks */
#include "support/tucker_draw.h"

typedef tucker_draw cell;

static const cell list[] = {
    { { .order = 3, .dim = { 15, 20, 25 } }, { .order = 3, .dim = { 3, 3, 3 } }, 0.1, 0.1, { 0 } },
    { { .order = 3, .dim = { 20, 25, 30 } }, { .order = 3, .dim = { 3, 4, 5 } }, 0.3, 0.01, { 0 } },
    { { .order = 4, .dim = { 8, 9, 10, 11 } },
      { .order = 4, .dim = { 2, 3, 2, 3 } },
      0.1,
      0.1,
      { 0 } },
    { { .order = 2, .dim = { 40, 50 } }, { .order = 2, .dim = { 3, 3 } }, 0.2, 0.1, { 0 } },
    { { .order = 2, .dim = { 100, 200 } }, { .order = 2, .dim = { 6, 6 } }, 0.2, 0.1, { 0 } },
};
enum { CELLS = sizeof list / sizeof *list, SEEDS = 3 };

static crs_tucker_settings settings(const cell *c)
{
    return (crs_tucker_settings){ .shape = c->shape,
                                  .penalty = crs_envelope_l1(1, crs_noise_share(1)),
                                  .learn = 3,
                                  .alpha_noise = 1,
                                  .threads = 1,
                                  .eps = 1e-6 };
}

static crs_tucker_choice choose(const crs_tucker_settings *s, const double *T)
{
    crease_error e;
    crs_tucker_choice out;
    if (!crs_tucker_choose(s, T, &out, &e)) fail_msg("%s", e.text);
    return out;
}

static bool same(const crease_space *a, const crease_space *b)
{
    for (int n = 0; n < a->order; n++)
        if (a->dim[n] != b->dim[n]) return false;
    return a->order == b->order;
}

static void ranks_of_planted_data_are_found(void **state)
{
    int right = 0;
    (void)state;
    for (int k = 0; k < CELLS; k++)
        for (uint64_t seed = 6001; seed < 6001 + SEEDS; seed++) {
            crease_tucker_instance *made = draw(list + k, seed);
            const crs_tucker_settings s = settings(list + k);
            const crs_tucker_choice c = choose(&s, made->parts->tensor);
            right += same(&c.ranks, &list[k].truth);
            assert_non_null(strstr(c.reason, "larger than noise"));
            crease_tucker_instance_free(made);
        }
    if (right < (9 * CELLS * SEEDS + 9) / 10) fail_msg("%d of %d", right, CELLS * SEEDS);
}

/* Times a power of two, and with entries that are not observed: the same ranks. */
static void neither_the_unit_nor_gaps_change_them(void **state)
{
    const cell *c = list;
    const ptrdiff_t size = crease_size(&c->shape);
    draws d = { { 3, 3 }, 0 };
    crease_tucker_instance *made = draw(c, 31);
    double *T = test_malloc(sizeof *T * (size_t)size);
    const crs_tucker_settings s = settings(c);
    (void)state;
    for (ptrdiff_t j = 0; j < size; j++) T[j] = 0x1p30 * made->parts->tensor[j];
    crs_tucker_choice found = choose(&s, T);
    assert_true(same(&found.ranks, &c->truth));
    for (ptrdiff_t j = 0; j < size; j++)
        T[j] = uniform(&d, 0, 1) < 0.2 ? NAN : made->parts->tensor[j];
    found = choose(&s, T);
    assert_true(same(&found.ranks, &c->truth));
    fill(size, 0, T);
    found = choose(&s, T);
    for (int n = 0; n < 3; n++) assert_int_equal(found.ranks.dim[n], 1);
    test_free(T);
    crease_tucker_instance_free(made);
}

static void a_stopped_search_and_fit_return_what_there_is(void **state)
{
    crease_error e;
    crease_tucker_instance *made = draw(list, 41);
    crease_watch *watch = crease_watch_new(&e);
    crs_tucker_settings s = settings(list);
    const crease_space wide = { .order = 3, .dim = { 5, 5, 5 } };
    crease_tucker_rpca_settings m = crease_tucker_rpca_default(&list->shape, &wide);
    (void)state;
    assert_non_null(watch);
    crease_watch_stop(watch);
    m.watch = s.watch = watch;
    const crs_tucker_choice c = choose(&s, made->parts->tensor);
    assert_true(c.passes <= 4);
    assert_non_null(strstr(c.reason, "ended before"));
    for (int n = 0; n < 3; n++) assert_true(c.ranks.dim[n] >= 1);
    crease_tucker_rpca *model = crease_tucker_rpca_new(&m, made->parts->tensor, &e);
    if (!model) fail_msg("%s", e.text);
    const crease_problem *p = crease_tucker_rpca_problem(model);
    assert_true(crease_tucker_rpca_about(model).passes <= 4);
    for (int i = 0; i < p->count; i++)
        assert_true(crs_all_finite(crease_size(&p->space[i]), p->block[i].start));
    crease_tucker_rpca_free(model);
    crease_watch_free(watch);
    crease_tucker_instance_free(made);
}

static void every_kind_of_penalty_takes_spare_ranks(void **state)
{
    const crease_reg penalty[] = { crease_l1(1), crease_mcp(1, 3), crease_scad(1, 3.7),
                                   crease_lsp(1, 1), crease_capped_l1(1, 1) };
    const cell *c = list;
    const crease_space asked = { .order = 3, .dim = { 5, 4, 5 } };
    crease_error e;
    crease_tucker_instance *made = draw(c, 51);
    (void)state;
    for (size_t k = 0; k < sizeof penalty / sizeof *penalty; k++) {
        crease_rpca_settings s = crease_rpca_default(&c->shape);
        s.kind = CREASE_RPCA_TUCKER;
        s.ranks = asked;
        s.penalty = penalty[k];
        s.threads = 1;
        crease_rpca *r = crease_rpca_new(&s, NULL, made->parts->tensor, &e);
        if (!r) fail_msg("%s", e.text);
        assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
        const crease_rpca_facts *f = crease_rpca_about(r);
        assert_true(same(&f->directions, &c->truth));
        assert_true(same(&f->ranks_asked, &asked));
        assert_true(same(&crease_rpca_used(r)->ranks, &asked));
        assert_int_equal(f->cuts, 5);
        crease_rpca_free(r);
    }
    crease_tucker_instance_free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_of_planted_data_are_found),
        cmocka_unit_test(neither_the_unit_nor_gaps_change_them),
        cmocka_unit_test(a_stopped_search_and_fit_return_what_there_is),
        cmocka_unit_test(every_kind_of_penalty_takes_spare_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
