/* SPDX-License-Identifier: MIT
 * answer: what robust PCA has found, in the user's unit: factors, certificate, problem, the parts
 * row by row, and what is known of them */
#include "rpca/handle.h"

enum { SAMPLE = 1 << 15, FEW = 1 << 14 }; /* entries whose median is taken; read at a time */

static const double *own(const crease_rpca *r, int power, ptrdiff_t n, const double *x, double *out)
{
    if (!r->units || !x) return x;
    crs_times_power(n, power, x, out);
    return out;
}

/* Term r of the data has the columns of that of T/s, of which one is divided by its levels, all of
 * one norm again. */
static const double *times_levels(const crease_rpca *r, int n, const double *x)
{
    const crs_noise_levels *l = crs_levels_of(r);
    const ptrdiff_t rank = r->s.rank, rows = l->shape.dim[l->mode], own = l->shape.dim[n];
    const double *y = n == l->mode ? x : crease_cp_fit_factor(r->cp, l->mode);
    double *out = l->factor[n];
    for (ptrdiff_t k = 0; k < rank; k++) {
        double was = 0, is = 0;
        for (ptrdiff_t i = 0; i < rows; i++) {
            was += square(y[i * rank + k]);
            is += square(l->level[i] * y[i * rank + k]);
        }
        const double grows = was > 0 ? sqrt(is / was) : 1;
        const double times = pow(grows, 1.0 / l->shape.order) / (n == l->mode ? grows : 1);
        for (ptrdiff_t i = 0; i < own; i++)
            out[i * rank + k] = times * x[i * rank + k] * (n == l->mode ? l->level[i] : 1);
    }
    return out;
}

const double *crease_rpca_factor(const crease_rpca *r, int n)
{
    const crs_units *u = r->units;
    if (r->s.kind == CREASE_RPCA_PCP) return NULL;
    if (!r->cp) return crease_rpca_block(r, n);
    const double *x = own(r, u ? u->factor : 0, r->s.shape.dim[n] * r->s.rank,
                          crease_cp_fit_factor(r->cp, n), u ? u->block[n] : NULL);
    return crs_levels_of(r) ? times_levels(r, n, x) : x;
}

const double *crease_rpca_core(const crease_rpca *r)
{
    return r->s.kind == CREASE_RPCA_TUCKER ? crease_rpca_block(r, r->s.shape.order) : NULL;
}

static crease_residual residual_in(crease_residual r, int power)
{
    r.residual = ldexp(r.residual, power);
    r.rounding = ldexp(r.rounding, power);
    r.scale = ldexp(r.scale, power);
    return r;
}

/* A residual of setting 1 is an inner product with its block. */
static const crease_certificate *own_certificate(crs_units *u, const crease_certificate *c)
{
    crease_certificate *to = &u->certificate;
    *to = *c;
    to->block = u->residual;
    to->objective = ldexp(c->objective, u->value);
    to->outside = ldexp(c->outside, u->data);
    to->feasibility = residual_in(c->feasibility, u->data);
    to->worst = isfinite(c->worst) ? to->feasibility.residual : c->worst;
    for (int i = 0; i < c->count; i++) {
        const int less = c->block[i].setting == 1 ? 0 : crs_block_power(u, i);
        to->block[i] = residual_in(c->block[i], u->value - less);
        if (isfinite(c->worst)) to->worst = larger(to->worst, to->block[i].residual);
    }
    return to;
}

const crease_certificate *crease_rpca_certificate(const crease_rpca *r)
{
    const crease_certificate *c = r->tucker ? &crs_tucker_run_driver(r->tucker)->best
                                  : r->cp   ? crease_cp_fit_certificate(r->cp)
                                            : crease_solver_certificate(r->solver);
    return r->units ? own_certificate(r->units, c) : c;
}

const crease_report *crease_rpca_report(const crease_rpca *r) { return &r->report; }
const crease_progress *crease_rpca_progress(const crease_rpca *r) { return &r->progress; }

const crease_analysis *crease_rpca_analysis(const crease_rpca *r)
{
    return r->tucker ? crs_tucker_run_analysis(r->tucker)
           : r->cp   ? crease_cp_fit_analysis(r->cp)
                     : crease_solver_analysis(r->solver);
}

const crease_rpca_settings *crease_rpca_used(const crease_rpca *r) { return &r->s; }
const crease_options *crease_rpca_options_used(const crease_rpca *r) { return &r->o; }

const crease_problem *crease_rpca_problem(const crease_rpca *r)
{
    if (!r->model) return NULL;
    return r->units ? &r->units->problem : crease_tucker_rpca_problem(r->model);
}

const double *crease_rpca_block(const crease_rpca *r, int i)
{
    const crs_units *u = r->units;
    const int power = u ? crs_block_power(u, i) : 0;
    double *out = u ? u->block[i] : NULL;
    if (r->tucker)
        return own(r, power, crs_tucker_block_size(&r->s.shape, &r->s.ranks, i),
                   crs_tucker_run_block(r->tucker, i), out);
    if (!r->solver) return NULL;
    return own(r, power, crease_size(&crease_tucker_rpca_problem(r->model)->space[i]),
               crease_solution(r->solver, i), out);
}

const double *crease_rpca_multiplier(const crease_rpca *r)
{
    const crs_units *u = r->units;
    if (!r->solver) return NULL;
    return own(r, u ? u->value - u->data : 0,
               crease_size(&crease_tucker_rpca_problem(r->model)->range),
               crease_multiplier(r->solver), u ? u->multiplier : NULL);
}

crease_solver *crs_rpca_solver(const crease_rpca *r) { return r->solver; }

const crease_error *crease_rpca_failure(const crease_rpca *r)
{
    static const crease_error none = { .code = CREASE_OK };
    return r->tucker ? crs_tucker_run_failure(r->tucker) : r->cp ? &r->cp->held->failure : &none;
}

void crease_rpca_rows(const crease_rpca *r, ptrdiff_t *left, ptrdiff_t *right)
{
    if (r->tucker) {
        crs_tucker_run_rows(r->tucker, left, right);
        return;
    }
    if (r->cp) {
        crease_cp_fit_rows(r->cp, left, right);
        return;
    }
    *left = r->s.shape.dim[0];
    *right = crs_right(&r->s.shape, 0);
}

static int split_block(const crease_rpca_settings *s)
{
    return s->kind == CREASE_RPCA_TUCKER ? s->shape.order + 2
           : s->kind == CREASE_RPCA_BALL ? 4
                                         : -1;
}

/* Entries first .. first+count-1 of a part of the other kinds. */
static void entries_of(const crease_rpca *r, crease_rpca_part part, ptrdiff_t first,
                       ptrdiff_t count, double *out)
{
    const crease_tucker_rpca *m = r->model;
    const int noise = crease_tucker_rpca_noise(m), z = split_block(&r->s);
    const double *e = crease_solution(r->solver, crease_tucker_rpca_sparse(m)),
                 *t = crease_tucker_rpca_problem(m)->rhs;
    const double *low = r->lowrank, *root = crease_tucker_rpca_weights(m);
    const double *b = noise >= 0 ? crease_solution(r->solver, noise) : NULL;
    const double *split = z >= 0 ? crease_solution(r->solver, z) : low;
    for (ptrdiff_t j = first; j < first + count; j++) {
        const bool seen = !root || root[j] > 0;
        *out++ = part == CREASE_RPCA_LOWRANK  ? low[j]
                 : part == CREASE_RPCA_SPARSE ? e[j]
                 : part == CREASE_RPCA_Z      ? split[j]
                 : part == CREASE_RPCA_B      ? (seen && b ? b[j] : 0)
                 : part == CREASE_RPCA_DATA   ? t[j]
                 : part == CREASE_RPCA_SEEN   ? seen
                 : seen                       ? t[j] - low[j] - e[j]
                                              : 0;
    }
}

static void read_run(const crease_rpca *r, crease_rpca_part part, ptrdiff_t first, ptrdiff_t count,
                     double *out)
{
    const ptrdiff_t right = crs_right(&r->s.shape, 0);
    if (r->tucker)
        crs_tucker_run_read(r->tucker, part, first, count, out);
    else if (r->cp)
        crease_cp_fit_read(r->cp, part, first, count, out);
    else
        entries_of(r, part, first * right, count * right, out);
}

static void read_own(const crease_rpca *r, crease_rpca_part part, ptrdiff_t first, ptrdiff_t count,
                     double *out);

/* From what else is handed out, a row at a time: small entries of T may be 0 in the run. */
static void read_noise(const crease_rpca *r, ptrdiff_t first, ptrdiff_t right, double *out)
{
    double *row = r->units->row;
    const double *t = r->units->given + first * right;
    read_own(r, CREASE_RPCA_LOWRANK, first, 1, row);
    read_own(r, CREASE_RPCA_SPARSE, first, 1, out);
    for (ptrdiff_t j = 0; j < right; j++) out[j] = t[j] - row[j] - out[j];
    read_run(r, CREASE_RPCA_SEEN, first, 1, row);
    for (ptrdiff_t j = 0; j < right; j++)
        if (row[j] == 0) out[j] = 0;
}

static void read_data(const crease_rpca *r, ptrdiff_t first, ptrdiff_t n, double *out)
{
    for (ptrdiff_t j = 0; j < n; j++) out[j] = out[j] != 0 ? r->units->given[first + j] : 0;
}

/* Parts of the model of the data without their centre, divided by the levels of their noise */
static void read_own(const crease_rpca *r, crease_rpca_part part, ptrdiff_t first, ptrdiff_t count,
                     double *out)
{
    const bool data = part == CREASE_RPCA_DATA, noise = part == CREASE_RPCA_NOISE;
    ptrdiff_t left, right;
    crease_rpca_rows(r, &left, &right);
    if (!r->units || part == CREASE_RPCA_SEEN || r->units->from) {
        read_run(r, part, first, count, out);
        if (r->units && part != CREASE_RPCA_SEEN)
            crs_times_power(count * right, r->units->data, out, out);
        return;
    }
    for (ptrdiff_t i = 0; noise && i < count; i++) read_noise(r, first + i, right, out + i * right);
    if (noise) return;
    read_run(r, data ? CREASE_RPCA_SEEN : part, first, count, out);
    if (data)
        read_data(r, first * right, count * right, out);
    else
        crs_times_power(count * right, r->units->data, out, out);
}

void crease_rpca_read(const crease_rpca *r, crease_rpca_part part, ptrdiff_t first, ptrdiff_t count,
                      double *out)
{
    const crs_center *c = r->center && r->center->ready ? r->center : NULL;
    const crs_noise_levels *l = crs_levels_of(r);
    ptrdiff_t left, right;
    crease_rpca_rows(r, &left, &right);
    if (c && part == CREASE_RPCA_DATA) {
        crs_center_data(c, first * right, count * right, out);
        return;
    }
    if (l && part == CREASE_RPCA_DATA) {
        read_own(r, CREASE_RPCA_SEEN, first, count, out);
        for (ptrdiff_t j = 0; j < count * right; j++)
            out[j] = out[j] != 0 ? l->given[first * right + j] : 0;
        return;
    }
    read_own(r, part, first, count, out);
    if (l && part != CREASE_RPCA_SEEN) crs_levels_times(l, 1, first * right, count * right, out);
    if (c && part == CREASE_RPCA_LOWRANK) crs_center_add(c, 1, first * right, count * right, out);
}

const int64_t *crs_parts_outliers(const crease_rpca *r) { return r->in_slab; }

/* erf(m/s) = erf(t/s)/2 with s = sqrt(2) sigma */
double crs_deviation_of(double median, double limit)
{
    double low = median / 0.6744897501960817, high = 2 * low;
    const double root = sqrt(0.5);
    if (!(2 * median < limit && median > 0 && limit < INFINITY)) return low;
    while (erf(root * median / high) > 0.5 * erf(root * limit / high)) high *= 2;
    for (int k = 0; k < 60; k++) {
        const double middle = (low + high) / 2;
        *(erf(root * median / middle) > 0.5 * erf(root * limit / middle) ? &low : &high) = middle;
    }
    return high;
}

/* A few rows of the answer, and what is found on the way through all of them. */
typedef struct {
    crease_rpca *r;
    ptrdiff_t many, used;
    double *sparse, *noise, *seen, *data; /* of `many` rows each */
    double *sample;                       /* |noise| where the sparse part is 0, thinned evenly */
    crs_calm calm;
} rows;

static void tally(rows *w, ptrdiff_t at, ptrdiff_t n)
{
    crease_rpca_facts *f = &w->r->facts;
    const double share = (double)SAMPLE / (double)crease_size(&w->r->s.shape);
    const double golden = 0.618033988749;
    for (ptrdiff_t j = 0; j < n; j++) {
        const double place = golden * (double)(at + j);
        if (w->sparse[j] != 0) f->outliers++;
        if (w->seen[j] == 0) continue;
        f->observed++;
        if (w->sparse[j] != 0) {
            f->least = smaller(f->least, fabs(w->sparse[j] + w->noise[j]));
            continue;
        }
        w->calm.squares += square(w->noise[j]);
        w->calm.all += square(w->data[j]);
        if (w->used < SAMPLE && (share >= 1 || place - floor(place) < share))
            w->sample[w->used++] = fabs(w->noise[j]);
    }
}

/* Once the deviation is known. */
static void find_clear(rows *w, ptrdiff_t at, ptrdiff_t n)
{
    crease_rpca_facts *f = &w->r->facts;
    for (ptrdiff_t j = 0; j < n; j++) {
        const double rest = w->sparse[j] + w->noise[j];
        if (w->seen[j] == 0 || w->sparse[j] == 0) continue;
        if (fabs(rest) > CREASE_CLEAR * f->deviation) f->clear++;
        if (f->largest >= 0 && !(fabs(rest) > fabs(f->largest_rest))) continue;
        f->largest = at + j;
        f->largest_rest = rest;
    }
}

static void each_rows(rows *w, void (*look)(rows *w, ptrdiff_t at, ptrdiff_t n))
{
    ptrdiff_t left, right;
    const crs_noise_levels *l = crs_levels_of(w->r);
    crease_rpca_rows(w->r, &left, &right);
    for (ptrdiff_t i = 0; i < left; i += w->many) {
        const ptrdiff_t count = fewer(w->many, left - i);
        double *const scaled[] = { w->sparse, w->noise, w->data };
        crease_rpca_read(w->r, CREASE_RPCA_SPARSE, i, count, w->sparse);
        crease_rpca_read(w->r, CREASE_RPCA_NOISE, i, count, w->noise);
        crease_rpca_read(w->r, CREASE_RPCA_SEEN, i, count, w->seen);
        crease_rpca_read(w->r, CREASE_RPCA_DATA, i, count, w->data);
        for (int k = 0; l && k < 3; k++)
            crs_levels_times(l, -1, i * right, count * right, scaled[k]);
        look(w, i * right, count * right);
    }
}

/* Two passes over the answer: outliers and the noise, then those that are clear. */
static bool count_by_rows(crease_rpca *r, double limit, crs_calm *calm, crease_error *e)
{
    crease_rpca_facts *f = &r->facts;
    ptrdiff_t left, right;
    crease_rpca_rows(r, &left, &right);
    const ptrdiff_t many = fewer(left, more(1, FEW / right)), size = many * right;
    double *at = crs_doubles(4 * size + SAMPLE, "rows of the result", e);
    if (!at) return false;
    rows w = { .r = r, .many = many };
    w.sparse = at, w.noise = at + size, w.seen = at + 2 * size, w.data = at + 3 * size;
    w.sample = at + 4 * size;
    f->outliers = f->observed = f->clear = 0;
    f->least = INFINITY;
    each_rows(&w, tally);
    w.calm.noisy = r->s.kind != CREASE_RPCA_PCP && w.used > 0;
    f->deviation = w.calm.noisy ? crs_deviation_of(crs_median(w.used, w.sample), limit) : NAN;
    each_rows(&w, find_clear);
    *calm = w.calm;
    crs_free(at);
    return true;
}

static void count_outliers(crease_rpca *r)
{
    crease_rpca_facts *f = &r->facts;
    const double limit = isnan(f->threshold) ? INFINITY : f->threshold;
    crs_parts parts;
    crs_calm calm;
    crease_error e = { .code = CREASE_OK };
    const bool slabs = crs_parts_of(r, &parts), listed = crs_parts_listed(r, &parts);
    const bool done = listed  ? crs_parts_count_listed(r, &parts, limit, &calm, &e)
                      : slabs ? crs_parts_count(r, &parts, limit, &calm, &e)
                              : count_by_rows(r, limit, &calm, &e);
    r->counted = done || slabs; /* a look at all slabs that failed is not tried again */
    if (!done && slabs && r->tucker) crs_tucker_run_fails(r->tucker, &e);
    if (!done && slabs && r->cp) crs_cp_fit_fails(r->cp, &e);
    if (!done) return;
    const double observed = (double)f->observed, rest = observed - (double)f->outliers;
    f->share = f->observed == 0 ? NAN : (double)f->outliers / observed;
    f->clear_share = calm.noisy ? (double)f->clear / observed : NAN;
    f->rms = rest > 0 ? sqrt(calm.squares / rest) : NAN;
    f->explained = calm.all > 0 ? 1 - calm.squares / calm.all : NAN;
}

/* The modes that the largest term is not constant in: none, or one, is what `center` removes. */
static void find_constant(crease_rpca *r)
{
    const crease_space *s = &r->s.shape;
    const double enough = 0.02;
    double product = 1;
    unsigned modes = 0;
    if (!r->cp || r->facts.terms < 2 || r->center || crs_levels_of(r)) return;
    for (int n = 0; n < s->order; n++) {
        const double *x = crease_cp_fit_factor(r->cp, n);
        double sum = 0, squares = 0;
        for (ptrdiff_t i = 0; i < s->dim[n]; i++) {
            sum += x[i * r->s.rank];
            squares += square(x[i * r->s.rank]);
        }
        const double cosine = square(sum) / ((double)s->dim[n] * squares);
        if (1 - cosine > square(enough))
            modes |= 1u << n;
        else
            product *= cosine;
    }
    if (modes & (modes - 1) || !(product > 0)) return;
    r->facts.constant_in = modes ? modes : CREASE_CENTER_ALL;
    r->facts.constant_to = sqrt(pos(1 - product));
}

/* Does noise differ where it was one for all? */
static void find_levels(crease_rpca *r)
{
    const crs_source *t = r->cp ? r->cp->source : NULL;
    if (t && t->whole && !r->levels) crs_levels_judge(r, true, NULL); /* or nobody knows */
}

const crease_rpca_facts *crease_rpca_about(crease_rpca *r)
{
    crease_rpca_facts *f = &r->facts;
    if (r->report.outcome != CREASE_NOT_RUN && !r->counted)
        count_outliers(r), find_constant(r), find_levels(r);
    if (r->pursuit) f->gap = r->pursuit->gap;
    f->theta_stop = r->cp && crease_cp_fit_theta_stop(r->cp);
    f->passes = r->tucker ? crs_tucker_run_readings(r->tucker)
                : r->cp   ? crease_cp_fit_readings(r->cp)
                          : f->start_passes + r->report.iterations;
    return f;
}
