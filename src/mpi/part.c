/* SPDX-License-Identifier: MIT
 * part: a tensor of which every rank has consecutive entries in memory, after those of the rank
 * before. A slab is looked at by the rank that has its first entry, slab 0 by rank 0; what it lacks
 * of the last of them, its seam, comes from the ranks after it when the source is opened. Slabs of
 * others, which rank 0 alone takes, are fetched. */
#include "mpi/handle.h"

enum { TAG = 2 };

typedef struct {
    crs_source source;
    crs_mpi_part given;
    ptrdiff_t own, owned; /* the first slab of this rank, and how many there are */
    ptrdiff_t seam_first; /* its first entry */
    double *seam;         /* the last slab of this rank; NULL: it has all of it */
} part;

/* Entries first .. end-1 */
typedef struct {
    ptrdiff_t first, end;
} range;

static range both(range a, range b)
{
    const range r = { more(a.first, b.first), fewer(a.end, b.end) };
    return r.first < r.end ? r : (range){ 0, 0 };
}

static ptrdiff_t end_of(const crs_partition *cut, ptrdiff_t k)
{
    const crs_slab s = crs_slab_at(cut, k);
    return s.first + crease_size(&s.shape);
}

/* The first slab that begins at or after an entry; entry 0 is of rank 0. */
static ptrdiff_t next_slab(const crs_partition *cut, ptrdiff_t entry)
{
    if (entry >= crease_size(&cut->shape)) return cut->count;
    const ptrdiff_t k = crs_slab_with(cut, entry);
    return crs_slab_at(cut, k).first == entry ? k : k + 1;
}

/* The slabs of a rank with these entries. */
static range slabs_of(const crs_partition *cut, int rank, range has)
{
    const ptrdiff_t first = rank == 0 ? 0 : more(1, next_slab(cut, has.first));
    return (range){ first, more(rank == 0 ? 1 : first, next_slab(cut, has.end)) };
}

/* What a rank lacks of its last slab. */
static range lacks(const crs_partition *cut, int rank, range has)
{
    const range k = slabs_of(cut, rank, has);
    if (k.first >= k.end) return (range){ 0, 0 };
    const range all = { has.end, end_of(cut, k.end - 1) };
    return both(all, all);
}

static bool fill_copy(part *p, const crs_slab *slab, const double *t, double *out, crease_error *e)
{
    if (t) return copy(crease_size(&slab->shape), t, out), true;
    if (!p->source.team)
        return crs_fail(e, CREASE_CUT,
                        "slab %td is on another rank, and the common work has ended; read before "
                        "the end",
                        slab->index);
    return crs_source_fetch(&p->source, slab->index, out, e);
}

static bool take_copy(part *p, const double *t, crs_slab *out, crease_error *e)
{
    const ptrdiff_t n = crease_size(&out->shape);
    double *own = crs_alloc((size_t)n, p->given.missing ? 9 : 8); /* a mask behind the values */
    if (!own) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a slab of a rank's part");
    if (!fill_copy(p, out, t, own, e)) return crs_free(own), false;
    out->t = own;
    if (!p->given.missing) return true;
    unsigned char *w = (unsigned char *)(own + n);
    crs_mark_missing(n, own, w);
    out->w = w;
    return true;
}

static const double *values(const part *p, const crs_slab *s)
{
    if (s->index < p->own || s->index >= p->own + p->owned) return NULL;
    return p->seam && s->first == p->seam_first ? p->seam
                                                : p->given.local + (s->first - p->given.first);
}

static bool take(crs_source *s, ptrdiff_t k, crs_slab *out, crease_error *e)
{
    part *p = (part *)s;
    *out = crs_slab_at(&s->cut, k);
    out->t = values(p, out);
    return (out->t && !p->given.missing) || take_copy(p, out->t, out, e);
}

static void give(crs_source *s, const crs_slab *slab)
{
    const part *p = (const part *)s;
    if (slab->t != values(p, slab)) crs_free((double *)(uintptr_t)slab->t);
}

static void close(crs_source *s)
{
    crs_free(((part *)s)->seam);
    crs_free(s);
}

/* Do the parts follow one another from the first entry to the last? */
static bool follow(const crs_mpi_team *t, const crs_mpi_part *p, const range *all, crease_error *e)
{
    ptrdiff_t at = 0;
    for (int r = 0; r < t->team.size; at = all[r++].end)
        if (all[r].first != at || all[r].end < at)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "the part of rank %d is entries %td to %td; it must begin with entry "
                            "%td, after that of the rank before",
                            r, all[r].first, all[r].end - 1, at);
    return at == crease_size(&p->shape) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "the parts of all ranks have %td entries, and the tensor has %td; give every "
                    "entry to one rank",
                    at, crease_size(&p->shape));
}

static bool check(const crs_mpi_team *t, const crs_mpi_part *p, crease_error *e)
{
    crease_error why = { CREASE_OK, "" };
    if (!crease_space_check(&p->shape, &why))
        return crs_fail(e, why.code, "rank %d: %.300s", t->team.rank, why.text);
    if (p->shape.comm)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "rank %d: the shape is that of the whole tensor; leave its comm NULL",
                        t->team.rank);
    const ptrdiff_t all = crease_size(&p->shape);
    if (p->first < 0 || p->count < 0 || p->first > all || p->count > all - p->first)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "rank %d has %td entries from %td on of a tensor of %td; give a part of it",
                        t->team.rank, p->count, p->first, all);
    return p->local || p->count == 0 ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "rank %d: the part is NULL and has %td entries; give them", t->team.rank,
                    p->count);
}

static part *allocate(const crs_mpi_part *given, int rank, const range *all, crease_error *e)
{
    static const crs_source_ops ops = { "part", take, give, close };
    part *p = crs_alloc(1, sizeof *p);
    if (!p) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a part of a rank"), NULL;
    *p = (part){ .source = { .ops = &ops, .cut = crs_partition_of(&given->shape), .one = true },
                 .given = *given };
    const range own = slabs_of(&p->source.cut, rank, all[rank]);
    const range less = lacks(&p->source.cut, rank, all[rank]);
    p->own = own.first;
    p->owned = more(0, own.end - own.first);
    if (less.first == less.end) return p;
    p->seam_first = crs_slab_at(&p->source.cut, own.end - 1).first;
    p->seam = crs_doubles(less.end - p->seam_first, "the last slab of a rank", e);
    if (p->seam) return p;
    crs_free(p);
    return NULL;
}

/* What is lacking here comes from the ranks above, the last one first; then those below get what
 * they lack and is here. The last rank waits for nobody, so that nobody waits for ever. */
static void mend(const crs_mpi_team *t, part *p, const range *all)
{
    const crs_partition *cut = &p->source.cut;
    const range here = all[t->team.rank], less = lacks(cut, t->team.rank, here);
    if (p->seam && less.first > p->seam_first)
        copy(less.first - p->seam_first, p->given.local + (p->seam_first - here.first), p->seam);
    for (int r = t->team.size - 1; r > t->team.rank; r--) {
        const range from = both(less, all[r]);
        if (from.first < from.end)
            MPI_Recv(p->seam + (from.first - p->seam_first), (int)(from.end - from.first),
                     MPI_DOUBLE, r, TAG, t->world, MPI_STATUS_IGNORE);
    }
    for (int r = t->team.rank - 1; r >= 0; r--) {
        const range to = both(lacks(cut, r, all[r]), here);
        if (to.first < to.end)
            MPI_Send(p->given.local + (to.first - here.first), (int)(to.end - to.first), MPI_DOUBLE,
                     r, TAG, t->world);
    }
}

/* The parts of all ranks; NULL: memory. Collective where every rank has room. */
static range *gather(const crs_mpi_team *t, const crs_mpi_part *p, crease_error *e)
{
    enum { NUMBERS = sizeof(range) / sizeof(ptrdiff_t) };
    int64_t own[NUMBERS] = { p->first, p->first + p->count };
    int64_t *all = crs_alloc((size_t)t->team.size, sizeof own);
    range *out = crs_alloc((size_t)t->team.size, sizeof *out);
    if (!all || !out) crs_fail(e, CREASE_NO_MEMORY, "out of memory: the parts of all ranks");
    if (crs_mpi_agree(t, all && out, e)) {
        MPI_Allgather(own, NUMBERS, MPI_INT64_T, all, NUMBERS, MPI_INT64_T, t->world);
        for (int r = 0; r < t->team.size; r++)
            out[r] = (range){ (ptrdiff_t)all[2 * r], (ptrdiff_t)all[2 * r + 1] };
    } else {
        crs_free(out);
        out = NULL;
    }
    crs_free(all);
    return out;
}

crs_source *crs_mpi_part_open(crs_mpi_team *t, const crs_mpi_part *given, crease_error *e)
{
    const bool sound = check(t, given, e);
    if (!crs_mpi_agree(t, crs_mpi_same_shape(t, sound ? &given->shape : NULL, e), e)) return NULL;
    range *all = gather(t, given, e);
    if (!all) return NULL;
    part *p = follow(t, given, all, e) ? allocate(given, t->team.rank, all, e) : NULL;
    if (crs_mpi_agree(t, p, e)) {
        mend(t, p, all);
        p->source.first = p->own;
        p->source.count = p->owned;
        if (p->source.cut.count > 1) p->source.team = &t->team;
    } else if (p) {
        close(&p->source);
        p = NULL;
    }
    crs_free(all);
    return p ? &p->source : NULL;
}
