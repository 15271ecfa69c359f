/* SPDX-License-Identifier: MIT
 * problem.h: a problem and its options from a JSON file
 *
 * {"crease": 1, "blocks": [...], "smooth": [...], "constraint": {...}, "options": {...}}, as
 * docs/problem.schema.json says. Files it names are relative to it. A node is a value of the
 * document together with the way to it, so that every complaint names its place; a part has one
 * reader, which keeps what it reads, checks it against its space and names what is wrong. */
#ifndef CRS_IO_PROBLEM_H
#define CRS_IO_PROBLEM_H

#include <crease/options.h>
#include <crease/problem.h>
#include <jansson.h>

#include "io/formats/io.h"

/* JSON text to a document (json.c); NULL with the place of its first fault. Its numbers are real
 * ones, or whole where they are whole. begin gives the JSON library memory that it survives the
 * lack of: a program calls it before anything else. */
void crs_json_begin(void);
json_t *crs_json_parse(const char *name, const char *text, size_t n, crease_error *e);
json_t *crs_json_parse_whole(const char *name, const char *text, size_t n, crease_error *e);
/* The first of a file, whose text goes into a hash unless that is NULL. */
json_t *crs_json_read(const char *path, crs_hash *hash, crease_error *e);
bool crs_text_read(const char *path, char **text, size_t *n, crease_error *e);

typedef struct crs_node crs_node;
struct crs_node {
    const crs_node *up; /* NULL: this is the document */
    const char *key;    /* in an object; NULL: the index in an array */
    size_t index;
    json_t *value;
};

typedef struct crs_kept crs_kept;

typedef struct {
    const char *name;   /* of the file, as the user wrote it */
    const char *folder; /* file names in the document are relative to it; ends in / or is empty */
    crs_kept *kept;     /* memory that lives as long as what is read */
    crs_hash hash;      /* of the document and every file it names */
    crease_error *e;
} crs_reader;

/* Memory that the reader owns; NULL with e filled in. crs_keep takes p over, or frees it. */
void *crs_keep_new(crs_reader *r, ptrdiff_t count, size_t size);
void *crs_keep(crs_reader *r, void *p);
/* The same of what a function other than crs_free releases. */
void *crs_keep_until(crs_reader *r, void *p, void (*release)(void *p));
void crs_kept_free(crs_kept *kept);

/* "FILE: /blocks/0/set: sentence", BAD_DATA; always false. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool crs_fail_at(const crs_reader *r, const crs_node *at, const char *format, ...);

/* The sentence already in e, with the place before it. */
bool crs_blame(const crs_reader *r, const crs_node *at);

/* Is it an object with no other keys than these? */
bool crs_has_keys(const crs_reader *r, const crs_node *at, int count, const char *const *key);

/* The member of an object: is it there? And when it must be. */
bool crs_member(const crs_node *at, const char *key, crs_node *out);
bool crs_need(const crs_reader *r, const crs_node *at, const char *key, crs_node *out);
crs_node crs_element(const crs_node *at, size_t k);

/* The only member of an object with one key. */
bool crs_only(const crs_reader *r, const crs_node *at, const char *what, crs_node *out);

/* "an object", "a number", ... for sentences */
const char *crs_kind_of(const json_t *value);

/* A finite number; or one that may also be "inf" or "-inf". */
bool crs_number_at(const crs_reader *r, const crs_node *at, double *out);
bool crs_extended_at(const crs_reader *r, const crs_node *at, double *out);
bool crs_whole_at(const crs_reader *r, const crs_node *at, double low, double high, ptrdiff_t *out);
bool crs_text_at(const crs_reader *r, const crs_node *at, const char **out);

/* 5 or [3, 4]: a shape. */
bool crs_shape_at(const crs_reader *r, const crs_node *at, crease_space *out);

/* "3 x 4", for sentences. */
const char *crs_shape_text(const crease_space *s, char *out, size_t size);

/* The blocks, for parts that name them. */
typedef struct {
    int count;
    const crease_space *space;
    const char **name;
} crs_block_list;

/* An array, inline or in a file: numbers, finite unless `infinite`. */
bool crs_array_at(crs_reader *r, const crs_node *at, bool infinite, crs_array *out);
/* The same in a given shape (dimensions of 1 aside); one number stands for all entries. */
bool crs_filled_at(crs_reader *r, const crs_node *at, const crease_space *s, bool infinite,
                   const double **out);
/* Whole numbers in [0, most]. */
bool crs_indices_at(crs_reader *r, const crs_node *at, double most, ptrdiff_t *count,
                    const ptrdiff_t **out);
/* The path of a file that the document names, and its bytes into the reader's hash. */
const char *crs_path_at(crs_reader *r, const crs_node *at);

/* The parameters of a catalogue entry by name, and the array called `vector`, into a spec. */
bool crs_spec_at(crs_reader *r, const crs_node *at, const crease_param *params, const char *vector,
                 const crease_space *s, crease_spec *spec);
/* The spec of a text "scad:0.1,3.7"; the reader keeps its numbers. */
bool crs_spec_text_at(crs_reader *r, const crs_node *at, crease_spec *spec);

bool crs_reg_at(crs_reader *r, const crs_node *at, const crease_space *s, crease_reg *out);
bool crs_set_at(crs_reader *r, const crs_node *at, const crease_space *s, crease_set *out);

/* *range is the map's own idea of its range, order 0 when it has none. */
bool crs_map_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                crease_space *range);

/* Does a map with a range of its own fit the range that was settled on? */
bool crs_same_rows(const crs_reader *r, const crs_node *at, const crease_space *own,
                   const crease_space *range);

/* Several maps into one space: {"block": map, ...}. The range is the one in out unless its order
 * is 0, or that of the array at rhs, or the first the maps know. rhs may be NULL. */
typedef struct {
    int count;
    int *block;
    crease_map *map;
    crease_space range;
    const double *rhs, *multiplier; /* NULL: none; the latter of a constraint alone */
} crs_sum_of_maps;
bool crs_sum_at(crs_reader *r, const crs_node *maps, const crs_node *rhs,
                const crs_block_list *blocks, crs_sum_of_maps *out);

/* A constraint: {"maps", "rhs", "shape", "multiplier"}, or a list of these, whose rows stand one
 * over another. */
bool crs_constraint_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                       crs_sum_of_maps *out);

/* The block a text names, or a key. */
bool crs_block_at(const crs_reader *r, const crs_node *at, const crs_block_list *blocks, int *i);
bool crs_block_named(const crs_reader *r, const crs_node *at, const char *name,
                     const crs_block_list *blocks, int *i);

/* The couplings of a list, added up. */
bool crs_smooth_sum_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                       crease_smooth *out);

/* What the file says of a block's regularizer and set, for certificates. */
typedef struct {
    const char *regularizer, *set;
} crs_block_text;

typedef struct {
    crease_problem problem;   /* every block has a name */
    crease_options options;   /* the defaults, changed by the file */
    crease_block *block;      /* those of the problem */
    const double *multiplier; /* of the constraint, to begin with; NULL: none is given */
    const crs_block_text *text;
    char hash[CRS_HASH]; /* of the file and of every file it names */
    crs_kept *kept;      /* all of its memory */
} crs_problem_file;

/* NULL with one sentence: the file, the place in it, what is wrong, the remedy. */
crs_problem_file *crs_problem_read(const char *path, crease_error *e);
void crs_problem_file_free(crs_problem_file *f);

#endif
