/* SPDX-License-Identifier: MIT
 * tucker_recovery: MCP with a learned threshold reaches the noise floor at 5, 20 and 40 % outliers
 *
 * Least squares on the entries without outliers has relative error
 *     noise sqrt(dof / (1 - outliers) / size)
 * in the mean; with l1 every outlier pulls with the force of its threshold.
 * CREASE_INSTANCES in the environment draws so many instances, and the table is printed. */
#include <crease/crease.h>

#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "rpca/tucker/tucker.h"
#include "support/test.h"

static const struct {
    crease_space shape, ranks;
} kind[] = {
    { { .order = 3, .dim = { 20, 25, 30 } }, { .order = 3, .dim = { 3, 4, 5 } } },
    { { .order = 2, .dim = { 200, 150 } }, { .order = 2, .dim = { 3, 3 } } },
};

static double floor_of(int k, double outliers, double noise)
{
    const crease_space *s = &kind[k].shape, *r = &kind[k].ranks;
    double dof = (double)crease_size(r);
    for (int n = 0; n < s->order; n++) dof += (double)((s->dim[n] - r->dim[n]) * r->dim[n]);
    return noise * sqrt(dof / (1 - outliers) / (double)crease_size(s));
}

/* error of the low-rank part by the size of noise it has */
static double error_of(int k, double outliers, bool mcp, uint64_t seed)
{
    crease_tucker_recipe r = { .parts = crease_cp_recipe_default(&kind[k].shape, 1),
                               .ranks = kind[k].ranks,
                               .diagonal = kind[k].shape.order == 2 };
    crease_error e;
    const double *x[CREASE_MAX_ORDER + 4];
    r.parts.outliers = outliers;
    r.parts.magnitude = 10;
    r.parts.noise = 0.01;
    r.parts.seed = seed;
    crease_tucker_instance *c = crease_tucker_generate(&r, &e);
    if (!c) fail_msg("%s", e.text);
    crease_tucker_rpca_settings s = crease_tucker_rpca_default(&kind[k].shape, &kind[k].ranks);
    if (mcp) s.penalty = crease_mcp(1, 3);
    s.threads = 1;
    crease_tucker_rpca *m = crease_tucker_rpca_new(&s, c->parts->tensor, &e);
    if (!m) fail_msg("%s", e.text);
    const crease_problem *p = crease_tucker_rpca_problem(m);
    for (int i = 0; i < p->count; i++) x[i] = p->block[i].start;
    const ptrdiff_t size = crease_size(&kind[k].shape);
    double *low = test_malloc(sizeof *low * (size_t)size), off = 0;
    assert_true(crease_tucker_rpca_lowrank(m, x, low, &e));
    for (ptrdiff_t j = 0; j < size; j++) off += square(low[j] - c->parts->lowrank[j]);
    test_free(low);
    crease_tucker_rpca_free(m);
    crease_tucker_instance_free(c);
    return sqrt(off / (double)size);
}

/* The deviation of the root of a mean of some hundred squares is below five percent; outliers as
 * small as the noise and inliers beyond the threshold cost a little more: a quarter is allowed.
 * With l1 an outlier pulls by the threshold, 3 deviations: the variance (1 - p) + 9p in place of 1
 * - p, and half as much again for a scale that the outliers have widened. */
static double allowed(double outliers, bool mcp)
{
    return mcp ? 1.25 : 1.5 * sqrt(1 + 9 * outliers / (1 - outliers));
}

static void at_the_floor(void **state)
{
    static const double outliers[] = { 0.05, 0.2, 0.4 };
    const char *text = getenv("CREASE_INSTANCES");
    const int count = text ? atoi(text) : 2;
    int failures = 0;
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int o = 0; o < 3; o++)
            for (int mcp = 1; mcp >= 0; mcp--) {
                const double least = floor_of(k, outliers[o], 0.01);
                double worst = 0, sum = 0;
                int good = 0;
                for (int seed = 1; seed <= count; seed++) {
                    const double ratio = error_of(k, outliers[o], mcp, (uint64_t)seed) / least;
                    good += ratio <= allowed(outliers[o], mcp);
                    worst = larger(worst, ratio);
                    sum += ratio / count;
                }
                printf("%-6s %2.0f %% outliers, %-3s: error/floor mean %.3f, worst %.3f of %.2f; "
                       "%d/%d\n",
                       k ? "matrix" : "tucker", 100 * outliers[o], mcp ? "mcp" : "l1", sum, worst,
                       allowed(outliers[o], mcp), good, count);
                failures += count - good;
            }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(at_the_floor) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
