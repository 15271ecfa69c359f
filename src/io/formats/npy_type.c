/* SPDX-License-Identifier: MIT
 * npy_type: numbers of any size and byte order to double */
#include "io/formats/npy.h"

static bool size_fits(char kind, int bytes)
{
    const bool whole = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    return kind == 'f'   ? bytes == 4 || bytes == 8
           : kind == 'b' ? bytes == 1
                         : (kind == 'i' || kind == 'u') && whole;
}

bool crs_npy_type_parse(const char *descr, crs_npy_type *t)
{
    if (strlen(descr) != 3 || !strchr("<>=|", descr[0])) return false;
    *t = (crs_npy_type){ descr[1], descr[2] - '0', descr[0] == '>' };
    return size_fits(t->kind, t->bytes) && (descr[0] != '|' || t->bytes == 1);
}

static uint64_t bits_of(const crs_npy_type *t, const unsigned char *p)
{
    uint64_t bits = 0;
    for (int k = 0; k < t->bytes; k++) bits = bits << 8 | p[t->big ? k : t->bytes - 1 - k];
    return bits;
}

static double from_float(uint64_t bits, int bytes)
{
    const uint32_t half = (uint32_t)bits;
    float single;
    double whole;
    memcpy(&single, &half, sizeof single);
    memcpy(&whole, &bits, sizeof whole);
    return bytes == 4 ? (double)single : whole;
}

/* Two's complement of any width, through its magnitude. */
static double from_integer(uint64_t bits, int bytes, bool is_signed, bool *rounded)
{
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1), all = sign | (sign - 1);
    const bool negative = is_signed && (bits & sign);
    const uint64_t magnitude = negative ? (~bits & all) + 1 : bits;
    const double value = (double)magnitude; /* exact unless above 2^53 */
    *rounded = *rounded || (value < 0x1p64 && (uint64_t)value != magnitude) || value >= 0x1p64;
    return negative ? -value : value;
}

double crs_npy_item(const crs_npy_type *t, const unsigned char *p, bool *rounded)
{
    const uint64_t bits = bits_of(t, p);
    if (t->kind == 'f') return from_float(bits, t->bytes);
    if (t->kind == 'b') return bits != 0;
    return from_integer(bits, t->bytes, t->kind == 'i', rounded);
}

/* Is an item the bytes of a double here? */
static bool is_native(const crs_npy_type *t)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return t->kind == 'f' && t->bytes == (int)sizeof(double) && t->big == (first == 0);
}

void crs_npy_items(const crs_npy_type *t, ptrdiff_t count, const unsigned char *p, double *out,
                   bool *rounded)
{
    if (is_native(t))
        memcpy(out, p, (size_t)count * sizeof *out);
    else
        for (ptrdiff_t k = 0; k < count; k++) out[k] = crs_npy_item(t, p + k * t->bytes, rounded);
}
