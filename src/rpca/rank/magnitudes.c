/* SPDX-License-Identifier: MIT
 * magnitudes: many numbers |r| kept as counts and sums by bins, 32 an octave: means of bounded
 * squares and Huber's sums are exact for a bound at an edge of a bin, quantiles are linear in one
 *
 * The bins cover 2^-48 .. 2^16 units; the first takes all below, the last all above and NaN. */
#include "rpca/rank/rank.h"

enum { OCTAVE = 32, LOWEST = -48 };

static int bin_of(double u)
{
    const double k = OCTAVE * (log2(u) - LOWEST);
    if (!(k < CRS_MAGNITUDE_BINS)) return CRS_MAGNITUDE_BINS - 1;
    return k > 0 ? (int)k : 0;
}

static double edge_of(int k) { return exp2((double)k / OCTAVE + LOWEST); }

void crs_magnitudes_add(crs_magnitudes *m, double x)
{
    const double u = fabs(x) / m->unit;
    const int k = bin_of(u);
    m->all += 1;
    m->count[k] += 1;
    m->sum[k] += u;
    m->squares[k] += u * u;
}

/* How many bins lie below t; all but the last at most. */
static int bins_below(const crs_magnitudes *m, double t)
{
    const double k = floor(OCTAVE * (log2(t / m->unit) - LOWEST) + 1e-9);
    if (!(k < CRS_MAGNITUDE_BINS - 1)) return CRS_MAGNITUDE_BINS - 1;
    return k > 1 ? (int)k : 1;
}

double crs_magnitudes_bounded(const crs_magnitudes *m, double t)
{
    const int below = bins_below(m, t);
    const double u = edge_of(below);
    double sum = 0;
    for (int k = 0; k < CRS_MAGNITUDE_BINS; k++)
        sum += k < below ? m->squares[k] : u * u * m->count[k];
    return m->all > 0 ? square(m->unit) * sum / m->all : 0;
}

double crs_magnitudes_huber(const crs_magnitudes *m, double t)
{
    const int below = bins_below(m, t);
    const double u = edge_of(below);
    double sum = 0;
    for (int k = 0; k < CRS_MAGNITUDE_BINS; k++)
        sum += k < below ? m->squares[k] / 2 : u * m->sum[k] - u * u / 2 * m->count[k];
    return square(m->unit) * sum;
}

/* The q-quantile of all numbers of a list */
static double quantile(int count, const crs_magnitudes *const *list, double q)
{
    double all = 0, below = 0;
    for (int i = 0; i < count; i++) all += list[i]->all;
    for (int k = 0; all > 0 && k < CRS_MAGNITUDE_BINS; k++) {
        double here = 0;
        for (int i = 0; i < count; i++) here += list[i]->count[k];
        if (here > 0 && below + here >= q * all) {
            const double low = k ? edge_of(k) : 0, high = edge_of(k + 1);
            return list[0]->unit * (low + (high - low) * larger(q * all - below, 0) / here);
        }
        below += here;
    }
    return 0;
}

double crs_magnitudes_median(int count, const crs_magnitudes *const *list)
{
    return quantile(count, list, 0.5);
}

static double share_below(const crs_magnitudes *m, double t)
{
    const int bins = bins_below(m, t);
    double below = 0;
    for (int k = 0; k < bins; k++) below += m->count[k];
    return m->all > 0 ? below / m->all : 0;
}

/* As crs_envelope_scale has it: 0.6645 is the median of a normal |r| that is within 2.5 */
double crs_magnitudes_scale(const crs_magnitudes *m, double parameters)
{
    double scale = quantile(1, &m, 0.5) / 0.6745, before = INFINITY;
    for (int k = 0; k < 30 && fabs(scale - before) > 1e-3 * scale; k++) {
        before = scale;
        scale = quantile(1, &m, share_below(m, 2.5 * scale) / 2) / 0.6645;
    }
    return m->all > 2 * parameters ? scale * sqrt(m->all / (m->all - parameters)) : scale;
}
