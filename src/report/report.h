/* SPDX-License-Identifier: MIT
 * report.h: a result folder as one page that needs nothing else
 *
 * The page is one HTML file of at most CRS_PAGE_MOST bytes that loads nothing. The folder is not
 * trusted: what it says is escaped, what is missing leaves its panel out, what is broken gives a
 * sentence. A panel is a function that writes a section, and a line in panels.def; panels of one
 * verb share what its page has opened (crs_page.own). */
#ifndef CRS_REPORT_H
#define CRS_REPORT_H

#include "io/result/result.h"

enum { CRS_PAGE_MOST = 2000000, CRS_DIGITS = 48, CRS_LABEL = 200 };

/* Text that grows. A failed allocation is remembered, and such a text is not written. */
typedef struct {
    char *at;
    size_t length, room;
    bool failed;
} crs_markup;

/* The format is markup of ours; what %s puts in is text and escaped, whatever it holds: bytes that
 * are no UTF-8 and control characters become U+FFFD, NULL nothing. Of printf it knows d, td,
 * zu, c, e, f, g with width and precision. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void crs_mark(crs_markup *m, const char *format, ...);
void crs_mark_bytes(crs_markup *m, const char *bytes, size_t n); /* as they are */
void crs_mark_all(crs_markup *m, const crs_markup *from);
void crs_mark_string(crs_markup *m,
                     const char *text); /* as JSON, quotes included, within a script */
void crs_mark_base64(crs_markup *m, const unsigned char *bytes, size_t n);
void crs_markup_free(crs_markup *m);

/* Numbers for people, as text: a true minus, "–" for what is no number. digits: at most so many
 * significant ones, without zeros at the end; beyond 1e5 and below 1e-3 as 2.9·10⁻⁷. fixed: so
 * many behind the point. count: with thin spaces. share: 0.084 as "8.4 %". */
const char *crs_digits(double x, int digits, char out[CRS_DIGITS]);
const char *crs_power(int k, char out[CRS_DIGITS]); /* 10 to the k: "10⁻⁷" */
const char *crs_fixed(double x, int decimals, char out[CRS_DIGITS]);
const char *crs_count(double x, char out[CRS_DIGITS]);
const char *crs_share(double x, char out[CRS_DIGITS]);
const char *crs_seconds(double x, char out[CRS_DIGITS]); /* "1.3 s", "2 min 5 s" */

/* A member of a document by its path, "details.pilot.deviation"; NULL, NaN, NULL, false where it
 * is not there or of another kind. */
const json_t *crs_json_at(const json_t *from, const char *path);
double crs_json_number(const json_t *from, const char *path);
const char *crs_json_words(const json_t *from, const char *path);
bool crs_json_shape(const json_t *from, const char *path, crease_space *s);

typedef struct crs_page crs_page;

/* What the panels of a verb read. open fills page->own from the folder, head says the page's title,
 * opening sentence and numbers, close frees own. */
typedef struct {
    const char *verb;
    bool (*open)(crs_page *p, crease_error *e);
    bool (*head)(crs_page *p, crease_error *e);
    void (*close)(crs_page *p);
} crs_page_kind;

/* A section of the page; without anything to show it writes nothing. */
typedef bool crs_panel(crs_page *p, crease_error *e);

struct crs_page {
    const char *folder;
    json_t *result;
    const json_t *details; /* in result; may be NULL */
    const char *verb, *model;
    crs_axes axes; /* of the data, by result.json; unknown ones are empty */
    const crs_page_kind *kind;
    void *own;

    crs_markup title, kicker, lede, cards, nav, body;
    crs_markup notes;  /* advice that stands under the verdict */
    crs_markup data;   /* members of the object that page.js reads: "name":value, ... */
    crs_markup footer; /* sentences on how numbers are kept in the page */
    bool inside;       /* a section is open */
};

#define PAGE(verb)        extern const crs_page_kind crs_page_##verb;
#define PANEL(verb, name) extern crs_panel crs_panel_##name;
#include "report/panels.def"
#undef PAGE
#undef PANEL

/* The page of a result as a file that appears whole or not at all; *bytes receives its size. A file
 * in the way that is no such page is replaced only with `force`. */
bool crs_page_write(const char *folder, const char *path, bool force, size_t *bytes,
                    crease_error *e);
/* The same of a document that is in no folder, as check has one. */
bool crs_page_write_document(json_t *document, const char *path, bool force, size_t *bytes,
                             crease_error *e);

/* Parts of a page. A section begins with its heading, "parts", "The data and its parts", "Parts" in
 * the list of sections; the one before it ends. */
void crs_section(crs_page *p, const char *id, const char *title, const char *nav);
/* One of the numbers of the head. */
void crs_card(crs_page *p, const char *term, const char *value, const char *note);
/* The opening sentence of a section, or advice in a box: markup as crs_mark(). */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void crs_say(crs_page *p, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void crs_advise(crs_page *p, const char *format, ...);

/* The name of an axis ("mode 2" where it has none), with its unit; the word for an index ("342",
 * counted from 1 where it has none), the same with name and unit. */
const char *crs_axis_called(const crs_page *p, int n, char out[CRS_LABEL]);
const char *crs_axis_title(const crs_page *p, int n, char out[CRS_LABEL]);
const char *crs_axis_word(const crs_page *p, int n, ptrdiff_t k, char out[CRS_LABEL]);
const char *crs_axis_place(const crs_page *p, int n, ptrdiff_t k, char out[CRS_LABEL]);
bool crs_axis_ordered(const crs_page *p, int n); /* its labels are numbers */

/* chart.c: a drawing with axes, in markup. Lines break where a number is not finite; colour is a
 * name of page.css: c1 to c6, ok, muted, ... */
typedef struct {
    crs_markup *to;
    double width, height, left, right, top, bottom; /* margins */
    double x0, x1, y0, y1;
    bool log;          /* y; then y0 and y1 are > 0 */
    bool unmarked;     /* no ticks of x: crs_chart_mark() puts them */
    bool cells;        /* a map: no grid and no ticks at all */
    const char *xname; /* the titles of the axes; NULL: none */
    const char *yname;
    const char *label; /* what the chart shows, for those who do not see it */
} crs_chart;

crs_chart crs_chart_of(crs_markup *to, double width, double height); /* the usual margins */
void crs_chart_begin(crs_chart *c); /* frame, grid and ticks; y0 = y1 is mended */
void crs_chart_end(const crs_chart *c);
void crs_chart_line(const crs_chart *c, ptrdiff_t n, const double *x, const double *y,
                    const char *colour);
void crs_chart_dots(const crs_chart *c, ptrdiff_t n, const double *x, const double *y,
                    const char *colour);
/* Between y and low (NULL: the foot of the chart), pale. */
void crs_chart_area(const crs_chart *c, ptrdiff_t n, const double *x, const double *y,
                    const double *low, const char *colour);
/* From 0 to y, so wide in units of x; title is shown under the pointer. */
void crs_chart_bar(const crs_chart *c, double x, double wide, double y, const char *colour,
                   const char *title);
void crs_chart_badge(const crs_chart *c, double x, double y, const char *colour, int number);
/* A dashed line across, or upright, with a text beside it. */
void crs_chart_level(const crs_chart *c, double y, const char *colour, const char *text);
void crs_chart_upright(const crs_chart *c, double x, const char *colour, const char *text);
void crs_chart_ring(const crs_chart *c, double x, double y, const char *colour, const char *text);
void crs_chart_mark(const crs_chart *c, double x, const char *text);
void crs_chart_mark_y(const crs_chart *c, double y, const char *text);
/* A map that fills the chart: levels 0 (paper) to CRS_LEVELS, the first row on top. */
enum { CRS_LEVELS = 8 };
void crs_chart_cells(const crs_chart *c, ptrdiff_t rows, ptrdiff_t columns,
                     const unsigned char *level);
/* "c1" to "c6", again from the first after the last. */
const char *crs_colour(ptrdiff_t k);

/* path.c: coefficients along a path of regressions, the largest lambda first. */
typedef struct {
    ptrdiff_t path, columns;
    const double *lambda;   /* of every row */
    const double *coef;     /* path x (columns + 1), the intercept first */
    ptrdiff_t best, one_se; /* rows chosen by cross-validation; -1: none */
    const char *(*name)(const void *from, ptrdiff_t i, char out[CRS_LABEL]);
    const void *from;
    /* Found by path.c: -log10(lambda), the row that is shown, the columns by their size there. */
    double *x;
    ptrdiff_t shown, *rank;
} crs_path;
/* A picture of its own; false where it could not be written. */
bool crs_path_svg(FILE *f, const crs_path *w);

/* pack.c: an array and its parts in the page's data, for the pictures with a slider. */
typedef struct {
    crease_space shape;    /* of the data */
    const double *lowrank; /* all three as the data are */
    const double *sparse;
    const double *residual;
    const unsigned char *unseen; /* 1 where an entry was not observed; NULL: nowhere */
    /* The low-rank part as factors over groups of neighbouring axes, and a core (NULL: the diagonal
     * one); factors 0: it is packed entry by entry. */
    int factors;
    crease_space grid; /* lengths of the modes: products of neighbouring lengths of shape */
    crease_space ranks;
    const double *factor[CREASE_MAX_ORDER]; /* grid.dim x ranks.dim */
    const double *core;
    double deviation; /* of the noise */
    int along;        /* the axis of the slices */
    size_t most;      /* bytes it may take */
} crs_pack;

/* Every which index of an axis is in the page, and how fine the residual is. */
typedef struct {
    ptrdiff_t step[CREASE_MAX_ORDER];
    double step_of_residual;
} crs_packed;
/* Members of an object of the page's data: "dim": ..., "steps": ..., ... */
bool crs_pack_put(crs_markup *m, const crs_pack *k, crs_packed *out, crease_error *e);

#endif
