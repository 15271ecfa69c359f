/* SPDX-License-Identifier: MIT
 * kronecker: A X = L X R' for a matrix X; the matrix of A is the Kronecker product of L and R
 *
 * The singular values of A are the products of those of L and R: |A|_2 = |L|_2 |R|_2 and
 * lambda_min(A A') = lambda_min(L L') lambda_min(R R'). With L'L = P diag(l) P' and
 * R'R = Q diag(r) Q', A'A has the eigenvalues l_j r_k and the eigenvectors p_j q_k'. A side that is
 * NULL is the identity, and takes no product. */
#include "dense/dense.h"
#include "map/directed.h"
#include "map/map.h"

static bool check_side(const crease_map *A, ptrdiff_t rows, ptrdiff_t cols, const double *a,
                       crease_error *e)
{
    ptrdiff_t entries, bytes;
    if (rows < 1 || cols < 1)
        return crs_fail(e, CREASE_BAD_SHAPE, "kronecker: a matrix is %td x %td; give both sides",
                        rows, cols);
    if (!crs_mul_size(rows, cols, &entries) ||
        !crs_mul_size(entries, (ptrdiff_t)sizeof(double), &bytes))
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "kronecker: a %td x %td matrix is larger than memory can address", rows,
                        cols);
    return (!a && rows == cols) || crs_map_numbers(A, entries, a, e);
}

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const crease_matrix_pair *p = A->data;
    ptrdiff_t in, out, between;
    if (!crs_map_whole(A, dom, ran, e)) return false;
    if (!p) return crs_fail(e, CREASE_BAD_ARGUMENT, "kronecker has no matrices (NULL); give two");
    if (!check_side(A, p->left_rows, p->left_cols, p->left, e) ||
        !check_side(A, p->right_rows, p->right_cols, p->right, e))
        return false;
    if (!crs_mul_size(p->left_cols, p->right_cols, &in) ||
        !crs_mul_size(p->left_rows, p->right_rows, &out) ||
        !crs_mul_size(p->left_rows, p->right_cols, &between) || in != crease_size(dom) ||
        out != crease_size(ran))
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "kronecker: L X R' takes a %td x %td matrix to a %td x %td one, but there "
                        "are %td entries in and %td out; make them agree",
                        p->left_cols, p->right_cols, p->left_rows, p->right_rows, crease_size(dom),
                        crease_size(ran));
    return true;
}

/* L X, with which a product with A goes either way */
static ptrdiff_t scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    const crease_matrix_pair *p = A->data;
    (void)dom, (void)ran;
    return p->left_rows * p->right_cols;
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    const crease_matrix_pair *p = A->data;
    const ptrdiff_t m = p->left_rows, n = p->right_cols;
    double *between = p->right ? work : y;
    (void)ran;
    if (!p->left && !p->right) axpy(crease_size(dom), a, x, y);
    if (p->left)
        crs_gemm(false, false, m, n, p->left_cols, p->right ? 1 : a, p->left, x, p->right ? 0 : 1,
                 between);
    if (p->right) crs_gemm(false, true, m, p->right_rows, n, a, p->left ? work : x, p->right, 1, y);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    const crease_matrix_pair *p = A->data;
    const ptrdiff_t m = p->left_rows, n = p->right_cols;
    double *between = p->left ? work : x;
    (void)ran;
    if (!p->left && !p->right) axpy(crease_size(dom), a, y, x);
    if (p->right)
        crs_gemm(false, false, m, n, p->right_rows, p->left ? 1 : a, y, p->right, p->left ? 0 : 1,
                 between);
    if (p->left) crs_gemm(true, false, p->left_cols, n, m, a, p->left, p->right ? work : y, 1, x);
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    const crease_matrix_pair *p = A->data;
    double left = 1, right = 1;
    (void)dom, (void)ran;
    if ((p->left && !crs_norm_bound(p->left_rows, p->left_cols, p->left, &left, e)) ||
        (p->right && !crs_norm_bound(p->right_rows, p->right_cols, p->right, &right, e)))
        return false;
    *bound = product_up(left, right);
    return true;
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    const crease_matrix_pair *p = A->data;
    double left = 1, right = 1;
    (void)dom, (void)ran;
    if ((p->left && !crs_sigma_min_bound(p->left_rows, p->left_cols, p->left, &left, e)) ||
        (p->right && !crs_sigma_min_bound(p->right_rows, p->right_cols, p->right, &right, e)))
        return false;
    *bound = product_down(left, right);
    return true;
}

/* The absolute values are a Kronecker product as well, of norm at most |L|_F |R|_F. */
static bool rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e)
{
    const crease_matrix_pair *p = A->data;
    const double left = p->left ? crs_norm(p->left_rows * p->left_cols, p->left) : 1;
    const double right = p->right ? crs_norm(p->right_rows * p->right_cols, p->right) : 1;
    (void)dom, (void)ran, (void)e;
    r->mass = product_up(left, right) * (1 + 0x1p-20);
    r->steps = (double)(p->left_rows + p->left_cols + p->right_rows + p->right_cols) + 6;
    return true;
}

/* w ascending and q (by rows) of M'M, M being m x n; negative ones are rounding. */
static bool decompose(ptrdiff_t m, ptrdiff_t n, const double *a, double *w, double *q,
                      crease_error *e)
{
    ptrdiff_t total;
    for (ptrdiff_t k = 0; !a && k < n; k++) w[k] = q[k * n + k] = 1; /* the rest of q is 0 */
    if (!a) return true;
    if (!crs_eigh_fits(n) || !crs_add_size(n * n, crs_eigh_scratch(n), &total))
        return crs_fail(e, CREASE_UNSUPPORTED, "kronecker: a side of %td is too long", n);
    double *work = crs_doubles(total, "the eigenvalues of a Kronecker product", e);
    if (!work) return false;
    crs_gram(m, n, a, work);
    const bool done = crs_eigh(n, work, w, q, work + n * n);
    crs_free(work);
    for (ptrdiff_t k = 0; done && k < n; k++) w[k] = pos(w[k]);
    return done || crs_fail(e, CREASE_NUMERICAL_FAILURE,
                            "kronecker: the eigenvalues of a factor were not "
                            "found; scale its numbers");
}

static bool gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e)
{
    const crease_matrix_pair *p = A->data;
    const ptrdiff_t m = p->left_cols, n = p->right_cols;
    (void)dom, (void)ran;
    if (!crs_gram_new(g, CREASE_BASIS_PAIR, m * n, e)) return false;
    g->rows = m, g->columns = n;
    double *w = crs_doubles(m + n, "the eigenvalues of a Kronecker product", e);
    g->left = w ? crs_doubles(m * m, "the basis of a Kronecker product", e) : NULL;
    g->right = g->left ? crs_doubles(n * n, "the basis of a Kronecker product", e) : NULL;
    const bool done = g->right && decompose(p->left_rows, m, p->left, w, g->left, e) &&
                      decompose(p->right_rows, n, p->right, w + m, g->right, e);
    for (ptrdiff_t j = 0; done && j < m; j++)
        for (ptrdiff_t k = 0; k < n; k++) g->w[j * n + k] = w[j] * w[m + k];
    crs_free(w);
    return done;
}

/* NULL: the identity of n = side^2 numbers */
static double nonzeros(ptrdiff_t n, ptrdiff_t side, const double *a)
{
    double count = a ? 0 : (double)side;
    for (ptrdiff_t k = 0; a && k < n; k++) count += a[k] != 0;
    return count;
}

/* The products of entries that are not 0, where these are few, as of a matrix and I. */
static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    const crease_matrix_pair *p = A->data;
    const ptrdiff_t left = p->left_rows * p->left_cols, right = p->right_rows * p->right_cols;
    const double few =
        nonzeros(left, p->left_rows, p->left) * nonzeros(right, p->right_rows, p->right);
    ptrdiff_t to = 0;
    (void)dom, (void)ran;
    if (10 * few > (double)left * (double)right) return -1;
    for (ptrdiff_t j = 0; row && j < left; j += p->left ? 1 : p->left_cols + 1)
        for (ptrdiff_t k = 0; k < right; k += p->right ? 1 : p->right_cols + 1) {
            const double a = p->left ? p->left[j] : 1, b = p->right ? p->right[k] : 1;
            if (a == 0) break;
            if (b == 0) continue;
            row[to] = j / p->left_cols * p->right_rows + k / p->right_cols;
            col[to] = j % p->left_cols * p->right_cols + k % p->right_cols;
            value[to++] = a * b;
        }
    return (ptrdiff_t)few;
}

const crease_map_ops crs_kronecker_ops = {
    .name = "kronecker",
    .formula = "A X = L X R'",
    .check = check,
    .scratch = scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .rounding = rounding,
    .gram = gram,
    .entries = entries,
};

crease_map crease_kronecker(const crease_matrix_pair *p)
{
    return (crease_map){ .ops = &crs_kronecker_ops, .data = p };
}
