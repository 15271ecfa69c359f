/* SPDX-License-Identifier: MIT
 * theory: the panels on what is known before a run, of solve and check: each assumption with its
 * status, the bound on the steps, what presolve does, which methods take over */
#include "report/pieces.h"

static const json_t *analysis_of(const crs_page *p) { return crs_json_at(p->details, "analysis"); }

static int with_status(const json_t *list, const char *status)
{
    int count = 0;
    for (size_t k = 0; k < json_array_size(list); k++) {
        const char *word = crs_json_words(json_array_get(list, k), "status");
        count += word && strcmp(word, status) == 0;
    }
    return count;
}

static void put_status(crs_markup *m, const char *status)
{
    static const char *const known[][3] = {
        { "proved", "good", "✓" },   { "estimated", "fair", "≈" }, { "unknown", "fair", "?" },
        { "violated", "poor", "✗" }, { "refuted", "poor", "✗" },
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (status && strcmp(status, known[k][0]) == 0) {
            crs_mark(m, "<td class=\"l nb %s\"><span aria-hidden=\"true\">%s </span>%s</td>",
                     known[k][1], known[k][2], status);
            return;
        }
    crs_mark(m, "<td class=\"l nb\">%s</td>", status);
}

static void put_assumption(crs_page *p, const json_t *one)
{
    char text[CRS_DIGITS];
    const double number = crs_json_number(one, "number");
    crs_mark(&p->body, "<tr><th scope=\"row\" class=\"nb\">%s</th><td class=\"l\">%s</td>",
             crs_json_words(one, "name"), crs_json_words(one, "block"));
    put_status(&p->body, crs_json_words(one, "status"));
    crs_mark(&p->body, "<td>%s</td><td class=\"l why\">%s</td></tr>",
             isnan(number) ? "" : crs_digits(number, 4, text), crs_json_words(one, "reason"));
}

/* One sentence: which theorem, and what it says of the number of steps. */
static void say_bound(crs_page *p, const json_t *list)
{
    char text[CRS_DIGITS];
    const char *guarantee = crs_json_words(p->details, "guarantee");
    const double bound = crs_json_number(analysis_of(p), "bound");
    const int all = (int)json_array_size(list), proved = with_status(list, "proved");
    if (guarantee && strcmp(guarantee, "none") != 0) {
        crs_say(p, "%d of %d assumptions are proved. <b>%s</b> covers the problem%s%s%s.", proved,
                all, guarantee, isfinite(bound) ? ": at most " : "",
                isfinite(bound) ? crs_digits(bound, 3, text) : "", isfinite(bound) ? " steps" : "");
        return;
    }
    crs_say(p,
            "%d of %d assumptions are proved; no theorem bounds the number of steps. A certificate "
            "judges the answer all the same.",
            proved, all);
}

static void put_steps(crs_page *p, const char *title, const json_t *list)
{
    if (json_array_size(list) == 0) return;
    crs_mark(&p->body, "<h3 class=\"mt\">%s</h3><ul>", title);
    for (size_t k = 0; k < json_array_size(list); k++)
        crs_mark(&p->body, "<li>%s</li>", json_string_value(json_array_get(list, k)));
    crs_mark(&p->body, "</ul>\n");
}

bool crs_panel_assumptions(crs_page *p, crease_error *e)
{
    const json_t *list = crs_json_at(analysis_of(p), "assumptions");
    (void)e;
    if (json_array_size(list) == 0) return true;
    crs_section(p, "theory", "What is known beforehand", "Theory");
    say_bound(p, list);
    crs_mark(&p->body,
             "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Assumption</th><th "
             "scope=\"col\" class=\"l\">Block</th><th scope=\"col\" "
             "class=\"l\">Status</th><th scope=\"col\">Number</th><th scope=\"col\" "
             "class=\"l\">Why</th></tr></thead><tbody>");
    for (size_t k = 0; k < json_array_size(list); k++) put_assumption(p, json_array_get(list, k));
    crs_mark(&p->body, "</tbody></table></div>\n");
    put_steps(p, "Simplified before the run", crs_json_at(p->details, "presolve"));
    put_steps(p, "Why no theorem covers it", crs_json_at(p->details, "reasons"));
    put_steps(p, "Methods that take over where the first stalls", crs_json_at(p->details, "then"));
    return true;
}

static bool open_check(crs_page *p, crease_error *e)
{
    (void)e;
    p->details = p->result; /* the document of check --json, which has one level */
    return true;
}

static void close_check(crs_page *p) { p->details = NULL; }

static void check_cards(crs_page *p, const json_t *list, const char *method)
{
    char text[CRS_DIGITS], value[CRS_LABEL];
    const double bound = crs_json_number(p->details, "K"),
                 memory = crs_json_number(p->details, "memory");
    const char *mode = crs_json_words(p->details, "mode");
    snprintf(value, sizeof value, "%.100s mode", mode ? mode : "unknown");
    crs_card(p, "Method", method, value);
    snprintf(value, sizeof value, "%d of %d", with_status(list, "proved"),
             (int)json_array_size(list));
    crs_card(p, "Proved", value, "assumptions");
    crs_card(p, "Steps at most", isfinite(bound) ? crs_digits(bound, 3, text) : "no bound",
             bound > 1e6 ? "in the worst case; runs take far fewer"
                         : "before the residual is below eps");
    snprintf(value, sizeof value, "%s %s", crs_digits(memory / (memory < 1e6 ? 1e3 : 1e6), 3, text),
             memory < 1e6 ? "kB" : "MB");
    crs_card(p, "Memory", value, "of the solver");
}

static bool check_head(crs_page *p, crease_error *e)
{
    const json_t *list = crs_json_at(analysis_of(p), "assumptions");
    const char *method = crs_json_words(p->result, "method"),
               *guarantee = crs_json_words(p->details, "guarantee"),
               *size = crs_json_words(p->details, "problem.size"),
               *path = crs_json_words(p->details, "problem.path");
    const bool covered = guarantee && strcmp(guarantee, "none") != 0;
    (void)e;
    crs_mark(&p->kicker, "crease check · what is known before a run");
    const char *slash = path ? strrchr(path, '/') : NULL;
    crs_mark(&p->title, "%s", slash && slash[1] ? slash + 1 : path ? path : "Problem");
    if (size) crs_mark(&p->lede, "%s. ", size);
    crs_mark(&p->lede, "<b>%s</b> will solve it; %s.", method ? method : "?",
             covered ? "a theorem bounds its steps" : "no theorem bounds its steps");
    check_cards(p, list, method);
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *one = json_array_get(list, k);
        const char *status = crs_json_words(one, "status");
        if (status && (strcmp(status, "refuted") == 0 || strcmp(status, "violated") == 0))
            crs_advise(p, "%s does not hold: %s.", crs_json_words(one, "name"),
                       crs_json_words(one, "reason"));
    }
    return true;
}

const crs_page_kind crs_page_check = {
    .verb = "check", .open = open_check, .head = check_head, .close = close_check
};
