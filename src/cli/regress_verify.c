/* SPDX-License-Identifier: MIT
 * regress_verify: the path of a regression judged from X, y, the written coefficients and the
 * points of its certificate */
#include "cli/regress_rows.h"
#include "io/stream/stream.h"

typedef struct {
    const crs_certificate *c;
    json_t *settings, *solutions;
    crs_array X, y, row_weight, coefficients;
    crs_named_reg penalty;
    char hash[2][CRS_HASH];
    double *lambda, *point;
    crease_verification *found;
    crease_csr_matrix rows;
    crease_regression_claim claim;
    char *path[3]; /* of rows that are read again and again: X, y, and their weights */
    crs_joined *table;
    bool weighted;
    double sum, squares; /* of y, */
    ptrdiff_t seen;      /* of so many rows */
} result;

static bool damaged(const result *r, const char *what, crease_error *e)
{
    return crs_fail(e, CREASE_BAD_DATA,
                    "%.200s/certificate.json: %s; it is damaged or of another version",
                    r->c->folder, what);
}

static const char *setting(const result *r, const char *key)
{
    return json_string_value(json_object_get(r->settings, key));
}

/* A double from its exact text. */
static bool exact(const json_t *text, double *x)
{
    const char *t = json_string_value(text);
    return t && crs_parse_double(t, x) && isfinite(*x);
}

static bool read_file(const result *r, const char *role, crs_array *out, char hash[CRS_HASH],
                      crease_error *e)
{
    const json_t *source = crs_certificate_data(r->c, role);
    if (!source) return damaged(r, "it does not say where X and y are", e);
    char *path = crs_find_source(r->c->folder, source, e);
    const bool done = path && crs_read_rows_again(path, source, out, e);
    if (done) crs_array_hash(out, hash);
    crs_free(path);
    return done;
}

static bool read_data(result *r, crease_error *e)
{
    crease_regression_claim *c = &r->claim;
    if (!read_file(r, "X", &r->X, r->hash[0], e) || !read_file(r, "y", &r->y, r->hash[1], e))
        return false;
    c->n = crease_size(&r->y.shape);
    c->p = crease_size(&r->X.shape) / c->n;
    c->X = r->X.data, c->sparse = sparse_rows(&r->X, &r->rows), c->y = r->y.data;
    return c->p * c->n == crease_size(&r->X.shape) || damaged(r, "X does not suit y", e);
}

/* The file that a setting names, in the folder; none: nothing. */
static bool read_given(const result *r, const char *key, crs_array *out, crease_error *e)
{
    const char *name = setting(r, key);
    return !name || crs_read_in(r->c->folder, name, out, e);
}

static bool read_penalty(result *r, crease_error *e)
{
    const char *text = setting(r, "penalty"), *groups = setting(r, "groups"),
               *weights = setting(r, "weights");
    const crease_space columns = crease_vector(r->claim.p);
    char *label = groups ? crs_path_in(r->c->folder, groups, e) : NULL;
    char *weight = weights ? crs_path_in(r->c->folder, weights, e) : NULL;
    const bool done = (text || damaged(r, "it names no penalty", e)) && (!groups || label) &&
                      (!weights || weight) && crs_reg_open(text, &r->penalty, e) &&
                      crs_reg_fit_to(label, weight, &columns, &r->penalty, e);
    r->claim.s.penalty = r->penalty.reg;
    crs_free(label);
    crs_free(weight);
    return done;
}

static bool read_settings(result *r, crease_error *e)
{
    crease_regression_settings *s = &r->claim.s;
    const char *loss = setting(r, "loss");
    const int k = loss ? crs_regress_loss_find(loss, NULL) : -1;
    if (k < 0 || !exact(json_object_get(r->settings, "loss_scale"), &s->loss_scale))
        return damaged(r, "it names no loss", e);
    s->loss = (crease_regression_loss)k;
    s->standardize = json_is_true(json_object_get(r->settings, "standardize"));
    s->intercept = json_is_true(json_object_get(r->settings, "intercept"));
    if (!read_penalty(r, e) || (!r->table && !read_given(r, "row_weights", &r->row_weight, e)))
        return false;
    s->row_weight = r->row_weight.data;
    return !s->row_weight || crease_size(&r->row_weight.shape) == r->claim.n ||
           damaged(r, "the weights do not suit the rows", e);
}

static bool read_solution(const result *r, const json_t *solution, double *lambda, double *b)
{
    const json_t *columns = json_object_get(solution, "columns"),
                 *values = json_object_get(solution, "b");
    const crease_regression_settings *s = &r->claim.s;
    const bool ones = s->intercept && s->loss != CREASE_REGRESSION_SQUARED;
    if (!exact(json_object_get(solution, "lambda"), lambda) || !(*lambda >= 0) ||
        json_array_size(columns) != json_array_size(values) ||
        (ones && !exact(json_object_get(solution, "b_0"), &b[r->claim.p])))
        return false;
    for (size_t k = 0; k < json_array_size(columns); k++) {
        const double at = json_number_value(json_array_get(columns, k));
        if (!(at >= 1 && at <= (double)r->claim.p) || at != floor(at) ||
            !exact(json_array_get(values, k), &b[(ptrdiff_t)at - 1]))
            return false;
    }
    return true;
}

static bool read_solutions(result *r, crease_error *e)
{
    crease_regression_claim *c = &r->claim;
    const ptrdiff_t path = (ptrdiff_t)json_array_size(r->solutions);
    const bool ones = c->s.intercept && c->s.loss != CREASE_REGRESSION_SQUARED;
    const crease_space wanted = crease_matrix(path, c->p + 1);
    if (path < 1) return damaged(r, "it has no solutions", e);
    if (!crs_read_in(r->c->folder, "coefficients.npy", &r->coefficients, e)) return false;
    if (!crease_space_equal(&r->coefficients.shape, &wanted))
        return damaged(r, "coefficients.npy does not suit it", e);
    r->lambda = crs_doubles(path, "the lambdas", e);
    r->point = crs_doubles(path * (c->p + ones), "the solutions", e);
    r->found = crs_alloc((size_t)path, sizeof *r->found);
    if (!r->lambda || !r->point || !r->found)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td solutions", path);
    for (ptrdiff_t k = 0; k < path; k++)
        if (!read_solution(r, json_array_get(r->solutions, (size_t)k), &r->lambda[k],
                           r->point + k * (c->p + ones)))
            return damaged(r, "a solution cannot be read", e);
    c->s.path = path, c->s.lambda = r->lambda;
    c->point = r->point, c->coefficients = r->coefficients.data;
    return true;
}

static void discard(result *r)
{
    crs_joined_close(r->table);
    for (int k = 0; k < 3; k++) crs_free(r->path[k]);
    for (ptrdiff_t k = 0; r->found && k < r->claim.s.path; k++)
        crease_verification_free(&r->found[k]);
    crs_free(r->found);
    crs_free(r->lambda);
    crs_free(r->point);
    crs_array_free(&r->X);
    crs_array_free(&r->y);
    crs_array_free(&r->row_weight);
    crs_array_free(&r->coefficients);
    crs_reg_close(&r->penalty);
}

/* Rows for the checker; the first time they are counted, and y's squares added up. */
static bool next_rows(void *of, ptrdiff_t first, ptrdiff_t count, double *out, crease_error *e)
{
    result *r = of;
    const ptrdiff_t p = r->claim.p, width = p + 1 + r->weighted;
    if (!crs_joined_read(r->table, first, count, out, e)) return false;
    for (ptrdiff_t i = 0; first == r->seen && i < count; i++) {
        r->sum += out[i * width + p];
        r->squares += square(out[i * width + p]);
    }
    if (first == r->seen) r->seen += count;
    return true;
}

/* Where the weights of rows are: a file of the user's, or in the folder; NULL in *path: none. */
static bool find_weights(const result *r, char **path, crease_error *e)
{
    const json_t *source = crs_certificate_data(r->c, "row_weights");
    const char *name = setting(r, "row_weights");
    if (source) return (*path = crs_find_source(r->c->folder, source, e)) != NULL;
    return !name || (*path = crs_path_in(r->c->folder, name, e)) != NULL;
}

/* The files as one table, where X is too large for the memory that may be used, or its rows have
 * weights in a file of the user's. */
static bool open_rows(result *r, const crs_args *a, crease_error *e)
{
    const json_t *source = crs_certificate_data(r->c, "X"), *y = crs_certificate_data(r->c, "y");
    crs_joining files = { .files = 2, .asked = crs_asked_in(source), .hashed = true };
    crease_space x;
    double memory;
    if (!crs_option_bytes(a, CRS_OPT_MEMORY, 0.75 * crs_memory_free(), &memory, e)) return false;
    if (!source || !y) return damaged(r, "it does not say where X and y are", e);
    r->path[0] = crs_find_source(r->c->folder, source, e);
    if (!r->path[0]) return false;
    const bool known = crs_read_shape(r->path[0], &files.asked, &x) && x.order == 2;
    const double bytes = known ? 24 * (double)crease_size(&x) + 0x1p26 : 0;
    if (!crs_certificate_data(r->c, "row_weights") && bytes <= memory) return true;
    r->path[1] = crs_find_source(r->c->folder, y, e);
    if (!r->path[1] || !find_weights(r, &r->path[2], e)) return false;
    r->weighted = r->path[2];
    files.files += r->weighted;
    for (int k = 0; k < files.files; k++) files.path[k] = r->path[k];
    r->table = crs_joined_open(&files, e);
    if (!r->table) return false;
    r->claim.n = crs_joined_shape(r->table).dim[0];
    r->claim.p = crs_joined_shape(r->table).dim[1] - 1 - r->weighted;
    return true;
}

static bool hash_rows(result *r, crs_judged *j, crease_error *e)
{
    if (!crs_joined_rest(r->table, e)) return false;
    for (int k = 0; k < 2; k++) {
        crs_joined_hash(r->table, k, r->hash[k]);
        crs_judged_source(j, k == 0 ? "X" : "y", crs_joined_part(r->table, k), r->hash[k]);
    }
    if (!r->weighted) return true;
    char hash[CRS_HASH];
    crs_joined_hash(r->table, 2, hash);
    crs_judged_source(j, "row_weights", crs_joined_part(r->table, 2), hash);
    return true;
}

/* What result.json says at lambda k. */
typedef struct {
    bool global, bounded; /* the objective is within 100 eps of its least value; a bound is known */
    double gap, objective;
} said;

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static said said_at(const json_t *solution)
{
    const json_t *c = json_object_get(solution, "certificate");
    const char *text = json_string_value(json_object_get(c, "convexity"));
    const double gap = number_of(c, "gap");
    const bool global = text && strcmp(text, crease_convexity_text(CREASE_CONVEXITY_GLOBAL)) == 0;
    return (said){ global, !isnan(gap), gap, number_of(solution, "objective") };
}

/* A gap of more than 100 eps of the objective, or none, is not that of a global minimizer. */
static bool is_consistent(crs_judged *j, ptrdiff_t k, const said *s)
{
    const double most = 100 * (1 + 1e-9) * j->certificate->eps * s->objective;
    if (isnan(s->objective))
        crs_judged_invalid(j, "lambda %td: result.json has no objective", k + 1);
    else if (s->global && !(s->gap <= most))
        crs_judged_invalid(j,
                           "lambda %td: result.json calls the objective globally optimal, with %s",
                           k + 1, s->bounded ? "a larger gap" : "no gap");
    return j->v.verdict == CREASE_VERDICT_VALID;
}

/* What the checker finds there: no bound above `wanted` will do. */
typedef struct {
    double objective, wanted, bound;
} checked;

/* The mean square of y, about its mean if there is an intercept. */
static double size_of_y(const crease_regression_claim *c)
{
    double mean = 0, sum = 0;
    for (ptrdiff_t i = 0; c->s.intercept && i < c->n; i++) mean += c->y[i] / (double)c->n;
    for (ptrdiff_t i = 0; i < c->n; i++) sum += square(c->y[i] - mean) / (double)c->n;
    return sum;
}

/* Is the objective the checker's, to what rounding of residuals much smaller than y may do, and
 * does the checker, too, prove the gap? */
static void judge_gap(crs_judged *j, ptrdiff_t k, const said *s, const checked *is)
{
    if (isnan(is->objective) || isnan(is->bound) != isnan(is->wanted)) {
        crs_judged_invalid(j, "lambda %td: the time ran out before its objective was judged",
                           k + 1);
        j->v.verdict = CREASE_VERDICT_UNFINISHED;
    } else if (!(fabs(s->objective - is->objective) <=
                 1e-9 * fabs(is->objective) + 1e-14 * j->scale))
        crs_judged_invalid(j,
                           "lambda %td: result.json has the objective %.17g, and the point %.17g",
                           k + 1, s->objective, is->objective);
    else if (!isnan(is->wanted) && is->bound == INFINITY)
        crs_judged_invalid(j,
                           "lambda %td: result.json has the objective at most %.3g above its least "
                           "value, and the checker finds no proof of it",
                           k + 1, s->gap);
    else if (!isnan(is->wanted) && !(is->bound <= is->wanted))
        crs_judged_invalid(j,
                           "lambda %td: result.json has the objective at most %.3g above its least "
                           "value, and the checker can prove at most %.3g",
                           k + 1, s->gap, is->bound);
}

/* Verdicts and bounds at once, where the rows are read again and again. */
static bool bound(result *r, const double *wanted, double *objective, double *out, crease_error *e)
{
    if (!r->table) return crease_regression_bound(&r->claim, wanted, objective, out, e);
    const crease_regression_reading in = { r->weighted, next_rows, r };
    return crease_regression_verify_on(&r->claim, &in, wanted, r->found, objective, out, e);
}

static double scale_of(const result *r)
{
    if (!r->table) return size_of_y(&r->claim);
    const double n = (double)r->claim.n, mean = r->claim.s.intercept ? r->sum / n : 0;
    return larger(0, r->squares / n - square(mean));
}

static bool judge_gaps(result *r, const json_t *claims, crs_judged *j, crease_error *e)
{
    const ptrdiff_t path = r->claim.s.path;
    double *memory = crs_doubles(3 * path, "gaps", e), *wanted = memory, *objective = memory + path,
           *found = memory + 2 * path;
    if (!memory) return false;
    for (ptrdiff_t k = 0; k < path; k++) {
        const said s = said_at(json_array_get(claims, (size_t)k));
        if (!r->table && !is_consistent(j, k, &s)) return crs_free(memory), true;
        wanted[k] = s.gap * (1 + 1e-6) + 1e-12 * fabs(s.objective);
    }
    bool done = bound(r, wanted, objective, found, e);
    j->scale = scale_of(r);
    for (ptrdiff_t k = 0; done && r->table && k < path; k++) /* its own rounding */
        wanted[k] += 1e-10 * (fabs(objective[k]) + j->scale);
    if (done && r->table) done = crs_judged_all(j, (int)path, r->found, "lambda", e);
    for (ptrdiff_t k = 0; done && r->table && k < path; k++) {
        const said s = said_at(json_array_get(claims, (size_t)k));
        if (j->v.verdict == CREASE_VERDICT_VALID) is_consistent(j, k, &s);
    }
    for (ptrdiff_t k = 0; done && k < path && j->v.verdict == CREASE_VERDICT_VALID; k++) {
        const said s = said_at(json_array_get(claims, (size_t)k));
        judge_gap(j, k, &s, &(checked){ objective[k], wanted[k], found[k] });
    }
    crs_free(memory);
    return done;
}

static bool check_gaps(result *r, crs_judged *j, crease_error *e)
{
    if (!r->table && j->v.verdict != CREASE_VERDICT_VALID) return true;
    char *path = crs_path_in(r->c->folder, "result.json", e);
    json_t *claims = path ? crs_json_read(path, NULL, e) : NULL;
    const json_t *details = json_object_get(claims, "details");
    const bool done = claims && judge_gaps(r, json_object_get(details, "solutions"), j, e);
    json_decref(claims);
    crs_free(path);
    return done;
}

bool crs_check_regress(crs_judged *j, crease_error *e)
{
    result r = { .c = j->certificate,
                 .settings = json_object_get(j->certificate->document, "settings"),
                 .solutions = json_object_get(j->certificate->document, "solutions"),
                 .claim = { .s = crease_regression_default() } };
    r.claim.s.path = 0;
    r.claim.s.eps = j->eps;
    r.claim.s.watch = j->a->watch;
    if (crs_given(j->a, CRS_OPT_PROBLEM))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "--problem names one file, but a regression has two, X and y; move them "
                        "together with the folder, or back to where they were");
    bool done = open_rows(&r, j->a, e) && (r.table || read_data(&r, e)) && read_settings(&r, e) &&
                read_solutions(&r, e);
    if (done && !r.table)
        done = crease_regression_verify(&r.claim, r.found, e) &&
               crs_judged_all(j, (int)r.claim.s.path, r.found, "lambda", e);
    done = done && check_gaps(&r, j, e);
    if (done && r.table) done = hash_rows(&r, j, e);
    if (done && !r.table) {
        crs_judged_source(j, "X", &r.X.shape, r.hash[0]);
        crs_judged_source(j, "y", &r.y.shape, r.hash[1]);
    }
    snprintf(j->hash, sizeof j->hash, "%s", r.hash[0]);
    discard(&r);
    return done;
}
