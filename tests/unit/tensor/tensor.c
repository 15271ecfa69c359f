/* SPDX-License-Identifier: MIT
 * tensor: products with factors and along modes against plain loops over the entries */
#include "support/tensor_examples.h"

/* prod_{j != skip} X_j(i_j, r) */
static double khatri(const example *x, const ptrdiff_t *i, ptrdiff_t r, int skip)
{
    double p = 1;
    for (int n = 0; n < x->s.order; n++)
        if (n != skip) p *= x->x[n][i[n] * x->ranks.dim[0] + r];
    return p;
}

static crs_kruskal kruskal(const example *x)
{
    crs_kruskal k = { .shape = x->s, .rank = x->ranks.dim[0] };
    for (int n = 0; n < x->s.order; n++) k.factor[n] = x->x[n];
    return k;
}

/* |a - b| <= 2^-53 * 4 (terms + 10) * scale: what sums of `terms` products may differ by. */
static void same(ptrdiff_t n, const double *a, const double *b, double terms, const double *scale)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(fabs(a[j] - b[j]) <= 0x1p-51 * (terms + 10) * scale[j]))
            fail_msg("entry %td is %.17g, not %.17g (scale %g)", j, a[j], b[j], scale[j]);
}

static void mttkrp_sums_over_the_other_modes(void **state)
{
    draws d = { { 1, 0 }, 0 };
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (ptrdiff_t rank = 1; rank <= 9; rank += 4) {
            example x = make(k, rank, &d);
            const crs_kruskal kr = kruskal(&x);
            const ptrdiff_t size = crease_size(&x.s);
            double *work = unset_doubles(crs_kruskal_scratch(&x.s, rank));
            for (int n = 0; n < x.s.order; n++) {
                const ptrdiff_t out = x.s.dim[n] * rank;
                double *a = random_doubles(&d, out, 1), *b = doubles(out);
                double *scale = doubles(out);
                for (ptrdiff_t j = 0; j < out; j++) b[j] = a[j], scale[j] = fabs(a[j]);
                for (ptrdiff_t j = 0; j < size; j++) {
                    ptrdiff_t i[CREASE_MAX_ORDER];
                    unravel(&x.s, j, i);
                    for (ptrdiff_t r = 0; r < rank; r++) {
                        const double term = -1.5 * x.t[j] * khatri(&x, i, r, n);
                        b[i[n] * rank + r] += term;
                        scale[i[n] * rank + r] += fabs(term);
                    }
                }
                crs_mttkrp(&kr, n, -1.5, x.t, a, work);
                same(out, a, b, (double)(size / x.s.dim[n]), scale);
                free(a), free(b), free(scale);
            }
            free(work);
            discard(&x);
        }
}

static void reconstruction_and_distance(void **state)
{
    draws d = { { 2, 0 }, 0 };
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (ptrdiff_t rank = 1; rank <= 9; rank += 4) {
            example x = make(k, rank, &d);
            const crs_kruskal kr = kruskal(&x);
            const ptrdiff_t size = crease_size(&x.s);
            double *work = unset_doubles(crs_kruskal_scratch(&x.s, rank));
            double *a = doubles(size), *b = doubles(size);
            double *scale = doubles(size), sum = 0;
            for (ptrdiff_t j = 0; j < size; j++) {
                ptrdiff_t i[CREASE_MAX_ORDER];
                double entry = 0, terms = 0;
                unravel(&x.s, j, i);
                for (ptrdiff_t r = 0; r < rank; r++)
                    entry += khatri(&x, i, r, -1), terms += fabs(khatri(&x, i, r, -1));
                a[j] = x.t[j], b[j] = x.t[j] + 0.75 * entry, scale[j] = fabs(x.t[j]) + terms;
                sum += square(x.t[j] - entry);
            }
            crs_reconstruct(&kr, 0.75, a, work);
            same(size, a, b, (double)(rank + x.s.order), scale);
            assert_close(crs_kruskal_distance2(&kr, x.t, work) / sum, 1,
                         0x1p-53 * (double)(size + 100 * rank));
            free(work), free(a), free(b), free(scale);
            discard(&x);
        }
}

static void gram_is_khatri_rao_gram(void **state)
{
    draws d = { { 3, 0 }, 0 };
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (int n = 0; n < CREASE_MAX_ORDER && shapes[k][n]; n++) {
            const ptrdiff_t rank = 5;
            example x = make(k, rank, &d);
            const crs_kruskal kr = kruskal(&x);
            crease_space others = x.s;
            others.dim[n] = 1;
            double g[25], work[25], want[25] = { 0 }, scale[25] = { 0 };
            for (ptrdiff_t j = 0; j < crease_size(&others); j++) {
                ptrdiff_t i[CREASE_MAX_ORDER];
                unravel(&others, j, i);
                for (int r = 0; r < 25; r++) {
                    const double term = khatri(&x, i, r / 5, n) * khatri(&x, i, r % 5, n);
                    want[r] += term, scale[r] += fabs(term);
                }
            }
            crs_gram_except(&kr, n, g, work);
            same(25, g, want, (double)crease_size(&others), scale);
            discard(&x);
        }
}

static void contractions(void **state)
{
    draws d = { { 4, 0 }, 0 };
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        example x = make(k, 1, &d);
        const double *const *v = (const double *const *)x.x;
        double *work = unset_doubles(crs_contract_scratch(&x.s)), sum = 0, terms = 0;
        for (ptrdiff_t j = 0; j < crease_size(&x.s); j++) {
            ptrdiff_t i[CREASE_MAX_ORDER];
            unravel(&x.s, j, i);
            sum += x.t[j] * khatri(&x, i, 0, -1), terms += fabs(x.t[j] * khatri(&x, i, 0, -1));
        }
        const double whole = crs_contract(&x.s, x.t, v, work);
        same(1, &whole, &sum, (double)crease_size(&x.s), &terms);
        for (int n = 0; n < x.s.order; n++) { /* Euler: <x_n, T(.., ., ..)> = T(x) for every n */
            double *part = doubles(x.s.dim[n]);
            crs_contract_except(&x.s, x.t, v, n, 2, part, work);
            const double again = crs_dot(x.s.dim[n], part, x.x[n]) / 2;
            same(1, &again, &sum, (double)crease_size(&x.s), &terms);
            free(part);
        }
        free(work);
        discard(&x);
    }
}

static void nan_comes_through(void **state)
{
    draws d = { { 8, 0 }, 0 };
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        example x = make(k, 5, &d);
        const crs_kruskal kr = kruskal(&x);
        const ptrdiff_t size = crease_size(&x.s);
        double *work = unset_doubles(crs_kruskal_scratch(&x.s, 5));
        x.t[size / 2] = NAN;
        assert_true(isnan(crs_kruskal_distance2(&kr, x.t, work)));
        for (int n = 0; n < x.s.order; n++) {
            double *out = doubles(x.s.dim[n] * 5);
            crs_mttkrp(&kr, n, 1, x.t, out, work);
            assert_true(isnan(crs_norm(x.s.dim[n] * 5, out)));
            free(out);
        }
        free(work);
        discard(&x);
    }
}

/* y(.., j, ..) = sum_i A(j,i) t(.., i, ..), the definition; returns a new array. */
static double *naive_ttm(const crease_space *s, int n, crs_mode_map a, const double *t)
{
    crease_space to = *s;
    to.dim[n] = a.to;
    double *y = doubles(crease_size(&to));
    for (ptrdiff_t j = 0; j < crease_size(&to); j++) {
        ptrdiff_t i[CREASE_MAX_ORDER];
        unravel(&to, j, i);
        const ptrdiff_t row = i[n];
        for (i[n] = 0; i[n] < s->dim[n]; i[n]++) {
            ptrdiff_t at = 0;
            for (int m = 0; m < s->order; m++) at = at * s->dim[m] + i[m];
            y[j] += t[at] * a.matrix[a.transposed ? i[n] * a.to + row : row * s->dim[n] + i[n]];
        }
    }
    return y;
}

/* The chain in the order of the modes; modes without a matrix stay. */
static double *naive_chain(const crease_space *s, const crs_mode_map *a, const double *t,
                           crease_space *end)
{
    double *y = unset_doubles(crease_size(s));
    copy(crease_size(s), t, y);
    *end = *s;
    for (int n = 0; n < s->order; n++) {
        if (!a[n].matrix) continue;
        double *next = naive_ttm(end, n, a[n], y);
        free(y);
        y = next, end->dim[n] = a[n].to;
    }
    return y;
}

static void close_arrays(ptrdiff_t n, const double *a, const double *b, double terms)
{
    const double scale = crs_norm(n, b), tolerance = 0x1p-50 * (terms + 10) * (1 + scale);
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(fabs(a[j] - b[j]) <= tolerance)) fail_msg("%td: %.17g is not %.17g", j, a[j], b[j]);
}

static void mode_products(void **state)
{
    draws d = { { 5, 0 }, 0 };
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (int skip = -1; skip < 2; skip++) {
            example x = make(k, 0, &d);
            crs_mode_map a[CREASE_MAX_ORDER];
            crease_space end;
            for (int n = 0; n < x.s.order; n++)
                a[n] = (crs_mode_map){ n == skip ? NULL : x.x[n], x.ranks.dim[n], true };
            double *want = naive_chain(&x.s, a, x.t, &end);
            const ptrdiff_t size = crease_size(&end);
            double *y = random_doubles(&d, size, 1);
            double *work = unset_doubles(crs_multi_ttm_scratch(&x.s, a));
            for (ptrdiff_t j = 0; j < size; j++) want[j] = 0.5 * y[j] - 2 * want[j];
            crs_multi_ttm(&x.s, a, -2, x.t, 0.5, y, work);
            close_arrays(size, y, want, (double)crease_size(&x.s));
            free(y), free(want), free(work);
            discard(&x);
        }
}

static crs_tucker tucker(const example *x)
{
    crs_tucker k = { .shape = x->s, .ranks = x->ranks, .core = x->core };
    for (int n = 0; n < x->s.order; n++) k.factor[n] = x->x[n];
    return k;
}

static void tucker_reconstruction(void **state)
{
    draws d = { { 6, 0 }, 0 };
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        example x = make(k, 0, &d);
        const crs_tucker tk = tucker(&x);
        const ptrdiff_t size = crease_size(&x.s);
        crs_mode_map a[CREASE_MAX_ORDER];
        crease_space end;
        for (int n = 0; n < x.s.order; n++) a[n] = (crs_mode_map){ x.x[n], x.s.dim[n], false };
        double *want = naive_chain(&x.ranks, a, x.core, &end), *got = doubles(size);
        double *work = unset_doubles(crs_tucker_scratch(&x.s, &x.ranks)), sum = 0;
        crs_tucker_reconstruct(&tk, 1, got, work);
        close_arrays(size, got, want, (double)crease_size(&x.ranks));
        for (ptrdiff_t j = 0; j < size; j++) sum += square(x.t[j] - want[j]);
        assert_close(crs_tucker_distance2(&tk, x.t, work) / sum, 1,
                     0x1p-53 * (double)(size + 100 * crease_size(&x.ranks)));
        free(want), free(got), free(work);
        discard(&x);
    }
}

/* With B = C x_{j != n} X_j computed by definition: T_(n) W_n = T_(n) B_(n)', W_n'W_n =
 * B_(n)B_(n)'. */
static void tucker_factor_products(void **state)
{
    draws d = { { 7, 0 }, 0 };
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        example x = make(k, 0, &d);
        const crs_tucker tk = tucker(&x);
        double *work = unset_doubles(crs_tucker_scratch(&x.s, &x.ranks));
        for (int n = 0; n < x.s.order; n++) {
            crs_mode_map a[CREASE_MAX_ORDER];
            crease_space end;
            const ptrdiff_t rank = x.ranks.dim[n], size = crease_size(&x.s);
            for (int m = 0; m < x.s.order; m++)
                a[m] = (crs_mode_map){ m == n ? NULL : x.x[m], x.s.dim[m], false };
            double *b = naive_chain(&x.ranks, a, x.core, &end);
            double *z = doubles(x.s.dim[n] * rank), *g = doubles(rank * rank);
            double *zw = doubles(x.s.dim[n] * rank), *gw = doubles(rank * rank);
            crs_tucker_unfolded(&tk, n, 1, x.t, z, work);
            crs_tucker_gram(&tk, n, 1, g, work);
            for (ptrdiff_t j = 0; j < crease_size(&end); j++)
                for (ptrdiff_t r = 0; r < x.s.dim[n] || r < rank; r++) {
                    ptrdiff_t i[CREASE_MAX_ORDER], in_t = 0, in_b = 0;
                    unravel(&end, j, i);
                    const ptrdiff_t q = i[n];
                    i[n] = r;
                    for (int m = 0; m < x.s.order; m++)
                        in_t = in_t * x.s.dim[m] + i[m], in_b = in_b * end.dim[m] + i[m];
                    if (r < x.s.dim[n]) zw[r * rank + q] += x.t[in_t] * b[j];
                    if (r < rank) gw[r * rank + q] += b[in_b] * b[j];
                }
            close_arrays(x.s.dim[n] * rank, z, zw, (double)size);
            close_arrays(rank * rank, g, gw, (double)size);
            free(b), free(z), free(g), free(zw), free(gw);
        }
        free(work);
        discard(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mttkrp_sums_over_the_other_modes),
        cmocka_unit_test(reconstruction_and_distance),
        cmocka_unit_test(gram_is_khatri_rao_gram),
        cmocka_unit_test(contractions),
        cmocka_unit_test(nan_comes_through),
        cmocka_unit_test(mode_products),
        cmocka_unit_test(tucker_reconstruction),
        cmocka_unit_test(tucker_factor_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
