/* SPDX-License-Identifier: MIT
 * rows: maps over ranks against the matrix of one process: rows of dense and csr by rank, and the
 * parts that crease_local has on every rank along the diagonal */
#include "map/map.h"
#include "support/ranks.h"

enum { ROWS = 11, COLS = 4, SIDE = MOST_RANKS * COLS };

typedef enum { DENSE, CSR, LOCAL } which_map;

typedef struct {
    which_map which;
    double A[ROWS * COLS], x[ROWS * COLS], y[ROWS];
    double forth[ROWS], back[MOST_RANKS][COLS], norm[MOST_RANKS], sigma[MOST_RANKS];
    double scalar[MOST_RANKS], mass[MOST_RANKS];
    bool same[MOST_RANKS];
} example;

static void csr_of(ptrdiff_t m, const double *a, crease_csr_matrix *out, ptrdiff_t *start,
                   ptrdiff_t *col)
{
    for (ptrdiff_t i = 0; i <= m; i++) start[i] = i * COLS;
    for (ptrdiff_t k = 0; k < m * COLS; k++) col[k] = k % COLS;
    *out = (crease_csr_matrix){ m, COLS, start, col, a };
}

static void run(int rank, int ranks, const crease_comm *comm, void *user)
{
    example *t = user;
    const int first = ROWS * rank / ranks, m = ROWS * (rank + 1) / ranks - first;
    ptrdiff_t start[ROWS + 1], col[ROWS * COLS];
    crease_csr_matrix sparse;
    double work[COLS], *back = t->back[rank];
    csr_of(m, t->A + first * COLS, &sparse, start, col);
    const crease_map dense = crease_dense(t->A + first * COLS);
    const crease_map A = t->which == DENSE ? dense
                         : t->which == CSR ? crease_csr(&sparse)
                                           : crease_local(&dense);
    crease_space dom = crease_vector(COLS), ran = crease_vector(m);
    ran.comm = comm;
    if (t->which == LOCAL) dom.comm = comm;
    const double *x = t->x + (t->which == LOCAL ? rank * COLS : 0);
    fill(m, 0, t->forth + first);
    A.ops->apply(&A, &dom, &ran, 2, x, t->forth + first, work);
    fill(COLS, 1, back);
    A.ops->adjoint(&A, &dom, &ran, -3, t->y + first, back, work);
    crease_rounding r = { 0, 0 };
    t->same[rank] = crease_map_check(&A, &dom, &ran, NULL) &&
                    crease_map_norm(&A, &dom, &ran, &t->norm[rank], NULL) &&
                    crease_map_sigma_min(&A, &dom, &ran, &t->sigma[rank], NULL) &&
                    crs_map_rounding(&A, &dom, &ran, &r, NULL) &&
                    !crease_map_is_identity(&A, &dom, &ran, &t->scalar[rank]);
    t->mass[rank] = r.mass;
}

/* The matrix of all ranks, ROWS x cols. */
static ptrdiff_t matrix_of(const example *t, int ranks, double *M)
{
    const ptrdiff_t cols = t->which == LOCAL ? ranks * COLS : COLS;
    fill(ROWS * cols, 0, M);
    for (int rank = 0; rank < ranks; rank++)
        for (int i = ROWS * rank / ranks; i < ROWS * (rank + 1) / ranks; i++)
            for (int j = 0; j < COLS; j++)
                M[i * cols + j + (t->which == LOCAL ? rank * COLS : 0)] = t->A[i * COLS + j];
    return cols;
}

static void products_and_bounds_are_those_of_the_whole(void **state)
{
    (void)state;
    for (which_map which = DENSE; which <= LOCAL; which++)
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            draws d = { { 3, (uint64_t)ranks }, 0 };
            example t = { .which = which };
            double M[ROWS * SIDE], norm, sigma;
            normals(&d, ROWS * COLS, 1, t.A);
            normals(&d, ROWS * COLS, 1, t.x);
            normals(&d, ROWS, 1, t.y);
            assert_true(on_ranks(ranks, run, &t, NULL));
            const ptrdiff_t cols = matrix_of(&t, ranks, M);
            const crease_map whole = crease_dense(M);
            const crease_space dom = crease_vector(cols), ran = crease_vector(ROWS);
            assert_true(crease_map_norm(&whole, &dom, &ran, &norm, NULL));
            assert_true(crease_map_sigma_min(&whole, &dom, &ran, &sigma, NULL));
            for (int i = 0; i < ROWS; i++) {
                double sum = 0;
                for (ptrdiff_t j = 0; j < cols; j++) sum += 2 * M[i * cols + j] * t.x[j];
                assert_close(t.forth[i], sum, 1e-13);
            }
            for (int k = 0; k < ranks; k++) {
                assert_true(t.same[k]);
                assert_close(t.norm[k], norm, 1e-12);
                assert_true(t.norm[k] == t.norm[0] && t.mass[k] == t.mass[0]);
                assert_true(t.mass[k] >= norm * (1 - 1e-12));
                assert_true(t.sigma[k] <= sigma + 1e-11 * norm * norm && t.sigma[k] == t.sigma[0]);
                for (int j = 0; j < COLS; j++) {
                    const ptrdiff_t at = j + (which == LOCAL ? k * COLS : 0);
                    double sum = 1;
                    for (int i = 0; i < ROWS; i++) sum -= 3 * M[i * cols + at] * t.y[i];
                    assert_close(t.back[k][j], sum, 1e-13);
                }
            }
        }
}

static void find_scalar(int rank, int ranks, const crease_comm *comm, void *user)
{
    example *t = user;
    const crease_map own = crease_identity(rank == 0 ? 3 : t->x[0]), A = crease_local(&own);
    crease_space s = crease_vector(2 + rank);
    (void)ranks;
    s.comm = comm;
    t->same[rank] = crease_map_is_identity(&A, &s, &s, &t->scalar[rank]);
}

static void local_multiples_of_the_identity_are_one_where_they_agree(void **state)
{
    (void)state;
    for (int alike = 0; alike < 2; alike++) {
        example t = { .x = { alike ? 3 : 4 } };
        assert_true(on_ranks(3, find_scalar, &t, NULL));
        for (int k = 0; k < 3; k++) {
            assert_int_equal(t.same[k], alike);
            if (alike) assert_true(t.scalar[k] == 3);
        }
    }
}

static void spaces_on_different_ranks_are_refused(void **state)
{
    const crease_comm comm = { 0 }, other = { 0 };
    const double a[] = { 1, 2 };
    const crease_map dense = crease_dense(a), local = crease_local(&dense),
                     none = crease_local(NULL);
    crease_space dom = crease_vector(2), ran = crease_vector(1);
    crease_error e;
    (void)state;
    dom.comm = &comm, ran.comm = &other;
    assert_false(crease_map_check(&local, &dom, &ran, &e));
    assert_true(e.code == CREASE_BAD_SHAPE && strstr(e.text, "different ranks"));
    assert_false(crease_map_check(&none, &dom, &dom, &e));
    assert_true(e.code == CREASE_BAD_ARGUMENT);
    assert_false(crease_map_check(&dense, &dom, &ran, &e));
    assert_true(e.code == CREASE_UNSUPPORTED && strstr(e.text, "split over ranks"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_bounds_are_those_of_the_whole),
        cmocka_unit_test(local_multiples_of_the_identity_are_one_where_they_agree),
        cmocka_unit_test(spaces_on_different_ranks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
