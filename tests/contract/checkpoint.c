/* SPDX-License-Identifier: MIT
 * checkpoint: every long call of every model ends in the same bits with a checkpoint as without,
 * and from any image of it, also when it is stopped and resumed several times */
#include <stdio.h>

#include "core/checkpoint.h"
#include "support/test.h"

enum { D1 = 12, D2 = 10, D3 = 8, SIZE = D1 * D2 * D3, ROWS = 40, COLS = 60, OUT = 4096, MOST = 24 };

static double tensor[SIZE], X[ROWS * COLS], y[ROWS];

static void make_data(void)
{
    const crease_random r = { 7, 0 };
    for (int i = 0; i < D1; i++)
        for (int j = 0; j < D2; j++)
            for (int k = 0; k < D3; k++) {
                const int at = (i * D2 + j) * D3 + k;
                const double noise = 0.02 * crease_random_normal(r, (uint64_t)at);
                tensor[at] = sin(i + 1.0) * cos(j) * (k + 1.0) / D3 +
                             cos(2.0 * i) * sin(3.0 * j + 1) * exp(-0.3 * k) + noise +
                             (at % 17 == 3 ? 3 : 0);
            }
    for (int j = 0; j < ROWS * COLS; j++)
        X[j] = crease_random_normal((crease_random){ 8, 0 }, (uint64_t)j);
    for (int i = 0; i < ROWS; i++)
        y[i] = 2 * X[i * COLS] - X[i * COLS + 5] +
               0.3 * crease_random_normal((crease_random){ 9, 0 }, (uint64_t)i);
}

static void robust(crease_watch *w, const crease_rpca_settings *s, crease_method method,
                   double *out)
{
    static double copy_of[SIZE];
    crease_options o = crease_rpca_options();
    crease_error e = { CREASE_OK, "" };
    o.watch = w;
    o.method = method;
    memcpy(copy_of, tensor, sizeof tensor);
    crease_rpca *r = crease_rpca_new(s, &o, copy_of, &e);
    if (!r && e.code == CREASE_CUT) return; /* stopped before there was anything */
    if (!r) fail_msg("%s", e.text);
    crease_rpca_run(r);
    ptrdiff_t left, right;
    crease_rpca_rows(r, &left, &right);
    crease_rpca_read(r, CREASE_RPCA_LOWRANK, 0, left, out);
    crease_rpca_read(r, CREASE_RPCA_SPARSE, 0, left, out + SIZE);
    out[2 * SIZE] = (double)crease_rpca_report(r)->iterations;
    crease_rpca_free(r);
}

static crease_rpca_settings settings(void)
{
    const crease_space shape = { .order = 3, .dim = { D1, D2, D3 } };
    return crease_rpca_default(&shape);
}

static void rank_chosen(crease_watch *w, double *out)
{
    const crease_rpca_settings s = settings();
    robust(w, &s, CREASE_METHOD_AUTO, out);
}

static void centred(crease_watch *w, double *out)
{
    crease_rpca_settings s = settings();
    s.rank = 2, s.starts = 3, s.center = 1;
    robust(w, &s, CREASE_METHOD_AUTO, out);
}

static void concave(crease_watch *w, double *out)
{
    crease_rpca_settings s = settings();
    s.rank = 3, s.starts = 2, s.nonneg = true, s.penalty = crease_mcp(1, 3);
    robust(w, &s, CREASE_METHOD_AUTO, out);
}

static void by_admm(crease_watch *w, double *out)
{
    crease_rpca_settings s = settings();
    s.rank = 2;
    robust(w, &s, CREASE_METHOD_ADMM_G, out);
}

static void by_descent(crease_watch *w, double *out)
{
    crease_rpca_settings s = settings();
    s.rank = 2, s.single = true;
    robust(w, &s, CREASE_METHOD_PROX_BCD, out);
}

static void tucker(crease_watch *w, double *out)
{
    crease_rpca_settings s = settings();
    s.kind = CREASE_RPCA_TUCKER;
    robust(w, &s, CREASE_METHOD_AUTO, out);
}

static void matrix(crease_rpca_kind kind, crease_watch *w, double *out)
{
    const crease_space shape = crease_matrix(D1, D2 * D3);
    crease_rpca_settings s = crease_rpca_default(&shape);
    s.kind = kind;
    robust(w, &s, CREASE_METHOD_AUTO, out);
}
static void ball(crease_watch *w, double *out) { matrix(CREASE_RPCA_BALL, w, out); }

static void crossed(crease_watch *w, double *out)
{
    crease_regression_settings s = crease_regression_default();
    crease_regression_scores scores;
    crease_error e = { CREASE_OK, "" };
    s.path = 20;
    s.watch = w;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, &e);
    assert_non_null(m);
    assert_true(crease_regression_fit(m, &e));
    const bool whole = !crease_regression_stopped(m);
    if (whole) {
        assert_true(crease_regression_cv(m, X, y, 4, 1, &scores, &e));
        for (ptrdiff_t k = 0; k < scores.count; k++) {
            memcpy(out + k * COLS, crease_regression_at(m, k)->coef, COLS * sizeof *out);
            out[OUT - 1 - k] = scores.mean[k];
        }
        crease_regression_scores_free(&scores);
    }
    crease_regression_free(m);
}

static void sparse_components(crease_watch *w, double *out)
{
    const crease_space shape = { .order = 3, .dim = { D1, D2, D3 } };
    crease_spca_settings s = crease_spca_default(&shape);
    crease_error e = { CREASE_OK, "" };
    s.starts = 4;
    crease_spca *m = crease_spca_new(&s, tensor, &e);
    assert_non_null(m);
    crease_options o = crease_spca_options(m);
    o.watch = w;
    for (int k = 0; k < 2; k++) {
        crease_spca_component c;
        if (!crease_spca_next(m, &o, &c, &e)) break;
        out[40 * k] = c.sigma;
        for (int n = 0, at = 40 * k + 1; n < 3; at += (int)shape.dim[n++])
            memcpy(out + at, c.x[n], (size_t)shape.dim[n] * sizeof *out);
    }
    crease_spca_free(m);
}

/* 1/2|Xb - y|^2 + MCP: by a method of the paper, or from several starts by the cores */
static void solve(crease_watch *w, crease_method method, long starts, double *out)
{
    static const int first = 0;
    const crease_map map = crease_dense(X);
    crease_predictor u = { .count = 1, .block = &first, .map = &map, .rhs = y };
    u.range = crease_vector(ROWS);
    const crease_space space = crease_vector(COLS);
    const crease_block block = { .reg = crease_mcp(5, 3) };
    crease_problem p = { .count = 1, .space = &space, .block = &block };
    crease_options o = crease_options_default();
    crease_error e = { CREASE_OK, "" };
    p.f = crease_least_squares(&u);
    o.watch = w;
    o.method = method;
    o.starts = starts;
    crease_solver *s = crease_solver_new(&p, &o, &e);
    if (!s) fail_msg("%s", e.text);
    crease_solve(s);
    memcpy(out, crease_solution(s, 0), COLS * sizeof *out);
    out[COLS] = (double)crease_solver_report(s).iterations;
    out[COLS + 1] = crease_point_count(s);
    crease_solver_free(s);
}

static void proximal(crease_watch *w, double *out) { solve(w, CREASE_METHOD_PROX_BCD, 1, out); }
static void by_panoc(crease_watch *w, double *out) { solve(w, CREASE_METHOD_PANOC, 1, out); }
static void plainly(crease_watch *w, double *out) { solve(w, CREASE_METHOD_PLAIN, 1, out); }

/* |L|_* + |S|_1 with L + S = T, by the cores that take it */
static void split(crease_watch *w, crease_method method, double *out)
{
    const crease_space spaces[] = { crease_matrix(D1, D2 * D3), crease_matrix(D1, D2 * D3) };
    const crease_block blocks[] = { { .reg = crease_nuclear(1), .map = crease_identity(1) },
                                    { .reg = crease_l1(0.2), .map = crease_identity(1) } };
    const crease_problem p = {
        .count = 2, .space = spaces, .block = blocks, .range = spaces[0], .rhs = tensor
    };
    crease_options o = crease_options_default();
    crease_error e = { CREASE_OK, "" };
    o.watch = w;
    o.method = method;
    o.max_iterations = 300;
    crease_solver *s = crease_solver_new(&p, &o, &e);
    if (!s) fail_msg("%s", e.text);
    crease_solve(s);
    memcpy(out, crease_solution(s, 0), sizeof tensor);
    memcpy(out + SIZE, crease_multiplier(s), sizeof tensor);
    out[2 * SIZE] = (double)crease_solver_report(s).iterations;
    crease_solver_free(s);
}

static void by_splitting(crease_watch *w, double *out) { split(w, CREASE_METHOD_SPLITTING, out); }

/* The least total variation of x with X x = y: inner problems for panoc */
static void multiplied(crease_watch *w, double *out)
{
    const crease_space space = crease_vector(COLS);
    const crease_block block = { .reg = crease_tv1d(1), .map = crease_dense(X) };
    const crease_problem p = {
        .count = 1, .space = &space, .block = &block, .range = crease_vector(ROWS), .rhs = y
    };
    crease_options o = crease_options_default();
    crease_error e = { CREASE_OK, "" };
    o.watch = w;
    o.method = CREASE_METHOD_MULTIPLIERS;
    o.max_iterations = 400;
    crease_solver *s = crease_solver_new(&p, &o, &e);
    if (!s) fail_msg("%s", e.text);
    crease_solve(s);
    memcpy(out, crease_solution(s, 0), COLS * sizeof *out);
    memcpy(out + COLS, crease_multiplier(s), ROWS * sizeof *out);
    out[COLS + ROWS] = (double)crease_solver_report(s).iterations;
    crease_solver_free(s);
}
static void raced(crease_watch *w, double *out) { solve(w, CREASE_METHOD_AUTO, 6, out); }

static void applied(crease_watch *w, double *out)
{
    static double factor[2][2 * D2];
    const crease_space shape = { .order = 3, .dim = { D1, D2, D3 } };
    const double *x[] = { NULL, factor[0], factor[1] };
    const crease_cp_apply_settings s = { .shape = shape,
                                         .rank = 2,
                                         .mode = 0,
                                         .factor = x,
                                         .alpha = 0.5,
                                         .alpha_noise = 1,
                                         .watch = w };
    const crease_cp_apply_result r = { .coefficients = out, .lowrank = out + 100 };
    crease_error e = { CREASE_OK, "" };
    for (int j = 0; j < 2 * D2; j++) factor[0][j] = cos(j), factor[1][j] = sin(j + 1.0);
    if (!crease_cp_apply(&s, tensor, &r, &e)) fail_msg("%s", e.text);
}

typedef struct {
    void *bytes[MOST];
    size_t size[MOST];
    long seen, every; /* of which one in so many is kept */
    int count;
    long stop; /* after so many; 0: never */
    crease_watch *w;
} album;

static bool save(void *self, const void *bytes, size_t count)
{
    album *a = self;
    if (a->seen++ % a->every == 0 && a->count < MOST) {
        a->bytes[a->count] = crs_alloc(count, 1);
        memcpy(a->bytes[a->count], bytes, count);
        a->size[a->count++] = count;
    }
    if (a->stop > 0 && a->seen == a->stop) crease_watch_stop(a->w);
    return true;
}

static void discard(album *a)
{
    for (int k = 0; k < a->count; k++) crs_free(a->bytes[k]);
    a->count = 0;
}

typedef void job(crease_watch *w, double *out);

static crease_checkpoint_facts run(job *call, album *a, const void *bytes, size_t size, double *out)
{
    crease_error e = { CREASE_OK, "" };
    crease_watch *w = a->w = crease_watch_new(&e);
    crease_checkpoint *c = crease_checkpoint_new(0, save, a, &e);
    crease_watch_enter(w, CREASE_PHASE_START);
    if (bytes && !crease_checkpoint_resume(c, bytes, size, &e)) fail_msg("%s", e.text);
    crease_watch_checkpoint(w, c);
    memset(out, 0, OUT * sizeof *out);
    call(w, out);
    const crease_checkpoint_facts about = crease_checkpoint_about(c);
    crease_watch_free(w);
    crease_checkpoint_free(c);
    return about;
}

/* Stopped three times on its way, each time a little later */
static void stop_and_go(job *call, long images, const double *wanted)
{
    static double out[OUT];
    void *bytes = NULL;
    size_t size = 0;
    for (int k = 1; k <= 4; k++) {
        album a = { .every = 1, .stop = k < 4 ? 1 + images / 5 : 0 };
        a.every = a.stop > 0 ? a.stop : images + 1;
        a.seen = a.stop > 0 ? 1 : 0; /* the last one before the stop is kept */
        if (a.stop > 0) a.stop++;
        run(call, &a, bytes, size, out);
        if (a.count > 0 && k < 4) {
            crs_free(bytes);
            bytes = a.bytes[--a.count];
            size = a.size[a.count];
        }
        discard(&a);
    }
    crs_free(bytes);
    assert_memory_equal(out, wanted, sizeof out);
}

static bool same(const void *a, const void *b) { return memcmp(a, b, OUT * sizeof(double)) == 0; }

static void try_images(const char *name, job *call)
{
    static double plain[OUT], out[OUT];
    album count = { .every = 1L << 40 }, none = { .every = 1L << 40 };
    int middle = 0;
    memset(plain, 0, sizeof plain);
    call(NULL, plain);
    run(call, &count, NULL, 0, out);
    discard(&count);
    assert_true(same(out, plain));
    album a = { .every = 1 + count.seen / (MOST / 2) };
    run(call, &a, NULL, 0, out);
    for (int k = 0; k < a.count; k++) {
        const crease_checkpoint_facts f = run(call, &none, a.bytes[k], a.size[k], out);
        discard(&none);
        middle += f.amidst;
        if (f.misfit || !same(out, plain))
            fail_msg("%s: image %d of %d%s", name, k, a.count, f.misfit ? ", misfit" : "");
    }
    print_message("%s: %ld images, %d resumed, %d in their middle\n", name, count.seen, a.count,
                  middle);
    assert_true(a.count > 2 && (middle > 2 || call == raced)); /* newton begins anew */
    discard(&a);
    stop_and_go(call, count.seen, plain);
}

static void every_call_is_resumed_in_the_same_bits(void **state)
{
    static const struct {
        const char *name;
        job *call;
    } jobs[] = { { "rank chosen", rank_chosen },
                 { "centred", centred },
                 { "concave", concave },
                 { "admm-g", by_admm },
                 { "prox-bcd", by_descent },
                 { "tucker", tucker },
                 { "ball", ball },
                 { "crossed", crossed },
                 { "spca", sparse_components },
                 { "proximal", proximal },
                 { "raced", raced },
                 { "panoc", by_panoc },
                 { "plain", plainly },
                 { "splitting", by_splitting },
                 { "multipliers", multiplied },
                 { "applied", applied } };
    (void)state;
    make_data();
    for (size_t q = 0; q < sizeof jobs / sizeof *jobs; q++) try_images(jobs[q].name, jobs[q].call);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_call_is_resumed_in_the_same_bits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
