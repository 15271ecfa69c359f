/* SPDX-License-Identifier: MIT
 * streaming: robust PCA of a tensor that is never in memory as a whole: a function makes its slabs,
 * as a simulation or a reader of one's own would; the answer is read a few rows at a time */
#include <stdio.h>
#include <stdlib.h>

#include <crease/crease.h>

/* Entry (i, j, k) is a product, and every 97th of them an outlier. */
static bool make(void *user, const crease_slab *slab, double *out, crease_error *e)
{
    const crease_space *s = &slab->shape;
    ptrdiff_t at = slab->first;
    (void)user, (void)e;
    for (ptrdiff_t i = slab->from[0]; i < slab->from[0] + s->dim[0]; i++)
        for (ptrdiff_t j = 0; j < s->dim[1]; j++)
            for (ptrdiff_t k = 0; k < s->dim[2]; k++, at++)
                *out++ = (1 + 0.01 * (double)i) * (2 - 0.005 * (double)j) * (1 + 0.02 * (double)k) +
                         (at % 97 == 0 ? 25 : 0);
    return true;
}

/* Entries of the sparse part that are not 0, row by row; -1: a slab could not be had. */
static ptrdiff_t count_outliers(const crease_rpca *r)
{
    ptrdiff_t left, right, found = 0;
    crease_rpca_rows(r, &left, &right);
    double *row = malloc((size_t)right * sizeof *row);
    for (ptrdiff_t i = 0; row && i < left; i++) {
        crease_rpca_read(r, CREASE_RPCA_SPARSE, i, 1, row);
        for (ptrdiff_t j = 0; j < right; j++) found += row[j] != 0;
    }
    const bool sound = row && crease_rpca_failure(r)->code == CREASE_OK;
    free(row);
    return sound ? found : -1;
}

int main(void)
{
    const crease_space shape = { .order = 3, .dim = { 130, 200, 200 } };
    crease_rpca_settings settings = crease_rpca_default(&shape);
    crease_error e = { CREASE_OK, "" };
    settings.rank = 1;
    crease_source *t = crease_source_function(&shape, make, NULL, 0, false, &e);
    crease_rpca *r = t ? crease_rpca_new_on(&settings, NULL, t, &e) : NULL;
    const crease_outcome outcome = r ? crease_rpca_run(r) : CREASE_NOT_RUN;
    const ptrdiff_t found = r ? count_outliers(r) : -1;
    const ptrdiff_t made = (crease_size(&shape) + 96) / 97;
    if (r)
        printf("%td slabs: %s, %td outliers of %td\n", crease_slabs(&shape),
               crease_outcome_text(outcome), found, made);
    else
        fprintf(stderr, "%s\n", e.text);
    crease_rpca_free(r);
    crease_source_free(t);
    return outcome == CREASE_STATIONARY && found == made ? 0 : 1;
}
