/* SPDX-License-Identifier: MIT
 * first_prox: the prox of SCAD at three points, from C */
#include <stdio.h>

#include <crease/crease.h>

int main(void)
{
    const crease_space space = crease_vector(3);
    const crease_reg scad = crease_scad(1, 3.7);
    const double v[3] = { 0.5, 2.5, 5 };
    double x[3];
    crease_error e;

    if (!crease_prox(&scad, &space, 1, v, x, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    for (int j = 0; j < 3; j++) printf("%.17g\n", x[j]);
    return 0;
}
