/* SPDX-License-Identifier: MIT
 * transforms: transforms and convolutions against their matrices; solutions in closed form against
 * a dense factorization; entries of sparse maps; plans among threads; refusals */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "dense/dense.h"
#include "map/map.h"
#include "support/map_samples.h"
#include "support/transform_cases.h"

/* max |A x - M x|, |A'y - M'y| relative to |M|_F |x| */
static double products_off(const transform_case *c, draws *d)
{
    const ptrdiff_t n = crease_size(&c->space);
    double *x = random_doubles(d, n, 1), *out = doubles(n), *expected = doubles(n), off = 0;
    for (int adjoint = 0; adjoint < 2; adjoint++) {
        crease_error e;
        assert_true(
            (adjoint ? crease_adjoint : crease_apply)(&c->map, &c->space, &c->space, x, out, &e));
        crs_gemv(adjoint, n, n, 1, c->matrix, x, 0, expected);
        for (ptrdiff_t j = 0; j < n; j++) off = larger(off, fabs(out[j] - expected[j]));
    }
    off /= crs_norm(n * n, c->matrix) * crs_norm(n, x);
    free(x), free(out), free(expected);
    return off;
}

static void transforms_are_their_matrices(void **state)
{
    draws d = { .r = { .seed = 31 } };
    double worst = 0;
    (void)state;
    for (int k = 0; k < CASE_COUNT; k++) {
        transform_case c;
        transform_case_at(&c, k, &d);
        const double off = products_off(&c, &d);
        if (!(off < 1e-15)) fail_msg("%s, case %d: off by %.2g", c.map.ops->name, k, off);
        worst = larger(worst, off);
        case_end(&c);
    }
    print_message("%d cases, products within %.1e of |A|_F |x|\n", CASE_COUNT, worst);
}

static void norms_are_those_of_the_matrix(void **state)
{
    draws d = { .r = { .seed = 32 } };
    (void)state;
    for (int k = 0; k < CASE_COUNT; k++) {
        transform_case c;
        transform_case_at(&c, k, &d);
        const ptrdiff_t n = crease_size(&c.space);
        double *s = doubles(n), *work = doubles(crs_svd_scratch(n, n)), norm, least;
        const bool exact = strcmp(c.map.ops->name, "convolution") != 0;
        assert_true(crs_singular_values(n, n, c.matrix, s, work));
        assert_true(crease_map_norm(&c.map, &c.space, &c.space, &norm, NULL));
        assert_true(crease_map_sigma_min(&c.map, &c.space, &c.space, &least, NULL));
        assert_true(norm >= s[0] * (1 - 1e-14) && norm <= s[0] * (1 + (exact ? 1e-12 : 1e-10)));
        assert_true(least >= 0 && least <= s[n - 1] * s[n - 1] * (1 + 1e-12) + 1e-14 * s[0] * s[0]);
        if (exact) assert_true(sqrt(least) >= s[n - 1] - 1e-12 * s[0]);
        free(s), free(work), case_end(&c);
    }
}

/* What the closed form leaves of the dense solution, relative to it and to the condition. */
static double solution_off(const crease_map *A, const crease_space *dom, const crease_space *ran,
                           const double *matrix, draws *d)
{
    const ptrdiff_t m = crease_size(ran), n = crease_size(dom);
    const double shift = spread(d, -2, 2), beta = spread(d, -2, 2);
    double *g = doubles(n * n), *x = random_doubles(d, n, 1), *y = doubles(n), off = 0;
    crease_map_solver *s = crease_map_solver_new(A, dom, ran, NULL);
    assert_non_null(s);
    double *work = doubles(crease_map_solver_scratch(s) + 1);
    crs_gram(m, n, matrix, g);
    for (ptrdiff_t j = 0; j < n * n; j++) g[j] *= beta;
    for (ptrdiff_t j = 0; j < n; j++) g[j * n + j] += shift;
    const double condition = 1 + crs_norm(n * n, g) / shift;
    crease_map_solve(s, shift, beta, x, y, work);
    assert_true(crs_cholesky(n, g));
    double *in_place = doubles(n);
    memcpy(in_place, x, (size_t)n * sizeof *x);
    crease_map_solve(s, shift, beta, in_place, in_place, work);
    assert_memory_equal(in_place, y, (size_t)n * sizeof *y);
    crs_cholesky_solve(n, g, 1, x);
    for (ptrdiff_t j = 0; j < n; j++) off = larger(off, fabs(y[j] - x[j]));
    off /= crs_norm(n, x) * condition;
    crease_map_solver_free(s);
    free(g), free(x), free(y), free(work), free(in_place);
    return off;
}

static void closed_forms_solve(void **state)
{
    static sample list[SAMPLES_MAX];
    combined c;
    draws d = { .r = { .seed = 33 } };
    double worst = 0;
    int solved = 0;
    (void)state;
    for (int k = 0; k < CASE_COUNT; k++) {
        transform_case t;
        transform_case_at(&t, k, &d);
        if (t.map.ops->gram) {
            worst = larger(worst, solution_off(&t.map, &t.space, &t.space, t.matrix, &d));
            const crease_map back = crease_transposed(&t.map);
            const ptrdiff_t n = crease_size(&t.space);
            double *other = doubles(n * n);
            for (ptrdiff_t j = 0; j < n * n; j++) other[j] = t.matrix[j % n * n + j / n];
            worst = larger(worst, solution_off(&back, &t.space, &t.space, other, &d));
            free(other);
            solved += 2;
        }
        case_end(&t);
    }
    for (int k = 0, count = map_samples(list, &c); k < count; k++) {
        const sample *s = &list[k];
        crease_error e = { 0 };
        crease_map_solver *one = crease_map_solver_new(&s->map, &s->dom, &s->ran, &e);
        crease_map_solver_free(one);
        assert_true(one || e.code == CREASE_UNSUPPORTED);
        if (!one) continue;
        worst = larger(worst, solution_off(&s->map, &s->dom, &s->ran, s->matrix, &d));
        solved++;
    }
    print_message("%d systems within %.1e of the condition\n", solved, worst);
    assert_true(solved >= 100 && worst < 1e-14);
}

/* Parts that share a basis add their eigenvalues; others have no closed form. */
static void stacks_of_one_basis_solve(void **state)
{
    const crease_space s = crease_matrix(4, 6), rows = crease_vector(4 * 5 + 3 * 6);
    const crease_map part[] = { crease_gradient(), crease_finite_difference(1),
                                crease_identity(2) };
    const crease_space range[] = { rows, crease_matrix(4, 5), s };
    const crease_map_parts two = { 2, part, range }, mixed = { 3, part, range };
    const crease_map A = crease_stack(&two), B = crease_stack(&mixed);
    const crease_space out = crease_vector(38 + 20), all = crease_vector(38 + 20 + 24);
    draws d = { .r = { .seed = 34 } };
    double *matrix = doubles(58 * 24), *work = doubles(200);
    crease_error e = { 0 };
    (void)state;
    crs_map_materialize(&A, &s, &out, matrix, work);
    assert_true(solution_off(&A, &s, &out, matrix, &d) < 1e-14);
    assert_null(crease_map_solver_new(&B, &s, &all, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    free(matrix), free(work);
}

static void singular_systems_are_not_finite(void **state)
{
    const crease_space s = crease_vector(5), out = crease_vector(4);
    const crease_map A = crease_gradient();
    const double v[] = { 1, 2, 3, 4, 5 };
    double x[5], work[5];
    (void)state;
    crease_map_solver *one = crease_map_solver_new(&A, &s, &out, NULL);
    crease_map_solve(one, 0, 1, v, x, work);
    assert_false(crs_all_finite(5, x));
    crease_map_solver_free(one);
}

static void entries_are_those_of_the_matrix(void **state)
{
    static sample list[SAMPLES_MAX];
    combined c;
    int sparse = 0;
    (void)state;
    for (int k = 0, count = map_samples(list, &c); k < count; k++) {
        const sample *s = &list[k];
        const ptrdiff_t n = crease_size(&s->dom), all = n * crease_size(&s->ran);
        const ptrdiff_t used = crs_map_entries(&s->map, &s->dom, &s->ran, NULL, NULL, NULL);
        if (used < 0) continue;
        ptrdiff_t row[SIDE_MAX * SIDE_MAX], col[SIDE_MAX * SIDE_MAX];
        double value[SIDE_MAX * SIDE_MAX], matrix[SIDE_MAX * SIDE_MAX] = { 0 };
        assert_true(used <= SIDE_MAX * SIDE_MAX);
        assert_int_equal(crs_map_entries(&s->map, &s->dom, &s->ran, row, col, value), used);
        for (ptrdiff_t j = 0; j < used; j++) matrix[row[j] * n + col[j]] += value[j];
        for (ptrdiff_t j = 0; j < all; j++)
            if (matrix[j] != s->matrix[j]) fail_msg("%s: entry %td", s->what, j);
        sparse++;
    }
    assert_true(sparse >= 25);
}

/* Two vanishing moments: details of a straight line are 0 wherever they do not reach around. */
static void details_of_a_line_vanish(void **state)
{
    const crease_space s = crease_vector(64);
    const crease_map A = crease_wavelet(1);
    double x[64], y[64];
    (void)state;
    for (int j = 0; j < 64; j++) x[j] = 3 * j - 7;
    assert_true(crease_apply(&A, &s, &s, x, y, NULL));
    for (int k = 32; k < 63; k++) assert_close(y[k], 0, 1e-12);
    assert_true(fabs(y[63]) > 1);
}

/* Plans made, used and freed by many threads at once give the numbers of one. */
static void *convolve_often(void *out)
{
    const double h[] = { 1, 2, -1 };
    for (int k = 0; k < 40; k++) {
        const crease_space s = crease_vector(30 + k);
        crease_kernel kernel = { .signal = s, .shape = crease_vector(3), .h = h };
        crease_cosine *cosine = crease_cosine_new(&s, NULL);
        double x[70], y[70], z[70];
        for (int j = 0; j < 70; j++) x[j] = cos(j);
        if (!crease_kernel_prepare(&kernel, NULL)) return NULL;
        const crease_map A = crease_convolution(&kernel), B = crease_dct(cosine);
        crease_apply(&A, &s, &s, x, y, NULL);
        crease_apply(&B, &s, &s, y, z, NULL);
        memcpy((double *)out + 70 * k, z, (size_t)(30 + k) * sizeof *z);
        crease_kernel_release(&kernel);
        crease_cosine_free(cosine);
    }
    return out;
}

static void threads_share_the_planner(void **state)
{
    enum { THREADS = 4, EACH = 70 * 40 };
    pthread_t thread[THREADS];
    double *out = doubles(THREADS * EACH), *alone = doubles(EACH);
    (void)state;
    assert_non_null(convolve_often(alone));
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, convolve_often, out + t * EACH), 0);
    for (int t = 0; t < THREADS; t++) {
        void *done;
        assert_int_equal(pthread_join(thread[t], &done), 0);
        assert_non_null(done);
        assert_memory_equal(out + t * EACH, alone, EACH * sizeof *alone);
    }
    free(out), free(alone);
}

static void refused(crease_map A, crease_space dom, crease_space ran, crease_code code,
                    const char *says)
{
    crease_error e = { 0 };
    assert_false(crease_map_check(&A, &dom, &ran, &e));
    if (e.code != code || !strstr(e.text, says))
        fail_msg("code %d, \"%s\" does not say \"%s\"", (int)e.code, e.text, says);
    assert_null(crease_map_solver_new(&A, &dom, &ran, NULL));
}

#define V crease_vector
#define M crease_matrix

static void bad_kernels_are_refused(void **state)
{
    const double h[] = { 1, NAN, 1e308, 1e308 };
    crease_kernel k = { .signal = V(3), .shape = V(4), .h = h, .circular = true };
    crease_error e;
    (void)state;
    assert_false(crease_kernel_prepare(&k, &e));
    assert_non_null(strstr(e.text, "no longer"));
    refused(crease_convolution(&k), V(3), V(3), CREASE_BAD_ARGUMENT, "crease_kernel_prepare");
    refused(crease_convolution(NULL), V(3), V(3), CREASE_BAD_ARGUMENT, "kernel (NULL)");
    k.shape = V(2);
    assert_false(crease_kernel_prepare(&k, &e));
    assert_non_null(strstr(e.text, "number 2 of 2 of the kernel is nan"));
    k.h = h + 2;
    assert_false(crease_kernel_prepare(&k, &e));
    assert_non_null(strstr(e.text, "divide the kernel"));
    k.h = h, k.shape = V(1), k.origin[0] = 1;
    assert_false(crease_kernel_prepare(&k, &e));
    assert_non_null(strstr(e.text, "give one from 0 to 0"));
    k.origin[0] = 0, k.shape = M(1, 1);
    assert_false(crease_kernel_prepare(&k, &e));
    assert_non_null(strstr(e.text, "2 dimensions and the signal 1"));
    k.shape = V(1);
    assert_true(crease_kernel_prepare(&k, &e));
    refused(crease_convolution(&k), V(4), V(4), CREASE_BAD_SHAPE, "prepare it for the input");
    refused(crease_convolution(&k), V(3), V(2), CREASE_BAD_SHAPE, "same shape");
    crease_kernel_release(&k);
}

static void bad_shapes_are_refused(void **state)
{
    const crease_space v3 = V(3);
    crease_cosine *c = crease_cosine_new(&v3, NULL);
    const double nan[] = { 1, NAN, 1, 1 };
    const crease_matrix_pair p = { 2, 2, 1, 1, nan, nan }, q = { 2, 0, 1, 1, nan, nan };
    const crease_factored_matrix f = { 2, 2, 0, nan, nan }, g = { 2, 2, 1, nan, nan };
    const crease_map one = crease_identity(1);
    const crease_map_parts none = { 0, &one, &v3 }, some = { 1, &one, &v3 };
    (void)state;
    refused(crease_dct(NULL), V(3), V(3), CREASE_BAD_ARGUMENT, "crease_cosine_new");
    refused(crease_dct(c), V(4), V(4), CREASE_BAD_SHAPE, "make the plan for the input");
    refused(crease_wavelet(2), V(6), V(6), CREASE_BAD_SHAPE, "not divisible by 2^2 = 4");
    refused(crease_wavelet(0), V(4), V(4), CREASE_BAD_ARGUMENT, "levels = 0");
    refused(crease_gradient(), V(1), V(1), CREASE_BAD_SHAPE, "no differences");
    refused(crease_gradient(), M(2, 2), V(3), CREASE_BAD_SHAPE, "4 differences");
    refused(crease_kronecker(NULL), V(3), V(3), CREASE_BAD_ARGUMENT, "no matrices");
    refused(crease_kronecker(&p), V(2), V(2), CREASE_BAD_DATA, "number 2 of 4 is nan");
    refused(crease_kronecker(&q), V(2), V(2), CREASE_BAD_SHAPE, "2 x 0");
    refused(crease_low_rank(&f), V(2), V(2), CREASE_BAD_SHAPE, "0 columns");
    refused(crease_low_rank(&g), V(2), V(2), CREASE_BAD_DATA, "number 2 of 2 is nan");
    refused(crease_low_rank(&g), V(3), V(2), CREASE_BAD_SHAPE, "make them agree");
    refused(crease_stack(NULL), v3, v3, CREASE_BAD_ARGUMENT, "no parts");
    refused(crease_stack(&none), v3, v3, CREASE_BAD_ARGUMENT, "no parts");
    refused(crease_stack(&some), v3, V(4), CREASE_BAD_SHAPE, "3 entries out together");
    refused(crease_side_by_side(&some), V(4), v3, CREASE_BAD_SHAPE, "3 entries in together");
    refused(crease_map_scaled(NAN, &one), v3, v3, CREASE_BAD_ARGUMENT, "scale = nan");
    refused(crease_map_scaled(1, NULL), v3, v3, CREASE_BAD_ARGUMENT, "no map");
    refused(crease_transposed(NULL), v3, v3, CREASE_BAD_ARGUMENT, "no map");
    crease_cosine_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_are_their_matrices),
        cmocka_unit_test(norms_are_those_of_the_matrix),
        cmocka_unit_test(closed_forms_solve),
        cmocka_unit_test(stacks_of_one_basis_solve),
        cmocka_unit_test(singular_systems_are_not_finite),
        cmocka_unit_test(entries_are_those_of_the_matrix),
        cmocka_unit_test(details_of_a_line_vanish),
        cmocka_unit_test(threads_share_the_planner),
        cmocka_unit_test(bad_kernels_are_refused),
        cmocka_unit_test(bad_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
