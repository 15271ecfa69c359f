/* SPDX-License-Identifier: MIT
 * spare: directions of a Tucker fit that the data do not support
 *
 * A spare entry of the core with unit rows is one outlier, and least squares gives it away for
 * nothing. So on the path every entry of the core pays: it is shrunk by a share of what noise alone
 * can reach. Direction j of mode n is then kept if the singular value s_j of C_(n) is above the
 * edge of noise seen through the other factors, s (sqrt I_n + sqrt prod_{m != n} R_m), and if its
 * part of the tensor reaches over more entries than a term has parameters to spend on outliers. Of
 * a matrix the price is the whole edge s (sqrt I_1 + sqrt I_2), as with a nuclear norm: what is
 * left of a direction is above it. Gavish, Donoho, The optimal hard threshold for singular values,
 * 2014. */
#include <crease/random.h>

#include "rpca/tucker/tucker.h"

static const double price_share = 0.35; /* of the edge, orders 3 and more */

/* The core's mode n in its singular basis, the largest first; the singular values go to values. */
static bool turn(crs_tucker_fit *s, int n, double *values)
{
    const crease_space *ranks = &s->c.ranks;
    const ptrdiff_t r = ranks->dim[n], rows = s->c.shape.dim[n];
    double *basis = s->svd, *w = basis + r * r, *q = w + r, *x = q + r * r, *work = x + rows * r;
    fill(r * r, 0, basis);
    crs_unfolding_product(ranks, n, r, 1, s->core, s->core, basis);
    if (!crs_eigh(r, basis, w, q, work)) return false;
    for (ptrdiff_t k = 0; k < r; k++) {
        values[k] = sqrt(pos(w[r - 1 - k]));
        copy(r, q + (r - 1 - k) * r, basis + k * r);
    }
    crs_gemm(false, true, rows, r, r, 1, s->factor[n], basis, 0, x);
    copy(rows * r, x, s->factor[n]);
    crs_ttm(ranks, n, (crs_mode_map){ basis, r, false }, 1, s->core, 0, s->chain);
    copy(crease_size(ranks), s->chain, s->core);
    return true;
}

/* Deviation of the residual when every outlier counts as one at the threshold. */
static double clipped_noise(const crs_tucker_fit *s)
{
    const crs_tucker_statistics *at = &s->statistics;
    const double share = (double)at->nonzeros / (double)s->sums.observed;
    const double inner = smaller(at->scale, at->threshold);
    return larger(sqrt((1 - share) * square(inner) + share * square(at->threshold)), s->least);
}

/* sum_n sqrt I_n: about the largest that unit noise can do along unit vectors. */
static double whole_edge(const crs_tucker_fit *s)
{
    double sum = 0;
    for (int n = 0; n < s->c.shape.order; n++) sum += sqrt((double)s->c.shape.dim[n]);
    return sum;
}

/* Norms of the core's slices in the last mode, the largest first. */
static void slice_sizes(const crs_tucker_fit *s, double *values)
{
    const ptrdiff_t r = s->c.ranks.dim[s->c.shape.order - 1], left = crease_size(&s->c.ranks) / r;
    for (ptrdiff_t k = 0; k < r; k++) {
        double squares = 0;
        ptrdiff_t at = k;
        for (ptrdiff_t l = 0; l < left; l++) squares += square(s->core[l * r + k]);
        for (; at > 0 && values[at - 1] < sqrt(squares); at--) values[at] = values[at - 1];
        values[at] = sqrt(squares);
    }
}

bool crs_tucker_price(crs_tucker_fit *s)
{
    const int d = s->c.shape.order;
    const double share = d == 2 ? 1 : price_share;
    const double price = share * clipped_noise(s) * whole_edge(s);
    double *values = s->sizes;
    for (int n = 0; n < d - 1; n++) {
        if (!turn(s, n, values)) return false;
        values += s->c.ranks.dim[n];
    }
    slice_sizes(s, values);
    for (ptrdiff_t j = 0; j < crease_size(&s->c.ranks); j++)
        s->core[j] = copysign(pos(fabs(s->core[j]) - price), s->core[j]);
    s->paid = price;
    return true;
}

/* t falls with the median more slowly than without the price, since a direction leaves its outliers
 * only as fast as it pays, and ends lower, where outliers weigh less against the noise. */
enum { HANGS = 40, WAITS = 24 }; /* passes to wait before it falls, and at its end */
static const double settled = 1e-3, near = 0.01, fall = 0.8, lowest = 2;

double crs_tucker_along_price(crs_tucker_fit *s, double wanted)
{
    const crs_tucker_statistics *at = &s->statistics;
    const double median = crs_envelope_quantile(&s->sums, 0.5);
    const double end = smaller(wanted, larger(s->least, lowest * at->scale));
    double t = at->threshold;
    s->hung = t == s->last ? s->hung + 1 : 0;
    s->last = t;
    s->judged = t <= 1.0001 * end && (s->waited++ >= WAITS || at->moved <= settled);
    if (s->judged) return t;
    if ((at->moved <= near || s->hung > HANGS) && median < t)
        t = larger(median, fall * t);
    else if (at->moved <= settled)
        t *= fall / 2;
    return larger(end, t);
}

/* While the core pays a price it stays as it is: the best orthonormal X_d for M + S is the polar
 * factor of (M + S)'P = X_d P'P + S'P, in the basis of the core's singular vectors. */
bool crs_tucker_turn_back(crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    const ptrdiff_t rank = s->half.dim[last], rows = s->c.shape.dim[last];
    double *u = s->svd, *sigma = u + rows * rank, *vt = sigma + rank, *gram = vt + rank * rank,
           *work = gram + rank * rank;
    crs_gram(s->left, rank, s->P, gram);
    crs_gemm(false, false, rows, rank, rank, 1, s->factor[last], gram, 1, s->SP);
    if (!crs_svd(rows, rank, s->SP, u, sigma, vt, work)) return false;
    crs_gemm(false, false, rows, rank, rank, 1, u, vt, 0, s->factor[last]);
    return true;
}

/* A slice of the core drawn at random, of norm 1; no column of X_d goes with it. */
/* As large as the noise, so that the unit of the data does not matter. */
static void draw_slice(crs_tucker_fit *s, ptrdiff_t k)
{
    const double noise = clipped_noise(s), size = noise > 0 ? noise : 1;
    const int last = s->c.shape.order - 1;
    const ptrdiff_t r = s->c.ranks.dim[last], left = crease_size(&s->c.ranks) / r;
    const crease_random draws = { s->c.seed, (uint64_t)s->statistics.passes + 1 };
    double drawn = 0;
    for (ptrdiff_t l = 0; l < left; l++) {
        s->core[l * r + k] = crease_random_normal(draws, (uint64_t)(l * r + k));
        drawn += square(s->core[l * r + k]);
    }
    for (ptrdiff_t l = 0; l < left; l++) s->core[l * r + k] *= size / sqrt(drawn);
    for (ptrdiff_t i = 0; i < s->c.shape.dim[last]; i++) s->factor[last][i * r + k] = 0;
}

static void clear_slice(crs_tucker_fit *s, ptrdiff_t k)
{
    const ptrdiff_t r = s->c.ranks.dim[s->c.shape.order - 1], left = crease_size(&s->c.ranks) / r;
    for (ptrdiff_t l = 0; l < left; l++) s->core[l * r + k] = 0;
    for (ptrdiff_t l = 0; l < s->left; l++) s->P[l * r + k] = 0;
}

/* Least squares for X_d sees no direction whose slice of the core is 0. For one evaluation such a
 * slice is a random one, with a zero column of X_d: the residual does not change, and S'P of that
 * column is a direction that is there. */
void crs_tucker_probe(crs_tucker_fit *s, bool on)
{
    const ptrdiff_t r = s->c.ranks.dim[s->c.shape.order - 1], left = crease_size(&s->c.ranks) / r;
    for (ptrdiff_t k = 0; k < r; k++) {
        double squares = 0;
        for (ptrdiff_t l = 0; on && l < left; l++) squares += square(s->core[l * r + k]);
        if (on) s->dead[k] = squares == 0;
        if (!s->dead[k]) continue;
        if (on)
            draw_slice(s, k);
        else
            clear_slice(s, k);
    }
}

/* (sum x^2)^2 / sum x^4: over how many entries x is spread. */
typedef struct {
    double squares, fourths;
} spread;

static void count_in(spread *c, double x)
{
    c->squares += square(x);
    c->fourths += square(square(x));
}

static double spread_of(spread c) { return c.fourths > 0 ? square(c.squares) / c.fourths : 0; }

/* Of C x_1 X_1 .. x_d X_d without X_n, the core's slice k in mode n. */
static double slice_spread(crs_tucker_fit *s, int n, ptrdiff_t k)
{
    const int last = s->c.shape.order - 1;
    const ptrdiff_t r = s->c.ranks.dim[last], right = s->c.shape.dim[last];
    crease_space one = s->c.ranks;
    crs_mode_map map[CREASE_MAX_ORDER] = { 0 };
    const ptrdiff_t left = crs_left(&one, n), rank = one.dim[n], rest = crs_right(&one, n);
    spread c = { 0 };
    one.dim[n] = 1;
    for (ptrdiff_t l = 0; l < left; l++)
        copy(rest, s->core + (l * rank + k) * rest, s->A + l * rest);
    for (int m = 0; m < last; m++)
        if (m != n) map[m] = (crs_mode_map){ s->factor[m], s->c.shape.dim[m], false };
    const double *rows = last == 1 && n == 0 ? s->A : s->chain;
    if (rows == s->chain)
        crs_multi_ttm(&one, map, 1, s->A, 0, s->chain, s->chain + crease_size(&s->half));
    const ptrdiff_t count = n == last ? s->left : s->left / s->c.shape.dim[n];
    for (ptrdiff_t i = 0; i < count; i++) {
        if (n == last) count_in(&c, rows[i]);
        for (ptrdiff_t j = 0; n != last && j < right; j++)
            count_in(&c, crs_dot(r, rows + i * r, s->factor[last] + j * r));
    }
    return spread_of(c);
}

static double reach(crs_tucker_fit *s, int n, ptrdiff_t k)
{
    const ptrdiff_t rank = s->c.ranks.dim[n];
    spread c = { 0 };
    for (ptrdiff_t i = 0; i < s->c.shape.dim[n]; i++) count_in(&c, s->factor[n][i * rank + k]);
    return spread_of(c) * slice_spread(s, n, k);
}

static void record(crs_tucker_fit *s, int n, const char *reason, double size, double noise)
{
    s->cut[s->cuts++] = (crease_cp_cut){ reason, size, noise, n + 1 };
}

/* Deviation of S as a step sees it. */
static double step_noise(const crs_tucker_fit *s)
{
    const double mean = s->sums.weights / (double)s->sums.observed;
    return larger(sqrt(s->sums.squares / (double)s->sums.observed / mean), s->least);
}

/* Direction k of mode n goes to place `end`, those between move up. */
static void to_end(crs_tucker_fit *s, int n, ptrdiff_t k, ptrdiff_t end)
{
    const crease_space *ranks = &s->c.ranks;
    const ptrdiff_t rank = ranks->dim[n], left = crs_left(ranks, n), right = crs_right(ranks, n);
    for (ptrdiff_t i = 0; i < s->c.shape.dim[n]; i++) {
        double *row = s->factor[n] + i * rank;
        const double moved = row[k];
        memmove(row + k, row + k + 1, sizeof *row * (size_t)(end - k));
        row[end] = moved;
    }
    for (ptrdiff_t l = 0; l < left; l++) {
        double *slice = s->core + l * rank * right;
        copy(right, slice + k * right, s->chain);
        memmove(slice + k * right, slice + (k + 1) * right,
                sizeof *slice * (size_t)((end - k) * right));
        copy(right, s->chain, slice + end * right);
    }
}

/* The edge that is left to exceed after the price; a matrix has paid all of it. */
static double edge_of(const crs_tucker_fit *s, int n, double others)
{
    const double sides = sqrt((double)s->c.shape.dim[n]) + sqrt(others);
    return s->c.shape.order == 2 ? 0 : step_noise(s) * sides;
}

/* How many of mode n's directions, in the basis of their singular values, stay: at least one.
 * sizes: the values before the price, which takes no more than paid sqrt(others) from each. */
static ptrdiff_t supported(crs_tucker_fit *s, int n, const double *values, const double *sizes)
{
    const ptrdiff_t rank = s->c.ranks.dim[n];
    const double others = (double)(crease_size(&s->c.ranks) / rank), edge = edge_of(s, n, others);
    double least = 1 - s->c.shape.order;
    for (int m = 0; m < s->c.shape.order; m++) least += (double)s->c.shape.dim[m];
    ptrdiff_t keep = 0, large = 0;
    while (large < rank && values[large] > edge) large++;
    for (ptrdiff_t end = large; keep < end;)
        if (keep == 0 || reach(s, n, keep) >= least / 2)
            keep++;
        else
            to_end(s, n, keep, --end);
    for (ptrdiff_t k = more(keep, 1); k < rank; k++)
        record(s, n, k < large ? "on a few entries only" : "no larger than noise", sizes[k],
               edge + s->paid * sqrt(others));
    return more(keep, 1);
}

/* The leading part of factors and core. */
static void narrow(crs_tucker_fit *s, const crease_space *keep)
{
    const int d = keep->order;
    const ptrdiff_t size = crease_size(&s->c.ranks);
    double *to = s->core;
    for (int n = 0; n < d; n++) {
        const ptrdiff_t from = s->c.ranks.dim[n], k = keep->dim[n];
        for (ptrdiff_t i = 0; i < s->c.shape.dim[n]; i++)
            memmove(s->factor[n] + i * k, s->factor[n] + i * from, sizeof(double) * (size_t)k);
    }
    for (ptrdiff_t j = 0; j < size; j++) {
        ptrdiff_t rest = j;
        bool in = true;
        for (int n = d - 1; n >= 0; n--) {
            in = in && rest % s->c.ranks.dim[n] < keep->dim[n];
            rest /= s->c.ranks.dim[n];
        }
        if (in) *to++ = s->core[j];
    }
    s->c.ranks = *keep;
    s->half.dim[d - 1] = keep->dim[d - 1];
}

/* R_n <= the product of the others; what is too much leaves from its end. */
static void agree(crs_tucker_fit *s, crease_space *keep, double *const *values)
{
    for (int round = 0; round < keep->order; round++)
        for (int n = 0; n < keep->order; n++) {
            const ptrdiff_t others = crease_size(keep) / keep->dim[n];
            for (; keep->dim[n] > others; keep->dim[n]--)
                record(s, n, "more than the other ranks can use", values[n][keep->dim[n] - 1], NAN);
        }
}

bool crs_tucker_drop(crs_tucker_fit *s, bool *any)
{
    const int d = s->c.shape.order;
    crease_space keep = s->c.ranks;
    double *values[CREASE_MAX_ORDER], *at = s->values;
    for (int n = 0; n < d; n++) {
        values[n] = at;
        at += s->c.ranks.dim[n];
        if (!turn(s, n, values[n])) return false;
    }
    const ptrdiff_t before = s->cuts;
    for (int n = 0; n < d; n++)
        keep.dim[n] = supported(s, n, values[n], s->sizes + (values[n] - s->values));
    agree(s, &keep, values);
    *any = s->cuts > before;
    narrow(s, &keep);
    return true;
}
