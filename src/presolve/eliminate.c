/* SPDX-License-Identifier: MIT
 * eliminate: placeholder */
#include "presolve/presolve.h"
bool crs_eliminate(const crs_composite *c, crs_reduction *out, crease_error *e)
{
    return (void)c, (void)out, (void)e, false;
}
bool crs_unsplit(const crs_composite *c, crs_reduction *out, crease_error *e)
{
    return (void)c, (void)out, (void)e, false;
}
