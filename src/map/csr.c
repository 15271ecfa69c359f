/* SPDX-License-Identifier: MIT
 * csr: A x for a matrix in compressed sparse rows; duplicate entries add up
 *
 * |A|_2 <= min(|A|_F, sqrt(|A|_1 |A|_inf)), and the bounds of the dense matrix when it is small.
 * An entry of x in a column that stores nothing is not read. With an output that is split over
 * ranks the matrix has the rows of this one, and A'y is a sum over ranks. */
#include <float.h>

#include "map/directed.h"
#include "map/map.h"

typedef struct {
    double row, squares; /* the largest row sum; the sum of the squared entries */
} sums;

/* column[j] = the sum of column j; `row` is zero before and after. */
static sums add_up(const crease_csr_matrix *a, double scale, double *column, double *row)
{
    sums s = { 0, 0 };
    for (ptrdiff_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++) {
            const double v = fabs(a->value[k]) / scale;
            row[a->col[k]] += v, column[a->col[k]] += v, sum += v;
        }
        s.row = larger(s.row, sum);
        for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++) {
            s.squares += square(row[a->col[k]]); /* duplicates stand there together */
            row[a->col[k]] = 0;
        }
    }
    return s;
}

static double largest(ptrdiff_t n, const double *v)
{
    double most = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = larger(most, fabs(v[j]));
    return most;
}

/* | |A| |_2 from above, the absolute values of duplicates added. Everything is taken relative to
 * the largest entry, so that no square overflows or vanishes; no number here sees more than entries
 * + 8 roundings. */
static bool mass_of(const crease_csr_matrix *a, const crease_space *ran, double *mass,
                    crease_error *e)
{
    const double entries = crease_sum(ran, (double)a->start[a->rows]);
    const double scale = crease_max(ran, largest(a->start[a->rows], a->value));
    *mass = 0;
    if (scale == 0) return true;
    double *column = crs_doubles(2 * a->cols, "the norm of a sparse map", e);
    const bool done = crs_together(ran->comm, column, e);
    if (done) {
        const sums s = add_up(a, scale, column, column + a->cols);
        crs_sum_over(ran, a->cols, column);
        const double squares = crease_sum(ran, s.squares), row = crease_max(ran, s.row);
        const double relative = sqrt(smaller(squares, row * largest(a->cols, column)));
        *mass = product_up(scale, relative * (1 + (entries + 8) * DBL_EPSILON));
    }
    crs_free(column);
    return done;
}

static bool check_start(const crease_csr_matrix *a, crease_error *e)
{
    if (a->start[0] != 0)
        return crs_fail(e, CREASE_BAD_DATA, "csr: row 1 starts at %td; starts count from 0",
                        a->start[0]);
    for (ptrdiff_t i = 0; i < a->rows; i++)
        if (a->start[i + 1] < a->start[i])
            return crs_fail(e, CREASE_BAD_DATA,
                            "csr: row %td starts at %td and ends at %td; starts must ascend", i + 1,
                            a->start[i], a->start[i + 1]);
    return true;
}

static bool check_columns(const crease_csr_matrix *a, crease_error *e)
{
    for (ptrdiff_t k = 0; k < a->start[a->rows]; k++)
        if (a->col[k] < 0 || a->col[k] >= a->cols)
            return crs_fail(e, CREASE_BAD_DATA,
                            "csr: entry %td has column %td; give columns from 0 to %td", k + 1,
                            a->col[k], a->cols - 1);
    return true;
}

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const crease_csr_matrix *a = A->data;
    if (!crs_map_rows(A, dom, ran, e)) return false;
    if (!a || !a->start)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "csr has no %s (NULL); give a matrix",
                        a ? "row starts" : "matrix");
    if (a->rows != crease_size(ran) || a->cols != crease_size(dom))
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "csr: the matrix is %td x %td but maps %td entries to %td; rows must be "
                        "the entries out, columns the entries in",
                        a->rows, a->cols, crease_size(dom), crease_size(ran));
    if (!check_start(a, e)) return false;
    if (a->start[a->rows] == 0) return true;
    if (!a->col) return crs_fail(e, CREASE_BAD_ARGUMENT, "csr has no columns (NULL); give them");
    return check_columns(a, e) && crs_map_numbers(A, a->start[a->rows], a->value, e);
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double s,
                  const double *x, double *y, double *work)
{
    const crease_csr_matrix *a = A->data;
    (void)dom, (void)ran, (void)work;
    for (ptrdiff_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++) sum += a->value[k] * x[a->col[k]];
        y[i] += s * sum;
    }
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double s,
                    const double *y, double *x, double *work)
{
    const crease_csr_matrix *a = A->data;
    double *to = crs_rows_begin(dom, ran, x, work);
    for (ptrdiff_t i = 0; i < a->rows; i++)
        for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++)
            to[a->col[k]] += s * y[i] * a->value[k];
    crs_rows_end(dom, ran, x, to);
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    double mass;
    return mass_of(A->data, ran, &mass, e) && crs_map_better_norm(A, dom, ran, mass, bound, e);
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    return crs_map_better_sigma_min(A, dom, ran, 0, bound, e);
}

/* *d = the entry (i,i); false when row i holds anything else, or *d would be rounded. */
static bool diagonal_entry(const crease_csr_matrix *a, ptrdiff_t i, double *d)
{
    *d = 0;
    for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++) {
        if (a->col[k] != i && a->value[k] != 0) return false;
        if (a->col[k] == i && !exact_sum(*d, a->value[k], d)) return false;
    }
    return true;
}

static bool identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *c)
{
    const crease_csr_matrix *a = A->data;
    (void)dom;
    if (ran->comm || a->rows != a->cols || !diagonal_entry(a, 0, c)) return false;
    for (ptrdiff_t i = 1; i < a->rows; i++) {
        double d;
        if (!diagonal_entry(a, i, &d) || d != *c) return false;
    }
    return true;
}

static bool rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e)
{
    const crease_csr_matrix *a = A->data;
    (void)dom;
    r->steps = crease_sum(ran, (double)a->start[a->rows]) + 3;
    return mass_of(a, ran, &r->mass, e);
}

static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    const crease_csr_matrix *a = A->data;
    (void)dom, (void)ran;
    for (ptrdiff_t i = 0; row && i < a->rows; i++)
        for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++)
            row[k] = i, col[k] = a->col[k], value[k] = a->value[k];
    return a->start[a->rows];
}

const crease_map_ops crs_csr_ops = {
    .name = "csr",
    .formula = "(A x)_i = sum_j a_ij x_j, a sparse",
    .check = check,
    .scratch = crs_rows_scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .identity = identity,
    .rounding = rounding,
    .entries = entries,
};

crease_map crease_csr(const crease_csr_matrix *a)
{
    return (crease_map){ .ops = &crs_csr_ops, .data = a };
}
