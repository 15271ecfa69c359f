/* SPDX-License-Identifier: MIT
 * tucker_path: which penalty a Tucker fit uses next
 *
 * On the path the threshold t falls with the median of |r|, and the penalty is MCP(t, 30): entries
 * beyond 30 t have no weight, or the least-squares step of l1 gives a component to a few far
 * outliers. Of data without noise nothing is learned but rounding: t stays above a billionth of the
 * largest entry. A row whose entries mostly look like outliers can no longer move then; l1 moves
 * it. */
#include "reg/reg.h"
#include "rpca/tucker/tucker_state.h"

enum { FLAT = 30, PASSES = 20, TIMES = 3 };
static const double settled = 1e-3, near = 0.05, deserted = 0.4, fall = 0.8;

static double half_weight(const crs_tucker_fit *s)
{
    return s->c.alpha_noise / (1 + s->c.alpha_noise);
}

double crs_tucker_parameters(const crs_tucker_fit *s)
{
    double count = (double)crease_size(&s->c.ranks);
    for (int n = 0; n < s->c.shape.order; n++)
        count += (double)(s->c.shape.dim[n] - s->c.ranks.dim[n]) * (double)s->c.ranks.dim[n];
    return count;
}

crs_envelope_face crs_tucker_path_face(const crs_tucker_fit *s, double t)
{
    return (crs_envelope_face){ &crs_mcp, { t, FLAT }, 2 * half_weight(s) };
}

/* Is there a row with less than that share of its weight? */
static bool has_deserted(ptrdiff_t n, const double *w, double share)
{
    for (ptrdiff_t i = 0; i < n; i++)
        if (w[i] * share < deserted) return true;
    return false;
}

/* Rows of the front matter for matrices alone: a tensor's share their factors with many others. */
static bool suspicious(const crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    const ptrdiff_t right = s->c.shape.dim[last];
    return (last == 1 && has_deserted(s->left, s->rows, 1 / (double)right)) ||
           has_deserted(right, s->columns, 1 / (double)s->left);
}

static double wanted_threshold(const crs_tucker_fit *s)
{
    return s->c.learn > 0 ? larger(s->least, s->c.learn * s->statistics.scale)
                          : crs_envelope_threshold(&s->c.face, half_weight(s));
}

crs_envelope_face crs_tucker_fit_goal(const crs_tucker_fit *s)
{
    if (s->statistics.stage != CRS_TUCKER_PATH) return s->goal;
    return s->c.learn > 0
               ? crs_envelope_with_threshold(&s->c.face, wanted_threshold(s), half_weight(s))
               : s->c.face;
}

static void along_path(crs_tucker_fit *s)
{
    const crs_tucker_statistics *at = &s->statistics;
    const double median = crs_envelope_quantile(&s->sums, 0.5), wanted = wanted_threshold(s);
    double t = at->threshold;
    if (at->residual <= settled && t <= wanted) {
        s->goal = crs_tucker_fit_goal(s);
        s->statistics.stage = CRS_TUCKER_WANTED;
        s->face = s->goal;
        return;
    }
    if (at->residual <= near && median < t)
        t = larger(median, fall * t);
    else if (at->residual <= settled)
        t *= fall / 2;
    s->face = crs_tucker_path_face(s, larger(wanted, t));
}

static void revive(crs_tucker_fit *s)
{
    s->statistics.stage = CRS_TUCKER_REVIVE;
    s->revived++;
    s->rest = PASSES;
    s->best = s->statistics.value;
    s->face = crs_envelope_l1(s->statistics.threshold, half_weight(s));
}

void crs_tucker_next_face(crs_tucker_fit *s)
{
    const crs_tucker_statistics *at = &s->statistics;
    const crs_envelope_face was = s->face;
    if (at->stage == CRS_TUCKER_PATH) {
        along_path(s);
    } else if (at->stage == CRS_TUCKER_REVIVE) {
        if (--s->rest == 0) s->statistics.stage = CRS_TUCKER_WANTED, s->face = s->goal;
    } else if (at->residual <= settled && s->revived < TIMES && at->value < 0.999 * s->best &&
               s->goal.penalty != &crs_l1 && suspicious(s)) {
        revive(s);
    }
    s->changed = memcmp(&was, &s->face, sizeof was) != 0;
}
