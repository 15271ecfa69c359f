/* SPDX-License-Identifier: MIT
 * without_fftw: what a build without FFTW says instead of transforming (the interface of plan.c) */
#include "transform/transform.h"

static void *absent(crease_error *e)
{
    crs_fail(e, CREASE_UNSUPPORTED,
             "convolutions and cosine transforms need FFTW, which this build of crease lacks; "
             "install FFTW 3.3 (Debian: libfftw3-dev) and build crease again");
    return NULL;
}

crs_fourier *crs_fourier_new(const crease_space *s, crease_error *e)
{
    (void)s;
    return absent(e);
}

crs_cosine *crs_cosine_new(const crease_space *s, crease_error *e)
{
    (void)s;
    return absent(e);
}

/* There is nothing to free, and nobody has a transform to apply. */
void crs_fourier_free(crs_fourier *f) { (void)f; }
void crs_cosine_free(crs_cosine *c) { (void)c; }

ptrdiff_t crs_fourier_half(const crs_fourier *f)
{
    (void)f;
    return 0;
}

void crs_fourier_forward(const crs_fourier *f, const double *x, double *spectrum)
{
    (void)f, (void)x, (void)spectrum;
}

void crs_fourier_backward(const crs_fourier *f, double *spectrum, double *x)
{
    (void)f, (void)spectrum, (void)x;
}

void crs_cosine_forward(const crs_cosine *c, const double *x, double *coefficients)
{
    (void)c, (void)x, (void)coefficients;
}

void crs_cosine_backward(const crs_cosine *c, double *coefficients, double *x)
{
    (void)c, (void)coefficients, (void)x;
}
