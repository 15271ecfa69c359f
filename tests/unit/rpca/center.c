/* SPDX-License-Identifier: MIT
 * center: constants removed from the data: found whatever their size, missing entries aside, told,
 * and back in the low-rank part; the parts add up to the data, bad modes are refused */
#include <crease/random.h>

#include "rpca/rpca.h"
#include "support/rpca_naive.h"

static const crease_space cube = { .order = 3, .dim = { 12, 14, 16 } };
static const crease_space matrix = { .order = 2, .dim = { 30, 40 } };

static crease_cp_instance *instance(const crease_space *s, uint64_t seed)
{
    crease_cp_recipe r = crease_cp_recipe_default(s, 2);
    r.outliers = 0.1, r.magnitude = 10, r.noise = 0.01, r.seed = seed;
    return crease_cp_generate(&r, NULL);
}

/* T plus constants of this size: one, or one for every index of a mode (mode >= 0). */
static void add(crease_cp_instance *c, double size, int mode)
{
    const crease_space *s = &c->recipe.shape;
    for (ptrdiff_t j = 0; j < crease_size(s); j++) {
        const crease_random random = { 5, 70 };
        const ptrdiff_t i = mode < 0 ? 0 : j / crs_right(s, mode) % s->dim[mode];
        const double value = mode < 0 ? size : size * crease_random_normal(random, (uint64_t)i);
        c->tensor[j] += value;
        c->lowrank[j] += value;
    }
}

static double *part_of(const crease_rpca *r, crease_rpca_part part)
{
    ptrdiff_t left, right;
    crease_rpca_rows(r, &left, &right);
    double *out = doubles(left * right);
    crease_rpca_read(r, part, 0, left, out);
    return out;
}

/* |M + c - truth| in units of the structure; and M + c + E + N = T where T was observed */
static double check(const crease_rpca *r, const crease_cp_instance *c, const double *T, double norm)
{
    const ptrdiff_t n = crease_size(&c->recipe.shape);
    double *low = part_of(r, CREASE_RPCA_LOWRANK), *sparse = part_of(r, CREASE_RPCA_SPARSE);
    double *noise = part_of(r, CREASE_RPCA_NOISE), *data = part_of(r, CREASE_RPCA_DATA), sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        const bool seen = !isnan(T[j]);
        sum += square(low[j] - c->lowrank[j]);
        assert_true(data[j] == (seen ? T[j] : 0));
        if (seen) assert_close(low[j] + sparse[j] + noise[j], T[j], 1e-12 * (1 + fabs(low[j])));
    }
    free(low), free(sparse), free(noise), free(data);
    return sqrt(sum) / norm;
}

typedef struct {
    const crease_space *shape;
    crease_rpca_kind kind;
    double size;
    int mode;
    bool missing;
} trial;

static double error_of(const trial *t)
{
    crease_cp_instance *c = instance(t->shape, 40);
    const ptrdiff_t n = crease_size(t->shape);
    const double norm = crs_norm(n, c->lowrank);
    crease_rpca_settings s = crease_rpca_default(t->shape);
    double *T = doubles(n);
    s.kind = t->kind;
    if (s.kind == CREASE_RPCA_CP) s.rank = 2;
    s.ranks = *t->shape;
    for (int k = 0; k < s.ranks.order; k++) s.ranks.dim[k] = 2;
    s.center = t->mode < 0 ? CREASE_CENTER_ALL : 1u << t->mode;
    s.missing = t->missing;
    add(c, t->size, t->mode);
    for (ptrdiff_t j = 0; t->missing && j < n; j += 7) c->tensor[j] = NAN;
    copy(n, c->tensor, T);
    crease_rpca *r = crease_rpca_new(&s, NULL, c->tensor, NULL);
    assert_non_null(r);
    assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
    assert_non_null(crease_rpca_center(r, t->mode));
    assert_null(crease_rpca_center(r, t->mode < 0 ? 0 : -1));
    const double error = check(r, c, T, norm);
    crease_rpca_free(r);
    crease_cp_instance_free(c);
    free(T);
    return error;
}

static void no_constant_is_too_large(void **state)
{
    (void)state;
    for (int kind = CREASE_RPCA_CP; kind <= CREASE_RPCA_TUCKER; kind++)
        for (int order = 2; order <= 3; order++) {
            trial t = { order == 2 ? &matrix : &cube, (crease_rpca_kind)kind, 0, -1, false };
            const double alone = error_of(&t);
            assert_true(alone < 0.015);
            for (t.size = 10; t.size < 2e4; t.size *= 10) assert_true(error_of(&t) <= 2 * alone);
        }
}

static void constants_of_a_mode_are_found(void **state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++) {
        const trial t = { &cube, CREASE_RPCA_CP, 300, mode, false };
        assert_true(error_of(&t) < 0.01);
    }
    const trial t = { &matrix, CREASE_RPCA_TUCKER, 300, 1, false };
    assert_true(error_of(&t) < 0.015);
}

static void missing_entries_have_no_say(void **state)
{
    (void)state;
    for (int mode = -1; mode < 1; mode++) {
        const trial t = { &cube, CREASE_RPCA_CP, 1000, mode, true };
        assert_true(error_of(&t) < 0.01);
    }
}

/* A constant that was not removed is a term, and the facts say what would take its place. */
static void a_constant_term_is_pointed_out(void **state)
{
    (void)state;
    for (int mode = -1; mode < 3; mode++) {
        crease_cp_instance *c = instance(&cube, 41);
        crease_rpca_settings s = crease_rpca_default(&cube);
        s.rank = 3;
        add(c, 500, mode);
        crease_rpca *r = crease_rpca_new(&s, NULL, c->tensor, NULL);
        crease_rpca_run(r);
        const crease_rpca_facts *f = crease_rpca_about(r);
        assert_true(f->constant_in == (mode < 0 ? CREASE_CENTER_ALL : 1u << mode));
        assert_true(f->constant_to < 0.02);
        crease_rpca_free(r);
        crease_cp_instance_free(c);
    }
}

static void bad_centres_are_refused(void **state)
{
    (void)state;
    const struct {
        crease_rpca_kind kind;
        unsigned center;
        const char *word;
    } bad[] = { { CREASE_RPCA_CP, 1u << 5, "2 dimensions" },
                { CREASE_RPCA_CP, CREASE_CENTER_ALL | 1, "one of them" },
                { CREASE_RPCA_PCP, CREASE_CENTER_ALL, "pcp" } };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        crease_cp_instance *c = instance(&matrix, 2);
        crease_rpca_settings s = crease_rpca_default(&matrix);
        crease_error e = { CREASE_OK, "" };
        s.kind = bad[k].kind, s.center = bad[k].center;
        if (s.kind == CREASE_RPCA_CP) s.rank = 2;
        assert_null(crease_rpca_new(&s, NULL, c->tensor, &e));
        assert_non_null(strstr(e.text, bad[k].word));
        crease_cp_instance_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_constant_is_too_large),
        cmocka_unit_test(constants_of_a_mode_are_found),
        cmocka_unit_test(missing_entries_have_no_say),
        cmocka_unit_test(a_constant_term_is_pointed_out),
        cmocka_unit_test(bad_centres_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
