/* SPDX-License-Identifier: MIT
 * less: a tensor without one term as a source, which is made of another's slabs while they are
 * looked at. Other ranks do not know the term: here all slabs are looked at by one process. */
#include "rpca/start.h"

void crs_less_close(crs_source *source)
{
    crs_less *r = (crs_less *)source;
    for (int k = 0; r->place && k < r->places; k++) crs_free(r->place[k].values);
    crs_free(r->place);
    *r = (crs_less){ .data = NULL };
}

/* That of slab k if it is free, or else the next that is */
static crs_less_place *claim(const crs_less *r, ptrdiff_t k)
{
    for (int i = 0; i < r->places; i++) {
        crs_less_place *p = &r->place[(k + i) % r->places];
        if (!atomic_flag_test_and_set(&p->taken)) return p;
    }
    return NULL;
}

/* t - u of the slab, whose values are T's */
static void subtract(const crs_less *r, const crs_slab *s, double *out)
{
    const crs_kruskal u = crs_slab_kruskal(s, &r->u);
    const ptrdiff_t size = crease_size(&s->shape);
    fill(size, 0, out);
    crs_reconstruct(&u, 1, out, out + size);
    for (ptrdiff_t j = 0; j < size; j++) out[j] = !s->w || s->w[j] ? s->t[j] - out[j] : 0;
}

static bool take_less(crs_source *source, ptrdiff_t k, crs_slab *out, crease_error *e)
{
    crs_less *r = (crs_less *)source;
    crs_less_place *p = claim(r, k);
    if (!p)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: more than %d slabs at a time",
                        r->places);
    if (!r->data->ops->take(r->data, k, &p->of, e)) return atomic_flag_clear(&p->taken), false;
    if (p->slab != k) subtract(r, &p->of, p->values);
    p->slab = k;
    *out = p->of;
    out->t = p->values;
    return true;
}

static void give_less(crs_source *source, const crs_slab *slab)
{
    crs_less *r = (crs_less *)source;
    for (int k = 0; k < r->places; k++) {
        if (r->place[k].values != slab->t) continue;
        r->data->ops->give(r->data, &r->place[k].of);
        atomic_flag_clear(&r->place[k].taken);
    }
}

bool crs_less_open(crs_less *r, crs_source *data, int threads, const crs_kruskal *u,
                   crease_error *e)
{
    const crease_space slab = crs_slab_at(&data->cut, 0).shape;
    const ptrdiff_t size = crease_size(&slab) + crs_kruskal_scratch(&slab, 1);
    static const crs_source_ops ops = { "remainder", take_less, give_less, crs_less_close };
    *r = (crs_less){ .source = *data, .data = data, .u = *u, .places = threads };
    r->source.ops = &ops;
    crs_source_alone(&r->source);
    r->source.whole = NULL;
    r->source.seen = NULL;
    r->source.listed = NULL;
    r->source.facts.known = false;
    r->place = crs_alloc((size_t)threads, sizeof *r->place);
    bool done = r->place || crs_fail(e, CREASE_NO_MEMORY, "out of memory: slabs without a term");
    for (int k = 0; done && k < threads; k++) {
        atomic_flag_clear(&r->place[k].taken);
        r->place[k].slab = -1;
        r->place[k].values = crs_doubles(size, "a slab without a term", e);
        done = r->place[k].values;
    }
    if (done && crs_source_survey(&r->source, threads, e)) return true;
    crs_less_close(&r->source);
    return false;
}
