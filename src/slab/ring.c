/* SPDX-License-Identifier: MIT
 * ring: slabs that do not fit into memory all at once. A thread loads them ahead of those who take
 * them, in the order of looks, and past the end of one look for the next.
 *
 * Some slabs stay: kept ones, spread evenly so that reading goes on while they are worked on. The
 * others share the slots of the ring. What is loaded next is what somebody waits for, else the
 * first slab from `head` on, where takers have got to, that is not there; it takes the place of a
 * slab that is needed later. A look that is cut leaves slabs that nobody takes: those who wait may
 * have their places. Nobody waits who holds a slab, so every place becomes free.
 *
 * Slabs after the ring's own, which other ranks look at, are read when they are asked for. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/parallel.h"
#include "slab/slab.h"

enum { LEAST = 3 }; /* slots: one is worked on, one is ready, one is loaded */

typedef enum { EMPTY, LOADING, READY, FAILED } condition;

typedef struct {
    condition now;
    ptrdiff_t slab; /* counted from the first; -1: none */
    bool fresh;     /* nobody has taken it yet */
    int users;
    double *t;
    unsigned char *w;
    crease_error why; /* of FAILED */
} slot;

typedef struct waiter {
    ptrdiff_t slab;
    struct waiter *next;
} waiter;

typedef struct {
    crs_source source;
    crs_ring_settings s;
    ptrdiff_t kept, slots; /* slots in all, the kept ones first */
    slot *slot;
    ptrdiff_t head;
    waiter *waiting; /* in the order of their coming */
    bool over;
    pthread_mutex_t lock;
    pthread_cond_t loaded, wanted;
    pthread_t thread;
} ring;

static double slab_bytes(const crs_partition *cut, bool missing)
{
    return (double)crs_slab_most(cut) * (missing ? 9 : 8);
}

double crs_stream_floor(const crease_space *shape, bool missing)
{
    const crs_partition cut = crs_partition_of(shape);
    return (double)fewer(LEAST, cut.count) * slab_bytes(&cut, missing);
}

double crs_stream_enough(const crease_space *shape, bool missing)
{
    const crs_partition cut = crs_partition_of(shape);
    return (double)fewer(more(LEAST, crs_threads() + 1), cut.count) * slab_bytes(&cut, missing);
}

/* Kept slabs before slab k: of c slabs, k kept / c. */
static ptrdiff_t kept_before(const ring *r, ptrdiff_t k) { return k * r->kept / r->s.count; }

static bool is_kept(const ring *r, ptrdiff_t k)
{
    return k < r->s.count && kept_before(r, k + 1) > kept_before(r, k);
}

/* The slot that has slab k, or is being filled with it; NULL: none. */
static slot *find(ring *r, ptrdiff_t k)
{
    if (is_kept(r, k)) {
        slot *own = &r->slot[kept_before(r, k)];
        return own->now == EMPTY ? NULL : own;
    }
    for (ptrdiff_t j = r->kept; j < r->slots; j++)
        if (r->slot[j].now != EMPTY && r->slot[j].slab == k) return &r->slot[j];
    return NULL;
}

static ptrdiff_t ahead(const ring *r, ptrdiff_t from, ptrdiff_t to)
{
    return (to - from + r->s.count) % r->s.count;
}

/* Slabs until the one in the slot is needed. Takers are a little apart: who has fallen behind is
 * going to take what is fresh there. */
static ptrdiff_t needed_in(const ring *r, const slot *p)
{
    if (p->slab >= r->s.count) return r->s.count;
    if (p->fresh && ahead(r, p->slab, r->head) <= r->slots - r->kept) return 0;
    return ahead(r, r->head, p->slab);
}

static bool is_awaited(const ring *r, ptrdiff_t k)
{
    for (const waiter *w = r->waiting; w; w = w->next)
        if (w->slab == k) return true;
    return false;
}

/* A slot for slab k, which is needed so many slabs from now; -1: at once. NULL: there is none yet.
 */
static slot *place_for(ring *r, ptrdiff_t k, ptrdiff_t when)
{
    slot *best = NULL;
    ptrdiff_t latest = when;
    if (is_kept(r, k)) return &r->slot[kept_before(r, k)];
    for (ptrdiff_t j = r->kept; j < r->slots; j++) {
        slot *p = &r->slot[j];
        if (p->now == EMPTY) return p;
        if (p->now == LOADING || p->users > 0 || is_awaited(r, p->slab)) continue;
        const ptrdiff_t then = needed_in(r, p);
        if (then > latest) best = p, latest = then;
    }
    return best;
}

/* What is to be loaded next, and where to; NULL: nothing now. */
static slot *choose(ring *r, ptrdiff_t *k)
{
    slot *to = NULL;
    for (const waiter *w = r->waiting; w && !to; w = w->next) {
        *k = w->slab;
        if (!find(r, *k)) to = place_for(r, *k, -1);
    }
    if (to) return to;
    for (ptrdiff_t when = 0; when < r->s.count; when++) {
        *k = (r->head + when) % r->s.count;
        if (!find(r, *k)) return place_for(r, *k, when);
    }
    return NULL;
}

static void fill_slot(ring *r, slot *p, ptrdiff_t k)
{
    const crs_slab slab = crs_slab_at(&r->s.cut, r->s.first + k);
    p->now = LOADING;
    p->slab = k;
    p->fresh = true;
    pthread_mutex_unlock(&r->lock);
    const bool done = r->s.load(r->s.self, &slab, p->t, &p->why);
    if (done && p->w) crs_mark_missing(crease_size(&slab.shape), p->t, p->w);
    pthread_mutex_lock(&r->lock);
    p->now = done ? READY : FAILED;
    pthread_cond_broadcast(&r->loaded);
}

static void *read_on(void *self)
{
    ring *r = self;
    pthread_mutex_lock(&r->lock);
    while (!r->over) {
        ptrdiff_t k;
        slot *to = choose(r, &k);
        if (to)
            fill_slot(r, to, k);
        else
            pthread_cond_wait(&r->wanted, &r->lock);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static void enqueue(ring *r, waiter *w)
{
    waiter **end = &r->waiting;
    while (*end) end = &(*end)->next;
    *end = w;
}

static void dequeue(ring *r, const waiter *w)
{
    waiter **at = &r->waiting;
    while (*at != w) at = &(*at)->next;
    *at = w->next;
}

/* The slot with slab k, once it is there; lock is held. */
static slot *wait_for(ring *r, ptrdiff_t k)
{
    waiter me = { k, NULL };
    slot *p = find(r, k);
    if (p && p->now != LOADING) return p;
    enqueue(r, &me);
    pthread_cond_signal(&r->wanted);
    while (!(p = find(r, k)) || p->now == LOADING) pthread_cond_wait(&r->loaded, &r->lock);
    dequeue(r, &me);
    return p;
}

static bool take(crs_source *s, ptrdiff_t k, crs_slab *out, crease_error *e)
{
    ring *r = (ring *)s;
    const ptrdiff_t own = k - r->s.first;
    *out = crs_slab_at(&s->cut, k);
    pthread_mutex_lock(&r->lock);
    slot *p = wait_for(r, own);
    const bool done = p->now == READY;
    if (done) {
        p->users++;
        p->fresh = false;
        out->t = p->t;
        out->w = p->w;
        if (own < r->s.count && (ahead(r, own, r->head) > r->slots - r->kept || own == r->head))
            r->head = (own + 1) % r->s.count;
    } else {
        if (e) *e = p->why;
        p->now = EMPTY; /* so that it can be tried again */
    }
    pthread_cond_signal(&r->wanted);
    pthread_mutex_unlock(&r->lock);
    return done;
}

static void give(crs_source *s, const crs_slab *slab)
{
    ring *r = (ring *)s;
    pthread_mutex_lock(&r->lock);
    find(r, slab->index - r->s.first)->users--;
    pthread_cond_signal(&r->wanted);
    pthread_mutex_unlock(&r->lock);
}

/* A process that is started meanwhile (child.h) has no copy of them, which would grow with every
 * slab that is loaded. */
static void keep_from_children(void *p, size_t bytes, bool kept)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = ((uintptr_t)p + page - 1) / page * page;
    const uintptr_t to = ((uintptr_t)p + bytes) / page * page;
    if (p && to > from) (void)madvise((void *)from, to - from, kept ? MADV_DONTFORK : MADV_DOFORK);
}

static void free_slots(ring *r)
{
    const size_t most = (size_t)crs_slab_most(&r->s.cut);
    for (ptrdiff_t j = 0; r->slot && j < r->slots; j++) {
        keep_from_children(r->slot[j].t, most * sizeof(double), false);
        crs_free(r->slot[j].t);
        crs_free(r->slot[j].w);
    }
    crs_free(r->slot);
}

static bool make_slots(ring *r, crease_error *e)
{
    const size_t most = (size_t)crs_slab_most(&r->s.cut);
    r->slot = crs_alloc((size_t)r->slots, sizeof *r->slot);
    bool done = r->slot;
    for (ptrdiff_t j = 0; done && j < r->slots; j++) {
        slot *p = &r->slot[j];
        p->slab = -1;
        p->t = crs_alloc(most, sizeof *p->t);
        if (r->s.missing) p->w = crs_alloc(most, 1);
        done = p->t && (p->w || !r->s.missing);
        if (done) crs_large_pages(p->t, most * sizeof *p->t);
        keep_from_children(p->t, most * sizeof *p->t, true);
    }
    return done || crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td slabs of %.3g MB each",
                            r->slots, slab_bytes(&r->s.cut, r->s.missing) / 1e6);
}

static void end(const crs_ring_settings *s)
{
    if (s->close) s->close(s->self);
}

static void close_ring(crs_source *s)
{
    ring *r = (ring *)s;
    if (!r) return;
    pthread_mutex_lock(&r->lock);
    r->over = true;
    if (r->s.stop) crease_watch_stop(r->s.stop);
    pthread_cond_signal(&r->wanted);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    pthread_cond_destroy(&r->loaded);
    pthread_cond_destroy(&r->wanted);
    pthread_mutex_destroy(&r->lock);
    free_slots(r);
    end(&r->s);
    crs_free(r);
}

/* A reader, which leaves signals to the other threads. */
static bool start(ring *r, crease_error *e)
{
    sigset_t all, before;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->loaded, NULL);
    pthread_cond_init(&r->wanted, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int why = pthread_create(&r->thread, NULL, read_on, r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return why == 0 ||
           crs_fail(e, CREASE_IO, "no thread to read slabs could be started: %s", strerror(why));
}

/* A slot for every thread and one to be filled, where there is room; the rest is kept. */
static bool divide(ring *r, crease_error *e)
{
    const double each = slab_bytes(&r->s.cut, r->s.missing);
    const ptrdiff_t least = fewer(LEAST, r->s.cut.count);
    const ptrdiff_t fit = (ptrdiff_t)smaller(r->s.bytes / each, (double)more(least, r->s.count));
    if (fit < least)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%.4g MB of memory are less than the %td slabs of %.4g MB that are read "
                        "at a time; give %.4g MB or more",
                        r->s.bytes / 1e6, least, each / 1e6, ceil((double)least * each / 1e5) / 10);
    const ptrdiff_t turning = fewer(fit, more(least, crs_threads() + 1));
    r->slots = fit;
    r->kept = fit - turning;
    return true;
}

crs_source *crs_ring_open(const crs_ring_settings *s, crease_error *e)
{
    static const crs_source_ops ops = { "stream", take, give, close_ring };
    ring *r = crs_alloc(1, sizeof *r);
    if (r) {
        r->s = *s;
        r->source = (crs_source){ .ops = &ops, .cut = s->cut, .first = s->first };
        r->source.count = s->count;
    } else
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a ring of slabs");
    if (r && divide(r, e) && make_slots(r, e) && start(r, e)) return &r->source;
    if (r) free_slots(r);
    end(s);
    crs_free(r);
    return NULL;
}
