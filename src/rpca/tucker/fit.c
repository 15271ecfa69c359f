/* SPDX-License-Identifier: MIT
 * fit: the iteration of a Tucker fit; each step is one pass over T
 *
 * A least-squares step on M + s never raises the sum of phi. Most entries are in the quadratic part
 * of phi, some in the flat one: dividing s by the mean of s/r over what a block sees makes the step
 * as long as the curvature allows on average, until that has failed once. */
#include "smooth/fit.h"
#include <crease/random.h>

#include "core/carve.h"
#include "reg/reg.h"
#include "rpca/tucker/tucker.h"

enum { NEWTON_STEPS = 3, NEWTON_PASSES = 150 };
enum { ROUNDS = 6 }; /* of subspace iteration */

/* c of phi */
static double half_weight(const crs_tucker_fit *s) { return crs_noise_share(s->c.alpha_noise); }

static int last_mode(const crs_tucker_fit *s) { return s->half.order - 1; }

/* What the start asks of X_d's place. */
static crs_span_look span_of(const crs_tucker_fit *s, double bound)
{
    return (crs_span_look){ .right = s->c.shape.dim[last_mode(s)],
                            .rank = s->half.dim[last_mode(s)],
                            .bound = bound,
                            .x = s->factor[last_mode(s)] };
}

static bool check(const crs_tucker_settings *c, crease_error *e)
{
    if (!crs_check_shape("Tucker robust PCA", &c->shape, e)) return false;
    if (c->ranks.order != c->shape.order)
        return crs_fail(e, CREASE_BAD_SHAPE, "%d ranks for %d modes; give one rank per mode",
                        c->ranks.order, c->shape.order);
    for (int n = 0; n < c->shape.order; n++) {
        const ptrdiff_t rank = c->ranks.dim[n], size = c->shape.dim[n];
        if (rank < 1 || rank > size)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "rank %td of mode %d is outside its range: give 1 to %td", rank, n + 1,
                            size);
    }
    for (int n = 0; n < c->shape.order; n++) {
        const ptrdiff_t others = crease_size(&c->ranks) / c->ranks.dim[n];
        if (c->ranks.dim[n] > others)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "rank %td of mode %d is above the product of the others, %td: the "
                            "surplus cannot be used; lower it",
                            c->ranks.dim[n], n + 1, others);
    }
    return true;
}

/* The largest decomposition: of an unfolding of half, of X_d, or of P'P. */
static ptrdiff_t svd_room(const crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    const ptrdiff_t rank = s->half.dim[last], size = s->c.shape.dim[last];
    ptrdiff_t most = crease_size(&s->c.ranks);
    for (int n = 0; n < last; n++) {
        const ptrdiff_t rows = s->half.dim[n], columns = crease_size(&s->half) / rows;
        const ptrdiff_t k = fewer(rows, columns);
        most = more(most, (rows + columns + 1) * k + crs_svd_scratch(rows, columns));
        most = more(most, s->c.ranks.dim[n] * (s->c.ranks.dim[n] + 2 * rows));
    }
    for (int n = 0; n <= last; n++) { /* of spare.c */
        const ptrdiff_t r = s->c.ranks.dim[n];
        most = more(most, 2 * r * r + r + s->c.shape.dim[n] * r + crs_eigh_scratch(r));
    }
    most = more(most, size * rank + 2 * rank * rank + rank + crs_svd_scratch(size, rank));
    return more(most, 2 * size * rank + 2 * rank * rank + rank + crs_eigh_scratch(rank));
}

static void carve(crs_tucker_fit *s, crs_carver *m)
{
    const int last = s->half.order - 1;
    const ptrdiff_t half = crease_size(&s->half), right = s->c.shape.dim[last];
    for (int n = 0; n <= last; n++)
        s->factor[n] = carve_doubles(m, s->c.shape.dim[n], s->c.ranks.dim[n]);
    s->core = carve_doubles(m, crease_size(&s->c.ranks), 1);
    s->P = carve_doubles(m, half, 1);
    s->SX = carve_doubles(m, half, 1);
    s->SP = carve_doubles(m, right, s->half.dim[last]);
    s->rows = carve_doubles(m, s->left, 1);
    s->columns = carve_doubles(m, right, 1);
    s->A = carve_doubles(m, half, 1);
    s->chain = carve_doubles(m, 3, half);
    s->unfolded = carve_doubles(m, half, 1);
    s->svd = carve_doubles(m, svd_room(s), 1);
    s->slab = carve_doubles(m, crs_span_room(right, s->half.dim[last]), 1);
    ptrdiff_t directions = 0;
    for (int n = 0; n <= last; n++) directions += s->c.ranks.dim[n];
    s->directions = directions;
    s->values = carve_doubles(m, directions, 1);
    s->sizes = carve_doubles(m, directions, 1);
    s->dead = carve_bytes(m, s->half.dim[last], sizeof *s->dead);
    s->cut = carve_bytes(m, directions, sizeof *s->cut);
    s->bytes = m->used;
}

static void shape_of(const crs_tucker_settings *c, crs_tucker_fit *s)
{
    const int last = c->shape.order - 1;
    s->c = *c;
    s->half = c->shape;
    s->half.dim[last] = c->ranks.dim[last];
    s->left = crease_size(&c->shape) / c->shape.dim[last];
}

/* T as left x I_d with the rank of its last mode. */
static crs_envelope_settings pass_of(const crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    return (crs_envelope_settings){ .shape = crease_matrix(s->left, s->c.shape.dim[last]),
                                    .rank = s->half.dim[last],
                                    .alpha_noise = s->c.alpha_noise,
                                    .threads = s->c.threads };
}

static bool tall(const crs_tucker_fit *s)
{
    return s->half.order == 2 && crs_tall_suits(&s->c.shape, s->half.dim[1]);
}

/* Everything but memory; returns the bytes of its block, < 0 with the reason in e. */
static ptrdiff_t plan(const crs_tucker_settings *c, crs_tucker_fit *s, crease_error *e)
{
    crs_carver count = { 0 };
    ptrdiff_t bytes;
    if (!check(c, e)) return -1;
    *s = (crs_tucker_fit){ .fresh = true, .best = INFINITY, .priced = c->spare };
    s->statistics.moved = INFINITY;
    shape_of(c, s);
    carve(s, &count);
    if (count.used >= 0 && crs_add_size(count.used, CRS_LINE, &bytes)) return bytes;
    crs_fail(e, CREASE_NO_MEMORY, "Tucker robust PCA: more memory than can be addressed");
    return -1;
}

ptrdiff_t crs_tucker_fit_bytes(const crs_tucker_settings *c, crease_error *e)
{
    crs_tucker_fit s;
    const ptrdiff_t own = plan(c, &s, e);
    if (own < 0) return -1;
    const crs_envelope_settings pass = pass_of(&s);
    const ptrdiff_t bytes = crs_envelope_bytes(&pass, e);
    return bytes < 0 ? -1 : bytes + own + (tall(&s) ? crs_tall_bytes(&pass) : 0);
}

void crs_tucker_fit_free(crs_tucker_fit *s)
{
    if (!s) return;
    if (s->span.job) crs_look_close(&s->span);
    crs_envelope_free(s->pass);
    crs_tall_free(s->tall);
    crs_free(s->memory);
    crs_free(s);
}

/* Memory; of several slabs of which none cuts a row, the look of the start, too. */
static bool open_fit(crs_tucker_fit *s, ptrdiff_t bytes, crease_error *e)
{
    const crs_envelope_settings pass = pass_of(s);
    const crs_partition *cut = &s->source->cut;
    s->pass = crs_envelope_new(&pass, s->source, e);
    if (!s->pass) return false;
    if (tall(s)) s->tall = crs_tall_new(&pass, s->source);
    s->memory = crs_alloc((size_t)bytes, 1);
    if (!s->memory || (tall(s) && !s->tall))
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a Tucker fit");
    crs_carver m = carver_of(s->memory);
    carve(s, &m);
    const crs_span_look args = span_of(s, 0);
    return cut->count == 1 || cut->mode == last_mode(s) ||
           crs_look_open(&s->span, s->source, &crs_span_job, &args, s->c.threads, e);
}

/* Of a tensor in memory, or a source. */
static crs_tucker_fit *new_fit(const crs_tucker_settings *c, const double *T, crs_source *source,
                               crease_error *e)
{
    crs_tucker_fit planned;
    const ptrdiff_t bytes = plan(c, &planned, e);
    if (bytes < 0) return NULL;
    crs_tucker_fit *s = crs_alloc(1, sizeof *s);
    if (!s) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a Tucker fit"), NULL;
    *s = planned;
    if (!source) crs_memory_open(&s->data, &c->shape, T, c->mask);
    s->source = source ? source : &s->data.source;
    if (open_fit(s, bytes, e)) return s;
    crs_tucker_fit_free(s);
    return NULL;
}

crs_tucker_fit *crs_tucker_fit_new(const crs_tucker_settings *c, const double *T, crease_error *e)
{
    return new_fit(c, T, NULL, e);
}

crs_tucker_fit *crs_tucker_fit_new_on(const crs_tucker_settings *c, crs_source *T, crease_error *e)
{
    if (T->cut.count > 1 && T->cut.mode == c->shape.order - 1 && !T->whole)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the last dimension has %td entries, more than a slab of the data: put it "
                        "first (crease convert --transpose)",
                        c->shape.dim[c->shape.order - 1]),
               NULL;
    return new_fit(c, NULL, T, e);
}

/* X_n, n < d: the leading left singular vectors of the unfolding of A x_m X_m' over m != n, one
 * mode after the other, then C = A x_m X_m'. De Lathauwer, De Moor, Vandewalle, On the best rank-1
 * and rank-(R1, ..., RN) approximation of higher-order tensors, 2000. */

/* A x_m X_m' over m < d-1 without mode skip (-1: none) and, when fresh, only over m < skip; the
 * result's shape in *end. Returns where it is: in s->chain, or A itself. */
static const double *reduce(crs_tucker_fit *s, const double *a, int skip, crease_space *end)
{
    const int d = s->half.order;
    crs_mode_map map[CREASE_MAX_ORDER] = { 0 };
    bool any = false;
    *end = s->half;
    for (int m = 0; m < d - 1; m++) {
        if (m == skip || (s->fresh && m > skip && skip >= 0)) continue;
        map[m] = (crs_mode_map){ s->factor[m], s->c.ranks.dim[m], true };
        end->dim[m] = s->c.ranks.dim[m];
        any = true;
    }
    if (!any) return a;
    crs_multi_ttm(&s->half, map, 1, a, 0, s->chain, s->chain + crease_size(&s->half));
    return s->chain;
}

/* y (I_n x left right) = the unfolding of a in mode n */
static void unfold(const crease_space *shape, int n, const double *a, double *y)
{
    const ptrdiff_t left = crs_left(shape, n), dim = shape->dim[n], right = crs_right(shape, n);
    for (ptrdiff_t l = 0; l < left; l++)
        for (ptrdiff_t i = 0; i < dim; i++)
            copy(right, a + (l * dim + i) * right, y + (i * left + l) * right);
}

static bool update_front(crs_tucker_fit *s, int n)
{
    crease_space end;
    const double *a = reduce(s, s->A, n, &end);
    const ptrdiff_t rows = end.dim[n], columns = crease_size(&end) / rows;
    const ptrdiff_t rank = s->c.ranks.dim[n], k = fewer(rows, columns);
    double *u = s->svd, *values = u + rows * k, *vt = values + k, *work = vt + k * columns;
    unfold(&end, n, a, s->unfolded);
    if (!crs_svd(rows, columns, s->unfolded, u, values, vt, work)) return false;
    for (ptrdiff_t i = 0; i < rows; i++) copy(rank, u + i * k, s->factor[n] + i * rank);
    return true;
}

/* X_1, C given the rest, ..., X_{d-1}, C given the rest for the tensor A. */
static bool best_front(crs_tucker_fit *s)
{
    crease_space end;
    for (int n = 0; n < s->half.order - 1; n++)
        if (!update_front(s, n)) return false;
    s->fresh = false;
    copy(crease_size(&s->c.ranks), reduce(s, s->A, -1, &end), s->core);
    return true;
}

/* P = C x_1 X_1 ... x_{d-1} X_{d-1} */
static void expand(crs_tucker_fit *s)
{
    crs_mode_map map[CREASE_MAX_ORDER] = { 0 };
    for (int m = 0; m < s->half.order - 1; m++)
        map[m] = (crs_mode_map){ s->factor[m], s->half.dim[m], false };
    crs_multi_ttm(&s->c.ranks, map, 1, s->core, 0, s->P, s->chain);
}

/* X_d: with P fixed the best for M + S is X_d + S'P (P'P)^+; its columns are made orthonormal by
 * X_d = U diag(sigma) V', X_d <- U V', and C x_d (V diag(sigma) V') keeps the product.
 * Directions whose eigenvalue of P'P is rounding are left alone. */
static bool solve_back(crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    const ptrdiff_t rank = s->half.dim[last], rows = s->c.shape.dim[last];
    double *gram = s->svd, *w = gram + rank * rank, *q = w + rank, *turned = q + rank * rank,
           *work = turned + rows * rank;
    crs_gram(s->left, rank, s->P, gram);
    if (!crs_eigh(rank, gram, w, q, work)) return false;
    crs_clean_spectrum(rank, w);
    crs_gemm(false, true, rows, rank, rank, 1, s->SP, q, 0, turned);
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t k = 0; k < rank; k++)
            turned[i * rank + k] = w[k] > 0 ? turned[i * rank + k] / w[k] : 0;
    crs_gemm(false, false, rows, rank, rank, 1, turned, q, 1, s->factor[last]);
    return true;
}

static bool balance_back(crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    const ptrdiff_t rank = s->half.dim[last], rows = s->c.shape.dim[last];
    double *u = s->svd, *sigma = u + rows * rank, *vt = sigma + rank, *root = vt + rank * rank,
           *work = root + rank * rank;
    if (!crs_svd(rows, rank, s->factor[last], u, sigma, vt, work)) return false;
    crs_gemm(false, false, rows, rank, rank, 1, u, vt, 0, s->factor[last]);
    for (ptrdiff_t k = 0; k < rank; k++)
        for (ptrdiff_t j = 0; j < rank; j++) u[k * rank + j] = sigma[k] * vt[k * rank + j];
    crs_gemm(true, false, rank, rank, rank, 1, vt, u, 0, root);
    crs_ttm(&s->c.ranks, last, (crs_mode_map){ root, rank, false }, 1, s->core, 0, s->chain);
    copy(crease_size(&s->c.ranks), s->chain, s->core);
    return true;
}

static bool best_back(crs_tucker_fit *s)
{
    return s->priced ? crs_tucker_turn_back(s) : solve_back(s) && balance_back(s);
}

/* Nearly the leading right singular vectors of a long matrix by subspace iteration: X <- orth(S'S
 * X) from a Gaussian X, S the left x I_d matrix T with its entries clipped (span.c). Halko,
 * Martinsson, Tropp, Finding structure with randomness, 2011. */

static bool orthonormalize(crs_tucker_fit *s, ptrdiff_t rows, ptrdiff_t rank, double *x)
{
    double *u = s->svd, *sigma = u + rows * rank, *vt = sigma + rank, *work = vt + rank * rank;
    if (!crs_svd(rows, rank, x, u, sigma, vt, work)) return false;
    copy(rows * rank, u, x);
    return true;
}

/* x <- S'S x of the whole tensor, or of every slab added up */
static bool turn_span(crs_tucker_fit *s, double bound, double *x)
{
    const int last = last_mode(s);
    const ptrdiff_t size = s->half.dim[last] * s->c.shape.dim[last];
    const crs_span_look args = span_of(s, bound);
    crs_slab slab = { .t = s->source->whole, .w = s->source->seen };
    if (s->span.job) {
        if (!crs_look_run(&s->span, &args, NULL, &s->failure)) return false;
        crs_total_read(&s->span.sums, 0, 0, size, x);
        return true;
    }
    const bool taken = s->source->cut.count == 1;
    if (taken && !s->source->ops->take(s->source, 0, &slab, &s->failure)) return false;
    crs_span_add(&args, s->left, &slab, s->slab, s->SP);
    if (taken) s->source->ops->give(s->source, &slab);
    copy(size, s->SP, x);
    return true;
}

static bool leading_span(crs_tucker_fit *s, double bound)
{
    const int last = s->half.order - 1;
    const ptrdiff_t rank = s->half.dim[last], right = s->c.shape.dim[last];
    const crease_random draws = { s->c.seed, 0 };
    double *x = s->factor[last];
    for (ptrdiff_t j = 0; j < right * rank; j++) x[j] = crease_random_normal(draws, (uint64_t)j);
    for (int round = 0; round < ROUNDS && !crease_watch_over(s->c.watch); round++)
        if (!orthonormalize(s, right, rank, x) || !turn_span(s, bound, x)) return false;
    return orthonormalize(s, right, rank, x);
}

/* Residuals are relative to the terms of each gradient. With orthonormal factors, W_n the unfolding
 * that multiplies X_n and G_n = W_n'W_n,
 *     X_n   2c|S_(n) W_n|       against  2|Z_(n) W_n| + 2|X_n G_n|,
 *     C     2c|S x_1 X_1' ...|  against  2|Z x_1 X_1' ...| + 2|C|,
 * where Z_(n) W_n = X_n G_n + c S_(n) W_n. */

/* 2|c s| against 2|x + c s| + 2|x| */
static crs_tucker_terms terms_of(const crs_tucker_fit *s, ptrdiff_t n, const double *x,
                                 double *moved, double norm)
{
    const double c = half_weight(s), step = 2 * c * crs_norm(n, moved);
    for (ptrdiff_t j = 0; j < n; j++) moved[j] = x[j] + c * moved[j];
    return (crs_tucker_terms){ step, 2 * crs_norm(n, moved) + 2 * crs_norm(n, x), norm };
}

/* |X_n G_n| where G_n = C_(n) C_(n)' */
static crs_tucker_terms front_terms(crs_tucker_fit *s, int n)
{
    crease_space end;
    const ptrdiff_t rank = s->c.ranks.dim[n], rows = s->half.dim[n];
    double *gram = s->svd, *x = gram + rank * rank, *moved = x + rows * rank;
    const double *h = reduce(s, s->SX, n, &end);
    fill(rank * rank, 0, gram);
    crs_unfolding_product(&s->c.ranks, n, rank, 1, s->core, s->core, gram);
    crs_gemm(false, false, rows, rank, rank, 1, s->factor[n], gram, 0, x);
    fill(rows * rank, 0, moved);
    crs_unfolding_product(&end, n, rank, 1, h, s->core, moved);
    return terms_of(s, rows * rank, x, moved, crs_norm(rows * rank, s->factor[n]));
}

static crs_tucker_terms back_terms(crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    const ptrdiff_t rank = s->half.dim[last], rows = s->c.shape.dim[last];
    double *gram = s->svd, *x = gram + rank * rank, *moved = x + rows * rank;
    crs_gram(s->left, rank, s->P, gram);
    crs_gemm(false, false, rows, rank, rank, 1, s->factor[last], gram, 0, x);
    copy(rows * rank, s->SP, moved);
    return terms_of(s, rows * rank, x, moved, crs_norm(rows * rank, s->factor[last]));
}

static crs_tucker_terms core_terms(crs_tucker_fit *s)
{
    crease_space end;
    const ptrdiff_t size = crease_size(&s->c.ranks);
    double *moved = s->svd;
    copy(size, reduce(s, s->SX, -1, &end), moved);
    return terms_of(s, size, s->core, moved, crs_norm(size, s->core));
}

crs_tucker_terms crs_tucker_fit_terms(crs_tucker_fit *s, int block)
{
    return block < last_mode(s)    ? front_terms(s, block)
           : block == last_mode(s) ? back_terms(s)
                                   : core_terms(s);
}

/* The largest residual over all blocks, in the scale of each; 0 where everything is 0. */
static double worst_residual(crs_tucker_fit *s)
{
    double worst = 0;
    for (int i = 0; i <= s->half.order; i++) {
        const crs_tucker_terms t = crs_tucker_fit_terms(s, i);
        const double own = t.step == 0 ? 0 : t.step / crs_cp_scale(t.size, s->whole, t.norm);
        worst = larger(worst, own);
    }
    return worst;
}

/* The same relative to the objective where that is small beside the terms: only such a point is
 * certified. */
static double strict_residual(crs_tucker_fit *s)
{
    double least = 0;
    if (!crs_cp_objective(s->source, &s->penalty, s->c.alpha_noise, s->c.threads, &least,
                          &s->failure))
        return NAN;
    s->whole = least > 0 ? larger(least, s->statistics.value) : 0;
    const double worst = worst_residual(s);
    s->whole = 0;
    return worst;
}

/* Which penalty is used next. On the path the threshold t falls with the median of |r|, and the
 * penalty is MCP(t, 30): entries beyond 30 t have no weight, or the least-squares step of l1 gives
 * a component to a few far outliers. Of data without noise nothing is learned but rounding: t stays
 * above a billionth of the largest entry. A row whose entries mostly look like outliers can no
 * longer move then; l1 moves it. */

enum { FLAT = 30, PASSES = 20, TIMES = 3 };
static const double settled = 1e-3, near = 0.05, deserted = 0.4, fall = 0.8;

static double parameters(const crs_tucker_fit *s)
{
    double count = (double)crease_size(&s->c.ranks);
    for (int n = 0; n < s->c.shape.order; n++)
        count += (double)(s->c.shape.dim[n] - s->c.ranks.dim[n]) * (double)s->c.ranks.dim[n];
    return count;
}

static crs_penalty_value path_penalty(const crs_tucker_fit *s, double t)
{
    return (crs_penalty_value){ &crs_mcp,
                                { t, s->priced ? CRS_TUCKER_PRICED_FLAT : FLAT },
                                2 * half_weight(s) };
}

/* Is there a row with less than that share of its weight? */
static bool has_deserted(ptrdiff_t n, const double *w, double share)
{
    for (ptrdiff_t i = 0; i < n; i++)
        if (w[i] * share < deserted) return true;
    return false;
}

/* Rows of the front matter for matrices alone: a tensor's share their factors with many others. */
static bool suspicious(const crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    const ptrdiff_t right = s->c.shape.dim[last];
    return (last == 1 && has_deserted(s->left, s->rows, 1 / (double)right)) ||
           has_deserted(right, s->columns, 1 / (double)s->left);
}

static void along_path(crs_tucker_fit *s)
{
    const crs_tucker_statistics *at = &s->statistics;
    const double median = crs_envelope_quantile(&s->sums, 0.5),
                 wanted = crs_tucker_fit_threshold(s);
    double t = at->threshold;
    if (at->residual <= settled && t <= wanted) {
        s->goal = crs_tucker_fit_goal(s);
        s->statistics.stage = CRS_TUCKER_WANTED;
        s->penalty = s->goal;
        return;
    }
    if (at->residual <= near && median < t)
        t = larger(median, fall * t);
    else if (at->residual <= settled)
        t *= fall / 2;
    s->penalty = path_penalty(s, larger(wanted, t));
}

static void revive(crs_tucker_fit *s)
{
    s->statistics.stage = CRS_TUCKER_REVIVE;
    s->revived++;
    s->rest = PASSES;
    s->best = s->statistics.value;
    s->penalty = crs_envelope_l1(s->statistics.threshold, half_weight(s));
}

static void choose_penalty(crs_tucker_fit *s)
{
    const crs_tucker_statistics *at = &s->statistics;
    const crs_penalty_value was = s->penalty;
    if (s->priced) {
        s->penalty = path_penalty(s, crs_tucker_along_price(s, crs_tucker_fit_threshold(s)));
    } else if (at->stage == CRS_TUCKER_PATH) {
        along_path(s);
    } else if (at->stage == CRS_TUCKER_REVIVE) {
        if (--s->rest == 0) s->statistics.stage = CRS_TUCKER_WANTED, s->penalty = s->goal;
    } else if (at->residual <= settled && s->revived < TIMES && at->value < 0.999 * s->best &&
               s->goal.rho != &crs_l1 && suspicious(s)) {
        revive(s);
    }
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): any difference counts */
    s->changed = memcmp(&was, &s->penalty, sizeof was) != 0;
}

static bool evaluate(crs_tucker_fit *s)
{
    const double *const factor[] = { s->P, s->factor[last_mode(s)] };
    crs_tucker_statistics *at = &s->statistics;
    s->sums.gradient[0] = s->SX;
    s->sums.gradient[1] = s->SP;
    s->sums.marginal[0] = s->rows;
    s->sums.marginal[1] = s->columns;
    if (!crs_envelope_evaluate(s->pass, s->half.dim[last_mode(s)], factor, &s->penalty, &s->penalty,
                               &s->sums, &s->failure))
        return false;
    at->passes++;
    at->value = s->sums.value;
    at->nonzeros = s->sums.nonzeros;
    at->threshold = crs_envelope_threshold(&s->penalty, half_weight(s));
    at->scale = crs_envelope_scale(&s->sums, parameters(s));
    return true;
}

/* The least quantile of |T| from the median up that is not 0; 0: T is 0. */
static double middling(const crs_tucker_fit *s)
{
    for (double rest = 0.5; rest > 1e-12; rest /= 2) {
        const double q = crs_envelope_quantile(&s->sums, 1 - rest);
        if (!(q <= 0)) return q;
    }
    return crs_envelope_quantile(&s->sums, 1);
}

/* P = 0, and X_d from T clipped at its median magnitude. */
static bool begin(crs_tucker_fit *s)
{
    s->penalty = crs_envelope_l1(1, half_weight(s));
    if (!evaluate(s)) return false;
    const double bound = middling(s);
    s->least = 1e-9 * crs_envelope_quantile(&s->sums, 1);
    s->penalty = path_penalty(s, bound);
    return leading_span(s, bound);
}

/* x (rows x rank) /= share of the mean weight, no less than a tenth, of each row */
static void lengthen(ptrdiff_t rows, ptrdiff_t rank, double share, const double *w, double *x)
{
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double mean = w[i] * share;
        for (ptrdiff_t k = 0; k < rank; k++) x[i * rank + k] /= mean > 0.1 ? mean : 0.1;
    }
}

/* (M + s) X_d = P + S X_d. Of a tensor all rows share one weight: with weights of their own the
 * step would rest elsewhere than at a stationary point. */
static bool move_front(crs_tucker_fit *s)
{
    const ptrdiff_t rank = s->half.dim[last_mode(s)], right = s->c.shape.dim[last_mode(s)];
    const double mean = s->sums.weights / (double)s->sums.observed;
    if (last_mode(s) > 1) fill(s->left, mean * (double)right, s->rows);
    if (!s->cautious) lengthen(s->left, rank, 1 / (double)right, s->rows, s->SX);
    for (ptrdiff_t j = 0; j < s->left * rank; j++) s->A[j] = s->P[j] + s->SX[j];
    return best_front(s);
}

static bool move_back(crs_tucker_fit *s)
{
    const ptrdiff_t rank = s->half.dim[last_mode(s)], right = s->c.shape.dim[last_mode(s)];
    if (!s->cautious) lengthen(right, rank, 1 / (double)s->left, s->columns, s->SP);
    return best_back(s);
}

/* The core after a step of the front, less its price; how far the low-rank part has moved. */
static bool pay(crs_tucker_fit *s)
{
    const ptrdiff_t size = crease_size(&s->half);
    double off = 0;
    if (!crs_tucker_price(s)) return false;
    copy(size, s->P, s->A);
    expand(s);
    for (ptrdiff_t j = 0; j < size; j++) off += square(s->P[j] - s->A[j]);
    s->statistics.moved = off == 0 ? 0 : sqrt(off) / crs_norm(size, s->P);
    return true;
}

/* Directions that the data do not support go, and the path begins again without them: where they
 * were, others may have been led astray. Once all are supported nothing is paid any more. */
static bool judge(crs_tucker_fit *s)
{
    bool any;
    s->judged = s->back = false;
    s->waited = s->hung = 0;
    if (!crs_tucker_drop(s, &any)) return false;
    s->priced = any;
    if (!any) return expand(s), true;
    s->fresh = true;
    s->statistics.moved = INFINITY;
    fill(crease_size(&s->half), 0, s->P);
    return begin(s);
}

/* Newton's method on X_d, with P eliminated; then X_d = U D V', P X_d' = (P V D) U'. */
static bool descend(crs_tucker_fit *s)
{
    const ptrdiff_t rank = s->half.dim[1], rows = s->c.shape.dim[1];
    double *u = s->svd, *d = u + rows * rank, *vt = d + rank, *work = vt + rank * rank;
    crs_tall_run run = { .rank = rank,
                         .penalty = s->penalty,
                         .steps = NEWTON_STEPS,
                         .fall = 1e-3,
                         .most = NEWTON_PASSES,
                         .watch = s->c.watch,
                         .x = s->P,
                         .y = s->factor[1] };
    crs_tall_descend(s->tall, &run);
    s->statistics.passes += run.passes;
    s->failure = run.failure;
    if (run.failure.code != CREASE_OK) return false;
    if (!crs_svd(rows, rank, s->factor[1], u, d, vt, work)) return false;
    copy(rows * rank, u, s->factor[1]);
    for (ptrdiff_t k = 0; k < rank * rank; k++) vt[k] *= d[k / rank];
    crs_gemm(false, true, s->left, rank, rank, 1, s->P, vt, 0, s->A);
    if (!best_front(s)) return false;
    expand(s);
    return true;
}

/* A tall matrix near the end; every other time, so that the plain steps end what it cannot. */
static bool descends(const crs_tucker_fit *s)
{
    return s->tall && !s->priced && !s->changed && s->back &&
           s->statistics.stage == CRS_TUCKER_WANTED && s->statistics.residual <= settled &&
           s->c.ranks.dim[0] == s->c.ranks.dim[1] && crs_tall_takes(s->tall, &s->penalty);
}

static bool step_on(crs_tucker_fit *s)
{
    if (s->judged) return judge(s);
    if (descends(s)) return s->back = false, descend(s);
    if (!(s->back ? move_back(s) : move_front(s))) return false;
    s->back = !s->back;
    if (s->priced && s->back) return pay(s);
    expand(s);
    return true;
}

static bool look(crs_tucker_fit *s)
{
    const bool probing = s->priced && s->back;
    if (probing) crs_tucker_probe(s, true), expand(s);
    const bool done = evaluate(s);
    if (probing) crs_tucker_probe(s, false);
    return done;
}

bool crs_tucker_fit_step(crs_tucker_fit *s)
{
    crs_tucker_statistics *at = &s->statistics;
    const double before = at->value;
    const bool same = at->passes > 0 && !s->changed;
    if ((at->passes == 0 && !begin(s)) || !look(s)) return at->residual = NAN, false;
    at->residual = s->fresh ? INFINITY : worst_residual(s);
    if (s->sums.squares == 0) at->residual = 0;
    if (same && !s->priced && at->value > before) s->cautious = true;
    if (at->stage == CRS_TUCKER_WANTED && at->residual <= s->c.eps) {
        at->residual = strict_residual(s);
        if (at->residual <= s->c.eps) return true;
        if (s->failure.code != CREASE_OK) return false;
    }
    choose_penalty(s);
    if (!step_on(s)) at->residual = NAN;
    return false;
}

static void visit_numbers(crs_visitor *v, crs_tucker_fit *s)
{
    crs_visit(v, s->c.ranks);
    crs_visit(v, s->half);
    crs_visit(v, s->fresh);
    crs_visit(v, s->back);
    crs_visit(v, s->changed);
    crs_visit(v, s->cautious);
    crs_visit(v, s->priced);
    crs_visit(v, s->judged);
    crs_visit(v, s->waited);
    crs_visit(v, s->hung);
    crs_visit(v, s->last);
    crs_visit(v, s->paid);
    crs_visit(v, s->cuts);
    crs_visit(v, s->revived);
    crs_visit(v, s->rest);
    crs_visit(v, s->least);
    crs_visit(v, s->whole);
    crs_visit(v, s->best);
    crs_visit(v, s->statistics);
}

/* The reasons of the cuts are texts, which lie elsewhere in another process. */
void crs_tucker_fit_visit(crs_visitor *v, void *fit)
{
    crs_tucker_fit *s = fit;
    visit_numbers(v, s);
    crs_envelope_visit_penalty(v, &s->c.penalty, &s->goal);
    crs_envelope_visit_penalty(v, &s->c.penalty, &s->penalty);
    crs_envelope_visit_sums(v, &s->sums);
    crs_visit_bytes(v, "arrays", s->factor[0], (size_t)s->bytes);
    crs_envelope_visit_cuts(v, s->directions, s->cut);
}

static void lead(crs_tucker_fit *s, long passes, bool judges)
{
    for (; judges ? s->priced && s->statistics.passes < passes
                  : s->statistics.passes < passes || s->fresh;
         crs_unit_tick(s->c.watch)) {
        if (crease_watch_over(s->c.watch) && !s->fresh) return;
        const bool ends = crs_tucker_fit_step(s) && !judges;
        crs_tucker_tell(s);
        if (ends || isnan(s->statistics.residual)) return;
    }
}

void crs_tucker_fit_lead(crs_tucker_fit *s, long passes, bool judges)
{
    if (crs_unit_begin(s->c.watch, "tucker", CRS_UNIT_LOOP, crs_tucker_fit_visit, s) ==
        CRS_UNIT_DONE)
        return;
    lead(s, passes, judges);
    const bool well = s->failure.code == CREASE_OK;
    if (!well) crs_unit_cut(s->c.watch);
    (well ? crs_unit_end : crs_unit_drop)(s->c.watch);
}

bool crs_tucker_fit_well(const crs_tucker_fit *s, crease_error *e)
{
    if (s->failure.code != CREASE_OK && e) *e = s->failure;
    return s->failure.code == CREASE_OK;
}
