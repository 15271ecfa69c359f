/* SPDX-License-Identifier: MIT
 * list: the catalogue */
#include "cli/list.h"

static bool run(const crs_args *a, crease_error *e)
{
    int first = CRS_REGULARIZERS, last = CRS_SMOOTH;
    if (a->count == 1) {
        first = last = crs_kind_find(a->word[0], e);
        if (first == CRS_KINDS) return false;
    }
    const bool markdown = crs_given(a, CRS_OPT_MARKDOWN);
    if (markdown && crs_given(a, CRS_OPT_JSON))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--json and --markdown exclude each other; give one");
    if (crs_given(a, CRS_OPT_JSON)) return crs_list_json(first, last, e);
    for (int kind = first; kind <= last; kind++) {
        if (kind > first) printf(markdown ? "\n" : "\n\n");
        if (markdown && last > first) printf("### %s\n\n", crs_kind_title(kind));
        (markdown ? crs_list_markdown : crs_list_text)(kind);
    }
    return true;
}

const crs_verb crs_list_verb = {
    .name = "list",
    .words = "[CATALOGUE]",
    .most = 1,
    .text = "Show the catalogue. Its parts are regularizers, sets, maps and smooth. Every "
            "entry has a name, a formula, parameters with their ranges, and traits. An entry is "
            "written as name or name:number,number with its parameters in "
            "the order shown.",
    .example = "crease list sets",
    .takes = CRS_LIST(CRS_TAKES(JSON), CRS_TAKES(MARKDOWN)),
    .run = run,
};
