/* SPDX-License-Identifier: MIT
 * regress: the page of a path of regressions: how lambda was chosen, the coefficients, how they fit
 * the rows, the certificate of every lambda */
#include "report/pieces.h"

enum { NAMED = 6, OTHERS = 200, ROWS = 400, SPOTS = 1500 };

/* Along the path from the largest lambda to the smallest; -1: no such lambda. */
typedef struct {
    ptrdiff_t path, p;
    double *x, *lambda, *nonzero, *residual; /* x is -log10(lambda) */
    crs_array coef;                          /* path x (p + 1), the intercept first */
    crs_array cv; /* path x (lambda, nonzero, mean, error); may be empty */
    ptrdiff_t best, one_se, shown;
    ptrdiff_t *rank; /* columns by |coefficient| at the lambda shown, the largest first */
    bool classes;
    crs_array y;
    double *score; /* b_0 + x_i'b of every row at the lambda shown; NULL: X or y is not to be had */
} course;

static double coefficient(const course *c, ptrdiff_t k, ptrdiff_t i)
{
    return c->coef.data[k * (c->p + 1) + 1 + i];
}

static const char *column(const crs_page *p, ptrdiff_t i, char out[CRS_LABEL])
{
    const json_t *names = crs_json_at(p->details, "column_names");
    const char *name = json_string_value(json_array_get(names, (size_t)i));
    if (name && *name)
        snprintf(out, CRS_LABEL, "%.120s", name);
    else
        snprintf(out, CRS_LABEL, "column %td", i + 1);
    return out;
}

static void close_course(crs_page *p)
{
    course *c = p->own;
    crs_free(c->x);
    crs_free(c->rank);
    crs_free(c->score);
    crs_array_free(&c->coef);
    crs_array_free(&c->cv);
    crs_array_free(&c->y);
    crs_free(c);
    p->own = NULL;
}

static bool read_path(crs_page *p, course *c, crease_error *e)
{
    const json_t *list = crs_json_at(p->details, "solutions");
    c->path = (ptrdiff_t)json_array_size(list);
    c->x = crs_doubles(4 * c->path, "the path", e);
    if (!c->x) return false;
    c->lambda = c->x + c->path, c->nonzero = c->lambda + c->path,
    c->residual = c->nonzero + c->path;
    for (ptrdiff_t k = 0; k < c->path; k++) {
        const json_t *one = json_array_get(list, (size_t)k);
        c->lambda[k] = crs_json_number(one, "lambda");
        c->x[k] = c->lambda[k] > 0 ? -log10(c->lambda[k]) : NAN;
        c->nonzero[k] = crs_json_number(one, "nonzero");
        c->residual[k] = crs_json_number(one, "certificate.relative");
    }
    return true;
}

/* An index of the cross-validation, counted from 1 in the document. */
static ptrdiff_t chosen(const crs_page *p, const course *c, const char *key)
{
    const double k = crs_json_number(p->details, key);
    return k >= 1 && k <= (double)c->path ? (ptrdiff_t)k - 1 : -1;
}

/* By insertion into the NAMED or ROWS first: p may be large, what is shown is not. */
static bool rank_columns(course *c, crease_error *e)
{
    c->rank = crs_alloc((size_t)c->p + 1, sizeof *c->rank);
    if (!c->rank) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the columns");
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < c->p; i++) {
        const double b = fabs(coefficient(c, c->shown, i));
        ptrdiff_t at = count;
        while (at > 0 && b > fabs(coefficient(c, c->shown, c->rank[at - 1]))) at--;
        if (at >= ROWS) continue;
        memmove(c->rank + at + 1, c->rank + at, (size_t)(count - at) * sizeof *c->rank);
        c->rank[at] = i;
        count += count < ROWS && count < c->p;
    }
    return true;
}

/* The rows' scores at the lambda shown, from X as it was; what cannot be read is left out. */
static void read_rows(crs_page *p, course *c)
{
    crs_array X = { .data = NULL };
    crease_error ours;
    if (!crs_page_source(p, "X", &X, &ours) || !crs_page_source(p, "y", &c->y, &ours)) {
        crs_array_free(&X);
        return;
    }
    const ptrdiff_t n = crease_size(&c->y.shape);
    const double *b = c->coef.data + c->shown * (c->p + 1);
    if (n > 0 && crease_size(&X.shape) == n * c->p) c->score = crs_doubles(n, "the fit", &ours);
    for (ptrdiff_t i = 0; c->score && i < n; i++) {
        c->score[i] = b[0];
        for (ptrdiff_t j = 0; j < c->p; j++) c->score[i] += times(X.data[i * c->p + j], b[1 + j]);
    }
    crs_array_free(&X);
}

static bool damaged(const crs_page *p, const char *what, crease_error *e)
{
    return crs_fail(e, CREASE_BAD_DATA, "%.200s: %s; write the result again with crease regress",
                    p->folder, what);
}

static bool open_course(crs_page *p, crease_error *e)
{
    course *c = p->own = crs_alloc(1, sizeof *c);
    if (!c) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the page");
    if (!read_path(p, c, e)) return false;
    if (c->path < 1) return damaged(p, "its result.json lists no solutions", e);
    if (!crs_page_array(p, "coefficients.npy", &c->coef, e)) return false;
    if (c->coef.shape.order != 2 || c->coef.shape.dim[0] != c->path || c->coef.shape.dim[1] < 2)
        return damaged(p, "coefficients.npy has not a row for every solution of result.json", e);
    c->p = c->coef.shape.dim[1] - 1;
    c->best = chosen(p, c, "cross_validation.best");
    c->one_se = chosen(p, c, "cross_validation.one_se");
    c->shown = c->best >= 0 ? c->best : c->path - 1;
    c->classes = p->model && strcmp(p->model, "logistic") == 0;
    crease_error ours;
    if (c->best >= 0 && crs_page_array(p, "cv.csv", &c->cv, &ours) &&
        (c->cv.shape.order != 2 || c->cv.shape.dim[0] != c->path || c->cv.shape.dim[1] != 4))
        crs_array_free(&c->cv);
    if (!rank_columns(c, e)) return false;
    read_rows(p, c);
    return true;
}

static double held_out(const course *c, ptrdiff_t k) { return c->cv.data[4 * k + 2]; }
static double held_error(const course *c, ptrdiff_t k) { return c->cv.data[4 * k + 3]; }

/* The share of the empty model's held-out deviance that the model at k takes away; NaN: none. */
static double explained(const course *c, ptrdiff_t k)
{
    return c->cv.data && c->nonzero[0] == 0 && held_out(c, 0) > 0
               ? 1 - held_out(c, k) / held_out(c, 0)
               : NAN;
}

static void put_cards(crs_page *p, const course *c)
{
    char a[CRS_DIGITS], b[CRS_DIGITS], note[CRS_LABEL], value[CRS_LABEL];
    const ptrdiff_t k = c->shown;
    snprintf(note, sizeof note, "of %s columns", crs_count((double)c->p, b));
    crs_card(p, "Selected", crs_count(c->nonzero[k], a), note);
    crs_card(p, "Lambda", crs_digits(c->lambda[k], 3, a),
             c->best >= 0 ? "least held-out error" : "the last of the path");
    if (isfinite(explained(c, k))) {
        snprintf(note, sizeof note, "of the %s of held-out rows",
                 c->classes ? "deviance" : "variance");
        crs_card(p, "Explained", crs_share(explained(c, k), a), note);
    }
    if (c->one_se >= 0) {
        snprintf(note, sizeof note, "columns at lambda %s, within one standard error",
                 crs_digits(c->lambda[c->one_se], 3, b));
        crs_card(p, "Simpler choice", crs_count(c->nonzero[c->one_se], a), note);
    }
    const double certified = crs_json_number(p->details, "certified");
    snprintf(value, sizeof value, "%.0f of %td", certified, c->path);
    if (isfinite(certified)) crs_card(p, "Certified", value, "lambdas, by the independent checker");
    crs_card(p, "Time", crs_seconds(crs_json_number(p->result, "seconds"), a),
             "of the whole command");
}

static void advise_choice(crs_page *p, const course *c)
{
    char a[CRS_DIGITS], b[CRS_DIGITS];
    const double most = crs_json_number(p->details, "lambda_max");
    const ptrdiff_t last = c->path - 1;
    bool any = false;
    for (ptrdiff_t k = 0; k < c->path; k++) any = any || c->nonzero[k] > 0;
    if (!any)
        crs_advise(p,
                   "Nothing was selected: from lambda %s on every coefficient is zero, and the "
                   "smallest lambda tried is %s. Give smaller ones with <code>--lambda</code> or "
                   "<code>--path</code>.",
                   crs_digits(most, 3, a), crs_digits(c->lambda[last], 3, b));
    else if (c->best >= 0 && c->nonzero[c->best] == 0)
        crs_advise(p,
                   "No column helps on rows that were left out: the least held-out error is that "
                   "of the constant alone. More rows, other columns or another loss may.");
    else if (c->best == last && c->path > 1)
        crs_advise(p,
                   "The best lambda is the last of the path, so a smaller one may be better: let "
                   "the path go further down, as with <code>--path %td,%s</code>.",
                   c->path, crs_digits(0.1 * c->lambda[last] / c->lambda[0], 1, a));
    if (c->best < 0 && any)
        crs_advise(p, "No lambda was chosen; the page shows the last. <code>--cv 5</code> chooses "
                      "by the error on rows that were left out.");
}

static void advise_trust(crs_page *p, const course *c)
{
    const double certified = crs_json_number(p->details, "certified"),
                 asked = crs_json_number(p->result, "settings.path_asked");
    const json_t *warnings = crs_json_at(p->details, "warnings");
    if (certified < (double)c->path)
        crs_advise(p,
                   "%.0f of %td lambdas are not certified. Allow more sweeps with "
                   "<code>--max-iterations</code>, or ask for less with <code>--eps</code>.",
                   (double)c->path - certified, c->path);
    if (asked > (double)c->path)
        crs_advise(p,
                   "The path ends early: %td of %.0f lambdas were reached before the run was "
                   "stopped.",
                   c->path, asked);
    for (size_t k = 0; k < json_array_size(warnings); k++)
        if (json_is_string(json_array_get(warnings, k)))
            crs_advise(p, "%s.", json_string_value(json_array_get(warnings, k)));
}

static bool head(crs_page *p, crease_error *e)
{
    const course *c = p->own;
    char a[CRS_DIGITS], b[CRS_DIGITS];
    const json_t *X = json_array_get(crs_json_at(p->result, "data"), 0);
    const char *path = crs_json_words(X, "path"), *file = path ? strrchr(path, '/') : NULL;
    (void)e;
    crs_mark(&p->kicker, "crease regress · sparse %s",
             c->classes ? "classification" : "regression");
    crs_mark(&p->title, "%s", file ? file + 1 : path ? path : "Sparse regression");
    crs_mark(&p->lede, "<b>%s of %s columns</b> %s y in %s rows",
             crs_count(c->nonzero[c->shown], a), crs_count((double)c->p, b),
             c->nonzero[c->shown] == 1 ? "predicts" : "predict",
             crs_count(crs_json_number(p->details, "rows"), (char[CRS_DIGITS]){ 0 }));
    if (isfinite(explained(c, c->shown)))
        crs_mark(&p->lede, "; on rows that were left out they explain <b>%s</b> of the %s.",
                 crs_share(explained(c, c->shown), a), c->classes ? "deviance" : "variance");
    else
        crs_mark(&p->lede, ", at lambda %s.", crs_digits(c->lambda[c->shown], 3, a));
    put_cards(p, c);
    advise_choice(p, c);
    advise_trust(p, c);
    return true;
}

const crs_page_kind crs_page_regress = {
    .verb = "regress", .open = open_course, .head = head, .close = close_course
};

/* Lambda descends to the right; a power of ten, or 1, 2, 5 times it on a short path. */
static void mark_lambdas(const crs_chart *c)
{
    char text[CRS_DIGITS];
    const double span = c->x1 - c->x0;
    const int every = 1 + (int)(span / 6);
    for (int k = (int)floor(c->x0); k <= (int)ceil(c->x1); k++)
        for (int part = 0; part < (span < 2.5 ? 3 : 1); part++) {
            static const double times_ten[] = { 1, 2, 5 };
            const double x = k - log10(times_ten[part]);
            if (x < c->x0 - 1e-9 || x > c->x1 + 1e-9 || k % every) continue;
            crs_chart_mark(c, x, crs_digits(times_ten[part] * pow(10, -k), 2, text));
        }
}

static crs_chart path_chart(crs_page *p, const course *c, double width, double height)
{
    crs_chart chart = crs_chart_of(&p->body, width, height);
    chart.x0 = c->x[0], chart.x1 = c->x[c->path - 1];
    if (!(chart.x1 > chart.x0)) chart.x0 -= 0.5, chart.x1 = chart.x0 + 1;
    chart.unmarked = true;
    chart.xname = "lambda";
    return chart;
}

/* A word at the head of an upright line, on the side that is free. */
static void name_choice(const crs_chart *chart, double x, const char *colour, const char *word,
                        bool left)
{
    const double wide = chart->width - chart->left - chart->right,
                 at = chart->left + (x - chart->x0) / (chart->x1 - chart->x0) * wide;
    crs_chart_upright(chart, x, colour, "");
    crs_mark(chart->to,
             "<text class=\"h\" x=\"%.1f\" y=\"%.0f\" text-anchor=\"%s\" "
             "style=\"fill:var(--%s)\">%s</text>",
             left ? at - 5 : at + 5, chart->top + 9, left ? "end" : "start", colour, word);
}

/* The sparser choice has the larger lambda and so stands on the left. */
static void mark_choices(const crs_chart *chart, const course *c)
{
    const double middle = (chart->x0 + chart->x1) / 2;
    const bool two = c->one_se >= 0 && c->one_se != c->best;
    if (c->best < 0) return;
    if (two) name_choice(chart, c->x[c->one_se], "muted", "one error", true);
    name_choice(chart, c->x[c->best], "ok", "best", !two && c->x[c->best] > middle);
}

/* A line of column i where it is not zero, with a zero before and after. */
static void course_of(const crs_chart *chart, const course *c, ptrdiff_t i, const char *colour)
{
    ptrdiff_t first = c->path, last = -1;
    double *b = crs_alloc((size_t)c->path, sizeof *b);
    for (ptrdiff_t k = 0; b && k < c->path; k++) {
        b[k] = coefficient(c, k, i);
        if (b[k] == 0) continue;
        first = k < first ? k : first;
        last = k;
    }
    if (b && last >= 0) {
        first = first > 0 ? first - 1 : 0;
        last = last + 1 < c->path ? last + 1 : last;
        crs_chart_line(chart, last - first + 1, c->x + first, b + first, colour);
    }
    if (!b) chart->to->failed = true;
    crs_free(b);
}

static double largest_of(const course *c, ptrdiff_t i)
{
    double most = 0;
    for (ptrdiff_t k = 0; k < c->path; k++) most = larger(most, fabs(coefficient(c, k, i)));
    return most;
}

/* Is it one of the coloured ones? Its number from 1, or 0. */
static int number_of(const course *c, ptrdiff_t i)
{
    for (int k = 0; k < NAMED && k < c->p; k++)
        if (c->rank[k] == i && coefficient(c, c->shown, i) != 0) return k + 1;
    return 0;
}

/* The number of a line stands on it where no other number is near, from the right. */
static void put_badges(const crs_chart *chart, const course *c)
{
    crs_spots spots = { .count = 0 };
    const double edge =
        chart->x1 - 8 * (chart->x1 - chart->x0) / (chart->width - chart->left - chart->right);
    for (int k = 0; k < NAMED && k < c->p; k++) {
        const ptrdiff_t i = c->rank[k];
        for (ptrdiff_t at = c->path - 1; at >= 0 && number_of(c, i); at--) {
            const double b = coefficient(c, at, i);
            if (b == 0 || c->x[at] >= edge ||
                !crs_spot_free(&spots, chart, c->x[at], b, (double[]){ 22, 20 }))
                continue;
            crs_chart_badge(chart, c->x[at], b, crs_colour(k), k + 1);
            break;
        }
    }
}

static void put_courses(crs_page *p, const course *c)
{
    crs_chart chart = path_chart(p, c, 540, 340);
    ptrdiff_t others = 0;
    for (ptrdiff_t i = 0; i < c->p; i++)
        for (ptrdiff_t k = 0; k < c->path; k++) {
            chart.y0 = smaller(chart.y0, coefficient(c, k, i));
            chart.y1 = k || i ? larger(chart.y1, coefficient(c, k, i)) : coefficient(c, k, i);
        }
    const double pad = 0.08 * (chart.y1 - chart.y0);
    chart.y0 -= pad, chart.y1 += pad;
    chart.yname = "coefficient";
    chart.label = "Coefficients along the path of lambdas";
    crs_mark(&p->body, "<figure><figcaption><b>Coefficients</b> <span>along the path</span>"
                       "</figcaption>");
    crs_chart_begin(&chart);
    mark_lambdas(&chart);
    crs_mark(&p->body, "<g class=\"quiet\">");
    for (ptrdiff_t i = 0; i < c->p && others < OTHERS; i++)
        if (!number_of(c, i) && largest_of(c, i) > 0) course_of(&chart, c, i, "muted"), others++;
    crs_mark(&p->body, "</g>");
    for (int k = NAMED - 1; k >= 0; k--)
        if (k < c->p && number_of(c, c->rank[k])) course_of(&chart, c, c->rank[k], crs_colour(k));
    mark_choices(&chart, c);
    put_badges(&chart, c);
    crs_chart_end(&chart);
    crs_mark(&p->body, "</figure>");
}

static void put_scores(crs_page *p, const course *c)
{
    double *y = crs_alloc(3 * (size_t)c->path, sizeof *y), *low = y + c->path,
           *high = low + c->path;
    crs_chart chart = path_chart(p, c, 540, 340);
    if (!y) {
        p->body.failed = true;
        return;
    }
    chart.y0 = INFINITY, chart.y1 = -INFINITY;
    for (ptrdiff_t k = 0; k < c->path; k++) {
        y[k] = held_out(c, k);
        low[k] = y[k] - held_error(c, k), high[k] = y[k] + held_error(c, k);
        if (low[k] < chart.y0) chart.y0 = low[k];
        if (high[k] > chart.y1) chart.y1 = high[k];
    }
    chart.y0 = pos(chart.y0 - 0.05 * (chart.y1 - chart.y0));
    chart.yname = c->classes ? "deviance per row" : "held-out error";
    chart.label = "Error on rows that were left out, along the path, with its standard error";
    crs_mark(&p->body, "<figure><figcaption><b>Error on rows left out</b> <span>band: one standard "
                       "error</span></figcaption>");
    crs_chart_begin(&chart);
    mark_lambdas(&chart);
    crs_chart_area(&chart, c->path, c->x, high, low, "c1");
    crs_chart_line(&chart, c->path, c->x, y, "c1");
    mark_choices(&chart, c);
    crs_chart_ring(&chart, c->x[c->best], y[c->best], "ok", "");
    crs_chart_end(&chart);
    crs_mark(&p->body, "</figure>");
    crs_free(y);
}

static void say_choice(crs_page *p, const course *c)
{
    char a[CRS_DIGITS], b[CRS_DIGITS], d[CRS_DIGITS];
    if (c->best < 0 || !c->cv.data) {
        crs_say(p,
                "From lambda %s, where nothing is selected, to %s the path selects up to %s "
                "columns.",
                crs_digits(c->lambda[0], 3, a), crs_digits(c->lambda[c->path - 1], 3, b),
                crs_count(c->nonzero[c->path - 1], d));
        return;
    }
    char simple[CRS_LABEL] = "; no sparser model is within one standard error of it";
    if (c->one_se >= 0 && c->one_se != c->best)
        snprintf(simple, sizeof simple,
                 "; %.0f columns, at lambda %s, do as well within one standard error",
                 c->nonzero[c->one_se], crs_digits(c->lambda[c->one_se], 3, d));
    crs_say(p,
            "Of %td lambdas, <b>%s</b> leaves the least error on rows that were left out, %s, and "
            "selects <b>%.0f columns</b>%s.",
            c->path, crs_digits(c->lambda[c->best], 3, a), crs_digits(held_out(c, c->best), 3, b),
            c->nonzero[c->best], simple);
    if (c->nonzero[0] == 0 && c->best > 0 &&
        held_out(c, c->best) + held_error(c, c->best) > held_out(c, 0))
        crs_advise(p,
                   "The best error lies within one standard error of that of the constant alone: "
                   "these rows do not show that the columns predict anything.");
}

bool crs_panel_regress_path(crs_page *p, crease_error *e)
{
    const course *c = p->own;
    (void)e;
    crs_section(p, "path", "How much to select", "Path");
    say_choice(p, c);
    crs_mark(&p->body, "<div class=\"grid2\">");
    put_courses(p, c);
    if (c->cv.data) put_scores(p, c);
    crs_mark(&p->body, "</div>\n");
    return true;
}

static void put_coefficient(crs_page *p, const course *c, ptrdiff_t k, double most)
{
    char name[CRS_LABEL], text[CRS_DIGITS];
    const ptrdiff_t i = c->rank[k];
    const double b = coefficient(c, c->shown, i);
    const int number = number_of(c, i);
    crs_mark(&p->body, "<tr><th scope=\"row\">");
    if (number)
        crs_mark(&p->body, "<span class=\"badge\" style=\"background:var(--%s)\">%d</span> ",
                 crs_colour(k), number);
    crs_mark(&p->body, "%s</th><td data-v=\"%.9g\">%s</td>", column(p, i, name), b,
             crs_digits(b, 4, text));
    crs_mark_signed(&p->body, b / most, number ? crs_colour(k) : "muted");
    if (c->one_se >= 0 && c->one_se != c->best) {
        const double simple = coefficient(c, c->one_se, i);
        crs_mark(&p->body, "<td data-v=\"%.9g\">%s</td>", simple,
                 simple == 0 ? "0" : crs_digits(simple, 4, text));
    }
    ptrdiff_t enters = 0;
    while (enters < c->path && coefficient(c, enters, i) == 0) enters++;
    crs_mark(&p->body, "<td data-v=\"%.9g\">%s</td></tr>", c->lambda[enters],
             crs_digits(c->lambda[enters], 3, text));
}

bool crs_panel_regress_coefficients(crs_page *p, crease_error *e)
{
    const course *c = p->own;
    char name[CRS_LABEL], text[CRS_DIGITS];
    const ptrdiff_t most = c->p < ROWS ? c->p : ROWS, count = (ptrdiff_t)c->nonzero[c->shown];
    const double largest = c->p ? fabs(coefficient(c, c->shown, c->rank[0])) : 0;
    (void)e;
    if (!(largest > 0)) return true;
    crs_section(p, "coefficients", "Coefficients", "Coefficients");
    crs_say(p, "%s has the largest coefficient, %s, per unit of the column%s.",
            column(p, c->rank[0], name), crs_digits(coefficient(c, c->shown, c->rank[0]), 3, text),
            count > most ? "; the 400 largest are listed" : "");
    crs_mark(&p->body,
             "<div class=\"scroll\"><table class=\"sort\"><caption>At lambda %s; zeros are left "
             "out. Choose a heading to sort.</caption><thead><tr><th scope=\"col\">Column</th><th "
             "scope=\"col\">%s</th><th scope=\"col\" class=\"l w\" data-plain>Size</th>",
             crs_digits(c->lambda[c->shown], 3, text),
             c->best >= 0 ? "At the best" : "Coefficient");
    if (c->one_se >= 0 && c->one_se != c->best)
        crs_mark(&p->body, "<th scope=\"col\">Within one error</th>");
    crs_mark(&p->body, "<th scope=\"col\">Enters at lambda</th></tr></thead><tbody>");
    for (ptrdiff_t k = 0; k < most && coefficient(c, c->shown, c->rank[k]) != 0; k++)
        put_coefficient(p, c, k, largest);
    crs_mark(&p->body, "</tbody></table></div>\n");
    return true;
}

bool crs_panel_regress_fit(crs_page *p, crease_error *e)
{
    const course *c = p->own;
    if (!c->score) {
        crs_section(p, "fit", "How it fits", "Fit");
        crs_say(p, "X and y are not where they were, or have changed: what the model predicts for "
                   "them is left out.");
        return true;
    }
    crs_section(p, "fit", "How it fits", "Fit");
    const ptrdiff_t n = crease_size(&c->y.shape);
    return c->classes ? crs_put_classes(p, n, c->y.data, c->score, e)
                      : crs_put_fit(p, n, c->y.data, c->score, e);
}

bool crs_panel_regress_certificates(crs_page *p, crease_error *e)
{
    const course *c = p->own;
    char a[CRS_DIGITS], b[CRS_DIGITS];
    const double eps = crs_json_number(p->result, "eps");
    ptrdiff_t met = 0;
    double worst = 0, least = INFINITY;
    (void)e;
    for (ptrdiff_t k = 0; k < c->path; k++) {
        met += c->residual[k] <= eps;
        if (c->residual[k] > worst) worst = c->residual[k];
        if (c->residual[k] > 0 && c->residual[k] < least) least = c->residual[k];
    }
    crs_section(p, "certificate", "Certificate of every lambda", "Certificate");
    crs_say(p,
            "%td of %td solutions meet the conditions of a stationary point; the largest "
            "relative residual is %s, where %s was asked for.",
            met, c->path, crs_digits(worst, 2, a), crs_digits(eps, 2, b));
    crs_chart chart = path_chart(p, c, 760, 200);
    chart.log = true;
    chart.left = 72;
    chart.y0 = pow(10, floor(log10(smaller(least, eps / 10))));
    chart.y1 = 100 * pow(10, ceil(log10(larger(worst, eps))));
    chart.yname = "residual";
    chart.label = "Relative residual of every lambda against the tolerance";
    crs_mark(&p->body, "<figure class=\"narrow\">");
    crs_chart_begin(&chart);
    mark_lambdas(&chart);
    crs_chart_level(&chart, eps, "ink", "asked for");
    for (ptrdiff_t k = 0; k < c->path; k++) {
        const double v = c->residual[k] > 0 ? c->residual[k] : chart.y0;
        if (isfinite(v)) crs_chart_dots(&chart, 1, c->x + k, &v, v <= eps ? "ok" : "bad");
    }
    crs_chart_end(&chart);
    crs_mark(&p->body, "</figure>\n");
    return true;
}
