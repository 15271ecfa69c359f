/* SPDX-License-Identifier: MIT
 * cp_settings: defaults and ranges of the CP robust PCA model */
#include "reg/reg.h"
#include "rpca/cp_rpca.h"
#include "smooth/fit.h"

crease_cp_rpca_settings crease_cp_rpca_default(const crease_space *shape, ptrdiff_t rank)
{
    return (crease_cp_rpca_settings){ .shape = *shape,
                                      .rank = rank,
                                      .penalty = crease_l1(1),
                                      .alpha_noise = 1,
                                      .start = CREASE_START_AUTO,
                                      .sweeps = 20 };
}

static bool check_numbers(const crease_cp_rpca_settings *s, crease_error *e)
{
    if (s->rank < 1 || s->rank > CRS_MOST_RANK)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the rank is %td; give 1 to %d", s->rank,
                        CRS_MOST_RANK);
    if (!(s->alpha >= 0 && s->alpha < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "alpha = %g is outside its range: give a number > 0, or 0 for the default",
                        s->alpha);
    if (!(s->alpha_noise > 0 && s->alpha_noise < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "alpha_noise = %g is outside its range: give a number > 0", s->alpha_noise);
    if (!(s->ridge >= 0 && s->ridge < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "ridge = %g is outside its range: give a number >= 0", s->ridge);
    if (!(s->clip >= 0))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the start is clipped at %g medians; give a number > 0, or 0 for none",
                        s->clip);
    return s->sweeps >= 0 || crs_fail(e, CREASE_BAD_ARGUMENT,
                                      "the start takes %d sweeps; give a number >= 0", s->sweeps);
}

static bool check_groups(const crease_cp_rpca_settings *s, crease_error *e)
{
    const bool grouped = crs_is_kind(&s->penalty, CREASE_KIND_GROUPS);
    if (s->groups == CREASE_GROUPS_GIVEN) return true;
    if (!grouped)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the penalty has no groups; use one that has, as group-l1, or leave the "
                        "groups out");
    return (s->axis >= 0 && s->axis < s->shape.order) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "the groups go along axis %d; the tensor has axes 0 to %d", s->axis,
                    s->shape.order - 1);
}

bool crs_cp_settings_check(const crease_cp_rpca_settings *s, crease_error *e)
{
    const ptrdiff_t most = PTRDIFF_MAX / (ptrdiff_t)sizeof(double);
    if (!crs_check_shape("CP robust PCA", &s->shape, e) || !check_numbers(s, e)) return false;
    if (s->shape.comm)
        return crs_fail(e, CREASE_UNSUPPORTED, "the tensor is split over ranks; hold it whole");
    for (int n = 0; n < s->shape.order; n++)
        if (s->shape.dim[n] > most / s->rank)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "a factor of %td x %td is more than can be counted; lower the rank",
                            s->shape.dim[n], s->rank);
    if (!check_groups(s, e)) return false;
    return s->groups != CREASE_GROUPS_GIVEN || !s->penalty.ops ||
           crease_reg_check(&s->penalty, &s->shape, e);
}

ptrdiff_t crease_cp_rpca_size(const crease_cp_rpca_settings *s)
{
    const ptrdiff_t n = crease_size(&s->shape);
    ptrdiff_t factors = 0, most = 0, all;
    for (int k = 0; k < s->shape.order; k++) {
        ptrdiff_t one;
        if (!crs_mul_size(s->shape.dim[k], s->rank, &one) || !crs_add_size(factors, one, &factors))
            return -1;
        most = more(most, one);
        if (crs_unfolding_fits(&s->shape, k))
            most = more(most, 4 * s->shape.dim[k] * s->shape.dim[k]);
    }
    const crease_cp_data cp = { .shape = s->shape, .rank = s->rank, .z = -1 };
    const crease_smooth f = crease_cp(&cp);
    const bool partial = s->missing || s->mask, two = s->groups != CREASE_GROUPS_GIVEN;
    const ptrdiff_t copies = 3 + 2 * partial + s->unconstrained + two + (s->clip > 0);
    if (!crs_mul_size(copies, n, &all) || !crs_add_size(all, factors, &all) ||
        !crs_add_size(all, most, &all) ||
        !crs_add_size(all, crease_smooth_scratch(&f, &(crease_blocks){ 0, NULL, NULL }), &all))
        return -1;
    return all;
}
