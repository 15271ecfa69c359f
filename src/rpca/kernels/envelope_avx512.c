/* SPDX-License-Identifier: MIT
 * envelope_avx512: the envelope's kernels with eight doubles per vector */
#include "rpca/kernels/kernels.h"

#if defined(__AVX512F__)
#include "rpca/kernels/lanes_avx512.h"

#define KERNEL      crs_envelope_kernel_avx512
#define KERNEL_NAME "avx512"
#include "rpca/kernels/envelope.inc"
#endif
