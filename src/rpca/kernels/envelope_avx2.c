/* SPDX-License-Identifier: MIT
 * envelope_avx2: the envelope's kernels with four doubles per vector and fused multiply-add */
#include "rpca/kernels/kernels.h"

#if defined(__AVX2__) && defined(__FMA__)
#include "rpca/kernels/lanes_avx2.h"

#define KERNEL      crs_envelope_kernel_avx2
#define KERNEL_NAME "avx2"
#include "rpca/kernels/envelope.inc"
#endif
