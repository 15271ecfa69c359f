/* SPDX-License-Identifier: MIT
 * dct: the orthonormal cosine transform along every axis,
 * (A x)_k = prod_i c_i sum_j x_j prod_i cos(pi (j_i + 1/2) k_i / n_i), c_i = sqrt(2/n_i), and
 * sqrt(1/n_i) for k_i = 0
 *
 * It is orthogonal: A'A = A A' = I. */
#include <float.h>

#include "map/map.h"
#include "transform/transform.h"

struct crease_cosine {
    crease_space space;
    crs_cosine *plan;
};

crease_cosine *crease_cosine_new(const crease_space *s, crease_error *e)
{
    if (!crease_space_check(s, e)) return NULL;
    crease_cosine *c = crs_alloc(1, sizeof *c);
    if (!c) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a cosine transform"), NULL;
    *c = (crease_cosine){ *s, crs_cosine_new(s, e) };
    if (c->plan) return c;
    crs_free(c);
    return NULL;
}

void crease_cosine_free(crease_cosine *c)
{
    if (!c) return;
    crs_cosine_free(c->plan);
    crs_free(c);
}

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const crease_cosine *c = A->data;
    if (!crs_map_whole(A, dom, ran, e)) return false;
    if (!c)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "dct has no plan (NULL); give one of crease_cosine_new");
    if (!crs_map_square(A, dom, ran, e)) return false;
    return crease_space_equal(&c->space, dom) ||
           crs_fail(e, CREASE_BAD_SHAPE,
                    "dct: the plan is for %td entries in %d dimensions and the input has %td in "
                    "%d; make the plan for the input",
                    crease_size(&c->space), c->space.order, crease_size(dom), dom->order);
}

/* A copy, which one of the directions uses up, and the result. */
static ptrdiff_t scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    ptrdiff_t total;
    (void)A, (void)ran;
    return crs_mul_size(2, crease_size(dom), &total) ? total : -1;
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    const crease_cosine *c = A->data;
    (void)ran;
    crs_cosine_forward(c->plan, x, work);
    axpy(crease_size(dom), a, work, y);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    const crease_cosine *c = A->data;
    const ptrdiff_t n = crease_size(dom);
    (void)ran;
    copy(n, y, work);
    crs_cosine_backward(c->plan, work, work + n);
    axpy(n, a, work + n, x);
}

static double steps_of(const crease_space *s) { return crs_transform_steps(s) + 4; }

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    (void)A, (void)ran, (void)e;
    *bound = 1 + steps_of(dom) * DBL_EPSILON;
    return true;
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    (void)A, (void)ran, (void)e;
    *bound = 1 - 2 * steps_of(dom) * DBL_EPSILON;
    return true;
}

static bool rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e)
{
    r->steps = steps_of(dom);
    return norm(A, dom, ran, &r->mass, e);
}

const crease_map_ops crs_dct_ops = {
    .name = "dct",
    .formula = "A x = orthonormal cosine transform of x",
    .check = check,
    .scratch = scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .rounding = rounding,
    .gram = crs_gram_of_isometry,
};

crease_map crease_dct(const crease_cosine *c)
{
    return (crease_map){ .ops = &crs_dct_ops, .data = c };
}
