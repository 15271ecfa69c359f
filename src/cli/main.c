/* SPDX-License-Identifier: MIT
 * main: the program; one file per verb. Data go to standard output; an error is one line on
 * standard error and an exit code. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "cli/cli.h"

static const crs_verb *verb_of(const char *word, crease_error *e)
{
    if (strcmp(word, "--version") == 0) return &crs_version_verb;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return &crs_help_verb;
    return crs_verb_find(word, e);
}

/* --max-seconds is for the command, from here to its end. */
static bool watch(crs_args *a, crease_error *e)
{
    double seconds = INFINITY;
    if (crs_given(a, CRS_OPT_max_seconds)) {
        if (!crs_option_number(a, CRS_OPT_max_seconds, 0, &seconds, e)) return false;
        if (!(seconds >= 0))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "--max-seconds %g is outside its range: give a number >= 0", seconds);
    }
    crease_watch_limit(a->watch, seconds);
    if (crs_takes(a->verb, CRS_OPT_OUT)) crs_signals_enter(a); /* there will be something to save */
    return true;
}

static bool run(const crs_verb *verb, int argc, char **argv, int *status, crease_error *e)
{
    crs_args a = { .status = status, .watch = crease_watch_new(e) };
    bool done = a.watch && crs_args_parse(verb, argc, argv, &a, e) && watch(&a, e);
    if (done && crs_given(&a, CRS_OPT_HELP))
        crs_print_help(verb);
    else
        done = done && verb->run(&a, e);
    crease_watch_free(a.watch);
    return done;
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

int main(int argc, char **argv)
{
    crease_error e = { CREASE_NUMERICAL_FAILURE, "failed without a reason; please report it" };
    crs_json_begin();
    signal(SIGPIPE, SIG_DFL); /* the reader of a pipe may leave early: end without a word */
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is a failed write */
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0) {
        crs_fail(&e, CREASE_IO, "standard output is closed; leave it open or send it to /dev/null");
        return report(NULL, &e);
    }
    if (argc < 2) {
        crs_print_usage(stderr);
        return crs_exit_code(CREASE_BAD_ARGUMENT);
    }
    const crs_verb *verb = verb_of(argv[1], &e);
    if (!verb) return report(NULL, &e);
    int status = 0;
    const bool done = run(verb, argc - 2, argv + 2, &status, &e);
    crease_error late;
    if (!flush_output(&late)) return report(verb, &late);
    if (done) return status;
    const int code = report(verb, &e);
    return status ? status : code;
}
