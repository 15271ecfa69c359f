/* SPDX-License-Identifier: MIT
 * rpca_log: a run of robust PCA in words: the log's head and foot, and the summary */
#include "cli/rpca.h"

const char *crs_rpca_status(const crs_rpca_job *j)
{
    const crease_outcome o = crease_cp_fit_report(j->fit).outcome;
    return o == CREASE_STOPPED && crease_cp_fit_theta_stop(j->fit)
               ? "theta fell below its limit; the point is not eps-stationary"
               : crease_outcome_text(o);
}

static void print_guarantee(const crease_analysis *a)
{
    if (a->guarantee) fprintf(stderr, "guarantee   %s\n", a->theorem);
    for (int k = 0; !a->guarantee && crs_doubt(a, k); k++)
        fprintf(stderr, "%s%s is %s: %s\n",
                k ? "            " : "guarantee   none: ", crs_doubt(a, k)->name,
                crease_status_text(crs_doubt(a, k)->status), crs_doubt(a, k)->reason);
}

void crs_rpca_banner(const crs_rpca_job *j)
{
    const crease_analysis *a = crease_cp_fit_analysis(j->fit);
    const crease_cp_fit_settings s = crease_cp_fit_used(j->fit);
    char text[240];
    if (j->log->quiet) return;
    crs_rpca_rank_log(j);
    fprintf(stderr, "crease %s  %s: ", crease_version(), j->a->word[0]);
    for (int n = 0; n < s.model.shape.order; n++)
        fprintf(stderr, "%s%td", n ? " x " : "", s.model.shape.dim[n]);
    fprintf(stderr, ", %td missing, rank %td\n", crease_cp_fit_missing(j->fit), s.model.rank);
    fprintf(stderr, "method      %s%s, %s mode, %s engine, %d thread%s\n",
            crease_method_name(a->method), s.run.method == CREASE_METHOD_AUTO ? " (chosen)" : "",
            crease_mode_name(s.run.mode), crease_cp_fit_engine(j->fit), s.threads,
            s.threads == 1 ? "" : "s");
    crs_parameter_text(a, text, sizeof text);
    fprintf(stderr, "parameters  %s\n", text[0] ? text : "none");
    print_guarantee(a);
    fprintf(stderr, "memory      %.4g MB, or %.4g MB when many entries are outliers\n",
            j->bytes / 1e6, j->most_bytes / 1e6);
    fprintf(stderr, "stops at    %s residual <= %g, %ld iterations, %g s\n\n",
            s.run.relative ? "relative" : "absolute", s.run.eps, s.run.max_iterations,
            s.run.max_seconds);
    fprintf(stderr, "%10s %16s %12s %12s %12s %9s\n", "iteration", "objective", "feasibility",
            "worst", "theta", "seconds");
}

void crs_rpca_footer(const crs_rpca_job *j)
{
    const crease_certificate *c = crease_cp_fit_certificate(j->fit);
    const crease_progress last = crease_cp_fit_progress(j->fit);
    if (j->log->quiet) return;
    crs_log_line(&last);
    fprintf(stderr, "\nobjective   %.12g\nworst       %.4e, %.4e relative\n", c->objective,
            c->worst, c->worst_relative);
    fprintf(stderr, "checked     %s: %s\n", crease_verdict_text(j->verified.verdict),
            j->verified.text);
    const crease_report r = crease_cp_fit_report(j->fit);
    if (r.note[0]) fprintf(stderr, "note        %s\n", r.note);
    fprintf(stderr, "EXIT: %s\n", crs_rpca_status(j));
}

void crs_rpca_summary(const crs_rpca_job *j)
{
    const crease_report r = crease_cp_fit_report(j->fit);
    const crease_analysis *a = crease_cp_fit_analysis(j->fit);
    const crease_certificate *c = crease_cp_fit_certificate(j->fit);
    const crease_cp_fit_settings s = crease_cp_fit_used(j->fit);
    const crease_cp_pilot pilot = crease_cp_fit_pilot(j->fit);
    printf("status      %s\n", crs_rpca_status(j));
    printf("rank        %td%s%s\n", s.model.rank, j->rank_reason[0] ? ": " : "", j->rank_reason);
    printf("alpha       %.6g\n", s.model.alpha);
    if (pilot.starts > 0) {
        printf("noise       %.6g (robust standard deviation)\n", pilot.deviation);
        printf("outliers    %.3g %% of the entries; the sparse part begins at %.6g\n",
               100 * pilot.share, pilot.threshold);
        printf("starts      %d, %ld passes over the data", pilot.starts, pilot.passes);
        printf("%s%s", pilot.starts > 1 ? "; the best is " : ": ", pilot.start);
        if (!isnan(pilot.agreement)) printf(", agreement %.4g", pilot.agreement);
        if (pilot.starts > 1) printf(", spread of the deviations %.3g", pilot.spread);
        printf("\n");
    }
    printf("objective   %.12g\n", c->objective);
    printf("residual    %.3e%s (eps %g)\n", s.run.relative ? c->worst_relative : c->worst,
           s.run.relative ? " relative" : "", s.run.eps);
    printf("verdict     %s\n", crease_verdict_text(j->verified.verdict));
    printf("method      %s, %s mode\n", crease_method_name(a->method),
           crease_mode_name(s.run.mode));
    printf("guarantee   %s\n", a->guarantee ? a->theorem : "none");
    printf("iterations  %ld in %.3g s\n", r.iterations, r.seconds);
    if (j->truth.f)
        printf("errors      %.6g of the low-rank part, %.6g of Z\n", j->error_lowrank, j->error_z);
    crs_rpca_print_match(j);
    printf("result      %s\n", crs_given(j->a, CRS_OPT_OUT));
}
