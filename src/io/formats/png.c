/* SPDX-License-Identifier: MIT
 * png: PNG images by libpng; read in a child (frames.c). Palettes are colours, samples of fewer
 * than 8 bits are spread, transparency is left out. */
#include <errno.h>
#include <png.h>

#include "io/formats/image.h"

/* libpng leaves by longjmp; all that lives across it is in here. */
typedef struct {
    png_structp png;
    png_infop info;
    FILE *f;
    png_bytep pixels;
    png_bytepp rows;
    png_uint_32 width, height;
    int depth, channels;
    char why[80];
} reader;

static void on_error(png_structp png, png_const_charp text)
{
    snprintf((char *)png_get_error_ptr(png), sizeof((reader *)0)->why, "%.70s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) { (void)png, (void)text; }

static bool read_head(reader *r)
{
    if (setjmp(png_jmpbuf(r->png))) return false;
    png_init_io(r->png, r->f);
    png_set_user_limits(r->png, 1000000, 1000000);
    png_read_info(r->png, r->info);
    if (png_get_color_type(r->png, r->info) == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(r->png);
    else if (png_get_bit_depth(r->png, r->info) < 8)
        png_set_expand_gray_1_2_4_to_8(r->png);
    png_set_strip_alpha(r->png);
    png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    r->width = png_get_image_width(r->png, r->info);
    r->height = png_get_image_height(r->png, r->info);
    r->depth = png_get_bit_depth(r->png, r->info);
    r->channels = png_get_channels(r->png, r->info);
    return true;
}

static bool read_rows(reader *r)
{
    if (setjmp(png_jmpbuf(r->png))) return false;
    png_read_image(r->png, r->rows);
    png_read_end(r->png, NULL);
    return true;
}

static bool make_rows(reader *r, size_t row)
{
    r->pixels = crs_alloc(r->height, row);
    r->rows = crs_alloc(r->height, sizeof *r->rows);
    for (png_uint_32 i = 0; r->pixels && r->rows && i < r->height; i++)
        r->rows[i] = r->pixels + i * row;
    return r->pixels && r->rows;
}

static bool fail_damaged(const reader *r, const char *name, crease_error *e)
{
    return crs_fail(e, CREASE_BAD_DATA,
                    "%.200s is damaged: %s; write it again, or get another copy", name,
                    r->why[0] ? r->why : "it is no whole PNG image");
}

static bool read_image(reader *r, const char *name, crs_image *out, crease_error *e)
{
    if (!read_head(r) || (r->channels != 1 && r->channels != 3) ||
        (r->depth != 8 && r->depth != 16))
        return fail_damaged(r, name, e);
    const int wide = r->depth / 8;
    if (!crs_image_begin(out, name, r->height, r->width, r->channels, e)) return false;
    if (!make_rows(r, (size_t)out->width * (size_t)(r->channels * wide)))
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the image %.200s", name);
    if (!read_rows(r)) return fail_damaged(r, name, e);
    const ptrdiff_t n = out->height * out->width * out->channels;
    out->scale = wide == 2 ? 65535 : 255;
    for (ptrdiff_t k = 0; k < n; k++) {
        const png_byte *p = r->pixels + k * wide;
        out->sample[k] = (double)(wide == 2 ? 256 * p[0] + p[1] : p[0]) / out->scale;
    }
    return true;
}

bool crs_png_load(FILE *f, const char *name, crs_image *out, crease_error *e)
{
    reader r = { .f = f };
    *out = (crs_image){ .sample = NULL };
    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, r.why, on_error, on_warning);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    const bool done = r.info ? read_image(&r, name, out, e)
                             : crs_fail(e, CREASE_NO_MEMORY, "out of memory: libpng");
    png_destroy_read_struct(&r.png, &r.info, NULL);
    crs_free(r.rows);
    crs_free(r.pixels);
    if (!done) crs_image_free(out);
    return done;
}

/* ---- writing ---- */

static bool put_rows(reader *w, const crs_pages *p)
{
    if (setjmp(png_jmpbuf(w->png))) return false;
    png_init_io(w->png, w->f);
    png_set_IHDR(w->png, w->info, w->width, w->height, w->depth,
                 p->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(w->png, w->info);
    png_write_image(w->png, w->rows);
    png_write_end(w->png, NULL);
    return true;
}

static bool put_page(FILE *f, const void *what)
{
    const crs_page *page = what;
    const crs_pages *p = page->pages;
    const int bytes = crs_pages_bytes(p);
    reader w = {
        .f = f, .depth = 8 * bytes, .width = (png_uint_32)p->width, .height = (png_uint_32)p->height
    };
    w.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, w.why, on_error, on_warning);
    w.info = w.png ? png_create_info_struct(w.png) : NULL;
    bool done = w.info && make_rows(&w, (size_t)(p->width * p->channels * bytes));
    if (done) {
        crs_pages_samples(p, page->at, w.pixels);
        done = put_rows(&w, p);
    } else
        errno = ENOMEM;
    const int why = errno;
    png_destroy_write_struct(&w.png, &w.info);
    crs_free(w.rows);
    crs_free(w.pixels);
    errno = why;
    return done;
}

/* Its samples are of 8 or 16 bits. */
static bool write_png(const char *path, int count, const crs_item *item, crease_error *e)
{
    (void)count; /* one */
    crs_item whole = *item;
    whole.scale = item->scale > 255 ? 65535 : 255;
    if (item->shape->dim[0] > 1000000 || (item->shape->order > 1 && item->shape->dim[1] > 1000000))
        return crs_fail(e, CREASE_BAD_SHAPE, "a PNG image has at most 1000000 rows and columns");
    return crs_write_pages(path, &whole, put_page, e);
}

static bool is_png(const unsigned char *head, size_t n)
{
    return n >= 8 && memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0;
}

const crs_format crs_png_format = {
    .name = "png",
    .reads = "frames colour",
    .endings = ".png",
    .text = "PNG images, one or a pattern of several, scaled to 0..1",
    .begins = is_png,
    .read = crs_read_images,
    .write = write_png,
    .opens = true,
};
