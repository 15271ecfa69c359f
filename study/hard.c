/* SPDX-License-Identifier: MIT
 * hard: the cells of the hard suite, their instances, and these by several methods
 *
 * Columns sqrt(q) g + sqrt(1 - q) g_r of independent Gaussian vectors have the mean cosine q. */
#include "study/hard.h"

#include <crease/random.h>

#include "rpca/rpca.h"

enum { STREAM = 200, MOST = 2000 };

/* Penalties of the envelope: by l1 and by three that do not bias; the others take the alpha that
 * the envelope learned. */
#define METHOD_LIST(X)                                                                             \
    X(ENVELOPE, "envelope", "envelope")                                                            \
    X(MCP, "mcp", "envelope, MCP")                                                                 \
    X(CAPPED, "capped-l1", "envelope, capped l1")                                                  \
    X(LSP, "lsp", "envelope, LSP")                                                                 \
    X(ADMM_G, "admm-g", "proximal ADMM-g")                                                         \
    X(PROX_BCD, "prox-bcd", "proximal BCD")                                                        \
    X(SQUARES, "least-squares", "least squares")

typedef enum {
#define X(id, name, title) id,
    METHOD_LIST(X)
#undef X
        METHODS
} method;
_Static_assert((int)METHODS == (int)CRS_HARD_METHODS, "one trial per method");

static const char *const names[][2] = {
#define X(id, name, title) { name, title },
    METHOD_LIST(X)
#undef X
};

static const char *method_name(int k) { return names[k][0]; }

static const crs_hard_cell cells[] = {
#define HARD_CELL(name, order, a, b, c, d, true_rank, rank, outliers, magnitude, cosine, decibel)  \
    { name,      { order, { a, b, c, (order) > 3 ? (d) : 0 }, NULL },                              \
      true_rank, rank,                                                                             \
      outliers,  magnitude,                                                                        \
      cosine,    decibel },
#include "study/hard.def"
#undef HARD_CELL
};

enum { CELLS = sizeof cells / sizeof *cells };

int crs_hard_cells(void) { return CELLS; }
const crs_hard_cell *crs_hard_cell_at(int k) { return cells + k; }
static const char *cell_name(int k) { return cells[k].name; }

static void draw_factor(const crs_hard_cell *cell, uint64_t seed, int n, double *x)
{
    const crease_random common = { seed, (uint64_t)(STREAM + n) };
    const double q = cell->congruence;
    const ptrdiff_t size = cell->shape.dim[n] * cell->true_rank;
    crs_normals(seed, (uint64_t)(CRS_STREAM_FACTOR + n), size, x);
    for (ptrdiff_t j = 0; q > 0 && j < size; j++)
        x[j] = sqrt(q) * crease_random_normal(common, (uint64_t)(j / cell->true_rank)) +
               sqrt(1 - q) * x[j];
}

static bool fill_in(const crs_hard_cell *cell, crease_cp_instance *c, crease_error *e)
{
    const ptrdiff_t n = crease_size(&cell->shape);
    for (int k = 0; k < cell->shape.order; k++) draw_factor(cell, c->recipe.seed, k, c->factor[k]);
    const double *const *factor = (const double *const *)c->factor;
    if (!crease_cp_lowrank(&cell->shape, cell->true_rank, factor, c->lowrank, e)) return false;
    const double deviation = crs_norm(n, c->lowrank) / sqrt((double)n);
    c->recipe.magnitude = cell->magnitude * deviation;
    c->recipe.noise = deviation * pow(10, -cell->decibel / 20);
    return crs_cp_instance_outliers(c, e) && crs_cp_instance_add(c, e);
}

crease_cp_instance *crs_hard_generate(const crs_hard_cell *cell, uint64_t seed, crease_error *e)
{
    crease_cp_recipe r = crease_cp_recipe_default(&cell->shape, cell->true_rank);
    r.outliers = cell->outliers;
    r.seed = seed;
    crease_cp_instance *c = crs_cp_instance_new(&r, e);
    if (c && fill_in(cell, c, e)) return c;
    crease_cp_instance_free(c);
    return NULL;
}

static crease_cp_fit_settings settings(const crs_hard_cell *cell, method m,
                                       const crs_trial *envelope, double largest)
{
    crease_cp_fit_settings s = crs_trial_settings(&cell->shape, cell->rank);
    const bool learns = m <= LSP;
    s.run.max_iterations = MOST;
    if (m == MCP) s.model.penalty = crease_mcp(1, 3);
    if (m == CAPPED) s.model.penalty = crease_capped_l1(1, 3);
    if (m == LSP) s.model.penalty = crease_lsp(1, 1);
    if (m == ADMM_G) s.run.method = CREASE_METHOD_ADMM_G;
    if (m == PROX_BCD) s.run.method = CREASE_METHOD_PROX_BCD;
    if (!learns) s.learn = 0;
    if (!learns) s.model.alpha = m == SQUARES ? 4 * largest : envelope->alpha;
    return s;
}

/* The instance by the methods asked for; the envelope first, whose alpha others take. */
static bool run_instance(const crs_hard_suite *h, uint64_t seed, crs_trial *out, crease_error *e)
{
    const crs_hard_cell *cell = h->cell;
    crease_cp_instance *c = crs_hard_generate(cell, seed, e);
    double oracle = 0, largest = 0;
    bool done = c && crs_trial_oracle(c, cell->rank, &oracle, e);
    for (ptrdiff_t j = 0; done && j < crease_size(&cell->shape); j++)
        largest = larger(largest, fabs(c->tensor[j]));
    for (int m = 0; done && m < CRS_HARD_METHODS; m++) {
        if (!h->method[m] && m != ENVELOPE) continue;
        crease_cp_fit_settings s = settings(cell, (method)m, out, largest);
        s.model.seed = seed;
        done = crs_trial_run(&s, c, oracle, out + m, e);
    }
    crease_cp_instance_free(c);
    return done;
}

static bool run_one(void *self, int k, crease_error *e)
{
    const crs_hard_suite *h = self;
    const crease_random bits = { h->s->seed, 0 };
    return h->run(h, crease_random_bits(bits, (uint64_t)k), h->trial + (ptrdiff_t)k * h->trials, e);
}

bool crs_hard_run(crs_hard_suite *h, crease_error *e)
{
    bool chosen[CELLS];
    const crs_study *s = h->s;
    if (!crs_study_choose(s, CRS_STUDY_CELLS, CELLS, cell_name, chosen, e)) return false;
    h->trial = crs_alloc((size_t)s->instances * (size_t)h->trials, sizeof *h->trial);
    bool done = h->trial || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the outcomes");
    if (done && !s->document) h->head(s);
    for (int k = 0; done && k < CELLS; k++) {
        h->cell = cells + k;
        if (chosen[k]) done = crs_trials(s->threads, s->instances, run_one, h, e) && h->show(h, e);
    }
    crs_free(h->trial);
    return done;
}

static void head(const crs_study *s)
{
    printf("%d instances per cell, seed %.0f. Success: an error below 0.01 or below 1.5 times that "
           "of a fit that knows where the outliers are; passes: readings of the tensor or "
           "iterations; below truth: the objective is less than that of the true factors\n\n",
           s->instances, (double)s->seed);
    printf("| cell | method | successes | median error | oracle's | passes (most) | starts | "
           "certified | checked | R_CP found | below truth | ms |\n");
    printf("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static void print(const crs_hard_suite *h, const crs_trial_means *m, int k)
{
    printf("| %s | %s | %d/%d | %.2e | %.2e | %.1f (%ld) | %.2f | %d | %d | %d | %d | %.1f |\n",
           h->cell->name, names[k][1], m->successes, h->s->instances, m->error, m->oracle,
           m->readings, m->most, m->starts, m->certified, m->valid, m->rank, m->below,
           1e3 * m->seconds);
    fflush(stdout);
}

static json_t *item(const crs_hard_suite *h, const crs_trial_means *m, int k)
{
    const crs_hard_cell *c = h->cell;
    return json_pack("{s:s, s:s, s:o, s:I, s:I, s:f, s:f, s:f, s:f, s:o, s:o}", "cell", c->name,
                     "method", names[k][0], "shape", crs_study_shape(&c->shape), "true_rank",
                     (json_int_t)c->true_rank, "rank", (json_int_t)c->rank, "outliers", c->outliers,
                     "magnitude", c->magnitude, "congruence", c->congruence, "decibel", c->decibel,
                     "means", crs_trial_json_means(m), "runs",
                     crs_trial_json(h->s->instances, h->trials, h->trial + k));
}

static bool show(const crs_hard_suite *h, crease_error *e)
{
    for (int k = 0; k < CRS_HARD_METHODS; k++) {
        if (!h->method[k]) continue;
        const crs_trial_means m =
            crs_trial_mean(h->s->instances, h->trials, h->trial + k, h->cell->true_rank);
        if (!h->s->document)
            print(h, &m, k);
        else if (!crs_study_append(h->s, item(h, &m, k), e))
            return false;
    }
    return true;
}

static bool run(crs_study *s, crease_error *e)
{
    crs_hard_suite h = {
        .s = s, .trials = CRS_HARD_METHODS, .head = head, .run = run_instance, .show = show
    };
    return crs_study_choose(s, CRS_STUDY_METHODS, CRS_HARD_METHODS, method_name, h.method, e) &&
           crs_hard_run(&h, e);
}

const crs_study_verb crs_study_hard = {
    .name = "hard",
    .text = "Fit instances harder than the paper's. They have 5, 20 and 40 % outliers of one and "
            "ten deviations of the low-rank part, a rank too large or too small, factors whose "
            "columns are alike, noise of 10 and 0 dB, or order 4. The envelope learns its "
            "threshold; ADMM-g and proximal BCD take the alpha it learned; least squares has no "
            "outliers. Cells and methods are named in the table; the default is all of them, which "
            "takes hours.",
    .example = "crease-study hard --cells small-5-10x --methods envelope,mcp --instances 2",
    .takes = CRS_STUDY_TAKES(CELLS) | CRS_STUDY_TAKES(METHODS),
    .least = 1,
    .run = run,
};
