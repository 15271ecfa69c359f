/* SPDX-License-Identifier: MIT
 * rpca_result: the parts of the tensor that were found, written a few rows at a time, their
 * components and their errors */
#include "cli/rpca.h"

typedef struct {
    const crease_cp_fit *fit;
    crease_cp_part part;
    ptrdiff_t right;
} piece;

static void items(const void *self, ptrdiff_t first, ptrdiff_t count, double *out)
{
    const piece *p = self;
    crease_cp_fit_read(p->fit, p->part, first / p->right, count / p->right, out);
}

/* As many rows as make a megabyte. */
static ptrdiff_t room_of(ptrdiff_t left, ptrdiff_t right)
{
    const ptrdiff_t rows = (1 << 17) / right;
    return (rows < 1 ? 1 : rows < left ? rows : left) * right;
}

static bool write_parts(const crs_rpca_job *j, crease_error *e)
{
    static const struct {
        crease_cp_part part;
        const char *name;
    } list[] = { { CREASE_CP_LOWRANK, "lowrank.npy" },
                 { CREASE_CP_SPARSE, "sparse.npy" },
                 { CREASE_CP_NOISE, "noise.npy" },
                 { CREASE_CP_SPLIT, "z.npy" } };
    ptrdiff_t left, right;
    crease_cp_fit_rows(j->fit, &left, &right);
    const ptrdiff_t room = room_of(left, right);
    double *buffer = crs_doubles(room, "a part of the result", e);
    bool done = buffer;
    for (int k = 0; done && k < 4; k++) {
        char path[CRS_PATH_ROOM];
        const piece p = { j->fit, list[k].part, right };
        const crs_pieces pieces = { items, &p, buffer, room };
        done = crs_join(crs_given(j->a, CRS_OPT_OUT), list[k].name, path, sizeof path, e) &&
               crs_write_npy_pieces(path, &j->given, &pieces, e);
    }
    crs_free(buffer);
    return done;
}

/* |M - truth|/|truth| and |Z - truth|/|truth| */
static bool errors(crs_rpca_job *j, crease_error *e)
{
    ptrdiff_t left, right;
    double sum[3] = { 0, 0, 0 };
    j->error_lowrank = j->error_z = NAN;
    if (!j->truth.f) return true;
    crease_cp_fit_rows(j->fit, &left, &right);
    double *m = crs_doubles(3 * right, "a row of the result", e), *z = m + right, *t = z + right;
    bool done = m;
    for (ptrdiff_t row = 0; done && row < left; row++) {
        crease_cp_fit_read(j->fit, CREASE_CP_LOWRANK, row, 1, m);
        crease_cp_fit_read(j->fit, CREASE_CP_SPLIT, row, 1, z);
        done = crs_npy_stream_next(&j->truth, right, t, e);
        for (ptrdiff_t k = 0; done && k < right; k++) {
            sum[0] += square(m[k] - t[k]);
            sum[1] += square(z[k] - t[k]);
            sum[2] += square(t[k]);
        }
    }
    crs_free(m);
    j->error_lowrank = sum[0] == 0 ? 0 : sqrt(sum[0] / sum[2]);
    j->error_z = sum[1] == 0 ? 0 : sqrt(sum[1] / sum[2]);
    return done;
}

static bool components(crs_rpca_job *j, crease_error *e)
{
    const crease_cp_rpca_settings *s = &j->s.model;
    const double *factor[CREASE_MAX_ORDER];
    j->weight = crs_doubles(s->rank, "the weights", e);
    if (!j->weight) return false;
    for (int n = 0; n < s->shape.order; n++) {
        factor[n] = crease_cp_fit_factor(j->fit, n);
        j->unit[n] = crs_doubles(s->shape.dim[n] * s->rank, "a factor", e);
        if (!j->unit[n]) return false;
    }
    return crease_cp_components(&s->shape, s->rank, factor, j->unit, j->weight, e);
}

bool crs_rpca_write(crs_rpca_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    const crease_space weights = crease_vector(j->s.model.rank);
    if (!components(j, e) || !crs_rpca_match(j, e) || !errors(j, e) ||
        !crs_outdir_begin(a, "result.json", e) || !write_parts(j, e))
        return false;
    const crs_rpca_claim claim = { .folder = crs_given(a, CRS_OPT_OUT),
                                   .s = crease_cp_fit_used(j->fit).model,
                                   .unit = j->unit,
                                   .weight = j->weight,
                                   .fit = j->fit,
                                   .eps = j->s.run.eps,
                                   .relative = j->s.run.relative != 0,
                                   .threads = j->s.threads };
    return crs_outdir_factors(a, &j->s.model.shape, j->s.model.rank, (const double *const *)j->unit,
                              e) &&
           crs_outdir_array(a, "weights.npy", &weights, j->weight, e) &&
           crs_rpca_check(&claim, &j->verified, e) &&
           crs_outdir_document(a, "result.json", crs_rpca_json(j), e);
}
