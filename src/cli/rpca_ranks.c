/* SPDX-License-Identifier: MIT
 * rpca_ranks: the table of ranks that were compared, in the log and in the document */
#include "cli/rpca.h"

static void print_rank(const crease_cp_rank_row *r, ptrdiff_t chosen)
{
    char core[32] = "not defined", gain[32] = "-", errors[32] = "-", halves[32] = "-";
    if (!isnan(r->consistency)) snprintf(core, sizeof core, "%.1f %%", r->consistency);
    if (!isnan(r->gain)) snprintf(gain, sizeof gain, "%.3g %%", 100 * r->gain);
    if (r->error > 0) snprintf(errors, sizeof errors, "%.1f", r->gain / r->error);
    if (!isnan(r->congruence)) snprintf(halves, sizeof halves, "%.3f", r->congruence);
    fprintf(stderr, "%9td%c %13.6g %13.6g %9s %9s %13s %11s\n", r->rank,
            r->rank == chosen ? '*' : ' ', r->held_out, r->loss, gain, errors, core, halves);
}

void crs_rpca_print_ranks(const crease_cp_rank_table *t)
{
    if (!t) return;
    fprintf(stderr, "%10s %13s %13s %9s %9s %13s %11s\n", "rank", "held out", "loss", "gain",
            "in SE", "consistency", "halves");
    for (ptrdiff_t k = 0; k < t->count; k++) print_rank(&t->row[k], t->rank);
    fprintf(stderr, "chosen      %s\n\n", t->reason);
}

static void put_count(crs_spot to, const char *key, ptrdiff_t x)
{
    x > 0 ? crs_put_whole(to, key, x) : crs_put_null(to, key);
}

void crs_rpca_put_ranks(crs_spot to, const crease_cp_rank_table *t)
{
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
