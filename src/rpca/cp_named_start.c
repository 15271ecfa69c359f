/* SPDX-License-Identifier: MIT
 * cp_named_start: the start that a fit's settings name, as the first of the envelope's pilot
 *
 * gevd and random are of the pilot's own family (cp_gevd.h); hosvd and als are made as for the
 * other engines. */
#include "rpca/cp_fit_start.h"
#include "rpca/cp_pilot.h"
#include "rpca/start.h"

static bool by_least_squares(const crease_cp_rpca_settings *m)
{
    return !m->factor && (m->start == CREASE_START_HOSVD || m->start == CREASE_START_ALS);
}

static const char *name(const crease_cp_rpca_settings *m)
{
    const bool clipped = m->clip > 0;
    if (m->factor) return "given";
    if (m->start == CREASE_START_HOSVD) return clipped ? "hosvd-clipped" : "hosvd";
    return clipped ? "als-clipped" : "als";
}

bool crs_cp_named_start(crease_cp_fit *f, double *tensor, crs_cp_pilot *p, crease_cp_rpca **shell,
                        crease_error *e)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    *shell = NULL;
    p->given = m->factor;
    p->given_name = name(m);
    p->named = m->start != CREASE_START_AUTO;
    p->clip = m->clip;
    if (m->start == CREASE_START_GEVD) p->first = m->clip > 0;
    if (m->start == CREASE_START_RANDOM) p->first = CRS_CP_RANDOM_START;
    if (!by_least_squares(m)) return true;
    *shell = crs_cp_fit_shell(f, tensor, e);
    if (!*shell || !crs_cp_fit_start_factors(f, *shell, e)) return false;
    crs_free((*shell)->root);
    (*shell)->root = NULL;
    p->given = (const double *const *)(*shell)->start;
    return true;
}

double crs_cp_named_start_bytes(const crease_cp_fit_settings *s, bool missing)
{
    crease_cp_rpca_settings m = s->model;
    m.missing = missing;
    m.mask = NULL;
    if (!by_least_squares(&m)) return 0;
    const ptrdiff_t size = crease_cp_rpca_size(&m); /* with T, Z and sqrt(2 alpha_N) T */
    return size < 0 ? INFINITY : 8 * (double)(size - 3 * crease_size(&m.shape));
}
