/* SPDX-License-Identifier: MIT
 * cp_check: are the settings of a fused CP iteration in range? */
#include <limits.h>

#include "rpca/fused/state.h"

static bool not_negative(double x) { return x >= 0 && x < INFINITY; }

static bool refuse(crease_error *e, const char *what, double value, const char *remedy)
{
    return crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: %s is %g; give %s", what, value, remedy);
}

bool crs_cp_check_shape(const crease_space *shape, ptrdiff_t rank, int threads, crease_error *e)
{
    if (!crease_space_check(shape, e)) return false;
    if (shape->order < 2 || shape->comm)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "robust CP: the tensor has order %d%s; give an order of 2 or more, held by "
                        "one process",
                        shape->order, shape->comm ? " and is distributed" : "");
    for (int n = 0; n < shape->order; n++)
        if (shape->dim[n] > INT_MAX)
            return crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: dimension %d is %td; at most %d",
                            n + 1, shape->dim[n], INT_MAX);
    if (rank < 1 || rank > CRS_CP_MOST_RANK)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: the rank is %td; give 1 to %d", rank,
                        CRS_CP_MOST_RANK);
    return (threads >= 1 && threads <= CRS_CP_MOST_THREADS) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: %d threads; give 1 to %d", threads,
                    CRS_CP_MOST_THREADS);
}

static bool check_weights(const crs_cp_settings *c, crease_error *e)
{
    const struct {
        const char *name;
        double value;
    } weight[] = { { "alpha", c->alpha },
                   { "alpha_noise", c->alpha_noise },
                   { "nu", c->nu },
                   { "h of the factors", c->h_factor },
                   { "h of E", c->h_sparse },
                   { "h of Z", c->h_z },
                   { "gamma", c->gamma },
                   { "ell", c->ell },
                   { "the weight of the potential", c->potential_weight } };
    for (size_t k = 0; k < sizeof weight / sizeof *weight; k++)
        if (!not_negative(weight[k].value))
            return refuse(e, weight[k].name, weight[k].value, "a finite number >= 0");
    if (c->method != CRS_CP_BCD && !(c->beta > 0 && c->beta < INFINITY))
        return refuse(e, "beta", c->beta, "a finite number > 0");
    if (c->method == CRS_CP_BCD && !(c->alpha_noise > 0))
        return refuse(e, "alpha_noise", c->alpha_noise,
                      "a number > 0 for block coordinate descent");
    return true;
}

bool crs_cp_check(const crs_cp_settings *c, crease_error *e)
{
    if (!crs_cp_check_shape(&c->shape, c->rank, c->threads, e) || !check_weights(c, e))
        return false;
    if (c->method != CRS_CP_ADMM_G && c->method != CRS_CP_ADMM_M && c->method != CRS_CP_BCD)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: there is no method %d", (int)c->method);
    if (c->kernel && c->kernel->single != c->single)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: kernel %s is not for tensors of %s",
                        c->kernel->name, c->single ? "float" : "double");
    if (!c->penalty) return crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: the penalty is missing");
    return crease_param_check(c->penalty->name, c->penalty->params, c->par, e);
}
