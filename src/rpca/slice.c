/* SPDX-License-Identifier: MIT
 * slice: a slice of new data regressed robustly on given terms
 *
 *     F(a) = sum_j phi(t_j - (M a)_j) + (nu/2)|a|^2,  phi(r) = min_e c (r - e)^2 + alpha rho(|e|)
 *
 * Huber's problem first, whose solution is unique or nearly so, by Newton's method: a piecewise
 * quadratic that exact line searches end in finitely many steps (Madsen, Nielsen, Finite algorithms
 * for robust linear regression, 1990). Then the penalty's own from there: phi'(r) = 2c (r - e), and
 * phi lies below c (r' - e)^2 + alpha rho(|e|), so that one step of least squares on t - e
 * decreases F for every penalty. */
#include <float.h>

#include "core/checkpoint.h"
#include "rpca/slices.h"
#include "tensor/tensor.h"

enum { NEWTONS = 100, MAJORIZATIONS = 3000, STAGE = 5, STAGE_SLOW = 30 };
enum { BISECTIONS = 60, SWEEPS = 200 };
static const double enough = 1e-12;

static double outlier(const crs_slice *s, double r)
{
    return fabs(r) <= s->dead ? 0 : crs_scalar_prox(&s->penalty, 1 / (2 * s->c), r);
}

/* r = t - M a, 0 where t is NaN; e = prox(r); g = -2c M'(r - e) + nu a */
void crs_slice_evaluate(crs_slice *s, const double *t, const double *a)
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
static bool newton_direction(crs_slice *s, const double *t)
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
static double slope(const crs_slice *s, const double *t, const double *a, double tau)
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
static void nonnegative(crs_slice *s, double *a)
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

static void majorize(crs_slice *s, double *a)
{
    if (s->nonneg) {
        nonnegative(s, a);
        return;
    }
    crs_cholesky_solve(s->rank, s->chol, 1, s->g);
    axpy(s->rank, -1, s->g, a);
}

static void newton_step(crs_slice *s, const double *t, double *a)
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

void crs_slice_close(crs_slice *s) { crs_free(s->r); }

bool crs_slice_open(crs_slice *s, crease_error *e)
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
static double unmet(const crs_slice *s, const double *a)
{
    double sum = 0;
    for (ptrdiff_t p = 0; p < s->rank; p++)
        if (!s->nonneg || a[p] > 0 || s->g[p] < 0) sum += square(s->g[p]);
    return sqrt(sum);
}

static double gradient_of(const crs_slice *s, const double *a)
{
    const double size =
        2 * s->c * s->norm * crs_norm(s->entries, s->q) + s->nu * crs_norm(s->rank, a);
    const double left = unmet(s, a);
    return left == 0 ? 0 : left / size;
}

static double objective_of(const crs_slice *s, const double *a)
{
    double sum = s->nu / 2 * crs_dot(s->rank, a, a);
    for (ptrdiff_t j = 0; j < s->entries; j++)
        sum += s->c * square(s->r[j] - s->e[j]) + crs_scalar_value(&s->penalty, s->e[j]);
    return sum;
}

/* What rounding alone leaves of a gradient where the model fits exactly. */
static double rounding(const crs_slice *s, const double *t)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < s->entries; j++)
        if (!isnan(t[j])) sum += square(t[j]);
    return 2 * s->c * s->norm * 4 * DBL_EPSILON * sqrt(sum);
}

/* Until the residual is small or is rounding; r, e, g at the end. */
static int iterate(crs_slice *s, const double *t, double *a, bool newton, int most)
{
    const double least = rounding(s, t);
    for (int k = 0; k < most; k++) {
        crs_slice_evaluate(s, t, a);
        if (!(gradient_of(s, a) > enough) || unmet(s, a) <= least) return k;
        if (crease_watch_over(s->watch)) return k;
        if (newton)
            newton_step(s, t, a);
        else
            majorize(s, a);
    }
    crs_slice_evaluate(s, t, a);
    return most;
}

/* Huber's problem with a threshold that falls from INFINITY, where it is least squares, to the dead
 * zone of the penalty: at every stage most entries count. */
static int follow(crs_slice *s, const double *t, double *a)
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

int crs_slice_solve(crs_slice *s, const double *t, double *a)
{
    const int count = follow(s, t, a);
    return count +
           iterate(s, t, a, s->soft && !s->nonneg, s->soft && !s->nonneg ? NEWTONS : MAJORIZATIONS);
}

crease_cp_slice_score crs_slice_score(const crs_slice *p, const double *t, const double *a,
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

crs_slice crs_slice_of(const crease_cp_apply_settings *s, const crease_reg *penalty,
                       const double *m)
{
    const double c = crs_noise_share(s->alpha_noise);
    crs_slice p = { .entries = crease_size(&s->shape) / s->shape.dim[s->mode],
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
