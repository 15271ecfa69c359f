/* SPDX-License-Identifier: MIT
 * pursuit: exact ADMM of principal component pursuit with its own proof: an engine of that model
 * (rpca/pursuit), no method for problems in blocks */
#include "method/method.h"

const crs_method crs_method_pursuit = {
    .elsewhere = "pursuit is a method of principal component pursuit alone (crease rpca --model "
                 "pcp); use auto",
    .reads = CRS_READS_ALWAYS,
};
