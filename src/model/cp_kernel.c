/* SPDX-License-Identifier: MIT
 * cp_kernel: which of the compiled kernels this processor can run */
#include "model/cp_kernel.h"

#if defined(__x86_64__)
static bool runs(int k)
{
    __builtin_cpu_init();
    if (k == 0) return __builtin_cpu_supports("avx512f") != 0;
    if (k == 1) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return true;
}

static const crs_cp_kernel *const kernels[][2] = {
    { &crs_cp_kernel_avx512, &crs_cp_kernel_avx512_single },
    { &crs_cp_kernel_avx2, &crs_cp_kernel_avx2_single },
    { &crs_cp_kernel_base, &crs_cp_kernel_base_single }
};
#else
static bool runs(int k) { return k == 0; }
static const crs_cp_kernel *const kernels[][2] = { { &crs_cp_kernel_base,
                                                     &crs_cp_kernel_base_single } };
#endif

const crs_cp_kernel *crs_cp_kernel_at(bool single, int k)
{
    for (int i = 0; i < (int)(sizeof kernels / sizeof *kernels); i++)
        if (runs(i) && k-- == 0) return kernels[i][single];
    return NULL;
}
