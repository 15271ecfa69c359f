/* SPDX-License-Identifier: MIT
 * grid: which of the compiled kernels this processor can run, how a tensor is cut for them, and
 * T_(n) M_n from a table in which the modes of the other side are summed over already */
#include <limits.h>

#include "core/parallel.h"
#include "rpca/kernels/kernels.h"
#include "rpca/rpca.h"

/* The instruction sets kernels are compiled for, the fastest first. */
#if defined(__x86_64__)
enum { AVX512, AVX2, BASE, INSTRUCTION_SETS };
#elif defined(__aarch64__)
enum { NEON, BASE, INSTRUCTION_SETS };
#else
enum { BASE, INSTRUCTION_SETS };
#endif

static const struct {
    const crs_cp_kernel *fused, *fused_single;
    const crs_envelope_kernel *envelope;
} kernels[INSTRUCTION_SETS] = {
#if defined(__x86_64__)
    [AVX512] = { &crs_cp_kernel_avx512, &crs_cp_kernel_avx512_single, &crs_envelope_kernel_avx512 },
    [AVX2] = { &crs_cp_kernel_avx2, &crs_cp_kernel_avx2_single, &crs_envelope_kernel_avx2 },
#elif defined(__aarch64__)
    [NEON] = { &crs_cp_kernel_neon, &crs_cp_kernel_neon_single, &crs_envelope_kernel_neon },
#endif
    [BASE] = { &crs_cp_kernel_base, &crs_cp_kernel_base_single, &crs_envelope_kernel_base }
};

static bool processor_has(int set)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (set == AVX512) return __builtin_cpu_supports("avx512f") != 0;
    if (set == AVX2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#elif defined(__aarch64__)
    if (set == NEON) return true; /* part of the architecture */
#endif
    return set == BASE;
}

/* The k-th set this processor has; INSTRUCTION_SETS: no more. */
static int set_at(int k)
{
    int set = 0;
    for (; set < INSTRUCTION_SETS; set++)
        if (processor_has(set) && k-- == 0) break;
    return set;
}

const crs_cp_kernel *crs_cp_kernel_at(bool single, int k)
{
    const int set = set_at(k);
    if (set == INSTRUCTION_SETS) return NULL;
    return single ? kernels[set].fused_single : kernels[set].fused;
}

const crs_envelope_kernel *crs_envelope_kernel_at(int k)
{
    const int set = set_at(k);
    return set == INSTRUCTION_SETS ? NULL : kernels[set].envelope;
}

int crs_instructions(void) { return set_at(0); }

enum {
    WIDE = 384,        /* columns of a tile at most */
    FEW_COLUMNS = 32,  /* take in another mode below this, */
    COLUMNS = 1 << 12, /* up to so many */
    MOST_BANDS = 32,
    FEWEST_BANDS = 4,
    SHARE = 16 /* the bands' sums of w take at most a SHARE-th of a tensor, if they can */
};

bool crs_cp_check_shape(const crease_space *shape, ptrdiff_t rank, int threads, crease_error *e)
{
    if (!crease_space_check(shape, e)) return false;
    if (shape->order < 2 || shape->comm)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "robust CP: the tensor has order %d%s; give an order of 2 or more, held by "
                        "one process",
                        shape->order, shape->comm ? " and is distributed" : "");
    for (int n = 0; n < shape->order; n++)
        if (shape->dim[n] > INT_MAX)
            return crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: dimension %d is %td; at most %d",
                            n + 1, shape->dim[n], INT_MAX);
    if (rank < 1 || rank > CRS_CP_MOST_RANK)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: the rank is %td; give 1 to %d", rank,
                        CRS_CP_MOST_RANK);
    return (threads >= 1 && threads <= CRS_CP_MOST_THREADS) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "robust CP: %d threads; give 1 to %d", threads,
                    CRS_CP_MOST_THREADS);
}

crs_cp_grid crs_cp_grid_of(const crease_space *s, ptrdiff_t rank, ptrdiff_t block, ptrdiff_t panel)
{
    crs_cp_grid g = { .split = s->order - 1, .right = s->dim[s->order - 1] };
    const ptrdiff_t enough = more(FEW_COLUMNS, rank);
    while (g.split > 1 && g.right < enough && s->dim[g.split - 1] <= COLUMNS / g.right)
        g.right *= s->dim[--g.split];
    g.left = crs_left(s, g.split);
    g.chunks = (g.right + WIDE - 1) / WIDE;
    const ptrdiff_t even = (g.right + g.chunks - 1) / g.chunks;
    g.width = (even + block - 1) / block * block;
    g.chunks = (g.right + g.width - 1) / g.width;
    g.blocks = (g.left + CRS_TILE_ROWS - 1) / CRS_TILE_ROWS;
    g.panel = panel;
    g.panels = (g.left + panel - 1) / panel;
    const ptrdiff_t cheap = more(g.left / (SHARE * rank), FEWEST_BANDS);
    g.bands = fewer(g.panels, fewer(cheap, MOST_BANDS));
    return g;
}

void crs_cp_band(const crs_cp_grid *g, ptrdiff_t band, ptrdiff_t *first, ptrdiff_t *end)
{
    *first = band * g->panels / g->bands * g->panel;
    *end = fewer(g->left, (band + 1) * g->panels / g->bands * g->panel);
}

typedef struct {
    const crs_cp_gathering *g;
    int n;
    ptrdiff_t before, dim, after, tasks;
    double *to;
} mode;

/* to += every row of x times that of y */
static void add_products(ptrdiff_t rows, ptrdiff_t rank, const double *y, const double *x,
                         double *to)
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t r = 0; r < rank; r++) to[i * rank + r] += y[r] * x[i * rank + r];
}

static void gather(void *self, ptrdiff_t task, int worker)
{
    const mode *m = self;
    const crs_cp_gathering *g = m->g;
    const ptrdiff_t rank = g->k.rank, tasks = m->tasks;
    const ptrdiff_t first = task * m->dim / tasks, end = (task + 1) * m->dim / tasks;
    double *left = g->work + worker * 2 * rank, *sum = left + rank;
    fill((end - first) * rank, 0, m->to + first * rank);
    for (ptrdiff_t l = 0; l < m->before; l++) {
        crs_khatri_rao(&g->k, (crs_modes){ g->from, m->n, -1 }, l, 1, left);
        if (m->n + 1 == g->to) {
            add_products(end - first, rank, left, g->table + (l * m->dim + first) * rank,
                         m->to + first * rank);
            continue;
        }
        for (ptrdiff_t i = first; i < end; i++) {
            const double *rows = g->table + (l * m->dim + i) * m->after * rank;
            fill(rank, 0, sum);
            g->weigh(m->after, rank, rows, g->fold, sum);
            for (ptrdiff_t r = 0; r < rank; r++) m->to[i * rank + r] += left[r] * sum[r];
        }
    }
}

void crs_cp_gather(const crs_cp_gathering *g, int n, double *to)
{
    const ptrdiff_t *dim = g->k.shape.dim;
    mode m = { g, n, 1, dim[n], 1, 1, to };
    if (g->threads > 1) m.tasks = fewer(m.dim, 4 * (ptrdiff_t)g->threads);
    for (int j = g->from; j < n; j++) m.before *= dim[j];
    for (int j = n + 1; j < g->to; j++) m.after *= dim[j];
    crs_khatri_rao(&g->k, (crs_modes){ n + 1, g->to, -1 }, 0, m.after, g->fold);
    crs_parallel(g->threads, m.tasks, gather, &m);
}
