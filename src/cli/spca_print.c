/* SPDX-License-Identifier: MIT
 * spca_print: the components for people, a line each */
#include "cli/spca.h"

ptrdiff_t crs_spca_support(const crs_spca_job *j, int n, int k)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < j->s.shape.dim[n]; i++)
        count += j->factor[n][i * j->components + k] != 0;
    return count;
}

static void print_component(const crs_spca_job *j, int k)
{
    const crease_spca_component *c = &j->component[k];
    const double part = j->norm > 0 ? 1 - square(c->norm / j->norm) : 0;
    printf("component %d %s: ", k + 1, crease_verdict_text(c->verdict));
    if (c->zero) {
        printf("%d starts ended at 0 with alpha %.6g%s\n", c->starts, c->alpha,
               j->norm > 0 ? "; lower --alpha to find more" : ": the data are zero");
        return;
    }
    printf("sigma %.6g, nonzeros", c->sigma);
    for (int n = 0; n < j->s.shape.order; n++)
        printf("%s%td of %td", n ? ", " : " ", crs_spca_support(j, n, k), j->s.shape.dim[n]);
    printf(", alpha %.6g, explained %.4g, %d of %d starts agree\n", c->alpha, part, c->agree,
           c->starts);
}

void crs_spca_print(const crs_spca_job *j)
{
    const crease_spca_component *c = &j->component[0];
    long iterations = 0;
    double seconds = 0;
    for (int k = 0; k < j->run; k++) {
        print_component(j, k);
        iterations += j->component[k].iterations;
        seconds += j->component[k].seconds;
    }
    if (j->stopped)
        printf("stopped     after %d of %td components, which is what the folder holds\n", j->run,
               j->components);
    printf("method      %s, %s mode\n", crease_method_name(c->method), crease_mode_name(j->o.mode));
    printf("guarantee   %s\n", c->theorem ? c->theorem : "none");
    printf("iterations  %ld in %.3g s\n", iterations, seconds);
    printf("result      %s\n", crs_given(j->a, CRS_OPT_OUT));
}
