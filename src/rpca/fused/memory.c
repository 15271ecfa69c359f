/* SPDX-License-Identifier: MIT
 * memory: a fused CP iteration made from its settings: these checked, the coefficients of its
 * method, and one block of memory carved for everything */
#include "core/carve.h"
#include "dense/dense.h"
#include "rpca/fused/state.h"

enum { STAGGER = 9 * CRS_LINE }; /* between tensors, lest equal places share a cache set */

static bool not_negative(double x) { return x >= 0 && x < INFINITY; }

static bool refuse(crease_error *e, const char *what, double value, const char *remedy)
{
    return crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: %s is %g; give %s", what, value, remedy);
}

static bool check_weights(const crs_cp_settings *c, crease_error *e)
{
    const struct {
        const char *name;
        double value;
    } weight[] = { { "alpha", c->penalty.weight },
                   { "alpha_noise", c->alpha_noise },
                   { "nu", c->nu },
                   { "h of the factors", c->h_factor },
                   { "h of E", c->h_sparse },
                   { "h of Z", c->h_z },
                   { "gamma", c->gamma },
                   { "ell", c->ell },
                   { "the weight of the potential", c->potential_weight } };
    for (size_t k = 0; k < sizeof weight / sizeof *weight; k++)
        if (!not_negative(weight[k].value))
            return refuse(e, weight[k].name, weight[k].value, "a finite number >= 0");
    if (c->method != CRS_CP_BCD && !(c->beta > 0 && c->beta < INFINITY))
        return refuse(e, "beta", c->beta, "a finite number > 0");
    if (c->method == CRS_CP_BCD && !(c->alpha_noise > 0))
        return refuse(e, "alpha_noise", c->alpha_noise,
                      "a number > 0 for block coordinate descent");
    return true;
}

static bool check(const crs_cp_settings *c, crease_error *e)
{
    if (!crs_cp_check_shape(&c->shape, c->rank, c->threads, e) || !check_weights(c, e))
        return false;
    if (c->method != CRS_CP_ADMM_G && c->method != CRS_CP_ADMM_M && c->method != CRS_CP_BCD)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: there is no method %d", (int)c->method);
    if (c->kernel && c->kernel->single != c->single)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: kernel %s is not for tensors of %s",
                        c->kernel->name, c->single ? "float" : "double");
    if (!c->penalty.rho)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: the penalty is missing");
    return crease_param_check(c->penalty.rho->name, c->penalty.rho->params, c->penalty.par, e);
}

/* The coefficients of an iteration (kernels.h) for each method. Lambda is derived, not stored.
 * After a step from B to B', with w = 2 alpha_N W:
 *   ADMM-g                 Lambda' = w B + z (B - B'), z = beta - 1/gamma
 *   ADMM-m, majorant ell   Lambda' = ell B' - (ell - w) B
 *   ADMM-m, exact          Lambda' = w B' */

/* B' = own B + gain Lambda - b_s r; older and B for Lambda */
static void express(crs_cp_entry *a, double own, double gain)
{
    a->u_older = a->lambda_older;
    a->u_b = a->lambda_b - a->pull;
    a->b_older = gain * a->lambda_older;
    a->b_b = own + gain * a->lambda_b;
}

typedef enum { DERIVED, GIVEN, TIED } known; /* Lambda: as above, older, w B */

static void last_step(const crs_cp_settings *c, crs_cp_entry *a, known lambda)
{
    const double beta = c->beta, w = a->weight;
    double own = 0, gain = 0;
    if (c->method == CRS_CP_ADMM_G) {
        const double gamma = c->gamma > 0 ? c->gamma : 1 / beta;
        const double z = c->gamma > 0 ? beta - 1 / gamma : 0;
        a->kappa = 1 / gamma;
        own = 1 - gamma * (w + beta);
        gain = gamma;
        a->lambda_older = w + z;
        a->lambda_b = -z;
    } else if (c->method == CRS_CP_ADMM_M) {
        const double ell = c->ell > 0 ? c->ell : w;
        a->kappa = ell + beta;
        own = (ell - w) / (ell + beta);
        gain = 1 / (ell + beta);
        a->lambda_older = w - ell;
        a->lambda_b = ell;
    }
    a->b_s = gain * beta;
    if (lambda == GIVEN) a->lambda_older = 1, a->lambda_b = 0;
    if (lambda == TIED) a->lambda_older = 0, a->lambda_b = w;
    express(a, own, gain);
}

static crs_cp_entry entry(const crs_cp_settings *c, const crs_cp_rule *r, double w, known lambda)
{
    crs_cp_entry a = { .weight = w, .pull = r->descent ? w : c->beta };
    const double e = a.pull + c->h_sparse;
    a.e_scale = e > 0 ? 1 / e : 0; /* nothing holds E: it is 0 */
    a.t = a.e_scale;
    a.z_scale = 1 / (2 + a.pull + c->h_z);
    a.dead = e > 0 ? crs_dead_zone(&r->penalty, a.t) : INFINITY;
    a.edge = a.dead < INFINITY ? a.dead * e : INFINITY;
    if (e > 0 && r->soft) a.edge = r->penalty.weight * r->penalty.par[0];
    last_step(c, &a, lambda);
    return a;
}

/* c (s - e)^2 + alpha rho(e), c = w/(2 + w), is what is left of the objective at an entry. */
static crs_cp_entry eliminated(const crs_cp_rule *r, double w)
{
    crs_cp_entry a = { .weight = w, .z_scale = w / (2 + w) };
    a.t = w > 0 ? (2 + w) / (2 * w) : 0;
    a.dead = w > 0 ? crs_dead_zone(&r->penalty, a.t) : INFINITY;
    a.edge = w > 0 && r->soft ? r->penalty.weight * r->penalty.par[0] * a.t : INFINITY;
    return a;
}

static void set_rules(crs_cp_fused *s)
{
    const crs_cp_settings *c = &s->c;
    crs_cp_rule *r = &s->rule;
    *r = (crs_cp_rule){ .descent = c->method == CRS_CP_BCD, .h_e = c->h_sparse, .h_z = c->h_z };
    r->beta = r->descent ? 0 : c->beta;
    r->soft = c->penalty.rho == &crs_l1;
    r->penalty = c->penalty;
    r->own = !s->has_older;
    r->full = c->full || c->accelerate;
    s->first = s->tied = s->eliminated = *r;
    s->tied.own = s->eliminated.own = true;
    for (int seen = 0; seen < 2; seen++) {
        const double w = seen ? 2 * c->alpha_noise : 0;
        r->at[seen] = entry(c, r, w, DERIVED);
        s->first.at[seen] = entry(c, r, w, s->has_older ? GIVEN : DERIVED);
        s->tied.at[seen] = entry(c, r, w, TIED);
        s->eliminated.at[seen] = eliminated(r, w);
    }
    r->fold = c->mask && r->descent ? 1 : r->at[1].z_scale;
    s->first.fold = s->tied.fold = r->fold;
    s->eliminated.fold = 1;
}

static crs_stored *reals(crs_carver *c, const crs_cp_fused *s, ptrdiff_t rows, ptrdiff_t columns)
{
    ptrdiff_t count;
    if (!crs_mul_size(rows, columns, &count)) c->used = -1;
    return carve_bytes(c, c->used < 0 ? 0 : count, (size_t)s->size);
}

static crs_stored *tensor(crs_carver *c, const crs_cp_fused *s, bool wanted)
{
    if (!wanted) return NULL;
    crs_stored *p = reals(c, s, s->grid.left, s->grid.right);
    carve_bytes(c, STAGGER, 1);
    return p;
}

/* Rows of the Khatri-Rao product of the modes after the first of either side. */
static ptrdiff_t fold_rows(const crs_cp_fused *s)
{
    const crease_space *shape = &s->c.shape;
    return more(s->grid.left / shape->dim[0], s->grid.right / shape->dim[s->grid.split]);
}

static void carve_workers(crs_cp_fused *s, crs_carver *m)
{
    const ptrdiff_t rank = s->c.rank, width = s->grid.width;
    s->worker = carve_bytes(m, s->c.threads, sizeof *s->worker);
    for (int k = 0; k < s->c.threads; k++) {
        crs_cp_worker w;
        w.e = reals(m, s, CRS_TILE_ROWS, width);
        w.rest = reals(m, s, CRS_TILE_ROWS, s->kernel->block);
        w.partial = reals(m, s, CRS_TILE_ROWS * s->kernel->lanes, rank);
        w.block = carve_doubles(m, CRS_TILE_ROWS, s->padded);
        w.rows = carve_doubles(m, CRS_PANEL, rank);
        w.narrow = reals(m, s, CRS_PANEL, rank);
        w.collected = reals(m, s, width, rank);
        w.v = reals(m, s, CRS_TILE_ROWS, rank);
        carve_bytes(m, STAGGER, 1);
        if (m->base) s->worker[k] = w;
    }
}

static void carve_factors(crs_cp_fused *s, crs_carver *m)
{
    const ptrdiff_t rank = s->c.rank;
    ptrdiff_t longest = 0;
    for (int n = 0; n < s->c.shape.order; n++) {
        s->factor[n] = carve_doubles(m, s->c.shape.dim[n], rank);
        s->gram[n] = carve_doubles(m, rank, rank);
        longest = more(longest, s->c.shape.dim[n]);
    }
    for (int n = 0; s->c.accelerate && n < s->c.shape.order; n++) {
        s->before[n] = carve_doubles(m, s->c.shape.dim[n], rank);
        s->kept[n] = carve_doubles(m, s->c.shape.dim[n], rank);
    }
    s->rhs = carve_doubles(m, longest, rank);
    s->matrix = carve_doubles(m, rank, rank);
    s->gather = carve_doubles(m, 2 * (ptrdiff_t)s->c.threads, rank);
    s->fold = carve_doubles(m, fold_rows(s), rank);
    s->solve = carve_doubles(m, crs_ballquad_scratch(longest, rank), 1);
}

static void carve(crs_cp_fused *s, crs_carver *m)
{
    const crs_cp_grid *g = &s->grid;
    const ptrdiff_t rank = s->c.rank, tiles = g->blocks * g->chunks;
    const bool admm = s->c.method != CRS_CP_BCD;
    s->Z = tensor(m, s, true);
    s->E = tensor(m, s, true);
    s->B = tensor(m, s, admm);
    s->older = tensor(m, s, s->has_older);
    s->y = carve_doubles(m, g->left, rank);
    s->marks = carve_bytes(m, tiles, CRS_TILE_ROWS * (size_t)s->words * sizeof *s->marks);
    s->stored = carve_bytes(m, tiles, sizeof *s->stored);
    s->slots = carve_bytes(m, tiles, CRS_SLOT * (size_t)s->size);
    s->columns = reals(m, s, g->chunks * g->width, rank);
    s->collected = carve_doubles(m, g->bands * g->chunks * g->width, rank);
    s->w = carve_doubles(m, g->right, rank);
    s->sums = carve_doubles(m, g->bands, CRS_SUMS);
    carve_factors(s, m);
    carve_workers(s, m);
    s->k = reals(m, s, g->right, s->padded);
}

/* Vectors along the rank pay where they are long, for adding up their lanes costs, and from a rank
 * on that fills several: with AVX-512, rank 40 gains, 10 loses (docs/performance-notes.md). */
static ptrdiff_t padded_rank(const crs_cp_fused *s, ptrdiff_t rank)
{
    enum { LONG = 64, MANY = 32 };
    const ptrdiff_t lanes = s->kernel->lanes;
    return lanes * s->size >= LONG && rank >= MANY ? (rank + lanes - 1) / lanes * lanes : 0;
}

/* Everything but memory; returns the bytes of its block, < 0: too many. */
static ptrdiff_t plan(crs_cp_fused *s, const crs_cp_settings *c)
{
    crs_carver count = { 0 };
    ptrdiff_t bytes;
    *s = (crs_cp_fused){ .c = *c, .size = c->single ? sizeof(float) : sizeof(double) };
    s->kernel = c->kernel ? c->kernel : crs_cp_kernel_at(c->single, 0);
    const bool exact = c->ell == 0 || (c->ell == 2 * c->alpha_noise && !c->mask);
    s->has_older = c->method == CRS_CP_ADMM_G || (c->method == CRS_CP_ADMM_M && !exact);
    s->grid = crs_cp_grid_of(&c->shape, c->rank, s->kernel->block, CRS_PANEL);
    s->words = (s->grid.width + 63) / 64;
    s->padded = padded_rank(s, c->rank);
    carve(s, &count);
    return count.used >= 0 && crs_add_size(count.used, CRS_LINE, &bytes) ? bytes : -1;
}

static ptrdiff_t checked_plan(crs_cp_fused *s, const crs_cp_settings *c, crease_error *e)
{
    if (!check(c, e)) return -1;
    const ptrdiff_t bytes = plan(s, c);
    if (bytes < 0) crs_fail(e, CREASE_NO_MEMORY, "robust CP: more memory than can be addressed");
    return bytes;
}

ptrdiff_t crs_cp_fused_bytes(const crs_cp_settings *c, crease_error *e)
{
    crs_cp_fused s;
    const ptrdiff_t bytes = checked_plan(&s, c, e);
    return bytes < 0 ? -1 : bytes + (ptrdiff_t)sizeof s;
}

crs_cp_fused *crs_cp_fused_new(const crs_cp_settings *c, const crs_stored *T, crease_error *e)
{
    crs_cp_fused plan_of;
    const ptrdiff_t bytes = checked_plan(&plan_of, c, e);
    if (bytes < 0) return NULL;
    crs_cp_fused *s = crs_alloc(1, sizeof *s);
    void *memory = s ? crs_alloc((size_t)bytes, 1) : NULL;
    if (!memory) {
        crs_free(s);
        crs_fail(e, CREASE_NO_MEMORY, "robust CP: out of memory: %td bytes needed", bytes);
        return NULL;
    }
    *s = plan_of;
    s->T = T;
    s->memory = memory;
    crs_large_pages(memory, (size_t)bytes);
    crs_carver m = carver_of(memory);
    carve(s, &m);
    set_rules(s);
    return s;
}

void crs_cp_fused_free(crs_cp_fused *s)
{
    if (s) crs_free(s->memory);
    crs_free(s);
}

/* The memory of workers, which comes last, holds nothing from one step to the next. */
void crs_cp_fused_visit(crs_visitor *v, crs_cp_fused *s)
{
    const crs_cp_rule *const rule[] = { &s->rule, &s->first, &s->tied, &s->eliminated };
    int next = 0;
    while (next < 3 && s->next != rule[next]) next++;
    crs_visit(v, next);
    if (crs_visit_reads(v)) s->next = rule[next & 3];
    crs_visit(v, s->statistics);
    crs_visit(v, s->moves_before);
    crs_visit(v, s->potential);
    crs_visit(v, s->noise);
    crs_visit(v, s->lambdas);
    crs_visit(v, s->momentum);
    crs_visit_bytes(v, "arrays", s->Z, (size_t)((char *)s->worker - (char *)s->Z));
}
