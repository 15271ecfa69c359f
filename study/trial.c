/* SPDX-License-Identifier: MIT
 * trial: a fit to an instance whose truth is known; the oracle's, which knows where the outliers
 * are; many trials, several at a time; their means and their JSON */
#include "study/trial.h"
#include "rpca/rpca.h"

#include "core/parallel.h"

static const double LEARN = 3, EPS = 1e-6;

crease_cp_fit_settings crs_trial_settings(const crease_space *shape, ptrdiff_t rank)
{
    crease_cp_fit_settings s = crease_cp_fit_default(shape, rank);
    s.threads = 1;
    s.learn = LEARN;
    s.prune = true; /* the rank that is found is counted */
    s.run.eps = EPS;
    return s;
}

static bool read_part(void *fit, crease_rpca_part part, ptrdiff_t row, double *out)
{
    crease_cp_fit_read(fit, part, row, 1, out);
    return true;
}

static bool verify(crease_cp_fit *f, bool *valid, crease_error *e)
{
    const crease_cp_fit_settings s = crease_cp_fit_used(f);
    const double *factor[CREASE_MAX_ORDER];
    crease_verification v;
    for (int n = 0; n < s.model.shape.order; n++) factor[n] = crease_cp_fit_factor(f, n);
    crease_cp_claim claim = { .shape = s.model.shape,
                              .rank = s.model.rank,
                              .penalty = s.model.penalty,
                              .alpha = s.model.alpha,
                              .alpha_noise = s.model.alpha_noise,
                              .ridge = s.model.ridge,
                              .factor = factor,
                              .read = read_part,
                              .user = f };
    crease_cp_fit_rows(f, &claim.left, &claim.right);
    if (!crease_cp_verify(&claim, EPS, true, &v, e)) return false;
    *valid = v.verdict == CREASE_VERDICT_VALID;
    crease_verification_free(&v);
    return true;
}

/* sum phi(T - truth), phi(r) = min_e c(r - e)^2 + alpha rho(e) */
static double truth_objective(const crease_cp_rpca_settings *m, const crease_cp_instance *c)
{
    const double share = m->alpha_noise / (1 + m->alpha_noise);
    const crease_penalty *rho = m->penalty.penalty;
    const double *par = m->penalty.par, step = 1 / (2 * share) * m->alpha;
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(&m->shape); j < n; j++) {
        const double r = fabs(c->tensor[j] - c->lowrank[j]), y = rho->shrink(par, step, r);
        sum += share * square(r - y) + (y == 0 ? 0 : m->alpha * rho->value(par, y));
    }
    return sum;
}

static bool judge(crease_cp_fit *f, const crease_cp_instance *c, double *work, crs_trial *out,
                  crease_error *e)
{
    const crease_cp_fit_settings s = crease_cp_fit_used(f);
    const crease_cp_pilot pilot = crease_cp_fit_pilot(f);
    ptrdiff_t left, right;
    crease_cp_fit_rows(f, &left, &right);
    crease_cp_fit_read(f, CREASE_RPCA_LOWRANK, 0, left, work);
    out->error = crease_relative_error(left * right, work, c->lowrank);
    out->success = out->error < 0.01 || out->error < 1.5 * out->oracle;
    out->readings = crease_cp_fit_readings(f);
    out->iterations = crease_cp_fit_report(f).iterations + pilot.passes;
    out->starts = pilot.starts;
    out->certified = crease_cp_fit_report(f).outcome == CREASE_STATIONARY;
    out->rank = s.model.rank;
    const bool l1 = s.model.penalty.penalty == crease_l1(1).penalty;
    out->alpha = s.model.alpha * (l1 ? s.model.penalty.par[0] : 1);
    out->objective = crease_cp_fit_certificate(f)->objective;
    out->objective_truth = truth_objective(&s.model, c);
    return verify(f, &out->valid, e);
}

bool crs_trial_run(const crease_cp_fit_settings *s, const crease_cp_instance *c, double oracle,
                   crs_trial *out, crease_error *e)
{
    const ptrdiff_t n = crease_size(&s->model.shape);
    double *work = crs_doubles(n, "a tensor", e);
    *out = (crs_trial){ .oracle = oracle };
    if (!work) return false;
    copy(n, c->tensor, work);
    const double begun = crs_now();
    crease_cp_fit *f = crease_cp_fit_new(s, work, e);
    double *other = f ? crs_doubles(n, "a tensor", e) : NULL;
    if (other) crease_cp_fit_run(f);
    out->seconds = crs_now() - begun;
    const bool done = other && judge(f, c, other, out, e);
    crease_cp_fit_free(f);
    crs_free(other);
    crs_free(work);
    return done;
}

/* The first columns of the true factors; those of the longest terms come first. */
static bool leading(const crease_cp_instance *c, ptrdiff_t rank, double **factor, crease_error *e)
{
    const crease_cp_recipe *r = &c->recipe;
    double *unit[CREASE_MAX_ORDER] = { NULL }, *weight = crs_doubles(r->rank, "weights", e);
    bool done = weight;
    for (int n = 0; done && n < r->shape.order; n++) {
        unit[n] = crs_doubles(r->shape.dim[n] * r->rank, "unit columns", e);
        factor[n] = unit[n] ? crs_doubles(r->shape.dim[n] * rank, "a factor", e) : NULL;
        done = factor[n];
    }
    const double *const *x = (const double *const *)c->factor;
    done = done && crease_cp_components(&r->shape, r->rank, x, unit, weight, e);
    for (int n = 0; done && n < r->shape.order; n++)
        for (ptrdiff_t j = 0; j < r->shape.dim[n] * rank; j++)
            factor[n][j] = unit[n][j / rank * r->rank + j % rank] *
                           pow(weight[j % rank], 1.0 / r->shape.order);
    for (int n = 0; n < r->shape.order; n++) crs_free(unit[n]);
    crs_free(weight);
    return done;
}

bool crs_trial_oracle(const crease_cp_instance *c, ptrdiff_t rank, double *error, crease_error *e)
{
    const crease_space *shape = &c->recipe.shape;
    const ptrdiff_t n = crease_size(shape), terms = rank < c->recipe.rank ? rank : c->recipe.rank;
    crease_cp_fit_settings s = crs_trial_settings(shape, terms);
    double *factor[CREASE_MAX_ORDER] = { NULL }, largest = 0;
    double *data = crs_doubles(n, "a tensor", e), *seen = data ? crs_doubles(n, "W", e) : NULL;
    bool done = seen && leading(c, terms, factor, e);
    crs_trial found = { .error = NAN };
    crease_cp_instance clean = *c;
    for (ptrdiff_t j = 0; done && j < n; j++) {
        largest = larger(largest, fabs(c->tensor[j]));
        data[j] = c->sparse[j] == 0 ? c->tensor[j] : NAN;
    }
    clean.tensor = data;
    s.model.missing = true;
    s.model.factor = (const double *const *)factor;
    /* of l1 with alpha_N = 1 the threshold is alpha: nothing of the noise exceeds it */
    s.model.alpha = rank < c->recipe.rank ? 4 * largest : 10 * c->recipe.noise;
    s.learn = 0;
    s.starts = 1;
    done = done && crs_trial_run(&s, &clean, 0, &found, e);
    *error = found.error;
    for (int k = 0; k < shape->order; k++) crs_free(factor[k]);
    crs_free(seen);
    crs_free(data);
    return done;
}

typedef struct {
    bool (*run)(void *self, int k, crease_error *e);
    void *self;
    crease_error *trouble; /* of each trial */
} batch;

static void run_one(void *self, ptrdiff_t k, int worker)
{
    const batch *b = self;
    (void)worker;
    b->run(b->self, (int)k, b->trouble + k);
}

bool crs_trials(int threads, int count, bool (*run)(void *self, int k, crease_error *e), void *self,
                crease_error *e)
{
    batch b = { run, self, crs_alloc((size_t)count, sizeof *b.trouble) };
    bool done = b.trouble || crs_fail(e, CREASE_NO_MEMORY, "out of memory: %d instances", count);
    if (done) crs_parallel_runs(threads, count, run_one, &b);
    for (int k = 0; done && k < count; k++)
        if (b.trouble[k].code != CREASE_OK)
            done = crs_fail(e, b.trouble[k].code, "instance %d: %.300s", k + 1, b.trouble[k].text);
    crs_free(b.trouble);
    return done;
}

/* The value that half of the trials do not exceed, by rank; ties by index. */
double crs_trial_median(int count, int step, const crs_trial *t)
{
    for (int k = 0; k < count; k++) {
        int before = 0;
        for (int i = 0; i < count; i++)
            before += t[i * step].error < t[k * step].error ||
                      (t[i * step].error == t[k * step].error && i < k);
        if (before == (count - 1) / 2) return t[k * step].error;
    }
    return NAN;
}

crs_trial_means crs_trial_mean(int count, int step, const crs_trial *t, ptrdiff_t true_rank)
{
    crs_trial_means m = { .error = crs_trial_median(count, step, t) };
    for (int k = 0; k < count; k++, t += step) {
        m.successes += t->success;
        m.certified += t->certified;
        m.valid += t->valid;
        m.rank += t->rank == true_rank;
        m.below += t->objective < t->objective_truth;
        m.mean_error += t->error / count;
        m.oracle += t->oracle / count;
        m.readings += (double)t->readings / count;
        m.iterations += (double)t->iterations / count;
        m.starts += (double)t->starts / count;
        m.seconds += t->seconds / count;
        if (t->readings > m.most) m.most = t->readings;
    }
    return m;
}

static json_t *json_of(const crs_trial *t)
{
    return json_pack(
        "{s:o, s:o, s:b, s:I, s:I, s:i, s:b, s:b, s:I, s:o, s:o, s:o, s:o}", "error",
        crs_study_real(t->error), "oracle", crs_study_real(t->oracle), "success", t->success,
        "readings", (json_int_t)t->readings, "iterations", (json_int_t)t->iterations, "starts",
        t->starts, "certified", t->certified, "valid", t->valid, "rank", (json_int_t)t->rank,
        "alpha", crs_study_real(t->alpha), "seconds", crs_study_real(t->seconds), "objective",
        crs_study_real(t->objective), "objective_truth", crs_study_real(t->objective_truth));
}

json_t *crs_trial_json(int count, int step, const crs_trial *t)
{
    json_t *list = json_array();
    for (int k = 0; list && k < count; k++)
        if (json_array_append_new(list, json_of(t + k * step)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

json_t *crs_trial_json_means(const crs_trial_means *m)
{
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}",
                     "successes", m->successes, "certified", m->certified, "valid", m->valid,
                     "rank_found", m->rank, "below_truth", m->below, "error",
                     crs_study_real(m->mean_error), "median_error", crs_study_real(m->error),
                     "oracle", crs_study_real(m->oracle), "readings", crs_study_real(m->readings),
                     "most_readings", (json_int_t)m->most, "iterations",
                     crs_study_real(m->iterations), "starts", crs_study_real(m->starts), "seconds",
                     crs_study_real(m->seconds));
}
