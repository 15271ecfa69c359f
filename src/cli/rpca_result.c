/* SPDX-License-Identifier: MIT
 * rpca_result: the parts of the tensor that were found, their components and their errors */
#include "cli/rpca.h"

static bool allocate(crs_rpca_job *j, crease_error *e)
{
    const ptrdiff_t n = crease_size(&j->s.shape);
    j->lowrank = crs_doubles(n, "the low-rank part", e);
    j->noise = crs_doubles(n, "the noise", e);
    j->weight = crs_doubles(j->s.rank, "the weights", e);
    for (int k = 0; k < j->s.shape.order; k++) {
        j->unit[k] = crs_doubles(j->s.shape.dim[k] * j->s.rank, "a factor", e);
        if (!j->unit[k]) return false;
    }
    return j->lowrank && j->noise && j->weight;
}

/* B, or T - Z - E without the constraint; nothing is known of it where T is missing. */
static void take_noise(crs_rpca_job *j)
{
    const int d = j->s.shape.order;
    const double *E = crease_solution(j->solver, d), *Z = crease_solution(j->solver, d + 1);
    const double *B = j->s.unconstrained ? NULL : crease_solution(j->solver, d + 2);
    for (ptrdiff_t k = 0, n = crease_size(&j->s.shape); k < n; k++) {
        const bool here = !isnan(j->data.data[k]) && !(j->mask.data && j->mask.data[k] == 0);
        j->noise[k] = !here ? 0 : B ? B[k] : j->data.data[k] - Z[k] - E[k];
    }
}

bool crs_rpca_results(crs_rpca_job *j, crease_error *e)
{
    const crease_space *s = &j->s.shape;
    const double *factor[CREASE_MAX_ORDER];
    if (!allocate(j, e)) return false;
    for (int n = 0; n < s->order; n++) factor[n] = crease_solution(j->solver, n);
    take_noise(j);
    j->error_lowrank = j->error_z = NAN;
    if (!crease_cp_lowrank(s, j->s.rank, factor, j->lowrank, e) ||
        !crease_cp_components(s, j->s.rank, factor, j->unit, j->weight, e))
        return false;
    if (!j->truth.data) return true;
    const ptrdiff_t n = crease_size(s);
    j->error_lowrank = crease_relative_error(n, j->lowrank, j->truth.data);
    j->error_z = crease_relative_error(n, crease_solution(j->solver, s->order + 1), j->truth.data);
    return true;
}

bool crs_rpca_write(crs_rpca_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    const int d = j->s.shape.order;
    const crease_space weights = crease_vector(j->s.rank);
    return crs_outdir_array(a, "lowrank.npy", &j->given, j->lowrank, e) &&
           crs_outdir_array(a, "sparse.npy", &j->given, crease_solution(j->solver, d), e) &&
           crs_outdir_array(a, "noise.npy", &j->given, j->noise, e) &&
           crs_outdir_array(a, "z.npy", &j->given, crease_solution(j->solver, d + 1), e) &&
           crs_outdir_factors(a, &j->s.shape, j->s.rank, (const double *const *)j->unit, e) &&
           crs_outdir_array(a, "weights.npy", &weights, j->weight, e) &&
           crs_outdir_document(a, "result.json", crs_rpca_json(j), e);
}
