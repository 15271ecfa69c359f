/* SPDX-License-Identifier: MIT
 * tiff: stacks of TIFF images by libtiff in a child: rows x columns, colours, and pages in the
 * order that ImageJ or OME tell, or one dimension of them. Samples of 8 and 16 bits without a sign
 * are scaled to 0..1, others are numbers as they are. */
#include <stdlib.h>
#include <tiffio.h>

#include "io/formats/child.h"
#include "io/formats/image.h"

enum { PAGES_MOST = 1 << 20 };

typedef struct {
    uint32_t width, height;
    uint16_t bits, samples, format, planar, photometric, compression;
} page;

/* Dimensions of the pages, the fastest in the file first. */
typedef struct {
    int order;
    ptrdiff_t dim[3];
    const char *name[3];
} stack;

typedef struct {
    const crs_input *s;
    TIFF *t;
    page first;
    stack pages;
    crs_range range; /* of the pages */
    bool colours;    /* of the array */
    int channels;    /* of the file that count: 1 or 3 */
    double scale;
    crease_error *e;
} reader;

static bool bad(const reader *r, const char *what)
{
    return crs_fail(r->e, CREASE_BAD_DATA, "%.200s: %s", r->s->name, what);
}

static bool damaged(const reader *r, int at)
{
    return crs_fail(
        r->e, CREASE_BAD_DATA,
        "%.200s is damaged: page %d cannot be read; write it again, or get another copy",
        r->s->name, at);
}

static void look(TIFF *t, page *p)
{
    *p = (page){ .width = 0 };
    TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &p->width);
    TIFFGetField(t, TIFFTAG_IMAGELENGTH, &p->height);
    TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &p->bits);
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &p->samples);
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &p->format);
    TIFFGetFieldDefaulted(t, TIFFTAG_PLANARCONFIG, &p->planar);
    TIFFGetFieldDefaulted(t, TIFFTAG_COMPRESSION, &p->compression);
    if (!TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &p->photometric))
        p->photometric = PHOTOMETRIC_MINISBLACK;
}

static bool is_known_type(const page *p)
{
    return p->format == SAMPLEFORMAT_IEEEFP ? p->bits == 32 || p->bits == 64
           : p->format == SAMPLEFORMAT_UINT || p->format == SAMPLEFORMAT_INT
               ? p->bits == 8 || p->bits == 16 || p->bits == 32
               : false;
}

static bool check(const reader *r, const page *p)
{
    static const uint16_t known[] = { COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                      COMPRESSION_DEFLATE, COMPRESSION_PACKBITS };
    bool found = false;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        found = found || p->compression == known[k];
    if (!found)
        return bad(r, p->compression == COMPRESSION_JPEG || p->compression == COMPRESSION_OJPEG
                          ? "its pages are JPEG images, which lose details; save it with LZW or "
                            "without compression"
                          : "its compression is not read; save it with LZW, deflate or none");
    if (p->photometric == PHOTOMETRIC_PALETTE)
        return bad(r, "its colours are those of a palette; save it as gray or RGB");
    if (!is_known_type(p))
        return bad(r, "its samples are not whole numbers of 8, 16 or 32 bits, nor floats of 32 or "
                      "64; save it as one of them");
    return (p->width > 0 && p->height > 0 && (double)p->width * p->height <= 0x1p28 &&
            p->samples >= 1 && p->samples <= 64) ||
           bad(r, "its pages have no pixels, or too many");
}

static double sample_at(const page *p, const unsigned char *at)
{
    uint16_t two;
    uint32_t four;
    float single;
    double twice;
    if (p->bits == 8) return p->format == SAMPLEFORMAT_INT ? (double)(int8_t)at[0] : (double)at[0];
    if (p->bits == 16) {
        memcpy(&two, at, 2);
        return p->format == SAMPLEFORMAT_INT ? (double)(int16_t)two : (double)two;
    }
    if (p->bits == 64) {
        memcpy(&twice, at, 8);
        return twice;
    }
    memcpy(&four, at, 4);
    memcpy(&single, at, 4);
    return p->format == SAMPLEFORMAT_IEEEFP ? (double)single
           : p->format == SAMPLEFORMAT_INT  ? (double)(int32_t)four
                                            : (double)four;
}

/* A part of a page: rows x columns at (i, j), samples of one plane or all together. */
typedef struct {
    ptrdiff_t i, j, rows, columns, across; /* across: columns in the buffer */
    int plane, together;                   /* samples in the buffer for each pixel */
} part;

static void place(const reader *r, const page *p, const part *a, const unsigned char *buffer,
                  double *out)
{
    const size_t bytes = p->bits / 8;
    const double scale = r->scale > 0 ? r->scale : 1;
    for (ptrdiff_t y = 0; y < a->rows && a->i + y < (ptrdiff_t)p->height; y++)
        for (ptrdiff_t x = 0; x < a->columns && a->j + x < (ptrdiff_t)p->width; x++) {
            double *to = out + ((a->i + y) * (ptrdiff_t)p->width + a->j + x) * r->channels;
            const unsigned char *from =
                buffer + (size_t)((y * a->across + x) * a->together) * bytes;
            for (int c = 0; c < a->together && a->plane + c < r->channels; c++) {
                const double v = sample_at(p, from + (size_t)c * bytes) / scale;
                to[a->plane + c] =
                    p->photometric == PHOTOMETRIC_MINISWHITE && r->scale > 0 ? 1 - v : v;
            }
        }
}

static bool read_tiles(const reader *r, const page *p, int planes, int together, double *out)
{
    uint32_t wide = 0, high = 0;
    TIFFGetField(r->t, TIFFTAG_TILEWIDTH, &wide);
    TIFFGetField(r->t, TIFFTAG_TILELENGTH, &high);
    const tmsize_t size = TIFFTileSize(r->t);
    const double wanted = (double)wide * high * together * p->bits / 8;
    unsigned char *tile =
        wanted >= 1 && (double)size >= wanted && size < 1 << 30 ? crs_alloc((size_t)size, 1) : NULL;
    bool done = tile != NULL;
    for (int k = 0; done && k < planes && k < r->channels; k++)
        for (uint32_t i = 0; done && i < p->height; i += high)
            for (uint32_t j = 0; done && j < p->width; j += wide) {
                done = TIFFReadTile(r->t, tile, j, i, 0, (uint16_t)k) >= 0;
                const part a = { i, j, high, wide, wide, k, together };
                if (done) place(r, p, &a, tile, out);
            }
    crs_free(tile);
    return done;
}

static bool read_strips(const reader *r, const page *p, int planes, int together, double *out)
{
    const tmsize_t size = TIFFScanlineSize(r->t);
    const double wanted = (double)p->width * together * p->bits / 8;
    unsigned char *line = (double)size >= wanted ? crs_alloc((size_t)size, 1) : NULL;
    bool done = line != NULL;
    for (int k = 0; done && k < planes && k < r->channels; k++)
        for (uint32_t i = 0; done && i < p->height; i++) {
            done = TIFFReadScanline(r->t, line, i, (uint16_t)k) >= 0;
            const part a = { i, 0, 1, p->width, p->width, k, together };
            if (done) place(r, p, &a, line, out);
        }
    crs_free(line);
    return done;
}

static bool read_page(const reader *r, const page *p, double *out)
{
    const bool apart = p->planar == PLANARCONFIG_SEPARATE && p->samples > 1;
    const int planes = apart ? p->samples : 1, together = apart ? 1 : p->samples;
    return TIFFIsTiled(r->t) ? read_tiles(r, p, planes, together, out)
                             : read_strips(r, p, planes, together, out);
}

/* The number after a key of a description; 1 where it has none. */
static ptrdiff_t number_after(const char *text, const char *key)
{
    const char *at = text ? strstr(text, key) : NULL;
    const long got = at ? strtol(at + strlen(key), NULL, 10) : 1;
    return got < 1 ? 1 : got;
}

static void add_dim(stack *k, ptrdiff_t dim, const char *name)
{
    if (dim > 1) k->dim[k->order] = dim, k->name[k->order++] = name;
}

/* ImageJ: channels, then slices, then frames. OME: by DimensionOrder="XYCZT" and SizeC and so on.
 */
static void order_of(const char *text, stack *k)
{
    *k = (stack){ .order = 0 };
    const char *order = text ? strstr(text, "DimensionOrder=\"XY") : NULL;
    if (text && strncmp(text, "ImageJ=", 7) == 0) {
        add_dim(k, number_after(text, "channels="), "channel");
        add_dim(k, number_after(text, "slices="), "slice");
        add_dim(k, number_after(text, "frames="), "frame");
    } else if (order) {
        for (const char *c = order + 18; c < order + 21 && *c; c++)
            add_dim(k,
                    *c == 'C'   ? number_after(text, "SizeC=\"")
                    : *c == 'Z' ? number_after(text, "SizeZ=\"")
                    : *c == 'T' ? number_after(text, "SizeT=\"")
                                : 1,
                    *c == 'C'   ? "channel"
                    : *c == 'Z' ? "slice"
                                : "frame");
    }
}

/* The pages are as many as the description says, or one dimension of all. */
static bool settle_stack(reader *r, ptrdiff_t pages)
{
    char *text = NULL;
    ptrdiff_t told = 1;
    if (TIFFGetField(r->t, TIFFTAG_IMAGEDESCRIPTION, &text) != 1) text = NULL;
    order_of(text, &r->pages);
    for (int n = 0; n < r->pages.order; n++)
        told *= r->pages.dim[n] < PAGES_MOST ? r->pages.dim[n] : 1;
    if (text && strncmp(text, "ImageJ=", 7) == 0 && pages == 1 && told > 1)
        return bad(r, "ImageJ has put its pages behind one another without a list of them; save it "
                      "with fewer than 4 GB, or as another format");
    if (told == pages) return true;
    r->pages = (stack){ .order = 0 };
    add_dim(&r->pages, pages, "page");
    return true;
}

/* FIRST:END:STEP of them. */
static bool choose_pages(reader *r, ptrdiff_t pages, const char *frames)
{
    if (!crs_range_parse(frames, pages, &r->range, r->e)) return false;
    if (!frames || r->pages.order == 0) return true;
    if (r->pages.order > 1)
        return bad(r, "its pages have several dimensions; --frames chooses from stacks of one");
    r->pages.dim[0] = r->range.count;
    return true;
}

static bool open_stack(reader *r, const crs_asked *asked)
{
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    r->t = TIFFOpen(r->s->path, "r");
    if (!r->t) return damaged(r, 0);
    look(r->t, &r->first);
    if (!check(r, &r->first)) return false;
    const page *p = &r->first;
    r->channels = p->samples >= 3 && p->photometric == PHOTOMETRIC_RGB ? 3 : 1;
    r->colours = r->channels == 3 && asked && asked->colour;
    r->scale = p->format == SAMPLEFORMAT_UINT && p->bits <= 16 ? p->bits == 8 ? 255 : 65535 : 0;
    const ptrdiff_t pages = (ptrdiff_t)TIFFNumberOfDirectories(r->t);
    if (pages < 1 || pages > PAGES_MOST) return damaged(r, 0);
    return TIFFSetDirectory(r->t, 0) && settle_stack(r, pages) &&
           choose_pages(r, pages, asked ? asked->frames : NULL);
}

static bool send_head(const reader *r, crs_emit *to)
{
    crease_space s = { .order = 2, .dim = { r->first.height, r->first.width } };
    int slow[CREASE_MAX_ORDER], k = 0;
    if (r->colours) s.dim[s.order++] = 3;
    const int base = s.order;
    for (int n = 0; n < r->pages.order; n++) s.dim[s.order++] = r->pages.dim[n];
    for (int n = s.order - 1; n >= base; n--) slow[k++] = n;
    for (int n = 0; n < base; n++) slow[k++] = n;
    bool done = crs_emit_shape(to, &s, slow, r->first.bits / 8, r->e) &&
                crs_emit_scale(to, r->scale, r->e) && crs_emit_named(to, 0, "row", r->e) &&
                crs_emit_named(to, 1, "column", r->e) &&
                (!r->colours || crs_emit_named(to, 2, "colour", r->e));
    for (int n = 0; done && n < r->pages.order; n++)
        done = crs_emit_named(to, base + n, r->pages.name[n], r->e);
    return done;
}

static bool send_page(const reader *r, int at, crs_emit *to)
{
    page p;
    crs_image a;
    look(r->t, &p);
    if (!check(r, &p)) return false;
    if (p.width != r->first.width || p.height != r->first.height || p.bits != r->first.bits ||
        p.format != r->first.format || p.samples != r->first.samples)
        return crs_fail(
            r->e, CREASE_BAD_SHAPE,
            "%.150s: page %d has %u x %u pixels of %d bits but the first %u x %u of %d; "
            "give pages of one kind",
            r->s->name, at, p.height, p.width, p.bits, r->first.height, r->first.width,
            r->first.bits);
    if (!crs_image_begin(&a, r->s->name, p.height, p.width, r->channels, r->e)) return false;
    const bool done = (read_page(r, &p, a.sample) || damaged(r, at)) &&
                      crs_image_recolour(&a, r->colours, r->e) &&
                      crs_emit_items(to, a.height * a.width * a.channels, a.sample, r->e);
    crs_image_free(&a);
    return done;
}

static bool decode(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    char text[200];
    reader r = { .s = s, .e = e };
    bool done = open_stack(&r, asked) && send_head(&r, to), more = true;
    const ptrdiff_t end = r.range.first + (r.range.count - 1) * r.range.step;
    for (ptrdiff_t k = 0; done && more && k <= end; k++) {
        if (k >= r.range.first && (k - r.range.first) % r.range.step == 0)
            done = send_page(&r, (int)k, to);
        more = done && TIFFReadDirectory(r.t);
    }
    snprintf(text, sizeof text, "%.100s: colours are made gray; --colour keeps them", s->name);
    if (done && r.channels == 3 && !r.colours) done = crs_emit_notice(to, text, e);
    if (r.t) TIFFClose(r.t);
    return done;
}

bool crs_tiff_load(const char *path, crs_image *out, crease_error *e)
{
    const crs_input s = { .name = path, .path = path };
    reader r = { .s = &s, .e = e };
    *out = (crs_image){ .sample = NULL };
    bool done = open_stack(&r, NULL) &&
                crs_image_begin(out, path, r.first.height, r.first.width, r.channels, e);
    if (done) {
        out->scale = r.scale;
        done = read_page(&r, &r.first, out->sample) || damaged(&r, 0);
    }
    if (r.t) TIFFClose(r.t);
    if (!done) crs_image_free(out);
    return done;
}

static bool read_tiff(const crs_input *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    if (!s->f) return crs_read_images(s, asked, out, e); /* a pattern */
    return crs_child_read(NULL, decode, s, asked, out, e);
}

/* ---- writing ---- */

typedef struct {
    const crs_item *item;
    crs_pages pages;
    bool whole; /* samples of 8 or 16 bits, otherwise floats */
} writer;

static void set_fields(TIFF *t, const writer *w)
{
    const crs_pages *p = &w->pages;
    const int bits = w->whole ? 8 * crs_pages_bytes(p) : w->item->single ? 32 : 64;
    TIFFSetField(t, TIFFTAG_IMAGEWIDTH, (uint32_t)p->width);
    TIFFSetField(t, TIFFTAG_IMAGELENGTH, (uint32_t)p->height);
    TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, bits);
    TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, p->channels);
    TIFFSetField(t, TIFFTAG_SAMPLEFORMAT, w->whole ? SAMPLEFORMAT_UINT : SAMPLEFORMAT_IEEEFP);
    TIFFSetField(t, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(t, TIFFTAG_PHOTOMETRIC,
                 p->channels == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(t, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, (uint32_t)p->height);
}

/* A row of page k: floats as they are, samples in this machine's order of bytes. */
static void make_row(const writer *w, const unsigned char *samples, ptrdiff_t k, ptrdiff_t i,
                     void *row)
{
    const crs_pages *p = &w->pages;
    const ptrdiff_t plane = p->height * p->width, n = p->width * p->channels;
    const int bytes = crs_pages_bytes(p);
    const double *from = p->entry + k * plane * p->channels;
    for (ptrdiff_t j = 0; j < n; j++) {
        const double x = from[j % p->channels * plane + j / p->channels * p->height + i];
        const ptrdiff_t at = (i * n + j) * bytes;
        if (!w->whole && w->item->single)
            ((float *)row)[j] = (float)x;
        else if (!w->whole)
            ((double *)row)[j] = x;
        else if (bytes == 2)
            ((uint16_t *)row)[j] = (uint16_t)(256 * samples[at] + samples[at + 1]);
        else
            ((uint8_t *)row)[j] = samples[at];
    }
}

static bool put_pages(TIFF *t, const writer *w, unsigned char *samples, void *row)
{
    const crs_pages *p = &w->pages;
    for (ptrdiff_t k = 0; k < p->pages; k++) {
        set_fields(t, w);
        if (w->whole) crs_pages_samples(p, k, samples);
        for (ptrdiff_t i = 0; i < p->height; i++) {
            make_row(w, samples, k, i, row);
            if (TIFFWriteScanline(t, row, (uint32_t)i, 0) < 0) return false;
        }
        if (!TIFFWriteDirectory(t)) return false;
    }
    return true;
}

static bool put_file(const char *path, const void *what, crease_error *e)
{
    const writer *w = what;
    const crs_pages *p = &w->pages;
    const ptrdiff_t row = p->width * p->channels;
    const double bytes = (double)row * (double)p->height * (double)p->pages * 8;
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    TIFF *t = TIFFOpen(path, bytes > 3e9 ? "w8" : "w");
    unsigned char *samples = w->whole ? crs_alloc((size_t)(p->height * row), 2) : NULL;
    double *line = crs_doubles(row, "a row", e);
    const bool room = line && (samples || !w->whole);
    const bool done = t && room && put_pages(t, w, samples, line);
    crs_free(line);
    crs_free(samples);
    if (t) TIFFClose(t);
    return done || crs_fail(e, room ? CREASE_IO : CREASE_NO_MEMORY,
                            "the TIFF file cannot be written; check the folder and the space left");
}

/* Whole numbers where the array came from such and all entries are between 0 and 1. */
static bool write_tiff(const char *path, int count, const crs_item *item, crease_error *e)
{
    (void)count; /* one */
    writer w = { .item = item };
    bool done = crs_pages_begin(&w.pages, item, e);
    if (done) {
        const crs_pages *p = &w.pages;
        w.whole = (item->scale == 255 || item->scale == 65535) && p->offset == 0 && p->gain == 1;
        for (ptrdiff_t k = 0; w.whole && k < crease_size(item->shape); k++)
            w.whole = p->entry[k] == p->entry[k];
        done = (p->height < 1 << 30 && p->width < 1 << 28) ||
               crs_fail(e, CREASE_BAD_SHAPE, "the array is too large for a TIFF file");
    }
    done = done && crs_write_by(path, put_file, &w, e);
    crs_pages_free(&w.pages);
    return done;
}

static bool is_tiff(const unsigned char *head, size_t n)
{
    return n >= 4 && (memcmp(head, "II*\0", 4) == 0 || memcmp(head, "MM\0*", 4) == 0 ||
                      memcmp(head, "II+\0", 4) == 0 || memcmp(head, "MM\0+", 4) == 0);
}

const crs_format crs_tiff_format = {
    .name = "tiff",
    .reads = "frames colour",
    .endings = ".tif .tiff",
    .text = "TIFF images and stacks, in the order of ImageJ and OME",
    .begins = is_tiff,
    .read = read_tiff,
    .write = write_tiff,
    .opens = true,
};
