/* SPDX-License-Identifier: MIT
 * blocks: r_i and X_i of a composite problem: proxes, residuals, curvature bounds, coordinates */
#include "certify/certify.h"
#include "composite/composite.h"
#include "set/set.h"

static bool is_separable(const crs_composite *c, int i)
{
    const crease_reg *r = crs_unscaled(crs_reg_of(&c->parts, i));
    const crease_set *set = c->parts.block[i].set;
    crease_bounds box;
    const bool entries = r->ops->kind == CREASE_KIND_ENTRIES ||
                         r->ops->kind == CREASE_KIND_NONNEG || r->ops->kind == CREASE_KIND_RANGE;
    return entries && (!set || crs_set_bounds(set, &box));
}

static bool is_spectral(const crs_composite *c, int i)
{
    const crease_set *set = c->parts.block[i].set;
    return crs_unscaled(crs_reg_of(&c->parts, i))->ops->kind == CREASE_KIND_SPECTRAL ||
           (set && set->ops->matrix && !set->ops->polyhedral && !set->ops->solid);
}

static void describe_coordinate(const crease_reg *r, double alpha, const crease_bounds *box,
                                ptrdiff_t j, crs_coordinate *k)
{
    *k = (crs_coordinate){ .rho = r->penalty, .par = r->par, .low = -INFINITY, .high = INFINITY };
    k->weight = alpha * reg_weight(r, j);
    if (r->ops->kind == CREASE_KIND_RANGE) k->rho = NULL, k->low = r->par[0], k->high = r->par[1];
    if (r->ops->kind == CREASE_KIND_NONNEG) k->low = 0;
    if (box) {
        k->low = larger(k->low, lower_at(box, j));
        k->high = smaller(k->high, upper_at(box, j));
    }
    k->kink = k->rho && k->weight > 0 && k->rho->slope(k->par, 0) > 0;
}

bool crs_describe_block(crs_composite *c, int i, crease_error *e)
{
    const crease_set *set = c->parts.block[i].set;
    const crease_reg *r = crs_reg_of(&c->parts, i);
    crease_bounds box;
    double alpha = 1;
    c->step[i] = INFINITY;
    c->oracle[i] = set && !set->ops->project;
    if (set && !c->oracle[i] && !crease_setting(&c->parts, i, e)) return false;
    if (set && !c->oracle[i] && !crease_joint_check(r, set, &c->parts.space[i], &c->step[i], e))
        return false;
    c->separable[i] = is_separable(c, i);
    c->spectral[i] = is_spectral(c, i);
    if (!c->separable[i]) return crs_factors_open(c, i, e);
    const bool boxed = set && crs_set_bounds(set, &box);
    for (; r->ops->kind == CREASE_KIND_SCALED; r = r->data) alpha *= r->par[0];
    for (ptrdiff_t j = 0; j < crs_block_size(c, i); j++)
        describe_coordinate(r, alpha, boxed ? &box : NULL, j, &c->by[c->at[i] + j]);
    return true;
}

bool crs_all_separable(const crs_composite *c)
{
    for (int i = 0; i < c->count; i++)
        if (!c->separable[i]) return false;
    return true;
}

bool crs_all_proxes(const crs_composite *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->oracle[i]) return false;
    return true;
}

double crs_coordinate_slope(const crs_coordinate *k, double x)
{
    if (!k->rho || k->weight == 0 || x == 0) return 0;
    return copysign(k->weight * k->rho->slope(k->par, fabs(x)), x);
}

double crs_coordinate_curve(const crs_coordinate *k, double x)
{
    if (!k->rho || k->weight == 0 || !k->rho->curve) return 0;
    const double h = k->weight * k->rho->curve(k->par, fabs(x));
    return isfinite(h) ? h : 0;
}

double crs_nonsmooth_part(const crs_composite *c, const double *x)
{
    double sum = 0;
    for (int i = 0; i < c->count; i++) {
        const crease_reg *r = crs_reg_of(&c->parts, i);
        const crs_thin *f = crs_factors_of(c, i, x + c->at[i]);
        if (!f && crs_is_kind(r, CREASE_KIND_SPECTRAL)) c->work->spectra++;
        sum += f ? crs_spectral_value(r, f)
                 : r->ops->value(r, &c->parts.space[i], x + c->at[i], c->room);
    }
    return sum;
}

void crs_prox_block(const crs_composite *c, int i, double gamma, const double *v, double *t)
{
    const crease_reg *r = crs_reg_of(&c->parts, i);
    const crease_set *set = c->parts.block[i].set;
    const crease_space *s = &c->parts.space[i];
    c->work->spectra += c->spectral[i];
    if (crs_factors_prox(c, i, gamma, v, t)) return;
    if (set)
        crease_joint_prox(r, set, s, gamma, v, t, c->room);
    else
        r->ops->prox(r, s, gamma, v, t, c->room);
}

void crs_prox(const crs_composite *c, const double *gamma, const double *v, double *t)
{
    for (int i = 0; i < c->count; i++) crs_prox_block(c, i, gamma[i], v + c->at[i], t + c->at[i]);
}

double crs_block_residual(const crs_composite *c, int i, const double *x, const double *g)
{
    const crs_thin *f = crs_factors_of(c, i, x + c->at[i]);
    double *toward = c->certify_room;
    if (!f) {
        c->work->spectra += c->spectral[i];
        return crs_stationarity(&c->parts, i, x + c->at[i], g + c->at[i], c->certify_room);
    }
    const ptrdiff_t n = crs_block_size(c, i);
    for (ptrdiff_t j = 0; j < n; j++) toward[j] = -g[c->at[i] + j];
    return crs_spectral_dist(crs_reg_of(&c->parts, i), f, toward, toward + n);
}

double crs_residual(const crs_composite *c, const double *x, const double *g,
                    const double *tolerance)
{
    double worst = 0;
    for (int i = 0; i < c->count; i++) {
        const double r = crs_block_residual(c, i, x, g);
        worst = larger(worst, r == 0 ? 0 : r / tolerance[i]);
    }
    return worst;
}

/* phi'' of a term from above, or its median at u where there is no bound. */
static double steepness(const crs_composite *c, const crs_term *t, const double *u)
{
    double each = t->each ? 0 : 1;
    for (ptrdiff_t j = 0; t->each && j < t->rows; j++) each = larger(each, t->each[j]);
    if (!t->loss) return fabs(t->weight);
    const crs_range bend = loss_bend(t->loss, t->par, (crs_range){ -INFINITY, INFINITY });
    const double high = larger(fabs(bend.low), fabs(bend.high));
    if (high < INFINITY && high > 0) return fabs(t->weight) * each * high;
    if (!crs_term_curve(t, u + t->at, c->slope)) return fabs(t->weight) * each;
    for (ptrdiff_t j = 0; j < t->rows; j++) c->slope[j] = fabs(c->slope[j]);
    return crs_median(t->rows, c->slope);
}

static bool add_curvatures(const crs_composite *c, const crs_term *t, const double *u, double *L,
                           crease_error *e)
{
    const double h = steepness(c, t, u);
    for (int k = 0; k < t->parts; k++) {
        crs_matrix *K = t->part[k].matrix;
        double products;
        if (!crs_matrix_norm(K, &products, e)) return false;
        c->work->entries += 2 * products * crs_matrix_entries(K);
        L[t->part[k].block] += h * (t->loss ? square(K->norm) : K->norm);
    }
    return true;
}

/* |grad_i rest(x + d) - grad_i rest(x)| / |d| for a short d along the gradient. */
static double guess_curvature(const crs_composite *c, const crease_blocks *b, int i, double *room)
{
    const crease_smooth *f = &c->rest;
    const ptrdiff_t n = crs_block_size(c, i);
    const double *x = c->point[i];
    double *g = room, *moved = room + n, *near = room + 2 * n, size = 0, length = 0, change = 0;
    fill(2 * n, 0, g);
    f->ops->grad(f, b, c->point, i, g, c->room);
    for (ptrdiff_t j = 0; j < n; j++) size += square(x[j]), length += square(g[j]);
    const double step =
        1e-4 * larger(sqrt(size), 1) / (length > 0 ? sqrt(length) : sqrt((double)n));
    for (ptrdiff_t j = 0; j < n; j++) near[j] = x[j] - step * (length > 0 ? g[j] : 1);
    c->point[i] = near;
    f->ops->grad(f, b, c->point, i, moved, c->room);
    c->point[i] = x;
    for (ptrdiff_t j = 0; j < n; j++) change += square(moved[j] - g[j]);
    return sqrt(change) / (step * (length > 0 ? sqrt(length) : sqrt((double)n)));
}

/* Of `rest` in block i: its own word, the constant of the region, or a guess. Not finite: none. */
static double rest_curvature(const crs_composite *c, const crease_blocks *b, int i, double *room)
{
    const crease_smooth *f = &c->rest;
    crease_constants about;
    double h = INFINITY;
    if (f->ops->curvature)
        h = f->ops->curvature(f, b, c->point, i, c->room);
    else if (f->ops->constants(f, b, -1, &about, room, NULL))
        h = room[i];
    return h < INFINITY ? h : guess_curvature(c, b, i, room);
}

bool crs_block_curvatures(const crs_composite *c, const double *x, const double *u, double *L,
                          crease_error *e)
{
    const crease_blocks b = crs_blocks(&c->parts);
    const crease_smooth *f = &c->rest;
    double top = 0, *room = NULL;
    fill(c->count, 0, L);
    for (int t = 0; t < c->terms; t++)
        if (!add_curvatures(c, &c->term[t], u, L, e)) return false;
    if (f->ops && !(room = crs_doubles(3 * c->n + c->count, "the curvature of f", e))) return false;
    for (int i = 0; i < c->count; i++) c->point[i] = x + c->at[i];
    for (int i = 0; i < c->count; i++) {
        const double h = f->ops && f->ops->touches(f, i) ? rest_curvature(c, &b, i, room) : 0;
        if (h < INFINITY) L[i] += h;
        if (L[i] < INFINITY) top = larger(top, L[i]);
    }
    crs_free(room);
    for (int i = 0; i < c->count; i++)
        L[i] = L[i] < INFINITY ? larger(L[i], top > 0 ? 1e-12 * top : 1) : larger(top, 1);
    return true;
}
