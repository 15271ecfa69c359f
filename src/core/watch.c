/* SPDX-License-Identifier: MIT
 * watch: limits, requests to stop, the time of every phase, looks and history (watch.h). A watch
 * may stand in an outer one, as that of a handle in its caller's: it asks that one too, and time
 * and progress are told there. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "core/checkpoint.h"

static const double grace = 0.5; /* seconds that the rest may take beyond limit or request */

enum { WORDS = 80 };

/* What was told under each phase, and the rows of the history. Row k of a phase is kept while k is
 * a multiple of its stride, or it is the last of all. */
struct crs_course {
    crease_watch *watch;
    pthread_t thread;  /* of the looks, and of everything that is told */
    crease_look *look; /* NULL: none */
    void *user;
    double every, next;
    bool looking, entered[CREASE_PHASE_COUNT];
    crease_state told[CREASE_PHASE_COUNT];
    char words[CREASE_PHASE_COUNT][WORDS];
    long seen[CREASE_PHASE_COUNT], stride[CREASE_PHASE_COUNT];
    int rows[CREASE_PHASE_COUNT], count;
    struct {
        crease_progress now;
        long number; /* among those of its phase */
    } row[CREASE_HISTORY];
};

void crs_watch_begin(crease_watch *w, crease_watch *outer)
{
    *w = (crease_watch){ .outer = outer, .until = INFINITY };
    atomic_init(&w->asked, 0);
    w->begun = w->since = crs_now();
}

void crs_watch_restart(crease_watch *w) { w->begun = crs_now(); }

static void begin_course(crs_course *c, crease_watch *w)
{
    c->watch = w;
    c->thread = pthread_self();
    for (int k = 0; k < CREASE_PHASE_COUNT; k++) {
        c->told[k] = (crease_state){ .phase = (crease_phase)k,
                                     .fraction = NAN,
                                     .iteration = -1,
                                     .objective = NAN,
                                     .worst = NAN,
                                     .worst_relative = NAN,
                                     .eps = NAN,
                                     .message = c->words[k] };
        c->stride[k] = 1;
    }
    w->course = c;
}

crease_watch *crease_watch_new(crease_error *e)
{
    struct {
        crease_watch watch;
        crs_course course;
    } *both = crs_alloc(1, sizeof *both);
    if (!both) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a watch"), NULL;
    crs_watch_begin(&both->watch, NULL);
    begin_course(&both->course, &both->watch);
    return &both->watch;
}

void crease_watch_free(crease_watch *w) { crs_free(w); }

void crease_watch_again(crease_watch *w)
{
    crs_course *c = w->course;
    crease_look *const look = c->look;
    void *const user = c->user;
    const double every = c->every;
    memset(c, 0, sizeof *c);
    crs_watch_begin(w, NULL);
    begin_course(c, w);
    c->look = look, c->user = user, c->every = every;
}

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

/* The course of the job, on the thread that it is told on; NULL: nobody listens. */
static crs_course *course_of(const crease_watch *w)
{
    crs_course *c = w ? root_of(w)->course : NULL;
    return c && pthread_equal(c->thread, pthread_self()) ? c : NULL;
}

crease_state crease_watch_state(const crease_watch *w)
{
    const crease_watch *root = root_of(w);
    const crs_course *c = root ? root->course : NULL;
    crease_state s = { .fraction = NAN, .iteration = -1, .message = "" };
    if (c) s = c->told[root->phase];
    s.seconds = crease_watch_total(w);
    s.stopping = root && (asked_at(root) < INFINITY || is_over(root));
    return s;
}

static void look(crs_course *c)
{
    if (!c || !c->look || c->looking || crs_now() < c->next) return;
    const crease_state s = crease_watch_state(c->watch);
    c->looking = true;
    if (!c->look(&s, c->user)) crease_watch_stop(c->watch);
    c->looking = false;
    c->next = crs_now() + c->every;
}

void crease_watch_look(crease_watch *w, crease_look *fn, void *user, double every)
{
    crs_course *c = w ? root_of(w)->course : NULL;
    if (!c) return;
    c->thread = pthread_self();
    c->look = fn;
    c->user = user;
    c->every = every;
    c->next = 0;
}

/* Whoever is told so may leave work half done: the checkpoint takes no more. */
bool crease_watch_over(const crease_watch *w)
{
    if (!w) return false;
    look(course_of(w));
    const bool over = is_over(w);
    if (over && root_of(w)->checkpoint) crs_checkpoint_freeze(root_of(w)->checkpoint, works(w));
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
    crs_course *c = course_of(w);
    if (!c || c->entered[phase]) return was;
    c->entered[phase] = true;
    c->next = 0;
    look(c);
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

/* Residuals are gradients: those of a block of the data's unit. */
crease_progress crs_rescale(const crease_progress *now, int value, int data)
{
    crease_progress p = *now;
    p.objective = ldexp(p.objective, value);
    p.feasibility = ldexp(p.feasibility, data);
    p.worst = ldexp(p.worst, value - data);
    p.theta = ldexp(p.theta, 2 * data);
    p.potential = ldexp(p.potential, value);
    p.decrease = ldexp(p.decrease, value);
    return p;
}

/* Every other row of the phase that has most of them goes. */
static void thin(crs_course *c)
{
    int most = 0, kept = 0;
    for (int k = 1; k < CREASE_PHASE_COUNT; k++)
        if (c->rows[k] > c->rows[most]) most = k;
    c->stride[most] *= 2;
    for (int k = 0; k < c->count; k++) {
        const bool goes = (int)c->row[k].now.phase == most && k + 1 < c->count &&
                          c->row[k].number % c->stride[most] != 0;
        c->rows[most] -= goes;
        if (!goes) c->row[kept++] = c->row[k];
    }
    c->count = kept;
}

/* The row before, if it stood there only because it was the last, makes room. */
static void record(crs_course *c, const crease_progress *now)
{
    const crease_phase k = now->phase;
    const int last = c->count - 1;
    const bool replaces =
        last >= 0 && c->row[last].now.phase == k && c->row[last].number % c->stride[k] != 0;
    while (!replaces && c->count == CREASE_HISTORY) thin(c);
    const int at = replaces ? last : c->count++;
    c->rows[k] += !replaces;
    c->row[at].now = *now;
    c->row[at].number = c->seen[k]++;
}

void crs_watch_tell(crease_watch *w, const crease_progress *now)
{
    crs_course *c = course_of(w);
    crease_progress own = *now;
    if (!c) return;
    for (const crease_watch *at = w; at; at = at->outer)
        if (at->value || at->data) own = crs_rescale(&own, at->value, at->data);
    own.phase = c->watch->phase;
    own.seconds = crs_now() - c->watch->begun;
    crease_state *s = &c->told[own.phase];
    s->iteration = own.iteration;
    s->objective = own.objective;
    s->worst = own.worst;
    s->worst_relative = own.worst_relative;
    record(c, &own);
}

void crs_watch_aim(crease_watch *w, double eps, bool relative)
{
    crs_course *c = course_of(w);
    if (!c) return;
    c->told[c->watch->phase].eps = eps;
    c->told[c->watch->phase].relative = relative;
}

void crs_watch_part(const crease_watch *w, double done, double of)
{
    crs_course *c = course_of(w);
    if (c) c->told[c->watch->phase].fraction = of > 0 ? clip(done / of, 0, 1) : NAN;
}

void crs_watch_say(crease_watch *w, const char *format, ...)
{
    crs_course *c = course_of(w);
    va_list list;
    if (!c) return;
    va_start(list, format);
    vsnprintf(c->words[c->watch->phase], WORDS, format, list);
    va_end(list);
}

long crease_watch_rows(const crease_watch *w)
{
    const crs_course *c = w ? root_of(w)->course : NULL;
    return c ? c->count : 0;
}

crease_progress crease_watch_row(const crease_watch *w, long k)
{
    const crease_progress none = { .iteration = -1, .objective = NAN, .worst = NAN };
    return k >= 0 && k < crease_watch_rows(w) ? root_of(w)->course->row[k].now : none;
}

const char *crease_phase_name(crease_phase phase)
{
    static const char *const names[] = {
#define X(id, name, meaning) name,
        CREASE_PHASES(X)
#undef X
    };
    return (size_t)phase < CREASE_PHASE_COUNT ? names[phase] : "unknown phase";
}
