/* SPDX-License-Identifier: MIT
 * cp_kernel_base: the kernels in plain C, for any processor */
#include "model/cp_kernel.h"

typedef double real;
#include "model/cp_plain.inc"

#define KERNEL      crs_cp_kernel_base
#define KERNEL_NAME "base"
#include "model/cp_kernel.inc"
