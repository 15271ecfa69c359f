/* SPDX-License-Identifier: MIT
 * rpca_verify: results of robust PCA judged from their data and arrays alone
 *
 * The checker rpca-cp has E from sparse.npy, Z from z.npy, the factors from factor_n.npy and
 * weights.npy, and B = T - E - Z. The checker rpca-problem judges problem.json of the folder. Both
 * ask whether lowrank.npy is the model's, and lowrank + sparse + noise the data. */
#include "cli/rpca.h"

typedef struct {
    const crs_rpca_claim *c;
    ptrdiff_t right;
    char path[2][CRS_PATH_ROOM];
    crs_npy_stream part[2]; /* Z, E */
    bool begun[2];
    double *last[3]; /* the latest row of Z, E and T, for B = T - E - Z */
    ptrdiff_t row[3];
    double *factor[CREASE_MAX_ORDER];
    crease_error *e;
} reader;

static const char *const part_file[] = { "z.npy", "sparse.npy" };

/* The files are read in order; the first row may be asked for again. */
static bool from_start(reader *r, int k, ptrdiff_t row)
{
    const bool again = row == 0 && r->begun[k];
    r->begun[k] = true;
    if (!again) return true;
    crs_npy_stream_close(&r->part[k]);
    return crs_npy_stream_open(r->path[k], &r->part[k], NULL);
}

static bool read_row(void *user, crease_rpca_part part, ptrdiff_t row, double *out)
{
    reader *r = user;
    const crs_rpca_claim *c = r->c;
    const ptrdiff_t right = r->right;
    const int k = part == CREASE_RPCA_Z ? 0 : part == CREASE_RPCA_SPARSE ? 1 : 2;
    if (part == CREASE_RPCA_B) {
        for (ptrdiff_t j = 0; j < right; j++)
            out[j] = r->last[2][j] - r->last[1][j] - r->last[0][j];
        return r->row[0] == row && r->row[1] == row && r->row[2] == row;
    }
    if (k < 2 && c->folder &&
        !(from_start(r, k, row) && crs_npy_stream_next(&r->part[k], right, out, NULL)))
        return false;
    for (ptrdiff_t j = 0; k == 2 && !c->fit && j < right; j++) {
        const double t = c->tensor[row * right + j];
        out[j] = part == CREASE_RPCA_SEEN ? !isnan(t) : isnan(t) ? 0 : t;
    }
    if (c->fit && (k == 2 || !c->folder)) {
        ptrdiff_t left, width;
        crease_rpca_rows(c->fit, &left, &width);
        crease_rpca_read(c->fit, part, row, right / width, out);
        if (c->center && part == CREASE_RPCA_DATA)
            crs_center_shift(c->center, -1, row * right, right, out);
    }
    if (part == CREASE_RPCA_SEEN) return true;
    copy(right, out, r->last[k]);
    r->row[k] = row;
    return true;
}

/* Rows of `right` entries. */
static bool set_width(reader *r, ptrdiff_t right, crease_error *e)
{
    r->right = right;
    for (int k = 0; k < 3; k++) {
        r->row[k] = -1;
        if (!(r->last[k] = crs_doubles(right, "a row of the result", e))) return false;
    }
    return true;
}

static bool open_parts(const crs_rpca_claim *c, reader *r, crease_error *e)
{
    const crease_space *s = &c->s.shape;
    *r = (reader){ .c = c, .e = e };
    for (int k = 0; c->folder && k < 2; k++) {
        if (!crs_join(c->folder, part_file[k], r->path[k], sizeof r->path[k], e) ||
            !crs_npy_stream_open(r->path[k], &r->part[k], e))
            return false;
        if (!crs_space_refines(&r->part[k].header.shape, s))
            return crs_fail(e, CREASE_BAD_SHAPE, "%.200s is not of the shape of the data",
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
    for (int k = 0; k < 2; k++) crs_npy_stream_close(&r->part[k]);
    for (int k = 0; k < 3; k++) crs_free(r->last[k]);
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
    if (c->fit) crease_rpca_rows(c->fit, left, right);
}

/* Where nothing was observed B = -Z - E and Lambda = 0. */
static bool read_whole(const crs_rpca_claim *c, reader *r, double *const *all)
{
    double *E = all[0], *Z = all[1], *B = all[2], *T = all[3], *W = all[4], *lambda = all[5];
    const ptrdiff_t n = r->right;
    if (!read_row(r, CREASE_RPCA_Z, 0, Z) || !read_row(r, CREASE_RPCA_SPARSE, 0, E)) return false;
    read_row(r, CREASE_RPCA_DATA, 0, T), read_row(r, CREASE_RPCA_SEEN, 0, W);
    for (ptrdiff_t j = 0; j < n; j++) {
        B[j] = W[j] == 0 ? -Z[j] - E[j] : T[j] - E[j] - Z[j];
        lambda[j] = W[j] == 0 ? 0 : 2 * c->s.alpha_noise * B[j];
    }
    return true;
}

/* A penalty that is not by entries: the general checker, on the model itself. */
static bool check_whole(const crs_rpca_claim *c, reader *r, crease_verification *v, crease_error *e)
{
    const ptrdiff_t n = crease_size(&c->s.shape);
    const int d = c->s.shape.order;
    const double *x[CREASE_MAX_ORDER + 3];
    double *part[6], *all = crs_doubles(6 * n, "the check", e);
    bool done = all && set_width(r, n, e);
    for (int k = 0; k < 6; k++) part[k] = all + k * n;
    if (done && !read_whole(c, r, part))
        done = crs_fail(e, CREASE_BAD_DATA, "the arrays of %.200s are cut short", c->folder);
    for (int k = 0; k < d; k++) x[k] = r->factor[k];
    for (int k = 0; k < 3; k++) x[d + k] = part[k]; /* E, Z, B */
    const crease_cp_rpca_settings s = { .shape = c->s.shape,
                                        .rank = c->s.rank,
                                        .penalty = c->s.penalty,
                                        .groups = c->s.groups,
                                        .axis = c->s.axis,
                                        .alpha = c->s.alpha,
                                        .alpha_noise = c->s.alpha_noise,
                                        .ridge = c->s.ridge,
                                        .nonneg = c->s.nonneg,
                                        .mask = part[4],
                                        .factor = x };
    crease_cp_rpca *m = done ? crease_cp_rpca_new(&s, part[3], e) : NULL;
    const crease_claim claim = { .p = m ? crease_cp_rpca_problem(m) : NULL,
                                 .x = x,
                                 .lambda = part[5],
                                 .eps = c->eps,
                                 .relative = c->relative,
                                 .watch = c->watch };
    done = m && crease_claim_verify(&claim, v, e) &&
           (!c->objective || crease_objective(claim.p, x, c->objective, e));
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
                                  .threads = c->threads,
                                  .watch = c->watch };
        set_rows(c, &claim.left, &claim.right);
        done = set_width(&r, claim.right, e) && crease_cp_verify(&claim, c->eps, c->relative, v, e);
    } else if (done) {
        done = check_whole(c, &r, v, e);
    }
    close_parts(&r);
    return done;
}

/* The arrays people load: L by fibres along the last mode, beside the model's own. */
typedef struct {
    crs_judged *j;
    crease_space shape;
    const double *T, *seen;          /* seen may be NULL: where T is not NaN */
    double tolerance;                /* of an entry of L */
    const crs_center_arrays *center; /* that T is without and L has */
    const crs_rpca_claim *sum;       /* whose c |N|^2 + alpha rho(E) is wanted; NULL: none is */
    void (*fibre)(const void *self, ptrdiff_t k, double *out);
    const void *self;
} arrays;

static bool fits(const arrays *a, const char *name, ptrdiff_t k, double is, double wanted,
                 double tolerance)
{
    if (fabs(is - wanted) <= tolerance) return true;
    crs_judged_invalid(a->j, "entry %td of %s is %.17g and %.17g follows from the other arrays",
                       k + 1, name, is, wanted);
    return false;
}

/* L, E, N and the model's L along fibre k; false: something does not fit. */
static bool judge_fibre(const arrays *a, ptrdiff_t k, double *const *part)
{
    const ptrdiff_t n = a->shape.dim[a->shape.order - 1];
    const double *L = part[0], *E = part[1], *N = part[2], *M = part[3];
    const double around = crs_center_size(a->center);
    for (ptrdiff_t i = 0, at = k * n; i < n; i++, at++) {
        const bool seen = a->seen ? a->seen[at] != 0 : !isnan(a->T[at]);
        const double t = seen ? a->T[at] : L[i] + E[i];
        const double size = around + fabs(t) + fabs(L[i]) + fabs(E[i]);
        if (!fits(a, "lowrank.npy", at, L[i], M[i], a->tolerance) ||
            !fits(a, "noise.npy", at, N[i], t - L[i] - E[i], 1e-12 * size))
            return false;
    }
    return true;
}

static bool add_fibre(const arrays *a, ptrdiff_t n, double *const *part, crease_error *e)
{
    const crease_rpca_settings *s = &a->sum->s;
    const crease_space space = crease_vector(n);
    const double norm = crease_norm(&space, part[2]);
    double rho = 0;
    if (!crease_reg_value(&s->penalty, &space, part[1], &rho, e)) return false;
    a->j->objective += s->alpha_noise / (1 + s->alpha_noise) * square(norm) + s->alpha * rho;
    return true;
}

static bool judge_arrays(const arrays *a, crease_error *e)
{
    static const char *const name[] = { "lowrank.npy", "sparse.npy", "noise.npy" };
    const ptrdiff_t all = crease_size(&a->shape), n = a->shape.dim[a->shape.order - 1];
    char path[3][CRS_PATH_ROOM];
    crs_npy_stream file[3] = { { .f = NULL } };
    double *part[4], *buffer = crs_doubles(4 * n, "a part of the result", e);
    bool done = buffer, right = true;
    for (int k = 0; k < 4; k++) part[k] = buffer + k * n;
    for (int k = 0; done && k < 3; k++) {
        done = crs_join(a->j->certificate->folder, name[k], path[k], sizeof path[k], e) &&
               crs_npy_stream_open(path[k], &file[k], e);
        const crease_space *s = &file[k].header.shape;
        if (done &&
            !(crs_space_refines(s, &a->shape) && crease_space_equal(s, &file[0].header.shape)))
            done = crs_fail(e, CREASE_BAD_SHAPE, "%s is not of the shape of the data", name[k]);
    }
    for (ptrdiff_t f = 0; done && right && f < all / n; f++) {
        for (int k = 0; done && k < 3; k++) done = crs_npy_stream_next(&file[k], n, part[k], e);
        if (done) a->fibre(a->self, f, part[3]);
        if (done) crs_center_shift(a->center, -1, f * n, n, part[0]);
        right = done && judge_fibre(a, f, part);
        if (right && a->sum) done = add_fibre(a, n, part, e);
    }
    for (int k = 0; k < 3; k++) crs_npy_stream_close(&file[k]);
    crs_free(buffer);
    return done;
}

/* sum_r w_r prod_n X_n[i_n, r] with unit columns */
static void cp_fibre(const void *self, ptrdiff_t k, double *out)
{
    const crs_rpca_claim *c = self;
    const crease_space *s = &c->s.shape;
    const ptrdiff_t rank = c->s.rank, n = s->dim[s->order - 1];
    fill(n, 0, out);
    for (ptrdiff_t r = 0; r < rank; r++) {
        double w = c->weight[r];
        for (ptrdiff_t at = k, m = s->order - 2; m >= 0; at /= s->dim[m--])
            w *= c->unit[m][at % s->dim[m] * rank + r];
        for (ptrdiff_t i = 0; i < n; i++) out[i] += w * c->unit[s->order - 1][i * rank + r];
    }
}

/* An entry is a sum of terms no larger than their weights: 1e-12 of the weights' sum is far above
 * rounding. */
static bool judge_cp_arrays(crs_judged *j, const crs_rpca_claim *c, const crs_center_arrays *center,
                            crease_error *e)
{
    const double root = 2.0 / c->s.shape.order;
    arrays a = {
        .j = j, .shape = c->s.shape, .T = c->tensor, .fibre = cp_fibre, .self = c, .center = center
    };
    a.tolerance = 1e-12 * crs_center_size(center);
    for (ptrdiff_t r = 0; r < c->s.rank; r++) a.tolerance += 1e-12 * fabs(c->weight[r]);
    for (ptrdiff_t k = 0, n = crease_size(&c->s.shape); k < n; k++)
        if (!isnan(c->tensor[k])) j->scale += square(c->tensor[k]);
    if (by_entries(&c->s.penalty)) a.sum = c, j->objective = 0; /* and nu/2 |X_n|^2 of all modes */
    for (ptrdiff_t r = 0; a.sum && r < c->s.rank; r++)
        j->objective += c->s.ridge / 2 * c->s.shape.order * pow(fabs(c->weight[r]), root);
    return judge_arrays(&a, e);
}

typedef struct {
    const json_t *settings;
    crs_named_reg penalty;
    crs_array data, weight, factor[CREASE_MAX_ORDER];
    double *unit[CREASE_MAX_ORDER];
    char *path, *mask, *groups, *weights; /* where they are now; NULL: not a file */
    char penalty_hash[CRS_HASH];
    crs_center_arrays center; /* subtracted from the data */
    crs_rpca_claim claim;
} rpca_result;

static const char *text_of(const rpca_result *r, const char *key)
{
    return json_string_value(json_object_get(r->settings, key));
}

static bool number_of(const rpca_result *r, const char *key, double *x, crease_error *e)
{
    const json_t *v = json_object_get(r->settings, key);
    *x = json_number_value(v);
    return json_is_number(v) ||
           crs_fail(e, CREASE_BAD_DATA, "certificate.json has no number settings.%s; it is damaged",
                    key);
}

/* The settings as they were written; nothing else in the document is believed. */
static bool read_settings(const crs_judged *j, rpca_result *r, crease_error *e)
{
    crease_rpca_settings *s = &r->claim.s;
    double rank;
    *s = crease_rpca_default(&(crease_space){ .order = 2, .dim = { 1, 1 } });
    r->settings = json_object_get(j->certificate->document, "settings");
    if (!number_of(r, "rank", &rank, e) || !number_of(r, "alpha", &s->alpha, e) ||
        !number_of(r, "alpha_noise", &s->alpha_noise, e) || !number_of(r, "ridge", &s->ridge, e))
        return false;
    s->rank = rank >= 1 && rank < 0x1p40 ? (ptrdiff_t)rank : 0;
    s->nonneg = json_is_true(json_object_get(r->settings, "nonneg"));
    s->missing = json_is_true(json_object_get(r->settings, "missing"));
    r->claim.eps = j->eps;
    r->claim.relative = j->certificate->relative;
    return crs_penalty_open(text_of(r, "penalty"), &r->penalty, e) &&
           crs_rpca_groups(text_of(r, "groups"), s, e);
}

/* Where a file of this role is now; true without one. */
static bool find(const crs_judged *j, const char *role, char **path, crease_error *e)
{
    const json_t *source = crs_certificate_data(j->certificate, role);
    if (source) *path = crs_find_source(j->certificate->folder, source, e);
    return !source || *path;
}

/* The data by the path in the certificate, or by --problem. */
static bool read_data(crs_judged *j, rpca_result *r, crease_error *e)
{
    const char *given = crs_given(j->a, CRS_OPT_PROBLEM);
    if (!find(j, "mask", &r->mask, e) || !find(j, "groups", &r->groups, e) ||
        !find(j, "weights", &r->weights, e) || (!given && !find(j, "data", &r->path, e)))
        return false;
    if (!given && !r->path)
        return crs_fail(e, CREASE_BAD_DATA, "certificate.json does not say where its data are");
    if (!crs_read_again(given ? given : r->path, crs_certificate_data(j->certificate, "data"),
                        &r->data, e) ||
        !crs_rpca_take(&r->data, r->mask, text_of(r, "merge"), &r->claim.s, j->hash, e))
        return false;
    r->claim.tensor = r->data.data;
    if (!crs_center_read(j->certificate->folder, &r->claim.s.shape, &r->center, e)) return false;
    crs_center_shift(&r->center, -1, 0, crease_size(&r->data.shape), r->data.data);
    return true;
}

/* The user's own groups and weights, by their text or their files. */
static bool fit_penalty(rpca_result *r, crease_error *e)
{
    crease_rpca_settings *s = &r->claim.s;
    if (s->groups == CREASE_GROUPS_GIVEN &&
        !crs_reg_fit_to(r->groups ? r->groups : text_of(r, "groups"),
                        r->weights ? r->weights : text_of(r, "weights"), &s->shape, &r->penalty, e))
        return false;
    crs_reg_hash(&r->penalty, r->penalty_hash);
    s->penalty = r->penalty.reg;
    return true;
}

static bool read_arrays(const char *folder, rpca_result *r, crease_error *e)
{
    const crease_rpca_settings *s = &r->claim.s;
    if (!crs_read_in(folder, "weights.npy", &r->weight, e)) return false;
    bool fit = s->rank > 0 && crease_size(&r->weight.shape) == s->rank;
    for (int n = 0; n < s->shape.order; n++) {
        char name[32];
        crs_factor_file(n, name);
        if (!crs_read_in(folder, name, &r->factor[n], e)) return false;
        const crease_space wanted = crease_matrix(s->shape.dim[n], s->rank);
        fit = fit && crease_space_equal(&r->factor[n].shape, &wanted);
        r->unit[n] = r->factor[n].data;
    }
    r->claim.folder = folder;
    r->claim.unit = r->unit;
    r->claim.weight = r->weight.data;
    return fit ||
           crs_fail(e, CREASE_BAD_SHAPE, "the factors and weights do not suit the data and rank");
}

static bool name_blocks(crs_judged *j, int order, crease_error *e)
{
    if (!crs_judged_names(j, order + 3, e)) return false;
    for (int i = 0; i < order; i++) snprintf(j->name[i], sizeof j->name[i], "X%d", i + 1);
    for (int i = 0; i < 3; i++) snprintf(j->name[order + i], sizeof j->name[0], "%c", "EZB"[i]);
    return true;
}

static void discard(rpca_result *r)
{
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_array_free(&r->factor[n]);
    crs_array_free(&r->weight);
    crs_array_free(&r->data);
    crs_center_close(&r->center);
    crs_reg_close(&r->penalty);
    crs_free(r->path);
    crs_free(r->mask);
    crs_free(r->groups);
    crs_free(r->weights);
}

bool crs_check_rpca_cp(crs_judged *j, crease_error *e)
{
    rpca_result r = { .settings = NULL, .claim.watch = j->a->watch };
    r.claim.objective = &j->objective;
    bool done = read_settings(j, &r, e) && read_data(j, &r, e) && fit_penalty(&r, e) &&
                read_arrays(j->certificate->folder, &r, e) && crs_rpca_check(&r.claim, &j->v, e) &&
                name_blocks(j, r.claim.s.shape.order, e) &&
                judge_cp_arrays(j, &r.claim, &r.center, e);
    j->constrained = true;
    if (done) {
        crs_judged_hash(j, "groups or weights", text_of(&r, "penalty_hash"), r.penalty_hash);
        crs_judged_source(j, "data", &r.data.shape, j->hash);
        crs_judged_source(j, "mask", &r.data.shape, NULL); /* its hash is in that of the data */
    }
    discard(&r);
    return done;
}

/* The low-rank part of a problem of robust PCA: the product of its blocks, whole. */
typedef struct {
    ptrdiff_t n;
    double *whole;
} product;

static void product_fibre(const void *self, ptrdiff_t k, double *out)
{
    const product *p = self;
    copy(p->n, p->whole + k * p->n, out);
}

/* t x_m X for X of rows x columns, t's mode m of length columns with `after` entries below it */
static void mode_product(const double *t, ptrdiff_t before, ptrdiff_t after, const double *X,
                         const ptrdiff_t size[2], double *out)
{
    const ptrdiff_t rows = size[0], columns = size[1];
    fill(before * rows * after, 0, out);
    for (ptrdiff_t b = 0; b < before; b++)
        for (ptrdiff_t i = 0; i < rows; i++)
            for (ptrdiff_t c = 0; c < columns; c++)
                for (ptrdiff_t k = 0; k < after; k++)
                    out[(b * rows + i) * after + k] +=
                        X[i * columns + c] * t[(b * columns + c) * after + k];
}

static int block_of(const crease_problem *p, const char *name)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->block[i].name, name) == 0) return i;
    return -1;
}

/* C x_1 X_1 ... x_d X_d, from the last mode to the first; NULL: out of memory. */
static double *tucker_product(const crease_problem *p, const double *const *x, int core,
                              crease_error *e)
{
    crease_space s = p->space[core];
    double *t = crs_doubles(crease_size(&s), "the low-rank part", e);
    if (t) copy(crease_size(&s), x[core], t);
    for (int m = s.order - 1; t && m >= 0; m--) {
        char name[16];
        snprintf(name, sizeof name, "X%d", m + 1);
        const int i = block_of(p, name);
        ptrdiff_t before = 1, after = 1;
        for (int k = 0; k < m; k++) before *= s.dim[k];
        for (int k = m + 1; k < s.order; k++) after *= s.dim[k];
        const ptrdiff_t size[2] = { i < 0 ? 0 : p->space[i].dim[0], s.dim[m] };
        double *next = i < 0 ? NULL : crs_doubles(before * size[0] * after, "the low-rank part", e);
        if (next) mode_product(t, before, after, x[i], size, next);
        crs_free(t);
        t = next;
        s.dim[m] = size[0];
    }
    return t;
}

/* X Y' */
static double *matrix_product(const crease_problem *p, const double *const *x, crease_error *e)
{
    const int X = block_of(p, "X"), Y = block_of(p, "Y");
    const ptrdiff_t m = p->space[X].dim[0], n = p->space[Y].dim[0], rank = p->space[X].dim[1];
    double *out = crs_doubles(m * n, "the low-rank part", e);
    for (ptrdiff_t i = 0; out && i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++)
            for (ptrdiff_t r = 0; r < rank; r++)
                out[i * n + j] += x[X][i * rank + r] * x[Y][j * rank + r];
    return out;
}

/* By the blocks it has: core and factors, two factors, or the low-rank part itself. */
static double *lowrank_of(const crs_point_file *f, crease_error *e)
{
    const crease_problem *p = &f->file->problem;
    const int core = block_of(p, "C"), L = block_of(p, "L");
    if (core >= 0) return tucker_product(p, f->x, core, e);
    if (L < 0 && block_of(p, "X") >= 0 && block_of(p, "Y") >= 0) return matrix_product(p, f->x, e);
    double *out = L >= 0 ? crs_doubles(crease_size(&p->range), "the low-rank part", e) : NULL;
    if (out) copy(crease_size(&p->range), f->x[L], out);
    if (L < 0) crs_fail(e, CREASE_BAD_DATA, "problem.json is not of robust PCA");
    return out;
}

bool crs_check_rpca_problem(crs_judged *j, crease_error *e)
{
    crs_point_file f;
    if (!crs_check_problem(j, e) ||
        !crs_point_read(j->certificate, crs_given(j->a, CRS_OPT_PROBLEM), &f, e))
        return false;
    const crease_space *s = &f.file->problem.range;
    crs_array mask = { .data = NULL };
    crs_center_arrays center;
    const bool read = crs_read_if_there(j->certificate->folder, "mask.npy", &mask, e) &&
                      crs_center_read(j->certificate->folder, s, &center, e);
    product p = { s->dim[s->order - 1], read ? lowrank_of(&f, e) : NULL };
    double most = 0;
    for (ptrdiff_t k = 0; p.whole && k < crease_size(s); k++) most = larger(most, fabs(p.whole[k]));
    const arrays a = { .j = j,
                       .shape = *s,
                       .T = f.file->problem.rhs,
                       .seen = mask.data,
                       .center = &center,
                       .tolerance = 1e-10 * most + 1e-12 * crs_center_size(&center),
                       .fibre = product_fibre,
                       .self = &p };
    bool done = p.whole;
    if (done && mask.data && crease_size(&mask.shape) != crease_size(s))
        done = crs_fail(e, CREASE_BAD_SHAPE, "mask.npy is not of the size of the data");
    done = done && judge_arrays(&a, e);
    crs_free(p.whole);
    crs_array_free(&mask);
    if (read) crs_center_close(&center);
    crs_point_free(&f);
    return done;
}
