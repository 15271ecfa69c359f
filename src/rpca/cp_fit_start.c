/* SPDX-License-Identifier: MIT
 * cp_fit_start: the first iterate of the fused engine, in the units of the data */
#include "rpca/cp_fit_start.h"

void crs_cp_fit_shell_free(crease_cp_rpca *shell)
{
    if (shell) shell->tensor = NULL; /* borrowed */
    crease_cp_rpca_free(shell);
}

crease_cp_rpca *crs_cp_fit_shell(const crease_cp_fit *f, double *tensor, crease_error *e)
{
    const ptrdiff_t size = crease_size(&f->s.model.shape);
    crease_cp_rpca *shell = crs_alloc(1, sizeof *shell);
    if (!shell) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a start"), NULL;
    shell->s = f->s.model;
    shell->tensor = tensor;
    shell->missing = f->missing;
    if (!f->mask) return shell;
    shell->root = crs_doubles(size, "the mask", e);
    for (ptrdiff_t j = 0; shell->root && j < size; j++) shell->root[j] = f->mask[j];
    if (shell->root) return shell;
    crs_cp_fit_shell_free(shell);
    return NULL;
}

double crs_cp_gram_size(const crease_cp_fit *f, const double *tensor)
{
    const ptrdiff_t n = crease_size(&f->s.model.shape), seen = n - f->missing;
    const int d = f->s.model.shape.order;
    const double norm = crs_norm(n, tensor);
    return norm > 0 ? pow(norm / sqrt((double)seen), 2.0 * (d - 1) / d) : 1;
}

bool crs_cp_fit_start(crease_cp_fit *f, crease_cp_rpca *shell, crs_cp_fused *s, crease_error *e)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    const ptrdiff_t size = crease_size(&m->shape);
    const double *z = shell->tensor;
    double *own = NULL, *b = NULL;
    if (f->mask || m->z != CREASE_Z_DATA) {
        z = own = crs_doubles(size, "the start of Z", e);
        if (!own || !crs_cp_start_z(shell, own, e)) return crs_free(own), false;
    }
    if (f->mask && !m->unconstrained && m->z == CREASE_Z_DATA) {
        b = crs_doubles(size, "the start of B", e);
        for (ptrdiff_t j = 0; b && j < size; j++) b[j] = shell->tensor[j] - z[j];
        if (!b) return crs_free(own), false;
    }
    const bool done =
        crs_cp_fused_start(s, (const double *const *)shell->start, z, NULL, b, NULL, e);
    crs_free(own);
    crs_free(b);
    return done;
}

/* N(0,1) in the units of the data */
static void scale_random(const crease_cp_fit *f, crease_cp_rpca *shell)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    const int d = m->shape.order;
    const double scale = pow(crs_cp_gram_size(f, shell->tensor), 1.0 / (2 * (d - 1)));
    if (f->s.run.mode == CREASE_MODE_PAPER || m->start != CREASE_START_RANDOM || m->factor) return;
    for (int n = 0; n < d; n++)
        for (ptrdiff_t j = 0; shell->start[n] && j < m->shape.dim[n] * m->rank; j++)
            shell->start[n][j] *= scale;
}

bool crs_cp_fit_start_factors(crease_cp_fit *f, crease_cp_rpca *shell, crease_error *e)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    if (!crs_cp_start_factors(shell, e)) return false;
    scale_random(f, shell);
    for (int n = 0; n < m->shape.order; n++) {
        if (!shell->start[n])
            shell->start[n] = crs_doubles(m->shape.dim[n] * m->rank, "a start factor", e);
        if (!shell->start[n]) return false;
    }
    return true;
}
