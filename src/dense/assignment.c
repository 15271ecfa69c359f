/* SPDX-License-Identifier: MIT
 * assignment: min over permutations of sum cost[i][perm[i]], with dual potentials
 *
 * One shortest augmenting path a row, by Dijkstra on the reduced costs: O(n^3).
 * Jonker, Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
 * problems, 1987; Crouse, On implementing 2D rectangular assignment algorithms, 2016. */
#include "dense/dense.h"

typedef struct {
    ptrdiff_t n;
    const double *cost;
    double *u, *v, *distance;
    ptrdiff_t *row;      /* assigned to a column, or -1 */
    ptrdiff_t *previous; /* the row from which a column was reached */
    ptrdiff_t *open;     /* columns not yet settled come first, settled ones last */
} search;

ptrdiff_t crs_assignment_scratch(ptrdiff_t n) { return 4 * n; }

/* Distances through row i at distance `base`; returns the place in open[] of the nearest column,
 * an unassigned one when there is a choice; -1 when no distance is a number. */
static ptrdiff_t relax(const search *s, ptrdiff_t i, double base, ptrdiff_t count)
{
    ptrdiff_t best = -1;
    double least = INFINITY;
    for (ptrdiff_t k = 0; k < count; k++) {
        const ptrdiff_t j = s->open[k];
        const double d = base + ((s->cost[i * s->n + j] - s->u[i]) - s->v[j]);
        if (d < s->distance[j]) s->distance[j] = d, s->previous[j] = i;
        if (s->distance[j] < least || (s->distance[j] == least && s->row[j] < 0))
            least = s->distance[j], best = k;
    }
    return best;
}

/* Moves the potentials of settled columns and their rows until the path found is tight. */
static void tighten(const search *s, ptrdiff_t first, ptrdiff_t count, double length)
{
    s->u[first] += length;
    for (ptrdiff_t k = count; k < s->n; k++) {
        const ptrdiff_t j = s->open[k];
        const double slack = length - s->distance[j];
        s->v[j] -= slack;
        if (s->row[j] >= 0) s->u[s->row[j]] += slack;
    }
}

/* Assigns row `first` along a shortest path; perm[] follows. */
static bool augment(const search *s, ptrdiff_t first, ptrdiff_t *perm)
{
    ptrdiff_t count = s->n, i = first, end = -1;
    double length = 0;
    fill(s->n, INFINITY, s->distance);
    for (ptrdiff_t j = 0; j < s->n; j++) s->open[j] = j;
    while (end < 0) {
        const ptrdiff_t place = relax(s, i, length, count);
        if (place < 0) return false;
        const ptrdiff_t j = s->open[place];
        s->open[place] = s->open[--count];
        s->open[count] = j;
        length = s->distance[j];
        i = s->row[j];
        if (i < 0) end = j;
    }
    tighten(s, first, count, length);
    for (ptrdiff_t j = end; i != first;) {
        i = s->previous[j];
        const ptrdiff_t next = perm[i];
        s->row[j] = i;
        perm[i] = j;
        j = next;
    }
    return true;
}

/* Rounding has moved the potentials: u_i = min_j (cost_ij - v_j) makes them feasible again. */
static void settle(const search *s)
{
    for (ptrdiff_t i = 0; i < s->n; i++) {
        double least = INFINITY;
        for (ptrdiff_t j = 0; j < s->n; j++)
            least = smaller(least, s->cost[i * s->n + j] - s->v[j]);
        s->u[i] = least;
    }
}

bool crs_assignment(ptrdiff_t n, const double *cost, ptrdiff_t *perm, double *u, double *v,
                    double *work)
{
    ptrdiff_t *integers = (ptrdiff_t *)(void *)(work + n);
    const search s = { n, cost, u, v, work, integers, integers + n, integers + 2 * n };
    if (!crs_all_finite(n * n, cost)) return false;
    fill(n, 0, u), fill(n, 0, v);
    for (ptrdiff_t j = 0; j < n; j++) s.row[j] = -1, perm[j] = -1;
    for (ptrdiff_t i = 0; i < n; i++)
        if (!augment(&s, i, perm)) return false;
    settle(&s);
    return crs_all_finite(n, u) && crs_all_finite(n, v); /* differences may overflow */
}
