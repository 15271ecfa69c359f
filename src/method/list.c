/* SPDX-License-Identifier: MIT
 * list: the method an analysis asks for */
#include "method/method.h"

const crs_method *crs_method_for(const crease_analysis *a)
{
    if (a->exact_last) return &crs_admm_exact;
    switch (a->method) {
    case CREASE_METHOD_GCG:
        return &crs_gcg;
    case CREASE_METHOD_ADMM_G:
        return &crs_admm_g;
    case CREASE_METHOD_ADMM_M:
        return &crs_admm_m;
    default:
        return &crs_bcd;
    }
}
