/* SPDX-License-Identifier: MIT
 * nuclear: how far T is from the subgradients w (UV' + P), U'P = 0, PV = 0, |P|_2 <= 1, of w |X|_*,
 * from above and from below, in double with bounds of its rounding: for matrices whose
 * decomposition in long double would take minutes
 *
 *   X = Q K Z'     Q by Gram-Schmidt with pivots until what is left of X is rounding, Z likewise of
 *                  the rows; K is r x r
 *   K = W H        W orthogonal by Newton's iteration; it is the polar factor if H = W'K is
 *                  symmetric and positive definite, and then UV' = Q W Z' whatever led here
 *   T              = (its part in the tangent space) + R, R = (I - QQ') T (I - ZZ');
 *                  |R|_2 <= b where Cholesky runs to its end on b^2 I - R'R (Rump, Verification of
 *                  positive definiteness, BIT 46, 2006)
 *   distance       <= |T - R - QWZ'| + (1 - 1/max(1, b)) |R|, and >= the first, and >= |R|_2 - 1
 *
 * Higham, Computing the polar decomposition, 1986. */
#include "verify/verify.h"

static const double unit = 0x1p-53;

/* X or T as m x n, m >= n. */
typedef struct {
    crs_verifier *v;
    ptrdiff_t m, n, r;
    double *x, *t;      /* what is left of X; T/w, later R */
    double *q, *z;      /* r x m, r x n: columns of Q and Z as rows */
    double *k, *w;      /* r x r */
    double *g;          /* n x n */
    double size, terms; /* |X|, |T/w| */
    double loose;       /* |Q'Q - I| + |Z'Z - I| + |W'W - I| */
} work;

static double *doubles(crs_verifier *v, ptrdiff_t n) { return crs_room(v, n, sizeof(double)); }

static double dot(ptrdiff_t n, const double *a, const double *b)
{
    double lane[4] = { 0, 0, 0, 0 };
    ptrdiff_t j = 0;
    for (; j + 4 <= n; j += 4)
        for (int l = 0; l < 4; l++) lane[l] += a[j + l] * b[j + l];
    for (; j < n; j++) lane[0] += a[j] * b[j];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static double length(ptrdiff_t n, const double *a) { return sqrt(dot(n, a, a)); }

static void plus(ptrdiff_t n, double f, const double *a, double *to)
{
    for (ptrdiff_t j = 0; j < n; j++) to[j] += f * a[j];
}

/* a (rows x columns) less q (a'q)', q of length rows; the products go to out. */
static bool deflate(crs_verifier *v, ptrdiff_t rows, ptrdiff_t columns, const double *q, double *a,
                    double *out)
{
    for (ptrdiff_t j = 0; j < columns; j++) out[j] = 0;
    for (ptrdiff_t i = 0; i < rows; i++) plus(columns, q[i], a + i * columns, out);
    for (ptrdiff_t i = 0; i < rows; i++) plus(columns, -q[i], out, a + i * columns);
    return crs_in_time(v);
}

/* a less its parts along the first r rows of q, twice; then of length 1. False: nothing is left. */
static bool orthogonalize(ptrdiff_t n, ptrdiff_t r, const double *q, double *a)
{
    const double before = length(n, a);
    for (int pass = 0; pass < 2; pass++)
        for (ptrdiff_t k = 0; k < r; k++) plus(n, -dot(n, q + k * n, a), q + k * n, a);
    const double after = length(n, a);
    if (!(after > 1e-8 * before)) return false;
    for (ptrdiff_t j = 0; j < n; j++) a[j] /= after;
    return true;
}

static ptrdiff_t largest_column(const work *s, double *norms)
{
    ptrdiff_t top = 0;
    for (ptrdiff_t j = 0; j < s->n; j++) norms[j] = 0;
    for (ptrdiff_t i = 0; i < s->m; i++)
        for (ptrdiff_t j = 0; j < s->n; j++) norms[j] += s->x[i * s->n + j] * s->x[i * s->n + j];
    for (ptrdiff_t j = 1; j < s->n; j++)
        if (norms[j] > norms[top]) top = j;
    return top;
}

static void measure(const work *s, double *rows, double *columns)
{
    const ptrdiff_t m = s->m, n = s->n;
    for (ptrdiff_t i = 0; i < m; i++) rows[i] = length(n, s->x + i * n);
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) columns[j] = hypot(columns[j], s->x[i * n + j]);
}

/* Is every entry of what is left the rounding of a product of factors, one of them orthonormal? It
 * is at most some roundings of the norm of its row, or of its column. */
static bool is_rounding(const work *s, const double *rows, const double *columns)
{
    const double g = (double)(s->n + 8) * 4 * unit;
    for (ptrdiff_t i = 0; i < s->m; i++)
        for (ptrdiff_t j = 0; j < s->n; j++)
            if (!(fabs(s->x[i * s->n + j]) <= g * larger(rows[i], columns[j]))) return false;
    return true;
}

/* Q, a column at a time, until what is left of X is rounding; the products Q'X are the rows of z
 * for now. */
static bool find_range(work *s)
{
    const ptrdiff_t m = s->m, n = s->n;
    double *norms = doubles(s->v, n), *rows = doubles(s->v, m), *columns = doubles(s->v, n);
    if (!norms || !rows || !columns) return false;
    measure(s, rows, columns);
    for (s->r = 0; !is_rounding(s, rows, columns); s->r++) {
        if (s->r == n) return false;
        const ptrdiff_t top = largest_column(s, norms);
        double *q = s->q + s->r * m;
        for (ptrdiff_t i = 0; i < m; i++) q[i] = s->x[i * n + top];
        if (!orthogonalize(m, s->r, s->q, q)) return false;
        if (!deflate(s->v, m, n, q, s->x, s->z + s->r * n)) return false;
    }
    return true;
}

/* The rows of z become orthonormal, and k what they are multiplied by. */
static bool find_rows(work *s)
{
    const ptrdiff_t n = s->n, r = s->r;
    double *was = doubles(s->v, r * n);
    if (!was) return false;
    for (ptrdiff_t j = 0; j < r * n; j++) was[j] = s->z[j];
    for (ptrdiff_t i = 0; i < r; i++)
        if (!orthogonalize(n, i, s->z, s->z + i * n) || !crs_in_time(s->v)) return false;
    for (ptrdiff_t i = 0; i < r; i++)
        for (ptrdiff_t j = 0; j < r; j++) s->k[i * r + j] = dot(n, was + i * n, s->z + j * n);
    return true;
}

/* |A A' - I|_F, A's r rows of length n */
static double looseness(ptrdiff_t n, ptrdiff_t r, const double *a)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < r; i++)
        for (ptrdiff_t j = 0; j <= i; j++) {
            const double off = dot(n, a + i * n, a + j * n) - (i == j);
            sum += (i == j ? 1 : 2) * off * off;
        }
    return sqrt(sum);
}

static void swap_rows(ptrdiff_t r, double *a, ptrdiff_t p, ptrdiff_t q)
{
    for (ptrdiff_t j = 0; j < r && p != q; j++) {
        const double t = a[p * r + j];
        a[p * r + j] = a[q * r + j];
        a[q * r + j] = t;
    }
}

/* b = the inverse of a, which is used up. */
static bool invert(crs_verifier *v, ptrdiff_t r, double *a, double *b)
{
    for (ptrdiff_t j = 0; j < r * r; j++) b[j] = j % (r + 1) == 0;
    for (ptrdiff_t c = 0; c < r && crs_in_time(v); c++) {
        ptrdiff_t top = c;
        for (ptrdiff_t i = c + 1; i < r; i++)
            if (fabs(a[i * r + c]) > fabs(a[top * r + c])) top = i;
        if (!(fabs(a[top * r + c]) > 0)) return false;
        swap_rows(r, a, c, top), swap_rows(r, b, c, top);
        const double pivot = 1 / a[c * r + c];
        for (ptrdiff_t j = 0; j < r; j++) a[c * r + j] *= pivot, b[c * r + j] *= pivot;
        for (ptrdiff_t i = 0; i < r; i++) {
            const double f = -a[i * r + c];
            if (i == c || f == 0) continue;
            plus(r, f, a + c * r, a + i * r);
            plus(r, f, b + c * r, b + i * r);
        }
    }
    return crs_in_time(v);
}

/* W <- (f W + W^-T/f)/2, f^4 = |W^-1|^2/|W|^2 in the Frobenius norm */
static bool find_polar(work *s)
{
    enum { MOST = 60 };
    const ptrdiff_t r = s->r;
    double *a = doubles(s->v, r * r), *b = doubles(s->v, r * r), moved = 1;
    if (!a || !b) return false;
    for (ptrdiff_t j = 0; j < r * r; j++) s->w[j] = s->k[j];
    for (int step = 0; step < MOST && moved > 1e-14 * sqrt((double)r); step++) {
        for (ptrdiff_t j = 0; j < r * r; j++) a[j] = s->w[j];
        if (!invert(s->v, r, a, b)) return false;
        const double f = moved > 1e-2 ? sqrt(length(r * r, b) / length(r * r, s->w)) : 1;
        moved = 0;
        for (ptrdiff_t i = 0; i < r; i++)
            for (ptrdiff_t j = 0; j < r; j++) {
                const double next = (f * s->w[i * r + j] + b[j * r + i] / f) / 2;
                moved += (next - s->w[i * r + j]) * (next - s->w[i * r + j]);
                s->w[i * r + j] = next;
            }
        moved = sqrt(moved);
    }
    return true;
}

/* In place, lower triangle; true proves that what was given is positive definite to `margin`, which
 * was taken off its diagonal. */
static bool cholesky(crs_verifier *v, ptrdiff_t n, double *a)
{
    for (ptrdiff_t j = 0; j < n && crs_in_time(v); j++) {
        const double pivot = a[j * n + j] - dot(j, a + j * n, a + j * n);
        if (!(pivot > 0 && pivot < INFINITY)) return false;
        a[j * n + j] = sqrt(pivot);
        for (ptrdiff_t i = j + 1; i < n; i++)
            a[i * n + j] = (a[i * n + j] - dot(j, a + i * n, a + j * n)) / a[j * n + j];
    }
    return !v->unfinished;
}

/* Is K = W H, H symmetric and positive definite, to the rounding of X? */
static bool is_polar(work *s)
{
    const ptrdiff_t r = s->r;
    double *h = doubles(s->v, r * r), *wt = doubles(s->v, r * r), skew = 0, trace = 0;
    if (!h || !wt) return false;
    for (ptrdiff_t i = 0; i < r; i++)
        for (ptrdiff_t j = 0; j < r; j++) wt[j * r + i] = s->w[i * r + j];
    for (ptrdiff_t i = 0; i < r && crs_in_time(s->v); i++)
        for (ptrdiff_t l = 0; l < r; l++) plus(r, wt[i * r + l], s->k + l * r, h + i * r);
    for (ptrdiff_t i = 0; i < r; i++)
        for (ptrdiff_t j = 0; j < i; j++) {
            const double off = h[i * r + j] - h[j * r + i];
            skew += off * off / 2;
            h[i * r + j] = (h[i * r + j] + h[j * r + i]) / 2;
        }
    s->loose += looseness(r, r, wt);
    for (ptrdiff_t i = 0; i < r; i++) trace += h[i * r + i];
    for (ptrdiff_t i = 0; i < r; i++) h[i * r + i] -= (double)(r + 8) * unit * trace;
    return sqrt(skew) <= 16 * (double)(s->n + 8) * unit * s->size && cholesky(s->v, r, h);
}

/* T becomes R = (I - QQ') T (I - ZZ'); the norm of T - R - QWZ' is returned. */
static double split(work *s)
{
    const ptrdiff_t m = s->m, n = s->n, r = s->r;
    double *cross = doubles(s->v, r * n), *row = doubles(s->v, r), *near = doubles(s->v, n);
    double *wz = doubles(s->v, r * n), sum = 0;
    if (!wz || !cross || !row || !near) return NAN;
    for (ptrdiff_t i = 0; i < m && crs_in_tiles(s->v, i, r * n + 1); i++)
        for (ptrdiff_t k = 0; k < r; k++) plus(n, s->q[k * m + i], s->t + i * n, cross + k * n);
    for (ptrdiff_t k = 0; k < r && crs_in_time(s->v); k++)
        for (ptrdiff_t l = 0; l < r; l++) plus(n, s->w[k * r + l], s->z + l * n, wz + k * n);
    for (ptrdiff_t i = 0; i < m && crs_in_tiles(s->v, i, 4 * r * n + 1); i++) {
        double *t = s->t + i * n;
        for (ptrdiff_t j = 0; j < n; j++) near[j] = t[j];
        for (ptrdiff_t k = 0; k < r; k++) plus(n, -s->q[k * m + i], cross + k * n, t);
        for (ptrdiff_t k = 0; k < r; k++) row[k] = dot(n, s->z + k * n, t);
        for (ptrdiff_t k = 0; k < r; k++) plus(n, -row[k], s->z + k * n, t);
        for (ptrdiff_t j = 0; j < n; j++) near[j] -= t[j];
        for (ptrdiff_t k = 0; k < r; k++) plus(n, -s->q[k * m + i], wz + k * n, near);
        sum += dot(n, near, near);
    }
    return sqrt(sum);
}

/* g = R'R */
static bool gram(work *s)
{
    const ptrdiff_t n = s->n;
    for (ptrdiff_t i = 0; i < s->m && crs_in_tiles(s->v, i, n * n); i++)
        for (ptrdiff_t k = 0; k < n; k++) plus(k + 1, s->t[i * n + k], s->t + i * n, s->g + k * n);
    for (ptrdiff_t k = 0; k < n; k++)
        for (ptrdiff_t j = 0; j < k; j++) s->g[j * n + k] = s->g[k * n + j];
    return !s->v->unfinished;
}

/* About the largest eigenvalue of g, from below: powers of g on a vector in general position. */
static double top_of(const work *s)
{
    enum { POWERS = 60 };
    const ptrdiff_t n = s->n;
    double *a = doubles(s->v, n), *b = doubles(s->v, n), value = 0;
    if (!a || !b) return NAN;
    for (ptrdiff_t j = 0; j < n; j++) a[j] = 1 + 0.5 * sin((double)(j * j + 1));
    for (int k = 0; k < POWERS && crs_in_time(s->v); k++) {
        const double norm = length(n, a);
        if (norm == 0) return 0;
        for (ptrdiff_t j = 0; j < n; j++) a[j] /= norm;
        for (ptrdiff_t j = 0; j < n; j++) b[j] = dot(n, s->g + j * n, a);
        value = dot(n, a, b);
        for (ptrdiff_t j = 0; j < n; j++) a[j] = b[j];
    }
    return value;
}

bool crs_norm_is_below(crs_verifier *v, ptrdiff_t m, ptrdiff_t n, const double *g, double bound)
{
    double *h = doubles(v, n * n), trace = 0;
    if (!h) return false;
    for (ptrdiff_t j = 0; j < n; j++) trace += g[j * n + j];
    const double b = bound * bound;
    const double margin =
        (double)(m + 8) * unit * trace + ((double)(n + 8) * (double)n + 8) * unit * b;
    for (ptrdiff_t j = 0; j < n * n; j++) h[j] = (j % (n + 1) == 0 ? b - margin : 0) - g[j];
    return cholesky(v, n, h);
}

/* A proved bound of |R|_2 that is close above 1, or above what it is; INFINITY: none was found. */
static double bound_of(work *s, double low)
{
    enum { TRIES = 12 };
    const double closest = larger(1, low);
    double room = 1e-9;
    for (int k = 0; k < TRIES; k++, room *= 4) {
        void *mark = s->v->rooms;
        const double bound = closest == 1 && k == 0 ? 1 + 1e-10 : closest + room;
        const bool proved = crs_norm_is_below(s->v, s->m, s->n, s->g, bound);
        crs_rooms_release(s->v, mark);
        if (proved) return bound;
    }
    return INFINITY;
}

static bool take(work *s, crs_verifier *v, const crs_place *at, real w)
{
    const crease_space *p = &v->p->space[at->i];
    const ptrdiff_t rows = p->dim[0], columns = p->dim[1];
    const bool wide = rows < columns;
    *s = (work){ .v = v, .m = wide ? columns : rows, .n = wide ? rows : columns };
    s->x = doubles(v, s->m * s->n), s->t = doubles(v, s->m * s->n);
    s->q = doubles(v, s->m * s->n), s->z = doubles(v, s->n * s->n);
    s->k = doubles(v, s->n * s->n), s->w = doubles(v, s->n * s->n), s->g = doubles(v, s->n * s->n);
    if (v->no_memory) return false;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++) {
            const ptrdiff_t to = wide ? j * s->n + i : i * s->n + j;
            s->x[to] = (double)at->x[i * columns + j];
            s->t[to] = (double)(-at->c[i * columns + j] / w);
        }
    s->size = length(s->m * s->n, s->x);
    s->terms = length(s->m * s->n, s->t);
    return isfinite(s->size) && isfinite(s->terms);
}

crs_spread crs_nuclear_distance(crs_verifier *v, const crs_place *at, real w)
{
    const crs_spread none = { 0, INFINITY };
    work s;
    if (!take(&s, v, at, w) || !find_range(&s) || !find_rows(&s) || !find_polar(&s)) return none;
    s.loose = looseness(s.m, s.r, s.q) + looseness(s.n, s.r, s.z);
    if (!is_polar(&s)) return none;
    const double near = split(&s), r = (double)s.r;
    if (!gram(&s)) return none;
    const double top = sqrt(larger(top_of(&s), 0)), bound = bound_of(&s, top);
    const double rest = length(s.m * s.n, s.t) * (1 - 1 / bound);
    /* products of at most m + n + 2r terms with factors of norm sqrt(r), a few of each */
    const double blur = 8 * ((double)(s.m + s.n) + 3 * r + 32) * unit * (r + 1) * (s.terms + 1) +
                        2 * s.loose * (sqrt(r) + 4 * s.terms);
    if (v->no_memory || !(near < INFINITY) || !(blur < INFINITY)) return none;
    return (crs_spread){ w * (larger(near, top - 1) - blur), w * (hypot(near, rest) + blur) };
}
