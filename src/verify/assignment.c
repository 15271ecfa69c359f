/* SPDX-License-Identifier: MIT
 * assignment: max sum_i w[i][perm(i)] over permutations
 *
 * Rows are assigned one after the other along shortest augmenting paths, with potentials b of the
 * columns. By duality sum_j b_j + sum_i max_j (w_ij - b_j) is never below the maximum, whatever
 * the roundings before, and equals it at the end.
 * Kuhn, The Hungarian method for the assignment problem, 1955. */
#include "verify/verify.h"

enum { NONE = -1, LARGEST = 2048 };

typedef struct {
    ptrdiff_t n;
    const real *w;
    real *a, *b, *least;     /* potentials of rows and columns, reduced costs */
    ptrdiff_t *owner, *from; /* of a column: its row, the column before it on the path */
    bool *done;
} search;

/* Puts `row` into the assignment: column n is where the path starts. */
static void assign(search *s, ptrdiff_t row)
{
    const ptrdiff_t n = s->n;
    ptrdiff_t at = n;
    s->owner[n] = row;
    for (ptrdiff_t j = 0; j <= n; j++) s->least[j] = INFINITY, s->done[j] = false;
    while (s->owner[at] != NONE) {
        const ptrdiff_t i = s->owner[at];
        ptrdiff_t next = NONE;
        s->done[at] = true;
        for (ptrdiff_t j = 0; j < n; j++) {
            if (s->done[j]) continue;
            const real cost = s->a[i] + s->b[j] - s->w[i * n + j];
            if (cost < s->least[j]) s->least[j] = cost, s->from[j] = at;
            if (next == NONE || s->least[j] < s->least[next]) next = j;
        }
        const real step = s->least[next];
        for (ptrdiff_t j = 0; j <= n; j++)
            if (s->done[j])
                s->a[s->owner[j]] -= step, s->b[j] += step;
            else
                s->least[j] -= step;
        at = next;
    }
    for (ptrdiff_t before; at != n; at = before) {
        before = s->from[at];
        s->owner[at] = s->owner[before];
    }
}

bool crs_best_assignment(crs_verifier *v, ptrdiff_t n, const real *w, real *value)
{
    if (n > LARGEST)
        return crs_refuse(v, "an assignment of %td rows is too large for the checker", n);
    search s = { .n = n, .w = w, .a = crs_reals(v, n), .b = crs_reals(v, n + 1) };
    s.least = crs_reals(v, n + 1);
    s.owner = crs_room(v, n + 1, sizeof *s.owner);
    s.from = crs_room(v, n + 1, sizeof *s.from);
    s.done = crs_room(v, n + 1, sizeof *s.done);
    if (v->no_memory) return false;
    for (ptrdiff_t j = 0; j < n; j++) {
        s.owner[j] = NONE;
        s.a[j] = w[j * n];
        for (ptrdiff_t i = 1; i < n; i++) s.a[j] = bigger(s.a[j], w[j * n + i]);
    }
    for (ptrdiff_t i = 0; i < n; i++) assign(&s, i);
    *value = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        real most = w[i * n] - s.b[0];
        for (ptrdiff_t j = 1; j < n; j++) most = bigger(most, w[i * n + j] - s.b[j]);
        *value += most + s.b[i];
    }
    return true;
}
