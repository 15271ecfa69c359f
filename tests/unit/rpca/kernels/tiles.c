/* SPDX-License-Identifier: MIT
 * tiles: every kernel that this processor runs does in a tile what kernels.h defines, for every
 * width from 1 to 70 and every rank from 1 to 41, with and without a mask, and nothing beyond it
 *
 * It stands on the kernels alone, without cmocka or BLAS, so that it can be compiled for another
 * processor and run in an emulator. Argument: of the ranks, which others at each width, one in so
 * many (5). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpca/kernels/kernels.h"

enum { WIDEST = 70, RANKS = 41, GAP = 3, STRIDE = WIDEST + GAP, ROOM = WIDEST + 64, TALL = 37 };

static char doing[160];

static void wrong(const char *what, ptrdiff_t at, double got, double want)
{
    printf("FAILED %s: %s, place %td: %.17g, not %.17g\n", doing, what, at, got, want);
    exit(EXIT_FAILURE);
}

static double uniform(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(state >> 11) * 0x1p-52 - 1;
}

/* Numbers that float has as well. */
static void draw(ptrdiff_t n, double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) x[j] = (float)uniform();
}

static void same(const char *what, ptrdiff_t n, const double *got, const double *want, double eps)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(fabs(got[j] - want[j]) <= eps * (1 + fabs(want[j])))) wrong(what, j, got[j], want[j]);
}

/* A tile of a fused iteration: what is known before it, and what comes out by definition. */
typedef struct {
    const crs_cp_kernel *kernel;
    ptrdiff_t rows, columns, rank;
    bool masked;
    crs_cp_rule rule;
    unsigned char mask[4 * STRIDE];
    double T[4 * STRIDE], Z[4 * STRIDE], B[4 * STRIDE], older[4 * STRIDE], E[4 * STRIDE];
    double V[TALL * RANKS], K[WIDEST * RANKS], y[4 * RANKS], sums[CRS_SUMS];
} example;

/* The same in the kernel's type. */
static struct {
    double T[4 * STRIDE], Z[TALL * STRIDE], B[4 * STRIDE], older[4 * STRIDE], E[4 * STRIDE];
    double v[4 * RANKS], columns[ROOM * RANKS], rest[4 * ROOM], partial[ROOM * RANKS];
    double y[4 * RANKS], sums[CRS_SUMS], out[TALL * STRIDE], rows[TALL * RANKS];
    double k[WIDEST * 64], block[4 * 64];
    uint64_t marks[4 * 3];
} room;

static crs_cp_entry entry(const crs_cp_rule *r, double weight)
{
    crs_cp_entry a = { .weight = weight, .u_older = 0.4, .u_b = -0.7, .pull = 2.1 };
    if (r->descent) a.pull = weight;
    const double lambda = r->penalty.weight * r->penalty.par[0];
    a.e_scale = 1 / (a.pull + r->h_e);
    a.edge = lambda;
    a.t = a.e_scale;
    a.dead = lambda * a.e_scale;
    a.z_scale = 1 / (2 + a.pull + r->h_z);
    a.b_older = r->own ? 0 : 0.3;
    if (r->own) a.u_older = 0;
    a.b_b = 0.5;
    a.b_s = 0.6;
    a.kappa = 1.1;
    return a;
}

static crs_cp_entry eliminated(double weight, double lambda)
{
    crs_cp_entry a = { .weight = weight, .z_scale = weight / (2 + weight) };
    a.dead = a.edge = weight > 0 ? lambda * (2 + weight) / (2 * weight) : INFINITY;
    return a;
}

/* kind: of ADMM with an older B, ADMM without, descent */
static void set_rule(example *a, int kind, bool eliminates)
{
    crs_cp_rule *r = &a->rule;
    *r = (crs_cp_rule){ .descent = kind == 2, .own = kind == 1, .soft = true, .full = true };
    r->h_e = 0.8;
    r->h_z = 0.7;
    r->penalty.weight = 0.6;
    r->penalty.par[0] = 1.2;
    r->at[0] = eliminates ? eliminated(0, 0.72) : entry(r, 0);
    r->at[1] = eliminates ? eliminated(1.3, 0.72) : entry(r, 1.3);
    r->fold = eliminates || (a->masked && r->descent) ? 1 : r->at[1].z_scale;
}

static void build(example *a, const crs_cp_kernel *kernel, ptrdiff_t columns, ptrdiff_t rank)
{
    const int turn = (int)(columns + 3 * rank);
    *a = (example){ .kernel = kernel, .columns = columns, .rank = rank };
    a->rows = turn % 7 == 0 ? 1 + turn % 3 : 4;
    a->masked = turn % 2 != 0;
    draw(4 * STRIDE, a->T);
    draw(4 * STRIDE, a->Z);
    draw(4 * STRIDE, a->B);
    draw(4 * STRIDE, a->older);
    draw(4 * STRIDE, a->E);
    draw(TALL * RANKS, a->V);
    draw(WIDEST * RANKS, a->K);
    draw(4 * RANKS, a->y);
    for (int j = 0; j < 4 * STRIDE; j++) {
        a->mask[j] = uniform() > -0.5;
        if (uniform() < 0.7 || turn % 5 == 0) a->E[j] = 0;
        if (turn % 5 == 0) a->T[j] /= 8, a->Z[j] /= 8, a->B[j] /= 8, a->older[j] /= 8;
    }
}

static double low_rank(const example *a, ptrdiff_t i, ptrdiff_t j)
{
    double sum = 0;
    for (ptrdiff_t r = 0; r < a->rank; r++) sum += a->V[i * a->rank + r] * a->K[j * a->rank + r];
    return sum;
}

static double soft(double v, double bound)
{
    return v > bound ? v - bound : v < -bound ? v + bound : 0;
}

/* The new entry in place, and its terms of the sums. */
static void iterate(example *a, ptrdiff_t i, ptrdiff_t j)
{
    const ptrdiff_t at = i * STRIDE + j;
    const crs_cp_rule *r = &a->rule;
    const bool seen = !a->masked || a->mask[at];
    const crs_cp_entry *c = &r->at[seen];
    const double t = seen ? a->T[at] : 0, z = a->Z[at], e = a->E[at];
    const double b = r->descent ? 0 : a->B[at], older = r->descent || r->own ? 0 : a->older[at];
    const double u = r->descent ? c->pull * t : c->u_older * older + c->u_b * b + c->pull * t;
    const double to_e = soft(u - c->pull * z + r->h_e * e, c->edge) * c->e_scale;
    const double to_z = (2 * low_rank(a, i, j) + u - c->pull * to_e + r->h_z * z) * c->z_scale;
    const double rest = to_z + to_e - t, dz = to_z - z;
    const double to_b = r->descent ? 0 : c->b_older * older + c->b_b * b - c->b_s * rest;
    const double db = to_b - b, noise = r->descent ? rest : to_b;
    const double twice =
        r->descent ? c->weight * rest + r->h_z * dz : c->kappa * db + c->weight * b - r->h_z * dz;
    a->E[at] = to_e;
    a->Z[at] = to_z;
    if (!r->descent) *(r->own ? &a->B[at] : &a->older[at]) = to_b;
    a->sums[CRS_SUM_DE] += square(to_e - e);
    a->sums[CRS_SUM_DZ] += square(dz);
    a->sums[CRS_SUM_FIT] += square(twice) / 4;
    a->sums[CRS_SUM_NOISE] += seen ? square(noise) : 0;
    a->sums[CRS_SUM_PENALTY] += r->penalty.weight * r->penalty.par[0] * fabs(to_e);
    if (r->descent) return;
    a->sums[CRS_SUM_DB] += square(db);
    a->sums[CRS_SUM_DZ_DB] += dz * db;
    a->sums[CRS_SUM_FEASIBLE] += square(rest + to_b);
    a->sums[CRS_SUM_DB_UNSEEN] += seen ? 0 : square(db);
}

static void eliminate(example *a, ptrdiff_t i, ptrdiff_t j)
{
    const ptrdiff_t at = i * STRIDE + j;
    const bool seen = !a->masked || a->mask[at];
    const crs_cp_entry *c = &a->rule.at[seen];
    const double x = low_rank(a, i, j), s = (seen ? a->T[at] : 0) - x, e = soft(s, c->dead);
    a->E[at] = e;
    a->Z[at] = x + c->z_scale * (s - e);
    if (!a->rule.descent) a->B[at] = (1 - c->z_scale) * (s - e);
    a->sums[CRS_SUM_NOISE] += seen ? square((1 - c->z_scale) * (s - e)) : 0;
    a->sums[CRS_SUM_PENALTY] += a->rule.penalty.weight * a->rule.penalty.par[0] * fabs(e);
}

static void add_y(example *a)
{
    for (ptrdiff_t i = 0; i < a->rows; i++)
        for (ptrdiff_t j = 0; j < a->columns; j++)
            for (ptrdiff_t r = 0; r < a->rank; r++)
                a->y[i * a->rank + r] += a->Z[i * STRIDE + j] * a->K[j * a->rank + r];
}

/* K in blocks, in the kernel's type */
static void lay_columns(const example *a)
{
    const ptrdiff_t block = a->kernel->block, rank = a->rank;
    const ptrdiff_t width = (a->columns + block - 1) / block * block;
    static double x[ROOM * RANKS];
    for (ptrdiff_t j = 0; j < width; j++)
        for (ptrdiff_t r = 0; r < rank; r++)
            x[(j / block * rank + r) * block + j % block] = j < a->columns ? a->K[j * rank + r] : 0;
    a->kernel->narrow(width * rank, x, room.columns);
}

/* K row by row */
static void lay_rows(const example *a, crs_cp_tile *t)
{
    const ptrdiff_t lanes = a->kernel->lanes, padded = (a->rank + lanes - 1) / lanes * lanes;
    static double x[WIDEST * 64];
    for (ptrdiff_t j = 0; j < a->columns; j++)
        for (ptrdiff_t r = 0; r < padded; r++)
            x[j * padded + r] = r < a->rank ? a->K[j * a->rank + r] : 0;
    a->kernel->narrow(a->columns * padded, x, room.k);
    t->k = room.k;
    t->padded = padded;
    t->block = room.block;
}

static crs_cp_tile tile_of(const example *a)
{
    const crs_cp_kernel *k = a->kernel;
    crs_cp_tile t = { .rows = a->rows, .columns = a->columns, .stride = STRIDE };
    t.e_stride = STRIDE;
    t.words = 3;
    k->narrow(4 * STRIDE, a->T, room.T);
    k->narrow(4 * STRIDE, a->Z, room.Z);
    k->narrow(4 * STRIDE, a->B, room.B);
    k->narrow(4 * STRIDE, a->older, room.older);
    k->narrow(4 * STRIDE, a->E, room.E);
    memcpy(room.y, a->y, sizeof room.y);
    memset(room.sums, 0, sizeof room.sums);
    memset(room.marks, 0, sizeof room.marks);
    t.t = room.T;
    t.z = room.Z;
    if (!a->rule.descent) t.b = room.B, t.older = a->rule.own ? room.B : room.older;
    t.e = room.E;
    if (a->masked) t.mask = a->mask;
    t.marks = room.marks;
    t.rest = room.rest;
    t.partial = room.partial;
    t.y = room.y;
    t.sums = room.sums;
    lay_columns(a);
    if ((a->columns / 2 + a->rank) % 2) lay_rows(a, &t);
    return t;
}

static void same_stored(const example *a, const char *what, const void *got, const double *want)
{
    a->kernel->widen(4 * STRIDE, got, room.out);
    same(what, 4 * STRIDE, room.out, want, a->kernel->single ? 3e-5 : 1e-13);
}

static void same_marks(const example *a)
{
    a->kernel->widen(4 * STRIDE, room.E, room.out);
    for (ptrdiff_t i = 0; i < a->rows; i++)
        for (ptrdiff_t j = 0; j < a->columns; j++) {
            const bool mark = room.marks[i * 3 + j / 64] >> j % 64 & 1;
            if (mark != (room.out[i * STRIDE + j] != 0)) wrong("mark", i * STRIDE + j, mark, !mark);
        }
}

static void entries_are_as_defined(example *a, int kind, bool eliminates)
{
    const crs_cp_kernel *k = a->kernel;
    const double eps = k->single ? 2e-4 : 1e-12;
    snprintf(doing, sizeof doing, "%s, %s %d, %td x %td, rank %td%s", k->name,
             eliminates ? "elimination" : "iteration", kind, a->rows, a->columns, a->rank,
             a->masked ? ", masked" : "");
    set_rule(a, kind, eliminates);
    const crs_cp_tile t = tile_of(a);
    k->spread(a->rows, a->rank, 2 * a->rule.fold, a->V, room.v);
    (eliminates ? k->eliminate : k->update)(&a->rule, a->rank, room.v, room.columns, &t);
    for (ptrdiff_t i = 0; i < a->rows; i++)
        for (ptrdiff_t j = 0; j < a->columns; j++)
            eliminates ? eliminate(a, i, j) : iterate(a, i, j);
    add_y(a);
    same_stored(a, "Z", room.Z, a->Z);
    same_stored(a, "E", room.E, a->E);
    same_stored(a, "B", room.B, a->B);
    same_stored(a, "the older B", room.older, a->older);
    same_marks(a);
    same("y", a->rows * a->rank, room.y, a->y, eps);
    same("sum", CRS_SUMS, room.sums, a->sums, eps);
}

static void projection_is_as_defined(example *a)
{
    snprintf(doing, sizeof doing, "%s, projection, %td x %td, rank %td", a->kernel->name, a->rows,
             a->columns, a->rank);
    set_rule(a, 2, false);
    const crs_cp_tile t = tile_of(a);
    a->kernel->project(a->rank, room.columns, &t);
    add_y(a);
    same("y", a->rows * a->rank, room.y, a->y, a->kernel->single ? 2e-4 : 1e-12);
}

static void collection_is_as_defined(example *a)
{
    const crs_cp_kernel *k = a->kernel;
    const ptrdiff_t rank = a->rank, block = k->block, rows = 1 + (a->columns * 5 + rank) % TALL;
    static double Z[TALL * STRIDE], w[ROOM * RANKS], want[ROOM * RANKS];
    snprintf(doing, sizeof doing, "%s, collection, %td x %td, rank %td", k->name, rows, a->columns,
             rank);
    draw(TALL * STRIDE, Z);
    draw(ROOM * RANKS, w);
    memcpy(want, w, sizeof w);
    k->narrow(TALL * STRIDE, Z, room.Z);
    k->narrow(TALL * RANKS, a->V, room.rows);
    crs_cp_tile t = { .rows = rows, .columns = a->columns, .stride = STRIDE };
    t.z = room.Z;
    t.partial = room.partial;
    k->collect(rank, room.rows, &t, w);
    for (ptrdiff_t j = 0; j < a->columns; j++)
        for (ptrdiff_t r = 0; r < rank; r++)
            for (ptrdiff_t i = 0; i < rows; i++)
                want[(j / block * rank + r) * block + j % block] +=
                    a->V[i * rank + r] * Z[i * STRIDE + j];
    same("w", ROOM * RANKS, w, want, k->single ? 2e-4 : 1e-12);
}

/* A tile of the envelope. */
typedef struct {
    const crs_envelope_kernel *kernel;
    ptrdiff_t rows, columns, rank, width, padded;
    bool masked;
    crs_envelope_rule judge, next;
    unsigned char mask[4 * STRIDE];
    double T[4 * STRIDE], V[TALL * RANKS], c[ROOM * RANKS], k[WIDEST * 48];
    double r[4 * ROOM], row[4], column[ROOM], sums[CRS_ENV_SUMS], y[4 * 48];
    ptrdiff_t histogram[CRS_BIN_LAST + 1], loud;
} surface;

static crs_envelope_rule rule_of(double dead)
{
    crs_envelope_rule a = { .c = 0.4, .t = 1.25, .dead = dead, .piecewise = true, .soft = true };
    a.shoulder = a.end = 0x1p1022;
    return a;
}

static void build_surface(surface *a, const crs_envelope_kernel *k, ptrdiff_t columns,
                          ptrdiff_t rank)
{
    const int turn = (int)(columns + 3 * rank);
    *a = (surface){ .kernel = k, .columns = columns, .rank = rank };
    a->width = (columns + k->block - 1) / k->block * k->block;
    a->padded = (rank + k->lanes - 1) / k->lanes * k->lanes;
    a->rows = turn % 7 == 0 ? 1 + turn % 3 : 4;
    a->masked = turn % 2 != 0;
    a->loud = turn % 3 == 0 ? columns : 0;
    a->next = rule_of(turn % 5 == 0 ? 40 : 0.7);
    a->judge = rule_of(turn % 5 == 0 ? 50 : 0.9);
    draw(4 * STRIDE, a->T);
    draw(TALL * RANKS, a->V);
    draw(4, a->row);
    draw(columns, a->column);
    draw(4 * 48, a->y);
    for (int j = 0; j < 4 * STRIDE; j++) a->mask[j] = uniform() > -0.5;
    for (ptrdiff_t r = 0; r < rank; r++)
        for (ptrdiff_t j = 0; j < columns; j++)
            a->k[j * a->padded + r] = a->c[r * a->width + j] = uniform();
}

/* r of an entry by definition; then s, and its terms of the sums */
static double surface_entry(const surface *a, surface *want, ptrdiff_t i, ptrdiff_t j, bool judged)
{
    double r = a->T[i * STRIDE + j];
    for (ptrdiff_t q = 0; q < a->rank; q++) r -= a->V[i * a->rank + q] * a->c[q * a->width + j];
    if (a->masked && !a->mask[i * STRIDE + j]) return 0;
    const double s = r - soft(r, a->next.dead), w = s == r ? 1 : s / r;
    const double judge = r - soft(r, a->judge.dead), c = a->next.c;
    want->row[i] += w;
    want->column[j] += w;
    want->sums[CRS_ENV_VALUE_NEXT] += c * s * (2 * r - s);
    want->sums[CRS_ENV_VALUE] += judged ? c * judge * (2 * r - judge) : c * s * (2 * r - s);
    want->sums[CRS_ENV_SQUARES] += s * s;
    want->sums[CRS_ENV_NONZERO] += s != r;
    return s;
}

static crs_envelope_tile surface_tile(surface *a, bool judged)
{
    crs_envelope_tile t = { .rows = a->rows, .columns = a->columns, .stride = STRIDE };
    t.width = a->width;
    t.next = &a->next;
    t.judge = judged ? &a->judge : NULL;
    t.t = a->T;
    t.mask = a->masked ? a->mask : NULL;
    t.r = a->r;
    t.row = a->row;
    t.column = a->column;
    t.histogram = a->histogram;
    t.unit = 1;
    t.loud = &a->loud;
    t.counted[1] = t.counted[3] = true;
    t.sums = a->sums;
    return t;
}

static void same_count(const surface *a)
{
    ptrdiff_t counted = 0, seen = 0;
    for (int b = 0; b <= CRS_BIN_LAST; b++) counted += a->histogram[b];
    for (ptrdiff_t i = 1; i < a->rows; i += 2)
        for (ptrdiff_t j = 0; j < a->columns; j++) seen += !a->masked || a->mask[i * STRIDE + j];
    if (counted != seen) wrong("histogram", 0, (double)counted, (double)seen);
}

static void evaluation_is_as_defined(surface *a, bool judged)
{
    static surface want;
    const crs_envelope_kernel *k = a->kernel;
    snprintf(doing, sizeof doing, "%s, evaluation, %td x %td, rank %td%s%s", k->name, a->rows,
             a->columns, a->rank, a->masked ? ", masked" : "", judged ? ", two penalties" : "");
    want = *a;
    const crs_envelope_tile t = surface_tile(a, judged);
    k->low_rank(a->rank, a->V, a->c, &t);
    k->envelope(&t);
    k->multiply(a->padded, a->k, &t, a->y);
    for (ptrdiff_t i = 0; i < a->rows; i++)
        for (ptrdiff_t j = 0; j < a->columns; j++) {
            const double s = surface_entry(a, &want, i, j, judged);
            want.r[i * a->width + j] = s;
            for (ptrdiff_t r = 0; r < a->padded; r++)
                want.y[i * a->padded + r] += s * a->k[j * a->padded + r];
        }
    for (ptrdiff_t i = 0; i < a->rows; i++)
        same("s", a->columns, a->r + i * a->width, want.r + i * a->width, 1e-12);
    same("row", a->rows, a->row, want.row, 1e-12);
    same("column", a->columns, a->column, want.column, 1e-12);
    same("y", a->rows * a->padded, a->y, want.y, 1e-12);
    same("sum", CRS_ENV_SUMS, a->sums, want.sums, 1e-12);
    same_count(a);
}

static void collection_of_a_panel_is_as_defined(surface *a)
{
    const ptrdiff_t rank = a->rank, width = a->width, rows = 1 + (a->columns * 5 + rank) % TALL;
    static double z[TALL * ROOM], w[ROOM * RANKS], want[ROOM * RANKS];
    snprintf(doing, sizeof doing, "%s, panel, %td x %td, rank %td", a->kernel->name, rows,
             a->columns, rank);
    memset(z, 0, sizeof z);
    for (ptrdiff_t i = 0; i < rows; i++) draw(a->columns, z + i * width);
    draw(ROOM * RANKS, w);
    memcpy(want, w, sizeof w);
    a->kernel->collect(rows, rank, a->columns, width, a->V, z, w);
    for (ptrdiff_t r = 0; r < rank; r++)
        for (ptrdiff_t j = 0; j < a->columns; j++)
            for (ptrdiff_t i = 0; i < rows; i++)
                want[r * width + j] += a->V[i * rank + r] * z[i * width + j];
    same("w", ROOM * RANKS, w, want, 1e-12);
}

static void try_fused(const crs_cp_kernel *kernel, ptrdiff_t columns, ptrdiff_t rank)
{
    static example a;
    const int kind = (int)((columns + rank) % 3);
    build(&a, kernel, columns, rank);
    entries_are_as_defined(&a, kind, false);
    build(&a, kernel, columns, rank);
    entries_are_as_defined(&a, kind ? 1 : 2, true);
    build(&a, kernel, columns, rank);
    projection_is_as_defined(&a);
    collection_is_as_defined(&a);
}

static void try_envelope(const crs_envelope_kernel *kernel, ptrdiff_t columns, ptrdiff_t rank)
{
    static surface a;
    build_surface(&a, kernel, columns, rank);
    evaluation_is_as_defined(&a, (columns + rank) % 2 != 0);
    collection_of_a_panel_is_as_defined(&a);
}

int main(int argc, char **argv)
{
    const ptrdiff_t every = argc > 1 ? atoi(argv[1]) : 5;
    for (ptrdiff_t columns = 1; columns <= WIDEST; columns++)
        for (ptrdiff_t rank = 1 + columns % every; rank <= RANKS; rank += every) {
            for (int single = 0; single < 2; single++)
                for (int k = 0; crs_cp_kernel_at(single, k); k++)
                    try_fused(crs_cp_kernel_at(single, k), columns, rank);
            for (int k = 0; crs_envelope_kernel_at(k); k++)
                try_envelope(crs_envelope_kernel_at(k), columns, rank);
        }
    printf("kernels:");
    for (int k = 0; crs_cp_kernel_at(false, k); k++)
        printf(" %s", crs_cp_kernel_at(false, k)->name);
    printf("\n");
    return 0;
}
