/* SPDX-License-Identifier: MIT
 * ranks: is the automatic rank right where it is known, and does it predict where it is not?
 *
 * Generated data: how often the rank is the true one, and how far the fit of the rank chosen is
 * from the truth, in the distance of the best rank fitted. Data of a file: entries that no choice
 * has seen, 5 % of them singly and 5 % by fibres, are predicted by the fit of every rank; the error
 * is the root of the mean of min(|r|, t)^2, t three deviations of the noise. */
#include <crease/random.h>

#include "io/formats/io.h"
#include "rpca/rpca.h"
#include "study/trial.h"

enum { STREAM = 300, MORE = 8, MOST_RANKS = 64 };
static const double large = 10; /* deviations of an outlier */

typedef struct {
    const char *name;
    crease_space shape;
    ptrdiff_t rank;
    double outliers, cosine, last, decibel, offset;
    bool eem; /* then last is the height of the scatter, offset the noise */
} cell;

static const cell cells[] = {
#define RANK_CELL(name, order, a, b, c, d, e, f, rank, outliers, cosine, last, decibel, offset)    \
    { name, { order, { a, b, c, d, e, f }, NULL }, rank, outliers, cosine, last, decibel, offset,  \
      false },
#define EEM_CELL(name, a, b, c, rank, spikes, height, noise)                                       \
    { name, { 3, { a, b, c }, NULL }, rank, spikes, 0, height, 0, noise, true },
#include "study/ranks.def"
#undef RANK_CELL
#undef EEM_CELL
};
enum { CELLS = sizeof cells / sizeof *cells };
static const char *cell_name(int k) { return cells[k].name; }

typedef struct {
    ptrdiff_t rank, predicts, reproduces; /* reproduces 0: not known */
    double ratio;                         /* error of the rank chosen to the least */
    long readings;
    double seconds;
} outcome;

typedef struct {
    const cell *cell;
    uint64_t seed;
    outcome *out;
} batch;

static ptrdiff_t true_rank(const cell *c) { return c->rank + (!c->eem && c->offset != 0); }

/* Columns sqrt(q) g + sqrt(1 - q) g_r have the mean cosine q; the offset is the last term. */
static void draw(const cell *c, crease_cp_instance *x)
{
    const ptrdiff_t R = true_rank(c);
    for (int n = 0; n < c->shape.order; n++) {
        const crease_random own = { x->recipe.seed, (uint64_t)(STREAM + n) };
        const crease_random common = { x->recipe.seed, (uint64_t)(STREAM + CREASE_MAX_ORDER + n) };
        for (ptrdiff_t j = 0; j < c->shape.dim[n] * R; j++) {
            const double last = n == 0 && j % R == c->rank - 1 ? c->last : 1;
            const double g = crease_random_normal(common, (uint64_t)(j / R));
            const double own_part = crease_random_normal(own, (uint64_t)j);
            x->factor[n][j] =
                j % R < c->rank ? last * (sqrt(c->cosine) * g + sqrt(1 - c->cosine) * own_part) : 0;
        }
    }
}

static bool fill_in(const cell *c, crease_cp_instance *x, crease_error *e)
{
    const ptrdiff_t n = crease_size(&c->shape), R = true_rank(c);
    const double *const *factor = (const double *const *)x->factor;
    draw(c, x);
    if (!crease_cp_lowrank(&c->shape, R, factor, x->lowrank, e)) return false;
    const double deviation = crs_norm(n, x->lowrank) / sqrt((double)n);
    for (int k = 0; R > c->rank && k < c->shape.order; k++)
        for (ptrdiff_t i = 0; i < c->shape.dim[k]; i++)
            x->factor[k][i * R + R - 1] = k == 0 ? c->offset * deviation : 1;
    for (ptrdiff_t j = 0; j < n; j++) x->lowrank[j] += c->offset * deviation;
    x->recipe.magnitude = large * deviation;
    x->recipe.noise = deviation * pow(10, -c->decibel / 20);
    return crs_cp_instance_outliers(x, e) && crs_cp_instance_add(x, e);
}

static crease_cp_instance *generate(const cell *c, uint64_t seed, crease_error *e)
{
    crease_cp_recipe r = crease_cp_recipe_default(&c->shape, true_rank(c));
    r.outliers = c->outliers;
    r.seed = seed;
    if (c->eem) {
        r.magnitude = c->last;
        r.noise = c->offset;
        return crease_eem_generate(&r, e);
    }
    crease_cp_instance *x = crs_cp_instance_new(&r, e);
    if (x && fill_in(c, x, e)) return x;
    crease_cp_instance_free(x);
    return NULL;
}

/* The distance of each row's model from the truth; returns the chosen one's in the least. */
static bool compare(const crease_cp_instance *x, const crease_cp_rank_table *t, double *ratio,
                    crease_error *e)
{
    const crease_space *s = &x->recipe.shape;
    double least = INFINITY, chosen = NAN, *m = crs_doubles(crease_size(s), "a model", e);
    bool done = m;
    for (ptrdiff_t k = 0; done && k < t->count; k++) {
        const double *const *factor = (const double *const *)t->row[k].factor;
        done = crease_cp_lowrank(s, t->row[k].rank, factor, m, e);
        const double error = crease_relative_error(crease_size(s), m, x->lowrank);
        least = smaller(least, error);
        if (t->row[k].rank == t->rank) chosen = error;
    }
    *ratio = chosen / least;
    crs_free(m);
    return done;
}

static bool run_one(void *self, int k, crease_error *e)
{
    const batch *b = self;
    const uint64_t seed = crease_random_bits((crease_random){ b->seed, 1 }, (uint64_t)k);
    crease_cp_instance *x = generate(b->cell, seed, e);
    if (!x) return false;
    const crease_cp_rank_options o = { .high = crs_rank_highest(&b->cell->shape),
                                       .seed = seed,
                                       .threads = 1 };
    const double begun = crs_now();
    crease_cp_rank_table *t = crease_cp_rank_sweep(&b->cell->shape, x->tensor, NULL, &o, e);
    outcome *out = b->out + k;
    if (t)
        *out = (outcome){ t->rank, t->predicts, t->reproduces, 0, t->readings, crs_now() - begun };
    const bool done = t && compare(x, t, &out->ratio, e);
    crease_cp_rank_table_free(t);
    crease_cp_instance_free(x);
    return done;
}

static void head(const crs_study *s)
{
    printf(
        "%d instances per cell, seed %.0f. Ratio: the error of the fit of the rank chosen, in that "
        "of the best rank fitted, geometric mean and largest\n\n",
        s->instances, (double)s->seed);
    printf("| cell | rank | right | otherwise | predict | ratio | largest | passes | ms |\n"
           "|---|---|---|---|---|---|---|---|---|\n");
}

static void show(const crs_study *s, const cell *c, const outcome *out, int *total)
{
    int right = 0, predicts = 0;
    double logs = 0, most = 0, readings = 0, seconds = 0;
    const ptrdiff_t rank = true_rank(c);
    for (int k = 0; k < s->instances; k++) {
        right += out[k].rank == rank;
        predicts += out[k].predicts == rank;
        logs += log(out[k].ratio) / s->instances;
        most = larger(most, out[k].ratio);
        readings += (double)out[k].readings / s->instances;
        seconds += out[k].seconds / s->instances;
    }
    printf("| %s | %td | %d/%d |", c->name, rank, right, s->instances);
    for (int k = 0; k < s->instances; k++)
        if (out[k].rank != rank) printf(" %td", out[k].rank);
    printf(" | %d | %.3f | %.3g | %.0f | %.0f |\n", predicts, exp(logs), most, readings,
           1e3 * seconds);
    fflush(stdout);
    *total += right;
}

static json_t *list_of(int count, const outcome *o)
{
    json_t *list = json_array();
    for (int k = 0; list && k < count; k++, o++)
        json_array_append_new(
            list, json_pack("{s:I, s:I, s:I, s:o, s:I, s:f}", "rank", (json_int_t)o->rank,
                            "predicts", (json_int_t)o->predicts, "reproduces",
                            (json_int_t)o->reproduces, "ratio", crs_study_real(o->ratio),
                            "readings", (json_int_t)o->readings, "seconds", o->seconds));
    return list;
}

static bool run_cells(crs_study *s, crease_error *e)
{
    bool chosen[CELLS];
    int total = 0, tried = 0;
    if (!crs_study_choose(s, CRS_STUDY_CELLS, CELLS, cell_name, chosen, e)) return false;
    outcome *out = crs_alloc((size_t)s->instances, sizeof *out);
    bool done = out || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the outcomes");
    if (done && !s->document) head(s);
    for (int k = 0; done && k < CELLS; k++) {
        batch b = { cells + k, s->seed + (uint64_t)k, out };
        if (!chosen[k]) continue;
        done = crs_trials(s->threads, s->instances, run_one, &b, e);
        if (done && !s->document) show(s, cells + k, out, &total);
        if (done && s->document)
            done = crs_study_append(s,
                                    json_pack("{s:s, s:I, s:o}", "name", cells[k].name, "rank",
                                              (json_int_t)true_rank(cells + k), "runs",
                                              list_of(s->instances, out)),
                                    e);
        tried += s->instances;
    }
    if (done && !s->document) printf("\n%d of %d right\n", total, tried);
    crs_free(out);
    return done;
}

/* Data of a file, and which entries are kept from every choice */
typedef struct {
    crs_array data;
    double *seen; /* NaN where an entry is kept away */
    ptrdiff_t size;
} split;

static void keep_away(split *x, uint64_t seed)
{
    const crease_space *s = &x->data.shape;
    const crease_random single = { seed, STREAM };
    for (ptrdiff_t j = 0; j < x->size; j++)
        x->seen[j] = crease_random_uniform(single, (uint64_t)j) < 0.05 ? NAN : x->data.data[j];
    for (int n = 0; n < s->order; n++) {
        const crease_random fibres = { seed, (uint64_t)(STREAM + 1 + n) };
        ptrdiff_t right = 1;
        for (int m = n + 1; m < s->order; m++) right *= s->dim[m];
        for (ptrdiff_t f = 0; f < x->size / s->dim[n]; f++) {
            const ptrdiff_t base = f / right * s->dim[n] * right + f % right;
            if (crease_random_uniform(fibres, (uint64_t)f) >= 0.05 / s->order) continue;
            for (ptrdiff_t i = 0; i < s->dim[n]; i++) x->seen[base + i * right] = NAN;
        }
    }
}

/* |T - M| of the entries kept away, or of those seen; how many */
static ptrdiff_t residuals(const split *x, const double *m, bool away, double *out)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0; j < x->size; j++)
        if (!isnan(x->data.data[j]) && isnan(x->seen[j]) == away)
            out[count++] = fabs(x->data.data[j] - m[j]);
    return count;
}

/* The median, then that of what is within 2.5 deviations, until it stays */
static double deviation(ptrdiff_t count, double *r, double *work)
{
    double scale = crs_median(count, r) / 0.6745, before = INFINITY;
    for (int k = 0; k < 30 && fabs(scale - before) > 1e-3 * scale; k++) {
        ptrdiff_t inside = 0;
        before = scale;
        for (ptrdiff_t j = 0; j < count; j++)
            if (r[j] <= 2.5 * scale) work[inside++] = r[j];
        scale = crs_median(inside, work) / 0.6645;
    }
    return scale;
}

/* error[k] of every row */
static bool predict(const split *x, const crease_cp_rank_table *t, double *error, crease_error *e)
{
    double *m = crs_doubles(3 * x->size, "a model", e), *r = m + x->size, *work = r + x->size;
    double best = INFINITY, bound = 0;
    bool done = m;
    for (int pass = 0; pass < 2; pass++)
        for (ptrdiff_t k = 0; done && k < t->count; k++) {
            const double *const *factor = (const double *const *)t->row[k].factor;
            double sum = 0;
            done = crease_cp_lowrank(&x->data.shape, t->row[k].rank, factor, m, e);
            const ptrdiff_t count = done ? residuals(x, m, pass == 1, r) : 0;
            if (done && pass == 0 && t->row[k].fitted < best) {
                best = t->row[k].fitted;
                bound = 3 * deviation(count, r, work);
            }
            for (ptrdiff_t j = 0; pass == 1 && j < count; j++) sum += square(smaller(r[j], bound));
            error[k] = sqrt(sum / (double)more(count, 1));
        }
    crs_free(m);
    return done;
}

static void print_file(const crease_cp_rank_table *t, const double *error, uint64_t seed)
{
    double least = INFINITY;
    for (ptrdiff_t k = 0; k < t->count; k++) least = smaller(least, error[k]);
    printf("| %.0f | %td | %td | %td |", (double)seed, t->rank, t->predicts, t->reproduces);
    for (ptrdiff_t k = 0; k < t->count; k++)
        if (t->row[k].rank == t->rank) printf(" %.3f |", error[k] / least);
    for (ptrdiff_t k = 0; k < t->count; k++) printf(" %td: %.3f", t->row[k].rank, error[k] / least);
    printf(" |\n");
    fflush(stdout);
}

/* The rank is chosen, then a few more are fitted beyond those of the search. */
static bool try_file(crs_study *s, split *x, uint64_t seed, crease_error *e)
{
    double error[MOST_RANKS];
    crease_cp_rank_options o = { .high = fewer(MOST_RANKS, crs_rank_highest(&x->data.shape)),
                                 .seed = seed,
                                 .threads = s->threads };
    keep_away(x, seed);
    crease_cp_rank_table *t = crease_cp_rank_sweep(&x->data.shape, x->seen, NULL, &o, e);
    if (!t) return false;
    o.low = 1;
    o.high = fewer(o.high, t->predicts + MORE);
    crease_cp_rank_table *all = crease_cp_rank_sweep(&x->data.shape, x->seen, NULL, &o, e);
    const bool done = all && predict(x, all, error, e);
    if (done) all->rank = t->rank, all->predicts = t->predicts, all->reproduces = t->reproduces;
    if (done) print_file(all, error, seed);
    crease_cp_rank_table_free(all);
    crease_cp_rank_table_free(t);
    return done;
}

static bool run_file(crs_study *s, const char *name, crease_error *e)
{
    split x;
    if (!crs_read_array(name, &x.data, e)) return false;
    x.size = crease_size(&x.data.shape);
    x.seen = crs_doubles(x.size, "the data", e);
    bool done = x.seen;
    printf("%s: error on entries that no choice has seen, in that of the best rank\n\n", name);
    printf("| seed | rank | predict | reproduce | ratio | of every rank "
           "|\n|---|---|---|---|---|---|\n");
    for (int k = 0; done && k < s->instances; k++) done = try_file(s, &x, s->seed + (uint64_t)k, e);
    crs_free(x.seen);
    crs_array_free(&x.data);
    return done;
}

static bool run(crs_study *s, crease_error *e)
{
    const char *name = s->value[CRS_STUDY_DATA];
    return name ? run_file(s, name, e) : run_cells(s, e);
}

const crs_study_verb crs_study_ranks = {
    .name = "ranks",
    .text = "Judge the automatic rank: on generated data of known rank (orders 2 to 6, outliers, "
            "noise, offsets, alike columns, fluorescence), or on a file by entries kept away.",
    .example = "crease-study ranks --cells cube-0 --instances 1",
    .takes = CRS_STUDY_TAKES(CELLS) | CRS_STUDY_TAKES(DATA),
    .least = 1,
    .run = run,
};
