/* SPDX-License-Identifier: MIT
 * verify: what the independent check of CP robust PCA costs, against one evaluation of the envelope
 * with all gradients, which is what the solver's own certificate takes
 *
 * The check reads T, W, Z, E and B from memory; E has one nonzero in a hundred. In long double it
 * is what follows when double cannot decide. Minima over all turns. Arguments: a size "300x300x300
 * 10", default those of the table. */
#include <stdio.h>

#include "cp_instance.h"
#include "rpca/envelope/envelope.h"
#include "verify/rpca/cp.h"

enum { TURNS = 5 };

typedef struct {
    instance t;
    ptrdiff_t right;
    double *part[CREASE_RPCA_SEEN + 1];
} subject;

static bool read_part(void *self, crease_rpca_part part, ptrdiff_t row, double *out)
{
    const subject *a = self;
    memcpy(out, a->part[part] + row * a->right, (size_t)a->right * sizeof *out);
    return true;
}

/* Z = T - E - B with B a thousandth of T */
static void build_point(subject *a)
{
    const instance *t = &a->t;
    double *const *part = a->part;
    a->part[CREASE_RPCA_DATA] = t->T;
    for (int k = 0; k < ARRAYS; k++) a->part[k < 3 ? k + 1 : CREASE_RPCA_SEEN] = t->probe[k];
    for (ptrdiff_t j = 0; j < t->size; j++) {
        part[CREASE_RPCA_SEEN][j] = 1;
        part[CREASE_RPCA_SPARSE][j] = j % 100 == 0 ? 1 : 0;
        part[CREASE_RPCA_B][j] = 1e-3 * t->T[j];
        part[CREASE_RPCA_Z][j] = t->T[j] - part[CREASE_RPCA_SPARSE][j] - part[CREASE_RPCA_B][j];
    }
}

static double check_seconds(const crease_cp_claim *c, crs_cp_sweep *sweep)
{
    const double start = seconds();
    crs_finding block[CREASE_MAX_ORDER + 3], rows;
    crs_verifier v = { .p = NULL };
    crs_cp_check k = { .c = c };
    if (!crs_cp_prepare(&v, &k) || v.no_memory || !sweep(&v, &k, NULL)) exit(EXIT_FAILURE);
    crs_cp_find(&k, block, &rows);
    crs_rooms_free(&v);
    return seconds() - start;
}

static double pass_seconds(const instance *t, int threads)
{
    const crs_cp_settings c = settings_of(t, CRS_CP_ADMM_G, threads);
    const crs_envelope_settings s = {
        .shape = c.shape, .rank = c.rank, .alpha_noise = 1, .threads = threads
    };
    const crs_penalty_value penalty = c.penalty;
    crs_envelope_sums sums = { .every = 8 };
    crs_memory data;
    crs_memory_open(&data, &c.shape, t->T, NULL);
    crs_envelope *envelope = crs_envelope_new(&s, &data.source, NULL);
    if (!envelope) exit(EXIT_FAILURE);
    for (int n = 0; n < 3; n++) sums.gradient[n] = doubles(c.shape.dim[n] * c.rank);
    double best = INFINITY;
    for (int k = 0; k < TURNS; k++) {
        const double start = seconds();
        crs_envelope_evaluate(envelope, t->rank, (const double *const *)t->x, &penalty, &penalty,
                              &sums, NULL);
        best = least(best, seconds() - start);
    }
    for (int n = 0; n < 3; n++) free(sums.gradient[n]);
    crs_envelope_free(envelope);
    return best;
}

static void measure(const ptrdiff_t *dim, ptrdiff_t rank)
{
    subject a = { .right = dim[1] * dim[2] };
    build(&a.t, dim, rank);
    build_point(&a);
    for (int threads = 1; threads <= 2; threads++) {
        const crease_cp_claim c = { .shape = a.t.shape,
                                    .rank = rank,
                                    .penalty = crease_l1(1),
                                    .alpha = 0.1,
                                    .alpha_noise = 1,
                                    .factor = (const double *const *)a.t.x,
                                    .left = dim[0],
                                    .right = a.right,
                                    .read = read_part,
                                    .user = &a,
                                    .threads = threads };
        double check = INFINITY, extended = INFINITY;
        for (int k = 0; k < TURNS; k++) {
            check = least(check, check_seconds(&c, crs_cp_sweep_double));
            if (k < 2) extended = least(extended, check_seconds(&c, crs_cp_sweep_extended));
        }
        const double pass = pass_seconds(&a.t, threads);
        printf("%4td x%4td x%4td %3td  %d  %9.3f ms  %9.3f ms  %9.3f ms  %6.2f\n", dim[0], dim[1],
               dim[2], rank, threads, 1e3 * check, 1e3 * extended, 1e3 * pass, check / pass);
        fflush(stdout);
    }
    destroy(&a.t);
}

int main(int argc, char **argv)
{
    static const ptrdiff_t dims[][3] = { { 30, 50, 70 }, { 100, 100, 100 }, { 300, 300, 300 } };
    ptrdiff_t dim[3];
    describe_machine();
    printf("%16s %3s  %s  %12s  %12s  %12s  %6s\n", "size", "R", "t", "check", "long double",
           "evaluation", "ratio");
    if (argc == 3 && sscanf(argv[1], "%tdx%tdx%td", dim, dim + 1, dim + 2) == 3)
        measure(dim, atoi(argv[2]));
    else
        for (int k = 0; k < 3; k++) measure(dims[k], 10);
    return 0;
}
