/* SPDX-License-Identifier: MIT
 * teams.h: a job that adds up, counts and maximizes entries of a small tensor in many slabs, by one
 * process and by a team; and a team whose ranks are threads */
#ifndef TEST_TEAMS_H
#define TEST_TEAMS_H

#include <stdio.h>
#include <stdlib.h>

#include "support/ranks.h"

#include "slab/slab.h"

enum { TEAM_SHAPES = 3, TEAM_MOST = 40 };
static const crease_space team_shapes[TEAM_SHAPES] = {
    { .order = 3, .dim = { 23, 5, 4 } },
    { .order = 2, .dim = { 7, 3 } },
    { .order = 3, .dim = { 1, 3, 2 } }, /* one slab */
};

typedef struct {
    crease_space shape;
    ptrdiff_t fails; /* from this slab on; -1: none */
    int closed;      /* the rank that cannot open the job; 0: none */
    bool spoils;     /* the last slab has a NaN */
    bool unknown, unsent;
    int blind, other; /* ranks that see no file, or another tensor; 0: none */
} team_case;

typedef struct {
    bool done, again;
    crease_error e;
    double sum[TEAM_MOST];
    int64_t count[2];
    crs_survey facts;
} team_result;

/* The arguments of the job. */
typedef struct {
    team_case c;
    ptrdiff_t rows;
    const double *weight; /* of the indices of mode 0 */
} team_args;

static _Thread_local int team_rank;

static inline void visit_team_args(crs_visitor *v, void *self)
{
    team_args *a = self;
    crs_visit(v, a->c);
    crs_visit(v, a->rows);
    crs_visit_array(v, a->weight, a->rows);
}

static inline void plan_team(const void *args, const crease_space *shape, crs_total *sums)
{
    (void)args;
    crs_total_plan(sums, CRS_SUM, shape->dim[0]);
    crs_total_plan(sums, CRS_COUNT, 1);
    crs_total_plan(sums, CRS_SUM, 1);
    crs_total_plan(sums, CRS_MOST, 1);
}

static inline void *open_team(const void *args, const crs_partition *cut, int workers, int threads,
                              crease_error *e)
{
    const team_args *a = args;
    (void)cut, (void)workers, (void)threads;
    if (a->c.closed == 0 || a->c.closed != team_rank) return crs_doubles(1, "a room", e);
    crs_fail(e, CREASE_IO, "rank %d is closed", team_rank);
    return NULL;
}

static inline bool add_team(const void *args, void *room, const crs_slab *s, int worker,
                            crs_total *sums, crease_error *e)
{
    const team_args *a = args;
    const ptrdiff_t n = crease_size(&s->shape), right = n / s->shape.dim[0];
    const int64_t count = n;
    (void)room, (void)worker;
    if (a->c.fails >= 0 && s->index >= a->c.fails)
        return crs_fail(e, CREASE_IO, "slab %td", s->index);
    for (ptrdiff_t j = 0; j < n; j++) {
        const ptrdiff_t row = s->from[0] + j / right;
        const bool spoilt = a->c.spoils && row == a->c.shape.dim[0] - 1;
        const double x = spoilt ? NAN : a->weight[row] * s->t[j];
        const int64_t most = crs_ordered(fabs(x));
        crs_total_add(sums, 0, row, 1, &x);
        crs_total_add(sums, 2, 0, 1, &x);
        crs_total_count(sums, 3, 0, 1, &most);
    }
    crs_total_count(sums, 1, 0, 1, &count);
    return true;
}

#define TEAM_JOB(text)                                                                             \
    {                                                                                              \
        .name = text, .size = sizeof(team_args), .visit = visit_team_args, .plan = plan_team,      \
        .open = open_team, .close = crs_free, .add = add_team                                      \
    }
static const crs_job team_job = TEAM_JOB("test"), strange_job = TEAM_JOB("strange"),
                     unsent_job = { .name = "unsent", .plan = plan_team, .add = add_team };
static const crs_job *const team_jobs[] = { &team_job, &crs_survey_job, &crs_entries_job, NULL };

/* Slabs of two rows; terms of many sizes. */
static inline void open_tensor(const team_case *c, crs_memory *m, double *t)
{
    for (ptrdiff_t j = 0; j < crease_size(&c->shape); j++)
        t[j] = ldexp(1 / (1.0 + (double)j), (int)(j * 37 % 200) - 100);
    crs_memory_open(m, &c->shape, t, NULL);
    m->source.cut.rows = 2;
    m->source.cut.per = m->source.cut.count = (c->shape.dim[0] + 1) / 2;
    m->source.count = m->source.cut.count;
}

/* What the others open: the shape that rank 0 tells, but for one rank that sees another. */
typedef struct {
    crs_memory memory;
    crs_source_ops ops;
    double t[1000];
} told_tensor;

static inline void close_told(crs_source *s) { crs_free(s); }

static inline crs_source *open_told(void *user, const void *told, size_t bytes, crease_error *e)
{
    team_case c;
    told_tensor *m = crs_alloc(1, sizeof *m);
    (void)user;
    if (!m) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a tensor"), NULL;
    if (bytes != sizeof c) return crs_free(m), NULL;
    memcpy(&c, told, sizeof c);
    if (c.blind > 0 && c.blind == team_rank) {
        crs_fail(e, CREASE_NO_INPUT, "rank %d sees no file", team_rank);
        return crs_free(m), NULL;
    }
    if (c.other > 0 && c.other == team_rank) c.shape.dim[0]++;
    open_tensor(&c, &m->memory, m->t);
    m->ops = *m->memory.source.ops;
    m->ops.close = close_told;
    m->memory.source.ops = &m->ops;
    return &m->memory.source;
}

static inline bool look(const team_case *c, crs_source *s, team_result *out)
{
    double weight[TEAM_MOST];
    team_args a = { *c, c->shape.dim[0], weight };
    crs_look l, other;
    for (int i = 0; i < TEAM_MOST; i++) weight[i] = 0;
    const crs_job *job = c->unknown ? &strange_job : c->unsent ? &unsent_job : &team_job;
    if (!crs_look_open(&l, s, job, &a, 1, &out->e)) return false;
    for (int i = 0; i < TEAM_MOST; i++) weight[i] = 1 + i; /* those of the run count */
    a.c.closed = 0;
    const bool first = crs_look_once(&other, s, job, &a, 2, NULL, &out->e);
    const bool done = first && crs_look_run(&l, &a, NULL, &out->e);
    if (done) {
        crs_total_read(&l.sums, 0, 0, a.rows, out->sum);
        out->sum[TEAM_MOST - 1] = crs_total_at(&l.sums, 2, 0);
        out->count[0] = l.sums.array[1].whole[0];
        out->count[1] = l.sums.array[3].whole[0];
    }
    if (first) crs_look_close(&other);
    crs_look_close(&l);
    return done;
}

static inline void look_alone(const team_case *c, team_result *out)
{
    double t[1000];
    crs_memory m;
    *out = (team_result){ .done = false };
    open_tensor(c, &m, t);
    out->done = look(c, &m.source, out) && crs_source_survey(&m.source, 1, &out->e);
    out->facts = m.source.facts;
}

/* The part of a rank: rank 0 looks, once more without what failed, and ends. */
static inline void look_in_team(const team_case *c, const crs_team *team, team_result *out)
{
    double t[1000];
    crs_memory m;
    team_rank = team->rank;
    if (team->rank > 0) {
        const crs_team_service service = { .open = open_told, .jobs = team_jobs };
        crs_team_serve(team, &service);
        return;
    }
    team_case sound = { .shape = c->shape, .fails = -1 };
    team_result ignored;
    *out = (team_result){ .done = false };
    open_tensor(c, &m, t);
    out->done = crs_team_invite(team, &m.source, c, sizeof *c, &out->e) && look(c, &m.source, out);
    if (out->done) out->done = crs_source_survey(&m.source, 1, &out->e);
    out->facts = m.source.facts;
    crs_team_dismiss(&m.source);
    out->again = crs_team_invite(team, &m.source, &sound, sizeof sound, NULL) &&
                 look(&sound, &m.source, &ignored);
    crs_team_end(team);
}

/* A team of threads. */
static inline void tell_threads(void *self, void *v, ptrdiff_t n) { meet(self, RANKS_TELL, v, n); }
static inline void max_threads(void *self, int64_t *v, ptrdiff_t n)
{
    meet(self, RANKS_MOST, v, n);
}
static inline void count_threads(void *self, int64_t *v, ptrdiff_t n)
{
    meet(self, RANKS_COUNT, v, n);
}

typedef struct {
    const team_case *c;
    team_result *out;
} team_run;

static inline void run_team(int rank, int ranks, const crease_comm *comm, void *user)
{
    const team_run *r = user;
    rank_of own = *(const rank_of *)comm->self;
    const crs_team team = { rank, ranks, 0, &own, tell_threads, max_threads, count_threads };
    look_in_team(r->c, &team, r->out);
}

static inline void look_on_threads(const team_case *c, int ranks, team_result *out)
{
    team_run r = { c, out };
    assert_true(on_ranks(ranks, run_team, &r, NULL));
}

#endif
