/* SPDX-License-Identifier: MIT
 * tucker: C x_1 X_1 ... x_d X_d against a tensor, a few slices of the first mode at a time
 *
 * Slices i .. i+m-1 of the tensor belong to rows i .. i+m-1 of X_1, so that every operation is a
 * chain of mode products on a slab and nothing is as large as the tensor (unless I_1 is small). */
#include "tensor/tensor.h"

enum { SLAB = 1 << 15 };

static crease_space slab_shape(const crease_space *shape)
{
    crease_space s = *shape;
    const ptrdiff_t right = crs_right(shape, 0), fit = right < SLAB ? SLAB / right : 1;
    s.dim[0] = fewer(s.dim[0], fit);
    return s;
}

/* The maps ranks -> shape by X_n, or shape -> ranks by X_n', without mode `skip`; X_1 starts at
 * row `first` and has s->dim[0] rows. */
static void maps_of(const crs_tucker *k, const crease_space *s, ptrdiff_t first, int skip,
                    bool transposed, crs_mode_map *a)
{
    for (int n = 0; n < s->order; n++)
        a[n] = (crs_mode_map){ n == skip ? NULL : k->factor[n] + (n ? 0 : first * k->ranks.dim[0]),
                               transposed ? k->ranks.dim[n] : s->dim[n], transposed };
}

/* Nothing in a chain is larger than both its ends. */
ptrdiff_t crs_tucker_scratch(const crease_space *shape, const crease_space *ranks)
{
    const crease_space s = slab_shape(shape);
    const ptrdiff_t slab = crease_size(&s), core = crease_size(ranks);
    ptrdiff_t grams = 0, end = core, kept = core;
    for (int n = 0; n < s.order; n++) {
        const ptrdiff_t others = core / ranks->dim[n];
        grams += ranks->dim[n] * ranks->dim[n];
        end = more(end, others * s.dim[n]);
        kept = more(kept, others * shape->dim[n]); /* crs_tucker_unfolded keeps T x_j X_j' */
    }
    return kept + slab + 2 * more(slab, end) + grams;
}

void crs_tucker_reconstruct(const crs_tucker *k, double alpha, double *out, double *work)
{
    crease_space s = slab_shape(&k->shape);
    const ptrdiff_t right = crs_right(&s, 0), rows = s.dim[0], all = k->shape.dim[0];
    crs_mode_map a[CREASE_MAX_ORDER];
    for (ptrdiff_t i = 0; i < all; i += rows) {
        s.dim[0] = fewer(all - i, rows);
        maps_of(k, &s, i, -1, false, a);
        crs_multi_ttm(&k->ranks, a, alpha, k->core, 1, out + i * right, work);
    }
}

double crs_tucker_distance2(const crs_tucker *k, const double *tensor, double *work)
{
    crease_space s = slab_shape(&k->shape);
    const ptrdiff_t right = crs_right(&s, 0), rows = s.dim[0], all = k->shape.dim[0];
    double *slab = work, *chain = work + rows * right, sum = 0;
    crs_mode_map a[CREASE_MAX_ORDER];
    for (ptrdiff_t i = 0; i < all; i += rows) {
        s.dim[0] = fewer(all - i, rows);
        maps_of(k, &s, i, -1, false, a);
        copy(s.dim[0] * right, tensor + i * right, slab);
        crs_multi_ttm(&k->ranks, a, -1, k->core, 1, slab, chain);
        sum += crs_dot(s.dim[0] * right, slab, slab);
    }
    return sum;
}

void crs_tucker_project(const crs_tucker *k, int skip, const double *tensor, double *out,
                        double *work)
{
    crease_space s = slab_shape(&k->shape), end = k->ranks;
    const ptrdiff_t right = crs_right(&s, 0), rows = s.dim[0], all = k->shape.dim[0];
    crs_mode_map a[CREASE_MAX_ORDER];
    if (skip >= 0) end.dim[skip] = k->shape.dim[skip];
    const ptrdiff_t slice = skip == 0 ? crs_right(&end, 0) : 0;
    fill(crease_size(&end), 0, out);
    for (ptrdiff_t i = 0; i < all; i += rows) {
        s.dim[0] = fewer(all - i, rows);
        maps_of(k, &s, i, skip, true, a);
        crs_multi_ttm(&s, a, 1, tensor + i * right, 1, out + i * slice, work);
    }
}

void crs_tucker_gram_core(const crs_tucker *k, int skip, double *out, double *work)
{
    crs_mode_map a[CREASE_MAX_ORDER];
    double *gram = work;
    for (int n = 0; n < k->ranks.order; n++) {
        const ptrdiff_t rank = k->ranks.dim[n];
        a[n] = (crs_mode_map){ n == skip ? NULL : gram, rank, false };
        if (n == skip) continue;
        crs_gram(k->shape.dim[n], rank, k->factor[n], gram);
        gram += rank * rank;
    }
    crs_multi_ttm(&k->ranks, a, 1, k->core, 0, out, gram);
}

void crs_tucker_unfolded(const crs_tucker *k, int n, double alpha, const double *tensor,
                         double *out, double *work)
{
    crease_space s = k->ranks;
    s.dim[n] = k->shape.dim[n];
    crs_tucker_project(k, n, tensor, work, work + crease_size(&s));
    crs_unfolding_product(&s, n, k->ranks.dim[n], alpha, work, k->core, out);
}

void crs_tucker_gram(const crs_tucker *k, int n, double alpha, double *g, double *work)
{
    const ptrdiff_t rank = k->ranks.dim[n];
    crs_tucker_gram_core(k, n, work, work + crease_size(&k->ranks));
    fill(rank * rank, 0, g);
    crs_unfolding_product(&k->ranks, n, rank, alpha, work, k->core, g);
}
