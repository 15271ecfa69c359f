/* SPDX-License-Identifier: MIT
 * losses.h: a loss by name, to be given its predictor (losses.c) */
#ifndef CRS_MODEL_LOSSES_H
#define CRS_MODEL_LOSSES_H

#include <crease/smooth.h>

/* A loss of a linear predictor, or nothing, which is (1/2)|u|^2? */
bool crs_loss_check(const crease_smooth *loss, crease_error *e);
bool crs_loss_has_labels(const crease_smooth *loss);
crease_smooth crs_loss_of(const crease_smooth *loss, const crease_predictor *p);

#endif
