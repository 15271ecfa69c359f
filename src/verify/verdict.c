/* SPDX-License-Identifier: MIT
 * verdict: what the residuals of a point say about it */
#include <stdio.h>

#include "verify/evidence.h"

static const char *name_of(const crease_problem *p, int i, char buffer[48])
{
    if (i < 0) return "the constraint";
    if (p->block[i].name)
        snprintf(buffer, 48, "block %.40s", p->block[i].name);
    else
        snprintf(buffer, 48, "block x%d", i + 1);
    return buffer;
}

/* A verdict against the point whatever eps is. */
static void condemn(crease_verification *out, int i)
{
    out->verdict = CREASE_VERDICT_INVALID;
    out->smallest_eps = INFINITY;
    out->worst_block = i;
}

static bool finite(const crease_problem *p, int i, const char *what, ptrdiff_t n, const double *x,
                   crease_verification *out)
{
    char buffer[48];
    for (ptrdiff_t j = 0; j < n; j++)
        if (!isfinite(x[j])) {
            condemn(out, i);
            snprintf(out->text, sizeof out->text, "%s: entry %td of %s is %g",
                     name_of(p, i, buffer), j + 1, what, x[j]);
            return false;
        }
    return true;
}

bool crs_point_finite(const crease_problem *p, const crs_point *at, crease_verification *out)
{
    for (int i = 0; i < p->count; i++) {
        const ptrdiff_t n = crease_size(&p->space[i]);
        if (!finite(p, i, "x", n, at->x[i], out)) return false;
        if (at->g && at->g[i] && !finite(p, i, "g", n, at->g[i], out)) return false;
    }
    return p->range.order == 0 || !at->lambda ||
           finite(p, -1, "lambda", crease_size(&p->range), at->lambda, out);
}

/* Residual and rounding together; the factor makes up for the roundings of the bound itself. */
static real total(const crs_finding *f) { return f->residual + 2 * f->rounding; }

static real needed(const crs_finding *f, bool relative)
{
    return !relative || total(f) == 0 ? total(f) : total(f) / f->scale;
}

/* Membership, subgradients, finite residuals: what no eps can mend. */
static bool is_sound(const crease_problem *p, const crs_evidence *e, crease_verification *out)
{
    char buffer[48];
    for (int i = -1; i < p->count; i++) {
        const crs_finding *f = i < 0 ? &e->feasibility : &e->block[i];
        const char *name = name_of(p, i, buffer);
        if (i >= 0 && !e->member[i].inside)
            snprintf(out->text, sizeof out->text, "%s: x is outside its set by %.3g", name,
                     (double)e->member[i].excess);
        else if (!(f->astray == 0))
            snprintf(out->text, sizeof out->text, "%s: g is %.3g away from the subdifferential",
                     name, (double)f->astray);
        else if (!isfinite((double)total(f)))
            snprintf(out->text, sizeof out->text, "%s: the residual is %g", name, (double)total(f));
        else
            continue;
        condemn(out, i);
        return false;
    }
    return true;
}

/* smallest_eps and the block that decides it; true when only upper bounds are above eps. */
static bool weigh(const crease_problem *p, const crs_evidence *e, bool relative, double eps,
                  crease_verification *out)
{
    bool excused = true;
    real worst = p->range.order > 0 ? needed(&e->feasibility, relative) : 0;
    out->worst_block = p->range.order > 0 ? -1 : 0;
    if (worst > eps) excused = false;
    for (int i = 0; i < p->count; i++) {
        const real need = needed(&e->block[i], relative);
        if (need > eps && !e->block[i].upper_bound) excused = false;
        if (need > worst) worst = need, out->worst_block = i;
    }
    out->smallest_eps = upward(worst);
    return excused;
}

/* -psi_S(x): the blocks add up. */
static bool weigh_sum(const crease_problem *p, const crs_evidence *e, bool relative,
                      crease_verification *out)
{
    crs_finding sum = { 0 };
    for (int i = 0; i < p->count; i++) {
        sum.residual += e->block[i].residual;
        sum.rounding += e->block[i].rounding;
        sum.scale += e->block[i].scale;
        if (total(&e->block[i]) > total(&e->block[out->worst_block])) out->worst_block = i;
    }
    out->smallest_eps = upward(needed(&sum, relative));
    return false;
}

void crs_decide(const crease_problem *p, const crs_point *at, const crs_evidence *e, double eps,
                crease_verification *out)
{
    const bool relative = at->relative;
    char buffer[48];
    for (int i = 0; i < p->count; i++) {
        out->residual[i] = upward(total(&e->block[i]));
        out->outside = larger(out->outside, upward(e->member[i].excess));
    }
    out->feasibility = upward(total(&e->feasibility));
    if (!is_sound(p, e, out)) return;
    const bool excused = at->gcg ? weigh_sum(p, e, relative, out) : weigh(p, e, relative, eps, out);
    out->verdict = out->smallest_eps <= eps ? CREASE_VERDICT_VALID
                   : excused                ? CREASE_VERDICT_UPPER_BOUND_ONLY
                                            : CREASE_VERDICT_INVALID;
    snprintf(out->text, sizeof out->text, "%s decides: eps-stationary for %seps >= %.3g",
             name_of(p, out->worst_block, buffer), relative ? "relative " : "", out->smallest_eps);
}
