/* SPDX-License-Identifier: MIT
 * rank_sample: a part of a large tensor that has the same rank: some of its slices, evenly spaced
 *
 * Terms in general position stay so in a part of their rows, so that the rank of a part is that of
 * the whole as long as its modes are not short; the longest mode is thinned first. */
#include "rpca/rank.h"

crease_space crs_rank_sample_shape(const crease_space *s, ptrdiff_t most)
{
    crease_space out = *s;
    while (most > 0 && crease_size(&out) > most) {
        int longest = 0;
        for (int n = 1; n < out.order; n++)
            if (out.dim[n] > out.dim[longest]) longest = n;
        if (out.dim[longest] < 2) return out;
        out.dim[longest] -= (out.dim[longest] + 7) / 8;
    }
    return out;
}

void crs_rank_sample(const crease_space *s, const double *tensor, const crease_space *part,
                     double *out)
{
    ptrdiff_t at[CREASE_MAX_ORDER] = { 0 };
    for (ptrdiff_t j = 0, size = crease_size(part); j < size; j++) {
        ptrdiff_t from = 0;
        for (int n = 0; n < s->order; n++)
            from = from * s->dim[n] + at[n] * s->dim[n] / part->dim[n];
        out[j] = tensor[from];
        for (int n = s->order - 1; n >= 0 && ++at[n] == part->dim[n]; n--) at[n] = 0;
    }
}
