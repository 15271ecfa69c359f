/* SPDX-License-Identifier: MIT
 * couplings.h: small random instances of the couplings made from tensors, and what every smooth
 * coupling must satisfy. Values are recomputed from the definitions, entry by entry. */
#ifndef CREASE_COUPLINGS_H
#define CREASE_COUPLINGS_H

#include "support/arrays.h"

enum { MOST_BLOCKS = CREASE_MAX_ORDER + 3 };

typedef enum { MF, CP, TUCKER, MULTILINEAR, KINDS } kind;

/* Block 0 holds Z (or is not used), blocks d .. 1 belong to modes 1 .. d, d+1 is the core, and
 * the last block is never touched. */
typedef struct {
    kind kind;
    crease_smooth f;
    crease_blocks b;
    crease_space shape, ranks, space[MOST_BLOCKS];
    double radius[MOST_BLOCKS];
    double *x[MOST_BLOCKS], *target, *work;
    int factor[CREASE_MAX_ORDER];
    double ridge; /* of CP */
    crease_factorization_data mf;
    crease_cp_data cp;
    crease_tucker_data tucker;
    crease_multilinear_data multilinear;
} problem;

static inline void set_coupling(problem *p, int z)
{
    const int d = p->shape.order;
    p->mf = (crease_factorization_data){ p->factor[0], p->factor[1], z, p->target };
    p->cp = (crease_cp_data){ p->shape, p->ranks.dim[0], p->factor, z, p->target, p->ridge };
    p->tucker = (crease_tucker_data){ p->shape, p->ranks, p->factor, d + 1, z, p->target };
    p->multilinear = (crease_multilinear_data){ p->shape, p->target, p->factor, -1.5, NULL };
    p->f = p->kind == MF       ? crease_matrix_factorization(&p->mf)
           : p->kind == CP     ? crease_cp(&p->cp)
           : p->kind == TUCKER ? crease_tucker(&p->tucker)
                               : crease_multilinear(&p->multilinear);
}

static inline void make_problem(problem *p, kind k, int order, bool z_block, draws *d)
{
    static const ptrdiff_t dims[] = { 3, 4, 2, 1, 3 }, ranks[] = { 2, 3, 2, 2, 1 };
    *p = (problem){ .kind = k, .shape.order = order, .ranks.order = order };
    p->ridge = k == CP && order % 2 ? 0.75 : 0;
    for (int n = 0; n < order; n++) {
        p->shape.dim[n] = dims[n];
        p->ranks.dim[n] = k == TUCKER ? ranks[n] : 2;
        p->factor[n] = order - n;
        p->space[order - n] =
            k == MULTILINEAR ? crease_vector(dims[n]) : crease_matrix(dims[n], p->ranks.dim[n]);
    }
    p->space[0] = z_block ? p->shape : crease_vector(2);
    p->space[order + 1] = k == TUCKER ? p->ranks : crease_vector(3);
    p->space[order + 2] = crease_vector(2);
    p->b = (crease_blocks){ order + 3, p->space, NULL };
    for (int i = 0; i < p->b.count; i++) p->x[i] = random_doubles(d, crease_size(p->space + i), 1);
    p->target = random_doubles(d, crease_size(&p->shape), 1);
    set_coupling(p, z_block ? 0 : -1);
    p->work = unset_doubles(p->f.ops->scratch(&p->f, &p->b));
}

static inline void discard_problem(problem *p)
{
    for (int i = 0; i < p->b.count; i++) free(p->x[i]);
    free(p->target), free(p->work);
}

/* F(x) at index i: a sum over r (CP and matrices), or over all entries of the core. */
static inline double entry(const problem *p, const ptrdiff_t *i)
{
    const bool tucker = p->kind == TUCKER;
    const ptrdiff_t terms = tucker ? crease_size(&p->ranks) : p->ranks.dim[0];
    double sum = 0;
    for (ptrdiff_t t = 0; t < terms; t++) {
        ptrdiff_t r[CREASE_MAX_ORDER];
        double term = 1;
        unravel(&p->ranks, t, r);
        for (int n = 0; n < p->shape.order; n++)
            term *= p->x[p->factor[n]][i[n] * p->ranks.dim[n] + (tucker ? r[n] : t)];
        sum += tucker ? term * p->x[p->tucker.core][t] : term;
    }
    return sum;
}

static inline double naive_value(const problem *p)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < crease_size(&p->shape); j++) {
        ptrdiff_t i[CREASE_MAX_ORDER];
        double term = -1.5 * p->target[j];
        unravel(&p->shape, j, i);
        for (int n = 0; n < p->shape.order && p->kind == MULTILINEAR; n++)
            term *= p->x[p->factor[n]][i[n]];
        sum += p->kind == MULTILINEAR
                   ? term
                   : square((p->cp.z < 0 ? p->target[j] : p->x[0][j]) - entry(p, i));
    }
    for (int n = 0; n < p->shape.order && p->ridge > 0; n++)
        for (ptrdiff_t j = 0; j < crease_size(p->space + p->factor[n]); j++)
            sum += p->ridge / 2 * square(p->x[p->factor[n]][j]);
    return sum;
}

static inline double value(problem *p)
{
    return p->f.ops->value(&p->f, &p->b, (const double *const *)p->x, p->work);
}

/* A new array with grad_i f. */
static inline double *gradient(problem *p, int i)
{
    double *g = doubles(crease_size(p->space + i));
    p->f.ops->grad(&p->f, &p->b, (const double *const *)p->x, i, g, p->work);
    return g;
}

/* Every kind and order, with Z constant or a block. */
static inline void for_all(void (*test)(problem *p, draws *d), uint64_t seed)
{
    draws d = { { seed, 0 }, 0 };
    for (int k = 0; k < KINDS; k++)
        for (int order = 2; order <= (k == MF ? 2 : 5); order++)
            for (int z_block = 0; z_block < (k == MULTILINEAR ? 1 : 2); z_block++) {
                problem p;
                make_problem(&p, (kind)k, order, z_block, &d);
                test(&p, &d);
                discard_problem(&p);
            }
}

#endif
