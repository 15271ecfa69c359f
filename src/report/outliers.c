/* SPDX-License-Identifier: MIT
 * outliers: where they fall (a map), how many per slice, and the largest, one per neighbourhood; of
 * a video what moved, where and when */
#include "report/rpca.h"

enum { ROWS = 110, COLUMNS = 160, LISTED = 8, CANDIDATES = 4000 };

/* The two axes of the map, down and across, as the pictures have them; up: numbers rise. */
typedef struct {
    int down, across;
    bool up;
    ptrdiff_t rows, columns;
    double *share; /* of the other indices with an outlier there, rows x columns, top first */
} map;

static void choose_axes(const crs_page *p, const crs_split *s, map *m)
{
    int free_axes[CREASE_MAX_ORDER], count = 0;
    for (int n = 0; n < s->shape.order; n++)
        if (n != s->along || s->shape.order == 2) free_axes[count++] = n;
    m->down = free_axes[count - 2];
    m->across = free_axes[count - 1];
    m->up = crs_axis_ordered(p, m->down) && crs_axis_ordered(p, m->across) && !s->video;
    const ptrdiff_t high = s->shape.dim[m->down], wide = s->shape.dim[m->across];
    if (!s->video && ((m->up && high > wide) || (!m->up && high > 2 * wide))) {
        const int swap = m->down;
        m->down = m->across, m->across = swap;
    }
    m->rows = s->shape.dim[m->down] < ROWS ? s->shape.dim[m->down] : ROWS;
    m->columns = s->shape.dim[m->across] < COLUMNS ? s->shape.dim[m->across] : COLUMNS;
}

static bool count_map(const crs_split *s, map *m, crease_error *e)
{
    const ptrdiff_t cells = m->rows * m->columns;
    m->share = crs_doubles(2 * cells, "the map of the outliers", e);
    if (!m->share) return false;
    double *all = m->share + cells;
    for (ptrdiff_t k = 0; k < s->size; k++) {
        const ptrdiff_t y = crs_index(&s->shape, k, m->down) * m->rows / s->shape.dim[m->down],
                        x = crs_index(&s->shape, k, m->across) * m->columns /
                            s->shape.dim[m->across];
        const ptrdiff_t c = (m->up ? m->rows - 1 - y : y) * m->columns + x;
        all[c]++;
        m->share[c] += crs_is_clear(s, k);
    }
    for (ptrdiff_t c = 0; c < cells; c++) m->share[c] = all[c] > 0 ? m->share[c] / all[c] : 0;
    return true;
}

/* Ticks at some labels of an axis: across (0), upwards (1) or downwards (-1). */
static void mark_axis(const crs_page *p, const crs_chart *c, int n, ptrdiff_t length, int upwards)
{
    char word[CRS_LABEL];
    const crs_axis *a = &p->axes.axis[n];
    static const ptrdiff_t round_ones[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000 };
    const ptrdiff_t most = upwards ? 6 : 8;
    ptrdiff_t every = (length - 1) / most + 1;
    for (size_t k = sizeof round_ones / sizeof *round_ones; k-- > 0;)
        if (round_ones[k] >= (length - 1) / most + 1) every = round_ones[k];
    for (ptrdiff_t k = a->at || a->label ? 0 : every - 1; k < length; k += every) {
        crs_axis_word(p, n, k, word);
        if (strlen(word) > 8) snprintf(word + 7, 4, "…");
        if (upwards == 0)
            crs_chart_mark(c, (double)k + 0.5, word);
        else
            crs_chart_mark_y(c, (double)(upwards > 0 ? k : length - 1 - k) + 0.5, word);
    }
}

static bool put_map(crs_page *p, const crs_split *s, const map *m, double most, crease_error *e)
{
    char x[CRS_LABEL], y[CRS_LABEL];
    const ptrdiff_t cells = m->rows * m->columns;
    unsigned char *level = crs_alloc((size_t)cells, 1);
    if (!level) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the map of the outliers");
    for (ptrdiff_t c = 0; c < cells; c++)
        level[c] = (unsigned char)(m->share[c] > 0
                                       ? clip(ceil(m->share[c] / most * CRS_LEVELS), 1, CRS_LEVELS)
                                       : 0);
    const double wide = (double)s->shape.dim[m->across], high = (double)s->shape.dim[m->down];
    const double shape = s->video ? wide / high : clip(wide / high, 1.25, 2.4);
    crs_chart c = crs_chart_of(&p->body, 640, 0);
    c.height = c.top + c.bottom + (c.width - c.left - c.right) / shape;
    c.cells = true;
    c.x1 = wide;
    c.y1 = high;
    c.xname = crs_axis_title(p, m->across, x);
    c.yname = crs_axis_title(p, m->down, y);
    c.label = "Map of the share of slices with an outlier at each place";
    crs_chart_begin(&c);
    crs_chart_cells(&c, m->rows, m->columns, level);
    mark_axis(p, &c, m->across, s->shape.dim[m->across], 0);
    mark_axis(p, &c, m->down, s->shape.dim[m->down], m->up ? 1 : -1);
    crs_chart_end(&c);
    crs_free(level);
    return true;
}

static void put_scale(crs_page *p, const char *high)
{
    crs_mark(&p->body, "<span class=\"cb\">never <span class=\"kb\">");
    for (int k = 1; k <= CRS_LEVELS; k++)
        crs_mark(&p->body, "<i style=\"background:var(--k%d)\"></i>", k);
    crs_mark(&p->body, "</span> %s</span>", high);
}

/* Shares of the slices along an axis. */
static double *count_slices(const crs_split *s, crease_error *e)
{
    const ptrdiff_t n = s->shape.dim[s->along];
    double *share = crs_doubles(2 * n, "outliers of the slices", e);
    if (!share) return NULL;
    for (ptrdiff_t k = 0; k < s->size; k++) {
        const ptrdiff_t i = crs_index(&s->shape, k, s->along);
        share[i] += crs_is_clear(s, k);
        share[n + i] += !s->unseen || !s->unseen[k];
    }
    for (ptrdiff_t i = 0; i < n; i++) share[i] = share[n + i] > 0 ? share[i] / share[n + i] : 0;
    return share;
}

static bool put_slices(crs_page *p, const crs_split *s, const double *share, double width,
                       crease_error *e)
{
    char name[CRS_LABEL], word[CRS_LABEL], title[2 * CRS_LABEL], text[CRS_DIGITS];
    const ptrdiff_t n = s->shape.dim[s->along], every = 1 + (n - 1) / (width > 800 ? 20 : 7);
    const bool bars = n <= 40 && !s->video;
    crs_chart c = crs_chart_of(&p->body, width, width > 800 ? 200 : 340);
    double *x = crs_doubles(2 * n, "a line of a chart", e), most = 0;
    if (!x) return false;
    for (ptrdiff_t i = 0; i < n; i++) {
        x[i] = (double)(i + 1);
        x[n + i] = 100 * share[i];
        most = larger(most, 100 * share[i]);
    }
    c.x0 = bars ? 0.4 : 1;
    c.x1 = bars ? (double)n + 0.6 : (double)n;
    c.y1 = most > 0 ? 1.1 * most : 1;
    c.unmarked = true;
    c.xname = crs_axis_called(p, s->along, name);
    c.yname = s->video ? "% of pixels" : "% of entries";
    c.label = "Share of clear outliers per slice";
    crs_chart_begin(&c);
    for (ptrdiff_t i = 0; bars && i < n; i++) {
        snprintf(title, sizeof title, "%.150s: %s", crs_axis_place(p, s->along, i, word),
                 crs_share(share[i], text));
        crs_chart_bar(&c, x[i], 0.72, x[n + i], "c2", title);
    }
    if (!bars) crs_chart_area(&c, n, x, x + n, NULL, "c2");
    if (!bars) crs_chart_line(&c, n, x, x + n, "c2");
    for (ptrdiff_t i = n > 20 ? every - 1 : 0; i < n; i += every)
        crs_chart_mark(&c, x[i], crs_axis_word(p, s->along, i, word));
    crs_chart_end(&c);
    crs_free(x);
    return true;
}

typedef struct {
    ptrdiff_t at;
    double size;
} candidate;

static int larger_first(const void *a, const void *b)
{
    const double x = ((const candidate *)a)->size, y = ((const candidate *)b)->size;
    return x > y ? -1 : x < y;
}

/* In the same slice, and within 1/25 of every other axis. */
static bool near(const crs_split *s, ptrdiff_t a, ptrdiff_t b)
{
    for (int n = 0; n < s->shape.order; n++) {
        const ptrdiff_t apart = llabs(crs_index(&s->shape, a, n) - crs_index(&s->shape, b, n));
        if (apart > (n == s->along ? 0 : s->shape.dim[n] / 25)) return false;
    }
    return true;
}

/* The largest |T - L| among clear ones, descending; the first LISTED that are not near another. */
static bool find_largest(const crs_split *s, ptrdiff_t out[LISTED], int *count, crease_error *e)
{
    const ptrdiff_t kept = s->clear < CANDIDATES ? s->clear : CANDIDATES;
    double *size = crs_doubles(s->clear + 1, "the sizes of the outliers", e);
    candidate *list = crs_alloc((size_t)s->clear + 1, sizeof *list);
    ptrdiff_t n = 0, m = 0;
    *count = 0;
    if (!size || !list) {
        crs_free(size);
        crs_free(list);
        return list ? false : crs_fail(e, CREASE_NO_MEMORY, "out of memory: the largest outliers");
    }
    for (ptrdiff_t k = 0; k < s->size; k++)
        if (crs_is_clear(s, k)) size[n++] = fabs(crs_beyond(s, k));
    const double least = n > 0 ? crs_select(n, size, n - kept) : 0;
    for (ptrdiff_t k = 0; k < s->size && m < s->clear; k++)
        if (crs_is_clear(s, k) && fabs(crs_beyond(s, k)) >= least)
            list[m++] = (candidate){ k, fabs(crs_beyond(s, k)) };
    qsort(list, (size_t)m, sizeof *list, larger_first);
    for (ptrdiff_t k = 0; k < m && *count < LISTED; k++) {
        bool apart = true;
        for (int q = 0; q < *count; q++) apart = apart && !near(s, list[k].at, out[q]);
        if (apart) out[(*count)++] = list[k].at;
    }
    crs_free(size);
    crs_free(list);
    return true;
}

static void put_jump(crs_page *p, const crs_split *s, ptrdiff_t k)
{
    char word[CRS_LABEL];
    crs_mark(&p->body, "<th scope=\"row\"><a href=\"#parts\" data-go=\"");
    for (int n = 0; n < s->shape.order; n++)
        crs_mark(&p->body, "%s%td", n ? "," : "", crs_index(&s->shape, k, n));
    crs_mark(&p->body, "\">%s</a></th>",
             crs_axis_word(p, s->along, crs_index(&s->shape, k, s->along), word));
}

static void put_outlier(crs_page *p, const crs_split *s, ptrdiff_t k)
{
    char word[CRS_LABEL], a[CRS_DIGITS], b[CRS_DIGITS], c[CRS_DIGITS], d[CRS_DIGITS];
    const double low = s->lowrank.data[k], beyond = crs_beyond(s, k);
    const double noise = s->deviation > 0 ? s->deviation : fabs(beyond) / 1000;
    const int decimals = noise > 0 ? (int)clip(ceil(-log10(noise)), 0, 9) : 3;
    crs_mark(&p->body, "<tr>");
    put_jump(p, s, k);
    for (int n = 0; n < s->shape.order; n++)
        if (n != s->along)
            crs_mark(&p->body, "<td>%s</td>",
                     crs_axis_word(p, n, crs_index(&s->shape, k, n), word));
    crs_mark(&p->body, "<td>%s</td><td>%s</td><td>%s%s</td>", crs_fixed(low + beyond, decimals, a),
             crs_fixed(low, decimals, b), beyond > 0 ? "+" : "", crs_fixed(beyond, decimals, c));
    if (s->deviation > 0)
        crs_mark(&p->body, "<td>%s</td>",
                 crs_count(round(fabs(beyond) / (s->deviation * crs_level(s, k))), d));
    crs_mark(&p->body, "</tr>");
}

static bool put_largest(crs_page *p, const crs_split *s, crease_error *e)
{
    char name[CRS_LABEL];
    ptrdiff_t at[LISTED];
    int count;
    if (!find_largest(s, at, &count, e)) return false;
    if (count == 0) return true;
    crs_mark(&p->body,
             "<div class=\"scroll\"><table><caption>The largest, one per neighbourhood. "
             "Choose one to see it above.</caption><thead><tr><th scope=\"col\">%s</th>",
             crs_axis_called(p, s->along, name));
    for (int n = 0; n < s->shape.order; n++)
        if (n != s->along)
            crs_mark(&p->body, "<th scope=\"col\">%s</th>", crs_axis_title(p, n, name));
    crs_mark(&p->body, "<th scope=\"col\">Data</th><th scope=\"col\">Low-rank</th><th "
                       "scope=\"col\">Difference</th>");
    if (s->deviation > 0) crs_mark(&p->body, "<th scope=\"col\">Noise deviations</th>");
    crs_mark(&p->body, "</tr></thead><tbody>");
    for (int k = 0; k < count; k++) put_outlier(p, s, at[k]);
    crs_mark(&p->body, "</tbody></table></div>\n");
    return true;
}

/* The rows and columns with more than 3 % of foreground in a frame. */
static void put_region(crs_page *p, const crs_split *s, ptrdiff_t frame)
{
    for (int axis = 0; axis < 2; axis++) {
        const ptrdiff_t n = s->shape.dim[axis], across = s->shape.dim[1 - axis];
        ptrdiff_t from = -1, to = -1;
        for (ptrdiff_t i = 0; i < n; i++) {
            ptrdiff_t count = 0;
            for (ptrdiff_t j = 0; j < across; j++) {
                const ptrdiff_t y = axis ? j : i, x = axis ? i : j;
                count += crs_is_clear(s, (y * s->shape.dim[1] + x) * s->shape.dim[2] + frame);
            }
            if (100 * count <= 3 * across) continue;
            if (from < 0) from = i;
            to = i;
        }
        if (from >= 0)
            crs_mark(&p->body, "%s%s %td–%td", axis ? ", " : "", axis ? "columns" : "rows",
                     from + 1, to + 1);
    }
}

static void put_busiest(crs_page *p, const crs_split *s, const double *share)
{
    char word[CRS_LABEL], text[CRS_DIGITS];
    double last = INFINITY;
    ptrdiff_t listed = -1;
    crs_mark(&p->body,
             "<div><h3>When: the busiest frames</h3><div class=\"scroll\"><table><caption>"
             "Choose a frame to see it above.</caption><thead><tr><th scope=\"col\">%s</th>"
             "<th scope=\"col\">Foreground</th><th scope=\"col\" class=\"l\">Mostly "
             "in</th></tr></thead><tbody>",
             crs_axis_title(p, 2, word));
    for (int row = 0; row < LISTED; row++) {
        ptrdiff_t best = -1;
        for (ptrdiff_t i = 0; i < s->shape.dim[2]; i++)
            if ((share[i] < last || (share[i] == last && i > listed)) && share[i] > 0 &&
                (best < 0 || share[i] > share[best]))
                best = i;
        if (best < 0) break;
        last = share[best];
        listed = best;
        crs_mark(&p->body,
                 "<tr><th scope=\"row\"><a href=\"#parts\" data-go=\",,%td\">%s</a></th><td>%s</td>"
                 "<td class=\"l\">",
                 best, crs_axis_word(p, 2, best, word), crs_share(last, text));
        put_region(p, s, best);
        crs_mark(&p->body, "</td></tr>");
    }
    crs_mark(&p->body, "</tbody></table></div></div>");
}

static void say_outliers(crs_page *p, const crs_split *s, const double *share, const map *m)
{
    char a[CRS_DIGITS], b[CRS_DIGITS], c[CRS_DIGITS], d[CRS_DIGITS], place[CRS_LABEL];
    const ptrdiff_t n = s->shape.dim[s->along];
    const double whole = (double)s->clear / (double)s->observed;
    double fixed = 0, all = 0;
    ptrdiff_t most = 0;
    for (ptrdiff_t k = 0; k < m->rows * m->columns; k++) {
        all += m->share[k];
        fixed += m->share[k] > 0.8 ? m->share[k] : 0;
    }
    for (ptrdiff_t i = 0; i < n; i++) most = share[i] > share[most] ? i : most;
    if (s->clear == 0) {
        crs_say(p, "No entry is a clear outlier.");
        return;
    }
    crs_say(
        p, "<b>%s of %s %s (%s)</b> are %s: %s.%s Most are in %s, %s of it.",
        crs_count((double)s->clear, a), crs_count((double)s->observed, b),
        s->video ? "pixels" : "entries", crs_share(whole, c),
        s->video ? "clearly foreground" : "clear outliers",
        s->deviation > 0 ? "more than 5 noise deviations from the low-rank part"
                         : "the sparse part is not 0 there",
        fixed > 0.5 * all && n > 3 && s->shape.order > 2
            ? " More than half lie where nearly every slice has one: they belong to places, not "
              "to slices."
            : "",
        crs_axis_place(p, s->along, most, place), crs_share(share[most], d));
}

static void advise_outliers(crs_page *p, const crs_split *s, const double *share)
{
    char text[CRS_DIGITS], place[CRS_LABEL];
    const ptrdiff_t n = s->shape.dim[s->along];
    const double whole = (double)s->clear / (double)s->observed;
    if (whole > 0.3)
        crs_advise(p,
                   "%s of the entries are outliers. Robust PCA needs most entries to be clean: the "
                   "model may be too small (try a larger <code>--rank</code>), or the data may "
                   "need another scale.",
                   crs_share(whole, text));
    ptrdiff_t worst = 0, many = 0;
    for (ptrdiff_t i = 0; whole <= 0.3 && !s->video && s->shape.order > 2 && i < n; i++) {
        many += share[i] > 0.25 && share[i] > 4 * whole;
        worst = share[i] > share[worst] ? i : worst;
    }
    if (many > 0)
        crs_advise(
            p,
            "In %s %s of the entries are outliers%s. Such a slice may be unlike the others as a "
            "whole: check it, or leave it out and look at it with <code>crease apply</code>.",
            crs_axis_place(p, s->along, worst, place), crs_share(share[worst], text),
            many > 1 ? ", and in other slices more than a quarter" : "");
}

static bool put_all(crs_page *p, const crs_split *s, const double *share, map *m, crease_error *e)
{
    char name[CRS_LABEL], high[CRS_LABEL], text[CRS_DIGITS];
    double most = 0;
    for (ptrdiff_t k = 0; k < m->rows * m->columns; k++) most = larger(most, m->share[k]);
    if (!(most > 0)) return true;
    const bool single = s->shape.order == 2;
    snprintf(high, sizeof high,
             single        ? "dense"
             : most > 0.99 ? "in every slice"
                           : "in %s",
             crs_share(most, text));
    crs_mark(&p->body, "<div class=\"grid2%s\"><figure><figcaption><span><b>%s</b>%s</span>",
             s->video ? "" : " wide", s->video ? "Where" : "Where outliers fall",
             single     ? ""
             : s->video ? "share of the frames"
                        : "share of the slices");
    put_scale(p, high);
    crs_mark(&p->body, "</figcaption>");
    if (!put_map(p, s, m, most, e)) return false;
    crs_mark(&p->body, "</figure>");
    if (s->video) {
        put_busiest(p, s, share);
        crs_mark(&p->body, "</div><figure class=\"block\"><h3>Foreground per frame</h3>");
    } else {
        crs_mark(&p->body, "<figure><h3>How many per %s</h3>", crs_axis_called(p, s->along, name));
    }
    if (!put_slices(p, s, share, s->video ? 1072 : 430, e)) return false;
    crs_mark(&p->body, s->video ? "</figure>\n" : "</figure></div>\n");
    return s->video || put_largest(p, s, e);
}

bool crs_panel_outliers(crs_page *p, crease_error *e)
{
    const crs_split *s = crs_split_of(p);
    map m = { .share = NULL };
    double *share = count_slices(s, e);
    if (!share) return false;
    choose_axes(p, s, &m);
    bool done = count_map(s, &m, e);
    if (done) {
        crs_section(p, "outliers", s->video ? "What moved, and when" : "Outliers",
                    s->video ? "What moved" : "Outliers");
        say_outliers(p, s, share, &m);
        advise_outliers(p, s, share);
        done = put_all(p, s, share, &m, e);
    }
    crs_free(m.share);
    crs_free(share);
    return done;
}
