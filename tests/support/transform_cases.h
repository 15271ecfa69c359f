/* SPDX-License-Identifier: MIT
 * transform_cases.h: transforms and convolutions beside their matrices, written entry by entry from
 * the definitions in long double */
#ifndef CREASE_TRANSFORM_CASES_H
#define CREASE_TRANSFORM_CASES_H

#include "support/arrays.h"
#include "support/test.h"

enum { CASE_SIDE = 128 };

/* A map of one shape into itself; matrix is size x size, row-major. */
typedef struct {
    crease_space space;
    crease_map map;
    crease_cosine *cosine;
    crease_kernel kernel;
    double h[CASE_SIDE];
    double *matrix;
} transform_case;

static inline void index_of(const crease_space *s, ptrdiff_t j, ptrdiff_t *index)
{
    for (int i = s->order - 1; i >= 0; j /= s->dim[i--]) index[i] = j % s->dim[i];
}

static inline void case_begin(transform_case *c, crease_space s)
{
    const ptrdiff_t n = crease_size(&s);
    assert_true(n <= CASE_SIDE);
    *c = (transform_case){ .space = s };
    c->matrix = doubles(n * n);
}

static inline void case_end(transform_case *c)
{
    crease_cosine_free(c->cosine);
    crease_kernel_release(&c->kernel);
    free(c->matrix);
}

/* prod_i c_i cos(pi (2 j_i + 1) k_i / (2 n_i)) */
static inline void dct_case(transform_case *c, crease_space s)
{
    const ptrdiff_t n = crease_size(&s);
    case_begin(c, s);
    c->cosine = crease_cosine_new(&s, NULL);
    c->map = crease_dct(c->cosine);
    for (ptrdiff_t row = 0; row < n; row++)
        for (ptrdiff_t col = 0; col < n; col++) {
            ptrdiff_t k[CREASE_MAX_ORDER], j[CREASE_MAX_ORDER];
            long double value = 1;
            index_of(&s, row, k), index_of(&s, col, j);
            for (int i = 0; i < s.order; i++) {
                const long double length = (long double)s.dim[i];
                value *= sqrtl((k[i] ? 2 : 1) / length) *
                         cosl(acosl(-1) * (long double)((2 * j[i] + 1) * k[i]) / (2 * length));
            }
            c->matrix[row * n + col] = (double)value;
        }
}

/* h_s adds to y_t from x_{t-s+o}. */
static inline void kernel_case(transform_case *c, crease_space s, crease_space shape, bool circular,
                               draws *d)
{
    const ptrdiff_t n = crease_size(&s), m = crease_size(&shape);
    case_begin(c, s);
    assert_true(m <= CASE_SIDE);
    for (ptrdiff_t j = 0; j < m; j++) c->h[j] = normal(d);
    c->kernel = (crease_kernel){ .signal = s, .shape = shape, .h = c->h, .circular = circular };
    for (int i = 0; i < s.order; i++) c->kernel.origin[i] = below(d, shape.dim[i]);
    for (ptrdiff_t t = 0; t < n; t++)
        for (ptrdiff_t j = 0; j < m; j++) {
            ptrdiff_t to[CREASE_MAX_ORDER], at[CREASE_MAX_ORDER], from = 0;
            bool inside = true;
            index_of(&s, t, to), index_of(&shape, j, at);
            for (int i = 0; i < s.order; i++) {
                ptrdiff_t x = to[i] - at[i] + c->kernel.origin[i];
                if (circular) x = (x + 2 * s.dim[i]) % s.dim[i];
                inside = inside && x >= 0 && x < s.dim[i];
                from = from * s.dim[i] + x;
            }
            if (inside) c->matrix[t * n + from] += c->h[j];
        }
    assert_true(crease_kernel_prepare(&c->kernel, NULL));
    c->map = crease_convolution(&c->kernel);
}

/* The matrix of one level along one axis of the corner, times what is there already. */
static inline void wavelet_step(transform_case *c, int level, int axis)
{
    const crease_space *s = &c->space;
    const ptrdiff_t n = crease_size(s), half = (s->dim[axis] >> level) / 2;
    const long double q = sqrtl(3), f = 4 * sqrtl(2);
    const long double h[] = { (1 + q) / f, (3 + q) / f, (3 - q) / f, (1 - q) / f };
    double *old = doubles(n * n);
    ptrdiff_t stride = 1;
    for (int i = axis + 1; i < s->order; i++) stride *= s->dim[i];
    memcpy(old, c->matrix, (size_t)(n * n) * sizeof *old);
    for (ptrdiff_t row = 0; row < n; row++) {
        ptrdiff_t k[CREASE_MAX_ORDER];
        bool corner = true;
        index_of(s, row, k);
        for (int i = 0; i < s->order; i++)
            corner = corner && (s->dim[i] == 1 || k[i] < s->dim[i] >> level);
        if (!corner) continue;
        const bool detail = k[axis] >= half;
        for (ptrdiff_t col = 0; col < n; col++) {
            long double sum = 0;
            for (ptrdiff_t i = 0; i < 4; i++) {
                const ptrdiff_t j = (2 * (k[axis] % half) + i) % (2 * half);
                const long double g = !detail ? h[i] : i % 2 ? -h[3 - i] : h[3 - i];
                sum += g * old[(row + (j - k[axis]) * stride) * n + col];
            }
            c->matrix[row * n + col] = (double)sum;
        }
    }
    free(old);
}

static inline void wavelet_case(transform_case *c, crease_space s, int levels)
{
    const ptrdiff_t n = crease_size(&s);
    case_begin(c, s);
    c->map = crease_wavelet(levels);
    for (ptrdiff_t j = 0; j < n; j++) c->matrix[j * n + j] = 1;
    for (int level = 0; level < levels; level++)
        for (int i = 0; i < s.order; i++)
            if (s.dim[i] > 1) wavelet_step(c, level, i);
}

/* Lengths with small and large prime factors, one, two and three dimensions. */
static inline crease_space case_shape(int k)
{
    static const crease_space shape[] = {
        { .order = 1, .dim = { 1 } },       { .order = 1, .dim = { 2 } },
        { .order = 1, .dim = { 60 } },      { .order = 1, .dim = { 97 } },
        { .order = 1, .dim = { 121 } },     { .order = 2, .dim = { 7, 13 } },
        { .order = 2, .dim = { 8, 16 } },   { .order = 2, .dim = { 1, 9 } },
        { .order = 3, .dim = { 3, 4, 5 } }, { .order = 3, .dim = { 2, 8, 6 } },
    };
    return shape[k];
}
enum { CASE_SHAPES = 10 };

/* The k-th case, k < CASE_COUNT; its kernel is drawn. */
enum { CASE_COUNT = 5 * CASE_SHAPES };
static inline void transform_case_at(transform_case *c, int k, draws *d)
{
    const crease_space s = case_shape(k % CASE_SHAPES);
    crease_space shape = s;
    const int kind = k / CASE_SHAPES;
    for (int i = 0; i < s.order; i++)
        shape.dim[i] = kind == 1 ? s.dim[i] : 1 + below(d, s.dim[i] < 5 ? s.dim[i] : 5);
    if (kind == 0) {
        dct_case(c, s);
    } else if (kind < 4) {
        if (kind == 3)
            for (int i = 0; i < s.order; i++) shape.dim[i] += s.dim[i] < 3 ? 2 : 0; /* longer */
        kernel_case(c, s, shape, kind < 3, d);
    } else {
        crease_space even = s;
        for (int i = 0; i < s.order; i++) even.dim[i] = s.dim[i] > 1 ? s.dim[i] / 4 * 4 : 1;
        for (int i = 0; i < s.order; i++) even.dim[i] += even.dim[i] == 0 ? 4 : 0;
        wavelet_case(c, even, 1 + k % 2);
    }
}

#endif
