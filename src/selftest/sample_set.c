/* SPDX-License-Identifier: MIT
 * sample_set: a random instance of a listed set */
#include "selftest/sample.h"

static void sample_space(draws *d, const crease_set_ops *ops, int attempt, crease_space *s)
{
    const ptrdiff_t m = 1 + below(d, 4),
                    n = attempt % 2 ? m : 1 + below(d, 4); /* some are square */
    *s = ops->matrix ? crease_matrix(m, n) : crease_vector(1 + below(d, 6));
}

/* Sets built from others: a shifted and scaled l1 ball, a simplex times a box. */
static void sample_combination(draws *d, crs_set_sample *out)
{
    const ptrdiff_t n = crease_size(&out->space);
    const char *name = out->c.ops->name;
    normals(d, n, 1, out->vec);
    if (strcmp(name, "affine") == 0) {
        out->inner[0] = crease_l1_ball(spread(d, -1, 1));
        out->affine = (crease_affine_set){ out->inner, below(d, 2) ? -0.7 : 1.9, out->vec };
        out->c.data = &out->affine;
    } else if (strcmp(name, "product") == 0) {
        out->inner[0] = crease_simplex(spread(d, -1, 1));
        out->inner[1] = crease_box(-spread(d, -1, 1), spread(d, -1, 1));
        out->inner_space[0] = crease_vector(1 + n / 2);
        out->inner_space[1] = crease_vector(2);
        out->space = crease_vector(3 + n / 2);
        out->product = (crease_product_set){ 2, out->inner, out->inner_space };
        out->c.data = &out->product;
    }
}

static void sample_bounds(draws *d, crs_set_sample *out)
{
    for (ptrdiff_t j = 0, n = crease_size(&out->space); j < n; j++) {
        out->lower[j] = normal(d);
        out->upper[j] = out->lower[j] + (below(d, 5) ? spread(d, -2, 1) : 0);
    }
    out->bounds = (crease_bounds){ .lower = out->lower, .upper = out->upper };
    out->c = crease_box_array(&out->bounds);
}

bool crs_sample_set(draws *d, int entry, crs_set_sample *out, crease_error *e)
{
    const crease_set_ops *ops = crease_set_at(entry);
    for (int attempt = 0; attempt < 100; attempt++) {
        out->c = (crease_set){ .ops = ops };
        sample_space(d, ops, attempt, &out->space);
        crs_sample_params(d, ops->params, crease_size(&out->space), out->c.par);
        normals(d, crease_size(&out->space), 1, out->vec);
        if (ops->vector) out->c.vec = out->vec;
        sample_combination(d, out);
        if (strcmp(ops->name, "box") == 0 && below(d, 2)) sample_bounds(d, out);
        if (crease_set_check(&out->c, &out->space, e)) return true;
    }
    return false;
}
