/* SPDX-License-Identifier: MIT
 * packed: streams that unpack what they read and pack what they are given: gzip (RFC 1952, also
 * several in a row), and raw deflate (RFC 1951) or plain bytes of an archive, with size and CRC-32.
 * What grows more than a thousandfold is refused; so is all but plain bytes in a build without
 * zlib. A failed read leaves EBADMSG or EFBIG in errno, for crs_fail_read. */
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>

#ifdef CREASE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif

#include "io/formats/io.h"

enum { CHUNK = 1 << 15, MOST_RATIO = 1000, ALWAYS = 1 << 20 };

uint32_t crs_crc32(uint32_t sum, const void *data, size_t n)
{
    static const uint32_t nibble[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    const unsigned char *p = data;
    sum = ~sum;
    for (size_t k = 0; k < n; k++) {
        sum = nibble[(sum ^ p[k]) & 15] ^ sum >> 4;
        sum = nibble[(sum ^ (uint32_t)(p[k] >> 4)) & 15] ^ sum >> 4;
    }
    return ~sum;
}

static ssize_t refuse(int why) { return errno = why, -1; }

typedef struct {
    crs_zipped p;
    uint64_t taken, given; /* packed and unpacked bytes so far */
    uint32_t crc;
    bool ended;
#ifdef CREASE_ZLIB
    z_stream z;
    unsigned char in[CHUNK];
#endif
} unpacker;

/* What an archive says of its member holds at the end of it. */
static bool agrees(const unpacker *u)
{
    return u->p.packing == CRS_GZIP || (u->given == u->p.whole && u->crc == u->p.crc);
}

static ssize_t count_bytes(unpacker *u, const char *out, size_t n)
{
    u->given += n;
    if (u->p.packing != CRS_GZIP) u->crc = crs_crc32(u->crc, out, n);
    if (u->given > ALWAYS && u->given / MOST_RATIO > u->taken) return refuse(EFBIG);
    if (u->p.packing != CRS_GZIP && u->given > u->p.whole) return refuse(EBADMSG);
    if (u->ended && !agrees(u)) return refuse(EBADMSG);
    return (ssize_t)n;
}

static ssize_t read_plain(void *self, char *out, size_t n)
{
    unpacker *u = self;
    const uint64_t left = u->p.bytes - u->taken;
    const size_t now = left < n ? (size_t)left : n, got = fread(out, 1, now, u->p.f);
    if (got < now) return ferror(u->p.f) ? -1 : refuse(EBADMSG);
    u->taken += got;
    u->ended = u->taken == u->p.bytes;
    return count_bytes(u, out, got);
}

#ifdef CREASE_ZLIB

/* More packed bytes, none at the end of them. */
static bool feed(unpacker *u)
{
    const uint64_t left = u->p.bytes - u->taken;
    if (u->z.avail_in > 0) return true;
    const size_t got = fread(u->in, 1, left < CHUNK ? (size_t)left : CHUNK, u->p.f);
    u->taken += got;
    u->z.next_in = u->in;
    u->z.avail_in = (uInt)got;
    return !ferror(u->p.f);
}

/* After one gzip: another, or bytes that are none and are ignored. */
static bool next_member(unpacker *u)
{
    if (u->p.packing != CRS_GZIP) return u->ended = true;
    if (!feed(u)) return false;
    u->ended = u->z.avail_in == 0 || u->z.next_in[0] != 0x1f;
    return u->ended || inflateReset(&u->z) == Z_OK;
}

static ssize_t read_packed(void *self, char *out, size_t n)
{
    unpacker *u = self;
    u->z.next_out = (Bytef *)out;
    u->z.avail_out = n < CHUNK ? (uInt)n : CHUNK;
    const uInt room = u->z.avail_out;
    while (!u->ended && u->z.avail_out == room) {
        if (!feed(u)) return -1;
        const int how = inflate(&u->z, Z_NO_FLUSH);
        if (how == Z_MEM_ERROR) return refuse(ENOMEM);
        if (how != Z_OK && how != Z_STREAM_END) return refuse(EBADMSG); /* also: it ends early */
        if (how == Z_STREAM_END && !next_member(u)) return ferror(u->p.f) ? -1 : refuse(EBADMSG);
    }
    return count_bytes(u, out, room - u->z.avail_out);
}

static int close_packed(void *self)
{
    unpacker *u = self;
    inflateEnd(&u->z);
    crs_free(u);
    return 0;
}

static void *z_take(void *self, unsigned count, unsigned size)
{
    (void)self;
    return crs_alloc(count, size);
}

static void z_give(void *self, void *p)
{
    (void)self;
    crs_free(p);
}

static bool begin_packed(unpacker *u, crease_error *e)
{
    u->z.zalloc = z_take;
    u->z.zfree = z_give;
    return inflateInit2(&u->z, u->p.packing == CRS_GZIP ? 15 + 16 : -15) == Z_OK ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: what unpacks %.200s", u->p.name);
}

typedef struct {
    FILE *to;
    z_stream z;
    unsigned char out[CHUNK];
} packer;

static bool squeeze(packer *p, const char *from, size_t n, int flush)
{
    p->z.next_in = (const Bytef *)from;
    p->z.avail_in = (uInt)n;
    int how = Z_OK;
    do {
        p->z.next_out = p->out;
        p->z.avail_out = CHUNK;
        how = deflate(&p->z, flush);
        const size_t made = CHUNK - p->z.avail_out;
        if (how == Z_STREAM_ERROR || fwrite(p->out, 1, made, p->to) != made) return false;
    } while (p->z.avail_out == 0 || (flush == Z_FINISH && how != Z_STREAM_END));
    return true;
}

static ssize_t write_packed(void *self, const char *from, size_t n)
{
    for (size_t done = 0; done < n;) {
        const size_t now = n - done < CHUNK ? n - done : CHUNK;
        if (!squeeze(self, from + done, now, Z_NO_FLUSH)) return 0;
        done += now;
    }
    return (ssize_t)n;
}

static int end_packed(void *self)
{
    packer *p = self;
    const bool done = squeeze(p, NULL, 0, Z_FINISH);
    const int why = errno;
    deflateEnd(&p->z);
    crs_free(p);
    errno = why;
    return done ? 0 : EOF;
}

FILE *crs_gzip(FILE *to)
{
    packer *p = crs_alloc(1, sizeof *p);
    FILE *f = NULL;
    if (!p) return errno = ENOMEM, NULL;
    p->to = to;
    p->z.zalloc = z_take;
    p->z.zfree = z_give;
    const bool begun = deflateInit2(&p->z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    const cookie_io_functions_t calls = { .write = write_packed, .close = end_packed };
    if (begun) f = fopencookie(p, "wb", calls);
    if (f) return f;
    if (begun) deflateEnd(&p->z);
    crs_free(p);
    return errno = ENOMEM, NULL;
}

static const cookie_io_functions_t packed_calls = { .read = read_packed, .close = close_packed };

#else

static bool begin_packed(unpacker *u, crease_error *e)
{
    return crs_fail(e, CREASE_UNSUPPORTED,
                    "%.200s is compressed and this build has no zlib; unpack it, or install "
                    "zlib1g-dev and build again",
                    u->p.name);
}

FILE *crs_gzip(FILE *to)
{
    (void)to;
    return errno = ENOTSUP, NULL;
}

static int close_plain(void *self);
static const cookie_io_functions_t packed_calls = { .close = close_plain };

#endif

static int close_plain(void *self)
{
    crs_free(self);
    return 0;
}

FILE *crs_unzip(const crs_zipped *p, crease_error *e)
{
    static const cookie_io_functions_t plain = { .read = read_plain, .close = close_plain };
    const bool stored = p->packing == CRS_STORED;
    unpacker *u = crs_alloc(1, sizeof *u);
    if (!u)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: what unpacks %.200s", p->name), NULL;
    u->p = *p;
    if (!stored && !begin_packed(u, e)) return crs_free(u), NULL;
    FILE *f = fopencookie(u, "rb", stored ? plain : packed_calls);
    if (f) return f;
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: what unpacks %.200s", p->name);
    (stored ? close_plain : packed_calls.close)(u);
    return NULL;
}
