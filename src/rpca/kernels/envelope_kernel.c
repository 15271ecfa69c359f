/* SPDX-License-Identifier: MIT
 * envelope_kernel: the kernels of the envelope, by instruction set */
#include "rpca/kernels/envelope_kernel.h"

static const crs_envelope_kernel *const kernels[CRS_INSTRUCTION_SETS] = {
#if defined(__x86_64__)
    [CRS_AVX512] = &crs_envelope_kernel_avx512,
    [CRS_AVX2] = &crs_envelope_kernel_avx2,
#endif
    [CRS_BASE] = &crs_envelope_kernel_base
};

const crs_envelope_kernel *crs_envelope_kernel_at(int k)
{
    for (int i = 0; i < CRS_INSTRUCTION_SETS; i++)
        if (crs_processor_has(i) && k-- == 0) return kernels[i];
    return NULL;
}
