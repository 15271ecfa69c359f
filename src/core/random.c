/* SPDX-License-Identifier: MIT
 * random: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as
 * 1, 2, 3; SC 2011). Key: the seed. Counter: (index, stream). */
#include <crease/random.h>

#include "core/core.h"
#include "core/streams.h"

typedef struct {
    uint32_t v[4];
} quad;

static quad philox(crease_random r, uint64_t index)
{
    const uint32_t mul0 = 0xD2511F53u, mul1 = 0xCD9E8D57u, weyl0 = 0x9E3779B9u, weyl1 = 0xBB67AE85u;
    uint32_t k0 = (uint32_t)r.seed, k1 = (uint32_t)(r.seed >> 32);
    quad c = { { (uint32_t)index, (uint32_t)(index >> 32), (uint32_t)r.stream,
                 (uint32_t)(r.stream >> 32) } };
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)mul0 * c.v[0], p1 = (uint64_t)mul1 * c.v[2];
        c = (quad){ { (uint32_t)(p1 >> 32) ^ c.v[1] ^ k0, (uint32_t)p1,
                      (uint32_t)(p0 >> 32) ^ c.v[3] ^ k1, (uint32_t)p0 } };
        k0 += weyl0;
        k1 += weyl1;
    }
    return c;
}

static uint64_t join(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }
static double unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; } /* [0,1) */

uint64_t crease_random_bits(crease_random r, uint64_t index)
{
    const quad c = philox(r, index);
    return join(c.v[0], c.v[1]);
}

double crease_random_uniform(crease_random r, uint64_t index)
{
    return unit(crease_random_bits(r, index));
}

double crease_random_normal(crease_random r, uint64_t index)
{
    const quad c = philox(r, index);
    const double u = 1 - unit(join(c.v[0], c.v[1])),
                 v = unit(join(c.v[2], c.v[3])); /* u in (0,1] */
    return sqrt(-2 * log(u)) * cos(6.283185307179586476925 * v);
}

uint64_t crease_random_below(crease_random r, uint64_t index, uint64_t n)
{
    /* Rejection from the largest multiple of n; further draws come from streams of their own. */
    const uint64_t limit = UINT64_MAX - (UINT64_MAX % n + 1) % n;
    for (uint64_t draw = 0;; draw++) {
        const crease_random s = { r.seed, r.stream ^ draw << 32 };
        const uint64_t bits = crease_random_bits(s, index);
        if (bits <= limit) return bits % n;
    }
}

void crease_random_permutation(crease_random r, ptrdiff_t n, ptrdiff_t *p)
{
    for (ptrdiff_t j = 0; j < n; j++) p[j] = j;
    for (ptrdiff_t j = n - 1; j > 0; j--) { /* Fisher-Yates */
        const ptrdiff_t k = (ptrdiff_t)crease_random_below(r, (uint64_t)j, (uint64_t)j + 1);
        const ptrdiff_t t = p[j];
        p[j] = p[k];
        p[k] = t;
    }
}

void crease_random_sample(crease_random r, ptrdiff_t n, ptrdiff_t k, ptrdiff_t *out)
{
    ptrdiff_t taken = 0;
    for (ptrdiff_t j = 0; j < n && taken < k; j++) { /* Knuth, Algorithm 3.4.2 S */
        const uint64_t left = (uint64_t)(n - j), wanted = (uint64_t)(k - taken);
        if (crease_random_below(r, (uint64_t)j, left) < wanted) out[taken++] = j;
    }
}

void crs_normals(uint64_t seed, uint64_t stream, ptrdiff_t n, double *x)
{
    const crease_random r = { seed, stream };
    for (ptrdiff_t j = 0; j < n; j++) x[j] = crease_random_normal(r, (uint64_t)j);
}
