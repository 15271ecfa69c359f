/* SPDX-License-Identifier: MIT
 * starts: the first iterate: factors, Z and B; a tensor of zeros starts at its solution
 *
 * A start of CREASE_CP_STARTS is a line there and a function start_NAME here. The pilot has a
 * family of its own, the q-th a pure function of data, seed and q.
 *
 * De Lathauwer, De Moor, Vandewalle, A multilinear singular value decomposition, 2000; Tomasi, Bro,
 * PARAFAC and missing values, 2005. */
#include "rpca/fit.h"
#include "rpca/observed/entries.h"
#include "rpca/start.h"
#include "tensor/tensor.h"

enum { ROUNDS = 3, RANDOM_STREAM = 100 }; /* of clipping and completing around the model */
static const double usual_clip = 2;
static const double explained = 0.5; /* median|T - their term| in median|T| */

/* Columns beyond the vectors there are stay random. */
static bool by_spectrum(crease_cp_rpca *m, int n, crease_error *e)
{
    const crease_space *s = &m->s.shape;
    const ptrdiff_t length = s->dim[n], rank = m->s.rank;
    double *squares =
        crs_doubles(length + length * length + crs_unfolding_scratch(s, n), "a start", e);
    if (!squares) return false;
    double *vectors = squares + length;
    const bool done =
        crs_unfolding(s, n, m->tensor, squares, vectors, vectors + length * length, m->s.watch);
    for (ptrdiff_t i = 0; done && i < length; i++)
        for (ptrdiff_t r = 0; r < rank && r < length; r++)
            m->start[n][i * rank + r] = vectors[r * length + i];
    crs_free(squares);
    return done || crease_watch_over(m->s.watch) ||
           crs_fail(e, CREASE_NUMERICAL_FAILURE,
                    "the singular vectors of mode %d did not converge; rescale the tensor "
                    "or start at random",
                    n + 1);
}

/* T_(n) M_n with random factors */
static bool by_sketch(crease_cp_rpca *m, int n, crease_error *e)
{
    crs_kruskal k = { .shape = m->s.shape, .rank = m->s.rank };
    double *work = crs_doubles(crs_kruskal_scratch(&k.shape, k.rank), "a start", e);
    if (!work) return false;
    for (int j = 0; j < k.shape.order; j++) k.factor[j] = m->start[j];
    double *out = m->start[n];
    fill(k.shape.dim[n] * k.rank, 0, out);
    crs_mttkrp(&k, n, 1, m->tensor, out, work);
    const double norm = crs_norm(k.shape.dim[n] * k.rank, out);
    for (ptrdiff_t j = 0; norm > 0 && j < k.shape.dim[n] * k.rank; j++)
        out[j] *= sqrt((double)k.rank) / norm;
    crs_free(work);
    return true;
}

/* X_n = the leading left singular vectors of the n-th unfolding; random where time is over. Modes
 * too long for their Gram matrix get T_(n) M_n of random factors, which spans them nearly. */
static bool singular_vectors(crease_cp_rpca *m, crease_error *e)
{
    for (int n = 0; n < m->s.shape.order; n++)
        if (!crs_unfolding_fits(&m->s.shape, n) && !by_sketch(m, n, e)) return false;
    for (int n = 0; n < m->s.shape.order; n++)
        if (crs_unfolding_fits(&m->s.shape, n) && !by_spectrum(m, n, e)) return false;
    return true;
}

static bool all_zero(const crease_cp_rpca *m)
{
    for (ptrdiff_t j = 0, n = crease_size(&m->s.shape); j < n; j++)
        if (m->tensor[j] != 0) return false;
    return true;
}

static bool given_factors(crease_cp_rpca *m, crease_error *e)
{
    for (int n = 0; n < m->s.shape.order; n++) {
        const ptrdiff_t size = m->s.shape.dim[n] * m->s.rank;
        for (ptrdiff_t j = 0; j < size; j++)
            if (!isfinite(m->s.factor[n][j]))
                return crs_fail(e, CREASE_BAD_DATA,
                                "entry %td of start factor %d is %g; give finite numbers", j + 1,
                                n + 1, m->s.factor[n][j]);
        copy(size, m->s.factor[n], m->start[n]);
    }
    return true;
}

/* The model's data as a view; o is to be closed in any case. */
static bool look_at(const crease_cp_rpca *m, crs_observed *o, crs_cp_view *v, crease_error *e)
{
    *v = (crs_cp_view){
        .shape = m->s.shape, .source = &o->data.source, .limit = INFINITY, .watch = m->s.watch
    };
    if (!m->seen) return crs_observe(&m->s.shape, m->tensor, m->root, o, e);
    *o = (crs_observed){ .mask = NULL };
    crs_memory_open(&o->data, &m->s.shape, m->tensor, m->seen);
    return true;
}

/* T cut at +-clip median|T| */
static double *clipped(const crease_cp_rpca *m, crease_error *e)
{
    const ptrdiff_t size = crease_size(&m->s.shape);
    crs_observed o;
    crs_cp_view v;
    double median, *out = NULL;
    if (look_at(m, &o, &v, e) && crs_view_median(&v, &median, e))
        out = crs_doubles(size, "the clipped tensor", e);
    crs_observed_close(&o);
    if (!out) return NULL;
    const double limit = median > 0 ? m->s.clip * median : INFINITY;
    for (ptrdiff_t j = 0; j < size; j++) out[j] = clip(m->tensor[j], -limit, limit);
    return out;
}

static bool sweeps_from_vectors(crease_cp_rpca *m, int sweeps, crease_error *e)
{
    double *whole = m->tensor, *cut = m->s.clip > 0 ? clipped(m, e) : NULL;
    if (m->s.clip > 0 && !cut) return false;
    if (cut) m->tensor = cut;
    const bool done = singular_vectors(m, e) && crs_cp_least_squares(m, sweeps, e);
    m->tensor = whole;
    crs_free(cut);
    return done;
}

/* The starts of CREASE_CP_STARTS: each makes its factors from those drawn from N(0,1). */
static bool start_random(crease_cp_rpca *m, crease_error *e) { return (void)m, (void)e, true; }
static bool start_hosvd(crease_cp_rpca *m, crease_error *e) { return sweeps_from_vectors(m, 1, e); }

static bool start_als(crease_cp_rpca *m, crease_error *e)
{
    return sweeps_from_vectors(m, m->s.sweeps, e);
}

static bool start_auto(crease_cp_rpca *m, crease_error *e) { return start_als(m, e); }

/* Missing entries count as 0 at first, then as the model says. */
static bool start_gevd(crease_cp_rpca *m, crease_error *e)
{
    const crs_cp_gevd_options o = { .rank = m->s.rank,
                                    .clip = m->s.clip,
                                    .rounds = m->s.clip > 0 || crs_cp_partial(m) ? ROUNDS : 0,
                                    .seed = m->s.seed };
    crs_observed data;
    crs_cp_view v;
    const bool ready = look_at(m, &data, &v, e);
    const bool done = ready && crs_cp_gevd_robust(&v, &o, m->start, NULL, e);
    crs_observed_close(&data);
    return done || (ready && crease_watch_over(v.watch)); /* the random ones make do */
}

static const struct {
    const char *name, *clipped;
    bool (*make)(crease_cp_rpca *m, crease_error *e);
} starts[] = {
#define X(id, name, meaning) [CREASE_START_##id] = { #name, #name "-clipped", start_##name },
    CREASE_CP_STARTS(X)
#undef X
};

static bool made_factors(crease_cp_rpca *m, crease_error *e)
{
    for (int n = 0; n < m->s.shape.order; n++)
        crs_normals(m->s.seed, (uint64_t)(CRS_STREAM_START + n), m->s.shape.dim[n] * m->s.rank,
                    m->start[n]);
    return starts[m->s.start].make(m, e);
}

/* W o T + (1 - W) o [[X]], ones or N(0,1) */
static bool start_z(const crease_cp_rpca *m, double *z, crease_error *e)
{
    const crease_space *s = &m->s.shape;
    const ptrdiff_t size = crease_size(s);
    if (m->s.z == CREASE_Z_ONES) return fill(size, 1, z), true;
    if (m->s.z == CREASE_Z_NORMAL) return crs_normals(m->s.seed, CRS_STREAM_Z, size, z), true;
    if (crs_cp_partial(m) &&
        !crease_cp_lowrank(s, m->s.rank, (const double *const *)m->start, z, e))
        return false;
    for (ptrdiff_t j = 0; j < size; j++)
        if (crs_cp_observed(m, j)) z[j] = m->tensor[j];
    return true;
}

static bool start_factors(crease_cp_rpca *m, crease_error *e)
{
    const int d = m->s.shape.order;
    if (all_zero(m) && !m->s.factor) return true;
    for (int n = 0; n < d; n++) {
        m->start[n] = crs_doubles(m->s.shape.dim[n] * m->s.rank, "a start factor", e);
        if (!m->start[n]) return false;
    }
    if (!(m->s.factor ? given_factors(m, e) : made_factors(m, e))) return false;
    for (int n = 0; m->s.nonneg && n < d; n++)
        for (ptrdiff_t j = 0; j < m->s.shape.dim[n] * m->s.rank; j++)
            m->start[n][j] = fabs(m->start[n][j]);
    return true;
}

bool crs_cp_take_start(crease_cp_rpca *m, crease_error *e)
{
    const int d = m->s.shape.order, Z = d + 1, B = d + 2;
    const ptrdiff_t size = crease_size(&m->s.shape);
    if (!start_factors(m, e)) return false;
    if (!m->start[0]) return true;
    m->start[Z] = crs_doubles(size, "the start of Z", e);
    if (!m->start[Z] || !start_z(m, m->start[Z], e)) return false;
    if (!m->root || m->s.unconstrained || m->s.z != CREASE_Z_DATA) return true;
    m->start[B] = crs_doubles(size, "the start of B", e); /* Z + B = T */
    for (ptrdiff_t j = 0; m->start[B] && j < size; j++)
        m->start[B][j] = m->tensor[j] - m->start[Z][j];
    return m->start[B] != NULL;
}

void crs_cp_fit_model_free(crease_cp_rpca *model)
{
    if (model) model->tensor = NULL; /* borrowed */
    crease_cp_rpca_free(model);
}

crease_cp_rpca *crs_cp_fit_model(const crease_cp_fit *f, crease_error *e)
{
    crease_cp_rpca *model = crs_alloc(1, sizeof *model);
    if (!model) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a start"), NULL;
    model->s = f->s.model;
    model->tensor = (double *)(uintptr_t)f->source->whole; /* which is only read */
    model->missing = f->missing;
    model->seen = f->source->seen;
    return model;
}

double crs_cp_gram_size(const crease_cp_fit *f)
{
    const ptrdiff_t seen = crease_size(&f->s.model.shape) - f->missing;
    const int d = f->s.model.shape.order;
    const double norm = sqrt(f->source->facts.squares);
    return norm > 0 ? pow(norm / sqrt((double)seen), 2.0 * (d - 1) / d) : 1;
}

bool crs_cp_fit_start(crease_cp_fit *f, crease_cp_rpca *model, struct crs_cp_fused *s,
                      crease_error *e)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    const ptrdiff_t size = crease_size(&m->shape);
    const double *z = model->tensor;
    double *own = NULL, *b = NULL;
    if (f->mask || m->z != CREASE_Z_DATA) {
        z = own = crs_doubles(size, "the start of Z", e);
        if (!own || !start_z(model, own, e)) return crs_free(own), false;
    }
    if (f->mask && !m->unconstrained && m->z == CREASE_Z_DATA) {
        b = crs_doubles(size, "the start of B", e);
        for (ptrdiff_t j = 0; b && j < size; j++) b[j] = model->tensor[j] - z[j];
        if (!b) return crs_free(own), false;
    }
    const bool done =
        crs_cp_fused_start(s, (const double *const *)model->start, z, NULL, b, NULL, e);
    crs_free(own);
    crs_free(b);
    return done;
}

/* N(0,1) in the units of the data */
static void scale_random(const crease_cp_fit *f, crease_cp_rpca *model)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    const int d = m->shape.order;
    const double scale = pow(crs_cp_gram_size(f), 1.0 / (2 * (d - 1)));
    if (f->s.run.mode == CREASE_MODE_PAPER || m->start != CREASE_START_RANDOM || m->factor) return;
    for (int n = 0; n < d; n++)
        for (ptrdiff_t j = 0; model->start[n] && j < m->shape.dim[n] * m->rank; j++)
            model->start[n][j] *= scale;
}

bool crs_cp_fit_start_factors(crease_cp_fit *f, crease_cp_rpca *model, crease_error *e)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    if (!start_factors(model, e)) return false;
    scale_random(f, model);
    for (int n = 0; n < m->shape.order; n++) {
        if (!model->start[n])
            model->start[n] = crs_doubles(m->shape.dim[n] * m->rank, "a start factor", e);
        if (!model->start[n]) return false;
    }
    return true;
}

static bool gevd(const crs_cp_view *v, crs_cp_gevd_options o, bool cuts, double *const *factor,
                 crease_error *e)
{
    o.clip = !cuts ? 0 : o.clip > 0 ? o.clip : usual_clip;
    o.rounds = cuts || crs_view_partial(v) ? ROUNDS : 0;
    if (!cuts && !crs_view_partial(v))
        return crs_view_check(v, e) && crs_cp_gevd(v, &o, factor, NULL, e);
    return crs_cp_gevd_robust(v, &o, factor, NULL, e);
}

/* Least squares from the singular vectors of T clipped at its median; missing entries count as 0.
 */
static bool singular(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *factor,
                     crease_error *e)
{
    crs_cp_view cut = *v;
    crs_cp_gevd_options plain = *o;
    double median;
    if (!crs_view_check(v, e) || !crs_view_median(v, &median, e)) return false;
    cut.limit = median > 0 ? median : INFINITY;
    plain.without_pencils = true;
    return crs_cp_gevd(&cut, &plain, factor, NULL, e);
}

static void gaussian(const crs_cp_view *v, const crs_cp_gevd_options *o, int q,
                     double *const *factor)
{
    for (int n = 0; n < v->shape.order; n++)
        crs_normals(o->seed, (uint64_t)(RANDOM_STREAM + q * CREASE_MAX_ORDER + n),
                    v->shape.dim[n] * o->rank, factor[n]);
}

static bool root_mean_square(const crs_cp_view *v, double *root, crease_error *e)
{
    if (!crs_source_survey(v->source, v->threads > 1 ? v->threads : 1, e)) return false;
    const crs_survey *f = &v->source->facts;
    const double seen = (double)(crease_size(&v->shape) - f->missing);
    *root = seen > 0 ? sqrt(f->squares / seen) : 0;
    return true;
}

/* median|M| = median|T|/2, or half the root mean square where most entries are 0 */
static bool rescale(const crs_cp_view *v, ptrdiff_t rank, double *const *factor, crease_error *e)
{
    const int d = v->shape.order;
    crs_kruskal k = { .shape = v->shape, .rank = rank };
    crs_cp_view model = { .shape = v->shape, .limit = INFINITY, .model = &k };
    double data, own;
    for (int n = 0; n < d; n++) k.factor[n] = factor[n];
    if (!crs_view_median(v, &data, e) || !crs_view_median(&model, &own, e)) return false;
    if (data == 0 && !root_mean_square(v, &data, e)) return false;
    const double scale = own > 0 ? pow(data / (2 * own), 1.0 / d) : 1;
    for (int n = 0; n < d; n++)
        for (ptrdiff_t j = 0; j < v->shape.dim[n] * rank; j++) factor[n][j] *= scale;
    return true;
}

bool crs_cp_start_of(const crs_cp_view *v, const crs_cp_gevd_options *o, int q,
                     double *const *factor, crease_error *e)
{
    const bool random = q >= CRS_CP_RANDOM_START;
    if (crs_is_listed(v->source)) {
        const crs_listed_sweeps sweeps = { .rank = o->rank,
                                           .seed = o->seed + (uint64_t)q,
                                           .gaussian = true };
        return crs_listed_start(v, &sweeps, factor, e);
    }
    const bool done = q < 2 ? gevd(v, *o, q == 1, factor, e) : !random && singular(v, o, factor, e);
    if (done || (!random && !crease_watch_over(v->watch))) return done;
    gaussian(v, o, q, factor);
    return crs_view_check(v, e) && rescale(v, o->rank, factor, e);
}

/* One term by medians: row_i = median_j t_ij/column_j over what was observed, 0 without any; a
 * column is the median of t_ij/row_i over the larger half of a sample of rows. */
typedef struct {
    const crs_cp_view *v;
    double *row, *column;
    double *sample; /* every stride-th row; NaN: not observed */
    double *work;   /* of a row or a column of it */
    ptrdiff_t rows, stride;
} medians;

static void look_at_row(const medians *s, const crs_slab *slab, ptrdiff_t i)
{
    const ptrdiff_t n = s->v->shape.dim[1], at = slab->from[0] + i;
    const double *t = slab->t + i * n;
    const unsigned char *w = slab->w ? slab->w + i * n : NULL;
    ptrdiff_t seen = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        if ((!w || w[j]) && s->column[j] != 0) s->work[seen++] = t[j] / s->column[j];
    s->row[at] = seen > 0 ? crs_median(seen, s->work) : 0;
    if (at % s->stride) return;
    for (ptrdiff_t j = 0; j < n; j++) s->sample[at / s->stride * n + j] = !w || w[j] ? t[j] : NAN;
}

/* Every step-th row */
static bool row_medians(const medians *s, ptrdiff_t step, crease_error *e)
{
    crs_source *from = s->v->source;
    crs_view_count(s->v);
    for (ptrdiff_t k = 0; k < from->cut.count; k++) {
        crs_slab slab;
        if (!from->ops->take(from, k, &slab, e)) return false;
        for (ptrdiff_t i = 0; i < slab.shape.dim[0]; i++)
            if ((slab.from[0] + i) % step == 0) look_at_row(s, &slab, i);
        from->ops->give(from, &slab);
    }
    return true;
}

static void column_medians(const medians *s)
{
    const ptrdiff_t n = s->v->shape.dim[1];
    for (ptrdiff_t k = 0; k < s->rows; k++) s->work[k] = fabs(s->row[k * s->stride]);
    const double large = crs_median(s->rows, s->work);
    for (ptrdiff_t j = 0; j < n; j++) {
        ptrdiff_t seen = 0;
        for (ptrdiff_t k = 0; k < s->rows; k++) {
            const double x = s->row[k * s->stride], t = s->sample[k * n + j];
            if (fabs(x) >= large && x != 0 && !isnan(t)) s->work[seen++] = t / x;
        }
        const double median = crs_median(seen, s->work);
        s->column[j] = isfinite(median) ? median : 1;
    }
}

static bool by_medians(const crs_cp_view *v, double *const *one, crease_error *e)
{
    enum { MOST_ROWS = 1024, MOST = 1 << 18, FEWEST = 64 };
    const ptrdiff_t m = v->shape.dim[0], n = v->shape.dim[1];
    medians s = { .v = v, .row = one[0], .column = one[1] };
    const ptrdiff_t most = fewer(MOST_ROWS, more(FEWEST, MOST / n));
    s.stride = (m + most - 1) / most;
    s.rows = (m + s.stride - 1) / s.stride;
    s.sample = crs_doubles(s.rows * n + more(s.rows, n), "a start", e);
    if (!s.sample) return false;
    s.work = s.sample + s.rows * n;
    fill(n, 1, s.column);
    bool done = row_medians(&s, s.stride, e);
    if (done) column_medians(&s);
    done = done && row_medians(&s, 1, e);
    crs_free(s.sample);
    return done;
}

/* The first column of each factor, then the others'. */
static void beside(const crs_cp_view *v, ptrdiff_t rank, double *const *first,
                   double *const *others, double *const *factor)
{
    for (int n = 0; n < 2; n++)
        for (ptrdiff_t i = 0; i < v->shape.dim[n]; i++)
            for (ptrdiff_t r = 0; r < rank; r++)
                factor[n][i * rank + r] = r == 0 ? first[n][i] : others[n][i * (rank - 1) + r - 1];
}

bool crs_cp_median_start(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *factor,
                         bool *suits, crease_error *e)
{
    const ptrdiff_t m = v->shape.dim[0], n = v->shape.dim[1], rest = o->rank - 1;
    crs_kruskal k = { .shape = v->shape, .rank = 1 };
    crs_cp_view left = *v;
    crs_cp_gevd_options others = *o;
    double data, around;
    double *memory = crs_doubles((m + n) * o->rank, "a start", e);
    if (!memory) return false;
    double *const one[] = { memory, memory + m };
    double *const more[] = { memory + m + n, memory + m + n + m * rest };
    bool done = by_medians(v, one, e);
    for (int q = 0; q < 2; q++) k.factor[q] = one[q];
    left.model = &k;
    left.residual = true;
    others.rank = rest;
    done = done && crs_view_median(v, &data, e) && crs_view_median(&left, &around, e);
    *suits = done && around < explained * data;
    if (*suits) left.limit = 3 * around;
    if (*suits && rest > 0) done = crs_cp_gevd(&left, &others, more, NULL, e);
    if (done && *suits) beside(v, o->rank, one, more, factor);
    crs_free(memory);
    return done;
}

int crs_cp_start_after(int first, int q)
{
    if (first >= CRS_CP_RANDOM_START) return first + q;
    return q == 0 ? first : q <= first ? q - 1 : q;
}

/* gevd and random are of the pilot's own family; the others are made as for the other engines. */
static bool of_family(const crease_cp_rpca_settings *m)
{
    return m->factor || m->start == CREASE_START_AUTO || m->start == CREASE_START_GEVD ||
           m->start == CREASE_START_RANDOM;
}

bool crs_cp_named_start(crease_cp_fit *f, crs_cp_pilot *p, crease_cp_rpca **model, crease_error *e)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    *model = NULL;
    p->given = m->factor;
    p->given_name = m->factor     ? "given"
                    : m->clip > 0 ? starts[m->start].clipped
                                  : starts[m->start].name;
    p->named = m->start != CREASE_START_AUTO;
    p->clip = m->clip;
    if (m->start == CREASE_START_GEVD) p->first = m->clip > 0;
    if (m->start == CREASE_START_RANDOM) p->first = CRS_CP_RANDOM_START;
    if (of_family(m)) return true;
    *model = crs_cp_fit_model(f, e);
    if (!*model || !crs_cp_fit_start_factors(f, *model, e)) return false;
    p->given = (const double *const *)(*model)->start;
    return true;
}

double crs_cp_named_start_bytes(const crease_cp_fit_settings *s, bool missing)
{
    crease_cp_rpca_settings m = s->model;
    m.missing = missing;
    m.mask = NULL;
    if (of_family(&m)) return 0;
    const ptrdiff_t size = crease_cp_rpca_size(&m); /* with T, Z and sqrt(2 alpha_N) T */
    return size < 0 ? INFINITY : 8 * (double)(size - 3 * crease_size(&m.shape));
}
