/* SPDX-License-Identifier: MIT
 * grouping: sizes of consecutive groups, or one label per entry; groups come by ascending label */
#include <stdlib.h>

#include "io/formats/io.h"

void crs_grouping_free(crs_grouping *g)
{
    crs_free(g->start);
    crs_free(g->index);
    *g = (crs_grouping){ .start = NULL };
}

static bool no_memory(crease_error *e)
{
    return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the groups; use a smaller problem");
}

bool crs_grouping_sizes(const char *what, const crs_array *sizes, ptrdiff_t n, crs_grouping *g,
                        crease_error *e)
{
    const ptrdiff_t count = crease_size(&sizes->shape);
    double sum = 0;
    for (ptrdiff_t k = 0; k < count; k++) {
        const double size = sizes->data[k];
        if (!(size >= 1 && size < 0x1p53 && size == floor(size)))
            return crs_fail(e, CREASE_BAD_ARGUMENT, "%s: size %td is %g; give whole numbers >= 1",
                            what, k + 1, size);
        sum += size;
    }
    if (sum != (double)n)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%s: the sizes add up to %g but the point has %td entr%s; make them agree",
                        what, sum, n, n == 1 ? "y" : "ies");
    g->start = crs_alloc((size_t)count + 1, sizeof *g->start);
    if (!g->start) return no_memory(e);
    for (ptrdiff_t k = 0; k < count; k++) g->start[k + 1] = g->start[k] + (ptrdiff_t)sizes->data[k];
    g->groups = (crease_groups){ .count = count, .start = g->start };
    return true;
}

typedef struct {
    double label;
    ptrdiff_t entry;
} labelled;

static int by_label(const void *a, const void *b)
{
    const labelled *x = a, *y = b;
    if (x->label != y->label) return x->label < y->label ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static bool labels_are_whole(const char *what, const crs_array *labels, ptrdiff_t n,
                             crease_error *e)
{
    const ptrdiff_t count = crease_size(&labels->shape);
    if (count != n)
        return crs_fail(
            e, CREASE_BAD_SHAPE,
            "%s: there are %td labels but the point has %td entr%s; give every entry one", what,
            count, n, n == 1 ? "y" : "ies");
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(fabs(labels->data[j]) <= 0x1p53 && labels->data[j] == floor(labels->data[j])))
            return crs_fail(e, CREASE_BAD_DATA, "%s: label %td is %g; give whole numbers as labels",
                            what, j + 1, labels->data[j]);
    return true;
}

bool crs_grouping_labels(const char *what, const crs_array *labels, ptrdiff_t n, crs_grouping *g,
                         crease_error *e)
{
    if (!labels_are_whole(what, labels, n, e)) return false;
    labelled *order = crs_alloc((size_t)n, sizeof *order);
    g->start = crs_alloc((size_t)n + 1, sizeof *g->start);
    g->index = crs_alloc((size_t)n, sizeof *g->index);
    const bool room = order && g->start && g->index;
    if (room) {
        ptrdiff_t count = 0;
        for (ptrdiff_t j = 0; j < n; j++) order[j] = (labelled){ labels->data[j], j };
        qsort(order, (size_t)n, sizeof *order, by_label);
        for (ptrdiff_t j = 0; j < n; j++) {
            g->index[j] = order[j].entry;
            if (j == 0 || order[j].label != order[j - 1].label) g->start[count++] = j;
        }
        g->start[count] = n;
        g->groups = (crease_groups){ count, g->start, g->index };
    }
    crs_free(order);
    return room || no_memory(e);
}
