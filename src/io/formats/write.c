/* SPDX-License-Identifier: MIT
 * write: a file written beside its name, flushed to the disk (with a stamp: on its way there), then
 * renamed, so that a reader sees the old file or the new one and never a part. Its hash is made of
 * the bytes on their way. */
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/formats/io.h"

static bool fail_write(const char *path, crease_error *e)
{
    const int why = errno;
    return crs_fail(e, why == ENOMEM ? CREASE_NO_MEMORY : CREASE_IO,
                    "%.200s cannot be written: %s; check the folder and the space left", path,
                    strerror(why));
}

typedef struct {
    int fd;
    long long bytes;
    crs_hash hash;
    const crease_watch *watch;
} sink;

static ssize_t take(void *self, const char *from, size_t n)
{
    sink *s = self;
    for (size_t done = 0; done < n;) {
        const ssize_t now = write(s->fd, from + done, n - done);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return 0;
        done += (size_t)now;
    }
    crs_hash_add(&s->hash, from, n);
    s->bytes += (long long)n;
    (void)crease_watch_over(s->watch); /* gives looks */
    return (ssize_t)n;
}

/* Files of a folder are waited for together, when it gets its name. */
static bool begin_sync(int fd)
{
    (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    return true;
}

/* What `put` writes, gzipped on its way to f. */
static bool put_packed(FILE *f, crs_put *put, const void *what)
{
    FILE *packed = crs_gzip(f);
    const bool written = packed && put(packed, what) && fflush(packed) == 0;
    const int why = errno;
    const bool closed = packed && fclose(packed) == 0;
    if (!written) errno = why;
    return written && closed;
}

/* Where the file system cannot promise room, it is found out later. */
static bool has_room(int fd, const crs_stamp *stamp)
{
    const long long bytes = stamp ? stamp->expected : 0;
    const int why = bytes > 0 ? posix_fallocate(fd, 0, (off_t)bytes) : 0;
    errno = why;
    return why != ENOSPC && why != EFBIG && why != EDQUOT && why != EIO;
}

static bool put_all(int fd, bool packed, crs_put *put, const void *what, crs_stamp *stamp)
{
    char room[1 << 16];
    sink s = { .fd = fd, .watch = stamp ? stamp->watch : NULL };
    crs_hash_begin(&s.hash);
    FILE *f = !has_room(fd, packed ? NULL : stamp)
                  ? NULL
                  : fopencookie(&s, "wb", (cookie_io_functions_t){ .write = take });
    if (f) setvbuf(f, room, _IOFBF, sizeof room);
    const bool written = f && (packed ? put_packed(f, put, what) : put(f, what)) &&
                         fflush(f) == 0 && (stamp ? begin_sync(fd) : fsync(fd) == 0);
    const int why = errno;
    const bool closed = f && fclose(f) == 0, shut = close(fd) == 0;
    if (!written) errno = why;
    if (stamp) stamp->bytes = s.bytes, crs_hash_end(&s.hash, stamp->hash);
    return written && closed && shut;
}

/* The new name is on the disk as well once its folder is. A folder that cannot be opened or
 * synchronized has the file all the same. */
static void sync_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash) slash[slash == path] = '\0';
    const int fd = open(slash ? path : ".", O_RDONLY);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

/* A new file beside the path, and its name, to be freed; -1 with errno. */
static int open_beside(const char *path, char **beside)
{
    const size_t room = strlen(path) + 48;
    int fd = -1;
    *beside = crs_alloc(room, 1);
    if (!*beside) return errno = ENOMEM, -1;
    for (int try = 0; fd < 0 && try < 100; try++) {
        snprintf(*beside, room, "%s.%ld-%d.tmp", path, (long)getpid(), try);
        fd = open(*beside, O_RDWR | O_CREAT | O_EXCL, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    return fd;
}

bool crs_write_whole(const char *path, crs_put *put, const void *what, crs_stamp *stamp,
                     crease_error *e)
{
    char *beside;
    if (crs_is_memory(path)) return crs_memory_put(path, put, what, e);
    if (crs_bundle_splits(path)) return crs_bundle_put(path, put, what, stamp, e);
    const int fd = open_beside(path, &beside);
    bool done = fd >= 0;
    if (done) {
        done = put_all(fd, crs_ends_in(path, ".gz"), put, what, stamp) && rename(beside, path) == 0;
        const int why = errno;
        if (!done) unlink(beside);
        errno = why;
    }
    if (!done) fail_write(path, e);
    if (done) sync_folder(beside);
    crs_free(beside);
    return done;
}

bool crs_write_by(const char *path, crs_put_file *put, const void *what, crease_error *e)
{
    char *beside;
    if (crs_is_memory(path))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%.200s: files of this format are written to a disk; write .npy", path);
    const int fd = open_beside(path, &beside);
    bool done = fd >= 0;
    if (!done) fail_write(path, e);
    if (done) {
        done = put(beside, what, e);
        if (done && !(fsync(fd) == 0 && rename(beside, path) == 0)) done = fail_write(path, e);
        if (!done) unlink(beside);
        close(fd);
    }
    if (done) sync_folder(beside);
    crs_free(beside);
    return done;
}
