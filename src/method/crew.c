/* SPDX-License-Identifier: MIT
 * crew: moves on the blocks of a level by several threads, with the bits of moves one after the
 * other (problem/levels.c)
 *
 * A thread has memory of its own for everything that a move writes and no other move reads: the
 * vectors of a step and the residual s of the constraint, of which a block's own rows come from the
 * state before its move and go back behind it. A level is made at once where, by what it took on
 * one thread, enough time is won; one that took no less has a rest. Neither changes a bit. */
#include "core/parallel.h"
#include "method/method.h"

enum { REST = 50 }; /* sweeps on one thread after a loss */

/* How long a level took on one thread, 0: it was not measured; and for how many sweeps it is not
 * tried. */
typedef struct {
    double cost;
    long rest;
} account;

struct crs_crew {
    crs_levels levels;
    bool user; /* some block is apart */
    int threads;
    account *level, all; /* of the moves by levels, and of all blocks */
    long sweeps;
    int *each;         /* 0, 1, .. */
    crs_state *worker; /* one a thread */
    void *memory;
};

typedef struct {
    crs_crew *c;
    const crease_problem *p;
    ptrdiff_t scratch;
} plan;

static void carve(void *self, crs_carver *to)
{
    const plan *how = self;
    crs_crew *c = how->c;
    const crease_problem *p = how->p;
    const ptrdiff_t n = crs_largest_block(p), m = p->range.order > 0 ? crease_size(&p->range) : 0;
    c->level = carve_bytes(to, c->levels.count, sizeof *c->level);
    c->each = carve_bytes(to, p->count, sizeof *c->each);
    c->worker = carve_bytes(to, c->threads, sizeof *c->worker);
    for (int w = 0; w < c->threads; w++) {
        crs_state own = { .p = p };
        own.g = carve_doubles(to, n, 1);
        own.v = carve_doubles(to, n, 1);
        own.y = carve_doubles(to, n, 1);
        own.m = carve_doubles(to, m, 1);
        own.s = carve_doubles(to, m, 1);
        own.factors = carve_doubles(to, crs_prox_room(p), 1);
        own.work = carve_doubles(to, how->scratch, 1);
        if (c->worker) c->worker[w] = own;
    }
}

bool crs_sweep_levels(const crease_problem *p, const crease_analysis *a, crs_levels *l,
                      crease_error *e)
{
    bool *whole = crs_alloc((size_t)p->count, sizeof *whole);
    if (!whole) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %d blocks", p->count);
    for (int i = 0; i < p->count; i++) /* an L_i that is guessed is tried on the value of f */
        whole[i] =
            !crs_method_for(a)->oracle && i != a->last && !(a->block[i].lipschitz < INFINITY);
    const bool done = crs_levels_open(p, a->last, whole, l, e);
    crs_free(whole);
    return done;
}

static bool furnish(crs_crew *c, const crease_problem *p, const crease_analysis *a,
                    ptrdiff_t scratch, crease_error *e)
{
    plan how = { c, p, scratch };
    if (!crs_sweep_levels(p, a, &c->levels, e)) return false;
    for (int i = 0; i < p->count; i++) c->user = c->user || c->levels.apart[i];
    const int most = crs_method_for(a)->oracle && !c->user ? p->count : c->levels.widest;
    if (most < c->threads) c->threads = most;
    if (c->threads < 2) return true;
    c->memory = carve_block(carve, &how);
    for (int i = 0; c->memory && i < p->count; i++) c->each[i] = i;
    return c->memory ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: the steps of %d threads", c->threads);
}

bool crs_crew_open(const crease_problem *p, const crease_analysis *a, int threads,
                   ptrdiff_t scratch, crs_crew **out, crease_error *e)
{
    crs_crew *c = crs_alloc(1, sizeof *c);
    *out = c;
    if (!c) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: threads");
    *c = (crs_crew){ .threads = threads };
    const bool done = furnish(c, p, a, scratch, e);
    if (done && c->threads > 1) return true;
    crs_crew_free(c);
    *out = NULL;
    return done;
}

void crs_crew_free(crs_crew *c)
{
    if (!c) return;
    crs_levels_close(&c->levels);
    crs_free(c->memory);
    crs_free(c);
}

const crs_levels *crs_crew_sweep(const crs_crew *c) { return &c->levels; }

/* What a worker shares with the state; a move asks no watch. */
static void brief(const crs_state *st, crs_state *own)
{
    crs_state now = *st;
    now.g = own->g, now.v = own->v, now.y = own->y, now.m = own->m, now.s = own->s;
    now.factors = own->factors, now.work = own->work;
    now.evaluations = 0;
    now.watch = NULL;
    now.crew = NULL;
    *own = now;
}

typedef struct {
    crs_state *st;
    crs_block_move *move;
    const int *block;
    const crease_watch *watch; /* that ends it between two blocks; NULL: nothing does */
} job;

static void take(void *self, ptrdiff_t task, int worker)
{
    const job *j = self;
    const int i = j->block[task];
    crs_state *st = j->st, *own = &st->crew->worker[worker];
    const crs_levels *l = &st->crew->levels;
    const ptrdiff_t first = l->row_first[i], end = l->row_first[i + 1];
    for (ptrdiff_t k = first; k < end; k++) own->s[l->row[k]] = st->s[l->row[k]];
    j->move(own, i);
    for (ptrdiff_t k = first; k < end; k++) st->s[l->row[k]] = own->s[l->row[k]];
}

static void at_once(const job *j, int count)
{
    crs_crew *c = j->st->crew;
    for (int w = 0; w < c->threads; w++) brief(j->st, &c->worker[w]);
    crs_parallel_runs(c->threads, count, take, (void *)j);
    for (int w = 0; w < c->threads; w++) j->st->evaluations += c->worker[w].evaluations;
}

static void one_by_one(const job *j, int count)
{
    for (int k = 0; k < count && !crease_watch_over(j->watch); k++) j->move(j->st, j->block[k]);
}

/* Seconds that are won by several threads, if all goes well. */
static double gain(const crs_crew *c, const account *a, int count)
{
    const int most = count < c->threads ? count : c->threads;
    return a->cost * (1 - 1.0 / most);
}

static void make(const job *j, int count, account *a)
{
    const crs_crew *c = j->st->crew;
    if (count < 2) {
        one_by_one(j, count);
        return;
    }
    const double begun = crs_now();
    const bool together = a->rest == 0 && gain(c, a, count) >= j->st->worth;
    (together ? at_once : one_by_one)(j, count);
    const double took = crs_now() - begun;
    if (a->rest > 0) a->rest--;
    if (!together && c->sweeps > 0) a->cost = took; /* the first sweep factors matrices */
    if (together && j->st->worth > 0 && took > a->cost) a->rest = REST;
}

void crs_crew_levels(crs_state *st, crs_block_move *move, const crease_watch *watch)
{
    crs_crew *c = st->crew;
    const crs_levels *l = &c->levels;
    for (int k = 0; k < l->count && !crease_watch_over(watch); k++) {
        const job j = { st, move, l->block + l->first[k], watch };
        make(&j, l->first[k + 1] - l->first[k], &c->level[k]);
    }
    c->sweeps++;
}

bool crs_crew_all(crs_state *st, crs_block_move *move)
{
    crs_crew *c = st->crew;
    const job j = { st, move, c->each, NULL };
    if (c->user) return false;
    make(&j, st->p->count, &c->all);
    return true;
}
