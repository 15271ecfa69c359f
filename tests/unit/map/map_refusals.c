/* SPDX-License-Identifier: MIT
 * map_refusals: bad shapes and data are refused with the code and a sentence that says where */
#include "support/map_samples.h"

static void refused(crease_map A, crease_space dom, crease_space ran, crease_code code,
                    const char *says)
{
    crease_error e = { 0 };
    double bound;
    assert_false(crease_map_check(&A, &dom, &ran, &e));
    if (e.code != code || !strstr(e.text, says))
        fail_msg("code %d, \"%s\" does not say \"%s\"", (int)e.code, e.text, says);
    assert_false(crease_map_check(&A, &dom, &ran, NULL));
    assert_false(crease_map_norm(&A, &dom, &ran, &bound, NULL));
    assert_false(crease_map_sigma_min(&A, &dom, &ran, &bound, NULL));
    assert_false(crease_map_is_identity(&A, &dom, &ran, &bound));
    assert_false(crease_apply(&A, &dom, &ran, NULL, NULL, NULL));
    assert_false(crease_adjoint(&A, &dom, &ran, NULL, NULL, NULL));
}

#define V crease_vector
#define M crease_matrix

static void entrywise_maps(void **state)
{
    const double bad[] = { 1, 2, NAN, 4 }, inf[] = { 1, -INFINITY }, half[] = { 1, 0.5 };
    (void)state;
    refused(crease_zero_map(), V(0), V(2), CREASE_BAD_SHAPE, "dimension 1 of a shape is 0");
    refused(crease_identity(1), V(3), V(2), CREASE_BAD_SHAPE, "3 entries");
    refused(crease_identity(1), V(6), M(2, 3), CREASE_BAD_SHAPE, "same shape");
    refused(crease_identity(NAN), V(3), V(3), CREASE_BAD_ARGUMENT, "scale = nan");
    refused(crease_identity(INFINITY), V(3), V(3), CREASE_BAD_ARGUMENT, "scale = inf");
    refused(crease_diagonal(NULL), V(3), V(3), CREASE_BAD_ARGUMENT, "diagonal has no data");
    refused(crease_diagonal(bad), V(4), V(4), CREASE_BAD_DATA, "number 3 of 4 is nan");
    refused(crease_diagonal(ones), V(4), V(3), CREASE_BAD_SHAPE, "diagonal");
    refused(crease_mask(half), V(2), V(2), CREASE_BAD_DATA, "number 2 of 2 is 0.5");
    refused(crease_mask(inf), V(2), V(2), CREASE_BAD_DATA, "number 2 of 2 is -inf");
    refused(crease_mask(NULL), V(2), V(2), CREASE_BAD_ARGUMENT, "mask has no data");
    refused(crease_dense(bad), V(2), V(2), CREASE_BAD_DATA, "dense: number 3 of 4");
    refused(crease_dense(NULL), V(2), V(2), CREASE_BAD_ARGUMENT, "dense has no data");
    refused(crease_dense(ones), V((ptrdiff_t)1 << 40), V((ptrdiff_t)1 << 40), CREASE_BAD_SHAPE,
            "larger than memory");
}

static void sparse_maps(void **state)
{
    crease_csr_matrix a = some_csr;
    ptrdiff_t start[] = { 0, 3, 3, 6, 7 }, col[] = { 4, 0, 2, 1, 3, 1, 0 };
    double value[] = { 2, -1.5, 0.5, 1, INFINITY, -2.25, 3 };
    (void)state;
    refused(crease_csr(NULL), V(5), V(4), CREASE_BAD_ARGUMENT, "no matrix");
    refused(crease_csr(&a), V(4), V(5), CREASE_BAD_SHAPE, "4 x 5");
    a.value = value;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_DATA, "number 5 of 7 is inf");
    a.value = NULL;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_ARGUMENT, "csr has no data");
    a = some_csr, a.col = col, col[3] = 5;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_DATA, "entry 4 has column 5");
    col[3] = -1;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_DATA, "entry 4 has column -1");
    a.col = NULL;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_ARGUMENT, "no columns");
    a = some_csr, a.start = start, start[2] = 2;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_DATA, "row 2 starts at 3 and ends at 2");
    start[0] = 1, start[2] = 3;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_DATA, "row 1 starts at 1");
    a.start = NULL;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_ARGUMENT, "row starts");
}

static void selections_and_differences(void **state)
{
    const ptrdiff_t index[] = { 0, 6, -1 };
    const crease_index_list high = { 2, index }, low = { 1, index + 2 }, none = { 2, NULL };
    (void)state;
    refused(crease_selection(NULL), V(6), V(2), CREASE_BAD_ARGUMENT, "no indices");
    refused(crease_selection(&none), V(6), V(2), CREASE_BAD_ARGUMENT, "no indices");
    refused(crease_selection(&high), V(6), V(2), CREASE_BAD_DATA, "index 2 is 6");
    refused(crease_selection(&low), V(6), V(1), CREASE_BAD_DATA, "index 1 is -1");
    refused(crease_selection(&high), V(7), V(3), CREASE_BAD_SHAPE, "2 indices");
    refused(crease_finite_difference(-1), V(3), V(2), CREASE_BAD_ARGUMENT, "axis = -1");
    refused(crease_finite_difference(8), V(3), V(2), CREASE_BAD_ARGUMENT, "axis = 8");
    refused(crease_finite_difference(1), V(3), V(2), CREASE_BAD_SHAPE, "axis 1");
    refused(crease_finite_difference(0), V(1), V(1), CREASE_BAD_SHAPE, "at least 2");
    refused(crease_finite_difference(0), V(3), V(3), CREASE_BAD_SHAPE, "length 2 along axis 0");
    refused(crease_finite_difference(1), M(3, 4), M(2, 4), CREASE_BAD_SHAPE, "axis 1");
}

static void callbacks(void **state)
{
    crease_callback_map c = ring_map;
    crease_error e;
    double bound;
    (void)state;
    refused(crease_map_callback(NULL), V(4), V(4), CREASE_BAD_ARGUMENT, "no functions");
    c.apply = NULL;
    refused(crease_map_callback(&c), V(4), V(4), CREASE_BAD_ARGUMENT, "no apply");
    c = ring_map, c.adjoint = NULL;
    refused(crease_map_callback(&c), V(4), V(4), CREASE_BAD_ARGUMENT, "no adjoint");
    c = ring_map, c.norm_bound = -1;
    refused(crease_map_callback(&c), V(4), V(4), CREASE_BAD_ARGUMENT, "norm_bound is -1");
    c.norm_bound = 0.1, c.sigma_min_bound = NAN;
    refused(crease_map_callback(&c), V(4), V(4), CREASE_BAD_ARGUMENT, "sigma_min_bound is nan");
    c.sigma_min_bound = 0.02;
    refused(crease_map_callback(&c), V(4), V(4), CREASE_BAD_ARGUMENT, "exceeds the square");
    c.norm_bound = 3, c.sigma_min_bound = 1;
    refused(crease_map_callback(&c), V(3), V(4), CREASE_BAD_ARGUMENT, "singular");
    c = ring_map;
    const crease_map large = crease_map_callback(&c);
    const crease_space n = V(100000);
    assert_false(crease_map_norm(&large, &n, &n, &bound, &e));
    assert_true(e.code == CREASE_BAD_ARGUMENT && strstr(e.text, "norm_bound"));
    assert_true(crease_map_sigma_min(&large, &n, &n, &bound, &e) && bound == 0);
}

static void combinations(void **state)
{
    const crease_space v3 = V(3), v4 = V(4);
    const double scale[] = { 1, INFINITY };
    const crease_map two[] = { crease_identity(1), crease_diagonal(NULL) };
    crease_map_list l = { 1, NULL, NULL };
    crease_map_pair p = { &two[0], &two[0], NULL };
    (void)state;
    refused(crease_map_sum(NULL), v3, v3, CREASE_BAD_ARGUMENT, "no maps");
    refused(crease_map_sum(&l), v3, v3, CREASE_BAD_ARGUMENT, "no maps");
    l.map = two, l.count = 0;
    refused(crease_map_sum(&l), v3, v3, CREASE_BAD_ARGUMENT, "no maps");
    l.count = 2;
    refused(crease_map_sum(&l), v3, v3, CREASE_BAD_ARGUMENT, "diagonal has no data");
    l.scale = scale;
    refused(crease_map_sum(&l), v3, v3, CREASE_BAD_DATA, "number 2 of 2 is inf");
    refused(crease_composition(NULL), v3, v3, CREASE_BAD_ARGUMENT, "composition");
    refused(crease_composition(&p), v3, v3, CREASE_BAD_ARGUMENT, "composition");
    p.between = &v4;
    refused(crease_composition(&p), v3, v4, CREASE_BAD_SHAPE, "identity");
    refused(crease_composition(&p), v4, v3, CREASE_BAD_SHAPE, "identity");
}

static void split_spaces(void **state)
{
    const crease_comm comm = { 0 };
    sample list[SAMPLES_MAX];
    combined c;
    (void)state;
    for (int k = 0, count = map_samples(list, &c); k < count; k++) {
        sample s = list[k];
        const char *name = s.map.ops->name;
        const bool entrywise = !strcmp(name, "zero") || !strcmp(name, "identity") ||
                               !strcmp(name, "diagonal") || !strcmp(name, "mask");
        s.dom.comm = s.ran.comm = &comm;
        assert_int_equal(crease_map_check(&s.map, &s.dom, &s.ran, NULL), entrywise);
        if (!entrywise) refused(s.map, s.dom, s.ran, CREASE_UNSUPPORTED, "split over ranks");
        s.ran.comm = NULL;
        if (entrywise && strcmp(name, "zero"))
            refused(s.map, s.dom, s.ran, CREASE_BAD_SHAPE, "both or neither");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entrywise_maps),
        cmocka_unit_test(sparse_maps),
        cmocka_unit_test(selections_and_differences),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(combinations),
        cmocka_unit_test(split_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
