/* SPDX-License-Identifier: MIT
 * read: an array from a file; the table of formats tells its reader by the name's ending */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/formats/io.h"

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

bool crs_ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path), length = strlen(ending);
    return n > length && strcmp(path + n - length, ending) == 0;
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "directory"
           : S_ISFIFO(mode) ? "pipe"
           : S_ISSOCK(mode) ? "socket"
                            : "device";
}

FILE *crs_open(const char *path, crease_error *e)
{
    struct stat s;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const bool plain = fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
    FILE *f = plain ? fdopen(fd, "rb") : NULL;
    const int why = errno;
    if (f) return f;
    if (fd >= 0) close(fd);
    if (fd >= 0 && !plain)
        crs_fail(e, CREASE_NO_INPUT, "%.200s is a %s; give a plain file%s", path,
                 kind_of(s.st_mode),
                 S_ISFIFO(s.st_mode) ? ", or - for an array on standard input" : "");
    else
        crs_fail(e, why == ENOMEM ? CREASE_NO_MEMORY : CREASE_NO_INPUT,
                 "%.200s cannot be opened: %s; check the path", path, strerror(why));
    return NULL;
}

bool crs_slurp(FILE *f, const char *name, char **text, size_t *n, crease_error *e)
{
    size_t room = 0, got = 0;
    *text = NULL;
    *n = 0;
    do {
        if (*n + 1 >= room) {
            room = room ? 2 * room : 65536;
            char *moved = crs_resize(*text, room, 1);
            if (!moved)
                return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the text of %.200s", name);
            *text = moved;
        }
        got = fread(*text + *n, 1, room - *n, f);
        *n += got;
    } while (got > 0);
    return !ferror(f) || crs_fail_read(name, *n, e);
}

/* A line per ending. */
static const struct {
    const char *ending;
    crs_format_reader *read;
} formats[] = {
    { ".npy", crs_read_npy }, { ".csv", crs_read_csv }, { ".tsv", crs_read_csv },
    { ".txt", crs_read_csv }, { ".mtx", crs_read_mtx },
};

static crs_format_reader *reader_of(const char *path)
{
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (crs_ends_in(path, formats[k].ending)) return formats[k].read;
    return NULL;
}

/* All endings, as ".npy, .csv or .mtx". */
static bool fail_unknown(const char *path, crease_error *e)
{
    const size_t count = sizeof formats / sizeof *formats;
    char all[120] = "";
    for (size_t k = 0, used = 0; k < count && used < sizeof all; k++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                 k == 0           ? ""
                                 : k + 1 == count ? " or "
                                                  : ", ",
                                 formats[k].ending);
    return crs_fail(e, CREASE_BAD_ARGUMENT,
                    "%.200s: the format is told by the name's ending; give a file that ends in %s",
                    path, all);
}

static bool read_input(crs_array *out, const crs_asked *asked, crease_error *e)
{
    const int first = fgetc(stdin); /* no text begins with that of a .npy file */
    if (first != EOF) ungetc(first, stdin);
    return (first == 0x93 ? crs_read_npy : crs_read_csv)(stdin, "standard input", out, asked, e);
}

static bool read_asked(const char *path, crs_array *out, const crs_asked *asked, crease_error *e)
{
    *out = (crs_array){ .data = NULL };
    if (strcmp(path, "-") == 0) return read_input(out, asked, e);
    crs_format_reader *read = reader_of(path);
    if (!read) return fail_unknown(path, e);
    FILE *f = crs_open(path, e);
    if (!f) return false;
    const bool done = read(f, path, out, asked, e);
    fclose(f);
    return done;
}

bool crs_read_array(const char *path, crs_array *out, crease_error *e)
{
    return read_asked(path, out, NULL, e);
}

bool crs_read_data(const char *path, bool missing, crs_array *out, crease_error *e)
{
    return read_asked(path, out, &(crs_asked){ .missing = missing }, e);
}

bool crs_read_table(const char *path, crs_array *out, crs_names *names, crease_error *e)
{
    *names = (crs_names){ .count = 0 };
    return read_asked(path, out, &(crs_asked){ .names = names }, e);
}
