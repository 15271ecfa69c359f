/* SPDX-License-Identifier: MIT
 * envelope_residual: the relative stationarity residual of every factor, and balanced columns */
#include "rpca/envelope/state.h"

double crs_envelope_ridge(const crs_envelope_solver *s, const double *x)
{
    return s->nu == 0 ? 0 : s->nu / 2 * square(crs_norm(crs_envelope_model_unknowns(&s->model), x));
}

/* |the part of the gradient that is not in -N(x)| for X >= 0, else |the gradient| */
static double violation(const crs_envelope_solver *s, ptrdiff_t size, const double *x,
                        const double *g, double *work)
{
    for (ptrdiff_t j = 0; j < size; j++) work[j] = s->c.nonneg && x[j] <= 0 && g[j] > 0 ? 0 : g[j];
    return crs_norm(size, work);
}

void crs_envelope_measure(crs_envelope_solver *s)
{
    const crs_envelope_model *m = &s->model;
    crs_kruskal k = { .shape = m->shape, .rank = m->rank };
    for (int n = 0; n < m->shape.order; n++) k.factor[n] = s->at.x + crs_envelope_model_first(m, n);
    s->out.worst = s->out.violation = s->out.angle = 0;
    const double size = sqrt(s->at.sums->squares);
    for (int n = 0; n < m->shape.order; n++) {
        const ptrdiff_t at = crs_envelope_model_first(m, n), count = m->shape.dim[n] * m->rank;
        const double *x = s->at.x + at, *sm = s->at.sm + at;
        double *g = s->gradient + at, *xg = s->scaled;
        for (ptrdiff_t j = 0; j < count; j++) g[j] = -2 * s->noise * sm[j] + s->nu * x[j];
        crs_gram_except(&k, n, m->small, s->cg);
        crs_gemm(false, false, m->shape.dim[n], m->rank, m->rank, 1, x, m->small, 0, xg);
        double bound = 2 * crs_norm(count, xg) + s->nu * crs_norm(count, x);
        axpy(count, s->noise, sm, xg); /* Z_(n) M_n */
        bound += 2 * crs_norm(count, xg);
        const double wrong = violation(s, count, x, g, s->cg);
        s->out.residual[n] = wrong == 0 ? 0 : wrong / bound;
        s->out.worst = larger(s->out.worst, s->out.residual[n]);
        s->out.violation = larger(s->out.violation, wrong);
        double trace = 0;
        for (ptrdiff_t r = 0; r < m->rank; r++) trace += m->small[r * (m->rank + 1)];
        if (wrong > 0)
            s->out.angle = larger(s->out.angle, wrong / (2 * s->noise * size * sqrt(trace)));
    }
    s->out.value = s->at.data + crs_envelope_ridge(s, s->at.x);
    s->out.median = crs_envelope_quantile(s->at.sums, 0.5);
    s->out.threshold = crs_envelope_threshold(&s->at.face, s->noise);
}

static double column_norm(ptrdiff_t rows, ptrdiff_t stride, const double *x)
{
    double largest = 0, sum = 0;
    for (ptrdiff_t i = 0; i < rows; i++) largest = larger(largest, fabs(x[i * stride]));
    if (!(largest > 0)) return largest;
    for (ptrdiff_t i = 0; i < rows; i++) sum += square(x[i * stride] / largest);
    return largest * sqrt(sum);
}

/* X_n(:,r) *= a_n and S_(n)M_n(:,r) /= a_n, prod a_n = 1, so that the columns' norms agree */
void crs_envelope_balance(crs_envelope_solver *s)
{
    const crs_envelope_model *m = &s->model;
    const int d = m->shape.order;
    for (ptrdiff_t r = 0; r < m->rank; r++) {
        double norm[CREASE_MAX_ORDER], mean = 0;
        for (int n = 0; n < d; n++) {
            norm[n] =
                column_norm(m->shape.dim[n], m->rank, s->at.x + crs_envelope_model_first(m, n) + r);
            mean += log(norm[n]) / d;
        }
        if (!isfinite(mean)) continue;
        for (int n = 0; n < d; n++) {
            const ptrdiff_t at = crs_envelope_model_first(m, n) + r;
            const double a = exp(mean) / norm[n];
            crs_envelope_secant_balance(s, at, m->shape.dim[n], a);
            for (ptrdiff_t i = 0; i < m->shape.dim[n]; i++) {
                s->at.x[at + i * m->rank] *= a;
                s->at.sm[at + i * m->rank] /= a;
            }
        }
    }
}
