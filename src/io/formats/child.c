/* SPDX-License-Identifier: MIT
 * child: decoding in a process of its own (child.h). Through the pipe go messages: a kind, a number
 * of bytes, and the bytes, all as this machine has them. */
#define _GNU_SOURCE /* close_range by syscall, prctl, _Fork */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/formats/child.h"

typedef enum {
    READY,
    FAILURE,
    SHAPE,
    ITEMS,
    NAMES,
    POSITIONS,
    LABELS,
    SCALE,
    NOTICE,
    MEMBER,
    PLACE,
    END
} kind;

typedef struct {
    kind kind;
    int axis; /* of NAMES, POSITIONS, LABELS */
    long long bytes;
} head;

typedef struct {
    crease_space shape;
    int slow[CREASE_MAX_ORDER];
} layout;

enum { RATIO = 1000, TEXT_MOST = 1 << 26, MEMBERS_MOST = 10000 };
enum { SLAB_SECONDS = 60 };
enum { LOCKED = 1 << 14 }; /* bytes that no thread has at hand: the allocator takes its lock */
static const crs_limits usual = { 5, 256e6, 0 };

/* ---- in the child ---- */

struct crs_emit {
    int fd;
    const char *name;
    double file_bytes;
    double seconds; /* allowed so far */
};

static bool put(crs_emit *to, const void *from, size_t n)
{
    const char *at = from;
    while (n > 0) {
        const ssize_t now = write(to->fd, at, n);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return false;
        at += now;
        n -= (size_t)now;
    }
    return true;
}

static bool send_to(crs_emit *to, kind k, int axis, const void *from, size_t n, crease_error *e)
{
    const head h = { k, axis, (long long)n };
    return (put(to, &h, sizeof h) && put(to, from, n)) ||
           crs_fail(e, CREASE_IO, "%.200s: what was read cannot be handed over: %s", to->name,
                    strerror(errno));
}

static void allow_seconds(crs_emit *to, double more)
{
    to->seconds += more;
    struct rlimit r;
    if (getrlimit(RLIMIT_CPU, &r) != 0) return;
    r.rlim_cur = to->seconds < 1e9 ? (rlim_t)ceil(to->seconds) : (rlim_t)1e9;
    if (r.rlim_cur > r.rlim_max) r.rlim_cur = r.rlim_max;
    setrlimit(RLIMIT_CPU, &r);
}

/* May the file hold an array of this shape? */
static bool is_credible(const crs_emit *to, const crease_space *s, int bytes, crease_error *e)
{
    crease_error why;
    if (!crease_space_check(s, &why))
        return crs_fail(e, CREASE_BAD_DATA, "%.150s: %.200s", to->name, why.text);
    const double claimed = (double)crease_size(s) * (double)bytes;
    return claimed <= RATIO * to->file_bytes + 1e6 ||
           crs_fail(e, CREASE_BAD_DATA,
                    "%.150s: its array would have %.3g MB, more than %d times the file's %.3g; "
                    "the file is damaged, or give it with less compression",
                    to->name, claimed / 1e6, RATIO, to->file_bytes / 1e6);
}

bool crs_emit_shape(crs_emit *to, const crease_space *s, const int *slow, int bytes,
                    crease_error *e)
{
    layout l = { .shape = *s };
    const double slowest = 2e7; /* bytes a second */
    if (!is_credible(to, s, bytes, e)) return false;
    const double claimed = (double)crease_size(s) * (double)bytes;
    for (int n = 0; n < s->order; n++) l.slow[n] = slow ? slow[n] : n;
    allow_seconds(to, claimed / slowest);
    return send_to(to, SHAPE, 0, &l, sizeof l, e);
}

bool crs_emit_items(crs_emit *to, ptrdiff_t count, const double *x, crease_error *e)
{
    return send_to(to, ITEMS, 0, x, (size_t)count * sizeof *x, e);
}

/* Texts one after the other, each with its end; NULL is an empty one. */
static bool send_texts(crs_emit *to, kind k, int axis, ptrdiff_t count, char *const *text,
                       crease_error *e)
{
    size_t n = 0;
    for (ptrdiff_t j = 0; j < count; j++) n += (text[j] ? strlen(text[j]) : 0) + 1;
    char *all = crs_alloc(n, 1), *at = all;
    if (!all) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the labels of %.200s", to->name);
    for (ptrdiff_t j = 0; j < count; j++) {
        const size_t length = text[j] ? strlen(text[j]) : 0;
        if (length) memcpy(at, text[j], length);
        at += length + 1;
    }
    const bool done = send_to(to, k, axis, all, n, e);
    crs_free(all);
    return done;
}

bool crs_emit_axis(crs_emit *to, int n, const crs_axis *a, crease_error *e)
{
    if ((a->name || a->unit) &&
        !send_texts(to, NAMES, n, 2, (char *const[]){ a->name, a->unit }, e))
        return false;
    if (a->at) return send_to(to, POSITIONS, n, a->at, (size_t)a->count * sizeof *a->at, e);
    return !a->label || send_texts(to, LABELS, n, a->count, a->label, e);
}

bool crs_emit_scale(crs_emit *to, double scale, crease_error *e)
{
    return send_to(to, SCALE, 0, &scale, sizeof scale, e);
}

bool crs_emit_notice(crs_emit *to, const char *text, crease_error *e)
{
    return send_to(to, NOTICE, 0, text, strlen(text), e);
}

bool crs_emit_member(crs_emit *to, const crs_inside *m, crease_error *e)
{
    return send_to(to, MEMBER, 0, m, sizeof *m, e);
}

bool crs_emit_place(crs_emit *to, const crs_place *p, crease_error *e)
{
    return is_credible(to, &p->shape, p->type.bytes, e) && send_to(to, PLACE, 0, p, sizeof *p, e);
}

bool crs_emit_asks(crs_emit *to, ptrdiff_t *k)
{
    char *at = (char *)k;
    allow_seconds(to, SLAB_SECONDS);
    for (size_t n = sizeof *k; n > 0;) {
        const ssize_t now = read(to->fd, at, n);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return false;
        at += now;
        n -= (size_t)now;
    }
    return true;
}

typedef struct {
    crs_decode *decode;
    const crs_input *s;
    const crs_asked *asked;
    crs_limits limits;
    double file_bytes;
    bool changes; /* the file may be written to */
} work;

/* Bytes of address space that are in use: what OpenBLAS, threads' stacks or a sanitizer have mapped
 * does not count against the child. */
static double mapped_bytes(void)
{
    char text[64] = "";
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n > 0 ? (double)strtoll(text, NULL, 10) * (double)sysconf(_SC_PAGESIZE) : 0;
}

/* The pipe is descriptor 3 and nothing else is open, so that 4 is the only one to be had. */
static bool keep_only(int *fd)
{
    const int none = open("/dev/null", O_RDWR);
    const int high = fcntl(*fd, F_DUPFD, 5);
    if (none < 0 || high < 0) return false;
    for (int k = 0; k < 3; k++)
        if (dup2(none, k) < 0) return false;
    if (dup2(high, 3) < 0) return false;
    *fd = 3;
    if (syscall(SYS_close_range, 4u, ~0u, 0u) == 0) return true;
    for (int k = 4; k < 4096; k++) close(k);
    return true;
}

/* More address space than now, but not above the limit that there is; 0: not known, no limit. */
static bool limit_memory(double now, double more)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r) != 0 || now == 0) return true;
    const double most = now + more;
    if (most < 0x1p62 && (r.rlim_max == RLIM_INFINITY || (rlim_t)most < r.rlim_max))
        r.rlim_max = (rlim_t)most;
    r.rlim_cur = r.rlim_max;
    return setrlimit(RLIMIT_AS, &r) == 0;
}

static bool confine(const work *w, crs_emit *to)
{
    const double more = smaller(w->limits.bytes + 1.1 * RATIO * w->file_bytes, crs_memory_free());
    const double now = mapped_bytes();
    static const int ours[] = { SIGINT,  SIGTERM, SIGHUP, SIGALRM, SIGPIPE, SIGXCPU,
                                SIGXFSZ, SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT };
    sigset_t all;
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) signal(ours[k], SIG_DFL);
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    const struct rlimit nothing = { 0, 0 }, files = { 5, 5 };
    if (!keep_only(&to->fd)) return false;
    allow_seconds(to, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return setrlimit(RLIMIT_CORE, &nothing) == 0 &&
           (w->changes || setrlimit(RLIMIT_FSIZE, &nothing) == 0) &&
           setrlimit(RLIMIT_NPROC, &nothing) == 0 && setrlimit(RLIMIT_NOFILE, &files) == 0 &&
           limit_memory(now, more);
}

/* Waits for ever where another thread held a lock of the allocator when this child was made. Each
 * thread has an allocator of its own, and a library frees what it got in another one; counting what
 * there is takes all the locks. */
static void touch_allocators(void)
{
    crs_free(crs_alloc(LOCKED, 1));
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    (void)mallinfo2();
#endif
}

static _Noreturn void run_child(const work *w, int fd, pid_t parent)
{
    crease_error e = { CREASE_IO, "a process to read it in cannot be confined" };
    crs_emit to = { fd, w->s->name, w->file_bytes, w->limits.seconds + w->file_bytes / 1e6 };
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) _exit(1);
    touch_allocators();
    crs_input s = *w->s;
    s.f = NULL;
    const bool done =
        send_to(&to, READY, 0, NULL, 0, &e) && confine(w, &to) && w->decode(&s, w->asked, &to, &e);
    send_to(&to, done ? END : FAILURE, 0, &e, done ? 0 : sizeof e, &e);
    _exit(0);
}

/* ---- in the parent ---- */

typedef struct {
    pid_t pid;
    int fd;
    const work *w;
    crs_array *out;      /* or */
    crs_listing *listed; /* the other is NULL; of a feed both */
    crs_place *place;    /* what is asked for of `out`; NULL: its entries */
    layout layout;
    ptrdiff_t got; /* items */
    bool ended, failed;
    crease_error *e;
} intake;

static bool damaged(intake *in, const char *why)
{
    return crs_fail(in->e, CREASE_BAD_DATA,
                    "%.200s is damaged: %.120s; write it again, or get another copy",
                    in->w->s->name, why);
}

static bool is_over(const intake *in)
{
    return in->w->asked && in->w->asked->watch && crease_watch_over(in->w->asked->watch);
}

/* n bytes; false at the end of the pipe or when time is over, without a sentence. */
static bool take(intake *in, void *to, size_t n)
{
    char *at = to;
    while (n > 0) {
        struct pollfd p = { in->fd, POLLIN, 0 };
        const int ready = poll(&p, 1, 50);
        if (is_over(in)) return false;
        if (ready <= 0) continue;
        const ssize_t now = read(in->fd, at, n);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return false;
        at += now;
        n -= (size_t)now;
    }
    return true;
}

static bool take_shape(intake *in, const head *h)
{
    bool seen[CREASE_MAX_ORDER] = { false };
    layout *l = &in->layout;
    if (h->bytes != (long long)sizeof *l || !in->out || in->out->data) return false;
    if (!take(in, l, sizeof *l) || !crease_space_check(&l->shape, NULL)) return false;
    for (int n = 0; n < l->shape.order; n++) {
        const int d = l->slow[n];
        if (d < 0 || d >= l->shape.order || seen[d]) return false;
        seen[d] = true;
    }
    const double needed = (double)crease_size(&l->shape) * sizeof(double), have = crs_memory_free();
    in->failed = needed > have && !crs_fail(in->e, CREASE_NO_MEMORY,
                                            "%.150s: its array takes %.3g MB of memory and %.3g MB "
                                            "are free; read a part of it, or use a larger machine",
                                            in->w->s->name, needed / 1e6, have / 1e6);
    if (in->failed) return false;
    in->out->shape = l->shape;
    in->out->data = crs_doubles(crease_size(&l->shape), "the array of a file", in->e);
    in->failed = !in->out->data;
    return !in->failed;
}

/* Item number k of those sent is at the sum of index times stride, the fastest dimension last. */
static void place(const intake *in, ptrdiff_t count, const double *x)
{
    const crease_space *s = &in->layout.shape;
    const int last = s->order - 1;
    ptrdiff_t stride[CREASE_MAX_ORDER], step[CREASE_MAX_ORDER], index[CREASE_MAX_ORDER], at = 0;
    for (ptrdiff_t n = last, all = 1; n >= 0; all *= s->dim[n--]) stride[n] = all;
    ptrdiff_t k = in->got;
    for (int n = last; n >= 0; n--) {
        const int d = in->layout.slow[n];
        step[n] = stride[d];
        index[n] = k % s->dim[d];
        k /= s->dim[d];
        at += index[n] * step[n];
    }
    for (ptrdiff_t j = 0; j < count; j++) {
        in->out->data[at] = x[j];
        for (int n = last; n >= 0; n--) {
            const ptrdiff_t dim = s->dim[in->layout.slow[n]];
            at += step[n];
            if (++index[n] < dim) break;
            at -= dim * step[n];
            index[n] = 0;
        }
    }
}

static bool take_items(intake *in, const head *h)
{
    enum { PIECE = 8192 };
    double x[PIECE];
    const long long size = (long long)sizeof *x;
    if (h->bytes < 0 || h->bytes % size != 0 || !in->out || !in->out->data) return false;
    const ptrdiff_t whole = crease_size(&in->layout.shape);
    ptrdiff_t count = (ptrdiff_t)(h->bytes / size);
    if (count > whole - in->got) return false;
    while (count > 0) {
        const ptrdiff_t now = count < PIECE ? count : PIECE;
        if (!take(in, x, (size_t)now * sizeof *x)) return false;
        place(in, now, x);
        in->got += now;
        count -= now;
    }
    return true;
}

/* Texts of `count` axes or indices, each with its end. */
static bool split(char *all, long long bytes, ptrdiff_t count, const char **text)
{
    char *at = all;
    for (ptrdiff_t k = 0; k < count; k++) {
        char *end = memchr(at, '\0', (size_t)(all + bytes - at));
        if (!end) return false;
        text[k] = at;
        at = end + 1;
    }
    return at == all + bytes;
}

static bool set_texts(intake *in, const head *h, char *all, ptrdiff_t count)
{
    crs_axis *a = &in->out->axes.axis[h->axis];
    const char **text = crs_alloc((size_t)count, sizeof *text);
    if (!text) return in->failed = true, crs_fail(in->e, CREASE_NO_MEMORY, "out of memory: labels");
    const bool whole = split(all, h->bytes, count, text);
    if (whole)
        in->failed = !(h->kind == NAMES ? crs_axis_name(a, text[0], text[1], in->e)
                                        : crs_axis_labels(a, count, text, in->e));
    crs_free(text);
    return whole && !in->failed;
}

static bool take_axis(intake *in, const head *h)
{
    if (!in->out || h->axis < 0 || h->axis >= in->layout.shape.order || h->bytes < 1 ||
        h->bytes > TEXT_MOST)
        return false;
    const ptrdiff_t dim = in->layout.shape.dim[h->axis];
    if (h->kind == POSITIONS && h->bytes / (long long)sizeof(double) != (long long)dim)
        return false;
    void *all = crs_alloc((size_t)h->bytes, 1);
    if (!all) return in->failed = true, crs_fail(in->e, CREASE_NO_MEMORY, "out of memory: labels");
    bool done = take(in, all, (size_t)h->bytes);
    if (done && h->kind == POSITIONS)
        done = crs_axis_at(&in->out->axes.axis[h->axis], dim, all, in->e), in->failed = !done;
    else if (done)
        done = set_texts(in, h, all, h->kind == NAMES ? 2 : dim);
    crs_free(all);
    return done;
}

static bool take_member(intake *in, const head *h)
{
    crs_inside m;
    if (h->bytes != (long long)sizeof m || !in->listed || in->listed->count >= MEMBERS_MOST ||
        !take(in, &m, sizeof m) || m.shape.order < 0 || m.shape.order > CREASE_MAX_ORDER)
        return false;
    m.name[sizeof m.name - 1] = m.type[sizeof m.type - 1] = '\0';
    in->failed = !crs_listing_add(in->listed, &m, in->e);
    return !in->failed;
}

static bool take_place(intake *in, const head *h)
{
    crs_place *p = in->place;
    if (!p || h->bytes != (long long)sizeof *p || !take(in, p, sizeof *p) ||
        !crease_space_check(&p->shape, NULL))
        return false;
    const crs_number *t = &p->type;
    if (p->access == CRS_PLACE_RAW && !(p->offset >= 0 && t->bytes > 0 && t->bytes <= 8))
        return false;
    crease_space *s = &in->layout.shape;
    *s = p->shape;
    for (int n = 0; p->reversed && n < s->order; n++) s->dim[n] = p->shape.dim[s->order - 1 - n];
    in->out->shape = *s;
    return true;
}

static bool take_text(intake *in, const head *h)
{
    char notice[sizeof in->out->notice] = "";
    if (h->bytes < 0 || h->bytes >= (long long)sizeof notice || !in->out ||
        !take(in, notice, (size_t)h->bytes))
        return false;
    memcpy(in->out->notice, notice, sizeof notice);
    return true;
}

static bool take_failure(intake *in, const head *h)
{
    crease_error why;
    if (h->bytes != (long long)sizeof why || !take(in, &why, sizeof why)) return false;
    why.text[sizeof why.text - 1] = '\0';
    if (in->e) *in->e = why;
    in->failed = true;
    return false;
}

static bool take_one(intake *in)
{
    head h;
    if (!take(in, &h, sizeof h)) return false;
    switch (h.kind) {
    case READY:
        return h.bytes == 0;
    case SHAPE:
        return take_shape(in, &h);
    case ITEMS:
        return take_items(in, &h);
    case NAMES:
    case POSITIONS:
    case LABELS:
        return take_axis(in, &h);
    case SCALE:
        return h.bytes == (long long)sizeof(double) && in->out &&
               take(in, &in->out->scale, sizeof(double));
    case NOTICE:
        return take_text(in, &h);
    case MEMBER:
        return take_member(in, &h);
    case PLACE:
        return take_place(in, &h);
    case FAILURE:
        return take_failure(in, &h);
    case END:
        in->ended = !in->out || (in->place ? in->layout.shape.order > 0
                                           : in->got == crease_size(&in->layout.shape));
        return false;
    default:
        return false;
    }
}

/* Why a child that said neither END nor FAILURE is gone. */
static bool explain(intake *in, int status)
{
    char why[120];
    if (is_over(in)) return crs_cut(in->e, "reading the data");
    if (WIFSIGNALED(status)) {
        const int s = WTERMSIG(status);
        if (s == SIGINT || s == SIGTERM || s == SIGHUP) return crs_cut(in->e, "reading the data");
        if (s == SIGXCPU) return damaged(in, "reading it takes more time than a file of its size");
        snprintf(why, sizeof why, "the library that reads it crashed (signal %d)", s);
        return damaged(in, why);
    }
    snprintf(why, sizeof why, "its reader ended early (code %d)",
             WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return damaged(in, why);
}

static int reap(const intake *in)
{
    int status = 0;
    close(in->fd);
    while (waitpid(in->pid, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

/* All that the child says; it is gone afterwards. */
static bool listen_to(intake *in)
{
    int status;
    while (take_one(in)) {}
    const bool silent = !in->ended && !in->failed;
    if (is_over(in) || !silent) kill(in->pid, SIGKILL);
    status = reap(in);
    if (silent) explain(in, status);
    return in->ended && !in->failed;
}

static bool fail_start(const work *w, crease_error *e)
{
    return crs_fail(e, CREASE_IO, "%.200s: no process to read it in could be started: %s",
                    w->s->name, strerror(errno));
}

/* A file without a name is the parent's; the child, which closes its own copy, opens it there. */
static void find_parents(crs_input *s, char *room, size_t size)
{
    static const char own[] = "/proc/self/fd/";
    const size_t n = sizeof own - 1;
    if (!s->path || strncmp(s->path, own, n) != 0) return;
    snprintf(room, size, "/proc/%ld/fd/%s", (long)getpid(), s->path + n);
    s->path = room;
}

static bool fork_child(intake *in, crease_error *e)
{
    int fd[2];
    const pid_t parent = getpid();
    const bool feeds = !in->out && !in->listed; /* it gets an answer */
    if (feeds ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) != 0
              : pipe2(fd, O_CLOEXEC) != 0)
        return fail_start(in->w, e);
    in->pid = crs_fork();
    if (in->pid == 0) {
        close(fd[0]);
        run_child(in->w, fd[1], parent);
    }
    const int why = errno;
    close(fd[1]);
    in->fd = fd[0];
    if (in->pid > 0) return true;
    close(fd[0]);
    errno = why;
    return fail_start(in->w, e);
}

/* Has it said something within so many seconds, or ended, or is time over? */
static bool is_ready(const intake *in, double seconds)
{
    struct pollfd p = { in->fd, POLLIN, 0 };
    for (const double end = crs_now() + seconds; crs_now() < end;)
        if (poll(&p, 1, 50) > 0 || is_over(in)) return true;
    return false;
}

/* A child that can allocate. */
static bool start_child(intake *in, crease_error *e)
{
    for (double patience = 0.02; patience < 30; patience *= 1.4) { /* seconds, 110 in all */
        if (!fork_child(in, e)) return false;
        if (is_ready(in, patience)) return true;
        kill(in->pid, SIGKILL);
        reap(in);
    }
    errno = EAGAIN;
    return fail_start(in->w, e);
}

/* How large the file is, and where the child finds it. */
static void prepare(work *w, crs_input *s, char again[64])
{
    struct stat found;
    *s = *w->s;
    find_parents(s, again, 64);
    w->s = s;
    w->file_bytes = w->limits.file_bytes;
    if (w->file_bytes == 0 && s->path && stat(s->path, &found) == 0)
        w->file_bytes = (double)found.st_size;
}

static bool run(work *w, intake *in, crease_error *e)
{
    char again[64];
    crs_input s;
    prepare(w, &s, again);
    in->w = w;
    in->e = e;
    return start_child(in, e) && listen_to(in);
}

bool crs_child_read(const crs_limits *limits, crs_decode *decode, const crs_input *s,
                    const crs_asked *asked, crs_array *out, crease_error *e)
{
    work w = { .decode = decode, .s = s, .asked = asked, .limits = limits ? *limits : usual };
    *out = (crs_array){ .data = NULL };
    if (run(&w, &(intake){ .out = out }, e)) return true;
    crs_array_free(out);
    return false;
}

bool crs_child_list(crs_decode *decode, const crs_input *s, crs_listing *out, crease_error *e)
{
    work w = { .decode = decode, .s = s, .limits = usual };
    *out = (crs_listing){ .count = 0 };
    if (run(&w, &(intake){ .listed = out }, e)) return true;
    crs_listing_free(out);
    return false;
}

bool crs_child_place(crs_decode *decode, const crs_input *s, const crs_asked *asked, crs_place *out,
                     crs_array *about, crease_error *e)
{
    work w = { .decode = decode, .s = s, .asked = asked, .limits = usual };
    *about = (crs_array){ .data = NULL };
    if (run(&w, &(intake){ .out = about, .place = out }, e)) return true;
    crs_array_free(about);
    return false;
}

bool crs_child_change(crs_decode *change, const crs_input *s, crs_place *out, crease_error *e)
{
    work w = { .decode = change, .s = s, .limits = usual, .changes = true };
    crs_array about = { .data = NULL };
    const bool done = run(&w, &(intake){ .out = &about, .place = out }, e);
    crs_array_free(&about);
    return done;
}

struct crs_feed {
    work w;
    crs_input s;
    char again[64];
    intake in; /* pid 0: it has ended */
};

crs_feed *crs_feed_open(crs_decode *decode, const crs_input *s, const crs_asked *asked,
                        crease_error *e)
{
    crs_feed *f = crs_alloc(1, sizeof *f);
    if (!f) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: reading %.200s", s->name), NULL;
    f->w = (work){ .decode = decode, .s = s, .asked = asked, .limits = usual };
    prepare(&f->w, &f->s, f->again);
    f->in = (intake){ .w = &f->w, .e = e };
    if (start_child(&f->in, e)) return f;
    crs_free(f);
    return NULL;
}

static bool ask_for(const crs_feed *f, ptrdiff_t k)
{
    ssize_t now;
    do now = send(f->in.fd, &k, sizeof k, MSG_NOSIGNAL);
    while (now < 0 && errno == EINTR);
    return now == (ssize_t)sizeof k;
}

/* The next items of those that were asked for; *got are there. */
static bool take_some(intake *in, ptrdiff_t count, double *out, ptrdiff_t *got)
{
    head h;
    const long long size = (long long)sizeof *out;
    if (!take(in, &h, sizeof h)) return false;
    if (h.kind == READY) return h.bytes == 0;
    if (h.kind == FAILURE) return take_failure(in, &h);
    if (h.kind != ITEMS || h.bytes < 0 || h.bytes % size != 0 || h.bytes / size > count - *got ||
        !take(in, out + *got, (size_t)h.bytes))
        return false;
    *got += (ptrdiff_t)(h.bytes / size);
    return true;
}

bool crs_feed_take(crs_feed *f, ptrdiff_t k, ptrdiff_t count, double *out, crease_error *e)
{
    ptrdiff_t got = 0;
    if (f->in.pid == 0)
        return crs_fail(e, CREASE_IO, "%.200s: its reader has ended before", f->s.name);
    f->in.e = e;
    f->in.failed = false;
    bool on = ask_for(f, k);
    while (on && got < count) on = take_some(&f->in, count, out, &got);
    if (got == count) return true;
    if (is_over(&f->in)) kill(f->in.pid, SIGKILL);
    const int status = reap(&f->in);
    f->in.pid = 0;
    return f->in.failed ? false : explain(&f->in, status);
}

void crs_feed_close(crs_feed *f)
{
    if (!f) return;
    if (f->in.pid > 0) {
        kill(f->in.pid, SIGKILL);
        reap(&f->in);
    }
    crs_free(f);
}
