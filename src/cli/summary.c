/* SPDX-License-Identifier: MIT
 * summary: what a verb says on standard output when it is done, in the order answer, trust, where
 * things are. A result that is not certified begins with that, and with what can be done. */
#include <stdarg.h>

#include "cli/cli.h"

enum { LABEL = 12, INDENT = 2 + LABEL + 1, ROOM = 1200 };

void crs_line(const char *label, const char *format, ...)
{
    char text[ROOM];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const int used = crs_print("  %-*s ", LABEL, label);
    if (used > INDENT) crs_print("\n%*s", INDENT, "");
    crs_print_wrapped(text, INDENT, INDENT);
}

/* "20 x 101 x 51 (sample, emission, excitation)" */
void crs_named_shape(const crease_space *s, const crs_axes *axes, char *out, size_t size)
{
    size_t used = 0;
    bool named = axes;
    for (int n = 0; n < s->order && used < size; n++) {
        named = named && axes->axis[n].name;
        used += (size_t)snprintf(out + used, size - used, "%s%td", n ? " x " : "", s->dim[n]);
    }
    for (int n = 0; named && n < s->order && used < size; n++)
        used += (size_t)snprintf(out + used, size - used, "%s%.60s", n ? ", " : " (",
                                 axes->axis[n].name);
    if (named && used < size) snprintf(out + used, size - used, ")");
}

/* "sample 8, emission 507 nm", or without names "(7, 50, 3), counted from 0" */
void crs_entry_text(const crease_space *s, const crs_axes *axes, ptrdiff_t k, char *out,
                    size_t size)
{
    const bool known = axes && crs_axes_known(axes, s->order);
    ptrdiff_t at[CREASE_MAX_ORDER];
    size_t used = 0;
    for (int n = s->order - 1; n >= 0; k /= s->dim[n], n--) at[n] = k % s->dim[n];
    out[0] = '\0';
    for (int n = 0; n < s->order && used < size; n++) {
        char text[200];
        snprintf(text, sizeof text, "%td", at[n]);
        if (known) crs_axis_text(axes, n, at[n], text, sizeof text);
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 n       ? ", "
                                 : known ? ""
                                         : "(",
                                 text);
    }
    if (!known && used < size) snprintf(out + used, size - used, "), counted from 0");
}

bool crs_is_certified(const crs_trust *t)
{
    return t->outcome == CREASE_STATIONARY && t->verdict == CREASE_VERDICT_VALID;
}

static bool is_proof(const crs_trust *t)
{
    return (t->outcome == CREASE_INFEASIBLE || t->outcome == CREASE_UNBOUNDED) &&
           t->verdict == CREASE_VERDICT_VALID;
}

/* What may help, by how the run ended; an option that the verb does not take is no help. */
static const struct {
    crease_outcome outcome;
    int option; /* -1: none */
    const char *text;
} remedies[] = {
    { CREASE_ITERATION_LIMIT, CRS_OPT_max_iterations, "allow more iterations by --max-iterations" },
    { CREASE_ITERATION_LIMIT, CRS_OPT_eps, "be content with a larger --eps" },
    { CREASE_TIME_LIMIT, CRS_OPT_max_seconds, "allow more time by --max-seconds" },
    { CREASE_TIME_LIMIT, CRS_OPT_eps, "be content with a larger --eps" },
    { CREASE_EVALUATION_LIMIT, CRS_OPT_max_evaluations, "allow more by --max-evaluations" },
    { CREASE_EVALUATION_LIMIT, CRS_OPT_eps, "be content with a larger --eps" },
    { CREASE_STOPPED, -1, "let it run to its end" },
    { CREASE_STUCK, CRS_OPT_eps, "be content with a larger --eps" },
    { CREASE_STUCK, CRS_OPT_METHOD, "try another --method" },
    { CREASE_DIVERGED, CRS_OPT_METHOD, "try another --method" },
    { CREASE_DIVERGED, -1, "bound the unknowns" },
    { CREASE_NUMERICAL, -1, "rescale the data" },
    { CREASE_NUMERICAL, CRS_OPT_METHOD, "try another --method" },
    { CREASE_NO_MINIMIZER, -1, "bound the unknowns, or penalize them" },
};

static void say_remedy(const crs_args *a, crease_outcome o)
{
    bool any = false;
    for (size_t k = 0; k < sizeof remedies / sizeof *remedies; k++) {
        const int option = remedies[k].option;
        if (remedies[k].outcome != o || (option >= 0 && !crs_takes(a->verb, option))) continue;
        crs_print("%s%s", any ? ", or " : "  what may help: ", remedies[k].text);
        any = true;
    }
    if (any) crs_print("\n");
}

/* Why a point that meets eps is not certified all the same. */
static const char *denied(const crs_trust *t)
{
    return t->verdict == CREASE_VERDICT_INVALID      ? "the independent checker denies it"
           : t->verdict == CREASE_VERDICT_UNFINISHED ? "the independent checker had no time to "
                                                       "finish"
                                                     : "the independent checker cannot confirm it";
}

void crs_say_doubt(const crs_args *a, const crs_trust *t)
{
    const bool found = t->outcome == CREASE_STATIONARY;
    if (crs_is_certified(t) || is_proof(t)) return;
    crs_print_tone(a, crs_out(), CRS_TONE_DOUBT, "NOT certified:");
    crs_print(" %s", found ? denied(t) : t->text ? t->text : crease_outcome_text(t->outcome));
    if (!found && isfinite(t->residual))
        crs_print("; residual %.1e, asked %g", t->residual, t->eps);
    crs_print("\n");
    if (found && t->why && *t->why) crs_print("  %s\n", t->why);
    if (found && t->verdict == CREASE_VERDICT_INVALID)
        crs_print("  this is a defect of crease; please report it together with the result\n");
    else if (found && t->verdict == CREASE_VERDICT_UNFINISHED && crs_given(a, CRS_OPT_OUT))
        crs_print("  what may help: crease verify %s\n", crs_given(a, CRS_OPT_OUT));
    else if (!found)
        say_remedy(a, t->outcome);
    crs_print("\n");
}

void crs_say_trust(const crs_args *a, const crs_trust *t)
{
    if (!crs_is_certified(t) && !is_proof(t)) return;
    crs_print("\n  ");
    crs_print_tone(a, crs_out(), CRS_TONE_GOOD, "%-*s", LABEL,
                   is_proof(t) ? "proved" : "certified");
    if (is_proof(t))
        crs_print(" %s; confirmed by the independent checker\n", crease_outcome_text(t->outcome));
    else
        crs_print(" stationary to %.1e (asked: %g%s), confirmed by the independent checker\n",
                  t->residual, t->eps, t->relative ? "" : ", absolute");
}

void crs_say_steps(const crs_trust *t, long iterations, crease_method m, const char *theorem)
{
    const bool good = crs_is_certified(t) || is_proof(t);
    if (!good) crs_print("\n");
    crs_line(good ? "" : "method", "%ld iteration%s of %s; %s%s%s", iterations,
             iterations == 1 ? "" : "s", crease_method_name(m),
             theorem ? "a theorem bounds their number (" : "no theorem bounds their number",
             theorem ? theorem : "", theorem ? ")" : "");
}

/* The phase that took more than half of the time, in words; NULL: none did. */
static const char *longest_phase(const crs_args *a)
{
    static const char *const words[CREASE_PHASE_COUNT] = {
        [CREASE_PHASE_READ] = "to read the data",
        [CREASE_PHASE_CENTER] = "to find the constants",
        [CREASE_PHASE_START] = "to find starting points",
        [CREASE_PHASE_RANK] = "to choose the rank",
        [CREASE_PHASE_FIT] = "to fit",
        [CREASE_PHASE_CERTIFY] = "for certificates",
        [CREASE_PHASE_CHECK] = "for the independent check",
        [CREASE_PHASE_WRITE] = "to write the files",
    };
    const double all = crease_watch_total(a->watch);
    for (int k = 0; k < CREASE_PHASE_COUNT; k++)
        if (crease_watch_seconds(a->watch, (crease_phase)k) > all / 2) return words[k];
    return NULL;
}

void crs_bytes_text(double bytes, char out[32])
{
    static const char *const unit[] = { "bytes", "kB", "MB", "GB", "TB" };
    int k = 0;
    for (; bytes >= 999.5 && k < 4; k++) bytes /= 1000;
    snprintf(out, 32, "%.3g %s", bytes, unit[k]);
}

void crs_say_place(const crs_args *a, const crs_folder *f)
{
    const double seconds = crease_watch_total(a->watch);
    const char *longest = seconds >= 1 ? longest_phase(a) : NULL, *path = crs_given(a, CRS_OPT_OUT);
    char size[32], took[120];
    snprintf(took, sizeof took, "in %.3g s%s%s", seconds, longest ? ", most of it " : "",
             longest ? longest : "");
    if (!path || crs_is_memory(path)) {
        crs_print("\n%s\n", took);
        return;
    }
    crs_bytes_text((double)f->bytes, size);
    crs_print("\n%s  %d files, %s, %s\n", path, f->files, size, took);
    if (!f->certified) return;
    if (!crs_given(a, CRS_OPT_REPORT)) /* which says where it is itself */
        crs_print("  a page to look at: crease report %s\n", path);
    crs_print("  to check it again: crease verify %s\n", path);
}
