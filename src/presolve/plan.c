/* SPDX-License-Identifier: MIT
 * plan: the reductions of a problem, one after another as long as a rule applies, and the way back
 */
#include "presolve/presolve.h"

/* In the order in which they are tried. */
static crs_rule *const rules[] = { crs_rows, crs_unsplit, crs_eliminate };

static ptrdiff_t rows_of(const crs_composite *c) { return c->constraint ? c->constraint->rows : 0; }

static void release(crs_reduction *r)
{
    if (r->release) r->release(r);
    crs_composite_free(r->to);
    crs_free(r->kept);
    crs_free(r->memory);
    *r = (crs_reduction){ 0 };
}

void crs_plan_free(crs_plan *plan)
{
    if (!plan) return;
    while (plan->count > 0) release(&plan->step[--plan->count]);
    crs_composite_free(plan->user);
    for (int k = 0; k < 2; k++) {
        crs_free(plan->x[k]);
        crs_free(plan->lambda[k]);
    }
    crs_free(plan);
}

/* One more reduction; *more: there was one. */
static bool reduce(crs_plan *plan, bool *more, crease_error *e)
{
    crs_reduction *next = &plan->step[plan->count];
    *more = false;
    for (size_t k = 0; k < sizeof rules / sizeof *rules && !*more; k++) {
        crease_error inner = { CREASE_OK, "" };
        *next = (crs_reduction){ .from = plan->c };
        *more = rules[k](plan->c, next, &inner);
        if (*more) {
            plan->c = next->to;
            plan->count++;
        } else {
            release(next);
            if (inner.code == CREASE_NO_MEMORY) return crs_fail(e, inner.code, "%s", inner.text);
        }
    }
    return true;
}

static bool make(crs_plan *plan, const crease_problem *p, bool presolve, crease_error *e)
{
    bool more = presolve;
    plan->c = plan->user;
    while (more && plan->count < CRS_MOST_REDUCTIONS)
        if (!reduce(plan, &more, e)) return false;
    const ptrdiff_t m = p->range.order > 0 ? crease_size(&p->range) : 0;
    for (int k = 0; k < 2; k++) {
        plan->x[k] = crs_doubles(plan->user->n, "a point", e);
        plan->lambda[k] = crs_doubles(m + 1, "a multiplier", e);
        if (!plan->x[k] || !plan->lambda[k]) return false;
    }
    return true;
}

/* Problems that are split over ranks are the classical methods'. */
static bool is_whole(const crease_problem *p, crease_error *e)
{
    return !crs_comm_of(p) ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "the problem is split over ranks; use admm-g, admm-m, extension or prox-bcd");
}

crs_plan *crs_plan_new(const crease_problem *p, uint64_t seed, bool presolve, crease_watch *watch,
                       crease_error *e)
{
    if (!is_whole(p, e)) return NULL;
    crs_plan *plan = crs_alloc(1, sizeof *plan);
    if (!plan) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a plan");
        return NULL;
    }
    plan->user = crs_composite_new(p, seed, &plan->work, watch, e);
    if (plan->user && make(plan, p, presolve, e)) return plan;
    crs_plan_free(plan);
    return NULL;
}

void crs_plan_back(const crs_plan *plan, const double *x, const double *lambda, double *X,
                   double *Lambda)
{
    const ptrdiff_t m = rows_of(plan->user);
    for (int k = plan->count; k-- > 0;) {
        const crs_reduction *r = &plan->step[k];
        double *to = k == 0 ? X : plan->x[k % 2], *dual = k == 0 ? Lambda : plan->lambda[k % 2];
        r->back(r, x, lambda, to, dual);
        x = to, lambda = dual;
    }
    if (plan->count > 0) return;
    copy(plan->user->n, x, X);
    if (m > 0) copy(m, lambda, Lambda);
}

int crs_plan_block(const crs_plan *plan, int i)
{
    for (int k = plan->count; k-- > 0;) i = plan->step[k].kept[i];
    return i;
}
