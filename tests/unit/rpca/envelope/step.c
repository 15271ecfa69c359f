/* SPDX-License-Identifier: MIT
 * step: J'J through R x R matrices is that of the explicit Jacobian, weights and all; the
 * preconditioner inverts its diagonal blocks; conjugate gradients solve */
#include "rpca/envelope/step.c" /* for its static functions */
#include "support/arrays.h"

static const crease_space shapes[] = {
    { .order = 2, .dim = { 5, 4 } },       { .order = 2, .dim = { 1, 6 } },
    { .order = 3, .dim = { 3, 4, 5 } },    { .order = 3, .dim = { 2, 1, 4 } },
    { .order = 4, .dim = { 2, 3, 2, 3 } }, { .order = 5, .dim = { 2, 2, 3, 1, 2 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes, MOST = 40 }; /* unknowns at rank 3 */

typedef struct {
    crs_envelope_model m;
    ptrdiff_t unknowns, entries;
    double *memory, *x, *hessian; /* curvature J'WJ + nu I in the plain unknowns */
} example;

/* d [[X]](j) / d X_n(i, r), r = 0 .. rank - 1 */
static double derivative(const example *a, ptrdiff_t j, int n, ptrdiff_t row, ptrdiff_t r)
{
    ptrdiff_t i[CREASE_MAX_ORDER];
    double product = 1;
    unravel(&a->m.shape, j, i);
    if (i[n] != row) return 0;
    for (int k = 0; k < a->m.shape.order; k++)
        if (k != n) product *= a->x[first_unknown(&a->m, k) + i[k] * a->m.rank + r];
    return product;
}

static double weight_of(const example *a, ptrdiff_t j)
{
    ptrdiff_t i[CREASE_MAX_ORDER], row = 0;
    double product = 1;
    unravel(&a->m.shape, j, i);
    for (int n = 0; n < a->m.shape.order; row += a->m.shape.dim[n++])
        product *= square(a->m.root[row + i[n]]);
    return product;
}

static void explicit_hessian(example *a)
{
    const ptrdiff_t u = a->unknowns;
    double *line = doubles(u);
    for (ptrdiff_t j = 0; j < a->entries; j++) {
        ptrdiff_t at = 0;
        for (int n = 0; n < a->m.shape.order; n++)
            for (ptrdiff_t i = 0; i < a->m.shape.dim[n]; i++)
                for (ptrdiff_t r = 0; r < a->m.rank; r++) line[at++] = derivative(a, j, n, i, r);
        for (ptrdiff_t p = 0; p < u; p++)
            axpy(u, a->m.curvature * weight_of(a, j) * line[p], line, a->hessian + p * u);
    }
    for (ptrdiff_t p = 0; p < u; p++) a->hessian[p * u + p] += a->m.nu;
    free(line);
}

static example make(const crease_space *shape, ptrdiff_t rank, draws *d)
{
    example a = { .m = { .shape = *shape, .rank = rank, .curvature = 0.7, .nu = 0.3 } };
    a.entries = crease_size(shape);
    a.unknowns = unknowns(&a.m);
    assert_true(a.unknowns <= MOST);
    crs_carver count = { 0 };
    crs_envelope_model_carve(&a.m, &count);
    a.memory = unset_doubles(count.used / (ptrdiff_t)sizeof(double) + CRS_LINE);
    crs_carver block = carver_of(a.memory);
    crs_envelope_model_carve(&a.m, &block);
    a.x = random_doubles(d, a.unknowns, 1);
    a.hessian = doubles(a.unknowns * a.unknowns);
    for (ptrdiff_t i = 0; i < rows_of(shape); i++) a.m.root[i] = sqrt(uniform(d, 0.2, 1));
    build_model(&a.m, a.x);
    explicit_hessian(&a);
    return a;
}

static void release(example *a) { free(a->memory), free(a->x), free(a->hessian); }

static void each(void (*check)(example *a, draws *d))
{
    draws d = { 0 };
    for (int k = 0; k < SHAPES; k++)
        for (ptrdiff_t rank = 1; rank <= 3; rank++) {
            example a = make(shapes + k, rank, &d);
            check(&a, &d);
            release(&a);
        }
}

/* e'(H + mu I)e in the scaled unknowns e = D^{1/2} v is v'H v + mu |e|^2, and so for products */
static void check_apply(example *a, draws *d)
{
    const ptrdiff_t u = a->unknowns;
    const double damping = 0.2;
    double *v = random_doubles(d, u, 1), *w = random_doubles(d, u, 1), *ev = doubles(u),
           *ew = doubles(u), *out = unset_doubles(u);
    scale_rows(&a->m, false, v, ev);
    scale_rows(&a->m, false, w, ew);
    apply_model(&a->m, damping, ev, out);
    double want = damping * crs_dot(u, ev, ew), size = fabs(want);
    for (ptrdiff_t p = 0; p < u; p++) {
        const double line = w[p] * crs_dot(u, a->hessian + p * u, v);
        want += line;
        size += fabs(line);
    }
    assert_true(fabs(crs_dot(u, out, ew) - want) <= 1e-12 * size);
    scale_rows(&a->m, true, ev, ew);
    for (ptrdiff_t p = 0; p < u; p++) assert_true(fabs(ew[p] - v[p]) <= 1e-14 * fabs(v[p]));
    free(v), free(w), free(ev), free(ew), free(out);
}

static void the_model_is_the_explicit_hessian(void **state)
{
    (void)state;
    each(check_apply);
}

/* z with (H + mu I) z = r on one diagonal block comes back from r */
static void check_blocks(example *a, draws *d)
{
    const ptrdiff_t u = a->unknowns;
    double *e = doubles(u), *r = doubles(u), *z = unset_doubles(u);
    a->m.nu = 0; /* the preconditioner takes an average of nu over the rows */
    prepare_blocks(&a->m, 0.2);
    for (int n = 0; n < a->m.shape.order; n++) {
        const ptrdiff_t at = first_unknown(&a->m, n);
        const ptrdiff_t size = a->m.shape.dim[n] * a->m.rank;
        fill(u, 0, e);
        for (ptrdiff_t k = 0; k < size; k++) e[at + k] = normal(d);
        apply_model(&a->m, 0.2, e, r);
        precondition(&a->m, r, z);
        for (ptrdiff_t k = at; k < at + size; k++) assert_true(fabs(z[k] - e[k]) <= 1e-9);
    }
    free(e), free(r), free(z);
}

static void the_preconditioner_inverts_diagonal_blocks(void **state)
{
    (void)state;
    each(check_blocks);
}

static void check_cg(example *a, draws *d)
{
    const ptrdiff_t u = a->unknowns;
    double *b = random_doubles(d, u, 1), *e = unset_doubles(u), *out = doubles(u);
    double *work = unset_doubles(4 * MOST), *held = doubles(u);
    for (int holding = 0; holding < 2; holding++) {
        for (ptrdiff_t j = 0; holding && j < u; j++) held[j] = j % 3 == 0;
        for (ptrdiff_t j = 0; j < u; j++)
            if (held[j] == 1) b[j] = 0;
        a->m.held = holding ? held : NULL;
        prepare_blocks(&a->m, 0.2);
        assert_true(conjugate_gradients(&a->m, 0.2, b, 1e-10, 1000, e, work) < 1000);
        apply_model(&a->m, 0.2, e, out);
        for (ptrdiff_t j = 0; j < u; j++) assert_true(held[j] == 0 || e[j] == 0);
        axpy(u, -1, b, out);
        assert_true(crs_norm(u, out) <= 1e-9 * crs_norm(u, b));
    }
    free(b), free(e), free(out), free(work), free(held);
}

static void conjugate_gradients_solve(void **state)
{
    (void)state;
    each(check_cg);
}

/* NaN ends the iterations at once, and a singular block is inverted with a shift. */
static void nan_ends_and_singular_blocks_are_shifted(void **state)
{
    (void)state;
    draws d = { 0 };
    example a = make(shapes + 2, 2, &d);
    double *b = random_doubles(&d, a.unknowns, 1), *e = doubles(a.unknowns);
    double *work = doubles(4 * MOST);
    fill(a.unknowns, 0, a.x);
    a.m.nu = 0;
    build_model(&a.m, a.x);
    prepare_blocks(&a.m, 1e-30);
    assert_true(conjugate_gradients(&a.m, 1e-30, b, 1e-6, 10, e, work) <= 10);
    b[0] = NAN;
    assert_int_equal(conjugate_gradients(&a.m, 1e-30, b, 1e-6, 10, e, work), 0);
    free(b), free(e), free(work);
    release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_is_the_explicit_hessian),
        cmocka_unit_test(the_preconditioner_inverts_diagonal_blocks),
        cmocka_unit_test(conjugate_gradients_solve),
        cmocka_unit_test(nan_ends_and_singular_blocks_are_shifted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
