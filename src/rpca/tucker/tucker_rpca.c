/* SPDX-License-Identifier: MIT
 * tucker_rpca: robust PCA with a Tucker model and of matrices, built from data */
#include "rpca/tucker/tucker_rpca.h"
#include "core/parallel.h"
#include "reg/reg.h"
#include "rpca/rpca.h"

crease_tucker_rpca_settings crease_tucker_rpca_default(const crease_space *shape,
                                                       const crease_space *ranks)
{
    return (crease_tucker_rpca_settings){ .shape = *shape,
                                          .ranks = *ranks,
                                          .penalty = crease_l1(1),
                                          .learn = 3,
                                          .alpha_noise = 1,
                                          .eps = 1e-6,
                                          .passes = 1000 };
}

static bool in_range(const char *name, double value, bool zero, crease_error *e)
{
    return (value < INFINITY && (value > 0 || (zero && value == 0))) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "%s = %g is outside its range: give a number %s", name,
                    value, zero ? ">= 0" : "> 0");
}

static bool check_form(const crease_tucker_rpca_settings *s, crease_error *e)
{
    const bool matrix = s->shape.order == 2;
    if (s->form != CREASE_RPCA_TUCKER && !matrix)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "the data have %d dimensions and this model is of matrices; merge "
                        "dimensions or use the Tucker or CP model",
                        s->shape.order);
    if (s->form == CREASE_RPCA_BALL && s->ranks.dim[0] != s->ranks.dim[1])
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the ranks of a matrix are %td and %td; give one",
                        s->ranks.dim[0], s->ranks.dim[1]);
    return s->form == CREASE_RPCA_TUCKER || (!s->missing && !s->mask) ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "this form takes no missing entries; use the penalized form (without eta)");
}

static bool check(const crease_tucker_rpca_settings *s, crease_error *e)
{
    if (s->shape.order < 2 || s->shape.order > CREASE_MAX_ORDER)
        return crs_fail(e, CREASE_BAD_SHAPE, "the data have %d dimensions; give 2 to %d",
                        s->shape.order, CREASE_MAX_ORDER);
    if (!crease_space_check(&s->shape, e) || !check_form(s, e)) return false;
    if (s->penalty.ops && (s->penalty.ops != &crs_separable_ops || s->penalty.weight))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the penalty %s is not one by entries, all weighed alike; use l1, mcp, "
                        "scad, lsp, capped-l1, l0 or another of that kind",
                        s->penalty.ops->name);
    return (!s->penalty.ops || crease_reg_check(&s->penalty, &s->shape, e)) &&
           in_range("alpha", s->alpha, true, e) && in_range("learn", s->learn, false, e) &&
           in_range("alpha_noise", s->alpha_noise, false, e) && in_range("eta", s->eta, true, e) &&
           in_range("eps", s->eps, false, e);
}

/* Squares must neither overflow nor vanish, and the histogram of residuals ends at 2^-128. */
static bool check_magnitude(const crease_cp_rpca_settings *c, const double *tensor, crease_error *e)
{
    double most = -1;
    for (ptrdiff_t j = 0; j < crease_size(&c->shape); j++)
        if (crs_cp_seen(c, tensor, j)) most = larger(most, fabs(tensor[j]));
    if (most < 0)
        return crs_fail(e, CREASE_BAD_DATA, "no entry was observed; give data with numbers");
    return most == 0 || (most >= 1e-20 && most <= 1e100) ||
           crs_fail(e, CREASE_BAD_DATA, "the largest entry is %g, too %s; rescale the data", most,
                    most > 1 ? "large" : "small");
}

static bool take_data(crease_tucker_rpca *m, const double *tensor, crease_error *e)
{
    crease_tucker_rpca_settings *s = &m->facts.used;
    const crease_cp_rpca_settings c = { .shape = s->shape, .missing = s->missing, .mask = s->mask };
    const ptrdiff_t size = crease_size(&s->shape);
    if (!crs_cp_check_data(&c, tensor, &m->facts.missing, e)) return false;
    if (!check_magnitude(&c, tensor, e)) return false;
    m->tensor = crs_doubles(size, "the tensor", e);
    if (!m->tensor) return false;
    if (m->facts.missing > 0) {
        m->root = crs_doubles(size, "the mask", e);
        m->mask = crs_alloc((size_t)size, 1);
        if (!m->root || !m->mask) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the mask");
    }
    for (ptrdiff_t j = 0; j < size; j++) {
        const bool seen = crs_cp_seen(&c, tensor, j);
        m->tensor[j] = seen ? tensor[j] : 0;
        if (m->mask) m->mask[j] = seen;
        if (m->root) m->root[j] = seen ? sqrt(2 * s->alpha_noise) : 0;
    }
    s->mask = NULL;
    return true;
}

static bool take_room(crease_tucker_rpca *m, crease_error *e)
{
    crs_tucker_spaces(m);
    for (int i = 0; i < m->problem.count; i++) {
        m->x[i] = crs_doubles(crease_size(&m->space[i]), "a block", e);
        if (!m->x[i]) return false;
        m->block[i].start = m->x[i];
    }
    m->lambda = crs_doubles(crease_size(&m->problem.range), "the multiplier", e);
    return m->lambda;
}

static bool build(crease_tucker_rpca *m, const double *tensor, crease_error *e)
{
    crease_tucker_rpca_settings *s = &m->facts.used;
    const bool convex = s->form == CREASE_RPCA_CONVEX;
    ptrdiff_t longest = more(s->shape.dim[0], s->shape.dim[1]);
    m->penalty = s->penalty.ops ? s->penalty : crease_l1(1);
    m->facts.residual = m->facts.deviation = m->facts.threshold = NAN;
    s->threads = crs_useful_threads(s->threads, crease_size(&s->shape));
    if (convex && s->alpha == 0) s->alpha = 1 / sqrt((double)longest);
    if (!take_data(m, tensor, e) || !take_room(m, e)) return false;
    if (!convex && !crs_tucker_begin(m, e)) return false;
    s->penalty = m->penalty;
    crs_tucker_assemble(m);
    return crease_problem_check(&m->problem, e);
}

crease_tucker_rpca *crease_tucker_rpca_new(const crease_tucker_rpca_settings *s,
                                           const double *tensor, crease_error *e)
{
    if (!check(s, e)) return NULL;
    crease_tucker_rpca *m = crs_alloc(1, sizeof *m);
    if (!m) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a model"), NULL;
    m->facts.used = *s;
    if (build(m, tensor, e)) return m;
    crease_tucker_rpca_free(m);
    return NULL;
}

void crease_tucker_rpca_free(crease_tucker_rpca *m)
{
    if (!m) return;
    for (int i = 0; i < CRS_TUCKER_BLOCKS; i++) crs_free(m->x[i]);
    crs_free(m->lambda);
    crs_free(m->tensor);
    crs_free(m->root);
    crs_free(m->mask);
    crs_free(m);
}

const crease_problem *crease_tucker_rpca_problem(const crease_tucker_rpca *m)
{
    return &m->problem;
}
const double *crease_tucker_rpca_multiplier(const crease_tucker_rpca *m)
{
    return m->facts.used.form == CREASE_RPCA_CONVEX ? NULL : m->lambda;
}
crease_tucker_rpca_facts crease_tucker_rpca_about(const crease_tucker_rpca *m) { return m->facts; }
const double *crease_tucker_rpca_weights(const crease_tucker_rpca *m) { return m->root; }
