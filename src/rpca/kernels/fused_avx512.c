/* SPDX-License-Identifier: MIT
 * fused_avx512: the fused iteration's kernels with eight doubles per vector */
#include "rpca/kernels/kernels.h"

#if defined(__AVX512F__)
#include "rpca/kernels/lanes_avx512.h"

#define KERNEL      crs_cp_kernel_avx512
#define KERNEL_NAME "avx512"
#include "rpca/kernels/fused.inc"
#endif
