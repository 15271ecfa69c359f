/* SPDX-License-Identifier: MIT
 * read: an array from a file, whose format its first bytes tell, or its name's ending. gzip is
 * peeled off first. A stream that cannot go back is read through what was seen of it already, and
 * put into a file without a name for a format that must go to and fro. */
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/formats/io.h"

void crs_array_free(crs_array *a)
{
    if (!a->borrowed) crs_free(a->data);
    crs_free(a->value);
    crs_free(a->start);
    crs_free(a->col);
    if (a->list) crs_coordinates_close(a->list);
    crs_free(a->list);
    crs_axes_free(&a->axes);
    crs_axis_free(&a->column);
    *a = (crs_array){ .data = NULL };
}

bool crs_array_own(crs_array *a, crease_error *e)
{
    if (!a->borrowed) return true;
    const ptrdiff_t n = crease_size(&a->shape);
    double *own = crs_doubles(n, "a copy of the data", e);
    if (!own) return false;
    copy(n, a->data, own);
    a->data = own;
    a->borrowed = false;
    return true;
}

bool crs_asked_list(const crs_asked *asked, const crease_space *shape, ptrdiff_t observed)
{
    return asked && asked->listed && observed > 0 && (double)crease_size(shape) <= 0x1p53 &&
           crs_coordinates_alone(shape, observed);
}

bool crs_array_list(const char *name, const crease_space *shape, crs_listed_pairs *from,
                    crs_array *out, crease_error *e)
{
    ptrdiff_t longest = 0;
    *out = (crs_array){ .shape = *shape, .gaps = true };
    for (int n = 0; n < shape->order; n++)
        if (shape->dim[n] > longest) longest = shape->dim[n];
    if (longest > 1000000 && longest / 64 > from->count) /* a few bytes must not claim it all */
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s has a dimension of %td but only %td entries; leave empty indices "
                        "out",
                        name, longest, from->count);
    out->list = crs_alloc(1, sizeof *out->list);
    if (!out->list) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a list of entries");
    const bool done = crs_coordinates_sort(out->list, shape, from->count, from->pair,
                                           from->once ? &from->twice : NULL, e);
    if (!done) crs_array_free(out);
    return done;
}

bool crs_fail_read(const char *name, size_t byte, crease_error *e)
{
    const int why = errno;
    if (why == EISDIR)
        return crs_fail(e, CREASE_NO_INPUT, "%.200s is a directory; give a file", name);
    if (why == EBADMSG)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s: its compressed data are damaged from byte %zu on, counted "
                        "unpacked; copy or write the file again",
                        name, byte);
    if (why == EFBIG)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s: its compressed data grow more than 1000-fold; if that is meant, "
                        "unpack the file first",
                        name);
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

bool crs_memory_holds(const char *name, const crease_space *s, crease_error *e)
{
    const double need = 8 * (double)crease_size(s), have = crs_memory_free();
    return need <= have ||
           crs_fail(e, CREASE_NO_MEMORY,
                    "%.200s holds an array of %.3g MB and %.3g MB of memory are free; read a part "
                    "of it or use a larger machine",
                    name, need / 1e6, have / 1e6);
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
    if (crs_is_memory(path)) return crs_memory_stream(path, e);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const bool plain = fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
    FILE *f = plain ? fdopen(fd, "rb") : NULL;
    const int why = errno;
    if (f) return f;
    if (fd >= 0) close(fd);
    if (fd < 0 && why == ENOTDIR && crs_bundle_splits(path)) return crs_bundle_stream(path, e);
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

/* Do the first n bytes of a path end in one of ".csv .tsv"? */
static bool has_ending(const char *endings, const char *path, size_t n)
{
    char one[24];
    for (int used = 0; sscanf(endings, "%23s%n", one, &used) == 1; endings += used) {
        const size_t length = strlen(one);
        if (n > length && strncasecmp(path + n - length, one, length) == 0) return true;
    }
    return false;
}

const crs_format *crs_format_of(const char *path)
{
    const size_t all = strlen(path), n = has_ending(".gz", path, all) ? all - 3 : all;
    for (int k = 0; crs_format_at(k); k++)
        if (has_ending(crs_format_at(k)->endings, path, n)) return crs_format_at(k);
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

enum { HEAD = 1024, LAYERS = 5 };

/* The bytes seen already, then the rest. */
typedef struct {
    unsigned char head[HEAD];
    size_t n, at;
    FILE *rest;
} seen;

static ssize_t read_seen(void *self, char *out, size_t n)
{
    seen *s = self;
    const size_t left = s->n - s->at, now = left < n ? left : n;
    if (now == 0) {
        const size_t got = fread(out, 1, n, s->rest);
        return got == 0 && ferror(s->rest) ? -1 : (ssize_t)got;
    }
    memcpy(out, s->head + s->at, now);
    s->at += now;
    return (ssize_t)now;
}

static int close_seen(void *self)
{
    crs_free(self);
    return 0;
}

/* A file that is being read: the streams that stand on each other, the last of them s.f. */
typedef struct {
    crs_input s;
    const char *ending; /* the name whose ending tells the format; NULL: none */
    char *file;         /* the path before the colon, owned */
    char again[40];     /* the path of a file without a name */
    FILE *layer[LAYERS];
    int layers;
    unsigned char head[HEAD];
    size_t n;
} opened;

static void close_all(opened *o)
{
    while (o->layers > 0)
        if (o->layer[--o->layers] != stdin) fclose(o->layer[o->layers]);
    crs_free(o->file);
}

static bool put_layer(opened *o, FILE *f, crease_error *e)
{
    if (!f) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: reading %.200s", o->s.name);
    o->s.f = o->layer[o->layers++] = f;
    return true;
}

/* The first bytes, which stay to be read. */
static bool look(opened *o, crease_error *e)
{
    static const cookie_io_functions_t calls = { .read = read_seen, .close = close_seen };
    o->n = fread(o->head, 1, HEAD, o->s.f);
    if (ferror(o->s.f)) return crs_fail_read(o->s.name, o->n, e);
    if (fseeko(o->s.f, -(off_t)o->n, SEEK_CUR) == 0) return true;
    seen *s = crs_alloc(1, sizeof *s);
    if (!s) return put_layer(o, NULL, e);
    memcpy(s->head, o->head, o->n);
    s->n = o->n;
    s->rest = o->s.f;
    FILE *f = fopencookie(s, "rb", calls);
    if (!f) crs_free(s);
    return put_layer(o, f, e);
}

static bool peel(opened *o, crease_error *e)
{
    if (!(o->n > 2 && o->head[0] == 0x1f && o->head[1] == 0x8b)) return true;
    const crs_zipped p = { .f = o->s.f, .name = o->s.name, .bytes = UINT64_MAX };
    FILE *f = crs_unzip(&p, e);
    if (!f) return false;
    o->s.path = NULL;
    return put_layer(o, f, e) && look(o, e);
}

/* What is left of the stream, in a file that has a path but no name. */
static bool spool(opened *o, crease_error *e)
{
    const char *folder = getenv("TMPDIR");
    char path[512], piece[1 << 14];
    snprintf(path, sizeof path, "%.450s/crease-XXXXXX", folder && *folder ? folder : "/tmp");
    const int fd = mkstemp(path);
    FILE *from = o->s.f, *f = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    if (fd >= 0) unlink(path);
    if (!f)
        return crs_fail(e, CREASE_IO, "%.200s: a temporary file is needed in %.200s: %s", o->s.name,
                        path, strerror(errno));
    put_layer(o, f, e);
    snprintf(o->again, sizeof o->again, "/proc/self/fd/%d", fd);
    o->s.path = o->again;
    for (size_t n; (n = fread(piece, 1, sizeof piece, from)) > 0;)
        if (fwrite(piece, 1, n, f) != n) break;
    if (ferror(from)) return crs_fail_read(o->s.name, 0, e);
    if (!ferror(f) && fflush(f) == 0) return rewind(f), true;
    return crs_fail(e, CREASE_IO, "%.200s does not fit into a temporary file: %s; set TMPDIR",
                    o->s.name, strerror(errno));
}

bool crs_reads_on(const crease_watch *w, crease_error *e)
{
    return crease_watch_why(w) != CREASE_STOPPED || crs_cut(e, "reading the data");
}

const char *crs_inner_of(const char *path)
{
    char file[4096];
    if (strncmp(path, "-:", 2) == 0) return path + 1;
    if (crs_is_memory(path) || crs_is_there(path) || strlen(path) >= sizeof file) return NULL;
    for (const char *colon = strchr(path, ':'); colon; colon = strchr(colon + 1, ':')) {
        snprintf(file, sizeof file, "%.*s", (int)(colon - path), path);
        if (colon > path && crs_is_there(file)) return colon;
    }
    return NULL;
}

static bool split(opened *o, const char *path, crease_error *e)
{
    const size_t n = strlen(path);
    const char *colon = crs_inner_of(path);
    o->file = crs_alloc(n + 1, 1);
    if (!o->file) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a path");
    memcpy(o->file, path, n);
    o->s.path = o->s.name = o->ending = o->file;
    if (crs_is_memory(path)) o->s.path = NULL; /* no library can open it */
    if (!colon) return true;
    o->file[colon - path] = '\0';
    o->s.inner = o->file + (colon - path) + 1;
    return true;
}

/* A path that stands for several files, which its format opens itself. */
static const crs_format *of_many(const opened *o, const crs_asked *asked, crease_error *e)
{
    const bool pattern = strpbrk(o->file, "*?[%") && !crs_is_there(o->file);
    const crs_format *f = !pattern                  ? NULL
                          : asked && asked->read_as ? crs_format_find(asked->read_as, e)
                                                    : crs_format_of(o->file);
    return f && f->opens ? f : NULL;
}

static bool open_layers(opened *o, crease_error *e)
{
    const bool input = strcmp(o->file, "-") == 0;
    FILE *f = input ? stdin : crs_open(o->file, e);
    if (!f) return false;
    if (input) o->s.name = "standard input", o->s.path = o->ending = NULL;
    return put_layer(o, f, e) && look(o, e) && peel(o, e);
}

/* What this build has for it, and what the format needs of the stream. */
static bool prepare(opened *o, const crs_format *f, crease_error *e)
{
    if (f->needs)
        return crs_fail(e, CREASE_UNSUPPORTED, "%.200s: this build has no %s", o->s.name, f->needs);
    if (o->s.inner && !f->many && f != &crs_npy_format)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%.200s is of the format %s, which holds one array; leave :%.80s out",
                        o->s.name, f->name, o->s.inner);
    return !(f->opens && !o->s.path) || spool(o, e);
}

static bool open_source(const char *path, const crs_asked *asked, opened *o,
                        const crs_format **format, crease_error *e)
{
    *o = (opened){ .layers = 0 };
    *format = NULL;
    if (!split(o, path, e)) return false;
    *format = of_many(o, asked, e);
    if (*format) return prepare(o, *format, e);
    if (!open_layers(o, e)) return false;
    *format = asked && asked->read_as ? crs_format_find(asked->read_as, e)
                                      : told_by(o->head, o->n, o->ending);
    if (!*format) return (asked && asked->read_as) ? false : fail_unknown(o->s.name, e);
    return prepare(o, *format, e);
}

/* An array of a job's memory, as it lies there. */
static bool borrow(const crs_memory_file *f, crs_array *out)
{
    *out = (crs_array){ .shape = f->shape, .data = (double *)(uintptr_t)f->data, .borrowed = true };
    return true;
}

bool crs_read_asked(const char *path, const crs_asked *asked, crs_array *out, crease_error *e)
{
    opened o;
    const crs_format *format;
    const crs_memory_file *here = crs_memory_find(path);
    *out = (crs_array){ .data = NULL };
    if (here && here->shape.order > 0 && !(asked && asked->read_as))
        return crs_asked_suits(asked, &crs_npy_format, path, e) && borrow(here, out);
    const bool done = open_source(path, asked, &o, &format, e) &&
                      crs_asked_suits(asked, format, o.s.name, e) &&
                      format->read(&o.s, asked, out, e);
    close_all(&o);
    return done;
}

bool crs_read_place(const char *path, const crs_asked *asked, crs_place *out, crs_array *about,
                    const crs_format **format, crease_error *e)
{
    opened o;
    *out = (crs_place){ .access = CRS_PLACE_WHOLE };
    *about = (crs_array){ .data = NULL };
    *format = NULL;
    if (crs_is_memory(path) || strcmp(path, "-") == 0) return true;
    bool done =
        open_source(path, asked, &o, format, e) && crs_asked_suits(asked, *format, o.s.name, e);
    if (done && (*format)->place && o.s.path == o.file) /* neither packed nor a pipe */
        done = (*format)->place(&o.s, asked, out, about, e);
    close_all(&o);
    return done;
}

bool crs_read_array(const char *path, crs_array *out, crease_error *e)
{
    if (!crs_read_asked(path, NULL, out, e)) return false;
    if (crs_array_own(out, e)) return true;
    crs_array_free(out);
    return false;
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
    opened o;
    *out = (crs_listing){ .count = 0 };
    const bool done = open_source(path, asked, &o, format, e) &&
                      (!(*format)->list || (*format)->list(&o.s, out, e));
    close_all(&o);
    if (!done) crs_listing_free(out);
    return done;
}

bool crs_read_shape(const char *path, const crs_asked *asked, crease_space *shape)
{
    opened o;
    const crs_format *format;
    crs_listing all = { .count = 0 };
    int at = 0;
    if (strcmp(path, "-") == 0) return false;
    bool done = open_source(path, asked, &o, &format, NULL) && format->list &&
                format->list(&o.s, &all, NULL);
    while (done && o.s.inner && at < all.count && strcmp(all.member[at].name, o.s.inner) != 0) at++;
    done = done && at < all.count && (o.s.inner || all.count == 1);
    if (done) *shape = all.member[at].shape;
    close_all(&o);
    crs_listing_free(&all);
    return done;
}
