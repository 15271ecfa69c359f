/* SPDX-License-Identifier: MIT
 * tucker_blocks: the three forms as ordinary problems
 *
 *   tucker  X1 .. Xd, C, E, Z and last B: the quadratic in B makes lambda = 2 alpha_N W o B
 *   ball    X, Y, E, B and last Z (Jiang, Lin, Ma, Zhang 2019, section 5)
 *   convex  L, S: no last block that is smooth, so the extension adds a slack */
#include <stdio.h>

#include "rpca/tucker/tucker_rpca.h"

static void set_space(crease_tucker_rpca *m, int i, const char *name, crease_space space)
{
    m->space[i] = space;
    m->block[i] = (crease_block){ .name = name, .start = m->x[i] };
}

static int tucker_spaces(crease_tucker_rpca *m)
{
    const crease_tucker_rpca_settings *s = &m->facts.used;
    const int d = s->shape.order;
    for (int n = 0; n < d; n++) {
        snprintf(m->name[n], sizeof m->name[n], "X%d", n + 1);
        set_space(m, n, m->name[n], crease_matrix(s->shape.dim[n], s->ranks.dim[n]));
    }
    set_space(m, d, "C", s->ranks);
    set_space(m, d + 1, "E", s->shape);
    set_space(m, d + 2, "Z", s->shape);
    set_space(m, d + 3, "B", s->shape);
    return d + 4;
}

static int ball_spaces(crease_tucker_rpca *m)
{
    const crease_tucker_rpca_settings *s = &m->facts.used;
    set_space(m, 0, "X", crease_matrix(s->shape.dim[0], s->ranks.dim[0]));
    set_space(m, 1, "Y", crease_matrix(s->shape.dim[1], s->ranks.dim[0]));
    set_space(m, 2, "E", s->shape);
    set_space(m, 3, "B", s->shape);
    set_space(m, 4, "Z", s->shape);
    return 5;
}

static int convex_spaces(crease_tucker_rpca *m)
{
    set_space(m, 0, "L", m->facts.used.shape);
    set_space(m, 1, "S", m->facts.used.shape);
    return 2;
}

void crs_tucker_spaces(crease_tucker_rpca *m)
{
    const crease_rpca_kind form = m->facts.used.form;
    m->problem.space = m->space;
    m->problem.block = m->block;
    m->problem.range = m->facts.used.shape;
    m->problem.rhs = m->tensor;
    m->problem.count = form == CREASE_RPCA_TUCKER ? tucker_spaces(m)
                       : form == CREASE_RPCA_BALL ? ball_spaces(m)
                                                  : convex_spaces(m);
}

static void in_constraint(crease_tucker_rpca *m, int from)
{
    for (int i = from; i < m->problem.count; i++) m->block[i].map = crease_identity(1);
}

static void assemble_tucker(crease_tucker_rpca *m)
{
    const crease_tucker_rpca_settings *s = &m->facts.used;
    const int d = s->shape.order, B = d + 3;
    for (int n = 0; n < d; n++) m->factor[n] = n;
    m->tucker = (crease_tucker_data){
        .shape = s->shape, .core_shape = s->ranks, .factor = m->factor, .core = d, .z = d + 2
    };
    m->noise = (crease_distance_data){ .a = B, .b = -1, .weight = 2 * s->alpha_noise };
    m->weighed_block = B;
    if (m->root) m->weighed_map = crease_diagonal(m->root);
    m->weighed = (crease_predictor){
        .count = 1, .block = &m->weighed_block, .map = &m->weighed_map, .range = s->shape
    };
    m->term[0] = crease_tucker(&m->tucker);
    m->term[1] = m->root ? crease_least_squares(&m->weighed) : crease_squared_distance(&m->noise);
    m->sum = (crease_smooth_list){ 2, m->term };
    m->problem.f = crease_smooth_sum(&m->sum);
    m->block[d + 1].reg = crease_scaled(s->alpha, &m->penalty);
    in_constraint(m, d + 1);
}

static void assemble_ball(crease_tucker_rpca *m)
{
    const crease_tucker_rpca_settings *s = &m->facts.used;
    for (int i = 0; i < 2; i++) {
        const double norm = crs_norm(crease_size(&m->space[i]), m->x[i]);
        m->inside[i] = crease_l2_ball(norm > 0 ? 2 * norm : 1);
        m->block[i].set = &m->inside[i];
    }
    m->inside[2] = crease_l2_ball(s->eta);
    m->block[3].set = &m->inside[2];
    m->block[2].reg = crease_scaled(s->alpha, &m->penalty);
    m->product = (crease_factorization_data){ .x = 0, .y = 1, .z = 4 };
    m->problem.f = crease_matrix_factorization(&m->product);
    in_constraint(m, 2);
}

static void assemble_convex(crease_tucker_rpca *m)
{
    m->block[0].reg = crease_nuclear(1);
    m->block[1].reg = crease_l1(m->facts.used.alpha);
    in_constraint(m, 0);
}

void crs_tucker_assemble(crease_tucker_rpca *m)
{
    const crease_rpca_kind form = m->facts.used.form;
    if (form == CREASE_RPCA_TUCKER)
        assemble_tucker(m);
    else if (form == CREASE_RPCA_BALL)
        assemble_ball(m);
    else
        assemble_convex(m);
}
