/* SPDX-License-Identifier: MIT
 * absent: the formats whose library this build does not have; the reader says which one they need
 */
#include "io/formats/image.h"

#ifndef CREASE_HDF5
static bool is_hdf5(const unsigned char *head, size_t n)
{
    return n >= 10 &&
           (memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0 || memcmp(head, "MATLAB 7.3", 10) == 0);
}
const crs_format crs_hdf5_format = {
    .name = "h5",
    .endings = ".h5 .hdf5 .he5 .nc .nc4",
    .text = "HDF5, netCDF-4 and MATLAB 7.3",
    .begins = is_hdf5,
    .needs = "HDF5; install libhdf5-dev and build again",
};
#endif

#ifndef CREASE_MATIO
static bool is_mat(const unsigned char *head, size_t n)
{
    return n >= 10 && memcmp(head, "MATLAB 5.0", 10) == 0;
}
const crs_format crs_mat_format = {
    .name = "mat",
    .endings = ".mat",
    .text = "MATLAB 5 and 7",
    .begins = is_mat,
    .needs = "MAT files; install libmatio-dev and build again",
};
#endif

#ifndef CREASE_PNG
static bool is_png(const unsigned char *head, size_t n)
{
    return n >= 8 && memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0;
}
bool crs_png_load(FILE *f, const char *name, crs_image *out, crease_error *e)
{
    (void)f;
    *out = (crs_image){ .sample = NULL };
    return crs_fail(e, CREASE_UNSUPPORTED, "%.200s: this build has no %s", name,
                    crs_png_format.needs);
}
const crs_format crs_png_format = {
    .name = "png",
    .endings = ".png",
    .text = "PNG images",
    .begins = is_png,
    .needs = "PNG; install libpng-dev and build again",
    .opens = true,
};
#endif

#ifndef CREASE_TIFF
static bool is_tiff(const unsigned char *head, size_t n)
{
    return n >= 4 && (memcmp(head, "II*\0", 4) == 0 || memcmp(head, "MM\0*", 4) == 0);
}
bool crs_tiff_load(const char *path, crs_image *out, crease_error *e)
{
    *out = (crs_image){ .sample = NULL };
    return crs_fail(e, CREASE_UNSUPPORTED, "%.200s: this build has no %s", path,
                    crs_tiff_format.needs);
}
const crs_format crs_tiff_format = {
    .name = "tiff",
    .endings = ".tif .tiff",
    .text = "TIFF images and stacks",
    .begins = is_tiff,
    .needs = "TIFF; install libtiff-dev and build again",
    .opens = true,
};
#endif
