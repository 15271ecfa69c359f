/* SPDX-License-Identifier: MIT
 * smooth.h: shared by the files of this folder */
#ifndef CRS_SMOOTH_H
#define CRS_SMOOTH_H

#include <crease/smooth.h>

#include "core/core.h"

#define LOSS(symbol)   extern const crease_smooth_ops crs_##symbol##_ops;
#define SMOOTH(symbol) extern const crease_smooth_ops crs_##symbol##_ops;
#include "smooth/list.def"
#undef LOSS
#undef SMOOTH

#endif
