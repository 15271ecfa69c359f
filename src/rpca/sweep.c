/* SPDX-License-Identifier: MIT
 * sweep: X_n = argmin |target - [[X]]|^2 + (ridge/2) |X_n|^2, one mode after the other
 *
 * Kolda, Bader 2009. */
#include "rpca/start.h"

bool crs_cp_sweeper_open(crs_cp_sweeper *w, const crease_space *shape, ptrdiff_t rank,
                         const double *target, double ridge, double *const *factor, crease_error *e)
{
    ptrdiff_t most = 0;
    *w = (crs_cp_sweeper){ .k = { .shape = *shape, .rank = rank } };
    for (int n = 0; n < shape->order; n++) {
        w->place[n] = n;
        w->space[n] = crease_matrix(shape->dim[n], rank);
        w->k.factor[n] = w->x[n] = factor[n];
        most = more(most, crease_size(&w->space[n]));
    }
    w->data = (crease_cp_data){ *shape, rank, w->place, -1, target, ridge };
    w->f = crease_cp(&w->data);
    w->blocks = (crease_blocks){ shape->order, w->space, NULL };
    w->y = crs_doubles(most, "a start", e);
    w->work = crs_doubles(
        more(crease_smooth_scratch(&w->f, &w->blocks), crs_kruskal_scratch(shape, rank)), "a start",
        e);
    return w->y && w->work;
}

void crs_cp_sweeper_close(crs_cp_sweeper *w)
{
    crs_free(w->y);
    crs_free(w->work);
}

void crs_cp_sweep_mode(crs_cp_sweeper *w, int n)
{
    const double *const *x = (const double *const *)w->x;
    w->f.ops->argmin(&w->f, &w->blocks, x, n, 0, x[n], INFINITY, w->y, w->work);
    copy(crease_size(&w->space[n]), w->y, w->x[n]);
}

void crs_cp_sweep(crs_cp_sweeper *w)
{
    for (int n = 0; n < w->k.shape.order; n++) crs_cp_sweep_mode(w, n);
}

double crs_cp_column_norm(ptrdiff_t rows, ptrdiff_t rank, const double *x)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < rows; i++) sum += square(x[i * rank]);
    return sqrt(sum);
}

void crs_cp_balance(const crease_space *s, ptrdiff_t rank, double *const *factor)
{
    for (ptrdiff_t r = 0; r < rank; r++) {
        double mean = 1;
        for (int n = 0; n < s->order; n++)
            mean *= pow(crs_cp_column_norm(s->dim[n], rank, factor[n] + r), 1.0 / s->order);
        for (int n = 0; n < s->order; n++) {
            const double norm = crs_cp_column_norm(s->dim[n], rank, factor[n] + r);
            const double scale = norm > 0 ? mean / norm : 0;
            for (ptrdiff_t i = 0; i < s->dim[n]; i++) factor[n][i * rank + r] *= scale;
        }
    }
}
