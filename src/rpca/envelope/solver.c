/* SPDX-License-Identifier: MIT
 * solver: the stages of the envelope's solver: the path of thresholds, what is learned from the
 * residual, when the ridge goes, another penalty comes, and all is done */
#include <limits.h>

#include "core/carve.h"
#include "rpca/envelope/state.h"
#include "rpca/rpca.h"

crs_envelope_solver_settings crs_envelope_solver_default(const crease_space *shape, ptrdiff_t rank)
{
    return (crs_envelope_solver_settings){
        .shape = *shape,
        .rank = rank,
        .penalty = { .rho = &crs_l1, .par = { 1 } },
        .alpha_noise = 1,
        .threads = 1,
        .path = true,
        .threshold_factor = 3,
        .prune = true,
        .ridge = 3,
        .eps = 1e-6,
        .aim = 1,
    };
}

static crs_envelope_settings pass_settings(const crs_envelope_solver_settings *c)
{
    return (crs_envelope_settings){ .shape = c->shape,
                                    .rank = c->rank,
                                    .alpha_noise = c->alpha_noise,
                                    .threads = c->threads,
                                    .watch = c->watch };
}

bool crs_envelope_solver_tall(const crs_envelope_solver_settings *c)
{
    return !c->nonneg && crs_tall_suits(&c->shape, c->rank);
}

static bool check(const crs_envelope_solver_settings *c, crease_error *e)
{
    const bool penalty =
        c->learn > 0 || (c->penalty.rho && c->penalty.weight >= 0 && c->penalty.weight < INFINITY);
    if (!penalty)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the envelope needs a penalty and an alpha >= 0, not %g",
                        c->penalty.weight);
    if (!(c->learn >= 0 && c->learn < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the learned threshold is %g scales; give 0 or a positive number",
                        c->learn);
    if (!(c->nu >= 0 && c->nu < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "nu is %g; give a number >= 0", c->nu);
    if (c->path && !(c->threshold_factor > 0 && c->threshold_factor < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the threshold factor is %g; give a positive number", c->threshold_factor);
    if (c->prune && !(c->ridge >= 0 && c->ridge < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the ridge before pruning is %g; give a number >= 0", c->ridge);
    if (!(c->eps > 0 && c->eps < 1))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "eps is %g; give a number between 0 and 1", c->eps);
    return true;
}

static void carve(crs_envelope_solver *s, crs_carver *m)
{
    const ptrdiff_t rows = rows_of(&s->c.shape), rank = s->c.rank;
    crs_envelope_iterate *const point[] = { &s->at, &s->trial };
    crs_envelope_model_carve(&s->model, m);
    for (int k = 0; k < 2; k++) {
        point[k]->x = carve_doubles(m, rows, rank);
        point[k]->sm = carve_doubles(m, rows, rank);
        point[k]->marginal = carve_doubles(m, rows, 1);
        point[k]->sums = carve_bytes(m, 1, sizeof *point[k]->sums);
    }
    s->gradient = carve_doubles(m, rows, rank);
    s->step = carve_doubles(m, rows, rank);
    s->scaled = carve_doubles(m, rows, rank);
    s->rhs = carve_doubles(m, rows, rank);
    s->backup = carve_doubles(m, rows, rank);
    s->cut = carve_bytes(m, rank, sizeof *s->cut);
    s->backup_cut = carve_bytes(m, rank, sizeof *s->cut);
    s->stride = rows * rank;
    s->pairs = carve_doubles(m, 2 * CRS_ENVELOPE_PAIRS * rows, rank);
    s->cg = carve_doubles(m, more(4 * rows, more(rank, 2)), rank);
    s->model.held = s->c.nonneg ? carve_doubles(m, rows, rank) : NULL;
}

/* Everything but memory, of settings in range; returns the bytes of its block, < 0 with the reason
 * in e. */
static ptrdiff_t plan(crs_envelope_solver *s, const crs_envelope_solver_settings *c,
                      crease_error *e)
{
    crs_carver count = { 0 };
    ptrdiff_t bytes;
    *s = (crs_envelope_solver){ .c = *c, .noise = crs_noise_share(c->alpha_noise) };
    s->model.shape = c->shape;
    s->model.rank = c->rank;
    carve(s, &count);
    if (count.used >= 0 && crs_add_size(count.used, CRS_LINE, &bytes)) return bytes;
    crs_fail(e, CREASE_BAD_ARGUMENT, "rank %td is too large", c->rank);
    return -1;
}

ptrdiff_t crs_envelope_solver_bytes(const crs_envelope_solver_settings *c, crease_error *e)
{
    crs_envelope_solver s;
    const crs_envelope_settings settings = pass_settings(c);
    const ptrdiff_t pass = check(c, e) ? crs_envelope_bytes(&settings, e) : -1;
    const ptrdiff_t own = pass < 0 ? -1 : plan(&s, c, e);
    const ptrdiff_t rows = crs_envelope_solver_tall(c) ? crs_tall_bytes(&settings) : 0;
    return own < 0 ? -1 : pass + own + rows + (ptrdiff_t)sizeof s;
}

void crs_envelope_solver_free(crs_envelope_solver *s)
{
    if (!s) return;
    crs_envelope_free(s->pass);
    crs_tall_free(s->tall);
    crs_observed_free(s->observed);
    crs_free(s->memory);
    crs_free(s);
}

/* What steps with rows eliminated need, where there are any. */
static bool open_rows(crs_envelope_solver *s, const crs_envelope_settings *c, crs_source *T)
{
    const bool listed = T->listed && !s->c.nonneg;
    const bool tall = !listed && crs_envelope_solver_tall(&s->c);
    if (listed) s->observed = crs_observed_open(c, T->listed, true);
    if (tall) s->tall = crs_tall_new(c, T);
    return (!listed || s->observed) && (!tall || s->tall);
}

crs_envelope_solver *crs_envelope_solver_new(const crs_envelope_solver_settings *c, crs_source *T,
                                             crease_error *e)
{
    crs_envelope_solver planned;
    const crs_envelope_settings settings = pass_settings(c);
    if (crs_envelope_solver_bytes(c, e) < 0) return NULL;
    const ptrdiff_t bytes = plan(&planned, c, e);
    crs_envelope_solver *s = crs_alloc(1, sizeof *s);
    if (s) *s = planned;
    if (s) s->memory = crs_alloc((size_t)bytes, 1);
    if (!s || !s->memory || !open_rows(s, &settings, T)) {
        crs_fail(e, CREASE_NO_MEMORY, "no memory for the envelope's solver");
    } else {
        crs_carver m = carver_of(s->memory);
        carve(s, &m);
        s->pass = crs_envelope_new(&settings, T, e);
        if (s->pass) return s;
    }
    crs_envelope_solver_free(s);
    return NULL;
}

/* |the part of the gradient that is not in -N(x)| for X >= 0, else |the gradient| */
static double violation(const crs_envelope_solver *s, ptrdiff_t size, const double *x,
                        const double *g, double *work)
{
    for (ptrdiff_t j = 0; j < size; j++) work[j] = s->c.nonneg && x[j] <= 0 && g[j] > 0 ? 0 : g[j];
    return crs_norm(size, work);
}

static void measure(crs_envelope_solver *s)
{
    const crs_envelope_model *m = &s->model;
    crs_kruskal k = { .shape = m->shape, .rank = m->rank };
    for (int n = 0; n < m->shape.order; n++) k.factor[n] = s->at.x + first_unknown(m, n);
    s->out.worst = s->out.violation = s->out.angle = 0;
    s->out.value = s->at.data + ridge_value(s, s->at.x);
    const double whole = s->c.whole > 0 ? larger(s->c.whole, s->out.value) : 0;
    const double size = sqrt(s->at.sums->squares);
    for (int n = 0; n < m->shape.order; n++) {
        const ptrdiff_t at = first_unknown(m, n), count = m->shape.dim[n] * m->rank;
        const double *x = s->at.x + at, *sm = s->at.sm + at;
        double *g = s->gradient + at, *xg = s->scaled;
        for (ptrdiff_t j = 0; j < count; j++) g[j] = -2 * s->noise * sm[j] + s->nu * x[j];
        crs_gram_except(&k, n, m->small, s->cg);
        crs_gemm(false, false, m->shape.dim[n], m->rank, m->rank, 1, x, m->small, 0, xg);
        double bound = 2 * crs_norm(count, xg) + s->nu * crs_norm(count, x);
        axpy(count, s->noise, sm, xg); /* Z_(n) M_n */
        bound = crs_cp_scale(bound + 2 * crs_norm(count, xg), whole, crs_norm(count, x));
        const double wrong = violation(s, count, x, g, s->cg);
        s->out.residual[n] = wrong == 0 ? 0 : wrong / bound;
        s->out.worst = larger(s->out.worst, s->out.residual[n]);
        s->out.violation = larger(s->out.violation, wrong);
        double trace = 0;
        for (ptrdiff_t r = 0; r < m->rank; r++) trace += m->small[r * (m->rank + 1)];
        if (wrong > 0)
            s->out.angle = larger(s->out.angle, wrong / (2 * s->noise * size * sqrt(trace)));
    }
    s->out.median = crs_envelope_quantile(s->at.sums, 0.5);
    s->out.threshold = crs_envelope_threshold(&s->at.penalty, s->noise);
}

/* alpha V^{1-2/d} makes the ridge a price per component in the units of the data; a component
 * that may have been lost to it is tried again with less of it. */
static double path_ridge(const crs_envelope_solver *s, double t)
{
    const double most =
        smaller(t, s->c.threshold_factor * s->typical); /* beyond it nothing is an outlier */
    const double price = 2 * s->noise * most * pow(s->typical, 1 - 2.0 / s->model.shape.order);
    return s->c.prune ? larger(s->c.nu, s->c.ridge * pow(0.1, s->refills) * price) : s->c.nu;
}

static double path_goal(const crs_envelope_solver *s)
{
    return crs_envelope_threshold(&s->goal, s->noise);
}

/* t = max(t*, min(t, factor median|r|)), and lower where the point is nearly stationary for t */
static double following(const crs_envelope_solver *s)
{
    const double least = path_goal(s);
    double t = smaller(s->ceiling, s->threshold_factor * s->out.median);
    const bool above = least > 0 && s->out.threshold > least;
    if (s->known && above && s->out.worst < 1e-2) t = smaller(t, 0.4 * s->out.threshold);
    return larger(t, least);
}

static bool path_ends(const crs_envelope_solver *s)
{
    const double least = path_goal(s);
    return s->out.threshold == least && following(s) == least;
}

static crs_penalty_value next_penalty(crs_envelope_solver *s)
{
    if (s->out.stage == CRS_STAGE_WANTED) return s->c.penalty;
    if (s->out.stage != CRS_STAGE_PATH) return s->goal;
    s->ceiling = following(s);
    return s->ceiling > path_goal(s) ? crs_envelope_l1(s->ceiling, s->noise) : s->goal;
}

/* V: the median of |r| at the start, or the root mean square of the start if that is larger */
static void set_typical(crs_envelope_solver *s)
{
    const crs_envelope_model *m = &s->model;
    const ptrdiff_t area = m->rank * m->rank;
    double squares = 0;
    fill(area, 1, m->small);
    for (int n = 0; n < m->shape.order; n++) {
        crs_gram(m->shape.dim[n], m->rank, s->at.x + first_unknown(m, n), m->cross);
        for (ptrdiff_t q = 0; q < area; q++) m->small[q] *= m->cross[q];
    }
    for (ptrdiff_t q = 0; q < area; q++) squares += m->small[q];
    s->typical = larger(s->out.median, sqrt(pos(squares) / (double)crease_size(&m->shape)));
    if (s->out.stage <= CRS_STAGE_RIDGE) s->nu = path_ridge(s, s->out.threshold);
}

/* The fraction of |r| <= a */
static double fraction_below(const crs_envelope_sums *a, double bound)
{
    double low = 0, high = 1;
    for (int k = 0; k < 14; k++) {
        const double middle = (low + high) / 2;
        if (crs_envelope_quantile(a, middle) <= bound)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* P(|z| <= 2.5) = 0.98758 and the median of |z| there is 0.6645 for a standard normal z */
double crs_envelope_scale(const crs_envelope_sums *a, double parameters)
{
    double scale = crs_envelope_quantile(a, 0.5) / 0.6745, before = INFINITY;
    for (int k = 0; k < 30 && fabs(scale - before) > 1e-3 * scale; k++) {
        before = scale;
        scale = crs_envelope_quantile(a, fraction_below(a, 2.5 * scale) / 2) / 0.6645;
    }
    const double count = (double)a->observed;
    return count > 2 * parameters ? scale * sqrt(count / (count - parameters)) : scale;
}

static double parameters(const crs_envelope_model *m)
{
    return (double)(m->rank * (rows_of(&m->shape) - m->shape.order + 1));
}

double crs_envelope_solver_deviation(const crs_envelope_solver *s)
{
    return s->learned ? s->out.scale : crs_envelope_scale(s->at.sums, parameters(&s->model));
}

double crs_envelope_solver_share(const crs_envelope_solver *s)
{
    const double normal = 0.0027, scale = crs_envelope_solver_deviation(s); /* P(|z| > 3) */
    if (!(scale > 0)) return 0;
    return pos(1 - fraction_below(s->at.sums, 3 * scale) - normal) / (1 - normal);
}

/* The threshold from the noise's scale; false when it is not much below the one before. */
static bool learn_lower(crs_envelope_solver *s)
{
    const double before = larger(s->kept, path_goal(s));
    s->out.scale = crs_envelope_scale(s->at.sums, parameters(&s->model));
    const double t = s->c.learn * s->out.scale;
    const bool much = before == 0 || t < 0.8 * before;
    if (much) s->attempt = CRS_ATTEMPT_NONE;
    s->goal = crs_envelope_l1(much ? t : before, s->noise);
    s->learned = true;
    s->kept = 0;
    return much;
}

/* Clipped outliers and P parameters of n entries add k^2 t^2 P/n, k^2 = p/(1-p)^2 for a share p, to
 * the variance of the residual. Where that is near what they were clipped at, the scale is theirs
 * and not the noise's, and only a lower threshold shows that. */
static bool learn_share(crs_envelope_solver *s)
{
    if (!s->learned) return false;
    s->out.scale = crs_envelope_scale(s->at.sums, parameters(&s->model));
    const double k = crs_cp_threshold(crs_envelope_solver_share(s), s->c.learn);
    const double t = k * s->out.scale;
    if (!(t < 0.8 * path_goal(s))) return false;
    s->goal = crs_envelope_l1(t, s->noise);
    return true;
}

/* After a change that may let the path go on; where it does not, the threshold is kept. */
void crs_envelope_unlearn(crs_envelope_solver *s)
{
    if (s->c.learn == 0) return;
    s->kept = path_goal(s);
    s->goal = crs_envelope_l1(0, s->noise);
    s->learned = false;
    s->before = INFINITY;
    s->threshold_factor = s->c.threshold_factor;
}

/* The path ends when the median does, also for thresholds of half the size: while outliers bias
 * the fit, the median is a multiple of the threshold. */
static void learn(crs_envelope_solver *s)
{
    const bool near = s->out.worst < 1e-3, settled = near && s->out.median > 0.9 * s->before;
    s->before = near ? s->out.median : INFINITY;
    if (!settled) return;
    if (s->threshold_factor == s->c.threshold_factor)
        s->threshold_factor /= 2;
    else
        learn_lower(s);
}

static const double ridge_stop = 1e-4, ridge_angle = 2e-2, switch_stop = 1e-4, share_stop = 1e-3;
enum { patience = 25 };

/* The ridge stage has come to an end, or takes long; what is to be verified may take longer. */
static bool ridge_ends(const crs_envelope_solver *s)
{
    const bool verify = s->attempt == CRS_ATTEMPT_LESS || s->attempt == CRS_ATTEMPT_REFILL;
    const bool there =
        s->out.worst <= ridge_stop && s->out.angle <= (verify ? ridge_angle / 2 : ridge_angle);
    const bool long_ago = s->out.steps - s->since >= (verify ? 3 * patience : patience);
    return s->out.threshold == path_goal(s) && (there || long_ago);
}

static void enter(crs_envelope_solver *s, crs_envelope_stage stage)
{
    s->out.stage = stage;
    s->since = s->out.steps;
    s->nu = stage <= CRS_STAGE_RIDGE ? path_ridge(s, path_goal(s)) : s->c.nu;
    s->built = false;
    forget_pairs(s);
    if (s->known) measure(s);
}

static void along_path(crs_envelope_solver *s, bool stuck)
{
    const bool learning = s->c.learn > 0 && !s->learned;
    if (learning) learn(s);
    if (stuck) s->known = false;
    if (stuck || (!learning && path_ends(s))) {
        enter(s, CRS_STAGE_RIDGE);
    } else {
        s->nu = path_ridge(s, s->out.threshold);
        measure(s);
    }
}

static void back_to_path(crs_envelope_solver *s)
{
    if (s->c.path) s->out.stage = CRS_STAGE_PATH;
    s->ceiling = INFINITY;
}

/* The last stage begins again where outliers ask for a lower threshold. */
static bool lowered(crs_envelope_solver *s)
{
    if (s->out.stage != CRS_STAGE_LAST || s->c.learn == 0) return false;
    if (!(s->out.worst <= share_stop) || !learn_share(s)) return false;
    s->known = false;
    reset_step(s);
    return true;
}

/* A better fit, or another rank: once more along the path; else the model's own nu */
static void leave_ridge(crs_envelope_solver *s, bool stuck)
{
    if (s->c.learn > 0 && !stuck && learn_lower(s)) {
        if (s->c.path) crs_envelope_unlearn(s);
        back_to_path(s);
        return;
    }
    s->known = !(s->c.prune && crs_envelope_rank(s));
    if (s->known)
        enter(s, CRS_STAGE_LAST);
    else
        back_to_path(s);
    if (s->c.prune) reset_step(s);
    lowered(s);
}

/* A component that drifts towards an outlier makes the last stage long. */
static bool again(const crs_envelope_solver *s)
{
    return s->rounds < 2 && s->out.worst > s->c.eps && s->out.steps - s->since >= 2 * patience;
}

static void enter_wanted(crs_envelope_solver *s)
{
    s->out.stage = CRS_STAGE_WANTED;
    s->known = false;
    reset_step(s);
}

/* At the penalty asked for, or l1 in its place for one that is learned. */
static void conclude(crs_envelope_solver *s, bool wanted, bool stuck)
{
    const bool final = s->at.penalty.rho == s->c.penalty.rho || !wanted;
    if (final && s->out.worst <= s->c.eps)
        s->out.status = CRS_ENVELOPE_STATIONARY;
    else if (stuck)
        s->out.status = CRS_ENVELOPE_STALLED;
}

static void advance(crs_envelope_solver *s, bool stuck)
{
    const bool wanted = s->c.learn == 0 && s->c.penalty.rho != &crs_l1;
    const crs_envelope_stage before = s->out.stage;
    if (s->out.stage == CRS_STAGE_PATH) along_path(s, stuck);
    if (s->out.stage == CRS_STAGE_RIDGE && (!s->c.prune || stuck || ridge_ends(s))) {
        leave_ridge(s, stuck);
    } else if (s->out.stage == CRS_STAGE_LAST && wanted && (stuck || s->out.worst <= switch_stop)) {
        enter_wanted(s);
    } else if (lowered(s)) {
        return;
    } else if (s->out.stage == CRS_STAGE_LAST && s->c.prune && again(s)) {
        s->attempt = CRS_ATTEMPT_NONE;
        s->rounds++;
        enter(s, CRS_STAGE_RIDGE);
    }
    if (s->out.stage >= CRS_STAGE_LAST && s->known)
        conclude(s, wanted, stuck && before >= CRS_STAGE_LAST);
}

/* A penalty whose prox is never 0 has no l1 to come from. */
static crs_envelope_stage first_stage(const crs_envelope_solver *s, double t)
{
    if (s->c.learn == 0 && t == 0) return CRS_STAGE_WANTED;
    return s->c.path ? CRS_STAGE_PATH : CRS_STAGE_RIDGE;
}

bool crs_envelope_solver_start(crs_envelope_solver *s, ptrdiff_t rank, const double *const *factor,
                               crease_error *e)
{
    if (rank < 1 || rank > s->c.rank)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "a start of rank %td for a solver of rank %td",
                        rank, s->c.rank);
    s->model.rank = rank;
    for (int n = 0; n < s->c.shape.order; n++) {
        double *x = s->at.x + first_unknown(&s->model, n);
        const ptrdiff_t size = s->c.shape.dim[n] * rank;
        for (ptrdiff_t j = 0; j < size; j++) {
            if (!isfinite(factor[n][j]))
                return crs_fail(e, CREASE_BAD_DATA,
                                "entry %td of start factor %d is %g; give finite numbers", j + 1,
                                n + 1, factor[n][j]);
            x[j] = s->c.nonneg ? fabs(factor[n][j]) : factor[n][j];
        }
    }
    const double t = s->c.learn > 0 ? 0 : crs_envelope_threshold(&s->c.penalty, s->noise);
    s->goal = crs_envelope_l1(t, s->noise);
    s->out = (crs_envelope_progress){ .rank = rank, .stage = first_stage(s, t) };
    s->most = s->c.most > 0 ? s->c.most : LONG_MAX;
    s->known = s->built = s->learned = false;
    s->attempt = CRS_ATTEMPT_NONE;
    s->refills = s->rounds = 0;
    s->cuts = 0;
    s->kept = 0;
    s->threshold_factor = s->c.threshold_factor;
    s->since = 0;
    s->first_rank = rank;
    s->before = s->ceiling = INFINITY;
    s->nu = s->c.nu;
    reset_step(s);
    return true;
}

void crs_envelope_solver_follow(crs_envelope_solver *s, double threshold_factor)
{
    s->c.threshold_factor = threshold_factor;
}

const crs_envelope_progress *crs_envelope_solver_progress(const crs_envelope_solver *s)
{
    return &s->out;
}
const crease_cp_cut *crs_envelope_solver_cuts(const crs_envelope_solver *s) { return s->cut; }
double crs_envelope_solver_squares(const crs_envelope_solver *s) { return s->at.sums->squares; }
const crs_penalty_value *crs_envelope_solver_penalty(const crs_envelope_solver *s)
{
    return &s->at.penalty;
}
const double *crs_envelope_solver_factor(const crs_envelope_solver *s, int n)
{
    return s->at.x + first_unknown(&s->model, n);
}

/* False: the sums were cut by the watch, or a slab could not be had, which ends the solver; the
 * point is as it was. */
static bool evaluate(crs_envelope_solver *s, crs_envelope_iterate *p,
                     const crs_penalty_value *judge, const crs_penalty_value *next)
{
    const crs_envelope_model *m = &s->model;
    const double *factor[CREASE_MAX_ORDER];
    for (ptrdiff_t n = 0, row = 0; n < m->shape.order; row += m->shape.dim[n], n++) {
        factor[n] = p->x + row * m->rank;
        p->sums->gradient[n] = p->sm + row * m->rank;
        p->sums->marginal[n] = p->marginal + row;
    }
    s->failure.code = CREASE_OK;
    if (!crs_envelope_evaluate(s->pass, m->rank, factor, judge, next, p->sums, &s->failure)) {
        if (s->failure.code != CREASE_OK) s->out.status = CRS_ENVELOPE_FAILED;
        return false;
    }
    p->penalty = *next;
    p->data = p->sums->value_next;
    s->out.passes++;
    return true;
}

const crease_error *crs_envelope_solver_failure(const crs_envelope_solver *s)
{
    return &s->failure;
}

static void arrive(crs_envelope_solver *s)
{
    s->known = true;
    s->built = false;
    crs_envelope_balance(s);
    measure(s);
}

/* A evaluate without a step; at the start a second, where the path begins above its goal. */
static void first_pass(crs_envelope_solver *s)
{
    const crs_penalty_value penalty =
        s->out.passes == 0 && s->out.stage != CRS_STAGE_WANTED ? s->goal : next_penalty(s);
    s->at.sums->uncut = true; /* without it nothing is known of the point */
    const bool done = evaluate(s, &s->at, &penalty, &penalty);
    s->at.sums->uncut = false;
    if (!done) return;
    forget_pairs(s);
    arrive(s);
    if (s->out.passes > 1) return;
    set_typical(s);
    s->known = s->out.stage != CRS_STAGE_PATH || path_ends(s);
}

crs_envelope_status crs_envelope_solver_step(crs_envelope_solver *s)
{
    if (s->out.status != CRS_ENVELOPE_RUNNING) return s->out.status;
    if (!s->known) {
        first_pass(s);
        if (s->known) advance(s, false);
        return s->out.status;
    }
    const bool moved = crs_envelope_step_direction(s); /* (2c eta J'WJ + (mu+nu) I) d = -g */
    if (s->out.status == CRS_ENVELOPE_FAILED) return s->out.status;
    if (!moved) return advance(s, true), s->out.status;
    const crs_penalty_value next = next_penalty(s);       /* t = max(t*, min(t, factor med)) */
    if (!evaluate(s, &s->trial, &s->at.penalty, &next) || /* F and the gradient at x + d */
        !crs_envelope_step_judge(s))                      /* rho = gain/predicted */
        return s->out.status;
    const crs_envelope_iterate old = s->at;
    s->at = s->trial;
    s->trial = old;
    s->out.steps++;
    arrive(s);
    advance(s, false);
    return s->out.status;
}

void crs_envelope_visit_penalty(crs_visitor *v, const crs_penalty_value *wanted,
                                crs_penalty_value *x)
{
    const crease_penalty *const known[] = { NULL, &crs_l1, &crs_mcp, wanted->rho };
    int which = 0;
    while (which < 3 && x->rho != known[which]) which++;
    crs_visit(v, which);
    crs_visit(v, x->par);
    crs_visit(v, x->weight);
    if (crs_visit_reads(v)) x->rho = known[which & 3];
}

void crs_envelope_visit_sums(crs_visitor *v, crs_envelope_sums *a)
{
    crs_visit(v, a->value);
    crs_visit(v, a->value_next);
    crs_visit(v, a->squares);
    crs_visit(v, a->weights);
    crs_visit(v, a->observed);
    crs_visit(v, a->nonzeros);
    crs_visit(v, a->every);
    crs_visit(v, a->histogram);
    crs_visit(v, a->unit);
}

static void visit_iterate(crs_visitor *v, const crs_envelope_solver *s, crs_envelope_iterate *p)
{
    const ptrdiff_t rows = rows_of(&s->c.shape);
    crs_visits(v, p->x, rows * s->c.rank);
    crs_visits(v, p->sm, rows * s->c.rank);
    crs_visits(v, p->marginal, rows);
    crs_envelope_visit_sums(v, p->sums);
    crs_envelope_visit_penalty(v, &s->c.penalty, &p->penalty);
    crs_visit(v, p->data);
}

static void visit_model(crs_visitor *v, crs_envelope_model *m, ptrdiff_t rank)
{
    const ptrdiff_t rows = rows_of(&m->shape), d = m->shape.order, area = rank * rank;
    crs_visit(v, m->rank);
    crs_visit(v, m->curvature);
    crs_visit(v, m->nu);
    crs_visits(v, m->root, rows);
    crs_visits(v, m->y, rows * rank);
    crs_visits(v, m->gram, d * area);
    crs_visits(v, m->pair, d * (d - 1) / 2 * area);
    crs_visits(v, m->except, d * area);
    if (m->held) crs_visits(v, m->held, rows * rank);
}

void crs_envelope_visit_cuts(crs_visitor *v, ptrdiff_t count, crease_cp_cut *cut)
{
    for (ptrdiff_t k = 0; k < count; k++) {
        crs_visit_text(v, "reason", &cut[k].reason);
        crs_visit(v, cut[k].size);
        crs_visit(v, cut[k].noise);
        crs_visit(v, cut[k].mode);
    }
}

static void visit_stage(crs_visitor *v, crs_envelope_solver *s)
{
    crs_envelope_visit_penalty(v, &s->c.penalty, &s->goal);
    crs_visit(v, s->out);
    crs_visit(v, s->c.threshold_factor);
    crs_visit(v, s->nu);
    crs_visit(v, s->typical);
    crs_visit(v, s->eta);
    crs_visit(v, s->predicted);
    crs_visit(v, s->length);
    crs_visit(v, s->threshold_factor);
    crs_visit(v, s->ceiling);
    crs_visit(v, s->before);
    crs_visit(v, s->known);
    crs_visit(v, s->built);
    crs_visit(v, s->since);
    crs_visit(v, s->learned);
    crs_visit(v, s->kept);
    crs_visit(v, s->attempt);
    crs_visit(v, s->refills);
    crs_visit(v, s->rounds);
    crs_visit(v, s->first_rank);
    crs_visit(v, s->without_rows);
}

/* A step that eliminates rows may have been cut by the limit of passes. */
static bool is_limited(const crs_envelope_solver *s)
{
    return (s->tall || s->observed) && s->c.most > 0 && s->out.passes >= s->c.most;
}

void crs_envelope_solver_visit(crs_visitor *v, void *solver)
{
    crs_envelope_solver *s = solver;
    const ptrdiff_t size = rows_of(&s->c.shape) * s->c.rank;
    if (is_limited(s) && crs_visit_writes(v)) crs_visit_refuses(v);
    visit_stage(v, s);
    visit_iterate(v, s, &s->at);
    visit_iterate(v, s, &s->trial);
    visit_model(v, &s->model, s->c.rank);
    crs_visits(v, s->gradient, size);
    crs_visit(v, s->backup_rank);
    crs_visit(v, s->backup_squares);
    crs_visits(v, s->backup, size);
    crs_visit(v, s->cuts);
    crs_visit(v, s->backup_cuts);
    crs_envelope_visit_cuts(v, s->c.rank, s->cut);
    crs_envelope_visit_cuts(v, s->c.rank, s->backup_cut);
    crs_visits(v, s->pairs, 2 * CRS_ENVELOPE_PAIRS * size);
    crs_visit(v, s->first_pair);
    crs_visit(v, s->pair_count);
}

/* The iterations of a fit that chooses a start or a rank, for the watch. */
static void tell(crs_envelope_solver *s)
{
    const crease_progress now = { .iteration = s->out.passes,
                                  .objective = s->out.value,
                                  .feasibility = NAN,
                                  .worst = s->out.violation,
                                  .worst_relative = s->out.worst,
                                  .theta = NAN,
                                  .potential = NAN };
    crs_watch_tell(s->c.watch, &now);
}

bool crs_envelope_solver_lead(crs_envelope_solver *s, long most, crs_envelope_late *late,
                              const void *self, crease_error *e)
{
    crease_watch *w = s->c.watch;
    const crs_unit_found found =
        crs_unit_begin(w, "lead", CRS_UNIT_LOOP, crs_envelope_solver_visit, s);
    if (found == CRS_UNIT_DONE) return true;
    s->most = s->c.most > 0 && s->c.most < most ? s->c.most : most;
    while (crs_envelope_solver_step(s) == CRS_ENVELOPE_RUNNING && s->out.passes < most &&
           !late(self, s->out.passes)) {
        tell(s);
        crs_unit_tick(w);
    }
    tell(s);
    const bool done = s->out.status != CRS_ENVELOPE_FAILED;
    if (!done) crs_unit_cut(w);
    (done ? crs_unit_end : crs_unit_drop)(w);
    if (!done && e) *e = s->failure;
    return done;
}
