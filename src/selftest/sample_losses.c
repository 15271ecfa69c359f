/* SPDX-License-Identifier: MIT
 * sample_losses: a random instance of each loss of a linear predictor */
#include "selftest/sample_smooth.h"

/* u = A_1 x_1 + A_2 x_2 - rhs in three blocks, the third untouched; now and then A_2 = c I. */
static void predictor(draws *d, crs_smooth_sample *o)
{
    const ptrdiff_t m = 1 + below(d, 5);
    const bool scaled = below(d, 3) == 0;
    const crease_space space[] = { crease_vector(1 + below(d, 4)),
                                   crease_vector(scaled ? m : 1 + below(d, 4)), crease_vector(2) };
    crs_sample_blocks(o, 2 + (int)below(d, 2), space);
    o->map[0] = crease_dense(o->number);
    o->map[1] = scaled ? crease_identity(normal(d)) : crease_dense(o->more);
    o->predictor = (crease_predictor){ 1 + (int)below(d, 2), o->index, o->map, crease_vector(m),
                                       below(d, 4) ? o->rhs : NULL };
}

void crs_sample_least_squares(draws *d, crs_smooth_sample *o)
{
    predictor(d, o);
    o->f = crease_least_squares(&o->predictor);
}

void crs_sample_logistic(draws *d, crs_smooth_sample *o)
{
    predictor(d, o);
    for (int j = 0; j < CRS_MOST; j++) o->rhs[j] = below(d, 2) ? 1 : -1;
    o->predictor.rhs = o->rhs;
    o->f = crease_logistic(&o->predictor);
}

void crs_sample_cauchy(draws *d, crs_smooth_sample *o)
{
    predictor(d, o);
    o->f = crease_cauchy(&o->predictor);
}

void crs_sample_welsch(draws *d, crs_smooth_sample *o)
{
    predictor(d, o);
    o->f = crease_welsch(&o->predictor);
}

void crs_sample_geman(draws *d, crs_smooth_sample *o)
{
    predictor(d, o);
    o->f = crease_geman(&o->predictor);
}

void crs_sample_tukey(draws *d, crs_smooth_sample *o)
{
    predictor(d, o);
    o->f = crease_tukey(&o->predictor);
}

void crs_sample_huber_loss(draws *d, crs_smooth_sample *o)
{
    predictor(d, o);
    o->f = crease_huber_loss(&o->predictor, spread(d, -2, 1));
}

void crs_sample_lp_loss(draws *d, crs_smooth_sample *o)
{
    predictor(d, o);
    o->f = crease_lp_loss(&o->predictor, uniform(d, 1.05, 1.95));
}
