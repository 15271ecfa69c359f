/* SPDX-License-Identifier: MIT
 * options.h: an unusual value for every option of a run, and what shows that it was read */
#ifndef CREASE_TEST_OPTIONS_H
#define CREASE_TEST_OPTIONS_H

#include <stdio.h>
#include <string.h>

#include "support/test.h"

/* Option k of `o` as no default has it. */
static inline void set_unusual(crease_options *o, int k)
{
    static const struct {
        const char *name, *text;
    } unusual[] = { { "eps", "0.1" },       { "relative", "" },         { "max_iterations", "3" },
                    { "max_seconds", "0" }, { "max_evaluations", "2" }, { "certify_every", "7" },
                    { "theta", "1e10" },    { "accelerate", "0" },      { "audit", "1" },
                    { "beta", "50" },       { "gamma", "0.01" },        { "h", "5" },
                    { "mu", "123" },        { "line_search", "1" },     { "seed", "3" },
                    { "starts", "2" },      { "continuation", "1" } };
    const char *name = crease_option_at(k).name;
    assert_int_equal(sizeof unusual / sizeof *unusual, crease_option_count());
    assert_string_equal(unusual[k].name, name);
    if (strcmp(name, "relative") == 0)
        o->relative = !o->relative;
    else
        assert_true(crease_options_set(o, name, unusual[k].text, NULL));
}

/* Everything that an option may change of a run, as one number per kind. */
typedef struct {
    double rows, potential, objective;
    long iterations, evaluations;
    crease_outcome outcome;
} trace;

static inline bool trace_row(const crease_progress *p, void *user)
{
    trace *t = user;
    t->rows += (1 + (double)p->iteration) * p->worst;
    if (!isnan(p->potential)) t->potential += p->potential;
    return true;
}

static inline bool same_trace(const trace *a, const trace *b)
{
    return a->rows == b->rows && a->potential == b->potential && a->objective == b->objective &&
           a->iterations == b->iterations && a->evaluations == b->evaluations &&
           a->outcome == b->outcome;
}

/* "--max-evaluations is read by": the sentence that refuses option k */
static inline void assert_refusal(const crease_error *e, int k, const char *method)
{
    char start[64] = "--", end[64];
    strcat(start, crease_option_at(k).name);
    for (char *c = start; *c; c++)
        if (*c == '_') *c = '-';
    snprintf(end, sizeof end, "; this run uses %s", method);
    if (e->code != CREASE_UNSUPPORTED || strncmp(e->text, start, strlen(start)) != 0 ||
        !strstr(e->text, " is read by ") || !strstr(e->text, end))
        fail_msg("%s with %s: \"%s\"", start, method, e->text);
}

#endif
