/* SPDX-License-Identifier: MIT
 * job: problems, options and sizes for the verbs that run or judge problems */
#include "cli/run.h"
#include "solve/solver.h"

static bool set_option(const crs_args *a, int id, const char *name, crease_options *o,
                       crease_error *e)
{
    const char *text = a->value[id][0];
    return !text || crease_options_set(o, name, text, e);
}

bool crs_run_options(const crs_args *a, crease_options *o, crease_error *e)
{
    bool done =
        set_option(a, CRS_OPT_METHOD, "method", o, e) && set_option(a, CRS_OPT_MODE, "mode", o, e);
#define X(type, name, value, low, high, text)                                                      \
    done = done && set_option(a, CRS_OPT_##name, #name, o, e);
    CREASE_OPTIONS(X)
#undef X
    return done;
}

crs_problem_file *crs_open_problem(const crs_args *a, crease_options *o, crease_error *e)
{
    crease_options probe = crease_options_default(); /* a slip there is found before any reading */
    crs_problem_file *file = crs_run_options(a, &probe, e) ? crs_problem_read(a->word[0], e) : NULL;
    if (!file) return NULL;
    *o = file->options;
    if (crs_run_options(a, o, e)) return file;
    crs_problem_file_free(file);
    return NULL;
}

void crs_size_text(const crease_problem *p, char *out, size_t size)
{
    ptrdiff_t n = 0;
    char rows[64] = "no constraint";
    for (int i = 0; i < p->count; i++) n += crease_size(&p->space[i]);
    if (p->range.order > 0)
        snprintf(rows, sizeof rows, "%td constraint%s", crease_size(&p->range),
                 crease_size(&p->range) == 1 ? "" : "s");
    snprintf(out, size, "%d block%s, %td variable%s, %s", p->count, p->count == 1 ? "" : "s", n,
             n == 1 ? "" : "s", rows);
}

void crs_parameter_text(const crease_analysis *a, char *out, size_t size)
{
    const struct {
        const char *name;
        double value;
    } list[] = { { "beta", a->beta }, { "gamma", a->gamma }, { "ell", a->ell }, { "mu", a->mu } };
    size_t used = 0;
    out[0] = '\0';
    for (size_t k = 0; k < sizeof list / sizeof *list && used < size; k++)
        if (!isnan(list[k].value))
            used += (size_t)snprintf(out + used, size - used, "%s%s %.4g", used ? ", " : "",
                                     list[k].name, list[k].value);
    if (used < size && a->slack < INFINITY)
        used += (size_t)snprintf(out + used, size - used, " (%.3g times the bound)", a->slack);
    double least = INFINITY, most = 0;
    int exact = 0;
    for (int i = 0; i < a->count; i++) {
        if (i == a->last) continue;
        const crease_block_plan *plan = &a->block[i];
        const double slope = plan->lipschitz < INFINITY ? plan->h_relative * plan->lipschitz : 0;
        least = smaller(least, plan->h + slope), most = larger(most, plan->h + slope);
        exact += plan->exact;
    }
    if (used < size && a->method != CREASE_METHOD_GCG)
        snprintf(out + used, size - used, "%sh %.4g to %.4g, %d exact block step%s",
                 used ? ", " : "", least, most, exact, exact == 1 ? "" : "s");
}

bool crs_forecast_bytes(const crease_problem *p, const crease_analysis *a, double *bytes,
                        crease_error *e)
{
    ptrdiff_t doubles;
    if (!crs_solver_forecast(p, a, &doubles, e)) return false;
    *bytes = (double)doubles * (double)sizeof(double);
    return true;
}

bool crs_print_document(json_t *document, crease_error *e)
{
    if (!document) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the JSON document");
    json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(document);
    return true; /* the end of the program looks at the output */
}
