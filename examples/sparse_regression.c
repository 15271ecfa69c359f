/* SPDX-License-Identifier: MIT
 * sparse_regression: minimize 1/2 |A x - b|^2 + MCP(x) by proximal gradient steps, and show that
 * the answer is stationary: dist(-grad f(x), dr(x)) is zero to rounding */
#include <math.h>
#include <stdio.h>

#include <crease/crease.h>

enum { ROWS = 60, COLS = 12 };

int main(void)
{
    const double truth[COLS] = { 0, 3, 0, 0, -2, 0, 0, 0, 1.5, 0, 0, 0 };
    const crease_random entries = { 1, 0 }, noise = { 1, 1 };
    double A[ROWS * COLS], b[ROWS], x[COLS] = { 0 }, g[COLS], dist = INFINITY;
    for (int i = 0; i < ROWS; i++) {
        b[i] = 0.1 * crease_random_normal(noise, (uint64_t)i);
        for (int j = 0; j < COLS; j++) {
            A[i * COLS + j] = crease_random_normal(entries, (uint64_t)(i * COLS + j));
            b[i] += A[i * COLS + j] * truth[j];
        }
    }

    /* f(x) = 1/2 |A x - b|^2 in one block, r = MCP */
    const int block = 0;
    const crease_map map = crease_dense(A);
    const crease_predictor predictor = { 1, &block, &map, crease_vector(ROWS), b, NULL };
    const crease_smooth f = crease_least_squares(&predictor);
    const crease_space space = crease_vector(COLS);
    const crease_blocks blocks = { 1, &space, NULL };
    const crease_reg mcp = crease_mcp(5, 0.3);
    const double *const point[] = { x };
    crease_constants c;
    crease_error e;

    if (!crease_smooth_constants(&f, &blocks, 0, &c, NULL, &e)) goto failed;
    const double t = 1 / (1.1 * c.L); /* a step below 1/L decreases the objective */
    int k = 0;
    for (; k < 10000; k++) {
        if (!crease_smooth_grad(&f, &blocks, point, 0, g, &e)) goto failed;
        for (int j = 0; j < COLS; j++) g[j] = -g[j];
        if (!crease_reg_dist(&mcp, &space, x, g, &dist, &e)) goto failed;
        if (dist <= 1e-10) break;
        for (int j = 0; j < COLS; j++) x[j] += t * g[j];
        if (!crease_prox(&mcp, &space, t, x, x, &e)) goto failed;
    }
    printf("%8s %10s\n", "truth", "found");
    for (int j = 0; j < COLS; j++) printf("%8.3f %10.5f\n", truth[j], x[j]);
    printf("stationary after %d steps: dist(-grad f(x), dr(x)) = %.1e\n", k, dist);
    return dist <= 1e-10 ? 0 : 1;

failed:
    fprintf(stderr, "%s\n", e.text);
    return 1;
}
