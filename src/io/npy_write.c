/* SPDX-License-Identifier: MIT
 * npy_write: an array to a .npy file: written beside it, flushed to the disk, then renamed, so
 * that a reader sees the old file or the new one and never a part */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/io.h"

static bool fail_write(const char *path, crease_error *e)
{
    const int why = errno;
    return crs_fail(e, why == ENOMEM ? CREASE_NO_MEMORY : CREASE_IO,
                    "%.200s cannot be written: %s; check the folder and the space left", path,
                    strerror(why));
}

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

static bool put_all(int fd, const crease_space *s, const double *data)
{
    char head[512];
    FILE *f = fdopen(fd, "wb");
    if (!f) {
        close(fd);
        return false;
    }
    const size_t n = header(s, head, sizeof head);
    const bool written = fwrite(head, 1, n, f) == n && put_items(f, crease_size(s), data) &&
                         fflush(f) == 0 && fsync(fd) == 0;
    const int why = errno;
    const bool closed = fclose(f) == 0;
    if (!written) errno = why;
    return written && closed;
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

bool crs_write_npy(const char *path, const crease_space *s, const double *data, crease_error *e)
{
    const size_t room = strlen(path) + 48;
    if (!crease_space_check(s, e)) return false;
    char *beside = crs_alloc(room, 1);
    if (!beside) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the name of a file");
    int fd = -1;
    for (int try = 0; fd < 0 && try < 100; try++) {
        snprintf(beside, room, "%s.%ld-%d.tmp", path, (long)getpid(), try);
        fd = open(beside, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    bool done = fd >= 0;
    if (done) {
        done = put_all(fd, s, data) && rename(beside, path) == 0;
        const int why = errno;
        if (!done) unlink(beside);
        errno = why;
    }
    if (!done) fail_write(path, e);
    if (done) sync_folder(beside);
    crs_free(beside);
    return done;
}
