/* SPDX-License-Identifier: MIT
 * factors: matrix factorization, CP and Tucker couplings against plain loops; their constants; what
 * they refuse */
#include "support/couplings.h"

/* A bound of everything added up on the way to a value or a gradient, relative to which rounding
 * is measured. */
static double magnitude(problem *p)
{
    double product = 1;
    for (int i = 1; i < p->b.count; i++)
        if (p->f.ops->touches(&p->f, i)) product *= 1 + crease_norm(p->space + i, p->x[i]);
    const double z = crs_norm(crease_size(&p->shape), p->cp.z < 0 ? p->target : p->x[0]);
    return square(product + 2 * z);
}

static void value_is_the_sum(problem *p, draws *d)
{
    (void)d;
    assert_true(p->f.ops->check(&p->f, &p->b, NULL));
    assert_true(fabs(value(p) - naive_value(p)) <= 200 * 0x1p-53 * magnitude(p));
}

static void values(void **state) { (void)state, for_all(value_is_the_sum, 1); }

/* f is at most quadratic in a block: central differences are exact for any step, here 1/2. */
static void gradient_is_the_difference(problem *p, draws *d)
{
    (void)d;
    for (int i = 0; i < p->b.count; i++) {
        double *g = gradient(p, i);
        for (ptrdiff_t j = 0; j < crease_size(p->space + i); j++) {
            const double x = p->x[i][j];
            p->x[i][j] = x + 0.5;
            const double high = naive_value(p);
            p->x[i][j] = x - 0.5;
            const double difference = high - naive_value(p);
            p->x[i][j] = x;
            if (!p->f.ops->touches(&p->f, i)) assert_true(g[j] == 0 && difference == 0);
            if (!(fabs(g[j] - difference) <= 1000 * 0x1p-53 * magnitude(p)))
                fail_msg("%s order %d block %d: %.17g, not %.17g", p->f.ops->name, p->shape.order,
                         i + 1, g[j], difference);
        }
        free(g);
    }
}

static void gradients(void **state) { (void)state, for_all(gradient_is_the_difference, 2); }

/* Also for a target so near [[X]] that |Z|^2 - 2<Z, [[X]]> + |[[X]]|^2 would lose the digits. */
static void one_pass_gives_both(problem *p, draws *d)
{
    double *g[MOST_BLOCKS], *own;
    if (!p->f.ops->both) return;
    for (int near = 0; near < 2; near++) {
        for (ptrdiff_t j = 0; near && p->cp.z < 0 && j < crease_size(&p->shape); j++) {
            ptrdiff_t i[CREASE_MAX_ORDER];
            unravel(&p->shape, j, i);
            p->target[j] = entry(p, i) + 1e-5 * normal(d);
        }
        for (int i = 0; i < p->b.count; i++) g[i] = doubles(crease_size(p->space + i));
        const double f = p->f.ops->both(&p->f, &p->b, (const double *const *)p->x, g, p->work);
        const double want = naive_value(p);
        assert_true(fabs(f - want) <= 1e-8 * want);
        for (int i = 0; i < p->b.count; i++) {
            own = gradient(p, i);
            for (ptrdiff_t j = 0; j < crease_size(p->space + i); j++)
                assert_true(fabs(g[i][j] - own[j]) <= 1000 * 0x1p-53 * magnitude(p));
            free(own), free(g[i]);
        }
    }
}

static void one_pass(void **state) { (void)state, for_all(one_pass_gives_both, 9); }

/* The block step's value with y in block i. */
static double model(problem *p, int i, double h, const double *v, double *y)
{
    double *kept = p->x[i], sum = 0;
    for (ptrdiff_t j = 0; j < crease_size(p->space + i); j++) sum += square(y[j] - v[j]);
    p->x[i] = y;
    const double total = naive_value(p) + h / 2 * sum;
    p->x[i] = kept;
    return total;
}

/* grad_i f(y) + h(y - v) = -nu y, nu >= 0, nu = 0 inside the ball; no random feasible point near
 * or far is better. */
static void check_step(problem *p, int i, double h, const double *v, double radius, double *y,
                       draws *d)
{
    const ptrdiff_t n = crease_size(p->space + i);
    double *kept = p->x[i], norm = crs_norm(n, y), best = model(p, i, h, v, y);
    p->x[i] = y;
    double *g = gradient(p, i);
    const double size = magnitude(p) + h * (norm + crs_norm(n, v));
    p->x[i] = kept;
    for (ptrdiff_t j = 0; j < n; j++) g[j] += h * (y[j] - v[j]);
    assert_true(norm <= radius * (1 + 100 * 0x1p-53));
    if (norm >= radius * (1 - 1e-10)) {
        const double nu = -crs_dot(n, g, y) / (norm * norm);
        assert_true(nu * norm >= -1e4 * 0x1p-53 * size);
        axpy(n, nu, y, g);
    }
    if (!(crs_norm(n, g) <= 1e4 * 0x1p-53 * size))
        fail_msg("%s order %d block %d h %g radius %g: |gradient| = %g", p->f.ops->name,
                 p->shape.order, i + 1, h, radius, crs_norm(n, g));
    for (int trial = 0; trial < 20; trial++) {
        double *other = random_doubles(d, n, pow(10, -trial % 5));
        if (trial % 2) axpy(n, 1, y, other);
        const double far = crs_norm(n, other);
        for (ptrdiff_t j = 0; j < n && far > radius; j++) other[j] *= radius / far;
        assert_true(best <= model(p, i, h, v, other) + 1e3 * 0x1p-53 * size * (1 + norm));
        free(other);
    }
    free(g);
}

static void steps_are_optimal(problem *p, draws *d)
{
    const double hs[] = { 0, 1e-3, 1, 1e6 }, radii[] = { INFINITY, 10, 1, 1e-3 };
    for (int i = 0; i < p->b.count; i++)
        for (int trial = 0; trial < 16; trial++) {
            const double h = hs[trial % 4], radius = radii[trial / 4];
            const ptrdiff_t n = crease_size(p->space + i);
            const double *const *x = (const double *const *)p->x;
            double *v = random_doubles(d, n, 1), *y = unset_doubles(n);
            const bool has = p->f.ops->argmin(&p->f, &p->b, x, i, h, v, radius, NULL, NULL);
            const bool bounded = p->kind != MULTILINEAR || h > 0 || radius < INFINITY;
            assert_true(has == (p->f.ops->touches(&p->f, i) && bounded));
            if (has) {
                assert_true(p->f.ops->argmin(&p->f, &p->b, x, i, h, v, radius, y, p->work));
                check_step(p, i, h, v, radius, y, d);
                p->f.ops->argmin(&p->f, &p->b, x, i, h, v, radius, v, p->work); /* in place */
                for (ptrdiff_t j = 0; j < n; j++) assert_true(v[j] == y[j]);
            }
            free(v), free(y);
        }
}

static void block_steps(void **state) { (void)state, for_all(steps_are_optimal, 3); }

/* Two equal columns in every factor and h = 0: the matrix of the step is singular. */
static void singular_steps(problem *p, draws *d)
{
    if (p->kind == MULTILINEAR) return;
    for (int n = 0; n < p->shape.order; n++)
        for (ptrdiff_t j = 0, r = p->ranks.dim[n]; r > 1 && j < p->shape.dim[n]; j++)
            p->x[p->factor[n]][j * r + 1] = p->x[p->factor[n]][j * r];
    for (int i = 0; i < p->b.count; i++) {
        const ptrdiff_t n = crease_size(p->space + i);
        double *y = unset_doubles(n), *v = random_doubles(d, n, 1);
        for (int trial = 0; trial < 2 && p->f.ops->touches(&p->f, i); trial++) {
            const double radius = trial ? 0.7 : INFINITY;
            p->f.ops->argmin(&p->f, &p->b, (const double *const *)p->x, i, 0, v, radius, y,
                             p->work);
            check_step(p, i, 0, v, radius, y, d);
        }
        free(y), free(v);
    }
}

static void singular(void **state) { (void)state, for_all(singular_steps, 4); }

static void nan_spreads(problem *p, draws *d)
{
    (void)d;
    for (int i = 0; i < p->b.count; i++) {
        if (!p->f.ops->touches(&p->f, i)) continue;
        const double kept = p->x[i][0];
        p->x[i][0] = NAN;
        assert_true(isnan(value(p)));
        for (int k = 0; k < p->b.count; k++) {
            const ptrdiff_t n = crease_size(p->space + k);
            if (!p->f.ops->touches(&p->f, k) || (k == i && p->kind == MULTILINEAR)) continue;
            double *g = gradient(p, k), *v = doubles(n);
            assert_true(isnan(crs_norm(n, g)));
            for (int ball = 0; ball < 2 && k != i; ball++) {
                p->f.ops->argmin(&p->f, &p->b, (const double *const *)p->x, k, 1, v,
                                 ball ? 0.5 : INFINITY, g, p->work);
                assert_true(isnan(crs_norm(n, g)));
            }
            free(g), free(v);
        }
        p->x[i][0] = kept;
    }
}

static void nan_comes_through(void **state) { (void)state, for_all(nan_spreads, 5); }

/* The norm of the Hessian of block i, from below by power iteration: H v = grad(x+v) - grad(x). */
static double hessian_norm(problem *p, int i, draws *d)
{
    const ptrdiff_t n = crease_size(p->space + i);
    double *kept = p->x[i], *at = doubles(n), *g0 = gradient(p, i), norm = 0;
    double *v = random_doubles(d, n, 1);
    for (int k = 0; k < 300; k++) {
        const double length = crs_norm(n, v);
        for (ptrdiff_t j = 0; j < n; j++) at[j] = kept[j] + v[j] / (length > 0 ? length : 1);
        p->x[i] = at;
        double *g = gradient(p, i);
        p->x[i] = kept;
        for (ptrdiff_t j = 0; j < n; j++) v[j] = g[j] - g0[j];
        norm = crs_norm(n, v);
        free(g);
    }
    free(at), free(g0), free(v);
    return norm;
}

static void curvature_is_the_hessian_norm(problem *p, draws *d)
{
    if (!p->f.ops->curvature) return; /* linear in each block: the constant 0 serves */
    for (int i = 0; i < p->b.count; i++) {
        const double c = p->f.ops->curvature(&p->f, &p->b, (const double *const *)p->x, i, p->work);
        const double true_norm = hessian_norm(p, i, d);
        if (!(c >= true_norm * (1 - 1e-10) && c <= true_norm * (1 + 1e-3)))
            fail_msg("%s order %d block %d: %g for a norm %g", p->f.ops->name, p->shape.order,
                     i + 1, c, true_norm);
    }
}

static void curvatures(void **state) { (void)state, for_all(curvature_is_the_hessian_norm, 1); }

/* A point of the region, often on its boundary. */
static void random_point(problem *p, draws *d)
{
    for (int i = 0; i < p->b.count; i++) {
        const ptrdiff_t n = crease_size(p->space + i);
        for (ptrdiff_t j = 0; j < n; j++) p->x[i][j] = normal(d);
        const double scale = uniform(d, 0, 1) < 0.5 ? 1 : uniform(d, 0, 1);
        const double factor = scale * p->radius[i] / crs_norm(n, p->x[i]);
        for (ptrdiff_t j = 0; j < n; j++) p->x[i][j] *= factor;
    }
}

/* A second point of the region: all blocks move (only < 0), or one; short moves and long ones. */
static double move(problem *p, int only, double **y, draws *d)
{
    double sum = 0, *kept[MOST_BLOCKS];
    for (int i = 0; i < p->b.count; i++) kept[i] = p->x[i], p->x[i] = y[i];
    random_point(p, d);
    const double t = uniform(d, 0, 1) < 0.5 ? 1 : 1e-3;
    for (int i = 0; i < p->b.count; i++) {
        p->x[i] = kept[i];
        for (ptrdiff_t j = 0; j < crease_size(p->space + i); j++) {
            const double step = only < 0 || only == i ? t * (y[i][j] - kept[i][j]) : 0;
            y[i][j] = kept[i][j] + step;
            sum += square(step);
        }
    }
    return sqrt(sum);
}

/* |grad_i f(x) - grad_i f(y)| for all blocks. */
static void differences(problem *p, double **y, double *out)
{
    for (int i = 0; i < p->b.count; i++) {
        double *g = gradient(p, i), *kept[MOST_BLOCKS];
        for (int k = 0; k < p->b.count; k++) kept[k] = p->x[k], p->x[k] = y[k];
        double *h = gradient(p, i);
        for (int k = 0; k < p->b.count; k++) p->x[k] = kept[k];
        axpy(crease_size(p->space + i), -1, g, h);
        out[i] = crs_norm(crease_size(p->space + i), h);
        free(g), free(h);
    }
}

static void constants_hold(problem *p, draws *d)
{
    crease_constants c[MOST_BLOCKS];
    double block[MOST_BLOCKS], *y[MOST_BLOCKS];
    for (int i = 0; i < p->b.count; i++) {
        p->radius[i] = uniform(d, 0.3, 2.5);
        y[i] = random_doubles(d, crease_size(p->space + i), 1);
    }
    p->b.radius = p->radius;
    for (int i = 0; i < p->b.count; i++)
        assert_true(p->f.ops->constants(&p->f, &p->b, i, c + i, block, NULL));
    for (int trial = 0; trial < 300; trial++) {
        const int only = trial % (p->b.count + 1) - 1;
        double gap[MOST_BLOCKS];
        random_point(p, d);
        assert_true(value(p) >= c[0].lower);
        const double length = move(p, only, y, d), rounding = 1e-13 * c[0].L;
        differences(p, y, gap);
        const double all = crs_norm(p->b.count, gap);
        assert_true(all <= c[0].L * length + rounding);
        for (int i = 0; i < p->b.count; i++) assert_true(gap[i] <= c[i].M * length + rounding);
        if (only >= 0) assert_true(gap[only] <= block[only] * length + rounding);
    }
    for (int i = 0; i < p->b.count; i++) {
        const bool touched = p->f.ops->touches(&p->f, i);
        assert_true(c[i].p == 2 && c[i].rho == c[i].L && c[i].M <= c[i].L && !c[i].concave);
        assert_true(c[i].separable_last == !touched && c[i].quadratic_last == !touched);
        if (!touched) assert_true(c[i].M == 0 && c[i].last_low == 0 && c[i].last_high == 0);
        free(y[i]);
    }
}

static void region_constants(void **state) { (void)state, for_all(constants_hold, 2); }

/* Where the bound is nearly reached: everything in one direction, Z opposite, |.| = 1. */
static void constants_are_near(problem *p, draws *d)
{
    crease_constants c;
    double gap[MOST_BLOCKS], *y[MOST_BLOCKS], sum = 0;
    if (p->kind == MULTILINEAR) return;
    fill(crease_size(&p->shape), 0, p->target);
    p->target[0] = -1;
    for (int i = 0; i < p->b.count; i++) {
        const bool touched = p->f.ops->touches(&p->f, i);
        y[i] = random_doubles(d, crease_size(p->space + i), 0);
        fill(crease_size(p->space + i), 0, p->x[i]);
        p->radius[i] = 1;
        p->x[i][0] = i ? 1 : -1;
        y[i][0] = p->x[i][0] - (touched ? 1e-3 * p->x[i][0] : 0);
        sum += touched ? 1e-6 : 0;
    }
    p->b.radius = p->radius;
    assert_true(p->f.ops->constants(&p->f, &p->b, 0, &c, NULL, NULL));
    differences(p, y, gap);
    const double seen = crs_norm(p->b.count, gap) / sqrt(sum);
    assert_true(seen <= c.L && seen >= 0.5 * c.L);
    for (int i = 0; i < p->b.count; i++) free(y[i]);
}

static void near_the_bound(void **state) { (void)state, for_all(constants_are_near, 5); }

static void unbounded_regions(problem *p, draws *d)
{
    crease_constants c;
    double block[MOST_BLOCKS];
    (void)d;
    assert_true(p->f.ops->constants(&p->f, &p->b, 0, &c, block, NULL));
    if (p->kind == MULTILINEAR) {
        assert_true(c.lower == -INFINITY);
        assert_true(p->shape.order == 2 ? c.L > 0 && c.L < INFINITY : c.L == INFINITY);
        return;
    }
    assert_true(c.L == INFINITY && c.rho == INFINITY && c.lower == 0);
    assert_true(p->cp.z < 0 || block[0] == 2);
    for (int i = 0; i < p->b.count; i++) p->radius[i] = i == 0 ? INFINITY : 2;
    p->b.radius = p->radius; /* a free Z alone: no joint constant, but one for every block and M */
    assert_true(p->f.ops->constants(&p->f, &p->b, 0, &c, block, NULL));
    assert_true(p->cp.z < 0 ? c.L < INFINITY : c.L == INFINITY && c.M < INFINITY);
    for (int i = 0; i < p->b.count; i++) assert_true(block[i] < INFINITY);
    if (p->kind == MF && p->cp.z == 0) assert_close(c.M, 2 * sqrt(1 + 4 + 4), 1e-11);
}

static void unbounded(void **state) { (void)state, for_all(unbounded_regions, 3); }

static void refused(problem *p, crease_code code, const char *words)
{
    crease_error e = { CREASE_OK, "" };
    assert_false(p->f.ops->check(&p->f, &p->b, &e));
    assert_false(p->f.ops->check(&p->f, &p->b, NULL));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, words)) fail_msg("\"%s\" does not say \"%s\"", e.text, words);
    assert_non_null(strstr(e.text, p->f.ops->name));
}

static void wrong_blocks(problem *p, draws *d)
{
    const int last = p->shape.order - 1, kept = p->factor[last], z = p->cp.z;
    crease_space *s = p->space + p->factor[0], right = *s;
    (void)d;
    assert_true(p->f.ops->check(&p->f, &p->b, NULL));

    s->dim[0] = 7; /* a factorization takes its size from X and Y */
    if (p->kind != MF) refused(p, CREASE_BAD_SHAPE, "dimension 1 of block");
    *s = (crease_space){ .order = 3, .dim = { right.dim[0], 2, 2 } };
    refused(p, CREASE_BAD_SHAPE, "has 3 dimensions");
    *s = right;
    s->comm = &(const crease_comm){ 0 };
    refused(p, CREASE_UNSUPPORTED, "is split over ranks");
    *s = right;

    p->factor[last] = p->b.count;
    set_coupling(p, z);
    refused(p, CREASE_BAD_ARGUMENT, "the problem has blocks 1 to");
    p->factor[last] = -1;
    set_coupling(p, z);
    refused(p, CREASE_BAD_ARGUMENT, "is block 0");
    p->factor[last] = p->factor[0];
    set_coupling(p, z);
    refused(p, CREASE_BAD_ARGUMENT, "is both");
    p->factor[last] = kept;
    set_coupling(p, z);
}

static void blocks(void **state) { (void)state, for_all(wrong_blocks, 1); }

static void wrong_tensors(problem *p, draws *d)
{
    double *kept = p->target;
    (void)d;
    if (p->kind != MULTILINEAR && p->cp.z >= 0) {
        p->space[0].dim[1]++;
        refused(p, CREASE_BAD_SHAPE, "dimension 2 of block 1 (Z)");
        p->space[0].dim[1]--;
        set_coupling(p, p->b.count);
        refused(p, CREASE_BAD_ARGUMENT, "Z is block");
        return;
    }
    kept[1] = INFINITY;
    refused(p, CREASE_BAD_DATA, "entry 2 of the tensor is inf");
    p->target = NULL;
    set_coupling(p, -1);
    refused(p, CREASE_BAD_ARGUMENT, "there is no tensor");
    p->target = kept;
    if (p->kind == MF) return;
    p->shape.order = 1;
    set_coupling(p, -1);
    refused(p, CREASE_BAD_SHAPE, "1 dimension");
}

static void tensors(void **state) { (void)state, for_all(wrong_tensors, 2); }

static void wrong_numbers(void **state)
{
    draws d = { { 3, 0 }, 0 };
    problem p;
    (void)state;
    make_problem(&p, CP, 3, true, &d);
    p.cp.rank = 0;
    refused(&p, CREASE_BAD_ARGUMENT, "the rank is 0");
    p.cp.rank = 3;
    refused(&p, CREASE_BAD_SHAPE, "dimension 2 of block 4 (factor 1) is 2; it must be 3");
    p.cp.rank = 2, p.cp.shape.dim[1] = (ptrdiff_t)1 << 31;
    refused(&p, CREASE_BAD_SHAPE, "dimension 2 of the tensor");
    discard_problem(&p);

    make_problem(&p, TUCKER, 3, true, &d);
    p.tucker.core_shape.order = 2;
    refused(&p, CREASE_BAD_SHAPE, "the core has 2 dimensions and the tensor 3");
    p.tucker.core_shape.order = 3, p.tucker.core_shape.dim[2] = 5;
    refused(&p, CREASE_BAD_SHAPE, "dimension 2 of block 2 (factor 3) is 2; it must be 5");
    p.tucker.core_shape.dim[2] = (ptrdiff_t)1 << 25;
    refused(&p, CREASE_BAD_SHAPE, "dimension 3 of the core");
    p.tucker.core_shape.dim[2] = 2;
    p.tucker.shape = (crease_space){ .order = 3, .dim = { 2, 1 << 16, 1 << 16 } };
    refused(&p, CREASE_BAD_SHAPE, "a slice of the first dimension");
    p.tucker.shape = p.shape, p.space[4].dim[0]++;
    refused(&p, CREASE_BAD_SHAPE, "dimension 1 of block 5 (core)");
    discard_problem(&p);

    make_problem(&p, MULTILINEAR, 3, false, &d);
    p.multilinear.weight = NAN;
    refused(&p, CREASE_BAD_ARGUMENT, "the weight is nan");
    discard_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),         cmocka_unit_test(gradients),
        cmocka_unit_test(one_pass),       cmocka_unit_test(block_steps),
        cmocka_unit_test(singular),       cmocka_unit_test(nan_comes_through),
        cmocka_unit_test(curvatures),     cmocka_unit_test(region_constants),
        cmocka_unit_test(near_the_bound), cmocka_unit_test(unbounded),
        cmocka_unit_test(blocks),         cmocka_unit_test(tensors),
        cmocka_unit_test(wrong_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
