/* SPDX-License-Identifier: MIT
 * robust_pca_mpi: robust PCA of a tensor of which every rank has made a part; from C
 *
 *     mpirun -np 2 example_robust_pca_mpi
 *
 * Parts need not be whole slabs. Rank 0 makes the calls of robust PCA, the others serve; the
 * factors are compared, bit by bit, with those of the whole tensor in the memory of rank 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crease/crease.h>
#include <crease/mpi.h>

static const crease_space shape = { .order = 3, .dim = { 130, 200, 200 } };

static double *make(ptrdiff_t first, ptrdiff_t count)
{
    const crease_random noise = { 1, 0 };
    double *x = malloc((size_t)(count > 0 ? count : 1) * sizeof *x);
    for (ptrdiff_t n = 0; x && n < count; n++) {
        const ptrdiff_t at = first + n;
        const double i = (double)(at / 40000), j = (double)(at / 200 % 200), k = (double)(at % 200);
        x[n] = (1 + 0.01 * i) * (2 - 0.005 * j) * (1 + 0.02 * k) + (at % 97 == 0 ? 25 : 0) +
               0.01 * crease_random_normal(noise, (uint64_t)at);
    }
    return x;
}

/* The first factor, to be freed. */
static double *factor_of(crease_source *t, crease_error *e)
{
    crease_rpca_settings settings = crease_rpca_default(&shape);
    crease_options options = crease_rpca_options();
    const size_t bytes = (size_t)shape.dim[0] * sizeof(double);
    settings.rank = 1;
    options.max_iterations = 5;
    crease_rpca *r = crease_rpca_new_on(&settings, &options, t, e);
    double *x = r ? malloc(bytes) : NULL;
    if (x) {
        crease_rpca_run(r);
        memcpy(x, crease_rpca_factor(r, 0), bytes);
        printf("objective %.17g\n", crease_rpca_certificate(r)->objective);
    }
    crease_rpca_free(r);
    return x;
}

/* On rank 0: the same factors as of the tensor in memory? */
static bool compare(crease_mpi *m, crease_source *t, crease_error *e)
{
    double *ours = factor_of(t, e), *whole = make(0, crease_size(&shape));
    crease_mpi_end(m);
    crease_source *memory = whole ? crease_source_memory(&shape, whole, false, e) : NULL;
    double *theirs = memory ? factor_of(memory, e) : NULL;
    const bool same =
        ours && theirs && memcmp(ours, theirs, (size_t)shape.dim[0] * sizeof *ours) == 0;
    crease_source_free(memory);
    free(ours);
    free(theirs);
    free(whole);
    return same;
}

int main(int argc, char **argv)
{
    crease_error e = { CREASE_OK, "" };
    int rank = 0, size = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const ptrdiff_t all = crease_size(&shape), first = all / size * rank;
    const ptrdiff_t count = rank < size - 1 ? all / size : all - first;
    double *local = make(first, count);
    crease_mpi *m = crease_mpi_open(MPI_COMM_WORLD, &e);
    crease_source *t = m ? crease_mpi_part(m, &shape, first, count, local, false, &e) : NULL;
    const bool right = t && (rank > 0 ? crease_mpi_serve(m, t, &e) : compare(m, t, &e));
    if (!right) fprintf(stderr, "rank %d: %s\n", rank, e.text);
    crease_source_free(t);
    crease_mpi_close(m);
    free(local);
    MPI_Finalize();
    return right ? 0 : 1;
}
