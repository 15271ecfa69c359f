/* SPDX-License-Identifier: MIT
 * cp_slice: a slice's coefficients: Huber's problem first, whose solution is unique or nearly so,
 * then the penalty's own from there */
#include <float.h>

#include "rpca/cp_slice.h"

enum { NEWTONS = 100, MAJORIZATIONS = 3000, STAGE = 5, STAGE_SLOW = 30 };
static const double enough = 1e-12;

void crs_slice_close(crs_slice *s) { crs_free(s->r); }

bool crs_slice_open(crs_slice *s, crease_error *e)
{
    const ptrdiff_t n = s->entries, R = s->rank;
    s->r = crs_doubles(3 * n + 2 * R + 3 * R * R, "a slice", e);
    if (!s->r) return false;
    s->q = s->r + n, s->e = s->q + n, s->g = s->e + n, s->d = s->g + R;
    s->h = s->d + R, s->gram = s->h + R * R, s->chol = s->gram + R * R;
    crs_gram(n, R, s->m, s->gram);
    double trace = 0;
    for (ptrdiff_t j = 0; j < R * R; j++) s->gram[j] *= 2 * s->c;
    for (ptrdiff_t p = 0; p < R; p++) trace += s->gram[p * R + p];
    s->norm = sqrt(trace / (2 * s->c));
    for (ptrdiff_t p = 0; p < R; p++) s->gram[p * R + p] += s->nu;
    copy(R * R, s->gram, s->chol);
    for (ptrdiff_t p = 0; p < R; p++) /* a larger curvature is one too */
        s->chol[p * R + p] += 1e-10 * (trace > 0 ? trace : 1);
    return crs_cholesky(R, s->chol) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "the factors have no usable scale: their products are not finite");
}

/* The part of the gradient that counts against stationarity. */
static double residual(const crs_slice *s, const double *a)
{
    double sum = 0;
    for (ptrdiff_t p = 0; p < s->rank; p++)
        if (!s->nonneg || a[p] > 0 || s->g[p] < 0) sum += square(s->g[p]);
    return sqrt(sum);
}

double crs_slice_gradient(const crs_slice *s, const double *a)
{
    const double size =
        2 * s->c * s->norm * crs_norm(s->entries, s->q) + s->nu * crs_norm(s->rank, a);
    const double left = residual(s, a);
    return left == 0 ? 0 : left / size;
}

double crs_slice_objective(const crs_slice *s, const double *a)
{
    double sum = s->nu / 2 * crs_dot(s->rank, a, a);
    for (ptrdiff_t j = 0; j < s->entries; j++)
        sum += s->c * square(s->r[j] - s->e[j]) + crs_scalar_value(&s->penalty, s->e[j]);
    return sum;
}

/* What rounding alone leaves of a gradient where the model fits exactly. */
static double rounding(const crs_slice *s, const double *t)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < s->entries; j++)
        if (!isnan(t[j])) sum += square(t[j]);
    return 2 * s->c * s->norm * 4 * DBL_EPSILON * sqrt(sum);
}

/* Until the residual is small or is rounding; r, e, g at the end. */
static int iterate(crs_slice *s, const double *t, double *a, bool newton, int most)
{
    const double least = rounding(s, t);
    for (int k = 0; k < most; k++) {
        crs_slice_look(s, t, a);
        if (!(crs_slice_gradient(s, a) > enough) || residual(s, a) <= least) return k;
        if (newton)
            crs_slice_newton(s, t, a);
        else
            crs_slice_majorize(s, a);
    }
    crs_slice_look(s, t, a);
    return most;
}

/* Huber's problem with a threshold that falls from INFINITY, where it is least squares, to the dead
 * zone of the penalty: at every stage most entries count. */
static int follow(crs_slice *s, const double *t, double *a)
{
    const crs_penalty_value penalty = s->penalty;
    const double one = 1, dead = s->dead;
    int count = 0;
    for (double limit = INFINITY; limit > dead;) {
        double top = 0;
        s->dead = limit;
        s->penalty = crs_penalty_of(&crs_l1, &one, 2 * s->c * limit);
        count += iterate(s, t, a, !s->nonneg, s->nonneg ? STAGE_SLOW : STAGE);
        for (ptrdiff_t j = 0; j < s->entries; j++) top = larger(top, fabs(s->r[j]));
        limit = smaller(limit, top) / 4;
    }
    s->dead = dead;
    s->penalty = crs_penalty_of(&crs_l1, &one, 2 * s->c * dead);
    if (dead < INFINITY) count += iterate(s, t, a, !s->nonneg, s->nonneg ? STAGE_SLOW : NEWTONS);
    s->penalty = penalty;
    return count;
}

int crs_slice_solve(crs_slice *s, const double *t, double *a)
{
    const int count = follow(s, t, a);
    return count +
           iterate(s, t, a, s->soft && !s->nonneg, s->soft && !s->nonneg ? NEWTONS : MAJORIZATIONS);
}
