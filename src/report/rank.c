/* SPDX-License-Identifier: MIT
 * rank: how many components there are: errors on held-out entries where ranks were compared, else
 * the sizes of the terms; what was cut, and what the data do not settle */
#include "report/rpca.h"

static double chosen_rank(const crs_page *p) { return crs_json_number(p->details, "rank"); }

static double held_out(const json_t *table, size_t k)
{
    return crs_json_number(json_array_get(table, k), "held_out");
}

static void put_chart(crs_page *p, const json_t *table, double *x, double *y)
{
    const size_t n = json_array_size(table);
    const crs_split *s = crs_split_of(p);
    char text[CRS_DIGITS];
    double low = INFINITY, high = 0;
    const double noise = 0.6744897501960817 * s->deviation;
    for (size_t k = 0; k < n; k++) {
        x[k] = crs_json_number(json_array_get(table, k), "rank");
        y[k] = held_out(table, k);
        if (!(y[k] > 0)) continue;
        low = smaller(low, y[k]);
        high = larger(high, y[k]);
    }
    if (noise > 0) low = smaller(low, noise);
    crs_chart c = crs_chart_of(&p->body, 470, 250);
    c.left = 62;
    c.log = true;
    c.x0 = x[0] - 0.4;
    c.x1 = x[n - 1] + 0.4;
    c.y0 = pow(10, floor(log10(low * 0.8)));
    c.y1 = pow(10, ceil(log10(high * 1.1)));
    c.unmarked = true;
    c.xname = "number of components";
    c.yname = "error on held-out entries";
    c.label = "Error on held-out entries by the number of components";
    crs_chart_begin(&c);
    if (noise > 0) crs_chart_level(&c, noise, "muted", "what noise alone leaves");
    crs_chart_line(&c, (ptrdiff_t)n, x, y, "c1");
    crs_chart_dots(&c, (ptrdiff_t)n, x, y, "c1");
    for (size_t k = 0; k < n; k++) {
        crs_chart_mark(&c, x[k], crs_count(x[k], text));
        if (x[k] == chosen_rank(p)) crs_chart_ring(&c, x[k], y[k], "c1", "chosen");
    }
    crs_chart_end(&c);
}

/* What a row of the table means beside the chosen one. */
static void put_words(crs_page *p, const json_t *row, double chosen_error)
{
    char text[CRS_DIGITS];
    const double rank = crs_json_number(row, "rank"), error = crs_json_number(row, "held_out"),
                 gain = crs_json_number(row, "gain"), errors = crs_json_number(row, "gain_errors");
    if (rank < chosen_rank(p) && error > 1.02 * chosen_error)
        crs_mark(&p->body, "leaves %s times the error of %.0f",
                 crs_digits(error / chosen_error, 2, text), chosen_rank(p));
    else if (rank < chosen_rank(p))
        crs_mark(&p->body, "misses structure that predicts");
    else if (rank == chosen_rank(p) && isfinite(gain))
        crs_mark(&p->body, "the last one lowers the loss by %s", crs_share(gain, text));
    else if (rank == chosen_rank(p))
        crs_mark(&p->body, "one is enough");
    else if (gain > 0.02 && errors > 2)
        crs_mark(&p->body, "one more lowers the loss by %s, but is not found again",
                 crs_share(gain, text));
    else if (isfinite(gain) && gain > 0)
        crs_mark(&p->body, "one more lowers the loss by %s%s", crs_share(gain, text),
                 errors < 2 ? ", within chance" : " only");
    else
        crs_mark(&p->body, "one more predicts no better");
}

static void put_table(crs_page *p, const json_t *table)
{
    char text[CRS_DIGITS];
    double error = NAN, least = INFINITY;
    for (size_t k = 0; k < json_array_size(table); k++) {
        const double rank = crs_json_number(json_array_get(table, k), "rank");
        if (rank == chosen_rank(p)) error = held_out(table, k);
        if (held_out(table, k) > 0) least = smaller(least, held_out(table, k));
    }
    const int decimals = isfinite(least) ? (int)clip(2 - floor(log10(least)), 0, 12) : 3;
    crs_mark(&p->body,
             "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Components</th><th "
             "scope=\"col\">Held-out error</th><th scope=\"col\">Core consistency</th><th "
             "scope=\"col\" class=\"l\">In words</th></tr></thead><tbody>");
    for (size_t k = 0; k < json_array_size(table); k++) {
        const json_t *row = json_array_get(table, k);
        const double rank = crs_json_number(row, "rank"),
                     core = crs_json_number(row, "consistency");
        const bool on = rank == chosen_rank(p);
        crs_mark(&p->body,
                 on ? "<tr class=\"on\"><th scope=\"row\">%.0f%s</th>"
                    : "<tr><th scope=\"row\">%.0f%s</th>",
                 rank, on ? " ← chosen" : "");
        crs_mark(&p->body, "<td>%s</td>",
                 crs_fixed(crs_json_number(row, "held_out"), decimals, text));
        if (core < -100)
            crs_mark(&p->body, "<td>below −100 %%</td>");
        else
            crs_mark(&p->body, "<td>%s%s</td>", crs_fixed(core, 1, text),
                     isfinite(core) ? " %" : "");
        crs_mark(&p->body, "<td class=\"l\">");
        put_words(p, row, error);
        crs_mark(&p->body, "</td></tr>");
    }
    crs_mark(&p->body, "</tbody></table></div>");
}

static void advise_cuts(crs_page *p)
{
    char a[CRS_DIGITS], b[CRS_DIGITS];
    const json_t *cut = crs_json_at(p->details, "pruned"),
                 *support = crs_json_at(p->details, "support");
    const size_t n = json_array_size(cut);
    const json_t *first = json_array_get(cut, 0);
    int undecided = 0;
    if (n > 0)
        crs_advise(p,
                   "%zu %s of the rank asked for %s cut: %s. Its size is %s, and noise alone makes "
                   "one of %s. A smaller <code>--rank</code> says the same.",
                   n, n == 1 ? "term" : "terms", n == 1 ? "was" : "were",
                   crs_json_words(first, "reason") ? crs_json_words(first, "reason")
                                                   : "noise explains it",
                   crs_digits(crs_json_number(first, "size"), 3, a),
                   crs_digits(crs_json_number(first, "noise"), 3, b));
    for (size_t k = 0; k < json_array_size(support); k++) {
        const char *word = crs_json_words(json_array_get(support, k), "support");
        undecided += word && strcmp(word, "undecided") == 0;
    }
    if (undecided > 0)
        crs_advise(p,
                   "The data do not settle whether %d of the components %s real: what %s explain%s "
                   "is hardly more than noise can. Compare with <code>--rank %.0f</code>.",
                   undecided, undecided == 1 ? "is" : "are", undecided == 1 ? "it" : "they",
                   undecided == 1 ? "s" : "", larger(1, chosen_rank(p) - undecided));
}

/* The sizes of the terms as bars. */
static void put_scree(crs_page *p, const crs_split *s)
{
    char text[CRS_DIGITS], title[CRS_LABEL];
    double most = 0;
    const ptrdiff_t n = s->terms < 40 ? s->terms : 40;
    for (ptrdiff_t r = 0; r < n; r++) most = larger(most, fabs(s->weight[r]));
    crs_chart c = crs_chart_of(&p->body, 1072, 210);
    c.x0 = 0.4;
    c.x1 = (double)(n < 12 ? 12 : n) + 0.6;
    c.y1 = 1.1 * most;
    c.unmarked = true;
    c.xname = s->weights.data ? "component" : "singular value";
    c.yname = "weight";
    c.label = "Weights of the terms";
    crs_chart_begin(&c);
    for (ptrdiff_t r = 0; r < n; r++) {
        snprintf(title, sizeof title, "%td: %s", r + 1, crs_digits(s->weight[r], 4, text));
        crs_chart_bar(&c, (double)(r + 1), 0.6, fabs(s->weight[r]), crs_colour(r), title);
        crs_chart_mark(&c, (double)(r + 1), crs_count((double)(r + 1), text));
    }
    crs_chart_end(&c);
}

/* How many of the largest terms have 99 % of the energy together. */
static ptrdiff_t carrying(const crs_split *s)
{
    double all = 0, sum = 0, last = INFINITY;
    ptrdiff_t count = 0;
    for (ptrdiff_t r = 0; r < s->terms; r++) all += square(s->weight[r]);
    while (sum < 0.99 * all && count < s->terms) {
        double next = 0;
        for (ptrdiff_t r = 0; r < s->terms; r++)
            if (fabs(s->weight[r]) < last) next = larger(next, fabs(s->weight[r]));
        if (next == 0) break;
        for (ptrdiff_t r = 0; r < s->terms; r++)
            if (fabs(s->weight[r]) == next) sum += square(next), count++;
        last = next;
    }
    return count;
}

/* What decided, in words; the comparison in full is behind it. */
static void say_choice(crs_page *p, const json_t *table)
{
    char a[CRS_DIGITS], b[CRS_DIGITS];
    double own = NAN, more = NAN;
    const double predicts = crs_json_number(p->details, "rank_predicts");
    const double rank = chosen_rank(p), found = crs_json_number(p->details, "rank_reproduces");
    for (size_t k = 0; k < json_array_size(table); k++) {
        const json_t *row = json_array_get(table, k);
        if (crs_json_number(row, "rank") == rank) own = crs_json_number(row, "gain");
        if (crs_json_number(row, "rank") == rank + 1) more = crs_json_number(row, "gain");
    }
    const bool better = predicts > rank;
    crs_mark(&p->body,
             "<p class=\"say\"><b>%.0f component%s</b> predict entries that were held out", rank,
             rank == 1 ? "" : "s");
    if (isfinite(own)) crs_mark(&p->body, ": the last lowers the loss by %s", crs_share(own, a));
    if (isfinite(more) && !better)
        crs_mark(&p->body, "%s one more would lower it by %s", isfinite(own) ? "," : ":",
                 crs_share(larger(more, 0), b));
    crs_mark(
        &p->body, ".%s</p>\n",
        better ? " More would predict better, but they differ between the halves of the data: they "
                 "are not to be relied on."
        : found == rank && rank > 1 ? " All are found again in each half of the data."
                                    : "");
    if (found < rank)
        crs_advise(p,
                   "Only %.0f of the %.0f components are found again in halves of the data: the "
                   "others may depend on single samples.",
                   found, rank);
}

bool crs_panel_rank(crs_page *p, crease_error *e)
{
    const crs_split *s = crs_split_of(p);
    const json_t *table = crs_json_at(p->details, "rank_table");
    const char *reason = crs_json_words(p->details, "rank_reason");
    const size_t n = json_array_size(table);
    if (n == 0 && s->terms < 2 && !reason) return true;
    crs_section(p, "rank", "How many components", "How many");
    if (n > 0)
        say_choice(p, table);
    else if (reason)
        crs_say(p, "<b>The rank was chosen from the data</b>: %s.", reason);
    else
        crs_say(p,
                "The rank was asked for, not chosen. <b>%td of the %td terms</b> carry 99 %% of "
                "the energy.",
                carrying(s), s->terms);
    advise_cuts(p);
    if (n == 0) {
        crs_mark(&p->body, "<figure>");
        if (s->terms > 1) put_scree(p, s);
        crs_mark(&p->body, "</figure>\n");
        return true;
    }
    double *x = crs_doubles(2 * (ptrdiff_t)n, "the ranks that were compared", e);
    if (!x) return false;
    crs_mark(&p->body, "<div class=\"grid2 slim\"><figure>");
    put_chart(p, table, x, x + n);
    crs_mark(&p->body, "</figure>");
    put_table(p, table);
    crs_mark(&p->body, "</div>\n");
    if (reason)
        crs_mark(&p->body,
                 "<details><summary>The comparison in full</summary><p>%s.</p></details>\n",
                 reason);
    crs_free(x);
    return true;
}
