/* SPDX-License-Identifier: MIT
 * consensus: min sum_j l(A_j x_j - b_j) + r(z) subject to x_j = z, the stack of the x_j last
 *
 * z has the map -[I; ..; I], so that A'A = J I and its step is one prox. One loss of the
 * block-diagonal map makes L_N the largest of the agents' constants, not their sum. Boyd, Parikh,
 * Chu, Peleato, Eckstein 2011, section 7.1, where l and r are convex.
 *
 * Over ranks the stack is split, agents by rank: [I; ..; I] has rows on every rank, so that its
 * adjoint is a sum of n numbers, and the block-diagonal map is local. */
#include <crease/sharing.h>

#include "core/carve.h"
#include "smooth/smooth.h"

struct crease_consensus {
    crease_problem problem;
    crease_space space[2];
    crease_block block[2];
    crease_csr_matrix copies, diagonal; /* -[I; ..; I], and A_1, ..., A_J along the diagonal */
    void *memory;                       /* of both matrices, b, the starts */
    crease_predictor predictor;
    crease_map own, map; /* the agents' here, and over all ranks */
    int last;
};

void crease_consensus_free(crease_consensus *m)
{
    if (!m) return;
    crs_free(m->memory);
    crs_free(m);
}

const crease_problem *crease_consensus_problem(const crease_consensus *m) { return &m->problem; }

typedef struct {
    ptrdiff_t stack, rows, entries; /* J n, the rows of all A_j, their entries */
} sizes;

static bool check(const crease_consensus_settings *s, sizes *z, crease_error *e)
{
    *z = (sizes){ 0, 0, 0 };
    if (s->agents < 1 || s->size < 1 || !s->rows || !s->matrix)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "consensus: %d agents with %td unknowns; give at least one of each",
                        s->agents, s->size);
    for (int j = 0; j < s->agents; j++) {
        if (s->rows[j] < 1 || !s->matrix[j])
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "consensus: agent %d has no rows; give it a matrix, or leave it out",
                            j + 1);
        if (!crs_add_size(z->rows, s->rows[j], &z->rows)) z->rows = -1;
    }
    if (z->rows < 0 || !crs_mul_size(z->rows, s->size, &z->entries) ||
        !crs_mul_size(s->agents, s->size, &z->stack) || z->entries > PTRDIFF_MAX / 64 - z->stack)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "consensus: more entries than can be counted");
    return crs_loss_check(&s->loss, e);
}

/* The arrays of a model. */
typedef struct {
    const sizes *z;
    ptrdiff_t *copy_start, *copy_col, *start, *col;
    double *copy_value, *value, *rhs, *first;
} arrays;

static void fill_copies(crease_consensus *m, const sizes *z, ptrdiff_t size, const arrays *a)
{
    ptrdiff_t *start = a->copy_start, *col = a->copy_col;
    double *value = a->copy_value;
    for (ptrdiff_t i = 0; i <= z->stack; i++) start[i] = i;
    for (ptrdiff_t i = 0; i < z->stack; i++) col[i] = i % size, value[i] = -1;
    m->copies = (crease_csr_matrix){ z->stack, size, start, col, value };
}

static void fill_diagonal(crease_consensus *m, const crease_consensus_settings *s, const sizes *z,
                          const arrays *a)
{
    ptrdiff_t *start = a->start, *col = a->col, row = 0;
    double *value = a->value;
    const ptrdiff_t n = s->size;
    start[0] = 0;
    for (int j = 0; j < s->agents; j++)
        for (ptrdiff_t i = 0; i < s->rows[j]; i++, row++) {
            for (ptrdiff_t k = 0; k < n; k++) {
                col[row * n + k] = j * n + k;
                value[row * n + k] = s->matrix[j][i * n + k];
            }
            start[row + 1] = (row + 1) * n;
        }
    m->diagonal = (crease_csr_matrix){ z->rows, z->stack, start, col, value };
}

/* b_1, ..., b_J in one; an agent without one has zeros. */
static void fill_rhs(const crease_consensus_settings *s, double *rhs)
{
    for (int j = 0; j < s->agents; rhs += s->rows[j], j++)
        if (s->rhs && s->rhs[j]) copy(s->rows[j], s->rhs[j], rhs);
}

static void describe(crease_consensus *m, const crease_consensus_settings *s, const sizes *z,
                     double *rhs, double *start)
{
    for (ptrdiff_t i = 0; s->start && i < z->stack; i++) start[i] = s->start[i % s->size];
    m->last = 1;
    m->space[0] = crease_vector(s->size);
    m->space[1] = crease_matrix(s->agents, s->size);
    m->space[1].comm = s->comm;
    m->block[0] = (crease_block){
        .name = "z", .reg = s->reg, .set = s->set, .map = crease_csr(&m->copies), .start = start
    };
    m->block[1] = (crease_block){ .name = "x", .map = crease_identity(1), .start = start };
    m->own = crease_csr(&m->diagonal);
    m->map = s->comm ? crease_local(&m->own) : m->own;
    m->predictor = (crease_predictor){ 1, &m->last, &m->map, crease_vector(z->rows), rhs, NULL };
    m->predictor.range.comm = s->comm;
    m->problem = (crease_problem){ .count = 2,
                                   .space = m->space,
                                   .block = m->block,
                                   .f = crs_loss_of(&s->loss, &m->predictor),
                                   .range = m->space[1] };
}

static void carve(void *self, crs_carver *c)
{
    arrays *a = self;
    a->copy_start = carve_bytes(c, a->z->stack + 1, sizeof(ptrdiff_t));
    a->copy_col = carve_bytes(c, a->z->stack, sizeof(ptrdiff_t));
    a->start = carve_bytes(c, a->z->rows + 1, sizeof(ptrdiff_t));
    a->col = carve_bytes(c, a->z->entries, sizeof(ptrdiff_t));
    a->copy_value = carve_doubles(c, a->z->stack, 1);
    a->value = carve_doubles(c, a->z->entries, 1);
    a->rhs = carve_doubles(c, a->z->rows, 1);
    a->first = carve_doubles(c, a->z->stack, 1);
}

static bool build(crease_consensus *m, const crease_consensus_settings *s, const sizes *z,
                  crease_error *e)
{
    arrays a = { .z = z };
    m->memory = carve_block(carve, &a);
    if (!m->memory) crs_fail(e, CREASE_NO_MEMORY, "out of memory: the agents' matrices");
    if (!crs_together(s->comm, m->memory, e)) return false;
    fill_copies(m, z, s->size, &a);
    fill_diagonal(m, s, z, &a);
    fill_rhs(s, a.rhs);
    describe(m, s, z, a.rhs, a.first);
    return crease_problem_check(&m->problem, e);
}

crease_consensus *crease_consensus_new(const crease_consensus_settings *s, crease_error *e)
{
    sizes z;
    const bool right = check(s, &z, e);
    crease_consensus *m = right ? crs_alloc(1, sizeof *m) : NULL;
    if (right && !m) crs_fail(e, CREASE_NO_MEMORY, "out of memory: a model");
    if (crs_together(s->comm, m, e) && build(m, s, &z, e)) return m;
    crease_consensus_free(m);
    return NULL;
}
