/* SPDX-License-Identifier: MIT
 * fused_neon: the fused iteration's kernels with two doubles per vector */
#include "rpca/kernels/kernels.h"

#if defined(__aarch64__)
#include "rpca/kernels/lanes_neon.h"

#define KERNEL      crs_cp_kernel_neon
#define KERNEL_NAME "neon"
#include "rpca/kernels/fused.inc"
#endif
