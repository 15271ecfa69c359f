/* SPDX-License-Identifier: MIT
 * matrix: what the sets of matrices share: shapes and singular values */
#include "set/matrix.h"

bool crs_matrix_whole(const crease_set *c, const crease_space *s, crease_error *e)
{
    if (!s->comm) return true;
    return crs_fail(e, CREASE_UNSUPPORTED,
                    "%s needs the whole matrix on one process but the space is shared among "
                    "ranks; give a space without comm",
                    c->ops->name);
}

bool crs_matrix_square(const crease_set *c, const crease_space *s, crease_error *e)
{
    if (s->dim[0] == s->dim[1]) return crs_matrix_whole(c, s, e);
    return crs_fail(e, CREASE_BAD_SHAPE,
                    "%s is a set of square matrices but the point is %td x %td; give it as many "
                    "rows as columns",
                    c->ops->name, s->dim[0], s->dim[1]);
}

const double *crs_spectrum(const crease_space *s, const double *x, double *work)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1];
    crs_singular_values(m, n, x, work, work + crs_short_side(m, n));
    return work;
}

double crs_spectrum_sum(const crease_space *s, const double *sigma)
{
    double sum = 0; /* the smallest first */
    for (ptrdiff_t j = crs_short_side(s->dim[0], s->dim[1]); j-- > 0;) sum += sigma[j];
    return sum;
}
