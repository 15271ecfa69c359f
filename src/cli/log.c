/* SPDX-License-Identifier: MIT
 * log: the log of a run: banner, a table at iterations 0, 1, 2, 5, 10, 20, 50, ..., footer */
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

crs_log *crs_log_open(const crs_args *a, long every, crease_error *e)
{
    const char *csv = crs_given(a, CRS_OPT_LOG_CSV);
    crs_log *log = crs_alloc(1, sizeof *log);
    if (!log) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the log"), NULL;
    log->quiet = crs_given(a, CRS_OPT_QUIET);
    log->verbose = crs_given(a, CRS_OPT_VERBOSE);
    log->every = every;
    if (!csv) return log;
    log->csv = crs_create(csv, e);
    if (log->csv) return crs_history_names(log->csv), log;
    *a->status = CRS_EXIT_NO_OUTPUT;
    crs_free(log);
    return NULL;
}

bool crs_log_close(crs_log *log, const crs_args *a, bool done, crease_error *e)
{
    const bool written = !log || !log->csv ||
                         crs_finish(log->csv, crs_given(a, CRS_OPT_LOG_CSV), true, done ? e : NULL);
    if (!written) *a->status = 0;
    crs_free(log);
    return done && written;
}

void crs_log_banner(const crs_log *log, const crs_run *run)
{
    const crease_analysis *a = crease_solver_analysis(run->solver);
    const crease_problem *p = &run->file->problem;
    char text[240];
    double bytes = 0;
    if (log->quiet) return;
    crs_size_text(p, text, sizeof text);
    fprintf(stderr, "crease %s  %s: %s\n", crease_version(), run->path, text);
    fprintf(stderr, "method      %s%s, %s mode\n", crease_method_name(a->method),
            run->options->method == CREASE_METHOD_AUTO ? " (chosen)" : "",
            crease_mode_name(a->mode));
    crs_parameter_text(a, text, sizeof text);
    fprintf(stderr, "parameters  %s\n", text[0] ? text : "none");
    if (a->guarantee) fprintf(stderr, "guarantee   %s\n", a->theorem);
    for (int k = 0; !a->guarantee && crs_doubt(a, k); k++)
        fprintf(stderr, "%s%s is %s: %s\n",
                k ? "            " : "guarantee   none: ", crs_doubt(a, k)->name,
                crease_status_text(crs_doubt(a, k)->status), crs_doubt(a, k)->reason);
    if (crs_forecast_bytes(p, a, &bytes, NULL))
        fprintf(stderr, "memory      %.3g MB\n", bytes / 1e6);
    fprintf(stderr, "stops at    %s residual <= %g, %ld iterations, %g s\n\n",
            run->options->relative ? "relative" : "absolute", run->options->eps,
            run->options->max_iterations, run->options->max_seconds);
    fprintf(stderr, "%10s %16s %12s %12s %12s %9s\n", "iteration", "objective", "feasibility",
            "worst", "theta", "seconds");
}

static void put_line(const crease_progress *p)
{
    fprintf(stderr, "%10ld %16.9e %12.4e %12.4e %12.4e %9.3f\n", p->iteration, p->objective,
            p->feasibility, p->worst, p->theta, p->seconds);
}

/* 1, 2, 5, 10, 20, 50, ... */
static long after(long n)
{
    long power = 1;
    while (power <= n / 10) power *= 10;
    return n < 1 ? 1 : n / power == 1 ? 2 * power : n / power == 2 ? 5 * power : 10 * power;
}

bool crs_log_progress(const crease_progress *p, void *user)
{
    crs_log *log = user;
    crs_history_add(&log->history, p);
    if (log->csv) crs_history_line(log->csv, p);
    if (!log->quiet && (p->iteration >= log->next || p->iteration == 0 ||
                        (log->verbose && p->iteration % log->every == 0))) {
        put_line(p);
        while (log->next <= p->iteration) log->next = after(log->next);
    }
    return true;
}

void crs_log_ending(const crs_log *log, const crs_ending *end)
{
    const crease_report *r = &end->report;
    const crease_certificate *c = end->certificate;
    if (log->quiet) return;
    put_line(&end->last);
    fprintf(stderr, "\nobjective   %.12g\nworst       %.4e, %.4e relative\n", c->objective,
            c->worst, c->worst_relative);
    fprintf(stderr, "checked     %s: %s\n", crease_verdict_text(end->verified->verdict),
            end->verified->text);
    if (end->audited && r->audit_violations == 0)
        fprintf(stderr, "audit       the potential fell in every iteration as the theorem says\n");
    if (r->audit_violations > 0)
        fprintf(stderr, "audit       the potential rose in %ld iterations, by %.2e at worst\n",
                r->audit_violations, r->audit_worst);
    if (r->moved_starts)
        fprintf(stderr, "note        %ld start point%s outside the set and projected onto it\n",
                r->moved_starts, r->moved_starts == 1 ? " was" : "s were");
    if (r->note[0]) fprintf(stderr, "note        %s\n", r->note);
    fprintf(stderr, "EXIT: %s\n", end->status);
}

void crs_log_footer(const crs_log *log, const crs_run *run)
{
    const crease_report r = crease_solver_report(run->solver);
    const crs_ending end = { .certificate = crs_run_certificate(run),
                             .verified = run->verified,
                             .report = r,
                             .last = crease_solver_progress(run->solver),
                             .status = crs_outcome_text(r.outcome, run->verified->verdict),
                             .audited = run->options->audit };
    crs_log_ending(log, &end);
}
