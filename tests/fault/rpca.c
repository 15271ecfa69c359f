/* SPDX-License-Identifier: MIT
 * rpca: building, generating, describing, starts, comparisons, rank sweeps and slices survive any
 * one of their allocations failing */
#include "rpca/start.h"
#include "support/slab_copies.h"
#include "support/survive.h"

static const crease_space shape = { .order = 3, .dim = { 4, 3, 5 } };

static bool generate(crease_error *e)
{
    crease_cp_recipe r = crease_cp_recipe_default(&shape, 2);
    r.outliers = 0.1;
    crease_cp_instance *c = crease_cp_generate(&r, e);
    crease_cp_instance_free(c);
    return c;
}

static bool build(crease_error *e, bool unconstrained)
{
    double t[60];
    for (int j = 0; j < 60; j++) t[j] = j % 7 ? sin(j) : NAN;
    crease_cp_rpca_settings s = crease_cp_rpca_default(&shape, 2);
    s.missing = true, s.unconstrained = unconstrained;
    s.penalty = crease_group_l1(1, NULL), s.groups = CREASE_GROUPS_FIBRES;
    crease_cp_rpca *m = crease_cp_rpca_new(&s, t, e);
    crease_cp_rpca_free(m);
    return m;
}

static bool build_constrained(crease_error *e) { return build(e, false); }
static bool build_unconstrained(crease_error *e) { return build(e, true); }

static bool describe(crease_error *e)
{
    double t[60], u0[8], u1[6], u2[10], weight[2], *unit[] = { u0, u1, u2 };
    const double *factor[] = { t, t, t };
    ptrdiff_t rank;
    for (int j = 0; j < 60; j++) t[j] = cos(j);
    return crease_cp_components(&shape, 2, factor, unit, weight, e) &&
           crease_cp_rank(&shape, t, NULL, &rank, e);
}

static const crease_space long_shape = { .order = 3, .dim = { 4, 60, 5 } };

static void data(double *t)
{
    for (int j = 0; j < 1200; j++)
        t[j] = sin(j / 300) * cos(j / 5 % 60) * (1 + j % 5) + cos(j / 300) * sin(j / 5 % 60);
}

static bool start(crease_error *e, int q)
{
    double t[1200], x0[8], x1[120], x2[10], *x[] = { x0, x1, x2 };
    crs_memory kept;
    const crs_cp_view v = { .shape = long_shape, .source = &kept.source, .limit = INFINITY };
    const crs_cp_gevd_options o = { .rank = 2 };
    data(t);
    crs_memory_open(&kept, &long_shape, t, NULL);
    return crs_cp_start_of(&v, &o, q, x, e);
}

static bool eigenvectors(crease_error *e) { return start(e, 0); }
static bool clipped(crease_error *e) { return start(e, 1); }
static bool singular(crease_error *e) { return start(e, 2); }
static bool gaussian(crease_error *e) { return start(e, 3); }

/* Of slabs that are cut in this mode; and without a term */
static bool compress(crease_error *e, int mode)
{
    double t[1200];
    crs_memory kept;
    crs_cp_core c;
    crs_less less;
    crs_kruskal u = { .shape = long_shape, .rank = 1, .factor = { t, t, t } };
    crs_cp_view v = { .shape = long_shape, .source = &kept.source, .limit = INFINITY };
    data(t);
    crs_memory_open(&kept, &long_shape, t, NULL);
    kept.source.cut = cut_at(&long_shape, mode, 2);
    kept.source.count = kept.source.cut.count;
    if (!crs_less_open(&less, &kept.source, 2, &u, e)) return false;
    v.source = &less.source;
    const bool done = crs_cp_compress(&v, 2, true, 1, &c, e);
    free_core(&c);
    crs_less_close(&less.source);
    return done;
}

static bool compress_rows(crease_error *e) { return compress(e, 0); }
static bool compress_fibres(crease_error *e) { return compress(e, 1); }

static bool match(crease_error *e)
{
    double t[1200], score;
    const double *const x[] = { t, t, t };
    data(t);
    return crease_cp_match(&long_shape, 2, x, 3, x, &score, e);
}

static bool sweep(crease_error *e)
{
    double t[1200];
    const crease_cp_rank_options o = { .high = 1, .threads = 1 };
    data(t);
    crease_cp_rank_table *table = crease_cp_rank_sweep(&long_shape, t, NULL, &o, e);
    crease_cp_rank_table_free(table);
    return table;
}

static bool fit(crease_error *e)
{
    double t[1200], mask[1200], x0[8], x1[120], x2[10], *x[] = { x0, x1, x2 }, objective;
    const crease_cp_fit_request r = { .shape = long_shape, .tensor = t, .mask = mask, .rank = 2 };
    crease_cp_rank_options o = { .threads = 1 };
    data(t);
    for (int j = 0; j < 1200; j++) mask[j] = j % 7 > 0;
    return crease_cp_fit_envelope(&o, &r, x, &objective, e);
}

static bool structure(crease_error *e)
{
    double t[1200], ratio, percent;
    const double *const x[] = { t, t + 8, t + 200 };
    const crease_cp_fit_request r = { .shape = long_shape, .tensor = t, .rank = 2 };
    data(t);
    return crease_cp_structure(&r, x, &ratio, e) && crease_cp_consistency(&r, x, &percent, e);
}

static bool apply(crease_error *e)
{
    double t[1200], a[120], low[1200];
    const double *const x[] = { t, t, t };
    crease_cp_slice_score score[60];
    const crease_cp_apply_settings s = { .shape = long_shape,
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

static bool cosines(crease_error *e)
{
    static const double x[] = { 1, 2, 3, 5 };
    const crease_space square_shape = { .order = 2, .dim = { 2, 2 } };
    const crs_cp_terms t = { .rank = 2, .factor = { x, x } };
    double out[4];
    return crs_cp_cosines(&square_shape, &t, &t, out, e);
}

/* A handle whose data are worked on in another unit. */
static bool handle(crease_error *e, crease_rpca_kind kind)
{
    double t[60], x0[4], x1[3], x2[5];
    const double *const x[] = { x0, x1, x2 };
    crease_rpca_settings s = crease_rpca_default(&shape);
    for (int j = 0; j < 60; j++) t[j] = j % 7 ? ldexp(1 + sin(j), 300) : NAN;
    for (int j = 0; j < 5; j++) x2[j] = 1, x1[j % 3] = 2, x0[j % 4] = 3;
    s.kind = kind, s.missing = true, s.threads = 1;
    s.ranks = (crease_space){ .order = 3, .dim = { 1, 1, 1 } };
    if (kind == CREASE_RPCA_CP) s.rank = 1, s.factor = x;
    crease_rpca *r = crease_rpca_new(&s, NULL, t, e);
    crease_rpca_free(r);
    return r;
}

static bool cp_in_another_unit(crease_error *e) { return handle(e, CREASE_RPCA_CP); }
static bool tucker_in_another_unit(crease_error *e) { return handle(e, CREASE_RPCA_TUCKER); }

/* A term that dwarfs the others: the second answer */
static bool dominant(crease_error *e)
{
    double t[1200];
    crease_rpca_settings s = crease_rpca_default(&long_shape);
    data(t);
    for (int j = 0; j < 1200; j++) t[j] += 100 + 0.01 * sin(7.0 * j * j);
    s.rank = 2, s.threads = 1;
    crease_rpca *r = crease_rpca_new(&s, NULL, t, e);
    crease_rpca_free(r);
    return r;
}

static void survives_any_failing_allocation(void **state)
{
    fallible *const call[] = { eigenvectors,  clipped,         singular, gaussian,
                               compress_rows, compress_fibres, match,    sweep,
                               apply,         structure,       fit,      cosines };
    fallible *const larger_call[] = { generate, build_constrained,  build_unconstrained,
                                      describe, cp_in_another_unit, tucker_in_another_unit,
                                      dominant };
    (void)state;
    for (size_t k = 0; k < sizeof call / sizeof *call; k++) survives(call[k], 1);
    for (size_t k = 0; k < sizeof larger_call / sizeof *larger_call; k++)
        survives(larger_call[k], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_any_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
