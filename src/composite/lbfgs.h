/* SPDX-License-Identifier: MIT
 * lbfgs.h: the limited-memory BFGS approximation H of an inverse Jacobian, from pairs
 * y = J s: steps and the changes of a residual
 */
#ifndef CRS_LBFGS_H
#define CRS_LBFGS_H

#include "core/checkpoint.h"

enum { CRS_LBFGS_PAIRS = 12 };

typedef struct {
    ptrdiff_t n;
    int count, next; /* pairs there are, and the slot that is filled next */
    double *s, *y;   /* CRS_LBFGS_PAIRS + 1 vectors each */
    double curve[CRS_LBFGS_PAIRS + 1], square[CRS_LBFGS_PAIRS + 1]; /* <s, y>, |y|^2 */
} crs_lbfgs;

bool crs_lbfgs_open(crs_lbfgs *m, ptrdiff_t n, crease_error *e);
void crs_lbfgs_close(crs_lbfgs *m);
void crs_lbfgs_forget(crs_lbfgs *m);
void crs_lbfgs_visit(crs_visitor *v, crs_lbfgs *m);

/* Where the next pair goes; keep takes it in unless <s, y> <= 1e-12 |s| |y|. */
double *crs_lbfgs_step(const crs_lbfgs *m);
double *crs_lbfgs_change(const crs_lbfgs *m);
void crs_lbfgs_keep(crs_lbfgs *m);

/* q becomes H q, H_0 = <s, y>/|y|^2 of the last pair; without pairs q stays. */
void crs_lbfgs_times(const crs_lbfgs *m, double *q);

#endif
