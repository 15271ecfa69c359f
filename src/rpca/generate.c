/* SPDX-License-Identifier: MIT
 * generate: random instances with their truth, T = [[X_1, ..., X_d]] + E + B, or with a core, T =
 * C x_1 X_1 ... x_d X_d + E + B, whose E and B are those of a CP instance of the same seed
 *
 * Either those of Jiang, Lin, Ma, Zhang 2019, section 5, or fluorescence of mixtures, samples x
 * emission x excitation. Dilute mixtures are trilinear: concentration x emission spectrum x
 * excitation spectrum, summed over the compounds (Bro, PARAFAC: tutorial and applications, 1997);
 * scattered light adds ridges: Rayleigh at em = ex and em = 2 ex, and the Raman line of water,
 * 1/em = 1/ex - 3400 cm^-1. Spikes are positive, noise is Gaussian. Every part has its own stream
 * of random numbers, every entry its own index in it: the result depends on the seed alone. */
#include "rpca/tucker/tucker.h"

#include "core/parallel.h"
#include "rpca/rpca.h"
#include "tensor/tensor.h"

crease_cp_recipe crease_cp_recipe_default(const crease_space *shape, ptrdiff_t rank)
{
    return (crease_cp_recipe){
        .shape = *shape, .rank = rank, .outliers = 0.001, .magnitude = 1, .noise = 0.001
    };
}

void crease_cp_instance_free(crease_cp_instance *c)
{
    if (!c) return;
    crs_free(c->tensor);
    crs_free(c->lowrank);
    crs_free(c->sparse);
    crs_free(c->noise);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(c->factor[n]);
    crs_free(c);
}

bool crease_cp_recipe_check(const crease_cp_recipe *r, crease_error *e)
{
    const crease_cp_rpca_settings s = crease_cp_rpca_default(&r->shape, r->rank);
    if (!crs_cp_settings_check(&s, e)) return false;
    if (!(r->outliers >= 0 && r->outliers <= 1))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the fraction of outliers is %g; give a number in [0, 1]", r->outliers);
    if (!(r->magnitude >= 0 && r->magnitude < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the magnitude of the outliers is %g; give a number >= 0", r->magnitude);
    return (r->noise >= 0 && r->noise < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "the noise is %g; give a number >= 0", r->noise);
}

static bool allocate(crease_cp_instance *c, bool bare, crease_error *e)
{
    const ptrdiff_t n = crease_size(&c->recipe.shape);
    double **part[] = { &c->tensor, &c->lowrank, &c->sparse, &c->noise };
    for (size_t k = 0; !bare && k < sizeof part / sizeof *part; k++)
        if (!(*part[k] = crs_doubles(n, "an instance", e))) return false;
    for (int k = 0; k < c->recipe.shape.order; k++) {
        c->factor[k] = crs_doubles(c->recipe.shape.dim[k] * c->recipe.rank, "a factor", e);
        if (!c->factor[k]) return false;
    }
    return true;
}

bool crs_cp_instance_outliers(crease_cp_instance *c, crease_error *e)
{
    const crease_cp_recipe *r = &c->recipe;
    const ptrdiff_t n = crease_size(&r->shape);
    const crease_random places = { r->seed, CRS_STREAM_PLACES },
                        values = { r->seed, CRS_STREAM_OUTLIERS };
    c->count = (ptrdiff_t)floor(r->outliers * (double)n + 0.5);
    ptrdiff_t *at = crs_alloc((size_t)c->count + 1, sizeof *at);
    if (!at) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td outliers", c->count);
    crease_random_sample(places, n, c->count, at);
    if (crease_watch_over(r->watch)) return crs_free(at), crs_cut(e, "the instance");
    for (ptrdiff_t k = 0; k < c->count; k++)
        c->sparse[at[k]] = r->magnitude * crease_random_normal(values, (uint64_t)k);
    crs_free(at);
    return true;
}

static crease_cp_instance *new_instance(const crease_cp_recipe *r, bool bare, crease_error *e)
{
    if (!crease_cp_recipe_check(r, e)) return NULL;
    crease_cp_instance *c = crs_alloc(1, sizeof *c);
    if (!c) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: an instance");
        return NULL;
    }
    c->recipe = *r;
    c->count = (ptrdiff_t)floor(r->outliers * (double)crease_size(&r->shape) + 0.5);
    if (allocate(c, bare, e)) return c;
    crease_cp_instance_free(c);
    return NULL;
}

crease_cp_instance *crs_cp_instance_new(const crease_cp_recipe *r, crease_error *e)
{
    crease_cp_instance *c = new_instance(r, false, e);
    if (c) c->count = 0;
    return c;
}

bool crs_cp_instance_add(crease_cp_instance *c, crease_error *e)
{
    const crease_cp_recipe *r = &c->recipe;
    const ptrdiff_t n = crease_size(&r->shape);
    if (r->noise > 0) crs_normals(r->seed, CRS_STREAM_NOISE, n, c->noise);
    if (crease_watch_over(r->watch)) return crs_cut(e, "the instance");
    const double *const *factor = (const double *const *)c->factor;
    if (!crease_cp_lowrank(&r->shape, r->rank, factor, c->lowrank, e)) return false;
    for (ptrdiff_t j = 0; j < n; j++) {
        c->noise[j] *= r->noise;
        c->tensor[j] = c->lowrank[j] + c->sparse[j] + c->noise[j];
    }
    return !crease_watch_over(r->watch) || crs_cut(e, "the instance");
}

static void draw_factors(crease_cp_instance *c)
{
    const crease_cp_recipe *r = &c->recipe;
    for (int k = 0; k < r->shape.order; k++)
        crs_normals(r->seed, (uint64_t)(CRS_STREAM_FACTOR + k), r->shape.dim[k] * r->rank,
                    c->factor[k]);
}

crease_cp_instance *crs_cp_instance_bare(const crease_cp_recipe *r, crease_error *e)
{
    crease_cp_instance *c = new_instance(r, true, e);
    if (c) draw_factors(c);
    return c;
}

enum { ENTRIES = 1 << 12 }; /* of a task */

typedef struct {
    const crs_cp_drawing *p;
    ptrdiff_t count;
    double *out;
} items;

/* x_j = sum_r X_1(i_1,r) ... X_d(i_d,r), in the order of r */
static double lowrank_at(const crease_cp_instance *c, ptrdiff_t j)
{
    const double *row[CREASE_MAX_ORDER];
    const ptrdiff_t rank = c->recipe.rank;
    double sum = 0;
    for (int n = c->recipe.shape.order - 1; n >= 0; j /= c->recipe.shape.dim[n--])
        row[n] = c->factor[n] + j % c->recipe.shape.dim[n] * rank;
    for (ptrdiff_t k = 0; k < rank; k++) {
        double product = row[0][k];
        for (int n = 1; n < c->recipe.shape.order; n++) product *= row[n][k];
        sum += product;
    }
    return sum;
}

static void begin_items(void *self, ptrdiff_t task, int worker)
{
    const items *t = self;
    const ptrdiff_t first = task * ENTRIES, end = fewer(first + ENTRIES, t->count);
    (void)worker;
    for (ptrdiff_t j = first; j < end; j++)
        t->out[j] = t->p->lowrank ? lowrank_at(t->p->c, t->p->next + j) : 0;
}

static void end_items(void *self, ptrdiff_t task, int worker)
{
    const items *t = self;
    const crease_cp_recipe *r = &t->p->c->recipe;
    const crease_random random = { r->seed, CRS_STREAM_NOISE };
    const ptrdiff_t first = task * ENTRIES, end = fewer(first + ENTRIES, t->count);
    (void)worker;
    for (ptrdiff_t j = first; j < end; j++)
        t->out[j] += r->noise * crease_random_normal(random, (uint64_t)(t->p->next + j));
}

/* As crease_random_sample, which goes on where it was. */
static void add_outliers(crs_cp_drawing *p, ptrdiff_t count, double *out)
{
    const crease_cp_recipe *r = &p->c->recipe;
    const ptrdiff_t n = crease_size(&r->shape);
    const crease_random places = { r->seed, CRS_STREAM_PLACES },
                        values = { r->seed, CRS_STREAM_OUTLIERS };
    for (ptrdiff_t j = 0; j < count && p->taken < p->c->count; j++) {
        const uint64_t left = (uint64_t)(n - p->next - j),
                       wanted = (uint64_t)(p->c->count - p->taken);
        if (crease_random_below(places, (uint64_t)(p->next + j), left) < wanted)
            out[j] += r->magnitude * crease_random_normal(values, (uint64_t)p->taken++);
    }
}

void crs_cp_draw(crs_cp_drawing *p, ptrdiff_t count, double *out)
{
    items t = { p, count, out };
    const int threads = crs_useful_threads(0, count);
    const ptrdiff_t tasks = (count + ENTRIES - 1) / ENTRIES;
    if (crease_watch_over(p->c->recipe.watch)) {
        fill(count, 0, out);
        return;
    }
    crs_parallel_runs(threads, tasks, begin_items, &t);
    if (p->sparse) add_outliers(p, count, out);
    if (p->noise && p->c->recipe.noise > 0) crs_parallel_runs(threads, tasks, end_items, &t);
    p->next += count;
}

void crs_cp_draw_from(crs_cp_drawing *p, ptrdiff_t entry)
{
    const ptrdiff_t n = crease_size(&p->c->recipe.shape);
    const crease_random places = { p->c->recipe.seed, CRS_STREAM_PLACES };
    for (; p->next < entry; p->next++)
        if (crease_random_below(places, (uint64_t)p->next, (uint64_t)(n - p->next)) <
            (uint64_t)(p->c->count - p->taken))
            p->taken++;
}

crease_cp_instance *crease_cp_generate(const crease_cp_recipe *r, crease_error *e)
{
    crease_cp_instance *c = crs_cp_instance_new(r, e);
    if (!c) return NULL;
    draw_factors(c);
    if (crs_cp_instance_outliers(c, e) && crs_cp_instance_add(c, e)) return c;
    crease_cp_instance_free(c);
    return NULL;
}

enum { SAMPLES, EMISSION, EXCITATION };

static const double RANGE[][2] = { { 0, 0 }, { 270, 570 }, { 250, 400 } }; /* nm */
static const double RAMAN = 3400e-7;                                       /* 1/nm */
static const double REACH = 3; /* a ridge ends at so many of its widths */

/* Streams besides those of core/streams.h. */
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

void crease_tucker_instance_free(crease_tucker_instance *c)
{
    if (!c) return;
    crease_cp_instance_free(c->parts);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(c->factor[n]);
    crs_free(c->core);
    crs_free(c);
}

static bool check_ranks(const crease_tucker_recipe *r, crease_error *e)
{
    const crease_space *shape = &r->parts.shape;
    if (r->ranks.order != shape->order)
        return crs_fail(e, CREASE_BAD_SHAPE, "%d ranks for %d modes; give one rank per mode",
                        r->ranks.order, shape->order);
    for (int n = 0; n < shape->order; n++)
        if (r->ranks.dim[n] < 1 || r->ranks.dim[n] > shape->dim[n])
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "rank %d is %td; give a number from 1 to the mode's length %td", n + 1,
                            r->ranks.dim[n], shape->dim[n]);
    return true;
}

static bool allocate_factors(crease_tucker_instance *c, crease_error *e)
{
    const crease_space *shape = &c->recipe.parts.shape, *ranks = &c->recipe.ranks;
    for (int n = 0; n < shape->order; n++) {
        c->factor[n] = crs_doubles(shape->dim[n] * ranks->dim[n], "a factor", e);
        if (!c->factor[n]) return false;
    }
    c->core = crs_doubles(crease_size(ranks), "the core", e);
    return c->core;
}

static void draw_core(crease_tucker_instance *c)
{
    const crease_space *ranks = &c->recipe.ranks;
    const ptrdiff_t size = crease_size(ranks);
    ptrdiff_t step = 0, ones = ranks->dim[0];
    for (int n = 0; n < ranks->order; n++) {
        step = step * ranks->dim[n] + 1;
        ones = fewer(ones, ranks->dim[n]);
    }
    if (c->recipe.diagonal)
        for (ptrdiff_t k = 0; k < ones; k++) c->core[k * step] = 1 / sqrt((double)ones);
    else
        crs_normals(c->recipe.parts.seed, CRS_STREAM_CORE, size, c->core);
    for (ptrdiff_t j = 0; !c->recipe.diagonal && j < size; j++) c->core[j] /= sqrt((double)size);
}

static bool draw_tucker(crease_tucker_instance *c, crease_error *e)
{
    const crease_space *shape = &c->recipe.parts.shape, *ranks = &c->recipe.ranks;
    const uint64_t seed = c->recipe.parts.seed;
    crease_cp_instance *p = c->parts;
    crs_tucker k = { .shape = *shape, .ranks = *ranks, .core = c->core };
    double *work = crs_doubles(crs_tucker_scratch(shape, ranks), "the low-rank part", e);
    if (!work) return false;
    for (int n = 0; n < shape->order; n++) {
        crs_normals(seed, (uint64_t)(CRS_STREAM_FACTOR + n), shape->dim[n] * ranks->dim[n],
                    c->factor[n]);
        k.factor[n] = c->factor[n];
    }
    draw_core(c);
    fill(crease_size(shape), 0, p->lowrank);
    crs_tucker_reconstruct(&k, 1, p->lowrank, work);
    crs_free(work);
    if (crease_watch_over(c->recipe.parts.watch)) return crs_cut(e, "the instance");
    for (ptrdiff_t j = 0; j < crease_size(shape); j++)
        p->tensor[j] = p->lowrank[j] + p->sparse[j] + p->noise[j];
    return true;
}

crease_tucker_instance *crease_tucker_generate(const crease_tucker_recipe *r, crease_error *e)
{
    if (!check_ranks(r, e)) return NULL;
    crease_tucker_instance *c = crs_alloc(1, sizeof *c);
    if (!c) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: an instance"), NULL;
    c->recipe = *r;
    c->recipe.parts.rank = 1;
    c->parts = crease_cp_generate(&c->recipe.parts, e);
    if (c->parts && allocate_factors(c, e) && draw_tucker(c, e)) return c;
    crease_tucker_instance_free(c);
    return NULL;
}
