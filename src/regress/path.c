/* SPDX-License-Identifier: MIT
 * path: a penalized regression: its building, the lambdas of its path, and the solutions along it,
 * each from its neighbour, until the caller or the clock ends them */
#include "regress/regress.h"

void crease_regression_stop(crease_regression *m) { crease_watch_stop(&m->own.watch); }

bool crease_regression_stopped(const crease_regression *m) { return m->own.ended; }

static void free_known(crease_regression *m)
{
    crs_free(m->images);
    crs_free(m->slopes);
    crs_free(m->gradients);
    crs_free(m->seen);
    m->images = m->slopes = m->gradients = NULL;
    m->seen = NULL;
}

/* An ascending path was solved from its end: that becomes the front. */
void crs_regression_cut(crease_regression *m, ptrdiff_t solved)
{
    const ptrdiff_t first = m->s.ascending ? m->s.path - solved : 0;
    m->s.path = solved;
    free_known(m);
    m->own.ended = true;
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

bool crs_regression_lambdas(crease_regression *m, crease_error *e)
{
    crease_regression_settings *s = &m->s;
    if (!m->on && !null_model(m, e)) return false;
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

bool crs_regression_finite(const crease_regression *m, ptrdiff_t k, crease_error *e)
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
void crs_regression_tell(crease_regression *m, ptrdiff_t i, ptrdiff_t k)
{
    crease_watch *w = &m->own.watch;
    const crease_progress row = { .iteration = (long)(k + 1),
                                  .objective = m->solution[k].objective,
                                  .feasibility = NAN,
                                  .worst = NAN,
                                  .worst_relative = NAN,
                                  .theta = NAN,
                                  .potential = NAN };
    if (m->among) {
        const double done = 1 + (double)atomic_fetch_add(&m->among->done, 1);
        crs_watch_part(w, done, m->among->of);
        return;
    }
    crs_watch_part(w, (double)(i + 1), (double)m->s.path);
    crs_watch_say(w, "lambda %td of %td", i + 1, m->s.path);
    crs_watch_tell(w, &row);
}

/* Which lambda is the i-th to be solved */
static ptrdiff_t turn_of(const crease_regression *m, ptrdiff_t i)
{
    return m->s.ascending ? m->s.path - 1 - i : i;
}

static void solve(crease_regression *m, ptrdiff_t k)
{
    crs_penalty_at(&m->s.penalty, m->lambda[k], m->descent->value.par);
    const bool converged = crs_descent_solve(m->descent);
    record(m, k);
    m->solution[k].converged = converged;
}

static ptrdiff_t double_of(ptrdiff_t stride)
{
    return 2 * stride < CRS_AHEAD ? 2 * stride : CRS_AHEAD;
}

/* From the i-th on so many lambdas are near one another: columns that their solutions need and none
 * before are few. Where many are in use already, looking at all costs little beside the rest. */
static ptrdiff_t near_ones(const crease_regression *m, ptrdiff_t i)
{
    enum { SHARE = 4 };
    const double step = 0.85, whole = 0.6;
    const ptrdiff_t before = i > 0 ? turn_of(m, i - 1) : -1;
    const double from = i > 0 ? m->lambda[before] : m->lambda_max;
    ptrdiff_t count = 0;
    if (!m->images || (i > 0 && SHARE * m->solution[before].nonzero > m->d.p)) return 0;
    for (double last = from; count < m->stride && i + count < m->s.path; count++) {
        const double now = m->lambda[turn_of(m, i + count)];
        if (!(now > step * last && last > step * now)) break;
        if (!(now > whole * from && from > whole * now)) break;
        last = now;
    }
    return count;
}

/* The descent goes on from solution k, whose scores and gradient are at `at`. */
static void go_on(crease_regression *m, ptrdiff_t k, ptrdiff_t at)
{
    const crs_design *d = &m->d;
    crs_descent_go(m->descent, crease_regression_point(m, k), m->images + at * d->n,
                   m->gradients + at * d->cols);
}

/* Is a column missing in solution k, whose gradient is at `at`? */
static bool lacks(crease_regression *m, ptrdiff_t k, ptrdiff_t at)
{
    crs_penalty_at(&m->s.penalty, m->lambda[k], m->descent->value.par);
    return m->solution[k].converged && crs_descent_go(m->descent, crease_regression_point(m, k),
                                                      NULL, m->gradients + at * m->d.cols);
}

/* Solution k, looking at all columns */
static void mend(crease_regression *m, ptrdiff_t k, ptrdiff_t at)
{
    const long sweeps = m->solution[k].sweeps;
    go_on(m, k, at);
    m->descent->max_sweeps -= sweeps;
    solve(m, k);
    m->descent->max_sweeps += sweeps;
    m->solution[k].sweeps += sweeps;
    if (m->seen) m->seen[k] = 0;
}

/* Of `done` solutions from the i-th on, which were looked at together, the first of them at `at`:
 * those that lack a column are mended, or, where that may lead to another minimum than from the
 * solution before it, left to be found from that, with all that follow. How many are there then. */
static ptrdiff_t keep(crease_regression *m, ptrdiff_t i, ptrdiff_t done, ptrdiff_t first,
                      ptrdiff_t at)
{
    const bool convex = m->s.penalty.penalty->convex && m->d.loss->low >= 0;
    bool last = false, any = false, left = false;
    ptrdiff_t good = 0;
    for (; good < done; good++) {
        const ptrdiff_t k = turn_of(m, i + good);
        last = lacks(m, k, at + k - first);
        any = any || last;
        left = last && !convex && i + good > 0;
        if (left) break;
        if (last) mend(m, k, at + k - first);
    }
    for (ptrdiff_t c = good; c < done && m->seen; c++) m->seen[turn_of(m, i + c)] = 0;
    m->stride = left ? 1 : any ? good / 2 + 1 : double_of(m->stride);
    const ptrdiff_t end = turn_of(m, i + good - 1);
    const bool there = good > 0 && (left || !last);
    go_on(m, end, there ? at + end - first : crs_known_look(m, end, 1));
    return good;
}

/* The `count` lambdas from the i-th on, looking at few columns: those that were left out are looked
 * at in one reading for all. How many there are then. */
static ptrdiff_t solve_ahead(crease_regression *m, ptrdiff_t i, ptrdiff_t count)
{
    crs_descent *t = m->descent;
    const double last = m->lambda[turn_of(m, i + count - 1)], now = m->lambda[turn_of(m, i)];
    ptrdiff_t done = 0;
    t->ahead = smaller(last / now, 1);
    t->hopes = -1;
    do solve(m, turn_of(m, i + done));
    while (++done < count && !deadline_met(&m->own));
    t->ahead = 0;
    const ptrdiff_t first = m->s.ascending ? turn_of(m, i + done - 1) : i;
    return keep(m, i, done, first, crs_known_look(m, first, done));
}

/* The lambdas from m->solved on, a few or one of them for each tick of the unit in `noted` */
static bool walk(crease_regression *m, crease_watch *noted, crease_error *e)
{
    const ptrdiff_t path = m->s.path;
    for (; m->solved < path; crs_unit_tick(noted)) {
        const ptrdiff_t first = m->solved, near = near_ones(m, first);
        if (near > 1)
            m->solved += solve_ahead(m, first, near);
        else {
            solve(m, turn_of(m, m->solved++));
            m->stride = double_of(m->stride);
        }
        for (ptrdiff_t i = first; i < m->solved; i++) {
            const ptrdiff_t k = turn_of(m, i);
            crs_regression_tell(m, i, k);
            if (!crs_regression_finite(m, k, e)) return false;
            if ((i + 1 < path || !m->solution[k].converged) && deadline_met(&m->own))
                return crs_regression_cut(m, m->solved = i + 1), true;
        }
    }
    return true;
}

static void visit_path(crs_visitor *v, void *model)
{
    crease_regression *m = model;
    crs_visit(v, m->solved);
    crs_visit(v, m->stride);
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

/* At the solutions that were not looked at */
static void look_at_rest(crease_regression *m)
{
    for (ptrdiff_t k = 0, count; m->seen && k < m->s.path && !deadline_met(&m->own); k += count) {
        count = 1;
        if (m->seen[k]) continue;
        while (count < CRS_AHEAD && k + count < m->s.path && !m->seen[k + count]) count++;
        crs_known_look(m, k, count);
    }
}

bool crease_regression_fit(crease_regression *m, crease_error *e)
{
    if (m->on) return crs_rows_path(m, e);
    crs_descent *t = m->descent;
    t->max_sweeps = m->s.max_sweeps;
    t->deadline = &m->own;
    crs_watch_restart(&m->own.watch);
    crease_watch_limit(&m->own.watch, m->s.max_seconds);
    crease_watch *noted = m->among ? NULL : &m->own.watch; /* a fold is noted as a whole */
    m->solved = 0;
    m->stride = CRS_AHEAD;
    free_known(m);
    if (!crs_known_begin(m, e)) return false;
    if (crs_unit_begin(noted, "path", CRS_UNIT_LOOP, visit_path, m) != CRS_UNIT_DONE) {
        const bool done = walk(m, noted, e);
        (done && m->solved == m->s.path ? crs_unit_end : crs_unit_drop)(noted);
        if (!done) return false;
    }
    look_at_rest(m);
    return true;
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
    design_free(&m->d);
    crs_descent_free(m->descent);
    crs_rows_fit_free(m->on);
    crs_free(m->rows);
    crs_free((void *)m->csr.start);
    crs_free((void *)m->csr.col);
    crs_free((void *)m->csr.value);
    crs_free((void *)m->shifts.u);
    crs_free((void *)m->shifts.v);
    crease_reference_free(m->reference);
    crs_free(m->at_zero);
    free_known(m);
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
    const double gram = smaller(cols, 2000), look = lambdas * (3 * rows + cols);
    return 2 * rows * cols + 2 * lambdas * cols + 2 * gram * gram + 48 * rows + 16 * cols +
           64 * lambdas + smaller(look, larger(rows * cols / 2, 0x1p21));
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
    return crs_design_new(&m->d, &m->s, X, y, e) && allocate(m, e) &&
           crs_regression_lambdas(m, e) && (!problems || crs_regression_problems(m, e));
}

crease_regression *crs_regression_make(const crease_regression_settings *s, const crs_table *X,
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
    return crs_regression_make(&own, &all, y, true, e);
}

crease_regression *crs_regression_of(const crease_regression_settings *s, ptrdiff_t n, ptrdiff_t p,
                                     double **X, const double *y, crease_error *e)
{
    const crs_table all = { .n = n, .p = p, .dense = *X, .given = X };
    return crs_regression_make(s, &all, y, true, e);
}

void crs_regression_forget(crease_regression *m)
{
    crs_free(m->d.given);
    m->d.given = m->d.x = NULL;
    free_known(m);
}

crease_regression *crease_regression_new_sparse(const crease_regression_settings *s,
                                                const crease_csr_matrix *X, const double *y,
                                                crease_error *e)
{
    crease_regression_settings own = crease_regression_default();
    if (!crs_settings_take("regression", &own, sizeof own, s, e)) return NULL;
    const crs_table all = { .n = X->rows, .p = X->cols, .sparse = X };
    return crs_regression_make(&own, &all, y, true, e);
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
