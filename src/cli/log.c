/* SPDX-License-Identifier: MIT
 * log: the log of a run: banner, a table at iterations 0, 1, 2, 5, 10, 20, 50, ..., footer */
#include "cli/run.h"

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

void crs_log_line(const crease_progress *p)
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
        crs_log_line(p);
        while (log->next <= p->iteration) log->next = after(log->next);
    }
    return true;
}

void crs_log_footer(const crs_log *log, const crs_run *run)
{
    const crease_report r = crease_solver_report(run->solver);
    const crease_certificate *c = crease_solver_certificate(run->solver);
    const crease_progress last = crease_solver_progress(run->solver);
    if (log->quiet) return;
    crs_log_line(&last);
    fprintf(stderr, "\nobjective   %.12g\nworst       %.4e, %.4e relative\n", c->objective,
            c->worst, c->worst_relative);
    fprintf(stderr, "checked     %s: %s\n", crease_verdict_text(run->verified->verdict),
            run->verified->text);
    if (r.moved_starts)
        fprintf(stderr, "note        %ld start point%s outside the set and projected onto it\n",
                r.moved_starts, r.moved_starts == 1 ? " was" : "s were");
    if (r.note[0]) fprintf(stderr, "note        %s\n", r.note);
    fprintf(stderr, "EXIT: %s\n", crease_outcome_text(r.outcome));
}
