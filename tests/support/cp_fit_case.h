/* SPDX-License-Identifier: MIT
 * cp_fit_case.h: a fit of a random instance, and its answer before the general certificate and the
 * checkers */
#ifndef CREASE_TEST_CP_FIT_CASE_H
#define CREASE_TEST_CP_FIT_CASE_H

#include <stdlib.h>

#include "rpca/rpca.h"
#include "support/test.h"

static const crease_method fit_methods[] = { CREASE_METHOD_ADMM_G, CREASE_METHOD_ADMM_M,
                                             CREASE_METHOD_PROX_BCD, CREASE_METHOD_BCD };

typedef struct {
    crease_space shape;
    ptrdiff_t size;
    double *tensor, *given; /* `given` keeps its nan */
    crease_cp_fit_settings s;
    crease_cp_fit *fit;
} fit_case;

static inline crease_space fit_shape(int order)
{
    static const ptrdiff_t dim[3][4] = { { 13, 17 }, { 7, 9, 11 }, { 5, 4, 6, 7 } };
    crease_space s = { .order = order };
    for (int n = 0; n < order; n++) s.dim[n] = dim[order - 2][n];
    return s;
}

/* A random instance of rank 2 with a tenth of outliers; masked: a fifth of its entries is nan. */
static inline fit_case fit_draw(const crease_space *shape, bool masked, double scale)
{
    crease_cp_recipe r = crease_cp_recipe_default(shape, 2);
    r.outliers = 0.1, r.magnitude = 3, r.noise = 0.01;
    crease_cp_instance *c = crease_cp_generate(&r, NULL);
    fit_case k = { .shape = *shape, .size = crease_size(shape) };
    k.tensor = malloc((size_t)k.size * sizeof(double));
    k.given = malloc((size_t)k.size * sizeof(double));
    for (ptrdiff_t j = 0; j < k.size; j++) {
        const double u = crease_random_uniform((crease_random){ 7, 7 }, (uint64_t)j);
        k.tensor[j] = k.given[j] = masked && u < 0.2 ? NAN : scale * c->tensor[j];
    }
    crease_cp_instance_free(c);
    k.s = crease_cp_fit_default(shape, 2);
    k.s.model.missing = masked;
    k.s.model.alpha = 0.4 * scale;
    k.s.run.max_iterations = 20000;
    return k;
}

static inline crease_outcome fit_run(fit_case *k)
{
    crease_error e = { CREASE_OK, "" };
    k->fit = crease_cp_fit_new(&k->s, k->tensor, &e);
    if (!k->fit) fail_msg("%s", e.text);
    return crease_cp_fit_run(k->fit);
}

static inline void fit_free(fit_case *k)
{
    crease_cp_fit_free(k->fit);
    free(k->tensor);
    free(k->given);
}

static inline double *fit_part(const fit_case *k, crease_rpca_part part)
{
    ptrdiff_t left, right;
    double *out = malloc((size_t)k->size * sizeof(double));
    crease_cp_fit_rows(k->fit, &left, &right);
    assert_true(left * right == k->size);
    crease_cp_fit_read(k->fit, part, 0, left, out);
    return out;
}

/* The blocks X_n, E, Z, B and lambda of the whole problem. */
typedef struct {
    crease_cp_rpca *model;
    const double *x[CREASE_MAX_ORDER + 3];
    double *E, *Z, *B, *lambda;
} fit_whole;

static inline fit_whole fit_recover(const fit_case *k)
{
    const int d = k->shape.order;
    crease_cp_rpca_settings s = crease_cp_fit_used(k->fit).model;
    fit_whole w = { .E = fit_part(k, CREASE_RPCA_SPARSE), .Z = fit_part(k, CREASE_RPCA_Z) };
    w.B = fit_part(k, CREASE_RPCA_B);
    w.lambda = malloc((size_t)k->size * sizeof(double));
    for (ptrdiff_t j = 0; j < k->size; j++) {
        const bool seen = !isnan(k->given[j]);
        w.lambda[j] = seen ? 2 * s.alpha_noise * w.B[j] : 0;
        if (!seen) w.B[j] = -w.Z[j] - w.E[j];
    }
    for (int n = 0; n < d; n++) w.x[n] = crease_cp_fit_factor(k->fit, n);
    w.x[d] = w.E, w.x[d + 1] = w.Z, w.x[d + 2] = w.B;
    s.unconstrained = false;
    s.factor = w.x;
    w.model = crease_cp_rpca_new(&s, k->given, NULL);
    assert_non_null(w.model);
    return w;
}

static inline void fit_whole_free(fit_whole *w)
{
    crease_cp_rpca_free(w->model);
    free(w->E), free(w->Z), free(w->B), free(w->lambda);
}

static inline bool fit_read(void *user, crease_rpca_part part, ptrdiff_t row, double *out)
{
    crease_cp_fit_read(user, part, row, 1, out);
    return true;
}

static inline crease_cp_claim fit_claim(const fit_case *k, const double **factor)
{
    const crease_cp_rpca_settings s = crease_cp_fit_used(k->fit).model;
    crease_cp_claim c = { .shape = s.shape,
                          .rank = s.rank,
                          .penalty = s.penalty,
                          .alpha = s.alpha,
                          .alpha_noise = s.alpha_noise,
                          .ridge = s.ridge,
                          .nonneg = s.nonneg,
                          .factor = factor,
                          .read = fit_read,
                          .user = k->fit };
    for (int n = 0; n < s.shape.order; n++) factor[n] = crease_cp_fit_factor(k->fit, n);
    crease_cp_fit_rows(k->fit, &c.left, &c.right);
    return c;
}

#endif
