/* SPDX-License-Identifier: MIT
 * ranks.h: ranks that are threads of this process, with a comm of their own; what one rank asks for
 * and another does not is NaN everywhere from then on, instead of waiting for ever */
#ifndef TEST_RANKS_H
#define TEST_RANKS_H

#include <pthread.h>

#include "support/test.h"

enum { MOST_RANKS = 4 };

/* What ranks meet for; END: the rank has ended. */
typedef enum { RANKS_SUM, RANKS_MAX, RANKS_TELL, RANKS_COUNT, RANKS_MOST, RANKS_END } meets_for;

typedef struct {
    void *v;
    ptrdiff_t n;
    meets_for what;
} asks;

typedef struct {
    int count, arrived;
    long round, calls;
    asks asked[MOST_RANKS];
    bool apart;
    pthread_mutex_t lock;
    pthread_cond_t all;
} meeting;

typedef struct {
    meeting *m;
    int rank;
    crease_comm comm;
} rank_of;

static inline void join_numbers(meeting *m, ptrdiff_t j)
{
    double all = ((double *)m->asked[0].v)[j];
    for (int k = 1; k < m->count; k++) {
        const double x = ((double *)m->asked[k].v)[j];
        all = m->asked[0].what == RANKS_SUM ? all + x : larger(all, x);
    }
    for (int k = 0; k < m->count; k++) ((double *)m->asked[k].v)[j] = m->apart ? NAN : all;
}

static inline void join_wholes(meeting *m, ptrdiff_t j)
{
    int64_t all = ((int64_t *)m->asked[0].v)[j];
    const bool most = m->asked[0].what == RANKS_MOST;
    for (int k = 1; k < m->count; k++) {
        const int64_t x = ((int64_t *)m->asked[k].v)[j];
        all = !most ? all + x : x > all ? x : all;
    }
    for (int k = 0; k < (most ? m->count : 1); k++) ((int64_t *)m->asked[k].v)[j] = all;
}

/* By the last who comes, while the others wait. */
static inline void join_all(meeting *m)
{
    const asks *first = &m->asked[0];
    m->calls++;
    for (int k = 1; k < m->count; k++)
        m->apart = m->apart || m->asked[k].what != first->what || m->asked[k].n != first->n;
    for (int k = 0; k < m->count && m->apart; k++)
        for (ptrdiff_t j = 0; j < m->asked[k].n && m->asked[k].what <= RANKS_MAX; j++)
            ((double *)m->asked[k].v)[j] = NAN;
    if (m->apart) return;
    for (ptrdiff_t j = 0; j < first->n && first->what <= RANKS_MAX; j++) join_numbers(m, j);
    if (first->what == RANKS_COUNT || first->what == RANKS_MOST)
        for (ptrdiff_t j = 0; j < first->n; j++) join_wholes(m, j);
    for (int k = 1; k < m->count && first->what == RANKS_TELL; k++)
        memcpy(m->asked[k].v, first->v, (size_t)first->n);
}

static inline void meet(const rank_of *r, meets_for what, void *v, ptrdiff_t n)
{
    meeting *m = r->m;
    pthread_mutex_lock(&m->lock);
    for (ptrdiff_t j = 0; j < n && m->apart && what <= RANKS_MAX; j++) ((double *)v)[j] = NAN;
    if (!m->apart) {
        const long round = m->round;
        m->asked[r->rank] = (asks){ v, n, what };
        if (++m->arrived == m->count) {
            join_all(m);
            m->arrived = 0;
            m->round++;
            pthread_cond_broadcast(&m->all);
        }
        while (m->round == round) pthread_cond_wait(&m->all, &m->lock);
    }
    pthread_mutex_unlock(&m->lock);
}

static inline void sum_of_ranks(const void *self, double *v, int n) { meet(self, RANKS_SUM, v, n); }
static inline void max_of_ranks(const void *self, double *v, int n) { meet(self, RANKS_MAX, v, n); }

typedef struct {
    rank_of rank;
    void (*run)(int rank, int ranks, const crease_comm *comm, void *user);
    void *user;
} rank_thread;

static inline void *run_rank(void *self)
{
    rank_thread *t = self;
    t->run(t->rank.rank, t->rank.m->count, &t->rank.comm, t->user);
    meet(&t->rank, RANKS_END, NULL, 0);
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
    pthread_mutex_init(&m.lock, NULL);
    pthread_cond_init(&m.all, NULL);
    for (int k = 0; k < count; k++) {
        t[k] = (rank_thread){ { &m, k, { sum_of_ranks, max_of_ranks, &t[k].rank } }, run, user };
        pthread_create(&thread[k], NULL, run_rank, &t[k]);
    }
    for (int k = 0; k < count; k++) pthread_join(thread[k], NULL);
    pthread_cond_destroy(&m.all);
    pthread_mutex_destroy(&m.lock);
    if (calls) *calls = m.calls;
    return !m.apart;
}

#endif
