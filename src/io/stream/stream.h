/* SPDX-License-Identifier: MIT
 * stream.h: the tensor of a file as slabs (slab/slab.h): in memory where it fits, otherwise through
 * a ring of slabs that a thread fills ahead of those who take them */
#ifndef CRS_STREAM_H
#define CRS_STREAM_H

#include "io/formats/io.h"
#include "slab/slab.h"

typedef struct {
    const crs_asked *asked; /* NULL: nothing is */
    double bytes;           /* for slabs; INFINITY: as many as there are; 0: a few */
    bool missing;           /* nan is no observation: 0 with a mask */
    bool as_stored;   /* dimensions in the order of the file, though they are shown reversed */
    int part, parts;  /* of all slabs, this one of so many; parts 0: all */
    crs_array *about; /* gets shape, axes and notice, to be freed; NULL: not asked for */
} crs_stream_settings;

/* "FILE" or "FILE:INNER". What fits is read at once: then it is in memory, and `whole`. Otherwise
 * slabs are read again at every look, but those for which there is room. NULL with a sentence.
 * To be closed by its ops. */
crs_source *crs_stream_open(const char *path, const crs_stream_settings *s, crease_error *e);
/* The same as users have it. */
crease_source *crs_stream_hand(const char *path, const crs_stream_settings *s, crease_error *e);

/* Rows of a file, index by index of its first dimension, or entry by entry of a single row: where
 * they lie, through a slab of packed data, or from memory where the format has no parts. By one
 * thread. */
typedef struct crs_row_reader crs_row_reader;
crs_row_reader *crs_row_reader_open(const char *path, const crs_asked *asked, crease_error *e);
const crease_space *crs_row_reader_shape(const crs_row_reader *r);
bool crs_row_reader_read(crs_row_reader *r, ptrdiff_t first, ptrdiff_t rows, double *out,
                         crease_error *e);
void crs_row_reader_close(crs_row_reader *r);

/* Files whose rows belong together as one table (rows.c): all columns of the first, then a number
 * of each of the others. Rows are asked for in order, again and again from 0 on. */
enum { CRS_JOINED = 4 };
typedef struct crs_joining {
    int files;
    const char *path[CRS_JOINED];
    crs_asked asked; /* how the first is read */
    bool hashed;     /* crs_joined_hash will be asked */
} crs_joining;
typedef struct crs_joined crs_joined;
crs_joined *crs_joined_open(const crs_joining *j, crease_error *e);
crease_space crs_joined_shape(const crs_joined *r);
const crease_space *crs_joined_part(const crs_joined *r, int file);
bool crs_joined_read(crs_joined *r, ptrdiff_t first, ptrdiff_t rows, double *out, crease_error *e);
/* crs_array_hash of a file, all of whose rows were read once in order since it was opened; rest
 * reads those that were not. */
bool crs_joined_rest(crs_joined *r, crease_error *e);
void crs_joined_hash(crs_joined *r, int file, char hash[CRS_HASH]);
void crs_joined_close(crs_joined *r);
/* The table as a source: in memory where it fits into the settings' bytes, otherwise by a ring. */
crs_source *crs_joined_source(const crs_joining *j, const crs_stream_settings *s, crease_error *e);

/* An array that is written part after part (sink.c), to a file that appears when all was put, or
 * not at all. Room on the disk is taken before the first part. item: its name, shape, axes, single
 * and watch. */
typedef struct crs_sink crs_sink;
typedef bool crs_fill(void *self, crs_sink *to, crease_error *e);
bool crs_sink_write(const char *path, const crs_format *format, const crs_item *item, crs_fill *put,
                    void *self, crease_error *e);
bool crs_sink_put(crs_sink *s, ptrdiff_t first, ptrdiff_t count, const double *x, crease_error *e);
/* All slabs of a source; dimension n of the array is from[n] of the source's. The shape of the item
 * may have neighbouring dimensions as one. */
bool crs_sink_copy(crs_sink *s, crs_source *source, const int *from, crease_error *e);

/* crs_array_hash of entries as they come; `whole`: as of one slab, which it was up to version 0.4.
 * Its end is crs_hash_slabs(&h->all, h->several, text). part: of those of slab k on alone, whose
 * hashes go to their places in `word` (crs_hash_words). */
typedef struct {
    crs_hash all, slab;
    crs_partition cut;
    ptrdiff_t k, left; /* of slab k */
    bool several;
    int64_t *word; /* NULL: into `all` */
} crs_entries_hash;
void crs_array_hash_begin(crs_entries_hash *h, const crease_space *s, bool whole);
void crs_array_hash_part(crs_entries_hash *h, const crease_space *s, ptrdiff_t k, int64_t *word);
void crs_array_hash_add(crs_entries_hash *h, ptrdiff_t n, const double *x);

/* Of the entries of all slabs, where those that were not observed are nan, and of the shape: for
 * one slab crs_array_hash of them, otherwise the hash of the hashes of slabs. */
bool crs_source_hash(crs_source *s, int threads, crease_watch *watch, char hash[CRS_HASH],
                     crease_error *e);
extern const crs_job crs_hash_job;

#endif
