/* SPDX-License-Identifier: MIT
 * name: looking a name up, and the nearest one when it is unknown */
#include <stdio.h>

#include "core/core.h"

enum { LONGEST = 64 };

/* Edit distance (insert, delete, replace, swap neighbours) of two names under LONGEST letters. */
static int edit_distance(const char *a, const char *b)
{
    const size_t m = strlen(a), n = strlen(b);
    int row[3][LONGEST + 1];
    if (m > LONGEST || n > LONGEST) return 2 * LONGEST;
    for (size_t j = 0; j <= n; j++) row[0][j] = (int)j;
    for (size_t i = 1; i <= m; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= n; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[m % 3][n];
}

/* The index of the nearest name by at(list, k), or -1. */
static int nearest(const char *wanted, int count, const char *(*at)(const void *list, int k),
                   const void *list)
{
    int best = -1, least = 2 + (int)strlen(wanted) / 3;
    for (int k = 0; k < count; k++) /* a piece of a name is the best hint */
        if (strlen(wanted) >= 3 && strstr(at(list, k), wanted)) return k;
    for (int k = 0; k < count; k++) {
        const int d = edit_distance(wanted, at(list, k));
        if (d < least) best = k, least = d;
    }
    return best;
}

typedef struct {
    const char *(*name_at)(int k);
} by_function;

static const char *from_function(const void *list, int k)
{
    return ((const by_function *)list)->name_at(k);
}

static const char *from_array(const void *list, int k) { return ((const char *const *)list)[k]; }

int crs_nearest(const char *wanted, int count, const char *(*name_at)(int k))
{
    const by_function list = { name_at };
    return nearest(wanted, count, from_function, &list);
}

int crs_nearest_in(const char *wanted, int count, const char *const *name)
{
    return nearest(wanted, count, from_array, name);
}

/* A few names are all said; the catalogue has more. */
static void fail_unknown(const char *kind, const char *wanted, int count,
                         const char *(*name_at)(int k), crease_error *e)
{
    enum { FEW = 8 };
    char names[200] = "";
    size_t used = 0;
    for (int k = 0; k < count && count <= FEW && used < sizeof names; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 k == 0           ? "write "
                                 : k + 1 == count ? " or "
                                                  : ", ",
                                 name_at(k));
    crs_fail(e, CREASE_BAD_ARGUMENT, "unknown %s '%.64s'; %s", kind, wanted,
             count <= FEW ? names : "'crease list' shows them all");
}

int crs_find(const char *kind, const char *wanted, int count, const char *(*name_at)(int k),
             crease_error *e)
{
    for (int k = 0; k < count; k++)
        if (strcmp(wanted, name_at(k)) == 0) return k;
    const int near = crs_nearest(wanted, count, name_at);
    if (near >= 0)
        crs_fail(e, CREASE_BAD_ARGUMENT, "unknown %s '%.64s'; did you mean '%s'?", kind, wanted,
                 name_at(near));
    else
        fail_unknown(kind, wanted, count, name_at, e);
    return -1;
}
