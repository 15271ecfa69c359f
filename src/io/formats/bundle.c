/* SPDX-License-Identifier: MIT
 * bundle: files in one HDF5 file, whose bytes are read and written where they lie; where that is, a
 * child tells (child.h), whom nothing is believed unchecked. What it said of the last file is kept
 * for this thread, as long as that file does not change. */
#define _GNU_SOURCE /* O_CLOEXEC, st_mtim */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/formats/io.h"

typedef struct {
    struct stat as; /* what the file was */
    int count;
    crs_bundled *file;
} contents;

static _Thread_local contents known;

void crs_bundle_forget(void)
{
    crs_free(known.file);
    known = (contents){ .count = 0 };
}

static const crs_format *holder(void) { return &crs_hdf5_format; }

static bool is_holder(const char *path)
{
    unsigned char head[16];
    struct stat s;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0) close(fd);
    return n > 0 && holder()->begins(head, (size_t)n);
}

/* The letters before the slash, and the name after it. */
static bool cut(const char *path, size_t n, char file[4096], const char **name)
{
    if (n >= 4096) return false;
    memcpy(file, path, n);
    file[n] = '\0';
    if (name) *name = path + n + strspn(path + n, "/");
    return true;
}

size_t crs_bundle_splits(const char *path)
{
    char file[4096];
    struct stat s;
    if (crs_is_memory(path)) return 0;
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        const size_t n = (size_t)(slash - path);
        if (slash[-1] == '/' || !cut(path, n, file, NULL)) continue;
        if (stat(file, &s) != 0) return 0;
        if (!S_ISDIR(s.st_mode)) return is_holder(file) ? n : 0;
    }
    return 0;
}

/* Bytes have the dataset's name, all else is an array. */
static crs_bundled named(const crs_inside *m, long long most)
{
    const bool bytes = strcmp(m->type, "text") == 0 || strcmp(m->type, "u1") == 0;
    const char *name = m->name[0] == '/' ? m->name + 1 : m->name;
    crs_bundled f = { .plain = m->plain, .offset = m->offset, .bytes = m->bytes };
    snprintf(f.name, sizeof f.name, "%.250s%s", name, bytes ? "" : ".npy");
    f.plain =
        f.plain && f.offset >= 0 && f.offset <= most && f.bytes >= 0 && f.bytes <= most - f.offset;
    if (bytes) return f;
    f.shape = m->shape;
    f.plain = f.plain && crease_space_check(&f.shape, NULL) && strcmp(m->type, "f8") == 0 &&
              f.bytes / 8 == (long long)crease_size(&f.shape) && f.bytes % 8 == 0;
    return f;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* What the file holds, as `known`. */
static bool look(const char *file, crease_error *e)
{
    struct stat now;
    crs_listing all = { .count = 0 };
    const crs_input input = { .name = file, .path = file };
    if (stat(file, &now) != 0)
        return crs_fail(e, CREASE_NO_INPUT, "%.200s cannot be opened: %s; check the path", file,
                        strerror(errno));
    if (known.file && same_file(&now, &known.as)) return true;
    crs_bundle_forget();
    if (!holder()->list)
        return crs_fail(e, CREASE_UNSUPPORTED, "%.200s: this build has no %s", file,
                        holder()->needs);
    if (!holder()->list(&input, &all, e)) return false;
    known.file = crs_alloc((size_t)all.count + 1, sizeof *known.file);
    if (known.file) {
        known.as = now;
        known.count = all.count;
        for (int k = 0; k < all.count; k++)
            known.file[k] = named(&all.member[k], (long long)now.st_size);
    } else {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: what is in %.200s", file);
    }
    crs_listing_free(&all);
    return known.file;
}

bool crs_bundle_at(const char *file, int k, crs_bundled *out, crease_error *e)
{
    if (!look(file, e) || k >= known.count) return false;
    *out = known.file[k];
    return true;
}

static const crs_bundled *find(const char *file, const char *name, crease_error *e)
{
    if (!look(file, e)) return NULL;
    for (int k = 0; k < known.count; k++)
        if (strcmp(known.file[k].name, name) == 0) return &known.file[k];
    crs_fail(e, CREASE_NO_INPUT, "%.200s has no %.80s; check the path, or give another result",
             file, name);
    return NULL;
}

bool crs_bundle_find(const char *path, crs_bundled *out)
{
    char file[4096];
    const char *name;
    const size_t n = crs_bundle_splits(path);
    const crs_bundled *f = n > 0 && cut(path, n, file, &name) ? find(file, name, NULL) : NULL;
    if (f) *out = *f;
    return f;
}

FILE *crs_bundle_stream(const char *path, crease_error *e)
{
    char file[4096];
    const char *name = path;
    const bool inside = cut(path, crs_bundle_splits(path), file, &name);
    const crs_bundled *f = inside ? find(file, name, e) : NULL;
    if (!f) return NULL;
    if (!f->plain)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s: %.80s is not stored in one piece as it was written; write the "
                        "result again",
                        file, name),
               NULL;
    const bool array = f->shape.order > 0;
    const crs_content content = { .shape = array ? &f->shape : NULL,
                                  .fd = open(file, O_RDONLY | O_CLOEXEC),
                                  .offset = f->offset,
                                  .bytes = (size_t)f->bytes };
    if (content.fd >= 0) return crs_content_stream(&content, path, e);
    return crs_fail(e, CREASE_NO_INPUT, "%.200s cannot be opened: %s; check the path", file,
                    strerror(errno)),
           NULL;
}

int crs_bundle_open(const char *path, long long *later)
{
    char head[CRS_NPY_HEAD], file[4096];
    crs_bundled f = { .shape.order = 0 };
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *later = 0;
    if (fd >= 0 || errno != ENOTDIR) return fd;
    if (!crs_bundle_find(path, &f) || !cut(path, crs_bundle_splits(path), file, NULL))
        return errno = ENOENT, -1;
    *later = f.offset - (f.shape.order > 0 ? (long long)crs_npy_head("<f8", &f.shape, head) : 0);
    return open(file, O_RDONLY | O_CLOEXEC);
}

/* ---- writing ---- */

bool crs_bundle_named(const char *path, bool *is, crease_error *e)
{
    *is = !crs_is_memory(path) && (crs_ends_in(path, ".h5") || crs_ends_in(path, ".hdf5"));
    return !*is || holder()->holds ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "%.200s would be an HDF5 file, and this build has no %s; or name a folder",
                    path, holder()->needs);
}

bool crs_bundle_begin(const char *file, crease_error *e) { return holder()->holds->begin(file, e); }

/* Room in the file of a path; *at is in it, not open yet. */
static bool take_room(const char *path, const crs_room_asked *room, char file[4096], crs_laid *at,
                      crease_error *e)
{
    const char *name = path;
    char dataset[260];
    if (!cut(path, crs_bundle_splits(path), file, &name) || !*file ||
        strlen(name) >= sizeof dataset)
        return crs_fail(e, CREASE_IO, "%.200s cannot be written: it has no place in a file", path);
    snprintf(dataset, sizeof dataset, "%.*s", (int)(strlen(name) - (room->shape ? 4 : 0)), name);
    *at = (crs_laid){ .path = file, .fd = -1 };
    return holder()->holds->add(file, dataset, room, &at->offset, e);
}

bool crs_bundle_lay(const char *path, const crease_space *s, long long *offset, crease_error *e)
{
    char file[4096];
    crs_laid at;
    const crs_room_asked room = { .shape = s, .bytes = 8 * (size_t)crease_size(s) };
    const bool done = take_room(path, &room, file, &at, e);
    *offset = at.offset;
    return done;
}

bool crs_bundle_put(const char *path, crs_put *put, const void *what, crs_stamp *stamp,
                    crease_error *e)
{
    char file[4096];
    crs_laid at;
    crs_hash hash;
    crs_text t;
    FILE *f = crs_text_open(&t);
    bool done = f && put(f, what) && fflush(f) == 0 && !ferror(f);
    if (f) fclose(f);
    if (!done) crs_fail(e, CREASE_NO_MEMORY, "out of memory: %.200s", path);
    const crs_room_asked room = { .bytes = t.count,
                                  .text = t.count > 0 && !memchr(t.bytes, 0, t.count) };
    done = done && take_room(path, &room, file, &at, e) && crs_laid_open(&at, e);
    if (done) {
        done = crs_laid_bytes(&at, 0, t.bytes, t.count, e);
        crs_laid_close(&at);
    }
    if (done && stamp) {
        crs_hash_begin(&hash);
        crs_hash_add(&hash, t.bytes, t.count);
        stamp->bytes = (long long)t.count;
        crs_hash_end(&hash, stamp->hash);
    }
    crs_free(t.bytes);
    return done;
}

/* Entries one after the other. */
typedef struct {
    crs_laid to;
    ptrdiff_t at;
    const crease_watch *watch;
    crease_error *e;
} filling;

static bool put_items(void *self, ptrdiff_t count, const double *x)
{
    filling *f = self;
    (void)crease_watch_over(f->watch); /* gives looks */
    if (!crs_laid_put(&f->to, f->at, count, x, f->e)) return false;
    f->at += count;
    return true;
}

bool crs_bundle_item(const char *path, const crs_item *item, crs_stamp *stamp, crease_error *e)
{
    char file[4096];
    const crs_room_asked room = { .shape = item->shape,
                                  .bytes = 8 * (size_t)crease_size(item->shape) };
    filling f = { .watch = stamp ? stamp->watch : NULL, .e = e };
    if (!take_room(path, &room, file, &f.to, e) || !crs_laid_open(&f.to, e)) return false;
    const bool done = crs_item_each(item, put_items, &f);
    crs_laid_close(&f.to);
    return done && (!stamp || crs_stamp_read(path, stamp, e));
}
