/* SPDX-License-Identifier: MIT
 * catalogue: the list of smooth couplings */
#include <crease/catalogue.h>

#include "smooth/smooth.h"

static const crease_smooth_ops *const list[] = {
#define LOSS(symbol)   &crs_##symbol.ops,
#define SMOOTH(symbol) &crs_##symbol##_ops,
#include "smooth/list.def"
#undef LOSS
#undef SMOOTH
};

int crease_smooth_count(void) { return (int)(sizeof list / sizeof *list); }
const crease_smooth_ops *crease_smooth_at(int k) { return list[k]; }
