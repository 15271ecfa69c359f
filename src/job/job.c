/* SPDX-License-Identifier: MIT
 * job: a verb on files in memory (crease/job.h). Its memory is entered for the time of a call, and
 * with it a locale whose numbers have a point: the caller's may have a comma. */
#define _XOPEN_SOURCE 700 /* uselocale */
#include <locale.h>
#include <pthread.h>

#include <crease/job.h>

#include "cli/cli.h"
#include "core/parallel.h"
#include "io/stream/stream.h"

typedef struct {
    FILE *stream;
    crs_text kept;
} text;

struct crease_job {
    crs_job_memory memory;
    crease_watch *watch;
    text out, err;
    crease_look *look; /* NULL: none */
    void *user;
    double every;
    int status;
    int threads; /* 0: all */
};

static void begin_json(void) { crs_json_begin(); }

crease_job *crease_job_new(crease_error *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin_json);
    crease_job *j = crs_alloc(1, sizeof *j);
    if (!j) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a job"), NULL;
    j->watch = crease_watch_new(e);
    if (j->watch) return j;
    crs_free(j);
    return NULL;
}

static void forget(text *t)
{
    if (t->stream) fclose(t->stream);
    crs_free(t->kept.bytes);
    *t = (text){ .stream = NULL };
}

void crease_job_free(crease_job *j)
{
    if (!j) return;
    crs_memory_close(&j->memory);
    crease_watch_free(j->watch);
    forget(&j->out);
    forget(&j->err);
    crs_free(j);
}

/* "memory:NAME", for the calls of memory.h; NULL with a sentence. */
static char *path_of(const char *name, crease_error *e)
{
    const size_t room = strlen(name) + sizeof "memory:";
    char *path = crs_alloc(room, 1);
    if (path)
        snprintf(path, room, "memory:%s", name);
    else
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the name of a file");
    return path;
}

/* What this thread had before a call. */
typedef struct {
    crs_job_memory *memory;
    locale_t locale;
} outside;

static bool enter(crease_job *j, outside *before, crease_error *e)
{
    locale_t like = duplocale(uselocale((locale_t)0));
    locale_t own = like ? newlocale(LC_NUMERIC_MASK, "C", like) : (locale_t)0;
    if (!own) {
        if (like) freelocale(like);
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the locale of a job");
    }
    before->locale = uselocale(own);
    before->memory = crs_memory_enter(&j->memory);
    return true;
}

static void leave(const outside *before)
{
    crs_bundle_forget();
    crs_memory_enter(before->memory);
    freelocale(uselocale(before->locale));
}

bool crease_job_array(crease_job *j, const char *name, const crease_space *shape, const double *x,
                      crease_error *e)
{
    if (!crease_space_check(shape, e)) return false;
    char *path = path_of(name, e);
    crs_job_memory *before = crs_memory_enter(&j->memory);
    const bool done = path && crs_memory_borrow(path, shape, x, e);
    crs_memory_enter(before);
    crs_free(path);
    return done;
}

bool crease_job_bytes(crease_job *j, const char *name, const void *bytes, size_t count,
                      crease_error *e)
{
    char *path = path_of(name, e);
    crs_job_memory *before = crs_memory_enter(&j->memory);
    const bool done = path && crs_memory_bytes(path, bytes, count, e);
    crs_memory_enter(before);
    crs_free(path);
    return done;
}

bool crease_job_smooth(crease_job *j, const char *name, const crease_callback_smooth *f,
                       crease_error *e)
{
    const crs_memory_function one = { .name = (char *)(uintptr_t)name, .smooth = f };
    return crs_memory_function_add(&j->memory, &one, e);
}

bool crease_job_map(crease_job *j, const char *name, const crease_callback_map *A, crease_error *e)
{
    const crs_memory_function one = { .name = (char *)(uintptr_t)name, .map = A };
    return crs_memory_function_add(&j->memory, &one, e);
}

void crease_job_look(crease_job *j, crease_look *fn, void *user, double every)
{
    j->look = fn;
    j->user = user;
    j->every = every;
}

void crease_job_stop(crease_job *j) { crease_watch_stop(j->watch); }

void crease_job_threads(crease_job *j, int most) { j->threads = most; }

void crease_job_keep(crease_job *j) { j->memory.keeps = true; }

static bool open_texts(crease_job *j, crease_error *e)
{
    forget(&j->out);
    forget(&j->err);
    j->memory.out = j->out.stream = crs_text_open(&j->out.kept);
    j->memory.err = j->err.stream = crs_text_open(&j->err.kept);
    return (j->out.stream && j->err.stream) ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: what the job prints");
}

static bool close_text(text *t)
{
    const bool good = t->stream && fflush(t->stream) == 0 && !ferror(t->stream);
    if (t->stream) fclose(t->stream);
    t->stream = NULL;
    return good;
}

static bool limit(const crs_args *a, crease_error *e)
{
    double seconds;
    if (!crs_seconds_of(a, &seconds, e)) return false;
    crease_watch_limit(a->watch, seconds);
    return true;
}

static bool run_verb(crease_job *j, const crs_verb *verb, int argc, char **argv, crease_error *e)
{
    crs_args a = { .status = &j->status, .watch = j->watch };
    char command[CRS_COMMAND];
    crs_spell_command(verb, argc, argv, command);
    bool done = crs_args_parse(verb, argc - 1, argv + 1, &a, e) && limit(&a, e);
    memcpy(a.command, command, sizeof command);
    done = done && (crs_dry(&a) ? verb->run(&a, e)
                                : crs_checkpoint_open(&a, e) && verb->run(&a, e) &&
                                      crs_report_asked(&a, e));
    crs_checkpoint_close(&a, done);
    return done;
}

static void begin_watch(crease_job *j)
{
    crease_watch_again(j->watch);
    crease_watch_look(j->watch, j->look, j->user, j->every > 0 ? j->every : 1);
}

/* With the threads, the locale and the memory of the job. */
static bool run_inside(crease_job *j, const crs_verb *verb, int argc, char **argv, crease_error *e)
{
    const int threads = crs_threads();
    outside before = { .memory = NULL };
    if (!enter(j, &before, e)) return false;
    if (j->threads > 0 && j->threads < threads) crs_threads_limit(j->threads);
    const bool done = run_verb(j, verb, argc, argv, e);
    crs_threads_limit(threads);
    leave(&before);
    return done;
}

bool crease_job_run(crease_job *j, int argc, const char *const *argv, crease_error *e)
{
    crease_error own = { CREASE_NUMERICAL_FAILURE, "failed without a reason; please report it" };
    const crs_verb *verb = argc > 0 ? crs_verb_find(argv[0], e) : NULL;
    char **words = crs_alloc((size_t)argc + 1, sizeof *words); /* whose order is changed */
    j->status = 0;
    if (argc < 1) crs_fail(e, CREASE_BAD_ARGUMENT, "the verb is missing; give one, as \"rpca\"");
    if (verb && !words) crs_fail(e, CREASE_NO_MEMORY, "out of memory: the words of a command");
    if (!verb || !words || !open_texts(j, e)) return crs_free(words), false;
    for (int k = 0; k < argc; k++) words[k] = (char *)(uintptr_t)argv[k];
    begin_watch(j);
    const bool done = run_inside(j, verb, argc, words, &own);
    crs_free(words);
    bool told = close_text(&j->out);
    told = close_text(&j->err) && told;
    if (!done && e) *e = own;
    return done && (told || crs_fail(e, CREASE_NO_MEMORY, "out of memory: what the job prints"));
}

int crease_job_status(const crease_job *j) { return j->status; }
const char *crease_job_output(const crease_job *j)
{
    return j->out.kept.bytes ? j->out.kept.bytes : "";
}
const char *crease_job_notes(const crease_job *j)
{
    return j->err.kept.bytes ? j->err.kept.bytes : "";
}

int crease_job_count(const crease_job *j) { return j->memory.count; }

crease_job_file crease_job_at(const crease_job *j, int k)
{
    const crs_memory_file *f = &j->memory.file[k];
    return (crease_job_file){ f->name, f->shape, f->data, f->bytes, f->count };
}

double *crease_job_take(crease_job *j, const char *name)
{
    for (int k = 0; k < j->memory.count; k++) {
        crs_memory_file *f = &j->memory.file[k];
        if (strcmp(f->name, name) != 0) continue;
        double *x = f->own;
        f->own = NULL;
        return x;
    }
    return NULL;
}

void crease_job_release(double *x) { crs_free(x); }

bool crease_job_seal(crease_job *j, const char *folder, crease_error *e)
{
    outside before = { .memory = NULL };
    char *path = path_of(folder, e);
    if (!path || !enter(j, &before, e)) return crs_free(path), false;
    const bool done = crs_folder_seal(path, e);
    leave(&before);
    crs_free(path);
    return done;
}

bool crease_job_save(crease_job *j, const char *folder, const char *path, bool force,
                     crease_error *e)
{
    outside before = { .memory = NULL };
    char *from = path_of(folder, e);
    if (!from || !enter(j, &before, e)) return crs_free(from), false;
    begin_watch(j);
    const bool done = crs_folder_save(from, path, force, j->watch, e);
    leave(&before);
    crs_free(from);
    return done;
}

bool crease_job_load(crease_job *j, const char *path, const char *folder, crease_error *e)
{
    outside before = { .memory = NULL };
    char *to = path_of(folder, e);
    if (!to || !enter(j, &before, e)) return crs_free(to), false;
    const bool done = crs_folder_load(path, to, e);
    leave(&before);
    crs_free(to);
    return done;
}

crease_source *crease_source_file(const char *path, double bytes, bool missing, crease_error *e)
{
    const crs_stream_settings s = { .bytes = bytes, .missing = missing };
    return crs_stream_hand(path, &s, e);
}
