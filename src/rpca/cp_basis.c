/* SPDX-License-Identifier: MIT
 * cp_basis: leading singular vectors of an unfolding: by its Gram matrix, or when the mode is long
 * by two steps of subspace iteration from a random start, each one read of the tensor
 *
 * Halko, Martinsson, Tropp, Finding structure with randomness, 2011. */
#include <crease/random.h>

#include "rpca/cp_compress.h"

enum { SPARE = 10, LONG = 4, LONGEST = 1500, STEPS = 2, STREAM = 64 };

void crs_cp_square_add(const crs_cp_square *a, const crease_space *slab, const double *values)
{
    const crs_mode_map map = { a->q, a->columns, true };
    if (a->q) crs_ttm(slab, a->n, map, 1, values, 0, a->product);
    crs_unfolding_product(slab, a->n, a->columns, 1, values, a->q ? a->product : values, a->w);
}

typedef struct {
    int n;
    ptrdiff_t rows, columns; /* of a slab; of q */
    double *slab, *product;  /* V slab, and V slab x_n Q' */
} reader;

/* w (I_n x columns) = V_(n) V_(n)' Q; q NULL: the Gram matrix itself */
static void apply(const crs_cp_view *v, const reader *r, double *q, double *w)
{
    crease_space s = v->shape;
    const crs_cp_square a = { r->n, r->columns, q, w, r->product };
    crs_view_count(v);
    fill(s.dim[r->n] * r->columns, 0, w);
    for (ptrdiff_t first = 0; first < v->shape.dim[0]; first += r->rows) {
        s.dim[0] = fewer(r->rows, v->shape.dim[0] - first);
        crs_cp_square_add(&a, &s, crs_view_slab(v, first, s.dim[0], r->slab));
    }
}

static bool open(const crs_cp_view *v, bool sketched, reader *r, crease_error *e)
{
    r->rows = r->n == 0 ? v->shape.dim[0] : crs_view_rows(v);
    const ptrdiff_t fibres = crs_right(&v->shape, 0) / (r->n ? v->shape.dim[r->n] : 1);
    const ptrdiff_t product = (r->n ? r->rows : 1) * fibres * r->columns;
    r->slab = crs_doubles(crs_view_scratch(v, r->rows), "a slab", e);
    r->product = crs_doubles(sketched ? product : 1, "a product of a slab", e);
    return r->slab && r->product;
}

static bool unconverged(int n, crease_error *e)
{
    return crs_fail(e, CREASE_NUMERICAL_FAILURE,
                    "the singular vectors of mode %d did not converge; rescale the tensor or start "
                    "at random",
                    n + 1);
}

static bool by_gram(const crs_cp_view *v, const reader *r, ptrdiff_t columns, double *basis,
                    double *squares, crease_error *e)
{
    const ptrdiff_t length = v->shape.dim[r->n];
    double *gram =
        crs_doubles(2 * length * length + length + crs_eigh_scratch(length), "a Gram matrix", e);
    if (!gram) return false;
    double *q = gram + length * length, *w = q + length * length, *work = w + length;
    apply(v, r, NULL, gram);
    const bool done = crs_eigh(length, gram, w, q, work);
    for (ptrdiff_t k = 0; done && k < columns; k++) {
        const double *vector = q + (length - 1 - k) * length;
        squares[k] = pos(w[length - 1 - k]);
        for (ptrdiff_t i = 0; i < length; i++) basis[i * columns + k] = vector[i];
    }
    crs_free(gram);
    return done || unconverged(r->n, e);
}

static bool by_sketch(const crs_cp_view *v, const reader *r, ptrdiff_t columns, uint64_t seed,
                      double *basis, double *squares, crease_error *e)
{
    const ptrdiff_t length = v->shape.dim[r->n], p = r->columns;
    const crease_random random = { seed, (uint64_t)(STREAM + r->n) };
    double *q = crs_doubles(2 * length * p + p + p * p + crs_svd_scratch(length, p), "a sketch", e);
    if (!q) return false;
    double *w = q + length * p, *s = w + length * p, *vt = s + p, *work = vt + p * p;
    bool done = true;
    for (ptrdiff_t j = 0; j < length * p; j++) q[j] = crease_random_normal(random, (uint64_t)j);
    for (int step = 0; done && step < STEPS; step++) {
        apply(v, r, q, w);
        done = crs_svd(length, p, w, q, s, vt, work);
    }
    for (ptrdiff_t k = 0; done && k < columns; k++) { /* w = Q S V' with S ~ the squares */
        squares[k] = s[k];
        for (ptrdiff_t i = 0; i < length; i++) basis[i * columns + k] = q[i * p + k];
    }
    crs_free(q);
    return done || unconverged(r->n, e);
}

bool crs_cp_basis(const crs_cp_view *v, int n, ptrdiff_t columns, uint64_t seed, double *basis,
                  double *squares, crease_error *e)
{
    const ptrdiff_t length = v->shape.dim[n], p = fewer(length, columns + SPARE);
    const bool sketched = length > LONG * p || length > LONGEST;
    reader r = { .n = n, .columns = sketched ? p : length };
    bool done = open(v, sketched, &r, e);
    if (done)
        done = sketched ? by_sketch(v, &r, columns, seed, basis, squares, e)
                        : by_gram(v, &r, columns, basis, squares, e);
    crs_free(r.slab);
    crs_free(r.product);
    return done;
}
