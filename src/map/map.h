/* SPDX-License-Identifier: MIT
 * map.h: shared by the files of this folder */
#ifndef CRS_MAP_H
#define CRS_MAP_H

#include <crease/map.h>

#include "core/core.h"

#define MAP(symbol) extern const crease_map_ops crs_##symbol##_ops;
#include "map/list.def"
#undef MAP

#endif
