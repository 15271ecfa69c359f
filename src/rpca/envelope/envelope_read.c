/* SPDX-License-Identifier: MIT
 * envelope_read: rows of M, E = prox(r), Z = M + c s, B = c s/alpha_N, Lambda = 2c s */
#include "rpca/envelope/envelope_state.h"

void crs_envelope_rows(const crs_envelope *s, ptrdiff_t *left, ptrdiff_t *right)
{
    *left = s->grid.left;
    *right = s->grid.right;
}

void crs_envelope_open(crs_envelope *s, ptrdiff_t rank, const double *const *factor,
                       const crs_envelope_face *face)
{
    s->next = crs_envelope_rule_of(face, s->c.alpha_noise);
    crs_envelope_point(s, rank, factor);
}

/* Entry j of the tensor; m is M there. */
static double part_of(const crs_envelope *s, crs_cp_part part, ptrdiff_t j, double m)
{
    const double c = s->next.c;
    if (part == CRS_CP_LOW_RANK) return m;
    if (!observed_at(s, j)) return part == CRS_CP_Z ? m : part == CRS_CP_B ? -m : 0;
    const double r = number_at(s->c.single, s->T, j) - m, e = crs_envelope_prox(&s->next, r),
                 rest = r - e;
    if (part == CRS_CP_E) return e;
    if (part == CRS_CP_Z) return m + c * rest;
    return part == CRS_CP_B ? c * rest / s->c.alpha_noise : 2 * c * rest;
}

void crs_envelope_read(const crs_envelope *s, crs_cp_part part, ptrdiff_t first, ptrdiff_t count,
                       double *out)
{
    const ptrdiff_t right = s->grid.right, width = s->grid.width, rank = s->k.rank;
    double *kr = s->worker->rows;
    for (ptrdiff_t row = first; row < first + count; row++, out += right) {
        crs_khatri_rao(&s->k, (crs_modes){ 0, s->grid.split, -1 }, row, 1, kr);
        fill(right, 0, out);
        for (ptrdiff_t j = 0; j < right; j += width)
            for (ptrdiff_t r = 0; r < rank; r++)
                axpy(fewer(width, right - j), kr[r], s->columns + j * rank + r * width, out + j);
        for (ptrdiff_t j = 0; j < right; j++) out[j] = part_of(s, part, row * right + j, out[j]);
    }
}
