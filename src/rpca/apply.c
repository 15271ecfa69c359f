/* SPDX-License-Identifier: MIT
 * apply: every slice of new data regressed robustly on the terms of fitted factors
 *
 *     F(a) = sum_j phi(t_j - (M a)_j) + (nu/2)|a|^2,  phi(r) = min_e c (r - e)^2 + alpha rho(|e|)
 *
 * Huber's problem first, whose solution is unique or nearly so, by Newton's method: a piecewise
 * quadratic that exact line searches end in finitely many steps (Madsen, Nielsen, Finite algorithms
 * for robust linear regression, 1990). Then the penalty's own from there: phi'(r) = 2c (r - e), and
 * phi lies below c (r' - e)^2 + alpha rho(|e|), so that one step of least squares on t - e
 * decreases F for every penalty. */
#include <float.h>
#include <stdio.h>

#include <crease/rpca_tools.h>

#include "core/checkpoint.h"
#include "reg/reg.h"
#include "tensor/tensor.h"

enum { NEWTONS = 100, MAJORIZATIONS = 3000, STAGE = 5, STAGE_SLOW = 30 };
enum { BISECTIONS = 60, SWEEPS = 200, ORDINARY = 30 };
static const double enough = 1e-12;

typedef struct {
    ptrdiff_t entries, rank;
    const double *m;           /* entries x rank */
    crs_penalty_value penalty; /* alpha rho */
    double c, nu, dead;        /* e = 0 for |r| <= dead */
    bool soft, nonneg;         /* rho is the 1-norm; a >= 0 */
    double *gram;              /* 2c M'M + nu I */
    double *chol;              /* its factor */
    double norm;               /* |M| */
    double *r, *q, *e;         /* entries */
    double *g, *d, *h;         /* rank, rank, rank x rank */
    crease_watch *watch;
} slice;

static double outlier(const slice *s, double r)
{
    return fabs(r) <= s->dead ? 0 : crs_scalar_prox(&s->penalty, 1 / (2 * s->c), r);
}

/* r = t - M a, 0 where t is NaN; e = prox(r); g = -2c M'(r - e) + nu a */
static void evaluate(slice *s, const double *t, const double *a)
{
    copy(s->entries, t, s->r);
    crs_gemv(false, s->entries, s->rank, -1, s->m, a, 1, s->r);
    for (ptrdiff_t j = 0; j < s->entries; j++) {
        if (isnan(t[j])) s->r[j] = 0;
        s->e[j] = outlier(s, s->r[j]);
        s->q[j] = s->r[j] - s->e[j];
    }
    crs_gemv(true, s->entries, s->rank, -2 * s->c, s->m, s->q, 0, s->g);
    axpy(s->rank, s->nu, a, s->g);
}

/* d = -(2c sum over r without outlier of m m' + nu I)^{-1} g; false: too few are left */
static bool newton_direction(slice *s, const double *t)
{
    const ptrdiff_t R = s->rank;
    fill(R * R, 0, s->h);
    for (ptrdiff_t j = 0; j < s->entries; j++) {
        const double *m = s->m + j * R;
        if (s->e[j] != 0 || isnan(t[j])) continue;
        for (ptrdiff_t p = 0; p < R; p++) axpy(p + 1, 2 * s->c * m[p], m, s->h + p * R);
    }
    for (ptrdiff_t p = 0; p < R; p++) {
        s->h[p * R + p] += s->nu;
        for (ptrdiff_t k = 0; k < p; k++) s->h[k * R + p] = s->h[p * R + k];
    }
    for (ptrdiff_t p = 0; p < R; p++) s->d[p] = -s->g[p];
    if (!crs_cholesky(R, s->h)) return false;
    crs_cholesky_solve(R, s->h, 1, s->d);
    return true;
}

/* d/dtau F(a + tau d); q = M d */
static double slope(const slice *s, const double *t, const double *a, double tau)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < s->entries; j++) {
        if (isnan(t[j])) continue;
        const double r = s->r[j] - tau * s->q[j];
        sum -= 2 * s->c * clip(r, -s->dead, s->dead) * s->q[j];
    }
    for (ptrdiff_t p = 0; p < s->rank; p++) sum += s->nu * (a[p] + tau * s->d[p]) * s->d[p];
    return sum;
}

/* argmin over a' >= 0 of <g, a' - a> + (1/2)(a' - a)'Gram(a' - a), one entry after the other */
static void nonnegative(slice *s, double *a)
{
    const ptrdiff_t R = s->rank;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0, size = 0;
        for (ptrdiff_t p = 0; p < R; p++) {
            const double curve = s->gram[p * R + p];
            const double next = curve > 0 ? pos(a[p] - s->g[p] / curve) : 0, step = next - a[p];
            axpy(R, step, s->gram + p * R, s->g);
            a[p] = next;
            moved = larger(moved, fabs(step)), size = larger(size, fabs(next));
        }
        if (moved <= 1e-14 * size) return;
    }
}

static void majorize(slice *s, double *a)
{
    if (s->nonneg) {
        nonnegative(s, a);
        return;
    }
    crs_cholesky_solve(s->rank, s->chol, 1, s->g);
    axpy(s->rank, -1, s->g, a);
}

static void newton_step(slice *s, const double *t, double *a)
{
    double low = 0, high = 1;
    if (!newton_direction(s, t)) {
        majorize(s, a);
        return;
    }
    crs_gemv(false, s->entries, s->rank, 1, s->m, s->d, 0, s->q);
    double at = slope(s, t, a, high);
    for (int k = 0; k < BISECTIONS && at < 0; k++) low = high, high *= 2, at = slope(s, t, a, high);
    for (int k = 0; k < BISECTIONS && at > 0 && high - low > 1e-15 * high; k++) {
        const double middle = low + (high - low) / 2;
        *(slope(s, t, a, middle) < 0 ? &low : &high) = middle;
    }
    axpy(s->rank, high, s->d, a);
}

static void close_slice(slice *s) { crs_free(s->r); }

static bool open_slice(slice *s, crease_error *e)
{
    const ptrdiff_t n = s->entries, R = s->rank;
    s->r = crs_doubles(3 * n + 2 * R + 3 * R * R, "a slice", e);
    if (!s->r) return false;
    s->q = s->r + n, s->e = s->q + n, s->g = s->e + n, s->d = s->g + R;
    s->h = s->d + R, s->gram = s->h + R * R, s->chol = s->gram + R * R;
    crs_gram(n, R, s->m, s->gram);
    double trace = 0;
    for (ptrdiff_t j = 0; j < R * R; j++) s->gram[j] *= 2 * s->c;
    for (ptrdiff_t p = 0; p < R; p++) trace += s->gram[p * R + p];
    s->norm = sqrt(trace / (2 * s->c));
    for (ptrdiff_t p = 0; p < R; p++) s->gram[p * R + p] += s->nu;
    copy(R * R, s->gram, s->chol);
    for (ptrdiff_t p = 0; p < R; p++) /* a larger curvature is one too */
        s->chol[p * R + p] += 1e-10 * (trace > 0 ? trace : 1);
    return crs_cholesky(R, s->chol) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "the factors have no usable scale: their products are not finite");
}

/* The part of the gradient that counts against stationarity. */
static double unmet(const slice *s, const double *a)
{
    double sum = 0;
    for (ptrdiff_t p = 0; p < s->rank; p++)
        if (!s->nonneg || a[p] > 0 || s->g[p] < 0) sum += square(s->g[p]);
    return sqrt(sum);
}

static double gradient_of(const slice *s, const double *a)
{
    const double size =
        2 * s->c * s->norm * crs_norm(s->entries, s->q) + s->nu * crs_norm(s->rank, a);
    const double left = unmet(s, a);
    return left == 0 ? 0 : left / size;
}

static double objective_of(const slice *s, const double *a)
{
    double sum = s->nu / 2 * crs_dot(s->rank, a, a);
    for (ptrdiff_t j = 0; j < s->entries; j++)
        sum += s->c * square(s->r[j] - s->e[j]) + crs_scalar_value(&s->penalty, s->e[j]);
    return sum;
}

/* What rounding alone leaves of a gradient where the model fits exactly. */
static double rounding(const slice *s, const double *t)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < s->entries; j++)
        if (!isnan(t[j])) sum += square(t[j]);
    return 2 * s->c * s->norm * 4 * DBL_EPSILON * sqrt(sum);
}

/* Until the residual is small or is rounding; r, e, g at the end. */
static int iterate(slice *s, const double *t, double *a, bool newton, int most)
{
    const double least = rounding(s, t);
    for (int k = 0; k < most; k++) {
        evaluate(s, t, a);
        if (!(gradient_of(s, a) > enough) || unmet(s, a) <= least) return k;
        if (crease_watch_over(s->watch)) return k;
        if (newton)
            newton_step(s, t, a);
        else
            majorize(s, a);
    }
    evaluate(s, t, a);
    return most;
}

/* Huber's problem with a threshold that falls from INFINITY, where it is least squares, to the dead
 * zone of the penalty: at every stage most entries count. */
static int follow(slice *s, const double *t, double *a)
{
    const crs_penalty_value penalty = s->penalty;
    const double one = 1, dead = s->dead;
    int count = 0;
    for (double limit = INFINITY; limit > dead && !crease_watch_over(s->watch);) {
        double top = 0;
        s->dead = limit;
        s->penalty = crs_penalty_of(&crs_l1, &one, 2 * s->c * limit);
        count += iterate(s, t, a, !s->nonneg, s->nonneg ? STAGE_SLOW : STAGE);
        for (ptrdiff_t j = 0; j < s->entries; j++) top = larger(top, fabs(s->r[j]));
        if (!(top < INFINITY)) break;
        limit = smaller(limit, top) / 4;
    }
    s->dead = dead;
    s->penalty = crs_penalty_of(&crs_l1, &one, 2 * s->c * dead);
    if (dead < INFINITY) count += iterate(s, t, a, !s->nonneg, s->nonneg ? STAGE_SLOW : NEWTONS);
    s->penalty = penalty;
    return count;
}

static int solve_slice(slice *s, const double *t, double *a)
{
    const int count = follow(s, t, a);
    return count +
           iterate(s, t, a, s->soft && !s->nonneg, s->soft && !s->nonneg ? NEWTONS : MAJORIZATIONS);
}

static crease_cp_slice_score score_of(const slice *p, const double *t, const double *a,
                                      double *work)
{
    crease_cp_slice_score s = { .distance = NAN };
    double outliers = 0, noise = 0;
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0; j < p->entries; j++) {
        if (isnan(t[j])) continue;
        work[s.observed++] = fabs(p->r[j]);
        count += p->e[j] != 0;
        outliers += square(p->e[j]), noise += square(p->r[j] - p->e[j]);
    }
    s.share = s.observed ? (double)count / (double)s.observed : 0;
    s.energy = outliers == 0 ? 0 : outliers / noise;
    s.scale = crs_median(s.observed, work);
    s.objective = objective_of(p, a);
    s.gradient = gradient_of(p, a);
    return s;
}

/* The median of a column and 1.4826 times the median distance from it. */
static void centre(const crease_cp_apply_settings *s, ptrdiff_t r, double *work, double *median,
                   double *spread)
{
    for (ptrdiff_t i = 0; i < s->trained_count; i++) work[i] = s->trained[i * s->rank + r];
    *median = crs_median(s->trained_count, work);
    for (ptrdiff_t i = 0; i < s->trained_count; i++)
        work[i] = fabs(s->trained[i * s->rank + r] - *median);
    *spread = 1.4826 * crs_median(s->trained_count, work);
}

static bool distances(const crease_cp_apply_settings *s, const crease_cp_apply_result *out,
                      crease_error *e)
{
    const ptrdiff_t slices = s->shape.dim[s->mode];
    if (!out->score || !s->trained || s->trained_count < 1) return true;
    double *work = crs_doubles(s->trained_count, "the trained coefficients", e), median, spread;
    if (!work) return false;
    for (ptrdiff_t i = 0; i < slices; i++) out->score[i].distance = 0;
    for (ptrdiff_t r = 0; r < s->rank; r++) {
        centre(s, r, work, &median, &spread);
        for (ptrdiff_t i = 0; i < slices; i++) {
            const double away = out->coefficients[i * s->rank + r] - median;
            out->score[i].distance += away == 0 ? 0 : square(away / spread) / (double)s->rank;
        }
    }
    for (ptrdiff_t i = 0; i < slices; i++) out->score[i].distance = sqrt(out->score[i].distance);
    crs_free(work);
    return true;
}

static bool check_numbers(const crease_cp_apply_settings *s, crease_error *e)
{
    if (s->rank < 1 || s->rank > 1 << 20)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the rank is %td; give 1 to %d", s->rank, 1 << 20);
    if (s->mode < 0 || s->mode >= s->shape.order)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the slices go along axis %d; there are 0 to %d",
                        s->mode, s->shape.order - 1);
    if (!(s->alpha > 0 && s->alpha < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "alpha = %g; give a number > 0", s->alpha);
    if (!(s->alpha_noise > 0 && s->alpha_noise < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "alpha_noise = %g; give a number > 0",
                        s->alpha_noise);
    return (s->ridge >= 0 && s->ridge < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "ridge = %g; give a number >= 0", s->ridge);
}

static bool check_factors(const crease_cp_apply_settings *s, crease_error *e)
{
    for (int n = 0; n < s->shape.order; n++) {
        ptrdiff_t size;
        if (n == s->mode) continue;
        if (!crs_mul_size(s->shape.dim[n], s->rank, &size) || !crs_all_finite(size, s->factor[n]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "factor %d has entries that are not finite; fit the model again",
                            n + 1);
    }
    return !s->trained || crs_all_finite(s->trained_count * s->rank, s->trained) ||
           crs_fail(e, CREASE_BAD_DATA, "the trained coefficients are not all finite");
}

static bool check(const crease_cp_apply_settings *s, const double *tensor,
                  const crease_reg *penalty, crease_error *e)
{
    if (!crease_space_check(&s->shape, e)) return false;
    if (s->shape.order < 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "the data have 1 dimension; give a matrix or a tensor");
    if (!check_numbers(s, e) || !check_factors(s, e)) return false;
    if (!crs_is_plain(penalty))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "slices need a penalty that is a sum over entries without weights, as l1");
    if (!crease_reg_check(penalty, &s->shape, e)) return false;
    for (ptrdiff_t j = 0, size = crease_size(&s->shape); j < size; j++) {
        const bool hidden = s->mask && s->mask[j] == 0;
        if (!hidden && !isfinite(tensor[j]) && !(s->missing && isnan(tensor[j])))
            return crs_fail(e, CREASE_BAD_DATA,
                            "entry %td of the data is %g; give finite numbers, or let nan mark "
                            "missing entries (--missing nan)",
                            j + 1, tensor[j]);
    }
    return true;
}

static slice slice_of(const crease_cp_apply_settings *s, const crease_reg *penalty, const double *m)
{
    const double c = crs_noise_share(s->alpha_noise);
    slice p = { .entries = crease_size(&s->shape) / s->shape.dim[s->mode],
                .rank = s->rank,
                .m = m,
                .penalty = crs_penalty_of(penalty->penalty, penalty->par, s->alpha),
                .c = c,
                .nu = s->ridge,
                .soft = penalty->penalty == &crs_l1,
                .nonneg = s->nonneg,
                .watch = s->watch };
    p.dead = p.soft ? s->alpha * penalty->par[0] / (2 * c) : crs_dead_zone(&p.penalty, 1 / (2 * c));
    return p;
}

/* M: the Khatri-Rao product of all factors but one */
static double *products(const crease_cp_apply_settings *s, crease_error *e)
{
    crs_kruskal k = { .shape = { .order = s->shape.order - 1 }, .rank = s->rank };
    for (int n = 0, to = 0; n < s->shape.order; n++) {
        if (n == s->mode) continue;
        k.shape.dim[to] = s->shape.dim[n];
        k.factor[to++] = s->factor[n];
    }
    const ptrdiff_t rows = crease_size(&k.shape);
    ptrdiff_t size;
    if (!crs_mul_size(rows, s->rank, &size))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the terms are more than can be counted"), NULL;
    double *m = crs_doubles(size, "the terms", e);
    if (m) crs_khatri_rao(&k, (crs_modes){ 0, k.shape.order, -1 }, 0, rows, m);
    return m;
}

typedef struct {
    const crease_cp_apply_settings *s;
    const double *tensor;
    const crease_cp_apply_result *out;
    slice p;
    double *t, *low, *work; /* a slice, M a, for medians */
    int unit, terms;        /* the data are worked on times 2^-unit, M times 2^-terms */
    ptrdiff_t next;         /* slice to do */
} job;

static ptrdiff_t place(const job *b, ptrdiff_t i, ptrdiff_t j)
{
    const ptrdiff_t right = crs_right(&b->s->shape, b->s->mode);
    return (j / right * b->s->shape.dim[b->s->mode] + i) * right + j % right;
}

/* NaN where nothing was observed */
static void gather(const job *b, ptrdiff_t i)
{
    const double unit = ldexp(1, -b->unit);
    for (ptrdiff_t j = 0; j < b->p.entries; j++) {
        const ptrdiff_t at = place(b, i, j);
        b->t[j] = b->s->mask && b->s->mask[at] == 0 ? NAN : unit * b->tensor[at];
    }
}

static void scatter(const job *b, ptrdiff_t i)
{
    const double unit = ldexp(1, b->unit);
    for (ptrdiff_t j = 0; j < b->p.entries; j++) {
        const ptrdiff_t at = place(b, i, j);
        if (b->out->lowrank) b->out->lowrank[at] = unit * b->low[j];
        if (b->out->sparse) b->out->sparse[at] = unit * b->p.e[j];
    }
}

static void one_slice(job *b, ptrdiff_t i)
{
    double *a = b->out->coefficients + i * b->p.rank;
    fill(b->p.rank, 0, a);
    gather(b, i);
    const int iterations = solve_slice(&b->p, b->t, a);
    crs_gemv(false, b->p.entries, b->p.rank, 1, b->p.m, a, 0, b->low);
    scatter(b, i);
    if (b->out->score) {
        crease_cp_slice_score *score = &b->out->score[i];
        *score = score_of(&b->p, b->t, a, b->work);
        score->iterations = iterations;
        score->scale = ldexp(score->scale, b->unit);
        score->objective = ldexp(score->objective, 2 * b->unit);
    }
    crs_times_power(b->p.rank, b->unit - b->terms, a, a);
}

static void visit(crs_visitor *v, void *self)
{
    job *b = self;
    const ptrdiff_t slices = b->s->shape.dim[b->s->mode], size = crease_size(&b->s->shape);
    crs_visit(v, b->next);
    crs_visits(v, b->out->coefficients, slices * b->p.rank);
    if (b->out->lowrank) crs_visits(v, b->out->lowrank, size);
    if (b->out->sparse) crs_visits(v, b->out->sparse, size);
    if (b->out->score) crs_visits(v, b->out->score, slices);
}

static void all_slices(job *b)
{
    crease_watch *w = b->s->watch;
    if (crs_unit_begin(w, "slices", CRS_UNIT_LOOP, visit, b) == CRS_UNIT_DONE) return;
    for (; b->next < b->s->shape.dim[b->s->mode]; crs_unit_tick(w)) one_slice(b, b->next++);
    crs_unit_end(w);
}

/* Data and terms of any size are worked on in units of their own, and the penalty with them. */
static bool set_units(job *b, double *m, crease_reg *penalty, crease_error *e)
{
    const crease_cp_apply_settings *s = b->s;
    const ptrdiff_t size = crease_size(&s->shape), n = size / s->shape.dim[s->mode] * s->rank;
    const crs_extent data = crs_extent_of(size, b->tensor, s->mask),
                     terms = crs_extent_of(n, m, NULL);
    const crease_reg given = *penalty;
    char where[64];
    snprintf(where, sizeof where, "entry %td of the data", data.at + 1);
    if (!crs_extent_fits(&data, where, "them", data.at < 0 ? 0 : b->tensor[data.at], e))
        return false;
    b->unit = crs_extent_unit(&data, ORDINARY);
    b->terms = crs_extent_unit(&terms, ORDINARY);
    crs_times_power(n, -b->terms, m, m);
    return b->unit == 0 || crs_reg_rescale(&given, ldexp(1, -b->unit), penalty) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "%s is %g, out of all proportion to the penalty of the model; give data in "
                    "the unit of those it was fitted to",
                    where, b->tensor[data.at]);
}

bool crease_cp_apply(const crease_cp_apply_settings *s, const double *tensor,
                     const crease_cp_apply_result *out, crease_error *e)
{
    crease_reg penalty = s->penalty.ops ? s->penalty : crease_l1(1);
    if (!check(s, tensor, &penalty, e)) return false;
    double *m = products(s, e);
    if (!m) return false;
    job b = { .s = s, .tensor = tensor, .out = out };
    bool done = set_units(&b, m, &penalty, e);
    b.p = slice_of(s, &penalty, m);
    b.p.nu = ldexp(b.p.nu, -2 * b.terms);
    const ptrdiff_t n = b.p.entries;
    done = done && open_slice(&b.p, e);
    b.t = done ? crs_doubles(3 * n, "a slice", e) : NULL;
    done = b.t;
    if (done) {
        b.low = b.t + n, b.work = b.low + n;
        all_slices(&b);
        done = distances(s, out, e);
    }
    crs_free(b.t);
    close_slice(&b.p);
    crs_free(m);
    return done;
}
