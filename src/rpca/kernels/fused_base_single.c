/* SPDX-License-Identifier: MIT
 * fused_base_single: the fused iteration's kernels in plain C for tensors stored as float */
#include "rpca/kernels/kernels.h"

typedef float real;
#include "rpca/kernels/lanes_base.h"

#define KERNEL      crs_cp_kernel_base_single
#define KERNEL_NAME "base single"
#include "rpca/kernels/fused.inc"
