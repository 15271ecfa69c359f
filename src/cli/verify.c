/* SPDX-License-Identifier: MIT
 * verify: a result judged anew, from its problem file and the numbers of its certificate alone */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "cli/rpca.h"
#include "cli/run.h"
#include "io/result/result.h"

enum { INVALID = 1, UNDECIDED = 2 };

static int status_of(crease_verdict v)
{
    return v == CREASE_VERDICT_VALID ? 0 : v == CREASE_VERDICT_INVALID ? INVALID : UNDECIDED;
}

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
    *a->status = status_of(v.verdict);
    crease_verification_free(&v);
    return done;
}

static bool run(const crs_args *a, crease_error *e)
{
    json_t *document;
    crs_certificate c;
    if (crs_rpca_is_result(a->word[0])) return crs_rpca_verify(a, e);
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
    .text = "Judge a result anew: read the problem and the certificate, recompute every residual "
            "from the definitions with code of its own and bounds of its rounding, and say VALID, "
            "INVALID or UPPER-BOUND-ONLY with the smallest eps that passes. The exit code is 0 "
            "when VALID, 1 when INVALID and 2 when it cannot tell.",
    .example = "crease verify result",
    .takes = CRS_LIST(CRS_TAKES(PROBLEM), CRS_TAKES(eps), CRS_TAKES(JSON)),
    .run = run,
};
