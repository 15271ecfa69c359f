/* SPDX-License-Identifier: MIT
 * cores: the engine of a solver whose steps are those of a portfolio of cores. A certificate is
 * made when the core takes its point for stationary, of the user's problem and from the
 * definitions; until then the log shows what the core knows, which costs no product. */
#include <stdio.h>

#include <crease/verify.h>

#include "solve/solver.h"
#include "theory/theory.h"

static void bring_back(crease_solver *s)
{
    crs_copy_point(s, s->st.x, s->st.was);
    crs_portfolio_point(s->portfolio, s->st.x, s->given->range.order > 0 ? s->st.lambda : NULL);
}

/* A start that is stationary counts only if a plain step does not lead lower: 0 for l0. */
static bool begin(crease_solver *s)
{
    crease_error e = { CREASE_OK, "" };
    const bool doubted = !isnan(s->run.trial);
    if (!crs_portfolio_begin(s->portfolio, &s->run.watch, &s->run.now, doubted, &e)) {
        snprintf(s->run.report.note, sizeof s->run.report.note, "%.199s", e.text);
        return false;
    }
    const crs_plan *plan = crs_portfolio_plan(s->portfolio);
    if (plan->c->constraint) return true;
    const double first =
        plan->count > 0 ? crs_portfolio_standing(s->portfolio).objective : s->run.first;
    if (s->a->mode != CREASE_MODE_THEORY) {
        s->a->L = crs_portfolio_curvature(s->portfolio);
        crs_retune(s->given, &s->run.o, s->a);
    }
    s->run.report.bound = crease_iteration_bound(s->a, first - s->a->lower, s->run.o.eps);
    return true;
}

static void tell(crease_solver *s)
{
    const crs_work *w = &crs_portfolio_plan(s->portfolio)->work;
    const crs_standing now = crs_portfolio_standing(s->portfolio);
    s->a->method = crs_portfolio_method(s->portfolio);
    s->run.report.pairs = crs_portfolio_pairs(s->portfolio);
    s->run.report.spectra = w->spectra;
    s->run.report.factorizations = w->factorizations;
    s->run.progress.objective = now.objective;
    s->run.progress.feasibility = now.feasibility;
    s->run.progress.worst = s->run.o.relative ? NAN : now.ratio * s->run.o.eps;
    s->run.progress.worst_relative = s->run.o.relative ? now.ratio * s->run.o.eps : NAN;
}

/* F below this is doubted to have a least value: first at a million times the start's. */
static double lowest(const crease_solver *s)
{
    return smaller(-1e6 * (1 + fabs(s->run.first)), 1e3 * s->doubted_low);
}

/* Whenever the iterations have doubled: the constraint comes no nearer, or x has doubled and F
 * fallen. Then a certificate is asked for, and with it whether there is an answer at all. */
static bool doubts(crease_solver *s)
{
    enum { FIRST = 10, LONG = 100 }; /* from 0 every x doubles at first */
    const long k = s->run.report.iterations;
    const crs_standing now = crs_portfolio_standing(s->portfolio);
    const double size = crs_norm(crs_portfolio_plan(s->portfolio)->c->n, now.x);
    if (s->settled == 0 && now.ratio * s->run.o.eps <= 1e-2) s->settled = size;
    if (now.objective < lowest(s)) {
        s->doubted_low = now.objective;
        return s->grows = true;
    }
    if (k < (s->doubted > 0 ? 2 * s->doubted : FIRST)) return false;
    const bool first = s->doubted == 0;
    s->grows = k >= LONG && size > 2 * s->core_size && now.objective < s->core_F;
    s->stalls = !first && now.feasibility > s->run.o.eps && now.feasibility > 0.5 * s->doubted_off;
    s->doubted = k;
    s->doubted_off = now.feasibility;
    s->core_size = size;
    s->core_F = now.objective;
    return s->grows || s->stalls;
}

/* What the checker does not confirm is no proof. */
static bool is_separated(crease_solver *s)
{
    enum { MOST_TRIALS = 20 };
    const double *y = s->trials < MOST_TRIALS ? crs_portfolio_separator(s->portfolio) : NULL;
    s->trials += y != NULL;
    return y && crs_confirm_separator(s, y);
}

static crs_advance step(void *self)
{
    crease_solver *s = self;
    if (s->run.report.iterations == 1 && !begin(s)) /* out of memory: another needs less */
        return !crs_portfolio_forced(s->portfolio) && crs_fall_back(s) ? CRS_GO_ON : CRS_BROKEN;
    const crs_core_state said = crs_portfolio_step(s->portfolio);
    tell(s);
    s->claimed = said == CRS_CORE_DONE;
    const bool asks = !s->claimed && (doubts(s) || is_separated(s));
    if (said == CRS_CORE_GOES_ON && !asks) return CRS_GO_ON;
    bring_back(s);
    if (s->claimed || s->separator || said == CRS_CORE_GOES_ON) return CRS_ASKS;
    if (crease_watch_over(&s->run.watch)) return CRS_GO_ON;
    return !crs_portfolio_forced(s->portfolio) && crs_fall_back(s) ? CRS_GO_ON : CRS_DONE;
}

const char *crease_presolve(const crease_solver *s, int k)
{
    const crs_plan *plan = s->portfolio ? crs_portfolio_plan(s->portfolio) : NULL;
    return plan && k < plan->count ? plan->step[k].text : NULL;
}

crease_method crease_planned(const crease_solver *s, int k, const char **needs)
{
    const crs_core *core = s->portfolio && k >= 0 ? crs_portfolio_planned(s->portfolio, k) : NULL;
    if (needs) *needs = core ? core->needs : NULL;
    return core ? crs_method_of(core) : CREASE_METHOD_AUTO;
}

static long evaluations(const void *self)
{
    return crs_portfolio_plan(((const crease_solver *)self)->portfolio)->work.evaluations;
}

/* The iterate of a run that ends without having asked. */
static void certify(void *self, crease_certificate *c)
{
    crease_solver *s = self;
    if (s->run.report.iterations > 0) bring_back(s);
    crs_solver_certify(s, c);
}

static void go_on(void *self)
{
    crease_solver *s = self;
    enum { MOST_AIMS = 12 };
    if (s->claimed && crs_portfolio_aim(s->portfolio, &s->run.now) > MOST_AIMS &&
        !crs_portfolio_forced(s->portfolio))
        crs_fall_back(s);
}

static crease_outcome refute(void *self, bool diverged)
{
    crease_solver *s = self;
    if (s->run.report.iterations == 0) return CREASE_NOT_RUN;
    if (s->separator) return CREASE_INFEASIBLE;
    return crs_refute_core(s, s->stalls, s->grows || diverged);
}

static void settle(void *self) { crs_settle_doubts(self); }

/* What a plain step lowers; with a constraint nobody compares. */
static double merit(void *self)
{
    const crease_solver *s = self;
    if (s->given->range.order > 0) return NAN;
    return s->run.report.iterations == 0 ? s->run.now.objective
                                         : crs_portfolio_standing(s->portfolio).objective;
}

static void result(crs_visitor *v, void *self)
{
    crease_solver *s = self;
    const ptrdiff_t m = s->given->range.order > 0 ? crease_size(&s->given->range) : 0;
    for (int i = 0; i < s->given->count; i++) crs_visits(v, s->best[i], crs_size(s, i));
    crs_visits(v, s->best_lambda, m);
    crs_visit(v, s->a->method);
    crs_visit(v, s->a->L);
    if (crs_visit_reads(v) && s->a->mode != CREASE_MODE_THEORY) {
        const crease_method method = s->a->method;
        crs_retune(s->given, &s->run.o, s->a);
        s->a->method = method;
    }
}

static void visit_numbers(crs_visitor *v, crease_solver *s)
{
    crs_visit(v, s->doubted);
    crs_visit(v, s->doubted_off);
    crs_visit(v, s->doubted_size);
    crs_visit(v, s->doubted_worst);
    crs_visit(v, s->doubted_F);
    crs_visit(v, s->settled);
    crs_visit(v, s->doubted_low);
    crs_visit(v, s->claimed);
    crs_visit(v, s->stalls);
    crs_visit(v, s->grows);
    crs_visit(v, s->core_size);
    crs_visit(v, s->core_F);
    crs_visit(v, s->trials);
}

/* Of a run that has ended, what was found. */
static void visit(crs_visitor *v, void *self)
{
    crease_solver *s = self;
    const bool ended = s->run.report.outcome != CREASE_NOT_RUN;
    const ptrdiff_t m = s->given->range.order > 0 ? crease_size(&s->given->range) : 0;
    int place = ended ? -1 : crs_portfolio_place(s->portfolio);
    crs_visit_choice(v, "place", &place);
    result(v, s);
    if (place < 0) return;
    visit_numbers(v, s);
    for (int i = 0; i < s->given->count; i++) {
        crs_visits(v, s->st.x[i], crs_size(s, i));
        crs_visits(v, s->st.was[i], crs_size(s, i));
    }
    crs_visits(v, s->st.lambda, m);
    crs_portfolio_visit(v, s->portfolio, place, &s->run.watch);
}

const crs_engine crs_cores_engine = {
    .step = step,
    .evaluations = evaluations,
    .certify = certify,
    .keep = crs_solver_keep,
    .go_on = go_on,
    .refute = refute,
    .settle = settle,
    .merit = merit,
    .visit = visit,
    .asks = true,
    .mends_start = true,
};
