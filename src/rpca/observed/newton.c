/* SPDX-License-Identifier: MIT
 * newton: Newton's method on all factors but that of the longest mode, whose rows are eliminated
 *
 * F is in units of 2c. A product with the Hessian of F is one pass. Conjugate gradients are
 * preconditioned, for index j of mode m, by
 *     P = h_mj G_m + ridge I,   G_m the Hadamard product of the other modes' X'diag(h)X / sum h,
 * h the sums of max(phi'', 0)/(2c) over the entries with an index: what the entries of j would
 * yield were the indices of the modes independent. At negative curvature they end; in the first
 * step P^{-1} g is taken (Steihaug 1983; Golub, Pereyra 1973). */
#include "dense/dense.h"
#include "rpca/observed/pass.h"

enum { MOST_CG = 60, MOST_HALVINGS = 14 };
static const double armijo = 1e-4, felt = 1e-12, least_weight = 1e-3;

static ptrdiff_t size_of(const crs_observed_pass *s) { return s->rest * s->stride; }

static bool over(const crs_observed_pass *s)
{
    return s->run->passes >= s->run->most || crease_watch_over(s->run->watch);
}

/* X, F and the gradient at Y */
static void solve_rows(crs_observed_pass *s, crs_observed_point *p)
{
    const ptrdiff_t n = size_of(s);
    crs_observed_look(s, CRS_LISTED_SOLVE, p, NULL);
    s->run->passes++;
    p->value = s->sums[0] + s->ridge / 2 * crs_dot(n, p->y, p->y);
    p->squares = s->sums[1];
    copy(s->rest, s->weight, p->weight);
    for (ptrdiff_t j = 0; j < n; j++) p->g[j] = s->ridge * p->y[j] - s->out[j];
}

/* hp = H p */
static void multiply(crs_observed_pass *s, const double *p, double *hp)
{
    crs_observed_look(s, CRS_LISTED_PRODUCT, &s->at, p);
    s->run->passes++;
    s->run->cg++;
    for (ptrdiff_t j = 0; j < size_of(s); j++) hp[j] = s->out[j] + s->ridge * p[j];
}

/* X'diag(h)X / sum h of one mode; h NULL: 1 */
static void mean_gram(const crs_observed_pass *s, ptrdiff_t rows, const double *x, const double *h,
                      double *out)
{
    const ptrdiff_t R = s->rank;
    double all = 0;
    fill(R * R, 0, out);
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double *row = x + i * s->stride, weight = h ? h[i] : 1;
        all += weight;
        for (ptrdiff_t q = 0; weight > 0 && q < R; q++)
            for (ptrdiff_t l = 0; l < R; l++) out[q * R + l] += weight * row[q] * row[l];
    }
    for (ptrdiff_t k = 0; all > 0 && k < R * R; k++) out[k] /= all;
}

/* Eigenvectors and eigenvalues of every G_m; the lead is weighed by its entries. */
static bool prepare(crs_observed_pass *s)
{
    const ptrdiff_t R = s->rank, area = R * R;
    double *lead = s->mean + s->others * area;
    for (ptrdiff_t i = 0; i < s->rows; i++)
        s->lead_weight[i] = (double)(s->t->start[i + 1] - s->t->start[i]);
    mean_gram(s, s->rows, s->at.x, s->lead_weight, lead);
    for (int m = 0; m < s->others; m++)
        mean_gram(s, s->t->shape.dim[s->mode[m]], s->at.y + s->before[m] * s->stride,
                  s->at.weight + s->before[m], s->mean + m * area);
    for (int m = 0; m < s->others; m++) {
        double *g = s->small;
        copy(area, lead, g);
        for (int k = 0; k < s->others; k++)
            for (ptrdiff_t q = 0; k != m && q < area; q++) g[q] *= s->mean[k * area + q];
        if (!crs_eigh(R, g, s->value + m * R, s->basis + m * area, g + area)) return false;
    }
    return true;
}

/* z = P^{-1} r; returns r'P^{-1}r */
static double precondition(const crs_observed_pass *s, const double *r, double *z)
{
    const ptrdiff_t R = s->rank;
    fill(size_of(s), 0, z);
    for (int m = 0; m < s->others; m++) {
        const ptrdiff_t rows = s->t->shape.dim[s->mode[m]];
        const double *h = s->at.weight + s->before[m], *q = s->basis + m * R * R;
        const double *value = s->value + m * R;
        double mean = 0, top = 0;
        for (ptrdiff_t j = 0; j < rows; j++) mean += h[j] / (double)rows;
        for (ptrdiff_t l = 0; l < R; l++) top = larger(top, value[l]);
        for (ptrdiff_t j = 0; j < rows; j++) {
            const double *from = r + (s->before[m] + j) * s->stride;
            double *to = z + (s->before[m] + j) * s->stride;
            const double weight = larger(h[j], least_weight * mean);
            for (ptrdiff_t l = 0; l < R; l++) {
                const double p = weight * larger(value[l], 1e-10 * top) + s->ridge;
                const double a = p > 0 ? crs_dot(R, q + l * R, from) / p : 0;
                axpy(R, a, q + l * R, to);
            }
        }
    }
    return crs_dot(size_of(s), r, z);
}

/* d with H d = -g nearly; returns -g'd. norm: g'P^{-1}g */
static double direction(crs_observed_pass *s, double norm)
{
    const ptrdiff_t n = size_of(s);
    const double forcing = clip(sqrt(sqrt(norm / s->at.squares)), 1e-3, 0.3);
    double rz = norm;
    fill(n, 0, s->d);
    for (ptrdiff_t j = 0; j < n; j++) s->r[j] = -s->at.g[j];
    precondition(s, s->r, s->z);
    copy(n, s->z, s->p);
    for (int k = 0; k < MOST_CG && rz > square(forcing) * norm; k++) {
        multiply(s, s->p, s->hp);
        const double curvature = crs_dot(n, s->p, s->hp);
        if (!(curvature > 0)) {
            if (k == 0) copy(n, s->p, s->d);
            break;
        }
        axpy(n, rz / curvature, s->p, s->d);
        axpy(n, -rz / curvature, s->hp, s->r);
        if (over(s)) break;
        const double next = precondition(s, s->r, s->z);
        for (ptrdiff_t j = 0; j < n; j++) s->p[j] = s->z[j] + next / rz * s->p[j];
        rz = next;
    }
    return -crs_dot(n, s->at.g, s->d);
}

/* Along d; where F does not feel the step any more, the gradient has to. */
static bool search(crs_observed_pass *s, double slope, double norm)
{
    const ptrdiff_t n = size_of(s);
    double t = 1;
    for (int k = 0; k < MOST_HALVINGS; k++, t /= 2) {
        copy(s->rows * s->stride, s->at.x, s->trial.x);
        for (ptrdiff_t j = 0; j < n; j++) s->trial.y[j] = s->at.y[j] + t * s->d[j];
        solve_rows(s, &s->trial);
        if (slope <= felt * s->at.value) return precondition(s, s->trial.g, s->z) < 0.5 * norm;
        if (s->trial.value <= s->at.value - armijo * t * slope) return true;
        if (over(s)) return false;
    }
    return false;
}

bool crs_observed_descend(crs_observed_pass *s, crs_observed_run *run)
{
    bool moved = false;
    double first = 0;
    s->run = run;
    s->next = crs_envelope_rule_of(&run->penalty, s->c.alpha_noise);
    s->same = true;
    s->ridge = run->nu / (2 * s->next.c);
    run->passes = run->cg = 0;
    crs_observed_take(s, run->rank, (const double *const *)run->x, &s->at);
    solve_rows(s, &s->at);
    for (int k = 0; k < run->steps && isfinite(s->at.value) && prepare(s); k++) {
        const double norm = precondition(s, s->at.g, s->z);
        if (k == 0) first = norm;
        if (!(norm > square(run->fall) * first) || (k > 0 && over(s))) break;
        const double slope = direction(s, norm);
        if (!(slope > 0) || !search(s, slope, norm)) break;
        const crs_observed_point old = s->at;
        s->at = s->trial;
        s->trial = old;
        moved = true;
    }
    if (isfinite(s->at.value)) crs_observed_give(s, &s->at, run->x);
    return moved;
}
