/* SPDX-License-Identifier: MIT
 * portfolio: one core after another on the presolved problem (decision table: composite/decide.c)
 *
 * A core runs in slices of counted work. Where a slice does not halve the worst residual, the next
 * core of the row goes on from the same point; it stays if it does better, by the fall of the
 * logarithm of the residual per work, and otherwise the first comes back with a longer slice. All
 * lower the same F by test S, so no switch undoes progress. Nothing here depends on time. */
#include "solve/portfolio.h"

enum { SLICE = 50, SLICE_SPECTRA = 10, SLICE_STEPS = 5 };

typedef struct {
    double work, ratio; /* where the slice began */
    double length;      /* in slices */
    long steps;         /* that were taken in it */
} slice;

struct crs_portfolio {
    crease_options o;
    crs_plan *plan;
    const crs_core *core;
    bool forced;
    int place;      /* of the core in its row */
    double rate[2]; /* of the last slice of this core and of the one before; NaN: none */
    slice at;
    void *self;
    crs_task task;
    double *tolerance, *start, *multiplier, feasible;
    double *X, *Lambda; /* the user's */
    int aims;
    double aim; /* tolerances are this times what a certificate asks for */
    crease_watch *watch;
};

static crs_composite *composite(const crs_portfolio *f) { return f->plan->c; }

/* Presolved. A core that is asked for by name and suits the problem as it was given alone takes it
 * so. */
static bool make_plan(crs_portfolio *f, const crease_problem *p, crease_error *e)
{
    const crs_core *named = crs_method_at(f->o.method)->core;
    const uint64_t seed = (uint64_t)f->o.seed;
    const bool practical = f->o.mode == CREASE_MODE_PRACTICAL;
    f->plan = crs_plan_new(p, seed, practical, f->o.watch, e);
    if (!f->plan || !named || f->plan->count == 0 || named->suits(composite(f)) ||
        !named->suits(f->plan->user))
        return f->plan;
    crs_plan_free(f->plan);
    f->plan = crs_plan_new(p, seed, false, f->o.watch, e);
    return f->plan;
}

/* The first of the row, or the one that is asked for. */
static bool choose(crs_portfolio *f, crease_error *e)
{
    const crs_method *m = crs_method_at(f->o.method);
    f->forced = m->core;
    f->core = m->core ? m->core : crs_core_at(composite(f), 0);
    if (!f->core)
        return crs_fail(e, CREASE_UNSUPPORTED, "no core takes this problem; name a method");
    if (f->core->suits(composite(f))) return true;
    return crs_fail(e, CREASE_UNSUPPORTED, "%s needs %s; use another method or auto",
                    crease_method_name(f->o.method), f->core->needs);
}

void crs_portfolio_free(crs_portfolio *f)
{
    if (!f) return;
    if (f->self) f->core->close(f->self);
    crs_plan_free(f->plan);
    crs_free(f->tolerance);
    crs_free(f->start);
    crs_free(f->multiplier);
    crs_free(f->X);
    crs_free(f->Lambda);
    crs_free(f);
}

static bool allocate(crs_portfolio *f, crease_error *e)
{
    const crs_composite *c = composite(f), *user = f->plan->user;
    const ptrdiff_t m = c->constraint ? c->constraint->rows : 0;
    const ptrdiff_t all = user->constraint ? user->constraint->rows : 0;
    f->tolerance = crs_doubles(c->count, "a run", e);
    f->start = crs_doubles(c->n, "a run", e);
    f->multiplier = crs_doubles(m + 1, "a run", e);
    f->X = crs_doubles(user->n, "a run", e);
    f->Lambda = crs_doubles(all + 1, "a run", e);
    return f->tolerance && f->start && f->multiplier && f->X && f->Lambda;
}

crs_portfolio *crs_portfolio_new(const crease_problem *p, const crease_options *o, crease_error *e)
{
    crs_portfolio *f = crs_alloc(1, sizeof *f);
    if (!f) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a run");
        return NULL;
    }
    f->o = *o;
    f->aim = 1;
    if (make_plan(f, p, e) && choose(f, e) && allocate(f, e)) {
        copy(composite(f)->n, composite(f)->start, f->start);
        return f;
    }
    crs_portfolio_free(f);
    return NULL;
}

crease_method crs_portfolio_method(const crs_portfolio *f) { return crs_method_of(f->core); }

const crs_core *crs_portfolio_planned(const crs_portfolio *f, int k)
{
    if (f->forced) return k == 0 ? f->core : NULL;
    return crs_core_at(composite(f), k);
}

const crs_plan *crs_portfolio_plan(const crs_portfolio *f) { return f->plan; }

static double wanted(const crs_portfolio *f, const crease_residual *r)
{
    const double eps = f->o.relative && r->scale > 0 ? f->o.eps * r->scale : f->o.eps;
    return f->aim * 0.9 * pos(eps - r->rounding);
}

static void set_tolerances(crs_portfolio *f, const crease_certificate *c)
{
    for (int i = 0; i < composite(f)->count; i++)
        f->tolerance[i] = wanted(f, &c->block[crs_plan_block(f->plan, i)]);
    if (composite(f)->constraint) f->feasible = wanted(f, &c->feasibility);
}

static void open_slice(crs_portfolio *f, double length)
{
    const crs_work *w = &f->plan->work;
    f->at = (slice){ w->entries / w->unit / SLICE + (double)w->spectra / SLICE_SPECTRA,
                     crs_portfolio_standing(f).ratio, length, 0 };
}

static bool open_core(crs_portfolio *f, crease_error *e)
{
    f->task = (crs_task){ .c = composite(f),
                          .start = f->start,
                          .multiplier = f->multiplier,
                          .tolerance = f->tolerance,
                          .feasible = composite(f)->constraint ? &f->feasible : NULL };
    f->self = f->core->open(&f->task, e);
    return f->self;
}

/* One plain step from a start that is stationary, whatever the tolerances. */
static bool leave_start(crs_portfolio *f, crease_error *e)
{
    crs_standing s;
    fill(composite(f)->count, 0, f->tolerance);
    const crs_task task = { .c = composite(f), .start = f->start, .tolerance = f->tolerance };
    void *self = crs_core_plain.open(&task, e);
    if (!self) return false;
    crs_core_plain.step(self);
    crs_core_plain.stand(self, &s);
    copy(composite(f)->n, s.x, f->start);
    crs_core_plain.close(self);
    return true;
}

static double term_curvature(const crs_term *t)
{
    double sum = 0, each = t->each ? 0 : 1;
    for (ptrdiff_t j = 0; t->each && j < t->rows; j++) each = larger(each, t->each[j]);
    const crs_range line = { -INFINITY, INFINITY };
    const crs_range bend = t->loss ? loss_bend(t->loss, t->par, line) : (crs_range){ 1, 1 };
    const double high = larger(fabs(bend.low), fabs(bend.high));
    for (int k = 0; k < t->parts; k++) {
        const double norm = t->part[k].matrix->norm;
        sum += t->loss ? square(norm) : norm;
    }
    return fabs(t->weight) * each * high * sum;
}

double crs_portfolio_curvature(const crs_portfolio *f)
{
    const crs_composite *c = composite(f);
    double sum = c->rest.ops ? INFINITY : 0;
    for (int t = 0; t < c->terms; t++) sum += term_curvature(&c->term[t]);
    return isnan(sum) ? INFINITY : sum;
}

/* The core that ran goes on with new numbers, or is opened anew where it stands. */
static bool resume(crs_portfolio *f, crease_error *e)
{
    if (f->core->renew && f->core->renew(f->self)) return true;
    const crs_standing s = crs_portfolio_standing(f);
    copy(composite(f)->n, s.x, f->start);
    if (composite(f)->constraint && s.multiplier)
        copy(composite(f)->constraint->rows, s.multiplier, f->multiplier);
    f->core->close(f->self);
    return open_core(f, e);
}

void crs_portfolio_multiplier(crs_portfolio *f, const double *lambda)
{
    const crs_composite *c = composite(f);
    if (f->plan->count == 0 && c->constraint) copy(c->constraint->rows, lambda, f->multiplier);
}

/* A problem that was reduced is reduced again; its blocks begin where they are. */
static bool replan(crs_portfolio *f, const crease_problem *p, const double *const *x,
                   crease_error *e)
{
    crs_portfolio *new = crs_portfolio_new(p, &f->o, e);
    if (!new) return false;
    const crs_composite *c = composite(new);
    for (int i = 0; i < c->count; i++)
        copy(crs_block_size(c, i), x[crs_plan_block(new->plan, i)], new->start + c->at[i]);
    const crs_portfolio was = *f;
    *f = *new;
    *new = was;
    crs_portfolio_free(new);
    return true;
}

bool crs_portfolio_update(crs_portfolio *f, const crease_problem *p, const double *const *x,
                          crease_error *e)
{
    crs_work *w = &f->plan->work;
    *w = (crs_work){ .unit = w->unit };
    f->aim = 1;
    if (f->plan->count > 0) return replan(f, p, x, e);
    if (!crs_composite_update(f->plan->user, p, e)) return false;
    return f->core->suits(composite(f)) || replan(f, p, x, e);
}

static void set_watch(crs_portfolio *f, crease_watch *w)
{
    f->watch = w;
    f->plan->user->watch = w;
    for (int k = 0; k < f->plan->count; k++) f->plan->step[k].to->watch = w;
}

bool crs_portfolio_begin(crs_portfolio *f, crease_watch *w, const crease_certificate *c,
                         bool doubted, crease_error *e)
{
    set_watch(f, w);
    if (doubted && !f->self && crs_core_plain.suits(composite(f)) && !leave_start(f, e))
        return false;
    set_tolerances(f, c);
    if (f->self ? !resume(f, e) : !open_core(f, e)) return false;
    open_slice(f, 1);
    f->rate[0] = f->rate[1] = NAN;
    return true;
}

/* Without a core, for want of memory, where one would have begun. */
crs_standing crs_portfolio_standing(const crs_portfolio *f)
{
    crs_standing s = { .x = f->start, .multiplier = f->multiplier, .objective = NAN };
    s.ratio = s.feasibility = NAN;
    if (f->self) f->core->stand(f->self, &s);
    return s;
}

/* Another core goes on where this one stands. */
static bool hand_over(crs_portfolio *f, int place)
{
    const crs_standing s = crs_portfolio_standing(f);
    const crs_core *next = crs_core_at(composite(f), place);
    if (!next) return false;
    copy(composite(f)->n, s.x, f->start);
    if (composite(f)->constraint && s.multiplier)
        copy(composite(f)->constraint->rows, s.multiplier, f->multiplier);
    f->core->close(f->self);
    f->self = NULL;
    f->core = next;
    f->place = place;
    return open_core(f, NULL);
}

/* At the end of a slice that did not halve the residual. */
static void race(crs_portfolio *f, double spent, double ratio)
{
    const double rate = log(f->at.ratio / ratio) / spent, other = f->rate[1];
    const double length = f->at.length;
    f->rate[0] = rate;
    if (!isnan(other) && !(rate > other)) { /* the one before did better */
        if (hand_over(f, f->place - 1)) f->rate[0] = other, f->rate[1] = NAN;
        open_slice(f, 4 * length);
        return;
    }
    if (hand_over(f, f->place + 1)) f->rate[1] = rate, f->rate[0] = NAN;
    open_slice(f, length);
}

crs_core_state crs_portfolio_step(crs_portfolio *f)
{
    const crs_work *w = &f->plan->work;
    if (!f->self) return CRS_CORE_STUCK;
    const crs_core_state said = f->core->step(f->self);
    if (said == CRS_CORE_DONE || f->forced) return said;
    if (said == CRS_CORE_STUCK) {
        if (crease_watch_over(f->watch) || !hand_over(f, f->place + 1)) return said;
        f->rate[1] = NAN;
        open_slice(f, 1);
        return CRS_CORE_GOES_ON;
    }
    const double now = w->entries / w->unit / SLICE + (double)w->spectra / SLICE_SPECTRA;
    const double spent = now - f->at.work;
    const double patience = f->core->patience > 0 ? f->core->patience : 1;
    if (++f->at.steps < SLICE_STEPS || spent < patience * f->at.length) return said;
    const double ratio = crs_portfolio_standing(f).ratio;
    if (ratio <= f->at.ratio / 2)
        open_slice(f, f->at.length);
    else
        race(f, spent, ratio);
    return f->self ? CRS_CORE_GOES_ON : CRS_CORE_STUCK;
}

int crs_portfolio_aim(crs_portfolio *f, const crease_certificate *c)
{
    f->aim = larger(0.3 * f->aim, 1e-6);
    set_tolerances(f, c);
    return ++f->aims;
}

void crs_portfolio_point(const crs_portfolio *f, double *const *x, double *lambda)
{
    const crs_composite *user = f->plan->user;
    const crs_standing s = crs_portfolio_standing(f);
    crs_plan_back(f->plan, s.x, s.multiplier ? s.multiplier : f->multiplier, f->X, f->Lambda);
    for (int i = 0; i < user->count; i++) copy(crs_block_size(user, i), f->X + user->at[i], x[i]);
    if (lambda && user->constraint) copy(user->constraint->rows, f->Lambda, lambda);
}

bool crs_portfolio_forced(const crs_portfolio *f) { return f->forced; }

/* Rows that a reduction made are not the user's. */
const double *crs_portfolio_separator(const crs_portfolio *f)
{
    return f->self && f->plan->count == 0 ? crs_portfolio_standing(f).separator : NULL;
}

double crs_portfolio_pairs(const crs_portfolio *f)
{
    return f->plan->work.unit > 0 ? f->plan->work.entries / f->plan->work.unit : 0;
}

int crs_portfolio_place(const crs_portfolio *f) { return f->place; }

/* The core of this place is open. */
static bool take_core(crs_portfolio *f, int place, crease_watch *w)
{
    const crs_core *core = f->forced ? f->core : crs_core_at(composite(f), place);
    if (f->self && f->place == place) return true;
    if (!core || !core->visit) return false;
    set_watch(f, w);
    if (f->self) f->core->close(f->self);
    f->self = NULL;
    f->core = core;
    f->place = place;
    return open_core(f, NULL);
}

void crs_portfolio_visit(crs_visitor *v, crs_portfolio *f, int place, crease_watch *w)
{
    const crs_composite *c = composite(f);
    if ((!crs_visit_writes(v) && !take_core(f, place, w)) || !f->self || !f->core->visit ||
        crs_keeps_products(c)) {
        crs_visit_refuses(v);
        return;
    }
    crs_visit(v, f->rate);
    crs_visit(v, f->at);
    crs_visit(v, f->feasible);
    crs_visit(v, f->aims);
    crs_visit(v, f->aim);
    crs_visit(v, f->plan->work);
    crs_visits(v, f->tolerance, c->count);
    crs_visits(v, f->start, c->n);
    crs_visits(v, f->multiplier, c->constraint ? c->constraint->rows : 0);
    f->core->visit(v, f->self);
}
