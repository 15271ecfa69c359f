/* SPDX-License-Identifier: MIT
 * report: a result folder as one HTML page */
#include "report/report.h"
#include "cli/cli.h"

/* "parts.html" beside the folder parts/ or the file parts.h5; "report.html" in it where the folder
 * has no name. */
static bool page_name(const char *folder, char out[CRS_PATH_ROOM], crease_error *e)
{
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/') n--;
    if (crs_ends_in(folder, ".h5")) n -= 3;
    if (crs_ends_in(folder, ".hdf5")) n -= 5;
    const bool nameless =
        (n <= 2 && strspn(folder, "./") >= n) || (n > 2 && strncmp(folder + n - 3, "/..", 3) == 0);
    const int length = nameless ? snprintf(out, CRS_PATH_ROOM, "report.html")
                                : snprintf(out, CRS_PATH_ROOM, "%.*s.html", (int)n, folder);
    return (length > 0 && length < CRS_PATH_ROOM) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "%.200s: the path is too long; give --out FILE",
                    folder);
}

bool crs_report_write(const crs_args *a, const char *folder, const char *path, crease_error *e)
{
    size_t bytes = 0;
    if (!crs_page_write(folder, path, crs_given(a, CRS_OPT_FORCE), &bytes, e)) {
        if (e->code == CREASE_IO) *a->status = CRS_EXIT_NO_OUTPUT;
        return false;
    }
    const bool alone = a->verb == &crs_report_verb; /* otherwise a summary stands above */
    if (!crs_given(a, CRS_OPT_JSON) && !(alone && crs_given(a, CRS_OPT_QUIET)))
        crs_print(alone ? "%s  %.2f MB; open it in a browser\n"
                        : "  a page to look at: %s (%.2f MB)\n",
                  path, (double)bytes / 1e6);
    return true;
}

bool crs_report_asked(const crs_args *a, crease_error *e)
{
    const char *page = crs_given(a, CRS_OPT_REPORT), *folder = crs_given(a, CRS_OPT_OUT);
    const int was = *a->status;
    if (!page || !folder) return true;
    *a->status = 0;
    if (!crs_report_write(a, folder, page, e)) return false;
    *a->status = was;
    return true;
}

static bool run(const crs_args *a, crease_error *e)
{
    char name[CRS_PATH_ROOM];
    const char *path = crs_given(a, CRS_OPT_OUT);
    if (!path && !page_name(a->word[0], name, e)) return false;
    return crs_report_write(a, a->word[0], path ? path : name, e);
}

const crs_verb crs_report_verb = {
    .name = "report",
    .words = "RESULT_DIR",
    .least = 1,
    .most = 1,
    .text = "Make a page of a result: one HTML file of at most 2 MB that needs no network, for any "
            "browser, light or dark, wide or narrow, and for paper. It begins with what was found "
            "and how far it can be trusted; then pictures, tables and advice computed from the "
            "numbers; last the certificate and how the result was made. Without --out it is called "
            "as the folder, with .html. An earlier page is replaced; any other file in the way "
            "only with --force.",
    .example = "crease report result --out page.html",
    .takes =
        CRS_LIST(CRS_SAYS(OUT, "the file to write (default: the name of the folder and .html)"),
                 CRS_SAYS(FORCE, "replace a file in the way that is no report"), CRS_TAKES(QUIET)),
    .run = run,
};
