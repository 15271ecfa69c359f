/* SPDX-License-Identifier: MIT
 * problem_file.h: a problem and its options from a JSON file
 *
 * {"crease": 1, "blocks": [...], "smooth": [...], "constraint": {...}, "options": {...}}, as
 * docs/problem.schema.json says. Files it names are relative to it. */
#ifndef CRS_PROBLEM_FILE_H
#define CRS_PROBLEM_FILE_H

#include <crease/options.h>
#include <crease/problem.h>

#include "io/problem/problem.h"

/* What the file says of a block's regularizer and set, for certificates. */
typedef struct {
    const char *regularizer, *set;
} crs_block_text;

typedef struct {
    crease_problem problem; /* every block has a name */
    crease_options options; /* the defaults, changed by the file */
    crease_block *block;    /* those of the problem */
    const crs_block_text *text;
    char hash[32];  /* "fnv1a-64:..." of the file and of every file it names */
    crs_kept *kept; /* all of its memory */
} crs_problem_file;

/* NULL with one sentence: the file, the place in it, what is wrong, the remedy. */
crs_problem_file *crs_problem_read(const char *path, crease_error *e);
void crs_problem_file_free(crs_problem_file *f);

/* Its blocks, with their list for the parts that name them, and the constraint between them. */
bool crs_blocks_at(crs_reader *r, const crs_node *at, crs_problem_file *f, crs_block_list *list);
bool crs_constraint_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                       crs_problem_file *f);

#endif
