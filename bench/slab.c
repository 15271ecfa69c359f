/* SPDX-License-Identifier: MIT
 * slab: what exact totals cost: nanoseconds for a number that is added, joined and read, beside a
 * plain addition. The constants of bench/scale/simulate. */
#include <stdio.h>

#include <crease/random.h>

#include "bench.h"
#include "slab/slab.h"

enum { NUMBERS = 1 << 14, ROUNDS = 200 };

static void tell(const char *what, double begun)
{
    printf("%-10s %6.2f ns\n", what, 1e9 * (seconds() - begun) / NUMBERS / ROUNDS);
}

int main(void)
{
    describe_machine();
    static double x[NUMBERS], y[NUMBERS];
    crs_total a = { .arrays = 0 };
    crs_total_plan(&a, CRS_SUM, NUMBERS);
    crs_total b = a;
    if (!crs_total_open(&a, NULL) || !crs_total_open(&b, NULL)) return 1;
    for (int j = 0; j < NUMBERS; j++)
        x[j] = crease_random_normal((crease_random){ 1, 0 }, (uint64_t)j);
    double begun = seconds();
    for (int k = 0; k < ROUNDS; k++) crs_total_add(&a, 0, 0, NUMBERS, x);
    tell("add", begun);
    crs_total_add(&b, 0, 0, NUMBERS, x);
    begun = seconds();
    for (int k = 0; k < ROUNDS; k++) crs_total_join(&a, &b);
    tell("join", begun);
    begun = seconds();
    for (int k = 0; k < ROUNDS; k++) crs_total_read(&a, 0, 0, NUMBERS, y);
    tell("read", begun);
    begun = seconds();
    for (int k = 0; k < ROUNDS; k++) axpy(NUMBERS, 1, x, y);
    tell("plain", begun);
    printf("(%g)\n", y[0]);
    crs_total_close(&a);
    crs_total_close(&b);
    return 0;
}
