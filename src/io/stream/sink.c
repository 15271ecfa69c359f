/* SPDX-License-Identifier: MIT
 * sink: an array written to a file part after part, in whatever order the parts come; and a source
 * copied into one, slab after slab, with its dimensions in another order
 *
 * Of transposed slabs runs of entries are written where they belong. Several slabs are transposed
 * together, so that runs are longer. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/stream/stream.h"

enum { BATCH = 1 << 24 }; /* entries that are transposed together */

struct crs_sink {
    FILE *f;
    const char *name;
    const crs_item *item;
    long long offset;
    ptrdiff_t next; /* entry after the last part */
};

static bool fail_write(const crs_sink *s, int why, crease_error *e)
{
    return crs_fail(e, CREASE_IO,
                    "%.200s cannot be written: %s; check the folder and the space left", s->name,
                    strerror(why));
}

bool crs_sink_put(crs_sink *s, ptrdiff_t first, ptrdiff_t count, const double *x, crease_error *e)
{
    const off_t at = (off_t)s->offset + (off_t)first * (s->item->single ? 4 : 8);
    if (first != s->next && fseeko(s->f, at, SEEK_SET) != 0) return fail_write(s, errno, e);
    if (!crs_numbers_put(s->f, s->item->single, count, x)) return fail_write(s, errno, e);
    s->next = first + count;
    return crease_watch_why(s->item->watch) != CREASE_STOPPED || crs_cut(e, "writing the file");
}

typedef struct {
    const crs_format *format;
    const crs_item *item;
    crs_fill *fill;
    void *self;
    const char *name;
} job;

static bool put_file(const char *path, const void *what, crease_error *e)
{
    const job *j = what;
    crs_sink s = { .name = j->name, .item = j->item, .next = -1 };
    if (!j->format->lay(path, j->item, &s.offset, e)) return false;
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return fail_write(&s, errno, e);
    const long long bytes = (long long)crease_size(j->item->shape) * (j->item->single ? 4 : 8);
    if (!crs_take_room(fd, s.offset, bytes, s.name, e)) return close(fd), false;
    s.f = fdopen(fd, "wb");
    if (!s.f) {
        const int why = errno;
        close(fd);
        return fail_write(&s, why, e);
    }
    const bool filled = j->fill(j->self, &s, e), flushed = fclose(s.f) == 0;
    return filled && (flushed || fail_write(&s, errno, e));
}

bool crs_sink_write(const char *path, const crs_format *format, const crs_item *item, crs_fill *put,
                    void *self, crease_error *e)
{
    if (!crease_space_check(item->shape, e)) return false;
    return crs_write_by(path, put_file, &(job){ format, item, put, self, path }, e);
}

/* ---- dimensions in another order ---- */

/* A box of the source and how it lies in the array. */
typedef struct {
    crease_space whole;                /* the array */
    crease_space shape;                /* of the box, in the order of the array */
    ptrdiff_t begin[CREASE_MAX_ORDER]; /* in the order of the array */
    ptrdiff_t step[CREASE_MAX_ORDER];  /* of the box in the source, in the order of the array */
} box;

static box box_of(const crs_slab *s, const crease_space *source, const int *from)
{
    box b = { .whole = *source, .shape = s->shape };
    for (int n = 0; n < s->shape.order; n++) {
        b.whole.dim[n] = source->dim[from[n]];
        b.shape.dim[n] = s->shape.dim[from[n]];
        b.begin[n] = s->from[from[n]];
        b.step[n] = crs_right(&s->shape, from[n]);
    }
    return b;
}

static void transpose(const box *b, const double *in, double *out)
{
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 }, at = 0;
    const int last = b->shape.order - 1;
    const ptrdiff_t length = b->shape.dim[last], step = b->step[last];
    for (ptrdiff_t k = 0, size = crease_size(&b->shape); k < size; k += length) {
        for (ptrdiff_t j = 0; j < length; j++) out[k + j] = in[at + j * step];
        for (int n = last - 1; n >= 0; n--) {
            at += b->step[n];
            if (++index[n] < b->shape.dim[n]) break;
            at -= index[n] * b->step[n];
            index[n] = 0;
        }
    }
}

/* Dimensions after `cut` are all there, and so are consecutive indices of it. */
static bool put_box(crs_sink *s, const box *b, const double *x, crease_error *e)
{
    int cut = b->shape.order - 1;
    while (cut > 0 && b->shape.dim[cut] == b->whole.dim[cut]) cut--;
    const ptrdiff_t run = b->shape.dim[cut] * crs_right(&b->shape, cut);
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    for (ptrdiff_t k = 0, size = crease_size(&b->shape); k < size; k += run) {
        ptrdiff_t first = 0;
        for (int n = 0; n < b->shape.order; n++)
            first = first * b->whole.dim[n] + b->begin[n] + (n < cut ? index[n] : 0);
        if (!crs_sink_put(s, first, run, x + k, e)) return false;
        for (int n = cut - 1; n >= 0 && ++index[n] == b->shape.dim[n]; n--) index[n] = 0;
    }
    return true;
}

/* Slabs from k on that make one box of at most BATCH entries. */
static ptrdiff_t join(const crs_partition *cut, ptrdiff_t k, crs_slab *out)
{
    const ptrdiff_t most = more(1, BATCH / crs_slab_most(cut));
    const ptrdiff_t count = fewer(most, cut->per - k % cut->per);
    *out = crs_slab_at(cut, k);
    for (ptrdiff_t j = 1; j < count; j++)
        out->shape.dim[cut->mode] += crs_slab_at(cut, k + j).shape.dim[cut->mode];
    return count;
}

static bool take_batch(crs_source *source, ptrdiff_t k, ptrdiff_t count, double *in,
                       crease_error *e)
{
    for (ptrdiff_t j = 0, at = 0; j < count; j++) {
        crs_slab slab;
        if (!source->ops->take(source, k + j, &slab, e)) return false;
        copy(crease_size(&slab.shape), slab.t, in + at);
        at += crease_size(&slab.shape);
        source->ops->give(source, &slab);
    }
    return true;
}

static bool copy_as_is(crs_sink *s, crs_source *source, crease_error *e)
{
    for (ptrdiff_t k = 0; k < source->cut.count; k++) {
        crs_slab slab;
        if (!source->ops->take(source, k, &slab, e)) return false;
        const bool done = crs_sink_put(s, slab.first, crease_size(&slab.shape), slab.t, e);
        source->ops->give(source, &slab);
        if (!done) return false;
        crs_watch_part(s->item->watch, (double)k + 1, (double)source->cut.count);
    }
    return true;
}

bool crs_sink_copy(crs_sink *s, crs_source *source, const int *from, crease_error *e)
{
    const crs_partition *cut = &source->cut;
    const ptrdiff_t most = more(BATCH, crs_slab_most(cut));
    bool same = true;
    for (int n = 0; n < cut->shape.order; n++) same = same && from[n] == n;
    if (same) return copy_as_is(s, source, e);
    double *in = crs_doubles(most, "slabs to transpose", e), *out = NULL;
    if (in) out = crs_doubles(most, "transposed slabs", e);
    bool done = out;
    for (ptrdiff_t k = 0; done && k < cut->count;) {
        crs_slab whole;
        const ptrdiff_t count = join(cut, k, &whole);
        const box b = box_of(&whole, &cut->shape, from);
        done = take_batch(source, k, count, in, e);
        if (done) transpose(&b, in, out);
        done = done && put_box(s, &b, out, e);
        k += count;
        crs_watch_part(s->item->watch, (double)k, (double)cut->count);
    }
    crs_free(out);
    crs_free(in);
    return done;
}
