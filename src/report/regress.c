/* SPDX-License-Identifier: MIT
 * regress: the page of a path of regressions: how lambda was chosen, the coefficients, how they fit
 * the rows, the certificate of every lambda */
#include "report/pieces.h"

typedef struct {
    crs_path way;
    double *lambda, *nonzero, *residual; /* of every row */
    crs_array coef;
    crs_array cv; /* path x (lambda, nonzero, mean, error); may be empty */
    bool classes;
    crs_array y;
    double *score; /* b_0 + x_i'b of every row at the lambda shown; NULL: X or y is not to be had */
} course;

static const char *column(const void *page, ptrdiff_t i, char out[CRS_LABEL])
{
    const crs_page *p = page;
    const crs_axis *axis = &p->axes.axis[1];
    const json_t *names = crs_json_at(p->details, "column_names");
    const char *name = json_string_value(json_array_get(names, (size_t)i));
    if (!name && axis->label && i < axis->count) name = axis->label[i];
    if (name && *name)
        snprintf(out, CRS_LABEL, "%.120s", name);
    else
        snprintf(out, CRS_LABEL, "column %td", i + 1);
    return out;
}

static void close_course(crs_page *p)
{
    course *c = p->own;
    crs_path_end(&c->way);
    crs_free(c->lambda);
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
    c->way.path = (ptrdiff_t)json_array_size(list);
    c->lambda = crs_doubles(3 * c->way.path, "the path", e);
    if (!c->lambda) return false;
    c->nonzero = c->lambda + c->way.path, c->residual = c->nonzero + c->way.path;
    c->way.lambda = c->lambda;
    for (ptrdiff_t k = 0; k < c->way.path; k++) {
        const json_t *one = json_array_get(list, (size_t)k);
        c->lambda[k] = crs_json_number(one, "lambda");
        c->nonzero[k] = crs_json_number(one, "nonzero");
        c->residual[k] = crs_json_number(one, "certificate.relative");
    }
    return true;
}

/* An index of the cross-validation, counted from 1 in the document. */
static ptrdiff_t chosen(const crs_page *p, const course *c, const char *key)
{
    const double k = crs_json_number(p->details, key);
    return k >= 1 && k <= (double)c->way.path ? (ptrdiff_t)k - 1 : -1;
}

/* The rows' scores at the lambda shown, from X as it was; what cannot be read is left out. */
static bool read_rows(crs_page *p, course *c, crease_error *e)
{
    crs_array X = { .data = NULL };
    crease_error ours;
    bool done = true;
    if (!crs_page_source(p, "X", &X, &ours) || !crs_page_source(p, "y", &c->y, &ours)) {
        crs_array_free(&X);
        return crs_page_without(&ours, e);
    }
    const ptrdiff_t n = crease_size(&c->y.shape), columns = c->way.columns;
    const double *b = c->coef.data + c->way.shown * (columns + 1);
    if (n > 0 && crease_size(&X.shape) == n * columns) {
        c->score = crs_doubles(n, "the fit", e);
        done = c->score;
    }
    for (ptrdiff_t i = 0; c->score && i < n; i++) {
        c->score[i] = b[0];
        for (ptrdiff_t j = 0; j < columns; j++)
            c->score[i] += times(X.data[i * columns + j], b[1 + j]);
    }
    crs_array_free(&X);
    return done;
}

static bool damaged(const crs_page *p, const char *what, crease_error *e)
{
    return crs_fail(e, CREASE_BAD_DATA, "%.200s: %s; write the result again with crease regress",
                    p->folder, what);
}

/* cv.csv, where there was a cross-validation and it suits the path. */
static bool read_scores(crs_page *p, course *c, crease_error *e)
{
    crease_error ours;
    if (c->way.best < 0) return true;
    if (!crs_page_array(p, "cv.csv", &c->cv, &ours)) return crs_page_without(&ours, e);
    const crease_space *s = &c->cv.shape;
    if (s->order != 2 || s->dim[0] != c->way.path || s->dim[1] != 4) crs_array_free(&c->cv);
    return true;
}

static bool open_course(crs_page *p, crease_error *e)
{
    course *c = p->own = crs_alloc(1, sizeof *c);
    if (!c) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the page");
    if (!read_path(p, c, e)) return false;
    if (c->way.path < 1) return damaged(p, "its result.json lists no solutions", e);
    if (!crs_page_array(p, "coefficients.npy", &c->coef, e)) return false;
    if (c->coef.shape.order != 2 || c->coef.shape.dim[0] != c->way.path || c->coef.shape.dim[1] < 2)
        return damaged(p, "coefficients.npy has not a row for every solution of result.json", e);
    c->way.columns = c->coef.shape.dim[1] - 1;
    c->way.best = chosen(p, c, "cross_validation.best");
    c->way.one_se = chosen(p, c, "cross_validation.one_se");
    c->way.coef = c->coef.data;
    c->way.name = column, c->way.from = p;
    c->classes = p->model && strcmp(p->model, "logistic") == 0;
    return read_scores(p, c, e) && crs_path_begin(&c->way, e) && read_rows(p, c, e);
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
    const ptrdiff_t k = c->way.shown;
    snprintf(note, sizeof note, "of %s columns", crs_count((double)c->way.columns, b));
    crs_card(p, "Selected", crs_count(c->nonzero[k], a), note);
    crs_card(p, "Lambda", crs_digits(c->way.lambda[k], 3, a),
             c->way.best >= 0 ? "least held-out error" : "the last of the path");
    if (isfinite(explained(c, k))) {
        snprintf(note, sizeof note, "of the %s of held-out rows",
                 c->classes ? "deviance" : "variance");
        crs_card(p, "Explained", crs_share(explained(c, k), a), note);
    }
    if (c->way.one_se >= 0) {
        snprintf(note, sizeof note, "columns at lambda %s, within one standard error",
                 crs_digits(c->way.lambda[c->way.one_se], 3, b));
        crs_card(p, "Simpler choice", crs_count(c->nonzero[c->way.one_se], a), note);
    }
    const double certified = crs_json_number(p->details, "certified");
    snprintf(value, sizeof value, "%.0f of %td", certified, c->way.path);
    if (isfinite(certified)) crs_card(p, "Certified", value, "lambdas, by the independent checker");
    crs_card(p, "Time", crs_seconds(crs_json_number(p->result, "seconds"), a),
             "of the whole command");
}

static void advise_choice(crs_page *p, const course *c)
{
    char a[CRS_DIGITS], b[CRS_DIGITS];
    const double most = crs_json_number(p->details, "lambda_max");
    const ptrdiff_t last = c->way.path - 1;
    bool any = false;
    for (ptrdiff_t k = 0; k < c->way.path; k++) any = any || c->nonzero[k] > 0;
    if (!any)
        crs_advise(p,
                   "Nothing was selected: from lambda %s on every coefficient is zero, and the "
                   "smallest lambda tried is %s. Give smaller ones with <code>--lambda</code> or "
                   "<code>--path</code>.",
                   crs_digits(most, 3, a), crs_digits(c->way.lambda[last], 3, b));
    else if (c->way.best >= 0 && c->nonzero[c->way.best] == 0)
        crs_advise(p,
                   "No column helps on rows that were left out: the least held-out error is that "
                   "of the constant alone. More rows, other columns or another loss may.");
    else if (c->way.best == last && c->way.path > 1)
        crs_advise(p,
                   "The best lambda is the last of the path, so a smaller one may be better: let "
                   "the path go further down, as with <code>--path %td,%s</code>.",
                   c->way.path, crs_digits(0.1 * c->way.lambda[last] / c->way.lambda[0], 1, a));
    if (c->way.best < 0 && any)
        crs_advise(p, "No lambda was chosen; the page shows the last. <code>--cv 5</code> chooses "
                      "by the error on rows that were left out.");
}

static void advise_trust(crs_page *p, const course *c)
{
    const double certified = crs_json_number(p->details, "certified"),
                 asked = crs_json_number(p->result, "settings.path_asked");
    const json_t *warnings = crs_json_at(p->details, "warnings");
    if (certified < (double)c->way.path)
        crs_advise(p,
                   "%.0f of %td lambdas are not certified. Allow more sweeps with "
                   "<code>--max-iterations</code>, or ask for less with <code>--eps</code>.",
                   (double)c->way.path - certified, c->way.path);
    if (asked > (double)c->way.path)
        crs_advise(p,
                   "The path ends early: %td of %.0f lambdas were reached before the run was "
                   "stopped.",
                   c->way.path, asked);
    for (size_t k = 0; k < json_array_size(warnings); k++) {
        const char *text = json_string_value(json_array_get(warnings, k));
        if (text && strncmp(text, "the least deviance is at the last", 33) != 0 &&
            strncmp(text, "not every solution is certified", 31) != 0) /* said above */
            crs_advise(p, "The program says: %s.", text);
    }
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
             crs_count(c->nonzero[c->way.shown], a), crs_count((double)c->way.columns, b),
             c->nonzero[c->way.shown] == 1 ? "predicts" : "predict",
             crs_count(crs_json_number(p->details, "rows"), (char[CRS_DIGITS]){ 0 }));
    if (isfinite(explained(c, c->way.shown)))
        crs_mark(&p->lede, "; on rows that were left out they explain <b>%s</b> of the %s.",
                 crs_share(explained(c, c->way.shown), a), c->classes ? "deviance" : "variance");
    else
        crs_mark(&p->lede, ", at lambda %s.", crs_digits(c->way.lambda[c->way.shown], 3, a));
    put_cards(p, c);
    advise_choice(p, c);
    advise_trust(p, c);
    return true;
}

const crs_page_kind crs_page_regress = {
    .verb = "regress", .open = open_course, .head = head, .close = close_course
};

static void put_scores(crs_page *p, const course *c)
{
    double *y = crs_alloc(3 * (size_t)c->way.path, sizeof *y), *low = y + c->way.path,
           *high = low + c->way.path;
    crs_chart chart = crs_path_chart(&p->body, &c->way, 540, 340);
    if (!y) {
        p->body.failed = true;
        return;
    }
    chart.y0 = INFINITY, chart.y1 = -INFINITY;
    for (ptrdiff_t k = 0; k < c->way.path; k++) {
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
    crs_chart_area(&chart, c->way.path, c->way.x, high, low, "c1");
    crs_chart_line(&chart, c->way.path, c->way.x, y, "c1");
    crs_path_marks(&chart, &c->way);
    crs_chart_ring(&chart, c->way.x[c->way.best], y[c->way.best], "ok", "");
    crs_chart_end(&chart);
    crs_mark(&p->body, "</figure>");
    crs_free(y);
}

static void say_choice(crs_page *p, const course *c)
{
    char a[CRS_DIGITS], b[CRS_DIGITS], d[CRS_DIGITS];
    if (c->way.best < 0 || !c->cv.data) {
        crs_say(p,
                "From lambda %s, where nothing is selected, to %s the path selects up to %s "
                "columns.",
                crs_digits(c->way.lambda[0], 3, a),
                crs_digits(c->way.lambda[c->way.path - 1], 3, b),
                crs_count(c->nonzero[c->way.path - 1], d));
        return;
    }
    char simple[CRS_LABEL] = "; no sparser model is within one standard error of it";
    if (c->way.one_se >= 0 && c->way.one_se != c->way.best)
        snprintf(simple, sizeof simple,
                 "; %.0f column%s, at lambda %s, %s as well within one standard error",
                 c->nonzero[c->way.one_se], c->nonzero[c->way.one_se] == 1 ? "" : "s",
                 crs_digits(c->way.lambda[c->way.one_se], 3, d),
                 c->nonzero[c->way.one_se] == 1 ? "does" : "do");
    crs_say(p,
            "Of %td lambdas, <b>%s</b> leaves the least error on rows that were left out, %s, and "
            "selects <b>%.0f column%s</b>%s.",
            c->way.path, crs_digits(c->way.lambda[c->way.best], 3, a),
            crs_digits(held_out(c, c->way.best), 3, b), c->nonzero[c->way.best],
            c->nonzero[c->way.best] == 1 ? "" : "s", simple);
    if (c->nonzero[0] == 0 && c->way.best > 0 &&
        held_out(c, c->way.best) + held_error(c, c->way.best) > held_out(c, 0))
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
    crs_mark(&p->body, "<figure><figcaption><b>Coefficients</b> <span>along the path</span>"
                       "</figcaption>");
    crs_path_draw(&p->body, &c->way);
    crs_mark(&p->body, "</figure>");
    if (c->cv.data) put_scores(p, c);
    crs_mark(&p->body, "</div>\n");
    return true;
}

static void put_coefficient(crs_page *p, const course *c, ptrdiff_t k, double most)
{
    char name[CRS_LABEL], text[CRS_DIGITS];
    const ptrdiff_t i = c->way.rank[k];
    const double b = crs_path_coefficient(&c->way, c->way.shown, i);
    const int number = crs_path_number(&c->way, i);
    crs_mark(&p->body, "<tr><th scope=\"row\">");
    if (number)
        crs_mark(&p->body, "<span class=\"badge\" style=\"background:var(--%s)\">%d</span> ",
                 crs_colour(k), number);
    crs_mark(&p->body, "%s</th><td data-v=\"%.9g\">%s</td>", column(p, i, name), b,
             crs_digits(b, 4, text));
    crs_mark_signed(&p->body, b / most, number ? crs_colour(k) : "muted");
    if (c->way.one_se >= 0 && c->way.one_se != c->way.best) {
        const double simple = crs_path_coefficient(&c->way, c->way.one_se, i);
        crs_mark(&p->body, "<td data-v=\"%.9g\">%s</td>", simple,
                 simple == 0 ? "0" : crs_digits(simple, 4, text));
    }
    ptrdiff_t enters = 0;
    while (enters < c->way.path && crs_path_coefficient(&c->way, enters, i) == 0) enters++;
    crs_mark(&p->body, "<td data-v=\"%.9g\">%s</td></tr>", c->way.lambda[enters],
             crs_digits(c->way.lambda[enters], 3, text));
}

bool crs_panel_regress_coefficients(crs_page *p, crease_error *e)
{
    const course *c = p->own;
    char name[CRS_LABEL], text[CRS_DIGITS];
    const ptrdiff_t most = c->way.columns < CRS_PATH_LISTED ? c->way.columns : CRS_PATH_LISTED,
                    count = (ptrdiff_t)c->nonzero[c->way.shown];
    const double largest =
        c->way.columns ? fabs(crs_path_coefficient(&c->way, c->way.shown, c->way.rank[0])) : 0;
    (void)e;
    if (!(largest > 0)) return true;
    crs_section(p, "coefficients", "Coefficients", "Coefficients");
    crs_say(p, "%s has the largest coefficient, %s, per unit of the column%s.",
            column(p, c->way.rank[0], name),
            crs_digits(crs_path_coefficient(&c->way, c->way.shown, c->way.rank[0]), 3, text),
            count > most ? "; the 400 largest are listed" : "");
    crs_mark(&p->body,
             "<div class=\"scroll\"><table class=\"sort\"><caption>At lambda %s; zeros are left "
             "out. Choose a heading to sort.</caption><thead><tr><th scope=\"col\">Column</th><th "
             "scope=\"col\">%s</th><th scope=\"col\" class=\"l w\" data-plain>Size</th>",
             crs_digits(c->way.lambda[c->way.shown], 3, text),
             c->way.best >= 0 ? "At the best" : "Coefficient");
    if (c->way.one_se >= 0 && c->way.one_se != c->way.best)
        crs_mark(&p->body, "<th scope=\"col\">Within one error</th>");
    crs_mark(&p->body, "<th scope=\"col\">Enters at lambda</th></tr></thead><tbody>");
    for (ptrdiff_t k = 0;
         k < most && crs_path_coefficient(&c->way, c->way.shown, c->way.rank[k]) != 0; k++)
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
    for (ptrdiff_t k = 0; k < c->way.path; k++) {
        met += c->residual[k] <= eps;
        if (c->residual[k] > worst) worst = c->residual[k];
        if (c->residual[k] > 0 && c->residual[k] < least) least = c->residual[k];
    }
    crs_section(p, "certificate", "Certificate of every lambda", "Certificate");
    crs_say(p,
            "%td of %td solutions meet the conditions of a stationary point; the largest "
            "relative residual is %s, where %s was asked for.",
            met, c->way.path, crs_digits(worst, 2, a), crs_digits(eps, 2, b));
    crs_path bare = c->way;
    bare.best = -1; /* no choices in this chart */
    crs_chart chart = crs_path_chart(&p->body, &c->way, 760, 200);
    chart.log = true;
    chart.left = 72;
    chart.y0 = pow(10, floor(log10(smaller(least, eps / 10))));
    chart.y1 = 100 * pow(10, ceil(log10(larger(worst, eps))));
    chart.yname = "residual";
    chart.label = "Relative residual of every lambda against the tolerance";
    crs_mark(&p->body, "<figure class=\"narrow\">");
    crs_chart_begin(&chart);
    crs_path_marks(&chart, &bare);
    crs_chart_level(&chart, eps, "ink", "asked for");
    for (ptrdiff_t k = 0; k < c->way.path; k++) {
        const double v = c->residual[k] > 0 ? c->residual[k] : chart.y0;
        if (isfinite(v)) crs_chart_dots(&chart, 1, c->way.x + k, &v, v <= eps ? "ok" : "bad");
    }
    crs_chart_end(&chart);
    crs_mark(&p->body, "</figure>\n");
    return true;
}
