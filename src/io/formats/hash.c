/* SPDX-License-Identifier: MIT
 * hash: SHA-256 (FIPS 180-4) of bytes, arrays and files, by nettle or sha256.c: neither takes
 * memory, so that a hash cannot fail */
#include "io/formats/io.h"

void crs_hash_begin(crs_hash *h) { sha256_init(h); }

void crs_hash_add(crs_hash *h, const void *data, size_t n) { sha256_update(h, n, data); }

void crs_hash_end(crs_hash *h, char text[CRS_HASH])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(h, sizeof digest, digest);
    size_t used = (size_t)snprintf(text, CRS_HASH, "sha256:");
    for (size_t k = 0; k < sizeof digest; k++)
        used += (size_t)snprintf(text + used, CRS_HASH - used, "%02x", digest[k]);
}

/* A whole number as 8 bytes, the least first. */
static void add_whole(crs_hash *h, ptrdiff_t x)
{
    unsigned char bytes[8];
    for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)((uint64_t)x >> (8 * k));
    crs_hash_add(h, bytes, sizeof bytes);
}

/* Sparse rows, zeros and all: as the same matrix made dense; of one that no reader would make dense
 * the entries with their places. */
static void add_sparse(crs_hash *h, const crs_array *a)
{
    enum { PIECE = 1024 };
    const ptrdiff_t rows = a->shape.dim[0], cols = a->shape.dim[1];
    const bool whole = rows <= CRS_MOST_DENSE / cols;
    double piece[PIECE];
    for (ptrdiff_t i = 0, k = 0; i < rows; i++) {
        for (ptrdiff_t low = 0; whole && low < cols; low += PIECE) {
            const ptrdiff_t now = cols - low < PIECE ? cols - low : PIECE;
            fill(now, 0, piece);
            for (; k < a->start[i + 1] && a->col[k] < low + now; k++)
                piece[a->col[k] - low] = isnan(a->value[k]) ? (double)NAN : a->value[k];
            crs_hash_add(h, piece, (size_t)now * sizeof *piece);
        }
        if (whole) continue;
        add_whole(h, a->start[i + 1]);
        for (; k < a->start[i + 1]; k++) {
            add_whole(h, a->col[k]);
            crs_hash_add(h, &a->value[k], sizeof a->value[k]);
        }
    }
}

void crs_array_hash_begin(crs_hash *h, const crease_space *s)
{
    crs_hash_begin(h);
    add_whole(h, s->order);
    for (int k = 0; k < s->order; k++) add_whole(h, s->dim[k]);
}

void crs_array_hash_add(crs_hash *h, ptrdiff_t count, const double *x)
{
    enum { PIECE = 1024 };
    double piece[PIECE];
    for (ptrdiff_t at = 0; at < count; at += PIECE) {
        const ptrdiff_t now = count - at < PIECE ? count - at : PIECE;
        for (ptrdiff_t k = 0; k < now; k++) piece[k] = isnan(x[at + k]) ? (double)NAN : x[at + k];
        crs_hash_add(h, piece, (size_t)now * sizeof *piece);
    }
}

void crs_array_hash(const crs_array *a, char hash[CRS_HASH])
{
    crs_hash h;
    crs_array_hash_begin(&h, &a->shape);
    if (a->value)
        add_sparse(&h, a);
    else
        crs_array_hash_add(&h, crease_size(&a->shape), a->data);
    crs_hash_end(&h, hash);
}

bool crs_hash_file(crs_hash *h, const char *path, long long *bytes, crease_error *e)
{
    unsigned char piece[1 << 16];
    size_t n;
    FILE *f = crs_open(path, e);
    *bytes = 0;
    if (!f) return false;
    while ((n = fread(piece, 1, sizeof piece, f)) > 0) {
        crs_hash_add(h, piece, n);
        *bytes += (long long)n;
    }
    const bool read = !ferror(f) || crs_fail_read(path, (size_t)*bytes, e);
    fclose(f);
    return read;
}

bool crs_stamp_read(const char *path, crs_stamp *s, crease_error *e)
{
    crs_hash h;
    crs_hash_begin(&h);
    const bool done = crs_hash_file(&h, path, &s->bytes, e);
    crs_hash_end(&h, s->hash);
    return done;
}
