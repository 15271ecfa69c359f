/* SPDX-License-Identifier: MIT
 * envelope_base: the envelope's kernels in plain C, for any processor */
#include "rpca/kernels/kernels.h"

typedef double real;
#include "rpca/kernels/lanes_base.h"

#define KERNEL      crs_envelope_kernel_base
#define KERNEL_NAME "base"
#include "rpca/kernels/envelope.inc"
