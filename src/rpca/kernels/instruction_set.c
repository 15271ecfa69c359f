/* SPDX-License-Identifier: MIT
 * instruction_set: which of the compiled kernels this processor can run */
#include "rpca/kernels/kernels.h"

bool crs_processor_has(int k)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (k == CRS_AVX512) return __builtin_cpu_supports("avx512f") != 0;
    if (k == CRS_AVX2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return k == CRS_BASE;
}
