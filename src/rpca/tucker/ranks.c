/* SPDX-License-Identifier: MIT
 * ranks: one rank per mode: a guess from the spectra of the unfoldings, outliers clipped, and a
 * search by fits whose directions are judged against the noise */
#include <stdio.h>

#include "rpca/tucker/tucker.h"

#include "rpca/rpca.h"
#include "tensor/tensor.h"

/* The k-th smallest of n numbers, which change their places; Hoare's selection. */
static double smallest(ptrdiff_t n, ptrdiff_t k, double *x)
{
    for (ptrdiff_t low = 0, high = n - 1; low < high;) {
        const double pivot = x[low + (high - low) / 2];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (x[j] > pivot) j--;
            if (i > j) break;
            const double swap = x[i];
            x[i++] = x[j], x[j--] = swap;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return x[k];
}

static bool by_spectrum(const crease_space *shape, int n, const double *known, ptrdiff_t *rank,
                        crease_error *e)
{
    const ptrdiff_t length = shape->dim[n];
    double *squares = crs_doubles(length + crs_unfolding_scratch(shape, n), "a spectrum", e);
    if (!squares) return false;
    *rank = crs_unfolding(shape, n, known, squares, NULL, squares + length, NULL)
                ? crs_spectral_gap(length, squares)
                : 1;
    crs_free(squares);
    return true;
}

/* R_n <= the product of the others, and for matrices R_1 = R_2. */
static void agree(crease_space *ranks)
{
    for (int round = 0; round < ranks->order; round++)
        for (int n = 0; n < ranks->order; n++)
            ranks->dim[n] = fewer(ranks->dim[n], crease_size(ranks) / ranks->dim[n]);
}

bool crease_tucker_ranks(const crease_space *shape, const double *tensor, crease_space *ranks,
                         crease_error *e)
{
    const ptrdiff_t size = crease_size(shape);
    double *known = crs_doubles(2 * size, "the observed entries", e), *order = known + size;
    if (!known) return false;
    ptrdiff_t seen = 0, most = 1;
    for (ptrdiff_t j = 0; j < size; j++)
        if (isfinite(tensor[j])) order[seen++] = fabs(tensor[j]);
    const double middle = seen ? smallest(seen, seen / 2, order) : 0;
    const double bound = middle > 0 ? 5 * middle : INFINITY;
    for (ptrdiff_t j = 0; j < size; j++)
        known[j] = isfinite(tensor[j]) ? clip(tensor[j], -bound, bound) : 0;
    bool done = true;
    *ranks = *shape;
    for (int n = 0; done && n < shape->order; n++) {
        ranks->dim[n] = 0;
        if (!crs_unfolding_fits(shape, n)) continue;
        done = by_spectrum(shape, n, known, &ranks->dim[n], e);
        most = more(most, ranks->dim[n]);
    }
    for (int n = 0; n < shape->order; n++)
        if (ranks->dim[n] == 0) ranks->dim[n] = fewer(most, shape->dim[n]);
    agree(ranks);
    crs_free(known);
    return done;
}

/* The search: more ranks than the guess are fitted, with a price on the core, until all of their
 * directions are judged (spare.c). Where a mode keeps all it was given, it is given more. */

enum { MORE = 2, FIRST = 6, ROUNDS = 12, PASSES = 600 };
static const double most_work = 5e7; /* entries times the largest rank of a fit */

/* At most half of a long mode: beyond that the noise's edge means nothing. */
static ptrdiff_t most_of(const crs_tucker_settings *c, int n)
{
    const crease_space *shape = &c->shape;
    const ptrdiff_t size = shape->dim[n], others = crease_size(shape) / size;
    const ptrdiff_t all =
        fewer(fewer(size, others), size <= 8 ? size : more(8, fewer(size / 2, 60)));
    return c->most > 0 ? fewer(all, c->most) : all;
}

typedef struct {
    crs_tucker_choice *out;
    bool whole;
} found;

static void visit(crs_visitor *v, void *self)
{
    found *f = self;
    crs_visit(v, f->whole);
    crs_visit(v, f->out->ranks);
    crs_visit(v, f->out->passes);
    crs_visit(v, f->out->fits);
}

static void list_ranks(const crease_space *ranks, char *text, size_t room)
{
    for (int n = 0, used = 0; n < ranks->order && used >= 0 && (size_t)used < room; n++)
        used += snprintf(text + used, room - (size_t)used, "%s%td", n ? "," : "", ranks->dim[n]);
}

/* The directions that the data support among those of c->ranks; false in *whole: the watch ended
 * it, or the passes. */
static bool supported(const crs_tucker_settings *c, const double *T, crs_tucker_choice *out,
                      bool *whole, crease_error *e)
{
    char text[25 * CREASE_MAX_ORDER];
    list_ranks(&c->ranks, text, sizeof text);
    crs_watch_say(c->watch, "at most %s", text);
    found f = { .out = out };
    if (crs_unit_begin(c->watch, "ranks", CRS_UNIT_WHOLE, visit, &f) != CRS_UNIT_DONE) {
        crs_tucker_fit *fit = crs_tucker_fit_new(c, T, e);
        if (!fit) return crs_unit_drop(c->watch), false;
        crs_tucker_fit_lead(fit, PASSES, true);
        f.whole = !fit->priced;
        out->ranks = fit->c.ranks;
        out->passes += fit->statistics.passes;
        out->fits++;
        const bool well = crs_tucker_fit_well(fit, e);
        crs_tucker_fit_free(fit);
        if (!well) return crs_unit_drop(c->watch), false;
        crs_unit_end(c->watch);
    }
    *whole = f.whole;
    return true;
}

/* What to try after `kept` of `tried`: more where all was kept; false: that is nowhere. */
static bool widen(const crs_tucker_settings *c, const crease_space *tried, const crease_space *kept,
                  crease_space *next)
{
    bool full = false, wider = false;
    *next = *kept;
    for (int n = 0; n < c->shape.order; n++) {
        const ptrdiff_t k = kept->dim[n], most = most_of(c, n);
        const bool all = k == tried->dim[n] && k < most;
        next->dim[n] = fewer(most, k + (all ? more(MORE, k / 2) : 1));
        full = full || all;
    }
    agree(next);
    for (int n = 0; n < c->shape.order; n++) wider = wider || next->dim[n] > tried->dim[n];
    return full && wider;
}

static void explain(crs_tucker_choice *out, const crease_space *tried, bool whole)
{
    char text[25 * CREASE_MAX_ORDER];
    list_ranks(tried, text, sizeof text);
    snprintf(out->reason, sizeof out->reason,
             whole ? "of the directions of a core of %s these are larger than noise; %d fit%s"
                   : "the search ended before the directions of a core of %s were judged, in fit "
                     "%d%s; give more time, or the ranks",
             text, out->fits, whole && out->fits > 1 ? "s" : "");
}

static bool search(crs_tucker_settings *c, const double *T, crs_tucker_choice *out, crease_error *e)
{
    crease_space tried = c->ranks;
    bool whole = true, wider = true;
    for (int round = 0; wider && round < ROUNDS; round++) {
        const crease_space before = out->ranks;
        tried = c->ranks;
        if (!supported(c, T, out, &whole, e)) return false;
        if (!whole && out->fits > 1) out->ranks = before;
        wider = whole && widen(c, &tried, &out->ranks, &c->ranks);
    }
    explain(out, &tried, whole);
    return true;
}

/* T with 0 where it is not a number, and the mask that says so; *known NULL: it is everywhere. */
static bool observed(const crease_space *shape, const double *T, double **known,
                     unsigned char **mask, crease_error *e)
{
    const ptrdiff_t size = crease_size(shape);
    *known = NULL;
    *mask = NULL;
    if (crs_all_finite(size, T)) return true;
    *known = crs_doubles(size, "the observed entries", e);
    *mask = crs_alloc((size_t)size, 1);
    if (!*known || !*mask) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the mask");
    for (ptrdiff_t j = 0; j < size; j++) {
        (*mask)[j] = isfinite(T[j]) ? 1 : 0;
        (*known)[j] = (*mask)[j] ? T[j] : 0;
    }
    return true;
}

bool crs_tucker_choose(const crs_tucker_settings *settings, const double *T, crs_tucker_choice *out,
                       crease_error *e)
{
    crs_tucker_settings c = *settings;
    ptrdiff_t largest = 0;
    double *known;
    unsigned char *mask;
    *out = (crs_tucker_choice){ .passes = 0 };
    if (!crease_tucker_ranks(&c.shape, T, &c.ranks, e)) return false;
    for (int n = 0; n < c.shape.order; n++) {
        c.ranks.dim[n] = fewer(most_of(&c, n), fewer(c.ranks.dim[n], FIRST) + MORE);
        largest = more(largest, c.ranks.dim[n]);
    }
    agree(&c.ranks);
    out->ranks = c.ranks;
    snprintf(out->reason, sizeof out->reason,
             "what is larger than noise of two more than where the singular values of the "
             "unfoldings fall; the tensor is too large to try others, give ranks for more");
    if (!((double)crease_size(&c.shape) * (double)largest <= most_work)) return true;
    bool done = observed(&c.shape, T, &known, &mask, e);
    c.spare = true;
    c.mask = mask;
    done = done && search(&c, known ? known : T, out, e);
    crs_free(known);
    crs_free(mask);
    return done;
}
