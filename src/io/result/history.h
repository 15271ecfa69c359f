/* SPDX-License-Identifier: MIT
 * history.h: the course of a run in bounded memory: when it is full, every other row goes */
#ifndef CRS_HISTORY_H
#define CRS_HISTORY_H

#include <crease/solver.h>

#include "io/formats/io.h"

enum { CRS_HISTORY = 4096 };

typedef struct {
    int count;
    long stride; /* iterations between two rows */
    crease_progress row[CRS_HISTORY];
    crease_progress last; /* the latest, whether it has a row or not */
} crs_history;

void crs_history_add(crs_history *h, const crease_progress *p);

/* iteration,objective,feasibility,worst,theta,potential,seconds */
bool crs_history_write(const crs_history *h, const char *path, crease_error *e);
void crs_history_names(FILE *f);
void crs_history_line(FILE *f, const crease_progress *p);

#endif
