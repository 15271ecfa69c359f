/* SPDX-License-Identifier: MIT
 * rpca_terms: what became of the rank that was asked for: the summary and the document */
#include "cli/rpca.h"

static void print_list(const crease_rpca_facts *f)
{
    for (ptrdiff_t k = 0; k < f->cuts; k++) {
        const crease_cp_cut *c = f->cut + k;
        printf("            ");
        if (c->mode > 0) printf("mode %d, ", c->mode);
        printf("%s: size %.3g, noise %.3g\n", c->reason, c->size, c->noise);
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
        printf("support     of %td terms undecided: one gains %.2g of what would be beyond doubt\n",
               undecided, least);
    if (unknown > 0) printf("support     of %td terms unknown: not judged\n", unknown);
}

/* What became of the rank that was asked for. */
void crs_rpca_print_cuts(const crs_rpca_job *j)
{
    const crease_rpca_facts *f = crease_rpca_about(j->fit);
    print_support(f);
    if (f->cuts == 0) return;
    printf("terms       %td; %td cut, %s\n", f->terms, f->cuts,
           j->s.rank > f->terms ? "their columns are 0" : "their columns are left out");
    print_list(f);
}

void crs_tucker_print_cuts(const crease_rpca_facts *f, const crease_rpca_settings *used)
{
    if (f->cuts == 0) return;
    const bool there = crease_size(&used->ranks) > crease_size(&f->directions);
    printf("directions ");
    for (int n = 0; n < f->directions.order; n++) printf(" %td", f->directions.dim[n]);
    printf("; %td cut, %s\n", f->cuts,
           there ? "their columns are 0" : "their columns are left out");
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
