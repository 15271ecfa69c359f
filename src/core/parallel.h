/* SPDX-License-Identifier: MIT
 * parallel.h: tasks on several threads. The only place that knows about OpenMP. */
#ifndef CRS_PARALLEL_H
#define CRS_PARALLEL_H

#include <stddef.h>

/* run(self, task, worker) for every task in [0, tasks), 0 <= worker < threads; one worker does
 * one task at a time. Numbers too small to be normal count as 0 meanwhile, on processors where
 * they would cost a trap each. Without OpenMP: in order, on this thread. */
void crs_parallel(int threads, ptrdiff_t tasks, void (*run)(void *self, ptrdiff_t task, int worker),
                  void *self);

/* The same for tasks that call LAPACK: tiny numbers stay what they are, for without them it may
 * divide 0 by 0. */
void crs_parallel_runs(int threads, ptrdiff_t tasks,
                       void (*run)(void *self, ptrdiff_t task, int worker), void *self);

/* How many there are at most. */
int crs_threads(void);
/* From now on at most so many (> 0) for what this thread calls. */
void crs_threads_limit(int most);

/* As many threads as were asked for (0: all there are) and as so many entries keep busy. */
int crs_useful_threads(int asked, ptrdiff_t entries);

/* Asks for large pages where the system has them. */
void crs_large_pages(void *p, size_t bytes);

#endif
