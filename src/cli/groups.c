/* SPDX-License-Identifier: MIT
 * groups: the groups a user names on the command line */
#include "cli/entry.h"

bool crs_grouping_read(const char *text, ptrdiff_t n, crs_grouping *g, crease_error *e)
{
    crs_array numbers;
    *g = (crs_grouping){ .start = NULL };
    if (!(text[0] == '@' ? crs_parse_list("--groups", text + 1, &numbers, e)
                         : crs_list_or_file("--groups", text, &numbers, e)))
        return false;
    const bool done = crs_is_list(text) ? crs_grouping_sizes("--groups", &numbers, n, g, e)
                                        : crs_grouping_labels("--groups", &numbers, n, g, e);
    crs_array_free(&numbers);
    if (!done) crs_grouping_free(g);
    return done;
}
