/* SPDX-License-Identifier: MIT
 * run: a Tucker model of any source: the fit is the run, and its point is certified from the
 * factors alone
 *
 * T seen as left x I_d has the low-rank part P X_d', P = C x_1 X_1 ... x_{d-1} X_{d-1}. With
 * s = W o (T - E - P X_d'), E = prox(T - P X_d'), Z = M + c s and B = s/(1 + alpha_N) the
 * conditions of Z, B and the constraint hold, that of E is the prox, and those of the factors
 * follow from S X_d and S'P, which one look yields (docs/theory.md). */
#include <stdio.h>

#include "core/parallel.h"
#include "rpca/rpca.h"
#include "rpca/tucker/tucker.h"
#include "solve/engine.h"

struct crs_tucker_run {
    crs_tucker_start start;
    crs_source *source;
    crs_tucker_fit *fit;
    crs_driver run;
    crease_analysis *a;
    crs_cp_point point; /* of T as left x I_d, with the factors P and X_d */
    crs_cp_room room;
    crs_cp_held held;
    double *memory; /* of the room */
    double *answer[CREASE_MAX_ORDER + 1];
    long passes; /* by certificates and the check of the data */
    crease_residual residual[2][CREASE_MAX_ORDER + 4];
};

static crs_cp_answer answer_of(crs_tucker_run *r)
{
    return (crs_cp_answer){ &r->point, &r->room, &r->held };
}

void crs_tucker_run_free(crs_tucker_run *r)
{
    if (!r) return;
    crs_cp_release(r->source, &r->held);
    crs_cp_room_close(&r->room);
    crs_tucker_fit_free(r->fit);
    crease_analysis_free(r->a);
    for (int n = 0; n <= CREASE_MAX_ORDER; n++) crs_free(r->answer[n]);
    crs_free(r->memory);
    crs_free(r->start.cut);
    crs_free(r);
}

/* The point as the fit has it now. */
static void look_at(crs_tucker_run *r)
{
    const int last = r->fit->c.shape.order - 1;
    r->point.k.rank = r->fit->c.ranks.dim[last];
    r->point.k.factor[0] = r->fit->P;
    r->point.k.factor[1] = r->fit->factor[last];
}

static void find_blocks(void *self, const crs_cp_point *p, const crs_cp_room *w,
                        const crs_cp_scales *s, crease_residual *block)
{
    crs_tucker_fit *fit = self;
    crs_cp_product(p, w, 0, fit->SX);
    crs_cp_product(p, w, 1, fit->SP);
    for (int i = 0; i <= fit->c.shape.order; i++) {
        const crs_tucker_terms t = crs_tucker_fit_terms(fit, i);
        block[i] = crs_cp_residual(t.step, t.size, s, 0, t.norm);
    }
}

void crs_tucker_run_fails(crs_tucker_run *r, const crease_error *why)
{
    if (r->held.failure.code != CREASE_OK) return;
    r->held.failure = *why;
    snprintf(r->run.report.note, sizeof r->run.report.note, "%.*s",
             (int)sizeof r->run.report.note - 1, why->text);
}

static void certify(void *self, crease_certificate *c)
{
    crs_tucker_run *r = self;
    const int d = r->fit->c.shape.order;
    const crs_cp_blocks by = { d + 1, find_blocks, r->fit };
    crease_error e = { .code = CREASE_OK };
    crs_cp_release(r->source, &r->held);
    look_at(r);
    r->passes++;
    if (crs_cp_certify(&r->point, &r->room, &by, c, &e)) return;
    crs_tucker_run_fails(r, &e);
    *c = (crease_certificate){ .count = d + 4, .block = c->block };
    c->worst = c->worst_relative = c->objective = NAN;
}

/* Directions that were dropped are columns of zeros with zero slices of the core. */
static void keep(void *self)
{
    crs_tucker_run *r = self;
    const crs_tucker_fit *fit = r->fit;
    const crease_space *ranks = &r->start.facts.used.ranks;
    const int d = fit->c.shape.order;
    for (int n = 0; n < d; n++) {
        const crease_space own = crease_matrix(fit->c.shape.dim[n], fit->c.ranks.dim[n]);
        const crease_space all = crease_matrix(fit->c.shape.dim[n], ranks->dim[n]);
        crs_tucker_embed(&own, fit->factor[n], &all, r->answer[n]);
    }
    crs_tucker_embed(&fit->c.ranks, fit->core, ranks, r->answer[d]);
}

/* The penalty is what the fit has learned: on its path it would still learn another. */
static crs_advance step(void *self)
{
    crs_tucker_run *r = self;
    crs_tucker_statistics *at = &r->fit->statistics;
    if (at->stage == CRS_TUCKER_PATH) return CRS_DONE;
    const bool ends = crs_tucker_fit_step(r->fit);
    r->run.progress.theta = NAN;
    r->run.progress.objective = at->value;
    r->run.progress.worst_relative = at->residual;
    if (r->fit->failure.code != CREASE_OK) crs_tucker_run_fails(r, &r->fit->failure);
    return ends ? CRS_DONE : isnan(at->residual) ? CRS_BROKEN : CRS_GO_ON;
}

static long evaluations(const void *self)
{
    return ((const crs_tucker_run *)self)->fit->statistics.passes;
}

/* The answer is what the point shows from now on. */
static void settle(void *self)
{
    crs_tucker_run *r = self;
    look_at(r);
    crs_cp_columns(&r->point, &r->room);
}

static void visit(crs_visitor *v, void *self)
{
    crs_tucker_run *r = self;
    const crease_tucker_rpca_settings *s = &r->start.facts.used;
    crs_visit(v, r->passes);
    for (int n = 0; n <= s->shape.order; n++)
        crs_visits(v, r->answer[n], crs_tucker_block_size(&s->shape, &s->ranks, n));
    crs_tucker_fit_visit(v, r->fit);
}

static bool give_room(crs_tucker_run *r, crease_error *e)
{
    const crease_tucker_rpca_settings *s = &r->start.facts.used;
    const int d = s->shape.order;
    for (int n = 0; n <= d; n++) {
        r->answer[n] = crs_doubles(crs_tucker_block_size(&s->shape, &s->ranks, n), "a factor", e);
        if (!r->answer[n]) return false;
    }
    const ptrdiff_t room = crs_cp_room_carve(&r->point, s->threads, NULL, &r->room);
    r->memory = crs_doubles(room, "a certificate", e);
    if (!r->memory) return false;
    crs_cp_room_carve(&r->point, s->threads, r->memory, &r->room);
    return crs_cp_room_open(&r->point, s->threads, &r->room, e);
}

static void set_point(crs_tucker_run *r)
{
    const crease_tucker_rpca_settings *s = &r->start.facts.used;
    const crs_tucker_fit *fit = r->fit;
    const ptrdiff_t rank = fit->c.ranks.dim[s->shape.order - 1];
    crs_cp_point *p = &r->point;
    *p = (crs_cp_point){ .k = { .shape =
                                    crease_matrix(fit->left, fit->c.shape.dim[s->shape.order - 1]),
                                .rank = rank },
                         .source = r->source,
                         .rho = crs_tucker_fit_goal(fit),
                         .alpha_noise = s->alpha_noise };
    p->grid = crs_cp_rows(&p->k.shape, rank);
    p->dead = crs_dead_zone(&p->rho, 1 / (2 * noise_share(p)));
    p->steep = crs_scalar_slope_after(&p->rho, 0);
    look_at(r);
}

static bool build(crs_tucker_run *r, crease_error *e)
{
    static const crs_engine engine = { .step = step,
                                       .evaluations = evaluations,
                                       .certify = certify,
                                       .keep = keep,
                                       .settle = settle,
                                       .visit = visit,
                                       .asks = true };
    crease_tucker_rpca_settings *s = &r->start.facts.used;
    const crs_survey *f = &r->source->facts;
    const ptrdiff_t seen = crease_size(&s->shape) - f->missing;
    r->a = crs_envelope_analysis(e);
    if (!r->a || !crs_tucker_check_magnitude(seen > 0 ? f->largest : -1, e)) return false;
    crs_tucker_start_init(&r->start);
    r->start.facts.missing = f->missing;
    r->fit = crs_tucker_begin(&r->start, r->source, e);
    if (!r->fit) return false;
    s->penalty = r->start.penalty;
    set_point(r);
    return give_room(r, e) && crs_driver_open(&r->run, &engine, r, &r->run.o, r->a, e);
}

crs_tucker_run *crs_tucker_run_new(const crease_tucker_rpca_settings *s, const crease_options *o,
                                   crs_source *t, crease_error *e)
{
    if (!crs_tucker_check(s, e)) return NULL;
    crs_tucker_run *r = crs_alloc(1, sizeof *r);
    if (!r) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a Tucker model"), NULL;
    r->start.facts.used = *s;
    r->source = t;
    r->passes = 1;
    r->run = (crs_driver){ .o = *o, .begun = true, .keep_last = true };
    crs_watch_begin(&r->run.watch, o->watch);
    crease_watch_limit(&r->run.watch, o->max_seconds);
    r->start.facts.used.watch = &r->run.watch;
    r->run.now.block = r->residual[0];
    r->run.best.block = r->residual[1];
    r->run.blocks = CREASE_MAX_ORDER + 4;
    const bool built = build(r, e);
    r->start.facts.used.watch = NULL;
    if (built) return r;
    crs_tucker_run_free(r);
    return NULL;
}

/* The fit, its answer, and of the certificate the room and the totals of a look, which every
 * worker has its own of. */
double crs_tucker_run_bytes(const crease_tucker_rpca_settings *s)
{
    const int last = s->shape.order - 1;
    const crs_tucker_settings c = { .shape = s->shape,
                                    .ranks = s->ranks,
                                    .alpha_noise = s->alpha_noise,
                                    .threads =
                                        crs_useful_threads(s->threads, crease_size(&s->shape)) };
    const ptrdiff_t fit = crs_tucker_fit_bytes(&c, NULL);
    if (fit < 0) return INFINITY;
    const double right = (double)s->shape.dim[last], rank = (double)s->ranks.dim[last];
    const double left = (double)crease_size(&s->shape) / right;
    const double totals = sizeof(int64_t) * CRS_TOTAL_DIGITS * (left + right) * rank * c.threads;
    double answer = (double)crease_size(&s->ranks);
    for (int n = 0; n <= last; n++) answer += (double)(s->shape.dim[n] * s->ranks.dim[n]);
    return (double)fit + totals + 8 * (answer + (2 * (left + right) + left) * rank);
}

bool crs_tucker_run_stationary(const crs_tucker_run *r)
{
    const crs_tucker_statistics *at = &r->fit->statistics;
    return at->stage != CRS_TUCKER_PATH && at->residual <= r->fit->c.eps;
}

crease_tucker_rpca *crs_tucker_run_problem(crs_tucker_run *r, crease_error *e)
{
    return crs_tucker_rpca_at(&r->start, r->fit, r->source->whole, r->source->seen, e);
}

crs_driver *crs_tucker_run_driver(crs_tucker_run *r) { return &r->run; }
const crease_analysis *crs_tucker_run_analysis(const crs_tucker_run *r) { return r->a; }
crease_tucker_rpca_facts crs_tucker_run_about(const crs_tucker_run *r) { return r->start.facts; }
const double *crs_tucker_run_block(const crs_tucker_run *r, int i) { return r->answer[i]; }
const crease_error *crs_tucker_run_failure(const crs_tucker_run *r) { return &r->held.failure; }
long crs_tucker_run_readings(const crs_tucker_run *r)
{
    return r->passes + r->fit->statistics.passes;
}

const crs_cp_point *crs_tucker_run_slabs(crs_tucker_run *r)
{
    if (r->source->cut.count == 1) return NULL;
    crs_cp_release(r->source, &r->held);
    return &r->point;
}

void crs_tucker_run_rows(const crs_tucker_run *r, ptrdiff_t *left, ptrdiff_t *right)
{
    *left = r->point.grid.left;
    *right = r->point.grid.right;
}

void crs_tucker_run_read(crs_tucker_run *r, crease_rpca_part part, ptrdiff_t first, ptrdiff_t count,
                         double *out)
{
    const crs_cp_answer a = answer_of(r);
    crs_cp_answer_read(&a, part, first, count, out);
}
