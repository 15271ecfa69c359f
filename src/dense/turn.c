/* SPDX-License-Identifier: MIT
 * turn: rows into columns where they are, n x p numbers with room for a few more beside them
 *
 * Of s rows at a time the columns, s numbers each, are put one after the other: k pieces of p
 * columns. Piece i of that p k is then moved to (i mod p) k + i/p, along the cycles of this
 * permutation, each piece once, so that the pieces of a column lie together; the rows that are
 * left over, fewer than s, follow them. */
#include "core/carve.h"
#include "dense/dense.h"

enum { MOST_ROWS = 256, SHARE = 32 }; /* of a piece; it has at most about 1/32 of the rows */

typedef struct {
    ptrdiff_t n, p, s, k; /* n >= s k */
    const ptrdiff_t *column;
    const double *rows;
    double *x;
    double *room, *left;  /* s rows; those that are left over */
    unsigned char *moved; /* a bit for every piece */
} turning;

static void carve(void *self, crs_carver *c)
{
    turning *t = self;
    t->room = carve_doubles(c, t->s, t->p);
    t->left = carve_doubles(c, t->n - t->s * t->k, t->p);
    t->moved = carve_bytes(c, t->k * t->p / 8 + 1, 1);
}

/* A few rows at a time, so that neighbours in memory are read and written together. */
void crs_turn(ptrdiff_t n, ptrdiff_t p, const ptrdiff_t *column, const double *rows, double *x)
{
    enum { ROWS = 32 };
    for (ptrdiff_t low = 0; low < n; low += ROWS) {
        const ptrdiff_t high = low + ROWS < n ? low + ROWS : n;
        for (ptrdiff_t j = 0; j < p; j++)
            for (ptrdiff_t i = low; i < high; i++) x[j * n + i] = rows[i * p + column[j]];
    }
}

/* The rows may begin up to a cache line before x: the last ones go first. */
static void turn_pieces(const turning *t)
{
    const ptrdiff_t size = t->s * t->p;
    copy((t->n - t->s * t->k) * t->p, t->rows + t->k * size, t->left);
    for (ptrdiff_t i = t->k - 1; i >= 0; i--) {
        copy(size, t->rows + i * size, t->room);
        crs_turn(t->s, t->p, t->column, t->room, t->x + i * size);
    }
}

static bool has_moved(const turning *t, ptrdiff_t i) { return t->moved[i / 8] >> (i % 8) & 1; }

/* Backwards along the cycle of piece `first`: what belongs in i is at (i mod k) p + i/k. */
static void move_cycle(const turning *t, ptrdiff_t first)
{
    copy(t->s, t->x + first * t->s, t->room);
    for (ptrdiff_t i = first, from;; i = from) {
        from = i % t->k * t->p + i / t->k;
        t->moved[i / 8] |= (unsigned char)(1 << i % 8);
        copy(t->s, from == first ? t->room : t->x + from * t->s, t->x + i * t->s);
        if (from == first) return;
    }
}

/* Behind the pieces of each column the rows that are left over */
static void append(const turning *t)
{
    const ptrdiff_t whole = t->s * t->k;
    for (ptrdiff_t j = t->p - 1; whole < t->n && j >= 0; j--) {
        copy(whole, t->x + j * whole, t->x + j * t->n);
        for (ptrdiff_t i = whole; i < t->n; i++)
            t->x[j * t->n + i] = t->left[(i - whole) * t->p + t->column[j]];
    }
}

double *crs_turn_here(ptrdiff_t n, ptrdiff_t p, ptrdiff_t columns, const ptrdiff_t *column,
                      double **rows, double **x, crease_error *e)
{
    turning t = { .n = n, .p = p, .column = column };
    t.s = n / SHARE < MOST_ROWS ? n / SHARE + 1 : MOST_ROWS;
    t.k = n / t.s;
    void *memory = carve_block(carve, &t);
    const size_t bytes = (size_t)n * (size_t)columns * sizeof(double) + CRS_LINE;
    double *own = memory ? crs_resize(*rows, bytes, 1) : NULL;
    if (!own) {
        crs_free(memory);
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the columns of %td rows", n);
        return NULL;
    }
    *rows = NULL;
    t.rows = own;
    t.x = *x = (double *)carver_of(own).base;
    turn_pieces(&t);
    for (ptrdiff_t i = 0; i < t.k * p; i++)
        if (!has_moved(&t, i)) move_cycle(&t, i);
    append(&t);
    crs_free(memory);
    return own;
}
