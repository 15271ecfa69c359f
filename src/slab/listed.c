/* SPDX-License-Identifier: MIT
 * listed: observed entries as a source that holds nothing else, of a tensor that may be far larger
 * than memory: what is known of them at once, and a sentence for whoever wants slabs */
#include "slab/slab.h"

typedef struct {
    crs_source source;
    crs_coordinates list;
} listed;

static bool refuse(crs_source *s, ptrdiff_t k, crs_slab *out, crease_error *e)
{
    (void)k, (void)out;
    return crs_fail(e, CREASE_UNSUPPORTED,
                    "this needs all %.3g entries of the tensor, and only the %td that were "
                    "observed are held; leave it out, or give data of which more were observed",
                    (double)crease_size(&s->cut.shape), s->listed->count);
}

static void give(crs_source *s, const crs_slab *slab) { (void)s, (void)slab; }

static void close(crs_source *s)
{
    crs_coordinates_close(&((listed *)s)->list);
    crs_free(s);
}

static crs_survey survey(const crs_coordinates *c)
{
    crs_survey f = { .known = true,
                     .missing = crease_size(&c->shape) - c->count,
                     .bad = -1,
                     .squares = square(crs_norm(c->count, c->value)) };
    for (ptrdiff_t i = 0, k = 0; i < c->shape.dim[c->lead]; i++)
        for (; k < c->start[i + 1]; k++) {
            ptrdiff_t at[CREASE_MAX_ORDER];
            f.nonzero += c->value[k] != 0;
            f.largest = larger(f.largest, fabs(c->value[k]));
            if (isfinite(c->value[k]) || f.bad >= 0) continue;
            f.bad = crs_coordinates_place(c, i, k, at);
            f.wrong = c->value[k];
        }
    return f;
}

crs_source *crs_listed_open(crs_coordinates *list, crease_error *e)
{
    static const crs_source_ops ops = { "listed", refuse, give, close };
    listed *s = crs_alloc(1, sizeof *s);
    if (!s) {
        crs_coordinates_close(list);
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: observed entries"), NULL;
    }
    s->list = *list;
    *list = (crs_coordinates){ .count = 0 };
    s->source = (crs_source){ .ops = &ops,
                              .cut = crs_partition_of(&s->list.shape),
                              .listed = &s->list,
                              .facts = survey(&s->list) };
    s->source.count = s->source.cut.count;
    return &s->source;
}
