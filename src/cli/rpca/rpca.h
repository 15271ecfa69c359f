/* SPDX-License-Identifier: MIT
 * rpca.h: the insides of the verb rpca, and of verify where it judges its results */
#ifndef CRS_RPCA_H
#define CRS_RPCA_H

#include "cli/cli.h"
#include "io/formats/io.h"
#include "io/stream/stream.h"

#include "rpca/rpca.h"

/* Bytes beside the run's own: buffers of reading and writing, the program and its libraries. */
#define CRS_RPCA_OVERHEAD 0x1.8p24

/* Parts that are written: those of --write. Tensors of more entries than this have only the sparse
 * part without that option, by its entries that are not 0. */
enum { CRS_WRITE_LOWRANK = 1, CRS_WRITE_SPARSE = 2, CRS_WRITE_NOISE = 4, CRS_WRITE_Z = 8 };
enum { CRS_WRITE_ALL = 1 << 22 };

/* --foreground of a video, rows x columns x frames: the mask of what moves. */
typedef struct {
    double beyond;   /* K; 0: it was not asked for */
    ptrdiff_t clean; /* side of the squares whose medians clean it; 0: as it is */
    double noise;    /* the median of the pixels' */
    double share;    /* of what was observed that is foreground */
} crs_foreground;

/* A run of the CP model, or of a Tucker model without its problem. */
typedef struct {
    const crs_args *a;
    crs_named_reg penalty;
    crease_rpca_settings s;
    crease_options run;

    crs_array data;     /* without entries where they are streamed */
    crs_source *source; /* NULL: they are in memory */
    double memory;      /* that may be used */
    bool streams;       /* which is less than they take: they are streamed */
    crs_asked asked;    /* how they were read */
    crs_npy_stream truth;
    char truth_path[CRS_PATH_ROOM];
    crs_array factor[CREASE_MAX_ORDER], factor_weight; /* of --init DIR */
    const double *start[CREASE_MAX_ORDER];
    crs_array true_factor[CREASE_MAX_ORDER]; /* empty where --truth has none */
    ptrdiff_t true_rank;                     /* 0: none at all */
    crease_space given;                      /* the shape before --merge */
    char hash[CRS_HASH];                     /* of the data, nan where they are missing */
    crs_folder folder;
    unsigned write;           /* parts, once the shape is known */
    double bytes, most_bytes; /* forecasts: E very sparse, and dense */

    crease_rpca *fit;
    double *unit[CREASE_MAX_ORDER], *weight, *share; /* of the terms of cp */
    ptrdiff_t *peak;                                 /* rank x order */
    crs_foreground foreground;
    double error_lowrank, error_z; /* NaN without the truth */
    double *cosine;                /* true_rank x order */
    crease_verification verified;
    int exit_status;
} crs_rpca_job;

/* The other ranks open the data, too, for their own slabs (rpca/ranks.c). */
bool crs_rpca_share(const crs_team *t, const char *path, const crs_stream_settings *s,
                    crs_source *source, crease_error *e);

/* A run of the models tucker, matrix and pcp. */
typedef struct {
    const crs_args *a;
    crs_named_reg penalty;
    crease_rpca_settings s;
    crease_options run;
    crs_array data, truth;
    crs_asked asked;    /* how the data were read */
    crease_space given; /* the shape before --merge */
    char hash[CRS_HASH];
    crease_rpca *fit;
    char array[CREASE_MAX_ORDER + 4][32]; /* names of the files of the blocks */
    const char *name[CREASE_MAX_ORDER + 4];
    crease_space shape[CREASE_MAX_ORDER + 4];
    double error; /* NaN without the truth */
    crs_folder folder;
    bool lasting;           /* or the folder goes with the run */
    crs_problem_file *file; /* problem.json of the folder, as verify will read it */
} crs_tucker_job;

/* rpca.c: "fibres:2" and the like; "3" or "3,4,5" for a shape, each from 1 to the mode's length. */
bool crs_rpca_groups(const char *text, crease_rpca_settings *s, crease_error *e);
bool crs_parse_ranks(const char *text, const crease_space *shape, crease_space *ranks,
                     crease_error *e);

/* --rank for the data at hand: one per mode or one for all; without it the library chooses. */
bool crs_tucker_ranks(const crs_args *a, crease_rpca_settings *s, crease_error *e);

/* rpca/data.c: is a model of the other kinds fitted without its problem? So is a Tucker model by
 * method auto, and what it can of the others whose problem is larger than --memory, or with
 * --write. False with a sentence: it should be and cannot. */
bool crs_tucker_plan(const crs_tucker_job *j, bool *fits, crease_error *e);
/* What a run of the other kinds takes in memory, its check included. */
double crs_tucker_bytes(const crs_tucker_job *j, const crease_rpca_settings *s);

/* The tensor, its mask, the truth and the start; the memory they take. */
bool crs_rpca_read(crs_rpca_job *j, crease_error *e);
void crs_rpca_forecast(crs_rpca_job *j);                    /* once the fit is there */
bool crs_rpca_bind(const crs_rpca_job *j, crease_error *e); /* the checkpoint to the data */
/* Missing entries become nan; axes are merged; hash is of what results. */
bool crs_rpca_merge(const char *axes, crease_space *s, crease_error *e); /* NULL: as it is */
bool crs_rpca_take(crs_array *data, const char *mask, const char *axes, crease_rpca_settings *s,
                   char hash[CRS_HASH], crease_error *e);
/* lowrank.npy of the folder of --truth, shaped as the data; empty without that option. */
bool crs_rpca_truth(const crs_args *a, const crease_space *given, crs_array *out, crease_error *e);
/* Does --init name a start? Otherwise it is a folder. s may be NULL. */
bool crs_rpca_init(const char *text, crease_rpca_settings *s);

/* rpca/report.c: what was found, as files with its errors, and as text. */
bool crs_rpca_write(crs_rpca_job *j, crease_error *e);
void crs_rpca_result(const crs_rpca_job *j, crs_document *d);
void crs_rpca_banner(const crs_rpca_job *j);
void crs_rpca_footer(const crs_rpca_job *j);
extern const char *const crs_rpca_theta_text; /* how a run that theta stopped ended */

/* rpca/parts.c: the parts of the tensor, by slabs where they follow so: room for large ones
 * whose size is known before the fit, then all of them; the name of bit k of --write. */
bool crs_rpca_hold(crs_rpca_job *j, crease_error *e);
bool crs_rpca_write_parts(crs_rpca_job *j, crease_error *e);
const char *crs_rpca_part_name(int k);
extern const crs_job crs_output_job;

/* rpca/summary.c: the same for people, on standard output. */
void crs_rpca_summary(const crs_rpca_job *j);
void crs_tucker_summary(const crs_tucker_job *j, const crs_run *run);
/* What they would do, of --dry-run. */
void crs_rpca_foretell(const crs_rpca_job *j);
void crs_tucker_foretell(const crs_tucker_job *j);

/* rpca/center.c: --center and --noise; the arrays of a folder or a fit, value[0] the constant of
 * all, value[n + 1] those of mode n, NULL: none; level: of the noise of every index of `mode`,
 * NULL: one for all. What is fitted is (T - c)/s: -1 makes it of entries first, .. of the data, 1
 * the data of it; levels_times does without the constants. */
typedef struct {
    crease_space shape;
    const double *value[CREASE_MAX_ORDER + 1], *level;
    int mode;
    crs_array own[CREASE_MAX_ORDER + 1], own_level;
} crs_center_arrays;
bool crs_center_option(const crs_args *a, unsigned *modes, crease_error *e);
bool crs_noise_option(const crs_args *a, crease_rpca_settings *s, crease_error *e);
bool crs_center_write(crs_folder *f, const crease_rpca *fit, crease_error *e);
crs_center_arrays crs_center_of(const crease_rpca *fit);
bool crs_center_read(const char *folder, const crease_space *s, crs_center_arrays *c,
                     crease_error *e);
void crs_center_close(crs_center_arrays *c);
void crs_center_shift(const crs_center_arrays *c, double sign, ptrdiff_t first, ptrdiff_t count,
                      double *x);
void crs_noise_times(const crs_center_arrays *c, int sign, ptrdiff_t first, ptrdiff_t count,
                     double *x);
/* Unit columns and weights of the data become those of what is fitted. */
void crs_noise_terms(const crs_center_arrays *c, ptrdiff_t rank, double *const *unit,
                     double *weight);
double crs_center_size(const crs_center_arrays *c); /* no constant is larger, divided */
void crs_center_print(const crease_rpca *fit, const crease_rpca_facts *f);

/* rpca/foreground.c: --foreground and its options, and what it means where other options are left
 * out; are the data such a video? Then foreground.npy. */
bool crs_foreground_take(crs_args *a, crs_foreground *f, crease_error *e);
bool crs_foreground_suits(const crs_args *a, const crease_space *given, crease_error *e);
bool crs_foreground_write(crs_rpca_job *j, crease_error *e);

/* rpca/terms.c: ranks that were compared, in the log and in the document; the terms that were cut,
 * in the summary and in the document. */
void crs_rpca_print_ranks(FILE *f, const crs_rpca_job *j);
void crs_rpca_put_ranks(crs_spot to, const crs_rpca_job *j);
void crs_rpca_print_cuts(const crs_rpca_job *j);
void crs_rpca_put_cuts(crs_spot to, const crs_rpca_job *j);
void crs_tucker_print_cuts(const crease_rpca_facts *f, const crease_rpca_settings *used);
void crs_tucker_put_cuts(crs_spot to, const crease_rpca_facts *f, const crease_rpca_settings *used);

/* The data, then their mask, groups and weights, for result.json and certificate.json; the axes of
 * the data, and those of the model where --merge made others; "mcp:0.25,3" as it was used. */
void crs_rpca_put_data(const crs_args *a, crs_spot list, const crs_folder *f, const crs_data *data);
void crs_rpca_put_axes(const crs_args *a, const crs_result *r, const crs_array *data,
                       const crease_space *given);
void crs_reg_text(const crs_named_reg *named, const crease_reg *used, char *out, size_t size);

/* rpca/problem.c: data.npy, mask.npy and problem.json in the folder. */
bool crs_tucker_problem(crs_tucker_job *j, crease_error *e);

/* The result as a document. */
void crs_tucker_result(const crs_tucker_job *j, const crs_run *run, crs_document *d);

/* rpca/rows.c: the data of a result, nan where they are missing, a few entries at a time, in order:
 * of a plain .npy file, of large ones whose format has slabs, or of an array in memory. */
typedef struct crs_rpca_rows {
    const char *path, *mask; /* mask NULL: none */
    crease_space shape;      /* as the file has it */
    bool missing;            /* nan is no fault */
    double memory;           /* that may be used; 0: as little as can be */
    crs_npy_stream file, seen;
    crs_source *source; /* NULL: none; the slab that is taken has entries */
    crs_slab slab;
    crs_array whole;
    ptrdiff_t at;
    bool old;    /* its hash is of entries, not of slabs */
    bool shared; /* other ranks read the rest of it */
    bool hashes; /* what is read: all of it, from the first entry on */
    crs_entries_hash digest;
    char hash[CRS_HASH]; /* once all entries were read */
} crs_rpca_rows;

/* With its path and mask; s receives the shape of the model. */
bool crs_rpca_rows_open(crs_rpca_rows *r, const json_t *source, const char *axes,
                        crease_rpca_settings *s, crease_error *e);
bool crs_rpca_rows_at(crs_rpca_rows *r, ptrdiff_t at, crease_error *e); /* is the next entry */
bool crs_rpca_rows_next(crs_rpca_rows *r, ptrdiff_t count, double *out, crease_error *e);
bool crs_rpca_rows_hash(crs_rpca_rows *r, const crs_team *t, crease_error *e); /* by all ranks */
void crs_rpca_rows_close(crs_rpca_rows *r);

/* rpca/verify.c: a folder of results judged by the checker. */
typedef struct {
    const crs_coordinates *list; /* the data where few entries were observed; NULL: all count */
    const char *folder;          /* NULL: the parts are those of the fit */
    crease_rpca_settings s;
    double *const *unit; /* and the weights: what the files hold */
    const double *weight;
    const double *core;              /* of a Tucker model, whose factors `unit` are; else NULL */
    crs_rpca_rows *rows;             /* the data, unless there is a fit to ask */
    const crease_rpca *fit;          /* may be NULL */
    const crs_center_arrays *center; /* to be subtracted from the data; NULL: none */
    unsigned parts;                  /* that the folder has; E always */
    double eps;
    bool relative;
    int threads;       /* 0: all there are */
    double *objective; /* receives it where the penalty is not by entries; may be NULL */
    crease_watch *watch;
    ptrdiff_t left;              /* rows of the check; 0: those that suit it */
    const crease_checkers *with; /* ranks that check their own rows; NULL: this process alone */
} crs_rpca_claim;
bool crs_rpca_check(const crs_rpca_claim *c, crease_verification *v, crease_error *e);

/* rpca/listed.c: the same of data that are a list of observed entries, whose sparse part is
 * sparse_entries.npy; and what judging it needs beside: |T|^2 and the objective. */
bool crs_rpca_check_listed(const crs_rpca_claim *c, double *const *factor, crease_verification *v,
                           crease_error *e);
bool crs_rpca_judge_listed(crs_judged *j, const crs_rpca_claim *c, crease_error *e);

/* Over ranks (rpca/ranks.c): rank 0 tells what is to be checked; then every rank, which has the
 * folder and the data before it, assists, and rank 0 has the verdict: v on the others may be NULL.
 * agreed: every rank could read them; nothing was checked otherwise. */
typedef struct {
    const char *folder, *problem, *memory, *threads; /* as crease verify is given them; or NULL */
    const char *certificate; /* that will be written there; NULL: it is there */
    double eps;
    ptrdiff_t left; /* as of the claim */
    bool arrays;    /* are the arrays of the folder judged, too, and the data's hash? */
} crs_rpca_told;
bool crs_rpca_tell(const crs_team *t, const crs_rpca_told *told, crease_error *e);
bool crs_rpca_assist(const crs_team *t, const crs_rpca_told *told, crease_watch *watch,
                     bool *agreed, crease_verification *v, crease_error *e);
/* Is all well on every rank? The sentence of the first that failed goes to rank 0, and names it. */
bool crs_rpca_agree(const crs_team *t, bool well, crease_error *e);

/* generate.c, apply_stream.c: what another rank does of an instance; of new slices, where they are
 * read first, and where they are fitted. */
void crs_generate_assist(const crs_team *t, const void *bytes, size_t count);
void crs_apply_assist_survey(const crs_team *t, const void *bytes, size_t count);
void crs_apply_assist(const crs_team *t, const void *bytes, size_t count);
void crs_visit_asked(crs_visitor *v, crs_asked *a);

/* rpca/problem.c: a claim whose penalty is not by entries, by the general checker on the model
 * itself, with all entries of the parts. */
enum { CRS_PART_Z, CRS_PART_E, CRS_PART_T, CRS_PART_W, CRS_PARTS };
bool crs_rpca_check_whole(const crs_rpca_claim *c, double *const *factor, double *const *part,
                          crease_verification *v, crease_error *e);

/* Are the arrays of the folder what follows from the model
 * and the data? Entries first, .. of either come in order, whole fibres along the last mode. */
typedef struct {
    crs_judged *j;
    crease_space shape;
    ptrdiff_t first, end; /* entries, whole fibres; end 0: all from there on */
    bool (*data)(void *self, ptrdiff_t first, ptrdiff_t count, double *out, crease_error *e);
    void (*model)(void *self, ptrdiff_t first, ptrdiff_t count, double *out);
    void *self;                      /* data are nan where they are missing */
    double tolerance;                /* of an entry of L */
    const crs_center_arrays *center; /* that the data are without and L has */
    unsigned parts;                  /* that the folder has: CRS_WRITE_.. */
    const crs_rpca_claim *sum;       /* whose c |N|^2 + alpha rho(E) is wanted; NULL: none is */
} crs_rpca_arrays;
bool crs_rpca_judge(const crs_rpca_arrays *a, crease_error *e);

#endif
