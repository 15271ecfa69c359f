/* SPDX-License-Identifier: MIT
 * folder: a result is written beside its name, flushed to the disk, then renamed. result.json lists
 * the files of its folder: by this list --force tells an earlier result from anything else.
 * certificate.json, the last to be written, has the size and hash of every other. A folder in the
 * memory of a job has neither sizes nor hashes: it gets them when it is saved. One HDF5 file may
 * take the place of the folder (formats/bundle.c): then its files have the same bytes, sizes and
 * hashes. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/result/result.h"

static bool no_memory(crease_error *e)
{
    return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the name of a file");
}

static bool fail_write(const char *path, crease_error *e)
{
    const int why = errno;
    return crs_fail(e, why == ENOMEM ? CREASE_NO_MEMORY : CREASE_IO,
                    "%.200s cannot be written: %s; check the folder and the space left", path,
                    strerror(why));
}

static bool fail_read(const char *path, crease_error *e)
{
    return crs_fail(e, CREASE_IO, "%.200s cannot be read as a whole; check what is in it", path);
}

char *crs_path_in(const char *folder, const char *name, crease_error *e)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = crs_alloc(room, 1);
    if (path)
        snprintf(path, room, "%s/%s", folder, name);
    else
        no_memory(e);
    return path;
}

/* A visitor of the files of a folder; false ends the walk. */
typedef bool visit(const char *path, const char *name, const void *what);

static bool is_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* Every file in an HDF5 file. */
static bool walk_inside(const char *file, visit *see, const void *what)
{
    crease_error why = { CREASE_OK, "" };
    crs_bundled at;
    for (int k = 0; crs_bundle_at(file, k, &at, &why); k++)
        if (!see(file, at.name, what)) return false;
    return why.code == CREASE_OK;
}

/* Every file in the folder and its subfolders, by its name in the first; then, with `erase`, the
 * folders go. Anything but files and folders is an end, too. */
static bool walk(const char *folder, const char *prefix, bool erase, visit *see, const void *what)
{
    DIR *d = opendir(folder);
    bool good = d;
    for (struct dirent *at = good ? readdir(d) : NULL; at && good; at = readdir(d)) {
        char name[PATH_MAX], path[PATH_MAX];
        struct stat s;
        if (strcmp(at->d_name, ".") == 0 || strcmp(at->d_name, "..") == 0) continue;
        const int n = snprintf(name, sizeof name, "%s%s", prefix, at->d_name);
        const int m = snprintf(path, sizeof path, "%s/%s", folder, at->d_name);
        good = n + 1 < PATH_MAX && m < PATH_MAX && lstat(path, &s) == 0;
        if (good && S_ISDIR(s.st_mode)) {
            strcat(name, "/");
            good = walk(path, name, erase, see, what);
        } else if (good) {
            good = S_ISREG(s.st_mode) && see(path, name, what);
        }
    }
    if (d) closedir(d);
    if (good && erase) rmdir(folder);
    return good;
}

static bool is_listed(const char *path, const char *name, const void *what)
{
    const json_t *files = what;
    size_t k;
    json_t *file;
    (void)path;
    json_array_foreach(files, k, file)
    {
        const char *text = json_string_value(file);
        if (text && strcmp(text, name) == 0) return true;
    }
    return false;
}

static bool unlink_file(const char *path, const char *name, const void *what)
{
    (void)name, (void)what;
    return unlink(path) == 0;
}

static bool erase(const char *path)
{
    return is_file(path) ? unlink(path) == 0 : walk(path, "", true, unlink_file, NULL);
}

static bool walk_result(const char *path, visit *see, const void *what)
{
    return is_file(path) ? walk_inside(path, see, what) : walk(path, "", false, see, what);
}

/* Is it a folder with a result.json that lists every file in it? */
static bool is_result(const char *folder, crease_error *e)
{
    crease_error why = { CREASE_OK, "" };
    char *path = crs_path_in(folder, "result.json", e);
    json_t *document = path ? crs_json_read(path, NULL, &why) : NULL;
    const json_t *files = json_object_get(document, "files");
    const bool good = json_is_string(json_object_get(document, "verb")) && json_is_array(files) &&
                      walk_result(folder, is_listed, files);
    if (why.code == CREASE_NO_MEMORY)
        crs_fail(e, why.code, "%s", why.text);
    else if (path && !good)
        crs_fail(e, CREASE_IO,
                 "%.200s is not a result of crease alone, so --force does not replace it; choose "
                 "another name",
                 folder);
    json_decref(document);
    crs_free(path);
    return good;
}

static bool nothing(const char *path, const char *name, const void *what)
{
    (void)path, (void)name, (void)what;
    return false;
}

/* An empty folder gives way to another one, not to a file. */
static bool may_have(const crs_folder *f, const char *path, bool force, bool *taken,
                     crease_error *e)
{
    struct stat s;
    *taken = lstat(path, &s) == 0;
    if (!*taken || (!f->one && S_ISDIR(s.st_mode) && walk(path, "", false, nothing, NULL)))
        return true;
    if (!force)
        return crs_fail(e, CREASE_IO, "%.200s exists already; choose another name, or add --force",
                        path);
    return is_result(path, e);
}

/* A name of its own beside path, by `ending`. */
static char *name_beside(const char *path, const char *ending)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    char *name = crs_alloc(n + 48, 1);
    if (name) snprintf(name, n + 48, "%.*s.%ld.%s", (int)n, path, (long)getpid(), ending);
    return name;
}

/* Can a folder or file be made beside the name? */
static bool may_begin(const crs_folder *f, crease_error *e)
{
    const int fd = f->one ? open(f->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    if (fd >= 0) close(fd);
    return (f->one ? fd >= 0 && unlink(f->beside) == 0
                   : mkdir(f->beside, 0777) == 0 && rmdir(f->beside) == 0) ||
           fail_write(f->path, e);
}

bool crs_folder_begin(const char *path, bool force, crs_folder *f, crease_error *e)
{
    bool taken = false;
    *f = (crs_folder){ .path = NULL };
    if (!path) return true;
    const bool memory = crs_is_memory(path);
    if (!crs_bundle_named(path, &f->one, e) || (!memory && !may_have(f, path, force, &taken, e)))
        return false;
    f->path = crs_alloc(strlen(path) + 1, 1);
    f->beside = memory ? crs_alloc(strlen(path) + 1, 1) : name_beside(path, "tmp");
    f->old = taken ? name_beside(path, "old") : NULL;
    bool done = (f->path && f->beside && (!taken || f->old)) || no_memory(e);
    if (done) {
        strcpy(f->path, path);
        if (memory) strcpy(f->beside, path);
        done = memory || may_begin(f, e);
    }
    if (!done) crs_folder_abandon(f);
    return done;
}

static void release(crs_folder *f)
{
    while (f->rooms > 0) close(f->room[--f->rooms]);
}

static void forget(crs_folder *f)
{
    release(f);
    for (int k = 0; k < f->count; k++) {
        crs_free(f->file[k].name);
        crs_free(f->file[k].path);
    }
    crs_free(f->file);
    crs_document_free(&f->certificate);
    crs_free(f->path);
    crs_free(f->beside);
    crs_free(f->old);
    *f = (crs_folder){ .path = NULL };
}

/* By the names it has, without any memory: for want of which it may be abandoned. */
static void erase_listed(const crs_folder *f)
{
    char path[PATH_MAX];
    if (crs_is_memory(f->beside)) {
        crs_memory_remove(f->beside);
        return;
    }
    if (f->one) {
        unlink(f->beside);
        return;
    }
    for (int k = 0; k < f->count; k++) {
        const int n = snprintf(path, sizeof path, "%s/%s", f->beside, f->file[k].name);
        if (n < PATH_MAX) unlink(path);
    }
    for (int k = 0; k < f->count; k++) {
        const int n = snprintf(path, sizeof path, "%s/%s", f->beside, f->file[k].name);
        if (n >= PATH_MAX || !strchr(f->file[k].name, '/')) continue;
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
    if (rmdir(f->beside) != 0) erase(f->beside);
}

void crs_folder_abandon(crs_folder *f)
{
    if (f->made) erase_listed(f);
    forget(f);
}

/* The name goes to the list of files. */
static bool remember(crs_folder *f, const char *name, crease_error *e)
{
    crs_member_file *more = crs_resize(f->file, (size_t)f->count + 1, sizeof *more);
    if (!more) return no_memory(e);
    f->file = more;
    more[f->count] = (crs_member_file){ .name = crs_alloc(strlen(name) + 1, 1) };
    if (!more[f->count].name) return no_memory(e);
    more[f->count].stamp.watch = f->watch;
    strcpy(more[f->count++].name, name);
    return true;
}

/* The folder itself is made by its first file, "part/name" by its first one. */
static char *new_file(crs_folder *f, const char *name, crease_error *e)
{
    const char *slash = strchr(name, '/');
    char *path = remember(f, name, e) ? crs_path_in(f->beside, name, e) : NULL;
    if (path && crs_is_memory(path)) return f->made = true, path;
    if (path && f->one) {
        f->made = f->made || crs_bundle_begin(f->beside, e);
        if (!f->made) crs_free(path);
        return f->made ? path : NULL;
    }
    bool done = path && (f->made || (f->made = mkdir(f->beside, 0777) == 0));
    if (done && slash) {
        char *end = path + strlen(path) - strlen(slash);
        *end = '\0';
        done = mkdir(path, 0777) == 0 || errno == EEXIST;
        *end = '/';
    }
    if (done) return path;
    if (path) fail_write(path, e);
    crs_free(path);
    return NULL;
}

static crs_member_file *newest(const crs_folder *f) { return &f->file[f->count - 1]; }

bool crs_folder_put(crs_folder *f, const char *name, crs_put *put, const void *what,
                    crease_error *e)
{
    if (!f->path) return true;
    char *path = new_file(f, name, e);
    const bool done = path && crs_write_whole(path, put, what, &newest(f)->stamp, e);
    crs_free(path);
    return done;
}

static bool put_array(crs_folder *f, const char *name, const crs_npy *a, crease_error *e)
{
    if (!f->path) return true;
    char *path = new_file(f, name, e);
    const bool done = path && crs_write_npy(path, a, &newest(f)->stamp, e);
    crs_free(path);
    return done;
}

bool crs_folder_array(crs_folder *f, const char *name, const crease_space *s, const double *x,
                      crease_error *e)
{
    return put_array(f, name, &(crs_npy){ s, x, NULL }, e);
}

bool crs_folder_pieces(crs_folder *f, const char *name, const crease_space *s, const crs_pieces *p,
                       crease_error *e)
{
    return put_array(f, name, &(crs_npy){ s, NULL, p }, e);
}

bool crs_folder_hold(crs_folder *f, const crease_space *s, crease_error *e)
{
    if (!f->path || f->made || f->rooms == CRS_HELD || crs_is_memory(f->path)) return true;
    const int fd = crs_hold_room(f->beside, 8 * (long long)crease_size(s), f->path, e);
    if (fd >= 0) f->room[f->rooms++] = fd;
    return fd >= 0;
}

static bool lay_in_memory(const char *path, const crease_space *s, crease_error *e)
{
    double *x = crs_doubles(crease_size(s), "an array of the result", e);
    return x && crs_memory_own(path, s, x, e);
}

static bool lay_in_file(const char *path, const crease_space *s, long long *offset, crease_error *e)
{
    char head[CRS_NPY_HEAD];
    const size_t n = crs_npy_head("<f8", s, head);
    *offset = (long long)n;
    return crs_lay_bytes(path, head, n, 8 * (long long)crease_size(s), e);
}

bool crs_folder_lay(crs_folder *f, const char *name, const crease_space *s, crease_error *e)
{
    if (!f->path) return true;
    if (!crease_space_check(s, e)) return false;
    release(f);
    char *path = new_file(f, name, e);
    if (!path) return false;
    crs_member_file *own = newest(f);
    own->path = path;
    if (crs_is_memory(path)) return lay_in_memory(path, s, e);
    return f->one ? crs_bundle_lay(path, s, &own->offset, e)
                  : lay_in_file(path, s, &own->offset, e);
}

static crs_member_file *member(const crs_folder *f, const char *name)
{
    for (int k = 0; k < f->count; k++)
        if (strcmp(f->file[k].name, name) == 0) return &f->file[k];
    return NULL;
}

bool crs_folder_laid(const crs_folder *f, const char *name, crs_laid *out, crease_error *e)
{
    const crs_member_file *own = member(f, name);
    *out = (crs_laid){ .fd = -1 };
    if (!own) return crs_fail(e, CREASE_IO, "%.100s has no place in the result", name);
    out->path = f->one ? f->beside : own->path;
    out->offset = own->offset;
    if (crs_is_memory(own->path)) out->memory = crs_memory_find(own->path)->own;
    return true;
}

bool crs_folder_filled(crs_folder *f, const char *name, crease_error *e)
{
    crs_member_file *own = member(f, name);
    if (!own || crs_is_memory(own->path)) return true; /* stamped when it is saved */
    return crs_stamp_read(own->path, &own->stamp, e);
}

bool crs_folder_document(crs_folder *f, const char *name, crs_document *d, crease_error *e)
{
    if (!f->path) return true;
    char *path = new_file(f, name, e);
    const bool done = path && crs_document_write(d, path, &newest(f)->stamp, e);
    crs_free(path);
    return done;
}

bool crs_folder_certify(crs_folder *f, crs_document *certificate, crease_error *e)
{
    const bool whole = !certificate->failed;
    crs_document_free(&f->certificate);
    f->certificate = *certificate;
    *certificate = (crs_document){ .root = NULL };
    if (!f->path || !whole) crs_document_free(&f->certificate);
    return whole || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the certificate");
}

static void put_stamp(crs_spot files, const char *name, const crs_stamp *stamp)
{
    const crs_spot to = crs_put_object(files, name);
    crs_put_whole(to, "bytes", stamp->bytes);
    crs_put_text(to, "hash", stamp->hash);
}

/* {"name": {"bytes": 10, "hash": "sha256:..."}, ...} */
static bool put_certificate(crs_folder *f, crease_error *e)
{
    crs_document *d = &f->certificate;
    if (!d->root) return true;
    if (crs_is_memory(f->path))
        return crs_document_seal(d, e) && crs_folder_document(f, "certificate.json", d, e);
    const crs_spot files = crs_put_object((crs_spot){ d, d->root }, "files");
    for (int k = 0; k < f->count; k++) put_stamp(files, f->file[k].name, &f->file[k].stamp);
    return crs_document_seal(d, e) && crs_folder_document(f, "certificate.json", d, e);
}

static void sync_folder(const char *path)
{
    const int fd = open(path, O_RDONLY);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

static bool sync_file(const char *path, crease_error *e)
{
    const int fd = open(path, O_RDONLY);
    const bool done = (fd >= 0 && (fsync(fd) == 0 || errno == EINVAL)) || fail_write(path, e);
    if (fd >= 0) close(fd);
    return done;
}

/* Every file of the folder is on the disk. */
static bool sync_files(const crs_folder *f, crease_error *e)
{
    bool done = true;
    if (f->one) return sync_file(f->beside, e);
    for (int k = 0; done && k < f->count; k++) {
        char *path = crs_path_in(f->beside, f->file[k].name, e);
        done = path && sync_file(path, e);
        crs_free(path);
        (void)crease_watch_over(f->watch); /* gives looks */
    }
    sync_folder(f->beside);
    return done;
}

/* An earlier result goes only when the new one has its name. */
static bool rename_folder(const crs_folder *f, crease_error *e)
{
    const bool away = !f->old || rename(f->path, f->old) == 0;
    const bool done = away && rename(f->beside, f->path) == 0;
    if (!done) {
        const int why = errno;
        if (f->old && away) rename(f->old, f->path);
        crs_fail(e, CREASE_IO, "%.200s cannot be the result's name: %s; the result is in %.200s",
                 f->path, strerror(why), f->beside);
    }
    if (f->old && done) erase(f->old);
    return done;
}

typedef struct {
    crs_folder *f;
    crease_error *e;
} adoption;

static bool adopt(const char *path, const char *name, const void *what)
{
    const adoption *a = what;
    for (int k = 0; k < a->f->count; k++)
        if (strcmp(a->f->file[k].name, name) == 0) return true;
    return remember(a->f, name, a->e) && crs_stamp_read(path, &newest(a->f)->stamp, a->e);
}

bool crs_folder_adopt(crs_folder *f, crease_error *e)
{
    return walk(f->beside, "", false, adopt, &(adoption){ f, e });
}

bool crs_folder_commit(crs_folder *f, crs_document *result, crease_error *e)
{
    if (f->path && f->format && !crs_folder_export(f, result, e))
        return crs_folder_abandon(f), false;
    const crs_spot top = { result, result->root };
    if (f->command[0])
        crs_put_path(top, "command", f->command);
    else
        crs_put_null(top, "command");
    const crs_spot files = crs_put_list(top, "files");
    for (int k = 0; k < f->count; k++) crs_put_text(files, NULL, f->file[k].name);
    if (!f->path) return true;
    const bool certified = f->certificate.root;
    if (certified) crs_put_text(files, NULL, "certificate.json");
    crs_put_text(files, NULL, "result.json");
    /* whoever has sent a signal waits for the files, not for the disk */
    const bool late = crease_watch_why(result->watch) != CREASE_NOT_RUN;
    const bool memory = crs_is_memory(f->path);
    if (!crs_folder_document(f, "result.json", result, e) || !put_certificate(f, e) ||
        (f->one && !crs_folder_label(f, result, e)) || (!late && !memory && !sync_files(f, e)))
        return crs_folder_abandon(f), false;
    crs_folder named = { .files = f->count, .certified = certified };
    for (int k = 0; k < f->count; k++) named.bytes += f->file[k].stamp.bytes;
    const bool done = memory || rename_folder(f, e);
    forget(f);
    if (done) *f = named;
    return done;
}

/* The files of a folder in memory, one after the other, by their names in it. */
static const char *name_within(const crs_memory_file *file, const char *folder)
{
    const char *inside = strchr(folder, ':') + 1;
    const size_t n = strlen(inside);
    return strncmp(file->name, inside, n) == 0 && file->name[n] == '/' ? file->name + n + 1 : NULL;
}

/* A document of a folder in memory, its whole numbers as they are. */
static bool read_document(const char *folder, const char *name, crs_document *d, crease_error *e)
{
    char *path = crs_path_in(folder, name, e), *text = NULL;
    size_t n = 0;
    const bool read = path && crs_text_read(path, &text, &n, e);
    *d = (crs_document){ .root = read ? crs_json_parse_whole(path, text, n, e) : NULL };
    crs_free(path);
    crs_free(text);
    return d->root;
}

static bool write_document(const char *folder, const char *name, crs_document *d, crease_error *e)
{
    char *path = crs_path_in(folder, name, e);
    const bool done = path && crs_document_write(d, path, NULL, e);
    crs_free(path);
    return done;
}

/* "files" of result.json: all that is there now. */
static bool list_files(const char *folder, crease_error *e)
{
    const crs_job_memory *m = crs_memory_now();
    crs_document d;
    if (!read_document(folder, "result.json", &d, e)) return false;
    const crs_spot files = crs_put_list((crs_spot){ &d, d.root }, "files");
    for (int k = 0; k < m->count; k++) {
        const char *name = name_within(&m->file[k], folder);
        if (name) crs_put_text(files, NULL, name);
    }
    const bool done = write_document(folder, "result.json", &d, e);
    crs_document_free(&d);
    return done;
}

static bool stamp_files(const char *folder, crs_spot files, crease_error *e)
{
    const crs_job_memory *m = crs_memory_now();
    for (int k = 0; k < m->count; k++) {
        const char *name = name_within(&m->file[k], folder);
        if (!name || strcmp(name, "certificate.json") == 0) continue;
        char *path = crs_path_in(folder, name, e);
        crs_stamp stamp = { .bytes = 0 };
        const bool read = path && crs_stamp_read(path, &stamp, e);
        crs_free(path);
        if (!read) return false;
        put_stamp(files, name, &stamp);
    }
    return true;
}

bool crs_folder_seal(const char *folder, crease_error *e)
{
    char *certificate = crs_path_in(folder, "certificate.json", e);
    crs_document d = { .root = NULL };
    if (!certificate) return false;
    const bool certified = crs_is_there(certificate);
    crs_free(certificate);
    if (!list_files(folder, e)) return false;
    if (!certified) return true;
    bool done = read_document(folder, "certificate.json", &d, e);
    if (done) {
        json_object_del(d.root, "seal"); /* which is the last of its keys */
        json_object_del(d.root, "files");
        done = stamp_files(folder, crs_put_object((crs_spot){ &d, d.root }, "files"), e) &&
               crs_document_seal(&d, e) && write_document(folder, "certificate.json", &d, e);
    }
    crs_document_free(&d);
    return done;
}

static bool put_bytes(FILE *f, const void *what)
{
    const crs_memory_file *m = what;
    return fwrite(m->bytes, 1, m->count, f) == m->count;
}

bool crs_folder_save(const char *folder, const char *path, bool force, const crease_watch *w,
                     crease_error *e)
{
    const crs_job_memory *m = crs_memory_now();
    crs_folder f;
    if (!crs_folder_seal(folder, e) || !crs_folder_begin(path, force, &f, e)) return false;
    f.watch = w;
    bool done = true;
    for (int k = 0; done && k < m->count; k++) {
        const crs_memory_file *file = &m->file[k];
        const char *name = name_within(file, folder);
        if (!name) continue;
        done = file->shape.order > 0 ? crs_folder_array(&f, name, &file->shape, file->data, e)
                                     : crs_folder_put(&f, name, put_bytes, file, e);
        if (done && crease_watch_why(w) == CREASE_STOPPED) done = crs_cut(e, "writing the folder");
    }
    done = done && sync_files(&f, e) && rename_folder(&f, e);
    if (done) f.made = false; /* it has its name */
    crs_folder_abandon(&f);
    return done;
}

typedef struct {
    const char *from, *to;
    crease_error *e;
} loading;

static bool load_array(const char *from, const char *to, crease_error *e)
{
    crs_array x;
    if (!crs_read_array(from, &x, e)) return false;
    double *data = x.data;
    x.data = NULL;
    const bool done = crs_memory_own(to, &x.shape, data, e);
    crs_array_free(&x);
    return done;
}

static bool load_bytes(const char *from, const char *to, crease_error *e)
{
    char *text;
    size_t n;
    const bool done = crs_text_read(from, &text, &n, e) && crs_memory_bytes(to, text, n, e);
    crs_free(text);
    return done;
}

static bool load(const char *path, const char *name, const void *what)
{
    const loading *l = what;
    char *from = crs_path_in(l->from, name, l->e),
         *to = from ? crs_path_in(l->to, name, l->e) : NULL;
    const bool array = crs_ends_in(name, ".npy");
    const bool done = to && (array ? load_array(from, to, l->e) : load_bytes(from, to, l->e));
    (void)path;
    crs_free(from);
    crs_free(to);
    return done;
}

bool crs_folder_load(const char *path, const char *folder, crease_error *e)
{
    crease_error why = { CREASE_OK, "" };
    char *result = crs_path_in(path, "result.json", e);
    FILE *f = result ? crs_open(result, e) : NULL;
    crs_free(result);
    if (!f) return false;
    fclose(f);
    if (walk_result(path, load, &(loading){ path, folder, &why })) return true;
    return why.code == CREASE_OK ? fail_read(path, e) : crs_fail(e, why.code, "%s", why.text);
}

/* Every file that the certificate does not list. */
typedef struct {
    const json_t *files;
    char *why;
} strange;

static bool is_known(const char *path, const char *name, const void *what)
{
    const strange *s = what;
    (void)path;
    if (strcmp(name, "certificate.json") == 0 || json_object_get(s->files, name)) return true;
    snprintf(s->why, CRS_WHY, "%.120s is not a file of this result; move it elsewhere", name);
    return false;
}

/* Is there a file of the result at this path, how large is it, and is it a plain one? */
static bool measure(const char *path, long long *bytes, bool *plain)
{
    char head[CRS_NPY_HEAD];
    crs_bundled f;
    struct stat s;
    const bool there = stat(path, &s) == 0, inside = !there && crs_bundle_find(path, &f);
    if (there) *bytes = (long long)s.st_size, *plain = S_ISREG(s.st_mode);
    if (inside) *bytes = f.bytes, *plain = f.plain;
    if (inside && f.plain && f.shape.order > 0)
        *bytes += (long long)crs_npy_head("<f8", &f.shape, head);
    return there || inside;
}

static bool same_file(const char *folder, const char *name, const json_t *was, char why[CRS_WHY],
                      crease_error *e)
{
    const double bytes = json_number_value(json_object_get(was, "bytes"));
    const char *hash = json_string_value(json_object_get(was, "hash"));
    crease_error own = { CREASE_OK, "" };
    long long now = 0;
    bool plain = false;
    crs_stamp is = { .bytes = 0 };
    char *path = crs_path_in(folder, name, e);
    if (!path) return false;
    const bool there = measure(path, &now, &plain), sized = there && (double)now == bytes;
    const bool read = sized && crs_stamp_read(path, &is, &own);
    crs_free(path);
    if (own.code == CREASE_NO_MEMORY) return crs_fail(e, own.code, "%s", own.text);
    if (!there)
        snprintf(why, CRS_WHY, "%.120s is missing", name);
    else if (!plain)
        snprintf(why, CRS_WHY,
                 is_file(folder) ? "%.100s has changed since it was written: it is stored otherwise"
                                 : "%.120s is no plain file",
                 name);
    else if (sized && !read)
        snprintf(why, CRS_WHY, "%.180s", own.text);
    else if (!sized)
        snprintf(why, CRS_WHY,
                 "%.100s has changed since it was written: it had %.0f bytes and has %lld", name,
                 bytes, now);
    else if (!hash || strcmp(hash, is.hash) != 0)
        snprintf(why, CRS_WHY, "%.100s has changed since it was written: its SHA-256 is another",
                 name);
    return true;
}

bool crs_certificate_holds(const crs_certificate *c, char why[CRS_WHY], crease_error *e)
{
    json_t *files = json_object_get(c->document, "files"), *was;
    const strange s = { files, why };
    const char *name;
    why[0] = '\0';
    if (crs_is_memory(c->folder)) return true; /* sealed when it is saved */
    if (!c->sealed)
        snprintf(why, CRS_WHY, "certificate.json has changed since it was written");
    else if (!json_object_get(files, "result.json"))
        snprintf(why, CRS_WHY, "certificate.json does not list the files of its folder");
    json_object_foreach(files, name, was)
    {
        if (!why[0] && !same_file(c->folder, name, was, why, e)) return false;
    }
    if (!why[0]) walk_result(c->folder, is_known, &s);
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
