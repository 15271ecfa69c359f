/* SPDX-License-Identifier: MIT
 * contract: T(x_1, ..., x_d) and its derivatives, the case rank = 1 of T_(n) M_n */
#include "tensor/tensor.h"

static crs_kruskal rank_one(const crease_space *shape, const double *const *x)
{
    crs_kruskal k = { .shape = *shape, .rank = 1 };
    for (int n = 0; n < shape->order; n++) k.factor[n] = x[n];
    return k;
}

ptrdiff_t crs_contract_scratch(const crease_space *shape)
{
    return shape->dim[0] + crs_kruskal_scratch(shape, 1);
}

void crs_contract_except(const crease_space *shape, const double *tensor, const double *const *x,
                         int n, double alpha, double *out, double *work)
{
    const crs_kruskal k = rank_one(shape, x);
    crs_mttkrp(&k, n, alpha, tensor, out, work);
}

double crs_contract(const crease_space *shape, const double *tensor, const double *const *x,
                    double *work)
{
    const ptrdiff_t n = shape->dim[0];
    fill(n, 0, work);
    crs_contract_except(shape, tensor, x, 0, 1, work, work + n);
    return crs_dot(n, work, x[0]);
}
