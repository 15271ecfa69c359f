/* SPDX-License-Identifier: MIT
 * apply_verify: every slice judged by the independent checker
 *
 * Coefficients a and outliers e of a slice t are a point of
 *     min c |M a + e - t|^2 + alpha rho(|e|) + (nu/2)|a|^2,   c = alpha_N / (1 + alpha_N),
 * with a in the unit 1/|M|, by residuals relative to 2c |t|: then both gradients have one scale,
 * which does not vanish with the noise. */
#include "cli/apply.h"

/* Slice i as the checker sees it: what was observed of it. Lists of one block each. */
typedef struct {
    ptrdiff_t count;
    double *m, *t, *e, *a; /* rows of sqrt(2c) M, sqrt(2c) t, e; a in the scale of the factors */
    double objective;      /* of all slices so far */
} slice;

/* Is the slice's low-rank part M a, and the noise what is left? NaN is not. */
static bool gather_slice(const crs_apply_job *j, ptrdiff_t i, double root, slice *s)
{
    const ptrdiff_t rank = j->s.rank;
    bool fits = true;
    s->count = 0;
    for (ptrdiff_t r = 0; r < rank; r++) {
        const double w = j->cp ? pow(fabs(j->weight.data[r]), 1 - 1.0 / j->order) : 1;
        s->a[r] = w == 0 ? 0 : j->out.coefficients[i * rank + r] / w;
    }
    for (ptrdiff_t k = 0, n = entries_of(j); k < n; k++) {
        const ptrdiff_t at = place(&j->shape, j->mode, i, k);
        const bool seen = !isnan(j->data.data[at]) && !(j->mask.data && j->mask.data[at] == 0);
        const double low = j->out.lowrank[at], e = j->out.sparse[at];
        const double t = seen ? j->data.data[at] : low + e;
        double sum = 0, size = fabs(t) + fabs(low) + fabs(e);
        for (ptrdiff_t r = 0; r < rank; r++) {
            const double term = j->design[k * rank + r] * s->a[r];
            sum += term, size += fabs(term);
            s->m[s->count * rank + r] = root * j->design[k * rank + r];
        }
        fits = fits && size < INFINITY && fabs(sum - low) <= 1e-12 * size &&
               fabs(t - low - e - j->noise[at]) <= 1e-12 * size;
        s->t[s->count] = root * t;
        s->e[s->count] = e;
        s->count += seen;
    }
    return fits;
}

/* M becomes M/|M| and a becomes |M| a; returns |M|, or 1 where that is 0. */
static double normalize(const crs_apply_job *j, slice *s, double root)
{
    double sum = 0;
    for (ptrdiff_t k = 0; k < s->count * j->s.rank; k++) sum += square(s->m[k] / root);
    const double norm = sum > 0 ? sqrt(sum) : 1;
    for (ptrdiff_t k = 0; k < s->count * j->s.rank; k++) s->m[k] /= norm;
    for (ptrdiff_t r = 0; r < j->s.rank; r++) s->a[r] *= norm;
    return norm;
}

static bool judge_slice(const crs_apply_job *j, slice *s, double root, double eps,
                        crease_verification *v, crease_error *e)
{
    static const int both[2] = { 0, 1 };
    const double norm = normalize(j, s, root);
    const crease_space space[2] = { crease_vector(j->s.rank), crease_vector(s->count) };
    const double unit = root * crease_norm(&space[1], s->t);
    const crease_map map[2] = { crease_dense(s->m), crease_identity(root) };
    const crease_predictor p = { 2, both, map, space[1], s->t, NULL };
    const crease_distance_data ridge = { .b = -1, .weight = j->s.ridge / square(norm) };
    const crease_smooth term[2] = { crease_least_squares(&p), crease_squared_distance(&ridge) };
    const crease_smooth_list list = { 2, term };
    const crease_reg rho = j->penalty.reg, sign = crease_nonneg_indicator();
    const crease_block block[2] = { { .name = "a", .reg = j->s.nonneg ? sign : (crease_reg){ 0 } },
                                    { .name = "e", .reg = crease_scaled(j->s.alpha, &rho) } };
    const crease_problem problem = { .count = 2,
                                     .space = space,
                                     .block = block,
                                     .f = j->s.ridge > 0 ? crease_smooth_sum(&list) : term[0] };
    const double *x[2] = { s->a, s->e };
    const crease_claim claim = { .p = &problem, .x = x, .eps = eps * unit, .watch = j->a->watch };
    double value;
    if (!crease_claim_verify(&claim, v, e) || !crease_objective(&problem, x, &value, e))
        return false;
    s->objective += value;
    if (unit > 0) v->smallest_eps /= unit;
    if (v->verdict == CREASE_VERDICT_VALID)
        snprintf(v->text, sizeof v->text, "stationary for relative eps >= %.3g", v->smallest_eps);
    return true;
}

void crs_apply_note(crs_apply_job *j, const crease_verification *v)
{
    if (j->judged && !crs_worse(&j->worst, v)) return;
    j->worst = *v;
    j->worst.residual = NULL;
    j->judged = true;
}

bool crs_apply_judge(crs_apply_job *j, double eps, crease_error *e)
{
    const double c = j->s.alpha_noise / (1 + j->s.alpha_noise), root = sqrt(2 * c);
    const ptrdiff_t n = entries_of(j), rank = j->s.rank, slices = j->shape.dim[j->mode];
    double *all = crs_doubles((n + 1) * rank + 2 * n, "the check", e);
    slice s = { .m = all, .a = all + n * rank, .t = all + (n + 1) * rank };
    s.e = s.t + n;
    if (!j->found) j->found = crs_alloc((size_t)slices, sizeof *j->found);
    bool done = all && (j->found || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the verdicts"));
    for (ptrdiff_t i = 0; done && i < slices; i++) {
        crease_verification *v = &j->found[i];
        if (crease_watch_over(j->a->watch)) {
            v->verdict = CREASE_VERDICT_UNFINISHED, v->smallest_eps = INFINITY;
            snprintf(v->text, sizeof v->text, "not checked: the time ran out or a signal came");
            continue;
        }
        const bool fits = gather_slice(j, i, root, &s);
        if (s.count > 0) {
            done = judge_slice(j, &s, root, eps, v, e);
        } else {
            v->verdict = CREASE_VERDICT_VALID;
            v->residual = crs_doubles(1, "a verdict", e);
            done = v->residual != NULL;
        }
        if (fits) continue;
        v->verdict = CREASE_VERDICT_INVALID, v->smallest_eps = INFINITY;
        snprintf(v->text, sizeof v->text, "its parts do not follow from its coefficients and data");
    }
    for (ptrdiff_t i = 0; done && i < slices; i++) crs_apply_note(j, &j->found[i]);
    j->objective = s.objective;
    crs_free(all);
    return done;
}

/* An array of the result in the size of the data, or of the coefficients. */
static bool read_part(const crs_judged *judged, const char *name, const crease_space *shape,
                      double **out, crease_error *e)
{
    crs_array x = { .data = NULL };
    if (!crs_read_in(judged->certificate->folder, name, &x, e)) return false;
    *out = x.data;
    return crease_space_equal(&x.shape, shape) ||
           crs_fail(e, CREASE_BAD_SHAPE, "%s does not suit the data and the model", name);
}

/* The parts of the data become those of what was fitted. */
static void divide_parts(crs_apply_job *j)
{
    const ptrdiff_t size = crease_size(&j->shape);
    crs_center_shift(&j->center, -1, 0, size, j->out.lowrank);
    crs_noise_times(&j->center, -1, 0, size, j->out.sparse);
    crs_noise_times(&j->center, -1, 0, size, j->noise);
}

static bool read_parts(const crs_judged *judged, crs_apply_job *j, crease_error *e)
{
    const crease_space table = crease_matrix(j->shape.dim[j->mode], j->s.rank);
    return read_part(judged, "coefficients.npy", &table, &j->out.coefficients, e) &&
           read_part(judged, "lowrank.npy", &j->given, &j->out.lowrank, e) &&
           read_part(judged, "sparse.npy", &j->given, &j->out.sparse, e) &&
           read_part(judged, "noise.npy", &j->given, &j->noise, e) && (divide_parts(j), true);
}

/* Where the model, the data and the mask are; NULL of a mask: there was none. */
static bool find_sources(const crs_certificate *c, char *path[3], crease_error *e)
{
    static const char *const role[3] = { "model", "data", "mask" };
    bool done = true;
    for (int k = 0; done && k < 3; k++) {
        const json_t *source = crs_certificate_data(c, role[k]);
        if (source) path[k] = crs_find_source(c->folder, source, e);
        done = path[k] || (k == 2 && !source) ||
               (!source && crs_fail(e, CREASE_BAD_DATA, "certificate.json names no %s", role[k]));
    }
    return done;
}

/* The model with the axis and the rank that the certificate says, and the data. */
static bool read_claim(const json_t *settings, crs_apply_job *j, crease_error *e)
{
    double axis = 0, rank = 0;
    j->s.missing = json_is_true(json_object_get(settings, "missing"));
    if (!crs_apply_model(j, e) || !setting_number(settings, "axis", &axis, e) ||
        !setting_number(settings, "rank", &rank, e))
        return false;
    if (!(axis >= 0 && axis < j->order && axis == floor(axis)))
        return crs_fail(e, CREASE_BAD_DATA, "certificate.json: the model has no axis %g", axis);
    j->mode = (int)axis;
    return crs_apply_data(j, e) && crs_apply_design(j, e) &&
           (rank == (double)j->s.rank ||
            crs_fail(e, CREASE_BAD_DATA, "certificate.json: the model has not the rank %g", rank));
}

static void tell(const crs_apply_job *j, crs_judged *judged)
{
    judged->objective = j->objective;
    for (ptrdiff_t k = 0, n = crease_size(&j->given); k < n; k++)
        if (!isnan(j->data.data[k])) judged->scale += square(j->data.data[k]);
    crs_judged_source(judged, "model", NULL, j->model_hash);
    crs_judged_source(judged, "data", &j->given, j->hash);
    crs_judged_source(judged, "mask", &j->given, j->mask_hash);
}

bool crs_check_apply(crs_judged *judged, crease_error *e)
{
    const crs_certificate *c = judged->certificate;
    const char *given = crs_given(judged->a, CRS_OPT_PROBLEM);
    char *path[3] = { NULL };
    bool done = find_sources(c, path, e);
    crs_apply_job j = { .a = judged->a,
                        .from = path[0],
                        .path = given ? given : path[1],
                        .masked = path[2],
                        .asked = crs_asked_in(crs_certificate_data(c, "data")) };
    done = done && read_claim(json_object_get(c->document, "settings"), &j, e) &&
           read_parts(judged, &j, e) && crs_apply_judge(&j, judged->eps, e) &&
           crs_judged_all(judged, (int)j.shape.dim[j.mode], j.found, "slice", e);
    snprintf(judged->hash, sizeof judged->hash, "%s", j.hash);
    if (done) tell(&j, judged);
    if (!done && e->code == CREASE_BAD_ARGUMENT) e->code = CREASE_BAD_DATA; /* not the user's */
    for (int k = 0; k < 3; k++) crs_free(path[k]);
    crs_apply_discard(&j);
    return done;
}
