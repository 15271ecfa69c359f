/* SPDX-License-Identifier: MIT
 * view: the median of |T - M| is that of all entries, or nearly that where a sample is taken,
 * whatever the dimensions and the mask; sums over slabs are those of their definitions */
#include <stdlib.h>

#include "rpca/rank/rank.h"
#include "support/slab_copies.h"

static double *numbers(ptrdiff_t size)
{
    double *x = malloc((size_t)size * sizeof(double));
    for (ptrdiff_t j = 0; j < size; j++)
        x[j] = crease_random_normal((crease_random){ 3, 1 }, (uint64_t)j);
    return x;
}

static double median_of(const crs_cp_view *v)
{
    double median = NAN;
    assert_true(crs_view_median(v, &median, NULL));
    return median;
}

static void median_of_few_entries_is_exact(void **state)
{
    (void)state;
    for (ptrdiff_t size = 1; size < 40; size++) {
        double *t = numbers(size), *sorted = numbers(size);
        const crease_space shape = crease_vector(size);
        crs_memory data;
        const crs_cp_view v = { .shape = shape, .source = &data.source, .limit = INFINITY };
        crs_memory_open(&data, &shape, t, NULL);
        for (ptrdiff_t j = 0; j < size; j++) sorted[j] = fabs(sorted[j]);
        assert_true(median_of(&v) == crs_median(size, sorted));
        free(t), free(sorted);
    }
}

/* |T| depends on the last index alone, in blocks of 64: a step that divides a dimension would see
 * few of its values. Half of them are below 1. */
static void a_sample_is_even_whatever_the_dimensions(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 64, 64, 256 } };
    const ptrdiff_t size = crease_size(&shape);
    double *t = malloc((size_t)size * sizeof(double));
    unsigned char *mask = malloc((size_t)size);
    crs_memory data;
    (void)state;
    for (ptrdiff_t j = 0; j < size; j++) {
        t[j] = (double)(j % 256) / 128;
        mask[j] = crease_random_uniform((crease_random){ 9, 9 }, (uint64_t)j) < 0.02;
    }
    crs_cp_view v = { .shape = shape, .source = &data.source, .limit = INFINITY };
    crs_memory_open(&data, &shape, t, NULL);
    assert_true(fabs(median_of(&v) - 1) < 0.03);
    crs_memory_open(&data, &shape, t, mask); /* 21,000 of a million entries */
    assert_true(fabs(median_of(&v) - 1) < 0.05);
    t[size / 2] = NAN;
    v.shape.dim[0] = 1;
    crs_memory_open(&data, &v.shape, t + size / 2, NULL);
    assert_true(isnan(median_of(&v)));
    free(t), free(mask);
}

enum { ORDER = 3, RANK = 2, WIDE = 4 };
static const crease_space box = { .order = ORDER, .dim = { 7, 9, 8 } };
enum { SIZE = 7 * 9 * 8 };

/* Numbers, a mask, a model; slabs that are cut in a mode */
typedef struct {
    double t[SIZE], factor[ORDER][9 * RANK];
    unsigned char w[SIZE];
    crs_kruskal k;
    slab_copies slabs;
} scene;

static void set(scene *c, int mode, ptrdiff_t rows, bool masked)
{
    const crease_random random = { 11, 2 };
    c->k = (crs_kruskal){ .shape = box, .rank = RANK };
    for (int j = 0; j < SIZE; j++) {
        c->w[j] = crease_random_uniform((crease_random){ 11, 1 }, (uint64_t)j) < 0.7;
        c->t[j] = masked && !c->w[j] ? 0 : 3 * crease_random_normal(random, (uint64_t)j);
    }
    for (int n = 0; n < ORDER; n++) {
        crs_normals(5, (uint64_t)n, box.dim[n] * RANK, c->factor[n]);
        c->k.factor[n] = c->factor[n];
    }
    c->slabs = copies_of(cut_at(&box, mode, rows), c->t, masked ? c->w : NULL);
}

static double model_of(const scene *c, int j)
{
    double sum = 0;
    for (int r = 0; r < RANK; r++)
        sum += c->factor[0][j / 72 * RANK + r] * c->factor[1][j / 8 % 9 * RANK + r] *
               c->factor[2][j % 8 * RANK + r];
    return sum;
}

/* V by its definition */
static void see(const scene *c, const crs_cp_view *v, double *out)
{
    for (int j = 0; j < SIZE; j++) {
        const double m = v->model ? model_of(c, j) : 0;
        const bool here = !c->slabs.w || c->w[j];
        const double rest = here ? clip(c->t[j] - m, -v->limit, v->limit) : 0;
        out[j] = v->residual ? rest : m + rest;
    }
}

static int index_of(int n, int j) { return n == 0 ? j / 72 : n == 1 ? j / 8 % 9 : j % 8; }

static const struct {
    int mode;
    ptrdiff_t rows;
    bool masked, modelled, residual;
    double limit;
} looks[] = {
    { 0, 2, false, false, false, INFINITY }, { 0, 3, true, true, false, 1.5 },
    { 1, 4, true, true, true, 2 },           { 2, 3, false, true, true, INFINITY },
    { 0, 7, true, false, false, 1 },
};
enum { LOOKS = sizeof looks / sizeof looks[0] };

static crs_cp_view look_of(scene *c, int k)
{
    set(c, looks[k].mode, looks[k].rows, looks[k].masked);
    return (crs_cp_view){ .shape = box,
                          .source = &c->slabs.source,
                          .limit = looks[k].limit,
                          .model = looks[k].modelled ? &c->k : NULL,
                          .residual = looks[k].residual };
}

/* V_(n) V_(n)', V_(n) V_(n)' Q, V_(n) M_n and |V|^2 */
static void measures_are_those_of_the_view(void **state)
{
    static scene c;
    static double v[SIZE], w[ORDER][9 * 9];
    double q[9 * WIDE], *to[CREASE_MAX_ORDER] = { w[0], w[1], w[2] }, squares, sum = 0;
    (void)state;
    crs_normals(6, 1, 9 * WIDE, q);
    for (int k = 0; k < LOOKS; k++) {
        const crs_cp_view view = look_of(&c, k);
        crs_cp_measure m = { .columns = { RANK, RANK, RANK }, .with = c.k };
        const int cut = looks[k].mode;
        for (int n = cut + 1; n < ORDER; n++) m.columns[n] = box.dim[n];
        if (cut == 0) m.columns[1] = WIDE, m.q[1] = q;
        see(&c, &view, v);
        assert_true(crs_view_measure(&view, &m, to, &squares, NULL));
        sum = 0;
        for (int j = 0; j < SIZE; j++) sum += v[j] * v[j];
        assert_close(squares, sum, 1e-12);
        for (int n = 0; n < ORDER; n++)
            for (int i = 0; i < box.dim[n]; i++)
                for (int a = 0; a < m.columns[n]; a++) {
                    double known = 0;
                    for (int j = 0; j < SIZE; j++) {
                        if (index_of(n, j) != i) continue;
                        double by = 1;
                        for (int l = 0; n <= cut && l < ORDER; l++)
                            if (l != n) by *= c.factor[l][index_of(l, j) * RANK + a];
                        const int stride = n == 1 ? 8 : 1, base = j - i * stride;
                        if (n > cut && !m.q[n]) by = v[base + a * stride];
                        if (n > cut && m.q[n]) {
                            by = 0;
                            for (int l = 0; l < box.dim[n]; l++)
                                by += v[base + l * stride] * q[l * WIDE + a];
                        }
                        known += v[j] * by;
                    }
                    assert_close(w[n][i * m.columns[n] + a], known, 1e-11);
                }
    }
}

/* V x_1 Q' stands for V where mode 1 leads. */
static void a_mode_that_leads_stands_for_the_tensor(void **state)
{
    static scene c;
    static double v[SIZE], low[7 * WIDE * 8], w[ORDER][9 * 9];
    double q[9 * WIDE], *to[CREASE_MAX_ORDER] = { w[0], w[1], w[2] };
    (void)state;
    crs_normals(6, 1, 9 * WIDE, q);
    for (int k = 0; k < 2; k++) {
        const crs_cp_view view = look_of(&c, k);
        const crs_cp_measure m = { .lead = 1, .columns = { 0, WIDE, 8 }, .q = { NULL, q } };
        see(&c, &view, v);
        crs_ttm(&box, 1, (crs_mode_map){ q, WIDE, true }, 1, v, 0, low);
        assert_true(crs_view_measure(&view, &m, to, NULL, NULL));
        for (int i = 0; i < 8; i++)
            for (int a = 0; a < 8; a++) {
                double sum = 0;
                for (int l = 0; l < 7 * WIDE; l++) sum += low[l * 8 + i] * low[l * 8 + a];
                assert_close(w[2][i * 8 + a], sum, 1e-11);
            }
    }
}

static void projections_are_products_of_the_view(void **state)
{
    static scene c;
    static double v[SIZE], q[ORDER][9 * WIDE], known[SIZE], out[SIZE], work[4 * SIZE];
    (void)state;
    for (int n = 0; n < ORDER; n++) crs_normals(7, (uint64_t)n, 9 * WIDE, q[n]);
    for (int k = 0; k < 2 * LOOKS; k++) {
        const crs_cp_view view = look_of(&c, k / 2);
        crs_mode_map a[CREASE_MAX_ORDER] = { { NULL, 0, false } };
        for (int n = k % 2; n < ORDER; n++) a[n] = (crs_mode_map){ q[n], WIDE, true };
        see(&c, &view, v);
        crs_multi_ttm(&box, a, 1, v, 0, known, work);
        assert_true(crs_view_project(&view, a, out, NULL));
        for (int j = 0; j < (k % 2 ? 7 : WIDE) * WIDE * WIDE; j++)
            assert_close(out[j], known[j], 1e-11);
    }
}

/* Of what was observed; a sample that is kept says the same without a reading. */
static void medians_of_slabs_are_those_of_the_entries(void **state)
{
    static scene c;
    double rest[SIZE], median, middle, around;
    (void)state;
    for (int k = 0; k < LOOKS; k++) {
        long readings = 0;
        crs_cp_sample kept;
        crs_cp_view view = look_of(&c, k);
        ptrdiff_t used = 0;
        view.readings = &readings;
        assert_true(crs_source_survey(view.source, 1, NULL));
        for (int j = 0; j < SIZE; j++)
            if (!c.slabs.w || c.w[j]) rest[used++] = c.t[j] - (view.model ? model_of(&c, j) : 0);
        assert_true(crs_cp_sample_open(&kept, &view, NULL));
        assert_int_equal(kept.count, used);
        assert_true(crs_view_middle(&view, &middle, &around, NULL));
        assert_int_equal(readings, 2);
        view.sample = &kept;
        median = median_of(&view);
        assert_int_equal(readings, 2);
        assert_close(middle, crs_median(used, rest), 1e-14);
        for (ptrdiff_t j = 0; j < used; j++) rest[j] = fabs(rest[j]);
        assert_close(median, crs_median(used, rest), 1e-14);
        crs_cp_sample_close(&kept);
    }
}

static void a_source_without_a_term_is_the_difference(void **state)
{
    static scene c;
    (void)state;
    for (int k = 0; k < LOOKS; k++)
        for (int threads = 1; threads < 4; threads++) {
            crs_less less;
            crs_slab slab, other;
            look_of(&c, k);
            assert_true(crs_less_open(&less, &c.slabs.source, threads, &c.k, NULL));
            for (ptrdiff_t i = 0; i < less.source.count; i++) {
                const ptrdiff_t next = (i + 1) % less.source.count;
                assert_true(less.source.ops->take(&less.source, i, &slab, NULL));
                if (threads > 1)
                    assert_true(less.source.ops->take(&less.source, next, &other, NULL));
                for (ptrdiff_t j = 0; j < crease_size(&slab.shape); j++) {
                    const int at = (int)(slab.first + j);
                    const bool here = !c.slabs.w || c.w[at];
                    assert_close(slab.t[j], here ? c.t[at] - model_of(&c, at) : 0, 1e-14);
                }
                less.source.ops->give(&less.source, &slab);
                if (threads > 1) less.source.ops->give(&less.source, &other);
            }
            assert_true(less.source.facts.known);
            crs_less_close(&less.source);
        }
}

static void a_part_of_a_source_is_nan_where_nothing_was_observed(void **state)
{
    static scene c;
    static double part[SIZE];
    const crease_space few = { .order = ORDER, .dim = { 3, 5, 2 } };
    (void)state;
    look_of(&c, 1);
    assert_true(crs_rank_sample(&c.slabs.source, &few, part, NULL));
    for (int j = 0; j < 30; j++) {
        const int at = j / 10 * 7 / 3 * 72 + j / 2 % 5 * 9 / 5 * 8 + j % 2 * 8 / 2;
        if (c.w[at]) assert_true(part[j] == c.t[at]);
        if (!c.w[at]) assert_true(isnan(part[j]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_of_few_entries_is_exact),
        cmocka_unit_test(a_sample_is_even_whatever_the_dimensions),
        cmocka_unit_test(measures_are_those_of_the_view),
        cmocka_unit_test(a_mode_that_leads_stands_for_the_tensor),
        cmocka_unit_test(projections_are_products_of_the_view),
        cmocka_unit_test(medians_of_slabs_are_those_of_the_entries),
        cmocka_unit_test(a_source_without_a_term_is_the_difference),
        cmocka_unit_test(a_part_of_a_source_is_nan_where_nothing_was_observed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
