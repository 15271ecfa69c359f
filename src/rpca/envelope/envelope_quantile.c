/* SPDX-License-Identifier: MIT
 * envelope_quantile: quantiles of |r| from its histogram, off by at most a bin: 1/8 octave, 9 % */
#include "rpca/envelope/envelope.h"

/* Where bin b begins: eight equal steps an octave. */
static double edge(int b)
{
    if (b == 0) return 0;
    return ldexp(CRS_ENVELOPE_LEAST * (1 + b % 8 / 8.0), b / 8);
}

double crs_envelope_quantile(const crs_envelope_sums *a, double q)
{
    double total = 0, below = 0;
    for (int b = 0; b < CRS_ENVELOPE_BINS; b++) total += (double)a->histogram[b];
    if (!(total > 0 && q >= 0 && q <= 1)) return NAN;
    for (int b = 0; b < CRS_ENVELOPE_BINS - 1; b++) {
        const double here = (double)a->histogram[b];
        if (here > 0 && below + here >= q * total)
            return edge(b) + (edge(b + 1) - edge(b)) * pos(q * total - below) / here;
        below += here;
    }
    return INFINITY;
}
