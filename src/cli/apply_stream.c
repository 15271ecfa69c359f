/* SPDX-License-Identifier: MIT
 * apply_stream: slices of data that do not fit into memory, or are shared by ranks, some at a time:
 * read once to know what they are, and once more to be fitted, judged and written at their places
 *
 * Over ranks each reads its slabs and fits its own slices, in rounds of a quarter of a second:
 * between two rounds rank 0 says whether time is over, and hears what was done where there is a
 * checkpoint. A rank that fails stays with the protocol. What one could not write, rank 0 makes
 * anew from the coefficients. */
#include "cli/apply.h"
#include "rpca/rpca.h"

enum { FILES = 4 };
static const char *const file_name[FILES] = { "coefficients.npy", "lowrank.npy", "sparse.npy",
                                              "noise.npy" };

/* ---- the first reading ---- */

/* Of entries low .. high-1 */
typedef struct {
    crs_entries_hash hash;
    crs_tally tally;
    ptrdiff_t low, high;
    ptrdiff_t bad; /* the first that is not what it may be; -1: none */
    double wrong;  /* what it is */
} facts;

static void find_bad(const crs_apply_job *j, facts *f, ptrdiff_t first, ptrdiff_t n,
                     const double *t)
{
    for (ptrdiff_t k = 0; k < n && f->bad < 0; k++)
        if (!isfinite(t[k]) && !(j->s.missing && isnan(t[k]))) f->bad = first + k, f->wrong = t[k];
}

/* What slices first .. first + count - 1 add to the facts; t has room for them. */
static bool read_part(crs_apply_job *j, facts *f, ptrdiff_t first, ptrdiff_t count, double *t,
                      crease_error *e)
{
    const ptrdiff_t entries = entries_of(j), from = more(first * entries, f->low);
    const ptrdiff_t n = fewer((first + count) * entries, f->high) - from;
    double *own = t + (from - first * entries);
    if (!crs_row_reader_read(j->rows, first, count, t, e)) return false;
    crs_array_hash_add(&f->hash, n, own);
    find_bad(j, f, from, n, own);
    crs_center_shift(&j->center, -1, from, n, own);
    crs_tally_add(&f->tally, n, own);
    return crease_watch_why(j->a->watch) != CREASE_STOPPED || crs_cut(e, "reading the data");
}

static bool conclude(crs_apply_job *j, const facts *f, crease_error *e)
{
    j->extent = crs_tally_extent(&f->tally);
    j->largest = f->tally.most;
    return f->bad < 0 || (crs_part_finite(&j->data, f->bad, 1, &f->wrong, j->s.missing, NULL, e) &&
                          crs_slices_finite(&j->s, f->bad, 1, &f->wrong, NULL, e));
}

static bool survey_all(crs_apply_job *j, facts *f, double *t, crease_error *e)
{
    const ptrdiff_t slices = j->shape.dim[0];
    f->high = crease_size(&j->shape);
    f->bad = -1;
    crs_array_hash_begin(&f->hash, &j->given, false);
    for (ptrdiff_t i = 0; i < slices && f->bad < 0; i += j->step)
        if (!read_part(j, f, i, fewer(j->step, slices - i), t, e)) return false;
    crs_hash_slabs(&f->hash.all, f->hash.several, j->hash);
    return conclude(j, f, e);
}

/* What the file says of itself. */
static bool open_rows(crs_apply_job *j, crease_error *e)
{
    crs_place place;
    const crs_format *format;
    if (!crs_read_place(j->path, &j->asked, &place, &j->data, &format, e) ||
        !crs_name_data(j->a, j->path, &j->data, e))
        return false;
    j->given = j->data.shape;
    if (!crs_apply_fit(j, e)) return false;
    j->rows = crs_row_reader_open(j->path, &j->asked, e);
    return j->rows;
}

/* ---- the second ---- */

typedef struct {
    crs_slices *all;
    double *memory; /* data, lowrank, sparse, noise, coefficients of the slices at hand */
    crs_laid to[FILES];
    bool writes; /* the files are open */
} desk;

/* Every array gets its place, in the order of those that are written from memory. */
static bool lay(crs_apply_job *j, desk *d, crease_error *e)
{
    const crease_space table = crease_matrix(j->shape.dim[0], j->s.rank);
    if (!j->folder.path) return true;
    for (int k = 0; k < FILES; k++)
        if (!crs_folder_lay(&j->folder, file_name[k], k == 0 ? &table : &j->given, e)) return false;
    for (int k = 0; k < FILES; k++)
        if (!crs_folder_laid(&j->folder, file_name[k], &d->to[k], e)) return false;
    return true;
}

static bool open_files(desk *d, crease_error *e)
{
    for (int k = 0; k < FILES; k++) d->to[k].fd = -1;
    for (int k = 0; k < FILES; k++)
        if (d->to[k].path && !crs_laid_open(&d->to[k], e)) return false;
    return d->writes = d->to[0].path != NULL, true;
}

static bool open_desk(crs_apply_job *j, desk *d, crease_error *e)
{
    const ptrdiff_t room = j->step * (CRS_APPLY_ARRAYS * entries_of(j) + j->s.rank);
    const bool helps = j->a->team && j->a->team->rank > 0;
    if (!open_files(d, e) && !helps) return false; /* rank 0 writes what others cannot */
    d->memory = crs_doubles(room, "slices", e);
    if (!d->memory) return false;
    d->all = crs_slices_open(&j->s, &j->extent, j->largest, e);
    return d->all;
}

static void close_desk(desk *d)
{
    for (int k = 0; k < FILES; k++)
        if (d->to[k].path) crs_laid_close(&d->to[k]);
    crs_slices_close(d->all);
    crs_free(d->memory);
}

static bool put_part(const crs_apply_job *p, const desk *d, ptrdiff_t first, crease_error *e)
{
    const ptrdiff_t count = p->shape.dim[0], entries = entries_of(p), rank = p->s.rank;
    const double *const from[FILES] = { p->out.coefficients, p->out.lowrank, p->out.sparse,
                                        p->noise };
    for (int k = 0; k < FILES; k++) {
        const ptrdiff_t each = k == 0 ? rank : entries;
        if (!crs_laid_put(&d->to[k], first * each, count * each, from[k], e)) return false;
    }
    return true;
}

/* The job of these slices alone. */
static crs_apply_job part_of(const crs_apply_job *j, const desk *d, ptrdiff_t count)
{
    const ptrdiff_t n = j->step * entries_of(j);
    crs_apply_job p = *j;
    p.shape.dim[0] = p.given.dim[0] = count;
    p.data.data = d->memory;
    p.out.lowrank = d->memory + n, p.out.sparse = d->memory + 2 * n, p.noise = d->memory + 3 * n;
    p.out.coefficients = d->memory + 4 * n;
    return p;
}

static bool fit_part(crs_apply_job *j, desk *d, ptrdiff_t first, ptrdiff_t count, crease_error *e)
{
    crs_apply_job p = part_of(j, d, count);
    const ptrdiff_t n = crease_size(&p.shape), from = first * entries_of(j);
    if (!crs_row_reader_read(j->rows, first, count, p.data.data, e)) return false;
    crs_center_shift(&j->center, -1, from, n, p.data.data);
    crs_slices_run(d->all, first, count, p.data.data, &p.out);
    const bool done = crs_apply_finish(&p, e) && crs_apply_judge(&p, j->eps, e);
    for (ptrdiff_t i = 0; p.found && i < count; i++) crease_verification_free(&p.found[i]);
    crs_free(p.found);
    if (!done) return false;
    j->worst = p.worst, j->judged = p.judged;
    crs_center_shift(&j->center, 1, from, n, p.out.lowrank);
    crs_noise_times(&j->center, 1, from, n, p.out.sparse);
    crs_noise_times(&j->center, 1, from, n, p.noise);
    if (!d->writes || put_part(&p, d, first, e)) return true;
    d->writes = false;
    return j->a->team && j->a->team->rank > 0;
}

/* ---- over ranks ---- */

/* What the others are told: of a job what is to be read and fitted. */
typedef struct {
    crs_apply_job job;
    const char *rho, *path[FILES];
    long long offset[FILES];
} told;

static void visit_array(crs_visitor *v, crs_array *x, bool whole)
{
    crs_visit(v, x->shape);
    if (whole) crs_visit_array(v, x->data, crease_size(&x->shape));
}

static void visit_model(crs_visitor *v, crs_apply_job *j)
{
    crs_visit(v, j->order);
    crs_visit(v, j->cp);
    crs_visit(v, j->bounded);
    crs_visit(v, j->s.alpha);
    crs_visit(v, j->s.alpha_noise);
    crs_visit(v, j->s.ridge);
    crs_visit(v, j->s.nonneg);
    visit_array(v, &j->weight, true);
    visit_array(v, &j->core, true);
    for (int n = 0; n < j->order; n++) visit_array(v, &j->factor[n], n > 0);
    crs_visit(v, j->center.shape);
    for (int n = 0; n <= j->order; n++)
        crs_visit_array(v, j->center.value[n], n == 0 ? 1 : j->center.shape.dim[n - 1]);
    crs_visit(v, j->center.mode);
    crs_visit_array(v, j->center.level, j->center.shape.dim[j->center.mode]);
}

static void visit_told(crs_visitor *v, void *self)
{
    told *d = self;
    crs_visit_text(v, "path", &d->job.path);
    crs_visit_text(v, "rho", &d->rho);
    for (int k = 0; k < FILES; k++) crs_visit_text(v, file_name[k], &d->path[k]);
    crs_visit(v, d->offset);
    crs_visit_asked(v, &d->job.asked);
    crs_visit(v, d->job.s.missing);
    crs_visit(v, d->job.given);
    crs_visit(v, d->job.shape);
    crs_visit(v, d->job.step);
    crs_visit(v, d->job.extent);
    crs_visit(v, d->job.largest);
    crs_visit(v, d->job.eps);
    visit_model(v, &d->job);
}

static bool call(const crs_apply_job *j, const desk *d, const crs_team *t, const char *task,
                 crease_error *e)
{
    told what = { .job = *j, .rho = j->rho };
    size_t count;
    for (int k = 0; d && k < FILES; k++)
        what.path[k] = d->to[k].path, what.offset[k] = d->to[k].offset;
    char *bytes = crs_pack(visit_told, &what, &count);
    if (!bytes) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: what ranks are told");
    const bool done = crs_team_call(t, task, bytes, count, e);
    crs_free(bytes);
    return done;
}

/* On another rank: the job, whose arrays lie in the bytes. */
static bool hear(told *d, crs_args *a, const void *bytes, size_t count, crease_error *e)
{
    crs_apply_job *j = &d->job;
    if (!crs_unpack(visit_told, d, bytes, count))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "it is of another version of crease; use one for all ranks");
    j->a = a;
    j->weight.borrowed = j->core.borrowed = true;
    for (int n = 0; n < j->order; n++) j->factor[n].borrowed = true;
    a->watch = crease_watch_new(e);
    j->asked.watch = a->watch;
    if (!a->watch || !crs_reg_open(d->rho, &j->penalty, e)) return false;
    j->rows = crs_row_reader_open(j->path, &j->asked, e);
    if (!j->rows || crease_space_equal(crs_row_reader_shape(j->rows), &j->given)) return j->rows;
    return crs_fail(e, CREASE_BAD_SHAPE, "%.200s has another shape than on rank 0", j->path);
}

static void forget(told *d, crs_args *a)
{
    crs_apply_discard(&d->job);
    crease_watch_free(a->watch);
}

/* A rank's part of the work. */
typedef struct share {
    crs_apply_job *j;
    const crs_team *t;
    ptrdiff_t first, at, end; /* its slices, and the next of them */
    bool (*part)(struct share *s, ptrdiff_t count, crease_error *e);
    facts *facts; /* of the first reading, */
    double *memory;
    desk *desk; /* and of the second */
    int64_t *word;
    double heard, took; /* when rank 0 was told of what is done, and seconds */
} share;

static bool is_stopped(const share *s)
{
    crease_watch *w = s->j->a->watch;
    return crease_watch_phase(w) == CREASE_PHASE_READ ? crease_watch_why(w) == CREASE_STOPPED
                                                      : crease_watch_over(w);
}

/* At most a twentieth of the time goes into telling for the sake of a checkpoint. */
static bool is_due(const share *s)
{
    return s->desk && crs_watch_checkpoint(s->j->a->watch) &&
           crs_now() - s->heard > larger(0.25, 20 * s->took);
}

static bool work_on(share *s, crease_error *e)
{
    enum { LEAST = 4 };
    const double until = crs_now() + 0.25;
    for (int k = 0; s->at < s->end && (k < LEAST || crs_now() < until); k++) {
        const ptrdiff_t count = fewer(s->j->step, s->end - s->at);
        if (!s->part(s, count, e)) return false;
        s->at += count;
    }
    return true;
}

/* Slices whose words have room at once. */
static ptrdiff_t room_of(const share *s)
{
    return more(1, (1 << 16) / crs_slices_words(s->desk->all));
}

/* What every rank has fitted, at rank 0. */
static void gather(share *s)
{
    const double begun = crs_now();
    const ptrdiff_t each = crs_slices_words(s->desk->all), room = room_of(s);
    for (ptrdiff_t i = 0, all = s->j->shape.dim[0], n; i < all; i += n) {
        n = fewer(room, all - i);
        memset(s->word, 0, (size_t)(n * each) * sizeof *s->word);
        for (ptrdiff_t k = more(i, s->first); k < fewer(i + n, s->end); k++)
            crs_slices_tell(s->desk->all, k, s->word + (k - i) * each);
        s->t->count(s->t->self, s->word, n * each);
        for (ptrdiff_t k = 0; s->t->rank == 0 && k < n; k++)
            crs_slices_hear(s->desk->all, i + k, s->word + k * each);
    }
    s->heard = crs_now();
    s->took = s->heard - begun;
}

/* What a checkpoint knows of slices, on every rank. */
static void pass_on(share *s)
{
    const ptrdiff_t each = crs_slices_words(s->desk->all), room = room_of(s);
    int64_t any = crs_watch_checkpoint(s->j->a->watch) != NULL;
    s->t->tell(s->t->self, &any, sizeof any);
    if (!any) return;
    for (ptrdiff_t i = 0, all = s->j->shape.dim[0], n; i < all; i += n) {
        n = fewer(room, all - i);
        for (ptrdiff_t k = 0; s->t->rank == 0 && k < n; k++)
            crs_slices_tell(s->desk->all, i + k, s->word + k * each);
        s->t->tell(s->t->self, s->word, (n * each) * (ptrdiff_t)sizeof *s->word);
        for (ptrdiff_t k = 0; s->t->rank > 0 && k < n; k++)
            crs_slices_hear(s->desk->all, i + k, s->word + k * each);
    }
}

static bool work(share *s, crease_error *e)
{
    const crs_team *t = s->t;
    for (int64_t left = 1; left > 0;) {
        int64_t order[2] = { t->rank == 0 && is_stopped(s), t->rank == 0 && is_due(s) };
        t->tell(t->self, order, sizeof order);
        if (order[0] && t->rank > 0) crease_watch_stop(s->j->a->watch);
        if (!crs_rpca_agree(t, work_on(s, e), e)) return false;
        left = s->end - s->at;
        t->max(t->self, &left, 1);
        if (s->desk && (left == 0 || order[1])) gather(s);
    }
    return true;
}

/* Of the ranks with the largest key the least place, and the value there at rank 0; key 0: none. */
static ptrdiff_t foremost(const crs_team *t, int64_t key, ptrdiff_t at, double *value)
{
    int64_t top = key, first, bits = 0;
    t->max(t->self, &top, 1);
    if (top == 0) return -1;
    first = key == top ? INT64_MAX - (int64_t)at : 0;
    const int64_t own = first;
    t->max(t->self, &first, 1);
    if (key == top && own == first) memcpy(&bits, value, sizeof bits);
    t->count(t->self, &bits, 1);
    memcpy(value, &bits, sizeof bits);
    return (ptrdiff_t)(INT64_MAX - first);
}

static bool read_here(share *s, ptrdiff_t count, crease_error *e)
{
    if (!read_part(s->j, s->facts, s->at, count, s->memory, e)) return false;
    if (s->facts->bad >= 0) s->end = s->at + count;
    return true;
}

/* The slices that the slabs of this rank are in. */
static void begin_reading(share *s)
{
    facts *f = s->facts;
    const crs_partition cut = crs_partition_of(&s->j->given);
    const ptrdiff_t k = cut.count * s->t->rank / s->t->size, entries = entries_of(s->j);
    const ptrdiff_t end = cut.count * (s->t->rank + 1) / s->t->size;
    f->low = crs_slab_at(&cut, k).first;
    f->high = end == cut.count ? crease_size(&s->j->given) : crs_slab_at(&cut, end).first;
    f->bad = f->tally.at = -1;
    f->tally.seen = f->low;
    crs_array_hash_part(&f->hash, &s->j->given, k, s->word);
    s->at = f->low / entries;
    s->end = k == end ? s->at : (f->high + entries - 1) / entries;
}

static void add_facts(const share *s)
{
    const crs_team *t = s->t;
    facts *f = s->facts;
    int64_t seen[CRS_EXPONENTS];
    for (int k = 0; k < CRS_EXPONENTS; k++) seen[k] = f->tally.count[k];
    t->count(t->self, seen, CRS_EXPONENTS);
    for (int k = 0; k < CRS_EXPONENTS; k++) f->tally.count[k] = (ptrdiff_t)seen[k];
    t->count(t->self, s->word, CRS_SLAB_WORDS * crs_partition_of(&s->j->given).count);
    f->bad = foremost(t, f->bad >= 0, f->bad, &f->wrong);
    f->tally.at = foremost(t, f->tally.at >= 0 ? crs_ordered(fabs(f->tally.most)) : 0, f->tally.at,
                           &f->tally.most);
}

/* On every rank, which is ready or not; what all have read is at rank 0. */
static bool read_share(crs_apply_job *j, const crs_team *t, bool ready, crease_error *e)
{
    const size_t slabs = ready ? (size_t)crs_partition_of(&j->given).count : 0;
    share s = { .j = j, .t = t, .part = read_here };
    if (ready) s.facts = crs_alloc(1, sizeof *s.facts);
    if (s.facts) s.word = crs_alloc(slabs, CRS_SLAB_WORDS * sizeof *s.word);
    if (s.word) s.memory = crs_doubles(j->step * entries_of(j), "slices", e);
    if (ready && !s.memory) crs_fail(e, CREASE_NO_MEMORY, "out of memory: reading the data");
    bool done = crs_rpca_agree(t, s.memory, e);
    if (done) begin_reading(&s);
    done = done && work(&s, e);
    if (done) add_facts(&s);
    if (done && t->rank == 0) {
        crs_hash_from_words(&j->given, (ptrdiff_t)slabs, s.word, j->hash);
        done = conclude(j, s.facts, e);
    }
    crs_free(s.facts);
    crs_free(s.word);
    crs_free(s.memory);
    return done;
}

static bool fit_here(share *s, ptrdiff_t count, crease_error *e)
{
    return fit_part(s->j, s->desk, s->at, count, e);
}

static ptrdiff_t first_of(const share *s, int rank)
{
    return s->j->shape.dim[0] * rank / s->t->size;
}

static bool mark(void *self, int rank, int64_t *out, char where[CRS_TEAM_WHERE], crease_error *e)
{
    const share *s = self;
    const ptrdiff_t i = first_of(s, rank);
    int64_t word[CRS_SLAB_WORDS];
    crs_hash h;
    if (i == first_of(s, rank + 1)) return true;
    if (!crs_row_reader_read(s->j->rows, i, 1, s->desk->memory, e)) return false;
    crs_hash_begin(&h);
    crs_hash_entries(&h, entries_of(s->j), s->desk->memory, NULL);
    crs_hash_words(&h, word);
    *out = word[0] << 31 | word[1] >> 1;
    snprintf(where, CRS_TEAM_WHERE, "slice %td of %td", i + 1, s->j->shape.dim[0]);
    return true;
}

/* Of every rank: what it was last to write, and the worst of its slices. */
enum { LOST, JUDGED, WORST };
enum { REPORT = WORST + sizeof(crease_verification) / sizeof(int64_t) };
_Static_assert(sizeof(crease_verification) % sizeof(int64_t) == 0, "words for a verdict");

static bool hear_reports(share *s, const int64_t *report, crease_error *e)
{
    bool done = true;
    for (int r = 1; done && r < s->t->size; r++) {
        const int64_t *own = report + r * REPORT;
        crease_verification v;
        memcpy(&v, own + WORST, sizeof v);
        if (own[JUDGED]) crs_apply_note(s->j, &v);
        for (ptrdiff_t i = first_of(s, r), end = first_of(s, r + 1), n;
             own[LOST] && done && i < end; i += n) {
            n = fewer(s->j->step, end - i);
            done = fit_part(s->j, s->desk, i, n, e);
        }
    }
    return done;
}

static bool report(share *s, crease_error *e)
{
    const crs_team *t = s->t;
    int64_t *own = s->word + t->rank * REPORT;
    memset(s->word, 0, (size_t)(t->size * REPORT) * sizeof *own);
    own[LOST] = s->desk->to[0].path && !s->desk->writes;
    own[JUDGED] = s->j->judged;
    memcpy(own + WORST, &s->j->worst, sizeof s->j->worst);
    t->count(t->self, s->word, t->size * REPORT);
    return t->rank > 0 || hear_reports(s, s->word, e);
}

/* On every rank, which is ready or not; all scores and the worst verdict are at rank 0. */
static bool fit_share(crs_apply_job *j, desk *d, const crs_team *t, bool ready, crease_error *e)
{
    share s = { .j = j, .t = t, .part = fit_here, .desk = d, .heard = crs_now() };
    ready = ready && open_desk(j, d, e);
    if (ready) {
        const ptrdiff_t words = more(room_of(&s) * crs_slices_words(d->all), t->size * REPORT);
        s.word = crs_alloc((size_t)words, sizeof *s.word);
        s.first = s.at = first_of(&s, t->rank);
        s.end = first_of(&s, t->rank + 1);
        if (!s.word) ready = crs_fail(e, CREASE_NO_MEMORY, "out of memory: what ranks are told");
    }
    bool done = crs_rpca_agree(t, ready, e) && crs_team_compare_by(t, mark, &s, e);
    if (done) pass_on(&s);
    done = done && work(&s, e) && report(&s, e);
    crs_free(s.word);
    return done;
}

void crs_apply_assist_survey(const crs_team *t, const void *bytes, size_t count)
{
    crease_error e = { CREASE_OK, "" };
    crs_args a = { .team = t };
    told d = { .rho = NULL };
    read_share(&d.job, t, hear(&d, &a, bytes, count, &e), &e);
    forget(&d, &a);
}

void crs_apply_assist(const crs_team *t, const void *bytes, size_t count)
{
    crease_error e = { CREASE_OK, "" };
    crs_args a = { .team = t };
    told d = { .rho = NULL };
    desk own = { .all = NULL };
    const bool ready = hear(&d, &a, bytes, count, &e) && crs_apply_terms(&d.job, &e);
    for (int k = 0; k < FILES; k++) own.to[k] = (crs_laid){ d.path[k], d.offset[k], NULL, -1 };
    d.job.s.trained = NULL; /* which only rank 0 compares with */
    fit_share(&d.job, &own, t, ready, &e);
    close_desk(&own);
    forget(&d, &a);
}

/* ---- the door ---- */

bool crs_apply_survey(crs_apply_job *j, crease_error *e)
{
    if (!open_rows(j, e)) return false;
    if (crs_dry(j->a)) return true;
    if (ranks_of(j) && crs_partition_of(&j->given).count > 1)
        return call(j, NULL, ranks_of(j), "apply-survey", e) && read_share(j, ranks_of(j), true, e);
    facts *f = crs_alloc(1, sizeof *f);
    double *t = crs_doubles(j->step * entries_of(j), "slices", e);
    bool done = t && (f || crs_fail(e, CREASE_NO_MEMORY, "out of memory: reading the data"));
    done = done && survey_all(j, f, t, e);
    crs_free(t);
    crs_free(f);
    return done;
}

static bool fit_all(crs_apply_job *j, desk *d, crease_error *e)
{
    const ptrdiff_t slices = j->shape.dim[0];
    bool done = open_desk(j, d, e);
    for (ptrdiff_t i = 0; done && i < slices; i += j->step)
        done = fit_part(j, d, i, fewer(j->step, slices - i), e);
    return done;
}

bool crs_apply_stream(crs_apply_job *j, crease_error *e)
{
    desk d = { .all = NULL };
    const crs_team *t = ranks_of(j);
    bool done = crs_apply_terms(j, e) && lay(j, &d, e);
    if (done) j->out.score = crs_alloc((size_t)j->shape.dim[0], sizeof *j->out.score);
    if (done && !j->out.score) done = crs_fail(e, CREASE_NO_MEMORY, "out of memory: the scores");
    done = done &&
           (t ? call(j, &d, t, "apply", e) && fit_share(j, &d, t, true, e) : fit_all(j, &d, e)) &&
           crs_slices_scores(d.all, j->out.score, e);
    close_desk(&d);
    for (int k = 0; done && j->folder.path && k < FILES; k++)
        done = crs_folder_filled(&j->folder, file_name[k], e);
    return done;
}
