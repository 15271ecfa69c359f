/* SPDX-License-Identifier: MIT
 * paper_options: which table, rows, methods and recipe */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "study/table.h"

static const char *const names[][2] = {
#define X(id, name, title) { name, title },
    CRS_PAPER_METHOD_LIST(X)
#undef X
};

const char *crs_paper_name(crs_paper_method m) { return names[m][0]; }
const char *crs_paper_title(crs_paper_method m) { return names[m][1]; }
static const char *name_at(int k) { return names[k][0]; }

static bool read_methods(crs_paper_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_METHODS);
    for (int m = 0; m < CRS_PAPER_METHODS; m++) j->method[m] = !text;
    while (text) {
        char word[32];
        const size_t n = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : (int)sizeof word - 1, text);
        const int m = crs_find("method", word, CRS_PAPER_METHODS, name_at, e);
        if (m < 0) return false;
        j->method[m] = true;
        text = text[n] ? text + n + 1 : NULL;
    }
    return true;
}

bool crs_paper_read_rows(const crs_args *a, bool *chosen, crease_error *e)
{
    const char *text = crs_given(a, CRS_OPT_ROWS);
    crs_array list;
    bool known = true;
    for (int k = 0; k < CRS_PAPER_ROWS; k++) chosen[k] = !text;
    if (!text) return true;
    if (!crs_parse_list("--rows", text, &list, e)) return false;
    for (ptrdiff_t k = 0; known && k < crease_size(&list.shape); k++) {
        const double row = list.data[k];
        known = row >= 1 && row <= CRS_PAPER_ROWS && row == floor(row);
        if (known) chosen[(int)row - 1] = true;
    }
    crs_array_free(&list);
    return known || crs_fail(e, CREASE_BAD_ARGUMENT,
                             "--rows %.64s: a table has the rows 1 to %d; give some of them with "
                             "commas between them, as 1,4",
                             text, CRS_PAPER_ROWS);
}

static bool read_start(crs_paper_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_START);
    j->recipe.generic = text && strcmp(text, "generic") == 0;
    return !text || j->recipe.generic || strcmp(text, "paper") == 0 ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "--start %.64s: write paper or generic", text);
}

bool crs_paper_options(crs_paper_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const double all = processors < 1 ? 1 : clip((double)processors, 1, CRS_CP_MOST_THREADS);
    double table, instances, threads, seed;
    if (!crs_option_integer(a, CRS_OPT_TABLE, 1, CRS_PAPER_TABLES, 1, &table, e) ||
        !crs_option_integer(a, CRS_OPT_INSTANCES, 2, 10000, CRS_PAPER_INSTANCES, &instances, e) ||
        !crs_option_integer(a, CRS_OPT_THREADS, 1, CRS_CP_MOST_THREADS, all, &threads, e) ||
        !crs_option_integer(a, CRS_OPT_seed, 0, 0x1p53, 0, &seed, e) || !read_methods(j, e) ||
        !crs_paper_read_rows(a, j->row, e) || !read_start(j, e))
        return false;
    j->table = (int)table;
    j->instances = (int)instances;
    j->threads = (int)threads;
    j->recipe.seed = (uint64_t)seed;
    j->recipe.calibrated = crs_given(a, CRS_OPT_CALIBRATED);
    j->has_earlier = !j->recipe.generic;
    return true;
}
