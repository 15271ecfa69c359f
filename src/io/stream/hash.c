/* SPDX-License-Identifier: MIT
 * hash: of a tensor wherever it is, a job over its slabs. The hash of a slab is 8 numbers of 32
 * bits; each has a place of its own in the total, so that any thread, and any process, may find
 * it. */
#include "io/stream/stream.h"

typedef struct {
    ptrdiff_t slabs;
} arguments;

static void plan(const void *args, const crease_space *shape, crs_total *sums)
{
    const arguments *a = args;
    (void)shape;
    crs_total_plan(sums, CRS_COUNT, CRS_SLAB_WORDS * a->slabs);
}

static bool add(const void *args, void *room, const crs_slab *slab, int worker, crs_total *sums,
                crease_error *e)
{
    int64_t word[CRS_SLAB_WORDS];
    crs_hash h;
    (void)args, (void)room, (void)worker, (void)e;
    crs_hash_begin(&h);
    crs_hash_entries(&h, crease_size(&slab->shape), slab->t, slab->w);
    crs_hash_words(&h, word);
    crs_total_count(sums, 0, CRS_SLAB_WORDS * slab->index, CRS_SLAB_WORDS, word);
    return true;
}

static void visit(crs_visitor *v, void *self)
{
    arguments *a = self;
    crs_visit(v, a->slabs);
}

const crs_job crs_hash_job = {
    .name = "hash", .size = sizeof(arguments), .visit = visit, .plan = plan, .add = add
};

/* One slab: the shape and its entries, as those of any array. */
static bool hash_one(crs_source *s, char hash[CRS_HASH], crease_error *e)
{
    crs_slab slab;
    crs_hash h;
    if (!s->ops->take(s, 0, &slab, e)) return false;
    crs_hash_shape(&h, &s->cut.shape);
    crs_hash_entries(&h, crease_size(&slab.shape), slab.t, slab.w);
    crs_hash_slabs(&h, false, hash);
    s->ops->give(s, &slab);
    return true;
}

static bool hash_slabs(crs_source *s, int threads, crease_watch *watch, char hash[CRS_HASH],
                       crease_error *e)
{
    const arguments a = { s->cut.count };
    crs_look l;
    if (!crs_look_once(&l, s, &crs_hash_job, &a, threads, watch, e)) return false;
    crs_hash_from_words(&s->cut.shape, s->cut.count, l.sums.array[0].whole, hash);
    crs_look_close(&l);
    return !crease_watch_over(watch) || crs_cut(e, "the hash of the data");
}

bool crs_source_hash(crs_source *s, int threads, crease_watch *watch, char hash[CRS_HASH],
                     crease_error *e)
{
    return s->cut.count > 1 ? hash_slabs(s, threads, watch, hash, e) : hash_one(s, hash, e);
}
