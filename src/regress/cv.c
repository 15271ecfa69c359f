/* SPDX-License-Identifier: MIT
 * cv: K-fold cross-validation over the lambdas of a model
 *
 * A fold's score is the mean deviance of its rows under the path fitted without them. The mean over
 * folds is weighted by their sizes; its standard error is that of K independent scores. */
#include <crease/random.h>

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
    const double *X, *y;
    int *fold;
    double *train, *target, *weight; /* the rows of all folds but one */
    double *score;                   /* folds x path, with the sizes of the folds behind */
} crossing;

static ptrdiff_t gather(const crossing *a, int out)
{
    const ptrdiff_t n = a->m->d.n, p = a->m->d.p;
    ptrdiff_t rows = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (a->fold[i] == out) continue;
        copy(p, a->X + i * p, a->train + rows * p);
        if (a->weight) a->weight[rows] = a->m->d.row[i];
        a->target[rows++] = a->y[i];
    }
    return rows;
}

static void rate(const crossing *a, const crease_regression *f, int out, double *score)
{
    const ptrdiff_t n = a->m->d.n, p = a->m->d.p, path = a->m->s.path;
    const double *v = a->m->d.row;
    double rows = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        if (a->fold[i] == out) rows += v ? v[i] : 1;
    for (ptrdiff_t k = 0; k < path; k++) {
        const crease_regression_solution s = *crease_regression_at(f, k);
        for (ptrdiff_t i = 0; i < n; i++) {
            if (a->fold[i] != out || (v && v[i] == 0)) continue;
            double at = s.intercept;
            for (ptrdiff_t j = 0; j < p; j++)
                if (s.coef[j] != 0) at += s.coef[j] * a->X[i * p + j];
            score[k] += deviance(&a->m->d, a->y[i], at) * (v ? v[i] : 1) / rows;
        }
    }
    score[path] = rows / (double)n;
}

static bool fit_fold(const crossing *a, int out, crease_error *e)
{
    crease_error inner;
    const ptrdiff_t rows = gather(a, out);
    crease_regression_settings s = a->m->s;
    s.row_weight = a->weight;
    crease_regression *f =
        crs_regression_make(&s, rows, a->m->d.p, a->train, a->target, false, &inner);
    if (f) f->deadline = a->m->deadline;
    const bool done = f && crease_regression_fit(f, &inner);
    if (done && !a->m->deadline->ended) rate(a, f, out, a->score + out * (a->m->s.path + 1));
    crease_regression_free(f);
    return done ||
           crs_fail(e, inner.code, "without the rows of fold %d: %.250s; use other folds or none",
                    out + 1, inner.text);
}

static void summarize(const crossing *a, crease_regression_scores *out)
{
    const ptrdiff_t path = out->count;
    for (ptrdiff_t k = 0; k < path; k++) {
        double mean = 0, variance = 0;
        for (int f = 0; f < out->folds; f++) {
            const double *score = a->score + f * (path + 1);
            mean += score[path] * score[k];
        }
        for (int f = 0; f < out->folds; f++) {
            const double *score = a->score + f * (path + 1);
            variance += score[path] * square(score[k] - mean);
        }
        out->mean[k] = mean;
        out->error[k] = sqrt(variance / (out->folds - 1));
        if (mean < out->mean[out->best]) out->best = k;
    }
    const double limit = out->mean[out->best] + out->error[out->best];
    while (out->mean[out->one_se] > limit) out->one_se++;
}

static bool cross(crossing *a, crease_regression_scores *out, uint64_t seed, crease_error *e)
{
    const ptrdiff_t n = a->m->d.n, p = a->m->d.p, path = out->count;
    a->fold = crs_alloc((size_t)n, sizeof *a->fold);
    a->train = crs_doubles(n * p, "the rows of a fold", e);
    a->target = crs_doubles(n, "the rows of a fold", e);
    a->weight = a->m->d.row ? crs_doubles(n, "the rows of a fold", e) : NULL;
    a->score = crs_doubles(out->folds * (path + 1), "the scores", e);
    out->mean = crs_doubles(path, "the scores", e);
    out->error = crs_doubles(path, "the scores", e);
    if (!a->fold || !a->train || !a->target || (a->m->d.row && !a->weight) || !a->score ||
        !out->mean || !out->error)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: cross-validation");
    if (!crease_regression_folds(n, a->y, a->m->d.loss->ops.labels, out->folds, seed, a->fold, e))
        return false;
    for (int f = 0; f < out->folds; f++) {
        if (!fit_fold(a, f, e)) return false;
        if (a->m->deadline->ended) return out->count = 0, true;
    }
    summarize(a, out);
    return true;
}

bool crease_regression_cv(const crease_regression *m, const double *X, const double *y, int folds,
                          uint64_t seed, crease_regression_scores *out, crease_error *e)
{
    crossing a = { .m = m, .X = X, .y = y };
    *out = (crease_regression_scores){ .count = m->s.path, .folds = folds };
    if (folds < 2 || folds > m->d.n)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%d folds of %td rows; give a number of folds from 2 to %td", folds, m->d.n,
                        m->d.n);
    const bool done = cross(&a, out, seed, e);
    crs_free(a.fold);
    crs_free(a.train);
    crs_free(a.target);
    crs_free(a.weight);
    crs_free(a.score);
    return done;
}
