/* SPDX-License-Identifier: MIT
 * cp_apply: every slice of new data regressed robustly on the terms of fitted factors */
#include <crease/rpca_apply.h>

#include "rpca/cp_apply.h"

/* Where prox stays 0: |r| <= dead, to rounding; INFINITY: everywhere. */
static double dead_zone(const crs_penalty_value *penalty, double t)
{
    double low = 0, high = 1;
    while (high < INFINITY && crs_scalar_prox(penalty, t, high) == 0) low = high, high *= 2;
    while (high == INFINITY ? false : high - low > 1e-15 * high && high > 1e-300) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        *(crs_scalar_prox(penalty, t, middle) == 0 ? &low : &high) = middle;
    }
    return high == INFINITY ? INFINITY : low;
}

static crs_slice slice_of(const crease_cp_apply_settings *s, const crease_reg *penalty,
                          const double *m)
{
    const double c = crs_noise_share(s->alpha_noise);
    crs_slice p = { .entries = crease_size(&s->shape) / s->shape.dim[s->mode],
                    .rank = s->rank,
                    .m = m,
                    .penalty = crs_penalty_of(penalty->penalty, penalty->par, s->alpha),
                    .c = c,
                    .nu = s->ridge,
                    .soft = penalty->penalty == &crs_l1,
                    .nonneg = s->nonneg };
    p.dead = p.soft ? s->alpha * penalty->par[0] / (2 * c) : dead_zone(&p.penalty, 1 / (2 * c));
    return p;
}

/* M: the Khatri-Rao product of all factors but one */
static double *products(const crease_cp_apply_settings *s, crease_error *e)
{
    crs_kruskal k = { .shape = { .order = s->shape.order - 1 }, .rank = s->rank };
    for (int n = 0, to = 0; n < s->shape.order; n++) {
        if (n == s->mode) continue;
        k.shape.dim[to] = s->shape.dim[n];
        k.factor[to++] = s->factor[n];
    }
    const ptrdiff_t rows = crease_size(&k.shape);
    ptrdiff_t size;
    if (!crs_mul_size(rows, s->rank, &size))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the terms are more than can be counted"), NULL;
    double *m = crs_doubles(size, "the terms", e);
    if (m) crs_khatri_rao(&k, (crs_modes){ 0, k.shape.order, -1 }, 0, rows, m);
    return m;
}

typedef struct {
    const crease_cp_apply_settings *s;
    const double *tensor;
    const crease_cp_apply_result *out;
    crs_slice p;
    double *t, *low, *work; /* a slice, M a, for medians */
} job;

static ptrdiff_t place(const job *b, ptrdiff_t i, ptrdiff_t j)
{
    const ptrdiff_t right = crs_right(&b->s->shape, b->s->mode);
    return (j / right * b->s->shape.dim[b->s->mode] + i) * right + j % right;
}

/* NaN where nothing was observed */
static void gather(const job *b, ptrdiff_t i)
{
    for (ptrdiff_t j = 0; j < b->p.entries; j++) {
        const ptrdiff_t at = place(b, i, j);
        b->t[j] = b->s->mask && b->s->mask[at] == 0 ? NAN : b->tensor[at];
    }
}

static void scatter(const job *b, ptrdiff_t i)
{
    for (ptrdiff_t j = 0; j < b->p.entries; j++) {
        const ptrdiff_t at = place(b, i, j);
        if (b->out->lowrank) b->out->lowrank[at] = b->low[j];
        if (b->out->sparse) b->out->sparse[at] = b->p.e[j];
    }
}

static void one_slice(job *b, ptrdiff_t i)
{
    double *a = b->out->coefficients + i * b->p.rank;
    fill(b->p.rank, 0, a);
    gather(b, i);
    const int iterations = crs_slice_solve(&b->p, b->t, a);
    crs_gemv(false, b->p.entries, b->p.rank, 1, b->p.m, a, 0, b->low);
    scatter(b, i);
    if (!b->out->score) return;
    b->out->score[i] = crs_slice_score(&b->p, b->t, a, b->work);
    b->out->score[i].iterations = iterations;
}

bool crease_cp_apply(const crease_cp_apply_settings *s, const double *tensor,
                     const crease_cp_apply_result *out, crease_error *e)
{
    const crease_reg penalty = s->penalty.ops ? s->penalty : crease_l1(1);
    if (!crs_apply_check(s, tensor, &penalty, e)) return false;
    double *m = products(s, e);
    if (!m) return false;
    job b = { .s = s, .tensor = tensor, .out = out, .p = slice_of(s, &penalty, m) };
    const ptrdiff_t n = b.p.entries;
    bool done = crs_slice_open(&b.p, e);
    b.t = done ? crs_doubles(3 * n, "a slice", e) : NULL;
    done = b.t;
    if (done) {
        b.low = b.t + n, b.work = b.low + n;
        for (ptrdiff_t i = 0; i < s->shape.dim[s->mode]; i++) one_slice(&b, i);
        done = crs_apply_distances(s, out, e);
    }
    crs_free(b.t);
    crs_slice_close(&b.p);
    crs_free(m);
    return done;
}
