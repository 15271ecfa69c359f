/* SPDX-License-Identifier: MIT
 * rpca_verify: a result of robust PCA judged anew, from its data and its arrays alone */
#include "cli/rpca.h"

enum { INVALID = 1, UNDECIDED = 2 };

typedef struct {
    json_t *document;
    crs_named_reg penalty;
    crs_array data, weight, factor[CREASE_MAX_ORDER];
    double *unit[CREASE_MAX_ORDER];
    char hash[32], penalty_hash[32];
    crs_rpca_claim claim;
} result;

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

bool crs_rpca_is_result(const char *folder)
{
    json_t *document = load(folder, NULL);
    const char *verb = json_string_value(json_object_get(document, "verb"));
    const bool good = verb && strcmp(verb, "rpca") == 0;
    json_decref(document);
    return good;
}

/* Text in a part of the document; NULL: none. */
static const char *text_of(const result *r, const char *part, const char *key)
{
    return json_string_value(json_object_get(json_object_get(r->document, part), key));
}

/* The settings as they were written; nothing else in the document is believed. */
static bool read_settings(result *r, crease_error *e)
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
static bool fit_penalty(result *r, crease_error *e)
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
static bool read_data(const crs_args *a, result *r, crease_error *e)
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

static bool read_arrays(const char *folder, result *r, crease_error *e)
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

static void judge_hash(const char *what, const char *was, const char *is, crease_verification *v)
{
    if (was && strcmp(was, is) == 0) return;
    v->verdict = CREASE_VERDICT_INVALID;
    snprintf(v->text, sizeof v->text, "the %s have changed: their hash is %s and the result's %s",
             what, is, was ? was : "missing");
}

static bool print(const crs_args *a, const result *r, const crease_verification *v, crease_error *e)
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

bool crs_rpca_verify(const crs_args *a, crease_error *e)
{
    result r = { .document = load(a->word[0], e) };
    crease_verification v = { .count = 0 };
    bool done = r.document && read_settings(&r, e) && read_data(a, &r, e) && fit_penalty(&r, e) &&
                read_arrays(a->word[0], &r, e);
    if (done && crs_given(a, CRS_OPT_eps))
        done = crs_option_number(a, CRS_OPT_eps, 0, &r.claim.eps, e);
    done = done && crs_rpca_check(&r.claim, &v, e) && crs_rpca_judge_lowrank(&r.claim, &v, e);
    if (done) {
        judge_hash("groups or weights", text_of(&r, "settings", "penalty_hash"), r.penalty_hash,
                   &v);
        judge_hash("data", text_of(&r, "data", "hash"), r.hash, &v);
        *a->status = v.verdict == CREASE_VERDICT_VALID     ? 0
                     : v.verdict == CREASE_VERDICT_INVALID ? INVALID
                                                           : UNDECIDED;
        done = print(a, &r, &v, e);
    }
    crease_verification_free(&v);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_array_free(&r.factor[n]);
    crs_array_free(&r.weight);
    crs_array_free(&r.data);
    crs_reg_close(&r.penalty);
    json_decref(r.document);
    return done;
}
