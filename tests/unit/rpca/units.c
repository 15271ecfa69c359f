/* SPDX-License-Identifier: MIT
 * units: robust PCA of data times a power of two hands out its answer times the power of each part;
 * what cannot be carried over, and data that no double can square, are refused */
#include <float.h>

#include <crease/rpca.h>

#include "core/core.h"
#include "support/test.h"

enum { ORDER = 3, SIZE = 6 * 5 * 4 };

typedef struct {
    crease_rpca_settings s;
    crease_options o;
    double tensor[SIZE];
    crease_rpca *fit;
} run;

/* A rank-one tensor with outliers, noise and, for some, missing entries, times 2^power. */
static void open_run(crease_rpca_kind kind, int power, bool missing, run *r)
{
    const bool matrix = kind == CREASE_RPCA_BALL || kind == CREASE_RPCA_PCP;
    const crease_space shape =
        matrix ? crease_matrix(12, 10) : (crease_space){ .order = ORDER, .dim = { 6, 5, 4 } };
    draws d = { { 21, 1 }, 0 };
    *r = (run){ .s = crease_rpca_default(&shape), .o = crease_rpca_options() };
    r->s.kind = kind;
    r->s.missing = missing;
    r->s.threads = 1;
    r->o.eps = kind == CREASE_RPCA_PCP ? 1e-6 : 1e-8;
    if (kind == CREASE_RPCA_CP) r->s.rank = 1;
    if (kind == CREASE_RPCA_TUCKER) r->s.ranks = (crease_space){ .order = 3, .dim = { 1, 1, 1 } };
    if (kind == CREASE_RPCA_BALL) r->s.ranks = crease_matrix(1, 1);
    for (int j = 0; j < SIZE; j++) {
        const double term = (1 + j / 20) * (j / 4 % 5 - 1.5) * (j % 4 - 2.5) / 4;
        r->tensor[j] = term + 0.01 * normal(&d) + (j % 17 == 3 ? 9 : 0);
        if (missing && j % 13 == 5) r->tensor[j] = NAN;
        r->tensor[j] = ldexp(r->tensor[j], power);
    }
}

static void solve_run(run *r)
{
    crease_error e;
    r->fit = crease_rpca_new(&r->s, &r->o, r->tensor, &e);
    if (!r->fit) fail_msg("%s", e.text);
    crease_rpca_run(r->fit);
    assert_int_equal(crease_rpca_report(r->fit)->outcome, CREASE_STATIONARY);
}

static void part(const run *r, crease_rpca_part which, double *out)
{
    ptrdiff_t left, right;
    crease_rpca_rows(r->fit, &left, &right);
    crease_rpca_read(r->fit, which, 0, left, out);
}

/* b = 2^power a: exactly in theory, but for eps where an engine's constants are not powers of two
 */
static double tolerance = 1e-6;

static void carried(const char *what, ptrdiff_t n, int power, const double *a, const double *b)
{
    double size = 0;
    for (ptrdiff_t j = 0; j < n; j++) size = larger(size, fabs(a[j]));
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(fabs(ldexp(b[j], -power) - a[j]) <= tolerance * size))
            fail_msg("%s: entry %td is %.17g times 2^%d, not %.17g", what, j, ldexp(b[j], -power),
                     power, a[j]);
}

static void carried_number(const char *what, int power, double a, double b)
{
    if (isnan(a) && isnan(b)) return;
    carried(what, 1, power, &a, &b);
}

static void same_parts(const run *a, const run *b, int power)
{
    static const char *const name[] = { "lowrank", "sparse", "z", "b", "data", "seen", "noise" };
    double one[SIZE], two[SIZE], low[SIZE], sparse[SIZE], noise[SIZE];
    for (int k = CREASE_RPCA_LOWRANK; k <= CREASE_RPCA_NOISE; k++) {
        if (k == CREASE_RPCA_NOISE && a->s.kind == CREASE_RPCA_PCP) continue; /* 0 but for eps */
        part(a, (crease_rpca_part)k, one);
        part(b, (crease_rpca_part)k, two);
        carried(name[k], SIZE, k == CREASE_RPCA_SEEN ? 0 : power, one, two);
    }
    part(b, CREASE_RPCA_LOWRANK, low);
    part(b, CREASE_RPCA_SPARSE, sparse);
    part(b, CREASE_RPCA_NOISE, noise);
    part(b, CREASE_RPCA_SEEN, one);
    for (int j = 0; j < SIZE; j++) {
        const double off = b->tensor[j] - low[j] - sparse[j] - noise[j];
        assert_true(one[j] == 0 || fabs(off) <= 4 * DBL_EPSILON * (fabs(low[j]) + fabs(sparse[j])));
        assert_false(isnan(b->tensor[j]) && b->s.kind == CREASE_RPCA_CP);
    }
}

static void same_facts(const run *a, const run *b, int power)
{
    const int value = a->s.kind == CREASE_RPCA_PCP ? power : 2 * power;
    const crease_rpca_facts *f = crease_rpca_about(a->fit), *g = crease_rpca_about(b->fit);
    const crease_rpca_settings *s = crease_rpca_used(a->fit), *t = crease_rpca_used(b->fit);
    carried_number("threshold", power, f->threshold, g->threshold);
    carried_number("deviation", power, f->deviation, g->deviation);
    carried_number("learned deviation", power, f->learned_deviation, g->learned_deviation);
    carried_number("objective", value, crease_rpca_certificate(a->fit)->objective,
                   crease_rpca_certificate(b->fit)->objective);
    carried_number("progress", value, crease_rpca_progress(a->fit)->objective,
                   crease_rpca_progress(b->fit)->objective);
    carried_number("eta", power, s->eta, t->eta);
    carried_number("alpha", 0, s->alpha, t->alpha);
    if (a->s.kind != CREASE_RPCA_PCP)
        carried_number("lambda", power, s->penalty.par[0], t->penalty.par[0]);
    assert_int_equal(f->outliers, g->outliers);
}

static bool read_row(void *user, crease_rpca_part which, ptrdiff_t row, double *out)
{
    crease_rpca_read(user, which, row, 1, out);
    return true;
}

static void valid_factors(const run *r)
{
    const crease_rpca_settings *used = crease_rpca_used(r->fit);
    const double *factor[ORDER];
    crease_verification v;
    for (int n = 0; n < ORDER; n++) factor[n] = crease_rpca_factor(r->fit, n);
    crease_cp_claim c = { .shape = used->shape,
                          .penalty = used->penalty,
                          .alpha = used->alpha,
                          .alpha_noise = used->alpha_noise,
                          .factor = factor,
                          .read = read_row,
                          .user = r->fit };
    crease_rpca_rows(r->fit, &c.left, &c.right);
    assert_true(
        crease_tucker_verify(&c, &used->ranks, crease_rpca_core(r->fit), r->o.eps, true, &v, NULL));
    if (v.verdict != CREASE_VERDICT_VALID) fail_msg("%s", v.text);
    crease_verification_free(&v);
}

/* The answer is one in the user's unit, by the independent checker. */
static void valid(const run *r)
{
    const crease_problem *p = crease_rpca_problem(r->fit);
    const double *x[CREASE_MAX_ORDER + 4];
    crease_verification v;
    if (r->s.kind == CREASE_RPCA_TUCKER) valid_factors(r);
    if (!p) return;
    for (int i = 0; i < p->count; i++) x[i] = crease_rpca_block(r->fit, i);
    assert_true(
        crease_verify(p, x, crease_rpca_multiplier(r->fit), NULL, false, r->o.eps, true, &v, NULL));
    if (v.verdict != CREASE_VERDICT_VALID) fail_msg("%s", v.text);
    crease_verification_free(&v);
}

static void answers_have_the_unit_of_the_data(void **state)
{
    static const int powers[] = { -474, -300, -36, 12, 36, 180, 468 };
    (void)state;
    for (int kind = CREASE_RPCA_CP; kind <= CREASE_RPCA_PCP; kind++)
        for (int missing = 0; missing <= (kind <= CREASE_RPCA_TUCKER); missing++) {
            run a, b;
            tolerance = kind <= CREASE_RPCA_TUCKER ? 1e-9 : kind == CREASE_RPCA_BALL ? 1e-6 : 1e-4;
            open_run((crease_rpca_kind)kind, 0, missing, &a);
            solve_run(&a);
            const size_t step = kind == CREASE_RPCA_PCP ? 6 : 1; /* it takes its time */
            for (size_t k = 0; k < sizeof powers / sizeof *powers; k += step) {
                open_run((crease_rpca_kind)kind, powers[k], missing, &b);
                solve_run(&b);
                same_parts(&a, &b, powers[k]);
                same_facts(&a, &b, powers[k]);
                valid(&b);
                crease_rpca_free(b.fit);
            }
            crease_rpca_free(a.fit);
        }
}

static void refused(run *r, crease_code code, const char *text)
{
    crease_error e = { 0 };
    r->fit = crease_rpca_new(&r->s, &r->o, r->tensor, &e);
    assert_null(r->fit);
    assert_int_equal(e.code, code);
    if (!strstr(e.text, text)) fail_msg("'%s' lacks '%s'", e.text, text);
}

static void what_has_no_other_unit_is_refused(void **state)
{
    run r;
    (void)state;
    open_run(CREASE_RPCA_CP, 600, false, &r);
    refused(&r, CREASE_BAD_DATA, "too large: a double cannot hold its square; divide the data by");
    open_run(CREASE_RPCA_TUCKER, -600, false, &r);
    refused(&r, CREASE_BAD_DATA, "too small: a double cannot hold its square; multiply the data");
    open_run(CREASE_RPCA_CP, 200, false, &r);
    r.o.relative = 0;
    refused(&r, CREASE_UNSUPPORTED, "an eps that is not relative");
    open_run(CREASE_RPCA_CP, -200, false, &r);
    r.o.mode = CREASE_MODE_PAPER;
    refused(&r, CREASE_UNSUPPORTED, "paper mode");
    open_run(CREASE_RPCA_CP, 0, false, &r);
    r.tensor[7] = 1e80;
    refused(&r, CREASE_BAD_DATA, "entry 8 (at 1,2,4) of the tensor is 1e+80 and half of the data");
}

/* What is 1e-300 beside 1 is as good as 0. */
static void tiny_entries_beside_others_are_zeros(void **state)
{
    run a, b;
    double one[SIZE], two[SIZE];
    (void)state;
    open_run(CREASE_RPCA_CP, 0, false, &a);
    open_run(CREASE_RPCA_CP, 300, false, &b);
    for (int j = 0; j < SIZE; j += 6) a.tensor[j] = 0, b.tensor[j] = 1e-300;
    solve_run(&a);
    solve_run(&b);
    part(&a, CREASE_RPCA_LOWRANK, one);
    part(&b, CREASE_RPCA_LOWRANK, two);
    carried("lowrank", SIZE, 300, one, two);
    part(&b, CREASE_RPCA_DATA, two);
    assert_memory_equal(two, b.tensor, sizeof two);
    crease_rpca_free(a.fit);
    crease_rpca_free(b.fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_have_the_unit_of_the_data),
        cmocka_unit_test(what_has_no_other_unit_is_refused),
        cmocka_unit_test(tiny_entries_beside_others_are_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
