/* SPDX-License-Identifier: MIT
 * dispatch: which of the compiled kernels this processor can run */
#include "rpca/kernels/kernels.h"

/* The instruction sets kernels are compiled for, the fastest first. */
#if defined(__x86_64__)
enum { AVX512, AVX2, BASE, INSTRUCTION_SETS };
#else
enum { BASE, INSTRUCTION_SETS };
#endif

static const struct {
    const crs_cp_kernel *fused, *fused_single;
    const crs_envelope_kernel *envelope;
} kernels[INSTRUCTION_SETS] = {
#if defined(__x86_64__)
    [AVX512] = { &crs_cp_kernel_avx512, &crs_cp_kernel_avx512_single, &crs_envelope_kernel_avx512 },
    [AVX2] = { &crs_cp_kernel_avx2, &crs_cp_kernel_avx2_single, &crs_envelope_kernel_avx2 },
#endif
    [BASE] = { &crs_cp_kernel_base, &crs_cp_kernel_base_single, &crs_envelope_kernel_base }
};

static bool processor_has(int set)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (set == AVX512) return __builtin_cpu_supports("avx512f") != 0;
    if (set == AVX2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return set == BASE;
}

/* The k-th set this processor has; INSTRUCTION_SETS: no more. */
static int set_at(int k)
{
    int set = 0;
    for (; set < INSTRUCTION_SETS; set++)
        if (processor_has(set) && k-- == 0) break;
    return set;
}

const crs_cp_kernel *crs_cp_kernel_at(bool single, int k)
{
    const int set = set_at(k);
    if (set == INSTRUCTION_SETS) return NULL;
    return single ? kernels[set].fused_single : kernels[set].fused;
}

const crs_envelope_kernel *crs_envelope_kernel_at(int k)
{
    const int set = set_at(k);
    return set == INSTRUCTION_SETS ? NULL : kernels[set].envelope;
}
