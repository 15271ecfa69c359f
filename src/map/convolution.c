/* SPDX-License-Identifier: MIT
 * convolution: y_t = sum_s h_s x_{t-s+o}, x being 0 outside; and circular-convolution, x periodic
 *
 * On a periodic grid the map is diagonal in exponentials: with H the Fourier transform of h, moved
 * so that its entry o stands at 0, y = F^{-1}(H F x), A'y has conj(H), |A|_2 = max |H|,
 * lambda_min(A A') = min |H|^2 and A'A the eigenvalues |H|^2. Without periods x is put on a grid
 * that is longer by the reach of h, so that nothing comes around, and y is cut out of the result:
 * a part of the circular map of the grid, so |A|_2 <= max |H|.
 *
 * H is computed to within S 2^-52 |H|_2 = S 2^-52 sqrt(N) |h|_2, S of crs_transform_steps. */
#include <float.h>

#include "map/directed.h"
#include "map/map.h"
#include "transform/transform.h"

struct crease_kernel_plan {
    crease_space grid;
    crs_fourier *f;
    double *h;          /* H, half of it, as pairs */
    double most, least; /* bounds of |H|, from above and below */
    double size;        /* >= |H|_2 */
};

static bool check_axes(const crease_kernel *k, crease_error *e)
{
    if (k->shape.order != k->signal.order)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "convolution: the kernel has %d dimension%s and the signal %d; give as "
                        "many",
                        k->shape.order, k->shape.order == 1 ? "" : "s", k->signal.order);
    for (int i = 0; i < k->shape.order; i++) {
        const ptrdiff_t n = k->shape.dim[i];
        if (k->circular && n > k->signal.dim[i])
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "circular-convolution: along axis %d the kernel has %td entries and "
                            "the signal %td; give a kernel that is no longer",
                            i, n, k->signal.dim[i]);
        if (k->origin[i] < 0 || k->origin[i] >= n)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "convolution: the origin along axis %d is %td; give one from 0 to %td",
                            i, k->origin[i], n - 1);
    }
    return true;
}

static bool check_kernel(const crease_kernel *k, crease_error *e)
{
    if (!crease_space_check(&k->signal, e) || !crease_space_check(&k->shape, e) ||
        !check_axes(k, e))
        return false;
    if (!k->h) return crs_fail(e, CREASE_BAD_ARGUMENT, "convolution has no kernel (NULL)");
    for (ptrdiff_t j = 0, n = crease_size(&k->shape); j < n; j++)
        if (!isfinite(k->h[j]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "convolution: number %td of %td of the kernel is %g; give finite "
                            "numbers",
                            j + 1, n, k->h[j]);
    return true;
}

/* The least length >= n with no prime factor above 7. */
static ptrdiff_t good_length(ptrdiff_t n)
{
    for (;; n++) {
        ptrdiff_t rest = n;
        for (ptrdiff_t p = 2; p <= 7; p++)
            while (rest % p == 0) rest /= p;
        if (rest == 1) return n;
    }
}

static bool find_grid(const crease_kernel *k, crease_space *grid, crease_error *e)
{
    *grid = k->signal;
    for (int i = 0; !k->circular && i < grid->order; i++) {
        const ptrdiff_t after = k->shape.dim[i] - 1 - k->origin[i];
        const ptrdiff_t reach = after > k->origin[i] ? after : k->origin[i];
        if (grid->dim[i] > PTRDIFF_MAX / 4 || reach > PTRDIFF_MAX / 4)
            return crs_fail(e, CREASE_BAD_SHAPE, "convolution: axis %d is too long", i);
        grid->dim[i] = good_length(grid->dim[i] + reach);
    }
    return crease_space_check(grid, e);
}

/* Where entry j of an array of shape s lies in one of shape g, each index moved by -shift around
 * the end. */
static ptrdiff_t place(const crease_space *s, const crease_space *g, const ptrdiff_t *shift,
                       ptrdiff_t j)
{
    ptrdiff_t at = 0, step = 1;
    for (int i = s->order - 1; i >= 0; i--) {
        const ptrdiff_t index = j % s->dim[i] - shift[i];
        at += (index < 0 ? index + g->dim[i] : index) * step;
        step *= g->dim[i], j /= s->dim[i];
    }
    return at;
}

/* Does entry j of the kernel ever meet an entry of the signal? Those that do are apart on the grid.
 */
static bool meets(const crease_kernel *k, ptrdiff_t j)
{
    for (int i = k->shape.order - 1; i >= 0; j /= k->shape.dim[i--]) {
        const ptrdiff_t shift = j % k->shape.dim[i] - k->origin[i], n = k->signal.dim[i];
        if (shift >= n || shift <= -n) return false;
    }
    return true;
}

static void measure(const crease_kernel *k, crease_kernel_plan *p)
{
    const double entries = (double)crease_size(&p->grid);
    p->size = sqrt(entries) * crs_norm(crease_size(&k->shape), k->h) * (1 + 0x1p-20);
    p->most = 0, p->least = INFINITY;
    for (ptrdiff_t j = 0; j < crs_fourier_half(p->f); j++) {
        const double size = hypot(p->h[2 * j], p->h[2 * j + 1]);
        p->most = larger(p->most, size), p->least = smaller(p->least, size);
    }
    const double off = (crs_transform_steps(&p->grid) + 4) * DBL_EPSILON * p->size;
    p->most = p->size == 0 ? 0 : next_up(p->most + off);
    p->least = pos(p->least - off);
}

/* H, by way of h on the grid. */
static bool transform(const crease_kernel *k, crease_kernel_plan *p, crease_error *e)
{
    double *on_grid = crs_doubles(crease_size(&p->grid), "a kernel on its grid", e);
    p->f = on_grid ? crs_fourier_new(&p->grid, e) : NULL;
    p->h = p->f ? crs_doubles(2 * crs_fourier_half(p->f), "the transform of a kernel", e) : NULL;
    for (ptrdiff_t j = 0, n = crease_size(&k->shape); p->h && j < n; j++)
        if (meets(k, j)) on_grid[place(&k->shape, &p->grid, k->origin, j)] = k->h[j];
    if (p->h) crs_fourier_forward(p->f, on_grid, p->h);
    crs_free(on_grid);
    return p->h;
}

static void free_plan(crease_kernel_plan *p)
{
    crs_fourier_free(p->f);
    crs_free(p->h);
    crs_free(p);
}

bool crease_kernel_prepare(crease_kernel *k, crease_error *e)
{
    k->plan = NULL;
    if (!check_kernel(k, e)) return false;
    crease_kernel_plan *p = crs_alloc(1, sizeof *p);
    if (!p) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a convolution");
    if (!find_grid(k, &p->grid, e) || !transform(k, p, e)) return free_plan(p), false;
    measure(k, p);
    k->plan = p;
    if (p->most < INFINITY) return true;
    crease_kernel_release(k);
    return crs_fail(e, CREASE_BAD_DATA,
                    "convolution: the transform of the kernel is larger than a number can be; "
                    "divide the kernel");
}

void crease_kernel_release(crease_kernel *k)
{
    if (!k || !k->plan) return;
    free_plan(k->plan);
    k->plan = NULL;
}

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const crease_kernel *k = A->data;
    if (!crs_map_whole(A, dom, ran, e)) return false;
    if (!k || !k->plan)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%s has no %s; call crease_kernel_prepare first",
                        A->ops->name, k ? "plan" : "kernel (NULL)");
    if (!crs_map_square(A, dom, ran, e)) return false;
    return crease_space_equal(&k->signal, dom) ||
           crs_fail(e, CREASE_BAD_SHAPE,
                    "%s: the kernel is prepared for %td entries in %d dimensions and the input has "
                    "%td in %d; prepare it for the input",
                    A->ops->name, crease_size(&k->signal), k->signal.order, crease_size(dom),
                    dom->order);
}

/* The spectrum, and the grid. */
static ptrdiff_t scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    const crease_kernel *k = A->data;
    ptrdiff_t total;
    (void)dom, (void)ran;
    const bool fits =
        crs_add_size(2 * crs_fourier_half(k->plan->f), crease_size(&k->plan->grid), &total);
    return fits ? total : -1;
}

/* Rows of the signal on the grid: x to its places there, or y += those of the grid. */
static void exchange(const crease_kernel *k, const double *x, double *y, double *grid)
{
    static const ptrdiff_t none[CREASE_MAX_ORDER] = { 0 };
    const ptrdiff_t n = crease_size(&k->signal), run = k->signal.dim[k->signal.order - 1];
    for (ptrdiff_t j = 0; j < n; j += run) {
        double *at = grid + place(&k->signal, &k->plan->grid, none, j);
        if (y)
            axpy(run, 1, at, y + j);
        else
            copy(run, x + j, at);
    }
}

/* y += a F^{-1}(H F x), or with conj(H). */
static void convolve(const crease_kernel *k, double a, bool conjugate, const double *x, double *y,
                     double *work)
{
    const crease_kernel_plan *p = k->plan;
    const ptrdiff_t half = crs_fourier_half(p->f), entries = crease_size(&p->grid);
    double *spectrum = work, *grid = work + 2 * half;
    const double scale = a / (double)entries, sign = conjugate ? -1 : 1;
    if (!k->circular) {
        fill(entries, 0, grid);
        exchange(k, x, NULL, grid);
    }
    crs_fourier_forward(p->f, k->circular ? x : grid, spectrum);
    for (ptrdiff_t j = 0; j < half; j++) {
        const double re = scale * p->h[2 * j], im = sign * scale * p->h[2 * j + 1];
        const double u = spectrum[2 * j], v = spectrum[2 * j + 1];
        spectrum[2 * j] = re * u - im * v;
        spectrum[2 * j + 1] = re * v + im * u;
    }
    crs_fourier_backward(p->f, spectrum, grid);
    exchange(k, NULL, y, grid);
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    (void)dom, (void)ran;
    convolve(A->data, a, false, x, y, work);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    (void)dom, (void)ran;
    convolve(A->data, a, true, y, x, work);
}

static bool circular_norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                          double *bound, crease_error *e)
{
    const crease_kernel *k = A->data;
    (void)dom, (void)ran, (void)e;
    *bound = k->plan->most;
    return true;
}

static bool circular_sigma_min(const crease_map *A, const crease_space *dom,
                               const crease_space *ran, double *bound, crease_error *e)
{
    const crease_kernel *k = A->data;
    (void)dom, (void)ran, (void)e;
    *bound = product_down(k->plan->least, k->plan->least);
    return true;
}

static bool rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e)
{
    const crease_kernel *k = A->data;
    (void)dom, (void)ran, (void)e;
    *r = (crease_rounding){ k->plan->size, 3 * crs_transform_steps(&k->plan->grid) + 8 };
    return true;
}

static bool circular_gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                          crease_gram *g, crease_error *e)
{
    const crease_kernel_plan *p = ((const crease_kernel *)A->data)->plan;
    (void)dom, (void)ran;
    if (!crs_gram_new(g, CREASE_BASIS_FOURIER, crs_fourier_half(p->f), e)) return false;
    for (ptrdiff_t j = 0; j < g->count; j++)
        g->w[j] = square(p->h[2 * j]) + square(p->h[2 * j + 1]);
    return true;
}

const crease_map_ops crs_circular_convolution_ops = {
    .name = "circular-convolution",
    .formula = "y_t = sum_s h_s x_{t-s+o}, x periodic",
    .check = check,
    .scratch = scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = circular_norm,
    .sigma_min = circular_sigma_min,
    .rounding = rounding,
    .gram = circular_gram,
};

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    const crease_kernel *k = A->data;
    return crs_map_better_norm(A, dom, ran, k->plan->most, bound, e);
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    return crs_map_better_sigma_min(A, dom, ran, 0, bound, e);
}

const crease_map_ops crs_convolution_ops = {
    .name = "convolution",
    .formula = "y_t = sum_s h_s x_{t-s+o}, x zero outside",
    .check = check,
    .scratch = scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .rounding = rounding,
};

crease_map crease_convolution(const crease_kernel *k)
{
    const bool circular = k && k->circular;
    return (crease_map){ .ops = circular ? &crs_circular_convolution_ops : &crs_convolution_ops,
                         .data = k };
}
