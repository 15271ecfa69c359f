/* SPDX-License-Identifier: MIT
 * cp_rpca_refusals: settings and data that are wrong, degenerate data that are not, groups */
#include "support/rpca_naive.h"

static crease_cp_rpca_settings good(void)
{
    const crease_space shape = shape_of(3);
    return crease_cp_rpca_default(&shape, 2);
}

static void refused(const crease_cp_rpca_settings *s, const double *t, crease_code code,
                    const char *word)
{
    crease_error e = { CREASE_OK, "" };
    assert_null(crease_cp_rpca_new(s, t, &e));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, word)) fail_msg("'%s' does not say '%s'", e.text, word);
    assert_null(crease_cp_rpca_new(s, t, NULL));
}

static void settings(void **state)
{
    draws d = { { 1, 0 }, 0 };
    (void)state;
    crease_cp_rpca_settings s = good();
    double *t = random_doubles(&d, crease_size(&s.shape), 1);
    s.rank = 0, refused(&s, t, CREASE_BAD_ARGUMENT, "rank is 0");
    s = good(), s.shape.order = 1, refused(&s, t, CREASE_BAD_SHAPE, "dimension");
    s = good(), s.alpha = -1, refused(&s, t, CREASE_BAD_ARGUMENT, "alpha");
    s = good(), s.alpha = NAN, refused(&s, t, CREASE_BAD_ARGUMENT, "alpha");
    s = good(), s.alpha_noise = 0, refused(&s, t, CREASE_BAD_ARGUMENT, "alpha_noise");
    s = good(), s.ridge = INFINITY, refused(&s, t, CREASE_BAD_ARGUMENT, "ridge");
    s = good(), s.sweeps = -1, refused(&s, t, CREASE_BAD_ARGUMENT, "sweeps");
    s = good(), s.penalty = crease_l1(-1), refused(&s, t, CREASE_BAD_ARGUMENT, "lambda");
    s = good(), s.groups = CREASE_GROUPS_SLICES, refused(&s, t, CREASE_BAD_ARGUMENT, "groups");
    s = good(), s.penalty = crease_group_l1(1, NULL), s.groups = CREASE_GROUPS_SLICES, s.axis = 3;
    refused(&s, t, CREASE_BAD_ARGUMENT, "axis 3");
    free(t);
}

static void data(void **state)
{
    draws d = { { 2, 0 }, 0 };
    (void)state;
    crease_cp_rpca_settings s = good();
    double *t = random_doubles(&d, crease_size(&s.shape), 1), mask[60], bad[8];
    const double *factor[] = { bad, bad, bad };
    fill(60, 1, mask), fill(8, NAN, bad);
    t[16] = NAN, refused(&s, t, CREASE_BAD_DATA, "entry 17 (at 2,1,2)");
    s.missing = true;
    crease_cp_rpca *m = crease_cp_rpca_new(&s, t, NULL);
    assert_int_equal(crease_cp_rpca_missing(m), 1);
    crease_cp_rpca_free(m);
    t[59] = -INFINITY, refused(&s, t, CREASE_BAD_DATA, "entry 60 (at 4,3,5) of the tensor is -inf");
    mask[59] = 0, s.mask = mask; /* what is not observed may be anything */
    m = crease_cp_rpca_new(&s, t, NULL);
    assert_int_equal(crease_cp_rpca_missing(m), 2);
    assert_true(crease_cp_rpca_problem(m)->rhs[59] == 0);
    crease_cp_rpca_free(m);
    mask[0] = 0.5, refused(&s, t, CREASE_BAD_DATA, "mask is 0.5");
    mask[0] = NAN, refused(&s, t, CREASE_BAD_DATA, "mask");
    mask[0] = 1, s.factor = factor, refused(&s, t, CREASE_BAD_DATA, "factor");
    free(t);
}

/* Zeros are solved at the start; constants, dimensions of 1 and ranks beyond them have finite
 * starts and end certified although every multiplier vanishes. */
static void degenerate(void **state)
{
    double zero[120] = { 0 }, one[120];
    crease_options o = crease_options_default();
    o.relative = 1, o.max_iterations = 5000;
    (void)state;
    fill(120, 1, one);
    for (int start = 0; start < 3; start++)
        for (int order = 2; order <= 5; order++) {
            const crease_space shape = shape_of(order);
            crease_cp_rpca_settings s = crease_cp_rpca_default(&shape, 7);
            s.start = (crease_cp_start)start;
            crease_cp_rpca *m = crease_cp_rpca_new(&s, zero, NULL);
            crease_solver *solver = crease_solver_new(crease_cp_rpca_problem(m), NULL, NULL);
            assert_int_equal(crease_solve(solver), CREASE_STATIONARY);
            assert_true(crease_solver_report(solver).iterations == 0);
            assert_true(crease_solution(solver, 0)[0] == 0);
            crease_solver_free(solver);
            crease_cp_rpca_free(m);
            m = crease_cp_rpca_new(&s, one, NULL);
            const crease_problem *p = crease_cp_rpca_problem(m);
            for (int n = 0; n < order; n++)
                assert_true(crs_all_finite(crease_size(&p->space[n]), p->block[n].start));
            solver = crease_solver_new(p, &o, NULL);
            assert_int_equal(crease_solve(solver), CREASE_STATIONARY);
            crease_solver_free(solver);
            crease_cp_rpca_free(m);
        }
}

/* sum over fibres, or slices, of their 2-norms, by loops over the tensor */
static double naive_groups(const crease_space *s, int axis, bool slices, const double *x)
{
    const ptrdiff_t size = crease_size(s);
    double sum = 0;
    for (ptrdiff_t first = 0; first < size; first++) {
        ptrdiff_t i[CREASE_MAX_ORDER], k[CREASE_MAX_ORDER];
        double squares = 0;
        bool lowest = true;
        unravel(s, first, i);
        for (ptrdiff_t j = 0; j < size; j++) {
            bool same = true;
            unravel(s, j, k);
            for (int n = 0; n < s->order; n++)
                same = same && ((n == axis) != slices || k[n] == i[n]);
            lowest = lowest && (!same || j >= first);
            squares += same ? x[j] * x[j] : 0;
        }
        sum += lowest ? sqrt(squares) : 0;
    }
    return sum;
}

static void groups(void **state)
{
    draws d = { { 3, 0 }, 0 };
    (void)state;
    for (int order = 2; order <= 4; order++)
        for (int axis = 0; axis < order; axis++)
            for (int slices = 0; slices < 2; slices++) {
                const crease_space shape = shape_of(order);
                crease_cp_rpca_settings s = crease_cp_rpca_default(&shape, 1);
                double *t = random_doubles(&d, crease_size(&shape), 1), value;
                s.penalty = crease_group_l1(2, NULL), s.alpha = 0.5, s.axis = axis;
                s.groups = slices ? CREASE_GROUPS_SLICES : CREASE_GROUPS_FIBRES;
                crease_cp_rpca *m = crease_cp_rpca_new(&s, t, NULL);
                assert_non_null(m);
                const crease_problem *p = crease_cp_rpca_problem(m);
                assert_true(crease_reg_value(&p->block[order].reg, &shape, t, &value, NULL));
                assert_close(value, naive_groups(&shape, axis, slices, t), 1e-13);
                crease_cp_rpca_free(m);
                free(t);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings),
        cmocka_unit_test(data),
        cmocka_unit_test(degenerate),
        cmocka_unit_test(groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
