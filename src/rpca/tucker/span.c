/* SPDX-License-Identifier: MIT
 * span: S'S X of a long matrix S, the tensor T as left x I_d with its entries clipped, a few rows
 * at a time and slab by slab
 *
 * Rows of S lie in one slab each: the products of all slabs add up to the whole one. */
#include "rpca/tucker/tucker.h"

enum { ROWS = 64 };

ptrdiff_t crs_span_room(ptrdiff_t right, ptrdiff_t rank) { return ROWS * (right + rank); }

/* Rows of clip(W o T); NaN stays. */
static void take(const crs_slab *s, double bound, ptrdiff_t first, ptrdiff_t count, double *out)
{
    for (ptrdiff_t j = first; j < first + count; j++)
        *out++ = s->w && !s->w[j] ? 0 : clip(s->t[j], -bound, bound);
}

void crs_span_add(const crs_span_look *a, ptrdiff_t left, const crs_slab *slab, double *work,
                  double *out)
{
    const ptrdiff_t right = a->right, rank = a->rank;
    double *rows = work, *product = rows + ROWS * right;
    fill(right * rank, 0, out);
    for (ptrdiff_t i = 0; i < left; i += ROWS) {
        const ptrdiff_t count = fewer(left - i, ROWS);
        take(slab, a->bound, i * right, count * right, rows);
        crs_gemm(false, false, count, rank, right, 1, rows, a->x, 0, product);
        crs_gemm(true, false, right, rank, count, 1, rows, product, 1, out);
    }
}

static void plan(const void *args, const crease_space *shape, crs_total *sums)
{
    const crs_span_look *a = args;
    (void)shape;
    crs_total_plan(sums, CRS_SUM, a->right * a->rank);
}

static void *open(const void *args, const crs_partition *cut, int workers, int threads,
                  crease_error *e)
{
    const crs_span_look *a = args;
    (void)cut, (void)threads;
    return crs_doubles(workers * (crs_span_room(a->right, a->rank) + a->right * a->rank),
                       "the start", e);
}

static void close(void *room) { crs_free(room); }

static bool add(const void *args, void *room, const crs_slab *slab, int worker, crs_total *sums,
                crease_error *e)
{
    const crs_span_look *a = args;
    const ptrdiff_t size = a->right * a->rank, work = crs_span_room(a->right, a->rank);
    double *out = (double *)room + worker * (work + size);
    (void)e;
    crs_span_add(a, crease_size(&slab->shape) / a->right, slab, out + size, out);
    crs_total_add(sums, 0, 0, size, out);
    return true;
}

static void visit(crs_visitor *v, void *self)
{
    crs_span_look *a = self;
    crs_visit(v, a->right);
    crs_visit(v, a->rank);
    crs_visit(v, a->bound);
    crs_visit_array(v, a->x, a->right * a->rank);
}

const crs_job crs_span_job = { .name = "span",
                               .size = sizeof(crs_span_look),
                               .visit = visit,
                               .plan = plan,
                               .open = open,
                               .close = close,
                               .add = add };
