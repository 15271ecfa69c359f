/* SPDX-License-Identifier: MIT
 * cp_fit_analyse: the analysis of the whole model without anything of its size */
#include "rpca/fit.h"

/* The same assumptions, constants and parameters as of the whole model: none of them depends on
 * sizes, so that a 2 x 1 x ... tensor with the same pattern of masks stands for it. */
crease_analysis *crs_cp_fit_analyse(const crease_cp_fit *f, crease_error *e)
{
    const bool all = f->missing == crease_size(&f->s.model.shape);
    const double tensor[2] = { all ? NAN : 0, f->missing > 0 ? NAN : 0 };
    crease_cp_rpca_settings s = f->s.model;
    for (int n = 0; n < s.shape.order; n++) s.shape.dim[n] = n == 0 ? 2 : 1;
    s.rank = 1;
    s.missing = true;
    s.mask = NULL;
    s.factor = NULL;
    crease_cp_rpca *m = crease_cp_rpca_new(&s, tensor, e);
    crease_analysis *a = m ? crease_analyse(crease_cp_rpca_problem(m), &f->run, e) : NULL;
    crease_cp_rpca_free(m);
    return a;
}
