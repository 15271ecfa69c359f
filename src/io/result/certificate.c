/* SPDX-License-Identifier: MIT
 * certificate: everything crease verify needs besides the data, by the names of its files; eps is a
 * text like 0x1.8p+1, which holds a double without loss. The certificate names its checker. */
#include "io/result/result.h"

crs_spot crs_certificate_begin(crs_document *d, const char *verb, const char *checker, double eps,
                               bool relative)
{
    const crs_spot top = crs_document_begin(d, verb);
    crs_put_text(top, "checker", checker);
    crs_put_exact(top, "eps", eps);
    crs_put_flag(top, "relative", relative);
    return top;
}

static bool read_head(const crs_reader *r, const crs_node *root, crs_certificate *c)
{
    crs_node here;
    const char *eps;
    if (!json_is_object(root->value) || !crs_member(root, "checker", &here))
        return crs_fail_at(r, root, "no checker is named; this is no certificate of this version");
    if (!crs_text_at(r, &here, &c->checker) || !crs_need(r, root, "eps", &here) ||
        !crs_text_at(r, &here, &eps))
        return false;
    if (!crs_parse_double(eps, &c->eps) || !(c->eps >= 0 && c->eps < INFINITY))
        return crs_fail_at(r, &here, "'%.40s' is no number >= 0; the certificate is damaged", eps);
    if (!crs_need(r, root, "relative", &here)) return false;
    c->relative = json_is_true(here.value);
    return true;
}

static bool has_seal(const crs_reader *r, const crs_node *root)
{
    return json_object_get(root->value, "seal") ||
           crs_fail_at(r, root,
                       "it has no seal: it was damaged, or written by an earlier "
                       "version, which did not bind it to its files; run the command again");
}

/* `coming`: it will have its seal. */
static bool parse(const char *path, const char *text, size_t n, bool coming, crs_certificate *c,
                  crease_error *e)
{
    const crs_reader r = { .name = path, .folder = "", .e = e };
    c->document = crs_json_parse(path, text, n, e);
    const crs_node root = { NULL, NULL, 0, c->document };
    return c->document && (coming || !json_is_object(c->document) || has_seal(&r, &root)) &&
           read_head(&r, &root, c);
}

bool crs_certificate_read(const char *folder, crs_certificate *c, crease_error *e)
{
    char *text = NULL, *path = crs_path_in(folder, "certificate.json", e);
    size_t n = 0;
    bool done = path && crs_text_read(path, &text, &n, e);
    *c = (crs_certificate){ .folder = folder };
    if (done) c->sealed = crs_text_sealed(text, n);
    done = done && parse(path, text, n, false, c, e);
    crs_free(text);
    crs_free(path);
    if (!done) crs_certificate_free(c);
    return done;
}

bool crs_certificate_told(const char *folder, const char *text, crs_certificate *c, crease_error *e)
{
    *c = (crs_certificate){ .folder = folder };
    if (parse("certificate.json", text, strlen(text), true, c, e)) return true;
    crs_certificate_free(c);
    return false;
}

void crs_certificate_free(crs_certificate *c)
{
    json_decref(c->document);
    *c = (crs_certificate){ .document = NULL };
}

const json_t *crs_certificate_data(const crs_certificate *c, const char *role)
{
    size_t k;
    json_t *source;
    json_array_foreach(json_object_get(c->document, "data"), k, source)
    {
        const char *text = json_string_value(json_object_get(source, "role"));
        if (text && strcmp(text, role) == 0) return source;
    }
    return NULL;
}

static bool read_problem(const crs_certificate *c, const char *given, crs_point_file *p,
                         crease_error *e)
{
    const json_t *source = crs_certificate_data(c, "problem");
    p->hash = json_string_value(json_object_get(source, "hash"));
    if (!p->hash)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s/certificate.json does not tell its problem; it is damaged",
                        c->folder);
    char *path = given ? NULL : crs_find_source(c->folder, source, e);
    p->file = given || path ? crs_problem_read(given ? given : path, e) : NULL;
    crs_free(path);
    return p->file;
}

/* {"npy": file}, in this shape or one that becomes it when modes are merged */
static bool read_array(crs_reader *r, const crs_node *at, const crease_space *s, const double **out)
{
    static const char *const keys[] = { "npy" };
    crs_node file;
    crs_array x;
    if (!crs_has_keys(r, at, 1, keys) || !crs_need(r, at, "npy", &file) ||
        !crs_array_at(r, &file, false, &x))
        return false;
    *out = x.data;
    char is[120], wanted[120];
    return crs_space_refines(&x.shape, s) ||
           crs_fail_at(r, &file, "the array is %s but the problem has %s there",
                       crs_shape_text(&x.shape, is, sizeof is),
                       crs_shape_text(s, wanted, sizeof wanted));
}

static bool read_separator(crs_reader *r, const crs_node *root, crs_point_file *out)
{
    const crease_problem *p = &out->file->problem;
    crs_node here;
    if (p->range.order == 0)
        return crs_fail_at(r, root, "it is about a constraint, and the problem has none");
    return crs_need(r, root, "separator", &here) &&
           read_array(r, &here, &p->range, &out->separator);
}

static bool read_point(crs_reader *r, const crs_node *root, crs_point_file *out)
{
    const crease_problem *p = &out->file->problem;
    crs_node here, blocks;
    const char *measure;
    if (!crs_need(r, root, "measure", &here) || !crs_text_at(r, &here, &measure) ||
        !crs_need(r, root, "blocks", &blocks))
        return false;
    out->gap = strcmp(measure, "gap") == 0;
    if (strcmp(measure, "unbounded") == 0 &&
        !(out->ray = crs_keep_new(r, p->count, sizeof *out->ray)))
        return false;
    if (strcmp(measure, "infeasible") == 0 && !read_separator(r, root, out)) return false;
    if ((int)json_array_size(blocks.value) != p->count)
        return crs_fail_at(r, &blocks,
                           "there are %zu blocks but the problem has %d; this certificate is of "
                           "another problem",
                           json_array_size(blocks.value), p->count);
    out->x = crs_keep_new(r, p->count, sizeof *out->x);
    for (int i = 0; out->x && i < p->count; i++) {
        const crs_node block = crs_element(&blocks, (size_t)i);
        const char *name;
        if (!crs_need(r, &block, "name", &here) || !crs_text_at(r, &here, &name)) return false;
        if (strcmp(name, p->block[i].name) != 0)
            return crs_fail_at(r, &here, "the problem calls this block '%s'", p->block[i].name);
        if (!crs_need(r, &block, "x", &here) || !read_array(r, &here, &p->space[i], &out->x[i]))
            return false;
        if (out->ray && (!crs_need(r, &block, "ray", &here) ||
                         !read_array(r, &here, &p->space[i], &out->ray[i])))
            return false;
    }
    return out->x && (p->range.order == 0 || (crs_need(r, root, "lambda", &here) &&
                                              read_array(r, &here, &p->range, &out->lambda)));
}

bool crs_point_read(const crs_certificate *c, const char *problem, crs_point_file *p,
                    crease_error *e)
{
    crease_error own = { CREASE_OK, "" };
    *p = (crs_point_file){ .file = NULL };
    char *name = crs_path_in(c->folder, "certificate.json", &own);
    char *inside = crs_path_in(c->folder, "", &own);
    crs_reader r = { .name = name, .folder = inside, .e = &own };
    const crs_node root = { NULL, NULL, 0, c->document };
    const bool done =
        name && inside && read_problem(c, problem, p, &own) && read_point(&r, &root, p);
    p->kept = r.kept;
    crs_free(name);
    crs_free(inside);
    if (done) return true;
    crs_point_free(p);
    return crs_fail(e, own.code, "%s", own.text);
}

void crs_point_free(crs_point_file *p)
{
    crs_problem_file_free(p->file);
    crs_kept_free(p->kept);
    *p = (crs_point_file){ .file = NULL };
}
