/* SPDX-License-Identifier: MIT
 * compress: a tensor in the leading singular vectors of its modes, T ~ core x_n U_n
 *
 * Of one slab: one mode after the other is replaced by them, only the first sees the whole tensor.
 * Of many: the mode that shrinks most by subspace iteration, those of the others that slabs do not
 * cut in its vectors, those that they cut from V_(n) M_n with random combinations of the vectors
 * known; the first mode last, from rows that the others have made short. Three readings, four where
 * even these rows are too many to be kept.
 *
 * Vannieuwenhoven, Vandebril, Meerbergen, A new truncation strategy for the HOSVD, 2012; Halko,
 * Martinsson, Tropp, Finding structure with randomness, 2011. */
#include <crease/random.h>

#include "rpca/start.h"

enum { PANEL = 1 << 18, SPARE = 10, LONG = 4, LONGEST = 1500, STEPS = 2, STREAM = 64 };
enum { MIXED = 128, FEW = 500 };
enum { ROWS = 1 << 22 }; /* numbers that are kept of the rows of the first mode */

/* A mode as it is measured */
typedef struct {
    int n;
    ptrdiff_t length, columns, p; /* I_n; of U_n; of q: I_n of a Gram matrix */
    bool sketched;
    bool known;              /* q has its vectors */
    double *q, *w, *squares; /* I_n x p; I_n x p; columns */
} axis;

static axis axis_of(const crease_space *s, int n, ptrdiff_t rank)
{
    axis a = { .n = n, .length = s->dim[n], .columns = fewer(s->dim[n], rank) };
    const ptrdiff_t p = fewer(a.length, a.columns + SPARE);
    a.sketched = a.length > LONG * p || a.length > LONGEST;
    a.p = a.sketched ? p : a.length;
    return a;
}

static void close_axis(axis *a)
{
    crs_free(a->q);
    crs_free(a->squares);
    *a = (axis){ .n = a->n };
}

/* At first q is random. */
static bool open_axis(axis *a, uint64_t seed, crease_error *e)
{
    const crease_random random = { seed, (uint64_t)(STREAM + a->n) };
    const ptrdiff_t size = a->length * a->p;
    a->q = crs_doubles(2 * size, "a basis", e);
    a->w = a->q + size;
    a->squares = a->q ? crs_doubles(a->columns, "a spectrum", e) : NULL;
    for (ptrdiff_t j = 0; a->squares && a->sketched && j < size; j++)
        a->q[j] = crease_random_normal(random, (uint64_t)j);
    return a->squares;
}

static bool unconverged(int n, crease_error *e)
{
    return crs_fail(e, CREASE_NUMERICAL_FAILURE,
                    "the singular vectors of mode %d did not converge; rescale the tensor or start "
                    "at random",
                    n + 1);
}

/* q and the squares from the Gram matrix w */
static bool by_gram(axis *a, crease_error *e)
{
    const ptrdiff_t length = a->length;
    double *q =
        crs_doubles(length * length + length + crs_eigh_scratch(length), "a Gram matrix", e);
    if (!q) return false;
    double *w = q + length * length;
    const bool done = crs_eigh(length, a->w, w, q, w + length);
    for (ptrdiff_t k = 0; done && k < length; k++) {
        const double *vector = q + (length - 1 - k) * length;
        if (k < a->columns) a->squares[k] = pos(w[length - 1 - k]);
        for (ptrdiff_t i = 0; i < length; i++) a->q[i * length + k] = vector[i];
    }
    crs_free(q);
    return done || unconverged(a->n, e);
}

/* w = Q S V' with S ~ the squares */
static bool by_sketch(axis *a, crease_error *e)
{
    const ptrdiff_t p = a->p;
    double *s = crs_doubles(p + p * p + crs_svd_scratch(a->length, p), "a sketch", e);
    if (!s) return false;
    double *vt = s + p;
    const bool done = crs_svd(a->length, p, a->w, a->q, s, vt, vt + p * p);
    for (ptrdiff_t k = 0; done && k < a->columns; k++) a->squares[k] = s[k];
    crs_free(s);
    return done || unconverged(a->n, e);
}

static bool learn(axis *a, crease_error *e)
{
    a->known = a->sketched ? by_sketch(a, e) : by_gram(a, e);
    return a->known;
}

/* U_n: the leading columns of q */
static bool take_basis(const axis *a, crs_cp_core *c, crease_error *e)
{
    double *u = c->basis[a->n] = crs_doubles(a->length * a->columns, "a basis", e);
    for (ptrdiff_t j = 0; u && j < a->length * a->columns; j++)
        u[j] = a->q[j / a->columns * a->p + j % a->columns];
    return u;
}

/* Indices of the first mode in a piece of a tensor that is seen from mode n */
static ptrdiff_t piece_of(const crease_space *s, int n)
{
    return n == 0 ? s->dim[0] : fewer(s->dim[0], more(1, PANEL / crs_right(s, 0)));
}

/* w of a tensor as it is */
static bool measure_plain(const crease_space *s, const double *t, const axis *a, crease_error *e)
{
    const ptrdiff_t right = crs_right(s, 0), rows = piece_of(s, a->n);
    crease_space piece = *s;
    crs_cp_square b = { a->n, a->p, a->sketched ? a->q : NULL, a->w, NULL };
    piece.dim[0] = rows;
    b.product = crs_doubles(a->sketched ? crease_size(&piece) / piece.dim[a->n] * a->p : 1,
                            "a product of a slab", e);
    fill(a->length * a->p, 0, a->w);
    for (ptrdiff_t first = 0; b.product && first < s->dim[0]; first += rows) {
        piece.dim[0] = fewer(rows, s->dim[0] - first);
        add_square(&b, &piece, t + first * right);
    }
    crs_free(b.product);
    return b.product;
}

/* v NULL: of the core so far */
static bool measure(const crs_cp_view *v, const crs_cp_core *c, const axis *a, crease_error *e)
{
    crs_cp_measure m = { .with = { .rank = 0 } };
    double *w[CREASE_MAX_ORDER] = { NULL };
    if (!v) return measure_plain(&c->shape, c->values, a, e);
    m.columns[a->n] = a->p;
    m.q[a->n] = a->sketched ? a->q : NULL;
    w[a->n] = a->w;
    return crs_view_measure(v, &m, w, NULL, e);
}

/* The first k < count with squares[k-1] > 16 squares[k] and no more than a hundredth of their sum
 * beyond it; count without one. */
static ptrdiff_t gap(ptrdiff_t count, const double *squares)
{
    double beyond = 0, all;
    for (ptrdiff_t k = 0; k < count; k++) beyond += squares[k];
    all = beyond;
    for (ptrdiff_t k = 1; k < count; k++) {
        beyond -= squares[k - 1];
        if (squares[k - 1] > 16 * squares[k] && beyond <= 0.01 * all) return k;
    }
    return count;
}

/* The mode left that shrinks most; the first mode not at first, where slabs cut it. */
static int next_mode(const crs_cp_core *c, ptrdiff_t rank, bool at_first)
{
    int best = -1;
    double most = 0;
    for (int n = at_first; n < c->shape.order; n++) {
        const double ratio = (double)c->shape.dim[n] / (double)fewer(c->shape.dim[n], rank);
        const bool longer = best < 0 || c->shape.dim[n] > c->shape.dim[best];
        if (c->basis[n] || ratio < most || (ratio == most && !longer)) continue;
        best = n, most = ratio;
    }
    return best;
}

static void project_plain(const crease_space *s, const double *t, int n, crs_mode_map u,
                          double *out)
{
    const ptrdiff_t right = crs_right(s, 0), rows = piece_of(s, n);
    crease_space piece = *s;
    for (ptrdiff_t first = 0; first < s->dim[0]; first += rows) {
        piece.dim[0] = fewer(rows, s->dim[0] - first);
        crs_ttm(&piece, n, u, 1, t + first * right, 0,
                out + first * (n ? right / s->dim[n] * u.to : right));
    }
}

/* The core so far, or the tensor itself, in U_n */
static double *project(const crs_cp_view *v, const crs_cp_core *c, const axis *a, crease_error *e)
{
    const crs_mode_map u = { c->basis[a->n], a->columns, true };
    crease_space to = c->shape;
    to.dim[a->n] = a->columns;
    double *out = crs_doubles(crease_size(&to), "a compressed tensor", e);
    if (!out) return NULL;
    if (!v) return project_plain(&c->shape, c->values, a->n, u, out), out;
    double *work = crs_doubles(crs_view_scratch(v), "a slab", e);
    crs_slab slab;
    if (!work || !v->source->ops->take(v->source, 0, &slab, e))
        return crs_free(work), crs_free(out), NULL;
    const crs_partition panels = crs_view_panels(v, &slab.shape);
    crs_view_count(v);
    for (ptrdiff_t k = 0; k < panels.count; k++) {
        const crs_slab p = crs_view_panel(v, &slab, &panels, k, work);
        crs_ttm(&p.shape, a->n, u, 1, p.t, 0, out + p.from[0] * crs_right(&to, 0));
    }
    v->source->ops->give(v->source, &slab);
    crs_free(work);
    return out;
}

/* What the spectra say about the rank: where those end that do, or reach the rank asked for; modes
 * too short to tell only bound it from below. */
typedef struct {
    ptrdiff_t asked, told, least;
} verdict;

static void hear(verdict *r, ptrdiff_t columns, const double *squares)
{
    const ptrdiff_t k = gap(columns, squares);
    if (k < columns || columns == r->asked)
        r->told = more(r->told, k);
    else
        r->least = more(r->least, k);
}

/* By the Gram matrix, or when the mode is long by two steps of subspace iteration from a random
 * start, each one reading. */
static bool iterate(const crs_cp_view *v, const crs_cp_core *c, axis *a, crease_error *e)
{
    for (int step = 0; step < (a->sketched ? STEPS : 1); step++) {
        if (!measure(v, c, a, e)) return false;
        if (crease_watch_over(c->watch)) return crs_cut(e, "the start");
        if (!learn(a, e)) return false;
    }
    return true;
}

/* Mode n of the core so far; v NULL: or of one slab */
static bool shrink(const crs_cp_view *v, int n, uint64_t seed, crs_cp_core *c, verdict *r,
                   crease_error *e)
{
    axis a = axis_of(&c->shape, n, r->asked);
    bool done = open_axis(&a, seed, e) && iterate(v, c, &a, e) && take_basis(&a, c, e);
    if (done) {
        double *out = project(v, c, &a, e);
        crs_free(c->values);
        c->values = out;
        c->shape.dim[n] = a.columns;
        hear(r, a.columns, a.squares);
        done = out;
    }
    close_axis(&a);
    return done;
}

static bool compress_slab(const crs_cp_view *v, uint64_t seed, crs_cp_core *c, verdict *r,
                          crease_error *e)
{
    for (int step = 0; step < v->shape.order; step++)
        if (!shrink(step ? NULL : v, next_mode(c, r->asked, step == 0), seed, c, r, e))
            return false;
    return true;
}

/* Of many slabs: all modes, and the factors that those are seen by which slabs cut */
typedef struct {
    const crs_cp_view *v;
    uint64_t seed;
    int cut;  /* the last mode that slabs cut */
    int lead; /* the mode in whose vectors others are seen; 0: none */
    axis mode[CREASE_MAX_ORDER];
    crs_kruskal with;
    double *mixed[CREASE_MAX_ORDER];
} compressor;

static void close_compressor(compressor *s)
{
    for (int n = 0; n < s->v->shape.order; n++) {
        close_axis(&s->mode[n]);
        crs_free(s->mixed[n]);
    }
}

/* How modes are measured: long ones that do not lead by one step of the iteration */
static void plan(compressor *s, ptrdiff_t rank)
{
    const crease_space *shape = &s->v->shape;
    double most = 0;
    for (int n = 0; n < shape->order; n++) {
        axis *a = &s->mode[n];
        *a = axis_of(shape, n, rank);
        const double ratio = (double)a->length / (double)a->columns;
        if (n > s->cut && a->sketched && ratio > most) s->lead = n, most = ratio;
    }
    for (int n = 0; n < shape->order; n++) {
        axis *a = &s->mode[n];
        const ptrdiff_t others = crease_size(shape) / a->length;
        a->sketched = n <= s->cut || n == s->lead || a->length > FEW;
        a->p = a->length;
        if (a->sketched)
            a->p = fewer(a->length, more(a->columns, fewer(a->columns + SPARE, others)));
        if (n <= s->cut) s->with.rank = more(s->with.rank, a->p);
    }
}

static bool open_compressor(compressor *s, ptrdiff_t rank, crease_error *e)
{
    s->with = (crs_kruskal){ .shape = s->v->shape };
    plan(s, rank);
    for (int n = 1; n < s->v->shape.order; n++)
        if (!open_axis(&s->mode[n], s->seed, e)) return false;
    return true;
}

/* Factors of the modes but n: random combinations of the vectors known, or random */
static bool mix(compressor *s, int n, const crs_cp_core *c, crease_error *e)
{
    const ptrdiff_t R = s->with.rank;
    for (int k = 0; k < s->v->shape.order; k++) {
        const axis *a = &s->mode[k];
        const bool known = k != n && (c->basis[k] || a->known);
        const double *q = c->basis[k] ? c->basis[k] : a->q;
        const ptrdiff_t p = c->basis[k] ? a->columns : a->p, rows = known ? p : a->length;
        double *x = crs_doubles(a->length * R, "a mixture", e);
        double *g = x && known ? crs_doubles(p * R, "a mixture", e) : x;
        crs_free(s->mixed[k]);
        s->with.factor[k] = s->mixed[k] = x;
        if (g && k != n) crs_normals(s->seed, (uint64_t)(MIXED + k), rows * R, g);
        if (g && known) crs_gemm(false, false, a->length, R, p, 1, q, g, 0, x);
        if (g != x) crs_free(g);
        if (!g) return false;
    }
    return true;
}

/* From w (I_n x R of `with`) of a mode that slabs cut: the leading p of its vectors */
static bool learn_cut(compressor *s, const double *w, int n, crease_error *e)
{
    axis *a = &s->mode[n];
    for (ptrdiff_t j = 0; j < a->length * a->p; j++)
        a->w[j] = w[j / a->p * s->with.rank + j % a->p];
    return by_sketch(a, e);
}

/* Is mode n measured at this step? Without one that leads, all that slabs do not cut come first. */
static bool measured(const compressor *s, int step, int n)
{
    if (n <= s->cut || (s->lead && n != s->lead)) return step == 1;
    return step == 0 || n == s->lead;
}

/* One reading of modes other than the first */
static bool look(compressor *s, int step, const crs_cp_core *c, crease_error *e)
{
    const int d = s->v->shape.order;
    crs_cp_measure m = { .lead = step ? s->lead : 0 };
    double *w[CREASE_MAX_ORDER] = { NULL }, *own[CREASE_MAX_ORDER] = { NULL };
    bool done = step == 0 || s->cut == 0 || mix(s, -1, c, e);
    if (done && step > 0 && s->cut > 0) m.with = s->with;
    for (int n = 1; done && n < d; n++) {
        const axis *a = &s->mode[n];
        const bool cut = n <= s->cut;
        if (!measured(s, step, n)) continue;
        m.columns[n] = cut ? s->with.rank : a->p;
        m.q[n] = a->sketched ? a->q : NULL;
        w[n] = cut ? own[n] = crs_doubles(a->length * s->with.rank, "a sketch", e) : a->w;
        done = w[n];
    }
    done = done && crs_view_measure(s->v, &m, w, NULL, e);
    if (done && crease_watch_over(s->v->watch)) done = crs_cut(e, "the start");
    for (int n = 1; done && n < d; n++)
        if (w[n]) done = own[n] ? learn_cut(s, own[n], n, e) : learn(&s->mode[n], e);
    for (int n = 1; n < d; n++) crs_free(own[n]);
    return done;
}

/* V in the vectors of all modes but the first, or of all */
static bool reduce(const compressor *s, crs_cp_core *c, crease_error *e)
{
    crs_mode_map u[CREASE_MAX_ORDER] = { { NULL, 0, false } };
    for (int n = 0; n < s->v->shape.order; n++)
        if (c->basis[n]) {
            u[n] = (crs_mode_map){ c->basis[n], s->mode[n].columns, true };
            c->shape.dim[n] = s->mode[n].columns;
        }
    c->values = crs_doubles(crease_size(&c->shape), "a compressed tensor", e);
    if (!c->values || !crs_view_project(s->v, u, c->values, e)) return false;
    return !crease_watch_over(s->v->watch) || crs_cut(e, "the start");
}

/* The first mode where its rows are too many to be kept */
static bool look_at_first(compressor *s, crs_cp_core *c, crease_error *e)
{
    crs_cp_measure m = { .with = { .rank = 0 } };
    double *w[CREASE_MAX_ORDER] = { NULL };
    const axis *a = &s->mode[0];
    bool done = open_axis(&s->mode[0], s->seed, e) && mix(s, 0, c, e);
    w[0] = done ? crs_doubles(a->length * s->with.rank, "a sketch", e) : NULL;
    m.columns[0] = s->with.rank;
    m.with = s->with;
    done = w[0] && crs_view_measure(s->v, &m, w, NULL, e) && learn_cut(s, w[0], 0, e) &&
           take_basis(a, c, e);
    crs_free(w[0]);
    return done;
}

/* The spectrum of a mode that slabs cut is that of the core. */
static bool hear_core(const compressor *s, const crs_cp_core *c, verdict *r, crease_error *e)
{
    for (int n = s->mode[0].q ? 0 : 1; n < c->shape.order; n++) {
        const ptrdiff_t columns = c->shape.dim[n];
        if (n > s->cut) hear(r, columns, s->mode[n].squares);
        if (n > s->cut) continue;
        double *squares =
            crs_doubles(columns + crs_unfolding_scratch(&c->shape, n), "a spectrum", e);
        if (!squares) return false;
        const bool done =
            crs_unfolding(&c->shape, n, c->values, squares, NULL, squares + columns, NULL);
        if (done) hear(r, columns, squares);
        crs_free(squares);
        if (!done) return unconverged(n, e);
    }
    return true;
}

static bool by_looks(compressor *s, crs_cp_core *c, verdict *r, crease_error *e)
{
    const int d = s->v->shape.order;
    ptrdiff_t kept = s->v->shape.dim[0];
    if (!open_compressor(s, r->asked, e)) return false;
    for (int n = 1; n < d; n++) kept = kept > ROWS ? kept : kept * s->mode[n].columns;
    if (s->cut < d - 1 && !look(s, 0, c, e)) return false;
    if ((s->cut > 0 || s->lead) && !look(s, 1, c, e)) return false;
    for (int n = 1; n < d; n++)
        if (!take_basis(&s->mode[n], c, e)) return false;
    if (kept > ROWS && !look_at_first(s, c, e)) return false;
    if (!reduce(s, c, e)) return false;
    if (kept > ROWS) return hear_core(s, c, r, e);
    return shrink(NULL, 0, s->seed, c, r, e) && hear_core(s, c, r, e);
}

static bool compress_slabs(const crs_cp_view *v, uint64_t seed, crs_cp_core *c, verdict *r,
                           crease_error *e)
{
    compressor s = { .v = v, .seed = seed, .cut = v->source->cut.mode };
    const bool done = by_looks(&s, c, r, e);
    close_compressor(&s);
    return done;
}

/* Basis and core without what lies beyond the rank found. */
static void cut(const crease_space *whole, ptrdiff_t rank, crs_cp_core *c)
{
    const crease_space was = c->shape;
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    for (int n = 0; n < was.order; n++) c->shape.dim[n] = fewer(was.dim[n], rank);
    for (int n = 0; n < was.order; n++)
        for (ptrdiff_t i = 0; i < whole->dim[n]; i++)
            copy(c->shape.dim[n], c->basis[n] + i * was.dim[n], c->basis[n] + i * c->shape.dim[n]);
    for (ptrdiff_t j = 0, size = crease_size(&c->shape); j < size; j++) {
        ptrdiff_t from = 0;
        for (int n = 0; n < was.order; n++) from = from * was.dim[n] + index[n];
        c->values[j] = c->values[from];
        for (int n = was.order - 1; n >= 0 && ++index[n] == c->shape.dim[n]; n--) index[n] = 0;
    }
}

bool crs_cp_compress(const crs_cp_view *v, ptrdiff_t rank, bool to_cut, uint64_t seed,
                     crs_cp_core *c, crease_error *e)
{
    verdict r = { .asked = rank };
    *c = (crs_cp_core){ .shape = v->shape, .watch = v->watch };
    if (!(v->source->cut.count == 1 ? compress_slab : compress_slabs)(v, seed, c, &r, e))
        return false;
    c->rank = to_cut && r.told ? more(r.told, r.least) : rank;
    cut(&v->shape, c->rank, c);
    return true;
}
