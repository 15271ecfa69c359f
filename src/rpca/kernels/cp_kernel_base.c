/* SPDX-License-Identifier: MIT
 * cp_kernel_base: the kernels in plain C, for any processor */
#include "rpca/kernels/cp_kernel.h"

typedef double real;
#include "rpca/kernels/cp_plain.inc"

#define KERNEL      crs_cp_kernel_base
#define KERNEL_NAME "base"
#include "rpca/kernels/cp_kernel.inc"
