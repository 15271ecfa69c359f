/* SPDX-License-Identifier: MIT
 * rows: a doubly stochastic matrix with convex f, which no projection serves: X >= 0 with its row
 * and column sums as a constraint
 *
 * Back: X is rounded into the set: rows, then columns are scaled down to sums of 1 at most, and
 * the defect is filled up by the rank-one matrix er ec'/|er|_1 of what rows and columns lack. */
#include <stdio.h>

#include "presolve/presolve.h"
#include "set/set.h"

/* All that f is made of is convex: the sums of losses with a curvature >= 0. */
static bool is_convex(const crs_composite *c)
{
    if (c->rest.ops) return false;
    for (int t = 0; t < c->terms; t++)
        if (!c->term[t].loss || !(c->term[t].weight >= 0) || !(c->term[t].loss->low >= 0))
            return false;
    return true;
}

/* 2 n - 1 rows: the sums of all rows, and of all columns but the last, which follows. */
static bool sums_of(ptrdiff_t n, crs_matrix *K, crease_error *e)
{
    const ptrdiff_t count = n * n + n * (n - 1);
    ptrdiff_t *place = crs_alloc(2 * (size_t)count + 1, sizeof *place), k = 0;
    double *one = crs_doubles(count + 1, "the rows of a set", e);
    bool done = place && one;
    for (ptrdiff_t i = 0; done && i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            place[k] = i, place[count + k] = i * n + j, one[k++] = 1;
            if (j < n - 1) place[k] = n + j, place[count + k] = i * n + j, one[k++] = 1;
        }
    done = done && crs_matrix_sparse(2 * n - 1, n * n, count, place, place + count, one, K, e);
    crs_free(place);
    crs_free(one);
    return done || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the rows of a set");
}

/* Rows, or columns, of sum 1 at most; what they lack goes to `lack`. */
static void shrink(ptrdiff_t n, bool rows, double *X, double *lack)
{
    const ptrdiff_t along = rows ? 1 : n, across = rows ? n : 1;
    for (ptrdiff_t i = 0; i < n; i++) {
        double *x = X + i * across, sum = 0;
        for (ptrdiff_t j = 0; j < n; j++) sum += x[j * along];
        const double share = sum > 1 ? 1 / sum : 1;
        lack[i] = 1;
        for (ptrdiff_t j = 0; j < n; j++) lack[i] -= x[j * along] *= share;
    }
}

static void back(const crs_reduction *r, const double *x, const double *lambda, double *X,
                 double *Lambda)
{
    const crs_composite *c = r->from;
    const int *block = r->data;
    const ptrdiff_t n = c->parts.space[*block].dim[0];
    double *at = X + c->at[*block], *row = r->memory, *column = row + n, total = 0;
    (void)lambda, (void)Lambda;
    copy(c->n, x, X);
    for (ptrdiff_t j = 0; j < n * n; j++) at[j] = pos(at[j]);
    shrink(n, true, at, row);
    shrink(n, false, at, column);
    for (ptrdiff_t i = 0; i < n; i++) { /* the columns took from the rows */
        row[i] = 1;
        for (ptrdiff_t j = 0; j < n; j++) row[i] -= at[i * n + j];
        row[i] = pos(row[i]);
        column[i] = pos(column[i]);
        total += row[i];
    }
    for (ptrdiff_t i = 0; total > 0 && i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++) at[i * n + j] += row[i] * column[j] / total;
}

static void release(crs_reduction *r) { crs_free(r->data); }

bool crs_rows(const crs_composite *c, crs_reduction *out, crease_error *e)
{
    char name[32];
    int block = -1;
    crs_matrix K;
    for (int i = 0; i < c->count; i++)
        if (c->oracle[i] && c->parts.block[i].set->ops == &crs_birkhoff_ops) block = i;
    if (block < 0 || c->constraint || !is_convex(c) ||
        crs_reg_of(&c->parts, block)->penalty != &crs_zero)
        return false;
    const ptrdiff_t n = c->parts.space[block].dim[0];
    const crease_reg nonneg = crease_nonneg_indicator();
    crs_room room = { c->terms, 1, c->rows, 2 * n - 1, &nonneg, block };
    for (int t = 0; t < c->terms; t++) room.parts += c->term[t].parts;
    double *memory = out->memory = crs_doubles(2 * n + 2 * n - 1, "the rows of a set", e);
    int *which = out->data = crs_alloc(1, sizeof *which);
    out->release = release;
    out->kept = crs_alloc((size_t)c->count, sizeof *out->kept);
    if (!which || !out->kept)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the rows of a set");
    out->to = crs_composite_without(c, -1, &room, e);
    if (!memory || !out->to) return false;
    *which = block;
    for (int i = 0; i < c->count; i++) out->kept[i] = i;
    for (int t = 0; t < c->terms; t++)
        if (!crs_keep_term(&c->term[t], -1, out->to, e)) return false;
    if (!sums_of(n, &K, e)) return false;
    crs_term *rows = out->to->constraint = &out->to->term[out->to->terms];
    *rows = (crs_term){ .loss = &crs_least_squares, .weight = 1, .rows = 2 * n - 1 };
    fill(2 * n - 1, 1, memory + 2 * n);
    rows->rhs = memory + 2 * n;
    crs_add_part(out->to, rows, block, 0, &K);
    out->back = back;
    snprintf(out->text, sizeof out->text,
             "block %s is doubly stochastic: nonnegative with its row and column sums as a "
             "constraint",
             crs_block_name(&c->parts, block, name));
    return true;
}
