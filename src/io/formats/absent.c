/* SPDX-License-Identifier: MIT
 * absent: the formats whose library this build does not have; the reader says which one they need
 */
#include "io/formats/io.h"

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
