/* SPDX-License-Identifier: MIT
 * slab_copies.h: a tensor as a source of small slabs, each a copy while it is taken: what reads
 * past a slab, or after it was given back, is seen by a sanitizer */
#ifndef CREASE_SLAB_COPIES_H
#define CREASE_SLAB_COPIES_H

#include <stdlib.h>
#include <string.h>

#include "slab/slab.h"
#include "support/test.h"

typedef struct {
    crs_source source;
    const double *t;
    const unsigned char *w;
} slab_copies;

/* Slabs of so many indices of `mode` */
static inline crs_partition cut_at(const crease_space *shape, int mode, ptrdiff_t rows)
{
    crs_partition p = { .shape = *shape, .mode = mode, .rows = rows };
    p.per = (shape->dim[mode] + rows - 1) / rows;
    p.count = crs_left(shape, mode) * p.per;
    return p;
}

static inline bool copies_take(crs_source *s, ptrdiff_t k, crs_slab *out, crease_error *e)
{
    const slab_copies *c = (const slab_copies *)s;
    (void)e;
    *out = crs_slab_at(&s->cut, k);
    const size_t size = (size_t)crease_size(&out->shape);
    double *t = malloc(size * sizeof *t);
    unsigned char *w = c->w ? malloc(size) : NULL;
    memcpy(t, c->t + out->first, size * sizeof *t);
    if (w) memcpy(w, c->w + out->first, size);
    out->t = t;
    out->w = w;
    return true;
}

static inline void copies_give(crs_source *s, const crs_slab *slab)
{
    (void)s;
    free((void *)(uintptr_t)slab->t);
    free((void *)(uintptr_t)slab->w);
}

static inline void copies_close(crs_source *s) { (void)s; }

static inline slab_copies copies_of(crs_partition cut, const double *t, const unsigned char *w)
{
    static const crs_source_ops ops = { "copies", copies_take, copies_give, copies_close };
    slab_copies c = { .source = { .ops = &ops, .cut = cut, .count = cut.count }, .t = t, .w = w };
    return c;
}

#endif
