/* SPDX-License-Identifier: MIT
 * corrupted: whatever is broken in a problem, "stationary" is said of stationary points only
 *
 * Each problem starts as a valid one; one to three of its numbers, arrays, shapes, parameters or
 * options are spoilt. A claim of success is checked from the definitions (recompute.h). */
#include <time.h>

#include "support/contract.h"
#include "support/recompute.h"
#include "support/spoil.h"

enum { PROBLEMS = 10000 };

typedef struct {
    long outcome[CREASE_UNBOUNDED + 1], refused, lies;
    double slowest;
} tally;

/* What is wrong with a point that was called stationary; NULL: nothing. */
static const char *doubt(const fodder *f, const crease_solver *s, double *worst)
{
    const double *x[BLOCKS];
    for (int i = 0; i < f->p.count; i++) {
        const ptrdiff_t n = crease_size(&f->space[i]);
        double out = 0;
        x[i] = crease_solution(s, i);
        if (!crs_all_finite(n, x[i])) return "x is not finite";
        if (!f->shape[i]) continue;
        assert_true(crease_excess(&f->set[i], &f->space[i], x[i], &out, NULL));
        if (!(out <= 1e-12 * (1 + crs_norm(n, x[i])))) return "x is outside its set";
    }
    const bool linear = crease_solver_analysis(s)->method == CREASE_METHOD_GCG;
    *worst = (double)recompute(f, linear, x, crease_multiplier(s));
    return *worst <= 1.05 * f->o.eps ? NULL : "the residual is too large";
}

static void run(const fodder *f, long trial, tally *t)
{
    crease_error e = { CREASE_OK, "" };
    const clock_t begun = clock();
    double worst = NAN;
    crease_solver *s = crease_solver_new(&f->p, &f->o, &e);
    if (!s && (e.code == CREASE_OK || !e.text[0])) fail_msg("problem %ld: no reason", trial);
    t->refused += !s;
    if (s) {
        const crease_outcome how = crease_solve(s);
        t->outcome[how]++;
        const char *why = how == CREASE_STATIONARY ? doubt(f, s, &worst) : NULL;
        if (why)
            print_error("problem %ld, kind %ld: %s: %g, claimed %g, eps %g\n", trial, trial % KINDS,
                        why, worst, crease_solver_certificate(s)->worst, f->o.eps);
        t->lies += why != NULL;
    }
    crease_solver_free(s);
    const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    t->slowest = larger(t->slowest, seconds);
    if (!(seconds < 10)) fail_msg("problem %ld took %g s", trial, seconds);
}

static void corrupted_problems_are_never_called_solved(void **state)
{
    static fodder f;
    tally t = { .lies = 0 };
    (void)state;
    for (long trial = 0; trial < PROBLEMS / SLOWDOWN; trial++) {
        make_fodder(&f, (int)(trial % KINDS), (uint64_t)trial);
        spoil(&f, (uint64_t)trial);
        run(&f, trial, &t);
    }
    print_message("%ld refused, %ld stationary, %ld diverged, %ld not finite, %ld at a limit, "
                  "%ld stopped; slowest %.3f s\n",
                  t.refused, t.outcome[CREASE_STATIONARY], t.outcome[CREASE_DIVERGED],
                  t.outcome[CREASE_NUMERICAL],
                  t.outcome[CREASE_ITERATION_LIMIT] + t.outcome[CREASE_TIME_LIMIT],
                  t.outcome[CREASE_STOPPED], t.slowest);
    assert_true(t.outcome[CREASE_STATIONARY] > 0 && t.refused > 0);
    assert_int_equal(t.lies, 0);
}

/* The same problems unspoilt are all solved, so that the above has something to break. */
static void unspoilt_problems_are_solved(void **state)
{
    static fodder f;
    (void)state;
    for (int k = 0; k < 20 * KINDS; k++) {
        tally t = { .lies = 0 };
        make_fodder(&f, k % KINDS, (uint64_t)k);
        f.o.max_iterations = 200000;
        f.o.max_seconds = 5;
        run(&f, k, &t);
        if (!t.outcome[CREASE_STATIONARY] || t.lies) fail_msg("valid problem %d not solved", k);
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
