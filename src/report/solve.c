/* SPDX-License-Identifier: MIT
 * solve: the page of a problem that was solved: every block with its zeros, and where other starts
 * ended */
#include "report/pieces.h"

enum { LISTED = 24, BLOCKS = 12 };

typedef struct {
    const char *name, *file;
    crs_array x;
    ptrdiff_t zeros;
} block;

typedef struct {
    int count, left_out;
    block block[BLOCKS];
    double unknowns, zeros;
} answer;

static void close_answer(crs_page *p)
{
    answer *a = p->own;
    for (int k = 0; k < a->count; k++) crs_array_free(&a->block[k].x);
    crs_free(a);
    p->own = NULL;
}

static bool add_block(crs_page *p, answer *a, const char *name, const char *file, crease_error *e)
{
    if (a->count == BLOCKS) {
        a->left_out++;
        return true;
    }
    block *b = &a->block[a->count];
    *b = (block){ .name = name, .file = file };
    if (!crs_page_array(p, file, &b->x, e)) return false;
    a->count++;
    const ptrdiff_t n = crease_size(&b->x.shape);
    for (ptrdiff_t k = 0; k < n; k++) b->zeros += b->x.data[k] == 0;
    a->unknowns += (double)n, a->zeros += (double)b->zeros;
    return true;
}

/* The blocks that details.x_files names; an answer that there is none has no such list. */
static bool open_answer(crs_page *p, crease_error *e)
{
    const char *name;
    json_t *file, *files = (json_t *)crs_json_at(p->details, "x_files");
    answer *a = p->own = crs_alloc(1, sizeof *a);
    if (!a) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the page");
    json_object_foreach(files, name, file)
    {
        if (!json_is_string(file) || strchr(json_string_value(file), '/'))
            return crs_fail(e, CREASE_BAD_DATA,
                            "%.200s/result.json does not name the file of block '%.60s'; write the "
                            "result again with crease solve",
                            p->folder, name);
        if (!add_block(p, a, name, json_string_value(file), e)) return false;
    }
    return true;
}

static bool ended_in(const crs_page *p, const char *outcome)
{
    const char *word = crs_json_words(p->result, "outcome");
    return word && strcmp(word, outcome) == 0;
}

/* Is there a proof that there is no answer? */
static bool impossible(const crs_page *p)
{
    return ended_in(p, "infeasible") || ended_in(p, "unbounded") || ended_in(p, "no_minimizer");
}

static void put_lede(crs_page *p, const answer *a)
{
    char value[CRS_DIGITS], count[CRS_DIGITS], zeros[CRS_DIGITS];
    const char *method = crs_json_words(p->result, "method");
    const double iterations = crs_json_number(p->result, "iterations");
    if (ended_in(p, "infeasible"))
        crs_mark(&p->lede, "The constraints contradict each other: <b>no point meets them "
                           "all</b>.");
    else if (ended_in(p, "unbounded"))
        crs_mark(&p->lede, "The objective <b>falls without end</b> along a ray: there is no "
                           "least value.");
    else if (ended_in(p, "no_minimizer"))
        crs_mark(&p->lede,
                 "The objective has a greatest lower bound that <b>no point attains</b>.");
    else
        crs_mark(&p->lede, "The objective is <b>%s</b> at this point",
                 crs_digits(crs_json_number(p->result, "objective"), 6, value));
    if (impossible(p)) return;
    if (a->zeros > 0)
        crs_mark(&p->lede, "; <b>%s of %s unknowns</b> are zero", crs_count(a->zeros, zeros),
                 crs_count(a->unknowns, count));
    if (method && iterations >= 0)
        crs_mark(&p->lede, ". It took %s step%s of %s", crs_count(iterations, count),
                 iterations == 1 ? "" : "s", method);
    crs_mark(&p->lede, ".");
}

static void put_cards(crs_page *p, const answer *a)
{
    char text[CRS_DIGITS], other[CRS_DIGITS], note[CRS_LABEL];
    const double evaluations = crs_json_number(p->result, "evaluations");
    const char *guarantee = crs_json_words(p->details, "guarantee");
    const bool covered = guarantee && strcmp(guarantee, "none") != 0;
    crs_card(p, "Objective", crs_digits(crs_json_number(p->result, "objective"), 5, text),
             "f and all penalties");
    snprintf(note, sizeof note, "%s asked for",
             crs_digits(crs_json_number(p->result, "eps"), 2, other));
    crs_card(p, "Residual", crs_digits(crs_json_number(p->result, "residual"), 2, text), note);
    snprintf(note, sizeof note, "of %s unknowns", crs_count(a->unknowns, other));
    crs_card(p, "Zeros", crs_count(a->zeros, text), note);
    snprintf(note, sizeof note, "%s evaluations of f", crs_count(evaluations, other));
    crs_card(p, "Iterations", crs_count(crs_json_number(p->result, "iterations"), text),
             evaluations > 0 ? note : "of the method");
    crs_card(p, "Bound on steps", covered ? "yes" : "none",
             covered ? guarantee : "the certificate judges the answer");
    crs_card(p, "Time", crs_seconds(crs_json_number(p->result, "seconds"), text),
             "of the whole command");
}

static bool head(crs_page *p, crease_error *e)
{
    const answer *a = p->own;
    (void)e;
    crs_mark(&p->kicker, "crease solve · a problem in %d block%s", a->count + a->left_out,
             a->count + a->left_out == 1 ? "" : "s");
    crs_page_title(p, "problem", "Problem");
    put_lede(p, a);
    put_cards(p, a);
    return true;
}

const crs_page_kind crs_page_solve = {
    .verb = "solve", .open = open_answer, .head = head, .close = close_answer
};

static void put_list(crs_page *p, const block *b)
{
    char text[CRS_DIGITS];
    double most = 0;
    const ptrdiff_t n = crease_size(&b->x.shape);
    for (ptrdiff_t k = 0; k < n; k++) most = larger(most, fabs(b->x.data[k]));
    crs_mark(&p->body, "<table class=\"half\"><thead><tr><th scope=\"col\">Entry</th><th "
                       "scope=\"col\">Value</th><th scope=\"col\" class=\"l w\">Size</th></tr>"
                       "</thead><tbody>");
    for (ptrdiff_t k = 0; k < n; k++) {
        const double v = b->x.data[k];
        crs_mark(&p->body, "<tr><th scope=\"row\">%td</th><td data-v=\"%.17g\">%s</td>", k + 1, v,
                 v == 0 ? "0" : crs_digits(v, 6, text));
        crs_mark_signed(&p->body, most > 0 ? v / most : 0, "c1");
        crs_mark(&p->body, "</tr>");
    }
    crs_mark(&p->body, "</tbody></table>");
}

/* Bars from zero where entries are not zero; of a long one the largest of each stretch. */
static void put_stems(crs_page *p, const block *b)
{
    char label[2 * CRS_LABEL], text[CRS_DIGITS];
    const ptrdiff_t n = crease_size(&b->x.shape), stretch = 1 + (n - 1) / 1000;
    crs_chart c = crs_chart_of(&p->body, 760, 250);
    c.x0 = 0.5, c.x1 = (double)n + 0.5, c.y1 = 0;
    for (ptrdiff_t k = 0; k < n; k++) {
        c.y0 = smaller(c.y0, b->x.data[k]);
        c.y1 = larger(c.y1, b->x.data[k]);
    }
    c.xname = "entry";
    snprintf(label, sizeof label, "Entries of block %.60s", b->name);
    c.label = label;
    crs_mark(&p->body, "<figure class=\"narrow\">");
    crs_chart_begin(&c);
    for (ptrdiff_t from = 0; from < n; from += stretch) {
        ptrdiff_t at = from;
        for (ptrdiff_t k = from; k < from + stretch && k < n; k++)
            if (fabs(b->x.data[k]) > fabs(b->x.data[at])) at = k;
        const double v = b->x.data[at];
        if (v == 0) continue;
        snprintf(label, sizeof label, "entry %td: %s", at + 1, crs_digits(v, 4, text));
        crs_chart_bar(&c, (double)at + 1, larger(0.6, (double)n / 350), v, "c1", label);
    }
    crs_chart_end(&c);
    crs_mark(&p->body, "</figure>");
    if (stretch > 1)
        crs_mark(&p->body, "<p class=\"needs\">Of every %td entries the largest is drawn.</p>",
                 stretch);
}

/* "6 × 6 numbers, 4 of them 0, from −1.2 to 3.4" */
static void put_block(crs_page *p, const block *b)
{
    char text[CRS_DIGITS], low[CRS_DIGITS], high[CRS_DIGITS];
    const ptrdiff_t n = crease_size(&b->x.shape);
    double least = INFINITY, most = -INFINITY;
    for (ptrdiff_t k = 0; k < n; k++) {
        if (b->x.data[k] < least) least = b->x.data[k];
        if (b->x.data[k] > most) most = b->x.data[k];
    }
    crs_mark(&p->body, "<h3 class=\"mt\">Block %s</h3><p class=\"say\">", b->name);
    for (int k = 0; k < b->x.shape.order; k++)
        crs_mark(&p->body, "%s%s", k ? " × " : "", crs_count((double)b->x.shape.dim[k], text));
    crs_mark(&p->body, " number%s, %s zero", n == 1 ? "" : "s",
             b->zeros == 0   ? "none"
             : b->zeros == n ? "all"
                             : crs_count((double)b->zeros, text));
    if (least <= most)
        crs_mark(&p->body, ", from %s to %s", crs_digits(least, 4, low), crs_digits(most, 4, high));
    crs_mark(&p->body, ".</p>");
    if (b->x.shape.order == 2 && b->x.shape.dim[0] > 1 && b->x.shape.dim[1] > 1)
        crs_put_heat(p, b->name, b->x.shape.dim[0], b->x.shape.dim[1], b->x.data);
    else if (n <= LISTED)
        put_list(p, b);
    else
        put_stems(p, b);
    crs_mark(&p->body, "\n");
}

bool crs_panel_solve_blocks(crs_page *p, crease_error *e)
{
    const answer *a = p->own;
    char zeros[CRS_DIGITS], all[CRS_DIGITS];
    (void)e;
    if (a->count < 1) return true;
    const block *least = &a->block[0];
    for (int k = 1; k < a->count; k++)
        if ((double)a->block[k].zeros * (double)crease_size(&least->x.shape) >
            (double)least->zeros * (double)crease_size(&a->block[k].x.shape))
            least = &a->block[k];
    crs_section(p, "answer", impossible(p) ? "Where the run ended" : "The answer",
                impossible(p) ? "Last point" : "Answer");
    if (impossible(p))
        crs_say(p, "There is no answer; this is the point at which the proof was found.");
    else if (least->zeros > 0)
        crs_say(p, "Block %s is the sparsest: <b>%s of %s</b> entries are zero.", least->name,
                crs_count((double)least->zeros, zeros),
                crs_count((double)crease_size(&least->x.shape), all));
    else
        crs_say(p, "No entry of the answer is zero.");
    for (int k = 0; k < a->count; k++) put_block(p, &a->block[k]);
    if (a->left_out > 0)
        crs_mark(&p->body, "<p class=\"needs\">%d more blocks are in the folder.</p>", a->left_out);
    return true;
}

/* Where the runs from other starts ended. */
bool crs_panel_solve_points(crs_page *p, crease_error *e)
{
    char text[CRS_DIGITS], other[CRS_DIGITS];
    const json_t *list = crs_json_at(p->details, "points");
    const size_t n = json_array_size(list);
    size_t same = 0;
    const double best = crs_json_number(p->result, "objective");
    (void)e;
    if (n < 2) return true;
    for (size_t k = 0; k < n; k++) {
        const double f = crs_json_number(json_array_get(list, k), "objective");
        same += fabs(f - best) <= 1e-6 * (1 + fabs(best));
    }
    crs_section(p, "starts", "Where other starts ended", "Starts");
    crs_say(p, "%zu of %zu runs ended at the lowest value, %s.", same, n,
            crs_digits(best, 6, text));
    if (same == 1)
        crs_advise(p,
                   "Only one start found this value: more of them (<code>--starts %zu</code>) may "
                   "find a lower one.",
                   4 * n);
    crs_mark(&p->body, "<div class=\"scroll\"><table class=\"sort\"><thead><tr><th "
                       "scope=\"col\">Start</th><th scope=\"col\">Objective</th><th "
                       "scope=\"col\">Residual</th><th scope=\"col\">Iterations</th><th "
                       "scope=\"col\" class=\"l\">Method</th><th scope=\"col\" "
                       "class=\"l\">Outcome</th></tr></thead><tbody>");
    for (size_t k = 0; k < n; k++) {
        const json_t *one = json_array_get(list, k);
        crs_mark(&p->body, "<tr><th scope=\"row\">%s</th><td data-v=\"%.17g\">%s</td>",
                 crs_json_words(one, "start"), crs_json_number(one, "objective"),
                 crs_digits(crs_json_number(one, "objective"), 6, text));
        crs_mark(&p->body, "<td data-v=\"%.17g\">%s</td><td>%s</td>",
                 crs_json_number(one, "residual"),
                 crs_digits(crs_json_number(one, "residual"), 2, text),
                 crs_count(crs_json_number(one, "iterations"), other));
        crs_mark(&p->body, "<td class=\"l\">%s</td><td class=\"l\">%s</td></tr>",
                 crs_json_words(one, "method"), crs_json_words(one, "outcome"));
    }
    crs_mark(&p->body, "</tbody></table></div>\n");
    return true;
}
