/* SPDX-License-Identifier: MIT
 * rpca_tucker: the residuals of a Tucker model in plain sums from the definitions are within what
 * the checker says, and it says no more; nothing passes that is not finite; bad ranks are refused,
 * and a check without time has no verdict */
#include "support/cp_claim.h"

typedef struct {
    point p; /* its factors have ranks.dim[n] columns */
    crease_space ranks;
    double *core;
} tucker;

static const crease_space shapes[] = { { 2, { 13, 17 }, NULL },
                                       { 3, { 5, 1, 61 }, NULL },
                                       { 3, { 1, 1, 1 }, NULL },
                                       { 4, { 3, 4, 5, 6 }, NULL },
                                       { 3, { 9, 17, 40 }, NULL } };
static const crease_space ranks[] = { { 2, { 3, 2 }, NULL },
                                      { 3, { 2, 1, 3 }, NULL },
                                      { 3, { 1, 1, 1 }, NULL },
                                      { 4, { 2, 3, 1, 3 }, NULL },
                                      { 3, { 3, 2, 3 }, NULL } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* The index of entry k along mode n */
static ptrdiff_t index_of(const crease_space *s, ptrdiff_t k, int n)
{
    for (int m = s->order - 1; m > n; m--) k /= s->dim[m];
    return k % s->dim[n];
}

/* prod over m != skip of X_m at entry j and core place q */
static long double product_at(const tucker *t, ptrdiff_t j, ptrdiff_t q, int skip)
{
    long double product = 1;
    for (int m = 0; m < t->ranks.order; m++)
        if (m != skip)
            product *= t->p.x[m][index_of(&t->p.c.shape, j, m) * t->ranks.dim[m] +
                                 index_of(&t->ranks, q, m)];
    return product;
}

static long double tucker_at(const tucker *t, ptrdiff_t j)
{
    long double sum = 0;
    for (ptrdiff_t q = 0; q < crease_size(&t->ranks); q++)
        sum += t->core[q] * product_at(t, j, q, -1);
    return sum;
}

static void tucker_draw(tucker *t, draws *d, int k, double away)
{
    point *p = &t->p;
    point_draw(p, d, &shapes[k], shapes[k].order - 1, 0, away);
    t->ranks = ranks[k];
    t->core = filled(d, crease_size(&ranks[k]), 0);
    p->c.ridge = 0;
    for (ptrdiff_t j = 0; j < p->size; j++) {
        double *const *part = p->part;
        part[CREASE_RPCA_Z][j] = (double)tucker_at(t, j) + away * normal(d);
        if (part[CREASE_RPCA_SEEN][j] != 0)
            part[CREASE_RPCA_DATA][j] =
                part[CREASE_RPCA_Z][j] + part[CREASE_RPCA_SPARSE][j] + part[CREASE_RPCA_B][j];
    }
}

static void tucker_free(tucker *t)
{
    free(t->core);
    point_free(&t->p);
}

static bool judge(const tucker *t, double eps, crease_verification *v)
{
    tucker *own = (tucker *)(uintptr_t)t;
    own->p.c.user = &own->p;
    own->p.c.factor = own->p.factor;
    return crease_tucker_verify(&t->p.c, &t->ranks, t->core, eps, false, v, NULL);
}

/* |gradient| of X_n, or of the core */
static long double gradient(const tucker *t, int n)
{
    const point *p = &t->p;
    const bool core = n == t->ranks.order;
    const ptrdiff_t size = core ? crease_size(&t->ranks) : p->c.shape.dim[n] * t->ranks.dim[n];
    long double *sum = calloc((size_t)size, sizeof *sum), all = 0;
    for (ptrdiff_t j = 0; j < p->size; j++) {
        const long double off = 2 * (tucker_at(t, j) - p->part[CREASE_RPCA_Z][j]);
        for (ptrdiff_t q = 0; q < crease_size(&t->ranks); q++) {
            if (core)
                sum[q] += off * product_at(t, j, q, -1);
            else
                sum[index_of(&p->c.shape, j, n) * t->ranks.dim[n] + index_of(&t->ranks, q, n)] +=
                    off * t->core[q] * product_at(t, j, q, n);
        }
    }
    for (ptrdiff_t j = 0; j < size; j++) all += sum[j] * sum[j];
    free(sum);
    return sqrtl(all);
}

static long double misfit(const tucker *t)
{
    const point *p = &t->p;
    long double all = 0;
    for (ptrdiff_t j = 0; j < p->size; j++) {
        if (p->part[CREASE_RPCA_SEEN][j] == 0) continue;
        const long double z = p->part[CREASE_RPCA_Z][j];
        const long double lambda = 2 * p->c.alpha_noise * (long double)p->part[CREASE_RPCA_B][j];
        const long double off = 2 * (z - tucker_at(t, j)) - lambda;
        all += off * off;
    }
    for (ptrdiff_t j = 0; j < p->size; j++)
        if (p->part[CREASE_RPCA_SEEN][j] == 0)
            all += 4 * (p->part[CREASE_RPCA_Z][j] - tucker_at(t, j)) *
                   (p->part[CREASE_RPCA_Z][j] - tucker_at(t, j));
    return sqrtl(all);
}

static void definitions_agree(void **state)
{
    draws d = { { 2, 9 }, 0 };
    (void)state;
    for (int k = 0; k < 2 * SHAPES; k++) {
        tucker t;
        crease_verification v;
        const double away = k < SHAPES ? 1 : 1e-7;
        tucker_draw(&t, &d, k % SHAPES, away);
        const int order = t.ranks.order;
        assert_true(judge(&t, 1e-12, &v));
        assert_int_equal(v.count, order + 4);
        for (int i = 0; i <= order + 2; i++) {
            if (i == order + 1) continue; /* E, as of cp */
            const double want = (double)(i <= order ? gradient(&t, i) : misfit(&t));
            const double slack = 1e-9 * want + 1e-8; /* the rounding that the checker adds */
            if (!(v.residual[i] >= want * (1 - 1e-9) && v.residual[i] <= want + slack))
                fail_msg("shape %d, block %d: %.17g, not %.17g", k, i, v.residual[i], want);
        }
        assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
        crease_verification_free(&v);
        tucker_free(&t);
    }
}

static void nothing_passes_that_is_not_finite(void **state)
{
    draws d = { { 3, 9 }, 0 };
    tucker t;
    crease_verification v;
    (void)state;
    tucker_draw(&t, &d, 3, 0.1);
    double *const place[] = { &t.core[1], &t.p.x[0][2], &t.p.x[3][4], &t.p.part[CREASE_RPCA_Z][7] };
    for (size_t k = 0; k < sizeof place / sizeof *place; k++)
        for (int bad = 0; bad < 2; bad++) {
            const double was = *place[k];
            *place[k] = bad ? NAN : INFINITY;
            assert_true(judge(&t, 1e300, &v));
            assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
            crease_verification_free(&v);
            *place[k] = was;
        }
    assert_true(judge(&t, 1e300, &v));
    assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
    crease_verification_free(&v);
    tucker_free(&t);
}

static void bad_claims_are_refused(void **state)
{
    draws d = { { 4, 9 }, 0 };
    tucker t;
    crease_error e;
    crease_verification v;
    (void)state;
    tucker_draw(&t, &d, 0, 0.1);
    const crease_space wrong[] = { crease_matrix(14, 2), crease_matrix(0, 2), crease_vector(3) };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_false(crease_tucker_verify(&t.p.c, &wrong[k], t.core, 1, true, &v, &e));
        assert_int_equal(e.code, CREASE_BAD_SHAPE);
    }
    crease_cp_claim c = t.p.c;
    c.left = 1, c.right = t.p.size;
    assert_false(crease_tucker_verify(&c, &t.ranks, t.core, 1, true, &v, &e));
    assert_int_equal(e.code, CREASE_BAD_SHAPE);
    tucker_free(&t);
}

static void without_time_there_is_no_verdict(void **state)
{
    draws d = { { 5, 9 }, 0 };
    tucker t;
    crease_watch *w = crease_watch_new(NULL);
    crease_verification v;
    (void)state;
    tucker_draw(&t, &d, 0, 0.1);
    crease_watch_stop(w);
    t.p.c.watch = w;
    assert_true(judge(&t, 1, &v));
    assert_int_equal(v.verdict, CREASE_VERDICT_UNFINISHED);
    crease_verification_free(&v);
    crease_watch_free(w);
    tucker_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(definitions_agree),
                                        cmocka_unit_test(nothing_passes_that_is_not_finite),
                                        cmocka_unit_test(bad_claims_are_refused),
                                        cmocka_unit_test(without_time_there_is_no_verdict) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
