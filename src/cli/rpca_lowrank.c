/* SPDX-License-Identifier: MIT
 * rpca_lowrank: is lowrank.npy the low-rank part of the factors and weights beside it?
 *
 * An entry is a sum of terms no larger than their weights: 1e-12 of the weights' sum is far above
 * rounding. */
#include "cli/rpca.h"

static bool weigh(const crs_rpca_claim *c, double **factor, crease_error *e)
{
    const ptrdiff_t rank = c->s.rank;
    for (int n = 0; n < c->s.shape.order; n++) {
        const ptrdiff_t size = c->s.shape.dim[n] * rank;
        factor[n] = crs_doubles(size, "a factor", e);
        if (!factor[n]) return false;
        for (ptrdiff_t k = 0; k < size; k++)
            factor[n][k] = c->unit[n][k] * (n == 0 ? c->weight[k % rank] : 1);
    }
    return true;
}

static void compare(const crs_rpca_claim *c, const double *made, const crs_array *file,
                    crease_verification *v)
{
    double sum = 0;
    for (ptrdiff_t r = 0; r < c->s.rank; r++) sum += fabs(c->weight[r]);
    for (ptrdiff_t k = 0, n = crease_size(&c->s.shape); k < n; k++) {
        if (fabs(file->data[k] - made[k]) <= 1e-12 * sum) continue;
        v->verdict = CREASE_VERDICT_INVALID;
        snprintf(v->text, sizeof v->text,
                 "entry %td of lowrank.npy is %.17g and that of the factors and weights %.17g",
                 k + 1, file->data[k], made[k]);
        return;
    }
}

bool crs_rpca_judge_lowrank(const crs_rpca_claim *c, crease_verification *v, crease_error *e)
{
    const ptrdiff_t size = crease_size(&c->s.shape);
    double *factor[CREASE_MAX_ORDER] = { NULL };
    crs_array file = { .data = NULL };
    double *made = crs_doubles(size, "the low-rank part", e);
    bool done = made && weigh(c, factor, e) && crs_read_in(c->folder, "lowrank.npy", &file, e);
    if (done && crease_size(&file.shape) != size)
        done = crs_fail(e, CREASE_BAD_SHAPE, "lowrank.npy is not of the size of the data");
    done =
        done && crease_cp_lowrank(&c->s.shape, c->s.rank, (const double *const *)factor, made, e);
    if (done) compare(c, made, &file, v);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(factor[n]);
    crs_array_free(&file);
    crs_free(made);
    return done;
}
