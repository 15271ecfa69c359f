/* SPDX-License-Identifier: MIT
 * maps: products with the linear maps of the catalogue
 *
 * A map is a list of entries (row, column, value); a product with its transpose exchanges the two
 * indices. Sums and compositions go through their parts, callbacks are called and believed. */
#include <crease/catalogue.h>

#include "verify/verify.h"

typedef struct {
    crs_verifier *v;
    const crease_map *A;
    const crease_space *dom, *ran;
    bool transposed;
    const num *in;
    num *out;
} product;

static void entry(const product *p, ptrdiff_t row, ptrdiff_t col, real value)
{
    if (p->transposed)
        gather(&p->out[col], exact(value), p->in[row]);
    else
        gather(&p->out[row], exact(value), p->in[col]);
}

static bool zero(const product *p) { return (void)p, true; }

static bool identity(const product *p)
{
    const ptrdiff_t n = crease_size(p->dom);
    const bool plain = p->A->par[0] == 1;
    for (ptrdiff_t j = 0; j < n && plain; j++) p->out[j] = add(p->out[j], p->in[j]);
    for (ptrdiff_t j = 0; j < n && !plain; j++) entry(p, j, j, p->A->par[0]);
    return true;
}

static bool diagonal(const product *p)
{
    const double *d = p->A->data;
    for (ptrdiff_t j = 0, n = crease_size(p->dom); j < n; j++) entry(p, j, j, d[j]);
    return true;
}

/* In double: sum_k a_k x_k of `count` terms is off by no more than sum_k |a_k| w_k,
 * w_k = (count + 4) 2^-52 |x_k| and what x_k itself is off by. */
typedef struct {
    double x, w;
} factor;

/* Terms that are 0 are left out where most are; any order of adding up is within the bound. */
typedef struct {
    const factor *in;
    const ptrdiff_t *at; /* the places that are not 0; NULL: all count */
    ptrdiff_t count;
} factors;

static void multiply_row(const double *a, const factors *f, double *sum, double *off)
{
    enum { LANES = 8 };
    double s[LANES] = { 0 }, o[LANES] = { 0 };
    for (ptrdiff_t k = 0; f->at && k < f->count; k++) {
        const ptrdiff_t j = f->at[k];
        s[0] += a[j] * f->in[j].x, o[0] += fabs(a[j]) * f->in[j].w;
    }
    const ptrdiff_t whole = f->at ? 0 : f->count / LANES * LANES;
    for (ptrdiff_t j = 0; j < whole; j += LANES)
        for (int l = 0; l < LANES; l++) {
            s[l] += a[j + l] * f->in[j + l].x;
            o[l] += fabs(a[j + l]) * f->in[j + l].w;
        }
    for (ptrdiff_t j = whole; !f->at && j < f->count; j++)
        s[0] += a[j] * f->in[j].x, o[0] += fabs(a[j]) * f->in[j].w;
    *sum = *off = 0;
    for (int l = 0; l < LANES; l++) *sum += s[l], *off += o[l];
}

static void multiply_rows(const double *a, ptrdiff_t m, ptrdiff_t n, const factors *f, num *out)
{
    for (ptrdiff_t i = 0; i < m; i++, a += n) {
        double sum, off;
        multiply_row(a, f, &sum, &off);
        out[i] = add(out[i], (num){ sum, off * 1.0625L + (real)n * 0x1p-1070L });
    }
}

static void multiply_columns(const double *a, ptrdiff_t m, ptrdiff_t n, const factor *in,
                             double *sum, double *off)
{
    for (ptrdiff_t i = 0; i < m; i++, a += n) {
        const double x = in[i].x, w = in[i].w;
        if (x == 0 && w == 0) continue;
        for (ptrdiff_t j = 0; j < n; j++) sum[j] += a[j] * x, off[j] += fabs(a[j]) * w;
    }
}

/* at has room for count places. */
static factors few_or_all(const factor *in, ptrdiff_t count, ptrdiff_t *at)
{
    ptrdiff_t met = 0;
    for (ptrdiff_t k = 0; k < count; k++)
        if (!(in[k].x == 0 && in[k].w == 0)) at[met++] = k;
    return met < count / 8 ? (factors){ in, at, met } : (factors){ in, NULL, count };
}

static bool dense_in_double(const product *p, ptrdiff_t m, ptrdiff_t n)
{
    const ptrdiff_t count = p->transposed ? m : n;
    void *mark = p->v->rooms;
    factor *in = crs_room(p->v, count, sizeof *in);
    ptrdiff_t *at = crs_room(p->v, count, sizeof *at);
    double *sum = crs_room(p->v, n, sizeof *sum), *off = crs_room(p->v, n, sizeof *off);
    if (!in || !at || !sum || !off) return false;
    p->v->doubled = true;
    for (ptrdiff_t k = 0; k < count; k++) {
        const real v = p->in[k].v, w = (real)(count + 4) * 0x1p-52L * fabsl(v) + p->in[k].e;
        in[k] = (factor){ (double)v, w == 0 ? 0 : (double)(w * (1 + 0x1p-40L)) };
    }
    const factors all = few_or_all(in, count, at);
    const double *a = p->A->data;
    const ptrdiff_t band = (1 << 20) / n + 1;
    for (ptrdiff_t i = 0; i < m && crs_in_time(p->v); i += band) {
        const ptrdiff_t rows = m - i < band ? m - i : band;
        if (p->transposed)
            multiply_columns(a + i * n, rows, n, in + i, sum, off);
        else
            multiply_rows(a + i * n, rows, n, &all, p->out + i);
    }
    for (ptrdiff_t j = 0; p->transposed && j < n; j++)
        p->out[j] = add(p->out[j], (num){ sum[j], off[j] * 1.0625L + (real)m * 0x1p-1070L });
    crs_rooms_release(p->v, mark);
    return true;
}

static bool dense(const product *p)
{
    const double *a = p->A->data;
    const ptrdiff_t m = crease_size(p->ran), n = crease_size(p->dom);
    if (p->v->quick && m * n >= CRS_LARGE) return dense_in_double(p, m, n);
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n && crs_at_entry(p->v, i * n + j); j++)
            entry(p, i, j, a[i * n + j]);
    return true;
}

static bool csr(const product *p)
{
    const crease_csr_matrix *a = p->A->data;
    for (ptrdiff_t i = 0; i < a->rows; i++)
        for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++)
            if (crs_at_entry(p->v, k)) entry(p, i, a->col[k], a->value[k]);
    return true;
}

static bool selection(const product *p)
{
    const crease_index_list *l = p->A->data;
    for (ptrdiff_t k = 0; k < l->count; k++) entry(p, k, l->index[k], 1);
    return true;
}

/* Entry j of the input is the end of the difference that precedes it along the axis and the start
 * of the one that follows. */
static bool finite_difference(const product *p)
{
    const int axis = (int)p->A->par[0];
    const ptrdiff_t length = p->dom->dim[axis];
    ptrdiff_t inner = 1;
    for (int i = axis + 1; i < p->dom->order; i++) inner *= p->dom->dim[i];
    for (ptrdiff_t j = 0, n = crease_size(p->dom); j < n; j++) {
        const ptrdiff_t outer = j / (inner * length), at = j / inner % length, rest = j % inner;
        const ptrdiff_t row = (outer * (length - 1) + at) * inner + rest;
        if (at + 1 < length) entry(p, row, j, -1);
        if (at > 0) entry(p, row - inner, j, 1);
    }
    return true;
}

static bool callback(const product *p)
{
    const crease_callback_map *c = p->A->data;
    const ptrdiff_t m = crease_size(p->transposed ? p->ran : p->dom);
    const ptrdiff_t n = crease_size(p->transposed ? p->dom : p->ran);
    double *in = crs_room(p->v, m, sizeof *in), *out = crs_room(p->v, n, sizeof *out);
    if (!in || !out) return false;
    p->v->trusted_callback = true;
    for (ptrdiff_t j = 0; j < m; j++) in[j] = (double)p->in[j].v;
    (p->transposed ? c->adjoint : c->apply)(c->user, 1, in, out);
    for (ptrdiff_t j = 0; j < n; j++) p->out[j] = add(p->out[j], exact(out[j]));
    return true;
}

static bool sum(const product *p)
{
    const crease_map_list *l = p->A->data;
    const ptrdiff_t n = crease_size(p->transposed ? p->dom : p->ran);
    num *part = crs_nums(p->v, n);
    if (!part) return false;
    for (int k = 0; k < l->count; k++) {
        const num scale = exact(l->scale ? l->scale[k] : 1);
        for (ptrdiff_t j = 0; j < n; j++) part[j] = exact(0);
        if (!crs_multiply(p->v, &l->map[k], p->dom, p->ran, p->transposed, p->in, part))
            return false;
        for (ptrdiff_t j = 0; j < n; j++) gather(&p->out[j], scale, part[j]);
    }
    return true;
}

static bool composition(const product *p)
{
    const crease_map_pair *c = p->A->data;
    num *between = crs_nums(p->v, crease_size(c->between));
    if (!between) return false;
    if (p->transposed)
        return crs_multiply(p->v, c->outer, c->between, p->ran, true, p->in, between) &&
               crs_multiply(p->v, c->inner, p->dom, c->between, true, between, p->out);
    return crs_multiply(p->v, c->inner, p->dom, c->between, false, p->in, between) &&
           crs_multiply(p->v, c->outer, c->between, p->ran, false, between, p->out);
}

static bool scaled(const product *p)
{
    const ptrdiff_t n = crease_size(p->transposed ? p->dom : p->ran);
    num *part = crs_nums(p->v, n);
    if (!part || !crs_multiply(p->v, p->A->data, p->dom, p->ran, p->transposed, p->in, part))
        return false;
    for (ptrdiff_t j = 0; j < n; j++) gather(&p->out[j], exact(p->A->par[0]), part[j]);
    return true;
}

static bool transposed(const product *p)
{
    return crs_multiply(p->v, p->A->data, p->ran, p->dom, !p->transposed, p->in, p->out);
}

/* Part k takes x to the k-th piece of the output, or the k-th piece of the input to y. */
static bool in_parts(const product *p, bool stacked)
{
    const crease_map_parts *parts = p->A->data;
    ptrdiff_t at = 0;
    for (int k = 0; k < parts->count; k++) {
        const crease_space *own = &parts->space[k];
        const bool cut_in = stacked == p->transposed;
        if (!crs_multiply(p->v, &parts->map[k], stacked ? p->dom : own, stacked ? own : p->ran,
                          p->transposed, p->in + (cut_in ? at : 0), p->out + (cut_in ? 0 : at)))
            return false;
        at += crease_size(own);
    }
    return true;
}

static bool stack(const product *p) { return in_parts(p, true); }
static bool side_by_side(const product *p) { return in_parts(p, false); }

/* The rows of each axis follow those of the axes before it. */
static bool gradient(const product *p)
{
    ptrdiff_t row = 0, inner = crease_size(p->dom);
    const ptrdiff_t n = inner;
    for (int axis = 0; axis < p->dom->order; axis++) {
        const ptrdiff_t length = p->dom->dim[axis];
        inner /= length;
        for (ptrdiff_t j = 0; j < n; j++) {
            if (j / inner % length + 1 == length) continue;
            entry(p, row, j, -1);
            entry(p, row++, j + inner, 1);
        }
    }
    return true;
}

/* Y = L X R' by its two sums: first over the columns of L, then over those of R. */
/* The rows j of a side with something in column k, all of them, or of the identity (NULL) one. */
static ptrdiff_t from_row(const double *side, ptrdiff_t k) { return side ? 0 : k; }
static ptrdiff_t to_row(const double *side, ptrdiff_t rows, ptrdiff_t k)
{
    return side ? rows : k + 1;
}
static num side_at(const double *side, ptrdiff_t at) { return exact(side ? side[at] : 1); }

static bool kronecker(const product *p)
{
    const crease_matrix_pair *c = p->A->data;
    const ptrdiff_t lr = c->left_rows, lc = c->left_cols, rr = c->right_rows, rc = c->right_cols;
    const double *L = c->left, *R = c->right;
    num *between = crs_nums(p->v, lr * rc); /* L X, or Y R */
    if (!between) return false;
    for (ptrdiff_t i = 0; i < lr; i++)
        for (ptrdiff_t k = 0; k < rc && crs_in_tiles(p->v, i * rc + k, lc + rr); k++) {
            num *sum = &between[i * rc + k];
            for (ptrdiff_t j = from_row(L, i); !p->transposed && j < to_row(L, lc, i); j++)
                gather(sum, side_at(L, i * lc + j), p->in[j * rc + k]);
            for (ptrdiff_t j = from_row(R, k); p->transposed && j < to_row(R, rr, k); j++)
                gather(sum, side_at(R, j * rc + k), p->in[i * rr + j]);
        }
    for (ptrdiff_t i = 0; i < lr; i++)
        for (ptrdiff_t k = 0; k < rc && crs_in_tiles(p->v, i * rc + k, lc + rr); k++) {
            const num t = between[i * rc + k];
            for (ptrdiff_t j = from_row(R, k); !p->transposed && j < to_row(R, rr, k); j++)
                gather(&p->out[i * rr + j], side_at(R, j * rc + k), t);
            for (ptrdiff_t j = from_row(L, i); p->transposed && j < to_row(L, lc, i); j++)
                gather(&p->out[j * rc + k], side_at(L, i * lc + j), t);
        }
    return true;
}

static bool low_rank(const product *p)
{
    const crease_factored_matrix *a = p->A->data;
    const ptrdiff_t in = p->transposed ? a->rows : a->cols, out = p->transposed ? a->cols : a->rows;
    const double *first = p->transposed ? a->u : a->v, *second = p->transposed ? a->v : a->u;
    num *between = crs_nums(p->v, a->rank);
    if (!between) return false;
    for (ptrdiff_t j = 0; j < in && crs_in_tiles(p->v, j, a->rank); j++)
        for (ptrdiff_t k = 0; k < a->rank; k++)
            gather(&between[k], exact(first[j * a->rank + k]), p->in[j]);
    for (ptrdiff_t i = 0; i < out && crs_in_tiles(p->v, i, a->rank); i++)
        for (ptrdiff_t k = 0; k < a->rank; k++)
            gather(&p->out[i], exact(second[i * a->rank + k]), between[k]);
    return true;
}

/* One step along an axis of the corner that a level works on. A line x becomes, at its k-th
 * average and detail, sums of x_{2k}, ..., x_{2k+3} around the end, with the four coefficients and
 * with them backwards under alternating signs. */
static void wavelet_line(num *line, num *old, ptrdiff_t n, ptrdiff_t stride, bool back)
{
    const real q = sqrtl(3), f = 4 * sqrtl(2);
    const real c[] = { (1 + q) / f, (3 + q) / f, (3 - q) / f, (1 - q) / f };
    for (ptrdiff_t j = 0; j < n; j++) old[j] = line[j * stride], line[j * stride] = exact(0);
    for (ptrdiff_t k = 0; k < n; k++)
        for (ptrdiff_t i = 0; i < 4; i++) {
            const bool detail = 2 * k >= n;
            const ptrdiff_t j = (2 * (detail ? k - n / 2 : k) + i) % n;
            const real value = !detail ? c[i] : i % 2 ? -c[3 - i] : c[3 - i];
            const num a = { value, 8 * LDBL_EPSILON * fabsl(value) + LDBL_EPSILON };
            gather(&line[(back ? j : k) * stride], a, old[back ? k : j]);
        }
}

static void wavelet_axis(const product *p, int level, int axis, num *x, num *line)
{
    const crease_space *s = p->dom;
    ptrdiff_t stride = 1;
    for (int i = axis + 1; i < s->order; i++) stride *= s->dim[i];
    for (ptrdiff_t j = 0, n = crease_size(s); j < n && crs_at_entry(p->v, j); j++) {
        bool first = true; /* of a line in the corner */
        ptrdiff_t rest = j;
        for (int i = s->order - 1; i >= 0; rest /= s->dim[i--]) {
            const ptrdiff_t at = rest % s->dim[i], most = s->dim[i] > 1 ? s->dim[i] >> level : 1;
            first = first && at < (i == axis ? 1 : most);
        }
        if (first) wavelet_line(x + j, line, s->dim[axis] >> level, stride, p->transposed);
    }
}

static bool wavelet(const product *p)
{
    const int levels = (int)p->A->par[0], order = p->dom->order;
    const ptrdiff_t n = crease_size(p->dom);
    num *x = crs_nums(p->v, n), *line = crs_nums(p->v, n);
    if (!x || !line) return false;
    for (ptrdiff_t j = 0; j < n; j++) x[j] = p->in[j];
    for (int step = 0; step < levels * order; step++) {
        const int k = p->transposed ? levels * order - 1 - step : step;
        if (p->dom->dim[k % order] > 1) wavelet_axis(p, k / order, k % order, x, line);
    }
    for (ptrdiff_t j = 0; j < n; j++) p->out[j] = add(p->out[j], x[j]);
    return true;
}

static bool dct(const product *p)
{
    return crs_multiply_dct(p->v, p->dom, p->transposed, p->in, p->out);
}

static bool convolution(const product *p)
{
    return crs_multiply_convolution(p->v, p->A->data, p->transposed, p->in, p->out);
}

static const struct {
    const char *name;
    bool (*multiply)(const product *p);
} rules[] = {
    { "zero", zero },
    { "identity", identity },
    { "diagonal", diagonal },
    { "mask", diagonal },
    { "dense", dense },
    { "csr", csr },
    { "selection", selection },
    { "finite-difference", finite_difference },
    { "callback", callback },
    { "sum", sum },
    { "composition", composition },
    { "scaled", scaled },
    { "transposed", transposed },
    { "stack", stack },
    { "side-by-side", side_by_side },
    { "gradient", gradient },
    { "kronecker", kronecker },
    { "low-rank", low_rank },
    { "wavelet", wavelet },
    { "dct", dct },
    { "circular-convolution", convolution },
    { "convolution", convolution },
};

static bool is_listed(const crease_map *A)
{
    for (int k = 0; k < crease_map_count(); k++)
        if (crease_map_at(k) == A->ops) return true;
    return false;
}

bool crs_multiply(crs_verifier *v, const crease_map *A, const crease_space *dom,
                  const crease_space *ran, bool transposed, const num *in, num *out)
{
    const product p = { v, A, dom, ran, transposed, in, out };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (strcmp(rules[k].name, A->ops->name) == 0 && is_listed(A)) return rules[k].multiply(&p);
    return crs_refuse(v, "the map '%s' is not one of the catalogue", A->ops->name);
}
