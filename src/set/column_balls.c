/* SPDX-License-Identifier: MIT
 * column_balls: {X : every column has |x|_2 <= R}; row_balls: the same of the rows
 *
 * Line by line: LMO(c) = -R c/|c| (0 when c = 0), support R sum |w|_2 over the lines, projection
 * min(1, R/|v|) v. */
#include "set/set.h"

/* Entry k of line i is at i step + k stride. */
typedef struct {
    ptrdiff_t count, length, step, stride;
} lines;

static lines lines_of(const crease_set *c, const crease_space *s)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1];
    return c->ops == &crs_row_balls_ops ? (lines){ m, n, n, 1 } : (lines){ n, m, 1, n };
}

/* |x|_2 of line i, by a copy in work */
static double length_of(const lines *l, ptrdiff_t i, const double *x, double *work)
{
    for (ptrdiff_t k = 0; k < l->length; k++) work[k] = x[i * l->step + k * l->stride];
    return crs_norm(l->length, work);
}

static ptrdiff_t scratch(const crease_set *c, const crease_space *s)
{
    return lines_of(c, s).length;
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const lines l = lines_of(c, s);
    double most = 0;
    for (ptrdiff_t i = 0; i < l.count; i++)
        most = larger(most, length_of(&l, i, x, work) - c->par[0]);
    return most;
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const lines l = lines_of(c, s);
    for (ptrdiff_t i = 0; i < l.count; i++) {
        length_of(&l, i, v, work);
        crs_into_ball(l.length, c->par[0], work, work);
        for (ptrdiff_t k = 0; k < l.length; k++) x[i * l.step + k * l.stride] = work[k];
    }
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const lines l = lines_of(c, s);
    for (ptrdiff_t i = 0; i < l.count; i++) {
        const double norm = length_of(&l, i, g, work);
        for (ptrdiff_t k = 0; k < l.length; k++)
            y[i * l.step + k * l.stride] = norm == 0 ? 0 : -c->par[0] * (work[k] / norm);
    }
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const lines l = lines_of(c, s);
    crs_total sum = { 0, 0 };
    for (ptrdiff_t i = 0; i < l.count; i++) accumulate(&sum, length_of(&l, i, w, work));
    return c->par[0] * total(&sum);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    const lines l = lines_of(c, s);
    return 2 * c->par[0] * pow((double)l.length, pos(1 / p - 0.5)) * pow((double)l.count, 1 / p);
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("radius", "R"), { 0 } };

#define LINES(title, text)                                                                         \
    {                                                                                              \
        .name = title, .formula = text, .params = params, .matrix = true, .compact = true,         \
        .symmetric = true, .solid = true, .range = crs_range_of_ball, .check = crs_matrix_whole,   \
        .scratch = scratch, .excess = excess, .project = project, .lmo = lmo, .support = support,  \
        .diameter = diameter                                                                       \
    }

const crease_set_ops crs_column_balls_ops = LINES("column-balls", "{X : |X e_j|_2 <= R for all j}");
const crease_set_ops crs_row_balls_ops = LINES("row-balls", "{X : |X'e_i|_2 <= R for all i}");

crease_set crease_column_balls(double radius)
{
    return (crease_set){ .ops = &crs_column_balls_ops, .par = { radius } };
}

crease_set crease_row_balls(double radius)
{
    return (crease_set){ .ops = &crs_row_balls_ops, .par = { radius } };
}
