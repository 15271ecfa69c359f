/* SPDX-License-Identifier: MIT
 * mutants.h: what the fuzzer of a format and the mutants of the suite do with bytes: read and list
 * them as that format, under every question that may be asked of it */
#ifndef CRS_TEST_MUTANTS_H
#define CRS_TEST_MUTANTS_H

#include <stdio.h>

#include "io/formats/io.h"

/* What was read is consistent; a refusal has its sentence and leaves nothing. */
static inline bool judge_reading(bool done, crs_array *a, const crease_error *e)
{
    bool good;
    if (done) {
        const ptrdiff_t n = crease_size(&a->shape);
        ptrdiff_t gaps = 0;
        for (ptrdiff_t j = 0; j < n; j++) gaps += isnan(a->data[j]) != 0; /* all are there */
        good = crease_space_check(&a->shape, NULL) && gaps <= n &&
               crs_axes_fit(&a->axes, &a->shape, "a mutant", NULL);
    } else
        good = !a->data && e->code != CREASE_OK && e->text[0];
    crs_array_free(a);
    return good;
}

static inline bool try_bytes(const crs_format *f, const void *bytes, size_t n,
                             const crs_asked *asked, const char *inner)
{
    crs_array a;
    crs_listing all = { .count = 0 };
    crease_error e = { CREASE_OK, "" };
    FILE *in = fmemopen((void *)(uintptr_t)bytes, n, "rb");
    if (!in) return n == 0; /* there is no empty file of memory */
    const crs_input s = { .f = in, .name = "mutant", .inner = inner };
    bool good = judge_reading(f->read(&s, asked, &a, &e), &a, &e);
    rewind(in);
    e = (crease_error){ CREASE_OK, "" };
    if (f->list) good = (f->list(&s, &all, &e) || e.text[0]) && good;
    crs_listing_free(&all);
    fclose(in);
    return good;
}

static inline bool try_all(const crs_format *f, const void *bytes, size_t n)
{
    const crs_asked missing = { .missing = true }, zero = { .absent = "zero" };
    bool good = try_bytes(f, bytes, n, NULL, NULL);
    if (f == &crs_csv_format) good = try_bytes(f, bytes, n, &missing, NULL) && good;
    if (f == &crs_tns_format) good = try_bytes(f, bytes, n, &zero, NULL) && good;
    if (f == &crs_npz_format || f == &crs_npy_format)
        good = try_bytes(f, bytes, n, NULL, "a") && good;
    return good;
}

#endif
