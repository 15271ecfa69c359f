/* SPDX-License-Identifier: MIT
 * certificate_write: everything crease verify needs besides the problem, exactly
 *
 * x and lambda are texts like 0x1.8p+1, which hold a double without loss; long arrays stay in
 * their .npy files. */
#define _XOPEN_SOURCE 700
#include <limits.h>
#include <stdlib.h>

#include "io/result/result.h"

enum { HEX = 100000 };

static json_t *numbers(const crease_space *s, const double *x, const char *file)
{
    const ptrdiff_t n = crease_size(s);
    return n <= HEX ? crs_json_hex(n, x) : json_pack("{s:s}", "npy", file);
}

static json_t *block(const crs_run *run, int i)
{
    const crease_problem *p = &run->file->problem;
    const crease_residual *r = &crease_solver_certificate(run->solver)->block[i];
    const char *name = p->block[i].name;
    char file[80];
    json_t *shape = json_array();
    snprintf(file, sizeof file, "x_%s.npy", name);
    for (int n = 0; n < p->space[i].order; n++)
        json_array_append_new(shape, json_integer(p->space[i].dim[n]));
    return json_pack("{s:s, s:o, s:i, s:s, s:s, s:o, s:b, s:o}", "name", name, "shape", shape,
                     "setting", r->setting, "regularizer", run->file->text[i].regularizer, "set",
                     run->file->text[i].set, "residual", crs_json_real(r->residual), "upper_bound",
                     r->upper_bound, "x",
                     numbers(&p->space[i], crease_solution(run->solver, i), file));
}

json_t *crs_certificate_json(const crs_run *run)
{
    const crease_problem *p = &run->file->problem;
    const crease_certificate *c = crease_solver_certificate(run->solver);
    const double *lambda = crease_multiplier(run->solver);
    const bool gap = crease_solver_analysis(run->solver)->gap;
    char whole[PATH_MAX], eps[48];
    const bool found = realpath(run->path, whole);
    json_t *blocks = json_array();
    snprintf(eps, sizeof eps, "%a", run->options->eps);
    for (int i = 0; i < p->count; i++) json_array_append_new(blocks, block(run, i));
    json_t *problem =
        json_pack("{s:s, s:s}", "path", found ? whole : run->path, "hash", run->file->hash);
    json_t *document = json_pack(
        "{s:i, s:o, s:s, s:b, s:s, s:o, s:o, s:o, s:o}", "crease_certificate",
        CRS_CERTIFICATE_VERSION, "problem", problem, "eps", eps, "relative",
        run->options->relative != 0, "measure", gap ? "gap" : "blocks", "blocks", blocks, "lambda",
        lambda ? numbers(&p->range, lambda, "lambda.npy") : json_null(), "feasibility",
        crs_json_real(c->feasibility.residual), "worst", crs_json_real(c->worst));
    return document;
}
