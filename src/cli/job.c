/* SPDX-License-Identifier: MIT
 * job: what every verb that runs something shares: the options of a run, its folder, the signals,
 * the memory it may take, and the exit code it ends with.
 *
 * The program owns the signals, the library never sees them. The first SIGINT or SIGTERM stops the
 * command's watch, which every loop asks; the second ends the program at once, and so does the
 * first while the data are read, when there is nothing to save. SIGUSR1 and SIGUSR2 say that time
 * runs out, as a batch system does before it: a stop that may be asked for often, and a limit. */
#define _GNU_SOURCE /* setitimer, RTLD_DEFAULT */
#include <dlfcn.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cli.h"

static bool set_option(const crs_args *a, int id, const char *name, crease_options *o,
                       crease_error *e)
{
    const char *text = a->value[id][0];
    return !text || crease_options_set(o, name, text, e);
}

bool crs_run_options(const crs_args *a, crease_options *o, crease_error *e)
{
    o->watch = a->watch;
    bool done =
        set_option(a, CRS_OPT_METHOD, "method", o, e) && set_option(a, CRS_OPT_MODE, "mode", o, e);
#define X(type, name, value, low, high, text)                                                      \
    done = done && set_option(a, CRS_OPT_##name, #name, o, e);
    CREASE_OPTIONS(X)
#undef X
    return done;
}

crs_problem_file *crs_open_problem(const crs_args *a, crease_options *o, crease_error *e)
{
    crease_options probe = crease_options_default(); /* a slip there is found before any reading */
    crs_problem_file *file = crs_run_options(a, &probe, e) ? crs_problem_read(a->word[0], e) : NULL;
    if (!file) return NULL;
    *o = file->options;
    if (crs_run_options(a, o, e)) {
        crease_watch_limit(a->watch, o->max_seconds);
        crease_watch_enter(a->watch, CREASE_PHASE_START);
        return file;
    }
    crs_problem_file_free(file);
    return NULL;
}

static void say(const void *user, const char *text)
{
    const crs_args *a = user;
    fprintf(crs_err(), "crease: %s: note: %s\n", a->verb->name, text);
}

/* By the name of a format or one of its endings: "h5", "video", "mp4". */
static bool read_format(const crs_args *a, crs_folder *f, crease_error *e)
{
    char probe[24];
    const char *ending = probe + 1, *text = crs_given(a, CRS_OPT_FORMAT);
    const crs_format *format = NULL;
    if (!text) return true;
    snprintf(probe, sizeof probe, "x.%.20s", text);
    for (int k = 0; crs_format_at(k) && !format; k++)
        if (strcmp(crs_format_at(k)->name, text) == 0) format = crs_format_at(k);
    if (!format) format = crs_format_of(probe);
    const bool named = format && crs_format_of(probe) != format;
    if (named) ending = format->endings;
    if (!format) return crs_format_find(text, e) != NULL;
    if (strcmp(format->name, "npy") == 0)
        return crs_fail(
            e, CREASE_BAD_ARGUMENT,
            "--format npy: the arrays are written as .npy anyway; leave it out, or name "
            "another format");
    if (f->one)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--format %.20s writes files of their own, and the result is one file; "
                        "leave it out, or give --out a folder",
                        text);
    if (!format->write || format->needs)
        return crs_fail(e, CREASE_UNSUPPORTED, "--format %.20s: this build %s%s", text,
                        format->needs ? "has no " : "only reads this format; name another",
                        format->needs ? format->needs : "");
    f->format = format;
    snprintf(f->ending, sizeof f->ending, "%.*s", (int)strcspn(ending, " "), ending);
    f->say = say;
    f->user = a;
    return true;
}

bool crs_folder_of(const crs_args *a, crs_folder *f, crease_error *e)
{
    const char *path = crs_given(a, CRS_OPT_OUT);
    memcpy(f->command, a->command, sizeof f->command);
    if (!path)
        return crs_given(a, CRS_OPT_JSON) || crs_dry(a) ||
               crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the folder for the results is missing; add --out DIR, or --json for the "
                        "document alone");
    *a->status = CRS_EXIT_NO_OUTPUT;
    if (!crs_folder_begin(path, crs_given(a, CRS_OPT_FORCE), f, e)) return false;
    f->watch = a->watch;
    *a->status = 0;
    memcpy(f->command, a->command, sizeof f->command); /* begin has emptied it */
    if (read_format(a, f, e)) return true;
    crs_folder_abandon(f);
    return false;
}

static crease_watch *volatile watched;
static volatile sig_atomic_t caught;

static void stop(int number)
{
    static const char text[] =
        "\ncrease: stopped while reading the data: there is nothing to write\n";
    const bool reading = crease_watch_phase(watched) == CREASE_PHASE_READ;
    const ssize_t told = !caught && reading ? write(STDERR_FILENO, text, sizeof text - 1) : 0;
    if (caught || reading || told < 0) _exit(128 + number); /* nothing is lost, nothing was made */
    caught = number;
    crease_watch_stop(watched);
}

/* What is read may still be worked on before the time is over. */
static void wind_up(int number)
{
    (void)number;
    crease_watch_stop(watched);
}

/* Soon after the time limit: from then on the watch says so to whoever asks. */
static void ring(int number)
{
    static const char text[] = "crease: reading the data did not end before the time limit; there "
                               "is nothing to show yet: allow more time\n";
    (void)number;
    if (crease_watch_phase(watched) != CREASE_PHASE_READ) return;
    const ssize_t told = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(told < 0 ? CRS_EXIT_IO : CRS_EXIT_LIMIT);
}

void crs_signals_enter(const crs_args *a, double seconds)
{
    struct sigaction own = { .sa_handler = stop, .sa_flags = SA_RESTART };
    struct sigaction soft = { .sa_handler = wind_up, .sa_flags = SA_RESTART };
    struct sigaction bell = { .sa_handler = ring, .sa_flags = SA_RESTART };
    const double more = 0.5; /* that reading may take before it is given up */
    const double left = pos(seconds + more - crease_watch_total(a->watch));
    sigemptyset(&own.sa_mask);
    sigemptyset(&soft.sa_mask);
    sigemptyset(&bell.sa_mask);
    watched = a->watch;
    sigaction(SIGINT, &own, NULL);
    sigaction(SIGTERM, &own, NULL);
    sigaction(SIGUSR1, &soft, NULL);
    sigaction(SIGUSR2, &soft, NULL);
    if (!(left > 0 && left < 1e8)) return;
    const struct itimerval once = { .it_value = { (time_t)left,
                                                  (suseconds_t)(1e6 * (left - floor(left))) + 1 } };
    sigaction(SIGALRM, &bell, NULL);
    setitimer(ITIMER_REAL, &once, NULL);
}

/* As reading does, writing hashes and checks every byte; text takes longer to read. */
void crs_keep_time(const crs_args *a, double times, double bytes)
{
    const double slowest = 1e-8; /* seconds a byte */
    const double each = crease_watch_seconds(a->watch, CREASE_PHASE_READ) / bytes;
    crease_watch_reserve(a->watch, times * bytes * smaller(each, slowest));
}

bool crs_memory_suffices(const char *what, double bytes, crease_error *e)
{
    const double have = crs_memory_free();
    char need[32], there[32];
    crs_bytes_text(bytes, need);
    crs_bytes_text(have, there);
    return bytes <= have || crs_fail(e, CREASE_NO_MEMORY,
                                     "%s needs %s of memory and %s are free; use smaller data or a "
                                     "larger machine",
                                     what, need, there);
}

/* OpenBLAS can be told so; of other libraries nothing is known. */
int crs_blas_threads(int count)
{
    void (*set)(int);
    int (*get)(void);
    *(void **)&set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    *(void **)&get = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    const int before = set && get ? get() : 0;
    if (before > 0) set(count);
    return before;
}

bool crs_blas_alone(void) { return crs_blas_threads(1) > 0; }

/* k, M, G and T are powers of 1000; with an i, as MiB, of 1024. */
bool crs_option_bytes(const crs_args *a, crs_option_id id, double otherwise, double *x,
                      crease_error *e)
{
    static const char letters[] = "kMGT";
    const char *text = crs_given(a, id);
    char number[40], name[CRS_NAME];
    *x = otherwise;
    if (!text) return true;
    const size_t n = strspn(text, "0123456789.eE+-");
    const char *unit = text + n;
    snprintf(number, sizeof number, "%.*s", (int)n, text);
    bool good = n < sizeof number && crs_parse_double(number, x) && *x > 0;
    const char *at = *unit == 'K' ? letters : *unit ? strchr(letters, *unit) : NULL;
    const bool two = at && unit[1] == 'i';
    for (ptrdiff_t k = at ? at - letters : -1; k >= 0; k--) *x *= two ? 1024 : 1000;
    if (at) unit += two ? 2 : 1;
    good = good && *x < INFINITY && (!*unit || strcmp(unit, "B") == 0);
    return good || crs_fail(e, CREASE_BAD_ARGUMENT, "%s %.40s: give bytes, as 800M, 2G or 1.5GiB",
                            crs_option_name((int)id, name), text);
}

int crs_exit_code(crease_code code)
{
    static const int exits[] = {
        [CREASE_OK] = CRS_EXIT_DONE,
        [CREASE_BAD_ARGUMENT] = CRS_EXIT_USAGE,
        [CREASE_UNSUPPORTED] = CRS_EXIT_USAGE,
        [CREASE_BAD_SHAPE] = CRS_EXIT_BAD_DATA,
        [CREASE_BAD_DATA] = CRS_EXIT_BAD_DATA,
        [CREASE_NO_INPUT] = CRS_EXIT_NO_INPUT,
        [CREASE_NO_MEMORY] = CRS_EXIT_NO_MEMORY,
        [CREASE_IO] = CRS_EXIT_IO,
        [CREASE_NUMERICAL_FAILURE] = CRS_EXIT_INTERNAL,
        [CREASE_CUT] = CRS_EXIT_LIMIT,
    };
    return code == CREASE_CUT && caught ? 128 + (int)caught : exits[code];
}

/* Only a point that the checker confirms is a success. */
int crs_exit_of_run(crease_outcome o, crease_verdict v)
{
    if (o == CREASE_STATIONARY && v == CREASE_VERDICT_VALID) return CRS_EXIT_DONE;
    if (o == CREASE_INFEASIBLE && v == CREASE_VERDICT_VALID) return CRS_EXIT_INFEASIBLE;
    if (o == CREASE_UNBOUNDED && v == CREASE_VERDICT_VALID) return CRS_EXIT_UNBOUNDED;
    if (o == CREASE_STATIONARY && v == CREASE_VERDICT_INVALID) return CRS_EXIT_INTERNAL;
    if ((o == CREASE_STOPPED || v == CREASE_VERDICT_UNFINISHED) && caught) return 128 + (int)caught;
    return o == CREASE_DIVERGED || o == CREASE_NUMERICAL || o == CREASE_NO_MINIMIZER
               ? CRS_EXIT_BROKEN
               : CRS_EXIT_LIMIT;
}

int crs_exit_of_verdict(crease_verdict v)
{
    if (v == CREASE_VERDICT_UNFINISHED && caught) return 128 + (int)caught;
    return v == CREASE_VERDICT_VALID     ? CRS_EXIT_DONE
           : v == CREASE_VERDICT_INVALID ? CRS_EXIT_INVALID
                                         : CRS_EXIT_LIMIT;
}
