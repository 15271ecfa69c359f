/* SPDX-License-Identifier: MIT
 * sha256.h: SHA-256 (FIPS 180-4) as the library nettle has it; in builds without nettle sha256.c
 * is in its place */
#ifndef CRS_SHA256_H
#define CRS_SHA256_H

#ifdef CREASE_NETTLE
#include <nettle/sha2.h>
#else
#include <stddef.h>
#include <stdint.h>

#define SHA256_DIGEST_SIZE 32

struct sha256_ctx {
    uint32_t state[8];
    uint64_t count; /* of bytes */
    uint8_t block[64];
};
void sha256_init(struct sha256_ctx *c);
void sha256_update(struct sha256_ctx *c, size_t length, const uint8_t *data);
void sha256_digest(struct sha256_ctx *c, size_t length, uint8_t *digest);
#endif

#endif
