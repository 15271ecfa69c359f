/* SPDX-License-Identifier: MIT
 * ranks.h: ranks that are threads of this process, with a comm of their own; what one rank asks for
 * and another does not is NaN everywhere from then on, instead of waiting for ever */
#ifndef TEST_RANKS_H
#define TEST_RANKS_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "support/test.h"

enum { MOST_RANKS = 4 };

typedef struct {
    int count;
    atomic_int arrived;
    atomic_long round;
    double *given[MOST_RANKS];
    int n[MOST_RANKS], kind[MOST_RANKS]; /* 0: nothing, the rank has ended; 1: sum; 2: max */
    bool apart;
    long calls;
} meeting;

typedef struct {
    meeting *m;
    int rank;
    crease_comm comm;
} rank_of;

static inline void wait_for_all(meeting *m)
{
    const long round = atomic_load(&m->round);
    if (atomic_fetch_add(&m->arrived, 1) == m->count - 1) {
        atomic_store(&m->arrived, 0);
        atomic_fetch_add(&m->round, 1);
    }
    while (atomic_load(&m->round) == round) sched_yield();
}

static inline void meet(const rank_of *r, int kind, double *v, int n)
{
    meeting *m = r->m;
    bool same = true;
    if (m->apart) {
        for (int j = 0; j < n; j++) v[j] = NAN;
        return;
    }
    double *out = calloc((size_t)n + 1, sizeof *out);
    m->given[r->rank] = v, m->n[r->rank] = n, m->kind[r->rank] = kind;
    wait_for_all(m);
    for (int k = 0; k < m->count; k++) same = same && m->kind[k] == kind && m->n[k] == n;
    for (int j = 0; j < n && same; j++) {
        out[j] = m->given[0][j];
        for (int k = 1; k < m->count; k++)
            out[j] = kind == 1 ? out[j] + m->given[k][j] : larger(out[j], m->given[k][j]);
    }
    wait_for_all(m);
    if (r->rank == 0) m->apart = !same, m->calls++;
    for (int j = 0; j < n; j++) v[j] = same ? out[j] : NAN;
    wait_for_all(m);
    free(out);
}

static inline void sum_of_ranks(const void *self, double *v, int n) { meet(self, 1, v, n); }
static inline void max_of_ranks(const void *self, double *v, int n) { meet(self, 2, v, n); }

typedef struct {
    rank_of rank;
    void (*run)(int rank, int ranks, const crease_comm *comm, void *user);
    void *user;
} rank_thread;

static inline void *run_rank(void *self)
{
    rank_thread *t = self;
    double none = 0;
    t->run(t->rank.rank, t->rank.m->count, &t->rank.comm, t->user);
    meet(&t->rank, 0, &none, 0);
    return NULL;
}

/* run(rank, count, comm, user) on every rank at once; were they together to the end? */
static inline bool on_ranks(int count,
                            void (*run)(int rank, int ranks, const crease_comm *comm, void *user),
                            void *user, long *calls)
{
    meeting m = { .count = count };
    pthread_t thread[MOST_RANKS];
    rank_thread t[MOST_RANKS];
    for (int k = 0; k < count; k++) {
        t[k] = (rank_thread){ { &m, k, { sum_of_ranks, max_of_ranks, &t[k].rank } }, run, user };
        pthread_create(&thread[k], NULL, run_rank, &t[k]);
    }
    for (int k = 0; k < count; k++) pthread_join(thread[k], NULL);
    if (calls) *calls = m.calls;
    return !m.apart;
}

#endif
