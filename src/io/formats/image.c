/* SPDX-License-Identifier: MIT
 * image: samples of pictures from and to arrays (image.h) */
#include <stdlib.h>

#include "io/formats/image.h"

void crs_image_free(crs_image *a)
{
    crs_free(a->sample);
    *a = (crs_image){ .sample = NULL };
}

bool crs_image_begin(crs_image *a, const char *name, double height, double width, int channels,
                     crease_error *e)
{
    const double most = 0x1p28;
    *a = (crs_image){ .channels = channels };
    if (!(height >= 1 && width >= 1 && height * width <= most))
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s: an image of %.0f x %.0f pixels; give one with at least one and at "
                        "most %.0f pixels",
                        name, height, width, most);
    a->height = (ptrdiff_t)height;
    a->width = (ptrdiff_t)width;
    a->sample = crs_doubles(a->height * a->width * channels, "an image", e);
    return a->sample != NULL;
}

bool crs_image_recolour(crs_image *a, bool colours, crease_error *e)
{
    const ptrdiff_t n = a->height * a->width;
    double *x = a->sample;
    if (colours == (a->channels == 3)) return true;
    if (!colours) {
        for (ptrdiff_t k = 0; k < n; k++)
            x[k] = 0.299 * x[3 * k] + 0.587 * x[3 * k + 1] + 0.114 * x[3 * k + 2];
        a->channels = 1;
        return true;
    }
    double *all = crs_doubles(3 * n, "an image", e);
    if (!all) return false;
    for (ptrdiff_t k = 0; k < n; k++) all[3 * k] = all[3 * k + 1] = all[3 * k + 2] = x[k];
    crs_free(x);
    a->sample = all;
    a->channels = 3;
    return true;
}

bool crs_emit_named(crs_emit *to, int n, const char *name, crease_error *e)
{
    static const char *const colour[] = { "red", "green", "blue" };
    crs_axis a = { .name = NULL };
    const bool done = crs_axis_name(&a, name, NULL, e) &&
                      (strcmp(name, "colour") != 0 || crs_axis_labels(&a, 3, colour, e)) &&
                      crs_emit_axis(to, n, &a, e);
    crs_axis_free(&a);
    return done;
}

/* A whole number up to the next colon, or `or` where nothing stands there. */
static bool part(const char **at, ptrdiff_t or, ptrdiff_t *value)
{
    char *end;
    *value = or ;
    if (**at == ':' || **at == '\0') return true;
    const long long got = strtoll(*at, &end, 10);
    if (end == *at || (*end != ':' && *end != '\0') || got < 0 || got > PTRDIFF_MAX / 4)
        return false;
    *value = (ptrdiff_t)got;
    *at = end;
    return true;
}

bool crs_range_parse(const char *text, ptrdiff_t most, crs_range *out, crease_error *e)
{
    ptrdiff_t end = most;
    *out = (crs_range){ 0, 1, most };
    if (!text) return true;
    const char *at = text;
    bool good = part(&at, 0, &out->first);
    if (good && *at == ':')
        at++, good = part(&at, most, &end);
    else if (good)
        end = out->first + 1;
    if (good && *at == ':') at++, good = part(&at, 1, &out->step);
    if (!good || *at || out->step < 1 || end <= out->first)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "'%.60s' tells no frames; write FIRST:END:STEP with whole numbers from 0, "
                        "END not included, as 0:100:2",
                        text);
    if (end > most) end = most;
    if (end <= out->first)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "frame %td is asked for, but there are only %td",
                        out->first, most);
    out->count = most == PTRDIFF_MAX && end == most ? most : (end - out->first - 1) / out->step + 1;
    return true;
}

/* ---- to files ---- */

static bool is_colour(const crs_item *a)
{
    return a->shape->order > 2 && a->shape->dim[2] == 3 && a->axes && a->axes->axis[2].name &&
           strcmp(a->axes->axis[2].name, "colour") == 0;
}

static void set_tones(crs_pages *p, ptrdiff_t n)
{
    double low = 0, high = 0;
    for (ptrdiff_t k = 0; k < n; k++) {
        if (p->entry[k] < low) low = p->entry[k];
        if (p->entry[k] > high) high = p->entry[k];
    }
    const double most = -low > high ? -low : high;
    p->offset = low < 0 ? 0.5 : 0;
    p->gain = low < 0 ? 0.5 / most : high > 1 ? 1 / high : 1;
    if (!(most < INFINITY)) p->gain = 0;
}

bool crs_pages_begin(crs_pages *p, const crs_item *item, crease_error *e)
{
    const crease_space *s = item->shape;
    *p = (crs_pages){ .height = s->dim[0],
                      .channels = 1,
                      .most = item->scale > 0 ? item->scale : 255 };
    if (p->most > 65535) p->most = 65535;
    p->width = s->order > 1 ? s->dim[1] : 1;
    if (is_colour(item)) p->channels = 3;
    p->pages = crease_size(s) / (p->height * p->width * p->channels);
    p->entry = crs_column_order(item, e);
    if (p->entry) set_tones(p, crease_size(s));
    return p->entry != NULL;
}

void crs_pages_free(crs_pages *p) { crs_free(p->entry); }

int crs_pages_bytes(const crs_pages *p) { return p->most > 255 ? 2 : 1; }

void crs_pages_samples(const crs_pages *p, ptrdiff_t k, unsigned char *out)
{
    const ptrdiff_t plane = p->height * p->width;
    const double *page = p->entry + k * plane * p->channels;
    for (ptrdiff_t i = 0; i < p->height; i++)
        for (ptrdiff_t j = 0; j < p->width * p->channels; j++) {
            const double x = page[j % p->channels * plane + j / p->channels * p->height + i];
            const double tone = p->offset + p->gain * x;
            const double sample = tone > 0 ? floor(p->most * (tone < 1 ? tone : 1) + 0.5) : 0;
            if (p->most > 255) *out++ = (unsigned char)((unsigned)sample >> 8);
            *out++ = (unsigned char)((unsigned)sample & 255u);
        }
}

/* name_0007.png of name.png */
static bool numbered(const char *path, ptrdiff_t k, char *out, size_t room)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const int stem = (int)(dot && (!slash || dot > slash) ? dot - path : (ptrdiff_t)strlen(path));
    const int n = snprintf(out, room, "%.*s_%04td%s", stem, path, k, path + stem);
    return n > 0 && (size_t)n < room;
}

bool crs_write_pages(const char *path, const crs_item *item, crs_put *put, crease_error *e)
{
    char name[4096];
    crs_pages p;
    bool done = crs_pages_begin(&p, item, e);
    for (ptrdiff_t k = 0; done && k < p.pages; k++) {
        if (p.pages > 1 && !numbered(path, k, name, sizeof name))
            done = crs_fail(e, CREASE_BAD_ARGUMENT, "%.200s: the path is too long", path);
        done =
            done && crs_write_whole(p.pages > 1 ? name : path, put, &(crs_page){ &p, k }, NULL, e);
    }
    crs_pages_free(&p);
    return done;
}
