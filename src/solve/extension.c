/* SPDX-License-Identifier: MIT
 * extend: the slack block of the extension: its start, and a new mu when it stalls */
#include "solve/solver.h"

/* y = b - sum A_i x_i, lambda = mu (y - center): the slack takes up the whole residual. */
void crs_restart_extension(crease_solver *s)
{
    const int N = s->p->count - 1;
    const ptrdiff_t m = crease_size(&s->p->range);
    fill(m, 0, s->st.x[N]);
    crs_constraint(s->p, points(s->st.x), s->st.s, s->st.work);
    for (ptrdiff_t j = 0; j < m; j++) {
        s->st.x[N][j] = -s->st.s[j];
        s->st.lambda[j] = s->extension->mu * (s->st.x[N][j] - s->extension->center[j]);
        s->st.s[j] = 0;
    }
}

/* The slack of the extension stalls at |lambda - lambda^0|/mu, lambda^0 the multiplier it is
 * centred on. Then a new run begins here: about lambda, with a larger mu where that did not help;
 * outside practical mode about 0 still, with the mu that makes |lambda|/mu small enough. */
void crs_adapt_extension(crease_solver *s)
{
    double blocks = 0;
    const ptrdiff_t m = crease_size(&s->p->range);
    for (int i = 0; i < s->given->count; i++)
        blocks = larger(blocks, crs_rated(s, &s->run.now.block[i]));
    const double feasibility = s->run.now.feasibility.residual;
    const double off = crs_rated(s, &s->run.now.feasibility);
    const bool practical = s->a->mode == CREASE_MODE_PRACTICAL;
    const double solved = practical ? larger(s->run.o.eps, 0.1 * off) : s->run.o.eps;
    if (!(blocks <= solved) || off <= s->run.o.eps || s->a->mu_fixed) return;
    if (crs_norm(m, s->st.s) > 0.1 * feasibility) return;
    const double mu = s->extension->mu, wanted = 1.2 * crs_norm(m, s->st.lambda) / s->run.o.eps;
    if (s->a->mode != CREASE_MODE_PRACTICAL)
        crs_extension_set_mu(s->extension, larger(1.2 * mu, wanted));
    else if (feasibility > 0.9 * s->stalled)
        crs_extension_set_mu(s->extension, 2 * mu);
    if (s->a->mode == CREASE_MODE_PRACTICAL)
        crs_extension_set_multiplier(s->extension, s->st.lambda);
    s->stalled = feasibility;
    s->a->mu = s->a->last_low = s->a->last_high = s->extension->mu;
    crs_retune(s->p, &s->run.o, s->a);
    crs_restart_extension(s);
    crs_copy_point(s, s->st.x, s->before);
    s->potential = NAN;
    s->since_restart = 0;
    s->run.report.restarts++;
}
