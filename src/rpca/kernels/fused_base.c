/* SPDX-License-Identifier: MIT
 * fused_base: the fused iteration's kernels in plain C, for any processor */
#include "rpca/kernels/kernels.h"

typedef double real;
#include "rpca/kernels/lanes_base.h"

#define KERNEL      crs_cp_kernel_base
#define KERNEL_NAME "base"
#include "rpca/kernels/fused.inc"
