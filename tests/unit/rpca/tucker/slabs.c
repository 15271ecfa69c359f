/* SPDX-License-Identifier: MIT
 * slabs: a Tucker fit of several slabs is stationary by plain sums, and the same bits for any
 * number of threads, in memory, copied slab by slab and through a ring; a slab that cannot be had
 * ends the fit with its sentence; rows that are cut need the tensor in memory */
#include "io/stream/stream.h"
#include "support/slab_copies.h"
#include "support/tucker_planted.h"

typedef enum { MEMORY, COPIES, RING } place;

static bool load(void *self, const crs_slab *slab, double *out, crease_error *e)
{
    (void)e;
    copy(crease_size(&slab->shape), (const double *)self + slab->first, out);
    return true;
}

static crs_source *ring_of(crs_partition cut, double *t)
{
    const crs_ring_settings s = { .cut = cut,
                                  .count = cut.count,
                                  .bytes = 3 * sizeof(double) * (double)crs_slab_most(&cut),
                                  .load = load,
                                  .self = t };
    crease_error e;
    crs_source *ring = crs_ring_open(&s, &e);
    if (!ring) fail_msg("%s", e.text);
    return ring;
}

static crs_tucker_fit *fit_on(const crs_tucker_settings *c, crs_source *T)
{
    crease_error e = { CREASE_OK, "" };
    crs_tucker_fit *s = crs_tucker_fit_new_on(c, T, &e);
    if (!s) fail_msg("%s", e.text);
    bool done = false;
    for (int k = 0; k < 3000 && !done; k++) done = crs_tucker_fit_step(s);
    if (!done) fail_msg("residual %g", s->statistics.residual);
    return s;
}

typedef struct {
    double value, residual, found[MOST], sparse[MOST];
    long passes;
} answer;

static void keep(crs_tucker_fit *s, planted *p, answer *a)
{
    const int last = p->shape.order - 1;
    const double *const factor[] = { s->P, s->factor[last] };
    take(s, p);
    copy(crease_size(&p->shape), p->found, a->found);
    assert_true(crs_envelope_read(s->pass, p->ranks.dim[last], factor, &s->penalty, CRS_CP_E,
                                  a->sparse, NULL));
    a->value = s->statistics.value;
    a->residual = s->statistics.residual;
    a->passes = s->statistics.passes;
}

static void run(planted *p, crs_partition cut, const unsigned char *mask, place where, int threads,
                answer *a)
{
    crs_tucker_settings c = settings_of(p);
    crs_memory m;
    slab_copies copies = copies_of(cut, p->T, mask);
    crs_memory_open(&m, &p->shape, p->T, mask);
    m.source.cut = cut;
    m.source.count = cut.count;
    c.threads = threads;
    crs_source *ring = where == RING ? ring_of(cut, p->T) : NULL;
    crs_source *source = ring ? ring : where == COPIES ? &copies.source : &m.source;
    crs_tucker_fit *s = fit_on(&c, source);
    if (where == MEMORY && threads == 1) assert_stationary(s, p, mask);
    keep(s, p, a);
    crs_tucker_fit_free(s);
    if (ring) ring->ops->close(ring);
}

static void same_everywhere(planted *p, crs_partition cut, const unsigned char *mask)
{
    static answer first, other;
    const size_t bytes = (size_t)crease_size(&p->shape) * sizeof(double);
    assert_true(cut.count > 2);
    run(p, cut, mask, MEMORY, 1, &first);
    for (int where = MEMORY; where <= (mask ? COPIES : RING); where++)
        for (int threads = 1; threads <= 3; threads += 2) {
            run(p, cut, mask, (place)where, threads, &other);
            assert_memory_equal(first.found, other.found, bytes);
            assert_memory_equal(first.sparse, other.sparse, bytes);
            assert_true(first.value == other.value && first.residual == other.residual &&
                        first.passes == other.passes);
        }
    assert_true(error_of(p, first.found) < 0.01);
}

static void slabs_and_threads_change_no_bit(void **state)
{
    static const struct {
        crease_space shape, ranks;
        int mode;
        ptrdiff_t rows;
    } list[] = {
        { { .order = 3, .dim = { 14, 15, 16 } }, { .order = 3, .dim = { 2, 3, 4 } }, 0, 4 },
        { { .order = 3, .dim = { 14, 15, 16 } }, { .order = 3, .dim = { 2, 3, 4 } }, 1, 6 },
        { { .order = 4, .dim = { 7, 8, 9, 10 } }, { .order = 4, .dim = { 2, 1, 2, 2 } }, 2, 5 },
        { { .order = 2, .dim = { 80, 60 } }, { .order = 2, .dim = { 2, 2 } }, 0, 30 },
    };
    static planted p;
    static unsigned char mask[MOST];
    draws d = { { 5, 5 }, 0 };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        p.shape = list[k].shape;
        p.ranks = list[k].ranks;
        plant(&p, 1, 0.1, 0.01);
        same_everywhere(&p, cut_at(&p.shape, list[k].mode, list[k].rows), NULL);
    }
    for (ptrdiff_t j = 0; j < crease_size(&p.shape); j++) {
        mask[j] = uniform(&d, 0, 1) < 0.8;
        if (!mask[j]) p.T[j] = 0;
    }
    same_everywhere(&p, cut_at(&p.shape, 0, 30), mask);
}

/* A slab holds some rows of the matrix whose rows are those of all modes but the last. */
static void a_slab_of_merged_modes_is_where_it_was(void **state)
{
    const crease_space shape = { .order = 4, .dim = { 3, 4, 5, 6 } };
    const crease_space merged = crease_matrix(60, 6);
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        const crs_partition cut = cut_at(&shape, mode, 2);
        ptrdiff_t entries = 0;
        for (ptrdiff_t k = 0; k < cut.count; k++) {
            const crs_slab slab = crs_slab_at(&cut, k), m = crs_slab_merged(&slab, &merged);
            assert_int_equal(m.shape.order, 2);
            assert_int_equal(m.from[0] * 6 + m.from[1], slab.first);
            assert_int_equal(crease_size(&m.shape), crease_size(&slab.shape));
            assert_int_equal(m.shape.dim[1], mode == 3 ? 2 : 6);
            entries += crease_size(&m.shape);
        }
        assert_int_equal(entries, 360);
    }
}

typedef struct {
    slab_copies copies;
    long left; /* takes until it fails */
} failing;

static bool take_or_fail(crs_source *s, ptrdiff_t k, crs_slab *out, crease_error *e)
{
    failing *f = (failing *)s;
    if (f->left-- <= 0) return crs_fail(e, CREASE_BAD_DATA, "slab %td is gone; mend the disk", k);
    return copies_take(s, k, out, e);
}

static void a_slab_that_is_gone_ends_the_fit_with_its_sentence(void **state)
{
    static const crs_source_ops ops = { "failing", take_or_fail, copies_give, copies_close };
    static planted p;
    int ended = 0;
    (void)state;
    p.shape = (crease_space){ .order = 2, .dim = { 120, 24 } }; /* tall: its last steps, too */
    p.ranks = (crease_space){ .order = 2, .dim = { 2, 2 } };
    for (int slabs = 1; slabs <= 3; slabs += 2) {
        plant(&p, 1, 0.1, 0.01);
        const crs_tucker_settings c = settings_of(&p);
        bool whole = false;
        for (long takes = 0; !whole; takes += 1 + takes / 8) {
            failing f = { copies_of(cut_at(&p.shape, 0, 120 / slabs), p.T, NULL), takes };
            crease_error e = { CREASE_OK, "" };
            f.copies.source.ops = &ops;
            crs_tucker_fit *s = crs_tucker_fit_new_on(&c, &f.copies.source, &e);
            if (s) crs_tucker_fit_lead(s, 3000, false);
            whole = s && crs_tucker_fit_well(s, &e);
            if (s)
                assert_true(whole ? s->statistics.residual <= c.eps
                                  : isnan(s->statistics.residual));
            if (!whole) {
                ended++;
                assert_int_equal(e.code, CREASE_BAD_DATA);
                assert_non_null(strstr(e.text, "is gone; mend the disk"));
            }
            crs_tucker_fit_free(s);
        }
    }
    assert_true(ended > 20);
}

static void rows_that_are_cut_need_the_tensor_in_memory(void **state)
{
    static planted p;
    static answer a;
    crease_error e = { CREASE_OK, "" };
    (void)state;
    p.shape = (crease_space){ .order = 3, .dim = { 14, 15, 16 } };
    p.ranks = (crease_space){ .order = 3, .dim = { 2, 3, 4 } };
    plant(&p, 1, 0.1, 0.01);
    const crs_partition cut = cut_at(&p.shape, 2, 6);
    const crs_tucker_settings c = settings_of(&p);
    slab_copies copies = copies_of(cut, p.T, NULL);
    assert_null(crs_tucker_fit_new_on(&c, &copies.source, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    assert_non_null(strstr(e.text, "the last dimension has 16 entries"));
    run(&p, cut, NULL, MEMORY, 1, &a);
    assert_true(error_of(&p, a.found) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_and_threads_change_no_bit),
        cmocka_unit_test(a_slab_of_merged_modes_is_where_it_was),
        cmocka_unit_test(a_slab_that_is_gone_ends_the_fit_with_its_sentence),
        cmocka_unit_test(rows_that_are_cut_need_the_tensor_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
