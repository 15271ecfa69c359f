/* SPDX-License-Identifier: MIT
 * iteration: exact ADMM for principal component pursuit on one array (pursuit.h), one reading of M
 * and Q a step
 *
 * b is 2.5/|M|_2 for TRY steps, then 1.2 times as much a step until lambda/b is about the noise,
 * and fixed from there: growth that goes on would lose the multiplier, and the point with it. From
 * then on steps go 1.8 times as far as ADMM's, which halves their number.
 *
 * X: where many singular values lie above 1/b, the eigenvectors of X'X: an error of X'X counts
 * little after the shrinkage, |dL| <= u (b |X|)^2 |X|, b |X| <= 250. Where few do, a basis of as
 * many columns and some more that follows X, one product with X'X a step, and the singular triplets
 * of X on it, which are exact ones of the L that is made of them.
 *
 * Lin, Chen, Ma, The augmented Lagrange multiplier method for exact recovery of corrupted low-rank
 * matrices, 2010 (the start). */
#include <crease/random.h>

#include "core/carve.h"
#include "dense/dense.h"
#include "rpca/kernels/kernels.h"
#include "rpca/pursuit/pursuit.h"

enum { EARLY = 5, TRY = 10, PATIENCE = 150, SMALL = 64 };
static const double growth = 1.2, relaxed = 1.8, beyond_level = 1.3, least_growth = 20;

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

static double cut(double t, double at) { return t > at ? at : t < -at ? -at : t; }

void crs_pursuit_x(const crs_pursuit *p, ptrdiff_t first, ptrdiff_t rows, double *x)
{
    const double *M = p->M + first * p->n, *Q = p->Q + first * p->n, at = p->c.lambda / p->b;
    p->kernel->point(rows * p->n, at, M, Q, x);
}

/* Where S is not 0, Y is lambda exactly. */
void crs_pursuit_y(const crs_pursuit *p, ptrdiff_t first, ptrdiff_t rows, double *y)
{
    const double *Q = p->Q + first * p->n, at = p->c.lambda / p->b, lambda = p->c.lambda;
    if (p->finished)
        copy(rows * p->n, p->spare + first * p->n, y);
    else
        for (ptrdiff_t j = 0; j < rows * p->n; j++)
            y[j] = fabs(Q[j]) >= at ? copysign(lambda, Q[j]) : cut(p->b * Q[j], lambda);
}

/* 1 - 1/(b theta) times the columns of z */
static void shrink(const crs_pursuit *p, ptrdiff_t rows, double *z)
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < p->r; j++) z[i * p->r + j] *= 1 - 1 / (p->b * p->theta[j]);
}

/* Rows of the next Q for the penalty b ratio, and of its X; l has L's. */
static void move_rows(const crs_pursuit *p, ptrdiff_t first, ptrdiff_t rows, double ratio,
                      crs_pursuit_move *sums)
{
    sums->n = rows * p->n;
    sums->at = p->c.lambda / p->b;
    sums->reach = p->steps < TRY ? 1 : relaxed;
    sums->part = 1 / ratio;
    sums->m = p->M + first * p->n, sums->q = p->Q + first * p->n, sums->l = p->l;
    sums->to = p->spare + first * p->n, sums->x = p->x;
    p->kernel->move(sums);
}

/* Rows of X into the sum that its singular vectors come from. */
static void gather(const crs_pursuit *p, ptrdiff_t rows)
{
    if (p->whole) {
        crs_gram_grow(rows, p->n, p->x, p->sum);
        return;
    }
    crs_gemm(false, false, rows, p->k, p->n, 1, p->x, p->basis, 0, p->z);
    crs_gemm(true, false, p->n, p->k, rows, 1, p->x, p->z, 1, p->sum);
}

static void clear_sum(crs_pursuit *p) { fill(p->n * (p->whole ? p->n : p->k), 0, p->sum); }

/* The sum for the X of Q as it is; false: cut. */
static bool look(crs_pursuit *p)
{
    clear_sum(p);
    for (ptrdiff_t at = 0; at < p->m; at += p->tile) {
        const ptrdiff_t rows = least(p->tile, p->m - at);
        if (crease_watch_over(p->c.watch)) return false;
        crs_pursuit_x(p, at, rows, p->x);
        gather(p, rows);
    }
    return true;
}

/* The triplets above 1/b of a spectrum w of X'X, ascending, with vectors as rows of q. */
static void select(crs_pursuit *p, ptrdiff_t count, const double *w, const double *q)
{
    p->r = 0;
    while (p->r < count && w[count - 1 - p->r] > square(1 / p->b)) p->r++;
    for (ptrdiff_t j = 0; j < p->r; j++) {
        p->theta[j] = sqrt(w[count - 1 - j]);
        for (ptrdiff_t i = 0; i < p->n; i++) p->V[i * p->r + j] = q[(count - 1 - j) * p->n + i];
    }
}

static bool select_whole(crs_pursuit *p)
{
    crs_mirror(p->n, p->sum);
    if (!crs_eigh(p->n, p->sum, p->values, p->square, p->work)) return false;
    select(p, p->n, p->values, p->square);
    return true;
}

/* By how much L is off, |X'X v - theta^2 v|/theta of its triplets, which X'X v in the basis tells:
 * its columns are in the order of the values. */
static double blur(const crs_pursuit *p)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < p->r; j++) {
        const double t = p->theta[j], share = 1 - 1 / (p->b * t);
        double squares = 0;
        for (ptrdiff_t i = 0; i < p->n; i++)
            squares += square(p->basis[i * p->k + p->k - 1 - j] - t * t * p->V[i * p->r + j]);
        sum += squares * square(share / t);
    }
    return sqrt(sum);
}

/* basis'X'X basis = R' diag R: basis R' are the vectors, and X'X times them is the next basis. */
static bool select_basis(crs_pursuit *p)
{
    const ptrdiff_t k = p->k, n = p->n;
    double *t = p->square, *q = t + k * k, *rest = p->work, *turned = rest + k * n;
    crs_gemm(true, false, k, k, n, 1, p->basis, p->sum, 0, t);
    for (ptrdiff_t i = 0; i < k; i++)
        for (ptrdiff_t j = 0; j < i; j++) t[i * k + j] = t[j * k + i];
    if (!crs_eigh(k, t, p->values, q, turned)) return false;
    crs_gemm(false, true, k, n, k, 1, q, p->basis, 0, rest);
    select(p, k, p->values, rest);
    crs_gemm(false, true, n, k, k, 1, p->sum, q, 0, p->basis);
    p->blur = blur(p);
    return crs_qr(n, k, p->basis, NULL, rest);
}

/* Columns beside those that count, and how many are too many for a basis: X'X as a whole takes
 * m n^2 and some 20 n^3, a basis 8 m n k. */
static ptrdiff_t spare_columns(ptrdiff_t r) { return most(8, r / 10); }
static bool is_many(const crs_pursuit *p, ptrdiff_t k)
{
    const double m = (double)p->m, n = (double)p->n, basis = (double)k;
    return p->n <= SMALL || 2 * k > p->n || 8 * m * basis > m * n + 20 * n * n;
}

static void draw(const crs_pursuit *p, ptrdiff_t from, ptrdiff_t to, ptrdiff_t stride)
{
    const crease_random r = { p->c.seed, 77 };
    for (ptrdiff_t i = 0; i < p->n; i++)
        for (ptrdiff_t j = from; j < to; j++)
            p->basis[i * stride + j] = crease_random_normal(r, (uint64_t)(i * p->n + j));
}

/* A basis of k columns, the old ones and others. */
static bool resize_basis(crs_pursuit *p, ptrdiff_t k)
{
    double *old = p->work;
    copy(p->n * p->k, p->basis, old);
    for (ptrdiff_t i = 0; i < p->n; i++) copy(p->k, old + i * p->k, p->basis + i * k);
    draw(p, p->k, k, k);
    p->k = k;
    return crs_qr(p->n, k, p->basis, NULL, p->work);
}

/* The last k columns, those of the largest values. */
static void shorten_basis(crs_pursuit *p, ptrdiff_t k)
{
    const ptrdiff_t lost = p->k - k;
    for (ptrdiff_t i = 0; i < p->n; i++) copy(k, p->basis + i * p->k + lost, p->basis + i * k);
    p->k = k;
}

/* More columns where all count, fewer where most do not; a look more after it grew. */
static bool fit_basis(crs_pursuit *p, bool *changed)
{
    const ptrdiff_t spare = spare_columns(p->r), wanted = p->r + spare;
    *changed = false;
    if (p->whole) {
        if (is_many(p, 2 * wanted)) return true;
        p->whole = false;
        p->k = 0;
        if (!resize_basis(p, wanted)) return false;
        for (ptrdiff_t i = 0; i < p->n; i++) copy(p->r, p->V + i * p->r, p->basis + i * p->k);
        return crs_qr(p->n, p->k, p->basis, NULL, p->work);
    }
    if (p->r <= p->k - spare / 2) {
        if (p->k > 3 * wanted) shorten_basis(p, 2 * wanted);
        return true;
    }
    *changed = true;
    p->whole = is_many(p, 2 * p->k);
    return p->whole || resize_basis(p, 2 * p->k);
}

/* The triplets of the present X from the sum; false: cut, or no numbers. */
static bool decompose(crs_pursuit *p)
{
    enum { LOOKS = 3 };
    const double worth = 0.3; /* of the step before */
    int looks = 0;
    for (bool again = true; again;) {
        if (!(p->whole ? select_whole(p) : select_basis(p)) || !fit_basis(p, &again)) return false;
        if (!again && !p->whole && looks < LOOKS && p->blur > worth * p->moved)
            again = true, looks++;
        if (again && !look(p)) return false;
    }
    return true;
}

/* |M - L| here and there, for its median. */
static void take_sample(crs_pursuit *p, ptrdiff_t first, ptrdiff_t rows)
{
    const ptrdiff_t size = p->m * p->n, stride = size / CRS_PURSUIT_SAMPLE + 1, base = first * p->n;
    if (first == 0) p->sampled = 0;
    for (ptrdiff_t j = (base + stride - 1) / stride * stride; j < base + rows * p->n; j += stride)
        p->sample[p->sampled++] = fabs(p->M[j] - p->l[j - base]);
}

/* Q becomes the next one, for the penalty times ratio; false: cut, and nothing has changed. */
static bool advance(crs_pursuit *p, double ratio)
{
    crs_pursuit_move s = { .n = 0 };
    double nuclear = 0;
    clear_sum(p);
    for (ptrdiff_t at = 0; at < p->m; at += p->tile) {
        const ptrdiff_t rows = least(p->tile, p->m - at);
        if (crease_watch_over(p->c.watch)) return false;
        crs_pursuit_x(p, at, rows, p->x);
        crs_gemm(false, false, rows, p->r, p->n, 1, p->x, p->V, 0, p->z);
        shrink(p, rows, p->z);
        crs_gemm(false, true, rows, p->n, p->r, 1, p->z, p->V, 0, p->l);
        move_rows(p, at, rows, ratio, &s);
        take_sample(p, at, rows);
        gather(p, rows);
    }
    double *was = p->Q;
    p->Q = p->spare, p->spare = was;
    for (ptrdiff_t j = 0; j < p->r; j++) nuclear += p->theta[j] - 1 / p->b;
    p->value = nuclear + p->c.lambda * s.l1;
    p->moved = sqrt(s.moved);
    p->typical = crs_median(p->sampled, p->sample);
    if (p->steps < TRY) p->rank = p->r;
    if (p->r <= p->rank + p->rank / 5 + 2) p->level = p->typical;
    p->y = p->b * sqrt(s.y);
    p->b *= ratio;
    return true;
}

/* |M|_2 roughly, from below. */
static double guess_top(crs_pursuit *p)
{
    enum { POWERS = 3 };
    double *v = p->values, *u = p->x, norm = 0;
    const crease_random r = { p->c.seed, 78 };
    for (ptrdiff_t j = 0; j < p->n; j++) v[j] = crease_random_normal(r, (uint64_t)j);
    for (int k = 0; k < POWERS; k++) {
        const double length = crs_norm(p->n, v);
        double *to = p->theta;
        for (ptrdiff_t j = 0; j < p->n; j++) v[j] /= length;
        fill(p->n, 0, to);
        for (ptrdiff_t at = 0; at < p->m; at += p->tile) {
            const ptrdiff_t rows = least(p->tile, p->m - at);
            if (crease_watch_over(p->c.watch)) return larger(norm, p->size / sqrt((double)p->n));
            crs_gemv(false, rows, p->n, 1, p->M + at * p->n, v, 0, u);
            crs_gemv(true, rows, p->n, 1, p->M + at * p->n, u, 1, to);
        }
        copy(p->n, to, v);
        norm = sqrt(crs_norm(p->n, v));
    }
    return larger(norm, p->size / sqrt((double)p->n));
}

/* S = 0 and Y = M/max(|M|_2, |M|_inf/lambda) */
static bool start(crs_pursuit *p)
{
    const double first = 2.5;
    const ptrdiff_t guess = p->n / 20;
    p->top = guess_top(p);
    p->b = p->b0 = first / larger(p->top, p->peak / p->c.lambda);
    for (ptrdiff_t j = 0; j < p->m * p->n; j++) p->Q[j] = 1 / first * p->M[j];
    p->whole = is_many(p, 32);
    p->next = EARLY;
    p->mark = PATIENCE;
    p->ceiling = INFINITY;
    p->k = 0;
    if (p->whole) return look(p) && decompose(p);
    return resize_basis(p, guess + spare_columns(guess)) && look(p) && select_basis(p) && look(p) &&
           decompose(p);
}

/* By what b grows. The errors of X'X limit b |M|_2, and the noise b: the level is the median of
 * |M - L| while L has no more than the rank it began with, noise if there is any. */
static double ratio_of(const crs_pursuit *p)
{
    const double unit = 0x1p-53, accurate = sqrt(1e-3 * p->c.eps / unit) / p->top;
    const double high = larger(accurate, 100 * p->b0), low = least_growth * p->b0;
    if (p->steps < TRY) return 1;
    const double wanted = clip(p->c.lambda / (beyond_level * p->level), low, high);
    return smaller(growth, smaller(wanted, p->ceiling) / p->b);
}

/* Residuals that have not halved in PERIOD steps are the multiplier's, which a smaller b moves
 * faster. */
static void heed_progress(crs_pursuit *p, double now)
{
    enum { PERIOD = 100 };
    if (p->steps < p->mark) return;
    if (p->mark > PATIENCE && !(now <= 0.5 * p->marked))
        p->ceiling = larger(p->b / 3, least_growth / 4 * p->b0);
    p->mark = p->steps + PERIOD;
    p->marked = now;
}

/* The finish is tried after EARLY steps, which tell a low rank and outliers that are far apart,
 * after TRY, and whenever there are twice as many. A proof is worth its price once the steps are as
 * short as its residuals have to be. */
static crs_advance judge(crs_pursuit *p)
{
    const double now = larger(p->b * p->moved / p->y, p->moved / (2 * p->size));
    p->proof.worst = now;
    heed_progress(p, now);
    const long pause = 5;
    if (p->steps == p->next) {
        p->next = p->next < TRY ? TRY : 2 * p->next + 1;
        if (crs_pursuit_finish(p)) return CRS_DONE;
    }
    if (!(now <= p->c.eps) || p->steps < p->again) return CRS_GO_ON;
    const crs_pursuit_proof *a = crs_pursuit_prove(p);
    p->again = p->steps + pause;
    const double enough = 0.7 * p->c.eps; /* bounds of the checker are looser than this proof */
    return a->worst <= enough && a->gap <= enough ? CRS_ASKS : CRS_GO_ON;
}

/* Any multiplier inside the two balls proves that 0 is the answer; residuals are relative to its
 * size. */
static crs_advance start_at_zero(crs_pursuit *p)
{
    p->b = 1;
    p->Q[0] = smaller(1, p->c.lambda) / 2;
    return CRS_DONE;
}

crs_advance crs_pursuit_step(crs_pursuit *p)
{
    if (p->finished) return CRS_DONE;
    p->proved = false;
    if (p->b == 0) {
        if (p->size == 0) return start_at_zero(p);
        if (p->n == 1) return p->b = 1, crs_pursuit_finish(p), CRS_DONE;
        if (!start(p)) return crease_watch_over(p->c.watch) ? CRS_GO_ON : CRS_BROKEN;
        return CRS_GO_ON;
    }
    if (!advance(p, ratio_of(p))) return CRS_GO_ON;
    p->steps++;
    if (!decompose(p)) return crease_watch_over(p->c.watch) ? CRS_GO_ON : CRS_BROKEN;
    return judge(p);
}
