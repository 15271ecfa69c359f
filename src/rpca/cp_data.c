/* SPDX-License-Identifier: MIT
 * cp_data: the tensor with zeros where it was not observed, and the weights sqrt(2 alpha_N) W */
#include <stdio.h>

#include "rpca/rpca.h"

/* "entry 7 (at 1,2,3)", counted from 1 */
static void place(const crease_space *s, ptrdiff_t j, char *out, size_t size)
{
    ptrdiff_t index[CREASE_MAX_ORDER], rest = j;
    size_t used = (size_t)snprintf(out, size, "entry %td (at ", j + 1);
    for (int n = s->order - 1; n >= 0; n--) index[n] = rest % s->dim[n] + 1, rest /= s->dim[n];
    for (int n = 0; n < s->order && used < size; n++)
        used += (size_t)snprintf(out + used, size - used, "%s%td", n ? "," : "", index[n]);
    if (used < size) snprintf(out + used, size - used, ")");
}

bool crs_cp_seen(const crease_cp_rpca_settings *s, const double *tensor, ptrdiff_t j)
{
    return !(s->missing && isnan(tensor[j])) && !(s->mask && s->mask[j] == 0);
}

bool crs_cp_check_data(const crease_cp_rpca_settings *s, const double *tensor, ptrdiff_t *missing,
                       crease_error *e)
{
    char where[300];
    *missing = 0;
    for (ptrdiff_t j = 0, n = crease_size(&s->shape); j < n; j++) {
        const double w = s->mask ? s->mask[j] : 1;
        if (w != 0 && w != 1) {
            place(&s->shape, j, where, sizeof where);
            return crs_fail(e, CREASE_BAD_DATA, "%s of the mask is %g; give 0 or 1", where, w);
        }
        const bool seen = crs_cp_seen(s, tensor, j);
        *missing += !seen;
        if (!seen || isfinite(tensor[j])) continue;
        place(&s->shape, j, where, sizeof where);
        return crs_fail(e, CREASE_BAD_DATA, "%s of the tensor is %s; give finite numbers%s", where,
                        isnan(tensor[j]) ? "nan"
                        : tensor[j] > 0  ? "inf"
                                         : "-inf",
                        isnan(tensor[j]) ? ", or let nan mark missing entries (--missing nan)"
                                         : "");
    }
    return true;
}

bool crs_cp_take_data(crease_cp_rpca *m, const double *tensor, crease_error *e)
{
    const crease_cp_rpca_settings *s = &m->s;
    const ptrdiff_t n = crease_size(&s->shape);
    const double root = sqrt(2 * s->alpha_noise);
    if (!crs_cp_check_data(s, tensor, &m->missing, e)) return false;
    m->tensor = crs_doubles(n, "the tensor", e);
    if (m->missing > 0) m->root = crs_doubles(n, "the mask", e);
    if (s->unconstrained) m->scaled = crs_doubles(n, "the weighed tensor", e);
    if (!m->tensor || (m->missing > 0 && !m->root) || (s->unconstrained && !m->scaled))
        return false;
    for (ptrdiff_t j = 0; j < n; j++) {
        const bool here = crs_cp_seen(s, tensor, j);
        m->tensor[j] = here ? tensor[j] : 0;
        if (m->root) m->root[j] = here ? root : 0;
        if (m->scaled) m->scaled[j] = root * m->tensor[j];
    }
    return true;
}

bool crease_cp_apply_mask(const crease_cp_rpca_settings *s, double *tensor, crease_error *e)
{
    ptrdiff_t missing;
    if (!crs_cp_check_data(s, tensor, &missing, e)) return false;
    for (ptrdiff_t j = 0, n = crease_size(&s->shape); j < n; j++)
        if (!crs_cp_seen(s, tensor, j)) tensor[j] = NAN;
    return true;
}
