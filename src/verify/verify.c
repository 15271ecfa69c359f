/* SPDX-License-Identifier: MIT
 * verify: c_i = grad_i f - A_i'lambda, the residual of every condition, and the verdict on a point
 *
 * The residual of a block, in the setting that its pair (r_i, X_i) has:
 *   no set                        setting 2: dist(-c, dr(x))
 *   r Lipschitz, X_i compact      setting 1, in gap.c
 *   r = l0, X_i an l2 ball        the same: d(r + indicator)(x) = dr(x) + N_X(x) there
 *   r by entries, X_i a box       setting 2: dist(-c, d(r + indicator)(x))
 *   r zero or squares             the same, where the normals of X_i are known
 *   r by entries, without kink    the same, by one multiplier
 *   or infinite slope, X_i a row
 *   on a box */
#include <stdio.h>

#include "verify/verify.h"

/* The point to be judged. */
typedef struct {
    const double *const *x;
    const double *lambda;
    const double *const *g;
    bool gcg, relative;
    crs_reference ref; /* of a relative one */
    real whole;        /* D; INFINITY: none */
} point;

typedef struct {
    crs_finding *block, feasibility;
    crs_membership *member; /* of x_i in X_i */
    bool coarse;            /* was anything done in double? */
} evidence;

/* Of a large matrix and its nuclear norm: do bounds decide the condition? A residual that is above
 * eps is then known from above alone, and that it is above from below. */
static bool bounds_decide(crs_verifier *v, const crs_place *at, const crs_known_reg *k,
                          crs_finding *f)
{
    const crease_space *s = &v->p->space[at->i];
    const ptrdiff_t n = crease_size(s);
    const bool nuclear = k->kind == CRS_SPECTRUM && strcmp(k->rule->name, "l1") == 0 && !k->weight;
    const real w = nuclear ? k->factor * k->par[0] : 0;
    void *mark = v->rooms;
    if (!nuclear || !(w > 0) || n < CRS_MATRIX) return false;
    const crs_spread d = crs_nuclear_distance(v, at, w);
    crs_rooms_release(v, mark);
    f->scale = crs_scale(at->size, at->own, at->whole, bigger(crs_length(n, at->x), at->far));
    const real limit = v->relative ? v->eps * f->scale : v->eps;
    f->residual = d.high;
    f->rounding = at->error;
    return d.high + 2 * at->error <= limit || (d.high < INFINITY && d.low - at->error > limit);
}

/* dist(-c, d(r + indicator of box or row)(x)) moves by no more than c does. */
static bool distance(crs_verifier *v, const crs_place *at, const crs_known_reg *k,
                     const crs_box *box, const crs_row *row, crs_finding *f)
{
    const crease_space *s = &v->p->space[at->i];
    const ptrdiff_t n = crease_size(s);
    const crs_subdifferential d = { k, s, row ? &row->box : box, at->x, 0 };
    real *t = crs_reals(v, n), *g = crs_reals(v, n), moved = 0;
    crs_sizes size;
    if (!t || !g) return false;
    for (ptrdiff_t j = 0; j < n; j++) t[j] = -at->c[j];
    if (row && !crs_move_by_row(v, row, &d, t, &moved)) return false;
    if (!crs_nearest_point(v, &d, t, g, &size)) return false;
    size.used += moved;
    for (ptrdiff_t j = 0; j < n; j++) t[j] -= g[j];
    f->residual = crs_length(n, t);
    f->rounding = at->error + working_roundings(n) * size.used;
    if (f->residual < INFINITY) f->rounding += working_roundings(n) * f->residual;
    f->scale = crs_scale(at->size, at->own, at->whole, bigger(crs_length(n, at->x), at->far));
    f->upper_bound = k->kind == CRS_SPECTRUM && k->rule->kink;
    return true;
}

static bool is_smooth(const crs_known_reg *k)
{
    const bool squares = strcmp(k->rule->name, "squared-l2") == 0;
    return (squares || strcmp(k->rule->name, "zero") == 0) && k->kind != CRS_VARIATION &&
           k->low == -INFINITY && k->high == INFINITY;
}

/* dist(-c - grad r(x), N(x)) */
static bool normal_distance(crs_verifier *v, const crs_place *at, const crs_known_reg *k,
                            crs_finding *f)
{
    const crease_space *s = &v->p->space[at->i];
    const ptrdiff_t n = crease_size(s);
    real *t = crs_reals(v, n), *g = crs_reals(v, n);
    crs_sizes size;
    if (!t || !g) return false;
    if (!crs_nearest_point(v, &(crs_subdifferential){ k, s, NULL, at->x, 0 }, t, g, &size))
        return false;
    for (ptrdiff_t j = 0; j < n; j++) t[j] = -at->c[j] - g[j];
    const real norm = crs_length(n, t);
    if (!crs_nearest_normal(v, v->p->block[at->i].set, s, at->x, t, g)) return false;
    for (ptrdiff_t j = 0; j < n; j++) t[j] -= g[j];
    f->residual = crs_length(n, t);
    f->rounding = at->error + working_roundings(n) * (size.used + norm);
    f->scale = crs_scale(at->size, at->own, at->whole, bigger(crs_length(n, at->x), at->far));
    return true;
}

static bool is_sparse_ball(const crs_known_reg *k, const crs_set_rule *rule)
{
    return k->kind == CRS_ENTRIES && strcmp(k->rule->name, "l0") == 0 && k->low == -INFINITY &&
           k->high == INFINITY && strcmp(rule->name, "l2-ball") == 0;
}

static bool is_lipschitz(const crs_known_reg *k, const crease_space *s)
{
    const ptrdiff_t n = k->kind == CRS_GROUPS ? k->groups->count : crease_size(s);
    bool present = !k->weight;
    if (k->low > -INFINITY || k->high < INFINITY) return false;
    if (!k->rule->steep || !(k->par[0] > 0)) return true;
    for (ptrdiff_t j = 0; k->weight && j < n; j++) present = present || k->weight[j] > 0;
    return !present;
}

static bool find_block(crs_verifier *v, const crs_place *at, const double *g, crs_finding *f)
{
    const crease_block *b = &v->p->block[at->i];
    const crease_space *s = &v->p->space[at->i];
    crs_known_reg k;
    crs_box box;
    crs_row row;
    if (!crs_know_reg(v, &b->reg, &k)) return false;
    if (!b->set && bounds_decide(v, at, &k, f)) return true;
    if (!b->set) return distance(v, at, &k, NULL, NULL, f);

    const crs_set_rule *rule = crs_set_rule_of(v, b->set);
    const real diameter = rule ? rule->diameter(v, b->set, s) : (real)NAN;
    if (!rule || v->no_memory) return false;
    if ((diameter < INFINITY && is_lipschitz(&k, s)) || is_sparse_ball(&k, rule))
        return crs_find_gap(v, at, &k, g, f);
    if (k.kind == CRS_ENTRIES && crs_box_of(b->set, &box))
        return distance(v, at, &k, &box, NULL, f);
    if (k.kind == CRS_ENTRIES && is_lipschitz(&k, s) && !k.rule->kink && crs_row_of(b->set, &row))
        return distance(v, at, &k, NULL, &row, f);
    if (is_smooth(&k)) return normal_distance(v, at, &k, f);
    return crs_refuse(v, "block %d: %s on %s has no computable residual", at->i + 1, k.rule->name,
                      rule->name);
}

static num norm_of(ptrdiff_t n, const num *a) /* |a|, and a bound of what rounding did to it */
{
    real values = 0, errors = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        values += a[j].v * a[j].v;
        errors += a[j].e * a[j].e;
    }
    return (num){ sqrtl(values), sqrtl(errors) + working_roundings(n) * sqrtl(values) };
}

static bool constrained(const crease_problem *p, int i)
{
    return p->range.order > 0 && p->block[i].map.ops;
}

/* |sum A_i x_i - b|, of size sum |A_i x_i| + |b| */
static bool feasibility(crs_verifier *v, const point *at, crs_finding *f)
{
    const crease_problem *p = v->p;
    const ptrdiff_t m = crease_size(&p->range);
    num *s = crs_nums(v, m);
    for (ptrdiff_t j = 0; s && j < m; j++) s[j] = exact(p->rhs ? -(real)p->rhs[j] : 0);
    if (!s) return false;
    f->scale = norm_of(m, s).v;
    for (int i = 0; i < p->count; i++) {
        if (!constrained(p, i)) continue;
        void *mark = v->rooms;
        const num *x = crs_exact(v, crease_size(&p->space[i]), at->x[i]);
        num *part = crs_nums(v, m);
        if (!x || !part) return false;
        if (!crs_multiply(v, &p->block[i].map, &p->space[i], &p->range, false, x, part))
            return false;
        f->scale += norm_of(m, part).v;
        for (ptrdiff_t j = 0; j < m; j++) s[j] = add(s[j], part[j]);
        crs_rooms_release(v, mark);
    }
    const num norm = norm_of(m, s);
    f->residual = norm.v;
    f->rounding = norm.e;
    const num *lambda = at->lambda ? crs_exact(v, m, at->lambda) : NULL;
    if (lambda) f->scale = crs_scale(f->scale, at->ref.constraint, at->whole, norm_of(m, lambda).v);
    return !v->no_memory;
}

/* grad_i f at x, and in v->blur what is not in its entries */
static num *gradient(crs_verifier *v, const double *const *x, int i)
{
    const crease_problem *p = v->p;
    num *out = crs_nums(v, crease_size(&p->space[i])), **g = crs_room(v, p->count, sizeof *g);
    void *mark = v->rooms;
    v->blur = 0;
    if (!out || !g) return NULL;
    g[i] = out;
    if (p->f.ops && !crs_add_gradient(v, &p->f, x, g)) return NULL;
    crs_rooms_release(v, mark);
    return out;
}

/* Of what size the terms of grad_i f are: |grad_i f at x_i = 0| + |what x_i adds to it|. */
static bool terms(crs_verifier *v, const point *at, int i, const num *grad, real *size)
{
    const crease_problem *p = v->p;
    const ptrdiff_t n = crease_size(&p->space[i]);
    void *mark = v->rooms;
    const double **x = crs_room(v, p->count, sizeof *x);
    double *zero = crs_room(v, n, sizeof *zero);
    const real blur = v->blur;
    if (!x || !zero) return false;
    for (int k = 0; k < p->count; k++) x[k] = k == i ? zero : at->x[k];
    num *at_zero = gradient(v, x, i);
    if (!at_zero) return false;
    *size = norm_of(n, at_zero).v;
    for (ptrdiff_t j = 0; j < n; j++) at_zero[j] = add(grad[j], neg(at_zero[j]));
    *size = positive(*size + norm_of(n, at_zero).v - 2 * v->blur - blur);
    v->blur = blur;
    crs_rooms_release(v, mark);
    return true;
}

/* grad becomes grad - A_i'lambda, of size |A_i'lambda|. */
static bool subtract_pull(crs_verifier *v, const point *at, int i, num *grad, real *size)
{
    const crease_problem *p = v->p;
    const ptrdiff_t n = crease_size(&p->space[i]);
    void *mark = v->rooms;
    const num *lambda = crs_exact(v, crease_size(&p->range), at->lambda);
    num *pull = crs_nums(v, n);
    if (!lambda || !pull ||
        !crs_multiply(v, &p->block[i].map, &p->space[i], &p->range, true, lambda, pull))
        return false;
    *size += norm_of(n, pull).v;
    for (ptrdiff_t j = 0; j < n; j++) grad[j] = add(grad[j], neg(pull[j]));
    crs_rooms_release(v, mark);
    return true;
}

/* The block's place: c, its error, its size. */
static bool prepare(crs_verifier *v, const point *at, int i, crs_place *place)
{
    const ptrdiff_t n = crease_size(&v->p->space[i]);
    real *x = crs_reals(v, n), *c = crs_reals(v, n);
    void *mark = v->rooms;
    num *grad = gradient(v, at->x, i);
    if (!x || !c || !grad) return false;
    *place = (crs_place){ .i = i, .x = x, .c = c, .whole = at->whole, .gcg = at->gcg };
    place->size = positive(norm_of(n, grad).v - v->blur);
    if (at->relative && !terms(v, at, i, grad, &place->size)) return false;
    if (at->relative) place->own = at->ref.own[i], place->far = at->ref.size[i];
    if (constrained(v->p, i) && !subtract_pull(v, at, i, grad, &place->size)) return false;
    for (ptrdiff_t j = 0; j < n; j++) {
        c[j] = grad[j].v;
        x[j] = at->x[i][j];
    }
    place->error = norm_of(n, grad).e + v->blur;
    crs_rooms_release(v, mark);
    return true;
}

static bool find(crs_verifier *v, const point *at, const crs_place *place, evidence *out)
{
    const int i = place->i;
    const crease_set *set = v->p->block[i].set;
    const crs_set_rule *rule = set ? crs_set_rule_of(v, set) : NULL;
    const real norm = crs_length(crease_size(&v->p->space[i]), place->c);
    out->member[i].inside = true;
    if (set && !rule) return false;
    if (set) rule->membership(v, set, &v->p->space[i], place->x, 0, &out->member[i]);
    if (v->no_memory || v->unsupported) return false;
    if (!isfinite(norm)) return out->block[i].residual = norm, true;
    return at->gcg ? crs_find_gap(v, place, NULL, NULL, &out->block[i])
                   : find_block(v, place, at->g ? at->g[i] : NULL, &out->block[i]);
}

static bool allocate(crs_verifier *v, evidence *out)
{
    const int N = v->p->count;
    *out = (evidence){ .block = crs_room(v, N, sizeof *out->block) };
    out->member = crs_room(v, N, sizeof *out->member);
    return !v->no_memory;
}

bool crs_is_whole(crs_verifier *v)
{
    bool split = v->p->range.order > 0 && v->p->range.comm;
    for (int i = 0; i < v->p->count; i++) split = split || v->p->space[i].comm;
    return !split || crs_refuse(v, "a vector is split over ranks");
}

/* The reference and D. */
static bool find_scales(crs_verifier *v, point *at)
{
    real F = 0;
    at->whole = INFINITY;
    if (!at->relative) return true;
    if (!crs_find_reference(v, &at->ref)) return false;
    if (!(at->ref.objective > 0)) return true;
    if (!crs_objective(v, at->x, &F)) return false;
    at->whole = bigger(F, at->ref.objective);
    return true;
}

static bool collect(crs_verifier *v, point *at, evidence *out)
{
    const crease_problem *p = v->p;
    crs_place place;
    if (!crs_is_whole(v)) return false;
    if (at->gcg && p->range.order > 0)
        return crs_refuse(v, "the gcg setting has no constraint, but the problem has one");
    if (!allocate(v, out) || !find_scales(v, at)) return false;
    for (int i = 0; i < p->count; i++) {
        void *mark = v->rooms;
        if (!prepare(v, at, i, &place) || !find(v, at, &place, out)) return false;
        out->coarse = out->coarse || (v->coarse && v->blur > 0) || v->doubled;
        crs_rooms_release(v, mark);
    }
    return p->range.order == 0 || feasibility(v, at, &out->feasibility);
}

static const char *name_of(const crease_problem *p, int i, char buffer[48])
{
    if (i < 0) return "the constraint";
    if (p->block[i].name)
        snprintf(buffer, 48, "block %.40s", p->block[i].name);
    else
        snprintf(buffer, 48, "block x%d", i + 1);
    return buffer;
}

/* A verdict against the point whatever eps is. */
static void condemn(crease_verification *out, int i)
{
    out->verdict = CREASE_VERDICT_INVALID;
    out->smallest_eps = INFINITY;
    out->worst_block = i;
}

static bool finite(const crease_problem *p, int i, const char *what, ptrdiff_t n, const double *x,
                   crease_verification *out)
{
    char buffer[48];
    for (ptrdiff_t j = 0; j < n; j++)
        if (!isfinite(x[j])) {
            condemn(out, i);
            snprintf(out->text, sizeof out->text, "%s: entry %td of %s is %g",
                     name_of(p, i, buffer), j + 1, what, x[j]);
            return false;
        }
    return true;
}

static bool point_is_finite(const crease_problem *p, const point *at, crease_verification *out)
{
    for (int i = 0; i < p->count; i++) {
        const ptrdiff_t n = crease_size(&p->space[i]);
        if (!finite(p, i, "x", n, at->x[i], out)) return false;
        if (at->g && at->g[i] && !finite(p, i, "g", n, at->g[i], out)) return false;
    }
    return p->range.order == 0 || !at->lambda ||
           finite(p, -1, "lambda", crease_size(&p->range), at->lambda, out);
}

/* Residual and rounding together; the factor makes up for the roundings of the bound itself. */
static real total(const crs_finding *f) { return f->residual + 2 * f->rounding; }

static real needed(const crs_finding *f, bool relative)
{
    return !relative || total(f) == 0 ? total(f) : total(f) / f->scale;
}

/* Membership, subgradients, finite residuals: what no eps can mend. */
static bool is_sound(const crease_problem *p, const evidence *e, crease_verification *out)
{
    char buffer[48];
    for (int i = -1; i < p->count; i++) {
        const crs_finding *f = i < 0 ? &e->feasibility : &e->block[i];
        const char *name = name_of(p, i, buffer);
        if (i >= 0 && !e->member[i].inside)
            snprintf(out->text, sizeof out->text, "%s: x is outside its set by %.3g", name,
                     (double)e->member[i].excess);
        else if (!(f->astray == 0))
            snprintf(out->text, sizeof out->text, "%s: g is %.3g away from the subdifferential",
                     name, (double)f->astray);
        else if (!isfinite((double)total(f)))
            snprintf(out->text, sizeof out->text, "%s: the residual is %g", name, (double)total(f));
        else
            continue;
        condemn(out, i);
        return false;
    }
    return true;
}

/* smallest_eps and the block that decides it; true when only upper bounds are above eps. */
static bool weigh(const crease_problem *p, const evidence *e, bool relative, double eps,
                  crease_verification *out)
{
    bool excused = true;
    real worst = p->range.order > 0 ? needed(&e->feasibility, relative) : 0;
    out->worst_block = p->range.order > 0 ? -1 : 0;
    if (worst > eps) excused = false;
    for (int i = 0; i < p->count; i++) {
        const real need = needed(&e->block[i], relative);
        if (need > eps && !e->block[i].upper_bound) excused = false;
        if (need > worst) worst = need, out->worst_block = i;
    }
    out->smallest_eps = upward(worst);
    return excused;
}

/* -psi_S(x): the blocks add up. */
static bool weigh_sum(const crease_problem *p, const evidence *e, const point *at,
                      crease_verification *out)
{
    crs_finding sum = { 0 };
    for (int i = 0; i < p->count; i++) {
        sum.residual += e->block[i].residual;
        sum.rounding += e->block[i].rounding;
        sum.scale += e->block[i].scale;
        if (total(&e->block[i]) > total(&e->block[out->worst_block])) out->worst_block = i;
    }
    sum.scale = crs_scale(sum.scale, 0, at->whole, 1);
    out->smallest_eps = upward(needed(&sum, at->relative));
    return false;
}

/* A residual below every double, of terms that are no larger: nothing in double precision could be
 * said to be smaller, nor this to be small. */
static bool is_beneath(const evidence *e, const point *at, const crease_verification *out)
{
    const crs_finding *f = out->worst_block < 0 ? &e->feasibility : &e->block[out->worst_block];
    return at->relative && !at->gcg && total(f) < 0x1p-1074L;
}

static void decide(const crease_problem *p, const point *at, const evidence *e, double eps,
                   crease_verification *out)
{
    const bool relative = at->relative;
    char buffer[48];
    for (int i = 0; i < p->count; i++) {
        out->residual[i] = upward(total(&e->block[i]));
        out->outside = larger(out->outside, upward(e->member[i].excess));
    }
    out->feasibility = upward(total(&e->feasibility));
    if (!is_sound(p, e, out)) return;
    const bool excused = at->gcg ? weigh_sum(p, e, at, out) : weigh(p, e, relative, eps, out);
    out->verdict = out->smallest_eps <= eps ? CREASE_VERDICT_VALID
                   : excused                ? CREASE_VERDICT_UPPER_BOUND_ONLY
                                            : CREASE_VERDICT_INVALID;
    snprintf(out->text, sizeof out->text, "%s decides: eps-stationary for %seps >= %.3g",
             name_of(p, out->worst_block, buffer), relative ? "relative " : "", out->smallest_eps);
    if (out->verdict != CREASE_VERDICT_INVALID || !is_beneath(e, at, out)) return;
    out->verdict = CREASE_VERDICT_UNSUPPORTED;
    snprintf(out->text, sizeof out->text,
             "%s decides: its residual and the terms of it are below the least double; give the "
             "data in another unit",
             name_of(p, out->worst_block, buffer));
}

const char *crease_verdict_text(crease_verdict v)
{
    switch (v) {
#define X(name, text)                                                                              \
    case CREASE_VERDICT_##name:                                                                    \
        return text;
        CREASE_VERDICTS(X)
#undef X
    }
    return "unknown verdict";
}

void crease_verification_free(crease_verification *v)
{
    if (!v) return;
    crs_free(v->residual);
    *v = (crease_verification){ 0 };
}

static bool arguments_fit(const crease_problem *p, const point *at, double eps, crease_error *e)
{
    if (!crease_problem_check(p, e)) return false;
    if (!(eps >= 0)) return crs_fail(e, CREASE_BAD_ARGUMENT, "eps is %g; give a number >= 0", eps);
    if (p->range.order > 0 && !at->lambda && !at->gcg)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "lambda is NULL but the problem has a constraint; give one number for each "
                        "of its %td rows",
                        crease_size(&p->range));
    for (int i = 0; i < p->count; i++)
        if (!at->x[i])
            return crs_fail(e, CREASE_BAD_ARGUMENT, "x[%d] is NULL; give every block", i);
    return true;
}

static bool is_large(const crease_problem *p)
{
    for (int i = 0; i < p->count; i++)
        if (crease_size(&p->space[i]) >= CRS_LARGE) return true;
    return false;
}

/* True: this was in double, and long double may say otherwise. */
static bool judge(crs_verifier *v, point *at, double eps, crease_verification *out)
{
    evidence found = { .coarse = false };
    for (int i = 0; i < out->count; i++) out->residual[i] = NAN;
    if (collect(v, at, &found))
        decide(v->p, at, &found, eps, out);
    else
        snprintf(out->text, sizeof out->text, "unsupported: %s", v->why);
    if (v->unfinished) crs_unfinished(out);
    const bool final =
        v->no_memory || v->unsupported || v->unfinished || out->verdict == CREASE_VERDICT_VALID;
    crs_rooms_free(v);
    return found.coarse && !final;
}

bool crease_verify(const crease_problem *p, const double *const *x, const double *lambda,
                   const double *const *g, bool gcg, double eps, bool relative,
                   crease_verification *out, crease_error *e)
{
    const crease_claim c = { p, x, lambda, g, gcg, eps, relative, NULL };
    return crease_claim_verify(&c, out, e);
}

bool crease_claim_verify(const crease_claim *c, crease_verification *out, crease_error *e)
{
    const crease_problem *p = c->p;
    const double eps = c->eps;
    point at = {
        .x = c->x, .lambda = c->lambda, .g = c->g, .gcg = c->gcg, .relative = c->relative
    };
    crs_verifier v = { .p = p, .coarse = is_large(p), .quick = true, .watch = c->watch };
    v.eps = eps, v.relative = c->relative;
    *out = (crease_verification){ 0 };
    if (!arguments_fit(p, &at, eps, e)) return false;
    double *residual = crs_doubles(p->count, "a verification", e);
    if (!residual) return false;
    const crease_verification blank = { .smallest_eps = INFINITY,
                                        .count = p->count,
                                        .residual = residual };
    *out = blank;
    for (int i = 0; i < p->count; i++) residual[i] = NAN;
    if (point_is_finite(p, &at, out) && judge(&v, &at, eps, out)) {
        *out = blank;
        v.coarse = v.quick = v.doubled = false;
        judge(&v, &at, eps, out);
    }
    out->trusted_callback = v.trusted_callback;
    if (!v.no_memory || v.unfinished) return true;
    crease_verification_free(out);
    return crs_fail(e, CREASE_NO_MEMORY,
                    "out of memory: verifying a problem of %d blocks; use a "
                    "machine with more",
                    p->count);
}
