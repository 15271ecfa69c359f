/* SPDX-License-Identifier: MIT
 * decide: the table that says which core suits which structure, and which comes next when it stalls
 */
#include "composite/cores.h"

/* In the order in which they are tried; the first that suits is taken. */
static const crs_core *const order[] = {
    &crs_core_direct,              /* a half square of a multiple of every block */
    &crs_core_gauss_newton,        /* factorizations */
    &crs_core_variable_projection, /* dictionaries */
    &crs_core_newton,              /* all blocks separable */
    &crs_core_alternation,         /* two blocks that a half square of multiples of I couples */
    &crs_core_tangent,             /* one spectral block */
    &crs_core_frank_wolfe,         /* a block on a set with a linear oracle alone */
    &crs_core_panoc,               /* any prox */
    &crs_core_plain,               /* any prox */
    &crs_core_grid,                /* a square and the differences of pixels */
    &crs_core_splitting,   /* f = 0, two blocks, a constraint with multiples of the identity */
    &crs_core_multipliers, /* any constraint */
};

/* Is f concave, or linear? Then whole steps to what an oracle says are all there is to do. */
static bool is_concave(const crs_composite *c)
{
    for (int t = 0; t < c->terms; t++) {
        const crs_term *term = &c->term[t];
        const bool down =
            term->loss && (term->weight <= 0 ? term->loss->low >= 0 : term->loss->high <= 0);
        if (!down) return false;
    }
    return !c->rest.ops;
}

static bool is_taken(const crs_core *core, const crs_composite *c)
{
    return core->suits(c) && !(core == &crs_core_frank_wolfe && is_concave(c)); /* gcg's */
}

const crs_core *crs_core_at(const crs_composite *c, int k)
{
    for (size_t j = 0; j < sizeof order / sizeof *order; j++)
        if (is_taken(order[j], c) && k-- == 0) return order[j];
    return NULL;
}
