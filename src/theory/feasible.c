/* SPDX-License-Identifier: MIT
 * feasible: is there an x with sum A_i x_i = b, x_i in X_i and r_i(x_i) finite?
 *
 * A free block with A_i onto takes up whatever the others leave. Otherwise |sum A_i x_i - b|^2/2 is
 * minimized over the sets by accelerated projected gradient steps; where its least value is not 0,
 * y = b - sum A_i x_i separates b from all that the sets reach, which the checker has to confirm.
 * Beck and Teboulle, A fast iterative shrinkage-thresholding algorithm, 2009; O'Donoghue and
 * Candes, Adaptive restart for accelerated gradient schemes, 2015. */
#include <stdio.h>

#include <crease/verify.h>

#include "set/set.h"
#include "theory/theory.h"

/* The domain of r as bounds on the entries. */
static crease_bounds domain_of(const crease_reg *r)
{
    crease_bounds all = { .low = -INFINITY, .high = INFINITY };
    if (!r->ops) return all;
    if (r->ops->kind == CREASE_KIND_SCALED) return domain_of(r->data);
    if (r->ops->kind == CREASE_KIND_NONNEG) all.low = 0;
    if (r->ops->kind == CREASE_KIND_RANGE) all.low = r->par[0], all.high = r->par[1];
    return all;
}

static bool is_free(const crease_problem *p, int i)
{
    const crease_bounds d = domain_of(&p->block[i].reg);
    return !p->block[i].set && d.low == -INFINITY && d.high == INFINITY;
}

/* The block that takes up any right-hand side, or -1. A bound below |A_i'y| costs a decomposition:
 * only with an effort. */
static bool find_onto(const crease_problem *p, long effort, int *which, crease_error *e)
{
    *which = -1;
    for (int i = 0; i < p->count && *which < 0; i++) {
        const crease_map *A = &p->block[i].map;
        double c = 0, sigma = 0;
        if (!crs_in_constraint(p, i) || !is_free(p, i)) continue;
        const bool scaled = crease_map_is_identity(A, &p->space[i], &p->range, &c) && c != 0;
        if (!scaled && effort > 0 && !crease_map_sigma_min(A, &p->space[i], &p->range, &sigma, e))
            return false;
        if (scaled || sigma > 0) *which = i;
    }
    return true;
}

typedef struct {
    const crease_problem *p;
    double **x, **v; /* the iterate and the point extrapolated from it, one array per block */
    double *s, *y, *g, *work;
    double L; /* of the gradient */
    const crease_watch *watch;
    crease_error *e;
    bool failed;
} search;

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

static void free_point(int count, double **x)
{
    for (int i = 0; x && i < count; i++) crs_free(x[i]);
    crs_free(x);
}

void crs_feasibility_free(crs_feasibility *f)
{
    free_point(f->count, f->x);
    crs_free(f->y);
    *f = (crs_feasibility){ .status = CREASE_UNKNOWN };
}

static void end(search *f)
{
    free_point(f->p->count, f->x);
    free_point(f->p->count, f->v);
    crs_free(f->s);
    crs_free(f->y);
}

static bool begin(search *f, bool steps, crease_error *e)
{
    const crease_problem *p = f->p;
    const ptrdiff_t m = crease_size(&p->range);
    ptrdiff_t work = crs_problem_scratch(p);
    for (int i = 0; i < p->count; i++)
        if (p->block[i].set) work = most(work, crease_set_scratch(p->block[i].set, &p->space[i]));
    f->x = crs_alloc((size_t)p->count, sizeof *f->x);
    f->v = crs_alloc((size_t)p->count, sizeof *f->v);
    f->y = crs_doubles(m, "a search for a feasible point", e);
    f->s = crs_doubles(m + crs_largest_block(p) + work, "a search for a feasible point", e);
    if (!f->x || !f->v)
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a search for a feasible point");
    if (!f->x || !f->v || !f->y || !f->s) return false;
    f->g = f->s + m;
    f->work = f->g + crs_largest_block(p);
    for (int i = 0; i < p->count; i++) {
        f->x[i] = crs_doubles(crease_size(&p->space[i]), "a feasible point", e);
        f->v[i] = crs_doubles(crease_size(&p->space[i]), "a feasible point", e);
        if (!f->x[i] || !f->v[i]) return false;
    }
    for (int i = 0; i < p->count; i++) {
        double norm = 0;
        if (!steps || !crs_in_constraint(p, i)) continue;
        if (!crease_map_norm(&p->block[i].map, &p->space[i], &p->range, &norm, e)) return false;
        f->L += square(norm);
    }
    return true;
}

/* x into X_i and the domain of r_i */
static void project(const search *f, int i, double *x)
{
    const crease_set *c = f->p->block[i].set;
    const crease_space *s = &f->p->space[i];
    const crease_bounds d = domain_of(&f->p->block[i].reg);
    if (c && c->ops->project) c->ops->project(c, s, x, x, f->work);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) x[j] = clip(x[j], d.low, d.high);
}

/* x^{k+1} = P(v - A'(A v - b)/L), v = x^{k+1} + theta (x^{k+1} - x^k); true: the momentum points
 * uphill and begins anew */
static bool advance(search *f, double theta)
{
    const crease_problem *p = f->p;
    double turn = 0;
    crs_constraint(p, (const double *const *)f->v, f->s, f->work);
    for (int i = 0; i < p->count; i++) {
        const ptrdiff_t n = crease_size(&p->space[i]);
        if (!crs_in_constraint(p, i)) continue;
        fill(n, 0, f->g);
        crs_adjoint(p, i, 1, f->s, f->g, f->work);
        for (ptrdiff_t j = 0; j < n; j++) f->g[j] = f->v[i][j] - (f->L > 0 ? f->g[j] / f->L : 0);
        project(f, i, f->g);
        for (ptrdiff_t j = 0; j < n; j++) {
            const double moved = f->g[j] - f->x[i][j];
            turn += (f->v[i][j] - f->g[j]) * moved;
            f->v[i][j] = f->g[j] + theta * moved;
            f->x[i][j] = f->g[j];
        }
    }
    return turn > 0;
}

/* The residual at x in s, and of what size the terms are. */
static double measure(search *f, double *scale)
{
    const crease_problem *p = f->p;
    double squares = p->rhs ? square(crease_norm(&p->range, p->rhs)) : 0;
    crs_constraint(p, (const double *const *)f->x, f->s, f->work);
    for (int i = 0; i < p->count; i++)
        if (crs_in_constraint(p, i)) squares += f->L * square(crease_norm(&p->space[i], f->x[i]));
    *scale = sqrt(squares);
    return crease_norm(&p->range, f->s);
}

/* y = -s with entries below `least` of the largest left out: does it separate? */
static bool separates_with(search *f, double least, crease_refutation *proof)
{
    const ptrdiff_t m = crease_size(&f->p->range);
    double largest = 0;
    for (ptrdiff_t j = 0; j < m; j++) largest = larger(largest, fabs(f->s[j]));
    for (ptrdiff_t j = 0; j < m; j++)
        f->y[j] = fabs(f->s[j]) <= least * largest ? 0 : -f->s[j] / largest;
    f->failed = f->failed || !crease_verify_infeasible(f->p, f->y, proof, f->e);
    return !f->failed && proof->verdict == CREASE_VERDICT_VALID;
}

/* The proof with the fewest rows is the one to read. */
static bool separates(search *f, crs_feasibility *out)
{
    crease_refutation proof;
    if (!separates_with(f, 0, &proof)) return false;
    if (!separates_with(f, 1e-2, &proof) && !separates_with(f, 1e-5, &proof) &&
        !separates_with(f, 0, &proof))
        return false;
    out->status = CREASE_VIOLATED;
    snprintf(out->text, sizeof out->text, "%.150s", proof.text);
    out->y = f->y;
    f->y = NULL;
    return true;
}

static bool is_inside(const search *f)
{
    const crease_problem *p = f->p;
    for (int i = 0; i < p->count; i++) {
        const crease_set *c = p->block[i].set;
        const crease_reg *r = crs_reg_of(p, i);
        const double size = 1 + crease_norm(&p->space[i], f->x[i]);
        if (c && !(c->ops->excess(c, &p->space[i], f->x[i], f->work) <= 1e-12 * size)) return false;
        if (!(r->ops->value(r, &p->space[i], f->x[i], f->work) < INFINITY)) return false;
    }
    return true;
}

/* What the point found so far, or the proof that there is none, says; true: that will do. enough
 * 0: only a point that satisfies the constraint to rounding counts. */
static bool judge(search *f, double enough, crs_feasibility *out)
{
    double scale;
    out->off = measure(f, &scale);
    const bool inside = is_inside(f);
    if (inside && out->off <= 64 * 0x1p-53 * scale) {
        out->status = CREASE_PROVED;
        snprintf(out->text, sizeof out->text, "a point of the sets satisfies it to rounding");
        return true;
    }
    if (inside && out->off <= enough * scale) {
        out->status = CREASE_ESTIMATED;
        snprintf(out->text, sizeof out->text,
                 "a point of the sets was found that misses it by %.2g", out->off);
        return true;
    }
    return enough > 0 && separates(f, out);
}

static void seek(search *f, long effort, crs_feasibility *out)
{
    double t = 1;
    if (judge(f, effort > 0 ? 1e-9 : 0, out)) return;
    for (long k = 1, next = 4; k <= effort; k++) {
        const double after = (1 + sqrt(1 + 4 * t * t)) / 2;
        t = advance(f, (t - 1) / after) ? 1 : after;
        if (k < next && k < effort && !crease_watch_over(f->watch)) continue;
        next *= 2;
        if (f->failed || crease_watch_over(f->watch)) break;
        if (judge(f, k < effort ? 1e-9 : 1e-6, out)) return;
    }
    if (effort > 0)
        snprintf(out->text, sizeof out->text,
                 "in %ld steps neither a solution nor a proof that there is none was found: off by "
                 "%.2g",
                 effort, out->off);
}

bool crs_seek_feasible(const crease_problem *p, const double *const *from, long effort,
                       const crease_watch *watch, crs_feasibility *out, crease_error *e)
{
    search f = { .p = p, .watch = watch, .e = e };
    int onto;
    char name[32];
    *out = (crs_feasibility){ .status = CREASE_UNKNOWN, .off = NAN };
    if (!find_onto(p, effort, &onto, e)) return false;
    if (onto >= 0 && !from) {
        out->status = CREASE_PROVED;
        snprintf(out->text, sizeof out->text, "block %s is free and takes up any right-hand side",
                 crs_block_name(p, onto, name));
        return true;
    }
    const bool done = begin(&f, effort > 0, e);
    double unknowns = (double)crease_size(&p->range);
    for (int i = 0; i < p->count; i++) unknowns += (double)crease_size(&p->space[i]);
    const double share = larger(0.1, smaller(1, 1e5 / unknowns));
    for (int i = 0; done && i < p->count; i++) {
        const double *start = from ? from[i] : p->block[i].start;
        if (start) copy(crease_size(&p->space[i]), start, f.x[i]);
        project(&f, i, f.x[i]);
        copy(crease_size(&p->space[i]), f.x[i], f.v[i]);
    }
    out->count = p->count;
    if (done) seek(&f, effort > 0 ? (long)ceil(share * (double)effort) : 0, out);
    if (done && (out->status == CREASE_PROVED || out->status == CREASE_ESTIMATED))
        out->x = f.x, f.x = NULL;
    end(&f);
    if (f.failed) crs_feasibility_free(out);
    return done && !f.failed;
}
