/* SPDX-License-Identifier: MIT
 * gcg_theorem_2_5: the generalized conditional gradient method on compact sets, r convex
 *
 * Phi(x) - Phi(x+) >= alpha Dl - (rho/2) alpha^p |d|_p^p >= (Dl/2) min{1, (Dl/(D^p rho))^{1/(p-1)}}
 * with Dl = -psi_S(x); concave f: >= Dl. Then K = ceil(2 (Phi - Phi*)/(eps min{1, ...})). */
#include "certify/certify.h"
#include "follow.h"

typedef enum { LIPSCHITZ, HOELDER, CONCAVE } smoothness;

static bool convex(const crease_reg *r, const crease_space *s)
{
    crease_reg_traits t;
    r->ops->traits(r, s, INFINITY, &t);
    return t.convex;
}

static void draw_block(random_problem *q, int i, ptrdiff_t n)
{
    crease_block *b = &q->block[i];
    q->space[i] = crease_vector(n);
    normals(&q->d, ENTRIES, 1, q->start[i]);
    *b = (crease_block){ .start = q->start[i], .set = &q->set[i] };
    do {
        b->reg = chance(&q->d, 0.3) ? crease_zero() : random_reg(&q->d);
        q->set[i] = random_set(&q->d);
    } while (!convex(&b->reg, &q->space[i]) ||
             !crease_lmo_with_check(b->set, &b->reg, &q->space[i], NULL));
}

static void draw_gcg(random_problem *q, uint64_t seed, smoothness kind, ptrdiff_t most)
{
    const bool all[MOST] = { true, true, true, true, true, true };
    *q = (random_problem){ .d = { .r = { .seed = seed, .stream = 8 } } };
    q->p = (crease_problem){ .count = 1 + below(&q->d, 4), .space = q->space, .block = q->block };
    for (int i = 0; i < q->p.count; i++)
        draw_block(q, i, most == 2 ? 2 : 2 + below(&q->d, (int)most - 1));
    if (kind == CONCAVE) {
        add_quadratic(q, 0, all, 0.2, -4);
    } else {
        add_loss(q, 0, all);
        if (kind == LIPSCHITZ && chance(&q->d, 0.5)) add_quadratic(q, 0, all, 0.5, 0);
    }
    if (kind == HOELDER) {
        for (int j = 0; j < ENTRIES; j++) q->target[0][j] = normal(&q->d);
        q->term[0] = crease_lp_loss(&q->loss[0], uniform(&q->d, 1.2, 1.9));
    }
    const double scale = chance(&q->d, 0.1) ? 1e-3 : 1; /* a tiny rho */
    for (int i = 0; i < q->p.count; i++)
        for (int j = 0; j < ENTRIES * ENTRIES; j++) q->weight[0][i][j] *= scale;
    q->sum.term = q->term;
    q->p.f = q->sum.count > 1 ? crease_smooth_sum(&q->sum) : q->term[0];
}

/* f + sum r_i at x */
static double phi(const crease_solver *s, double *const *x)
{
    return crs_f(s->p, points(x), s->st.work) + crs_regs(s->p, points(x), s->st.work);
}

/* Dl at x for the point y, from the definition. */
static double gap_to(const crease_problem *p, const double *const *x, const double *const *y)
{
    double sum = 0, g[ENTRIES], work[512];
    for (int i = 0; i < p->count; i++) {
        const crease_reg *r = &p->block[i].reg;
        crs_grad(p, x, i, g, work);
        for (ptrdiff_t j = 0; j < crease_size(&p->space[i]); j++) sum += g[j] * (x[i][j] - y[i][j]);
        sum +=
            r->ops->value(r, &p->space[i], x[i], work) - r->ops->value(r, &p->space[i], y[i], work);
    }
    return sum;
}

static double length(const crease_solver *s, double p)
{
    double sum = 0;
    for (int i = 0; i < s->p->count; i++)
        for (ptrdiff_t j = 0; j < crs_size(s, i); j++) sum += pow(fabs(s->st.to[i][j]), p);
    return sum;
}

/* What the theorem promises of a step with gap Dl; in theory mode the step itself too. */
static void check_step(const crease_solver *s, figures *n)
{
    const crease_analysis *a = s->a;
    double y[MOST][ENTRIES], *at[MOST];
    for (int i = 0; i < s->p->count; i++) {
        for (ptrdiff_t j = 0; j < crs_size(s, i); j++) y[i][j] = s->st.was[i][j] + s->st.to[i][j];
        at[i] = y[i];
    }
    const double gap = gap_to(s->p, points(s->st.was), points(at)), before = phi(s, s->st.was);
    const double now = phi(s, s->st.x), size = 1 + fabs(before) + fabs(now) + fabs(gap);
    const double rho = a->backtrack_rho ? 2 * a->rho : a->rho, p = a->p;
    const double share = pow(smaller(1, gap / (pow(a->diameter_p, p) * rho)), 1 / (p - 1));
    const double promised = a->concave ? gap : gap / 2 * share;
    assert_true(fabs(gap - s->st.gap) <= 0x1p-40 * size);
    if (!(gap > 0x1p-40 * size)) return;
    n->rise = larger(n->rise, (now - before + promised) / size);
    n->low = larger(n->low, (a->lower - now) / size);
    if (promised > 0x1p-30 * size) n->tight = larger(n->tight, promised / (before - now));
    if (a->concave || a->backtrack_rho) return;
    const double d = length(s, p);
    const double alpha = pow(smaller(1, 2 * gap / (p * rho * d)), 1 / (p - 1));
    const double model = alpha * gap - rho / 2 * pow(alpha, p) * d;
    n->rise = larger(n->rise, (now - before + model) / size);
    for (int i = 0; i < s->p->count; i++)
        for (ptrdiff_t j = 0; j < crs_size(s, i); j++)
            assert_close(s->st.x[i][j], s->st.was[i][j] + alpha * s->st.to[i][j], 0x1p-40);
}

static void follow_gcg(const random_problem *q, const crease_options *o, double share, figures *n)
{
    crease_error e = { 0 };
    crease_solver *s = crease_solver_new(&q->p, o, &e);
    if (!s) fail_msg("refused: %s", e.text);
    crs_certify_gap(s->p, points(s->st.x), &s->now, s->certify_work);
    s->o.eps = share * s->now.worst;
    while (crease_step(s) == CREASE_NOT_RUN || s->report.outcome == CREASE_STATIONARY) {
        if (s->report.iterations > 0) check_step(s, n), n->iterations++;
        if (s->report.outcome != CREASE_NOT_RUN) break;
    }
    n->problems++;
    if (s->report.outcome == CREASE_STATIONARY) {
        n->reached++;
        n->share = larger(n->share, (double)s->report.iterations / (s->report.bound + 2));
    }
    crease_solver_free(s);
}

static void run(const char *name, smoothness kind, crease_mode mode, double share)
{
    const crease_options o = plain(CREASE_METHOD_GCG, mode, 200);
    figures n = { 0 };
    random_problem q;
    for (uint64_t k = 0; k < 1000 / SLOWDOWN; k++) {
        draw_gcg(&q, k, kind, 5);
        follow_gcg(&q, &o, share, &n);
    }
    report(name, &n);
    assert_held(&n);
}

static void lipschitz(void **state)
{
    (void)state;
    run("p = 2, theory", LIPSCHITZ, CREASE_MODE_THEORY, 0.05);
    run("p = 2, practical", LIPSCHITZ, CREASE_MODE_PRACTICAL, 0.05);
}

static void hoelder(void **state)
{
    (void)state;
    run("1 < p < 2, theory", HOELDER, CREASE_MODE_THEORY, 0.1);
    run("1 < p < 2, practical", HOELDER, CREASE_MODE_PRACTICAL, 0.1);
}

static void concave(void **state)
{
    (void)state;
    run("concave, theory", CONCAVE, CREASE_MODE_THEORY, 0.01);
    run("concave, practical", CONCAVE, CREASE_MODE_PRACTICAL, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lipschitz),
        cmocka_unit_test(hoelder),
        cmocka_unit_test(concave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
