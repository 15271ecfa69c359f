/* SPDX-License-Identifier: MIT
 * `crease rpca` on an array of this program: no file is read, none is written. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <crease/job.h>

enum { ROWS = 30, COLS = 20 };

int main(void)
{
    const crease_space shape = crease_matrix(ROWS, COLS);
    const char *const command[] = { "rpca", "memory:data.npy", "--model",   "matrix", "--rank",
                                    "1",    "--out",           "memory:out" };
    double x[ROWS * COLS];
    crease_error e;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) x[i * COLS + j] = (1 + i) * cos(j);
    x[7] += 50; /* an outlier */

    crease_job *job = crease_job_new(&e);
    bool done = job && crease_job_array(job, "data.npy", &shape, x, &e) &&
                crease_job_run(job, 8, command, &e);
    if (!done) fprintf(stderr, "%s\n", e.text);
    for (int k = 0; done && k < crease_job_count(job); k++) {
        const crease_job_file f = crease_job_at(job, k);
        if (strcmp(f.name, "out/sparse.npy") == 0) printf("outlier %.1f\n", f.data[7]);
    }
    done = done && crease_job_status(job) == 0; /* certified, and confirmed by the checker */
    crease_job_free(job);
    return done ? 0 : 1;
}
