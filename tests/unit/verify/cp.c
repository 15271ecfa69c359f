/* SPDX-License-Identifier: MIT
 * cp: a claim about CP robust PCA with any one number wrong is INVALID, or needs another eps; the
 * bounds of the pass in double hold what the pass in long double and plain sums from the
 * definitions find; threads and scale do not matter; nothing passes that is not finite */
#include "support/cp_claim.h"
#include "support/cp_fit_case.h"

static const crease_space shapes[] = { { 2, { 13, 17 }, NULL },       { 3, { 5, 1, 61 }, NULL },
                                       { 3, { 1, 1, 1 }, NULL },      { 4, { 3, 4, 5, 6 }, NULL },
                                       { 3, { 9, 17, 40 }, NULL },    { 1, { 30 }, NULL },
                                       { 5, { 2, 3, 1, 4, 9 }, NULL } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void compare(const findings *a, const findings *b)
{
    for (int i = 0; i < a->count; i++) {
        const crs_finding *f = &a->f[i], *g = &b->f[i];
        if (isinf(g->residual)) {
            assert_true(isinf(f->residual));
            continue;
        }
        const real off = fabsl(f->residual - g->residual), scales = fabsl(f->scale - g->scale);
        const real blur = a->summing * f->scale + b->summing * g->scale;
        if (!(off <= f->rounding + g->rounding))
            fail_msg("block %d: %Lg and %Lg are not within %Lg", i, f->residual, g->residual,
                     f->rounding);
        assert_true(scales <= f->rounding + g->rounding + blur);
        if (isinf(f->rounding) || !(f->rounding >= g->rounding)) fail_msg("bound of block %d", i);
    }
}

static void both_passes_agree(void **state)
{
    const crease_reg nonneg = crease_nonneg(crease_scad(1, 3).penalty, (double[]){ 0.5, 3 });
    const crease_reg list[] = { crease_zero(),
                                crease_l1(0.5),
                                crease_elastic_net(0.5, 0.2),
                                crease_squared_l2(0.5),
                                crease_l0(0.5),
                                crease_scad(0.5, 3),
                                crease_mcp(0.5, 2),
                                crease_lsp(0.5, 0.1),
                                crease_capped_l1(0.5, 1),
                                crease_l_half(0.5),
                                crease_l_two_thirds(0.5),
                                crease_lq(0.5, 0.3),
                                crease_huber(0.5, 0.1),
                                crease_box_indicator(-2, 3),
                                crease_scaled(0.5, &nonneg) };
    draws d = { { 1, 1 }, 0 };
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (size_t q = 0; q < sizeof list / sizeof *list; q++)
            for (int kind = 0; kind < 4; kind++) {
                point p;
                const int split = (int)below(&d, shapes[k].order);
                point_draw(&p, &d, &shapes[k], split, kind & 1 ? 6 : 0, kind & 2 ? 1e-13 : 0.1);
                p.c.penalty = list[q];
                p.c.nonneg = q % 4 == 1;
                const findings b = point_find(&p, crs_cp_sweep_extended);
                for (int slower = 0; slower < 3; slower++) {
                    const findings a = point_find_by(&p, crs_cp_sweep_double, slower);
                    compare(&a, &b);
                }
                point_free(&p);
            }
}

/* The residuals in plain sums of long doubles; l1 with E != 0 has the slope alpha lambda sgn E. */
static void definitions(const point *p, long double *out)
{
    const crease_cp_claim *c = &p->c;
    const int d = c->shape.order;
    long double *g = calloc((size_t)p->size, sizeof *g);
    for (int n = 0; n < d; n++) {
        const ptrdiff_t size = c->shape.dim[n] * c->rank;
        ptrdiff_t after = 1;
        long double *sum = calloc((size_t)size, sizeof *sum), all = 0;
        for (int m = n + 1; m < d; m++) after *= c->shape.dim[m];
        for (ptrdiff_t j = 0; j < p->size; j++)
            for (ptrdiff_t r = 0; r < c->rank; r++)
                sum[j / after % c->shape.dim[n] * c->rank + r] +=
                    2 * (model_at(p, j) - p->part[CREASE_RPCA_Z][j]) * model_entry(p, j, n, r);
        for (ptrdiff_t j = 0; j < size; j++) sum[j] += c->ridge * (long double)p->x[n][j];
        for (ptrdiff_t j = 0; j < size; j++) all += sum[j] * sum[j];
        out[n] = sqrtl(all);
        free(sum);
    }
    free(g);
    out[d] = out[d + 1] = out[d + 2] = out[d + 3] = 0;
    for (ptrdiff_t j = 0; j < p->size; j++) {
        const bool seen = p->part[CREASE_RPCA_SEEN][j] != 0;
        const long double z = p->part[CREASE_RPCA_Z][j], e = p->part[CREASE_RPCA_SPARSE][j];
        const long double b = seen ? p->part[CREASE_RPCA_B][j] : -z - e;
        const long double t = seen ? p->part[CREASE_RPCA_DATA][j] : 0;
        const long double lambda = seen ? 2 * c->alpha_noise * b : 0, w = c->alpha * 0.5L;
        const long double inside = lambda < -w ? -w : lambda > w ? w : lambda;
        const long double off = (e > 0 ? w : e < 0 ? -w : inside) - lambda;
        const long double split = 2 * (z - model_at(p, j)) - lambda, s = z + e + b - t;
        out[d] += off * off, out[d + 1] += split * split, out[d + 3] += s * s;
    }
    for (int i = d; i < d + 4; i++) out[i] = sqrtl(out[i]);
}

static void definitions_agree(void **state)
{
    draws d = { { 2, 1 }, 0 };
    (void)state;
    for (int k = 0; k < 3 * SHAPES; k++) {
        point p;
        long double want[CREASE_MAX_ORDER + 4];
        const crease_space *s = &shapes[k % SHAPES];
        point_draw(&p, &d, s, (int)below(&d, s->order), k < SHAPES ? 0 : 6, k < SHAPES ? 1 : 1e-12);
        definitions(&p, want);
        const findings a = point_find(&p, crs_cp_sweep_double);
        const findings b = point_find(&p, crs_cp_sweep_extended);
        for (int i = 0; i < a.count; i++) { /* the test's own sums are as long as the tensor */
            const real slack = b.f[i].rounding * (real)p.size;
            assert_true(fabsl(a.f[i].residual - want[i]) <= a.f[i].rounding + slack);
            assert_true(fabsl(b.f[i].residual - want[i]) <= b.f[i].rounding + slack);
        }
        point_free(&p);
    }
}

/* Around the eps that decides, in long double where double cannot tell. */
static void verdicts_agree(void **state)
{
    draws d = { { 3, 1 }, 0 };
    bool twice = false, once = false;
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (int step = -16; step <= 16; step++) {
            point p;
            crease_verification v;
            point_draw(&p, &d, &shapes[k], 0, 0, 0.1);
            const findings b = point_find(&p, crs_cp_sweep_extended);
            real worst = 0;
            for (int i = 0; i < b.count; i++) {
                const real scale = b.f[i].scale * (1 - 2 * b.summing) - 2 * b.f[i].rounding;
                const real total = b.f[i].residual + 2 * b.f[i].rounding;
                worst = bigger(worst, total == 0 ? 0 : total / positive(scale));
            }
            const double change = step == 0 ? 0 : copysign(pow(10, abs(step) - 17), step);
            const double eps = (double)(worst * (1 + (real)change));
            p.reads = 0;
            assert_true(crease_cp_verify(&p.c, eps, true, &v, NULL));
            assert_int_equal(v.verdict == CREASE_VERDICT_VALID, worst <= eps);
            assert_true(v.smallest_eps >= (double)worst * (1 - 1e-15) &&
                        v.smallest_eps <= (double)worst * (1 + 1e-9));
            *(p.reads > CRS_CP_PARTS * p.c.left ? &twice : &once) = true;
            crease_verification_free(&v);
            point_free(&p);
        }
    assert_true(twice && once);
}

static const crease_space box = { 3, { 9, 17, 40 }, NULL };

static void threads_do_not_matter(void **state)
{
    const crease_space s = { 3, { 11, 90, 130 }, NULL }; /* rows of three bands */
    draws d = { { 4, 1 }, 0 };
    crease_verification one, many;
    point p;
    (void)state;
    point_draw(&p, &d, &s, 1, 0, 0.1);
    p.c.threads = 1;
    assert_true(crease_cp_verify(&p.c, 1e-6, true, &one, NULL));
    for (int n = 0; n < 5; n++) {
        p.c.threads = n;
        assert_true(crease_cp_verify(&p.c, 1e-6, true, &many, NULL));
        assert_memory_equal(one.residual, many.residual, (size_t)one.count * sizeof(double));
        assert_true(one.smallest_eps == many.smallest_eps && one.feasibility == many.feasibility);
        crease_verification_free(&many);
    }
    crease_verification_free(&one);
    point_free(&p);
}

/* With everything times 2^k, and 2^2k in alpha, a relative residual stays what it was. */
static void scale_does_not_matter(void **state)
{
    draws d = { { 5, 1 }, 0 };
    point p;
    crease_verification v, w;
    (void)state;
    point_draw(&p, &d, &box, 1, 0, 0.1);
    p.c.ridge = 0;
    assert_true(crease_cp_verify(&p.c, 1e-6, true, &v, NULL));
    for (int k = -900; k <= 900; k += 300) {
        point q = p;
        const double alpha = p.c.alpha;
        q.c.factor = q.factor, q.c.user = &q, q.c.alpha = ldexp(alpha, k);
        for (int n = 0; n < 3; n++) {
            q.factor[n] = q.x[n] = malloc((size_t)(p.c.shape.dim[n] * 3) * sizeof(double));
            for (ptrdiff_t j = 0; j < p.c.shape.dim[n] * 3; j++)
                q.x[n][j] = ldexp(p.x[n][j], k / 3);
        }
        for (int m = 0; m <= CREASE_RPCA_SEEN; m++) {
            q.part[m] = malloc((size_t)p.size * sizeof(double));
            for (ptrdiff_t j = 0; j < p.size; j++)
                q.part[m][j] = m == CREASE_RPCA_SEEN ? p.part[m][j] : ldexp(p.part[m][j], k);
        }
        assert_true(crease_cp_verify(&q.c, 1e-6, true, &w, NULL));
        assert_int_equal(w.verdict, v.verdict);
        assert_close(w.smallest_eps, v.smallest_eps, 1e-12);
        crease_verification_free(&w);
        point_free(&q);
    }
    crease_verification_free(&v);
    point_free(&p);
}

static void nothing_passes_that_is_not_finite(void **state)
{
    static const double bad[] = { NAN, INFINITY, -INFINITY };
    draws d = { { 6, 1 }, 0 };
    (void)state;
    for (int part = CREASE_RPCA_SPARSE; part <= CREASE_RPCA_DATA; part++)
        for (int b = 0; b < 3; b++) {
            point p;
            crease_verification v;
            ptrdiff_t j = 50;
            point_draw(&p, &d, &box, 1, 0, 0.1);
            while (p.part[CREASE_RPCA_SEEN][j] == 0) j++;
            p.part[part][j] = bad[b];
            assert_true(crease_cp_verify(&p.c, 1e300, b == 1, &v, NULL));
            assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
            assert_true(v.smallest_eps == INFINITY);
            crease_verification_free(&v);
            point_free(&p);
        }
}

typedef struct {
    const fit_case *k;
    crease_rpca_part part;
    ptrdiff_t at;
    double change;
} spoiled;

static bool read_spoiled(void *user, crease_rpca_part part, ptrdiff_t row, double *out)
{
    const spoiled *s = user;
    ptrdiff_t left, right;
    crease_cp_fit_rows(s->k->fit, &left, &right);
    crease_cp_fit_read(s->k->fit, part, row, 1, out);
    if (part == s->part && s->at / right == row) out[s->at % right] += s->change;
    return true;
}

static crease_verdict verdict(const crease_cp_claim *c, double *eps)
{
    crease_verification v;
    assert_true(crease_cp_verify(c, 1e-6, true, &v, NULL));
    const crease_verdict out = v.verdict;
    *eps = v.smallest_eps;
    crease_verification_free(&v);
    return out;
}

static void any_one_number_wrong_is_noticed(void **state)
{
    static const crease_rpca_part parts[] = { CREASE_RPCA_SPARSE, CREASE_RPCA_Z, CREASE_RPCA_B,
                                              CREASE_RPCA_DATA };
    const crease_space s = fit_shape(3);
    const double *factor[CREASE_MAX_ORDER];
    fit_case k = fit_draw(&s, true, 1);
    double eps;
    (void)state;
    assert_int_equal(fit_run(&k), CREASE_STATIONARY);
    crease_cp_claim c = fit_claim(&k, factor);
    for (int p = 0; p < 4; p++)
        for (ptrdiff_t at = 0; at < k.size; at += 97) {
            if (isnan(k.given[at]) && parts[p] != CREASE_RPCA_Z) continue; /* not looked at */
            spoiled bad = { &k, parts[p], at, 0.01 };
            c.read = read_spoiled, c.user = &bad;
            assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_INVALID);
            bad.change = NAN;
            assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_INVALID);
            assert_true(eps == INFINITY);
        }
    c.read = fit_read, c.user = k.fit;
    c.alpha *= 1.01;
    assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_INVALID);
    c.alpha /= 1.01, c.ridge = 0.1;
    assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_INVALID);
    c.ridge = 0, c.nonneg = true; /* some factor has a negative entry */
    assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_INVALID);
    c.nonneg = false;
    for (int n = 0; n < 3; n++) {
        double *x = malloc((size_t)(s.dim[n] * c.rank) * sizeof *x);
        const double *was = factor[n];
        memcpy(x, was, (size_t)(s.dim[n] * c.rank) * sizeof *x);
        x[3] *= 1.001, factor[n] = x;
        assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_INVALID);
        factor[n] = was;
        free(x);
    }
    assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_VALID);
    fit_free(&k);
}

static double entry(const crease_cp_claim *c, ptrdiff_t j, int skip, ptrdiff_t r)
{
    double product = 1;
    for (int n = c->shape.order - 1; n >= 0; j /= c->shape.dim[n], n--)
        if (n != skip) product *= c->factor[n][j % c->shape.dim[n] * c->rank + r];
    return product;
}

/* |2 (M - Z)_(n) M_n| by its definition, entry by entry. */
static void gradients_agree_with_the_definition(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order++) {
        const crease_space s = fit_shape(order);
        const double *factor[CREASE_MAX_ORDER];
        fit_case k = fit_draw(&s, false, 1);
        k.s.run.max_iterations = 2;
        fit_run(&k);
        const crease_cp_claim c = fit_claim(&k, factor);
        double *Z = fit_part(&k, CREASE_RPCA_Z);
        crease_verification v;
        assert_true(crease_cp_verify(&c, 1e-6, false, &v, NULL));
        for (int n = 0; n < order; n++) {
            ptrdiff_t after = 1;
            double *g = calloc((size_t)(s.dim[n] * c.rank), sizeof *g), sum = 0;
            for (int m = n + 1; m < order; m++) after *= s.dim[m];
            for (ptrdiff_t j = 0; j < k.size; j++) {
                double d = -Z[j];
                for (ptrdiff_t r = 0; r < c.rank; r++) d += entry(&c, j, -1, r);
                for (ptrdiff_t r = 0; r < c.rank; r++)
                    g[j / after % s.dim[n] * c.rank + r] += 2 * d * entry(&c, j, n, r);
            }
            for (ptrdiff_t j = 0; j < s.dim[n] * c.rank; j++) sum += g[j] * g[j];
            assert_close(v.residual[n], sqrt(sum), 1e-11);
            free(g);
        }
        crease_verification_free(&v);
        free(Z);
        fit_free(&k);
    }
}

static void wrong_claims_are_refused(void **state)
{
    const crease_space s = fit_shape(3);
    const double *factor[CREASE_MAX_ORDER];
    fit_case k = fit_draw(&s, false, 1);
    crease_verification v;
    crease_error e;
    (void)state;
    fit_run(&k);
    crease_cp_claim c = fit_claim(&k, factor);
    assert_false(crease_cp_verify(&c, NAN, true, &v, &e));
    c.left++;
    assert_false(crease_cp_verify(&c, 1e-6, true, &v, &e));
    assert_int_equal(e.code, CREASE_BAD_SHAPE);
    c.left--, c.penalty = crease_group_l1(1, NULL);
    assert_true(crease_cp_verify(&c, 1e-6, true, &v, &e));
    assert_int_equal(v.verdict, CREASE_VERDICT_UNSUPPORTED);
    crease_verification_free(&v);
    fit_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_passes_agree),
        cmocka_unit_test(definitions_agree),
        cmocka_unit_test(verdicts_agree),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(nothing_passes_that_is_not_finite),
        cmocka_unit_test(any_one_number_wrong_is_noticed),
        cmocka_unit_test(gradients_agree_with_the_definition),
        cmocka_unit_test(wrong_claims_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
