/* SPDX-License-Identifier: MIT
 * verify: a result judged anew, from its problem file and the numbers of its certificate alone, or,
 * of robust PCA, from its data and its arrays */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "cli/rpca.h"

static bool print(const crs_args *a, const crs_problem_file *file, double eps,
                  const crease_verification *v, crease_error *e)
{
    if (crs_given(a, CRS_OPT_JSON)) {
        json_t *residuals = json_array();
        for (int i = 0; i < v->count; i++)
            json_array_append_new(residuals, crs_json_real(v->residual[i]));
        return crs_print_document(
            json_pack("{s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:b}", "schema_version",
                      CRS_RESULT_VERSION, "verb", "verify", "verdict",
                      crease_verdict_text(v->verdict), "smallest_eps",
                      crs_json_real(v->smallest_eps), "eps", crs_json_real(eps), "feasibility",
                      crs_json_real(v->feasibility), "outside", crs_json_real(v->outside), "blocks",
                      residuals, "reason", v->text, "hash", file->hash, "trusted_callback",
                      v->trusted_callback),
            e);
    }
    printf("%s\n", crease_verdict_text(v->verdict));
    printf("smallest eps  %.17g (asked %g)\n", v->smallest_eps, eps);
    if (file->problem.range.order > 0) printf("feasibility   %.4e\n", v->feasibility);
    for (int i = 0; i < v->count; i++)
        printf("%-13s %.4e\n", file->problem.block[i].name, v->residual[i]);
    printf("because       %s\n", v->text);
    return true;
}

/* A certificate of another problem certifies nothing. */
static void judge_hash(const crs_problem_file *file, const crs_certificate *c,
                       crease_verification *v)
{
    if (strcmp(file->hash, c->hash) == 0) return;
    v->verdict = CREASE_VERDICT_INVALID;
    snprintf(v->text, sizeof v->text,
             "the problem or its data have changed: their hash is %s and the certificate's %s",
             file->hash, c->hash);
}

static bool verify(const crs_args *a, json_t *document, crs_certificate *c, crs_problem_file *file,
                   crease_error *e)
{
    crease_verification v = { .count = 0 };
    double eps = c->eps;
    if (crs_given(a, CRS_OPT_eps) && !crs_option_number(a, CRS_OPT_eps, 0, &eps, e)) return false;
    if (!crs_certificate_fill(a->word[0], document, file, c, e)) return false;
    if (!crease_verify(&file->problem, c->x, c->lambda, NULL, c->gap, eps, c->relative, &v, e))
        return false;
    judge_hash(file, c, &v);
    const bool done = print(a, file, eps, &v, e);
    *a->status = crs_exit_of_verdict(v.verdict);
    crease_verification_free(&v);
    return done;
}

typedef struct {
    const crs_rpca_claim *c;
    ptrdiff_t right;
    char path[3][CRS_PATH_ROOM];
    crs_npy_stream part[3]; /* Z, E, B */
    bool begun[3];
    double *factor[CREASE_MAX_ORDER];
    crease_error *e;
} reader;

static const char *const part_file[] = { "z.npy", "sparse.npy", "noise.npy" };

/* The files are read in order; the first row may be asked for again. */
static bool from_start(reader *r, int k, ptrdiff_t row)
{
    const bool again = row == 0 && r->begun[k];
    r->begun[k] = true;
    if (!again) return true;
    crs_npy_stream_close(&r->part[k]);
    return crs_npy_stream_open(r->path[k], &r->part[k], NULL);
}

static bool read_row(void *user, crease_cp_part part, ptrdiff_t row, double *out)
{
    reader *r = user;
    const crs_rpca_claim *c = r->c;
    const ptrdiff_t right = r->right;
    const int k = part == CREASE_CP_SPLIT ? 0 : part == CREASE_CP_SPARSE ? 1 : 2;
    if (c->folder && part != CREASE_CP_DATA && part != CREASE_CP_SEEN)
        return from_start(r, k, row) && crs_npy_stream_next(&r->part[k], right, out, NULL);
    for (ptrdiff_t j = 0; j < right && !c->fit; j++) {
        const double t = c->tensor[row * right + j];
        out[j] = part == CREASE_CP_SEEN ? !isnan(t) : isnan(t) ? 0 : t;
    }
    if (c->fit) {
        ptrdiff_t left, width;
        crease_cp_fit_rows(c->fit, &left, &width);
        crease_cp_fit_read(c->fit, part, row, right / width, out);
    }
    return true;
}

static bool open_parts(const crs_rpca_claim *c, reader *r, crease_error *e)
{
    const crease_space *s = &c->s.shape;
    *r = (reader){ .c = c, .e = e };
    for (int k = 0; c->folder && k < 3; k++) {
        if (!crs_join(c->folder, part_file[k], r->path[k], sizeof r->path[k], e) ||
            !crs_npy_stream_open(r->path[k], &r->part[k], e))
            return false;
        if (crease_size(&r->part[k].header.shape) != crease_size(s))
            return crs_fail(e, CREASE_BAD_SHAPE, "%.200s does not have the size of the data",
                            r->path[k]);
    }
    for (int n = 0; n < s->order; n++) {
        const ptrdiff_t size = s->dim[n] * c->s.rank;
        r->factor[n] = crs_doubles(size, "a factor", e);
        for (ptrdiff_t j = 0; r->factor[n] && j < size; j++)
            r->factor[n][j] = c->unit[n][j] * pow(c->weight[j % c->s.rank], 1.0 / s->order);
        if (!r->factor[n]) return false;
    }
    return true;
}

static void close_parts(reader *r)
{
    for (int k = 0; k < 3; k++) crs_npy_stream_close(&r->part[k]);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(r->factor[n]);
}

/* Rows over the first modes, as few rows and columns as there can be; a fit has its own. */
static void set_rows(const crs_rpca_claim *c, ptrdiff_t *left, ptrdiff_t *right)
{
    const crease_space *s = &c->s.shape;
    const ptrdiff_t all = crease_size(s);
    *left = 1;
    for (ptrdiff_t n = 0, rows = s->dim[0]; n + 1 < s->order; rows *= s->dim[++n])
        if (rows + all / rows < *left + all / *left) *left = rows;
    *right = all / *left;
    if (c->fit) crease_cp_fit_rows(c->fit, left, right);
}

/* A penalty that is not by entries: the general checker, on the model itself. */
static bool check_whole(const crs_rpca_claim *c, reader *r, crease_verification *v, crease_error *e)
{
    const ptrdiff_t n = crease_size(&c->s.shape);
    const int d = c->s.shape.order;
    const double *x[CREASE_MAX_ORDER + 3];
    double *all = crs_doubles(6 * n, "the check", e);
    crease_cp_rpca_settings s = c->s;
    if (!all) return false;
    double *E = all, *Z = E + n, *B = Z + n, *T = B + n, *W = T + n, *lambda = W + n;
    r->right = n;
    if (!read_row(r, CREASE_CP_SPLIT, 0, Z) || !read_row(r, CREASE_CP_SPARSE, 0, E) ||
        !read_row(r, CREASE_CP_NOISE, 0, B)) {
        crs_free(all);
        return crs_fail(e, CREASE_BAD_DATA, "%.200s: an array of the result is cut short",
                        c->folder);
    }
    read_row(r, CREASE_CP_DATA, 0, T), read_row(r, CREASE_CP_SEEN, 0, W);
    for (ptrdiff_t j = 0; j < n; j++) {
        lambda[j] = W[j] == 0 ? 0 : 2 * s.alpha_noise * B[j];
        if (W[j] == 0) B[j] = -Z[j] - E[j];
    }
    for (int k = 0; k < d; k++) x[k] = r->factor[k];
    x[d] = E, x[d + 1] = Z, x[d + 2] = B;
    s.mask = W;
    s.missing = s.unconstrained = false;
    s.factor = x;
    crease_cp_rpca *m = crease_cp_rpca_new(&s, T, e);
    const bool done = m && crease_verify(crease_cp_rpca_problem(m), x, lambda, NULL, false, c->eps,
                                         c->relative, v, e);
    crease_cp_rpca_free(m);
    crs_free(all);
    return done;
}

static bool by_entries(const crease_reg *r)
{
    return r->ops == crease_l1(1).ops && !r->weight && !r->groups;
}

/* The factors are the unit columns times the d-th root of the weights. */
bool crs_rpca_check(const crs_rpca_claim *c, crease_verification *v, crease_error *e)
{
    reader r;
    bool done = open_parts(c, &r, e);
    if (done && by_entries(&c->s.penalty)) {
        crease_cp_claim claim = { .shape = c->s.shape,
                                  .rank = c->s.rank,
                                  .penalty = c->s.penalty,
                                  .alpha = c->s.alpha,
                                  .alpha_noise = c->s.alpha_noise,
                                  .ridge = c->s.ridge,
                                  .nonneg = c->s.nonneg,
                                  .factor = (const double *const *)r.factor,
                                  .read = read_row,
                                  .user = &r,
                                  .threads = c->threads };
        set_rows(c, &claim.left, &claim.right);
        r.right = claim.right;
        done = crease_cp_verify(&claim, c->eps, c->relative, v, e);
    } else if (done) {
        done = check_whole(c, &r, v, e);
    }
    close_parts(&r);
    return done;
}

static bool weigh(const crs_rpca_claim *c, double **factor, crease_error *e)
{
    const ptrdiff_t rank = c->s.rank;
    for (int n = 0; n < c->s.shape.order; n++) {
        const ptrdiff_t size = c->s.shape.dim[n] * rank;
        factor[n] = crs_doubles(size, "a factor", e);
        if (!factor[n]) return false;
        for (ptrdiff_t k = 0; k < size; k++)
            factor[n][k] = c->unit[n][k] * (n == 0 ? c->weight[k % rank] : 1);
    }
    return true;
}

static void compare(const crs_rpca_claim *c, const double *made, const crs_array *file,
                    crease_verification *v)
{
    double sum = 0;
    for (ptrdiff_t r = 0; r < c->s.rank; r++) sum += fabs(c->weight[r]);
    for (ptrdiff_t k = 0, n = crease_size(&c->s.shape); k < n; k++) {
        if (fabs(file->data[k] - made[k]) <= 1e-12 * sum) continue;
        v->verdict = CREASE_VERDICT_INVALID;
        snprintf(v->text, sizeof v->text,
                 "entry %td of lowrank.npy is %.17g and that of the factors and weights %.17g",
                 k + 1, file->data[k], made[k]);
        return;
    }
}

/* Is lowrank.npy the low-rank part of the factors and weights beside it? An entry is a sum of terms
 * no larger than their weights: 1e-12 of the weights' sum is far above rounding. */
static bool judge_lowrank(const crs_rpca_claim *c, crease_verification *v, crease_error *e)
{
    const ptrdiff_t size = crease_size(&c->s.shape);
    double *factor[CREASE_MAX_ORDER] = { NULL };
    crs_array file = { .data = NULL };
    double *made = crs_doubles(size, "the low-rank part", e);
    bool done = made && weigh(c, factor, e) && crs_read_in(c->folder, "lowrank.npy", &file, e);
    if (done && crease_size(&file.shape) != size)
        done = crs_fail(e, CREASE_BAD_SHAPE, "lowrank.npy does not have the size of the data");
    done =
        done && crease_cp_lowrank(&c->s.shape, c->s.rank, (const double *const *)factor, made, e);
    if (done) compare(c, made, &file, v);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(factor[n]);
    crs_array_free(&file);
    crs_free(made);
    return done;
}

typedef struct {
    json_t *document;
    crs_named_reg penalty;
    crs_array data, weight, factor[CREASE_MAX_ORDER];
    double *unit[CREASE_MAX_ORDER];
    char hash[32], penalty_hash[32];
    crs_rpca_claim claim;
} rpca_result;

static json_t *load(const char *folder, crease_error *e)
{
    char path[CRS_PATH_ROOM];
    json_error_t why;
    if (!crs_join(folder, "result.json", path, sizeof path, e)) return NULL;
    FILE *f = crs_open(path, e);
    if (!f) return NULL;
    json_t *document = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
    fclose(f);
    if (!document)
        crs_fail(e, CREASE_BAD_DATA, "%.200s:%d:%d: %.100s", path, why.line, why.column, why.text);
    return document;
}

static bool is_rpca(const char *folder)
{
    json_t *document = load(folder, NULL);
    const char *verb = json_string_value(json_object_get(document, "verb"));
    const bool good = verb && strcmp(verb, "rpca") == 0;
    json_decref(document);
    return good;
}

/* Text in a part of the document; NULL: none. */
static const char *text_of(const rpca_result *r, const char *part, const char *key)
{
    return json_string_value(json_object_get(json_object_get(r->document, part), key));
}

/* The settings as they were written; nothing else in the document is believed. */
static bool read_settings(rpca_result *r, crease_error *e)
{
    crease_cp_rpca_settings *s = &r->claim.s;
    const char *groups = text_of(r, "settings", "groups");
    json_int_t rank = 0;
    int nonneg = 0, relative = 0;
    *s = crease_cp_rpca_default(&(crease_space){ .order = 2, .dim = { 1, 1 } }, 1);
    if (json_unpack(r->document, "{s:{s:I, s:F, s:F, s:F, s:b}, s:{s:F, s:b}}", "settings", "rank",
                    &rank, "alpha", &s->alpha, "alpha_noise", &s->alpha_noise, "ridge", &s->ridge,
                    "nonneg", &nonneg, "certificate", "eps", &r->claim.eps, "relative",
                    &relative) != 0)
        return crs_fail(e, CREASE_BAD_DATA,
                        "result.json lacks settings; it is damaged or of another version");
    s->rank = (ptrdiff_t)rank;
    s->nonneg = nonneg;
    r->claim.relative = relative;
    return crs_penalty_open(text_of(r, "settings", "penalty"), &r->penalty, e) &&
           crs_rpca_groups(groups, s, e);
}

/* The user's own groups and weights, by their text or their files. */
static bool fit_penalty(rpca_result *r, crease_error *e)
{
    crease_cp_rpca_settings *s = &r->claim.s;
    if (s->groups == CREASE_GROUPS_GIVEN &&
        !crs_reg_fit_to(text_of(r, "settings", "groups"), text_of(r, "settings", "weights"),
                        &s->shape, &r->penalty, e))
        return false;
    crs_reg_hash(&r->penalty, r->penalty_hash);
    s->penalty = r->penalty.reg;
    return true;
}

/* The data by the path in the result, or by --problem; another hash certifies nothing. */
static bool read_data(const crs_args *a, rpca_result *r, crease_error *e)
{
    const char *given = crs_given(a, CRS_OPT_PROBLEM), *path = text_of(r, "data", "path");
    if (!given && !path)
        return crs_fail(e, CREASE_BAD_DATA, "result.json does not say where its data are");
    r->claim.s.missing =
        json_is_true(json_object_get(json_object_get(r->document, "data"), "missing"));
    if (!crs_read_array(given ? given : path, &r->data, e) ||
        !crs_rpca_take(&r->data, text_of(r, "data", "mask"), text_of(r, "data", "merge"),
                       &r->claim.s, r->hash, e))
        return false;
    r->claim.tensor = r->data.data;
    return true;
}

static bool read_arrays(const char *folder, rpca_result *r, crease_error *e)
{
    const crease_cp_rpca_settings *s = &r->claim.s;
    char path[CRS_PATH_ROOM], name[32];
    if (!crs_join(folder, "weights.npy", path, sizeof path, e) ||
        !crs_read_array(path, &r->weight, e))
        return false;
    bool fits = s->rank > 0 && crease_size(&r->weight.shape) == s->rank;
    for (int n = 0; n < s->shape.order; n++) {
        crs_outdir_factor(n, name);
        if (!crs_join(folder, name, path, sizeof path, e) ||
            !crs_read_array(path, &r->factor[n], e))
            return false;
        const crease_space wanted = crease_matrix(s->shape.dim[n], s->rank);
        fits = fits && crease_space_equal(&r->factor[n].shape, &wanted);
        r->unit[n] = r->factor[n].data;
    }
    r->claim.folder = folder;
    r->claim.unit = r->unit;
    r->claim.weight = r->weight.data;
    return fits ||
           crs_fail(e, CREASE_BAD_SHAPE, "the factors and weights do not suit the data and rank");
}

static void judge_rpca_hash(const char *what, const char *was, const char *is,
                            crease_verification *v)
{
    if (was && strcmp(was, is) == 0) return;
    v->verdict = CREASE_VERDICT_INVALID;
    snprintf(v->text, sizeof v->text, "the %s have changed: their hash is %s and the result's %s",
             what, is, was ? was : "missing");
}

static bool print_rpca(const crs_args *a, const rpca_result *r, const crease_verification *v,
                       crease_error *e)
{
    const int d = r->claim.s.shape.order;
    if (crs_given(a, CRS_OPT_JSON)) {
        json_t *list = json_array();
        for (int i = 0; i < v->count; i++)
            json_array_append_new(list, crs_json_real(v->residual[i]));
        return crs_print_document(json_pack("{s:i, s:s, s:s, s:o, s:f, s:o, s:o, s:s, s:s}",
                                            "schema_version", 1, "verb", "verify", "verdict",
                                            crease_verdict_text(v->verdict), "smallest_eps",
                                            crs_json_real(v->smallest_eps), "eps", r->claim.eps,
                                            "feasibility", crs_json_real(v->feasibility), "blocks",
                                            list, "reason", v->text, "hash", r->hash),
                                  e);
    }
    printf("%s\n", crease_verdict_text(v->verdict));
    printf("smallest eps  %.17g (asked %g)\n", v->smallest_eps, r->claim.eps);
    printf("feasibility   %.4e\n", v->feasibility);
    for (int i = 0; i < v->count && i < d; i++) printf("X%-12d %.4e\n", i + 1, v->residual[i]);
    for (int i = d; i < v->count; i++) printf("%-13c %.4e\n", "EZB"[i - d], v -> residual[i]);
    printf("because       %s\n", v->text);
    return true;
}

static bool verify_rpca(const crs_args *a, crease_error *e)
{
    rpca_result r = { .document = load(a->word[0], e) };
    crease_verification v = { .count = 0 };
    bool done = r.document && read_settings(&r, e) && read_data(a, &r, e) && fit_penalty(&r, e) &&
                read_arrays(a->word[0], &r, e);
    if (done && crs_given(a, CRS_OPT_eps))
        done = crs_option_number(a, CRS_OPT_eps, 0, &r.claim.eps, e);
    done = done && crs_rpca_check(&r.claim, &v, e) && judge_lowrank(&r.claim, &v, e);
    if (done) {
        judge_rpca_hash("groups or weights", text_of(&r, "settings", "penalty_hash"),
                        r.penalty_hash, &v);
        judge_rpca_hash("data", text_of(&r, "data", "hash"), r.hash, &v);
        *a->status = crs_exit_of_verdict(v.verdict);
        done = print_rpca(a, &r, &v, e);
    }
    crease_verification_free(&v);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_array_free(&r.factor[n]);
    crs_array_free(&r.weight);
    crs_array_free(&r.data);
    crs_reg_close(&r.penalty);
    json_decref(r.document);
    return done;
}

static bool run(const crs_args *a, crease_error *e)
{
    json_t *document;
    crs_certificate c;
    if (is_rpca(a->word[0])) return verify_rpca(a, e);
    const char *path = crs_given(a, CRS_OPT_PROBLEM);
    char *own = crs_folder_file(a->word[0], "problem.json", NULL);
    if (!path && own && access(own, R_OK) == 0) path = own;
    bool done = crs_certificate_open(a->word[0], &document, &c, e);
    crs_problem_file *file = done ? crs_problem_read(path ? path : c.problem, e) : NULL;
    done = file && verify(a, document, &c, file, e);
    crs_problem_file_free(file);
    crs_certificate_free(&c);
    json_decref(document);
    crs_free(own);
    return done;
}

const crs_verb crs_verify_verb = {
    .name = "verify",
    .words = "RESULT_DIR",
    .least = 1,
    .most = 1,
    .text =
        "Verify a result. The independent checker reads the problem and the certificate, "
        "recomputes every residual from the definitions with bounds of its own rounding, and says "
        "VALID, INVALID or UPPER-BOUND-ONLY with the smallest eps that passes. The exit code is 0 "
        "when VALID, 1 when INVALID and 2 when it cannot tell.",
    .example = "crease verify result",
    .takes = CRS_LIST(CRS_TAKES(PROBLEM), CRS_TAKES(eps), CRS_TAKES(JSON)),
    .run = run,
};
