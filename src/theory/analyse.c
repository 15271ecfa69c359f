/* SPDX-License-Identifier: MIT
 * analyse: which theorem covers a problem: the method and the block that is updated last, the
 * constants, the block steps, the parameters, in that order; and the a-priori number of iterations
 *
 * With a constraint the last block needs r = 0 and no set. In order of strength: f separable and
 * quadratic in it with A = c I (R2), separable with A = c I (R1), A = c I (ADMM-g), A of full row
 * rank (ADMM-m); without such a block the slack of the extension plays its part. A block is updated
 * by f's own minimizer where r_i = 0 and f offers one, otherwise by a prox step with f linearized.
 * K = ceil(theta_factor kappa drop/(tau eps^2)) unless a method has another. */
#include <stdio.h>

#include <crease/certificate.h>

#include "method/method.h"
#include "presolve/presolve.h"
#include "set/set.h"
#include "theory/theory.h"

static bool smooth_block(const crease_problem *p, int i)
{
    const crease_reg *r = crs_reg_of(p, i);
    crease_reg_traits t;
    r->ops->traits(r, &p->space[i], INFINITY, &t);
    return !p->block[i].set && t.lipschitz == 0 && crs_in_constraint(p, i);
}

/* How good block i would be as the last one. */
static bool rank_last(const crease_problem *p, int i, crs_last *rank, crease_error *e)
{
    const crease_map *A = &p->block[i].map;
    const crease_blocks b = crs_blocks(p);
    crease_constants k = { .separable_last = true };
    double c, sigma;
    bool exact = false;
    *rank = CRS_NO_LAST;
    if (!smooth_block(p, i)) return true;
    if (p->f.ops && !crease_smooth_constants(&p->f, &b, i, &k, NULL, e)) return false;
    if (crease_map_is_identity(A, &p->space[i], &p->range, &c) && c != 0) {
        /* R2 takes beta c^2 > -2 last_low */
        if (k.quadratic_last &&
            !crs_offers_argmin(p, i, 1 - 2 * smaller(k.last_low, 0), INFINITY, &exact, e))
            return false;
        *rank = !k.separable_last ? CRS_IDENTITY : exact ? CRS_QUADRATIC : CRS_SEPARABLE;
        return true;
    }
    if (!crease_map_sigma_min(A, &p->space[i], &p->range, &sigma, e)) return false;
    if (sigma > 0) *rank = CRS_FULL_RANK;
    return true;
}

static bool find_last(const crease_problem *p, int *last, crs_last *rank, crease_error *e)
{
    *last = -1, *rank = CRS_NO_LAST;
    for (int i = p->count - 1; i >= 0; i--) {
        crs_last here;
        if (!rank_last(p, i, &here, e)) return false;
        if (here > *rank) *rank = here, *last = i;
    }
    return true;
}

static bool takes(const crease_problem *p, crease_method method, crease_error *e)
{
    const crs_method *m = crs_method_at(method);
    const bool constrained = p->range.order > 0;
    if (m->elsewhere) return crs_fail(e, CREASE_UNSUPPORTED, "%s", m->elsewhere);
    if (method == CREASE_METHOD_AUTO || m->core || m->constrained == constrained) return true;
    return crs_fail(e, CREASE_UNSUPPORTED,
                    m->constrained ? "%s needs a constraint sum A_i x_i = b and this problem has "
                                     "none; use auto, which takes one that suits"
                                   : "%s takes no constraint and this problem has one; use auto, "
                                     "which takes one that suits",
                    crease_method_name(method));
}

static crease_method first_suited(const crease_problem *p, const crease_options *o, crs_last rank)
{
    crease_method k = CREASE_METHOD_AUTO;
    while (!crs_method_at(k)->suits || crs_method_at(k)->constrained != (p->range.order > 0) ||
           !crs_method_at(k)->suits(p, o, rank))
        k++;
    return k;
}

/* Which block goes last and which method: fills method, last, exact_last. */
static bool choose(const crease_problem *p, const crease_options *o, crease_analysis *a,
                   crease_error *e)
{
    crs_last rank = CRS_NO_LAST;
    a->last = -1;
    if (!takes(p, o->method, e)) return false;
    a->method = o->method;
    if (crs_method_at(a->method)->core) return true;
    if (p->range.order > 0 && !find_last(p, &a->last, &rank, e)) return false;
    a->method = o->method != CREASE_METHOD_AUTO ? o->method : first_suited(p, o, rank);
    const crs_method *m = crs_method_at(a->method);
    a->exact_last = rank == CRS_QUADRATIC && m->exact && o->mode != CREASE_MODE_PAPER;
    return !m->check || m->check(p, rank, e);
}

/* map_norm, map_scale, setting and diameter of one block. The residual of gcg is psi_S, about a
 * set and its oracle, whatever setting the pair would be certified in elsewhere. */
static bool gather_block(const crease_problem *p, int i, crease_analysis *a, double *lower,
                         crease_error *e)
{
    const bool gap = a->gap && p->block[i].set;
    crease_block_plan *plan = &a->block[i];
    const crease_block *b = &p->block[i];
    const crease_reg *r = crs_reg_of(p, i);
    crease_reg_traits traits;
    plan->map_scale = 0;
    plan->radius = INFINITY;
    if (crs_in_constraint(p, i)) {
        if (!crease_map_norm(&b->map, &p->space[i], &p->range, &plan->map_norm, e)) return false;
        if (!crease_map_is_identity(&b->map, &p->space[i], &p->range, &plan->map_scale))
            plan->map_scale = NAN;
    }
    plan->setting = gap ? 1 : crease_setting(p, i, e);
    if (plan->setting == 0) return false;
    plan->diameter = plan->setting == 1 ? b->set->ops->diameter(b->set, &p->space[i], 2) : INFINITY;
    r->ops->traits(r, &p->space[i], INFINITY, &traits);
    *lower += traits.lower;
    return true;
}

/* Of a constant that is found while running: nobody knows of a user's own f that there is one. */
static crease_status found(const crease_problem *p)
{
    return crs_has_callback(&p->f) ? CREASE_UNKNOWN : CREASE_ESTIMATED;
}

static void note_f(const crease_problem *p, crease_analysis *a, bool constrained)
{
    crs_note(
        a, "f bounded below", -1, a->lower > -INFINITY ? CREASE_PROVED : CREASE_UNKNOWN, a->lower,
        a->lower > -INFINITY ? "f + sum r_i is at least this"
                             : "no lower bound of f is known; bound the blocks or declare one");
    if (!constrained) return;
    if (a->M < INFINITY)
        crs_note(a, "M finite", -1, CREASE_PROVED, a->M,
                 "grad_N f is Lipschitz with this constant");
    else if (a->adaptive)
        crs_note(a, "M finite", -1, found(p), a->M,
                 "no constant of grad_N f is known: M is doubled whenever the potential rises%s",
                 crs_has_callback(&p->f) ? "; declare M, or L, for the guarantee" : "");
    else
        crs_note(
            a, "M finite", -1, CREASE_UNKNOWN, a->M,
            "grad_N f has no Lipschitz constant here; give the other blocks compact sets, make "
            "f separable in the last block, or use practical mode");
}

/* The constants of f, the maps, sets and settings of every block. */
static bool gather(const crease_problem *p, int last, crease_analysis *a, crease_error *e)
{
    const crease_blocks unbounded = crs_blocks(p);
    double *radius = crs_doubles(2 * p->count, "the analysis", e), regs = 0;
    bool done = radius != NULL;
    crease_constants k = { .L = 0,
                           .M = 0,
                           .p = 2,
                           .rho = 0,
                           .lower = 0,
                           .concave = true,
                           .separable_last = true,
                           .quadratic_last = true };
    for (int i = 0; done && i < p->count; i++)
        done = gather_block(p, i, a, &regs, e) && crs_set_radius(p, i, &radius[i], e);
    if (done && p->f.ops) {
        const crease_blocks b = { unbounded.count, unbounded.space, radius };
        done = crease_smooth_constants(&p->f, &b, last >= 0 ? last : p->count - 1, &k,
                                       radius + p->count, e);
    }
    for (int i = 0; done && i < p->count; i++) a->block[i].lipschitz = radius[p->count + i];
    crs_free(radius);
    if (!done) return false;

    a->L = k.L, a->M = k.M, a->p = k.p, a->rho = k.rho, a->concave = k.concave;
    a->lower = k.lower + regs;
    a->last_low = k.last_low, a->last_high = k.last_high;
    a->L_last = last >= 0 ? a->block[last].lipschitz : NAN;
    a->map_scale = last >= 0 ? a->block[last].map_scale : NAN;
    if (last >= 0 && k.separable_last) a->M = smaller(a->M, a->L_last);
    if (last >= 0 && isnan(a->map_scale) &&
        !crease_map_sigma_min(&p->block[last].map, &p->space[last], &p->range, &a->sigma_last, e))
        return false;
    if (last >= 0 && !isnan(a->map_scale)) a->sigma_last = square(a->map_scale);
    a->separable_last = k.separable_last;
    a->adaptive = last >= 0 && !(a->M < INFINITY) && a->mode == CREASE_MODE_PRACTICAL;
    if (!a->gap) note_f(p, a, last >= 0);
    return true;
}

/* An exact step needs r_i = 0, and for any h that is not tiny a factor of the block, whatever its
 * map; or at most a ball, A_i = c I or no map, and f's own minimizer: f convex in the block, or a
 * ball. */
static bool plan_exact(const crease_problem *p, int i, crease_block_plan *plan, crease_error *e)
{
    const double L = plan->lipschitz, h = 1e-6 * (L > 0 && L < INFINITY ? L : 1);
    const crease_reg *r = crs_reg_of(p, i);
    const crease_set *c = p->block[i].set;
    crease_reg_traits t;
    r->ops->traits(r, &p->space[i], INFINITY, &t);
    if (!crs_offers_factor(p, i, plan->map_scale, h, &plan->exact, e)) return false;
    if (plan->exact) return true;
    if (t.lipschitz != 0 || isnan(plan->map_scale) || (c && c->ops->ball != CREASE_BALL_L2))
        return true;
    if (c) plan->radius = c->par[0];
    return crs_offers_argmin(p, i, h, plan->radius, &plan->exact, e);
}

static bool plan_block(const crease_problem *p, int i, crease_analysis *a, crease_error *e)
{
    crease_block_plan *plan = &a->block[i];
    const crease_set *c = p->block[i].set;
    double step = INFINITY;
    char name[32];
    if (!plan_exact(p, i, plan, e)) return false;
    if (plan->exact) {
        crs_note(a, "block step exact", i, CREASE_PROVED, NAN,
                 "r = 0 and f is minimized over the block in closed form");
        return true;
    }
    if (c && !crease_joint_check(crs_reg_of(p, i), c, &p->space[i], &step, e)) return false;
    plan->tau_least = step < INFINITY ? 1.001 / step : 0;
    if (plan->lipschitz < INFINITY)
        crs_note(a, "block step global", i, CREASE_PROVED, plan->lipschitz,
                 "f is linearized with L_i, the prox is the global minimizer");
    else if (crs_has_callback(&p->f))
        crs_note(a, "L_i finite", i, CREASE_UNKNOWN, NAN,
                 "f declares no L for block %s: it is found by doubling; declare one for the "
                 "guarantee",
                 crs_block_name(p, i, name));
    else
        crs_note(a, "L_i finite", i, CREASE_ESTIMATED, NAN,
                 "block %s has no constant for the whole region: the curvature at the iterate, "
                 "with a floor, serves, or L_i is found by doubling",
                 crs_block_name(p, i, name));
    return true;
}

static bool plan_blocks(const crease_problem *p, crease_analysis *a, crease_error *e)
{
    for (int i = 0; i < p->count; i++)
        if (i != a->last && !plan_block(p, i, a, e)) return false;
    return true;
}

const char *crease_status_text(crease_status status)
{
    static const char *const text[] = {
#define X(name, text) text,
        CREASE_STATUSES(X)
#undef X
    };
    const size_t k = (size_t)status;
    return k < sizeof text / sizeof *text ? text[k] : "unknown";
}

void crease_analysis_free(crease_analysis *a)
{
    if (!a) return;
    crs_free(a->block);
    crs_free(a->assumption);
    crs_free(a);
}

static crease_analysis *new_analysis(int count, crease_error *e)
{
    crease_analysis *a = crs_alloc(1, sizeof *a);
    if (a) {
        a->block = crs_alloc((size_t)count, sizeof *a->block);
        a->assumption = crs_alloc((size_t)(CRS_ASSUMPTIONS_A_BLOCK * count + CRS_ASSUMPTIONS_ALL),
                                  sizeof *a->assumption);
    }
    if (a && a->block && a->assumption) {
        a->count = count;
        return a;
    }
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: the analysis of %d blocks", count);
    crease_analysis_free(a);
    return NULL;
}

/* In theory mode a missing assumption is a refusal with its reason. */
static bool admissible(const crease_analysis *a, crease_error *e)
{
    if (a->guarantee || a->mode != CREASE_MODE_THEORY) return true;
    for (int k = 0; k < a->assumptions; k++) {
        const crease_assumption *at = &a->assumption[k];
        if (at->status != CREASE_VIOLATED && at->status != CREASE_UNKNOWN) continue;
        return crs_fail(e, CREASE_UNSUPPORTED, "no theorem covers this problem: %s is %s: %s",
                        at->name, crease_status_text(at->status), at->reason);
    }
    return crs_fail(e, CREASE_UNSUPPORTED, "%s has no guarantee; use prox-bcd or practical mode",
                    crease_method_name(a->method));
}

/* What a core's run says of the blocks and of f. Its constants are found while running; a lower
 * bound of f that costs eigenvalues is looked for in small problems alone. Theory mode takes proved
 * constants, without radii: a step may lead anywhere. */
enum { AFFORDABLE = 100 };

static bool lipschitz(const crease_problem *p, double *L, crease_error *e)
{
    const crease_blocks b = crs_blocks(p);
    crease_constants k = { .L = 0 };
    const bool done = !p->f.ops || crease_smooth_constants(&p->f, &b, p->count - 1, &k, NULL, e);
    *L = k.L;
    return done;
}

/* All points of a run are in their sets. */
static bool lower_for_core(const crease_problem *p, bool theory, double *lower, crease_error *e)
{
    const crease_blocks all = crs_blocks(p);
    crease_constants k = { .lower = -INFINITY };
    *lower = 0;
    if (!p->f.ops || (p->f.ops->nonnegative && p->f.ops->nonnegative(&p->f))) return true;
    *lower = -INFINITY;
    if (!theory && crs_largest_block(p) > AFFORDABLE) return true;
    double *radius = crs_doubles(p->count, "the analysis", e);
    bool done = radius;
    for (int i = 0; done && i < p->count; i++) done = crs_set_radius(p, i, &radius[i], e);
    const crease_blocks b = { all.count, all.space, radius };
    done = done && crease_smooth_constants(&p->f, &b, p->count - 1, &k, NULL, e);
    *lower = k.lower;
    crs_free(radius);
    return done;
}

static bool describe_for_core(const crease_problem *p, crease_analysis *a, crease_error *e)
{
    double regs = 0, lower;
    for (int i = 0; i < p->count; i++) {
        crease_reg_traits traits;
        const crease_reg *r = crs_reg_of(p, i);
        const crease_set *c = p->block[i].set;
        crease_block_plan *plan = &a->block[i];
        plan->setting = crease_setting(p, i, e);
        if (plan->setting == 0) return false;
        plan->diameter = plan->setting == 1 ? c->ops->diameter(c, &p->space[i], 2) : INFINITY;
        plan->radius = plan->lipschitz = INFINITY;
        r->ops->traits(r, &p->space[i], INFINITY, &traits);
        regs += traits.lower;
    }
    a->L = NAN;
    if (a->mode == CREASE_MODE_THEORY && !lipschitz(p, &a->L, e)) return false;
    if (!lower_for_core(p, a->mode == CREASE_MODE_THEORY, &lower, e)) return false;
    a->lower = lower + regs;
    a->M = a->L_last = NAN;
    a->map_scale = NAN;
    a->core = true;
    note_f(p, a, false);
    return true;
}

static bool fill_in(const crease_problem *p, const crease_options *o, crease_analysis *a,
                    crease_error *e)
{
    a->guarantee = true;
    a->mode = o->mode;
    a->beta = a->gamma = a->ell = a->mu = NAN;
    a->slack = INFINITY;
    if (!choose(p, o, a, e)) return false;
    const crs_method *m = crs_method_at(a->method);
    if (m->analyse) return true; /* as another problem */
    a->gap = m->oracle;
    if (m->core ? !describe_for_core(p, a, e) : !gather(p, a->last, a, e)) return false;
    if (!m->oracle && !m->core && !plan_blocks(p, a, e)) return false;
    a->general = a->assumptions;
    crs_retune(p, o, a);
    return admissible(a, e);
}

crease_analysis *crs_analyse_steps(const crease_problem *p, const crease_options *given,
                                   crease_error *e)
{
    crease_options own;
    const crease_options *o = &own;
    if (!crease_problem_check(p, e) || !crs_options_take(given, &own, e) ||
        !crease_options_check(o, e))
        return NULL;
    crease_analysis *a = new_analysis(p->count, e);
    if (!a) return NULL;
    if (!fill_in(p, o, a, e)) {
        crease_analysis_free(a);
        return NULL;
    }
    const crs_method *m = crs_method_at(a->method);
    if (!m->analyse) return a;
    crease_analysis_free(a);
    return m->analyse(p, o, e);
}

crease_analysis *crs_analyse(const crease_problem *p, const crease_options *o, long effort,
                             crease_error *e)
{
    crease_options own;
    if (!crs_options_take(o, &own, e)) return NULL;
    crease_analysis *a = crs_analyse_steps(p, &own, e);
    if (!a || (crs_note_existence(p, effort, own.watch, a, e) && admissible(a, e))) return a;
    crease_analysis_free(a);
    return NULL;
}

/* The method of the core that a run would begin with; auto where no core applies. */
static bool plan_method(const crease_problem *p, crease_options *o, crease_error *e)
{
    crease_error why = { CREASE_OK, "" };
    if (o->method != CREASE_METHOD_AUTO || !crs_wants_cores(o)) return true;
    crs_plan *plan = crs_plan_new(p, (uint64_t)o->seed, true, o->watch, &why);
    const crs_core *core = plan ? crs_core_at(plan->c, 0) : NULL;
    if (core) o->method = crs_method_of(core);
    crs_plan_free(plan);
    return why.code != CREASE_NO_MEMORY || crs_fail(e, why.code, "%s", why.text);
}

/* Of a method that sweeps over the blocks, or that moves all of them at once. */
static bool count_levels(const crease_problem *p, crease_analysis *a, crease_error *e)
{
    crs_levels l;
    if (crs_method_at(a->method)->core || crs_comm_of(p)) return true;
    if (!crs_sweep_levels(p, a, &l, e)) return false;
    a->levels = l.count;
    a->widest = l.widest;
    crs_levels_close(&l);
    return true;
}

crease_analysis *crease_analyse(const crease_problem *p, const crease_options *o, crease_error *e)
{
    crease_options own;
    if (!crs_options_take(o, &own, e) || !crease_options_check(&own, e) ||
        !crease_problem_check(p, e) || !plan_method(p, &own, e))
        return NULL;
    crease_analysis *a = crs_analyse(p, &own, CRS_EFFORT, e);
    if (a && count_levels(p, a, e)) return a;
    crease_analysis_free(a);
    return NULL;
}

double crease_iteration_bound(const crease_analysis *a, double drop, double eps)
{
    const crs_method *m = crs_method_for(a);
    if (!a->guarantee || !(drop >= 0) || !(eps > 0)) return INFINITY;
    if (m->bound) return m->bound(a, drop, eps);
    return ceil(a->theta_factor * a->kappa * drop / (a->decrease * eps * eps));
}
