/* SPDX-License-Identifier: MIT
 * blocks: the engine of problems in blocks: its memory, one block after which nothing is allocated;
 * the slack of the extension; its start inside the sets, with the multiplier that belongs to it;
 * its iteration, a step of a method with extrapolation before and an audit behind it; what it found
 */
#include <crease/random.h>

#include "certify/certify.h"
#include "core/carve.h"
#include "core/parallel.h"
#include "solve/solver.h"
#include "theory/theory.h"

/* A vector for every block, and the pointers to them. */
static double **carve_point(const crease_solver *s, crs_carver *c)
{
    double **x = carve_bytes(c, s->p->count, sizeof *x);
    for (int i = 0; i < s->p->count; i++) {
        double *here = carve_doubles(c, crs_size(s, i), 1);
        if (x) x[i] = here;
    }
    return x;
}

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

/* Operations, joint proxes and generalized oracles: whatever a step may call. */
static ptrdiff_t step_scratch(const crease_solver *s)
{
    ptrdiff_t n = crs_problem_scratch(s->p);
    for (int i = 0; i < s->p->count; i++) {
        const crease_reg *r = crs_reg_of(s->p, i);
        const crease_set *c = s->p->block[i].set;
        if (!c) continue;
        n = most(n, crease_set_scratch(c, &s->p->space[i]));
        n = most(n, s->method->oracle ? crease_lmo_with_scratch(c, r, &s->p->space[i])
                                      : crease_joint_scratch(r, c, &s->p->space[i]));
    }
    return n;
}

/* Counting and carving are one walk, so that they cannot disagree. */
static void walk(crease_solver *s, crs_carver *c)
{
    const int N = s->p->count;
    const ptrdiff_t m = s->p->range.order > 0 ? crease_size(&s->p->range) : 0;
    const ptrdiff_t n = crs_largest_block(s->p);
    double ***point[] = { &s->st.x, &s->st.was, &s->st.to, &s->before, &s->kept, &s->best };
    double **of_range[] = { &s->st.lambda,   &s->st.s,        &s->st.m,
                            &s->kept_lambda, &s->best_lambda, &s->s_before };
    double **of_block[] = { &s->st.g, &s->st.v, &s->st.y };
    for (int k = 0; k < 6; k++) *point[k] = carve_point(s, c);
    for (int k = 0; k < 6; k++) *of_range[k] = carve_doubles(c, m, 1);
    for (int k = 0; k < 3; k++) *of_block[k] = carve_doubles(c, n, 1);
    double **of_images[] = { &s->st.u, &s->st.u_last, &s->st.u_from, &s->u_before };
    for (int k = 0; k < 4; k++) *of_images[k] = carve_doubles(c, crs_images_size(s->p), 1);
    s->st.guess = carve_doubles(c, N, 1);
    s->st.r = carve_doubles(c, N, 1);
    s->st.share = carve_doubles(c, N, 1);
    s->r_before = carve_doubles(c, N, 1);
    s->st.factors = carve_doubles(c, crs_prox_room(s->p), 1);
    s->st.solve =
        carve_doubles(c, s->method->solver_size ? s->method->solver_size(s->p, s->a) : 0, 1);
    s->st.work = carve_doubles(c, step_scratch(s), 1);
    crs_carve_factors(s->p, s->a, c, &s->st.factored);
    s->certify_work = carve_doubles(c, crs_certify_room(s->given, s->method->oracle), 1);
    s->run.now.block = carve_bytes(c, N, sizeof(crease_residual));
    s->run.best.block = carve_bytes(c, N, sizeof(crease_residual));
}

bool crs_solver_forecast(const crease_problem *p, const crease_analysis *a, ptrdiff_t *doubles,
                         crease_error *e)
{
    crs_extension *x = NULL;
    crease_solver s = {
        .given = p, .p = p, .a = (crease_analysis *)a, .method = crs_method_for(a)
    };
    crs_carver count = { NULL, 0 };
    if (s.method->slack) {
        x = crs_extension_new(p, a->mu, e);
        if (!x) return false;
        s.p = &x->problem;
    }
    walk(&s, &count);
    crs_extension_free(x);
    *doubles = count.used / (ptrdiff_t)sizeof(double);
    return true;
}

static bool allocate(crease_solver *s, crease_error *e)
{
    crs_carver count = { NULL, 0 };
    walk(s, &count);
    s->memory = count.used < 0 ? NULL : crs_alloc((size_t)count.used + CRS_LINE, 1);
    if (!s->memory)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a solver of %d blocks", s->p->count);
    crs_carver carving = carver_of(s->memory);
    walk(s, &carving);
    return true;
}

/* A residual by the measure that is compared with eps. */
static double rated(const crease_solver *s, const crease_residual *r)
{
    return s->run.o.relative && r->residual != 0 ? r->residual / r->scale : r->residual;
}

/* y = b - sum A_i x_i, lambda = mu (y - center): the slack takes up the whole residual. */
static void restart_extension(crease_solver *s)
{
    const int N = s->p->count - 1;
    const ptrdiff_t m = crease_size(&s->p->range);
    fill(m, 0, s->st.x[N]);
    crs_refresh(&s->st); /* the slack has no image */
    for (ptrdiff_t j = 0; j < m; j++) {
        s->st.x[N][j] = -s->st.s[j];
        s->st.lambda[j] = s->extension->mu * (s->st.x[N][j] - s->extension->center[j]);
        s->st.s[j] = 0;
    }
}

/* The slack of the extension stalls at |lambda - lambda^0|/mu, lambda^0 the multiplier it is
 * centred on. Then a new run begins here: about lambda, with a larger mu where that did not help;
 * outside practical mode about 0 still, with the mu that makes |lambda|/mu small enough. */
static void adapt_extension(crease_solver *s)
{
    double blocks = 0;
    for (int i = 0; i < s->given->count; i++)
        blocks = larger(blocks, rated(s, &s->run.now.block[i]));
    const double feasibility = s->run.now.feasibility.residual;
    const double off = rated(s, &s->run.now.feasibility);
    const bool practical = s->a->mode == CREASE_MODE_PRACTICAL;
    const double solved = practical ? larger(s->run.o.eps, 0.1 * off) : s->run.o.eps;
    if (!(blocks <= solved) || off <= s->run.o.eps || s->a->mu_fixed) return;
    const crease_space *range = &s->p->range;
    if (crease_norm(range, s->st.s) > 0.1 * feasibility) return;
    const double mu = s->extension->mu;
    const double wanted = 1.2 * crease_norm(range, s->st.lambda) / s->run.o.eps;
    if (s->a->mode != CREASE_MODE_PRACTICAL)
        crs_extension_set_mu(s->extension, larger(1.2 * mu, wanted));
    else if (feasibility > 0.9 * s->stalled)
        crs_extension_set_mu(s->extension, 2 * mu);
    if (s->a->mode == CREASE_MODE_PRACTICAL)
        crs_extension_set_multiplier(s->extension, s->st.lambda);
    s->stalled = feasibility;
    s->a->mu = s->a->last_low = s->a->last_high = s->extension->mu;
    crs_retune(s->p, &s->run.o, s->a);
    restart_extension(s);
    crs_forget_before(s);
    s->potential = NAN;
    s->since_restart = 0;
    s->run.report.restarts++;
}

/* A_N'lambda = grad_N f(x^0): a start that is stationary is known for one at once. Only where the
 * parameters are not a theorem's, which counts from lambda^0 = 0. */
static void start_multiplier(crease_solver *s)
{
    const int N = s->a->last;
    const double scale = s->a->map_scale;
    if (s->a->mode != CREASE_MODE_PRACTICAL || isnan(scale) || !s->p->block[N].start) return;
    crs_gradient(&s->st, N, s->st.g);
    for (ptrdiff_t j = 0, n = crs_size(s, N); j < n; j++) s->st.lambda[j] = s->st.g[j] / scale;
}

/* How fast grad_i f changes between the start and a point near it: never more than L_i, so that
 * doubling ends below 2 L_i. Where nothing changes, 0.01. */
static double first_guess(crease_solver *s, int i)
{
    const crease_random r = { 0, 18 };
    const crease_blocks b = crs_blocks(s->p);
    const crease_smooth *f = &s->p->f;
    const ptrdiff_t n = crs_size(s, i);
    double *x = s->st.x[i], change = 0, moved = 0;
    if (s->a->block[i].lipschitz < INFINITY || i == s->a->last) return s->a->block[i].lipschitz;
    if (f->ops->curvature && f->ops->curvature(f, &b, points(s->st.x), i, s->st.work) < INFINITY)
        return 1e-2; /* nothing is guessed there */
    copy(n, x, s->st.v);
    crs_grad(s->p, points(s->st.x), i, s->st.g, s->st.work);
    for (ptrdiff_t j = 0; j < n; j++) {
        x[j] += 1e-3 * crease_random_normal(r, (uint64_t)j);
        moved += square(x[j] - s->st.v[j]);
    }
    crs_grad(s->p, points(s->st.x), i, s->st.y, s->st.work);
    for (ptrdiff_t j = 0; j < n; j++) change += square(s->st.y[j] - s->st.g[j]);
    copy(n, s->st.v, x);
    const crease_space *own = &s->p->space[i];
    const double slope = sqrt(crease_sum(own, change) / crease_sum(own, moved));
    return slope > 0 && slope < INFINITY ? slope : 1e-2;
}

/* What belongs to x: multiplier and residual, L-hats, memory of the steps before. */
static void settle_in(crease_solver *s)
{
    if (s->extension) {
        restart_extension(s);
    } else {
        crs_refresh(&s->st);
        if (s->a->last >= 0) start_multiplier(s);
    }
    for (int i = 0; i < s->p->count; i++) s->st.guess[i] = first_guess(s, i);
    /* doubling from below rho ends below 2 rho, which the bound counts on */
    const double rho = s->a->rho;
    s->st.rho_guess = !s->a->backtrack_rho && rho < INFINITY ? rho
                      : rho > 0                              ? smaller(1e-3, rho)
                                                             : 1e-3;
    crs_forget_before(s);
    crs_copy_point(s, s->st.x, s->st.was);
    s->potential = NAN;
}

/* x^0 projected onto the sets */
static void start_run(crease_solver *s)
{
    for (int i = 0; i < s->p->count; i++) /* the memory of oracles has no room for a joint prox */
        s->run.report.moved_starts += crs_start_block(s->p, i, (uint64_t)s->run.o.seed,
                                                      !s->method->oracle, s->st.x[i], s->st.work);
    crs_copy_point(s, s->st.x, s->best);
    if (!s->portfolio) settle_in(s);
}

/* x <- x + size * (random direction), the same one at every call */
static double nudge(crease_solver *s, double size)
{
    const crease_random r = { (uint64_t)s->run.o.seed, 17 };
    double all = 0;
    uint64_t k = 0;
    for (int i = 0; i < s->p->count; i++) {
        const bool split = s->p->space[i].comm;
        double sum = split ? 0 : all;
        for (ptrdiff_t j = 0, n = crs_size(s, i); j < n; j++) {
            const double d = size * crease_random_normal(r, k++);
            s->st.x[i][j] += d;
            sum += d * d;
        }
        all = split ? all + crease_sum(&s->p->space[i], sum) : sum;
    }
    return sqrt(all);
}

/* A Lipschitz constant of grad_N f seen between the start and a point near it, and the parameters
 * that follow from it; doubling mends a guess that is too small. */
static void guess_constants(crease_solver *s)
{
    const int last = s->a->last;
    const ptrdiff_t n = crs_size(s, last);
    double change = 0;
    crs_copy_point(s, s->st.x, s->kept);
    crs_grad(s->p, points(s->st.x), last, s->st.g, s->st.work);
    const double moved = nudge(s, 1e-3);
    crs_grad(s->p, points(s->st.x), last, s->st.y, s->st.work);
    for (ptrdiff_t j = 0; j < n; j++) change += square(s->st.y[j] - s->st.g[j]);
    change = crease_sum(&s->p->space[last], change);
    crs_copy_point(s, s->kept, s->st.x);
    s->a->M = larger(sqrt(change) / moved, 1e-6);
    if (!(s->a->L_last < INFINITY)) s->a->L_last = s->a->M;
    crs_retune(s->p, &s->run.o, s->a);
}

/* sum_{i != last} |x_i - was_i|^2 + last_weight |x_N - was_N|^2 */
static double moved(const crease_solver *s)
{
    double all = 0;
    for (int i = 0; i < s->p->count; i++) {
        const double weight = i == s->a->last ? s->a->last_weight : 1;
        const bool split = s->p->space[i].comm;
        double sum = split ? 0 : all;
        for (ptrdiff_t j = 0, n = crs_size(s, i); j < n; j++)
            sum += weight * square(s->st.x[i][j] - s->st.was[i][j]);
        all = split ? all + crease_sum(&s->p->space[i], sum) : sum;
    }
    return all;
}

/* Back to where the step began, with twice the constant: the new parameters start a new run. */
static void step_back(crease_solver *s)
{
    crs_copy_point(s, s->st.was, s->st.x);
    copy(crease_size(&s->p->range), s->kept_lambda, s->st.lambda);
    crs_refresh(&s->st);
    s->a->M *= 2;
    crs_retune(s->p, &s->run.o, s->a);
    if (s->method->prepare) s->method->prepare(&s->st, NULL);
    s->potential = NAN;
    s->since_restart = 0;
    s->run.report.restarts++;
}

/* The potential must fall by decrease * move^2 every iteration. A rise beyond rounding means that
 * an assumption is false; it is counted and reported, never hidden. False when a step was taken
 * back because M was guessed too small. */
static bool audit(crease_solver *s, double move)
{
    const double now = crs_potential(&s->st), before = s->potential;
    const double promised = s->a->guarantee ? s->a->decrease * move : 0;
    s->run.progress.potential = now;
    s->run.progress.decrease = before - now;
    s->potential = now;
    if (isnan(before)) return true;
    const double squares =
        s->a->last >= 0 ? s->a->beta * square(crease_norm(&s->p->range, s->st.s)) : 0;
    const double rise = crs_rise(before, now, promised, squares);
    const bool below = s->a->adaptive && now < s->a->lower;
    if (!(rise > 1e-10) && !below) return true;
    if (s->a->adaptive && s->a->M < 1e100) {
        step_back(s);
        return false;
    }
    crs_count_rise(&s->run.report, s->a, rise);
    return true;
}

static crs_advance step(void *self)
{
    enum { FRESH = 20 }; /* so many iterations between recomputations */
    crease_solver *s = self;
    if (s->run.report.iterations % FRESH == 0) crs_refresh_both(s);
    const bool fast = crs_extrapolates(s), audited = fast || s->run.o.audit || s->a->adaptive ||
                                                     s->a->mode == CREASE_MODE_THEORY;
    if (fast && !isnan(s->potential)) crs_extrapolate(s);
    crs_copy_point(s, s->st.x, s->st.was);
    if (s->a->adaptive) copy(crease_size(&s->p->range), s->st.lambda, s->kept_lambda);
    s->method->step(&s->st);
    const double move = moved(s);
    if (audited && !s->method->oracle && !audit(s, move)) return CRS_GO_ON;
    s->run.progress.theta = move + (s->a->theta_factor > 1 ? s->last_move : 0);
    s->last_move = move;
    if (s->run.report.iterations == 1)
        s->run.report.bound =
            crease_iteration_bound(s->a, crs_potential(&s->st) - s->a->lower, s->run.o.eps);
    return CRS_GO_ON;
}

static long evaluations(const void *self) { return ((const crease_solver *)self)->st.evaluations; }

void crs_solver_certify(void *self, crease_certificate *c)
{
    const crease_solver *s = self;
    c->reference = s->reference;
    c->watch = &s->run.watch;
    if (s->method->oracle)
        crs_certify_gap(s->given, points(s->st.x), c, s->certify_work);
    else
        crease_certify(s->given, points(s->st.x), s->st.lambda, c, s->certify_work);
}

void crs_solver_keep(void *self)
{
    const crease_solver *s = self;
    crs_copy_point(s, s->st.x, s->best);
    if (s->p->range.order > 0) copy(crease_size(&s->p->range), s->st.lambda, s->best_lambda);
}

static void go_on(void *self)
{
    crease_solver *s = self;
    if (s->extension) adapt_extension(s);
}

static crease_outcome refute(void *self, bool diverged) { return crs_refute(self, diverged); }
static void settle(void *self) { crs_settle_doubts(self); }
static double merit(void *self) { return crs_potential(&((crease_solver *)self)->st); }

static void visit_point(crs_visitor *v, const crease_solver *s, double **x)
{
    for (int i = 0; i < s->p->count; i++) crs_visits(v, x[i], crs_size(s, i));
}

static void visit_vectors(crs_visitor *v, crease_solver *s)
{
    const ptrdiff_t m = s->p->range.order > 0 ? crease_size(&s->p->range) : 0;
    const ptrdiff_t images = crs_images_size(s->p);
    double **const point[] = { s->st.x, s->st.was, s->st.to, s->before, s->kept, s->best };
    double *const of_range[] = { s->st.lambda,   s->st.s,        s->st.m,
                                 s->kept_lambda, s->best_lambda, s->s_before };
    double *const of_images[] = { s->st.u, s->st.u_last, s->st.u_from, s->u_before };
    for (int k = 0; k < 6; k++) visit_point(v, s, point[k]);
    for (int k = 0; k < 6; k++) crs_visits(v, of_range[k], m);
    for (int k = 0; k < 4; k++) crs_visits(v, of_images[k], images);
    crs_visits(v, s->st.guess, s->p->count);
    crs_visits(v, s->st.r, s->p->count);
    crs_visits(v, s->r_before, s->p->count);
    crs_visits(v, s->st.factors, crs_prox_room(s->p));
    crs_visits(v, s->st.solve, s->method->solver_size ? s->method->solver_size(s->p, s->a) : 0);
}

static void visit_doubts(crs_visitor *v, crease_solver *s)
{
    crs_visit(v, s->doubted);
    crs_visit(v, s->doubted_off);
    crs_visit(v, s->doubted_size);
    crs_visit(v, s->doubted_worst);
    crs_visit(v, s->doubted_F);
    crs_visit(v, s->settled);
    crs_visit(v, s->doubted_low);
    crs_visit(v, s->trials);
}

/* Constants that are found on the way, and what follows from them */
static void visit_constants(crs_visitor *v, crease_solver *s)
{
    crease_analysis *a = s->a;
    double mu = s->extension ? s->extension->mu : 0;
    crs_visit(v, mu);
    crs_visit(v, a->M);
    crs_visit(v, a->L_last);
    crs_visit(v, a->mu);
    crs_visit(v, a->last_low);
    crs_visit(v, a->last_high);
    if (s->extension) crs_visits(v, s->extension->center, crease_size(&s->p->range));
    if (!crs_visit_reads(v)) return;
    if (s->extension) crs_extension_set_mu(s->extension, mu);
    if (s->extension || a->adaptive) crs_retune(s->p, &s->run.o, a);
}

static void visit(crs_visitor *v, void *self)
{
    crease_solver *s = self;
    visit_constants(v, s);
    visit_vectors(v, s);
    visit_doubts(v, s);
    crs_visit(v, s->st.gap);
    crs_visit(v, s->st.rho_guess);
    crs_visit(v, s->st.evaluations);
    crs_visit(v, s->potential);
    crs_visit(v, s->last_move);
    crs_visit(v, s->stalled);
    crs_visit(v, s->since_restart);
}

void crs_solver_visit(crs_visitor *v, crease_solver *s) { crs_driver_visit(v, &s->run); }

static const crs_engine engine = {
    .step = step,
    .evaluations = evaluations,
    .certify = crs_solver_certify,
    .keep = crs_solver_keep,
    .go_on = go_on,
    .refute = refute,
    .settle = settle,
    .merit = merit,
    .visit = visit,
    .mends_start = true,
};

void crease_solver_free(crease_solver *s)
{
    if (!s) return;
    crs_extension_free(s->extension);
    crs_portfolio_free(s->portfolio);
    crs_points_free(s->points);
    crease_reference_free(s->reference);
    crease_analysis_free(s->a);
    crs_crew_free(s->st.crew);
    crs_forget_ray(s);
    crs_free(s->separator);
    crs_free(s->memory);
    crs_free(s);
}

/* A user's own gradient that is not one would be believed by every certificate. */
static bool check_gradients(crease_solver *s, crease_error *e)
{
    const crease_blocks b = crs_blocks(s->given);
    char name[32];
    double off;
    if (!crs_has_callback(&s->given->f) || s->run.comm) return true;
    for (int i = 0; i < s->given->count; i++) {
        if (!crease_smooth_check_gradient(&s->given->f, &b, points(s->st.x), i, 3, &off, e))
            return false;
        if (!(off < 1e-3))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "the gradient of f in block %s differs from central differences of its "
                            "values by %.2g (relative) at the start point; mend grad or value",
                            crs_block_name(s->given, i, name), off);
    }
    return true;
}

/* Squares of gradients and residuals are added up everywhere. What is not finite is the driver's to
 * judge, and a relative eps alone asks for tiny numbers. */
static bool check_size(crease_solver *s, crease_error *e)
{
    const crease_problem *p = s->given;
    double most = p->rhs ? crease_norm(&p->range, p->rhs) : 0;
    for (int i = 0; i < p->count; i++) {
        crs_grad(p, points(s->st.x), i, s->st.g, s->st.work);
        most = larger(most, crease_norm(&p->space[i], s->st.g));
        (void)crease_watch_over(s->st.watch); /* gives looks */
    }
    if (isfinite(most) && isinf(crs_f(p, points(s->st.x), s->st.work)) && !crs_has_callback(&p->f))
        return crs_fail(e, CREASE_BAD_DATA,
                        "f is infinite at the start point: its data are too large; divide them, or "
                        "start elsewhere");
    const bool small = s->run.o.relative && most < ldexp(1, -CRS_LARGEST_POWER);
    if (!isfinite(most) || most == 0 || (!small && most <= ldexp(1, CRS_LARGEST_POWER)))
        return true;
    return crs_fail(e, CREASE_BAD_DATA,
                    "the gradient of f at the start point and the right-hand side have a norm of "
                    "%g at most, too %s: a double cannot hold its square; give the data in a unit "
                    "1e%d times as %s",
                    most, small ? "small" : "large", (int)lround(fabs(log10(most))),
                    small ? "small" : "large");
}

/* The cores take it where they can; auto falls back to the paper's methods. */
static bool open_portfolio(crease_solver *s, crease_options *o, crease_error *e)
{
    crease_error why = { CREASE_OK, "" };
    if (!crs_wants_cores(o)) return true;
    if (!crease_problem_check(s->given, e)) return false;
    s->portfolio = crs_portfolio_new(s->given, o, &why);
    if (s->portfolio) {
        o->method = crs_portfolio_method(s->portfolio);
        return true;
    }
    return (o->method == CREASE_METHOD_AUTO && why.code != CREASE_NO_MEMORY) ||
           crs_fail(e, why.code, "%s", why.text);
}

/* The threads that make its steps; one where ranks share a vector, or cores make them. */
static bool gather_crew(crease_solver *s, crease_error *e)
{
    const int most = crs_threads();
    const int threads = s->run.o.threads < most ? (int)s->run.o.threads : most;
    s->st.crew = NULL;
    s->st.worth = 5e-5; /* some ten times what waking threads takes */
    if (s->portfolio || s->run.comm || threads < 2) return true;
    if (!crs_crew_open(s->p, s->a, threads, step_scratch(s), &s->st.crew, e)) return false;
    if (!s->st.crew) return true;
    s->a->levels = crs_crew_sweep(s->st.crew)->count;
    s->a->widest = crs_crew_sweep(s->st.crew)->widest;
    return true;
}

/* The problem that the method runs, its memory and its state; a has been made. */
static bool furnish(crease_solver *s, crease_error *e)
{
    s->p = s->given;
    s->method = crs_method_for(s->a);
    if (s->method->slack) {
        s->extension = crs_extension_new(s->given, s->a->mu, e);
        if (!s->extension) return false;
        s->p = &s->extension->problem;
    }
    if (!allocate(s, e)) return false;
    s->run.blocks = s->p->count;
    s->st.p = s->p;
    s->st.a = s->a;
    /* limits are looked at between steps where ranks end together */
    s->st.watch = s->run.comm ? NULL : &s->run.watch;
    return gather_crew(s, e);
}

static bool ready(crease_solver *s, crease_error *e)
{
    if (s->a->adaptive) guess_constants(s);
    return crs_prepare_factors(&s->st, e) && (!s->method->prepare || s->method->prepare(&s->st, e));
}

static bool build(crease_solver *s, crease_options *o, crease_error *e)
{
    s->a = crs_analyse(s->given, o, o->mode == CREASE_MODE_THEORY ? CRS_EFFORT : 0, e);
    const crs_engine *by = s->portfolio ? &crs_cores_engine : &engine;
    if (!s->a || !crs_driver_open(&s->run, by, s, o, s->a, e)) return false;
    if (!furnish(s, e)) return false;
    if (o->relative) s->reference = crs_reference_new(s->given, &s->run.watch, e);
    if (o->relative && !s->reference) return false;
    start_run(s);
    return check_gradients(s, e) && check_size(s, e) && ready(s, e);
}

/* What was found so far moves into the memory of another method. */
static void move_in(crease_solver *s, const crease_solver *was)
{
    const int N = s->given->count;
    const ptrdiff_t m = s->given->range.order > 0 ? crease_size(&s->given->range) : 0;
    crease_residual *now = s->run.now.block, *best = s->run.best.block;
    for (int i = 0; i < N; i++) {
        copy(crs_size(s, i), was->st.x[i], s->st.x[i]);
        copy(crs_size(s, i), was->best[i], s->best[i]);
        now[i] = was->run.now.block[i], best[i] = was->run.best.block[i];
    }
    copy(m, was->st.lambda, s->st.lambda);
    copy(m, was->best_lambda, s->best_lambda);
    s->run.now = was->run.now, s->run.best = was->run.best;
    s->run.now.block = now, s->run.best.block = best;
    s->st.evaluations = was->st.evaluations + was->run.report.evaluations;
}

bool crs_fall_back(crease_solver *s)
{
    crease_options o = s->run.o;
    crease_solver was = *s;
    o.method = CREASE_METHOD_AUTO;
    s->a = crs_analyse(s->given, &o, 0, NULL);
    s->memory = NULL;
    s->portfolio = NULL;
    if (s->a && furnish(s, NULL)) {
        move_in(s, &was);
        settle_in(s);
        if (ready(s, NULL)) {
            s->run.engine = &engine;
            s->run.o.method = s->a->method;
            s->run.report.restarts++;
            crs_portfolio_free(was.portfolio);
            crease_analysis_free(was.a);
            crs_free(was.memory);
            return true;
        }
    }
    crs_extension_free(s->extension);
    crease_analysis_free(s->a);
    crs_crew_free(s->st.crew);
    crs_free(s->memory);
    *s = was;
    return false;
}

/* Checkpoints of several ranks need not be of one iteration. */
static bool notes_nothing(const crease_solver *s, const crease_options *o, crease_error *e)
{
    return !s->run.comm || !crs_watch_checkpoint(o->watch) ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "a run over ranks is not noted in a checkpoint; leave the checkpoint out");
}

static crease_solver *new_solver(const crease_problem *p, const crease_options *o, bool cores,
                                 crease_error *e)
{
    crease_solver *s = crs_alloc(1, sizeof *s);
    if (!s) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a solver");
        return NULL;
    }
    crease_options own, asked;
    s->given = p;
    s->stalled = INFINITY;
    s->run.comm = crs_comm_of(p);
    bool done = crs_options_take(o, &own, e);
    asked = own;
    done = done && notes_nothing(s, &own, e) && (!cores || open_portfolio(s, &own, e)) &&
           build(s, &own, e) && crs_points_open(s, &asked, e);
    if (crs_together(s->run.comm, done, e)) return s;
    crease_solver_free(s);
    return NULL;
}

crease_solver *crease_solver_new(const crease_problem *p, const crease_options *o, crease_error *e)
{
    return new_solver(p, o, true, e);
}

crease_solver *crs_paper_solver(const crease_problem *p, const crease_options *o, crease_error *e)
{
    return new_solver(p, o, false, e);
}

static void carve_guest(void *self, crs_carver *c)
{
    crease_solver *s = self;
    s->best = carve_bytes(c, s->p->count, sizeof *s->best);
    s->run.now.block = carve_bytes(c, s->p->count, sizeof(crease_residual));
    s->run.best.block = carve_bytes(c, s->p->count, sizeof(crease_residual));
}

static bool host(crease_solver *s, crease_options *o, const crs_guest *guest, crease_error *e)
{
    o->method = crease_options_default().method;
    s->a = crs_analyse(s->given, o, 0, e);
    if (!s->a) return false;
    o->method = s->a->method = guest->method;
    s->a->beta = s->a->gamma = s->a->ell = s->a->mu = NAN;
    s->a->theorem = guest->theorem;
    s->a->guarantee = false;
    s->method = crs_method_for(s->a);
    s->memory = carve_block(carve_guest, s);
    if (!s->memory) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a solver");
    for (int i = 0; i < s->p->count; i++) s->best[i] = guest->x[i];
    s->best_lambda = guest->lambda;
    s->run.blocks = s->p->count;
    return crs_driver_open(&s->run, guest->engine, guest->self, o, s->a, e);
}

crease_solver *crs_guest_solver(const crease_problem *p, const crease_options *o,
                                const crs_guest *guest, crease_error *e)
{
    crease_solver *s = crs_alloc(1, sizeof *s);
    crease_options own;
    if (!s) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a solver"), NULL;
    s->given = s->p = p;
    if (crs_options_take(o, &own, e) && host(s, &own, guest, e)) return s;
    crease_solver_free(s);
    return NULL;
}

const double *crease_solution(const crease_solver *s, int block) { return s->best[block]; }

const double *crease_multiplier(const crease_solver *s)
{
    return s->given->range.order > 0 ? s->best_lambda : NULL;
}

const double *crease_separator(const crease_solver *s) { return s->separator; }
const double *crease_ray(const crease_solver *s, int block)
{
    return s->ray ? s->ray[block] : NULL;
}

const crease_certificate *crease_solver_certificate(const crease_solver *s) { return &s->run.best; }

const crease_analysis *crease_solver_analysis(const crease_solver *s) { return s->a; }
crease_report crease_solver_report(const crease_solver *s) { return s->run.report; }
crease_progress crease_solver_progress(const crease_solver *s) { return s->run.progress; }

void crease_solver_callback(crease_solver *s, crease_callback *call, void *user)
{
    s->run.call = call;
    s->run.user = user;
}

void crs_solver_watch(crease_solver *s, crease_watch *w) { s->st.watch = w; }
crs_driver *crs_solver_driver(crease_solver *s) { return &s->run; }
void crease_solver_stop(crease_solver *s) { crease_watch_stop(&s->run.watch); }

crease_outcome crease_step(crease_solver *s)
{
    return s->points ? crs_points_step(s) : crs_driver_step(&s->run);
}

crease_outcome crease_solve(crease_solver *s)
{
    if (s->points) return crs_points_solve(s);
    crs_driver_enter(&s->run);
    while (crease_step(s) == CREASE_NOT_RUN) crs_driver_tick(&s->run);
    crs_driver_leave(&s->run);
    return s->run.report.outcome;
}
