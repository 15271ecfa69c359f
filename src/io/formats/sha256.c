/* SPDX-License-Identifier: MIT
 * sha256: SHA-256 by its definition, FIPS 180-4, for builds without nettle (which is three times as
 * fast and more). K are the first 32 bits of the fractions of the cube roots of the first 64
 * primes, the first state those of the square roots of the first 8. */
#include "io/formats/sha256.h"

#ifndef CREASE_NETTLE
#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

static uint32_t turned(uint32_t x, int n) { return x >> n | x << (32 - n); }

/* W_t = the words of the block, then s1(W_{t-2}) + W_{t-7} + s0(W_{t-15}) + W_{t-16} */
static void schedule(const uint8_t *block, uint32_t W[64])
{
    for (int t = 0; t < 16; t++)
        W[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        const uint32_t a = W[t - 15], b = W[t - 2];
        W[t] = W[t - 16] + W[t - 7] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) +
               (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
}

static void compress(uint32_t state[8], const uint8_t *block)
{
    uint32_t W[64], v[8];
    schedule(block, W);
    memcpy(v, state, sizeof v);
    for (int t = 0; t < 64; t++) {
        const uint32_t a = v[0], e = v[4];
        const uint32_t one = v[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                             ((e & v[5]) ^ (~e & v[6])) + K[t] + W[t];
        const uint32_t two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) +
                             ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (int k = 0; k < 8; k++) state[k] += v[k];
}

void sha256_init(struct sha256_ctx *c)
{
    static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    memcpy(c->state, first, sizeof first);
    c->count = 0;
}

void sha256_update(struct sha256_ctx *c, size_t length, const uint8_t *data)
{
    while (length > 0) {
        const size_t used = c->count % 64, left = 64 - used, now = length < left ? length : left;
        memcpy(c->block + used, data, now);
        c->count += now;
        data += now;
        length -= now;
        if (now == left) compress(c->state, c->block);
    }
}

/* A bit, zeros, and the number of bits in the last 8 bytes of a block. */
void sha256_digest(struct sha256_ctx *c, size_t length, uint8_t *digest)
{
    static const uint8_t padding[64] = { 0x80 };
    const uint64_t bits = 8 * c->count;
    uint8_t tail[8];
    for (int k = 0; k < 8; k++) tail[k] = (uint8_t)(bits >> (56 - 8 * k));
    sha256_update(c, 1 + (119 - c->count % 64) % 64, padding);
    sha256_update(c, sizeof tail, tail);
    for (size_t k = 0; k < length; k++)
        digest[k] = (uint8_t)(c->state[k / 4] >> (24 - 8 * (k % 4)));
    sha256_init(c);
}
#endif
