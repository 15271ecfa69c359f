/* SPDX-License-Identifier: MIT
 * watch.h: one token for limits, requests to stop, progress, and the history of a job
 *
 * The caller makes one watch for a job, gives its address to every call of that job (the member
 * `watch` of options, settings and claims; NULL: none) and may ask it to stop from a signal handler
 * or another thread. Every loop of the library asks the watch, and ends with the best so far; the
 * watch calls the caller's look from there, and keeps what the loops tell it. */
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

/* As it was when it was made, but for its look: for another job of the handles that it was given
 * to. On the thread that is going to run it, while none runs. */
CREASE_API void crease_watch_again(crease_watch *w);

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

/* What a job is doing. The struct may grow at its end: it is only ever handed out by address. */
typedef struct {
    crease_phase phase;
    double fraction;       /* of the phase that is done, from 0 to 1; NaN: not known */
    long iteration;        /* of the present run of this phase; -1: it has not begun */
    double objective;      /* this and the two below NaN where they are not known: */
    double worst;          /* largest residual of the last certificate, */
    double worst_relative; /* and largest quotient of a residual and its scale */
    double eps;            /* the bound of one of them; NaN: none is known yet */
    bool relative;         /* of worst_relative, otherwise of worst */
    double seconds;        /* since the watch was made */
    const char *message;   /* a few words on where it is, as "rank 4"; "": none */
    bool stopping;         /* a stop was asked for, or the limit is reached */
} crease_state;

/* False asks the job to stop, as crease_watch_stop does. The state is valid during the call. */
typedef bool crease_look(const crease_state *state, void *user);

/* From here on fn(state, user) is called by the loops of the job every so many seconds (> 0), as
 * far as they ask, and whenever a phase is entered for the first time; NULL: never. It is called on
 * the thread that called this (or, if nobody did, that made the watch), and on no other: calls of
 * the library are to be made there for it. It may ask the watch and stop it, and must not enter
 * phases, free the watch, or jump out. */
CREASE_API void crease_watch_look(crease_watch *w, crease_look *fn, void *user, double every);

/* What the look would see now. */
CREASE_API crease_state crease_watch_state(const crease_watch *w);

/* What one iteration did; also a row of the history. NaN: not known. */
typedef struct {
    long iteration;
    double seconds;                       /* of the run; in a history since the watch was made */
    double objective, feasibility, worst; /* of the last certificate */
    double theta;                         /* as in the paper: squared moves */
    double potential, decrease;           /* NaN unless audited */
    double worst_relative;                /* worst, each residual over its scale */
    crease_phase phase;
} crease_progress;

/* The history of the job, in the order of time: a row per iteration of every phase, of regression
 * per lambda. There is room for CREASE_HISTORY rows; when it is full, every other one of the phase
 * that has most of them goes. The last row of the last phase is always there, and the first. */
enum { CREASE_HISTORY = 4096 };
CREASE_API long crease_watch_rows(const crease_watch *w);
CREASE_API crease_progress crease_watch_row(const crease_watch *w, long k); /* 0 <= k < rows */

/* "read", "center", ...; "unknown phase" for a number that is none */
CREASE_API const char *crease_phase_name(crease_phase phase);

#ifdef __cplusplus
}
#endif

#endif
