/* SPDX-License-Identifier: MIT
 * factored: the step of a free quadratic block with any map is its minimizer, in every mode, and
 * keeps the theorem */
#include "solve/solver.h"
#include "support/solving.h"

enum { M = 14, N = 9 };

typedef struct {
    double K[M * N], other[M * N], A[M * N], B[M * N], Q[N * N], weight[M], y[M], b[M], d[N];
    const double *matrix;
    int at[2], one;
    crease_map map[2];
    crease_space space[3];
    crease_block block[3];
    crease_predictor fit;
    crease_quadratic_data form;
    crease_distance_data own, last;
    crease_smooth term[4];
    crease_smooth_list sum;
    crease_problem p;
    crease_options o;
} model;

/* Block 1 is free, with a dense map; block 2 has a regularizer; block 3 is the last one. */
static void draw(model *m, uint64_t seed, crease_mode mode)
{
    draws d = { { seed, 5 }, 0 };
    gaussians(&d, M * N, m->K), gaussians(&d, M * N, m->other);
    gaussians(&d, M * N, m->A), gaussians(&d, M * N, m->B);
    gaussians(&d, M, m->y), gaussians(&d, M, m->b), gaussians(&d, N, m->d);
    for (int j = 0; j < M; j++) m->weight[j] = uniform(&d, 0, 2);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            m->Q[i * N + j] = m->Q[j * N + i] = 0.2 * normal(&d) + (i == j ? 4 : 0);
    m->matrix = m->Q, m->one = 0, m->at[0] = 0, m->at[1] = 1;
    m->map[0] = crease_dense(m->K), m->map[1] = crease_dense(m->other);
    m->fit = (crease_predictor){ 2, m->at, m->map, crease_vector(M), m->y, m->weight };
    m->form = (crease_quadratic_data){ 1, &m->one, &m->one, &m->matrix, NULL, 0 };
    m->own = (crease_distance_data){ 0, 1, 0.7, m->d };
    m->last = (crease_distance_data){ 2, -1, 1, NULL };
    m->term[0] = crease_least_squares(&m->fit);
    m->term[1] = crease_quadratic(&m->form);
    m->term[2] = crease_squared_distance(&m->own);
    m->term[3] = crease_squared_distance(&m->last);
    m->sum = (crease_smooth_list){ 4, m->term };
    m->space[0] = m->space[1] = crease_vector(N), m->space[2] = crease_vector(M);
    m->block[0] = (crease_block){ .map = crease_dense(m->A) };
    m->block[1] = (crease_block){ .reg = crease_mcp(0.3, 3), .map = crease_dense(m->B) };
    m->block[2] = (crease_block){ .map = crease_identity(1) };
    m->p = (crease_problem){ 3,   m->space, m->block, crease_smooth_sum(&m->sum), crease_vector(M),
                             m->b };
    m->o = options_to(1e-8);
    m->o.method = seed % 2 ? CREASE_METHOD_ADMM_G : CREASE_METHOD_ADMM_M;
    m->o.mode = mode, m->o.accelerate = 0, m->o.audit = 1;
    m->o.max_iterations = 100000, m->o.certify_every = 10;
}

static void the_matrix_is_that_of_the_gradient(void **state)
{
    static model m;
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        draw(&m, seed, CREASE_MODE_PRACTICAL);
        draws d = { { seed, 6 }, 0 };
        double x[3][M], H[N * N], step[N], g[N], moved[N];
        const double *at[] = { x[0], x[1], x[2] };
        double *work = crs_alloc((size_t)crs_problem_scratch(&m.p), sizeof *work);
        for (int i = 0; i < 3; i++) gaussians(&d, M, x[i]);
        gaussians(&d, N, step);
        assert_int_equal(crs_bend_of(&m.p, 0), CRS_BEND_CONSTANT);
        assert_int_equal(crs_bend_of(&m.p, 2), CRS_BEND_DIAGONAL);
        assert_true(crs_block_hessian(&m.p, 0, H, NULL));
        crs_grad(&m.p, at, 0, g, work);
        axpy(N, 1, step, x[0]);
        crs_grad(&m.p, at, 0, moved, work);
        for (int i = 0; i < N; i++)
            assert_close(moved[i] - g[i], crs_dot(N, H + (ptrdiff_t)i * N, step), 1e-11);
        crs_free(work);
    }
}

/* |grad_1 L_beta at the new x_1 and the old others + h (x_1 - was_1)| after one iteration */
static double off(const crease_solver *s, const double *lambda)
{
    const double *at[] = { s->st.x[0], s->st.was[1], s->st.was[2] };
    double r[M], g[N];
    crs_constraint(s->p, at, r, s->st.work);
    crs_grad(s->p, at, 0, g, s->st.work);
    for (int j = 0; j < M; j++) r[j] = s->a->beta * r[j] - lambda[j];
    crs_adjoint(s->p, 0, 1, r, g, s->st.work);
    for (int j = 0; j < N; j++) g[j] += s->a->block[0].h * (s->st.x[0][j] - s->st.was[0][j]);
    return crs_norm(N, g) / (1 + s->a->beta);
}

static void the_step_is_the_minimizer(void **state)
{
    static model m;
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        draw(&m, seed, seed % 4 < 2 ? CREASE_MODE_PRACTICAL : CREASE_MODE_THEORY);
        crease_solver *s = solver_for(&m.p, &m.o);
        assert_true(crease_solver_analysis(s)->block[0].exact);
        assert_true(crease_solver_analysis(s)->guarantee);
        for (int k = 0; k < 30; k++) {
            double lambda[M];
            copy(M, s->st.lambda, lambda);
            if (crease_step(s) != CREASE_NOT_RUN) break;
            assert_true(off(s, lambda) <= 1e-10);
        }
        assert_int_equal(crease_solver_report(s).audit_violations, 0);
        crease_solver_free(s);
    }
}

static void runs_end_with_a_certificate(void **state)
{
    static model m;
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        draw(&m, seed, CREASE_MODE_PRACTICAL);
        m.o.accelerate = 1;
        crease_solver_free(certified(&m.p, &m.o));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_is_that_of_the_gradient),
        cmocka_unit_test(the_step_is_the_minimizer),
        cmocka_unit_test(runs_end_with_a_certificate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
