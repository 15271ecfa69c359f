/* SPDX-License-Identifier: MIT
 * regression_screen: which of the units at rest must go to work?
 *
 * A gradient is x_u's/n; since it was last computed s has moved by at most drift sqrt(n) in norm,
 * so that |x_u's|/n <= reach + (|x_u|_F/sqrt(n)) drift now. Where even that leaves b_u at 0, the
 * unit need not be looked at: the test is safe, and every other unit is computed. */
#include "regress/regress.h"

void crs_descent_drift(crs_descent *t)
{
    const ptrdiff_t n = t->d->n;
    double sum = 0;
    for (ptrdiff_t i = 0; i < n; i++) sum += square(t->s[i] - t->seen[i]);
    t->drift += sqrt(sum / (double)n);
    copy(n, t->s, t->seen);
}

void crs_descent_look(crs_descent *t, ptrdiff_t u)
{
    const crs_design *d = t->d;
    for (ptrdiff_t j = d->start[u], k = 0; j < d->start[u + 1]; j++, k++)
        t->step[k] = crs_dot(d->n, column_of(d, j), t->s) / (double)d->n;
    t->reach[u] = crs_norm(unit_size(d, u), t->step);
    t->stamp[u] = t->drift;
}

static double bound(const crs_descent *t, ptrdiff_t u)
{
    double size = 0;
    for (ptrdiff_t j = t->d->start[u]; j < t->d->start[u + 1]; j++) size += t->d->size[j];
    return (t->reach[u] + sqrt(size) * (t->drift - t->stamp[u])) * (1 + 0x1p-40);
}

/* How urgent unit u is: 0 where b_u = 0 stays. `guess` is a bound or an estimate of its gradient;
 * where that stays too the gradient is not computed. */
static double urgency(crs_descent *t, ptrdiff_t u, double guess)
{
    if (t->at_work[u] || crs_unit_stays(t, u, guess)) return 0;
    crs_descent_look(t, u);
    return crs_unit_stays(t, u, t->reach[u]) ? 0 : t->reach[u] / t->d->weight[u];
}

/* Where many would go to work at once, only those with the longest gradients for their weight. */
static ptrdiff_t recruit(crs_descent *t, bool safe)
{
    enum { FEW = 64 };
    double *urgent = t->curve, most = 0;
    ptrdiff_t count = 0;
    for (ptrdiff_t u = 0; u < t->d->units; u++) {
        urgent[u] = urgency(t, u, safe ? bound(t, u) : 1.1 * t->reach[u]);
        most = larger(most, urgent[u]);
        count += urgent[u] > 0;
    }
    const double least = count > FEW && count > t->working ? most / 2 : 0;
    for (ptrdiff_t u = 0; count > 0 && u < t->d->units; u++)
        if (urgent[u] > least) crs_descent_add(t, u);
    return count;
}

/* First the units whose gradient was near its limit (as in the strong rules of Tibshirani et al.
 * 2012), and only when none of them is wanted all that the safe test leaves. */
ptrdiff_t crs_descent_screen(crs_descent *t)
{
    crs_descent_drift(t);
    const ptrdiff_t count = recruit(t, false);
    return count > 0 ? count : recruit(t, true);
}
