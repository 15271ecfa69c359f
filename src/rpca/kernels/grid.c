/* SPDX-License-Identifier: MIT
 * cp_gather: T_(n) M_n from a table in which the modes of the other side are summed over already */
#include "rpca/fused/state.h"

typedef struct {
    const crs_cp_gathering *g;
    int n;
    ptrdiff_t before, dim, after, tasks;
    double *to;
} mode;

/* to += every row of x times that of y */
static void add_products(ptrdiff_t rows, ptrdiff_t rank, const double *y, const double *x,
                         double *to)
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t r = 0; r < rank; r++) to[i * rank + r] += y[r] * x[i * rank + r];
}

static void gather(void *self, ptrdiff_t task, int worker)
{
    const mode *m = self;
    const crs_cp_gathering *g = m->g;
    const ptrdiff_t rank = g->k.rank, tasks = m->tasks;
    const ptrdiff_t first = task * m->dim / tasks, end = (task + 1) * m->dim / tasks;
    double *left = g->work + worker * 2 * rank, *sum = left + rank;
    fill((end - first) * rank, 0, m->to + first * rank);
    for (ptrdiff_t l = 0; l < m->before; l++) {
        crs_khatri_rao(&g->k, (crs_modes){ g->from, m->n, -1 }, l, 1, left);
        if (m->n + 1 == g->to) {
            add_products(end - first, rank, left, g->table + (l * m->dim + first) * rank,
                         m->to + first * rank);
            continue;
        }
        for (ptrdiff_t i = first; i < end; i++) {
            const double *rows = g->table + (l * m->dim + i) * m->after * rank;
            fill(rank, 0, sum);
            g->weigh(m->after, rank, rows, g->fold, sum);
            for (ptrdiff_t r = 0; r < rank; r++) m->to[i * rank + r] += left[r] * sum[r];
        }
    }
}

void crs_cp_gather(const crs_cp_gathering *g, int n, double *to)
{
    const ptrdiff_t *dim = g->k.shape.dim;
    mode m = { g, n, 1, dim[n], 1, 1, to };
    if (g->threads > 1) m.tasks = fewer(m.dim, 4 * (ptrdiff_t)g->threads);
    for (int j = g->from; j < n; j++) m.before *= dim[j];
    for (int j = n + 1; j < g->to; j++) m.after *= dim[j];
    crs_khatri_rao(&g->k, (crs_modes){ n + 1, g->to, -1 }, 0, m.after, g->fold);
    crs_parallel(g->threads, m.tasks, gather, &m);
}
