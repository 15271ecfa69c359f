/* SPDX-License-Identifier: MIT
 * components: a chart per mode with every component in its colour, and a table with the peaks; of a
 * Tucker model the directions of each mode, of a video the courses of the background */
#include "dense/dense.h"
#include "report/rpca.h"

enum { DRAWN = 6, POINTS = 1200, BARS = 40 };

/* Columns of a mode that are drawn: column r of n x count at value[i * count + r]. */
typedef struct {
    int mode, axis; /* axis -1: the mode has several */
    ptrdiff_t n, count, drawn;
    const double *value;
    const double *weight; /* a column whose weight is 0 is not drawn; may be NULL */
} columns;

static bool is_drawn(const columns *c, ptrdiff_t r) { return !c->weight || c->weight[r] != 0; }

static ptrdiff_t peak_of(const columns *c, ptrdiff_t r)
{
    ptrdiff_t at = 0;
    for (ptrdiff_t i = 0; i < c->n; i++)
        if (fabs(c->value[i * c->count + r]) > fabs(c->value[at * c->count + r])) at = i;
    return at;
}

static double position(const crs_page *p, const columns *c, ptrdiff_t i)
{
    return c->axis >= 0 && crs_axis_ordered(p, c->axis) ? p->axes.axis[c->axis].at[i]
                                                        : (double)(i + 1);
}

static bool as_bars(const crs_page *p, const columns *c)
{
    const ptrdiff_t most = c->weight ? 3 * BARS : 3 * BARS / 2; /* a whole column, or half of it */
    return c->axis >= 0 && !crs_axis_ordered(p, c->axis) && c->n <= BARS && c->n * c->drawn <= most;
}

static void span(const columns *c, double *low, double *high)
{
    *low = *high = 0;
    for (ptrdiff_t i = 0; i < c->n; i++)
        for (ptrdiff_t r = 0; r < c->drawn; r++) {
            const double v = is_drawn(c, r) ? c->value[i * c->count + r] : 0;
            *low = smaller(*low, v);
            *high = larger(*high, v);
        }
    const double room = 0.16 * (*high - *low);
    if (*low < -0.02 * *high) *low -= 0.4 * room;
    if (*low >= -0.02 * *high) *low = 0;
    *high += room;
}

static void put_bars(crs_page *p, const crs_chart *chart, const columns *c)
{
    char word[CRS_LABEL], title[2 * CRS_LABEL], text[CRS_DIGITS];
    const double wide = 0.8 / (double)c->drawn;
    const ptrdiff_t every = 1 + (c->n - 1) / 20;
    for (ptrdiff_t i = 0; i < c->n; i++) {
        for (ptrdiff_t r = 0; r < c->drawn; r++) {
            const double v = c->value[i * c->count + r];
            const double x = (double)(i + 1) + ((double)r - 0.5 * (double)(c->drawn - 1)) * wide;
            snprintf(title, sizeof title, "%.150s, component %td: %s",
                     crs_axis_place(p, c->axis, i, word), r + 1, crs_digits(v, 4, text));
            if (is_drawn(c, r)) crs_chart_bar(chart, x, 0.85 * wide, v, crs_colour(r), title);
        }
        if (i % every == 0) {
            crs_axis_word(p, c->axis, i, word);
            if (strlen(word) > 9) snprintf(word + 8, 4, "…");
            crs_chart_mark(chart, (double)(i + 1), word);
        }
    }
}

static bool put_lines(crs_page *p, const crs_chart *chart, const columns *c, crease_error *e)
{
    const ptrdiff_t every = 1 + c->n / POINTS, points = (c->n - 1) / every + 1;
    double *x = crs_doubles(2 * points, "a line of a chart", e);
    if (!x) return false;
    double *y = x + points;
    for (ptrdiff_t r = 0; r < c->drawn; r++) {
        for (ptrdiff_t k = 0; k < points; k++) {
            x[k] = position(p, c, k * every);
            y[k] = c->value[k * every * c->count + r];
        }
        if (is_drawn(c, r)) crs_chart_line(chart, points, x, y, crs_colour(r));
    }
    crs_free(x);
    return true;
}

/* A badge at the peak of each column, moved aside where two would lie on each other. */
static void put_badges(crs_page *p, const crs_chart *chart, const columns *c)
{
    double taken[DRAWN][2];
    const double width = (chart->x1 - chart->x0) * 20 / (chart->width - chart->left);
    const double height = (chart->y1 - chart->y0) * 20 / chart->height;
    for (ptrdiff_t r = 0; r < c->drawn; r++) {
        const ptrdiff_t at = peak_of(c, r);
        double x = position(p, c, at);
        const double y = c->value[at * c->count + r];
        taken[r][0] = INFINITY;
        if (!is_drawn(c, r)) continue;
        const double way = x + (double)c->drawn * width < chart->x1 ? width : -width;
        for (ptrdiff_t q = 0; q < r * r; q++) /* at most r moves, each seen by all before */
            if (fabs(taken[q % r][0] - x) < width && fabs(taken[q % r][1] - y) < height) x += way;
        taken[r][0] = x;
        taken[r][1] = y;
        crs_chart_badge(chart, x, y, crs_colour(r), (int)r + 1);
    }
}

static bool put_chart(crs_page *p, const columns *c, double width, const char *yname,
                      crease_error *e)
{
    char name[CRS_LABEL], label[CRS_LABEL + 40];
    const bool bars = as_bars(p, c);
    crs_chart chart = crs_chart_of(&p->body, width, 232);
    if (c->axis >= 0)
        crs_axis_title(p, c->axis, name);
    else
        crs_mode_called(p, c->mode, name);
    snprintf(label, sizeof label, "Components along %.150s", name);
    chart.xname = name;
    chart.yname = yname;
    chart.label = label;
    chart.x0 = bars ? 0.4 : position(p, c, 0);
    chart.x1 = bars ? (double)c->n + 0.6 : position(p, c, c->n - 1);
    if (chart.x0 > chart.x1) {
        const double swap = chart.x0;
        chart.x0 = chart.x1, chart.x1 = swap;
    }
    span(c, &chart.y0, &chart.y1);
    chart.unmarked = bars;
    crs_chart_begin(&chart);
    bool done = true;
    if (bars)
        put_bars(p, &chart, c);
    else
        done = put_lines(p, &chart, c, e);
    if (!bars) put_badges(p, &chart, c);
    crs_chart_end(&chart);
    return done;
}

static columns columns_of(const crs_split *s, int mode)
{
    int end;
    const int first = crs_mode_axes(s, mode, &end);
    return (columns){ .mode = mode,
                      .axis = end == first + 1 ? first : -1,
                      .n = s->grid.dim[mode],
                      .count = s->terms,
                      .drawn = s->terms < DRAWN ? s->terms : DRAWN,
                      .value = s->term[mode],
                      .weight = s->weight };
}

/* Lines side by side, then bars over the whole width. */
static bool put_modes(crs_page *p, const crs_split *s, crease_error *e)
{
    char name[CRS_LABEL];
    int lines = 0;
    for (int m = 0; m < s->grid.order; m++) {
        const columns c = columns_of(s, m);
        lines += !as_bars(p, &c);
    }
    for (int wide = 0; wide < 2; wide++) {
        if (!wide) crs_mark(&p->body, "<div class=\"%s\">", lines > 1 ? "grid2" : "block");
        for (int m = 0; m < s->grid.order; m++) {
            const columns c = columns_of(s, m);
            if (as_bars(p, &c) != (wide == 1)) continue;
            crs_mark(&p->body, "<figure class=\"%s\"><h3>%s</h3>", wide ? "block" : "",
                     c.axis >= 0 ? crs_axis_called(p, c.axis, name) : crs_mode_called(p, m, name));
            if (!put_chart(p, &c, wide || lines == 1 ? 1072 : 522, NULL, e)) return false;
            crs_mark(&p->body, "</figure>");
        }
        if (!wide) crs_mark(&p->body, "</div>");
    }
    return true;
}

/* Does column r peak at the end of an axis with numbers, and not fall from there? */
static bool at_edge(const crs_page *p, const columns *c, ptrdiff_t r)
{
    const ptrdiff_t at = peak_of(c, r);
    return c->axis >= 0 && crs_axis_ordered(p, c->axis) && c->n > 2 && (at == 0 || at == c->n - 1);
}

static double energy(const crs_split *s)
{
    double sum = 0;
    for (ptrdiff_t r = 0; r < s->terms; r++) sum += square(s->weight[r]);
    return sum;
}

static double largest(const crs_split *s)
{
    double most = 0;
    for (ptrdiff_t r = 0; r < s->terms; r++) most = larger(most, fabs(s->weight[r]));
    return most;
}

static void put_row(crs_page *p, const crs_split *s, ptrdiff_t r)
{
    char text[CRS_DIGITS], word[CRS_LABEL];
    crs_mark(&p->body,
             "<tr><th scope=\"row\"><span class=\"badge\" style=\"background:var(--%s)\">%td</span>"
             "</th><td>%s</td>",
             crs_colour(r), r + 1,
             largest(s) >= 1e4
                 ? crs_count(round(s->weight[r]), text)
                 : crs_fixed(s->weight[r], (int)clip(2 - floor(log10(largest(s))), 0, 12), text));
    crs_mark(&p->body, "<td>%s</td>", crs_share(square(s->weight[r]) / energy(s), text));
    for (int m = 0; m < s->grid.order; m++) {
        const columns c = columns_of(s, m);
        if (c.axis < 0) continue;
        const char *unit = crs_axis_ordered(p, c.axis) ? p->axes.axis[c.axis].unit : NULL;
        crs_mark(&p->body, "<td>%s%s%s%s</td>", crs_axis_word(p, c.axis, peak_of(&c, r), word),
                 unit ? " " : "", unit, at_edge(p, &c, r) ? " (edge)" : "");
    }
    crs_mark(&p->body, "</tr>");
}

static void put_table(crs_page *p, const crs_split *s)
{
    char name[CRS_LABEL];
    crs_mark(&p->body,
             "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Component</th><th "
             "scope=\"col\">Weight</th><th scope=\"col\">Share of energy</th>");
    for (int m = 0; m < s->grid.order; m++) {
        const columns c = columns_of(s, m);
        if (c.axis < 0) continue;
        crs_mark(&p->body, "<th scope=\"col\">%s %s</th>",
                 crs_axis_ordered(p, c.axis) ? "Peak in" : "Largest in",
                 crs_axis_called(p, c.axis, name));
    }
    crs_mark(&p->body, "</tr></thead><tbody>");
    for (ptrdiff_t r = 0; r < s->terms && r < 2 * DRAWN; r++)
        if (s->weight[r] != 0) put_row(p, s, r);
    crs_mark(&p->body, "</tbody></table></div>\n");
}

static void advise_edges(crs_page *p, const crs_split *s)
{
    char place[CRS_LABEL];
    for (int m = 0; m < s->grid.order; m++) {
        const columns c = columns_of(s, m);
        for (ptrdiff_t r = 0; r < c.drawn; r++)
            if (is_drawn(&c, r) && at_edge(p, &c, r) && fabs(s->weight[r]) > 0.05 * s->weight[0])
                crs_advise(p,
                           "Component %td peaks at the edge, %s: its true peak may lie outside of "
                           "what was measured. Measure further, or read this peak with care.",
                           r + 1, crs_axis_place(p, c.axis, peak_of(&c, r), place));
    }
}

/* Two components alike in all modes but one: |cos| above 0.97 in each of the others. */
static void advise_twins(crs_page *p, const crs_split *s)
{
    for (ptrdiff_t a = 0; s->grid.order > 2 && a < s->terms; a++)
        for (ptrdiff_t b = a + 1; b < s->terms; b++) {
            int alike = 0;
            for (int m = 0; m < s->grid.order; m++) {
                double dot = 0;
                for (ptrdiff_t i = 0; i < s->grid.dim[m]; i++)
                    dot += s->term[m][i * s->terms + a] * s->term[m][i * s->terms + b];
                alike += fabs(dot) > 0.97;
            }
            if (alike == s->grid.order)
                crs_advise(p,
                           "Components %td and %td are alike in every mode: together they may "
                           "stand for one, and their single weights mean little. Try a smaller "
                           "<code>--rank</code>.",
                           a + 1, b + 1);
        }
}

static void say_components(crs_page *p, const crs_split *s)
{
    char share[CRS_DIGITS];
    const bool cp = s->weights.data != NULL;
    ptrdiff_t best = 0, count = 0;
    for (ptrdiff_t r = 0; r < s->terms; r++) {
        if (fabs(s->weight[r]) > fabs(s->weight[best])) best = r;
        count += s->weight[r] != 0;
    }
    if (count == 0)
        crs_say(p, "No component is left: the low-rank part is zero.");
    else
        crs_say(p,
                "<b>%td %s%s</b>; number %td is the largest, with %s of their energy. Each is a "
                "product of one column per mode; columns have length 1, the weight carries the "
                "size.%s",
                count, cp ? "component" : "singular vector pair", count == 1 ? "" : "s", best + 1,
                crs_share(square(s->weight[best]) / energy(s), share),
                s->terms > DRAWN ? " The six first are drawn." : "");
}

/* The course in time of a term that is flat but for a block of at most a third of the frames. */
static bool switched(const crs_split *s, ptrdiff_t r, ptrdiff_t *from, ptrdiff_t *to,
                     crease_error *e)
{
    const ptrdiff_t n = s->grid.dim[1];
    double *y = crs_doubles(2 * n, "the course of a term", e), most = 0;
    if (!y) return false;
    for (ptrdiff_t i = 0; i < n; i++) y[i] = s->term[1][i * s->terms + r];
    copy(n, y, y + n);
    const double middle = crs_median(n, y + n);
    for (ptrdiff_t i = 0; i < n; i++) most = larger(most, fabs(y[i] - middle));
    ptrdiff_t count = 0;
    *from = *to = -1;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!(fabs(y[i] - middle) > 0.5 * most)) continue;
        if (*from < 0) *from = i;
        *to = i;
        count++;
    }
    const ptrdiff_t ramp = 1 + count / 3;
    double rest = 0; /* how far the other frames are from flat, beyond a ramp */
    for (ptrdiff_t i = 0; i < n; i++)
        if (i < *from - ramp || i > *to + ramp) rest = larger(rest, fabs(y[i] - middle));
    if (count == 0 || count != *to - *from + 1 || 3 * count > n || rest > 0.3 * most) *from = -1;
    crs_free(y);
    return true;
}

static bool advise_switched(crs_page *p, const crs_split *s, crease_error *e)
{
    for (ptrdiff_t r = 0; r < s->terms && r < DRAWN; r++) {
        ptrdiff_t from, to;
        char a[CRS_LABEL], b[CRS_LABEL];
        if (!switched(s, r, &from, &to, e)) return false;
        if (from >= 0)
            crs_advise(p,
                       "Term %td is switched on from %s to %s only and flat elsewhere. It holds "
                       "things that stood in the same place for %td frame%s, not light. Try "
                       "<code>--rank %td</code>, or a longer video.",
                       r + 1, crs_axis_place(p, 2, from, a), crs_axis_place(p, 2, to, b),
                       to - from + 1, to == from ? "" : "s", s->terms > 1 ? s->terms - 1 : 1);
    }
    return true;
}

bool crs_panel_courses(crs_page *p, crease_error *e)
{
    char share[CRS_DIGITS];
    const crs_split *s = crs_split_of(p);
    if (!s->video || s->grid.order != 2 || s->terms == 0) return true;
    const columns c = columns_of(s, 1);
    crs_section(p, "components", "The background over time", "Background over time");
    crs_say(p,
            s->terms == 1 ? "One still picture makes the background; its brightness is drawn here."
                          : "<b>%td still pictures</b> make the background, each mixed in by the "
                            "amount drawn here; the first has %s of their energy. Smooth courses "
                            "are light and shadow.",
            s->terms, crs_share(square(s->weight[0]) / energy(s), share));
    if (!advise_switched(p, s, e)) return false;
    crs_mark(&p->body, "<figure>");
    const bool done = put_chart(p, &c, 1072, "amount", e);
    crs_mark(&p->body, "</figure>\n");
    return done;
}

/* The eigenvectors of the Gram matrix of the unfolding along a mode: value n, vector n x n by rows;
 * descending. */
static bool directions(const crs_split *s, int mode, double **value, double **vector,
                       crease_error *e)
{
    const ptrdiff_t n = s->grid.dim[mode];
    ptrdiff_t stride = 1;
    for (int m = mode + 1; m < s->grid.order; m++) stride *= s->grid.dim[m];
    double *memory =
        crs_doubles(n + 2 * n * n + crs_eigh_scratch(n), "the directions of a mode", e);
    if (!memory) return false;
    double *q = memory + n, *g = q + n * n, *work = g + n * n;
    for (ptrdiff_t k = 0; k < s->size; k++) {
        const ptrdiff_t i = crs_index(&s->grid, k, mode), base = k - i * stride;
        for (ptrdiff_t j = 0; j <= i; j++)
            g[i * n + j] += s->lowrank.data[k] * s->lowrank.data[base + j * stride];
    }
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < i; j++) g[j * n + i] = g[i * n + j];
    if (!crs_eigh(n, g, memory, q, work)) fill(n + n * n, 0, memory);
    *value = memory;
    *vector = q;
    return true;
}

static bool put_directions(crs_page *p, const crs_split *s, int mode, crease_error *e)
{
    char name[CRS_LABEL], share[CRS_DIGITS];
    const ptrdiff_t n = s->grid.dim[mode], rank = s->ranks.dim[mode];
    double *value, *vector, sum = 0;
    int end;
    if (!directions(s, mode, &value, &vector, e)) return false;
    const ptrdiff_t count = rank < DRAWN ? rank : DRAWN;
    double *columns_memory = crs_doubles(n * count, "the directions of a mode", e);
    if (!columns_memory) return crs_free(value), false;
    /* ascending eigenvalues: the last row is the first direction */
    for (ptrdiff_t i = 0; i < n; i++) sum += value[i];
    for (ptrdiff_t r = 0; r < count; r++) {
        const double *row = vector + (n - 1 - r) * n;
        double most = 0;
        for (ptrdiff_t i = 0; i < n; i++)
            if (fabs(row[i]) > fabs(most)) most = row[i];
        for (ptrdiff_t i = 0; i < n; i++)
            columns_memory[i * count + r] = most < 0 ? -row[i] : row[i];
    }
    const int first = crs_mode_axes(s, mode, &end);
    const columns c = {
        mode, end == first + 1 ? first : -1, n, count, count, columns_memory, NULL
    };
    crs_mark(&p->body, "<figure><h3>%s</h3>", crs_mode_called(p, mode, name));
    bool done = put_chart(p, &c, 522, NULL, e);
    crs_mark(&p->body, "<p class=\"needs\">Share of energy:");
    for (ptrdiff_t r = 0; r < count; r++)
        crs_mark(&p->body, "%s %td: %s", r ? "," : "", r + 1,
                 crs_share(value[n - 1 - r] / sum, share));
    crs_mark(&p->body, "</p></figure>");
    crs_free(columns_memory);
    crs_free(value);
    return done;
}

static bool put_tucker(crs_page *p, const crs_split *s, crease_error *e)
{
    bool done = true;
    crs_section(p, "components", "The directions of each mode", "Directions");
    crs_say(p,
            "A Tucker model has its own rank in every mode. Drawn are the main directions of the "
            "low-rank part in each, orthogonal and ordered by their share of its energy; they are "
            "mixed by the core, so a single direction need not have a meaning of its own.");
    crs_mark(&p->body, "<div class=\"grid2\">");
    for (int m = 0; done && m < s->modes; m++)
        if ((double)s->size * (double)s->grid.dim[m] < 4e9) done = put_directions(p, s, m, e);
    crs_mark(&p->body, "</div>\n");
    return done;
}

bool crs_panel_components(crs_page *p, crease_error *e)
{
    const crs_split *s = crs_split_of(p);
    if (s->terms == 0) return s->modes == 0 || s->grid.order == 2 || put_tucker(p, s, e);
    if (s->video && s->grid.order == 2) return true;
    crs_section(p, "components", "The components", "Components");
    say_components(p, s);
    advise_edges(p, s);
    advise_twins(p, s);
    if (!put_modes(p, s, e)) return false;
    put_table(p, s);
    return true;
}
