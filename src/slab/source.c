/* SPDX-License-Identifier: MIT
 * source: tensors as users hand them over (crease/source.h): in memory, or by a function that fills
 * slabs. What fits into the memory that it may take is there as a whole, the rest goes through a
 * ring. */
#include <crease/version.h>

#include "core/parallel.h"
#include "slab/slab.h"

ptrdiff_t crease_slabs(const crease_space *shape) { return crs_partition_of(shape).count; }

static crease_slab shown(const crs_slab *s)
{
    crease_slab out = { .index = s->index, .first = s->first, .shape = s->shape };
    memcpy(out.from, s->from, sizeof out.from);
    return out;
}

crease_slab crease_slab_of(const crease_space *shape, ptrdiff_t k)
{
    const crs_partition cut = crs_partition_of(shape);
    const crs_slab s = crs_slab_at(&cut, k);
    return shown(&s);
}

crease_source *crs_source_hand(crs_source *slabs, crease_error *e)
{
    if (!slabs) return NULL;
    crease_source *s = crs_alloc(1, sizeof *s);
    if (s)
        *s = (crease_source){ .version = CREASE_VERSION, .slabs = slabs };
    else {
        slabs->ops->close(slabs);
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a source");
    }
    return s;
}

const crease_space *crease_source_shape(const crease_source *s) { return &s->slabs->cut.shape; }

void crease_source_free(crease_source *s)
{
    if (!s) return;
    if (s->leave) s->leave(s->user);
    s->slabs->ops->close(s->slabs);
    crs_free(s);
}

/* Who brings slabs. */
typedef struct {
    crease_load *load;
    void *user;
    const double *tensor; /* in place of them */
} bringer;

static bool bring(void *self, const crs_slab *slab, double *out, crease_error *e)
{
    const bringer *b = self;
    const crease_slab s = shown(slab);
    crease_error why = { CREASE_IO, "" };
    if (b->tensor) return copy(crease_size(&slab->shape), b->tensor + slab->first, out), true;
    if (b->load(b->user, &s, out, &why)) return true;
    if (why.code == CREASE_OK) why.code = CREASE_IO;
    why.text[sizeof why.text - 1] = '\0';
    return crs_fail(e, why.code, "slab %td (entries %td to %td): %.300s", s.index, s.first,
                    s.first + crease_size(&s.shape) - 1,
                    why.text[0] ? why.text : "the function that brings it returned false");
}

static crs_source *bring_all(const bringer *b, const crs_partition *cut, bool missing,
                             crease_error *e)
{
    const ptrdiff_t n = crease_size(&cut->shape);
    double *t = crs_doubles(n, "the tensor", e);
    if (!t) return NULL;
    crs_large_pages(t, (size_t)n * sizeof *t);
    for (ptrdiff_t k = 0; k < cut->count; k++) {
        const crs_slab s = crs_slab_at(cut, k);
        if (!bring((void *)(uintptr_t)b, &s, t + s.first, e)) return crs_free(t), NULL;
    }
    return crs_held_open(&cut->shape, t, missing, e);
}

static crs_source *bring_by_ring(const bringer *b, const crs_partition *cut, const crs_bringing *s,
                                 crease_error *e)
{
    const ptrdiff_t parts = s->parts > 1 ? s->parts : 1, part = s->parts > 1 ? s->part : 0;
    bringer *kept = crs_alloc(1, sizeof *kept);
    if (!kept) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a source"), NULL;
    *kept = *b;
    crs_ring_settings r = { .cut = *cut,
                            .first = cut->count * part / parts,
                            .bytes = s->bytes,
                            .missing = s->missing,
                            .load = bring,
                            .close = crs_free,
                            .self = kept };
    r.count = cut->count * (part + 1) / parts - r.first;
    if (r.bytes == 0) r.bytes = crs_stream_enough(s->shape, s->missing);
    return crs_ring_open(&r, e);
}

/* What fits is there at once; one slab always does. */
static crs_source *open_bringer(const bringer *b, const crs_bringing *s, crease_error *e)
{
    const crs_partition cut = crs_partition_of(s->shape);
    const double all = (double)crease_size(s->shape) * (s->missing ? 9 : 8);
    return cut.count == 1 || (s->parts <= 1 && all <= s->bytes) ? bring_all(b, &cut, s->missing, e)
                                                                : bring_by_ring(b, &cut, s, e);
}

static bool check(const crease_space *shape, bool there, const char *what, double bytes,
                  crease_error *e)
{
    if (!crease_space_check(shape, e)) return false;
    if (shape->comm)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the shape of a source is that of the whole tensor; leave its comm NULL");
    if (!there) return crs_fail(e, CREASE_BAD_ARGUMENT, "%s is NULL; give one", what);
    return bytes >= 0 || crs_fail(e, CREASE_BAD_ARGUMENT,
                                  "%g bytes of memory for slabs; give a number >= 0", bytes);
}

typedef struct {
    crs_memory memory;
    crs_source_ops ops;
} borrowed;

static void close_borrowed(crs_source *s) { crs_free(s); }

static crs_source *borrow(const crease_space *shape, const double *tensor, crease_error *e)
{
    borrowed *b = crs_alloc(1, sizeof *b);
    if (!b) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a source"), NULL;
    crs_memory_open(&b->memory, shape, tensor, NULL);
    b->ops = *b->memory.source.ops;
    b->ops.close = close_borrowed;
    b->memory.source.ops = &b->ops;
    return &b->memory.source;
}

crease_source *crease_source_memory(const crease_space *shape, const double *tensor, bool missing,
                                    crease_error *e)
{
    const bringer b = { .tensor = tensor };
    const crs_bringing s = { .shape = shape, .missing = true };
    if (!check(shape, tensor, "the tensor", 0, e)) return NULL;
    return crs_source_hand(missing ? open_bringer(&b, &s, e) : borrow(shape, tensor, e), e);
}

crease_source *crs_source_bring(const crs_bringing *s, crease_error *e)
{
    const bringer b = { .load = s->load, .user = s->user };
    if (!check(s->shape, s->load, "the function that brings slabs", s->bytes, e)) return NULL;
    return crs_source_hand(open_bringer(&b, s, e), e);
}

crease_source *crease_source_function(const crease_space *shape, crease_load *load, void *user,
                                      double bytes, bool missing, crease_error *e)
{
    const crs_bringing s = { shape, load, user, bytes, missing, 0, 0 };
    return crs_source_bring(&s, e);
}
