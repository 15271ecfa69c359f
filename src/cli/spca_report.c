/* SPDX-License-Identifier: MIT
 * spca_report: the components as text, a document, and folders for crease verify: what was left of
 * T, the problem about it, and the point, exactly */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/spca.h"
#include "io/result/result.h"

/* Entries of column k of factor n that are not 0. */
static ptrdiff_t support_of(const crs_spca_job *j, int n, int k)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < j->s.shape.dim[n]; i++)
        count += j->factor[n][i * j->components + k] != 0;
    return count;
}

static void print_component(const crs_spca_job *j, int k)
{
    const crease_spca_component *c = &j->component[k];
    const double part = j->norm > 0 ? 1 - square(c->norm / j->norm) : 0;
    printf("component %d %s: ", k + 1, crease_verdict_text(c->verdict));
    if (c->zero) {
        printf("%d starts ended at 0 with alpha %.6g%s\n", c->starts, c->alpha,
               j->norm > 0 ? "; lower --alpha to find more" : ": the data are zero");
        return;
    }
    printf("sigma %.6g, nonzeros", c->sigma);
    for (int n = 0; n < j->s.shape.order; n++)
        printf("%s%td of %td", n ? ", " : " ", support_of(j, n, k), j->s.shape.dim[n]);
    printf(", alpha %.6g, explained %.4g, %d of %d starts agree\n", c->alpha, part, c->agree,
           c->starts);
}

void crs_spca_print(const crs_spca_job *j)
{
    const crease_spca_component *c = &j->component[0];
    long iterations = 0;
    double seconds = 0;
    for (int k = 0; k < j->run; k++) {
        print_component(j, k);
        iterations += j->component[k].iterations;
        seconds += j->component[k].seconds;
    }
    if (j->stopped)
        printf("stopped     after %d of %td components, which is what the folder holds\n", j->run,
               j->components);
    printf("method      %s, %s mode\n", crease_method_name(c->method), crease_mode_name(j->o.mode));
    printf("guarantee   %s\n", c->theorem ? c->theorem : "none");
    printf("iterations  %ld in %.3g s\n", iterations, seconds);
    printf("result      %s\n", crs_given(j->a, CRS_OPT_OUT));
}

static json_t *component_json(const crs_spca_job *j, int k)
{
    const crease_spca_component *c = &j->component[k];
    json_t *support = json_array(), *length = json_array();
    for (int n = 0; n < j->s.shape.order; n++) {
        json_array_append_new(support, json_integer(support_of(j, n, k)));
        json_array_append_new(length, crs_real(c->length[n]));
    }
    json_t *certificate = json_pack(
        "{s:s, s:o, s:f, s:b, s:s, s:s}", "verdict", crease_verdict_text(c->verdict),
        "smallest_eps", crs_real(c->smallest_eps), "eps", c->eps, "relative", (int)j->o.relative,
        "measure", c->method == CREASE_METHOD_GCG ? "-psi_S" : "gap of every block", "theorem",
        c->theorem ? c->theorem : "none");
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:s, s:i, s:i, s:i, s:I, s:f, s:o}",
                     "sigma", crs_real(c->sigma), "alpha", crs_real(c->alpha), "objective",
                     crs_real(c->objective), "residual_norm", crs_real(c->norm), "nonzeros",
                     support, "lengths", length, "zero", c->zero, "status",
                     crease_outcome_text(c->outcome), "starts", c->starts, "kept_start", c->start,
                     "agree", c->agree, "iterations", (json_int_t)c->iterations, "seconds",
                     c->seconds, "certificate", certificate);
}

json_t *crs_spca_json(const crs_spca_job *j)
{
    const char *penalty = crs_given(j->a, CRS_OPT_PENALTY);
    json_t *components = json_array();
    for (int k = 0; k < j->run; k++) json_array_append_new(components, component_json(j, k));
    const bool given = j->s.alpha > 0, noisy = !given && j->s.threshold > 0;
    json_t *settings = json_pack(
        "{s:s, s:o, s:o, s:o, s:I, s:i, s:s, s:s, s:I}", "penalty", penalty ? penalty : "l1",
        "alpha", given ? crs_real(j->s.alpha) : json_string(noisy ? "noise" : "auto"), "fraction",
        given || noisy ? json_null() : crs_real(j->s.fraction), "threshold",
        noisy ? crs_real(j->s.threshold) : json_null(), "components", (json_int_t)j->components,
        "starts", j->s.starts, "method", crease_method_name(j->component[0].method), "mode",
        crease_mode_name(j->o.mode), "seed", (json_int_t)j->s.seed);
    const double left = j->component[j->run - 1].norm;
    return json_pack("{s:i, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "schema_version", 1, "verb",
                     "spca", "version", crease_version(), "stopped", j->stopped, "shape",
                     crs_dims(&j->s.shape), "norm", crs_real(j->norm), "explained",
                     crs_real(j->norm > 0 ? 1 - square(left / j->norm) : 0), "settings", settings,
                     "components", components);
}

enum { NAME = 128 };

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
        return crs_fail(e, CREASE_IO, "the folder %.200s cannot be created: %s; choose another",
                        path, strerror(errno));
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

/* The point stays in x_NAME.npy beside its certificate. */
static bool write_point(const crs_spca_job *j, int k, crs_spot blocks, crease_error *e)
{
    const crease_problem *p = crease_spca_problem(j->model);
    bool done = true;
    for (int n = 0; done && n < p->count; n++) {
        const crs_spot block = crs_put_object(blocks, NULL);
        char file[64], path[PATH_MAX];
        snprintf(file, sizeof file, "x_%.40s.npy", p->block[n].name);
        crs_put_text(block, "name", p->block[n].name);
        crs_put_shape(block, "shape", &p->space[n]);
        crs_put_whole(block, "setting", 1);
        crs_put_text(crs_put_object(block, "x"), "npy", file);
        done = path_of(j, k, file, path, e) &&
               crs_write_npy(path, &p->space[n], j->component[k].x[n], e);
    }
    return done;
}

bool crs_spca_keep_certificate(const crs_spca_job *j, int k, crease_error *e)
{
    const crease_spca_component *c = &j->component[k];
    char path[PATH_MAX], to[PATH_MAX];
    crs_document d;
    if (!path_of(j, k, "problem.json", path, e) || !write_document(path, problem(j, k), e) ||
        !path_of(j, k, "certificate.json", to, e))
        return false;
    crs_problem_file *file = crs_problem_read(path, e);
    if (!file) return false;
    const crs_spot top = crs_certificate_begin(&d, "spca", "problem", c->eps, j->o.relative != 0);
    const crs_spot source = crs_put_object(crs_put_list(top, "data"), NULL);
    crs_put_text(source, "role", "problem");
    crs_put_text(source, "path", "problem.json");
    crs_put_text(source, "hash", file->hash);
    crs_put_text(top, "measure", c->method == CREASE_METHOD_GCG ? "gap" : "blocks");
    const bool done =
        write_point(j, k, crs_put_list(top, "blocks"), e) && crs_document_write(&d, to, e);
    crs_document_free(&d);
    crs_problem_file_free(file);
    return done;
}
