/* SPDX-License-Identifier: MIT
 * list.h: the four catalogues in one form, for people and for programs */
#ifndef CRS_LIST_H
#define CRS_LIST_H

#include "cli/cli.h"

enum { CRS_REGULARIZERS, CRS_SETS, CRS_MAPS, CRS_SMOOTH, CRS_KINDS };

/* Texts are NULL where a kind has none. */
typedef struct {
    const char *name;
    const char *formula;
    const char *rho; /* of a regularizer made from a penalty: rho(y) */
    const crease_penalty *penalty;
    const crease_param *params;
    const char *vector, *data;
    const char *lipschitz, *weak_convexity; /* regularizers */
    bool convex;                            /* regularizers */
    bool compact, projection;               /* sets */
    bool matrix, groups;
} crs_described;

const char *crs_kind_name(int kind);
const char *crs_kind_title(int kind);
/* The kind a word names, CRS_KINDS with e filled in when it names none. */
int crs_kind_find(const char *word, crease_error *e);
int crs_described_count(int kind);
crs_described crs_described_at(int kind, int k);
/* How many entries from k on are versions of one penalty and are shown together; at least 1. */
int crs_described_run(int kind, int k);
/* What a vector parameter holds. */
const char *crs_vector_text(int kind);
/* "[0, inf)", or "[1, inf), integer". */
void crs_range_text(const crease_param *p, char *out, size_t size);
/* "convex, Lipschitz lambda"; empty for kinds without traits. */
void crs_traits_text(int kind, const crs_described *d, char *out, size_t size);

void crs_list_text(int kind);
void crs_list_markdown(int kind);
bool crs_list_json(int first, int last, crease_error *e);

#endif
