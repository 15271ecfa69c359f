/* SPDX-License-Identifier: MIT
 * maps: whichever allocation fails, a call on a map says so, leaks nothing, and works again */
#include "support/fail_alloc.h"
#include "support/map_samples.h"

typedef bool (*call)(const sample *s, crease_error *e);

static bool norm(const sample *s, crease_error *e)
{
    double bound;
    return crease_map_norm(&s->map, &s->dom, &s->ran, &bound, e);
}

static bool sigma_min(const sample *s, crease_error *e)
{
    double bound;
    return crease_map_sigma_min(&s->map, &s->dom, &s->ran, &bound, e);
}

static bool apply(const sample *s, crease_error *e)
{
    double x[SIDE_MAX] = { 0 }, y[SIDE_MAX];
    return crease_apply(&s->map, &s->dom, &s->ran, x, y, e);
}

static bool adjoint(const sample *s, crease_error *e)
{
    double x[SIDE_MAX], y[SIDE_MAX] = { 0 };
    return crease_adjoint(&s->map, &s->dom, &s->ran, y, x, e);
}

/* No closed form is an answer as well. */
static bool solver(const sample *s, crease_error *e)
{
    crease_map_solver *one = crease_map_solver_new(&s->map, &s->dom, &s->ran, e);
    crease_map_solver_free(one);
    return one || e->code == CREASE_UNSUPPORTED;
}

static bool kernel(const sample *s, crease_error *e)
{
    const double h[] = { 1, 2 };
    const crease_space n = crease_vector(crease_size(&s->dom) + 1);
    crease_kernel k = { .signal = n, .shape = crease_vector(2), .h = h, .circular = true };
    if (!crease_kernel_prepare(&k, e)) return false;
    const sample made = { .map = crease_convolution(&k), .dom = n, .ran = n };
    const bool done = solver(&made, e);
    crease_kernel_release(&k);
    return done;
}

static bool cosine(const sample *s, crease_error *e)
{
    crease_cosine *c = crease_cosine_new(&s->dom, e);
    crease_cosine_free(c);
    return c;
}

/* How many allocations had to be allowed. */
static int until_success(call f, const sample *s)
{
    int k = 0;
    for (bool ok = false; !ok; k++) {
        crease_error e = { 0 };
        allocations_left = k;
        ok = f(s, &e);
        if (!ok && e.code != CREASE_NO_MEMORY)
            fail_msg("%s: allocation %d failed with \"%s\"", s->what, k + 1, e.text);
        assert_int_equal(allocations_live, 0);
    }
    allocations_left = -1;
    return k - 1;
}

static void every_allocation_may_fail(void **state)
{
    const call calls[] = { norm, sigma_min, apply, adjoint, solver, kernel, cosine };
    sample list[SAMPLES_MAX];
    combined c;
    int failures = 0;
    (void)state;
    const int count = map_samples(list, &c);
    for (int recover = 0; recover < 2; recover++)
        for (int k = 0; k < count; k++)
            for (size_t f = 0; f < sizeof calls / sizeof *calls; f++) {
                allocations_recover = recover;
                failures += until_success(calls[f], &list[k]);
            }
    print_message("%d failures survived\n", failures);
    assert_true(failures > 2 * count);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation_may_fail) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
