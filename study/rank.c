/* SPDX-License-Identifier: MIT
 * rank: is the rank of the paper's instances found by a sweep (rpca_rank.h)? */
#include "rpca/rpca.h"
#include "study/table.h"
#include "study/trial.h"

/* A search that begins with R_CP + ceil(0.2 R_CP) + 2 terms, and one that is told nothing. */
enum { FROM, FREE, SEARCHES };

typedef struct {
    ptrdiff_t rank; /* recommended */
    int fits;       /* rows of the table */
    long readings;  /* of the tensor */
    double seconds;
} trial;

typedef struct {
    const crs_paper_row *row;
    crs_paper_recipe recipe;
    trial *out;
} batch;

static ptrdiff_t first_rank(const crs_paper_row *row)
{
    return row->true_rank + (row->true_rank + 4) / 5 + 2;
}

static bool search(const crease_cp_instance *c, ptrdiff_t from, trial *out, crease_error *e)
{
    const crease_space *shape = &c->recipe.shape;
    const crease_cp_rank_options o = {
        .high = crs_rank_highest(shape), .from = from, .seed = c->recipe.seed, .threads = 1
    };
    const double begun = crs_now();
    crease_cp_rank_table *t = crease_cp_rank_sweep(shape, c->tensor, NULL, &o, e);
    if (!t) return false;
    *out = (trial){ t->rank, (int)t->count, t->readings, crs_now() - begun };
    crease_cp_rank_table_free(t);
    return true;
}

static bool run_one(void *self, int k, crease_error *e)
{
    const batch *b = self;
    const crease_cp_recipe recipe = crs_paper_instance(b->row, &b->recipe, k);
    crease_cp_instance *c = crease_cp_generate(&recipe, e);
    trial *out = b->out + (ptrdiff_t)k * SEARCHES;
    const bool done =
        c && search(c, first_rank(b->row), out + FROM, e) && search(c, 0, out + FREE, e);
    crease_cp_instance_free(c);
    return done;
}

static bool search_all(const crs_study *s, const crs_paper_row *row, trial *out, crease_error *e)
{
    batch b = { row, { .seed = s->seed }, out };
    return crs_trials(s->threads, s->instances, run_one, &b, e);
}

static void head(crs_study *s)
{
    printf("%d instances per row, seed %.0f. First a search that begins with R terms, then --rank "
           "auto as it is; otherwise: what was found instead; passes: readings of the tensor by "
           "all fits and tests\n\n",
           s->instances, (double)s->seed);
    printf("| size | R_CP | R | found | otherwise | fits | passes | ms | auto: found | otherwise | "
           "fits | passes | ms |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

/* Counts and means of one kind of search, trials t[0], t[SEARCHES], ... */
static void print(int count, const trial *t, ptrdiff_t true_rank)
{
    int found = 0;
    double fits = 0, readings = 0, seconds = 0;
    for (int k = 0; k < count; k++) {
        const trial *one = t + k * SEARCHES;
        found += one->rank == true_rank;
        fits += (double)one->fits / count;
        readings += (double)one->readings / count;
        seconds += one->seconds / count;
    }
    printf("%d/%d |", found, count);
    for (int k = 0; k < count; k++)
        if (t[k * SEARCHES].rank != true_rank) printf(" %td", t[k * SEARCHES].rank);
    printf(" | %.1f | %.0f | %.0f |", fits, readings, 1e3 * seconds);
}

static json_t *list_of(int count, const trial *t)
{
    json_t *list = json_array();
    for (int k = 0; list && k < count; k++, t += SEARCHES)
        json_array_append_new(list, json_pack("{s:I, s:i, s:I, s:f}", "rank", (json_int_t)t->rank,
                                              "fits", t->fits, "readings", (json_int_t)t->readings,
                                              "seconds", t->seconds));
    return list;
}

static bool show(crs_study *s, const crs_paper_row *row, const trial *t, crease_error *e)
{
    const ptrdiff_t *dim = row->shape.dim;
    if (s->document)
        return crs_study_append(
            s,
            json_pack("{s:i, s:o, s:I, s:I, s:o, s:o}", "row", row->row, "shape",
                      crs_study_shape(&row->shape), "true_rank", (json_int_t)row->true_rank, "from",
                      (json_int_t)first_rank(row), "runs", list_of(s->instances, t + FROM), "auto",
                      list_of(s->instances, t + FREE)),
            e);
    printf("| %td x %td x %td | %td | %td | ", dim[0], dim[1], dim[2], row->true_rank,
           first_rank(row));
    print(s->instances, t + FROM, row->true_rank);
    printf(" ");
    print(s->instances, t + FREE, row->true_rank);
    printf("\n");
    fflush(stdout);
    return true;
}

static bool run(crs_study *s, crease_error *e)
{
    bool chosen[CRS_PAPER_ROWS];
    if (!crs_paper_read_rows(s, chosen, e)) return false;
    trial *out = crs_alloc((size_t)s->instances * SEARCHES, sizeof *out);
    bool done = out || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the outcomes");
    if (done && !s->document) head(s);
    for (int k = 1; done && k <= CRS_PAPER_ROWS; k++) {
        const crs_paper_row row = crs_paper_row_at(1, k);
        if (!chosen[k - 1]) continue;
        done = search_all(s, &row, out, e) && show(s, &row, out, e);
    }
    crs_free(out);
    return done;
}

const crs_study_verb crs_study_rank = {
    .name = "rank",
    .text = "Find the rank of the paper's instances. First by a search that begins with R_CP + "
            "ceil(0.2 R_CP) + 2 terms, then as crease rpca does without --rank.",
    .example = "crease-study rank --rows 1 --instances 2",
    .takes = CRS_STUDY_TAKES(ROWS),
    .least = 1,
    .run = run,
};
