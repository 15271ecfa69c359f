/* SPDX-License-Identifier: MIT
 * regs: the regularizers of the catalogue, recognised by their table and the names in it: rho'(y+)
 * of the scalar penalties, y >= 0, from their definitions; the limiting subdifferential of r, with
 * bounds on the entries, and its point nearest to another: entry by entry, group by group, by
 * singular values, of the variation
 *
 * Of w rho(|x|) + indicator of [low, high] on the line: inside {sgn(x) w rho'(|x|)}, at 0 the
 * interval [-w rho'(0+), w rho'(0+)], at a concave kink (of capped-l1 alone, where the slope falls
 * from lambda to 0) the two one-sided slopes; x = high: [derivative from the left, inf), x = low:
 * (-inf, derivative from the right], low = high: the whole line */
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

/* rho itself */
static real no_value(const double *p, real y) { return (void)p, (void)y, 0; }
static real l1_value(const double *p, real y) { return p[0] * y; }
static real square_value(const double *p, real y) { return p[0] * y * y / 2; }
static real l0_value(const double *p, real y) { return y > 0 ? p[0] : 0; }
static real net_value(const double *p, real y) { return p[0] * y + p[1] * y * y / 2; }
static real lsp_value(const double *p, real y) { return p[0] * log1pl(y / p[1]); }
static real capped_value(const double *p, real y) { return p[0] * (y < p[1] ? y : (real)p[1]); }
static real half_value(const double *p, real y) { return p[0] * sqrtl(y); }
static real lq_value(const double *p, real y) { return p[0] * powl(y, p[1]); }
static real thirds_value(const double *p, real y) { return p[0] * powl(y, 2.0L / 3); }

static real scad_value(const double *p, real y)
{
    const real lambda = p[0], a = p[1], t = y < a * lambda ? y : a * lambda, off = t - lambda;
    return lambda * t - (off > 0 ? off * off / (2 * (a - 1)) : 0);
}

static real mcp_value(const double *p, real y)
{
    const real lambda = p[0], gamma = p[1], t = y < gamma * lambda ? y : gamma * lambda;
    return lambda * t - t * t / (2 * gamma);
}

static real huber_value(const double *p, real y)
{
    return y < p[1] ? p[0] * (y / p[1]) * y / 2 : p[0] * (y - (real)p[1] / 2);
}

static const crs_rule rules[] = {
    { "zero", no_value, none, NULL, false, true },
    { "l1", l1_value, l1, NULL, false, true },
    { "elastic-net", net_value, elastic_net, NULL, false, false },
    { "squared-l2", square_value, squared_l2, NULL, false, false },
    { "l0", l0_value, l0, NULL, true, false },
    { "scad", scad_value, scad, NULL, false, false },
    { "mcp", mcp_value, mcp, NULL, false, false },
    { "lsp", lsp_value, lsp, NULL, false, false },
    { "capped-l1", capped_value, capped_l1, theta, false, false },
    { "l-half", half_value, l_half, NULL, true, false },
    { "l-two-thirds", thirds_value, l_two_thirds, NULL, true, false },
    { "lq", lq_value, lq, NULL, true, false },
    { "huber", huber_value, huber, NULL, false, false },
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

/* w rho'(y-) and w rho'(y+) */
typedef struct {
    real before, after;
} sides;

static sides sides_at(const crs_known_reg *k, real w, real y, real near)
{
    if (w == 0) return (sides){ 0, 0 };
    if (k->rule->kink) { /* an operation on NaN or infinity takes the processor a hundred others */
        const real kink = k->rule->kink(k->par);
        if (fabsl(y - kink) <= near * kink) return (sides){ w * k->rule->slope(k->par, 0), 0 };
    }
    const real slope = w * k->rule->slope(k->par, y);
    return (sides){ slope, slope };
}

static real size_of(const crs_known_reg *k, real w, const sides *s)
{
    const real first = w == 0 ? 0 : w * k->rule->slope(k->par, 0);
    return isinf(first) ? (isinf(s->before) ? 0 : s->before) : 2 * bigger(first, s->before);
}

crs_slopes crs_slopes_at(const crs_known_reg *k, ptrdiff_t j, real x, real low, real high,
                         real near)
{
    const real w = k->factor * (k->weight ? k->weight[j] : 1);
    const sides s = sides_at(k, w, fabsl(x), near);
    const real left = x > 0 ? s.before : -s.after, right = x < 0 ? -s.before : s.after;
    crs_slopes out = { left, right, x != 0 && left != right, size_of(k, w, &s) };
    if (!(x >= low && x <= high)) return (crs_slopes){ INFINITY, -INFINITY, false, 0 };
    if (x > low && x < high) return out;
    if (x == low) out.low = -INFINITY;
    if (x == high) out.high = INFINITY;
    out.two = false;
    return out;
}

real crs_nearest_slope(const crs_slopes *s, real t)
{
    if (s->two) return fabsl(t - s->low) < fabsl(t - s->high) ? s->low : s->high;
    return s->low > s->high ? (real)INFINITY : within(t, s->low, s->high);
}

/* With X = U diag(s) V', s > 0, the subdifferential of sum_j rho(sigma_j(X)) holds
 * U diag(rho'(s)) V' + P, U'P = 0, P V = 0 and |P|_2 <= rho'(0+). The nearest point to T takes for
 * P the projection (I - UU') T (I - VV') with its singular values clipped. Lewis and Sendov,
 * Nonsmooth analysis of singular values, 2005. */

/* T becomes (I - UU') T for the first r columns of u; a transposed copy does the other side. */
static void remove_range(ptrdiff_t m, ptrdiff_t n, ptrdiff_t r, const real *u, ptrdiff_t k, real *T)
{
    for (ptrdiff_t j = 0; j < r; j++)
        for (ptrdiff_t c = 0; c < n; c++) {
            real dot = 0;
            for (ptrdiff_t i = 0; i < m; i++) dot += u[i * k + j] * T[i * n + c];
            for (ptrdiff_t i = 0; i < m; i++) T[i * n + c] -= dot * u[i * k + j];
        }
}

static void transpose(ptrdiff_t m, ptrdiff_t n, const real *a, real *b)
{
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) b[j * m + i] = a[i * n + j];
}

/* G += factor u_j v_j' */
static void add_pair(const crs_svd_real *f, ptrdiff_t j, real factor, real *G)
{
    for (ptrdiff_t i = 0; i < f->m; i++)
        for (ptrdiff_t c = 0; c < f->n; c++)
            G[i * f->n + c] += factor * f->u[i * f->k + j] * f->v[c * f->k + j];
}

static real between(const crs_svd_real *f, ptrdiff_t j, const real *T) /* u_j'T v_j */
{
    real sum = 0;
    for (ptrdiff_t i = 0; i < f->m; i++)
        for (ptrdiff_t c = 0; c < f->n; c++)
            sum += f->u[i * f->k + j] * T[i * f->n + c] * f->v[c * f->k + j];
    return sum;
}

/* P, clipped at d0 */
static bool rest(crs_verifier *v, const crs_svd_real *f, ptrdiff_t rank, real d0, const real *T,
                 real *G)
{
    const ptrdiff_t m = f->m, n = f->n;
    crs_svd_real p;
    real *t = crs_reals(v, m * n);
    if (!t) return false;
    for (ptrdiff_t j = 0; j < m * n; j++) G[j] = T[j];
    remove_range(m, n, rank, f->u, f->k, G);
    transpose(m, n, G, t);
    remove_range(n, m, rank, f->v, f->k, t);
    transpose(n, m, t, G);
    if (isinf(d0)) return true;
    if (!crs_jacobi(v, m, n, G, &p)) return false;
    for (ptrdiff_t j = 0; j < p.k; j++)
        if (p.s[j] > d0) add_pair(&p, j, d0 - p.s[j], G);
    return true;
}

/* (I + C) for the first r of k columns of a, C = |A|'|A| */
static void add_overlaps(ptrdiff_t rows, ptrdiff_t k, ptrdiff_t r, const real *a, real *c)
{
    for (ptrdiff_t p = 0; p < r; p++)
        for (ptrdiff_t q = 0; q < r; q++) {
            c[p * r + q] = p == q;
            for (ptrdiff_t i = 0; i < rows; i++) c[p * r + q] += fabsl(a[i * k + p] * a[i * k + q]);
        }
}

/* Is x, to the rounding of its entries, the sum X_r of its first r singular terms? Computed in
 * double, a matrix U diag(s) V' of rank r is off by g |U| diag(s) |V|', g = (k + 8) 2^-52, entry by
 * entry; of that (I - UU') E (I - VV') is left in x - X_r, to first order, so where
 * |x - X_r| > g |U| (I + C) diag(s) (I + B) |V|', C = |U|'|U|, B = |V|'|V|, x is no rounding of a
 * matrix of rank r. X_r itself has rank r whatever the rounding of its factors. */
static bool explains(crs_verifier *v, const crs_svd_real *f, ptrdiff_t r, const real *x,
                     bool *rounded)
{
    const ptrdiff_t m = f->m, n = f->n, k = f->k;
    const real g = (real)(k + 8) * DBL_EPSILON;
    void *mark = v->rooms;
    real *c = crs_reals(v, r * r), *b = crs_reals(v, r * r), *w = crs_reals(v, r * r);
    real *row = crs_reals(v, r);
    if (v->no_memory) return false;
    add_overlaps(m, k, r, f->u, c);
    add_overlaps(n, k, r, f->v, b);
    for (ptrdiff_t p = 0; p < r; p++)
        for (ptrdiff_t q = 0; q < r; q++)
            for (ptrdiff_t l = 0; l < r; l++) w[p * r + q] += c[p * r + l] * f->s[l] * b[l * r + q];
    *rounded = true;
    for (ptrdiff_t i = 0; i < m && *rounded; i++) {
        for (ptrdiff_t q = 0; q < r; q++) row[q] = 0;
        for (ptrdiff_t p = 0; p < r; p++)
            for (ptrdiff_t q = 0; q < r; q++) row[q] += fabsl(f->u[i * k + p]) * w[p * r + q];
        for (ptrdiff_t j = 0; j < n && *rounded; j++) {
            real left = x[i * n + j], bound = 0;
            for (ptrdiff_t q = 0; q < r; q++) {
                left -= f->u[i * k + q] * f->s[q] * f->v[j * k + q];
                bound += row[q] * fabsl(f->v[j * k + q]);
            }
            *rounded = fabsl(left) <= g * bound;
        }
    }
    crs_rooms_release(v, mark);
    return true;
}

/* The first rank, from that of the singular values above the noise on, that explains x. */
static bool decide_rank(crs_verifier *v, const crs_svd_real *f, const real *x, ptrdiff_t *rank)
{
    bool rounded = *rank == f->k;
    while (!rounded) {
        if (!explains(v, f, *rank, x, &rounded)) return false;
        if (rounded) break;
        if (*rank == f->k || f->s[*rank] == 0)
            return crs_refuse(v, "the rank of a %td x %td matrix cannot be decided", f->m, f->n);
        ++*rank;
    }
    return true;
}

bool crs_rank_of(crs_verifier *v, const crs_svd_real *f, const real *x, ptrdiff_t *rank)
{
    const real noise = (real)(f->m > f->n ? f->m : f->n) * DBL_EPSILON * f->s[0];
    *rank = 0;
    while (*rank < f->k && f->s[*rank] > noise) ++*rank;
    return decide_rank(v, f, x, rank);
}

static bool nearest_spectral(crs_verifier *v, const crs_subdifferential *d, const real *t, real *g,
                             crs_sizes *size)
{
    const crs_known_reg *k = d->k;
    const ptrdiff_t m = d->s->dim[0], n = d->s->dim[1];
    const crs_slopes zero = crs_slopes_at(k, 0, 0, -INFINITY, INFINITY, 0);
    crs_svd_real f;
    ptrdiff_t rank = 0;
    if (!crs_jacobi(v, m, n, d->x, &f)) return false;
    const real noise = (real)(m > n ? m : n) * DBL_EPSILON * f.s[0];
    if (!crs_rank_of(v, &f, d->x, &rank)) return false;
    if (!rest(v, &f, rank, zero.high, t, g)) return false;
    size->all = isinf(zero.high) ? 0 : zero.high * sqrtl((real)f.k);
    for (ptrdiff_t j = 0; j < rank; j++) {
        const real kink = k->rule->kink ? k->rule->kink(k->par) : INFINITY;
        const crs_slopes at =
            crs_slopes_at(k, 0, f.s[j], -INFINITY, INFINITY, isinf(kink) ? 0 : 8 * noise / kink);
        add_pair(&f, j, crs_nearest_slope(&at, between(&f, j, t)), g);
        size->all = bigger(size->all, at.size);
    }
    size->all *= (real)(m + n);
    size->used = size->all;
    return true;
}

/* The subdifferential of lambda sum_j |x_{j+1} - x_j| holds g_j = z_{j-1} - z_j, z_{-1} = z_{n-1} =
 * 0, with z_j = lambda sgn(x_{j+1} - x_j) at a jump and |z_j| <= lambda on a constant stretch. On a
 * stretch with sums S_k of what is left of t, S_k + z_k is the taut string through the tube
 * S_k +- lambda from 0 to the last sum; the string is found by looking ahead from every bend.
 * Whatever string is found, g is a subgradient. Davies and Kovac, Local extremes, runs, strings and
 * multiresolution, 2001. */

/* The tube over points 0..n: S[k] +- lambda, without width at the ends. */
typedef struct {
    ptrdiff_t n;
    real lambda;
    const real *S;
} tube;

static real half_width(const tube *t, ptrdiff_t k) { return k < t->n ? t->lambda : 0; }

/* The straight piece that starts at (*at, y): its slope; *at becomes its end. */
static real next_piece(const tube *t, ptrdiff_t *at, real y)
{
    real floor_slope = -INFINITY, roof_slope = INFINITY;
    ptrdiff_t floor_at = *at, roof_at = *at;
    for (ptrdiff_t k = *at + 1; k <= t->n; k++) {
        const real run = (real)(k - *at);
        const real low = (t->S[k] - half_width(t, k) - y) / run;
        const real high = (t->S[k] + half_width(t, k) - y) / run;
        if (high < floor_slope) return *at = floor_at, floor_slope;
        if (low > roof_slope) return *at = roof_at, roof_slope;
        if (low >= floor_slope) floor_slope = low, floor_at = k;
        if (high <= roof_slope) roof_slope = high, roof_at = k;
    }
    return *at = t->n, floor_slope;
}

/* z[0..n-1) for a stretch of n points, from its sums */
static void pull(crs_verifier *v, const tube *t, real *z)
{
    real y = 0;
    for (ptrdiff_t at = 0, from = 0; from < t->n && crs_in_time(v); from = at) {
        const real slope = next_piece(t, &at, y);
        if (at <= from) at = from + 1; /* only NaN stands still */
        for (ptrdiff_t k = from + 1; k <= at; k++) {
            y += slope;
            if (k < t->n) z[k - 1] = within(y - t->S[k], -t->lambda, t->lambda);
        }
    }
}

static bool nearest_variation(crs_verifier *v, const crs_subdifferential *d, const real *t, real *g,
                              crs_sizes *size)
{
    const ptrdiff_t n = crease_size(d->s);
    const real lambda = d->k->factor * d->k->par[0], *x = d->x;
    real *z = crs_reals(v, n), *S = crs_reals(v, n + 1);
    if (!z || !S) return false;
    for (ptrdiff_t j = 0; j + 1 < n; j++)
        z[j] = x[j + 1] > x[j] ? lambda : x[j + 1] < x[j] ? -lambda : 0;
    for (ptrdiff_t first = 0, last; first < n; first = last + 1) {
        last = first;
        while (last + 1 < n && x[last + 1] == x[first]) last++;
        S[0] = first > 0 ? -z[first - 1] : 0;
        for (ptrdiff_t j = first; j <= last; j++) S[j - first + 1] = S[j - first] + t[j];
        if (last + 1 < n) S[last - first + 1] += z[last];
        /* the string starts at 0, so the left end goes into all sums but S[0] */
        S[0] = 0;
        pull(v, &(tube){ last - first + 1, lambda, S }, z + first);
    }
    size->all = lambda * sqrtl((real)n);
    for (ptrdiff_t j = 0; j < n; j++) {
        g[j] = (j > 0 ? z[j - 1] : 0) - (j + 1 < n ? z[j] : 0);
        if (g[j] != t[j]) size->used = size->all;
    }
    return true;
}

/* Squares of sizes; well inside, the rounding of the ends does not matter. */
static void count(const crs_slopes *s, real t, crs_sizes *square)
{
    const real margin = 16 * LDBL_EPSILON * s->size;
    const bool inside = !s->two && t >= s->low + margin && t <= s->high - margin;
    square->all += s->size * s->size;
    if (!inside) square->used += s->size * s->size;
}

static bool is_zero(const crs_subdifferential *d)
{
    return strcmp(d->k->rule->name, "zero") == 0 && !d->box && isinf(d->k->low) &&
           isinf(d->k->high);
}

static void nearest_entries(crs_verifier *v, const crs_subdifferential *d, const real *t, real *g,
                            crs_sizes *size)
{
    const crs_known_reg *k = d->k;
    const ptrdiff_t n = crease_size(d->s);
    const bool alike = !k->weight && !d->box;
    const crs_slopes at_zero = crs_slopes_at(k, 0, 0, k->low, k->high, d->near);
    for (ptrdiff_t j = 0; j < n && crs_at_entry(v, j); j++) {
        const real low = d->box ? bigger(k->low, box_low(d->box, j)) : k->low;
        const real high = d->box ? -bigger(-k->high, -box_high(d->box, j)) : k->high;
        const crs_slopes s =
            alike && d->x[j] == 0 ? at_zero : crs_slopes_at(k, j, d->x[j], low, high, d->near);
        g[j] = crs_nearest_slope(&s, t[j]);
        count(&s, t[j], size);
    }
}

static ptrdiff_t member(const crease_groups *a, ptrdiff_t k) { return a->index ? a->index[k] : k; }

static real product(const crease_groups *a, ptrdiff_t i, const real *x, const real *y)
{
    real sum = 0;
    for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++)
        sum += x[member(a, k)] * y[member(a, k)];
    return sum;
}

static real group_length(const crease_groups *a, ptrdiff_t i, const double *x)
{
    real norm = 0;
    for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++) norm = hypotl(norm, x[member(a, k)]);
    return norm;
}

/* g_i = factor z_i */
static void set_group(const crease_groups *a, ptrdiff_t i, real factor, const real *z, real *g)
{
    for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++)
        g[member(a, k)] = factor * z[member(a, k)];
}

/* At x_i = 0 the ball of radius w rho'(0+), elsewhere w rho'(|x_i|) x_i/|x_i|. */
static void nearest_group(const crs_known_reg *k, ptrdiff_t i, const real *x, const real *t,
                          real *g, crs_sizes *size)
{
    const crease_groups *a = k->groups;
    const real y = sqrtl(product(a, i, x, x)), length = sqrtl(product(a, i, t, t));
    const crs_slopes s = crs_slopes_at(k, i, y, -INFINITY, INFINITY, 4 * DBL_EPSILON);
    if (y == 0)
        set_group(a, i, length <= s.high ? 1 : s.high / length, t, g);
    else
        set_group(a, i, crs_nearest_slope(&s, product(a, i, t, x) / y) / y, x, g);
    count(&s, length, size);
}

bool crs_nearest_point(crs_verifier *v, const crs_subdifferential *d, const real *t, real *g,
                       crs_sizes *size)
{
    *size = (crs_sizes){ 0, 0 };
    switch (d->k->kind) {
    case CRS_SPECTRUM:
        return nearest_spectral(v, d, t, g, size);
    case CRS_VARIATION:
        return nearest_variation(v, d, t, g, size);
    case CRS_GROUPS:
        for (ptrdiff_t i = 0; i < d->k->groups->count && crs_at_entry(v, i); i++)
            nearest_group(d->k, i, d->x, t, g, size);
        break;
    default:
        if (is_zero(d))
            for (ptrdiff_t j = 0, n = crease_size(d->s); j < n; j++) g[j] = 0;
        else
            nearest_entries(v, d, t, g, size);
    }
    *size = (crs_sizes){ sqrtl(size->all), sqrtl(size->used) };
    return true;
}

/* Outside [low, high] r is infinite, which no scale asks. */
real crs_reg_value(const crs_known_reg *k, const crease_space *s, const double *x)
{
    const ptrdiff_t n = k->kind == CRS_GROUPS ? k->groups->count : crease_size(s);
    real sum = 0, norm = 0;
    if (strcmp(k->rule->name, "zero") == 0) return 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        real y = fabsl((real)x[k->kind == CRS_GROUPS ? 0 : j]);
        if (k->kind == CRS_SPECTRUM) norm = hypotl(norm, y);
        if (k->kind == CRS_VARIATION) y = j + 1 < n ? fabsl((real)x[j + 1] - x[j]) : 0;
        if (k->kind == CRS_GROUPS) y = group_length(k->groups, j, x);
        sum += (k->weight ? k->weight[j] : 1) * k->rule->value(k->par, y);
    }
    return k->factor * (k->kind == CRS_SPECTRUM ? k->rule->value(k->par, norm) : sum);
}
