/* SPDX-License-Identifier: MIT
 * tucker: ranks of Tucker models and matrices: what too many of them cost, and are they found? */
#include "rpca/tucker/tucker.h"

#include "study/study.h"
#include "study/trial.h"

typedef struct {
    const char *name;
    crease_space shape, truth, asked; /* asked, order 0: only to be found */
    double outliers, noise;
} cell;

#define SPACE(order, ...)                                                                          \
    {                                                                                              \
        order, { __VA_ARGS__ }, NULL                                                               \
    }
#define CUBE SPACE(3, 15, 20, 25)
#define FOUR SPACE(4, 8, 9, 10, 11)

static const cell cells[] = {
    { "333-444", CUBE, SPACE(3, 3, 3, 3), SPACE(3, 4, 4, 4), 0.1, 0.01 },
    { "333-555", CUBE, SPACE(3, 3, 3, 3), SPACE(3, 5, 5, 5), 0.1, 0.01 },
    { "243-455-20", CUBE, SPACE(3, 2, 4, 3), SPACE(3, 4, 5, 5), 0.2, 0.01 },
    { "333-444-10dB", CUBE, SPACE(3, 3, 3, 3), SPACE(3, 4, 4, 4), 0.1, 0.316 },
    { "2323-3434", FOUR, SPACE(4, 2, 3, 2, 3), SPACE(4, 3, 4, 3, 4), 0.1, 0.01 },
    { "333-555-0", CUBE, SPACE(3, 3, 3, 3), SPACE(3, 5, 5, 5), 0, 0.01 },
    { "333-555-30", CUBE, SPACE(3, 3, 3, 3), SPACE(3, 5, 5, 5), 0.3, 0.01 },
    { "333-555-30-20dB", CUBE, SPACE(3, 3, 3, 3), SPACE(3, 5, 5, 5), 0.3, 0.1 },
    { "333-555-30-10dB", CUBE, SPACE(3, 3, 3, 3), SPACE(3, 5, 5, 5), 0.3, 0.316 },
    { "345-0-20dB", SPACE(3, 20, 25, 30), SPACE(3, 3, 4, 5), SPACE(3, 5, 6, 7), 0, 0.1 },
    { "345-30-10dB", SPACE(3, 20, 25, 30), SPACE(3, 3, 4, 5), SPACE(3, 5, 6, 7), 0.3, 0.316 },
    { "122", SPACE(3, 12, 12, 40), SPACE(3, 1, 2, 2), SPACE(3, 3, 3, 3), 0.1, 0.01 },
    { "2222-4444-30-10dB", FOUR, SPACE(4, 2, 2, 2, 2), SPACE(4, 4, 4, 4, 4), 0.3, 0.316 },
    { "2323-3434-30-20dB", FOUR, SPACE(4, 2, 3, 2, 3), SPACE(4, 3, 4, 3, 4), 0.3, 0.1 },
    { "2323-0-10dB", FOUR, SPACE(4, 2, 3, 2, 3), SPACE(4, 3, 4, 3, 4), 0, 0.316 },
    { "40x50", SPACE(2, 40, 50), SPACE(2, 3, 3), SPACE(2, 5, 5), 0.1, 0.01 },
    { "30x40-10dB", SPACE(2, 30, 40), SPACE(2, 3, 3), SPACE(2, 5, 5), 0.1, 0.316 },
    { "30x40-30", SPACE(2, 30, 40), SPACE(2, 3, 3), SPACE(2, 5, 5), 0.3, 0.01 },
    { "60x80-30-20dB", SPACE(2, 60, 80), SPACE(2, 3, 3), SPACE(2, 6, 6), 0.3, 0.1 },
    { "100x200-20-20dB", SPACE(2, 100, 200), SPACE(2, 6, 6), SPACE(2, 10, 10), 0.2, 0.1 },
};
enum { CELLS = sizeof cells / sizeof *cells };

static const char *cell_name(int k) { return cells[k].name; }

typedef struct {
    double right, judged; /* errors: true ranks, all kept, and with directions judged */
    double bare, spare;   /* the same of the ranks asked */
    long passes[2];       /* of the first two */
    crease_space found;
} trial;

typedef struct {
    const cell *cell;
    uint64_t seed;
    bool mcp;
    trial *out;
} batch;

static crease_tucker_instance *draw(const cell *c, uint64_t seed, crease_error *e)
{
    crease_tucker_recipe r = { .parts = crease_cp_recipe_default(&c->shape, 1),
                               .ranks = c->truth,
                               .diagonal = c->shape.order == 2 };
    r.parts.outliers = c->outliers;
    r.parts.magnitude = 10;
    r.parts.noise = c->noise;
    r.parts.seed = seed;
    return crease_tucker_generate(&r, e);
}

static bool fit(const batch *b, const crease_tucker_instance *made, const crease_space *ranks,
                bool spare, double *error, long *passes, crease_error *e)
{
    crease_tucker_rpca_settings s = crease_tucker_rpca_default(&b->cell->shape, ranks);
    const ptrdiff_t size = crease_size(&s.shape);
    const double *x[CREASE_MAX_ORDER + 4];
    s.spare = spare;
    s.threads = 1;
    if (b->mcp) s.penalty = crease_mcp(1, 3);
    crease_tucker_rpca *m = crease_tucker_rpca_new(&s, made->parts->tensor, e);
    double *low = m ? crs_doubles(size, "the low-rank part", e) : NULL;
    if (low) {
        const crease_problem *p = crease_tucker_rpca_problem(m);
        for (int i = 0; i < p->count; i++) x[i] = p->block[i].start;
    }
    const bool done = low && crease_tucker_rpca_lowrank(m, x, low, e);
    if (done) *error = crease_relative_error(size, low, made->parts->lowrank);
    if (done && passes) *passes = crease_tucker_rpca_about(m).passes;
    crs_free(low);
    crease_tucker_rpca_free(m);
    return done;
}

static bool find(const batch *b, const crease_tucker_instance *made, trial *out, crease_error *e)
{
    crs_tucker_choice found;
    const crs_tucker_settings c = { .shape = b->cell->shape,
                                    .penalty = crs_envelope_l1(1, crs_noise_share(1)),
                                    .learn = 3,
                                    .alpha_noise = 1,
                                    .threads = 1,
                                    .eps = 1e-6,
                                    .seed = b->seed };
    if (!crs_tucker_choose(&c, made->parts->tensor, &found, e)) return false;
    out->found = found.ranks;
    return true;
}

static bool run_one(void *self, int k, crease_error *e)
{
    const batch *b = self;
    trial *out = b->out + k;
    const crease_space *truth = &b->cell->truth, *asked = &b->cell->asked;
    crease_tucker_instance *made = draw(b->cell, b->seed + (uint64_t)k, e);
    const bool done = made && fit(b, made, truth, false, &out->right, &out->passes[0], e) &&
                      fit(b, made, truth, true, &out->judged, &out->passes[1], e) &&
                      fit(b, made, asked, false, &out->bare, NULL, e) &&
                      fit(b, made, asked, true, &out->spare, NULL, e) && find(b, made, out, e);
    crease_tucker_instance_free(made);
    return done;
}

static bool same(const crease_space *a, const crease_space *b)
{
    for (int n = 0; n < a->order; n++)
        if (a->dim[n] != b->dim[n]) return false;
    return true;
}

static void print_ranks(const crease_space *r)
{
    for (int n = 0; n < r->order; n++) printf("%s%td", n ? "," : "", r->dim[n]);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median_of(int count, const trial *t, size_t member, double *work)
{
    for (int k = 0; k < count; k++) work[k] = *(const double *)((const char *)(t + k) + member);
    qsort(work, (size_t)count, sizeof *work, compare);
    return work[count / 2];
}

static json_t *list_of(int count, const trial *t)
{
    json_t *list = json_array();
    for (int k = 0; list && k < count; k++)
        json_array_append_new(list, json_pack("{s:f, s:f, s:f, s:f, s:o}", "right", t[k].right,
                                              "judged", t[k].judged, "all_kept", t[k].bare, "here",
                                              t[k].spare, "found", crs_study_shape(&t[k].found)));
    return list;
}

static bool put(crs_study *s, const cell *c, const trial *t, crease_error *e)
{
    return crs_study_append(s,
                            json_pack("{s:s, s:o, s:o, s:o, s:f, s:f, s:o}", "cell", c->name,
                                      "shape", crs_study_shape(&c->shape), "true_ranks",
                                      crs_study_shape(&c->truth), "asked",
                                      crs_study_shape(&c->asked), "outliers", c->outliers, "noise",
                                      c->noise, "runs", list_of(s->instances, t)),
                            e);
}

static void show(const cell *c, int count, const trial *t, double *work)
{
    int harmless = 0, found = 0;
    double passes[2] = { 0 };
    for (int k = 0; k < count; k++) {
        harmless += t[k].spare <= 1.5 * t[k].right;
        found += same(&t[k].found, &c->truth);
        for (int i = 0; i < 2; i++) passes[i] += (double)t[k].passes[i] / count;
    }
    printf("| %s | ", c->name);
    print_ranks(&c->truth);
    printf(" | ");
    print_ranks(&c->asked);
    printf(" | %.2g | %.2g | %.2g | %d/%d | %.0f to %.0f | %d/%d |",
           median_of(count, t, offsetof(trial, right), work),
           median_of(count, t, offsetof(trial, bare), work),
           median_of(count, t, offsetof(trial, spare), work), harmless, count, passes[0], passes[1],
           found, count);
    for (int k = 0; k < count; k++)
        if (!same(&t[k].found, &c->truth)) printf(" "), print_ranks(&t[k].found);
    printf(" |\n");
    fflush(stdout);
}

static bool run(crs_study *s, crease_error *e)
{
    bool chosen[CELLS];
    const char *penalty = crs_study_given(s, CRS_STUDY_METHODS);
    if (!crs_study_choose(s, CRS_STUDY_CELLS, CELLS, cell_name, chosen, e)) return false;
    trial *out = crs_alloc((size_t)s->instances, sizeof *out);
    double *work = crs_doubles(s->instances, "the errors", e);
    bool done = (out && work) || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the outcomes");
    if (done && !s->document)
        printf("%d instances per cell, seed %.0f, %s. Median errors of the low-rank part: true "
               "ranks; ranks asked, all of them kept; ranks asked. Harmless: at most 1.5 times "
               "the first.\n\n| cell | true | asked | true ranks | all kept | here | harmless | "
               "passes, true ranks: all kept, here | found | otherwise |\n"
               "|---|---|---|---|---|---|---|---|---|---|\n",
               s->instances, (double)s->seed, penalty ? penalty : "l1");
    for (int k = 0; done && k < CELLS; k++) {
        batch b = { cells + k, s->seed, penalty && strcmp(penalty, "mcp") == 0, out };
        if (!chosen[k]) continue;
        done = crs_trials(s->threads, s->instances, run_one, &b, e);
        if (done && s->document)
            done = put(s, cells + k, out, e);
        else if (done)
            show(cells + k, s->instances, out, work);
    }
    crs_free(out);
    crs_free(work);
    return done;
}

const crs_study_verb crs_study_tucker = {
    .name = "tucker",
    .text = "Ranks of Tucker models and matrices. First with ranks that are too large, then found "
            "as crease rpca does without --rank. --methods mcp: the penalty MCP instead of l1.",
    .example = "crease-study tucker --cells 333-444 --instances 2",
    .takes = CRS_STUDY_TAKES(CELLS) | CRS_STUDY_TAKES(METHODS),
    .least = 1,
    .run = run,
};
