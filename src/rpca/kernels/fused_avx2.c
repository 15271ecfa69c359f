/* SPDX-License-Identifier: MIT
 * fused_avx2: the fused iteration's kernels with four doubles per vector and fused multiply-add */
#include "rpca/kernels/kernels.h"

#if defined(__AVX2__) && defined(__FMA__)
#include "rpca/kernels/lanes_avx2.h"

#define KERNEL      crs_cp_kernel_avx2
#define KERNEL_NAME "avx2"
#include "rpca/kernels/fused.inc"
#endif
