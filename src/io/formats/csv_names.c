/* SPDX-License-Identifier: MIT
 * csv_names: the names of columns, from a row of text */
#include "io/formats/csv.h"

void crs_names_free(crs_names *n)
{
    crs_free(n->name);
    crs_free(n->text);
    *n = (crs_names){ .text = NULL };
}

static ptrdiff_t count_cells(crs_cells cells)
{
    ptrdiff_t count = 0;
    for (char cell[2]; cells.more; count++) crs_csv_next(&cells, cell, sizeof cell);
    return count;
}

/* All names with their ends are no longer than the row and its own end. */
bool crs_csv_names(const char *from, const char *to, crs_names *out, crease_error *e)
{
    crs_cells cells = crs_csv_cells(from, to, crs_csv_delimiter(from, to));
    size_t room = (size_t)(to - from) + 1;
    *out = (crs_names){ .count = count_cells(cells), .text = crs_alloc(room, 1) };
    out->name = crs_alloc((size_t)out->count, sizeof *out->name);
    if (!out->text || !out->name)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the names of the columns");
    char *at = out->text;
    for (ptrdiff_t k = 0; k < out->count; k++) {
        out->name[k] = at;
        crs_csv_next(&cells, at, room);
        const size_t used = strlen(at) + 1;
        at += used, room -= used;
    }
    return true;
}
