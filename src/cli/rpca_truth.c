/* SPDX-License-Identifier: MIT
 * rpca_truth: the folder of --truth: the low-rank part, and the factors that are known */
#include <unistd.h>

#include "cli/rpca.h"
#include "rpca/rpca.h"

bool crs_read_in(const char *folder, const char *name, crs_array *out, crease_error *e)
{
    char path[CRS_PATH_ROOM];
    return crs_join(folder, name, path, sizeof path, e) && crs_read_array(path, out, e);
}

bool crs_same_shape(const char *what, const crs_array *x, const crease_space *s, crease_error *e)
{
    return crease_space_equal(&x->shape, s) ||
           crs_fail(e, CREASE_BAD_SHAPE, "%s does not have the shape of the data", what);
}

bool crs_rpca_truth(const crs_args *a, const crease_space *given, crs_array *out, crease_error *e)
{
    const char *folder = crs_given(a, CRS_OPT_TRUTH);
    return !folder ||
           (crs_read_in(folder, "lowrank.npy", out, e) && crs_same_shape("--truth", out, given, e));
}

static bool is_there(const char *folder, const char *name)
{
    char path[CRS_PATH_ROOM];
    return crs_join(folder, name, path, sizeof path, NULL) && access(path, F_OK) == 0;
}

/* Those of merged axes are not in the files. */
static bool read_factors(crs_rpca_job *j, const char *folder, crease_error *e)
{
    for (int n = 0; n < j->given.order && !crs_given(j->a, CRS_OPT_MERGE); n++) {
        char name[32];
        crs_outdir_factor(n, name);
        crs_array *x = &j->true_factor[n];
        if (!is_there(folder, name)) continue;
        if (!crs_read_in(folder, name, x, e)) return false;
        const ptrdiff_t rank = x->shape.order == 2 ? x->shape.dim[1] : 0;
        if (j->true_rank == 0) j->true_rank = rank;
        if (rank == 0 || rank != j->true_rank || x->shape.dim[0] != j->given.dim[n])
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "--truth: %s must have %td rows and a column for each of the terms",
                            name, j->given.dim[n]);
    }
    return true;
}

bool crs_rpca_open_truth(crs_rpca_job *j, crease_error *e)
{
    const char *folder = crs_given(j->a, CRS_OPT_TRUTH);
    if (!folder) return true;
    if (!read_factors(j, folder, e)) return false;
    if (j->true_rank > 0 && !is_there(folder, "lowrank.npy")) return true;
    if (!crs_join(folder, "lowrank.npy", j->truth_path, sizeof j->truth_path, e) ||
        !crs_npy_stream_open(j->truth_path, &j->truth, e))
        return false;
    return crease_space_equal(&j->truth.header.shape, &j->given) ||
           crs_fail(e, CREASE_BAD_SHAPE, "--truth does not have the shape of the data");
}

bool crs_rpca_match(crs_rpca_job *j, crease_error *e)
{
    const crease_space *s = &j->s.model.shape;
    crs_cp_terms found = { .rank = j->s.model.rank }, truth = { .rank = j->true_rank };
    if (j->true_rank == 0) return true;
    j->cosine = crs_doubles(j->true_rank * s->order, "the cosines", e);
    if (!j->cosine) return false;
    for (int n = 0; n < s->order; n++) {
        found.factor[n] = j->unit[n];
        truth.factor[n] = j->true_factor[n].data;
    }
    return crs_cp_cosines(s, &found, &truth, j->cosine, e);
}

/* One line a mode: the terms of the truth in their order. */
void crs_rpca_print_match(const crs_rpca_job *j)
{
    const int d = j->s.model.shape.order;
    for (int n = 0; n < d && j->true_rank > 0; n++) {
        if (!j->true_factor[n].data) continue;
        printf("cosines     mode %d:", n + 1);
        for (ptrdiff_t k = 0; k < j->true_rank; k++) printf(" %.5f", j->cosine[k * d + n]);
        putchar('\n');
    }
}

/* A list a term; null where the truth is not known. */
json_t *crs_rpca_match_json(const crs_rpca_job *j)
{
    const int d = j->s.model.shape.order;
    json_t *list = j->true_rank > 0 ? json_array() : json_null();
    for (ptrdiff_t k = 0; k < j->true_rank; k++) {
        json_t *term = json_array();
        for (int n = 0; n < d; n++) json_array_append_new(term, crs_real(j->cosine[k * d + n]));
        json_array_append_new(list, term);
    }
    return list;
}
