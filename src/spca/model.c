/* SPDX-License-Identifier: MIT
 * model: sparse PCA of a tensor as an ordinary problem, and its components: every start solved, the
 * best point kept, checked independently, and taken off T: T <- T - sigma u_1 o ... o u_d,
 * u_i = x_i/|x_i|, sigma = T(u_1, ..., u_d), after which T is orthogonal to the term
 *
 *     min -T(x_1, ..., x_d) + alpha sum_i R(x_i),  |x_i| <= 1
 *
 * Linear in each block: L_i = 0, L <= (d-1) min_n |T_(n)|_2, and the objective is at least
 * -min_n |T_(n)|_2. Jiang, Lin, Ma, Zhang 2019, sections 2 and 4.4; the 1-norm and d = 2 is the
 * penalized matrix decomposition of Witten, Tibshirani, Hastie 2009. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <crease/spca.h>

#include "core/carve.h"
#include "core/checkpoint.h"
#include "core/streams.h"
#include "reg/reg.h"
#include "smooth/fit.h"
#include "tensor/tensor.h"

struct crease_spca {
    crease_spca_settings s;
    crease_problem problem;
    crease_space space[CREASE_MAX_ORDER];
    crease_block block[CREASE_MAX_ORDER];
    char name[CREASE_MAX_ORDER][16];
    int argument[CREASE_MAX_ORDER];
    crease_multilinear_data data;
    crease_set ball;

    int power;                 /* T is worked on times 2^-power, and so are alpha and all below */
    double alpha, norm, sigma; /* sigma: T at the present start */
    void *memory;              /* of the arrays below */
    double *tensor;            /* what is left of T */
    double *start[CREASE_MAX_ORDER], *best[CREASE_MAX_ORDER], *unit[CREASE_MAX_ORDER];
    double *t;         /* as long as the longest mode */
    double *objective; /* per start */
    double *work;
    crease_watch watch; /* in that of the options */
    int found;          /* components so far */
};

void crease_spca_init(crease_spca_settings *s, size_t size, const crease_space *shape)
{
    const crease_spca_settings own = {
        .shape = *shape, .penalty = crease_l1(1), .fraction = 0.5 / shape->order, .starts = 10
    };
    crs_settings_give(s, size, &own, sizeof own);
}

static bool check_penalty(const crease_spca_settings *s, crease_error *e)
{
    const crease_set ball = crease_l2_ball(1);
    for (int n = 0; s->penalty.ops && n < s->shape.order; n++) {
        const crease_space one = crease_vector(s->shape.dim[n]);
        if (!crease_joint_check(&s->penalty, &ball, &one, NULL, e)) return false;
    }
    return true;
}

static bool check_settings(const crease_spca_settings *s, crease_error *e)
{
    enum { MOST_STARTS = 1000000 };
    if (!crs_check_shape("sparse PCA", &s->shape, e)) return false;
    if (s->shape.comm)
        return crs_fail(e, CREASE_UNSUPPORTED, "the tensor is split over ranks; hold it whole");
    if (!(s->alpha >= 0 && s->alpha < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "alpha = %g is outside its range: give a number > 0, or 0 for the default",
                        s->alpha);
    if (!(s->threshold >= 0 && s->threshold < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the threshold for alpha is %g; give a number > 0, or 0 for the fraction",
                        s->threshold);
    if (s->alpha == 0 && s->threshold == 0 && !(s->fraction > 0 && s->fraction < 1))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the fraction for alpha is %g; give a number between 0 and 1", s->fraction);
    if (s->starts < 1 || s->starts > MOST_STARTS)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%d starts; give 1 to %d", s->starts, MOST_STARTS);
    return check_penalty(s, e);
}

/* The tensor, the Gram matrix of its longest unfolding with its eigenvectors, the vectors of model
 * and solver, twice the scratch of a product with T, and what it takes in extended precision. */
double crease_spca_bytes(const crease_spca_settings *s)
{
    double lengths = 0, most = 0;
    for (int n = 0; n < s->shape.order; n++) {
        const double length = (double)s->shape.dim[n];
        lengths += length;
        if (crs_unfolding_fits(&s->shape, n)) most = larger(most, length * length);
    }
    const double work = (double)crs_contract_scratch(&s->shape);
    return 8 * ((double)crease_size(&s->shape) + 6 * most + 60 * lengths + 4 * work) + 0x1p22;
}

/* m->t = T(x_1, .., ., .., x_d) in mode n, and its norm. */
static double slope_in(crease_spca *m, double *const *x, int n)
{
    const crease_space *s = &m->s.shape;
    fill(s->dim[n], 0, m->t);
    crs_contract_except(s, m->tensor, (const double *const *)x, n, 1, m->t, m->work);
    return crs_norm(s->dim[n], m->t);
}

static double least_peak(crease_spca *m, double *norm)
{
    double least = INFINITY;
    for (int n = 0; n < m->s.shape.order; n++) {
        const double length = slope_in(m, m->start, n);
        double peak = 0;
        for (ptrdiff_t j = 0; j < m->s.shape.dim[n]; j++) peak = larger(peak, fabs(m->t[j]));
        if (peak < least) least = peak, *norm = length;
    }
    return least;
}

/* The weight at which entries of t_i = T(.., u_j, ..) vanish when |t_ij| <= s, s the threshold, or
 * a fraction of max |t_i|, max the least over the modes. A penalty with slope rho'(0+) < inf puts
 * |t_ij| <= alpha rho'(0+) to zero. With l0 an entry is worth sqrt(|t_i|^2 + t_ij^2) - |t_i|, about
 * t_ij^2/(2 |t_i|), against alpha rho(1). */
static double weight_for(const crease_reg *r, double s, double norm)
{
    if (!r->penalty) return s;
    const double slope = r->penalty->slope(r->par, 0);
    if (slope == INFINITY) return s * s / (2 * norm) / r->penalty->value(r->par, 1);
    return slope > 0 ? s / slope : s;
}

static void set_alpha(crease_spca *m)
{
    double norm = 0, alpha = m->s.alpha;
    if (alpha == 0) {
        const double peak = least_peak(m, &norm);
        alpha = weight_for(&m->s.penalty,
                           m->s.threshold > 0 ? m->s.threshold : m->s.fraction * peak, norm);
    }
    m->alpha = alpha > 0 && alpha < INFINITY ? alpha : 1; /* nothing is left of T: any will do */
    for (int n = 0; n < m->s.shape.order; n++)
        m->block[n].reg = crease_scaled(m->alpha, &m->s.penalty);
}

enum { SWEEPS = 10, ORDINARY = 30 };

/* x = v/|v|; x stays where v = 0. */
static void normalize(ptrdiff_t n, const double *v, double *x)
{
    const double norm = crs_norm(n, v);
    for (ptrdiff_t j = 0; norm > 0 && j < n; j++) x[j] = v[j] / norm;
}

/* Sweeps of x_i <- t_i/|t_i|, t_i = T(.., x_j, ..) */
static void power_method(crease_spca *m)
{
    for (int k = 0; k < SWEEPS; k++)
        for (int n = 0; n < m->s.shape.order; n++)
            if (slope_in(m, m->start, n) > 0) normalize(m->s.shape.dim[n], m->t, m->start[n]);
}

static void draw(crease_spca *m, int k, int n)
{
    const ptrdiff_t length = m->s.shape.dim[n];
    const uint64_t stream = (uint64_t)k * CREASE_MAX_ORDER + (uint64_t)n;
    crs_normals(m->s.seed, CRS_STREAM_START + stream, length, m->start[n]);
    normalize(length, m->start[n], m->start[n]);
}

static bool by_spectrum(crease_spca *m, int n, crease_error *e)
{
    const crease_space *s = &m->s.shape;
    const ptrdiff_t length = s->dim[n];
    draw(m, 0, n);
    if (!crs_unfolding_fits(s, n)) return true;
    double *squares =
        crs_doubles(length + length * length + crs_unfolding_scratch(s, n), "a start", e);
    if (!squares) return false;
    double *vectors = squares + length;
    const bool done =
        crs_unfolding(s, n, m->tensor, squares, vectors, vectors + length * length, &m->watch);
    if (done) normalize(length, vectors, m->start[n]);
    crs_free(squares);
    return done || crease_watch_over(&m->watch) || /* the random one stays */
           crs_fail(e, CREASE_NUMERICAL_FAILURE,
                    "the singular vectors of mode %d did not converge; rescale the tensor", n + 1);
}

/* The place of the entry of k-th largest magnitude; equal magnitudes count once. */
static ptrdiff_t large_entry(const crease_spca *m, int k)
{
    const ptrdiff_t size = crease_size(&m->s.shape);
    double below = INFINITY;
    ptrdiff_t at = 0;
    for (int round = 0; round <= k; round++) {
        double most = -1;
        for (ptrdiff_t j = 0; j < size; j++)
            if (fabs(m->tensor[j]) < below && fabs(m->tensor[j]) > most)
                most = fabs(m->tensor[j]), at = j;
        below = most;
    }
    return at;
}

/* With every x_n the fibre, the product of their signs there is sign^d: T(x) > 0 near it needs one
 * more where d is even and the entry negative. */
static void by_fibres(crease_spca *m, int k)
{
    const crease_space *s = &m->s.shape;
    const ptrdiff_t at = large_entry(m, k);
    const bool flip = m->tensor[at] < 0 && s->order % 2 == 0;
    for (int n = 0; n < s->order; n++) {
        const ptrdiff_t right = crs_right(s, n), index = at / right % s->dim[n];
        const double sign = flip && n == 0 ? -1 : 1;
        for (ptrdiff_t j = 0; j < s->dim[n]; j++)
            m->t[j] = sign * m->tensor[at + (j - index) * right];
        normalize(s->dim[n], m->t, m->start[n]);
    }
}

/* A penalty that wants x >= 0 is infinite elsewhere. */
static bool admit(crease_spca *m, crease_error *e)
{
    const crease_reg *r = &m->s.penalty;
    double value;
    for (int n = 0; n < m->s.shape.order; n++) {
        if (!crease_reg_value(r, &m->space[n], m->start[n], &value, e)) return false;
        for (ptrdiff_t j = 0; value == INFINITY && j < m->s.shape.dim[n]; j++)
            m->start[n][j] = fabs(m->start[n][j]);
    }
    return true;
}

/* Points with |x_i| = 1; x = 0 is stationary for every alpha. 0: the leading singular vectors of
 * the unfoldings; 1, 3, ...: the fibres through the largest entries of T, in turn; 2, 4, ...:
 * random vectors. The first kind and the last are improved by the power method, which raises T(x).
 */
bool crease_spca_start(crease_spca *m, int k, crease_error *e)
{
    const int order = m->s.shape.order;
    if (k < 0) return crs_fail(e, CREASE_BAD_ARGUMENT, "start %d; give a number >= 0", k);
    if (m->norm == 0)
        for (int n = 0; n < order; n++) fill(m->s.shape.dim[n], 0, m->start[n]);
    else if (k % 2 == 1)
        by_fibres(m, k / 2);
    else
        for (int n = 0; n < order; n++) {
            if (k > 0)
                draw(m, k, n);
            else if (!by_spectrum(m, n, e))
                return false;
        }
    if (m->norm > 0 && k % 2 == 0) power_method(m);
    if (!admit(m, e)) return false;
    if (k == 0) set_alpha(m);
    slope_in(m, m->start, 0);
    m->sigma = crs_dot(m->s.shape.dim[0], m->t, m->start[0]);
    return true;
}

void crease_spca_free(crease_spca *m)
{
    if (!m) return;
    crs_free(m->memory);
    crs_free(m);
}

/* The problem's blocks and coupling; alpha comes with the start. */
static void describe(crease_spca *m)
{
    const crease_space *shape = &m->s.shape;
    m->ball = crease_l2_ball(1);
    for (int n = 0; n < shape->order; n++) {
        snprintf(m->name[n], sizeof m->name[n], "x%d", n + 1);
        m->argument[n] = n;
        m->space[n] = crease_vector(shape->dim[n]);
        m->block[n] = (crease_block){ .name = m->name[n], .set = &m->ball, .start = m->start[n] };
    }
    m->data = (crease_multilinear_data){
        .shape = *shape, .tensor = m->tensor, .block = m->argument, .weight = -1, .watch = &m->watch
    };
    m->problem = (crease_problem){ .count = shape->order,
                                   .space = m->space,
                                   .block = m->block,
                                   .f = crease_multilinear(&m->data) };
}

static void carve(void *self, crs_carver *c)
{
    crease_spca *m = self;
    const crease_space *shape = &m->s.shape;
    ptrdiff_t longest = 0;
    m->tensor = carve_doubles(c, crease_size(shape), 1);
    for (int n = 0; n < shape->order; n++) {
        m->start[n] = carve_doubles(c, shape->dim[n], 1);
        m->best[n] = carve_doubles(c, shape->dim[n], 1);
        m->unit[n] = carve_doubles(c, shape->dim[n], 1);
        longest = more(longest, shape->dim[n]);
    }
    m->t = carve_doubles(c, longest, 1);
    m->objective = carve_doubles(c, m->s.starts, 1);
    m->work = carve_doubles(c, crs_contract_scratch(shape), 1);
}

crease_spca *crease_spca_new(const crease_spca_settings *given, const double *tensor,
                             crease_error *e)
{
    crease_spca_settings own = { .size = sizeof own };
    const crease_spca_settings *s = &own;
    if (!crs_settings_take("spca", &own, sizeof own, given, e) || !check_settings(s, e) ||
        !crs_check_tensor("sparse PCA", &s->shape, tensor, e))
        return NULL;
    const ptrdiff_t size = crease_size(&s->shape);
    const crs_extent extent = crs_extent_of(size, tensor, NULL);
    char where[64];
    snprintf(where, sizeof where, "entry %td of the tensor", extent.at + 1);
    if (!crs_extent_fits(&extent, where, "the tensor", extent.at < 0 ? 0 : tensor[extent.at], e))
        return NULL;
    crease_spca *m = crs_alloc(1, sizeof *m);
    if (!m) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a model");
        return NULL;
    }
    crs_watch_begin(&m->watch, NULL);
    m->s = *s;
    if (!m->s.penalty.ops) m->s.penalty = crease_l1(1);
    m->power = crs_extent_unit(&extent, ORDINARY);
    m->s.alpha = ldexp(m->s.alpha, -m->power);
    m->s.threshold = ldexp(m->s.threshold, -m->power);
    m->memory = carve_block(carve, m);
    if (!m->memory) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a tensor of %td entries", size);
    } else {
        crs_times_power(size, -m->power, tensor, m->tensor);
        m->norm = crs_norm(size, m->tensor);
        describe(m);
        if (crease_spca_start(m, 0, e)) return m;
    }
    crease_spca_free(m);
    return NULL;
}

const crease_problem *crease_spca_problem(const crease_spca *m) { return &m->problem; }
double crease_spca_alpha(const crease_spca *m) { return ldexp(m->alpha, m->power); }
double crease_spca_norm(const crease_spca *m) { return ldexp(m->norm, m->power); }

void crease_spca_options_init(const crease_spca *m, crease_options *to, size_t size)
{
    crease_options o = crease_options_default();
    o.relative = 1;
    o.method = CREASE_METHOD_PROX_BCD;
    (void)m;
    crs_settings_give(to, size, &o, sizeof o);
}

/* s = median |T| / 0.6745 is the standard deviation of normal noise with that median: Donoho and
 * Johnstone, Ideal spatial adaptation by wavelet shrinkage, 1994. */
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool crease_spca_noise(const crease_space *shape, const double *tensor, double *noise,
                       crease_error *e)
{
    if (!crs_check_shape("sparse PCA", shape, e) ||
        !crs_check_tensor("sparse PCA", shape, tensor, e))
        return false;
    const ptrdiff_t n = crease_size(shape);
    double *sorted = crs_doubles(n, "a median", e);
    if (!sorted) return false;
    for (ptrdiff_t j = 0; j < n; j++) sorted[j] = fabs(tensor[j]);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    const double below = sorted[(n - 1) / 2], above = sorted[n / 2];
    *noise = (below + (above - below) / 2) / 0.6744897501960817;
    crs_free(sorted);
    return true;
}

/* T(i_1, ..) -= sigma u_1(i_1) ..., one index after the other */
static void subtract(const crease_space *s, double sigma, double *const *u, double *tensor)
{
    const ptrdiff_t last = s->dim[s->order - 1], rows = crease_size(s) / last;
    for (ptrdiff_t row = 0; row < rows; row++) {
        double product = sigma;
        ptrdiff_t rest = row;
        for (int n = s->order - 2; n >= 0 && product != 0; n--) {
            product *= u[n][rest % s->dim[n]];
            rest /= s->dim[n];
        }
        if (product != 0) axpy(last, -product, u[s->order - 1], tensor + row * last);
    }
}

/* The unit vectors of x into m->unit; sigma is 0, and T stays, when an x_i is 0. */
static double deflate(crease_spca *m, double *const *x, double *length)
{
    const crease_space *s = &m->s.shape;
    bool zero = false;
    for (int n = 0; n < s->order; n++) {
        length[n] = crs_norm(s->dim[n], x[n]);
        zero = zero || length[n] == 0;
        for (ptrdiff_t j = 0; j < s->dim[n]; j++)
            m->unit[n][j] = length[n] > 0 ? x[n][j] / length[n] : 0;
    }
    if (zero) return 0;
    slope_in(m, m->unit, 0);
    const double sigma = crs_dot(s->dim[0], m->t, m->unit[0]);
    subtract(s, sigma, m->unit, m->tensor);
    m->norm = crs_norm(crease_size(s), m->tensor);
    return sigma;
}

/* What is known of the kept point while others are tried. */
typedef struct {
    double objective;
    bool certified;
    crease_outcome outcome;
    int start;
} kept;

static bool is_better(const kept *old, const kept *now)
{
    if (now->certified != old->certified) return now->certified;
    return now->objective < old->objective;
}

/* x_i <- argmin <c_i, y> + r_i(y) over the ball, block after block: it does not raise the
 * objective. The iterates of gcg are averages of such points; after a sweep their zeros are exact.
 */
static bool sweep(crease_spca *m, crease_error *e)
{
    for (int n = 0; n < m->s.shape.order; n++) {
        const ptrdiff_t length = m->s.shape.dim[n];
        const ptrdiff_t room = crease_lmo_with_scratch(&m->ball, &m->block[n].reg, &m->space[n]);
        double *work = crs_doubles(room + 1, "a sweep", e);
        if (!work) return false;
        slope_in(m, m->unit, n);
        for (ptrdiff_t j = 0; j < length; j++) m->t[j] = -m->t[j];
        crease_lmo_with(&m->ball, &m->block[n].reg, &m->space[n], m->t, m->unit[n], work);
        crs_free(work);
    }
    return true;
}

static bool judge(const crease_spca *m, double *const *x, const crease_options *o,
                  crease_verification *v, crease_error *e)
{
    const crease_claim c = { .p = &m->problem,
                             .x = (const double *const *)x,
                             .gcg = o->method == CREASE_METHOD_GCG,
                             .eps = o->eps,
                             .relative = o->relative != 0,
                             .watch = o->watch };
    const crease_phase was = crease_watch_enter(o->watch, CREASE_PHASE_CHECK);
    const bool done = crease_claim_verify(&c, v, e);
    crease_watch_enter(o->watch, was);
    return done;
}

static bool has_oracles(const crease_spca *m)
{
    for (int n = 0; n < m->s.shape.order; n++)
        if (!crease_lmo_with_check(&m->ball, &m->block[n].reg, &m->space[n], NULL)) return false;
    return true;
}

/* m->best after a sweep, where that is as low, and VALID. */
static bool polish(crease_spca *m, const crease_options *o, crease_error *e)
{
    crease_verification v = { .count = 0 };
    double before, after;
    if (!has_oracles(m) || crease_watch_over(o->watch)) return true;
    for (int n = 0; n < m->s.shape.order; n++) copy(m->s.shape.dim[n], m->best[n], m->unit[n]);
    if (!sweep(m, e) ||
        !crease_objective(&m->problem, (const double *const *)m->best, &before, e) ||
        !crease_objective(&m->problem, (const double *const *)m->unit, &after, e) ||
        !judge(m, m->unit, o, &v, e))
        return false;
    if (v.verdict == CREASE_VERDICT_VALID && after <= before + 1e-14 * m->norm)
        for (int n = 0; n < m->s.shape.order; n++) copy(m->s.shape.dim[n], m->unit[n], m->best[n]);
    crease_verification_free(&v);
    return true;
}

void crease_spca_stop(crease_spca *m) { crease_watch_stop(&m->watch); }

static bool run_start(crease_spca *m, int k, crease_options o, kept *best, crease_spca_component *c,
                      crease_error *e)
{
    crs_watch_say(&m->watch, "component %d, start %d of %d", m->found + 1, k + 1, m->s.starts);
    if (!crease_spca_start(m, k, e)) return false;
    if (o.h == 0 && o.method == CREASE_METHOD_PROX_BCD && o.mode == CREASE_MODE_PRACTICAL)
        o.h = m->sigma > 0 ? 0.1 * m->sigma : 0;
    crease_solver *s = crease_solver_new(&m->problem, &o, e);
    if (!s) return false;
    const crease_outcome how = crease_solve(s);
    const crease_report r = crease_solver_report(s);
    const crease_analysis *a = crease_solver_analysis(s);
    const kept now = { crease_solver_certificate(s)->objective, how == CREASE_STATIONARY, how, k };
    m->objective[k] = now.objective;
    c->iterations += r.iterations;
    c->seconds += r.seconds;
    c->theorem = a->guarantee ? a->theorem : NULL;
    if (k == 0 || is_better(best, &now)) {
        *best = now;
        for (int n = 0; n < m->s.shape.order; n++)
            copy(m->s.shape.dim[n], crease_solution(s, n), m->best[n]);
    }
    crease_solver_free(s);
    return true;
}

/* The starts of one component */
typedef struct {
    crease_spca *m;
    kept best;
    crease_spca_component *c;
} trials;

static void visit(crs_visitor *v, void *self)
{
    trials *t = self;
    crs_visit(v, t->best);
    crs_visit(v, t->c->iterations);
    crs_visit(v, t->c->seconds);
    crs_visit(v, t->c->starts);
    crs_visit_text(v, "theorem", &t->c->theorem);
    crs_visits(v, t->m->objective, t->m->s.starts);
    for (int n = 0; n < t->m->s.shape.order; n++)
        crs_visits(v, t->m->best[n], t->m->s.shape.dim[n]);
}

/* As a unit of a checkpoint; alpha comes with the first of them. */
static bool run_starts(trials *t, const crease_options *o, crease_error *e)
{
    crease_spca *m = t->m;
    if (crs_unit_begin(&m->watch, "starts", CRS_UNIT_WHOLE, visit, t) == CRS_UNIT_DONE)
        return crease_spca_start(m, 0, e);
    bool done = true;
    for (int k = 0; done && k < (m->norm > 0 ? m->s.starts : 1); k++) {
        if (k > 0 && crease_watch_over(&m->watch)) break;
        done = run_start(m, k, *o, &t->best, t->c, e);
        if (done) t->c->starts = k + 1;
    }
    (done ? crs_unit_end : crs_unit_drop)(&m->watch);
    return done;
}

static bool check_method(crease_options *o, crease_error *e)
{
    if (o->method == CREASE_METHOD_AUTO) o->method = CREASE_METHOD_PROX_BCD;
    return o->method == CREASE_METHOD_PROX_BCD || o->method == CREASE_METHOD_GCG ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "%s does not suit sparse PCA, which has no constraint; use prox-bcd or gcg",
                    crease_method_name(o->method));
}

static bool finish(crease_spca *m, const crease_options *o, crease_spca_component *c,
                   crease_error *e)
{
    crease_verification v = { .count = 0 };
    if (!polish(m, o, e)) return false;
    if (!crease_objective(&m->problem, (const double *const *)m->best, &c->objective, e) ||
        !judge(m, m->best, o, &v, e))
        return false;
    c->verdict = v.verdict;
    c->smallest_eps = v.smallest_eps;
    crease_verification_free(&v);
    c->sigma = deflate(m, m->best, c->length);
    c->zero = c->sigma == 0;
    const double close = 1e-4 * larger(fabs(c->objective), fabs(c->sigma));
    for (int k = 0; k < c->starts; k++) c->agree += fabs(m->objective[k] - c->objective) <= close;
    c->norm = m->norm;
    for (int n = 0; n < m->s.shape.order; n++) c->x[n] = m->best[n];
    return true;
}

/* The objective has the unit of T, and x has none: so do residuals, and h with them. */
static void own_units(const crease_spca *m, const crease_options *o, crease_spca_component *c)
{
    double *const number[] = { &c->sigma, &c->alpha, &c->objective, &c->norm };
    for (size_t k = 0; k < sizeof number / sizeof *number; k++)
        *number[k] = ldexp(*number[k], m->power);
    if (!o->relative) c->smallest_eps = ldexp(c->smallest_eps, m->power);
}

static bool next(crease_spca *m, crease_options *o, crease_spca_component *c, crease_error *e)
{
    const double eps = o->eps;
    trials t = { .m = m, .best = { .start = -1 }, .c = c };
    if (!o->relative) o->eps = ldexp(eps, -m->power);
    o->h = ldexp(o->h, -m->power);
    m->watch.outer = o->watch;
    m->watch.value = m->power;
    o->watch = &m->watch;
    crs_watch_restart(&m->watch);
    crease_watch_limit(&m->watch, o->max_seconds);
    if (!run_starts(&t, o, e)) return false;
    c->alpha = m->alpha, c->method = o->method, c->eps = eps;
    c->outcome = t.best.outcome, c->start = t.best.start;
    if (!finish(m, o, c, e)) return false;
    own_units(m, o, c);
    m->found++;
    return true;
}

bool crease_spca_next(crease_spca *m, const crease_options *options, crease_spca_component *c,
                      crease_error *e)
{
    crease_options o = crease_spca_options(m);
    o.h = 0;
    *c = (crease_spca_component){ .starts = 0 };
    if (!crs_settings_take("options", &o, sizeof o, options, e) || !crease_options_check(&o, e) ||
        !check_method(&o, e))
        return false;
    crease_watch *given = o.watch;
    const crease_phase was = crease_watch_enter(given, CREASE_PHASE_FIT);
    const bool done = next(m, &o, c, e);
    crease_watch_enter(given, was);
    return done;
}
