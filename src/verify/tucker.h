/* SPDX-License-Identifier: MIT
 * tucker.h: products of tensors with matrices, in double and in long double */
#ifndef CRS_VERIFY_TUCKER_H
#define CRS_VERIFY_TUCKER_H

#include "verify/verify.h"

crs_gradient crs_tucker_double, crs_tucker_extended, crs_product_double, crs_product_extended;

#endif
