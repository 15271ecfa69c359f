/* SPDX-License-Identifier: MIT
 * prune: which rank the ridge stage leaves: prune, merge and refill, each verified
 *
 * Everything is judged against the noise, never against the largest component: noise of deviation
 * sigma holds rank-one tensors of norm up to sigma edge, edge = sum_n sqrt(I_n), and no more.
 *
 * What a component is worth is how much sum s^2 = sum min(|r|, t)^2 falls by it: one that does not
 * save t^2 for each of its parameters could as well be named as that many outliers. So pruning
 * and merging are kept unless the sum grows by more; columns that became free are tried again at
 * random while the fit is poor, and kept if it falls by more. */
#include <crease/random.h>

#include "rpca/envelope/state.h"

/* Entries that were not observed hold no noise: of a component as large as the noise the observed
 * part is sigma edge. */
static double noise_size(const crs_envelope_solver *s)
{
    const double all = (double)crease_size(&s->model.shape);
    return crs_envelope_solver_deviation(s) * crs_noise_edge(&s->model.shape) /
           sqrt((double)s->at.sums->observed / all);
}

static double each_of(const crs_envelope_solver *s) /* parameters of a component */
{
    return (double)(rows_of(&s->model.shape) - s->model.shape.order + 1);
}

static void record(crs_envelope_solver *s, const char *reason, double size, double noise)
{
    s->cut[s->cuts++ % s->c.rank] = (crease_cp_cut){ reason, size, noise, 0 };
}

/* Two components whose sum is a single one but for less than the price of a component: the best
 * rank-one tensor near C_r + C_s by alternating least squares, from the larger of the two; what is
 * left of |C_r + C_s|^2 needs inner products of columns alone. */
enum { SWEEPS = 20 };

static double inner(ptrdiff_t rows, ptrdiff_t stride, const double *a, const double *b)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < rows; i++) sum += a[i * stride] * b[i * stride];
    return sum;
}

/* In the plane of the two columns of every mode: g[n] = their 2 x 2 Gram matrix, and
 * u_n = p[n][0] x_r + p[n][1] x_s. Returns |C_r + C_s - the best|^2. */
typedef struct {
    int order;
    double g[CREASE_MAX_ORDER][3];
    double p[CREASE_MAX_ORDER][2];
    double left;
    bool zero; /* one of them is 0 already */
} pair;

static double with(const double *g, const double *p, int q)
{
    return q == 0 ? p[0] * g[0] + p[1] * g[1] : p[0] * g[1] + p[1] * g[2];
}

static double normalize(const double *g, double *p)
{
    const double norm = sqrt(p[0] * with(g, p, 0) + p[1] * with(g, p, 1));
    p[0] /= norm;
    p[1] /= norm;
    return norm;
}

static void fit(pair *a)
{
    double rr = 1, rs = 1, ss = 1, size = 0;
    for (int n = 0; n < a->order; n++) rr *= a->g[n][0], rs *= a->g[n][1], ss *= a->g[n][2];
    a->zero = !(rr > 0 && ss > 0);
    if (a->zero) return;
    for (int n = 0; n < a->order; n++) {
        a->p[n][0] = rr >= ss;
        a->p[n][1] = rr < ss;
        normalize(a->g[n], a->p[n]);
    }
    for (int k = 0; k < SWEEPS * a->order; k++) {
        const int n = k % a->order;
        a->p[n][0] = a->p[n][1] = 1;
        for (int m = 0; m < a->order; m++)
            for (int q = 0; m != n && q < 2; q++) a->p[n][q] *= with(a->g[m], a->p[m], q);
        size = normalize(a->g[n], a->p[n]);
        if (k == SWEEPS * a->order - 1)
            for (int q = 0; q < 2; q++) a->p[n][q] *= size;
    }
    a->left = rr + 2 * rs + ss - size * size;
}

static void describe(const crs_envelope_model *m, const double *x, ptrdiff_t r, ptrdiff_t s,
                     pair *a)
{
    a->order = m->shape.order;
    for (int n = 0; n < a->order; n++) {
        const double *b = x + first_unknown(m, n);
        a->g[n][0] = inner(m->shape.dim[n], m->rank, b + r, b + r);
        a->g[n][1] = inner(m->shape.dim[n], m->rank, b + r, b + s);
        a->g[n][2] = inner(m->shape.dim[n], m->rank, b + s, b + s);
    }
}

/* C_r becomes the best rank-one tensor near C_r + C_s, and C_s becomes 0. */
static void replace(crs_envelope_solver *v, ptrdiff_t r, ptrdiff_t s, const pair *a)
{
    const crs_envelope_model *m = &v->model;
    for (int n = 0; n < a->order; n++) {
        double *x = v->at.x + first_unknown(m, n);
        for (ptrdiff_t i = 0; i < m->shape.dim[n]; i++, x += m->rank) {
            x[r] = a->p[n][0] * x[r] + a->p[n][1] * x[s];
            x[s] = 0;
        }
    }
}

static ptrdiff_t merge_alike(crs_envelope_solver *v)
{
    const crs_envelope_model *m = &v->model;
    const double price = v->out.threshold * sqrt(each_of(v));
    ptrdiff_t merged = 0;
    for (ptrdiff_t r = 0; r < m->rank; r++)
        for (ptrdiff_t s = r + 1; s < m->rank; s++) {
            pair a;
            describe(m, v->at.x, r, s, &a);
            fit(&a);
            if (a.zero || !(a.left <= square(price))) continue;
            record(v, "another term says nearly the same", sqrt(pos(a.left)), price);
            replace(v, r, s, &a);
            merged++;
        }
    return merged;
}

/* Components that are almost zero, or that sit on a few entries. A component has sum I_n - d + 1
 * parameters. One that reaches fewer entries than half of them, counted by prod
 * |a_n|_2^4/|a_n|_4^4, costs more than naming its entries as outliers. */

static double weight(const crs_envelope_solver *s, ptrdiff_t r, double *reach)
{
    const crs_envelope_model *m = &s->model;
    double product = *reach = 1, part;
    for (int n = 0; n < m->shape.order; n++) {
        product *=
            crs_column_reach(m->shape.dim[n], m->rank, s->at.x + first_unknown(m, n) + r, &part);
        *reach *= part;
    }
    return product;
}

/* Columns whose mark is 0 leave every factor. */
static void drop(crs_envelope_solver *s, ptrdiff_t left, const double *mark)
{
    const ptrdiff_t rows = rows_of(&s->model.shape), rank = s->model.rank;
    double *to = s->at.x;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t r = 0; r < rank; r++)
            if (mark[r] != 0) *to++ = s->at.x[i * rank + r];
    s->model.rank = s->out.rank = left;
}

static ptrdiff_t largest(ptrdiff_t n, const double *x)
{
    ptrdiff_t best = 0;
    for (ptrdiff_t r = 1; r < n; r++)
        if (x[r] > x[best]) best = r;
    return best;
}

/* Drops what is no larger than `small` or sits on fewer entries than `few`; the largest stays. */
static bool thin(crs_envelope_solver *s, double small, double few)
{
    const crs_envelope_model *m = &s->model;
    double *size = s->cg, *mark = size + m->rank, reach;
    ptrdiff_t left = 0;
    for (ptrdiff_t r = 0; r < m->rank; r++) {
        size[r] = weight(s, r, &reach);
        mark[r] = size[r] <= small ? 0 : reach < few ? -1 : 1;
        left += mark[r] > 0;
    }
    const ptrdiff_t top = largest(m->rank, size);
    if (left == 0 && size[top] > 0) left = 1, mark[top] = 1;
    if (left == m->rank || left == 0) return false;
    for (ptrdiff_t r = 0; few > 0 && r < m->rank; r++) {
        const char *why = mark[r] < 0    ? "it sits on fewer entries than it has parameters"
                          : size[r] == 0 ? "the start found nothing further above the noise"
                                         : "it is no larger than the noise";
        if (mark[r] <= 0) record(s, why, size[r], small);
    }
    for (ptrdiff_t r = 0; r < m->rank; r++) mark[r] = mark[r] > 0;
    drop(s, left, mark);
    return true;
}

static bool prune_thin(crs_envelope_solver *s) { return thin(s, noise_size(s), each_of(s) / 2); }

static bool drop_zeros(crs_envelope_solver *s) { return thin(s, 0, 0); } /* merged: on record */

enum { MOST_REFILLS = 3 };

/* What noise may add, and what is not converged yet. */
static double worth(const crs_envelope_solver *s)
{
    const double change = fabs((double)(s->backup_rank - s->model.rank));
    const double noise = square(crs_envelope_solver_deviation(s) * crs_noise_edge(&s->c.shape));
    return square(s->out.threshold) * each_of(s) * change + noise +
           square((double)s->c.shape.order * s->out.angle) * s->backup_squares;
}

static void backup(crs_envelope_solver *s, crs_envelope_attempt attempt)
{
    s->backup_rank = s->model.rank;
    s->backup_squares = s->at.sums->squares;
    copy(unknowns(&s->model), s->at.x, s->backup);
    for (ptrdiff_t k = 0; k < s->c.rank; k++) s->backup_cut[k] = s->cut[k];
    s->backup_cuts = s->cuts;
    s->attempt = attempt;
}

static bool restore(crs_envelope_solver *s)
{
    s->model.rank = s->out.rank = s->backup_rank;
    copy(unknowns(&s->model), s->backup, s->at.x);
    for (ptrdiff_t k = 0; k < s->c.rank; k++) s->cut[k] = s->backup_cut[k];
    s->cuts = s->backup_cuts;
    s->attempt = CRS_ATTEMPT_OVER;
    return true;
}

/* Was the attempt a failure? */
static bool failed(const crs_envelope_solver *s)
{
    const double now = s->at.sums->squares;
    if (s->attempt == CRS_ATTEMPT_LESS) return !(now <= s->backup_squares + worth(s));
    if (s->attempt == CRS_ATTEMPT_REFILL) return !(now < s->backup_squares - worth(s));
    return false;
}

/* A poor fit: many entries are off a little, or some are off much. */
static double clipped_mean(const crs_envelope_solver *s)
{
    return sqrt(s->at.sums->squares / (double)s->at.sums->observed);
}

static bool poor(const crs_envelope_solver *s)
{
    return s->out.median > 0.02 * s->typical || clipped_mean(s) > 0.05 * s->typical;
}

/* Random columns where some became free, their sum about as large as the residual */
static void refill(crs_envelope_solver *s)
{
    const ptrdiff_t rows = rows_of(&s->model.shape), old = s->model.rank;
    const ptrdiff_t rank = s->first_rank, d = s->model.shape.order;
    const double size = pow(clipped_mean(s) / sqrt((double)(rank - old)), 1 / (double)d);
    const crease_random random = { s->c.seed, (uint64_t)(CRS_STREAM_REFILL + s->refills++) };
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t r = 0; r < rank; r++)
            s->at.x[i * rank + r] =
                r < old ? s->backup[i * old + r]
                        : size * crease_random_normal(random, (uint64_t)(i * rank + r));
    for (ptrdiff_t j = 0; s->c.nonneg && j < rows * rank; j++) s->at.x[j] = fabs(s->at.x[j]);
    s->model.rank = s->out.rank = rank;
    s->cuts = 0;
}

bool crs_envelope_rank(crs_envelope_solver *s)
{
    if (s->attempt == CRS_ATTEMPT_REFILL && prune_thin(s)) return true;
    if (failed(s)) return restore(s);
    if (s->attempt != CRS_ATTEMPT_OVER) {
        backup(s, CRS_ATTEMPT_LESS);
        if (prune_thin(s)) return true;
        if (merge_alike(s) > 0 && drop_zeros(s)) return true;
    }
    s->attempt = CRS_ATTEMPT_OVER;
    if (s->model.rank == s->first_rank || s->refills == MOST_REFILLS || !poor(s)) return false;
    backup(s, CRS_ATTEMPT_REFILL);
    refill(s);
    crs_envelope_unlearn(s);
    return true;
}
