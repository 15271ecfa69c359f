/* SPDX-License-Identifier: MIT
 * ball_l0: min lambda |x|_0 + |x-v|^2/(2t) over |x|_2 <= R, by greedy choice of the support
 *
 * On a given support the best x is v scaled into the ball; it lowers |x-v|^2 by G(s^2), s the norm
 * of v there, G(u) = u up to R^2 and R (2 sqrt(u) - R) after: increasing and concave. So the best
 * support of k entries holds the k largest, the gain of one more falls with k, and the first
 * gain <= 2 t lambda ends the search. */
#include "reg/reg.h"

/* G((s^2 + w^2)) - G(s^2), compared with a^2 without squares that cancel. */
static bool worth(double s, double w, double a, double radius)
{
    const double next = hypot(s, w);
    if (next <= radius) return w > a;
    if (s >= radius) return 2 * radius * (w / (s + next)) * w > a * a;
    return (radius - s) * (radius + s) + 2 * radius * (next - radius) > a * a;
}

static void sift_down(double *heap, ptrdiff_t n, ptrdiff_t i)
{
    const double moved = heap[i];
    for (ptrdiff_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && heap[child + 1] > heap[child];
        if (moved >= heap[child]) break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

void crs_l0_ball_prox(ptrdiff_t n, double a, double radius, const double *v, double *x,
                      double *heap)
{
    double s = 0, least = INFINITY; /* entries below `least` are dropped */
    ptrdiff_t ties = 0;             /* and so many equal to it stay, the first ones */
    for (ptrdiff_t j = 0; j < n; j++) heap[j] = fabs(v[j]);
    for (ptrdiff_t i = n / 2; i-- > 0;) sift_down(heap, n, i);
    for (ptrdiff_t left = n; left > 0 && heap[0] > 0 && worth(s, heap[0], a, radius); left--) {
        ties = heap[0] == least ? ties + 1 : 1;
        least = heap[0];
        s = hypot(s, least);
        heap[0] = heap[left - 1];
        sift_down(heap, left - 1, 0);
    }
    for (ptrdiff_t j = 0; j < n; j++) {
        const double w = fabs(v[j]);
        const bool tied = w == least && ties > 0;
        ties -= tied;
        x[j] = w > least || tied ? v[j] : 0;
    }
    crs_into_ball(n, radius, x, x);
}
