/* SPDX-License-Identifier: MIT
 * hash: SHA-256 (FIPS 180-4) of bytes, arrays and files, by nettle or sha256.c: neither takes
 * memory, so that a hash cannot fail. Of an array of several slabs (slab/slab.h) it is the hash of
 * their hashes, so that slabs can be hashed in any order. */
#include "io/stream/stream.h"

void crs_hash_begin(crs_hash *h) { sha256_init(h); }

void crs_hash_add(crs_hash *h, const void *data, size_t n) { sha256_update(h, n, data); }

static void end_as(crs_hash *h, const char *name, char text[CRS_HASH])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(h, sizeof digest, digest);
    size_t used = (size_t)snprintf(text, CRS_HASH, "%s:", name);
    for (size_t k = 0; k < sizeof digest; k++)
        used += (size_t)snprintf(text + used, CRS_HASH - used, "%02x", digest[k]);
}

void crs_hash_end(crs_hash *h, char text[CRS_HASH]) { end_as(h, "sha256", text); }

/* A whole number as 8 bytes, the least first. */
static void add_whole(crs_hash *h, ptrdiff_t x)
{
    unsigned char bytes[8];
    for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)((uint64_t)x >> (8 * k));
    crs_hash_add(h, bytes, sizeof bytes);
}

void crs_hash_shape(crs_hash *h, const crease_space *s)
{
    crs_hash_begin(h);
    add_whole(h, s->order);
    for (int k = 0; k < s->order; k++) add_whole(h, s->dim[k]);
}

void crs_hash_entries(crs_hash *h, ptrdiff_t n, const double *x, const unsigned char *seen)
{
    enum { PIECE = 1024 };
    double piece[PIECE];
    for (ptrdiff_t at = 0; at < n; at += PIECE) {
        const ptrdiff_t now = fewer(PIECE, n - at);
        for (ptrdiff_t k = at; k < at + now; k++)
            piece[k - at] = isnan(x[k]) || (seen && !seen[k]) ? (double)NAN : x[k];
        crs_hash_add(h, piece, (size_t)now * sizeof *piece);
    }
}

void crs_hash_slabs(crs_hash *h, bool several, char text[CRS_HASH])
{
    end_as(h, several ? "sha256/slabs" : "sha256", text);
}

void crs_hash_words(crs_hash *h, int64_t word[CRS_SLAB_WORDS])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(h, sizeof digest, digest);
    for (int k = 0; k < CRS_SLAB_WORDS; k++)
        word[k] = (int64_t)crs_number_bits(4, false, digest + 4 * k);
}

void crs_hash_from_words(const crease_space *s, ptrdiff_t slabs, const int64_t *word,
                         char text[CRS_HASH])
{
    crs_hash h;
    crs_hash_shape(&h, s);
    for (ptrdiff_t k = 0; k < CRS_SLAB_WORDS * slabs; k++) {
        unsigned char bytes[4];
        crs_number_put(4, (uint64_t)word[k], bytes);
        crs_hash_add(&h, bytes, sizeof bytes);
    }
    crs_hash_slabs(&h, true, text);
}

static void begin_slab(crs_entries_hash *h, ptrdiff_t k)
{
    const crs_slab s = crs_slab_at(&h->cut, k);
    h->k = k;
    h->left = crease_size(&s.shape);
    crs_hash_begin(&h->slab);
}

static void end_slab(crs_entries_hash *h)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    if (h->word) {
        crs_hash_words(&h->slab, h->word + CRS_SLAB_WORDS * h->k);
        return;
    }
    sha256_digest(&h->slab, sizeof digest, digest);
    crs_hash_add(&h->all, digest, sizeof digest);
}

void crs_array_hash_begin(crs_entries_hash *h, const crease_space *s, bool whole)
{
    *h = (crs_entries_hash){ .cut = crs_partition_of(s) };
    h->several = !whole && h->cut.count > 1;
    crs_hash_shape(&h->all, s);
    begin_slab(h, 0);
}

void crs_array_hash_part(crs_entries_hash *h, const crease_space *s, ptrdiff_t k, int64_t *word)
{
    *h = (crs_entries_hash){ .cut = crs_partition_of(s), .several = true, .word = word };
    if (k < h->cut.count) begin_slab(h, k);
}

void crs_array_hash_add(crs_entries_hash *h, ptrdiff_t n, const double *x)
{
    if (!h->several) crs_hash_entries(&h->all, n, x, NULL);
    for (ptrdiff_t at = 0, now; h->several && at < n; at += now) {
        now = fewer(n - at, h->left);
        crs_hash_entries(&h->slab, now, x + at, NULL);
        h->left -= now;
        if (h->left == 0) end_slab(h);
        if (h->left == 0 && h->k + 1 < h->cut.count) begin_slab(h, h->k + 1);
    }
}

/* Sparse rows, zeros and all: as the same matrix made dense; of one that no reader would make dense
 * the entries with their places. */
static void add_sparse(crs_entries_hash *h, const crs_array *a)
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
                piece[a->col[k] - low] = a->value[k];
            crs_array_hash_add(h, now, piece);
        }
        if (whole) continue;
        add_whole(&h->all, a->start[i + 1]);
        for (; k < a->start[i + 1]; k++) {
            add_whole(&h->all, a->col[k]);
            crs_hash_add(&h->all, &a->value[k], sizeof a->value[k]);
        }
    }
}

static void hash_list(const crs_coordinates *c, char text[CRS_HASH])
{
    crs_hash h;
    crs_hash_shape(&h, &c->shape);
    for (ptrdiff_t i = 0, k = 0; i < c->shape.dim[c->lead]; i++)
        for (; k < c->start[i + 1]; k++) {
            ptrdiff_t at[CREASE_MAX_ORDER];
            add_whole(&h, crs_coordinates_place(c, i, k, at));
            crs_hash_add(&h, &c->value[k], sizeof c->value[k]);
        }
    end_as(&h, "sha256/entries", text);
}

void crs_array_hash(const crs_array *a, char hash[CRS_HASH])
{
    crs_entries_hash h;
    if (a->list) {
        hash_list(a->list, hash);
        return;
    }
    crs_array_hash_begin(&h, &a->shape, false);
    if (a->value)
        add_sparse(&h, a);
    else
        crs_array_hash_add(&h, crease_size(&a->shape), a->data);
    crs_hash_slabs(&h.all, h.several, hash);
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
