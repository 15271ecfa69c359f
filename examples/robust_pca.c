/* SPDX-License-Identifier: MIT
 * robust_pca: a 15 x 12 x 10 tensor of two terms with noise and outliers, taken apart with the
 * defaults: the rank and what counts as an outlier are found in the data */
#include <stdio.h>
#include <stdlib.h>

#include <crease/crease.h>

static double *part_of(const crease_rpca *r, crease_rpca_part part)
{
    ptrdiff_t left, right;
    crease_rpca_rows(r, &left, &right);
    double *out = malloc((size_t)(left * right) * sizeof *out);
    if (out) crease_rpca_read(r, part, 0, left, out);
    return out;
}

int main(void)
{
    const crease_space shape = { .order = 3, .dim = { 15, 12, 10 } };
    crease_cp_recipe recipe = crease_cp_recipe_default(&shape, 2);
    recipe.outliers = 0.05, recipe.magnitude = 10, recipe.noise = 0.1;
    crease_error e;
    crease_cp_instance *truth = crease_cp_generate(&recipe, &e);
    const crease_rpca_settings settings = crease_rpca_default(&shape);
    crease_rpca *r = truth ? crease_rpca_new(&settings, NULL, truth->tensor, &e) : NULL;
    if (!r) {
        fprintf(stderr, "%s\n", e.text);
        crease_cp_instance_free(truth);
        return 1;
    }
    const crease_outcome outcome = crease_rpca_run(r);
    const crease_rpca_facts *about = crease_rpca_about(r);
    printf("%s\nrank %td: %s\n", crease_outcome_text(outcome), crease_rpca_used(r)->rank,
           about->rank_reason);
    printf("%td outliers beyond %.3g, noise of deviation %.3g\n", about->outliers, about->threshold,
           about->deviation);

    double *lowrank = part_of(r, CREASE_RPCA_LOWRANK);
    const double error =
        lowrank ? crease_relative_error(crease_size(&shape), lowrank, truth->lowrank) : 1;
    printf("error of the low-rank part %.3g\n", error);
    const int good = outcome == CREASE_STATIONARY && crease_rpca_used(r)->rank == 2 && error < 0.05;
    free(lowrank);
    crease_rpca_free(r);
    crease_cp_instance_free(truth);
    return good ? 0 : 1;
}
