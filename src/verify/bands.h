/* SPDX-License-Identifier: MIT
 * bands.h: independent pieces of a check on several threads */
#ifndef CRS_VERIFY_BANDS_H
#define CRS_VERIFY_BANDS_H

#include <stddef.h>

/* run(self, k) for 0 <= k < count, on so many threads (0: all there are). Each piece writes to
 * places of its own, so that the number of threads changes nothing. */
void crs_bands(int threads, ptrdiff_t count, void (*run)(void *self, ptrdiff_t k), void *self);

#endif
