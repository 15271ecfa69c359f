/* SPDX-License-Identifier: MIT
 * write: a file written beside its name, flushed to the disk, then renamed, so that a reader sees
 * the old file or the new one and never a part */
#define _POSIX_C_SOURCE 200809L
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

static bool put_all(int fd, crs_put *put, const void *what)
{
    FILE *f = fdopen(fd, "wb");
    if (!f) {
        close(fd);
        return false;
    }
    const bool written = put(f, what) && fflush(f) == 0 && fsync(fd) == 0;
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

bool crs_write_whole(const char *path, crs_put *put, const void *what, crease_error *e)
{
    const size_t room = strlen(path) + 48;
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
        done = put_all(fd, put, what) && rename(beside, path) == 0;
        const int why = errno;
        if (!done) unlink(beside);
        errno = why;
    }
    if (!done) fail_write(path, e);
    if (done) sync_folder(beside);
    crs_free(beside);
    return done;
}
