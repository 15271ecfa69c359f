/* SPDX-License-Identifier: MIT
 * total: sums that do not depend on the order of their terms
 *
 * A term is cut into digits x = sum_p d_p 2^(40 p), |d_p| < 2^40, all of its sign, and digit p is
 * added to the sum of all digits p, a whole number: the digits of a term depend on nothing but the
 * term. Three of them are kept, from that of the largest term on down; when a larger term comes the
 * lowest is dropped, as if it had never been there. Hallberg, Adcroft, An order-invariant real-to-
 * integer conversion sum, 2014. */
#include "slab/slab.h"

enum { BITS = 40, LOWEST = -25 }; /* 2^-1000 */

static double power(int p) { return ldexp(1, BITS * p); }

static ptrdiff_t places(const crs_total_array *a)
{
    return a->kind == CRS_SUM ? CRS_TOTAL_DIGITS * a->size : a->size;
}

void crs_total_clear(crs_total *t)
{
    for (int k = 0; k < t->arrays; k++) {
        crs_total_array *a = &t->array[k];
        a->top = LOWEST + CRS_TOTAL_DIGITS - 1;
        a->bad = false;
        memset(a->whole, 0, (size_t)places(a) * sizeof *a->whole);
    }
}

bool crs_total_open(crs_total *t, crease_error *e)
{
    ptrdiff_t all = 0, at = 0;
    for (int k = 0; k < t->arrays; k++) all += places(&t->array[k]);
    t->memory = crs_alloc((size_t)more(all, 1), sizeof *t->memory);
    if (!t->memory) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td sums", all);
    for (int k = 0; k < t->arrays; at += places(&t->array[k++])) t->array[k].whole = t->memory + at;
    crs_total_clear(t);
    return true;
}

void crs_total_close(crs_total *t)
{
    crs_free(t->memory);
    *t = (crs_total){ .arrays = 0 };
}

void crs_total_raise(crs_total *t, int array, int top)
{
    crs_total_array *a = &t->array[array];
    for (; a->top < top; a->top++) {
        const size_t size = (size_t)a->size;
        memmove(a->whole + size, a->whole, (CRS_TOTAL_DIGITS - 1) * size * sizeof *a->whole);
        memset(a->whole, 0, size * sizeof *a->whole);
    }
}

/* The power of 2^40 at or below x, which is finite; LOWEST at least */
static int power_of(double x)
{
    if (!(x > 0)) return LOWEST;
    const int e = ilogb(x), p = (e >= 0 ? e : e - BITS + 1) / BITS;
    return p < LOWEST ? LOWEST : p;
}

void crs_total_add(crs_total *t, int array, ptrdiff_t at, ptrdiff_t n, const double *x)
{
    crs_total_array *a = &t->array[array];
    double largest = 0;
    for (ptrdiff_t j = 0; j < n; j++) largest = larger(largest, fabs(x[j]));
    if (!isfinite(largest)) {
        a->bad = true;
        return;
    }
    crs_total_raise(t, array, power_of(largest));
    double up[CRS_TOTAL_DIGITS], down[CRS_TOTAL_DIGITS];
    for (int k = 0; k < CRS_TOTAL_DIGITS; k++)
        up[k] = power(k - a->top), down[k] = power(a->top - k);
    for (ptrdiff_t j = 0; j < n; j++) {
        double rest = x[j];
        for (int k = 0; k < CRS_TOTAL_DIGITS; k++) {
            const int64_t digit = (int64_t)(rest * up[k]); /* towards 0 */
            a->whole[k * a->size + at + j] += digit;
            rest -= (double)digit * down[k];
        }
    }
}

void crs_total_count(crs_total *t, int array, ptrdiff_t at, ptrdiff_t n, const int64_t *x)
{
    const crs_total_array *a = &t->array[array];
    int64_t *to = a->whole + at;
    for (ptrdiff_t j = 0; j < n; j++)
        if (a->kind == CRS_COUNT)
            to[j] += x[j];
        else if (x[j] > to[j])
            to[j] = x[j];
}

void crs_total_join(crs_total *to, const crs_total *from)
{
    for (int k = 0; k < to->arrays; k++) {
        crs_total_array *a = &to->array[k];
        const crs_total_array *b = &from->array[k];
        if (a->kind != CRS_SUM) {
            crs_total_count(to, k, 0, a->size, b->whole);
            continue;
        }
        crs_total_raise(to, k, b->top);
        a->bad = a->bad || b->bad;
        const ptrdiff_t below = a->top - b->top;
        for (ptrdiff_t d = below; d < CRS_TOTAL_DIGITS; d++)
            for (ptrdiff_t j = 0; j < a->size; j++)
                a->whole[d * a->size + j] += b->whole[(d - below) * a->size + j];
    }
}

/* Carries, so that all digits but the first are in 0 .. 2^40 - 1 */
static void carry(int64_t *digit)
{
    const int64_t base = (int64_t)1 << BITS;
    for (int k = CRS_TOTAL_DIGITS - 1; k > 0; k--) {
        const int64_t rest = digit[k] & (base - 1); /* int64_t is two's complement */
        digit[k - 1] += (digit[k] - rest) / base;
        digit[k] = rest;
    }
}

void crs_total_read(const crs_total *t, int array, ptrdiff_t at, ptrdiff_t n, double *out)
{
    const crs_total_array *a = &t->array[array];
    double down[CRS_TOTAL_DIGITS];
    for (int k = 0; k < CRS_TOTAL_DIGITS; k++) down[k] = power(a->top - k);
    for (ptrdiff_t j = 0; j < n; j++) {
        int64_t digit[CRS_TOTAL_DIGITS];
        for (int k = 0; k < CRS_TOTAL_DIGITS; k++) digit[k] = a->whole[k * a->size + at + j];
        carry(digit);
        const bool negative = digit[0] < 0;
        for (int k = 0; negative && k < CRS_TOTAL_DIGITS; k++) digit[k] = -digit[k];
        if (negative) carry(digit);
        double sum = 0;
        for (int k = CRS_TOTAL_DIGITS - 1; k >= 0; k--) sum += (double)digit[k] * down[k];
        out[j] = a->bad ? (double)NAN : negative ? -sum : sum;
    }
}
