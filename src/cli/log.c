/* SPDX-License-Identifier: MIT
 * log: what --verbose says of a run before and after its iterations: method, parameters, guarantee,
 * memory, limits; residuals and verdict. What is odd is said without it, too. */
#include "cli/cli.h"
#include "solve/engine.h"

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
    if (used < size && !a->gap && !a->core && least <= most)
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

void crs_log_guarantee(FILE *f, const crease_analysis *a)
{
    if (a->guarantee) fprintf(f, "guarantee   %s\n", a->theorem);
    for (int k = 0; !a->guarantee && crs_doubt(a, k); k++)
        fprintf(f, "%s%s is %s: %s\n",
                k ? "            " : "guarantee   none: ", crs_doubt(a, k)->name,
                crease_status_text(crs_doubt(a, k)->status), crs_doubt(a, k)->reason);
}

void crs_log_banner(const crs_args *args, const crs_run *run)
{
    const crease_analysis *a = crease_solver_analysis(run->solver);
    const crease_problem *p = &run->file->problem;
    const crease_options *o = run->options;
    char text[240];
    double bytes = 0;
    FILE *f = crs_log_text(args);
    if (f) {
        crs_size_text(p, text, sizeof text);
        fprintf(f, "crease %s  %s: %s\n", crease_version(), run->path ? run->path : "", text);
        fprintf(f, "method      %s%s, %s mode\n", crease_method_name(a->method),
                o->method == CREASE_METHOD_AUTO ? " (chosen)" : "", crease_mode_name(a->mode));
        crs_parameter_text(a, text, sizeof text);
        fprintf(f, "parameters  %s\n", text[0] ? text : "none");
        crs_log_guarantee(f, a);
        if (crs_forecast_bytes(p, a, &bytes, NULL))
            fprintf(f, "memory      %.3g MB\n", bytes / 1e6);
        fprintf(f, "stops at    %s residual <= %g, %ld iterations, %g s\n\n",
                o->relative ? "relative" : "absolute", o->eps, o->max_iterations, o->max_seconds);
    }
    crs_log_table(args, o->certify_every);
}

static void tell_odd(const crs_args *a, const crease_report *r)
{
    if (r->audit_violations > 0)
        crs_log_note(a, "the potential rose in %ld iterations, by %.2e at worst",
                     r->audit_violations, r->audit_worst);
    if (r->moved_starts)
        crs_log_note(a, "%ld start point%s outside the set and projected onto it", r->moved_starts,
                     r->moved_starts == 1 ? " was" : "s were");
    if (r->note[0]) crs_log_note(a, "%s", r->note);
}

void crs_log_ending(const crs_args *a, const crs_ending *end)
{
    const crease_certificate *c = end->certificate;
    crs_log_rows(a);
    FILE *f = crs_log_text(a);
    if (f)
        fprintf(f, "\nobjective   %.12g\nworst       %.4e, %.4e relative\nchecked     %s: %s\n",
                c->objective, c->worst, c->worst_relative,
                crease_verdict_text(end->verified->verdict), end->verified->text);
    if (f && end->audited && end->report.audit_violations == 0)
        fprintf(f, "audit       the potential fell in every iteration as the theorem says\n");
    tell_odd(a, &end->report);
    if (f) fprintf(f, "EXIT: %s\n", end->status);
}

void crs_log_footer(const crs_args *a, const crs_run *run)
{
    const crease_report r = crease_solver_report(run->solver);
    const crs_ending end = { .certificate = crs_run_certificate(run),
                             .verified = run->verified,
                             .report = r,
                             .status = crs_outcome_text(r.outcome, run->verified->verdict),
                             .audited = run->options->audit };
    crs_log_ending(a, &end);
}
