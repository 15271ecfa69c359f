/* SPDX-License-Identifier: MIT
 * progress: what a command says while it works, all of it from the watch: one line on a terminal
 * that is drawn again and erased at the end; otherwise plain lines, or JSON with one object per
 * line, on standard error or in a file; with --verbose the table of iterations; and --log-csv */
#define _DEFAULT_SOURCE
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"

typedef struct crs_log {
    const crs_args *a;
    FILE *lines;   /* --log-file, or standard error; NULL: nobody wants them */
    FILE *csv;     /* NULL: none */
    bool json;     /* the lines are objects */
    bool asked;    /* for: they come from the beginning on */
    bool terminal; /* a line is drawn on standard error */
    bool verbose, stopping;
    int drawn; /* columns that are to be erased; 0: there is no line */
    bool seen[CREASE_PHASE_COUNT];
    double spoken; /* seconds of the last line */
    double shown;  /* and of the last row that was looked at */
    long every, next, last;
} crs_log;

/* Seconds: between two looks; before a line is drawn; before lines that nobody asked for; between
 * two lines, and two objects. */
static const double often = 0.1, patience = 0.3, silence = 30, text_pause = 30, json_pause = 1;

enum { ROOM = 1 << 16, LINE = 400 };

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
add(char out[LINE], size_t *used, const char *format, ...)
{
    va_list list;
    if (*used >= LINE) return;
    va_start(list, format);
    *used += (size_t)vsnprintf(out + *used, LINE - *used, format, list);
    va_end(list);
}

/* What the first Ctrl-C, or the limit, leads to. */
static const char *ending(const crs_args *a)
{
    return a->verb->stops ? a->verb->stops : "the best point so far is certified and written";
}

/* "crease rpca  fit 45 %  iteration 18  residual 3.1e-05 -> 1e-06  objective 2.73  4.0 s" */
static size_t describe(const crs_log *log, const crease_state *s, bool brief, char out[LINE])
{
    const double worst = s->relative ? s->worst_relative : s->worst;
    size_t used = 0;
    add(out, &used, "crease %s  %s", log->a->verb->name, crease_phase_name(s->phase));
    if (!isnan(s->fraction)) add(out, &used, " %.0f %%", 100 * s->fraction);
    if (s->stopping) add(out, &used, "  stopping: %s", ending(log->a));
    if (s->message[0]) add(out, &used, "  %s", s->message);
    if (s->iteration >= 0) add(out, &used, "  iteration %ld", s->iteration);
    if (isfinite(worst) && s->eps > 0) add(out, &used, "  residual %.1e -> %g", worst, s->eps);
    if (isfinite(s->objective) && !brief) add(out, &used, "  objective %.5g", s->objective);
    add(out, &used, "  %.*f s", s->seconds < 100, s->seconds);
    return used < LINE ? used : LINE - 1;
}

static int columns(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : 80;
}

/* Over the line before; blanks cover what was longer. The last column stays free. */
static void draw(crs_log *log, const crease_state *s)
{
    static const char hint[] = "Ctrl-C: stop and write";
    const int room = columns() - 1;
    char text[LINE];
    int length = (int)describe(log, s, false, text);
    if (length > room) length = (int)describe(log, s, true, text);
    if (length > room) length = room;
    const bool hints = !s->stopping && !log->a->verb->stops && s->phase > CREASE_PHASE_READ &&
                       s->phase <= CREASE_PHASE_FIT && length + 4 + (int)sizeof hint <= room;
    fprintf(stderr, "\r%.*s%*s", length, text, hints ? room - length : 0, hints ? hint : "");
    if (hints) length = room;
    if (log->drawn > length) fprintf(stderr, "%*s\r", log->drawn - length, "");
    log->drawn = length > log->drawn ? length : log->drawn;
    fflush(stderr);
}

/* The line goes until the next look: something else is to be printed. */
static void clear(const crs_args *a)
{
    crs_log *log = a->log;
    if (!log || log->drawn == 0) return;
    fprintf(stderr, "\r%*s\r", log->drawn, "");
    fflush(stderr);
    log->drawn = 0;
}

static void put_text(FILE *f, const char *key, const char *text)
{
    fprintf(f, ",\"%s\":\"", key);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', f);
        fputc((unsigned char)*c < ' ' ? '?' : *c, f);
    }
    fputc('"', f);
}

static void put_number(FILE *f, const char *key, double x)
{
    if (isfinite(x)) fprintf(f, ",\"%s\":%.10g", key, x);
}

static void put_state(crs_log *log, const char *event, const crease_state *s)
{
    FILE *f = log->lines;
    fprintf(f, "{\"t\":%.3f", s->seconds);
    put_text(f, "event", event);
    put_text(f, "verb", log->a->verb->name);
    put_text(f, "phase", crease_phase_name(s->phase));
    put_number(f, "fraction", s->fraction);
    if (s->message[0]) put_text(f, "message", s->message);
    if (s->iteration >= 0) fprintf(f, ",\"iteration\":%ld", s->iteration);
    put_number(f, "objective", s->objective);
    put_number(f, "worst", s->worst);
    put_number(f, "worst_relative", s->worst_relative);
    put_number(f, "eps", s->eps);
    fprintf(f, "}\n");
}

static void say(crs_log *log, const char *event, const crease_state *s)
{
    char text[LINE];
    if (log->lines == stderr) clear(log->a);
    if (log->json) {
        put_state(log, event, s);
    } else {
        describe(log, s, false, text);
        fprintf(log->lines, "%s\n", text);
    }
    fflush(log->lines);
    log->spoken = s->seconds;
}

/* 1, 2, 5, 10, 20, 50, ... */
static long after(long n)
{
    long power = 1;
    while (power <= n / 10) power *= 10;
    return n < 1 ? 1 : n / power == 1 ? 2 * power : n / power == 2 ? 5 * power : 10 * power;
}

static void put_row(crs_log *log, const crease_progress *p)
{
    FILE *f = log->lines;
    log->last = p->iteration;
    if (!log->json) {
        fprintf(f, "%10ld %16.9e %12.4e %12.4e %12.4e %12.4e %9.3f\n", p->iteration, p->objective,
                p->feasibility, p->worst, p->worst_relative, p->theta, p->seconds);
        return;
    }
    fprintf(f, "{\"t\":%.3f", p->seconds);
    put_text(f, "event", "row");
    put_text(f, "phase", crease_phase_name(p->phase));
    fprintf(f, ",\"iteration\":%ld", p->iteration);
    put_number(f, "objective", p->objective);
    put_number(f, "feasibility", p->feasibility);
    put_number(f, "worst", p->worst);
    put_number(f, "worst_relative", p->worst_relative);
    put_number(f, "theta", p->theta);
    fprintf(f, "}\n");
}

/* The rows of the fit that came since the last look, as far as the table has a line for them;
 * all: and the last one in any case. */
static void put_rows(crs_log *log, bool all)
{
    const long rows = crease_watch_rows(log->a->watch);
    long k = rows;
    if (!log->verbose || !log->lines || log->every == 0) return;
    if (log->lines == stderr) clear(log->a);
    while (k > 0 && crease_watch_row(log->a->watch, k - 1).seconds > log->shown) k--;
    for (; k < rows; k++) {
        const crease_progress p = crease_watch_row(log->a->watch, k);
        log->shown = p.seconds;
        if (p.phase != CREASE_PHASE_FIT) continue;
        if (p.iteration < log->last) log->next = 0; /* another run */
        if (p.iteration < log->next && p.iteration % log->every != 0) continue;
        put_row(log, &p);
        while (log->next <= p.iteration) log->next = after(log->next);
    }
    for (k = rows; all && k > 0; k--) {
        const crease_progress p = crease_watch_row(log->a->watch, k - 1);
        if (p.phase != CREASE_PHASE_FIT) continue;
        if (p.iteration != log->last) put_row(log, &p);
        return;
    }
}

static bool look(const crease_state *s, void *user)
{
    crs_log *log = user;
    const bool stops = s->stopping && !log->stopping, first = !log->seen[s->phase];
    const double pause = log->json ? json_pause : text_pause;
    const bool due = first || stops || s->seconds - log->spoken >= pause;
    log->stopping = s->stopping;
    put_rows(log, false);
    if (log->lines && (log->json || !log->terminal || log->lines != stderr) && due &&
        (log->asked || s->seconds >= silence)) {
        say(log, stops ? "stopping" : first ? "phase" : "progress", s);
        log->seen[s->phase] = true;
    }
    if (log->terminal && s->seconds >= patience) draw(log, s);
    return true;
}

FILE *crs_log_text(const crs_args *a)
{
    crs_log *log = a->log;
    if (!log || !log->verbose || log->json || !log->lines) return NULL;
    if (log->lines == stderr) clear(a);
    return log->lines;
}

void crs_log_note(const crs_args *a, const char *format, ...)
{
    char text[LINE];
    va_list list;
    if (crs_given(a, CRS_OPT_QUIET)) return;
    clear(a);
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (a->log && a->log->json) {
        fprintf(a->log->lines, "{\"t\":%.3f", crease_watch_total(a->watch));
        put_text(a->log->lines, "event", "note");
        put_text(a->log->lines, "message", text);
        fprintf(a->log->lines, "}\n");
    } else {
        fprintf(crs_err(), "crease: %s: note: %s\n", a->verb->name, text);
    }
}

void crs_log_table(const crs_args *a, long every)
{
    FILE *f = crs_log_text(a);
    if (a->log) a->log->every = every;
    if (f)
        fprintf(f, "%10s %16s %12s %12s %12s %12s %9s\n", "iteration", "objective", "feasibility",
                "worst", "relative", "theta", "seconds");
}

void crs_log_rows(const crs_args *a)
{
    if (a->log) put_rows(a->log, true);
}

static bool check_options(const crs_args *a, crease_error *e)
{
    const char *form = crs_given(a, CRS_OPT_LOG);
    if (form && strcmp(form, "json") != 0 && strcmp(form, "text") != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "--log %.64s: write text or json", form);
    return !form || !crs_given(a, CRS_OPT_QUIET) || crs_given(a, CRS_OPT_LOG_FILE) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "--quiet and --log exclude each other; give one, or the log a file by "
                    "--log-file");
}

static bool open_file(const crs_args *a, crs_option_id id, FILE **f, crease_error *e)
{
    const char *path = crs_given(a, id);
    if (!path) return true;
    *a->status = CRS_EXIT_NO_OUTPUT;
    *f = crs_create(path, e);
    if (*f) *a->status = 0;
    return *f;
}

bool crs_log_open(crs_args *a, crease_error *e)
{
    static char room[ROOM]; /* what is printed appears when the line is gone */
    const char *form = crs_given(a, CRS_OPT_LOG);
    const bool quiet = crs_given(a, CRS_OPT_QUIET), filed = crs_given(a, CRS_OPT_LOG_FILE);
    if (!crs_takes(a->verb, CRS_OPT_QUIET)) return true;
    if (!check_options(a, e)) return false;
    crs_log *log = a->log = crs_alloc(1, sizeof *log);
    if (!log) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the log");
    log->a = a;
    log->spoken = log->shown = -INFINITY;
    log->last = -1;
    log->verbose = crs_given(a, CRS_OPT_VERBOSE);
    log->json = form && strcmp(form, "json") == 0;
    log->asked = form || filed;
    log->terminal = !quiet && isatty(STDERR_FILENO) && !(log->json && !filed);
    if (!quiet) log->lines = stderr;
    if (!open_file(a, CRS_OPT_LOG_FILE, &log->lines, e) ||
        !open_file(a, CRS_OPT_LOG_CSV, &log->csv, e))
        return false;
    if (log->terminal && isatty(STDOUT_FILENO)) setvbuf(stdout, room, _IOFBF, sizeof room);
    crease_watch_look(a->watch, look, log, often);
    return true;
}

static void put_end(crs_log *log, bool done, const crease_error *e)
{
    FILE *f = log->lines;
    if (!log->json || !f) return;
    fprintf(f, "{\"t\":%.3f", crease_watch_total(log->a->watch));
    put_text(f, "event", "end");
    put_text(f, "verb", log->a->verb->name);
    if (done) fprintf(f, ",\"exit_status\":%d", *log->a->status);
    if (!done) put_text(f, "error", e->text);
    fprintf(f, "}\n");
}

bool crs_log_close(crs_args *a, bool done, crease_error *e)
{
    crs_log *log = a->log;
    crease_error *first = done ? e : NULL; /* the error of the command comes first */
    if (!log) return done;
    crease_watch_look(a->watch, NULL, NULL, 1);
    clear(a);
    put_end(log, done, e);
    bool written = true;
    if (log->csv)
        written = crs_finish(log->csv, crs_given(a, CRS_OPT_LOG_CSV),
                             crs_history_put(log->csv, a->watch), first);
    if (log->lines && log->lines != stderr && crs_given(a, CRS_OPT_LOG_FILE))
        written =
            crs_finish(log->lines, crs_given(a, CRS_OPT_LOG_FILE), true, written ? first : NULL) &&
            written;
    if (!written) *a->status = 0;
    crs_free(log);
    a->log = NULL;
    return done && written;
}
