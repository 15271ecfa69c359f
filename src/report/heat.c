/* SPDX-License-Identifier: MIT
 * heat: a matrix as a picture that needs no script: what is zero has the colour of the paper */
#include "report/pieces.h"

enum { SIDE = 96, LEVELS = 16 };

/* The largest entry by size of a rectangle of cells, so that nothing that is not zero is lost. */
typedef struct {
    ptrdiff_t rows, columns, tall, wide; /* cells of the picture; entries of each */
    double most;
    bool below; /* some are negative */
    double *cell;
} grid;

static bool grid_of(ptrdiff_t rows, ptrdiff_t columns, const double *x, grid *g)
{
    g->tall = 1 + (rows - 1) / SIDE, g->wide = 1 + (columns - 1) / SIDE;
    g->rows = (rows - 1) / g->tall + 1, g->columns = (columns - 1) / g->wide + 1;
    g->cell = crs_alloc((size_t)(g->rows * g->columns), sizeof *g->cell);
    if (!g->cell) return false;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++) {
            const double v = x[i * columns + j];
            double *at = &g->cell[i / g->tall * g->columns + j / g->wide];
            if (isfinite(v) && fabs(v) > fabs(*at)) *at = v;
            if (isfinite(v) && fabs(v) > g->most) g->most = fabs(v);
            g->below = g->below || v < 0;
        }
    return true;
}

/* 0: zero; 1 to LEVELS above it, -1 to -LEVELS below; bent by the power 0.75. */
static int level(const grid *g, ptrdiff_t i, ptrdiff_t j)
{
    const double v = g->cell[i * g->columns + j];
    if (v == 0) return 0;
    const int k = (int)ceil(LEVELS * pow(fabs(v) / g->most, 0.75));
    return v < 0 ? -(k < 1 ? 1 : k) : k < 1 ? 1 : k;
}

/* All cells of one level are one path: runs of neighbours. */
static void put_level(crs_markup *m, const grid *g, int k, double size)
{
    bool any = false;
    for (ptrdiff_t i = 0; i < g->rows; i++)
        for (ptrdiff_t j = 0; j < g->columns; j++) {
            if (level(g, i, j) != k) continue;
            ptrdiff_t end = j + 1;
            while (end < g->columns && level(g, i, end) == k) end++;
            if (!any)
                crs_mark(m, "<path style=\"fill:var(--%s)\" fill-opacity=\"%.2f\" d=\"",
                         k < 0 ? "c1" : "c2", abs(k) / (double)LEVELS);
            any = true;
            crs_mark(m, "M%.1f %.1fh%.1fv%.1fh%.1fz", (double)j * size, (double)i * size,
                     (double)(end - j) * size, size, -(double)(end - j) * size);
            j = end - 1;
        }
    if (any) crs_mark(m, "\"/>");
}

void crs_put_heat(crs_page *p, const char *name, ptrdiff_t rows, ptrdiff_t columns, const double *x)
{
    char text[CRS_DIGITS];
    grid g = { .most = 0 };
    if (!grid_of(rows, columns, x, &g)) {
        p->body.failed = true;
        return;
    }
    const double across = (double)g.columns, down = (double)g.rows,
                 size = smaller(36, smaller(520 / across, 360 / down));
    crs_mark(&p->body,
             "<figure style=\"max-width:%.0fpx\"><figcaption><span>zero has the colour of the "
             "paper</span><span class=\"cb\">%s%s<i class=\"%s\"></i>%s</span></figcaption>"
             "<svg class=\"heat\" viewBox=\"0 0 %.1f %.1f\" role=\"img\" aria-label=\"%s as a "
             "picture of %td rows and %td columns\">",
             larger(240, across * size), g.below ? "−" : "",
             g.below ? crs_digits(g.most, 3, text) : "0", g.below ? "signed" : "sized",
             crs_digits(g.most, 3, text), across * size, down * size, name, rows, columns);
    for (int k = -LEVELS; k <= LEVELS; k++)
        if (k != 0) put_level(&p->body, &g, k, size);
    crs_mark(&p->body, "</svg></figure>");
    if (g.tall > 1 || g.wide > 1)
        crs_mark(&p->body,
                 "<p class=\"needs\">Each cell stands for %td × %td entries and shows the "
                 "largest.</p>",
                 g.tall, g.wide);
    crs_free(g.cell);
}
