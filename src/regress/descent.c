/* SPDX-License-Identifier: MIT
 * descent: a stationary point at one lambda by coordinate descent on a working set of units
 *
 * Sweeps over the working set until dist(-grad f, dr) there is within tolerance, then all other
 * units are tested, until no zero is in doubt. Exact minimization over a coordinate whose curvature
 * v exceeds the penalty's concavity k decreases F by (v-k)/2 |db|^2 or more, so the rate of
 * proximal BCD holds with v-k in place of its weight. */
#include "regress/regress.h"

enum { MOST_GRAM = 2000, MOMENTS = 32 }; /* columns whose Gram matrix is kept; slopes that are */
static const double LIKELY = 1.1;        /* by what a gradient may well have grown */

void crs_descent_free(crs_descent *t)
{
    if (t) crs_free(t->memory);
    crs_free(t);
}

static void carve(void *self, crs_carver *m)
{
    crs_descent *t = self;
    const crs_design *d = t->d;
    double **const of_cols[] = { &t->b, &t->base, &t->grad, &t->step, &t->origin, &t->tilt };
    double **const of_rows[] = { &t->e, &t->s, &t->h, &t->m, &t->kept };
    double **const of_units[] = { &t->curve, &t->reach };
    double **const of_moments[] = { &t->share, &t->rest, &t->moved };
    for (int k = 0; k < 6; k++) *of_cols[k] = carve_doubles(m, d->cols, 1);
    for (int k = 0; k < 5; k++) *of_rows[k] = carve_doubles(m, d->n, 1);
    for (int k = 0; k < 2; k++) *of_units[k] = carve_doubles(m, d->units, 1);
    for (int k = 0; k < 3; k++) *of_moments[k] = carve_doubles(m, t->moments, 1);
    t->seen = carve_doubles(m, t->moments, d->n);
    t->stamp = carve_bytes(m, d->units, sizeof *t->stamp);
    t->g = carve_doubles(m, t->room, t->room);
    t->pack = carve_doubles(m, t->room, t->room);
    t->past = carve_doubles(m, CRS_PAST + 1, t->room);
    t->q = carve_doubles(m, t->room, 1);
    t->newton = carve_doubles(m, t->gram ? 0 : crs_support_room(d->cols), 1);
    t->chosen = carve_bytes(m, t->gram ? 0 : d->cols, sizeof *t->chosen);
    t->order = carve_bytes(m, t->room, sizeof *t->order);
    t->work = carve_bytes(m, d->units, sizeof *t->work);
    t->hopeful = carve_bytes(m, d->units, sizeof *t->hopeful);
    t->slot = carve_bytes(m, d->cols, sizeof *t->slot);
    t->slot_column = carve_bytes(m, t->room, sizeof *t->slot_column);
    t->in_set = carve_bytes(m, d->units, 1);
}

crs_descent *crs_descent_new(const crs_design *d, crease_error *e)
{
    crs_descent *t = crs_alloc(1, sizeof *t);
    if (t) {
        t->d = d;
        t->gram = d->loss->quadratic;
        for (t->moments = 1; 2 * t->moments <= MOMENTS && 2 * t->moments <= d->units;)
            t->moments *= 2;
        t->room = t->gram ? (d->cols < MOST_GRAM ? d->cols : MOST_GRAM) : 1;
    }
    if (!t || !(t->memory = carve_block(carve, t))) {
        crs_descent_free(t);
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: coordinate descent on %td columns", d->cols);
        return NULL;
    }
    for (ptrdiff_t j = 0; j < d->cols; j++) t->slot[j] = -1;
    return t;
}

void crs_descent_visit(crs_visitor *v, crs_descent *t)
{
    crs_descent plan = *t;
    crs_carver count = { 0 };
    carve(&plan, &count);
    crs_visit_bytes(v, "arrays", t->b, (size_t)count.used); /* the first of them */
    crs_visit(v, t->moment);
    crs_visit(v, t->working);
    crs_visit(v, t->filled);
    crs_visit(v, t->packed);
    crs_visit(v, t->packed_columns);
    crs_visit(v, t->points);
    crs_visit(v, t->sweeps);
}

void crs_penalty_at(const crease_reg *one, double lambda, double par[CREASE_PARS])
{
    for (int k = 0; k < CREASE_PARS; k++) par[k] = one->par[k];
    par[0] *= lambda;
    if (one->penalty == &crs_elastic_net) par[1] *= lambda;
}

/* g = x_u's/n */
static void gradient(const crs_descent *t, ptrdiff_t u, double *g)
{
    const crs_design *d = t->d;
    for (ptrdiff_t j = d->start[u], k = 0; j < d->start[u + 1]; j++, k++)
        g[k] = column_dot(d, j, t->s, t->total) / (double)d->n;
}

static void set_slopes(crs_descent *t)
{
    crs_loss_slopes(t->d, t->e, t->s);
    t->total = lifted(t->d, t->s);
}

/* One unit (a column or a group) of sum_u w_u rho(|b_u|): its step, its distance from
 * stationarity, its value. */
static const crs_penalty_value *value_of(crs_descent *t, ptrdiff_t u)
{
    t->value.weight = t->d->weight[u];
    return &t->value;
}

/* Zero columns: nothing but the penalty is left. */
static double flat(const crs_penalty_value *r, double b) { return r->weight > 0 ? zero_at(b) : b; }

/* out = the minimizer over unit u of <g, .> + (curve/2)|. - b|^2 + w rho. */
static void unit_step(crs_descent *t, ptrdiff_t u, double curve, const double *b, const double *g,
                      double *out)
{
    const crs_penalty_value *r = value_of(t, u);
    const ptrdiff_t k = unit_size(t->d, u);
    if (k == 1) {
        *out = curve > 0 ? crs_scalar_prox(r, 1 / curve, *b - *g / curve) : flat(r, *b);
        return;
    }
    for (ptrdiff_t j = 0; j < k; j++) out[j] = curve > 0 ? b[j] - g[j] / curve : flat(r, b[j]);
    const double norm = crs_norm(k, out);
    if (!(curve > 0) || norm == 0) return;
    const double factor = crs_scalar_prox(r, 1 / curve, norm) / norm;
    for (ptrdiff_t j = 0; j < k; j++) out[j] = factor == 0 ? 0 : factor * out[j];
}

/* dist(-g, w d rho(|b|))^2 */
static double unit_dist(crs_descent *t, ptrdiff_t u, const double *b, const double *g)
{
    const crs_penalty_value *r = value_of(t, u);
    const ptrdiff_t k = unit_size(t->d, u);
    if (k == 1) return square(crs_scalar_dist(r, *b, -*g));
    const double y = crs_norm(k, b);
    if (y == 0) return square(crs_scalar_dist(r, 0, crs_norm(k, g)));
    double radial = 0, sum = 0;
    for (ptrdiff_t j = 0; j < k; j++) radial -= g[j] * (b[j] / y);
    const double slope = crs_scalar_nearest(r, y, radial);
    for (ptrdiff_t j = 0; j < k; j++) sum += square(g[j] + slope * (b[j] / y));
    return sum;
}

double crs_units_value(crs_descent *t)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < t->working; i++) {
        const ptrdiff_t u = t->work[i];
        const crs_penalty_value *r = value_of(t, u);
        sum += crs_scalar_value(r, crs_norm(unit_size(t->d, u), t->b + t->d->start[u]));
    }
    return sum;
}

static void measure_penalty(crs_descent *t)
{
    t->first = t->value.rho->slope(t->value.par, 0);
    t->concavity = t->value.rho->weak_convexity(t->value.par);
}

/* Does a gradient of this length leave b_u = 0 where it is? Where the curvature makes rho convex it
 * does up to w rho'(0), which saves the prox of nearly all. */
static bool unit_stays(crs_descent *t, ptrdiff_t u, double length)
{
    const crs_penalty_value *r = value_of(t, u);
    const double curve = t->d->length[u] * t->d->loss->high;
    if (curve > r->weight * t->concavity && length < r->weight * t->first * (1 - 0x1p-40))
        return true;
    return !(curve > 0) || crs_scalar_prox(r, 1 / curve, length / curve) == 0;
}

/* Sweeps for the squared loss on the Gram matrix: with G = x'x/n on the working set and q = x's/n,
 * a change d of b_j moves q by d G_j. Looking at a coordinate costs nothing, moving it one row of
 * G, whatever n is. Friedman, Hastie, Tibshirani 2010, section 2.2 ("covariance updates"). false:
 * there is no room for unit u. */
static bool add_to_gram(crs_descent *t, ptrdiff_t u)
{
    const crs_design *d = t->d;
    if (t->slot[d->start[u]] >= 0) return true;
    if (t->filled + unit_size(d, u) > t->room) return false;
    for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++) {
        const ptrdiff_t at = t->filled++;
        t->slot[j] = at;
        t->slot_column[at] = j;
        column_fill(d, j, t->m);
        const double lift = lifted(d, t->m);
        for (ptrdiff_t k = 0; k <= at; k++) {
            const double product = column_dot(d, t->slot_column[k], t->m, lift) / (double)d->n;
            t->g[at * t->room + k] = t->g[k * t->room + at] = product;
        }
    }
    return true;
}

static void pack_gram(crs_descent *t)
{
    const crs_design *d = t->d;
    if (t->packed == t->working) return;
    ptrdiff_t k = 0;
    for (ptrdiff_t i = 0; i < t->working; i++)
        for (ptrdiff_t u = t->work[i], j = d->start[u]; j < d->start[u + 1]; j++)
            t->order[k++] = t->slot[j];
    for (ptrdiff_t i = 0; i < k; i++) {
        const double *row = t->g + t->order[i] * t->room;
        for (ptrdiff_t j = 0; j < k; j++) t->pack[i * k + j] = row[t->order[j]];
    }
    t->packed = t->working;
    t->packed_columns = k;
}

/* One round of steps over the working set; the length of what they changed. */
static double sweep_gram(crs_descent *t)
{
    const crs_design *d = t->d;
    const ptrdiff_t k = t->packed_columns;
    double moved = 0;
    for (ptrdiff_t i = 0, at = 0; i < t->working; at += unit_size(d, t->work[i++])) {
        const ptrdiff_t u = t->work[i];
        double *b = t->b + d->start[u];
        unit_step(t, u, d->length[u], b, t->q + at, t->step);
        for (ptrdiff_t j = 0; j < unit_size(d, u); j++) {
            const double change = t->step[j] - b[j];
            if (change == 0) continue;
            b[j] = t->step[j];
            axpy(k, change, t->pack + (at + j) * k, t->q);
            moved += square(d->length[u] * change);
        }
    }
    return sqrt(moved);
}

static void join(crs_descent *t, ptrdiff_t u)
{
    if (t->in_set[u]) return;
    t->in_set[u] = 1;
    t->work[t->working++] = u;
    if (t->gram && !add_to_gram(t, u)) t->gram = false;
}

/* b_u != 0, or no penalty on it */
static bool stays_in_set(crs_descent *t, ptrdiff_t u)
{
    bool any = t->d->weight[u] == 0;
    for (ptrdiff_t j = t->d->start[u]; j < t->d->start[u + 1]; j++) any = any || t->b[j] != 0;
    return any;
}

/* The working set is the units with b_u != 0 or no penalty. */
static void restart(crs_descent *t)
{
    t->working = 0;
    t->packed = -1;
    for (ptrdiff_t u = 0; u < t->d->units; u++) {
        t->in_set[u] = 0;
        if (stays_in_set(t, u)) join(t, u);
    }
}

/* Anderson extrapolation of the sweeps on the Gram matrix: from the points b^0, ..., b^5 after six
 * sweeps, the affine combination of b^1, ..., b^5 whose combined step sum_i c_i (b^i - b^{i-1}) is
 * shortest, sum c = 1. It replaces b^5 where F is lower there: any point may start a sweep as long
 * as F does not rise, and zeros stay zeros. Bertrand and Massias 2021. */
static ptrdiff_t column_at(const crs_descent *t, ptrdiff_t k)
{
    return t->slot_column[t->order[k]];
}

/* The model's change from the base with gradient q at b: (b - base)'(q + q_0)/2, and the penalty.
 */
static double value_at(crs_descent *t, const double *q)
{
    double sum = crs_units_value(t);
    for (ptrdiff_t k = 0; k < t->packed_columns; k++) {
        const ptrdiff_t j = column_at(t, k);
        sum += (t->b[j] - t->base[j]) * (q[k] + t->grad[j]) / 2;
    }
    return sum;
}

/* c with (U'U) c = 1 scaled to sum 1; the columns of U are the steps. */
static bool coefficients(const crs_descent *t, double c[CRS_PAST])
{
    const ptrdiff_t n = t->packed_columns;
    double gram[CRS_PAST * CRS_PAST], trace = 0, sum = 0;
    for (int a = 0; a < CRS_PAST; a++)
        for (int b = 0; b <= a; b++) {
            const double *x = t->past + a * t->room, *z = t->past + b * t->room;
            double product = 0;
            for (ptrdiff_t k = 0; k < n; k++)
                product += (x[k + t->room] - x[k]) * (z[k + t->room] - z[k]);
            gram[a * CRS_PAST + b] = gram[b * CRS_PAST + a] = product;
            trace += a == b ? product : 0;
        }
    for (int a = 0; a < CRS_PAST; a++) gram[a * CRS_PAST + a] += 1e-10 * trace, c[a] = 1;
    if (!(trace > 0 && trace < INFINITY) || !crs_cholesky(CRS_PAST, gram)) return false;
    crs_cholesky_solve(CRS_PAST, gram, 1, c);
    for (int a = 0; a < CRS_PAST; a++) sum += c[a];
    for (int a = 0; a < CRS_PAST; a++) c[a] /= sum;
    return isfinite(sum) && sum != 0;
}

static void restore(crs_descent *t, const double *from)
{
    for (ptrdiff_t k = 0; k < t->packed_columns; k++) t->b[column_at(t, k)] = from[k];
}

static void extrapolate(crs_descent *t)
{
    const ptrdiff_t n = t->packed_columns;
    double c[CRS_PAST], *point = t->past, *q = t->past + t->room;
    const double *last = t->past + CRS_PAST * t->room;
    if (!coefficients(t, c)) return;
    const double before = value_at(t, t->q);
    for (ptrdiff_t k = 0; k < n; k++) { /* in place: the oldest point is not needed any more */
        double sum = 0;
        for (int a = 0; a < CRS_PAST; a++) sum += c[a] * t->past[(a + 1) * t->room + k];
        point[k] = sum;
    }
    restore(t, point);
    for (ptrdiff_t k = 0; k < n; k++) point[k] -= t->base[column_at(t, k)];
    for (ptrdiff_t k = 0; k < n; k++) q[k] = t->grad[column_at(t, k)];
    for (ptrdiff_t k = 0; k < n; k++) axpy(n, point[k], t->pack + k * n, q);
    if (value_at(t, q) < before)
        copy(n, q, t->q);
    else
        restore(t, last);
}

static void remember(crs_descent *t)
{
    for (ptrdiff_t k = 0; k < t->packed_columns; k++)
        t->past[t->points * t->room + k] = t->b[column_at(t, k)];
    if (t->points++ < CRS_PAST) return;
    t->points = 0;
    extrapolate(t);
}

/* Sweeps on the columns themselves: the model (1/n) sum_i s_i z_i + h_i z_i^2/2, z = x (b - base),
 * has the gradient x'm/n with m = s + h o z, which every step keeps up to date: m += a h o x.
 *
 * Of a sparse design, x_j = v_j - shift_j r, m is z without its part in r, z = m + lift r. With
 * tilt_j = sum_i v_ij h_i r_i, cross = sum_i r_i h_i m_i and mass = sum_i h_i r_i^2 the gradient is
 * x_j's + sum_i v_ij h_i m_i + lift tilt_j - shift_j (cross + lift mass), over n, and a step reads
 * and writes the entries of its column alone. */
static double model_gradient(const crs_descent *t, ptrdiff_t j)
{
    const crs_design *d = t->d;
    if (!d->sparse) return crs_dot(d->n, column_of(d, j), t->m) / (double)d->n;
    double sum = t->lift * t->tilt[j] - d->shift[j] * (t->cross + t->lift * t->mass);
    for (ptrdiff_t k = d->first[j]; k < d->first[j + 1]; k++)
        sum += d->value[k] * (t->h[d->at[k]] * t->m[d->at[k]]);
    return t->origin[j] + sum / (double)d->n;
}

static void move(crs_descent *t, double a, ptrdiff_t j)
{
    const crs_design *d = t->d;
    if (d->sparse) {
        column_add(d, a, j, t->m, &t->lift);
        t->cross += a * t->tilt[j];
        return;
    }
    const double *x = column_of(d, j);
    for (ptrdiff_t i = 0; i < d->n; i++) t->m[i] += a * (t->h[i] * x[i]);
}

static double sweep_columns(crs_descent *t)
{
    const crs_design *d = t->d;
    double moved = 0;
    for (ptrdiff_t i = 0; i < t->working; i++) {
        const ptrdiff_t u = t->work[i], first = d->start[u];
        double *b = t->b + first;
        for (ptrdiff_t j = first; j < d->start[u + 1]; j++) t->grad[j] = model_gradient(t, j);
        unit_step(t, u, t->curve[u], b, t->grad + first, t->step);
        for (ptrdiff_t j = 0; j < unit_size(d, u); j++) {
            const double change = t->step[j] - b[j];
            if (change == 0) continue;
            b[j] = t->step[j];
            move(t, change, first + j);
            moved += square(t->curve[u] * change);
        }
    }
    return sqrt(moved);
}

enum { SWEEPS = 200 }; /* of one model */

/* s and the gradients of the working set, afresh from the scores. */
static void refresh(crs_descent *t)
{
    const crs_design *d = t->d;
    set_slopes(t);
    for (ptrdiff_t i = 0; i < t->working; i++) {
        const ptrdiff_t u = t->work[i];
        gradient(t, u, t->grad + d->start[u]);
    }
}

static double working_residual(crs_descent *t)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < t->working; i++) {
        const ptrdiff_t u = t->work[i], first = t->d->start[u];
        sum += unit_dist(t, u, t->b + first, t->grad + first);
    }
    return sqrt(sum);
}

/* e = kept + x (b - base) */
static void rescore(crs_descent *t)
{
    const crs_design *d = t->d;
    double lift = 0;
    copy(d->n, t->kept, t->e);
    for (ptrdiff_t i = 0; i < t->working; i++)
        for (ptrdiff_t u = t->work[i], j = d->start[u]; j < d->start[u + 1]; j++)
            if (t->b[j] != t->base[j]) column_add(d, t->b[j] - t->base[j], j, t->e, &lift);
    lift_by(d, lift, t->e);
}

static double objective(crs_descent *t)
{
    return crs_loss_sum(t->d, t->e) / (double)t->d->n + crs_units_value(t);
}

/* sum_i h_i x_ij^2 */
static double curve_of(crs_descent *t, ptrdiff_t j)
{
    const crs_design *d = t->d;
    if (d->sparse) {
        t->tilt[j] = 0;
        for (ptrdiff_t k = d->first[j]; k < d->first[j + 1]; k++)
            t->tilt[j] += d->value[k] * (t->h[d->at[k]] * d->r[d->at[k]]);
    }
    return column_curve(d, j, t->h, t->mass);
}

/* Of a single column exactly (1/n) sum_i h_i x_ij^2; of a group no more than max h times its
 * norm, nor than the sum over its columns. */
static void model_curves(crs_descent *t)
{
    const crs_design *d = t->d;
    double most = 0;
    t->mass = t->lift = t->cross = 0;
    for (ptrdiff_t i = 0; i < d->n; i++) most = larger(most, t->h[i]);
    for (ptrdiff_t i = 0; d->sparse && i < d->n; i++) t->mass += t->h[i] * square(d->r[i]);
    for (ptrdiff_t i = 0; i < t->working; i++) {
        const ptrdiff_t u = t->work[i];
        double sum = 0;
        for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++) sum += curve_of(t, j);
        sum /= (double)d->n;
        t->curve[u] = unit_size(d, u) == 1 ? sum : smaller(sum, most * d->length[u]);
    }
}

static void save(crs_descent *t)
{
    copy(t->d->cols, t->b, t->base);
    copy(t->d->cols, t->grad, t->origin);
    copy(t->d->n, t->e, t->kept);
}

/* Sweeps until one moves the gradient by no more than the tolerance. */
static void sweep(crs_descent *t, double (*once)(crs_descent *), double tolerance)
{
    for (int k = 0; k < SWEEPS && t->sweeps < t->max_sweeps && !deadline_met(t->deadline); k++) {
        t->sweeps++;
        if (!(once(t) > tolerance)) break;
        if (t->gram) remember(t);
    }
    rescore(t);
}

static void improve_model(crs_descent *t, double tolerance, bool safe)
{
    crs_loss_curves(t->d, t->e, safe, t->h);
    model_curves(t);
    if (t->d->sparse)
        fill(t->d->n, 0, t->m);
    else
        copy(t->d->n, t->s, t->m);
    sweep(t, sweep_columns, tolerance);
}

/* One quadratic model of the loss after another. The squared loss is its own model. Otherwise
 * Newton's curvatures are tried first; a model that raises the objective is taken back and made
 * again with the majorant's, under which the objective cannot rise: block
 * majorization-minimization, Razaviyayn, Hong, Luo 2013. */
static void improve(crs_descent *t, double tolerance)
{
    save(t);
    if (t->gram) {
        pack_gram(t);
        t->points = 0;
        for (ptrdiff_t k = 0; k < t->packed_columns; k++)
            t->q[k] = t->grad[t->slot_column[t->order[k]]];
        sweep(t, sweep_gram, tolerance);
        return;
    }
    if (t->d->loss->quadratic) {
        improve_model(t, tolerance, true);
        return;
    }
    const double before = objective(t);
    improve_model(t, tolerance, false);
    if (objective(t) <= before + 0x1p-48 * fabs(before)) return;
    copy(t->d->cols, t->base, t->b);
    copy(t->d->n, t->kept, t->e);
    improve_model(t, tolerance, true);
}

/* The columns of units that are not 0 */
static ptrdiff_t choose_support(crs_descent *t)
{
    const crs_design *d = t->d;
    ptrdiff_t count = 0;
    for (ptrdiff_t u = 0; u < d->units; u++) {
        if (!t->in_set[u] || !(d->length[u] > 0) || !stays_in_set(t, u)) continue;
        for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++) t->chosen[count++] = j;
    }
    return count;
}

/* b = base - part * step; a column of its own stops at 0, where rho has its kink */
static void go(crs_descent *t, ptrdiff_t count, double part)
{
    const crs_design *d = t->d;
    for (ptrdiff_t i = 0, u = 0; i < count; i++) {
        const ptrdiff_t j = t->chosen[i];
        const double to = t->base[j] - part * t->tilt[i];
        while (d->start[u + 1] <= j) u++;
        const bool kink = unit_size(d, u) == 1 && d->weight[u] > 0;
        t->b[j] = kink && to * t->base[j] < 0 ? 0 : to;
    }
    rescore(t);
}

/* Newton's curvatures, where they are not almost nothing: far out on a loss they vanish, and the
 * step would go where nothing is known of it. A step that had to be shortened raises the share of
 * the majorant's that they are at least, one that was whole lowers it. */
static void leap_curves(crs_descent *t)
{
    const crs_design *d = t->d;
    for (ptrdiff_t i = 0; i < d->n; i++) t->h[i] = loss_curve(d->loss, loss_argument(d, t->e, i));
    if (t->guard == 0) return;
    crs_loss_curves(d, t->e, true, t->m);
    for (ptrdiff_t i = 0; i < d->n; i++) t->h[i] = larger(t->h[i], t->guard * t->m[i]);
}

/* Newton's step on what is not 0, as much of it as lowers the objective. */
static void leap(crs_descent *t)
{
    const double least = 0x1p-12, most = 1;
    crs_support at = {
        .d = t->d, .value = &t->value, .h = t->h, .b = t->b, .chosen = t->chosen, .row = t->m
    };
    at.count = choose_support(t);
    save(t);
    leap_curves(t);
    if (!crs_support_step(&at, t->grad, t->newton, t->tilt)) return;
    const double before = objective(t);
    double part = 1;
    for (go(t, at.count, part); !(objective(t) <= before + 0x1p-48 * fabs(before));) {
        part = part > 0.001 ? part / 4 : 0;
        go(t, at.count, part);
        if (part == 0) break;
    }
    t->guard = part == 1 ? t->guard / 4 : smaller(most, larger(least, 4 * t->guard));
    refresh(t);
}

/* Which units outside the working set must join it? A gradient is x_u's/n. Where it was computed
 * when s was s', it is reach' long at most, and with any c
 *     |x_u's|/n <= |c| reach' + (|x_u|_F/sqrt(n)) |s - c s'|/sqrt(n),
 * c = 1 and the c that is best for s alone being tried. Where even that leaves b_u at 0, the unit
 * need not be looked at: the test is safe, and every other unit is computed. */
static void note_moment(crs_descent *t)
{
    const ptrdiff_t n = t->d->n, now = ++t->moment & (t->moments - 1);
    copy(n, t->s, t->seen + now * n);
    for (ptrdiff_t k = 0; k < t->moments; k++) {
        const double *then = t->seen + k * n, length = crs_dot(n, then, then);
        const double c = length > 0 ? crs_dot(n, then, t->s) / length : 0;
        double rest = 0, moved = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            rest += square(t->s[i] - c * then[i]);
            moved += square(t->s[i] - then[i]);
        }
        t->share[k] = fabs(c);
        t->rest[k] = sqrt(rest / (double)n);
        t->moved[k] = sqrt(moved / (double)n);
    }
}

static void compute_reach(crs_descent *t, ptrdiff_t u)
{
    gradient(t, u, t->step);
    t->reach[u] = crs_norm(unit_size(t->d, u), t->step);
    t->stamp[u] = t->moment;
}

static double bound(crs_descent *t, ptrdiff_t u)
{
    const ptrdiff_t k = t->stamp[u] & (t->moments - 1);
    double size = 0;
    if (t->moment - t->stamp[u] >= t->moments) return INFINITY;
    for (ptrdiff_t j = t->d->start[u]; j < t->d->start[u + 1]; j++) size += t->d->size[j];
    size = sqrt(size);
    const double scaled = t->share[k] * t->reach[u] + size * t->rest[k];
    return smaller(scaled, t->reach[u] + size * t->moved[k]) * (1 + 0x1p-40);
}

/* How urgent unit u is: 0 where b_u = 0 stays. `guess` is a bound or an estimate of its gradient;
 * where that stays too the gradient is not computed. */
static double urgency(crs_descent *t, ptrdiff_t u, double guess)
{
    if (t->in_set[u] || unit_stays(t, u, guess)) return 0;
    compute_reach(t, u);
    if (unit_stays(t, u, t->reach[u])) return 0;
    t->outside += square(crs_scalar_dist(value_of(t, u), 0, t->reach[u]));
    return t->reach[u] / t->d->weight[u];
}

/* Where many would go to work at once, only those with the longest gradients for their weight. */
static ptrdiff_t recruit(crs_descent *t, bool safe)
{
    enum { FEW = 64 };
    const bool few = t->ahead > 0;
    const ptrdiff_t units = few ? t->hopes : t->d->units;
    double *urgent = t->curve, most = 0;
    ptrdiff_t count = 0;
    t->outside = 0;
    measure_penalty(t);
    for (ptrdiff_t i = 0; i < units; i++) {
        const ptrdiff_t u = few ? t->hopeful[i] : i;
        urgent[u] = urgency(t, u, safe ? bound(t, u) : LIKELY * t->reach[u]);
        most = larger(most, urgent[u]);
        count += urgent[u] > 0;
    }
    const double least = count > FEW && count > t->working ? most / 2 : 0;
    for (ptrdiff_t i = 0; count > 0 && i < units; i++) {
        const ptrdiff_t u = few ? t->hopeful[i] : i;
        if (urgent[u] > least) join(t, u);
    }
    return count;
}

static void choose_hopeful(crs_descent *t)
{
    t->hopes = 0;
    measure_penalty(t);
    for (ptrdiff_t u = 0; u < t->d->units; u++)
        if (!unit_stays(t, u, LIKELY * t->reach[u] / t->ahead)) t->hopeful[t->hopes++] = u;
}

/* First the units whose gradient was near its limit (as in the strong rules of Tibshirani et al.
 * 2012), and only when none of them is wanted all that the safe test leaves. */
static ptrdiff_t screen(crs_descent *t)
{
    if (t->ahead > 0 && t->hopes < 0) choose_hopeful(t);
    if (t->ahead > 0) return recruit(t, false);
    note_moment(t);
    const ptrdiff_t count = recruit(t, false);
    return count > 0 ? count : recruit(t, true);
}

static double unit_gradient(const crs_design *d, ptrdiff_t u, const double *g)
{
    const ptrdiff_t k = unit_size(d, u);
    g += d->start[u];
    return (k == 1 ? fabs(*g) : crs_norm(k, g)) / (double)d->n;
}

static bool is_in_doubt(crs_descent *t, const double *b, const double *g)
{
    const crs_design *d = t->d;
    bool doubt = false;
    measure_penalty(t);
    for (ptrdiff_t u = 0; u < d->units && !doubt; u++) {
        bool zero = d->weight[u] != 0;
        for (ptrdiff_t j = d->start[u]; j < d->start[u + 1] && zero; j++)
            zero = b[d->column[j]] == 0;
        doubt = zero && !unit_stays(t, u, unit_gradient(d, u, g));
    }
    return doubt;
}

bool crs_descent_go(crs_descent *t, const double *b, const double *e, const double *g)
{
    const crs_design *d = t->d;
    if (!e) return is_in_doubt(t, b, g);
    for (ptrdiff_t j = 0; j < d->cols; j++) t->b[j] = b[d->column[j]];
    copy(d->n, e, t->e);
    set_slopes(t);
    note_moment(t);
    for (ptrdiff_t u = 0; u < d->units; u++) {
        t->reach[u] = unit_gradient(d, u, g);
        t->stamp[u] = t->moment;
    }
    return false;
}

/* Would no move by b's own size lower F by more than the share near of it? Beside a lambda so small
 * that F is small where its gradients at 0 were not, the tolerance alone says nothing of that. */
static bool is_near(crs_descent *t, double residual)
{
    return !(t->near > 0) || residual <= t->finest ||
           residual * crs_norm(t->d->cols, t->b) <= t->near * objective(t);
}

/* At least one round of steps: a zero may be stationary and yet not the minimizer of its
 * coordinate. The residual of the working set falls to the target, the tolerance or more. false: a
 * limit was met, or arithmetic failed. */
static bool settle(crs_descent *t, double target)
{
    enum { FEW = 3 }; /* models, which do where their curvatures are right */
    int models = 0;
    double residual, last = INFINITY, inner = target / 4;
    refresh(t);
    residual = working_residual(t);
    do {
        if (!(residual < INFINITY) || t->sweeps >= t->max_sweeps || deadline_met(t->deadline))
            return false;
        if (!(residual < last / 2)) inner /= 4; /* the sweeps stopped too early */
        last = residual;
        improve(t, t->d->loss->quadratic ? inner : larger(inner, residual / 8));
        refresh(t);
        if (!t->d->loss->quadratic && ++models > FEW) leap(t);
        residual = working_residual(t);
    } while (!(residual <= target && (target > t->tolerance || is_near(t, residual))));
    return true;
}

/* While units outside the working set are far from stationary, it need not be settled much better
 * than they are. */
bool crs_descent_solve(crs_descent *t)
{
    double target = t->tolerance;
    t->sweeps = 0;
    t->guard = 0;
    restart(t);
    for (;;) {
        if (!settle(t, target)) return false;
        const bool final = target <= t->tolerance;
        if (screen(t) == 0) {
            if (final) return true;
            t->outside = 0;
        }
        target = larger(t->tolerance, sqrt(t->outside) / 10);
    }
}

static void set_penalty(crs_descent *t, const crease_reg *one, double lambda)
{
    t->value.rho = one->penalty;
    crs_penalty_at(one, lambda, t->value.par);
    measure_penalty(t);
}

/* The least lambda, to rounding, at which b_u = 0 stays; low does not suffice. */
static double least_for(crs_descent *t, const crease_reg *one, ptrdiff_t u, double low)
{
    double high = low > 0 ? 2 * low : 0x1p-1000;
    for (set_penalty(t, one, high); !unit_stays(t, u, t->reach[u]) && high < 0x1p1000;) {
        low = high;
        high *= high < 1e-3 || high > 1e3 ? 1024 : 2;
        set_penalty(t, one, high);
    }
    for (int k = 0; k < 100 && high - low > 0x1p-50 * high; k++) {
        const double middle = low + (high - low) / 2;
        set_penalty(t, one, middle);
        if (unit_stays(t, u, t->reach[u]))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* |gradient|, at the scores as they are. */
double crs_descent_gradient(crs_descent *t)
{
    double sum = 0;
    set_slopes(t);
    note_moment(t);
    for (ptrdiff_t u = 0; u < t->d->units; u++) {
        compute_reach(t, u);
        sum += square(t->reach[u]);
    }
    return sqrt(sum);
}

/* As well as arithmetic allows: lambda_max follows from the gradient there. */
static void fit_unpenalized(crs_descent *t)
{
    const double tolerance = t->tolerance * 0x1p-20;
    double last = INFINITY;
    restart(t);
    for (;;) {
        refresh(t);
        const double residual = working_residual(t);
        if (!(residual > tolerance && residual < last)) return;
        last = residual;
        improve(t, tolerance);
    }
}

/* At finite slopes max_u |g_u|/(w_u rho_1'(0)) is the answer, unless a coordinate's minimum jumps
 * away from 0 earlier than that; the search finds those and the infinite slopes. Gradients at 0
 * that were looked at are the ones where nothing goes without a penalty. */
double crs_descent_lambda_max(crs_descent *t, const crease_reg *one)
{
    const crs_design *d = t->d;
    const double slope = one->penalty->slope(one->par, 0);
    double most = 0;
    fit_unpenalized(t);
    const bool known = t->moment > 0 && t->working == 0;
    note_moment(t);
    for (ptrdiff_t u = 0; u < d->units; u++) {
        if (d->weight[u] == 0) continue;
        if (!known) compute_reach(t, u);
        if (slope < INFINITY) most = larger(most, t->reach[u] / d->weight[u] / slope);
    }
    for (ptrdiff_t u = 0; u < d->units; u++) {
        set_penalty(t, one, most);
        if (d->weight[u] == 0 || t->reach[u] == 0 || unit_stays(t, u, t->reach[u])) continue;
        most = least_for(t, one, u, most);
    }
    return most * (1 + 0x1p-36); /* the rounding of the gradients, and of b_0 */
}
