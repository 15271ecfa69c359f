/* SPDX-License-Identifier: MIT
 * scale: what the residuals of a problem are relative to: the reference point, made of the data
 * alone, and the scales of certificate.h that follow from it
 *
 * No start and no iterate enters a reference. Every number here changes with the units of x_i, of F
 * and of the constraint as the residual does that it is compared with. */
#include "certify/certify.h"
#include "core/carve.h"

/* What it takes to find one. */
typedef struct {
    const crease_problem *p;
    crease_reference *r;
    double **alone;              /* x_i^0: block i alone carrying b */
    const double **at;           /* a point, of pointers into alone and zero */
    double *zero, *g, *t;        /* vectors of the largest block */
    double *lambda, *sum, *diff; /* of the constraint */
    double *force;               /* a block: |lambda_i| */
    double *work;
    const crease_watch *watch;
} maker;

static void give_looks(const maker *m) { (void)crease_watch_over(m->watch); }

static bool is_never_negative(const crease_problem *p)
{
    bool all = !p->f.ops || (p->f.ops->nonnegative && p->f.ops->nonnegative(&p->f));
    for (int i = 0; i < p->count && all; i++) {
        const crease_reg *r = crs_reg_of(p, i);
        crease_reg_traits t;
        r->ops->traits(r, &p->space[i], INFINITY, &t);
        all = t.lower >= 0;
    }
    return all;
}

static ptrdiff_t size_of(const maker *m, int i) { return crease_size(&m->p->space[i]); }
static ptrdiff_t rows(const crease_problem *p)
{
    return p->range.order > 0 ? crease_size(&p->range) : 0;
}

/* The step along d = A_i's that is best for A_i x = s, from 0: t with |t A_i d - s| least. `image`
 * receives A_i d; 0 where d is. */
static double best_step(const maker *m, int i, const double *d, double *image)
{
    fill(rows(m->p), 0, image);
    crs_apply(m->p, i, 1, d, image, m->work);
    const double length = crease_norm(&m->p->space[i], d), far = crease_norm(&m->p->range, image);
    return far > 0 ? square(length / far) : 0;
}

/* x_i^0 = t A_i'b, and the number of blocks where it is not 0 */
static int carry(maker *m)
{
    const crease_problem *p = m->p;
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        double *x = m->alone[i];
        fill(size_of(m, i), 0, x);
        if (!p->rhs || !crs_in_constraint(p, i)) continue;
        crs_adjoint(p, i, 1, p->rhs, x, m->work);
        const double t = best_step(m, i, x, m->lambda);
        for (ptrdiff_t j = 0, n = size_of(m, i); j < n; j++) x[j] *= t;
        m->r->size[i] = crease_norm(&p->space[i], x);
        give_looks(m);
        count += m->r->size[i] > 0;
    }
    return count;
}

static void scale_all(maker *m, double by)
{
    for (int i = 0; i < m->p->count; i++)
        for (ptrdiff_t j = 0, n = size_of(m, i); j < n; j++) m->alone[i][j] *= by;
}

static bool holds(const maker *m, int i, const double *x)
{
    const crease_set *c = m->p->block[i].set;
    const crease_space *s = &m->p->space[i];
    return !c || c->ops->excess(c, s, x, m->work) <= 1e-12 * crease_norm(s, x);
}

/* F where block i alone carries b (-1: where no block does), if that point is feasible. */
static double objective_of(maker *m, int i)
{
    const crease_problem *p = m->p;
    for (int k = 0; k < p->count; k++) {
        m->at[k] = k == i ? m->alone[k] : m->zero;
        if (!holds(m, k, m->at[k])) return INFINITY;
    }
    if (p->range.order > 0) {
        crs_constraint(p, m->at, m->diff, m->work);
        const double b = p->rhs ? crease_norm(&p->range, p->rhs) : 0;
        if (!(crease_norm(&p->range, m->diff) <= 1e-12 * b)) return INFINITY;
    }
    give_looks(m);
    const double f = crs_f(p, m->at, m->work);
    give_looks(m);
    return crs_objective_size(p, m->at, f, m->work);
}

/* F_0: the least objective among the feasible points where one block carries b */
static double least_objective(maker *m, int carriers)
{
    double least = carriers == 0 ? objective_of(m, -1) : INFINITY;
    for (int i = 0; i < m->p->count && carriers > 0; i++)
        if (m->r->size[i] > 0) least = smaller(least, objective_of(m, i));
    return least < INFINITY ? least : 0;
}

/* lambda_i, the step for A_i'lambda = g_i from 0; g_i is in m->g */
static void force_of(maker *m, int i)
{
    const crease_problem *p = m->p;
    fill(rows(p), 0, m->lambda);
    if (!crs_in_constraint(p, i)) return;
    crs_apply(p, i, 1, m->g, m->lambda, m->work);
    fill(size_of(m, i), 0, m->t);
    crs_adjoint(p, i, 1, m->lambda, m->t, m->work);
    const double far = crease_norm(&p->space[i], m->t);
    const double t = far > 0 ? square(crease_norm(&p->range, m->lambda) / far) : 0;
    for (ptrdiff_t j = 0; j < rows(p); j++) m->lambda[j] *= t;
    give_looks(m);
}

static void gradient(maker *m, int i)
{
    crs_grad(m->p, (const double *const *)m->alone, i, m->g, m->work);
    give_looks(m);
}

/* |A_i c_i| for the step c_i = -t g_i that is best for f from 0: t by the secant over the step that
 * would bring f down to 0 */
static double reach(maker *m, int i)
{
    const crease_problem *p = m->p;
    const crease_space *s = &p->space[i];
    const ptrdiff_t n = crease_size(s);
    const double g2 = square(crease_norm(s, m->g)), h = m->r->objective / g2;
    if (!crs_in_constraint(p, i) || !(g2 > 0) || !(m->r->objective > 0)) return 0;
    for (ptrdiff_t j = 0; j < n; j++) m->t[j] = -h * m->g[j];
    for (int k = 0; k < p->count; k++) m->at[k] = k == i ? m->t : m->zero;
    double *next = m->alone[i]; /* 0 without b */
    crs_grad(p, m->at, i, next, m->work);
    const double bend = g2 - crease_dot(s, m->g, next);
    const double t = bend > 0 ? smaller(h * g2 / bend, 2 * h) : h;
    fill(n, 0, next);
    for (ptrdiff_t j = 0; j < n; j++) m->t[j] = t * m->g[j];
    fill(rows(p), 0, m->diff);
    crs_apply(p, i, 1, m->t, m->diff, m->work);
    return crease_norm(&p->range, m->diff);
}

/* |g_i| at the reference, |lambda_i|, and without b the steps of f */
static void first_pass(maker *m, bool homogeneous)
{
    const crease_problem *p = m->p;
    for (int i = 0; i < p->count; i++) {
        gradient(m, i);
        m->r->own[i] = crease_norm(&p->space[i], m->g);
        force_of(m, i);
        m->force[i] = p->range.order > 0 ? crease_norm(&p->range, m->lambda) : 0;
        if (homogeneous) m->r->constraint += reach(m, i);
    }
}

/* sum = the sum of lambda_i/|lambda_i|, diff that with alternating signs, where lambda_i is not 0
 * but for rounding; returns the least |lambda_i| of them */
static double second_pass(maker *m)
{
    double most = 0, least = INFINITY, sign = 1;
    for (int i = 0; i < m->p->count; i++) most = larger(most, m->force[i]);
    fill(rows(m->p), 0, m->sum);
    fill(rows(m->p), 0, m->diff);
    for (int i = 0; i < m->p->count; i++) {
        if (!(m->force[i] > 1e-10 * most)) continue;
        gradient(m, i);
        force_of(m, i);
        axpy(rows(m->p), 1 / m->force[i], m->lambda, m->sum);
        axpy(rows(m->p), sign / m->force[i], m->lambda, m->diff);
        least = smaller(least, m->force[i]);
        sign = -sign;
    }
    return most > 0 ? least : 0;
}

static double pull(maker *m, int i, const double *lambda)
{
    fill(size_of(m, i), 0, m->t);
    crs_adjoint(m->p, i, 1, lambda, m->t, m->work);
    give_looks(m);
    return crease_norm(&m->p->space[i], m->t);
}

static void make(maker *m)
{
    const crease_problem *p = m->p;
    const int carriers = carry(m);
    if (is_never_negative(p)) m->r->objective = least_objective(m, carriers);
    if (carriers > 1) scale_all(m, 1.0 / carriers);
    first_pass(m, p->range.order > 0 && carriers == 0);
    if (p->range.order == 0) return;
    const double least = second_pass(m);
    for (int i = 0; i < p->count; i++)
        if (crs_in_constraint(p, i))
            m->r->own[i] += least * larger(pull(m, i, m->sum), pull(m, i, m->diff));
}

static void carve_result(void *self, crs_carver *c)
{
    crease_reference *r = self;
    r->size = carve_doubles(c, r->count, 1);
    r->own = carve_doubles(c, r->count, 1);
    r->point = carve_bytes(c, r->count, sizeof *r->point);
}

static void carve_maker(void *self, crs_carver *c)
{
    maker *m = self;
    const ptrdiff_t n = crs_largest_block(m->p);
    m->alone = carve_bytes(c, m->p->count, sizeof *m->alone);
    for (int i = 0; i < m->p->count; i++) {
        double *here = carve_doubles(c, size_of(m, i), 1);
        if (m->alone) m->alone[i] = here;
    }
    m->at = carve_bytes(c, m->p->count, sizeof *m->at);
    m->zero = carve_doubles(c, n, 1);
    m->g = carve_doubles(c, n, 1);
    m->t = carve_doubles(c, n, 1);
    m->lambda = carve_doubles(c, rows(m->p), 1);
    m->sum = carve_doubles(c, rows(m->p), 1);
    m->diff = carve_doubles(c, rows(m->p), 1);
    m->force = carve_doubles(c, m->p->count, 1);
    m->work = carve_doubles(c, crs_certify_room(m->p, false), 1);
}

crease_reference *crease_reference_new(const crease_problem *p, crease_error *e)
{
    return crs_reference_new(p, NULL, e);
}

crease_reference *crs_reference_new(const crease_problem *p, const crease_watch *w, crease_error *e)
{
    crease_reference *r = crs_alloc(1, sizeof *r);
    maker m = { .p = p, .r = r, .watch = w };
    if (r) r->count = p->count;
    if (r) r->memory = carve_block(carve_result, r);
    void *memory = r && r->memory ? carve_block(carve_maker, &m) : NULL;
    if (memory) {
        make(&m);
    } else {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the scales of %d blocks", p->count);
        crease_reference_free(r);
        r = NULL;
    }
    crs_free(memory);
    return r;
}

void crease_reference_free(crease_reference *r)
{
    if (r) crs_free(r->memory);
    crs_free(r);
}
