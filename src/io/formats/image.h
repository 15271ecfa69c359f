/* SPDX-License-Identifier: MIT
 * image.h: pictures of gray or colours between the files that hold them and arrays: an image is
 * rows x columns, colours and frames are further dimensions after them */
#ifndef CRS_IMAGE_H
#define CRS_IMAGE_H

#include "io/formats/child.h"

/* Samples row by row, the channels of a pixel together: 1 of gray, or 3. */
typedef struct {
    ptrdiff_t height, width;
    int channels;
    double scale; /* what 1 is in the file, as 255; 0: samples are as in the file */
    double *sample;
} crs_image;
void crs_image_free(crs_image *a);

/* The next image of a file; `name` stands in sentences. On failure out is empty. */
typedef bool crs_image_loader(FILE *f, const char *name, crs_image *out, crease_error *e);
crs_image_loader crs_png_load, crs_pnm_load;
bool crs_tiff_load(const char *path, crs_image *out, crease_error *e); /* its first page */
/* Its dimensions from the head of a file: refused where a side is 0 or there are more than 2^28
 * pixels; room for the samples is made. */
bool crs_image_begin(crs_image *a, const char *name, double height, double width, int channels,
                     crease_error *e);
/* 0.299 red + 0.587 green + 0.114 blue, in place; colours: of gray ones three alike. */
bool crs_image_recolour(crs_image *a, bool colours, crease_error *e);

/* The name of a dimension to the parent; that of "colour" has red, green and blue. */
bool crs_emit_named(crs_emit *to, int n, const char *name, crease_error *e);

/* "2:10:3" of so many: first, step and how many there are; NULL: all. `most` may be unknown, as
 * PTRDIFF_MAX. Parts may be left out. */
typedef struct {
    ptrdiff_t first, step, count;
} crs_range;
bool crs_range_parse(const char *text, ptrdiff_t most, crs_range *out, crease_error *e);

/* An image, or those of a pattern as 'frames/f?.png' or f_%04d.png, in the order of their numbers
 * (frames.c): the reader of their formats. */
crs_format_reader crs_read_images;

/* The pages of an item (image.c): rows x columns, the other dimensions counted with the first of
 * them fastest; a dimension called colour of 3 after them belongs to the page. Entries between 0
 * and 1 are samples as they are. Otherwise the largest entry is 1; with negative ones 0 is gray,
 * and the largest magnitude black or white. Missing ones are black. */
typedef struct {
    ptrdiff_t height, width, pages;
    int channels;
    double offset, gain, most; /* sample: round(most * (offset + gain * entry)) */
    double *entry;             /* in column order, owned */
} crs_pages;
bool crs_pages_begin(crs_pages *p, const crs_item *item, crease_error *e);
/* Page k as samples of 1 or, beyond 255, 2 bytes with the most significant first. */
void crs_pages_samples(const crs_pages *p, ptrdiff_t k, unsigned char *out);
int crs_pages_bytes(const crs_pages *p); /* of a sample */
void crs_pages_free(crs_pages *p);

/* Every page by `put` into a file of its own: name.png, or name_0001.png and on. */
typedef struct {
    const crs_pages *pages;
    ptrdiff_t at;
} crs_page;
bool crs_write_pages(const char *path, const crs_item *item, crs_put *put, crease_error *e);

#endif
