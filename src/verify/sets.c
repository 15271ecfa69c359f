/* SPDX-License-Identifier: MIT
 * sets: the sets of the catalogue, recognised by their tables and names: boxes, balls, simplexes,
 * sets of matrices, and those built from others
 *
 * The support of {norm(x) <= R} is R times the dual norm. The k-sparse norm is max(|x|_inf,
 * |x|_1/k). The k-support norm is min sqrt(sum x_j^2/eta_j) over 0 <= eta <= 1, sum eta <= k; with
 * |x| sorted down, its minimizer has eta_j = 1 for j < i and eta_j proportional to |x_j| after, for
 * some i < k. Argyriou, Foygel, Srebro, Sparse prediction with the k-support norm, 2012. */
#include <crease/catalogue.h>

#include "verify/verify.h"

bool crs_box_of(const crease_set *c, crs_box *box)
{
    const crease_bounds *given = c->data;
    const char *name = c->ops->name;
    *box = (crs_box){ .low = c->par[0], .high = c->par[1] };
    if (strcmp(name, "box") == 0) {
        if (given) *box = (crs_box){ given->low, given->high, given->lower, given->upper };
        return true;
    }
    if (strcmp(name, "linf-ball") == 0)
        return *box = (crs_box){ -c->par[0], c->par[0], 0, 0 }, true;
    if (strcmp(name, "nonneg") == 0) return *box = (crs_box){ 0, INFINITY, 0, 0 }, true;
    return false;
}

static void box_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                           const real *x, real slack, crs_membership *m)
{
    crs_box b;
    (void)v;
    crs_box_of(c, &b);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        demand(m, box_low(&b, j) - x[j], slack + beyond(box_low(&b, j)));
        demand(m, x[j] - box_high(&b, j), slack + beyond(box_high(&b, j)));
    }
}

static real box_support(crs_verifier *v, const crease_set *c, const crease_space *s, const real *w)
{
    crs_box b;
    real sum = 0;
    (void)v;
    crs_box_of(c, &b);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        if (w[j] != 0) sum += w[j] * (w[j] < 0 ? box_low(&b, j) : box_high(&b, j));
    return sum;
}

static real box_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    crs_box b;
    real sum = 0;
    (void)v;
    crs_box_of(c, &b);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const real side = box_high(&b, j) - box_low(&b, j);
        sum += side * side;
    }
    return sqrtl(sum);
}

static real p_norm(ptrdiff_t n, real p, const real *x)
{
    real most = 0, sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = bigger(most, fabsl(x[j]));
    if (!(most > 0)) return most;
    for (ptrdiff_t j = 0; j < n; j++) sum += powl(fabsl(x[j]) / most, p);
    return most * powl(sum, 1 / p);
}

static real sum_of(ptrdiff_t n, const real *x)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += fabsl(x[j]);
    return sum;
}

static real largest(ptrdiff_t n, const real *x)
{
    real most = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = bigger(most, fabsl(x[j]));
    return most;
}

static ptrdiff_t kept(const crease_set *c, ptrdiff_t n)
{
    return c->par[1] < (double)n ? (ptrdiff_t)c->par[1] : n;
}

static void sink(real *x, ptrdiff_t at, ptrdiff_t n)
{
    for (ptrdiff_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && x[child + 1] < x[child]) child++;
        if (!(x[child] < x[at])) return;
        const real t = x[at];
        x[at] = x[child];
        x[child] = t;
    }
}

/* Heap sort: the least go to the end. */
void crs_sort_down(ptrdiff_t n, real *x)
{
    for (ptrdiff_t i = n / 2; i-- > 0;) sink(x, i, n);
    for (ptrdiff_t last = n - 1; last > 0; last--) {
        const real t = x[0];
        x[0] = x[last];
        x[last] = t;
        sink(x, 0, last);
    }
}

static real *sorted(crs_verifier *v, ptrdiff_t n, const real *x)
{
    real *a = crs_reals(v, n);
    if (!a) return NULL;
    for (ptrdiff_t j = 0; j < n; j++) a[j] = x[j];
    crs_sort_down(n, a);
    return a;
}

/* With c = |A|_F, the matrix (A+A')/2 + c I has eigenvalues >= 0: they are its singular values. */
bool crs_top_eigenvalue(crs_verifier *v, ptrdiff_t n, const real *a, real *top)
{
    const real c = crs_length(n * n, a);
    real *shifted = crs_reals(v, n * n);
    crs_svd_real f;
    if (!shifted) return false;
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++)
            shifted[i * n + j] = (a[i * n + j] + a[j * n + i]) / 2 + (i == j ? c : 0);
    if (!crs_jacobi(v, n, n, shifted, &f)) return false;
    *top = f.s[0] - c;
    return true;
}

/* |x| sorted down, or NULL */
static real *magnitudes(crs_verifier *v, ptrdiff_t n, const real *x)
{
    real *a = crs_reals(v, n);
    if (!a) return NULL;
    for (ptrdiff_t j = 0; j < n; j++) a[j] = fabsl(x[j]);
    crs_sort_down(n, a);
    return a;
}

static real k_support_norm(crs_verifier *v, ptrdiff_t n, ptrdiff_t k, const real *x)
{
    const real *a = magnitudes(v, n, x);
    real best = INFINITY, tail = 0;
    if (!a) return NAN;
    for (ptrdiff_t j = k; j < n; j++) tail += a[j];
    for (ptrdiff_t i = k - 1; i >= 0; i--) {
        tail += a[i];
        const real share = tail / (real)(k - i); /* eta_j = |x_j| / share */
        if (a[i] <= share)
            best = -bigger(-best, -hypotl(crs_length(i, a), share * sqrtl((real)(k - i))));
    }
    return best;
}

static real norm_of(crs_verifier *v, const crease_set *c, ptrdiff_t n, const real *x)
{
    const char *name = c->ops->name;
    if (strcmp(name, "l1-ball") == 0) return sum_of(n, x);
    if (strcmp(name, "l2-ball") == 0) return crs_length(n, x);
    if (strcmp(name, "lp-ball") == 0) return p_norm(n, c->par[1], x);
    if (strcmp(name, "k-support") == 0) return k_support_norm(v, n, kept(c, n), x);
    return sum_of(n, x) / c->par[1];
}

static void norm_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                            const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t n = crease_size(s);
    const real R = c->par[0], factor = strcmp(c->ops->name, "k-sparse") == 0 ? c->par[1] : 1;
    demand(m, factor * (norm_of(v, c, n, x) - R), roundings(n) * factor * R + (real)n * slack);
    if (strcmp(c->ops->name, "k-sparse") == 0) demand(m, largest(n, x) - R, slack + beyond(R));
}

static real norm_support(crs_verifier *v, const crease_set *c, const crease_space *s, const real *w)
{
    const ptrdiff_t n = crease_size(s), k = kept(c, n);
    const real R = c->par[0], p = c->par[1];
    const char *name = c->ops->name;
    if (strcmp(name, "l1-ball") == 0) return R * largest(n, w);
    if (strcmp(name, "l2-ball") == 0) return R * crs_length(n, w);
    if (strcmp(name, "lp-ball") == 0) return R * p_norm(n, p / (p - 1), w);
    const real *a = magnitudes(v, n, w);
    if (!a) return NAN;
    return R * (strcmp(name, "k-sparse") == 0 ? sum_of(k, a) : crs_length(k, a));
}

static real norm_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const ptrdiff_t n = crease_size(s);
    real factor = 1;
    (void)v;
    if (strcmp(c->ops->name, "lp-ball") == 0)
        factor = powl((real)n, positive(0.5L - 1 / (real)c->par[1]));
    if (strcmp(c->ops->name, "k-sparse") == 0) factor = sqrtl((real)kept(c, n));
    return 2 * factor * c->par[0];
}

/* simplex         x >= 0, sum x = R             support R max w
 * full-simplex    x >= 0, sum x <= R            support R max(0, max w)
 * capped-simplex  0 <= x <= 1, sum x = k        support: the k largest w
 * permutahedron   sum x = sum a, any k entries  support: sorted w times sorted a
 *                 sum to no more than the k largest a */
static bool is(const crease_set *c, const char *name) { return strcmp(c->ops->name, name) == 0; }

static void simplex_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                               const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t n = crease_size(s);
    real sum = 0, size = 0;
    (void)v;
    for (ptrdiff_t j = 0; j < n; j++) {
        sum += x[j];
        size += fabsl(x[j]);
        demand(m, -x[j], slack);
        if (is(c, "capped-simplex")) demand(m, x[j] - 1, slack + beyond(1));
    }
    const real allowance = roundings(n) * (size + c->par[0]) + (real)n * slack;
    demand(m, sum - c->par[0], allowance);
    if (!is(c, "full-simplex")) demand(m, c->par[0] - sum, allowance);
}

static real simplex_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                            const real *w)
{
    const ptrdiff_t n = crease_size(s);
    real most = w[0];
    (void)v;
    for (ptrdiff_t j = 1; j < n; j++) most = bigger(most, w[j]);
    return c->par[0] * (is(c, "simplex") ? most : positive(most));
}

static real capped_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                           const real *w)
{
    const real *a = sorted(v, crease_size(s), w);
    real sum = 0;
    if (!a) return NAN;
    for (ptrdiff_t j = 0; j < (ptrdiff_t)c->par[0]; j++) sum += a[j];
    return sum;
}

static real simplex_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    (void)v;
    if (crease_size(s) == 1) return is(c, "simplex") ? 0 : c->par[0];
    return c->par[0] * sqrtl(2);
}

static real capped_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const real k = c->par[0], rest = (real)crease_size(s) - k;
    (void)v;
    return sqrtl(2 * (k < rest ? k : rest));
}

static real *sorted_a(crs_verifier *v, ptrdiff_t n, const double *vec)
{
    real *a = crs_reals(v, n);
    for (ptrdiff_t j = 0; a && j < n; j++) a[j] = vec[j];
    if (a) crs_sort_down(n, a);
    return a;
}

static void permutahedron_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                                     const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t n = crease_size(s);
    const real *y = sorted(v, n, x), *a = sorted_a(v, n, c->vec);
    real ahead = 0, size = 0;
    if (!y || !a) return;
    for (ptrdiff_t j = 0; j < n; j++) size += fabsl(y[j]) + fabsl(a[j]);
    const real allowance = roundings(n) * size + (real)n * slack;
    for (ptrdiff_t j = 0; j < n; j++) {
        ahead += y[j] - a[j];
        demand(m, ahead, allowance);
    }
    demand(m, -ahead, allowance);
}

static real permutahedron_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                                  const real *w)
{
    const ptrdiff_t n = crease_size(s);
    const real *y = sorted(v, n, w), *a = sorted_a(v, n, c->vec);
    return y && a ? crs_inner(n, y, a) : (real)NAN;
}

static real permutahedron_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const ptrdiff_t n = crease_size(s);
    const real *a = sorted_a(v, n, c->vec);
    real sum = 0;
    if (!a) return NAN;
    for (ptrdiff_t j = 0; j < n; j++) sum += (a[j] - a[n - 1 - j]) * (a[j] - a[n - 1 - j]);
    return sqrtl(sum);
}

/* nuclear-ball   sum sigma(X) <= R                support R sigma_1(W)
 * spectral-ball  sigma_1(X) <= R                  support R sum sigma(W)
 * spectrahedron  X = X' >= 0, trace X = R         support R lambda_1((W+W')/2)
 * birkhoff       X >= 0, all rows and columns     support: the best assignment
 *                sum to 1 */

/* The sum of the singular values and the largest; false: refused or out of memory. */
static bool singular_values(crs_verifier *v, const crease_space *s, const real *x, real *sum,
                            real *most)
{
    crs_svd_real f;
    if (!crs_jacobi(v, s->dim[0], s->dim[1], x, &f)) return false;
    *sum = 0;
    for (ptrdiff_t j = f.k; j-- > 0;) *sum += f.s[j];
    *most = f.s[0];
    return true;
}

/* What recomposing a matrix in double precision may do to its singular values. */
static real matrix_roundings(const crease_space *s)
{
    return 8 * ((real)s->dim[0] + (real)s->dim[1]) * DBL_EPSILON;
}

static bool is_nuclear(const crease_set *c) { return strcmp(c->ops->name, "nuclear-ball") == 0; }

static void matrix_ball_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                                   const real *x, real slack, crs_membership *m)
{
    real sum, most;
    if (!singular_values(v, s, x, &sum, &most)) return;
    const real norm = is_nuclear(c) ? sum : most;
    demand(m, norm - c->par[0],
           matrix_roundings(s) * (norm + c->par[0]) + (real)crease_size(s) * slack);
}

static real matrix_ball_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                                const real *w)
{
    real sum, most;
    if (!singular_values(v, s, w, &sum, &most)) return NAN;
    return c->par[0] * (is_nuclear(c) ? most : sum);
}

static real matrix_ball_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const ptrdiff_t k = s->dim[0] < s->dim[1] ? s->dim[0] : s->dim[1];
    (void)v;
    return 2 * c->par[0] * (is_nuclear(c) ? 1 : sqrtl((real)k));
}

/* lambda_min(X) = -lambda_max(-X) */
static void spectrahedron_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                                     const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t n = s->dim[0];
    real *minus = crs_reals(v, n * n), trace = 0, lowest;
    if (!minus) return;
    for (ptrdiff_t j = 0; j < n * n; j++) minus[j] = -x[j];
    if (!crs_top_eigenvalue(v, n, minus, &lowest)) return;
    const real size = crs_length(n * n, x) + c->par[0];
    const real allowance = matrix_roundings(s) * size + (real)(n * n) * slack;
    for (ptrdiff_t i = 0; i < n; i++) {
        trace += x[i * n + i];
        for (ptrdiff_t j = 0; j < i; j++) demand(m, fabsl(x[i * n + j] - x[j * n + i]), allowance);
    }
    demand(m, lowest, allowance);
    demand(m, fabsl(trace - c->par[0]), allowance);
}

static real spectrahedron_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                                  const real *w)
{
    real top;
    return crs_top_eigenvalue(v, s->dim[0], w, &top) ? c->par[0] * top : (real)NAN;
}

static real spectrahedron_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    (void)v;
    return s->dim[0] == 1 ? 0 : c->par[0] * sqrtl(2);
}

static void birkhoff_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                                const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t n = s->dim[0];
    (void)v, (void)c;
    for (ptrdiff_t i = 0; i < n; i++) {
        real row = 0, column = 0;
        for (ptrdiff_t j = 0; j < n; j++) {
            demand(m, -x[i * n + j], slack);
            row += x[i * n + j];
            column += x[j * n + i];
        }
        demand(m, fabsl(row - 1), 2 * roundings(n) + (real)n * slack);
        demand(m, fabsl(column - 1), 2 * roundings(n) + (real)n * slack);
    }
}

static real birkhoff_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                             const real *w)
{
    real value;
    (void)c;
    return crs_best_assignment(v, s->dim[0], w, &value) ? value : (real)NAN;
}

static real birkhoff_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    (void)v, (void)c;
    return s->dim[0] == 1 ? 0 : sqrtl(2 * (real)s->dim[0]);
}

/* shift + scale z: rounding x to double moves z by slack. */
static void affine_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                              const real *x, real slack, crs_membership *m)
{
    const crease_affine_set *a = c->data;
    const crs_set_rule *inner = crs_set_rule_of(v, a->inner);
    const ptrdiff_t n = crease_size(s);
    const real size = fabsl((real)a->scale);
    real *z = crs_reals(v, n), largest = 0;
    crs_membership in = { 0, true };
    if (!z || !inner) return;
    for (ptrdiff_t j = 0; j < n; j++) {
        const real shift = a->shift ? a->shift[j] : 0;
        z[j] = (x[j] - shift) / a->scale;
        largest = bigger(largest, fabsl(x[j]) + fabsl(shift));
    }
    inner->membership(v, a->inner, s, z, (slack + 2 * DBL_EPSILON * largest) / size, &in);
    m->excess = bigger(m->excess, size * in.excess);
    m->inside = m->inside && in.inside;
}

static real affine_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                           const real *w)
{
    const crease_affine_set *a = c->data;
    const crs_set_rule *inner = crs_set_rule_of(v, a->inner);
    const ptrdiff_t n = crease_size(s);
    real *z = crs_reals(v, n), sum = 0;
    if (!z || !inner) return NAN;
    for (ptrdiff_t j = 0; j < n; j++) {
        z[j] = a->scale * w[j];
        sum += (a->shift ? a->shift[j] : 0) * w[j];
    }
    return sum + inner->support(v, a->inner, s, z);
}

static real affine_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const crease_affine_set *a = c->data;
    const crs_set_rule *inner = crs_set_rule_of(v, a->inner);
    return inner ? fabsl((real)a->scale) * inner->diameter(v, a->inner, s) : (real)NAN;
}

static void product_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                               const real *x, real slack, crs_membership *m)
{
    const crease_product_set *p = c->data;
    (void)s;
    for (int i = 0; i < p->count; x += crease_size(&p->space[i++])) {
        const crs_set_rule *part = crs_set_rule_of(v, &p->inner[i]);
        if (part) part->membership(v, &p->inner[i], &p->space[i], x, slack, m);
    }
}

static real product_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                            const real *w)
{
    const crease_product_set *p = c->data;
    real sum = 0;
    (void)s;
    for (int i = 0; i < p->count; w += crease_size(&p->space[i++])) {
        const crs_set_rule *part = crs_set_rule_of(v, &p->inner[i]);
        sum += part ? part->support(v, &p->inner[i], &p->space[i], w) : (real)NAN;
    }
    return sum;
}

static real product_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const crease_product_set *p = c->data;
    real norm = 0;
    (void)s;
    for (int i = 0; i < p->count; i++) {
        const crs_set_rule *part = crs_set_rule_of(v, &p->inner[i]);
        norm = part ? hypotl(norm, part->diameter(v, &p->inner[i], &p->space[i])) : (real)NAN;
    }
    return norm;
}

static const crs_set_rule rules[] = {
    { "box", box_membership, box_support, box_diameter, false, false },
    { "nonneg", box_membership, box_support, box_diameter, false, true },
    { "linf-ball", box_membership, box_support, box_diameter, true, false },
    { "l1-ball", norm_membership, norm_support, norm_diameter, true, false },
    { "l2-ball", norm_membership, norm_support, norm_diameter, true, false },
    { "lp-ball", norm_membership, norm_support, norm_diameter, true, false },
    { "k-sparse", norm_membership, norm_support, norm_diameter, true, false },
    { "k-support", norm_membership, norm_support, norm_diameter, true, false },
    { "simplex", simplex_membership, simplex_support, simplex_diameter, false, true },
    { "full-simplex", simplex_membership, simplex_support, simplex_diameter, false, true },
    { "capped-simplex", simplex_membership, capped_support, capped_diameter, false, true },
    { "permutahedron", permutahedron_membership, permutahedron_support, permutahedron_diameter,
      false, false },
    { "nuclear-ball", matrix_ball_membership, matrix_ball_support, matrix_ball_diameter, false,
      false },
    { "spectral-ball", matrix_ball_membership, matrix_ball_support, matrix_ball_diameter, false,
      false },
    { "spectrahedron", spectrahedron_membership, spectrahedron_support, spectrahedron_diameter,
      false, false },
    { "birkhoff", birkhoff_membership, birkhoff_support, birkhoff_diameter, false, true },
    { "affine", affine_membership, affine_support, affine_diameter, false, false },
    { "product", product_membership, product_support, product_diameter, false, false },
};

static bool is_listed(const crease_set *c)
{
    for (int k = 0; k < crease_set_count(); k++) {
        const crease_set_ops *ops = crease_set_at(k);
        if (ops->support == c->ops->support && strcmp(ops->name, c->ops->name) == 0) return true;
    }
    return false;
}

const crs_set_rule *crs_set_rule_of(crs_verifier *v, const crease_set *c)
{
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (strcmp(rules[k].name, c->ops->name) == 0 && is_listed(c)) return &rules[k];
    for (const crs_set_rule *cone = crs_cone_rules; cone->name; cone++)
        if (strcmp(cone->name, c->ops->name) == 0 && is_listed(c)) return cone;
    crs_refuse(v, "the set '%s' is not one of the catalogue", c->ops->name);
    return NULL;
}
