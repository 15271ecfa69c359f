/* SPDX-License-Identifier: MIT
 * spca: the page of sparse components: the loadings of every mode, zeros not drawn; what the
 * components explain; how many starts agree */
#include "report/pieces.h"

enum { SHOWN = 8, LISTED = 12 };

typedef struct {
    int order;
    ptrdiff_t count;                    /* components */
    crs_array factor[CREASE_MAX_ORDER]; /* length x count, unit columns */
    const json_t *list;                 /* a document for each component */
} terms;

static void close_terms(crs_page *p)
{
    terms *t = p->own;
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_array_free(&t->factor[n]);
    crs_free(t);
    p->own = NULL;
}

static bool open_terms(crs_page *p, crease_error *e)
{
    crease_space shape = { .order = 0 };
    terms *t = p->own = crs_alloc(1, sizeof *t);
    if (!t) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the page");
    t->list = crs_json_at(p->details, "components");
    t->count = (ptrdiff_t)json_array_size(t->list);
    if (!crs_json_shape(p->details, "shape", &shape))
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s/result.json does not say the shape of the data; write the result "
                        "again with crease spca",
                        p->folder);
    t->order = shape.order;
    for (int n = 0; n < t->order && t->count > 0; n++) {
        char name[32];
        snprintf(name, sizeof name, "factor_%d.npy", n + 1);
        if (!crs_page_array(p, name, &t->factor[n], e)) return false;
        if (t->factor[n].shape.order != 2 || t->factor[n].shape.dim[0] != shape.dim[n] ||
            t->factor[n].shape.dim[1] != t->count)
            return crs_fail(e, CREASE_BAD_DATA,
                            "%.200s/%s does not suit result.json; write the result again with "
                            "crease spca",
                            p->folder, name);
    }
    return true;
}

static double loading(const terms *t, int n, ptrdiff_t i, ptrdiff_t k)
{
    return t->factor[n].data[i * t->count + k];
}

static ptrdiff_t length(const terms *t, int n) { return t->factor[n].shape.dim[0]; }

static ptrdiff_t nonzeros(const terms *t, int n, ptrdiff_t k)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < length(t, n); i++) count += loading(t, n, i, k) != 0;
    return count;
}

static const json_t *term(const terms *t, ptrdiff_t k)
{
    return json_array_get(t->list, (size_t)k);
}

/* The share of |data|^2 that the first k + 1 components take away. */
static double explained(const crs_page *p, const terms *t, ptrdiff_t k)
{
    const double norm = crs_json_number(p->details, "norm"),
                 left = k < 0 ? norm : crs_json_number(term(t, k), "residual_norm");
    return norm > 0 ? 1 - square(left / norm) : NAN;
}

static void advise(crs_page *p, const terms *t, double zeros)
{
    for (ptrdiff_t k = 0; k < t->count; k++) {
        const double agree = crs_json_number(term(t, k), "agree"),
                     starts = crs_json_number(term(t, k), "starts");
        if (json_is_true(crs_json_at(term(t, k), "zero")))
            crs_advise(p,
                       "Component %td is zero: nothing is left that its penalty pays for. Ask for "
                       "fewer with <code>--components</code>, or weaken the penalty with "
                       "<code>--alpha</code>.",
                       k + 1);
        else if (starts > 1 && agree < starts / 2)
            crs_advise(p,
                       "Component %td was found from %.0f of %.0f starts only; the others ended "
                       "higher. More starts (<code>--starts %.0f</code>) may find a better one.",
                       k + 1, agree, starts, 4 * starts);
    }
    if (t->count > 0 && zeros == 0)
        crs_advise(p, "No loading is zero: the penalty is too weak to select. Raise "
                      "<code>--alpha</code>, as with <code>--alpha auto:0.3</code>.");
    if (json_is_true(crs_json_at(p->details, "stopped")))
        crs_advise(p, "The search was stopped: these are the components that were found until "
                      "then.");
}

static void put_cards(crs_page *p, const terms *t, double nonzero, double all)
{
    char a[CRS_DIGITS], note[CRS_LABEL], value[CRS_LABEL];
    double agree = INFINITY, starts = NAN;
    for (ptrdiff_t k = 0; k < t->count; k++)
        if (crs_json_number(term(t, k), "agree") < agree) {
            agree = crs_json_number(term(t, k), "agree");
            starts = crs_json_number(term(t, k), "starts");
        }
    crs_card(p, "Components", crs_count((double)t->count, a), "sparse, of rank one");
    crs_card(p, "Explained", crs_share(crs_json_number(p->details, "explained"), a),
             "of the squared size of the data");
    snprintf(note, sizeof note, "of %s", crs_count(all, a));
    crs_card(p, "Loadings", crs_count(nonzero, value), note);
    crs_card(p, "Zeros", crs_share(all > 0 ? 1 - nonzero / all : NAN, a), "of the loadings");
    snprintf(value, sizeof value, "%.0f of %.0f", agree, starts);
    if (starts > 1) crs_card(p, "Starts agree", value, "on the least certain component");
    crs_card(p, "Time", crs_seconds(crs_json_number(p->result, "seconds"), a),
             "of the whole command");
}

static bool head(crs_page *p, crease_error *e)
{
    const terms *t = p->own;
    char text[CRS_DIGITS];
    crease_space shape;
    double all = 0, nonzero = 0;
    (void)e;
    crs_mark(&p->kicker, "crease spca · sparse principal components");
    crs_page_title(p, "data", "Sparse components");
    if (t->count > 0 && crs_json_shape(p->details, "shape", &shape)) crs_page_sizes(p, &shape);
    for (int n = 0; n < t->order && t->count > 0; n++) {
        for (ptrdiff_t k = 0; k < t->count; k++)
            all += (double)length(t, n), nonzero += (double)nonzeros(t, n, k);
    }
    if (t->count > 0)
        crs_mark(&p->lede, ": <b>%td sparse component%s</b> explain%s <b>%s</b> of it", t->count,
                 t->count == 1 ? "" : "s", t->count == 1 ? "s" : "",
                 crs_share(crs_json_number(p->details, "explained"), text));
    if (t->count > 0)
        crs_mark(&p->lede, " with %s of the loadings zero.", crs_share(1 - nonzero / all, text));
    else
        crs_mark(&p->lede, "No component was found.");
    put_cards(p, t, nonzero, all);
    advise(p, t, all - nonzero);
    return true;
}

const crs_page_kind crs_page_spca = {
    .verb = "spca", .open = open_terms, .head = head, .close = close_terms
};

/* Upright, a stem with a head for every loading that is not zero. */
static void put_stems(crs_page *p, const terms *t, int n, ptrdiff_t k)
{
    char title[CRS_LABEL], place[CRS_LABEL], label[2 * CRS_LABEL], text[CRS_DIGITS];
    const ptrdiff_t m = length(t, n);
    const bool ordered = crs_axis_ordered(p, n);
    crs_chart c = crs_chart_of(&p->body, t->order > 2 ? 350 : 540, 230);
    const double *at = p->axes.axis[n].at;
    c.x0 = ordered ? smaller(at[0], at[m - 1]) : 0.5;
    c.x1 = ordered ? larger(at[0], at[m - 1]) : (double)m + 0.5;
    c.y1 = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        c.y0 = smaller(c.y0, loading(t, n, i, k));
        c.y1 = larger(c.y1, loading(t, n, i, k));
    }
    const double pad = 0.06 * (c.y1 - c.y0),
                 thin = 1.8 * (c.x1 - c.x0) / (c.width - c.left - c.right);
    c.y0 -= c.y0 < 0 ? pad : 0, c.y1 += pad;
    if (ordered) c.x0 -= 4 * thin, c.x1 += 4 * thin;
    c.bottom = 26;
    snprintf(label, sizeof label, "Loadings of component %td along %s", k + 1,
             crs_axis_title(p, n, title));
    c.label = label;
    crs_chart_begin(&c);
    for (ptrdiff_t i = 0; i < m; i++) {
        const double y = loading(t, n, i, k), x = ordered ? at[i] : (double)i + 1;
        if (y == 0 || !isfinite(y)) continue;
        snprintf(label, sizeof label, "%s: %s", crs_axis_place(p, n, i, place),
                 crs_digits(y, 3, text));
        crs_chart_bar(&c, x, thin, y, crs_colour(k), label);
        if (m <= 60) crs_chart_dots(&c, 1, &x, &y, crs_colour(k));
    }
    crs_chart_end(&c);
}

/* The largest of named loadings, each with its bar. */
static void put_names(crs_page *p, const terms *t, int n, ptrdiff_t k)
{
    char word[CRS_LABEL], text[CRS_DIGITS];
    const ptrdiff_t m = length(t, n), many = nonzeros(t, n, k);
    double below = INFINITY, most = 0;
    ptrdiff_t last = -1;
    crs_mark(&p->body,
             "<table><thead><tr><th scope=\"col\">%s</th><th scope=\"col\">Loading</th><th "
             "scope=\"col\" class=\"l w\">Size</th></tr></thead><tbody>",
             crs_axis_title(p, n, word));
    for (ptrdiff_t line = 0; line < LISTED && line < many; line++) {
        ptrdiff_t next = -1;
        for (ptrdiff_t i = 0; i < m; i++) {
            const double v = fabs(loading(t, n, i, k));
            const bool left = v < below || (v == below && i > last);
            if (v != 0 && left && (next < 0 || v > fabs(loading(t, n, next, k)))) next = i;
        }
        if (next < 0) break;
        const double v = loading(t, n, next, k);
        below = fabs(v), last = next;
        if (line == 0) most = below;
        crs_mark(&p->body, "<tr><th scope=\"row\">%s</th><td>%s</td>",
                 crs_axis_word(p, n, next, word), crs_digits(v, 3, text));
        crs_mark_signed(&p->body, v / most, crs_colour(k));
        crs_mark(&p->body, "</tr>");
    }
    crs_mark(&p->body, "</tbody></table>");
    if (many > LISTED) crs_mark(&p->body, "<p class=\"needs\">and %td more</p>", many - LISTED);
}

static void put_component(crs_page *p, const terms *t, ptrdiff_t k)
{
    char name[CRS_LABEL];
    crs_mark(&p->body,
             "<h3 class=\"mt\"><span class=\"badge\" style=\"background:var(--%s)\">%td</span> "
             "Component %td</h3><div class=\"%s\">",
             crs_colour(k), k + 1, k + 1, t->order > 2 ? "grid2 grid3" : "grid2");
    for (int n = 0; n < t->order; n++) {
        crs_mark(&p->body, "<figure><figcaption><b>%s</b> <span>%td of %td</span></figcaption>",
                 crs_axis_title(p, n, name), nonzeros(t, n, k), length(t, n));
        if (p->axes.axis[n].label)
            put_names(p, t, n, k);
        else
            put_stems(p, t, n, k);
        crs_mark(&p->body, "</figure>");
    }
    crs_mark(&p->body, "</div>\n");
}

bool crs_panel_spca_loadings(crs_page *p, crease_error *e)
{
    const terms *t = p->own;
    char name[CRS_LABEL];
    int sparsest = 0;
    (void)e;
    if (t->count < 1) return true;
    for (int n = 1; n < t->order; n++)
        if (nonzeros(t, n, 0) * length(t, sparsest) < nonzeros(t, sparsest, 0) * length(t, n))
            sparsest = n;
    crs_section(p, "loadings", "Loadings", "Loadings");
    crs_say(p,
            "Component 1 is sparsest along %s: %td of %td. Zeros are not drawn; every column has "
            "length 1, the weight carries the size.",
            crs_axis_called(p, sparsest, name), nonzeros(t, sparsest, 0), length(t, sparsest));
    for (ptrdiff_t k = 0; k < t->count && k < SHOWN; k++) put_component(p, t, k);
    if (t->count > SHOWN)
        crs_mark(&p->body, "<p class=\"needs\">The other %td components are in the files.</p>",
                 t->count - SHOWN);
    return true;
}

/* ●●●○: how many starts agree */
static void put_starts(crs_page *p, double agree, double starts)
{
    crs_mark(&p->body, "<td class=\"l nb\">%.0f of %.0f <span aria-hidden=\"true\">", agree,
             starts);
    for (int k = 0; k < starts && k < 20; k++) crs_mark(&p->body, "%s", k < agree ? "●" : "○");
    crs_mark(&p->body, "</span></td>");
}

static void put_row(crs_page *p, const terms *t, ptrdiff_t k)
{
    char text[CRS_DIGITS];
    const json_t *one = term(t, k);
    const char *verdict = crs_json_words(one, "certificate.verdict");
    const bool valid = verdict && strcmp(verdict, "VALID") == 0;
    crs_mark(&p->body,
             "<tr><th scope=\"row\"><span class=\"badge\" "
             "style=\"background:var(--%s)\">%td</span></th><td>%s</td>",
             crs_colour(k), k + 1, crs_digits(crs_json_number(one, "sigma"), 4, text));
    crs_mark(&p->body, "<td>%s</td>", crs_share(explained(p, t, k), text));
    for (int n = 0; n < t->order; n++) crs_mark(&p->body, "<td>%td</td>", nonzeros(t, n, k));
    crs_mark(&p->body, "<td>%s</td>", crs_digits(crs_json_number(one, "alpha"), 3, text));
    put_starts(p, crs_json_number(one, "agree"), crs_json_number(one, "starts"));
    crs_mark(&p->body, "<td>%s</td><td class=\"%s nb\">%s</td></tr>",
             crs_digits(crs_json_number(one, "certificate.smallest_eps"), 2, text),
             valid ? "good" : "poor", valid ? "✓ holds" : "✗ not certified");
}

static void put_table(crs_page *p, const terms *t)
{
    char name[CRS_LABEL];
    crs_mark(&p->body,
             "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Component</th><th "
             "scope=\"col\">Weight</th><th scope=\"col\">Explained so far</th>");
    for (int n = 0; n < t->order; n++)
        crs_mark(&p->body, "<th scope=\"col\">%s</th>", crs_axis_called(p, n, name));
    crs_mark(&p->body,
             "<th scope=\"col\">Alpha</th><th scope=\"col\" class=\"l\">Starts that "
             "agree</th><th scope=\"col\">Residual</th><th scope=\"col\">Verdict</th></tr>"
             "</thead><tbody>");
    for (ptrdiff_t k = 0; k < t->count; k++) put_row(p, t, k);
    crs_mark(&p->body, "</tbody></table></div>\n");
}

static crs_chart bars_of(crs_page *p, const terms *t)
{
    crs_chart c = crs_chart_of(&p->body, 540, 230);
    c.x0 = 0.4, c.x1 = (double)t->count + 0.6, c.unmarked = true, c.y1 = 100;
    c.xname = "component";
    return c;
}

static void mark_components(const crs_chart *c, const terms *t)
{
    char text[CRS_DIGITS];
    const ptrdiff_t every = 1 + t->count / 20;
    for (ptrdiff_t k = 0; k < t->count; k += every)
        crs_chart_mark(c, (double)k + 1, crs_count((double)k + 1, text));
}

/* What was explained before is pale, what a component adds has its colour. */
static void put_explained(crs_page *p, const terms *t)
{
    char text[CRS_DIGITS], title[CRS_LABEL];
    crs_chart c = bars_of(p, t);
    c.yname = "% explained", c.label = "Share explained by the first components together";
    crs_mark(&p->body, "<figure><figcaption><b>Explained</b> <span>pale: by those before</span>"
                       "</figcaption>");
    crs_chart_begin(&c);
    mark_components(&c, t);
    for (ptrdiff_t k = 0; k < t->count; k++) {
        const double share = explained(p, t, k);
        snprintf(title, sizeof title, "%td: %s", k + 1, crs_share(share, text));
        crs_chart_bar(&c, (double)k + 1, 0.62, 100 * share, crs_colour(k), title);
        if (k > 0)
            crs_chart_bar(&c, (double)k + 1, 0.62, 100 * explained(p, t, k - 1), "rule", title);
    }
    crs_chart_end(&c);
    crs_mark(&p->body, "</figure>");
}

static void put_sparsity(crs_page *p, const terms *t)
{
    char text[CRS_DIGITS], title[CRS_LABEL];
    crs_chart c = bars_of(p, t);
    c.yname = "% not zero", c.label = "Share of the loadings that are not zero";
    crs_mark(&p->body, "<figure><figcaption><b>Loadings that are not zero</b> <span>over all modes"
                       "</span></figcaption>");
    crs_chart_begin(&c);
    mark_components(&c, t);
    for (ptrdiff_t k = 0; k < t->count; k++) {
        double many = 0, all = 0;
        for (int n = 0; n < t->order; n++)
            many += (double)nonzeros(t, n, k), all += (double)length(t, n);
        snprintf(title, sizeof title, "%td: %s", k + 1, crs_share(many / all, text));
        crs_chart_bar(&c, (double)k + 1, 0.62, 100 * many / all, crs_colour(k), title);
    }
    crs_chart_end(&c);
    crs_mark(&p->body, "</figure>");
}

bool crs_panel_spca_explained(crs_page *p, crease_error *e)
{
    const terms *t = p->own;
    char a[CRS_DIGITS], b[CRS_DIGITS];
    (void)e;
    if (t->count < 1) return true;
    crs_section(p, "explained", "What the components explain", "Explained");
    if (t->count == 1)
        crs_say(p, "The component takes away %s of the squared size of the data.",
                crs_share(explained(p, t, 0), a));
    else
        crs_say(p,
                "The first component takes away %s of the squared size of the data, all %td "
                "together %s.",
                crs_share(explained(p, t, 0), a), t->count,
                crs_share(explained(p, t, t->count - 1), b));
    crs_mark(&p->body, "<div class=\"grid2\">");
    put_explained(p, t);
    put_sparsity(p, t);
    crs_mark(&p->body, "</div>\n");
    put_table(p, t);
    return true;
}
