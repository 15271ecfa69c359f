/* SPDX-License-Identifier: MIT
 * proof: what a point of principal component pursuit is worth, from its definitions, in one reading
 *
 * For L = U diag(s) V' and any Y
 *     |L|_* + lambda |M - L|_1 >= the minimum >= <Y, M>/max(1, |Y|_2, |Y|_inf/lambda),
 *     dist(Y, d|L|_*)^2 = |Y V - U|^2 + |(I - VV') Y'U|^2 + sum_j max(t_j - 1, 0)^2,
 * t_j the singular values of (I - UU') Y (I - VV'). |Y|_2 is bounded by a Cholesky factor of a
 * multiple of I less Y'Y, rounding included (dense/extreme.c); nothing depends on a rank that would
 * have to be decided. */
#include "dense/dense.h"
#include "rpca/pursuit/pursuit.h"

static double sigma(const crs_pursuit *p, ptrdiff_t j)
{
    return p->finished ? p->theta[j] : p->theta[j] - 1 / p->b;
}

/* Rows of U to z, of L to l; x is overwritten. */
static void low_rows(const crs_pursuit *p, ptrdiff_t first, ptrdiff_t rows, double *scaled)
{
    const ptrdiff_t r = p->r;
    if (p->finished) {
        copy(rows * r, p->U + first * r, p->z);
    } else {
        crs_pursuit_x(p, first, rows, p->x);
        crs_gemm(false, false, rows, r, p->n, 1, p->x, p->V, 0, p->z);
        for (ptrdiff_t i = 0; i < rows; i++)
            for (ptrdiff_t j = 0; j < r; j++) p->z[i * r + j] /= p->theta[j];
    }
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < r; j++) scaled[i * r + j] = sigma(p, j) * p->z[i * r + j];
    crs_gemm(false, true, rows, p->n, r, 1, scaled, p->V, 0, p->l);
}

/* Rows of S. */
static void sparse_rows(const crs_pursuit *p, ptrdiff_t first, ptrdiff_t rows, double *s)
{
    const double at = p->c.lambda / p->b;
    const double *Q = p->Q + first * p->n;
    if (!p->finished) {
        for (ptrdiff_t j = 0; j < rows * p->n; j++)
            s[j] = fabs(Q[j]) > at ? Q[j] - copysign(at, Q[j]) : 0;
        return;
    }
    fill(rows * p->n, 0, s);
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t k = p->outside.start[first + i]; k < p->outside.start[first + i + 1]; k++)
            s[i * p->n + p->outside.column[k]] = p->outside.value[k];
}

/* What the tiles are added up in. */
typedef struct {
    double *gram, *cross, *own, *scaled; /* Y'Y, Y'U, U'U, rows of U diag(s) */
    double off, rest, dot, squares, apart, sparse, low, l1;
} pile;

static double squares(ptrdiff_t n, const double *x)
{
    const double norm = crs_norm(n, x);
    return norm * norm;
}

static void add_entries(const crs_pursuit *p, ptrdiff_t first, ptrdiff_t size, const double *y,
                        const double *s, pile *a)
{
    const double *M = p->M + first * p->n;
    double rest = 0, off = 0, l1 = 0;
    for (ptrdiff_t j = 0; j < size; j++) {
        const double left = M[j] - p->l[j];
        rest += fabs(left);
        l1 += fabs(s[j]);
        off += square(left - s[j]);
    }
    a->rest += rest, a->off += off, a->l1 += l1;
    a->dot += crs_dot(size, y, M);
    a->squares += squares(size, y);
    a->sparse += squares(size, s);
    a->low += squares(size, p->l);
}

static void add_rows(const crs_pursuit *p, ptrdiff_t first, ptrdiff_t rows, pile *a)
{
    const ptrdiff_t n = p->n, r = p->r;
    double *y = p->spare + first * n, *s = a->scaled;
    low_rows(p, first, rows, a->scaled);
    crs_pursuit_y(p, first, rows, y);
    crs_gemm(true, false, n, r, rows, 1, y, p->z, 1, a->cross);
    crs_gram_grow(rows, r, p->z, a->own);
    crs_gemm(false, false, rows, r, n, 1, y, p->V, -1, p->z);
    a->apart += squares(rows * r, p->z);
    sparse_rows(p, first, rows, s);
    add_entries(p, first, rows * n, y, s, a);
}

/* a becomes a - V (V'a), n x columns; small: r x columns. */
static void leave_v(const crs_pursuit *p, ptrdiff_t columns, double *a, double *small)
{
    crs_gemm(true, false, p->r, columns, p->n, 1, p->V, a, 0, small);
    crs_gemm(false, false, p->n, columns, p->r, -1, p->V, small, 1, a);
}

/* sum max(t_j - 1, 0)^2, of (I - VV')(Y'Y - Y'U U'Y)(I - VV'); the gram is used up. */
static double beyond(const crs_pursuit *p, pile *a, double *small)
{
    const ptrdiff_t n = p->n;
    double sum = 0;
    crs_gemm(false, true, n, n, p->r, -1, a->cross, a->cross, 1, a->gram);
    leave_v(p, n, a->gram, small);
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < i; j++) {
            const double t = a->gram[i * n + j];
            a->gram[i * n + j] = a->gram[j * n + i];
            a->gram[j * n + i] = t;
        }
    leave_v(p, n, a->gram, small);
    if (!crs_eigh(n, a->gram, p->values, NULL, p->work)) return NAN;
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(p->values[j] <= 1)) sum += square(sqrt(p->values[j]) - 1);
    return sum;
}

/* |Y|_2 from above. Of a Y that was made for it, 1 and what a proof loses, if that passes: where
 * the search for the norm itself is the larger part. */
static double norm_bound(const crs_pursuit *p, const pile *a)
{
    enum { LARGE = 100 };
    const double unit = 0x1p-53, m = (double)p->m, n = (double)p->n, solved = 1e-11;
    const double one = 1 + solved + ((m + 8) * a->squares + n * (n + 24)) * unit;
    return p->finished && p->n > LARGE && crs_certify_gram(p->m, p->n, a->gram, one, p->work)
               ? one
               : crs_proved_gram(p->m, p->n, a->gram, p->work);
}

static double defect(const crs_pursuit *p, double *own)
{
    crs_mirror(p->r, own);
    for (ptrdiff_t j = 0; j < p->r; j++) own[j * p->r + j] -= 1;
    return crs_norm(p->r * p->r, own);
}

/* The scales of certificate.h for this problem: x_i^0 = M, no f. */
static double scale_of(double whole, double per, double terms)
{
    return whole > 0 && per > 0 ? clip(100 * whole / per, 1e-4 * terms, terms) : terms;
}

static double relative(double residual, double scale)
{
    return residual == 0 ? 0 : residual / scale;
}

static void weigh(const crs_pursuit *p, crs_pursuit_proof *a)
{
    const double F = a->low + p->c.lambda * a->l1, first = smaller(p->size, p->c.lambda * p->l1);
    const double D = first > 0 ? larger(F, first) : 0;
    a->scale[0] = scale_of(D, larger(a->low, p->size), a->y);
    a->scale[1] = scale_of(D, larger(a->sparse, p->size), a->y);
    a->scale[2] = scale_of(D, a->y, p->size + a->low + a->sparse);
    a->worst = larger(relative(a->far, a->scale[0]), relative(a->off, a->scale[2]));
}

static void conclude(crs_pursuit *p, pile *a)
{
    crs_pursuit_proof *out = &p->proof;
    double nuclear = 0, *small = p->square;
    crs_mirror(p->n, a->gram);
    out->norm = norm_bound(p, a);
    out->defect = defect(p, a->own);
    const double most = pos(out->norm - 1) * sqrt((double)p->n); /* t_j <= |Y|_2 */
    const double outer =
        most <= 1e-2 * p->c.eps * sqrt(a->squares) ? square(most) : beyond(p, a, small);
    leave_v(p, p->r, a->cross, small);
    for (ptrdiff_t j = 0; j < p->r; j++) nuclear += sigma(p, j);
    out->far = sqrt(a->apart + squares(p->n * p->r, a->cross) + outer);
    out->off = sqrt(a->off);
    out->low = sqrt(a->low), out->sparse = sqrt(a->sparse), out->y = sqrt(a->squares);
    out->nuclear = nuclear, out->l1 = a->l1;
    out->primal = nuclear * (1 + out->defect) + p->c.lambda * a->rest;
    out->dual = a->dot / larger(1, out->norm);
    out->gap = out->primal == 0 ? 0 : pos((out->primal - out->dual) / out->primal);
    weigh(p, out);
}

const crs_pursuit_proof *crs_pursuit_prove(crs_pursuit *p)
{
    enum { MANY = 256 }; /* rows at once, for the sake of Y'Y */
    const ptrdiff_t n = p->n, r = p->r;
    pile a = { .gram = p->sum, .cross = p->proving };
    if (p->proved) return &p->proof;
    a.own = a.cross + n * n;
    a.scaled = a.own + n * n;
    fill(n * n, 0, a.gram), fill(n * r, 0, a.cross), fill(r * r, 0, a.own);
    for (ptrdiff_t at = 0, first = 0; at < p->m; at += p->tile) {
        const ptrdiff_t rows = p->tile < p->m - at ? p->tile : p->m - at, end = at + rows;
        add_rows(p, at, rows, &a);
        if (end - first >= MANY || end == p->m) {
            crs_gram_grow(end - first, n, p->spare + first * n, a.gram);
            first = end;
        }
        (void)crease_watch_over(p->c.watch); /* gives looks */
    }
    conclude(p, &a);
    p->proved = true;
    return &p->proof;
}

/* One row of the answer, m x n or its transpose. */
static void put(const crs_pursuit *p, ptrdiff_t i, int power, const double *from, double *to)
{
    if (!p->wide)
        crs_times_power(p->n, power, from, to + i * p->n);
    else
        for (ptrdiff_t j = 0; j < p->n; j++) to[j * p->m + i] = ldexp(from[j], power);
}

void crs_pursuit_keep(crs_pursuit *p)
{
    const ptrdiff_t n = p->n;
    double *scaled = p->proving;
    for (ptrdiff_t at = 0; at < p->m; at += p->tile) {
        const ptrdiff_t rows = p->tile < p->m - at ? p->tile : p->m - at;
        low_rows(p, at, rows, scaled);
        for (ptrdiff_t i = 0; i < rows; i++) put(p, at + i, p->power, p->l + i * n, p->L);
        crs_pursuit_y(p, at, rows, p->x);
        for (ptrdiff_t i = 0; i < rows; i++) put(p, at + i, 0, p->x + i * n, p->Y);
        sparse_rows(p, at, rows, p->x);
        for (ptrdiff_t i = 0; i < rows; i++) put(p, at + i, p->power, p->x + i * n, p->S);
    }
    p->gap = p->proof.gap;
}
