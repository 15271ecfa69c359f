/* SPDX-License-Identifier: MIT
 * stream: a tensor of a file as slabs, its hash, and its copy to another file: whatever allocation
 * fails, there is a sentence, and nothing is left behind */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/survive.h"

#include "io/stream/stream.h"

static char folder[32] = "/tmp/crease-fstr-XXXXXX", from[80], to[80];
static const crease_space small = { .order = 2, .dim = { 40, 30 } };
static bool rings;

/* Entries of small slabs, by index. */
static bool load(void *self, const crs_slab *s, double *out, crease_error *e)
{
    (void)self, (void)e;
    for (ptrdiff_t j = 0; j < crease_size(&s->shape); j++) out[j] = (double)(s->first + j);
    return true;
}

static crs_source *open_source(crease_error *e)
{
    const crs_ring_settings ring = { .cut = { small, 0, 5, 8, 8 },
                                     .count = 8,
                                     .bytes = 4 * 9 * 150,
                                     .missing = true,
                                     .load = load };
    const crs_stream_settings file = { .bytes = INFINITY, .missing = true };
    return rings ? crs_ring_open(&ring, e) : crs_stream_open(from, &file, e);
}

static bool look(crease_error *e)
{
    char hash[CRS_HASH];
    crs_source *s = open_source(e);
    if (!s) return false;
    const bool done = crs_source_hash(s, 2, NULL, hash, e);
    s->ops->close(s);
    return done;
}

static bool fill_in(void *self, crs_sink *sink, crease_error *e)
{
    return crs_sink_copy(sink, self, (const int[]){ 1, 0 }, e);
}

static bool transpose(crease_error *e)
{
    const crease_space turned = crease_matrix(30, 40);
    const crs_item item = { .name = "T", .shape = &turned };
    crs_source *s = open_source(e);
    if (!s) return false;
    const bool done = crs_sink_write(to, crs_format_of(to), &item, fill_in, s, e);
    s->ops->close(s);
    return done;
}

static void streams_survive_any_allocation_that_fails(void **state)
{
    (void)state;
    double x[1200];
    for (int j = 0; j < 1200; j++) x[j] = j;
    assert_non_null(mkdtemp(folder));
    snprintf(from, sizeof from, "%s/a.npy", folder);
    snprintf(to, sizeof to, "%s/b.npy", folder);
    assert_true(crs_write_npy(from, &(crs_npy){ &small, x, NULL }, NULL, NULL));
    for (int k = 0; k < 2; k++) {
        rings = k == 1;
        survives(look, 3);
        survives(transpose, 3);
    }
    unlink(from);
    unlink(to);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_survive_any_allocation_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
