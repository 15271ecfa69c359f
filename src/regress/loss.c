/* SPDX-License-Identifier: MIT
 * loss: values, slopes and curvatures of the losses along the scores
 *
 * phi(u) - phi'(0) u is an even function that is concave in u^2, so that
 * omega(u) = (phi'(u) - phi'(0))/u >= phi''(u) is the curvature of a quadratic above phi that
 * touches it at u (half-quadratic majorant; Jaakkola and Jordan 2000 for the logistic loss). */
#include <stdlib.h>

#include "regress/regress.h"

static const double unit_scale[CREASE_PARS] = { 1 }; /* delta of Huber: c has scaled u */

typedef struct {
    const crs_loss *loss;
    const char *name;
    double scale; /* of c; 0: the loss has no c */
} entry;

static const entry losses[] = {
#define X(name, text, meaning, loss, scale) { &crs_##loss, text, scale },
    CREASE_REGRESSION_LOSSES(X)
#undef X
};

crease_smooth crease_regression_smooth(crease_regression_loss loss, const crease_predictor *p)
{
    return (crease_smooth){ .ops = &losses[loss].loss->ops, .par = { 1 }, .data = p };
}

static int ascending(const void *a, const void *b)
{
    const double s = *(const double *)a, t = *(const double *)b;
    return (s > t) - (s < t);
}

static double median(ptrdiff_t n, double *t)
{
    qsort(t, (size_t)n, sizeof *t, ascending);
    return n % 2 ? t[n / 2] : (t[n / 2 - 1] + t[n / 2]) / 2;
}

/* The spread is the median distance from the median, over 0.6745. */
bool crs_loss_choose(crs_design *d, const crease_regression_settings *s, const double *y,
                     crease_error *e)
{
    const entry *at = &losses[s->loss];
    d->loss = at->loss;
    d->c = at->scale > 0 ? s->loss_scale : 1;
    if (d->c > 0) return true;
    double *t = crs_doubles(d->n, "the spread of y", e);
    if (!t) return false;
    copy(d->n, y, t);
    const double middle = median(d->n, t);
    for (ptrdiff_t i = 0; i < d->n; i++) t[i] = fabs(y[i] - middle);
    d->c = median(d->n, t) / 0.6745 * at->scale;
    crs_free(t);
    return d->c > 0 || crs_fail(e, CREASE_BAD_DATA,
                                "more than half of y is equal, which says nothing about the scale "
                                "of the %s loss; give it, as %s:1",
                                at->name, at->name);
}

static double argument(const crs_design *d, const double *e, ptrdiff_t i)
{
    return d->loss->ops.labels ? d->y[i] * e[i] : e[i] - d->y[i];
}

double crs_loss_sum(const crs_design *d, const double *e)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < d->n; i++) sum += d->loss->value(unit_scale, argument(d, e, i));
    return sum;
}

void crs_loss_slopes(const crs_design *d, const double *e, double *s)
{
    if (d->loss->quadratic) {
        for (ptrdiff_t i = 0; i < d->n; i++) s[i] = e[i] - d->y[i];
        return;
    }
    for (ptrdiff_t i = 0; i < d->n; i++) {
        const double slope = d->loss->slope(unit_scale, argument(d, e, i));
        s[i] = d->loss->ops.labels ? d->y[i] * slope : slope;
    }
}

double crs_loss_curve(const crs_loss *loss, double u)
{
    return loss->quadratic ? 1 : loss->curve ? loss->curve(unit_scale, u) : NAN;
}

static double majorant(const crs_loss *loss, double u)
{
    if (fabs(u) < 0x1p-13) return loss->high;
    return (loss->slope(unit_scale, u) - loss->slope(unit_scale, 0)) / u;
}

/* Newton's curvature is kept within a factor of the safe one, so that steps stay bounded. */
void crs_loss_curves(const crs_design *d, const double *e, bool safe, double *h)
{
    for (ptrdiff_t i = 0; i < d->n; i++) {
        const double u = argument(d, e, i), above = majorant(d->loss, u);
        h[i] = safe || !d->loss->curve ? above : larger(d->loss->curve(unit_scale, u), above / 16);
    }
}
