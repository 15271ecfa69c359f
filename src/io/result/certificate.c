/* SPDX-License-Identifier: MIT
 * certificate: everything crease verify needs besides the problem, exactly
 *
 * x and lambda are texts like 0x1.8p+1, which hold a double without loss; long arrays stay in
 * their .npy files. Of a certificate that is read nothing is believed but x, lambda and eps, and
 * those are checked. */
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

void crs_certificate_free(crs_certificate *c)
{
    crs_kept_free(c->kept);
    *c = (crs_certificate){ .kept = NULL };
}

static bool hex_number(const crs_reader *r, const crs_node *at, double *out)
{
    const char *text;
    return crs_text_at(r, at, &text) &&
           ((crs_parse_double(text, out) && isfinite(*out)) ||
            crs_fail_at(r, at, "'%.40s' is no finite number; the certificate is damaged", text));
}

static bool from_hex(crs_reader *r, const crs_node *at, ptrdiff_t n, const double **out)
{
    double *x = crs_keep_new(r, n, sizeof *x);
    if (!x) return false;
    if ((ptrdiff_t)json_array_size(at->value) != n)
        return crs_fail_at(r, at,
                           "there are %zu numbers but the problem has %td; this certificate "
                           "is of another problem",
                           json_array_size(at->value), n);
    for (ptrdiff_t k = 0; k < n; k++) {
        const crs_node here = crs_element(at, (size_t)k);
        if (!hex_number(r, &here, &x[k])) return false;
    }
    *out = x;
    return true;
}

/* A list of texts, or {"npy": file}. */
static bool read_numbers(crs_reader *r, const crs_node *at, const crease_space *s,
                         const double **out)
{
    static const char *const keys[] = { "npy" };
    crs_node file;
    if (json_is_array(at->value)) return from_hex(r, at, crease_size(s), out);
    return crs_has_keys(r, at, 1, keys) && crs_need(r, at, "npy", &file) &&
           crs_filled_at(r, &file, s, false, out);
}

static bool read_head(crs_reader *r, const crs_node *root, crs_certificate *c)
{
    static const char *const keys[] = {
        "crease_certificate", "problem", "eps", "relative", "measure", "blocks", "lambda",
        "feasibility",        "worst"
    };
    crs_node here, of;
    ptrdiff_t version;
    const char *text;
    if (!crs_has_keys(r, root, 9, keys) || !crs_need(r, root, "crease_certificate", &here) ||
        !crs_whole_at(r, &here, 1, CRS_CERTIFICATE_VERSION, &version) ||
        !crs_need(r, root, "problem", &of) || !crs_need(r, &of, "hash", &here) ||
        !crs_text_at(r, &here, &text))
        return false;
    snprintf(c->hash, sizeof c->hash, "%.31s", text);
    if (!crs_need(r, &of, "path", &here) || !crs_text_at(r, &here, &text)) return false;
    c->problem = crs_keep_new(r, (ptrdiff_t)strlen(text) + 1, 1);
    if (!c->problem) return false;
    strcpy(c->problem, text);
    if (!crs_need(r, root, "eps", &here) || !hex_number(r, &here, &c->eps)) return false;
    if (!crs_need(r, root, "relative", &here)) return false;
    c->relative = json_is_true(here.value);
    if (!crs_need(r, root, "measure", &here) || !crs_text_at(r, &here, &text)) return false;
    c->gap = strcmp(text, "gap") == 0;
    return true;
}

bool crs_certificate_open(const char *folder, json_t **document, crs_certificate *c,
                          crease_error *e)
{
    json_error_t why;
    char *path = crs_folder_file(folder, "certificate.json", e);
    FILE *f = path ? crs_open(path, e) : NULL;
    bool done = false;
    *c = (crs_certificate){ .kept = NULL };
    *document = NULL;
    if (f) {
        crs_reader r = { .name = path, .folder = "", .e = e };
        *document = json_loadf(f, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &why);
        const crs_node root = { NULL, NULL, 0, *document };
        done = *document ? read_head(&r, &root, c)
                         : crs_fail(e, CREASE_BAD_DATA, "%.200s:%d:%d: %.100s", path, why.line,
                                    why.column, why.text);
        c->kept = r.kept;
        fclose(f);
    }
    crs_free(path);
    return done;
}

bool crs_certificate_fill(const char *folder, json_t *document, const crs_problem_file *file,
                          crs_certificate *c, crease_error *e)
{
    const crease_problem *p = &file->problem;
    char *name = crs_folder_file(folder, "certificate.json", e);
    char *inside = crs_folder_file(folder, "", e);
    crs_reader r = { .name = name, .folder = inside, .kept = c->kept, .e = e };
    const crs_node root = { NULL, NULL, 0, document };
    crs_node blocks, here;
    bool done = name && inside && crs_need(&r, &root, "blocks", &blocks);
    if (done && (int)json_array_size(blocks.value) != p->count)
        done = crs_fail_at(&r, &blocks,
                           "there are %zu blocks but the problem has %d; this "
                           "certificate is of another problem",
                           json_array_size(blocks.value), p->count);
    c->x = done ? crs_keep_new(&r, p->count, sizeof *c->x) : NULL;
    done = c->x;
    for (int i = 0; done && i < p->count; i++) {
        const crs_node block = crs_element(&blocks, (size_t)i);
        done = crs_need(&r, &block, "x", &here) && read_numbers(&r, &here, &p->space[i], &c->x[i]);
    }
    if (done && p->range.order > 0)
        done =
            crs_need(&r, &root, "lambda", &here) && read_numbers(&r, &here, &p->range, &c->lambda);
    c->kept = r.kept;
    crs_free(name);
    crs_free(inside);
    return done;
}
