/* SPDX-License-Identifier: MIT
 * read: an array from a file, the format by the name's ending */
#include <errno.h>

#include "io/formats/io.h"
#include "io/formats/mtx.h"

void crs_array_free(crs_array *a)
{
    crs_free(a->data);
    *a = (crs_array){ .data = NULL };
}

bool crs_fail_read(const char *name, size_t byte, crease_error *e)
{
    const int why = errno;
    if (why == EISDIR)
        return crs_fail(e, CREASE_NO_INPUT, "%.200s is a directory; give a file", name);
    return crs_fail(e, CREASE_IO, "%.200s cannot be read from byte %zu on: %s", name, byte,
                    strerror(why));
}

bool crs_grow(double **data, ptrdiff_t *room, ptrdiff_t wanted, ptrdiff_t most, crease_error *e)
{
    enum { FIRST = 8192 };
    if (wanted <= *room) return true;
    ptrdiff_t more = *room < most / 2 ? 2 * *room : most;
    if (more < FIRST) more = most < FIRST ? most : FIRST;
    if (more < wanted) more = wanted;
    double *moved = crs_resize(*data, (size_t)more, sizeof *moved);
    if (!moved)
        return crs_fail(e, CREASE_NO_MEMORY,
                        "out of memory: an array of %td or more entries; read a smaller one",
                        wanted);
    *data = moved;
    *room = more;
    return true;
}

static bool read_mtx(FILE *f, const char *name, crs_array *out, crease_error *e)
{
    crs_mtx m;
    *out = (crs_array){ .data = NULL };
    const bool done = crs_read_mtx(f, name, &m, e) && crs_mtx_expand(name, &m, e);
    if (done) {
        const bool vector = m.rows == 1 || m.cols == 1;
        out->shape = vector ? crease_vector(m.rows * m.cols) : crease_matrix(m.rows, m.cols);
        out->data = m.value;
        m.value = NULL;
    }
    crs_mtx_free(&m);
    return done;
}

typedef bool reader(FILE *f, const char *name, crs_array *out, crease_error *e);

bool crs_ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path), length = strlen(ending);
    return n > length && strcmp(path + n - length, ending) == 0;
}

FILE *crs_open(const char *path, crease_error *e)
{
    FILE *f = fopen(path, "rb");
    const int why = errno;
    if (!f)
        crs_fail(e, why == ENOMEM ? CREASE_NO_MEMORY : CREASE_NO_INPUT,
                 "%.200s cannot be opened: %s; check the path", path, strerror(why));
    return f;
}

static reader *reader_of(const char *path)
{
    static const struct {
        const char *ending;
        reader *read;
    } known[] = { { ".npy", crs_read_npy },
                  { ".csv", crs_read_csv },
                  { ".tsv", crs_read_csv },
                  { ".txt", crs_read_csv },
                  { ".mtx", read_mtx } };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (crs_ends_in(path, known[k].ending)) return known[k].read;
    return NULL;
}

bool crs_read_array(const char *path, crs_array *out, crease_error *e)
{
    return crs_read_table(path, out, NULL, e);
}

bool crs_read_table(const char *path, crs_array *out, crs_names *names, crease_error *e)
{
    *out = (crs_array){ .data = NULL };
    if (names) *names = (crs_names){ .count = 0 };
    if (strcmp(path, "-") == 0) return crs_read_csv_named(stdin, "standard input", out, names, e);
    reader *read = reader_of(path);
    if (!read)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%.200s: the format is told by the name's ending; give a file that ends in "
                        ".npy, .csv, .tsv, .txt or .mtx",
                        path);
    FILE *f = crs_open(path, e);
    if (!f) return false;
    const bool done =
        read == crs_read_csv ? crs_read_csv_named(f, path, out, names, e) : read(f, path, out, e);
    fclose(f);
    return done;
}
