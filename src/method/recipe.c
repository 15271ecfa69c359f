/* SPDX-License-Identifier: MIT
 * recipe: what the recipes of methods share: the lines of an analysis, the proximal weights of the
 * blocks, and the constant that turns moves into residuals */
#include <stdarg.h>
#include <stdio.h>

#include "method/method.h"

void crs_note(crease_analysis *a, const char *name, int block, crease_status status, double number,
              const char *reason, ...)
{
    va_list args;
    crease_assumption *at = &a->assumption[a->assumptions];
    if (a->assumptions == CRS_ASSUMPTIONS_A_BLOCK * a->count + CRS_ASSUMPTIONS_ALL) return;
    a->assumptions++;
    *at = (crease_assumption){ .name = name, .block = block, .status = status, .number = number };
    va_start(args, reason);
    vsnprintf(at->reason, sizeof at->reason, reason, args);
    va_end(args);
    a->guarantee = a->guarantee && status != CREASE_VIOLATED && status != CREASE_UNKNOWN;
}

/* h of every block: the user's, or the recipe's; each must exceed `least`. */
void crs_set_h(const crease_options *o, crease_analysis *a, double h, double least)
{
    const double given = o->h > 0 ? o->h : h;
    for (int i = 0; i < a->count; i++)
        if (i != a->last) a->block[i].h = given;
    crs_note(a, "H_i large enough", -1, when(given > least), given,
             "h = %g must exceed %g so that every block step decreases the potential", given,
             least);
}

/* sigma_min(H_i) - L_i of prox steps, sigma_min(H_i) of exact ones: the least h that acts. */
double crs_least_h(const crease_analysis *a)
{
    double least = INFINITY;
    for (int i = 0; i < a->count; i++) {
        const crease_block_plan *plan = &a->block[i];
        const double slope = plan->lipschitz < INFINITY ? plan->h_relative * plan->lipschitz : 0;
        if (i != a->last) least = smaller(least, plan->h + slope);
    }
    return least;
}

/* A beta for problems whose theorem takes any: b |A_i|^2 about the size of L_i. */
double crs_free_beta(const crease_analysis *a)
{
    double beta = 0;
    for (int i = 0; i < a->count; i++) {
        const crease_block_plan *plan = &a->block[i];
        const double ratio = plan->lipschitz / square(plan->map_norm);
        if (i != a->last && plan->map_norm > 0 && ratio < INFINITY) beta = larger(beta, ratio);
    }
    return beta > 0 ? beta : 1;
}

/* max_i kappa_{4,i} (times diam^2 in setting 1), in the variable sqrt(last_weight) x_N:
 * (L + b |A_i| (sum_{j>i} |A_j|^2)^{1/2} + |H_i|)^2. The last block comes after all others. */
double crs_kappa_blocks(const crease_analysis *a)
{
    const double beta = a->last >= 0 ? a->beta : 0;
    const double L = a->L * larger(1, 1 / sqrt(a->last_weight));
    double worst = 0;
    for (int i = 0; i < a->count; i++) {
        const crease_block_plan *plan = &a->block[i];
        if (i == a->last) continue;
        double later = a->last >= 0 ? square(a->block[a->last].map_norm) / a->last_weight : 0;
        for (int j = i + 1; j < a->count; j++)
            if (j != a->last) later += square(a->block[j].map_norm);
        const double tau = beta * square(plan->map_norm) + (1 + plan->h_relative) * plan->lipschitz;
        const double H = plan->exact ? plan->h : larger(tau + plan->h, plan->tau_least);
        const double sum = L + beta * plan->map_norm * sqrt(later) + H;
        const double diameter = plan->setting == 1 ? square(plan->diameter) : 1;
        worst = larger(worst, sum * sum * diameter);
    }
    return worst;
}
