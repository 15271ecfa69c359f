/* SPDX-License-Identifier: MIT
 * rows: the data of a result of robust PCA as its checker reads them, some entries at a time,
 * with their hash: that of one process, or each rank's slabs */
#include "cli/rpca/rpca.h"

static void give_slab(crs_rpca_rows *r)
{
    if (r->source && r->slab.t) r->source->ops->give(r->source, &r->slab);
    r->slab.t = NULL;
}

void crs_rpca_rows_close(crs_rpca_rows *r)
{
    give_slab(r);
    if (r->source) r->source->ops->close(r->source);
    r->source = NULL;
    crs_npy_stream_close(&r->file);
    crs_npy_stream_close(&r->seen);
    crs_array_free(&r->whole);
}

/* Is there nothing but the numbers of a plain .npy file to be read? */
static bool is_plain(const crs_asked *a)
{
    return (!a->read_as || strcmp(a->read_as, "npy") == 0) && !a->absent && !a->columns &&
           !a->drop && !a->frames && !a->size && !a->colour && a->shape.order == 0;
}

/* Large data by slabs; in memory they would be a source, too. */
static bool open_slabs(crs_rpca_rows *r, const crs_asked *asked)
{
    crease_space s;
    if (!crs_read_shape(r->path, asked, &s) || crs_partition_of(&s).count < 4) return false;
    const double least = crs_stream_floor(&s, r->missing);
    const crs_stream_settings settings = { .asked = asked,
                                           .bytes = larger(least, r->memory / 2),
                                           .missing = r->missing };
    r->source = crs_stream_open(r->path, &settings, NULL);
    r->shape = s;
    return r->source;
}

static bool open_streams(crs_rpca_rows *r, const crs_asked *asked)
{
    const bool plain = is_plain(asked) && crs_npy_stream_open(r->path, &r->file, NULL);
    if (plain) r->shape = r->file.header.shape;
    return (plain || open_slabs(r, asked)) &&
           (!r->mask || (crs_npy_stream_open(r->mask, &r->seen, NULL) &&
                         crease_space_equal(&r->seen.header.shape, &r->shape)));
}

static bool begin_stream(crs_npy_stream *s, const char *path, ptrdiff_t at, crease_error *e)
{
    return (s->f || crs_npy_stream_open(path, s, e)) && crs_npy_stream_seek(s, at, e);
}

/* The entry `at` is the next one. */
static bool begin_rows(crs_rpca_rows *r, ptrdiff_t at, crease_error *e)
{
    r->at = at;
    r->hashes = at == 0 && !r->shared && r->hash[0] == '\0';
    if (r->hashes) crs_array_hash_begin(&r->digest, &r->shape, r->old);
    if (r->whole.data) return true;
    give_slab(r);
    return (r->source || begin_stream(&r->file, r->path, at, e)) &&
           (!r->mask || begin_stream(&r->seen, r->mask, at, e));
}

/* Of few observed entries, which were a list to the fit */
static bool open_list(crs_rpca_rows *r, const json_t *source, crease_rpca_settings *s,
                      crease_error *e)
{
    if (!crs_read_list_again(r->path, source, &r->whole, e)) return false;
    if (!r->whole.list)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s is not a list of few observed entries, as the fit saw it; give its "
                        "data by --problem",
                        r->path);
    r->shape = s->shape = r->whole.shape;
    crs_array_hash(&r->whole, r->hash);
    return true;
}

bool crs_rpca_rows_open(crs_rpca_rows *r, const json_t *source, const char *axes,
                        crease_rpca_settings *s, crease_error *e)
{
    const crs_asked asked = crs_asked_in(source);
    const char *was = json_string_value(json_object_get(source, "hash"));
    r->missing = s->missing;
    r->old = was && strncmp(was, "sha256:", 7) == 0;
    if (was && strncmp(was, "sha256/entries:", 15) == 0) return open_list(r, source, s, e);
    if (!open_streams(r, &asked)) {
        crs_rpca_rows_close(r);
        if (!crs_read_again(r->path, source, &r->whole, e) ||
            !crs_rpca_take(&r->whole, r->mask, axes, s, r->hash, e))
            return false;
        r->shape = r->whole.shape;
        return true;
    }
    s->shape = r->shape;
    s->missing = s->missing || r->mask;
    return crs_rpca_merge(axes, &s->shape, e) && begin_rows(r, 0, e);
}

static bool refuse(const crs_rpca_rows *r, ptrdiff_t j, double t, crease_error *e)
{
    char where[300];
    crs_entry_text(&r->shape, NULL, j, where, sizeof where);
    return crs_fail(e, CREASE_BAD_DATA, "%.200s: %.250s is %g; give finite numbers%s", r->path,
                    where, t, isnan(t) ? ", or let nan mark missing entries (--missing nan)" : "");
}

static bool from_slabs(crs_rpca_rows *r, ptrdiff_t count, double *out, crease_error *e)
{
    for (ptrdiff_t done = 0, now; done < count; done += now) {
        const ptrdiff_t at = r->at + done;
        if (!r->slab.t || at == r->slab.first + crease_size(&r->slab.shape)) {
            const ptrdiff_t next = crs_slab_with(&r->source->cut, at);
            give_slab(r);
            if (!r->source->ops->take(r->source, next, &r->slab, e)) return r->slab.t = NULL, false;
        }
        const ptrdiff_t in = at - r->slab.first;
        now = fewer(count - done, crease_size(&r->slab.shape) - in);
        copy(now, r->slab.t + in, out + done);
        for (ptrdiff_t k = 0; r->slab.w && k < now; k++)
            if (!r->slab.w[in + k]) out[done + k] = NAN;
    }
    return true;
}

/* nan where nothing was observed. */
static bool take_entries(crs_rpca_rows *r, ptrdiff_t count, double *out, crease_error *e)
{
    double w[1024];
    if (r->source ? !from_slabs(r, count, out, e) : !crs_npy_stream_next(&r->file, count, out, e))
        return false;
    for (ptrdiff_t k = 0; k < count; k++) {
        const ptrdiff_t in = k % 1024;
        if (r->mask && in == 0 &&
            !crs_npy_stream_next(&r->seen, count - k < 1024 ? count - k : 1024, w, e))
            return false;
        if (r->mask && w[in] == 0)
            out[k] = NAN;
        else if (!isfinite(out[k]) && !(r->missing && isnan(out[k])))
            return refuse(r, r->at + k, out[k], e);
    }
    return true;
}

bool crs_rpca_rows_next(crs_rpca_rows *r, ptrdiff_t count, double *out, crease_error *e)
{
    if (r->whole.data) {
        copy(count, r->whole.data + r->at, out);
        r->at += count;
        return true;
    }
    if (!take_entries(r, count, out, e)) return false;
    r->at += count;
    if (!r->hashes) return true;
    crs_array_hash_add(&r->digest, count, out);
    if (r->at < crease_size(&r->shape)) return true;
    crs_hash_slabs(&r->digest.all, r->digest.several, r->hash);
    r->hashes = false;
    return true;
}

bool crs_rpca_rows_at(crs_rpca_rows *r, ptrdiff_t at, crease_error *e)
{
    return r->at == at || begin_rows(r, at, e);
}

/* The hash of the data, every rank of its own slabs. */
bool crs_rpca_rows_hash(crs_rpca_rows *r, const crs_team *t, crease_error *e)
{
    enum { PIECE = 1 << 12 };
    const crs_partition cut = crs_partition_of(&r->shape);
    const ptrdiff_t first = cut.count * t->rank / t->size;
    const ptrdiff_t end = cut.count * (t->rank + 1) / t->size;
    int64_t *word = crs_alloc((size_t)cut.count, CRS_SLAB_WORDS * sizeof *word);
    double x[PIECE];
    crs_entries_hash h;
    bool done = word || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the hash of the data");
    crs_array_hash_part(&h, &r->shape, first, word);
    for (ptrdiff_t k = first; done && k < end; k++) {
        const crs_slab slab = crs_slab_at(&cut, k);
        done = crs_rpca_rows_at(r, slab.first, e);
        for (ptrdiff_t left = crease_size(&slab.shape), now; done && left > 0; left -= now) {
            now = fewer(left, PIECE);
            done = crs_rpca_rows_next(r, now, x, e);
            if (done) crs_array_hash_add(&h, now, x);
        }
    }
    done = crs_rpca_agree(t, done, e);
    if (done) {
        t->count(t->self, word, CRS_SLAB_WORDS * cut.count);
        crs_hash_from_words(&r->shape, cut.count, word, r->hash);
    }
    crs_free(word);
    return done;
}
