/* SPDX-License-Identifier: MIT
 * npy.h: what the .npy files share: the type of an item and the header */
#ifndef CRS_NPY_H
#define CRS_NPY_H

#include "io/formats/io.h"

typedef struct {
    char kind; /* f, i, u or b */
    int bytes;
    bool big; /* most significant byte first */
} crs_npy_type;

typedef struct {
    crs_npy_type type;
    bool fortran;
    crease_space shape;
} crs_npy_header;

/* "<f8" to a type; false when it is not one that is read here. */
bool crs_npy_type_parse(const char *descr, crs_npy_type *t);

/* The number stored at p. *rounded becomes true when a double cannot hold it. */
double crs_npy_item(const crs_npy_type *t, const unsigned char *p, bool *rounded);
void crs_npy_items(const crs_npy_type *t, ptrdiff_t count, const unsigned char *p, double *out,
                   bool *rounded); /* those one after the other at p */

/* The n characters of the dictionary; the first is byte `base` of the file. */
bool crs_npy_header_parse(const char *text, size_t n, size_t base, const char *name,
                          crs_npy_header *h, crease_error *e);

/* The items of a file in row order, one after the other. The path is borrowed. */
typedef struct {
    FILE *f; /* NULL: closed */
    const char *path;
    crs_npy_header header;
    size_t at;
} crs_npy_stream;
bool crs_npy_stream_open(const char *path, crs_npy_stream *s, crease_error *e);
bool crs_npy_stream_next(crs_npy_stream *s, ptrdiff_t count, double *out, crease_error *e);
void crs_npy_stream_close(crs_npy_stream *s);

#endif
