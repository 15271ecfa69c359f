/* SPDX-License-Identifier: MIT
 * map_samples.h: small maps of every kind beside their matrices, written from the definitions.
 * All data are multiples of 1/8 below 16, so that the matrices hold no rounding. */
#ifndef CREASE_MAP_SAMPLES_H
#define CREASE_MAP_SAMPLES_H

#include "support/test.h"

enum { SIDE_MAX = 24, SAMPLES_MAX = 60 };

typedef struct {
    const char *what;
    crease_map map;
    crease_space dom, ran;
    double matrix[SIDE_MAX * SIDE_MAX]; /* row-major, size(ran) x size(dom) */
} sample;

static const double some_numbers[] = {
    1.5, -2,  0.25,  3,     -0.125, 2.5, 1,  -1.75, 4,    0.5,  -3.25, 0.75,  2,  -0.5,  1.25,
    -1,  3.5, 0.125, -2.25, 1.875,  0.5, -4, 2.75,  -1.5, 0.25, 1,     2.125, -3, 0.875, 1.5,
};
static const double some_mask[] = { 1, 0, 1, 1, 0, 1 }, ones[] = { 1, 1, 1, 1, 1, 1 };
static const ptrdiff_t with_repeats[] = { 5, 0, 3, 0, 0 }, no_repeats[] = { 4, 1, 5, 0 };
static const crease_index_list repeated = { 5, with_repeats }, distinct = { 4, no_repeats };

/* Row 2 is empty, row 3 holds (3,1) twice, columns are not sorted. */
static const ptrdiff_t csr_start[] = { 0, 3, 3, 6, 7 }, csr_col[] = { 4, 0, 2, 1, 3, 1, 0 };
static const double csr_value[] = { 2, -1.5, 0.5, 1, 4, -2.25, 3 };
static const crease_csr_matrix some_csr = { 4, 5, csr_start, csr_col, csr_value };

/* Wide, of full row rank. */
static const ptrdiff_t wide_start[] = { 0, 2, 3 }, wide_col[] = { 1, 0, 2 };
static const double wide_value[] = { 2, 1, -1.5 };
static const crease_csr_matrix wide_csr = { 2, 4, wide_start, wide_col, wide_value };

/* y_i = 2 x_i - x_{i+1 mod 4}, through the caller's functions. */
static inline void ring(void *user, double a, const double *x, double *y)
{
    (void)user;
    for (int i = 0; i < 4; i++) y[i] += a * (2 * x[i] - x[(i + 1) % 4]);
}
static inline void ring_back(void *user, double a, const double *y, double *x)
{
    (void)user;
    for (int i = 0; i < 4; i++) x[i] += a * (2 * y[i] - y[(i + 3) % 4]);
}
static const crease_callback_map ring_map = { .apply = ring, .adjoint = ring_back };

static inline void put(sample *s, ptrdiff_t i, ptrdiff_t j, double v)
{
    s->matrix[i * crease_size(&s->dom) + j] += v;
}

static inline void put_all(sample *s, double scale, const double *a)
{
    const ptrdiff_t n = crease_size(&s->ran) * crease_size(&s->dom);
    for (ptrdiff_t k = 0; k < n; k++) s->matrix[k] += scale * a[k];
}

static inline void put_diagonal(sample *s, double scale, const double *d)
{
    for (ptrdiff_t j = 0; j < crease_size(&s->dom); j++) put(s, j, j, scale * d[j]);
}

static inline void put_ring(sample *s, double scale)
{
    for (ptrdiff_t i = 0; i < 4; i++) put(s, i, i, 2 * scale), put(s, i, (i + 1) % 4, -scale);
}

/* x of shape 2 x 3 x 4 by its three indices; one index moves by one. */
static inline void put_differences(sample *s, int axis)
{
    const ptrdiff_t *d = s->dom.dim, *r = s->ran.dim;
    for (ptrdiff_t i = 0; i < r[0]; i++)
        for (ptrdiff_t j = 0; j < r[1]; j++)
            for (ptrdiff_t k = 0; k < r[2]; k++) {
                const ptrdiff_t row = (i * r[1] + j) * r[2] + k;
                const ptrdiff_t i1 = i + (axis == 0), j1 = j + (axis == 1), k1 = k + (axis == 2);
                put(s, row, (i * d[1] + j) * d[2] + k, -1);
                put(s, row, (i1 * d[1] + j1) * d[2] + k1, 1);
            }
}

static inline sample *add(sample *list, int *count, const char *what, crease_map map,
                          crease_space dom, crease_space ran)
{
    sample *s = &list[(*count)++];
    *s = (sample){ .what = what, .map = map, .dom = dom, .ran = ran };
    return s;
}

static inline void simple_samples(sample *l, int *n)
{
    const crease_space v1 = crease_vector(1), v5 = crease_vector(5), m23 = crease_matrix(2, 3);
    sample *s;
    add(l, n, "zero", crease_zero_map(), m23, v5);
    s = add(l, n, "identity -2.5", crease_identity(-2.5), m23, m23);
    for (int j = 0; j < 6; j++) put(s, j, j, -2.5);
    s = add(l, n, "diagonal", crease_diagonal(some_numbers), m23, m23);
    put_diagonal(s, 1, some_numbers);
    s = add(l, n, "dense wide", crease_dense(some_numbers), v5, crease_vector(3));
    put_all(s, 1, some_numbers);
    s = add(l, n, "dense tall", crease_dense(some_numbers), crease_vector(3), m23);
    put_all(s, 1, some_numbers);
    s = add(l, n, "dense 1 x 1", crease_dense(some_numbers + 1), v1, v1);
    put_all(s, 1, some_numbers + 1);
    s = add(l, n, "mask", crease_mask(some_mask), m23, m23);
    put_diagonal(s, 1, some_mask);
    s = add(l, n, "full mask", crease_mask(ones), m23, m23);
    put_diagonal(s, 1, ones);
    s = add(l, n, "selection, repeats", crease_selection(&repeated), m23, v5);
    for (int k = 0; k < 5; k++) put(s, k, with_repeats[k], 1);
    s = add(l, n, "selection", crease_selection(&distinct), m23, crease_vector(4));
    for (int k = 0; k < 4; k++) put(s, k, no_repeats[k], 1);
    s = add(l, n, "csr", crease_csr(&some_csr), v5, crease_vector(4));
    put(s, 0, 4, 2), put(s, 0, 0, -1.5), put(s, 0, 2, 0.5);
    put(s, 2, 1, 1 - 2.25), put(s, 2, 3, 4), put(s, 3, 0, 3);
    s = add(l, n, "csr wide", crease_csr(&wide_csr), crease_vector(4), crease_vector(2));
    put(s, 0, 1, 2), put(s, 0, 0, 1), put(s, 1, 2, -1.5);
    s = add(l, n, "callback", crease_map_callback(&ring_map), crease_vector(4), crease_vector(4));
    put_ring(s, 1);
}

static inline void difference_samples(sample *l, int *n)
{
    for (int axis = 0; axis < 3; axis++) {
        const crease_space dom = { .order = 3, .dim = { 2, 3, 4 } };
        crease_space ran = dom;
        ran.dim[axis]--;
        put_differences(add(l, n, "difference", crease_finite_difference(axis), dom, ran), axis);
    }
    for (ptrdiff_t length = 2; length <= 9; length += 7) {
        sample *s = add(l, n, "difference of a vector", crease_finite_difference(0),
                        crease_vector(length), crease_vector(length - 1));
        for (ptrdiff_t i = 0; i + 1 < length; i++) put(s, i, i, -1), put(s, i, i + 1, 1);
    }
}

/* All rows of all axes, entry by entry of x as the start of a difference. */
static inline void put_gradient(sample *s)
{
    ptrdiff_t row = 0, inner = crease_size(&s->dom);
    for (int axis = 0; axis < s->dom.order; axis++) {
        const ptrdiff_t n = s->dom.dim[axis];
        inner /= n;
        for (ptrdiff_t j = 0; j < crease_size(&s->dom); j++)
            if (j / inner % n + 1 < n) put(s, row, j, -1), put(s, row++, j + inner, 1);
    }
    assert_int_equal(row, crease_size(&s->ran));
}

static inline void gradient_samples(sample *l, int *n)
{
    const crease_space shape[] = { crease_vector(7),
                                   crease_matrix(3, 4),
                                   crease_matrix(1, 5),
                                   { .order = 3, .dim = { 2, 3, 2 } } };
    const ptrdiff_t rows[] = { 6, 8 + 9, 4, 6 + 8 + 6 };
    for (int k = 0; k < 4; k++)
        put_gradient(add(l, n, "gradient", crease_gradient(), shape[k], crease_vector(rows[k])));
}

static const crease_matrix_pair some_pair = { 3, 2, 2, 4, some_numbers, some_numbers + 7 };
static const crease_matrix_pair wide_pair = { 2, 3, 1, 2, some_numbers, some_numbers + 7 };
static const crease_matrix_pair left_alone = { 3, 2, 4, 4, some_numbers, NULL };
static const crease_matrix_pair right_alone = { 3, 3, 2, 4, NULL, some_numbers + 7 };
static const crease_matrix_pair no_sides = { 3, 3, 2, 2, NULL, NULL };
static const crease_factored_matrix thin_factors = { 4, 5, 2, some_numbers, some_numbers + 9 };
static const crease_factored_matrix thick_factors = { 2, 4, 3, some_numbers, some_numbers + 9 };

/* Entry (i, k) of L X R' takes l_ij r_kh of x_jh. */
static inline void put_pair(sample *s, const crease_matrix_pair *p)
{
    for (ptrdiff_t i = 0; i < p->left_rows; i++)
        for (ptrdiff_t k = 0; k < p->right_rows; k++)
            for (ptrdiff_t j = 0; j < p->left_cols; j++)
                for (ptrdiff_t h = 0; h < p->right_cols; h++)
                    put(s, i * p->right_rows + k, j * p->right_cols + h,
                        (p->left ? p->left[i * p->left_cols + j] : i == j) *
                            (p->right ? p->right[k * p->right_cols + h] : k == h));
}

static inline void put_factors(sample *s, const crease_factored_matrix *a)
{
    for (ptrdiff_t i = 0; i < a->rows; i++)
        for (ptrdiff_t j = 0; j < a->cols; j++)
            for (ptrdiff_t k = 0; k < a->rank; k++)
                put(s, i, j, a->u[i * a->rank + k] * a->v[j * a->rank + k]);
}

static inline void factor_samples(sample *l, int *n)
{
    put_pair(add(l, n, "kronecker", crease_kronecker(&some_pair), crease_matrix(2, 4),
                 crease_matrix(3, 2)),
             &some_pair);
    put_pair(add(l, n, "kronecker wide", crease_kronecker(&wide_pair), crease_vector(6),
                 crease_vector(2)),
             &wide_pair);
    put_pair(add(l, n, "kronecker left", crease_kronecker(&left_alone), crease_matrix(2, 4),
                 crease_matrix(3, 4)),
             &left_alone);
    put_pair(add(l, n, "kronecker right", crease_kronecker(&right_alone), crease_matrix(3, 4),
                 crease_matrix(3, 2)),
             &right_alone);
    put_pair(add(l, n, "kronecker of identities", crease_kronecker(&no_sides), crease_matrix(3, 2),
                 crease_matrix(3, 2)),
             &no_sides);
    put_factors(
        add(l, n, "low rank", crease_low_rank(&thin_factors), crease_vector(5), crease_vector(4)),
        &thin_factors);
    put_factors(add(l, n, "factors of full rank", crease_low_rank(&thick_factors), crease_vector(4),
                    crease_vector(2)),
                &thick_factors);
}

/* What the combinations borrow. */
typedef struct {
    crease_map part[2], beside[2], twice;
    crease_space part_range[2], part_domain[2];
    crease_map_parts over, side;
    crease_map term[3], inner, outer, summed, last;
    crease_space between, four;
    crease_map_list sum, plain;
    crease_map_pair pair, nested;
} combined;

static inline void combined_samples(sample *l, int *n, combined *c)
{
    static const double scale[] = { 2, -1, 0.5 };
    sample *s;
    *c = (combined){ .four = crease_vector(4), .between = crease_vector(5) };
    c->term[0] = crease_dense(some_numbers + 4), c->term[1] = crease_diagonal(some_numbers);
    c->term[2] = crease_map_callback(&ring_map);
    c->sum = (crease_map_list){ 3, c->term, scale };
    c->plain = (crease_map_list){ 3, c->term, NULL };
    s = add(l, n, "sum", crease_map_sum(&c->sum), c->four, c->four);
    put_all(s, 2, some_numbers + 4), put_diagonal(s, -1, some_numbers), put_ring(s, 0.5);
    s = add(l, n, "sum without scales", crease_map_sum(&c->plain), c->four, c->four);
    put_all(s, 1, some_numbers + 4), put_diagonal(s, 1, some_numbers), put_ring(s, 1);

    c->inner = crease_csr(&some_csr), c->outer = crease_finite_difference(0);
    c->pair = (crease_map_pair){ &c->outer, &c->inner, &c->four };
    const double *m = l[*n - 2].matrix; /* of the scaled sum */
    s = add(l, n, "composition", crease_composition(&c->pair), c->between, crease_vector(3));
    const double rows[4][5] = {
        { -1.5, 0, 0.5, 0, 2 }, { 0 }, { 0, -1.25, 0, 4, 0 }, { 3, 0, 0, 0, 0 }
    };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 5; j++) put(s, i, j, rows[i + 1][j] - rows[i][j]);

    c->summed = crease_map_sum(&c->sum), c->last = crease_dense(some_numbers + 2);
    c->nested = (crease_map_pair){ &c->last, &c->summed, &c->four };
    s = add(l, n, "composition of a sum", crease_composition(&c->nested), c->four,
            crease_vector(2));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++) put(s, i, j, some_numbers[2 + 4 * i + k] * m[4 * k + j]);
}

static inline void assembled_samples(sample *l, int *n, combined *c)
{
    const crease_space v3 = crease_vector(3), v5 = crease_vector(5);
    sample *s;
    c->part[0] = crease_csr(&some_csr), c->part[1] = crease_identity(-0.5);
    c->part_range[0] = crease_vector(4), c->part_range[1] = v5;
    c->over = (crease_map_parts){ 2, c->part, c->part_range };
    s = add(l, n, "stack", crease_stack(&c->over), v5, crease_vector(9));
    put(s, 0, 4, 2), put(s, 0, 0, -1.5), put(s, 0, 2, 0.5);
    put(s, 2, 1, 1 - 2.25), put(s, 2, 3, 4), put(s, 3, 0, 3);
    for (int j = 0; j < 5; j++) put(s, 4 + j, j, -0.5);

    c->beside[0] = crease_dense(some_numbers), c->beside[1] = crease_identity(2);
    c->part_domain[0] = crease_matrix(1, 2), c->part_domain[1] = v3;
    c->side = (crease_map_parts){ 2, c->beside, c->part_domain };
    s = add(l, n, "side by side", crease_side_by_side(&c->side), v5, v3);
    for (int i = 0; i < 3; i++) {
        put(s, i, 0, some_numbers[2 * i]), put(s, i, 1, some_numbers[2 * i + 1]);
        put(s, i, 2 + i, 2);
    }
    c->twice = crease_stack(&c->over);
    s = add(l, n, "scaled", crease_map_scaled(-0.25, &c->beside[0]), crease_vector(2), v3);
    put_all(s, -0.25, some_numbers);
    s = add(l, n, "transposed", crease_transposed(&c->twice), crease_vector(9), v5);
    put(s, 4, 0, 2), put(s, 0, 0, -1.5), put(s, 2, 0, 0.5);
    put(s, 1, 2, 1 - 2.25), put(s, 3, 2, 4), put(s, 0, 3, 3);
    for (int j = 0; j < 5; j++) put(s, j, 4 + j, -0.5);
}

/* Fills list[SAMPLES_MAX]; returns how many there are. */
static inline int map_samples(sample *list, combined *c)
{
    int n = 0;
    simple_samples(list, &n);
    difference_samples(list, &n);
    gradient_samples(list, &n);
    factor_samples(list, &n);
    combined_samples(list, &n, c);
    assembled_samples(list, &n, c);
    return n;
}

#endif
