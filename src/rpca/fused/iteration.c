/* SPDX-License-Identifier: MIT
 * iteration: the first iterate, one iteration in two passes over the tensors, and what a caller
 * reads of the current one
 *
 * Entries: in every tile E, Z, B are updated while it is in cache, with [[X]] computed on the way,
 * and y = Z K follows from the new Z, K the Khatri-Rao product of the columns' modes: it yields
 * Z_(n) M_n for all modes of the rows in the next iteration. Collect: w = Z'V, V the rows' product
 * with their new factors, yields those of the columns. Sums are made band by band and added in the
 * bands' order, whichever thread works on which. */
#include <string.h>

#include "dense/dense.h"
#include "rpca/fused/state.h"

static crs_cp_tile tile_at(const crs_cp_fused *s, ptrdiff_t row, ptrdiff_t rows, ptrdiff_t chunk)
{
    const crs_cp_grid *g = &s->grid;
    const ptrdiff_t column = chunk * g->width, at = row * g->right + column;
    crs_cp_tile t = { .stride = g->right, .words = s->words };
    t.rows = fewer(rows, g->left - row);
    t.columns = fewer(g->width, g->right - column);
    t.t = (const char *)s->T + at * s->size;
    t.z = at_entry(s, s->Z, at);
    if (s->B) t.b = at_entry(s, s->B, at);
    if (s->B) t.older = s->has_older ? at_entry(s, s->older, at) : t.b;
    if (s->c.mask) t.mask = s->c.mask + at;
    if (chunk + 1 < g->chunks)
        t.ahead = g->width;
    else if (row + rows < g->left)
        t.ahead = rows * g->right - column;
    return t;
}

static const crs_stored *columns_of(const crs_cp_fused *s, ptrdiff_t chunk)
{
    return at_entry(s, s->columns, chunk * s->c.rank * s->grid.width);
}

static void update_tile(const crs_cp_fused *s, const crs_cp_worker *w, crs_cp_tile *t,
                        ptrdiff_t tile)
{
    crs_cp_entries *entries = s->next == &s->eliminated ? s->kernel->eliminate : s->kernel->update;
    crs_sparse_open(s, tile, t, w->e, true);
    entries(s->next, s->c.rank, w->v, columns_of(s, tile % s->grid.chunks), t);
    t->sums[CRS_SUM_NONZERO] += (double)crs_sparse_close(s, tile, t);
}

/* The tiles of four rows, then their rows of y; kr NULL: Z stays as it is. */
static void pass_block(crs_cp_fused *s, const crs_cp_worker *w, ptrdiff_t block, const double *kr,
                       double *sums)
{
    const ptrdiff_t rank = s->c.rank, row = block * CRS_TILE_ROWS;
    const ptrdiff_t rows = fewer(CRS_TILE_ROWS, s->grid.left - row);
    double *y = s->y + row * rank;
    fill(rows * rank, 0, y);
    if (kr) s->kernel->spread(rows, rank, 2 * s->next->fold, kr, w->v);
    for (ptrdiff_t chunk = 0; chunk < s->grid.chunks; chunk++) {
        crs_cp_tile t = tile_at(s, row, CRS_TILE_ROWS, chunk);
        t.rest = w->rest;
        t.partial = w->partial;
        t.block = w->block;
        if (s->padded > 0) t.k = at_entry(s, s->k, chunk * s->grid.width * s->padded);
        t.padded = s->padded;
        t.y = y;
        t.sums = sums;
        if (kr)
            update_tile(s, w, &t, block * s->grid.chunks + chunk);
        else
            s->kernel->project(rank, columns_of(s, chunk), &t);
    }
}

static const double *row_products(const crs_cp_fused *s, const crs_cp_worker *w, ptrdiff_t row,
                                  ptrdiff_t count)
{
    const double *const first_two[] = { s->factor[0], s->factor[1] };
    const crs_kruskal k = kruskal_of(s);
    if (s->grid.split == 1) return s->factor[0] + row * s->c.rank;
    if (s->grid.split == 2)
        s->kernel->pair(s->c.rank, s->c.shape.dim[1], row, count, first_two, w->rows);
    else
        crs_khatri_rao(&k, (crs_modes){ 0, s->grid.split, -1 }, row, count, w->rows);
    return w->rows;
}

static void column_products(const crs_cp_fused *s)
{
    const crs_kruskal k = kruskal_of(s);
    crs_khatri_rao(&k, (crs_modes){ s->grid.split, s->c.shape.order, -1 }, 0, s->grid.right, s->w);
}

static void entries_of_band(void *self, ptrdiff_t band, int worker)
{
    crs_cp_fused *s = self;
    const crs_cp_worker *w = s->worker + worker;
    double sums[CRS_SUMS] = { 0 };
    ptrdiff_t row, end;
    for (crs_cp_band(&s->grid, band, &row, &end); row < end; row += CRS_PANEL) {
        const ptrdiff_t count = fewer(CRS_PANEL, end - row);
        const double *kr = row_products(s, w, row, count);
        for (ptrdiff_t i = 0; i < count; i += CRS_TILE_ROWS)
            pass_block(s, w, (row + i) / CRS_TILE_ROWS, kr + i * s->c.rank, sums);
    }
    copy(CRS_SUMS, sums, s->sums + band * CRS_SUMS);
}

static void start_of_band(void *self, ptrdiff_t band, int worker)
{
    crs_cp_fused *s = self;
    ptrdiff_t row, end;
    for (crs_cp_band(&s->grid, band, &row, &end); row < end; row += CRS_TILE_ROWS)
        pass_block(s, s->worker + worker, row / CRS_TILE_ROWS, NULL, NULL);
}

/* columns = the Khatri-Rao product of the columns' modes, in blocks */
static void set_columns(crs_cp_fused *s)
{
    const ptrdiff_t rank = s->c.rank, right = s->grid.right, block = s->kernel->block;
    const ptrdiff_t all = s->grid.chunks * s->grid.width;
    column_products(s);
    double *to = s->collected;
    for (ptrdiff_t first = 0; first < all; first += block)
        for (ptrdiff_t r = 0; r < rank; r++)
            for (ptrdiff_t j = first; j < first + block; j++)
                *to++ = j < right ? s->w[j * rank + r] : 0;
    s->kernel->narrow(all * rank, s->collected, s->columns);
    memset(s->k, 0, (size_t)(right * s->padded * s->size));
    for (ptrdiff_t j = 0; s->padded > 0 && j < right; j++)
        s->kernel->narrow(rank, s->w + j * rank, at_entry(s, s->k, j * s->padded));
}

static void pass_start(crs_cp_fused *s)
{
    set_columns(s);
    crs_parallel(s->c.threads, s->grid.bands, start_of_band, s);
}

static void pass_entries(crs_cp_fused *s)
{
    set_columns(s);
    crs_parallel(s->c.threads, s->grid.bands, entries_of_band, s);
    for (ptrdiff_t band = 1; band < s->grid.bands; band++)
        for (int k = 0; k < CRS_SUMS; k++) s->sums[k] += s->sums[band * CRS_SUMS + k];
    if (!s->has_older || s->next == &s->eliminated) return;
    crs_stored *b = s->older;
    s->older = s->B;
    s->B = b;
}

static ptrdiff_t padded(const crs_cp_fused *s)
{
    return s->grid.chunks * s->c.rank * s->grid.width;
}

static void collect_band(void *self, ptrdiff_t band, int worker)
{
    crs_cp_fused *s = self;
    const crs_cp_worker *w = s->worker + worker;
    const ptrdiff_t rank = s->c.rank;
    double *sum = s->collected + band * padded(s);
    ptrdiff_t row, end;
    fill(padded(s), 0, sum);
    for (crs_cp_band(&s->grid, band, &row, &end); row < end; row += CRS_PANEL) {
        const ptrdiff_t count = fewer(CRS_PANEL, end - row);
        const double *rows = row_products(s, w, row, count);
        if (s->c.single) s->kernel->narrow(count * rank, rows, w->narrow);
        for (ptrdiff_t chunk = 0; chunk < s->grid.chunks; chunk++) {
            crs_cp_tile t = tile_at(s, row, count, chunk);
            t.partial = w->collected;
            s->kernel->collect(rank, s->c.single ? w->narrow : rows, &t,
                               sum + chunk * rank * s->grid.width);
        }
    }
}

static void pass_collect(crs_cp_fused *s)
{
    const ptrdiff_t rank = s->c.rank, size = padded(s), block = s->kernel->block;
    crs_parallel(s->c.threads, s->grid.bands, collect_band, s);
    for (ptrdiff_t band = 1; band < s->grid.bands; band++)
        axpy(size, 1, s->collected + band * size, s->collected);
    const double *from = s->collected;
    for (ptrdiff_t first = 0; first < s->grid.right; first += block)
        for (ptrdiff_t r = 0; r < rank; r++, from += block)
            for (ptrdiff_t j = first; j < fewer(first + block, s->grid.right); j++)
                s->w[j * rank + r] = from[j - first];
}

/* X_n = (Z_(n) M_n + (h/2) X_n)(G_n + ((h + nu)/2) I)^{-1}, G_n = M_n'M_n: Z_(n) M_n from y (modes
 * of the rows) or w (modes of the columns), in which the modes of the other side are summed over
 * already. A singular system without h and nu is solved by the pseudo-inverse. */

static void right_side(crs_cp_fused *s, const double *table, int from, int to, int n)
{
    const crs_cp_gathering g = { .weigh = s->kernel->weigh,
                                 .k = kruskal_of(s),
                                 .threads = s->c.threads,
                                 .from = from,
                                 .to = to,
                                 .table = table,
                                 .fold = s->fold,
                                 .work = s->gather };
    crs_cp_gather(&g, n, s->rhs);
}

static void set_gram(crs_cp_fused *s, int n)
{
    crs_gram(s->c.shape.dim[n], s->c.rank, s->factor[n], s->gram[n]);
}

static void gram_of_others(crs_cp_fused *s, int n, double shift)
{
    const ptrdiff_t rank = s->c.rank, size = rank * rank;
    fill(size, 1, s->matrix);
    for (int j = 0; j < s->c.shape.order; j++)
        for (ptrdiff_t k = 0; j != n && k < size; k++) s->matrix[k] *= s->gram[j][k];
    for (ptrdiff_t r = 0; r < rank; r++) s->matrix[r * rank + r] += shift;
}

/* rhs (dim x rank) times the inverse of matrix + shift I, in place */
static void solve_factor(crs_cp_fused *s, int n, double shift)
{
    const ptrdiff_t rank = s->c.rank, dim = s->c.shape.dim[n];
    gram_of_others(s, n, shift);
    if (shift > 0 && crs_cholesky(rank, s->matrix)) {
        crs_cholesky_solve_rows(rank, s->matrix, dim, s->rhs);
        return;
    }
    gram_of_others(s, n, 0);
    if (shift > 0)
        crs_ballquad(dim, rank, s->matrix, shift, INFINITY, s->rhs, s->solve);
    else
        crs_pinv_apply(dim, rank, s->matrix, s->rhs, s->solve);
}

static void update_factors(crs_cp_fused *s, const double *table, int from, int to)
{
    const double h = s->c.h_factor;
    for (int n = from; n < to; n++) {
        const ptrdiff_t size = s->c.shape.dim[n] * s->c.rank;
        double moved = 0;
        right_side(s, table, from, to, n);
        axpy(size, h / 2, s->factor[n], s->rhs);
        solve_factor(s, n, (h + s->c.nu) / 2);
        for (ptrdiff_t k = 0; k < size; k++) moved += square(s->rhs[k] - s->factor[n][k]);
        copy(size, s->rhs, s->factor[n]);
        set_gram(s, n);
        s->statistics.move_factor[n] = moved;
    }
}

static double half_squares(const crs_cp_fused *s)
{
    const ptrdiff_t rank = s->c.rank;
    double sum = 0;
    for (int n = 0; s->c.nu > 0 && n < s->c.shape.order; n++)
        for (ptrdiff_t r = 0; r < rank; r++) sum += s->gram[n][r * rank + r];
    return s->c.nu / 2 * sum;
}

/* |p a + q b| from |a|^2, |b|^2 and <a, b> */
static double combined(double p, double aa, double q, double bb, double ab)
{
    return sqrt(pos(p * p * aa + 2 * p * q * ab + q * q * bb));
}

/* From the optimality of the steps, z = beta - 1/gamma and ell as in memory.c:
 *   Lambda - g = h_e dE - beta (dZ + dB),   2 (Z - [[X]]) - Lambda = beta dB - h_z dZ,
 *   w B - Lambda = (w + z) dB, or (w - ell) dB;   BCD: beta dB = 0, and w dZ for beta dZ in g's */
static void residuals(crs_cp_fused *s)
{
    crs_cp_statistics *a = &s->statistics;
    const double *sum = s->sums, beta = s->rule.beta, pull = s->rule.at[1].pull;
    const double dz = sum[CRS_SUM_DZ], db = sum[CRS_SUM_DB], both = sum[CRS_SUM_DZ_DB];
    const double unseen = sum[CRS_SUM_DB_UNSEEN];
    const crs_cp_entry *on = &s->rule.at[1], *off = &s->rule.at[0];
    a->residual_e = s->rule.h_e * sqrt(a->move_e) + combined(pull, dz, pull, db, both);
    a->residual_z = combined(beta, db, -s->rule.h_z, dz, both);
    a->residual_b =
        sqrt(square(on->lambda_older) * (db - unseen) + square(off->lambda_older) * unseen);
}

/* What no stop needs. */
static void values(crs_cp_fused *s)
{
    crs_cp_statistics *a = &s->statistics;
    const double *sum = s->sums;
    a->fit = sum[CRS_SUM_FIT];
    a->noise = sum[CRS_SUM_NOISE];
    a->penalty = sum[CRS_SUM_PENALTY];
    a->objective = a->fit + a->penalty + s->c.alpha_noise * a->noise + half_squares(s);
    a->feasibility = sqrt(sum[CRS_SUM_FEASIBLE]);
    residuals(s);
    if (s->rule.full) return;
    a->objective = a->fit = a->penalty = a->noise = a->feasibility = NAN;
    a->residual_e = a->residual_z = a->residual_b = NAN;
}

/* The potential of the running method, from the sums of its pass.
 * BCD: the objective F. ADMM: Psi = F - <Lambda, s> + (beta/2)|s|^2 + omega |dB|^2,
 * s = Z + E + B - T. The multiplier's step s = (Lambda^k - Lambda)/beta leaves of the middle terms
 *   beta |s|^2 + (|Lambda|^2 - |Lambda^k|^2)/(2 beta),
 * and with Lambda = w B - a dB, a = lambda_older,
 *   |Lambda|^2 = w^2 |B|^2 - 2 w a <B, dB> + a^2 |dB|^2,  2 <B, dB> = |B|^2 - |B^k|^2 + |dB|^2,
 * where w = 0 at entries that are not observed. Nothing is read again. */

/* |Lambda|^2 after a step */
static double multiplier(const crs_cp_fused *s)
{
    const crs_cp_entry *on = &s->rule.at[1], *off = &s->rule.at[0];
    const double unseen = s->sums[CRS_SUM_DB_UNSEEN], moved = s->sums[CRS_SUM_DB] - unseen;
    const double noise = s->sums[CRS_SUM_NOISE], w = on->weight, a = on->lambda_older;
    return w * w * noise - w * a * (noise - s->noise + moved) + a * a * moved +
           square(off->lambda_older) * unseen;
}

static void set_potential(crs_cp_fused *s)
{
    crs_cp_statistics *a = &s->statistics;
    a->from = s->potential;
    a->potential = a->objective;
    if (s->B) {
        const double lambdas = multiplier(s), beta = s->c.beta;
        a->potential += beta * s->sums[CRS_SUM_FEASIBLE] + (lambdas - s->lambdas) / (2 * beta) +
                        s->c.potential_weight * a->move_b;
        s->lambdas = lambdas;
        s->noise = a->noise;
    }
    s->potential = a->potential;
}

static void summarize(crs_cp_fused *s)
{
    crs_cp_statistics *a = &s->statistics;
    const double *sum = s->sums;
    const bool admm = s->c.method != CRS_CP_BCD;
    a->move_e = sum[CRS_SUM_DE];
    a->move_z = sum[CRS_SUM_DZ];
    a->move_b = sum[CRS_SUM_DB];
    a->moves = a->move_e + a->move_z + a->move_b;
    for (int n = 0; n < s->c.shape.order; n++) a->moves += a->move_factor[n];
    a->theta = a->moves + (admm ? s->moves_before : 0);
    s->moves_before = a->moves;
    a->nonzeros = (ptrdiff_t)sum[CRS_SUM_NONZERO];
    values(s);
    set_potential(s);
    a->iteration++;
}

/* Safeguarded extrapolation of the factors. The candidate has X_n + theta (X_n - X_n^{k-1}) and, as
 * minimizers for these, E, Z and B, with Lambda = 2 alpha_N W o B and B^{k-1} = B: its potential is
 * its objective. If that is larger than the iterate's potential, the same is done with theta = 0,
 * which never is. Every bound of the plain method stays true (docs/theory.md, extrapolation of
 * factors). Restarts after O'Donoghue and Candes 2015; for alternating least squares Mitchell, Ye,
 * De Sterck 2020. */

/* The objective at the factors, all else eliminated. */
static double eliminate(crs_cp_fused *s)
{
    const double w = s->rule.at[1].weight;
    for (int n = 0; n < s->c.shape.order; n++) set_gram(s, n);
    s->next = &s->eliminated;
    pass_entries(s);
    s->next = s->B ? &s->tied : &s->rule;
    s->statistics.eliminations++;
    s->noise = s->sums[CRS_SUM_NOISE];
    s->lambdas = w * w * s->noise;
    return s->sums[CRS_SUM_PENALTY] + w / 2 * (1 + w / 2) * s->noise + half_squares(s);
}

/* Where the multiplier is tied to B closely enough, Psi is at least the objective at the feasible
 * point (X, E, Z, B - s), so that elimination does not raise it. */
static bool safe(const crs_cp_fused *s)
{
    for (int seen = 0; s->B && seen < 2; seen++) {
        const crs_cp_entry *c = &s->rule.at[seen];
        const double room = 2 * s->c.potential_weight * (s->c.beta - c->weight);
        if (!(square(c->lambda_older) <= room * (1 + 0x1p-40) && s->c.beta >= c->weight))
            return false;
    }
    return s->rule.at[1].weight > 0;
}

static void accelerate(crs_cp_fused *s)
{
    const double theta = (double)s->momentum / (double)(s->momentum + 3);
    const ptrdiff_t rank = s->c.rank;
    if (!safe(s)) return;
    for (int n = 0; n < s->c.shape.order; n++) {
        const ptrdiff_t size = s->c.shape.dim[n] * rank;
        double *x = s->factor[n];
        copy(size, x, s->kept[n]);
        for (ptrdiff_t j = 0; j < size; j++) x[j] += theta * (x[j] - s->before[n][j]);
        copy(size, s->kept[n], s->before[n]);
    }
    const double candidate = eliminate(s);
    if (candidate <= s->potential) {
        s->potential = candidate;
        s->statistics.accelerated += s->momentum > 0;
        s->momentum++;
        return;
    }
    for (int n = 0; n < s->c.shape.order; n++)
        copy(s->c.shape.dim[n] * rank, s->kept[n], s->factor[n]);
    s->potential = eliminate(s);
    s->momentum = 1;
}

void crs_cp_fused_step(crs_cp_fused *s)
{
    if (s->c.accelerate && s->statistics.iteration > 0) accelerate(s);
    update_factors(s, s->y, 0, s->grid.split);                /* X_1 .. X_{split} from y = Z K */
    pass_collect(s);                                          /* w = Z'V */
    update_factors(s, s->w, s->grid.split, s->c.shape.order); /* the other X_n from w */
    pass_entries(s); /* E, Z, B; Lambda along with them; the next y */
    s->next = &s->rule;
    summarize(s);
}

const crs_cp_statistics *crs_cp_fused_statistics(const crs_cp_fused *s) { return &s->statistics; }
const double *crs_cp_fused_factor(const crs_cp_fused *s, int n) { return s->factor[n]; }

static bool seen_at(const crs_cp_fused *s, ptrdiff_t j) { return !s->c.mask || s->c.mask[j]; }

static void potential_start(crs_cp_fused *s, bool b, bool lambda)
{
    const ptrdiff_t n = crease_size(&s->c.shape);
    s->noise = s->lambdas = 0;
    s->momentum = 0;
    s->potential = NAN; /* its Lambda is none that a step has made */
    if (!s->B) return;
    for (ptrdiff_t j = 0; b && j < n; j++)
        if (seen_at(s, j)) s->noise += square(entry_of(s, s->B, j));
    for (ptrdiff_t j = 0; lambda && s->has_older && j < n; j++)
        s->lambdas += square(entry_of(s, s->older, j));
    if (!s->has_older) s->lambdas = square(s->rule.at[1].weight) * s->noise;
}

/* to = from in the tensors' type, or 0 */
static void set(const crs_cp_fused *s, ptrdiff_t n, const double *from, crs_stored *to)
{
    if (!to) return;
    if (from)
        s->kernel->narrow(n, from, to);
    else
        memset(to, 0, (size_t)(n * s->size));
}

/* Lambda at entry j as the next step will read it. */
static double lambda_at(const crs_cp_fused *s, ptrdiff_t j)
{
    const crs_cp_entry *c = &s->next->at[seen_at(s, j)];
    return c->lambda_b * entry_of(s, s->B, j) +
           (s->has_older ? c->lambda_older * entry_of(s, s->older, j) : 0);
}

static bool derivable(const crs_cp_fused *s, ptrdiff_t n, const double *b, const double *lambda,
                      crease_error *error)
{
    for (ptrdiff_t j = 0; lambda && j < n; j++) {
        const double wanted = s->rule.at[seen_at(s, j)].weight * (b ? b[j] : 0);
        if (!(fabs(lambda[j] - wanted) <= 0x1p-50 * fabs(wanted)))
            return crs_fail(error, CREASE_BAD_ARGUMENT,
                            "robust CP: entry %td of Lambda is %g, but exact minimization over B "
                            "keeps Lambda = 2 alpha_noise W o B, %g; start from that, or give ell",
                            j + 1, lambda[j], wanted);
    }
    return true;
}

/* E given in its dense place; tiles with few nonzeros are packed. */
static void pack_all(crs_cp_fused *s)
{
    for (ptrdiff_t tile = 0; tile < s->grid.blocks * s->grid.chunks; tile++) {
        const ptrdiff_t row = tile / s->grid.chunks * CRS_TILE_ROWS, chunk = tile % s->grid.chunks;
        crs_cp_tile t = tile_at(s, row, CRS_TILE_ROWS, chunk);
        s->stored[tile] = -1;
        crs_sparse_open(s, tile, &t, NULL, true);
        for (ptrdiff_t i = 0; i < t.rows; i++)
            for (ptrdiff_t j = 0; j < t.columns; j++)
                if (entry_of(s, t.e, i * t.e_stride + j) != 0)
                    t.marks[i * t.words + j / 64] |= (uint64_t)1 << j % 64;
        crs_sparse_close(s, tile, &t);
    }
}

/* No -0: it would be lost in packing. */
static void set_sparse(crs_cp_fused *s, ptrdiff_t n, const double *e)
{
    set(s, n, e, s->E);
    for (ptrdiff_t j = 0; j < n; j++)
        if (entry_of(s, s->E, j) == 0) memset(at_entry(s, s->E, j), 0, (size_t)s->size);
    pack_all(s);
}

bool crs_cp_fused_start(crs_cp_fused *s, const double *const *factor, const double *z,
                        const double *e, const double *b, const double *lambda, crease_error *error)
{
    const ptrdiff_t n = crease_size(&s->c.shape);
    const bool admm = s->c.method != CRS_CP_BCD;
    if (admm && !s->has_older && !derivable(s, n, b, lambda, error)) return false;
    for (int k = 0; k < s->c.shape.order; k++) {
        copy(s->c.shape.dim[k] * s->c.rank, factor[k], s->factor[k]);
        set_gram(s, k);
        if (s->c.accelerate) copy(s->c.shape.dim[k] * s->c.rank, factor[k], s->before[k]);
    }
    set(s, n, z, s->Z);
    set(s, n, b, s->B);
    set(s, n, lambda, s->older);
    for (ptrdiff_t k = 0; k < s->grid.blocks * s->grid.chunks; k++) s->stored[k] = 0;
    if (e) set_sparse(s, n, e);
    s->next = &s->first;
    s->statistics = (crs_cp_statistics){ 0 };
    s->moves_before = INFINITY;
    potential_start(s, b, lambda);
    pass_start(s);
    return true;
}

void crs_cp_fused_rows(const crs_cp_fused *s, ptrdiff_t *left, ptrdiff_t *right)
{
    *left = s->grid.left;
    *right = s->grid.right;
}

/* Row `row` of E, from its tiles. */
static void read_sparse(const crs_cp_fused *s, ptrdiff_t row, double *out)
{
    const ptrdiff_t block = row / CRS_TILE_ROWS, inside = row % CRS_TILE_ROWS;
    for (ptrdiff_t chunk = 0; chunk < s->grid.chunks; chunk++, out += s->grid.width) {
        crs_cp_tile t = tile_at(s, block * CRS_TILE_ROWS, CRS_TILE_ROWS, chunk);
        const char *e = crs_sparse_open(s, block * s->grid.chunks + chunk, &t, s->worker->e, false);
        s->kernel->widen(t.columns, e + inside * t.e_stride * s->size, out);
        if (t.e == s->worker->e) memset(t.e, 0, (size_t)(CRS_TILE_ROWS * s->grid.width * s->size));
    }
}

static void read_low_rank(const crs_cp_fused *s, ptrdiff_t row, double *out)
{
    const ptrdiff_t rank = s->c.rank;
    const double *kr = row_products(s, s->worker, row, 1);
    crs_gemv(false, s->grid.right, rank, 1, s->w, kr, 0, out);
}

/* B = T - Z - E where it is no variable of its own, and Lambda is 2 alpha_N W o B */
static double last_at(const crs_cp_fused *s, crs_cp_part part, ptrdiff_t j, double e)
{
    if (s->c.method != CRS_CP_BCD) return part == CRS_CP_B ? entry_of(s, s->B, j) : lambda_at(s, j);
    const bool seen = seen_at(s, j);
    const double rest = (seen ? entry_of(s, s->T, j) : 0) - entry_of(s, s->Z, j) - e;
    return part == CRS_CP_B ? rest : s->rule.at[seen].weight * rest;
}

void crs_cp_fused_read(const crs_cp_fused *s, crs_cp_part part, ptrdiff_t first, ptrdiff_t count,
                       double *out)
{
    const ptrdiff_t right = s->grid.right;
    if (part == CRS_CP_LOW_RANK) column_products(s);
    for (ptrdiff_t row = first; row < first + count; row++, out += right) {
        if (part == CRS_CP_Z) s->kernel->widen(right, at_entry(s, s->Z, row * right), out);
        if (part == CRS_CP_LOW_RANK) read_low_rank(s, row, out);
        if (part == CRS_CP_Z || part == CRS_CP_LOW_RANK) continue;
        read_sparse(s, row, out);
        for (ptrdiff_t j = 0; part != CRS_CP_E && j < right; j++)
            out[j] = last_at(s, part, row * right + j, out[j]);
    }
}
