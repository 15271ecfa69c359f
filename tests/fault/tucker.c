/* SPDX-License-Identifier: MIT
 * tucker: building every form, a run on slabs and its check, drawing an instance and choosing ranks
 * survive any one of their allocations failing */
#include <crease/crease.h>

#include "rpca/tucker/tucker.h"
#include "support/slab_copies.h"
#include "support/survive.h"

enum { ROWS = 6, COLUMNS = 5 };

static void plant(double *t)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            t[i * COLUMNS + j] = sin(i + 1) * cos(j) + 0.01 * sin(7 * i + 3 * j);
}

static bool build(crease_rpca_kind form, ptrdiff_t rank, bool missing, crease_error *e)
{
    const crease_space shape = crease_matrix(ROWS, COLUMNS), ranks = crease_matrix(rank, rank);
    crease_tucker_rpca_settings s = crease_tucker_rpca_default(&shape, &ranks);
    double t[ROWS * COLUMNS], low[ROWS * COLUMNS];
    const double *x[8];
    plant(t);
    if (missing) t[3] = NAN;
    s.form = form;
    s.missing = missing;
    s.threads = 1;
    s.passes = rank > 1 ? 400 : 30;
    crease_tucker_rpca *m = crease_tucker_rpca_new(&s, t, e);
    const crease_problem *p = m ? crease_tucker_rpca_problem(m) : NULL;
    for (int i = 0; p && i < p->count; i++) x[i] = p->block[i].start;
    if (m && rank > 1) assert_true(crease_tucker_rpca_about(m).cuts > 0);
    const bool done = m && crease_tucker_rpca_lowrank(m, x, low, e);
    crease_tucker_rpca_free(m);
    return done;
}

static bool tucker(crease_error *e) { return build(CREASE_RPCA_TUCKER, 1, false, e); }
static bool partial(crease_error *e) { return build(CREASE_RPCA_TUCKER, 1, true, e); }
static bool ball(crease_error *e) { return build(CREASE_RPCA_BALL, 1, false, e); }
static bool convex(crease_error *e) { return build(CREASE_RPCA_PCP, 1, false, e); }

static bool spare(crease_error *e) { return build(CREASE_RPCA_TUCKER, 3, false, e); }

/* Of several slabs, to its end: the last steps of a tall matrix and the strict residual, too */
static bool slabs(crease_error *e)
{
    const crease_space shape = crease_matrix(4 * ROWS, COLUMNS);
    const crs_tucker_settings c = { .shape = shape,
                                    .ranks = crease_matrix(1, 1),
                                    .penalty = crs_envelope_l1(1, crs_noise_share(1)),
                                    .learn = 3,
                                    .alpha_noise = 1,
                                    .threads = 2,
                                    .eps = 1e-6 };
    double t[4 * ROWS * COLUMNS];
    for (int k = 0; k < 4; k++) plant(t + k * ROWS * COLUMNS);
    slab_copies data = copies_of(cut_at(&shape, 0, ROWS), t, NULL);
    crs_tucker_fit *s = crs_tucker_fit_new_on(&c, &data.source, e);
    if (!s) return false;
    crs_tucker_fit_lead(s, 400, false);
    const bool done = crs_tucker_fit_well(s, e);
    if (done) assert_true(s->statistics.residual <= c.eps);
    crs_tucker_fit_free(s);
    return done;
}

static bool read_answer(void *user, crease_rpca_part part, ptrdiff_t row, double *out)
{
    crease_rpca_read(*(crease_rpca **)user, part, row, 1, out);
    return true;
}

/* A handle of slabs to its end, and the check of its factors and core */
static bool handle(crease_error *e)
{
    const crease_space shape = crease_matrix(4 * ROWS, COLUMNS);
    const crease_options o = crease_rpca_options();
    crease_rpca_settings s = crease_rpca_default(&shape);
    double t[4 * ROWS * COLUMNS];
    crease_verification v;
    for (int k = 0; k < 4; k++) plant(t + k * ROWS * COLUMNS);
    s.kind = CREASE_RPCA_TUCKER;
    s.ranks = crease_matrix(1, 1);
    s.threads = 1;
    slab_copies data = copies_of(cut_at(&shape, 0, ROWS), t, NULL);
    crease_rpca *r = crs_rpca_new_on(&s, &o, &data.source, e);
    if (!r) return false;
    const crease_outcome outcome = crease_rpca_run(r);
    const crease_error why = *crease_rpca_failure(r);
    bool done = why.code == CREASE_OK || (*e = why, false);
    if (done) {
        const double *const factor[] = { crease_rpca_factor(r, 0), crease_rpca_factor(r, 1) };
        const crease_rpca_settings *used = crease_rpca_used(r);
        crease_cp_claim c = { .shape = shape,
                              .penalty = used->penalty,
                              .alpha = used->alpha,
                              .alpha_noise = used->alpha_noise,
                              .factor = factor,
                              .read = read_answer,
                              .user = &r,
                              .threads = 1 };
        crease_rpca_rows(r, &c.left, &c.right);
        done = crease_tucker_verify(&c, &used->ranks, crease_rpca_core(r), 1e-6, true, &v, e);
        if (done) {
            assert_int_equal(outcome, CREASE_STATIONARY);
            assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
            crease_verification_free(&v);
        }
    }
    crease_rpca_free(r);
    return done;
}

static bool search(crease_error *e)
{
    const crs_tucker_settings s = { .shape = crease_matrix(ROWS, COLUMNS),
                                    .penalty = crs_envelope_l1(1, crs_noise_share(1)),
                                    .learn = 3,
                                    .alpha_noise = 1,
                                    .threads = 1,
                                    .eps = 1e-6 };
    crs_tucker_choice c;
    double t[ROWS * COLUMNS];
    plant(t);
    t[4] = NAN;
    return crs_tucker_choose(&s, t, &c, e);
}

static bool ranks_of(crease_error *e)
{
    const crease_space shape = crease_matrix(ROWS, COLUMNS);
    crease_space ranks;
    double t[ROWS * COLUMNS];
    plant(t);
    return crease_tucker_ranks(&shape, t, &ranks, e);
}

static bool generate(crease_error *e)
{
    const crease_space shape = { .order = 3, .dim = { 4, 3, 2 } };
    const crease_tucker_recipe r = { .parts = crease_cp_recipe_default(&shape, 1),
                                     .ranks = { .order = 3, .dim = { 2, 2, 1 } } };
    crease_tucker_instance *c = crease_tucker_generate(&r, e);
    const bool done = c;
    crease_tucker_instance_free(c);
    return done;
}

static void survive(void **state)
{
    fallible *const call[] = { tucker, partial, ball,   convex,   spare,
                               slabs,  handle,  search, ranks_of, generate };
    (void)state;
    for (size_t k = 0; k < sizeof call / sizeof *call; k++) survives(call[k], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
