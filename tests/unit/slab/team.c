/* SPDX-License-Identifier: MIT
 * team: looks over ranks, here threads of one process, have the bits of one process for any number
 * of ranks; what fails on one of them ends the look on all, with its sentence at rank 0 */
#include <stdlib.h>

#include "support/teams.h"

static void totals_are_those_of_one_process(void **state)
{
    (void)state;
    for (int k = 0; k < TEAM_SHAPES; k++) {
        team_result one, found;
        team_case c = { .shape = team_shapes[k], .fails = -1 };
        look_alone(&c, &one);
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            look_on_threads(&c, ranks, &found);
            assert_true(found.done);
            assert_memory_equal(found.sum, one.sum, sizeof one.sum);
            assert_memory_equal(found.count, one.count, sizeof one.count);
            assert_memory_equal(&found.facts.squares, &one.facts.squares, sizeof(double));
            assert_true(found.facts.largest == one.facts.largest && found.facts.bad == -1);
            assert_int_equal(found.facts.nonzero, one.facts.nonzero);
        }
    }
}

static void nan_of_one_rank_is_that_of_all(void **state)
{
    team_result one, found;
    team_case c = { .shape = team_shapes[0], .fails = -1, .spoils = true };
    (void)state;
    look_alone(&c, &one);
    look_on_threads(&c, 3, &found);
    assert_true(found.done && isnan(one.sum[0]) && isnan(found.sum[0]));
}

static void the_least_slab_that_fails_speaks_for_all(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++)
        for (ptrdiff_t fails = 0; fails < 3; fails++) {
            team_result found;
            team_case c = { .shape = team_shapes[0], .fails = fails };
            char text[20];
            look_on_threads(&c, ranks, &found);
            snprintf(text, sizeof text, "slab %td", fails);
            assert_false(found.done);
            assert_string_equal(found.e.text, text);
            assert_true(found.again); /* and the team goes on */
        }
}

static void what_cannot_be_opened_on_a_rank_is_told(void **state)
{
    team_result found;
    team_case c = { .shape = team_shapes[0], .fails = -1, .closed = 2 };
    (void)state;
    look_on_threads(&c, 3, &found);
    assert_false(found.done);
    assert_string_equal(found.e.text, "rank 2 is closed");
    assert_true(found.again);
}

static void jobs_that_nobody_knows_or_cannot_be_sent_are_refused(void **state)
{
    team_result found;
    team_case c = { .shape = team_shapes[0], .fails = -1, .unknown = true };
    (void)state;
    look_on_threads(&c, 2, &found);
    assert_false(found.done);
    assert_non_null(strstr(found.e.text, "no job"));
    c.unknown = false, c.unsent = true;
    look_on_threads(&c, 2, &found);
    assert_false(found.done);
    assert_non_null(strstr(found.e.text, "not for several processes"));
}

static void a_rank_without_the_file_or_with_another_is_told(void **state)
{
    team_result found;
    team_case c = { .shape = team_shapes[0], .fails = -1, .blind = 1 };
    (void)state;
    look_on_threads(&c, 3, &found);
    assert_false(found.done);
    assert_string_equal(found.e.text, "rank 1 sees no file");
    assert_true(found.again);
    c.blind = 0, c.other = 2;
    look_on_threads(&c, 3, &found);
    assert_false(found.done);
    assert_non_null(strstr(found.e.text, "rank 2 sees a tensor of another shape"));
    assert_true(found.again);
}

typedef struct {
    int a;
    double number[3];
    ptrdiff_t count;
    const char *bytes;
    const double *array, *none;
} parcel;

static void visit_parcel(crs_visitor *v, void *self)
{
    parcel *p = self;
    crs_visit(v, p->a);
    crs_visits(v, p->number, 3);
    crs_visit(v, p->count);
    crs_visit_array(v, p->bytes, p->count);
    crs_visit_array(v, p->array, p->count);
    crs_visit_array(v, p->none, p->count);
}

static void visit_other(crs_visitor *v, void *self)
{
    parcel *p = self;
    crs_visit(v, p->a);
    crs_visit(v, p->count);
}

static void what_is_packed_comes_out_again(void **state)
{
    const double array[] = { 1, NAN, -0.0, 4, 5 };
    parcel in = { 3, { 1, 2, INFINITY }, 5, "abcd", array, NULL }, out = { .none = array };
    size_t count;
    (void)state;
    char *bytes = crs_pack(visit_parcel, &in, &count);
    assert_true(bytes && crs_unpack(visit_parcel, &out, bytes, count));
    assert_true(out.a == 3 && out.count == 5 && !out.none);
    assert_memory_equal(out.number, in.number, sizeof in.number);
    assert_memory_equal(out.bytes, "abcd", 5);
    assert_memory_equal(out.array, array, sizeof array);
    assert_int_equal((uintptr_t)out.array % sizeof(double), 0);
    assert_false(crs_unpack(visit_other, &out, bytes, count));
    for (size_t k = 0; k < count; k++) assert_false(crs_unpack(visit_parcel, &out, bytes, k));
    crs_free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_are_those_of_one_process),
        cmocka_unit_test(nan_of_one_rank_is_that_of_all),
        cmocka_unit_test(the_least_slab_that_fails_speaks_for_all),
        cmocka_unit_test(what_cannot_be_opened_on_a_rank_is_told),
        cmocka_unit_test(jobs_that_nobody_knows_or_cannot_be_sent_are_refused),
        cmocka_unit_test(a_rank_without_the_file_or_with_another_is_told),
        cmocka_unit_test(what_is_packed_comes_out_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
