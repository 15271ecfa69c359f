/* SPDX-License-Identifier: MIT
 * verify_test.h: the checker beside the certificate, which is computed by other code */
#ifndef CREASE_VERIFY_TEST_H
#define CREASE_VERIFY_TEST_H

#include "support/arrays.h"

static inline crease_verification verified(const crease_problem *p, const double *const *x,
                                           const double *lambda, double eps, bool relative)
{
    crease_verification v;
    crease_error e = { 0 };
    if (!crease_verify(p, x, lambda, NULL, false, eps, relative, &v, &e)) fail_msg("%s", e.text);
    return v;
}

/* The verdict alone. */
static inline crease_verdict verdict_on(const crease_problem *p, const double *const *x,
                                        const double *lambda, double eps)
{
    crease_verification v = verified(p, x, lambda, eps, false);
    const crease_verdict out = v.verdict;
    crease_verification_free(&v);
    return out;
}

static inline crease_certificate certified(const crease_problem *p, const double *const *x,
                                           const double *lambda)
{
    crease_certificate c = { .block = calloc((size_t)p->count, sizeof *c.block) };
    double *work = unset_doubles(crease_certify_scratch(p));
    crease_reference *reference = crease_reference_new(p, NULL);
    c.reference = reference;
    crease_certify(p, x, lambda, &c, work);
    crease_reference_free(reference);
    c.reference = NULL;
    free(work);
    return c;
}

/* 1e-10 of the residual, and a thousand roundings of what it is made of. */
static inline bool agree(double a, const crease_residual *r)
{
    return a == r->residual || fabs(a - r->residual) <= 1e-10 * r->residual + 1e-13 * r->scale;
}

static inline void assert_residual(const char *what, double a, const crease_residual *r)
{
    const bool better = r->upper_bound && a <= r->residual;
    if (!agree(a, r) && !better)
        fail_msg("%s: residual %.17g, certified %.17g (scale %.3g)", what, a, r->residual,
                 r->scale);
}

/* The verdict turns at smallest_eps, and a relative one at the ratio of the certificate: that holds
 * the size of a subgradient in setting 1, where equally good ones may differ. */
static inline void assert_turns(const char *what, const crease_problem *p, const double *const *x,
                                const double *lambda, const crease_certificate *c, double least,
                                bool unique)
{
    assert_int_equal(verdict_on(p, x, lambda, least), CREASE_VERDICT_VALID);
    if (least > 0)
        assert_true(verdict_on(p, x, lambda, least * (1 - 1e-9)) != CREASE_VERDICT_VALID);
    if (!unique) return;
    crease_verification v = verified(p, x, lambda, 0, true);
    if (fabs(v.smallest_eps - c->worst_relative) > 1e-10 * c->worst_relative + 1e-13)
        fail_msg("%s: relative %.17g, certified %.17g", what, v.smallest_eps, c->worst_relative);
    crease_verification_free(&v);
}

static inline bool is_zero(const crease_reg *r)
{
    return !r->ops || (r->penalty && strcmp(r->penalty->name, "zero") == 0);
}

/* Checker and certificate agree, residual by residual. */
static inline void assert_agree(const char *what, const crease_problem *p, const double *const *x,
                                const double *lambda)
{
    crease_certificate c = certified(p, x, lambda);
    crease_verification v = verified(p, x, lambda, 0, false);
    double worst = p->range.order > 0 ? v.feasibility : 0;
    bool unique = true;
    if (v.verdict == CREASE_VERDICT_UNSUPPORTED) fail_msg("%s: %s", what, v.text);
    for (int i = 0; i < p->count; i++) {
        assert_residual(what, v.residual[i], &c.block[i]);
        worst = larger(worst, v.residual[i]);
        unique = unique && (c.block[i].setting == 2 || is_zero(&p->block[i].reg));
    }
    if (p->range.order > 0) assert_residual(what, v.feasibility, &c.feasibility);
    assert_true(fabs(v.outside - c.outside) <= 1e-13);
    if (worst < INFINITY) {
        assert_true(v.smallest_eps == worst);
        assert_turns(what, p, x, lambda, &c, worst, unique);
    } else {
        assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
    }
    crease_verification_free(&v);
    free(c.block);
}

/* f = (1/2t)|x - v|^2 with one regularizer and one set: stationary at the prox. */
typedef struct {
    crease_distance_data distance;
    crease_block block;
    crease_problem p;
    const double *at[1];
} single;

static inline void make_single(single *s, const crease_space *where, double t, const double *v,
                               const crease_reg *r, const crease_set *set, const double *x)
{
    s->distance = (crease_distance_data){ 0, -1, 1 / t, v };
    s->block = (crease_block){ .set = set };
    if (r) s->block.reg = *r;
    s->p = (crease_problem){ .count = 1, .space = where, .block = &s->block };
    s->p.f = crease_squared_distance(&s->distance);
    s->at[0] = x;
}

#endif
