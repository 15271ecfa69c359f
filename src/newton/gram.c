/* SPDX-License-Identifier: MIT
 * gram: products of columns of a term, G = K'diag(each)K on the columns that were ever free
 *
 * Every product is made once: a column that is new is multiplied with those that are known, tile
 * by tile, and G grows by rows of its lower triangle. It does not depend on the term's weight and
 * right-hand side, so penalties, multipliers and warm starts find it as it was. */
#include "dense/dense.h"
#include "newton/newton.h"

enum { TILE = 64, MOST = 6000 };

typedef struct {
    ptrdiff_t count, room; /* columns that are known, and for how many there is memory */
    ptrdiff_t index[];     /* where (n numbers, -1: not known), known, asked (n each), G by rows */
} gram;

static ptrdiff_t *known_of(gram *g, ptrdiff_t n) { return g->index + n; }
static ptrdiff_t *asked_of(gram *g, ptrdiff_t n) { return g->index + 2 * n; }
static double *row_of(gram *g, ptrdiff_t n, ptrdiff_t k)
{
    return (double *)(void *)(g->index + 3 * n) + k * (k + 1) / 2;
}

static gram *make_room(gram *g, ptrdiff_t n, ptrdiff_t want)
{
    const ptrdiff_t grown = g ? g->room + g->room / 2 : 0;
    const ptrdiff_t least = want > grown ? want : grown, room = least < n ? least : n;
    const size_t numbers = (size_t)room * (size_t)(room + 1) / 2;
    gram *grown_one =
        crs_resize(g, 1, sizeof *g + 3 * (size_t)n * sizeof(ptrdiff_t) + numbers * sizeof(double));
    if (!grown_one) return NULL;
    if (!g) grown_one->count = 0;
    for (ptrdiff_t j = 0; !g && j < n; j++) grown_one->index[j] = -1;
    grown_one->room = room;
    return grown_one;
}

static bool touches(const crs_composite *c, const crs_term *t, ptrdiff_t j)
{
    for (int k = 0; k < t->parts; k++)
        if (j >= c->at[t->part[k].block] && j < c->at[t->part[k].block + 1]) return true;
    return false;
}

/* out = column j of K, j counted over all blocks. */
static void write_column(const crs_composite *c, const crs_term *t, ptrdiff_t j, double *out)
{
    fill(t->rows, 0, out);
    for (int k = 0; k < t->parts; k++) {
        const crs_term_part *p = &t->part[k];
        if (j >= c->at[p->block] && j < c->at[p->block + 1])
            crs_matrix_column(p->matrix, 1, j - c->at[p->block], out + p->row);
    }
}

/* TILE rows of G, or as many as are left, from row `from` on. */
static bool grow(crs_composite *c, const crs_term *t, gram *g, ptrdiff_t from, double *room)
{
    const ptrdiff_t n = c->n, m = t->rows;
    const ptrdiff_t *known = known_of(g, n);
    const ptrdiff_t count = g->count - from < TILE ? g->count - from : TILE;
    double *mine = room, *others = mine + TILE * m, *product = others + TILE * m;
    for (ptrdiff_t k = 0; k < count; k++) {
        write_column(c, t, known[from + k], mine + k * m);
        for (ptrdiff_t i = 0; t->each && i < m; i++) mine[k * m + i] *= t->each[i];
    }
    for (ptrdiff_t at = 0; at < from + count; at += TILE) {
        const ptrdiff_t left = from + count - at, width = left < TILE ? left : TILE;
        if (crease_watch_over(c->watch)) return false;
        for (ptrdiff_t k = 0; k < width; k++) write_column(c, t, known[at + k], others + k * m);
        crs_gemm(false, true, count, width, m, 1, mine, others, 0, product);
        for (ptrdiff_t k = 0; k < count; k++)
            for (ptrdiff_t l = 0; l < width && at + l <= from + k; l++)
                row_of(g, n, from + k)[at + l] = product[k * width + l];
    }
    c->work->entries += (double)m * (double)count * ((double)from + (double)count / 2);
    return true;
}

static bool is_fresh(const crs_composite *c, const crs_term *t, ptrdiff_t j)
{
    const gram *g = t->gram;
    return (!g || g->index[j] < 0) && touches(c, t, j);
}

/* Memory for `fresh` more columns. Those of long ago go when there are too many. */
static gram *room_for(crs_composite *c, crs_term *t, ptrdiff_t fresh, ptrdiff_t count)
{
    gram *g = t->gram;
    if (g && g->count + fresh > MOST) {
        crs_free(g);
        t->gram = g = NULL;
        fresh = count;
    }
    if (g && g->count + fresh <= g->room) return g;
    gram *grown = make_room(g, c->n, (g ? g->count : 0) + fresh);
    if (grown) t->gram = grown;
    return grown;
}

/* All of `column` becomes known; what a cut leaves out is forgotten again. */
static bool know(crs_composite *c, crs_term *t, ptrdiff_t count, const ptrdiff_t *column)
{
    ptrdiff_t fresh = 0;
    for (ptrdiff_t k = 0; k < count; k++) fresh += is_fresh(c, t, column[k]);
    if (fresh == 0 && t->gram) return true;
    gram *g = room_for(c, t, fresh, count);
    if (!g) return false;
    ptrdiff_t at = g->count;
    for (ptrdiff_t k = 0; k < count; k++) {
        if (!is_fresh(c, t, column[k])) continue;
        g->index[column[k]] = g->count;
        known_of(g, c->n)[g->count++] = column[k];
    }
    double *room = crs_alloc((size_t)TILE * (size_t)(2 * t->rows + TILE), sizeof *room);
    bool done = room != NULL;
    while (done && at < g->count) {
        done = grow(c, t, g, at, room);
        if (done) at += TILE;
    }
    crs_free(room);
    while (!done && g->count > at) g->index[known_of(g, c->n)[--g->count]] = -1;
    return done;
}

bool crs_gram_add(crs_composite *c, crs_term *t, double a, ptrdiff_t count, const ptrdiff_t *column,
                  double *H)
{
    if (count > MOST || !know(c, t, count, column)) return false;
    gram *g = t->gram;
    ptrdiff_t *asked = asked_of(g, c->n);
    for (ptrdiff_t k = 0; k < count; k++) {
        const ptrdiff_t i = asked[k] = g->index[column[k]];
        for (ptrdiff_t l = 0; i >= 0 && l <= k; l++) {
            const ptrdiff_t j = asked[l];
            if (j < 0) continue;
            H[k * count + l] += a * (i >= j ? row_of(g, c->n, i)[j] : row_of(g, c->n, j)[i]);
        }
    }
    return true;
}
