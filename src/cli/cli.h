/* SPDX-License-Identifier: MIT
 * cli.h: the program. A verb is a table: what it takes, how it is explained, what it does. */
#ifndef CRS_CLI_H
#define CRS_CLI_H

#include <jansson.h>

#include <crease/crease.h>

#include "io/result/result.h"

typedef enum {
#define OPTION(id, group, kind, name, values, text) CRS_OPT_##id,
#include "cli/options.def"
#undef OPTION
    CRS_OPTIONS
} crs_option_id;

/* The groups of a help page: what most runs need, what is solved, how, and what is said of it. */
typedef enum {
    CRS_GROUP_COMMON,
    CRS_GROUP_MODEL,
    CRS_GROUP_METHOD,
    CRS_GROUP_OUTPUT,
    CRS_GROUPS
} crs_group;
const char *crs_group_name(crs_group group);

/* What a word of the command line may be (options.def has the list); zero: any text. */
typedef enum {
    CRS_TEXT,
    CRS_FLAG,
    CRS_FILE,
    CRS_FOLDER,
    CRS_NUMBER,
    CRS_WHOLE,
    CRS_NUMBERS,
    CRS_ONE_OF,
    CRS_WORDS,
    CRS_REGULARIZER,
    CRS_SET,
    CRS_VERB_NAME,
    CRS_VALUES
} crs_word_kind;

typedef struct {
    crs_word_kind kind;
    double low, high;
    bool open;         /* low itself is not in the range */
    const char *words; /* "a|b": those that are known; NULL: none */
} crs_word;
const char *crs_word_name(crs_word_kind kind); /* "one of", as help --json has it */

/* clang-format off */
#define CRS_KIND_TEXT                    { CRS_TEXT, 0, 0, false, NULL }
#define CRS_KIND_FLAG                    { CRS_FLAG, 0, 0, false, NULL }
#define CRS_KIND_FILE                    { CRS_FILE, 0, 0, false, NULL }
#define CRS_KIND_FOLDER                  { CRS_FOLDER, 0, 0, false, NULL }
#define CRS_KIND_FOLDER_OR(words)        { CRS_FOLDER, 0, 0, false, words }
#define CRS_KIND_NUMBER(low, high)       { CRS_NUMBER, low, high, false, NULL }
#define CRS_KIND_ABOVE(low)              { CRS_NUMBER, low, INFINITY, true, NULL }
#define CRS_KIND_WHOLE(low, high)        { CRS_WHOLE, low, high, false, NULL }
#define CRS_KIND_LIBRARY_double(low, high) CRS_KIND_NUMBER(low, high)
#define CRS_KIND_LIBRARY_long(low, high) CRS_KIND_WHOLE(low, high)
#define CRS_KIND_NUMBERS                 { CRS_NUMBERS, 0, 0, false, NULL }
#define CRS_KIND_ONE_OF(words)           { CRS_ONE_OF, 0, 0, false, words }
#define CRS_KIND_WORDS(words)            { CRS_WORDS, 0, 0, false, words }
#define CRS_KIND_REGULARIZER             { CRS_REGULARIZER, 0, 0, false, NULL }
#define CRS_KIND_SET                     { CRS_SET, 0, 0, false, NULL }
/* clang-format on */

typedef struct {
    crs_group group;
    crs_word kind;
    const char *name;   /* "--box", "--log_csv" */
    const char *values; /* "L U"; empty: a flag */
    const char *text;
} crs_option;

#define CRS_NO_KIND (1u << 31)

/* An option that a verb takes. A verb may have kinds, as the models of rpca; an option is refused
 * by name where the kind at hand does not read it. Of two entries for an option the first counts.
 */
typedef struct {
    int id;            /* -1 ends a list */
    unsigned kinds;    /* those that read it, a bit each; 0: all, CRS_NO_KIND: nobody */
    const char *text;  /* what it means here; NULL: what options.def says */
    const char *words; /* "a|b": its words here; NULL: those of options.def */
} crs_taken;

/* .takes = CRS_LIST(CRS_TAKES_RUN, CRS_TAKES(OUT), CRS_SAYS(ALPHA, "weight of ..."), ...) */
/* clang-format off */
#define CRS_TAKES(id)        { CRS_OPT_##id, 0, NULL, NULL }
#define CRS_DROPS(id)        { CRS_OPT_##id, CRS_NO_KIND, NULL, NULL }
#define CRS_SAYS(id, text)   { CRS_OPT_##id, 0, text, NULL }
#define CRS_OFFERS(id, words, text) { CRS_OPT_##id, 0, text, words }
#define CRS_FOR(id, kinds) { CRS_OPT_##id, kinds, NULL, NULL }
#define CRS_FOR_SAYS(id, kinds, text) { CRS_OPT_##id, kinds, text, NULL }
#define CRS_LIST(...)        (const crs_taken[]){ __VA_ARGS__, { -1, 0, NULL, NULL } }
/* clang-format on */

/* Those that decide how a problem is run: the library's list, method and mode. */
#define CRS_TAKES_ONE(type, name, value, low, high, text) , CRS_TAKES(name)
#define CRS_TAKES_RUN                                     CRS_TAKES(METHOD), CRS_TAKES(MODE) CREASE_OPTIONS(CRS_TAKES_ONE)

/* Those that decide how data are read and what their dimensions are called, for crs_read_data. */
#define CRS_TAKES_READING                                                                          \
    CRS_TAKES(READ_AS), CRS_TAKES(AXES), CRS_TAKES(COLUMNS), CRS_TAKES(DROP), CRS_TAKES(ABSENT),   \
        CRS_TAKES(FRAMES), CRS_TAKES(SIZE), CRS_TAKES(COLOUR),                                     \
        CRS_SAYS(SHAPE, "of a file of coordinates: the dimensions (default: the largest indices)")

/* Those that decide what a long command says while it works. */
#define CRS_TAKES_LOG CRS_TAKES(QUIET), CRS_TAKES(LOG), CRS_TAKES(LOG_FILE)
#define CRS_TAKES_ROWS                                                                             \
    CRS_TAKES_LOG, CRS_TAKES(VERBOSE), CRS_TAKES(LOG_CSV), CRS_TAKES(COLOR), CRS_TAKES(DRY_RUN)

enum { CRS_NAME = 80 };

const crs_option *crs_option_at(int k);
crs_group crs_option_group(int k);
/* Its name as it is written, "--max-iterations", in out. */
const char *crs_option_name(int k, char out[CRS_NAME]);

typedef struct crs_args crs_args;

/* run() prints nothing before it is sure to succeed; false leaves the reason in e. */
typedef struct {
    const char *name;
    const char *words; /* "REG [NUMBER...]" */
    int least, most;   /* how many words it takes */
    crs_word word;     /* what they are */
    const char *text;
    const char *example;    /* works as pasted */
    const crs_taken *takes; /* its options; NULL: none */
    const char *stops;      /* what the first Ctrl-C leads to; NULL: a certified point is written */
    bool relative;          /* the default of --relative is 1 */
    bool binds_threads;     /* a checkpoint to their number, where it must be */
    const char *const *kinds;                        /* "--model cp", ...; NULL: one kind only */
    int (*kind)(const crs_args *a, crease_error *e); /* which of them; -1 with e filled in */
    bool (*run)(const crs_args *a, crease_error *e);
} crs_verb;

#define VERB(name) extern const crs_verb crs_##name##_verb;
#include "cli/verbs.def"
#undef VERB

const crs_verb *crs_verb_at(int k); /* NULL after the last */
const crs_verb *crs_verb_find(const char *name, crease_error *e);

/* How the verb takes option k; NULL: not at all. */
const crs_taken *crs_takes(const crs_verb *v, int k);

/* A parsed command line. value[k][0] is NULL when option k was not given. */
struct crs_args {
    const crs_verb *verb;
    const char *value[CRS_OPTIONS][2];
    int count;
    char **word;
    int *status; /* exit code of the program: instead of 0, or of the error's own when not 0 */
    char command[CRS_COMMAND];         /* as a shell would take it; empty: too long */
    crease_watch *watch;               /* of the command; --max-seconds is its limit */
    struct crs_log *log;               /* NULL: it says nothing while it works */
    struct crs_checkpoint *checkpoint; /* NULL: none */
    bool job_ends;                     /* before --max-seconds: the batch system's limit counts */
    const struct crs_team *team;       /* processes that look at slabs too; NULL: this one alone */
};

/* checkpoint.c. open: by the options, on the watch of the command. bind: what the run is about
 * besides its options, such as the hash of its data, before the first call of the library that
 * computes; false with a sentence where the checkpoint is of another. close: says what became of
 * it; done: the verb has not failed. */
#define CRS_TAKES_CHECKPOINT CRS_TAKES(CHECKPOINT), CRS_TAKES(CHECKPOINT_EVERY), CRS_TAKES(RESUME)
bool crs_checkpoint_open(crs_args *a, crease_error *e);
bool crs_checkpoint_bind(const crs_args *a, const char *name, const char *value, crease_error *e);
bool crs_checkpoint_bind_threads(const crs_args *a, crease_error *e); /* unless no bit depends */
void crs_checkpoint_close(crs_args *a, bool done);

/* A command, from its verb on, with quotes where a shell needs them; empty: too long. */
void crs_spell_command(const crs_verb *verb, int argc, char *const *argv, char out[CRS_COMMAND]);

/* argv is what follows the verb; its order is changed. */
bool crs_args_parse(const crs_verb *verb, int argc, char **argv, crs_args *a, crease_error *e);

static inline const char *crs_given(const crs_args *a, crs_option_id id) { return a->value[id][0]; }

/* A number that was given for an option; false with a sentence when it is none. */
bool crs_option_number(const crs_args *a, crs_option_id id, int which, double *x, crease_error *e);
/* A whole number in [low, high], or `otherwise` when the option was not given. */
bool crs_option_integer(const crs_args *a, crs_option_id id, double low, double high,
                        double otherwise, double *x, crease_error *e);

/* Bytes, as 800M, 2G or 1.5GiB (job.c). */
bool crs_option_bytes(const crs_args *a, crs_option_id id, double otherwise, double *x,
                      crease_error *e);

/* --max-seconds; INFINITY: it was not given. */
bool crs_seconds_of(const crs_args *a, double *seconds, crease_error *e);

/* "1,2,3" to an array; `what` names it in the sentence. */
bool crs_parse_list(const char *what, const char *text, crs_array *out, crease_error *e);
/* The same, or the array in a file when the text does not begin with a number. */
bool crs_is_list(const char *text);
bool crs_list_or_file(const char *what, const char *text, crs_array *out, crease_error *e);

/* The array in a file of a folder. */
bool crs_read_in(const char *folder, const char *name, crs_array *out, crease_error *e);
/* The same; true with an empty array where there is no such file. */
bool crs_read_if_there(const char *folder, const char *name, crs_array *out, crease_error *e);

/* What the command line asks of the data's file besides its numbers; texts are borrowed (data.c).
 */
bool crs_asked_of(const crs_args *a, crs_asked *out, crease_error *e);
/* The data of a verb with what is known of their axes: by --axes, a sidecar or the result beside
 * them, or the file itself. Prints its notice. */
bool crs_read_data(const crs_args *a, const char *path, const crs_asked *asked, crs_array *out,
                   crease_error *e);
/* The same of an array that was read, or is going to be; on failure it is freed. */
bool crs_name_data(const crs_args *a, const char *path, crs_array *out, crease_error *e);
/* "sample 7, emission 342 nm" of entry j. */
void crs_place_text(const crs_array *x, ptrdiff_t j, char *out, size_t size);
/* Where something is known of the axes: is every entry finite, or missing? The sentence names it by
 * its labels. */
bool crs_data_finite(const crs_array *x, bool missing, const double *mask, crease_error *e);
/* The same of `count` of its entries, which lie in t, and the mask of these. */
bool crs_part_finite(const crs_array *x, ptrdiff_t first, ptrdiff_t count, const double *t,
                     bool missing, const double *mask, crease_error *e);
/* Are new slices along a mode measured along the model's other axes? order 0: it has none. */
bool crs_slices_suit(const crs_array *x, int mode, const crs_axes *model, int order,
                     crease_error *e);
/* --merge: `count` axes from `first` on. */
bool crs_parse_merge(const char *text, const crease_space *s, int *first, int *count,
                     crease_error *e);
void crs_merge_shape(crease_space *s, int first, int count);

/* The value of --shape. */
bool crs_parse_shape(const char *text, crease_space *s, crease_error *e);

/* The array of --mask; what a file of coordinates does not name is 0. */
bool crs_read_mask(const char *path, crs_array *out, crease_error *e);

/* The point of a verb: the words from `first` on, or --input, in the shape of the file or of
 * --shape. Every entry is finite. */
bool crs_read_point(const crs_args *a, int first, crs_array *out, crease_error *e);

/* One number per line, a zero without its sign; before them, on standard error, what the reader of
 * the point had to say. */
void crs_print_notice(const crs_args *a, const crs_array *point);
void crs_print_numbers(ptrdiff_t n, const double *x);

/* Results must be finite; otherwise a numerical failure that names the entry. */
bool crs_check_result(const char *what, ptrdiff_t n, const double *x, crease_error *e);

/* The catalogues: the kind a word names, CRS_KINDS with e filled in when it names none; how many
 * entries it has. */
enum { CRS_REGULARIZERS, CRS_SETS, CRS_MAPS, CRS_SMOOTH, CRS_KINDS };
int crs_kind_find(const char *word, crease_error *e);
int crs_kind_size(int kind);

/* Text for people: paragraphs wrapped at 100 columns. */
void crs_print_wrapped(const char *text, int first_column, int indent);
void crs_print_usage(FILE *f);
void crs_print_help(const crs_verb *v, bool all); /* or the common options only */
/* What the option means for the verb; of an option of the library with its default. */
enum { CRS_HELP_ROOM = 600 };
void crs_option_text(const crs_verb *v, int k, char out[CRS_HELP_ROOM]);
void crs_print_manual(const crs_verb *v); /* manual.c: as scdoc source; NULL: of the program */

/* How the program ends; beyond 128 a signal's number is added to it. From 64 on as sysexits.h. */
enum {
    CRS_EXIT_DONE = 0,       /* certified and VALID, or whatever the verb was asked for */
    CRS_EXIT_INVALID = 1,    /* of verify: the independent checker refutes the result */
    CRS_EXIT_LIMIT = 2,      /* at a limit; of check and verify: the theory cannot tell */
    CRS_EXIT_BROKEN = 3,     /* diverged, or a number that is none */
    CRS_EXIT_INFEASIBLE = 4, /* with a proof that the checker confirms */
    CRS_EXIT_UNBOUNDED = 5,  /* the same */
    CRS_EXIT_USAGE = 64,
    CRS_EXIT_BAD_DATA = 65,
    CRS_EXIT_NO_INPUT = 66,
    CRS_EXIT_INTERNAL = 70, /* certified and yet INVALID, or a failed decomposition */
    CRS_EXIT_NO_MEMORY = 71,
    CRS_EXIT_NO_OUTPUT = 73, /* what was asked for cannot be created */
    CRS_EXIT_IO = 74,        /* reading or writing failed on the way */
};

/* The exit code of an error, of a run, and of a verdict; a signal that came counts. */
int crs_exit_code(crease_code code);
int crs_exit_of_run(crease_outcome o, crease_verdict v);
int crs_exit_of_verdict(crease_verdict v);

typedef struct {
    crease_spec spec;
    crease_reg reg;
    const crease_param *params;
    crs_array weights;
    crs_grouping grouping;
} crs_named_reg;

/* open: the entry and its parameters. fit: the groups and weights of the command line, and whether
 * all of it suits the space. close is safe after a failure of either. */
bool crs_reg_open(const char *text, crs_named_reg *r, crease_error *e);
/* The shape of a scalar penalty that people mean when they give none (Zhang 2010 for mcp, Fan and
 * Li 2001 for scad); NaN: there is no such number. */
double crs_usual_shape(const char *penalty);
/* The same, "l1" (also for NULL) standing for "l1:1" and "mcp" for "mcp:1,3": the weight is 1. */
bool crs_penalty_open(const char *text, crs_named_reg *r, crease_error *e);
bool crs_reg_fit(const crs_args *a, const crease_space *s, crs_named_reg *r, crease_error *e);
/* The same with their texts, NULL where there is none; a hash of the groups and weights. */
bool crs_reg_fit_to(const char *groups, const char *weights, const crease_space *s,
                    crs_named_reg *r, crease_error *e);
void crs_reg_hash(const crs_named_reg *r, char hash[CRS_HASH]);
void crs_reg_close(crs_named_reg *r);
bool crs_reg_wants_groups(const crease_reg_ops *ops);
bool crs_reg_wants_matrix(const crease_reg_ops *ops);

typedef struct {
    crease_spec spec;
    crease_set set;
} crs_named_set;

/* fit: n^2 numbers without a shape become n x n for a set of square matrices. */
bool crs_set_open(const char *text, crs_named_set *c, crease_error *e);
bool crs_set_fit(crs_named_set *c, crease_space *s, crease_error *e);
void crs_set_close(crs_named_set *c);

/* The problem and its options; what the command line says beats what the file says. */
crs_problem_file *crs_open_problem(const crs_args *a, crease_options *o, crease_error *e);

/* The options of a run that the command line gives. */
bool crs_run_options(const crs_args *a, crease_options *o, crease_error *e);

/* "1 block, 5 variables, no constraint" */
void crs_size_text(const crease_problem *p, char *out, size_t size);
/* "beta 1.2, gamma 0.8": the parameters that the method has. */
void crs_parameter_text(const crease_analysis *a, char *out, size_t size);
/* Bytes the solver will take. */
bool crs_forecast_bytes(const crease_problem *p, const crease_analysis *a, double *bytes,
                        crease_error *e);

/* What a command says while it works (progress.c), from the looks of its watch. open: as the
 * command line asks, for verbs that take --quiet. close erases the line of a terminal and ends the
 * files; false where the command failed or one could not be written. */
bool crs_log_open(crs_args *a, crease_error *e);
bool crs_log_close(crs_args *a, bool done, crease_error *e);
/* A sentence that the user should see although nothing is wrong; nothing with --quiet. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void crs_log_note(const crs_args *a, const char *format, ...);
/* Where text of --verbose goes; NULL: it was not asked for. */
FILE *crs_log_text(const crs_args *a);
/* With --verbose: the head of the table, whose rows come from now on, one for every so many
 * iterations at least; and those that are there by now, with the last one. */
void crs_log_table(const crs_args *a, long every);
void crs_log_rows(const crs_args *a);

/* What --verbose says before and after a run (log.c). */
void crs_log_guarantee(FILE *f, const crease_analysis *a);
void crs_log_banner(const crs_args *args, const crs_run *run);
void crs_log_footer(const crs_args *a, const crs_run *run);

/* The same after a run of any engine. */
typedef struct {
    const crease_certificate *certificate;
    const crease_verification *verified;
    crease_report report;
    const char *status;
    bool audited;
} crs_ending;
void crs_log_ending(const crs_args *a, const crs_ending *end);

/* From here on the first SIGINT or SIGTERM stops the command's watch, the second ends the program,
 * as the first does in the phase READ; so does there the time limit, of so many seconds, after a
 * little patience. */
void crs_signals_enter(const crs_args *a, double seconds);

/* Of the time limit, what writing `times` as many bytes as were read will take is kept for it. */
void crs_keep_time(const crs_args *a, double times, double bytes);

/* colour.c. May words on this stream be coloured? In a tone, where they may. */
typedef enum { CRS_TONE_GOOD, CRS_TONE_DOUBT, CRS_TONE_BAD, CRS_TONE_STRONG } crs_tone;
bool crs_colour_option(const crs_args *a, crease_error *e); /* is --color one of its words? */
bool crs_colours(const crs_args *a, FILE *f);
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void crs_print_tone(const crs_args *a, FILE *f, crs_tone tone, const char *format, ...);

/* summary.c: a line of the answer, "  noise        0.0053 ...", wrapped. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void crs_line(const char *label, const char *format, ...);
/* "20 x 101 x 51 (sample, emission, excitation)"; entry k, "sample 8, emission 507 nm". axes may be
 * NULL. */
void crs_named_shape(const crease_space *s, const crs_axes *axes, char *out, size_t size);
void crs_entry_text(const crease_space *s, const crs_axes *axes, ptrdiff_t k, char *out,
                    size_t size);

/* How far a result may be trusted. */
typedef struct {
    crease_outcome outcome;
    const char *text; /* how it ended; NULL: the outcome's */
    crease_verdict verdict;
    const char *why; /* the checker's reason; NULL: none */
    double residual, eps;
    bool relative;
} crs_trust;
bool crs_is_certified(const crs_trust *t);
/* The head of a summary where it is not certified, with what may help; after the answer, where it
 * is; and the end of it: the folder, the time, and what to do next. */
void crs_say_doubt(const crs_args *a, const crs_trust *t);
void crs_say_trust(const crs_args *a, const crs_trust *t);
void crs_say_steps(const crs_trust *t, long iterations, crease_method m, const char *theorem);
void crs_say_place(const crs_args *a, const crs_folder *f);
void crs_bytes_text(double bytes, char out[32]); /* "3.31 MB" */

/* dry.c: is this --dry-run? Of large data only what their head says: true, and their shape. */
bool crs_dry(const crs_args *a);
bool crs_dry_head(const crs_args *a, const char *path, const crs_asked *asked, crease_space *s);
/* So many operations each, and how many rounds of them, "passes over the data". */
typedef struct {
    double operations, least, most;
    const char *what;
} crs_dry_work;
void crs_dry_time(const crs_args *a, const crs_dry_work *w);
void crs_dry_memory(double bytes);
/* The files of the folder but result.json and certificate.json; the end of what is said. */
void crs_dry_files(const crs_args *a, const char *names);

enum { CRS_PATH_ROOM = 4096 };

/* The folder of --out, or with --json alone none; the exit code of a failure is
 * CRS_EXIT_NO_OUTPUT. */
bool crs_folder_of(const crs_args *a, crs_folder *f, crease_error *e);

/* report.c: the page of a result folder, and a line that says where it is. */
bool crs_report_write(const crs_args *a, const char *folder, const char *path, crease_error *e);
/* The same of --report, for the folder that the verb has written. */
bool crs_report_asked(const crs_args *a, crease_error *e);

/* "factor_2.npy" */
void crs_factor_file(int n, char out[32]);

/* "DIR/name"; false when it is too long. */
bool crs_join(const char *folder, const char *name, char *out, size_t size, crease_error *e);

/* A result that crease verify judges. A checker fills in the verification, the names of its blocks
 * and the hash of what it read. */
typedef struct {
    const crs_args *a;
    const crs_certificate *certificate;
    double eps;
    crease_verification v;
    char hash[CRS_HASH];
    bool constrained, changed; /* changed: a file is not as it was written */
    double objective;          /* of the point, recomputed; NaN: it was not */
    double scale;              /* what it is made of: its value at 0, or its like */
    const char *proves;        /* the outcome that a proof is of; NULL: a point is judged */
    char (*name)[64];
} crs_judged;

typedef bool crs_checker(crs_judged *j, crease_error *e);
crs_checker crs_check_problem, crs_check_rpca_cp, crs_check_rpca_tucker, crs_check_rpca_problem,
    crs_check_regress, crs_check_spca, crs_check_apply;

/* The checker's word on a proof that there is no answer: a separating y, or a ray from the point of
 * the claim (verify.c). */
bool crs_verify_proof(const crease_claim *c, const double *y, const double *const *ray,
                      crease_verification *v, crease_error *e);

bool crs_judged_names(crs_judged *j, int count, crease_error *e); /* room for them */
/* The worst of several verdicts is that of all; each with its smallest eps, "what 3", in a line. */
bool crs_judged_all(crs_judged *j, int count, const crease_verification *each, const char *what,
                    crease_error *e);
bool crs_worse(const crease_verification *a, const crease_verification *b); /* b than a */
/* INVALID, and why; the same where a hash is not what it was. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void crs_judged_invalid(crs_judged *j, const char *format, ...);
void crs_judged_hash(crs_judged *j, const char *what, const char *was, const char *is);
/* The same for the file of this role, and its shape; NULL: it has none. */
void crs_judged_source(crs_judged *j, const char *role, const crease_space *shape, const char *is);

/* Refuses what needs more bytes than the machine has free, before they are asked for. */
bool crs_memory_suffices(const char *what, double bytes, crease_error *e);
/* From now on BLAS uses one thread, so that its sums have one order; false: nobody knows. */
bool crs_blas_alone(void);
/* As many from now on; how many there were, 0: nobody knows, and nothing has changed. */
int crs_blas_threads(int count);

/* The program: its exit code (program.c). */
int crs_program(int argc, char **argv, const struct crs_team *team);
void crs_program_serve(const struct crs_team *team); /* on the other ranks, until it ends */

#endif
