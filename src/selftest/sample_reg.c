/* SPDX-License-Identifier: MIT
 * sample_reg: random parameters, and a random instance of a listed regularizer */
#include "selftest/sample.h"

/* Finite ranges evenly; half-infinite ones over several orders of magnitude from their end; the
 * whole line by a normal number. Integers 1..n. Now and then a closed end itself. */
void crs_sample_params(draws *d, const crease_param *params, ptrdiff_t n, double *par)
{
    for (int k = 0; params && params[k].name; k++) {
        const crease_param *p = &params[k];
        const bool low = isfinite(p->low), high = isfinite(p->high);
        if (p->flags & CREASE_INTEGER)
            par[k] = p->low + (double)below(d, n);
        else if (low && high)
            par[k] = uniform(d, p->low + 1e-3, p->high - 1e-3);
        else if (low && !(p->flags & CREASE_OPEN_LOW) && below(d, 20) == 0)
            par[k] = p->low;
        else
            par[k] = low ? p->low + spread(d, -2, 2) : 2 * normal(d);
    }
}

/* One of: all entries in one group, singletons, two groups through a random permutation. */
static void sample_groups(draws *d, crs_reg_sample *out)
{
    const ptrdiff_t n = crease_size(&out->space), kind = below(d, 3);
    const crease_random r = { d->r.seed, d->r.stream + 1 + d->next };
    out->groups = (crease_groups){ kind == 1 ? n : kind == 2 && n > 1 ? 2 : 1, out->start, NULL };
    for (ptrdiff_t k = 0; k < out->groups.count; k++) out->start[k] = k;
    out->start[out->groups.count] = n;
    if (kind == 2) {
        crease_random_permutation(r, n, out->index);
        out->groups.index = out->index;
    }
    out->r.groups = &out->groups;
}

bool crs_sample_reg(draws *d, int entry, crs_reg_sample *out, crease_error *e)
{
    const crease_reg_entry *at = crease_reg_at(entry);
    const bool matrix = strncmp(at->ops->name, "spectral", 8) == 0;
    for (int attempt = 0; attempt < 100; attempt++) {
        out->space = matrix ? crease_matrix(1 + below(d, 4), 1 + below(d, 4))
                            : crease_vector(below(d, 2) ? 1 : 1 + below(d, 6));
        out->r = (crease_reg){ .ops = at->ops, .penalty = at->penalty };
        const ptrdiff_t n = crease_size(&out->space);
        crs_sample_params(d, crease_reg_params(at), n, out->r.par);
        for (ptrdiff_t j = 0; j < n; j++) out->weight[j] = spread(d, -1, 1);
        if (strcmp(at->ops->name, "group") == 0) sample_groups(d, out);
        if (at->ops->vector || (!matrix && at->penalty && below(d, 4) == 0))
            out->r.weight = out->weight;
        if (crease_reg_check(&out->r, &out->space, e)) return true;
    }
    return false;
}
