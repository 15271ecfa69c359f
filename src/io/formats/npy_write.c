/* SPDX-License-Identifier: MIT
 * npy_write: an array to a .npy file */
#include "io/formats/io.h"

/* The dictionary, padded so that the items begin at a multiple of 64 bytes. */
static size_t header(const crease_space *s, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out + 10, size - 10,
                                "{'descr': '<f8', 'fortran_order': False, 'shape': (");
    for (int k = 0; k < s->order; k++)
        n += (size_t)snprintf(out + 10 + n, size - 10 - n, "%td,%s", s->dim[k],
                              k + 1 < s->order ? " " : "");
    n += (size_t)snprintf(out + 10 + n, size - 10 - n, "), }");
    const size_t whole = (10 + n + 1 + 63) / 64 * 64;
    memset(out + 10 + n, ' ', whole - 10 - n);
    out[whole - 1] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((whole - 10) & 0xff);
    out[9] = (char)((whole - 10) >> 8);
    return whole;
}

static bool put_items(FILE *f, ptrdiff_t count, const double *data)
{
    unsigned char raw[8192];
    const ptrdiff_t most = (ptrdiff_t)(sizeof raw / 8);
    for (ptrdiff_t done = 0; done < count;) {
        const ptrdiff_t now = count - done < most ? count - done : most;
        for (ptrdiff_t k = 0; k < now; k++) {
            uint64_t bits;
            memcpy(&bits, &data[done + k], sizeof bits);
            for (int b = 0; b < 8; b++) raw[8 * k + b] = (unsigned char)(bits >> (8 * b));
        }
        if (fwrite(raw, 8, (size_t)now, f) != (size_t)now) return false;
        done += now;
    }
    return true;
}

/* An array that is there, or that `items` gives piece by piece. */
typedef struct {
    const crease_space *s;
    const double *data;
    const crs_pieces *pieces;
} array;

static bool put_pieces(FILE *f, ptrdiff_t count, const crs_pieces *p)
{
    for (ptrdiff_t done = 0; done < count; done += p->room) {
        const ptrdiff_t now = count - done < p->room ? count - done : p->room;
        p->items(p->self, done, now, p->buffer);
        if (!put_items(f, now, p->buffer)) return false;
    }
    return true;
}

static bool put_all(FILE *f, const void *what)
{
    const array *a = what;
    const ptrdiff_t count = crease_size(a->s);
    char head[512];
    const size_t n = header(a->s, head, sizeof head);
    return fwrite(head, 1, n, f) == n &&
           (a->pieces ? put_pieces(f, count, a->pieces) : put_items(f, count, a->data));
}

bool crs_write_npy(const char *path, const crease_space *s, const double *data, crease_error *e)
{
    const array a = { s, data, NULL };
    return crease_space_check(s, e) && crs_write_whole(path, put_all, &a, e);
}

bool crs_write_npy_pieces(const char *path, const crease_space *s, const crs_pieces *p,
                          crease_error *e)
{
    const array a = { s, NULL, p };
    return crease_space_check(s, e) && crs_write_whole(path, put_all, &a, e);
}
