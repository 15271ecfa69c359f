/* SPDX-License-Identifier: MIT
 * regress: the solutions of a regression from X, y and the reported coefficients
 *
 * The design is made anew in long double: z_ij = (x_ij - mean_j) / (spread_j c), a column of `one`
 * over c for b_0 unless the squared loss eliminates it, and then z and y are times sqrt(v_i), v
 * = 1. The point of every lambda is then judged on min sum_i v_i phi((z b - y)_i) + n sum_u w_u
 * rho_lambda(|b_u|), and the coefficients must be b_j/spread_j, the intercept b_0 - sum_j
 * coefficient_j mean_j, up to rounding. */
#include <stdio.h>

#include "core/carve.h"
#include "verify/regress.h"
#include "verify/verify.h"

typedef crs_claimed_design design;

static void carve(void *self, crs_carver *m)
{
    design *d = self;
    const ptrdiff_t n = d->rows ? 0 : d->c->n, p = d->c->p;
    const crease_csr_matrix *X = d->c->sparse;
    d->z = X ? carve_doubles(m, X->start[n], 1) : carve_doubles(m, n, d->cols);
    d->u = carve_doubles(m, X ? n : 0, 1);
    d->shift = carve_doubles(m, X ? d->cols : 0, 1);
    d->met = carve_bytes(m, X ? p : 0, sizeof *d->met);
    d->low = carve_bytes(m, X ? p : 0, sizeof *d->low);
    d->high = carve_bytes(m, X ? p : 0, sizeof *d->high);
    d->y = carve_doubles(m, n, 1);
    d->v = carve_doubles(m, n, 1);
    d->weight = carve_doubles(m, d->units, 1);
    d->center = carve_bytes(m, p, sizeof *d->center);
    d->spread = carve_bytes(m, p, sizeof *d->spread);
    d->most = carve_bytes(m, p, sizeof *d->most);
    d->start = carve_bytes(m, d->units + 1, sizeof *d->start);
    d->index = carve_bytes(m, d->cols, sizeof *d->index);
}

static void set_row_weights(design *d)
{
    const double *given = d->c->s.row_weight;
    real sum = 0;
    for (ptrdiff_t i = 0; given && i < d->c->n; i++) sum += given[i];
    for (ptrdiff_t i = 0; i < d->c->n; i++)
        d->v[i] = given ? (double)(given[i] / sum * (real)d->c->n) : 1;
}

/* What a row is times by its weight */
static real root_of(const design *d, ptrdiff_t i) { return d->squared ? sqrtl(d->v[i]) : 1; }

static real mean_of(const design *d, const double *t, ptrdiff_t step)
{
    real sum = 0;
    for (ptrdiff_t i = 0; i < d->c->n; i++) sum += (real)d->v[i] * t[i * step];
    return sum / (real)d->c->n;
}

static void set_column(design *d, ptrdiff_t j)
{
    const crease_regression_claim *c = d->c;
    const real center = c->s.intercept ? mean_of(d, c->X + j, c->p) : 0;
    real sum = 0;
    double low = INFINITY, high = -INFINITY;
    for (ptrdiff_t i = 0; i < c->n; i++) {
        const double x = c->X[i * c->p + j];
        const real t = x - center;
        sum += d->v[i] * t * t;
        d->most[j] = bigger(d->most[j], fabsl(x));
        if (d->v[i] > 0 && x < low) low = x;
        if (d->v[i] > 0 && x > high) high = x;
    }
    const bool left_out = c->s.intercept && low == high; /* zeros stand for a constant */
    if (left_out) sum = 0;
    const real spread = c->s.standardize && sum > 0 ? sqrtl(sum / (real)c->n) : 1;
    for (ptrdiff_t i = 0; i < c->n; i++)
        d->z[i * d->cols + j] = left_out ? 0
                                         : (double)((c->X[i * c->p + j] - center) * root_of(d, i) /
                                                    spread / c->s.loss_scale);
    d->center[j] = center;
    d->spread[j] = spread;
}

/* Beside the means of its columns: their squares about them, of the rows without an entry too, and
 * the range of what counts. */
static void survey_sparse(design *d)
{
    const crease_csr_matrix *X = d->c->sparse;
    const real n = (real)d->c->n;
    for (ptrdiff_t i = 0; i < X->rows; i++)
        for (ptrdiff_t k = X->start[i]; k < X->start[i + 1]; k++)
            if (d->c->s.intercept) d->center[X->col[k]] += d->v[i] * (real)X->value[k] / n;
    for (ptrdiff_t i = 0; i < X->rows; i++)
        for (ptrdiff_t k = X->start[i]; k < X->start[i + 1]; k++) {
            const ptrdiff_t j = X->col[k];
            const real x = X->value[k], t = x - d->center[j];
            d->spread[j] += d->v[i] * t * t;
            d->most[j] = bigger(d->most[j], fabsl(x));
            if (d->v[i] == 0) continue;
            if (d->met[j] == 0 || x < d->low[j]) d->low[j] = x;
            if (d->met[j] == 0 || x > d->high[j]) d->high[j] = x;
            d->met[j] += 1;
        }
}

/* A column with an intercept beside it that is constant is left out: zeros stand for it. */
static bool is_left_out(const design *d, ptrdiff_t j, real rows)
{
    const bool zeros = d->met[j] < rows;
    const real low = zeros && d->low[j] > 0 ? 0 : d->low[j];
    const real high = zeros && d->high[j] < 0 ? 0 : d->high[j];
    return d->c->s.intercept && low == high;
}

static void set_sparse(design *d)
{
    const crease_regression_claim *c = d->c;
    const crease_csr_matrix *X = c->sparse;
    real rows = 0, weight = 0;
    survey_sparse(d);
    for (ptrdiff_t i = 0; i < c->n; i++) {
        rows += d->v[i] > 0, weight += d->v[i];
        d->u[i] = (double)root_of(d, i);
    }
    for (ptrdiff_t j = 0; j < c->p; j++) d->low[j] = is_left_out(d, j, rows), d->met[j] = 0;
    for (ptrdiff_t i = 0; i < c->n; i++)
        for (ptrdiff_t k = X->start[i]; k < X->start[i + 1]; k++) d->met[X->col[k]] += d->v[i];
    for (ptrdiff_t j = 0; j < c->p; j++) {
        const real rest = bigger(0, weight - d->met[j]);
        const real sum = d->spread[j] + rest * d->center[j] * d->center[j];
        const bool scaled = c->s.standardize && d->low[j] == 0 && sum > 0;
        d->spread[j] = scaled ? sqrtl(sum / (real)c->n) : 1;
        d->shift[j] = d->low[j] != 0 ? 0 : (double)(-d->center[j] / d->spread[j] / c->s.loss_scale);
    }
    for (ptrdiff_t i = 0; i < c->n; i++)
        for (ptrdiff_t k = X->start[i]; k < X->start[i + 1]; k++) {
            const ptrdiff_t j = X->col[k];
            const real z = X->value[k] * root_of(d, i) / d->spread[j] / c->s.loss_scale;
            d->z[k] = d->low[j] != 0 ? 0 : (double)z;
        }
}

real crs_claimed_one(double widest)
{
    int k;
    frexp(widest, &k);
    return k > 10 || k < -10 ? ldexpl(1, k) : 1;
}

/* Of the largest range of a column (the largest entry if sparse) of an X that is not standardized
 */
static real one_of(const crease_regression_claim *c)
{
    const crease_csr_matrix *X = c->s.standardize ? NULL : c->sparse;
    double widest = 0;
    for (ptrdiff_t i = 0; X && i < c->n; i++)
        for (ptrdiff_t at = X->start[i]; at < X->start[i + 1]; at++)
            if ((!c->s.row_weight || c->s.row_weight[i] > 0) && fabs(X->value[at]) > widest)
                widest = fabs(X->value[at]);
    for (ptrdiff_t j = 0; j < c->p && c->X && !c->s.standardize; j++) {
        double least = INFINITY, most = -INFINITY;
        for (ptrdiff_t i = 0; i < c->n; i++) {
            const double x = c->X[i * c->p + j];
            if (c->s.row_weight && c->s.row_weight[i] == 0) continue;
            if (x < least) least = x;
            if (x > most) most = x;
        }
        if (most - least > widest) widest = most - least;
    }
    return crs_claimed_one(widest);
}

static void set_rows(design *d)
{
    const crease_regression_claim *c = d->c;
    const bool labels = c->s.loss == CREASE_REGRESSION_LOGISTIC;
    d->one = one_of(c);
    d->y_center = d->centred ? mean_of(d, c->y, 1) : 0;
    for (ptrdiff_t i = 0; i < c->n; i++) {
        const real t = (c->y[i] - d->y_center) * root_of(d, i) / c->s.loss_scale;
        d->y_most = bigger(d->y_most, fabs(c->y[i]));
        d->y[i] = labels ? (c->y[i] == 1 ? 1 : -1) : (double)t;
        if (d->cols > c->p && c->X) d->z[i * d->cols + c->p] = (double)(d->one / c->s.loss_scale);
    }
    if (d->cols > c->p && c->sparse) d->shift[c->p] = (double)(d->one / c->s.loss_scale);
}

/* n w_u/c^2; w is 1, or the root of a group's size, where none is given, and 0 for b_0. */
static void set_units(design *d)
{
    const crease_reg *r = &d->c->s.penalty;
    const crease_groups *g = r->groups;
    const double c = d->c->s.loss_scale;
    const ptrdiff_t count = g ? g->count : d->c->p;
    for (ptrdiff_t j = 0; j < d->cols; j++)
        d->index[j] = g && g->index && j < d->c->p ? g->index[j] : j;
    for (ptrdiff_t u = 0; u < d->units; u++) {
        d->start[u + 1] = u == count ? d->cols : g ? g->start[u + 1] : u + 1;
        const real own = sqrtl((real)(d->start[u + 1] - d->start[u]));
        d->weight[u] =
            u == count ? 0 : (double)((r->weight ? r->weight[u] : own) * (real)d->c->n / c / c);
    }
}

static bool check(const design *d, crease_error *e)
{
    const crease_regression_claim *c = d->c;
    const crease_space columns = crease_vector(c->p);
    const crease_reg *r = &c->s.penalty;
    if (c->n < 1 || c->p < 1 || c->s.path < 1 || !c->s.lambda)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the claim has %td rows, %td columns and %td lambdas; give one of each",
                        c->n, c->p, c->s.path);
    if ((!d->rows && !c->X == !c->sparse) ||
        (c->sparse && (c->sparse->rows != c->n || c->sparse->cols != c->p)))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the claim has two X, none, or one of another shape; give X or sparse");
    for (ptrdiff_t k = 0; c->sparse && k < c->sparse->start[c->n]; k++)
        if (c->sparse->col[k] < 0 || c->sparse->col[k] >= c->p)
            return crs_fail(e, CREASE_BAD_DATA, "X has a column %td of %td", c->sparse->col[k] + 1,
                            c->p);
    if (!(c->s.loss_scale > 0 && c->s.loss_scale < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the scale of the loss is %g; give the one in use",
                        c->s.loss_scale);
    if (!r->ops || !r->penalty)
        return crs_fail(e, CREASE_UNSUPPORTED, "the claim has no penalty of single entries");
    return crease_reg_check(r, &columns, e);
}

bool crs_claimed_open(crs_claimed_design *d, crease_error *e)
{
    const crease_regression_claim *c = d->c;
    if (!check(d, e)) return false;
    d->squared = c->s.loss == CREASE_REGRESSION_SQUARED;
    d->centred = c->s.intercept && d->squared;
    d->cols = c->p + (c->s.intercept && !d->centred);
    d->units = (c->s.penalty.groups ? c->s.penalty.groups->count : c->p) + d->cols - c->p;
    d->memory = carve_block(carve, d);
    if (!d->memory)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: verifying a regression on %td columns",
                        c->p);
    set_units(d);
    return true;
}

bool crs_claimed_build(crs_claimed_design *d, crease_error *e)
{
    const crease_regression_claim *c = d->c;
    if (!crs_claimed_open(d, e)) return false;
    set_row_weights(d);
    if (c->sparse) set_sparse(d);
    for (ptrdiff_t j = 0; j < c->p && c->X && !crease_watch_over(c->s.watch); j++) set_column(d, j);
    set_rows(d);
    return true;
}

/* rho at lambda: its first parameter, both of the elastic net, times lambda. */
crease_reg crs_claimed_penalty(const design *d, double lambda, crease_groups *g)
{
    *g = (crease_groups){ d->units, d->start, d->index };
    crease_reg r = d->c->s.penalty;
    r.par[0] *= lambda;
    if (strcmp(r.penalty->name, "elastic-net") == 0) r.par[1] *= lambda;
    if (r.groups) r.groups = g;
    return crease_weighted(r, d->weight);
}

/* The problem whose point is that of lambda k; its parts point to one another. */
typedef struct {
    const double *x;
    int first;
    crease_csr_matrix entries;
    crease_factored_matrix means;
    crease_map both[2], map;
    crease_map_list list;
    crease_space space;
    crease_groups groups;
    crease_predictor predictor;
    crease_block block;
    crease_problem problem;
} posed;

static void pose(const design *d, ptrdiff_t k, posed *p)
{
    const crease_regression_claim *c = d->c;
    const crease_csr_matrix *X = c->sparse;
    *p = (posed){ .x = c->point + k * d->cols, .space = crease_vector(d->cols) };
    p->entries = (crease_csr_matrix){ c->n, d->cols, X ? X->start : NULL, X ? X->col : NULL, d->z };
    p->means = (crease_factored_matrix){ c->n, d->cols, 1, d->u, d->shift };
    p->both[0] = crease_csr(&p->entries), p->both[1] = crease_low_rank(&p->means);
    p->list = (crease_map_list){ 2, p->both, NULL };
    p->map = X ? crease_map_sum(&p->list) : crease_dense(d->z);
    p->predictor = (crease_predictor){ 1,       &p->first,
                                       &p->map, crease_vector(c->n),
                                       d->y,    d->squared ? NULL : d->v };
    p->block =
        (crease_block){ .name = "b", .reg = crs_claimed_penalty(d, c->s.lambda[k], &p->groups) };
    p->problem = (crease_problem){ .count = 1,
                                   .space = &p->space,
                                   .block = &p->block,
                                   .f = crease_regression_smooth(c->s.loss, &p->predictor) };
}

bool crs_claimed_judge(const crs_claimed_design *d, ptrdiff_t k, bool relative,
                       crease_verification *out, crease_error *e)
{
    posed p;
    pose(d, k, &p);
    const crease_claim claim = { .p = &p.problem,
                                 .x = &p.x,
                                 .eps = relative ? d->c->s.eps : 0,
                                 .relative = relative,
                                 .watch = d->c->s.watch };
    return crease_claim_verify(&claim, out, e);
}

bool crs_claimed_objective(const crs_claimed_design *d, ptrdiff_t k, real *value, crease_error *e)
{
    posed p;
    pose(d, k, &p);
    crs_verifier v = { .p = &p.problem, .watch = d->c->s.watch };
    if (!crs_objective(&v, &p.x, value)) *value = NAN;
    crs_rooms_free(&v);
    *value /= (real)d->c->n;
    return !v.no_memory || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the objective");
}

static void refuse(crease_verification *v, const char *what, ptrdiff_t j, double is, real should)
{
    v->verdict = CREASE_VERDICT_INVALID;
    v->smallest_eps = INFINITY;
    snprintf(v->text, sizeof v->text, "%s %td is %.17g, but the certified point makes it %.17Lg",
             what, j, is, should);
}

/* Are the reported numbers those of the point, up to what sums of n numbers in double may be off?
 */
void crs_claimed_compare(const design *d, ptrdiff_t k, crease_verification *v)
{
    const crease_regression_claim *c = d->c;
    const double *b = c->point + k * d->cols, *coef = c->coefficients + k * (c->p + 1);
    const real unit = (real)(c->n + c->p + 8) * 0x1p-52L, least = 0x1p-1070L;
    real at = d->centred ? d->y_center : d->cols > c->p ? d->one * b[c->p] : 0, size = fabsl(at);
    if (d->centred) size = bigger(size, d->y_most);
    for (ptrdiff_t j = 0; j < c->p; j++) {
        if (b[j] == 0 && coef[j + 1] == 0) continue;
        const real should = b[j] / d->spread[j];
        if (!(fabsl(coef[j + 1] - should) <= unit * fabsl(should) + least)) {
            refuse(v, "the coefficient of column", j + 1, coef[j + 1], should);
            return;
        }
        if (!c->s.intercept) continue;
        at -= coef[j + 1] * d->center[j];
        size += fabsl(coef[j + 1]) * d->most[j];
    }
    if (!(fabsl(coef[0] - at) <= unit * size + least))
        refuse(v, "the intercept at lambda", k + 1, coef[0], at);
}

bool crs_claimed_take(const crease_regression_claim *claim, crease_regression_claim *own,
                      crease_error *e)
{
    *own = (crease_regression_claim){ claim->n,      claim->p,
                                      claim->X,      claim->y,
                                      claim->point,  claim->coefficients,
                                      claim->sparse, crease_regression_default() };
    return crs_settings_take("regression", &own->s, sizeof own->s, &claim->s, e);
}

/* Those that are open, in extended precision on a design in memory */
static bool verify_open(const crease_regression_claim *c, const bool *open,
                        crease_verification *out, crease_error *e)
{
    design d = { .c = c };
    bool any = c->s.path < 1, done = true;
    for (ptrdiff_t k = 0; k < c->s.path; k++) any = any || open[k];
    if (any) done = crs_claimed_build(&d, e);
    for (ptrdiff_t k = 0; k < c->s.path && done; k++) {
        if (!open[k]) continue;
        crease_verification_free(&out[k]);
        done = crs_claimed_judge(&d, k, true, &out[k], e);
        if (done && out[k].verdict != CREASE_VERDICT_UNFINISHED)
            crs_claimed_compare(&d, k, &out[k]);
    }
    crs_free(d.memory);
    return done;
}

bool crease_regression_verify(const crease_regression_claim *claim, crease_verification *out,
                              crease_error *e)
{
    crease_regression_claim own;
    if (!crs_claimed_take(claim, &own, e)) return false;
    const ptrdiff_t path = own.s.path;
    for (ptrdiff_t k = 0; k < path; k++) out[k] = (crease_verification){ 0 };
    double *objective = path > 0 ? crs_doubles(path, "verifications", e) : NULL;
    bool *open = objective ? crs_alloc((size_t)path, sizeof *open) : NULL;
    bool done =
        open || path < 1 || crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td verifications", path);
    const crs_claimed_quick quick = { out, objective, NULL, open };
    done = done && crs_claimed_quickly(&own, NULL, &quick, e) && verify_open(&own, open, out, e);
    crs_free(objective);
    crs_free(open);
    for (ptrdiff_t k = 0; k < path && !done; k++) crease_verification_free(&out[k]);
    return done;
}
