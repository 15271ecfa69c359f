/* SPDX-License-Identifier: MIT
 * gap: setting 1, gap(g) = <c+g, x> + sigma_X(-(c+g)) for g in dr(x)
 *
 * Any g certifies. The one taken here is the nearest to -c, except
 *   - on a box, r by entries: of two slopes the one with the lesser gap, entry by entry;
 *   - on sets in x >= 0, r by entries: where x_j = 0 the largest g_j, since x_j does not feel it
 *     and min <c+g, y> grows with it.
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
    for (ptrdiff_t j = 0; j < a->n; j++)
        t[j] = upward && a->at->x[j] == 0 ? (real)INFINITY : -a->at->c[j];
    if (!crs_nearest_point(a->v, &(crs_subdifferential){ a->k, a->s, NULL, a->at->x, 0 }, t, g,
                           size))
        return false;
    if (box && a->k->kind == CRS_ENTRIES) choose_in_box(a, box, g);
    return true;
}

static bool is_best(const view *a, const crs_box *box)
{
    const bool entries = a->k->kind == CRS_ENTRIES, kink = crs_at_kink(a->k, a->s, a->at->x);
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
    mine.scale = (at->size + crs_length(a->n, g)) * a->reach;
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

bool crs_find_gap(crs_verifier *v, const crs_place *at, const crs_known_reg *k, const double *g,
                  crs_finding *f)
{
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
