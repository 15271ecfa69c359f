/* SPDX-License-Identifier: MIT
 * checkpoint: the units of a job that are finished, and the state of those that are not, as bytes
 *
 * Units that are open stand on a stack; each has the list of units that were finished within it.
 * An image of the job is, for every level of the stack from the job itself on, that list and the
 * state at its last tick. When a unit is finished, what it has changed joins the list of the one
 * around it, and its own list goes. A job that is resumed walks along the levels of the image: a
 * unit that is begun is the next of the list, or the one that was open, or new.
 *
 * Images are made in memory, at most every quarter of a second; one of them is stored every so
 * often, and the last when the watch ends the job. Each takes a twentieth of the time at most. */
#include <crease/version.h>

#include "core/checkpoint.h"

enum { DEPTH = 16, NAME = 32, FORMAT = 1 };
static const double spacing = 0.25, share = 0.05; /* seconds; of the time */
static const char magic[] = "crease checkpoint\n";
static const uint64_t order_mark = 0x0102030405060708;

typedef struct {
    char *at;
    size_t used, room;
    bool failed;
} buffer;

static void put(buffer *b, const void *x, size_t n)
{
    if (b->failed || n == 0) return;
    if (n > b->room - b->used) {
        const size_t wanted = b->used + n + b->used / 2 + 256;
        char *larger_one = wanted > b->used ? crs_resize(b->at, wanted, 1) : NULL;
        b->failed = !larger_one;
        if (!larger_one) return;
        b->at = larger_one;
        b->room = wanted;
    }
    memcpy(b->at + b->used, x, n);
    b->used += n;
}

static void put_whole(buffer *b, uint64_t x) { put(b, &x, sizeof x); }

static void put_block(buffer *b, const void *x, size_t n)
{
    put_whole(b, n);
    put(b, x, n);
}

static void release(buffer *b)
{
    crs_free(b->at);
    *b = (buffer){ .at = NULL };
}

/* Bytes that are read; taking more than there are leaves it bad. */
typedef struct {
    const char *at;
    size_t left;
    bool bad;
} view;

static view take(view *v, uint64_t n)
{
    if (v->bad || n > v->left) return v->bad = true, (view){ .at = v->at };
    const view out = { .at = v->at, .left = (size_t)n };
    v->at += n;
    v->left -= (size_t)n;
    return out;
}

static uint64_t take_whole(view *v)
{
    uint64_t x = 0;
    const view from = take(v, sizeof x);
    if (from.left == sizeof x) memcpy(&x, from.at, sizeof x);
    return x;
}

static view take_block(view *v) { return take(v, take_whole(v)); }

static bool is_text(view v, const char *text)
{
    return v.left == strlen(text) && memcmp(v.at, text, v.left) == 0;
}

typedef enum { WRITE, COMPARE, READ } direction;
struct crs_visitor {
    direction way;
    buffer *out;
    view in;
    bool fits, refuses;
    bool packed; /* for another process: every block ends where a number may begin */
};

typedef struct {
    char name[NAME];
    crs_unit_kind kind;
    crs_visit_function *visit;
    void *self;
    buffer done;            /* the units within it that are finished: name and changes of each */
    buffer state;           /* of an outer one, at its last tick */
    bool ticked;            /* it has one */
    uint64_t number, begun; /* among those around it; units within it since its last tick */
} frame;

typedef struct {
    uint64_t number;
    view name, state, done;
    bool amidst;
} level;

struct crease_checkpoint {
    crease_checkpoint_save *save;
    void *user;
    double every;
    buffer facts;           /* names and values */
    frame frame[DEPTH + 1]; /* the first is the job */
    int depth, deeper;      /* units on the stack, and beyond its room */
    buffer image, next;     /* the last one that is whole, and the one in the making */
    bool unsaved;
    double made_at, saved_at; /* seconds of crs_now */
    double pause, gap;        /* between images; between those that are stored */
    char *old;                /* the bytes of resume */
    view old_facts;
    level level[DEPTH + 1];
    int levels, along; /* of the image that is resumed; the stack is on its way so far, -1: not */
    atomic_bool frozen, cut; /* the watch was over; in a phase of work */
    atomic_flag busy;
    crease_checkpoint_facts about;
};

crease_checkpoint *crease_checkpoint_new(double every, crease_checkpoint_save *save, void *user,
                                         crease_error *e)
{
    crease_checkpoint *c = crs_alloc(1, sizeof *c);
    if (!c) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a checkpoint"), NULL;
    c->save = save;
    c->user = user;
    c->every = every;
    c->along = -1;
    c->pause = smaller(every, spacing);
    c->gap = every;
    c->made_at = c->saved_at = crs_now();
    atomic_init(&c->frozen, false);
    atomic_init(&c->cut, false);
    atomic_flag_clear(&c->busy);
    return c;
}

void crease_checkpoint_free(crease_checkpoint *c)
{
    if (!c) return;
    for (int d = 0; d <= DEPTH; d++) {
        release(&c->frame[d].done);
        release(&c->frame[d].state);
    }
    release(&c->facts);
    release(&c->image);
    release(&c->next);
    crs_free(c->old);
    crs_free(c);
}

crease_checkpoint_facts crease_checkpoint_about(const crease_checkpoint *c)
{
    crease_checkpoint_facts about = c->about;
    about.cut = atomic_load(&c->cut);
    return about;
}

/* Is the list one of pairs, or of numbered ones, to its end? */
static bool is_list(view v, bool numbered)
{
    while (v.left > 0 && !v.bad) {
        if (numbered) take_whole(&v);
        take_block(&v);
        take_block(&v);
    }
    return !v.bad;
}

static bool parse_levels(crease_checkpoint *c, view *v)
{
    const uint64_t count = take_whole(v);
    if (count < 1 || count > DEPTH + 1) return false;
    for (c->levels = 0; c->levels < (int)count; c->levels++) {
        level *l = &c->level[c->levels];
        l->number = take_whole(v);
        l->name = take_block(v);
        l->amidst = take_whole(v) != 0;
        l->state = take_block(v);
        l->done = take_block(v);
        if (v->bad || !is_list(l->done, true)) return false;
    }
    return v->left == 0;
}

bool crease_checkpoint_resume(crease_checkpoint *c, const void *bytes, size_t count,
                              crease_error *e)
{
    crs_free(c->old);
    c->old = crs_alloc(count + 1, 1);
    if (!c->old) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a checkpoint");
    if (count > 0) memcpy(c->old, bytes, count);
    view v = { .at = c->old, .left = count };
    if (!is_text(take(&v, sizeof magic - 1), magic))
        return crs_fail(e, CREASE_BAD_DATA,
                        "this is no checkpoint; give a file that --checkpoint has written");
    const uint64_t format = take_whole(&v), mark = take_whole(&v);
    const view version = take_block(&v);
    if (v.bad || format != FORMAT || mark != order_mark || !is_text(version, CREASE_VERSION))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the checkpoint is of another version of crease (%.*s) or kind of machine, "
                        "this is version %s; finish the run with the program that began it",
                        (int)(version.left < 32 ? version.left : 32), version.at, CREASE_VERSION);
    c->old_facts = take_block(&v);
    if (v.bad || !is_list(c->old_facts, false) || !parse_levels(c, &v))
        return crs_fail(e, CREASE_BAD_DATA,
                        "the checkpoint is damaged; use an older copy, or begin anew without it");
    c->along = 0;
    return true;
}

bool crease_checkpoint_bind(crease_checkpoint *c, const char *name, const char *value,
                            crease_error *e)
{
    put_block(&c->facts, name, strlen(name));
    put_block(&c->facts, value, strlen(value));
    if (c->facts.failed) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a checkpoint");
    for (view v = c->old_facts; c->old && v.left > 0;) {
        const view known = take_block(&v), was = take_block(&v);
        if (!is_text(known, name)) continue;
        return is_text(was, value) ||
               crs_fail(e, CREASE_BAD_DATA,
                        "the checkpoint is of another run: %.60s was %.*s there and is %.100s "
                        "here; give the same, or begin anew without --resume",
                        name, (int)(was.left < 100 ? was.left : 100), was.at, value);
    }
    return !c->old || crs_fail(e, CREASE_BAD_DATA,
                               "the checkpoint is of another run: it says nothing of %.60s, which "
                               "is %.100s here; begin anew without --resume",
                               name, value);
}

/* FNV-1a: a word for the name of a variable */
static uint64_t word_of(const char *name)
{
    uint64_t h = 0xcbf29ce484222325;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3;
    return h;
}

void crs_visit_refuses(crs_visitor *v)
{
    v->refuses = true;
    v->fits = false;
}

bool crs_visit_reads(const crs_visitor *v) { return v->way == READ; }

static void write_bytes(crs_visitor *v, const char *name, const void *x, size_t size)
{
    const uint64_t none = 0;
    put_whole(v->out, word_of(name));
    put_block(v->out, x, size);
    put(v->out, &none, v->packed ? -size % sizeof none : 0);
}

/* The bytes of this name */
static view find_bytes(crs_visitor *v, const char *name)
{
    const uint64_t word = take_whole(&v->in);
    const view from = take_block(&v->in);
    take(&v->in, v->packed ? -from.left % sizeof word : 0);
    if (v->in.bad || word != word_of(name)) v->fits = false;
    return from;
}

void crs_visit_bytes(crs_visitor *v, const char *name, void *x, size_t size)
{
    if (v->way == WRITE) {
        write_bytes(v, name, x, size);
        return;
    }
    const view from = find_bytes(v, name);
    if (from.left != size) v->fits = false;
    if (v->fits && v->way == READ && size > 0) memcpy(x, from.at, size);
}

void crs_visit_pointer(crs_visitor *v, const char *name, void *x, size_t size)
{
    void *at;
    memcpy(&at, x, sizeof at);
    if (v->way == WRITE) {
        write_bytes(v, name, at, at ? size : 0);
        return;
    }
    const view from = find_bytes(v, name);
    if (from.left != 0 && from.left != size) v->fits = false;
    if (!v->fits || v->way != READ) return;
    const void *to = from.left > 0 ? from.at : NULL;
    if (v->packed)
        memcpy(x, &to, sizeof to);
    else if (at && to)
        memcpy(at, to, size);
}

char *crs_pack(crs_visit_function *visit, void *self, size_t *count)
{
    buffer out = { .at = NULL };
    crs_visitor v = { .way = WRITE, .out = &out, .packed = true };
    put_whole(&out, order_mark);
    visit(&v, self);
    *count = out.used;
    if (out.failed || v.refuses) release(&out);
    return out.at;
}

bool crs_unpack(crs_visit_function *visit, void *self, const char *bytes, size_t count)
{
    crs_visitor v = { .way = READ, .in = { .at = bytes, .left = count }, .packed = true };
    v.fits = take_whole(&v.in) == order_mark;
    if (v.fits) visit(&v, self);
    return v.fits && v.in.left == 0 && !v.in.bad;
}

bool crs_visit_writes(const crs_visitor *v) { return v->way == WRITE; }

void crs_visit_choice(crs_visitor *v, const char *name, int *x)
{
    const direction way = v->way;
    if (way == COMPARE) v->way = READ;
    crs_visit_bytes(v, name, x, sizeof *x);
    v->way = way;
}

void crs_visit_text(crs_visitor *v, const char *name, const char **x)
{
    if (v->way == WRITE) {
        write_bytes(v, name, *x, *x ? strlen(*x) + 1 : 0);
        return;
    }
    const view from = find_bytes(v, name);
    if (from.left > 0 && from.at[from.left - 1] != '\0') v->fits = false;
    if (v->fits && v->way == READ) *x = from.left > 0 ? from.at : NULL;
}

/* Into the unit, if all names and sizes are its own */
static bool read_unit(crs_visit_function *visit, void *self, view from)
{
    crs_visitor v = { .way = COMPARE, .in = from, .fits = true };
    visit(&v, self);
    if (!v.fits || v.in.left > 0) return false;
    v = (crs_visitor){ .way = READ, .in = from, .fits = true };
    visit(&v, self);
    return true;
}

/* False, and nothing is written: it cannot be */
static bool write_unit(const frame *f, buffer *out)
{
    const size_t before = out->used;
    crs_visitor v = { .way = WRITE, .out = out };
    f->visit(&v, f->self);
    if (v.refuses) out->used = before;
    return !v.refuses;
}

static bool notes(const crease_checkpoint *c)
{
    return !atomic_load_explicit(&c->frozen, memory_order_relaxed) && !c->about.why;
}

static void give_up(crease_checkpoint *c) { c->about.why = "there is not enough memory for it"; }

static bool store(crease_checkpoint *c)
{
    if (!c->unsaved) return false;
    const double begun = crs_now();
    const bool saved = c->save(c->user, c->image.at, c->image.used);
    c->saved_at = crs_now();
    if (c->every > 0) c->gap = larger(c->every, (c->saved_at - begun) / share);
    if (!saved) return false;
    c->unsaved = false;
    c->about.saved++;
    return true;
}

/* The state of the innermost unit is that of now where it ticks. False: it cannot be noted. */
static bool put_level(crease_checkpoint *c, int d, bool ticks)
{
    const frame *f = &c->frame[d];
    buffer *out = &c->next;
    const bool now = ticks && d == c->depth && f->kind == CRS_UNIT_LOOP;
    put_whole(out, f->number);
    put_block(out, f->name, strlen(f->name));
    const size_t place = out->used;
    uint64_t known[2] = { f->ticked, f->ticked ? f->state.used : 0 }; /* a state; its size */
    put(out, known, sizeof known);
    if (now) {
        known[0] = write_unit(f, out);
        known[1] = out->used - place - sizeof known;
        if (!out->failed) memcpy(out->at + place, known, sizeof known);
    } else if (f->ticked) {
        put(out, f->state.at, f->state.used);
    }
    put_block(out, f->done.at, f->done.used);
    return !now || known[0];
}

/* False: without the state of the innermost unit. */
static bool draw_image(crease_checkpoint *c, bool ticks)
{
    buffer *out = &c->next;
    bool whole = true;
    out->used = 0;
    put(out, magic, sizeof magic - 1);
    put_whole(out, FORMAT);
    put_whole(out, order_mark);
    put_block(out, CREASE_VERSION, strlen(CREASE_VERSION));
    put_block(out, c->facts.at, c->facts.used);
    put_whole(out, (uint64_t)c->depth + 1);
    for (int d = 0; d <= c->depth; d++) whole = put_level(c, d, ticks) && whole;
    if (out->failed) give_up(c);
    return whole;
}

static void take_image(crease_checkpoint *c)
{
    if (c->next.failed) return;
    const buffer made = c->next;
    c->next = c->image;
    c->image = made;
    c->unsaved = true;
}

static void make_image(crease_checkpoint *c, bool ticks)
{
    if (!draw_image(c, ticks)) c->about.refused = true;
    take_image(c);
}

/* Is there more in the image that is resumed than was done again? */
static bool is_behind(const crease_checkpoint *c)
{
    for (int d = 0; d <= c->along; d++)
        if (c->level[d].done.left > 0) return true;
    return c->along >= 0 && c->levels - 1 > c->along;
}

/* Where it is time, and nobody else is at it. */
static void consider(crease_checkpoint *c, bool ticks)
{
    const double begun = crs_now();
    if (is_behind(c)) return;
    if (begun - c->made_at < c->pause || atomic_flag_test_and_set(&c->busy)) return;
    make_image(c, ticks);
    const double took = crs_now() - begun;
    if (c->every > 0) c->pause = larger(smaller(c->every, spacing), took / share);
    if (begun - c->saved_at >= c->gap) store(c);
    c->made_at = crs_now();
    c->about.seconds += c->made_at - begun;
    atomic_flag_clear(&c->busy);
}

bool crease_checkpoint_write(crease_checkpoint *c)
{
    if (atomic_flag_test_and_set(&c->busy)) return false;
    const bool between = c->depth == 0 && c->frame[0].done.used > 0; /* two units of the job */
    if (between && notes(c) && !is_behind(c)) make_image(c, false);
    const bool stored = store(c);
    atomic_flag_clear(&c->busy);
    return stored;
}

void crs_checkpoint_freeze(crease_checkpoint *c, bool work)
{
    if (work) atomic_store(&c->cut, true);
    if (!atomic_exchange(&c->frozen, true)) crease_checkpoint_write(c);
}

static crs_unit_found misfit(crease_checkpoint *c)
{
    c->about.misfit = true;
    c->along = -1;
    return CRS_UNIT_FRESH;
}

/* The next of the list, if it is this one: others have failed */
static bool take_done(crease_checkpoint *c, uint64_t number, const char *name,
                      crs_visit_function *visit, void *self)
{
    view *list = &c->level[c->depth].done, rest = *list;
    buffer *done = &c->frame[c->depth].done;
    if (take_whole(&rest) != number) return false;
    const view known = take_block(&rest), changes = take_block(&rest);
    if (!is_text(known, name) || !read_unit(visit, self, changes)) return misfit(c), false;
    *list = rest;
    put_whole(done, number);
    put_block(done, known.at, known.left);
    put_block(done, changes.at, changes.left);
    if (done->failed) give_up(c);
    c->about.reused++;
    return true;
}

/* The unit at the top of the stack, if it was open then */
static crs_unit_found take_open(crease_checkpoint *c)
{
    const frame *f = &c->frame[c->depth];
    const level *l = &c->level[c->depth];
    if (c->levels <= c->depth || f->number != l->number) return CRS_UNIT_FRESH;
    if (!is_text(l->name, f->name)) return misfit(c);
    if (l->amidst && !read_unit(f->visit, f->self, l->state)) return misfit(c);
    c->along = c->depth;
    c->about.amidst = c->about.amidst || l->amidst;
    return l->amidst ? CRS_UNIT_AMIDST : CRS_UNIT_FRESH;
}

/* What an outer unit is resumed from stands until its next tick. */
static void tick_outer(crease_checkpoint *c)
{
    frame *f = &c->frame[c->depth];
    f->state.used = f->done.used = 0;
    f->begun = 0;
    f->ticked = write_unit(f, &f->state);
    if (!f->ticked) c->about.refused = true;
    if (f->state.failed) give_up(c);
}

crs_unit_found crs_unit_begin(crease_watch *w, const char *name, crs_unit_kind kind,
                              crs_visit_function *visit, void *self)
{
    crease_checkpoint *c = crs_watch_checkpoint(w);
    if (!c) return CRS_UNIT_FRESH;
    if (c->depth == DEPTH || c->deeper > 0) return c->deeper++, CRS_UNIT_FRESH;
    if (!notes(c)) c->along = -1; /* what was cut leads elsewhere */
    const bool on_way = c->along == c->depth;
    const bool listed = on_way && c->level[c->depth].done.left > 0;
    const uint64_t number = c->frame[c->depth].begun++;
    if (listed && take_done(c, number, name, visit, self)) return CRS_UNIT_DONE;
    frame *f = &c->frame[++c->depth];
    f->kind = kind;
    f->visit = visit;
    f->self = self;
    f->done.used = f->state.used = 0;
    f->number = number, f->begun = 0;
    f->ticked = false;
    const size_t length = strlen(name);
    memcpy(f->name, name, length < NAME ? length + 1 : NAME);
    f->name[NAME - 1] = '\0';
    const crs_unit_found found =
        on_way && !listed && c->along == c->depth - 1 ? take_open(c) : CRS_UNIT_FRESH;
    if (kind == CRS_UNIT_OUTER && found == CRS_UNIT_AMIDST && notes(c)) tick_outer(c);
    return found;
}

void crs_unit_tick(crease_watch *w)
{
    crease_checkpoint *c = crs_watch_checkpoint(w);
    if (!c || c->deeper > 0 || !notes(c) || crease_watch_over(w)) return;
    if (c->frame[c->depth].kind == CRS_UNIT_OUTER) {
        tick_outer(c);
        if (c->along == c->depth) c->along = -1; /* past the image */
    }
    consider(c, true);
}

/* The unit around it is the innermost; what was open in the image is past. */
static void pop(crease_checkpoint *c)
{
    if (c->along == c->depth) {
        c->along--;
        c->levels = c->depth;
    }
    c->depth--;
}

void crs_unit_drop(crease_watch *w)
{
    crease_checkpoint *c = crs_watch_checkpoint(w);
    if (!c) return;
    if (c->deeper > 0)
        c->deeper--;
    else
        pop(c);
}

/* A state that cannot be noted does not replace one of before. */
void crs_unit_note(crease_watch *w)
{
    crease_checkpoint *c = crs_watch_checkpoint(w);
    if (!c || c->deeper > 0 || !notes(c) || is_behind(c) || crease_watch_over(w)) return;
    if (atomic_flag_test_and_set(&c->busy)) return;
    if (draw_image(c, true) || c->image.used == 0) take_image(c);
    atomic_flag_clear(&c->busy);
}

void crs_unit_cut(crease_watch *w)
{
    crease_checkpoint *c = crs_watch_checkpoint(w);
    if (c) crs_checkpoint_freeze(c, true);
}

void crs_unit_end(crease_watch *w)
{
    crease_checkpoint *c = crs_watch_checkpoint(w);
    if (!c || c->deeper > 0 || !notes(c) || crease_watch_over(w)) {
        crs_unit_drop(w);
        return;
    }
    const frame *f = &c->frame[c->depth];
    buffer *list = &c->frame[c->depth - 1].done;
    const size_t before = list->used;
    put_whole(list, f->number);
    put_block(list, f->name, strlen(f->name));
    const size_t place = list->used;
    put_whole(list, 0);
    const bool written = write_unit(f, list);
    const uint64_t size = list->used - place - sizeof size;
    if (!list->failed) memcpy(list->at + place, &size, sizeof size);
    if (!written) list->used = before;
    if (list->failed) give_up(c);
    pop(c);
    if (notes(c)) consider(c, false);
}
