/* SPDX-License-Identifier: MIT
 * laid: an array that has room for all its entries before the first is written; threads and
 * processes write parts of it at their places, in any order */
#define _GNU_SOURCE /* fallocate, sync_file_range */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/formats/io.h"

static bool fail_write(const char *name, int why, crease_error *e)
{
    return crs_fail(e, CREASE_IO,
                    "%.200s cannot be written: %s; check the folder and the space left", name,
                    strerror(why));
}

bool crs_take_room(int fd, long long offset, long long bytes, const char *name, crease_error *e)
{
    const int why = fallocate(fd, 0, (off_t)offset, (off_t)bytes) == 0 ? 0 : errno;
    const bool full = why == ENOSPC || why == EFBIG || why == EDQUOT || why == EIO;
    return !full || crs_fail(e, CREASE_IO,
                             "%.200s needs %.4g MB, for which there is no room: %s; choose another "
                             "disk, or make room",
                             name, (double)bytes / 1e6, strerror(why));
}

int crs_hold_room(const char *path, long long bytes, const char *name, crease_error *e)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return fail_write(name, errno, e), -1;
    unlink(path);
    if (crs_take_room(fd, 0, bytes, name, e)) return fd;
    close(fd);
    return -1;
}

bool crs_lay_bytes(const char *path, const void *head, size_t n, long long bytes, crease_error *e)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return fail_write(path, errno, e);
    bool done = write(fd, head, n) == (ssize_t)n || fail_write(path, errno, e);
    done = done && crs_take_room(fd, (long long)n, bytes, path, e) &&
           (ftruncate(fd, (off_t)n + (off_t)bytes) == 0 || fail_write(path, errno, e));
    if (close(fd) != 0 && done) done = fail_write(path, errno, e);
    if (!done) unlink(path);
    return done;
}

bool crs_laid_open(crs_laid *l, crease_error *e)
{
    l->fd = l->memory ? -1 : open(l->path, O_WRONLY | O_CLOEXEC);
    return l->memory || l->fd >= 0 || fail_write(l->path, errno, e);
}

void crs_laid_close(crs_laid *l)
{
    if (l->memory || l->fd < 0) return;
    (void)sync_file_range(l->fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* whoever needs it waits later */
    close(l->fd);
    l->fd = -1;
}

bool crs_laid_bytes(const crs_laid *l, long long at, const void *bytes, size_t n, crease_error *e)
{
    for (size_t done = 0; done < n;) {
        const ssize_t now = pwrite(l->fd, (const char *)bytes + done, n - done,
                                   (off_t)(l->offset + at + (long long)done));
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return fail_write(l->path, now < 0 ? errno : ENOSPC, e);
        done += (size_t)now;
    }
    return true;
}

bool crs_laid_put(const crs_laid *l, ptrdiff_t first, ptrdiff_t count, const double *x,
                  crease_error *e)
{
    enum { MANY = 4096 };
    unsigned char raw[8 * MANY];
    const int one = 1;
    if (l->memory) return copy(count, x, l->memory + first), true;
    if (*(const char *)&one == 1) /* numbers lie in memory as they do in the file */
        return crs_laid_bytes(l, 8 * (long long)first, x, 8 * (size_t)count, e);
    for (ptrdiff_t done = 0, now; done < count; done += now) {
        now = count - done < MANY ? count - done : MANY;
        for (ptrdiff_t k = 0; k < now; k++) {
            uint64_t bits;
            memcpy(&bits, &x[done + k], sizeof bits);
            crs_number_put(8, bits, raw + 8 * k);
        }
        if (!crs_laid_bytes(l, 8 * (long long)(first + done), raw, 8 * (size_t)now, e))
            return false;
    }
    return true;
}
