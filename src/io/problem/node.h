/* SPDX-License-Identifier: MIT
 * node.h: a value in a JSON document together with the way to it, so that every complaint names
 * its place. What is read is kept until the reader's owner frees it. */
#ifndef CRS_NODE_H
#define CRS_NODE_H

#include <jansson.h>

#include "io/formats/io.h"

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
    uint64_t hash;      /* of the document and every file it names */
    crease_error *e;
} crs_reader;

/* Memory that the reader owns; NULL with e filled in. crs_keep takes p over, or frees it. */
void *crs_keep_new(crs_reader *r, ptrdiff_t count, size_t size);
void *crs_keep(crs_reader *r, void *p);
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

#endif
