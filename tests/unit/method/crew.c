/* SPDX-License-Identifier: MIT
 * crew: steps on the blocks of a level by several threads leave the bits of steps one after the
 * other, for every method that sweeps over blocks; functions of the user stay on their thread; the
 * levels are those of the definition */
#include <pthread.h>

#include "core/parallel.h"
#include "solve/solver.h"
#include "support/solving.h"

enum { N = 4, MOST = 9, TERMS = 12, ROWS = 8, STEPS = 15, LINKS = 3 };

/* A random problem: terms that see a few blocks each, a constraint of which a block has a few rows,
 * and the last block, of ADMM-g, all of them. */
typedef struct {
    double a[TERMS][LINKS][N * N], y[TERMS][N], value[MOST][N * ROWS], b[ROWS];
    int at[TERMS][LINKS], touched[TERMS];
    ptrdiff_t start[MOST][ROWS + 1], col[MOST][N * ROWS];
    bool reached[MOST][ROWS];
    crease_map map[TERMS][LINKS];
    crease_predictor fit[TERMS];
    crease_smooth term[TERMS + 1];
    crease_smooth_list sum;
    crease_csr_matrix csr[MOST];
    crease_map dense;
    crease_space space[MOST];
    crease_block block[MOST];
    crease_set set;
    crease_callback_smooth call;
    bool touches[MOST];
    pthread_t owner;
    bool strayed;
    crease_problem p;
    crease_options o;
} model;

enum { PROX_BCD, BCD, ADMM_G, ADMM_M, EXTENSION, GCG, FAMILIES };
static const crease_method methods[] = { CREASE_METHOD_PROX_BCD,  CREASE_METHOD_BCD,
                                         CREASE_METHOD_ADMM_G,    CREASE_METHOD_ADMM_M,
                                         CREASE_METHOD_EXTENSION, CREASE_METHOD_GCG };

static bool has_constraint(int family) { return family >= ADMM_G && family <= EXTENSION; }
static bool has_last(int family) { return family == ADMM_G || family == ADMM_M; }

static int up_to(draws *d, int n) { return (int)below(d, n); }

static void draw_term(model *m, draws *d, int k, int blocks, bool rough)
{
    static const double quartic[] = { 0, 0, 0.5, 0, 0.1 };
    const int count = 1 + up_to(d, LINKS), kind = up_to(d, rough ? 4 : 3);
    normals(d, N, 1, m->y[k]);
    for (int j = 0; j < count; j++) {
        normals(d, N * N, 0.5, m->a[k][j]);
        m->at[k][j] = up_to(d, blocks);
        m->map[k][j] = crease_dense(m->a[k][j]);
    }
    m->touched[k] = count;
    m->fit[k] = (crease_predictor){ count, m->at[k], m->map[k], crease_vector(N), m->y[k], NULL };
    m->term[k] = kind == 0   ? crease_least_squares(&m->fit[k])
                 : kind == 1 ? crease_cauchy(&m->fit[k])
                 : kind == 2 ? crease_huber_loss(&m->fit[k], 0.5)
                             : crease_polynomial(&m->fit[k], 4, quartic);
}

/* Block i has each row with probability 0.3, by one or two entries. */
static void draw_rows(model *m, draws *d, int i)
{
    ptrdiff_t at = 0;
    for (int r = 0; r < ROWS; r++) {
        m->start[i][r] = at;
        m->reached[i][r] = uniform(d, 0, 1) < 0.3;
        for (int j = 0; m->reached[i][r] && j < 2; j++) {
            m->col[i][at] = up_to(d, N);
            m->value[i][at++] = normal(d);
        }
    }
    m->start[i][ROWS] = at;
    m->csr[i] = (crease_csr_matrix){ ROWS, N, m->start[i], m->col[i], m->value[i] };
    m->block[i].map = crease_csr(&m->csr[i]);
}

static double call_value(void *user, const double *const *x)
{
    model *m = user;
    double sum = 0;
    m->strayed = m->strayed || !pthread_equal(m->owner, pthread_self());
    for (int i = 0; i < m->p.count; i++)
        for (int j = 0; m->touches[i] && j < N; j++) sum += log1p(x[i][j] * x[i][j]);
    return sum;
}

static void call_grad(void *user, const double *const *x, int i, double *g)
{
    model *m = user;
    m->strayed = m->strayed || !pthread_equal(m->owner, pthread_self());
    for (int j = 0; j < N; j++) g[j] += 2 * x[i][j] / (1 + x[i][j] * x[i][j]);
}

static void draw_blocks(model *m, draws *d, int family, int blocks)
{
    m->set = crease_box(-2, 2);
    for (int i = 0; i < blocks; i++) {
        m->space[i] = crease_vector(N);
        const int kind = up_to(d, 3);
        m->block[i].reg = kind == 0   ? crease_l1(0.1)
                          : kind == 1 ? crease_mcp(0.1, 3)
                                      : crease_squared_l2(0.2);
        if (family == GCG) m->block[i].reg = (crease_reg){ 0 };
        if (family == GCG || (up_to(d, 3) == 0 && kind != 1)) m->block[i].set = &m->set;
        if (has_constraint(family)) draw_rows(m, d, i);
    }
    if (!has_last(family)) return;
    m->block[blocks - 1] = (crease_block){ .map = crease_identity(1) };
    m->space[blocks - 1] = crease_vector(ROWS);
    for (int r = 0; r < ROWS; r++) m->reached[blocks - 1][r] = true;
}

static void draw(model *m, draws *d, int family)
{
    const int blocks = 3 + up_to(d, MOST - 2), terms = 2 + up_to(d, TERMS - 1);
    const int seen = has_last(family) ? blocks - 1 : blocks;
    const bool calls = up_to(d, 4) == 0;
    memset(m, 0, sizeof *m);
    m->owner = pthread_self();
    for (int k = 0; k < terms; k++) draw_term(m, d, k, seen, !has_last(family) && up_to(d, 4) == 0);
    m->touches[up_to(d, seen)] = m->touches[up_to(d, seen)] = true;
    m->call = (crease_callback_smooth){ .value = call_value,
                                        .grad = call_grad,
                                        .user = m,
                                        .constants = { .L = 2, .M = 2, .p = 2, .rho = 2 },
                                        .touches = m->touches };
    m->term[terms] = crease_smooth_callback(&m->call);
    m->sum = (crease_smooth_list){ terms + calls, m->term };
    draw_blocks(m, d, family, blocks);
    normals(d, ROWS, 1, m->b);
    m->p = (crease_problem){
        .count = blocks, .space = m->space, .block = m->block, .f = crease_smooth_sum(&m->sum)
    };
    if (has_constraint(family)) m->p.range = crease_vector(ROWS), m->p.rhs = m->b;
    m->o = options_to(1e-12);
    m->o.method = methods[family];
    m->o.max_iterations = STEPS;
}

typedef struct {
    double x[MOST][ROWS], lambda[ROWS];
    long evaluations, iterations;
    bool crew;
} answer;

static void solve(model *m, int threads, answer *out)
{
    crease_error e = { CREASE_OK, "" };
    memset(out, 0, sizeof *out);
    m->o.threads = threads;
    crease_solver *s = crease_solver_new(&m->p, &m->o, &e);
    if (!s) fail_msg("no solver: %s", e.text);
    out->crew = s->st.crew;
    s->st.worth = 0;
    crease_solve(s);
    for (int i = 0; i < m->p.count; i++)
        copy(crease_size(&m->space[i]), crease_solution(s, i), out->x[i]);
    if (m->p.range.order > 0) copy(ROWS, crease_multiplier(s), out->lambda);
    out->evaluations = crease_solver_report(s).evaluations;
    out->iterations = crease_solver_report(s).iterations;
    crease_solver_free(s);
}

static void any_number_of_threads_leaves_the_same_bits(void **state)
{
    enum { TRIALS = 12 };
    static model m;
    static answer one, several;
    draws d = { { 71, 0 }, 0 };
    int crews[FAMILIES] = { 0 };
    (void)state;
    for (int family = 0; family < FAMILIES; family++)
        for (int trial = 0; trial < TRIALS; trial++) {
            draw(&m, &d, family);
            solve(&m, 1, &one);
            assert_false(one.crew);
            for (int threads = 2; threads <= 4; threads++) {
                solve(&m, threads, &several);
                crews[family] += several.crew;
                several.crew = false;
                if (memcmp(&one, &several, sizeof one) != 0)
                    fail_msg("method %s, trial %d, %d threads: not the bits of one",
                             crease_method_name(methods[family]), trial, threads);
            }
            assert_false(m.strayed);
        }
    for (int family = 0; family < FAMILIES; family++)
        if (crews[family] < TRIALS / 2)
            fail_msg("%s: only %d runs with threads", crease_method_name(methods[family]),
                     crews[family]);
}

/* Do blocks i and j share a term or a row? */
static bool share(const model *m, int i, int j)
{
    bool shared = false;
    for (int k = 0; k < m->sum.count; k++) {
        const crease_smooth *t = &m->term[k];
        shared = shared || (t->ops->touches(t, i) && t->ops->touches(t, j));
    }
    for (int r = 0; r < ROWS; r++) shared = shared || (m->reached[i][r] && m->reached[j][r]);
    return shared;
}

/* 1 + the largest level of an earlier block with something in common; a block of the user's own
 * functions has a level of its own, after all before it. */
static void define(const model *m, int last, int *level)
{
    int top = 0, floor = 0;
    for (int i = 0; i < m->p.count; i++) {
        const bool apart =
            m->sum.term[m->sum.count - 1].ops->family == CREASE_SMOOTH_CALLBACK && m->touches[i];
        level[i] = 0;
        if (i == last) continue;
        level[i] = apart ? top + 1 : floor + 1;
        for (int j = 0; j < i; j++)
            if (j != last && share(m, i, j) && level[j] >= level[i]) level[i] = level[j] + 1;
        if (apart) floor = level[i];
        if (level[i] > top) top = level[i];
    }
}

static void levels_are_those_of_the_definition(void **state)
{
    static model m;
    draws d = { { 72, 0 }, 0 };
    int level[MOST];
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        crs_levels l;
        draw(&m, &d, trial % FAMILIES);
        const int last = has_last(trial % FAMILIES) ? m.p.count - 1 : -1;
        assert_true(crs_levels_open(&m.p, last, NULL, &l, NULL));
        define(&m, last, level);
        int blocks = 0;
        for (int k = 0; k < l.count; k++)
            for (int j = l.first[k]; j < l.first[k + 1]; j++, blocks++)
                assert_int_equal(level[l.block[j]], k + 1);
        assert_int_equal(blocks, m.p.count - (last >= 0));
        for (int i = 0; i < m.p.count; i++) {
            ptrdiff_t r = l.row_first[i];
            for (int j = 0; i != last && !l.apart[i] && j < ROWS; j++)
                if (m.reached[i][j]) assert_int_equal(l.row[r++], j);
            assert_int_equal(r, l.row_first[i + 1]);
        }
        crs_levels_close(&l);
    }
}

/* A chain x_1 - x_2 - .. has as many levels as blocks, one of odd blocks before even ones two. */
static void a_chain_has_two_levels_in_the_right_order(void **state)
{
    enum { LENGTH = 12 };
    crease_distance_data link[LENGTH];
    crease_smooth term[LENGTH];
    crease_space space[LENGTH];
    crease_block block[LENGTH] = { { 0 } };
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        crs_levels l;
        for (int i = 0; i < LENGTH; i++) space[i] = crease_vector(2);
        for (int t = 0; t + 1 < LENGTH; t++) {
            const int a = ordered ? t / 2 + t % 2 * LENGTH / 2 : t;
            const int b = ordered ? (t + 1) / 2 + (t + 1) % 2 * LENGTH / 2 : t + 1;
            link[t] = (crease_distance_data){ a, b, 1, NULL };
            term[t] = crease_squared_distance(&link[t]);
        }
        const crease_smooth_list all = { LENGTH - 1, term };
        const crease_problem p = {
            .count = LENGTH, .space = space, .block = block, .f = crease_smooth_sum(&all)
        };
        assert_true(crs_levels_open(&p, -1, NULL, &l, NULL));
        assert_int_equal(l.count, ordered ? 2 : LENGTH);
        assert_int_equal(l.widest, ordered ? LENGTH / 2 : 1);
        crs_levels_close(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_those_of_the_definition),
        cmocka_unit_test(a_chain_has_two_levels_in_the_right_order),
        cmocka_unit_test(any_number_of_threads_leaves_the_same_bits),
    };
    crs_threads_limit(4);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
