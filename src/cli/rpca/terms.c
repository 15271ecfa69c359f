/* SPDX-License-Identifier: MIT
 * terms: ranks that were compared, and what became of the one that was asked for: the log, the
 * summary and the document */
#include "cli/rpca/rpca.h"

static void print_rank(FILE *f, const crease_cp_rank_row *r, ptrdiff_t chosen)
{
    char core[32] = "not defined", gain[32] = "-", errors[32] = "-", halves[32] = "-";
    if (!isnan(r->consistency)) snprintf(core, sizeof core, "%.1f %%", r->consistency);
    if (!isnan(r->gain)) snprintf(gain, sizeof gain, "%.3g %%", 100 * r->gain);
    if (r->error > 0) snprintf(errors, sizeof errors, "%.1f", r->gain / r->error);
    if (!isnan(r->congruence)) snprintf(halves, sizeof halves, "%.3f", r->congruence);
    fprintf(f, "%9td%c %13.6g %13.6g %9s %9s %13s %11s\n", r->rank, r->rank == chosen ? '*' : ' ',
            r->held_out, r->loss, gain, errors, core, halves);
}

static void put_count(crs_spot to, const char *key, ptrdiff_t x)
{
    x > 0 ? crs_put_whole(to, key, x) : crs_put_null(to, key);
}

void crs_rpca_print_ranks(FILE *f, const crs_rpca_job *j)
{
    const crease_cp_rank_table *t = crease_rpca_about(j->fit)->ranks;
    if (!t) return;
    fprintf(f, "%10s %13s %13s %9s %9s %13s %11s\n", "rank", "held out", "loss", "gain", "in SE",
            "consistency", "halves");
    for (ptrdiff_t k = 0; k < t->count; k++) print_rank(f, &t->row[k], t->rank);
    fprintf(f, "chosen      %s\n\n", t->reason);
}

void crs_rpca_put_ranks(crs_spot to, const crs_rpca_job *j)
{
    const crease_cp_rank_table *t = crease_rpca_about(j->fit)->ranks;
    put_count(to, "rank_predicts", t ? t->predicts : 0);
    put_count(to, "rank_reproduces", t ? t->reproduces : 0);
    if (!t) {
        crs_put_null(to, "rank_table");
        return;
    }
    const crs_spot list = crs_put_list(to, "rank_table");
    for (ptrdiff_t k = 0; k < t->count; k++) {
        const crease_cp_rank_row *r = &t->row[k];
        const crs_spot row = crs_put_object(list, NULL);
        crs_put_whole(row, "rank", r->rank);
        crs_put_number(row, "held_out", r->held_out);
        crs_put_number(row, "loss", r->loss);
        crs_put_number(row, "gain", r->gain);
        crs_put_number(row, "error", r->error);
        crs_put_number(row, "gain_errors", r->gain / r->error);
        crs_put_number(row, "fitted", r->fitted);
        crs_put_number(row, "consistency", r->consistency);
        crs_put_number(row, "congruence", r->congruence);
        crs_put_number(row, "objective", r->objective);
    }
}

static void print_list(const crease_rpca_facts *f)
{
    for (ptrdiff_t k = 0; k < f->cuts; k++) {
        const crease_cp_cut *c = f->cut + k;
        char mode[32] = "";
        if (c->mode > 0) snprintf(mode, sizeof mode, "mode %d, ", c->mode);
        crs_line("", "%s%s: size %.3g, noise %.3g", mode, c->reason, c->size, c->noise);
    }
}

/* Only what is in doubt is worth a line. */
static void print_support(const crease_rpca_facts *f)
{
    ptrdiff_t undecided = 0, unknown = 0;
    double least = INFINITY;
    for (ptrdiff_t k = 0; f->support && k < f->terms; k++) {
        const crease_cp_support *s = &f->support[k];
        undecided += s->support == CREASE_TERM_UNDECIDED;
        unknown += s->support == CREASE_TERM_UNKNOWN;
        if (s->support == CREASE_TERM_UNDECIDED) least = smaller(least, s->gain / s->needed);
    }
    if (undecided > 0)
        crs_line("support",
                 "of %td components undecided: one gains %.2g of what would be beyond doubt",
                 undecided, least);
    if (unknown > 0) crs_line("support", "of %td components not judged", unknown);
}

/* Two terms whose sum is far smaller than they are: there may be no best model of this rank. */
static void print_cancelling(const crs_rpca_job *j)
{
    const crease_rpca_settings *s = &j->s;
    double worst = 0;
    for (ptrdiff_t p = 0; p < s->rank; p++)
        for (ptrdiff_t q = p + 1; q < s->rank; q++) {
            double cosine = 1;
            for (int n = 0; n < s->shape.order; n++) {
                double sum = 0;
                for (ptrdiff_t i = 0; i < s->shape.dim[n]; i++)
                    sum += j->unit[n][i * s->rank + p] * j->unit[n][i * s->rank + q];
                cosine *= sum;
            }
            worst = smaller(worst, cosine);
        }
    if (worst < -0.95)
        crs_line("note",
                 "two components nearly cancel (cosine %.6f), and may grow without bound; --ridge, "
                 "--nonneg or a smaller rank keep them apart",
                 worst);
}

/* What became of the rank that was asked for. */
void crs_rpca_print_cuts(const crs_rpca_job *j)
{
    const crease_rpca_facts *f = crease_rpca_about(j->fit);
    print_support(f);
    print_cancelling(j);
    if (f->cuts == 0) return;
    crs_line("kept", "%td; %td %s noise, %s", f->terms, f->cuts, f->cuts == 1 ? "was" : "were",
             j->s.rank > f->terms ? "and the columns are 0" : "and the columns are left out");
    print_list(f);
}

void crs_tucker_print_cuts(const crease_rpca_facts *f, const crease_rpca_settings *used)
{
    if (f->cuts == 0) return;
    const bool there = crease_size(&used->ranks) > crease_size(&f->directions);
    char kept[120];
    crs_named_shape(&f->directions, NULL, kept, sizeof kept);
    crs_line("kept", "%s; %td direction%s noise, and the columns are %s", kept, f->cuts,
             f->cuts == 1 ? " was" : "s were", there ? "0" : "left out");
    print_list(f);
}

static void put_list(crs_spot to, const crease_rpca_facts *f)
{
    const crs_spot list = crs_put_list(to, "pruned");
    for (ptrdiff_t k = 0; k < f->cuts; k++) {
        const crs_spot cut = crs_put_object(list, NULL);
        if (f->cut[k].mode > 0) crs_put_whole(cut, "mode", f->cut[k].mode);
        crs_put_text(cut, "reason", f->cut[k].reason);
        crs_put_number(cut, "size", f->cut[k].size);
        crs_put_number(cut, "noise", f->cut[k].noise);
    }
}

static void put_support(crs_spot to, const crease_rpca_facts *f)
{
    static const char *const name[] = { "supported", "undecided", "unknown" };
    const crs_spot list = crs_put_list(to, "support");
    for (ptrdiff_t k = 0; f->support && k < f->terms; k++) {
        const crs_spot line = crs_put_object(list, NULL);
        crs_put_text(line, "support", name[f->support[k].support]);
        crs_put_number(line, "size", f->support[k].size);
        crs_put_number(line, "gain", f->support[k].gain);
        crs_put_number(line, "needed", f->support[k].needed);
    }
    crs_put_whole(to, "support_passes", f->support_passes);
}

void crs_rpca_put_cuts(crs_spot to, const crs_rpca_job *j)
{
    const crease_rpca_facts *f = crease_rpca_about(j->fit);
    if (f->rank_asked > 0)
        crs_put_whole(to, "rank_asked", f->rank_asked);
    else
        crs_put_null(to, "rank_asked");
    crs_put_whole(to, "rank", j->s.rank);
    crs_put_whole(to, "terms", f->terms);
    put_list(to, f);
    put_support(to, f);
}

void crs_tucker_put_cuts(crs_spot to, const crease_rpca_facts *f, const crease_rpca_settings *used)
{
    if (used->kind == CREASE_RPCA_PCP) return;
    if (f->ranks_asked.order > 0)
        crs_put_shape(to, "rank_asked", &f->ranks_asked);
    else
        crs_put_null(to, "rank_asked");
    crs_put_shape(to, "rank", &used->ranks);
    crs_put_shape(to, "terms", &f->directions);
    put_list(to, f);
}
