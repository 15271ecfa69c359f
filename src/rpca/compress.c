/* SPDX-License-Identifier: MIT
 * cp_compress: sequentially truncated higher-order singular value decomposition: one mode after the
 * other is replaced by its leading singular vectors; only the first sees the whole tensor
 *
 * Vannieuwenhoven, Vandebril, Meerbergen, A new truncation strategy for the HOSVD, 2012. */
#include "rpca/cp_compress.h"

void crs_cp_core_free(crs_cp_core *c)
{
    crs_free(c->values);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(c->basis[n]);
    *c = (crs_cp_core){ .values = NULL };
}

ptrdiff_t crs_cp_gap(ptrdiff_t count, const double *squares)
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
    const ptrdiff_t k = crs_cp_gap(columns, squares);
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
    bool done = c->basis[n] && crs_cp_basis(v, n, columns, seed, c->basis[n], squares, e);
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
    *c = (crs_cp_core){ .shape = v->shape };
    for (int step = 0; step < v->shape.order; step++) {
        const crs_cp_view half = { .shape = c->shape, .tensor = c->values, .limit = INFINITY };
        const int n = next_mode(c, rank, step == 0);
        if (!shrink(step ? &half : v, n, seed, c, &r, e)) return false;
    }
    c->rank = to_cut && r.told ? more(r.told, r.least) : rank;
    cut(&v->shape, c->rank, c);
    return true;
}
