/* SPDX-License-Identifier: MIT
 * cp_pilot.h: what the data say before the run proper: start, threshold and rank
 *
 * The envelope's solver is led along its path from one start of a family (cp_gevd.h), and from
 * further ones while the residual still holds a term (crease_cp_structure), or as many as asked.
 * The answer of least deviation is kept. */
#ifndef CRS_CP_PILOT_H
#define CRS_CP_PILOT_H

#include <crease/cp_fit.h>

#include "rpca/envelope/envelope.h"

typedef struct {
    crs_envelope_solver_settings c;
    const double *tensor;       /* 0 where it was not observed */
    const double *const *given; /* a start of the caller's; NULL: of the family */
    const char *given_name;
    int first;                /* of the family (cp_gevd.h) */
    bool named;               /* the caller chose it */
    double clip;              /* of the clipped one; 0: the family's own */
    int starts;               /* 0: one, and up to three more while the fit is bad */
    long passes;              /* at most, a start */
    double until;             /* a time of crs_now(); 0: no limit */
    bool (*stop)(void *user); /* NULL: none */
    void *user;
    double *factor[CREASE_MAX_ORDER]; /* I_n x c.rank; out: I_n x rank */
    ptrdiff_t rank;                   /* out */
    double value;                     /* out: of the envelope at that penalty */
    crs_penalty_value penalty;        /* out: the penalty, with the threshold as learned */
    crease_cp_pilot report;           /* out */
} crs_cp_pilot;

static inline bool crs_cp_pilot_late(const crs_cp_pilot *p)
{
    return (p->until > 0 && !(crs_now() < p->until)) || (p->stop && p->stop(p->user));
}

bool crs_cp_pilot_run(crs_cp_pilot *p, crease_error *e);

/* given, first and what goes with them, from the settings; `shell` holds the factors until it is
 * freed, also after a failure (cp_named_start.c). */
bool crs_cp_named_start(crease_cp_fit *f, double *tensor, crs_cp_pilot *p, crease_cp_rpca **shell,
                        crease_error *e);
double crs_cp_named_start_bytes(const crease_cp_fit_settings *s, bool missing);

/* l1's threshold for a share of outliers, in deviations of the noise (cp_threshold.c). */
double crs_cp_threshold(double share, double most);

#endif
