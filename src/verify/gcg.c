/* SPDX-License-Identifier: MIT
 * gcg: <c, x> + r(x) - min over X of <c, y> + r(y), for r(y) = sum_j a_j |y_j| + (b_j/2) y_j^2
 *
 *   box                     entry by entry
 *   r = 0                   -sigma(-c)
 *   b = 0, solid set        -sigma(z), z the soft threshold of -c by a
 *   b = 0, set in y >= 0    -sigma(-(c + a))
 *   b > 0                   by duality, in dual.c */
#include "verify/dual.h"

static bool coefficients(crs_verifier *v, const crs_known_reg *k, ptrdiff_t n, crs_model *m)
{
    const char *name = k->rule->name;
    const bool l1 = strcmp(name, "l1") == 0, square = strcmp(name, "squared-l2") == 0;
    const bool both = strcmp(name, "elastic-net") == 0, none = strcmp(name, "zero") == 0;
    real *a = crs_reals(v, n), *b = crs_reals(v, n);
    if (!a || !b) return false;
    if (!none && (k->kind != CRS_ENTRIES || !(l1 || square || both)))
        return crs_refuse(v, "the least value of %s on a set after a linear term", name);
    for (ptrdiff_t j = 0; j < n && !none; j++) {
        const real w = k->factor * (k->weight ? k->weight[j] : 1);
        a[j] = l1 || both ? w * k->par[0] : 0;
        b[j] = square ? w * k->par[0] : both ? w * k->par[1] : 0;
        m->linear = m->linear && b[j] == 0;
        m->curved = m->curved && b[j] > 0;
        m->zero = m->zero && a[j] == 0 && b[j] == 0;
    }
    m->a = a;
    m->b = b;
    m->curved = m->curved && !none;
    return true;
}

static real value_at(const crs_model *m, ptrdiff_t j, real y)
{
    return m->c[j] * y + m->a[j] * fabsl(y) + m->b[j] / 2 * y * y;
}

static real least_in_box(const crs_model *m, const crs_box *box)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < m->n; j++) {
        const real z = copysignl(positive(fabsl(m->c[j]) - m->a[j]), -m->c[j]);
        const real y = z == 0 ? 0 : m->b[j] > 0 ? z / m->b[j] : z > 0 ? INFINITY : -INFINITY;
        sum += value_at(m, j, within(y, box_low(box, j), box_high(box, j)));
    }
    return sum;
}

/* The least value when r is linear on each orthant. */
static bool least_linear(crs_verifier *v, const crs_model *m, const crs_set_rule *rule, real *least)
{
    real *w = crs_reals(v, m->n);
    if (!w) return false;
    if (!m->zero && !rule->solid && !rule->nonnegative)
        return crs_refuse(v, "the least value of an l1 term on %s", rule->name);
    for (ptrdiff_t j = 0; j < m->n; j++)
        w[j] = m->zero || rule->nonnegative
                   ? -(m->c[j] + m->a[j])
                   : copysignl(positive(fabsl(m->c[j]) - m->a[j]), -m->c[j]);
    *least = -rule->support(v, m->set, m->s, w);
    return !v->no_memory && !v->unsupported;
}

static bool least_value(crs_verifier *v, const crs_model *m, const crs_set_rule *rule, real *least)
{
    crs_box box;
    if (crs_box_of(m->set, &box)) return *least = least_in_box(m, &box), true;
    if (m->linear) return least_linear(v, m, rule, least);
    if (m->curved && crs_dual_least(m, least)) return true;
    return crs_refuse(v, "the least value of a quadratic term on %s", rule->name);
}

bool crs_find_gcg(crs_verifier *v, const crs_place *at, crs_finding *f)
{
    const crease_block *b = &v->p->block[at->i];
    const crease_space *s = &v->p->space[at->i];
    const ptrdiff_t n = crease_size(s);
    crs_model m = { .n = n, .s = s, .set = b->set, .c = at->c };
    m.zero = m.linear = m.curved = true;
    crs_known_reg k;
    real least, here = 0;
    if (!b->set) return crs_refuse(v, "block %d has no set, but gcg needs compact ones", at->i + 1);
    const crs_set_rule *rule = crs_set_rule_of(v, b->set);
    if (!rule || !crs_know_reg(v, &b->reg, &k) || !coefficients(v, &k, n, &m)) return false;
    const real diameter = rule->diameter(v, b->set, s);
    if (k.high < INFINITY || (k.low > -INFINITY && !(k.low <= 0 && rule->nonnegative)))
        return crs_refuse(v, "an indicator on %s in the gcg setting", rule->name);
    if (!(diameter < INFINITY)) return crs_refuse(v, "gcg on the unbounded set %s", rule->name);
    if (!isfinite(crs_length(n, at->c))) return f->residual = NAN, true;
    if (!least_value(v, &m, rule, &least)) return false;
    for (ptrdiff_t j = 0; j < n; j++) here += value_at(&m, j, at->x[j]);
    const real reach = crs_length(n, at->x) + diameter, norm = crs_length(n, at->c);
    f->residual = positive(here - least);
    f->scale = norm * diameter + fabsl(here) + fabsl(least);
    f->rounding = diameter * at->error + working_roundings(n) * (norm * reach + f->scale);
    return true;
}
