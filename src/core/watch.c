/* SPDX-License-Identifier: MIT
 * watch: limits, requests to stop and the time of every phase (watch.h). A watch may stand in an
 * outer one, as that of a handle in its caller's: it asks that one too, and time is told there. */
#include <stdatomic.h>

#include "core/checkpoint.h"

static const double grace = 0.5; /* seconds that the rest may take beyond limit or request */

void crs_watch_begin(crease_watch *w, crease_watch *outer)
{
    *w = (crease_watch){ .outer = outer, .until = INFINITY };
    atomic_init(&w->asked, 0);
    w->begun = w->since = crs_now();
}

void crs_watch_restart(crease_watch *w) { w->begun = crs_now(); }

crease_watch *crease_watch_new(crease_error *e)
{
    crease_watch *w = crs_alloc(1, sizeof *w);
    if (w)
        crs_watch_begin(w, NULL);
    else
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a watch");
    return w;
}

void crease_watch_free(crease_watch *w) { crs_free(w); }

void crease_watch_limit(crease_watch *w, double seconds)
{
    if (w) w->until = w->begun + seconds;
}

void crease_watch_reserve(crease_watch *w, double seconds)
{
    if (w) w->reserve = seconds;
}

/* clock_gettime may be called from a signal handler */
void crease_watch_stop(crease_watch *w)
{
    long long none = 0;
    if (w) atomic_compare_exchange_strong(&w->asked, &none, (long long)(1e9 * crs_now()) + 1);
}

/* When a stop was asked for; INFINITY: it was not. */
static double asked_at(const crease_watch *w)
{
    const long long at = atomic_load_explicit(&w->asked, memory_order_relaxed);
    return at == 0 ? INFINITY : 1e-9 * (double)at;
}

static const crease_watch *root_of(const crease_watch *w)
{
    while (w && w->outer) w = w->outer;
    return w;
}

static bool works(const crease_watch *w) { return root_of(w)->phase <= CREASE_PHASE_FIT; }

/* Half of its limit at most is kept for what follows. */
static double working_end(const crease_watch *w, double kept)
{
    return w->until - smaller(kept, (w->until - w->begun) / 2);
}

crease_checkpoint *crs_watch_checkpoint(const crease_watch *w)
{
    return w ? root_of(w)->checkpoint : NULL;
}

void crease_watch_checkpoint(crease_watch *w, crease_checkpoint *c)
{
    if (w) w->checkpoint = c;
}

static bool is_over(const crease_watch *w)
{
    const bool work = works(w);
    double kept = 0, now = 0;
    for (; w; w = w->outer) {
        const double asked = asked_at(w);
        if (work && asked < INFINITY) return true;
        kept += w->reserve;
        const double end = work ? working_end(w, kept) : smaller(w->until, asked) + grace - kept;
        if (!(end < INFINITY)) continue;
        if (now == 0) now = crs_now();
        if (now >= end) return true;
    }
    return false;
}

/* Whoever is told so may leave work half done: the checkpoint takes no more. */
bool crease_watch_over(const crease_watch *w)
{
    const bool over = w && is_over(w);
    if (over && root_of(w)->checkpoint) crs_checkpoint_freeze(root_of(w)->checkpoint);
    return over;
}

/* A stop that is asked for while this looks is a stop as well, so the limit is looked at first. */
crease_outcome crease_watch_why(const crease_watch *w)
{
    const bool over = crease_watch_over(w);
    for (const crease_watch *at = w; at; at = at->outer)
        if (asked_at(at) < INFINITY) return CREASE_STOPPED;
    return over ? CREASE_TIME_LIMIT : CREASE_NOT_RUN;
}

crease_phase crease_watch_enter(crease_watch *w, crease_phase phase)
{
    if (!w) return CREASE_PHASE_READ;
    while (w->outer) w = w->outer;
    const crease_phase was = w->phase;
    const double now = crs_now();
    w->seconds[was] += now - w->since;
    w->since = now;
    w->phase = phase;
    return was;
}

crease_phase crease_watch_phase(const crease_watch *w)
{
    return w ? root_of(w)->phase : CREASE_PHASE_READ;
}

double crease_watch_seconds(const crease_watch *w, crease_phase phase)
{
    if (!w) return 0;
    w = root_of(w);
    return w->seconds[phase] + (phase == w->phase ? crs_now() - w->since : 0);
}

double crease_watch_total(const crease_watch *w) { return w ? crs_now() - root_of(w)->begun : 0; }

const char *crease_phase_name(crease_phase phase)
{
    static const char *const names[] = {
#define X(id, name, meaning) name,
        CREASE_PHASES(X)
#undef X
    };
    return (size_t)phase < CREASE_PHASE_COUNT ? names[phase] : "unknown phase";
}
