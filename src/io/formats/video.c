/* SPDX-License-Identifier: MIT
 * video: frames by the program ffmpeg through pipes, no shell between: rows x columns x frames,
 * with colours a dimension of 3 before the frames, scaled to 0..1; the frames are at their seconds.
 * It may read the one file only, and sends images of Netpbm. mp4 and gif are written. */
#define _GNU_SOURCE /* fopencookie, pipe2, _Fork */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/formats/child.h"
#include "io/formats/image.h"

enum { ARGUMENTS = 48, NO_PROGRAM = 127 };

/* A running ffmpeg: what it sends (out) or takes (in), and the end of what it says. */
typedef struct {
    pid_t pid;
    int out, err; /* -1: closed */
    char said[4096];
    size_t length;
    const crease_watch *watch;
    bool cut;
} ffmpeg;

static void confine(double seconds)
{
    static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGPIPE };
    const struct rlimit none = { 0, 0 }, memory = { (rlim_t)8e9, (rlim_t)8e9 };
    const struct rlimit time = { (rlim_t)seconds, RLIM_INFINITY };
    sigset_t all;
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) signal(ours[k], SIG_DFL);
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CPU, &time);
}

/* stream: the descriptor of the child that is the other end of f->out, 0 or 1. */
static bool start(ffmpeg *f, int stream, const char *const *argument, double seconds,
                  crease_error *e)
{
    int data[2], text[2];
    f->out = f->err = -1;
    f->pid = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, data) != 0)
        return crs_fail(e, CREASE_IO, "ffmpeg cannot be started: %s", strerror(errno));
    const bool piped = pipe2(text, O_CLOEXEC) == 0;
    if (piped) f->pid = crs_fork();
    if (f->pid == 0) {
        const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(stream == 0 ? data[1] : nothing, 0);
        dup2(stream == 1 ? data[1] : nothing, 1);
        dup2(text[1], 2);
        confine(seconds);
        execvp("ffmpeg", (char *const *)argument);
        _exit(NO_PROGRAM);
    }
    const int why = errno;
    close(data[1]);
    if (piped) close(text[1]);
    f->out = data[0];
    f->err = piped ? text[0] : -1;
    return f->pid > 0 || crs_fail(e, CREASE_IO, "ffmpeg cannot be started: %s", strerror(why));
}

/* Keeps the last that it says. */
static void hear(ffmpeg *f)
{
    char piece[1024];
    const ssize_t n = read(f->err, piece, sizeof piece);
    if (n <= 0) {
        if (n == 0 || errno != EINTR) close(f->err), f->err = -1;
        return;
    }
    const size_t room = sizeof f->said - 1, more = (size_t)n;
    if (f->length + more > room) {
        const size_t drop = f->length + more - room;
        memmove(f->said, f->said + drop, f->length - drop);
        f->length -= drop;
    }
    memcpy(f->said + f->length, piece, more);
    f->length += more;
    f->said[f->length] = '\0';
}

/* Waits until the stream is ready for `wanted` or is closed; false when time is over. */
static bool ready(ffmpeg *f, short wanted)
{
    for (;;) {
        struct pollfd p[2] = { { f->out, wanted, 0 }, { f->err, POLLIN, 0 } };
        if (f->watch && crease_watch_over(f->watch)) return f->cut = true, false;
        if (poll(p, f->err >= 0 ? 2 : 1, 50) < 0) continue;
        if (f->err >= 0 && p[1].revents) hear(f);
        if (p[0].revents) return true;
    }
}

static ssize_t take(void *self, char *to, size_t n)
{
    ffmpeg *f = self;
    while (ready(f, POLLIN)) {
        const ssize_t got = read(f->out, to, n);
        if (got >= 0 || errno != EINTR) return got < 0 ? 0 : got;
    }
    return 0;
}

/* Its exit code; -1: a signal. */
static int finish(ffmpeg *f, bool end)
{
    int status = -1;
    if (f->pid < 0) return -1;
    if (end) kill(f->pid, SIGKILL);
    if (f->out >= 0) close(f->out);
    while (f->err >= 0 && !end) {
        struct pollfd p = { f->err, POLLIN, 0 };
        if (f->watch && crease_watch_over(f->watch)) end = f->cut = true, kill(f->pid, SIGKILL);
        if (poll(&p, 1, 50) > 0) hear(f);
    }
    if (f->err >= 0) close(f->err);
    while (waitpid(f->pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The last line it said. */
static bool fail_said(const ffmpeg *f, int code, const char *name, crease_error *e)
{
    size_t end = f->length;
    if (f->cut) return crs_cut(e, "reading the video");
    if (code == NO_PROGRAM)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%.200s: video needs the program ffmpeg; install it (Debian: ffmpeg)",
                        name);
    while (end > 0 && (f->said[end - 1] == '\n' || f->said[end - 1] == '\r')) end--;
    size_t from = end;
    while (from > 0 && f->said[from - 1] != '\n' && f->said[from - 1] != '\r') from--;
    return crs_fail(e, CREASE_BAD_DATA, "%.150s is no video that ffmpeg reads: %.*s", name,
                    end - from < 150 ? (int)(end - from) : 150,
                    end > from ? f->said + from : "it said nothing");
}

/* ---- reading ---- */

/* What it may take the file for: no lists of other files. */
static const char demuxers[] =
    "mov,matroska,webm,avi,gif,mpegts,mpeg,mpegvideo,flv,asf,ogg,h264,hevc,ivf,dv,mxf,nut,"
    "yuv4mpegpipe,m4v,apng";
#define READS                                                                                      \
    "-nostdin", "-hide_banner", "-protocol_whitelist", "file,pipe", "-format_whitelist", demuxers, \
        "-i"

typedef struct {
    double fps; /* 0: not told */
    bool deep;  /* more than 8 bits */
} facts;

/* "Stream #0:0: Video: h264 (High), yuv420p10le(tv), 160x120, 29.97 fps, ..." */
static bool parse_facts(const char *said, facts *out)
{
    static const char *const deep[] = { "10le", "10be", "12le", "12be", "14le", "16le",
                                        "16be", "48le", "48be", "64le", "64be" };
    char line[400];
    const char *video = strstr(said, "Video: ");
    if (!video) return false;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(video, "\n"), video);
    *out = (facts){ .fps = 0 };
    for (size_t k = 0; k < sizeof deep / sizeof *deep; k++)
        out->deep = out->deep || strstr(line, deep[k]);
    char *end = strstr(line, " fps");
    if (!end) return true;
    char *from = end;
    while (from > line && strchr("0123456789.k", from[-1])) from--;
    *end = '\0';
    double fps;
    if (crs_parse_double(from, &fps) && fps > 0) {
        const double whole = floor(fps + 0.5), ntsc = whole * 1000 / 1001;
        out->fps = fabs(fps - ntsc) < 0.006 && fabs(fps - whole) > 0.006 ? ntsc : fps;
    }
    return true;
}

static bool probe(const crs_input *s, const char *file, const crs_asked *asked, facts *out,
                  crease_error *e)
{
    ffmpeg f = { .watch = asked ? asked->watch : NULL };
    const char *const argument[] = { "ffmpeg", READS, file, NULL };
    char none[16];
    if (!start(&f, 1, argument, 60, e)) return finish(&f, true), false;
    while (take(&f, none, sizeof none) > 0) {}
    const int code = finish(&f, f.cut);
    return (!f.cut && code != NO_PROGRAM && parse_facts(f.said, out)) ||
           fail_said(&f, code, s->name, e);
}

/* All frames so far, each as samples of 16 bits. */
typedef struct {
    ptrdiff_t count, room, height, width;
    int channels;
    double scale;
    uint16_t *sample;
} film;

static bool fail_large(const char *name, double bytes, crease_error *e)
{
    return crs_fail(e, CREASE_NO_MEMORY,
                    "%.200s: its frames take more than the %.3g MB of memory that are free; take "
                    "some of them by --frames FIRST:END:STEP, or smaller ones by --size WxH",
                    name, bytes / 1e6);
}

static bool keep(film *m, const crs_image *a, const char *name, crease_error *e)
{
    const ptrdiff_t n = a->height * a->width * a->channels;
    if (m->count == 0)
        m->height = a->height, m->width = a->width, m->channels = a->channels, m->scale = a->scale;
    if (a->height != m->height || a->width != m->width || a->channels != m->channels)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s: the size of its frames changes; give --size WxH", name);
    if (m->count == m->room) {
        const ptrdiff_t room = m->room ? 2 * m->room : 16;
        const double bytes = (double)room * (double)n * sizeof *m->sample, have = crs_memory_free();
        if (bytes > have / 2) return fail_large(name, have, e);
        uint16_t *moved = crs_resize(m->sample, (size_t)(room * n), sizeof *moved);
        if (!moved) return fail_large(name, have, e);
        m->sample = moved;
        m->room = room;
    }
    uint16_t *to = m->sample + m->count++ * n;
    for (ptrdiff_t k = 0; k < n; k++) to[k] = (uint16_t)(a->sample[k] * a->scale + 0.5);
    return true;
}

static bool all_frames(FILE *in, film *m, const char *name, crease_error *e)
{
    for (int c; (c = getc(in)) != EOF;) {
        crs_image a;
        ungetc(c, in);
        if (!crs_pnm_load(in, name, &a, e)) return false;
        const bool kept = keep(m, &a, name, e);
        crs_image_free(&a);
        if (!kept) return false;
    }
    return true;
}

/* Rows x columns, colours, frames. */
static bool to_array(const film *m, const char *name, crs_array *out, crease_error *e)
{
    const ptrdiff_t n = m->height * m->width * m->channels;
    const double bytes = (double)n * (double)m->count * sizeof(double), have = crs_memory_free();
    if (bytes > have) return fail_large(name, have, e);
    out->shape = (crease_space){ .order = 2, .dim = { m->height, m->width } };
    if (m->channels == 3) out->shape.dim[out->shape.order++] = 3;
    out->shape.dim[out->shape.order++] = m->count;
    out->scale = m->scale;
    out->data = crs_doubles(n * m->count, "the frames of a video", e);
    for (ptrdiff_t t = 0; out->data && t < m->count; t++)
        for (ptrdiff_t k = 0; k < n; k++)
            out->data[k * m->count + t] = (double)m->sample[t * n + k] / m->scale;
    return out->data != NULL;
}

static bool name_axes(const crs_range *r, double fps, crs_array *out, crease_error *e)
{
    static const char *const colour[] = { "red", "green", "blue" };
    const int last = out->shape.order - 1;
    const ptrdiff_t count = out->shape.dim[last];
    crs_axis *a = out->axes.axis;
    double *at = crs_doubles(count, "the times of frames", e);
    if (!at) return false;
    for (ptrdiff_t k = 0; k < count; k++)
        at[k] = (double)(r->first + k * r->step) / (fps > 0 ? fps : 1);
    const bool done =
        crs_axis_name(&a[0], "row", NULL, e) && crs_axis_name(&a[1], "column", NULL, e) &&
        (last == 2 ||
         (crs_axis_name(&a[2], "colour", NULL, e) && crs_axis_labels(&a[2], 3, colour, e))) &&
        crs_axis_name(&a[last], fps > 0 ? "time" : "frame", fps > 0 ? "s" : NULL, e) &&
        crs_axis_at(&a[last], count, at, e);
    crs_free(at);
    return done;
}

typedef struct {
    char filter[200], count[24];
    const char *coder, *pixels;
} wishes;

static bool parse_size(const char *text, int *width, int *height, crease_error *e)
{
    int used = 0;
    return (sscanf(text, "%6dx%6d%n", width, height, &used) == 2 && !text[used] && *width > 0 &&
            *height > 0) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "--size %.40s is no size; write WIDTHxHEIGHT in pixels, as 320x240", text);
}

static bool make_wishes(const crs_asked *asked, const facts *f, crs_range *r, wishes *w,
                        crease_error *e)
{
    const bool colour = asked && asked->colour;
    int width = 0, height = 0;
    size_t used = 0;
    *w = (wishes){ .coder = colour ? "ppm" : "pgm",
                   .pixels = colour    ? f->deep ? "rgb48be" : "rgb24"
                             : f->deep ? "gray16be"
                                       : "gray" };
    if (!crs_range_parse(asked ? asked->frames : NULL, PTRDIFF_MAX, r, e)) return false;
    used =
        (size_t)snprintf(w->filter, sizeof w->filter, "select=gte(n\\,%td)*not(mod(n-%td\\,%td))",
                         r->first, r->first, r->step);
    if (r->count < PTRDIFF_MAX) snprintf(w->count, sizeof w->count, "%td", r->count);
    if (!asked || !asked->size) return true;
    if (!parse_size(asked->size, &width, &height, e)) return false;
    snprintf(w->filter + used, sizeof w->filter - used, ",scale=%d:%d:flags=area", width, height);
    return true;
}

static bool decode(const crs_input *s, const char *file, const crs_asked *asked, const wishes *w,
                   film *m, crease_error *e)
{
    struct stat found;
    ffmpeg f = { .watch = asked ? asked->watch : NULL };
    const double size = stat(s->path, &found) == 0 ? (double)found.st_size : 0;
    const char *const limited[] = { "-frames:v", w->count };
    const char *argument[ARGUMENTS] = { "ffmpeg",   "-loglevel", "error",      READS,     file,
                                        "-map",     "0:v:0",     "-vf",        w->filter, "-vsync",
                                        "0",        "-f",        "image2pipe", "-c:v",    w->coder,
                                        "-pix_fmt", w->pixels };
    int n = 0;
    while (argument[n]) n++;
    if (w->count[0]) argument[n++] = limited[0], argument[n++] = limited[1];
    argument[n] = "pipe:1";
    if (!start(&f, 1, argument, 60 + size / 1e5, e)) return finish(&f, true), false;
    FILE *in = fopencookie(&f, "rb", (cookie_io_functions_t){ .read = take });
    crease_error why = { CREASE_NO_MEMORY, "out of memory: a stream" };
    bool done = in && all_frames(in, m, s->name, &why);
    if (in) fclose(in);
    const int code = finish(&f, !done);
    if (done && code == 0 && m->count > 0) return true;
    if (f.cut || (done && code != 0)) return fail_said(&f, code, s->name, e);
    if (done) /* no frames */
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%.200s has no such frames; ask for others by --frames", s->name);
    if (e) *e = why;
    return false;
}

static bool read_video(const crs_input *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    facts found = { .fps = 0 };
    wishes w;
    crs_range range;
    film m = { .count = 0 };
    char file[4200], again[64] = "";
    *out = (crs_array){ .data = NULL };
    if (strncmp(s->path, "/proc/self/fd/", 14) == 0)
        snprintf(again, sizeof again, "/proc/%ld/fd/%.20s", (long)getpid(), s->path + 14);
    snprintf(file, sizeof file, "file:%.4100s", again[0] ? again : s->path);
    const bool done = probe(s, file, asked, &found, e) &&
                      make_wishes(asked, &found, &range, &w, e) &&
                      decode(s, file, asked, &w, &m, e) && to_array(&m, s->name, out, e) &&
                      name_axes(&range, found.fps, out, e);
    crs_free(m.sample);
    if (!done) crs_array_free(out);
    return done;
}

/* ---- writing ---- */

typedef struct {
    crs_pages pages;
    double fps;
    bool gif;
} writer;

static bool send_all(ffmpeg *f, const unsigned char *from, size_t n)
{
    while (n > 0 && ready(f, POLLOUT)) {
        const ssize_t now = send(f->out, from, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (now < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (now <= 0) return false;
        from += now;
        n -= (size_t)now;
    }
    return n == 0;
}

static bool send_pages(ffmpeg *f, const crs_pages *p)
{
    const size_t n = (size_t)(p->height * p->width * p->channels);
    unsigned char *page = crs_alloc(n, 1);
    bool done = page != NULL;
    for (ptrdiff_t k = 0; done && k < p->pages; k++) {
        crs_pages_samples(p, k, page);
        done = send_all(f, page, n);
    }
    crs_free(page);
    return done;
}

/* mp4 wants even sizes: a row or a column is added. */
static bool put_file(const char *path, const void *what, crease_error *e)
{
    const writer *w = what;
    ffmpeg f = { .watch = NULL };
    char size[64], rate[32], file[4200];
    snprintf(size, sizeof size, "%tdx%td", w->pages.width, w->pages.height);
    snprintf(rate, sizeof rate, "%.6f", w->fps);
    snprintf(file, sizeof file, "file:%.4100s", path);
    const char *const argument[] = { "ffmpeg",
                                     "-hide_banner",
                                     "-loglevel",
                                     "error",
                                     "-y",
                                     "-f",
                                     "rawvideo",
                                     "-pix_fmt",
                                     w->pages.channels == 3 ? "rgb24" : "gray",
                                     "-s",
                                     size,
                                     "-r",
                                     rate,
                                     "-i",
                                     "pipe:0",
                                     "-vf",
                                     w->gif ? "null" : "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                                     "-pix_fmt",
                                     w->gif ? w->pages.channels == 3 ? "rgb8" : "gray" : "yuv420p",
                                     "-f",
                                     w->gif ? "gif" : "mp4",
                                     file,
                                     NULL };
    const bool sent = start(&f, 0, argument, 1e6, e) && send_pages(&f, &w->pages);
    if (f.pid < 0) return finish(&f, true), false;
    const int code = finish(&f, false);
    if (sent && code == 0) return true;
    crease_error why;
    fail_said(&f, code, "video", &why);
    return crs_fail(e, code == NO_PROGRAM ? CREASE_UNSUPPORTED : CREASE_IO,
                    "the video cannot be written: %.300s", why.text);
}

/* Of the last axis where it is in seconds, else 25. */
static double rate_of(const crs_item *item)
{
    const crs_axis *a = item->axes ? &item->axes->axis[item->shape->order - 1] : NULL;
    if (!a || !a->at || a->count < 2 || !a->unit || strcmp(a->unit, "s") != 0) return 25;
    const double rate = (double)(a->count - 1) / (a->at[a->count - 1] - a->at[0]);
    return rate > 0.01 && rate < 1000 ? rate : 25;
}

static bool write_video(const char *path, int count, const crs_item *item, crease_error *e)
{
    (void)count; /* one */
    crs_item of_bytes = *item;
    of_bytes.scale = 255;
    writer w = { .fps = rate_of(item), .gif = crs_ends_in(path, ".gif") };
    const bool done =
        crs_pages_begin(&w.pages, &of_bytes, e) && crs_write_by(path, put_file, &w, e);
    crs_pages_free(&w.pages);
    return done;
}

static bool is_video(const unsigned char *head, size_t n)
{
    return n >= 12 && (memcmp(head + 4, "ftyp", 4) == 0 ||
                       memcmp(head, "\x1a\x45\xdf\xa3", 4) == 0 || memcmp(head, "GIF8", 4) == 0 ||
                       (memcmp(head, "RIFF", 4) == 0 && memcmp(head + 8, "AVI ", 4) == 0));
}

const crs_format crs_video_format = {
    .name = "mp4",
    .reads = "frames size colour",
    .endings = ".mp4 .mkv .webm .avi .mov .gif .mpg .mpeg .m4v .ts .wmv .flv .ogv",
    .text = "video by the program ffmpeg, scaled to 0..1",
    .begins = is_video,
    .read = read_video,
    .write = write_video,
    .opens = true,
};
