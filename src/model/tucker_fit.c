/* SPDX-License-Identifier: MIT
 * tucker_fit: the iteration; each step reads T once
 *
 * The threshold falls with the median of |r| to the one asked for, by the l1 penalty; then the
 * wanted penalty takes over. Every step lowers the sum of the phi in use, or keeps it. */
#include "model/tucker_state.h"
#include "reg/reg.h"

#include <stdlib.h>
#define OM atof(getenv("OM"))
#define KAP atof(getenv("KAP"))
static const double settled = 1e-3; /* residual at which the path ends */

static double weight(const crs_tucker_fit *s)
{
    return 2 * s->c.alpha_noise / (1 + s->c.alpha_noise);
}

/* Huber's function of threshold t */
static crs_envelope_face huber(const crs_tucker_fit *s, double t)
{
    if (atof(getenv("GAM"))>0) return (crs_envelope_face){ &crs_mcp, { t, atof(getenv("GAM")) }, weight(s) };
    return (crs_envelope_face){ &crs_l1, { 1 }, weight(s) * t };
}

static void evaluate(crs_tucker_fit *s, const crs_envelope_face *face)
{
    const double *const factor[] = { s->P, s->factor[s->half.order - 1] };
    s->sums.gradient[0] = s->SX;
    s->sums.gradient[1] = s->SP;
    s->sums.marginal[0] = s->rows;
    s->sums.marginal[1] = s->columns;
    crs_envelope_evaluate(s->pass, s->half.dim[s->half.order - 1], factor, face, face, &s->sums);
    s->statistics.passes++;
}

/* The least |r| that the wanted penalty does not shrink to 0. */
static double dead_zone(const crs_tucker_fit *s)
{
    const crs_envelope_face *f = &s->c.face;
    const double t = f->alpha / weight(s);
    double low = 0, high = 1;
    while (f->penalty->shrink(f->par, t, high) == 0 && high < 1e300) high *= 2;
    for (int k = 0; k < 1100 && low < high * (1 - 1e-3); k++) {
        const double middle = low > 0 ? sqrt(low * high) : high / 2;
        if (f->penalty->shrink(f->par, t, middle) == 0) low = middle;
        else high = middle;
        if (high < 1e-300) return 0;
    }
    return high;
}

/* The least quantile of |T| from the median up that is not 0; 0: T is 0. */
static double middling(const crs_tucker_fit *s)
{
    for (double rest = 0.5; rest > 1e-12; rest /= 2) {
        const double q = crs_envelope_quantile(&s->sums, 1 - rest);
        if (!(q <= 0)) return q;
    }
    return crs_envelope_quantile(&s->sums, 1);
}

/* P = 0, X_d from T clipped at its median magnitude. */
static bool begin(crs_tucker_fit *s)
{
    const crs_envelope_face all = huber(s, 1);
    evaluate(s, &all);
    const double bound = middling(s);
    s->statistics.threshold = larger(bound, dead_zone(s));
    return crs_tucker_span(s, s->T, bound > 0 ? bound : 1);
}

static void scale(ptrdiff_t rows, ptrdiff_t rank, double share, const double *w, double *x)
{
    const double lo = atof(getenv("LO"));
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double u = w[i] * share;
        for (ptrdiff_t k = 0; k < rank; k++) x[i * rank + k] /= u > lo ? u : lo;
    }
}

/* A = (M + S) X_d = P + S X_d */
static bool move(crs_tucker_fit *s)
{
    const ptrdiff_t half = crease_size(&s->half), last = s->half.order - 1;
    const ptrdiff_t rank = s->half.dim[last], right = s->c.shape.dim[last];
    if (last == 1) scale(s->left, rank, 1.0 / (double)right, s->rows, s->SX);
    const double free = s->sums.weights / (double)s->sums.observed;
    for (ptrdiff_t j = 0; last > 1 && j < half; j++) s->SX[j] /= larger(free, 0.1);
    scale(right, rank, 1.0 / (double)s->left, s->columns, s->SP);
    if (s->back && !crs_tucker_back(s)) return false;
    for (ptrdiff_t j = 0; !s->back && j < half; j++) s->A[j] = s->P[j] + s->SX[j];
    if (!s->back && !crs_tucker_front(s)) return false;
    s->back = !s->back;
    crs_tucker_expand(s);
    return true;
}

/* A row or a column most of whose entries count as outliers. */
static bool deserted(ptrdiff_t n, const double *w, double share)
{
    for (ptrdiff_t i = 0; i < n; i++)
        if (w[i] * share < 0.4) return true;
    return false;
}

static bool suspicious(const crs_tucker_fit *s)
{
    const ptrdiff_t right = s->c.shape.dim[s->half.order - 1];
    return deserted(s->left, s->rows, 1.0 / (double)right) ||
           deserted(right, s->columns, 1.0 / (double)s->left);
}

/* path -> wanted -> (revive -> wanted) while rows are deserted and reviving them pays */
static void follow(crs_tucker_fit *s)
{
    crs_tucker_statistics *at = &s->statistics;
    const double wanted = dead_zone(s), median = crs_envelope_quantile(&s->sums, 0.5);
    switch (s->stage) {
    case PATH:
        if (at->residual <= settled && at->threshold <= wanted) s->stage = WANTED;
        else if (median < at->threshold) at->threshold = larger(wanted, larger(median, 0.8 * at->threshold));
        else if (at->residual <= settled) at->threshold = larger(wanted, 0.4 * at->threshold);
        break;
    case REVIVE:
        if (--s->left_passes == 0) s->stage = WANTED;
        break;
    case WANTED:
        if (!(at->residual <= settled) || s->revived >= 3 || !(at->value < 0.999 * s->best)) break;
        s->best = at->value;
        if (at->residual <= settled && suspicious(s)) s->stage = REVIVE, s->left_passes = 20, s->revived++;
    }
}

bool crs_tucker_fit_step(crs_tucker_fit *s)
{
    crs_tucker_statistics *at = &s->statistics;
    if (at->passes == 0 && !begin(s)) return false;
    const crs_envelope_face face = s->stage == WANTED ? s->c.face : s->stage == REVIVE ? (crs_envelope_face){ &crs_l1, { 1 }, weight(s) * dead_zone(s) } : huber(s, at->threshold);
    const bool last = s->stage == WANTED;
    evaluate(s, &face);
    at->value = s->sums.value;
    at->nonzeros = s->sums.nonzeros;
    at->scale = crs_envelope_quantile(&s->sums, 0.5) / 0.6745;
    at->residual = s->fresh ? INFINITY : crs_tucker_residual(s);
    if (s->sums.squares == 0) at->residual = 0;
    if (last && at->residual <= s->c.eps) return true;
    follow(s);
    return move(s), false;
}

const crs_tucker_statistics *crs_tucker_fit_statistics(const crs_tucker_fit *s)
{
    return &s->statistics;
}
const double *crs_tucker_fit_factor(const crs_tucker_fit *s, int n) { return s->factor[n]; }
const double *crs_tucker_fit_core(const crs_tucker_fit *s) { return s->core; }
