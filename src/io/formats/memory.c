/* SPDX-License-Identifier: MIT
 * memory: the files of a job that are in memory, for the thread that it runs on
 *
 * An array is read as an .npy file by those who want bytes: a header, then the entries where they
 * lie. */
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>
#include <stdarg.h>
#include <sys/types.h>
#include <unistd.h>

#include "io/formats/io.h"

static _Thread_local crs_job_memory *now;

crs_job_memory *crs_memory_now(void) { return now; }

crs_job_memory *crs_memory_enter(crs_job_memory *m)
{
    crs_job_memory *before = now;
    now = m;
    return before;
}

FILE *crs_out(void) { return now ? now->out : stdout; }
FILE *crs_err(void) { return now ? now->err : stderr; }

int crs_print(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vfprintf(crs_out(), format, list);
    va_end(list);
    return n;
}

static const char prefix[] = "memory:";

bool crs_is_memory(const char *path) { return strncmp(path, prefix, sizeof prefix - 1) == 0; }

static const char *name_of(const char *path) { return path + sizeof prefix - 1; }

static crs_memory_file *find(const char *path)
{
    for (int k = 0; now && crs_is_memory(path) && k < now->count; k++)
        if (strcmp(now->file[k].name, name_of(path)) == 0) return &now->file[k];
    return NULL;
}

const crs_memory_file *crs_memory_find(const char *path) { return find(path); }

/* A folder is there when one of its files is. */
static bool is_folder(const char *path)
{
    const char *name = name_of(path);
    const size_t n = strlen(name);
    for (int k = 0; now && k < now->count; k++)
        if (strncmp(now->file[k].name, name, n) == 0 && now->file[k].name[n] == '/') return true;
    return false;
}

bool crs_is_there(const char *path)
{
    crs_bundled held;
    if (crs_is_memory(path)) return find(path) || is_folder(path);
    return access(path, F_OK) == 0 || (errno == ENOTDIR && crs_bundle_find(path, &held));
}

/* What a stream reads: first the head, then the body. */
typedef struct {
    char head[CRS_NPY_HEAD];
    crs_content body;
    size_t first, all, at; /* bytes of the head; of both; read so far */
} reading;

static ssize_t next(void *self, char *to, size_t n)
{
    reading *r = self;
    const bool early = r->at < r->first;
    const size_t left = (early ? r->first : r->all) - r->at, wanted = left < n ? left : n;
    ssize_t taken = (ssize_t)wanted;
    if (!early && !r->body.body && wanted > 0) do
            taken = pread(r->body.fd, to, wanted,
                          (off_t)(r->body.offset + (long long)(r->at - r->first)));
        while (taken < 0 && errno == EINTR);
    else if (wanted > 0)
        memcpy(to, early ? r->head + r->at : r->body.body + (r->at - r->first), wanted);
    if (taken > 0) r->at += (size_t)taken;
    return taken;
}

static int seek(void *self, off64_t *to, int whence)
{
    reading *r = self;
    const off64_t from = whence == SEEK_SET ? 0 : (off64_t)(whence == SEEK_CUR ? r->at : r->all);
    if (from + *to < 0 || from + *to > (off64_t)r->all) return -1;
    *to += from;
    r->at = (size_t)*to;
    return 0;
}

static int end(void *self)
{
    const reading *r = self;
    if (!r->body.body) close(r->body.fd);
    crs_free(self);
    return 0;
}

FILE *crs_content_stream(const crs_content *c, const char *path, crease_error *e)
{
    static const cookie_io_functions_t calls = { .read = next, .seek = seek, .close = end };
    reading *r = crs_alloc(1, sizeof *r);
    if (r) {
        r->body = *c;
        r->first = c->shape ? crs_npy_head("<f8", c->shape, r->head) : 0;
        r->all = r->first + c->bytes;
    }
    FILE *stream = r ? fopencookie(r, "rb", calls) : NULL;
    if (stream) return stream;
    if (!c->body) close(c->fd);
    crs_free(r);
    return crs_fail(e, CREASE_NO_MEMORY, "out of memory: reading %.200s", path), NULL;
}

FILE *crs_memory_stream(const char *path, crease_error *e)
{
    const crs_memory_file *f = find(path);
    if (!f)
        return crs_fail(e, CREASE_NO_INPUT, "%.200s: the job was given no file of this name", path),
               NULL;
    const bool array = f->shape.order > 0;
    const crs_content content = {
        .shape = array ? &f->shape : NULL,
        .body = array ? (const char *)f->data : f->bytes,
        .bytes = array ? (size_t)crease_size(&f->shape) * sizeof(double) : f->count,
    };
    return crs_content_stream(&content, path, e);
}

static ssize_t write_text(void *self, const char *from, size_t n)
{
    crs_text *t = self;
    if (t->count + n + 1 > t->room) {
        const size_t room = 2 * (t->count + n + 1);
        char *moved = crs_resize(t->bytes, room, 1);
        if (!moved) return 0;
        t->bytes = moved;
        t->room = room;
    }
    memcpy(t->bytes + t->count, from, n);
    t->count += n;
    t->bytes[t->count] = '\0';
    return (ssize_t)n;
}

FILE *crs_text_open(crs_text *t)
{
    *t = (crs_text){ .bytes = NULL };
    return fopencookie(t, "wb", (cookie_io_functions_t){ .write = write_text });
}

static void clear(crs_memory_file *f)
{
    crs_free(f->own);
    crs_free(f->bytes);
    *f = (crs_memory_file){ .name = f->name };
}

/* The file of this path without a content; NULL with a sentence. */
static crs_memory_file *blank(const char *path, crease_error *e)
{
    crs_memory_file *f = find(path);
    if (f) return clear(f), f;
    if (!now || !crs_is_memory(path) || !*name_of(path)) {
        crs_fail(e, CREASE_IO, "%.200s: there is no job whose memory it could be in", path);
        return NULL;
    }
    char *name = crs_alloc(strlen(name_of(path)) + 1, 1);
    crs_memory_file *more = crs_resize(now->file, (size_t)now->count + 1, sizeof *more);
    if (more) now->file = more;
    if (!name || !more) {
        crs_free(name);
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the name of a file");
        return NULL;
    }
    strcpy(name, name_of(path));
    more[now->count] = (crs_memory_file){ .name = name };
    return &more[now->count++];
}

bool crs_memory_own(const char *path, const crease_space *s, double *x, crease_error *e)
{
    crs_memory_file *f = blank(path, e);
    if (f)
        f->shape = *s, f->data = f->own = x;
    else
        crs_free(x);
    return f;
}

bool crs_memory_borrow(const char *path, const crease_space *s, const double *x, crease_error *e)
{
    crs_memory_file *f = blank(path, e);
    if (f) f->shape = *s, f->data = x;
    return f;
}

typedef struct {
    const void *bytes;
    size_t count;
} piece;

static bool put_piece(FILE *f, const void *what)
{
    const piece *p = what;
    return fwrite(p->bytes, 1, p->count, f) == p->count;
}

bool crs_memory_bytes(const char *path, const void *bytes, size_t n, crease_error *e)
{
    return crs_memory_put(path, put_piece, &(piece){ bytes, n }, e);
}

bool crs_memory_put(const char *path, crs_put *put, const void *what, crease_error *e)
{
    crs_text t;
    FILE *f = crs_text_open(&t);
    const bool written = f && put(f, what) && fflush(f) == 0 && !ferror(f);
    if (f) fclose(f);
    if (written && !t.bytes) t.bytes = crs_alloc(1, 1); /* nothing was written */
    crs_memory_file *to = written && t.bytes ? blank(path, e) : NULL;
    if (!written || !t.bytes) crs_fail(e, CREASE_NO_MEMORY, "out of memory: %.200s", path);
    if (to)
        to->bytes = t.bytes, to->count = t.count;
    else
        crs_free(t.bytes);
    return to;
}

static bool copy_items(void *self, ptrdiff_t count, const double *x)
{
    double **to = self;
    copy(count, x, *to);
    *to += count;
    return true;
}

bool crs_memory_item(const char *path, const crs_item *item, crease_error *e)
{
    double *x = crs_doubles(crease_size(item->shape), "an array of the result", e), *to = x;
    return x && crs_item_each(item, copy_items, &to) && crs_memory_own(path, item->shape, x, e);
}

void crs_memory_remove(const char *path)
{
    const char *name = name_of(path);
    int kept = 0;
    for (int k = 0; now && k < now->count; k++) {
        if (strncmp(now->file[k].name, name, strlen(name)) == 0) {
            clear(&now->file[k]);
            crs_free(now->file[k].name);
        } else {
            now->file[kept++] = now->file[k];
        }
    }
    if (now) now->count = kept;
}

bool crs_memory_function_add(crs_job_memory *m, const crs_memory_function *f, crease_error *e)
{
    char *name = crs_alloc(strlen(f->name) + 1, 1);
    crs_memory_function *more = crs_resize(m->function, (size_t)m->functions + 1, sizeof *more);
    if (more) m->function = more;
    if (!name || !more) {
        crs_free(name);
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the name of a function");
    }
    more[m->functions] = *f;
    more[m->functions++].name = strcpy(name, f->name);
    return true;
}

const crs_memory_function *crs_memory_function_of(const char *name)
{
    for (int k = 0; now && k < now->functions; k++)
        if (strcmp(now->function[k].name, name) == 0) return &now->function[k];
    return NULL;
}

void crs_memory_close(crs_job_memory *m)
{
    if (m->kept) m->drop(m->kept);
    for (int k = 0; k < m->count; k++) {
        clear(&m->file[k]);
        crs_free(m->file[k].name);
    }
    for (int k = 0; k < m->functions; k++) crs_free(m->function[k].name);
    crs_free(m->file);
    crs_free(m->function);
    *m = (crs_job_memory){ .count = 0 };
}
