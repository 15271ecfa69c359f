/* SPDX-License-Identifier: MIT
 * cp_point: M and E of a few rows, and the memory for them */
#include "rpca/cp_point.h"

#include <limits.h>

enum { MOST_BANDS = 16, SUMS = 8 };

static ptrdiff_t longest(const crease_space *s)
{
    ptrdiff_t most = 0;
    for (int n = 0; n < s->order; n++) most = more(most, s->dim[n]);
    return most;
}

typedef struct {
    double *at; /* NULL while only counting */
    ptrdiff_t used;
} carver;

/* PTRDIFF_MAX: too many to count */
static double *take(carver *c, ptrdiff_t a, ptrdiff_t b)
{
    double *here = c->at ? c->at + c->used : NULL;
    ptrdiff_t n;
    if (!crs_mul_size(a, b, &n) || !crs_add_size(c->used, n, &c->used)) c->used = PTRDIFF_MAX;
    return here;
}

/* Bands add up their own sums: few, so that the sums stay small beside the tensor. */
static void walk(const crs_cp_point *p, int threads, carver *c, crs_cp_room *w)
{
    const crs_slabs *g = &p->grid;
    const ptrdiff_t rank = p->k.rank, n = crease_size(&p->k.shape);
    const bool whole = p->whole.ops;
    w->panels = (g->left + g->rows - 1) / g->rows;
    w->bands = more(1, fewer(fewer(w->panels, MOST_BANDS), g->left / 32 / rank));
    w->threads = p->sparse ? 1 : (int)fewer(threads, w->bands);
    w->worker = g->rows * (2 * g->right + rank);
    w->columns = take(c, g->right, rank);
    w->rows = take(c, g->left, rank);
    w->sums = take(c, w->bands, SUMS);
    w->collected = take(c, w->bands * g->right, rank);
    w->small = take(c, 2 * longest(&p->k.shape) + 2 * rank + 1, rank);
    w->workers = take(c, w->threads, w->worker);
    w->e = take(c, whole ? n : 0, 1);
    w->lambda = take(c, whole ? n : 0, 1);
    w->reg = take(c, whole ? crease_reg_scratch(&p->whole, &p->k.shape) : 0, 1);
}

ptrdiff_t crs_cp_room_size(const crs_cp_point *p, int threads)
{
    carver c = { NULL, 0 };
    crs_cp_room w;
    walk(p, threads, &c, &w);
    return c.used;
}

void crs_cp_room_carve(const crs_cp_point *p, int threads, double *memory, crs_cp_room *w)
{
    carver c = { memory, 0 };
    walk(p, threads, &c, w);
}

void crs_cp_columns(const crs_cp_point *p, crs_cp_room *w)
{
    const crs_modes last = { p->grid.split, p->k.shape.order, -1 };
    crs_khatri_rao(&p->k, last, 0, p->grid.right, w->columns);
}

void crs_cp_panel(const crs_cp_point *p, const crs_cp_room *w, ptrdiff_t first, ptrdiff_t count,
                  double *kr, double *m, double *e)
{
    const ptrdiff_t right = p->grid.right, rank = p->k.rank;
    const double t = 1 / (2 * noise_share(p));
    crs_khatri_rao(&p->k, (crs_modes){ 0, p->grid.split, -1 }, first, count, kr);
    crs_gemm(false, true, count, right, rank, 1, kr, w->columns, 0, m);
    if (p->sparse) {
        p->sparse(p->self, first, count, e);
        return;
    }
    for (ptrdiff_t j = 0, at = first * right; j < count * right; j++, at++) {
        const double rest = p->tensor[at] - m[j];
        const bool zero = fabs(rest) <= p->dead || (p->mask && !p->mask[at]);
        e[j] = zero ? 0 : crs_scalar_prox(&p->rho, t, rest);
    }
}
