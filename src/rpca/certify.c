/* SPDX-License-Identifier: MIT
 * certify: E of a point that factors give, and the residuals of CP robust PCA there, in one pass
 *
 *   X_n  |-2c S_(n) M_n + nu X_n| of size 2|Z_(n) M_n| + |2 X_n G_n + nu X_n|, where
 *        Z_(n) M_n = X_n G_n + c S_(n) M_n;   X_n >= 0: its distance to the normal cone
 *   E    dist(Lambda, alpha dR(E)) of size |Lambda|
 *   Z, B and the constraint hold but for rounding
 *
 * The scales of certificate.h, where T alone is each of Z, E and B in turn, and all three at the
 * reference a third of it: F_0 = min{|T|^2, alpha R(T), alpha_N |T|^2}, and the terms at the
 * reference are 2|T|/3 in Z, 2 alpha_N |T|/3 in B, and in each of the three that of the multipliers
 * of Z and B. */
#include <limits.h>

#include "core/parallel.h"
#include "rpca/observed/entries.h"
#include "rpca/rpca.h"

static const double UNIT = 0x1p-53, VANISHING = 0x1p-500; /* squares of less may be lost */

/* Sums of squares of entries, and alpha R(E). */
enum { REST, DIST, PENALTY, LOWRANK, SPLIT, SPARSE, LAST, DATA, SUMS };

enum { MOST_BANDS = 16 };

static ptrdiff_t longest(const crease_space *s, int from)
{
    ptrdiff_t most = 0;
    for (int n = from; n < s->order; n++) most = more(most, s->dim[n]);
    return most;
}

typedef struct {
    double *at; /* NULL while only counting */
    ptrdiff_t used;
} carver;

/* PTRDIFF_MAX: too many to count */
static double *take(carver *c, ptrdiff_t a, ptrdiff_t b)
{
    double *here = c->at ? c->at + c->used : NULL;
    ptrdiff_t n;
    if (!crs_mul_size(a, b, &n) || !crs_add_size(c->used, n, &c->used)) c->used = PTRDIFF_MAX;
    return here;
}

/* Is the point about several slabs, each looked at alone? */
static bool apart(const crs_cp_point *p)
{
    return p->source && p->source->cut.count > 1 && !crs_is_listed(p->source) && !p->sparse &&
           !p->whole.ops && crease_size(&p->k.shape) == crease_size(&p->source->cut.shape);
}

/* Of observed entries alone, nothing but the factors' size */
static void walk_listed(const crs_cp_point *p, carver *c, crs_cp_room *w)
{
    const crease_space *s = &p->k.shape;
    w->alone = NAN;
    w->threads = 1;
    w->sums = take(c, 1, SUMS);
    w->small = take(c, 2 * longest(s, 0) + 2 * p->k.rank + 1, p->k.rank);
    for (int n = 0; n < s->order; n++) w->listed[n] = take(c, s->dim[n], p->k.rank);
}

/* Bands add up their own sums: few, so that the sums stay small beside the tensor. */
static void walk(const crs_cp_point *p, int threads, carver *c, crs_cp_room *w)
{
    const crs_slabs *g = &p->grid;
    const ptrdiff_t rank = p->k.rank, n = crease_size(&p->k.shape);
    const bool whole = p->whole.ops;
    const ptrdiff_t left = apart(p) ? 0 : g->left; /* slabs have rooms of their own */
    w->alone = NAN;
    w->panels = (g->left + g->rows - 1) / g->rows;
    w->bands = more(1, fewer(fewer(w->panels, MOST_BANDS), left / 32 / rank));
    w->threads = p->sparse ? 1 : (int)fewer(threads, apart(p) ? w->panels : w->bands);
    w->worker = g->rows * (2 * g->right + rank);
    w->columns = take(c, g->right, rank);
    w->rows = take(c, left, rank);
    w->sums = take(c, w->bands, SUMS);
    w->collected = take(c, w->bands * g->right, rank);
    w->small = take(c, 2 * longest(&p->k.shape, apart(p) && p->own_rows) + 2 * rank + 1, rank);
    w->workers = take(c, w->threads, w->worker);
    w->e = take(c, whole ? n : 0, 1);
    w->lambda = take(c, whole ? n : 0, 1);
    w->reg = take(c, whole ? crease_reg_scratch(&p->whole, &p->k.shape) : 0, 1);
}

crs_slabs crs_cp_rows(const crease_space *shape, ptrdiff_t rank)
{
    enum { PRODUCT = 200000 }; /* a panel's product: not enough for BLAS to start threads */
    const crs_partition cut = crs_partition_of(shape);
    crs_slabs g = crs_slabs_of(shape);
    if (cut.count > 1 && g.split <= cut.mode) {
        const ptrdiff_t entries = g.rows * g.right;
        g.split = cut.mode + 1;
        g.left = crs_left(shape, g.split);
        g.right = crease_size(shape) / g.left;
        g.rows = more(1, fewer(g.left, entries / g.right));
    }
    g.rows = more(1, fewer(g.rows, PRODUCT / g.right / rank));
    return g;
}

crs_cp_point crs_cp_point_in(const crs_cp_point *p, const crs_slab *slab)
{
    crs_cp_point own = *p;
    const crs_slab merged = crs_slab_merged(slab, &p->k.shape);
    own.k = crs_slab_kruskal(&merged, &p->k);
    own.t = slab->t;
    own.w = slab->w;
    if (apart(p)) own.grid = crs_cp_rows(&own.k.shape, p->k.rank);
    return own;
}

ptrdiff_t crs_cp_room_carve(const crs_cp_point *p, int threads, double *memory, crs_cp_room *w)
{
    carver c = { memory, 0 };
    if (crs_is_listed(p->source))
        walk_listed(p, &c, w);
    else
        walk(p, threads, &c, w);
    return c.used;
}

void crs_cp_columns(const crs_cp_point *p, crs_cp_room *w)
{
    const crs_modes last = { p->grid.split, p->k.shape.order, -1 };
    if (crs_is_listed(p->source)) return;
    crs_khatri_rao(&p->k, last, 0, p->grid.right, w->columns);
}

void crs_cp_panel(const crs_cp_point *p, const crs_cp_room *w, ptrdiff_t first, ptrdiff_t count,
                  double *kr, double *m, double *e)
{
    const ptrdiff_t right = p->grid.right, rank = p->k.rank;
    const double t = 1 / (2 * noise_share(p));
    crs_khatri_rao(&p->k, (crs_modes){ 0, p->grid.split, -1 }, first, count, kr);
    crs_gemm(false, true, count, right, rank, 1, kr, w->columns, 0, m);
    if (p->sparse) {
        p->sparse(p->self, first, count, e);
        return;
    }
    for (ptrdiff_t j = 0, at = first * right; j < count * right; j++, at++) {
        const double rest = p->t[at] - m[j];
        const bool zero = fabs(rest) <= p->dead || (p->w && !p->w[at]);
        e[j] = zero ? 0 : crs_scalar_prox(&p->rho, t, rest);
    }
}

typedef struct {
    const crs_cp_point *p;
    crs_cp_room *w;
} pass;

/* m becomes s, and the sums grow. */
static void entries(const crs_cp_point *p, const crs_cp_room *w, ptrdiff_t first, ptrdiff_t count,
                    double *m, const double *e, double *sum)
{
    const double c = noise_share(p), share = 1 / (1 + p->alpha_noise);
    const ptrdiff_t begin = first * p->grid.right;
    for (ptrdiff_t j = 0; j < count * p->grid.right; j++) {
        const ptrdiff_t at = begin + j;
        const bool seen = !p->w || p->w[at];
        const double s = rest_at(p, at, m[j], e[j]), z = m[j] + c * s;
        const double b = seen ? share * s : -z - e[j];
        sum[REST] += s * s;
        if (!p->whole.ops) {
            const double off = e[j] == 0 ? pos(2 * c * fabs(s) - p->steep)
                                         : crs_scalar_dist(&p->rho, e[j], 2 * c * s);
            sum[DIST] += off * off;
            if (e[j] != 0) sum[PENALTY] += crs_scalar_value(&p->rho, e[j]);
        } else {
            w->e[at] = e[j];
            w->lambda[at] = 2 * c * s;
        }
        sum[LOWRANK] += m[j] * m[j];
        sum[SPLIT] += z * z;
        sum[SPARSE] += e[j] * e[j];
        sum[LAST] += b * b;
        sum[DATA] += seen ? square(p->t[at]) : 0;
        m[j] = s;
    }
}

static void pass_band(void *self, ptrdiff_t band, int worker)
{
    const pass *a = self;
    const crs_cp_point *p = a->p;
    const crs_cp_room *w = a->w;
    const ptrdiff_t right = p->grid.right, rank = p->k.rank, rows = p->grid.rows;
    double *m = w->workers + worker * w->worker, *e = m + rows * right, *kr = e + rows * right;
    double *sum = w->sums + band * SUMS, *collected = w->collected + band * right * rank;
    fill(SUMS, 0, sum);
    fill(right * rank, 0, collected);
    for (ptrdiff_t k = band * w->panels / w->bands; k < (band + 1) * w->panels / w->bands; k++) {
        const ptrdiff_t first = k * rows, count = fewer(rows, p->grid.left - first);
        double own[SUMS] = { 0 };
        crs_cp_panel(p, w, first, count, kr, m, e);
        entries(p, w, first, count, m, e, own);
        crs_gemm(false, false, count, rank, right, 1, m, w->columns, 0, w->rows + first * rank);
        crs_gemm(true, false, right, rank, count, 1, m, kr, 1, collected);
        axpy(SUMS, 1, own, sum);
    }
}

/* out (I_n x rank) = the rows of `table` (over the modes from .. to-1) with the same index of mode
 * n added up, each times the Khatri-Rao row of the other modes */
static void gather(const crs_kruskal *k, const double *table, crs_modes m, double *row, double *out)
{
    const int n = m.skip;
    ptrdiff_t before = 1, after = 1;
    for (int j = m.from; j < n; j++) before *= k->shape.dim[j];
    for (int j = n + 1; j < m.to; j++) after *= k->shape.dim[j];
    fill(k->shape.dim[n] * k->rank, 0, out);
    for (ptrdiff_t l = 0; l < before * k->shape.dim[n] * after; l++) {
        double *to = out + l / after % k->shape.dim[n] * k->rank;
        crs_khatri_rao(k, m, l, 1, row);
        for (ptrdiff_t r = 0; r < k->rank; r++) to[r] += table[l * k->rank + r] * row[r];
    }
}

static double cone_distance(double x, double g) /* dist(-g, normal cone of x >= 0) */
{
    return x > 0 ? fabs(g) : x == 0 ? pos(-g) : x == x ? INFINITY : x;
}

double crs_cp_scale(double terms, double whole, double x)
{
    return whole > 0 && x > 0 ? clip(100 * whole / x, 1e-4 * terms, terms) : terms;
}

/* sum t^2 and sum alpha rho(t) over the observed entries */
static void plan_alone(const void *args, const crease_space *shape, crs_total *sums)
{
    (void)args, (void)shape;
    crs_total_plan(sums, CRS_SUM, 1);
    crs_total_plan(sums, CRS_SUM, 1);
}

static bool add_alone(const void *args, void *room, const crs_slab *slab, int worker,
                      crs_total *sums, crease_error *e)
{
    const crs_penalty_value *rho = args;
    double squares = 0, penalty = 0;
    (void)room, (void)worker, (void)e;
    for (ptrdiff_t j = 0, n = crease_size(&slab->shape); j < n; j++) {
        if (slab->w && !slab->w[j]) continue;
        squares += square(slab->t[j]);
        penalty += crs_scalar_value(rho, slab->t[j]);
    }
    crs_total_add(sums, 0, 0, 1, &squares);
    crs_total_add(sums, 1, 0, 1, &penalty);
    return true;
}

static void visit_alone(crs_visitor *v, void *rho) { crs_visit_penalty(v, rho); }

const crs_job crs_alone_job = { .name = "alone",
                                .size = sizeof(crs_penalty_value),
                                .visit = visit_alone,
                                .plan = plan_alone,
                                .add = add_alone };

bool crs_cp_objective(crs_source *T, const crs_penalty_value *rho, double alpha_noise, int threads,
                      double *least, crease_error *e)
{
    crs_look l;
    double sum[2]; /* of squares, and the penalty */
    if (crs_is_listed(T)) {
        crs_listed_alone(T->listed, rho, sum);
    } else {
        if (!crs_look_once(&l, T, &crs_alone_job, rho, threads, NULL, e)) return false;
        for (int k = 0; k < 2; k++) sum[k] = crs_total_at(&l.sums, k, 0);
        crs_look_close(&l);
    }
    *least = smaller(smaller(1, alpha_noise) * sum[0], sum[1]);
    return true;
}

crease_residual crs_cp_residual(double residual, double terms, const crs_cp_scales *s, double own,
                                double x)
{
    const double rounding = terms > 0 ? 4 * UNIT * terms + VANISHING : 0;
    const double part = larger(terms, 1e-3 * own);
    return (crease_residual){ .setting = 2,
                              .residual = residual + rounding,
                              .rounding = rounding,
                              .scale = crs_cp_scale(part, s->whole, x) };
}

/* S_(n) M_n of one slab */
static void product_of(const crs_cp_point *p, const crs_cp_room *w, int n, double *work,
                       double *product)
{
    const bool row = n < p->grid.split;
    gather(&p->k, row ? w->rows : w->collected,
           (crs_modes){ row ? 0 : p->grid.split, row ? p->grid.split : p->k.shape.order, n }, work,
           product);
}

void crs_cp_product(const crs_cp_point *p, const crs_cp_room *w, int n, double *out)
{
    const ptrdiff_t size = p->k.shape.dim[n] * p->k.rank;
    if (crs_is_listed(p->source))
        copy(size, w->listed[n], out);
    else if (w->look.job)
        crs_total_read(&w->look.sums, SUMS + n, 0, size, out);
    else
        product_of(p, w, n, w->small + 2 * size, out);
}

/* Squares of a factor's rows: of 2 Z_(n) M_n, of 2 X_n G_n + nu X_n, and of what is left. */
enum { WITHOUT, ADDED, ALL, ROWS };

/* w->small begins with S_(n) M_n. */
static void factor_rows(const crs_cp_point *p, const crs_cp_room *w, int n, double *sum)
{
    const crs_kruskal *k = &p->k;
    const ptrdiff_t rank = k->rank, size = k->shape.dim[n] * rank;
    const double c = noise_share(p), *x = k->factor[n];
    double *product = w->small, *xg = product + size, *gram = xg + size, *work = gram + rank * rank;
    crs_gram_except(k, n, gram, work);
    crs_gemm(false, false, k->shape.dim[n], rank, rank, 1, x, gram, 0, xg);
    fill(ROWS, 0, sum);
    for (ptrdiff_t j = 0; j < size; j++) {
        const double g = -2 * c * product[j] + p->nu * x[j];
        sum[WITHOUT] += square(2 * (xg[j] + c * product[j]));
        sum[ADDED] += square(2 * xg[j] + p->nu * x[j]);
        sum[ALL] += square(p->nonneg ? cone_distance(x[j], g) : g);
    }
}

static crease_residual factor(const crs_cp_point *p, const crs_cp_room *w, int n,
                              const crs_cp_scales *s)
{
    const ptrdiff_t size = p->k.shape.dim[n] * p->k.rank;
    double sum[ROWS];
    if (p->own_rows && n == 0 && w->look.job) {
        crs_total_read(&w->look.sums, SUMS, 0, ROWS, sum);
    } else {
        crs_cp_product(p, w, n, w->small);
        factor_rows(p, w, n, sum);
    }
    return crs_cp_residual(sqrt(sum[ALL]), sqrt(sum[WITHOUT]) + sqrt(sum[ADDED]), s, 0,
                           crs_norm(size, p->k.factor[n]));
}

static void include(crease_certificate *c, const crease_residual *r)
{
    c->worst = larger(c->worst, r->residual);
    c->worst_relative = larger(c->worst_relative, r->residual == 0 ? 0 : r->residual / r->scale);
}

/* Of any penalty: alpha R(E), the distance from Lambda to alpha dR(E), and the size of alpha R(E).
 */
typedef struct {
    double value, dist, size;
} penalty;

static penalty penalty_of(const crs_cp_point *p, const crs_cp_room *w)
{
    const crease_space *s = &p->k.shape;
    const crease_reg *r = &p->whole;
    const double *sum = w->sums;
    if (!r->ops) return (penalty){ sum[PENALTY], sqrt(sum[DIST]), sum[PENALTY] };
    return (penalty){ r->ops->value(r, s, w->e, w->reg),
                      r->ops->dist(r, s, w->e, w->lambda, w->reg),
                      crs_reg_size(r, s, w->e, w->reg) };
}

static bool same_penalty(const crs_penalty_value *a, const crs_penalty_value *b)
{
    bool same = a->rho == b->rho && a->weight == b->weight;
    for (int k = 0; k < CREASE_PARS; k++) same = same && a->par[k] == b->par[k];
    return same;
}

/* The size of alpha R(T), once for every alpha R. */
static bool measure_alone(const crs_cp_point *p, crs_cp_room *w, crease_error *e)
{
    const crease_space *s = &p->k.shape;
    const unsigned char *seen = p->source->seen;
    if (!isnan(w->alone) && same_penalty(&w->alone_of, &p->rho)) return true;
    w->alone_of = p->rho;
    if (crs_is_listed(p->source)) {
        double sum[2];
        crs_listed_alone(p->source->listed, &p->rho, sum);
        w->alone = sum[1];
        return true;
    }
    if (!p->whole.ops) {
        const bool done = crs_look_run(&w->sizes, &p->rho, NULL, e);
        w->alone = done ? crs_total_at(&w->sizes.sums, 1, 0) : NAN;
        return done;
    }
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        w->e[j] = seen && !seen[j] ? 0 : p->source->whole[j];
    w->alone = crs_reg_size(&p->whole, s, w->e, w->reg);
    return true;
}

static crs_cp_scales scales_of(const crs_cp_point *p, double F, double data, double alone)
{
    const double an = p->alpha_noise, least = smaller(smaller(1, an) * square(data), alone);
    const double force = an > 0 ? 2 * smaller(1, an) : 1; /* of Z and B, or of Z alone */
    return (crs_cp_scales){ least > 0 ? larger(F, least) : 0, data, 2 * force * data / 3 };
}

static void conclude(const crs_cp_point *p, const crs_cp_room *w, const crs_cp_blocks *by,
                     crease_certificate *out)
{
    const crease_space *s = &p->k.shape;
    const double *sum = w->sums, c = noise_share(p), an = p->alpha_noise;
    const double rest = sqrt(sum[REST]), lambda = 2 * c * rest, data = sqrt(sum[DATA]);
    const double split = sqrt(sum[SPLIT]), sparse = sqrt(sum[SPARSE]), last = sqrt(sum[LAST]);
    const int d = by ? by->count : s->order;
    double squares = 0;
    const penalty r = penalty_of(p, w);
    for (int n = 0; n < s->order; n++)
        squares += square(crs_norm(s->dim[n] * p->k.rank, p->k.factor[n]));
    *out = (crease_certificate){ .count = d + 3, .block = out->block };
    out->objective = c * sum[REST] + r.value + p->nu / 2 * squares;
    const crs_cp_scales a =
        scales_of(p, c * sum[REST] + r.size + p->nu / 2 * squares, data, w->alone);
    crease_residual *block = out->block;
    if (by) by->find(by->self, p, w, &a, block);
    for (int n = 0; !by && n < d; n++) block[n] = factor(p, w, n, &a);
    block[d] = crs_cp_residual(r.dist, lambda, &a, a.pull, larger(sparse, data));
    block[d + 1] = crs_cp_residual(0, 2 * sqrt(sum[LOWRANK]) + 2 * split + lambda, &a,
                                   2 * data / 3 + a.pull, larger(split, data));
    block[d + 2] = crs_cp_residual(0, 2 * an / (1 + an) * rest + lambda, &a,
                                   2 * an * data / 3 + a.pull, larger(last, data));
    out->feasibility = crs_cp_residual(0, split + sparse + last + data, &a, 0, lambda);
    for (int i = 0; i < d + 3; i++) include(out, &block[i]);
    include(out, &out->feasibility);
    if (!isfinite(out->objective)) out->worst = out->worst_relative = NAN;
}

/* w's sums, rows and collected, of the point's slab or whole tensor */
static void pass_slab(const crs_cp_point *p, crs_cp_room *w)
{
    pass a = { p, w };
    const ptrdiff_t size = p->grid.right * p->k.rank;
    crs_cp_columns(p, w);
    crs_parallel(w->threads, w->bands, pass_band, &a);
    for (ptrdiff_t band = 1; band < w->bands; band++) {
        axpy(SUMS, 1, w->sums + band * SUMS, w->sums);
        axpy(size, 1, w->collected + band * size, w->collected);
    }
}

/* Of several slabs: the sums, then S_(n) M_n of every mode, or of a long first mode what its rows
 * add to the residual. */
static void plan_sums(const void *args, const crease_space *shape, crs_total *sums)
{
    const crs_cp_point *p = args;
    shape = &p->k.shape; /* of which the first mode may be several of the tensor's */
    for (int k = 0; k < SUMS; k++) crs_total_plan(sums, CRS_SUM, 1);
    for (int n = 0; n < shape->order; n++)
        crs_total_plan(sums, CRS_SUM, p->own_rows && n == 0 ? ROWS : shape->dim[n] * p->k.rank);
}

typedef struct {
    int threads, workers;
    ptrdiff_t size; /* doubles of a worker */
    double *memory;
    crs_cp_room worker[];
} rooms;

static void close_rooms(void *room)
{
    rooms *r = room;
    crs_free(r->memory);
    crs_free(r);
}

/* As crs_cp_point_in where slabs are looked at apart, which a point that was sent does not know. */
static crs_cp_point point_in(const crs_cp_point *p, const crs_slab *slab)
{
    crs_cp_point own = crs_cp_point_in(p, slab);
    own.grid = crs_cp_rows(&own.k.shape, p->k.rank);
    return own;
}

static void *open_rooms(const void *args, const crs_partition *cut, int workers, int threads,
                        crease_error *e)
{
    const crs_cp_point *p = args;
    rooms *r = crs_alloc(1, sizeof *r + (size_t)workers * sizeof *r->worker);
    if (!r) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a certificate"), NULL;
    r->threads = threads;
    r->workers = workers;
    for (ptrdiff_t k = 0; k < cut->per; k += more(1, cut->per - 1)) { /* the first and the last */
        const crs_slab slab = crs_slab_at(cut, k);
        const crs_cp_point own = point_in(p, &slab);
        r->size = more(r->size, crs_cp_room_carve(&own, threads, NULL, r->worker));
    }
    ptrdiff_t all;
    if (crs_mul_size(r->size, workers, &all)) r->memory = crs_doubles(all, "a certificate", e);
    if (r->memory) return r;
    close_rooms(r);
    return NULL;
}

static bool add_slab(const void *args, void *room, const crs_slab *slab, int worker,
                     crs_total *sums, crease_error *e)
{
    const crs_cp_point own = point_in(args, slab);
    const crs_slab merged = crs_slab_merged(slab, &((const crs_cp_point *)args)->k.shape);
    rooms *r = room;
    crs_cp_room *w = &r->worker[worker];
    (void)e;
    crs_cp_room_carve(&own, r->threads, r->memory + worker * r->size, w);
    pass_slab(&own, w);
    for (int k = 0; k < SUMS; k++) crs_total_add(sums, k, 0, 1, w->sums + k);
    for (int n = 0; n < own.k.shape.order; n++) {
        const ptrdiff_t rank = own.k.rank, size = own.k.shape.dim[n] * rank;
        double rows[ROWS];
        product_of(&own, w, n, w->small + size, w->small);
        if (own.own_rows && n == 0) {
            factor_rows(&own, w, 0, rows);
            crs_total_add(sums, SUMS, 0, ROWS, rows);
            continue;
        }
        crs_total_add(sums, SUMS + n, merged.from[n] * rank, size, w->small);
    }
    return true;
}

void crs_visit_point(crs_visitor *v, void *self)
{
    crs_cp_point *p = self;
    crs_visit_kruskal(v, &p->k);
    crs_visit(v, p->grid);
    crs_visit_penalty(v, &p->rho);
    crs_visit(v, p->dead);
    crs_visit(v, p->steep);
    crs_visit(v, p->alpha_noise);
    crs_visit(v, p->nu);
    crs_visit(v, p->nonneg);
    crs_visit(v, p->own_rows);
}

const crs_job crs_certify_job = { .name = "certify",
                                  .size = sizeof(crs_cp_point),
                                  .visit = crs_visit_point,
                                  .plan = plan_sums,
                                  .open = open_rooms,
                                  .close = close_rooms,
                                  .add = add_slab };

bool crs_cp_room_open(const crs_cp_point *p, int threads, crs_cp_room *w, crease_error *e)
{
    if (crs_is_listed(p->source)) return true;
    if (!p->whole.ops && !crs_look_open(&w->sizes, p->source, &crs_alone_job, &p->rho, threads, e))
        return false;
    return !apart(p) || crs_look_open(&w->look, p->source, &crs_certify_job, p, threads, e);
}

void crs_cp_room_close(crs_cp_room *w)
{
    if (w->look.job) crs_look_close(&w->look);
    if (w->sizes.job) crs_look_close(&w->sizes);
}

static bool certify_alone(crs_cp_point *p, crs_cp_room *w, crease_error *e)
{
    crs_source *s = p->source;
    crs_slab slab = { .t = s->whole, .w = s->seen };
    if (s->cut.count == 1 && !s->ops->take(s, 0, &slab, e)) return false;
    p->t = slab.t;
    p->w = slab.w;
    pass_slab(p, w);
    if (s->cut.count == 1) s->ops->give(s, &slab);
    return true;
}

/* |M|^2 over all entries: the sum of the Hadamard product of the factors' Gram matrices */
static double model_squares(const crs_kruskal *k, double *work)
{
    const ptrdiff_t rank = k->rank, area = rank * rank;
    double *all = work, *own = work + area, sum = 0;
    fill(area, 1, all);
    for (int n = 0; n < k->shape.order; n++) {
        crs_gram(k->shape.dim[n], rank, k->factor[n], own);
        for (ptrdiff_t q = 0; q < area; q++) all[q] *= own[q];
    }
    for (ptrdiff_t q = 0; q < area; q++) sum += all[q];
    return pos(sum);
}

/* Where nothing was observed Z = -B = M. */
static void certify_listed(const crs_cp_point *p, crs_cp_room *w)
{
    const double c = noise_share(p), share = 1 / (1 + p->alpha_noise);
    const double all = model_squares(&p->k, w->small);
    crs_listed_sums s;
    crs_listed_judge(p, &s, w->listed);
    w->sums[REST] = s.rest;
    w->sums[DIST] = s.dist;
    w->sums[PENALTY] = s.penalty;
    w->sums[LOWRANK] = all;
    w->sums[SPLIT] = pos(all + 2 * c * s.cross + c * c * s.rest);
    w->sums[SPARSE] = s.sparse;
    w->sums[LAST] = share * share * s.rest + pos(all - s.model);
    w->sums[DATA] = s.data;
}

bool crs_cp_certify(const crs_cp_point *p, crs_cp_room *w, const crs_cp_blocks *by,
                    crease_certificate *c, crease_error *e)
{
    crs_cp_point own = *p;
    if (!measure_alone(p, w, e)) return false;
    if (crs_is_listed(p->source)) {
        certify_listed(p, w);
        conclude(p, w, by, c);
        return true;
    }
    if (!(w->look.job ? crs_look_run(&w->look, p, NULL, e) : certify_alone(&own, w, e)))
        return false;
    for (int k = 0; w->look.job && k < SUMS; k++) w->sums[k] = crs_total_at(&w->look.sums, k, 0);
    conclude(p, w, by, c);
    return true;
}
