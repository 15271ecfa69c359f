/* SPDX-License-Identifier: MIT
 * support: what the data say for each term of an answer, judged against the noise
 *
 * D = the rise of sum min(|r|, t)^2 when a term goes and the others are fitted again, t = 3 sigma.
 * Above t^2 P, P the parameters of a term, it is supported; below sigma^2 edge^2, which the noise
 * alone may yield, or where it reaches less than P/2 entries, it goes. A refit takes 10 to 60
 * passes. It is not made where two estimates without any reading are far above t^2 P: the distance
 * of [[X]] to the nearest model of the other terms, by alternating least squares on the columns'
 * inner products, and sum min(|C|, t)^2 of the term's own entries. */
#include "dense/dense.h"
#include "rpca/start.h"

/* The terms of a matrix are not unique: any basis of both spans will do, and in most of them what
 * the noise explains is a part of every term. So they are made those of its singular values.
 * X_n = U_n S_n V_n', and S_1 V_1'V_2 S_2 = P D Q': X_1 = U_1 P D^{1/2}, X_2 = U_2 Q D^{1/2}. */
static bool rotate(crs_cp_pilot *p, crease_error *e)
{
    const crease_space *s = &p->c.shape;
    const ptrdiff_t R = p->rank, area = R * R,
                    work = crs_svd_scratch(s->dim[0], R) + crs_svd_scratch(s->dim[1], R) +
                           crs_svd_scratch(R, R);
    if (s->order != 2 || p->c.nonneg || p->c.nu > 0 || R > fewer(s->dim[0], s->dim[1])) return true;
    double *u[2], *vt[2], *sv[2];
    double *memory = crs_doubles((s->dim[0] + s->dim[1]) * R + 6 * area + 3 * R + work, "terms", e);
    if (!memory) return false;
    double *core = memory, *left = core + area, *right = left + area, *d = right + area;
    double *at = d + R;
    bool done = true;
    for (int n = 0; n < 2; n++) {
        u[n] = at, vt[n] = u[n] + s->dim[n] * R, sv[n] = vt[n] + area, at = sv[n] + R;
        done = done && crs_svd(s->dim[n], R, p->factor[n], u[n], sv[n], vt[n],
                               memory + (s->dim[0] + s->dim[1]) * R + 6 * area + 3 * R);
    }
    for (int n = 0; n < 2; n++)
        for (ptrdiff_t k = 0; done && k < area; k++) vt[n][k] *= sv[n][k / R];
    if (done) crs_gemm(false, true, R, R, R, 1, vt[0], vt[1], 0, core);
    done = done && crs_svd(R, R, core, left, d, right, at);
    if (done) {
        crs_gemm(false, false, s->dim[0], R, R, 1, u[0], left, 0, p->factor[0]);
        crs_gemm(false, true, s->dim[1], R, R, 1, u[1], right, 0, p->factor[1]);
        for (int n = 0; n < 2; n++)
            for (ptrdiff_t j = 0; j < s->dim[n] * R; j++) p->factor[n][j] *= sqrt(d[j % R]);
    }
    crs_free(memory);
    return done || crs_fail(e, CREASE_NUMERICAL_FAILURE,
                            "the singular values of the terms did not converge; rescale the data");
}

enum { SWEEPS = 2, SAMPLE = 1 << 11, REFIT = 60, PATH = 200 };
static const double far_above = 4;

typedef struct {
    crs_cp_pilot *p;
    double t, each, noise, seen; /* threshold; P; sigma^2 edge^2; share of T that counts */
    double *gram, *a, *ga, *aga; /* d x R x R: X'X; Y = X A; G A; A'G A */
    double *h, *work;            /* R x R; R */
    double *estimate;            /* R */
    double *trial[CREASE_MAX_ORDER];
    double *memory;
    long budget;
    bool mixed; /* terms of a matrix, found without a price: any of them stands for the rank */
} judge;

static bool open(judge *s, crease_error *e)
{
    const crs_cp_pilot *p = s->p;
    const crease_space *shape = &p->c.shape;
    const ptrdiff_t R = p->rank, area = R * R, d = shape->order;
    ptrdiff_t rows = 0;
    for (int n = 0; n < d; n++) rows += shape->dim[n];
    double *at = s->memory = crs_doubles((4 * d + 1) * area + 2 * R + rows * R, "the support", e);
    if (!at) return false;
    s->gram = at, s->a = at + d * area, s->ga = at + 2 * d * area, s->aga = at + 3 * d * area;
    s->h = at + 4 * d * area, s->work = s->h + area, s->estimate = s->work + R;
    at = s->estimate + R;
    for (int n = 0; n < d; n++) s->trial[n] = at, at += shape->dim[n] * R;
    return true;
}

/* G A and A'G A of one mode; A is R x Q */
static void products(const judge *s, int n, ptrdiff_t R, ptrdiff_t Q)
{
    const ptrdiff_t at = n * R * R;
    crs_gemm(false, false, R, Q, R, 1, s->gram + at, s->a + at, 0, s->ga + at);
    crs_gemm(true, false, Q, Q, R, 1, s->a + at, s->ga + at, 0, s->aga + at);
}

/* sum of the product over the modes but `skip` of the entries of a (rows x columns) a mode */
static double hadamard(const judge *s, const double *a, ptrdiff_t count, int skip, double *out)
{
    const ptrdiff_t R = s->p->rank;
    double sum = 0;
    for (ptrdiff_t k = 0; k < count; k++) {
        double product = 1;
        for (int n = 0; n < s->p->c.shape.order; n++)
            if (n != skip) product *= a[n * R * R + k];
        if (out) out[k] = product;
        sum += product;
    }
    return sum;
}

/* |[[X]] - the nearest model from the columns but r|^2, or an upper bound; NaN: singular */
static double distance(judge *s, ptrdiff_t r)
{
    const ptrdiff_t R = s->p->rank, Q = R - 1, d = s->p->c.shape.order;
    if (Q == 0) return hadamard(s, s->gram, 1, -1, NULL);
    for (int n = 0; n < d; n++) {
        double *a = s->a + n * R * R;
        fill(R * Q, 0, a);
        for (ptrdiff_t q = 0; q < Q; q++) a[(q < r ? q : q + 1) * Q + q] = 1;
        products(s, n, R, Q);
    }
    for (int k = 0; Q > 0 && k < SWEEPS * d; k++) {
        const int n = k % (int)d;
        double *a = s->a + n * R * R, trace = 0;
        hadamard(s, s->ga, R * Q, n, a);
        hadamard(s, s->aga, Q * Q, n, s->h);
        for (ptrdiff_t q = 0; q < Q; q++) trace += s->h[q * (Q + 1)];
        for (ptrdiff_t q = 0; q < Q; q++) s->h[q * (Q + 1)] += 1e-12 * trace;
        if (!crs_cholesky(Q, s->h)) return NAN;
        for (ptrdiff_t i = 0; i < R; i++) crs_cholesky_solve(Q, s->h, 1, a + i * Q);
        products(s, n, R, Q);
    }
    return hadamard(s, s->gram, R * R, -1, NULL) - 2 * hadamard(s, s->ga, R * Q, -1, NULL) +
           hadamard(s, s->aga, Q * Q, -1, NULL);
}

/* sum min(|C|, t)^2 of term r, from an even sample */
static double bounded(const judge *s, ptrdiff_t r)
{
    const crs_cp_pilot *p = s->p;
    const ptrdiff_t size = crease_size(&p->c.shape), count = fewer(size, SAMPLE);
    double sum = 0;
    for (ptrdiff_t k = 0; k < count; k++) {
        ptrdiff_t j = (ptrdiff_t)((double)k / (double)count * (double)size);
        double c = 1;
        for (int n = p->c.shape.order - 1; n >= 0; j /= p->c.shape.dim[n--])
            c *= p->factor[n][j % p->c.shape.dim[n] * p->rank + r];
        sum += square(smaller(fabs(c), s->t));
    }
    return sum * (double)size / (double)count;
}

static double reach_of(const crs_cp_pilot *p, ptrdiff_t r, double *size)
{
    double reach = 1, part;
    *size = 1;
    for (int n = 0; n < p->c.shape.order; n++) {
        *size *= crs_column_reach(p->c.shape.dim[n], p->rank, p->factor[n] + r, &part);
        reach *= part;
    }
    return reach;
}

static void estimate(judge *s)
{
    const crs_cp_pilot *p = s->p;
    for (int n = 0; n < p->c.shape.order; n++)
        crs_gram(p->c.shape.dim[n], p->rank, p->factor[n], s->gram + n * p->rank * p->rank);
    for (ptrdiff_t r = 0; r < p->rank; r++)
        s->estimate[r] = s->seen * smaller(distance(s, r), bounded(s, r));
}

/* The sum at the factors, after a fit of at most `most` passes; the fit is the solver's. */
static crs_envelope_solver *fitted(const judge *s, ptrdiff_t rank, double *const *x, long most,
                                   crease_error *e)
{
    crs_envelope_solver_settings c = s->p->c;
    c.rank = rank;
    c.learn = 0;
    c.penalty = crs_envelope_l1(s->t, crs_noise_share(c.alpha_noise));
    c.path = rank < s->p->rank && c.shape.order == 2;
    c.prune = false;
    c.eps = s->p->closer > 0 ? larger(1e-14, 1e-4 * s->p->closer) : 1e-4;
    crs_envelope_solver *solver = crs_envelope_solver_new(&c, s->p->source, e);
    if (solver && crs_envelope_solver_start(solver, rank, (const double *const *)x, e) &&
        crs_envelope_solver_lead(solver, most, crs_cp_pilot_late, s->p, e))
        return solver;
    crs_envelope_solver_free(solver);
    return NULL;
}

/* The term goes: the others are as they were fitted without it. */
static void cut(judge *s, ptrdiff_t r, const crs_envelope_solver *solver, double gain)
{
    crs_cp_pilot *p = s->p;
    if (p->cut)
        p->cut[p->c.rank - p->rank] =
            (crease_cp_cut){ .reason = "without it the others fit as well, to the noise",
                             .size = sqrt(pos(gain)),
                             .noise = sqrt(s->noise) };
    p->rank--;
    for (int n = 0; n < p->c.shape.order; n++)
        copy(p->c.shape.dim[n] * p->rank, crs_envelope_solver_factor(solver, n), p->factor[n]);
    for (ptrdiff_t k = r; k < p->rank; k++) p->support[k] = p->support[k + 1];
}

/* What is said of one term of a matrix holds for all. */
static void share_out(const judge *s, ptrdiff_t r)
{
    crs_cp_pilot *p = s->p;
    for (ptrdiff_t k = 0; s->mixed && k < p->rank; k++) {
        p->support[k].support = p->support[r].support;
        p->support[k].gain = p->support[r].gain;
    }
}

/* Term r by a refit without it; gone: it was cut. */
static bool refit(judge *s, ptrdiff_t r, bool *gone, crease_error *e)
{
    crs_cp_pilot *p = s->p;
    crs_envelope_solver *all = fitted(s, p->rank, p->factor, REFIT, e), *less = NULL;
    double size;
    const double reach = reach_of(p, r, &size);
    for (int n = 0; n < p->c.shape.order; n++)
        for (ptrdiff_t j = 0, k = 0; j < p->c.shape.dim[n] * p->rank; j++)
            if (j % p->rank != r) s->trial[n][k++] = p->factor[n][j];
    if (all) less = fitted(s, p->rank - 1, s->trial, s->mixed ? PATH : REFIT, e);
    if (less) {
        const double gain = crs_envelope_solver_squares(less) - crs_envelope_solver_squares(all);
        const long passes =
            crs_envelope_solver_progress(all)->passes + crs_envelope_solver_progress(less)->passes;
        p->support[r].gain = gain;
        p->support[r].support =
            gain > square(s->t) * s->each ? CREASE_TERM_SUPPORTED : CREASE_TERM_UNDECIDED;
        p->support_passes += passes;
        p->report.passes += passes;
        p->report.readings += passes;
        s->budget -= passes;
        *gone = gain <= s->noise ||
                (gain <= square(s->t) * s->each && (s->mixed || reach < s->each / 2));
        if (*gone)
            cut(s, r, less, gain);
        else
            share_out(s, r);
    }
    const bool done = less && (!*gone || rotate(p, e));
    crs_envelope_solver_free(all);
    crs_envelope_solver_free(less);
    return done;
}

/* The doubtful term that says least and has not been refitted, -1: none */
static ptrdiff_t doubtful(const judge *s)
{
    const crs_cp_pilot *p = s->p;
    ptrdiff_t worst = -1;
    for (ptrdiff_t r = 0; r < p->rank; r++)
        if (p->support[r].support == CREASE_TERM_UNKNOWN &&
            (worst < 0 || s->mixed || !(s->estimate[r] >= s->estimate[worst])))
            worst = r;
    return worst;
}

static void first_look(judge *s)
{
    crs_cp_pilot *p = s->p;
    const double needed = square(s->t) * s->each;
    if (!s->mixed) estimate(s);
    for (ptrdiff_t r = 0; r < p->rank; r++) {
        const bool far = s->estimate[r] > far_above * needed && !s->mixed;
        crease_cp_support *at = &p->support[r];
        *at = (crease_cp_support){ .needed = needed,
                                   .gain = far ? s->estimate[r] : NAN,
                                   .support = far ? CREASE_TERM_SUPPORTED : CREASE_TERM_UNKNOWN };
        reach_of(p, r, &at->size);
    }
}

static void sort(crs_cp_pilot *p)
{
    for (ptrdiff_t k = 1; k < p->rank; k++)
        for (ptrdiff_t r = k; r > 0 && p->support[r].size > p->support[r - 1].size; r--) {
            const crease_cp_support held = p->support[r];
            p->support[r] = p->support[r - 1];
            p->support[r - 1] = held;
        }
}

static bool look(crs_cp_pilot *p, crease_error *e)
{
    judge s = { .p = p,
                .mixed = p->c.shape.order == 2 && p->closer > 0,
                .t = 3 * p->report.deviation,
                .each = 1,
                .budget = p->report.passes };
    ptrdiff_t missing = 0, r;
    bool done = rotate(p, e) && open(&s, e), gone;
    for (int n = 0; n < p->c.shape.order; n++) s.each += (double)p->c.shape.dim[n] - 1;
    done = done && crs_source_survey(p->source, p->c.threads, e);
    missing = p->source->facts.missing;
    s.seen = (1 - p->report.share) * (1 - (double)missing / (double)crease_size(&p->c.shape));
    s.noise = square(p->report.deviation * crs_noise_edge(&p->c.shape));
    if (done) first_look(&s);
    while (done && p->c.prune && p->rank > 1 && s.budget > 0 && !crs_cp_pilot_late(p, 0)) {
        gone = false;
        r = doubtful(&s);
        if (r < 0) break;
        done = refit(&s, r, &gone, e);
        if (gone) first_look(&s);
    }
    if (done) sort(p);
    crs_free(s.memory);
    return done;
}

bool crs_cp_support(crs_cp_pilot *p, crease_error *e)
{
    crease_watch *w = p->c.watch;
    if (crs_unit_begin(w, "support", CRS_UNIT_WHOLE, crs_cp_pilot_visit, p) == CRS_UNIT_DONE)
        return true;
    const bool done = look(p, e);
    (done ? crs_unit_end : crs_unit_drop)(w);
    return done;
}
