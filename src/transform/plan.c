/* SPDX-License-Identifier: MIT
 * plan: transforms by FFTW
 *
 * Only making and freeing plans is not safe among threads in FFTW; the library's own lock is put
 * around both, for all of its users in the process. */
#include <fftw3.h>
#include <limits.h>

#include "transform/transform.h"

struct crs_fourier {
    fftw_plan forward, backward;
    ptrdiff_t half;
};

struct crs_cosine {
    fftw_plan forward, backward;
    crease_space space;
};

static bool countable(const crease_space *s, int *n, crease_error *e)
{
    for (int i = 0; i < s->order; i++) {
        if (s->dim[i] > INT_MAX / 4)
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "a transform along %td entries is too long; give at most %d", s->dim[i],
                            INT_MAX / 4);
        n[i] = (int)s->dim[i];
    }
    return true;
}

/* Arrays of any alignment, and a choice that does not depend on the time things take. */
enum { HOW = FFTW_ESTIMATE | FFTW_UNALIGNED };

static bool is_made(fftw_plan forward, fftw_plan backward, crease_error *e)
{
    return (forward && backward) ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: the plan of a transform");
}

static ptrdiff_t half_of(const crease_space *s)
{
    const ptrdiff_t last = s->dim[s->order - 1];
    return crease_size(s) / last * (last / 2 + 1);
}

crs_fourier *crs_fourier_new(const crease_space *s, crease_error *e)
{
    int n[CREASE_MAX_ORDER];
    const ptrdiff_t half = half_of(s);
    ptrdiff_t total;
    if (!countable(s, n, e)) return NULL;
    if (!crs_add_size(crease_size(s), 2 * half, &total)) total = -1;
    crs_fourier *f = crs_alloc(1, sizeof *f);
    double *room = f ? crs_doubles(total, "the plan of a transform", e) : NULL;
    if (!f) crs_fail(e, CREASE_NO_MEMORY, "out of memory: a transform");
    if (!room) return crs_free(f), NULL;
    fftw_complex *spectrum = (fftw_complex *)(room + crease_size(s));
    fftw_make_planner_thread_safe();
    f->half = half;
    f->forward = fftw_plan_dft_r2c(s->order, n, room, spectrum, HOW);
    f->backward = fftw_plan_dft_c2r(s->order, n, spectrum, room, HOW);
    crs_free(room);
    if (is_made(f->forward, f->backward, e)) return f;
    crs_fourier_free(f);
    return NULL;
}

void crs_fourier_free(crs_fourier *f)
{
    if (!f) return;
    fftw_destroy_plan(f->forward);
    fftw_destroy_plan(f->backward);
    crs_free(f);
}

ptrdiff_t crs_fourier_half(const crs_fourier *f) { return f->half; }

/* r2c out of place keeps its input. */
void crs_fourier_forward(const crs_fourier *f, const double *x, double *spectrum)
{
    fftw_execute_dft_r2c(f->forward, (double *)(uintptr_t)x, (fftw_complex *)spectrum);
}

void crs_fourier_backward(const crs_fourier *f, double *spectrum, double *x)
{
    fftw_execute_dft_c2r(f->backward, (fftw_complex *)spectrum, x);
}

crs_cosine *crs_cosine_new(const crease_space *s, crease_error *e)
{
    int n[CREASE_MAX_ORDER];
    fftw_r2r_kind there[CREASE_MAX_ORDER], back[CREASE_MAX_ORDER];
    ptrdiff_t total;
    if (!countable(s, n, e)) return NULL;
    if (!crs_mul_size(2, crease_size(s), &total)) total = -1;
    for (int i = 0; i < s->order; i++) there[i] = FFTW_REDFT10, back[i] = FFTW_REDFT01;
    crs_cosine *c = crs_alloc(1, sizeof *c);
    double *room = c ? crs_doubles(total, "the plan of a transform", e) : NULL;
    if (!c) crs_fail(e, CREASE_NO_MEMORY, "out of memory: a transform");
    if (!room) return crs_free(c), NULL;
    double *out = room + crease_size(s);
    fftw_make_planner_thread_safe();
    c->space = *s;
    c->forward = fftw_plan_r2r(s->order, n, room, out, there, HOW | FFTW_PRESERVE_INPUT);
    c->backward = fftw_plan_r2r(s->order, n, room, out, back, HOW);
    crs_free(room);
    if (is_made(c->forward, c->backward, e)) return c;
    crs_cosine_free(c);
    return NULL;
}

void crs_cosine_free(crs_cosine *c)
{
    if (!c) return;
    fftw_destroy_plan(c->forward);
    fftw_destroy_plan(c->backward);
    crs_free(c);
}

/* FFTW's transforms, 2 sum_j x_j cos(pi (j + 1/2) k / n) and X_0 + 2 sum_{k>0} X_k cos(..), become
 * orthonormal by sqrt(1/(2n)), with a further sqrt(1/2) on the result for k = 0, or sqrt 2 on X_0:
 * `first` per axis. */
static void scale(const crease_space *s, double first, double *x)
{
    const ptrdiff_t size = crease_size(s);
    double all = 1;
    ptrdiff_t inner = size;
    for (int i = 0; i < s->order; i++) {
        const ptrdiff_t length = s->dim[i], run = inner;
        all *= 2 * (double)length;
        inner /= length;
        for (ptrdiff_t at = 0; at < size; at += run)
            for (ptrdiff_t j = 0; j < inner; j++) x[at + j] *= first;
    }
    all = 1 / sqrt(all);
    for (ptrdiff_t j = 0; j < size; j++) x[j] *= all;
}

void crs_cosine_forward(const crs_cosine *c, const double *x, double *coefficients)
{
    fftw_execute_r2r(c->forward, (double *)(uintptr_t)x, coefficients);
    scale(&c->space, sqrt(0.5), coefficients);
}

void crs_cosine_backward(const crs_cosine *c, double *coefficients, double *x)
{
    scale(&c->space, sqrt(2), coefficients);
    fftw_execute_r2r(c->backward, coefficients, x);
}
