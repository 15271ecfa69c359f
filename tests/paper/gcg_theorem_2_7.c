/* SPDX-License-Identifier: MIT
 * gcg_theorem_2_7: the generalized conditional gradient method on compact sets, r convex
 *
 * Phi(x) - Phi(x+) >= alpha Dl - (rho/2) alpha^p |d|_p^p >= (Dl/2) min{1, (Dl/(D^p rho))^{1/(p-1)}}
 * with Dl = -psi_S(x); concave f: >= Dl. Then K = ceil(2 (Phi - Phi*)/(eps min{1, ...})). */
#include "certify/certify.h"
#include "paper/follow.h"
#include "paper/gcg_problem.h"

/* f + sum r_i at x */
static double phi(const crease_solver *s, double *const *x)
{
    return crs_f(s->p, points(x), s->st.work) + crs_regs(s->p, points(x), s->st.work);
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
    crs_certify_gap(s->p, points(s->st.x), &s->run.now, s->certify_work);
    s->run.o.eps = share * s->run.now.worst;
    while (crease_step(s) == CREASE_NOT_RUN || s->run.report.outcome == CREASE_STATIONARY) {
        if (s->run.report.iterations > 0) check_step(s, n), n->iterations++;
        if (s->run.report.outcome != CREASE_NOT_RUN) break;
    }
    n->problems++;
    if (s->run.report.outcome == CREASE_STATIONARY) {
        n->reached++;
        n->share = larger(n->share, (double)s->run.report.iterations / (s->run.report.bound + 2));
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
