/* SPDX-License-Identifier: MIT
 * verify: the verdict on a point */
#include <stdio.h>

#include "verify/evidence.h"

enum { LARGE = 1 << 16 }; /* entries of a block that make double worth a try */

const char *crease_verdict_text(crease_verdict v)
{
    switch (v) {
#define X(name, text)                                                                              \
    case CREASE_VERDICT_##name:                                                                    \
        return text;
        CREASE_VERDICTS(X)
#undef X
    }
    return "unknown verdict";
}

void crease_verification_free(crease_verification *v)
{
    if (!v) return;
    crs_free(v->residual);
    *v = (crease_verification){ 0 };
}

static bool arguments_fit(const crease_problem *p, const crs_point *at, double eps, crease_error *e)
{
    if (!crease_problem_check(p, e)) return false;
    if (!(eps >= 0)) return crs_fail(e, CREASE_BAD_ARGUMENT, "eps is %g; give a number >= 0", eps);
    if (p->range.order > 0 && !at->lambda && !at->gcg)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "lambda is NULL but the problem has a constraint; give one number for each "
                        "of its %td rows",
                        crease_size(&p->range));
    for (int i = 0; i < p->count; i++)
        if (!at->x[i])
            return crs_fail(e, CREASE_BAD_ARGUMENT, "x[%d] is NULL; give every block", i);
    return true;
}

static bool is_large(const crease_problem *p)
{
    for (int i = 0; i < p->count; i++)
        if (crease_size(&p->space[i]) >= LARGE) return true;
    return false;
}

/* True: this was in double, and long double may say otherwise. */
static bool judge(crs_verifier *v, const crs_point *at, double eps, crease_verification *out)
{
    crs_evidence evidence = { .coarse = false };
    for (int i = 0; i < out->count; i++) out->residual[i] = NAN;
    if (crs_collect(v, at, &evidence))
        crs_decide(v->p, at, &evidence, eps, out);
    else
        snprintf(out->text, sizeof out->text, "unsupported: %s", v->why);
    const bool final = v->no_memory || v->unsupported || out->verdict == CREASE_VERDICT_VALID;
    crs_rooms_free(v);
    return evidence.coarse && !final;
}

bool crease_verify(const crease_problem *p, const double *const *x, const double *lambda,
                   const double *const *g, bool gcg, double eps, bool relative,
                   crease_verification *out, crease_error *e)
{
    const crs_point at = { x, lambda, g, gcg, relative };
    crs_verifier v = { .p = p, .coarse = is_large(p) };
    *out = (crease_verification){ 0 };
    if (!arguments_fit(p, &at, eps, e)) return false;
    double *residual = crs_doubles(p->count, "a verification", e);
    if (!residual) return false;
    const crease_verification blank = { .smallest_eps = INFINITY,
                                        .count = p->count,
                                        .residual = residual };
    *out = blank;
    for (int i = 0; i < p->count; i++) residual[i] = NAN;
    if (crs_point_finite(p, &at, out) && judge(&v, &at, eps, out)) {
        *out = blank;
        v.coarse = false;
        judge(&v, &at, eps, out);
    }
    out->trusted_callback = v.trusted_callback;
    if (!v.no_memory) return true;
    crease_verification_free(out);
    return crs_fail(e, CREASE_NO_MEMORY,
                    "out of memory: verifying a problem of %d blocks; use a "
                    "machine with more",
                    p->count);
}
