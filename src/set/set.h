/* SPDX-License-Identifier: MIT
 * set.h: shared by the files of this folder */
#ifndef CRS_SET_H
#define CRS_SET_H

#include <crease/set.h>

#include "core/core.h"

#define SET(symbol)     extern const crease_set_ops crs_##symbol##_ops;
#define COMBINE(symbol) extern const crease_set_ops crs_##symbol##_ops;
#include "set/list.def"
#undef SET
#undef COMBINE

#endif
