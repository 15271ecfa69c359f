/* SPDX-License-Identifier: MIT
 * cp_fit_settings: which engine runs a model, and with what */
#include "core/parallel.h"
#include "rpca/cp_fit.h"
#include "rpca/fused/fused.h"

crease_cp_fit_settings crease_cp_fit_default(const crease_space *shape, ptrdiff_t rank)
{
    crease_cp_fit_settings s = { .model = crease_cp_rpca_default(shape, rank),
                                 .run = crease_options_default() };
    s.run.relative = 1;
    return s;
}

bool crs_cp_fit_scalar(const crease_cp_rpca_settings *m)
{
    return !m->penalty.ops || (m->penalty.ops == &crs_separable_ops && !m->penalty.weight);
}

/* Without a word to the contrary practical mode eliminates all but the factors. */
const crs_cp_engine *crs_cp_fit_engine_for(const crease_cp_fit_settings *s)
{
    const bool scalar = crs_cp_fit_scalar(&s->model);
    if (s->run.method == CREASE_METHOD_ENVELOPE ||
        (s->run.method == CREASE_METHOD_AUTO && s->run.mode == CREASE_MODE_PRACTICAL && scalar &&
         !s->single))
        return &crs_cp_envelope_engine;
    return scalar && !s->model.nonneg ? &crs_cp_fused_engine : &crs_cp_generic_engine;
}

int crs_cp_fit_threads(const crease_cp_fit_settings *s)
{
    return crs_useful_threads(s->threads, crease_size(&s->model.shape));
}

/* c(r - e)^2 + alpha rho(e) is strongly convex in e, so that E is stationary only at the prox. */
bool crs_cp_fit_closed(const crease_cp_rpca_settings *m)
{
    const double c = m->alpha_noise / (1 + m->alpha_noise);
    return crs_cp_fit_scalar(m) &&
           m->alpha * m->penalty.penalty->weak_convexity(m->penalty.par) < 2 * c;
}

static bool check_run(const crease_cp_fit_settings *s, crease_error *e)
{
    const crease_method m = s->run.method;
    if (!crease_options_check(&s->run, e)) return false;
    if (m == CREASE_METHOD_GCG || m == CREASE_METHOD_EXTENSION)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "--method %s does not suit this model; use auto, envelope, admm-g, admm-m, "
                        "prox-bcd or bcd",
                        crease_method_name(m));
    if (m == CREASE_METHOD_ENVELOPE &&
        (!crs_cp_fit_scalar(&s->model) || s->run.mode != CREASE_MODE_PRACTICAL))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the envelope method is for practical mode and penalties by entries, all "
                        "weighed alike; use admm-g, admm-m or prox-bcd");
    if (!(s->learn >= 0 && s->learn < INFINITY) || s->starts < 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "learn = %g and starts = %d: give numbers >= 0",
                        s->learn, s->starts);
    if (s->threads < 0 || s->threads > CRS_CP_MOST_THREADS)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%d threads; give 1 to %d, or 0 for all there are",
                        s->threads, CRS_CP_MOST_THREADS);
    if (s->starts > 1 && crs_cp_fit_engine_for(s) != &crs_cp_envelope_engine)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%d starts: only the envelope method compares several; use it, or give 1",
                        s->starts);
    return !s->single || crs_cp_fit_engine_for(s) == &crs_cp_fused_engine ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "single precision is for admm-g, admm-m, prox-bcd and bcd (the envelope stores "
                    "no tensor), a penalty by entries, all weighed alike, and factors of any sign; "
                    "use double");
}

/* The recipe of section 5: beta = 4 or 5, delta = 2, theta_k < 1e-6 or 2000 iterations, random
 * factors and Z = 1. */
static void paper(crease_cp_fit_settings *s)
{
    const crease_options usual = crease_options_default();
    if (s->run.mode != CREASE_MODE_PAPER) return;
    if (s->run.method == CREASE_METHOD_AUTO) s->run.method = CREASE_METHOD_ADMM_G;
    s->run.accelerate = 0;
    if (s->run.theta == 0) s->run.theta = 1e-6;
    if (s->run.max_iterations == usual.max_iterations) s->run.max_iterations = 2000;
    s->model.z = CREASE_Z_ONES;
    if (s->model.start == CREASE_START_AUTO) s->model.start = CREASE_START_RANDOM;
}

bool crs_cp_fit_settle(crease_cp_fit *f, crease_error *e)
{
    crease_cp_fit_settings *s = &f->s;
    const crease_method m = s->run.method;
    if (!check_run(s, e)) return false;
    paper(s);
    s->model.unconstrained = m == CREASE_METHOD_BCD || m == CREASE_METHOD_PROX_BCD;
    if (!crs_cp_settings_check(&s->model, e)) return false;
    crs_cp_fill_defaults(&s->model);
    s->threads = crs_cp_fit_threads(s);
    f->engine = crs_cp_fit_engine_for(s);
    f->closed = f->engine == &crs_cp_envelope_engine || crs_cp_fit_closed(&s->model);
    return true;
}

void crs_cp_fit_point(const crease_cp_fit_settings *s, const double *tensor,
                      const unsigned char *mask, crs_cp_point *p)
{
    enum { PRODUCT = 200000 }; /* a panel's product: not enough for BLAS to start threads */
    const crease_cp_rpca_settings *m = &s->model;
    *p = (crs_cp_point){ .k = { .shape = m->shape, .rank = m->rank },
                         .grid = crs_slabs_of(&m->shape),
                         .tensor = tensor,
                         .mask = mask,
                         .alpha_noise = m->alpha_noise,
                         .nu = m->ridge,
                         .nonneg = m->nonneg };
    p->grid.rows = more(1, fewer(p->grid.rows, PRODUCT / p->grid.right / m->rank));
    if (!crs_cp_fit_scalar(m)) return;
    p->rho = (crs_scalar){ m->penalty.penalty, m->penalty.par, m->alpha };
    p->dead = crs_dead_zone(&p->rho, 1 / (2 * noise_share(p)));
    p->steep = crs_scalar_slope_after(&p->rho, 0);
}
