/* SPDX-License-Identifier: MIT
 * cp_scores: how unlike the fitted model a slice is: its outliers, and where its coefficients lie
 * among those of slices seen before */
#include "rpca/cp_apply.h"

crease_cp_slice_score crs_slice_score(const crs_slice *p, const double *t, const double *a,
                                      double *work)
{
    crease_cp_slice_score s = { .distance = NAN };
    double outliers = 0, noise = 0;
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0; j < p->entries; j++) {
        if (isnan(t[j])) continue;
        work[s.observed++] = fabs(p->r[j]);
        count += p->e[j] != 0;
        outliers += square(p->e[j]), noise += square(p->r[j] - p->e[j]);
    }
    s.share = s.observed ? (double)count / (double)s.observed : 0;
    s.energy = outliers == 0 ? 0 : outliers / noise;
    s.scale = crs_median(s.observed, work);
    s.objective = crs_slice_objective(p, a);
    s.gradient = crs_slice_gradient(p, a);
    return s;
}

/* The median of a column and 1.4826 times the median distance from it. */
static void centre(const crease_cp_apply_settings *s, ptrdiff_t r, double *work, double *median,
                   double *spread)
{
    for (ptrdiff_t i = 0; i < s->trained_count; i++) work[i] = s->trained[i * s->rank + r];
    *median = crs_median(s->trained_count, work);
    for (ptrdiff_t i = 0; i < s->trained_count; i++)
        work[i] = fabs(s->trained[i * s->rank + r] - *median);
    *spread = 1.4826 * crs_median(s->trained_count, work);
}

bool crs_apply_distances(const crease_cp_apply_settings *s, const crease_cp_apply_result *out,
                         crease_error *e)
{
    const ptrdiff_t slices = s->shape.dim[s->mode];
    if (!out->score || !s->trained || s->trained_count < 1) return true;
    double *work = crs_doubles(s->trained_count, "the trained coefficients", e), median, spread;
    if (!work) return false;
    for (ptrdiff_t i = 0; i < slices; i++) out->score[i].distance = 0;
    for (ptrdiff_t r = 0; r < s->rank; r++) {
        centre(s, r, work, &median, &spread);
        for (ptrdiff_t i = 0; i < slices; i++) {
            const double away = out->coefficients[i * s->rank + r] - median;
            out->score[i].distance += away == 0 ? 0 : square(away / spread) / (double)s->rank;
        }
    }
    for (ptrdiff_t i = 0; i < slices; i++) out->score[i].distance = sqrt(out->score[i].distance);
    crs_free(work);
    return true;
}
