/* SPDX-License-Identifier: MIT
 * rpca: a tensor as low rank + sparse + noise: options, run and exit code. With --model pcp, --eta
 * or a method of the paper the robust fit is written as a problem and certified as its solution;
 * where it is not stationary yet, the engine goes on. */
#include <stdlib.h>

#include "cli/rpca/rpca.h"
#include "rpca/rpca.h"

/* The models of --model; the form of the matrix model is decided by its options. */
enum { CP, TUCKER, MATRIX, RIDGED, BOUNDED, PCP };
enum {
    OF_CP = 1 << CP | 1 << RIDGED,
    OF_TUCKER = 1 << TUCKER | 1 << MATRIX,
    OF_MATRIX = 1 << MATRIX | 1 << BOUNDED,
    OF_FACTORS = OF_CP | OF_TUCKER | OF_MATRIX,
};
static const char *const kinds[] = { "--model cp",
                                     "--model tucker",
                                     "--model matrix",
                                     "--model matrix with --ridge",
                                     "--model matrix with --eta",
                                     "--model pcp",
                                     NULL };

/* A matrix with a ridge on both factors, the nuclear-norm model, is CP of order 2. */
static int kind_of(const crs_args *a, crease_error *e)
{
    const char *model = crs_given(a, CRS_OPT_MODEL);
    if (!model || strcmp(model, "cp") == 0) return CP;
    if (strcmp(model, "tucker") == 0) return TUCKER;
    if (strcmp(model, "pcp") == 0) return PCP;
    if (strcmp(model, "matrix") == 0)
        return crs_given(a, CRS_OPT_RIDGE) ? RIDGED : crs_given(a, CRS_OPT_ETA) ? BOUNDED : MATRIX;
    crs_fail(e, CREASE_BAD_ARGUMENT, "--model %.64s: write cp, tucker, matrix or pcp", model);
    return -1;
}

static bool is_order_two(const crs_args *a, const crease_space *s, crease_error *e)
{
    const int kind = kind_of(a, NULL);
    return kind == CP || kind == TUCKER || s->order == 2 ||
           crs_fail(e, CREASE_BAD_SHAPE,
                    "the data have %d dimensions and %s is of matrices; merge dimensions by "
                    "--merge, or use --model tucker or cp",
                    s->order, kinds[kind]);
}

/* --missing nan, the only form there is. */
static bool read_missing(const crs_args *a, bool *missing, crease_error *e)
{
    const char *text = crs_given(a, CRS_OPT_MISSING);
    *missing = text;
    return !text || strcmp(text, "nan") == 0 ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "--missing %.64s: write --missing nan, or mark entries by --mask FILE", text);
}

static bool read_starts(crs_rpca_job *j, crease_error *e)
{
    double starts;
    if (!crs_option_integer(j->a, CRS_OPT_starts, 1, 1000, 0, &starts, e)) return false;
    j->s.starts = (int)starts;
    return true;
}

static bool run_options(crs_rpca_job *j, crease_error *e)
{
    const bool done = read_starts(j, e) && crs_run_options(j->a, &j->run, e);
    j->run.starts = crease_options_default().starts; /* --starts are this model's own */
    const crease_method m = j->run.method;
    return done && ((m != CREASE_METHOD_GCG && m != CREASE_METHOD_EXTENSION) ||
                    crs_fail(e, CREASE_UNSUPPORTED,
                             "--method %s does not suit this model; use auto, envelope, admm-g, "
                             "admm-m, prox-bcd or bcd",
                             crease_method_name(m)));
}

static bool machine_options(crs_rpca_job *j, crease_error *e)
{
    const char *precision = crs_given(j->a, CRS_OPT_PRECISION);
    double threads;
    if (!crs_option_integer(j->a, CRS_OPT_THREADS, 1, 256, 0, &threads, e)) return false;
    j->s.threads = (int)threads;
    j->s.single = precision && strcmp(precision, "single") == 0;
    return !precision || j->s.single || strcmp(precision, "double") == 0 ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "--precision %.64s: write double or single", precision);
}

/* "fibres:2" or "slices:0" */
bool crs_rpca_groups(const char *text, crease_rpca_settings *s, crease_error *e)
{
    const char *number = text ? strchr(text, ':') : NULL;
    double axis;
    if (!text || text[0] == '@' || crs_is_list(text)) return true;
    const bool fibres = strncmp(text, "fibres:", 7) == 0, slices = strncmp(text, "slices:", 7) == 0;
    if (!fibres && !slices) return true;
    if (!crs_parse_double(number + 1, &axis) || !(axis >= 0 && axis < CREASE_MAX_ORDER) ||
        axis != floor(axis))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--groups %.64s: the axis is not a whole number from 0 to %d", text,
                        CREASE_MAX_ORDER - 1);
    s->groups = fibres ? CREASE_GROUPS_FIBRES : CREASE_GROUPS_SLICES;
    s->axis = (int)axis;
    return true;
}

static bool number(const crs_rpca_job *j, crs_option_id id, bool zero, double *x, crease_error *e)
{
    char name[CRS_NAME];
    if (!crs_given(j->a, id)) return true;
    if (!crs_option_number(j->a, id, 0, x, e)) return false;
    return (*x < INFINITY && (*x > 0 || (zero && *x == 0))) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "%s %g is outside its range: give a number %s",
                    crs_option_name((int)id, name), *x, zero ? ">= 0" : "> 0");
}

static bool read_init(crs_rpca_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_INIT);
    if (text) crs_rpca_init(text, &j->s);
    return read_missing(j->a, &j->s.missing, e);
}

/* auto:R */
static bool read_most(const char *text, ptrdiff_t *most, crease_error *e)
{
    double rank;
    if (!(crs_parse_double(text + 5, &rank) && rank >= 1 && rank <= 1 << 24 && rank == floor(rank)))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--rank %.64s: after auto: give the largest rank there may be, a whole "
                        "number >= 1",
                        text);
    *most = (ptrdiff_t)rank;
    return true;
}

/* A whole number, auto, or auto:R for at most R. */
static bool read_rank(crs_rpca_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_RANK);
    double rank = 0;
    j->s.prune = crs_given(j->a, CRS_OPT_PRUNE);
    if (!text || strcmp(text, "auto") == 0) return true;
    if (strncmp(text, "auto:", 5) == 0) return read_most(text, &j->s.most, e);
    if (!crs_option_integer(j->a, CRS_OPT_RANK, 1, 1 << 24, 0, &rank, e)) return false;
    j->s.rank = (ptrdiff_t)rank;
    return true;
}

/* Without a number the envelope learns a threshold; the other methods take the paper's
 * alpha. */
static bool read_alpha(crs_rpca_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_ALPHA);
    const crease_method m = j->run.method;
    const bool learns = j->run.mode == CREASE_MODE_PRACTICAL &&
                        (m == CREASE_METHOD_AUTO || m == CREASE_METHOD_ENVELOPE);
    if (text && strcmp(text, "auto") == 0 && !learns)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "--alpha auto is for the envelope method; give a number, or leave it out");
    if (text && strcmp(text, "auto") != 0) return number(j, CRS_OPT_ALPHA, false, &j->s.alpha, e);
    return true;
}

static bool read_options(crs_rpca_job *j, crease_error *e)
{
    const crease_space any = { .order = 2, .dim = { 1, 1 } };
    crease_rpca_settings *m = &j->s;
    j->s = crease_rpca_default(&any);
    j->run = crease_rpca_options();
    if (!run_options(j, e) || !machine_options(j, e) ||
        !crs_penalty_open(crs_given(j->a, CRS_OPT_PENALTY), &j->penalty, e) ||
        !crs_rpca_groups(crs_given(j->a, CRS_OPT_GROUPS), m, e) || !read_init(j, e) ||
        !crs_center_option(j->a, &m->center, e) || !crs_noise_option(j->a, m, e) ||
        !read_rank(j, e) || !read_alpha(j, e) ||
        !number(j, CRS_OPT_ALPHA_NOISE, false, &m->alpha_noise, e) ||
        !number(j, CRS_OPT_RIDGE, true, &m->ridge, e))
        return false;
    m->nonneg = crs_given(j->a, CRS_OPT_NONNEG);
    return true;
}

static void discard(crs_rpca_job *j)
{
    crs_folder_abandon(&j->folder);
    crease_rpca_free(j->fit);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) {
        crs_array_free(&j->factor[n]);
        crs_array_free(&j->true_factor[n]);
        crs_free(j->unit[n]);
    }
    crs_array_free(&j->factor_weight);
    crs_array_free(&j->data);
    if (j->source) crs_team_dismiss(j->source);
    if (j->source) j->source->ops->close(j->source);
    crs_npy_stream_close(&j->truth);
    crs_free(j->weight);
    crs_free(j->peak);
    crs_free(j->cosine);
    crease_verification_free(&j->verified);
    crs_reg_close(&j->penalty);
}

static bool fit_penalty(crs_rpca_job *j, crease_error *e)
{
    crease_rpca_settings *m = &j->s;
    if (m->kind == CREASE_RPCA_CP && m->groups == CREASE_GROUPS_GIVEN &&
        !crs_reg_fit(j->a, &m->shape, &j->penalty, e))
        return false;
    m->penalty = j->penalty.reg;
    return true;
}

static bool build(crs_rpca_job *j, crease_error *e)
{
    crease_rpca_settings *m = &j->s;
    crease_watch_enter(j->a->watch, CREASE_PHASE_START);
    crs_keep_time(j->a, 5, 8 * (double)crease_size(&m->shape));
    if (!fit_penalty(j, e)) return false;
    m->memory = j->source ? 0 : crs_memory_free() - CRS_RPCA_OVERHEAD;
    j->fit = j->source ? crs_rpca_new_on(m, &j->run, j->source, e)
                       : crease_rpca_new(m, &j->run, j->data.data, e);
    if (!j->fit) return false;
    crs_rpca_forecast(j);
    m->rank = crease_rpca_used(j->fit)->rank;
    return true;
}

static bool fit(crs_rpca_job *j, crease_error *e)
{
    if (crease_rpca_problem(j->fit)) return true; /* go_on */
    crs_rpca_banner(j);
    crease_rpca_run(j->fit);
    const crease_error *why = crease_rpca_failure(j->fit);
    if (why->code != CREASE_OK) return crs_fail(e, why->code, "%s", why->text);
    crs_document d = { .root = NULL };
    if (!crs_rpca_write(j, e)) return false;
    j->exit_status = crs_exit_of_run(crease_rpca_report(j->fit)->outcome, j->verified.verdict);
    crs_rpca_footer(j);
    crs_rpca_result(j, &d);
    bool done = crs_folder_commit(&j->folder, &d, e);
    if (done && !crs_given(j->a, CRS_OPT_JSON)) crs_rpca_summary(j);
    if (done && crs_given(j->a, CRS_OPT_JSON)) done = crs_document_print(&d, false, e);
    crs_document_free(&d);
    return done;
}

/* With its options: from the data to the folder, or what would be done. */
static bool carry_out(crs_rpca_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    if (!crs_folder_of(a, &j->folder, e) || !crs_rpca_read(j, e) ||
        !is_order_two(a, &j->s.shape, e))
        return false;
    if (crs_dry(a)) return fit_penalty(j, e) && (crs_rpca_foretell(j), true);
    if (!crs_rpca_bind(j, e) || !crs_rpca_hold(j, e) || !build(j, e) || !fit(j, e)) return false;
    *a->status = j->exit_status;
    return true;
}

static bool run_cp(const crs_args *a, crease_error *e)
{
    crs_args own = *a; /* with what --foreground means */
    crs_rpca_job j = { .a = &own };
    const bool done =
        crs_foreground_take(&own, &j.foreground, e) && read_options(&j, e) && carry_out(&j, e);
    discard(&j);
    return done;
}

static bool positive(const crs_args *a, crs_option_id id, double *x, crease_error *e)
{
    const char *text = crs_given(a, id);
    char name[CRS_NAME];
    if (!text || strcmp(text, "auto") == 0) return true;
    if (!crs_option_number(a, id, 0, x, e)) return false;
    return (*x > 0 && *x < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "%s %g is outside its range: give a number > 0",
                    crs_option_name((int)id, name), *x);
}

static bool read_tucker_options(crs_tucker_job *j, crease_error *e)
{
    const crease_space any = crease_matrix(1, 1);
    const int kind = kind_of(j->a, e);
    double threads;
    j->s = crease_rpca_default(&any);
    j->s.kind = kind == PCP       ? CREASE_RPCA_PCP
                : kind == BOUNDED ? CREASE_RPCA_BALL
                                  : CREASE_RPCA_TUCKER;
    j->run = crease_rpca_options();
    if (!crs_center_option(j->a, &j->s.center, e) || !positive(j->a, CRS_OPT_ETA, &j->s.eta, e) ||
        !crs_run_options(j->a, &j->run, e) ||
        !crs_penalty_open(crs_given(j->a, CRS_OPT_PENALTY), &j->penalty, e) ||
        !positive(j->a, CRS_OPT_ALPHA, &j->s.alpha, e) ||
        !positive(j->a, CRS_OPT_ALPHA_NOISE, &j->s.alpha_noise, e) ||
        !crs_option_integer(j->a, CRS_OPT_THREADS, 1, 256, 0, &threads, e) ||
        !read_missing(j->a, &j->s.missing, e))
        return false;
    j->s.threads = (int)threads;
    j->s.prune = crs_given(j->a, CRS_OPT_PRUNE);
    return true;
}

bool crs_parse_ranks(const char *text, const crease_space *shape, crease_space *ranks,
                     crease_error *e)
{
    const int d = shape->order;
    crs_array list;
    if (!crs_parse_list("--rank", text, &list, e)) return false;
    const ptrdiff_t count = crease_size(&list.shape);
    bool good = count == 1 || count == d;
    *ranks = *shape;
    for (int n = 0; good && n < d; n++) {
        const double r = list.data[count == 1 ? 0 : n];
        good = r >= 1 && r == floor(r) && r <= (double)shape->dim[n];
        if (good) ranks->dim[n] = (ptrdiff_t)r;
    }
    crs_array_free(&list);
    return good || crs_fail(e, CREASE_BAD_ARGUMENT,
                            "--rank %.64s: give one whole number, or one for each of the %d modes, "
                            "from 1 to the mode's length",
                            text, d);
}

bool crs_tucker_ranks(const crs_args *a, crease_rpca_settings *s, crease_error *e)
{
    const char *text = crs_given(a, CRS_OPT_RANK);
    if (s->kind == CREASE_RPCA_PCP || !text || strcmp(text, "auto") == 0) return true;
    if (strncmp(text, "auto:", 5) == 0) return read_most(text, &s->most, e);
    return crs_parse_ranks(text, &s->shape, &s->ranks, e);
}

static bool read_tucker(crs_tucker_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    if (!crs_asked_of(a, &j->asked, e)) return false;
    /* What many files claim is known before their items are read. */
    if (crs_read_shape(a->word[0], &j->asked, &j->s.shape) && j->s.shape.order > 1 &&
        !crs_memory_suffices("robust PCA of this tensor", crs_tucker_bytes(j, &j->s), e))
        return false;
    if (crs_dry_head(a, a->word[0], &j->asked, &j->given)) return crs_tucker_ranks(a, &j->s, e);
    if (!crs_read_data(a, a->word[0], &j->asked, &j->data, e)) return false;
    j->given = j->data.shape;
    if (!crs_rpca_take(&j->data, crs_given(a, CRS_OPT_MASK), crs_given(a, CRS_OPT_MERGE), &j->s,
                       j->hash, e) ||
        !crs_rpca_truth(a, &j->given, &j->truth, e))
        return false;
    j->s.penalty = j->penalty.reg;
    j->s.memory = crs_memory_free();
    return crs_tucker_ranks(a, &j->s, e);
}

/* The problem as the folder says it, for the checker. */
static bool open_problem(crs_tucker_job *j, crease_error *e)
{
    char *path = crs_tucker_problem(j, e) ? crs_path_in(j->folder.beside, "problem.json", e) : NULL;
    j->file = path ? crs_problem_read(path, e) : NULL;
    crs_free(path);
    return j->file;
}

/* The names that the blocks have in every folder of robust PCA. */
static void name_arrays(crs_tucker_job *j)
{
    static const struct {
        const char *block, *array;
    } known[] = { { "C", "core.npy" },     { "E", "sparse.npy" },  { "S", "sparse.npy" },
                  { "L", "lowrank.npy" },  { "Z", "z.npy" },       { "B", "b.npy" },
                  { "X", "factor_1.npy" }, { "Y", "factor_2.npy" } };
    const crease_problem *p = crease_rpca_problem(j->fit);
    for (int i = 0; i < p->count; i++) {
        const char *name = p->block[i].name;
        snprintf(j->array[i], sizeof j->array[i], "factor_%.8s.npy", name + 1);
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcmp(known[k].block, name) == 0)
                snprintf(j->array[i], sizeof j->array[i], "%s", known[k].array);
        j->name[i] = j->array[i];
        j->shape[i] = strchr("ESLZB", name[0]) ? j->given : p->space[i];
    }
}

/* The parts that are no blocks, in the shape of the data; and the error. */
static bool write_tucker_parts(crs_tucker_job *j, crease_error *e)
{
    const ptrdiff_t size = crease_size(&j->given), rows = j->s.shape.dim[0];
    const bool convex = j->s.kind == CREASE_RPCA_PCP; /* the block L is the low-rank part */
    double *lowrank = crs_doubles(2 * size, "the parts of the result", e);
    if (!lowrank) return false;
    double *noise = lowrank + size;
    crease_rpca_read(j->fit, CREASE_RPCA_LOWRANK, 0, rows, lowrank);
    crease_rpca_read(j->fit, CREASE_RPCA_NOISE, 0, rows, noise);
    j->error = j->truth.data ? crease_relative_error(size, lowrank, j->truth.data) : NAN;
    const bool done =
        (convex || crs_folder_array(&j->folder, "lowrank.npy", &j->given, lowrank, e)) &&
        crs_center_write(&j->folder, j->fit, e) &&
        crs_folder_array(&j->folder, "noise.npy", &j->given, noise, e);
    crs_free(lowrank);
    return done;
}

static bool deliver_tucker(crs_tucker_job *j, crs_run *run, crease_verification *v, crease_error *e)
{
    const double *x[CREASE_MAX_ORDER + 4];
    const crease_claim claim = { .p = &j->file->problem,
                                 .x = x,
                                 .lambda = crease_rpca_multiplier(j->fit),
                                 .eps = j->run.eps,
                                 .relative = j->run.relative != 0,
                                 .watch = j->a->watch };
    crs_document d = { .root = NULL };
    for (int i = 0; i < j->file->problem.count; i++) x[i] = crease_rpca_block(j->fit, i);
    crease_watch_enter(j->a->watch, CREASE_PHASE_CHECK);
    if (!crease_claim_verify(&claim, v, e)) return false;
    crease_watch_enter(j->a->watch, CREASE_PHASE_WRITE);
    if (!write_tucker_parts(j, e)) return false;
    run->point = x;
    run->multiplier = claim.lambda;
    run->certificate = crease_rpca_certificate(j->fit);
    run->verified = v;
    run->exit_status = crs_exit_of_run(crease_rpca_report(j->fit)->outcome, v->verdict);
    crs_log_footer(j->a, run);
    crs_tucker_result(j, run, &d);
    bool done = !j->lasting || crs_run_write(&j->folder, run, e);
    if (!j->lasting) crs_folder_abandon(&j->folder);
    done = done && crs_folder_commit(&j->folder, &d, e);
    if (done && !crs_given(j->a, CRS_OPT_JSON)) crs_tucker_summary(j, run);
    if (done && crs_given(j->a, CRS_OPT_JSON)) done = crs_document_print(&d, false, e);
    if (done) *j->a->status = run->exit_status;
    crs_document_free(&d);
    return done;
}

static bool solve_tucker(crs_tucker_job *j, crease_error *e)
{
    crease_verification v = { .count = 0 };
    crs_run run = { .verb = "rpca",
                    .checker = "rpca-problem",
                    .file = j->file,
                    .options = &j->run,
                    .solver = crs_rpca_solver(j->fit),
                    .array = j->name,
                    .shape = j->shape };
    crs_log_banner(j->a, &run);
    crease_rpca_run(j->fit);
    const bool done = deliver_tucker(j, &run, &v, e);
    crease_verification_free(&v);
    return done;
}

/* The folder, before anything is computed. With --json alone the problem is written to
 * a folder for the time of the run. */
static bool tucker_outputs(crs_tucker_job *j, crease_error *e)
{
    const char *temporary = getenv("TMPDIR");
    char path[CRS_PATH_ROOM];
    j->lasting = crs_given(j->a, CRS_OPT_OUT);
    if (!crs_folder_of(j->a, &j->folder, e)) return false;
    return j->lasting ||
           (crs_join(temporary ? temporary : "/tmp", "crease-rpca", path, sizeof path, e) &&
            crs_folder_begin(path, true, &j->folder, e));
}

static bool fit_tucker(crs_tucker_job *j, crease_error *e)
{
    crease_watch_enter(j->a->watch, CREASE_PHASE_START);
    crs_keep_time(j->a, 12, 8 * (double)crease_size(&j->s.shape)); /* with problem.json's data */
    j->fit = crease_rpca_new(&j->s, &j->run, j->data.data, e);
    if (j->fit) name_arrays(j);
    return j->fit;
}

/* A fit that has not ended goes on as a problem. */
static bool go_on(crs_rpca_job *j, crease_error *e)
{
    crs_tucker_job t = { .a = j->a,
                         .penalty = j->penalty,
                         .s = j->s,
                         .run = j->run,
                         .data = j->data,
                         .asked = j->asked,
                         .given = j->given,
                         .fit = j->fit };
    memcpy(t.hash, j->hash, sizeof t.hash);
    crs_folder_abandon(&j->folder);
    name_arrays(&t);
    const bool done = tucker_outputs(&t, e) && crs_rpca_truth(t.a, &t.given, &t.truth, e) &&
                      open_problem(&t, e) && solve_tucker(&t, e);
    crs_folder_abandon(&t.folder);
    crs_problem_file_free(t.file);
    crs_array_free(&t.truth);
    return done;
}

/* A Tucker model by its fit; the penalty is taken over. */
static bool run_fit(const crs_tucker_job *t, crease_error *e)
{
    crs_rpca_job j = { .a = t->a, .s = t->s, .run = t->run, .penalty = t->penalty };
    const bool done = carry_out(&j, e) && (!j.fit || !crease_rpca_problem(j.fit) || go_on(&j, e));
    discard(&j);
    return done;
}

static bool run_tucker(const crs_args *a, crease_error *e)
{
    crs_tucker_job j = { .a = a };
    bool fits;
    bool done = read_tucker_options(&j, e) && crs_tucker_plan(&j, &fits, e);
    if (done && fits) return run_fit(&j, e);
    done = done && tucker_outputs(&j, e) && read_tucker(&j, e) && is_order_two(a, &j.s.shape, e);
    if (done && crs_dry(a))
        crs_tucker_foretell(&j);
    else
        done = done && crs_checkpoint_bind(a, "the data", j.hash, e) &&
               crs_checkpoint_bind_threads(a, e) && fit_tucker(&j, e) && open_problem(&j, e) &&
               solve_tucker(&j, e);
    crs_folder_abandon(&j.folder);
    crs_problem_file_free(j.file);
    crease_rpca_free(j.fit);
    crs_array_free(&j.data);
    crs_array_free(&j.truth);
    crs_reg_close(&j.penalty);
    return done;
}

static bool run(const crs_args *a, crease_error *e)
{
    const int kind = kind_of(a, e);
    return kind == CP || kind == RIDGED ? run_cp(a, e) : run_tucker(a, e);
}

const crs_verb crs_rpca_verb = {
    .name = "rpca",
    .words = "DATA",
    .word = CRS_KIND_FILE,
    .least = 1,
    .most = 1,
    .text =
        "Split a tensor into a low-rank part, a sparse part and noise. The model is |Z - "
        "[[X_1, ..., X_d]]|^2 + alpha R(E) + alpha_N |B|^2 with Z + E + B = DATA, for matrices "
        "and tensors of any order; entries may be missing. eps is relative unless --relative 0 is "
        "given. The folder receives lowrank.npy (of the factors), sparse.npy, noise.npy, z.npy, "
        "the unit columns factor_1.npy, ..., weights.npy and result.json; of large data fewer of "
        "them, see --write. Without --alpha the "
        "envelope, the default method, learns it from the residual, and the penalty's parameters "
        "are in units of the threshold it finds. Without --rank ranks are compared on held-out "
        "entries. --model tucker has a core and a rank per mode, --model matrix is its order 2; "
        "both learn alpha from the residual. With --ridge, --model matrix is CP of order 2, whose "
        "ridge is NU times the nuclear norm; with --eta it bounds the noise. --model pcp is "
        "|L|_* + alpha |S|_1 with L + S = DATA. The folder of tucker and matrix holds "
        "core.npy in place of weights.npy; that of pcp, with --eta or with a --method of the paper "
        "holds problem.json and the blocks of its point. The exit code is 0 when the point is "
        "certified stationary and the independent checker "
        "confirms it, 2 at a limit, 3 when the run "
        "diverged. Ctrl-C ends the iterations and writes what there is.",
    .example = "crease rpca instance/tensor.npy --rank 3 --out result",
    .takes = CRS_LIST(
        CRS_OFFERS(METHOD, "auto|envelope|admm-g|admm-m|prox-bcd|bcd|extension",
                   "auto, envelope, admm-g, admm-m, prox-bcd or bcd; of models other than cp "
                   "auto, admm-g, admm-m or extension (default auto)"),
        CRS_FOR_SAYS(starts, OF_CP,
                     "points to start from, the first by --init; the best fit is kept (default: "
                     "one, and more while the fit is bad)"),
        CRS_DROPS(continuation), CRS_FOR(seed, OF_FACTORS), CRS_TAKES_RUN, CRS_TAKES(MODEL),
        CRS_FOR(ETA, OF_MATRIX),
        CRS_FOR_SAYS(RANK, OF_FACTORS,
                     "number of rank-one terms; of tucker and matrix one number, or one per mode; "
                     "auto:R for at most R (default auto: chosen from the data)"),
        CRS_FOR(CENTER, OF_FACTORS), CRS_FOR(NOISE_LEVELS, OF_CP), CRS_FOR(PRUNE, OF_FACTORS),
        CRS_FOR(PENALTY, OF_FACTORS),
        CRS_FOR_SAYS(GROUPS, OF_CP,
                     "of the penalty: fibres:AXIS or slices:AXIS, counted from 0; sizes of "
                     "consecutive groups (3,2,4); or a label for every entry: after @ "
                     "(@2,1,1,2) or in a file"),
        CRS_FOR(WEIGHTS, OF_CP),
        CRS_SAYS(ALPHA, "weight of the penalty, or auto (default: learned from the residual; of "
                        "the methods of the paper 2/sqrt of the longest dimension)"),
        CRS_FOR(ALPHA_NOISE, OF_CP | OF_TUCKER), CRS_FOR(RIDGE, OF_CP), CRS_FOR(INIT, OF_CP),
        CRS_FOR(MISSING, OF_CP | OF_TUCKER), CRS_FOR(MASK, OF_CP | OF_TUCKER), CRS_TAKES_READING,
        CRS_FOR(NONNEG, OF_CP), CRS_TAKES(MERGE), CRS_FOR(FOREGROUND, OF_CP),
        CRS_FOR(BEYOND, OF_CP), CRS_FOR(CLEAN, OF_CP), CRS_TAKES(TRUTH),
        CRS_FOR(THREADS, OF_FACTORS), CRS_TAKES(MEMORY), CRS_FOR(PRECISION, OF_CP),
        CRS_TAKES_CHECKPOINT, CRS_TAKES(OUT), CRS_FOR(WRITE, OF_CP | OF_TUCKER), CRS_TAKES(FORMAT),
        CRS_TAKES(REPORT), CRS_TAKES(FORCE), CRS_TAKES_ROWS, CRS_TAKES(JSON)),
    .relative = true,
    .binds_threads = true,
    .kinds = kinds,
    .kind = kind_of,
    .run = run,
};
