/* SPDX-License-Identifier: MIT
 * compress: a tensor as a robust start sees it (clipped and completed slabs, the scale of its
 * residual), and in the leading singular vectors of its modes, T ~ core x_n U_n: one mode after the
 * other is replaced by them, only the first sees the whole tensor
 *
 * Vannieuwenhoven, Vandebril, Meerbergen, A new truncation strategy for the HOSVD, 2012; Halko,
 * Martinsson, Tropp, Finding structure with randomness, 2011. */
#include <crease/random.h>

#include "rpca/start.h"

enum { SLAB = 1 << 18, SAMPLE = 1 << 15 };

bool crs_observe(const crease_space *shape, const double *tensor, const double *mask,
                 crs_observed *o, crease_error *e)
{
    const ptrdiff_t size = crease_size(shape);
    bool finite = true;
    *o = (crs_observed){ .tensor = NULL };
    if (mask) o->mask = crs_alloc((size_t)size, 1);
    if (mask && !o->mask) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a mask");
    for (ptrdiff_t j = 0; mask && j < size; j++) {
        o->mask[j] = mask[j] > 0;
        finite = finite && (o->mask[j] || isfinite(tensor[j]));
    }
    if (!finite) o->tensor = crs_doubles(size, "the observed entries", e);
    if (!finite && !o->tensor) return false;
    for (ptrdiff_t j = 0; !finite && j < size; j++) o->tensor[j] = o->mask[j] ? tensor[j] : 0;
    crs_memory_open(&o->data, shape, finite ? tensor : o->tensor, o->mask);
    return true;
}

ptrdiff_t crs_view_rows(const crs_cp_view *v)
{
    const ptrdiff_t right = crs_right(&v->shape, 0);
    return fewer(v->shape.dim[0], more(1, SLAB / right));
}

static crs_kruskal part_of(const crs_cp_view *v, ptrdiff_t first, ptrdiff_t count)
{
    crs_kruskal k = *v->model;
    k.shape.dim[0] = count;
    k.factor[0] += first * k.rank;
    return k;
}

ptrdiff_t crs_view_scratch(const crs_cp_view *v, ptrdiff_t rows)
{
    crease_space s = v->shape;
    s.dim[0] = rows;
    if (crs_view_plain(v)) return 1;
    return crease_size(&s) + (v->model ? crs_kruskal_scratch(&s, v->model->rank) : 0);
}

const double *crs_view_slab(const crs_cp_view *v, ptrdiff_t first, ptrdiff_t count, double *work)
{
    const ptrdiff_t right = crs_right(&v->shape, 0), start = first * right, size = count * right;
    const double *t = v->source->whole + start;
    if (crs_view_plain(v)) return t;
    fill(size, 0, work);
    if (v->model) {
        const crs_kruskal k = part_of(v, first, count);
        crs_reconstruct(&k, 1, work, work + size);
    }
    for (ptrdiff_t j = 0; j < size; j++) {
        const bool here = crs_view_observed(v, start + j);
        const double rest = here ? clip(t[j] - work[j], -v->limit, v->limit) : 0;
        work[j] = v->residual ? rest : work[j] + rest;
    }
    return work;
}

/* M_j by its formula */
static double model_at(const crs_kruskal *k, ptrdiff_t j)
{
    ptrdiff_t index[CREASE_MAX_ORDER];
    double sum = 0;
    for (int n = k->shape.order - 1; n >= 0; n--)
        index[n] = j % k->shape.dim[n], j /= k->shape.dim[n];
    for (ptrdiff_t r = 0; r < k->rank; r++) {
        double product = 1;
        for (int n = 0; n < k->shape.order; n++) product *= k->factor[n][index[n] * k->rank + r];
        sum += product;
    }
    return sum;
}

static ptrdiff_t sample_size(const crs_cp_view *v) { return fewer(crease_size(&v->shape), SAMPLE); }

/* A step through all entries whose first ones are spread evenly, whatever the dimensions: prime to
 * their number and near its golden section. */
static ptrdiff_t even_step(ptrdiff_t size)
{
    for (ptrdiff_t step = (ptrdiff_t)(0.6180339887498949 * (double)size);; step++) {
        ptrdiff_t a = size, b = step;
        while (b > 0) {
            const ptrdiff_t rest = a % b;
            a = b, b = rest;
        }
        if (a == 1) return step;
    }
}

/* T - M at an even sample of the observed entries; how many. */
static ptrdiff_t sample(const crs_cp_view *v, double *out)
{
    const ptrdiff_t size = crease_size(&v->shape), most = sample_size(v);
    const ptrdiff_t step = even_step(size);
    ptrdiff_t used = 0;
    crs_view_count(v);
    for (ptrdiff_t k = 0, j = 0; k < size && used < most; k++) {
        if (crs_view_observed(v, j)) {
            const double t = v->source ? v->source->whole[j] : 0;
            out[used++] = t - (v->model ? model_at(v->model, j) : 0);
        }
        j = j < size - step ? j + step : j + step - size;
    }
    return used;
}

bool crs_view_median(const crs_cp_view *v, double *median, crease_error *e)
{
    double *work = crs_doubles(sample_size(v), "a sample of the residual", e);
    const ptrdiff_t used = work ? sample(v, work) : 0;
    for (ptrdiff_t k = 0; k < used; k++) work[k] = fabs(work[k]);
    *median = used ? crs_median(used, work) : 0;
    crs_free(work);
    return work != NULL;
}

bool crs_view_middle(const crs_cp_view *v, double *median, double *around, crease_error *e)
{
    double *work = crs_doubles(sample_size(v), "a sample of the data", e);
    const ptrdiff_t used = work ? sample(v, work) : 0;
    *median = used ? crs_median(used, work) : 0;
    for (ptrdiff_t k = 0; k < used; k++) work[k] = fabs(work[k] - *median);
    *around = used ? crs_median(used, work) : 0;
    crs_free(work);
    return work != NULL;
}

bool crs_view_check(const crs_cp_view *v, crease_error *e)
{
    if (v->checked) return true;
    crs_view_count(v);
    for (ptrdiff_t j = 0, size = crease_size(&v->shape); j < size; j++)
        if (crs_view_observed(v, j) && !isfinite(v->source->whole[j]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "entry %td of the tensor is %g; give finite numbers, or mask it", j + 1,
                            v->source->whole[j]);
    return true;
}

enum { SPARE = 10, LONG = 4, LONGEST = 1500, STEPS = 2, STREAM = 64 };

typedef struct {
    int n;
    ptrdiff_t rows, columns; /* of a slab; of q */
    double *slab, *product;  /* V slab, and V slab x_n Q' */
} reader;

/* w (I_n x columns) = V_(n) V_(n)' Q; q NULL: the Gram matrix itself */
static void apply(const crs_cp_view *v, const reader *r, double *q, double *w)
{
    crease_space s = v->shape;
    const crs_cp_square a = { r->n, r->columns, q, w, r->product };
    crs_view_count(v);
    fill(s.dim[r->n] * r->columns, 0, w);
    for (ptrdiff_t first = 0; first < v->shape.dim[0] && !crease_watch_over(v->watch);
         first += r->rows) {
        s.dim[0] = fewer(r->rows, v->shape.dim[0] - first);
        add_square(&a, &s, crs_view_slab(v, first, s.dim[0], r->slab));
    }
}

static bool open_reader(const crs_cp_view *v, bool sketched, reader *r, crease_error *e)
{
    r->rows = r->n == 0 ? v->shape.dim[0] : crs_view_rows(v);
    const ptrdiff_t fibres = crs_right(&v->shape, 0) / (r->n ? v->shape.dim[r->n] : 1);
    const ptrdiff_t product = (r->n ? r->rows : 1) * fibres * r->columns;
    r->slab = crs_doubles(crs_view_scratch(v, r->rows), "a slab", e);
    r->product = crs_doubles(sketched ? product : 1, "a product of a slab", e);
    return r->slab && r->product;
}

static bool unconverged(int n, crease_error *e)
{
    return crs_fail(e, CREASE_NUMERICAL_FAILURE,
                    "the singular vectors of mode %d did not converge; rescale the tensor or start "
                    "at random",
                    n + 1);
}

static bool by_gram(const crs_cp_view *v, const reader *r, ptrdiff_t columns, double *basis,
                    double *squares, crease_error *e)
{
    const ptrdiff_t length = v->shape.dim[r->n];
    double *gram =
        crs_doubles(2 * length * length + length + crs_eigh_scratch(length), "a Gram matrix", e);
    if (!gram) return false;
    double *q = gram + length * length, *w = q + length * length, *work = w + length;
    apply(v, r, NULL, gram);
    if (crease_watch_over(v->watch)) return crs_free(gram), crs_cut(e, "the start");
    const bool done = crs_eigh(length, gram, w, q, work);
    for (ptrdiff_t k = 0; done && k < columns; k++) {
        const double *vector = q + (length - 1 - k) * length;
        squares[k] = pos(w[length - 1 - k]);
        for (ptrdiff_t i = 0; i < length; i++) basis[i * columns + k] = vector[i];
    }
    crs_free(gram);
    return done || unconverged(r->n, e);
}

static bool by_sketch(const crs_cp_view *v, const reader *r, ptrdiff_t columns, uint64_t seed,
                      double *basis, double *squares, crease_error *e)
{
    const ptrdiff_t length = v->shape.dim[r->n], p = r->columns;
    const crease_random random = { seed, (uint64_t)(STREAM + r->n) };
    double *q = crs_doubles(2 * length * p + p + p * p + crs_svd_scratch(length, p), "a sketch", e);
    if (!q) return false;
    double *w = q + length * p, *s = w + length * p, *vt = s + p, *work = vt + p * p;
    bool done = true;
    for (ptrdiff_t j = 0; j < length * p; j++) q[j] = crease_random_normal(random, (uint64_t)j);
    for (int step = 0; done && step < STEPS; step++) {
        apply(v, r, q, w);
        if (crease_watch_over(v->watch)) return crs_free(q), crs_cut(e, "the start");
        done = crs_svd(length, p, w, q, s, vt, work);
    }
    for (ptrdiff_t k = 0; done && k < columns; k++) { /* w = Q S V' with S ~ the squares */
        squares[k] = s[k];
        for (ptrdiff_t i = 0; i < length; i++) basis[i * columns + k] = q[i * p + k];
    }
    crs_free(q);
    return done || unconverged(r->n, e);
}

/* The leading left singular vectors of V_(n), I_n x columns, and the squares of their values,
 * descending; columns <= I_n. A mode other than the first, or a plain view. By the Gram matrix, or
 * when the mode is long by two steps of subspace iteration from a random start, each one pass. */
static bool leading_vectors(const crs_cp_view *v, int n, ptrdiff_t columns, uint64_t seed,
                            double *basis, double *squares, crease_error *e)
{
    const ptrdiff_t length = v->shape.dim[n], p = fewer(length, columns + SPARE);
    const bool sketched = length > LONG * p || length > LONGEST;
    reader r = { .n = n, .columns = sketched ? p : length };
    bool done = open_reader(v, sketched, &r, e);
    if (done)
        done = sketched ? by_sketch(v, &r, columns, seed, basis, squares, e)
                        : by_gram(v, &r, columns, basis, squares, e);
    crs_free(r.slab);
    crs_free(r.product);
    return done;
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

/* V x_n U_n' slab by slab */
static double *project(const crs_cp_view *v, int n, crs_mode_map u, crease_error *e)
{
    crease_space s = v->shape, to = v->shape;
    to.dim[n] = u.to;
    crs_view_count(v);
    const ptrdiff_t rows = n == 0 ? s.dim[0] : crs_view_rows(v), right = crs_right(&to, 0);
    double *slab = crs_doubles(crs_view_scratch(v, rows), "a slab", e);
    double *out = slab ? crs_doubles(crease_size(&to), "a compressed tensor", e) : NULL;
    for (ptrdiff_t first = 0; out && first < v->shape.dim[0]; first += rows) {
        s.dim[0] = fewer(rows, v->shape.dim[0] - first);
        crs_ttm(&s, n, u, 1, crs_view_slab(v, first, s.dim[0], slab), 0, out + first * right);
    }
    crs_free(slab);
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

static bool shrink(const crs_cp_view *v, int n, uint64_t seed, crs_cp_core *c, verdict *r,
                   crease_error *e)
{
    const ptrdiff_t length = v->shape.dim[n], columns = fewer(length, r->asked);
    double *squares = crs_doubles(columns, "a spectrum", e);
    c->basis[n] = squares ? crs_doubles(length * columns, "a basis", e) : NULL;
    bool done = c->basis[n] && leading_vectors(v, n, columns, seed, c->basis[n], squares, e);
    if (done) {
        double *out = project(v, n, (crs_mode_map){ c->basis[n], columns, true }, e);
        crs_free(c->values);
        c->values = out;
        c->shape.dim[n] = columns;
        hear(r, columns, squares);
        done = out;
    }
    crs_free(squares);
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
    for (int step = 0; step < v->shape.order; step++) {
        crs_memory core;
        crs_memory_open(&core, &c->shape, c->values, NULL);
        const crs_cp_view half = {
            .shape = c->shape, .source = &core.source, .limit = INFINITY, .watch = v->watch
        };
        const int n = next_mode(c, rank, step == 0);
        if (!shrink(step ? &half : v, n, seed, c, &r, e)) return false;
    }
    c->rank = to_cut && r.told ? more(r.told, r.least) : rank;
    cut(&v->shape, c->rank, c);
    return true;
}
