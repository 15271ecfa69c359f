/* SPDX-License-Identifier: MIT
 * regs: the regularizers of the catalogue, recognised by their table and the names in it, and
 * rho'(y+) of the scalar penalties, y >= 0, from their definitions
 *
 * The only concave kink is that of capped-l1, where the slope falls from lambda to 0. */
#include <crease/catalogue.h>

#include "verify/verify.h"

static real none(const double *p, real y) { return (void)p, (void)y, 0; }
static real l1(const double *p, real y) { return (void)y, p[0]; }
static real elastic_net(const double *p, real y) { return p[0] + p[1] * y; }
static real squared_l2(const double *p, real y) { return p[0] * y; }

static real at_zero(const double *p) { return p[0] > 0 ? INFINITY : 0; }
static real l0(const double *p, real y) { return y > 0 ? 0 : at_zero(p); }

/* d/dy of lambda y, then of (2 a lambda y - y^2 - lambda^2) / (2(a-1)), then 0 */
static real scad(const double *p, real y)
{
    const real lambda = p[0], a = p[1];
    return y <= lambda ? lambda : y < a * lambda ? (a * lambda - y) / (a - 1) : 0;
}

static real mcp(const double *p, real y)
{
    const real lambda = p[0], gamma = p[1];
    return y < gamma * lambda ? lambda - y / gamma : 0;
}

static real lsp(const double *p, real y) { return p[0] / (p[1] + y); }
static real capped_l1(const double *p, real y) { return y < p[1] ? p[0] : 0; }
static real theta(const double *p) { return p[1]; }

static real power(real lambda, real q, real y) { return lambda * q * powl(y, q - 1); }
static real l_half(const double *p, real y) { return y > 0 ? p[0] / (2 * sqrtl(y)) : at_zero(p); }
static real l_two_thirds(const double *p, real y)
{
    return y > 0 ? 2 * (real)p[0] / (3 * cbrtl(y)) : at_zero(p);
}
static real lq(const double *p, real y) { return y > 0 ? power(p[0], p[1], y) : at_zero(p); }
static real huber(const double *p, real y) { return y < p[1] ? p[0] * (y / p[1]) : p[0]; }

static const crs_rule rules[] = {
    { "zero", none, NULL, false },
    { "l1", l1, NULL, false },
    { "elastic-net", elastic_net, NULL, false },
    { "squared-l2", squared_l2, NULL, false },
    { "l0", l0, NULL, true },
    { "scad", scad, NULL, false },
    { "mcp", mcp, NULL, false },
    { "lsp", lsp, NULL, false },
    { "capped-l1", capped_l1, theta, false },
    { "l-half", l_half, NULL, true },
    { "l-two-thirds", l_two_thirds, NULL, true },
    { "lq", lq, NULL, true },
    { "huber", huber, NULL, false },
};

static const crs_rule *rule_named(const char *name)
{
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (strcmp(rules[k].name, name) == 0) return &rules[k];
    return NULL;
}

/* A table or penalty of the user's own may bear any name: only those of the catalogue count. */
static bool is_listed(const crease_reg *r)
{
    for (int k = 0; k < crease_reg_count(); k++) {
        const crease_reg_entry *entry = crease_reg_at(k);
        if (entry->ops == r->ops && entry->penalty == r->penalty) return true;
    }
    return false;
}

static bool is_scaled(const crease_reg *r)
{
    return r->ops->value == crease_scaled(1, NULL).ops->value;
}

static bool is_named(const crease_reg *r, const char *name)
{
    return strcmp(r->ops->name, name) == 0;
}

static bool find_kind(const crease_reg *r, crs_known_reg *k)
{
    if (is_named(r, "separable") || is_named(r, "weighted-l1") || is_named(r, "nonneg"))
        k->kind = CRS_ENTRIES;
    else if (is_named(r, "group"))
        k->kind = CRS_GROUPS;
    else if (is_named(r, "spectral"))
        k->kind = CRS_SPECTRUM;
    else if (is_named(r, "tv1d"))
        k->kind = CRS_VARIATION;
    else if (is_named(r, "box"))
        k->low = r->par[0], k->high = r->par[1];
    else
        return false;
    if (is_named(r, "nonneg")) k->low = 0;
    k->rule = rule_named(r->penalty ? r->penalty->name : "zero");
    return k->rule != NULL;
}

bool crs_know_reg(crs_verifier *v, const crease_reg *r, crs_known_reg *k)
{
    *k = (crs_known_reg){ .factor = 1, .low = -INFINITY, .high = INFINITY };
    k->rule = rule_named("zero");
    if (!r->ops) return true;
    for (; is_scaled(r); r = r->data) k->factor *= r->par[0];
    k->par = r->par;
    k->weight = r->weight;
    k->groups = r->groups;
    if (is_listed(r) && find_kind(r, k)) return true;
    return crs_refuse(v, "the regularizer '%s' is not one of the catalogue",
                      r->penalty ? r->penalty->name : r->ops->name);
}

bool crs_is_lipschitz(const crs_known_reg *k, const crease_space *s)
{
    const ptrdiff_t n = k->kind == CRS_GROUPS ? k->groups->count : crease_size(s);
    bool present = !k->weight;
    if (k->low > -INFINITY || k->high < INFINITY) return false;
    if (!k->rule->steep || !(k->par[0] > 0)) return true;
    for (ptrdiff_t j = 0; k->weight && j < n; j++) present = present || k->weight[j] > 0;
    return !present;
}

/* Lengths of groups and singular values are never known exactly: any may be at the kink. */
bool crs_at_kink(const crs_known_reg *k, const crease_space *s, const real *x)
{
    if (!k->rule->kink || k->kind != CRS_ENTRIES) return k->rule->kink != NULL;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        if (fabsl(x[j]) == k->rule->kink(k->par)) return true;
    return false;
}
