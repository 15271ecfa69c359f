/* SPDX-License-Identifier: MIT
 * main: crease-study; one file per verb. Tables go to standard output; an error is one line on
 * standard error and an exit code of sysexits.h. */
#include "study/study.h"

static const crs_study_verb *const verbs[] = { &crs_study_paper, &crs_study_beyond,
                                               &crs_study_hard,  &crs_study_rank,
                                               &crs_study_ranks, &crs_study_tucker,
                                               &crs_study_alpha };
enum { VERBS = sizeof verbs / sizeof *verbs, USAGE = 64, NO_MEMORY = 71, IO = 74, FAILURE = 70 };

static const char *name_at(int k) { return verbs[k]->name; }

static void usage(FILE *f)
{
    fprintf(f,
            "crease-study: the paper's tables, and CP robust PCA on instances of known truth\n\n");
    for (int k = 0; k < VERBS; k++)
        fprintf(f, "  crease-study %-8s %.*s\n", verbs[k]->name,
                (int)strcspn(verbs[k]->text, ".:;"), verbs[k]->text);
    fprintf(f, "\n'crease-study VERB --help' explains a verb.\n");
}

static int exit_code(crease_code code)
{
    switch (code) {
    case CREASE_BAD_ARGUMENT:
    case CREASE_UNSUPPORTED:
        return USAGE;
    case CREASE_NO_MEMORY:
        return NO_MEMORY;
    case CREASE_IO:
        return IO;
    default:
        return FAILURE;
    }
}

static bool run(int argc, char **argv, crease_error *e)
{
    const int k = crs_find("verb", argv[1], VERBS, name_at, e);
    if (k < 0) return false;
    crs_study s = { .verb = verbs[k] };
    bool done = crs_study_begin(&s, argc - 2, argv + 2, e);
    if (done && crs_study_given(&s, CRS_STUDY_HELP))
        crs_study_help(verbs[k]);
    else
        done = done && verbs[k]->run(&s, e);
    return crs_study_end(&s, done, e);
}

int main(int argc, char **argv)
{
    crease_error e = { CREASE_NUMERICAL_FAILURE, "failed without a reason; please report it" };
    const bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    if (argc < 2 || help) {
        usage(help ? stdout : stderr);
        return help ? 0 : USAGE;
    }
    bool done = run(argc, argv, &e);
    if (fflush(stdout) != 0 || ferror(stdout))
        done = crs_fail(&e, CREASE_IO, "standard output cannot be written");
    if (done) return 0;
    fprintf(stderr, "crease-study: %s\n", e.text);
    return exit_code(e.code);
}
