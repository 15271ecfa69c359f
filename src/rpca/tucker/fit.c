/* SPDX-License-Identifier: MIT
 * tucker_fit: the iteration; each step reads T once
 *
 * A least-squares step on M + s never raises the sum of phi. Most entries are in the quadratic part
 * of phi, some in the flat one: dividing s by the mean of s/r over what a block sees makes the step
 * as long as the curvature allows on average, until that has failed once. */
#include "reg/reg.h"
#include "rpca/tucker/tucker_state.h"

static double half_weight(const crs_tucker_fit *s)
{
    return s->c.alpha_noise / (1 + s->c.alpha_noise); /* c of phi */
}

static int last_mode(const crs_tucker_fit *s) { return s->half.order - 1; }

static void evaluate(crs_tucker_fit *s)
{
    const double *const factor[] = { s->P, s->factor[last_mode(s)] };
    crs_tucker_statistics *at = &s->statistics;
    s->sums.gradient[0] = s->SX;
    s->sums.gradient[1] = s->SP;
    s->sums.marginal[0] = s->rows;
    s->sums.marginal[1] = s->columns;
    crs_envelope_evaluate(s->pass, s->half.dim[last_mode(s)], factor, &s->face, &s->face, &s->sums);
    at->passes++;
    at->value = s->sums.value;
    at->nonzeros = s->sums.nonzeros;
    at->threshold = crs_envelope_threshold(&s->face, half_weight(s));
    at->scale = crs_envelope_scale(&s->sums, crs_tucker_parameters(s));
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

/* P = 0, and X_d from T clipped at its median magnitude. */
static bool begin(crs_tucker_fit *s)
{
    s->face = crs_envelope_l1(1, half_weight(s));
    evaluate(s);
    const double bound = middling(s);
    s->least = 1e-9 * crs_envelope_quantile(&s->sums, 1);
    s->face = crs_tucker_path_face(s, bound);
    return crs_tucker_span(s, s->T, bound);
}

/* x (rows x rank) /= share of the mean weight, no less than a tenth, of each row */
static void lengthen(ptrdiff_t rows, ptrdiff_t rank, double share, const double *w, double *x)
{
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double mean = w[i] * share;
        for (ptrdiff_t k = 0; k < rank; k++) x[i * rank + k] /= mean > 0.1 ? mean : 0.1;
    }
}

/* (M + s) X_d = P + S X_d. Of a tensor all rows share one weight: with weights of their own the
 * step would rest elsewhere than at a stationary point. */
static bool move_front(crs_tucker_fit *s)
{
    const ptrdiff_t rank = s->half.dim[last_mode(s)], right = s->c.shape.dim[last_mode(s)];
    const double mean = s->sums.weights / (double)s->sums.observed;
    if (last_mode(s) > 1) fill(s->left, mean * (double)right, s->rows);
    if (!s->cautious) lengthen(s->left, rank, 1 / (double)right, s->rows, s->SX);
    for (ptrdiff_t j = 0; j < s->left * rank; j++) s->A[j] = s->P[j] + s->SX[j];
    return crs_tucker_front(s);
}

static bool move_back(crs_tucker_fit *s)
{
    const ptrdiff_t rank = s->half.dim[last_mode(s)], right = s->c.shape.dim[last_mode(s)];
    if (!s->cautious) lengthen(right, rank, 1 / (double)s->left, s->columns, s->SP);
    return crs_tucker_back(s);
}

bool crs_tucker_fit_step(crs_tucker_fit *s)
{
    crs_tucker_statistics *at = &s->statistics;
    const double before = at->value;
    const bool same = at->passes > 0 && !s->changed;
    if (at->passes == 0 && !begin(s)) return at->residual = NAN, false;
    evaluate(s);
    at->residual = s->fresh ? INFINITY : crs_tucker_residual(s);
    if (s->sums.squares == 0) at->residual = 0;
    if (same && at->value > before) s->cautious = true;
    if (at->stage == CRS_TUCKER_WANTED && at->residual <= s->c.eps) return true;
    crs_tucker_next_face(s);
    if (!(s->back ? move_back(s) : move_front(s))) return at->residual = NAN, false;
    s->back = !s->back;
    crs_tucker_expand(s);
    return false;
}

const crs_tucker_statistics *crs_tucker_fit_statistics(const crs_tucker_fit *s)
{
    return &s->statistics;
}
const double *crs_tucker_fit_factor(const crs_tucker_fit *s, int n) { return s->factor[n]; }
const double *crs_tucker_fit_core(const crs_tucker_fit *s) { return s->core; }
const double *crs_tucker_fit_front(const crs_tucker_fit *s) { return s->P; }
const crs_envelope_face *crs_tucker_fit_face(const crs_tucker_fit *s) { return &s->face; }
crs_envelope *crs_tucker_fit_pass(crs_tucker_fit *s) { return s->pass; }
