/* SPDX-License-Identifier: MIT
 * decide: the table that says which core suits which structure, and which comes next when it stalls
 */
#include "composite/cores.h"

/* In the order in which they are tried; the first that suits is taken. */
static const crs_core *const order[] = {
    &crs_core_gauss_newton,
    &crs_core_newton,
    &crs_core_alternation,
    &crs_core_plain,
    &crs_core_multipliers,
};

const crs_core *crs_core_at(const crs_composite *c, int k)
{
    for (size_t j = 0; j < sizeof order / sizeof *order; j++)
        if (order[j]->suits(c) && k-- == 0) return order[j];
    return NULL;
}
