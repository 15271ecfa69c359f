/* SPDX-License-Identifier: MIT
 * cp_threshold: where the sparse part begins under l1, in deviations of the noise
 *
 * With a share p of outliers and the threshold k the variance of a fit is at worst
 *     V(k) = ((1-p) E min(z^2, k^2) + p k^2) / ((1-p) P(|z| <= k))^2,   z ~ N(0,1),
 * least at a k that falls with p: Huber, Robust estimation of a location parameter, 1964. A larger
 * k makes the sparse part sparser; the largest is taken whose error sqrt(V) is nearly least. */
#include "rpca/cp_pilot.h"

enum { STEPS = 64 };
static const double nearly = 1.03;

static double variance(double k, double p)
{
    const double inside = erf(k * sqrt(0.5)), density = exp(-k * k / 2) * 0.3989422804014327;
    const double clipped = inside - 2 * k * density + k * k * (1 - inside);
    return ((1 - p) * clipped + p * k * k) / square((1 - p) * inside);
}

double crs_cp_threshold(double share, double most)
{
    double least = INFINITY;
    int at = STEPS;
    if (!(share < 1)) return most;
    for (int q = 1; q <= STEPS; q++) least = smaller(least, variance(most * q / STEPS, share));
    while (at > 1 && variance(most * at / STEPS, share) > square(nearly) * least) at--;
    return most * at / STEPS;
}
