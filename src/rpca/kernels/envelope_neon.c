/* SPDX-License-Identifier: MIT
 * envelope_neon: the envelope's kernels with two doubles per vector */
#include "rpca/kernels/kernels.h"

#if defined(__aarch64__)
#include "rpca/kernels/lanes_neon.h"

#define KERNEL      crs_envelope_kernel_neon
#define KERNEL_NAME "neon"
#include "rpca/kernels/envelope.inc"
#endif
