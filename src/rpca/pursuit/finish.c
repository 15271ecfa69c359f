/* SPDX-License-Identifier: MIT
 * finish: exact recovery by guess and proof. Without noise a few steps of ADMM tell the rank and
 * which entries are spoilt; the rest is least squares, and the multiplier a linear system.
 *
 *   support  O = { |M - L|_ij > 5 max(med_i, med_j) }, med the medians of |M - L| over rows and
 *            columns, from samples: one threshold for all would give whole rows away
 *   L        Gauss-Newton steps for |M - L| outside of O on the matrices of rank r: with T the
 *            tangent space at L = U diag(s) V', D = dU V' + U dV', V'dV = 0, and W all but O,
 *            P_T P_W D = P_T P_W (M - L) by conjugate gradients, P_T P_W = I - P_T P_O on T, which
 *            costs as much as O is large, and as accurately as the next residual can make use of;
 *            then L <- (U diag(s) + dU)(V + dV diag(1/s))'
 *   Y        of ADMM's, with Y = lambda sgn(M - L) on O and P_T Y = UV': Y + P_W C, C in T with
 *            P_T P_W C = UV' - P_T Y. An entry that ends beyond lambda joins O, where Y is to be
 *            just below lambda and S is 0, and C is found again, for what is left of its equation
 *
 * Then <Y, M> = |L|_* + lambda |S|_1, and the point is an answer if |Y|_2 <= 1, which proof.c
 * decides. Any guess may be wrong, and nothing relies on it. Of one column the answer is a formula.
 */
#include "dense/dense.h"
#include "rpca/kernels/kernels.h"
#include "rpca/pursuit/pursuit.h"

enum { STEPS = 12, PATIENCE = 2, CG = 15, DUAL_CG = 30, ROUNDS = 10, SAMPLE = 48 };
static const double spread = 5, floor_of_rms = 1e-10, exact = 1e-11, below = 0.97,
                    negligible = 1e-8;

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

static void copy_tangent(const crs_pursuit *p, tangent a, tangent to)
{
    copy(p->m * p->r, a.u, to.u), copy(p->n * p->r, a.v, to.v);
}

/* v becomes (I - VV') v. */
static void leave_v(const crs_pursuit *p, double *v)
{
    crs_gemm(true, false, p->r, p->r, p->n, 1, p->V, v, 0, p->small);
    crs_gemm(false, false, p->n, p->r, p->r, -1, p->V, p->small, 1, v);
}

/* to += P_T P_O (X - D), x of the entries outside; NULL: 0. What `to` had is in T. */
static void add_outside(const crs_pursuit *p, const double *x, tangent d, tangent to)
{
    const crs_pursuit_entries *o = &p->outside;
    const crs_tangent_rows all = { p->r, o->start, o->column, x, p->U, p->V, d.u, d.v, to.u, to.v };
    p->kernel->tangent(&all, 0, p->m);
    leave_v(p, to.v);
}

static ptrdiff_t entries(const crs_pursuit *p) { return p->outside.start[p->m]; }

/* P_T P_W d = the vector in `rest`, until its square is `enough` or for so many steps; d from 0,
 * and `rest` is what is left; less exactly where T and O nearly meet. False: the watch is over, or
 * they do. */
static bool solve(crs_pursuit *p, tangent d, tangent rest, double enough, int steps)
{
    const ptrdiff_t r = p->r;
    const tangent along = tangent_at(p, 2), image = tangent_at(p, 3);
    double now = tangent_dot(p, rest, rest);
    fill(p->m * r, 0, d.u), fill(p->n * r, 0, d.v);
    copy_tangent(p, rest, along);
    for (int k = 0; k < steps && now > enough; k++) {
        if (over(p)) return false;
        copy_tangent(p, along, image);
        add_outside(p, NULL, along, image);
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

/* Limits of the columns by their medians, from rows spread over the matrix. */
static void column_limits(crs_pursuit *p, double least_size)
{
    const ptrdiff_t count = least(least(p->tile, 4 * SAMPLE), p->m), n = p->n;
    for (ptrdiff_t i = 0; i < count; i++) {
        const ptrdiff_t row = i * p->m / count;
        copy(n, p->M + row * n, p->l + i * n);
        crs_gemv(false, n, p->r, -1, p->V, p->tangent[3] + row * p->r, 1, p->l + i * n);
    }
    for (ptrdiff_t j = 0; j < n; j++)
        p->limit[j] = larger(least_size, spread * median_of(count, n, p->l + j));
}

/* The entries of a row of M - L that are outside, to the list; 0 in their place. */
static bool cut_row(crs_pursuit *p, ptrdiff_t i, double *row, double *squares)
{
    crs_pursuit_entries *o = &p->outside;
    const ptrdiff_t at = o->start[i];
    if (at + p->n > p->room) return false;
    crs_cut_row cut = { p->n,           spread * median_of(p->n, 1, row),
                        p->limit,       row,
                        o->column + at, o->value + at,
                        *squares };
    if (!(cut.least < INFINITY)) return false;
    o->start[i + 1] = at + p->kernel->cut(&cut);
    *squares = cut.squares;
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
    column_limits(p, floor_of_rms * entry_size);
    fill(n * r, 0, g.v);
    p->outside.start[0] = 0;
    for (ptrdiff_t at = 0; at < p->m; at += p->tile) {
        const ptrdiff_t rows = least(p->tile, p->m - at);
        if (over(p)) return false;
        rest_rows(p, at, rows);
        for (ptrdiff_t i = 0; i < rows; i++)
            if (!cut_row(p, at + i, p->l + i * n, &sum)) return false;
        crs_gemm(false, false, rows, r, n, 1, p->l, p->V, 0, g.u + at * r);
        crs_gemm(true, false, n, r, rows, 1, p->l, p->U + at * r, 1, g.v);
    }
    leave_v(p, g.v);
    *rms = sqrt(sum / (double)(p->m * n - entries(p))) / entry_size;
    return true;
}

/* The rank falls to the singular values that are more than rounding; `rows` rows of vectors lose
 * the columns of the others. */
static void truncate(crs_pursuit *p, ptrdiff_t rows, double *vectors)
{
    const ptrdiff_t r = p->r;
    ptrdiff_t kept = 0;
    while (kept < r && p->theta[kept] > negligible * p->theta[0]) kept++;
    for (ptrdiff_t i = 0; i < rows; i++) copy(kept, vectors + i * r, vectors + i * kept);
    p->r = kept;
}

/* L <- (U diag(s) + dU)(V + dV diag(1/s))', its factors orthonormal again. The rank falls where it
 * was too large. */
static bool retract(crs_pursuit *p, tangent d)
{
    const ptrdiff_t r = p->r, m = p->m, n = p->n;
    double *ra = p->small, *rb = ra + r * r, *core = rb + r * r, *left = core + r * r;
    double *right = left + r * r, *work = right + r * r;
    for (ptrdiff_t j = 0; j < r; j++) {
        for (ptrdiff_t i = 0; i < m; i++) d.u[i * r + j] += p->theta[j] * p->U[i * r + j];
        for (ptrdiff_t i = 0; i < n; i++)
            d.v[i * r + j] = p->V[i * r + j] + d.v[i * r + j] / p->theta[j];
    }
    if (!crs_qr(m, r, d.u, ra, work) || !crs_qr(n, r, d.v, rb, work)) return false;
    crs_gemm(false, true, r, r, r, 1, ra, rb, 0, core);
    if (!crs_svd(r, r, core, left, p->theta, right, work)) return false;
    truncate(p, r, left);
    crs_gemm(false, false, m, p->r, r, 1, d.u, left, 0, p->U);
    crs_gemm(false, true, n, p->r, r, 1, d.v, right, 0, p->V);
    return true;
}

/* The U, theta and V of ADMM's L. */
static bool take_factors(crs_pursuit *p)
{
    for (ptrdiff_t j = 0; j < p->r; j++) p->theta[j] -= 1 / p->b;
    truncate(p, p->n, p->V);
    for (ptrdiff_t at = 0; at < p->m; at += p->tile) {
        const ptrdiff_t rows = least(p->tile, p->m - at);
        if (over(p)) return false;
        crs_pursuit_x(p, at, rows, p->x);
        crs_gemm(false, false, rows, p->r, p->n, 1, p->x, p->V, 0, p->U + at * p->r);
    }
    for (ptrdiff_t i = 0; i < p->m; i++)
        for (ptrdiff_t j = 0; j < p->r; j++) p->U[i * p->r + j] /= p->theta[j] + 1 / p->b;
    return true;
}

/* Steps until M - L is rounding on W; false: it does not fall, or the watch is over. A step leaves
 * about rms^2, and does not need more than a last one would. */
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
        const double share = smaller(1e-2, larger(rms, exact / rms) / 4);
        if (!solve(p, d, g, square(share) * tangent_dot(p, g, g), CG) || !retract(p, d))
            return false;
    }
    return support(p, g, &rms) && rms <= 100 * exact;
}

static double wanted(const crs_pursuit *p, double value)
{
    return value == 0 ? 0 : copysign(p->c.lambda, value);
}

/* Row i of ADMM's Y, with what it is to be on the entries outside. */
static void begin_row(crs_pursuit *p, ptrdiff_t i, double *y)
{
    const crs_pursuit_entries *o = &p->outside;
    for (ptrdiff_t k = o->start[i]; k < o->start[i + 1]; k++)
        y[o->column[k]] = wanted(p, o->value[k]);
}

/* Y to `spare`, and d = UV' - P_T Y. */
static bool begin_multiplier(crs_pursuit *p, tangent d)
{
    const ptrdiff_t n = p->n, r = p->r;
    fill(n * r, 0, d.v);
    copy(p->m * r, p->U, d.u);
    for (ptrdiff_t at = 0; at < p->m; at += p->tile) {
        const ptrdiff_t rows = least(p->tile, p->m - at);
        double *y = p->spare + at * n;
        if (over(p)) return false;
        crs_pursuit_y(p, at, rows, y);
        for (ptrdiff_t i = 0; i < rows; i++) begin_row(p, at + i, y + i * n);
        crs_gemm(false, false, rows, r, n, -1, y, p->V, 1, d.u + at * r);
        crs_gemm(true, false, n, r, rows, -1, y, p->U + at * r, 1, d.v);
    }
    leave_v(p, d.v);
    return true;
}

/* The entries outside and those of row i of Y that are beyond lambda, which are cut, by columns;
 * p->along has what was cut off. Values are those of S, and 0 where Y alone is meant. */
static ptrdiff_t merge_row(crs_pursuit *p, ptrdiff_t i, double *y)
{
    const crs_pursuit_entries *o = &p->outside, *to = &p->other;
    const double lambda = p->c.lambda;
    ptrdiff_t k = o->start[i], at = to->start[i];
    for (ptrdiff_t j = 0; j < p->n; j++) {
        const bool in = k < o->start[i + 1] && o->column[k] == j;
        if (!in && fabs(y[j]) <= lambda) continue;
        const double cut = in ? y[j] : copysign(below * lambda, y[j]);
        to->column[at] = (int32_t)j;
        to->value[at] = in ? o->value[k] : 0;
        p->along[at++] = y[j] - cut;
        y[j] = cut;
        k += in;
    }
    return at;
}

/* Row i of Y + P_W C, c being that of C; false: too many entries are outside. */
static bool correct_row(crs_pursuit *p, ptrdiff_t i, double *c)
{
    const crs_pursuit_entries *o = &p->outside, *to = &p->other;
    double *y = p->spare + i * p->n;
    const ptrdiff_t first = o->start[i], count = o->start[i + 1] - first, at = to->start[i];
    if (at + p->n > p->room) return false;
    for (ptrdiff_t k = first; k < first + count; k++) c[o->column[k]] = 0;
    if (p->kernel->lift(p->n, c, p->c.lambda, y)) {
        to->start[i + 1] = merge_row(p, i, y);
        return true;
    }
    memcpy(to->column + at, o->column + first, (size_t)count * sizeof *to->column);
    copy(count, o->value + first, to->value + at);
    fill(count, 0, p->along + at);
    to->start[i + 1] = at + count;
    return true;
}

static bool correct(crs_pursuit *p, tangent c)
{
    const ptrdiff_t n = p->n, r = p->r;
    p->other.start[0] = 0;
    for (ptrdiff_t at = 0; at < p->m; at += p->tile) {
        const ptrdiff_t rows = least(p->tile, p->m - at);
        if (over(p)) return false;
        crs_gemm(false, true, rows, n, r, 1, c.u + at * r, p->V, 0, p->l);
        crs_gemm(false, true, rows, n, r, 1, p->U + at * r, c.v, 1, p->l);
        for (ptrdiff_t i = 0; i < rows; i++)
            if (!correct_row(p, at + i, p->l + i * n)) return false;
    }
    const crs_pursuit_entries was = p->outside;
    p->outside = p->other, p->other = was;
    return true;
}

/* What is cut off Y is missing in P_T Y. C is found roughly as long as entries join. */
static bool multiplier(crs_pursuit *p)
{
    const tangent c = tangent_at(p, 0), rest = tangent_at(p, 1), zero = tangent_at(p, 2);
    const double last = 1e-22 * (double)p->r, part = 1e-8;
    if (!begin_multiplier(p, rest)) return false;
    for (int k = 0; k < ROUNDS; k++) {
        const ptrdiff_t before = entries(p);
        const double now = tangent_dot(p, rest, rest);
        if (!solve(p, c, rest, larger(last, part * now), DUAL_CG) || !correct(p, c)) return false;
        if (entries(p) == before && part * now <= last) return true;
        fill(p->m * p->r, 0, zero.u), fill(p->n * p->r, 0, zero.v);
        if (entries(p) > before) add_outside(p, p->along, zero, rest);
    }
    return true;
}

/* V, theta and r as they were, where the guess was wrong. */
static bool take_back(crs_pursuit *p, ptrdiff_t r)
{
    p->r = r;
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
