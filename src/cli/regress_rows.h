/* SPDX-License-Identifier: MIT
 * regress_rows.h: regressions on rows in slabs, of the verbs regress and verify */
#ifndef CRS_CLI_REGRESS_ROWS_H
#define CRS_CLI_REGRESS_ROWS_H

#include "cli/regress.h"

/* Are the rows too many for the memory that may be used? Then j->in_rows. */
bool crs_regress_foresee(crs_regress_job *j, crease_error *e);
/* The files as slabs, of a dry run their shapes alone; the model; the checker's verdicts, with the
 * hashes of the files. */
bool crs_regress_open_rows(crs_regress_job *j, crease_error *e);
bool crs_regress_build_rows(crs_regress_job *j, crease_error *e);
bool crs_regress_check_rows(crs_regress_job *j, crease_error *e);
void crs_regress_foretell_rows(const crs_regress_job *j);
void crs_regress_close_rows(crs_regress_job *j);

/* The other ranks open the same files (rpca/ranks.c). */
struct crs_team;
struct crs_source;
struct crs_joining;
bool crs_regress_share(const struct crs_team *t, const struct crs_joining *files, double bytes,
                       struct crs_source *source, crease_error *e);

#endif
