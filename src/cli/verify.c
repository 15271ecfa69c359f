/* SPDX-License-Identifier: MIT
 * verify: a result judged anew. Its certificate names the checker; a checker is a function and a
 * line in the table. */
#include <stdarg.h>

#include "cli/cli.h"

static const struct {
    const char *name;
    crs_checker *check;
} checkers[] = {
    { "problem", crs_check_problem },
    { "rpca-cp", crs_check_rpca_cp },
    { "rpca-tucker", crs_check_rpca_tucker },
    { "rpca-problem", crs_check_rpca_problem },
    { "regress", crs_check_regress },
    { "spca", crs_check_spca },
    { "apply", crs_check_apply },
};

static crs_checker *checker_of(const crs_certificate *c, crease_error *e)
{
    for (size_t k = 0; k < sizeof checkers / sizeof *checkers; k++)
        if (strcmp(checkers[k].name, c->checker) == 0) return checkers[k].check;
    crs_fail(
        e, CREASE_BAD_DATA,
        "%.200s/certificate.json names the checker '%.40s', which is unknown; is the result of "
        "a later version?",
        c->folder, c->checker);
    return NULL;
}

bool crs_judged_names(crs_judged *j, int count, crease_error *e)
{
    j->name = crs_alloc((size_t)count, sizeof *j->name);
    return j->name || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the names of the blocks");
}

void crs_judged_invalid(crs_judged *j, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(j->v.text, sizeof j->v.text, format, arguments);
    va_end(arguments);
    j->v.verdict = CREASE_VERDICT_INVALID;
}

void crs_judged_hash(crs_judged *j, const char *what, const char *was, const char *is)
{
    if (was && strcmp(was, is) == 0) return;
    crs_judged_invalid(j,
                       "the %s changed since the result was written: SHA-256 %.14s... "
                       "is no longer %.14s...",
                       what, is, was ? was : "missing");
}

static bool same_shape(const json_t *list, const crease_space *s)
{
    bool same = (int)json_array_size(list) == s->order;
    for (int n = 0; same && n < s->order; n++)
        same = json_number_value(json_array_get(list, (size_t)n)) == (double)s->dim[n];
    return same;
}

void crs_judged_source(crs_judged *j, const char *role, const crease_space *shape, const char *is)
{
    const json_t *source = crs_certificate_data(j->certificate, role);
    if (!source) return;
    if (is) crs_judged_hash(j, role, json_string_value(json_object_get(source, "hash")), is);
    if (shape && !same_shape(json_object_get(source, "shape"), shape))
        crs_judged_invalid(j, "the %s has another shape than the certificate says", role);
}

/* What result.json claims and was recomputed: one that contradicts it is not the checked one. */
static void judge_claims(crs_judged *j, const json_t *result)
{
    const char *verdict = json_string_value(json_object_get(result, "verdict"));
    const json_t *objective = json_object_get(result, "objective");
    const double eps = json_number_value(json_object_get(result, "eps"));
    const double residual = json_number_value(json_object_get(result, "residual"));
    const double value = json_number_value(objective);
    const bool asked = crs_given(j->a, CRS_OPT_eps);
    const char *outcome = json_string_value(json_object_get(result, "outcome"));
    const bool open = j->v.verdict == CREASE_VERDICT_UNFINISHED ||
                      (verdict && strcmp(verdict, "UNFINISHED") == 0); /* claims nothing */
    const bool impossible =
        outcome && (strcmp(outcome, "infeasible") == 0 || strcmp(outcome, "unbounded") == 0);
    if (j->proves ? !outcome || strcmp(outcome, j->proves) != 0 : impossible)
        crs_judged_invalid(j, "result.json says %.20s, which the certificate does not prove",
                           outcome ? outcome : "nothing");
    else if (eps != j->certificate->eps ||
             json_is_true(json_object_get(result, "relative")) != j->certificate->relative)
        crs_judged_invalid(j, "result.json has another eps than the certificate");
    else if (!asked && !open &&
             (!verdict || strcmp(verdict, crease_verdict_text(j->v.verdict)) != 0))
        crs_judged_invalid(j, "result.json says %.20s, and the checker %s",
                           verdict ? verdict : "nothing", crease_verdict_text(j->v.verdict));
    else if (j->v.verdict == CREASE_VERDICT_VALID && !asked && !open && !j->proves &&
             !(residual <= 10 * larger(eps, j->v.smallest_eps)))
        crs_judged_invalid(j, "result.json has the residual %g, and the checker finds %g", residual,
                           j->v.smallest_eps);
    else if (!isnan(j->objective) &&
             !(fabs(value - j->objective) <= 1e-6 * (fabs(j->objective) + j->scale)))
        crs_judged_invalid(j, "result.json has the objective %.17g, and the point %.17g", value,
                           j->objective);
}

static bool read_claims(crs_judged *j, crease_error *e)
{
    char *path = crs_path_in(j->certificate->folder, "result.json", e);
    json_t *result = path ? crs_json_read(path, NULL, e) : NULL;
    if (result && j->v.verdict != CREASE_VERDICT_INVALID) judge_claims(j, result);
    json_decref(result);
    crs_free(path);
    return result;
}

bool crs_worse(const crease_verification *a, const crease_verification *b)
{
    static const int rank[] = { [CREASE_VERDICT_VALID] = 0,
                                [CREASE_VERDICT_UPPER_BOUND_ONLY] = 1,
                                [CREASE_VERDICT_UNSUPPORTED] = 2,
                                [CREASE_VERDICT_UNFINISHED] = 3,
                                [CREASE_VERDICT_INVALID] = 4 };
    return rank[b->verdict] > rank[a->verdict] ||
           (b->verdict == a->verdict && !(b->smallest_eps <= a->smallest_eps));
}

bool crs_judged_all(crs_judged *j, int count, const crease_verification *each, const char *what,
                    crease_error *e)
{
    int worst = 0;
    double *eps = crs_doubles(count, "the verdicts", e);
    if (!eps || !crs_judged_names(j, count, e)) return crs_free(eps), false;
    for (int k = 0; k < count; k++) {
        if (crs_worse(&each[worst], &each[k])) worst = k;
        eps[k] = each[k].smallest_eps;
        snprintf(j->name[k], sizeof j->name[k], "%s %d", what, k + 1);
    }
    j->v = each[worst];
    j->v.count = count;
    j->v.residual = eps;
    snprintf(j->v.text, sizeof j->v.text, "%s %d: %.150s", what, worst + 1, each[worst].text);
    return true;
}

/* |F(0)|; 0 where that is infinite. */
static bool objective_at_zero(const crease_problem *p, double *value, crease_error *e)
{
    ptrdiff_t most = 0;
    for (int i = 0; i < p->count; i++)
        if (crease_size(&p->space[i]) > most) most = crease_size(&p->space[i]);
    double *zero = crs_doubles(most, "a point", e);
    const double **x = crs_alloc((size_t)p->count, sizeof *x);
    for (int i = 0; x && i < p->count; i++) x[i] = zero;
    const bool done = zero && (x || crs_fail(e, CREASE_NO_MEMORY, "out of memory: a point")) &&
                      crease_objective(p, x, value, e);
    *value = done && isfinite(*value) ? fabs(*value) : 0;
    crs_free(zero);
    crs_free(x);
    return done;
}

bool crs_verify_proof(const crease_claim *c, const double *y, const double *const *ray,
                      crease_verification *v, crease_error *e)
{
    crease_refutation r;
    *v = (crease_verification){ .verdict = CREASE_VERDICT_UNSUPPORTED, .smallest_eps = INFINITY };
    if (y ? !crease_verify_infeasible(c->p, y, &r, e)
          : !crease_verify_unbounded(c->p, c->x, ray, c->eps, c->relative, &r, e))
        return false;
    v->verdict = r.verdict;
    v->smallest_eps = NAN; /* of a point */
    v->trusted_callback = r.trusted_callback;
    snprintf(v->text, sizeof v->text, "%s", r.text);
    return true;
}

/* A certificate of another problem certifies nothing. */
bool crs_check_problem(crs_judged *j, crease_error *e)
{
    const crs_certificate *c = j->certificate;
    crs_point_file f;
    if (!crs_point_read(c, crs_given(j->a, CRS_OPT_PROBLEM), &f, e)) return false;
    const crease_problem *p = &f.file->problem;
    const bool proof = f.separator || f.ray;
    const crease_claim claim = { .p = p,
                                 .x = f.x,
                                 .lambda = f.lambda,
                                 .gcg = f.gap,
                                 .eps = j->eps,
                                 .relative = c->relative,
                                 .watch = j->a->watch };
    const bool done = (proof ? crs_verify_proof(&claim, f.separator, f.ray, &j->v, e)
                             : crease_claim_verify(&claim, &j->v, e)) &&
                      crease_objective(p, f.x, &j->objective, e) &&
                      objective_at_zero(p, &j->scale, e) && crs_judged_names(j, p->count, e);
    for (int i = 0; done && i < j->v.count; i++)
        snprintf(j->name[i], sizeof j->name[i], "%s", p->block[i].name);
    j->constrained = p->range.order > 0 && !proof;
    j->proves = f.separator ? "infeasible" : f.ray ? "unbounded" : NULL;
    snprintf(j->hash, sizeof j->hash, "%s", f.file->hash);
    if (done) crs_judged_hash(j, "problem or its data", f.hash, f.file->hash);
    crs_point_free(&f);
    return done;
}

static bool print_json(const crs_judged *j, crease_error *e)
{
    const crease_verification *v = &j->v;
    crs_document d;
    const crs_spot top = crs_document_begin(&d, "verify");
    crs_put_text(top, "checker", j->certificate->checker);
    crs_put_text(top, "verdict", crease_verdict_text(v->verdict));
    crs_put_number(top, "smallest_eps", v->smallest_eps);
    crs_put_number(top, "eps", j->eps);
    crs_put_number(top, "feasibility", v->feasibility);
    crs_put_number(top, "outside", v->outside);
    crs_put_numbers(top, "blocks", v->count, v->residual);
    crs_put_text(top, "reason", v->text);
    crs_put_flag(top, "changed", j->changed);
    crs_put_text(top, "hash", j->hash);
    crs_put_flag(top, "trusted_callback", v->trusted_callback);
    return crs_document_print(&d, false, e);
}

static void print(const crs_judged *j)
{
    const crease_verification *v = &j->v;
    const crs_tone tone = v->verdict == CREASE_VERDICT_VALID     ? CRS_TONE_GOOD
                          : v->verdict == CREASE_VERDICT_INVALID ? CRS_TONE_BAD
                                                                 : CRS_TONE_DOUBT;
    crs_print_tone(j->a, crs_out(), tone, "%s", crease_verdict_text(v->verdict));
    crs_print("\n");
    if (!j->changed && !j->proves)
        crs_print("smallest eps  %.17g (asked %g)\n", v->smallest_eps, j->eps);
    if (j->constrained) crs_print("feasibility   %.4e\n", v->feasibility);
    for (int i = 0; i < v->count; i++) crs_print("%-13s %.4e\n", j->name[i], v->residual[i]);
    crs_print("because       %s\n", v->text);
}

/* First whether the files are those that were written; only then what they say. */
static bool judge(crs_judged *j, crs_checker *check, crease_error *e)
{
    char why[CRS_WHY];
    if (!crs_certificate_holds(j->certificate, why, e)) return false;
    j->changed = why[0];
    crease_watch_enter(j->a->watch, CREASE_PHASE_CHECK);
    crease_watch_reserve(j->a->watch, 0.5); /* here the check is the work: nothing is granted */
    if (!j->changed) return check(j, e) && read_claims(j, e);
    crs_judged_invalid(j, "%s", why);
    j->v.smallest_eps = j->v.feasibility = j->v.outside = NAN;
    return true;
}

/* Of a result that has a problem: not by rows. */
static bool without(const crs_args *a, crs_option_id id, const char *others, crease_error *e)
{
    char name[CRS_NAME];
    return !crs_given(a, id) ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "%s is for results of %srpca without a problem.json; leave it out",
                    crs_option_name((int)id, name), others);
}

static bool run(const crs_args *a, crease_error *e)
{
    crs_certificate c;
    if (!crs_certificate_read(a->word[0], &c, e)) return false;
    crs_judged j = { .a = a, .certificate = &c, .eps = c.eps, .objective = NAN };
    crs_checker *check = checker_of(&c, e);
    const bool table = check && check == crs_check_regress;
    const bool parts = check && (check == crs_check_rpca_cp || check == crs_check_rpca_tucker);
    bool done = check &&
                (!crs_given(a, CRS_OPT_eps) || crs_option_number(a, CRS_OPT_eps, 0, &j.eps, e)) &&
                (parts || table || without(a, CRS_OPT_MEMORY, "regress, and of ", e)) &&
                (parts || without(a, CRS_OPT_THREADS, "", e)) && judge(&j, check, e);
    if (done) *a->status = crs_exit_of_verdict(j.v.verdict);
    if (done && crs_given(a, CRS_OPT_JSON))
        done = print_json(&j, e);
    else if (done)
        print(&j);
    crease_verification_free(&j.v);
    crs_free(j.name);
    crs_certificate_free(&c);
    return done;
}

const crs_verb crs_verify_verb = {
    .name = "verify",
    .words = "RESULT_DIR",
    .word = CRS_KIND_FOLDER,
    .least = 1,
    .most = 1,
    .text =
        "Verify a result. Every file of the folder must be as it was written, by its SHA-256 in "
        "the certificate. Then the independent checker reads the data and the arrays, recomputes "
        "every residual from the definitions with bounds of its own rounding, and says VALID, "
        "INVALID or UPPER-BOUND-ONLY with the smallest eps that passes, or UNFINISHED when "
        "--max-seconds were not enough. The exit code is 0 when VALID, 1 when INVALID and 2 when "
        "it cannot tell.",
    .example = "crease verify result",
    .stops = "the verdict stays open",
    .takes = CRS_LIST(
        CRS_TAKES(PROBLEM), CRS_TAKES(eps), CRS_TAKES(max_seconds),
        CRS_SAYS(MEMORY,
                 "of results of rpca and regress: memory that the check may take, as 800M or 2G "
                 "(default: what it needs)"),
        CRS_SAYS(THREADS, "of results of rpca: threads that check (default: all)"), CRS_TAKES_LOG,
        CRS_TAKES(COLOR), CRS_TAKES(JSON)),
    .run = run,
};
