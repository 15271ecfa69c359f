/* SPDX-License-Identifier: MIT
 * envelope_rank: which rank the ridge stage leaves: prune, merge and refill, each verified
 *
 * What a component is worth is how much sum s^2 = sum min(|r|, t)^2 falls by it: one that does not
 * save t^2 for each of its parameters could as well be named as that many outliers. So pruning
 * and merging are kept unless the sum grows by more; columns that became free are tried again at
 * random while the fit is poor, and kept if it falls by more. */
#include "rpca/envelope/state.h"

#include <crease/random.h>

enum { MOST_REFILLS = 3 };

/* What is not converged yet adds some percents to the sum. */
static double worth(const crs_envelope_solver *s)
{
    const crease_space *shape = &s->model.shape;
    const double each = (double)(crs_envelope_model_rows(shape) - shape->order + 1);
    const double change = fabs((double)(s->backup_rank - s->model.rank));
    return square(s->out.threshold) * each * change + 0.05 * s->backup_squares;
}

static void backup(crs_envelope_solver *s, crs_envelope_attempt attempt)
{
    s->backup_rank = s->model.rank;
    s->backup_squares = s->at.sums->squares;
    copy(crs_envelope_model_unknowns(&s->model), s->at.x, s->backup);
    s->attempt = attempt;
}

static bool restore(crs_envelope_solver *s)
{
    s->model.rank = s->out.rank = s->backup_rank;
    copy(crs_envelope_model_unknowns(&s->model), s->backup, s->at.x);
    s->attempt = CRS_ATTEMPT_OVER;
    return true;
}

/* Was the attempt a failure? */
static bool failed(const crs_envelope_solver *s)
{
    const double now = s->at.sums->squares;
    if (s->attempt == CRS_ATTEMPT_LESS) return !(now <= s->backup_squares + worth(s));
    if (s->attempt == CRS_ATTEMPT_REFILL) return !(now < s->backup_squares - worth(s));
    return false;
}

/* A poor fit: many entries are off a little, or some are off much. */
static double clipped_mean(const crs_envelope_solver *s)
{
    return sqrt(s->at.sums->squares / (double)s->at.sums->observed);
}

static bool poor(const crs_envelope_solver *s)
{
    return s->out.median > 0.02 * s->typical || clipped_mean(s) > 0.05 * s->typical;
}

/* Random columns where some became free, their sum about as large as the residual */
static void refill(crs_envelope_solver *s)
{
    const ptrdiff_t rows = crs_envelope_model_rows(&s->model.shape), old = s->model.rank;
    const ptrdiff_t rank = s->first_rank, d = s->model.shape.order;
    const double size = pow(clipped_mean(s) / sqrt((double)(rank - old)), 1 / (double)d);
    const crease_random random = { s->c.seed, (uint64_t)(CRS_STREAM_REFILL + s->refills++) };
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t r = 0; r < rank; r++)
            s->at.x[i * rank + r] =
                r < old ? s->backup[i * old + r]
                        : size * crease_random_normal(random, (uint64_t)(i * rank + r));
    for (ptrdiff_t j = 0; s->c.nonneg && j < rows * rank; j++) s->at.x[j] = fabs(s->at.x[j]);
    s->model.rank = s->out.rank = rank;
}

bool crs_envelope_rank(crs_envelope_solver *s)
{
    if (s->attempt == CRS_ATTEMPT_REFILL && crs_envelope_prune(s)) return true;
    if (failed(s)) return restore(s);
    if (s->attempt != CRS_ATTEMPT_OVER) {
        backup(s, CRS_ATTEMPT_LESS);
        if (crs_envelope_prune(s)) return true;
        if (crs_envelope_merge(s) > 0 && crs_envelope_drop_zeros(s)) return true;
    }
    s->attempt = CRS_ATTEMPT_OVER;
    if (s->model.rank == s->first_rank || s->refills == MOST_REFILLS || !poor(s)) return false;
    backup(s, CRS_ATTEMPT_REFILL);
    refill(s);
    crs_envelope_unlearn(s);
    return true;
}
