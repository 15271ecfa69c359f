/* SPDX-License-Identifier: MIT
 * folder: a result is written beside its name, flushed to the disk, then renamed */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/result/result.h"

static bool fail_write(const char *path, crease_error *e)
{
    const int why = errno;
    return crs_fail(e, why == ENOMEM ? CREASE_NO_MEMORY : CREASE_IO,
                    "%.200s cannot be written: %s; check the folder and the space left", path,
                    strerror(why));
}

char *crs_folder_file(const char *folder, const char *name, crease_error *e)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = crs_alloc(room, 1);
    if (path)
        snprintf(path, room, "%s/%s", folder, name);
    else
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the name of a file");
    return path;
}

static bool ours(const char *name)
{
    static const char *const known[] = {
        "result.json", "certificate.json", "history.csv", "lambda.npy", "problem.json",
        "data.npy",    "mask.npy",         "lowrank.npy", "sparse.npy", "noise.npy",
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(name, known[k]) == 0) return true;
    return strncmp(name, "x_", 2) == 0 && crs_ends_in(name, ".npy");
}

/* Does the folder hold nothing but a result? `erase` also deletes it. */
static bool only_ours(const char *folder, bool erase)
{
    DIR *d = opendir(folder);
    bool good = d;
    for (struct dirent *at = good ? readdir(d) : NULL; at && good; at = readdir(d)) {
        if (strcmp(at->d_name, ".") == 0 || strcmp(at->d_name, "..") == 0) continue;
        good = ours(at->d_name);
        char *path = good && erase ? crs_folder_file(folder, at->d_name, NULL) : NULL;
        if (path) unlink(path);
        crs_free(path);
    }
    if (d) closedir(d);
    if (good && erase) rmdir(folder);
    return good;
}

static bool may_have(const char *path, bool force, bool *taken, crease_error *e)
{
    struct stat s;
    *taken = lstat(path, &s) == 0;
    if (!*taken) return true;
    if (!force)
        return crs_fail(e, CREASE_IO, "%.200s exists already; choose another name, or add --force",
                        path);
    return (S_ISDIR(s.st_mode) && only_ours(path, false)) ||
           crs_fail(e, CREASE_IO,
                    "%.200s is not a result of crease, so --force does not replace it; choose "
                    "another name",
                    path);
}

/* A name of its own beside path, by `ending`. */
static char *name_beside(const char *path, const char *ending, crease_error *e)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    char *name = crs_alloc(n + 48, 1);
    if (name)
        snprintf(name, n + 48, "%.*s.%ld.%s", (int)n, path, (long)getpid(), ending);
    else
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the name of a folder");
    return name;
}

bool crs_folder_begin(const char *path, bool force, crs_folder *f, crease_error *e)
{
    *f = (crs_folder){ .path = NULL };
    if (!may_have(path, force, &f->replaces, e)) return false;
    f->path = crs_alloc(strlen(path) + 1, 1);
    f->beside = name_beside(path, "tmp", e);
    if (f->path && f->beside) {
        strcpy(f->path, path);
        if (mkdir(f->beside, 0777) == 0) return true;
        fail_write(path, e);
    } else {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the name of a folder");
    }
    crs_free(f->path);
    crs_free(f->beside);
    return false;
}

void crs_folder_abandon(crs_folder *f)
{
    only_ours(f->beside, true);
    crs_free(f->path);
    crs_free(f->beside);
}

bool crs_folder_possible(const char *path, bool force, crease_error *e)
{
    crs_folder f;
    if (!crs_folder_begin(path, force, &f, e)) return false;
    crs_folder_abandon(&f);
    return true;
}

static void sync_folder(const char *path)
{
    const int fd = open(path, O_RDONLY);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

bool crs_folder_commit(crs_folder *f, crease_error *e)
{
    char *old = f->replaces ? name_beside(f->path, "old", e) : NULL;
    if (f->replaces && !old) return false;
    sync_folder(f->beside);
    if (old && rename(f->path, old) != 0) {
        crs_free(old);
        return fail_write(f->path, e);
    }
    if (rename(f->beside, f->path) != 0) {
        fail_write(f->path, e);
        if (old) rename(old, f->path);
        crs_free(old);
        return false;
    }
    if (old) only_ours(old, true);
    crs_free(old);
    crs_free(f->path);
    crs_free(f->beside);
    return true;
}

FILE *crs_create(const char *path, crease_error *e)
{
    FILE *f = fopen(path, "w");
    if (!f) fail_write(path, e);
    return f;
}

bool crs_finish(FILE *f, const char *path, bool written, crease_error *e)
{
    const bool flushed =
        written && !ferror(f) && fflush(f) == 0 && (fsync(fileno(f)) == 0 || errno == EINVAL);
    const int why = errno;
    const bool closed = fclose(f) == 0;
    if (flushed && closed) return true;
    if (!flushed) errno = why;
    return fail_write(path, e);
}

bool crs_write_document(const char *folder, const char *name, json_t *document, crease_error *e)
{
    char *path = document ? crs_folder_file(folder, name, e) : NULL;
    FILE *f = path ? crs_create(path, e) : NULL;
    bool done = false;
    if (!document) crs_fail(e, CREASE_NO_MEMORY, "out of memory: %s", name);
    if (f) {
        const bool put = json_dumpf(document, f, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0 &&
                         fputc('\n', f) != EOF;
        done = crs_finish(f, path, put, e);
    }
    json_decref(document);
    crs_free(path);
    return done;
}

bool crs_write_array(const char *folder, const char *name, const crease_space *s, const double *x,
                     crease_error *e)
{
    char *path = crs_folder_file(folder, name, e);
    const bool done = path && crs_write_npy(path, s, x, e);
    crs_free(path);
    return done;
}
