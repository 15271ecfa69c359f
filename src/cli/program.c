/* SPDX-License-Identifier: MIT
 * program: the program; one file per verb. Data go to standard output; an error is one line on
 * standard error and an exit code. */
#define _GNU_SOURCE /* RTLD_DEFAULT, MAP_ANONYMOUS */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

#include "core/parallel.h"

static const crs_verb *verb_of(const char *word, crease_error *e)
{
    if (strcmp(word, "--version") == 0) return &crs_version_verb;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return &crs_help_verb;
    return crs_verb_find(word, e);
}

/* Seconds that Slurm leaves to the job, by the time of its end; INFINITY: it says nothing. */
static double left_by_slurm(void)
{
    const char *text = getenv("SLURM_JOB_END_TIME");
    double end;
    if (!text || !crs_parse_double(text, &end) || !(end > 0)) return INFINITY;
    return pos(end - (double)time(NULL));
}

/* --max-seconds is for the command, from here to its end. */
static bool watch(crs_args *a, crease_error *e)
{
    double seconds;
    if (!crs_seconds_of(a, &seconds, e)) return false;
    const double left = left_by_slurm();
    a->job_ends = crs_takes(a->verb, CRS_OPT_OUT) && left < seconds;
    if (a->job_ends) seconds = left;
    crease_watch_limit(a->watch, seconds);
    if (crs_takes(a->verb, CRS_OPT_OUT)) crs_signals_enter(a, seconds);
    return true;
}

/* What was printed must have arrived: a full disk or a closed output is an error. */
static bool flush_output(crease_error *e)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    return crs_fail(e, CREASE_IO, "standard output cannot be written: %s; check where it goes",
                    errno ? strerror(errno) : "an earlier write failed");
}

static int report(const crs_verb *verb, crease_error *e)
{
    for (char *c = e->text; *c; c++) /* one line, whatever a file is called */
        if ((unsigned char)*c < ' ') *c = '?';
    fprintf(stderr, "crease: %s%s%s\n", verb ? verb->name : "", verb ? ": " : "", e->text);
    return crs_exit_code(e->code);
}

/* A file that is opened later must not become standard error, and receive what is said there. */
static bool open_streams(crease_error *e)
{
    const bool closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            return crs_fail(e, CREASE_IO, "/dev/null cannot be opened: %s", strerror(errno));
    return !closed || crs_fail(e, CREASE_IO,
                               "standard output is closed; leave it open or send it to /dev/null");
}

/* OpenBLAS tries for ever to map a buffer that the limit of the address space denies it. So where
 * there is a limit the buffers are taken now, one for each thread, or the program ends; its own
 * threads, which take theirs when it is loaded, are too many for a small limit. */
static bool reserve_buffers(char **argv, crease_error *e)
{
    enum { MOST = 64, EACH = 128 }; /* MB */
    struct rlimit r;
    void *(*take)(int), *held[MOST];
    void (*give)(void *);
    int (*own)(void);
    *(void **)&take = dlsym(RTLD_DEFAULT, "blas_memory_alloc");
    *(void **)&give = dlsym(RTLD_DEFAULT, "blas_memory_free");
    *(void **)&own = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    if (getrlimit(RLIMIT_AS, &r) != 0 || r.rlim_cur == RLIM_INFINITY || !take || !give || !own)
        return true;
    const int count = crs_threads() < MOST ? crs_threads() : MOST;
    const double limit = (double)r.rlim_cur / 0x1p20; /* MB */
    if (own() > 1 && limit < 1024 + EACH * (own() + count) &&
        setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0)
        execv("/proc/self/exe", argv);
    const size_t bytes = (size_t)count * EACH << 20;
    void *probe = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED)
        return crs_fail(e, CREASE_NO_MEMORY,
                        "the BLAS library needs %d MB for each of %d threads, more than the limit "
                        "of %.0f MB leaves; raise it by ulimit -v, or set OMP_NUM_THREADS",
                        EACH, count, limit);
    munmap(probe, bytes);
    for (int k = 0; k < count; k++) held[k] = take(0);
    for (int k = 0; k < count; k++) give(held[k]);
    return true;
}

static bool open_log(crs_args *a, crease_error *e)
{
    if (!crs_log_open(a, e)) return false;
    if (a->job_ends)
        crs_log_note(a,
                     "Slurm ends the job in %.0f s (SLURM_JOB_END_TIME): the run stops before, "
                     "with time to write",
                     left_by_slurm());
    return true;
}

/* The work is done and its exit code stands: from here on no signal is heard. */
static void ignore_signals(void)
{
    static const int number[] = { SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2 };
    struct sigaction none = { .sa_handler = SIG_IGN };
    sigemptyset(&none.sa_mask);
    for (int k = 0; k < 5; k++) sigaction(number[k], &none, NULL);
}

static bool run(const crs_verb *verb, int argc, char **argv, const struct crs_team *team,
                int *status, crease_error *e)
{
    crs_args a = { .status = status, .watch = crease_watch_new(e), .team = team };
    char command[CRS_COMMAND]; /* before the order of argv is changed */
    crs_spell_command(verb, argc - 1, argv + 1, command);
    bool done = a.watch && crs_args_parse(verb, argc - 2, argv + 2, &a, e) && watch(&a, e);
    memcpy(a.command, command, sizeof command);
    if (done && crs_given(&a, CRS_OPT_HELP))
        crs_print_help(verb, false);
    else
        done = done && reserve_buffers(argv, e) &&
               (crs_dry(&a) ? verb->run(&a, e)
                            : open_log(&a, e) && crs_checkpoint_open(&a, e) && verb->run(&a, e) &&
                                  crs_report_asked(&a, e));
    ignore_signals(); /* before what they would stop is gone */
    crs_checkpoint_close(&a, done);
    done = crs_log_close(&a, done, e);
    crease_watch_free(a.watch);
    return done;
}

int crs_program(int argc, char **argv, const struct crs_team *team)
{
    crease_error e = { CREASE_NUMERICAL_FAILURE, "failed without a reason; please report it" };
    if (!open_streams(&e)) return report(NULL, &e);
    crs_json_begin();
    signal(SIGPIPE, SIG_DFL); /* the reader of a pipe may leave early: end without a word */
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is a failed write */
    if (argc < 2) {
        crs_print_usage(stderr);
        return crs_exit_code(CREASE_BAD_ARGUMENT);
    }
    const crs_verb *verb = verb_of(argv[1], &e);
    if (!verb) return report(NULL, &e);
    int status = 0;
    const bool done = run(verb, argc, argv, team, &status, &e);
    crease_error late;
    if (!flush_output(&late)) return report(verb, &late);
    if (done) return status;
    const int code = report(verb, &e);
    return status && e.code != CREASE_NO_MEMORY ? status : code;
}
