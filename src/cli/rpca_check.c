/* SPDX-License-Identifier: MIT
 * rpca_check: the arrays of a result, row by row, before the checker
 *
 * The factors are the unit columns times the d-th root of the weights. */
#include "cli/rpca.h"

typedef struct {
    const crs_rpca_claim *c;
    ptrdiff_t right;
    char path[3][CRS_PATH_ROOM];
    crs_npy_stream part[3]; /* Z, E, B */
    bool begun[3];
    double *factor[CREASE_MAX_ORDER];
    crease_error *e;
} reader;

static const char *const file[] = { "z.npy", "sparse.npy", "noise.npy" };

/* The files are read in order; the first row may be asked for again. */
static bool from_start(reader *r, int k, ptrdiff_t row)
{
    const bool again = row == 0 && r->begun[k];
    r->begun[k] = true;
    if (!again) return true;
    crs_npy_stream_close(&r->part[k]);
    return crs_npy_stream_open(r->path[k], &r->part[k], NULL);
}

static bool read(void *user, crease_cp_part part, ptrdiff_t row, double *out)
{
    reader *r = user;
    const crs_rpca_claim *c = r->c;
    const ptrdiff_t right = r->right;
    const int k = part == CREASE_CP_SPLIT ? 0 : part == CREASE_CP_SPARSE ? 1 : 2;
    if (part != CREASE_CP_DATA && part != CREASE_CP_SEEN)
        return from_start(r, k, row) && crs_npy_stream_next(&r->part[k], right, out, NULL);
    for (ptrdiff_t j = 0; j < right && !c->fit; j++) {
        const double t = c->tensor[row * right + j];
        out[j] = part == CREASE_CP_SEEN ? !isnan(t) : isnan(t) ? 0 : t;
    }
    if (c->fit) crease_cp_fit_read(c->fit, part, row, 1, out);
    return true;
}

static bool open(const crs_rpca_claim *c, reader *r, crease_error *e)
{
    const crease_space *s = &c->s.shape;
    *r = (reader){ .c = c, .e = e };
    for (int k = 0; k < 3; k++) {
        if (!crs_join(c->folder, file[k], r->path[k], sizeof r->path[k], e) ||
            !crs_npy_stream_open(r->path[k], &r->part[k], e))
            return false;
        if (crease_size(&r->part[k].header.shape) != crease_size(s))
            return crs_fail(e, CREASE_BAD_SHAPE, "%.200s is not of the size of the data",
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

static void close(reader *r)
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
    read(r, CREASE_CP_SPLIT, 0, Z), read(r, CREASE_CP_SPARSE, 0, E), read(r, CREASE_CP_NOISE, 0, B);
    if (c->fit) {
        ptrdiff_t left, right;
        crease_cp_fit_rows(c->fit, &left, &right);
        crease_cp_fit_read(c->fit, CREASE_CP_DATA, 0, left, T);
        crease_cp_fit_read(c->fit, CREASE_CP_SEEN, 0, left, W);
    } else {
        read(r, CREASE_CP_DATA, 0, T), read(r, CREASE_CP_SEEN, 0, W);
    }
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

bool crs_rpca_check(const crs_rpca_claim *c, crease_verification *v, crease_error *e)
{
    reader r;
    bool done = open(c, &r, e);
    if (done && by_entries(&c->s.penalty)) {
        crease_cp_claim claim = { .shape = c->s.shape,
                                  .rank = c->s.rank,
                                  .penalty = c->s.penalty,
                                  .alpha = c->s.alpha,
                                  .alpha_noise = c->s.alpha_noise,
                                  .ridge = c->s.ridge,
                                  .nonneg = c->s.nonneg,
                                  .factor = (const double *const *)r.factor,
                                  .read = read,
                                  .user = &r,
                                  .threads = c->threads };
        set_rows(c, &claim.left, &claim.right);
        r.right = claim.right;
        done = crease_cp_verify(&claim, c->eps, c->relative, v, e);
    } else if (done) {
        done = check_whole(c, &r, v, e);
    }
    close(&r);
    return done;
}
