/* SPDX-License-Identifier: MIT
 * folds: which entries are held out: for every mode, runs of two fifths of its length at
 * random places of random fibres, or of one fifth where a fibre is all that is known of a row
 *
 * Single entries are predicted by their neighbours where the data are smooth, and whole fibres may
 * be most of what is known of a row; segments are between the two. Of a large tensor some slices
 * stand for it, evenly spaced, of the longest mode the fewest: terms in general position stay so in
 * a part of their rows, and the rank of the part is that of the whole while its modes are not
 * short. */
#include <crease/random.h>

#include "rpca/rank/rank.h"

enum { STREAM = 500, TRIES = 20, SEEN = 1 << CRS_RANK_FOLDS };
enum { LARGE = 1 << 15, FEW = 4 }; /* entries, and folds of more than so many */

static ptrdiff_t run_of(const crease_space *s, int n)
{
    const double part = s->order == 2 ? 0.2 : 0.4; /* of a fibre */
    return more(1, (ptrdiff_t)(part * (double)s->dim[n] + 0.5));
}

/* Marks a run of mode n; returns how many entries are new in this fold. */
static ptrdiff_t mark(const crease_space *s, int n, int fold, const uint64_t *at,
                      unsigned char *lot)
{
    const ptrdiff_t length = s->dim[n], right = crs_right(s, n);
    const ptrdiff_t run = run_of(s, n);
    const ptrdiff_t fibre = (ptrdiff_t)at[0], first = (ptrdiff_t)at[1];
    const ptrdiff_t base = fibre / right * length * right + fibre % right;
    ptrdiff_t count = 0;
    for (ptrdiff_t i = first; i < first + run; i++) {
        unsigned char *one = lot + base + i * right;
        if (!(*one & SEEN) || *one >> fold & 1) continue;
        *one |= (unsigned char)(1 << fold);
        count++;
    }
    return count;
}

/* Runs of mode n until the fold has `wanted` entries more */
static void hold_out(const crease_space *s, int n, int fold, ptrdiff_t wanted, uint64_t seed,
                     unsigned char *lot)
{
    const crease_random random = { seed, (uint64_t)(STREAM + fold * CREASE_MAX_ORDER + n) };
    const ptrdiff_t length = s->dim[n], fibres = crease_size(s) / length;
    const ptrdiff_t run = run_of(s, n);
    ptrdiff_t count = 0;
    for (uint64_t q = 0; count < wanted && q < (uint64_t)(TRIES * fibres * length); q++) {
        const uint64_t at[] = { crease_random_below(random, 2 * q, (uint64_t)fibres),
                                crease_random_below(random, 2 * q + 1,
                                                    (uint64_t)(length - run + 1)) };
        count += mark(s, n, fold, at, lot);
    }
}

ptrdiff_t crs_rank_folds(const crease_space *s, const double *tensor, const double *mask,
                         double share, uint64_t seed, unsigned char *lot)
{
    const ptrdiff_t size = crease_size(s);
    ptrdiff_t seen = 0;
    for (ptrdiff_t j = 0; j < size; j++) {
        const bool here = mask ? mask[j] > 0 : !isnan(tensor[j]);
        lot[j] = here ? SEEN : 0;
        seen += here;
    }
    const double each = share * (double)seen / s->order;
    for (int f = 0; f < (seen > LARGE ? FEW : CRS_RANK_FOLDS); f++)
        for (int n = 0; n < s->order; n++)
            hold_out(s, n, f, (ptrdiff_t)(each * (n + 1)) - (ptrdiff_t)(each * n), seed, lot);
    return seen;
}

crease_space crs_rank_sample_shape(const crease_space *s, ptrdiff_t most)
{
    crease_space out = *s;
    while (most > 0 && crease_size(&out) > most) {
        int longest = 0;
        for (int n = 1; n < out.order; n++)
            if (out.dim[n] > out.dim[longest]) longest = n;
        if (out.dim[longest] < 2) return out;
        out.dim[longest] -= (out.dim[longest] + 7) / 8;
    }
    return out;
}

bool crs_rank_sample(crs_source *t, const crease_space *part, double *out, crease_error *e)
{
    const crease_space *s = &t->cut.shape;
    const ptrdiff_t size = crease_size(part);
    ptrdiff_t at[CREASE_MAX_ORDER] = { 0 }, *from = crs_alloc((size_t)size, sizeof *from);
    unsigned char *seen = from ? crs_alloc((size_t)size, 1) : NULL;
    for (ptrdiff_t j = 0; seen && j < size; j++) {
        for (int n = 0; n < s->order; n++)
            from[j] = from[j] * s->dim[n] + at[n] * s->dim[n] / part->dim[n];
        for (int n = s->order - 1; n >= 0 && ++at[n] == part->dim[n]; n--) at[n] = 0;
    }
    const bool done = seen ? crs_source_entries(t, size, from, out, seen, e)
                           : crs_fail(e, CREASE_NO_MEMORY, "out of memory: a part of the tensor");
    for (ptrdiff_t j = 0; done && j < size; j++)
        if (!seen[j]) out[j] = NAN;
    crs_free(from);
    crs_free(seen);
    return done;
}
