/* SPDX-License-Identifier: MIT
 * transforms: products with the cosine transform and with convolutions, by the sums of their
 * definitions, and where these are long by a Fourier transform in long double of its own
 *
 * X_k = sum_j x_j e^(-2 pi i j k / n). With n = p m the p sequences x_r, x_{r+p}, ... are
 * transformed, and X_{k + q m} = sum_r e^(-2 pi i r (k + q m) / n) X^(r)_k. A transform is off by
 * no more than its steps times 2^-63 of the length of its result (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2002, section 24.1), which is the bound of every entry that comes of it. */
#include "verify/verify.h"

typedef struct {
    real re, im;
} pair;

typedef struct {
    ptrdiff_t n;
    pair *root, *old, *out, *few; /* root[j] = e^(-2 pi i j / n) */
} plan;

static ptrdiff_t least_factor(ptrdiff_t n)
{
    for (ptrdiff_t p = 2; p <= n / p; p++)
        if (n % p == 0) return p;
    return n;
}

static real steps_of(ptrdiff_t n)
{
    real steps = 4;
    for (; n > 1; n /= least_factor(n)) steps += 2 * (real)least_factor(n) + 16;
    return steps;
}

static pair turned(real angle) { return (pair){ cosl(angle), sinl(angle) }; }

static pair product_of(pair a, pair b)
{
    return (pair){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static bool make_plan(crs_verifier *v, ptrdiff_t n, plan *p)
{
    const size_t size = sizeof(pair);
    *p = (plan){ n, crs_room(v, n, size), crs_room(v, n, size), crs_room(v, n, size),
                 crs_room(v, n, size) };
    if (!p->root || !p->old || !p->out || !p->few) return false;
    for (ptrdiff_t j = 0; j < n; j++) p->root[j] = turned(-2 * acosl(-1) * (real)j / (real)n);
    return true;
}

/* out = the transform of in_0, in_step, ..., n of them; n step = the length of the plan. */
static void descend(const plan *p, ptrdiff_t n, const pair *in, ptrdiff_t step, pair *out)
{
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    const ptrdiff_t factor = least_factor(n), m = n / factor;
    for (ptrdiff_t r = 0; r < factor; r++) descend(p, m, in + r * step, step * factor, out + r * m);
    for (ptrdiff_t k = 0; k < m; k++) {
        for (ptrdiff_t r = 0; r < factor; r++) p->few[r] = out[r * m + k];
        for (ptrdiff_t q = 0; q < factor; q++) {
            pair sum = { 0, 0 };
            for (ptrdiff_t r = 0; r < factor; r++) {
                const pair t = product_of(p->root[r * (k + q * m) % n * step], p->few[r]);
                sum.re += t.re, sum.im += t.im;
            }
            out[k + q * m] = sum;
        }
    }
}

/* In place along a line; `back` is n times the inverse. */
static void transform(const plan *p, bool back, pair *x, ptrdiff_t stride)
{
    const real sign = back ? -1 : 1;
    for (ptrdiff_t j = 0; j < p->n; j++)
        p->old[j] = (pair){ x[j * stride].re, sign * x[j * stride].im };
    descend(p, p->n, p->old, 1, p->out);
    for (ptrdiff_t j = 0; j < p->n; j++)
        x[j * stride] = (pair){ p->out[j].re, sign * p->out[j].im };
}

/* Along every axis. */
static bool transform_all(crs_verifier *v, const crease_space *s, bool back, pair *x)
{
    ptrdiff_t stride = 1;
    const ptrdiff_t n = crease_size(s);
    for (int i = s->order - 1; i >= 0; stride *= s->dim[i--]) {
        plan p;
        void *mark = v->rooms;
        if (!make_plan(v, s->dim[i], &p)) return false;
        for (ptrdiff_t j = 0; j < n; j++)
            if (j / stride % s->dim[i] == 0 && crs_in_tiles(v, j / stride, s->dim[i]))
                transform(&p, back, x + j, stride);
        crs_rooms_release(v, mark);
    }
    return true;
}

/* The cosine transform along one axis of length n: y_k = c_k sum_j x_j cos(pi (2j + 1) k / (2n)),
 * c_k = sqrt(2/n), and sqrt(1/n) for k = 0. */
typedef struct {
    ptrdiff_t n, stride;
    bool back;
    num *old, *cosine; /* cos(pi t / (2n)), t modulo 4n */
    bool is_long;
    plan twice; /* of length 2n */
    pair *line;
} axis;

enum { SHORT = 64 };

static num factor_of(const axis *a, ptrdiff_t k)
{
    const real c = sqrtl((k ? 2 : 1) / (real)a->n);
    return (num){ c, 2 * LDBL_EPSILON * c };
}

static bool make_axis(crs_verifier *v, const crease_space *s, int i, bool back, axis *a)
{
    *a = (axis){ .n = s->dim[i], .stride = 1, .back = back, .is_long = s->dim[i] > SHORT };
    for (int k = i + 1; k < s->order; k++) a->stride *= s->dim[k];
    a->old = crs_nums(v, a->n);
    a->cosine = crs_nums(v, 4 * a->n);
    if (!a->old || !a->cosine) return false;
    for (ptrdiff_t t = 0; t < 4 * a->n; t++)
        a->cosine[t] = (num){ cosl(acosl(-1) * (real)t / (2 * (real)a->n)), 32 * LDBL_EPSILON };
    if (!a->is_long) return true;
    a->line = crs_room(v, 2 * a->n, sizeof *a->line);
    return a->line && make_plan(v, 2 * a->n, &a->twice);
}

static void cosine_sums(const axis *a, num *x)
{
    for (ptrdiff_t j = 0; j < a->n; j++) {
        num sum = exact(0);
        for (ptrdiff_t k = 0; k < a->n; k++) {
            const ptrdiff_t t = a->back ? (2 * j + 1) * k : (2 * k + 1) * j;
            const num term = a->back ? mul(factor_of(a, k), a->old[k]) : a->old[k];
            gather(&sum, a->cosine[t % (4 * a->n)], term);
        }
        x[j * a->stride] = a->back ? sum : mul(factor_of(a, j), sum);
    }
}

/* With z = (x_0, ..., x_{n-1}, x_{n-1}, ..., x_0) and Z its transform of length 2n,
 * 2 sum_j x_j cos(..) = Re e^(-pi i k / (2n)) Z_k; and back, sum_k y_k cos(..) is the real part of
 * the transform of y_k e^(pi i k / (2n)), followed by n zeros. */
static void cosine_fast(const axis *a, num *x)
{
    const real quarter = acosl(-1) / (2 * (real)a->n);
    const ptrdiff_t n = a->n;
    real size = 0, off = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        const num own = a->old[j];
        const real y = factor_of(a, j).v * own.v;
        const pair w = turned(quarter * (real)j);
        a->line[j] = a->back ? (pair){ y * w.re, y * w.im } : (pair){ own.v, 0 };
        a->line[2 * n - 1 - j] = a->back ? (pair){ 0, 0 } : (pair){ own.v, 0 };
        size += own.v * own.v, off += own.e;
    }
    transform(&a->twice, a->back, a->line, 1);
    const real bound = 2 * (steps_of(2 * n) + 16) * LDBL_EPSILON * sqrtl(size) * (1 + 0x1p-20L) +
                       off * sqrtl(2 / (real)n) * (1 + 0x1p-20L);
    for (ptrdiff_t j = 0; j < n; j++) {
        const pair t = product_of(turned(-quarter * (real)j), a->line[j]);
        const real value = a->back ? a->line[j].re : factor_of(a, j).v * t.re / 2;
        x[j * a->stride] = (num){ value, bound };
    }
}

bool crs_multiply_dct(crs_verifier *v, const crease_space *s, bool transposed, const num *in,
                      num *out)
{
    const ptrdiff_t n = crease_size(s);
    num *x = crs_nums(v, n);
    if (!x) return false;
    for (ptrdiff_t j = 0; j < n; j++) x[j] = in[j];
    for (int i = 0; i < s->order; i++) {
        axis a;
        void *mark = v->rooms;
        if (!make_axis(v, s, i, transposed, &a)) return false;
        for (ptrdiff_t j = 0; j < n; j++) {
            if (j / a.stride % a.n != 0 || !crs_in_tiles(v, j / a.stride, a.n)) continue;
            for (ptrdiff_t k = 0; k < a.n; k++) a.old[k] = x[j + k * a.stride];
            (a.is_long ? cosine_fast : cosine_sums)(&a, x + j);
        }
        crs_rooms_release(v, mark);
    }
    for (ptrdiff_t j = 0; j < n; j++) out[j] = add(out[j], x[j]);
    return true;
}

/* Entry j of the signal moved by entry s of the kernel: where it arrives, -1: outside. */
static ptrdiff_t arrival(const crease_kernel *k, ptrdiff_t j, ptrdiff_t s)
{
    ptrdiff_t at = 0, step = 1;
    for (int i = k->signal.order - 1; i >= 0; i--) {
        const ptrdiff_t n = k->signal.dim[i];
        ptrdiff_t index = j % n + s % k->shape.dim[i] - k->origin[i];
        if (!k->circular && (index < 0 || index >= n)) return -1;
        index = (index % n + n) % n;
        at += index * step;
        step *= n, j /= n, s /= k->shape.dim[i];
    }
    return at;
}

static void convolve_by_sums(crs_verifier *v, const crease_kernel *k, bool transposed,
                             const num *in, num *out)
{
    const ptrdiff_t n = crease_size(&k->signal), m = crease_size(&k->shape);
    for (ptrdiff_t s = 0; s < m; s++)
        for (ptrdiff_t j = 0; k->h[s] != 0 && j < n && crs_at_entry(v, j); j++) {
            const ptrdiff_t t = arrival(k, j, s);
            if (t >= 0) gather(&out[transposed ? j : t], exact(k->h[s]), in[transposed ? t : j]);
        }
}

/* No prime factor above 5? */
static bool is_quick(ptrdiff_t n)
{
    for (ptrdiff_t p = 2; p <= 5; p++)
        while (n % p == 0) n /= p;
    return n == 1;
}

/* A grid on which nothing comes around: the signal, and beyond it all of the kernel. */
static crease_space grid_of(const crease_kernel *k)
{
    crease_space g = k->signal;
    for (int i = 0; !k->circular && i < g.order; i++) {
        g.dim[i] += k->shape.dim[i];
        while (!is_quick(g.dim[i])) g.dim[i]++;
    }
    return g;
}

/* The place on a grid of entry j of an array of shape s, moved back by `shift`, around the end. */
static ptrdiff_t on_grid(const crease_space *g, const crease_space *s, const ptrdiff_t *shift,
                         ptrdiff_t j)
{
    ptrdiff_t at = 0, step = 1;
    for (int i = s->order - 1; i >= 0; j /= s->dim[i], step *= g->dim[i--])
        at += (j % s->dim[i] - shift[i] + g->dim[i]) % g->dim[i] * step;
    return at;
}

/* F^{-1}(H F x) with the conjugate of H for the transpose. */
static bool convolve_fast(crs_verifier *v, const crease_kernel *k, bool transposed, const num *in,
                          num *out)
{
    static const ptrdiff_t none[CREASE_MAX_ORDER] = { 0 };
    const crease_space g = grid_of(k);
    const ptrdiff_t n = crease_size(&g), signal = crease_size(&k->signal);
    pair *h = crs_room(v, n, sizeof *h), *x = crs_room(v, n, sizeof *x);
    real size = 0, squares = 0, sum = 0, most = 0, steps = 8;
    if (!h || !x) return false;
    for (ptrdiff_t j = 0; j < crease_size(&k->shape); j++) {
        h[on_grid(&g, &k->shape, k->origin, j)].re = k->h[j];
        squares += (real)k->h[j] * k->h[j], sum += fabsl((real)k->h[j]);
    }
    for (ptrdiff_t j = 0; j < signal; j++) {
        x[on_grid(&g, &k->signal, none, j)].re = in[j].v;
        size += in[j].v * in[j].v, most = bigger(most, in[j].e);
    }
    if (!transform_all(v, &g, false, h) || !transform_all(v, &g, false, x)) return false;
    for (ptrdiff_t j = 0; j < n; j++) {
        const pair w = { h[j].re / (real)n, (transposed ? -h[j].im : h[j].im) / (real)n };
        x[j] = product_of(w, x[j]);
    }
    if (!transform_all(v, &g, true, x)) return false;
    for (int i = 0; i < g.order; i++) steps += steps_of(g.dim[i]);
    /* |H|_2 = sqrt(n) |h|_2 >= |H|_inf; three transforms */
    const real bound =
        (4 * steps * LDBL_EPSILON * sqrtl((real)n * squares * size) + sum * most) * (1 + 0x1p-20L);
    for (ptrdiff_t j = 0; j < signal; j++)
        out[j] = add(out[j], (num){ x[on_grid(&g, &k->signal, none, j)].re, bound });
    return true;
}

bool crs_multiply_convolution(crs_verifier *v, const crease_kernel *k, bool transposed,
                              const num *in, num *out)
{
    enum { FEW = 1 << 22 };
    ptrdiff_t taps = 0;
    for (ptrdiff_t j = 0; j < crease_size(&k->shape); j++) taps += k->h[j] != 0;
    if (taps > FEW / crease_size(&k->signal)) return convolve_fast(v, k, transposed, in, out);
    convolve_by_sums(v, k, transposed, in, out);
    return true;
}
