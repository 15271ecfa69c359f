/* SPDX-License-Identifier: MIT
 * check: what the theory says of a problem, without solving it */
#include "cli/cli.h"
#include "report/report.h"

enum { MOST_REDUCTIONS = 8, MOST_PLANNED = 8 };

/* What a run begins with: the a-priori bound K, from the potential after one iteration, INFINITY:
 * none; what presolve does; and the row of the decision table. */
typedef struct {
    double K;
    const char *needs;
    int planned;
    crease_method method[MOST_PLANNED];
    int reductions;
    char reduction[MOST_REDUCTIONS][200];
} outset;

static bool begin_run(const crease_problem *p, const crease_options *o, outset *first,
                      crease_error *e)
{
    crease_options once = *o;
    once.max_iterations = 1;
    crease_solver *s = crease_solver_new(p, &once, e);
    if (!s) return false;
    crease_method *next = first->method;
    crease_planned(s, 0, &first->needs);
    for (int k = 0; k < MOST_PLANNED && (next[k] = crease_planned(s, k, NULL)); k++)
        first->planned++;
    const crease_outcome at_start = crease_step(s);
    const crease_report r = crease_solver_report(s);
    first->K = at_start == CREASE_STATIONARY && r.iterations == 0 ? 0 : r.bound;
    for (int k = 0; k < MOST_REDUCTIONS && crease_presolve(s, k); k++, first->reductions++)
        snprintf(first->reduction[k], sizeof first->reduction[k], "%s", crease_presolve(s, k));
    crease_solver_free(s);
    /* another method would have run then */
    return strncmp(r.note, "out of memory", 13) != 0 || crs_fail(e, CREASE_NO_MEMORY, "%s", r.note);
}

static void print_plan(const outset *first)
{
    if (first->needs) crs_print("needs       %s\n", first->needs);
    for (int k = 1; k < first->planned; k++)
        crs_print("%s%s%s", k == 1 ? "then        " : ", ", crease_method_name(first->method[k]),
                  k + 1 == first->planned ? "\n" : "");
}

static void print_bound(const crease_analysis *a, double K, double eps)
{
    const crease_assumption *doubt = crs_doubt(a, 0);
    const char *why = doubt ? doubt->reason
                      : !isnan(a->mu)
                          ? "mu is below 2 drop/eps^2, so the slack need not vanish in time; use "
                            "theory mode from a feasible start"
                      : a->core ? "no Lipschitz constant of grad f is known before the run"
                                : "it is larger than every floating-point number";
    if (K == 0)
        crs_print("K           0: the start is eps-stationary\n");
    else if (K < INFINITY)
        crs_print("K           at most %.4g iterations to eps = %g\n", K, eps);
    else
        crs_print("K           no bound: %s\n", why);
}

static void print_table(const crease_problem *p, const crease_analysis *a)
{
    crs_print("\n%-24s %-10s %-10s %12s  %s\n", "assumption", "block", "status", "number",
              "reason");
    for (int k = 0; k < a->assumptions; k++) {
        const crease_assumption *at = &a->assumption[k];
        char number[32] = "";
        if (!isnan(at->number)) snprintf(number, sizeof number, "%.4g", at->number);
        crs_print("%-24s %-10s %-10s %12s  %s\n", at->name,
                  at->block < 0 ? "" : crs_planned_name(p, at->block),
                  crease_status_text(at->status), number, at->reason);
    }
}

static void print_all(const crs_args *a, const crease_problem *p, const crease_options *o,
                      const crease_analysis *found, const outset *first, double bytes)
{
    char text[240];
    crs_size_text(p, text, sizeof text);
    crs_print("problem     %s: %s\n", a->word[0], text);
    crs_print("method      %s%s, %s mode\n", crease_method_name(found->method),
              o->method == CREASE_METHOD_AUTO ? " (chosen)" : "", crease_mode_name(found->mode));
    print_plan(first);
    crs_print("theorem     %s: %s\n", found->theorem,
              found->guarantee ? "covers this problem"
                               : "would cover it, except for the conditions below");
    crs_parameter_text(found, text, sizeof text);
    crs_print("parameters  %s\n", text[0] ? text : "none");
    for (int k = 0; k < first->reductions; k++) crs_print("presolve    %s\n", first->reduction[k]);
    print_bound(found, first->K, o->eps);
    if (found->widest > 1)
        crs_print("levels      %d; the widest has %d blocks, which --threads updates at once\n",
                  found->levels, found->widest);
    else if (found->levels > 1)
        crs_print("levels      %d: no two blocks can be updated at once\n", found->levels);
    crs_print("memory      %.3g MB\n", bytes / 1e6);
    print_table(p, found);
}

/* The document of --json, of which the page is made too. */
static void put_all(const crs_args *a, const crs_problem_file *file, const crease_analysis *found,
                    const outset *first, double bytes, crs_document *d)
{
    char size[240];
    const crs_spot top = crs_document_begin(d, "check");
    const crs_spot problem = crs_put_object(top, "problem");
    crs_put_text(problem, "path", a->word[0]);
    crs_put_text(problem, "hash", file->hash);
    crs_size_text(&file->problem, size, sizeof size);
    crs_put_text(problem, "size", size);
    crs_put_text(top, "method", crease_method_name(found->method));
    crs_put_text(top, "mode", crease_mode_name(found->mode));
    crs_put_text(top, "guarantee", found->guarantee ? found->theorem : "none");
    const crs_spot then = crs_put_list(top, "then");
    for (int k = 1; k < first->planned; k++)
        crs_put_text(then, NULL, crease_method_name(first->method[k]));
    const crs_spot presolve = crs_put_list(top, "presolve");
    for (int k = 0; k < first->reductions; k++) crs_put_text(presolve, NULL, first->reduction[k]);
    crs_put_number(top, "K", first->K);
    crs_put_whole(top, "levels", found->levels);
    crs_put_whole(top, "widest", found->widest);
    crs_put_number(top, "memory", bytes);
    crs_put_analysis(crs_put_object(top, "analysis"), &file->problem, found, first->K);
}

/* --report, then what is said on standard output. */
static bool tell(const crs_args *a, const crs_problem_file *file, const crease_analysis *found,
                 const outset *first, double bytes, const crease_options *o, crease_error *e)
{
    crs_document d;
    const char *page = crs_given(a, CRS_OPT_REPORT);
    put_all(a, file, found, first, bytes, &d);
    bool done = !d.failed || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the report");
    if (done && page && !crs_page_write_document(d.root, page, false, NULL, e)) {
        if (e->code == CREASE_IO) *a->status = CRS_EXIT_NO_OUTPUT;
        done = false;
    }
    if (done && crs_given(a, CRS_OPT_JSON)) return crs_document_print(&d, false, e);
    crs_document_free(&d);
    if (done) print_all(a, &file->problem, o, found, first, bytes);
    if (done && page) crs_print("\nreport      %s; open it in a browser\n", page);
    return done;
}

enum { PROBLEM, DATA };
static const char *const kinds[] = { "a problem", "a file of data", NULL };

/* Is it an array, of which robust PCA would be made? */
static int kind_of(const crs_args *a, crease_error *e)
{
    const char *path = a->word[0];
    (void)e;
    return !crs_ends_in(path, ".json") && (crs_inner_of(path) || crs_format_of(path)) ? DATA
                                                                                      : PROBLEM;
}

/* What crease rpca --dry-run says. */
static bool foretell(const crs_args *a, crease_error *e)
{
    crs_args own = *a;
    own.verb = &crs_rpca_verb;
    own.value[CRS_OPT_DRY_RUN][0] = own.value[CRS_OPT_JSON][0] = ""; /* there is no folder */
    return crs_rpca_verb.run(&own, e);
}

static bool run(const crs_args *a, crease_error *e)
{
    if (kind_of(a, e) == DATA) return foretell(a, e);
    crease_options o;
    double bytes = 0;
    outset first = { .K = INFINITY };
    crs_problem_file *file = crs_open_problem(a, &o, e);
    if (!file) return false;
    crease_analysis *found = crease_analyse(&file->problem, &o, e);
    bool done = found && crs_forecast_bytes(&file->problem, found, &bytes, e) &&
                begin_run(&file->problem, &o, &first, e);
    if (!done && e->code == CREASE_UNSUPPORTED) *a->status = CRS_EXIT_LIMIT;
    done = done && tell(a, file, found, &first, bytes, &o, e);
    if (done && !found->guarantee) *a->status = CRS_EXIT_LIMIT;
    crease_analysis_free(found);
    crs_problem_file_free(file);
    return done;
}

const crs_verb crs_check_verb = {
    .name = "check",
    .words = "PROBLEM.json|DATA",
    .word = CRS_KIND_FILE,
    .least = 1,
    .most = 1,
    .text =
        "Show what the theory says about a problem: which method and theorem, each assumption with "
        "its status and the number behind it, the parameters, the a-priori bound K on the "
        "iterations and the memory it takes. Whether there is a feasible point and an answer "
        "is part of it, and what presolve does to the problem before a run, and which methods "
        "take over where the chosen one stalls. The exit code is 0 "
        "when a theorem covers the problem and 2 when none "
        "does. Of a file of data it says what crease rpca would do with it: slabs, passes, memory "
        "and time.",
    .example = "crease check examples/problems/lasso.json",
    .takes =
        CRS_LIST(CRS_TAKES(METHOD), CRS_TAKES(MODE), CRS_TAKES(eps), CRS_TAKES(beta),
                 CRS_TAKES(gamma), CRS_TAKES(h), CRS_TAKES(mu), CRS_FOR(RANK, 1 << DATA),
                 CRS_FOR(MODEL, 1 << DATA), CRS_FOR(MEMORY, 1 << DATA), CRS_FOR(MISSING, 1 << DATA),
                 CRS_FOR(JSON, 1 << PROBLEM), CRS_FOR(REPORT, 1 << PROBLEM)),
    .kinds = kinds,
    .kind = kind_of,
    .run = run,
};
