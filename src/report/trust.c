/* SPDX-License-Identifier: MIT
 * trust: what a page says of the certificate and of how the result was made: the verdict, the
 * residual of every block, what is not claimed, command, settings, versions */
#include <ctype.h>

#include "report/assets.h"
#include "report/rpca.h"

/* What to do about an outcome that is no success. */
static const char *remedy(const char *outcome)
{
    static const char *const list[][2] = {
        { "iteration_limit", "Allow more with --max-iterations, or ask for less with --eps." },
        { "time_limit", "Allow more with --max-seconds, or ask for less with --eps." },
        { "evaluation_limit", "Allow more with --max-evaluations, or ask for less with --eps." },
        { "stopped", "Run it again without stopping it, or look at what there is with care." },
        { "stuck", "Rounding may forbid the precision asked for: ask for less with --eps." },
        { "diverged", "Try another start (--seed, --starts) or another method (--method)." },
        { "numerical", "Rescale the data, or try another start (--seed)." },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (outcome && strcmp(outcome, list[k][0]) == 0) return list[k][1];
    return "";
}

typedef enum { GOOD, DOUBTFUL, BAD } tone;

static void open_verdict(crs_markup *m, tone t, const char *word)
{
    static const char *const mark[] = {
        "<path d=\"M6.5 12.5l3.6 3.6 7.4-8\"/>",
        "<path d=\"M12 6.5v7M12 17.2v.3\"/>",
        "<path d=\"M8 8l8 8M16 8l-8 8\"/>",
    };
    static const char *const name[] = { "ok", "warn", "bad" };
    crs_mark(m,
             "<div class=\"verdict %s\"><svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><circle "
             "cx=\"12\" cy=\"12\" r=\"11\"/>",
             name[t]);
    crs_mark_bytes(m, mark[t], strlen(mark[t]));
    crs_mark(m, "</svg><p><b>%s</b> ", word);
}

static void put_certified(crs_markup *m, const crs_page *p, const char *verdict)
{
    char got[CRS_DIGITS], asked[CRS_DIGITS];
    const json_t *r = p->result;
    const bool valid = verdict && strcmp(verdict, "VALID") == 0;
    const bool refuted = verdict && strcmp(verdict, "INVALID") == 0;
    open_verdict(m,
                 valid     ? GOOD
                 : refuted ? BAD
                           : DOUBTFUL,
                 valid     ? "Certified."
                 : refuted ? "Refuted."
                           : "Certified by the solver alone.");
    crs_mark(m,
             "The result meets every condition of a stationary point to %s, where %s was asked "
             "for, ",
             crs_digits(crs_json_number(r, "residual"), 2, got),
             crs_digits(crs_json_number(r, "eps"), 2, asked));
    if (valid)
        crs_mark(m, "and the independent checker confirms it.");
    else if (refuted)
        crs_mark(m, "says the solver; the independent checker finds otherwise: %s. Do not use it.",
                 crs_json_words(r, "verdict_text"));
    else
        crs_mark(m, "but the independent checker could not confirm it: %s.",
                 crs_json_words(r, "verdict_text"));
}

static bool is_one_of(const char *word, const char *list)
{
    const char *at = word ? strstr(list, word) : NULL;
    return at && (at == list || at[-1] == ' ') && strchr(" ", at[strlen(word)]);
}

static void put_uncertified(crs_markup *m, const crs_page *p, const char *outcome)
{
    char got[CRS_DIGITS], asked[CRS_DIGITS], said[320];
    const char *text = crs_json_words(p->result, "outcome_text");
    const double residual = crs_json_number(p->result, "residual");
    open_verdict(m, is_one_of(outcome, "diverged numerical") ? BAD : DOUBTFUL, "Not certified.");
    snprintf(said, sizeof said, "%.300s", text ? text : "the run is not done");
    said[0] = (char)toupper((unsigned char)said[0]);
    crs_mark(m, "%s", said);
    if (isfinite(residual))
        crs_mark(
            m, ": the conditions of a stationary point hold to %s only, where %s was asked for",
            crs_digits(residual, 2, got), crs_digits(crs_json_number(p->result, "eps"), 2, asked));
    crs_mark(m, ". %s", remedy(outcome));
}

void crs_put_verdict(crs_markup *m, const crs_page *p)
{
    const json_t *r = p->result;
    const char *outcome = crs_json_words(r, "outcome"), *verdict = crs_json_words(r, "verdict");
    if (!outcome || strcmp(outcome, "not_run") == 0) return;
    if (strcmp(outcome, "stationary") == 0) {
        put_certified(m, p, verdict);
    } else if (is_one_of(outcome, "infeasible unbounded no_minimizer")) {
        const bool valid = verdict && strcmp(verdict, "VALID") == 0;
        open_verdict(m, valid ? DOUBTFUL : BAD, "There is no answer.");
        crs_mark(m, "%s%s", crs_json_words(r, "outcome_text"),
                 valid ? "; the independent checker confirms the proof." : ".");
    } else {
        put_uncertified(m, p, outcome);
    }
    crs_mark(m, "</p></div>\n");
}

typedef struct {
    const char *name, *title, *meaning;
} condition;

/* The blocks of robust PCA in words; others keep their names. */
static const condition known[] = {
    { "E", "sparse part", "every entry is 0 or balances its penalty" },
    { "S", "sparse part", "every entry is 0 or balances its penalty" },
    { "L", "low-rank part", "its singular values balance the nuclear norm" },
    { "Z", "clean signal Z", "it lies where it costs least" },
    { "B", "noise B", "it lies where it costs least" },
    { "C", "core", "the gradient over the core vanishes" },
    { "feasibility", "constraint", "the parts add up to the data" },
};

/* "X2" of robust PCA is the factor of its second mode. */
static void put_condition(crs_page *p, const char *name)
{
    char axis[CRS_LABEL];
    const bool robust = strcmp(p->verb, "rpca") == 0;
    for (size_t k = 0; robust && k < sizeof known / sizeof *known; k++)
        if (name && strcmp(name, known[k].name) == 0) {
            crs_mark(&p->body, "<th scope=\"row\">%s</th><td class=\"l\">%s</td>", known[k].title,
                     known[k].meaning);
            return;
        }
    const int mode =
        robust && name && name[0] == 'X' && isdigit((unsigned char)name[1]) ? name[1] - '0' : 0;
    const bool known_mode =
        mode >= 1 && p->kind == &crs_page_rpca && mode <= crs_split_of(p)->grid.order;
    if (known_mode)
        crs_mark(&p->body,
                 "<th scope=\"row\">%s factor</th><td class=\"l\">no small change of it lowers the "
                 "objective</td>",
                 crs_mode_called(p, mode - 1, axis));
    else if (name && strcmp(name, "feasibility") == 0)
        crs_mark(&p->body, "<th scope=\"row\">constraint</th><td class=\"l\">it is met</td>");
    else
        crs_mark(&p->body,
                 "<th scope=\"row\">%s %s</th><td class=\"l\">no small change of it lowers the "
                 "objective to first order</td>",
                 robust ? "factor" : "block", name ? name : "?");
}

/* How far along the bar a residual is: logarithmic from 1e-20 to ten times eps. */
static double along(double v, double eps)
{
    const double low = -20, high = log10(eps) + 1;
    return v > 0 ? clip(100 * (log10(v) - low) / (high - low), 0, 100) : 0;
}

static void put_residual(crs_page *p, const char *name, double v, double eps)
{
    char text[CRS_DIGITS];
    const bool holds = v <= eps, told = isfinite(v) && eps > 0;
    crs_mark(&p->body, "<tr>");
    put_condition(p, name);
    crs_mark(&p->body, "<td>%s</td>", v == 0 ? "exact" : crs_digits(v, 2, text));
    if (told)
        crs_mark(&p->body,
                 "<td><div class=\"track\"><i class=\"%s\" style=\"width:%.1f%%\"></i><u "
                 "style=\"left:%.1f%%\"></u></div></td>",
                 holds ? "ok" : "bad", along(v, eps), along(eps, eps));
    else
        crs_mark(&p->body, "<td></td>");
    crs_mark(&p->body, "<td class=\"%s nb\">%s</td></tr>", holds ? "good" : "poor",
             holds  ? "✓ holds"
             : told ? "✗ does not"
                    : "not known");
}

/* The list of {"name", "residual", "scale"}: relative ones where the run's are. */
static int put_residuals(crs_page *p, const json_t *list, double eps, bool relative)
{
    int count = 0;
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *one = json_array_get(list, k);
        const double v = crs_json_number(one, "residual"), scale = crs_json_number(one, "scale");
        put_residual(p, crs_json_words(one, "name"), relative && v != 0 ? v / scale : v, eps);
        count++;
    }
    return count;
}

/* Of an older folder, which has neither names nor scales beside the residuals. */
static void put_blocks(crs_page *p, const json_t *list)
{
    char text[CRS_DIGITS];
    const json_t *blocks = crs_json_at(p->details, "analysis.parameters.blocks");
    for (size_t k = 0; k < json_array_size(list); k++) {
        crs_mark(&p->body, "<tr>");
        put_condition(p, crs_json_words(json_array_get(blocks, k), "block"));
        crs_mark(&p->body, "<td>%s</td><td></td><td></td></tr>",
                 crs_digits(json_number_value(json_array_get(list, k)), 2, text));
    }
}

static void put_not_claimed(crs_page *p)
{
    const char *theorem = crs_json_words(p->details, "analysis.theorem");
    const bool covered = json_is_true(crs_json_at(p->details, "analysis.guarantee"));
    crs_mark(&p->body,
             "<details><summary>What is not claimed</summary><ul><li>Not that this is the best of "
             "all solutions: the problem may have several stationary points, and the certificate "
             "is about this one.</li><li>Not that the model is right for the data: look at the "
             "residual for structure.</li>");
    if (covered)
        crs_mark(&p->body, "<li>The number of steps is bounded by a theorem: %s.</li>", theorem);
    else
        crs_mark(&p->body, "<li>Not that a theorem bounds the number of steps of this method: the "
                           "certificate judges the answer, not the way to it.</li>");
    crs_mark(&p->body, "<li>The hashes of the files find accidents; they are no signature.</li>"
                       "</ul></details>\n");
}

bool crs_panel_certificate(crs_page *p, crease_error *e)
{
    const json_t *list = crs_json_at(p->details, "certificate.residuals"),
                 *blocks = crs_json_at(p->details, "certificate.blocks");
    const double eps = crs_json_number(p->result, "eps");
    const bool told = json_array_size(list) > 0,
               relative = told && json_is_true(crs_json_at(p->result, "relative"));
    (void)e;
    if (json_array_size(list) + json_array_size(blocks) == 0) return true;
    crs_section(p, "certificate", "Certificate", "Certificate");
    crs_say(p, "At a solution no small change of any single unknown lowers the objective to first "
               "order. How far this point is from that was computed from the definitions, and a "
               "checker that shares no code with the solver computed it again.");
    crs_mark(
        &p->body,
        "<div class=\"scroll\"><table><caption>One line per condition%s. The bar is on a "
        "logarithmic scale; the dark mark is what was asked "
        "for.</caption><thead><tr><th scope=\"col\">Unknown</th><th scope=\"col\" "
        "class=\"l\">What has to hold</th><th scope=\"col\">%s</th><th scope=\"col\" class=\"l "
        "w\">Up to the tolerance</th><th scope=\"col\">Verdict</th></tr></thead><tbody>",
        relative ? ", relative to the size of its terms" : "",
        relative ? "Relative residual" : "Residual");
    if (told)
        put_residuals(p, list, eps, relative);
    else
        put_blocks(p, blocks);
    crs_mark(&p->body, "</tbody></table></div>\n");
    put_not_claimed(p);
    return true;
}

static int put_piece(const char *text, size_t n, void *to)
{
    char piece[256];
    for (size_t at = 0; at < n; at += sizeof piece - 1) {
        const size_t some = n - at < sizeof piece - 1 ? n - at : sizeof piece - 1;
        memcpy(piece, text + at, some);
        piece[some] = '\0';
        crs_mark(to, "%s", piece);
    }
    return 0;
}

/* One setting; lists and objects as JSON. */
static void put_setting(crs_page *p, const char *key, const json_t *value)
{
    char name[80], number[40];
    snprintf(name, sizeof name, "%.79s", key);
    for (char *at = name; *at; at++)
        if (*at == '_') *at = ' ';
    if (!value || json_is_null(value)) return;
    crs_mark(&p->body, "<tr><th scope=\"row\">%s</th><td class=\"l\">", name);
    if (json_is_string(value)) {
        crs_mark(&p->body, "%s", json_string_value(value));
    } else if (json_is_boolean(value)) {
        crs_mark(&p->body, "%s", json_is_true(value) ? "yes" : "no");
    } else if (json_is_number(value)) {
        snprintf(number, sizeof number, "%.10g", json_number_value(value));
        crs_mark(&p->body, "%s", number);
    } else {
        const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII;
        if (json_dump_callback(value, put_piece, &p->body, flags) != 0) p->body.failed = true;
    }
    crs_mark(&p->body, "</td></tr>");
}

static void put_object(crs_page *p, const char *caption, const json_t *object)
{
    const char *key;
    json_t *value;
    if (json_object_size(object) == 0) return;
    crs_mark(&p->body, "<table class=\"plain\"><caption>%s</caption><tbody>", caption);
    json_object_foreach((json_t *)object, key, value) put_setting(p, key, value);
    crs_mark(&p->body, "</tbody></table>");
}

static void put_commands(crs_page *p)
{
    const char *command = crs_json_words(p->result, "command");
    crs_mark(&p->body, "<pre tabindex=\"0\" aria-label=\"Commands\">");
    if (command) crs_mark(&p->body, "%s\n", command);
    if (*p->folder)
        crs_mark(&p->body, "crease verify %s    # judges this result again from its files",
                 p->folder);
    else
        crs_mark(&p->body, "crease %s %s", p->verb, crs_json_words(p->result, "problem.path"));
    crs_mark(&p->body, "</pre>");
}

static void put_data_files(crs_page *p)
{
    char text[CRS_DIGITS];
    const json_t *list = crs_json_at(p->result, "data");
    if (json_array_size(list) == 0) return;
    crs_mark(&p->body, "<table class=\"plain\"><caption>Data</caption><tbody>");
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *one = json_array_get(list, k);
        crease_space s;
        crs_mark(&p->body, "<tr><th scope=\"row\">%s</th><td class=\"l\">%s",
                 crs_json_words(one, "role"), crs_json_words(one, "path"));
        if (crs_json_shape(one, "shape", &s))
            for (int n = 0; n < s.order; n++)
                crs_mark(&p->body, "%s%s", n ? " × " : ", ", crs_count((double)s.dim[n], text));
        crs_mark(&p->body, "<br><code class=\"wrap\">%s</code></td></tr>",
                 crs_json_words(one, "hash"));
    }
    crs_mark(&p->body, "</tbody></table>");
}

bool crs_panel_made(crs_page *p, crease_error *e)
{
    (void)e;
    crs_section(p, "made", "How it was made", "How it was made");
    put_commands(p);
    crs_mark(&p->body, "<details><summary>Data, settings and versions</summary>");
    put_data_files(p);
    put_object(p, "Settings, given, chosen or default", crs_json_at(p->result, "settings"));
    crs_mark(&p->body, "<table class=\"plain\"><caption>Program</caption><tbody>");
    put_setting(p, "crease", crs_json_at(p->result, "crease"));
    put_setting(p, "method", crs_json_at(p->result, "method"));
    put_setting(p, "iterations", crs_json_at(p->result, "iterations"));
    put_setting(p, "objective", crs_json_at(p->result, "objective"));
    crs_mark(&p->body, "</tbody></table></details>\n");
    return true;
}
