/* SPDX-License-Identifier: MIT
 * certify: the eps-stationarity residuals of (x, lambda), from the definitions: by which of them a
 * block is certified (its setting), the residuals of all blocks, and the gap -psi_S(x) of a
 * conditional gradient problem
 *
 * Nothing here is taken from the method that produced the point. */
#include "certify/certify.h"
#include "reg/reg.h"
#include "set/set.h"

/* l0 on a 2-norm ball: d(r + indicator)(x) = dr(x) + N_X(x), since dr(x) holds every vector that
 * vanishes where x does not, so the gap of setting 1 is 0 where the pair is stationary alone. */
static bool is_sparse_ball(const crease_reg *r, const crease_set *c)
{
    const crease_reg *base = crs_unscaled(r);
    return c->ops->ball == CREASE_BALL_L2 && base->ops->kind == CREASE_KIND_ENTRIES &&
           base->penalty == &crs_l0;
}

int crease_setting(const crease_problem *p, int i, crease_error *e)
{
    const crease_reg *r = crs_reg_of(p, i);
    const crease_set *c = p->block[i].set;
    crease_reg_traits t;
    char name[32];
    if (!c) return 2;
    const double diameter = c->ops->diameter(c, &p->space[i], 2);
    r->ops->traits(r, &p->space[i], diameter, &t);
    if (diameter < INFINITY && t.lipschitz < INFINITY && r->ops->nearest) return 1;
    if (is_sparse_ball(r, c)) return 1;
    if (crease_joint_dist_check(r, c, &p->space[i])) return 2;
    crs_fail(e, CREASE_UNSUPPORTED,
             "block %s: %s on %s has no computable stationarity residual; leave the set out%s%s",
             crs_block_name(p, i, name), crs_reg_name(r), c->ops->name,
             r->ops->dist_box ? ", or take a box" : "",
             t.lipschitz < INFINITY && r->ops->nearest ? ", or take a compact set" : "");
    return 0;
}

static const double far = 1e300; /* pulls a projection to the end of an interval */

static void nearest(const crease_problem *p, int i, const double *x, const double *target,
                    double *g, double *work)
{
    const crease_reg *r = crs_reg_of(p, i);
    r->ops->nearest(r, &p->space[i], x, target, g, work);
}

static double gap_on(double w, double x, double low, double high)
{
    return larger(w * (x - low), w * (x - high));
}

/* g_j <- the better of g_j and the candidate other_j */
static void improve(ptrdiff_t n, const crease_bounds *b, const double *x, const double *c,
                    const double *other, double *g)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        const double low = b->lower ? b->lower[j] : b->low, high = b->upper ? b->upper[j] : b->high;
        if (gap_on(c[j] + other[j], x[j], low, high) < gap_on(c[j] + g[j], x[j], low, high))
            g[j] = other[j];
    }
}

static bool at_kink(const crease_reg *r, const crease_space *s, const double *x)
{
    const double kink = r->penalty && r->penalty->kink ? r->penalty->kink(r->par) : NAN;
    bool found = false;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) found = found || fabs(x[j]) == kink;
    return !crs_together(s->comm, !found, NULL);
}

/* t becomes t - mu a for the mu that brings it nearest to d(r + indicator)(x). */
static void move_by_row(const crease_problem *p, int i, const double *x, double *t, double *work)
{
    const crease_set *set = p->block[i].set;
    const crease_space *s = &p->space[i];
    const crease_row row = set->ops->row(set);
    const double mu = crs_joint_multiplier(crs_reg_of(p, i), set, s, x, t, work);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) t[j] -= mu * (row.a ? row.a[j] : 1);
}

/* The g in dr(x) with the least variational-inequality gap <c+g, x> + sigma_X(-(c+g)). Any g in
 * dr(x) certifies; the best one certifies the most:
 * - box, separable r: coordinate by coordinate, the least of max((c+g)(x-l), (c+g)(x-u)) over the
 *   projection of -c_j and the two ends of dr_j(x_j);
 * - sets inside x >= 0 like the simplex: the upper end where x_j = 0;
 * - sets whose support is monotone in every |w_j| (balls): the projection of -c, exact when dr(x)
 *   is set-valued at zeros only; the same for group and spectral r on the 2-norm ball;
 * - a row on a box: the projection of -c - mu a, mu that of the distance to the normals;
 * - elsewhere the projection, an upper bound. t, u: vectors of the block. */
static void best_subgradient(const crease_problem *p, int i, const double *x, const double *c,
                             double *g, double *t, double *u, double *work, bool *upper_bound)
{
    const crease_reg *r = crs_reg_of(p, i);
    const crease_set *set = p->block[i].set;
    const ptrdiff_t n = crease_size(&p->space[i]);
    const bool positive = set->ops->nonnegative;
    crease_bounds box;
    crease_reg_traits traits;
    r->ops->traits(r, &p->space[i], INFINITY, &traits);
    const bool separable = traits.separable;
    for (ptrdiff_t j = 0; j < n; j++) t[j] = positive && separable && x[j] == 0 ? far : -c[j];
    if (separable && !positive && set->ops->row) move_by_row(p, i, x, t, work);
    nearest(p, i, x, t, g, work);
    const bool kinked = at_kink(r, &p->space[i], x);
    *upper_bound =
        !(traits.lipschitz == 0 || (separable && (positive || set->ops->solid) && !kinked) ||
          (!separable && traits.convex && set->ops->ball == CREASE_BALL_L2));
    if (!separable || !crs_set_bounds(set, &box)) return;
    for (int end = -1; end <= 1; end += 2) {
        fill(n, end * far, t);
        nearest(p, i, x, t, u, work);
        improve(n, &box, x, c, u, g);
    }
    *upper_bound = false;
}

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

ptrdiff_t crease_certify_scratch(const crease_problem *p) { return crs_certify_room(p, false); }

ptrdiff_t crs_certify_room(const crease_problem *p, bool gap)
{
    const ptrdiff_t n = crs_largest_block(p), m = p->range.order > 0 ? crease_size(&p->range) : 0;
    ptrdiff_t work = crs_problem_scratch(p);
    for (int i = 0; i < p->count; i++) {
        const crease_set *c = p->block[i].set;
        if (!c) continue;
        work = most(work, crease_set_scratch(c, &p->space[i]));
        work = most(work, crease_joint_dist_scratch(crs_reg_of(p, i), c, &p->space[i]));
        if (gap) work = most(work, crease_lmo_with_scratch(c, crs_reg_of(p, i), &p->space[i]));
    }
    return work + 5 * n + 2 * m + 2 * crs_images_size(p);
}

/* A point with its images (problem.h), made once a certificate; `room` for others. */
typedef struct {
    const double *const *x;
    const double *u;
    double *room;
    const crease_watch *watch;
    const crs_known *known; /* NULL: nothing */
} place;

/* Between two pieces of a certificate. */
static void give_looks(const place *at) { (void)crease_watch_over(at->watch); }

static place place_of(const crease_problem *p, const double *const *x, const crease_watch *watch,
                      double **work)
{
    const ptrdiff_t rows = crs_images_size(p);
    double *u = *work;
    const place at = { x, u, u + rows, watch, NULL };
    *work += 2 * rows;
    crs_images(p, x, u, *work);
    give_looks(&at);
    return at;
}

/* t = grad_i f at x_i = 0 */
static void gradient_at_zero(const crease_problem *p, const place *at, const double **point, int i,
                             double *zero, double *t, double *work)
{
    const ptrdiff_t n = crease_size(&p->space[i]);
    if (at->known) {
        copy(n, at->known->at_zero, t);
        return;
    }
    for (int k = 0; k < p->count; k++) point[k] = at->x[k];
    fill(n, 0, zero);
    point[i] = zero;
    fill(crs_images_size(p), 0, at->room);
    for (int k = 0; k < p->count; k++)
        if (k != i) crs_images_move(p, k, at->x[k], at->room, work);
    give_looks(at);
    crs_images_grad(p, point, at->room, i, t, work);
    give_looks(at);
}

/* |grad_i f at x_i = 0| + |what x_i adds to it|, with the gradient at x in c */
static double terms(const crease_problem *p, const place *at, const double **point, int i,
                    const double *c, double *zero, double *t, double *work)
{
    const ptrdiff_t n = crease_size(&p->space[i]);
    gradient_at_zero(p, at, point, i, zero, t, work);
    const double without = crease_norm(&p->space[i], t);
    for (ptrdiff_t j = 0; j < n; j++) t[j] = c[j] - t[j];
    return without + crease_norm(&p->space[i], t);
}

/* c = grad_i f(x) - A_i'lambda; returns |grad_i f|, or the size of its terms, + |A_i'lambda|. */
static double gradient(const crease_problem *p, const place *at, const crease_reference *r,
                       const double *lambda, int i, double *c, double *t, double *u, double *work)
{
    const ptrdiff_t n = crease_size(&p->space[i]);
    if (at->known)
        copy(n, at->known->gradient, c);
    else
        crs_images_grad(p, at->x, at->u, i, c, work);
    give_looks(at);
    const double size = r ? terms(p, at, r->point, i, c, u, t, work) : crease_norm(&p->space[i], c);
    if (!lambda || !crs_in_constraint(p, i)) return size;
    fill(n, 0, t);
    crs_adjoint(p, i, 1, lambda, t, work);
    axpy(n, -1, t, c);
    return size + crease_norm(&p->space[i], t);
}

/* dist(-c, d(r_i + indicator of X_i)(x_i)) */
static double distance(const crease_problem *p, int i, const double *x, const double *c, double *t,
                       double *work)
{
    const crease_reg *r = crs_reg_of(p, i);
    const crease_space *s = &p->space[i];
    const crease_set *set = p->block[i].set;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) t[j] = -c[j];
    return set ? crease_joint_dist(r, set, s, x, t, work) : r->ops->dist(r, s, x, t, work);
}

double crs_stationarity(const crease_problem *p, int i, const double *x, const double *c,
                        double *room)
{
    const ptrdiff_t n = crease_size(&p->space[i]), most_n = crs_largest_block(p);
    double *g = room, *t = g + most_n, *u = t + most_n, *work = u + most_n;
    const crease_set *set = p->block[i].set;
    bool upper;
    if (crease_setting(p, i, NULL) == 2) return distance(p, i, x, c, t, work);
    best_subgradient(p, i, x, c, g, t, u, work, &upper);
    for (ptrdiff_t j = 0; j < n; j++) g[j] += c[j], t[j] = -g[j];
    return pos(crease_dot(&p->space[i], g, x) + set->ops->support(set, &p->space[i], t, work));
}

static crease_residual certify_block(const crease_problem *p, const place *at,
                                     const crease_certificate *all, const double *lambda, int i,
                                     double *room)
{
    const crease_reference *r = all->reference;
    const double *const *x = at->x;
    const ptrdiff_t n = crease_size(&p->space[i]), most_n = crs_largest_block(p);
    double *c = room, *g = c + most_n, *t = g + most_n, *u = t + most_n, *v = u + most_n;
    double *work = v + most_n;
    crease_residual out = { .setting = crease_setting(p, i, NULL) };
    const double size = gradient(p, at, r, lambda, i, c, t, u, work);
    give_looks(at);
    if (out.setting == 2) {
        out.residual = distance(p, i, x[i], c, t, work);
        const double entries = crs_whole_size(&p->space[i]);
        out.rounding = size > 0 ? 4 * CRS_UNIT * size + sqrt(entries) * CRS_VANISHING : 0;
        out.scale = r ? crs_scale(r, all->size, larger(crease_norm(&p->space[i], x[i]), r->size[i]),
                                  crs_scale_of_terms(r, i, size))
                      : size;
    } else {
        best_subgradient(p, i, x[i], c, g, t, u, work, &out.upper_bound);
        for (ptrdiff_t j = 0; j < n; j++) v[j] = c[j] + g[j], t[j] = -v[j];
        const crease_set *set = p->block[i].set;
        const double at_x = crease_dot(&p->space[i], v, x[i]);
        const double most_at = set->ops->support(set, &p->space[i], t, work);
        const double reach =
            crease_norm(&p->space[i], x[i]) + set->ops->diameter(set, &p->space[i], 2);
        const double slopes = crease_norm(&p->space[i], g);
        out.rounding = 4 * CRS_UNIT * (size + slopes) * reach;
        out.scale = (size + slopes) * reach;
        if (r)
            out.scale =
                crs_scale(r, all->size, 1, (crs_scale_of_terms(r, i, size) + slopes) * reach);
        out.residual = pos(at_x + most_at);
    }
    out.residual += out.rounding;
    give_looks(at);
    return out;
}

static double relative(const crease_residual *r)
{
    return r->residual == 0 ? 0 : r->residual / r->scale;
}

static void include(crease_certificate *c, const crease_residual *r)
{
    c->worst = larger(c->worst, r->residual);
    c->worst_relative = larger(c->worst_relative, relative(r));
}

/* |sum A_i x_i - b|, of terms |A_i x_i| and |b| */
static crease_residual feasibility(const crease_problem *p, const double *const *x,
                                   const crease_certificate *all, const double *lambda,
                                   double *room)
{
    const crease_reference *r = all->reference;
    const ptrdiff_t m = crease_size(&p->range);
    double *s = room, *term = s + m, *work = term + m;
    crease_residual out = { .setting = 2 };
    for (ptrdiff_t j = 0; j < m; j++) s[j] = p->rhs ? -p->rhs[j] : 0;
    if (p->rhs) out.scale = crease_norm(&p->range, p->rhs);
    for (int i = 0; i < p->count; i++) {
        fill(m, 0, term);
        crs_apply(p, i, 1, x[i], term, work);
        axpy(m, 1, term, s);
        out.scale += crease_norm(&p->range, term);
        (void)crease_watch_over(all->watch);
    }
    out.rounding = 4 * CRS_UNIT * out.scale;
    out.residual = crease_norm(&p->range, s) + out.rounding;
    if (r)
        out.scale = crs_scale(r, all->size, lambda ? crease_norm(&p->range, lambda) : 0,
                              larger(out.scale, 1e-3 * r->constraint));
    return out;
}

static void membership(const crease_problem *p, const double *const *x, crease_certificate *c,
                       double *work)
{
    for (int i = 0; i < p->count; i++) {
        const crease_set *set = p->block[i].set;
        if (set) c->outside = larger(c->outside, set->ops->excess(set, &p->space[i], x[i], work));
    }
}

/* Objective and membership at the start. */
static void begin(const crease_problem *p, const place *at, crease_certificate *c, double *work)
{
    const double *const *x = at->x;
    *c = (crease_certificate){
        .count = p->count, .block = c->block, .reference = c->reference, .watch = c->watch
    };
    const double f = crs_images_f(p, x, at->u, work);
    give_looks(at);
    c->objective = f + crs_regs(p, x, work);
    give_looks(at);
    c->size = c->reference ? crs_objective_size(p, x, f, work) : NAN;
    membership(p, x, c, work);
    give_looks(at);
}

/* NaN through everything at the end, and where squares of entries would be infinite. */
static void finish(const crease_problem *p, const double *const *x, crease_certificate *c)
{
    bool fits = isfinite(c->objective) && isfinite(c->outside);
    for (int i = 0; i < p->count; i++)
        fits = crease_norm(&p->space[i], x[i]) < ldexp(1, 511) && fits;
    if (!fits) c->worst = c->worst_relative = NAN;
}

static void certify_blocks(const crease_problem *p, const place *at, const double *lambda,
                           crease_certificate *c, double *work)
{
    begin(p, at, c, work);
    for (int i = 0; i < p->count; i++) {
        c->block[i] = certify_block(p, at, c, lambda, i, work);
        include(c, &c->block[i]);
    }
}

void crs_certify_known(const crease_problem *p, const double *x, const crs_known *known,
                       crease_certificate *c, double *work)
{
    const place at = { &x, known->images, work, c->watch, known };
    certify_blocks(p, &at, NULL, c, work);
    finish(p, &x, c);
}

void crease_certify(const crease_problem *p, const double *const *x, const double *lambda,
                    crease_certificate *c, double *work)
{
    const place at = place_of(p, x, c->watch, &work);
    certify_blocks(p, &at, lambda, c, work);
    if (p->range.order > 0) {
        c->feasibility = feasibility(p, x, c, lambda, work);
        include(c, &c->feasibility);
    }
    finish(p, x, c);
}

void crs_certify_gap(const crease_problem *p, const double *const *x, crease_certificate *c,
                     double *room)
{
    const ptrdiff_t n = crs_largest_block(p);
    const place at = place_of(p, x, c->watch, &room);
    double *g = room, *y = g + n, *work = y + n, sum = 0, scale = 0;
    begin(p, &at, c, room);
    for (int i = 0; i < p->count; i++) { /* <c,x> + r(x) - min_y <c,y> + r(y) */
        const crease_reg *r = crs_reg_of(p, i);
        const crease_set *set = p->block[i].set;
        const crease_space *s = &p->space[i];
        crs_images_grad(p, x, at.u, i, g, work);
        give_looks(&at);
        const double least = crease_lmo_with(set, r, s, g, y, work);
        const double here = crease_dot(s, g, x[i]) + r->ops->value(r, s, x[i], work);
        crease_residual *out = &c->block[i];
        *out = (crease_residual){ .setting = 1, .residual = pos(here - least) };
        const double wide = set->ops->diameter(set, s, 2), steep = crease_norm(s, g);
        out->rounding = 4 * CRS_UNIT * (steep * wide + fabs(here) + fabs(least));
        out->scale = fabs(here) + fabs(least) +
                     wide * (c->reference ? crs_scale_of_terms(c->reference, i, steep) : steep);
        out->residual += out->rounding;
        sum += out->residual;
        scale += out->scale;
    }
    if (c->reference) scale = crs_scale(c->reference, c->size, 1, scale);
    c->worst = sum;
    c->worst_relative = sum == 0 ? 0 : sum / scale;
    finish(p, x, c);
}

bool crease_certify_gcg(const crease_problem *p, const double *const *x, double *psi,
                        crease_error *e)
{
    if (!crease_problem_check(p, e)) return false;
    for (int i = 0; i < p->count; i++) {
        if (!p->block[i].set)
            return crs_fail(e, CREASE_UNSUPPORTED, "block %d has no set; gcg needs compact sets",
                            i + 1);
        if (!crease_lmo_with_check(p->block[i].set, crs_reg_of(p, i), &p->space[i], e))
            return false;
    }
    crease_certificate c = { .block = crs_alloc((size_t)p->count, sizeof *c.block) };
    double *work = crs_doubles(crs_certify_room(p, true), "a certificate", e);
    const bool done = c.block && work;
    if (done) {
        crs_certify_gap(p, x, &c, work);
        *psi = -c.worst;
    } else {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a certificate of %d blocks", p->count);
    }
    crs_free(c.block);
    crs_free(work);
    return done;
}
