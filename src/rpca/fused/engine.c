/* SPDX-License-Identifier: MIT
 * engine: the fused iteration as an engine: penalties by entries, free factors
 *
 * The proximal weight of a factor step adds to the Gram matrix of the other factors, which has the
 * size of T^(2(d-1)/d): h is multiplied by that, so that data in other units give the same
 * iterates. */
#include "rpca/fit.h"

static double weight(const crease_block_plan *b) /* h beyond what f itself has */
{
    return b->h + (b->lipschitz < INFINITY ? b->h_relative * b->lipschitz : 0);
}

static bool accelerates(const crease_options *o)
{
    return o->accelerate && o->mode == CREASE_MODE_PRACTICAL;
}

/* As by the general engine; the sums that the potential needs cost time. */
static bool audited(const crease_options *o)
{
    return o->audit || o->mode == CREASE_MODE_THEORY || accelerates(o);
}

static crs_cp_settings settings(const crease_cp_fit *f)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    const crease_analysis *a = f->a;
    const int d = m->shape.order;
    const bool descent = m->unconstrained, bcd = crs_method_for(a)->unproximal;
    crs_cp_settings c = { .shape = m->shape,
                          .rank = m->rank,
                          .method = descent           ? CRS_CP_BCD
                                    : isnan(a->gamma) ? CRS_CP_ADMM_M
                                                      : CRS_CP_ADMM_G,
                          .beta = descent ? 0 : a->beta,
                          .gamma = isnan(a->gamma) ? 0 : a->gamma,
                          .ell = isnan(a->ell) ? 0 : a->ell,
                          .alpha_noise = m->alpha_noise,
                          .nu = m->ridge,
                          .penalty = crs_penalty_of(m->penalty.penalty, m->penalty.par, m->alpha),
                          .mask = f->mask,
                          .potential_weight = descent ? 0 : a->potential_weight,
                          .accelerate = accelerates(&f->s.run),
                          .full = audited(&f->s.run),
                          .threads = f->s.threads,
                          .single = f->s.single };
    c.h_factor = bcd ? 0 : weight(&a->block[0]);
    c.h_sparse = bcd ? 0 : weight(&a->block[d]);
    c.h_z = bcd ? 0 : weight(&a->block[d + 1]);
    if (f->s.run.mode == CREASE_MODE_PRACTICAL && f->s.run.h == 0)
        c.h_factor *= crs_cp_gram_size(f);
    if (f->s.run.mode == CREASE_MODE_PAPER) c.h_z *= 2; /* as printed */
    return c;
}

static bool prepare(crease_cp_fit *f, crease_cp_rpca **model, crease_error *e)
{
    if (!crs_cp_fit_mask(f, e)) return false;
    *model = crs_cp_fit_model(f, e);
    if (!*model) return false;
    f->a = f->own = crs_cp_fit_analyse(f, e);
    return f->own && crs_cp_fit_open(f, e) && crs_cp_fit_start_factors(f, *model, e);
}

typedef struct {
    crs_cp_fused *fused;
    float *data; /* T in single precision */
    double beta, decrease;
} engine;

static void close(void *self)
{
    engine *g = self;
    if (!g) return;
    crs_cp_fused_free(g->fused);
    crs_free(g->data);
    crs_free(g);
}

static bool set_up(crease_cp_fit *f, engine *g, crease_cp_rpca *model, crease_error *e)
{
    const crs_cp_settings c = settings(f);
    const ptrdiff_t size = crease_size(&c.shape);
    if (c.single) {
        g->data = crs_alloc((size_t)size, sizeof *g->data);
        if (!g->data) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the tensor");
        for (ptrdiff_t j = 0; j < size; j++) g->data[j] = (float)model->tensor[j];
    }
    g->beta = c.beta;
    g->decrease = smaller(f->a->decrease, smaller(c.h_factor, smaller(c.h_sparse, c.h_z)) / 2);
    const crs_stored *data = model->tensor;
    if (c.single) data = g->data;
    g->fused = crs_cp_fused_new(&c, data, e);
    return g->fused && crs_cp_fit_start(f, model, g->fused, e);
}

static void *open(crease_cp_fit *f, crease_error *e)
{
    crease_cp_rpca *model = NULL;
    engine *g = crs_alloc(1, sizeof *g);
    if (!g) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a fit"), NULL;
    const bool done = prepare(f, &model, e) && set_up(f, g, model, e);
    crs_cp_fit_model_free(model);
    if (!done) close(g);
    return done ? g : NULL;
}

static crs_advance step(void *fit)
{
    crease_cp_fit *f = fit;
    const engine *g = f->state;
    crs_cp_fused_step(g->fused);
    const crs_cp_statistics *now = crs_cp_fused_statistics(g->fused);
    f->run.progress.theta = now->theta;
    if (audited(&f->s.run)) crs_cp_fit_audit(f, now, g->beta, g->decrease);
    return CRS_GO_ON;
}

static void visit(crs_visitor *v, void *fit)
{
    crease_cp_fit *f = fit;
    crs_cp_fit_visit(v, f);
    crs_cp_fused_visit(v, ((const engine *)f->state)->fused);
}

static long passes(const void *self)
{
    const crs_cp_statistics *a = crs_cp_fused_statistics(((const engine *)self)->fused);
    return a->iteration + a->eliminations;
}

static const double *factor(const void *self, int n)
{
    return crs_cp_fused_factor(((const engine *)self)->fused, n);
}

static void rows(const void *self, ptrdiff_t *left, ptrdiff_t *right)
{
    crs_cp_fused_rows(((const engine *)self)->fused, left, right);
}

static void sparse(const void *self, ptrdiff_t first, ptrdiff_t count, double *out)
{
    crs_cp_fused_read(((const engine *)self)->fused, CRS_CP_E, first, count, out);
}

/* The iteration and the mask; beside them first what the start needs (Z, W, B), then E. */
static double bytes(const crease_cp_fit_settings *s, bool missing, bool dense)
{
    const double n = (double)crease_size(&s->model.shape), entry = s->single ? 4 : 8;
    const bool descent = s->model.unconstrained, g = s->run.method == CREASE_METHOD_ADMM_G;
    const crs_cp_settings c = { .shape = s->model.shape,
                                .rank = s->model.rank,
                                .method = descent ? CRS_CP_BCD
                                          : g     ? CRS_CP_ADMM_G
                                                  : CRS_CP_ADMM_M,
                                .beta = 1,
                                .alpha_noise = 1,
                                .penalty = { .rho = &crs_zero },
                                .accelerate = accelerates(&s->run),
                                .threads = crs_cp_fit_threads(s),
                                .single = s->single };
    const double kept = (double)crs_cp_fused_bytes(&c, NULL) + (missing ? n : 0);
    const bool paper = s->run.mode == CREASE_MODE_PAPER;
    const double start = (missing || paper ? 8 * n : 0) + (missing ? 8 * n : 0) +
                         (missing && !descent && !paper ? 8 * n : 0);
    if (kept < 8 * n) return INFINITY; /* too many to count */
    return kept - entry * n + (s->single ? 4 * n : 0) + larger(start, dense ? entry * n : 0);
}

const crs_cp_engine crs_cp_fused_engine = {
    .name = "fused",
    .run = { .step = step,
             .evaluations = crs_cp_fit_evaluations,
             .certify = crs_cp_fit_certify,
             .keep = crs_cp_fit_keep,
             .settle = crs_cp_fit_settle,
             .visit = visit },
    .bytes = bytes,
    .open = open,
    .passes = passes,
    .factor = factor,
    .rows = rows,
    .sparse = sparse,
    .close = close,
};
