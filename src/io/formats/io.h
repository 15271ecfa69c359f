/* SPDX-License-Identifier: MIT
 * io.h: arrays from files and to files. Files are not trusted: a wrong one gives a sentence with
 * the place of the first fault, and memory is taken only as fast as bytes arrive. */
#ifndef CRS_IO_H
#define CRS_IO_H

#include <nettle/sha2.h>
#include <stdio.h>

#include "core/core.h"

/* An array that was read: its shape, its entries in row-major order (owned), and a sentence the
 * user should see although nothing is wrong (empty: none). Entries may be NaN or infinite. */
typedef struct {
    crease_space shape;
    double *data;
    char notice[200];
} crs_array;

/* The format by the name's ending: .npy; .csv, .tsv or .txt; .mtx; "-" is standard input, .npy by
 * its first byte, otherwise CSV. On failure out is empty. */
bool crs_read_array(const char *path, crs_array *out, crease_error *e);
/* The same; with `missing` empty cells and NA of a text file are nan. */
bool crs_read_data(const char *path, bool missing, crs_array *out, crease_error *e);

/* Names of columns; count 0: there are none. */
typedef struct {
    ptrdiff_t count;
    const char **name; /* each in text */
    char *text;
} crs_names;
void crs_names_free(crs_names *n);

/* The same with the names in the first row of a text file; left out, with a notice, where there are
 * not as many as columns. */
bool crs_read_table(const char *path, crs_array *out, crs_names *names, crease_error *e);
void crs_array_free(crs_array *a);

/* SHA-256 (hash.c), as "sha256:" and 64 hexadecimal digits. */
enum { CRS_HASH = 72 };
typedef struct sha256_ctx crs_hash;
void crs_hash_begin(crs_hash *h);
void crs_hash_add(crs_hash *h, const void *data, size_t n);
void crs_hash_end(crs_hash *h, char text[CRS_HASH]);
/* Of the shape and the entries; every NaN is the same. */
void crs_array_hash(const crs_array *a, char hash[CRS_HASH]);
/* The bytes of a file into a hash, and how many they are. */
bool crs_hash_file(crs_hash *h, const char *path, long long *bytes, crease_error *e);

/* What a file holds. */
typedef struct {
    long long bytes;
    char hash[CRS_HASH];
} crs_stamp;
bool crs_stamp_read(const char *path, crs_stamp *s, crease_error *e);

/* What is asked of a text file besides its numbers: that cells without one are nan, and the names
 * of its columns unless that is NULL. */
typedef struct {
    bool missing;
    crs_names *names;
} crs_asked;

/* A reader of one format, from an open file; `name` stands in the sentences, asked may be NULL. On
 * failure out is empty. A format is a file with a reader and a line in the table of read.c. */
typedef bool crs_format_reader(FILE *f, const char *name, crs_array *out, const crs_asked *asked,
                               crease_error *e);
crs_format_reader crs_read_npy, crs_read_csv, crs_read_mtx;

/* The shape a .npy file claims to have; false when it claims none. Its items are not read. */
bool crs_npy_shape(const char *path, crease_space *s);

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

/* The items of a .npy file in row order, one after the other. The path is borrowed. */
typedef struct {
    FILE *f; /* NULL: closed */
    const char *path;
    crs_npy_header header;
    size_t at;
} crs_npy_stream;
bool crs_npy_stream_open(const char *path, crs_npy_stream *s, crease_error *e);
bool crs_npy_stream_next(crs_npy_stream *s, ptrdiff_t count, double *out, crease_error *e);
void crs_npy_stream_close(crs_npy_stream *s);

/* A matrix of a Matrix Market file: `array` files are dense, row-major in value; `coordinate` files
 * are compressed sparse rows, entries in the order of the file within a row. All arrays are owned.
 */
typedef struct {
    bool sparse;
    ptrdiff_t rows, cols;
    double *value;
    ptrdiff_t *start, *col; /* of a sparse one */
} crs_mtx;

/* real or integer, general or symmetric. On failure out is empty. */
bool crs_mtx_read(FILE *f, const char *name, crs_mtx *out, crease_error *e);
void crs_mtx_free(crs_mtx *m);

/* The file that `put` writes appears under its name whole or not at all; the stamp is of what was
 * written, and may be NULL. put leaves errno on failure. */
typedef bool crs_put(FILE *f, const void *what);
bool crs_write_whole(const char *path, crs_put *put, const void *what, crs_stamp *stamp,
                     crease_error *e);

/* An array that is computed a few entries at a time: from `first` on, into out. */
typedef struct {
    void (*items)(const void *self, ptrdiff_t first, ptrdiff_t count, double *out);
    const void *self;
    double *buffer;
    ptrdiff_t room; /* entries of the buffer; first is a multiple of it */
} crs_pieces;

/* An array that is there, or whose `pieces` are not NULL, as .npy (version 1, little-endian
 * doubles, C order). */
typedef struct {
    const crease_space *shape;
    const double *data;
    const crs_pieces *pieces;
} crs_npy;
bool crs_write_npy(const char *path, const crs_npy *a, crs_stamp *stamp, crease_error *e);

typedef struct {
    crease_groups groups;
    ptrdiff_t *start, *index; /* owned; what `groups` points to */
} crs_grouping;

/* From the sizes of consecutive groups, or from a label for each of n entries; `what` names them in
 * sentences. g is empty before; free it after a failure too. */
bool crs_grouping_sizes(const char *what, const crs_array *sizes, ptrdiff_t n, crs_grouping *g,
                        crease_error *e);
bool crs_grouping_labels(const char *what, const crs_array *labels, ptrdiff_t n, crs_grouping *g,
                         crease_error *e);
void crs_grouping_free(crs_grouping *g);

/* Room for at least `wanted` of at most `most` doubles: doubles what is there. */
bool crs_grow(double **data, ptrdiff_t *room, ptrdiff_t wanted, ptrdiff_t most, crease_error *e);

/* A file for reading; NULL with the reason in e. Anything but a plain file is refused: a pipe, a
 * device or a directory may never end. */
FILE *crs_open(const char *path, crease_error *e);
/* All of its text, *n characters; text is to be freed after a failure too. */
bool crs_slurp(FILE *f, const char *name, char **text, size_t *n, crease_error *e);
bool crs_ends_in(const char *path, const char *ending);

/* A failed read of `name` at this byte, by errno. */
bool crs_fail_read(const char *name, size_t byte, crease_error *e);

#endif
