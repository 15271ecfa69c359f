/* SPDX-License-Identifier: MIT
 * infeasible: a proof that the constraint has no solution in the sets, from the definitions
 *
 * With D_i the points of X_i where r_i is finite, y proves that no x in D_1 x ... x D_N has
 * sum A_i x_i = b when <y, b> exceeds sum_i sup over D_i of <A_i'y, x_i>. An entry with an infinite
 * bound where (A_i'y)_j is 0 only to rounding adds at most |(A_i'y)_j| R while |x_j| <= R.
 * Rockafellar, Convex analysis, 1970, section 13. */
#include <stdio.h>

#include "verify/verify.h"

static const real FAR = 1e6L;

/* The supremum of <z, x>: a number, and what it may grow by for each unit of max |x_j|. */
typedef struct {
    num sum;
    real growth;
} supremum;

/* over low <= x <= high, z known to within its error */
static void add_interval(supremum *s, num z, real low, real high)
{
    const real at = z.v >= 0 ? high : low, other = z.v >= 0 ? low : high;
    const bool either = z.e >= fabsl(z.v); /* its sign is not known */
    if (z.v == 0 && z.e == 0) return;
    if (isinf(at)) {
        s->growth += fabsl(z.v) + z.e;
        return;
    }
    s->sum = add(s->sum, mul(z, exact(at)));
    if (either && isinf(other)) s->growth += z.e;
    if (either && !isinf(other)) s->sum.e += z.e * fabsl(other);
}

static void add_box(supremum *s, ptrdiff_t n, const crs_box *box, const crs_known_reg *k,
                    const num *z)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        const real low = bigger(k->low, box ? box_low(box, j) : (real)-INFINITY);
        const real high = -bigger(-k->high, box ? -box_high(box, j) : (real)-INFINITY);
        add_interval(s, z[j], low, high);
    }
}

/* |x|_2 over a compact set, from above. */
static real reach(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const crs_set_rule *rule = crs_set_rule_of(v, c);
    const ptrdiff_t n = crease_size(s);
    real *ones = crs_reals(v, n), sum = 0;
    if (!rule || !ones) return NAN;
    if (strcmp(rule->name, "permutahedron") == 0) {
        for (ptrdiff_t j = 0; j < n; j++) sum += (real)c->vec[j] * c->vec[j];
        return sqrtl(sum);
    }
    if (strcmp(rule->name, "affine") == 0) {
        const crease_affine_set *a = c->data;
        for (ptrdiff_t j = 0; a->shift && j < n; j++) sum += (real)a->shift[j] * a->shift[j];
        return sqrtl(sum) + fabsl((real)a->scale) * reach(v, a->inner, s);
    }
    if (strcmp(rule->name, "spectrahedron") == 0) return c->par[0];
    if (!rule->solid && !rule->nonnegative) return rule->diameter(v, c, s); /* it holds 0 */
    for (ptrdiff_t j = 0; j < n; j++) ones[j] = 1;
    return rule->support(v, c, s, ones); /* |x|_1 at most */
}

static bool add_compact(crs_verifier *v, supremum *out, const crease_set *c, const crease_space *s,
                        const num *z)
{
    const crs_set_rule *rule = crs_set_rule_of(v, c);
    const ptrdiff_t n = crease_size(s);
    real *w = crs_reals(v, n), size = 0, errors = 0;
    if (!rule || !w) return false;
    for (ptrdiff_t j = 0; j < n; j++) {
        w[j] = z[j].v;
        size += z[j].v * z[j].v;
        errors += z[j].e * z[j].e;
    }
    const real most = rule->support(v, c, s, w);
    const real off = (sqrtl(errors) + working_roundings(n) * sqrtl(size)) * reach(v, c, s);
    out->sum = add(out->sum, (num){ most, off });
    return !v->no_memory && !v->unsupported;
}

/* z = n + rest: the support of n, and |rest|_1 for each unit of max |x_j|. */
static bool add_barrier(crs_verifier *v, supremum *out, const crease_set *c, const crease_space *s,
                        const num *z)
{
    const ptrdiff_t n = crease_size(s);
    real *w = crs_reals(v, n), *normal = crs_reals(v, n), support = 0;
    if (!w || !normal) return false;
    for (ptrdiff_t j = 0; j < n; j++) w[j] = z[j].v;
    if (!crs_barrier(v, c, s, w, normal, &support)) return false;
    const real noise = working_roundings(n) * (real)n * crs_length(n, w);
    for (ptrdiff_t j = 0; j < n; j++) out->growth += fabsl(w[j] - normal[j]) + z[j].e + noise;
    out->sum = add(out->sum, (num){ support, working_roundings(n) * fabsl(support) });
    return true;
}

/* Parts of a product, and what an affine set is made of; k NULL: no bounds of a regularizer. */
static bool add_set(crs_verifier *v, supremum *out, const crease_set *c, const crease_space *s,
                    const crs_known_reg *k, const num *z)
{
    const crs_known_reg none = { .low = -INFINITY, .high = INFINITY };
    const ptrdiff_t n = crease_size(s);
    crs_box box;
    if (!c) return add_box(out, n, NULL, k ? k : &none, z), true;
    const crs_set_rule *rule = crs_set_rule_of(v, c);
    if (!rule) return false;
    if (crs_box_of(c, &box)) return add_box(out, n, &box, k ? k : &none, z), true;
    if (strcmp(rule->name, "product") == 0) {
        const crease_product_set *p = c->data;
        bool done = true;
        for (int i = 0; done && i < p->count; z += crease_size(&p->space[i++]))
            done = add_set(v, out, &p->inner[i], &p->space[i], NULL, z);
        return done;
    }
    if (rule->diameter(v, c, s) < INFINITY) return add_compact(v, out, c, s, z);
    if (crs_has_barrier(c)) return add_barrier(v, out, c, s, z);
    if (strcmp(rule->name, "affine") != 0) return add_box(out, n, NULL, k ? k : &none, z), true;
    const crease_affine_set *a = c->data;
    num *inner = crs_nums(v, n);
    for (ptrdiff_t j = 0; inner && j < n; j++) {
        if (a->shift) gather(&out->sum, exact(a->shift[j]), z[j]);
        inner[j] = mul(exact(a->scale), z[j]);
    }
    return inner && add_set(v, out, a->inner, s, NULL, inner);
}

/* <y, b> - sup <y, sum A_i x_i> */
static bool find_margin(crs_verifier *v, const double *y, num *margin, real *growth)
{
    const crease_problem *p = v->p;
    const ptrdiff_t m = crease_size(&p->range);
    supremum most = { .growth = 0 };
    *margin = exact(0);
    for (ptrdiff_t j = 0; p->rhs && j < m; j++) gather(margin, exact(y[j]), exact(p->rhs[j]));
    for (int i = 0; i < p->count; i++) {
        crs_known_reg k;
        if (!p->block[i].map.ops) continue;
        void *mark = v->rooms;
        const num *in = crs_exact(v, m, y);
        num *z = crs_nums(v, crease_size(&p->space[i]));
        if (!in || !z || !crs_know_reg(v, &p->block[i].reg, &k) ||
            !crs_multiply(v, &p->block[i].map, &p->space[i], &p->range, true, in, z) ||
            !add_set(v, &most, p->block[i].set, &p->space[i], &k, z))
            return false;
        crs_rooms_release(v, mark);
    }
    *margin = add(*margin, neg(most.sum));
    *growth = most.growth;
    return true;
}

/* "rows 1, 2 and 7", counted from 1; of many the first */
static void name_rows(ptrdiff_t m, const double *y, double largest, char *out, size_t size)
{
    enum { MOST = 5 };
    ptrdiff_t count = 0, at = 0;
    size_t used = 0;
    for (ptrdiff_t j = 0; j < m; j++) count += fabs(y[j]) > 1e-9 * largest;
    used += (size_t)snprintf(out, size, "row%s ", count == 1 ? "" : "s");
    for (ptrdiff_t j = 0; j < m && at < MOST; j++) {
        if (!(fabs(y[j]) > 1e-9 * largest)) continue;
        at++;
        used += (size_t)snprintf(out + used, size - used, "%s%td",
                                 at == 1       ? ""
                                 : at == count ? " and "
                                               : ", ",
                                 j + 1);
    }
    if (count > MOST) snprintf(out + used, size - used, " and %td more", count - MOST);
}

static void judge_margin(const crease_problem *p, const double *y, num margin, real growth,
                         crease_refutation *out)
{
    const ptrdiff_t m = crease_size(&p->range);
    double largest = 0, size = 0;
    char rows[100], within[60] = "";
    for (ptrdiff_t j = 0; j < m; j++) {
        largest = larger(largest, fabs(y[j]));
        size = larger(size, p->rhs ? fabs(p->rhs[j]) : 0);
    }
    const real sure = margin.v - 2 * margin.e;
    out->margin = (double)(sure / largest);
    out->radius = growth == 0 ? INFINITY : (double)(sure / growth);
    name_rows(m, y, largest, rows, sizeof rows);
    if (out->radius < INFINITY)
        snprintf(within, sizeof within, " with entries up to %.3g", out->radius);
    const bool proved = sure > 0 && out->radius >= FAR * (1 + (real)size);
    out->verdict = proved ? CREASE_VERDICT_VALID : CREASE_VERDICT_INVALID;
    if (proved)
        snprintf(
            out->text, sizeof out->text,
            "%.80s of the constraint contradict%s the sets: every point%.36s misses by %.3g or "
            "more",
            rows, strncmp(rows, "rows", 4) == 0 ? "" : "s", within, out->margin);
    else
        snprintf(out->text, sizeof out->text, "y separates nothing: the margin is %.3g%s",
                 out->margin, within);
}

/* What a refused or failed proof leaves; false: no memory. */
bool crs_refutation_close(crs_verifier *v, bool found, crease_refutation *out, crease_error *e)
{
    crs_rooms_free(v);
    out->trusted_callback = v->trusted_callback;
    if (v->no_memory)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a proof about %d blocks", v->p->count);
    if (found) return true;
    out->verdict = CREASE_VERDICT_UNSUPPORTED;
    snprintf(out->text, sizeof out->text, "unsupported: %.180s", v->why);
    return true;
}

bool crease_verify_infeasible(const crease_problem *p, const double *y, crease_refutation *out,
                              crease_error *e)
{
    crs_verifier v = { .p = p };
    num margin = exact(0);
    real growth = 0;
    *out = (crease_refutation){ .margin = NAN, .radius = NAN };
    if (!crease_problem_check(p, e)) return false;
    if (p->range.order == 0 || !y)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "a separating y is about a constraint; give a problem with one, and y");
    if (!crs_all_finite(crease_size(&p->range), y)) {
        out->verdict = CREASE_VERDICT_INVALID;
        snprintf(out->text, sizeof out->text, "an entry of y is not finite");
        return true;
    }
    const bool found = crs_is_whole(&v) && find_margin(&v, y, &margin, &growth);
    if (found) judge_margin(p, y, margin, growth, out);
    return crs_refutation_close(&v, found, out, e);
}
