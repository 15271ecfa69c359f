/* SPDX-License-Identifier: MIT
 * bands: independent pieces by OpenMP where the compiler has it, otherwise in order */
#include "verify/bands.h"

#if defined(_OPENMP)
#include <omp.h>
#define SHARED _Pragma("omp parallel for schedule(dynamic, 1) num_threads(threads)")
static int all_threads(void) { return omp_get_max_threads(); }
#else
#define SHARED
static int all_threads(void) { return 1; }
#endif

void crs_bands(int threads, ptrdiff_t count, void (*run)(void *self, ptrdiff_t k), void *self)
{
    const int most = all_threads();
    if (threads < 1 || threads > most) threads = most;
    if (threads > count) threads = count > 1 ? (int)count : 1;
    SHARED
    for (ptrdiff_t k = 0; k < count; k++) run(self, k);
}
