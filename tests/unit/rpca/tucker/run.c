/* SPDX-License-Identifier: MIT
 * run: the certificate of a Tucker model from its factors is the one that the problem in blocks has
 * at the same point, with any penalty by entries, with entries missing, and with slabs or without;
 * the parts add up to the data; a fit that has not ended goes on as that problem */
#include <crease/crease.h>

#include "core/core.h"
#include "rpca/tucker/tucker.h"
#include "support/slab_copies.h"
#include "support/test.h"

enum { A = 9, B = 8, C = 10, SIZE = A * B * C };

/* Ranks 2, 2, 2, one entry in ten an outlier, noise of one percent */
static void plant(uint64_t seed, double *T)
{
    draws d = { { seed, 3 }, 0 };
    double x[2 * A], y[2 * B], z[2 * C], core[8];
    for (int j = 0; j < 2 * A; j++) x[j] = normal(&d);
    for (int j = 0; j < 2 * B; j++) y[j] = normal(&d);
    for (int j = 0; j < 2 * C; j++) z[j] = normal(&d);
    for (int j = 0; j < 8; j++) core[j] = normal(&d);
    for (int j = 0; j < SIZE; j++) {
        const int i = j / (B * C), k = j / C % B, l = j % C;
        T[j] = 0.01 * normal(&d);
        for (int q = 0; q < 8; q++)
            T[j] += core[q] * x[2 * i + q / 4] * y[2 * k + q / 2 % 2] * z[2 * l + q % 2];
        if (uniform(&d, 0, 1) < 0.1) T[j] += 10 * normal(&d);
    }
}

/* Of the same point, or of two that both are stationary to 1e-6. */
static void assert_alike(const char *what, int i, const crease_residual *a,
                         const crease_residual *b, bool same)
{
    const double off = fabs(a->residual - b->residual);
    const double bound = 4 * (a->rounding + b->rounding) + 1e-9 * b->residual + 1e-13 * b->scale;
    if (!(off <= (same ? bound : 1e-6 * b->scale)))
        fail_msg("%s, block %d: residual %g and %g", what, i, a->residual, b->residual);
    if (!(fabs(a->scale - b->scale) <= (same ? 1e-9 : 1e-6) * b->scale))
        fail_msg("%s, block %d: scale %g and %g", what, i, a->scale, b->scale);
}

/* `cut` is the mode along which slabs of a few indices are cut; -1: the tensor is one. */
static void compare(const char *what, const crease_reg *penalty, bool missing, long passes, int cut)
{
    const crease_space shape = { .order = 3, .dim = { A, B, C } };
    const crease_space ranks = { .order = 3, .dim = { 3, 2, 3 } };
    crease_tucker_rpca_settings s = crease_tucker_rpca_default(&shape, &ranks);
    crease_options o = crease_rpca_options();
    double T[SIZE], zeros[SIZE], part[3][SIZE];
    unsigned char seen[SIZE];
    const double *x[8];
    crease_error e;
    crs_memory data;
    plant(7, T);
    for (int j = 0; j < SIZE; j++) seen[j] = !missing || j % 7 != 3;
    for (int j = 0; j < SIZE; j++) zeros[j] = seen[j] ? T[j] : 0;
    for (int j = 0; j < SIZE; j++) T[j] = seen[j] ? T[j] : NAN;
    s.penalty = *penalty;
    s.passes = passes;
    s.missing = missing;
    o.max_iterations = 1;
    crease_tucker_rpca *m = crease_tucker_rpca_new(&s, T, &e);
    if (!m) fail_msg("%s", e.text);
    s.missing = false;
    crs_memory_open(&data, &shape, zeros, missing ? seen : NULL);
    slab_copies slabs =
        copies_of(cut_at(&shape, cut < 0 ? 0 : cut, 3), zeros, missing ? seen : NULL);
    crs_source *source = cut < 0 ? &data.source : &slabs.source;
    assert_true(crs_source_survey(source, 1, &e));
    crs_tucker_run *r = crs_tucker_run_new(&s, &o, source, &e);
    if (!r) fail_msg("%s", e.text);
    const crease_problem *p = crease_tucker_rpca_problem(m);
    for (int i = 0; i < p->count; i++) x[i] = p->block[i].start;
    crease_residual block[2][8];
    crease_reference *reference = crease_reference_new(p, &e);
    crease_certificate whole = { .block = block[0], .reference = reference },
                       own = { .block = block[1] };
    double *work = test_calloc((size_t)crease_certify_scratch(p), sizeof *work);
    crease_certify(p, x, crease_tucker_rpca_multiplier(m), &whole, work);
    crs_driver *run = crs_tucker_run_driver(r);
    run->engine->certify(r, &own);
    run->engine->keep(r);
    for (int n = 0; cut < 0 && n <= 3; n++)
        for (ptrdiff_t j = 0; j < crease_size(&p->space[n]); j++)
            assert_close(crs_tucker_run_block(r, n)[j], x[n][j], 0);
    assert_int_equal(own.count, whole.count);
    assert_close(own.objective, whole.objective, 1e-10 * whole.objective);
    for (int i = 0; i < own.count; i++)
        assert_alike(what, i, &own.block[i], &whole.block[i], cut < 0);
    assert_alike(what, own.count, &own.feasibility, &whole.feasibility, cut < 0);
    ptrdiff_t left, right;
    crs_tucker_run_rows(r, &left, &right);
    crs_tucker_run_read(r, CREASE_RPCA_LOWRANK, 0, left, part[0]);
    crs_tucker_run_read(r, CREASE_RPCA_SPARSE, 0, left, part[1]);
    crs_tucker_run_read(r, CREASE_RPCA_NOISE, 0, left, part[2]);
    for (int j = 0; j < SIZE; j++)
        if (seen[j])
            assert_close(part[0][j] + part[1][j] + part[2][j], T[j], 1e-12 * (1 + fabs(T[j])));
    assert_true(crs_tucker_run_stationary(r) == (passes > 60));
    crease_tucker_rpca *next = cut < 0 ? crs_tucker_run_problem(r, &e) : NULL;
    const double *const lambda[] = { next ? crease_tucker_rpca_multiplier(next) : NULL,
                                     crease_tucker_rpca_multiplier(m) };
    for (int i = 0; next && i < p->count; i++) {
        const crease_problem *q = crease_tucker_rpca_problem(next);
        assert_memory_equal(q->block[i].start, x[i],
                            sizeof(double) * (size_t)crease_size(&p->space[i]));
    }
    if (next) assert_memory_equal(lambda[0], lambda[1], sizeof T);
    crease_tucker_rpca_free(next);
    test_free(work);
    crease_reference_free(reference);
    crs_tucker_run_free(r);
    crease_tucker_rpca_free(m);
}

static void certificates_are_those_of_the_problem(void **state)
{
    const crease_reg list[] = { crease_l1(1), crease_mcp(1, 3), crease_scad(1, 3.7),
                                crease_lsp(1, 1) };
    static const char *const name[] = { "l1", "mcp", "scad", "lsp" };
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int missing = 0; missing < 2; missing++) {
            compare(name[k], &list[k], missing, 1000, -1);
            compare(name[k], &list[k], missing, 60, -1); /* far from stationary */
            for (int cut = 0; cut < 2; cut++) compare(name[k], &list[k], missing, 1000, cut);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(certificates_are_those_of_the_problem) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
