/* SPDX-License-Identifier: MIT
 * problem: the parts of a problem checked and evaluated together, with defaults for what is left
 * out */
#include <stdio.h>

#include <crease/random.h>

#include "problem/problem.h"
#include "reg/reg.h"

const crease_reg *crs_reg_of(const crease_problem *p, int i)
{
    static const crease_reg none = { .ops = &crs_separable_ops, .penalty = &crs_zero };
    return p->block[i].reg.ops ? &p->block[i].reg : &none;
}

const char *crs_block_name(const crease_problem *p, int i, char buffer[32])
{
    if (p->block[i].name) return p->block[i].name;
    snprintf(buffer, 32, "x%d", i + 1);
    return buffer;
}

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

ptrdiff_t crs_problem_scratch(const crease_problem *p)
{
    const crease_blocks b = crs_blocks(p);
    ptrdiff_t n = p->f.ops ? crease_smooth_scratch(&p->f, &b) : 0;
    for (int i = 0; i < p->count; i++) {
        n = most(n, crease_reg_scratch(crs_reg_of(p, i), &p->space[i]));
        if (crs_in_constraint(p, i))
            n = most(n, crease_map_scratch(&p->block[i].map, &p->space[i], &p->range));
    }
    return n;
}

ptrdiff_t crs_largest_block(const crease_problem *p)
{
    ptrdiff_t n = 1;
    for (int i = 0; i < p->count; i++) n = most(n, crease_size(&p->space[i]));
    return n;
}

double crs_f(const crease_problem *p, const double *const *x, double *work)
{
    const crease_blocks b = crs_blocks(p);
    return p->f.ops ? p->f.ops->value(&p->f, &b, x, work) : 0;
}

void crs_grad(const crease_problem *p, const double *const *x, int i, double *g, double *work)
{
    const crease_blocks b = crs_blocks(p);
    fill(crease_size(&p->space[i]), 0, g);
    if (p->f.ops) p->f.ops->grad(&p->f, &b, x, i, g, work);
}

double crs_regs(const crease_problem *p, const double *const *x, double *work)
{
    double sum = 0;
    for (int i = 0; i < p->count; i++) {
        const crease_reg *r = crs_reg_of(p, i);
        sum += r->ops->value(r, &p->space[i], x[i], work);
    }
    return sum;
}

void crs_apply(const crease_problem *p, int i, double a, const double *d, double *s, double *work)
{
    const crease_map *A = &p->block[i].map;
    if (crs_in_constraint(p, i)) A->ops->apply(A, &p->space[i], &p->range, a, d, s, work);
}

void crs_adjoint(const crease_problem *p, int i, double a, const double *y, double *x, double *work)
{
    const crease_map *A = &p->block[i].map;
    if (crs_in_constraint(p, i)) A->ops->adjoint(A, &p->space[i], &p->range, a, y, x, work);
}

void crs_constraint(const crease_problem *p, const double *const *x, double *s, double *work)
{
    const ptrdiff_t m = crease_size(&p->range);
    for (ptrdiff_t j = 0; j < m; j++) s[j] = p->rhs ? -p->rhs[j] : 0;
    for (int i = 0; i < p->count; i++) crs_apply(p, i, 1, x[i], s, work);
}

bool crs_offers_argmin(const crease_problem *p, int i, double h, double radius, bool *offers,
                       crease_error *e)
{
    const crease_blocks b = crs_blocks(p);
    const crease_smooth *f = &p->f;
    *offers = false;
    if (!f->ops || !f->ops->argmin) return true;
    double *work = crs_doubles(crease_smooth_scratch(f, &b), "a coupling", e);
    if (!work) return false;
    *offers = f->ops->argmin(f, &b, NULL, i, h, NULL, radius, NULL, work);
    crs_free(work);
    return true;
}

bool crease_objective(const crease_problem *p, const double *const *x, double *value,
                      crease_error *e)
{
    if (!crease_problem_check(p, e)) return false;
    double *work = crs_doubles(crs_problem_scratch(p), "a problem", e);
    if (!work) return false;
    *value = crs_f(p, x, work) + crs_regs(p, x, work);
    crs_free(work);
    return true;
}

bool crs_set_radius(const crease_problem *p, int i, double *radius, crease_error *e)
{
    const crease_set *c = p->block[i].set;
    const ptrdiff_t n = crease_size(&p->space[i]);
    *radius = INFINITY;
    if (!c) return true;
    const double diameter = c->ops->diameter(c, &p->space[i], 2);
    if (c->ops->symmetric) *radius = diameter / 2;
    if (c->ops->symmetric || !(diameter < INFINITY)) return true;

    double *y = crs_doubles(n, "a set's radius", e); /* |x| <= |y| + diameter for any y in X_i */
    double *work = crs_doubles(crease_set_scratch(c, &p->space[i]), "a set's radius", e);
    if (y && work) {
        c->ops->lmo(c, &p->space[i], y, y, work);
        *radius = crease_norm(&p->space[i], y) + diameter;
    }
    const bool done = y && work;
    crs_free(y);
    crs_free(work);
    return done;
}

/* Puts the block's name in front of the sentence in e. */
static bool blame(const crease_problem *p, int i, crease_error *e)
{
    char buffer[32];
    if (e) {
        crease_error inner = *e;
        crs_fail(e, inner.code, "block %s: %.300s", crs_block_name(p, i, buffer), inner.text);
    }
    return false;
}

static bool finite(const char *what, ptrdiff_t n, const double *x, crease_error *e)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (!isfinite(x[j]))
            return crs_fail(e, CREASE_BAD_DATA, "%s has %g at entry %td; give finite numbers", what,
                            x[j], j + 1);
    return true;
}

/* An entry of which the set allows negative values alone; -1: there is none, as far as is known. */
static ptrdiff_t negative_entry(const crease_set *c, const crease_space *s)
{
    double low = -INFINITY, high = INFINITY;
    const crease_bounds b =
        c->ops->bounds ? c->ops->bounds(c) : (crease_bounds){ .high = INFINITY };
    if (!c->ops->bounds && c->ops->range) c->ops->range(c, s, &low, &high);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        if (smaller(high, upper_at(&b, j)) < 0) return j;
    return -1;
}

/* Has the set a point in the domain of r? Where r is infinite for an x_j < 0 and the set has no
 * other, nothing is left. */
static bool check_domain(const crease_problem *p, int i, crease_error *e)
{
    const crease_reg *r = crs_reg_of(p, i);
    const crease_set *c = p->block[i].set;
    const ptrdiff_t j = c ? negative_entry(c, &p->space[i]) : -1;
    if (!c || crs_together(p->space[i].comm, j < 0, NULL)) return true;
    double value = 0, *x = crs_doubles(crease_size(&p->space[i]), "a point", e);
    if (x && j >= 0) x[j] = -1;
    const bool done = x && crease_reg_value(r, &p->space[i], x, &value, e);
    crs_free(x);
    if (!done) return false;
    return value < INFINITY ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "the regularizer (%s) wants x >= 0 and the set (%s) has entry %td below 0: no "
                    "point is left; change one of them",
                    r->ops->name, c->ops->name, j + 1);
}

static bool check_block(const crease_problem *p, int i, crease_error *e)
{
    const crease_block *b = &p->block[i];
    if (!crease_space_check(&p->space[i], e)) return false;
    if (!crease_reg_check(crs_reg_of(p, i), &p->space[i], e)) return false;
    if (b->set && !crease_set_check(b->set, &p->space[i], e)) return false;
    if (!check_domain(p, i, e)) return false;
    if (b->map.ops && p->range.order == 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "it has a map but the problem has no constraint; give the range and rhs");
    if (b->map.ops && !crease_map_check(&b->map, &p->space[i], &p->range, e)) return false;
    return !b->start || finite("the start point", crease_size(&p->space[i]), b->start, e);
}

static const crease_comm *comm_of_f(const crease_smooth *f)
{
    const crease_smooth_family family = f->ops ? f->ops->family : CREASE_SMOOTH_OTHER;
    const crease_comm *found = NULL;
    if (!f->data) return NULL;
    if (family == CREASE_SMOOTH_LOSS || family == CREASE_SMOOTH_PREDICTED)
        return ((const crease_predictor *)f->data)->range.comm;
    const crease_smooth_list *sum = family == CREASE_SMOOTH_SUM ? f->data : NULL;
    for (int k = 0; sum && k < sum->count && !found; k++) found = comm_of_f(&sum->term[k]);
    return found;
}

const crease_comm *crs_comm_of(const crease_problem *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->space[i].comm) return p->space[i].comm;
    return p->range.order > 0 && p->range.comm ? p->range.comm : comm_of_f(&p->f);
}

static bool check(const crease_problem *p, crease_error *e)
{
    bool constrained = false;
    if (p->count < 1)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the problem has %d blocks; give at least one",
                        p->count);
    if (p->range.order > 0 && !crease_space_check(&p->range, e)) return false;
    for (int i = 0; i < p->count; i++) {
        if (!check_block(p, i, e)) return blame(p, i, e);
        constrained = constrained || p->block[i].map.ops;
    }
    if (p->range.order > 0 && !constrained)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the constraint has a range but no block has a map; give the maps");
    const crease_blocks b = crs_blocks(p);
    if (p->f.ops && !crease_smooth_check(&p->f, &b, e)) return false;
    return p->range.order == 0 || !p->rhs ||
           finite("the right-hand side", crease_size(&p->range), p->rhs, e);
}

/* What one rank refuses, all do. */
bool crease_problem_check(const crease_problem *p, crease_error *e)
{
    return crs_together(crs_comm_of(p), check(p, e), e);
}

bool crs_has_callback(const crease_smooth *f)
{
    if (!f->ops) return false;
    if (f->ops->family == CREASE_SMOOTH_CALLBACK) return true;
    const crease_smooth_list *sum = f->ops->family == CREASE_SMOOTH_SUM ? f->data : NULL;
    for (int k = 0; sum && k < sum->count; k++)
        if (crs_has_callback(&sum->term[k])) return true;
    return false;
}

bool crs_default_start(const crease_problem *p, int i, uint64_t seed, double *x)
{
    const crease_random r = { seed, 1000 + (uint64_t)i };
    const crease_blocks b = crs_blocks(p);
    const ptrdiff_t n = crease_size(&p->space[i]);
    double size = NAN;
    const int count = p->f.ops && p->f.ops->factors ? p->f.ops->factors(&p->f, &b, i, &size) : 0;
    if (isnan(size)) size = p->rhs ? crease_norm(&p->range, p->rhs) : 1;
    const double each = count > 0 ? pow(size, 1.0 / count) / sqrt((double)n) : 0;
    for (ptrdiff_t j = 0; j < n; j++)
        x[j] = each > 0 ? each * crease_random_normal(r, (uint64_t)j) : 0;
    return each > 0;
}
