/* SPDX-License-Identifier: MIT
 * apply_stream: slices of data that do not fit into memory, some at a time: read once to know what
 * they are, and once more to be fitted, judged and written at their places */
#include "cli/apply.h"
#include "rpca/rpca.h"

enum { AT_ONCE = 1 << 20 }; /* entries of slices that are read together, or one slice */
enum { ARRAYS = 4 };        /* data, lowrank, sparse, noise */

static const char *const part_file[] = { "lowrank.npy", "sparse.npy", "noise.npy" };
enum { PARTS = sizeof part_file / sizeof *part_file };

/* Beside the slices themselves: terms, the judge's copy and its room, scores and their text. */
static double beside(const crs_apply_job *j, const crease_space *s)
{
    const double rank = (double)j->factor[j->mode].shape.dim[1], slices = (double)s->dim[j->mode];
    const double entries = (double)crease_size(s) / slices;
    return 8 * entries * (4 * rank + 16) + slices * (16 * rank + 2500) + CRS_RPCA_OVERHEAD;
}

double crs_apply_bytes(const crs_apply_job *j, const crease_space *s)
{
    const double n = (double)crease_size(s);
    const bool turned = !j->cp && j->mode != 0;
    return 8 * n * (ARRAYS + (j->masked ? 1 : 0) + (turned ? 1 : 0)) + beside(j, s);
}

static bool in_parts(const crs_apply_job *j)
{
    crs_array about;
    crs_place place;
    const crs_format *format;
    crease_error why;
    if (!crs_read_place(j->path, &j->asked, &place, &about, &format, &why)) return false;
    crs_array_free(&about);
    return place.access != CRS_PLACE_WHOLE && !place.reversed;
}

/* Why they must be in memory, and what to do; NULL: they need not. */
static const char *obstacle_of(const crs_apply_job *j, const char **instead)
{
    *instead = "let nan mark missing entries (--missing nan)";
    if (j->masked) return "with --mask";
    *instead = "store the data with that axis first (crease convert --order)";
    if (j->mode != 0) return "with another --axis than 0";
    *instead = "write them in row order first, by crease convert";
    return in_parts(j) ? NULL : "of a file that cannot be read in parts";
}

static bool fail_little(const crs_apply_job *j, const crease_space *s, const char *obstacle,
                        const char *instead, crease_error *e)
{
    const double one = 8.0 * ARRAYS * (double)crease_size(s) / (double)s->dim[0];
    char need[32], have[32];
    crs_bytes_text(obstacle ? crs_apply_bytes(j, s) : beside(j, s) + one, need);
    crs_bytes_text(j->memory, have);
    if (!obstacle)
        return crs_fail(e, CREASE_NO_MEMORY,
                        "fitting these slices takes at least %s, slice by slice, and %s "
                        "%s; allow more",
                        need, crs_given(j->a, CRS_OPT_MEMORY) ? "--memory allows" : "there are",
                        have);
    return crs_fail(e, CREASE_NO_MEMORY,
                    "%s the data must be in memory, which takes %s where --memory allows %s; %s",
                    obstacle, need, have, instead);
}

bool crs_apply_plan(crs_apply_job *j, crease_error *e)
{
    const char *instead;
    crease_space s;
    if (!crs_option_bytes(j->a, CRS_OPT_MEMORY, 0.75 * crs_memory_free(), &j->memory, e))
        return false;
    if (!crs_read_shape(j->path, &j->asked, &s) || s.order != j->order)
        return true; /* reading it will say why */
    const double whole = crs_apply_bytes(j, &s);
    if (whole <= j->memory) return true;
    const char *obstacle = obstacle_of(j, &instead);
    if (obstacle && !crs_given(j->a, CRS_OPT_MEMORY))
        return crs_memory_suffices("fitting these slices", whole, e);
    const double entries = (double)crease_size(&s) / (double)s.dim[0];
    const double room = (j->memory - beside(j, &s)) / (8 * ARRAYS * entries);
    if (obstacle || !(room >= 1)) return fail_little(j, &s, obstacle, instead, e);
    const double slices = smaller(room, larger(1, floor(AT_ONCE / entries)));
    j->step = (ptrdiff_t)smaller(slices, (double)s.dim[0]);
    return true;
}

/* ---- the first reading ---- */

typedef struct {
    crs_entries_hash hash;
    crs_tally tally;
} survey;

static bool survey_part(crs_apply_job *j, survey *s, ptrdiff_t first, ptrdiff_t count, double *t,
                        crease_error *e)
{
    const ptrdiff_t entries = entries_of(j), from = first * entries, n = count * entries;
    if (!crs_row_reader_read(j->rows, first, count, t, e)) return false;
    crs_array_hash_add(&s->hash, n, t);
    if (!crs_part_finite(&j->data, from, n, t, j->s.missing, NULL, e) ||
        !crs_slices_finite(&j->s, from, n, t, NULL, e))
        return false;
    crs_center_shift(&j->center, -1, from, n, t);
    crs_tally_add(&s->tally, n, t);
    return crease_watch_why(j->a->watch) != CREASE_STOPPED || crs_cut(e, "reading the data");
}

static bool survey_all(crs_apply_job *j, survey *s, double *t, crease_error *e)
{
    const ptrdiff_t slices = j->shape.dim[0];
    crs_array_hash_begin(&s->hash, &j->given, false);
    for (ptrdiff_t i = 0; i < slices; i += j->step)
        if (!survey_part(j, s, i, fewer(j->step, slices - i), t, e)) return false;
    crs_hash_slabs(&s->hash.all, s->hash.several, j->hash);
    j->extent = crs_tally_extent(&s->tally);
    j->largest = s->tally.most;
    return true;
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

bool crs_apply_survey(crs_apply_job *j, crease_error *e)
{
    if (!open_rows(j, e)) return false;
    if (crs_dry(j->a)) return true;
    survey *s = crs_alloc(1, sizeof *s);
    double *t = crs_doubles(j->step * entries_of(j), "slices", e);
    bool done = t && (s || crs_fail(e, CREASE_NO_MEMORY, "out of memory: reading the data"));
    done = done && survey_all(j, s, t, e);
    crs_free(t);
    crs_free(s);
    return done;
}

/* ---- the second ---- */

typedef struct {
    crs_slices *all;
    double *memory; /* data, lowrank, sparse, noise of a part */
    crs_laid to[PARTS];
} desk;

/* Every array gets its place, in the order of those that are written from memory. */
static bool lay(crs_apply_job *j, desk *d, crease_error *e)
{
    const crease_space table = crease_matrix(j->shape.dim[j->mode], j->s.rank);
    for (int k = 0; k < PARTS; k++) d->to[k].fd = -1;
    if (!j->folder.path) return true;
    if (!crs_folder_lay(&j->folder, "coefficients.npy", &table, e)) return false;
    for (int k = 0; k < PARTS; k++)
        if (!crs_folder_lay(&j->folder, part_file[k], &j->given, e)) return false;
    for (int k = 0; k < PARTS; k++)
        if (!crs_folder_laid(&j->folder, part_file[k], &d->to[k], e) ||
            !crs_laid_open(&d->to[k], e))
            return false;
    return true;
}

static bool put_coefficients(crs_apply_job *j, crease_error *e)
{
    crs_laid to;
    if (!crs_folder_laid(&j->folder, "coefficients.npy", &to, e) || !crs_laid_open(&to, e))
        return false;
    const bool done =
        crs_laid_put(&to, 0, j->shape.dim[j->mode] * j->s.rank, j->out.coefficients, e);
    crs_laid_close(&to);
    return done;
}

static bool end_files(crs_apply_job *j, desk *d, crease_error *e)
{
    for (int k = 0; k < PARTS; k++) crs_laid_close(&d->to[k]);
    if (!j->folder.path) return true;
    bool done = put_coefficients(j, e) && crs_folder_filled(&j->folder, "coefficients.npy", e);
    for (int k = 0; done && k < PARTS; k++) done = crs_folder_filled(&j->folder, part_file[k], e);
    return done;
}

/* The job of these slices alone. */
static crs_apply_job part_of(const crs_apply_job *j, const desk *d, ptrdiff_t first,
                             ptrdiff_t count)
{
    const ptrdiff_t n = j->step * entries_of(j);
    crs_apply_job p = *j;
    p.shape.dim[0] = p.given.dim[0] = count;
    p.data.data = d->memory;
    p.out.lowrank = d->memory + n, p.out.sparse = d->memory + 2 * n, p.noise = d->memory + 3 * n;
    p.out.coefficients += first * j->s.rank;
    p.out.score += first;
    p.found += first;
    return p;
}

static bool run_part(crs_apply_job *j, const desk *d, ptrdiff_t first, double eps, crease_error *e)
{
    crs_apply_job p = part_of(j, d, first, fewer(j->step, j->shape.dim[0] - first));
    const ptrdiff_t count = p.shape.dim[0], n = crease_size(&p.shape), from = first * entries_of(j);
    const double *const from_memory[PARTS] = { p.out.lowrank, p.out.sparse, p.noise };
    if (!crs_row_reader_read(j->rows, first, count, p.data.data, e)) return false;
    crs_center_shift(&j->center, -1, from, n, p.data.data);
    crs_slices_run(d->all, first, count, p.data.data, &p.out);
    if (!crs_apply_finish(&p, e) || !crs_apply_judge(&p, eps, e)) return false;
    crs_center_shift(&j->center, 1, from, n, p.out.lowrank);
    for (int k = 0; j->folder.path && k < PARTS; k++)
        if (!crs_laid_put(&d->to[k], from, n, from_memory[k], e)) return false;
    return true;
}

static bool open_desk(crs_apply_job *j, desk *d, crease_error *e)
{
    const ptrdiff_t slices = j->shape.dim[0];
    if (!crs_apply_terms(j, e) || !lay(j, d, e)) return false;
    d->memory = crs_doubles(ARRAYS * j->step * entries_of(j), "slices", e);
    if (!d->memory) return false;
    j->out.coefficients = crs_doubles(slices * j->s.rank, "the coefficients", e);
    if (!j->out.coefficients) return false;
    j->out.score = crs_alloc((size_t)slices, sizeof *j->out.score);
    if (!j->out.score) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the scores");
    j->found = crs_alloc((size_t)slices, sizeof *j->found);
    if (!j->found) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the verdicts");
    d->all = crs_slices_open(&j->s, &j->extent, j->largest, e);
    return d->all;
}

bool crs_apply_stream(crs_apply_job *j, double eps, crease_error *e)
{
    desk d = { .all = NULL };
    for (int k = 0; k < PARTS; k++) d.to[k].fd = -1;
    bool done = open_desk(j, &d, e);
    for (ptrdiff_t i = 0; done && i < j->shape.dim[0]; i += j->step)
        done = run_part(j, &d, i, eps, e);
    done = done && crs_slices_scores(d.all, j->out.score, e);
    const bool ended = end_files(j, &d, done ? e : NULL);
    crs_slices_close(d.all);
    crs_free(d.memory);
    return done && ended;
}
