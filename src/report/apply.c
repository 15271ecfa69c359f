/* SPDX-License-Identifier: MIT
 * apply: the page of new slices seen with a model: which stand out, by their outliers and by the
 * distance of their coefficients from those of the model */
#include "report/pieces.h"
#include "report/rpca.h"

enum { LISTED = 200 };

/* Beyond it a distance is far: a root mean square of robust deviations. */
static const double far_away = 3;

typedef struct {
    crs_split split; /* first: the panel of the parts reads it */
    bool alone;      /* one slice, which is all of the data */
    ptrdiff_t count;
    double *share, *energy, *scale, *distance; /* of every slice; NaN: not known */
    ptrdiff_t *order;                          /* by outlier score, the worst first */
    double usual, limit;                       /* the median share, and what is much above it */
    crs_array coefficients;                    /* count x terms; may be empty */
} seen;

static void close_seen(crs_page *p)
{
    seen *s = p->own;
    crs_free(s->share);
    crs_free(s->order);
    crs_array_free(&s->coefficients);
    crs_split_free(&s->split);
    crs_free(s);
    p->own = NULL;
}

static bool is_far(const seen *s, ptrdiff_t k) { return s->distance[k] > far_away; }
static bool is_spoilt(const seen *s, ptrdiff_t k) { return s->share[k] > s->limit; }

/* The median, and three robust deviations above it, at least half as much again. */
static bool find_limit(seen *s, crease_error *e)
{
    double *work = crs_doubles(s->count, "the scores", e);
    ptrdiff_t n = 0;
    if (!work) return false;
    for (ptrdiff_t k = 0; k < s->count; k++)
        if (isfinite(s->share[k])) work[n++] = s->share[k];
    s->usual = n ? crs_median(n, work) : NAN;
    n = 0;
    for (ptrdiff_t k = 0; k < s->count; k++)
        if (isfinite(s->share[k])) work[n++] = fabs(s->share[k] - s->usual);
    const double spread = n ? 1.4826 * crs_median(n, work) : NAN;
    s->limit = larger(s->usual + 3 * spread, 1.5 * s->usual);
    crs_free(work);
    return true;
}

/* How much a slice stands out: shares in units of the limit, distances in units of theirs. */
static double score_of(const seen *s, ptrdiff_t k)
{
    const double a = s->limit > 0 ? s->share[k] / s->limit : s->share[k],
                 b = s->distance[k] / far_away;
    return isnan(a) ? (isnan(b) ? -1 : b) : isnan(b) ? a : larger(a, b);
}

static bool rank_slices(seen *s, crease_error *e)
{
    s->order = crs_alloc((size_t)s->count + 1, sizeof *s->order);
    if (!s->order) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the scores");
    ptrdiff_t n = 0;
    for (ptrdiff_t k = 0; k < s->count; k++) {
        ptrdiff_t at = n;
        const double score = score_of(s, k);
        while (at > 0 && score > score_of(s, s->order[at - 1])) at--;
        if (at >= LISTED) continue;
        memmove(s->order + at + 1, s->order + at, (size_t)(n - at) * sizeof *s->order);
        s->order[at] = k;
        n += n < LISTED && n < s->count;
    }
    return true;
}

static bool read_scores(crs_page *p, seen *s, crease_error *e)
{
    const json_t *list = crs_json_at(p->details, "slices");
    s->count = (ptrdiff_t)json_array_size(list);
    s->alone = s->count == 1 && s->split.shape.dim[s->split.along] != 1;
    if (s->count < 1 || (!s->alone && s->count != s->split.shape.dim[s->split.along]))
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s/result.json has not a score for every slice of lowrank.npy; write "
                        "the result again with crease apply",
                        p->folder);
    s->share = crs_doubles(4 * s->count, "the scores", e);
    if (!s->share) return false;
    s->energy = s->share + s->count, s->scale = s->energy + s->count;
    s->distance = s->scale + s->count;
    for (ptrdiff_t k = 0; k < s->count; k++) {
        const json_t *one = json_array_get(list, (size_t)k);
        s->share[k] = crs_json_number(one, "share"), s->energy[k] = crs_json_number(one, "energy");
        s->scale[k] = crs_json_number(one, "scale");
        s->distance[k] = crs_json_number(one, "distance");
    }
    return find_limit(s, e) && rank_slices(s, e);
}

static bool open_seen(crs_page *p, crease_error *e)
{
    crease_error ours;
    seen *s = p->own = crs_alloc(1, sizeof *s);
    if (!s) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the page");
    if (!crs_split_read(p, &s->split, e)) return false;
    const double axis = crs_json_number(p->result, "settings.axis");
    if (axis >= 0 && axis < s->split.shape.order) s->split.along = (int)axis;
    if (!read_scores(p, s, e)) return false;
    if (!s->alone) s->split.begin = s->order;
    if (!crs_page_array(p, "coefficients.npy", &s->coefficients, &ours))
        return crs_page_without(&ours, e);
    if (s->coefficients.shape.order != 2 || s->coefficients.shape.dim[0] != s->count)
        crs_array_free(&s->coefficients);
    return true;
}

static const char *slice_called(const crs_page *p, const seen *s, ptrdiff_t k, char out[CRS_LABEL])
{
    char word[CRS_LABEL];
    if (!s->alone && p->axes.axis[s->split.along].name)
        return crs_axis_place(p, s->split.along, k, out);
    snprintf(out, CRS_LABEL, "slice %.100s", crs_axis_word(p, s->split.along, k, word));
    return out;
}

static ptrdiff_t how_many(const seen *s, bool (*is)(const seen *s, ptrdiff_t k))
{
    ptrdiff_t n = 0;
    for (ptrdiff_t k = 0; k < s->count; k++) n += is(s, k);
    return n;
}

static bool stands_out(const seen *s, ptrdiff_t k) { return is_far(s, k) || is_spoilt(s, k); }

static void put_cards(crs_page *p, const seen *s)
{
    char a[CRS_DIGITS], b[CRS_DIGITS], note[CRS_LABEL], place[CRS_LABEL];
    double most = NAN, scale = 0;
    ptrdiff_t farthest = 0, worst = 0;
    for (ptrdiff_t k = 0; k < s->count; k++) {
        if (s->share[k] > s->share[worst]) worst = k;
        if (!(s->distance[k] <= most)) most = s->distance[k], farthest = k;
        scale += s->scale[k] / (double)s->count;
    }
    crs_card(p, "Slices", crs_count((double)s->count, a), "new, fitted with the model");
    snprintf(note, sizeof note, "of %s", crs_count((double)s->count, b));
    crs_card(p, "Stand out", crs_count((double)how_many(s, stands_out), a), note);
    crs_card(p, "Outliers", crs_share(s->usual, a), "of the entries of a usual slice");
    snprintf(note, sizeof note, "%.150s", slice_called(p, s, worst, place));
    crs_card(p, "Most outliers", crs_share(s->share[worst], a), note);
    snprintf(note, sizeof note, "%.150s, in robust deviations",
             slice_called(p, s, farthest, place));
    crs_card(p, "Farthest", crs_digits(most, 3, a), isnan(most) ? "not known" : note);
    crs_card(p, "Error", crs_digits(scale, 2, a), "median of a slice, on average");
}

static bool head(crs_page *p, crease_error *e)
{
    const seen *s = p->own;
    char text[CRS_DIGITS], name[CRS_LABEL];
    const double terms = crs_json_number(p->result, "settings.rank");
    const ptrdiff_t out = how_many(s, stands_out);
    (void)e;
    crs_mark(&p->kicker, "crease apply · new slices seen with a model");
    crs_page_title(p, "data", "New slices");
    if (s->alone)
        crs_mark(&p->lede, "One slice");
    else
        crs_mark(&p->lede, "%s slices%s%s", crs_count((double)s->count, text),
                 p->axes.axis[s->split.along].name ? " along " : "",
                 p->axes.axis[s->split.along].name ? crs_axis_called(p, s->split.along, name) : "");
    crs_mark(&p->lede,
             ", fitted with the components of a model%s%s: ", isnan(terms) ? "" : " of rank ",
             isnan(terms) ? "" : crs_count(terms, text));
    if (out == 0)
        crs_mark(&p->lede, "<b>%s</b>.",
                 s->alone ? "its coefficients are like theirs" : "none stands out");
    else
        crs_mark(&p->lede, "<b>%td stand%s out</b>.", out, out == 1 ? "s" : "");
    put_cards(p, s);
    if (2 * how_many(s, is_far) > s->count)
        crs_advise(p, "Most slices are far from those the model was fitted to: it may be the wrong "
                      "model for these data, or their units differ.");
    if (s->usual > 0.3)
        crs_advise(p,
                   "In a usual slice %s of the entries are outliers: the model does not explain "
                   "these data.",
                   crs_share(s->usual, text));
    return true;
}

const crs_page_kind crs_page_apply = {
    .verb = "apply", .open = open_seen, .head = head, .close = close_seen
};

static void put_row(crs_page *p, const seen *s, ptrdiff_t k)
{
    char a[CRS_DIGITS], word[CRS_LABEL];
    crs_mark(&p->body,
             "<tr><th scope=\"row\" data-v=\"%td\"><button class=\"go\" type=\"button\" "
             "data-go=\"",
             k);
    for (int n = 0; n < s->split.shape.order; n++) {
        if (n) crs_mark(&p->body, ",");
        if (n == s->split.along) crs_mark(&p->body, "%td", k);
    }
    crs_mark(&p->body, "\">%s</button></th><td data-v=\"%.9g\">%s</td>",
             crs_axis_word(p, s->split.along, k, word), s->share[k], crs_share(s->share[k], a));
    crs_mark(&p->body, "<td data-v=\"%.9g\">%s</td>", s->energy[k], crs_digits(s->energy[k], 3, a));
    crs_mark(&p->body, "<td data-v=\"%.9g\">%s</td>", s->scale[k], crs_digits(s->scale[k], 3, a));
    crs_mark(&p->body, "<td data-v=\"%.9g\">%s</td><td class=\"l nb %s\">%s</td></tr>",
             s->distance[k], crs_digits(s->distance[k], 3, a), stands_out(s, k) ? "fair" : "",
             is_far(s, k) && is_spoilt(s, k) ? "far, and many outliers"
             : is_far(s, k)                  ? "far from the model's"
             : is_spoilt(s, k)               ? "many outliers"
                                             : "as usual");
}

bool crs_panel_apply_ranking(crs_page *p, crease_error *e)
{
    const seen *s = p->own;
    char a[CRS_DIGITS], b[CRS_DIGITS], d[CRS_DIGITS], place[CRS_LABEL], name[CRS_LABEL];
    if (s->alone) return true;
    const ptrdiff_t worst = s->order[0], listed = s->count < LISTED ? s->count : LISTED;
    (void)e;
    crs_section(p, "slices", "Which slices stand out", "Slices");
    crs_say(p,
            "First comes <b>%s</b>: %s of its entries are outliers, where %s is usual, and its "
            "coefficients are %s deviations away from those of the model.",
            slice_called(p, s, worst, place), crs_share(s->share[worst], a), crs_share(s->usual, b),
            crs_digits(s->distance[worst], 3, d));
    crs_mark(&p->body,
             "<div class=\"scroll\"><table class=\"sort\"><caption>%s. Choose a slice to see "
             "it below, a heading to sort.</caption><thead><tr><th scope=\"col\">%s</th><th "
             "scope=\"col\">Outliers</th><th scope=\"col\">Energy over noise</th><th "
             "scope=\"col\">Median error</th><th scope=\"col\">Distance</th><th "
             "scope=\"col\" class=\"l\">In words</th></tr></thead><tbody>",
             listed < s->count ? "The 200 that stand out most" : "By how much they stand out",
             p->axes.axis[s->split.along].name ? crs_axis_title(p, s->split.along, name) : "Slice");
    for (ptrdiff_t k = 0; k < listed; k++) put_row(p, s, s->order[k]);
    crs_mark(&p->body, "</tbody></table></div>\n");
    return true;
}

/* Those that stand out have their names, where there is room. */
static void put_spots(const crs_chart *c, crs_page *p, const seen *s)
{
    char word[CRS_LABEL];
    crs_spots spots = { .count = 0 };
    for (ptrdiff_t k = 0; k < s->count && k < 3000; k++) {
        const double percent = 100 * s->share[k];
        crs_chart_dots(c, 1, s->distance + k, &percent, stands_out(s, k) ? "c2" : "c1");
    }
    for (ptrdiff_t r = 0; r < s->count && r < LISTED; r++) {
        const ptrdiff_t k = s->order[r];
        const double percent = 100 * s->share[k];
        if (stands_out(s, k) &&
            crs_spot_free(&spots, c, s->distance[k], percent, (double[]){ 40, 20 }))
            crs_chart_ring(c, s->distance[k], percent, "c2",
                           crs_axis_word(p, s->split.along, k, word));
    }
}

/* The coefficients of every component over the slices, in its colour. */
static bool put_coefficients(crs_page *p, const seen *s, crease_error *e)
{
    const ptrdiff_t terms = s->coefficients.data ? s->coefficients.shape.dim[1] : 0;
    const int n = s->split.along;
    const double *at = crs_axis_ordered(p, n) ? p->axes.axis[n].at : NULL;
    char title[CRS_LABEL];
    crs_spots spots = { .count = 0 };
    if (terms < 1) return true;
    double *x = crs_doubles(2 * s->count, "the coefficients", e), *y = x + s->count;
    crs_chart c = crs_chart_of(&p->body, 540, 360);
    if (!x) return false;
    for (ptrdiff_t k = 0; k < s->count; k++) x[k] = at ? at[k] : (double)k + 1;
    for (ptrdiff_t k = 0; k < s->count * terms; k++) {
        c.y0 = smaller(c.y0, s->coefficients.data[k]);
        c.y1 = k ? larger(c.y1, s->coefficients.data[k]) : larger(0, s->coefficients.data[k]);
    }
    c.y1 += 0.08 * (c.y1 - c.y0);
    c.x0 = at ? smaller(x[0], x[s->count - 1]) : 0.5;
    c.x1 = at ? larger(x[0], x[s->count - 1]) : (double)s->count + 0.5;
    c.xname = p->axes.axis[n].name ? crs_axis_title(p, n, title) : "slice";
    c.yname = "coefficient", c.label = "Coefficients of the components in every slice";
    crs_mark(&p->body, "<figure><figcaption><b>Coefficients</b> <span>of each component</span>"
                       "</figcaption>");
    crs_chart_begin(&c);
    for (ptrdiff_t r = 0; r < terms && r < 12; r++) {
        for (ptrdiff_t k = 0; k < s->count; k++) y[k] = s->coefficients.data[k * terms + r];
        if (at) crs_chart_line(&c, s->count, x, y, crs_colour(r));
        if (!at || s->count < 60) crs_chart_dots(&c, s->count, x, y, crs_colour(r));
        for (ptrdiff_t k = 0; k < s->count; k++)
            if (crs_spot_free(&spots, &c, x[k], y[k], (double[]){ 20, 20 })) {
                crs_chart_badge(&c, x[k], y[k], crs_colour(r), (int)r + 1);
                break;
            }
    }
    crs_chart_end(&c);
    crs_mark(&p->body, "</figure>");
    crs_free(x);
    return true;
}

bool crs_panel_apply_scores(crs_page *p, crease_error *e)
{
    const seen *s = p->own;
    crs_chart c = crs_chart_of(&p->body, 540, 360);
    const ptrdiff_t far_ones = how_many(s, is_far), spoilt = how_many(s, is_spoilt);
    bool any = false;
    (void)e;
    for (ptrdiff_t k = 0; k < s->count; k++) any = any || isfinite(s->distance[k]);
    if (!any || s->alone) return true;
    c.x1 = 1.15 * far_away, c.y1 = 130 * s->limit;
    for (ptrdiff_t k = 0; k < s->count; k++) {
        if (1.08 * s->distance[k] > c.x1) c.x1 = 1.08 * s->distance[k];
        if (112 * s->share[k] > c.y1) c.y1 = 112 * s->share[k];
    }
    crs_section(p, "scores", "Outliers against distance", "Scores");
    crs_say(p,
            "Far from the slices of the model, beyond 3 deviations: <b>%td of %td</b>. Many more "
            "outliers than usual: <b>%td</b>. A large distance with few outliers is a new mixture; "
            "many outliers are something the components do not know.",
            far_ones, s->count, spoilt);
    c.xname = "distance from the slices of the model (robust deviations)";
    c.yname = "% of entries that are outliers";
    c.label = "Share of outliers against distance, a dot for each slice";
    crs_mark(&p->body, "<div class=\"grid2\"><figure><figcaption><b>Outliers and distance</b> "
                       "<span>a dot for each slice</span></figcaption>");
    crs_chart_begin(&c);
    crs_chart_upright(&c, far_away, "muted", "far");
    if (s->limit > 0) crs_chart_level(&c, 100 * s->limit, "muted", "many outliers");
    put_spots(&c, p, s);
    crs_chart_end(&c);
    crs_mark(&p->body, "</figure>");
    if (!put_coefficients(p, s, e)) return false;
    crs_mark(&p->body, "</div>\n");
    return true;
}
