/* SPDX-License-Identifier: MIT
 * roundtrip: what our own formats write they read back: random tensors of every order, in 64 and 32
 * bits, whole or in pieces, gzipped or not, with random axes where the format can hold them */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

#include "io/formats/io.h"
#include "support/axes.h"

enum { MOST = 6561 };

typedef struct {
    crease_space s;
    double x[MOST];
    crs_axes axes;
    bool single;
} example;

static unsigned pick(draws *d, size_t n)
{
    return (unsigned)crease_random_below(d->r, d->next++, n);
}

static void draw_axis(crs_axis *a, ptrdiff_t count, bool even, draws *d)
{
    static const char *const word[] = { "a", "b c", "\xC3\xA9t\xC3\xA9",
                                        "",  "12",  "\xF0\x9F\x98\x80" };
    double at[MOST];
    const char *label[MOST];
    const double first = even ? 0 : normal(d), step = 0.25 * (1 + pick(d, 8));
    for (ptrdiff_t k = 0; k < count; k++) {
        at[k] = even ? step * (double)k : first + normal(d);
        label[k] = word[pick(d, 6)];
    }
    if (even || pick(d, 3) == 0)
        assert_true(crs_axis_at(a, count, at, NULL));
    else if (pick(d, 2) == 0)
        assert_true(crs_axis_labels(a, count, label, NULL));
    if (!even && pick(d, 2) == 0)
        assert_true(crs_axis_name(a, "em", pick(d, 2) ? "nm" : NULL, NULL));
}

static void draw(example *x, int order, bool gaps, draws *d)
{
    *x = (example){ .s = { .order = order }, .single = pick(d, 4) == 0 };
    for (int n = 0; n < order; n++) x->s.dim[n] = 1 + pick(d, 3);
    x->s.dim[order - 1] = 2 + pick(d, 2); /* formats leave out ones at the end */
    for (ptrdiff_t j = 0; j < crease_size(&x->s); j++) {
        x->x[j] = normal(d) * pow(10, uniform(d, -30, 30));
        if (x->single) x->x[j] = (float)x->x[j];
        if (gaps && j > 0 && pick(d, 6) == 0) x->x[j] = NAN;
    }
}

static void part(const void *self, ptrdiff_t first, ptrdiff_t count, double *out)
{
    memcpy(out, (const double *)self + first, (size_t)count * sizeof *out);
}

/* Through a file of this name and back. */
static void there_and_back(const crs_format *f, const char *path, const example *x, bool pieces)
{
    double buffer[5];
    const crs_pieces p = { part, x->x, buffer, 5 };
    const crs_item item = { .name = "data",
                            .shape = &x->s,
                            .data = pieces ? NULL : x->x,
                            .pieces = pieces ? &p : NULL,
                            .axes = &x->axes,
                            .single = x->single };
    crs_array a;
    crease_error e = { CREASE_OK, "" };
    if (!f->write(path, 1, &item, &e)) fail_msg("%s: %s", path, e.text);
    if (!crs_read_array(path, &a, &e)) fail_msg("%s: %s", path, e.text);
    assert_true(crease_space_equal(&a.shape, &x->s));
    for (ptrdiff_t j = 0; j < crease_size(&x->s); j++)
        assert_true(a.data[j] == x->x[j] || (isnan(a.data[j]) && isnan(x->x[j])));
    if (!same_axes(&a.axes, &x->axes, x->s.order)) fail_msg("%s: other axes", path);
    crs_array_free(&a);
    unlink(path);
}

static void run(const crs_format *f, const char *ending, int orders, bool gaps, int axes)
{
    char folder[] = "/tmp/crease-round-XXXXXX", path[80];
    draws d = { { 21, (uint64_t)orders }, 0 };
    static example x;
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < 20 * orders; k++) {
        const int order = 1 + k % orders;
        draw(&x, order, gaps, &d);
        for (int n = 0; axes == 1 && n < order; n++)
            draw_axis(&x.axes.axis[n], x.s.dim[n], false, &d);
        for (int n = 0; axes == 2 && n < order && n < 4; n++) { /* as NIfTI knows them */
            static const char *const name[] = { "x", "y", "z", "time" };
            if (x.s.dim[n] > 1)
                draw_axis(&x.axes.axis[n], x.s.dim[n], true, &d);
            else
                assert_true(crs_axis_at(&x.axes.axis[n], 1, (double[]){ 0 }, NULL));
            assert_true(crs_axis_name(&x.axes.axis[n], name[n], n < 3 ? "mm" : "s", NULL));
        }
        snprintf(path, sizeof path, "%s/a%s%s", folder, ending, k % 5 == 0 ? ".gz" : "");
        there_and_back(f, path, &x, k % 3 == 0);
        crs_axes_free(&x.axes);
    }
    rmdir(folder);
}

static void npy_holds_numbers(void **state)
{
    (void)state;
    run(&crs_npy_format, ".npy", 8, true, 0);
}

static void npz_holds_numbers_and_axes(void **state)
{
    (void)state;
    run(&crs_npz_format, ".npz", 8, true, 1);
}

static void tns_holds_what_is_there(void **state)
{
    (void)state;
    run(&crs_tns_format, ".tns", 8, true, 0);
}

static void csv_and_mtx_hold_matrices(void **state)
{
    char folder[] = "/tmp/crease-round-XXXXXX", path[80];
    draws d = { { 5, 5 }, 0 };
    static example x;
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < 60; k++) {
        draw(&x, 2, k % 2, &d);
        x.s.dim[0] = 2, x.s.dim[1] = 3;
        for (int j = 0; j < 6; j++) x.x[j] = k % 3 == 0 && j ? 0 : normal(&d);
        x.single = false;
        snprintf(path, sizeof path, "%s/a%s", folder, k % 2 ? ".csv.gz" : ".mtx");
        there_and_back(k % 2 ? &crs_csv_format : &crs_mtx_format, path, &x, k % 5 == 0);
    }
    rmdir(folder);
}

static void nifti_holds_numbers_and_even_axes(void **state)
{
    (void)state;
    run(&crs_nifti_format, ".nii", 7, true, 2);
}

/* Several arrays in one archive, each with its own axes. */
static void an_archive_holds_several_arrays(void **state)
{
    char folder[] = "/tmp/crease-round-XXXXXX", path[80], inner[120];
    static example x[3];
    static const char *const name[] = { "lowrank", "sparse", "x_axis" };
    crs_item item[3];
    draws d = { { 4, 4 }, 0 };
    crs_array a;
    crs_listing all;
    const crs_format *format;
    crease_error e = { CREASE_OK, "" };
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.npz", folder);
    for (int k = 0; k < 3; k++) {
        draw(&x[k], 3, false, &d);
        x[k].single = false;
        for (int n = 0; n < 3; n++) draw_axis(&x[k].axes.axis[n], x[k].s.dim[n], false, &d);
        item[k] =
            (crs_item){ .name = name[k], .shape = &x[k].s, .data = x[k].x, .axes = &x[k].axes };
    }
    assert_true(crs_npz_format.write(path, 3, item, &e));
    assert_true(crs_read_listing(path, NULL, &all, &format, &e));
    assert_true(format == &crs_npz_format && all.count == 3);
    for (int k = 0; k < 3; k++) {
        crease_space claimed;
        assert_string_equal(all.member[k].name, name[k]);
        snprintf(inner, sizeof inner, "%s:%s", path, name[k]);
        if (!crs_read_array(inner, &a, &e)) fail_msg("%s", e.text);
        assert_true(crs_read_shape(inner, NULL, &claimed) && crease_space_equal(&claimed, &x[k].s));
        assert_memory_equal(a.data, x[k].x, (size_t)crease_size(&x[k].s) * sizeof(double));
        assert_true(same_axes(&a.axes, &x[k].axes, 3));
        crs_array_free(&a);
        crs_axes_free(&x[k].axes);
    }
    crs_listing_free(&all);
    assert_false(crs_read_array(path, &a, &e));
    assert_non_null(strstr(e.text, "lowrank"));
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_holds_numbers),
        cmocka_unit_test(npz_holds_numbers_and_axes),
        cmocka_unit_test(tns_holds_what_is_there),
        cmocka_unit_test(csv_and_mtx_hold_matrices),
        cmocka_unit_test(nifti_holds_numbers_and_even_axes),
        cmocka_unit_test(an_archive_holds_several_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
