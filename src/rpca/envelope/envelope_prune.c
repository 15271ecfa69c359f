/* SPDX-License-Identifier: MIT
 * envelope_prune: components that are almost zero, or that sit on a few entries
 *
 * A component has sum I_n - d + 1 parameters. One that reaches fewer entries than half of them,
 * counted by prod |a_n|_2^4/|a_n|_4^4, costs more than naming its entries as outliers. */
#include "rpca/envelope/state.h"

/* |column|_2 and |column|_2^4/|column|_4^4 */
static double column(ptrdiff_t rows, ptrdiff_t stride, const double *x, double *reach)
{
    double largest = 0, two = 0, four = 0;
    for (ptrdiff_t i = 0; i < rows; i++) largest = larger(largest, fabs(x[i * stride]));
    *reach = 0;
    if (!(largest > 0)) return 0;
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double q = square(x[i * stride] / largest);
        two += q;
        four += q * q;
    }
    *reach = two * two / four;
    return largest * sqrt(two);
}

static double weight(const crs_envelope_solver *s, ptrdiff_t r, double *reach)
{
    const crs_envelope_model *m = &s->model;
    double product = *reach = 1, part;
    for (int n = 0; n < m->shape.order; n++) {
        product *=
            column(m->shape.dim[n], m->rank, s->at.x + crs_envelope_model_first(m, n) + r, &part);
        *reach *= part;
    }
    return product;
}

/* The median of n <= rank numbers in work, by counting */
static double middle(ptrdiff_t n, const double *x)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        ptrdiff_t below = 0, equal = 0;
        for (ptrdiff_t j = 0; j < n; j++) below += x[j] < x[i], equal += x[j] == x[i];
        if (below <= n / 2 && below + equal > n / 2) return x[i];
    }
    return 0;
}

/* Columns whose mark is 0 leave every factor. */
static void drop(crs_envelope_solver *s, ptrdiff_t left, const double *mark)
{
    const ptrdiff_t rows = crs_envelope_model_rows(&s->model.shape), rank = s->model.rank;
    double *to = s->at.x;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t r = 0; r < rank; r++)
            if (mark[r] != 0) *to++ = s->at.x[i * rank + r];
    s->model.rank = s->out.rank = left;
}

/* Drops what is small or sits on few entries; `few` counts entries, 0: only what is zero. */
static bool thin(crs_envelope_solver *s, double small, double few)
{
    const crs_envelope_model *m = &s->model;
    double *size = s->cg, *mark = size + m->rank, reach;
    for (ptrdiff_t r = 0; r < m->rank; r++) size[r] = weight(s, r, &reach);
    const double typical = middle(m->rank, size);
    ptrdiff_t left = 0;
    for (ptrdiff_t r = 0; r < m->rank; r++) {
        weight(s, r, &reach);
        mark[r] = !(size[r] <= small * typical || reach < few);
        left += mark[r] != 0;
    }
    if (left == m->rank || left == 0) return false;
    drop(s, left, mark);
    return true;
}

bool crs_envelope_prune(crs_envelope_solver *s)
{
    const crs_envelope_model *m = &s->model;
    const ptrdiff_t each = crs_envelope_model_rows(&m->shape) - m->shape.order + 1;
    return thin(s, 1e-2, (double)each / 2);
}

bool crs_envelope_drop_zeros(crs_envelope_solver *s) { return thin(s, 0, 0); }
