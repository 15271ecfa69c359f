/* SPDX-License-Identifier: MIT
 * normals: the limiting normal cones of sets, rows together with a regularizer, and for unbounded
 * sets the vectors of finite support
 *
 *   row on a box   mu a and the normals of the box, mu >= 0 where the row is an inequality and 0
 *                  where it is slack
 *   soc            the multiples >= 0 of (x/|x|, -1); at 0 all |x| <= -t
 *   psd            Z <= 0 on the null space of X, and every skew matrix
 *   l0-ball        0 on the entries of x and on others, up to k together
 *   rank-ball      0 on the range and the row space of X, of rank min(m,n) - k
 * A point within the rounding of the boundary counts as on it. */
#include "verify/verify.h"

static bool is(const crease_set *c, const char *name) { return strcmp(c->ops->name, name) == 0; }

static ptrdiff_t allowed(const crease_set *c, ptrdiff_t most)
{
    return c->par[0] < (double)most ? (ptrdiff_t)c->par[0] : most;
}

/* sum_j a_j (t_j - mu a_j - the nearest to it): falls with mu, and is 0 where the distance is least
 */
static bool pull_at(crs_verifier *v, const crs_row *r, const crs_subdifferential *d, const real *t,
                    real mu, real *work, real *pull)
{
    const ptrdiff_t n = crease_size(d->s);
    real *moved = work, *g = work + n;
    crs_sizes size;
    for (ptrdiff_t j = 0; j < n; j++) moved[j] = t[j] - mu * row_at(r, j);
    if (!crs_nearest_point(v, d, moved, g, &size)) return false;
    *pull = 0;
    for (ptrdiff_t j = 0; j < n; j++) *pull += row_at(r, j) * (moved[j] - g[j]);
    return true;
}

/* The mu on the side of `sign` where the pull is 0: doubling, then secants and halvings by turns.
 */
static bool best_mu(crs_verifier *v, const crs_row *r, const crs_subdifferential *d, const real *t,
                    real first, real *work, real *mu)
{
    const real sign = first > 0 ? 1 : -1;
    real low = 0, high = 1, before = fabsl(first), after = 0;
    for (int k = 0; k < 2000; k++, high *= 2) {
        if (!pull_at(v, r, d, t, sign * high, work, &after)) return false;
        after *= sign;
        if (!(after > 0) || isinf(high)) break;
        low = high, before = after;
    }
    for (int k = 0; k < 240 && after < 0; k++) {
        const real secant = low + before * ((high - low) / (before - after));
        const real at = k % 2 ? low + (high - low) / 2 : secant;
        real value;
        if (!(at > low && at < high)) {
            if (k % 2) break;
            continue;
        }
        if (!pull_at(v, r, d, t, sign * at, work, &value)) return false;
        value *= sign;
        if (value > 0)
            low = at, before = value;
        else
            high = at, after = value;
    }
    *mu = sign * high;
    return true;
}

bool crs_move_by_row(crs_verifier *v, const crs_row *r, const crs_subdifferential *d, real *t,
                     real *size)
{
    const ptrdiff_t n = crease_size(d->s);
    real *work = crs_reals(v, 2 * n), terms, mu = 0, pull, norm = 0;
    if (!work) return false;
    const real off = crs_off_row(r, n, d->x, &terms);
    const bool active = r->equality || off >= -4 * roundings(n) * terms;
    if (active && !pull_at(v, r, d, t, 0, work, &pull)) return false;
    if (active && pull != 0 && (r->equality || pull > 0) && !best_mu(v, r, d, t, pull, work, &mu))
        return false;
    for (ptrdiff_t j = 0; j < n; j++) {
        t[j] -= mu * row_at(r, j);
        norm = hypotl(norm, mu * row_at(r, j));
    }
    *size = norm;
    return true;
}

/* The nearest normal to t at x, in n. */
typedef bool normal_rule(crs_verifier *v, const crease_set *c, const crease_space *s, const real *x,
                         const real *t, real *n);

static bool flat_normal(crs_verifier *v, const crease_set *c, const crease_space *s, const real *x,
                        const real *t, real *n)
{
    const ptrdiff_t size = crease_size(s);
    const crease_reg none = { 0 };
    real *moved = crs_reals(v, size), unread;
    crs_known_reg k;
    crs_row row;
    crs_box box;
    crs_sizes sizes;
    const bool on_row = crs_row_of(c, &row);
    if (on_row)
        box = row.box;
    else
        crs_box_of(c, &box);
    if (!moved || !crs_know_reg(v, &none, &k)) return false;
    for (ptrdiff_t j = 0; j < size; j++) moved[j] = t[j];
    const crs_subdifferential d = { &k, s, &box, x, 0 };
    if (on_row && !crs_move_by_row(v, &row, &d, moved, &unread)) return false;
    if (!crs_nearest_point(v, &d, moved, n, &sizes)) return false;
    for (ptrdiff_t j = 0; j < size; j++) n[j] += t[j] - moved[j];
    return true;
}

/* t minus its projection on the cone */
static void soc_polar(ptrdiff_t last, const real *t, real *n)
{
    const real norm = crs_length(last, t), height = (norm + t[last]) / 2;
    const bool in = norm <= t[last], polar = norm <= -t[last];
    for (ptrdiff_t j = 0; j < last; j++)
        n[j] = in ? 0 : polar ? t[j] : t[j] - height * (t[j] / norm);
    n[last] = in ? 0 : polar ? t[last] : t[last] - height;
}

static bool soc_normal(crs_verifier *v, const crease_set *c, const crease_space *s, const real *x,
                       const real *t, real *n)
{
    const ptrdiff_t last = crease_size(s) - 1;
    const real norm = crs_length(last, x);
    (void)v, (void)c;
    if (norm == 0 && x[last] == 0) return soc_polar(last, t, n), true;
    const bool inside = norm < x[last] * (1 - 4 * DBL_EPSILON);
    const real along = inside ? 0 : positive(crs_inner(last, t, x) / norm - t[last]) / 2;
    for (ptrdiff_t j = 0; j < last; j++) n[j] = inside ? 0 : along * (x[j] / norm);
    n[last] = -along;
    return true;
}

/* T becomes (I - uu') T, or with `right` T (I - uu'), for column j of the m or n x k array a */
static void remove_column(ptrdiff_t m, ptrdiff_t n, const real *a, ptrdiff_t k, ptrdiff_t j,
                          bool right, real *T)
{
    for (ptrdiff_t p = 0; p < (right ? m : n); p++) {
        real dot = 0;
        for (ptrdiff_t q = 0; q < (right ? n : m); q++)
            dot += a[q * k + j] * T[right ? p * n + q : q * n + p];
        for (ptrdiff_t q = 0; q < (right ? n : m); q++)
            T[right ? p * n + q : q * n + p] -= dot * a[q * k + j];
    }
}

/* Of a symmetric matrix: what is left without its positive eigenvalues. With c = |A|_F, A + c I has
 * the eigenvalues of A + c as its singular values. */
static bool remove_positive(crs_verifier *v, ptrdiff_t n, real *a)
{
    const real c = crs_length(n * n, a);
    real *shifted = crs_reals(v, n * n);
    crs_svd_real f;
    if (!shifted) return false;
    for (ptrdiff_t j = 0; j < n * n; j++) shifted[j] = a[j] + (j % (n + 1) == 0 ? c : 0);
    if (!crs_jacobi(v, n, n, shifted, &f)) return false;
    for (ptrdiff_t k = 0; k < n && f.s[k] > c; k++)
        for (ptrdiff_t i = 0; i < n; i++)
            for (ptrdiff_t j = 0; j < n; j++)
                a[i * n + j] -= (f.s[k] - c) * f.u[i * n + k] * f.u[j * n + k];
    return true;
}

static bool psd_normal(crs_verifier *v, const crease_set *c, const crease_space *s, const real *x,
                       const real *t, real *out)
{
    const ptrdiff_t n = s->dim[0];
    crs_svd_real f;
    (void)c;
    if (!crs_jacobi(v, n, n, x, &f)) return false;
    const real noise = (real)(n + 8) * DBL_EPSILON * crs_length(n * n, x);
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++) out[i * n + j] = (t[i * n + j] + t[j * n + i]) / 2;
    for (ptrdiff_t k = 0; k < n && f.s[k] > noise; k++) {
        remove_column(n, n, f.u, n, k, false, out);
        remove_column(n, n, f.u, n, k, true, out);
    }
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < i; j++)
            out[i * n + j] = out[j * n + i] = (out[i * n + j] + out[j * n + i]) / 2;
    if (!remove_positive(v, n, out)) return false;
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++) out[i * n + j] += (t[i * n + j] - t[j * n + i]) / 2;
    return true;
}

static bool l0_normal(crs_verifier *v, const crease_set *c, const crease_space *s, const real *x,
                      const real *t, real *n)
{
    const ptrdiff_t size = crease_size(s);
    ptrdiff_t more = allowed(c, size), count = 0;
    real *a = crs_reals(v, size);
    if (!a) return false;
    for (ptrdiff_t j = 0; j < size; j++) {
        n[j] = x[j] != 0 ? 0 : t[j];
        if (x[j] != 0)
            more--;
        else
            a[count++] = fabsl(t[j]);
    }
    crs_sort_down(count, a);
    const real bound = more > 0 ? a[count - more] : -1; /* this and smaller ones are dropped */
    for (int tied = 0; tied <= 1; tied++)
        for (ptrdiff_t j = 0; j < size && more > 0; j++) {
            if (x[j] != 0 || !(tied ? fabsl(t[j]) == bound : fabsl(t[j]) < bound)) continue;
            n[j] = 0;
            more--;
        }
    return true;
}

static bool rank_normal(crs_verifier *v, const crease_set *c, const crease_space *s, const real *x,
                        const real *t, real *out)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1];
    crs_svd_real f, p;
    ptrdiff_t rank;
    real *rest = crs_reals(v, m * n);
    if (!rest || !crs_jacobi(v, m, n, x, &f) || !crs_rank_of(v, &f, x, &rank)) return false;
    const ptrdiff_t k = allowed(c, f.k);
    for (ptrdiff_t j = 0; j < m * n; j++) rest[j] = t[j], out[j] = 0;
    for (ptrdiff_t j = 0; j < (rank < k ? rank : k); j++) {
        remove_column(m, n, f.u, f.k, j, false, rest);
        remove_column(m, n, f.v, f.k, j, true, rest);
    }
    if (!crs_jacobi(v, m, n, rest, &p)) return false;
    for (ptrdiff_t l = 0; l < p.k - k; l++)
        for (ptrdiff_t i = 0; i < m; i++)
            for (ptrdiff_t j = 0; j < n; j++)
                out[i * n + j] += p.s[l] * p.u[i * p.k + l] * p.v[j * p.k + l];
    return true;
}

static bool affine_normal(crs_verifier *v, const crease_set *c, const crease_space *s,
                          const real *x, const real *t, real *n)
{
    const crease_affine_set *a = c->data;
    const ptrdiff_t size = crease_size(s);
    real *z = crs_reals(v, size), *w = crs_reals(v, size);
    if (!z || !w) return false;
    for (ptrdiff_t j = 0; j < size; j++) {
        z[j] = (x[j] - (a->shift ? a->shift[j] : 0)) / a->scale;
        w[j] = a->scale < 0 ? -t[j] : t[j];
    }
    if (!crs_nearest_normal(v, a->inner, s, z, w, n)) return false;
    for (ptrdiff_t j = 0; j < size; j++) n[j] = a->scale < 0 ? -n[j] : n[j];
    return true;
}

static bool product_normal(crs_verifier *v, const crease_set *c, const crease_space *s,
                           const real *x, const real *t, real *n)
{
    const crease_product_set *p = c->data;
    (void)s;
    for (int i = 0; i < p->count; i++) {
        const ptrdiff_t size = crease_size(&p->space[i]);
        if (!crs_nearest_normal(v, &p->inner[i], &p->space[i], x, t, n)) return false;
        x += size;
        t += size;
        n += size;
    }
    return true;
}

static normal_rule *normal_rule_of(const crease_set *c)
{
    crs_row row;
    crs_box box;
    return crs_box_of(c, &box) || crs_row_of(c, &row) ? flat_normal
           : is(c, "soc")                             ? soc_normal
           : is(c, "psd")                             ? psd_normal
           : is(c, "l0-ball")                         ? l0_normal
           : is(c, "rank-ball")                       ? rank_normal
           : is(c, "affine")                          ? affine_normal
           : is(c, "product")                         ? product_normal
                                                      : NULL;
}

bool crs_nearest_normal(crs_verifier *v, const crease_set *c, const crease_space *s, const real *x,
                        const real *t, real *n)
{
    normal_rule *rule = crs_set_rule_of(v, c) ? normal_rule_of(c) : NULL;
    return rule ? rule(v, c, s, x, t, n)
                : crs_refuse(v, "the normals of the set '%s' are not known", c->ops->name);
}

bool crs_has_barrier(const crease_set *c)
{
    return is(c, "half-space") || is(c, "hyperplane") || is(c, "soc") || is(c, "psd");
}

bool crs_barrier(crs_verifier *v, const crease_set *c, const crease_space *s, const real *z,
                 real *n, real *support)
{
    const ptrdiff_t size = crease_size(s);
    crs_row r;
    real rest;
    *support = 0;
    if (is(c, "soc")) {
        soc_polar(size - 1, z, n);
        n[size - 1] =
            -bigger(-n[size - 1], (1 + working_roundings(size)) * crs_length(size - 1, n));
        return true;
    }
    if (is(c, "psd")) {
        real *zero = crs_reals(v, size);
        return zero && psd_normal(v, c, s, zero, z, n);
    }
    crs_row_of(c, &r);
    const real along = crs_multiple_of(&r, size, z, &rest),
               mu = r.equality ? along : positive(along);
    for (ptrdiff_t j = 0; j < size; j++) n[j] = mu * row_at(&r, j);
    *support = mu * r.b;
    return true;
}
