/* SPDX-License-Identifier: MIT
 * tucker_begin: the robust fit as the start of every block
 *
 * With M the low-rank part, E = prox(T - M) and s = W o (T - E - M) the fit's point is
 *     Z = M + c s,  B = s/(1 + alpha_N),  Lambda = 2 alpha_N W o B.
 * The form with a ball has the same stationary points when eta = |B|. */
#include "reg/reg.h"
#include "rpca/tucker/tucker_rpca.h"

static crs_tucker_settings settings_of(const crease_tucker_rpca *m)
{
    const crease_tucker_rpca_settings *s = &m->facts.used;
    crs_tucker_settings c = { .shape = s->shape,
                              .ranks = s->ranks,
                              .face = { .penalty = m->penalty.penalty, .alpha = s->alpha },
                              .learn = s->alpha > 0 ? 0 : s->learn,
                              .alpha_noise = s->alpha_noise,
                              .mask = m->mask,
                              .threads = s->threads,
                              .eps = s->eps,
                              .seed = s->seed };
    copy(CREASE_PARS, m->penalty.par, c.face.par);
    return c;
}

static void keep_facts(crease_tucker_rpca *m, const crs_tucker_fit *fit)
{
    const crs_tucker_statistics *at = crs_tucker_fit_statistics(fit);
    const crs_envelope_face face = crs_tucker_fit_goal(fit);
    m->facts.passes = at->passes;
    m->facts.residual = at->residual;
    m->facts.deviation = at->scale;
    m->facts.threshold =
        crs_envelope_threshold(&face, m->facts.used.alpha_noise / (1 + m->facts.used.alpha_noise));
    m->facts.used.alpha = face.alpha;
    m->penalty = crease_separable(face.penalty, face.par);
}

static void read_part(crs_tucker_fit *fit, crs_cp_part part, ptrdiff_t left, double *out)
{
    crs_envelope_read(crs_tucker_fit_pass(fit), part, 0, left, out);
}

static void open_parts(crease_tucker_rpca *m, crs_tucker_fit *fit, const crs_envelope_face *face,
                       const double *factor[2])
{
    const int last = m->facts.used.shape.order - 1;
    factor[0] = crs_tucker_fit_front(fit);
    factor[1] = crs_tucker_fit_factor(fit, last);
    crs_envelope_open(crs_tucker_fit_pass(fit), m->facts.used.ranks.dim[last], factor, face);
}

static void take_tucker(crease_tucker_rpca *m, crs_tucker_fit *fit, ptrdiff_t left)
{
    const int d = m->facts.used.shape.order;
    for (int n = 0; n < d; n++)
        copy(crease_size(&m->space[n]), crs_tucker_fit_factor(fit, n), m->x[n]);
    copy(crease_size(&m->space[d]), crs_tucker_fit_core(fit), m->x[d]);
    read_part(fit, CRS_CP_E, left, m->x[d + 1]);
    read_part(fit, CRS_CP_Z, left, m->x[d + 2]);
    read_part(fit, CRS_CP_B, left, m->x[d + 3]);
    read_part(fit, CRS_CP_LAMBDA, left, m->lambda);
}

/* X = X_1 U S^(1/2), Y = X_2 V S^(1/2), where C = U S V' */
static bool split(crease_tucker_rpca *m, const crs_tucker_fit *fit, double *work)
{
    const crease_space *s = &m->facts.used.shape;
    const ptrdiff_t r = m->facts.used.ranks.dim[0];
    double *u = work, *sigma = u + r * r, *vt = sigma + r, *rest = vt + r * r;
    if (!crs_svd(r, r, crs_tucker_fit_core(fit), u, sigma, vt, rest)) return false;
    for (ptrdiff_t i = 0; i < r; i++)
        for (ptrdiff_t k = 0; k < r; k++) {
            u[i * r + k] *= sqrt(sigma[k]);
            vt[k * r + i] *= sqrt(sigma[k]);
        }
    crs_gemm(false, false, s->dim[0], r, r, 1, crs_tucker_fit_factor(fit, 0), u, 0, m->x[0]);
    crs_gemm(false, true, s->dim[1], r, r, 1, crs_tucker_fit_factor(fit, 1), vt, 0, m->x[1]);
    return true;
}

/* B is what of the fit's lies in the ball; Z = T - E - B. */
static bool take_ball(crease_tucker_rpca *m, crs_tucker_fit *fit, ptrdiff_t left, crease_error *e)
{
    const ptrdiff_t r = m->facts.used.ranks.dim[0], size = crease_size(&m->facts.used.shape);
    double *work = crs_doubles(2 * r * r + r + crs_svd_scratch(r, r), "a start", e);
    if (!work) return false;
    const bool done = split(m, fit, work);
    crs_free(work);
    if (!done)
        return crs_fail(e, CREASE_NUMERICAL_FAILURE,
                        "the singular values of the start did not converge; rescale the matrix");
    double *E = m->x[2], *B = m->x[3], *Z = m->x[4];
    read_part(fit, CRS_CP_E, left, E);
    read_part(fit, CRS_CP_B, left, B);
    read_part(fit, CRS_CP_LAMBDA, left, m->lambda);
    if (m->facts.used.eta == 0) m->facts.used.eta = crs_norm(size, B);
    crs_into_ball(size, m->facts.used.eta, B, B);
    for (ptrdiff_t j = 0; j < size; j++) Z[j] = m->tensor[j] - E[j] - B[j];
    return true;
}

bool crs_tucker_begin(crease_tucker_rpca *m, crease_error *e)
{
    const crs_tucker_settings c = settings_of(m);
    const ptrdiff_t left =
        crease_size(&c.shape) / c.shape.dim[c.shape.order - 1]; /* rows of the tensor */
    const double *factor[2];
    crs_tucker_fit *fit = crs_tucker_fit_new(&c, m->tensor, e);
    if (!fit) return false;
    for (long k = 0; k < m->facts.used.passes && !crs_tucker_fit_step(fit); k++) continue;
    keep_facts(m, fit);
    const crs_envelope_face face = crs_tucker_fit_goal(fit);
    open_parts(m, fit, &face, factor);
    bool done = true;
    if (m->facts.used.form == CREASE_RPCA_TUCKER)
        take_tucker(m, fit, left);
    else
        done = take_ball(m, fit, left, e);
    crs_tucker_fit_free(fit);
    return done;
}
