/* SPDX-License-Identifier: MIT
 * parts: pictures of the data, the low-rank part, the sparse part and the residual, with a slider
 * along any axis and the numbers under the pointer */
#include "report/rpca.h"

typedef struct {
    double low, high;
    const char *map;  /* seq, gray or div */
    bool under, over; /* some entries are beyond */
} range;

/* The values below which shares a and b of the entries lie, of at most a million of them; of |x|
 * that are not 0 with `sizes`. NaN where there is none. */
static bool quantiles(const crs_split *s, const double *x, bool sizes, double share[2],
                      crease_error *e)
{
    const ptrdiff_t every = 1 + s->size / 1000000;
    double *v = crs_doubles(s->size / every + 1, "a copy of a part", e);
    ptrdiff_t n = 0;
    if (!v) return false;
    for (ptrdiff_t k = 0; k < s->size; k += every)
        if (!sizes || x[k] != 0) v[n++] = sizes ? fabs(x[k]) : x[k];
    for (int q = 0; q < 2; q++)
        share[q] = n ? crs_select(n, v, (ptrdiff_t)(share[q] * (double)(n - 1))) : NAN;
    crs_free(v);
    return true;
}

/* Two digits, upwards: 0.0137 to 0.014. */
static double rounded_up(double x)
{
    if (!(x > 0 && x < 1e300)) return 1;
    const double unit = pow(10, floor(log10(x)) - 1);
    return ceil(x / unit - 1e-9) * unit;
}

/* Data and low-rank part share a range: from 0 or the least, or symmetric where signs matter. */
static bool range_of_data(const crs_split *s, range *out, crease_error *e)
{
    double q[2] = { 0.001, 0.999 };
    if (!quantiles(s, s->lowrank.data, false, q, e)) return false;
    const double size = larger(fabs(q[0]), fabs(q[1]));
    *out = (range){ q[0], rounded_up(q[1]), s->video ? "gray" : "seq", true, true };
    if (q[0] < -0.1 * size && q[1] > 0.1 * size && !s->video)
        *out = (range){ -rounded_up(size), rounded_up(size), "div", true, true };
    else if (q[0] > -0.1 * size && q[0] < 0.5 * size)
        out->low = 0, out->under = q[0] < -0.02 * size;
    if (s->video && q[1] <= 1 && q[1] > 0.4) out->high = 1;
    if (!(out->high > out->low)) out->high = out->low + 1;
    return true;
}

static bool range_of_sparse(const crs_split *s, range *out, crease_error *e)
{
    double q[2] = { 0.5, 0.97 };
    if (!quantiles(s, s->sparse.data, true, q, e)) return false;
    const double most = rounded_up(q[1]);
    *out = (range){ -most, most, "div", true, true };
    return true;
}

static range range_of_residual(const crs_split *s)
{
    double most = 4 * s->deviation;
    for (ptrdiff_t k = 0; !(s->deviation > 0) && k < s->size; k++)
        most = larger(most, fabs(s->residual.data[k]));
    most = rounded_up(most);
    return (range){ -most, most, "div", true, true };
}

static void put_figure(crs_page *p, const char *part, const char *title, const char *note,
                       const range *r)
{
    char low[CRS_DIGITS], high[CRS_DIGITS];
    const bool both = strcmp(r->map, "div") == 0;
    crs_mark(
        &p->body,
        "<figure data-part=\"%s\"><figcaption><span><b>%s</b>%s</span><span class=\"cb\">%s%s"
        "<i></i>%s%s</span></figcaption><div class=\"plot\"><canvas role=\"img\" tabindex=\"0\" "
        "aria-label=\"%s of the chosen slice; arrow keys move the pointer\"></canvas></div>"
        "</figure>",
        part, title, note, !both && r->under ? "≤ " : "", crs_digits(r->low, 3, low),
        both      ? "+"
        : r->over ? "≥ "
                  : "",
        crs_digits(r->high, 3, high), title);
}

static void put_range(crs_markup *m, const char *part, const range *r, bool last)
{
    crs_mark(m, "\"%s\":[%.9g,%.9g]%s", part, r->low, r->high, last ? "" : ",");
}

/* The names and labels of what is kept of each axis. */
static void put_axes(crs_page *p, const crs_split *s, const crs_packed *kept)
{
    char text[CRS_LABEL];
    crs_markup *m = &p->data;
    crs_mark(m, ",\"axes\":[");
    for (int n = 0; n < s->shape.order; n++) {
        const crs_axis *a = &p->axes.axis[n];
        crs_mark(m, "%s{\"name\":", n ? "," : "");
        crs_mark_string(m, crs_axis_called(p, n, text));
        if (!a->name) crs_mark(m, ",\"plain\":true");
        if (a->unit) crs_mark(m, ",\"unit\":");
        if (a->unit) crs_mark_string(m, a->unit);
        if (a->count > 0) crs_mark(m, a->label ? ",\"words\":[" : ",\"at\":[");
        for (ptrdiff_t k = 0; k < a->count; k += kept->step[n]) {
            if (k) crs_mark(m, ",");
            if (a->label)
                crs_mark_string(m, crs_axis_word(p, n, k, text));
            else
                crs_mark(m, "%.9g", a->at[k]);
        }
        crs_mark(m, a->count > 0 ? "]}" : "}");
    }
    crs_mark(m, "]");
}

/* The slice with the median number of outliers: neither the worst nor the dullest. */
static bool first_slice(const crs_split *s, ptrdiff_t *out, crease_error *e)
{
    const ptrdiff_t slices = s->shape.dim[s->along];
    double *count = crs_doubles(2 * slices, "outliers of the slices", e);
    if (!count) return false;
    for (ptrdiff_t k = 0; k < s->size; k++)
        count[crs_index(&s->shape, k, s->along)] += crs_is_clear(s, k);
    copy(slices, count, count + slices);
    const double middle =
        crs_select(slices, count + slices, s->video ? 3 * slices / 4 : slices / 2);
    *out = 0;
    for (ptrdiff_t i = 0; i < slices; i++)
        if (fabs(count[i] - middle) < fabs(count[*out] - middle)) *out = i;
    crs_free(count);
    return true;
}

static crs_pack pack_of(const crs_split *s)
{
    crs_pack k = { .shape = s->shape,
                   .lowrank = s->lowrank.data,
                   .sparse = s->sparse.data,
                   .residual = s->residual.data,
                   .unseen = s->unseen,
                   .grid = s->grid,
                   .ranks = s->grid,
                   .deviation = s->deviation,
                   .along = s->along,
                   .most = CRS_PAGE_MOST - 350000 };
    if (s->terms) {
        k.factors = s->grid.order;
        for (int n = 0; n < s->grid.order; n++) {
            k.ranks.dim[n] = s->terms;
            k.factor[n] = n ? s->term[n] : s->scaled;
        }
    } else if (s->modes && s->core.data && crs_split_is_product(s)) {
        k.factors = s->modes;
        k.ranks = s->ranks;
        k.core = s->core.data;
        for (int n = 0; n < s->modes; n++) k.factor[n] = s->factor[n].data;
    }
    return k;
}

static bool put_data(crs_page *p, const crs_split *s, const range r[3], crs_packed *kept,
                     crease_error *e)
{
    const crs_pack k = pack_of(s);
    crs_markup *m = &p->data;
    ptrdiff_t first = 0;
    if (s->begin)
        first = *s->begin;
    else if (!first_slice(s, &first, e))
        return false;
    crs_mark(m, "%s\"view\":{", m->length ? "," : "");
    if (!crs_pack_put(m, &k, kept, e)) return false;
    const double digits = floor(-log10(1.6 * kept->step_of_residual));
    crs_mark(m, ",\"along\":%d,\"first\":%td,\"picture\":%s,\"digits\":%.0f,\"range\":{", s->along,
             first / kept->step[s->along], s->video ? "true" : "false",
             s->deviation > 0 ? clip(digits, 0, 9) : 4);
    put_range(m, "data", &r[0], false);
    put_range(m, "lowrank", &r[0], false);
    put_range(m, "sparse", &r[1], false);
    put_range(m, "residual", &r[2], true);
    crs_mark(m,
             "},\"map\":{\"data\":\"%s\",\"lowrank\":\"%s\",\"sparse\":\"div\",\"residual\":"
             "\"div\"},\"names\":{\"data\":\"%s\",\"lowrank\":\"%s\",\"sparse\":\"%s\"},\"hint\":"
             "\"Point at a pixel, or move with the arrow keys, to see how its value is split.\"",
             r[0].map, r[0].map, s->video ? "video" : "data", s->video ? "background" : "low-rank",
             s->video ? "foreground" : "sparse");
    put_axes(p, s, kept);
    crs_mark(m, "}");
    return true;
}

static void put_bar(crs_page *p, const crs_split *s)
{
    char name[CRS_LABEL];
    if (s->shape.order == 2) return;
    crs_mark(&p->body, "<div class=\"bar\">");
    if (s->video) crs_mark(&p->body, "<button id=\"play\" type=\"button\">Play</button>");
    crs_mark(&p->body, "<label for=\"mode\">Slices along</label><select id=\"mode\">");
    for (int n = 0; n < s->shape.order; n++)
        crs_mark(&p->body, "<option value=\"%d\"%s>%s</option>", n,
                 n == s->along ? " selected" : "", crs_axis_called(p, n, name));
    crs_mark(&p->body,
             "</select><label class=\"sr\" for=\"slice\">slice</label><input id=\"slice\" "
             "type=\"range\" min=\"0\" value=\"0\"><output id=\"where\" "
             "for=\"slice\"></output></div><div id=\"more\"></div>");
}

/* What was left out of the page. */
static void put_omissions(crs_page *p, const crs_split *s, const crs_packed *kept)
{
    char name[CRS_LABEL];
    bool first = true;
    for (int n = 0; n < s->shape.order; n++) {
        if (kept->step[n] == 1) continue;
        crs_mark(&p->body,
                 first ? "<p class=\"needs\">To keep the page small the pictures show only "
                         "every %td. %s"
                       : " and every %td. %s",
                 kept->step[n], crs_axis_called(p, n, name));
        first = false;
    }
    if (!first) crs_mark(&p->body, "; all numbers and charts are of the whole.</p>");
}

static double nonzero_share(const crs_split *s)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t k = 0; k < s->size; k++) count += s->sparse.data[k] != 0;
    return (double)count / (double)s->observed;
}

/* The correlation of the residual with its neighbour along an axis, where neither is an outlier. */
static double likeness(const crs_split *s, int axis)
{
    ptrdiff_t stride = 1;
    double both = 0, one = 0, other = 0;
    for (int n = axis + 1; n < s->shape.order; n++) stride *= s->shape.dim[n];
    for (ptrdiff_t k = 0; k + stride < s->size; k++) {
        const ptrdiff_t q = k + stride;
        if (crs_index(&s->shape, k, axis) + 1 == s->shape.dim[axis]) continue;
        if (s->sparse.data[k] != 0 || s->sparse.data[q] != 0) continue;
        if (s->unseen && (s->unseen[k] || s->unseen[q])) continue;
        both += s->residual.data[k] * s->residual.data[q];
        one += square(s->residual.data[k]);
        other += square(s->residual.data[q]);
    }
    return one > 0 && other > 0 ? both / sqrt(one * other) : 0;
}

/* Noise has no neighbours: a likeness of more than 0.3 is structure. */
static void advise_structure(crs_page *p, const crs_split *s)
{
    char name[CRS_LABEL], text[CRS_DIGITS];
    double most = 0;
    int at = 0;
    for (int n = 0; s->deviation > 0 && n < s->shape.order; n++) {
        const double r = s->shape.dim[n] > 3 ? likeness(s, n) : 0;
        if (r > most) most = r, at = n;
    }
    if (most > 0.3)
        crs_advise(
            p,
            "The residual is not mere noise: neighbours along %s are alike (correlation %s; of "
            "noise it is near 0). The %s leaves out structure: look at the residual, and try a "
            "larger <code>--rank</code>.%s",
            crs_axis_called(p, at, name), crs_fixed(most, 2, text), s->low,
            s->video ? " The compression of a video makes neighbours alike, too." : "");
}

bool crs_panel_parts(crs_page *p, crease_error *e)
{
    const crs_split *s = crs_split_of(p);
    char note[CRS_LABEL], text[CRS_DIGITS];
    range r[3];
    crs_packed kept;
    if (!range_of_data(s, &r[0], e) || !range_of_sparse(s, &r[1], e)) return false;
    r[2] = range_of_residual(s);
    crs_section(p, "parts", s->video ? "Frames" : "The data and its parts",
                s->video ? "Frames" : "Parts");
    if (s->video)
        crs_say(p,
                "Video = background + foreground + residual. The background follows slow changes "
                "of light; whatever moves or flickers is foreground.");
    else
        crs_say(p,
                "Data = low-rank + sparse + residual. A good split shows smooth structure in the "
                "low-rank part, single entries, lines or blots in the sparse part, and nothing "
                "but speckle in the residual.");
    if (strcmp(p->verb, "rpca") == 0) advise_structure(p, s);
    crs_mark(&p->body, "<noscript><p class=\"needs\">The pictures of single slices need scripts; "
                       "everything else is here.</p></noscript><div id=\"view\" hidden>");
    put_bar(p, s);
    crs_mark(&p->body, "<div class=\"panels\">");
    if (!put_data(p, s, r, &kept, e)) return false;
    snprintf(note, sizeof note, "%s of all entries are not 0", crs_share(nonzero_share(s), text));
    put_figure(p, "data", s->video ? "Video" : "Data", s->video ? "as recorded" : "as measured",
               &r[0]);
    put_figure(p, "lowrank", s->video ? "Background" : "Low-rank part",
               s->video ? "the low-rank part" : "what the components explain", &r[0]);
    put_figure(p, "sparse", s->video ? "Foreground" : "Sparse part", note, &r[1]);
    put_figure(p, "residual", "Residual", "what is left", &r[2]);
    crs_mark(&p->body, "</div><p class=\"read\" id=\"read\" aria-live=\"polite\"></p>");
    put_omissions(p, s, &kept);
    crs_mark(&p->body, "</div>\n");
    crs_mark(&p->footer,
             "Low-rank values are %s; values of the sparse part are shown to 1 part in "
             "4000, the residual in steps of %s.",
             s->terms || s->core.data ? "rebuilt from the factors" : "kept with 16 bits",
             crs_digits(kept.step_of_residual, 2, text));
    return true;
}
