/* SPDX-License-Identifier: MIT
 * rpca_terms: what became of the rank that was asked for: the summary and the document */
#include "cli/rpca.h"

/* What became of the rank that was asked for. */
void crs_rpca_print_cuts(const crs_rpca_job *j)
{
    const crease_rpca_facts *f = crease_rpca_about(j->fit);
    if (f->cuts == 0) return;
    printf("terms       %td; %td cut, %s\n", f->terms, f->cuts,
           j->s.rank > f->terms ? "their columns are 0" : "their columns are left out");
    for (ptrdiff_t k = 0; k < f->cuts; k++)
        printf("            %s: size %.3g, noise %.3g\n", f->cut[k].reason, f->cut[k].size,
               f->cut[k].noise);
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
    const crs_spot list = crs_put_list(to, "pruned");
    for (ptrdiff_t k = 0; k < f->cuts; k++) {
        const crs_spot cut = crs_put_object(list, NULL);
        crs_put_text(cut, "reason", f->cut[k].reason);
        crs_put_number(cut, "size", f->cut[k].size);
        crs_put_number(cut, "noise", f->cut[k].noise);
    }
}
