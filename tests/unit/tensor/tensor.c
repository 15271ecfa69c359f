/* SPDX-License-Identifier: MIT
 * tensor: the Kruskal kernels and contractions against loops over all indices */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mttkrp_sums_over_the_other_modes),
        cmocka_unit_test(reconstruction_and_distance),
        cmocka_unit_test(gram_is_khatri_rao_gram),
        cmocka_unit_test(contractions),
        cmocka_unit_test(nan_comes_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
