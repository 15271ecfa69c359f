/* SPDX-License-Identifier: MIT
 * path: a penalized regression: its building, the lambdas of its path, and the solutions along it,
 * each from its neighbour, until the caller or the clock ends them; K-fold cross-validation over
 * its lambdas
 *
 * A fold's score is the mean deviance of its rows under the path fitted without them. The mean over
 * folds is weighted by their sizes; its standard error is that of K independent scores, and 0 of
 * one. */
#include <crease/random.h>

#include "regress/regress.h"

void crease_regression_stop(crease_regression *m) { crease_watch_stop(&m->own.watch); }

bool crease_regression_stopped(const crease_regression *m) { return m->own.ended; }

/* An ascending path was solved from its end: that becomes the front. */
void crs_regression_cut(crease_regression *m, ptrdiff_t solved)
{
    const ptrdiff_t first = m->s.ascending ? m->s.path - solved : 0;
    m->s.path = solved;
    m->deadline->ended = true;
    copy(solved, m->lambda + first, m->lambda);
    copy(solved * m->d.cols, m->point + first * m->d.cols, m->point);
    copy(solved * m->d.p, m->coef + first * m->d.p, m->coef);
    for (ptrdiff_t k = 0; k < solved; k++) {
        m->solution[k] = m->solution[first + k];
        m->solution[k].coef = m->coef + k * m->d.p;
        if (m->block) m->block[k] = m->block[first + k];
    }
}

/* With every unit that has a weight held at 0: lambda_max, and |gradient at b = 0|. */
static bool null_model(crease_regression *m, crease_error *e)
{
    crs_descent *t = m->descent;
    m->first_gradient = crs_descent_gradient(t);
    t->tolerance = m->s.eps * m->first_gradient / 2;
    t->finest = 0x1p-44 * m->first_gradient;
    if (m->s.penalty.penalty->convex && m->d.loss->low >= 0) t->near = CRS_NEAR * m->s.eps;
    t->max_sweeps = 10000;
    t->value.rho = m->s.penalty.penalty;
    crs_penalty_at(&m->s.penalty, 1, t->value.par);
    m->lambda_max = crs_descent_lambda_max(t, &m->s.penalty);
    return isfinite(m->lambda_max) ||
           crs_fail(e, CREASE_NUMERICAL_FAILURE, "lambda_max is not finite; rescale the data");
}

static bool choose_lambdas(crease_regression *m, crease_error *e)
{
    crease_regression_settings *s = &m->s;
    if (!null_model(m, e)) return false;
    if (s->ratio == 0) s->ratio = m->d.n < m->d.p ? 0.05 : 0.001;
    const double first = m->lambda_max > 0 ? m->lambda_max : 1;
    for (ptrdiff_t k = 0; k < s->path; k++) {
        const double at = s->path > 1 ? (double)k / (double)(s->path - 1) : 0;
        m->lambda[k] = s->lambda ? s->lambda[k] : first * pow(s->ratio, at);
    }
    s->lambda = m->lambda;
    return true;
}

/* b in the problem's order and for X itself. */
static void record(crease_regression *m, ptrdiff_t k)
{
    const crs_design *d = &m->d;
    crs_descent *t = m->descent;
    crease_regression_solution *out = &m->solution[k];
    double *point = m->point + k * d->cols, *coef = m->coef + k * d->p;
    *out =
        (crease_regression_solution){ .lambda = m->lambda[k], .coef = coef, .sweeps = t->sweeps };
    out->intercept = d->y_center;
    for (ptrdiff_t j = 0; j < d->cols; j++) {
        const ptrdiff_t at = d->column[j];
        point[at] = t->b[j];
        if (at == d->p) {
            out->intercept += d->one * t->b[j];
            continue;
        }
        coef[at] = t->b[j] / d->spread[at];
        out->nonzero += t->b[j] != 0;
        out->intercept -= coef[at] * d->center[at];
    }
    const double loss = crs_loss_sum(d, t->e) * square(d->c) / (double)d->n;
    out->deviance = 2 * loss;
    out->objective = loss + crs_units_value(t) * square(d->c);
}

static bool check_finite(const crease_regression *m, ptrdiff_t k, crease_error *e)
{
    if (!crs_all_finite(m->d.cols, crease_regression_point(m, k)))
        return crs_fail(e, CREASE_NUMERICAL_FAILURE,
                        "the coefficients at lambda = %g are not finite; rescale the data",
                        m->lambda[k]);
    const crease_regression_solution *s = &m->solution[k];
    for (ptrdiff_t j = 0; j < m->d.p; j++)
        if (!isfinite(s->coef[j]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "the coefficient of column %td is too large for a number; rescale the "
                            "column",
                            j + 1);
    return isfinite(s->intercept) ||
           crs_fail(e, CREASE_BAD_DATA, "the intercept is too large for a number; rescale X");
}

/* The i-th solution is there, of lambda k; those of folds are told as a part of the whole. */
static void tell(crease_regression *m, ptrdiff_t i, ptrdiff_t k)
{
    crs_deadline *d = m->deadline;
    const crease_progress row = { .iteration = (long)(k + 1),
                                  .objective = m->solution[k].objective,
                                  .feasibility = NAN,
                                  .worst = NAN,
                                  .worst_relative = NAN,
                                  .theta = NAN,
                                  .potential = NAN };
    if (d != &m->own) {
        crs_watch_part(&d->watch, (double)(d->before + i), (double)d->of);
        return;
    }
    crs_watch_part(&d->watch, (double)(i + 1), (double)m->s.path);
    crs_watch_say(&d->watch, "lambda %td of %td", i + 1, m->s.path);
    crs_watch_tell(&d->watch, &row);
}

/* The lambdas from m->solved on */
static bool walk(crease_regression *m, crease_error *e)
{
    const ptrdiff_t path = m->s.path;
    crs_descent *t = m->descent;
    for (; m->solved < path; crs_unit_tick(&m->deadline->watch)) {
        const ptrdiff_t i = m->solved++, k = m->s.ascending ? path - 1 - i : i;
        crs_penalty_at(&m->s.penalty, m->lambda[k], t->value.par);
        const bool converged = crs_descent_solve(t);
        record(m, k);
        m->solution[k].converged = converged;
        tell(m, i, k);
        if (!check_finite(m, k, e)) return false;
        if ((i + 1 < path || !converged) && deadline_met(m->deadline))
            return crs_regression_cut(m, i + 1), true;
    }
    return true;
}

static void visit_path(crs_visitor *v, void *model)
{
    crease_regression *m = model;
    crs_visit(v, m->solved);
    crs_visits(v, m->point, m->s.path * m->d.cols);
    crs_visits(v, m->coef, m->s.path * m->d.p);
    crs_descent_visit(v, m->descent);
    for (ptrdiff_t k = 0; k < m->s.path; k++) {
        crease_regression_solution *at = &m->solution[k];
        at->coef = m->coef + k * m->d.p;
        crs_visit(v, at->lambda);
        crs_visit(v, at->intercept);
        crs_visit(v, at->nonzero);
        crs_visit(v, at->objective);
        crs_visit(v, at->deviance);
        crs_visit(v, at->sweeps);
        crs_visit(v, at->converged);
    }
}

bool crease_regression_fit(crease_regression *m, crease_error *e)
{
    crs_descent *t = m->descent;
    t->max_sweeps = m->s.max_sweeps;
    t->deadline = m->deadline;
    if (m->deadline == &m->own) {
        crs_watch_restart(&m->own.watch);
        crease_watch_limit(&m->own.watch, m->s.max_seconds);
    }
    crease_watch *w = &m->deadline->watch;
    m->solved = 0;
    if (crs_unit_begin(w, "path", CRS_UNIT_LOOP, visit_path, m) == CRS_UNIT_DONE) return true;
    const bool done = walk(m, e);
    (done && m->solved == m->s.path ? crs_unit_end : crs_unit_drop)(w);
    return done;
}

void crease_regression_init(crease_regression_settings *s, size_t size)
{
    const crease_regression_settings own = { .standardize = true,
                                             .intercept = true,
                                             .path = 100,
                                             .eps = 1e-6,
                                             .max_sweeps = 100000,
                                             .max_seconds = INFINITY };
    crs_settings_give(s, size, &own, sizeof own);
}

void crease_regression_free(crease_regression *m)
{
    if (!m) return;
    crs_free(m->d.memory);
    crs_descent_free(m->descent);
    crs_free(m->rows);
    crs_free((void *)m->csr.start);
    crs_free((void *)m->csr.col);
    crs_free((void *)m->csr.value);
    crs_free((void *)m->shifts.u);
    crs_free((void *)m->shifts.v);
    crs_free(m->point);
    crs_free(m->coef);
    crs_free(m->weight);
    crs_free(m->lambda);
    crs_free(m->block);
    crs_free(m->problem);
    crs_free(m->solution);
    crs_free(m);
}

double crease_regression_size(ptrdiff_t n, ptrdiff_t p, ptrdiff_t path)
{
    const double rows = (double)n, cols = (double)p + 1, lambdas = (double)path;
    const double gram = smaller(cols, 2000);
    return 2 * rows * cols + 2 * lambdas * cols + 2 * gram * gram + 16 * (rows + cols) +
           64 * lambdas;
}

static bool allocate(crease_regression *m, crease_error *e)
{
    const ptrdiff_t path = m->s.path;
    m->lambda = crs_doubles(path, "the lambdas", e);
    m->point = crs_doubles(path * m->d.cols, "the solutions", e);
    m->coef = crs_doubles(path * m->d.p, "the coefficients", e);
    m->solution = crs_alloc((size_t)path, sizeof *m->solution);
    m->descent = crs_descent_new(&m->d, e);
    return (m->lambda && m->point && m->coef && m->solution && m->descent) ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: a path of %td lambdas", path);
}

static bool build(crease_regression *m, const crs_table *X, const double *y, bool problems,
                  crease_error *e)
{
    return crs_design_new(&m->d, &m->s, X, y, e) && allocate(m, e) && choose_lambdas(m, e) &&
           (!problems || crs_regression_problems(m, e));
}

/* A model, with its problems or, for cross-validation, without. */
static crease_regression *make(const crease_regression_settings *s, const crs_table *X,
                               const double *y, bool problems, crease_error *e)
{
    const ptrdiff_t p = X->p;
    ptrdiff_t entries;
    if (!crs_regression_check(s, X, y, e)) return NULL;
    if (!crs_mul_size(s->path, 8 * (p + 1), &entries)) {
        crs_fail(e, CREASE_BAD_SHAPE, "%td solutions of %td numbers are too many", s->path, p);
        return NULL;
    }
    crease_regression *m = crs_alloc(1, sizeof *m);
    if (!m) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a regression");
        return NULL;
    }
    m->s = *s;
    m->deadline = &m->own;
    crs_watch_begin(&m->own.watch, s->watch);
    if (!s->penalty.ops) m->s.penalty = crease_l1(1);
    if (build(m, X, y, problems, e)) {
        m->s.loss_scale = m->d.c;
        m->s.row_weight = m->d.row;
        return m;
    }
    crease_regression_free(m);
    return NULL;
}

crease_regression *crease_regression_new(const crease_regression_settings *s, ptrdiff_t n,
                                         ptrdiff_t p, const double *X, const double *y,
                                         crease_error *e)
{
    crease_regression_settings own = crease_regression_default();
    if (!crs_settings_take("regression", &own, sizeof own, s, e)) return NULL;
    const crs_table all = { .n = n, .p = p, .dense = X };
    return make(&own, &all, y, true, e);
}

crease_regression *crease_regression_new_sparse(const crease_regression_settings *s,
                                                const crease_csr_matrix *X, const double *y,
                                                crease_error *e)
{
    crease_regression_settings own = crease_regression_default();
    if (!crs_settings_take("regression", &own, sizeof own, s, e)) return NULL;
    const crs_table all = { .n = X->rows, .p = X->cols, .sparse = X };
    return make(&own, &all, y, true, e);
}

double crease_regression_lambda_max(const crease_regression *m) { return m->lambda_max; }
const crease_regression_settings *crease_regression_used(const crease_regression *m)
{
    return &m->s;
}

ptrdiff_t crease_regression_constant(const crease_regression *m, ptrdiff_t *first)
{
    ptrdiff_t count = 0, least = -1;
    for (ptrdiff_t j = 0; j < m->d.cols; j++) {
        if (m->d.size[j] > 0) continue;
        if (count++ == 0 || m->d.column[j] < least) least = m->d.column[j];
    }
    if (first) *first = least;
    return count;
}

const crease_regression_solution *crease_regression_at(const crease_regression *m, ptrdiff_t k)
{
    return m->solution + k;
}

const double *crease_regression_point(const crease_regression *m, ptrdiff_t k)
{
    return m->point + k * m->d.cols;
}

const crease_problem *crease_regression_problem(const crease_regression *m, ptrdiff_t k)
{
    return m->problem + k;
}

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
    double *train, *target, *weight; /* the rows of all folds but one; */
    ptrdiff_t *start, *col;          /* of a sparse X, with train for values */
    double *score;                   /* folds x path, with the sizes of the folds behind */
    int out;                         /* the fold at hand */
} crossing;

static void gather_row(const crossing *a, ptrdiff_t i, ptrdiff_t to)
{
    const crease_csr_matrix *X = a->X->sparse;
    const ptrdiff_t count = X->start[i + 1] - X->start[i], at = a->start[to];
    copy(count, X->value + X->start[i], a->train + at);
    for (ptrdiff_t k = 0; k < count; k++) a->col[at + k] = X->col[X->start[i] + k];
    a->start[to + 1] = at + count;
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

static ptrdiff_t gather(const crossing *a, int out)
{
    const ptrdiff_t n = a->m->d.n, p = a->m->d.p;
    ptrdiff_t rows = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (a->fold[i] == out) continue;
        if (a->X->sparse)
            gather_row(a, i, rows);
        else
            copy(p, a->X->dense + i * p, a->train + rows * p);
        if (a->weight) a->weight[rows] = a->m->d.row[i];
        a->target[rows++] = a->y[i];
    }
    return rows;
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

static void visit_fold(crs_visitor *v, void *of)
{
    const crossing *a = of;
    crs_visits(v, a->score + a->out * (a->m->s.path + 1), a->m->s.path + 1);
}

static bool fit_fold(const crossing *a, int out, crease_error *e)
{
    crease_error inner;
    const ptrdiff_t rows = gather(a, out);
    crease_regression_settings s = a->m->s;
    s.row_weight = a->weight;
    const crease_csr_matrix part = { rows, a->X->p, a->start, a->col, a->train };
    const crs_table X = { .n = rows,
                          .p = a->X->p,
                          .dense = a->X->sparse ? NULL : a->train,
                          .sparse = a->X->sparse ? &part : NULL };
    crease_regression *f = make(&s, &X, a->target, false, &inner);
    if (f) f->deadline = a->m->deadline;
    const bool done = f && crease_regression_fit(f, &inner);
    if (done && !a->m->deadline->ended) rate(a, f, out, a->score + out * (a->m->s.path + 1));
    crease_regression_free(f);
    return done ||
           crs_fail(e, inner.code, "without the rows of fold %d: %.250s; use other folds or none",
                    out + 1, inner.text);
}

/* The fold at hand, as a unit of a checkpoint */
static bool cross_fold(crossing *a, crease_error *e)
{
    crease_watch *w = &a->m->deadline->watch;
    if (crs_unit_begin(w, "fold", CRS_UNIT_WHOLE, visit_fold, a) == CRS_UNIT_DONE) return true;
    const bool done = fit_fold(a, a->out, e);
    (done && !a->m->deadline->ended ? crs_unit_end : crs_unit_drop)(w);
    return done;
}

static void summarize(const crossing *a, crease_regression_scores *out)
{
    const ptrdiff_t path = out->count;
    double all = 0; /* but for rounding 1, unless some rows are never left out */
    for (int f = 0; f < out->folds; f++) all += a->score[f * (path + 1) + path];
    for (ptrdiff_t k = 0; k < path; k++) {
        double mean = 0, variance = 0;
        for (int f = 0; f < out->folds; f++) {
            const double *score = a->score + f * (path + 1);
            mean += score[path] / all * score[k];
        }
        for (int f = 0; f < out->folds; f++) {
            const double *score = a->score + f * (path + 1);
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
    const ptrdiff_t n = a->m->d.n, path = out->count;
    const ptrdiff_t entries = a->X->sparse ? a->X->sparse->start[n] : n * a->X->p;
    a->train = crs_doubles(entries, "the rows of a fold", e);
    a->start = crs_alloc(a->X->sparse ? (size_t)n + 1 : 0, sizeof *a->start);
    a->col = crs_alloc(a->X->sparse ? (size_t)entries : 0, sizeof *a->col);
    a->target = crs_doubles(n, "the rows of a fold", e);
    a->weight = a->m->d.row ? crs_doubles(n, "the rows of a fold", e) : NULL;
    a->score = crs_doubles(out->folds * (path + 1), "the scores", e);
    out->mean = crs_doubles(path, "the scores", e);
    out->error = crs_doubles(path, "the scores", e);
    if (!a->start || !a->col || !a->train || !a->target || (a->m->d.row && !a->weight) ||
        !a->score || !out->mean || !out->error)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: cross-validation");
    for (int f = 0; f < out->folds; f++) {
        a->m->deadline->before = f * path;
        a->m->deadline->of = out->folds * path;
        crs_watch_say(&a->m->deadline->watch, "fold %d of %d", f + 1, out->folds);
        a->out = f;
        if (!cross_fold(a, e)) return false;
        if (a->m->deadline->ended) return out->count = 0, true;
    }
    summarize(a, out);
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
    crossing a = { .m = m, .X = X, .y = y, .fold = fold };
    *out = (crease_regression_scores){ .count = m->s.path, .folds = folds };
    if (folds < 1 || folds > m->d.n)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%d folds of %td rows; give a number of folds from 1 to %td", folds, m->d.n,
                        m->d.n);
    if (!check_folds(m, folds, fold, e)) return false;
    const bool done = cross(&a, out, e);
    crs_free(a.start);
    crs_free(a.col);
    crs_free(a.train);
    crs_free(a.target);
    crs_free(a.weight);
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
