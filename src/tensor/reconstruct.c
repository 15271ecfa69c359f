/* SPDX-License-Identifier: MIT
 * reconstruct: [[X_1, ..., X_d]] slab by slab, as a product of Khatri-Rao rows */
#include "tensor/tensor.h"

/* work: the Khatri-Rao rows of the columns (right x rank), which stay, then those of a slab. */
static double *prepare(const crs_kruskal *k, crs_slabs s, double *work)
{
    crs_khatri_rao(k, (crs_modes){ s.split, k->shape.order, -1 }, 0, s.right, work);
    return work + s.right * k->rank;
}

/* slab += alpha [[X]](rows first .. first+count-1) */
static void add_slab(const crs_kruskal *k, crs_slabs s, ptrdiff_t first, ptrdiff_t count,
                     double alpha, double *slab, double *work)
{
    double *rows = work + s.right * k->rank;
    crs_khatri_rao(k, (crs_modes){ 0, s.split, -1 }, first, count, rows);
    crs_gemm(false, true, count, s.right, k->rank, alpha, rows, work, 1, slab);
}

void crs_reconstruct(const crs_kruskal *k, double alpha, double *out, double *work)
{
    const crs_slabs s = crs_slabs_of(&k->shape);
    prepare(k, s, work);
    for (ptrdiff_t row = 0; row < s.left; row += s.rows) {
        const ptrdiff_t count = fewer(s.left - row, s.rows);
        add_slab(k, s, row, count, alpha, out + row * s.right, work);
    }
}

double crs_kruskal_distance2(const crs_kruskal *k, const double *tensor, double *work)
{
    const crs_slabs s = crs_slabs_of(&k->shape);
    double *slab = prepare(k, s, work) + s.rows * k->rank, sum = 0;
    for (ptrdiff_t row = 0; row < s.left; row += s.rows) {
        const ptrdiff_t count = fewer(s.left - row, s.rows);
        copy(count * s.right, tensor + row * s.right, slab);
        add_slab(k, s, row, count, -1, slab, work);
        sum += crs_dot(count * s.right, slab, slab);
    }
    return sum;
}
