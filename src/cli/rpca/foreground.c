/* SPDX-License-Identifier: MIT
 * foreground: --foreground of rpca: what moves in a video, as foreground.npy, and the options
 * that a video needs where they are not given */
#include "cli/rpca/rpca.h"

static void unless_given(crs_args *a, crs_option_id id, const char *text)
{
    if (!crs_given(a, id)) a->value[id][0] = text;
}

/* "median:5" */
static bool read_clean(const char *text, ptrdiff_t *side, crease_error *e)
{
    const ptrdiff_t most = 1001;
    double n = 0;
    const bool good =
        !text || (strncmp(text, "median:", 7) == 0 && crs_parse_double(text + 7, &n) && n >= 3 &&
                  n <= (double)most && n == 2 * floor(n / 2) + 1);
    *side = good ? (ptrdiff_t)n : 0;
    return good || crs_fail(e, CREASE_BAD_ARGUMENT,
                            "--clean %.64s: write median:N with an odd N from 3 to %td, as "
                            "median:5, for a majority of N x N pixels",
                            text, most);
}

bool crs_foreground_take(crs_args *a, crs_foreground *f, crease_error *e)
{
    const char *clean = crs_given(a, CRS_OPT_CLEAN), *beyond = crs_given(a, CRS_OPT_BEYOND);
    *f = (crs_foreground){ .beyond = 0 };
    if (!crs_given(a, CRS_OPT_FOREGROUND))
        return (!clean && !beyond) ||
               crs_fail(e, CREASE_BAD_ARGUMENT, "%s is of --foreground; give that, too",
                        beyond ? "--beyond" : "--clean");
    f->beyond = 4;
    if (!read_clean(clean, &f->clean, e) ||
        (beyond && !crs_option_number(a, CRS_OPT_BEYOND, 0, &f->beyond, e)))
        return false;
    if (!(f->beyond > 0 && f->beyond < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--beyond %g is outside its range: give a number > 0", f->beyond);
    unless_given(a, CRS_OPT_MERGE, "0,1");
    unless_given(a, CRS_OPT_RANK, "2");
    unless_given(a, CRS_OPT_PENALTY, "mcp");
    unless_given(a, CRS_OPT_WRITE, "lowrank");
    unless_given(a, CRS_OPT_NOISE_LEVELS, "auto");
    return true;
}

bool crs_foreground_suits(const crs_args *a, const crease_space *given, crease_error *e)
{
    int first, count;
    if (!crs_given(a, CRS_OPT_FOREGROUND)) return true;
    if (given->order != 3)
        return crs_fail(
            e, CREASE_BAD_SHAPE,
            "the data have %d dimension%s and --foreground is of videos in gray, rows x "
            "columns x frames; %s",
            given->order, given->order == 1 ? "" : "s",
            crs_given(a, CRS_OPT_COLOUR) ? "leave --colour out" : "reshape them, or leave it out");
    if (!crs_parse_merge(crs_given(a, CRS_OPT_MERGE), given, &first, &count, e)) return false;
    return (first == 0 && count == 2) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "--foreground merges the axes 0,1 of rows and columns, and --merge %.64s asks "
                    "for others; leave that out, or bring the frames to the last axis by crease "
                    "convert --transpose",
                    crs_given(a, CRS_OPT_MERGE));
}

/* One video while its mask is made. */
typedef struct {
    const crs_rpca_job *j;
    ptrdiff_t pixels, frames;
    double *noise, *work; /* a number for each pixel, and for each pixel and frame */
    double *rest;         /* of one pixel */
    int *sum;             /* of one frame */
    unsigned char *mask;
} video;

/* t - x y of one pixel; NaN where it was not observed. */
static void read_rest(const video *v, ptrdiff_t pixel)
{
    const double *t = v->j->data.data + pixel * v->frames;
    crease_rpca_read(v->j->fit, CREASE_RPCA_LOWRANK, pixel, 1, v->rest);
    for (ptrdiff_t k = 0; k < v->frames; k++) v->rest[k] = t[k] - v->rest[k];
}

/* Differences of a millionth of the largest entry are no motion: a video without noise has
 * deviations of rounding. */
static double least_noise(const video *v)
{
    double most = 0;
    for (ptrdiff_t k = 0; k < v->pixels * v->frames; k++)
        if (fabs(v->j->data.data[k]) > most) most = fabs(v->j->data.data[k]);
    return 1e-6 * most;
}

static void make_mask(const video *v, crs_foreground *f)
{
    ptrdiff_t seen = 0, moving = 0;
    for (ptrdiff_t i = 0; i < v->pixels; i++) {
        read_rest(v, i);
        v->noise[i] = crs_pixel_noise(v->frames, v->rest, v->work);
    }
    f->noise = crs_pixel_bounds(v->pixels, f->beyond, least_noise(v), v->noise, v->work);
    for (ptrdiff_t i = 0; i < v->pixels; i++) {
        read_rest(v, i);
        for (ptrdiff_t k = 0; k < v->frames; k++) {
            v->mask[i * v->frames + k] = fabs(v->rest[k]) > v->noise[i];
            seen += !isnan(v->rest[k]);
        }
    }
    for (ptrdiff_t k = 0; f->clean > 0 && k < v->frames; k++)
        crs_mask_clean(&v->j->given, k, f->clean, v->mask, v->sum);
    for (ptrdiff_t k = 0; k < v->pixels * v->frames; k++)
        if (!isnan(v->j->data.data[k])) moving += v->mask[k];
    f->share = (double)moving / (double)seen;
}

static void mask_items(const void *self, ptrdiff_t first, ptrdiff_t count, double *out)
{
    const unsigned char *mask = self;
    for (ptrdiff_t k = 0; k < count; k++) out[k] = mask[first + k];
}

static bool write_mask(video *v, crs_rpca_job *j, crease_error *e)
{
    enum { ROOM = 1 << 16 };
    const crease_space *s = &j->given;
    const ptrdiff_t longest = v->pixels > v->frames ? v->pixels : v->frames;
    v->noise = crs_doubles(v->pixels + longest + v->frames + ROOM, "the mask of a video", e);
    v->mask = crs_alloc((size_t)(v->pixels * v->frames), 1);
    v->sum = crs_alloc((size_t)((s->dim[0] + 1) * (s->dim[1] + 1)), sizeof *v->sum);
    if (!v->noise) return false;
    if (!v->mask || !v->sum)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the mask of a video");
    v->work = v->noise + v->pixels;
    v->rest = v->work + longest;
    make_mask(v, &j->foreground);
    const crs_pieces pieces = { mask_items, v->mask, v->rest + v->frames, ROOM };
    return crs_folder_pieces(&j->folder, "foreground.npy", s, &pieces, e);
}

bool crs_foreground_write(crs_rpca_job *j, crease_error *e)
{
    const crease_space *s = &j->given;
    if (j->foreground.beyond == 0) return true;
    video v = { .j = j, .pixels = s->dim[0] * s->dim[1], .frames = s->dim[2] };
    const bool done = write_mask(&v, j, e);
    crs_free(v.noise);
    crs_free(v.mask);
    crs_free(v.sum);
    return done;
}
