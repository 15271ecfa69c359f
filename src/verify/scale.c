/* SPDX-License-Identifier: MIT
 * scale: what relative residuals are compared with, from the problem alone (certificate.h)
 *
 *   x_i^0       t A_i'b with |A_i x_i^0 - b| least: block i alone carrying b
 *   reference   all of them together, each by its share; g_i = grad_i f there
 *   lambda_i    t A_i g_i with |A_i'lambda_i - g_i| least
 *   F_0         the least objective among the points where one block carries b, that are feasible
 *
 * A scale is no proof: rounding is not followed here. */
#include "verify/verify.h"

typedef struct {
    crs_verifier *v;
    const crease_problem *p;
    crs_reference *r;
    double **alone, *zero; /* x_i^0, later its share; zeros for any block */
    const double **at;     /* a point */
    real *force;           /* |lambda_i| */
} maker;

static bool constrained(const crease_problem *p, int i)
{
    return p->range.order > 0 && p->block[i].map.ops;
}

static ptrdiff_t rows(const crease_problem *p)
{
    return p->range.order > 0 ? crease_size(&p->range) : 0;
}

static real length(ptrdiff_t n, const num *x)
{
    real sum = 0, most = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += x[j].v * x[j].v;
    if (sum > LDBL_MIN / LDBL_EPSILON && sum < INFINITY) return sqrtl(sum);
    sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = bigger(most, fabsl(x[j].v));
    for (ptrdiff_t j = 0; j < n && most > 0; j++) sum += (x[j].v / most) * (x[j].v / most);
    return most * sqrtl(sum);
}

/* out = A_i in, or A_i'in; NULL: out of memory or refused */
static num *image(const maker *m, int i, bool transposed, const num *in)
{
    const crease_problem *p = m->p;
    num *out = crs_nums(m->v, transposed ? crease_size(&p->space[i]) : rows(p));
    const crease_map *A = &p->block[i].map;
    if (!out || !crs_multiply(m->v, A, &p->space[i], &p->range, transposed, in, out)) return NULL;
    return out;
}

/* x becomes t x, t = |x|^2/|y|^2 */
static void take_step(ptrdiff_t n, num *x, ptrdiff_t k, const num *y)
{
    const real far = length(k, y), t = far > 0 ? length(n, x) / far : 0;
    for (ptrdiff_t j = 0; j < n; j++) x[j] = exact(x[j].v * t * t);
}

static bool carry(const maker *m, int *count)
{
    const crease_problem *p = m->p;
    for (int i = 0; i < p->count; i++) {
        const ptrdiff_t n = crease_size(&p->space[i]);
        void *mark = m->v->rooms;
        if (!p->rhs || !constrained(p, i)) continue;
        const num *b = crs_exact(m->v, rows(p), p->rhs);
        num *x = b ? image(m, i, true, b) : NULL, *Ax = x ? image(m, i, false, x) : NULL;
        if (!Ax) return false;
        take_step(n, x, rows(p), Ax);
        for (ptrdiff_t j = 0; j < n; j++) m->alone[i][j] = (double)x[j].v;
        m->r->size[i] = length(n, x);
        *count += m->r->size[i] > 0;
        crs_rooms_release(m->v, mark);
    }
    return true;
}

/* Is x_k in its set, to 1e-12 of its length? */
static bool is_member(const maker *m, int k, const num *x, bool *is)
{
    const ptrdiff_t n = crease_size(&m->p->space[k]);
    const crease_set *set = m->p->block[k].set;
    const crs_set_rule *rule = set ? crs_set_rule_of(m->v, set) : NULL;
    real *t = rule ? crs_reals(m->v, n) : NULL;
    crs_membership member = { 0, true };
    if (!set) return true;
    if (!t) return false;
    for (ptrdiff_t j = 0; j < n; j++) t[j] = x[j].v;
    rule->membership(m->v, set, &m->p->space[k], t, 0, &member);
    *is = *is && member.excess <= 1e-12L * length(n, x);
    return true;
}

/* Is the point in its sets, and sum A_k x_k = b to 1e-12 of |b|? */
static bool feasible(const maker *m, bool *is)
{
    const crease_problem *p = m->p;
    num *s = crs_nums(m->v, rows(p));
    *is = true;
    for (ptrdiff_t j = 0; s && j < rows(p); j++) s[j] = exact(p->rhs ? -(real)p->rhs[j] : 0);
    const real b = s ? length(rows(p), s) : 0;
    for (int k = 0; s && k < p->count && *is; k++) {
        void *mark = m->v->rooms;
        if (m->at[k] == m->zero && !p->block[k].set) continue;
        const num *x = crs_exact(m->v, crease_size(&p->space[k]), m->at[k]);
        if (!x || !is_member(m, k, x, is)) return false;
        const num *Ax = constrained(p, k) ? image(m, k, false, x) : NULL;
        if (constrained(p, k) && !Ax) return false;
        for (ptrdiff_t j = 0; Ax && j < rows(p); j++) s[j].v += Ax[j].v;
        crs_rooms_release(m->v, mark);
    }
    *is = *is && s && length(rows(p), s) <= 1e-12L * b;
    return !m->v->no_memory && !m->v->unsupported;
}

/* F_0 becomes the objective where block i alone carries b (-1: where none does), if that is
 * feasible and less. */
static bool try_alone(const maker *m, int i)
{
    void *mark = m->v->rooms;
    bool is;
    real F;
    for (int k = 0; k < m->p->count; k++) m->at[k] = k == i ? m->alone[k] : m->zero;
    if (!feasible(m, &is)) return false;
    crs_rooms_release(m->v, mark);
    if (!is) return true;
    if (!crs_objective(m->v, m->at, &F)) return false;
    if (F < m->r->objective) m->r->objective = F;
    return true;
}

static bool find_objective(const maker *m, int carriers)
{
    m->r->objective = INFINITY;
    if (carriers == 0 && !try_alone(m, -1)) return false;
    for (int i = 0; i < m->p->count && carriers > 0; i++)
        if (m->r->size[i] > 0 && !try_alone(m, i)) return false;
    if (!(m->r->objective < INFINITY)) m->r->objective = 0;
    return true;
}

static num *gradient(const maker *m, const double *const *x, int i)
{
    num *out = crs_nums(m->v, crease_size(&m->p->space[i]));
    num **g = crs_room(m->v, m->p->count, sizeof *g);
    if (!out || !g) return NULL;
    g[i] = out;
    return !m->p->f.ops || crs_add_gradient(m->v, &m->p->f, x, g) ? out : NULL;
}

/* lambda_i, from g_i; NULL: out of memory or refused */
static num *force_of(const maker *m, int i, const num *g)
{
    num *lambda = image(m, i, false, g);
    const num *back = lambda ? image(m, i, true, lambda) : NULL;
    if (!back) return NULL;
    take_step(rows(m->p), lambda, crease_size(&m->p->space[i]), back);
    return lambda;
}

/* |A_i c_i| added, c_i = -t g_i the best step for f from 0 by the secant over the step h that would
 * bring f down to 0 */
static bool add_reach(const maker *m, int i, const num *g)
{
    const ptrdiff_t n = crease_size(&m->p->space[i]);
    const real norm = length(n, g), h = m->r->objective / (norm * norm);
    real along = 0;
    if (!(norm > 0) || !(m->r->objective > 0)) return true;
    double *x = crs_room(m->v, n, sizeof *x);
    for (ptrdiff_t j = 0; x && j < n; j++) x[j] = (double)(-h * g[j].v);
    for (int k = 0; k < m->p->count; k++) m->at[k] = k == i ? x : m->zero;
    const num *next = x ? gradient(m, m->at, i) : NULL, *Ag = next ? image(m, i, false, g) : NULL;
    if (!Ag) return false;
    for (ptrdiff_t j = 0; j < n; j++) along += g[j].v * next[j].v;
    const real bend = norm * norm - along, t = h * norm * norm / bend;
    m->r->constraint += length(rows(m->p), Ag) * (bend > 0 ? (t < 2 * h ? t : 2 * h) : h);
    return true;
}

static bool find_forces(const maker *m, bool homogeneous)
{
    const crease_problem *p = m->p;
    for (int i = 0; i < p->count; i++) {
        void *mark = m->v->rooms;
        const num *g = gradient(m, (const double *const *)m->alone, i);
        if (!g) return false;
        m->r->own[i] = length(crease_size(&p->space[i]), g);
        const num *lambda = constrained(p, i) ? force_of(m, i, g) : NULL;
        if (constrained(p, i) && !lambda) return false;
        if (lambda) m->force[i] = length(rows(p), lambda);
        if (lambda && homogeneous && !add_reach(m, i, g)) return false;
        crs_rooms_release(m->v, mark);
    }
    return true;
}

/* The sum of lambda_i/|lambda_i| of those that are not 0 but for rounding, and the same with
 * alternating signs */
static bool add_forces(const maker *m, num *sum, num *alternating, real *least)
{
    real most = 0, sign = 1;
    for (int i = 0; i < m->p->count; i++) most = bigger(most, m->force[i]);
    for (int i = 0; i < m->p->count; i++) {
        void *mark = m->v->rooms;
        if (!(m->force[i] > 1e-10L * most)) continue;
        const num *g = gradient(m, (const double *const *)m->alone, i);
        const num *lambda = g ? force_of(m, i, g) : NULL;
        if (!lambda) return false;
        for (ptrdiff_t j = 0; j < rows(m->p); j++) {
            sum[j].v += lambda[j].v / m->force[i];
            alternating[j].v += sign * lambda[j].v / m->force[i];
        }
        if (!(*least <= m->force[i])) *least = m->force[i];
        sign = -sign;
        crs_rooms_release(m->v, mark);
    }
    return true;
}

static bool find_pulls(const maker *m)
{
    num *sum = crs_nums(m->v, rows(m->p)), *alternating = crs_nums(m->v, rows(m->p));
    real least = INFINITY;
    if (!sum || !alternating || !add_forces(m, sum, alternating, &least)) return false;
    for (int i = 0; i < m->p->count && least < INFINITY; i++) {
        void *mark = m->v->rooms;
        const ptrdiff_t n = crease_size(&m->p->space[i]);
        if (!constrained(m->p, i)) continue;
        const num *a = image(m, i, true, sum), *b = a ? image(m, i, true, alternating) : NULL;
        if (!b) return false;
        m->r->own[i] += least * bigger(length(n, a), length(n, b));
        crs_rooms_release(m->v, mark);
    }
    return true;
}

static bool make(const maker *m)
{
    int carriers = 0;
    if (!carry(m, &carriers)) return false;
    if (!find_objective(m, carriers)) return false;
    for (int i = 0; i < m->p->count; i++)
        for (ptrdiff_t j = 0, n = crease_size(&m->p->space[i]); j < n && carriers > 1; j++)
            m->alone[i][j] *= 1.0 / carriers;
    return find_forces(m, carriers == 0) && (m->p->range.order == 0 || find_pulls(m));
}

bool crs_find_reference(crs_verifier *v, crs_reference *r)
{
    const crease_problem *p = v->p;
    const bool doubled = v->doubled;
    const real blur = v->blur;
    ptrdiff_t most = 0;
    *r = (crs_reference){ .size = crs_reals(v, p->count) };
    r->own = crs_reals(v, p->count);
    void *mark = v->rooms;
    maker m = { v, p, r, crs_room(v, p->count, sizeof *m.alone), NULL, NULL, NULL };
    m.at = crs_room(v, p->count, sizeof *m.at);
    m.force = crs_reals(v, p->count);
    for (int i = 0; i < p->count && !v->no_memory; i++) {
        const ptrdiff_t n = crease_size(&p->space[i]);
        m.alone[i] = crs_room(v, n, sizeof(double));
        if (n > most) most = n;
    }
    m.zero = crs_room(v, most, sizeof(double));
    if (v->no_memory || !make(&m)) return false;
    v->doubled = doubled, v->blur = blur; /* of the scales, not of the residuals */
    crs_rooms_release(v, mark);
    return true;
}
