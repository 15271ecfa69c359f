/* SPDX-License-Identifier: MIT
 * predictor: f(x) = sum_j w_j phi(u_j), u = W x - rhs, W x = sum_k A_k x_{block[k]}
 *
 * grad_i f = W_i' (w o phi'(u)), W_i the sum of the maps on block i. With labels, u = rhs o (W x).
 * With phi'' in [low, high], c = max w max(|low|, |high|) and W = (W_1, ..., W_N):
 *     L = c |W|^2 <= c sum_i |W_i|^2,  L_i = c |W_i|^2,  M = c |W_last| |W|,
 *     rho = max w max(high, 0) |W|^2 with p = 2;  |W_i| <= sum of the norms of the maps on block i.
 */
#include "smooth/smooth.h"

enum { TILE = 256 };

static bool check_rows(const crease_smooth *f, const crease_predictor *p, crease_error *e)
{
    const char *name = f->ops->name;
    const bool labels = f->ops->labels;
    if (labels && !p->rhs)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%s: there are no labels; give one -1 or +1 a row as rhs", name);
    for (ptrdiff_t j = 0, m = crease_size(&p->range); p->rhs && j < m; j++) {
        if (labels && !(fabs(p->rhs[j]) == 1))
            return crs_fail(e, CREASE_BAD_DATA,
                            "%s: label %td is %g; labels are -1 or +1 (recode the two classes)",
                            name, j + 1, p->rhs[j]);
        if (!isfinite(p->rhs[j]))
            return crs_fail(e, CREASE_BAD_DATA, "%s: entry %td of rhs is %g; give finite numbers",
                            name, j + 1, p->rhs[j]);
    }
    for (ptrdiff_t j = 0, m = crease_size(&p->range); p->weight && j < m; j++)
        if (!(p->weight[j] >= 0 && isfinite(p->weight[j])))
            return crs_fail(e, CREASE_BAD_DATA,
                            "%s: weight %td is %g; weights are finite numbers >= 0 (0 leaves a "
                            "row out)",
                            name, j + 1, p->weight[j]);
    return true;
}

bool crs_loss_check(const crease_smooth *loss, crease_error *e)
{
    return !loss->ops || loss->ops->family == CREASE_SMOOTH_LOSS ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "%s is no loss of a linear predictor; use one that is, as least_squares, "
                    "huber_loss or logistic",
                    loss->ops->name);
}

crease_smooth crs_loss_of(const crease_smooth *loss, const crease_predictor *p)
{
    crease_smooth f = loss->ops ? *loss : crease_least_squares(p);
    f.data = p;
    return f;
}

bool crs_predictor_check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_predictor *p = f->data;
    const char *name = f->ops->name;
    if (!p || p->count < 1 || !p->block || !p->map)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%s: the predictor has no terms; give at least one block with its map",
                        name);
    if (!crease_space_check(&p->range, e)) return false;
    for (int k = 0; k < p->count; k++) {
        crease_error inner;
        const int i = p->block[k];
        if (!crs_check_block(name, b, i, e)) return false;
        if (!p->map[k].ops)
            return crs_fail(e, CREASE_BAD_ARGUMENT, "%s: term %d has no map; give it one", name,
                            k + 1);
        if (!crease_map_check(&p->map[k], &b->space[i], &p->range, &inner))
            return crs_fail_part(e, &inner, name, "the map of term", k);
    }
    return check_rows(f, p, e);
}

ptrdiff_t crs_predictor_map_scratch(const crease_predictor *p, const crease_blocks *b)
{
    ptrdiff_t most = 0;
    for (int k = 0; k < p->count; k++) {
        const ptrdiff_t n = crease_map_scratch(&p->map[k], &b->space[p->block[k]], &p->range);
        if (n > most) most = n;
    }
    return most;
}

ptrdiff_t crs_predictor_scratch(const crease_smooth *f, const crease_blocks *b)
{
    const crease_predictor *p = f->data;
    const crs_loss *loss = loss_of(f);
    return crease_size(&p->range) + crs_predictor_map_scratch(p, b) +
           (loss->extra_scratch ? loss->extra_scratch(f, b) : 0);
}

bool crs_predictor_touches(const crease_smooth *f, int i)
{
    const crease_predictor *p = f->data;
    for (int k = 0; k < p->count; k++)
        if (p->block[k] == i) return true;
    return false;
}

void crs_predictor_apply(const crease_predictor *p, const crease_blocks *b, int i, double a,
                         const double *x, double *u, double *work)
{
    for (int k = 0; k < p->count; k++)
        if (p->block[k] == i)
            p->map[k].ops->apply(&p->map[k], &b->space[i], &p->range, a, x, u, work);
}

static void adjoint_of(const crease_predictor *p, const crease_blocks *b, int i, const double *u,
                       double *g, double *work)
{
    for (int k = 0; k < p->count; k++)
        if (p->block[k] == i)
            p->map[k].ops->adjoint(&p->map[k], &b->space[i], &p->range, 1, u, g, work);
}

void crs_predictor_matrix(const crease_predictor *p, const crease_blocks *b, int i, double *out,
                          double *work)
{
    const ptrdiff_t m = crease_size(&p->range), n = crease_size(&b->space[i]);
    const ptrdiff_t count = m < n ? m : n;
    double *unit = work, *column = unit + count, *rest = unit + m + n;
    fill(m * n, 0, out);
    fill(count, 0, unit);
    for (ptrdiff_t j = 0; j < count; j++) {
        unit[j] = 1;
        if (m < n) {
            adjoint_of(p, b, i, unit, out + j * n, rest);
        } else {
            fill(m, 0, column);
            crs_predictor_apply(p, b, i, 1, unit, column, rest);
            for (ptrdiff_t l = 0; l < m; l++) out[l * n + j] = column[l];
        }
        unit[j] = 0;
    }
}

static void predict(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *u, double *work)
{
    const crease_predictor *p = f->data;
    const bool labels = f->ops->labels;
    const ptrdiff_t m = crease_size(&p->range);
    fill(m, 0, u);
    for (int i = 0; i < b->count; i++) crs_predictor_apply(p, b, i, 1, x[i], u, work);
    for (ptrdiff_t j = 0; p->rhs && j < m; j++) u[j] = labels ? p->rhs[j] * u[j] : u[j] - p->rhs[j];
}

/* w_j t; a row of weight 0 is left out, also where t overflows. */
static double weighed(const crease_predictor *p, ptrdiff_t j, double t)
{
    const double w = p->weight ? p->weight[j] : 1;
    return w == 0 && isinf(t) ? 0 : w * t;
}

/* sum_j w_j phi(u_j) over n rows from `at` on, pairwise */
static double total(const crease_smooth *f, ptrdiff_t at, ptrdiff_t n, const double *u)
{
    const crs_loss *loss = loss_of(f);
    if (n > TILE) return total(f, at, n / 2, u) + total(f, at + n / 2, n - n / 2, u);
    double sum = 0;
    for (ptrdiff_t j = at; j < at + n; j++) sum += weighed(f->data, j, loss->value(f->par, u[j]));
    return sum;
}

double crs_predictor_value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                           double *work)
{
    const crease_predictor *p = f->data;
    const ptrdiff_t m = crease_size(&p->range);
    predict(f, b, x, work, work + m);
    return crease_sum(&p->range, total(f, 0, m, work));
}

void crs_predictor_grad(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                        int i, double *g, double *work)
{
    const crease_predictor *p = f->data;
    const crs_loss *loss = loss_of(f);
    const ptrdiff_t m = crease_size(&p->range);
    double *u = work;
    predict(f, b, x, u, work + m);
    for (ptrdiff_t j = 0; j < m; j++)
        u[j] = weighed(p, j, loss->slope(f->par, u[j])) * (f->ops->labels ? p->rhs[j] : 1);
    adjoint_of(p, b, i, u, g, work + m);
}

bool crs_predictor_norm(const crease_predictor *p, const crease_blocks *b, int i, double *bound,
                        crease_error *e)
{
    *bound = 0;
    for (int k = 0; k < p->count; k++) {
        double norm;
        if (p->block[k] != i) continue;
        if (!crease_map_norm(&p->map[k], &b->space[i], &p->range, &norm, e)) return false;
        *bound = plus(*bound, norm);
    }
    return true;
}

bool crs_predictor_diagonal(const crease_predictor *p, const crease_blocks *b, int i)
{
    const crease_space *dom = i >= 0 && i < b->count ? &b->space[i] : NULL;
    if (!dom || crease_size(dom) != crease_size(&p->range)) return false;
    for (int k = 0; k < p->count; k++) {
        const crease_map *A = &p->map[k];
        double c;
        const bool known = A->ops->diagonal;
        if (p->block[k] == i && !known && !crease_map_is_identity(A, dom, &p->range, &c))
            return false;
    }
    return true;
}

/* The least and the largest weight. */
static void weight_range(const crease_predictor *p, double *low, double *high)
{
    *low = *high = 1;
    if (!p->weight) return;
    *low = INFINITY, *high = 0;
    for (ptrdiff_t j = 0, m = crease_size(&p->range); j < m; j++) {
        *low = smaller(*low, p->weight[j]);
        *high = larger(*high, p->weight[j]);
    }
    *low = -crease_max(&p->range, -*low);
    *high = crease_max(&p->range, *high);
}

/* w_j times the squares of the diagonal W_i 1 lie in [low, high]. */
static bool diagonal_range(const crease_predictor *p, const crease_blocks *b, int i,
                           crease_constants *out, crease_error *e)
{
    const ptrdiff_t n = crease_size(&p->range);
    double *one = crs_doubles(2 * n + crs_predictor_map_scratch(p, b), "a diagonal map", e);
    if (!one) return false;
    double *d = one + n, low = INFINITY, high = 0;
    fill(n, 1, one);
    crs_predictor_apply(p, b, i, 1, one, d, d + n);
    for (ptrdiff_t j = 0; j < n; j++) {
        const double bend = weighed(p, j, d[j] * d[j]);
        low = smaller(low, bend);
        high = larger(high, bend);
    }
    crs_free(one);
    out->last_low = -crease_max(&p->range, -low);
    out->last_high = crease_max(&p->range, high);
    return true;
}

/* The eigenvalues of W_i'diag(w)W_i; of W_i'W_i they are, for a square map, those of W_i W_i'. */
static bool last_range(const crease_predictor *p, const crease_blocks *b, int i,
                       crease_constants *out, crease_error *e)
{
    double norm, least, most;
    if (crs_predictor_diagonal(p, b, i)) return diagonal_range(p, b, i, out, e);
    if (!crs_predictor_norm(p, b, i, &norm, e)) return false;
    weight_range(p, &least, &most);
    out->last_high = above(most * norm * norm, 2);
    out->last_low = 0;
    const bool same = crease_size(&b->space[i]) == crease_size(&p->range);
    if (p->count != 1 || !same || b->space[i].comm || p->range.comm) return true;
    if (!crease_map_sigma_min(&p->map[0], &b->space[i], &p->range, &out->last_low, e)) return false;
    if (p->weight) out->last_low *= least * (1 - 0x1p-51);
    return true;
}

static bool last_block(const crease_smooth *f, const crease_blocks *b, int last,
                       crease_constants *out, crease_error *e)
{
    const crease_predictor *p = f->data;
    const bool quadratic = loss_of(f)->quadratic;
    bool touched = false, others = false;
    for (int k = 0; k < p->count; k++) {
        touched = touched || p->block[k] == last;
        others = others || p->block[k] != last;
    }
    out->separable_last = !touched || !others;
    out->quadratic_last = out->separable_last && (!touched || quadratic);
    return !touched || !out->quadratic_last || last_range(p, b, last, out, e);
}

bool crs_predictor_constants(const crease_smooth *f, const crease_blocks *b, int last,
                             crease_constants *out, double *block, crease_error *e)
{
    const crease_predictor *p = f->data;
    const crs_loss *loss = loss_of(f);
    double sum = 0, at_last = 0, unused, most;
    weight_range(p, &unused, &most);
    const double c = times(most, larger(fabs(loss->low), fabs(loss->high)));
    for (int i = 0; i < b->count; i++) {
        double norm;
        if (!crs_predictor_norm(p, b, i, &norm, e)) return false;
        const double squared = above(norm * norm, 2);
        if (block) block[i] = times(c, squared);
        if (i == last) at_last = norm;
        sum = plus(sum, squared);
    }
    *out = (crease_constants){
        .L = times(c, sum),
        .M = times(c, above(at_last * sqrt(sum), 4)),
        .p = 2,
        .rho = times(pos(loss->high), sum),
    };
    if (!last_block(f, b, last, out, e)) return false;
    if (loss->hoelder && !loss->hoelder(f, b, out, e)) return false;
    if (p->weight) out->rho = above(times(most, out->rho), 1);
    return true;
}
