/* SPDX-License-Identifier: MIT
 * frames: an image, or the images of a pattern, as one array: rows x columns, with colours a
 * dimension of 3, and a dimension of frames where there is a pattern
 *
 * A pattern has * or ? in its last part, or %04d for a number of at least 4 digits. Files come in
 * the order of the numbers in their names. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "io/formats/child.h"
#include "io/formats/image.h"

/* Paths one after the other, each with its end. */
typedef struct {
    int count, room;
    char **path;
    double bytes;
} files;

enum { FILES_MOST = 1000000 };

static void free_files(files *f)
{
    for (int k = 0; k < f->count; k++) crs_free(f->path[k]);
    crs_free(f->path);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The length of "%d" or "%04d" at p, and the digits it wants; 0: there is none. */
static size_t number_mark(const char *p, size_t *digits)
{
    size_t n = 1;
    *digits = 1;
    if (p[0] != '%') return 0;
    if (p[n] == '0' && is_digit(p[n + 1])) *digits = (size_t)(p[n + 1] - '0'), n += 2;
    return p[n] == 'd' ? n + 1 : 0;
}

static bool matches(const char *pattern, const char *name)
{
    size_t digits, mark;
    for (; *pattern; pattern++, name++) {
        if (*pattern == '*') {
            for (; *name; name++)
                if (matches(pattern + 1, name)) return true;
            return matches(pattern + 1, name);
        }
        mark = number_mark(pattern, &digits);
        if (mark) {
            size_t n = 0;
            while (is_digit(name[n])) n++;
            return n >= digits && n > 0 && matches(pattern + mark, name + n);
        }
        if (*name == '\0' || (*pattern != '?' && *pattern != *name)) return false;
    }
    return *name == '\0';
}

/* Natural order: runs of digits by their number. */
static int compare(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            while (*a == '0' && is_digit(a[1])) a++;
            while (*b == '0' && is_digit(b[1])) b++;
            const size_t n = strspn(a, "0123456789"), m = strspn(b, "0123456789");
            const int order = n != m ? (n < m ? -1 : 1) : strncmp(a, b, n);
            if (order) return order;
            a += n, b += m;
        } else if (*a != *b)
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        else
            a++, b++;
    }
    return (*a != '\0') - (*b != '\0');
}

static bool add_file(files *f, const char *folder, size_t length, const char *name, crease_error *e)
{
    struct stat found;
    if (f->count == f->room) {
        const int room = f->room ? 2 * f->room : 64;
        char **moved =
            f->count < FILES_MOST ? crs_resize(f->path, (size_t)room, sizeof *moved) : NULL;
        if (!moved) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %d files", f->count);
        f->path = moved;
        f->room = room;
    }
    char *path = crs_alloc(length + strlen(name) + 1, 1);
    if (!path) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %d files", f->count);
    memcpy(path, folder, length);
    memcpy(path + length, name, strlen(name));
    f->path[f->count++] = path;
    if (stat(path, &found) == 0) f->bytes += (double)found.st_size;
    return true;
}

static bool is_pattern(const char *path)
{
    struct stat found;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t digits;
    if (stat(path, &found) == 0) return false; /* a file of this very name */
    for (; *name; name++)
        if (*name == '*' || *name == '?' || number_mark(name, &digits)) return true;
    return false;
}

static bool find_files(const char *pattern, files *f, crease_error *e)
{
    const char *slash = strrchr(pattern, '/');
    const size_t length = slash ? (size_t)(slash - pattern) + 1 : 0;
    char *folder = crs_alloc(length + 2, 1);
    if (!folder) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a path");
    memcpy(folder, length ? pattern : ".", length ? length : 1);
    DIR *d = opendir(folder);
    bool done = true;
    for (const struct dirent *one; done && d && (one = readdir(d)) != NULL;)
        if ((one->d_name[0] != '.' || pattern[length] == '.') &&
            matches(pattern + length, one->d_name))
            done = add_file(f, pattern, length, one->d_name, e);
    if (d) closedir(d);
    crs_free(folder);
    if (done && f->count == 0)
        return crs_fail(e, CREASE_NO_INPUT,
                        "no file matches '%.200s'; check the folder and the "
                        "pattern, and put it in quotes",
                        pattern);
    if (done) qsort(f->path, (size_t)f->count, sizeof *f->path, compare);
    return done;
}

/* ---- in the child ---- */

static bool fail_kind(const char *path, const unsigned char *head, crease_error *e)
{
    const bool jpeg = head[0] == 0xff && head[1] == 0xd8;
    return crs_fail(e, CREASE_BAD_DATA, "%.200s is %s; give PNG, TIFF, PGM or PPM images", path,
                    jpeg ? "a JPEG image, which loses details: convert it to PNG"
                         : "no image that is read here");
}

/* libtiff opens its file itself, when no other one is open. */
static bool load(const char *path, crs_image *out, crease_error *e)
{
    unsigned char head[8] = { 0 };
    FILE *f = crs_open(path, e);
    if (!f) return false;
    const size_t n = fread(head, 1, sizeof head, f);
    rewind(f);
    const bool png = n >= 4 && memcmp(head, "\x89PNG", 4) == 0, pnm = head[0] == 'P';
    const bool tiff = n >= 4 && (memcmp(head, "II", 2) == 0 || memcmp(head, "MM", 2) == 0);
    const bool done = png    ? crs_png_load(f, path, out, e)
                      : pnm  ? crs_pnm_load(f, path, out, e)
                      : tiff ? true
                             : fail_kind(path, head, e);
    fclose(f);
    return tiff ? crs_tiff_load(path, out, e) : done;
}

typedef struct {
    const files *all;
    crs_range range;
    bool pattern, colours;
    crs_image first; /* its sizes and scale */
    bool grayed;
} movie;

/* The number at the end of a name, without its ending; -1: none. */
static double number_in(const char *path)
{
    const char *dot = strrchr(path, '.'), *end = dot ? dot : path + strlen(path);
    const char *at = end;
    while (at > path && is_digit(at[-1])) at--;
    return at < end && end - at <= 15 ? (double)strtoll(at, NULL, 10) : -1;
}

static bool send_frames_axis(const movie *m, int n, crs_emit *to, crease_error *e)
{
    crs_axis a = { .name = NULL };
    double *at = crs_doubles(m->range.count, "numbers of frames", e);
    bool done = at && crs_axis_name(&a, "frame", NULL, e), told = true;
    for (ptrdiff_t k = 0; done && k < m->range.count; k++) {
        at[k] = number_in(m->all->path[m->range.first + k * m->range.step]);
        told = told && at[k] >= 0 && (k == 0 || at[k] > at[k - 1]);
    }
    if (done && told) done = crs_axis_at(&a, m->range.count, at, e);
    done = done && crs_emit_axis(to, n, &a, e);
    crs_axis_free(&a);
    crs_free(at);
    return done;
}

static bool send_head(movie *m, const crs_image *a, crs_emit *to, crease_error *e)
{
    crease_space s = { .order = 2, .dim = { a->height, a->width } };
    int slow[CREASE_MAX_ORDER] = { 0 }, k = 0;
    m->first = *a;
    if (m->colours) s.dim[s.order++] = 3;
    const int last = s.order;
    if (m->pattern) s.dim[s.order++] = m->range.count, slow[k++] = last;
    for (int n = 0; n < last; n++) slow[k++] = n;
    return crs_emit_shape(to, &s, slow, a->scale > 255 ? 2 : 1, e) &&
           crs_emit_scale(to, a->scale, e) && crs_emit_named(to, 0, "row", e) &&
           crs_emit_named(to, 1, "column", e) &&
           (!m->colours || crs_emit_named(to, 2, "colour", e)) &&
           (!m->pattern || send_frames_axis(m, last, to, e));
}

static bool send_image(movie *m, const char *path, bool first, crs_emit *to, crease_error *e)
{
    crs_image a;
    if (!load(path, &a, e)) return false;
    m->grayed = m->grayed || (a.channels == 3 && !m->colours);
    bool done = crs_image_recolour(&a, m->colours, e) && (!first || send_head(m, &a, to, e));
    if (done && (a.height != m->first.height || a.width != m->first.width))
        done = crs_fail(e, CREASE_BAD_SHAPE,
                        "%.150s has %td x %td pixels but the images before it %td x %td; give "
                        "images of one size",
                        path, a.height, a.width, m->first.height, m->first.width);
    done = done && crs_emit_items(to, a.height * a.width * a.channels, a.sample, e);
    crs_image_free(&a);
    return done;
}

/* The path of the source is that of the list: its first file. */
static bool decode(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    char text[200];
    files all = { .count = 0 };
    movie m = { .all = &all, .pattern = is_pattern(s->path), .colours = asked && asked->colour };
    bool done = (m.pattern ? find_files(s->path, &all, e)
                           : add_file(&all, s->path, strlen(s->path), "", e)) &&
                crs_range_parse(m.pattern && asked ? asked->frames : NULL, all.count, &m.range, e);
    for (ptrdiff_t k = 0; done && k < m.range.count; k++)
        done = send_image(&m, all.path[m.range.first + k * m.range.step], k == 0, to, e);
    snprintf(text, sizeof text, "%.100s: colours are made gray; --colour keeps them", s->name);
    done = done && (!m.grayed || crs_emit_notice(to, text, e));
    free_files(&all);
    return done;
}

bool crs_read_images(const crs_input *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    crs_limits limits = { .seconds = 5, .bytes = 1e9 };
    files all = { .count = 0 };
    *out = (crs_array){ .data = NULL };
    const bool found = !is_pattern(s->path) || find_files(s->path, &all, e);
    limits.file_bytes = all.bytes;
    free_files(&all);
    return found && crs_child_read(&limits, decode, s, asked, out, e);
}
