/* SPDX-License-Identifier: MIT
 * cp_starts: starts, comparisons, rank sweeps and slices survive any one of their allocations
 * failing */
#include "rpca/start.h"
#include "support/survive.h"

static const crease_space shape = { .order = 3, .dim = { 4, 60, 5 } };

static void data(double *t)
{
    for (int j = 0; j < 1200; j++)
        t[j] = sin(j / 300) * cos(j / 5 % 60) * (1 + j % 5) + cos(j / 300) * sin(j / 5 % 60);
}

static bool start(crease_error *e, int q)
{
    double t[1200], x0[8], x1[120], x2[10], *x[] = { x0, x1, x2 };
    const crs_cp_view v = { .shape = shape, .tensor = t, .limit = INFINITY };
    const crs_cp_gevd_options o = { .rank = 2 };
    data(t);
    return crs_cp_start_of(&v, &o, q, x, e);
}

static bool eigenvectors(crease_error *e) { return start(e, 0); }
static bool clipped(crease_error *e) { return start(e, 1); }
static bool singular(crease_error *e) { return start(e, 2); }
static bool gaussian(crease_error *e) { return start(e, 3); }

static bool match(crease_error *e)
{
    double t[1200], score;
    const double *const x[] = { t, t, t };
    data(t);
    return crease_cp_match(&shape, 2, x, 3, x, &score, e);
}

static bool sweep(crease_error *e)
{
    double t[1200];
    const crease_cp_rank_options o = { .high = 1 };
    data(t);
    crease_cp_rank_table *table = crease_cp_rank_sweep(&shape, t, NULL, &o, e);
    crease_cp_rank_table_free(table);
    return table;
}

static bool fit(crease_error *e)
{
    double t[1200], mask[1200], x0[8], x1[120], x2[10], *x[] = { x0, x1, x2 }, objective;
    const crease_cp_fit_request r = { .shape = shape, .tensor = t, .mask = mask, .rank = 2 };
    data(t);
    for (int j = 0; j < 1200; j++) mask[j] = j % 7 > 0;
    return crease_cp_fit_envelope(NULL, &r, x, &objective, e);
}

static bool structure(crease_error *e)
{
    double t[1200], ratio, percent;
    const double *const x[] = { t, t + 8, t + 200 };
    const crease_cp_fit_request r = { .shape = shape, .tensor = t, .rank = 2 };
    data(t);
    return crease_cp_structure(&r, x, &ratio, e) && crease_cp_consistency(&r, x, &percent, e);
}

static bool apply(crease_error *e)
{
    double t[1200], a[120], low[1200];
    const double *const x[] = { t, t, t };
    crease_cp_slice_score score[60];
    const crease_cp_apply_settings s = { .shape = shape,
                                         .rank = 2,
                                         .mode = 1,
                                         .factor = x,
                                         .alpha = 1,
                                         .alpha_noise = 1,
                                         .trained = t,
                                         .trained_count = 3 };
    const crease_cp_apply_result out = { a, low, NULL, score };
    data(t);
    return crease_cp_apply(&s, t, &out, e);
}

static void survive(void **state)
{
    fallible *const call[] = { eigenvectors, clipped, singular,  gaussian, match,
                               sweep,        apply,   structure, fit };
    (void)state;
    for (size_t k = 0; k < sizeof call / sizeof *call; k++) survives(call[k], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
