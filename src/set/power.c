/* SPDX-License-Identifier: MIT
 * power: (sum_j |x_j|^p)^{1/p} in one pass, every power of a ratio <= 1 */
#include "set/set.h"

void crs_power_add(crs_power *t, double x)
{
    const double a = fabs(x);
    if (a > t->scale) {
        t->sum = 1 + t->sum * pow(t->scale / a, t->p);
        t->scale = a;
    } else if (a == t->scale) {
        t->sum += a > 0;
    } else {
        t->sum += pow(a / t->scale, t->p);
    }
}

double crs_power_root(const crs_power *t, const crease_space *s)
{
    const double scale = crease_max(s, t->scale);
    const double here = t->scale == scale ? t->sum : t->sum * pow(t->scale / scale, t->p);
    return scale * pow(crease_sum(s, here), 1 / t->p);
}

double crs_p_norm(const crease_space *s, double p, const double *x)
{
    crs_power norm = { p, 0, 0 };
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) crs_power_add(&norm, x[j]);
    return crs_power_root(&norm, s);
}
