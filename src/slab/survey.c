/* SPDX-License-Identifier: MIT
 * survey: what one look tells of the data, single entries of them, and slabs of other ranks
 *
 * An entry belongs to one slab: its bits as a whole number, added to zeros, are its bits. */
#include "slab/slab.h"

/* Of a look: entries that are missing and that are not 0; how many entries there are from the least
 * bad one on; max |t|; sum t^2. */
enum { COUNTS, BAD, LARGEST, SQUARES };

static void plan_survey(const void *args, const crease_space *shape, crs_total *sums)
{
    (void)args, (void)shape;
    crs_total_plan(sums, CRS_COUNT, 2);
    crs_total_plan(sums, CRS_MOST, 1);
    crs_total_plan(sums, CRS_MOST, 1);
    crs_total_plan(sums, CRS_SUM, 1);
}

static bool add_survey(const void *args, void *room, const crs_slab *slab, int worker,
                       crs_total *sums, crease_error *e)
{
    const ptrdiff_t n = crease_size(&slab->shape), all = *(const ptrdiff_t *)args;
    int64_t count[2] = { 0 }, bad = 0;
    double largest = 0;
    (void)room, (void)worker, (void)e;
    for (ptrdiff_t j = 0; j < n; j++) {
        const double t = slab->t[j];
        if (slab->w && !slab->w[j]) {
            count[0]++;
        } else if (!isfinite(t)) {
            if (bad == 0) bad = all - slab->first - j;
        } else {
            count[1] += t != 0;
            largest = larger(largest, fabs(t));
        }
    }
    const int64_t most = crs_ordered(largest);
    const double squares = bad ? NAN : square(crs_norm(n, slab->t));
    crs_total_count(sums, COUNTS, 0, 2, count);
    crs_total_count(sums, BAD, 0, 1, &bad);
    crs_total_count(sums, LARGEST, 0, 1, &most);
    crs_total_add(sums, SQUARES, 0, 1, &squares);
    return true;
}

static void visit_size(crs_visitor *v, void *size)
{
    ptrdiff_t *all = size;
    crs_visit(v, *all);
}

const crs_job crs_survey_job = { .name = "survey",
                                 .size = sizeof(ptrdiff_t),
                                 .visit = visit_size,
                                 .plan = plan_survey,
                                 .add = add_survey };

bool crs_source_survey(crs_source *s, int threads, crease_error *e)
{
    const ptrdiff_t all = crease_size(&s->cut.shape);
    crs_survey *f = &s->facts;
    crs_look l;
    if (f->known) return true;
    if (!crs_look_once(&l, s, &crs_survey_job, &all, threads, NULL, e)) return false;
    const ptrdiff_t rest = (ptrdiff_t)l.sums.array[BAD].whole[0];
    *f = (crs_survey){ .missing = (ptrdiff_t)l.sums.array[COUNTS].whole[0],
                       .nonzero = (ptrdiff_t)l.sums.array[COUNTS].whole[1],
                       .bad = rest > 0 ? all - rest : -1,
                       .largest = crs_unordered(l.sums.array[LARGEST].whole[0]),
                       .squares = crs_total_at(&l.sums, SQUARES, 0) };
    crs_look_close(&l);
    f->known = f->bad < 0 || crs_source_entries(s, 1, &f->bad, &f->wrong, NULL, e);
    return f->known;
}

typedef struct {
    ptrdiff_t count;
    const ptrdiff_t *index; /* they grow */
} places;

static void plan_places(const void *args, const crease_space *shape, crs_total *sums)
{
    const places *a = args;
    (void)shape;
    crs_total_plan(sums, CRS_COUNT, a->count);
    crs_total_plan(sums, CRS_COUNT, a->count);
}

/* The first place at or after an entry */
static ptrdiff_t first_from(const places *a, ptrdiff_t entry)
{
    ptrdiff_t low = 0, high = a->count;
    while (low < high) {
        const ptrdiff_t middle = low + (high - low) / 2;
        if (a->index[middle] < entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool add_places(const void *args, void *room, const crs_slab *slab, int worker,
                       crs_total *sums, crease_error *e)
{
    const places *a = args;
    const ptrdiff_t end = slab->first + crease_size(&slab->shape);
    (void)room, (void)worker, (void)e;
    for (ptrdiff_t k = first_from(a, slab->first); k < a->count && a->index[k] < end; k++) {
        const ptrdiff_t j = a->index[k] - slab->first;
        const int64_t seen = !slab->w || slab->w[j];
        int64_t bits;
        memcpy(&bits, &slab->t[j], sizeof bits);
        crs_total_count(sums, 0, k, 1, &bits);
        crs_total_count(sums, 1, k, 1, &seen);
    }
    return true;
}

static bool wants_places(const void *args, const crs_partition *cut, ptrdiff_t k)
{
    const places *a = args;
    const crs_slab slab = crs_slab_at(cut, k);
    const ptrdiff_t next = first_from(a, slab.first);
    return next < a->count && a->index[next] < slab.first + crease_size(&slab.shape);
}

static void visit_places(crs_visitor *v, void *self)
{
    places *a = self;
    crs_visit(v, a->count);
    crs_visit_array(v, a->index, a->count);
}

const crs_job crs_entries_job = { .name = "entries",
                                  .size = sizeof(places),
                                  .visit = visit_places,
                                  .plan = plan_places,
                                  .wants = wants_places,
                                  .add = add_places };

bool crs_source_entries(crs_source *s, ptrdiff_t count, const ptrdiff_t *index, double *value,
                        unsigned char *seen, crease_error *e)
{
    const places a = { count, index };
    crs_look l;
    if (s->whole) {
        for (ptrdiff_t k = 0; k < count; k++) {
            value[k] = s->whole[index[k]];
            if (seen) seen[k] = !s->seen || s->seen[index[k]];
        }
        return true;
    }
    if (!crs_look_once(&l, s, &crs_entries_job, &a, 1, NULL, e)) return false;
    memcpy(value, l.sums.array[0].whole, (size_t)count * sizeof *value);
    for (ptrdiff_t k = 0; seen && k < count; k++) seen[k] = l.sums.array[1].whole[k] != 0;
    crs_look_close(&l);
    return true;
}

static void plan_fetch(const void *args, const crease_space *shape, crs_total *sums)
{
    const crs_partition cut = crs_partition_of(shape);
    const crs_slab slab = crs_slab_at(&cut, *(const ptrdiff_t *)args);
    crs_total_plan(sums, CRS_COUNT, crease_size(&slab.shape));
}

static bool add_fetch(const void *args, void *room, const crs_slab *slab, int worker,
                      crs_total *sums, crease_error *e)
{
    const ptrdiff_t n = crease_size(&slab->shape);
    (void)args, (void)room, (void)worker, (void)e;
    for (ptrdiff_t j = 0; j < n; j++) {
        const double value = !slab->w || slab->w[j] ? slab->t[j] : (double)NAN;
        memcpy(&sums->array[0].whole[j], &value, sizeof value);
    }
    return true;
}

static bool wants_fetch(const void *args, const crs_partition *cut, ptrdiff_t k)
{
    (void)cut;
    return k == *(const ptrdiff_t *)args;
}

const crs_job crs_fetch_job = { .name = "fetch",
                                .size = sizeof(ptrdiff_t),
                                .visit = visit_size,
                                .plan = plan_fetch,
                                .wants = wants_fetch,
                                .add = add_fetch };

bool crs_source_fetch(crs_source *s, ptrdiff_t k, double *value, crease_error *e)
{
    crs_look l;
    if (!crs_look_once(&l, s, &crs_fetch_job, &k, 1, NULL, e)) return false;
    memcpy(value, l.sums.array[0].whole, (size_t)l.sums.array[0].size * sizeof *value);
    crs_look_close(&l);
    return true;
}
