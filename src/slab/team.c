/* SPDX-License-Identifier: MIT
 * team: looks at slabs that several processes have. Rank 0 thinks, all ranks look
 *
 * A request is told by rank 0: what to do with which of the looks that are open, and the arguments
 * as bytes. Every rank does its own slabs; then the least slab that failed is agreed on and its
 * sentence fetched, or the digits of all sums are brought to the largest power that one rank has,
 * and added up. A rank that fails stays with the protocol, so that nobody waits for it. */
#include <stdio.h>

#include "slab/slab.h"

enum { PLACES = 64, NAME = 32 };
enum { INVITE = CRS_TEAM_CLOSE + 1, DISMISS, CALL, END }; /* further steps */

typedef struct {
    int64_t step, place, threads, bytes;
    char job[NAME];
    crease_space shape; /* of the tensor, to invite */
} request;

void crs_team_share(const crs_team *t, crs_source *s)
{
    const ptrdiff_t all = s->cut.count;
    s->team = t;
    s->instructions = t->instructions;
    s->first = all * t->rank / t->size;
    s->count = all * (t->rank + 1) / t->size - s->first;
}

static bool choose_place(crs_look *l, crease_error *e)
{
    int k = 0;
    while (k < PLACES && l->source->open >> k & 1) k++;
    if (k == PLACES)
        return crs_fail(e, CREASE_UNSUPPORTED, "more than %d looks are open at once", PLACES);
    l->source->open |= (uint64_t)1 << k;
    l->place = k + 1;
    return true;
}

static void leave_place(crs_look *l)
{
    if (l->place > 0) l->source->open &= ~((uint64_t)1 << (l->place - 1));
    l->place = 0;
}

/* Did no rank fail? */
static bool all_well(const crs_team *t, bool here)
{
    int64_t failed = !here;
    t->max(t->self, &failed, 1);
    return failed == 0;
}

/* The bytes follow once every rank has room for them. */
static bool send(const crs_team *t, request *r, const void *bytes, crease_error *e)
{
    t->tell(t->self, r, sizeof *r);
    if (r->bytes == 0) return true;
    if (!all_well(t, true))
        return crs_fail(e, CREASE_NO_MEMORY,
                        "a rank has no room for %.3g MB of arguments; give it more memory",
                        1e-6 * (double)r->bytes);
    t->tell(t->self, (void *)(uintptr_t)bytes, (ptrdiff_t)r->bytes);
    return true;
}

static bool send_look(const crs_look *l, crs_team_step step, const void *bytes, size_t count,
                      crease_error *e)
{
    request r = { step, l->place, l->threads * l->workers, (int64_t)count, "", { .order = 0 } };
    memcpy(r.job, l->job->name, strlen(l->job->name) + 1);
    return send(l->source->team, &r, bytes, e);
}

bool crs_team_begin(crs_look *l, crs_team_step step, const void *args, crease_error *e)
{
    size_t count = 0;
    char *bytes = NULL;
    if (l->source->team->rank > 0) return true;
    if (step != CRS_TEAM_CLOSE) {
        if (!l->job->visit || strlen(l->job->name) >= NAME)
            return crs_fail(e, CREASE_UNSUPPORTED, "%s is not for several processes", l->job->name);
        bytes = crs_pack(l->job->visit, (void *)(uintptr_t)args, &count);
        if (!bytes)
            return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the arguments of %s",
                            l->job->name);
    }
    bool done = step != CRS_TEAM_OPEN || choose_place(l, e);
    done = done && send_look(l, step, bytes, count, e);
    crs_free(bytes);
    if (!done && step == CRS_TEAM_OPEN) leave_place(l);
    if (step == CRS_TEAM_CLOSE) leave_place(l);
    return done;
}

/* The sentence of the rank whose failure it is goes to rank 0. */
static void fetch(const crs_team *t, bool mine, crease_error *e)
{
    enum { WORDS = (sizeof(crease_error) + 7) / 8 };
    int64_t words[WORDS] = { 0 };
    if (mine && e) memcpy(words, e, sizeof *e);
    t->count(t->self, words, WORDS);
    if (t->rank == 0 && e) memcpy(e, words, sizeof *e);
}

/* The sums of all ranks, at rank 0. */
static void add_up(const crs_team *t, crs_total *sums)
{
    int64_t most[2 * CRS_TOTAL_ARRAYS];
    const int n = sums->arrays;
    for (int k = 0; k < n; k++) most[k] = sums->array[k].top, most[n + k] = sums->array[k].bad;
    t->max(t->self, most, 2 * n);
    for (int k = 0; k < n; k++) {
        crs_total_array *a = &sums->array[k];
        a->bad = most[n + k] > 0;
        if (a->kind == CRS_SUM) crs_total_raise(sums, k, (int)most[k]);
        if (a->kind == CRS_MOST)
            t->max(t->self, a->whole, a->size);
        else
            t->count(t->self, a->whole, a->kind == CRS_SUM ? CRS_TOTAL_DIGITS * a->size : a->size);
    }
}

bool crs_team_agree(const crs_team *t, ptrdiff_t failed, crease_error *e)
{
    crease_error own = { CREASE_OK, "" };
    int64_t first = failed < 0 ? 0 : INT64_MAX - (int64_t)failed;
    t->max(t->self, &first, 1);
    if (first > 0) fetch(t, failed >= 0 && first == INT64_MAX - (int64_t)failed, e ? e : &own);
    return first == 0;
}

bool crs_team_finish(crs_look *l, crs_team_step step, ptrdiff_t failed, crease_error *e)
{
    const bool well = crs_team_agree(l->source->team, failed, e);
    if (!well && step == CRS_TEAM_OPEN) leave_place(l);
    if (well && step == CRS_TEAM_RUN) add_up(l->source->team, &l->sums);
    return well;
}

/* Of many ranks rank 0 asks a few: it reads a part for each. */
static bool is_asked(const crs_team *t, int rank)
{
    enum { FEW = 16 };
    return rank > 0 && (t->size <= FEW || rank % (t->size / FEW) == 0);
}

static bool compare_marks(const crs_team *t, const int64_t *mark, crs_team_mark *read, void *self,
                          crease_error *e)
{
    for (int r = 1; r < t->size; r++) {
        char where[CRS_TEAM_WHERE] = "";
        int64_t own = 0;
        if (!is_asked(t, r)) continue;
        if (!read(self, r, &own, where, e)) return false;
        if (own != mark[r])
            return crs_fail(e, CREASE_BAD_DATA,
                            "rank %d sees other data than rank 0 (%s differs); give all ranks the "
                            "same file",
                            r, where);
    }
    return true;
}

bool crs_team_compare_by(const crs_team *t, crs_team_mark *read, void *self, crease_error *e)
{
    char where[CRS_TEAM_WHERE];
    int64_t *mark = crs_alloc((size_t)t->size, sizeof *mark);
    bool done = mark || crs_fail(e, CREASE_NO_MEMORY, "out of memory: marks of ranks");
    if (done && is_asked(t, t->rank)) done = read(self, t->rank, &mark[t->rank], where, e);
    done = crs_team_agree(t, done ? -1 : t->rank, e);
    if (done) {
        t->count(t->self, mark, t->size);
        done = crs_team_agree(t, t->rank > 0 || compare_marks(t, mark, read, self, e) ? -1 : 0, e);
    }
    crs_free(mark);
    return done;
}

/* Of the entries of a rank's first slab, and of which were observed: other data have another one,
 * most likely. */
static bool read_mark(void *self, int rank, int64_t *mark, char where[CRS_TEAM_WHERE],
                      crease_error *e)
{
    crs_source *s = self;
    const ptrdiff_t k = s->cut.count * rank / s->team->size;
    crs_slab slab;
    uint64_t sum = 14695981039346656037u;
    if (k == s->cut.count * (rank + 1) / s->team->size) return true;
    if (!s->ops->take(s, k, &slab, e)) return false;
    for (ptrdiff_t j = 0, n = crease_size(&slab.shape); j < n; j++) {
        uint64_t bits;
        memcpy(&bits, &slab.t[j], sizeof bits);
        sum = (sum ^ (bits + (slab.w && !slab.w[j]))) * 1099511628211u;
        sum ^= sum >> 32;
    }
    s->ops->give(s, &slab);
    *mark = (int64_t)(sum >> 1);
    snprintf(where, CRS_TEAM_WHERE, "slab %td of %td", k + 1, s->cut.count);
    return true;
}

bool crs_team_compare(crs_source *s, crease_error *e)
{
    return crs_team_compare_by(s->team, read_mark, s, e);
}

bool crs_team_invite(const crs_team *t, crs_source *s, const void *told, size_t bytes,
                     crease_error *e)
{
    request r = { .step = INVITE, .bytes = (int64_t)bytes, .shape = s->cut.shape };
    r.shape.comm = NULL;
    if (!send(t, &r, told, e) || !crs_team_agree(t, -1, e)) return false;
    crs_team_share(t, s);
    if (crs_team_compare(s, e)) return true;
    crs_team_dismiss(s);
    return false;
}

bool crs_team_call(const crs_team *t, const char *task, const void *bytes, size_t count,
                   crease_error *e)
{
    request r = { .step = CALL, .bytes = (int64_t)count };
    memcpy(r.job, task, strlen(task) + 1);
    return send(t, &r, bytes, e) && crs_team_agree(t, -1, e);
}

void crs_source_alone(crs_source *s)
{
    s->team = NULL;
    s->open = 0;
    s->first = 0;
    s->count = s->cut.count;
}

void crs_team_dismiss(crs_source *s)
{
    request r = { .step = DISMISS };
    if (!s->team) return;
    if (s->team->rank == 0) s->team->tell(s->team->self, &r, sizeof r);
    crs_source_alone(s);
}

/* A look that rank 0 has open, as the others keep it. */
typedef struct {
    crs_look look;
    const crs_job *job;
    void *args;
    char *bytes;
    size_t room;
} guest;

typedef struct {
    const crs_team *t;
    const crs_team_service *service;
    crs_source *source; /* NULL: none was told of */
    guest look[PLACES], told;
} server;

static void dismiss(guest *g)
{
    if (g->look.job) crs_look_close(&g->look);
    crs_free(g->args);
    crs_free(g->bytes);
    *g = (guest){ .job = NULL };
}

static void dismiss_all(server *w)
{
    for (int k = 0; k < PLACES; k++) dismiss(&w->look[k]);
    if (w->source && w->source != w->service->source) w->source->ops->close(w->source);
    w->source = NULL;
    dismiss(&w->told); /* of which the source may have read */
}

static const crs_job *find(const crs_job *const *jobs, const char *name)
{
    while (*jobs && strcmp((*jobs)->name, name) != 0) jobs++;
    return *jobs;
}

static bool receive(const crs_team *t, guest *g, const request *r)
{
    const size_t count = (size_t)r->bytes;
    bool room = count <= g->room;
    if (count == 0) return true;
    if (!room) {
        char *bytes = crs_resize(g->bytes, count, 1);
        room = bytes;
        if (bytes) g->bytes = bytes, g->room = count;
    }
    if (!all_well(t, room)) return false;
    t->tell(t->self, g->bytes, r->bytes);
    return true;
}

static bool understand(const server *w, guest *g, const request *r, crease_error *e)
{
    if (w->service->refuses) return crs_fail(e, CREASE_CUT, "%.350s", w->service->refuses);
    if (!g->job) return crs_fail(e, CREASE_UNSUPPORTED, "no job %s is known here", r->job);
    if (!g->args) g->args = crs_alloc(1, g->job->size + 1);
    if (!g->args) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the arguments of a job");
    return crs_unpack(g->job->visit, g->args, g->bytes, (size_t)r->bytes) ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "the arguments of %s are of another version of crease; use one for all ranks",
                    r->job);
}

static bool take_source(server *w, const request *r, crease_error *e)
{
    const crs_team_service *v = w->service;
    w->source = v->open(v->user, w->told.bytes, (size_t)r->bytes, e);
    if (!w->source) return false;
    return crease_space_equal(&w->source->cut.shape, &r->shape) ||
           crs_fail(e, CREASE_BAD_SHAPE,
                    "rank %d sees a tensor of another shape than rank 0; give all the same file",
                    w->t->rank);
}

static void accept(server *w, const request *r)
{
    crease_error e = { CREASE_OK, "" };
    dismiss_all(w);
    if (!receive(w->t, &w->told, r)) return;
    const bool done = take_source(w, r, &e);
    if (!crs_team_agree(w->t, done ? -1 : w->t->rank, &e))
        dismiss_all(w);
    else
        crs_team_share(w->t, w->source);
    if (w->source) crs_team_compare(w->source, &e); /* else rank 0 dismisses it */
}

static void open_look(server *w, guest *g, const request *r)
{
    crease_error e = { CREASE_OK, "" };
    dismiss(g);
    g->job = find(w->service->jobs, r->job);
    if (!receive(w->t, g, r)) return;
    g->look = (crs_look){ .source = w->source };
    if (!understand(w, g, r, &e))
        crs_team_finish(&g->look, CRS_TEAM_OPEN, w->t->rank, &e);
    else if (crs_look_open(&g->look, w->source, g->job, g->args, (int)r->threads, &e))
        return;
    g->look.job = NULL;
    dismiss(g);
}

static void run_look(server *w, guest *g, const request *r)
{
    crease_error e = { CREASE_OK, "" };
    if (!receive(w->t, g, r)) return;
    if (understand(w, g, r, &e))
        crs_look_run(&g->look, g->args, NULL, &e);
    else
        crs_team_finish(&g->look, CRS_TEAM_RUN, w->source->cut.count + w->t->rank, &e);
}

static void run_task(server *w, const request *r)
{
    crease_error e = { CREASE_OK, "" };
    guest told = { .job = NULL };
    const crs_team_task *task = w->service->tasks;
    while (task && task->name && strcmp(task->name, r->job) != 0) task++;
    if (!receive(w->t, &told, r)) return;
    const bool known = task && task->name;
    if (!known) crs_fail(&e, CREASE_UNSUPPORTED, "no task %s is known here", r->job);
    if (crs_team_agree(w->t, known ? -1 : w->t->rank, &e))
        task->run(w->t, told.bytes, (size_t)r->bytes);
    dismiss(&told);
}

void crs_team_serve(const crs_team *t, const crs_team_service *service)
{
    server w = { .t = t, .service = service, .source = service->source };
    request r = { .step = END };
    for (t->tell(t->self, &r, sizeof r); r.step != END; t->tell(t->self, &r, sizeof r)) {
        guest *g = &w.look[r.place > 0 ? r.place - 1 : 0];
        if (r.step == INVITE) accept(&w, &r);
        if (r.step == DISMISS) dismiss_all(&w);
        if (r.step == CALL) run_task(&w, &r);
        if (r.step == CRS_TEAM_OPEN) open_look(&w, g, &r);
        if (r.step == CRS_TEAM_RUN) run_look(&w, g, &r);
        if (r.step == CRS_TEAM_CLOSE) dismiss(g);
    }
    dismiss_all(&w);
}

void crs_team_end(const crs_team *t)
{
    request r = { .step = END };
    if (t) t->tell(t->self, &r, sizeof r);
}
