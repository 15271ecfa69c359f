/* SPDX-License-Identifier: MIT
 * regress_rows: regression on rows that do not fit into memory: whether they do, the files as one
 * table of slabs, in one process or over ranks, and the checker, which reads them again */
#include "cli/regress_rows.h"
#include "core/parallel.h"
#include "io/stream/stream.h"
#include "regress/rows.h"

struct crs_regress_rows {
    crs_joining files; /* whose rows belong together: X, y, then weights and folds */
    crs_source *slabs;
    crease_source *source; /* the same, as the library takes it */
};

static bool name_files(crs_regress_job *j, crease_error *e)
{
    static const struct {
        crs_option_id id;
        const char *name;
    } beside[] = { { CRS_OPT_ROW_WEIGHTS, "--row-weights" }, { CRS_OPT_FOLDS, "--folds" } };
    j->rows = crs_alloc(1, sizeof *j->rows);
    if (!j->rows) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the files of rows");
    j->rows->files = (crs_joining){ .files = 2, .asked = j->reading };
    j->rows->files.asked.sparse = false;
    for (int k = 0; k < 2; k++) j->rows->files.path[k] = j->a->word[k];
    for (int k = 0; k < 2; k++) {
        const char *path = crs_given(j->a, beside[k].id);
        if (!path) continue;
        if (!crs_is_there(path))
            return crs_fail(e, CREASE_NO_INPUT,
                            "%s %.150s: no such file; beside rows in slabs the numbers are in one",
                            beside[k].name, path);
        j->rows->files.path[j->rows->files.files++] = path;
    }
    return true;
}

/* Are the rows too many for the memory that may be used, or shared by ranks? */
bool crs_regress_foresee(crs_regress_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    crease_space x;
    if (!crs_option_bytes(a, CRS_OPT_MEMORY, 0.75 * crs_memory_free(), &j->memory, e)) return false;
    if (!crs_given(a, CRS_OPT_MEMORY) && a->team) j->memory /= a->team->size;
    if (!crs_read_shape(a->word[0], &j->reading, &x) || x.order != 2 || x.dim[0] < 2)
        return true; /* reading it will say why */
    j->shape_known = true;
    j->n = x.dim[0], j->p = x.dim[1];
    const crease_space table = crease_matrix(j->n, j->p + 1);
    const bool shared = a->team && a->team->size > 1 && crs_partition_of(&table).count > 1;
    j->in_rows = shared || crs_regress_bytes(j) > j->memory;
    if (!j->in_rows || crs_ends_in(a->word[0], ".mtx")) return j->in_rows = false, true;
    return name_files(j, e);
}

static crease_regression_rows columns_of(const crs_regress_job *j)
{
    return (crease_regression_rows){ .size = sizeof(crease_regression_rows),
                                     .p = j->p,
                                     .weighted = crs_given(j->a, CRS_OPT_ROW_WEIGHTS),
                                     .folded = crs_given(j->a, CRS_OPT_FOLDS),
                                     .folds = j->folds,
                                     .seed = j->seed };
}

void crs_regress_close_rows(crs_regress_job *j)
{
    if (!j->rows) return;
    if (j->rows->slabs && j->rows->slabs->team) crs_team_dismiss(j->rows->slabs);
    crease_source_free(j->rows->source);
    crs_free(j->rows);
}

static double bytes_beside(const crs_regress_job *j)
{
    const crease_regression_rows columns = columns_of(j);
    const crease_space table = crease_matrix(j->n, j->p + j->rows->files.files - 1);
    const int threads = crs_useful_threads(j->s.threads, crease_size(&table));
    return crease_regression_bytes_on(&columns, j->s.path, threads) + 0x1p24;
}

/* A model of rows has no units that a checkpoint could note. */
static bool check_options(const crs_regress_job *j, crease_error *e)
{
    if (crs_given(j->a, CRS_OPT_CHECKPOINT) || crs_given(j->a, CRS_OPT_RESUME))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "rows in slabs are fitted without checkpoints; leave --checkpoint out, or "
                        "allow the memory that X takes");
    return j->p <= CRS_ROWS_COLUMNS ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "X has %td columns, and rows in slabs are for at most %d; leave columns out "
                    "(--columns, --drop), or allow the memory that X takes",
                    j->p, CRS_ROWS_COLUMNS);
}

static bool open_slabs(crs_regress_job *j, double bytes, crease_error *e)
{
    const crs_team *t = j->a->team;
    const crs_stream_settings s = { .bytes = bytes, .parts = t ? t->size : 0 };
    j->rows->slabs = crs_joined_source(&j->rows->files, &s, e);
    if (!j->rows->slabs) return false;
    if (t && t->size > 1 && !crs_regress_share(t, &j->rows->files, bytes, j->rows->slabs, e)) {
        j->rows->slabs->ops->close(j->rows->slabs);
        return j->rows->slabs = NULL, false;
    }
    j->rows->source = crs_source_hand(j->rows->slabs, e);
    if (!j->rows->source) j->rows->slabs = NULL;
    return j->rows->source;
}

bool crs_regress_open_rows(crs_regress_job *j, crease_error *e)
{
    char need[32], have[32];
    if (!check_options(j, e)) return false;
    crs_joined *r = crs_joined_open(&j->rows->files, e);
    if (!r) return false;
    const crease_space table = crs_joined_shape(r);
    j->X.shape = *crs_joined_part(r, 0), j->y.shape = *crs_joined_part(r, 1);
    crs_joined_close(r);
    const double own = bytes_beside(j), least = crs_stream_floor(&table, false);
    crs_bytes_text(own + least, need);
    crs_bytes_text(j->memory, have);
    if (own + least > j->memory)
        return crs_fail(e, CREASE_NO_MEMORY,
                        "this regression takes at least %s, slab by slab, where %s may be used; "
                        "allow more, by --memory, fewer --threads or fewer folds",
                        need, have);
    crs_blas_alone();
    return crs_dry(j->a) || open_slabs(j, j->memory - own, e);
}

bool crs_regress_build_rows(crs_regress_job *j, crease_error *e)
{
    const crease_regression_rows columns = columns_of(j);
    j->s.threads = crs_useful_threads(j->s.threads, crease_size(&j->rows->slabs->cut.shape));
    j->model = crease_regression_new_on(&j->s, &columns, j->rows->source, e);
    if (j->model && columns.folded) j->folds = crease_regression_folds_on(j->model);
    return j->model;
}

/* Looks at the data: means, products and certificates; for other losses at each lambda. Of every
 * row and lambda the certificate and its check, as measured. */
void crs_regress_foretell_rows(const crs_regress_job *j)
{
    const crease_space table = crease_matrix(j->n, j->p + j->rows->files.files - 1);
    const bool squared = j->s.loss == CREASE_REGRESSION_SQUARED;
    const double p = (double)j->p, path = (double)j->s.path, fits = path * (1 + j->folds);
    const double looks = squared ? 4 : 3 + 6 * fits;
    const double each = (double)j->n * (p * p + path * (60 + 30 * p) / looks);
    const crs_dry_work work = { each, 3, looks, "looks at the data" };
    crs_print("%s  %td rows, %td columns%s%s\n\n", j->a->word[0], j->n, j->p,
              j->s.standardize ? ", standardized" : "",
              j->s.intercept ? ", with an intercept" : "");
    crs_line("model", "%s loss, %s penalty", crs_regress_loss_name(j->s.loss),
             j->penalty.spec.name);
    crs_line("path", "%td lambda%s", j->s.path, j->s.path == 1 ? "" : "s");
    if (j->folds) crs_line("folds", "%d", j->folds);
    crs_line("slabs", "%td of %.3g MB", crs_partition_of(&table).count,
             8e-6 * (double)crease_size(&table) / (double)crs_partition_of(&table).count);
    crs_dry_memory(smaller(j->memory, bytes_beside(j) + 8 * (double)crease_size(&table)));
    crs_dry_time(j->a, &work);
    crs_dry_files(j->a, j->folds ? "solutions.csv, coefficients.npy, cv.csv, path.svg, history.csv"
                                 : "solutions.csv, coefficients.npy, path.svg, history.csv");
}

/* ---- the checker ---- */

static bool read_again(void *table, ptrdiff_t first, ptrdiff_t count, double *out, crease_error *e)
{
    return crs_joined_read(table, first, count, out, e);
}

/* What the checker did not come to is read for the hashes. */
static bool hash_files(crs_regress_job *j, crs_joined *r, int files, crease_error *e)
{
    if (!crs_joined_rest(r, e)) return false;
    for (int k = 0; k < files; k++) crs_joined_hash(r, k, j->hash[k]);
    if (files > 2) j->row_weight.shape = *crs_joined_part(r, 2);
    return true;
}

bool crs_regress_check_rows(crs_regress_job *j, crease_error *e)
{
    crs_joining files = j->rows->files;
    files.hashed = true;
    files.files = 2 + (crs_given(j->a, CRS_OPT_ROW_WEIGHTS) != NULL);
    crs_joined *r = crs_joined_open(&files, e);
    double *objective = crs_doubles(j->s.path, "the objectives", e);
    const crease_regression_claim claim = { .s = *crease_regression_used(j->model),
                                            .n = j->n,
                                            .p = j->p,
                                            .point = crease_regression_point(j->model, 0),
                                            .coefficients = j->coefficients };
    const crease_regression_reading in = { files.files == 3, read_again, r };
    const bool done =
        r && objective &&
        crease_regression_verify_on(&claim, &in, NULL, j->verified, objective, NULL, e) &&
        hash_files(j, r, files.files, e);
    crs_free(objective);
    crs_joined_close(r);
    return done;
}
