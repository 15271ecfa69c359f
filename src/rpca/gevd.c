/* SPDX-License-Identifier: MIT
 * gevd: a CP model by alternating least squares, and by simultaneous diagonalization: compress the
 * tensor, diagonalize the core, mend it by least squares, expand: X_n = U_n F_n (Sanchez, Kowalski,
 * Tensorial resolution: a direct trilinear decomposition, 1990)
 *
 * Two random mixtures of the slices K_c = A diag(c) B' of a core have the common eigenvectors
 * M_1 v_r = lambda_r M_2 v_r, v_r dual to the columns of B; contracting mode b by v_r leaves the
 * r-th rank-one term without it (Leurgans, Ross, Abel 1993; Domanov, De Lathauwer 2014). Where two
 * modes are not as long as the rank: the singular vectors, completed at random, and more sweeps.
 * Robust: of M + clip(T - M) around the model so far, the pseudo-data of Huber's estimate (Huber,
 * Ronchetti, Robust Statistics, 2009, section 7.8). */
#include <crease/random.h>

#include "rpca/start.h"

/* X_n = argmin |target - [[X]]|^2 + (ridge/2) |X_n|^2, one mode after the other: Kolda, Bader 2009.
 */

/* min |target - [[X]]|^2 + (ridge/2) sum |X_n|^2; target and factors are borrowed. Not to be moved
 * once open. */
typedef struct {
    crease_cp_data data;
    crease_smooth f;
    crease_space space[CREASE_MAX_ORDER];
    crease_blocks blocks;
    int place[CREASE_MAX_ORDER];
    crs_kruskal k;
    double *x[CREASE_MAX_ORDER];
    double *y, *work; /* work serves the operations on k too */
    crease_watch *watch;
} sweeper;

static bool open_sweeper(sweeper *w, const crease_space *shape, ptrdiff_t rank,
                         const double *target, double ridge, double *const *factor, crease_error *e)
{
    ptrdiff_t most = 0;
    *w = (sweeper){ .k = { .shape = *shape, .rank = rank } };
    for (int n = 0; n < shape->order; n++) {
        w->place[n] = n;
        w->space[n] = crease_matrix(shape->dim[n], rank);
        w->k.factor[n] = w->x[n] = factor[n];
        most = more(most, crease_size(&w->space[n]));
    }
    w->data = (crease_cp_data){ *shape, rank, w->place, -1, target, ridge };
    w->f = crease_cp(&w->data);
    w->blocks = (crease_blocks){ shape->order, w->space, NULL };
    w->y = crs_doubles(most, "a start", e);
    w->work = crs_doubles(
        more(crease_smooth_scratch(&w->f, &w->blocks), crs_kruskal_scratch(shape, rank)), "a start",
        e);
    return w->y && w->work;
}

static void close_sweeper(sweeper *w)
{
    crs_free(w->y);
    crs_free(w->work);
}

/* X_n, of least norm where many minimize */
static void sweep_mode(sweeper *w, int n)
{
    const double *const *x = (const double *const *)w->x;
    w->f.ops->argmin(&w->f, &w->blocks, x, n, 0, x[n], INFINITY, w->y, w->work);
    copy(crease_size(&w->space[n]), w->y, w->x[n]);
}

static void sweep_all(sweeper *w)
{
    for (int n = 0; n < w->k.shape.order && !crease_watch_over(w->watch); n++) sweep_mode(w, n);
}

/* Columns of one term get the same norm in every mode; a zero one makes the term zero. */
static void balance(const crease_space *s, ptrdiff_t rank, double *const *factor)
{
    for (ptrdiff_t r = 0; r < rank; r++) {
        double mean = 1;
        for (int n = 0; n < s->order; n++)
            mean *= pow(column_norm(s->dim[n], rank, factor[n] + r), 1.0 / s->order);
        for (int n = 0; n < s->order; n++) {
            const double norm = column_norm(s->dim[n], rank, factor[n] + r);
            const double scale = norm > 0 ? mean / norm : 0;
            for (ptrdiff_t i = 0; i < s->dim[n]; i++) factor[n][i * rank + r] *= scale;
        }
    }
}

/* W o T + (1 - W) o [[X]] */
static void impute(const crease_cp_rpca *m, const sweeper *w, double *filled)
{
    const ptrdiff_t size = crease_size(&m->s.shape);
    fill(size, 0, filled);
    crs_reconstruct(&w->k, 1, filled, w->work);
    for (ptrdiff_t j = 0; j < size; j++)
        if (crs_cp_observed(m, j)) filled[j] = m->tensor[j];
}

bool crs_cp_least_squares(crease_cp_rpca *m, int sweeps, crease_error *e)
{
    const crease_cp_rpca_settings *s = &m->s;
    sweeper w;
    double *filled = crs_cp_partial(m) ? crs_doubles(crease_size(&s->shape), "a start", e) : NULL;
    if (crs_cp_partial(m) && !filled) return false;
    const bool ready =
        open_sweeper(&w, &s->shape, s->rank, filled ? filled : m->tensor, s->ridge, m->start, e);
    w.watch = s->watch;
    for (int sweep = 0; ready && sweep < sweeps && !crease_watch_over(w.watch); sweep++) {
        if (filled && sweep == 0) copy(crease_size(&s->shape), m->tensor, filled);
        if (filled && sweep > 0) impute(m, &w, filled);
        sweep_all(&w);
    }
    if (ready) balance(&s->shape, s->rank, m->start);
    close_sweeper(&w);
    crs_free(filled);
    return ready;
}

enum { TRIES = 8, IDLE = 2, POWER = 3, PENCIL_STREAM = 80 };
static const double gain = 0.8; /* a residual below so much of the least is progress */

typedef struct {
    crease_space shape; /* of the folded core: the other modes, then a, then b */
    int mode[CREASE_MAX_ORDER];
    ptrdiff_t rank, slices;
    double *folded, *mixture, *v, *terms, *x, *work, *pencil;
} mixer;

static bool pencils_apply(const crs_cp_core *c, const int *mode)
{
    return c->shape.order >= 3 && c->shape.dim[mode[0]] == c->rank &&
           c->shape.dim[mode[1]] == c->rank;
}

static bool open_mixer(const crs_cp_core *c, const int *mode, mixer *m, crease_error *e)
{
    const int d = c->shape.order;
    const ptrdiff_t size = crease_size(&c->shape), R = c->rank;
    *m = (mixer){ .shape = { .order = d }, .rank = R, .slices = size / (R * R) };
    int k = 0;
    for (int n = 0; n < d; n++)
        if (n != mode[0] && n != mode[1]) m->mode[k++] = n;
    m->mode[d - 2] = mode[0], m->mode[d - 1] = mode[1];
    for (k = 0; k < d; k++) m->shape.dim[k] = c->shape.dim[m->mode[k]];
    crease_space without = m->shape;
    without.order = d - 1;
    const ptrdiff_t vectors = 2 * d * R, contract = crs_contract_scratch(&without);
    const ptrdiff_t all =
        2 * size + 3 * R * R + vectors + contract + 2 * m->slices + crs_pencil_scratch(R);
    m->folded = crs_doubles(all, "a start", e);
    if (!m->folded) return false;
    m->terms = m->folded + size, m->mixture = m->terms + size, m->v = m->mixture + 2 * R * R;
    m->x = m->v + R * R, m->work = m->x + vectors, m->pencil = m->work + contract + 2 * m->slices;
    return true;
}

/* folded(other modes, a, b) = core */
static void fold(const crs_cp_core *c, const mixer *m)
{
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 }, stride[CREASE_MAX_ORDER], step = 1;
    const int d = c->shape.order;
    for (int n = d - 1; n >= 0; n--) stride[n] = step, step *= c->shape.dim[n];
    for (ptrdiff_t j = 0; j < step; j++) {
        ptrdiff_t from = 0;
        for (int k = 0; k < d; k++) from += index[k] * stride[m->mode[k]];
        m->folded[j] = c->values[from];
        for (int k = d - 1; k >= 0 && ++index[k] == m->shape.dim[k]; k--) index[k] = 0;
    }
}

/* Row r of v: M_1 v = lambda M_2 v */
static bool draw_pencil(const mixer *m, crease_random random, int try)
{
    const ptrdiff_t square_of = m->rank * m->rank;
    for (ptrdiff_t j = 0; j < 2 * m->slices; j++)
        m->work[j] = crease_random_normal(random, (uint64_t)(2 * m->slices * try + j));
    crs_gemm(false, false, 2, square_of, m->slices, 1, m->work, m->folded, 0, m->mixture);
    return crs_pencil(m->rank, m->mixture, m->mixture + square_of, m->v, m->pencil);
}

static void normalize(ptrdiff_t n, double *x)
{
    const double norm = crs_norm(n, x);
    for (ptrdiff_t i = 0; i < n && norm > 0; i++) x[i] /= norm;
}

/* The best rank-one term by alternation from the fibres through the largest entry. */
static void rank_one(const mixer *m, const double *t, ptrdiff_t r, double *const *factor)
{
    crease_space s = m->shape;
    s.order--;
    double *x[CREASE_MAX_ORDER];
    ptrdiff_t top = 0, stride = 1;
    for (ptrdiff_t j = 1, size = crease_size(&s); j < size; j++)
        if (fabs(t[j]) > fabs(t[top])) top = j;
    for (int k = s.order - 1; k >= 0; stride *= s.dim[k--]) {
        x[k] = m->x + k * m->rank;
        const ptrdiff_t first = top - top / stride % s.dim[k] * stride;
        for (ptrdiff_t i = 0; i < s.dim[k]; i++) x[k][i] = t[first + i * stride];
        normalize(s.dim[k], x[k]);
    }
    for (int sweep = 0; sweep < POWER; sweep++)
        for (int k = 0; k < s.order; k++) {
            fill(s.dim[k], 0, x[k]);
            crs_contract_except(&s, t, (const double *const *)x, k, 1, x[k], m->work);
            normalize(s.dim[k], x[k]);
        }
    for (int k = 0; k < s.order; k++)
        for (ptrdiff_t i = 0; i < s.dim[k]; i++) factor[m->mode[k]][i * m->rank + r] = x[k][i];
}

/* The terms of one mixture, then mode b by least squares; the square of the residual. */
static double attempt(const mixer *m, sweeper *w)
{
    const ptrdiff_t rest = m->slices * m->rank;
    crs_gemm(false, true, m->rank, rest, m->rank, 1, m->v, m->folded, 0, m->terms);
    for (ptrdiff_t r = 0; r < m->rank; r++) rank_one(m, m->terms + r * rest, r, w->x);
    sweep_mode(w, m->mode[m->shape.order - 1]);
    return crs_kruskal_distance2(&w->k, w->data.target, w->work);
}

/* Factors p_n x rank of a core; mode lists the modes, the longest of the tensor first. */
static bool diagonalize(const crs_cp_core *c, const int *mode, uint64_t seed, double *const *factor,
                        crease_error *e)
{
    mixer m;
    sweeper w = { .y = NULL };
    double *x[CREASE_MAX_ORDER] = { NULL }, least = INFINITY;
    ptrdiff_t sum = 0;
    for (int n = 0; n < c->shape.order; n++) sum += c->shape.dim[n];
    double *room = crs_doubles(sum * c->rank, "a start", e);
    for (int n = 0, at = 0; room && n < c->shape.order; at += (int)c->shape.dim[n++])
        x[n] = room + at * c->rank;
    bool done = room && open_mixer(c, mode, &m, e);
    if (!done) return crs_free(room), false;
    done = open_sweeper(&w, &c->shape, c->rank, c->values, 0, x, e);
    if (done) fold(c, &m);
    const double tiny = square(1e-13 * crs_norm(crease_size(&c->shape), c->values));
    for (int try = 0, idle = 0; done && try < TRIES && idle < IDLE && !(least <= tiny); try++) {
        if (crease_watch_over(c->watch)) break;
        if (!draw_pencil(&m, (crease_random){ seed, PENCIL_STREAM }, try)) continue;
        const double residual = attempt(&m, &w);
        idle = residual < gain * least ? 0 : idle + 1;
        if (!(residual < least)) continue;
        least = residual;
        for (int n = 0; n < c->shape.order; n++) copy(c->shape.dim[n] * c->rank, x[n], factor[n]);
    }
    close_sweeper(&w);
    crs_free(m.folded);
    crs_free(room);
    if (done && least == INFINITY && crease_watch_over(c->watch)) return crs_cut(e, "the start");
    if (done && least == INFINITY)
        return crs_fail(e, CREASE_NUMERICAL_FAILURE,
                        "no mixture of slices could be diagonalized; start at random");
    return done;
}

enum { SWEEPS = 5, FALLBACK_SWEEPS = 50, VECTOR_STREAM = 90 };

/* The modes by length, the longest first. */
static void sort_modes(const crease_space *s, int *mode)
{
    for (int n = 0; n < s->order; n++) {
        int k = n;
        for (; k > 0 && s->dim[mode[k - 1]] < s->dim[n]; k--) mode[k] = mode[k - 1];
        mode[k] = n;
    }
}

/* F_n = the identity, continued at random */
static void singular_vectors(const crs_cp_core *c, uint64_t seed, double *const *factor)
{
    for (int n = 0; n < c->shape.order; n++) {
        const crease_random random = { seed, (uint64_t)(VECTOR_STREAM + n) };
        for (ptrdiff_t j = 0; j < c->shape.dim[n] * c->rank; j++) {
            const ptrdiff_t i = j / c->rank, r = j % c->rank;
            factor[n][j] =
                r >= c->shape.dim[n] ? crease_random_normal(random, (uint64_t)j) : i == r;
        }
    }
}

static bool mend(const crs_cp_core *c, int sweeps, double *const *factor, double *residual,
                 crease_error *e)
{
    sweeper w;
    const double norm = crs_norm(crease_size(&c->shape), c->values);
    const bool ready = open_sweeper(&w, &c->shape, c->rank, c->values, 0, factor, e);
    w.watch = c->watch;
    for (int sweep = 0; ready && sweep < sweeps && !crease_watch_over(w.watch); sweep++)
        sweep_all(&w);
    if (ready) {
        const double left = sqrt(crs_kruskal_distance2(&w.k, c->values, w.work));
        *residual = left / norm;
        balance(&c->shape, c->rank, factor);
    }
    close_sweeper(&w);
    return ready;
}

/* X_n = U_n F_n, and zeros beyond the rank found */
static void expand(const crs_cp_core *c, int n, ptrdiff_t length, ptrdiff_t rank, const double *f,
                   double *out)
{
    const ptrdiff_t p = c->shape.dim[n];
    for (ptrdiff_t i = 0; i < length; i++)
        for (ptrdiff_t r = 0; r < rank; r++) {
            double sum = 0;
            for (ptrdiff_t k = 0; r < c->rank && k < p; k++)
                sum += c->basis[n][i * p + k] * f[k * c->rank + r];
            out[i * rank + r] = sum;
        }
}

static bool solve_core(const crs_cp_core *c, const crs_cp_gevd_options *o, const int *mode,
                       double *const *small, crs_cp_start_facts *facts, crease_error *e)
{
    const double norm = crs_norm(crease_size(&c->shape), c->values);
    facts->rank = c->rank;
    facts->diagonalized = !o->without_pencils && pencils_apply(c, mode);
    facts->residual = 0;
    if (!(norm > 0)) return true; /* the factors are 0 already */
    if (!facts->diagonalized) singular_vectors(c, o->seed, small);
    if (facts->diagonalized && !diagonalize(c, mode, o->seed, small, e)) return false;
    return mend(c, facts->diagonalized ? SWEEPS : FALLBACK_SWEEPS, small, &facts->residual, e);
}

bool crs_cp_gevd_core(const crs_cp_core *c, const crease_space *shape, const crs_cp_gevd_options *o,
                      double *const *factor, crs_cp_start_facts *facts, crease_error *e)
{
    int mode[CREASE_MAX_ORDER];
    double *small[CREASE_MAX_ORDER] = { NULL };
    bool done = true;
    sort_modes(shape, mode);
    for (int n = 0; done && n < shape->order; n++) {
        small[n] = crs_doubles(c->shape.dim[n] * c->rank, "a start", e);
        done = small[n];
    }
    done = done && solve_core(c, o, mode, small, facts, e);
    for (int n = 0; done && n < shape->order; n++)
        expand(c, n, shape->dim[n], o->rank, small[n], factor[n]);
    for (int n = 0; n < shape->order; n++) crs_free(small[n]);
    return done;
}

bool crs_cp_gevd(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *factor,
                 crs_cp_start_facts *facts, crease_error *e)
{
    crs_cp_core c;
    crs_cp_start_facts found;
    const bool done = crs_cp_compress(v, o->rank, o->cut, o->seed, &c, e) &&
                      crs_cp_gevd_core(&c, &v->shape, o, factor, &found, e);
    if (done && facts) *facts = found;
    free_core(&c);
    return done;
}

/* One round from the model in v: the next factors, and their median|T - M|. */
static bool round_of(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *next,
                     double *median, crs_cp_start_facts *facts, crease_error *e)
{
    crs_kruskal k = { .shape = v->shape, .rank = o->rank };
    crs_cp_view fitted = *v;
    for (int n = 0; n < v->shape.order; n++) k.factor[n] = next[n];
    fitted.model = &k;
    return crs_cp_gevd(v, o, next, facts, e) && crs_view_median(&fitted, median, e);
}

static void take_factors(const crease_space *s, ptrdiff_t rank, double *const *from,
                         double *const *to)
{
    for (int n = 0; n < s->order; n++) copy(s->dim[n] * rank, from[n], to[n]);
}

static bool rounds(const crs_cp_view *data, const crs_cp_gevd_options *o, double *const *next,
                   double *const *factor, crs_cp_start_facts *facts, crease_error *e)
{
    crs_kruskal k = { .shape = data->shape, .rank = o->rank };
    crs_cp_view v = *data;
    double scale, median;
    for (int n = 0; n < v.shape.order; n++) k.factor[n] = factor[n];
    if (!crs_view_median(&v, &scale, e)) return false;
    for (int round = 0; round <= o->rounds && (round == 0 || scale > 0); round++) {
        crs_cp_start_facts now;
        v.limit = o->clip * scale > 0 ? o->clip * scale : INFINITY;
        if (!round_of(&v, o, next, &median, &now, e)) /* the rounds before make do */
            return round > 0 && crease_watch_over(v.watch);
        if (round > 0 && !(median < scale)) break;
        take_factors(&v.shape, o->rank, next, factor);
        if (facts) *facts = now;
        v.model = &k;
        scale = median;
    }
    return true;
}

bool crs_cp_gevd_robust(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *factor,
                        crs_cp_start_facts *facts, crease_error *e)
{
    double *next[CREASE_MAX_ORDER] = { NULL };
    bool done = crs_view_check(v, e);
    for (int n = 0; done && n < v->shape.order; n++) {
        next[n] = crs_doubles(v->shape.dim[n] * o->rank, "a start", e);
        done = next[n];
    }
    done = done && rounds(v, o, next, factor, facts, e);
    for (int n = 0; n < v->shape.order; n++) crs_free(next[n]);
    return done;
}
