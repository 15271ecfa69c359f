/* SPDX-License-Identifier: MIT
 * systems: every way to solve for Newton's step solves the system that its definition says, for
 * random free sets one after the other, whatever is kept from the last */
#include "newton/newton.h"

#include "dense/dense.h"
#include "support/arrays.h"
#include "support/test.h"

enum { NX = 30, NZ = 24, N = NX + NZ, ROWS = 40, FEW = 8, NONZEROS = 90 };

typedef enum {
    DENSE,
    DENSE_LOGISTIC,
    SPARSE,
    LONG_ROWS,
    COUPLING,
    SQUARES,
    FORM,
    OPAQUE,
    KINDS
} kind;

/* f = a choice of terms in two blocks */
typedef struct {
    double dense[ROWS * NX], rhs[ROWS], labels[ROWS], weight[ROWS], Q[NX * NX], value[NONZEROS];
    double wide[FEW * NX];
    ptrdiff_t start[ROWS + 1], col[NONZEROS], wide_start[FEW + 1], wide_col[FEW * NX];
    crease_csr_matrix csr, wide_csr;
    crease_callback_map callback;
    crease_map map[8];
    int block[2];
    crease_predictor p[8];
    crease_distance_data distance;
    const double *form;
    int zero;
    crease_quadratic_data quadratic;
    crease_smooth term[KINDS];
    crease_smooth_list list;
    crease_space space[2];
    crease_block blocks[2];
    crease_problem problem;
} example;

static void opaque_apply(void *user, double a, const double *x, double *y)
{
    const example *s = user;
    for (ptrdiff_t i = 0; i < ROWS; i++) y[i] += a * crs_dot(NX, s->dense + i * NX, x);
}

static void opaque_adjoint(void *user, double a, const double *y, double *x)
{
    const example *s = user;
    for (ptrdiff_t i = 0; i < ROWS; i++) axpy(NX, a * y[i], s->dense + i * NX, x);
}

static void draw_sparse(draws *d, example *s)
{
    for (ptrdiff_t i = 0, k = 0; i < ROWS; i++) {
        s->start[i] = k;
        for (ptrdiff_t e = below(d, 4); e > 0 && k < NONZEROS; e--) {
            s->value[k] = normal(d);
            s->col[k++] = below(d, NX);
        }
        s->start[i + 1] = k;
    }
    s->csr = (crease_csr_matrix){ ROWS, NX, s->start, s->col, s->value };
    for (ptrdiff_t i = 0; i <= FEW; i++) s->wide_start[i] = i * NX;
    for (ptrdiff_t k = 0; k < FEW * NX; k++) s->wide_col[k] = k % NX;
    s->wide_csr = (crease_csr_matrix){ FEW, NX, s->wide_start, s->wide_col, s->wide };
}

static crease_predictor predictor(example *s, int map, ptrdiff_t rows)
{
    return (crease_predictor){ .count = 1,
                               .block = s->block,
                               .map = &s->map[map],
                               .range = crease_vector(rows),
                               .rhs = s->rhs };
}

static void draw_terms(draws *d, example *s)
{
    normals(d, ROWS * NX, 0.3, s->dense);
    normals(d, FEW * NX, 1, s->wide);
    normals(d, ROWS, 1, s->rhs);
    for (int i = 0; i < ROWS; i++) s->labels[i] = s->rhs[i] > 0 ? 1 : -1;
    for (int i = 0; i < ROWS; i++) s->weight[i] = uniform(d, 0, 2);
    draw_sparse(d, s);
    fill(NX * NX, 0, s->Q);
    for (ptrdiff_t j = 0; j < NX; j++) {
        const ptrdiff_t k = below(d, NX);
        s->Q[j * NX + j] += 2;
        s->Q[j * NX + k] += 0.4, s->Q[k * NX + j] += 0.4;
    }
}

static void make_terms(example *s, draws *d)
{
    draw_terms(d, s);
    s->block[0] = 0, s->block[1] = 1;
    s->callback = (crease_callback_map){ opaque_apply, opaque_adjoint, s, 20, 0 };
    s->map[0] = crease_dense(s->dense);
    s->map[1] = crease_csr(&s->csr);
    s->map[2] = crease_csr(&s->wide_csr);
    s->map[3] = crease_finite_difference(0); /* of z, with the next: z_{j+1} - z_j - .. */
    s->map[4] = crease_map_callback(&s->callback);
    s->p[DENSE] = predictor(s, 0, ROWS);
    s->p[DENSE].weight = s->weight;
    s->p[DENSE_LOGISTIC] = predictor(s, 0, ROWS);
    s->p[DENSE_LOGISTIC].rhs = s->labels;
    s->p[SPARSE] = predictor(s, 1, ROWS);
    s->p[LONG_ROWS] = predictor(s, 2, FEW);
    s->p[COUPLING] = predictor(s, 3, NZ - 1);
    s->p[COUPLING].block = &s->block[1];
    s->p[OPAQUE] = predictor(s, 4, ROWS);
    s->distance = (crease_distance_data){ .a = 1, .b = -1, .weight = 0.7 };
    s->zero = 0;
    s->form = s->Q;
    s->quadratic = (crease_quadratic_data){ .count = 1, .row = &s->zero, .col = &s->zero };
    s->quadratic.matrix = &s->form;
    s->term[DENSE] = crease_least_squares(&s->p[DENSE]);
    s->term[DENSE_LOGISTIC] = crease_logistic(&s->p[DENSE_LOGISTIC]);
    s->term[SPARSE] = crease_huber_loss(&s->p[SPARSE], 0.5);
    s->term[LONG_ROWS] = crease_least_squares(&s->p[LONG_ROWS]);
    s->term[COUPLING] = crease_least_squares(&s->p[COUPLING]);
    s->term[SQUARES] = crease_squared_distance(&s->distance);
    s->term[FORM] = crease_quadratic(&s->quadratic);
    s->term[OPAQUE] = crease_least_squares(&s->p[OPAQUE]);
}

/* The terms whose bit is set in `which`. */
static void make_problem(example *s, unsigned which, crease_smooth *chosen)
{
    int count = 0;
    for (int k = 0; k < KINDS; k++)
        if (which >> k & 1) chosen[count++] = s->term[k];
    s->list = (crease_smooth_list){ .count = count, .term = chosen };
    s->space[0] = crease_vector(NX), s->space[1] = crease_vector(NZ);
    s->blocks[0] = s->blocks[1] = (crease_block){ .reg = crease_l1(0.1) };
    s->problem = (crease_problem){ .count = 2, .space = s->space, .block = s->blocks };
    s->problem.f = crease_smooth_sum(&s->list);
}

/* H by the products of unit vectors. */
static void brute_force(const crs_composite *c, const double *u, double *H)
{
    double *e = doubles(c->n), *Ke = unset_doubles(c->rows), *h = unset_doubles(c->rows);
    for (ptrdiff_t j = 0; j < c->n; j++) {
        e[j] = 1;
        crs_products(c, e, Ke);
        e[j] = 0;
        fill(c->n, 0, H + j * c->n);
        for (int k = 0; k < c->terms; k++) {
            const crs_term *t = &c->term[k];
            double *mine = Ke + t->at;
            if (!t->loss) axpy(c->n, t->weight, mine, H + j * c->n);
            if (!t->loss) continue;
            assert_true(crs_term_curve(t, u + t->at, h));
            for (ptrdiff_t i = 0; i < t->rows; i++) mine[i] *= h[i];
            crs_term_adjoint(c, t, 1, mine, H + j * c->n);
        }
    }
    free(e), free(Ke), free(h);
}

typedef struct {
    ptrdiff_t count, S[N];
    double curve[N], damp[N], g[N], d[N];
} question;

static void draw_question(draws *d, question *q, double least)
{
    q->count = 0;
    for (ptrdiff_t j = 0; j < N; j++)
        if (below(d, 4) > 0) q->S[q->count++] = j;
    for (ptrdiff_t k = 0; k < q->count; k++) {
        q->curve[k] = uniform(d, least, 0.5);
        q->damp[k] = uniform(d, 0.01, 0.1);
        q->g[k] = normal(d);
    }
}

/* |H d + g|/|g|, with rho'' as it is or its positive part. */
static double error_of(const question *q, const double *H, bool convex)
{
    double r[N];
    for (ptrdiff_t k = 0; k < q->count; k++) {
        r[k] = q->g[k] + (q->damp[k] + (convex ? pos(q->curve[k]) : q->curve[k])) * q->d[k];
        for (ptrdiff_t l = 0; l < q->count; l++) r[k] += H[q->S[k] * N + q->S[l]] * q->d[l];
    }
    return crs_norm(q->count, r) / crs_norm(q->count, q->g);
}

/* Curvatures from `least` on; settled: dense factors are allowed. */
static void check_systems(unsigned which, double least, bool settled)
{
    draws d = { { 51, which }, 0 };
    crease_error e = { CREASE_OK, "" };
    crease_smooth chosen[KINDS];
    crs_work work = { 0 };
    example s;
    question q;
    make_terms(&s, &d);
    make_problem(&s, which, chosen);
    crs_composite *c = crs_composite_new(&s.problem, 0, &work, NULL, &e);
    if (!c) fail_msg("%s", e.text);
    crs_face *f = crs_face_new(c, &e);
    crs_system *solver = crs_system_new(f, &e);
    double x[N], *u = unset_doubles(c->rows), *H = unset_doubles(N * N);
    for (int again = 0; again < 6; again++) {
        normals(&d, N, 1, x);
        crs_products(c, x, u);
        brute_force(c, u, H);
        if (again % 3 != 2) draw_question(&d, &q, least); /* else the same S once more */
        const crs_newton_step step = { u, q.curve, q.damp, q.g, 1e-12, 1000, settled };
        assert_true(crs_face_set(f, q.count, q.S) && crs_system_solve(solver, &step, q.d));
        const double error = smaller(error_of(&q, H, false), error_of(&q, H, true));
        if (!(error <= 1e-9)) fail_msg("terms %x, least %g: error %g", which, least, error);
    }
    crs_system_free(solver), crs_face_free(f), crs_composite_free(c);
    free(u), free(H);
}

static void steps_solve_the_system_of_their_definition(void **state)
{
    (void)state;
    for (unsigned which = 1; which < 1u << KINDS; which++)
        for (int settled = 0; settled < 2; settled++) check_systems(which, 0, settled);
}

/* Then the majorant's, but for directions of no curvature, which conjugate gradients may return. */
static void concave_penalties_do_not_stop_factorizations(void **state)
{
    static const unsigned some[] = { 1u << DENSE, 1u << SPARSE | 1u << SQUARES,
                                     1u << FORM | 1u << SQUARES, 1u << DENSE | 1u << COUPLING };
    (void)state;
    for (int k = 0; k < 4; k++) check_systems(some[k], -0.6, true);
}

static void slopes_and_products_of_a_face_are_those_of_the_whole(void **state)
{
    draws d = { { 52, 1 }, 0 };
    crease_error e = { CREASE_OK, "" };
    crease_smooth chosen[KINDS];
    crs_work work = { 0 };
    example s;
    question q;
    (void)state;
    make_terms(&s, &d);
    make_problem(&s, (1u << KINDS) - 1, chosen);
    crs_composite *c = crs_composite_new(&s.problem, 0, &work, NULL, &e);
    if (!c) fail_msg("%s", e.text);
    crs_face *f = crs_face_new(c, &e);
    double x[N], v[N], g[N], part[N], *u = unset_doubles(c->rows), *w = doubles(c->rows);
    for (int again = 0; again < 20; again++) {
        draw_question(&d, &q, 0);
        assert_true(crs_face_set(f, q.count, q.S));
        normals(&d, N, 1, x);
        crs_products(c, x, u);
        crs_smooth_slope(c, x, u, g);
        crs_face_slope(f, u, part);
        for (ptrdiff_t k = 0; k < q.count; k++) assert_close(part[k], g[q.S[k]], 1e-12);
        fill(N, 0, v);
        for (ptrdiff_t k = 0; k < q.count; k++) v[q.S[k]] = q.g[k];
        fill(c->rows, 0, w);
        crs_face_products(f, 1.5, q.g, w);
        crs_add_products(c, -1.5, v, w);
        for (ptrdiff_t i = 0; i < c->rows; i++) assert_close(w[i], 0, 1e-12);
    }
    crs_face_free(f), crs_composite_free(c);
    free(u), free(w);
}

/* Columns that come and go: every product is what it is. */
static void cached_products_of_columns_are_products(void **state)
{
    draws d = { { 53, 1 }, 0 };
    crease_error e = { CREASE_OK, "" };
    crease_smooth chosen[KINDS];
    crs_work work = { 0 };
    example s;
    question q;
    (void)state;
    make_terms(&s, &d);
    make_problem(&s, 1u << DENSE, chosen);
    crs_composite *c = crs_composite_new(&s.problem, 0, &work, NULL, &e);
    double H[N * N];
    for (int again = 0; again < 20; again++) {
        draw_question(&d, &q, 0);
        fill(N * N, 0, H);
        assert_true(crs_gram_add(c, &c->term[0], 2, q.count, q.S, H));
        for (ptrdiff_t k = 0; k < q.count; k++)
            for (ptrdiff_t l = 0; l <= k; l++) {
                double sum = 0;
                for (int i = 0; i < ROWS && q.S[k] < NX && q.S[l] < NX; i++)
                    sum += s.weight[i] * s.dense[i * NX + q.S[k]] * s.dense[i * NX + q.S[l]];
                assert_close(H[k * q.count + l], 2 * sum, 1e-13);
            }
    }
    const double before = work.entries;
    assert_true(crs_gram_add(c, &c->term[0], 2, q.count, q.S, H));
    assert_true(work.entries == before); /* nothing is made twice */
    crs_composite_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_solve_the_system_of_their_definition),
        cmocka_unit_test(concave_penalties_do_not_stop_factorizations),
        cmocka_unit_test(slopes_and_products_of_a_face_are_those_of_the_whole),
        cmocka_unit_test(cached_products_of_columns_are_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
