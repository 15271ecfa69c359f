/* SPDX-License-Identifier: MIT
 * outdir.h: a folder of arrays and JSON documents, each of which appears whole or not at all */
#ifndef CRS_OUTDIR_H
#define CRS_OUTDIR_H

#include "cli/cli.h"

enum { CRS_NO_OUTPUT = 73 };

/* "factor_2.npy" */
void crs_outdir_factor(int n, char out[32]);

/* The folder of --out is there, made if need be, and holds none of the named files nor a factor,
 * or --force was given. The exit code of a failure is CRS_NO_OUTPUT. */
bool crs_outdir_open(const crs_args *a, int count, const char *const *name, crease_error *e);

/* Before the first file: takes away the document of an earlier result, which comes last again, so
 * that a folder written half way is no result. */
bool crs_outdir_begin(const crs_args *a, const char *document, crease_error *e);

bool crs_outdir_array(const crs_args *a, const char *name, const crease_space *s,
                      const double *data, crease_error *e);
bool crs_outdir_factors(const crs_args *a, const crease_space *shape, ptrdiff_t rank,
                        const double *const *factor, crease_error *e);

/* "DIR/name"; false when it is too long. */
bool crs_join(const char *folder, const char *name, char *out, size_t size, crease_error *e);

/* The document to a file of the folder, or with --json to standard output as well; freed. NULL is
 * out of memory. */
bool crs_outdir_document(const crs_args *a, const char *name, json_t *document, crease_error *e);

/* null when not finite */
json_t *crs_real(double x);
json_t *crs_dims(const crease_space *s);

/* Refuses what needs more bytes than the machine has free, before they are asked for. */
bool crs_memory_suffices(const char *what, double bytes, crease_error *e);

#endif
