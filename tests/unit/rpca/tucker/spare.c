/* SPDX-License-Identifier: MIT
 * spare: ranks that are too large do no harm, an offset hides no direction, and what was dropped is
 * told; the answer keeps the shape that was asked for and is stationary */
#include "support/tucker_draw.h"

typedef tucker_draw cell;

static const cell list[] = {
    { { .order = 3, .dim = { 15, 20, 25 } },
      { .order = 3, .dim = { 3, 3, 3 } },
      0.1,
      0.01,
      { .order = 3, .dim = { 4, 4, 4 } } },
    { { .order = 3, .dim = { 15, 20, 25 } },
      { .order = 3, .dim = { 2, 4, 3 } },
      0.2,
      0.01,
      { .order = 3, .dim = { 4, 5, 5 } } },
    { { .order = 3, .dim = { 15, 20, 25 } },
      { .order = 3, .dim = { 3, 3, 3 } },
      0.1,
      0.316,
      { .order = 3, .dim = { 4, 4, 4 } } },
    { { .order = 4, .dim = { 8, 9, 10, 11 } },
      { .order = 4, .dim = { 2, 3, 2, 3 } },
      0.1,
      0.01,
      { .order = 4, .dim = { 3, 4, 3, 4 } } },
    { { .order = 2, .dim = { 40, 50 } },
      { .order = 2, .dim = { 3, 3 } },
      0.1,
      0.01,
      { .order = 2, .dim = { 5, 5 } } },
};
enum { CELLS = sizeof list / sizeof *list, SEEDS = 3 };

static crease_tucker_rpca *fit(const crease_tucker_rpca_settings *s, const double *T)
{
    crease_error e;
    crease_tucker_rpca *m = crease_tucker_rpca_new(s, T, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

static crease_tucker_rpca_settings settings(const cell *c, const crease_space *ranks)
{
    crease_tucker_rpca_settings s = crease_tucker_rpca_default(&c->shape, ranks);
    s.threads = 1;
    s.eps = 5e-7; /* half of what the checker is asked for, as the handle has it */
    return s;
}

/* |M - truth| where M is the model's start. */
static double distance(const crease_tucker_rpca *m, const double *truth)
{
    crease_error e;
    const crease_problem *p = crease_tucker_rpca_problem(m);
    const ptrdiff_t size = crease_size(&p->range);
    const double *x[CREASE_MAX_ORDER + 4];
    double *low = test_malloc(sizeof *low * (size_t)size), off = 0;
    for (int i = 0; i < p->count; i++) x[i] = p->block[i].start;
    assert_true(crease_tucker_rpca_lowrank(m, x, low, &e));
    for (ptrdiff_t j = 0; j < size; j++) off += square(low[j] - truth[j]);
    test_free(low);
    return sqrt(off);
}

static void assert_valid(const crease_tucker_rpca *m)
{
    crease_error e;
    crease_verification v;
    const crease_problem *p = crease_tucker_rpca_problem(m);
    const double *x[CREASE_MAX_ORDER + 4];
    for (int i = 0; i < p->count; i++) x[i] = p->block[i].start;
    if (!crease_verify(p, x, crease_tucker_rpca_multiplier(m), NULL, false, 1.1e-6, true, &v, &e))
        fail_msg("%s", e.text);
    if (v.verdict != CREASE_VERDICT_VALID) fail_msg("%s", v.text);
    crease_verification_free(&v);
}

/* As many directions are told as were asked for and are not there, with numbers. */
static void assert_told(const crease_tucker_rpca_facts *f, const crease_space *asked)
{
    ptrdiff_t missing = 0;
    for (int n = 0; n < asked->order; n++) {
        assert_int_equal(f->used.ranks.dim[n], asked->dim[n]);
        missing += asked->dim[n] - f->kept.dim[n];
    }
    assert_int_equal(f->cuts, missing);
    for (ptrdiff_t k = 0; k < f->cuts; k++) {
        assert_true(f->cut[k].mode >= 1 && f->cut[k].mode <= asked->order);
        assert_non_null(f->cut[k].reason);
        assert_true(f->cut[k].size >= 0 && f->cut[k].noise > 0);
        if (strstr(f->cut[k].reason, "no larger than noise"))
            assert_true(f->cut[k].size <= f->cut[k].noise * (1 + 1e-9));
    }
}

static void spare_ranks_do_no_harm(void **state)
{
    (void)state;
    for (int k = 0; k < CELLS; k++)
        for (uint64_t seed = 5001; seed < 5001 + SEEDS; seed++) {
            const cell *c = list + k;
            crease_tucker_instance *made = draw(c, seed);
            crease_tucker_rpca_settings s = settings(c, &c->truth);
            s.spare = false;
            crease_tucker_rpca *right = fit(&s, made->parts->tensor);
            s = settings(c, &c->asked);
            crease_tucker_rpca *wide = fit(&s, made->parts->tensor);
            const crease_tucker_rpca_facts f = crease_tucker_rpca_about(wide);
            const double least = distance(right, made->parts->lowrank),
                         found = distance(wide, made->parts->lowrank);
            if (!(found <= 1.5 * least))
                fail_msg("cell %d, seed %d: %g, with the right ranks %g", k, (int)seed, found,
                         least);
            assert_told(&f, &c->asked);
            assert_valid(wide);
            crease_tucker_rpca_free(right);
            crease_tucker_rpca_free(wide);
            crease_tucker_instance_free(made);
        }
}

/* Of the form with a ball, and where they are pruned the ranks are what is left. */
static void spare_ranks_of_a_ball_and_pruned_ones(void **state)
{
    (void)state;
    const cell *c = list + 4;
    crease_tucker_instance *made = draw(c, 11);
    crease_tucker_rpca_settings s = settings(c, &c->asked);
    s.form = CREASE_RPCA_BALL;
    crease_tucker_rpca *m = fit(&s, made->parts->tensor);
    crease_tucker_rpca_facts f = crease_tucker_rpca_about(m);
    assert_told(&f, &c->asked);
    assert_int_equal(f.kept.dim[0], 3);
    assert_valid(m);
    assert_true(distance(m, made->parts->lowrank) < 0.02 * crs_norm(2000, made->parts->lowrank));
    crease_tucker_rpca_free(m);
    s.prune = true;
    m = fit(&s, made->parts->tensor);
    f = crease_tucker_rpca_about(m);
    assert_int_equal(f.used.ranks.dim[0], 3);
    assert_int_equal(f.cuts, 4);
    assert_valid(m);
    crease_tucker_rpca_free(m);
    crease_tucker_instance_free(made);
}

/* A constant is one more direction per mode at most. The others are judged against the noise: the
 * structure is as near as without it. */
static void an_offset_hides_no_direction(void **state)
{
    static const double offset[] = { 0, 10, 100, 1000, 10000 };
    const cell *c = list;
    const ptrdiff_t size = crease_size(&c->shape);
    double *T = test_malloc(sizeof *T * (size_t)size),
           *truth = test_malloc(sizeof *T * (size_t)size);
    double without = 0;
    (void)state;
    for (int k = 0; k < 5; k++) {
        crease_tucker_instance *made = draw(c, 21);
        for (ptrdiff_t j = 0; j < size; j++) {
            T[j] = made->parts->tensor[j] + offset[k];
            truth[j] = made->parts->lowrank[j] + offset[k];
        }
        const crease_tucker_rpca_settings s = settings(c, &c->asked);
        crease_tucker_rpca *m = fit(&s, T);
        const double found = distance(m, truth);
        if (k == 0) without = found;
        if (!(found <= 2 * without))
            fail_msg("offset %g: %g, without %g", offset[k], found, without);
        crease_tucker_rpca_free(m);
        crease_tucker_instance_free(made);
    }
    test_free(T);
    test_free(truth);
}

/* The directions that are kept are those of the data, whatever the data are measured in. */
static void the_unit_of_the_data_loses_no_direction(void **state)
{
    const cell c = { crease_matrix(60, 8), crease_matrix(2, 2), 0.2, 0.01, crease_matrix(3, 3) };
    double T[480];
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        crease_tucker_instance *made = draw(&c, seed);
        crease_space kept[2];
        for (int k = 0; k < 2; k++) {
            for (int j = 0; j < 480; j++) { /* outliers to one side */
                const bool out = made->parts->tensor[j] - made->parts->lowrank[j] > 1;
                T[j] = ldexp(made->parts->lowrank[j] + 1e-2 * sin(j * j) + 9 * out, k ? -30 : 0);
            }
            crease_tucker_rpca_settings s = settings(&c, &c.asked);
            s.penalty = crease_mcp(1, 3);
            crease_tucker_rpca *m = fit(&s, T);
            kept[k] = crease_tucker_rpca_about(m).kept;
            crease_tucker_rpca_free(m);
        }
        assert_true(crease_space_equal(&kept[0], &kept[1]));
        crease_tucker_instance_free(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spare_ranks_do_no_harm),
        cmocka_unit_test(spare_ranks_of_a_ball_and_pruned_ones),
        cmocka_unit_test(an_offset_hides_no_direction),
        cmocka_unit_test(the_unit_of_the_data_loses_no_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
