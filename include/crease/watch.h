/* SPDX-License-Identifier: MIT
 * watch.h: one token for limits, requests to stop, and the time of every phase of a job
 *
 * The caller makes one watch for a job, gives its address to every call of that job (the member
 * `watch` of options, settings and claims; NULL: none) and may ask it to stop from a signal handler
 * or another thread. Every loop of the library asks the watch, and ends with the best so far. */
#ifndef CREASE_WATCH_H
#define CREASE_WATCH_H

#include <stdbool.h>

#include <crease/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(id, name, meaning) */
#define CREASE_PHASES(X)                                                                           \
    X(READ, "read", "reading and checking the data")                                               \
    X(CENTER, "center", "finding the constants that are removed")                                  \
    X(START, "start", "making and comparing first points")                                         \
    X(RANK, "rank", "choosing a rank")                                                             \
    X(FIT, "fit", "iterations")                                                                    \
    X(CERTIFY, "certify", "certificates of the solver")                                            \
    X(CHECK, "check", "the independent checker")                                                   \
    X(WRITE, "write", "writing the result")

typedef enum {
#define CREASE_ENTRY_(id, name, meaning) CREASE_PHASE_##id,
    CREASE_PHASES(CREASE_ENTRY_)
#undef CREASE_ENTRY_
        CREASE_PHASE_COUNT
} crease_phase;

typedef struct crease_watch crease_watch;

/* Its seconds begin here, in the phase READ, without a limit. NULL with a sentence when out of
 * memory. It must outlive every call and handle that it was given to. */
CREASE_API crease_watch *crease_watch_new(crease_error *e);
CREASE_API void crease_watch_free(crease_watch *w);

/* The job is to end so many seconds after the watch was made; >= 0, INFINITY: no limit. */
CREASE_API void crease_watch_limit(crease_watch *w, double seconds);

/* Of those, so many are kept for what follows work and check: the caller's own writing. At most
 * half of the limit is taken for it. */
CREASE_API void crease_watch_reserve(crease_watch *w, double seconds);

/* Asks the job to end now. May be called from a signal handler or another thread. */
CREASE_API void crease_watch_stop(crease_watch *w);

/* Is it time to end? In the phases up to FIT: was a stop asked for, or is the limit reached, less
 * what is kept for the rest. From CERTIFY on there is half a second more, less what is kept. In one
 * phase true does not become false again, unless less is kept. */
CREASE_API bool crease_watch_over(const crease_watch *w);

/* STOPPED: by request; TIME_LIMIT: by the limit; NOT_RUN: neither yet. */
CREASE_API crease_outcome crease_watch_why(const crease_watch *w);

/* From here on seconds belong to this phase; returns the phase before, to go back to. Calls of the
 * library enter their phases themselves and leave them as they were. */
CREASE_API crease_phase crease_watch_enter(crease_watch *w, crease_phase phase);
CREASE_API crease_phase crease_watch_phase(const crease_watch *w);

/* Seconds of a phase so far; of all of them, which is the time since the watch was made. */
CREASE_API double crease_watch_seconds(const crease_watch *w, crease_phase phase);
CREASE_API double crease_watch_total(const crease_watch *w);

/* "read", "center", ...; "unknown phase" for a number that is none */
CREASE_API const char *crease_phase_name(crease_phase phase);

#ifdef __cplusplus
}
#endif

#endif
