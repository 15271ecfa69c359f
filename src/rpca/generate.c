/* SPDX-License-Identifier: MIT
 * eem_generate: fluorescence of mixtures: samples x emission x excitation, made up but lifelike
 *
 * Dilute mixtures are trilinear: concentration x emission spectrum x excitation spectrum, summed
 * over the compounds (Bro, PARAFAC: tutorial and applications, 1997). On top of that, where the
 * instrument sees scattered light, there are ridges: Rayleigh at em = ex and em = 2 ex, and the
 * Raman line of water, 1/em = 1/ex - 3400 cm^-1. Spikes are positive, noise is Gaussian. Spectra
 * are >= 0, smooth and of maximum 1. */
#include "rpca/rpca.h"

enum { SAMPLES, EMISSION, EXCITATION };

static const double RANGE[][2] = { { 0, 0 }, { 270, 570 }, { 250, 400 } }; /* nm */
static const double RAMAN = 3400e-7;                                       /* 1/nm */
static const double REACH = 3; /* a ridge ends at so many of its widths */

/* Streams besides those of cp_rpca.h. */
enum { STREAM_SPECTRA = 64, STREAM_SCATTER };

crease_cp_recipe crease_eem_recipe_default(void)
{
    const crease_space shape = { .order = 3, .dim = { 20, 101, 51 } };
    return (crease_cp_recipe){
        .shape = shape, .rank = 3, .outliers = 0.002, .magnitude = 3, .noise = 0.005
    };
}

double crease_eem_wavelength(const crease_space *shape, int axis, ptrdiff_t i)
{
    const ptrdiff_t last = shape->dim[axis] - 1;
    const double t = last > 0 ? (double)i / (double)last : 0.5;
    return (1 - t) * RANGE[axis][0] + t * RANGE[axis][1];
}

static double bump(double t) { return exp(-t * t / 2); }

/* Bands of a compound in nm; the centres of the compounds are spread over the range. */
typedef struct {
    double emission, excitation, width, shoulder;
} compound;

static compound compound_at(const crease_cp_recipe *r, ptrdiff_t k)
{
    const crease_random random = { r->seed, STREAM_SPECTRA };
    double u[4];
    for (int i = 0; i < 4; i++) u[i] = crease_random_uniform(random, (uint64_t)(4 * k + i));
    const double spread = ((double)k + 0.25 + u[0] / 2) / (double)r->rank;
    const double emission = 305 + 175 * spread, shift = 45 + 30 * u[1]; /* Stokes shift */
    return (compound){ emission, emission - shift, 20 + 15 * u[2], 0.2 + 0.6 * u[3] };
}

/* Steeper towards short wavelengths. */
static double emission_at(const compound *c, double nm)
{
    const double t = nm - c->emission;
    return bump(t / (c->width * (t < 0 ? 0.7 : 1.3)));
}

/* A second absorption band 60 nm below the first. */
static double excitation_at(const compound *c, double nm)
{
    const double t = nm - c->excitation;
    return bump(t / c->width) + c->shoulder * bump((t + 60) / (0.7 * c->width));
}

static void draw_spectra(crease_cp_instance *c, int axis)
{
    const ptrdiff_t rank = c->recipe.rank, n = c->recipe.shape.dim[axis];
    for (ptrdiff_t k = 0; k < rank; k++) {
        const compound it = compound_at(&c->recipe, k);
        double top = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            const double nm = crease_eem_wavelength(&c->recipe.shape, axis, i);
            const double y = axis == EMISSION ? emission_at(&it, nm) : excitation_at(&it, nm);
            c->factor[axis][i * rank + k] = y;
            top = larger(top, y);
        }
        for (ptrdiff_t i = 0; top > 0 && i < n; i++) c->factor[axis][i * rank + k] /= top;
    }
}

static double ridge(double distance, double width)
{
    return fabs(distance) <= REACH * width ? bump(distance / width) : 0;
}

/* Scattered light of a clear sample, 1 on the first-order ridge at 300 nm. */
static double scatter_at(double em, double ex)
{
    const double second = 0.3 * ridge(em - 2 * ex, 2.5);
    const double raman = 0.15 * ridge(em - 1 / (1 / ex - RAMAN), 2.5);
    return pow(300 / ex, 4) * (ridge(em - ex, 2) + second + raman);
}

static void draw_scatter(crease_cp_instance *c)
{
    const crease_cp_recipe *r = &c->recipe;
    const ptrdiff_t ems = r->shape.dim[EMISSION], exs = r->shape.dim[EXCITATION];
    const crease_random turbid = { r->seed, STREAM_SCATTER },
                        places = { r->seed, CRS_STREAM_PLACES },
                        heights = { r->seed, CRS_STREAM_OUTLIERS };
    for (ptrdiff_t j = 0; j < crease_size(&r->shape); j++) {
        const ptrdiff_t sample = j / (ems * exs), em = j / exs % ems, ex = j % exs;
        const double strength = 0.8 + 0.4 * crease_random_uniform(turbid, (uint64_t)sample);
        const double light = scatter_at(crease_eem_wavelength(&r->shape, EMISSION, em),
                                        crease_eem_wavelength(&r->shape, EXCITATION, ex));
        const bool spike = crease_random_uniform(places, (uint64_t)j) < r->outliers;
        const double height = spike ? 0.5 + crease_random_uniform(heights, (uint64_t)j) : 0;
        c->sparse[j] = r->magnitude * (strength * light + height);
        c->count += c->sparse[j] != 0;
    }
}

crease_cp_instance *crease_eem_generate(const crease_cp_recipe *r, crease_error *e)
{
    if (r->shape.order != 3) {
        crs_fail(e, CREASE_BAD_ARGUMENT,
                 "the shape has %d dimensions; give three: samples, emission, excitation",
                 r->shape.order);
        return NULL;
    }
    crease_cp_instance *c = crs_cp_instance_new(r, e);
    if (!c) return NULL;
    const crease_random amounts = { r->seed, CRS_STREAM_FACTOR };
    for (ptrdiff_t i = 0; i < r->shape.dim[SAMPLES] * r->rank; i++)
        c->factor[SAMPLES][i] = 0.05 + 0.95 * crease_random_uniform(amounts, (uint64_t)i);
    draw_spectra(c, EMISSION);
    draw_spectra(c, EXCITATION);
    draw_scatter(c);
    if (crs_cp_instance_add(c, e)) return c;
    crease_cp_instance_free(c);
    return NULL;
}
