/* SPDX-License-Identifier: MIT
 * cp_kernel_base_single: the kernels in plain C for tensors stored as float */
#include "rpca/kernels/cp_kernel.h"

typedef float real;
#include "rpca/kernels/cp_plain.inc"

#define KERNEL      crs_cp_kernel_base_single
#define KERNEL_NAME "base single"
#include "rpca/kernels/cp_kernel.inc"
