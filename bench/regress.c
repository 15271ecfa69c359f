/* SPDX-License-Identifier: MIT
 * regress: a path of 100 lambdas with MCP and with l1, beside glmnet's lasso path on the same data
 *
 * X ~ N(0,1) with correlation `rho` between neighbouring columns, 20 coefficients +-1, noise
 * N(0,1). The runs take turns; minima over all turns. The certificates are timed by themselves.
 * glmnet's clock runs inside R, around its call alone. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <crease/crease.h>

#include "bench.h"
#include "core/core.h"

enum { TURNS = 5, LAMBDAS = 100, TRUE_ONES = 20 };

typedef struct {
    ptrdiff_t n, p;
    double *X, *y, ratio;
} data;

/* Of the processor: the machine may be shared. */
static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double normal(uint64_t stream, ptrdiff_t k)
{
    return crease_random_normal((crease_random){ 1, stream }, (uint64_t)k);
}

static data draw(ptrdiff_t n, ptrdiff_t p, double rho, double ratio)
{
    data d = { n, p, calloc((size_t)(n * p), 8), calloc((size_t)n, 8), ratio };
    if (!d.X || !d.y) exit(1);
    for (ptrdiff_t i = 0; i < n; i++) {
        double *row = d.X + i * p;
        for (ptrdiff_t j = 0; j < p; j++)
            row[j] =
                (j ? rho * row[j - 1] : 0) + (j ? sqrt(1 - rho * rho) : 1) * normal(1, i * p + j);
        d.y[i] = normal(2, i);
        for (int k = 0; k < TRUE_ONES; k++) d.y[i] += (k % 2 ? -1 : 1) * row[k * (p / TRUE_ONES)];
    }
    return d;
}

static void put(const char *folder, const char *name, const double *x, ptrdiff_t count)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(x, 8, (size_t)count, f) != (size_t)count) exit(1);
    fclose(f);
}

static void save(const data *d, const char *folder)
{
    char path[256];
    double *columns = calloc((size_t)(d->n * d->p), 8);
    if (!columns) exit(1);
    for (ptrdiff_t i = 0; i < d->n; i++)
        for (ptrdiff_t j = 0; j < d->p; j++) columns[j * d->n + i] = d->X[i * d->p + j];
    put(folder, "x.bin", columns, d->n * d->p);
    put(folder, "y.bin", d->y, d->n);
    free(columns);
    snprintf(path, sizeof path, "%s/size", folder);
    FILE *f = fopen(path, "w");
    if (!f) exit(1);
    fprintf(f, "%td %td\n", d->n, d->p);
    fclose(f);
}

typedef struct {
    double path, certify, worst;
    ptrdiff_t nonzero, certified;
    long sweeps;
} timing;

static timing ours(const data *d, crease_reg penalty, bool certify)
{
    crease_regression_settings s = crease_regression_default();
    crease_error e = { CREASE_OK, "" };
    timing t = { 0 };
    s.penalty = penalty, s.ratio = d->ratio;
    const double start = cpu_seconds();
    crease_regression *m = crease_regression_new(&s, d->n, d->p, d->X, d->y, &e);
    if (!m || !crease_regression_fit(m, &e)) printf("%s\n", e.text), exit(1);
    t.path = cpu_seconds() - start;
    t.nonzero = crease_regression_at(m, LAMBDAS - 1)->nonzero;
    for (ptrdiff_t k = 0; k < LAMBDAS; k++) t.sweeps += crease_regression_at(m, k)->sweeps;
    for (ptrdiff_t k = 0; certify && k < LAMBDAS; k++) {
        crease_regression_certificate c;
        if (!crease_regression_certify(m, k, false, &c, &e)) exit(1);
        t.certified += c.certified;
        t.worst = larger(t.worst, c.relative);
    }
    t.certify = cpu_seconds() - start - t.path;
    crease_regression_free(m);
    return t;
}

/* -1: there is no glmnet. */
static double glmnet(const data *d, const char *folder, int *lambdas, int *nonzero)
{
    char command[512];
    double time = -1;
    snprintf(command, sizeof command, "Rscript bench/regress.R %s %g 2>/dev/null", folder,
             d->ratio);
    FILE *f = popen(command, "r");
    if (!f || fscanf(f, "%lf %d %d", &time, lambdas, nonzero) != 3) time = -1;
    if (f) pclose(f);
    return time;
}

static void compare(ptrdiff_t n, ptrdiff_t p, double rho, double ratio)
{
    char folder[] = "/tmp/crease-regress-XXXXXX";
    data d = draw(n, p, rho, ratio);
    double theirs = INFINITY, mcp = INFINITY, lasso = INFINITY;
    int lambdas = 0, nonzero = 0;
    if (!mkdtemp(folder)) exit(1);
    save(&d, folder);
    for (int turn = 0; turn < TURNS; turn++) {
        mcp = smaller(mcp, ours(&d, crease_mcp(1, 3), false).path);
        const double time = theirs < 0 ? -1 : glmnet(&d, folder, &lambdas, &nonzero);
        theirs = time < 0 ? -1 : smaller(theirs, time);
        lasso = smaller(lasso, ours(&d, crease_l1(1), false).path);
    }
    const timing a = ours(&d, crease_mcp(1, 3), true), b = ours(&d, crease_l1(1), true);
    printf("n = %td, p = %td, correlation %g, %d lambdas down to %g lambda_max\n", n, p, rho,
           LAMBDAS, ratio);
    printf("  mcp:3     %8.3f s, %ld sweeps, %td nonzero at the end; certificates %.3f s, %td "
           "certified, worst %.1e\n",
           mcp, a.sweeps, a.nonzero, a.certify, a.certified, a.worst);
    printf("  l1        %8.3f s, %ld sweeps, %td nonzero at the end; certificates %.3f s, %td "
           "certified, worst %.1e\n",
           lasso, b.sweeps, b.nonzero, b.certify, b.certified, b.worst);
    if (theirs < 0)
        printf("  glmnet    skipped: Debian's r-base-core and r-cran-glmnet are not installed\n");
    else
        printf("  glmnet l1 %8.3f s, %d lambdas, %d nonzero at the end; mcp takes %.2f times as "
               "long, l1 %.2f times\n",
               theirs, lambdas, nonzero, mcp / theirs, lasso / theirs);
    char path[256];
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/%s", folder,
                 (const char *[]){ "x.bin", "y.bin", "size" }[k]);
        unlink(path);
    }
    rmdir(folder);
    free(d.X);
    free(d.y);
}

int main(void)
{
    describe_machine();
    compare(500, 5000, 0, 0.05);
    compare(500, 5000, 0, 0.01);
    compare(500, 5000, 0.5, 0.05);
    compare(2000, 200, 0.5, 0.001);
    return 0;
}
