/* SPDX-License-Identifier: MIT
 * sample: whole rows of a long mode, spread evenly over it, as a tensor of its own */
#include "rpca/long/long.h"

enum { ENTRIES = 1 << 22, FEWEST = 256 };

ptrdiff_t crs_long_sampled(const crease_space *shape)
{
    const ptrdiff_t rows = shape->dim[0], columns = crease_size(shape) / more(1, rows);
    return fewer(rows, more(FEWEST, ENTRIES / more(1, columns)));
}

/* Row k of so many, in the middle of its share. */
static ptrdiff_t place(ptrdiff_t k, ptrdiff_t sampled, ptrdiff_t rows)
{
    const ptrdiff_t each = rows / sampled, rest = rows % sampled;
    return k * each + (k * rest + rest / 2) / sampled + each / 2;
}

crs_source *crs_long_sample(crs_source *T, crease_error *e)
{
    const crease_space *shape = &T->cut.shape;
    crease_space own = *shape;
    const ptrdiff_t columns = crease_size(shape) / shape->dim[0];
    own.dim[0] = crs_long_sampled(shape);
    const ptrdiff_t size = own.dim[0] * columns;
    double *t = crs_doubles(size, "a sample of rows", e);
    ptrdiff_t *index = t ? crs_alloc((size_t)size, sizeof *index) : NULL;
    unsigned char *seen = index ? crs_alloc((size_t)size, 1) : NULL;
    if (t && !seen) crs_fail(e, CREASE_NO_MEMORY, "out of memory: a sample of rows");
    for (ptrdiff_t j = 0; seen && j < size; j++)
        index[j] = place(j / columns, own.dim[0], shape->dim[0]) * columns + j % columns;
    const bool done = seen && crs_source_entries(T, size, index, t, seen, e);
    bool missing = false;
    for (ptrdiff_t j = 0; done && j < size; j++) {
        missing = missing || !seen[j];
        if (!seen[j]) t[j] = NAN;
    }
    crs_free(index);
    crs_free(seen);
    if (done) return crs_held_open(&own, t, missing, e);
    crs_free(t);
    return NULL;
}
