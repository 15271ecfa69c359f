/* SPDX-License-Identifier: MIT
 * convergence: how the residual fell, from history.csv, and what the phases took */
#include "report/report.h"

enum { ROWS = 1000 };

typedef struct {
    ptrdiff_t count;
    double x[ROWS], y[ROWS];
    const char *phase;
} course;

/* The column of this name in a line of names; -1: none. */
static int column(const char *line, const char *name)
{
    const size_t n = strlen(name);
    for (int k = 0;; k++) {
        const size_t length = strcspn(line, ",\r\n");
        if (length == n && strncmp(line, name, n) == 0) return k;
        if (line[length] != ',') return -1;
        line += length + 1;
    }
}

static double cell(const char *line, int k)
{
    char text[40];
    double x;
    for (; k > 0; k--) {
        line += strcspn(line, ",\n");
        if (*line != ',') return NAN;
        line++;
    }
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, ",\r\n") % 39, line);
    return crs_parse_double(text, &x) ? x : NAN;
}

/* Is this line of the phase? A file without phases has one alone. */
static bool is_of(const char *line, int column_of_phase, const char *phase)
{
    return column_of_phase != 0 ||
           (strncmp(line, phase, strlen(phase)) == 0 && line[strlen(phase)] == ',');
}

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

/* The rows of a phase, at most ROWS of them evenly and the last. factor turns absolute residuals
 * into relative ones where the file has no column for those; 1: absolute ones are wanted. */
static void read_rows(const char *text, const char *phase, double factor, course *c)
{
    const int relative = factor == 1 ? -1 : column(text, "worst_relative"),
              absolute = column(text, "worst"), iteration = column(text, "iteration"),
              phases = column(text, "phase");
    const int residual = relative >= 0 ? relative : absolute;
    ptrdiff_t rows = 0, k = 0;
    c->count = 0;
    c->phase = phase;
    if (residual < 0 || iteration < 0) return;
    for (const char *at = next_line(text); *at; at = next_line(at))
        rows += is_of(at, phases, phase);
    const ptrdiff_t every = 1 + rows / ROWS;
    for (const char *at = next_line(text); *at; at = next_line(at)) {
        if (!is_of(at, phases, phase)) continue;
        const double x = cell(at, iteration), y = cell(at, residual);
        const bool last = ++k == rows;
        if ((k % every != 0 && !last) || !(y > 0) || !isfinite(x)) continue;
        if (c->count == ROWS) c->count--;
        c->x[c->count] = x;
        c->y[c->count++] = relative >= 0 ? y : y * factor;
    }
}

static bool read_course(const crs_page *p, course *c, crease_error *e)
{
    const double worst = crs_json_number(p->details, "certificate.worst"),
                 relative = crs_json_number(p->details, "certificate.worst_relative");
    const bool scaled = json_is_true(crs_json_at(p->result, "relative"));
    char *path = crs_path_in(p->folder, "history.csv", e), *text = NULL;
    size_t n;
    crease_error ours = { .code = CREASE_OK };
    if (!path) return false;
    bool there = crs_text_read(path, &text, &n, &ours);
    crs_free(path);
    c->count = 0;
    char *ended = there ? crs_resize(text, n + 1, 1) : NULL;
    if (there && !ended) ours.code = CREASE_NO_MEMORY, there = false;
    if (ended) text = ended, text[n] = '\0';
    const double factor = scaled ? relative / worst : 1;
    if (there && isfinite(factor)) read_rows(text, "fit", factor, c);
    if (there && isfinite(factor) && c->count < 3) read_rows(text, "start", factor, c);
    crs_free(text);
    return ours.code != CREASE_NO_MEMORY ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: the course of the run");
}

static void put_course(crs_page *p, const course *c)
{
    char text[CRS_DIGITS], label[CRS_LABEL];
    const double eps = crs_json_number(p->result, "eps");
    double low = eps, high = eps;
    for (ptrdiff_t k = 0; k < c->count; k++) {
        low = smaller(low, c->y[k]);
        high = larger(high, c->y[k]);
    }
    crs_chart chart = crs_chart_of(&p->body, 522, 250);
    chart.left = 62;
    chart.log = true;
    chart.x0 = c->x[0];
    chart.x1 = c->x[c->count - 1];
    chart.y0 = pow(10, floor(log10(low)));
    chart.y1 = pow(10, ceil(log10(high)));
    chart.xname = strcmp(c->phase, "start") == 0 ? "step of the start" : "iteration";
    chart.yname = json_is_true(crs_json_at(p->result, "relative")) ? "largest relative residual"
                                                                   : "largest residual";
    chart.label = "The residual by iteration";
    crs_mark(&p->body, "<figure>");
    crs_chart_begin(&chart);
    snprintf(label, sizeof label, "asked for: %s", crs_digits(eps, 2, text));
    crs_chart_level(&chart, eps, "ok", label);
    crs_chart_line(&chart, c->count, c->x, c->y, "c1");
    if (c->count <= 40) crs_chart_dots(&chart, c->count, c->x, c->y, "c1");
    crs_chart_end(&chart);
    crs_mark(&p->body, "</figure>");
}

static void put_phases(crs_page *p)
{
    static const char *const words[][2] = {
        { "read", "reading and checking the data" },
        { "center", "constants that are removed" },
        { "start", "finding first points" },
        { "rank", "choosing how many components" },
        { "fit", "iterations" },
        { "certify", "the solver's certificate" },
        { "check", "the independent check" },
        { "write", "writing the files" },
    };
    char text[CRS_DIGITS], share[CRS_DIGITS];
    const json_t *phases = crs_json_at(p->result, "phase_seconds");
    const double whole = crs_json_number(p->result, "seconds");
    crs_mark(&p->body, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Phase</th><th "
                       "scope=\"col\" class=\"l\">What was done</th><th scope=\"col\">Time</th><th "
                       "scope=\"col\">Share</th></tr></thead><tbody>");
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const double x = crs_json_number(phases, words[k][0]);
        if (!(x > 1e-5)) continue;
        crs_mark(&p->body,
                 "<tr><th scope=\"row\">%s</th><td class=\"l\">%s</td><td "
                 "class=\"nb\">%s</td><td class=\"nb\">%s</td></tr>",
                 words[k][0], words[k][1], crs_seconds(x, text),
                 crs_share(whole > 0 ? x / whole : NAN, share));
    }
    crs_mark(&p->body, "</tbody></table></div>");
}

static void say_course(crs_page *p)
{
    char a[CRS_DIGITS], b[CRS_DIGITS], c[CRS_DIGITS];
    const double passes = crs_json_number(p->result, "passes"),
                 iterations = crs_json_number(p->result, "iterations"),
                 starts = crs_json_number(p->details, "pilot.starts");
    const char *method = crs_json_words(p->result, "method");
    crs_digits(crs_json_number(p->result, "residual"), 2, b);
    const char *outcome = crs_json_words(p->result, "outcome");
    const bool done = outcome && strcmp(outcome, "stationary") == 0;
    if (iterations == 0 && passes > 0 && !done)
        crs_say(
            p,
            "The fit that finds the start took <b>%s passes</b> over the data and was not done: "
            "the residual is %s.",
            crs_count(passes, a), b);
    else if (iterations == 0 && passes > 0)
        crs_say(p,
                "The fit that finds the start, <b>%s passes</b> over the data, ended where the "
                "residual is %s already: %s had nothing left to do.",
                crs_count(passes, a), b, method);
    else
        crs_say(p, "<b>%s iteration%s</b> of %s brought the residual to %s%s%s%s.",
                crs_count(iterations, a), iterations == 1 ? "" : "s", method, b,
                starts > 1 ? ", from the best of " : "", starts > 1 ? crs_count(starts, c) : "",
                starts > 1 ? " starts" : "");
}

static void advise_starts(crs_page *p)
{
    char text[CRS_DIGITS];
    const double agreement = crs_json_number(p->details, "pilot.agreement"),
                 starts = crs_json_number(p->details, "pilot.starts");
    if (starts > 1 && agreement < 0.9)
        crs_advise(p,
                   "The starts disagree: their terms match to %s only (1: exactly). The answer "
                   "depends on where the run began. Try more of them (<code>--starts 8</code>), "
                   "or a smaller <code>--rank</code>.",
                   crs_digits(agreement, 2, text));
}

bool crs_panel_convergence(crs_page *p, crease_error *e)
{
    course *c = crs_alloc(1, sizeof *c);
    const bool timed = json_object_size(crs_json_at(p->result, "phase_seconds")) > 0;
    if (!c) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the course of the run");
    const bool done = read_course(p, c, e), drawn = c->count > 2 && c->x[c->count - 1] > c->x[0];
    if (done && (drawn || timed)) {
        crs_section(p, "convergence", "Convergence", "Convergence");
        say_course(p);
        advise_starts(p);
        crs_mark(&p->body, drawn ? "<div class=\"grid2\">" : "<div>");
        if (drawn) put_course(p, c);
        if (timed) put_phases(p);
        crs_mark(&p->body, "</div>\n");
    }
    crs_free(c);
    return done;
}
