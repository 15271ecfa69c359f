/* SPDX-License-Identifier: MIT
 * rpca_rank: the rank of a run that was not told one: a sweep of fits judged by held-out entries
 * and core consistency (rpca_rank.h), or the gap in the singular values where fits would take
 * too long */
#include "cli/rpca.h"
#include "rpca/rpca.h"

static const double most_work = 5e7; /* entries times terms of one fit */

void crs_rpca_rank_log(const crs_rpca_job *j)
{
    const crease_cp_rank_table *t = j->ranks;
    if (!t) return;
    fprintf(stderr, "%10s %14s %14s %12s %12s %14s %16s\n", "rank", "held out", "loss", "excess",
            "+-", "consistency", "objective");
    for (ptrdiff_t k = 0; k < t->count; k++) {
        const crease_cp_rank_row *r = &t->row[k];
        char core[32] = "not defined";
        if (!isnan(r->consistency)) snprintf(core, sizeof core, "%.1f %%", r->consistency);
        fprintf(stderr, "%9td%c %14.6g %14.6g %12.3g %12.3g %14s %16.8g\n", r->rank,
                r->rank == t->rank ? '*' : ' ', r->held_out, r->loss, r->excess, r->error, core,
                r->objective);
    }
    fprintf(stderr, "chosen      %s\n\n", t->reason);
}

bool crs_rpca_choose_rank(crs_rpca_job *j, crease_error *e)
{
    crease_cp_rpca_settings *m = &j->s.model;
    if (m->rank > 0) return true;
    if (!crease_cp_rank(&m->shape, j->data.data, NULL, &m->rank, e)) return false;
    const double work = (double)crease_size(&m->shape) * (double)m->rank;
    if (!(work <= most_work)) {
        snprintf(j->rank_reason, sizeof j->rank_reason,
                 "the singular values of the unfoldings fall after it; the tensor is too large to "
                 "compare fits of several ranks, give --rank for another");
        return true;
    }
    const crease_cp_rank_options o = { .high = crs_rank_highest(&m->shape),
                                       .seed = m->seed,
                                       .fit = crease_cp_fit_envelope,
                                       .self = &j->s };
    j->ranks = crease_cp_rank_sweep(&m->shape, j->data.data, NULL, &o, e);
    if (!j->ranks) return false;
    m->rank = j->ranks->rank;
    snprintf(j->rank_reason, sizeof j->rank_reason, "%s", j->ranks->reason);
    return true;
}

json_t *crs_rpca_rank_json(const crs_rpca_job *j)
{
    if (!j->ranks) return json_null();
    json_t *list = json_array();
    for (ptrdiff_t k = 0; k < j->ranks->count; k++) {
        const crease_cp_rank_row *r = &j->ranks->row[k];
        json_array_append_new(
            list, json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rank", (json_int_t)r->rank,
                            "held_out", crs_real(r->held_out), "loss", crs_real(r->loss), "excess",
                            crs_real(r->excess), "error", crs_real(r->error), "fitted",
                            crs_real(r->fitted), "consistency", crs_real(r->consistency),
                            "objective", crs_real(r->objective)));
    }
    return list;
}
