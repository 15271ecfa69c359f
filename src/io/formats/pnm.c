/* SPDX-License-Identifier: MIT
 * pnm: gray and colour images of Netpbm, .pgm and .ppm (and .pbm), in text or bytes: a P and the
 * kind, width, height, the largest sample, then the samples row by row, those above 255 with the
 * most significant byte first. "#" begins a remark in the head. */
#include <errno.h>

#include "io/formats/image.h"

typedef struct {
    FILE *f;
    const char *name;
    crease_error *e;
} input;

static bool bad(const input *in, const char *what)
{
    return crs_fail(in->e, CREASE_BAD_DATA,
                    "%.200s is no whole image of Netpbm: %s; write it again", in->name, what);
}

/* The next character after blanks and remarks. */
static int next_mark(FILE *f)
{
    int c = getc(f);
    for (; c == '#' || c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = getc(f))
        while (c == '#' && (c = getc(f)) != '\n' && c != EOF) c = '#';
    return c;
}

/* A whole number; the character after it is read as well. */
static bool number(const input *in, double most, double *value)
{
    int c = next_mark(in->f);
    if (c < '0' || c > '9') return bad(in, "a number is missing");
    for (*value = 0; c >= '0' && c <= '9' && *value <= most; c = getc(in->f))
        *value = 10 * *value + (c - '0');
    return *value <= most || bad(in, "a number is too large");
}

static bool bits(const input *in, crs_image *a)
{
    for (ptrdiff_t i = 0; i < a->height; i++)
        for (ptrdiff_t j = 0, c = 0; j < a->width; j++, c <<= 1) {
            if (j % 8 == 0 && (c = getc(in->f)) == EOF) return bad(in, "it ends early");
            a->sample[i * a->width + j] = c & 128 ? 0 : 1; /* 1 is black */
        }
    return true;
}

static bool text_samples(const input *in, crs_image *a, ptrdiff_t n, bool inked)
{
    for (ptrdiff_t k = 0; k < n; k++) {
        double v;
        if (inked) { /* digits without blanks between them */
            const int c = next_mark(in->f);
            if (c != '0' && c != '1') return bad(in, "a bit is missing");
            v = c == '0';
        } else if (!number(in, a->scale, &v))
            return false;
        a->sample[k] = v / a->scale;
    }
    return true;
}

static bool byte_samples(const input *in, crs_image *a, ptrdiff_t n)
{
    const bool wide = a->scale > 255;
    for (ptrdiff_t k = 0; k < n; k++) {
        const int high = wide ? getc(in->f) : 0, low = getc(in->f);
        if (high == EOF || low == EOF) return bad(in, "it ends early");
        const double v = (double)(256 * high + low);
        if (v > a->scale) return bad(in, "a sample is above the largest one");
        a->sample[k] = v / a->scale;
    }
    return true;
}

bool crs_pnm_load(FILE *f, const char *name, crs_image *out, crease_error *e)
{
    const input in = { f, name, e };
    double width, height, most = 1;
    *out = (crs_image){ .sample = NULL };
    const int mark = getc(f), kind = getc(f) - '0';
    if (mark != 'P' || kind < 1 || kind > 6) return bad(&in, "it does not begin with P1 to P6");
    const bool inked = kind == 1 || kind == 4, colour = kind == 3 || kind == 6;
    if (!number(&in, 1e6, &width) || !number(&in, 1e6, &height) ||
        (!inked && !number(&in, 65535, &most)))
        return false;
    if (!(most >= 1)) return bad(&in, "its largest sample is 0");
    if (!crs_image_begin(out, name, height, width, colour ? 3 : 1, e)) return false;
    out->scale = most;
    const ptrdiff_t n = out->height * out->width * out->channels;
    const bool done = kind <= 3   ? text_samples(&in, out, n, inked)
                      : kind == 4 ? bits(&in, out)
                                  : byte_samples(&in, out, n);
    if (!done) crs_image_free(out);
    return done;
}

static bool put_page(FILE *f, const void *what)
{
    const crs_page *page = what;
    const crs_pages *p = page->pages;
    const size_t n = (size_t)(p->height * p->width * p->channels * crs_pages_bytes(p));
    unsigned char *all = crs_alloc(n, 1);
    if (!all) return errno = ENOMEM, false;
    crs_pages_samples(p, page->at, all);
    const bool done = fprintf(f, "P%c\n%td %td\n%.0f\n", p->channels == 3 ? '6' : '5', p->width,
                              p->height, p->most) > 0 &&
                      fwrite(all, 1, n, f) == n;
    crs_free(all);
    return done;
}

static bool write_pnm(const char *path, int count, const crs_item *item, crease_error *e)
{
    (void)count; /* one */
    return crs_write_pages(path, item, put_page, e);
}

static bool is_pnm(const unsigned char *head, size_t n)
{
    if (n < 7 || head[0] != 'P' || head[1] < '1' || head[1] > '6') return false;
    size_t k = 2;
    while (k < n && strchr(" \t\r\n", head[k]) && head[k]) k++;
    return k > 2 && k < n && (head[k] == '#' || (head[k] >= '0' && head[k] <= '9'));
}

const crs_format crs_pnm_format = {
    .name = "pgm",
    .reads = "frames colour",
    .endings = ".pgm .ppm .pnm .pbm",
    .text = "images of Netpbm, one or a pattern of several",
    .begins = is_pnm,
    .read = crs_read_images,
    .write = write_pnm,
    .opens = true,
};
