/* SPDX-License-Identifier: MIT
 * split_case.h: one consensus and one sharing problem, the part of a rank of it, and what a run of
 * all ranks says on this one */
#ifndef TEST_SPLIT_CASE_H
#define TEST_SPLIT_CASE_H

#include "support/reduced.h"

enum { CASE_AGENTS = 4, CASE_ROWS = 40, CASE_COLS = 6, CASE_PARTS = 2 };

typedef struct {
    bool consensus;
    loss_kind loss;
    crease_options o;
    int failing; /* the rank whose data have a NaN; -1: none */
} split_case;

typedef struct {
    bool made;
    crease_error e;
    crease_outcome how;
    crease_method method;
    char theorem[100];
    double number[12]; /* parameters: see below */
    double objective, worst, worst_relative, feasibility, scale, bound;
    long iterations, violations;
    double x[CASE_COLS]; /* z, or the x_j one after another */
} split_answer;

static inline void note_answer(const split_case *c, crease_solver *s, split_answer *out)
{
    const crease_analysis *a = crease_solver_analysis(s);
    const crease_certificate *t = crease_solver_certificate(s);
    const double number[12] = { a->beta,     a->gamma,      a->ell,      a->M,
                                a->L_last,   a->sigma_last, a->decrease, a->kappa,
                                a->last_low, a->last_high,  a->lower,    a->L };
    const crease_report r = crease_solver_report(s);
    memcpy(out->number, number, sizeof number);
    snprintf(out->theorem, sizeof out->theorem, "%s", a->theorem);
    out->method = a->method;
    out->objective = t->objective;
    out->worst = t->worst, out->worst_relative = t->worst_relative;
    out->feasibility = t->feasibility.residual, out->scale = t->feasibility.scale;
    out->iterations = r.iterations, out->violations = r.audit_violations, out->bound = r.bound;
    if (c->consensus) {
        copy(CASE_COLS, crease_solution(s, 0), out->x);
    } else {
        copy(CASE_COLS / 2, crease_solution(s, 0), out->x);
        copy(CASE_COLS / 2, crease_solution(s, 1), out->x + CASE_COLS / 2);
    }
}

static inline void run_case(const split_case *c, const crease_problem *p, split_answer *out)
{
    crease_solver *s = crease_solver_new(p, &c->o, &out->e);
    out->made = s;
    if (!s) return;
    out->how = crease_solve(s);
    note_answer(c, s, out);
    crease_solver_free(s);
}

static inline void agents_of(const split_case *c, int rank, int ranks, const crease_comm *comm,
                             const double *A, const double *y, split_answer *out)
{
    static const ptrdiff_t rows[CASE_AGENTS] = { 15, 3, 12, 10 };
    const double *matrix[CASE_AGENTS], *rhs[CASE_AGENTS];
    const int first = CASE_AGENTS * rank / ranks, end = CASE_AGENTS * (rank + 1) / ranks;
    ptrdiff_t from = 0;
    for (int j = 0; j < CASE_AGENTS; from += rows[j], j++)
        matrix[j] = A + from * CASE_COLS, rhs[j] = y + from;
    const crease_consensus_settings s = {
        .agents = end - first,
        .size = CASE_COLS,
        .rows = rows + first,
        .matrix = matrix + first,
        .rhs = rhs + first,
        .loss = named_loss(c->loss),
        .reg = c->loss == LOGISTIC ? crease_elastic_net(1, 0.3) : crease_mcp(1, 3),
        .comm = comm,
    };
    crease_consensus *m = crease_consensus_new(&s, &out->e);
    if (m) run_case(c, crease_consensus_problem(m), out);
    crease_consensus_free(m);
}

static inline void rows_of(const split_case *c, int rank, int ranks, const crease_comm *comm,
                           const double *A, const double *y, split_answer *out)
{
    enum { HALF = CASE_COLS / 2 };
    const int first = CASE_ROWS * rank / ranks, end = CASE_ROWS * (rank + 1) / ranks;
    double part[2][CASE_ROWS * HALF];
    const crease_reg reg = c->loss == LOGISTIC ? crease_elastic_net(1, 0.3) : crease_mcp(1, 3);
    for (int i = first; i < end; i++)
        for (int j = 0; j < CASE_COLS; j++)
            part[j / HALF][(i - first) * HALF + j % HALF] = A[i * CASE_COLS + j];
    const crease_space space[2] = { crease_vector(HALF), crease_vector(HALF) };
    const crease_block block[2] = { { .reg = reg, .map = crease_dense(part[0]) },
                                    { .map = crease_dense(part[1]) } };
    crease_sharing_settings s = { .count = 2,
                                  .space = space,
                                  .block = block,
                                  .range = crease_vector(end - first),
                                  .y = y + first,
                                  .loss = named_loss(c->loss) };
    s.range.comm = comm;
    crease_sharing *m = crease_sharing_new(&s, &out->e);
    if (m) run_case(c, crease_sharing_problem(m), out);
    crease_sharing_free(m);
}

/* comm NULL: one process has it all. */
static inline split_answer answer_of(const split_case *c, int rank, int ranks,
                                     const crease_comm *comm)
{
    double A[CASE_ROWS * CASE_COLS], y[CASE_ROWS];
    draws d = { { 7, 4 }, 0 };
    split_answer out = { .made = false };
    draw_data(&d, c->loss, CASE_ROWS, CASE_COLS, A, y);
    if (rank == c->failing) fill(CASE_ROWS * CASE_COLS, NAN, A);
    (c->consensus ? agents_of : rows_of)(c, rank, ranks, comm, A, y, &out);
    return out;
}

#endif
