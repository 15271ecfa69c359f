/* SPDX-License-Identifier: MIT
 * parts: the parts of the tensor in the folder of robust PCA: lowrank + sparse + noise is the
 * tensor where it was observed
 *
 * Of several slabs every slab is written by whoever looks at it, thread or rank, at its place: that
 * of a part in the shape of the data is known before the fit, and room for it held meanwhile; the
 * place of pairs (entry, value) of a slab follows from the outliers of the slabs before it. What
 * does not follow slab by slab is written a few rows at a time. */
#include "cli/rpca/rpca.h"
#include "rpca/rpca.h"

/* The bits of --write. */
enum { PARTS = 4 };
static const struct {
    crease_rpca_part part;
    const char *name, *file;
} part_list[PARTS] = { { CREASE_RPCA_LOWRANK, "lowrank", "lowrank.npy" },
                       { CREASE_RPCA_SPARSE, "sparse", "sparse.npy" },
                       { CREASE_RPCA_NOISE, "noise", "noise.npy" },
                       { CREASE_RPCA_Z, "z", "z.npy" } };

const char *crs_rpca_part_name(int k) { return part_list[k].name; }

static const char *const pairs_file = "sparse_entries.npy";

/* Is the sparse part written by its entries that are not 0? */
static bool by_pairs(const crs_rpca_job *j)
{
    const double size = (double)crease_size(&j->given);
    return size > CRS_WRITE_ALL && 2 * (double)crease_rpca_about(j->fit)->outliers < size;
}

/* At least one pair. */
static crease_space pairs_shape(const crs_rpca_job *j)
{
    return crease_matrix(more(1, crease_rpca_about(j->fit)->outliers), 2);
}

typedef struct {
    crease_rpca *fit;
    crease_rpca_part part;
    ptrdiff_t right;
} piece;

static void part_items(const void *self, ptrdiff_t first, ptrdiff_t count, double *out)
{
    const piece *p = self;
    crease_rpca_read(p->fit, p->part, first / p->right, count / p->right, out);
}

/* As many rows as make eight megabytes. */
static ptrdiff_t room_of(ptrdiff_t left, ptrdiff_t right)
{
    const ptrdiff_t rows = (1 << 20) / right;
    return (rows < 1 ? 1 : rows < left ? rows : left) * right;
}

/* Entries of E that are not 0, one after the other. */
typedef struct {
    crease_rpca *fit;
    ptrdiff_t left, right, rows; /* rows that are read at a time */
    double *x;                   /* of these rows */
    ptrdiff_t row, at, end;      /* the next row; where in x, and how far */
} search;

static bool next_entry(search *s, double pair[2])
{
    for (;; s->at++) {
        if (s->at == s->end) {
            const ptrdiff_t rows = fewer(s->rows, s->left - s->row);
            if (rows == 0) return false;
            crease_rpca_read(s->fit, CREASE_RPCA_SPARSE, s->row, rows, s->x);
            s->row += rows;
            s->at = 0, s->end = rows * s->right;
        }
        if (s->x[s->at] == 0) continue;
        pair[0] = (double)(s->row * s->right - s->end + s->at), pair[1] = s->x[s->at++];
        return true;
    }
}

static void pair_items(const void *self, ptrdiff_t first, ptrdiff_t count, double *out)
{
    search *s = *(search *const *)self;
    (void)first;
    for (ptrdiff_t k = 0; k < count; k += 2)
        if (!next_entry(s, out + k)) out[k] = 0, out[k + 1] = 0; /* of an E of zeros alone */
}

/* Place and value of the entries that are not 0. */
static bool write_pairs(crs_rpca_job *j, double *buffer, ptrdiff_t room, crease_error *e)
{
    const crease_space shape = pairs_shape(j);
    search s = { .fit = j->fit, .x = buffer };
    search *at = &s;
    double *pairs = crs_doubles(1 << 16, "a part of the result", e);
    const crs_pieces pieces = { pair_items, &at, pairs, 1 << 16 };
    crease_rpca_rows(j->fit, &s.left, &s.right);
    s.rows = room / s.right;
    const bool done = pairs && crs_folder_pieces(&j->folder, pairs_file, &shape, &pieces, e);
    crs_free(pairs);
    return done;
}

static bool write_rows(crs_rpca_job *j, crease_error *e)
{
    ptrdiff_t left, right;
    crease_rpca_rows(j->fit, &left, &right);
    const ptrdiff_t room = room_of(left, right);
    double *buffer = crs_doubles(room, "a part of the result", e);
    bool done = buffer;
    for (int k = 0; done && k < PARTS; k++) {
        const piece p = { j->fit, part_list[k].part, right };
        const crs_pieces pieces = { part_items, &p, buffer, room };
        if (!(j->write >> k & 1)) continue;
        done = part_list[k].part == CREASE_RPCA_SPARSE && by_pairs(j)
                   ? write_pairs(j, buffer, room, e)
                   : crs_folder_pieces(&j->folder, part_list[k].file, &j->given, &pieces, e);
    }
    crs_free(buffer);
    return done;
}

/* ---- by slabs ---- */

typedef struct {
    crs_parts parts;
    const char *path[PARTS]; /* NULL: not written */
    long long offset[PARTS];
    double *memory[PARTS]; /* of this process alone; NULL: in a file */
    bool pairs;            /* of the sparse part */
    ptrdiff_t slabs;
    const int64_t *before; /* pairs before each slab, and all of them last */
} output;

typedef struct {
    crs_parts_room *parts;
    crs_laid out[PARTS];
    ptrdiff_t size;  /* doubles of a place: pairs, then Z */
    double *memory;  /* of all places of all workers */
    int64_t *listed; /* pairs of each place */
} desk;

static void visit_output(crs_visitor *v, void *self)
{
    output *o = self;
    crs_visit_parts(v, &o->parts);
    for (int k = 0; k < PARTS; k++) crs_visit_text(v, part_list[k].name, &o->path[k]);
    crs_visit(v, o->offset);
    crs_visit(v, o->pairs);
    crs_visit(v, o->slabs);
    crs_visit_array(v, o->before, o->slabs + 1);
}

static void plan_output(const void *args, const crease_space *shape, crs_total *sums)
{
    (void)args, (void)shape;
    crs_total_plan(sums, CRS_COUNT, 1); /* pairs */
}

static void close_output(void *room)
{
    desk *d = room;
    for (int k = 0; k < PARTS; k++)
        if (d->out[k].path) crs_laid_close(&d->out[k]);
    crs_parts_close(d->parts);
    crs_free(d->memory);
    crs_free(d->listed);
    crs_free(d);
}

static bool open_files(const output *o, desk *d, crease_error *e)
{
    for (int k = 0; k < PARTS; k++) d->out[k].fd = -1;
    for (int k = 0; k < PARTS; k++) {
        if (!o->path[k]) continue;
        d->out[k] = (crs_laid){ o->path[k], o->offset[k], o->memory[k], -1 };
        if (!crs_laid_open(&d->out[k], e)) return false;
    }
    return true;
}

static bool open_desk(const output *o, desk *d, const crs_partition *cut, int workers, int threads,
                      crease_error *e)
{
    if (!open_files(o, d, e)) return false;
    d->parts = crs_parts_open(&o->parts, cut, workers, threads, e);
    if (!d->parts) return false;
    const ptrdiff_t places = (ptrdiff_t)workers * crs_parts_batch(d->parts);
    d->size = crs_parts_most(d->parts) * ((o->pairs ? 2 : 0) + (o->path[PARTS - 1] ? 1 : 0));
    d->listed = crs_alloc((size_t)places, sizeof *d->listed);
    if (!d->listed) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: parts of the result");
    d->memory = crs_doubles(more(1, places * d->size), "parts of the result", e);
    return d->memory;
}

static void *open_output(const void *args, const crs_partition *cut, int workers, int threads,
                         crease_error *e)
{
    desk *d = crs_alloc(1, sizeof *d);
    if (!d) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: parts of the result"), NULL;
    if (open_desk(args, d, cut, workers, threads, e)) return d;
    close_output(d);
    return NULL;
}

/* The panels of a slab on their way. */
typedef struct {
    const output *o;
    const desk *d;
    double *memory;
    int64_t *listed;
    int64_t at; /* pairs of this slab that are written */
} writing;

static int64_t list_pairs(const crs_panel *p, double *to)
{
    int64_t count = 0;
    for (ptrdiff_t j = 0; j < p->count; j++) {
        if (p->sparse[j] == 0) continue;
        *to++ = (double)(p->first + j);
        *to++ = p->sparse[j];
        count++;
    }
    return count;
}

static const double *entries_of(const crs_panel *p, crease_rpca_part part, double *z)
{
    if (part == CREASE_RPCA_LOWRANK) return p->lowrank;
    if (part == CREASE_RPCA_SPARSE) return p->sparse;
    if (part == CREASE_RPCA_NOISE) return p->noise;
    for (ptrdiff_t j = 0; j < p->count; j++) z[j] = p->lowrank[j] + p->share * p->noise[j];
    return z;
}

static bool see_panel(void *self, const crs_panel *p, int place, crease_error *e)
{
    const writing *w = self;
    const output *o = w->o;
    double *pairs = w->memory + place * w->d->size;
    double *z = pairs + (o->pairs ? 2 * crs_parts_most(w->d->parts) : 0);
    for (int k = 0; k < PARTS; k++) {
        const crease_rpca_part part = part_list[k].part;
        if (!o->path[k]) continue;
        if (part == CREASE_RPCA_SPARSE && o->pairs)
            w->listed[place] = list_pairs(p, pairs);
        else if (!crs_laid_put(&w->d->out[k], p->first, p->count, entries_of(p, part, z), e))
            return false;
    }
    return true;
}

static bool changed(crease_error *e)
{
    return crs_fail(e, CREASE_IO,
                    "the data have changed since they were read first; leave the file as it is "
                    "until the command has ended");
}

/* Pairs of a panel after those of the panels before it. */
static bool take_panel(void *self, const crs_panel *p, int place, crease_error *e)
{
    writing *w = self;
    const crs_laid *to = &w->d->out[1];
    const int64_t n = w->listed[place];
    (void)p;
    w->at += n;
    return crs_laid_put(to, 2 * (ptrdiff_t)(w->at - n), 2 * (ptrdiff_t)n,
                        w->memory + place * w->d->size, e);
}

static bool add_output(const void *args, void *room, const crs_slab *slab, int worker,
                       crs_total *sums, crease_error *e)
{
    const output *o = args;
    const desk *d = room;
    const ptrdiff_t place = (ptrdiff_t)worker * crs_parts_batch(d->parts);
    const int64_t first = o->pairs ? o->before[slab->index] : 0;
    writing w = { o, d, d->memory + place * d->size, d->listed + place, first };
    const crs_parts_use use = { see_panel, o->pairs ? take_panel : NULL, &w };
    if (!crs_parts_each(&o->parts, d->parts, slab, worker, &use, e)) return false;
    const int64_t found = w.at - first;
    crs_total_count(sums, 0, 0, 1, &found);
    return !o->pairs || w.at == o->before[slab->index + 1] || changed(e);
}

const crs_job crs_output_job = { .name = "output",
                                 .size = sizeof(output),
                                 .visit = visit_output,
                                 .plan = plan_output,
                                 .open = open_output,
                                 .close = close_output,
                                 .add = add_output };

static const char *file_of(const output *o, int k)
{
    return o->pairs && part_list[k].part == CREASE_RPCA_SPARSE ? pairs_file : part_list[k].file;
}

/* How large the sparse part will be is not known yet. What is small waits for the end of the fit,
 * whose checkpoints are then on disk. */
bool crs_rpca_hold(crs_rpca_job *j, crease_error *e)
{
    const bool large = (double)crease_size(&j->given) > CRS_WRITE_ALL;
    for (int k = 0; large && k < PARTS; k++) {
        const bool wanted = j->write >> k & 1 && part_list[k].part != CREASE_RPCA_SPARSE;
        if (wanted && !crs_folder_hold(&j->folder, &j->given, e)) return false;
    }
    return true;
}

/* Every part gets its place. */
static bool place_parts(crs_rpca_job *j, output *o, crease_error *e)
{
    const crease_space pairs = pairs_shape(j);
    for (int k = 0; k < PARTS; k++) {
        const bool few = o->pairs && part_list[k].part == CREASE_RPCA_SPARSE;
        crs_laid at;
        if (!(j->write >> k & 1)) continue;
        if (!crs_folder_lay(&j->folder, file_of(o, k), few ? &pairs : &j->given, e) ||
            !crs_folder_laid(&j->folder, file_of(o, k), &at, e))
            return false;
        o->path[k] = at.path;
        o->offset[k] = at.offset;
        o->memory[k] = at.memory;
    }
    return true;
}

static int64_t *count_before(const crs_rpca_job *j, ptrdiff_t slabs, crease_error *e)
{
    const int64_t *own = crs_parts_outliers(j->fit);
    int64_t *before = own ? crs_alloc((size_t)slabs + 1, sizeof *before) : NULL;
    for (ptrdiff_t k = 0; before && k < slabs; k++) before[k + 1] = before[k] + own[k];
    if (!before) crs_fail(e, CREASE_NO_MEMORY, "out of memory: counts of outliers");
    return before;
}

/* Where another rank cannot write, as without a disk in common, all is written here. */
static bool fill_parts(const crs_rpca_job *j, crs_source *source, const output *o, crease_error *e)
{
    crs_look l;
    if (crs_is_memory(j->folder.path)) crs_team_dismiss(source);
    bool done = crs_look_once(&l, source, &crs_output_job, o, j->s.threads, NULL, e);
    if (!done && source->team) {
        crs_team_dismiss(source);
        done = crs_look_once(&l, source, &crs_output_job, o, j->s.threads, NULL, e);
    }
    if (done) crs_look_close(&l);
    return done;
}

static bool write_slabs(crs_rpca_job *j, const crs_parts *parts, crease_error *e)
{
    crs_source *source = parts->point.source;
    output o = { .parts = *parts, .pairs = by_pairs(j), .slabs = source->cut.count };
    if (!j->folder.path) return true;
    int64_t *before = count_before(j, o.slabs, e);
    o.before = before;
    bool done = before && place_parts(j, &o, e) && fill_parts(j, source, &o, e);
    for (int k = 0; done && k < PARTS; k++)
        done = !o.path[k] || crs_folder_filled(&j->folder, file_of(&o, k), e);
    crs_free(before);
    return done;
}

/* Of observed entries alone */
static bool write_listed(crs_rpca_job *j, const crs_parts *parts, crease_error *e)
{
    const crease_space shape = pairs_shape(j);
    double *pairs = crs_doubles(crease_size(&shape), "a part of the result", e);
    if (pairs) crs_parts_pairs(parts, pairs);
    const bool done = pairs && crs_folder_array(&j->folder, pairs_file, &shape, pairs, e);
    crs_free(pairs);
    return done;
}

bool crs_rpca_write_parts(crs_rpca_job *j, crease_error *e)
{
    crs_parts parts;
    crease_rpca_about(j->fit);
    const crease_error *why = crease_rpca_failure(j->fit);
    if (why->code != CREASE_OK) return crs_fail(e, why->code, "%s", why->text);
    if (crs_parts_listed(j->fit, &parts)) return write_listed(j, &parts, e);
    return crs_parts_of(j->fit, &parts) ? write_slabs(j, &parts, e) : write_rows(j, e);
}
