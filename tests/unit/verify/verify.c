/* SPDX-License-Identifier: MIT
 * verify: exactly stationary points are VALID, every corruption of one is caught, given
 * subgradients count where they are better, and what the checker does not know is refused */
#include "support/penalties.h"
#include "support/verify_test.h"

#include "reg/reg.h"
#include "set/set.h"
#include "smooth/smooth.h"

enum { N = 6 };

static const crease_space space = { 1, { N }, NULL };

/* min |x|_1 + (1/2)|y - d|^2 with x - y = 0 in eighths: y = d - lambda', all exact. */
typedef struct {
    double x[2], y[2], lambda[2], d[2];
    crease_distance_data distance;
    crease_space space[2];
    crease_block block[2];
    crease_problem p;
    const double *at[2];
} split;

static void make_split(split *s)
{
    *s = (split){ { 2, 0 }, { 2, 0 }, { 1, 0.25 }, { 3, 0.25 }, .at = { s->x, s->y } };
    s->distance = (crease_distance_data){ 1, -1, 1, s->d };
    s->space[0] = s->space[1] = crease_vector(2);
    s->block[0] = (crease_block){ .reg = crease_l1(1), .map = crease_identity(1) };
    s->block[1] = (crease_block){ .map = crease_identity(-1), .name = "copy" };
    s->p = (crease_problem){
        2, s->space, s->block, crease_squared_distance(&s->distance), crease_vector(2), NULL
    };
}

static void assert_caught(split *s, double *entry, double value, int block)
{
    const double kept = *entry;
    *entry = value;
    crease_verification v = verified(&s->p, s->at, s->lambda, 1e-8, false);
    assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
    assert_int_equal(v.worst_block, block);
    assert_true(v.smallest_eps > 1e-8);
    crease_verification_free(&v);
    *entry = kept;
    assert_int_equal(verdict_on(&s->p, s->at, s->lambda, 1e-15), CREASE_VERDICT_VALID);
}

static void corruptions_are_caught(void **state)
{
    split s;
    (void)state;
    make_split(&s);
    assert_int_equal(verdict_on(&s.p, s.at, s.lambda, 1e-15), CREASE_VERDICT_VALID);
    assert_caught(&s, &s.x[0], 2 + 1e-7, -1);
    assert_caught(&s, &s.y[1], 1e-7, -1);
    assert_caught(&s, &s.x[1], 1e-300, 0);  /* the slope there is 1, not 1/4 */
    assert_caught(&s, &s.x[1], -1e-300, 0); /* and here -1 */
    assert_caught(&s, &s.lambda[0], 1 + 1e-6, 0);
    assert_caught(&s, &s.lambda[1], 0.25 - 1e-6, 1);
    assert_caught(&s, &s.d[0], 3 - 1e-6, 1);
}

static void assert_not_finite(split *s, double *entry, double value, const char *text)
{
    const double kept = *entry;
    *entry = value;
    crease_verification v = verified(&s->p, s->at, s->lambda, INFINITY, false);
    assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
    assert_true(isinf(v.smallest_eps));
    if (!strstr(v.text, text)) fail_msg("'%s' is not in '%s'", text, v.text);
    crease_verification_free(&v);
    *entry = kept;
}

static void not_finite_is_invalid(void **state)
{
    split s;
    (void)state;
    make_split(&s);
    assert_not_finite(&s, &s.x[1], NAN, "block x1: entry 2 of x is nan");
    assert_not_finite(&s, &s.y[0], -INFINITY, "block copy: entry 1 of x is -inf");
    assert_not_finite(&s, &s.lambda[1], NAN, "the constraint: entry 2 of lambda is nan");
    s.x[0] = s.y[0] = 1e308, s.distance.weight = 1e10; /* c = 1e318 is no double */
    crease_verification v = verified(&s.p, s.at, s.lambda, 1e300, false);
    assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
    assert_true(isinf(v.smallest_eps) && strstr(v.text, "residual is inf"));
    crease_verification_free(&v);
}

static double nothing(void *user, const double *const *x) { return (void)user, (void)x, 0.0; }
static void not_a_number(void *user, const double *const *x, int i, double *g)
{
    (void)user, (void)x, (void)i;
    g[0] = NAN;
}

static void callbacks_may_not_give_nan(void **state)
{
    const crease_callback_smooth call = { .value = nothing,
                                          .grad = not_a_number,
                                          .constants = { .L = 1 } };
    const double x[N] = { 0 };
    single s;
    (void)state;
    make_single(&s, &space, 1, NULL, NULL, NULL, x);
    s.p.f = crease_smooth_callback(&call);
    crease_verification v = verified(&s.p, s.at, NULL, INFINITY, false);
    assert_true(v.verdict == CREASE_VERDICT_INVALID && v.trusted_callback);
    assert_true(strstr(v.text, "residual is") && v.worst_block == 0);
    crease_verification_free(&v);
}

/* A point of each set, moved out of it a little. */
static void outside_is_invalid(void **state)
{
    static const double a[N] = { 1, -1, 0.5, 2, 0, 0.25 };
    const crease_set sets[] = {
        crease_box(-0.5, 1),    crease_orthant(),        crease_l1_ball(1),
        crease_l2_ball(1),      crease_linf_ball(1),     crease_lp_ball(1, 3),
        crease_simplex(1),      crease_full_simplex(1),  crease_capped_simplex(2),
        crease_k_sparse(1, 2),  crease_k_support(1, 2),  crease_permutahedron(a),
        crease_nuclear_ball(1), crease_spectral_ball(1),
    };
    draws d = { .r = { .seed = 63 } };
    const crease_space matrix = crease_matrix(2, 3);
    (void)state;
    for (int k = 0; k < 14 * 40; k++) {
        const crease_set *set = &sets[k % 14];
        double c[N], x[N];
        single s;
        for (int j = 0; j < N; j++) c[j] = k % 14 == 1 ? 1 + uniform(&d, 0, 1) : normal(&d);
        assert_true(crease_lmo(set, &matrix, c, x, NULL));
        make_single(&s, &matrix, 1, c, NULL, set, x);
        assert_true(verdict_on(&s.p, s.at, NULL, 1e3) == CREASE_VERDICT_VALID);
        const double out = crs_norm(N, c);
        for (int j = 0; j < N; j++) x[j] -= 1e-9 * c[j] / out; /* beyond an extreme point */
        crease_verification v = verified(&s.p, s.at, NULL, 1e3, false);
        assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
        assert_true(v.outside > 1e-11 && v.outside < 1e-8 && isinf(v.smallest_eps));
        assert_true(strstr(v.text, "outside") != NULL);
        crease_verification_free(&v);
    }
}

static crease_reg made(int kind, const crease_penalty *p, const double *par, const crease_groups *g)
{
    return kind == 0   ? crease_separable(p, par)
           : kind == 1 ? crease_nonneg(p, par)
           : kind == 2 ? crease_group(p, par, g)
                       : crease_spectral(p, par);
}

/* Ties aside, a global minimizer is stationary; the residual is a few roundings of (v-x)/t. */
static void proximal_points_are_valid(void **state)
{
    static const ptrdiff_t starts[] = { 0, 1, 4, 6 };
    const crease_groups groups = { 3, starts, NULL };
    const crease_space matrix = crease_matrix(2, 3);
    draws d = { .r = { .seed = 61 } };
    (void)state;
    for (int k = 0; k < PENALTIES * 4 * 50; k++) {
        const crease_penalty *p = penalties[k % PENALTIES];
        double par[CREASE_PARS], v[N], x[N];
        const double t = decades(&d, 0.7);
        single s;
        draw_par(&d, p, 0.5, par);
        const crease_reg r = made(k / PENALTIES % 4, p, par, &groups);
        for (int j = 0; j < N; j++) v[j] = 2 * normal(&d);
        assert_true(crease_prox(&r, &matrix, t, v, x, NULL));
        make_single(&s, &matrix, t, v, &r, NULL, x);
        crease_verification out = verified(&s.p, s.at, NULL, 1e-12, false);
        if (out.verdict != CREASE_VERDICT_VALID) fail_msg("%s: %s", p->name, out.text);
        crease_verification_free(&out);
    }
}

static void projections_and_oracles_are_valid(void **state)
{
    static const double a[N] = { 1, -1, 0.5, 2, 0, 0.25 };
    const crease_set sets[] = {
        crease_box(-0.4, 1.2),    crease_l1_ball(0.9),      crease_l2_ball(0.8),
        crease_linf_ball(0.7),    crease_lp_ball(0.9, 3),   crease_simplex(1.3),
        crease_full_simplex(1.1), crease_capped_simplex(2), crease_k_sparse(0.8, 2),
        crease_k_support(0.9, 2), crease_permutahedron(a),  crease_orthant(),
    };
    draws d = { .r = { .seed = 62 } };
    (void)state;
    for (int k = 0; k < 1200; k++) {
        const crease_set *set = &sets[k % 12];
        double v[N], x[N];
        single s;
        for (int j = 0; j < N; j++) v[j] = 2 * normal(&d);
        if (set->ops->project) {
            assert_true(crease_project(set, &space, v, x, NULL));
            make_single(&s, &space, 1, v, NULL, set, x);
            assert_int_equal(verdict_on(&s.p, s.at, NULL, 1e-12), CREASE_VERDICT_VALID);
        }
        if (set->ops->name[0] == 'n') continue; /* the orthant is not bounded */
        const double *const linear[] = { v };
        const crease_quadratic_data q = { .linear = linear, .blocks = 1 };
        assert_true(crease_lmo(set, &space, v, x, NULL));
        make_single(&s, &space, 1, v, NULL, set, x);
        s.p.f = crease_quadratic(&q);
        assert_int_equal(verdict_on(&s.p, s.at, NULL, 1e-12), CREASE_VERDICT_VALID);
    }
}

static crease_reg reg_at(int k, const crease_groups *g)
{
    const crease_reg all[] = {
        crease_l1(0.4),          crease_scad(0.5, 3),    crease_mcp(0.5, 2),
        crease_lsp(0.4, 0.9),    crease_huber(0.8, 0.3), crease_squared_l2(1),
        crease_group_l1(0.4, g), crease_nuclear(0.4),    crease_elastic_net(0.3, 0.5),
    };
    return all[k];
}

/* A joint prox is stationary on the set. Where the checker cannot choose the best subgradient it
 * may say no more than UPPER-BOUND-ONLY, never INVALID. */
static void joint_proximal_points_are_valid(void **state)
{
    static const ptrdiff_t starts[] = { 0, 1, 4, 6 };
    const crease_groups groups = { 3, starts, NULL };
    const crease_space matrix = crease_matrix(2, 3);
    const crease_set sets[] = { crease_box(-0.4, 0.9),     crease_l2_ball(0.8),
                                crease_l1_ball(0.9),       crease_simplex(1.2),
                                crease_spectral_ball(0.7), crease_nuclear_ball(0.8) };
    draws d = { .r = { .seed = 64 } };
    int valid = 0, bounds = 0;
    (void)state;
    for (int k = 0; k < 9 * 6 * 40; k++) {
        const crease_reg r = reg_at(k % 9, &groups);
        const crease_set *set = &sets[k / 9 % 6];
        double v[N], x[N], most;
        single s;
        if (!crease_joint_check(&r, set, &matrix, &most, NULL)) continue;
        const double t = 0.9 * smaller(most, 1);
        for (int j = 0; j < N; j++) v[j] = 1.5 * normal(&d);
        double *work = doubles(crease_joint_scratch(&r, set, &matrix));
        crease_joint_prox(&r, set, &matrix, t, v, x, work);
        free(work);
        make_single(&s, &matrix, t, v, &r, set, x);
        const crease_verdict verdict = verdict_on(&s.p, s.at, NULL, 1e-10);
        if (verdict == CREASE_VERDICT_INVALID) fail_msg("%d on %s", k % 9, set->ops->name);
        valid += verdict == CREASE_VERDICT_VALID;
        bounds += verdict == CREASE_VERDICT_UPPER_BOUND_ONLY;
    }
    assert_true(valid > 1000 && bounds < 300);
}

/* Nothing pulls, nothing rounds: a scale of 0 is met by a residual of exactly 0. */
static void a_zero_residual_is_valid_relative_to_anything(void **state)
{
    static const ptrdiff_t starts[] = { 0, 2, 6 };
    const crease_groups groups = { 2, starts, NULL };
    const crease_set ball = crease_l2_ball(1);
    const crease_reg regs[] = { crease_l1(1), crease_scad(0.3, 3), crease_group_l1(2, &groups),
                                crease_tv1d(0.7), crease_l0(1) };
    const double zeros[N] = { 0 };
    single s;
    (void)state;
    for (int k = 0; k < 9; k++) {
        make_single(&s, &space, 1, NULL, &regs[k % 5], k < 5 ? NULL : &ball, zeros);
        crease_verification out = verified(&s.p, s.at, NULL, 0, true);
        if (out.verdict != CREASE_VERDICT_VALID) fail_msg("%d: %s", k, out.text);
        assert_true(out.smallest_eps == 0 && out.residual[0] == 0);
        crease_verification_free(&out);
    }
}

/* (1 + 2^-52)(1 - 2^-52) - 1 = -2^-104 is lost in long double, but not in the bound. */
static void rounding_is_accounted_for(void **state)
{
    const double x[1] = { 1 + 0x1p-52 }, matrix[1] = { 1 - 0x1p-52 }, rhs[1] = { 1 };
    const crease_space one = crease_vector(1);
    const crease_map map = crease_dense(matrix);
    const int block[1] = { 0 };
    const crease_predictor p = { 1, block, &map, one, rhs, NULL };
    single s;
    (void)state;
    make_single(&s, &one, 1, NULL, NULL, NULL, x);
    s.p.f = crease_least_squares(&p);
    crease_verification out = verified(&s.p, s.at, NULL, 0, false);
    assert_true(out.verdict == CREASE_VERDICT_INVALID);
    assert_true(out.residual[0] >= 0x1p-104 * (1 - 0x1p-52) && out.residual[0] <= 0x1p-50);
    crease_verification_free(&out);
}

enum { TWO = 2 };

static const crease_space plane = { 1, { TWO }, NULL };
static const double corner[TWO] = { 1, 0 };

static void assert_unsupported(const crease_problem *p, const double *const *at, bool gcg)
{
    crease_verification v;
    crease_error e = { 0 };
    if (!crease_verify(p, at, at[0], NULL, gcg, 1, false, &v, &e)) fail_msg("%s", e.text);
    assert_int_equal(v.verdict, CREASE_VERDICT_UNSUPPORTED);
    assert_true(strncmp(v.text, "unsupported: ", 13) == 0 && isinf(v.smallest_eps));
    crease_verification_free(&v);
}

/* Copies of the tables under the same names are not the catalogue's. */
static void the_users_own_is_unsupported(void **state)
{
    const crease_reg_ops reg = crs_separable_ops;
    const crease_penalty penalty = crs_l1;
    crease_set_ops set = crs_box_ops;
    const crease_smooth_ops smooth = crs_squared_distance_ops;
    const crease_set own_set = { .ops = &set, .par = { -1, 1 } };
    crease_map_ops map = *crease_identity(1).ops;
    single s;
    (void)state;
    set.name = "my box";
    make_single(&s, &plane, 1, NULL, NULL, NULL, corner);
    assert_true(verdict_on(&s.p, s.at, NULL, 1) != CREASE_VERDICT_UNSUPPORTED);
    s.block.reg = crease_l1(1);
    s.block.reg.ops = &reg;
    assert_unsupported(&s.p, s.at, false);
    s.block.reg = crease_separable(&penalty, (double[]){ 1 });
    assert_unsupported(&s.p, s.at, false);
    s.block = (crease_block){ .set = &own_set };
    assert_unsupported(&s.p, s.at, false);
    s.block = (crease_block){ .map = { .ops = &map, .par = { 1 } } };
    s.p.range = plane;
    assert_unsupported(&s.p, s.at, false);
    s.block = (crease_block){ 0 };
    s.p.range.order = 0;
    s.p.f.ops = &smooth;
    assert_unsupported(&s.p, s.at, false);
}

static void same(const void *self, double *v, int n) { (void)self, (void)v, (void)n; }

static void other_refusals(void **state)
{
    const crease_comm comm = { same, same, NULL };
    const crease_set simplex = crease_simplex(1), orthant = crease_orthant();
    crease_space divided = plane;
    single s;
    (void)state;
    make_single(&s, &plane, 1, NULL, NULL, NULL, corner);
    divided.comm = &comm;
    s.p.f.ops = NULL;
    s.p.space = &divided;
    assert_unsupported(&s.p, s.at, false);
    make_single(&s, &plane, 1, NULL, NULL, NULL, corner);
    s.block = (crease_block){ .reg = crease_l0(1), .set = &simplex };
    assert_unsupported(&s.p, s.at, false); /* l0 is not Lipschitz, the simplex no box */
    s.block = (crease_block){ .reg = crease_l1(1), .set = &orthant };
    assert_unsupported(&s.p, s.at, true); /* not compact */
    s.block = (crease_block){ .reg = crease_mcp(1, 2), .set = &simplex };
    assert_unsupported(&s.p, s.at, true);
    s.block = (crease_block){ 0 };
    assert_unsupported(&s.p, s.at, true);
    s.block = (crease_block){ .set = &simplex, .map = crease_identity(1) };
    s.p.range = plane;
    assert_unsupported(&s.p, s.at, true);
}

/* Of a nuclear norm there are bounds; of other spectral penalties long double alone decides. */
static void large_matrices(void **state)
{
    const crease_space large = crease_matrix(600, 600);
    double *zeros = doubles(360000);
    const double *const at[] = { zeros };
    crease_block block = { .reg = crease_nuclear(1) };
    const crease_problem p = { .count = 1, .space = &large, .block = &block };
    (void)state;
    crease_verification v = verified(&p, at, NULL, 1e-9, false);
    assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
    crease_verification_free(&v);
    const double par[] = { 1, 3 };
    block.reg = crease_spectral(crease_mcp(par[0], par[1]).penalty, par);
    assert_unsupported(&p, at, false);
    free(zeros);
}

static void assert_refused(const crease_problem *p, const double *const *at, double eps,
                           const char *word)
{
    crease_verification v;
    crease_error e = { 0 };
    assert_false(crease_verify(p, at, NULL, NULL, false, eps, false, &v, &e));
    assert_false(crease_verify(p, at, NULL, NULL, false, eps, false, &v, NULL));
    if (!strstr(e.text, word)) fail_msg("%s", e.text);
    assert_true(v.verdict == CREASE_VERDICT_UNSUPPORTED && !v.residual && v.count == 0);
}

static void wrong_arguments(void **state)
{
    const double *const none[] = { NULL };
    const crease_set negative = crease_simplex(-1);
    single s;
    (void)state;
    make_single(&s, &plane, 1, NULL, NULL, NULL, corner);
    assert_refused(&s.p, s.at, NAN, "eps");
    assert_refused(&s.p, s.at, -1, "eps");
    assert_refused(&s.p, none, 1, "x[0]");
    s.block.map = crease_identity(1);
    s.p.range = plane;
    assert_refused(&s.p, s.at, 1, "lambda");
    s.block.set = &negative;
    assert_refused(&s.p, s.at, 1, "simplex");
}

static void every_verdict_has_a_text(void **state)
{
    (void)state;
    assert_string_equal(crease_verdict_text(CREASE_VERDICT_UNSUPPORTED), "UNSUPPORTED");
    assert_string_equal(crease_verdict_text(CREASE_VERDICT_INVALID), "INVALID");
    assert_string_equal(crease_verdict_text(CREASE_VERDICT_VALID), "VALID");
    assert_string_equal(crease_verdict_text(CREASE_VERDICT_UPPER_BOUND_ONLY), "UPPER-BOUND-ONLY");
    assert_string_equal(crease_verdict_text((crease_verdict)9), "unknown verdict");
    assert_int_equal(CREASE_VERDICT_UNSUPPORTED, 0);
    crease_verification_free(NULL);
}

/* f = <c, x>, r = |x|_1 on a simplex in disguise, at (1, 0): g_1 = 1, and of all g_2 in [-1, 1]
 * only those >= 1/2 prove that the gap is 0; the one nearest to -c is -1/2. */
typedef struct {
    crease_set inner, set;
    crease_affine_set same;
    double c[TWO], x[TWO];
    const double *linear[1], *at[1];
    crease_quadratic_data q;
    crease_block block;
    crease_problem p;
} disguise;

static void make_disguise(disguise *s)
{
    *s = (disguise){ .inner = crease_simplex(1), .c = { 0, 0.5 }, .x = { 1, 0 } };
    s->same = (crease_affine_set){ &s->inner, 1, NULL };
    s->set = crease_affine(&s->same);
    s->linear[0] = s->c, s->at[0] = s->x;
    s->q = (crease_quadratic_data){ .linear = s->linear, .blocks = 1 };
    s->block = (crease_block){ .reg = crease_l1(1), .set = &s->set };
    s->p = (crease_problem){ .count = 1, .space = &plane, .block = &s->block };
    s->p.f = crease_quadratic(&s->q);
}

static crease_verification with_g(const disguise *s, const double *g, double eps)
{
    const double *const all[] = { g };
    crease_verification v;
    assert_true(crease_verify(&s->p, s->at, NULL, all, false, eps, false, &v, NULL));
    return v;
}

static void assert_given(const disguise *s, const double *g, crease_verdict verdict, double least)
{
    crease_verification v = with_g(s, g, 1e-12);
    assert_int_equal(v.verdict, verdict);
    assert_close(v.smallest_eps, least, 1e-14);
    crease_verification_free(&v);
}

static void given_subgradients_count_where_better(void **state)
{
    disguise s;
    (void)state;
    make_disguise(&s);
    assert_given(&s, NULL, CREASE_VERDICT_UPPER_BOUND_ONLY, 1);
    assert_given(&s, (double[]){ 1, -1 }, CREASE_VERDICT_UPPER_BOUND_ONLY, 1);
    assert_given(&s, (double[]){ 1, 0.25 }, CREASE_VERDICT_UPPER_BOUND_ONLY, 0.25);
    assert_given(&s, (double[]){ 1, 0.5 }, CREASE_VERDICT_VALID, 0);
    assert_given(&s, (double[]){ 1, 1 }, CREASE_VERDICT_VALID, 0);
    assert_given(&s, (double[]){ 1, 1 + 0x1p-52 }, CREASE_VERDICT_VALID, 0);
    assert_given(&s, (double[]){ 1, 1.0001 }, CREASE_VERDICT_INVALID, INFINITY);
    assert_given(&s, (double[]){ 0.9999, 1 }, CREASE_VERDICT_INVALID, INFINITY);
    assert_given(&s, (double[]){ 1, NAN }, CREASE_VERDICT_INVALID, INFINITY);
    crease_verification v = with_g(&s, (double[]){ 1, 1.25 }, 1);
    assert_true(strstr(v.text, "g is 0.25 away") != NULL);
    crease_verification_free(&v);
}

/* On the simplex itself the checker knows the best choice, and on a box both slopes of a kink. */
static void best_choices_are_no_upper_bounds(void **state)
{
    const crease_set plain = crease_simplex(1), box = crease_box(-1, 1);
    disguise s;
    (void)state;
    make_disguise(&s);
    s.block.set = &plain;
    assert_given(&s, NULL, CREASE_VERDICT_VALID, 0);
    s.c[1] = -2; /* now gap = 1 - (-2 + 1) = 2 for the best g */
    assert_given(&s, NULL, CREASE_VERDICT_INVALID, 2);
    s.block = (crease_block){ .reg = crease_capped_l1(1, 0.5), .set = &box };
    s.x[0] = 0.5, s.c[0] = 0, s.c[1] = 0.5;
    assert_given(&s, NULL, CREASE_VERDICT_VALID, 0);
    s.c[0] = -1;
    assert_given(&s, NULL, CREASE_VERDICT_VALID, 0);
    s.c[0] = -0.25; /* min of 0.75 * 1.5 and 0.25 * 0.5 */
    assert_given(&s, NULL, CREASE_VERDICT_INVALID, 0.125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corruptions_are_caught),
        cmocka_unit_test(not_finite_is_invalid),
        cmocka_unit_test(callbacks_may_not_give_nan),
        cmocka_unit_test(outside_is_invalid),
        cmocka_unit_test(proximal_points_are_valid),
        cmocka_unit_test(projections_and_oracles_are_valid),
        cmocka_unit_test(joint_proximal_points_are_valid),
        cmocka_unit_test(a_zero_residual_is_valid_relative_to_anything),
        cmocka_unit_test(rounding_is_accounted_for),
        cmocka_unit_test(the_users_own_is_unsupported),
        cmocka_unit_test(other_refusals),
        cmocka_unit_test(large_matrices),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(every_verdict_has_a_text),
        cmocka_unit_test(given_subgradients_count_where_better),
        cmocka_unit_test(best_choices_are_no_upper_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
