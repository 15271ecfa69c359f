/* SPDX-License-Identifier: MIT
 * spca: components that were found are VALID from the tensor and their numbers, and nothing else is
 */
#include "support/spike.h"

enum { COMPONENTS = 3, MOST = 12 };

typedef struct {
    spike p;
    double point[3][MOST * COMPONENTS], factor[3][MOST * COMPONENTS];
    double weight[COMPONENTS], alpha[COMPONENTS];
    const double *points[3], *factors[3];
    crease_spca_claim c;
} example;

static void find(example *a, crease_method method)
{
    *a = (example){ .p = { .shape = { .order = 3, .dim = { 12, 10, 8 } },
                           .nonzeros = 3,
                           .noise = 0.02,
                           .strength = { 2, 1 } } };
    make_spike(&a->p, 4);
    const crease_spca_settings s = crease_spca_default(&a->p.shape);
    crease_spca *m = crease_spca_new(&s, a->p.tensor, NULL);
    crease_options o = crease_spca_options(m);
    o.method = method, o.h = 0;
    for (int k = 0; k < COMPONENTS; k++) {
        crease_spca_component c;
        assert_true(crease_spca_next(m, &o, &c, NULL));
        a->weight[k] = c.sigma, a->alpha[k] = c.alpha;
        for (int n = 0; n < 3; n++)
            for (ptrdiff_t j = 0; j < a->p.shape.dim[n]; j++) {
                a->point[n][j * COMPONENTS + k] = c.x[n][j];
                a->factor[n][j * COMPONENTS + k] = c.x[n][j] / c.length[n];
            }
    }
    for (int n = 0; n < 3; n++) a->points[n] = a->point[n], a->factors[n] = a->factor[n];
    a->c = (crease_spca_claim){ .shape = a->p.shape,
                                .tensor = a->p.tensor,
                                .penalty = s.penalty,
                                .count = COMPONENTS,
                                .columns = COMPONENTS,
                                .alpha = a->alpha,
                                .point = a->points,
                                .factor = a->factors,
                                .weight = a->weight,
                                .eps = o.eps,
                                .relative = true,
                                .gap = method == CREASE_METHOD_GCG };
    crease_spca_free(m);
}

static void expect(const example *a, int k, crease_verdict verdict, const char *words)
{
    crease_verification found[COMPONENTS];
    crease_error e = { CREASE_OK, "" };
    if (!crease_spca_verify(&a->c, found, &e)) fail_msg("%s", e.text);
    if (found[k].verdict != verdict || !strstr(found[k].text, words))
        fail_msg("%s: %s", crease_verdict_text(found[k].verdict), found[k].text);
    for (int i = 0; i < COMPONENTS; i++) crease_verification_free(&found[i]);
}

static void components_of_both_methods_are_valid(void **state)
{
    const crease_method method[] = { CREASE_METHOD_PROX_BCD, CREASE_METHOD_GCG };
    (void)state;
    for (int i = 0; i < 2; i++) {
        example a;
        find(&a, method[i]);
        for (int k = 0; k < COMPONENTS; k++) expect(&a, k, CREASE_VERDICT_VALID, "");
        free_spike(&a.p);
    }
}

static void numbers_that_are_not_the_points_are_invalid(void **state)
{
    example a;
    (void)state;
    find(&a, CREASE_METHOD_PROX_BCD);
    a.weight[1] *= 1 + 1e-9;
    expect(&a, 1, CREASE_VERDICT_INVALID, "weight 2");
    a.weight[1] /= 1 + 1e-9;
    a.factor[2][4 * COMPONENTS + 1] += 1e-9;
    expect(&a, 1, CREASE_VERDICT_INVALID, "row 5, column 2 of factor 3");
    expect(&a, 0, CREASE_VERDICT_VALID, "");
    a.factor[2][4 * COMPONENTS + 1] = NAN;
    expect(&a, 1, CREASE_VERDICT_INVALID, "row 5, column 2 of factor 3");
    free_spike(&a.p);
}

/* Another weight, tensor or point: not stationary there. */
static void other_problems_are_invalid(void **state)
{
    example a;
    (void)state;
    find(&a, CREASE_METHOD_PROX_BCD);
    a.alpha[0] *= 4;
    expect(&a, 0, CREASE_VERDICT_INVALID, "");
    a.alpha[0] /= 4;
    for (ptrdiff_t j = 0; j < crease_size(&a.p.shape); j += 2) a.p.tensor[j] *= 2;
    expect(&a, 0, CREASE_VERDICT_INVALID, "");
    a.point[0][COMPONENTS] = NAN;
    expect(&a, 0, CREASE_VERDICT_INVALID, "");
    free_spike(&a.p);
}

static void claims_without_sense_are_refused(void **state)
{
    example a;
    crease_verification found[COMPONENTS];
    (void)state;
    find(&a, CREASE_METHOD_PROX_BCD);
    a.c.columns = 1;
    assert_false(crease_spca_verify(&a.c, found, NULL));
    free_spike(&a.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_of_both_methods_are_valid),
        cmocka_unit_test(numbers_that_are_not_the_points_are_invalid),
        cmocka_unit_test(other_problems_are_invalid),
        cmocka_unit_test(claims_without_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
