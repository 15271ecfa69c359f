/* SPDX-License-Identifier: MIT
 * trial: a fit to an instance whose truth is known */
#include "study/trial.h"

#include "core/core.h"
#include "reg/reg.h"

static const double LEARN = 3, EPS = 1e-6;

crease_cp_fit_settings crs_trial_settings(const crease_space *shape, ptrdiff_t rank)
{
    crease_cp_fit_settings s = crease_cp_fit_default(shape, rank);
    s.threads = 1;
    s.learn = LEARN;
    s.run.eps = EPS;
    return s;
}

static bool read_part(void *fit, crease_cp_part part, ptrdiff_t row, double *out)
{
    crease_cp_fit_read(fit, part, row, 1, out);
    return true;
}

static bool verify(crease_cp_fit *f, bool *valid, crease_error *e)
{
    const crease_cp_fit_settings s = crease_cp_fit_used(f);
    const double *factor[CREASE_MAX_ORDER];
    crease_verification v;
    for (int n = 0; n < s.model.shape.order; n++) factor[n] = crease_cp_fit_factor(f, n);
    crease_cp_claim claim = { .shape = s.model.shape,
                              .rank = s.model.rank,
                              .penalty = s.model.penalty,
                              .alpha = s.model.alpha,
                              .alpha_noise = s.model.alpha_noise,
                              .ridge = s.model.ridge,
                              .factor = factor,
                              .read = read_part,
                              .user = f };
    crease_cp_fit_rows(f, &claim.left, &claim.right);
    if (!crease_cp_verify(&claim, EPS, true, &v, e)) return false;
    *valid = v.verdict == CREASE_VERDICT_VALID;
    crease_verification_free(&v);
    return true;
}

/* sum phi(T - truth), phi(r) = min_e c(r - e)^2 + alpha rho(e) */
static double truth_objective(const crease_cp_rpca_settings *m, const crease_cp_instance *c)
{
    const double share = crs_noise_share(m->alpha_noise);
    const crs_penalty_value rho = crs_penalty_of(m->penalty.penalty, m->penalty.par, m->alpha);
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(&m->shape); j < n; j++) {
        const double r = c->tensor[j] - c->lowrank[j];
        const double y = crs_scalar_prox(&rho, 1 / (2 * share), r);
        sum += share * square(r - y) + (y == 0 ? 0 : crs_scalar_value(&rho, y));
    }
    return sum;
}

static bool judge(crease_cp_fit *f, const crease_cp_instance *c, double *work, crs_trial *out,
                  crease_error *e)
{
    const crease_cp_fit_settings s = crease_cp_fit_used(f);
    const crease_cp_pilot pilot = crease_cp_fit_pilot(f);
    ptrdiff_t left, right;
    crease_cp_fit_rows(f, &left, &right);
    crease_cp_fit_read(f, CREASE_CP_LOWRANK, 0, left, work);
    out->error = crease_relative_error(left * right, work, c->lowrank);
    out->success = out->error < 0.01 || out->error < 1.5 * out->oracle;
    out->readings = crease_cp_fit_readings(f);
    out->iterations = crease_cp_fit_report(f).iterations + pilot.passes;
    out->starts = pilot.starts;
    out->certified = crease_cp_fit_report(f).outcome == CREASE_STATIONARY;
    out->rank = s.model.rank;
    out->alpha = s.model.alpha * (s.model.penalty.penalty == &crs_l1 ? s.model.penalty.par[0] : 1);
    out->objective = crease_cp_fit_certificate(f)->objective;
    out->objective_truth = truth_objective(&s.model, c);
    return verify(f, &out->valid, e);
}

bool crs_trial_run(const crease_cp_fit_settings *s, const crease_cp_instance *c, double oracle,
                   crs_trial *out, crease_error *e)
{
    const ptrdiff_t n = crease_size(&s->model.shape);
    double *work = crs_doubles(n, "a tensor", e);
    *out = (crs_trial){ .oracle = oracle };
    if (!work) return false;
    copy(n, c->tensor, work);
    const double begun = crs_now();
    crease_cp_fit *f = crease_cp_fit_new(s, work, e);
    double *other = f ? crs_doubles(n, "a tensor", e) : NULL;
    if (other) crease_cp_fit_run(f);
    out->seconds = crs_now() - begun;
    const bool done = other && judge(f, c, other, out, e);
    crease_cp_fit_free(f);
    crs_free(other);
    crs_free(work);
    return done;
}
