/* SPDX-License-Identifier: MIT
 * catalogue.h: every regularizer, set, map and coupling by name */
#ifndef CREASE_CATALOGUE_H
#define CREASE_CATALOGUE_H

#include <crease/reg.h>
#include <crease/set.h>
#include <crease/smooth.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A regularizer's entry: its table, and for the ones made from a scalar penalty, the penalty. */
typedef struct {
    const char *name;
    const crease_reg_ops *ops;
    const crease_penalty *penalty;
} crease_reg_entry;

CREASE_API int crease_reg_count(void);
CREASE_API const crease_reg_entry *crease_reg_at(int k);
CREASE_API const crease_param *crease_reg_params(const crease_reg_entry *entry);

CREASE_API int crease_set_count(void);
CREASE_API const crease_set_ops *crease_set_at(int k);
CREASE_API int crease_map_count(void);
CREASE_API const crease_map_ops *crease_map_at(int k);
CREASE_API int crease_smooth_count(void);
CREASE_API const crease_smooth_ops *crease_smooth_at(int k);

/* A spelled-out entry, "name" or "name:par,par,...". It owns its numbers. */
typedef struct {
    char name[64];
    ptrdiff_t count;
    double *value;
} crease_spec;

/* The text "scad:1,3.7" to a spec. On failure spec is empty and safe to free. */
CREASE_API bool crease_spec_parse(const char *text, crease_spec *spec, crease_error *e);
CREASE_API void crease_spec_free(crease_spec *spec);

/* The named entry with these parameters, in the catalogue's order; a vector parameter takes the
 * numbers that follow them and is borrowed from the spec. Groups, bounds and weights that come
 * from elsewhere are filled in by the caller afterwards. Unknown names suggest the nearest. */
CREASE_API bool crease_reg_from_spec(const crease_spec *spec, crease_reg *r, crease_error *e);
CREASE_API bool crease_set_from_spec(const crease_spec *spec, crease_set *c, crease_error *e);

#ifdef __cplusplus
}
#endif

#endif
