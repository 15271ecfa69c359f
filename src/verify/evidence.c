/* SPDX-License-Identifier: MIT
 * evidence: c_i = grad_i f - A_i'lambda and the residual of every condition */
#include "verify/evidence.h"

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
static bool feasibility(crs_verifier *v, const crs_point *at, crs_finding *f)
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
    return true;
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
static bool terms(crs_verifier *v, const crs_point *at, int i, const num *grad, real *size)
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
static bool subtract_pull(crs_verifier *v, const crs_point *at, int i, num *grad, real *size)
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
static bool prepare(crs_verifier *v, const crs_point *at, int i, crs_place *place)
{
    const ptrdiff_t n = crease_size(&v->p->space[i]);
    real *x = crs_reals(v, n), *c = crs_reals(v, n);
    void *mark = v->rooms;
    num *grad = gradient(v, at->x, i);
    if (!x || !c || !grad) return false;
    *place = (crs_place){ i, x, c, positive(norm_of(n, grad).v - v->blur), 0 };
    if (at->relative && !terms(v, at, i, grad, &place->size)) return false;
    if (constrained(v->p, i) && !subtract_pull(v, at, i, grad, &place->size)) return false;
    for (ptrdiff_t j = 0; j < n; j++) {
        c[j] = grad[j].v;
        x[j] = at->x[i][j];
    }
    place->error = norm_of(n, grad).e + v->blur;
    crs_rooms_release(v, mark);
    return true;
}

static bool find(crs_verifier *v, const crs_point *at, const crs_place *place, crs_evidence *out)
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
    return at->gcg ? crs_find_gcg(v, place, &out->block[i])
                   : crs_find_block(v, place, at->g ? at->g[i] : NULL, &out->block[i]);
}

static bool allocate(crs_verifier *v, crs_evidence *out)
{
    const int N = v->p->count;
    *out = (crs_evidence){ .block = crs_room(v, N, sizeof *out->block) };
    out->member = crs_room(v, N, sizeof *out->member);
    return !v->no_memory;
}

static bool is_whole(crs_verifier *v)
{
    bool split = v->p->range.order > 0 && v->p->range.comm;
    for (int i = 0; i < v->p->count; i++) split = split || v->p->space[i].comm;
    return !split || crs_refuse(v, "a vector is split over ranks");
}

bool crs_collect(crs_verifier *v, const crs_point *at, crs_evidence *out)
{
    const crease_problem *p = v->p;
    crs_place place;
    if (!is_whole(v)) return false;
    if (at->gcg && p->range.order > 0)
        return crs_refuse(v, "the gcg setting has no constraint, but the problem has one");
    if (!allocate(v, out)) return false;
    for (int i = 0; i < p->count; i++) {
        void *mark = v->rooms;
        if (!prepare(v, at, i, &place) || !find(v, at, &place, out)) return false;
        out->coarse = out->coarse || (v->coarse && v->blur > 0);
        crs_rooms_release(v, mark);
    }
    return p->range.order == 0 || feasibility(v, at, &out->feasibility);
}
