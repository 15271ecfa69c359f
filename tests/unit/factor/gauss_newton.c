/* SPDX-License-Identifier: MIT
 * gauss_newton: answers on random factorizations are certified, F never rises, the model is that of
 * the Jacobian, balanced columns keep value and slope, and factors without penalties find the
 * truncated SVD */
#include "dense/dense.h"
#include "factor/gauss.h"
#include "support/core_run.h"

enum { MOST = 4 };

/* |T - [[X_1, ..., X_d]]|^2 of planted factors and noise; matrices come as such every other time.
 */
typedef struct {
    crease_space shape, space[MOST];
    crease_block block[MOST];
    crease_set set;
    int factor[MOST];
    double *target, *start[MOST];
    crease_cp_data cp;
    crease_factorization_data mf;
    crease_problem p;
} fit;

static double planted(const fit *o, double *const *X, ptrdiff_t j)
{
    ptrdiff_t i[CREASE_MAX_ORDER];
    double sum = 0;
    unravel(&o->shape, j, i);
    for (ptrdiff_t r = 0; r < o->cp.rank; r++) {
        double term = 1;
        for (int n = 0; n < o->shape.order; n++) term *= X[n][i[n] * o->cp.rank + r];
        sum += term;
    }
    return sum;
}

static void make_fit(fit *o, int order, ptrdiff_t rank, draws *d)
{
    static const ptrdiff_t dims[] = { 9, 11, 7, 5 };
    *o = (fit){ .shape.order = order };
    double *X[MOST];
    o->cp = (crease_cp_data){ .rank = rank, .factor = o->factor, .z = -1 };
    for (int n = 0; n < order; n++) {
        o->shape.dim[n] = dims[n] * (order == 2 ? 3 : 1);
        o->factor[n] = order - 1 - n;
        X[n] = doubles(o->shape.dim[n] * rank);
        for (ptrdiff_t j = 0; j < o->shape.dim[n] * rank; j++) X[n][j] = pos(normal(d) + 0.5);
        o->space[o->factor[n]] = crease_matrix(o->shape.dim[n], rank);
    }
    o->target = doubles(crease_size(&o->shape));
    for (ptrdiff_t j = 0; j < crease_size(&o->shape); j++)
        o->target[j] = planted(o, X, j) + 0.05 * normal(d);
    for (int i = 0; i < order; i++) {
        const ptrdiff_t size = crease_size(&o->space[i]);
        o->start[i] = doubles(size);
        for (ptrdiff_t j = 0; j < size; j++) o->start[i][j] = uniform(d, 0.1, 1);
        o->block[i].start = o->start[i];
        free(X[i]);
    }
    o->cp.shape = o->shape;
    o->cp.target = o->target;
    o->mf = (crease_factorization_data){ o->factor[0], o->factor[1], -1, o->target };
    o->p = (crease_problem){ order, o->space, o->block, crease_cp(&o->cp), { 0 }, NULL };
}

static void free_fit(fit *o)
{
    for (int i = 0; i < o->shape.order; i++) free(o->start[i]);
    free(o->target);
}

/* Penalties that hold every factor, mixed, or one for all: beside one that grows, a factor without
 * would run away to infinity. The last kind is a box. */
enum { HOLD = 5, KINDS = 9 };
static void choose(fit *o, int kind, draws *d)
{
    static const double l1[] = { 0.3 }, l2[] = { 0.2 };
    const crease_reg reg[KINDS] = {
        crease_nonneg(crease_l1(1).penalty, l1),
        crease_nonneg(crease_squared_l2(1).penalty, l2),
        crease_l1(0.2),
        crease_elastic_net(0.1, 0.1),
        crease_squared_l2(0.1),
        crease_mcp(0.3, 5),
        crease_nonneg_indicator(),
        crease_l0(0.2),
        crease_l1(0.1),
    };
    o->set = crease_box(0, 1.5);
    for (int i = 0; i < o->p.count; i++) {
        o->block[i].reg = reg[kind < HOLD && i > 0 ? (int)below(d, HOLD) : kind];
        o->block[i].set = kind == KINDS - 1 ? &o->set : NULL;
    }
}

static void random_factorizations(void **state)
{
    draws d = { { 21, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 54; trial++) {
        fit o;
        core_run r;
        const int order = 2 + trial % 3;
        make_fit(&o, order, 2 + below(&d, 2), &d);
        choose(&o, trial % KINDS, &d);
        o.cp.ridge = trial % 2 || trial % KINDS == 5 ? 0.01 : 0; /* mcp alone holds nothing */
        if (order == 2 && o.cp.ridge == 0) o.p.f = crease_matrix_factorization(&o.mf);
        run_to(&r, &crs_core_gauss_newton, &o.p, 1e-6, 2000);
        assert_true(r.work.unit == 2 * (double)crease_size(&o.shape));
        end_run(&r);
        free_fit(&o);
    }
}

/* <g, e> + (1/2)(2|J e|^2 + (ridge + mu)|e|^2) + r(w) - r(x) with J e entry by entry */
static double model_by_definition(const fit *o, const crs_gauss *m, const double *w)
{
    const ptrdiff_t n = m->c->n;
    double sum = 0, *e = doubles(n);
    for (ptrdiff_t j = 0; j < n; j++) e[j] = w[j] - m->x[j];
    for (ptrdiff_t j = 0; j < crease_size(&o->shape); j++) {
        double moved = 0;
        for (int one = 0; one < m->order; one++) {
            double *X[MOST];
            for (int k = 0; k < m->order; k++)
                X[k] = (k == one ? e : (double *)(uintptr_t)m->x) + m->at[k];
            moved += planted(o, X, j);
        }
        sum += moved * moved;
    }
    sum += crs_dot(n, m->g, e) + (m->ridge + m->mu) / 2 * crs_dot(n, e, e);
    sum += crs_nonsmooth_part(m->c, w) - crs_nonsmooth_part(m->c, m->x);
    free(e);
    return sum;
}

static void model_is_that_of_the_jacobian(void **state)
{
    draws d = { { 22, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 27; trial++) {
        fit o;
        crs_gauss m;
        crs_work work = { 0 };
        make_fit(&o, 2 + trial % 3, 3, &d);
        choose(&o, trial % KINDS, &d);
        o.cp.ridge = 0.1;
        crs_composite *c = crs_composite_new(&o.p, 1, &work, NULL, NULL);
        double *g = doubles(c->n), *w = doubles(c->n);
        assert_true(crs_gauss_of(c, &m));
        crs_carver count = { 0 };
        crs_gauss_carve(&m, &count);
        void *memory = crs_alloc((size_t)count.used + CRS_LINE, 1);
        crs_carver v = carver_of(memory);
        crs_gauss_carve(&m, &v);
        crs_smooth_both(c, c->start, NULL, g);
        assert_true(crs_gauss_at(&m, c->start, g));
        m.mu = pow(10, uniform(&d, -2, 2));
        const double fell = crs_gauss_minimize(&m, w);
        const double want = -model_by_definition(&o, &m, w);
        assert_true(fell > 0 && fabs(fell - want) <= 1e-10 * (1 + fabs(want)));
        for (ptrdiff_t j = 0; j < 200; j++) { /* nothing near is much lower */
            double *y = doubles(c->n);
            for (ptrdiff_t k = 0; k < c->n; k++)
                y[k] = w[k] == 0 ? 0 : w[k] * (1 + 1e-3 * normal(&d));
            if (m.c->by[0].high == INFINITY)
                assert_true(-model_by_definition(&o, &m, y) <= want * 1.02);
            free(y);
        }
        crs_free(memory), free(g), free(w);
        crs_composite_free(c);
        free_fit(&o);
    }
}

/* Without penalties min |T - XY'|^2 is the sum of the squares of the singular values after R. */
static void free_factors_find_the_truncated_svd(void **state)
{
    draws d = { { 23, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 10; trial++) {
        fit o;
        core_run r;
        make_fit(&o, 2, 1 + below(&d, 3), &d);
        const ptrdiff_t m = o.shape.dim[0], n = o.shape.dim[1];
        double s[64], rest = 0, *room = unset_doubles(crs_svd_scratch(m, n));
        crs_singular_values(m, n, o.target, s, room);
        for (ptrdiff_t k = o.cp.rank; k < crs_short_side(m, n); k++) rest += s[k] * s[k];
        run_to(&r, &crs_core_gauss_newton, &o.p, 1e-7, 500);
        assert_true(fabs(r.at.objective - rest) <= 1e-9 * (1 + rest));
        end_run(&r);
        free(room);
        free_fit(&o);
    }
}

static void nan_ends_it(void **state)
{
    draws d = { { 24, 0 }, 0 };
    fit o;
    core_run r;
    (void)state;
    make_fit(&o, 3, 2, &d);
    choose(&o, 0, &d);
    o.target[5] = NAN;
    begin_run(&r, &crs_core_gauss_newton, &o.p, 1e-6);
    assert_true(crs_core_gauss_newton.step(r.self) == CRS_CORE_STUCK);
    end_run(&r);
    free_fit(&o);
}

static void other_structures_are_left_to_others(void **state)
{
    draws d = { { 25, 0 }, 0 };
    crs_work work = { 0 };
    fit o;
    (void)state;
    make_fit(&o, 2, 9, &d); /* as many numbers in the factors as in the target */
    crs_composite *c = crs_composite_new(&o.p, 1, &work, NULL, NULL);
    assert_false(crs_core_gauss_newton.suits(c));
    crs_composite_free(c);
    free_fit(&o);
    make_fit(&o, 2, 1, &d);
    o.set = crease_l2_ball(1);
    o.block[1].set = &o.set; /* not separable */
    c = crs_composite_new(&o.p, 1, &work, NULL, NULL);
    assert_false(crs_core_gauss_newton.suits(c));
    crs_composite_free(c);
    free_fit(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_factorizations),
        cmocka_unit_test(model_is_that_of_the_jacobian),
        cmocka_unit_test(free_factors_find_the_truncated_svd),
        cmocka_unit_test(nan_ends_it),
        cmocka_unit_test(other_structures_are_left_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
