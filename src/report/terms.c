/* SPDX-License-Identifier: MIT
 * terms: the low-rank part of a result as a sum of rank-one terms: those of a CP model, or the
 * singular triples of a matrix */
#include "dense/dense.h"
#include "report/rpca.h"

/* More than this many operations are not worth a picture. */
static const double patience = 2e10;

static bool make_room(crs_split *s, ptrdiff_t terms, crease_error *e)
{
    ptrdiff_t rows = 1 + s->grid.dim[0];
    for (int n = 0; n < s->grid.order; n++) rows += s->grid.dim[n];
    s->weight = crs_doubles(rows * terms, "the terms of the low-rank part", e);
    if (!s->weight) return false;
    s->terms = terms;
    s->scaled = s->weight + terms;
    double *at = s->scaled + s->grid.dim[0] * terms;
    for (int n = 0; n < s->grid.order; n++) {
        s->term[n] = at;
        at += s->grid.dim[n] * terms;
    }
    return true;
}

/* Column r of a mode times x; where its largest entry is. */
static void multiply(crs_split *s, int mode, ptrdiff_t r, double x)
{
    for (ptrdiff_t i = 0; i < s->grid.dim[mode]; i++) s->term[mode][i * s->terms + r] *= x;
}

static double peak(const crs_split *s, int mode, ptrdiff_t r)
{
    double most = 0;
    for (ptrdiff_t i = 0; i < s->grid.dim[mode]; i++) {
        const double v = s->term[mode][i * s->terms + r];
        if (fabs(v) > fabs(most)) most = v;
    }
    return most;
}

/* Two signs that cancel are made positive: those of all modes but the one of the slices. */
static void orient(crs_split *s)
{
    const int last = s->along < s->grid.order ? s->along : 0;
    for (ptrdiff_t r = 0; r < s->terms; r++)
        for (int n = 0; n < s->grid.order; n++)
            if (n != last && peak(s, n, r) < 0) {
                multiply(s, n, r, -1);
                multiply(s, last, r, -1);
            }
    for (ptrdiff_t i = 0; i < s->grid.dim[0]; i++)
        for (ptrdiff_t r = 0; r < s->terms; r++)
            s->scaled[i * s->terms + r] = s->term[0][i * s->terms + r] * s->weight[r];
}

static bool take_factors(crs_split *s, crease_error *e)
{
    if (!make_room(s, s->ranks.dim[0], e)) return false;
    copy(s->terms, s->weights.data, s->weight);
    for (int n = 0; n < s->grid.order; n++)
        copy(s->grid.dim[n] * s->terms, s->factor[n].data, s->term[n]);
    orient(s);
    return true;
}

/* Singular values above 1e-6 of the first, where that are few. */
static bool decompose(crs_split *s, crease_error *e)
{
    const ptrdiff_t m = s->grid.dim[0], n = s->grid.dim[1], least = m < n ? m : n;
    double *memory = crs_doubles(m * least + least + least * n + crs_svd_scratch(m, n),
                                 "the singular vectors of the low-rank part", e);
    if (!memory) return false;
    double *u = memory, *value = u + m * least, *vt = value + least, *work = vt + least * n;
    ptrdiff_t rank = 0;
    if (crs_svd(m, n, s->lowrank.data, u, value, vt, work))
        while (rank < least && value[rank] > 1e-6 * value[0]) rank++;
    bool done = true;
    if (rank > 0 && (double)rank * (double)(m + n) < 0.6 * (double)m * (double)n) {
        done = make_room(s, rank, e);
        if (done) copy(rank, value, s->weight);
        for (ptrdiff_t r = 0; done && r < rank; r++) {
            for (ptrdiff_t i = 0; i < m; i++) s->term[0][i * rank + r] = u[i * least + r];
            for (ptrdiff_t i = 0; i < n; i++) s->term[1][i * rank + r] = vt[r * n + i];
        }
        if (done) orient(s);
    }
    crs_free(memory);
    return done;
}

/* Are the terms what lowrank.npy holds? Asked of some thousand entries. */
static bool agree(const crs_split *s)
{
    const ptrdiff_t every = 1 + s->size / 5000;
    double worst = 0, most = 0;
    for (ptrdiff_t k = 0; k < s->size; k += every) {
        double sum = 0;
        for (ptrdiff_t r = 0; r < s->terms; r++) {
            double product = s->weight[r];
            for (int n = 0; n < s->grid.order; n++)
                product *= s->term[n][crs_index(&s->grid, k, n) * s->terms + r];
            sum += product;
        }
        worst = larger(worst, fabs(sum - s->lowrank.data[k]));
        most = larger(most, fabs(s->lowrank.data[k]));
    }
    return worst <= 1e-4 * most;
}

/* Entry k of the product of core and factors. */
static double product_at(const crs_split *s, ptrdiff_t k)
{
    double sum = 0;
    for (ptrdiff_t c = 0; c < crease_size(&s->ranks); c++) {
        double x = s->core.data[c];
        for (int n = 0; n < s->modes && x != 0; n++)
            x *=
                s->factor[n]
                    .data[crs_index(&s->grid, k, n) * s->ranks.dim[n] + crs_index(&s->ranks, c, n)];
        sum += x;
    }
    return sum;
}

bool crs_split_is_product(const crs_split *s)
{
    const ptrdiff_t every = 1 + s->size / 1000;
    double worst = 0, most = 0;
    for (ptrdiff_t k = 0; k < s->size; k += every) {
        worst = larger(worst, fabs(product_at(s, k) - s->lowrank.data[k]));
        most = larger(most, fabs(s->lowrank.data[k]));
    }
    return worst <= 1e-4 * most;
}

static bool drop(crs_split *s)
{
    crs_free(s->weight);
    s->weight = s->scaled = NULL;
    s->terms = 0;
    return true;
}

bool crs_split_terms(crs_split *s, crease_error *e)
{
    const double m = (double)s->grid.dim[0], n = (double)s->grid.dim[1];
    if (s->modes && !s->core.data) {
        if (!take_factors(s, e)) return false;
        if (agree(s)) return true;
        drop(s);
    }
    if (s->grid.order != 2 || m * n * (m < n ? m : n) > patience ||
        !crs_svd_fits(s->grid.dim[0], s->grid.dim[1]))
        return true;
    if (!decompose(s, e)) return false;
    return s->terms == 0 || agree(s) || drop(s);
}
