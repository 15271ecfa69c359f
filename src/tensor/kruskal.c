/* SPDX-License-Identifier: MIT
 * kruskal: how a tensor is cut for streaming, and products with [[X_1, ..., X_d]]: the tensor
 * itself, T_(n) M_n (the matricized tensor times the Khatri-Rao product), M_n'M_n, and the case of
 * rank one, T(x_1, ..., x_d)
 *
 * T is streamed once as a (left x right) matrix. For a mode among the rows, T K with K the
 * Khatri-Rao rows of the columns sums over all modes of the columns in one matrix product; for a
 * mode among the columns, T'K does it over the rows. What remains is an entrywise product with
 * the Khatri-Rao rows of the other modes on the same side, summed over them. The cost is
 * 2 |T| rank flops plus lower order; the memory is a slab's. Phan, Tichavsky, Cichocki, Fast
 * alternating LS algorithms for high order CANDECOMP/PARAFAC tensor factorizations, 2013. */
#include "tensor/tensor.h"

/* The columns are the last modes: enough of them to give a matrix product something to do, few
 * enough that their Khatri-Rao product stays in cache. A slab fits in a core's own cache. */
enum { WIDE = 32, WIDEST = 1 << 12, SLAB = 1 << 15 };

ptrdiff_t crs_left(const crease_space *s, int n)
{
    ptrdiff_t size = 1;
    for (int j = 0; j < n; j++) size *= s->dim[j];
    return size;
}

ptrdiff_t crs_right(const crease_space *s, int n)
{
    ptrdiff_t size = 1;
    for (int j = n + 1; j < s->order; j++) size *= s->dim[j];
    return size;
}

crs_slabs crs_slabs_of(const crease_space *s)
{
    int split = s->order - 1;
    ptrdiff_t right = s->dim[split];
    while (split > 1 && right < WIDE && s->dim[split - 1] <= WIDEST / right)
        right *= s->dim[--split];
    const ptrdiff_t left = crs_left(s, split), fit = right < SLAB ? SLAB / right : 1;
    return (crs_slabs){ split, left, right, fewer(left, fit) };
}

/* index[m.from .. m.to) of row `row`; the last mode runs fastest. */
static void locate(const crease_space *s, crs_modes m, ptrdiff_t row, ptrdiff_t *index)
{
    for (int j = m.to - 1; j >= m.from; j--) {
        index[j] = row % s->dim[j];
        row /= s->dim[j];
    }
}

static void advance(const crease_space *s, crs_modes m, ptrdiff_t *index)
{
    for (int j = m.to - 1; j >= m.from; j--) {
        if (++index[j] < s->dim[j]) return;
        index[j] = 0;
    }
}

static void multiply(ptrdiff_t n, const double *x, const double *y, double *to)
{
    for (ptrdiff_t r = 0; r < n; r++) to[r] = x[r] * y[r];
}

void crs_khatri_rao(const crs_kruskal *k, crs_modes m, ptrdiff_t first, ptrdiff_t count,
                    double *out)
{
    const ptrdiff_t rank = k->rank;
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    locate(&k->shape, m, first, index);
    for (double *row = out; row < out + count * rank; row += rank) {
        const double *product = NULL; /* of the modes so far: a factor's row, then `row` */
        for (int j = m.from; j < m.to; j++) {
            if (j == m.skip) continue;
            const double *x = k->factor[j] + index[j] * rank;
            if (product) multiply(rank, product, x, row);
            product = product ? row : x;
        }
        if (!product) fill(rank, 1, row);
        if (product && product != row) copy(rank, product, row);
        advance(&k->shape, m, index);
    }
}

/* Two arrays with a row for every slab row, two with a row for every column, a slab, and an array
 * with a row for every slab row or column. */
ptrdiff_t crs_kruskal_scratch(const crease_space *shape, ptrdiff_t rank)
{
    const crs_slabs s = crs_slabs_of(shape);
    const ptrdiff_t slab = s.rows * s.right;
    return 2 * rank * (s.rows + s.right) + slab + rank * more(s.rows, s.right);
}

/* c (m x rank) = op(a) b + beta c, op(a) m x k */
static void product(bool at, ptrdiff_t m, ptrdiff_t rank, ptrdiff_t k, const double *a,
                    const double *b, double beta, double *c)
{
    if (rank > 1) {
        crs_gemm(at, false, m, rank, k, 1, a, b, beta, c);
        return;
    }
    if (beta == 0) fill(m, 0, c);
    crs_gemv(at, at ? k : m, at ? m : k, 1, a, b, 1, c);
}

/* out(i_n, :) += alpha p(row, :) o KR(row, :), KR over the modes m without n = m.skip */
static void gather(const crs_kruskal *k, crs_modes m, ptrdiff_t first, ptrdiff_t count,
                   double alpha, const double *p, double *out, double *kr)
{
    const ptrdiff_t rank = k->rank, dim = k->shape.dim[m.skip];
    ptrdiff_t stride = 1;
    for (int j = m.skip + 1; j < m.to; j++) stride *= k->shape.dim[j];
    crs_khatri_rao(k, m, first, count, kr);
    for (ptrdiff_t row = 0; row < count; row++) {
        double *to = out + (first + row) / stride % dim * rank;
        const double *a = p + row * rank, *b = kr + row * rank;
        for (ptrdiff_t r = 0; r < rank; r++) to[r] += alpha * (a[r] * b[r]);
    }
}

/* n among the rows: work holds K (right x rank), then P and KR (rows x rank). */
static void by_rows(const crs_kruskal *k, crs_slabs s, int n, double alpha, const double *tensor,
                    double *out, double *work)
{
    const int d = k->shape.order;
    double *columns = work, *p = columns + s.right * k->rank, *kr = p + s.rows * k->rank;
    crs_khatri_rao(k, (crs_modes){ s.split, d, -1 }, 0, s.right, columns);
    for (ptrdiff_t row = 0; row < s.left; row += s.rows) {
        const ptrdiff_t count = fewer(s.left - row, s.rows);
        product(false, count, k->rank, s.right, tensor + row * s.right, columns, 0, p);
        gather(k, (crs_modes){ 0, s.split, n }, row, count, alpha, p, out, kr);
    }
}

/* n among the columns: work holds Q and KR (right x rank), then the rows' KR (rows x rank). */
static void by_columns(const crs_kruskal *k, crs_slabs s, int n, double alpha, const double *tensor,
                       double *out, double *work)
{
    const int d = k->shape.order;
    double *q = work, *kr = q + s.right * k->rank, *rows = kr + s.right * k->rank;
    fill(s.right * k->rank, 0, q);
    for (ptrdiff_t row = 0; row < s.left; row += s.rows) {
        const ptrdiff_t count = fewer(s.left - row, s.rows);
        crs_khatri_rao(k, (crs_modes){ 0, s.split, -1 }, row, count, rows);
        product(true, s.right, k->rank, count, tensor + row * s.right, rows, 1, q);
    }
    gather(k, (crs_modes){ s.split, d, n }, 0, s.right, alpha, q, out, kr);
}

void crs_mttkrp(const crs_kruskal *k, int n, double alpha, const double *tensor, double *out,
                double *work)
{
    const crs_slabs s = crs_slabs_of(&k->shape);
    (n < s.split ? by_rows : by_columns)(k, s, n, alpha, tensor, out, work);
}

void crs_gram_except(const crs_kruskal *k, int n, double *g, double *work)
{
    const ptrdiff_t size = k->rank * k->rank;
    fill(size, 1, g);
    for (int j = 0; j < k->shape.order; j++) {
        if (j == n) continue;
        crs_gram(k->shape.dim[j], k->rank, k->factor[j], work);
        for (ptrdiff_t r = 0; r < size; r++) g[r] *= work[r];
    }
}

/* work: the Khatri-Rao rows of the columns (right x rank), which stay, then those of a slab. */
static double *prepare(const crs_kruskal *k, crs_slabs s, double *work)
{
    crs_khatri_rao(k, (crs_modes){ s.split, k->shape.order, -1 }, 0, s.right, work);
    return work + s.right * k->rank;
}

/* slab += alpha [[X]](rows first .. first+count-1) */
static void add_slab(const crs_kruskal *k, crs_slabs s, ptrdiff_t first, ptrdiff_t count,
                     double alpha, double *slab, double *work)
{
    double *rows = work + s.right * k->rank;
    crs_khatri_rao(k, (crs_modes){ 0, s.split, -1 }, first, count, rows);
    crs_gemm(false, true, count, s.right, k->rank, alpha, rows, work, 1, slab);
}

void crs_reconstruct(const crs_kruskal *k, double alpha, double *out, double *work)
{
    const crs_slabs s = crs_slabs_of(&k->shape);
    prepare(k, s, work);
    for (ptrdiff_t row = 0; row < s.left; row += s.rows) {
        const ptrdiff_t count = fewer(s.left - row, s.rows);
        add_slab(k, s, row, count, alpha, out + row * s.right, work);
    }
}

double crs_kruskal_distance2(const crs_kruskal *k, const double *tensor, double *work)
{
    const crs_slabs s = crs_slabs_of(&k->shape);
    double *slab = prepare(k, s, work) + s.rows * k->rank, sum = 0;
    for (ptrdiff_t row = 0; row < s.left; row += s.rows) {
        const ptrdiff_t count = fewer(s.left - row, s.rows);
        copy(count * s.right, tensor + row * s.right, slab);
        add_slab(k, s, row, count, -1, slab, work);
        sum += crs_dot(count * s.right, slab, slab);
    }
    return sum;
}

double crs_kruskal_residual(const crs_kruskal *k, double alpha, const double *tensor,
                            double *const *out, double *work)
{
    const crs_slabs s = crs_slabs_of(&k->shape);
    const int d = k->shape.order;
    double *rows = prepare(k, s, work), *q = rows + s.rows * k->rank, *p = q + s.right * k->rank;
    double *kr = p + s.rows * k->rank, *slab = kr + more(s.rows, s.right) * k->rank, sum = 0;
    fill(s.right * k->rank, 0, q);
    for (ptrdiff_t row = 0; row < s.left; row += s.rows) {
        const ptrdiff_t count = fewer(s.left - row, s.rows);
        copy(count * s.right, tensor + row * s.right, slab);
        add_slab(k, s, row, count, -1, slab, work); /* E, and its Khatri-Rao rows in `rows` */
        sum += crs_dot(count * s.right, slab, slab);
        product(false, count, k->rank, s.right, slab, work, 0, p);
        for (int n = 0; n < s.split; n++)
            gather(k, (crs_modes){ 0, s.split, n }, row, count, alpha, p, out[n], kr);
        product(true, s.right, k->rank, count, slab, rows, 1, q);
    }
    for (int n = s.split; n < d; n++)
        gather(k, (crs_modes){ s.split, d, n }, 0, s.right, alpha, q, out[n], kr);
    return sum;
}

static crs_kruskal rank_one(const crease_space *shape, const double *const *x)
{
    crs_kruskal k = { .shape = *shape, .rank = 1 };
    for (int n = 0; n < shape->order; n++) k.factor[n] = x[n];
    return k;
}

ptrdiff_t crs_contract_scratch(const crease_space *shape)
{
    return shape->dim[0] + crs_kruskal_scratch(shape, 1);
}

void crs_contract_except(const crease_space *shape, const double *tensor, const double *const *x,
                         int n, double alpha, double *out, double *work)
{
    const crs_kruskal k = rank_one(shape, x);
    crs_mttkrp(&k, n, alpha, tensor, out, work);
}

double crs_contract(const crease_space *shape, const double *tensor, const double *const *x,
                    double *work)
{
    const ptrdiff_t n = shape->dim[0];
    fill(n, 0, work);
    crs_contract_except(shape, tensor, x, 0, 1, work, work + n);
    return crs_dot(n, work, x[0]);
}
