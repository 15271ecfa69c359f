/* SPDX-License-Identifier: MIT
 * compress: of a tensor in slabs as of one in one piece: the same subspaces, a core that reproduces
 * a tensor of low rank; nothing depends on threads, nor on where the slabs are */
#include <stdlib.h>

#include "support/gevd_case.h"
#include "support/slab_copies.h"

typedef struct {
    int order;
    ptrdiff_t dim[CREASE_MAX_ORDER];
    ptrdiff_t rank;
    int mode;       /* that slabs cut */
    ptrdiff_t rows; /* of it in a slab */
} tensor_case;

static const tensor_case cases[] = {
    { 3, { 20, 30, 25 }, 3, 0, 3 },
    { 3, { 12, 90, 85 }, 3, 0, 5 }, /* long modes: two readings */
    { 3, { 6, 40, 35 }, 4, 1, 7 },  /* cut within an index of the first mode */
    { 3, { 4, 5, 60 }, 3, 2, 9 },   /* and of the second */
    { 2, { 40, 70 }, 3, 0, 9 },
    { 2, { 5, 70 }, 3, 1, 20 },
    { 4, { 9, 8, 7, 10 }, 2, 0, 2 },
    { 4, { 9, 8, 7, 10 }, 3, 1, 3 },
    { 5, { 6, 5, 4, 5, 6 }, 2, 1, 2 },
    { 8, { 3, 4, 3, 2, 3, 4, 2, 3 }, 2, 2, 2 },
};
enum { CASES = sizeof cases / sizeof cases[0] };

static double *expand(const crs_cp_core *c, const crease_space *shape)
{
    crs_mode_map a[CREASE_MAX_ORDER];
    for (int n = 0; n < shape->order; n++)
        a[n] = (crs_mode_map){ c->basis[n], shape->dim[n], false };
    double *out = doubles(crease_size(shape));
    double *work = doubles(crs_multi_ttm_scratch(&c->shape, a) + 1);
    crs_multi_ttm(&c->shape, a, 1, c->values, 0, out, work);
    free(work);
    return out;
}

static crs_cp_core core_of(crs_source *source, const start *c, int threads, bool to_cut)
{
    const crs_cp_view v = {
        .shape = c->s, .source = source, .limit = INFINITY, .threads = threads
    };
    crs_cp_core core;
    crease_error e = { CREASE_OK, "" };
    if (!crs_cp_compress(&v, c->rank, to_cut, 5, &core, &e)) fail_msg("%s", e.text);
    return core;
}

/* |U U' - V V'| at its largest entry */
static double apart(ptrdiff_t rows, ptrdiff_t columns, const double *u, const double *v)
{
    double most = 0;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < rows; j++) {
            double sum = 0;
            for (ptrdiff_t k = 0; k < columns; k++)
                sum += u[i * columns + k] * u[j * columns + k] -
                       v[i * columns + k] * v[j * columns + k];
            most = larger(most, fabs(sum));
        }
    return most;
}

static void slabs_have_the_subspaces_of_the_whole(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        const tensor_case *q = &cases[k];
        start c = make(q->dim, q->order, q->rank, q->rank, 0, (uint64_t)k + 1);
        crs_memory whole;
        crs_memory_open(&whole, &c.s, c.t, NULL);
        slab_copies slabs = copies_of(cut_at(&c.s, q->mode, q->rows), c.t, NULL);
        crs_cp_core one = core_of(&whole.source, &c, 1, false);
        crs_cp_core many = core_of(&slabs.source, &c, 1, false);
        double *back = expand(&many, &c.s);
        assert_true(crease_relative_error(crease_size(&c.s), back, c.t) < 1e-12);
        for (int n = 0; n < q->order; n++) {
            const ptrdiff_t columns = fewer(q->dim[n], q->rank);
            assert_int_equal(many.shape.dim[n], columns);
            assert_true(apart(q->dim[n], columns, one.basis[n], many.basis[n]) < 1e-8);
        }
        free(back);
        free_core(&one);
        free_core(&many);
        discard(&c);
    }
}

/* Rows of the first mode that are too many to be kept */
static void a_long_first_mode_is_compressed_too(void **state)
{
    (void)state;
    start c = make((const ptrdiff_t[]){ 90000, 7, 7 }, 3, 7, 7, 0, 3);
    slab_copies slabs = copies_of(cut_at(&c.s, 0, 20000), c.t, NULL);
    crs_cp_core core = core_of(&slabs.source, &c, 1, false);
    double *back = expand(&core, &c.s);
    assert_true(crease_relative_error(crease_size(&c.s), back, c.t) < 1e-12);
    free(back);
    free_core(&core);
    discard(&c);
}

static void slabs_find_where_the_spectra_end(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const tensor_case *q = &cases[k];
        start c = make(q->dim, q->order, q->rank, q->rank + 2, 1e-3, (uint64_t)k + 20);
        slab_copies slabs = copies_of(cut_at(&c.s, q->mode, q->rows), c.t, NULL);
        crs_cp_core core = core_of(&slabs.source, &c, 1, true);
        double *back = expand(&core, &c.s);
        assert_int_equal(core.rank, q->rank);
        assert_true(crease_relative_error(crease_size(&c.s), back, c.low) < 1e-2);
        free(back);
        free_core(&core);
        discard(&c);
    }
}

static void assert_same_core(const crease_space *shape, const crs_cp_core *a, const crs_cp_core *b)
{
    assert_memory_equal(a->values, b->values, (size_t)crease_size(&a->shape) * sizeof(double));
    for (int n = 0; n < shape->order; n++)
        assert_memory_equal(a->basis[n], b->basis[n],
                            (size_t)(shape->dim[n] * a->shape.dim[n]) * sizeof(double));
}

static void threads_and_sources_give_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        const tensor_case *q = &cases[k];
        start c = make(q->dim, q->order, q->rank, q->rank, 0.1, (uint64_t)k + 40);
        crs_memory memory;
        crs_memory_open(&memory, &c.s, c.t, NULL);
        slab_copies slabs = copies_of(cut_at(&c.s, q->mode, q->rows), c.t, NULL);
        memory.source.cut = slabs.source.cut;
        memory.source.count = slabs.source.count;
        crs_cp_core first = core_of(&memory.source, &c, 1, false);
        for (int threads = 1; threads < 4; threads++) {
            crs_cp_core core = core_of(&slabs.source, &c, threads, false);
            assert_same_core(&c.s, &first, &core);
            free_core(&core);
        }
        free_core(&first);
        discard(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_have_the_subspaces_of_the_whole),
        cmocka_unit_test(a_long_first_mode_is_compressed_too),
        cmocka_unit_test(slabs_find_where_the_spectra_end),
        cmocka_unit_test(threads_and_sources_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
