/* SPDX-License-Identifier: MIT
 * envelope_memory: the solver's settings, memory and start */
#include "rpca/envelope/state.h"

crs_envelope_solver_settings crs_envelope_solver_default(const crease_space *shape, ptrdiff_t rank)
{
    return (crs_envelope_solver_settings){
        .shape = *shape,
        .rank = rank,
        .face = { .penalty = &crs_l1, .par = { 1 } },
        .alpha_noise = 1,
        .threads = 1,
        .path = true,
        .kap = 3,
        .prune = true,
        .ridge = 3,
        .eps = 1e-6,
    };
}

static crs_envelope_settings pass_settings(const crs_envelope_solver_settings *c)
{
    return (crs_envelope_settings){ .shape = c->shape,
                                    .rank = c->rank,
                                    .alpha_noise = c->alpha_noise,
                                    .mask = c->mask,
                                    .threads = c->threads,
                                    .single = c->single };
}

static bool check(const crs_envelope_solver_settings *c, crease_error *e)
{
    const bool face =
        c->learn > 0 || (c->face.penalty && c->face.alpha >= 0 && c->face.alpha < INFINITY);
    if (!face)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the envelope needs a penalty and an alpha >= 0, not %g", c->face.alpha);
    if (!(c->learn >= 0 && c->learn < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the learned threshold is %g scales; give 0 or a positive number",
                        c->learn);
    if (!(c->nu >= 0 && c->nu < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "nu is %g; give a number >= 0", c->nu);
    if (c->path && !(c->kap > 0 && c->kap < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "kap is %g; give a positive number", c->kap);
    if (c->prune && !(c->ridge >= 0 && c->ridge < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the ridge before pruning is %g; give a number >= 0", c->ridge);
    if (!(c->eps > 0 && c->eps < 1))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "eps is %g; give a number between 0 and 1", c->eps);
    return true;
}

/* Doubles: two points, the model, and gradient, step, scaled, rhs, cg (4) of the unknowns */
static ptrdiff_t doubles(const crs_envelope_solver_settings *c)
{
    const ptrdiff_t rows = crs_envelope_model_rows(&c->shape), n = rows * c->rank;
    const ptrdiff_t cg = more(4 * n, more(c->rank * c->rank, 2 * c->rank));
    return crs_envelope_model_size(&c->shape, c->rank) + (10 + 2 * CRS_ENVELOPE_PAIRS) * n +
           2 * rows + cg;
}

ptrdiff_t crs_envelope_solver_bytes(const crs_envelope_solver_settings *c, crease_error *e)
{
    const crs_envelope_settings pass = pass_settings(c);
    const ptrdiff_t bytes = check(c, e) ? crs_envelope_bytes(&pass, e) : -1;
    ptrdiff_t area, own;
    if (bytes < 0) return -1;
    if (!crs_mul_size(c->rank, c->rank + crs_envelope_model_rows(&c->shape), &area) ||
        !crs_mul_size(area, 80 * (ptrdiff_t)sizeof(double), &own))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "rank %td is too large", c->rank), -1;
    return bytes + (ptrdiff_t)(sizeof(crs_envelope_solver) + 2 * sizeof(crs_envelope_sums)) +
           doubles(c) * (ptrdiff_t)sizeof(double);
}

static double *carve(double **memory, ptrdiff_t count)
{
    double *here = *memory;
    *memory += count;
    return here;
}

static void place(crs_envelope_solver *s)
{
    const ptrdiff_t rows = crs_envelope_model_rows(&s->c.shape), n = rows * s->c.rank;
    double *memory = s->memory;
    s->model.shape = s->c.shape;
    s->model.rank = s->c.rank;
    crs_envelope_model_place(&s->model,
                             carve(&memory, crs_envelope_model_size(&s->c.shape, s->c.rank)));
    crs_envelope_point *const point[] = { &s->at, &s->trial };
    for (int k = 0; k < 2; k++) {
        point[k]->x = carve(&memory, n);
        point[k]->sm = carve(&memory, n);
        point[k]->marginal = carve(&memory, rows);
    }
    s->gradient = carve(&memory, n);
    s->step = carve(&memory, n);
    s->scaled = carve(&memory, n);
    s->rhs = carve(&memory, n);
    s->backup = carve(&memory, n);
    s->pairs = carve(&memory, 2 * CRS_ENVELOPE_PAIRS * n);
    s->stride = n;
    s->model.held = carve(&memory, n);
    s->cg = memory;
    if (!s->c.nonneg) s->model.held = NULL;
}

void crs_envelope_solver_free(crs_envelope_solver *s)
{
    if (!s) return;
    crs_envelope_free(s->pass);
    crs_free(s->at.sums);
    crs_free(s->trial.sums);
    crs_free(s->memory);
    crs_free(s);
}

crs_envelope_solver *crs_envelope_solver_new(const crs_envelope_solver_settings *c, const void *T,
                                             crease_error *e)
{
    if (crs_envelope_solver_bytes(c, e) < 0) return NULL;
    crs_envelope_solver *s = crs_alloc(1, sizeof *s);
    if (!s) return crs_fail(e, CREASE_NO_MEMORY, "no memory for the envelope's solver"), NULL;
    s->c = *c;
    s->noise = c->alpha_noise / (1 + c->alpha_noise);
    const crs_envelope_settings pass = pass_settings(c);
    s->memory = crs_doubles(doubles(c), "the envelope's solver", e);
    s->at.sums = s->memory ? crs_alloc(1, sizeof *s->at.sums) : NULL;
    s->trial.sums = s->at.sums ? crs_alloc(1, sizeof *s->trial.sums) : NULL;
    if (s->memory && !s->trial.sums)
        crs_fail(e, CREASE_NO_MEMORY, "no memory for the envelope's solver");
    s->pass = s->trial.sums ? crs_envelope_new(&pass, T, e) : NULL;
    if (s->pass) return place(s), s;
    crs_envelope_solver_free(s);
    return NULL;
}
