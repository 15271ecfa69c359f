/* SPDX-License-Identifier: MIT
 * lmo_spectral: Y minimizes <G, Y> + lambda sum_j sigma_j(Y) over a ball of radius R
 *
 * With G = U diag(sigma) V' and z = max(sigma - lambda, 0), Y = -U diag(d) V':
 *   nuclear ball    d = R e_1 if z_1 > 0        minimum -R z_1
 *   spectral ball   d_j = R where z_j > 0       minimum -R sum z_j
 *   Frobenius ball  d = R z/|z|                 minimum -R |z| */
#include "dense/dense.h"
#include "set/lmo_with.h"

bool crs_is_matrix_ball(const crease_set *c)
{
    return c->ops == &crs_nuclear_ball_ops || c->ops == &crs_spectral_ball_ops ||
           c->ops == &crs_l2_ball_ops;
}

/* z becomes -d; returns the gain max <z, d>. */
static double maximize(const crease_set *c, ptrdiff_t k, double *z)
{
    const double R = c->par[0], norm = crs_norm(k, z);
    double gain = 0;
    for (ptrdiff_t j = 0; j < k; j++) {
        const double d = c->ops == &crs_l2_ball_ops ? (norm > 0 ? R * (z[j] / norm) : 0)
                         : c->ops == &crs_spectral_ball_ops || j == 0 ? (z[j] > 0 ? R : 0)
                                                                      : 0;
        gain += z[j] * d;
        z[j] = -d;
    }
    return gain;
}

double crs_lmo_nuclear(const crs_form *f, const crease_set *c, const crease_space *s,
                       const double *g, double *y, double *work)
{
    const double lambda = f->alpha * f->base.par[0];
    crs_thin svd;
    if (!crs_thin_svd(s->dim[0], s->dim[1], g, work, &svd)) {
        fill(crease_size(s), NAN, y);
        return NAN;
    }
    for (ptrdiff_t j = 0; j < svd.k; j++) svd.s[j] = pos(svd.s[j] - lambda);
    const double gain = maximize(c, svd.k, svd.s);
    crs_thin_compose(&svd, svd.s, y);
    return -gain;
}
