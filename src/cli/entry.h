/* SPDX-License-Identifier: MIT
 * entry.h: catalogue entries named on the command line, with the data they borrow */
#ifndef CRS_ENTRY_H
#define CRS_ENTRY_H

#include "cli/cli.h"

/* "3,2,4", "@2,1,1,2" or a file of labels, for n entries. On failure g is empty. */
bool crs_grouping_read(const char *text, ptrdiff_t n, crs_grouping *g, crease_error *e);

typedef struct {
    crease_spec spec;
    crease_reg reg;
    const crease_param *params;
    crs_array weights;
    crs_grouping grouping;
} crs_named_reg;

/* open: the entry and its parameters. fit: the groups and weights of the command line, and whether
 * all of it suits the space. close is safe after a failure of either. */
bool crs_reg_open(const char *text, crs_named_reg *r, crease_error *e);
/* The same, "l1" (also for NULL) standing for "l1:1": one parameter is the weight (penalty.c). */
bool crs_penalty_open(const char *text, crs_named_reg *r, crease_error *e);
bool crs_reg_fit(const crs_args *a, const crease_space *s, crs_named_reg *r, crease_error *e);
/* The same with their texts, NULL where there is none; a hash of the groups and weights. */
bool crs_reg_fit_to(const char *groups, const char *weights, const crease_space *s,
                    crs_named_reg *r, crease_error *e);
void crs_reg_hash(const crs_named_reg *r, char hash[32]);
void crs_reg_close(crs_named_reg *r);
bool crs_reg_wants_groups(const crease_reg_ops *ops);
bool crs_reg_wants_matrix(const crease_reg_ops *ops);

typedef struct {
    crease_spec spec;
    crease_set set;
} crs_named_set;

/* fit: n^2 numbers without a shape become n x n for a set of square matrices. */
bool crs_set_open(const char *text, crs_named_set *c, crease_error *e);
bool crs_set_fit(crs_named_set *c, crease_space *s, crease_error *e);
void crs_set_close(crs_named_set *c);

#endif
