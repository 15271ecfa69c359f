/* SPDX-License-Identifier: MIT
 * hong: Q(x, lambda) of Hong, for comparison with the definitions used here */
#include "certify/certify.h"

bool crease_certify_hong(const crease_problem *p, const double *const *x, const double *lambda,
                         double beta, double *q, crease_error *e)
{
    if (!crease_problem_check(p, e)) return false;
    if (p->range.order == 0)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "Hong's Q is about a constraint; this problem has none");
    const ptrdiff_t n = crs_largest_block(p), m = crease_size(&p->range);
    double *room = crs_doubles(n + m + crs_problem_scratch(p), "Hong's Q", e);
    if (!room) return false;
    double *c = room, *s = c + n, *work = s + m;
    crs_constraint(p, x, s, work);
    *q = square(crease_norm(&p->range, s));
    for (int i = 0; i < p->count; i++) {
        crs_grad(p, x, i, c, work);
        crs_adjoint(p, i, -1, lambda, c, work);
        crs_adjoint(p, i, beta, s, c, work);
        *q += square(crease_norm(&p->space[i], c));
    }
    crs_free(room);
    return true;
}
