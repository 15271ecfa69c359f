/* SPDX-License-Identifier: MIT
 * multipliers: min F(x) s.t. A x = b by a sequence of problems without a constraint,
 *
 *     x^k ~ argmin F(x) + (beta/2)|A x - b - lambda/beta|^2,
 *     lambda <- lambda - beta s,  s = A x^k - b,
 *
 * each solved by another core, and each more accurately: to a third, or a tenth of what |s| asks
 * for, down to half of the tolerances. beta grows by rho while |s| does not fall to theta of what
 * it was. The inner gradient
 *
 *     grad f + beta A'(s - lambda/beta) = grad f - A'(lambda - beta s)
 *
 * is c of the certificate with the new multiplier: what the inner core says of its residual is said
 * of the certificate, and no product is made for it (docs/theory.md, Theorem A). */
#include "composite/multipliers.h"
#include "composite/cores.h"
#include "core/carve.h"

enum { MOST_INNER = 1000, MOST_OUTER = 200, MOST_IDLE = 12 };

static const double theta = 0.25, rho = 5;

typedef struct {
    crs_task task, inside;
    crs_composite *c, *in; /* with the constraint; with a term in its place */
    const crs_core *core;
    void *inner;
    crs_term *pull; /* that term */
    ptrdiff_t m;
    void *memory;          /* of the arrays below */
    double *lambda, *next; /* of this inner problem; lambda - beta s at its iterate */
    double *s, *rhs;
    double *from;           /* x^{k-1} */
    double *tolerance;      /* of the inner problem */
    double *u, *room;       /* products where the inner core shows none; one number a coordinate */
    double *separator;      /* y of separate.c */
    double level;           /* inner tolerances are so many times the task's */
    double off, off_before; /* |s| now and at the end of the last inner problem */
    double ratio, best;     /* now, and the least at the end of an inner problem */
    double most;            /* of beta */
    int outer, taken, idle;
    int place; /* of the inner core in its row */
    bool separates;
} loop;

/* t/limit with 0/0 = 0 */
static double over(double t, double limit) { return t == 0 ? 0 : t / limit; }

static void set_tolerances(loop *a)
{
    for (int i = 0; i < a->c->count; i++) a->tolerance[i] = a->level * a->task.tolerance[i];
}

/* rhs = b + lambda/beta */
static void set_pull(loop *a, double beta)
{
    const double *b = a->c->constraint->rhs;
    a->pull->weight = beta;
    for (ptrdiff_t j = 0; j < a->m; j++) a->rhs[j] = (b ? b[j] : 0) + a->lambda[j] / beta;
}

/* s = A x - b of a point whose products are u */
static void miss(loop *a, const double *u)
{
    const double *b = a->c->constraint->rhs;
    for (ptrdiff_t j = 0; j < a->m; j++) a->s[j] = u[a->pull->at + j] - (b ? b[j] : 0);
    a->off = crs_norm(a->m, a->s);
}

/* Where the inner iterate stands as an answer of the whole: its residual is that of the inner
 * problem. Without u of the inner core that costs
 * products: only at the end of an inner problem. */
static void look(loop *a, bool end)
{
    crs_standing in = { 0 };
    a->core->stand(a->inner, &in);
    if (!in.u && !end) return;
    if (!in.u) crs_products(a->in, in.x, a->u);
    miss(a, in.u ? in.u : a->u);
    for (ptrdiff_t j = 0; j < a->m; j++) a->next[j] = a->lambda[j] - a->pull->weight * a->s[j];
    a->ratio = larger(in.ratio * a->level, over(a->off, *a->task.feasible));
}

/* beta and the inner tolerances of the next inner problem. How |s| falls says something of beta
 * only where it is what is left to do. */
static void tune(loop *a, bool solved)
{
    const double beta = a->pull->weight, far = over(a->off, *a->task.feasible);
    double next = beta;
    const bool open = far > 1 && (solved || far >= a->ratio);
    if (open && a->off > theta * a->off_before) next = rho * beta;
    a->level = larger(0.5, smaller(0.3 * a->level, 0.1 * far));
    a->off_before = a->off;
    set_tolerances(a);
    set_pull(a, next < a->most ? next : beta);
}

static bool open_inner(loop *a, crease_error *e)
{
    a->inside = (crs_task){ .c = a->in, .start = a->from, .tolerance = a->tolerance };
    a->inner = a->core->open(&a->inside, e);
    return a->inner;
}

/* The terms have changed, x has not. */
static bool go_on(loop *a)
{
    a->taken = 0;
    if (a->core->renew) return a->core->renew(a->inner);
    a->core->close(a->inner);
    return open_inner(a, NULL);
}

/* The end of an inner problem: a new multiplier, and the next inner problem. */
static crs_core_state turn(loop *a, bool solved)
{
    crs_standing in = { 0 };
    a->core->stand(a->inner, &in);
    copy(a->c->n, in.x, a->from);
    copy(a->m, a->next, a->lambda);
    a->separates = a->outer > 0 && a->off > *a->task.feasible &&
                   crs_separates(a->c, a->s, a->from, a->separator, a->room);
    if (a->ratio < 0.99 * a->best)
        a->idle = 0;
    else if (solved)
        a->idle++;
    a->best = a->ratio < a->best ? a->ratio : a->best;
    tune(a, solved);
    if (!go_on(a) || ++a->outer > MOST_OUTER || a->idle > MOST_IDLE) return CRS_CORE_STUCK;
    return CRS_CORE_GOES_ON;
}

/* Where an inner core is stuck, the next of its row goes on from there. */
static bool replace_core(loop *a)
{
    const crs_core *next = crs_core_at(a->in, a->place + 1);
    crs_standing in = { 0 };
    if (!next) return false;
    a->core->stand(a->inner, &in);
    copy(a->c->n, in.x, a->from);
    a->core->close(a->inner);
    a->core = next;
    a->place++;
    return open_inner(a, NULL);
}

static crs_core_state step(void *self)
{
    loop *a = self;
    if (!a->inner) return CRS_CORE_STUCK;
    set_tolerances(a);
    const crs_core_state said = a->core->step(a->inner);
    const bool cut = crease_watch_over(a->c->watch);
    const bool end = said != CRS_CORE_GOES_ON || ++a->taken >= MOST_INNER;
    look(a, end || cut);
    if (a->ratio <= 1) return CRS_CORE_DONE;
    if (cut) return CRS_CORE_STUCK;
    if (said == CRS_CORE_STUCK && replace_core(a)) return CRS_CORE_GOES_ON;
    if (isnan(a->ratio) || !a->inner) return CRS_CORE_STUCK;
    return end ? turn(a, said != CRS_CORE_GOES_ON) : CRS_CORE_GOES_ON;
}

static void stand(const void *self, crs_standing *s)
{
    const loop *a = self;
    const double beta = a->pull->weight;
    double added = 0;
    crs_standing in = { 0 };
    if (a->inner) a->core->stand(a->inner, &in);
    *s = (crs_standing){ .x = in.x ? in.x : a->from, .multiplier = a->next, .beta = beta };
    s->ratio = a->ratio;
    s->feasibility = a->off;
    s->separator = a->separates ? a->separator : NULL;
    for (ptrdiff_t j = 0; j < a->m; j++) added += square(a->s[j] - a->lambda[j] / beta);
    s->objective = in.objective - beta / 2 * added;
}

/* Does anything curve? Then the inner problems have a scale of their own. */
static bool curves(const crs_composite *c) { return c->rest.ops || c->terms > 0; }

/* x - t A's, the steepest descent step for A x = b, in the bounds, into `to`; rhs is used up */
static void descend(loop *a, const double *x, double *to)
{
    const crs_composite *c = a->c;
    fill(c->n, 0, to);
    fill(a->m, 0, a->rhs);
    crs_term_adjoint(c, c->constraint, 1, a->s, to);
    crs_term_products(c, c->constraint, 1, to, a->rhs);
    const double t = square(crs_norm(c->n, to) / crs_norm(a->m, a->rhs));
    for (ptrdiff_t j = 0; j < c->n; j++) to[j] = x[j] - t * to[j];
    for (int i = 0; i < c->count; i++)
        for (ptrdiff_t j = c->at[i]; c->separable[i] && j < c->at[i + 1]; j++)
            to[j] = clip(to[j], c->by[j].low, c->by[j].high);
}

/* Where f has no curvature: |F(x') - F(x)| / |s|^2, x' nearer to A x = b; where x is there already,
 * |F(x)| / |b|^2. A start with zeros that are to stay is left for much less than that. */
static double compare(loop *a, const double *x, bool found)
{
    const crs_composite *c = a->c;
    const double *b = c->constraint->rhs, size = b ? crs_norm(a->m, b) : 0;
    const double F = crs_smooth_part(c, x, NULL) + crs_nonsmooth_part(c, x); /* it has no terms */
    if (a->off <= 1e-3 * size) return (found ? 1e3 : 1) * fabs(F) / square(size);
    descend(a, x, a->room);
    const double to = crs_smooth_part(c, a->room, NULL) + crs_nonsmooth_part(c, a->room);
    return fabs(to - F) / square(a->off);
}

/* max L_i / max |A_i|^2, where f curves. */
static bool weigh(loop *a, const double *x, double *beta, crease_error *e)
{
    const crs_term *A = a->c->constraint;
    double *L = a->tolerance, most = 0, norm = 0, pairs = 0;
    if (!crs_block_curvatures(a->c, x, a->u, L, e)) return false;
    for (int i = 0; i < a->c->count; i++) most = larger(most, L[i]);
    for (int k = 0; k < A->parts; k++) {
        if (!crs_matrix_norm(A->part[k].matrix, &pairs, e)) return false;
        a->c->work->entries += 2 * pairs * crs_matrix_entries(A->part[k].matrix);
        norm = larger(norm, A->part[k].matrix->norm);
    }
    *beta = most / square(norm);
    return true;
}

static void carve(void *self, crs_carver *v)
{
    loop *a = self;
    double **of_rows[] = { &a->lambda, &a->next, &a->s, &a->rhs, &a->separator };
    for (int k = 0; k < 5; k++) *of_rows[k] = carve_doubles(v, a->m, 1);
    a->from = carve_doubles(v, a->c->n, 1);
    a->room = carve_doubles(v, a->c->n, 1);
    a->u = carve_doubles(v, a->c->rows + a->m, 1);
    a->tolerance = carve_doubles(v, a->c->count, 1);
}

/* Products of columns go with the term that is worked on: into the inner problem, and back. */
static void hand_over(crs_term *from, crs_term *to)
{
    if (to->gram) return;
    to->gram = from->gram;
    from->gram = NULL;
}

/* The inner problem, with weights still to be set. */
static bool make(loop *a, crease_error *e)
{
    crs_term more;
    a->memory = carve_block(carve, a);
    if (!a->memory) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: multipliers");
    more = *a->c->constraint;
    more.rhs = a->rhs;
    a->in = crs_composite_with(a->c, 1, &more, e);
    if (!a->in) return false;
    a->pull = &a->in->term[a->c->terms];
    for (int t = 0; t < a->c->terms; t++) hand_over(&a->c->term[t], &a->in->term[t]);
    hand_over(a->c->constraint, a->pull);
    a->core = crs_core_at(a->in, 0);
    return true;
}

/* How far the first inner tolerances are from the task's: to a tenth of where it begins. A core may
 * not know yet where it is. */
static void begin(loop *a)
{
    crs_standing in = { 0 };
    a->core->stand(a->inner, &in);
    if (!(in.ratio < INFINITY)) {
        crs_smooth_both(a->in, a->from, a->u, a->room);
        in.ratio = crs_residual(a->in, a->from, a->room, a->tolerance);
    }
    a->level = larger(0.5, 0.1 * in.ratio);
    a->off_before = a->best = INFINITY;
    a->outer = a->idle = a->taken = 0;
    a->separates = false;
    set_tolerances(a);
}

/* An inner problem from x with multiplier `next`: where x meets the constraint already, one whose
 * gradient there is that of (x, next). */
static void aim(loop *a, double beta)
{
    const bool met = a->off <= *a->task.feasible;
    for (ptrdiff_t j = 0; j < a->m; j++) a->lambda[j] = a->next[j] + (met ? beta * a->s[j] : 0);
    a->level = 1;
    a->ratio = INFINITY;
    set_tolerances(a);
    set_pull(a, beta);
}

/* Start, multiplier and beta of the first inner problem. */
static bool prepare(loop *a, crease_error *e)
{
    const crs_task *task = &a->task;
    double beta = task->beta;
    copy(a->c->n, task->start, a->from);
    if (task->multiplier) copy(a->m, task->multiplier, a->next);
    if (crs_norm(a->m, a->next) == 0 && !crs_reweighted_start(a->c, a->from, a->next, e))
        return false;
    crs_products(a->in, a->from, a->u);
    miss(a, a->u);
    const bool found = crs_norm(a->c->n, a->from) > crs_norm(a->c->n, task->start);
    if (beta == 0 && !curves(a->c)) beta = compare(a, a->from, found);
    if (beta == 0 && !weigh(a, a->from, &beta, e)) return false;
    beta = beta > 0 && beta < INFINITY ? beta : 1;
    a->most = 1e10 * beta;
    aim(a, beta);
    return true;
}

static void close(void *self)
{
    loop *a = self;
    if (!a) return;
    if (a->inner) a->core->close(a->inner);
    for (int t = 0; a->in && t < a->c->terms; t++) hand_over(&a->in->term[t], &a->c->term[t]);
    if (a->in) hand_over(a->pull, a->c->constraint);
    crs_composite_free(a->in);
    crs_free(a->memory);
    crs_free(a);
}

static void *open(const crs_task *task, crease_error *e)
{
    loop *a = crs_alloc(1, sizeof *a);
    if (!a) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: multipliers");
        return NULL;
    }
    a->task = *task;
    a->c = task->c;
    a->m = a->c->constraint->rows;
    if (make(a, e) && prepare(a, e) && open_inner(a, e)) {
        begin(a);
        return a;
    }
    close(a);
    return NULL;
}

/* The terms of f as they are now, with the products that are kept of them. */
static void reread(loop *a)
{
    for (int t = 0; t < a->c->terms; t++) {
        crs_term *to = &a->in->term[t], now = a->c->term[t];
        now.gram = to->gram;
        now.at = to->at;
        *to = now;
    }
}

/* b, data or penalties have changed: x, lambda and beta stay. */
static bool renew(void *self)
{
    loop *a = self;
    crs_standing in = { 0 };
    if (!a->inner || !a->core->suits(a->in)) return false;
    reread(a);
    a->core->stand(a->inner, &in);
    copy(a->c->n, in.x, a->from);
    if (!in.u) crs_products(a->in, in.x, a->u);
    miss(a, in.u ? in.u : a->u);
    aim(a, a->pull->weight);
    if (!go_on(a)) return false;
    begin(a);
    return true;
}

/* The inner core that was at it; the terms are those of now. */
static bool take_core(loop *a, int place)
{
    const crs_core *core = crs_core_at(a->in, place);
    if (a->inner && a->place == place) return true;
    if (!core || !core->visit) return false;
    if (a->inner) a->core->close(a->inner);
    a->core = core;
    a->place = place;
    return open_inner(a, NULL);
}

static void visit(crs_visitor *v, void *self)
{
    loop *a = self;
    double *const of_rows[] = { a->lambda, a->next, a->s, a->rhs, a->separator };
    int place = a->place;
    crs_visit_choice(v, "place", &place);
    if (!take_core(a, place) || !a->core->visit || crs_keeps_products(a->in)) {
        crs_visit_refuses(v);
        return;
    }
    for (int k = 0; k < 5; k++) crs_visits(v, of_rows[k], a->m);
    crs_visits(v, a->from, a->c->n);
    crs_visits(v, a->u, a->c->rows + a->m);
    crs_visits(v, a->tolerance, a->c->count);
    crs_visit(v, a->pull->weight);
    crs_visit(v, a->level);
    crs_visit(v, a->off);
    crs_visit(v, a->off_before);
    crs_visit(v, a->ratio);
    crs_visit(v, a->best);
    crs_visit(v, a->most);
    crs_visit(v, a->outer);
    crs_visit(v, a->taken);
    crs_visit(v, a->idle);
    crs_visit(v, a->separates);
    a->core->visit(v, a->inner);
}

static bool suits(const crs_composite *c) { return c->constraint; }

const crs_core crs_core_multipliers = {
    .name = "multipliers",
    .needs = "a constraint",
    .constrained = true,
    .suits = suits,
    .open = open,
    .step = step,
    .stand = stand,
    .renew = renew,
    .close = close,
    .visit = visit,
};
