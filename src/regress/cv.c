/* SPDX-License-Identifier: MIT
 * cv: K-fold cross-validation over the lambdas of a path
 *
 * A fold's score is the mean deviance of its rows under the path fitted without them. The mean over
 * folds is weighted by their sizes; its standard error is that of K independent scores, and 0 of
 * one. Folds know nothing of each other: as many as there are threads, and room for, are fitted at
 * once, and the scores are the same for any number. */
#include <crease/random.h>

#include "core/parallel.h"
#include "regress/regress.h"

static double deviance(const crs_design *d, double y, double score)
{
    const double one[CREASE_PARS] = { 1 };
    const double u = d->loss->ops.labels ? (y == 1 ? score : -score) : (score - y) / d->c;
    return 2 * square(d->c) * d->loss->value(one, u);
}

void crease_regression_scores_free(crease_regression_scores *s)
{
    crs_free(s->mean);
    crs_free(s->error);
    *s = (crease_regression_scores){ .mean = NULL };
}

bool crease_regression_folds(ptrdiff_t n, const double *y, bool classes, int folds, uint64_t seed,
                             int *fold, crease_error *e)
{
    if (folds < 2 || folds > n)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%d folds of %td rows; give a number of folds from 2 to %td", folds, n, n);
    ptrdiff_t *order = crs_alloc((size_t)n, sizeof *order), next = 0;
    if (!order) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the folds of %td rows", n);
    crease_random_permutation((crease_random){ seed, 0 }, n, order);
    for (int pass = 0; pass <= classes; pass++)
        for (ptrdiff_t i = 0; i < n; i++)
            if (!classes || (y[order[i]] == 1) == pass) fold[order[i]] = (int)(next++ % folds);
    crs_free(order);
    return true;
}

typedef struct {
    const crease_regression *m;
    const crs_table *X;
    const double *y;
    const int *fold;
    int folds;
    double *score; /* folds x path, with the sizes of the folds behind; */
    char *done;    /* those that are there */
    crs_folds_told told;
    int *next; /* folds that are fitted at once, */
    crease_error *wrong;
    char *state; /* and how each ended */
} crossing;

enum { CUT, FAILED, SCORED };

/* The rows of all folds but one, of a sparse X in train, col and start */
typedef struct {
    double *train, *target, *weight;
    ptrdiff_t *start, *col;
} others;

static void gather_row(const crossing *a, ptrdiff_t i, ptrdiff_t to, const others *o)
{
    const crease_csr_matrix *X = a->X->sparse;
    const ptrdiff_t count = X->start[i + 1] - X->start[i], at = o->start[to];
    copy(count, X->value + X->start[i], o->train + at);
    for (ptrdiff_t k = 0; k < count; k++) o->col[at + k] = X->col[X->start[i] + k];
    o->start[to + 1] = at + count;
}

static double predicted(const crossing *a, const crease_regression_solution *s, ptrdiff_t i)
{
    const crease_csr_matrix *X = a->X->sparse;
    const ptrdiff_t p = a->X->p;
    double at = s->intercept;
    for (ptrdiff_t k = X ? X->start[i] : 0; X && k < X->start[i + 1]; k++)
        at += s->coef[X->col[k]] * X->value[k];
    for (ptrdiff_t j = 0; !X && j < p; j++)
        if (s->coef[j] != 0) at += s->coef[j] * a->X->dense[i * p + j];
    return at;
}

static ptrdiff_t gather(const crossing *a, int out, const others *o)
{
    const ptrdiff_t n = a->m->d.n, p = a->m->d.p;
    ptrdiff_t rows = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (a->fold[i] == out) continue;
        if (a->X->sparse)
            gather_row(a, i, rows, o);
        else
            copy(p, a->X->dense + i * p, o->train + rows * p);
        if (o->weight) o->weight[rows] = a->m->d.row[i];
        o->target[rows++] = a->y[i];
    }
    return rows;
}

static ptrdiff_t entries_of(const crossing *a)
{
    return a->X->sparse ? a->X->sparse->start[a->X->n] : a->X->n * a->X->p;
}

static void free_others(const others *o)
{
    crs_free(o->start);
    crs_free(o->col);
    crs_free(o->train);
    crs_free(o->target);
    crs_free(o->weight);
}

static bool allocate_others(const crossing *a, others *o, crease_error *e)
{
    const ptrdiff_t n = a->X->n, entries = entries_of(a);
    const bool sparse = a->X->sparse, weighted = a->m->d.row;
    *o = (others){ .train = crs_alloc((size_t)entries, sizeof *o->train),
                   .target = crs_alloc((size_t)n, sizeof *o->target),
                   .weight = weighted ? crs_alloc((size_t)n, sizeof *o->weight) : NULL,
                   .start = sparse ? crs_alloc((size_t)n + 1, sizeof *o->start) : NULL,
                   .col = sparse ? crs_alloc((size_t)entries, sizeof *o->col) : NULL };
    if (o->train && o->target && (!weighted || o->weight) && (!sparse || (o->start && o->col)))
        return true;
    free_others(o);
    return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the rows of a fold");
}

/* A model of all rows but those of a fold, which has copied what it needs of them. */
static crease_regression *model_without(const crossing *a, int out, crease_error *e)
{
    others o;
    if (!allocate_others(a, &o, e)) return NULL;
    const ptrdiff_t rows = gather(a, out, &o);
    crease_regression_settings s = a->m->s;
    s.row_weight = o.weight;
    s.watch = &a->m->deadline->watch; /* whose limit holds */
    s.max_seconds = INFINITY;
    const crease_csr_matrix part = { rows, a->X->p, o.start, o.col, o.train };
    const crs_table X = { .n = rows,
                          .p = a->X->p,
                          .dense = a->X->sparse ? NULL : o.train,
                          .sparse = a->X->sparse ? &part : NULL,
                          .given = a->X->sparse ? NULL : &o.train };
    crease_regression *f = crs_regression_make(&s, &X, o.target, false, e);
    free_others(&o);
    return f;
}

static void rate(const crossing *a, const crease_regression *f, int out, double *score)
{
    const ptrdiff_t n = a->m->d.n, path = a->m->s.path;
    const double *v = a->m->d.row;
    double rows = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        if (a->fold[i] == out) rows += v ? v[i] : 1;
    for (ptrdiff_t k = 0; k < path; k++) {
        const crease_regression_solution s = *crease_regression_at(f, k);
        for (ptrdiff_t i = 0; i < n; i++) {
            if (a->fold[i] != out || (v && v[i] == 0)) continue;
            const double at = predicted(a, &s, i);
            score[k] += deviance(&a->m->d, a->y[i], at) * (v ? v[i] : 1) / rows;
        }
    }
    score[path] = rows / (double)n;
}

static void fit_fold(void *self, ptrdiff_t task, int worker)
{
    crossing *a = self;
    const int out = a->next[task];
    crease_error *e = &a->wrong[task];
    (void)worker;
    crease_regression *f = model_without(a, out, e);
    if (f) f->among = &a->told;
    const bool done = f && crease_regression_fit(f, e);
    a->state[task] = !done ? FAILED : f->own.ended ? CUT : SCORED;
    if (a->state[task] == SCORED) rate(a, f, out, a->score + out * (a->m->s.path + 1));
    crease_regression_free(f);
}

/* As many folds as there are threads, whose models fill at most half of what is free. */
static int at_once(const crossing *a)
{
    const double entries = (double)entries_of(a), lambdas = (double)a->m->s.path;
    const double bytes = (a->X->sparse ? 48 : 8) * entries + 16 * lambdas * (double)a->X->p;
    const double work = smaller(entries * lambdas, 0x1p60), room = crs_memory_free() / 2 / bytes;
    const int threads = crs_useful_threads(a->m->s.threads, (ptrdiff_t)work);
    return room >= threads ? threads : room > 1 ? (int)room : 1;
}

static void say_folds(const crossing *a, int count)
{
    crease_watch *w = &a->m->deadline->watch;
    const int first = a->next[0] + 1, last = a->next[count - 1] + 1;
    if (count == 1)
        crs_watch_say(w, "fold %d of %d", first, a->folds);
    else
        crs_watch_say(w, "folds %d to %d of %d", first, last, a->folds);
}

static void visit_folds(crs_visitor *v, void *of)
{
    const crossing *a = of;
    crs_visits(v, a->done, a->folds);
    crs_visits(v, a->score, a->folds * (a->m->s.path + 1));
}

/* The next folds; false with a sentence, or when they were cut. */
static bool step(crossing *a, int most, crease_error *e)
{
    int count = 0;
    for (int f = 0; f < a->folds && count < most; f++)
        if (!a->done[f]) a->next[count++] = f;
    say_folds(a, count);
    crs_parallel_runs(count, count, fit_fold, a);
    for (int k = 0; k < count; k++) {
        if (a->state[k] == FAILED)
            return crs_fail(e, a->wrong[k].code,
                            "without the rows of fold %d: %.250s; use other folds or none",
                            a->next[k] + 1, a->wrong[k].text);
        if (a->state[k] == CUT) a->m->deadline->ended = true;
        a->done[a->next[k]] = a->state[k] == SCORED;
    }
    return !a->m->deadline->ended;
}

/* All folds, as one unit of a checkpoint: of what it was cut in, only whole folds are kept. */
static bool fit_folds(crossing *a, crease_error *e)
{
    crease_watch *w = &a->m->deadline->watch;
    const int most = at_once(a);
    if (crs_unit_begin(w, "folds", CRS_UNIT_LOOP, visit_folds, a) == CRS_UNIT_DONE) return true;
    for (;; crs_unit_tick(w)) {
        int left = 0;
        for (int f = 0; f < a->folds; f++) left += !a->done[f];
        atomic_store(&a->told.done, (a->folds - left) * (long)a->m->s.path);
        if (left == 0) return crs_unit_end(w), true;
        if (!step(a, most, e)) return crs_unit_drop(w), a->m->deadline->ended;
    }
}

void crs_scores_summarize(const double *scores, crease_regression_scores *out)
{
    const ptrdiff_t path = out->count;
    double all = 0; /* but for rounding 1, unless some rows are never left out */
    for (int f = 0; f < out->folds; f++) all += scores[f * (path + 1) + path];
    for (ptrdiff_t k = 0; k < path; k++) {
        double mean = 0, variance = 0;
        for (int f = 0; f < out->folds; f++) {
            const double *score = scores + f * (path + 1);
            mean += score[path] / all * score[k];
        }
        for (int f = 0; f < out->folds; f++) {
            const double *score = scores + f * (path + 1);
            variance += score[path] / all * square(score[k] - mean);
        }
        out->mean[k] = mean;
        out->error[k] = out->folds > 1 ? sqrt(variance / (out->folds - 1)) : 0;
        if (mean < out->mean[out->best]) out->best = k;
    }
    const double limit = out->mean[out->best] + out->error[out->best];
    while (out->mean[out->one_se] > limit) out->one_se++;
}

static bool cross(crossing *a, crease_regression_scores *out, crease_error *e)
{
    const ptrdiff_t path = out->count;
    const size_t folds = (size_t)a->folds;
    a->told.of = (double)a->folds * (double)path;
    a->score = crs_doubles(a->folds * (path + 1), "the scores", e);
    a->done = crs_alloc(folds, sizeof *a->done);
    a->next = crs_alloc(folds, sizeof *a->next);
    a->wrong = crs_alloc(folds, sizeof *a->wrong);
    a->state = crs_alloc(folds, sizeof *a->state);
    out->mean = crs_doubles(path, "the scores", e);
    out->error = crs_doubles(path, "the scores", e);
    if (!a->score || !a->done || !a->next || !a->wrong || !a->state || !out->mean || !out->error)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: cross-validation");
    if (!fit_folds(a, e)) return false;
    if (a->m->deadline->ended) return out->count = 0, true;
    crs_scores_summarize(a->score, out);
    return true;
}

/* Is every row of a fold, or of none, has every fold a row, and one of them a weight? */
static bool check_folds(const crease_regression *m, int folds, const int *fold, crease_error *e)
{
    const ptrdiff_t n = m->d.n;
    char *met = crs_alloc((size_t)folds, 1);
    if (!met) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %d folds", folds);
    ptrdiff_t i = 0;
    int empty = 0;
    bool some = false;
    for (; i < n && fold[i] >= -1 && fold[i] < folds; i++) {
        if (fold[i] < 0) continue;
        met[fold[i]] = 1;
        some = some || !m->d.row || m->d.row[i] > 0;
    }
    while (empty < folds && met[empty]) empty++;
    crs_free(met);
    if (i < n)
        return crs_fail(e, CREASE_BAD_DATA,
                        "the fold of row %td is %d; give numbers from 0 to %d, or -1 for a row "
                        "that is never left out",
                        i + 1, fold[i], folds - 1);
    if (empty < folds)
        return crs_fail(e, CREASE_BAD_DATA,
                        "no row is of fold %d; number the folds 0, 1, 2, ... without a gap", empty);
    return some || crs_fail(e, CREASE_BAD_DATA,
                            "every row that is left out has the weight 0; leave out others");
}

static bool cross_table(const crease_regression *m, const crs_table *X, const double *y, int folds,
                        const int *fold, crease_regression_scores *out, crease_error *e)
{
    crossing a = { .m = m, .X = X, .y = y, .fold = fold, .folds = folds };
    *out = (crease_regression_scores){ .count = m->s.path, .folds = folds };
    if (folds < 1 || folds > m->d.n)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%d folds of %td rows; give a number of folds from 1 to %td", folds, m->d.n,
                        m->d.n);
    if (!check_folds(m, folds, fold, e)) return false;
    const bool done = cross(&a, out, e);
    crs_free(a.done);
    crs_free(a.next);
    crs_free(a.wrong);
    crs_free(a.state);
    crs_free(a.score);
    return done;
}

bool crease_regression_cv_by(const crease_regression *m, const double *X, const double *y,
                             int folds, const int *fold, crease_regression_scores *out,
                             crease_error *e)
{
    const crs_table all = { .n = m->d.n, .p = m->d.p, .dense = X };
    return cross_table(m, &all, y, folds, fold, out, e);
}

bool crease_regression_cv_sparse(const crease_regression *m, const crease_csr_matrix *X,
                                 const double *y, int folds, const int *fold,
                                 crease_regression_scores *out, crease_error *e)
{
    const crs_table all = { .n = m->d.n, .p = m->d.p, .sparse = X };
    return cross_table(m, &all, y, folds, fold, out, e);
}

bool crease_regression_cv(const crease_regression *m, const double *X, const double *y, int folds,
                          uint64_t seed, crease_regression_scores *out, crease_error *e)
{
    *out = (crease_regression_scores){ .count = m->s.path, .folds = folds };
    int *fold = crs_alloc((size_t)m->d.n, sizeof *fold);
    if (!fold) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the folds of %td rows", m->d.n);
    const bool done =
        crease_regression_folds(m->d.n, y, m->d.loss->ops.labels, folds, seed, fold, e) &&
        crease_regression_cv_by(m, X, y, folds, fold, out, e);
    crs_free(fold);
    return done;
}
