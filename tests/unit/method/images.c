/* SPDX-License-Identifier: MIT
 * images: what methods compute from u = K x that moves with x is what they would compute from x,
 * and an iteration takes about one product with every matrix and one with its transpose */
#include "problem/problem.h"
#include "smooth/smooth.h"
#include "support/solving.h"

enum { M = 30, N = 20, BLOCKS = 3, STEPS = 40 };

/* A matrix that counts its products. */
typedef struct {
    double a[M * M];
    ptrdiff_t rows, columns;
    long products;
    crease_callback_map call;
    crease_map map;
} counted;

static void apply(void *user, double a, const double *x, double *y)
{
    counted *c = user;
    c->products++;
    for (ptrdiff_t i = 0; i < c->rows; i++)
        for (ptrdiff_t j = 0; j < c->columns; j++) y[i] += a * c->a[i * c->columns + j] * x[j];
}

static void adjoint(void *user, double a, const double *y, double *x)
{
    counted *c = user;
    c->products++;
    for (ptrdiff_t i = 0; i < c->rows; i++)
        for (ptrdiff_t j = 0; j < c->columns; j++) x[j] += a * c->a[i * c->columns + j] * y[i];
}

static void matrix(draws *d, ptrdiff_t rows, ptrdiff_t columns, double scale, counted *c)
{
    c->rows = rows, c->columns = columns, c->products = 0;
    normals(d, rows * columns, scale, c->a);
    c->call = (crease_callback_map){ apply, adjoint, c, 0, 0 };
    c->map = crease_map_callback(&c->call);
}

enum { ADMM_G, ADMM_G_SEPARABLE, ADMM_M, EXTENSION, PROX_BCD, GCG, FAMILIES };
static const char *const families[] = { "admm-g",    "admm-g, separable", "admm-m",
                                        "extension", "prox-bcd",          "gcg" };
static const crease_method methods[] = { CREASE_METHOD_ADMM_G,   CREASE_METHOD_ADMM_G,
                                         CREASE_METHOD_ADMM_M,   CREASE_METHOD_EXTENSION,
                                         CREASE_METHOD_PROX_BCD, CREASE_METHOD_GCG };

typedef struct {
    counted K[BLOCKS], A[BLOCKS];
    double y[M], labels[M], b[M], Q[N * N];
    const double *matrix;
    int at[BLOCKS];
    crease_map of_f[BLOCKS];
    crease_space space[BLOCKS];
    crease_block block[BLOCKS];
    crease_set set;
    crease_predictor fit, own;
    crease_quadratic_data form;
    crs_loss hidden[2];
    crease_smooth_ops hidden_form;
    crease_smooth term[3];
    crease_smooth_list sum;
    crease_problem p;
    crease_options o;
} model;

static bool has_last(int family) { return family <= ADMM_M; }

/* f = cauchy(K_1 x_1 + K_2 x_2 (+ x_3)) + logistic(K_3 x_3) + x_1'Qx_1/2, without the middle term
 * where there is no block 3. */
static void draw_coupling(model *m, draws *d, int family, int count)
{
    const int seen = family == ADMM_G ? count : 2;
    for (int i = 0; i < BLOCKS; i++) m->at[i] = i, m->of_f[i] = m->K[i].map;
    m->fit = (crease_predictor){ seen, m->at, m->of_f, crease_vector(M), m->y, NULL };
    m->own = (crease_predictor){ 1, &m->at[2], &m->of_f[2], crease_vector(M), m->labels, NULL };
    for (ptrdiff_t i = 0; i < N; i++)
        for (ptrdiff_t j = 0; j <= i; j++) m->Q[i * N + j] = m->Q[j * N + i] = 0.3 * normal(d);
    for (ptrdiff_t i = 0; i < N; i++) m->Q[i * N + i] += 3;
    m->matrix = m->Q;
    m->form = (crease_quadratic_data){ 1, &m->at[0], &m->at[0], &m->matrix, NULL, 0 };
    m->term[0] = crease_quadratic(&m->form);
    m->term[1] = crease_least_squares(&m->fit);
    m->term[2] = crease_logistic(&m->own);
    m->sum = (crease_smooth_list){ has_last(family) ? 3 : 2, m->term };
}

static void draw_blocks(model *m, int family, int count)
{
    m->set = crease_l1_ball(4);
    for (int i = 0; i < count; i++) {
        const ptrdiff_t n = has_last(family) && i == 2 ? M : N;
        m->space[i] = crease_vector(n);
        m->block[i] = (crease_block){ .reg = crease_mcp(0.4, 3) };
        if (family == GCG) m->block[i] = (crease_block){ .set = &m->set };
        if (family < PROX_BCD) m->block[i].map = m->A[i].map;
    }
    if (!has_last(family)) return;
    m->block[2].reg = (crease_reg){ 0 };
    if (family != ADMM_M) m->block[2].map = crease_identity(1);
}

static void draw(model *m, int family, uint64_t seed)
{
    draws d = { { seed, (uint64_t)family }, 0 };
    const int count = has_last(family) ? 3 : 2;
    for (int i = 0; i < BLOCKS; i++) {
        const ptrdiff_t n = has_last(family) && i == 2 ? M : N;
        matrix(&d, M, n, 0.3, &m->K[i]);
        matrix(&d, M, n, 1, &m->A[i]);
        for (ptrdiff_t j = 0; i == 2 && j < n; j++) m->A[i].a[j * n + j] += 20;
    }
    m->A[2].call.sigma_min_bound = 1;
    for (int i = 0; i < M; i++) m->y[i] = 3 * normal(&d), m->b[i] = normal(&d);
    for (int i = 0; i < M; i++) m->labels[i] = uniform(&d, 0, 1) < 0.5 ? -1 : 1;
    draw_coupling(m, &d, family, count);
    draw_blocks(m, family, count);
    m->p = (crease_problem){ count, m->space, m->block, crease_smooth_sum(&m->sum), { 0 }, NULL };
    if (family < PROX_BCD) m->p.range = crease_vector(M), m->p.rhs = m->b;
    m->o = options_to(1e-12);
    m->o.method = methods[family];
    m->o.max_iterations = 100000;
    m->o.certify_every = 100000;
}

/* The same f, but nobody can tell what it is made of: every u is made from its x. */
static void hide(model *m)
{
    m->hidden[0] = crs_least_squares, m->hidden[1] = crs_logistic;
    m->hidden[0].ops.family = m->hidden[1].ops.family = CREASE_SMOOTH_OTHER;
    m->hidden_form = crs_quadratic_ops;
    m->term[0].ops = &m->hidden_form;
    m->term[1].ops = &m->hidden[0].ops;
    m->term[2].ops = &m->hidden[1].ops;
}

static void f_and_its_gradients_follow_from_the_images(void **state)
{
    static model m;
    double room[4096], u[200], g[M], of_x[M], data[BLOCKS][M];
    const double *x[BLOCKS];
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        draws d = { { seed, 99 }, 0 };
        draw(&m, ADMM_G, seed);
        for (int i = 0; i < BLOCKS; i++) {
            x[i] = data[i];
            normals(&d, crease_size(&m.space[i]), 1, data[i]);
        }
        double *work = crs_alloc((size_t)crs_problem_scratch(&m.p), sizeof *work);
        assert_int_equal(crs_images_size(&m.p), N + M + M);
        crs_images(&m.p, x, u, work);
        for (int i = 0; i < BLOCKS; i++) { /* and at a point that one block leads to */
            const ptrdiff_t n = crease_size(&m.space[i]);
            normals(&d, n, 1, room);
            crs_images_move(&m.p, i, room, u, work);
            axpy(n, 1, room, data[i]);
            assert_close(crs_images_f(&m.p, x, u, work), crs_f(&m.p, x, work), 1e-12);
            for (int k = 0; k < BLOCKS; k++) {
                crs_images_grad(&m.p, x, u, k, g, work);
                crs_grad(&m.p, x, k, of_x, work);
                for (ptrdiff_t j = 0; j < crease_size(&m.space[k]); j++)
                    assert_close(g[j], of_x[j], 1e-11);
            }
        }
        crs_free(work);
    }
}

static void iterates_are_those_of_recomputation(void **state)
{
    static model m, plain;
    (void)state;
    for (int family = 0; family < FAMILIES; family++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            draw(&m, family, seed), draw(&plain, family, seed);
            hide(&plain);
            m.o.audit = plain.o.audit = family != GCG;
            m.o.certify_every = plain.o.certify_every = 1;
            crease_solver *a = solver_for(&m.p, &m.o), *b = solver_for(&plain.p, &plain.o);
            for (int k = 0; k < STEPS; k++) {
                assert_int_equal(crease_step(a), CREASE_NOT_RUN);
                assert_int_equal(crease_step(b), CREASE_NOT_RUN);
                const crease_progress now = crease_solver_progress(a),
                                      then = crease_solver_progress(b);
                assert_close(now.objective, then.objective, 1e-9);
                assert_close(now.worst, then.worst, 1e-6);
                if (family != GCG) assert_close(now.potential, then.potential, 1e-9);
            }
            assert_int_equal(crease_solver_report(a).audit_violations, 0);
            crease_solver_free(a), crease_solver_free(b);
        }
}

/* Pairs of products an iteration: products with all matrices, by their entries. */
static double pairs_of(int family, long certify_every)
{
    enum { COUNT = 200 };
    static model m;
    double done = 0, all = 0;
    draw(&m, family, 1);
    m.o.certify_every = certify_every;
    crease_solver *s = solver_for(&m.p, &m.o);
    counted *each[2 * BLOCKS];
    for (int k = 0; k < 2 * BLOCKS; k++) each[k] = k < BLOCKS ? &m.K[k] : &m.A[k - BLOCKS];
    crease_step(s); /* with the certificate of the start */
    for (int k = 0; k < 2 * BLOCKS; k++) each[k]->products = 0;
    for (int k = 0; k < COUNT; k++) assert_int_equal(crease_step(s), CREASE_NOT_RUN);
    for (int k = 0; k < 2 * BLOCKS; k++) {
        const double entries = (double)(each[k]->rows * each[k]->columns);
        done += entries * (double)each[k]->products;
        const double terms = family == ADMM_G && k == 2 ? 2 : each[k]->products > 0;
        all += 2 * terms * entries; /* both terms of f see the last block of admm-g */
    }
    crease_solver_free(s);
    return done / all / COUNT;
}

static void an_iteration_is_a_pair_of_products(void **state)
{
    double worst = 0;
    (void)state;
    for (int family = 0; family < FAMILIES; family++) {
        const double alone = pairs_of(family, 100000), with = pairs_of(family, 10);
        print_message("%-18s %.2f pairs an iteration, %.2f with a certificate every 10\n",
                      families[family], alone, with);
        worst = larger(worst, alone);
    }
    assert_true(worst <= 1.3);
}

static long values;
static double (*plain_value)(const crease_reg *r, const crease_space *s, const double *x,
                             double *work);

static double counting_value(const crease_reg *r, const crease_space *s, const double *x,
                             double *work)
{
    values++;
    return plain_value(r, s, x, work);
}

/* Every prox is a decomposition; how many more does an iteration ask for? */
static double more_decompositions(long accelerate)
{
    enum { COUNT = 100 };
    static model m;
    static crease_reg_ops ops;
    draw(&m, PROX_BCD, 3);
    m.space[0] = crease_matrix(5, N / 5);
    m.block[0].reg = crease_nuclear(0.4);
    ops = *m.block[0].reg.ops;
    plain_value = ops.value;
    ops.value = counting_value;
    m.block[0].reg.ops = &ops;
    m.o.accelerate = accelerate, m.o.audit = 1;
    crease_solver *s = solver_for(&m.p, &m.o);
    crease_step(s);
    values = 0;
    for (int k = 0; k < COUNT; k++) assert_int_equal(crease_step(s), CREASE_NOT_RUN);
    assert_int_equal(crease_solver_report(s).audit_violations, 0);
    crease_solver_free(s);
    return (double)values / COUNT;
}

static void the_prox_of_a_spectral_block_gives_its_value(void **state)
{
    const double plain = more_decompositions(0), fast = more_decompositions(1);
    (void)state;
    print_message("spectral block: %.2f decompositions beside the prox, %.2f extrapolated\n", plain,
                  fast);
    assert_true(plain <= 0.1);
    assert_true(fast <= 1.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f_and_its_gradients_follow_from_the_images),
        cmocka_unit_test(iterates_are_those_of_recomputation),
        cmocka_unit_test(an_iteration_is_a_pair_of_products),
        cmocka_unit_test(the_prox_of_a_spectral_block_gives_its_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
