/* SPDX-License-Identifier: MIT
 * spca_verify: the components of sparse PCA judged from the tensor and the arrays of the folder */
#include "cli/cli.h"

typedef struct {
    const crs_certificate *c;
    crs_array data, weight, point[CREASE_MAX_ORDER], factor[CREASE_MAX_ORDER];
    const double *points[CREASE_MAX_ORDER], *factors[CREASE_MAX_ORDER];
    crs_named_reg penalty;
    double *alpha;
    char hash[CRS_HASH];
    crease_verification *found;
    crease_spca_claim claim;
} result;

static bool damaged(const result *r, const char *what, crease_error *e)
{
    return crs_fail(e, CREASE_BAD_DATA,
                    "%.200s/certificate.json: %s; it is damaged or of another version",
                    r->c->folder, what);
}

static bool read_data(result *r, const char *given, crease_error *e)
{
    const json_t *source = crs_certificate_data(r->c, "data");
    if (!source) return damaged(r, "it does not say where the data are", e);
    char *path = given ? NULL : crs_find_source(r->c->folder, source, e);
    const bool done = (given || path) && crs_read_again(given ? given : path, source, &r->data, e);
    crs_free(path);
    if (!done) return false;
    crs_array_hash(&r->data, r->hash);
    r->claim.shape = r->data.shape;
    r->claim.tensor = r->data.data;
    return true;
}

static bool read_settings(result *r, crease_error *e)
{
    const json_t *document = r->c->document, *alpha = json_object_get(document, "alpha");
    const char *penalty = json_string_value(json_object_get(document, "penalty"));
    const char *measure = json_string_value(json_object_get(document, "measure"));
    const size_t count = json_array_size(alpha);
    if (!penalty || !measure || count < 1 || count > 1 << 20)
        return damaged(r, "it lacks the penalty or the components", e);
    r->claim.gap = strcmp(measure, "gap") == 0;
    r->claim.count = (int)count;
    r->alpha = crs_doubles((ptrdiff_t)count, "the components", e);
    r->found = crs_alloc(count, sizeof *r->found);
    if (!r->alpha || !r->found) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: components");
    for (size_t k = 0; k < count; k++) {
        const char *text = json_string_value(json_array_get(alpha, k));
        if (!text || !crs_parse_double(text, &r->alpha[k]) || !(r->alpha[k] > 0))
            return damaged(r, "an alpha is no number > 0", e);
    }
    r->claim.alpha = r->alpha;
    if (!crs_reg_open(penalty, &r->penalty, e)) return false;
    r->claim.penalty = r->penalty.reg;
    return true;
}

/* what_n.npy: dim x columns */
static bool read_mode(result *r, const char *what, int n, crs_array *out, crease_error *e)
{
    const crease_space wanted = crease_matrix(r->claim.shape.dim[n], r->claim.columns);
    char name[32];
    snprintf(name, sizeof name, "%s_%d.npy", what, n + 1);
    return crs_read_in(r->c->folder, name, out, e) &&
           (crease_space_equal(&out->shape, &wanted) ||
            damaged(r, "the factors and points do not suit the data", e));
}

static bool read_arrays(result *r, crease_error *e)
{
    if (!crs_read_in(r->c->folder, "weights.npy", &r->weight, e)) return false;
    r->claim.columns = crease_size(&r->weight.shape);
    r->claim.weight = r->weight.data;
    for (int n = 0; n < r->claim.shape.order; n++) {
        if (!read_mode(r, "factor", n, &r->factor[n], e) || !read_mode(r, "x", n, &r->point[n], e))
            return false;
        r->points[n] = r->point[n].data, r->factors[n] = r->factor[n].data;
    }
    r->claim.point = r->points, r->claim.factor = r->factors;
    return true;
}

/* T less the first terms, and what residual_norms.npy says of its norm. */
static bool judge_norms(crs_judged *j, const result *r, crease_error *e)
{
    const crease_space *s = &r->claim.shape;
    const ptrdiff_t n = crease_size(s), columns = r->claim.columns;
    if (j->v.verdict == CREASE_VERDICT_UNFINISHED) return true;
    crs_array norms = { .data = NULL };
    double *rest = crs_doubles(n, "what the components leave", e);
    bool done = rest && crs_read_in(r->c->folder, "residual_norms.npy", &norms, e);
    if (done && crease_size(&norms.shape) != columns)
        done = damaged(r, "residual_norms.npy does not suit the weights", e);
    if (done) copy(n, r->data.data, rest);
    const double most = done ? crease_norm(s, rest) : 0;
    for (ptrdiff_t k = 0; done && k < columns; k++) {
        for (ptrdiff_t at = 0; at < n; at++) {
            double term = r->weight.data[k];
            for (ptrdiff_t m = s->order - 1, left = at; m >= 0; left /= s->dim[m--])
                term *= r->factors[m][left % s->dim[m] * columns + k];
            rest[at] -= term;
        }
        const double norm = crease_norm(s, rest);
        if (fabs(norms.data[k] - norm) <= 1e-10 * most) continue;
        crs_judged_invalid(j, "residual_norms.npy has %.17g for component %td, which leaves %.17g",
                           norms.data[k], k + 1, norm);
        break;
    }
    crs_free(rest);
    crs_array_free(&norms);
    return done;
}

/* -T(x_1, ..., x_d) + alpha sum_n rho(x_n) of the first component, as result.json has it */
static bool first_objective(crs_judged *j, const result *r, crease_error *e)
{
    const crease_space *s = &r->claim.shape;
    const ptrdiff_t columns = r->claim.columns;
    j->objective = 0;
    j->scale = crease_norm(s, r->data.data);
    for (ptrdiff_t at = 0, n = crease_size(s); at < n; at++) {
        double term = r->data.data[at];
        for (ptrdiff_t m = s->order - 1, left = at; m >= 0; left /= s->dim[m--])
            term *= r->points[m][left % s->dim[m] * columns];
        j->objective -= term;
    }
    for (int n = 0; n < s->order; n++) {
        const crease_space mode = crease_vector(s->dim[n]);
        double rho, *x = crs_doubles(s->dim[n], "a point", e);
        for (ptrdiff_t i = 0; x && i < s->dim[n]; i++) x[i] = r->points[n][i * columns];
        const bool done = x && crease_reg_value(&r->claim.penalty, &mode, x, &rho, e);
        crs_free(x);
        if (!done) return false;
        j->objective += r->alpha[0] * rho;
    }
    return true;
}

static void discard(result *r)
{
    for (int k = 0; r->found && k < r->claim.count; k++) crease_verification_free(&r->found[k]);
    for (int n = 0; n < CREASE_MAX_ORDER; n++)
        crs_array_free(&r->point[n]), crs_array_free(&r->factor[n]);
    crs_free(r->found);
    crs_free(r->alpha);
    crs_array_free(&r->data);
    crs_array_free(&r->weight);
    crs_reg_close(&r->penalty);
}

bool crs_check_spca(crs_judged *j, crease_error *e)
{
    result r = { .c = j->certificate };
    r.claim.eps = j->eps;
    r.claim.watch = j->a->watch;
    r.claim.relative = j->certificate->relative;
    bool done = read_data(&r, crs_given(j->a, CRS_OPT_PROBLEM), e) && read_settings(&r, e) &&
                read_arrays(&r, e) && crease_spca_verify(&r.claim, r.found, e) &&
                crs_judged_all(j, r.claim.count, r.found, "component", e) &&
                judge_norms(j, &r, e) && first_objective(j, &r, e);
    if (done) crs_judged_source(j, "data", &r.data.shape, r.hash);
    snprintf(j->hash, sizeof j->hash, "%s", r.hash);
    discard(&r);
    return done;
}
