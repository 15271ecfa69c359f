/* SPDX-License-Identifier: MIT
 * pieces.h: inside of the room: what several pages share */
#ifndef CRS_REPORT_PIECES_H
#define CRS_REPORT_PIECES_H

#include "report/report.h"

/* source.c: an array of the folder; the data that this role names, as long as they are where they
 * were and have not changed; the name of its file as the title of the page. */
bool crs_page_array(const crs_page *p, const char *name, crs_array *out, crease_error *e);
bool crs_page_source(const crs_page *p, const char *role, crs_array *out, crease_error *e);
void crs_page_title(crs_page *p, const char *role, const char *otherwise);

/* A cell of a table with a bar from its middle: part is in [-1, 1]. */
void crs_mark_signed(crs_markup *m, double part, const char *colour);

/* Where numbers and names stand in a chart: free says whether one at (x, y) would lie over none
 * that was put before, in a box so wide and high (pixels), and keeps it if so. */
enum { CRS_SPOTS = 24 };
typedef struct {
    int count;
    double x[CRS_SPOTS], y[CRS_SPOTS];
} crs_spots;
bool crs_spot_free(crs_spots *s, const crs_chart *c, double x, double y, const double box[2]);

/* heat.c: a matrix as a picture, row by row. */
void crs_put_heat(crs_page *p, const char *name, ptrdiff_t rows, ptrdiff_t columns,
                  const double *x);

/* regress_fit.c: what a model says of n rows beside what they are: numbers, or classes (1 is the
 * one, a score above 0 calls it). */
bool crs_put_fit(crs_page *p, ptrdiff_t n, const double *y, const double *score, crease_error *e);
bool crs_put_classes(crs_page *p, ptrdiff_t n, const double *y, const double *score,
                     crease_error *e);

#endif
