/* SPDX-License-Identifier: MIT
 * envelope: descent on the factors of CP robust PCA, all else eliminated: an engine of that model
 * (rpca/envelope), no method for problems in blocks */
#include "method/method.h"

const crs_method crs_method_envelope = {
    .elsewhere = "envelope is a method of CP robust PCA alone (crease rpca); use auto",
    .reads = CRS_READS_ALWAYS,
};
