/* SPDX-License-Identifier: MIT
 * pieces.h: inside of the room: what several pages share */
#ifndef CRS_REPORT_PIECES_H
#define CRS_REPORT_PIECES_H

#include "report/report.h"

/* source.c: an array of the folder; the data that this role names, as long as they are where they
 * were and have not changed; the name of its file as the title of the page. */
const json_t *crs_page_entry(const crs_page *p, const char *role); /* in "data"; NULL: none */
bool crs_page_array(const crs_page *p, const char *name, crs_array *out, crease_error *e);
bool crs_page_source(const crs_page *p, const char *role, crs_array *out, crease_error *e);
/* After a failure of either: true where one can do without, false with e where memory was out. */
bool crs_page_without(const crease_error *failed, crease_error *e);
void crs_page_title(crs_page *p, const char *role, const char *otherwise);
/* "20 × 101 × 51 (sample, emission, excitation)" into the opening sentence. */
void crs_page_sizes(crs_page *p, const crease_space *shape);

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

/* path.c: begin finds what is to be found, also before a failure; end frees it. The number of one
 * of the columns that have a colour, or 0. chart: with lambda along x; marks: lambdas, and the
 * choices as upright lines; draw: the lines of all columns. */
enum { CRS_PATH_NAMED = 6, CRS_PATH_LISTED = 400 };
bool crs_path_begin(crs_path *w, crease_error *e);
void crs_path_end(crs_path *w);
double crs_path_coefficient(const crs_path *w, ptrdiff_t k, ptrdiff_t i);
int crs_path_number(const crs_path *w, ptrdiff_t i);
crs_chart crs_path_chart(crs_markup *to, const crs_path *w, double width, double height);
void crs_path_marks(const crs_chart *chart, const crs_path *w);
void crs_path_draw(crs_markup *to, const crs_path *w);

/* heat.c: a matrix as a picture, row by row. */
void crs_put_heat(crs_page *p, const char *name, ptrdiff_t rows, ptrdiff_t columns,
                  const double *x);

/* regress_fit.c: what a model says of n rows beside what they are: numbers, or classes (1 is the
 * one, a score above 0 calls it). */
bool crs_put_fit(crs_page *p, ptrdiff_t n, const double *y, const double *score, crease_error *e);
bool crs_put_classes(crs_page *p, ptrdiff_t n, const double *y, const double *score,
                     crease_error *e);

#endif
