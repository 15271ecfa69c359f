/* SPDX-License-Identifier: MIT
 * quadratic_range: where the eigenvalues of a quadratic coupling's Hessian lie
 *
 * Gershgorin's discs always (exact for a diagonal matrix), and the computed eigenvalues with a
 * margin of 8 n 2^-52 |Q| while they are affordable; both are safe, the intersection is taken. */
#include "dense/dense.h"
#include "smooth/quadratic.h"

static bool included(const crease_smooth *f, int only, int i)
{
    return only < 0 ? crs_quadratic_touches(f, i) : i == only;
}

ptrdiff_t crs_quadratic_offset(const crease_smooth *f, const crease_blocks *b, int only, int i)
{
    ptrdiff_t n = 0;
    for (int j = 0; j < i; j++)
        if (included(f, only, j)) n += crease_size(&b->space[j]);
    return n;
}

/* a += Q or Q'; Q is rows x columns, a has n numbers a row */
static void add(bool turn, ptrdiff_t rows, ptrdiff_t columns, const double *Q, ptrdiff_t n,
                double *a)
{
    for (ptrdiff_t r = 0; r < rows; r++)
        for (ptrdiff_t c = 0; c < columns; c++)
            a[turn ? c * n + r : r * n + c] += Q[r * columns + c];
}

void crs_quadratic_rows(const crease_smooth *f, const crease_blocks *b, int only, int i,
                        ptrdiff_t n, double *a)
{
    const crease_quadratic_data *q = f->data;
    for (int k = 0; k < q->count; k++) {
        const int r = q->row[k], c = q->col[k];
        const ptrdiff_t rows = crease_size(&b->space[r]), columns = crease_size(&b->space[c]);
        if (r == i && included(f, only, c))
            add(false, rows, columns, q->matrix[k], n, a + crs_quadratic_offset(f, b, only, c));
        if (c == i && r != c && included(f, only, r))
            add(true, rows, columns, q->matrix[k], n, a + crs_quadratic_offset(f, b, only, r));
    }
}

void crs_quadratic_hessian(const crease_smooth *f, const crease_blocks *b, int only, ptrdiff_t n,
                           double *a)
{
    for (int i = 0; i < b->count; i++)
        if (included(f, only, i))
            crs_quadratic_rows(f, b, only, i, n, a + crs_quadratic_offset(f, b, only, i) * n);
}

/* centre[j] += Q_jj, reach[j] += sum_{l != j} |Q_jl|, over the terms that are included */
static void discs(const crease_smooth *f, const crease_blocks *b, int only, double *centre,
                  double *reach)
{
    const crease_quadratic_data *q = f->data;
    for (int k = 0; k < q->count; k++) {
        const int r = q->row[k], c = q->col[k];
        if (!included(f, only, r) || !included(f, only, c)) continue;
        const ptrdiff_t m = crease_size(&b->space[r]), n = crease_size(&b->space[c]);
        const ptrdiff_t at_row = crs_quadratic_offset(f, b, only, r);
        const ptrdiff_t at_col = crs_quadratic_offset(f, b, only, c);
        for (ptrdiff_t j = 0; j < m * n; j++) {
            const double a = q->matrix[k][j];
            double *at = &centre[at_row + j / n], *around = &reach[at_row + j / n];
            const bool on_diagonal = r == c && j / n == j % n;
            /* a second matrix on the same block may round */
            *around += !on_diagonal ? fabs(a) : *at != 0 ? 0x1p-52 * (fabs(*at) + fabs(a)) : 0;
            *at += on_diagonal ? a : 0;
            if (r != c) reach[at_col + j % n] += fabs(a);
        }
    }
}

static bool gershgorin(const crease_smooth *f, const crease_blocks *b, int only, ptrdiff_t n,
                       double range[2], crease_error *e)
{
    double *centre = crs_doubles(2 * n, "the bounds of a quadratic", e);
    if (!centre) return false;
    double *reach = centre + n;
    discs(f, b, only, centre, reach);
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (ptrdiff_t j = 0; j < n; j++) {
        const double c = centre[j];
        const double r = reach[j] == 0 ? 0 : above(reach[j], (double)n) + 0x1p-52 * fabs(c);
        range[0] = smaller(range[0], c - r);
        range[1] = larger(range[1], c + r);
    }
    crs_free(centre);
    return true;
}

static bool eigenvalues(const crease_smooth *f, const crease_blocks *b, int only, ptrdiff_t n,
                        double range[2], crease_error *e)
{
    double *a = crs_doubles(n * n + n + crs_eigh_scratch(n), "the eigenvalues of a quadratic", e);
    if (!a) return false;
    crs_quadratic_hessian(f, b, only, n, a);
    double *w = a + n * n;
    if (crs_eigh(n, a, w, NULL, w + n)) {
        const double size = larger(fabs(w[0]), fabs(w[n - 1])), margin = 8 * (double)n * 0x1p-52;
        range[0] = larger(range[0], w[0] - margin * size);
        range[1] = smaller(range[1], w[n - 1] + margin * size);
    }
    crs_free(a);
    return true;
}

bool crs_quadratic_range(const crease_smooth *f, const crease_blocks *b, int only, double *low,
                         double *high, crease_error *e)
{
    const ptrdiff_t n = crs_quadratic_offset(f, b, only, b->count);
    double range[2] = { 0, 0 };
    if (n > 0 && !gershgorin(f, b, only, n, range, e)) return false;
    if (n > 1 && n <= CRS_QUADRATIC_EIGH && range[0] < range[1] &&
        !eigenvalues(f, b, only, n, range, e))
        return false;
    *low = range[0];
    *high = range[1];
    return true;
}
