/* SPDX-License-Identifier: MIT
 * power: (sum_j |x_j|^p)^{1/p} in one pass, every power of a ratio <= 1 */
#include "set/set.h"

void crs_power_add(crs_power *t, double x)
{
    const double a = fabs(x);
    if (a > t->scale) {
        const double ratio = pow(t->scale / a, t->p);
        t->sum = (crs_total){ t->sum.sum * ratio, t->sum.low * ratio };
        t->scale = a;
    }
    if (a != 0) accumulate(&t->sum, a == t->scale ? 1 : pow(a / t->scale, t->p));
}

double crs_power_root(const crs_power *t, const crease_space *s)
{
    const double scale = crease_max(s, t->scale), here = total(&t->sum);
    const double ratio = t->scale == scale ? 1 : pow(t->scale / scale, t->p);
    return scale * pow(crease_sum(s, here * ratio), 1 / t->p);
}

double crs_p_norm(const crease_space *s, double p, const double *x)
{
    crs_power norm = { .p = p };
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) crs_power_add(&norm, x[j]);
    return crs_power_root(&norm, s);
}
