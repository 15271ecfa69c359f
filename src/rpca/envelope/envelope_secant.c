/* SPDX-License-Identifier: MIT
 * envelope_secant: what the last steps taught about the curvature that the model does not know
 *
 * The model's Hessian stands in the middle of the two-loop recursion for products with the inverse
 * BFGS matrix; a pair is (x' - x, g' - g) of one step at one penalty and ridge.
 * Nocedal, Updating quasi-Newton matrices with limited storage, 1980. */
#include "rpca/envelope/state.h"

static double *pair_step(const crs_envelope_solver *s, int k)
{
    return s->pairs + 2 * ((s->first_pair + k) % CRS_ENVELOPE_PAIRS) * s->stride;
}

static double *pair_change(const crs_envelope_solver *s, int k)
{
    return pair_step(s, k) + s->stride;
}

void crs_envelope_secant_forget(crs_envelope_solver *s) { s->pair_count = s->first_pair = 0; }

static bool same_face(const crs_envelope_face *a, const crs_envelope_face *b)
{
    bool same = a->penalty == b->penalty && a->alpha == b->alpha;
    for (int k = 0; k < CREASE_PARS; k++) same = same && a->par[k] == b->par[k];
    return same;
}

/* From `at` by `step` to `trial`, before the columns are balanced */
void crs_envelope_secant_learn(crs_envelope_solver *s)
{
    const ptrdiff_t size = crs_envelope_model_unknowns(&s->model);
    const double near = s->out.stage == CRS_STAGE_RIDGE ? 1e-4 : 1e-2;
    if (s->out.stage == CRS_STAGE_PATH || !(s->out.worst < near) ||
        !same_face(&s->at.face, &s->trial.face)) {
        crs_envelope_secant_forget(s);
        return;
    }
    if (s->pair_count == CRS_ENVELOPE_PAIRS)
        s->first_pair = (s->first_pair + 1) % CRS_ENVELOPE_PAIRS;
    else
        s->pair_count++;
    double *step = pair_step(s, s->pair_count - 1), *change = step + s->stride;
    copy(size, s->step, step);
    for (ptrdiff_t j = 0; j < size; j++)
        change[j] = -2 * s->noise * s->trial.sm[j] + s->nu * s->trial.x[j] - s->gradient[j];
    const double product = crs_dot(size, step, change);
    if (!(product > 1e-10 * crs_norm(size, step) * crs_norm(size, change))) s->pair_count--;
}

/* Balancing multiplies a column of X_n by a. */
void crs_envelope_secant_balance(crs_envelope_solver *s, ptrdiff_t at, ptrdiff_t rows, double a)
{
    for (int k = 0; k < s->pair_count; k++)
        for (ptrdiff_t i = 0; i < rows; i++) {
            pair_step(s, k)[at + i * s->model.rank] *= a;
            pair_change(s, k)[at + i * s->model.rank] /= a;
        }
}

/* Over the unknowns that are not held */
static double inner(const crs_envelope_solver *s, const double *x, const double *y)
{
    const ptrdiff_t size = crs_envelope_model_unknowns(&s->model);
    const double *held = s->model.held;
    if (!held) return crs_dot(size, x, y);
    double sum = 0;
    for (ptrdiff_t j = 0; j < size; j++) sum += held[j] == 1 ? 0 : x[j] * y[j];
    return sum;
}

static void add(const crs_envelope_solver *s, double a, const double *x, double *y)
{
    const double *held = s->model.held;
    for (ptrdiff_t j = 0; j < crs_envelope_model_unknowns(&s->model); j++)
        if (!held || held[j] == 0) y[j] += a * x[j];
}

/* q -= a_k change_k, a_k = step_k'q / step_k'change_k, the newest first */
void crs_envelope_secant_before(crs_envelope_solver *s, double *q)
{
    for (int k = s->pair_count - 1; k >= 0; k--) {
        const double product = inner(s, pair_step(s, k), pair_change(s, k));
        s->pair_weight[k] = product > 0 ? inner(s, pair_step(s, k), q) / product : 0;
        add(s, -s->pair_weight[k], pair_change(s, k), q);
    }
}

/* z += (a_k - change_k'z / step_k'change_k) step_k, the oldest first */
void crs_envelope_secant_after(const crs_envelope_solver *s, double *z)
{
    for (int k = 0; k < s->pair_count; k++) {
        const double product = inner(s, pair_step(s, k), pair_change(s, k));
        const double b = product > 0 ? inner(s, pair_change(s, k), z) / product : 0;
        add(s, s->pair_weight[k] - b, pair_step(s, k), z);
    }
}
