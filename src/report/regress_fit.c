/* SPDX-License-Identifier: MIT
 * regress_fit: predictions beside what was observed: a scatter of numbers; for two classes the ROC
 * curve and the table of right and wrong */
#include "report/pieces.h"

enum { SPOTS = 1500 };

/* Rows that are numbers both in y and in the prediction. */
static bool told(const double *y, const double *score, ptrdiff_t i)
{
    return isfinite(y[i]) && isfinite(score[i]);
}

typedef struct {
    ptrdiff_t count;
    double low, high, mean, left, total; /* sums of squares: of what is left, about the mean */
} fit;

static fit fit_of(ptrdiff_t n, const double *y, const double *score)
{
    fit f = { .low = INFINITY, .high = -INFINITY };
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!told(y, score, i)) continue;
        f.count++;
        f.mean += (y[i] - f.mean) / (double)f.count;
        f.low = smaller(f.low, smaller(y[i], score[i]));
        f.high = larger(f.high, larger(y[i], score[i]));
    }
    for (ptrdiff_t i = 0; i < n; i++)
        if (told(y, score, i)) {
            f.left += square(y[i] - score[i]);
            f.total += square(y[i] - f.mean);
        }
    return f;
}

static void put_residuals(crs_page *p, ptrdiff_t n, const double *y, const double *score,
                          const fit *f)
{
    crs_chart c = crs_chart_of(&p->body, 540, 380);
    const ptrdiff_t every = 1 + f->count / SPOTS;
    double most = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        if (told(y, score, i)) most = larger(most, fabs(y[i] - score[i]));
    c.x0 = f->low, c.x1 = f->high, c.y0 = -1.1 * most, c.y1 = 1.1 * most;
    c.xname = "predicted", c.yname = "observed − predicted";
    c.label = "What is left, against the prediction";
    crs_mark(&p->body, "<figure><figcaption><b>What is left</b> <span>a bend or a fan would be "
                       "structure</span></figcaption>");
    crs_chart_begin(&c);
    crs_chart_level(&c, 0, "muted", "");
    for (ptrdiff_t i = 0; i < n; i += every) {
        const double left = y[i] - score[i];
        if (told(y, score, i)) crs_chart_dots(&c, 1, score + i, &left, "c1");
    }
    crs_chart_end(&c);
    crs_mark(&p->body, "</figure>");
}

bool crs_put_fit(crs_page *p, ptrdiff_t n, const double *y, const double *score, crease_error *e)
{
    char a[CRS_DIGITS], b[CRS_DIGITS];
    const fit f = fit_of(n, y, score);
    const ptrdiff_t every = 1 + f.count / SPOTS;
    (void)e;
    if (f.count < 1) return true;
    crs_say(p,
            "In the rows it was fitted to the model explains %s of the variance; it misses by "
            "%s (root mean square).",
            crs_share(f.total > 0 ? 1 - f.left / f.total : NAN, a),
            crs_digits(sqrt(f.left / (double)f.count), 3, b));
    crs_chart c = crs_chart_of(&p->body, 540, 380);
    c.x0 = c.y0 = f.low, c.x1 = c.y1 = f.high;
    c.xname = "predicted", c.yname = "observed";
    c.label = "Observed against predicted values, a dot for each row";
    crs_mark(&p->body,
             "<div class=\"grid2\"><figure><figcaption><b>Observed against predicted</b> "
             "<span>%s</span></figcaption>",
             every > 1 ? "a part of the rows" : "a dot for each row");
    crs_chart_begin(&c);
    crs_chart_line(&c, 2, (double[]){ f.low, f.high }, (double[]){ f.low, f.high }, "muted");
    for (ptrdiff_t i = 0; i < n; i += every)
        if (told(y, score, i)) crs_chart_dots(&c, 1, score + i, y + i, "c1");
    crs_chart_end(&c);
    crs_mark(&p->body, "</figure>");
    put_residuals(p, n, y, score, &f);
    crs_mark(&p->body, "</div>\n");
    return true;
}

/* A row of two classes. */
typedef struct {
    double score;
    bool one;
} judged;

static int by_score(const void *a, const void *b)
{
    const double x = ((const judged *)a)->score, y = ((const judged *)b)->score;
    return (x < y) - (x > y);
}

typedef struct {
    ptrdiff_t count, points;
    ptrdiff_t right[2], wrong[2]; /* of class 0 and 1, at the score 0 */
    double area;                  /* under the curve: P(score of a one > of a zero), ties half */
    double *x, *y;                /* false and true positive rates */
    judged *row;                  /* by descending score */
} curve;

/* Rows of equal scores are one step of the curve, which is a slant. */
static void walk(curve *c)
{
    const double ones = (double)(c->right[1] + c->wrong[1]),
                 zeros = (double)(c->right[0] + c->wrong[0]);
    ptrdiff_t hits = 0, alarms = 0;
    c->points = 1;
    for (ptrdiff_t i = 0; i < c->count; i++) {
        hits += c->row[i].one, alarms += !c->row[i].one;
        if (i + 1 < c->count && c->row[i + 1].score == c->row[i].score) continue;
        const double x = (double)alarms / zeros, y = (double)hits / ones;
        c->area += (x - c->x[c->points - 1]) * (y + c->y[c->points - 1]) / 2;
        c->x[c->points] = x, c->y[c->points++] = y;
    }
}

static bool curve_of(ptrdiff_t n, const double *y, const double *score, curve *c, crease_error *e)
{
    c->row = crs_alloc((size_t)n + 1, sizeof *c->row);
    c->x = crs_doubles(2 * n + 2, "the ROC curve", e);
    if (!c->row && c->x) crs_fail(e, CREASE_NO_MEMORY, "out of memory: the ROC curve");
    if (!c->row || !c->x) return false;
    c->y = c->x + n + 1;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!told(y, score, i)) continue;
        const bool one = y[i] == 1, says = score[i] > 0;
        c->row[c->count++] = (judged){ score[i], one };
        c->right[one] += one == says, c->wrong[one] += one != says;
    }
    qsort(c->row, (size_t)c->count, sizeof *c->row, by_score);
    if (c->right[0] + c->wrong[0] > 0 && c->right[1] + c->wrong[1] > 0) walk(c);
    return true;
}

static void put_roc(crs_page *p, const curve *c)
{
    char text[CRS_DIGITS], area[CRS_LABEL];
    crs_chart chart = crs_chart_of(&p->body, 540, 400);
    chart.xname = "share of zeros called one", chart.yname = "share of ones found";
    chart.label = "Receiver operating characteristic";
    snprintf(area, sizeof area, "area %s", crs_fixed(c->area, 3, text));
    crs_mark(&p->body, "<figure><figcaption><b>ROC curve</b> <span>%s</span></figcaption>", area);
    crs_chart_begin(&chart);
    crs_chart_line(&chart, 2, (double[]){ 0, 1 }, (double[]){ 0, 1 }, "muted");
    crs_chart_area(&chart, c->points, c->x, c->y, NULL, "c1");
    crs_chart_line(&chart, c->points, c->x, c->y, "c1");
    crs_chart_end(&chart);
    crs_mark(&p->body, "</figure>");
}

/* How sure the model is: ones upwards, zeros downwards. */
static void put_sureness(crs_page *p, const curve *c)
{
    enum { BINS = 20 };
    double one[BINS] = { 0 }, zero[BINS] = { 0 };
    char title[CRS_LABEL];
    crs_chart chart = crs_chart_of(&p->body, 540, 230);
    for (ptrdiff_t i = 0; i < c->count; i++) {
        const double probability = 1 / (1 + exp(-c->row[i].score));
        const int k = probability < 1 ? (int)(BINS * probability) : BINS - 1;
        (c->row[i].one ? one : zero)[k]++;
    }
    for (int k = 0; k < BINS; k++) {
        chart.y1 = larger(chart.y1, one[k]);
        chart.y0 = smaller(chart.y0, -zero[k]);
    }
    chart.xname = "probability of a one", chart.yname = "rows";
    chart.label = "Rows by the probability that the model gives them, ones above, zeros below";
    crs_mark(&p->body, "<figure class=\"mt\"><figcaption><b>How sure it is</b> <span>ones upwards, "
                       "zeros downwards</span></figcaption>");
    crs_chart_begin(&chart);
    for (int k = 0; k < BINS; k++) {
        const double x = (k + 0.5) / BINS;
        snprintf(title, sizeof title, "%.2f to %.2f: %.0f ones, %.0f zeros", (double)k / BINS,
                 (k + 1.0) / BINS, one[k], zero[k]);
        if (one[k] > 0) crs_chart_bar(&chart, x, 0.8 / BINS, one[k], "c1", title);
        if (zero[k] > 0) crs_chart_bar(&chart, x, 0.8 / BINS, -zero[k], "c2", title);
    }
    crs_chart_end(&chart);
    crs_mark(&p->body, "</figure>");
}

static void put_confusion(crs_page *p, const curve *c)
{
    static const char *const name[] = { "zero", "one" };
    char a[CRS_DIGITS], b[CRS_DIGITS], share[CRS_DIGITS];
    crs_mark(&p->body,
             "<div><table><caption>Rows by what they are and what the model calls them, "
             "at a probability of one half.</caption><thead><tr><th "
             "scope=\"col\">Observed</th><th scope=\"col\">called zero</th><th "
             "scope=\"col\">called one</th><th scope=\"col\">right</th></tr></thead><tbody>");
    for (int k = 0; k < 2; k++) {
        const double right = (double)c->right[k], wrong = (double)c->wrong[k];
        crs_mark(&p->body,
                 "<tr><th scope=\"row\">%s</th><td class=\"%s\">%s</td><td "
                 "class=\"%s\">%s</td><td>%s</td></tr>",
                 name[k], k ? "poor" : "good", crs_count(k ? wrong : right, a), k ? "good" : "poor",
                 crs_count(k ? right : wrong, b), crs_share(right / (right + wrong), share));
    }
    crs_mark(&p->body, "</tbody></table>");
    put_sureness(p, c);
    crs_mark(&p->body, "</div>");
}

bool crs_put_classes(crs_page *p, ptrdiff_t n, const double *y, const double *score,
                     crease_error *e)
{
    char a[CRS_DIGITS], b[CRS_DIGITS];
    curve c = { .count = 0 };
    const bool done = curve_of(n, y, score, &c, e);
    if (done && c.points > 0) {
        const double right = (double)(c.right[0] + c.right[1]), all = (double)c.count,
                     ones = (double)(c.right[1] + c.wrong[1]) / all;
        crs_say(p,
                "In the rows it was fitted to the model calls %s right; a one has the higher "
                "score than a zero in %s of all pairs.",
                crs_share(right / all, a), crs_share(c.area, b));
        if (ones < 0.1 || ones > 0.9)
            crs_advise(p,
                       "The classes are unbalanced: %s of the rows are of class %d, so calling "
                       "everything %d would be right in %s. Judge by the ROC curve.",
                       crs_share(ones < 0.5 ? ones : 1 - ones, a), ones < 0.5, ones >= 0.5,
                       crs_share(ones < 0.5 ? 1 - ones : ones, b));
        crs_mark(&p->body, "<div class=\"grid2\">");
        put_roc(p, &c);
        put_confusion(p, &c);
        crs_mark(&p->body, "</div>\n");
    }
    crs_free(c.x);
    crs_free(c.row);
    return done;
}
