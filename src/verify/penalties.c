/* SPDX-License-Identifier: MIT
 * penalties: rho'(y+) of the scalar penalties, y >= 0, from their definitions
 *
 * The only concave kink is that of capped-l1, where the slope falls from lambda to 0. */
#include "verify/verify.h"

static real none(const double *p, real y) { return (void)p, (void)y, 0; }
static real l1(const double *p, real y) { return (void)y, p[0]; }
static real elastic_net(const double *p, real y) { return p[0] + p[1] * y; }
static real squared_l2(const double *p, real y) { return p[0] * y; }

static real at_zero(const double *p) { return p[0] > 0 ? INFINITY : 0; }
static real l0(const double *p, real y) { return y > 0 ? 0 : at_zero(p); }

/* d/dy of lambda y, then of (2 a lambda y - y^2 - lambda^2) / (2(a-1)), then 0 */
static real scad(const double *p, real y)
{
    const real lambda = p[0], a = p[1];
    return y <= lambda ? lambda : y < a * lambda ? (a * lambda - y) / (a - 1) : 0;
}

static real mcp(const double *p, real y)
{
    const real lambda = p[0], gamma = p[1];
    return y < gamma * lambda ? lambda - y / gamma : 0;
}

static real lsp(const double *p, real y) { return p[0] / (p[1] + y); }
static real capped_l1(const double *p, real y) { return y < p[1] ? p[0] : 0; }
static real theta(const double *p) { return p[1]; }

static real power(real lambda, real q, real y) { return lambda * q * powl(y, q - 1); }
static real l_half(const double *p, real y) { return y > 0 ? p[0] / (2 * sqrtl(y)) : at_zero(p); }
static real l_two_thirds(const double *p, real y)
{
    return y > 0 ? 2 * (real)p[0] / (3 * cbrtl(y)) : at_zero(p);
}
static real lq(const double *p, real y) { return y > 0 ? power(p[0], p[1], y) : at_zero(p); }
static real huber(const double *p, real y) { return y < p[1] ? p[0] * (y / p[1]) : p[0]; }

static const crs_rule rules[] = {
    { "zero", none, NULL, false },
    { "l1", l1, NULL, false },
    { "elastic-net", elastic_net, NULL, false },
    { "squared-l2", squared_l2, NULL, false },
    { "l0", l0, NULL, true },
    { "scad", scad, NULL, false },
    { "mcp", mcp, NULL, false },
    { "lsp", lsp, NULL, false },
    { "capped-l1", capped_l1, theta, false },
    { "l-half", l_half, NULL, true },
    { "l-two-thirds", l_two_thirds, NULL, true },
    { "lq", lq, NULL, true },
    { "huber", huber, NULL, false },
};

const crs_rule *crs_rule_named(const char *name)
{
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (strcmp(rules[k].name, name) == 0) return &rules[k];
    return NULL;
}
