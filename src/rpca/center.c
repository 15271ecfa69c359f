/* SPDX-License-Identifier: MIT
 * center: constants that are removed from the data before the fit: one, or one for every index of
 * the modes named, c_j = sum over those modes of c_n[i_n]
 *
 * They begin as medians. What these leave of the constants of a mode is one more term of cp, whose
 * columns in the other modes are constant: it is looked for in a fit that has room for it. Of a
 * matrix the means of its low-rank part do. Then in turn: robust PCA of T - c, and c as Huber's
 * location of T - M, each with the other held, until c moves by less than its own error. The model
 * is then fitted to T - c, and the constants are added to its low-rank part. */
#include "rpca/handle.h"
#include "smooth/fit.h"

enum { POLISH = 3, ROUNDS = 4, NEWTONS = 8 };
static const double bend = 1.5;    /* of Huber's function, in deviations */
static const double settled = 0.2; /* of the error of a location */

typedef struct {
    crease_rpca *r;
    crs_center *c;
    crease_space shape;
    ptrdiff_t size;
    double *work;                /* an entry each */
    double *shift, *sum, *count; /* of an index of the longest mode */
} centering;

static ptrdiff_t groups_of(const crs_center *c, int q) /* q < 0: one for all */
{
    return q < 0 ? 1 : c->shape.dim[q];
}

static double *values_of(const crs_center *c, int q)
{
    return q < 0 ? c->value[CREASE_MAX_ORDER] : c->value[q];
}

void crs_center_add(const crs_center *c, double sign, ptrdiff_t first, ptrdiff_t count, double *x)
{
    for (int q = -1; q < c->shape.order; q++) {
        const double *value = values_of(c, q);
        const ptrdiff_t right = q < 0 ? 1 : crs_right(&c->shape, q), groups = groups_of(c, q);
        for (ptrdiff_t k = 0; value && k < count; k++)
            x[k] += sign * value[(first + k) / right % groups];
    }
}

void crs_center_free(crs_center *c)
{
    if (!c) return;
    for (int q = 0; q <= CREASE_MAX_ORDER; q++) crs_free(c->value[q]);
    crs_free(c->data);
    crs_free(c->mask);
    crease_cp_rank_table_free(c->ranks);
    crs_free(c);
}

static bool seen(const crs_center *c, ptrdiff_t j) { return !c->mask || c->mask[j] > 0; }

void crs_center_data(const crs_center *c, ptrdiff_t first, ptrdiff_t count, double *out)
{
    for (ptrdiff_t k = 0; k < count; k++) out[k] = seen(c, first + k) ? c->given[first + k] : 0;
}

/* Every index of mode q moves by the median of what is left there. */
static void medians(centering *s, int q)
{
    const ptrdiff_t right = q < 0 ? 1 : crs_right(&s->shape, q), groups = groups_of(s->c, q);
    double *value = values_of(s->c, q);
    for (ptrdiff_t g = 0; g < groups; g++) {
        ptrdiff_t used = 0;
        for (ptrdiff_t run = g * right; run < s->size; run += groups * right)
            for (ptrdiff_t j = run; j < run + right; j++)
                if (seen(s->c, j)) s->work[used++] = s->c->data[j];
        s->shift[g] = used ? crs_median(used, s->work) : 0;
        value[g] += s->shift[g];
    }
    for (ptrdiff_t j = 0; j < s->size; j++)
        if (seen(s->c, j)) s->c->data[j] -= s->shift[groups > 1 ? j / right % groups : 0];
}

/* Huber's location of T - c - M at every index of mode q, by Newton's method; work holds T - c - M.
 * The largest move in its own error. */
static double locations(centering *s, int q, double sigma)
{
    const ptrdiff_t right = q < 0 ? 1 : crs_right(&s->shape, q), groups = groups_of(s->c, q);
    const double t = bend * sigma;
    double *value = values_of(s->c, q), most = 0;
    fill(groups, 0, s->shift);
    for (int k = 0; k < NEWTONS; k++) {
        fill(groups, 0, s->sum);
        fill(groups, 0, s->count);
        for (ptrdiff_t j = 0; j < s->size; j++) {
            const ptrdiff_t g = groups > 1 ? j / right % groups : 0;
            const double rest = s->work[j] - s->shift[g];
            if (!seen(s->c, j)) continue;
            s->sum[g] += clip(rest, -t, t);
            s->count[g] += fabs(rest) <= t;
        }
        for (ptrdiff_t g = 0; g < groups; g++)
            if (s->count[g] > 0) s->shift[g] += s->sum[g] / s->count[g];
    }
    for (ptrdiff_t g = 0; g < groups; g++) {
        value[g] += s->shift[g];
        if (s->count[g] > 0) most = larger(most, fabs(s->shift[g]) * sqrt(s->count[g]) / sigma);
    }
    for (ptrdiff_t j = 0; j < s->size; j++) {
        const double shift = s->shift[groups > 1 ? j / right % groups : 0];
        s->work[j] -= shift;
        if (seen(s->c, j)) s->c->data[j] -= shift;
    }
    return most;
}

static double deviation(centering *s)
{
    double *sample = s->c->spare;
    ptrdiff_t used = 0;
    for (ptrdiff_t j = 0; j < s->size; j++)
        if (seen(s->c, j)) sample[used++] = fabs(s->work[j]);
    return used ? 1.4826 * crs_median(used, sample) : 0;
}

/* The first fit chooses what is open; the next ones begin where it ended. */
static void adopt(centering *s, crease_rpca *inner, crease_rpca_settings *next)
{
    crease_rpca_settings *m = &s->r->s;
    if (m->kind == CREASE_RPCA_CP && m->rank == 0) {
        m->rank = inner->s.rank;
        m->most = 0;
        m->prune = true;
        s->c->ranks = inner->ranks;
        s->c->reason = inner->facts.rank_reason;
        inner->ranks = NULL;
    }
    if (m->kind != CREASE_RPCA_CP && m->ranks.order == 0) m->ranks = inner->s.ranks;
    next->rank = m->rank;
    next->most = 0;
    next->ranks = m->ranks;
}

/* work = T - c - M of robust PCA with its own defaults; false with a sentence on failure. */
static bool fit(centering *s, crease_rpca_settings *next, crease_error *e)
{
    crease_options o = crease_rpca_options();
    crease_watch w;
    ptrdiff_t left, right;
    o.seed = s->r->o.seed;
    crs_watch_begin(&w, s->r->o.watch);
    o.watch = &w;
    crease_rpca *inner = crease_rpca_new(next, &o, s->c->data, e);
    if (!inner) return false;
    crease_rpca_run(inner);
    crease_rpca_rows(inner, &left, &right);
    crease_rpca_read(inner, CREASE_RPCA_LOWRANK, 0, left, s->work);
    for (ptrdiff_t j = 0; j < s->size; j++) {
        if (!seen(s->c, j)) s->c->data[j] = 0; /* not a number on the way */
        s->work[j] = s->c->data[j] - s->work[j];
    }
    adopt(s, inner, next);
    crease_rpca_free(inner);
    return true;
}

/* How constant term k is in the modes but q, the product of squared cosines; column: what it adds
 * to index i of mode q. */
static double constancy(const centering *s, const crease_rpca *inner, ptrdiff_t k, int q,
                        double *column)
{
    const ptrdiff_t rank = inner->s.rank;
    double product = 1, size = 1;
    for (int n = 0; n < s->shape.order; n++) {
        const double *x = crease_rpca_factor(inner, n);
        double sum = 0, squares = 0;
        for (ptrdiff_t i = 0; i < s->shape.dim[n]; i++) {
            sum += x[i * rank + k];
            squares += square(x[i * rank + k]);
            if (n == q) column[i] = x[i * rank + k];
        }
        if (n == q) continue;
        product *= squares > 0 ? square(sum) / ((double)s->shape.dim[n] * squares) : 0;
        size *= sum / (double)s->shape.dim[n];
    }
    for (ptrdiff_t i = 0; i < s->shape.dim[q]; i++) column[i] *= size;
    return product;
}

/* The term of a fit that is most constant but in mode q becomes part of the constants there. */
static void take_term(centering *s, const crease_rpca *inner, int q)
{
    const ptrdiff_t right = crs_right(&s->shape, q), length = s->shape.dim[q];
    double best = 0.8;
    ptrdiff_t at = -1;
    for (ptrdiff_t k = 0; k < inner->s.rank; k++) {
        const double now = constancy(s, inner, k, q, s->shift);
        if (now > best) best = now, at = k;
    }
    if (at < 0) return;
    constancy(s, inner, at, q, s->shift);
    for (ptrdiff_t i = 0; i < length; i++) values_of(s->c, q)[i] += s->shift[i];
    for (ptrdiff_t j = 0; j < s->size; j++)
        if (seen(s->c, j)) s->c->data[j] -= s->shift[j / right % length];
}

/* Of a matrix: the means of the low-rank part along the other mode. */
static void take_means(centering *s, const crease_rpca *inner, int q)
{
    const ptrdiff_t right = crs_right(&s->shape, q), length = s->shape.dim[q];
    ptrdiff_t left, width;
    crease_rpca_rows(inner, &left, &width);
    crease_rpca_read(inner, CREASE_RPCA_LOWRANK, 0, left, s->work);
    fill(length, 0, s->shift);
    for (ptrdiff_t j = 0; j < s->size; j++)
        s->shift[j / right % length] += s->work[j] * (double)length / (double)s->size;
    for (ptrdiff_t i = 0; i < length; i++) values_of(s->c, q)[i] += s->shift[i];
    for (ptrdiff_t j = 0; j < s->size; j++)
        if (seen(s->c, j)) s->c->data[j] -= s->shift[j / right % length];
}

/* A fit with a term more for the constants of every mode named. */
static bool roomy(centering *s, const crease_rpca_settings *m, crease_error *e)
{
    crease_rpca_settings more_terms = *m;
    crease_options o = crease_rpca_options();
    crease_watch w;
    ptrdiff_t rank = m->rank;
    if (m->kind != CREASE_RPCA_CP && s->shape.order == 2 && m->ranks.order > 0)
        rank = m->ranks.dim[0]; /* a matrix is a matrix */
    more_terms.kind = CREASE_RPCA_CP;
    more_terms.ranks.order = 0;
    more_terms.rank = rank;
    for (int q = 0; q < s->shape.order; q++) more_terms.rank += s->c->value[q] != NULL;
    if (rank == 0 || more_terms.rank == rank) return true;
    o.seed = s->r->o.seed;
    crs_watch_begin(&w, s->r->o.watch);
    o.watch = &w;
    crease_rpca *inner = crease_rpca_new(&more_terms, &o, s->c->data, e);
    if (!inner) return false;
    crease_rpca_run(inner);
    for (int q = 0; q < s->shape.order; q++)
        if (s->c->value[q]) (s->shape.order == 2 ? take_means : take_term)(s, inner, q);
    crease_rpca_free(inner);
    for (ptrdiff_t j = 0; j < s->size; j++)
        if (!seen(s->c, j)) s->c->data[j] = 0;
    return true;
}

static bool alternate(centering *s, crease_error *e)
{
    const crease_rpca_settings *m = &s->r->s;
    crease_rpca_settings next = crease_rpca_default(&s->shape);
    next.kind = m->kind;
    next.rank = m->rank, next.ranks = m->ranks, next.most = m->most;
    next.ridge = m->ridge, next.nonneg = m->nonneg;
    next.mask = s->c->mask;
    next.threads = m->threads;
    double moved = INFINITY;
    if (!roomy(s, &next, e)) return false;
    for (int k = 0; k < ROUNDS && moved > settled && !crease_watch_over(s->r->o.watch); k++) {
        if (!fit(s, &next, e)) return false;
        const double sigma = deviation(s);
        moved = 0;
        for (int q = -1; sigma > 0 && q < s->shape.order; q++)
            if (values_of(s->c, q)) moved = larger(moved, locations(s, q, sigma));
    }
    return true;
}

/* Room, and T and W as they came */
static bool open(centering *s, const double *tensor, crease_error *e)
{
    const crease_rpca_settings *m = &s->r->s;
    crs_center *c = s->c;
    ptrdiff_t longest = 1;
    for (int n = 0; n < s->shape.order; n++) longest = more(longest, s->shape.dim[n]);
    c->data = crs_doubles(s->size, "the data without their centre", e);
    s->work = c->data ? crs_doubles(2 * s->size + 3 * longest, "the centre", e) : NULL;
    if (!s->work) return false;
    c->spare = s->work + s->size;
    s->shift = c->spare + s->size, s->sum = s->shift + longest, s->count = s->sum + longest;
    for (int q = -1; q < s->shape.order; q++) {
        const bool wanted = q < 0 ? m->center & CREASE_CENTER_ALL : m->center >> q & 1;
        double **value = &c->value[q < 0 ? CREASE_MAX_ORDER : q];
        if (wanted) *value = crs_doubles(groups_of(c, q), "the centre", e);
        if (wanted && !*value) return false;
    }
    if (m->missing || m->mask) {
        c->mask = crs_doubles(s->size, "the mask", e);
        if (!c->mask) return false;
    }
    for (ptrdiff_t j = 0; j < s->size; j++) {
        const bool here = !(m->mask && m->mask[j] == 0) && !(m->missing && isnan(tensor[j]));
        if (c->mask) c->mask[j] = here;
        c->data[j] = here ? tensor[j] : 0;
    }
    return true;
}

static bool refuse(const crease_rpca_settings *s, crease_error *e)
{
    const unsigned modes = s->center & ~CREASE_CENTER_ALL;
    if (s->kind == CREASE_RPCA_PCP)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "center is of models with factors; pcp has none: leave it out, or subtract "
                        "the constants before");
    if (modes >> s->shape.order != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "center names a mode that data of %d dimensions do not have; modes are "
                        "counted from 0",
                        s->shape.order);
    return !(modes && s->center & CREASE_CENTER_ALL) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "center asks for one constant and for those of modes, which hold it already; "
                    "give one of them");
}

bool crs_rpca_center(crease_rpca *r, const double *tensor, crease_error *e)
{
    crease_rpca_settings *m = &r->s;
    centering s = { .r = r, .shape = m->shape };
    const crease_cp_rpca_settings data = { .shape = m->shape,
                                           .mask = m->mask,
                                           .missing = m->missing };
    ptrdiff_t missing;
    if (!crs_check_shape("robust PCA", &m->shape, e) || !refuse(m, e) ||
        !crs_cp_check_data(&data, tensor, &missing, e))
        return false;
    const crease_phase was = crease_watch_enter(r->o.watch, CREASE_PHASE_CENTER);
    s.c = r->center = crs_alloc(1, sizeof *r->center);
    if (!s.c) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the centre");
    s.c->shape = m->shape;
    s.c->given = tensor;
    s.size = crease_size(&m->shape);
    bool done = open(&s, tensor, e);
    for (int k = 0; done && k < (m->center & (m->center - 1) ? POLISH : 1); k++)
        for (int q = -1; q < s.shape.order; q++)
            if (values_of(s.c, q)) medians(&s, q);
    done = done && alternate(&s, e);
    crs_free(s.work);
    crease_watch_enter(r->o.watch, was);
    if (!done) return false;
    m->missing = false;
    m->mask = s.c->mask;
    copy(s.size, tensor, s.c->data); /* the constants were added up: once more without rounding */
    crs_center_add(s.c, -1, 0, s.size, s.c->data);
    for (ptrdiff_t j = 0; j < s.size; j++)
        if (!seen(s.c, j)) s.c->data[j] = 0;
    return true;
}

const double *crease_rpca_center(const crease_rpca *r, int n)
{
    return r->center ? values_of(r->center, n) : NULL;
}
