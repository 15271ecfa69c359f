/* SPDX-License-Identifier: MIT
 * spca_settings: defaults and ranges of sparse PCA, and the memory it takes */
#include "core/core.h"
#include "smooth/fit.h"
#include "spca/spca.h"
#include "tensor/tensor.h"

crease_spca_settings crease_spca_default(const crease_space *shape)
{
    return (crease_spca_settings){
        .shape = *shape, .penalty = crease_l1(1), .fraction = 0.5 / shape->order, .starts = 10
    };
}

static bool check_penalty(const crease_spca_settings *s, crease_error *e)
{
    const crease_set ball = crease_l2_ball(1);
    for (int n = 0; s->penalty.ops && n < s->shape.order; n++) {
        const crease_space one = crease_vector(s->shape.dim[n]);
        if (!crease_joint_check(&s->penalty, &ball, &one, NULL, e)) return false;
    }
    return true;
}

bool crs_spca_check(const crease_spca_settings *s, crease_error *e)
{
    enum { MOST_STARTS = 1000000 };
    if (!crs_check_shape("sparse PCA", &s->shape, e)) return false;
    if (s->shape.comm)
        return crs_fail(e, CREASE_UNSUPPORTED, "the tensor is split over ranks; hold it whole");
    if (!(s->alpha >= 0 && s->alpha < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "alpha = %g is outside its range: give a number > 0, or 0 for the default",
                        s->alpha);
    if (!(s->threshold >= 0 && s->threshold < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the threshold for alpha is %g; give a number > 0, or 0 for the fraction",
                        s->threshold);
    if (s->alpha == 0 && s->threshold == 0 && !(s->fraction > 0 && s->fraction < 1))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the fraction for alpha is %g; give a number between 0 and 1", s->fraction);
    if (s->starts < 1 || s->starts > MOST_STARTS)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%d starts; give 1 to %d", s->starts, MOST_STARTS);
    return check_penalty(s, e);
}

/* The tensor, the Gram matrix of its longest unfolding with its eigenvectors, the vectors of model
 * and solver, twice the scratch of a product with T, and what it takes in extended precision. */
double crease_spca_bytes(const crease_spca_settings *s)
{
    double lengths = 0, most = 0;
    for (int n = 0; n < s->shape.order; n++) {
        const double length = (double)s->shape.dim[n];
        lengths += length;
        if (crs_unfolding_fits(&s->shape, n)) most = larger(most, length * length);
    }
    const double work = (double)crs_contract_scratch(&s->shape);
    return 8 * ((double)crease_size(&s->shape) + 6 * most + 60 * lengths + 4 * work) + 0x1p22;
}
