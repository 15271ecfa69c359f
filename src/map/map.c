/* SPDX-License-Identifier: MIT
 * map: the catalogue of linear maps, the convenient calls, and what several maps share: checks,
 * what rounding may do to A x, and bounds from the matrix of a small map
 *
 * With M the matrix of A up to an error of norm at most d, |A|_2 <= |M|_2 + d and
 * sqrt(lambda_min(A A')) >= sqrt(lambda_min(M M')) - d (Weyl). */
#include <float.h>

#include <crease/catalogue.h>

#include "dense/dense.h"
#include "map/directed.h"
#include "map/map.h"

bool crease_map_check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      crease_error *e)
{
    return crease_space_check(dom, e) && crease_space_check(ran, e) &&
           crease_param_check(A->ops->name, A->ops->params, A->par, e) &&
           (!A->ops->check || A->ops->check(A, dom, ran, e));
}

ptrdiff_t crease_map_scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    return A->ops->scratch ? A->ops->scratch(A, dom, ran) : 0;
}

static double *prepare(const crease_map *A, const crease_space *dom, const crease_space *ran,
                       crease_error *e)
{
    if (!crease_map_check(A, dom, ran, e)) return NULL;
    return crs_doubles(crease_map_scratch(A, dom, ran), "a linear map", e);
}

bool crease_apply(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  const double *x, double *y, crease_error *e)
{
    double *work = prepare(A, dom, ran, e);
    if (!work) return false;
    fill(crease_size(ran), 0, y);
    A->ops->apply(A, dom, ran, 1, x, y, work);
    crs_free(work);
    return true;
}

bool crease_adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran,
                    const double *y, double *x, crease_error *e)
{
    double *work = prepare(A, dom, ran, e);
    if (!work) return false;
    fill(crease_size(dom), 0, x);
    A->ops->adjoint(A, dom, ran, 1, y, x, work);
    crs_free(work);
    return true;
}

bool crease_map_norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *bound, crease_error *e)
{
    return crease_map_check(A, dom, ran, e) && A->ops->norm(A, dom, ran, bound, e);
}

bool crease_map_sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                          double *bound, crease_error *e)
{
    return crease_map_check(A, dom, ran, e) && A->ops->sigma_min(A, dom, ran, bound, e);
}

bool crease_map_is_identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                            double *c)
{
    return A->ops->identity && crease_map_check(A, dom, ran, NULL) &&
           A->ops->identity(A, dom, ran, c);
}

bool crs_map_square(const crease_map *A, const crease_space *dom, const crease_space *ran,
                    crease_error *e)
{
    if (!crease_space_equal(dom, ran))
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%s keeps the shape, but its input has %td entries in %d dimension%s and "
                        "its output %td in %d; give both the same shape",
                        A->ops->name, crease_size(dom), dom->order, dom->order == 1 ? "" : "s",
                        crease_size(ran), ran->order);
    if (!dom->comm != !ran->comm)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%s has its %s split over ranks and its %s not; split both or neither",
                        A->ops->name, dom->comm ? "input" : "output",
                        dom->comm ? "output" : "input");
    return true;
}

bool crs_map_whole(const crease_map *A, const crease_space *dom, const crease_space *ran,
                   crease_error *e)
{
    if (!dom->comm && !ran->comm) return true;
    return crs_fail(e, CREASE_UNSUPPORTED,
                    "%s needs whole vectors but its %s is split over ranks; keep it on one process "
                    "or use a zero, identity, diagonal or mask map, or crease_local",
                    A->ops->name, dom->comm ? "input" : "output");
}

bool crs_map_rows(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    return !dom->comm || crs_map_whole(A, dom, ran, e);
}

ptrdiff_t crs_rows_scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    (void)A;
    return ran->comm ? crease_size(dom) : 0;
}

double *crs_rows_begin(const crease_space *dom, const crease_space *ran, double *x, double *work)
{
    if (!ran->comm) return x;
    fill(crease_size(dom), 0, work);
    return work;
}

void crs_rows_end(const crease_space *dom, const crease_space *ran, double *x, double *work)
{
    const ptrdiff_t n = crease_size(dom);
    if (!ran->comm) return;
    crs_sum_over(ran, n, work);
    axpy(n, 1, work, x);
}

bool crs_map_numbers(const crease_map *A, ptrdiff_t n, const double *v, crease_error *e)
{
    if (!v)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%s has no data (NULL); give %td numbers",
                        A->ops->name, n);
    for (ptrdiff_t j = 0; j < n; j++)
        if (!isfinite(v[j]))
            return crs_fail(e, CREASE_BAD_DATA, "%s: number %td of %td is %g; give finite numbers",
                            A->ops->name, j + 1, n, v[j]);
    return true;
}

/* A unit vector of the smaller space and a column, then what A needs; -1 when that overflows. */
ptrdiff_t crs_map_materialize_scratch(const crease_map *A, const crease_space *dom,
                                      const crease_space *ran)
{
    ptrdiff_t total;
    if (!crs_add_size(crease_size(dom), crease_size(ran), &total)) return -1;
    return crs_add_size(total, crease_map_scratch(A, dom, ran), &total) ? total : -1;
}

/* By columns A e_j when A is tall, by rows A' e_i when it is wide: min(m,n) products. The rows of
 * this rank alone by columns. */
void crs_map_materialize(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         double *out, double *work)
{
    const ptrdiff_t m = crease_size(ran), n = crease_size(dom);
    const bool wide = m < n && !ran->comm;
    const ptrdiff_t units = wide ? m : n;
    double *unit = work, *column = unit + units, *rest = column + (wide ? n : m);
    fill(m * n, 0, out);
    fill(units, 0, unit);
    for (ptrdiff_t k = 0; k < units; k++) {
        unit[k] = 1;
        if (wide) {
            A->ops->adjoint(A, dom, ran, 1, unit, out + k * n, rest);
        } else {
            fill(m, 0, column);
            A->ops->apply(A, dom, ran, 1, unit, column, rest);
            for (ptrdiff_t i = 0; i < m; i++) out[i * n + k] = column[i];
        }
        unit[k] = 0;
    }
}

/* A product with A is a straight line of additions and multiplications. Every path from an entry
 * of x to an entry of y that meets at most s roundings changes its term by a factor within
 * (1 +- u)^s, so |error| <= s 2u (|A| |x|) entrywise while s u < 1/2, with |A| the map built from
 * the absolute values of all numbers, u = 2^-53. Higham, Accuracy and Stability of Numerical
 * Algorithms, 2002, section 3.1. */
bool crs_map_rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      crease_rounding *r, crease_error *e)
{
    if (A->ops->rounding) return A->ops->rounding(A, dom, ran, r, e);
    const double m = crs_whole_size(ran), n = crs_whole_size(dom);
    /* | |A| |_2 <= |A|_F <= sqrt(rank) |A|_2 */
    double norm;
    if (!A->ops->norm(A, dom, ran, &norm, e)) return false;
    *r = (crease_rounding){ product_up(norm, sqrt_up(smaller(m, n))), larger(m, n) + 3 };
    return true;
}

/* d; what an opaque map does inside is unknown, and taken to be as accurate as a dense product. */
static bool distance(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     const double *matrix, double *d, crease_error *e)
{
    const double m = (double)crease_size(ran), n = (double)crease_size(dom);
    crease_rounding r = { 0, larger(m, n) + 3 };
    if (A->ops->opaque)
        r.mass = crs_norm(crease_size(ran) * crease_size(dom), matrix) * (1 + m * n * DBL_EPSILON);
    else if (!crs_map_rounding(A, dom, ran, &r, e))
        return false;
    *d = product_up(r.steps * DBL_EPSILON, r.mass);
    return true;
}

/* M in new memory, or NULL. */
static double *matrix_of(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         double *d, crease_error *e)
{
    const ptrdiff_t entries = crease_size(ran) * crease_size(dom);
    ptrdiff_t total;
    if (!crs_add_size(entries, crs_map_materialize_scratch(A, dom, ran), &total)) total = -1;
    double *matrix = crs_doubles(total, "the matrix of a linear map", e);
    if (!matrix) return NULL;
    crs_map_materialize(A, dom, ran, matrix, matrix + entries);
    if (distance(A, dom, ran, matrix, d, e)) return matrix;
    crs_free(matrix);
    return NULL;
}

bool crs_map_better_norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         double known, double *bound, crease_error *e)
{
    double d;
    *bound = known;
    if (known == 0 || !is_small(dom, ran)) return true;
    double *matrix = matrix_of(A, dom, ran, &d, e);
    const bool ok = crs_together(ran->comm, matrix, e) &&
                    crs_norm_bound_of_rows(ran, crease_size(dom), matrix, bound, e);
    crs_free(matrix);
    if (ok) *bound = smaller(known, crease_max(ran, sum_up(*bound, d)));
    return ok;
}

bool crs_map_better_sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                              double known, double *bound, crease_error *e)
{
    double d;
    *bound = known;
    if (ran->comm || crease_size(ran) > crease_size(dom) || !is_small(dom, ran)) return true;
    double *matrix = matrix_of(A, dom, ran, &d, e);
    if (!matrix) return false;
    const bool ok = crs_sigma_min_bound(crease_size(ran), crease_size(dom), matrix, bound, e);
    crs_free(matrix);
    const double root = pos(next_down(sqrt_down(*bound)) - d);
    *bound = larger(known, product_down(root, root));
    return ok;
}

ptrdiff_t crs_map_entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                          ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    enum { FEW = 8 };
    const double *a = A->data;
    const ptrdiff_t m = crease_size(ran), n = crease_size(dom);
    if (A->ops->entries) return A->ops->entries(A, dom, ran, row, col, value);
    if (A->ops != &crs_dense_ops || (m > FEW && n > FEW)) return -1;
    for (ptrdiff_t k = 0; row && k < m * n; k++) row[k] = k / n, col[k] = k % n, value[k] = a[k];
    return m * n;
}

static const crease_map_ops *const list[] = {
#define MAP(symbol) &crs_##symbol##_ops,
#include "map/list.def"
#undef MAP
};

static bool are_listed(int count, const crease_map *map)
{
    bool all = true;
    for (int k = 0; k < count; k++) all = all && crs_map_is_listed(&map[k]);
    return all;
}

bool crs_map_is_listed(const crease_map *A)
{
    const crease_map_ops *ops = A->ops;
    bool listed = false;
    for (int k = 0; k < crease_map_count(); k++) listed = listed || list[k] == ops;
    if (!listed || ops->opaque) return false;
    if (ops == &crs_map_scaled_ops || ops == &crs_transposed_ops) return are_listed(1, A->data);
    if (ops == &crs_composition_ops) {
        const crease_map_pair *p = A->data;
        return are_listed(1, p->outer) && are_listed(1, p->inner);
    }
    if (ops == &crs_map_sum_ops) {
        const crease_map_list *l = A->data;
        return are_listed(l->count, l->map);
    }
    if (ops == &crs_stack_ops || ops == &crs_side_by_side_ops) {
        const crease_map_parts *p = A->data;
        return are_listed(p->count, p->map);
    }
    return true;
}

int crease_map_count(void) { return (int)(sizeof list / sizeof *list); }
const crease_map_ops *crease_map_at(int k) { return list[k]; }
