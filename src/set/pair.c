/* SPDX-License-Identifier: MIT
 * pair: a regularizer reduced to what it is on a set
 *
 *   squared-l2   alpha (lambda/2)|x|^2              = alpha (0 + (nu/2)|x|^2)
 *   elastic-net  alpha (lambda1 |x|_1 + (nu/2)|x|^2)
 * A nonnegative version is the plain one on a nonnegative set; an indicator that holds everywhere
 * on the set is zero there, and so is anything with lambda = 0. */
#include "set/pair.h"

#include <stdio.h>

/* Every regularizer made by crease_scaled shares its traits, whichever table it has. */
static bool is_scaled(const crease_reg *r)
{
    const crease_reg probe = crease_scaled(1, r);
    return r->ops->traits == probe.ops->traits;
}

static bool is_made_of(const crease_reg *r, const crease_penalty *p)
{
    return r->penalty == p && (r->ops == &crs_separable_ops || r->ops == &crs_nonneg_ops ||
                               r->ops == &crs_group_ops || r->ops == &crs_spectral_ops);
}

static void become(crease_reg *r, const crease_penalty *p, double lambda)
{
    r->penalty = p;
    fill(CREASE_PARS, 0, r->par);
    r->par[0] = lambda;
}

/* The least interval that holds every entry of every point. */
static void range_of(const crease_set *c, const crease_space *s, double *low, double *high)
{
    const crease_set_ops *o = c->ops;
    const bool nonnegative = o == &crs_simplex_ops || o == &crs_full_simplex_ops;
    crease_bounds b = { .low = -INFINITY, .high = INFINITY };
    if (crs_set_bounds(c, &b)) {
    } else if (nonnegative || crs_set_solid(c) || o == &crs_nuclear_ball_ops ||
               o == &crs_spectral_ball_ops || o == &crs_spectrahedron_ops) {
        b.low = nonnegative ? 0 : -c->par[0], b.high = c->par[0];
    } else if (o == &crs_capped_simplex_ops || o == &crs_birkhoff_ops) {
        b.low = 0, b.high = 1;
    } else if (o == &crs_permutahedron_ops && c->vec) {
        b.lower = b.upper = c->vec;
    }
    *low = INFINITY, *high = -INFINITY;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        *low = smaller(*low, lower_at(&b, j));
        *high = larger(*high, upper_at(&b, j));
    }
    *low = -crease_max(s, -*low);
    *high = crease_max(s, *high);
}

bool crs_set_nonnegative(const crease_set *c, const crease_space *s)
{
    double low, high;
    range_of(c, s, &low, &high);
    return low >= 0;
}

static bool indicator_holds(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    double low, high;
    if (r->ops != &crs_box_indicator_ops) return false;
    range_of(c, s, &low, &high);
    return r->par[0] <= low && high <= r->par[1];
}

crs_form crs_form_on(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    crs_form f = { .alpha = 1 };
    for (; is_scaled(r); r = r->data) f.alpha *= r->par[0];
    f.base = *r;
    crease_reg *base = &f.base;
    if (base->ops == &crs_weighted_l1_ops) {
        base->ops = &crs_separable_ops;
        become(base, &crs_l1, 1);
    }
    if (is_made_of(base, &crs_squared_l2) && !base->weight) {
        f.nu = base->par[0];
        become(base, &crs_zero, 0);
    }
    if (is_made_of(base, &crs_elastic_net) && !base->weight) {
        f.nu = base->par[1];
        become(base, &crs_l1, base->par[0]);
    }
    if (is_made_of(base, &crs_l1) && base->par[0] == 0) become(base, &crs_zero, 0);
    if (base->ops == &crs_nonneg_ops && crs_set_nonnegative(c, s)) base->ops = &crs_separable_ops;
    if (indicator_holds(base, c, s) || (base->ops == &crs_tv1d_ops && base->par[0] == 0))
        *base = crease_zero();
    return f;
}

const char *crs_reg_title(const crease_reg *r)
{
    while (is_scaled(r)) r = r->data;
    for (int k = crease_reg_count(); k-- > 0;) { /* from the end: "nuclear" before "spectral-l1" */
        const crease_reg_entry *entry = crease_reg_at(k);
        if (entry->ops == r->ops && entry->penalty == r->penalty) return entry->name;
    }
    return r->ops->name;
}

bool crs_is_zero(const crease_reg *base)
{
    return is_made_of(base, &crs_zero) && base->ops != &crs_nonneg_ops;
}

bool crs_is_l1(const crease_reg *base)
{
    return base->ops == &crs_separable_ops && base->penalty == &crs_l1;
}

bool crs_is_nonneg_l1(const crease_reg *base)
{
    return base->ops == &crs_nonneg_ops && (base->penalty == &crs_l1 || base->penalty == &crs_zero);
}

bool crs_is_nuclear(const crease_reg *base)
{
    return base->ops == &crs_spectral_ops && base->penalty == &crs_l1;
}

double crs_l1_at(const crease_reg *base, ptrdiff_t j)
{
    return base->par[0] * (base->weight ? base->weight[j] : 1);
}

bool crs_set_bounds(const crease_set *c, crease_bounds *b)
{
    if (c->ops == &crs_box_ops)
        *b = crs_box_bounds(c);
    else if (c->ops == &crs_orthant_ops)
        *b = (crease_bounds){ .low = 0, .high = INFINITY };
    else if (c->ops == &crs_linf_ball_ops)
        *b = (crease_bounds){ .low = -c->par[0], .high = c->par[0] };
    else
        return false;
    return true;
}

bool crs_set_solid(const crease_set *c)
{
    const crease_set_ops *o = c->ops;
    return o == &crs_l1_ball_ops || o == &crs_l2_ball_ops || o == &crs_linf_ball_ops ||
           o == &crs_lp_ball_ops || o == &crs_k_sparse_ops || o == &crs_k_support_ops;
}

bool crs_set_fixed_sum(const crease_set *c)
{
    const crease_set_ops *o = c->ops;
    return o == &crs_simplex_ops || o == &crs_capped_simplex_ops || o == &crs_birkhoff_ops ||
           o == &crs_permutahedron_ops;
}

/* Can the set be asked with numbers alone, on this space? */
static bool is_spelled(const crease_set_ops *o, const crease_space *s)
{
    return o != &crs_affine_ops && o != &crs_product_ops && !o->vector &&
           (!o->matrix || s->order == 2);
}

void crs_name_partners(crs_accepts *accepts, const crease_reg *r, const crease_space *s, char *text,
                       size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none of the catalogue");
    for (int k = 0; k < crease_set_count(); k++) {
        const crease_set c = { .ops = crease_set_at(k), .par = { 1, 1 } };
        if (!is_spelled(c.ops, s) || !accepts(r, &c, s)) continue;
        const int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", c.ops->name);
        if (n < 0 || (size_t)n >= size - used) return;
        used += (size_t)n;
    }
}
