/* SPDX-License-Identifier: MIT
 * apply.h: the verb apply and the judge of its slices */
#ifndef CRS_APPLY_H
#define CRS_APPLY_H

#include "cli/rpca/rpca.h"
#include "io/stream/stream.h"

typedef struct {
    const crs_args *a;
    const char *from, *path, *masked; /* the result, the data, their mask (NULL: none) */
    crs_named_reg penalty;
    crease_cp_apply_settings s;
    char model[16], rho[80]; /* of the result; its penalty */
    bool cp, bounded;        /* terms with weights; noise bounded as a whole */
    int order, mode;         /* mode: that of the slices, from 0 */
    crs_axes axes;           /* of the model; axes_order 0: none are known */
    int axes_order;
    crs_asked asked; /* how the data are read */
    crs_array data, mask, factor[CREASE_MAX_ORDER], weight, core;
    crease_space given, shape; /* of the data as they came, and with a mode of slices */
    crs_center_arrays center;  /* of the model, subtracted from the data */
    const double *use[CREASE_MAX_ORDER];
    double *design; /* entries of a slice x coefficients */
    double *noise;
    char hash[CRS_HASH], mask_hash[CRS_HASH]; /* of the data and the mask */
    char model_hash[CRS_HASH];                /* of its certificate, which is bound to its files */
    crs_folder folder;
    crease_cp_apply_result out;
    crease_verification *found; /* of every slice in memory */
    crease_verification worst;  /* of these or all, without its residuals */
    bool judged;                /* one slice at least was */
    crease_outcome ended;       /* by the watch, before every slice was done; NOT_RUN: it did not */
    double objective;           /* of all slices, recomputed */
    double memory;              /* that may be used */
    ptrdiff_t step;             /* slices at a time; 0: all of them are in memory */
    double eps;                 /* of the check, relative */
    crs_row_reader *rows;       /* of slices that are not */
    crs_extent extent;          /* of those, */
    double largest;             /* and the entry that is */
} crs_apply_job;

/* Entry j of slice i along a mode of the given length, entries ordered as in the data. */
static inline ptrdiff_t place(const crease_space *s, int mode, ptrdiff_t i, ptrdiff_t j)
{
    ptrdiff_t right = 1;
    for (int n = mode + 1; n < s->order; n++) right *= s->dim[n];
    return (j / right * s->dim[mode] + i) * right + j % right;
}

static inline ptrdiff_t entries_of(const crs_apply_job *j)
{
    return crease_size(&j->shape) / j->shape.dim[j->mode];
}

/* settings.KEY of a result or certificate */
static inline bool setting_number(const json_t *settings, const char *key, double *x,
                                  crease_error *e)
{
    const json_t *v = json_object_get(settings, key);
    *x = json_number_value(v);
    return json_is_number(v) || crs_fail(e, CREASE_BAD_DATA,
                                         "result.json has no number settings.%s; is this a result "
                                         "of crease rpca?",
                                         key);
}

/* The model and its center from a result, the data with their mask, and the products that a slice
 * is a sum of. */
bool crs_apply_model(crs_apply_job *j, crease_error *e);
bool crs_apply_data(crs_apply_job *j, crease_error *e);
bool crs_apply_design(crs_apply_job *j, crease_error *e);
/* Do shape, axes and center of the data suit the model? */
bool crs_apply_fit(crs_apply_job *j, crease_error *e);
/* The settings of the slices' problem, and what of the answer follows from the rest. */
bool crs_apply_terms(crs_apply_job *j, crease_error *e);
bool crs_apply_finish(crs_apply_job *j, crease_error *e);
void crs_apply_discard(crs_apply_job *j);

/* The independent checker's word on every slice, and the worst of those so far. */
bool crs_apply_judge(crs_apply_job *j, double eps, crease_error *e);
void crs_apply_note(crs_apply_job *j, const crease_verification *v);

/* Slices a few at a time (apply_stream.c): survey takes the place of crs_apply_data; stream fits,
 * judges and writes all of them. */
enum { CRS_APPLY_ARRAYS = 4 }; /* in the shape of slices: data, lowrank, sparse, noise */
bool crs_apply_survey(crs_apply_job *j, crease_error *e);
bool crs_apply_stream(crs_apply_job *j, crease_error *e);
/* The ranks that share the slices; NULL: there are none, or not these slices. */
static inline const crs_team *ranks_of(const crs_apply_job *j)
{
    const crs_team *t = j->a->team;
    return t && t->size > 1 && j->step > 0 && j->shape.dim[0] > 1 ? t : NULL;
}

#endif
