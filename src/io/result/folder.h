/* SPDX-License-Identifier: MIT
 * folder.h: a result is a folder that appears under its name whole or not at all */
#ifndef CRS_FOLDER_H
#define CRS_FOLDER_H

#include "io/formats/io.h"

typedef struct {
    char *path;    /* what it will be called */
    char *beside;  /* where it is written */
    bool replaces; /* an earlier result is in the way and may go */
} crs_folder;

/* Could the folder be written? With `force` an earlier result may be replaced, and nothing else:
 * a folder with any other file in it is refused. */
bool crs_folder_possible(const char *path, bool force, crease_error *e);

/* A new folder beside `path`. Ends with commit, which gives it its name, or abandon. */
bool crs_folder_begin(const char *path, bool force, crs_folder *f, crease_error *e);
bool crs_folder_commit(crs_folder *f, crease_error *e);
void crs_folder_abandon(crs_folder *f);

/* "FOLDER/name", to be freed; NULL with e filled in. */
char *crs_folder_file(const char *folder, const char *name, crease_error *e);

/* A file for writing; and its end: on the disk, or removed and e filled in. */
FILE *crs_create(const char *path, crease_error *e);
bool crs_finish(FILE *f, const char *path, bool written, crease_error *e);

#endif
