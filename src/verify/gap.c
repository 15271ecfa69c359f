/* SPDX-License-Identifier: MIT
 * gap: setting 1, gap(g) = <c+g, x> + sigma_X(-(c+g)) for g in dr(x), and the measure of the
 * generalized conditional gradient method
 *
 * Any g certifies. The one taken here is the nearest to -c, except
 *   - on a box, r by entries: of two slopes the one with the lesser gap, entry by entry;
 *   - on sets in x >= 0, r by entries: where x_j = 0 the largest g_j, since x_j does not feel it
 *     and min <c+g, y> grows with it;
 *   - on a row on a box, r by entries: the nearest to -c - mu a, mu that of the distance.
 * It is the best one there, on balls that hold with x every y, |y_j| <= |x_j|, and on the 2-norm
 * ball, as long as no concave kink leaves a choice. gap moves by no more than diameter |change|. */
#include "verify/verify.h"

typedef struct {
    crs_verifier *v;
    const crs_place *at;
    const crs_known_reg *k;
    const crease_set *set;
    const crs_set_rule *rule;
    const crease_space *s;
    ptrdiff_t n;
    real diameter, reach; /* |x| + diameter */
} view;

static real gap_on(real w, real x, real low, real high)
{
    return bigger(w * (x - low), w * (x - high));
}

static void choose_in_box(const view *a, const crs_box *box, real *g)
{
    const real *x = a->at->x, *c = a->at->c;
    for (ptrdiff_t j = 0; j < a->n; j++) {
        const crs_slopes s = crs_slopes_at(a->k, j, x[j], -INFINITY, INFINITY, 0);
        const real low = box_low(box, j), high = box_high(box, j);
        if (s.two)
            g[j] = gap_on(c[j] + s.low, x[j], low, high) < gap_on(c[j] + s.high, x[j], low, high)
                       ? s.low
                       : s.high;
    }
}

static bool choose(const view *a, const crs_box *box, real *t, real *g, crs_sizes *size)
{
    const bool upward = a->k->kind == CRS_ENTRIES && a->rule->nonnegative;
    crs_row row;
    real unread;
    for (ptrdiff_t j = 0; j < a->n; j++)
        t[j] = upward && a->at->x[j] == 0 ? (real)INFINITY : -a->at->c[j];
    if (a->k->kind == CRS_ENTRIES && !upward && crs_row_of(a->set, &row) &&
        !crs_move_by_row(a->v, &row, &(crs_subdifferential){ a->k, a->s, &row.box, a->at->x, 0 }, t,
                         &unread))
        return false;
    if (!crs_nearest_point(a->v, &(crs_subdifferential){ a->k, a->s, NULL, a->at->x, 0 }, t, g,
                           size))
        return false;
    if (box && a->k->kind == CRS_ENTRIES) choose_in_box(a, box, g);
    return true;
}

/* Lengths of groups and singular values are never known exactly: any may be at the kink. */
static bool at_kink(const crs_known_reg *k, const crease_space *s, const real *x)
{
    if (!k->rule->kink || k->kind != CRS_ENTRIES) return k->rule->kink != NULL;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        if (fabsl(x[j]) == k->rule->kink(k->par)) return true;
    return false;
}

static bool is_best(const view *a, const crs_box *box)
{
    const bool entries = a->k->kind == CRS_ENTRIES, kink = at_kink(a->k, a->s, a->at->x);
    if (entries && box) return true;
    if (kink) return false;
    if (a->k->kind != CRS_VARIATION && a->k->rule->slope(a->k->par, 0) == 0) return true;
    return entries ? a->rule->nonnegative || a->rule->solid : strcmp(a->rule->name, "l2-ball") == 0;
}

/* The finding for g, in f if it is better; w: a vector. */
static void consider(const view *a, const real *g, const crs_sizes *size, real *w, crs_finding *f)
{
    const crs_place *at = a->at;
    for (ptrdiff_t j = 0; j < a->n; j++) w[j] = at->c[j] + g[j];
    const real norm = crs_length(a->n, w), here = crs_inner(a->n, w, at->x);
    for (ptrdiff_t j = 0; j < a->n; j++) w[j] = -w[j];
    const real most = isfinite(norm) ? a->rule->support(a->v, a->set, a->s, w) : (real)NAN;
    crs_finding mine = { .residual = positive(here + most), .upper_bound = f->upper_bound };
    const real terms = crs_scale(at->size, at->own, INFINITY, 1) + crs_length(a->n, g);
    mine.scale = crs_scale(terms * a->reach, 0, at->whole, 1);
    mine.rounding = a->diameter * at->error +
                    working_roundings(a->n) * (norm + size->used) * (a->reach + a->diameter);
    mine.astray = f->astray;
    if (!(f->residual <= mine.residual)) *f = mine;
}

/* The given g, brought into dr(x). */
static bool take_given(const view *a, const double *given, real *t, real *g, crs_finding *f)
{
    real away = 0;
    crs_sizes size;
    for (ptrdiff_t j = 0; j < a->n; j++) t[j] = given[j];
    const crs_subdifferential d = { a->k, a->s, NULL, a->at->x, 4 * DBL_EPSILON };
    if (!crs_nearest_point(a->v, &d, t, g, &size)) return false;
    for (ptrdiff_t j = 0; j < a->n; j++) away = hypotl(away, t[j] - g[j]);
    if (!(away <= 4 * DBL_EPSILON * size.all)) f->astray = away;
    consider(a, g, &size, t, f);
    return true;
}

/* The measure of gcg: <c, x> + r(x) - min over X of <c, y> + r(y), for r(y) = sum_j a_j |y_j| +
 * (b_j/2) y_j^2
 *   box                     entry by entry
 *   r = 0                   -sigma(-c)
 *   b = 0, solid set        -sigma(z), z the soft threshold of -c by a
 *   b = 0, set in y >= 0    -sigma(-(c + a))
 *   b > 0                   by duality
 *   row on a box            the same, with the row's multiplier */
typedef struct {
    ptrdiff_t n;
    const crease_space *s;
    const crease_set *set;
    const real *c;
    bool zero, linear, curved; /* a = b = 0; b = 0; b > 0 */
    const real *a, *b;
} model;

/* D(mu) = min over y of <c, y> + r(y) + mu (h(y) - h_max), b > 0, is never above the least value,
 * for mu >= 0 or, where h(y) = h_max is demanded, any mu; the best mu makes them equal. Entry by
 * entry the minimizer is a magnitude t_j, with s_j = max(|c_j| - a_j, 0), or max(-c_j - a_j, 0) in
 * y >= 0: l1-ball, simplexes   h = sum t        t = max(s - mu, 0) / b l2-ball              h =
 * |y|^2/2      t = s / (b + mu) lp-ball              h = sum t^p      b t + mu p t^{p-1} = s h(y)
 * falls with mu: bisection. */
enum { FINE = 64, COARSE = 48 }; /* halvings; an error of mu counts by its square */

typedef struct {
    const model *m;
    bool sum, power, nonnegative; /* h = sum t; h = sum t^p; y >= 0 */
    real p, bound;                /* h <= bound */
} dual;

/* The pull on |y_j|; negative ones matter only where the sum is prescribed. */
static real pull(const dual *d, ptrdiff_t j)
{
    return (d->nonnegative ? -d->m->c[j] : fabsl(d->m->c[j])) - d->m->a[j];
}

static real power_root(real b, real mu, real p, real s)
{
    real low = 0, high = s / b;
    for (int k = 0; k < FINE && low < high; k++) {
        const real t = low + (high - low) / 2;
        if (t == low || t == high) break;
        if (b * t + mu * p * powl(t, p - 1) < s)
            low = t;
        else
            high = t;
    }
    return low;
}

static real magnitude(const dual *d, ptrdiff_t j, real mu)
{
    const real s = pull(d, j), b = d->m->b[j];
    if (d->sum) return positive(s - mu) / b;
    if (d->power) return s > 0 ? power_root(b, mu, d->p, s) : 0;
    return positive(s) / (b + mu);
}

static real h_of(const dual *d, real t)
{
    return d->sum ? t : d->power ? powl(t, d->p) : t * t / 2;
}

static real h_at(const dual *d, real mu)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < d->m->n; j++) sum += h_of(d, magnitude(d, j, mu));
    return sum;
}

static real dual_value(const dual *d, real mu)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < d->m->n; j++) {
        const real t = magnitude(d, j, mu);
        sum += d->m->b[j] / 2 * t * t - pull(d, j) * t + mu * h_of(d, t);
    }
    return sum - mu * d->bound;
}

static real best_mu(const dual *d, real low, real high)
{
    for (int k = 0; k < COARSE; k++) {
        const real mu = low + (high - low) / 2;
        if (!(mu > low && mu < high)) break;
        if (h_at(d, mu) > d->bound)
            low = mu;
        else
            high = mu;
    }
    return high;
}

/* A mu with h <= bound. */
static real upper_end(const dual *d, real most, real R)
{
    const real n = (real)d->m->n;
    if (d->sum) return most;
    if (!d->power) return positive(most) * sqrtl(n) / R;
    return positive(most) / d->p * powl(powl(n, 1 / d->p) / R, d->p - 1);
}

/* The least value for b > 0, from below; false: not for this set. */
static bool dual_least(const model *m, real *least)
{
    const char *name = m->set->ops->name;
    const real R = m->set->par[0], p = m->set->par[1];
    const bool simplex = strcmp(name, "simplex") == 0, full = strcmp(name, "full-simplex") == 0;
    dual d = { .m = m, .nonnegative = simplex || full, .p = p };
    d.sum = d.nonnegative || strcmp(name, "l1-ball") == 0;
    d.power = strcmp(name, "lp-ball") == 0;
    d.bound = d.sum ? R : d.power ? powl(R, p) : R * R / 2;
    if (!d.sum && !d.power && strcmp(name, "l2-ball") != 0) return false;
    real most = -INFINITY, steepest = 0;
    for (ptrdiff_t j = 0; j < m->n; j++) {
        most = bigger(most, pull(&d, j));
        steepest = bigger(steepest, m->b[j]);
    }
    const bool slack = !simplex && h_at(&d, 0) <= d.bound;
    const real low = simplex ? most - R * steepest : 0, high = upper_end(&d, most, R);
    *least = dual_value(&d, slack ? 0 : best_mu(&d, low, high));
    return true;
}

static bool coefficients(crs_verifier *v, const crs_known_reg *k, ptrdiff_t n, model *m)
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

static real value_at(const model *m, ptrdiff_t j, real y)
{
    return m->c[j] * y + m->a[j] * fabsl(y) + m->b[j] / 2 * y * y;
}

static real least_in_box(const model *m, const crs_box *box)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < m->n; j++) {
        const real z = copysignl(positive(fabsl(m->c[j]) - m->a[j]), -m->c[j]);
        const real y = z == 0 ? 0 : m->b[j] > 0 ? z / m->b[j] : z > 0 ? INFINITY : -INFINITY;
        sum += value_at(m, j, within(y, box_low(box, j), box_high(box, j)));
    }
    return sum;
}

/* D(mu) = min over the box of <c, y> + r(y) + mu (a'y - b), for mu >= 0 or, of an equality, any mu,
 * is never above the least value, and the largest D is equal to it; its slope a'y - b falls. */
static real row_dual(const model *m, const crs_row *row, real mu, real *slope)
{
    real sum = -mu * row->b;
    *slope = -row->b;
    for (ptrdiff_t j = 0; j < m->n; j++) {
        const real a = row_at(row, j), c = m->c[j] + mu * a;
        const real z = copysignl(positive(fabsl(c) - m->a[j]), -c);
        const real free = z == 0 ? 0 : m->b[j] > 0 ? z / m->b[j] : z > 0 ? INFINITY : -INFINITY;
        const real y = within(free, box_low(&row->box, j), box_high(&row->box, j));
        if (y == 0) continue;
        sum += isinf(y) ? (real)-INFINITY : c * y + m->a[j] * fabsl(y) + m->b[j] / 2 * y * y;
        *slope += a == 0 ? 0 : a * y;
    }
    return sum;
}

static real row_least(const model *m, const crs_row *row)
{
    real reach = 1, slope, best = row_dual(m, row, 0, &slope);
    const real sign = slope < 0 ? -1 : 1;
    if (slope == 0 || (!row->equality && slope < 0)) return best;
    for (int k = 0; k < 16000 && sign * slope > 0; k++, reach *= 2)
        best = bigger(best, row_dual(m, row, sign * reach, &slope));
    for (real low = 0, high = reach; low < high;) {
        const real mu = low + (high - low) / 2;
        if (!(mu > low && mu < high)) break;
        best = bigger(best, row_dual(m, row, sign * mu, &slope));
        if (sign * slope > 0)
            low = mu;
        else
            high = mu;
    }
    return best;
}

/* The least value when r is linear on each orthant. */
static bool least_linear(crs_verifier *v, const model *m, const crs_set_rule *rule, real *least)
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

static bool least_value(crs_verifier *v, const model *m, const crs_set_rule *rule, real *least)
{
    crs_box box;
    crs_row row;
    if (crs_box_of(m->set, &box)) return *least = least_in_box(m, &box), true;
    const bool on_row = crs_row_of(m->set, &row),
               known = m->zero || rule->solid || rule->nonnegative;
    if (m->linear && (known || !on_row)) return least_linear(v, m, rule, least);
    if (m->curved && dual_least(m, least)) return true;
    if (on_row) return *least = row_least(m, &row), true;
    return crs_refuse(v, "the least value of a quadratic term on %s", rule->name);
}

static bool find_gcg(crs_verifier *v, const crs_place *at, crs_finding *f)
{
    const crease_block *b = &v->p->block[at->i];
    const crease_space *s = &v->p->space[at->i];
    const ptrdiff_t n = crease_size(s);
    model m = { .n = n, .s = s, .set = b->set, .c = at->c };
    m.zero = m.linear = m.curved = true;
    crs_known_reg k;
    real least = NAN, here = 0;
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
    const real terms = norm * diameter + fabsl(here) + fabsl(least);
    f->scale = crs_scale(norm, at->own, INFINITY, 1) * diameter + fabsl(here) + fabsl(least);
    f->rounding = diameter * at->error + working_roundings(n) * (norm * reach + terms);
    return true;
}

bool crs_find_gap(crs_verifier *v, const crs_place *at, const crs_known_reg *k, const double *g,
                  crs_finding *f)
{
    if (at->gcg) return find_gcg(v, at, f);
    const crease_set *set = v->p->block[at->i].set;
    view a = { v, at, k, set, crs_set_rule_of(v, set), &v->p->space[at->i], 0, 0, 0 };
    crs_box box;
    const bool boxed = crs_box_of(set, &box);
    a.n = crease_size(a.s);
    a.diameter = a.rule->diameter(v, set, a.s);
    a.reach = crs_length(a.n, at->x) + a.diameter;
    real *t = crs_reals(v, a.n), *own = crs_reals(v, a.n);
    crs_sizes size;
    if (!t || !own || !choose(&a, boxed ? &box : NULL, t, own, &size)) return false;
    *f = (crs_finding){ .residual = NAN, .upper_bound = !is_best(&a, boxed ? &box : NULL) };
    consider(&a, own, &size, t, f);
    return (!g || take_given(&a, g, t, own, f)) && !v->no_memory && !v->unsupported;
}
