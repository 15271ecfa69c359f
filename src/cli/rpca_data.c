/* SPDX-License-Identifier: MIT
 * rpca_data: the arrays of a run, the rank they suggest, and the memory they will take */
#include "cli/rpca.h"

enum { PATH_ROOM = 4096 };

/* Neighbouring axes become one: the entries stay where they are. */
static bool merge(const char *text, crease_space *s, crease_error *e)
{
    crs_array axes;
    if (!crs_parse_list("--merge", text, &axes, e)) return false;
    const ptrdiff_t count = crease_size(&axes.shape);
    const double first = axes.data[0];
    bool good = first >= 0 && first == floor(first) && first + (double)count <= s->order;
    for (ptrdiff_t k = 0; k < count; k++) good = good && axes.data[k] == first + (double)k;
    crs_array_free(&axes);
    if (!good)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--merge %.64s: give neighbouring axes in ascending order, from 0 to %d",
                        text, s->order - 1);
    const int at = (int)first, gone = (int)count - 1;
    for (int k = 1; k <= gone; k++) s->dim[at] *= s->dim[at + k];
    for (int n = at + 1; n + gone < s->order; n++) s->dim[n] = s->dim[n + gone];
    s->order -= gone;
    return true;
}

static bool same_shape(const char *what, const crs_array *x, const crease_space *s, crease_error *e)
{
    return crease_space_equal(&x->shape, s) ||
           crs_fail(e, CREASE_BAD_SHAPE, "%s does not have the shape of the data", what);
}

/* Six points, multiplier and residual four times, eleven work vectors, the results; the
 * kernels' memory for a start (in the model's), a step and a certificate. */
static double forecast(const crs_rpca_job *j)
{
    crease_cp_rpca_settings s = j->s;
    const double n = (double)crease_size(&s.shape), tensors = s.unconstrained ? 2 : 3;
    double factors = 0;
    if (s.rank == 0) s.rank = 1;
    for (int k = 0; k < s.shape.order; k++) factors += (double)s.shape.dim[k] * (double)s.rank;
    s.mask = s.missing || crs_given(j->a, CRS_OPT_MASK) ? j->data.data : NULL;
    const crease_cp_data cp = { .shape = s.shape, .rank = s.rank, .z = -1 };
    const crease_smooth f = crease_cp(&cp);
    const crease_blocks none = { 0, NULL, NULL };
    const double kernels = 2 * (double)crease_smooth_scratch(&f, &none);
    const double model = (double)crease_cp_rpca_size(&s);
    if (model < 0) return INFINITY;
    return 8 * (6 * (tensors * n + factors) + 15 * n + 3 * n + 3 * factors + model + kernels) +
           0x1p24;
}

/* What a .npy file claims is known before its items are read. */
static bool foresee(crs_rpca_job *j, crease_error *e)
{
    const char *path = j->a->word[0];
    const size_t length = strlen(path);
    if (length < 4 || strcmp(path + length - 4, ".npy") != 0) return true;
    if (!crs_npy_shape(path, &j->s.shape)) return true; /* reading it will say why */
    return crs_memory_suffices("robust PCA of this tensor", forecast(j), e);
}

static bool read_one(const char *folder, const char *name, crs_array *out, crease_error *e)
{
    char path[PATH_ROOM];
    return crs_join(folder, name, path, sizeof path, e) && crs_read_array(path, out, e);
}

/* factor_n.npy of a folder; with weights.npy beside them the columns are unit ones. */
static bool read_start(crs_rpca_job *j, crease_error *e)
{
    const char *folder = crs_given(j->a, CRS_OPT_INIT);
    const int d = j->s.shape.order;
    if (!folder || crs_rpca_init_named(folder) >= 0) return true;
    const bool weighed = read_one(folder, "weights.npy", &j->factor_weight, NULL);
    for (int n = 0; n < d; n++) {
        char name[32];
        crs_outdir_factor(n, name);
        crs_array *x = &j->factor[n];
        if (!read_one(folder, name, x, e)) return false;
        if (j->s.rank == 0) j->s.rank = x->shape.dim[x->shape.order - 1];
        const crease_space wanted = crease_matrix(j->s.shape.dim[n], j->s.rank);
        if (!crease_space_equal(&x->shape, &wanted))
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "--init: factor %d must be %td x %td to suit the data and the rank",
                            n + 1, wanted.dim[0], wanted.dim[1]);
        const bool unit = weighed && crease_size(&j->factor_weight.shape) == j->s.rank;
        for (ptrdiff_t k = 0; unit && k < crease_size(&wanted); k++)
            x->data[k] *= pow(fabs(j->factor_weight.data[k % j->s.rank]), 1.0 / d);
        j->start[n] = x->data;
    }
    j->s.factor = j->start;
    return true;
}

static bool choose_rank(crs_rpca_job *j, crease_error *e)
{
    if (j->s.rank > 0) return true;
    j->rank_chosen = true;
    return crease_cp_rank(&j->s.shape, j->data.data, j->mask.data, &j->s.rank, e);
}

bool crs_rpca_read(crs_rpca_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    const char *mask = crs_given(a, CRS_OPT_MASK), *truth = crs_given(a, CRS_OPT_TRUTH),
               *axes = crs_given(a, CRS_OPT_MERGE);
    if (!foresee(j, e) || !crs_read_array(a->word[0], &j->data, e)) return false;
    crs_print_notice(a, &j->data);
    j->given = j->s.shape = j->data.shape;
    if (mask &&
        (!crs_read_array(mask, &j->mask, e) || !same_shape("--mask", &j->mask, &j->given, e)))
        return false;
    if (truth && (!read_one(truth, "lowrank.npy", &j->truth, e) ||
                  !same_shape("--truth", &j->truth, &j->given, e)))
        return false;
    if (axes && !merge(axes, &j->s.shape, e)) return false;
    if (j->s.shape.order < 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "the data have 1 dimension; give a matrix or a tensor");
    if (!crs_memory_suffices("robust PCA of this tensor", forecast(j), e)) return false;
    j->s.mask = j->mask.data;
    return read_start(j, e) && choose_rank(j, e) &&
           crs_memory_suffices("robust PCA of this rank", forecast(j), e);
}
