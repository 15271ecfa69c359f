/* SPDX-License-Identifier: MIT
 * coordinates: the observed entries of a tensor by their indices, sorted by the longest mode, and
 * within one of its indices in the order of the tensor
 *
 * Two walks through the mask, or through pairs in any order: one counts the entries of every index,
 * the other puts each in its place. Pairs of one index are then sorted, which keeps the order of
 * those of one place. */
#include "slab/slab.h"

enum { ALONE = 1 << 22 }; /* entries from which the tensor is not made */

static int longest_mode(const crease_space *shape)
{
    int longest = 0;
    for (int n = 1; n < shape->order; n++)
        if (shape->dim[n] > shape->dim[longest]) longest = n;
    return longest;
}

/* Indices have 32 bits. */
bool crs_coordinates_suit(const crease_space *shape, ptrdiff_t observed)
{
    return shape->order > 1 && 4 * (double)observed < (double)crease_size(shape) &&
           (double)shape->dim[longest_mode(shape)] <= 0x1p32;
}

bool crs_coordinates_alone(const crease_space *shape, ptrdiff_t observed)
{
    return crs_coordinates_suit(shape, observed) && crease_size(shape) > ALONE;
}

double crs_coordinates_bytes(const crease_space *shape, double observed)
{
    const double each = (double)sizeof(double) + (shape->order - 1) * (double)sizeof(uint32_t);
    return each * observed + 16 * (double)shape->dim[longest_mode(shape)];
}

void crs_coordinates_close(crs_coordinates *c)
{
    crs_free(c->start);
    crs_free(c->index);
    crs_free(c->value);
    *c = (crs_coordinates){ .count = 0 };
}

/* Where the next entry of every index of the lead mode goes */
static void place(crs_coordinates *c, const double *t, const unsigned char *w, ptrdiff_t *next)
{
    const crease_space *s = &c->shape;
    const ptrdiff_t size = crease_size(s);
    for (ptrdiff_t j = 0; j < size; j++) {
        ptrdiff_t at[CREASE_MAX_ORDER], rest = j;
        if (!w[j]) continue;
        for (int n = s->order - 1; n >= 0; rest /= s->dim[n--]) at[n] = rest % s->dim[n];
        const ptrdiff_t k = next[at[c->lead]]++;
        uint32_t *index = c->index + k * (s->order - 1);
        for (int n = 0; n < s->order; n++)
            if (n != c->lead) *index++ = (uint32_t)at[n];
        c->value[k] = t[j];
    }
}

bool crs_coordinates_open(crs_coordinates *c, const crease_space *shape, const double *t,
                          const unsigned char *w, ptrdiff_t observed, crease_error *e)
{
    const int lead = longest_mode(shape);
    const ptrdiff_t rows = shape->dim[lead], right = crs_right(shape, lead);
    *c = (crs_coordinates){ .shape = *shape, .lead = lead, .count = observed };
    c->start = crs_alloc((size_t)rows + 1, sizeof *c->start);
    c->index = crs_alloc((size_t)more(1, observed * (shape->order - 1)), sizeof *c->index);
    c->value = crs_alloc((size_t)more(1, observed), sizeof *c->value);
    ptrdiff_t *next = crs_alloc((size_t)rows, sizeof *next);
    const bool done = c->start && c->index && c->value && next;
    for (ptrdiff_t j = 0, size = crease_size(shape); done && j < size; j++)
        if (w[j]) c->start[j / right % rows + 1]++;
    for (ptrdiff_t i = 0; done && i < rows; i++)
        c->start[i + 1] += c->start[i], next[i] = c->start[i];
    if (done) place(c, t, w, next);
    crs_free(next);
    return done || crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td observed entries", observed);
}

ptrdiff_t crs_coordinates_place(const crs_coordinates *c, ptrdiff_t i, ptrdiff_t k, ptrdiff_t *at)
{
    const crease_space *s = &c->shape;
    const uint32_t *index = c->index + k * (s->order - 1);
    ptrdiff_t place = 0;
    for (int n = 0; n < s->order; n++) {
        at[n] = n == c->lead ? i : (ptrdiff_t)*index++;
        place = place * s->dim[n] + at[n];
    }
    return place;
}

typedef struct {
    double place, value;
} pair;

/* By halves that ascend: work has room for half of them. */
static void sort_row(ptrdiff_t n, pair *x, pair *work)
{
    bool sorted = true;
    for (ptrdiff_t k = 1; sorted && k < n; k++) sorted = x[k - 1].place <= x[k].place;
    if (sorted) return;
    const ptrdiff_t half = n / 2;
    sort_row(half, x, work);
    sort_row(n - half, x + half, work);
    memcpy(work, x, (size_t)half * sizeof *x);
    for (ptrdiff_t a = 0, b = half, to = 0; a < half; to++)
        x[to] = b < n && x[b].place < work[a].place ? x[b++] : work[a++];
}

/* The pairs of every row, rows one after the other; c->start is where they begin. */
static void place_pairs(crs_coordinates *c, const double *from, ptrdiff_t *next, pair *to)
{
    const ptrdiff_t rows = c->shape.dim[c->lead], right = crs_right(&c->shape, c->lead);
    for (ptrdiff_t k = 0; k < c->count; k++) c->start[(ptrdiff_t)from[2 * k] / right % rows + 1]++;
    for (ptrdiff_t i = 0; i < rows; i++) c->start[i + 1] += c->start[i], next[i] = c->start[i];
    for (ptrdiff_t k = 0; k < c->count; k++) {
        const ptrdiff_t row = (ptrdiff_t)from[2 * k] / right % rows;
        to[next[row]++] = (pair){ from[2 * k], from[2 * k + 1] };
    }
}

static ptrdiff_t longest_row(const crs_coordinates *c)
{
    ptrdiff_t most = 0;
    for (ptrdiff_t i = 0; i < c->shape.dim[c->lead]; i++)
        most = more(most, c->start[i + 1] - c->start[i]);
    return most;
}

/* Sorted rows become the list; returns a place that comes again, where none may, or -1. */
static ptrdiff_t take_pairs(crs_coordinates *c, pair *x, pair *work, bool once)
{
    const crease_space *s = &c->shape;
    ptrdiff_t to = 0;
    for (ptrdiff_t i = 0, k = 0; i < s->dim[c->lead]; i++) {
        const ptrdiff_t end = c->start[i + 1];
        sort_row(end - k, x + k, work);
        for (c->start[i] = to; k < end; k++) {
            ptrdiff_t rest = (ptrdiff_t)x[k].place;
            if (to > c->start[i] && x[k].place == x[k - 1].place) {
                if (once) return rest;
                c->value[to - 1] += x[k].value;
                continue;
            }
            uint32_t *index = c->index + (to + 1) * (s->order - 1);
            for (int n = s->order - 1; n >= 0; rest /= s->dim[n--])
                if (n != c->lead) *--index = (uint32_t)(rest % s->dim[n]);
            c->value[to++] = x[k].value;
        }
    }
    c->start[s->dim[c->lead]] = c->count = to;
    return -1;
}

bool crs_coordinates_sort(crs_coordinates *c, const crease_space *shape, ptrdiff_t count,
                          const double *from, ptrdiff_t *twice, crease_error *e)
{
    const int lead = longest_mode(shape);
    const size_t rows = (size_t)shape->dim[lead], n = (size_t)more(1, count);
    *c = (crs_coordinates){ .shape = *shape, .lead = lead, .count = count };
    c->start = crs_alloc(rows + 1, sizeof *c->start);
    c->value = crs_alloc(n, sizeof *c->value);
    ptrdiff_t *next = crs_alloc(rows, sizeof *next);
    pair *x = crs_alloc(n, sizeof *x), *work = NULL;
    bool done = c->start && c->value && next && x;
    if (done) place_pairs(c, from, next, x);
    crs_free(next);
    if (done) work = crs_alloc((size_t)longest_row(c) / 2 + 1, sizeof *work);
    if (work) c->index = crs_alloc(n * (size_t)(shape->order - 1), sizeof *c->index);
    done = work && c->index;
    const ptrdiff_t again = done ? take_pairs(c, x, work, twice != NULL) : -1;
    crs_free(x);
    crs_free(work);
    if (twice) *twice = again;
    return done || crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td observed entries", count);
}
