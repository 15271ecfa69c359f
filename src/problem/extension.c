/* SPDX-License-Identifier: MIT
 * extension: the problem with a slack block */
#include "problem/problem.h"

void crs_extension_free(crs_extension *x)
{
    if (!x) return;
    crs_free(x->block);
    crs_free(x->space);
    crs_free(x->center);
    crs_free(x);
}

void crs_extension_set_mu(crs_extension *x, double mu)
{
    x->mu = mu;
    x->half_square.weight = mu;
}

void crs_extension_set_multiplier(crs_extension *x, const double *lambda)
{
    for (ptrdiff_t j = 0, m = crease_size(&x->problem.range); j < m; j++)
        x->center[j] = -lambda[j] / x->mu;
}

static void connect(crs_extension *x, const crease_problem *p)
{
    const int N = p->count;
    for (int i = 0; i < N; i++) x->block[i] = p->block[i], x->space[i] = p->space[i];
    x->space[N] = p->range;
    x->block[N] = (crease_block){ .name = "slack", .map = crease_identity(1) };
    x->half_square = (crease_distance_data){ .a = N, .b = -1, .weight = x->mu, .d = x->center };
    x->term[0] = crease_squared_distance(&x->half_square);
    x->term[1] = p->f;
    x->sum = (crease_smooth_list){ p->f.ops ? 2 : 1, x->term };
    x->problem = *p;
    x->problem.count = N + 1;
    x->problem.block = x->block;
    x->problem.space = x->space;
    x->problem.f = crease_smooth_sum(&x->sum);
}

crs_extension *crs_extension_new(const crease_problem *p, double mu, crease_error *e)
{
    crs_extension *x = crs_alloc(1, sizeof *x);
    const size_t N = (size_t)p->count;
    if (x) {
        x->mu = mu;
        x->block = crs_alloc(N + 1, sizeof *x->block);
        x->space = crs_alloc(N + 1, sizeof *x->space);
        x->center = crs_alloc((size_t)crease_size(&p->range), sizeof *x->center);
    }
    if (!x || !x->block || !x->space || !x->center) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the slack block");
        crs_extension_free(x);
        return NULL;
    }
    connect(x, p);
    return x;
}
