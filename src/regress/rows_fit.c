/* SPDX-License-Identifier: MIT
 * rows_fit: the path of a regression on rows that are looked at slab by slab
 *
 * A look at all rows gives value L, gradient g and Hessian H of the loss at a point b. What is
 * solved is g'd + d'Bd/2 + sum_u w_u rho(|b_u + d_u|), a squared loss whose design is a root of B,
 * by the descent of designs in memory. B is H: of the squared loss that is the loss itself, and no
 * further look is needed for any lambda. Of others the step counts if the objective, with the true
 * loss, has fallen; if not B is phi''_max Z'Z/n, above the loss everywhere, with which it must. */
#include "core/parallel.h"
#include "regress/rows.h"

enum { PASSES = 60 }; /* of one lambda */

static void carve(void *self, crs_carver *c)
{
    crease_regression *m = self;
    crs_rows_fit *f = m->on;
    crs_rows_model *const models[] = { &f->at, &f->next };
    const ptrdiff_t cols = f->cols, path = m->s.path;
    const bool squared = m->d.loss->quadratic;
    for (int k = 0; k < 2; k++) {
        models[k]->b = carve_doubles(c, cols, 1);
        models[k]->g = carve_doubles(c, cols, 1);
        models[k]->h = squared ? NULL : carve_doubles(c, cols, cols);
    }
    f->factor = carve_doubles(c, m->d.p, 1);
    f->gram = carve_doubles(c, cols, cols);
    f->linear = carve_doubles(c, cols, 1);
    f->g_0 = carve_doubles(c, cols, 1);
    f->room = carve_doubles(c, cols, cols);
    f->t = carve_doubles(c, cols, 1);
    f->u = carve_doubles(c, cols, 1);
    f->eigenvalue = carve_doubles(c, path, 1);
    f->gap = carve_doubles(c, path, 1);
    f->judged = carve_doubles(c, path, cols + 3);
}

static crease_reg penalty_at(const crease_regression *m, double lambda, crease_groups *groups)
{
    crease_reg r = m->s.penalty;
    crs_penalty_at(&m->s.penalty, lambda, r.par);
    *groups = (crease_groups){ m->d.units, m->d.start, m->d.column };
    if (crs_is_kind(&r, CREASE_KIND_GROUPS)) r.groups = groups;
    return crease_weighted(r, m->d.weight);
}

double crs_rows_distance(const crease_regression *m, double lambda, const double *b,
                         const double *g)
{
    const crs_rows_fit *f = m->on;
    const crease_space s = crease_vector(f->cols);
    crease_groups groups;
    const crease_reg r = penalty_at(m, lambda, &groups);
    for (ptrdiff_t j = 0; j < f->cols; j++) f->t[j] = -g[j];
    return r.ops->dist(&r, &s, b, f->t, f->u);
}

double crs_rows_penalty_value(const crease_regression *m, double lambda, const double *b)
{
    const crs_rows_fit *f = m->on;
    const crease_space s = crease_vector(f->cols);
    crease_groups groups;
    const crease_reg r = penalty_at(m, lambda, &groups);
    return r.ops->value(&r, &s, b, f->u);
}

double crs_rows_scale(const crease_regression *m, const double *b, const double *g, double F)
{
    const crs_rows_fit *f = m->on;
    double moved = 0;
    for (ptrdiff_t j = 0; j < f->cols; j++) moved += square(g[j] - f->g_0[j]);
    const double size = crs_norm(f->cols, f->g_0) + sqrt(moved), far = crs_norm(f->cols, b);
    return f->loss_0 > 0 && far > 0 ? clip(100 * larger(F, f->loss_0) / far, 1e-4 * size, size)
                                    : size;
}

static double objective(const crease_regression *m, double lambda, const crs_rows_model *at)
{
    return at->loss + crs_rows_penalty_value(m, lambda, at->b);
}

/* ---- a quadratic as a design ---- */

/* B with a little added to its diagonal is l l', and what has no curvature is left out: false if
 * that is not so. */
static bool root_of(const crease_regression *m, const double *B, double *l)
{
    const ptrdiff_t n = m->on->cols;
    const double least = larger(0x1p-44, 4 * (double)n * 0x1p-52);
    for (double more_of = least; more_of < 1e-6; more_of *= 64) {
        copy(n * n, B, l);
        for (ptrdiff_t j = 0; j < n; j++) {
            double *at = &l[j * n + j];
            if (*at < 0) return false;
            *at = *at > 0 ? *at * (1 + more_of) : 1;
        }
        if (crs_cholesky(n, l)) return true;
    }
    return false;
}

/* n rows: X = sqrt(n) l', and X'y/n = rhs = B b - g, so that y = sqrt(n) l^{-1} rhs */
static void fill_design(const crease_regression *m, const double *B, const double *l,
                        const double *rhs, double *X, double *y)
{
    const ptrdiff_t n = m->on->cols;
    const double root = sqrt((double)n);
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++)
            X[i * n + j] = j >= i && B[j * n + j] > 0 ? root * l[j * n + i] : 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double sum = B[i * n + i] > 0 ? root * rhs[i] : 0;
        for (ptrdiff_t j = 0; j < i; j++) sum -= l[i * n + j] * y[j];
        y[i] = sum / l[i * n + i];
    }
}

/* min q'(b - b_0) + (b - b_0)'B (b - b_0)/2 + penalty at lambda k, or its design alone. */
static bool reduce(const crease_regression *m, const double *B, const crs_rows_model *at,
                   crs_design *out, crease_error *e)
{
    const crs_rows_fit *f = m->on;
    const ptrdiff_t n = f->cols;
    crease_groups groups;
    crease_regression_settings s = crease_regression_default();
    double *memory = crs_doubles(2 * n * n + 2 * n, "a quadratic model", e);
    double *l = memory, *X = memory + n * n, *y = X + n * n, *rhs = y + n;
    if (!memory) return false;
    if (!root_of(m, B, l)) {
        crs_free(memory);
        return crs_fail(e, CREASE_NUMERICAL_FAILURE, "the Hessian is not positive");
    }
    crs_gemv(false, n, n, 1, B, at->b, 0, rhs);
    axpy(n, -1, at->g, rhs);
    fill_design(m, B, l, rhs, X, y);
    s.penalty = penalty_at(m, 1, &groups);
    s.standardize = s.intercept = false;
    const crs_table table = { .n = n, .p = n, .dense = X };
    const bool done = crs_design_new(out, &s, &table, y, e);
    if (!done) crs_free(out->memory), out->memory = NULL;
    crs_free(memory);
    return done;
}

/* A descent on that design, at the model's point. */
static crs_descent *descend(const crease_regression *m, const crs_design *d,
                            const crs_rows_model *at, crease_error *e)
{
    crs_descent *t = crs_descent_new(d, e);
    double lift = 0;
    if (!t) return NULL;
    for (ptrdiff_t j = 0; j < d->cols; j++) {
        t->b[j] = at->b[d->column[j]];
        if (t->b[j] != 0) column_add(d, t->b[j], j, t->e, &lift);
    }
    t->value.rho = m->s.penalty.penalty;
    t->max_sweeps = m->s.max_sweeps;
    const double terms = crs_norm(d->n, t->e) + crs_norm(d->n, d->y); /* of sqrt(n) l' */
    double size = 0;
    for (ptrdiff_t j = 0; j < d->cols; j++) size = larger(size, d->size[j]);
    t->tolerance =
        larger(m->s.eps * m->first_gradient / 1000, 0x1p-50 * sqrt(size / (double)d->n) * terms);
    t->finest = 0x1p-44 * m->first_gradient;
    t->deadline = m->deadline;
    return t;
}

/* ---- looks at the loss ---- */

bool crs_rows_points_at(const crease_regression *m, ptrdiff_t count, double *point, bool hessian,
                        const crs_share *share, crs_look *look, crease_error *e)
{
    const crs_rows_fit *f = m->on;
    const crs_rows *r = f->data;
    const crs_design *d = &m->d;
    const crs_rows_points a = { .layout = r->layout,
                                .share = *share,
                                .cols = f->cols,
                                .count = count,
                                .center = m->s.intercept ? d->center : f->t,
                                .factor = f->factor,
                                .point = point,
                                .one = d->one / d->c,
                                .y_center = d->y_center,
                                .y_factor = 1 / d->c,
                                .v_most = r->layout.weighted ? r->facts.v_most : 1,
                                .loss = (int)m->s.loss,
                                .hessian = hessian };
    crease_watch *w = &m->deadline->watch;
    if (!m->s.intercept) fill(d->p, 0, f->t);
    return crs_look_once(look, r->source, &crs_rows_points_job, &a, r->threads, w, e);
}

static void read_hessian(const crs_rows_fit *f, const crs_look *l, double *h)
{
    const ptrdiff_t n = f->cols;
    for (ptrdiff_t i = 0; i < n; i++) {
        crs_total_read(&l->sums, CRS_POINTS_HESSIAN, packed(i), i + 1, h + i * n);
        for (ptrdiff_t j = 0; j <= i; j++) h[j * n + i] = h[i * n + j] /= f->weight;
    }
}

/* L, g and H at the model's point; false with a sentence, or when the time is over. */
static bool evaluate(crease_regression *m, crs_rows_model *at, crease_error *e)
{
    crs_rows_fit *f = m->on;
    const ptrdiff_t n = f->cols;
    if (m->d.loss->quadratic) {
        crs_gemv(false, n, n, 1, f->gram, at->b, 0, at->g);
        const double bend = crs_dot(n, at->g, at->b), along = crs_dot(n, f->linear, at->b);
        axpy(n, -1, f->linear, at->g);
        at->loss = larger(0, bend / 2 - along + f->yy / 2);
        return true;
    }
    crs_look l;
    if (!crs_rows_points_at(m, 1, at->b, true, &f->share, &l, e)) return false;
    f->passes++;
    at->loss = crs_total_at(&l.sums, CRS_POINTS_VALUE, 0) / f->weight;
    crs_total_read(&l.sums, CRS_POINTS_GRADIENT, 0, n, at->g);
    for (ptrdiff_t j = 0; j < n; j++) at->g[j] /= f->weight;
    read_hessian(f, &l, at->h);
    crs_look_close(&l);
    return !deadline_met(m->deadline) || crs_cut(e, "looking at the rows");
}

/* room = the Hessian, or what is above the loss everywhere */
static void take_safe(const crease_regression *m)
{
    const crs_rows_fit *f = m->on;
    for (ptrdiff_t k = 0; k < f->cols * f->cols; k++) f->room[k] = m->d.loss->high * f->gram[k];
}

/* phi'' - its least is never negative. */
static void take_lifted(const crease_regression *m)
{
    const crs_rows_fit *f = m->on;
    for (ptrdiff_t k = 0; k < f->cols * f->cols; k++)
        f->room[k] = f->at.h[k] - m->d.loss->low * f->gram[k];
}

/* ---- one lambda ---- */

static void take_point(const crs_descent *t, double *b)
{
    for (ptrdiff_t j = 0; j < t->d->cols; j++) b[t->d->column[j]] = t->b[j];
}

/* next.b from the model at the present point with B. */
static bool step_with(crease_regression *m, double lambda, const double *B, long *sweeps,
                      crease_error *e)
{
    crs_rows_fit *f = m->on;
    crs_design d;
    if (!reduce(m, B, &f->at, &d, e)) return false;
    crs_descent *t = descend(m, &d, &f->at, e);
    if (t) {
        crs_penalty_at(&m->s.penalty, lambda, t->value.par);
        crs_descent_solve(t);
        take_point(t, f->next.b);
        *sweeps += t->sweeps;
        crs_descent_free(t);
    }
    design_free(&d);
    return t;
}

static bool step(crease_regression *m, double lambda, bool first, long *sweeps, crease_error *e)
{
    crs_rows_fit *f = m->on;
    crease_error why = { CREASE_OK, "" };
    if (f->descent && first) {
        crs_penalty_at(&m->s.penalty, lambda, f->descent->value.par);
        crs_descent_solve(f->descent);
        take_point(f->descent, f->next.b);
        *sweeps += f->descent->sweeps;
        return true;
    }
    const double *H = m->d.loss->quadratic ? f->gram : f->at.h;
    if (step_with(m, lambda, H, sweeps, &why)) return true;
    if (why.code == CREASE_NUMERICAL_FAILURE && m->d.loss->low < 0) {
        take_lifted(m);
        return step_with(m, lambda, f->room, sweeps, e);
    }
    if (e) *e = why;
    return false;
}

static void accept(crs_rows_fit *f)
{
    const crs_rows_model was = f->at;
    f->at = f->next;
    f->next = was;
}

static bool falls(const crease_regression *m, double lambda)
{
    const crs_rows_fit *f = m->on;
    const double before = objective(m, lambda, &f->at), after = objective(m, lambda, &f->next);
    return after <= before + 0x1p-48 * fabs(before);
}

typedef enum { MOVED, STAYED, ENDED, FAILED } moved;

static moved move(crease_regression *m, double lambda, bool first, long *sweeps, crease_error *e)
{
    crs_rows_fit *f = m->on;
    const size_t bytes = (size_t)f->cols * sizeof(double);
    if (!step(m, lambda, first, sweeps, e)) return FAILED;
    if (memcmp(f->at.b, f->next.b, bytes) == 0) return STAYED;
    if (!evaluate(m, &f->next, e)) return deadline_met(m->deadline) ? ENDED : FAILED;
    if (falls(m, lambda)) return accept(f), MOVED;
    if (m->d.loss->quadratic) return STAYED;
    take_safe(m);
    if (!step_with(m, lambda, f->room, sweeps, e)) return FAILED;
    if (!evaluate(m, &f->next, e)) return deadline_met(m->deadline) ? ENDED : FAILED;
    if (!falls(m, lambda)) return STAYED;
    return accept(f), MOVED;
}

/* Is the point as good as wanted, and does no move by b's own size lower a convex objective much?
 */
static bool is_good(const crease_regression *m, double lambda)
{
    const crs_rows_fit *f = m->on;
    const double residual = crs_rows_distance(m, lambda, f->at.b, f->at.g);
    const bool convex = m->s.penalty.penalty->convex && m->d.loss->low >= 0;
    const double F = objective(m, lambda, &f->at);
    const double scale = crs_rows_scale(m, f->at.b, f->at.g, F);
    if (!(residual <= m->s.eps * smaller(m->first_gradient, scale) / 2)) return false;
    return !convex || residual <= 0x1p-44 * m->first_gradient ||
           residual * crs_norm(f->cols, f->at.b) <= m->s.eps * CRS_NEAR * F;
}

/* False with a sentence; *converged: the point is stationary at lambda. */
static bool solve(crease_regression *m, double lambda, long *sweeps, bool *converged,
                  crease_error *e)
{
    double before = INFINITY;
    int still = 0; /* looks in a row that made nothing better */
    *converged = false;
    for (int pass = 0; pass < PASSES && still < 3; pass++) {
        const moved how = move(m, lambda, pass == 0, sweeps, e);
        if (how == FAILED) return false;
        *converged = is_good(m, lambda);
        if (*converged || how != MOVED || deadline_met(m->deadline)) break;
        const double residual = crs_rows_distance(m, lambda, m->on->at.b, m->on->at.g);
        still = residual < 0.9 * before ? 0 : still + 1;
        before = smaller(before, residual);
    }
    return true;
}

static void record(crease_regression *m, ptrdiff_t k, long sweeps, bool converged)
{
    const crs_rows_fit *f = m->on;
    const crs_design *d = &m->d;
    crease_regression_solution *out = &m->solution[k];
    double *coef = m->coef + k * d->p;
    copy(f->cols, f->at.b, m->point + k * f->cols);
    *out = (crease_regression_solution){
        .lambda = m->lambda[k], .coef = coef, .sweeps = sweeps, .converged = converged
    };
    out->intercept = d->y_center + (f->cols > d->p ? d->one * f->at.b[d->p] : 0);
    for (ptrdiff_t j = 0; j < d->p; j++) {
        coef[j] = f->at.b[j] / d->spread[j];
        out->nonzero += f->at.b[j] != 0;
        if (m->s.intercept) out->intercept -= coef[j] * d->center[j];
    }
    out->deviance = 2 * f->at.loss * square(d->c);
    out->objective = objective(m, m->lambda[k], &f->at) * square(d->c);
}

/* ---- before the path ---- */

/* Columns without a penalty */
static ptrdiff_t choose_free(const crease_regression *m, ptrdiff_t *chosen)
{
    const crs_design *d = &m->d;
    ptrdiff_t count = 0;
    for (ptrdiff_t u = 0; u < d->units; u++)
        for (ptrdiff_t j = d->start[u]; d->weight[u] == 0 && j < d->start[u + 1]; j++)
            if (m->on->gram[d->column[j] * (m->on->cols + 1)] > 0) chosen[count++] = d->column[j];
    return count;
}

static double length_of(const double *g, ptrdiff_t count, const ptrdiff_t *chosen)
{
    double sum = 0;
    for (ptrdiff_t k = 0; k < count; k++) sum += square(g[chosen[k]]);
    return sqrt(sum);
}

/* next.b = at.b - B^{-1} g on the chosen columns; false: B is not positive there. */
static bool newton(crease_regression *m, const double *B, ptrdiff_t count, const ptrdiff_t *chosen)
{
    crs_rows_fit *f = m->on;
    double *part = f->next.h ? f->next.h : f->room;
    for (ptrdiff_t i = 0; i < count; i++) {
        f->t[i] = f->at.g[chosen[i]];
        for (ptrdiff_t j = 0; j < count; j++)
            part[i * count + j] = B[chosen[i] * f->cols + chosen[j]];
    }
    if (!crs_cholesky(count, part)) return false;
    crs_cholesky_solve(count, part, 1, f->t);
    copy(f->cols, f->at.b, f->next.b);
    for (ptrdiff_t i = 0; i < count; i++) f->next.b[chosen[i]] -= f->t[i];
    return crs_all_finite(count, f->t);
}

/* The loss alone, on what has no penalty: as well as arithmetic allows. */
static bool fit_free(crease_regression *m, crease_error *e)
{
    crs_rows_fit *f = m->on;
    ptrdiff_t *chosen = crs_alloc((size_t)f->cols, sizeof *chosen);
    if (!chosen) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: columns without a penalty");
    const ptrdiff_t count = choose_free(m, chosen);
    const double *H = m->d.loss->quadratic ? f->gram : NULL;
    bool done = true, safe = false;
    for (int k = 0; done && k < PASSES && count > 0; k++) {
        const double length = length_of(f->at.g, count, chosen);
        if (length <= 0x1p-44 * m->first_gradient) break;
        take_safe(m);
        const double *B = safe ? f->room : H ? H : f->at.h;
        if (!newton(m, B, count, chosen)) {
            if (safe) break;
            safe = true;
            continue;
        }
        done = evaluate(m, &f->next, e);
        if (done && f->next.loss <= f->at.loss * (1 + 0x1p-48) &&
            (safe || length_of(f->next.g, count, chosen) < length)) {
            accept(f);
            safe = false;
        } else if (done && safe)
            break;
        else
            safe = true;
    }
    crs_free(chosen);
    return done;
}

/* What the design of z'z tells: sizes of columns and units; lambda_max from a quadratic above the
 * loss that touches it, as coordinates alone are looked at. */
static bool find_lambda_max(crease_regression *m, crease_error *e)
{
    crs_rows_fit *f = m->on;
    crs_design *d = &m->d, reduced;
    take_safe(m);
    if (!reduce(m, f->room, &f->at, &reduced, e)) return false;
    for (ptrdiff_t u = 0; u < d->units; u++) d->length[u] = reduced.length[u] / d->loss->high;
    for (ptrdiff_t j = 0; j < f->cols; j++) {
        const ptrdiff_t at = d->column[j];
        d->size[j] = f->gram[at * (f->cols + 1)];
    }
    crs_descent *t = descend(m, &reduced, &f->at, e);
    if (t) {
        crs_penalty_at(&m->s.penalty, 1, t->value.par);
        t->max_sweeps = 10000;
        m->lambda_max = crs_descent_lambda_max(t, &m->s.penalty);
    }
    crs_descent_free(t);
    crs_free(reduced.memory);
    return t && (isfinite(m->lambda_max) || crs_fail(e, CREASE_NUMERICAL_FAILURE,
                                                     "lambda_max is not finite; rescale the data"));
}

/* Of the squared loss the design stays for all lambdas. */
static bool keep_design(crease_regression *m, crease_error *e)
{
    crs_rows_fit *f = m->on;
    if (!m->d.loss->quadratic) return true;
    if (!reduce(m, f->gram, &f->at, &f->reduced, e)) return false;
    f->descent = descend(m, &f->reduced, &f->at, e);
    const bool asked =
        !m->s.penalty.penalty->convex && f->cols <= m->d.n && f->cols <= CRS_MOST_SUPPORT;
    return f->descent && (!asked || crs_least_eigenvalue(m->d.n, f->cols, f->gram, &m->least, e));
}

static bool begin(crease_regression *m, crease_error *e)
{
    crs_rows_fit *f = m->on;
    if (!crs_rows_columns(m, e) || !evaluate(m, &f->at, e)) return false;
    copy(f->cols, f->at.g, f->g_0);
    f->loss_0 = f->at.loss;
    m->first_gradient = crs_norm(f->cols, f->at.g);
    return fit_free(m, e) && find_lambda_max(m, e) && crs_regression_lambdas(m, e) &&
           keep_design(m, e);
}

/* The units, weights and unit of b_0 of a design that has the ranges of the columns for rows. */
static bool shell(crease_regression *m, crease_error *e)
{
    const crs_rows *r = m->on->data;
    const ptrdiff_t p = r->layout.p;
    const double y[2] = { 1, m->s.loss == CREASE_REGRESSION_LOGISTIC ? -1 : 0 };
    double *X = crs_doubles(2 * p, "the ranges of columns", e);
    if (!X) return false;
    for (int i = 0; i < 2; i++) copy(p, i == 0 ? r->facts.low : r->facts.high, X + i * p);
    const crs_table two = { .n = 2, .p = p, .dense = X };
    const bool done = crs_design_new(&m->d, &m->s, &two, y, e);
    crs_free(X);
    if (!done) return false;
    m->d.n = r->layout.n;
    fill(p, 0, m->d.center);
    return true;
}

static bool allocate(crease_regression *m, crease_error *e)
{
    const ptrdiff_t path = m->s.path;
    m->on->cols = m->d.cols;
    m->on->memory = carve_block(carve, m);
    m->lambda = crs_doubles(path, "the lambdas", e);
    m->point = crs_doubles(path * m->d.cols, "the solutions", e);
    m->coef = crs_doubles(path * m->d.p, "the coefficients", e);
    m->solution = crs_alloc((size_t)path, sizeof *m->solution);
    return (m->on->memory && m->lambda && m->point && m->coef && m->solution) ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: a path of %td lambdas", path);
}

crease_regression *crs_rows_make(crs_rows *data, const crs_share *share,
                                 const crease_regression_settings *s, crease_error *e)
{
    crease_regression *m = crs_alloc(1, sizeof *m);
    crs_rows_fit *f = m ? crs_alloc(1, sizeof *f) : NULL;
    if (!f) {
        crs_free(m);
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a regression"), NULL;
    }
    m->s = *s;
    m->on = f;
    m->deadline = &m->own;
    *f = (crs_rows_fit){ .data = data, .share = *share };
    crs_watch_begin(&m->own.watch, s->watch);
    if (shell(m, e) && allocate(m, e) && begin(m, e)) {
        m->s.loss_scale = m->d.c;
        return m;
    }
    crease_regression_free(m);
    return NULL;
}

void crs_rows_fit_free(crs_rows_fit *f)
{
    if (!f) return;
    crs_descent_free(f->descent);
    crs_free(f->reduced.memory);
    crs_free(f->memory);
    if (f->owner) crs_rows_close(f->data);
    crs_free(f);
}

/* ---- the path ---- */

bool crs_rows_path(crease_regression *m, crease_error *e)
{
    crs_rows_fit *f = m->on;
    const ptrdiff_t path = m->s.path;
    crs_watch_restart(&m->own.watch);
    crease_watch_limit(&m->own.watch, m->s.max_seconds);
    for (ptrdiff_t i = 0; i < path; i++) {
        const ptrdiff_t k = m->s.ascending ? path - 1 - i : i;
        long sweeps = 0;
        bool converged;
        if (!solve(m, m->lambda[k], &sweeps, &converged, e)) return false;
        record(m, k, sweeps, converged);
        if (!crs_rows_support(m, k, e) || !crs_regression_finite(m, k, e)) return false;
        crs_regression_tell(m, i, k);
        if ((i + 1 < path || !converged) && deadline_met(&m->own)) {
            const ptrdiff_t first = m->s.ascending ? path - 1 - i : 0;
            copy(i + 1, f->eigenvalue + first, f->eigenvalue);
            crs_regression_cut(m, i + 1);
            break;
        }
    }
    return m->among || crs_rows_judge(m, e);
}
