/* SPDX-License-Identifier: MIT
 * model: robust PCA with a Tucker model and of matrices, built from data as an ordinary problem
 *
 *   tucker  X1 .. Xd, C, E, Z and last B: the quadratic in B makes lambda = 2 alpha_N W o B
 *   ball    X, Y, E, B and last Z (Jiang, Lin, Ma, Zhang 2019, section 5)
 *   convex  L, S: no last block that is smooth, so the extension adds a slack
 * The robust fit is the start of every block. */
#include <stdio.h>

#include "rpca/tucker/tucker.h"

#include "core/parallel.h"
#include "reg/reg.h"
#include "rpca/rpca.h"
#include "rpca/tucker/tucker.h"

enum { BLOCKS = CREASE_MAX_ORDER + 4 };

struct crease_tucker_rpca {
    crease_tucker_rpca_facts facts;
    crease_problem problem;
    crease_space space[BLOCKS];
    crease_block block[BLOCKS];
    char name[CREASE_MAX_ORDER][16];
    crease_reg penalty; /* R */
    crease_set inside[3];

    int factor[CREASE_MAX_ORDER]; /* block numbers */
    crease_tucker_data tucker;
    crease_factorization_data product;
    crease_distance_data noise; /* alpha_N |B|^2 */
    crease_predictor weighed;   /* alpha_N |W o B|^2 */
    crease_map weighed_map;
    int weighed_block;
    crease_smooth term[2];
    crease_smooth_list sum;

    double *tensor;      /* T, 0 where it is missing */
    unsigned char *mask; /* W; NULL: ones */
    double *root;        /* sqrt(2 alpha_N) W; NULL: W = 1 */
    double *x[BLOCKS], *lambda;
    crease_cp_cut *cut;
};

crease_tucker_rpca_settings crease_tucker_rpca_default(const crease_space *shape,
                                                       const crease_space *ranks)
{
    return (crease_tucker_rpca_settings){ .form = CREASE_RPCA_TUCKER,
                                          .shape = *shape,
                                          .ranks = *ranks,
                                          .penalty = crease_l1(1),
                                          .learn = 3,
                                          .alpha_noise = 1,
                                          .eps = 1e-6,
                                          .passes = 1000,
                                          .spare = true };
}

static bool in_range(const char *name, double value, bool zero, crease_error *e)
{
    return (value < INFINITY && (value > 0 || (zero && value == 0))) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "%s = %g is outside its range: give a number %s", name,
                    value, zero ? ">= 0" : "> 0");
}

static bool check_form(const crease_tucker_rpca_settings *s, crease_error *e)
{
    const bool matrix = s->shape.order == 2;
    if (s->form != CREASE_RPCA_TUCKER && !matrix)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "the data have %d dimensions and this model is of matrices; merge "
                        "dimensions or use the Tucker or CP model",
                        s->shape.order);
    if (s->form == CREASE_RPCA_BALL && s->ranks.dim[0] != s->ranks.dim[1])
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the ranks of a matrix are %td and %td; give one",
                        s->ranks.dim[0], s->ranks.dim[1]);
    return s->form == CREASE_RPCA_TUCKER || (!s->missing && !s->mask) ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "this form takes no missing entries; use the penalized form (without eta)");
}

static bool check(const crease_tucker_rpca_settings *s, crease_error *e)
{
    if (s->shape.order < 2 || s->shape.order > CREASE_MAX_ORDER)
        return crs_fail(e, CREASE_BAD_SHAPE, "the data have %d dimensions; give 2 to %d",
                        s->shape.order, CREASE_MAX_ORDER);
    if (!crease_space_check(&s->shape, e) || !check_form(s, e)) return false;
    if (s->penalty.ops && !crs_is_plain(&s->penalty))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the penalty %s is not one by entries, all weighed alike; use l1, mcp, "
                        "scad, lsp, capped-l1, l0 or another of that kind",
                        s->penalty.ops->name);
    return (!s->penalty.ops || crease_reg_check(&s->penalty, &s->shape, e)) &&
           in_range("alpha", s->alpha, true, e) && in_range("learn", s->learn, false, e) &&
           in_range("alpha_noise", s->alpha_noise, false, e) && in_range("eta", s->eta, true, e) &&
           in_range("eps", s->eps, false, e);
}

/* Squares must neither overflow nor vanish, and the histogram of residuals ends at 2^-128. */
static bool check_magnitude(const crease_cp_rpca_settings *c, const double *tensor, crease_error *e)
{
    double most = -1;
    for (ptrdiff_t j = 0; j < crease_size(&c->shape); j++)
        if (crs_cp_seen(c, tensor, j)) most = larger(most, fabs(tensor[j]));
    if (most < 0)
        return crs_fail(e, CREASE_BAD_DATA, "no entry was observed; give data with numbers");
    return most == 0 || (most >= 1e-20 && most <= 1e100) ||
           crs_fail(e, CREASE_BAD_DATA, "the largest entry is %g, too %s; rescale the data", most,
                    most > 1 ? "large" : "small");
}

static bool take_data(crease_tucker_rpca *m, const double *tensor, crease_error *e)
{
    crease_tucker_rpca_settings *s = &m->facts.used;
    const crease_cp_rpca_settings c = { .shape = s->shape, .missing = s->missing, .mask = s->mask };
    const ptrdiff_t size = crease_size(&s->shape);
    if (!crs_cp_check_data(&c, tensor, &m->facts.missing, e)) return false;
    if (!check_magnitude(&c, tensor, e)) return false;
    m->tensor = crs_doubles(size, "the tensor", e);
    if (!m->tensor) return false;
    if (m->facts.missing > 0) {
        m->root = crs_doubles(size, "the mask", e);
        m->mask = crs_alloc((size_t)size, 1);
        if (!m->root || !m->mask) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the mask");
    }
    for (ptrdiff_t j = 0; j < size; j++) {
        const bool seen = crs_cp_seen(&c, tensor, j);
        m->tensor[j] = seen ? tensor[j] : 0;
        if (m->mask) m->mask[j] = seen;
        if (m->root) m->root[j] = seen ? sqrt(2 * s->alpha_noise) : 0;
    }
    s->mask = NULL;
    return true;
}

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

static void set_spaces(crease_tucker_rpca *m)
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

static void assemble(crease_tucker_rpca *m)
{
    const crease_rpca_kind form = m->facts.used.form;
    if (form == CREASE_RPCA_TUCKER)
        assemble_tucker(m);
    else if (form == CREASE_RPCA_BALL)
        assemble_ball(m);
    else
        assemble_convex(m);
}

/* With M the low-rank part, E = prox(T - M) and s = W o (T - E - M) the fit's point is
 *     Z = M + c s,  B = s/(1 + alpha_N),  Lambda = 2 alpha_N W o B.
 * The form with a ball has the same stationary points when eta = |B|. */

/* The ball's X and Y have other norms than the fit's factors and core, and with them other scales:
 * hence a quarter of eps. */
static crs_tucker_settings settings_of(const crease_tucker_rpca *m)
{
    const crease_tucker_rpca_settings *s = &m->facts.used;
    crs_tucker_settings c = { .shape = s->shape,
                              .ranks = s->ranks,
                              .penalty =
                                  crs_penalty_of(m->penalty.penalty, m->penalty.par, s->alpha),
                              .learn = s->alpha > 0 ? 0 : s->learn,
                              .alpha_noise = s->alpha_noise,
                              .mask = m->mask,
                              .threads = s->threads,
                              .eps = s->form == CREASE_RPCA_BALL ? s->eps / 4 : s->eps,
                              .seed = s->seed,
                              .spare = s->spare,
                              .watch = s->watch };
    return c;
}

static void keep_facts(crease_tucker_rpca *m, const crs_tucker_fit *fit)
{
    const crs_tucker_statistics *at = &fit->statistics;
    const crs_penalty_value penalty = crs_tucker_fit_goal(fit);
    m->facts.passes = at->passes;
    m->facts.residual = at->residual;
    m->facts.deviation = at->scale;
    m->facts.threshold =
        crs_envelope_threshold(&penalty, crs_noise_share(m->facts.used.alpha_noise));
    m->facts.used.alpha = penalty.weight;
    m->facts.kept = fit->c.ranks;
    if (m->facts.used.prune) m->facts.used.ranks = fit->c.ranks;
    m->penalty = crease_separable(penalty.rho, penalty.par);
}

/* What was dropped outlives the fit. */
static bool keep_cuts(crease_tucker_rpca *m, const crs_tucker_fit *fit, crease_error *e)
{
    m->facts.cuts = fit->cuts;
    if (fit->cuts == 0) return true;
    m->facts.cut = m->cut = crs_alloc((size_t)fit->cuts, sizeof *m->cut);
    if (!m->cut) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: what was cut");
    memcpy(m->cut, fit->cut, sizeof *m->cut * (size_t)fit->cuts);
    return true;
}

/* In memory: no slab of it can be missed. */
static void take_part(crs_tucker_fit *fit, crs_cp_part part, double *out)
{
    const int last = fit->c.shape.order - 1;
    const double *const factor[] = { fit->P, fit->factor[last] };
    const crs_penalty_value penalty = crs_tucker_fit_goal(fit);
    crs_envelope_read(fit->pass, fit->c.ranks.dim[last], factor, &penalty, part, out, NULL);
}

/* A factor or a core of the fit's size as the leading part of a larger one, whose rest is 0: then
 * the gradient is 0 there, since it is a product with zeros. (An orthonormal complement would not
 * do: the core's gradient is <S, x_1 o .. o x_d>, and noise is nowhere 0.) */
static void embed(const crease_space *from, const double *x, const crease_space *to, double *y)
{
    const ptrdiff_t size = crease_size(to);
    for (ptrdiff_t j = 0; j < size; j++) {
        ptrdiff_t rest = j, at = 0, step = 1;
        bool in = true;
        for (int n = to->order - 1; n >= 0; n--) {
            const ptrdiff_t i = rest % to->dim[n];
            in = in && i < from->dim[n];
            at += i * step;
            rest /= to->dim[n];
            step *= from->dim[n];
        }
        y[j] = in ? x[at] : 0;
    }
}

static void take_tucker(crease_tucker_rpca *m, crs_tucker_fit *fit)
{
    const int d = m->facts.used.shape.order;
    for (int n = 0; n < d; n++) {
        const crease_space own = crease_matrix(fit->c.shape.dim[n], fit->c.ranks.dim[n]);
        embed(&own, fit->factor[n], &m->space[n], m->x[n]);
    }
    embed(&fit->c.ranks, fit->core, &m->space[d], m->x[d]);
    take_part(fit, CRS_CP_E, m->x[d + 1]);
    take_part(fit, CRS_CP_Z, m->x[d + 2]);
    take_part(fit, CRS_CP_B, m->x[d + 3]);
    take_part(fit, CRS_CP_LAMBDA, m->lambda);
}

/* X = X_1 U S^(1/2), Y = X_2 V S^(1/2), where C = U S V' */
static bool split(crease_tucker_rpca *m, const crs_tucker_fit *fit, double *work)
{
    const crease_space *s = &m->facts.used.shape;
    const ptrdiff_t r = fit->c.ranks.dim[0];
    const crease_space own[2] = { crease_matrix(s->dim[0], r), crease_matrix(s->dim[1], r) };
    double *u = work, *sigma = u + r * r, *vt = sigma + r, *rest = vt + r * r;
    if (!crs_svd(r, r, fit->core, u, sigma, vt, rest)) return false;
    for (ptrdiff_t i = 0; i < r; i++)
        for (ptrdiff_t k = 0; k < r; k++) {
            u[i * r + k] *= sqrt(sigma[k]);
            vt[k * r + i] *= sqrt(sigma[k]);
        }
    crs_gemm(false, false, s->dim[0], r, r, 1, fit->factor[0], u, 0, rest);
    embed(&own[0], rest, &m->space[0], m->x[0]);
    crs_gemm(false, true, s->dim[1], r, r, 1, fit->factor[1], vt, 0, rest);
    embed(&own[1], rest, &m->space[1], m->x[1]);
    return true;
}

/* B is what of the fit's lies in the ball; Z = T - E - B. */
static bool take_ball(crease_tucker_rpca *m, crs_tucker_fit *fit, crease_error *e)
{
    const crease_space *shape = &m->facts.used.shape;
    const ptrdiff_t r = fit->c.ranks.dim[0], size = crease_size(shape);
    const ptrdiff_t factor = more(shape->dim[0], shape->dim[1]) * r;
    double *work = crs_doubles(2 * r * r + r + more(factor, crs_svd_scratch(r, r)), "a start", e);
    if (!work) return false;
    const bool done = split(m, fit, work);
    crs_free(work);
    if (!done)
        return crs_fail(e, CREASE_NUMERICAL_FAILURE,
                        "the singular values of the start did not converge; rescale the matrix");
    double *E = m->x[2], *B = m->x[3], *Z = m->x[4];
    take_part(fit, CRS_CP_E, E);
    take_part(fit, CRS_CP_B, B);
    take_part(fit, CRS_CP_LAMBDA, m->lambda);
    if (m->facts.used.eta == 0) m->facts.used.eta = crs_norm(size, B);
    crs_into_ball(size, m->facts.used.eta, B, B);
    for (ptrdiff_t j = 0; j < size; j++) Z[j] = m->tensor[j] - E[j] - B[j];
    return true;
}

static bool take_room(crease_tucker_rpca *m, crease_error *e)
{
    set_spaces(m);
    for (int i = 0; i < m->problem.count; i++) {
        m->x[i] = crs_doubles(crease_size(&m->space[i]), "a block", e);
        if (!m->x[i]) return false;
        m->block[i].start = m->x[i];
    }
    m->lambda = crs_doubles(crease_size(&m->problem.range), "the multiplier", e);
    return m->lambda;
}

static bool begin_fit(crease_tucker_rpca *m, crease_error *e)
{
    const crs_tucker_settings c = settings_of(m);
    crs_tucker_fit *fit = crs_tucker_fit_new(&c, m->tensor, e);
    if (!fit) return false;
    crs_tucker_fit_lead(fit, m->facts.used.passes, false);
    keep_facts(m, fit);
    bool done = crs_tucker_fit_well(fit, e) && keep_cuts(m, fit, e) && take_room(m, e);
    if (done && m->facts.used.form == CREASE_RPCA_TUCKER)
        take_tucker(m, fit);
    else if (done)
        done = take_ball(m, fit, e);
    crs_tucker_fit_free(fit);
    return done;
}

static bool build(crease_tucker_rpca *m, const double *tensor, crease_error *e)
{
    crease_tucker_rpca_settings *s = &m->facts.used;
    const bool convex = s->form == CREASE_RPCA_PCP;
    ptrdiff_t longest = more(s->shape.dim[0], s->shape.dim[1]);
    m->penalty = s->penalty.ops ? s->penalty : crease_l1(1);
    m->facts.residual = m->facts.deviation = m->facts.threshold = NAN;
    m->facts.kept = s->ranks;
    s->threads = crs_useful_threads(s->threads, crease_size(&s->shape));
    if (convex && s->alpha == 0) s->alpha = 1 / sqrt((double)longest);
    if (!take_data(m, tensor, e) || !(convex ? take_room(m, e) : begin_fit(m, e))) return false;
    s->penalty = m->penalty;
    assemble(m);
    return crease_problem_check(&m->problem, e);
}

crease_tucker_rpca *crease_tucker_rpca_new(const crease_tucker_rpca_settings *s,
                                           const double *tensor, crease_error *e)
{
    if (!check(s, e)) return NULL;
    crease_tucker_rpca *m = crs_alloc(1, sizeof *m);
    if (!m) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a model"), NULL;
    m->facts.used = *s;
    const crease_phase was = crease_watch_enter(s->watch, CREASE_PHASE_START);
    const bool built = build(m, tensor, e);
    crease_watch_enter(s->watch, was);
    m->facts.used.watch = NULL;
    if (built) return m;
    crease_tucker_rpca_free(m);
    return NULL;
}

void crease_tucker_rpca_free(crease_tucker_rpca *m)
{
    if (!m) return;
    for (int i = 0; i < BLOCKS; i++) crs_free(m->x[i]);
    crs_free(m->lambda);
    crs_free(m->cut);
    crs_free(m->tensor);
    crs_free(m->root);
    crs_free(m->mask);
    crs_free(m);
}

const crease_problem *crease_tucker_rpca_problem(const crease_tucker_rpca *m)
{
    return &m->problem;
}
const double *crease_tucker_rpca_multiplier(const crease_tucker_rpca *m)
{
    return m->facts.used.form == CREASE_RPCA_PCP ? NULL : m->lambda;
}
crease_tucker_rpca_facts crease_tucker_rpca_about(const crease_tucker_rpca *m) { return m->facts; }
const double *crease_tucker_rpca_weights(const crease_tucker_rpca *m) { return m->root; }

int crease_tucker_rpca_sparse(const crease_tucker_rpca *m)
{
    const crease_rpca_kind form = m->facts.used.form;
    return form == CREASE_RPCA_TUCKER ? m->facts.used.shape.order + 1
           : form == CREASE_RPCA_BALL ? 2
                                      : 1;
}

int crease_tucker_rpca_noise(const crease_tucker_rpca *m)
{
    const crease_rpca_kind form = m->facts.used.form;
    return form == CREASE_RPCA_TUCKER ? m->facts.used.shape.order + 3
           : form == CREASE_RPCA_BALL ? 3
                                      : -1;
}

static bool tucker_part(const crease_tucker_rpca *m, const double *const *x, double *out,
                        crease_error *e)
{
    const crease_tucker_rpca_settings *s = &m->facts.used;
    crs_tucker k = { .shape = s->shape, .ranks = s->ranks, .core = x[s->shape.order] };
    double *work = crs_doubles(crs_tucker_scratch(&s->shape, &s->ranks), "the low-rank part", e);
    if (!work) return false;
    for (int n = 0; n < s->shape.order; n++) k.factor[n] = x[n];
    fill(crease_size(&s->shape), 0, out);
    crs_tucker_reconstruct(&k, 1, out, work);
    crs_free(work);
    return true;
}

bool crease_tucker_rpca_lowrank(const crease_tucker_rpca *m, const double *const *x, double *out,
                                crease_error *e)
{
    const crease_space *s = &m->facts.used.shape;
    if (m->facts.used.form == CREASE_RPCA_TUCKER) return tucker_part(m, x, out, e);
    if (m->facts.used.form == CREASE_RPCA_PCP) return copy(crease_size(s), x[0], out), true;
    crs_gemm(false, true, s->dim[0], s->dim[1], m->facts.used.ranks.dim[0], 1, x[0], x[1], 0, out);
    return true;
}

/* T, W twice, the tensors among the blocks, the multiplier; then the fit. */
ptrdiff_t crease_tucker_rpca_size(const crease_tucker_rpca_settings *s)
{
    const bool convex = s->form == CREASE_RPCA_PCP, partial = s->missing || s->mask;
    const ptrdiff_t tensors = 2 + 2 * partial + (convex ? 2 : 3), n = crease_size(&s->shape);
    const crs_tucker_settings c = { .shape = s->shape,
                                    .ranks = s->ranks,
                                    .alpha_noise = s->alpha_noise,
                                    .threads = s->threads > 0 ? s->threads : 1 };
    const ptrdiff_t fit = convex ? 0 : crs_tucker_fit_bytes(&c, NULL);
    ptrdiff_t all;
    if (fit < 0 || !crs_mul_size(tensors, n, &all) ||
        !crs_add_size(all, 2 * fit / (ptrdiff_t)sizeof(double), &all))
        return -1;
    return all;
}
