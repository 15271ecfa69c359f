/* SPDX-License-Identifier: MIT
 * trial_oracle: least squares where there is no outlier, from the truth: what knowing the outliers'
 * places would give */
#include "core/core.h"
#include "rpca/rpca.h"
#include "study/trial.h"

/* The first columns of the true factors; those of the longest terms come first. */
static bool leading(const crease_cp_instance *c, ptrdiff_t rank, double **factor, crease_error *e)
{
    const crease_cp_recipe *r = &c->recipe;
    double *unit[CREASE_MAX_ORDER] = { NULL }, *weight = crs_doubles(r->rank, "weights", e);
    bool done = weight;
    for (int n = 0; done && n < r->shape.order; n++) {
        unit[n] = crs_doubles(r->shape.dim[n] * r->rank, "unit columns", e);
        factor[n] = unit[n] ? crs_doubles(r->shape.dim[n] * rank, "a factor", e) : NULL;
        done = factor[n];
    }
    const double *const *x = (const double *const *)c->factor;
    done = done && crease_cp_components(&r->shape, r->rank, x, unit, weight, e);
    for (int n = 0; done && n < r->shape.order; n++)
        for (ptrdiff_t j = 0; j < r->shape.dim[n] * rank; j++)
            factor[n][j] = unit[n][j / rank * r->rank + j % rank] *
                           pow(weight[j % rank], 1.0 / r->shape.order);
    for (int n = 0; n < r->shape.order; n++) crs_free(unit[n]);
    crs_free(weight);
    return done;
}

bool crs_trial_oracle(const crease_cp_instance *c, ptrdiff_t rank, double *error, crease_error *e)
{
    const crease_space *shape = &c->recipe.shape;
    const ptrdiff_t n = crease_size(shape), terms = rank < c->recipe.rank ? rank : c->recipe.rank;
    crease_cp_fit_settings s = crs_trial_settings(shape, terms);
    double *factor[CREASE_MAX_ORDER] = { NULL }, largest = 0;
    double *data = crs_doubles(n, "a tensor", e), *seen = data ? crs_doubles(n, "W", e) : NULL;
    bool done = seen && leading(c, terms, factor, e);
    crs_trial found = { .error = NAN };
    crease_cp_instance clean = *c;
    for (ptrdiff_t j = 0; done && j < n; j++) {
        largest = larger(largest, fabs(c->tensor[j]));
        data[j] = c->sparse[j] == 0 ? c->tensor[j] : NAN;
    }
    clean.tensor = data;
    s.model.missing = true;
    s.model.factor = (const double *const *)factor;
    /* of l1 with alpha_N = 1 the threshold is alpha: nothing of the noise exceeds it */
    s.model.alpha = rank < c->recipe.rank ? 4 * largest : 10 * c->recipe.noise;
    s.learn = 0;
    s.starts = 1;
    done = done && crs_trial_run(&s, &clean, 0, &found, e);
    *error = found.error;
    for (int k = 0; k < shape->order; k++) crs_free(factor[k]);
    crs_free(seen);
    crs_free(data);
    return done;
}
