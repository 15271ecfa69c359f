/* SPDX-License-Identifier: MIT
 * model: robust PCA with a Tucker model and of matrices, built from data as an ordinary problem
 *
 *   tucker  X1 .. Xd, C, E, Z and last B: the quadratic in B makes lambda = 2 alpha_N W o B
 *   ball    X, Y, E, B and last Z (Jiang, Lin, Ma, Zhang 2019, section 5)
 *   convex  L, S: no last block that is smooth, so the extension adds a slack
 * The robust fit is the start of every block. */
#include <stdio.h>

#include "rpca/tucker/tucker.h"

#include "reg/reg.h"
#include "rpca/rpca.h"

enum { BLOCKS = CREASE_MAX_ORDER + 4 };

struct crease_tucker_rpca {
    crs_tucker_start start;
    crease_problem problem;
    crease_space space[BLOCKS];
    crease_block block[BLOCKS];
    char name[CREASE_MAX_ORDER][16];
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

static bool check_magnitude(const crease_cp_rpca_settings *c, const double *tensor, crease_error *e)
{
    double most = -1;
    for (ptrdiff_t j = 0; j < crease_size(&c->shape); j++)
        if (crs_cp_seen(c, tensor, j)) most = larger(most, fabs(tensor[j]));
    return crs_tucker_check_magnitude(most, e);
}

/* known: W of entries that were checked; NULL: c says it. */
static bool hold_data(crease_tucker_rpca *m, const crease_cp_rpca_settings *c, const double *tensor,
                      const unsigned char *known, crease_error *e)
{
    crease_tucker_rpca_settings *s = &m->start.facts.used;
    const ptrdiff_t size = crease_size(&s->shape);
    m->tensor = crs_doubles(size, "the tensor", e);
    if (!m->tensor) return false;
    if (m->start.facts.missing > 0) {
        m->root = crs_doubles(size, "the mask", e);
        m->mask = crs_alloc((size_t)size, 1);
        if (!m->root || !m->mask) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the mask");
    }
    for (ptrdiff_t j = 0; j < size; j++) {
        const bool seen = known ? known[j] : crs_cp_seen(c, tensor, j);
        m->tensor[j] = seen ? tensor[j] : 0;
        if (m->mask) m->mask[j] = seen;
        if (m->root) m->root[j] = seen ? sqrt(2 * s->alpha_noise) : 0;
    }
    s->mask = NULL;
    return true;
}

static bool take_data(crease_tucker_rpca *m, const double *tensor, crease_error *e)
{
    const crease_tucker_rpca_settings *s = &m->start.facts.used;
    const crease_cp_rpca_settings c = { .shape = s->shape, .missing = s->missing, .mask = s->mask };
    return crs_cp_check_data(&c, tensor, &m->start.facts.missing, e) &&
           check_magnitude(&c, tensor, e) && hold_data(m, &c, tensor, NULL, e);
}

static void set_space(crease_tucker_rpca *m, int i, const char *name, crease_space space)
{
    m->space[i] = space;
    m->block[i] = (crease_block){ .name = name, .start = m->x[i] };
}

static int tucker_spaces(crease_tucker_rpca *m)
{
    const crease_tucker_rpca_settings *s = &m->start.facts.used;
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
    const crease_tucker_rpca_settings *s = &m->start.facts.used;
    set_space(m, 0, "X", crease_matrix(s->shape.dim[0], s->ranks.dim[0]));
    set_space(m, 1, "Y", crease_matrix(s->shape.dim[1], s->ranks.dim[0]));
    set_space(m, 2, "E", s->shape);
    set_space(m, 3, "B", s->shape);
    set_space(m, 4, "Z", s->shape);
    return 5;
}

static int convex_spaces(crease_tucker_rpca *m)
{
    set_space(m, 0, "L", m->start.facts.used.shape);
    set_space(m, 1, "S", m->start.facts.used.shape);
    return 2;
}

static void set_spaces(crease_tucker_rpca *m)
{
    const crease_rpca_kind form = m->start.facts.used.form;
    m->problem.space = m->space;
    m->problem.block = m->block;
    m->problem.range = m->start.facts.used.shape;
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
    const crease_tucker_rpca_settings *s = &m->start.facts.used;
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
    m->block[d + 1].reg = crease_scaled(s->alpha, &m->start.penalty);
    in_constraint(m, d + 1);
}

static void assemble_ball(crease_tucker_rpca *m)
{
    const crease_tucker_rpca_settings *s = &m->start.facts.used;
    for (int i = 0; i < 2; i++) {
        const double norm = crs_norm(crease_size(&m->space[i]), m->x[i]);
        m->inside[i] = crease_l2_ball(norm > 0 ? 2 * norm : 1);
        m->block[i].set = &m->inside[i];
    }
    m->inside[2] = crease_l2_ball(s->eta);
    m->block[3].set = &m->inside[2];
    m->block[2].reg = crease_scaled(s->alpha, &m->start.penalty);
    m->product = (crease_factorization_data){ .x = 0, .y = 1, .z = 4 };
    m->problem.f = crease_matrix_factorization(&m->product);
    in_constraint(m, 2);
}

static void assemble_convex(crease_tucker_rpca *m)
{
    m->block[0].reg = crease_nuclear(1);
    m->block[1].reg = crease_l1(m->start.facts.used.alpha);
    in_constraint(m, 0);
}

static void assemble(crease_tucker_rpca *m)
{
    const crease_rpca_kind form = m->start.facts.used.form;
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

/* In memory: no slab of it can be missed. */
static void take_part(crs_tucker_fit *fit, crs_cp_part part, double *out)
{
    const int last = fit->c.shape.order - 1;
    const double *const factor[] = { fit->P, fit->factor[last] };
    const crs_penalty_value penalty = crs_tucker_fit_goal(fit);
    crs_envelope_read(fit->pass, fit->c.ranks.dim[last], factor, &penalty, part, out, NULL);
}

static void take_tucker(crease_tucker_rpca *m, crs_tucker_fit *fit)
{
    const int d = m->start.facts.used.shape.order;
    for (int n = 0; n < d; n++) {
        const crease_space own = crease_matrix(fit->c.shape.dim[n], fit->c.ranks.dim[n]);
        crs_tucker_embed(&own, fit->factor[n], &m->space[n], m->x[n]);
    }
    crs_tucker_embed(&fit->c.ranks, fit->core, &m->space[d], m->x[d]);
    take_part(fit, CRS_CP_E, m->x[d + 1]);
    take_part(fit, CRS_CP_Z, m->x[d + 2]);
    take_part(fit, CRS_CP_B, m->x[d + 3]);
    take_part(fit, CRS_CP_LAMBDA, m->lambda);
}

/* X = X_1 U S^(1/2), Y = X_2 V S^(1/2), where C = U S V' */
static bool split(crease_tucker_rpca *m, const crs_tucker_fit *fit, double *work)
{
    const crease_space *s = &m->start.facts.used.shape;
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
    crs_tucker_embed(&own[0], rest, &m->space[0], m->x[0]);
    crs_gemm(false, true, s->dim[1], r, r, 1, fit->factor[1], vt, 0, rest);
    crs_tucker_embed(&own[1], rest, &m->space[1], m->x[1]);
    return true;
}

/* B is what of the fit's lies in the ball; Z = T - E - B. */
static bool take_ball(crease_tucker_rpca *m, crs_tucker_fit *fit, crease_error *e)
{
    const crease_space *shape = &m->start.facts.used.shape;
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
    if (m->start.facts.used.eta == 0) m->start.facts.used.eta = crs_norm(size, B);
    crs_into_ball(size, m->start.facts.used.eta, B, B);
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
    crs_memory data;
    crs_memory_open(&data, &m->start.facts.used.shape, m->tensor, m->mask);
    crs_tucker_fit *fit = crs_tucker_begin(&m->start, &data.source, e);
    if (!fit) return false;
    bool done = take_room(m, e);
    if (done && m->start.facts.used.form == CREASE_RPCA_TUCKER)
        take_tucker(m, fit);
    else if (done)
        done = take_ball(m, fit, e);
    crs_tucker_fit_free(fit);
    return done;
}

static bool build(crease_tucker_rpca *m, const double *tensor, crease_error *e)
{
    crease_tucker_rpca_settings *s = &m->start.facts.used;
    const bool convex = s->form == CREASE_RPCA_PCP;
    ptrdiff_t longest = more(s->shape.dim[0], s->shape.dim[1]);
    crs_tucker_start_init(&m->start);
    if (convex && s->alpha == 0) s->alpha = 1 / sqrt((double)longest);
    if (!take_data(m, tensor, e) || !(convex ? take_room(m, e) : begin_fit(m, e))) return false;
    s->penalty = m->start.penalty;
    assemble(m);
    return crease_problem_check(&m->problem, e);
}

crease_tucker_rpca *crs_tucker_rpca_at(crs_tucker_start *start, crs_tucker_fit *fit,
                                       const double *tensor, const unsigned char *seen,
                                       crease_error *e)
{
    crease_tucker_rpca *m = crs_alloc(1, sizeof *m);
    if (!m) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a model"), NULL;
    m->start = *start;
    start->cut = NULL;
    crease_tucker_rpca_settings *s = &m->start.facts.used;
    s->watch = NULL;
    s->penalty = m->start.penalty;
    const crease_cp_rpca_settings c = { .shape = s->shape };
    if (hold_data(m, &c, tensor, seen, e) && take_room(m, e)) {
        take_tucker(m, fit);
        assemble(m);
        if (crease_problem_check(&m->problem, e)) return m;
    }
    crease_tucker_rpca_free(m);
    return NULL;
}

crease_tucker_rpca *crease_tucker_rpca_new(const crease_tucker_rpca_settings *s,
                                           const double *tensor, crease_error *e)
{
    if (!crs_tucker_check(s, e)) return NULL;
    crease_tucker_rpca *m = crs_alloc(1, sizeof *m);
    if (!m) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a model"), NULL;
    m->start.facts.used = *s;
    const crease_phase was = crease_watch_enter(s->watch, CREASE_PHASE_START);
    const bool built = build(m, tensor, e);
    crease_watch_enter(s->watch, was);
    m->start.facts.used.watch = NULL;
    if (built) return m;
    crease_tucker_rpca_free(m);
    return NULL;
}

void crease_tucker_rpca_free(crease_tucker_rpca *m)
{
    if (!m) return;
    for (int i = 0; i < BLOCKS; i++) crs_free(m->x[i]);
    crs_free(m->lambda);
    crs_free(m->start.cut);
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
    return m->start.facts.used.form == CREASE_RPCA_PCP ? NULL : m->lambda;
}
crease_tucker_rpca_facts crease_tucker_rpca_about(const crease_tucker_rpca *m)
{
    return m->start.facts;
}
const double *crease_tucker_rpca_weights(const crease_tucker_rpca *m) { return m->root; }

int crease_tucker_rpca_sparse(const crease_tucker_rpca *m)
{
    const crease_rpca_kind form = m->start.facts.used.form;
    return form == CREASE_RPCA_TUCKER ? m->start.facts.used.shape.order + 1
           : form == CREASE_RPCA_BALL ? 2
                                      : 1;
}

int crease_tucker_rpca_noise(const crease_tucker_rpca *m)
{
    const crease_rpca_kind form = m->start.facts.used.form;
    return form == CREASE_RPCA_TUCKER ? m->start.facts.used.shape.order + 3
           : form == CREASE_RPCA_BALL ? 3
                                      : -1;
}

static bool tucker_part(const crease_tucker_rpca *m, const double *const *x, double *out,
                        crease_error *e)
{
    const crease_tucker_rpca_settings *s = &m->start.facts.used;
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
    const crease_space *s = &m->start.facts.used.shape;
    if (m->start.facts.used.form == CREASE_RPCA_TUCKER) return tucker_part(m, x, out, e);
    if (m->start.facts.used.form == CREASE_RPCA_PCP) return copy(crease_size(s), x[0], out), true;
    crs_gemm(false, true, s->dim[0], s->dim[1], m->start.facts.used.ranks.dim[0], 1, x[0], x[1], 0,
             out);
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
