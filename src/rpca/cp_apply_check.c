/* SPDX-License-Identifier: MIT
 * cp_apply_check: ranges of the settings, factors and data of new slices */
#include "rpca/cp_apply.h"

static bool check_numbers(const crease_cp_apply_settings *s, crease_error *e)
{
    if (s->rank < 1 || s->rank > 1 << 20)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the rank is %td; give 1 to %d", s->rank, 1 << 20);
    if (s->mode < 0 || s->mode >= s->shape.order)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the slices go along axis %d; there are 0 to %d",
                        s->mode, s->shape.order - 1);
    if (!(s->alpha > 0 && s->alpha < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "alpha = %g; give a number > 0", s->alpha);
    if (!(s->alpha_noise > 0 && s->alpha_noise < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "alpha_noise = %g; give a number > 0",
                        s->alpha_noise);
    return (s->ridge >= 0 && s->ridge < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "ridge = %g; give a number >= 0", s->ridge);
}

static bool check_factors(const crease_cp_apply_settings *s, crease_error *e)
{
    for (int n = 0; n < s->shape.order; n++) {
        ptrdiff_t size;
        if (n == s->mode) continue;
        if (!crs_mul_size(s->shape.dim[n], s->rank, &size) || !crs_all_finite(size, s->factor[n]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "factor %d has entries that are not finite; fit the model again",
                            n + 1);
    }
    return !s->trained || crs_all_finite(s->trained_count * s->rank, s->trained) ||
           crs_fail(e, CREASE_BAD_DATA, "the trained coefficients are not all finite");
}

bool crs_apply_check(const crease_cp_apply_settings *s, const double *tensor,
                     const crease_reg *penalty, crease_error *e)
{
    if (!crease_space_check(&s->shape, e)) return false;
    if (s->shape.order < 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "the data have 1 dimension; give a matrix or a tensor");
    if (!check_numbers(s, e) || !check_factors(s, e)) return false;
    if (!crs_is_plain(penalty))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "slices need a penalty that is a sum over entries without weights, as l1");
    if (!crease_reg_check(penalty, &s->shape, e)) return false;
    for (ptrdiff_t j = 0, size = crease_size(&s->shape); j < size; j++) {
        const bool hidden = s->mask && s->mask[j] == 0;
        if (!hidden && !isfinite(tensor[j]) && !(s->missing && isnan(tensor[j])))
            return crs_fail(e, CREASE_BAD_DATA,
                            "entry %td of the data is %g; give finite numbers, or let nan mark "
                            "missing entries (--missing nan)",
                            j + 1, tensor[j]);
    }
    return true;
}
