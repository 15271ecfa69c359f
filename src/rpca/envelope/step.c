/* SPDX-License-Identifier: MIT
 * step: a trust-region Levenberg-Marquardt step on the factors, and what its gain says
 *
 *     (2c eta J'WJ + (mu + nu) I) d = -g
 *
 * by conjugate gradients (Hestenes, Stiefel 1952), with J'J through R x R matrices and a
 * block-Jacobi preconditioner (Tomasi, Bro 2006; Phan, Tichavsky, Cichocki 2013), W a product of
 * averages of s/r over the slices, and the curvature that the last steps taught (Nocedal 1980).
 * More, The Levenberg-Marquardt algorithm, 1978. */
#include "rpca/envelope/state.h"

enum { MOST_CG = 150, MOST_TRIES = 60 };

void crs_envelope_model_carve(crs_envelope_model *m, crs_carver *c)
{
    const ptrdiff_t rows = rows_of(&m->shape), d = m->shape.order, area = m->rank * m->rank;
    m->root = carve_doubles(c, rows, 1);
    m->y = carve_doubles(c, rows, m->rank);
    m->gram = carve_doubles(c, d, area);
    m->pair = carve_doubles(c, d * (d - 1) / 2, area);
    m->except = carve_doubles(c, d, area);
    m->inverse = carve_doubles(c, d, area);
    m->cross = carve_doubles(c, d, area);
    m->small = carve_doubles(c, 2, area);
}

/* The place of G_nk in m->pair. */
static int pair_of(const crs_envelope_model *m, int n, int k)
{
    const int low = n < k ? n : k, high = n < k ? k : n;
    return low * (2 * m->shape.order - low - 1) / 2 + high - low - 1;
}

/* out_n = D_n^{1/2} in_n, or D_n^{-1/2} in_n. */
static void scale_rows(const crs_envelope_model *m, bool inverse, const double *in, double *out)
{
    for (ptrdiff_t i = 0; i < rows_of(&m->shape); i++) {
        const double scale = inverse ? 1 / m->root[i] : m->root[i];
        for (ptrdiff_t r = 0; r < m->rank; r++) out[i * m->rank + r] = scale * in[i * m->rank + r];
    }
}

/* The Hadamard product of the Grams but those of modes n and k */
static void product_except(const crs_envelope_model *m, int n, int k, double *out)
{
    const ptrdiff_t area = m->rank * m->rank;
    fill(area, 1, out);
    for (int j = 0; j < m->shape.order; j++)
        for (ptrdiff_t q = 0; j != n && j != k && q < area; q++) out[q] *= m->gram[j * area + q];
}

/* Takes the factors x; root, curvature and nu are set. */
static void build_model(crs_envelope_model *m, const double *x)
{
    const ptrdiff_t area = m->rank * m->rank;
    const int d = m->shape.order;
    scale_rows(m, false, x, m->y);
    for (int n = 0; n < d; n++)
        crs_gram(m->shape.dim[n], m->rank, m->y + first_unknown(m, n), m->gram + n * area);
    for (int n = 0; n < d; n++) {
        product_except(m, n, n, m->except + n * area);
        for (int k = n + 1; k < d; k++) product_except(m, n, k, m->pair + pair_of(m, n, k) * area);
    }
}

static void hold(const crs_envelope_model *m, double *x)
{
    for (ptrdiff_t j = 0; m->held && j < unknowns(m); j++)
        if (m->held[j] == 1) x[j] = 0;
}

/* sum_{k != n} (e_k'Y_k) o G_nk */
static void couple(const crs_envelope_model *m, int n, double *out)
{
    const ptrdiff_t area = m->rank * m->rank;
    fill(area, 0, out);
    for (int k = 0; k < m->shape.order; k++) {
        if (k == n) continue;
        const double *cross = m->cross + k * area;
        const double *pair = m->pair + pair_of(m, n, k) * area;
        for (ptrdiff_t q = 0; q < area; q++) out[q] += cross[q] * pair[q];
    }
}

/* out = (H + damping I) e in the scaled unknowns; held unknowns stay 0. */
static void apply_model(const crs_envelope_model *m, double damping, const double *e, double *out)
{
    const ptrdiff_t rank = m->rank, area = rank * rank;
    for (int n = 0; n < m->shape.order; n++) {
        const ptrdiff_t at = first_unknown(m, n);
        crs_gemm(true, false, rank, rank, m->shape.dim[n], 1, e + at, m->y + at, 0,
                 m->cross + n * area);
    }
    for (int n = 0; n < m->shape.order; n++) {
        const ptrdiff_t at = first_unknown(m, n), rows = m->shape.dim[n];
        couple(m, n, m->small);
        crs_gemm(false, false, rows, rank, rank, m->curvature, e + at, m->except + n * area, 0,
                 out + at);
        crs_gemm(false, false, rows, rank, rank, m->curvature, m->y + at, m->small, 1, out + at);
    }
    for (ptrdiff_t i = 0; i < rows_of(&m->shape); i++)
        axpy(rank, damping + m->nu / square(m->root[i]), e + i * rank, out + i * rank);
    hold(m, out);
}

/* inverse = (a + shift I)^{-1}; where a is too close to singular, with a larger shift */
static void invert(ptrdiff_t n, const double *a, double shift, double *inverse, double *work)
{
    double largest = shift;
    for (ptrdiff_t i = 0; i < n; i++) largest = larger(largest, a[i * n + i]);
    for (double more = 0; more <= largest && largest < INFINITY;
         more = larger(100 * more, 1e-12 * largest)) {
        copy(n * n, a, work);
        fill(n * n, 0, inverse);
        for (ptrdiff_t i = 0; i < n; i++) work[i * n + i] += shift + more, inverse[i * n + i] = 1;
        if (largest > 0 && crs_cholesky(n, work)) {
            crs_cholesky_solve(n, work, n, inverse);
            return;
        }
        if (!(largest > 0)) return;
    }
}

/* The diagonal blocks' inverses for this damping. */
static void prepare_blocks(crs_envelope_model *m, double damping)
{
    const ptrdiff_t area = m->rank * m->rank;
    for (ptrdiff_t n = 0, row = 0; n < m->shape.order; row += m->shape.dim[n], n++) {
        double weight = 0; /* the average of 1/D_n */
        for (ptrdiff_t i = 0; i < m->shape.dim[n]; i++)
            weight += 1 / square(m->root[row + i]) / (double)m->shape.dim[n];
        for (ptrdiff_t q = 0; q < area; q++)
            m->small[area + q] = m->curvature * m->except[n * area + q];
        invert(m->rank, m->small + area, damping + m->nu * weight, m->inverse + n * area, m->small);
    }
}

static void precondition(const crs_envelope_model *m, const double *r, double *z)
{
    for (int n = 0; n < m->shape.order; n++) {
        const ptrdiff_t at = first_unknown(m, n);
        crs_gemm(false, false, m->shape.dim[n], m->rank, m->rank, 1, r + at,
                 m->inverse + n * m->rank * m->rank, 0, z + at);
    }
    hold(m, z);
}

/* (H + damping I) e = b until |residual| <= tolerance |b|; returns the iterations taken. work has 4
 * times the unknowns. */
static int conjugate_gradients(const crs_envelope_model *m, double damping, const double *b,
                               double tolerance, int most, double *e, double *work)
{
    const ptrdiff_t n = unknowns(m);
    double *r = work, *z = r + n, *p = z + n, *hp = p + n;
    const double target = tolerance * crs_norm(n, b);
    fill(n, 0, e);
    copy(n, b, r);
    precondition(m, r, z);
    copy(n, z, p);
    double rz = crs_dot(n, r, z);
    int k = 0;
    for (; k < most && rz > 0 && crs_norm(n, r) > target; k++) {
        apply_model(m, damping, p, hp);
        const double curvature = crs_dot(n, p, hp);
        if (!(curvature > 0)) break;
        axpy(n, rz / curvature, p, e);   /* e += a p */
        axpy(n, -rz / curvature, hp, r); /* r -= a H p */
        precondition(m, r, z);
        const double next = crs_dot(n, r, z);
        for (ptrdiff_t j = 0; j < n; j++) p[j] = z[j] + next / rz * p[j];
        rz = next;
    }
    return k;
}

/* The model's Hessian stands in the middle of the two-loop recursion for products with the inverse
 * BFGS matrix; a pair is (x' - x, g' - g) of one step at one penalty and ridge. */

static double *pair_step(const crs_envelope_solver *s, int k)
{
    return s->pairs + 2 * ((s->first_pair + k) % CRS_ENVELOPE_PAIRS) * s->stride;
}

static double *pair_change(const crs_envelope_solver *s, int k)
{
    return pair_step(s, k) + s->stride;
}

static bool same_penalty(const crs_penalty_value *a, const crs_penalty_value *b)
{
    bool same = a->rho == b->rho && a->weight == b->weight;
    for (int k = 0; k < CREASE_PARS; k++) same = same && a->par[k] == b->par[k];
    return same;
}

/* From `at` by `step` to `trial`, before the columns are balanced */
static void learn_pair(crs_envelope_solver *s)
{
    const ptrdiff_t size = unknowns(&s->model);
    const double near = s->out.stage == CRS_STAGE_RIDGE ? 1e-4 : 1e-2;
    if (s->out.stage == CRS_STAGE_PATH || !(s->out.worst < near) ||
        !same_penalty(&s->at.penalty, &s->trial.penalty)) {
        forget_pairs(s);
        return;
    }
    if (s->pair_count == CRS_ENVELOPE_PAIRS)
        s->first_pair = (s->first_pair + 1) % CRS_ENVELOPE_PAIRS;
    else
        s->pair_count++;
    double *step = pair_step(s, s->pair_count - 1), *change = step + s->stride;
    copy(size, s->step, step);
    for (ptrdiff_t j = 0; j < size; j++)
        change[j] = -2 * s->noise * s->trial.sm[j] + s->nu * s->trial.x[j] - s->gradient[j];
    const double product = crs_dot(size, step, change);
    if (!(product > 1e-10 * crs_norm(size, step) * crs_norm(size, change))) s->pair_count--;
}

/* Balancing multiplies a column of X_n by a. */
static void balance_pairs(crs_envelope_solver *s, ptrdiff_t at, ptrdiff_t rows, double a)
{
    for (int k = 0; k < s->pair_count; k++)
        for (ptrdiff_t i = 0; i < rows; i++) {
            pair_step(s, k)[at + i * s->model.rank] *= a;
            pair_change(s, k)[at + i * s->model.rank] /= a;
        }
}

static double column_norm(ptrdiff_t rows, ptrdiff_t stride, const double *x)
{
    double largest = 0, sum = 0;
    for (ptrdiff_t i = 0; i < rows; i++) largest = larger(largest, fabs(x[i * stride]));
    if (!(largest > 0)) return largest;
    for (ptrdiff_t i = 0; i < rows; i++) sum += square(x[i * stride] / largest);
    return largest * sqrt(sum);
}

/* X_n(:,r) *= a_n and S_(n)M_n(:,r) /= a_n, prod a_n = 1, so that the columns' norms agree */
void crs_envelope_balance(crs_envelope_solver *s)
{
    const crs_envelope_model *m = &s->model;
    const int d = m->shape.order;
    for (ptrdiff_t r = 0; r < m->rank; r++) {
        double norm[CREASE_MAX_ORDER], mean = 0;
        for (int n = 0; n < d; n++) {
            norm[n] = column_norm(m->shape.dim[n], m->rank, s->at.x + first_unknown(m, n) + r);
            mean += log(norm[n]) / d;
        }
        if (!isfinite(mean)) continue;
        for (int n = 0; n < d; n++) {
            const ptrdiff_t at = first_unknown(m, n) + r;
            const double a = exp(mean) / norm[n];
            balance_pairs(s, at, m->shape.dim[n], a);
            for (ptrdiff_t i = 0; i < m->shape.dim[n]; i++) {
                s->at.x[at + i * m->rank] *= a;
                s->at.sm[at + i * m->rank] /= a;
            }
        }
    }
}

/* Over the unknowns that are not held */
static double inner(const crs_envelope_solver *s, const double *x, const double *y)
{
    const ptrdiff_t size = unknowns(&s->model);
    const double *held = s->model.held;
    if (!held) return crs_dot(size, x, y);
    double sum = 0;
    for (ptrdiff_t j = 0; j < size; j++) sum += held[j] == 1 ? 0 : x[j] * y[j];
    return sum;
}

static void add(const crs_envelope_solver *s, double a, const double *x, double *y)
{
    const double *held = s->model.held;
    for (ptrdiff_t j = 0; j < unknowns(&s->model); j++)
        if (!held || held[j] == 0) y[j] += a * x[j];
}

/* q -= a_k change_k, a_k = step_k'q / step_k'change_k, the newest first */
static void before_model(crs_envelope_solver *s, double *q)
{
    for (int k = s->pair_count - 1; k >= 0; k--) {
        const double product = inner(s, pair_step(s, k), pair_change(s, k));
        s->pair_weight[k] = product > 0 ? inner(s, pair_step(s, k), q) / product : 0;
        add(s, -s->pair_weight[k], pair_change(s, k), q);
    }
}

/* z += (a_k - change_k'z / step_k'change_k) step_k, the oldest first */
static void after_model(const crs_envelope_solver *s, double *z)
{
    for (int k = 0; k < s->pair_count; k++) {
        const double product = inner(s, pair_step(s, k), pair_change(s, k));
        const double b = product > 0 ? inner(s, pair_change(s, k), z) / product : 0;
        add(s, s->pair_weight[k] - b, pair_step(s, k), z);
    }
}

/* D_n = max(average of w in the slice, wbar/50) / wbar^{1-1/d}: W ~ prod D_n */
static void weigh(crs_envelope_solver *s)
{
    const crease_space *shape = &s->model.shape;
    const double size = (double)crease_size(shape), mean = s->at.sums->weights / size;
    for (ptrdiff_t n = 0, row = 0; n < shape->order; row += shape->dim[n], n++)
        for (ptrdiff_t i = row; i < row + shape->dim[n]; i++) {
            const double w = larger(s->at.marginal[i] * (double)shape->dim[n] / size, mean / 50);
            s->model.root[i] = mean > 0 ? sqrt(w / pow(mean, 1 - 1 / (double)shape->order)) : 1;
        }
}

/* 0.1 times the largest curvature of a single factor */
static double first_damping(const crs_envelope_model *m)
{
    double largest = 0;
    for (int n = 0; n < m->shape.order; n++)
        for (ptrdiff_t r = 0; r < m->rank; r++)
            largest = larger(largest, m->except[n * m->rank * m->rank + r * (m->rank + 1)]);
    return 0.1 * m->curvature * larger(largest, 0x1p-500);
}

/* Entries of X >= 0 that are 0 and pushed down are held. */
static void build(crs_envelope_solver *s)
{
    crs_envelope_model *m = &s->model;
    weigh(s);
    build_model(m, s->at.x);
    for (ptrdiff_t j = 0; m->held && j < unknowns(m); j++)
        m->held[j] = s->at.x[j] <= 0 && s->gradient[j] > 0;
    s->built = true;
}

/* rhs = D^{-1/2} (-g), after the first loop over the pairs */
static void prepare(crs_envelope_solver *s)
{
    crs_envelope_model *m = &s->model;
    for (ptrdiff_t j = 0; j < unknowns(m); j++)
        s->step[j] = m->held && m->held[j] == 1 ? 0 : -s->gradient[j];
    before_model(s, s->step);
    scale_rows(m, true, s->step, s->rhs);
}

/* trial = x + step, cut where it leaves X >= 0 */
static void move(crs_envelope_solver *s)
{
    const ptrdiff_t size = unknowns(&s->model);
    for (ptrdiff_t j = 0; j < size; j++) {
        const double x = s->at.x[j] + s->step[j];
        s->trial.x[j] = s->c.nonneg && x < 0 ? 0 : x;
        s->step[j] = s->trial.x[j] - s->at.x[j];
    }
    s->length = crs_norm(size, s->step);
}

/* step = D^{-1/2} e; predicted = -q(step) */
static void model_step(crs_envelope_solver *s)
{
    const crs_envelope_model *m = &s->model;
    const ptrdiff_t size = unknowns(m);
    scale_rows(m, true, s->scaled, s->step);
    move(s);
    scale_rows(m, false, s->step, s->scaled);
    apply_model(m, 0, s->scaled, s->cg);
    s->predicted = -crs_dot(size, s->gradient, s->step) - crs_dot(size, s->scaled, s->cg) / 2;
}

/* The same with the pairs, shortened to the radius: for a step a d, B d = -g,
 * predicted = -a (1 - a/2) g'd */
static void secant_step(crs_envelope_solver *s)
{
    const ptrdiff_t size = unknowns(&s->model);
    scale_rows(&s->model, true, s->scaled, s->step);
    after_model(s, s->step);
    const double length = crs_norm(size, s->step);
    const double a = length > s->out.radius ? s->out.radius / length : 1;
    for (ptrdiff_t j = 0; j < size; j++) s->step[j] *= a;
    move(s);
    s->predicted = -(1 - a / 2) * crs_dot(size, s->gradient, s->step);
}

static void solve(crs_envelope_solver *s)
{
    const double tolerance = smaller(0.03, 0.3 * sqrt(s->out.worst));
    prepare(s);
    prepare_blocks(&s->model, s->out.mu);
    s->out.cg +=
        conjugate_gradients(&s->model, s->out.mu, s->rhs, tolerance, MOST_CG, s->scaled, s->cg);
}

/* Near the end of a tall matrix: the trial by Newton's method on the short factor. */
static bool by_rows(crs_envelope_solver *s)
{
    enum { STEPS = 3 };
    const crs_envelope_model *m = &s->model;
    if (!s->tall || s->without_rows || s->out.stage < CRS_STAGE_LAST || !(s->out.worst > 0) ||
        !crs_tall_takes(s->tall, &s->at.penalty))
        return false;
    copy(unknowns(m), s->at.x, s->trial.x);
    crs_tall_run run = { .rank = m->rank,
                         .penalty = s->at.penalty,
                         .nu = s->nu,
                         .steps = STEPS,
                         .fall = smaller(0.1, 0.3 * s->c.aim * s->c.eps / s->out.worst),
                         .most = s->most - s->out.passes - 1,
                         .watch = s->c.watch,
                         .x = s->trial.x,
                         .y = s->trial.x + first_unknown(m, 1) };
    const bool moved = crs_tall_descend(s->tall, &run);
    s->out.passes += run.passes;
    s->out.cg += run.cg;
    forget_pairs(s);
    if (run.failure.code == CREASE_OK) return moved;
    s->failure = run.failure;
    s->out.status = CRS_ENVELOPE_FAILED;
    return true;
}

/* Where few entries were observed: the trial by Newton's method on all factors but the longest. */
static bool by_observed(crs_envelope_solver *s)
{
    enum { STEPS = 4 };
    const crs_envelope_model *m = &s->model;
    const bool last = s->out.stage >= CRS_STAGE_LAST;
    if (!s->observed || s->without_rows || !(s->out.worst > 0)) return false;
    copy(unknowns(m), s->at.x, s->trial.x);
    crs_observed_run run = { .rank = m->rank,
                             .penalty = s->at.penalty,
                             .nu = s->nu,
                             .steps = last ? STEPS : 1,
                             .fall = last ? smaller(0.1, 0.3 * s->c.eps / s->out.worst) : 0,
                             .most = s->most - s->out.passes - 1,
                             .watch = s->c.watch };
    for (int n = 0; n < m->shape.order; n++) run.x[n] = s->trial.x + first_unknown(m, n);
    const bool moved = crs_observed_descend(s->observed, &run);
    s->out.passes += run.passes;
    s->out.cg += run.cg;
    forget_pairs(s);
    return moved;
}

bool crs_envelope_step_direction(crs_envelope_solver *s)
{
    crs_envelope_model *m = &s->model;
    const ptrdiff_t size = unknowns(m);
    s->rows = s->observed ? by_observed(s) : by_rows(s);
    if (s->rows) return true;
    m->nu = s->nu;
    m->curvature = s->out.curvature = 2 * s->noise * s->eta;
    if (!s->built) build(s);
    if (s->out.mu == 0) s->out.mu = first_damping(m);
    if (s->pair_count > 0) {
        solve(s);
        secant_step(s);
        if (!(s->predicted > 0)) forget_pairs(s);
    }
    for (int k = 0; s->pair_count == 0 && k < MOST_TRIES; k++, s->out.mu *= 4) {
        solve(s);
        model_step(s);
        if (s->predicted > 0 && s->length <= 1.2 * s->out.radius) break;
    }
    return s->predicted > 0 && s->length > 0x1p-50 * crs_norm(size, s->at.x);
}

/* The fraction of the step at which the parabola through F, its slope and the trial is least */
static double interpolated(const crs_envelope_solver *s, double change)
{
    const double slope = crs_dot(unknowns(&s->model), s->gradient, s->step);
    const double t = -slope / (2 * (change - slope));
    return isfinite(t) ? clip(t, 0.05, 0.5) : 0.05;
}

/* The change of F between rounding errors: there the trial is taken, the residual decides later */
static bool felt(const crs_envelope_solver *s)
{
    return s->predicted > 0x1p-44 * fabs(s->out.value);
}

static bool accepted(crs_envelope_solver *s)
{
    const double change = s->trial.sums->value + ridge_value(s, s->trial.x) - s->out.value;
    const double rho = s->out.rho = -change / s->predicted;
    if (!(rho > 1e-3) && !(isfinite(change) && !felt(s))) {
        s->out.radius = interpolated(s, change) * s->length;
        s->eta = smaller(1, 2 * s->eta);
        forget_pairs(s);
        return false;
    }
    if (rho > 0.75) {
        s->out.mu *= 0.2;
        s->out.radius = larger(s->out.radius, 2.5 * s->length);
    }
    if (rho < 0.25) s->out.radius = 0.5 * s->length;
    if (s->pair_count > 0) return true;
    if (rho > 1.6) s->eta = larger(0.4 * s->eta, 0.05);
    if (rho < 1) s->eta = smaller(1, 1.6 * s->eta);
    return true;
}

bool crs_envelope_step_judge(crs_envelope_solver *s)
{
    if (s->rows) {
        const double value = s->trial.sums->value + ridge_value(s, s->trial.x);
        s->without_rows = !(value <= s->out.value + 0x1p-40 * fabs(s->out.value));
        return !s->without_rows;
    }
    const bool taken = accepted(s);
    if (taken) learn_pair(s);
    return taken;
}
