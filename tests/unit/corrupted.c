/* SPDX-License-Identifier: MIT
 * corrupted: whatever is broken in a problem, "stationary" is said of stationary points only
 *
 * Each problem starts as a valid one; one to three of its numbers, arrays, shapes, parameters or
 * options are spoilt. A claim of success is checked from the definitions (recompute.h). */
#include "contract/contract.h"
#include "recompute.h"
#include <time.h>

enum { PROBLEMS = 10000 };

static const double odd[] = { NAN,   INFINITY, -INFINITY, 1e308, -1e308, 1e-308, 5e-324,
                              1e150, -1e150,   1e-150,    1e20,  1e-20,  0,      -0.0,
                              -1,    1,        1e8,       -1e-8, 2.5,    1e300 };

static int below(draws *d, int n) { return (int)uniform(d, 0, n); }
static double odd_number(draws *d) { return odd[below(d, sizeof odd / sizeof *odd)]; }

static void spoil_numbers(fodder *f, draws *d)
{
    const int from = below(d, f->used), to = from + 1 + below(d, 8);
    const double factors[] = { 1e150, 1e-150, 1e8, 1e-8, 0, -1, 1e-300 };
    const double factor = factors[below(d, 7)];
    switch (below(d, 4)) {
    case 0:
        for (int k = 0; k < f->used; k++) f->pool[k] *= factor;
        break;
    case 1:
        for (int k = from; k < to && k < f->used; k++) f->pool[k] *= factor;
        break;
    case 2: /* equal rows and worse: a stretch repeats itself */
        for (int k = from; k < f->used; k++) f->pool[k] = f->pool[from + (k - from) % 3];
        break;
    default:
        f->pool[from] = odd_number(d);
    }
}

static void spoil_parameters(fodder *f, draws *d)
{
    const int i = below(d, f->p.count);
    switch (below(d, 5)) {
    case 0:
        f->block[i].reg.par[below(d, 2)] = odd_number(d);
        break;
    case 1:
        f->set[i].par[below(d, 2)] = odd_number(d);
        break;
    case 2:
        if (f->link[i] == SCALE) f->block[i].map = crease_identity(odd_number(d));
        break;
    case 3:
        f->term[0].weight = f->distance[0].weight = f->bilinear.weight = odd_number(d);
        break;
    default:
        f->lie = odd_number(d);
        f->own.constants.L = odd_number(d);
    }
}

static void spoil_shape(fodder *f, draws *d)
{
    crease_space *s = &f->space[below(d, f->p.count)];
    switch (below(d, 6)) {
    case 0:
        s->order = (int[]){ 0, -1, 9, 2 }[below(d, 4)];
        break;
    case 1:
        s->dim[0] = (ptrdiff_t[]){ 0, -3, 1, 2, PTRDIFF_MAX }[below(d, 5)];
        break;
    case 2:
        f->p.count = (int[]){ 0, -1, 1 }[below(d, 3)];
        break;
    case 3:
        f->p.range = (crease_space){ 1, { (ptrdiff_t[]){ 0, 1, 2, -1 }[below(d, 4)] }, NULL };
        break;
    case 4:
        f->block[0].map.ops = NULL;
        f->link[0] = NO_MAP;
        break;
    default:
        f->p.range.order = 0;
    }
}

static void spoil_options(fodder *f, draws *d)
{
    crease_options *o = &f->o;
    double *const numbers[] = { &o->eps, &o->beta, &o->gamma, &o->h, &o->mu, &o->theta };
    switch (below(d, 4)) {
    case 0:
        *numbers[below(d, 6)] = odd_number(d);
        break;
    case 1:
        o->method = (crease_method)(below(d, 9) - 1);
        break;
    case 2:
        o->mode = (crease_mode)(below(d, 5) - 1);
        break;
    default:
        o->certify_every = below(d, 4) - 1;
        o->accelerate = below(d, 3);
        o->line_search = below(d, 2);
    }
}

typedef struct {
    long outcome[CREASE_NUMERICAL + 1], refused;
    double slowest;
} tally;

/* The point must be finite, in its sets, and stationary. */
static void confirm(const fodder *f, const crease_solver *s, long trial)
{
    const double *x[BLOCKS];
    for (int i = 0; i < f->p.count; i++) {
        double out = 0;
        x[i] = crease_solution(s, i);
        if (!crs_all_finite(crease_size(&f->space[i]), x[i]))
            fail_msg("problem %ld: x is not", trial);
        if (!f->shape[i]) continue;
        assert_true(crease_excess(&f->set[i], &f->space[i], x[i], &out, NULL));
        if (!(out <= 1e-12 * (1 + crs_norm(crease_size(&f->space[i]), x[i]))))
            fail_msg("problem %ld: x is %g outside its set", trial, out);
    }
    const double worst = (double)recompute(f, x, crease_multiplier(s));
    if (!(worst <= 1.05 * f->o.eps))
        fail_msg("problem %ld: called stationary with residual %g > eps = %g (claimed %g)", trial,
                 worst, f->o.eps, crease_solver_certificate(s)->worst);
}

static void run(const fodder *f, long trial, tally *t)
{
    crease_error e = { CREASE_OK, "" };
    const clock_t begun = clock();
    crease_solver *s = crease_solver_new(&f->p, &f->o, &e);
    if (!s && (e.code == CREASE_OK || !e.text[0]))
        fail_msg("problem %ld: refused in silence", trial);
    t->refused += !s;
    if (s) {
        const crease_outcome how = crease_solve(s);
        t->outcome[how]++;
        if (how == CREASE_STATIONARY) confirm(f, s, trial);
    }
    crease_solver_free(s);
    const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    t->slowest = larger(t->slowest, seconds);
    if (!(seconds < 10)) fail_msg("problem %ld took %g s", trial, seconds);
}

static void corrupted_problems_are_never_called_solved(void **state)
{
    static fodder f;
    tally t = { { 0 }, 0, 0 };
    (void)state;
    for (long trial = 0; trial < PROBLEMS / SLOWDOWN; trial++) {
        draws d = { { (uint64_t)trial, 99 }, 0 };
        make_fodder(&f, (int)(trial % KINDS), (uint64_t)trial);
        for (int k = 1 + below(&d, 3); k > 0 && f.p.count > 0; k--) {
            const int what = below(&d, 8);
            if (what < 4) spoil_numbers(&f, &d);
            if (what == 4 || what == 5) spoil_parameters(&f, &d);
            if (what == 6) spoil_options(&f, &d);
            if (what == 7) spoil_shape(&f, &d);
        }
        run(&f, trial, &t);
    }
    print_message("%ld refused, %ld stationary, %ld diverged, %ld not finite, %ld at a limit, "
                  "%ld stopped; slowest %.3f s\n",
                  t.refused, t.outcome[CREASE_STATIONARY], t.outcome[CREASE_DIVERGED],
                  t.outcome[CREASE_NUMERICAL],
                  t.outcome[CREASE_ITERATION_LIMIT] + t.outcome[CREASE_TIME_LIMIT],
                  t.outcome[CREASE_STOPPED], t.slowest);
    assert_true(t.outcome[CREASE_STATIONARY] > 0 && t.refused > 0);
}

/* The same problems unspoilt are all solved, so that the above has something to break. */
static void unspoilt_problems_are_solved(void **state)
{
    static fodder f;
    (void)state;
    for (int k = 0; k < 20 * KINDS; k++) {
        tally t = { { 0 }, 0, 0 };
        make_fodder(&f, k % KINDS, (uint64_t)k);
        f.o.max_iterations = 200000;
        f.o.max_seconds = 5;
        run(&f, k, &t);
        if (!t.outcome[CREASE_STATIONARY])
            print_error("valid problem %d of kind %d not solved\n", k, k % KINDS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unspoilt_problems_are_solved),
        cmocka_unit_test(corrupted_problems_are_never_called_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
