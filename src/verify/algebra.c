/* SPDX-License-Identifier: MIT
 * room: memory that lives as long as a verification, refusals, and small vector operations */
#include <stdarg.h>
#include <stdio.h>

#include "verify/verify.h"

enum { LARGE = 1 << 20 }; /* bytes that are worth keeping */

typedef union room {
    struct {
        union room *next;
        size_t bytes;
    } head;
    max_align_t align;
} room;

/* A room of this size that was released: new memory costs more than clearing it. */
static room *again(crs_verifier *v, size_t bytes)
{
    room *before = NULL, *r = v->spare;
    for (; r && r->head.bytes != bytes; r = r->head.next) before = r;
    if (!r) return NULL;
    if (before)
        before->head.next = r->head.next;
    else
        v->spare = r->head.next;
    memset(r, 0, bytes);
    return r;
}

void *crs_room(crs_verifier *v, ptrdiff_t count, size_t size)
{
    const size_t head = (sizeof(room) + size - 1) / size; /* in units of the elements */
    const bool fits = count >= 0 && (size_t)count <= PTRDIFF_MAX / size - head;
    const size_t bytes = fits ? ((size_t)count + head) * size : 0;
    room *r = fits ? again(v, bytes) : NULL;
    if (fits && !r) r = crs_alloc((size_t)count + head, size);
    if (!r) return v->no_memory = true, NULL;
    r->head.bytes = bytes;
    r->head.next = v->rooms;
    v->rooms = r;
    return r + 1;
}

real *crs_reals(crs_verifier *v, ptrdiff_t count) { return crs_room(v, count, sizeof(real)); }
num *crs_nums(crs_verifier *v, ptrdiff_t count) { return crs_room(v, count, sizeof(num)); }

num *crs_exact(crs_verifier *v, ptrdiff_t n, const double *x)
{
    num *out = crs_nums(v, n);
    for (ptrdiff_t j = 0; out && j < n; j++) out[j] = exact(x[j]);
    return out;
}

void crs_rooms_release(crs_verifier *v, void *mark)
{
    for (room *r = v->rooms; r && r != mark; r = v->rooms) {
        v->rooms = r->head.next;
        if (r->head.bytes < LARGE) {
            crs_free(r);
            continue;
        }
        r->head.next = v->spare;
        v->spare = r;
    }
}

void crs_rooms_free(crs_verifier *v)
{
    crs_rooms_release(v, NULL);
    for (room *r = v->spare, *next; r; r = next) {
        next = r->head.next;
        crs_free(r);
    }
    v->spare = NULL;
}

bool crs_refuse(crs_verifier *v, const char *format, ...)
{
    va_list arguments;
    if (!v->unsupported) {
        va_start(arguments, format);
        vsnprintf(v->why, sizeof v->why, format, arguments);
        va_end(arguments);
    }
    v->unsupported = true;
    return false;
}

real crs_inner(ptrdiff_t n, const real *x, const real *y)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += x[j] * y[j];
    return sum;
}

real crs_length(ptrdiff_t n, const real *x) { return sqrtl(crs_inner(n, x, x)); }

static void sink(real *x, ptrdiff_t at, ptrdiff_t n)
{
    for (ptrdiff_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && x[child + 1] < x[child]) child++;
        if (!(x[child] < x[at])) return;
        const real t = x[at];
        x[at] = x[child];
        x[child] = t;
    }
}

/* Heap sort: the least go to the end. */
void crs_sort_down(ptrdiff_t n, real *x)
{
    for (ptrdiff_t i = n / 2; i-- > 0;) sink(x, i, n);
    for (ptrdiff_t last = n - 1; last > 0; last--) {
        const real t = x[0];
        x[0] = x[last];
        x[last] = t;
        sink(x, 0, last);
    }
}

real *crs_sorted(crs_verifier *v, ptrdiff_t n, const real *x)
{
    real *a = crs_reals(v, n);
    if (!a) return NULL;
    for (ptrdiff_t j = 0; j < n; j++) a[j] = x[j];
    crs_sort_down(n, a);
    return a;
}
