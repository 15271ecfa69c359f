/* SPDX-License-Identifier: MIT
 * guess: a Lipschitz constant of grad_N f seen between the start and a point near it; doubling
 * mends a guess that is too small */
#include <crease/random.h>

#include "solve/solver.h"

/* x <- x + size * (random direction), the same one at every call */
static double nudge(crease_solver *s, double size)
{
    const crease_random r = { (uint64_t)s->o.seed, 17 };
    double moved = 0;
    uint64_t k = 0;
    for (int i = 0; i < s->p->count; i++)
        for (ptrdiff_t j = 0, n = crs_size(s, i); j < n; j++) {
            const double d = size * crease_random_normal(r, k++);
            s->st.x[i][j] += d;
            moved += d * d;
        }
    return sqrt(moved);
}

void crs_guess_constants(crease_solver *s)
{
    const int last = s->a->last;
    const ptrdiff_t n = crs_size(s, last);
    double change = 0;
    crs_copy_point(s, s->st.x, s->kept);
    crs_grad(s->p, points(s->st.x), last, s->st.g, s->st.work);
    const double moved = nudge(s, 1e-3);
    crs_grad(s->p, points(s->st.x), last, s->st.y, s->st.work);
    for (ptrdiff_t j = 0; j < n; j++) change += square(s->st.y[j] - s->st.g[j]);
    crs_copy_point(s, s->kept, s->st.x);
    s->a->M = larger(sqrt(change) / moved, 1e-6);
    if (!(s->a->L_last < INFINITY)) s->a->L_last = s->a->M;
    crs_retune(s->p, &s->o, s->a);
}
