/* SPDX-License-Identifier: MIT
 * cores: the methods that are a core of composite/: in practical mode on the presolved problem, in
 * theory mode by name, on the problem as given and with a proved L
 *
 * Without a constraint every one of them is covered by Theorem S: its steps are accepted by test S
 * only. K = ceil((1 + L gamma_0)^2 (F(x^0) - F*)/(sigma gamma_min eps^2)) with gamma_0 = 1/L and
 * gamma_min = (1 - 2 sigma)/(2 L). With a constraint a certificate is all that is promised
 * (Theorem A(a)): docs/theory.md, any candidate. */
#include "composite/cores.h"
#include "method/method.h"

static const double sigma = 1e-3; /* of test S */

crease_method crs_method_of(const crs_core *core)
{
    crease_method k = CREASE_METHOD_AUTO;
    while (crs_method_at(k) && crs_method_at(k)->core != core) k++;
    return k;
}

bool crs_wants_cores(const crease_options *o)
{
    const crease_options usual = crease_options_default();
    const crs_method *m = crs_method_at(o->method);
    if (m && m->core) return o->mode != CREASE_MODE_PAPER;
    if (o->mode != CREASE_MODE_PRACTICAL) return false;
    return o->method == CREASE_METHOD_AUTO && o->theta == usual.theta && o->beta == usual.beta &&
           o->gamma == usual.gamma && o->h == usual.h && o->mu == usual.mu &&
           o->accelerate == usual.accelerate && o->audit == usual.audit &&
           o->line_search == usual.line_search;
}

static void recipe(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    const bool constrained = crs_method_at(a->method)->constrained;
    (void)o;
    a->theta_factor = a->last_weight = 1;
    a->theorem = constrained ? "Theorem A(a): the certificate alone" : "Theorem S, from F(x^0)";
    if (a->method == CREASE_METHOD_FRANK_WOLFE) {
        a->theorem = "the gap of linear oracles: the certificate alone";
        crs_note(a, "iteration bound", -1, CREASE_UNKNOWN, NAN,
                 "Newton steps on weights end with a certificate or not; gcg has a bound");
        return;
    }
    if (constrained) {
        crs_note(a, "iteration bound", -1, CREASE_UNKNOWN, NAN,
                 "a run ends with a certificate or not; theory mode has methods with a bound");
        return;
    }
    crs_note(a, "test S", -1, CREASE_PROVED, sigma,
             "every step lowers F by this share of what a plain proximal step promises");
    const bool proved = a->mode == CREASE_MODE_THEORY && a->L < INFINITY;
    crs_note(a, "L finite", -1,
             proved                                                     ? CREASE_PROVED
             : crs_has_callback(&p->f) || a->mode == CREASE_MODE_THEORY ? CREASE_UNKNOWN
                                                                        : CREASE_ESTIMATED,
             a->L, "on the segments of the steps; it enters the bound on the iterations alone");
}

/* A gap of setting 1 is a residual times the diameter of its set. */
static double bound(const crease_analysis *a, double drop, double eps)
{
    double widest = 1;
    for (int i = 0; i < a->count; i++)
        if (a->block[i].setting == 1) widest = larger(widest, a->block[i].diameter);
    if (!(a->L < INFINITY) || a->method == CREASE_METHOD_FRANK_WOLFE) return INFINITY;
    return ceil(8 * a->L * drop * square(widest / eps) / (sigma * (1 - 2 * sigma)));
}

#define CORE(name, with)                                                                           \
    const crs_method crs_method_##name = {                                                         \
        .constrained = with,                                                                       \
        .reads = CRS_READS_ALWAYS | CRS_READS(certify_every) | CRS_READS(starts) |                 \
                 CRS_READS(continuation),                                                          \
        .recipe = recipe,                                                                          \
        .bound = bound,                                                                            \
        .core = &crs_core_##name,                                                                  \
    };
CORE(direct, false)
CORE(newton, false)
CORE(tangent, false)
CORE(frank_wolfe, false)
CORE(panoc, false)
CORE(grid, true)
CORE(splitting, true)
CORE(gauss_newton, false)
CORE(variable_projection, false)
CORE(alternation, false)
CORE(plain, false)
CORE(multipliers, true)
#undef CORE
