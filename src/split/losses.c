/* SPDX-License-Identifier: MIT
 * losses: a loss of the catalogue taken as a name, whatever its predictor */
#include "split/losses.h"
#include "smooth/smooth.h"

bool crs_loss_check(const crease_smooth *loss, crease_error *e)
{
    return !loss->ops || loss->ops->scratch == crs_predictor_scratch ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "%s is no loss of a linear predictor; use one that is, as least_squares, "
                    "huber_loss or logistic",
                    loss->ops->name);
}

bool crs_loss_has_labels(const crease_smooth *loss) { return loss->ops && loss_of(loss)->labels; }

crease_smooth crs_loss_of(const crease_smooth *loss, const crease_predictor *p)
{
    crease_smooth f = loss->ops ? *loss : crease_least_squares(p);
    f.data = p;
    return f;
}
