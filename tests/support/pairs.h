/* SPDX-License-Identifier: MIT
 * pairs.h: the regularizers and sets whose combinations are tested, on R^2 or on 2 x 2 matrices */
#ifndef CREASE_TEST_PAIRS_H
#define CREASE_TEST_PAIRS_H

#include <float.h>

#include "support/test.h"

#include "reg/reg.h"

enum { MOST_REGS = 32, MOST_SETS = 32, WORK = 4000 };

typedef struct {
    crease_reg r;
    const char *name;
} named_reg;

typedef struct {
    crease_set c;
    const char *name;
} named_set;

static const ptrdiff_t two_singles[] = { 0, 1, 2 }, one_pair[] = { 0, 2 };
static const crease_groups apart = { 2, two_singles, NULL }, together = { 1, one_pair, NULL };
static const double weights[4] = { 0.3, 1.1, 0, 0.6 };
static const double lower[4] = { -0.5, 0.2, -1, -2 }, upper[4] = { 1.5, 0.9, 0, 0.5 };
static const crease_bounds bounds = { 0, 0, lower, upper };
static const double slanted[4] = { 0.6, -1.1, 0.4, 0.9 };
static const double corner[4] = { 0.2, 0.8, 1.1, 0.5 };

static double work[WORK];

static inline int vector_regs(named_reg *list)
{
    static crease_reg inner[2];
    inner[0] = crease_l1(0.5), inner[1] = crease_scad(0.5, 3);
    const named_reg all[] = {
        { crease_zero(), "zero" },
        { crease_l1(0.7), "l1" },
        { crease_elastic_net(0.4, 0.9), "elastic-net" },
        { crease_squared_l2(1.3), "squared-l2" },
        { crease_weighted_l1(weights), "weighted-l1" },
        { crease_weighted(crease_squared_l2(1), weights), "squared-l2" },
        { crease_l0(0.3), "l0" },
        { crease_scad(0.5, 3), "scad" },
        { crease_mcp(0.6, 1.5), "mcp" },
        { crease_capped_l1(0.6, 0.5), "capped-l1" },
        { crease_lq(0.4, 0.5), "lq" },
        { crease_lsp(0.5, 0.8), "lsp" },
        { crease_weighted(crease_mcp(0.4, 2), weights), "mcp" },
        { crease_huber(0.8, 0.3), "huber" },
        { crease_nonneg_indicator(), "nonneg" },
        { crease_nonneg(&crs_l1, (double[]){ 0.4 }), "nonneg-l1" },
        { crease_group_l1(0.6, &together), "group-l1" },
        { crease_group_l1(0.6, &apart), "group-l1" },
        { crease_group(&crs_scad, (double[]){ 0.5, 3 }, &together), "group-scad" },
        { crease_tv1d(0.4), "tv1d" },
        { crease_box_indicator(-0.2, 3), "box" },
        { crease_scaled(2.5, &inner[0]), "l1" },
        { crease_scaled(0.7, &inner[1]), "scad" },
    };
    memcpy(list, all, sizeof all);
    return (int)(sizeof all / sizeof *all);
}

static inline int vector_sets(named_set *list)
{
    const named_set all[] = {
        { crease_box(-0.4, 1.2), "box" },
        { crease_box_array(&bounds), "box" },
        { crease_orthant(), "nonneg" },
        { crease_l1_ball(0.9), "l1-ball" },
        { crease_l2_ball(0.8), "l2-ball" },
        { crease_linf_ball(0.7), "linf-ball" },
        { crease_lp_ball(0.9, 3), "lp-ball" },
        { crease_lp_ball(0.9, 1.4), "lp-ball" },
        { crease_simplex(1.3), "simplex" },
        { crease_full_simplex(1.1), "full-simplex" },
        { crease_capped_simplex(1), "capped-simplex" },
        { crease_k_sparse(0.8, 1), "k-sparse" },
        { crease_k_support(0.9, 1), "k-support" },
        { crease_permutahedron(corner), "permutahedron" },
        { crease_half_space(slanted, 0.3), "half-space" },
        { crease_hyperplane(slanted, -0.2), "hyperplane" },
        { crease_box_hyperplane(-0.7, 0.9, slanted, 0.1), "box-hyperplane" },
        { crease_soc(), "soc" },
        { crease_capped_soc(0.9), "capped-soc" },
        { crease_l0_ball(1), "l0-ball" },
    };
    memcpy(list, all, sizeof all);
    return (int)(sizeof all / sizeof *all);
}

static inline int matrix_regs(named_reg *list)
{
    static crease_reg inner;
    inner = crease_nuclear(0.6);
    const named_reg all[] = {
        { crease_spectral(&crs_zero, NULL), "spectral-zero" },
        { crease_nuclear(0.6), "nuclear" },
        { crease_scaled(1.7, &inner), "nuclear" },
        { crease_rank(0.4), "rank" },
        { crease_spectral(&crs_scad, (double[]){ 0.4, 3 }), "spectral-scad" },
        { crease_spectral(&crs_squared_l2, (double[]){ 0.9 }), "spectral-squared-l2" },
        { crease_spectral(&crs_elastic_net, (double[]){ 0.3, 0.9 }), "spectral-elastic-net" },
        { crease_l1(0.5), "l1" },
    };
    memcpy(list, all, sizeof all);
    return (int)(sizeof all / sizeof *all);
}

static inline int matrix_sets(named_set *list)
{
    const named_set all[] = {
        { crease_nuclear_ball(1.1), "nuclear-ball" },
        { crease_spectral_ball(0.8), "spectral-ball" },
        { crease_l2_ball(0.9), "l2-ball" },
        { crease_spectrahedron(1.2), "spectrahedron" },
        { crease_birkhoff(), "birkhoff" },
        { crease_box(-0.5, 0.6), "box" },
        { crease_psd(), "psd" },
        { crease_capped_psd(0.9), "capped-psd" },
        { crease_column_balls(0.7), "column-balls" },
        { crease_row_balls(0.6), "row-balls" },
        { crease_rank_ball(1), "rank-ball" },
    };
    memcpy(list, all, sizeof all);
    return (int)(sizeof all / sizeof *all);
}

/* A table of pairs: does `text`, "reg: set set ...", name the pair? */
static inline bool names_pair(const char *const *table, const char *reg, const char *set)
{
    for (; *table; table++) {
        const char *colon = strchr(*table, ':'), *at = colon;
        if ((size_t)(colon - *table) != strlen(reg) || strncmp(*table, reg, strlen(reg)) != 0)
            continue;
        while ((at = strstr(at + 1, set)))
            if (at[-1] == ' ' && (at[strlen(set)] == ' ' || at[strlen(set)] == 0)) return true;
    }
    return false;
}

/* What is asked of a pair: is it refused, and if not, is the answer right? */
typedef struct {
    bool (*check)(const crease_reg *r, const crease_set *c, const crease_space *s, crease_error *e);
    void (*assert_right)(draws *d, const crease_reg *r, const crease_set *c, const crease_space *s);
    const char *const *table; /* the pairs that must be there */
    int times;
} question;

static inline void ask_pair(draws *d, const question *q, const named_reg *r, const named_set *c,
                            const crease_space *s)
{
    crease_error e;
    if (q->check(&r->r, &c->c, s, &e)) {
        for (int k = 0; k < q->times; k++) q->assert_right(d, &r->r, &c->c, s);
        return;
    }
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    assert_non_null(strstr(e.text, r->name));
    assert_non_null(strstr(e.text, c->name));
    if (!r->r.weight && names_pair(q->table, r->name, c->name))
        fail_msg("%s on %s: %s", r->name, c->name, e.text);
}

static inline void ask_all(uint64_t seed, const question *q, bool matrices)
{
    named_reg regs[MOST_REGS];
    named_set sets[MOST_SETS];
    draws d = { { seed, matrices }, 0 };
    const crease_space s = matrices ? crease_matrix(2, 2) : crease_vector(2);
    const int reg_count = matrices ? matrix_regs(regs) : vector_regs(regs);
    const int set_count = matrices ? matrix_sets(sets) : vector_sets(sets);
    for (int i = 0; i < reg_count * set_count; i++)
        ask_pair(&d, q, &regs[i % reg_count], &sets[i / reg_count], &s);
}

#endif
