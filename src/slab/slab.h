/* SPDX-License-Identifier: MIT
 * slab.h: a tensor as a row of slabs, wherever it is, and looks at all of them
 *
 * A slab is a box of consecutive entries; which they are follows from the shape alone. A look runs
 * a job over all slabs: what a slab adds to its small arrays is added up as integers, so that the
 * totals have no order. Threads, ranks, data in memory or streamed, give the same bits. */
#ifndef CRS_SLAB_H
#define CRS_SLAB_H

#include <stdint.h>

#include <crease/source.h>

#include "core/checkpoint.h"
#include "slab/coordinates.h"
#include "tensor/tensor.h"

/* Indices of the modes before `mode` are fixed in a slab, those after it are all there. */
typedef struct {
    crease_space shape;
    int mode;
    ptrdiff_t rows;  /* indices of `mode` in a slab; fewer in the last before the next index */
    ptrdiff_t per;   /* slabs for one index of the modes before */
    ptrdiff_t count; /* of slabs */
} crs_partition;
crs_partition crs_partition_of(const crease_space *shape);

typedef struct {
    ptrdiff_t index;
    ptrdiff_t first;                  /* its first entry in the tensor */
    ptrdiff_t from[CREASE_MAX_ORDER]; /* where it begins, mode by mode */
    crease_space shape;               /* its own */
    const double *t;                  /* 0 where nothing was observed */
    const unsigned char *w;           /* NULL: all was */
} crs_slab;

/* Slab k without its values. */
crs_slab crs_slab_at(const crs_partition *p, ptrdiff_t k);
ptrdiff_t crs_slab_with(const crs_partition *p, ptrdiff_t entry);
ptrdiff_t crs_slab_most(const crs_partition *p); /* entries of the largest */

/* The slab where the first modes of the tensor are one, in the whole's shape, whose last modes are
 * the tensor's; as it is where the orders are the same. */
crs_slab crs_slab_merged(const crs_slab *s, const crease_space *shape);

/* k as seen in a slab: its rows of the factors. */
crs_kruskal crs_slab_kruskal(const crs_slab *s, const crs_kruskal *k);
void crs_visit_kruskal(crs_visitor *v, crs_kruskal *k); /* of arguments of jobs, below */

/* Sums without an order (total.c). SUM: terms are doubles, added up as three digits of 40 bits each
 * from a power of 2^40 above the largest term on down: what remains is their sum to 2^-80 of the
 * largest. Numbers below 2^-1000 count as 0; one that is not finite makes the whole array NaN. At
 * most 2^23 terms to a place. COUNT: whole numbers; MOST: their largest, at least 0. */
typedef enum { CRS_SUM, CRS_COUNT, CRS_MOST } crs_total_kind;
enum { CRS_TOTAL_ARRAYS = 2 * CREASE_MAX_ORDER + 8, CRS_TOTAL_DIGITS = 3 };

typedef struct {
    crs_total_kind kind;
    ptrdiff_t size;
    int top;        /* of a sum: the power of 2^40 of the first digit */
    bool bad;       /* of a sum: a term was not finite */
    int64_t *whole; /* of a sum: digit after digit, `size` of each */
} crs_total_array;

typedef struct {
    int arrays;
    crs_total_array array[CRS_TOTAL_ARRAYS];
    int64_t *memory;
} crs_total;

/* The next array of a total that is being planned. */
static inline void crs_total_plan(crs_total *t, crs_total_kind kind, ptrdiff_t size)
{
    t->array[t->arrays++] = (crs_total_array){ .kind = kind, .size = size };
}
bool crs_total_open(crs_total *t, crease_error *e); /* as planned, everything 0 */
void crs_total_close(crs_total *t);
void crs_total_clear(crs_total *t);

void crs_total_add(crs_total *t, int array, ptrdiff_t at, ptrdiff_t n, const double *x);
void crs_total_count(crs_total *t, int array, ptrdiff_t at, ptrdiff_t n, const int64_t *x);
void crs_total_join(crs_total *to, const crs_total *from); /* of the same plan */
void crs_total_raise(crs_total *t, int array, int top);    /* no term is lost but what join loses */

void crs_total_read(const crs_total *t, int array, ptrdiff_t at, ptrdiff_t n, double *out);
static inline double crs_total_at(const crs_total *t, int array, ptrdiff_t at)
{
    double x;
    crs_total_read(t, array, at, 1, &x);
    return x;
}

/* A number >= 0 as a whole number in the same order, and back: MOST of numbers. NaN is the largest.
 */
static inline int64_t crs_ordered(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x == x ? bits : INT64_MAX;
}
static inline double crs_unordered(int64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return bits == INT64_MAX ? (double)NAN : x;
}

/* Where the slabs are. take() may be called from several threads, with indices that grow from call
 * to call but for a few threads' worth; what it gives is valid until it is given back. */
typedef struct crs_source crs_source;
typedef struct {
    const char *name; /* "memory", ... */
    bool (*take)(crs_source *s, ptrdiff_t k, crs_slab *out, crease_error *e);
    void (*give)(crs_source *s, const crs_slab *slab);
    void (*close)(crs_source *s);
} crs_source_ops;

/* Other processes that look at their own slabs whenever rank 0 looks. All are called by one thread.
 */
typedef struct crs_team {
    int rank, size;
    int instructions; /* that every rank has: a number of those who look; the largest of theirs */
    void *self;
    void (*tell)(void *self, void *bytes, ptrdiff_t n); /* from rank 0 to all */
    void (*max)(void *self, int64_t *v, ptrdiff_t n);   /* everywhere */
    void (*count)(void *self, int64_t *v, ptrdiff_t n); /* sums, at rank 0 */
} crs_team;

/* What a first look tells of the data (survey.c): of the entries that were observed. */
typedef struct {
    bool known;
    ptrdiff_t missing, nonzero;
    ptrdiff_t bad; /* the least entry that is not finite; -1: none */
    double wrong;  /* what it is */
    double largest, squares;
} crs_survey;

struct crs_source {
    const crs_source_ops *ops;
    crs_partition cut;
    ptrdiff_t first, count;    /* the slabs that are looked at here */
    const crs_team *team;      /* NULL: all are */
    uint64_t open;             /* looks that the team has open, a bit each */
    int instructions;          /* that looks may use; of a team, and once it had one */
    bool one;                  /* without a team: slabs are taken by the thread that looks alone */
    const double *whole;       /* the tensor in one piece; NULL: it is not in memory */
    const unsigned char *seen; /* of that: NULL, all was observed */
    const crs_coordinates *listed; /* of that: the entries that were; NULL: they are many */
    crs_survey facts;
};

/* A tensor in memory, in which entries that were not observed are 0. Nothing to close. */
typedef struct {
    crs_source source;
} crs_memory;
void crs_memory_open(crs_memory *m, const crease_space *shape, const double *t,
                     const unsigned char *w);

/* The same with entries of its own: t is freed by close, and after a failure. missing: nan is no
 * observation; it becomes 0 with a mask. */
crs_source *crs_held_open(const crease_space *shape, double *t, bool missing, crease_error *e);
/* nan becomes 0 with a 0 in the mask. */
void crs_mark_missing(ptrdiff_t n, double *t, unsigned char *w);

/* Any slabs through a ring (ring.c): load fills `out` with the entries of a slab, on one thread. */
typedef struct {
    crs_partition cut;
    ptrdiff_t first, count; /* slabs */
    double bytes;
    bool missing;
    bool (*load)(void *self, const crs_slab *slab, double *out, crease_error *e);
    void (*close)(void *self); /* also where there will be no ring; NULL: nothing to do */
    void *self;
    crease_watch *stop; /* is stopped before close, so that load ends early; NULL: none */
} crs_ring_settings;
crs_source *crs_ring_open(const crs_ring_settings *s, crease_error *e);

/* Bytes that slabs of this shape need at least: a ring of three; and for a ring that lets no thread
 * wait for another. */
double crs_stream_floor(const crease_space *shape, bool missing);
double crs_stream_enough(const crease_space *shape, bool missing);

/* A source as users have it (source.c, crease/source.h). */
struct crease_source {
    const char *version; /* of the library that made it */
    crs_source *slabs;
    void (*leave)(void *user); /* is called before it is freed; NULL: nobody asked */
    void *user;
};
/* Owns the slabs from now on, also after a failure; NULL is handed on. */
crease_source *crs_source_hand(crs_source *slabs, crease_error *e);
/* crease_source_function; of several parts of all slabs a ring for this one. */
typedef struct {
    const crease_space *shape;
    crease_load *load;
    void *user;
    double bytes;
    bool missing;
    int part, parts; /* parts 0: all slabs */
} crs_bringing;
crease_source *crs_source_bring(const crs_bringing *s, crease_error *e);

/* Observed entries as a source that has nothing else (listed.c): slabs of it are refused. Owns the
 * list from now on, also after a failure. */
crs_source *crs_listed_open(crs_coordinates *list, crease_error *e);
static inline bool crs_is_listed(const crs_source *s) { return s && s->listed && !s->whole; }

/* What is done with a slab. The arguments are those of the look: fields, and arrays that `visit`
 * (checkpoint.h) shows together with their sizes, so that they can be sent. */
typedef struct {
    const char *name;
    size_t size;               /* of the arguments */
    crs_visit_function *visit; /* of the arguments; NULL: they are never sent */
    /* Kinds and sizes of the totals. */
    void (*plan)(const void *args, const crease_space *shape, crs_total *sums);
    /* Memory for `workers` that have a slab each and use `threads` for it; NULL with the reason.
     * NULL in place of the function: none. */
    void *(*open)(const void *args, const crs_partition *cut, int workers, int threads,
                  crease_error *e);
    void (*close)(void *room);
    /* Is slab k needed at all? NULL: every slab is. */
    bool (*wants)(const void *args, const crs_partition *cut, ptrdiff_t k);
    /* What the slab adds, the same for any number of threads; it may call BLAS, but not LAPACK,
     * which does not bear that tiny numbers count as 0 here. */
    bool (*add)(const void *args, void *room, const crs_slab *slab, int worker, crs_total *sums,
                crease_error *e);
} crs_job;

/* A job, its memory and its totals, for as many looks as needed. */
typedef struct {
    const crs_job *job;
    crs_source *source;
    int threads, workers;
    void *room;
    int place;                       /* among those that the team has open, from 1 on; 0: none */
    crs_total sums;                  /* at rank 0: of all slabs at the last look */
    crs_total *own;                  /* of each worker but the first */
    struct crs_look_failure *failed; /* of each worker */
} crs_look;

/* The arguments of later looks may need no more memory, nor other totals, than these. threads 0:
 * all there are. */
bool crs_look_open(crs_look *l, crs_source *s, const crs_job *job, const void *args, int threads,
                   crease_error *e);
/* False with the sentence of the first slab that failed; with the watch over some slabs are not in
 * the sums, and the caller asks it. */
bool crs_look_run(crs_look *l, const void *args, crease_watch *watch, crease_error *e);
void crs_look_close(crs_look *l);

/* Where the source has a team (team.c): begin lets rank 0 tell the others what to do, finish makes
 * the failure of one rank that of all, with its sentence at rank 0, and after a run the sums those
 * of all slabs there. `failed` is the slab, or to open the rank, that failed here; -1: none. */
typedef enum { CRS_TEAM_OPEN, CRS_TEAM_RUN, CRS_TEAM_CLOSE } crs_team_step;
bool crs_team_begin(crs_look *l, crs_team_step step, const void *args, crease_error *e);
bool crs_team_finish(crs_look *l, crs_team_step step, ptrdiff_t failed, crease_error *e);

/* On rank 0: the others open the same tensor, told as bytes, and from now on every look at s is one
 * of all ranks, each at its own slabs: in their order, as even as they go. False with the sentence
 * of the rank that could not, or sees another shape or other data. The source is this process's
 * alone again after dismiss. One source at a time. */
bool crs_team_invite(const crs_team *t, crs_source *s, const void *told, size_t bytes,
                     crease_error *e);
void crs_team_dismiss(crs_source *s);
/* On every rank, in place of an invitation: sources of one tensor that are there already are looked
 * at together, first with as even slabs as they go. */
void crs_team_share(const crs_team *t, crs_source *s);
/* On every rank: are the data of the others those of rank 0, as far as their first slabs tell? */
bool crs_team_compare(crs_source *s, crease_error *e);
/* The same by a mark of what a rank, or rank 0 in its place, sees where that rank begins, and its
 * words for that place; 0: it has nothing. */
enum { CRS_TEAM_WHERE = 80 };
typedef bool crs_team_mark(void *self, int rank, int64_t *mark, char where[CRS_TEAM_WHERE],
                           crease_error *e);
bool crs_team_compare_by(const crs_team *t, crs_team_mark *mark, void *self, crease_error *e);
/* Did nothing fail? Each rank says what failed there, -1: nothing; the least number speaks for all,
 * its sentence goes to rank 0. */
bool crs_team_agree(const crs_team *t, ptrdiff_t failed, crease_error *e);
/* All slabs of a source are looked at here, as they are of one made of another that has a team. */
void crs_source_alone(crs_source *s);
/* On rank 0: every other rank runs the task of this name with the bytes, and so does the caller,
 * once this is true: a work of all ranks, which tell, count and agree in the same order. */
bool crs_team_call(const crs_team *t, const char *task, const void *bytes, size_t count,
                   crease_error *e);
void crs_team_end(const crs_team *t); /* whatever has happened; NULL: there is none */

typedef struct {
    const char *name;
    void (*run)(const crs_team *t, const void *bytes, size_t count);
} crs_team_task;

/* On the other ranks, until rank 0 ends: `open` makes a source of what was told, closed by its ops;
 * jobs are found by name in a list that ends with NULL. */
typedef struct {
    crs_source *(*open)(void *user, const void *told, size_t bytes, crease_error *e);
    void *user;
    const crs_job *const *jobs;
    crs_source *source;         /* that was shared, and is not closed; NULL: there will be one */
    const char *refuses;        /* every look, with this sentence; NULL: none */
    const crs_team_task *tasks; /* a list that ends with no name; NULL: none */
} crs_team_service;
void crs_team_serve(const crs_team *t, const crs_team_service *service);

/* One look: opened, run; the caller reads the sums and closes. */
bool crs_look_once(crs_look *l, crs_source *s, const crs_job *job, const void *args, int threads,
                   crease_watch *watch, crease_error *e);

/* The facts of a source, found by one look where they are not known yet. */
bool crs_source_survey(crs_source *s, int threads, crease_error *e);

/* Entries at places that grow, and whether they were observed (seen NULL: not asked). */
bool crs_source_entries(crs_source *s, ptrdiff_t count, const ptrdiff_t *index, double *value,
                        unsigned char *seen, crease_error *e);

/* All entries of slab k, which another rank looks at; nan: not observed. */
bool crs_source_fetch(crs_source *s, ptrdiff_t k, double *value, crease_error *e);

extern const crs_job crs_survey_job, crs_entries_job, crs_fetch_job;

#endif
