/* SPDX-License-Identifier: MIT
 * spca: sparse PCA of a tensor as an ordinary problem
 *
 *     min -T(x_1, ..., x_d) + alpha sum_i R(x_i),  |x_i| <= 1
 *
 * Linear in each block: L_i = 0, L <= (d-1) min_n |T_(n)|_2, and the objective is at least
 * -min_n |T_(n)|_2. Jiang, Lin, Ma, Zhang 2019, sections 2 and 4.4; the 1-norm and d = 2 is the
 * penalized matrix decomposition of Witten, Tibshirani, Hastie 2009. */
#include <stdio.h>

#include "smooth/fit.h"
#include "spca/spca.h"
#include "tensor/tensor.h"

void crease_spca_free(crease_spca *m)
{
    if (!m) return;
    crs_free(m->tensor);
    crs_free(m->memory);
    crs_free(m);
}

/* The problem's blocks and coupling; alpha comes with the start. */
static void describe(crease_spca *m)
{
    const crease_space *shape = &m->s.shape;
    m->ball = crease_l2_ball(1);
    for (int n = 0; n < shape->order; n++) {
        snprintf(m->name[n], sizeof m->name[n], "x%d", n + 1);
        m->argument[n] = n;
        m->space[n] = crease_vector(shape->dim[n]);
        m->block[n] = (crease_block){ .name = m->name[n], .set = &m->ball, .start = m->start[n] };
    }
    m->data = (crease_multilinear_data){
        .shape = *shape, .tensor = m->tensor, .block = m->argument, .weight = -1
    };
    m->problem = (crease_problem){ .count = shape->order,
                                   .space = m->space,
                                   .block = m->block,
                                   .f = crease_multilinear(&m->data) };
}

static bool allocate(crease_spca *m, crease_error *e)
{
    const crease_space *shape = &m->s.shape;
    ptrdiff_t lengths = 0, longest = 0;
    for (int n = 0; n < shape->order; n++) {
        lengths += shape->dim[n];
        longest = more(longest, shape->dim[n]);
    }
    const ptrdiff_t work = crs_contract_scratch(shape);
    m->tensor = crs_doubles(crease_size(shape), "the tensor", e);
    if (!m->tensor) return false;
    m->memory = crs_doubles(3 * lengths + longest + m->s.starts + work, "sparse PCA", e);
    if (!m->memory) return false;
    double *at = m->memory;
    for (int n = 0; n < shape->order; n++) {
        m->start[n] = at, at += shape->dim[n];
        m->best[n] = at, at += shape->dim[n];
        m->unit[n] = at, at += shape->dim[n];
    }
    m->t = at, m->objective = m->t + longest, m->work = m->objective + m->s.starts;
    return true;
}

crease_spca *crease_spca_new(const crease_spca_settings *s, const double *tensor, crease_error *e)
{
    if (!crs_spca_check(s, e) || !crs_check_tensor("sparse PCA", &s->shape, tensor, e)) return NULL;
    const ptrdiff_t size = crease_size(&s->shape);
    const double norm = crs_norm(size, tensor);
    if (norm != 0 && !(norm > 1e-100 && norm < 1e100)) {
        crs_fail(e, CREASE_BAD_DATA,
                 "sparse PCA: the norm of the tensor is %g, too %s for products of its entries; "
                 "rescale it",
                 norm, norm < 1 ? "small" : "large");
        return NULL;
    }
    crease_spca *m = crs_alloc(1, sizeof *m);
    if (!m) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a model");
        return NULL;
    }
    m->s = *s;
    if (!m->s.penalty.ops) m->s.penalty = crease_l1(1);
    m->norm = norm;
    if (allocate(m, e)) {
        copy(size, tensor, m->tensor);
        describe(m);
        if (crease_spca_start(m, 0, e)) return m;
    }
    crease_spca_free(m);
    return NULL;
}

const crease_problem *crease_spca_problem(const crease_spca *m) { return &m->problem; }
double crease_spca_alpha(const crease_spca *m) { return m->alpha; }
double crease_spca_norm(const crease_spca *m) { return m->norm; }

crease_options crease_spca_options(const crease_spca *m)
{
    crease_options o = crease_options_default();
    o.relative = 1;
    o.method = CREASE_METHOD_PROX_BCD;
    o.h = m->sigma > 0 ? 0.1 * m->sigma : 0;
    return o;
}
