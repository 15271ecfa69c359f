/* SPDX-License-Identifier: MIT
 * slabs: of a tensor of several slabs the pass, the certificate and a whole fit are the sums over
 * the slabs, and the same bits for any number of threads, in memory and copied slab by slab; a bad
 * entry is named, and a slab that cannot be had ends the fit with its sentence */
#include <stdlib.h>
#include <string.h>

#include "rpca/envelope/envelope.h"
#include "rpca/fit.h"
#include "support/test.h"

enum { RANK = 2 };
static const crease_space shape = { .order = 3, .dim = { 171, 160, 155 } }; /* two slabs */

/* A source that copies its slabs, and may fail. */
typedef struct {
    crs_source source;
    const double *t;
    const unsigned char *w;
    long left; /* takes until it fails; -1: never */
} copying;

static bool take(crs_source *s, ptrdiff_t k, crs_slab *out, crease_error *e)
{
    copying *c = (copying *)s;
    if (c->left == 0) return crs_fail(e, CREASE_BAD_DATA, "slab %td is gone; mend the disk", k);
    if (c->left > 0) c->left--;
    *out = crs_slab_at(&s->cut, k);
    const size_t n = (size_t)crease_size(&out->shape);
    double *t = malloc(n * sizeof *t);
    memcpy(t, c->t + out->first, n * sizeof *t);
    out->t = t;
    if (!c->w) return true;
    unsigned char *w = malloc(n);
    memcpy(w, c->w + out->first, n);
    out->w = w;
    return true;
}

static void give(crs_source *s, const crs_slab *slab)
{
    (void)s;
    free((void *)(uintptr_t)slab->t);
    free((void *)(uintptr_t)slab->w);
}

static void close(crs_source *s) { (void)s; }

static copying copying_of(const double *t, const unsigned char *w)
{
    static const crs_source_ops ops = { "copying", take, give, close };
    copying c = { .source = { .ops = &ops, .cut = crs_partition_of(&shape) }, t, w, -1 };
    c.source.count = c.source.cut.count;
    return c;
}

static double noise(uint64_t stream, ptrdiff_t j)
{
    return crease_random_normal((crease_random){ 4, stream }, (uint64_t)j);
}

typedef struct {
    ptrdiff_t size;
    double *t, *x[3];
    unsigned char *mask; /* NULL: all observed */
} data;

/* Rank 2, a little noise, every hundredth entry far off; factors a little off in x */
static data make(bool masked)
{
    data d = { .size = crease_size(&shape) };
    d.t = malloc((size_t)d.size * sizeof *d.t);
    if (masked) d.mask = malloc((size_t)d.size);
    for (int n = 0; n < 3; n++) {
        d.x[n] = malloc((size_t)(shape.dim[n] * RANK) * sizeof(double));
        for (ptrdiff_t j = 0; j < shape.dim[n] * RANK; j++) d.x[n][j] = noise((uint64_t)n + 1, j);
    }
    assert_true(crease_cp_lowrank(&shape, RANK, (const double *const *)d.x, d.t, NULL));
    for (ptrdiff_t j = 0; j < d.size; j++) {
        d.t[j] += 0.01 * (double)((j * 7919) % 1001 - 500) / 500;
        if (j % 101 == 7) d.t[j] += 5;
        if (masked) d.mask[j] = j % 11 != 3;
        if (masked && !d.mask[j]) d.t[j] = 0;
    }
    for (int n = 0; n < 3; n++)
        for (ptrdiff_t j = 0; j < shape.dim[n] * RANK; j++)
            d.x[n][j] += 0.01 * noise((uint64_t)n + 9, j);
    return d;
}

static void discard(data *d)
{
    free(d->t), free(d->mask);
    for (int n = 0; n < 3; n++) free(d->x[n]);
}

typedef struct {
    crs_envelope_sums s;
    double *memory;
} sums;

static sums sums_of(void)
{
    sums a = { .memory = calloc((size_t)(171 + 160 + 155) * (RANK + 1), sizeof(double)) };
    double *at = a.memory;
    for (int n = 0; n < 3; n++) {
        a.s.gradient[n] = at, at += shape.dim[n] * RANK;
        a.s.marginal[n] = at, at += shape.dim[n];
    }
    return a;
}

static void evaluate(crs_source *source, const data *d, int threads, sums *out)
{
    const crs_envelope_settings c = {
        .shape = source->cut.shape, .rank = RANK, .alpha_noise = 1, .threads = threads
    };
    const crs_penalty_value judge = { &crs_l1, { 1 }, 0.2 }, next = { &crs_mcp, { 0.1, 3 }, 1 };
    crease_error e = { CREASE_OK, "" };
    crs_envelope *s = crs_envelope_new(&c, source, &e);
    if (!s) fail_msg("%s", e.text);
    out->s.every = 3;
    assert_true(
        crs_envelope_evaluate(s, RANK, (const double *const *)d->x, &judge, &next, &out->s, NULL));
    crs_envelope_free(s);
}

/* The same by slabs that are tensors of their own, each in one piece, added up */
static void by_parts(const data *d, sums *all)
{
    const crs_partition cut = crs_partition_of(&shape);
    assert_true(cut.count > 1);
    for (ptrdiff_t k = 0; k < cut.count; k++) {
        crs_slab slab = crs_slab_at(&cut, k);
        const ptrdiff_t n = crease_size(&slab.shape);
        crs_memory m;
        data own = *d;
        sums part = sums_of();
        for (int i = 0; i < 3; i++) own.x[i] += slab.from[i] * RANK;
        crs_memory_open(&m, &slab.shape, d->t + slab.first, d->mask ? d->mask + slab.first : NULL);
        assert_true(m.source.cut.count == 1 && n > 0);
        evaluate(&m.source, &own, 1, &part);
        all->s.value += part.s.value;
        all->s.value_next += part.s.value_next;
        all->s.squares += part.s.squares;
        all->s.weights += part.s.weights;
        all->s.nonzeros += part.s.nonzeros;
        all->s.observed += part.s.observed;
        for (int i = 0; i < 3; i++) {
            axpy(slab.shape.dim[i] * RANK, 1, part.s.gradient[i],
                 all->s.gradient[i] + slab.from[i] * RANK);
            axpy(slab.shape.dim[i], 1, part.s.marginal[i], all->s.marginal[i] + slab.from[i]);
        }
        free(part.memory);
    }
}

static void same_sums(const sums *a, const sums *b)
{
    assert_memory_equal(a->memory, b->memory,
                        (size_t)(171 + 160 + 155) * (RANK + 1) * sizeof(double));
    assert_memory_equal(a->s.histogram, b->s.histogram, sizeof a->s.histogram);
    assert_true(a->s.value == b->s.value && a->s.value_next == b->s.value_next &&
                a->s.squares == b->s.squares && a->s.weights == b->s.weights &&
                a->s.unit == b->s.unit);
    assert_true(a->s.nonzeros == b->s.nonzeros && a->s.observed == b->s.observed);
}

static void a_pass_is_the_sum_of_those_over_the_slabs(void **state)
{
    (void)state;
    for (int masked = 0; masked < 2; masked++) {
        data d = make(masked);
        sums want = sums_of(), first = sums_of();
        crs_memory m;
        crs_memory_open(&m, &shape, d.t, d.mask);
        by_parts(&d, &want);
        evaluate(&m.source, &d, 1, &first);
        assert_close(first.s.value, want.s.value, 1e-14);
        assert_close(first.s.value_next, want.s.value_next, 1e-14);
        assert_close(first.s.squares, want.s.squares, 1e-14);
        assert_close(first.s.weights, want.s.weights, 1e-14);
        assert_true(first.s.nonzeros == want.s.nonzeros && first.s.observed == want.s.observed);
        const ptrdiff_t all = (171 + 160 + 155) * (RANK + 1);
        for (ptrdiff_t j = 0; j < all; j++)
            assert_true(fabs(first.memory[j] - want.memory[j]) <=
                        1e-12 * crs_norm(all, want.memory));
        for (int threads = 1; threads < 5; threads++) {
            copying c = copying_of(d.t, d.mask);
            sums again = sums_of(), stream = sums_of();
            evaluate(&m.source, &d, threads, &again);
            evaluate(&c.source, &d, threads, &stream);
            same_sums(&first, &again);
            same_sums(&first, &stream);
            free(again.memory), free(stream.memory);
        }
        free(want.memory), free(first.memory);
        discard(&d);
    }
}

static crease_cp_fit_settings settings(const data *d, int threads)
{
    crease_cp_fit_settings s = crease_cp_fit_default(&shape, RANK);
    s.model.factor = (const double *const *)d->x;
    s.learn = 3;
    s.threads = threads;
    s.starts = 1;
    s.run.max_iterations = 6;
    return s;
}

/* The certificate's residuals by plain loops over all entries */
static void check_certificate(const crease_cp_fit *f, const data *d)
{
    const crease_certificate *got = crease_cp_fit_certificate(f);
    const crs_cp_point *p = &f->point;
    const double c = noise_share(p);
    double *m = malloc((size_t)d->size * sizeof *m), value = 0;
    const double *x[3];
    for (int n = 0; n < 3; n++) x[n] = crease_cp_fit_factor(f, n);
    assert_true(crease_cp_lowrank(&shape, p->k.rank, x, m, NULL));
    for (ptrdiff_t j = 0; j < d->size; j++) {
        if (d->mask && !d->mask[j]) {
            m[j] = 0;
            continue;
        }
        const double r = d->t[j] - m[j], e = crs_scalar_prox(&p->rho, 1 / (2 * c), r);
        value += c * square(r - e) + crs_scalar_value(&p->rho, e);
        m[j] = r - e;
    }
    assert_close(got->objective, value, 1e-10);
    crs_kruskal k = { .shape = shape, .rank = p->k.rank };
    double *work = malloc((size_t)crs_kruskal_scratch(&shape, k.rank) * sizeof *work);
    for (int n = 0; n < 3; n++) k.factor[n] = x[n];
    for (int n = 0; n < 3; n++) {
        double *g = calloc((size_t)(shape.dim[n] * k.rank), sizeof *g);
        crs_mttkrp(&k, n, -2 * c, m, g, work);
        const double residual = crs_norm(shape.dim[n] * k.rank, g);
        assert_true(fabs(got->block[n].residual - residual) <=
                    1e-6 * residual + 2 * got->block[n].rounding);
        free(g);
    }
    free(m), free(work);
}

static void a_fit_has_the_same_bits_wherever_the_slabs_are(void **state)
{
    (void)state;
    for (int masked = 0; masked < 2; masked++) {
        data d = make(masked);
        crease_cp_fit *first = NULL;
        crease_error e = { CREASE_OK, "" };
        for (int k = 0; k < 3; k++) {
            crs_memory m;
            copying c = copying_of(d.t, d.mask);
            crs_memory_open(&m, &shape, d.t, d.mask);
            crs_source *source = k == 1 ? &c.source : &m.source;
            crs_memory *kept = malloc(sizeof *kept);
            *kept = m;
            if (k == 0) source = &kept->source;
            const crease_cp_fit_settings s = settings(&d, 1 + k % 2);
            crease_cp_fit *f = crs_cp_fit_new_on(&s, source, &e);
            if (!f) fail_msg("%s", e.text);
            crease_cp_fit_run(f);
            ptrdiff_t left, right;
            crease_cp_fit_rows(f, &left, &right);
            double *row = malloc((size_t)(7 * right) * sizeof *row),
                   *other = malloc((size_t)(7 * right) * sizeof *row);
            if (k == 0) check_certificate(f, &d);
            for (int n = 0; first && n < 3; n++)
                assert_memory_equal(crease_cp_fit_factor(f, n), crease_cp_fit_factor(first, n),
                                    (size_t)(shape.dim[n] * RANK) * sizeof(double));
            for (ptrdiff_t i = 0; first && i + 7 <= left; i += 1001)
                for (int part = CREASE_RPCA_LOWRANK; part <= CREASE_RPCA_SEEN; part++) {
                    crease_cp_fit_read(f, (crease_rpca_part)part, i, 7, row);
                    crease_cp_fit_read(first, (crease_rpca_part)part, i, 7, other);
                    assert_memory_equal(row, other, (size_t)(7 * right) * sizeof *row);
                }
            if (first)
                assert_true(crease_cp_fit_certificate(f)->worst ==
                            crease_cp_fit_certificate(first)->worst);
            free(row), free(other);
            if (k > 0) crease_cp_fit_free(f), free(kept);
            if (k == 0) first = f;
        }
        crs_source *kept = first->source;
        crease_cp_fit_free(first);
        free(kept);
        discard(&d);
    }
}

static void a_bad_entry_of_any_slab_is_named(void **state)
{
    (void)state;
    data d = make(false);
    const ptrdiff_t at = d.size - 5;
    d.t[at] = NAN;
    copying c = copying_of(d.t, NULL);
    const crease_cp_fit_settings s = settings(&d, 2);
    crease_error e = { CREASE_OK, "" };
    assert_null(crs_cp_fit_new_on(&s, &c.source, &e));
    assert_int_equal(e.code, CREASE_BAD_DATA);
    assert_string_equal(e.text, "entry 4240796 (at 171,160,151) of the tensor is nan; give finite "
                                "numbers, or let nan mark missing entries (--missing nan)");
    discard(&d);
}

static void a_slab_that_is_gone_ends_the_fit_with_its_sentence(void **state)
{
    (void)state;
    data d = make(false);
    const crease_cp_fit_settings s = settings(&d, 1);
    int built = 0, ended = 0;
    for (long takes = 0; takes < 30; takes += takes < 6 ? 1 : 12) {
        copying c = copying_of(d.t, NULL);
        crease_error e = { CREASE_OK, "" };
        c.left = takes;
        crease_cp_fit *f = crs_cp_fit_new_on(&s, &c.source, &e);
        if (!f) {
            assert_non_null(strstr(e.text, "is gone; mend the disk"));
            continue;
        }
        built++;
        c.left = takes % 4;
        crease_cp_fit_run(f);
        if (f->held->failure.code != CREASE_OK) {
            ended++;
            assert_non_null(strstr(f->run.report.note, "is gone; mend the disk"));
        }
        crease_cp_fit_free(f);
    }
    copying c = copying_of(d.t, NULL);
    crease_cp_fit *f = crs_cp_fit_new_on(&s, &c.source, NULL);
    assert_non_null(f);
    c.left = 1;
    crease_cp_fit_run(f);
    assert_true(f->held->failure.code == CREASE_BAD_DATA);
    assert_non_null(strstr(f->run.report.note, "is gone; mend the disk"));
    crease_cp_fit_free(f);
    (void)built, (void)ended;
    discard(&d);
}

/* Slabs that are scaled when they are taken are those of a tensor that was. */
static void data_far_from_1_run_in_another_unit(void **state)
{
    (void)state;
    data d = make(false);
    crease_rpca_settings s = crease_rpca_default(&shape);
    crease_options o = crease_rpca_options();
    crease_error e = { CREASE_OK, "" };
    crs_times_power(d.size, 90, d.t, d.t);
    for (int n = 0; n < 3; n++) crs_times_power(shape.dim[n] * RANK, 30, d.x[n], d.x[n]);
    s.rank = RANK;
    s.starts = 1;
    s.factor = (const double *const *)d.x;
    o.max_iterations = 4;
    copying c = copying_of(d.t, NULL);
    crease_rpca *r[] = { crs_rpca_new_on(&s, &o, &c.source, &e),
                         crease_rpca_new(&s, &o, d.t, NULL) };
    if (!r[0] || !r[1]) fail_msg("%s", e.text);
    ptrdiff_t left, right;
    crease_rpca_rows(r[0], &left, &right);
    double *row[] = { malloc((size_t)right * sizeof(double)),
                      malloc((size_t)right * sizeof(double)) };
    for (int k = 0; k < 2; k++) crease_rpca_run(r[k]);
    for (int n = 0; n < 3; n++)
        assert_memory_equal(crease_rpca_factor(r[0], n), crease_rpca_factor(r[1], n),
                            (size_t)(shape.dim[n] * RANK) * sizeof(double));
    for (ptrdiff_t i = 0; i < left; i += left / 7) {
        for (int k = 0; k < 2; k++) crease_rpca_read(r[k], CREASE_RPCA_SPARSE, i, 1, row[k]);
        assert_memory_equal(row[0], row[1], (size_t)right * sizeof(double));
        crease_rpca_read(r[0], CREASE_RPCA_DATA, i, 1, row[0]);
        assert_memory_equal(row[0], d.t + i * right, (size_t)right * sizeof(double));
    }
    for (int k = 0; k < 2; k++) crease_rpca_free(r[k]), free(row[k]);
    discard(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_is_the_sum_of_those_over_the_slabs),
        cmocka_unit_test(a_fit_has_the_same_bits_wherever_the_slabs_are),
        cmocka_unit_test(a_bad_entry_of_any_slab_is_named),
        cmocka_unit_test(a_slab_that_is_gone_ends_the_fit_with_its_sentence),
        cmocka_unit_test(data_far_from_1_run_in_another_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
