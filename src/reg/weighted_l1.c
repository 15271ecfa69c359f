/* SPDX-License-Identifier: MIT
 * weighted_l1: r(x) = sum_j lambda_j |x_j|, lambda_j >= 0                             convex
 *
 * The separable l1 with lambda = 1 and the numbers lambda_j as its weights, which may not be
 * left out here. Only the caller knows how many there are: one an entry is taken for granted. */
#include "reg/reg.h"

static bool check(const crease_reg *r, const crease_space *s, crease_error *e)
{
    if (!r->weight)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "weighted-l1 has no weights; give it %td numbers >= 0, one for each entry",
                        crease_size(s));
    return crs_check_entries(r, s, e);
}

const crease_reg_ops crs_weighted_l1_ops = {
    .name = "weighted-l1",
    .formula = "sum_j lambda_j |x_j|",
    .vector = "lambda",
    .traits_text = { "|lambda|_2", "0" },
    .convex = true,
    .check = check,
    .scratch = crs_ball_scratch,
    .value = crs_separable_value,
    .prox = crs_separable_prox,
    .dist = crs_separable_dist,
    .traits = crs_separable_traits,
    .nearest = crs_separable_nearest,
    .prox_box = crs_separable_prox_box,
    .dist_box = crs_separable_dist_box,
    .prox_ball = crs_ball_prox,
};

crease_reg crease_weighted_l1(const double *lambda)
{
    return crease_weighted(crs_from_penalty(&crs_weighted_l1_ops, &crs_l1, (double[]){ 1 }),
                           lambda);
}
