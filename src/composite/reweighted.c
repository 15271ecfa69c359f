/* SPDX-License-Identifier: MIT
 * reweighted: a start for min sum_j w_j rho(|x_j|) s.t. A x = b, rho like y^q near 0 with q < 1, of
 * which 0 is a local minimizer in every coordinate: least squares with weights
 *
 *     x+ = W A'(A W A')^{-1} b,  W = diag max(|x_j|, e)^{2 - q} / w_j,
 *
 * e divided by 10 whenever x has settled at it (Chartrand and Yin 2008; Daubechies, DeVore,
 * Fornasier and Guentuerk 2010). Entries below e have one weight, so that
 *
 *     A W A' = e^{2-q} G + A_S D A_S',  G = A diag(1/w_j) A', S = {j: |x_j| > e},
 *
 * and a turn costs |S| columns. As soon as few entries carry a z with A z = b that is the start,
 * with those left out that rounding explains, and lambda the least one with A_S'lambda = rho'(z_S).
 */
#include "composite/composite.h"
#include "composite/multipliers.h"
#include "core/carve.h"
#include "dense/dense.h"

enum { MOST_TURNS = 100, MOST_ROWS = 4000, MOST_ENTRIES = 50000000 };

typedef struct {
    const crs_composite *c;
    const crs_term *A;
    double q;
    ptrdiff_t m, n, size; /* size of S */
    ptrdiff_t *S;
    double *x, *before, *w; /* the iterates, W */
    double *y, *z, *r;      /* m numbers each */
    double *tall;           /* rows are multiples of columns of A: n x m */
    double *gram, *all;     /* A W A', or A_S'A_S; G */
    void *memory;
} search;

/* q of rho ~ y^q for y -> 0; 0 for a jump. */
static double exponent(const crs_coordinate *k)
{
    const double y = 0x1p-40, ratio = k->rho->value(k->par, 2 * y) / k->rho->value(k->par, y);
    return clip(log2(ratio), 0, 1);
}

static bool suits(const crs_composite *c, const double *x)
{
    const double size = (double)c->n * (double)c->constraint->rows;
    bool all = c->terms == 0 && !c->rest.ops && crs_all_separable(c) && c->constraint->rhs;
    all = all && c->constraint->rows <= MOST_ROWS && size <= MOST_ENTRIES;
    for (int k = 0; all && k < c->constraint->parts; k++)
        all = crs_has_columns(c->constraint->part[k].matrix);
    for (ptrdiff_t j = 0; all && j < c->n; j++) {
        const crs_coordinate *k = &c->by[j];
        all = x[j] == 0 && c->linear[j] == 0 && k->low == -INFINITY && k->high == INFINITY;
        all = all && k->rho && k->weight > 0 && isinf(k->rho->slope(k->par, 0)) &&
              (j == 0 || exponent(k) == exponent(&c->by[0]));
    }
    return all;
}

static void carve(void *self, crs_carver *v)
{
    search *f = self;
    double **of_x[] = { &f->x, &f->before, &f->w }, **of_y[] = { &f->y, &f->z, &f->r };
    for (int k = 0; k < 3; k++) *of_x[k] = carve_doubles(v, f->n, 1);
    for (int k = 0; k < 3; k++) *of_y[k] = carve_doubles(v, f->m, 1);
    f->tall = carve_doubles(v, f->n, f->m);
    f->gram = carve_doubles(v, f->m, f->m);
    f->all = carve_doubles(v, f->m, f->m);
    f->S = carve_bytes(v, f->n, sizeof *f->S);
}

/* row += a A_j */
static void write_column(const search *f, double a, ptrdiff_t j, double *row)
{
    const crs_composite *c = f->c;
    for (int k = 0; k < f->A->parts; k++) {
        const crs_term_part *part = &f->A->part[k];
        const ptrdiff_t at = j - c->at[part->block];
        if (at < 0 || at >= crs_block_size(c, part->block)) continue;
        crs_matrix_column(part->matrix, a, at, row + part->row);
    }
}

static void count(const search *f, ptrdiff_t columns, ptrdiff_t side)
{
    const double n = (double)columns, m = (double)f->m, k = (double)side;
    f->c->work->factorizations++;
    f->c->work->entries += n * m * k / 2 + k * k * k / 6;
}

/* gram = tall'tall of the first `count` rows */
static void square_rows(search *f, ptrdiff_t rows)
{
    fill(f->m * f->m, 0, f->gram);
    if (rows > 0) crs_gram(rows, f->m, f->tall, f->gram);
}

/* G */
static void square_all(search *f)
{
    fill(f->n * f->m, 0, f->tall);
    for (ptrdiff_t j = 0; j < f->n; j++)
        write_column(f, 1 / sqrt(f->c->by[j].weight), j, f->tall + j * f->m);
    square_rows(f, f->n);
    copy(f->m * f->m, f->gram, f->all);
    f->c->work->entries += (double)f->n * (double)f->m * (double)f->m / 2;
}

/* x+ of the formula; false: A W A' is not positive definite to rounding. */
static bool advance(search *f, double e)
{
    const double least = pow(e, 2 - f->q);
    ptrdiff_t rows = 0;
    fill(f->n * f->m, 0, f->tall);
    for (ptrdiff_t j = 0; j < f->n; j++) {
        const double weight = f->c->by[j].weight, t = fabs(f->x[j]);
        const double more = t > e ? pow(t, 2 - f->q) - least : 0;
        f->w[j] = (least + more) / weight;
        if (more > 0) write_column(f, sqrt(more / weight), j, f->tall + f->m * rows++);
    }
    count(f, rows, f->m);
    square_rows(f, rows);
    axpy(f->m * f->m, least, f->all, f->gram);
    if (!crs_cholesky(f->m, f->gram)) return false;
    copy(f->m, f->A->rhs, f->y);
    crs_cholesky_solve(f->m, f->gram, 1, f->y);
    copy(f->n, f->x, f->before);
    fill(f->n, 0, f->x);
    crs_term_adjoint(f->c, f->A, 1, f->y, f->x);
    for (ptrdiff_t j = 0; j < f->n; j++) f->x[j] *= f->w[j];
    return true;
}

static double largest(ptrdiff_t n, const double *x)
{
    double most = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = larger(most, fabs(x[j]));
    return most;
}

/* r = b - A_S z, with A_S' in the first rows of tall */
static void miss(search *f)
{
    copy(f->m, f->A->rhs, f->r);
    crs_gemv(true, f->size, f->m, -1, f->tall, f->z, 1, f->r);
}

/* z = argmin |A_S z - b|; true: A_S z = b to rounding. */
static bool solves(search *f)
{
    const ptrdiff_t k = f->size, m = f->m;
    fill(k * m, 0, f->tall);
    for (ptrdiff_t j = 0; j < k; j++) write_column(f, 1, f->S[j], f->tall + j * m);
    count(f, k, k);
    crs_gemm(false, true, k, k, m, 1, f->tall, f->tall, 0, f->gram);
    if (!crs_cholesky(k, f->gram)) return false;
    fill(k, 0, f->z);
    for (int turn = 0; turn < 3; turn++) { /* the second and third mend what the squares lost */
        miss(f);
        crs_gemv(false, k, m, 1, f->tall, f->r, 0, f->y);
        crs_cholesky_solve(k, f->gram, 1, f->y);
        axpy(k, 1, f->y, f->z);
    }
    miss(f);
    return crs_norm(m, f->r) <= 1e-10 * crs_norm(m, f->A->rhs);
}

/* S: entries of v above `share` of the largest; of those in S already where they are v's. */
static void choose(search *f, const double *v, double share, bool among)
{
    const ptrdiff_t n = among ? f->size : f->n;
    const double least = share * largest(n, v);
    f->size = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        if (fabs(v[j]) > least) f->S[f->size++] = among ? f->S[j] : j;
}

/* Do entries of x above `share` of the largest carry a solution? Then it is in S and z. */
static bool ends(search *f, double share)
{
    choose(f, f->x, share, false);
    if (f->size == 0 || 4 * f->size > 3 * f->m || !solves(f)) return false;
    for (ptrdiff_t before = f->size + 1; f->size < before;) {
        before = f->size;
        choose(f, f->z, 1e-8, true);
        if (f->size < before && !solves(f)) return false;
    }
    return true;
}

/* Turns until few entries carry a solution; false: none did. */
static bool seek(search *f)
{
    square_all(f);
    fill(f->n, 0, f->x);
    bool goes = advance(f, 1);
    const double unit = largest(f->n, f->x);
    double e = 0.1;
    for (int k = 0; goes && k < MOST_TURNS && e >= 1e-9; k++) {
        if (crease_watch_over(f->c->watch)) return false;
        goes = advance(f, e * unit);
        if (goes && ends(f, smaller(e, 1e-3))) return true;
        axpy(f->n, -1, f->x, f->before);
        const double moved = crs_norm(f->n, f->before) / crs_norm(f->n, f->x);
        if (!(moved >= sqrt(e) / 10)) e /= 10;
    }
    choose(f, f->x, 1e-5, false);
    return f->size > 0 && f->size <= f->m && solves(f);
}

/* x = z on S, and lambda = A_S (A_S'A_S)^{-1} rho'(z) with the factor that is there. */
static void write_down(search *f, double *x, double *lambda)
{
    for (ptrdiff_t j = 0; j < f->size; j++) {
        x[f->S[j]] = f->z[j];
        f->y[j] = crs_coordinate_slope(&f->c->by[f->S[j]], f->z[j]);
    }
    crs_cholesky_solve(f->size, f->gram, 1, f->y);
    crs_gemv(true, f->size, f->m, 1, f->tall, f->y, 0, lambda);
}

bool crs_reweighted_start(const crs_composite *c, double *x, double *lambda, crease_error *e)
{
    search f = { .c = c, .A = c->constraint, .m = c->constraint->rows, .n = c->n };
    if (!suits(c, x)) return true;
    f.memory = carve_block(carve, &f);
    if (!f.memory) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a reweighted start");
    f.q = exponent(&c->by[0]);
    if (seek(&f)) write_down(&f, x, lambda);
    crs_free(f.memory);
    return true;
}
