/* SPDX-License-Identifier: MIT
 * multipliers_theorem_a: the method of multipliers (docs/theory.md, Theorem A)
 *
 * (a) The inner gradient is grad f - A'(lambda - beta s): what the core says of its residual is
 * what the certificate of (x, lambda - beta s) says. (b) With a feasible point x^f, inner problems
 * that begin at the better of x^{k-1} and x^f and only descend: |s| <= 2 |lambda|/beta + sqrt(2
 * (F(x^f) - F*)/beta), whatever lambda and beta are. */
#include "composite/cores.h"

#include "support/test.h"

enum { N = 10, M = 3, DATA = 14, PROBLEMS = 200 };

typedef struct {
    double A[M * N], K[DATA * N], b[M], y[DATA], feasible[N];
    crease_map map, design;
    int block;
    crease_predictor u;
    crease_space space;
    crease_set box;
    crease_block blocks[1];
    crease_problem p;
} example;

/* Losses and penalties are >= 0 here: F* >= 0. */
static void draw(draws *d, example *s)
{
    const crease_reg regs[] = { crease_mcp(0.2, 2), crease_l0(0.05),       crease_lq(0.1, 0.5),
                                crease_l1(0.1),     crease_scad(0.2, 3.7), crease_zero() };
    normals(d, M * N, 1, s->A);
    normals(d, DATA * N, 0.5, s->K);
    normals(d, DATA, 1, s->y);
    for (int j = 0; j < N; j++) s->feasible[j] = below(d, 2) ? 0 : uniform(d, -1, 1);
    for (int i = 0; i < M; i++) s->b[i] = crs_dot(N, s->A + i * N, s->feasible);
    s->map = crease_dense(s->A);
    s->design = crease_dense(s->K);
    s->block = 0;
    s->u = (crease_predictor){ .count = 1, .block = &s->block, .map = &s->design, .rhs = s->y };
    s->u.range = crease_vector(DATA);
    s->space = crease_vector(N);
    s->box = crease_box(-1, 1);
    s->blocks[0] = (crease_block){ .reg = regs[below(d, 6)], .map = s->map };
    if (below(d, 2)) s->blocks[0].set = &s->box;
    s->p = (crease_problem){ .count = 1, .space = &s->space, .block = s->blocks, .rhs = s->b };
    s->p.f = below(d, 2) ? crease_least_squares(&s->u) : crease_huber_loss(&s->u, 0.5);
    s->p.range = crease_vector(M);
}

static crs_composite *composite_of(const example *s, crs_work *work)
{
    crease_error e;
    crs_composite *c = crs_composite_new(&s->p, 0, work, NULL, &e);
    if (!c) fail_msg("%s", e.text);
    return c;
}

static double worst_of(const example *s, const crs_standing *now)
{
    static double work[20000];
    const double *x[] = { now->x };
    crease_residual block[1];
    crease_certificate c = { .block = block };
    assert_true(crease_certify_scratch(&s->p) <= 20000);
    crease_certify(&s->p, x, now->multiplier, &c, work);
    return c.worst;
}

static void the_inner_residual_is_that_of_the_certificate(void **state)
{
    draws d = { { 51, 1 }, 0 };
    const double eps = 1e-6;
    long compared = 0;
    (void)state;
    for (int k = 0; k < PROBLEMS; k++) {
        crs_work work = { 0 };
        crs_standing now = { 0 };
        crs_core_state said = CRS_CORE_GOES_ON;
        example s;
        draw(&d, &s);
        crs_composite *c = composite_of(&s, &work);
        const crs_task task = { .c = c, .start = c->start, .tolerance = &eps, .feasible = &eps };
        void *self = crs_core_multipliers.open(&task, NULL);
        assert_non_null(self);
        for (int j = 0; j < 60 && said == CRS_CORE_GOES_ON; j++, compared++) {
            said = crs_core_multipliers.step(self);
            crs_core_multipliers.stand(self, &now);
            const double worst = worst_of(&s, &now), told = eps * now.ratio;
            if (!(fabs(worst - told) <= 1e-9 + 1e-6 * worst))
                fail_msg("problem %d, step %d: %.10g, certificate %.10g", k, j, told, worst);
        }
        crs_core_multipliers.close(self);
        crs_composite_free(c);
    }
    print_message("%ld certificates of %d problems\n", compared, PROBLEMS);
    assert_true(compared > 10 * PROBLEMS);
}

/* F(x) - <lambda, s> + (beta/2)|s|^2 up to a constant: F of the inner problem. */
static double merit(const crs_composite *in, const double *x, double *u)
{
    crs_products(in, x, u);
    return crs_smooth_part(in, x, u) + crs_nonsmooth_part(in, x);
}

/* One inner problem from the better of x and x^f; x is its answer. */
static void solve_inner(crs_composite *in, const double *feasible, double *x)
{
    const double eps = 1e-4;
    double u[DATA + M];
    crs_standing now = { 0 };
    if (merit(in, feasible, u) < merit(in, x, u)) copy(N, feasible, x);
    const crs_core *core = crs_core_at(in, 0);
    const crs_task task = { .c = in, .start = x, .tolerance = &eps };
    void *self = core->open(&task, NULL);
    assert_non_null(self);
    for (int j = 0; j < 300 && core->step(self) == CRS_CORE_GOES_ON; j++) continue;
    core->stand(self, &now);
    copy(N, now.x, x);
    core->close(self);
}

static void a_feasible_point_bounds_how_far_iterates_are_from_the_constraint(void **state)
{
    draws d = { { 52, 1 }, 0 };
    double closest = 0;
    (void)state;
    for (int k = 0; k < PROBLEMS; k++) {
        crs_work work = { 0 };
        example s;
        double x[N] = { 0 }, rhs[M], lambda[M], u[DATA];
        draw(&d, &s);
        crs_composite *c = composite_of(&s, &work);
        crs_term more = *c->constraint;
        crs_products(c, s.feasible, u);
        const double F = crs_smooth_part(c, s.feasible, u) + crs_nonsmooth_part(c, s.feasible);
        more.rhs = rhs;
        crs_composite *in = crs_composite_with(c, 1, &more, NULL);
        assert_non_null(in);
        for (int j = 0; j < 4; j++) {
            const double beta = spread(&d, -3, 6);
            double off = 0;
            normals(&d, M, spread(&d, -2, 3), lambda);
            for (int i = 0; i < M; i++) rhs[i] = s.b[i] + lambda[i] / beta;
            in->term[c->terms].weight = beta;
            solve_inner(in, s.feasible, x);
            for (int i = 0; i < M; i++) off += square(crs_dot(N, s.A + i * N, x) - s.b[i]);
            const double bound = 2 * crs_norm(M, lambda) / beta + sqrt(2 * F / beta);
            closest = larger(closest, sqrt(off) / bound);
            if (!(sqrt(off) <= bound * (1 + 1e-9))) fail_msg("%g > %g", sqrt(off), bound);
        }
        crs_composite_free(in);
        crs_composite_free(c);
    }
    print_message("%d inner problems, |s| at most %.3f of its bound\n", 4 * PROBLEMS, closest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_inner_residual_is_that_of_the_certificate),
        cmocka_unit_test(a_feasible_point_bounds_how_far_iterates_are_from_the_constraint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
