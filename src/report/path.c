/* SPDX-License-Identifier: MIT
 * path: coefficients along a path of lambdas, which descend to the right: in a page, and as a
 * picture of its own */
#include "report/assets.h"
#include "report/pieces.h"

enum { OTHERS = 200 };

double crs_path_coefficient(const crs_path *w, ptrdiff_t k, ptrdiff_t i)
{
    return w->coef[k * (w->columns + 1) + 1 + i];
}

/* The columns by |coefficient|, by insertion into those that are listed. */
static void rank_columns(crs_path *w)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < w->columns; i++) {
        const double b = fabs(crs_path_coefficient(w, w->shown, i));
        ptrdiff_t at = count;
        while (at > 0 && b > fabs(crs_path_coefficient(w, w->shown, w->rank[at - 1]))) at--;
        if (at >= CRS_PATH_LISTED) continue;
        memmove(w->rank + at + 1, w->rank + at, (size_t)(count - at) * sizeof *w->rank);
        w->rank[at] = i;
        count += count < CRS_PATH_LISTED;
    }
}

bool crs_path_begin(crs_path *w, crease_error *e)
{
    w->shown = w->best >= 0 ? w->best : w->path - 1;
    w->x = crs_doubles(w->path, "the path", e);
    w->rank = crs_alloc(CRS_PATH_LISTED + 1, sizeof *w->rank);
    if (w->x && !w->rank) crs_fail(e, CREASE_NO_MEMORY, "out of memory: the columns");
    if (!w->x || !w->rank) return false;
    for (ptrdiff_t k = 0; k < w->path; k++) /* 0, which may end it, stands a power of ten behind */
        w->x[k] = w->lambda[k] > 0    ? -log10(w->lambda[k])
                  : w->lambda[k] == 0 ? (k > 0 ? w->x[k - 1] + 1 : 0)
                                      : NAN;
    rank_columns(w);
    return true;
}

void crs_path_end(crs_path *w)
{
    crs_free(w->x);
    crs_free(w->rank);
    w->x = NULL, w->rank = NULL;
}

int crs_path_number(const crs_path *w, ptrdiff_t i)
{
    for (int k = 0; k < CRS_PATH_NAMED && k < w->columns; k++)
        if (w->rank[k] == i && crs_path_coefficient(w, w->shown, i) != 0) return k + 1;
    return 0;
}

crs_chart crs_path_chart(crs_markup *to, const crs_path *w, double width, double height)
{
    crs_chart chart = crs_chart_of(to, width, height);
    chart.x0 = w->x[0], chart.x1 = w->x[w->path - 1];
    if (!(chart.x1 > chart.x0)) chart.x0 -= 0.5, chart.x1 = chart.x0 + 1;
    chart.unmarked = true;
    chart.xname = "lambda";
    return chart;
}

/* Powers of ten, or 1, 2 and 5 times them on a short path. */
static void mark_lambdas(const crs_chart *c, const crs_path *w)
{
    static const double part[] = { 1, 2, 5 };
    char text[CRS_DIGITS];
    const double span = c->x1 - c->x0;
    const int every = 1 + (int)(span / 6);
    const bool ends_at_0 = w->lambda[w->path - 1] == 0;
    const double last = ends_at_0 ? (w->path > 1 ? w->x[w->path - 2] : -INFINITY) : c->x1;
    if (!(fabs(c->x0) < 400 && fabs(c->x1) < 400)) return;
    if (ends_at_0) crs_chart_mark(c, w->x[w->path - 1], "0");
    for (int k = (int)floor(c->x0); k <= (int)ceil(c->x1) + 1; k++)
        for (int j = 0; j < (span < 2.5 ? 3 : 1); j++) {
            const double x = k - log10(part[j]);
            if (x < c->x0 - 1e-9 || x > last + 1e-9 || k % every) continue;
            crs_chart_mark(c, x, crs_digits(part[j] * pow(10, -k), 2, text));
        }
}

static double across(const crs_chart *c, double x)
{
    return c->left + (x - c->x0) / (c->x1 - c->x0) * (c->width - c->left - c->right);
}

/* A word at the head of an upright line; row 1 is lower. */
static void name_choice(const crs_chart *chart, double x, const char *colour, const char *word,
                        bool left, int row)
{
    const double at = across(chart, x);
    crs_chart_upright(chart, x, colour, "");
    crs_mark(chart->to,
             "<text class=\"h\" x=\"%.1f\" y=\"%.0f\" text-anchor=\"%s\" "
             "style=\"fill:var(--%s)\">%s</text>",
             left ? at - 5 : at + 5, chart->top + 9 + 17 * row, left ? "end" : "start", colour,
             word);
}

/* Is there no room for the word on the right of the best lambda? */
static bool at_edge(const crs_chart *c, const crs_path *w)
{
    return across(c, w->x[w->best]) > c->width - c->right - 42;
}

/* The lambda of the least error; the larger one within one standard error stands left of it. */
void crs_path_marks(const crs_chart *c, const crs_path *w)
{
    mark_lambdas(c, w);
    if (w->best < 0) return;
    const bool two = w->one_se >= 0 && w->one_se != w->best;
    const double first = across(c, w->x[two ? w->one_se : w->best]),
                 second = across(c, w->x[w->best]);
    const bool room = first > c->left + 74, close = two && second - first < 46;
    if (two) name_choice(c, w->x[w->one_se], "muted", "one error", room, !room);
    name_choice(c, w->x[w->best], "ok", "best", at_edge(c, w), at_edge(c, w) && close);
}

/* A line of column i where it is not zero, with a zero before and after; b has room for it. */
static void course_of(const crs_chart *chart, const crs_path *w, ptrdiff_t i, const char *colour,
                      double *b)
{
    char name[CRS_LABEL];
    ptrdiff_t first = w->path, last = -1;
    for (ptrdiff_t k = 0; k < w->path; k++) {
        b[k] = crs_path_coefficient(w, k, i);
        if (b[k] == 0) continue;
        first = k < first ? k : first;
        last = k;
    }
    if (last < 0) return;
    first = first > 0 ? first - 1 : 0;
    last = last + 1 < w->path ? last + 1 : last;
    crs_mark(chart->to, "<g><title>%s</title>", w->name(w->from, i, name));
    crs_chart_line(chart, last - first + 1, w->x + first, b + first, colour);
    crs_mark(chart->to, "</g>");
}

/* The number of a line stands on it where no other number is near, from the right. */
static void put_badges(const crs_chart *chart, const crs_path *w)
{
    crs_spots spots = { .count = 0 };
    if (w->best >= 0 && at_edge(chart, w)) /* the word stands there */
        spots = (crs_spots){ .count = 2 };
    for (int k = 0; k < spots.count; k++) {
        spots.x[k] = across(chart, w->x[w->best]) - chart->left - 34 + 26 * k;
        spots.y[k] = chart->height - chart->top - chart->bottom - 14;
    }
    const double edge =
        chart->x1 - 8 * (chart->x1 - chart->x0) / (chart->width - chart->left - chart->right);
    for (int k = 0; k < CRS_PATH_NAMED && k < w->columns; k++) {
        const ptrdiff_t i = w->rank[k];
        for (ptrdiff_t at = w->path - 1; at >= 0 && crs_path_number(w, i); at--) {
            const double b = crs_path_coefficient(w, at, i);
            if (b == 0 || w->x[at] >= edge ||
                !crs_spot_free(&spots, chart, w->x[at], b, (double[]){ 22, 20 }))
                continue;
            crs_chart_badge(chart, w->x[at], b, crs_colour(k), k + 1);
            break;
        }
    }
}

void crs_path_draw(crs_markup *to, const crs_path *w)
{
    crs_chart chart = crs_path_chart(to, w, 540, 340);
    double *b = crs_alloc((size_t)w->path, sizeof *b), low = 0, high = 0;
    if (!b) {
        to->failed = true;
        return;
    }
    for (ptrdiff_t i = 0; i < w->columns; i++)
        for (ptrdiff_t k = 0; k < w->path; k++) {
            low = smaller(low, crs_path_coefficient(w, k, i));
            high = larger(high, crs_path_coefficient(w, k, i));
        }
    chart.y0 = low - 0.08 * (high - low), chart.y1 = high + 0.08 * (high - low);
    chart.yname = "coefficient";
    chart.label = "Coefficients along the path of lambdas";
    crs_chart_begin(&chart);
    crs_mark(to, "<g class=\"quiet\">");
    for (ptrdiff_t i = 0, others = 0; i < w->columns && others < OTHERS; i++) {
        if (crs_path_number(w, i)) continue;
        const size_t before = to->length;
        course_of(&chart, w, i, "muted", b);
        others += to->length > before;
    }
    crs_mark(to, "</g>");
    for (int k = CRS_PATH_NAMED - 1; k >= 0; k--)
        if (k < w->columns && crs_path_number(w, w->rank[k]))
            course_of(&chart, w, w->rank[k], crs_colour(k), b);
    crs_path_marks(&chart, w);
    put_badges(&chart, w);
    crs_chart_end(&chart);
    crs_free(b);
}

/* The chart in a frame of its own, with the colours of the pages. */
bool crs_path_svg(FILE *f, const crs_path *given)
{
    crs_markup m = { .at = NULL };
    crs_path w = *given;
    crease_error ours;
    bool done = crs_path_begin(&w, &ours);
    if (done) {
        crs_mark(&m, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 540 340\">\n"
                     "<title>coefficients along the path</title><style><![CDATA[");
        crs_mark_bytes(&m, (const char *)crs_page_style, crs_page_style_size);
        crs_mark(&m, "]]></style>\n<rect width=\"540\" height=\"340\" "
                     "style=\"fill:var(--paper)\"/>\n");
        crs_path_draw(&m, &w);
        crs_mark(&m, "</svg>\n");
    }
    done = done && !m.failed && fwrite(m.at, 1, m.length, f) == m.length;
    crs_path_end(&w);
    crs_markup_free(&m);
    return done;
}
