/* SPDX-License-Identifier: MIT
 * io.h: arrays from files and to files. Files are not trusted: a wrong one gives a sentence with
 * the place of the first fault, and memory is taken only as fast as bytes arrive. */
#ifndef CRS_IO_H
#define CRS_IO_H

#include <stdio.h>

#include <crease/map.h>
#include <crease/smooth.h>

#include "core/core.h"
#include "io/formats/sha256.h"
#include "slab/coordinates.h"

/* What people call a dimension and its indices; all of it is owned, NULL: not known. Indices have
 * positions, or words. */
typedef struct {
    char *name, *unit;
    ptrdiff_t count; /* of positions or words: the length of the dimension; 0: there are none */
    double *at;      /* finite */
    char **label;
} crs_axis;

typedef struct {
    crs_axis axis[CREASE_MAX_ORDER];
} crs_axes;

/* axes.c. free leaves them empty. copy is of the first `order`; on failure `to` is empty. */
void crs_axis_free(crs_axis *a);
void crs_axes_free(crs_axes *a);
bool crs_axis_copy(const crs_axis *from, crs_axis *to, crease_error *e);
bool crs_axes_copy(const crs_axes *from, int order, crs_axes *to, crease_error *e);
/* Sets of one axis, by copies; an old value goes. Longer texts than 4 kB are refused. */
bool crs_axis_name(crs_axis *a, const char *name, const char *unit, crease_error *e);
bool crs_axis_at(crs_axis *a, ptrdiff_t count, const double *at, crease_error *e);
bool crs_axis_labels(crs_axis *a, ptrdiff_t count, const char *const *label, crease_error *e);
/* Is anything known of them? */
bool crs_axes_known(const crs_axes *a, int order);
/* "emission 342 nm", "sample 7", "axis 0 index 7"; indices without labels are counted from 1. The
 * index without the name of the axis: "342 nm", "7". */
void crs_axis_text(const crs_axes *a, int n, ptrdiff_t index, char *out, size_t size);
void crs_index_text(const crs_axis *a, ptrdiff_t index, char *out, size_t size);
/* "emission (nm)", "axis 1" */
void crs_axis_heading(const crs_axes *a, int n, char *out, size_t size);

/* Have they as many labels as the shape has entries? `what` says whose they are. */
bool crs_axes_fit(const crs_axes *a, const crease_space *s, const char *what, crease_error *e);
/* Where `over` knows something of a dimension, it replaces all of a. It is left empty. */
void crs_axes_over(crs_axes *a, crs_axes *over, int order);
/* Texts become UTF-8 (from Latin-1) without control characters; a sentence in notice, unless it is
 * full, says so, and which axis has labels that repeat. */
bool crs_axes_tidy(crs_axes *a, int order, char *notice, size_t size, crease_error *e);
/* Are they the same, but for the labels of dimension `skip` (-1: none)? What one of them does not
 * know is no difference. Otherwise `why` tells the first, `one` and `other` saying whose they are.
 */
bool crs_axes_agree(const crs_axes *a, const crs_axes *b, int order, int skip, const char *one,
                    const char *other, char why[200]);
/* As the shape does: `count` dimensions from `first` on become one; of dimension n the labels
 * first, first + step, ... are kept. */
bool crs_axes_merge(crs_axes *a, const crease_space *s, int first, int count, crease_error *e);
void crs_axis_slice(crs_axis *a, ptrdiff_t first, ptrdiff_t step, ptrdiff_t count);
/* "sample,emission:nm:270..570" for data of this shape (axes_text.c). */
bool crs_axes_parse(const char *text, const crease_space *s, crs_axes *out, crease_error *e);
bool crs_is_utf8(const char *text);

/* An array that was read: its shape, its entries in row-major order (owned), what its dimensions
 * are called, and a sentence the user should see although nothing is wrong (empty: none). Entries
 * may be NaN or infinite. */
typedef struct {
    crease_space shape;
    double *data;
    crs_axes axes;
    double scale; /* of images: what 1 was in the file, as 255; 0: entries are as in the file */
    crs_axis
        column;    /* of a vector that was a column of a table: its name, as an axis of length 1 */
    double *value; /* of a matrix in sparse rows, which was asked for: then there are no data */
    ptrdiff_t *start, *col; /* ascending in every row */
    crs_coordinates *list;  /* of few observed entries, which were asked for: then no data either */
    bool gaps;              /* the file says which entries are missing, and they are nan */
    bool borrowed;          /* the entries are in the memory of a job, and not to be changed */
    char notice[200];
} crs_array;

/* What is asked of a file besides its numbers; all zero: nothing. */
typedef struct {
    bool missing;        /* cells without a number are nan */
    const char *read_as; /* the name of a format; NULL: told by the first bytes, then the ending */
    const char *absent;  /* of coordinate files: "zero" or "missing"; NULL: as the format says */
    const char *columns; /* of tables: those to keep, names or numbers from 1; NULL: all */
    const char *drop;    /* of tables: those to leave out */
    const char *frames;  /* of video and images: FIRST:END:STEP */
    const char *size;    /* of video: WIDTHxHEIGHT */
    bool colour;         /* of images and video: an axis of colours instead of gray */
    bool sparse; /* a matrix of coordinates with more zeros than two thirds stays in sparse rows */
    bool listed; /* of coordinates whose absent entries are missing few remain a list */
    crease_space shape;        /* of coordinate files; order 0: by the largest indices */
    const crease_watch *watch; /* cuts what may take long; NULL: nothing does */
} crs_asked;

/* A file to be read, at its beginning. */
typedef struct {
    FILE *f;           /* NULL: of a format that opens its files itself */
    const char *name;  /* what it is called in sentences */
    const char *path;  /* for a library that opens it itself; NULL: there is only f */
    const char *inner; /* of "FILE:INNER": the array in it; NULL: the only one */
    const void *what;  /* how a file is to be changed */
} crs_input;

/* A number as files hold it. */
typedef struct {
    char kind; /* f, i, u or b */
    int bytes; /* 2, 4 or 8 of f; 1 of b; 1, 2, 4 or 8 */
    bool big;  /* most significant byte first */
} crs_number;

/* How the entries of an array can be had a part at a time. */
typedef struct {
    enum {
        CRS_PLACE_WHOLE, /* not at all: the file has to be read as a whole */
        CRS_PLACE_RAW,   /* they lie one after the other in the file, from `offset` on */
        CRS_PLACE_FED    /* a process gives slabs */
    } access;
    crease_space shape;
    crs_number type; /* of RAW; of FED its bytes */
    long long offset;
    bool reversed; /* the file has its dimensions in reverse order: the shape is as in the file */
} crs_place;

/* One array of several in a file. */
typedef struct {
    char name[256], type[24]; /* as the file calls them */
    crease_space shape;
    bool plain; /* of HDF5: bytes, or doubles with the least byte first, in one piece */
    long long offset, bytes; /* then: where */
} crs_inside;
typedef struct {
    int count;
    crs_inside *member;
} crs_listing;
bool crs_listing_add(crs_listing *l, const crs_inside *m, crease_error *e);
void crs_listing_free(crs_listing *l);
/* The array that s->inner names or, without a name, the only one of numbers (inside.c); NULL with a
 * sentence that lists what there is. */
const crs_inside *crs_listing_pick(const crs_listing *l, const crs_input *s, crease_error *e);

/* An array that is computed a few entries at a time: from `first` on, into out. */
typedef struct {
    void (*items)(const void *self, ptrdiff_t first, ptrdiff_t count, double *out);
    const void *self;
    double *buffer;
    ptrdiff_t room; /* entries of the buffer; first is a multiple of it */
} crs_pieces;

/* An array to be written: data, or `pieces` where they are not NULL. */
typedef struct {
    const char *name; /* in a file of several arrays */
    const crease_space *shape;
    const double *data;
    const crs_pieces *pieces;
    const crs_axes *axes;      /* NULL: none */
    double scale;              /* of images: what 1 is in the file; 0: 255 */
    bool single;               /* in 32 bits, where the format has them */
    const crease_watch *watch; /* whose stop ends the writing; NULL: none */
} crs_item;

/* asked may be NULL. On failure out is empty, and so is the file that was to be written: it is not
 * there, or as it was. */
typedef bool crs_format_reader(const crs_input *s, const crs_asked *asked, crs_array *out,
                               crease_error *e);
typedef bool crs_format_lister(const crs_input *s, crs_listing *out, crease_error *e);
/* `about` gets the shape, axes and notice, but no entries. */
typedef bool crs_format_placer(const crs_input *s, const crs_asked *asked, crs_place *out,
                               crs_array *about, crease_error *e);
/* Runs in a process of its own, without the input's f (child.h). On failure e has the sentence. */
typedef struct crs_emit crs_emit;
typedef bool crs_decode(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e);
/* A process (child.h) that gives slabs whenever they are asked for. What it was opened with is
 * borrowed. It ends with the thread that has opened it. */
typedef struct crs_feed crs_feed;
crs_feed *crs_feed_open(crs_decode *decode, const crs_input *s, const crs_asked *asked,
                        crease_error *e);
/* All `count` items of slab k; after a failure it gives nothing more. */
bool crs_feed_take(crs_feed *f, ptrdiff_t k, ptrdiff_t count, double *out, crease_error *e);
void crs_feed_close(crs_feed *f);

typedef bool crs_format_writer(const char *path, int count, const crs_item *item, crease_error *e);

/* Makes a file with room for the entries of one item, in row order from byte *offset on: 4 or 8
 * bytes each, the least one first. */
typedef bool crs_format_layer(const char *path, const crs_item *item, long long *offset,
                              crease_error *e);

/* How a format holds the files of a result (bundle.c): a new file without any; room for one more,
 * of doubles in this shape or (NULL) of bytes, which may be text, in one piece from *offset on; and
 * what the dimensions of those that are there are called, with a line about the file. */
typedef struct {
    const crease_space *shape;
    size_t bytes;
    bool text;
} crs_room_asked;
typedef struct {
    bool (*begin)(const char *path, crease_error *e);
    bool (*add)(const char *path, const char *name, const crs_room_asked *room, long long *offset,
                crease_error *e);
    bool (*label)(const char *path, const char *about, int count, const crs_item *item,
                  crease_error *e);
} crs_holder;

/* A format is a file with this table, crs_NAME_format, and a line in list.def. */
typedef struct {
    const char *name;    /* "csv" */
    const char *endings; /* ".csv .tsv .txt" */
    const char *text;    /* "tables of text: ..." */
    const char *reads;   /* of crs_asked, as "columns drop"; the rest is refused by its name */
    const char *needs; /* what this build lacks for it, as "libhdf5 (Debian: libhdf5-dev)"; NULL */
    bool (*begins)(const unsigned char *head, size_t n); /* its first bytes? NULL: cannot be told */
    crs_format_reader *read;
    crs_format_lister *list;  /* NULL: always one array */
    crs_format_placer *place; /* NULL: always CRS_PLACE_WHOLE */
    crs_decode *feed;         /* gives slabs of what is CRS_PLACE_FED */
    crs_format_writer *write; /* NULL: only read */
    crs_format_layer *lay;    /* NULL: files are written as a whole */
    const crs_holder *holds;  /* NULL: no files of a result */
    bool many;                /* several arrays may be written to one file */
    bool opens; /* reads by path, or to and fro: what is packed or a pipe is put into a file */
} crs_format;

#define FORMAT(name) extern const crs_format crs_##name##_format;
#include "io/formats/list.def"
#undef FORMAT

crs_format_writer crs_write_hdf5; /* hdf5_write.c */
crs_format_layer crs_lay_hdf5;
extern const crs_holder crs_hdf5_holder;

/* Format k of the list, NULL after the last; by its name; by the ending of a path. */
const crs_format *crs_format_at(int k);
const crs_format *crs_format_find(const char *name, crease_error *e);
const crs_format *crs_format_of(const char *path);

/* Does the format read all that is asked? (asked.c) */
bool crs_asked_suits(const crs_asked *a, const crs_format *f, const char *name, crease_error *e);

/* False with a sentence when a stop is asked for. A limit of time is none: the data are needed for
 * whatever there is to show. */
bool crs_reads_on(const crease_watch *w, crease_error *e);
/* The colon of "FILE:INNER", where there is a FILE and no file whose name has the colon; else NULL.
 */
const char *crs_inner_of(const char *path);
/* "FILE", "FILE:INNER", or "-" for standard input. On failure out is empty. */
bool crs_read_asked(const char *path, const crs_asked *asked, crs_array *out, crease_error *e);
/* Without asking anything, and entries of its own. */
bool crs_read_array(const char *path, crs_array *out, crease_error *e);
/* The shape that the file claims to have, where it says so at its beginning; false: it does not. */
bool crs_read_shape(const char *path, const crs_asked *asked, crease_space *shape);
/* Where its entries are; *format is what feeds them. */
bool crs_read_place(const char *path, const crs_asked *asked, crs_place *out, crs_array *about,
                    const crs_format **format, crease_error *e);
/* What is in it, without reading it all; *format tells how it was read. */
bool crs_read_listing(const char *path, const crs_asked *asked, crs_listing *out,
                      const crs_format **format, crease_error *e);
void crs_array_free(crs_array *a);
/* The entries become a copy where they are borrowed: for whoever changes them. */
bool crs_array_own(crs_array *a, crease_error *e);
/* An array that is a list, of pairs (place in row order, value) in any order. `once`: no place may
 * come twice, and `twice` is one that does (-1: none); otherwise those of one place add up. */
typedef struct {
    ptrdiff_t count;
    double *pair;
    bool once;
    ptrdiff_t twice;
} crs_listed_pairs;
bool crs_array_list(const char *name, const crease_space *shape, crs_listed_pairs *from,
                    crs_array *out, crease_error *e);
/* Is that asked for, and are so few of so many observed? */
bool crs_asked_list(const crs_asked *asked, const crease_space *shape, ptrdiff_t observed);

/* SHA-256 (hash.c), as "sha256:" and 64 hexadecimal digits. */
enum { CRS_HASH = 80 };
typedef struct sha256_ctx crs_hash;
void crs_hash_begin(crs_hash *h);
void crs_hash_add(crs_hash *h, const void *data, size_t n);
void crs_hash_end(crs_hash *h, char text[CRS_HASH]);
/* Of the shape and the entries; every NaN is the same. Of an array of several slabs it is the hash
 * of the shape and of the hashes of slabs, "sha256/slabs:"; of a list that of the shape and of the
 * places and values in its order, "sha256/entries:". */
void crs_array_hash(const crs_array *a, char hash[CRS_HASH]);
/* Its pieces: the shape begins, entries that were not seen count as NaN (NULL: all were), or the
 * 32 bytes of the hash of each slab, and the end. */
void crs_hash_shape(crs_hash *h, const crease_space *s);
void crs_hash_entries(crs_hash *h, ptrdiff_t n, const double *x, const unsigned char *seen);
void crs_hash_slabs(crs_hash *h, bool several, char text[CRS_HASH]);
/* The hash of a slab at its end as whole numbers, which processes can add up, and that of an array
 * from those of all its slabs. */
enum { CRS_SLAB_WORDS = SHA256_DIGEST_SIZE / 4 };
void crs_hash_words(crs_hash *h, int64_t word[CRS_SLAB_WORDS]);
void crs_hash_from_words(const crease_space *s, ptrdiff_t slabs, const int64_t *word,
                         char text[CRS_HASH]);
/* The bytes of a file into a hash, and how many they are. */
bool crs_hash_file(crs_hash *h, const char *path, long long *bytes, crease_error *e);

/* What a file holds. */
typedef struct {
    long long bytes;
    char hash[CRS_HASH];
    const crease_watch *watch; /* gives looks while the file is written; NULL: none */
    long long
        expected; /* bytes for which room is taken before the first is written; 0: not known */
} crs_stamp;
bool crs_stamp_read(const char *path, crs_stamp *s, crease_error *e);

/* Bytes of a file, with what they are called in sentences and how many came (numbers.c). */
typedef struct {
    FILE *f;
    const char *name;
    size_t at;
    crease_error *e;
    const crease_watch *watch; /* gives looks while many come; NULL: none */
} crs_bytes;
/* Exactly n bytes; `what` they are stands in the sentence. */
bool crs_bytes_get(crs_bytes *in, void *to, size_t n, const char *what);
bool crs_bytes_skip(crs_bytes *in, size_t n, const char *what);
/* Has a plain file room for so many records? Of other streams the end will tell. */
bool crs_bytes_hold(const crs_bytes *in, const crease_space *shape, ptrdiff_t record);

/* The bits of a number, and back. */
uint64_t crs_number_bits(int bytes, bool big, const unsigned char *p);
void crs_number_put(int bytes, uint64_t bits, unsigned char *to); /* the least byte first */
/* Those one after the other at p, which may be the end of the place of `out`; *rounded becomes true
 * when a double cannot hold one. */
void crs_numbers(const crs_number *t, ptrdiff_t count, const unsigned char *p, double *out,
                 bool *rounded);
/* Back, in 4 or 8 bytes each, the least one first. */
bool crs_numbers_put(FILE *f, bool single, ptrdiff_t count, const double *x);

/* A number in text, so that it is read back exactly. */
bool crs_put_double(FILE *f, double x);

/* `each` numbers in a record of `bytes` (at most 8192), from `offset` on. */
typedef struct {
    crs_number type;
    ptrdiff_t bytes, offset, each;
} crs_record;
/* The numbers of `count` records: into out, which has room; and into an empty array, which grows as
 * bytes arrive and gets a notice where integers were rounded. */
bool crs_records_next(crs_bytes *in, const crs_record *r, ptrdiff_t count, double *out,
                      bool *rounded);
bool crs_records_read(crs_bytes *in, const crs_record *r, ptrdiff_t count, crs_array *out);

/* Entries in column order (the first index runs fastest) to row order, the shape stays; and all of
 * an item in column order, to be freed. */
bool crs_row_order(crs_array *a, crease_error *e);
double *crs_column_order(const crs_item *a, crease_error *e);

/* All entries of an item in row order, in portions. */
typedef bool crs_take(void *self, ptrdiff_t count, const double *x);
bool crs_item_each(const crs_item *a, crs_take *take, void *self);

/* Bytes that are stored, deflated or gzipped (packed.c); f is borrowed. */
typedef enum { CRS_GZIP, CRS_DEFLATE, CRS_STORED } crs_packing;
typedef struct {
    FILE *f;
    const char *name;
    crs_packing packing;
    uint64_t bytes, whole; /* packed and, but of gzip, unpacked */
    uint32_t crc;
} crs_zipped;
FILE *crs_unzip(const crs_zipped *p, crease_error *e);
/* What is written to it goes gzipped to f; to be closed before f. NULL with errno. */
FILE *crs_gzip(FILE *to);
uint32_t crs_crc32(uint32_t sum, const void *data, size_t n);

typedef struct {
    crs_record record;
    bool fortran;
    crease_space shape;
} crs_npy_header;

/* Words of a .npy file that holds `count` of them; each to be freed, after a failure too: those
 * that are NULL then were not read. */
bool crs_npy_words(const crs_input *s, ptrdiff_t count, char **word, crease_error *e);
void crs_words_free(ptrdiff_t count, char **word); /* and the list of them */
/* The beginning of a .npy file of numbers as "<f8", of so many bytes. */
enum { CRS_NPY_HEAD = 512 };
size_t crs_npy_head(const char *type, const crease_space *s, char out[CRS_NPY_HEAD]);
/* A .npy file into another one: of a crs_item, and of crs_words as UTF-32. */
typedef struct {
    ptrdiff_t count;
    const char *const *word;
} crs_words;
bool crs_npy_put(FILE *f, const void *what);
bool crs_npy_put_words(FILE *f, const void *what);

/* The items of a .npy file in row order, one after the other. The path is borrowed. */
typedef struct {
    FILE *f; /* NULL: closed */
    const char *path;
    crs_npy_header header;
    size_t first, at; /* of the first item, and of the next one */
} crs_npy_stream;
bool crs_npy_stream_open(const char *path, crs_npy_stream *s, crease_error *e);
bool crs_npy_stream_seek(crs_npy_stream *s, ptrdiff_t item, crease_error *e); /* the next one */
bool crs_npy_stream_next(crs_npy_stream *s, ptrdiff_t count, double *out, crease_error *e);
void crs_npy_stream_close(crs_npy_stream *s);

/* Most entries of a matrix of coordinates that is made dense. */
enum { CRS_MOST_DENSE = 100000000 };

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
bool crs_mtx_read(FILE *f, const char *name, const crease_watch *w, crs_mtx *out, crease_error *e);
void crs_mtx_free(crs_mtx *m);

/* The file that `put` writes appears under its name whole or not at all, gzipped where the name
 * ends in .gz; the stamp is of what was
 * written, and may be NULL. put leaves errno on failure. */
typedef bool crs_put(FILE *f, const void *what);
bool crs_write_whole(const char *path, crs_put *put, const void *what, crs_stamp *stamp,
                     crease_error *e);
/* The same of a library that writes to a path; put gives the sentence on failure. */
typedef bool crs_put_file(const char *path, const void *what, crease_error *e);
bool crs_write_by(const char *path, crs_put_file *put, const void *what, crease_error *e);

/* An array that is there, or whose `pieces` are not NULL, as .npy (version 1, little-endian
 * doubles, C order). */
typedef struct {
    const crease_space *shape;
    const double *data;
    const crs_pieces *pieces;
} crs_npy;
bool crs_write_npy(const char *path, const crs_npy *a, crs_stamp *stamp, crease_error *e);

/* An array with room for all its entries, from byte `offset` of a file on or in memory (laid.c);
 * put is for any thread, and for every process that has opened it. */
typedef struct {
    const char *path;
    long long offset;
    double *memory; /* NULL: it is in a file */
    int fd;
} crs_laid;
bool crs_laid_open(crs_laid *l, crease_error *e);
bool crs_laid_put(const crs_laid *l, ptrdiff_t first, ptrdiff_t count, const double *x,
                  crease_error *e);
/* Bytes of a file, from `at` after the offset on. */
bool crs_laid_bytes(const crs_laid *l, long long at, const void *bytes, size_t n, crease_error *e);
void crs_laid_close(crs_laid *l);
/* A new file that begins with n bytes and has room on the disk for so many more. */
bool crs_lay_bytes(const char *path, const void *head, size_t n, long long bytes, crease_error *e);
/* Room on the disk until the descriptor is closed, of a file that loses its name at once, so that a
 * process that is killed leaves nothing; -1 with the reason. */
int crs_hold_room(const char *path, long long bytes, const char *name, crease_error *e);
/* Room on the disk, where the file system can promise it; otherwise it is found out later. */
bool crs_take_room(int fd, long long offset, long long bytes, const char *name, crease_error *e);

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

/* Is there memory for an array of this shape? `name` is the file that claims it. */
bool crs_memory_holds(const char *name, const crease_space *s, crease_error *e);

/* A file for reading; NULL with the reason in e. Anything but a plain file is refused: a pipe, a
 * device or a directory may never end. */
FILE *crs_open(const char *path, crease_error *e);
/* All of its text, *n characters; text is to be freed after a failure too. */
bool crs_slurp(FILE *f, const char *name, char **text, size_t *n, crease_error *e);
bool crs_ends_in(const char *path, const char *ending);

/* A failed read of `name` at this byte, by errno. */
bool crs_fail_read(const char *name, size_t byte, crease_error *e);

/* Files in memory (memory.c). A job (crease/job.h) has files, functions and streams of its own.
 * While it runs on a thread, "memory:NAME" is one of its files wherever that thread takes a path:
 * an array that is read as it lies there, or bytes. What is written to such a path becomes a file
 * of the job.
 */
typedef struct {
    char *name;         /* "data.npy", "out/result.json" */
    crease_space shape; /* of an array; order 0: it is bytes */
    const double *data;
    double *own;  /* the same, where the job owns it */
    char *bytes;  /* owned; not of an array */
    size_t count; /* of the bytes */
} crs_memory_file;

/* A function of the caller's: a coupling or a map. */
typedef struct {
    char *name;
    const crease_callback_smooth *smooth; /* NULL: it is a map */
    const crease_callback_map *map;
} crs_memory_function;

typedef struct {
    int count;
    crs_memory_file *file;
    int functions;
    crs_memory_function *function;
    FILE *out, *err; /* what is printed, and what is said beside it */
    void *kept;      /* what a verb leaves for the next run of the same job; NULL: nothing */
    void (*drop)(void *kept);
    bool keeps; /* it may */
} crs_job_memory;

/* The memory of the job that runs on this thread; NULL: none. enter returns the one before, which
 * is entered again when the job has ended. */
crs_job_memory *crs_memory_now(void);
crs_job_memory *crs_memory_enter(crs_job_memory *m);

/* Where a verb prints: standard output and standard error, or the streams of the job. */
FILE *crs_out(void);
FILE *crs_err(void);
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
int crs_print(const char *format, ...);

bool crs_is_memory(const char *path);
/* The file of this path; NULL: there is none. */
const crs_memory_file *crs_memory_find(const char *path);
/* Is there a file or a folder of this path, in memory or on the disk? */
bool crs_is_there(const char *path);

/* Text that is being written, into memory that grows; open: NULL when out of memory. */
typedef struct {
    char *bytes; /* followed by a 0; to be freed */
    size_t count, room;
} crs_text;
FILE *crs_text_open(crs_text *t);

/* Content that is no file of its own: the head of an .npy file where it has a shape, then bytes in
 * memory or, where `body` is NULL, of the descriptor, which is closed with the stream or after a
 * failure. */
typedef struct {
    const crease_space *shape;
    const char *body;
    int fd;
    long long offset;
    size_t bytes;
} crs_content;
FILE *crs_content_stream(const crs_content *c, const char *path, crease_error *e);

/* For reading: its bytes, or those of an .npy file. NULL with a sentence. */
FILE *crs_memory_stream(const char *path, crease_error *e);

/* A new file, or another content of an old one: an array that the job owns from now on, also after
 * a failure; one that is borrowed; bytes that are copied. */
bool crs_memory_own(const char *path, const crease_space *s, double *x, crease_error *e);
bool crs_memory_borrow(const char *path, const crease_space *s, const double *x, crease_error *e);
bool crs_memory_bytes(const char *path, const void *bytes, size_t n, crease_error *e);
/* What is to be written to the path: an array, or what `put` writes. */
bool crs_memory_item(const char *path, const crs_item *item, crease_error *e);
bool crs_memory_put(const char *path, crs_put *put, const void *what, crease_error *e);
/* All files whose path begins so. */
void crs_memory_remove(const char *path);

bool crs_memory_function_add(crs_job_memory *m, const crs_memory_function *f, crease_error *e);
/* NULL: none has this name. */
const crs_memory_function *crs_memory_function_of(const char *name);

void crs_memory_close(crs_job_memory *m);

/* Files in one HDF5 file (bundle.c): where FILE is one, "FILE/NAME" is a file wherever a path is
 * taken, as it is in a folder. The dataset of an array "x.npy" is x, of anything else it has the
 * file's name. All bytes of one lie in one piece; where, libhdf5 tells in a child (child.h), and it
 * is checked. */
typedef struct {
    char name[260];
    crease_space shape; /* of an array; order 0: it is bytes */
    bool plain;         /* false: it is not stored so any more, and cannot be read here */
    long long offset, bytes;
} crs_bundled;
/* Can this build write one, by its name? */
bool crs_bundle_named(const char *path, bool *named, crease_error *e);
size_t crs_bundle_splits(const char *path); /* letters of FILE; 0: it is no path of such a file */
bool crs_bundle_find(const char *path, crs_bundled *out); /* false: it is not there */
/* The bytes of one, or of an .npy file of it; NULL with the reason. */
FILE *crs_bundle_stream(const char *path, crease_error *e);
/* The file that has the bytes of a path, for reading, and how much later they are there: 0 but for
 * files in another. -1 with errno. */
int crs_bundle_open(const char *path, long long *later);
/* File k; false after the last, and with a reason where they cannot be told. forget: what this
 * thread knows of the last one that was asked. */
bool crs_bundle_at(const char *file, int k, crs_bundled *out, crease_error *e);
void crs_bundle_forget(void);
bool crs_bundle_begin(const char *file, crease_error *e);
bool crs_bundle_put(const char *path, crs_put *put, const void *what, crs_stamp *stamp,
                    crease_error *e);
bool crs_bundle_item(const char *path, const crs_item *item, crs_stamp *stamp, crease_error *e);
/* Room for an array: where, from byte *offset of the FILE on. */
bool crs_bundle_lay(const char *path, const crease_space *s, long long *offset, crease_error *e);

#endif
