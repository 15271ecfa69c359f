/* SPDX-License-Identifier: MIT
 * memory: one block of doubles, carved by name; nothing is allocated after it */
#include "certify/certify.h"
#include "solve/solver.h"

typedef struct {
    double *at; /* NULL while only counting */
    ptrdiff_t used;
} carver;

static double *carve(carver *c, ptrdiff_t n)
{
    double *here = c->at ? c->at + c->used : NULL;
    c->used += n;
    return here;
}

static void carve_point(const crease_solver *s, carver *c, double **x)
{
    for (int i = 0; i < s->p->count; i++) {
        double *here = carve(c, crs_size(s, i));
        if (x) x[i] = here;
    }
}

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

/* Operations, joint proxes and generalized oracles: whatever a step may call. */
static ptrdiff_t step_scratch(const crease_solver *s)
{
    ptrdiff_t n = crs_problem_scratch(s->p);
    for (int i = 0; i < s->p->count; i++) {
        const crease_reg *r = crs_reg_of(s->p, i);
        const crease_set *c = s->p->block[i].set;
        if (!c) continue;
        n = most(n, crease_set_scratch(c, &s->p->space[i]));
        n = most(n, s->a->method == CREASE_METHOD_GCG
                        ? crease_lmo_with_scratch(c, r, &s->p->space[i])
                        : crease_joint_scratch(r, c, &s->p->space[i]));
    }
    return n;
}

/* Counting and carving are one walk, so that they cannot disagree. */
static void walk(crease_solver *s, carver *c)
{
    const int N = s->p->count;
    const ptrdiff_t m = s->p->range.order > 0 ? crease_size(&s->p->range) : 0;
    const ptrdiff_t n = crs_largest_block(s->p);
    double **points[] = { s->st.x, s->st.was, s->st.to, s->before, s->kept, s->best };
    for (size_t k = 0; k < sizeof points / sizeof *points; k++) carve_point(s, c, points[k]);
    s->st.lambda = carve(c, m);
    s->st.s = carve(c, m);
    s->st.m = carve(c, m);
    s->kept_lambda = carve(c, m);
    s->best_lambda = carve(c, m);
    s->st.g = carve(c, n);
    s->st.v = carve(c, n);
    s->st.y = carve(c, n);
    s->st.guess = carve(c, N);
    s->st.solve = carve(c, s->method->solver_size ? s->method->solver_size(s->p, s->a) : 0);
    s->st.work = carve(c, step_scratch(s));
    s->certify_work = carve(c, crs_certify_room(s->given, s->a->method == CREASE_METHOD_GCG));
}

bool crs_solver_forecast(const crease_problem *p, const crease_analysis *a, ptrdiff_t *doubles,
                         crease_error *e)
{
    crs_extension *x = NULL;
    crease_solver s = { .given = p, .p = p, .a = (crease_analysis *)a };
    carver count = { NULL, 0 };
    if (a->method == CREASE_METHOD_EXTENSION) {
        x = crs_extension_new(p, a->mu, e);
        if (!x) return false;
        s.p = &x->problem;
    }
    s.method = crs_method_for(a);
    walk(&s, &count);
    crs_extension_free(x);
    *doubles = count.used;
    return true;
}

bool crs_solver_memory(crease_solver *s, crease_error *e)
{
    const size_t N = (size_t)s->p->count;
    carver count = { NULL, 0 };
    s->pointers = crs_alloc(6 * N, sizeof *s->pointers);
    s->scale_point = crs_alloc(N, sizeof *s->scale_point);
    s->residuals = crs_alloc(2 * N, sizeof *s->residuals);
    if (!s->pointers || !s->scale_point || !s->residuals)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a solver of %zu blocks", N);
    double ***points[] = { &s->st.x, &s->st.was, &s->st.to, &s->before, &s->kept, &s->best };
    for (size_t k = 0; k < 6; k++) *points[k] = s->pointers + k * N;
    s->now.block = s->residuals;
    s->found.block = s->residuals + N;
    walk(s, &count);
    s->memory = crs_doubles(count.used, "the solver", e);
    if (!s->memory) return false;
    carver carving = { s->memory, 0 };
    walk(s, &carving);
    return true;
}
