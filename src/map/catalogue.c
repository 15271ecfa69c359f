/* SPDX-License-Identifier: MIT
 * catalogue: the list of linear maps */
#include <crease/catalogue.h>

#include "map/map.h"

static const crease_map_ops *const list[] = {
#define MAP(symbol) &crs_##symbol##_ops,
#include "map/list.def"
#undef MAP
};

int crease_map_count(void) { return (int)(sizeof list / sizeof *list); }
const crease_map_ops *crease_map_at(int k) { return list[k]; }
