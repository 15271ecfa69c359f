/* SPDX-License-Identifier: MIT
 * tucker_memory: the settings of a Tucker fit checked, and its memory */
#include "rpca/tucker/tucker_state.h"
#include "smooth/fit.h"

static bool check(const crs_tucker_settings *c, crease_error *e)
{
    if (!crs_check_shape("Tucker robust PCA", &c->shape, e)) return false;
    if (c->ranks.order != c->shape.order)
        return crs_fail(e, CREASE_BAD_SHAPE, "%d ranks for %d modes; give one rank a mode",
                        c->ranks.order, c->shape.order);
    for (int n = 0; n < c->shape.order; n++) {
        const ptrdiff_t rank = c->ranks.dim[n], size = c->shape.dim[n];
        if (rank < 1 || rank > size)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "rank %td of mode %d is outside its range: give 1 to %td", rank, n + 1,
                            size);
    }
    for (int n = 0; n < c->shape.order; n++) {
        const ptrdiff_t others = crease_size(&c->ranks) / c->ranks.dim[n];
        if (c->ranks.dim[n] > others)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "rank %td of mode %d is above the product of the others, %td: the "
                            "surplus cannot be used; lower it",
                            c->ranks.dim[n], n + 1, others);
    }
    return true;
}

static double *take(double *base, ptrdiff_t *used, ptrdiff_t count)
{
    double *p = base ? base + *used : NULL;
    *used += count;
    return p;
}

/* The largest decomposition: of an unfolding of half, of X_d, or of P'P. */
static ptrdiff_t svd_room(const crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    const ptrdiff_t rank = s->half.dim[last], size = s->c.shape.dim[last];
    ptrdiff_t most = crease_size(&s->c.ranks);
    for (int n = 0; n < last; n++) {
        const ptrdiff_t rows = s->half.dim[n], columns = crease_size(&s->half) / rows;
        const ptrdiff_t k = fewer(rows, columns);
        most = more(most, (rows + columns + 1) * k + crs_svd_scratch(rows, columns));
        most = more(most, s->c.ranks.dim[n] * (s->c.ranks.dim[n] + 2 * rows));
    }
    most = more(most, size * rank + 2 * rank * rank + rank + crs_svd_scratch(size, rank));
    return more(most, 2 * size * rank + 2 * rank * rank + rank + crs_eigh_scratch(rank));
}

ptrdiff_t crs_tucker_carve(crs_tucker_fit *s, double *base)
{
    const int last = s->half.order - 1;
    const ptrdiff_t half = crease_size(&s->half);
    ptrdiff_t used = 0;
    for (int n = 0; n <= last; n++)
        s->factor[n] = take(base, &used, s->c.shape.dim[n] * s->c.ranks.dim[n]);
    s->core = take(base, &used, crease_size(&s->c.ranks));
    s->P = take(base, &used, half);
    s->SX = take(base, &used, half);
    s->SP = take(base, &used, s->c.shape.dim[last] * s->half.dim[last]);
    s->rows = take(base, &used, s->left);
    s->columns = take(base, &used, s->c.shape.dim[last]);
    s->A = take(base, &used, half);
    s->chain = take(base, &used, crs_tucker_chain(&s->c));
    s->unfolded = take(base, &used, half);
    s->svd = take(base, &used, svd_room(s));
    s->slab = take(base, &used, crs_tucker_span_scratch(&s->c));
    return used;
}

static void shape_of(const crs_tucker_settings *c, crs_tucker_fit *s)
{
    const int last = c->shape.order - 1;
    s->c = *c;
    s->half = c->shape;
    s->half.dim[last] = c->ranks.dim[last];
    s->left = crease_size(&c->shape) / c->shape.dim[last];
}

/* T as left x I_d with the rank of its last mode. */
static crs_envelope_settings pass_of(const crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    return (crs_envelope_settings){ .shape = crease_matrix(s->left, s->c.shape.dim[last]),
                                    .rank = s->half.dim[last],
                                    .alpha_noise = s->c.alpha_noise,
                                    .mask = s->c.mask,
                                    .threads = s->c.threads,
                                    .single = s->c.single };
}

ptrdiff_t crs_tucker_fit_bytes(const crs_tucker_settings *c, crease_error *e)
{
    crs_tucker_fit s = { .left = 0 };
    if (!check(c, e)) return -1;
    shape_of(c, &s);
    const crs_envelope_settings pass = pass_of(&s);
    const ptrdiff_t bytes = crs_envelope_bytes(&pass, e);
    return bytes < 0 ? -1 : bytes + (ptrdiff_t)sizeof(double) * crs_tucker_carve(&s, NULL);
}

void crs_tucker_fit_free(crs_tucker_fit *s)
{
    if (!s) return;
    crs_envelope_free(s->pass);
    crs_free(s->memory);
    crs_free(s);
}

crs_tucker_fit *crs_tucker_fit_new(const crs_tucker_settings *c, const void *T, crease_error *e)
{
    if (!check(c, e)) return NULL;
    crs_tucker_fit *s = crs_alloc(1, sizeof *s);
    if (!s) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a Tucker fit"), NULL;
    shape_of(c, s);
    s->T = T;
    s->fresh = true;
    s->best = INFINITY;
    const crs_envelope_settings pass = pass_of(s);
    s->pass = crs_envelope_new(&pass, T, e);
    if (s->pass) s->memory = crs_doubles(crs_tucker_carve(s, NULL), "a Tucker fit", e);
    if (s->memory) return crs_tucker_carve(s, s->memory), s;
    crs_tucker_fit_free(s);
    return NULL;
}
