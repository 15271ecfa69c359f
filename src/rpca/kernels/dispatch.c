/* SPDX-License-Identifier: MIT
 * cp_kernel: the kernels of the fused iterations, by instruction set */
#include "rpca/kernels/kernels.h"

static const crs_cp_kernel *const kernels[CRS_INSTRUCTION_SETS][2] = {
#if defined(__x86_64__)
    [CRS_AVX512] = { &crs_cp_kernel_avx512, &crs_cp_kernel_avx512_single },
    [CRS_AVX2] = { &crs_cp_kernel_avx2, &crs_cp_kernel_avx2_single },
#endif
    [CRS_BASE] = { &crs_cp_kernel_base, &crs_cp_kernel_base_single }
};

const crs_cp_kernel *crs_cp_kernel_at(bool single, int k)
{
    for (int i = 0; i < CRS_INSTRUCTION_SETS; i++)
        if (crs_processor_has(i) && k-- == 0) return kernels[i][single];
    return NULL;
}
