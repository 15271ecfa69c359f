/* SPDX-License-Identifier: MIT
 * read: an array from a file, whose format its first bytes tell, or its name's ending */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/formats/io.h"

void crs_array_free(crs_array *a)
{
    crs_free(a->data);
    crs_axes_free(&a->axes);
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

const crs_format *crs_format_at(int k)
{
    static const crs_format *const list[] = {
#define FORMAT(name) &crs_##name##_format,
#include "io/formats/list.def"
#undef FORMAT
    };
    return k >= 0 && (size_t)k < sizeof list / sizeof *list ? list[k] : NULL;
}

/* Does the list of endings ".csv .tsv" have that of the path? */
static bool has_ending(const char *endings, const char *path)
{
    char one[24];
    for (int used = 0; sscanf(endings, "%23s%n", one, &used) == 1; endings += used)
        if (crs_ends_in(path, one)) return true;
    return false;
}

const crs_format *crs_format_of(const char *path)
{
    for (int k = 0; crs_format_at(k); k++)
        if (has_ending(crs_format_at(k)->endings, path)) return crs_format_at(k);
    return NULL;
}

/* "npy, mtx or csv"; of the endings, ".npy, .mtx, .csv, .tsv or .txt". */
static void names_of_all(char *out, size_t size)
{
    size_t used = 0;
    for (int k = 0; crs_format_at(k) && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 k == 0                 ? ""
                                 : crs_format_at(k + 1) ? ", "
                                                        : " or ",
                                 crs_format_at(k)->name);
}

const crs_format *crs_format_find(const char *name, crease_error *e)
{
    char all[200] = "";
    for (int k = 0; crs_format_at(k); k++)
        if (strcmp(crs_format_at(k)->name, name) == 0) return crs_format_at(k);
    names_of_all(all, sizeof all);
    crs_fail(e, CREASE_BAD_ARGUMENT, "'%.40s' is no format; give %s", name, all);
    return NULL;
}

/* The format that begins so; otherwise that of the name; of standard input a table. */
static const crs_format *told_by(const unsigned char *head, size_t n, const char *path)
{
    for (int k = 0; crs_format_at(k); k++) {
        const crs_format *f = crs_format_at(k);
        if (f->begins && f->begins(head, n)) return f;
    }
    return path ? crs_format_of(path) : &crs_csv_format;
}

static bool fail_unknown(const char *path, crease_error *e)
{
    char all[200] = "";
    names_of_all(all, sizeof all);
    return crs_fail(e, CREASE_BAD_ARGUMENT,
                    "%.200s: neither its first bytes nor its ending tell the format; say it by "
                    "--read-as: %s",
                    path, all);
}

/* The first bytes of the file, which stay to be read. */
static size_t peek(FILE *f, unsigned char *head, size_t room)
{
    size_t n = 0;
    if (f == stdin) {
        const int first = fgetc(f);
        if (first == EOF) return 0;
        ungetc(first, f);
        head[n++] = (unsigned char)first;
        if (first == 0x93) memcpy(head, "\x93NUMPY", n = 6);
        return n;
    }
    n = fread(head, 1, room, f);
    rewind(f);
    return n;
}

/* This format, unless the build lacks what it needs. */
static const crs_format *usable(const crs_format *format, const char *name, crease_error *e)
{
    if (!format || !format->needs) return format;
    crs_fail(e, CREASE_UNSUPPORTED, "%.200s: this build has no %s", name, format->needs);
    return NULL;
}

static const crs_format *choose(const crs_source *s, const crs_asked *asked, crease_error *e)
{
    unsigned char head[512];
    if (asked && asked->read_as) return usable(crs_format_find(asked->read_as, e), s->name, e);
    const crs_format *format = told_by(head, peek(s->f, head, sizeof head), s->path);
    if (!format) fail_unknown(s->name, e);
    return usable(format, s->name, e);
}

bool crs_read_asked(const char *path, const crs_asked *asked, crs_array *out, crease_error *e)
{
    const bool input = strcmp(path, "-") == 0;
    *out = (crs_array){ .data = NULL };
    const crs_source s = { .f = input ? stdin : crs_open(path, e),
                           .name = input ? "standard input" : path,
                           .path = input ? NULL : path };
    const crs_format *format = s.f ? choose(&s, asked, e) : NULL;
    const bool done = format && format->read(&s, asked, out, e);
    if (s.f && !input) fclose(s.f);
    return done;
}

bool crs_read_array(const char *path, crs_array *out, crease_error *e)
{
    return crs_read_asked(path, NULL, out, e);
}

bool crs_read_table(const char *path, crs_array *out, crs_names *names, crease_error *e)
{
    *names = (crs_names){ .count = 0 };
    return crs_read_asked(path, &(crs_asked){ .names = names }, out, e);
}

bool crs_listing_add(crs_listing *l, const crs_inside *m, crease_error *e)
{
    crs_inside *moved = crs_resize(l->member, (size_t)l->count + 1, sizeof *moved);
    if (!moved) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: what is in a file");
    l->member = moved;
    l->member[l->count++] = *m;
    return true;
}

void crs_listing_free(crs_listing *l)
{
    crs_free(l->member);
    *l = (crs_listing){ .count = 0 };
}

bool crs_read_listing(const char *path, const crs_asked *asked, crs_listing *out,
                      const crs_format **format, crease_error *e)
{
    *out = (crs_listing){ .count = 0 };
    const crs_source s = { .f = crs_open(path, e), .name = path, .path = path };
    *format = s.f ? choose(&s, asked, e) : NULL;
    const bool done = *format && (!(*format)->list || (*format)->list(&s, out, e));
    if (s.f) fclose(s.f);
    if (!done) crs_listing_free(out);
    return done;
}
