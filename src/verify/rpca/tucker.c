/* SPDX-License-Identifier: MIT
 * tucker: Tucker robust PCA judged from the definitions, by the check of CP (cp.c) on the
 * tensor as left x I_d, left over all modes but the last
 *
 *   M = P X_d',  P = C x_1 X_1 ... x_{d-1} X_{d-1};  of the pass over the entries, D = M - Z, the
 *   tables D X_d and P'D, and with them
 *   X_n  2 |<D, C x_{m != n} X_m>|,   C  2 |D x_1 X_1' ... x_d X_d'|
 *   E, Z, B and the constraint as of CP
 *
 * P is computed in long double and rounded to double: it is off by u |P| and by long double's
 * rounding of |C| |X_1| ... |X_{d-1}|, which no norm of a part exceeds either. */
#include "verify/rpca/cp.h"

typedef struct {
    crease_space shape;
    real *at;
} table;

static real length(ptrdiff_t n, const double *x)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += (real)x[j] * x[j];
    return sqrtl(sum);
}

static ptrdiff_t after(const crease_space *s, int n)
{
    ptrdiff_t product = 1;
    for (int m = n + 1; m < s->order; m++) product *= s->dim[m];
    return product;
}

/* out = t x_n X, or with `down` t x_n X', X of I_n x R_n */
static table turn(const crs_cp_core *k, table t, int n, bool down, real *out)
{
    const ptrdiff_t columns = k->ranks.dim[n], from = t.shape.dim[n], inner = after(&t.shape, n);
    const ptrdiff_t to = down ? columns : k->c->shape.dim[n];
    const ptrdiff_t before = crease_size(&t.shape) / from / inner;
    const double *x = k->c->factor[n];
    table y = { t.shape, out };
    y.shape.dim[n] = to;
    for (ptrdiff_t j = 0; j < before * to * inner; j++) out[j] = 0;
    for (ptrdiff_t b = 0; b < before; b++)
        for (ptrdiff_t i = 0; i < from * to; i++) {
            const ptrdiff_t p = i / to, q = i % to;
            const real w = down ? x[p * columns + q] : x[q * columns + p];
            const real *in = t.at + (b * from + p) * inner;
            real *sum = out + (b * to + q) * inner;
            for (ptrdiff_t j = 0; j < inner; j++) sum[j] += w * in[j];
        }
    return y;
}

/* P, by its last mode first: what is on the way is no larger than P. */
static void expand(crs_cp_core *k)
{
    const int last = k->c->shape.order - 1;
    real *const room[2] = { k->room, k->spare };
    table t = { k->ranks, room[0] };
    for (ptrdiff_t j = 0; j < crease_size(&k->ranks); j++) t.at[j] = k->core[j];
    for (int n = last - 1; n >= 0; n--) t = turn(k, t, n, false, room[t.at == room[0]]);
    for (ptrdiff_t j = 0; j < crease_size(&t.shape); j++) k->front[j] = (double)t.at[j];
}

/* The table (left x R_d) times X_m' in all modes before the last but `skip`, -1: none. */
static table reduce(const crs_cp_core *k, real *from, int skip)
{
    const int last = k->c->shape.order - 1;
    table t = { k->c->shape, from };
    t.shape.dim[last] = k->ranks.dim[last];
    for (int m = 0; m < last; m++)
        if (m != skip) t = turn(k, t, m, true, t.at == k->room ? k->spare : k->room);
    return t;
}

/* out (I_n x R_n) = the products of t with C over all indices but the n-th */
static void contract(const crs_cp_core *k, table t, int n, real *out)
{
    const ptrdiff_t rank = k->ranks.dim[n], inner = after(&t.shape, n), rows = t.shape.dim[n];
    const ptrdiff_t before = crease_size(&t.shape) / rows / inner;
    for (ptrdiff_t j = 0; j < rows * rank; j++) out[j] = 0;
    for (ptrdiff_t b = 0; b < before; b++)
        for (ptrdiff_t j = 0; j < rows * rank; j++) {
            const real *y = t.at + (b * rows + j / rank) * inner;
            const double *c = k->core + (b * rank + j % rank) * inner;
            for (ptrdiff_t i = 0; i < inner; i++) out[j] += y[i] * c[i];
        }
}

/* Of block n, d: the core, from a table of left x R_d. */
static void collect(const crs_cp_core *k, real *from, int n, real *out)
{
    const bool core = n == k->c->shape.order;
    const table t = reduce(k, from, core ? -1 : n);
    if (!core) contract(k, t, n, out);
    for (ptrdiff_t j = 0; core && j < crease_size(&k->ranks); j++) out[j] = t.at[j];
}

/* out (rows x rank) = x (y'y), y of `count` rows; gram has rank x rank places */
static void times_gram(ptrdiff_t rank, ptrdiff_t rows, const double *x, ptrdiff_t count,
                       const double *y, real *gram, real *out)
{
    for (ptrdiff_t p = 0; p < rank * rank; p++) {
        gram[p] = 0;
        for (ptrdiff_t i = 0; i < count; i++)
            gram[p] += (real)y[i * rank + p / rank] * y[i * rank + p % rank];
    }
    for (ptrdiff_t j = 0; j < rows * rank; j++) {
        out[j] = 0;
        for (ptrdiff_t r = 0; r < rank; r++)
            out[j] += x[j / rank * rank + r] * gram[r * rank + j % rank];
    }
}

/* k->moved and k->still: the products of D and of M with what block n is multiplied by. */
static void find_products(crs_cp_check *k, int n)
{
    crs_cp_core *own = k->core;
    const int last = own->c->shape.order - 1;
    const ptrdiff_t rank = own->ranks.dim[last], left = own->c->left, right = own->c->right;
    const double *X = own->c->factor[last];
    if (n != last) {
        collect(own, k->rows, n, own->moved);
        times_gram(rank, left, own->front, right, X, k->gram, own->whole);
        collect(own, own->whole, n, own->still);
        return;
    }
    for (ptrdiff_t j = 0; j < right * rank; j++) own->moved[j] = k->columns[j];
    times_gram(rank, right, X, left, own->front, k->gram, own->still);
}

static ptrdiff_t block_size(const crs_cp_core *k, int n)
{
    return n < k->c->shape.order ? k->c->shape.dim[n] * k->ranks.dim[n] : crease_size(&k->ranks);
}

/* No less than the norm of what block n is multiplied by. */
static real reach_of(const crs_cp_core *k, int n)
{
    const int d = k->c->shape.order;
    real reach = 1;
    for (int m = 0; m <= d; m++)
        if (m != n) reach *= length(block_size(k, m), m < d ? k->c->factor[m] : k->core);
    return reach;
}

static void find_block(crs_cp_check *k, int n, crs_finding *f)
{
    const crs_cp_core *own = k->core;
    const ptrdiff_t size = block_size(own, n);
    const double *x = n < own->c->shape.order ? own->c->factor[n] : own->core;
    const real reach = reach_of(own, n), gap = sqrtl(k->sum[CRS_GAP]), norm = length(size, x);
    const real terms = (real)(own->c->left + own->c->right + size + crease_size(&own->ranks));
    real all = 0, without = 0, added = 0;
    find_products(k, n);
    for (ptrdiff_t j = 0; j < size; j++) {
        const real g = 2 * own->moved[j], m = 2 * own->still[j];
        all += g * g;
        without += (m - g) * (m - g);
        added += m * m;
    }
    f->residual = sqrtl(all);
    f->scale = crs_scale(sqrtl(without) + sqrtl(added), 0, k->whole, norm);
    f->rounding = 2 * reach * (crs_cp_model_rounding(k) + (3 * k->unit + k->summing) * gap);
    f->rounding += 2 * terms * LDBL_EPSILON * reach * (gap + norm * reach);
    if (n == own->c->shape.order - 1) f->rounding += 2 * gap * own->off; /* of P'D */
    k->most = bigger(k->most, bigger(reach, norm * reach));
}

void crs_tucker_find(crs_cp_check *k, crs_finding *block)
{
    for (int n = 0; n <= k->core->c->shape.order; n++) find_block(k, n, &block[n]);
}

static bool fits(const crease_cp_claim *c, const crease_space *ranks, crease_error *e)
{
    const int d = c->shape.order;
    bool good = d >= 2 && d == ranks->order && crease_space_check(&c->shape, NULL) &&
                c->right == c->shape.dim[d - 1] && c->left == crease_size(&c->shape) / c->right;
    for (int n = 0; good && n < d; n++)
        good = ranks->dim[n] >= 1 && ranks->dim[n] <= c->shape.dim[n];
    return (good && c->left <= PTRDIFF_MAX / 64 / c->right) ||
           crs_fail(e, CREASE_BAD_SHAPE,
                    "the ranks or the rows do not suit the tensor: give one rank for each mode, "
                    "from 1 to its length, and rows over all modes but the last");
}

/* Memory, and P with how far it may be off. */
static bool open_core(crs_verifier *v, crs_cp_core *k)
{
    const int last = k->c->shape.order - 1;
    const ptrdiff_t half = k->c->left * k->ranks.dim[last];
    ptrdiff_t most = 0;
    for (int n = 0; n <= last + 1; n++)
        if (block_size(k, n) > most) most = block_size(k, n);
    k->room = crs_reals(v, half);
    k->spare = crs_reals(v, half);
    k->whole = crs_reals(v, half);
    k->front = crs_room(v, half, sizeof *k->front);
    k->moved = crs_reals(v, most);
    k->still = crs_reals(v, most);
    if (v->no_memory) return false;
    expand(k);
    real bound = 1, terms = 1;
    for (int n = 0; n <= last + 1; n++) {
        if (n == last) continue;
        bound *= length(block_size(k, n), n < last ? k->c->factor[n] : k->core);
        terms += n < last ? (real)k->ranks.dim[n] + 1 : 0;
    }
    k->off = bound == 0
                 ? 0 /* then P is */
                 : DBL_EPSILON * length(half, k->front) + terms * LDBL_EPSILON * bound + 0x1p-1000L;
    return true;
}

bool crease_tucker_verify(const crease_cp_claim *c, const crease_space *ranks, const double *core,
                          double eps, bool relative, crease_verification *out, crease_error *e)
{
    crs_verifier v = { .p = NULL }; /* P is made in any case: it is the pass that takes time */
    crs_cp_core own = { .c = c, .core = core };
    *out = (crease_verification){ 0 };
    if (!fits(c, ranks, e)) return false;
    own.ranks = *ranks;
    bool done = open_core(&v, &own) ||
                crs_fail(e, CREASE_NO_MEMORY, "out of memory: checking a Tucker model");
    if (!done && c->with) c->with->agree(c->with->self, false, e); /* who are about to begin */
    if (done) {
        const int last = c->shape.order - 1;
        const double *const factor[] = { own.front, c->factor[last] };
        crease_cp_claim matrix = *c;
        matrix.shape = crease_matrix(c->left, c->right);
        matrix.rank = ranks->dim[last];
        matrix.factor = factor;
        matrix.ridge = 0;
        matrix.nonneg = false;
        crs_cp_check k = { .c = &matrix, .core = &own };
        k.off = own.off * length(block_size(&own, last), c->factor[last]);
        done = crs_cp_judge(&k, eps, relative, out, e);
    }
    crs_rooms_free(&v);
    return done;
}
