/* SPDX-License-Identifier: MIT
 * checkpoint.h: what a long job has done so far, as bytes, so that another process can go on
 *
 * The caller makes one checkpoint for a job, says what the job is about (bind), gives it bytes of
 * an earlier one if there are any (resume), and hangs it on the job's watch (watch.h) before the
 * first call of that job. Every long call of the library then notes the units of work that are
 * finished (a fit of a rank, a fold, a component, a start) and where the current one is. A call
 * that is made again with the same arguments takes the finished units from there, goes on in the
 * middle of the current one, and ends in the same bits. The numbers of a run do not depend on
 * whether a checkpoint hangs on its watch. */
#ifndef CREASE_CHECKPOINT_H
#define CREASE_CHECKPOINT_H

#include <stddef.h>

#include <crease/watch.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crease_checkpoint crease_checkpoint;

/* Stores the bytes; false: they were not stored, and the job goes on. Called by the thread that
 * runs the job, or by one of the library's own when the watch ends the job. */
typedef bool crease_checkpoint_save(void *user, const void *bytes, size_t count);

/* `save` is called at most every so many seconds (>= 0; 0: whenever something is new, else for a
 * twentieth of the time at most), and when the watch or a limit ends the job. NULL with a sentence
 * when out of memory. */
CREASE_API crease_checkpoint *crease_checkpoint_new(double every, crease_checkpoint_save *save,
                                                    void *user, crease_error *e);
CREASE_API void crease_checkpoint_free(crease_checkpoint *c);

/* The bytes of an earlier job, which are copied; before anything is bound. False with a sentence
 * when they are no checkpoint of this version of the library, or damaged: whoever stores them
 * should keep a hash of them. */
CREASE_API bool crease_checkpoint_resume(crease_checkpoint *c, const void *bytes, size_t count,
                                         crease_error *e);

/* A fact that a later job must share, such as a hash of the data or a setting: false with a
 * sentence that names it where the bytes of resume have another value of the same name. */
CREASE_API bool crease_checkpoint_bind(crease_checkpoint *c, const char *name, const char *value,
                                       crease_error *e);

/* From now on calls with this watch use it; NULL: none. It must outlive them, and the
 * handles that they made. */
CREASE_API void crease_watch_checkpoint(crease_watch *w, crease_checkpoint *c);

/* Stores what was noted last, unless that was done: after a job that did not end by itself. False
 * when there is nothing to store, or `save` said so. */
CREASE_API bool crease_checkpoint_write(crease_checkpoint *c);

typedef struct {
    bool cut;        /* the watch, a limit or a failure ended the work */
    long reused;     /* units that were taken from the bytes of resume */
    bool amidst;     /* and one of them went on in its middle */
    bool misfit;     /* a part of them was not what this job does, and was computed anew */
    bool refused;    /* a part cannot be resumed in its middle, and would begin anew */
    long saved;      /* calls of save that stored */
    double seconds;  /* that noting and storing took */
    const char *why; /* no more is noted, because of this; NULL: all is well */
} crease_checkpoint_facts;
CREASE_API crease_checkpoint_facts crease_checkpoint_about(const crease_checkpoint *c);

#ifdef __cplusplus
}
#endif

#endif
