/* SPDX-License-Identifier: MIT
 * spca_certificate: a component as a folder that crease verify judges: what was left of T, the
 * problem about it, and the point, exactly */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/spca.h"
#include "io/result/result.h"

enum { NAME = 64 };

static bool put(FILE *f, const void *what)
{
    return json_dumpf(what, f, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0 && fputc('\n', f) > 0;
}

static bool write_document(const char *path, json_t *document, crease_error *e)
{
    if (!document) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %.200s", path);
    const bool done = crs_write_whole(path, put, document, e);
    json_decref(document);
    return done;
}

/* "DIR/component_2/name" */
static bool path_of(const crs_spca_job *j, int k, const char *name, char out[PATH_MAX],
                    crease_error *e)
{
    char inner[NAME];
    snprintf(inner, sizeof inner, "component_%d%s%s", k + 1, name[0] ? "/" : "", name);
    return crs_join(crs_given(j->a, CRS_OPT_OUT), inner, out, PATH_MAX, e);
}

bool crs_spca_keep_tensor(const crs_spca_job *j, int k, crease_error *e)
{
    char path[PATH_MAX];
    const crease_multilinear_data *data = crease_spca_problem(j->model)->f.data;
    if (!path_of(j, k, "", path, e)) return false;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return crs_fail(e, CREASE_IO, "the folder %.200s cannot be made: %s; choose another", path,
                        strerror(errno));
    return path_of(j, k, "tensor.npy", path, e) &&
           crs_write_npy(path, &data->shape, data->tensor, e);
}

/* {"scaled": {"alpha": a, "regularizer": {"mcp": {"lambda": 1, "gamma": 3}}}} */
static json_t *regularizer(const crs_spca_job *j, double alpha)
{
    json_t *pars = json_object();
    for (int k = 0; j->penalty.params && j->penalty.params[k].name; k++)
        json_object_set_new(pars, j->penalty.params[k].name, json_real(j->penalty.spec.value[k]));
    return json_pack("{s:{s:f, s:{s:o}}}", "scaled", "alpha", alpha, "regularizer",
                     j->penalty.spec.name, pars);
}

static json_t *problem(const crs_spca_job *j, int k)
{
    const crease_problem *p = crease_spca_problem(j->model);
    json_t *blocks = json_array(), *names = json_array();
    for (int n = 0; n < p->count; n++) {
        json_array_append_new(names, json_string(p->block[n].name));
        json_array_append_new(blocks,
                              json_pack("{s:s, s:I, s:o, s:s}", "name", p->block[n].name, "shape",
                                        (json_int_t)p->space[n].dim[0], "regularizer",
                                        regularizer(j, j->component[k].alpha), "set", "l2-ball:1"));
    }
    return json_pack("{s:i, s:s, s:o, s:[{s:{s:s, s:o, s:i}}]}", "crease", 1, "description",
                     "one component of sparse PCA: tensor.npy is what the earlier ones left",
                     "blocks", blocks, "smooth", "multilinear", "tensor", "tensor.npy", "blocks",
                     names, "weight", -1);
}

static json_t *certificate(const crs_spca_job *j, int k, const char *path, const char *hash)
{
    const crease_spca_component *c = &j->component[k];
    const crease_problem *p = crease_spca_problem(j->model);
    char whole[PATH_MAX], eps[48];
    const bool found = realpath(path, whole);
    json_t *blocks = json_array();
    snprintf(eps, sizeof eps, "%a", c->eps);
    for (int n = 0; n < p->count; n++)
        json_array_append_new(blocks, json_pack("{s:s, s:[I], s:i, s:o}", "name", p->block[n].name,
                                                "shape", (json_int_t)p->space[n].dim[0], "setting",
                                                1, "x", crs_json_hex(p->space[n].dim[0], c->x[n])));
    return json_pack("{s:i, s:{s:s, s:s}, s:s, s:b, s:s, s:o, s:n}", "crease_certificate",
                     CRS_CERTIFICATE_VERSION, "problem", "path", found ? whole : path, "hash", hash,
                     "eps", eps, "relative", j->o.relative != 0, "measure",
                     c->method == CREASE_METHOD_GCG ? "gap" : "blocks", "blocks", blocks, "lambda");
}

bool crs_spca_keep_certificate(const crs_spca_job *j, int k, crease_error *e)
{
    char path[PATH_MAX], to[PATH_MAX];
    if (!path_of(j, k, "problem.json", path, e) || !write_document(path, problem(j, k), e) ||
        !path_of(j, k, "certificate.json", to, e))
        return false;
    crs_problem_file *file = crs_problem_read(path, e);
    const bool done = file && write_document(to, certificate(j, k, path, file->hash), e);
    crs_problem_file_free(file);
    return done;
}
