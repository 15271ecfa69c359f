/* SPDX-License-Identifier: MIT
 * half: are the terms of a model found again in halves of the data?
 *
 * A mode is cut into eight runs, every other one for each half: neighbours stay together, and both
 * halves see the whole range. Noise of deviation sigma turns a column x of mode n, of I entries, by
 * an angle of about sin^2 = sigma^2 I [(M'M)^-1]_rr/|x|^2, M the Khatri-Rao product of the others:
 * a term that is less alike than 25 times that explains, and than columns are that count as the
 * same (cosines of 0.95: Lorenzo-Seva, ten Berge, Tucker's congruence coefficient, 2006), does not
 * reproduce; where noise explains it nothing is known. */
#include <crease/random.h>

#include "rpca/rank/rank.h"

enum { RUNS = 8, LEAST = 8, MODES = 2, STREAM = 1200 };
static const double alike = 0.95, margin = 25; /* of a cosine; times the angles of noise */

typedef struct {
    int mode, half;
    crease_space shape; /* of the half */
    double *tensor, *mask;
    crs_terms x;
    double *turned; /* of each term: what noise may take from its congruence */
} part;

static bool mine(const crease_space *s, const part *p, ptrdiff_t i)
{
    const ptrdiff_t length = s->dim[p->mode], runs = length >= 2 * RUNS ? RUNS : length;
    return i * runs / length % 2 == p->half;
}

static ptrdiff_t length_of(const crease_space *s, const part *p)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < s->dim[p->mode]; i++) count += mine(s, p, i);
    return count;
}

/* Do halves of this mode determine so many terms? Kruskal 1977, for general position */
static bool splits(const crease_space *s, int mode, ptrdiff_t rank)
{
    const ptrdiff_t half = s->dim[mode] / 2;
    ptrdiff_t sum = fewer(half, rank);
    for (int n = 0; n < s->order; n++) sum += n == mode ? 0 : fewer(s->dim[n], rank);
    return s->order > 2 && half >= LEAST && (rank == 1 || sum >= 2 * rank + s->order - 1);
}

static void free_part(part *p)
{
    crs_free(p->tensor);
    crs_free(p->mask);
    crs_free(p->turned);
    crs_terms_free(&p->x);
}

/* The entries of the half, and which of them were observed */
static bool take_part(const crease_cp_fit_request *r, part *p, crease_error *e)
{
    const ptrdiff_t left = crs_left(&r->shape, p->mode), right = crs_right(&r->shape, p->mode);
    p->shape = r->shape;
    p->shape.dim[p->mode] = length_of(&r->shape, p);
    p->tensor = crs_doubles(crease_size(&p->shape), "half of the tensor", e);
    if (!p->tensor) return false;
    if (r->mask) p->mask = crs_doubles(crease_size(&p->shape), "half of the mask", e);
    if (r->mask && !p->mask) return false;
    for (ptrdiff_t a = 0, to = 0; a < left; a++)
        for (ptrdiff_t i = 0; i < r->shape.dim[p->mode]; i++) {
            const ptrdiff_t from = (a * r->shape.dim[p->mode] + i) * right;
            if (!mine(&r->shape, p, i)) continue;
            copy(right, r->tensor + from, p->tensor + to);
            if (r->mask) copy(right, r->mask + from, p->mask + to);
            to += right;
        }
    return true;
}

/* The rows of the model that belong to the half, shaken */
static void begin_part(const crs_rank_halves *h, const crs_terms *x, const part *p,
                       crs_terms *start)
{
    for (int n = 0; n < p->shape.order; n++) {
        const crease_random random = { h->r->seed, (uint64_t)(STREAM + 16 * p->half + n) };
        double *to = start->factor[n];
        for (ptrdiff_t i = 0; i < h->r->shape.dim[n]; i++) {
            if (n == p->mode && !mine(&h->r->shape, p, i)) continue;
            for (ptrdiff_t q = i * x->rank; q < (i + 1) * x->rank; q++)
                *to++ =
                    x->factor[n][q] * (1 + h->shake * crease_random_normal(random, (uint64_t)q));
        }
    }
}

/* Adds sin^2 of the angles by which noise turns the columns of mode n */
static bool add_angles(const part *p, int n, double sigma, crease_error *e)
{
    const ptrdiff_t R = p->x.rank;
    crs_kruskal k = { .shape = p->shape, .rank = R };
    double *g = crs_doubles(3 * R * R + R + crs_eigh_scratch(R), "a Gram matrix", e);
    if (!g) return false;
    double *q = g + R * R, *w = q + R * R, *work = w + R;
    for (int m = 0; m < p->shape.order; m++) k.factor[m] = p->x.factor[m];
    crs_gram_except(&k, n, g, work);
    const bool done = crs_eigh(R, g, w, q, work);
    for (ptrdiff_t r = 0; done && r < R; r++) {
        double inverse = 0;
        for (ptrdiff_t j = 0; j < R; j++) inverse += square(q[j * R + r]) / larger(w[j], 0);
        p->turned[r] += square(sigma) * (double)p->shape.dim[n] * inverse /
                        square(column_norm(p->shape.dim[n], R, p->x.factor[n] + r));
    }
    crs_free(g);
    return done ||
           crs_fail(e, CREASE_NUMERICAL_FAILURE,
                    "the eigenvalues of a Gram matrix did not converge; rescale the tensor");
}

static bool fit_part(const crs_rank_halves *h, const crs_terms *x, part *p, crease_error *e)
{
    crs_terms start = { .rank = 0 };
    double objective;
    bool done = take_part(h->r, p, e) && crs_terms_new(&p->shape, x->rank, &p->x, e) &&
                crs_terms_new(&p->shape, x->rank, &start, e);
    if (done) begin_part(h, x, p, &start);
    const crease_cp_fit_request r = { .shape = p->shape,
                                      .tensor = p->tensor,
                                      .mask = p->mask,
                                      .rank = x->rank,
                                      .seed = h->r->seed,
                                      .start = (const double *const *)start.factor,
                                      .readings = h->r->readings };
    done = done && h->fit(h->self, &r, p->x.factor, &objective, e);
    p->turned = done ? crs_doubles(x->rank, "angles", e) : NULL;
    if (p->turned) fill(x->rank, 0, p->turned);
    done = p->turned;
    for (int n = 0; done && n < p->shape.order; n++)
        done = n == p->mode || add_angles(p, n, h->sigma, e);
    crs_terms_free(&start);
    return done;
}

static double cosine(ptrdiff_t rows, ptrdiff_t rank, const double *x, const double *y)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < rows; i++) sum += x[i * rank] * y[i * rank];
    const double norms = column_norm(rows, rank, x) * column_norm(rows, rank, y);
    return norms > 0 ? fabs(sum) / norms : 0;
}

static void compare(const part *a, const part *b, crs_rank_likeness *out, bool *differs)
{
    const ptrdiff_t R = a->x.rank;
    for (ptrdiff_t r = 0; r < R; r++) {
        double congruence = 1;
        for (int n = 0; n < a->shape.order; n++)
            if (n != a->mode)
                congruence *= cosine(a->shape.dim[n], R, a->x.factor[n] + r, b->x.factor[n] + r);
        const double noise = margin * (a->turned[r] + b->turned[r]) / 2;
        const bool same = congruence >= pow(alike, a->shape.order - 1);
        out->reproduces = out->reproduces && same;
        *differs = *differs || (!same && congruence < 1 - noise);
        out->congruence = smaller(out->congruence, congruence);
    }
}

static bool cut(const crs_rank_halves *h, int mode, const crs_terms *x, crs_rank_likeness *out,
                bool *differs, crease_error *e)
{
    part a = { .mode = mode, .half = 0 }, b = { .mode = mode, .half = 1 };
    bool done = fit_part(h, x, &a, e);
    crs_free(a.tensor);
    a.tensor = NULL;
    done = done && fit_part(h, x, &b, e);
    if (done) compare(&a, &b, out, differs);
    free_part(&a);
    free_part(&b);
    return done;
}

bool crs_rank_compare_halves(const crs_rank_halves *h, const crs_terms *x, crs_rank_likeness *out,
                             crease_error *e)
{
    const crease_space *s = &h->r->shape;
    bool used[CREASE_MAX_ORDER] = { false };
    bool differs = false;
    int count = 0;
    *out = (crs_rank_likeness){ .reproduces = true, .congruence = 1 };
    for (; count < MODES; count++) {
        int longest = -1;
        for (int n = 0; n < s->order; n++)
            if (!used[n] && splits(s, n, x->rank) && (longest < 0 || s->dim[n] > s->dim[longest]))
                longest = n;
        if (longest < 0) break;
        used[longest] = true;
        if (!cut(h, longest, x, out, &differs, e)) return false;
    }
    out->known = differs || out->reproduces;
    if (count == 0) *out = (crs_rank_likeness){ .known = false, .congruence = NAN };
    return true;
}
