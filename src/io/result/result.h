/* SPDX-License-Identifier: MIT
 * result.h: what a verb found, as JSON documents and as a folder of files
 *
 * Every folder has result.json (for people and programs; docs/result.md), certificate.json (for
 * crease verify) and the arrays they name. */
#ifndef CRS_RESULT_H
#define CRS_RESULT_H

#include <crease/solver.h>
#include <crease/verify.h>

#include "io/problem/problem.h"

enum { CRS_WHY = 200, CRS_COMMAND = 2048 };

/* A JSON document under construction (document.c). A failed allocation is remembered, and such a
 * document is neither written nor printed. */
typedef struct {
    json_t *root, *odd;
    bool failed;
    const crease_watch *watch; /* whose seconds go into it as late as can be; NULL: none */
} crs_document;

/* An object or a list of a document, to put values into; the key is NULL in a list. */
typedef struct {
    crs_document *document;
    json_t *at;
} crs_spot;

/* The document itself; with a verb it begins with the version of the schema and of crease. */
crs_spot crs_document_begin(crs_document *d, const char *verb);
/* From here on "not_finite" tells which numbers are null because they are not finite. */
void crs_document_spell_odd(crs_document *d);
void crs_document_free(crs_document *d);

void crs_put_text(crs_spot to, const char *key, const char *text); /* NULL: null */
/* A path, which need not be UTF-8: then as "bytes:caf%E9.npy"; and back. */
void crs_put_path(crs_spot to, const char *key, const char *path);
bool crs_path_of(const char *text, char *out, size_t size);  /* false: it is none */
void crs_put_number(crs_spot to, const char *key, double x); /* not finite: null */
void crs_put_exact(crs_spot to, const char *key, double x);  /* as the text 0x1.8p+1 */
void crs_put_whole(crs_spot to, const char *key, long long x);
void crs_put_flag(crs_spot to, const char *key, bool x);
void crs_put_null(crs_spot to, const char *key);
void crs_put_shape(crs_spot to, const char *key, const crease_space *s);
void crs_put_numbers(crs_spot to, const char *key, ptrdiff_t n, const double *x);
/* Nested lists, row-major; {"name": number, ...}. */
void crs_put_array(crs_spot to, const char *key, const crease_space *s, const double *x);
crs_spot crs_put_parameters(crs_spot to, const char *key, const crease_param *list,
                            const double *par);
crs_spot crs_put_object(crs_spot to, const char *key);
crs_spot crs_put_list(crs_spot to, const char *key);

bool crs_document_write(crs_document *d, const char *path, crs_stamp *stamp, crease_error *e);
/* With "seal" last: the hash of the whole text, in which the digits of the seal are zeros. */
bool crs_document_seal(crs_document *d, crease_error *e);
bool crs_text_sealed(char *text, size_t n); /* is it, from the file? */
/* On standard output; and frees it. */
bool crs_document_print(crs_document *d, bool compact, crease_error *e);

typedef struct {
    char *name; /* "part/name" in a part of the folder */
    crs_stamp stamp;
    char *path;       /* of an array that was laid; NULL: of any other file */
    long long offset; /* of its entries there, or in the one file */
} crs_member_file;

enum { CRS_HELD = 4 };

/* A result is a folder, or where its name ends in .h5 or .hdf5 one HDF5 file, that appears under
 * its name whole or not at all (folder.c). Without a path there is no folder, and whatever is put
 * into it is left out. */
typedef struct {
    char *path;   /* what it will be called; NULL: there is none */
    char *beside; /* where it is written */
    char *old;    /* where an earlier result in the way goes before it is deleted; NULL: none is */
    bool one;     /* it is one HDF5 file */
    bool made;
    int room[CRS_HELD], rooms; /* descriptors that hold room on the disk for arrays to come */
    const crease_watch *watch; /* gives looks while files are written; NULL: none */
    int count;
    crs_member_file *file;
    char command[CRS_COMMAND]; /* the one that made it, for result.json; empty: not told */
    crs_document certificate;  /* written last, with the stamps of all other files */
    const crs_format *format;  /* of parts that are written once more; NULL: none */
    char ending[24];           /* of its files */
    void (*say)(const void *user, const char *text); /* what is left out of them; NULL: unsaid */
    const void *user;
    int files; /* once it has its name: how many there are, and their bytes */
    long long bytes;
    bool certified; /* and whether one of them is a certificate */
} crs_folder;

/* begin: could the folder be written? With `force` an earlier result may be replaced, and nothing
 * else: a folder with any file that its result.json does not list is refused. commit adds the list
 * of files to the result, writes it as result.json, then the certificate with the size and hash of
 * every file, and gives the folder its name; or abandon. Both end the folder, and abandon is safe
 * after either and after a failure of begin. */
bool crs_folder_begin(const char *path, bool force, crs_folder *f, crease_error *e);
bool crs_folder_array(crs_folder *f, const char *name, const crease_space *s, const double *x,
                      crease_error *e);
bool crs_folder_pieces(crs_folder *f, const char *name, const crease_space *s, const crs_pieces *p,
                       crease_error *e);
bool crs_folder_document(crs_folder *f, const char *name, crs_document *d, crease_error *e);
bool crs_folder_put(crs_folder *f, const char *name, crs_put *put, const void *what,
                    crease_error *e);
/* Is there room on the disk for an array of this shape, beside those asked before? It is held for
 * them, CRS_HELD at most, until the first is laid. */
bool crs_folder_hold(crs_folder *f, const crease_space *s, crease_error *e);
/* An array whose entries come later, in any order and from anywhere (formats/io.h: crs_laid): there
 * is room for it from now on; where it is, not open yet; and all of its entries are there. */
bool crs_folder_lay(crs_folder *f, const char *name, const crease_space *s, crease_error *e);
bool crs_folder_laid(const crs_folder *f, const char *name, crs_laid *out, crease_error *e);
bool crs_folder_filled(crs_folder *f, const char *name, crease_error *e);
/* Takes the certificate over. */
bool crs_folder_certify(crs_folder *f, crs_document *certificate, crease_error *e);
bool crs_folder_commit(crs_folder *f, crs_document *result, crease_error *e);
void crs_folder_abandon(crs_folder *f);
/* The parts that people look at in the folder's format, which commit calls (format.c); what cannot
 * be written so is said and listed. Files that others wrote into the folder become its own. */
bool crs_folder_export(crs_folder *f, crs_document *result, crease_error *e);
bool crs_folder_adopt(crs_folder *f, crease_error *e);

/* What the dimensions of the arrays in one file are called, for other programs: ours read
 * result.json. */
bool crs_folder_label(const crs_folder *f, const crs_document *result, crease_error *e);

/* A folder in the memory of the job: result.json lists its files, the certificate gets their sizes
 * and hashes. save: the same, then all of it to a disk, whole or not at all, which it is when the
 * watch has a stop. */
bool crs_folder_seal(const char *folder, crease_error *e);
bool crs_folder_save(const char *folder, const char *path, bool force, const crease_watch *w,
                     crease_error *e);

/* The files of a result on a disk, into a folder in the memory of the job. */
bool crs_folder_load(const char *path, const char *folder, crease_error *e);

/* A part of a result a few entries at a time, in order (part.c); sparse.npy may also be
 * sparse_entries.npy, a row for each entry that is not 0: its place in row order, counted from 0,
 * and its value. It is not moved while it is open. Close it after a failure too. */
enum { CRS_PART_PAIRS = 256 };
typedef struct {
    char path[4096];
    crs_npy_stream file;
    bool pairs;
    ptrdiff_t size, at, left;        /* entries, those that were read, pairs that are left */
    double pair[2];                  /* the next one */
    double some[2 * CRS_PART_PAIRS]; /* read at once: `held` of them, `used` were next */
    ptrdiff_t held, used;
} crs_part;
bool crs_part_open(const char *folder, const char *name, const crease_space *s, crs_part *p,
                   crease_error *e);
bool crs_part_next(crs_part *p, ptrdiff_t count, double *out, crease_error *e);
bool crs_part_at(crs_part *p, ptrdiff_t entry, crease_error *e); /* is the next one */
ptrdiff_t crs_part_pairs(const crs_part *p);     /* before the next entry; without pairs 0 */
ptrdiff_t crs_part_all_pairs(const crs_part *p); /* in the file */
void crs_part_close(crs_part *p);

/* C x_1 X_1 ... over the first `modes`, X_n of rows.dim[n] x ranks.dim[n]; NULL: no memory. */
double *crs_tucker_expand(const crease_space *rows, const crease_space *ranks, int modes,
                          const double *const *factor, const double *core, crease_error *e);

/* "FOLDER/name", to be freed; NULL with e filled in. */
char *crs_path_in(const char *folder, const char *name, crease_error *e);

/* "path", relative to the folder, and "absolute_path" of a file that a result is about, with the
 * array "inner" of it; and where that file is now, seen from the folder: the first that is there,
 * as FILE or FILE:INNER, to be freed. A pattern of files is where their folder is. */
void crs_put_source(crs_spot to, const crs_folder *f, const char *path);
char *crs_find_source(const char *folder, const json_t *source, crease_error *e);

/* How a file was read ("reading" of its entry in "data"), and back; texts stay in the document. */
void crs_put_asked(crs_spot to, const char *key, const crs_asked *asked);
crs_asked crs_asked_in(const json_t *source);
/* The array at a path, read as the certificate says; one that cannot be is damaged. */
bool crs_read_again(const char *path, const json_t *source, crs_array *out, crease_error *e);
/* The same, where sparse rows will do. */
bool crs_read_rows_again(const char *path, const json_t *source, crs_array *out, crease_error *e);
/* The same, where a list of observed entries will do. */
bool crs_read_list_again(const char *path, const json_t *source, crs_array *out, crease_error *e);

/* Axes as JSON (axes.c); null where nothing is known of them. */
void crs_put_axes(crs_spot to, const char *key, const crs_axes *a, int order);
bool crs_axes_in(const json_t *list, const char *name, crs_axes *out, int *order, crease_error *e);
/* Of a file: a list of them, or an object with "axes"; they suit the shape. */
bool crs_axes_file(const char *path, const crease_space *s, crs_axes *out, crease_error *e);
/* Those of an array of a result, by the name of its file; and those that stand beside any file:
 * NAME.axes.json, or the result that it is part of. */
bool crs_axes_of_part(const json_t *result, const char *file, const crease_space *s, crs_axes *out,
                      crease_error *e);
bool crs_is_of_data(const char *file); /* has it the shape of the data? */
bool crs_axes_beside(const char *path, const crease_space *s, crs_axes *out, crease_error *e);

/* A file for writing; and its end: on the disk, or removed and e filled in. */
FILE *crs_create(const char *path, crease_error *e);
bool crs_finish(FILE *f, const char *path, bool written, crease_error *e);

/* What the watch has kept of the course of a job, as CSV (history.c): phase, iteration, objective,
 * feasibility, worst, worst_relative, theta, potential, seconds. */
crs_put crs_history_put; /* what: a crease_watch */

/* What result.json begins with, whatever the verb (result.c). */
typedef struct {
    const char *verb, *model;
    crease_outcome outcome;
    const char *outcome_text;           /* NULL: that of the outcome */
    const char *verdict, *verdict_text; /* of the independent checker; NULL: none */
    int exit_status;
    const char *method;              /* NULL: none */
    double objective, residual, eps; /* NaN: none */
    bool relative;
    long iterations, passes, evaluations; /* negative: not counted */
    const crease_watch *watch;            /* of the command: its seconds, phase by phase */
} crs_summary;

/* Its parts: the document itself, the files it is about, the settings used, and what is the model's
 * own. All keys of docs/result.md are there, "files" comes with the folder's commit. */
typedef struct {
    crs_spot top, data, settings, details;
} crs_result;

crs_result crs_result_begin(crs_document *d, const crs_summary *s);
/* One of the files in the list "data": its role, where it is, shape and hash (NULL: none), how it
 * was read (NULL: by its name alone), and what 1 was in a file of images (0: it is none). */
typedef struct {
    const char *role, *path;
    const crease_space *shape;
    const char *hash;
    const crs_asked *asked;
    double scale;
} crs_data;
void crs_put_data(crs_spot list, const crs_folder *f, const crs_data *d);

/* A run of a solver on a problem file. */
typedef struct {
    const char *verb, *checker;
    const char *path; /* of the problem file; NULL: problem.json in the folder of the result */
    const crs_problem_file *file;
    const crease_options *options;
    crease_solver *solver;
    /* The answer, where it is not in the solver's unit but the file's; NULL: as the solver has it.
     */
    const double *const *point;
    const double *multiplier;
    const crease_certificate *certificate;
    const crease_verification *verified;
    const char *const *array;  /* names of the files of the blocks; NULL: x_NAME.npy */
    const crease_space *shape; /* and their shapes; NULL: those of the blocks */
    int exit_status;
} crs_run;

static inline const double *crs_run_block(const crs_run *r, int i)
{
    return r->point ? r->point[i] : crease_solution(r->solver, i);
}

static inline const double *crs_run_multiplier(const crs_run *r)
{
    return r->point ? r->multiplier : crease_multiplier(r->solver);
}

static inline const crease_certificate *crs_run_certificate(const crs_run *r)
{
    return r->certificate ? r->certificate : crease_solver_certificate(r->solver);
}

crs_summary crs_run_summary(const crs_run *run);
void crs_put_run(const crs_result *r, const crs_folder *f, const crs_run *run);
void crs_put_analysis(crs_spot to, const crease_problem *p, const crease_analysis *a, double bound);
/* An entry of the list "residuals" of a certificate in result.json: of a block, or feasibility. */
void crs_put_residual(crs_spot list, const char *name, const crease_residual *r);

/* Its arrays, history.csv and certificate.json. */
bool crs_run_write(crs_folder *f, const crs_run *run, crease_error *e);

/* "stationary", "iteration_limit", ... */
const char *crs_outcome_name(crease_outcome o, char out[32]);

/* The sentence of an outcome beside the checker's verdict, which has the last word. */
const char *crs_outcome_text(crease_outcome o, crease_verdict v);
/* Why no theorem covers the run: reason k, or NULL after the last. */
const crease_assumption *crs_doubt(const crease_analysis *a, int k);

/* The name of a block of the analysis: the slack of the extension is its last. */
const char *crs_planned_name(const crease_problem *p, int i);

/* certificate.json (certificate.c): begins with the name of its checker, eps and relative; "data"
 * is left to the caller. */
crs_spot crs_certificate_begin(crs_document *d, const char *verb, const char *checker, double eps,
                               bool relative);

/* A certificate that was read. Nothing in it is believed but names, and those are checked. */
typedef struct {
    const char *folder;
    json_t *document;
    const char *checker; /* in the document */
    double eps;
    bool relative;
    bool sealed; /* its text is as it was written */
} crs_certificate;

bool crs_certificate_read(const char *folder, crs_certificate *c, crease_error *e);
/* One that is still to be written, by its text. */
bool crs_certificate_told(const char *folder, const char *text, crs_certificate *c,
                          crease_error *e);
void crs_certificate_free(crs_certificate *c);
/* Are it and the files of its folder as they were written, and no others there (folder.c)?
 * Otherwise `why` says what is not. False with e filled in when that cannot be told. */
bool crs_certificate_holds(const crs_certificate *c, char why[CRS_WHY], crease_error *e);
/* The entry of "data" with this role; NULL: none. */
const json_t *crs_certificate_data(const crs_certificate *c, const char *role);

/* What the checker "problem" judges: the problem, by its path or the given one, and the point. */
typedef struct {
    crs_problem_file *file;
    const char *hash; /* that the certificate has of the problem, in its document */
    bool gap;
    const double **x;
    const double *lambda;           /* NULL without a constraint */
    const double *separator, **ray; /* proofs that there is no answer; NULL: not what is claimed */
    crs_kept *kept;
} crs_point_file;

bool crs_point_read(const crs_certificate *c, const char *problem, crs_point_file *p,
                    crease_error *e);
void crs_point_free(crs_point_file *p);

#endif
