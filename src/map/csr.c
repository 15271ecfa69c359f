/* SPDX-License-Identifier: MIT
 * csr: A x for a matrix in compressed sparse rows; duplicate entries add up
 *
 * |A|_2 <= min(|A|_F, sqrt(|A|_1 |A|_inf)), and the bounds of the dense matrix when it is small.
 * An entry of x in a column that stores nothing is not read. */
#include "map/directed.h"
#include "map/map.h"

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
    if (!crs_map_whole(A, dom, ran, e)) return false;
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
    (void)dom, (void)ran, (void)work;
    for (ptrdiff_t i = 0; i < a->rows; i++)
        for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++)
            x[a->col[k]] += s * y[i] * a->value[k];
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    double mass;
    return crs_csr_mass(A->data, &mass, e) && crs_map_better_norm(A, dom, ran, mass, bound, e);
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
    (void)dom, (void)ran;
    if (a->rows != a->cols || !diagonal_entry(a, 0, c)) return false;
    for (ptrdiff_t i = 1; i < a->rows; i++) {
        double d;
        if (!diagonal_entry(a, i, &d) || d != *c) return false;
    }
    return true;
}

const crease_map_ops crs_csr_ops = {
    .name = "csr",
    .formula = "(A x)_i = sum_j a_ij x_j, a sparse",
    .check = check,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .identity = identity,
};

crease_map crease_csr(const crease_csr_matrix *a)
{
    return (crease_map){ .ops = &crs_csr_ops, .data = a };
}
