/* SPDX-License-Identifier: MIT
 * unsplit: c D x + s z = 0, D the differences of a vector x, free or with mu |x|_1, z with an l1
 * penalty and nowhere else: z = -(c/s) D x, so that x has the total variation as its penalty and z
 * is gone
 *
 * Back: v = x - gamma grad f(x), y = prox_{gamma TV}(v), and D'nu = (v - y)/gamma by a cumulative
 * sum, |nu_k| <= lambda |c/s|, with equality at the jumps of y. Then (y, -(c/s) D y) with the
 * multiplier -nu/c is stationary where x is. */
#include <stdio.h>

#include "core/carve.h"
#include "presolve/presolve.h"

typedef struct {
    int x, z; /* blocks of `from` */
    double c, s, lambda, mu;
    double *v, *g, *u, *L; /* of `to` */
    void *memory;
    crs_composite *to;
} splitting;

/* K = c D, with c in *c? */
static bool is_difference(const crs_matrix *K, double *c)
{
    if (K->kind != CRS_SPARSE || K->rows != K->cols - 1 || K->start[K->cols] != 2 * K->rows)
        return false;
    *c = -K->value[0];
    for (ptrdiff_t j = 0; j < K->cols; j++) {
        ptrdiff_t k = K->start[j];
        if (j > 0 && (K->row[k] != j - 1 || K->value[k++] != *c)) return false;
        if (j < K->rows && (K->row[k] != j || K->value[k++] != -*c)) return false;
        if (k != K->start[j + 1]) return false;
    }
    return *c != 0;
}

/* The one lambda of lambda |z|_1 on all of block z; 0: it is something else. */
static double l1_of(const crs_composite *c, int z)
{
    const crs_coordinate *first = &c->by[c->at[z]];
    if (!c->separable[z] || first->rho != &crs_l1) return 0;
    const double lambda = first->weight * first->par[0];
    for (ptrdiff_t j = c->at[z]; j < c->at[z + 1]; j++) {
        const crs_coordinate *k = &c->by[j];
        if (k->rho != &crs_l1 || k->weight * k->par[0] != lambda) return 0;
        if (k->low > -INFINITY || k->high < INFINITY) return 0;
    }
    return lambda;
}

/* mu of mu |x|_1 on a vector; 0: it is free; NaN: it is something else. */
static double own_l1_of(const crs_composite *c, int i)
{
    const crs_coordinate *first = &c->by[c->at[i]];
    if (!c->separable[i] || c->parts.space[i].order != 1) return NAN;
    const bool penalized = first->rho && first->rho != &crs_zero && first->weight > 0;
    const double mu = penalized ? l1_of(c, i) : 0;
    for (ptrdiff_t j = c->at[i]; !penalized && j < c->at[i + 1]; j++) {
        const crs_coordinate *k = &c->by[j];
        if ((k->rho && k->rho != &crs_zero && k->weight > 0) || k->low > -INFINITY ||
            k->high < INFINITY)
            return NAN;
    }
    return penalized && mu == 0 ? NAN : mu;
}

static bool touches(const crs_composite *c, int i)
{
    for (int t = 0; t < c->terms; t++)
        for (int k = 0; k < c->term[t].parts; k++)
            if (c->term[t].part[k].block == i || !c->term[t].loss) return true;
    return false;
}

static bool is_zero(ptrdiff_t n, const double *b)
{
    for (ptrdiff_t j = 0; b && j < n; j++)
        if (b[j] != 0) return false;
    return true;
}

/* Does it apply with block x differenced and block z the differences? */
static bool applies(const crs_composite *c, splitting *s)
{
    const crs_term *A = c->constraint;
    for (int k = 0; k < 2; k++) {
        const crs_term_part *x = &A->part[k], *z = &A->part[1 - k];
        if (z->matrix->kind != CRS_SCALAR || z->matrix->scale == 0) continue;
        s->mu = own_l1_of(c, x->block);
        if (!is_difference(x->matrix, &s->c) || isnan(s->mu) || touches(c, z->block)) continue;
        s->x = x->block, s->z = z->block, s->s = z->matrix->scale;
        s->lambda = l1_of(c, z->block) * fabs(s->c / s->s);
        if (s->lambda > 0 && is_zero(crs_block_size(c, s->z), c->linear + c->at[s->z])) return true;
    }
    return false;
}

static void carve(void *self, crs_carver *v)
{
    splitting *s = self;
    s->v = carve_doubles(v, s->to->n, 1);
    s->g = carve_doubles(v, s->to->n, 1);
    s->u = carve_doubles(v, s->to->rows, 1);
    s->L = carve_doubles(v, s->to->count, 1);
}

static void release(crs_reduction *r)
{
    splitting *s = r->data;
    if (s) crs_free(s->memory);
    crs_free(s);
}

static void back(const crs_reduction *r, const double *x, const double *lambda, double *X,
                 double *Lambda)
{
    const splitting *s = r->data;
    const crs_composite *from = r->from, *to = r->to;
    const int at = s->x > s->z ? s->x - 1 : s->x;
    const ptrdiff_t n = crs_block_size(to, at), first = to->at[at];
    double *y = X + from->at[s->x], *z = X + from->at[s->z], sum = 0;
    (void)lambda;
    for (int i = 0; i < to->count; i++)
        copy(crs_block_size(to, i), x + to->at[i], X + from->at[r->kept[i]]);
    crs_smooth_both(to, x, s->u, s->g);
    const double gamma = 0.5 / s->L[at];
    const crease_reg tv = crease_tv1d(s->lambda);
    for (ptrdiff_t j = 0; j < n; j++) s->v[j] = x[first + j] - gamma * s->g[first + j];
    tv.ops->prox(&tv, &to->parts.space[at], gamma, s->v, y, NULL);
    for (ptrdiff_t j = 0; j < n; j++) {
        s->v[j] = (s->v[j] - y[j]) / gamma;
        y[j] = copysign(pos(fabs(y[j]) - gamma * s->mu), y[j]);
    }
    for (ptrdiff_t j = 0; j < n - 1; j++) {
        const double jump = y[j + 1] - y[j];
        sum -= s->v[j];
        const double nu = jump > 0 ? s->lambda : jump < 0 ? -s->lambda : sum;
        z[j] = -s->c / s->s * jump;
        Lambda[j] = -clip(nu, -s->lambda, s->lambda) / s->c;
    }
}

bool crs_unsplit(const crs_composite *c, crs_reduction *out, crease_error *e)
{
    char name[32], of[32];
    splitting found = { 0 };
    if (!c->constraint || c->constraint->parts != 2 || c->rest.ops ||
        !is_zero(c->constraint->rows, c->constraint->rhs) || !applies(c, &found))
        return false;
    const crease_reg tv =
        found.mu > 0 ? crs_fused(found.lambda, found.mu) : crease_tv1d(found.lambda);
    crs_room room = { c->terms, 0, c->rows, 0, &tv, found.x };
    for (int t = 0; t < c->terms; t++) room.parts += c->term[t].parts;
    splitting *s = out->data = crs_alloc(1, sizeof *s);
    out->release = release;
    out->kept = crs_alloc((size_t)c->count, sizeof *out->kept);
    if (!s || !out->kept) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a reduced problem");
    *s = found;
    for (int i = 0; i < c->count - 1; i++) out->kept[i] = i < s->z ? i : i + 1;
    out->to = s->to = crs_composite_without(c, s->z, &room, e);
    if (!out->to) return false;
    for (int t = 0; t < c->terms; t++)
        if (!crs_keep_term(&c->term[t], s->z, out->to, e)) return false;
    s->memory = carve_block(carve, s);
    if (!s->memory) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a reduced problem");
    crs_products(out->to, out->to->start, s->u);
    if (!crs_block_curvatures(out->to, out->to->start, s->u, s->L, e)) return false;
    out->back = back;
    snprintf(out->text, sizeof out->text,
             "block %s holds the differences of block %s: un-split, total variation instead",
             crs_block_name(&c->parts, s->z, name), crs_block_name(&c->parts, s->x, of));
    return true;
}
