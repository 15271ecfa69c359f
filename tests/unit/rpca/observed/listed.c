/* SPDX-License-Identifier: MIT
 * listed: a list sorted from pairs is that of the masked tensor; a run by a list alone is the run
 * by the masked tensor, with its parts, its certificate, its verdict and its unit; starts by
 * sweeps; threads change no bit; what needs all entries is refused */
#include <stdlib.h>

#include <crease/rpca.h>

#include "rpca/observed/entries.h"
#include "support/test.h"

enum { MOST = 8192, RANK = 2 };
static const crease_space shapes[] = { { .order = 2, .dim = { 70, 40 } },
                                       { .order = 2, .dim = { 30, 97 } },
                                       { .order = 3, .dim = { 12, 31, 14 } },
                                       { .order = 4, .dim = { 7, 6, 15, 8 } } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct {
    crease_space shape;
    double T[MOST], x[CREASE_MAX_ORDER][97 * RANK], pair[2 * MOST];
    unsigned char mask[MOST];
    ptrdiff_t count;
} example;

static double model(const example *s, ptrdiff_t j)
{
    double sum = 0;
    for (int r = 0; r < RANK; r++) {
        double product = 1;
        ptrdiff_t rest = j;
        for (int n = s->shape.order - 1; n >= 0; rest /= s->shape.dim[n--])
            product *= s->x[n][rest % s->shape.dim[n] * RANK + r];
        sum += product;
    }
    return sum;
}

/* T is nan where nothing was observed; the pairs come backwards. */
static example *example_new(const crease_space *shape, double noise, double scale)
{
    example *s = calloc(1, sizeof *s);
    draws d = { { 7, 0 }, 0 };
    const ptrdiff_t size = crease_size(shape);
    s->shape = *shape;
    for (int n = 0; n < shape->order; n++)
        for (ptrdiff_t k = 0; k < shape->dim[n] * RANK; k++) s->x[n][k] = 1 + normal(&d);
    for (ptrdiff_t j = 0; j < size; j++) {
        const double t = model(s, j) + noise * normal(&d) + (j % 23 == 0 ? 9 * noise : 0);
        s->mask[j] = uniform(&d, 0, 1) < 0.24;
        s->T[j] = s->mask[j] ? scale * t : NAN;
    }
    for (ptrdiff_t j = size - 1; j >= 0; j--) {
        if (!s->mask[j]) continue;
        s->pair[2 * s->count] = (double)j;
        s->pair[2 * s->count++ + 1] = s->T[j];
    }
    return s;
}

static void same_list(const crs_coordinates *a, const crs_coordinates *b)
{
    const ptrdiff_t rows = a->shape.dim[a->lead];
    assert_int_equal(a->lead, b->lead);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->start, b->start, (size_t)(rows + 1) * sizeof *a->start);
    assert_memory_equal(a->value, b->value, (size_t)a->count * sizeof *a->value);
    assert_memory_equal(a->index, b->index,
                        (size_t)(a->count * (a->shape.order - 1)) * sizeof *a->index);
}

static void sorted_pairs_are_the_masked_tensor(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        example *s = example_new(&shapes[k], 0.1, 1);
        crs_coordinates a, b;
        ptrdiff_t twice = 0, at[CREASE_MAX_ORDER];
        assert_true(crs_coordinates_open(&a, &s->shape, s->T, s->mask, s->count, NULL));
        assert_true(crs_coordinates_sort(&b, &s->shape, s->count, s->pair, &twice, NULL));
        assert_int_equal(twice, -1);
        same_list(&a, &b);
        for (ptrdiff_t i = 0, e = 0; i < s->shape.dim[b.lead]; i++)
            for (; e < b.start[i + 1]; e++)
                assert_true(b.value[e] == s->T[crs_coordinates_place(&b, i, e, at)]);
        crs_coordinates_close(&a);
        crs_coordinates_close(&b);
        free(s);
    }
}

/* In their order: 1e16 + 1 - 1e16 is not 1 + (1e16 - 1e16). */
static void pairs_of_one_place_add_up_or_are_found(void **state)
{
    (void)state;
    const crease_space shape = crease_matrix(2, 3);
    const double pair[] = { 4, 1e16, 5, 7, 4, 1, 0, 3, 4, -1e16 };
    crs_coordinates c;
    ptrdiff_t twice = -1;
    assert_true(crs_coordinates_sort(&c, &shape, 5, pair, NULL, NULL));
    assert_int_equal(c.count, 3);
    assert_int_equal(c.lead, 1);
    assert_true(c.value[0] == 3 && c.value[1] == 1e16 + 1 - 1e16 && c.value[2] == 7);
    crs_coordinates_close(&c);
    assert_true(crs_coordinates_sort(&c, &shape, 5, pair, &twice, NULL));
    assert_int_equal(twice, 4);
    crs_coordinates_close(&c);
}

static crs_source *source_of(const example *s)
{
    crs_coordinates list;
    crease_error e;
    assert_true(crs_coordinates_sort(&list, &s->shape, s->count, s->pair, NULL, &e));
    crs_source *source = crs_listed_open(&list, &e);
    assert_non_null(source);
    assert_true(crs_is_listed(source));
    return source;
}

static crease_rpca_settings settings_of(const example *s, const double *const *start)
{
    crease_rpca_settings m = crease_rpca_default(&s->shape);
    m.rank = RANK;
    m.factor = start;
    m.threads = 1;
    return m;
}

/* By the list alone, or by the tensor in a copy that lasts as long as the run. */
static crease_rpca *run_of(const example *s, const crease_rpca_settings *m, crs_source *list,
                           double *copied)
{
    crease_rpca_settings own = *m;
    crease_error e = { .text = "" };
    crease_options o = crease_rpca_options();
    o.eps = 1e-10;
    own.missing = !list;
    if (!list) memcpy(copied, s->T, sizeof s->T);
    crease_rpca *r =
        list ? crs_rpca_new_on(&own, &o, list, &e) : crease_rpca_new(&own, &o, copied, &e);
    if (!r) print_message("%s\n", e.text);
    assert_non_null(r);
    assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
    return r;
}

static void same_part(const crease_rpca *a, const crease_rpca *b, crease_rpca_part part,
                      const crease_space *shape, double eps)
{
    const ptrdiff_t size = crease_size(shape);
    double *x = malloc((size_t)size * sizeof *x), *y = malloc((size_t)size * sizeof *y);
    ptrdiff_t left, right;
    crease_rpca_rows(a, &left, &right);
    crease_rpca_read(a, part, 0, left, x);
    crease_rpca_rows(b, &left, &right);
    crease_rpca_read(b, part, 0, left, y);
    for (ptrdiff_t j = 0; j < size; j++) assert_close(x[j], y[j], eps);
    free(x);
    free(y);
}

static void same_answer(crease_rpca *a, crease_rpca *b, const crease_space *shape, double scale)
{
    const crease_rpca_facts *f = crease_rpca_about(a), *g = crease_rpca_about(b);
    const crease_certificate *c = crease_rpca_certificate(a), *d = crease_rpca_certificate(b);
    assert_int_equal(f->observed, g->observed);
    assert_int_equal(f->missing, g->missing);
    assert_int_equal(f->outliers, g->outliers);
    assert_int_equal(f->clear, g->clear);
    assert_int_equal(f->largest, g->largest);
    assert_close(f->deviation, g->deviation, 1e-6 * scale);
    assert_close(f->explained, g->explained, 1e-8);
    assert_close(c->objective, d->objective, 1e-8 * d->objective);
    assert_int_equal(c->count, d->count);
    for (int i = 0; i < c->count; i++)
        assert_close(c->block[i].scale, d->block[i].scale, 1e-6 * d->block[i].scale);
    for (int part = CREASE_RPCA_LOWRANK; part <= CREASE_RPCA_NOISE; part++)
        same_part(a, b, (crease_rpca_part)part, shape, 1e-8 * scale);
}

static void a_run_by_the_list_is_that_by_the_masked_tensor(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * SHAPES; k++) {
        const double scale = k < SHAPES ? 1 : 0x1p300;
        example *s = example_new(&shapes[k % SHAPES], 0.1, scale);
        const double *start[CREASE_MAX_ORDER];
        double *copied = malloc(sizeof s->T);
        for (int n = 0; n < s->shape.order; n++) {
            start[n] = s->x[n];
            for (ptrdiff_t j = 0; j < s->shape.dim[n] * RANK; j++)
                s->x[n][j] *= pow(scale, 1.0 / s->shape.order);
        }
        crease_rpca_settings m = settings_of(s, start);
        m.alpha = 0.3 * scale; /* a list learns it in a way of its own */
        crs_source *list = source_of(s);
        crease_rpca *a = run_of(s, &m, list, NULL), *b = run_of(s, &m, NULL, copied);
        same_answer(a, b, &s->shape, scale * 10);
        crease_rpca_free(a);
        crease_rpca_free(b);
        list->ops->close(list);
        free(copied);
        free(s);
    }
}

/* ---- the checker ---- */

typedef struct {
    const crs_coordinates *t;
    const double *e; /* of all entries of the tensor */
} judged;

static void entry(void *user, ptrdiff_t k, ptrdiff_t *index, double *t, double *e)
{
    const judged *x = user;
    ptrdiff_t row = 0;
    while (k >= x->t->start[row + 1]) row++;
    *t = x->t->value[k];
    *e = x->e[crs_coordinates_place(x->t, row, k, index)];
}

/* All parts by their definitions */
typedef struct {
    double part[CREASE_RPCA_NOISE + 1][MOST];
    ptrdiff_t right;
} whole;

static bool read_row(void *user, crease_rpca_part part, ptrdiff_t row, double *out)
{
    const whole *w = user;
    memcpy(out, w->part[part] + row * w->right, (size_t)w->right * sizeof *out);
    return true;
}

static void fill_whole(const example *s, const crease_cp_claim *c, const double *e, whole *w)
{
    const double share = c->alpha_noise / (1 + c->alpha_noise);
    for (ptrdiff_t j = 0; j < crease_size(&s->shape); j++) {
        const double m = model(s, j), rest = s->mask[j] ? s->T[j] - e[j] - m : 0;
        w->part[CREASE_RPCA_DATA][j] = s->mask[j] ? s->T[j] : 0;
        w->part[CREASE_RPCA_SEEN][j] = s->mask[j];
        w->part[CREASE_RPCA_SPARSE][j] = e[j];
        w->part[CREASE_RPCA_Z][j] = m + share * rest;
        w->part[CREASE_RPCA_B][j] = rest / (1 + c->alpha_noise);
    }
}

static void the_checker_agrees_with_that_of_rows(void **state)
{
    (void)state;
    example *s = example_new(&shapes[2], 0.1, 1);
    crs_source *list = source_of(s);
    double *copied = malloc(sizeof s->T), *e = malloc(sizeof s->T);
    whole *w = calloc(1, sizeof *w);
    const double *start[] = { s->x[0], s->x[1], s->x[2] };
    crease_rpca_settings m = settings_of(s, start);
    m.ridge = 0.2;
    crease_rpca *a = run_of(s, &m, NULL, copied);
    const crease_rpca_settings *used = crease_rpca_used(a);
    ptrdiff_t left, right;
    crease_rpca_rows(a, &left, &right);
    crease_rpca_read(a, CREASE_RPCA_SPARSE, 0, left, e);
    for (int n = 0; n < 3; n++)
        memcpy(s->x[n], crease_rpca_factor(a, n),
               (size_t)(s->shape.dim[n] * RANK) * sizeof(double));
    const crease_cp_claim c = { .shape = s->shape,
                                .rank = RANK,
                                .penalty = used->penalty,
                                .alpha = used->alpha,
                                .alpha_noise = used->alpha_noise,
                                .ridge = used->ridge,
                                .factor = start,
                                .left = s->shape.dim[0],
                                .right = crease_size(&s->shape) / s->shape.dim[0],
                                .read = read_row,
                                .user = w };
    judged own = { list->listed, e };
    const crease_cp_entries entries = { list->listed->count, entry, &own };
    w->right = c.right;
    for (int spoiled = 0; spoiled < 3; spoiled++) {
        crease_verification v, u;
        if (spoiled == 1) s->x[1][3] += 1e-3;
        if (spoiled == 2) s->x[1][3] -= 1e-3, e[(ptrdiff_t)s->pair[8]] += 0.1;
        fill_whole(s, &c, e, w);
        assert_true(crease_cp_verify(&c, 1e-8, true, &v, NULL));
        assert_true(crease_cp_verify_entries(&c, &entries, 1e-8, true, &u, NULL));
        assert_int_equal(u.verdict, spoiled ? CREASE_VERDICT_INVALID : CREASE_VERDICT_VALID);
        assert_int_equal(u.verdict, v.verdict);
        assert_int_equal(u.worst_block, v.worst_block);
        assert_close(u.smallest_eps, v.smallest_eps, 1e-3 * v.smallest_eps + 1e-12);
        crease_verification_free(&v);
        crease_verification_free(&u);
    }
    crease_rpca_free(a);
    list->ops->close(list);
    free(copied);
    free(e);
    free(w);
    free(s);
}

/* The directions of a matrix of which few entries are known span its factor's columns nearly, and
 * entries that stand out change little of that: sum of squared cosines by the rank. */
static void directions_span_the_factor(void **state)
{
    (void)state;
    enum { M = 3000, N = 60, EACH = 9, COUNT = M * EACH, P = RANK + 6 };
    double *u = calloc(M * RANK, sizeof *u), y[N * RANK], q[N * P], values[P], gram[RANK * RANK];
    double *pair = calloc(2 * COUNT, sizeof *pair), cosines = 0;
    ptrdiff_t last[N] = { 0 };
    const crease_space shape = crease_matrix(M, N);
    draws d = { { 11, 0 }, 0 };
    crs_coordinates c;
    for (ptrdiff_t k = 0; k < M * RANK; k++) u[k] = normal(&d);
    for (ptrdiff_t k = 0; k < N * RANK; k++) y[k] = normal(&d);
    for (ptrdiff_t k = 0; k < COUNT; k++) {
        const ptrdiff_t i = k / EACH;
        ptrdiff_t j;
        do {
            j = (ptrdiff_t)uniform(&d, 0, N);
        } while (last[j] == i + 1);
        last[j] = i + 1;
        pair[2 * k] = (double)(i * N + j);
        pair[2 * k + 1] = crs_dot(RANK, u + i * RANK, y + j * RANK) + (k % 50 == 0 ? 100 : 0);
    }
    assert_true(crs_coordinates_sort(&c, &shape, COUNT, pair, NULL, NULL));
    crs_source *list = crs_listed_open(&c, NULL);
    const crs_cp_view v = { .shape = shape, .source = list, .limit = INFINITY };
    const crs_listed_fibres all = {
        M, N, list->listed->start, list->listed->index, list->listed->value, 6
    };
    assert_true(crs_listed_directions(&v, &all, 1, &(crs_listed_spectrum){ P, q, values }, NULL));
    crs_gram(N, RANK, y, gram);
    assert_true(crs_cholesky(RANK, gram));
    for (int r = 0; r < RANK; r++) {
        double b[RANK] = { 0 }, z[RANK];
        for (ptrdiff_t j = 0; j < N; j++) axpy(RANK, q[j * P + r], y + j * RANK, b);
        copy(RANK, b, z);
        crs_cholesky_solve(RANK, gram, 1, z);
        cosines += crs_dot(RANK, b, z) / RANK;
    }
    if (!(cosines > 0.95 && cosines < 1 + 1e-12)) fail_msg("squared cosines %g", cosines);
    list->ops->close(list);
    free(pair);
    free(u);
}

/* Without noise the sweeps come near the truth by themselves. */
static void sweeps_lead_near_the_data(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        example *s = example_new(&shapes[k], 0, 1);
        crs_source *list = source_of(s);
        double x[CREASE_MAX_ORDER][97 * RANK], *factor[CREASE_MAX_ORDER], data, left;
        crs_kruskal found = { .shape = s->shape, .rank = RANK };
        crs_cp_view v = { .shape = s->shape, .source = list, .limit = INFINITY };
        for (int n = 0; n < s->shape.order; n++) found.factor[n] = factor[n] = x[n];
        const crs_listed_sweeps o = { .rank = RANK, .seed = 1 };
        assert_true(crs_listed_start(&v, &o, factor, NULL));
        assert_true(crs_view_median(&v, &data, NULL));
        v.model = &found;
        assert_true(crs_view_median(&v, &left, NULL));
        assert_true(left < 0.3 * data);
        list->ops->close(list);
        free(s);
    }
}

/* A tensor of which few entries are known, with noise and entries that stand out; terms of sizes
 * 1, 1/2 and 1/4 */
enum { TERMS = 3, LONGEST = 90, KNOWN = 9000 };
typedef struct {
    crease_space shape;
    double x[CREASE_MAX_ORDER][LONGEST * TERMS], pair[2 * KNOWN];
    crs_source *list;
} few;

static double few_at(const crs_kruskal *k, ptrdiff_t place)
{
    double sum = 0;
    for (ptrdiff_t r = 0; r < k->rank; r++) {
        double product = 1;
        ptrdiff_t rest = place;
        for (int n = k->shape.order - 1; n >= 0; rest /= k->shape.dim[n--])
            product *= k->factor[n][rest % k->shape.dim[n] * k->rank + r];
        sum += product;
    }
    return sum;
}

static crs_kruskal truth_of(const few *s)
{
    crs_kruskal k = { .shape = s->shape, .rank = TERMS };
    for (int n = 0; n < k.shape.order; n++) k.factor[n] = s->x[n];
    return k;
}

static few *few_new(const crease_space *shape, double noise)
{
    few *s = calloc(1, sizeof *s);
    draws d = { { 17, 0 }, 0 };
    crs_coordinates c;
    s->shape = *shape;
    const crs_kruskal k = truth_of(s);
    const ptrdiff_t step = crease_size(shape) / KNOWN;
    for (int n = 0; n < shape->order; n++)
        for (ptrdiff_t j = 0; j < shape->dim[n] * TERMS; j++)
            s->x[n][j] = normal(&d) * (n == 0 ? ldexp(1, -(int)(j % TERMS)) : 1);
    for (ptrdiff_t e = 0; e < KNOWN; e++) {
        const ptrdiff_t place = e * step + (ptrdiff_t)uniform(&d, 0, (double)step);
        const double t = few_at(&k, place) + noise * normal(&d) + (e % 40 == 0 ? 5 : 0);
        s->pair[2 * e] = (double)place, s->pair[2 * e + 1] = t;
    }
    assert_true(crs_coordinates_sort(&c, shape, KNOWN, s->pair, NULL, NULL));
    s->list = crs_listed_open(&c, NULL);
    return s;
}

/* |found - true|/|true| at places most of which are not known */
static double error_of(const few *s, double *const *factor)
{
    const crs_kruskal truth = truth_of(s);
    crs_kruskal found = truth;
    double wrong = 0, all = 0;
    for (int n = 0; n < s->shape.order; n++) found.factor[n] = factor[n];
    for (ptrdiff_t j = 0; j < crease_size(&s->shape); j += 37) {
        wrong += square(few_at(&found, j) - few_at(&truth, j));
        all += square(few_at(&truth, j));
    }
    return sqrt(wrong / all);
}

/* Terms are found by what stands out, with the same bits for any number of threads. */
static void terms_of_a_tensor_are_found(void **state)
{
    (void)state;
    static const crease_space kinds[] = { { .order = 3, .dim = { 70, 90, 60 } },
                                          { .order = 4, .dim = { 24, 30, 20, 26 } } };
    for (int k = 0; k < 2; k++) {
        few *s = few_new(&kinds[k], 0.05);
        static double x[2][CREASE_MAX_ORDER][LONGEST * TERMS];
        double *factor[2][CREASE_MAX_ORDER];
        for (int q = 0; q < 2; q++) {
            const crs_cp_view v = {
                .shape = s->shape, .source = s->list, .limit = INFINITY, .threads = 1 + 2 * q
            };
            const crs_listed_sweeps o = { .rank = TERMS, .seed = 1 };
            for (int n = 0; n < s->shape.order; n++) factor[q][n] = x[q][n];
            assert_true(crs_listed_start(&v, &o, factor[q], NULL));
        }
        const double error = error_of(s, factor[0]);
        if (!(error < 0.15)) fail_msg("order %d: error %g", s->shape.order, error);
        for (int n = 0; n < s->shape.order; n++)
            assert_memory_equal(x[0][n], x[1][n],
                                (size_t)(s->shape.dim[n] * TERMS) * sizeof(double));
        s->list->ops->close(s->list);
        free(s);
    }
}

/* Terms beyond those that there are stay 0; nothing at all is no failure. */
static void terms_that_are_noise_are_left_out(void **state)
{
    (void)state;
    const crease_space shape = { .order = 3, .dim = { 70, 90, 60 } };
    few *s = few_new(&shape, 0.4);
    static double x[3][LONGEST * (TERMS + 2)];
    double *factor[] = { x[0], x[1], x[2] };
    const crs_cp_view v = { .shape = shape, .source = s->list, .limit = INFINITY };
    const crs_listed_sweeps o = { .rank = TERMS + 2, .seed = 1 };
    assert_true(crs_listed_start(&v, &o, factor, NULL));
    for (ptrdiff_t j = 0; j < 90; j++)
        assert_true(x[1][j * o.rank + TERMS] == 0 && x[1][j * o.rank + TERMS + 1] == 0);
    double *value = s->list->listed->value;
    for (ptrdiff_t e = 0; e < KNOWN; e++) value[e] = 0;
    assert_true(crs_listed_start(&v, &o, factor, NULL));
    for (ptrdiff_t j = 0; j < 90 * o.rank; j++) assert_true(isfinite(x[1][j]));
    s->list->ops->close(s->list);
    free(s);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    example *s = example_new(&shapes[1], 0.1, 1);
    double x[2][97 * RANK];
    for (int k = 0; k < 2; k++) {
        crs_source *list = source_of(s);
        crease_rpca_settings m = settings_of(s, NULL);
        m.threads = 1 + 2 * k;
        crease_rpca *r = run_of(s, &m, list, NULL);
        memcpy(x[k], crease_rpca_factor(r, 1), sizeof x[k]);
        crease_rpca_free(r);
        list->ops->close(list);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    free(s);
}

static void refused(const example *s, const crease_rpca_settings *m, const char *what)
{
    crs_source *list = source_of(s);
    crease_options o = crease_rpca_options();
    crease_error e;
    assert_null(crs_rpca_new_on(m, &o, list, &e));
    if (!strstr(e.text, what)) print_message("%s\n", e.text);
    assert_non_null(strstr(e.text, what));
    list->ops->close(list);
}

static void what_needs_all_entries_is_refused(void **state)
{
    (void)state;
    example *s = example_new(&shapes[0], 0.1, 1);
    crs_slab slab;
    crease_error e;
    crease_rpca_settings m = settings_of(s, NULL);
    m.rank = 0;
    refused(s, &m, "give --rank");
    m.rank = RANK, m.start = CREASE_START_GEVD;
    refused(s, &m, "--init gevd needs all entries");
    m.start = CREASE_START_HOSVD;
    refused(s, &m, "--init hosvd");
    m.start = CREASE_START_AUTO, m.center = 1;
    refused(s, &m, "--center");
    m = crease_rpca_default(&s->shape);
    m.kind = CREASE_RPCA_TUCKER, m.ranks = crease_matrix(2, 2);
    refused(s, &m, "only --model cp");
    crs_source *list = source_of(s);
    assert_false(list->ops->take(list, 0, &slab, &e));
    assert_non_null(strstr(e.text, "that were observed are held"));
    list->ops->close(list);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_pairs_are_the_masked_tensor),
        cmocka_unit_test(pairs_of_one_place_add_up_or_are_found),
        cmocka_unit_test(a_run_by_the_list_is_that_by_the_masked_tensor),
        cmocka_unit_test(the_checker_agrees_with_that_of_rows),
        cmocka_unit_test(directions_span_the_factor),
        cmocka_unit_test(sweeps_lead_near_the_data),
        cmocka_unit_test(terms_of_a_tensor_are_found),
        cmocka_unit_test(terms_that_are_noise_are_left_out),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(what_needs_all_entries_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
