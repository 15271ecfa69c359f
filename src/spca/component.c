/* SPDX-License-Identifier: MIT
 * component: every start solved, the best point kept, checked independently, and taken off T:
 * T <- T - sigma u_1 o ... o u_d, u_i = x_i/|x_i|, sigma = T(u_1, ..., u_d), after which T is
 * orthogonal to the term */
#include "spca/spca.h"
#include "tensor/tensor.h"

/* T(i_1, ..) -= sigma u_1(i_1) ..., one index after the other */
static void subtract(const crease_space *s, double sigma, double *const *u, double *tensor)
{
    const ptrdiff_t last = s->dim[s->order - 1], rows = crease_size(s) / last;
    for (ptrdiff_t row = 0; row < rows; row++) {
        double product = sigma;
        ptrdiff_t rest = row;
        for (int n = s->order - 2; n >= 0 && product != 0; n--) {
            product *= u[n][rest % s->dim[n]];
            rest /= s->dim[n];
        }
        if (product != 0) axpy(last, -product, u[s->order - 1], tensor + row * last);
    }
}

/* The unit vectors of x into m->unit; sigma is 0, and T stays, when an x_i is 0. */
static double deflate(crease_spca *m, double *const *x, double *length)
{
    const crease_space *s = &m->s.shape;
    bool zero = false;
    for (int n = 0; n < s->order; n++) {
        length[n] = crs_norm(s->dim[n], x[n]);
        zero = zero || length[n] == 0;
        for (ptrdiff_t j = 0; j < s->dim[n]; j++)
            m->unit[n][j] = length[n] > 0 ? x[n][j] / length[n] : 0;
    }
    if (zero) return 0;
    crs_spca_slope(m, m->unit, 0);
    const double sigma = crs_dot(s->dim[0], m->t, m->unit[0]);
    subtract(s, sigma, m->unit, m->tensor);
    m->norm = crs_norm(crease_size(s), m->tensor);
    return sigma;
}

/* What is known of the kept point while others are tried. */
typedef struct {
    double objective;
    bool certified;
    crease_outcome outcome;
    int start;
} kept;

static bool is_better(const kept *old, const kept *now)
{
    if (now->certified != old->certified) return now->certified;
    return now->objective < old->objective;
}

/* x_i <- argmin <c_i, y> + r_i(y) over the ball, block after block: it does not raise the
 * objective. The iterates of gcg are averages of such points; after a sweep their zeros are exact.
 */
static bool sweep(crease_spca *m, crease_error *e)
{
    for (int n = 0; n < m->s.shape.order; n++) {
        const ptrdiff_t length = m->s.shape.dim[n];
        const ptrdiff_t room = crease_lmo_with_scratch(&m->ball, &m->block[n].reg, &m->space[n]);
        double *work = crs_doubles(room + 1, "a sweep", e);
        if (!work) return false;
        crs_spca_slope(m, m->unit, n);
        for (ptrdiff_t j = 0; j < length; j++) m->t[j] = -m->t[j];
        crease_lmo_with(&m->ball, &m->block[n].reg, &m->space[n], m->t, m->unit[n], work);
        crs_free(work);
    }
    return true;
}

static bool judge(const crease_spca *m, double *const *x, const crease_options *o,
                  crease_verification *v, crease_error *e)
{
    return crease_verify(&m->problem, (const double *const *)x, NULL, NULL,
                         o->method == CREASE_METHOD_GCG, o->eps, o->relative != 0, v, e);
}

static bool has_oracles(const crease_spca *m)
{
    for (int n = 0; n < m->s.shape.order; n++)
        if (!crease_lmo_with_check(&m->ball, &m->block[n].reg, &m->space[n], NULL)) return false;
    return true;
}

/* m->best after a sweep, where that is as low, and VALID. */
static bool polish(crease_spca *m, const crease_options *o, crease_error *e)
{
    crease_verification v = { .count = 0 };
    double before, after;
    if (!has_oracles(m)) return true;
    for (int n = 0; n < m->s.shape.order; n++) copy(m->s.shape.dim[n], m->best[n], m->unit[n]);
    if (!sweep(m, e) ||
        !crease_objective(&m->problem, (const double *const *)m->best, &before, e) ||
        !crease_objective(&m->problem, (const double *const *)m->unit, &after, e) ||
        !judge(m, m->unit, o, &v, e))
        return false;
    if (v.verdict == CREASE_VERDICT_VALID && after <= before + 1e-14 * m->norm)
        for (int n = 0; n < m->s.shape.order; n++) copy(m->s.shape.dim[n], m->unit[n], m->best[n]);
    crease_verification_free(&v);
    return true;
}

void crease_spca_stop(crease_spca *m) { atomic_store(&m->stop, true); }

static bool goes_on(const crease_progress *p, void *user)
{
    crease_spca *m = user;
    return (void)p, !atomic_load(&m->stop);
}

static bool run_start(crease_spca *m, int k, crease_options o, kept *best, crease_spca_component *c,
                      crease_error *e)
{
    if (!crease_spca_start(m, k, e)) return false;
    if (o.h == 0 && o.method == CREASE_METHOD_PROX_BCD && o.mode == CREASE_MODE_PRACTICAL)
        o.h = m->sigma > 0 ? 0.1 * m->sigma : 0;
    crease_solver *s = crease_solver_new(&m->problem, &o, e);
    if (!s) return false;
    crease_solver_callback(s, goes_on, m);
    const crease_outcome how = crease_solve(s);
    const crease_report r = crease_solver_report(s);
    const crease_analysis *a = crease_solver_analysis(s);
    const kept now = { crease_solver_certificate(s)->objective, how == CREASE_STATIONARY, how, k };
    m->objective[k] = now.objective;
    c->iterations += r.iterations;
    c->seconds += r.seconds;
    c->theorem = a->guarantee ? a->theorem : NULL;
    if (k == 0 || is_better(best, &now)) {
        *best = now;
        for (int n = 0; n < m->s.shape.order; n++)
            copy(m->s.shape.dim[n], crease_solution(s, n), m->best[n]);
    }
    crease_solver_free(s);
    return true;
}

static bool check_method(crease_options *o, crease_error *e)
{
    if (o->method == CREASE_METHOD_AUTO) o->method = CREASE_METHOD_PROX_BCD;
    return o->method == CREASE_METHOD_PROX_BCD || o->method == CREASE_METHOD_GCG ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "%s does not suit sparse PCA, which has no constraint; use prox-bcd or gcg",
                    crease_method_name(o->method));
}

static bool finish(crease_spca *m, const crease_options *o, crease_spca_component *c,
                   crease_error *e)
{
    crease_verification v = { .count = 0 };
    if (!polish(m, o, e)) return false;
    if (!crease_objective(&m->problem, (const double *const *)m->best, &c->objective, e) ||
        !judge(m, m->best, o, &v, e))
        return false;
    c->verdict = v.verdict;
    c->smallest_eps = v.smallest_eps;
    crease_verification_free(&v);
    c->sigma = deflate(m, m->best, c->length);
    c->zero = c->sigma == 0;
    const double close = 1e-4 * larger(fabs(c->objective), fabs(c->sigma));
    for (int k = 0; k < c->starts; k++) c->agree += fabs(m->objective[k] - c->objective) <= close;
    c->norm = m->norm;
    for (int n = 0; n < m->s.shape.order; n++) c->x[n] = m->best[n];
    return true;
}

bool crease_spca_next(crease_spca *m, const crease_options *options, crease_spca_component *c,
                      crease_error *e)
{
    crease_options o = crease_spca_options(m);
    kept best = { .start = -1 };
    o.h = 0;
    *c = (crease_spca_component){ .starts = 0 };
    if (!crs_settings_take("options", &o, sizeof o, options, e) || !crease_options_check(&o, e) ||
        !check_method(&o, e))
        return false;
    const double limit = o.max_seconds;
    for (int k = 0; k < (m->norm > 0 ? m->s.starts : 1); k++) {
        o.max_seconds = pos(limit - c->seconds);
        if (k > 0 && (o.max_seconds == 0 || atomic_load(&m->stop))) break;
        if (!run_start(m, k, o, &best, c, e)) return false;
        c->starts = k + 1;
    }
    c->alpha = m->alpha, c->method = o.method, c->eps = o.eps;
    c->outcome = best.outcome, c->start = best.start;
    return finish(m, &o, c, e);
}
