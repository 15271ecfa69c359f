/* SPDX-License-Identifier: MIT
 * tucker_fit: Tucker robust PCA recovers planted tensors, at points that are stationary by the
 * definition of the full problem */
#include "model/tucker_fit.h"
#include "reg/reg.h"
#include "test.h"

enum { MOST = 12000 };

typedef struct {
    crease_space shape, ranks;
    double truth[MOST], T[MOST], found[MOST];
    double factor[4][200], core[200];
} planted;

static void reconstruct(const crease_space *shape, const crease_space *ranks, const double *core,
                        const double *const *factor, double *out)
{
    crs_tucker k = { .shape = *shape, .ranks = *ranks, .core = core };
    for (int n = 0; n < shape->order; n++) k.factor[n] = factor[n];
    double *work = test_malloc(sizeof(double) * (size_t)crs_tucker_scratch(shape, ranks));
    fill(crease_size(shape), 0, out);
    crs_tucker_reconstruct(&k, 1, out, work);
    test_free(work);
}

/* Low rank, a fraction of outliers ten times as large, one percent of noise. */
static void plant(planted *p, uint64_t seed, double outliers, double noise)
{
    draws d = { { seed, 11 }, 0 };
    const double *factor[4] = { NULL };
    const ptrdiff_t n = crease_size(&p->shape);
    assert_true(n <= MOST);
    for (int m = 0; m < p->shape.order; m++) {
        for (ptrdiff_t j = 0; j < p->shape.dim[m] * p->ranks.dim[m]; j++)
            p->factor[m][j] = normal(&d);
        factor[m] = p->factor[m];
    }
    for (ptrdiff_t j = 0; j < crease_size(&p->ranks); j++) p->core[j] = normal(&d);
    reconstruct(&p->shape, &p->ranks, p->core, factor, p->truth);
    const double size = crs_norm(n, p->truth) / sqrt((double)n);
    for (ptrdiff_t j = 0; j < n; j++) {
        p->T[j] = p->truth[j] + noise * size * normal(&d);
        if (uniform(&d, 0, 1) < outliers) p->T[j] += 10 * size * normal(&d);
    }
}

static crs_tucker_settings settings_of(const planted *p)
{
    return (crs_tucker_settings){ .shape = p->shape,
                                  .ranks = p->ranks,
                                  .face = { &crs_mcp, { 1, 3 }, 1 },
                                  .learn = 4,
                                  .alpha_noise = 1,
                                  .threads = 1,
                                  .eps = 1e-7 };
}

static crs_tucker_fit *fit(const crs_tucker_settings *c, const double *T)
{
    crease_error e;
    crs_tucker_fit *s = crs_tucker_fit_new(c, T, &e);
    if (!s) fail_msg("%s", e.text);
    bool done = false;
    for (int k = 0; k < 3000 && !done; k++) done = crs_tucker_fit_step(s);
    if (!done) fail_msg("residual %g", crs_tucker_fit_statistics(s)->residual);
    return s;
}

static void take(const crs_tucker_fit *s, planted *p)
{
    const double *factor[4] = { NULL };
    for (int n = 0; n < p->shape.order; n++) factor[n] = crs_tucker_fit_factor(s, n);
    reconstruct(&p->shape, &p->ranks, crs_tucker_fit_core(s), factor, p->found);
}

static double error_of(const planted *p, const double *x)
{
    double off = 0;
    for (ptrdiff_t j = 0; j < crease_size(&p->shape); j++) off += square(x[j] - p->truth[j]);
    return sqrt(off) / crs_norm(crease_size(&p->shape), p->truth);
}

/* |grad| of every block of sum phi by plain sums, against the terms it is made of. */
static void assert_stationary(const crs_tucker_fit *s, planted *p, const unsigned char *mask)
{
    const crs_envelope_face *f = crs_tucker_fit_face(s);
    const int d = p->shape.order;
    const crs_scalar rho = { f->penalty, f->par, f->alpha };
    take(s, p);
    for (int n = 0; n < d; n++) {
        const ptrdiff_t rank = p->ranks.dim[n], rows = p->shape.dim[n];
        double *g = test_calloc((size_t)(2 * rows * rank), sizeof *g), *z = g + rows * rank;
        for (ptrdiff_t j = 0; j < crease_size(&p->shape); j++) {
            ptrdiff_t at[4], rest = j;
            for (int m = d - 1; m >= 0; m--)
                at[m] = rest % p->shape.dim[m], rest /= p->shape.dim[m];
            const double r = p->T[j] - p->found[j];
            const double sj = mask && !mask[j] ? 0 : r - crs_scalar_prox(&rho, 1, r);
            for (ptrdiff_t q = 0; q < crease_size(&p->ranks); q++) {
                ptrdiff_t k[4], left = q;
                double w = crs_tucker_fit_core(s)[q];
                for (int m = d - 1; m >= 0; m--)
                    k[m] = left % p->ranks.dim[m], left /= p->ranks.dim[m];
                for (int m = 0; m < d; m++)
                    if (m != n) w *= crs_tucker_fit_factor(s, m)[at[m] * p->ranks.dim[m] + k[m]];
                g[at[n] * rank + k[n]] += 0.5 * sj * w;
                z[at[n] * rank + k[n]] += (p->found[j] + 0.5 * sj) * w;
            }
        }
        assert_true(crs_norm(rows * rank, g) <= 1.01e-7 * 2 * crs_norm(rows * rank, z));
        test_free(g);
    }
}

static void recovers(void **state)
{
    static const struct {
        crease_space shape, ranks;
        double outliers;
    } list[] = {
        { { .order = 3, .dim = { 14, 15, 16 } }, { .order = 3, .dim = { 2, 3, 4 } }, 0.05 },
        { { .order = 3, .dim = { 14, 15, 16 } }, { .order = 3, .dim = { 2, 3, 4 } }, 0.4 },
        { { .order = 4, .dim = { 7, 8, 9, 10 } }, { .order = 4, .dim = { 2, 1, 2, 2 } }, 0.2 },
        { { .order = 2, .dim = { 100, 80 } }, { .order = 2, .dim = { 2, 2 } }, 0.2 },
        { { .order = 3, .dim = { 30, 1, 40 } }, { .order = 3, .dim = { 2, 1, 2 } }, 0.05 },
    };
    static planted p;
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            p.shape = list[k].shape;
            p.ranks = list[k].ranks;
            plant(&p, seed, list[k].outliers, 0.01);
            const crs_tucker_settings c = settings_of(&p);
            crs_tucker_fit *s = fit(&c, p.T);
            assert_stationary(s, &p, NULL);
            if (!(error_of(&p, p.found) < 0.01))
                fail_msg("case %zu, seed %d: error %g", k, (int)seed, error_of(&p, p.found));
            crs_tucker_fit_free(s);
        }
}

/* Entries that were not observed change nothing, and are filled in. */
static void missing_entries(void **state)
{
    static planted p;
    static unsigned char mask[MOST];
    draws d = { { 5, 5 }, 0 };
    (void)state;
    p.shape = (crease_space){ .order = 3, .dim = { 14, 15, 16 } };
    p.ranks = (crease_space){ .order = 3, .dim = { 2, 3, 3 } };
    plant(&p, 1, 0.1, 0.01);
    for (ptrdiff_t j = 0; j < crease_size(&p.shape); j++) {
        mask[j] = uniform(&d, 0, 1) < 0.7;
        if (!mask[j]) p.T[j] = 1e6;
    }
    crs_tucker_settings c = settings_of(&p);
    c.mask = mask;
    crs_tucker_fit *s = fit(&c, p.T);
    assert_stationary(s, &p, mask);
    assert_true(error_of(&p, p.found) < 0.01);
    crs_tucker_fit_free(s);
}

/* The same bits for any number of threads; data times a power of two give that times the answer. */
static void invariant(void **state)
{
    static planted p;
    static double scaled[MOST], first[MOST];
    (void)state;
    p.shape = (crease_space){ .order = 3, .dim = { 14, 15, 16 } };
    p.ranks = (crease_space){ .order = 3, .dim = { 2, 3, 3 } };
    plant(&p, 2, 0.1, 0.01);
    const ptrdiff_t n = crease_size(&p.shape);
    crs_tucker_settings c = settings_of(&p);
    crs_tucker_fit *s = fit(&c, p.T);
    take(s, &p);
    copy(n, p.found, first);
    crs_tucker_fit_free(s);
    c.threads = 3;
    s = fit(&c, p.T);
    take(s, &p);
    for (ptrdiff_t j = 0; j < n; j++) assert_true(first[j] == p.found[j]);
    crs_tucker_fit_free(s);
    for (ptrdiff_t j = 0; j < n; j++) scaled[j] = 0x1p20 * p.T[j];
    s = fit(&c, scaled);
    take(s, &p);
    for (ptrdiff_t j = 0; j < n; j++)
        assert_close(p.found[j] * 0x1p-20, first[j], 1e-8 * (1 + fabs(first[j])));
    crs_tucker_fit_free(s);
}

static void zeros_and_refusals(void **state)
{
    static planted p;
    crease_error e;
    (void)state;
    p.shape = (crease_space){ .order = 3, .dim = { 4, 5, 6 } };
    p.ranks = (crease_space){ .order = 3, .dim = { 2, 2, 2 } };
    crs_tucker_settings c = settings_of(&p);
    c.learn = 0;
    crs_tucker_fit *s = fit(&c, p.T); /* all zero */
    take(s, &p);
    assert_true(crs_norm(120, p.found) == 0);
    crs_tucker_fit_free(s);
    assert_true(crs_tucker_fit_bytes(&c, &e) > 0);
    c.ranks.dim[0] = 0;
    assert_null(crs_tucker_fit_new(&c, p.T, &e));
    assert_non_null(strstr(e.text, "rank 0 of mode 1"));
    c.ranks.dim[0] = 5;
    assert_null(crs_tucker_fit_new(&c, p.T, &e));
    assert_non_null(strstr(e.text, "give 1 to 4"));
    c.ranks = (crease_space){ .order = 3, .dim = { 1, 1, 2 } };
    assert_null(crs_tucker_fit_new(&c, p.T, &e));
    assert_non_null(strstr(e.text, "above the product of the others"));
    c.ranks.order = 2;
    assert_int_equal(crs_tucker_fit_bytes(&c, &e), -1);
    assert_non_null(strstr(e.text, "2 ranks for 3 modes"));
}

static void nan_is_not_an_answer(void **state)
{
    static planted p;
    crease_error e;
    (void)state;
    p.shape = (crease_space){ .order = 2, .dim = { 10, 8 } };
    p.ranks = (crease_space){ .order = 2, .dim = { 2, 2 } };
    plant(&p, 1, 0, 0.01);
    p.T[17] = NAN;
    const crs_tucker_settings c = settings_of(&p);
    crs_tucker_fit *s = crs_tucker_fit_new(&c, p.T, &e);
    for (int k = 0; k < 10; k++) assert_false(crs_tucker_fit_step(s));
    assert_true(isnan(crs_tucker_fit_statistics(s)->residual));
    crs_tucker_fit_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers),
        cmocka_unit_test(missing_entries),
        cmocka_unit_test(invariant),
        cmocka_unit_test(zeros_and_refusals),
        cmocka_unit_test(nan_is_not_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
