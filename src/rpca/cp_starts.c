/* SPDX-License-Identifier: MIT
 * cp_starts: a family of different starts, the q-th a pure function of data, seed and q */
#include "rpca/rpca.h"
#include "rpca/start.h"

enum { ROUNDS = 3, STREAM = 100 };
static const double kap = 2;

static bool gevd(const crs_cp_view *v, crs_cp_gevd_options o, bool clipped, double *const *factor,
                 crease_error *e)
{
    o.kap = !clipped ? 0 : o.kap > 0 ? o.kap : kap;
    o.rounds = clipped || v->mask ? ROUNDS : 0;
    if (!clipped && !v->mask) return crs_view_check(v, e) && crs_cp_gevd(v, &o, factor, NULL, e);
    return crs_cp_gevd_robust(v, &o, factor, NULL, e);
}

/* Least squares from the singular vectors of T clipped at its median; missing entries count as 0.
 */
static bool singular(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *factor,
                     crease_error *e)
{
    crs_cp_view clipped = *v;
    crs_cp_gevd_options plain = *o;
    double median;
    if (!crs_view_check(v, e) || !crs_view_median(v, &median, e)) return false;
    clipped.limit = median > 0 ? median : INFINITY;
    plain.without_pencils = true;
    return crs_cp_gevd(&clipped, &plain, factor, NULL, e);
}

static void gaussian(const crs_cp_view *v, const crs_cp_gevd_options *o, int q,
                     double *const *factor)
{
    for (int n = 0; n < v->shape.order; n++)
        crs_normals(o->seed, (uint64_t)(STREAM + q * CREASE_MAX_ORDER + n),
                    v->shape.dim[n] * o->rank, factor[n]);
}

static double root_mean_square(const crs_cp_view *v)
{
    double sum = 0;
    ptrdiff_t seen = 0;
    crs_view_count(v);
    for (ptrdiff_t j = 0, n = crease_size(&v->shape); j < n; j++)
        if (crs_view_observed(v, j)) sum += square(v->tensor[j]), seen++;
    return seen > 0 ? sqrt(sum / (double)seen) : 0;
}

/* median|M| = median|T|/2, or half the root mean square where most entries are 0 */
static bool rescale(const crs_cp_view *v, ptrdiff_t rank, double *const *factor, crease_error *e)
{
    const int d = v->shape.order;
    crs_kruskal k = { .shape = v->shape, .rank = rank };
    crs_cp_view model = { .shape = v->shape, .limit = INFINITY, .model = &k };
    double data, own;
    for (int n = 0; n < d; n++) k.factor[n] = factor[n];
    if (!crs_view_median(v, &data, e) || !crs_view_median(&model, &own, e)) return false;
    if (data == 0) data = root_mean_square(v);
    const double scale = own > 0 ? pow(data / (2 * own), 1.0 / d) : 1;
    for (int n = 0; n < d; n++)
        for (ptrdiff_t j = 0; j < v->shape.dim[n] * rank; j++) factor[n][j] *= scale;
    return true;
}

bool crs_cp_start_of(const crs_cp_view *v, const crs_cp_gevd_options *o, int q,
                     double *const *factor, crease_error *e)
{
    if (q < 2) return gevd(v, *o, q == 1, factor, e);
    if (q == 2) return singular(v, o, factor, e);
    gaussian(v, o, q, factor);
    return crs_view_check(v, e) && rescale(v, o->rank, factor, e);
}

const char *crs_cp_start_name(int q)
{
    static const char *const name[] = { "gevd", "gevd-clipped", "singular-clipped", "random" };
    return name[q < CRS_CP_RANDOM_START ? q : CRS_CP_RANDOM_START];
}

int crs_cp_start_after(int first, int q)
{
    if (first >= CRS_CP_RANDOM_START) return first + q;
    return q == 0 ? first : q <= first ? q - 1 : q;
}
