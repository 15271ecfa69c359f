/* SPDX-License-Identifier: MIT
 * certify: every lambda's regression as an ordinary problem, its certificate, and what its
 * stationary point is known to be
 *
 *     min  sum_i phi((x b - y)_i) + n sum_u w_u rho(|b_u|)
 *
 * Convex loss and penalty: F(b) - min F is bounded by duality (gap_of_convex). A squared loss with
 * lambda_min(x'x/n) above the penalty's concavity: by strong convexity. A global minimizer is what
 * is within CRS_NEAR eps of F of the least value. Otherwise, with every other gradient strictly
 * inside the penalty's slope at 0, lambda_min of the loss's Hessian on the selected columns above
 * the concavity makes b a strict local minimizer; Breheny and Huang 2011, section 3.1, for single
 * columns. */
#include "regress/regress.h"

const char *crease_convexity_text(crease_convexity c)
{
    static const char *const text[] = {
#define X(name, text) text,
        CREASE_CONVEXITIES(X)
#undef X
    };
    return c >= 0 && c < (int)(sizeof text / sizeof *text) ? text[c] : "unknown convexity";
}

bool crs_least_eigenvalue(ptrdiff_t n, ptrdiff_t k, const double *a, double *out, crease_error *e)
{
    double trace = 0;
    double *work = crs_doubles(k + crs_eigh_scratch(k), "eigenvalues", e);
    if (!work) return false;
    for (ptrdiff_t j = 0; j < k; j++) trace += fabs(a[j * k + j]);
    const bool done = crs_eigh(k, a, work, NULL, work + k);
    *out = done ? work[0] - 0x1p-52 * (double)(10 * k + n) * trace : NAN;
    crs_free(work);
    return true;
}

/* x'x, in the design's order of columns; column has room for n numbers. */
static void gram_of(const crs_design *d, double *column, double *out)
{
    if (!d->sparse) {
        crs_gemm(false, true, d->cols, d->cols, d->n, 1, d->x, d->x, 0, out);
        return;
    }
    for (ptrdiff_t i = 0; i < d->cols; i++) {
        column_fill(d, i, column);
        const double lift = lifted(d, column);
        for (ptrdiff_t j = 0; j <= i; j++)
            out[i * d->cols + j] = out[j * d->cols + i] = column_dot(d, j, column, lift);
    }
}

static bool least_of_gram(crease_regression *m, crease_error *e)
{
    const crs_design *d = &m->d;
    const bool asked = d->loss->quadratic && !m->s.penalty.penalty->convex && d->cols <= d->n &&
                       d->cols <= CRS_MOST_SUPPORT;
    if (!asked) return true;
    double *gram = crs_doubles(d->cols * d->cols, "the Gram matrix", e);
    if (!gram) return false;
    gram_of(d, m->descent->m, gram);
    for (ptrdiff_t k = 0; k < d->cols * d->cols; k++) gram[k] /= (double)d->n;
    const bool done = crs_least_eigenvalue(d->n, d->cols, gram, &m->least, e);
    crs_free(gram);
    return done;
}

/* What a look at one solution needs. */
typedef struct {
    double *e, *s, *h, *matrix;
    const double *g; /* in the problem's order */
    ptrdiff_t *chosen, count;
    double weight; /* the largest of the selected units */
    bool strict;   /* no zero is in doubt */
} view;

static bool is_selected(const crs_design *d, ptrdiff_t u, const double *point)
{
    bool any = d->weight[u] == 0;
    for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++) any = any || point[d->column[j]] != 0;
    return any;
}

static void survey(const crease_regression *m, const double *point, double slope, view *v)
{
    const crs_design *d = &m->d;
    v->strict = true;
    for (ptrdiff_t u = 0; u < d->units; u++) {
        if (is_selected(d, u, point)) {
            for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++) v->chosen[v->count++] = j;
            v->weight = larger(v->weight, d->weight[u]);
            continue;
        }
        double sum = 0;
        for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++)
            sum += square(v->g[d->column[j]] / (double)d->n);
        v->strict = v->strict && sum < square(d->weight[u] * slope * (1 - 1e-9));
    }
}

static void evaluate(const crease_regression *m, const crs_known *known, view *v)
{
    const crs_design *d = &m->d;
    v->g = known->gradient;
    for (ptrdiff_t i = 0; i < d->n; i++) v->e[i] = known->images[i] * (d->root ? d->root[i] : 1);
    crs_loss_slopes(d, v->e, v->s);
    for (ptrdiff_t i = 0; i < d->n; i++) v->h[i] = loss_curve(d->loss, loss_argument(d, v->e, i));
}

static bool judge(const crease_regression *m, view *v, crease_regression_certificate *out,
                  crease_error *e)
{
    const ptrdiff_t k = v->count;
    const bool known = !isnan(loss_curve(m->d.loss, 0));
    if (k > m->d.n || k > CRS_MOST_SUPPORT || (k > 0 && !known)) return true;
    if (k > 0) {
        v->matrix = crs_doubles(k * k, "the Hessian", e);
        if (!v->matrix) return false;
        const crs_support a = {
            .d = &m->d, .h = v->h, .count = k, .chosen = v->chosen, .row = v->s
        };
        crs_support_step(&a, NULL, v->matrix, NULL);
        if (!crs_least_eigenvalue(m->d.n, k, v->matrix, &out->eigenvalue, e)) return false;
    }
    if (v->strict && (k == 0 || out->eigenvalue > out->concavity))
        out->convexity = CREASE_CONVEXITY_LOCAL;
    out->eigenvalue *= square(m->d.c);
    return true;
}

static bool look(const crease_regression *m, ptrdiff_t k, const crs_known *known, const double *par,
                 view *v, crease_regression_certificate *out, crease_error *e)
{
    const crs_design *d = &m->d;
    const double *point = crease_regression_point(m, k);
    v->e = crs_doubles(d->n, "scores", e);
    v->s = crs_doubles(d->n, "slopes", e);
    v->h = crs_doubles(d->n, "curvatures", e);
    v->chosen = crs_alloc((size_t)d->cols, sizeof *v->chosen);
    if (!v->e || !v->s || !v->h || !v->chosen)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a look at convexity");
    evaluate(m, known, v);
    survey(m, point, m->s.penalty.penalty->slope(par, 0), v);
    const double concavity = m->s.penalty.penalty->weak_convexity(par);
    out->concavity = times(v->weight, concavity);
    if (!judge(m, v, out, e)) return false;
    out->concavity *= square(d->c);
    return true;
}

/* A lower bound of min F, convex, at any point x (in the design's order). With L the loss, g its
 * gradient at x, and R >= 0 the penalty, every b with R(b) <= F_0, so a minimizer b too, has
 *     F(b) >= L(x) + <g, b - x> + R(b) >= L(x) - <g, x> - S,
 *     S = sup {<-g, b> - R(b): R(b) <= F_0}.
 * rho(t) = s t + k t^2/2 (l1, elastic-net): S <= max_u (|g_u|/(w_u s) - 1)_+ F_0, and also
 * S <= sum_u (|g_u| - w_u s)_+^2/(2 w_u k). Of units without a penalty g must be 0 but for
 * rounding. The bound is good where x is nearly stationary, of F itself or after Newton's steps on
 * the units that are not 0. */
typedef struct {
    const crease_regression *m;
    void *memory;
    const crs_penalty_value *value;
    double slope, bend;          /* s, k at this lambda */
    double *x, *step, *g, *hess; /* per column; hess: of the chosen */
    double *e, *s, *h;           /* per row */
    double loss, total;          /* L and F at x */
    ptrdiff_t *chosen, count;
} lower;

static void carve_lower(void *self, crs_carver *c)
{
    lower *a = self;
    const crs_design *d = &a->m->d;
    double **const of_cols[] = { &a->x, &a->step, &a->g },
                   **const of_rows[] = { &a->e, &a->s, &a->h };
    for (int k = 0; k < 3; k++) *of_cols[k] = carve_doubles(c, d->cols, 1);
    for (int k = 0; k < 3; k++) *of_rows[k] = carve_doubles(c, d->n, 1);
    a->chosen = carve_bytes(c, d->cols, sizeof *a->chosen);
}

static double unit_norm(const crs_design *d, ptrdiff_t u, const double *x)
{
    const ptrdiff_t k = unit_size(d, u);
    return k == 1 ? fabs(x[d->start[u]]) : crs_norm(k, x + d->start[u]);
}

static bool is_free(const lower *a, ptrdiff_t u)
{
    return a->m->d.weight[u] == 0 || (a->slope == 0 && a->bend == 0);
}

/* L and F at x, whose scores and gradient are there */
static void value_lower(lower *a)
{
    const crs_design *d = &a->m->d;
    a->loss = crs_loss_sum(d, a->e) / (double)d->n;
    a->total = a->loss;
    for (ptrdiff_t u = 0; u < d->units; u++) {
        const double t = unit_norm(d, u, a->x);
        if (t != 0) a->total += times(d->weight[u], a->slope * t + a->bend / 2 * square(t));
    }
}

/* L, F and g at x */
static void evaluate_lower(lower *a)
{
    const crs_design *d = &a->m->d;
    double lift = 0;
    fill(d->n, 0, a->e);
    for (ptrdiff_t j = 0; j < d->cols; j++)
        if (a->x[j] != 0) column_add(d, a->x[j], j, a->e, &lift);
    lift_by(d, lift, a->e);
    crs_loss_slopes(d, a->e, a->s);
    lift = lifted(d, a->s);
    for (ptrdiff_t j = 0; j < d->cols; j++) a->g[j] = column_dot(d, j, a->s, lift) / (double)d->n;
    value_lower(a);
}

/* The same at the point, as its certificate found them */
static void take_known(lower *a, const double *point, const crs_known *known)
{
    const crs_design *d = &a->m->d;
    for (ptrdiff_t j = 0; j < d->cols; j++) {
        a->x[j] = point[d->column[j]];
        a->g[j] = known->gradient[d->column[j]] / (double)d->n;
    }
    for (ptrdiff_t i = 0; i < d->n; i++) a->e[i] = known->images[i] * (d->root ? d->root[i] : 1);
    crs_loss_slopes(d, a->e, a->s);
    value_lower(a);
}

/* What rounding leaves of a gradient that is 0 */
static double least_gradient(const lower *a, ptrdiff_t u)
{
    const crs_design *d = &a->m->d;
    double size = 0;
    for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++) size += d->size[j];
    return 0x1p-44 * sqrt(size / (double)d->n) * crs_norm(d->n, a->s);
}

/* F(b) for the point b, whose value is F_0, less the bound at x; INFINITY: there is none. */
static double gap_at(const lower *a, double level)
{
    const crs_design *d = &a->m->d;
    double inner = 0, sum = 0, most = 0, curved = 0;
    for (ptrdiff_t u = 0; u < d->units; u++) {
        const double g = unit_norm(d, u, a->g), w = d->weight[u], over = pos(g - w * a->slope);
        for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++) {
            inner += a->g[j] * a->x[j];
            sum += fabs(a->g[j] * a->x[j]);
        }
        if (is_free(a, u) && !(g <= least_gradient(a, u))) return INFINITY;
        if (is_free(a, u)) continue;
        most = larger(most, over > 0 ? over / (w * a->slope) : 0);
        curved += over > 0 ? square(over) / (2 * w * a->bend) : 0;
    }
    const double reach = smaller(most * level, curved);
    const double rounding = 0x1p-48 * (level + a->loss + sum);
    return larger(0, level - a->loss + inner + reach) + rounding;
}

/* The units that are not 0, or those without a penalty alone */
static void choose(lower *a, bool all)
{
    const crs_design *d = &a->m->d;
    a->count = 0;
    for (ptrdiff_t u = 0; u < d->units; u++)
        if (d->length[u] > 0 && (is_free(a, u) || (all && unit_norm(d, u, a->x) > 0)))
            for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++) a->chosen[a->count++] = j;
}

/* x less Newton's step on the chosen columns; false: it cannot be made. */
static bool newton(lower *a)
{
    const crs_design *d = &a->m->d;
    const crs_support at = { .d = d,
                             .value = a->value,
                             .h = a->h,
                             .b = a->x,
                             .count = a->count,
                             .chosen = a->chosen,
                             .row = a->s };
    for (ptrdiff_t i = 0; i < d->n; i++) a->h[i] = loss_curve(d->loss, loss_argument(d, a->e, i));
    if (!crs_support_step(&at, a->g, a->hess, a->step)) return false;
    for (ptrdiff_t i = 0; i < a->count; i++) a->x[a->chosen[i]] -= a->step[i];
    return true;
}

enum { STEPS = 6 };

/* F(b) - min F in the engine's units, at most; INFINITY: not known */
static bool gap_of_convex(const crease_regression *m, const double *point, const crs_known *known,
                          const double *par, double *gap, crease_error *e)
{
    const crease_penalty *rho = m->s.penalty.penalty;
    crs_penalty_value value = { .rho = rho, .weight = 1 };
    copy(CREASE_PARS, par, value.par);
    lower a = { .m = m, .value = &value, .slope = rho->slope(par, 0) };
    a.bend = rho->slope(par, 1) - a.slope;
    a.memory = carve_block(carve_lower, &a);
    if (!a.memory) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a bound of the objective");
    take_known(&a, point, known);
    const double level = a.total, enough = CRS_NEAR * m->s.eps * level;
    *gap = gap_at(&a, level);
    bool room = true;
    for (int k = 0; k < STEPS && !(*gap <= enough); k++) {
        choose(&a, *gap < INFINITY || k >= STEPS / 2);
        if (a.count > CRS_MOST_SUPPORT) break;
        crs_free(a.hess);
        a.hess = crs_doubles(crs_support_room(a.count), "a bound of the objective", e);
        room = a.hess;
        if (!room || !newton(&a)) break;
        evaluate_lower(&a);
        const double next = gap_at(&a, level);
        if (next < *gap) *gap = next;
    }
    crs_free(a.hess);
    crs_free(a.memory);
    return room;
}

/* Curvature less concavity, least over the units; a column of zeros never moves. */
static double margin(const crease_regression *m, const double *par)
{
    const crs_design *d = &m->d;
    const double concavity = m->s.penalty.penalty->weak_convexity(par);
    double least = INFINITY;
    for (ptrdiff_t u = 0; u < d->units; u++)
        if (d->length[u] > 0) least = smaller(least, d->length[u] - times(d->weight[u], concavity));
    return d->loss->quadratic ? least : NAN;
}

/* Within CRS_NEAR eps of the least value? A gap of the engine's units becomes one of the
 * objective's.
 */
static void judge_gap(const crease_regression *m, ptrdiff_t k, double gap,
                      crease_regression_certificate *out)
{
    out->gap = gap * square(m->d.c);
    out->convexity = out->gap <= CRS_NEAR * m->s.eps * m->solution[k].objective
                         ? CREASE_CONVEXITY_GLOBAL
                         : CREASE_CONVEXITY_CONVEX;
}

static bool judge_convexity(const crease_regression *m, ptrdiff_t k, const crs_known *known,
                            crease_regression_certificate *out, crease_error *e)
{
    const crs_design *d = &m->d;
    const crease_penalty *p = m->s.penalty.penalty;
    double par[CREASE_PARS], most = 0, gap = NAN;
    view v = { .count = 0 };
    crs_penalty_at(&m->s.penalty, m->lambda[k], par);
    out->eigenvalue = out->gap = NAN;
    out->margin = margin(m, par);
    if ((p->convex || m->lambda[k] == 0) && d->loss->low >= 0) {
        if (!gap_of_convex(m, crease_regression_point(m, k), known, par, &gap, e)) return false;
        judge_gap(m, k, gap, out);
        return true;
    }
    for (ptrdiff_t u = 0; u < d->units; u++) most = larger(most, d->weight[u]);
    const bool done = look(m, k, known, par, &v, out, e);
    const double modulus = m->least - times(most, p->weak_convexity(par));
    if (modulus > 0)
        judge_gap(m, k, square(out->residual.residual / (double)d->n) / (2 * modulus), out);
    double *const owned[] = { v.e, v.s, v.h, v.matrix };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crs_free(owned[i]);
    crs_free(v.chosen);
    return done;
}

/* x_ij as the problem has it, whose coupling has the weights; squares have them in x and y. */
static double unweighed(const crs_design *d, ptrdiff_t i, double x)
{
    return !d->root ? x : d->root[i] > 0 ? x / d->root[i] : 0;
}

/* Are the columns of the design, transposed, not the matrix of the problem? */
static bool has_rows_of_its_own(const crs_design *d)
{
    bool moved = d->root;
    for (ptrdiff_t j = 0; j < d->cols; j++) moved = moved || d->column[j] != j;
    return moved;
}

static bool fill_rows(crease_regression *m, crease_error *e)
{
    const crs_design *d = &m->d;
    enum { ROWS = 32 };
    if (!has_rows_of_its_own(d)) {
        m->part[0] = crease_dense(d->x);
        m->map = crease_transposed(&m->part[0]);
        return true;
    }
    m->rows = crs_doubles(d->n * d->cols, "the rows of X", e);
    if (!m->rows) return false;
    for (ptrdiff_t low = 0; low < d->n; low += ROWS) {
        const ptrdiff_t high = low + ROWS < d->n ? low + ROWS : d->n;
        for (ptrdiff_t j = 0; j < d->cols; j++)
            for (ptrdiff_t i = low; i < high; i++)
                m->rows[i * d->cols + d->column[j]] = unweighed(d, i, d->x[j * d->n + i]);
    }
    m->map = crease_dense(m->rows);
    return true;
}

/* The entries by rows, and -u shift' for what the means take from every row. */
static bool fill_sparse(crease_regression *m, crease_error *e)
{
    const crs_design *d = &m->d;
    ptrdiff_t *start = crs_alloc((size_t)d->n + 1, sizeof *start);
    ptrdiff_t *col = crs_alloc((size_t)d->entries, sizeof *col);
    double *value = crs_doubles(d->entries, "the rows of X", e);
    double *u = crs_doubles(d->n, "the rows of X", e), *v = crs_doubles(d->cols, "the means", e);
    m->csr = (crease_csr_matrix){ d->n, d->cols, start, col, value };
    m->shifts = (crease_factored_matrix){ d->n, d->cols, 1, u, v };
    if (!start || !col || !value || !u || !v) return false;
    for (ptrdiff_t k = 0; k < d->entries; k++) start[d->at[k] + 1]++;
    for (ptrdiff_t i = 0; i < d->n; i++) start[i + 1] += start[i];
    for (ptrdiff_t j = 0; j < d->cols; j++) {
        v[d->column[j]] = -d->shift[j];
        for (ptrdiff_t k = d->first[j]; k < d->first[j + 1]; k++) {
            const ptrdiff_t to = start[d->at[k]]++;
            col[to] = d->column[j];
            value[to] = unweighed(d, d->at[k], d->value[k]);
        }
    }
    for (ptrdiff_t i = d->n; i > 0; i--) start[i] = start[i - 1];
    start[0] = 0;
    for (ptrdiff_t i = 0; i < d->n; i++) u[i] = unweighed(d, i, d->r[i]);
    m->part[0] = crease_csr(&m->csr);
    m->part[1] = crease_low_rank(&m->shifts);
    m->parts = (crease_map_list){ 2, m->part, NULL };
    m->map = crease_map_sum(&m->parts);
    return true;
}

static crease_reg penalty_at(const crease_regression *m, double lambda)
{
    crease_reg r = m->s.penalty;
    crs_penalty_at(&m->s.penalty, lambda, r.par);
    if (crs_is_kind(&r, CREASE_KIND_GROUPS)) r.groups = &m->groups;
    return crease_weighted(r, m->weight);
}

bool crs_regression_problems(crease_regression *m, crease_error *e)
{
    const crs_design *d = &m->d;
    m->weight = crs_doubles(d->units, "the weights", e);
    m->block = crs_alloc((size_t)m->s.path, sizeof *m->block);
    m->problem = crs_alloc((size_t)m->s.path, sizeof *m->problem);
    if (!(d->sparse ? fill_sparse : fill_rows)(m, e) || !m->weight || !m->block || !m->problem)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the problems of a path");
    for (ptrdiff_t u = 0; u < d->units; u++) m->weight[u] = (double)d->n * d->weight[u];
    m->groups = (crease_groups){ d->units, d->start, d->column };
    m->space = crease_vector(d->cols);
    const crease_smooth f = crease_regression_smooth(m->s.loss, &m->predictor);
    m->predictor = (crease_predictor){ 1,    &m->block_number,       &m->map, crease_vector(d->n),
                                       d->y, d->root ? d->row : NULL };
    for (ptrdiff_t k = 0; k < m->s.path; k++) {
        m->block[k] = (crease_block){ .name = "b", .reg = penalty_at(m, m->lambda[k]) };
        m->problem[k] =
            (crease_problem){ .count = 1, .space = &m->space, .block = m->block + k, .f = f };
    }
    return crease_problem_check(m->problem, e) && crs_known_prepare(m, e) && least_of_gram(m, e);
}

/* The checker's word, in extended precision. */
static bool ask_checker(const crease_regression *m, ptrdiff_t k, crease_regression_certificate *out,
                        crease_error *e)
{
    const double *x = crease_regression_point(m, k);
    crease_verification v;
    const crease_claim claim = {
        .p = m->problem + k, .x = &x, .eps = m->s.eps * out->residual.scale, .watch = m->s.watch
    };
    if (!crease_claim_verify(&claim, &v, e)) return false;
    out->checked = true;
    out->verdict = v.verdict;
    out->certified = out->certified && v.verdict == CREASE_VERDICT_VALID;
    crease_verification_free(&v);
    return true;
}

static void tell(const crease_regression *m, ptrdiff_t k, const crease_certificate *c)
{
    const crease_progress row = { .iteration = (long)(k + 1),
                                  .objective = m->solution[k].objective,
                                  .feasibility = NAN,
                                  .worst = c->worst,
                                  .worst_relative = c->worst_relative,
                                  .theta = NAN,
                                  .potential = NAN };
    const crease_phase was = crease_watch_enter(m->s.watch, CREASE_PHASE_CERTIFY);
    crs_watch_aim(m->s.watch, m->s.eps, true);
    crs_watch_part(m->s.watch, (double)(k + 1), (double)m->s.path);
    crs_watch_say(m->s.watch, "lambda %td of %td", k + 1, m->s.path);
    crs_watch_tell(m->s.watch, &row);
    crease_watch_enter(m->s.watch, was);
}

bool crease_regression_certify(const crease_regression *m, ptrdiff_t k, bool check,
                               crease_regression_certificate *out, crease_error *e)
{
    if (m->on) return crs_rows_certify(m, k, out);
    const crease_problem *p = m->problem + k;
    crease_residual residual;
    crease_certificate c = { .block = &residual, .reference = m->reference, .watch = m->s.watch };
    const ptrdiff_t known_room = crs_known_room(m);
    double *room = crs_doubles(known_room + crease_certify_scratch(p), "a certificate", e);
    if (!room) return false;
    const crs_known known = crs_known_at(m, k, room);
    crs_certify_known(p, crease_regression_point(m, k), &known, &c, room + known_room);
    *out = (crease_regression_certificate){ .residual = residual, .relative = c.worst_relative };
    out->certified = out->relative <= m->s.eps;
    tell(m, k, &c);
    const bool asked = !(out->certified && check) || ask_checker(m, k, out, e);
    const bool done = asked && judge_convexity(m, k, &known, out, e);
    crs_free(room);
    return done;
}
