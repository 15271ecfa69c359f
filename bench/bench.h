/* SPDX-License-Identifier: MIT
 * bench.h: a clock, and which machine and BLAS the numbers are of */
#ifndef CREASE_BENCH_H
#define CREASE_BENCH_H

double seconds(void);

/* Prints the CPU, the BLAS library and its kernels; asks OpenBLAS for one thread. */
void describe_machine(void);

#endif
