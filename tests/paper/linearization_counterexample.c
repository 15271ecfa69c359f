/* SPDX-License-Identifier: MIT
 * linearization_counterexample: a linearized block step needs sigma_min(H_i) > L_i
 *
 * f = (L/2)|x_1|^2 with H_1 = 0.1 L I satisfies beta > max{2.86 L, 6 L^2/sigma_min(H_1)}, the
 * paper's (3.8), and diverges when f is linearized (Remark 3.14): the step is about -9 x_1. With
 * tau_1 = beta |A_1|^2 + L_1 + h the same problem is solved. */
#include "paper/follow.h"

typedef struct {
    crease_space space[2];
    crease_block block[2];
    crease_distance_data square;
    double map[4], start[2], rhs[2];
    crease_problem p;
} example;

static void draw(draws *d, example *x)
{
    *x = (example){ .square = { 0, -1, exp(uniform(d, -2, 2)), NULL } };
    x->space[0] = x->space[1] = crease_vector(2);
    normals(d, 4, 1e-3, x->map);
    normals(d, 2, 1, x->start);
    normals(d, 2, 1, x->rhs);
    x->block[0] = (crease_block){ .reg = crease_l1(1e-3), .map = crease_dense(x->map) };
    x->block[0].start = x->start;
    x->block[1] = (crease_block){ .map = crease_identity(1) };
    x->p = (crease_problem){ 2,           x->space, x->block, crease_squared_distance(&x->square),
                             x->space[0], x->rhs };
}

/* Runs with H_1 = h I exactly; returns |x_1| at the end over its start. */
static double growth(const example *x, double beta, double h, long iterations, double *residual)
{
    crease_options o = plain(CREASE_METHOD_ADMM_G, CREASE_MODE_PRACTICAL, iterations);
    crease_error e = { 0 };
    o.beta = beta;
    o.eps = 1e-8;
    crease_solver *s = crease_solver_new(&x->p, &o, &e);
    if (!s) fail_msg("%s", e.text);
    if (h > 0) s->a->block[0].h = h - s->a->block[0].lipschitz;
    crease_solve(s);
    const double size = crs_norm(2, s->st.x[0]) / crs_norm(2, x->start);
    *residual = s->run.now.worst;
    crease_solver_free(s);
    return size;
}

static void without_L(void **state)
{
    draws d = { .r = { .seed = 41 } };
    double least = INFINITY, most = 0, worst = 0, residual;
    example x;
    (void)state;
    for (int k = 0; k < 200 / SLOWDOWN; k++) {
        draw(&d, &x);
        const double L = x.square.weight, h = 0.1 * L, beta = 1.1 * 6 * L * L / h;
        assert_true(beta > (18 * sqrt(3) + 6) / 13 * L);
        least = smaller(least, growth(&x, beta, h, 20, &residual));
        most = larger(most, growth(&x, beta, 0, 20000, &residual));
        worst = larger(worst, residual);
    }
    print_message(
        "H_1 = 0.1 L: |x_1| grows at least %.1e-fold in 20 iterations; with + L_1 at most "
        "%.2g-fold, worst residual %.1e\n",
        least, most, worst);
    assert_true(least > 1e10 && most <= 1 && worst <= 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(without_L) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
