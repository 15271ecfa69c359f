/* SPDX-License-Identifier: MIT
 * cp_rpca: CP robust PCA as an ordinary problem
 *
 *     min |Z - [[X_1, ..., X_d]]|^2 + alpha R(E) + alpha_N |W o B|^2 + (nu/2) sum |X_n|^2
 *     s.t. Z + E + B = T,  blocks X_1, ..., X_d, E, Z and last B
 *
 * Jiang, Lin, Ma, Zhang 2019, section 5. The quadratic in B makes lambda = 2 alpha_N W o B. */
#include <stdio.h>

#include "rpca/rpca.h"

void crease_cp_rpca_free(crease_cp_rpca *m)
{
    if (!m) return;
    for (int i = 0; i < CRS_CP_BLOCKS; i++) crs_free(m->start[i]);
    crs_free(m->tensor);
    crs_free(m->root);
    crs_free(m->scaled);
    crs_free(m->group_start);
    crs_free(m->group_index);
    crs_free(m);
}

void crs_cp_fill_defaults(crease_cp_rpca_settings *s)
{
    ptrdiff_t longest = 1;
    for (int n = 0; n < s->shape.order; n++)
        if (s->shape.dim[n] > longest) longest = s->shape.dim[n];
    if (!s->penalty.ops) s->penalty = crease_l1(1);
    if (s->alpha == 0) s->alpha = 2 / sqrt((double)longest);
}

/* |Z - [[X]]|^2 + (nu/2) sum |X_n|^2, and alpha_N times the squares of B or of Z + E - T */
static void set_coupling(crease_cp_rpca *m)
{
    const crease_cp_rpca_settings *s = &m->s;
    const int d = s->shape.order, E = d, Z = d + 1, B = d + 2;
    const crease_map one = crease_identity(sqrt(2 * s->alpha_noise));
    for (int n = 0; n < d; n++) m->factor[n] = n;
    m->cp = (crease_cp_data){
        .shape = s->shape, .rank = s->rank, .factor = m->factor, .z = Z, .ridge = s->ridge
    };
    m->noise = (crease_distance_data){ .a = B, .b = -1, .weight = 2 * s->alpha_noise };
    m->weighed_map[0] = m->weighed_map[1] = m->root ? crease_diagonal(m->root) : one;
    m->weighed_block[0] = s->unconstrained ? E : B;
    m->weighed_block[1] = Z;
    m->weighed = (crease_predictor){ .count = s->unconstrained ? 2 : 1,
                                     .block = m->weighed_block,
                                     .map = m->weighed_map,
                                     .range = s->shape,
                                     .rhs = m->scaled };
    m->term[0] = crease_cp(&m->cp);
    m->term[1] = m->root || s->unconstrained ? crease_least_squares(&m->weighed)
                                             : crease_squared_distance(&m->noise);
    m->sum = (crease_smooth_list){ 2, m->term };
    m->problem.f = crease_smooth_sum(&m->sum);
}

static void set_blocks(crease_cp_rpca *m)
{
    static const char *const part[] = { "E", "Z", "B" };
    const crease_cp_rpca_settings *s = &m->s;
    const int d = s->shape.order, count = s->unconstrained ? d + 2 : d + 3;
    for (int n = 0; n < d; n++) {
        snprintf(m->name[n], sizeof m->name[n], "X%d", n + 1);
        m->space[n] = crease_matrix(s->shape.dim[n], s->rank);
        m->block[n] = (crease_block){ .name = m->name[n], .start = m->start[n] };
        if (s->nonneg) m->block[n].reg = crease_nonneg_indicator();
    }
    for (int i = d; i < count; i++) {
        m->space[i] = s->shape;
        m->block[i] = (crease_block){ .name = part[i - d], .start = m->start[i] };
        if (!s->unconstrained) m->block[i].map = crease_identity(1);
    }
    m->block[d].reg = crease_scaled(s->alpha, &m->penalty);
    m->problem.count = count;
    m->problem.space = m->space;
    m->problem.block = m->block;
    if (s->unconstrained) return;
    m->problem.range = s->shape;
    m->problem.rhs = m->tensor;
}

crease_cp_rpca *crease_cp_rpca_new(const crease_cp_rpca_settings *s, const double *tensor,
                                   crease_error *e)
{
    if (!crs_cp_settings_check(s, e)) return NULL;
    crease_cp_rpca *m = crs_alloc(1, sizeof *m);
    if (!m) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a model");
        return NULL;
    }
    m->s = *s;
    crs_cp_fill_defaults(&m->s);
    m->penalty = m->s.penalty;
    if (crs_cp_take_data(m, tensor, e) && crs_cp_take_groups(m, e) && crs_cp_take_start(m, e)) {
        set_blocks(m);
        set_coupling(m);
        m->s.mask = NULL;
        m->s.factor = NULL;
        if (crease_problem_check(&m->problem, e)) return m;
    }
    crease_cp_rpca_free(m);
    return NULL;
}

const crease_problem *crease_cp_rpca_problem(const crease_cp_rpca *m) { return &m->problem; }
crease_cp_rpca_settings crease_cp_rpca_used(const crease_cp_rpca *m) { return m->s; }
ptrdiff_t crease_cp_rpca_missing(const crease_cp_rpca *m) { return m->missing; }
