/* SPDX-License-Identifier: MIT
 * rpca: the page of robust PCA: reads the parts and the factors, and says what was found in one
 * sentence and six numbers */
#include "report/rpca.h"

#include "report/pieces.h"

/* An array that may be absent; out is empty then. */
static bool read_if_there(const crs_page *p, const char *name, crs_array *out, crease_error *e)
{
    char *path = crs_path_in(p->folder, name, e);
    if (!path) return false;
    const bool done = !crs_is_there(path) || crs_read_array(path, out, e);
    crs_free(path);
    return done;
}

static bool same_shape(const crs_page *p, const char *name, const crs_array *a,
                       const crease_space *s, crease_error *e)
{
    bool same = a->shape.order == s->order;
    for (int n = 0; same && n < s->order; n++) same = a->shape.dim[n] == s->dim[n];
    const ptrdiff_t size = crease_size(s);
    if (!same)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s/%s has another shape than lowrank.npy; the folder is damaged: "
                        "'crease verify' names the file that has changed",
                        p->folder, name);
    return crs_all_finite(size, a->data) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "%.200s/%s has an entry that is not finite; the folder is "
                    "damaged, or the run diverged",
                    p->folder, name);
}

/* The factors with their ranks, as far as there are any that fit the grid. */
static bool read_factors(crs_page *p, crs_split *s, crease_error *e)
{
    char name[32];
    s->ranks = s->grid;
    if (!read_if_there(p, "weights.npy", &s->weights, e) ||
        !read_if_there(p, "core.npy", &s->core, e))
        return false;
    for (int n = 0; n < s->grid.order; n++) {
        snprintf(name, sizeof name, "factor_%d.npy", n + 1);
        if (!read_if_there(p, name, &s->factor[n], e)) return false;
        const crease_space *f = &s->factor[n].shape;
        if (!s->factor[n].data || f->order != 2 || f->dim[0] != s->grid.dim[n]) return true;
        if (!crs_all_finite(crease_size(f), s->factor[n].data)) return true;
        s->ranks.dim[n] = f->dim[1];
    }
    bool fits = s->core.data ? crease_size(&s->core.shape) == crease_size(&s->ranks)
                             : s->weights.data != NULL;
    for (int n = 0; !s->core.data && n < s->grid.order; n++)
        fits = fits && crease_size(&s->weights.shape) == s->ranks.dim[n];
    if (fits) s->modes = s->grid.order;
    return true;
}

/* A part that may not have been written: one that result.json lists must be there. */
static bool read_part(const crs_page *p, const char *name, crs_array *out, crease_error *e)
{
    const json_t *files = crs_json_at(p->result, "files");
    for (size_t k = 0; k < json_array_size(files); k++) {
        const char *file = json_string_value(json_array_get(files, k));
        if (file && strcmp(file, name) == 0) return crs_page_array(p, name, out, e);
    }
    return read_if_there(p, name, out, e);
}

/* The sparse part whole, from all its entries or from those that are not 0. */
static bool read_sparse(const crs_page *p, crs_split *s, crease_error *e)
{
    if (!read_part(p, "sparse.npy", &s->sparse, e)) return false;
    if (s->sparse.data) return true;
    crs_part *part = crs_alloc(1, sizeof *part);
    if (!part) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the page");
    bool done = crs_part_open(p->folder, "sparse.npy", &s->shape, part, e);
    s->sparse.shape = s->shape;
    s->sparse.data = done ? crs_doubles(s->size, "the sparse part", e) : NULL;
    done = s->sparse.data && crs_part_next(part, s->size, s->sparse.data, e);
    crs_part_close(part);
    crs_free(part);
    return done;
}

static bool add_constants(const crs_page *p, crs_split *s, crease_error *e)
{
    for (int n = -1; n < s->grid.order; n++) {
        crs_array c = { .data = NULL };
        char name[32];
        snprintf(name, sizeof name, n < 0 ? "center.npy" : "center_%d.npy", n + 1);
        if (!read_if_there(p, name, &c, e)) return false;
        const bool fits = c.data && crease_size(&c.shape) == (n < 0 ? 1 : s->grid.dim[n]);
        for (ptrdiff_t k = 0; fits && k < s->size; k++)
            s->lowrank.data[k] += c.data[n < 0 ? 0 : crs_index(&s->grid, k, n)];
        crs_array_free(&c);
    }
    return true;
}

static bool read_levels(const crs_page *p, crs_split *s, crease_error *e)
{
    for (int n = 0; n < s->grid.order && !s->level.data; n++) {
        char name[32];
        snprintf(name, sizeof name, "noise_levels_%d.npy", n + 1);
        if (!read_if_there(p, name, &s->level, e)) return false;
        s->level_mode = n;
        if (crease_size(&s->level.shape) != s->grid.dim[n]) crs_array_free(&s->level);
    }
    return true;
}

/* By fibres along the last mode */
static double *sum_terms(const crs_split *s, crease_error *e)
{
    const int last = s->grid.order - 1;
    const ptrdiff_t rank = s->ranks.dim[0], n = s->grid.dim[last];
    double *sum = crs_doubles(s->size, "the low-rank part", e);
    for (ptrdiff_t k = 0; sum && k < s->size / n * rank; k++) {
        const ptrdiff_t r = k % rank;
        double w = s->weights.data[r];
        for (ptrdiff_t at = k / rank, m = last - 1; m >= 0; at /= s->grid.dim[m--])
            w *= s->factor[m].data[at % s->grid.dim[m] * rank + r];
        for (ptrdiff_t i = 0; i < n; i++)
            sum[k / rank * n + i] += w * s->factor[last].data[i * rank + r];
    }
    return sum;
}

/* Where it was not written: from the factors. */
static bool make_lowrank(const crs_page *p, crs_split *s, crease_error *e)
{
    const double *factor[CREASE_MAX_ORDER];
    if (!s->modes)
        return crs_fail(e, CREASE_BAD_DATA, "%.200s has neither lowrank.npy nor all factors",
                        p->folder);
    for (int n = 0; n < s->modes; n++) factor[n] = s->factor[n].data;
    s->lowrank.shape = s->shape;
    s->lowrank.data =
        s->core.data ? crs_tucker_expand(&s->grid, &s->ranks, s->modes, factor, s->core.data, e)
                     : sum_terms(s, e);
    return s->lowrank.data && add_constants(p, s, e);
}

/* The data as they were read, nan where the mask has 0. */
static bool read_data(const crs_page *p, crs_array *out, crease_error *e)
{
    const json_t *source = crs_page_entry(p, "data"), *mask = crs_page_entry(p, "mask");
    const crs_asked asked = crs_asked_in(source);
    crs_array w = { .data = NULL };
    if (!mask) return crs_page_source(p, "data", out, e);
    char *path = crs_find_source(p->folder, source, e);
    char *seen = path ? crs_find_source(p->folder, mask, e) : NULL;
    bool done = seen && crs_read_asked(path, &asked, out, e) && crs_array_own(out, e) &&
                crs_read_array(seen, &w, e);
    if (done && crease_size(&w.shape) != crease_size(&out->shape))
        done = crs_fail(e, CREASE_BAD_DATA, "%.200s has another shape than the data", seen);
    for (ptrdiff_t k = 0; done && k < crease_size(&w.shape); k++)
        if (w.data[k] == 0) out->data[k] = NAN;
    crs_array_free(&w);
    crs_free(path);
    crs_free(seen);
    return done;
}

/* Where it was not written: data - lowrank - sparse. */
static bool make_residual(const crs_page *p, crs_split *s, crease_error *e)
{
    crs_array t = { .data = NULL };
    crease_error why = { CREASE_OK, "" };
    bool done = read_data(p, &t, &why);
    if (done && crease_size(&t.shape) != s->size)
        done = crs_fail(&why, CREASE_BAD_DATA, "the data have another shape");
    if (!done) {
        crs_array_free(&t);
        return crs_fail(e, why.code,
                        "%.200s has no noise.npy, and without the data it cannot be made: %.200s; "
                        "run crease rpca with --write all",
                        p->folder, why.text);
    }
    s->residual.shape = s->shape;
    s->residual.data = crs_doubles(s->size, "the noise", e);
    for (ptrdiff_t k = 0; s->residual.data && k < s->size; k++)
        if (!isnan(t.data[k]))
            s->residual.data[k] = t.data[k] - s->lowrank.data[k] - s->sparse.data[k];
    crs_array_free(&t);
    return s->residual.data;
}

static bool find_shape(const crs_page *p, crs_split *s, crease_error *e)
{
    s->shape = s->lowrank.shape;
    if (!s->lowrank.data && !crs_json_shape(p->details, "shape", &s->shape))
        return crs_fail(e, CREASE_BAD_DATA, "%.200s/result.json does not say the shape of the data",
                        p->folder);
    s->grid = s->shape;
    s->size = crease_size(&s->shape);
    if (s->shape.order < 2 || s->size == 0)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s/lowrank.npy: a page needs at least two axes "
                        "and one entry",
                        p->folder);
    crs_json_shape(p->details, "model_shape", &s->grid);
    if (!crs_space_refines(&s->shape, &s->grid)) s->grid = s->shape;
    return true;
}

/* Was it fitted to observed entries alone, of a tensor that may be far larger than memory? */
static bool is_list(const crs_page *p)
{
    const char *hash = crs_json_words(crs_page_entry(p, "data"), "hash");
    return hash && strncmp(hash, "sha256/entries:", 15) == 0;
}

static bool read_parts(crs_page *p, crs_split *s, crease_error *e)
{
    if (is_list(p))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%.200s was fitted to observed entries alone, and a page shows all; take "
                        "its factors, or fit with --report, which has all entries in memory",
                        p->folder);
    if (!read_part(p, "lowrank.npy", &s->lowrank, e) ||
        !read_part(p, "noise.npy", &s->residual, e) || !find_shape(p, s, e) ||
        !read_sparse(p, s, e) || !read_factors(p, s, e))
        return false;
    if ((!s->lowrank.data && !make_lowrank(p, s, e)) ||
        (!s->residual.data && !make_residual(p, s, e)))
        return false;
    return same_shape(p, "lowrank.npy", &s->lowrank, &s->shape, e) &&
           same_shape(p, "sparse.npy", &s->sparse, &s->shape, e) &&
           same_shape(p, "noise.npy", &s->residual, &s->shape, e);
}

/* What was not observed: by mask.npy, or where both parts are 0 if that are as many as the result
 * says. Otherwise nobody knows, and all count as observed. */
static bool find_unseen(crs_page *p, crs_split *s, crease_error *e)
{
    const double missing = crs_json_number(p->details, "missing");
    crs_array mask = { .data = NULL };
    ptrdiff_t count = 0;
    s->observed = s->size;
    if (!(missing > 0)) return true;
    if (!read_if_there(p, "mask.npy", &mask, e)) return false;
    const bool given = mask.data && crease_size(&mask.shape) == s->size;
    s->unseen = crs_alloc((size_t)s->size, 1);
    if (!s->unseen) {
        crs_array_free(&mask);
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the entries that are missing");
    }
    for (ptrdiff_t k = 0; k < s->size; k++) {
        s->unseen[k] =
            given ? mask.data[k] == 0 : s->sparse.data[k] == 0 && s->residual.data[k] == 0;
        count += s->unseen[k];
    }
    crs_array_free(&mask);
    if ((double)count == missing && count < s->size) {
        s->observed = s->size - count;
        return true;
    }
    crs_free(s->unseen);
    s->unseen = NULL;
    return true;
}

/* median |T - L| / 0.6745 of the observed entries, of at most a million of them */
static bool measure_deviation(crs_split *s, crease_error *e)
{
    const ptrdiff_t every = 1 + s->size / 1000000;
    double *r = crs_doubles(s->size / every + 1, "the sizes of the residual", e);
    ptrdiff_t n = 0;
    if (!r) return false;
    for (ptrdiff_t k = 0; k < s->size; k += every)
        if (!s->unseen || !s->unseen[k]) r[n++] = fabs(crs_beyond(s, k));
    s->deviation = n > 0 ? crs_median(n, r) / 0.6744897501960817 : 0;
    crs_free(r);
    return true;
}

/* Noise, fit and the bound of a clear outlier are those of result.json; an older one without them
 * is measured. */
static bool measure(crs_page *p, crs_split *s, crease_error *e)
{
    double left = 0, clean = 0, most = 0;
    s->deviation = crs_json_number(p->details, "parts.noise");
    if (isnan(s->deviation)) s->deviation = crs_json_number(p->details, "pilot.deviation");
    if (!(s->deviation >= 0) && !measure_deviation(s, e)) return false;
    for (ptrdiff_t k = 0; k < s->size; k++) most = larger(most, fabs(s->lowrank.data[k]));
    if (s->deviation <= 1e-12 * most) s->deviation = 0;
    const double bound = crs_json_number(p->details, "parts.clear_beyond");
    s->beyond = bound > 0 ? bound : 5 * s->deviation;
    for (ptrdiff_t k = 0; k < s->size; k++) {
        s->clear += crs_is_clear(s, k);
        if (s->sparse.data[k] != 0 || (s->unseen && s->unseen[k])) continue;
        left += square(s->residual.data[k]);
        clean += square(s->lowrank.data[k] + s->residual.data[k]);
    }
    s->fit = crs_json_number(p->details, "parts.explained");
    if (isnan(s->fit) && clean > 0) s->fit = 1 - left / clean;
    return true;
}

int crs_mode_axes(const crs_split *s, int mode, int *end)
{
    int axis = 0, first = 0;
    for (int m = 0; m <= mode && axis < s->shape.order; m++) {
        ptrdiff_t length = s->shape.dim[axis];
        first = axis++;
        while (axis < s->shape.order && (length < s->grid.dim[m] || s->shape.dim[axis] == 1))
            length *= s->shape.dim[axis++];
    }
    *end = axis;
    return first;
}

const char *crs_mode_called(const crs_page *p, int mode, char out[CRS_LABEL])
{
    int end;
    const int first = crs_mode_axes(crs_split_of(p), mode, &end);
    size_t used = 0;
    out[0] = '\0';
    for (int n = first; n < end && used < CRS_LABEL; n++) {
        char name[CRS_LABEL];
        used += (size_t)snprintf(out + used, CRS_LABEL - used, "%s%.60s", n > first ? " and " : "",
                                 crs_axis_called(p, n, name));
    }
    return out;
}

/* Frames: the last of three axes, where rows and columns are one mode or the data came as pictures.
 */
static bool is_video(const crs_page *p, const crs_split *s)
{
    const json_t *data = crs_page_entry(p, "data");
    const bool merged = s->grid.order == 2 && s->shape.order == 3 &&
                        s->grid.dim[1] == s->shape.dim[2] && s->shape.dim[0] > 1;
    const bool read_so = json_is_number(crs_json_at(data, "scale"));
    return s->shape.order == 3 && s->shape.dim[2] > 1 && (merged || read_so);
}

/* Axes of a video without names get some. */
static bool name_axes(crs_page *p, crs_split *s, crease_error *e)
{
    static const char *const name[] = { "row", "column", "frame" };
    for (int n = 0; s->video && n < 3; n++)
        if (!p->axes.axis[n].name && !crs_axis_name(&p->axes.axis[n], name[n], NULL, e))
            return false;
    return true;
}

/* Slices are cut along frames, else along the first axis whose labels are no numbers. */
static int choose_axis(const crs_page *p, const crs_split *s)
{
    if (s->video) return 2;
    for (int n = 0; n < s->shape.order; n++)
        if (!crs_axis_ordered(p, n)) return n;
    return 0;
}

void crs_split_free(crs_split *s)
{
    crs_array_free(&s->lowrank);
    crs_array_free(&s->sparse);
    crs_array_free(&s->residual);
    crs_array_free(&s->level);
    crs_array_free(&s->weights);
    crs_array_free(&s->core);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_array_free(&s->factor[n]);
    crs_free(s->unseen);
    crs_free(s->weight);
}

static void close_split(crs_page *p)
{
    crs_split_free(p->own);
    crs_free(p->own);
    p->own = NULL;
}

bool crs_split_read(crs_page *p, crs_split *s, crease_error *e)
{
    if (!read_parts(p, s, e) || !find_unseen(p, s, e) || !read_levels(p, s, e) || !measure(p, s, e))
        return false;
    s->video = is_video(p, s);
    if (!crs_split_terms(s, e)) return false;
    s->low = s->video ? "background" : "low-rank part";
    s->high = s->video ? "foreground" : "sparse part";
    s->along = choose_axis(p, s);
    return name_axes(p, s, e);
}

static bool open_split(crs_page *p, crease_error *e)
{
    p->own = crs_alloc(1, sizeof(crs_split));
    if (!p->own) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the page");
    return crs_split_read(p, p->own, e);
}

/* "20 × 101 × 51 (sample, emission, excitation)" */

/* How many terms there are; of a Tucker model the largest rank; 0: not known. */
static ptrdiff_t rank_of(const crs_split *s)
{
    ptrdiff_t most = 0;
    for (ptrdiff_t r = 0; r < s->terms; r++) most += s->weight[r] != 0;
    for (int n = 0; s->terms == 0 && n < s->modes; n++)
        most = s->ranks.dim[n] > most ? s->ranks.dim[n] : most;
    return most;
}

/* "3", or "2, 3, 2" of a Tucker model. */
static const char *rank_text(const crs_split *s, char out[CRS_LABEL])
{
    size_t used = (size_t)snprintf(out, CRS_LABEL, "%td", rank_of(s));
    if (s->grid.order == 2 || !s->core.data || !s->modes) return out;
    used = 0;
    for (int n = 0; n < s->modes; n++)
        used +=
            (size_t)snprintf(out + used, CRS_LABEL - used, "%s%td", n ? ", " : "", s->ranks.dim[n]);
    return out;
}

static void put_lede(crs_page *p, const crs_split *s)
{
    char text[CRS_DIGITS], ranks[CRS_LABEL];
    const ptrdiff_t rank = rank_of(s);
    crs_page_sizes(p, &s->shape);
    crs_mark(&p->lede, ", taken apart into ");
    if (p->model && strcmp(p->model, "cp") == 0 && !s->video)
        crs_mark(&p->lede, "<b>%td component%s</b>", rank, rank == 1 ? "" : "s");
    else
        crs_mark(&p->lede, "a <b>%s</b>%s%s", s->low, rank > 0 ? " of rank " : "",
                 rank > 0 ? rank_text(s, ranks) : "");
    crs_mark(&p->lede, ", <b>%s</b> in %s of the %s%s.", s->video ? "foreground" : "outliers",
             crs_share((double)s->clear / (double)s->observed, text),
             s->video ? "pixels" : "entries", s->deviation > 0 ? ", and noise" : "");
}

static void put_starts(crs_page *p)
{
    char text[CRS_DIGITS], note[CRS_LABEL];
    const double starts = crs_json_number(p->details, "pilot.starts"),
                 agreement = crs_json_number(p->details, "pilot.agreement"),
                 passes = crs_json_number(p->result, "passes");
    if (starts > 1 && agreement > 0.99) {
        snprintf(note, sizeof note, "%s agree", crs_count(starts, text));
        crs_card(p, "Starts", note, "they ended in the same terms");
    } else if (starts > 0) {
        crs_card(p, "Starts", crs_count(starts, text),
                 isnan(agreement) || starts < 2 ? "the best was kept" : "they disagree: see below");
    } else {
        crs_card(p, "Passes", crs_count(passes, text), "over the data");
    }
}

static void put_time(crs_page *p)
{
    char text[CRS_DIGITS], part[CRS_DIGITS], note[CRS_LABEL] = "of the whole command";
    const json_t *phases = crs_json_at(p->result, "phase_seconds");
    static const char *const verb[][2] = { { "rank", "to choose the rank" },
                                           { "start", "to find first points" },
                                           { "fit", "to fit" },
                                           { "check", "for the independent check" },
                                           { "read", "to read the data" } };
    const double whole = crs_json_number(p->result, "seconds");
    for (size_t k = 0; k < sizeof verb / sizeof *verb; k++) {
        const double one = crs_json_number(phases, verb[k][0]);
        if (one > 0.5 * whole)
            snprintf(note, sizeof note, "%s of it %s", crs_seconds(one, part), verb[k][1]);
    }
    crs_card(p, "Time", crs_seconds(whole, text), note);
}

static bool head(crs_page *p, crease_error *e)
{
    char text[CRS_DIGITS], ranks[CRS_LABEL];
    const crs_split *s = crs_split_of(p);
    const bool chosen = json_is_true(crs_json_at(p->result, "settings.rank_chosen")) ||
                        json_is_string(crs_json_at(p->details, "rank_reason"));
    const bool convex = p->model && strcmp(p->model, "pcp") == 0;
    (void)e;
    crs_page_title(p, "data", p->folder);
    crs_mark(&p->kicker, "crease rpca · robust PCA of a %s",
             s->video              ? "video"
             : s->shape.order == 2 ? "matrix"
                                   : "tensor");
    put_lede(p, s);
    crs_card(p, s->weights.data && !s->video ? "Components" : "Rank",
             rank_of(s) > 0 ? rank_text(s, ranks) : "–",
             convex   ? "found by the nuclear norm"
             : chosen ? "chosen from the data"
                      : "as asked for");
    crs_card(p, s->video ? "Foreground" : "Clear outliers",
             crs_share((double)s->clear / (double)s->observed, text),
             s->deviation > 0 ? "beyond 5 noise deviations" : "entries that are not 0");
    crs_card(p, "Noise", crs_digits(s->deviation, 3, text),
             s->deviation == 0 ? "the model has none"
             : convex          ? "found in the sparse part"
                               : "robust standard deviation");
    crs_card(p, "Fit", crs_share(s->fit, text),
             s->video ? "of the video without foreground" : "of the data without outliers");
    put_starts(p);
    put_time(p);
    return true;
}

const crs_page_kind crs_page_rpca = {
    .verb = "rpca", .open = open_split, .head = head, .close = close_split
};
