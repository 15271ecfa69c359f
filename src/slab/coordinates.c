/* SPDX-License-Identifier: MIT
 * coordinates: the observed entries of a tensor by their indices, sorted by the longest mode, and
 * within one of its indices in the order of the tensor
 *
 * Two walks through the mask: one counts the entries of every index, the other puts each in its
 * place. */
#include "slab/slab.h"

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
