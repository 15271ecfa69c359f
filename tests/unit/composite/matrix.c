/* SPDX-License-Identifier: MIT
 * matrix: the matrix of every map is the map: products, adjoints, columns, squares; and its norm is
 * estimated well, also of one row and of rank one */
#include "composite/matrix.h"
#include "dense/dense.h"
#include "support/arrays.h"
#include "support/map_samples.h"

static void same(const char *what, ptrdiff_t n, const double *a, const double *b)
{
    for (ptrdiff_t k = 0; k < n; k++)
        if (!close_to(a[k], b[k], 1e-13)) fail_msg("%s, %td: %g, not %g", what, k, a[k], b[k]);
}

/* K x and K'y from the definition, added to what is there. */
static void check_products(const sample *s, const crs_matrix *K, draws *d)
{
    const ptrdiff_t m = K->rows, n = K->cols;
    double x[SIDE_MAX], y[SIDE_MAX], Kx[SIDE_MAX], Ky[SIDE_MAX], want[SIDE_MAX], back[SIDE_MAX];
    normals(d, SIDE_MAX, 1, x), normals(d, SIDE_MAX, 1, y);
    normals(d, SIDE_MAX, 1, Kx), normals(d, SIDE_MAX, 1, Ky);
    copy(SIDE_MAX, Kx, want), copy(SIDE_MAX, Ky, back);
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            want[i] -= 1.5 * s->matrix[i * n + j] * x[j];
            back[j] += 0.75 * s->matrix[i * n + j] * y[i];
        }
    crs_matrix_apply(K, -1.5, x, Kx);
    crs_matrix_adjoint(K, 0.75, y, Ky);
    same(s->what, m, Kx, want);
    same(s->what, n, Ky, back);
}

/* Every other column, in falling order. */
static void check_columns(const sample *s, const crs_matrix *K, draws *d)
{
    const ptrdiff_t m = K->rows, n = K->cols;
    ptrdiff_t column[SIDE_MAX], count = 0;
    double x[SIDE_MAX], y[SIDE_MAX], Kx[SIDE_MAX] = { 0 }, Ky[SIDE_MAX] = { 0 };
    double want[SIDE_MAX] = { 0 }, back[SIDE_MAX] = { 0 }, one[SIDE_MAX] = { 0 };
    normals(d, SIDE_MAX, 1, x), normals(d, SIDE_MAX, 1, y);
    for (ptrdiff_t j = n - 1; j >= 0; j -= 2) column[count++] = j;
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t k = 0; k < count; k++) {
            want[i] += 2 * s->matrix[i * n + column[k]] * x[k];
            back[k] += 2 * s->matrix[i * n + column[k]] * y[i];
        }
    crs_matrix_apply_columns(K, 2, count, column, x, Kx);
    crs_matrix_adjoint_columns(K, 2, count, column, y, Ky);
    same(s->what, m, Kx, want);
    same(s->what, count, Ky, back);
    for (ptrdiff_t k = 0; k < count; k++) crs_matrix_column(K, 2 * x[k], column[k], one);
    same(s->what, m, one, want);
}

static void check_squares(const sample *s, const crs_matrix *K, draws *d)
{
    const ptrdiff_t m = K->rows, n = K->cols;
    double h[SIDE_MAX], out[SIDE_MAX] = { 0 }, plain[SIDE_MAX] = { 0 };
    double want[SIDE_MAX] = { 0 }, sums[SIDE_MAX] = { 0 };
    normals(d, SIDE_MAX, 1, h);
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            want[j] += h[i] * square(s->matrix[i * n + j]);
            sums[j] += square(s->matrix[i * n + j]);
        }
    crs_matrix_squares(K, h, out);
    crs_matrix_squares(K, NULL, plain);
    same(s->what, n, out, want);
    same(s->what, n, plain, sums);
}

/* The largest singular value of m x n numbers, row after row. */
static double norm_of(ptrdiff_t m, ptrdiff_t n, const double *a)
{
    double *gram = doubles(n * n), *value = doubles(n), *work = doubles(crs_eigh_scratch(n) + 1);
    crs_gram(m, n, a, gram);
    assert_true(crs_eigh(n, gram, value, NULL, work));
    const double norm = sqrt(pos(value[n - 1]));
    free(gram), free(value), free(work);
    return norm;
}

static void check_norm(const char *what, crs_matrix *K, double norm)
{
    double products;
    assert_true(crs_matrix_norm(K, &products, NULL));
    if (!(K->norm >= 0.9 * norm && K->norm <= 1.05 * norm + 1e-300))
        fail_msg("%s: norm %g, said %g", what, norm, K->norm);
    if (K->proved) assert_true(K->norm >= norm * (1 - 1e-14));
}

static void every_map_is_its_matrix(void **state)
{
    static sample list[SAMPLES_MAX];
    static combined c;
    draws d = { { 94, 1 }, 0 };
    int columns = 0, count = map_samples(list, &c);
    (void)state;
    for (int k = 0; k < count; k++) {
        const sample *s = &list[k];
        crs_matrix K;
        assert_true(crs_matrix_of_map(&s->map, &s->dom, &s->ran, &K, NULL));
        assert_int_equal(K.rows, crease_size(&s->ran));
        assert_int_equal(K.cols, crease_size(&s->dom));
        check_products(s, &K, &d);
        if (crs_has_columns(&K)) check_columns(s, &K, &d), check_squares(s, &K, &d);
        columns += crs_has_columns(&K);
        check_norm(s->what, &K, norm_of(K.rows, K.cols, s->matrix));
        crs_matrix_free(&K);
    }
    print_message("%d maps, %d with columns\n", count, columns);
}

/* Gaussian, of rank one, of one row or column, with one large singular value or many alike. */
static void norms_of_random_matrices(void **state)
{
    enum { SIDE = 60 };
    static double a[SIDE * SIDE];
    draws d = { { 95, 1 }, 0 };
    double low = INFINITY, high = 0;
    (void)state;
    for (int k = 0; k < 200; k++) {
        const ptrdiff_t m = k % 5 == 0 ? 1 : 1 + below(&d, SIDE);
        const ptrdiff_t n = k % 5 == 1 ? 1 : 1 + below(&d, SIDE);
        const double scale = spread(&d, -20, 20);
        double left[SIDE], right[SIDE];
        normals(&d, m * n, k % 5 == 2 ? 0 : scale, a);
        normals(&d, SIDE, 1, left), normals(&d, SIDE, scale, right);
        for (ptrdiff_t i = 0; k % 5 > 1 && k % 5 < 4 && i < m; i++)
            for (ptrdiff_t j = 0; j < n; j++) a[i * n + j] += left[i] * right[j];
        const crease_map map = crease_dense(a);
        const crease_space dom = crease_vector(n), ran = crease_vector(m);
        crs_matrix K;
        assert_true(crs_matrix_of_map(&map, &dom, &ran, &K, NULL));
        const double norm = norm_of(m, n, a);
        check_norm("random", &K, norm);
        low = smaller(low, K.norm / norm), high = larger(high, K.norm / norm);
        crs_matrix_free(&K);
    }
    print_message("200 matrices, from %.4f to %.4f of the norm\n", low, high);
}

/* A multiple of a map is stored as the map is, its numbers times that. */
static void a_multiple_is_of_the_same_kind(void **state)
{
    static sample list[SAMPLES_MAX];
    static combined c;
    const int count = map_samples(list, &c);
    draws d = { { 96, 1 }, 0 };
    (void)state;
    for (int k = 0; k < count; k++) {
        const sample *s = &list[k];
        const crease_map inner = crease_map_scaled(-0.3, &s->map);
        const crease_map outer = crease_map_scaled(0.7, &inner);
        crs_matrix K, L;
        assert_true(crs_matrix_of_map(&s->map, &s->dom, &s->ran, &K, NULL));
        assert_true(crs_matrix_of_map(&outer, &s->dom, &s->ran, &L, NULL));
        assert_int_equal(L.kind, K.kind);
        double x[SIDE_MAX], y[SIDE_MAX] = { 0 };
        normals(&d, SIDE_MAX, 1, x);
        crs_matrix_apply(&L, 1, x, y);
        crs_matrix_apply(&K, 0.21, x, y);
        const double size = norm_of(K.rows, K.cols, s->matrix) * crs_norm(K.cols, x);
        for (ptrdiff_t i = 0; i < K.rows; i++) assert_close(y[i], 0, 1e-13 * size);
        crs_matrix_free(&K);
        crs_matrix_free(&L);
    }
}

/* L (X with its columns but the last)  -  (X with its columns but the first): by entries, and so a
 * sparse matrix where nothing could be written out. */
static void a_chain_is_sparse(void **state)
{
    enum { HIGH = 3, WIDE = 700, LESS = WIDE - 1 };
    static double one[LESS * LESS], x[HIGH * WIDE], y[HIGH * LESS];
    static ptrdiff_t before[HIGH * LESS], behind[HIGH * LESS];
    const double left[] = { 1, 0.1, 0, 0, 1, 0.2, 0, 0, 0.9 };
    const double scale[] = { 1, -1 };
    draws d = { { 97, 1 }, 0 };
    crs_matrix K;
    (void)state;
    for (int j = 0; j < LESS; j++) one[j * LESS + j] = 1;
    for (int j = 0; j < HIGH * LESS; j++)
        before[j] = j / LESS * WIDE + j % LESS, behind[j] = before[j] + 1;
    const crease_index_list first = { HIGH * LESS, before }, last = { HIGH * LESS, behind };
    const crease_matrix_pair pair = { HIGH, HIGH, LESS, LESS, left, one };
    const crease_space between = crease_matrix(HIGH, LESS), dom = crease_matrix(HIGH, WIDE);
    const crease_map outer = crease_kronecker(&pair), inner = crease_selection(&first);
    const crease_map_pair parts = { &outer, &inner, &between };
    const crease_map terms[] = { crease_composition(&parts), crease_selection(&last) };
    const crease_map_list list = { 2, terms, scale };
    const crease_map chain = crease_map_sum(&list);
    assert_true(crs_matrix_of_map(&chain, &dom, &between, &K, NULL));
    assert_int_equal(K.kind, CRS_SPARSE);
    assert_int_equal((int)crs_matrix_entries(&K), (5 + HIGH) * LESS);
    normals(&d, HIGH * WIDE, 1, x);
    crs_matrix_apply(&K, 1, x, y);
    for (int i = 0; i < HIGH; i++)
        for (int j = 0; j < LESS; j++) {
            double want = -x[i * WIDE + j + 1];
            for (int k = 0; k < HIGH; k++) want += left[i * HIGH + k] * x[k * WIDE + j];
            assert_close(y[i * LESS + j], want, 1e-13);
        }
    crs_matrix_free(&K);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_map_is_its_matrix),
        cmocka_unit_test(a_multiple_is_of_the_same_kind),
        cmocka_unit_test(a_chain_is_sparse),
        cmocka_unit_test(norms_of_random_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
