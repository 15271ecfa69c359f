/* SPDX-License-Identifier: MIT
 * summary: what robust PCA says when it is done: how many components and where they peak,
 * outliers, noise, fit; then how far it may be trusted */
#include "cli/rpca/rpca.h"
#include "rpca/rpca.h"

enum { FEW = 8, ROOM = 400 };

static void say_data(const crs_args *a, const crease_space *given, const crs_axes *axes,
                     ptrdiff_t missing)
{
    char shape[ROOM];
    crs_named_shape(given, axes, shape, sizeof shape);
    crs_print("%s  %s, ", a->word[0], shape);
    if (missing > 0)
        crs_print("%.3g %% missing\n\n", 100 * (double)missing / (double)crease_size(given));
    else
        crs_print("nothing missing\n\n");
}

static ptrdiff_t gaps_of(const crs_array *x)
{
    ptrdiff_t gaps = 0;
    for (ptrdiff_t k = 0, n = x->data ? crease_size(&x->shape) : 0; k < n; k++)
        gaps += isnan(x->data[k]);
    return gaps;
}

static const crease_cp_rank_row *row_of(const crease_cp_rank_table *t, ptrdiff_t rank)
{
    for (ptrdiff_t k = 0; t && k < t->count; k++)
        if (t->row[k].rank == rank) return &t->row[k];
    return NULL;
}

/* "chosen: error on held-out entries 0.0040 (2 leaves 0.0091, 4 is no better)" */
static void choice_text(const crease_rpca_facts *f, ptrdiff_t rank, char *out, size_t size)
{
    const crease_cp_rank_table *t = f->ranks;
    const crease_cp_rank_row *own = row_of(t, rank), *less = row_of(t, rank - 1),
                             *more = row_of(t, rank + 1);
    const char *after = "";
    if (f->rank_asked > 0) {
        snprintf(out, size, "as asked for");
        return;
    }
    if (!own) {
        snprintf(out, size, "chosen: %s", f->rank_reason);
        return;
    }
    size_t used =
        (size_t)snprintf(out, size, "chosen: error on held-out entries %.2g", own->held_out);
    if (less && used < size) {
        used += (size_t)snprintf(out + used, size - used, " (%td leaves %.2g", less->rank,
                                 less->held_out);
        after = ")";
    }
    if (more && used < size) {
        used +=
            (size_t)snprintf(out + used, size - used, "%s%td %s", *after ? ", " : " (", more->rank,
                             t->predicts > rank ? "predicts better but is not found again in "
                                                  "halves of the data"
                                                : "is no better");
        after = ")";
    }
    if (used < size) snprintf(out + used, size - used, "%s", after);
}

/* "1: 46 %, emission 381 nm, excitation 400 nm (edge)": of axes whose indices have names. */
static void say_component(const crs_rpca_job *j, const crs_axes *axes, ptrdiff_t k)
{
    const int d = j->s.shape.order;
    char text[ROOM];
    size_t used = (size_t)snprintf(text, sizeof text, "%td: %.3g %%", k + 1, 100 * j->share[k]);
    for (int n = 0; n < d && used < sizeof text; n++) {
        const ptrdiff_t at = j->peak[k * d + n];
        const bool edge = axes->axis[n].at && (at == 0 || at == j->s.shape.dim[n] - 1);
        char place[200];
        if (axes->axis[n].count == 0) continue;
        crs_axis_text(axes, n, at, place, sizeof place);
        used += (size_t)snprintf(text + used, sizeof text - used, ", %s%s", place,
                                 edge ? " (edge)" : "");
    }
    crs_line("", "%s", text);
}

static bool has_indices(const crs_axes *axes, int order)
{
    bool any = false;
    for (int n = 0; n < order; n++) any = any || axes->axis[n].count > 0;
    return any;
}

/* How much of their energy each has, and where it peaks if indices have names. */
static void say_components(const crs_rpca_job *j, const crease_rpca_facts *f)
{
    const bool named =
        !crs_given(j->a, CRS_OPT_MERGE) && has_indices(&j->data.axes, j->s.shape.order);
    char text[ROOM];
    choice_text(f, j->s.rank, text, sizeof text);
    crs_line("components", "%td, %s", j->s.rank, text);
    for (ptrdiff_t k = 0; named && k < f->terms && k < FEW; k++) say_component(j, &j->data.axes, k);
    if (named && f->terms > FEW) crs_line("", "and %td more", f->terms - FEW);
    if (named || f->terms < 2) return;
    size_t used = 0;
    for (ptrdiff_t k = 0; k < f->terms && k < FEW && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.3g", k ? ", " : "",
                                 100 * j->share[k]);
    crs_line("", "with %s%s %% of their energy", text, f->terms > FEW ? ", ..." : "");
}

/* Outliers by the one definition of rpca.h; beside them what is not 0. */
static void say_parts(const crease_rpca_facts *f, const crease_space *given, const crs_axes *axes)
{
    const double most = 0.9999;
    char place[ROOM] = "";
    if (f->largest >= 0) crs_entry_text(given, axes, f->largest, place, sizeof place);
    if (!isnan(f->clear_share))
        crs_line("outliers", "%.3g %% of the entries, beyond %d noise deviations%s%s",
                 100 * f->clear_share, CREASE_CLEAR, f->largest >= 0 ? "; the largest at " : "",
                 place);
    if (f->outliers == 0)
        crs_line(isnan(f->clear_share) ? "outliers" : "", "the sparse part is 0");
    else
        crs_line(isnan(f->clear_share) ? "outliers" : "",
                 "%.3g %% of the entries are not 0 in the sparse part, which begins at %.3g",
                 100 * f->share, f->least);
    if (!isnan(f->deviation)) crs_line("noise", "%.3g, robust standard deviation", f->deviation);
    if (!isnan(f->explained) && !isnan(f->deviation))
        crs_line("fit",
                 f->explained > most ? "more than %.4g %% of the data without outliers"
                                     : "%.4g %% of the data without outliers",
                 100 * smaller(f->explained, most));
}

/* One line per mode: the terms of the truth in their order. */
static void say_truth(const crs_rpca_job *j)
{
    const int d = j->s.shape.order;
    if (j->truth.f && j->s.kind != CREASE_RPCA_CP)
        crs_line("error", "%.3g of the low-rank part", j->error_lowrank);
    else if (j->truth.f)
        crs_line("errors", "%.3g of the low-rank part, %.3g of Z", j->error_lowrank, j->error_z);
    for (int n = 0; n < d && j->true_rank > 0; n++) {
        if (!j->true_factor[n].data) continue;
        crs_print("  cosines      mode %d:", n + 1);
        for (ptrdiff_t k = 0; k < j->true_rank; k++) crs_print(" %.5f", j->cosine[k * d + n]);
        fputc('\n', crs_out());
    }
}

/* What the starts, the method and its theorem say for a certified answer. */
static void say_grounds(const crs_rpca_job *j, const crease_rpca_facts *f)
{
    const crease_analysis *a = crease_rpca_analysis(j->fit);
    const double alike = 0.99;
    if (f->starts > 1 && f->agreement >= alike)
        crs_line("", "%d starts; those that ended as low agree", f->starts);
    else if (f->starts > 1)
        crs_line("", "%d starts were compared, and no two of the best agree: try --starts %d",
                 f->starts, 4 * f->starts);
    if (j->s.kind != CREASE_RPCA_CP)
        crs_line("", "%ld passes over the data; no theorem bounds them", f->passes);
    else if (a->guarantee)
        crs_line("", "a theorem bounds the steps of %s", crease_method_name(a->method));
    else
        crs_line("", "no theorem bounds the steps of %s%s", crease_method_name(a->method),
                 strcmp(f->engine, "envelope") == 0 ? " (--method admm-m has one)" : "");
}

static void say_ranks(const crease_rpca_facts *f, const crease_rpca_settings *used)
{
    char ranks[ROOM];
    if (used->kind == CREASE_RPCA_PCP) return;
    crs_named_shape(&used->ranks, NULL, ranks, sizeof ranks);
    crs_line("ranks", "%s, %s%s", ranks, f->rank_reason[0] ? "chosen: " : "as asked for",
             f->rank_reason);
    crs_tucker_print_cuts(f, used);
}

void crs_rpca_summary(const crs_rpca_job *j)
{
    const crease_certificate *c = crease_rpca_certificate(j->fit);
    const crease_options *o = crease_rpca_options_used(j->fit);
    const crease_rpca_facts *f = crease_rpca_about(j->fit);
    const crs_trust trust = { .outcome = crease_rpca_report(j->fit)->outcome,
                              .text = f->theta_stop ? crs_rpca_theta_text : NULL,
                              .verdict = j->verified.verdict,
                              .why = j->verified.text,
                              .residual = o->relative ? c->worst_relative : c->worst,
                              .eps = o->eps,
                              .relative = o->relative != 0 };
    crs_say_doubt(j->a, &trust);
    say_data(j->a, &j->given, &j->data.axes, f->missing);
    if (j->s.kind == CREASE_RPCA_CP) {
        say_components(j, f);
        crs_rpca_print_cuts(j);
    } else {
        say_ranks(f, crease_rpca_used(j->fit));
    }
    crs_center_print(j->fit, f);
    say_parts(f, &j->given, &j->data.axes);
    if (j->foreground.beyond > 0)
        crs_line("foreground", "%.3g %% of the entries, beyond %g deviations of their pixel",
                 100 * j->foreground.share, j->foreground.beyond);
    say_truth(j);
    crs_say_trust(j->a, &trust);
    if (crs_is_certified(&trust))
        say_grounds(j, f);
    else
        crs_line("method", "%ld iterations of %s", crease_rpca_report(j->fit)->iterations,
                 crease_method_name(crease_rpca_analysis(j->fit)->method));
    crs_say_place(j->a, &j->folder);
}

void crs_tucker_summary(const crs_tucker_job *j, const crs_run *run)
{
    const crease_rpca_facts *f = crease_rpca_about(j->fit);
    const crease_rpca_settings *used = crease_rpca_used(j->fit);
    const crease_report r = crease_solver_report(run->solver);
    const crease_certificate *c = crs_run_certificate(run);
    const crs_trust trust = { .outcome = r.outcome,
                              .verdict = run->verified->verdict,
                              .why = run->verified->text,
                              .residual = j->run.relative ? c->worst_relative : c->worst,
                              .eps = j->run.eps,
                              .relative = j->run.relative != 0 };
    crs_say_doubt(j->a, &trust);
    say_data(j->a, &j->given, &j->data.axes, f->missing);
    say_ranks(f, used);
    crs_center_print(j->fit, f);
    say_parts(f, &j->given, &j->data.axes);
    if (used->kind == CREASE_RPCA_BALL)
        crs_line("noise bound", "%.3g, of its norm (--eta)", used->eta);
    if (j->truth.data) crs_line("error", "%.3g of the low-rank part", j->error);
    crs_say_trust(j->a, &trust);
    if (!isnan(f->gap))
        crs_line("", "the objective is within %.2g of the least there is, relative, by duality",
                 f->gap);
    const char *method = crease_method_name(crease_solver_analysis(run->solver)->method);
    const char *label = crs_is_certified(&trust) ? "" : "method";
    if (f->start_passes > 0)
        crs_line(label, "%ld passes over the data, then %ld iterations of %s", f->start_passes,
                 r.iterations, method);
    else
        crs_line(label, "%ld iterations of %s", r.iterations, method);
    crs_say_place(j->a, &j->folder);
}

/* One pass: the model and its gradient in every mode, and the penalty. The joint solver's are by
 * BLAS, several times as fast as loops are, and few; factors >= 0 come from several starts. */
static crs_dry_work passes_of(const crease_rpca_settings *s, double rank, bool chosen, bool joint)
{
    const double n = (double)crease_size(&s->shape), sweep = 10;
    const double times = chosen ? sweep : 1; /* several ranks, each fitted several times */
    const double terms = (s->shape.order + 1) * rank;
    const bool few = joint && !s->nonneg;
    return (crs_dry_work){ .operations = n * (joint ? 0.25 * terms + 32 : 4 * terms + 20),
                           .least = (few ? 15 : 30) * times,
                           .most = (few ? 40 : 400) * times,
                           .what = "passes over the data" };
}

/* Data that do not fit: how they are cut, and what is read. */
static void say_slabs(const crs_rpca_job *j, const crs_dry_work *work)
{
    const crs_partition cut = crs_partition_of(&j->s.shape);
    const double all = 8 * (double)crease_size(&j->s.shape);
    char slab[32], whole[32], most[32], few[32], many[32];
    crs_bytes_text(8 * (double)crs_slab_most(&cut), slab);
    crs_bytes_text(all, whole);
    crs_bytes_text(j->memory, most);
    crs_bytes_text(work->least * all, few);
    crs_bytes_text(work->most * all, many);
    crs_line("memory", "at most %s, and the data take %s: they are read slab by slab", most, whole);
    crs_line("slabs", "%td of %s; %.0f to %.0f passes read %s to %s, less what stays in memory",
             cut.count, slab, work->least, work->most, few, many);
}

static double largest_rank(const crease_rpca_settings *s)
{
    double rank = s->kind == CREASE_RPCA_CP ? (double)s->rank : 1;
    for (int n = 0; n < s->ranks.order; n++) rank = larger(rank, (double)s->ranks.dim[n]);
    return rank;
}

/* The files of the result, one name after the other. */
static void name_files(const crs_rpca_job *j, char names[ROOM])
{
    const bool pairs = (double)crease_size(&j->given) > CRS_WRITE_ALL;
    snprintf(names, ROOM, "%s%s%s%s%s%s.npy, history.csv",
             j->write & CRS_WRITE_LOWRANK ? "lowrank.npy, " : "",
             pairs ? "sparse_entries.npy, " : "sparse.npy, ",
             j->write & CRS_WRITE_NOISE ? "noise.npy, " : "",
             j->write & CRS_WRITE_Z ? "z.npy, " : "",
             j->foreground.beyond > 0 ? "foreground.npy, " : "",
             j->s.kind == CREASE_RPCA_CP ? "weights" : "core");
    for (int n = 0; n < j->s.shape.order; n++) {
        char file[32];
        crs_factor_file(n, file);
        const size_t used = strlen(names);
        snprintf(names + used, ROOM - used, ", %s", file);
    }
}

void crs_rpca_foretell(const crs_rpca_job *j)
{
    const char *asked = crs_given(j->a, CRS_OPT_RANK), *penalty = crs_given(j->a, CRS_OPT_PENALTY);
    const bool cp = j->s.kind == CREASE_RPCA_CP, chosen = cp && j->s.rank == 0;
    const double usual = 3;
    const char *method = crs_given(j->a, CRS_OPT_METHOD);
    const bool joint =
        cp && (!method || strcmp(method, "auto") == 0 || strcmp(method, "envelope") == 0);
    const crs_dry_work work = passes_of(&j->s, chosen ? usual : largest_rank(&j->s), chosen, joint);
    char names[ROOM];
    say_data(j->a, &j->given, &j->data.axes, gaps_of(&j->data));
    crs_line("model", "low rank (%s) + sparse (%s) + noise%s", cp ? "cp" : "with a core",
             penalty ? penalty : "l1", j->s.nonneg ? ", factors >= 0" : "");
    if (chosen)
        crs_line("components", "to be chosen by held-out entries%s%s", asked ? ": " : "",
                 asked ? asked : "");
    else if (!cp && j->s.ranks.order == 0)
        crs_line("ranks", "to be chosen: directions larger than noise");
    else
        crs_line(cp ? "components" : "ranks", "%s", asked);
    crs_line("outliers", j->s.alpha > 0 ? "alpha %g" : "their threshold is learned from the data",
             j->s.alpha);
    if (j->streams)
        say_slabs(j, &work);
    else
        crs_dry_memory(
            CRS_RPCA_OVERHEAD +
            (cp ? crease_rpca_bytes(&j->s, &j->run, j->s.missing, true)
                : crs_rpca_bytes_beside(&j->s, &j->run) + 8 * (double)crease_size(&j->s.shape)));
    crs_dry_time(j->a, &work);
    name_files(j, names);
    crs_dry_files(j->a, names);
}

void crs_tucker_foretell(const crs_tucker_job *j)
{
    static const char *const name[] = { [CREASE_RPCA_TUCKER] =
                                            "low rank with a core + sparse + noise",
                                        [CREASE_RPCA_BALL] = "low rank + sparse + bounded noise",
                                        [CREASE_RPCA_PCP] = "low rank + sparse, convex" };
    const bool convex = j->s.kind == CREASE_RPCA_PCP, chosen = j->s.ranks.order == 0 && !convex;
    const double n = (double)crease_size(&j->s.shape), usual = 3;
    double rank = usual;
    char ranks[ROOM] = "";
    for (int k = 0; k < j->s.ranks.order; k++) rank = larger(rank, (double)j->s.ranks.dim[k]);
    crs_dry_work work = passes_of(&j->s, rank, false, false);
    if (convex) /* the Gram matrix of the shorter side each, and its eigenvectors */
        work =
            (crs_dry_work){ 4 * n *
                                smaller((double)j->s.shape.dim[0], n / (double)j->s.shape.dim[0]),
                            11, 400, "iterations" };
    say_data(j->a, &j->given, &j->data.axes, gaps_of(&j->data));
    crs_line("model", "%s", name[j->s.kind]);
    if (j->s.ranks.order > 0) crs_named_shape(&j->s.ranks, NULL, ranks, sizeof ranks);
    if (!convex)
        crs_line("ranks", "%s", chosen ? "to be chosen: directions larger than noise" : ranks);
    crs_dry_memory(crs_tucker_bytes(j, &j->s));
    crs_dry_time(j->a, &work);
    crs_dry_files(j->a, convex ? "lowrank.npy, sparse.npy, noise.npy, and the problem"
                               : "lowrank.npy, sparse.npy, noise.npy, factor_1.npy, ..., core.npy, "
                                 "and the problem");
}
