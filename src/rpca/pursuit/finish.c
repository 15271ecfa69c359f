/* SPDX-License-Identifier: MIT
 * finish: exact recovery by guess and proof. Without noise a few steps of ADMM tell the rank and
 * which entries are spoilt; the rest is least squares, and the multiplier a linear system.
 *
 *   support  O = { |M - L|_ij > 5 max(med_i, med_j) }, med the medians of |M - L| over rows and
 *            columns, from samples: one threshold for all would give whole rows away
 *   L        Gauss-Newton steps for |M - L| outside of O on the matrices of rank r: with T the
 *            tangent space at L = U diag(s) V', D = dU V' + U dV', V'dV = 0,
 *            (I - P_T P_O P_T) D = P_T P_W (M - L) by conjugate gradients, W all but O, which costs
 *            as much as O is large; then L <- (U diag(s) + dU)(V + dV diag(1/s))'
 *   Y        of ADMM's, with P_T Y = UV' and Y = lambda sgn(M - L) on O: Y + a + x, x on O,
 *            (I - P_O P_T) x = d_O - P_O d_T,  a = d_T - P_T x, d what is wrong with Y. An entry
 *            that ends beyond lambda joins O, where Y is to be just below lambda and S is 0
 *
 * Then <Y, M> = |L|_* + lambda |S|_1, and the point is an answer if |Y|_2 <= 1, which proof.c
 * decides. Any guess may be wrong, and nothing relies on it. Of one column the answer is a formula.
 */
#include "dense/dense.h"
#include "rpca/pursuit/pursuit.h"

enum { STEPS = 12, PATIENCE = 3, CG = 15, DUAL_CG = 60, ROUNDS = 6, SAMPLE = 48 };
static const double spread = 5, floor_of_rms = 1e-11, exact = 1e-13, below = 0.97;

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static bool over(const crs_pursuit *p) { return crease_watch_over(p->c.watch); }

/* A vector of the tangent space: dU (m x r) and dV (n x r). */
typedef struct {
    double *u, *v;
} tangent;

static tangent tangent_at(const crs_pursuit *p, int k)
{
    return (tangent){ p->tangent[k], p->side[k] };
}

static double tangent_dot(const crs_pursuit *p, tangent a, tangent b)
{
    return crs_dot(p->m * p->r, a.u, b.u) + crs_dot(p->n * p->r, a.v, b.v);
}

static void tangent_axpy(const crs_pursuit *p, double t, tangent a, tangent to)
{
    axpy(p->m * p->r, t, a.u, to.u);
    axpy(p->n * p->r, t, a.v, to.v);
}

/* v becomes (I - VV') v. */
static void leave_v(const crs_pursuit *p, double *v)
{
    crs_gemm(true, false, p->r, p->r, p->n, 1, p->V, v, 0, p->small);
    crs_gemm(false, false, p->n, p->r, p->r, -1, p->V, p->small, 1, v);
}

static double entry(const crs_pursuit *p, tangent a, ptrdiff_t i, ptrdiff_t j)
{
    const ptrdiff_t r = p->r;
    const double *du = a.u + i * r, *u = p->U + i * r, *v = p->V + j * r, *dv = a.v + j * r;
    double sum = 0;
    for (ptrdiff_t k = 0; k < r; k++) sum += du[k] * v[k] + u[k] * dv[k];
    return sum;
}

/* out = P_O a by entries */
static void on_entries(const crs_pursuit *p, tangent a, double *out)
{
    const crs_pursuit_entries *o = &p->outside;
    for (ptrdiff_t i = 0; i < p->m; i++)
        for (ptrdiff_t k = o->start[i]; k < o->start[i + 1]; k++)
            out[k] = entry(p, a, i, o->column[k]);
}

/* a = P_T x, x of the entries outside */
static void to_tangent(const crs_pursuit *p, const double *x, tangent a)
{
    const crs_pursuit_entries *o = &p->outside;
    const ptrdiff_t r = p->r;
    fill(p->m * r, 0, a.u), fill(p->n * r, 0, a.v);
    for (ptrdiff_t i = 0; i < p->m; i++) {
        double *du = a.u + i * r;
        const double *u = p->U + i * r;
        for (ptrdiff_t k = o->start[i]; k < o->start[i + 1]; k++) {
            const double *v = p->V + o->column[k] * r, t = x[k];
            double *dv = a.v + o->column[k] * r;
            for (ptrdiff_t l = 0; l < r; l++) du[l] += t * v[l], dv[l] += t * u[l];
        }
    }
    leave_v(p, a.v);
}

static ptrdiff_t entries(const crs_pursuit *p) { return p->outside.start[p->m]; }

/* (I - P_T P_O P_T) d = the vector in `rest`, which is used up; d from 0. */
static bool solve_tangent(crs_pursuit *p, tangent d, tangent rest, tangent along, tangent image)
{
    const ptrdiff_t r = p->r;
    double now = tangent_dot(p, rest, rest);
    const double enough = 1e-10 * now;
    fill(p->m * r, 0, d.u), fill(p->n * r, 0, d.v);
    copy(p->m * r, rest.u, along.u), copy(p->n * r, rest.v, along.v);
    for (int k = 0; k < CG && now > enough; k++) {
        if (over(p)) return false;
        on_entries(p, along, p->along[0]);
        to_tangent(p, p->along[0], image);
        for (ptrdiff_t j = 0; j < p->m * r; j++) image.u[j] = along.u[j] - image.u[j];
        for (ptrdiff_t j = 0; j < p->n * r; j++) image.v[j] = along.v[j] - image.v[j];
        const double bend = tangent_dot(p, along, image);
        if (!(bend > 1e-6 * tangent_dot(p, along, along))) return bend > 0;
        const double before = now, step = now / bend;
        tangent_axpy(p, step, along, d);
        tangent_axpy(p, -step, image, rest);
        now = tangent_dot(p, rest, rest);
        for (ptrdiff_t j = 0; j < p->m * r; j++) along.u[j] = rest.u[j] + now / before * along.u[j];
        for (ptrdiff_t j = 0; j < p->n * r; j++) along.v[j] = rest.v[j] + now / before * along.v[j];
    }
    return true;
}

/* (I - P_O P_T) x = b on the entries outside; b is used up. */
static bool solve_entries(crs_pursuit *p, double *x, double *b, double *along, double *image)
{
    const ptrdiff_t count = entries(p);
    const tangent a = tangent_at(p, 2);
    double now = crs_dot(count, b, b);
    const double enough = 1e-20 * larger(now, square(p->c.lambda));
    fill(count, 0, x);
    copy(count, b, along);
    for (int k = 0; k < DUAL_CG && now > enough; k++) {
        if (over(p)) return false;
        to_tangent(p, along, a);
        on_entries(p, a, image);
        for (ptrdiff_t j = 0; j < count; j++) image[j] = along[j] - image[j];
        const double bend = crs_dot(count, along, image);
        if (!(bend > 1e-6 * crs_dot(count, along, along))) return false;
        const double before = now, step = now / bend;
        axpy(count, step, along, x);
        axpy(count, -step, image, b);
        now = crs_dot(count, b, b);
        for (ptrdiff_t j = 0; j < count; j++) along[j] = b[j] + now / before * along[j];
    }
    return true;
}

/* Rows of M - L to l, U diag(theta) being in tangent 3. */
static void rest_rows(const crs_pursuit *p, ptrdiff_t first, ptrdiff_t rows)
{
    copy(rows * p->n, p->M + first * p->n, p->l);
    crs_gemm(false, true, rows, p->n, p->r, -1, p->tangent[3] + first * p->r, p->V, 1, p->l);
}

/* The median of |x|, every stride-th of n numbers `step` apart. */
static double median_of(ptrdiff_t n, ptrdiff_t step, const double *x)
{
    double sample[2 * SAMPLE];
    const ptrdiff_t stride = (n + SAMPLE - 1) / SAMPLE;
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0; j < n; j += stride) sample[count++] = fabs(x[j * step]);
    return crs_median(count, sample);
}

/* Medians of the columns, from rows spread over the matrix. */
static void column_medians(crs_pursuit *p)
{
    const ptrdiff_t count = least(least(p->tile, 4 * SAMPLE), p->m), n = p->n;
    for (ptrdiff_t i = 0; i < count; i++) {
        const ptrdiff_t row = i * p->m / count;
        copy(n, p->M + row * n, p->l + i * n);
        crs_gemv(false, n, p->r, -1, p->V, p->tangent[3] + row * p->r, 1, p->l + i * n);
    }
    for (ptrdiff_t j = 0; j < n; j++) p->median[j] = median_of(count, n, p->l + j);
}

/* The entries of a row of M - L that are outside, to the list; 0 in their place. */
static bool cut_row(crs_pursuit *p, ptrdiff_t i, double least_size, double *row)
{
    crs_pursuit_entries *o = &p->outside;
    const double own = median_of(p->n, 1, row);
    ptrdiff_t at = o->start[i];
    if (at + p->n > p->room) return false;
    for (ptrdiff_t j = 0; j < p->n; j++) {
        const double limit = larger(least_size, spread * larger(own, p->median[j]));
        if (fabs(row[j]) <= limit) continue;
        o->column[at] = (int32_t)j;
        o->value[at++] = row[j];
        row[j] = 0;
    }
    o->start[i + 1] = at;
    return true;
}

/* The support anew; g = P_T P_W (M - L), and the root mean square of M - L on W. */
static bool support(crs_pursuit *p, tangent g, double *rms)
{
    const ptrdiff_t n = p->n, r = p->r;
    const double entry_size = p->size / sqrt((double)p->m * (double)n);
    double sum = 0;
    for (ptrdiff_t i = 0; i < p->m; i++)
        for (ptrdiff_t j = 0; j < r; j++) p->tangent[3][i * r + j] = p->U[i * r + j] * p->theta[j];
    column_medians(p);
    fill(n * r, 0, g.v);
    p->outside.start[0] = 0;
    for (ptrdiff_t at = 0; at < p->m; at += p->tile) {
        const ptrdiff_t rows = least(p->tile, p->m - at);
        if (over(p)) return false;
        rest_rows(p, at, rows);
        for (ptrdiff_t i = 0; i < rows; i++)
            if (!cut_row(p, at + i, floor_of_rms * entry_size, p->l + i * n)) return false;
        crs_gemm(false, false, rows, r, n, 1, p->l, p->V, 0, g.u + at * r);
        crs_gemm(true, false, n, r, rows, 1, p->l, p->U + at * r, 1, g.v);
        sum += square(crs_norm(rows * n, p->l));
    }
    leave_v(p, g.v);
    *rms = sqrt(sum / (double)(p->m * n - entries(p))) / entry_size;
    return true;
}

/* L <- (U diag(s) + dU)(V + dV diag(1/s))', its factors orthonormal again. */
static bool retract(crs_pursuit *p, tangent d)
{
    const ptrdiff_t r = p->r, m = p->m, n = p->n;
    double *ra = p->small, *rb = ra + r * r, *core = rb + r * r, *left = core + r * r;
    double *right = left + r * r, *work = right + r * r;
    for (ptrdiff_t j = 0; j < r; j++) {
        if (!(p->theta[j] > 1e-8 * p->theta[0])) return false;
        for (ptrdiff_t i = 0; i < m; i++) d.u[i * r + j] += p->theta[j] * p->U[i * r + j];
        for (ptrdiff_t i = 0; i < n; i++)
            d.v[i * r + j] = p->V[i * r + j] + d.v[i * r + j] / p->theta[j];
    }
    if (!crs_qr(m, r, d.u, ra, work) || !crs_qr(n, r, d.v, rb, work)) return false;
    crs_gemm(false, true, r, r, r, 1, ra, rb, 0, core);
    if (!crs_svd(r, r, core, left, p->theta, right, work)) return false;
    crs_gemm(false, false, m, r, r, 1, d.u, left, 0, p->U);
    crs_gemm(false, true, n, r, r, 1, d.v, right, 0, p->V);
    return true;
}

/* The U, theta and V of ADMM's L; V keeps those of X that are large enough to count in L. */
static bool take_factors(crs_pursuit *p)
{
    for (ptrdiff_t at = 0; at < p->m; at += p->tile) {
        const ptrdiff_t rows = least(p->tile, p->m - at);
        if (over(p)) return false;
        crs_pursuit_x(p, at, rows, p->x);
        crs_gemm(false, false, rows, p->r, p->n, 1, p->x, p->V, 0, p->U + at * p->r);
    }
    for (ptrdiff_t i = 0; i < p->m; i++)
        for (ptrdiff_t j = 0; j < p->r; j++) p->U[i * p->r + j] /= p->theta[j];
    for (ptrdiff_t j = 0; j < p->r; j++) p->theta[j] -= 1 / p->b;
    return true;
}

/* Steps until M - L is rounding on W; false: it does not fall, or the watch is over. */
static bool recover(crs_pursuit *p)
{
    const tangent d = tangent_at(p, 0), g = tangent_at(p, 1);
    double rms, best = INFINITY;
    for (int k = 0, late = 0; k < STEPS; k++) {
        if (!support(p, g, &rms)) return false;
        if (rms <= exact || p->r == 0) return rms <= exact;
        late = rms < 0.3 * best ? 0 : late + 1;
        if (late == PATIENCE) return false;
        best = smaller(best, rms);
        if (!solve_tangent(p, d, g, tangent_at(p, 2), tangent_at(p, 3)) || !retract(p, d))
            return false;
    }
    return support(p, g, &rms) && rms <= 100 * exact;
}

/* d_T = UV' - P_T Y, of rows of Y that read gives. */
static bool wrong_tangent(crs_pursuit *p, bool first, tangent d)
{
    const ptrdiff_t n = p->n, r = p->r;
    fill(n * r, 0, d.v);
    for (ptrdiff_t at = 0; at < p->m; at += p->tile) {
        const ptrdiff_t rows = least(p->tile, p->m - at);
        const double *y = first ? p->x : p->spare + at * n;
        if (over(p)) return false;
        if (first) {
            crs_pursuit_y(p, at, rows, p->x);
            copy(rows * n, p->x, p->spare + at * n);
        }
        copy(rows * r, p->U + at * r, d.u + at * r);
        crs_gemm(false, false, rows, r, n, -1, y, p->V, 1, d.u + at * r);
        crs_gemm(true, false, n, r, rows, -1, y, p->U + at * r, 1, d.v);
    }
    leave_v(p, d.v);
    return true;
}

static double wanted(const crs_pursuit *p, double value)
{
    return value == 0 ? 0 : copysign(p->c.lambda, value);
}

/* Row i of Y with the correction a; entries beyond lambda join the others in p->other. Values are
 * those of S, and 0 where Y alone is meant. */
static bool correct_row(crs_pursuit *p, ptrdiff_t i, const double *a, ptrdiff_t *joined)
{
    const crs_pursuit_entries *o = &p->outside;
    const double lambda = p->c.lambda;
    double *y = p->spare + i * p->n;
    ptrdiff_t k = o->start[i], at = p->other.start[i];
    if (at + p->n > p->room) return false;
    for (ptrdiff_t j = 0; j < p->n; j++) {
        const bool in = k < o->start[i + 1] && o->column[k] == j;
        if (in && o->value[k] != 0)
            y[j] = wanted(p, o->value[k]);
        else if (in)
            y[j] = copysign(below * lambda, y[j]);
        else
            y[j] += a[j];
        const bool joins = !in && !(fabs(y[j]) <= lambda);
        if (in || joins) {
            p->other.column[at] = (int32_t)j;
            p->other.value[at++] = in ? o->value[k] : 0;
        }
        if (joins) y[j] = copysign(below * lambda, y[j]);
        *joined += joins;
        k += in;
    }
    p->other.start[i + 1] = at;
    return true;
}

static bool correct(crs_pursuit *p, tangent a, ptrdiff_t *joined)
{
    const ptrdiff_t n = p->n, r = p->r;
    *joined = 0;
    p->other.start[0] = 0;
    for (ptrdiff_t at = 0; at < p->m; at += p->tile) {
        const ptrdiff_t rows = least(p->tile, p->m - at);
        if (over(p)) return false;
        crs_gemm(false, true, rows, n, r, 1, a.u + at * r, p->V, 0, p->l);
        crs_gemm(false, true, rows, n, r, 1, p->U + at * r, a.v, 1, p->l);
        for (ptrdiff_t i = 0; i < rows; i++)
            if (!correct_row(p, at + i, p->l + i * n, joined)) return false;
    }
    const crs_pursuit_entries was = p->outside;
    p->outside = p->other, p->other = was;
    return true;
}

/* What is wrong with Y on the entries outside, less what d_T mends there. */
static void wrong_entries(const crs_pursuit *p, tangent d, double *b)
{
    const crs_pursuit_entries *o = &p->outside;
    on_entries(p, d, b);
    for (ptrdiff_t i = 0; i < p->m; i++)
        for (ptrdiff_t k = o->start[i]; k < o->start[i + 1]; k++) {
            const double y = p->spare[i * p->n + o->column[k]];
            const double to =
                o->value[k] != 0 ? wanted(p, o->value[k]) : copysign(below * p->c.lambda, y);
            b[k] = to - y - b[k];
        }
}

static bool multiplier(crs_pursuit *p)
{
    const tangent d = tangent_at(p, 0), image = tangent_at(p, 1);
    double *x = p->along[0], *b = p->along[1];
    for (int k = 0; k < ROUNDS; k++) {
        ptrdiff_t joined;
        if (!wrong_tangent(p, k == 0, d)) return false;
        wrong_entries(p, d, b);
        if (!solve_entries(p, x, b, p->along[2], p->along[3])) return false;
        to_tangent(p, x, image);
        tangent_axpy(p, -1, image, d);
        if (!correct(p, d, &joined)) return false;
        if (joined == 0) return true;
    }
    return true;
}

/* V, theta and r as they were, where the guess was wrong. */
static bool take_back(crs_pursuit *p, ptrdiff_t r)
{
    copy(p->n * r, p->kept, p->V);
    copy(r, p->kept + p->n * r, p->theta);
    p->finished = p->proved = false;
    return false;
}

/* min |l|_2 + lambda |x - l|_1: l is x cut at lambda c with |l| = c, and y = l/c; where the norm of
 * lambda sgn(x) is at most 1, l = 0. c from its set of entries that are cut, which grows. */
static double cut_of(const crs_pursuit *p)
{
    const double lambda = p->c.lambda;
    double c = p->size;
    for (ptrdiff_t before = -1, count = 0; count != before;) {
        double squares = 0;
        before = count;
        count = 0;
        for (ptrdiff_t i = 0; i < p->m; i++)
            if (fabs(p->M[i]) > lambda * c)
                count++;
            else
                squares += square(p->M[i]);
        const double rest = 1 - (double)count * square(lambda);
        if (!(rest > 0) || squares == 0) return 0;
        if (count != before) c = sqrt(squares / rest);
    }
    return c;
}

static bool vector(crs_pursuit *p)
{
    const double c = cut_of(p), lambda = p->c.lambda;
    ptrdiff_t at = 0;
    p->r = c > 0;
    if (p->r) p->theta[0] = c, p->V[0] = 1;
    p->outside.start[0] = 0;
    for (ptrdiff_t i = 0; i < p->m; i++) {
        const double x = p->M[i];
        const bool out = fabs(x) > lambda * c;
        p->spare[i] = out ? copysign(lambda, x) : c > 0 ? x / c : 0;
        if (p->r) p->U[i] = p->spare[i];
        if (out) p->outside.column[at] = 0, p->outside.value[at++] = x - lambda * copysign(c, x);
        p->outside.start[i + 1] = at;
    }
    return true;
}

bool crs_pursuit_finish(crs_pursuit *p)
{
    const ptrdiff_t r = p->r;
    if (p->n == 1) return p->finished = vector(p);
    if (r > p->most) return false;
    copy(p->n * r, p->V, p->kept);
    copy(r, p->theta, p->kept + p->n * r);
    if (!take_factors(p) || !recover(p) || !multiplier(p)) return take_back(p, r);
    p->finished = true;
    p->proved = false;
    const crs_pursuit_proof *a = crs_pursuit_prove(p);
    const double close = smaller(p->c.eps, 1e-8);
    return (a->worst <= p->c.eps && a->gap <= close) || take_back(p, r);
}
