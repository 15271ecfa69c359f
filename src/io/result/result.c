/* SPDX-License-Identifier: MIT
 * result: the files of a result */
#include "io/result/result.h"

#include "io/result/folder.h"

bool crs_write_document(const char *folder, const char *name, json_t *document, crease_error *e)
{
    char *path = document ? crs_folder_file(folder, name, e) : NULL;
    FILE *f = path ? crs_create(path, e) : NULL;
    bool done = false;
    if (!document) crs_fail(e, CREASE_NO_MEMORY, "out of memory: %s", name);
    if (f) {
        const bool put = json_dumpf(document, f, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0 &&
                         fputc('\n', f) != EOF;
        done = crs_finish(f, path, put, e);
    }
    json_decref(document);
    crs_free(path);
    return done;
}

bool crs_write_array(const char *folder, const char *name, const crease_space *s, const double *x,
                     crease_error *e)
{
    char *path = crs_folder_file(folder, name, e);
    const bool done = path && crs_write_npy(path, s, x, e);
    crs_free(path);
    return done;
}

static bool write_arrays(const char *folder, const crs_run *run, crease_error *e)
{
    const crease_problem *p = &run->file->problem;
    for (int i = 0; i < p->count; i++) {
        char name[80];
        snprintf(name, sizeof name, "x_%s.npy", p->block[i].name);
        if (!crs_write_array(folder, name, &p->space[i], crease_solution(run->solver, i), e))
            return false;
    }
    const double *lambda = crease_multiplier(run->solver);
    return !lambda || crs_write_array(folder, "lambda.npy", &p->range, lambda, e);
}

static bool write_history(const char *folder, const crs_run *run, crease_error *e)
{
    char *path = crs_folder_file(folder, "history.csv", e);
    const bool done = path && crs_history_write(run->history, path, e);
    crs_free(path);
    return done;
}

bool crs_result_fill(const char *folder, const crs_run *run, json_t *more, crease_error *e)
{
    json_t *result = crs_result_json(run);
    if (result && more) json_object_update_missing(result, more);
    json_decref(more);
    if (write_arrays(folder, run, e) && write_history(folder, run, e) &&
        crs_write_document(folder, "certificate.json", crs_certificate_json(run), e))
        return crs_write_document(folder, "result.json", result, e);
    json_decref(result);
    return false;
}

bool crs_result_write(const char *folder, bool force, const crs_run *run, crease_error *e)
{
    crs_folder f;
    if (!crs_folder_begin(folder, force, &f, e)) return false;
    if (crs_result_fill(f.beside, run, NULL, e) && crs_folder_commit(&f, e)) return true;
    crs_folder_abandon(&f);
    return false;
}
