/* SPDX-License-Identifier: MIT
 * foreground: what moves in front of a background x_i y_j, by the residuals r_ij = t_ij - x_i y_j
 * of pixel i in frame j
 *
 * s_i = 1.4826 median_j |r_ij| is the noise of a pixel (1.4826: the standard deviation of normal
 * numbers from their median), s the median of the s_i. An entry is foreground when
 * |r_ij| > K max(s_i, s): restless pixels have a bound of their own, and no pixel a lower one than
 * most. Where nothing was observed r_ij is NaN, which is no foreground.
 *
 * A mask is cleaned by the median of an odd square around each pixel of a frame, which for zeros
 * and ones is the majority; at the border of those pixels of the square that there are. */
#include "rpca/rpca.h"

double crs_pixel_noise(ptrdiff_t frames, const double *rest, double *work)
{
    ptrdiff_t seen = 0;
    for (ptrdiff_t j = 0; j < frames; j++)
        if (!isnan(rest[j])) work[seen++] = fabs(rest[j]);
    return 1.4826 * crs_median(seen, work);
}

double crs_pixel_bounds(ptrdiff_t pixels, double beyond, double least, double *noise, double *work)
{
    ptrdiff_t seen = 0;
    for (ptrdiff_t i = 0; i < pixels; i++)
        if (!isnan(noise[i])) work[seen++] = noise[i];
    const double usual = crs_median(seen, work);
    for (ptrdiff_t i = 0; i < pixels; i++)
        noise[i] = beyond * larger(larger(noise[i], usual), least);
    return usual;
}

/* sum[r][c]: of the frame's pixels above row r and left of column c */
static void sum_up(const crease_space *shape, ptrdiff_t frame, const unsigned char *mask, int *sum)
{
    const ptrdiff_t rows = shape->dim[0], columns = shape->dim[1], frames = shape->dim[2];
    for (ptrdiff_t c = 0; c <= columns; c++) sum[c] = 0;
    for (ptrdiff_t r = 0; r < rows; r++) {
        const int *above = sum + r * (columns + 1);
        int *here = sum + (r + 1) * (columns + 1), along = 0;
        here[0] = 0;
        for (ptrdiff_t c = 0; c < columns; c++) {
            along += mask[(r * columns + c) * frames + frame];
            here[c + 1] = above[c + 1] + along;
        }
    }
}

void crs_mask_clean(const crease_space *shape, ptrdiff_t frame, ptrdiff_t side, unsigned char *mask,
                    int *sum)
{
    const ptrdiff_t rows = shape->dim[0], columns = shape->dim[1], half = side / 2;
    sum_up(shape, frame, mask, sum);
    for (ptrdiff_t k = 0; k < rows * columns; k++) {
        const ptrdiff_t r = k / columns, c = k % columns;
        const ptrdiff_t top = r < half ? 0 : r - half, end = fewer(r + half + 1, rows);
        const ptrdiff_t left = c < half ? 0 : c - half, right = fewer(c + half + 1, columns);
        const int *low = sum + end * (columns + 1), *high = sum + top * (columns + 1);
        const ptrdiff_t ones = low[right] - low[left] - high[right] + high[left];
        mask[k * shape->dim[2] + frame] = 2 * ones > (end - top) * (right - left);
    }
}
