/* SPDX-License-Identifier: MIT
 * cp_share: a check whose rows are shared by ranks, here threads of one process, has the bits of
 * one process, and its numbers are those of a check in one stretch to rounding; what fails on one
 * rank ends the check on all */
#include "support/cp_claim.h"
#include "support/ranks.h"

enum { STRETCHES = 7 };

typedef struct {
    const point *p;
    const crease_space *ranks; /* of a Tucker model; NULL: CP */
    const double *core;
    double eps;
    int fails; /* the rank that cannot read its last row; -1: none */
    bool done[MOST_RANKS];
    crease_error e[MOST_RANKS];
    crease_verification v[MOST_RANKS];
} shared;

/* What a rank reads with: the point is that of all. */
typedef struct {
    const shared *s;
    int rank;
    ptrdiff_t last; /* row that was asked for */
    bool ordered;
} reader;

static bool read_row(void *user, crease_rpca_part part, ptrdiff_t row, double *out)
{
    reader *r = user;
    const point *p = r->s->p;
    r->ordered = r->ordered && (row == r->last || row == r->last + 1 || row < r->last);
    r->last = row;
    if (r->rank == r->s->fails && part == CREASE_RPCA_B && row % 5 == 4) return false;
    memcpy(out, p->part[part] + row * p->c.right, (size_t)p->c.right * sizeof *out);
    return true;
}

static void tell(void *self, void *v, ptrdiff_t n) { meet(self, RANKS_TELL, v, n); }
static void count(void *self, int64_t *v, ptrdiff_t n) { meet(self, RANKS_COUNT, v, n); }

static bool agree(void *self, bool well, crease_error *e)
{
    int64_t failed = !well;
    (void)e;
    meet(self, RANKS_MOST, &failed, 1);
    return failed == 0;
}

static bool judge(shared *s, const crease_checkers *with, int rank, ptrdiff_t stretches)
{
    reader r = { s, rank, -1, true };
    crease_cp_claim c = s->p->c;
    c.threads = 1;
    c.read = read_row, c.user = &r, c.with = with;
    crs_cp_check k = { .c = &c, .stretches = stretches };
    s->e[rank] = (crease_error){ CREASE_OK, "" };
    const bool done = s->ranks ? crease_tucker_verify(&c, s->ranks, s->core, s->eps, true,
                                                      &s->v[rank], &s->e[rank])
                               : crs_cp_judge(&k, s->eps, true, &s->v[rank], &s->e[rank]);
    assert_true(rank > 0 || r.ordered);
    return done;
}

static void run(int rank, int ranks, const crease_comm *comm, void *user)
{
    shared *s = user;
    const crease_checkers with = { rank, ranks, (void *)(uintptr_t)comm->self, tell, count, agree };
    s->done[rank] = judge(s, &with, rank, STRETCHES);
}

static void same(const crease_verification *a, const crease_verification *b)
{
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(&a->smallest_eps, &b->smallest_eps, sizeof(double));
    assert_memory_equal(&a->feasibility, &b->feasibility, sizeof(double));
    assert_memory_equal(a->residual, b->residual, (size_t)a->count * sizeof(double));
    assert_string_equal(a->text, b->text);
}

static void compare(shared *s, const crease_verification *one)
{
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        assert_true(on_ranks(ranks, run, s, NULL));
        for (int k = 0; k < ranks; k++) {
            assert_true(s->done[k]);
            assert_true(k == 0 || s->v[k].verdict == CREASE_VERDICT_UNFINISHED);
        }
        same(one, &s->v[0]);
        for (int k = 0; k < ranks; k++) crease_verification_free(&s->v[k]);
    }
}

/* Rows over one mode and over several, columns of one and of several; decided in double, and by
 * the second pass. */
static const crease_space shapes[] = { { 3, { 37, 5, 6 }, NULL },
                                       { 4, { 3, 13, 5, 4 }, NULL },
                                       { 2, { 40, 30 }, NULL },
                                       { 3, { 2, 3, 70 }, NULL } }; /* fewer rows than stretches */
static const int splits[] = { 1, 2, 1, 2 };

static void ranks_have_the_bits_of_one_process(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int closest = 0; closest < 2; closest++) {
            draws d = { { 11, (uint64_t)k }, 0 };
            point p;
            point_draw(&p, &d, &shapes[k], splits[k], 0, closest ? 1e-13 : 0.1);
            shared s = { .p = &p, .fails = -1, .eps = closest ? 1e-17 : 1e-6 };
            assert_true(judge(&s, NULL, 0, STRETCHES));
            crease_verification one = s.v[0];
            compare(&s, &one);
            crease_verification_free(&one);
            point_free(&p);
        }
}

static void stretches_change_no_more_than_rounding(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        draws d = { { 12, (uint64_t)k }, 0 };
        point p;
        point_draw(&p, &d, &shapes[k], splits[k], 0, 0.1);
        shared s = { .p = &p, .fails = -1, .eps = 1e-6 };
        assert_true(judge(&s, NULL, 0, 1));
        crease_verification one = s.v[0];
        for (ptrdiff_t stretches = 2; stretches < 12; stretches++) {
            assert_true(judge(&s, NULL, 0, stretches));
            for (int i = 0; i < one.count; i++)
                assert_true(fabs(one.residual[i] - s.v[0].residual[i]) <= 1e-13 * one.residual[i]);
            crease_verification_free(&s.v[0]);
        }
        crease_verification_free(&one);
        point_free(&p);
    }
}

static void a_rank_that_cannot_read_ends_the_check_on_all(void **state)
{
    draws d = { { 13, 1 }, 0 };
    point p;
    (void)state;
    point_draw(&p, &d, &shapes[0], 1, 0, 0.1);
    for (int fails = 0; fails < 3; fails++) {
        shared s = { .p = &p, .fails = fails, .eps = 1e-6 };
        assert_true(on_ranks(3, run, &s, NULL));
        for (int k = 0; k < 3; k++) assert_false(s.done[k]);
        assert_non_null(strstr(s.e[fails].text, "of the result cannot be read"));
    }
    point_free(&p);
}

/* Of a Tucker model the rows are those of its front. */
static void tucker_models_too(void **state)
{
    const crease_space s3 = { 3, { 6, 5, 9 }, NULL }, ranks = { 3, { 3, 3, 3 }, NULL };
    draws d = { { 14, 1 }, 0 };
    point p;
    (void)state;
    point_draw(&p, &d, &s3, 2, 0, 0.1);
    double *core = filled(&d, 27, 0);
    shared s = { .p = &p, .fails = -1, .eps = 1e-6, .ranks = &ranks, .core = core };
    assert_true(judge(&s, NULL, 0, 1));
    crease_verification one = s.v[0];
    compare(&s, &one);
    crease_verification_free(&one);
    free(core);
    point_free(&p);
}

static void stretches_follow_from_the_shape(void **state)
{
    crease_cp_claim c = { .left = 100, .right = 100 };
    (void)state;
    assert_int_equal(crs_cp_stretches(&c), 1);
    c.left = 220, c.right = 40000;
    assert_int_equal(crs_cp_stretches(&c), 8);
    c.left = 17, c.right = (ptrdiff_t)1 << 30;
    assert_int_equal(crs_cp_stretches(&c), 1);
    c.left = (ptrdiff_t)1 << 40, c.right = 100;
    assert_int_equal(crs_cp_stretches(&c), 512);
    for (ptrdiff_t stretches = 1; stretches < 9; stretches++) {
        crs_cp_check k = { .c = &c, .stretches = stretches };
        assert_int_equal(crs_cp_stretch(&k, 0), 0);
        assert_int_equal(crs_cp_stretch(&k, stretches), c.left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_have_the_bits_of_one_process),
        cmocka_unit_test(stretches_change_no_more_than_rounding),
        cmocka_unit_test(a_rank_that_cannot_read_ends_the_check_on_all),
        cmocka_unit_test(tucker_models_too),
        cmocka_unit_test(stretches_follow_from_the_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
