/* SPDX-License-Identifier: MIT
 * slab: how a tensor is cut for streaming, and the Khatri-Rao rows that go with a slab */
#include "tensor/tensor.h"

/* The columns are the last modes: enough of them to give a matrix product something to do, few
 * enough that their Khatri-Rao product stays in cache. A slab fits in a core's own cache. */
enum { WIDE = 32, WIDEST = 1 << 12, SLAB = 1 << 15 };

ptrdiff_t crs_left(const crease_space *s, int n)
{
    ptrdiff_t size = 1;
    for (int j = 0; j < n; j++) size *= s->dim[j];
    return size;
}

ptrdiff_t crs_right(const crease_space *s, int n)
{
    ptrdiff_t size = 1;
    for (int j = n + 1; j < s->order; j++) size *= s->dim[j];
    return size;
}

crs_slabs crs_slabs_of(const crease_space *s)
{
    int split = s->order - 1;
    ptrdiff_t right = s->dim[split];
    while (split > 1 && right < WIDE && s->dim[split - 1] <= WIDEST / right)
        right *= s->dim[--split];
    const ptrdiff_t left = crs_left(s, split), fit = right < SLAB ? SLAB / right : 1;
    return (crs_slabs){ split, left, right, fewer(left, fit) };
}

/* index[m.from .. m.to) of row `row`; the last mode runs fastest. */
static void locate(const crease_space *s, crs_modes m, ptrdiff_t row, ptrdiff_t *index)
{
    for (int j = m.to - 1; j >= m.from; j--) {
        index[j] = row % s->dim[j];
        row /= s->dim[j];
    }
}

static void advance(const crease_space *s, crs_modes m, ptrdiff_t *index)
{
    for (int j = m.to - 1; j >= m.from; j--) {
        if (++index[j] < s->dim[j]) return;
        index[j] = 0;
    }
}

static void multiply(ptrdiff_t n, const double *x, const double *y, double *to)
{
    for (ptrdiff_t r = 0; r < n; r++) to[r] = x[r] * y[r];
}

void crs_khatri_rao(const crs_kruskal *k, crs_modes m, ptrdiff_t first, ptrdiff_t count,
                    double *out)
{
    const ptrdiff_t rank = k->rank;
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    locate(&k->shape, m, first, index);
    for (double *row = out; row < out + count * rank; row += rank) {
        const double *product = NULL; /* of the modes so far: a factor's row, then `row` */
        for (int j = m.from; j < m.to; j++) {
            if (j == m.skip) continue;
            const double *x = k->factor[j] + index[j] * rank;
            if (product) multiply(rank, product, x, row);
            product = product ? row : x;
        }
        if (!product) fill(rank, 1, row);
        if (product && product != row) copy(rank, product, row);
        advance(&k->shape, m, index);
    }
}

/* Two arrays with a row for every slab row, two with a row for every column. */
ptrdiff_t crs_kruskal_scratch(const crease_space *shape, ptrdiff_t rank)
{
    const crs_slabs s = crs_slabs_of(shape);
    const ptrdiff_t slab = s.rows * s.right;
    return 2 * rank * (s.rows + s.right) + slab;
}
