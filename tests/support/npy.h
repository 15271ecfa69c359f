/* SPDX-License-Identifier: MIT
 * npy.h: .npy files built byte by byte, for the tests of the reader */
#ifndef CREASE_TEST_NPY_H
#define CREASE_TEST_NPY_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

#include "io/formats/io.h"

enum { MOST = 1 << 16 };

typedef struct {
    unsigned char byte[MOST];
    size_t n;
} bytes;

static inline void put(bytes *b, const void *from, size_t n)
{
    assert_true(b->n + n <= MOST);
    memcpy(b->byte + b->n, from, n);
    b->n += n;
}

/* Magic, version, a true or a false length, and the dictionary as given. */
static inline void begin(bytes *b, int version, const char *dictionary, long lie)
{
    const unsigned long n = strlen(dictionary) + (unsigned long)lie;
    const unsigned char head[12] = { 0x93,
                                     'N',
                                     'U',
                                     'M',
                                     'P',
                                     'Y',
                                     (unsigned char)version,
                                     0,
                                     (unsigned char)n,
                                     (unsigned char)(n >> 8),
                                     (unsigned char)(n >> 16),
                                     (unsigned char)(n >> 24) };
    b->n = 0;
    put(b, head, version == 1 ? 10 : 12);
    put(b, dictionary, strlen(dictionary));
}

/* Through a real file, so that the choice by name is part of it. */
static inline bool load(const bytes *b, crs_array *a, crease_error *e)
{
    char folder[] = "/tmp/crease-npy-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.npy", folder);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(b->byte, 1, b->n, f), b->n);
    assert_int_equal(fclose(f), 0);
    const bool done = crs_read_array(path, a, e);
    unlink(path);
    rmdir(folder);
    return done;
}

#endif
