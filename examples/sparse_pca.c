/* SPDX-License-Identifier: MIT
 * sparse_pca: two sparse rank-one terms of a noisy 12 x 10 x 8 tensor, found one after the other */
#include <stdio.h>

#include <crease/crease.h>

enum { I = 12, J = 10, K = 8 };

/* The truth: entries 1, 2, 3 of every mode, and entries 5, 6, 7. */
static double term(int i, int j, int k, int first)
{
    const bool here =
        i >= first && i < first + 3 && j >= first && j < first + 3 && k >= first && k < first + 3;
    return here ? 1 : 0;
}

int main(void)
{
    static double T[I][J][K];
    const crease_random noise = { 1, 0 };
    for (int i = 0, n = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            for (int k = 0; k < K; k++, n++)
                T[i][j][k] = term(i, j, k, 0) + 0.6 * term(i, j, k, 4) +
                             0.06 * crease_random_normal(noise, (uint64_t)n);

    const crease_space shape = { .order = 3, .dim = { I, J, K } };
    crease_spca_settings settings = crease_spca_default(&shape);
    settings.penalty = crease_mcp(1, 3); /* alpha is chosen from the data */
    crease_error e;
    crease_spca *model = crease_spca_new(&settings, T[0][0], &e);
    if (!model) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    int right = 0;
    for (int c = 0; c < 2; c++) {
        crease_spca_component found;
        if (!crease_spca_next(model, NULL, &found, &e)) {
            fprintf(stderr, "%s\n", e.text);
            break;
        }
        printf("component %d: %s, sigma %.4f, %d of %d starts agree\n", c + 1,
               crease_verdict_text(found.verdict), found.sigma, found.agree, found.starts);
        int good = found.verdict == CREASE_VERDICT_VALID;
        for (int n = 0; n < 3; n++)
            for (ptrdiff_t j = 0; j < shape.dim[n]; j++)
                good = good && (found.x[n][j] != 0) == (j >= 4 * c && j < 4 * c + 3);
        right += good;
    }
    crease_spca_free(model);
    return right == 2 ? 0 : 1;
}
