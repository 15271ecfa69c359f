/* SPDX-License-Identifier: MIT
 * predictor: f(x) = sum_j w_j phi(u_j), u = W x - rhs, W x = sum_k A_k x_{block[k]}
 *
 * grad_i f = W_i' (w o phi'(u)), W_i the sum of the maps on block i. With labels, u = rhs o (W x);
 * with counts, u = W x and phi depends on rhs_j.
 * With phi'' in [low, high] for |W x| <= sum_i |W_i| radius_i, c = max w max(|low|, |high|) and W =
 * (W_1, ..., W_N): L = c |W|^2 <= c sum_i |W_i|^2,  L_i = c |W_i|^2,  M = c |W_last| |W|, rho = max
 * w max(high, 0) |W|^2 with p = 2;  |W_i| <= sum of the norms of the maps on block i.
 */
#include "smooth/smooth.h"

enum { TILE = 256 };

static bool check_rows(const crease_smooth *f, const crease_predictor *p, crease_error *e)
{
    const char *name = f->ops->name;
    const bool labels = f->ops->labels, counts = f->ops->counts;
    if (counts && !p->rhs)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%s: there are no counts; give one number >= 0 a row as rhs", name);
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
        if (counts && p->rhs[j] < 0)
            return crs_fail(e, CREASE_BAD_DATA,
                            "%s: count %td is %g; counts are numbers >= 0 (check the data)", name,
                            j + 1, p->rhs[j]);
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

bool crs_predictor_check_terms(const crease_smooth *f, const crease_blocks *b, crease_error *e)
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
    return true;
}

bool crs_predictor_check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crs_loss *loss = loss_of(f);
    return crs_predictor_check_terms(f, b, e) && check_rows(f, f->data, e) &&
           (!loss->check || loss->check(f->par, e));
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

void crs_predictor_adjoint(const crease_predictor *p, const crease_blocks *b, int i,
                           const double *u, double *g, double *work)
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
            crs_predictor_adjoint(p, b, i, unit, out + j * n, rest);
        } else {
            fill(m, 0, column);
            crs_predictor_apply(p, b, i, 1, unit, column, rest);
            for (ptrdiff_t l = 0; l < m; l++) out[l * n + j] = column[l];
        }
        unit[j] = 0;
    }
}

/* z = W x */
static void predict(const crease_predictor *p, const crease_blocks *b, const double *const *x,
                    double *z, double *work)
{
    fill(crease_size(&p->range), 0, z);
    for (int i = 0; i < b->count; i++) crs_predictor_apply(p, b, i, 1, x[i], z, work);
}

/* sum_j w_j phi(u_j) over n rows from `at` on, pairwise */
static double total(const crease_smooth *f, ptrdiff_t at, ptrdiff_t n, const double *z)
{
    const crease_predictor *p = f->data;
    const crs_loss *loss = loss_of(f);
    double sum = 0, par[CREASE_PARS];
    if (n > TILE) return total(f, at, n / 2, z) + total(f, at + n / 2, n - n / 2, z);
    copy(CREASE_PARS, f->par, par);
    for (ptrdiff_t j = at; j < at + n; j++) {
        const double u = loss_row(loss, p->rhs, j, z[j], par);
        sum += weighed(p, j, loss->value(par, u));
    }
    return sum;
}

double crs_predictor_value_at(const crease_smooth *f, const double *z)
{
    const crease_predictor *p = f->data;
    return crease_sum(&p->range, total(f, 0, crease_size(&p->range), z));
}

void crs_predictor_slope_at(const crease_smooth *f, const double *z, double *v)
{
    const crease_predictor *p = f->data;
    const crs_loss *loss = loss_of(f);
    double par[CREASE_PARS];
    copy(CREASE_PARS, f->par, par);
    for (ptrdiff_t j = 0, m = crease_size(&p->range); j < m; j++) {
        const double u = loss_row(loss, p->rhs, j, z[j], par);
        v[j] = weighed(p, j, loss->slope(par, u)) * (f->ops->labels ? p->rhs[j] : 1);
    }
}

double crs_predictor_value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                           double *work)
{
    const crease_predictor *p = f->data;
    predict(p, b, x, work, work + crease_size(&p->range));
    return crs_predictor_value_at(f, work);
}

void crs_predictor_grad(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                        int i, double *g, double *work)
{
    const crease_predictor *p = f->data;
    const ptrdiff_t m = crease_size(&p->range);
    predict(p, b, x, work, work + m);
    crs_predictor_slope_at(f, work, work);
    crs_predictor_adjoint(p, b, i, work, g, work + m);
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

/* The least and the largest of numbers a row; of none at all, `all` is both. */
static crs_range range_of(const crease_predictor *p, const double *number, double all)
{
    crs_range r = { all, all };
    if (!number) return r;
    r.low = INFINITY, r.high = -INFINITY;
    for (ptrdiff_t j = 0, m = crease_size(&p->range); j < m; j++) {
        r.low = smaller(r.low, number[j]);
        r.high = larger(r.high, number[j]);
    }
    return (crs_range){ -crease_max(&p->range, -r.low), crease_max(&p->range, r.high) };
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
    const crs_range weight = range_of(p, p->weight, 1);
    double norm;
    if (crs_predictor_diagonal(p, b, i)) return diagonal_range(p, b, i, out, e);
    if (!crs_predictor_norm(p, b, i, &norm, e)) return false;
    out->last_high = above(weight.high * norm * norm, 2);
    out->last_low = 0;
    const bool same = crease_size(&b->space[i]) == crease_size(&p->range);
    if (p->count != 1 || !same || b->space[i].comm || p->range.comm) return true;
    if (!crease_map_sigma_min(&p->map[0], &b->space[i], &p->range, &out->last_low, e)) return false;
    if (p->weight) out->last_low *= weight.low * (1 - 0x1p-51);
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

/* What is known of f as a function of W x, on a region: its second derivatives w_j phi'', f >=
 * least */
typedef struct {
    crs_range bend;
    double least;
} outline;

/* Of one interval that has the u of all rows in it */
static outline outline_of_all(const crease_smooth *f, double reach, const crs_range *weight)
{
    const crease_predictor *p = f->data;
    const crs_loss *loss = loss_of(f);
    const crs_range rhs = range_of(p, loss->ops.labels ? NULL : p->rhs, 0);
    const double more = 0x1p-50 * (reach + larger(fabs(rhs.low), fabs(rhs.high)));
    const crs_range u = { -reach - rhs.high - more, reach - rhs.low + more };
    const crs_range bend = loss_bend(loss, f->par, u);
    outline out = { { times(weight->high, bend.low), times(weight->high, bend.high) }, 0 };
    double sum = 0;
    if (!loss->least) return out;
    for (ptrdiff_t j = 0, m = crease_size(&p->range); j < m; j++) sum += weighed(p, j, 1);
    const double rows = crease_sum(&p->range, (double)crease_size(&p->range));
    const double least = loss->least(f->par, u), total = crease_sum(&p->range, sum);
    out.least = times(total, least) - times(above(rows, 4) * 0x1p-52, fabs(times(total, least)));
    return out;
}

/* Row by row, each with its count */
static outline outline_of_counts(const crease_smooth *f, double reach)
{
    const crease_predictor *p = f->data;
    const crs_loss *loss = loss_of(f);
    const crs_range u = { -reach, reach };
    double par[CREASE_PARS], sum = 0, size = 0;
    outline out = { { 0, 0 }, 0 };
    copy(CREASE_PARS, f->par, par);
    for (ptrdiff_t j = 0, m = crease_size(&p->range); j < m; j++) {
        par[CRS_ROW_COUNT] = p->rhs[j];
        const crs_range bend = loss->bend(par, u);
        const double least = weighed(p, j, loss->least(par, u));
        out.bend.low = smaller(out.bend.low, weighed(p, j, bend.low));
        out.bend.high = larger(out.bend.high, weighed(p, j, bend.high));
        sum += least;
        size += fabs(least);
    }
    out.bend.low = -crease_max(&p->range, -out.bend.low);
    out.bend.high = crease_max(&p->range, out.bend.high);
    const double rows = crease_sum(&p->range, (double)crease_size(&p->range));
    out.least = crease_sum(&p->range, sum) - (rows + 16) * 0x1p-52 * crease_sum(&p->range, size);
    return out;
}

bool crs_predictor_constants(const crease_smooth *f, const crease_blocks *b, int last,
                             crease_constants *out, double *block, crease_error *e)
{
    const crease_predictor *p = f->data;
    const crs_loss *loss = loss_of(f);
    const crs_range weight = range_of(p, p->weight, 1);
    double sum = 0, at_last = 0, reach = 0;
    for (int i = 0; i < b->count; i++) {
        double norm;
        if (!crs_predictor_norm(p, b, i, &norm, e)) return false;
        if (block) block[i] = above(norm * norm, 2);
        if (i == last) at_last = norm;
        reach = plus(reach, above(times(norm, radius_of(b, i)), 1));
        sum = plus(sum, above(norm * norm, 2));
    }
    const outline o =
        loss->ops.counts ? outline_of_counts(f, reach) : outline_of_all(f, reach, &weight);
    const double c = larger(fabs(o.bend.low), fabs(o.bend.high));
    for (int i = 0; block && i < b->count; i++) block[i] = times(c, block[i]);
    *out = (crease_constants){
        .L = times(c, sum),
        .M = times(c, above(at_last * sqrt(sum), 4)),
        .p = 2,
        .rho = times(pos(o.bend.high), sum),
        .lower = o.least,
    };
    if (!last_block(f, b, last, out, e)) return false;
    if (!loss->hoelder) return true;
    if (!loss->hoelder(f, b, out, e)) return false;
    out->rho = above(times(weight.high, out->rho), p->weight ? 1 : 0);
    return true;
}
