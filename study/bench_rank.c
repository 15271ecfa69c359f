/* SPDX-License-Identifier: MIT
 * bench_rank: is the rank of the paper's instances found? */
#include "cli/cli.h"
#include "study/bench_verb.h"
#include "study/paper_verb.h"
#include "study/rank_trial.h"

static void head(const crs_bench *b)
{
    printf("%d instances a row, seed %.0f. First a search that begins with R terms, then --rank "
           "auto as it is; otherwise: what was found instead; passes: readings of the tensor by "
           "all fits and tests\n\n",
           b->instances, (double)b->seed);
    printf("| size | R_CP | R | found | otherwise | fits | passes | ms | auto: found | otherwise | "
           "fits | passes | ms |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

/* Counts and means of one kind of search, trials t[0], t[CRS_RANK_SEARCHES], ... */
static void print(int count, const crs_rank_trial *t, ptrdiff_t true_rank)
{
    int found = 0;
    double fits = 0, readings = 0, seconds = 0;
    for (int k = 0; k < count; k++) {
        const crs_rank_trial *one = t + k * CRS_RANK_SEARCHES;
        found += one->rank == true_rank;
        fits += (double)one->fits / count;
        readings += (double)one->readings / count;
        seconds += one->seconds / count;
    }
    printf("%d/%d |", found, count);
    for (int k = 0; k < count; k++)
        if (t[k * CRS_RANK_SEARCHES].rank != true_rank)
            printf(" %td", t[k * CRS_RANK_SEARCHES].rank);
    printf(" | %.1f | %.0f | %.0f |", fits, readings, 1e3 * seconds);
}

static json_t *list_of(int count, const crs_rank_trial *t)
{
    json_t *list = json_array();
    for (int k = 0; list && k < count; k++, t += CRS_RANK_SEARCHES)
        json_array_append_new(list, json_pack("{s:I, s:i, s:I, s:f}", "rank", (json_int_t)t->rank,
                                              "fits", t->fits, "readings", (json_int_t)t->readings,
                                              "seconds", t->seconds));
    return list;
}

static bool show(const crs_bench *b, const crs_paper_row *row, const crs_rank_trial *t,
                 crease_error *e)
{
    const ptrdiff_t *dim = row->shape.dim;
    if (b->list)
        return crs_bench_append(b,
                                json_pack("{s:i, s:o, s:I, s:I, s:o, s:o}", "row", row->row,
                                          "shape", crs_dims(&row->shape), "true_rank",
                                          (json_int_t)row->true_rank, "from",
                                          (json_int_t)crs_rank_trial_from(row), "runs",
                                          list_of(b->instances, t + CRS_RANK_FROM), "auto",
                                          list_of(b->instances, t + CRS_RANK_FREE)),
                                e);
    printf("| %td x %td x %td | %td | %td | ", dim[0], dim[1], dim[2], row->true_rank,
           crs_rank_trial_from(row));
    print(b->instances, t + CRS_RANK_FROM, row->true_rank);
    printf(" ");
    print(b->instances, t + CRS_RANK_FREE, row->true_rank);
    printf("\n");
    fflush(stdout);
    return true;
}

static bool run(crs_bench *b, crease_error *e)
{
    bool chosen[CRS_PAPER_ROWS];
    if (!crs_paper_read_rows(b->a, chosen, e)) return false;
    crs_rank_trial *out = crs_alloc((size_t)b->instances * CRS_RANK_SEARCHES, sizeof *out);
    bool done = out || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the outcomes");
    if (done && !b->list) head(b);
    for (int k = 1; done && k <= CRS_PAPER_ROWS; k++) {
        const crs_paper_row row = crs_paper_row_at(1, k);
        if (!chosen[k - 1]) continue;
        done = crs_rank_trials(&row, b->seed, b->instances, b->threads, out, e) &&
               show(b, &row, out, e);
    }
    crs_free(out);
    return done;
}

const crs_suite crs_bench_rank = {
    .name = "rank",
    .takes = CRS_LIST(CRS_TAKES(ROWS)),
    .run = run,
};
