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
        const num *x = crs_exact(v, crease_size(&p->space[i]), at->x[i]);
        num *part = crs_nums(v, m);
        if (!x || !part) return false;
        if (!crs_multiply(v, &p->block[i].map, &p->space[i], &p->range, false, x, part))
            return false;
        f->scale += norm_of(m, part).v;
        for (ptrdiff_t j = 0; j < m; j++) s[j] = add(s[j], part[j]);
    }
    const num norm = norm_of(m, s);
    f->residual = norm.v;
    f->rounding = norm.e;
    return true;
}

/* Of what size the terms of grad_i f are: |grad_i f at x_i = 0| + |what x_i adds to it|. */
static bool terms(crs_verifier *v, const crs_point *at, int i, const num *grad, real *size)
{
    const crease_problem *p = v->p;
    const ptrdiff_t n = crease_size(&p->space[i]);
    const double **x = crs_room(v, p->count, sizeof *x);
    double *zero = crs_room(v, n, sizeof *zero);
    num **at_zero = crs_room(v, p->count, sizeof *at_zero), *added = crs_nums(v, n);
    if (!x || !zero || !at_zero || !added) return false;
    for (int k = 0; k < p->count; k++) {
        x[k] = k == i ? zero : at->x[k];
        at_zero[k] = crs_nums(v, crease_size(&p->space[k]));
        if (!at_zero[k]) return false;
    }
    if (p->f.ops && !crs_add_gradient(v, &p->f, x, at_zero)) return false;
    for (ptrdiff_t j = 0; j < n; j++) added[j] = add(grad[j], neg(at_zero[i][j]));
    *size = norm_of(n, at_zero[i]).v + norm_of(n, added).v;
    return true;
}

/* The block's place from grad_i f: c, its error, its size. */
static bool prepare(crs_verifier *v, const crs_point *at, int i, num *grad, crs_place *place)
{
    const crease_problem *p = v->p;
    const ptrdiff_t n = crease_size(&p->space[i]);
    real *x = crs_reals(v, n), *c = crs_reals(v, n);
    num *pull = crs_nums(v, n);
    if (!x || !c || !pull) return false;
    *place = (crs_place){ i, x, c, norm_of(n, grad).v, 0 };
    if (at->relative && !terms(v, at, i, grad, &place->size)) return false;
    if (constrained(p, i)) {
        const num *lambda = crs_exact(v, crease_size(&p->range), at->lambda);
        if (!lambda) return false;
        if (!crs_multiply(v, &p->block[i].map, &p->space[i], &p->range, true, lambda, pull))
            return false;
        place->size += norm_of(n, pull).v;
    }
    for (ptrdiff_t j = 0; j < n; j++) {
        grad[j] = add(grad[j], neg(pull[j]));
        c[j] = grad[j].v;
        x[j] = at->x[i][j];
    }
    place->error = norm_of(n, grad).e;
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

static bool allocate(crs_verifier *v, crs_evidence *out, num ***grad)
{
    const int N = v->p->count;
    *out = (crs_evidence){ .block = crs_room(v, N, sizeof *out->block) };
    out->member = crs_room(v, N, sizeof *out->member);
    *grad = crs_room(v, N, sizeof **grad);
    for (int i = 0; *grad && i < N; i++) (*grad)[i] = crs_nums(v, crease_size(&v->p->space[i]));
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
    num **grad;
    crs_place place;
    if (!is_whole(v)) return false;
    if (at->gcg && p->range.order > 0)
        return crs_refuse(v, "the gcg setting has no constraint, but the problem has one");
    if (!allocate(v, out, &grad)) return false;
    if (p->f.ops && !crs_add_gradient(v, &p->f, at->x, grad)) return false;
    for (int i = 0; i < p->count; i++)
        if (!prepare(v, at, i, grad[i], &place) || !find(v, at, &place, out)) return false;
    return p->range.order == 0 || feasibility(v, at, &out->feasibility);
}
