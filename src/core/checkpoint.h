/* SPDX-License-Identifier: MIT
 * checkpoint.h: how a long call notes what it has done (checkpoint.c)
 *
 * A job is a sequence of units, some within others, the same whenever it is run again. The code of
 * a unit is a pair of calls around the work, and one function that visits what the unit changes;
 * the same function writes and reads:
 *
 *     static void visit(crs_visitor *v, void *self) { crs_visit(v, s->x); crs_visits(v, s->y, n); }
 *     if (crs_unit_begin(w, "fit", CRS_UNIT_LOOP, visit, s) != CRS_UNIT_DONE) {
 *         while (... a step ...) crs_unit_tick(w);
 *         crs_unit_end(w);
 *     }
 *
 * DONE: the unit was finished by the job that is resumed, and was visited: there is nothing to do,
 * nor to end. AMIDST: its state of the last tick was visited, and the loop goes on from it. FRESH:
 * from the beginning; units within it may be done. What lies between units is computed again.
 *
 * A visitor visits the same names and counts in any state of the unit. Where the watch is over
 * nothing is noted any more, since what it has cut is not a state of the job. All of it is for the
 * thread that runs the job; w may be NULL, and no checkpoint hang on it: then it does nothing. */
#ifndef CRS_CHECKPOINT_H
#define CRS_CHECKPOINT_H

#include <crease/checkpoint.h>

#include "core/core.h"

typedef struct crs_visitor crs_visitor;
typedef void crs_visit_function(crs_visitor *v, void *self);

typedef enum {
    CRS_UNIT_WHOLE, /* is visited when it is finished */
    CRS_UNIT_LOOP,  /* at a tick as well; it holds no other units */
    CRS_UNIT_OUTER  /* at every tick: those of its units that are finished then are in its state */
} crs_unit_kind;
typedef enum { CRS_UNIT_FRESH, CRS_UNIT_AMIDST, CRS_UNIT_DONE } crs_unit_found;

crs_unit_found crs_unit_begin(crease_watch *w, const char *name, crs_unit_kind kind,
                              crs_visit_function *visit, void *self);
void crs_unit_tick(crease_watch *w); /* between two steps of the innermost unit */
void crs_unit_end(crease_watch *w);  /* the innermost unit is finished */
void crs_unit_drop(crease_watch *w); /* it has failed */
/* The state of the innermost unit is noted at once: a limit may end it here. */
void crs_unit_note(crease_watch *w);
/* A limit or a failure has ended what a run without them would go on with: from now on nothing is
 * noted, as where the watch is over, and what was noted last is stored. */
void crs_unit_cut(crease_watch *w);

/* One variable, and an array of `count`, without pointers in them. */
#define crs_visit(v, x)         crs_visit_bytes(v, #x, &(x), sizeof(x))
#define crs_visits(v, x, count) crs_visit_bytes(v, #x, x, (size_t)(count) * sizeof *(x))
void crs_visit_bytes(crs_visitor *v, const char *name, void *x, size_t size);
/* An array behind a pointer, NULL where it has nothing; read from packed bytes, the pointer leads
 * into them. */
#define crs_visit_array(v, x, count) crs_visit_pointer(v, #x, &(x), (size_t)(count) * sizeof *(x))
void crs_visit_pointer(crs_visitor *v, const char *name, void *x, size_t size);
/* A text that is never freed; what is read lives as long as the checkpoint. */
void crs_visit_text(crs_visitor *v, const char *name, const char **x);
/* A number that decides what is visited after it: it is read when the rest is compared, too. */
void crs_visit_choice(crs_visitor *v, const char *name, int *x);
bool crs_visit_writes(const crs_visitor *v);
/* The unit cannot be noted as it is now: a job that is resumed begins it anew. */
void crs_visit_refuses(crs_visitor *v);
bool crs_visit_reads(const crs_visitor *v); /* from a checkpoint: what follows from it is to do */

/* What a visitor shows, as bytes for another process; NULL when out of memory. Back from them:
 * false when they are not of this visitor. The bytes stay aligned for numbers. */
char *crs_pack(crs_visit_function *visit, void *self, size_t *count);
bool crs_unpack(crs_visit_function *visit, void *self, const char *bytes, size_t count);

/* The watch is over, in a phase of work or after it: what is noted is stored. Called by any thread.
 */
void crs_checkpoint_freeze(crease_checkpoint *c, bool work);

#endif
