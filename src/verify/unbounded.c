/* SPDX-License-Identifier: MIT
 * unbounded: a proof that F falls without end, from the definitions
 *
 * Along x + t d, t >= 0, x feasible, sum A_i d_i = 0 and d_i a direction of recession of X_i and of
 * the domain of r_i, F falls without end when its second derivative there is negative, or is 0
 * while the slope, f's and that of the r_i at infinity, is negative. d is a vector of doubles: a
 * number counts as 0 where the rounding of d explains it. Rockafellar, Convex analysis, 1970,
 * section 8. */
#include <stdio.h>

#include "verify/verify.h"

static const real AS_DOUBLE = 2 * (DBL_EPSILON / LDBL_EPSILON); /* roundings here per one of d */

/* sum_i A_i z_i, and sum_i |A_i z_i|; NULL: no memory, or refused */
static num *constraint_of(crs_verifier *v, const double *const *z, real *size)
{
    const crease_problem *p = v->p;
    const ptrdiff_t m = crease_size(&p->range);
    num *sum = crs_nums(v, m);
    *size = 0;
    for (int i = 0; sum && i < p->count; i++) {
        if (!p->block[i].map.ops) continue;
        void *mark = v->rooms;
        const num *in = crs_exact(v, crease_size(&p->space[i]), z[i]);
        num *part = crs_nums(v, m);
        real square = 0;
        if (!in || !part ||
            !crs_multiply(v, &p->block[i].map, &p->space[i], &p->range, false, in, part))
            return NULL;
        for (ptrdiff_t j = 0; j < m; j++) {
            sum[j] = add(sum[j], part[j]);
            square += part[j].v * part[j].v;
        }
        *size += sqrtl(square);
        crs_rooms_release(v, mark);
    }
    return sum;
}

/* F(x + t d) <= F(x) + slope t + (bend/2) t^2 + what grows less than t */
typedef struct {
    crs_verifier *v;
    const double *const *x, *const *d, *const *zero;
    num slope, bend;
} course;

static bool moves(const course *c, int i)
{
    for (ptrdiff_t j = 0, n = crease_size(&c->v->p->space[i]); j < n; j++)
        if (c->d[i][j] != 0) return true;
    return false;
}

/* <grad f(at), d> */
static bool slope_at(course *c, const crease_smooth *f, const double *const *at, num *out)
{
    const crease_problem *p = c->v->p;
    void *mark = c->v->rooms;
    num **g = crs_room(c->v, p->count, sizeof *g);
    for (int i = 0; g && i < p->count; i++)
        if (moves(c, i) && !(g[i] = crs_nums(c->v, crease_size(&p->space[i])))) return false;
    if (!g || !crs_add_gradient(c->v, f, at, g)) return false;
    for (int i = 0; i < p->count; i++)
        for (ptrdiff_t j = 0, n = crease_size(&p->space[i]); g[i] && j < n; j++)
            gather(out, g[i][j], exact(c->d[i][j]));
    crs_rooms_release(c->v, mark);
    return true;
}

/* of a quadratic: its gradient is affine */
static bool along_quadratic(course *c, const crease_smooth *f)
{
    num at_d = exact(0), at_zero = exact(0);
    if (!slope_at(c, f, c->d, &at_d) || !slope_at(c, f, c->zero, &at_zero)) return false;
    const num bend = add(at_d, neg(at_zero));
    if (!explained(bend)) c->bend = add(c->bend, bend);
    return slope_at(c, f, c->x, &c->slope);
}

static bool along_multilinear(course *c, const crease_smooth *f)
{
    const crease_multilinear_data *m = f->data;
    int moving = 0;
    for (int n = 0; n < m->shape.order; n++) moving += moves(c, m->block[n]);
    if (moving > 1) return crs_refuse(c->v, "the multilinear form moves in several blocks at once");
    return moving == 0 || slope_at(c, f, c->x, &c->slope);
}

static bool along_f(course *c, const crease_smooth *f)
{
    static const char *const quadratic[] = { "quadratic", "squared_distance", "least_squares" };
    const char *name = f->ops->name;
    num probe = exact(0);
    if (f->ops->family == CREASE_SMOOTH_SUM) {
        const crease_smooth_list *l = f->data;
        bool done = true;
        for (int k = 0; done && k < l->count; k++) done = along_f(c, &l->term[k]);
        return done;
    }
    if (!slope_at(c, f, c->x, &probe)) return false; /* only of the catalogue */
    for (size_t k = 0; k < sizeof quadratic / sizeof *quadratic; k++)
        if (strcmp(name, quadratic[k]) == 0) return along_quadratic(c, f);
    if (strcmp(name, "multilinear") == 0) return along_multilinear(c, f);
    if (crs_is_loss(f)) return crs_loss_growth(c->v, f, c->d, &c->slope);
    return crs_refuse(c->v, "how '%s' grows along d is not known", name);
}

/* w rho(|x|) at infinity: (slope, bend) times |d|, |d|^2. What is not named grows less than t. */
static void along_penalty(course *c, const crs_known_reg *k, real weight, num size)
{
    const char *name = k->rule->name;
    const real w = k->factor * weight;
    const bool net = strcmp(name, "elastic-net") == 0, square = strcmp(name, "squared-l2") == 0;
    if (net || strcmp(name, "l1") == 0 || strcmp(name, "huber") == 0)
        gather(&c->slope, exact(w * k->par[0]), size);
    if (net || square) gather(&c->bend, exact(w * k->par[net]), mul(size, size));
}

/* The quadratic part of r also has the slope w <x, d>. */
static void along_squares(course *c, const crs_known_reg *k, int i, ptrdiff_t j, real weight)
{
    const bool net = strcmp(k->rule->name, "elastic-net") == 0;
    if (!net && strcmp(k->rule->name, "squared-l2") != 0) return;
    gather(&c->slope, exact(k->factor * weight * k->par[net]),
           mul(exact(c->x[i][j]), exact(c->d[i][j])));
}

static bool along_spectrum(course *c, const crs_known_reg *k, int i)
{
    const crease_space *s = &c->v->p->space[i];
    const ptrdiff_t n = crease_size(s);
    real *d = crs_reals(c->v, n);
    crs_svd_real f;
    for (ptrdiff_t j = 0; d && j < n; j++) d[j] = c->d[i][j];
    if (!d || !crs_jacobi(c->v, s->dim[0], s->dim[1], d, &f)) return false;
    for (ptrdiff_t j = 0; j < f.k; j++)
        along_penalty(c, k, 1, (num){ f.s[j], working_roundings(n) * f.s[0] });
    for (ptrdiff_t j = 0; j < n; j++) along_squares(c, k, i, j, 1);
    return true;
}

static bool along_reg(course *c, int i)
{
    const crease_problem *p = c->v->p;
    const double *d = c->d[i];
    const ptrdiff_t n = crease_size(&p->space[i]);
    crs_known_reg k;
    if (!moves(c, i)) return true;
    if (!crs_know_reg(c->v, &p->block[i].reg, &k)) return false;
    if (k.kind == CRS_SPECTRUM) return along_spectrum(c, &k, i);
    for (ptrdiff_t j = 0; k.kind == CRS_VARIATION && j + 1 < n; j++) {
        const num jump = add(exact(d[j + 1]), neg(exact(d[j])));
        gather(&c->slope, exact(k.factor * k.par[0]), (num){ fabsl(jump.v), jump.e });
    }
    for (ptrdiff_t j = 0; k.kind == CRS_ENTRIES && j < n; j++) {
        const real w = k.weight ? k.weight[j] : 1;
        along_penalty(c, &k, w, exact(fabsl((real)d[j])));
        along_squares(c, &k, i, j, w);
    }
    for (ptrdiff_t g = 0; k.kind == CRS_GROUPS && g < k.groups->count; g++) {
        const real w = k.weight ? k.weight[g] : 1;
        real sum = 0;
        for (ptrdiff_t q = k.groups->start[g]; q < k.groups->start[g + 1]; q++) {
            const ptrdiff_t j = k.groups->index ? k.groups->index[q] : q;
            sum += (real)d[j] * d[j];
            along_squares(c, &k, i, j, w);
        }
        along_penalty(c, &k, w, (num){ sqrtl(sum), working_roundings(n) * sqrtl(sum) });
    }
    return true;
}

/* The same of a half-space, a hyperplane and the cones: a'd <= 0 or = 0, d in the cone. */
static bool recedes_in_cone(crs_verifier *v, const crease_set *c, const crease_space *s,
                            const double *d, double sign)
{
    const crs_set_rule *rule = crs_set_rule_of(v, c);
    const ptrdiff_t n = crease_size(s);
    real *x = crs_reals(v, n);
    crs_membership m = { 0, true };
    crs_row row;
    num sum = exact(0);
    if (!rule || !x) return false;
    for (ptrdiff_t j = 0; j < n; j++) x[j] = sign * d[j];
    if (crs_row_of(c, &row)) {
        for (ptrdiff_t j = 0; j < n; j++) gather(&sum, exact(row_at(&row, j)), exact(x[j]));
        return explained(sum) || (!row.equality && sum.v < 0);
    }
    rule->membership(v, c, s, x, 0, &m);
    return m.inside && !v->no_memory && !v->unsupported;
}

/* Is x + t d in the set for all t >= 0, x in it? */
static bool recedes(crs_verifier *v, const crease_set *c, const crease_space *s, real low,
                    real high, const double *d, double sign)
{
    crs_box box;
    bool inside = true;
    if (c && strcmp(c->ops->name, "product") == 0) {
        const crease_product_set *p = c->data;
        for (int i = 0; i < p->count; d += crease_size(&p->space[i++]))
            inside = inside && recedes(v, &p->inner[i], &p->space[i], low, high, d, sign);
        return inside;
    }
    if (c && strcmp(c->ops->name, "affine") == 0) {
        const crease_affine_set *a = c->data;
        return recedes(v, a->inner, s, low, high, d, a->scale < 0 ? -sign : sign);
    }
    const bool boxed = c && crs_box_of(c, &box);
    const bool cone = c && crs_has_barrier(c) && recedes_in_cone(v, c, s, d, sign);
    const bool free = !c || boxed || cone;
    if (!boxed) box = (crs_box){ .low = -INFINITY, .high = INFINITY };
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const double to = sign * d[j];
        const bool up = isinf(box_high(&box, j)) && isinf(high);
        const bool down = isinf(box_low(&box, j)) && isinf(low);
        inside = inside && (d[j] == 0 || (free && (to > 0 ? up : down)));
    }
    return inside;
}

static const char *name_block(const crease_problem *p, int i, char out[48])
{
    if (p->block[i].name)
        snprintf(out, 48, "%.40s", p->block[i].name);
    else
        snprintf(out, 48, "x%d", i + 1);
    return out;
}

static bool disproved(crease_refutation *out, const char *why, const crease_problem *p, int i)
{
    char name[48];
    out->verdict = CREASE_VERDICT_INVALID;
    if (i < 0)
        snprintf(out->text, sizeof out->text, "%s", why);
    else
        snprintf(out->text, sizeof out->text, "block %s: %s", name_block(p, i, name), why);
    return true;
}

/* Where x is and where d leads, block by block. */
static bool judge_blocks(course *c, crease_refutation *out, bool *sound)
{
    const crease_problem *p = c->v->p;
    *sound = false;
    for (int i = 0; i < p->count; i++) {
        const ptrdiff_t n = crease_size(&p->space[i]);
        crs_membership m = { 0, true };
        crs_known_reg k;
        if (!crs_know_reg(c->v, &p->block[i].reg, &k)) return false;
        if (!crs_all_finite(n, c->x[i]) || !crs_all_finite(n, c->d[i]))
            return disproved(out, "an entry is not finite", p, i);
        const crs_set_rule *rule = p->block[i].set ? crs_set_rule_of(c->v, p->block[i].set) : NULL;
        if (p->block[i].set && !rule) return false;
        real *x = crs_reals(c->v, n);
        for (ptrdiff_t j = 0; x && j < n; j++) {
            x[j] = c->x[i][j];
            if (x[j] < k.low || x[j] > k.high) m.inside = false;
        }
        if (x && rule) rule->membership(c->v, p->block[i].set, &p->space[i], x, 0, &m);
        if (c->v->no_memory || c->v->unsupported) return false;
        if (!m.inside) return disproved(out, "x is outside its set", p, i);
        if (!recedes(c->v, p->block[i].set, &p->space[i], k.low, k.high, c->d[i], 1))
            return disproved(out, "d leads out of the set", p, i);
    }
    return *sound = true;
}

/* |A x - b| <= eps, relative to sum |A_i x_i| + |b| or not, and A d = 0 */
static bool judge_constraint(course *c, double eps, bool relative, crease_refutation *out,
                             bool *sound)
{
    const crease_problem *p = c->v->p;
    const ptrdiff_t m = p->range.order > 0 ? crease_size(&p->range) : 0;
    real square = 0, rhs = 0, size, unread;
    if (m == 0) return true;
    const num *s = constraint_of(c->v, c->x, &size), *shift = constraint_of(c->v, c->d, &unread);
    *sound = false;
    if (!s || !shift) return false;
    for (ptrdiff_t j = 0; j < m; j++) {
        const num off = add(s[j], exact(p->rhs ? -(real)p->rhs[j] : 0));
        rhs += p->rhs ? (real)p->rhs[j] * p->rhs[j] : 0;
        square += (fabsl(off.v) + 2 * off.e) * (fabsl(off.v) + 2 * off.e);
        if (!explained(shift[j])) return disproved(out, "d leaves the constraint", p, -1);
    }
    if (!(sqrtl(square) <= eps * (relative ? size + sqrtl(rhs) : 1)))
        return disproved(out, "x does not satisfy the constraint to eps", p, -1);
    return *sound = true;
}

static void judge_course(const course *c, crease_refutation *out)
{
    const crease_problem *p = c->v->p;
    const bool bent = !explained(c->bend);
    const num decides = bent ? c->bend : c->slope;
    char names[80] = "", name[48];
    size_t used = 0;
    out->margin = (double)(decides.v + 2 * decides.e);
    if (!(decides.v + AS_DOUBLE * decides.e < 0)) {
        disproved(out, "F does not fall along d", p, -1);
        return;
    }
    for (int i = 0; i < p->count && used < sizeof names; i++) {
        if (!moves(c, i)) continue;
        used += (size_t)snprintf(names + used, sizeof names - used, " %s", name_block(p, i, name));
    }
    out->verdict = CREASE_VERDICT_VALID;
    snprintf(out->text, sizeof out->text, "F falls without end along a ray of%s: its %s is %.3g",
             names, bent ? "second derivative" : "slope", out->margin);
}

static bool follow(course *c, double eps, bool relative, crease_refutation *out)
{
    const crease_problem *p = c->v->p;
    bool sound = true;
    double **zero = crs_room(c->v, p->count, sizeof *zero);
    for (int i = 0; zero && i < p->count; i++)
        if (!(zero[i] = crs_room(c->v, crease_size(&p->space[i]), sizeof **zero))) return false;
    if (!zero) return false;
    c->zero = (const double *const *)zero;
    if (!judge_blocks(c, out, &sound)) return false;
    if (sound && !judge_constraint(c, eps, relative, out, &sound)) return false;
    if (!sound) return true;
    if (p->f.ops && !along_f(c, &p->f)) return false;
    for (int i = 0; i < p->count; i++)
        if (!along_reg(c, i)) return false;
    judge_course(c, out);
    return true;
}

bool crease_verify_unbounded(const crease_problem *p, const double *const *x,
                             const double *const *d, double eps, bool relative,
                             crease_refutation *out, crease_error *e)
{
    crs_verifier v = { .p = p };
    course c = { .v = &v, .x = x, .d = d };
    *out = (crease_refutation){ .margin = NAN, .radius = NAN };
    if (!crease_problem_check(p, e)) return false;
    for (int i = 0; i < p->count; i++)
        if (!x || !d || !x[i] || !d[i])
            return crs_fail(e, CREASE_BAD_ARGUMENT, "x or d of block %d is NULL; give both", i + 1);
    const bool found = crs_is_whole(&v) && follow(&c, eps, relative, out);
    return crs_refutation_close(&v, found, out, e);
}
