/* SPDX-License-Identifier: MIT
 * lbfgs: the two loops of Nocedal, Updating quasi-Newton matrices with limited storage, 1980 */
#include "composite/lbfgs.h"

enum { SLOTS = CRS_LBFGS_PAIRS + 1 };

bool crs_lbfgs_open(crs_lbfgs *m, ptrdiff_t n, crease_error *e)
{
    *m = (crs_lbfgs){ .n = n };
    ptrdiff_t size;
    if (!crs_mul_size(m->n, 2 * SLOTS, &size))
        return crs_fail(e, CREASE_NO_MEMORY, "the memory of steps is too large");
    m->s = crs_doubles(size, "the memory of steps", e);
    m->y = m->s ? m->s + SLOTS * m->n : NULL;
    return m->s;
}

void crs_lbfgs_close(crs_lbfgs *m)
{
    crs_free(m->s);
    m->s = NULL;
}

void crs_lbfgs_visit(crs_visitor *v, crs_lbfgs *m)
{
    crs_visit(v, m->count);
    crs_visit(v, m->next);
    crs_visit(v, m->curve);
    crs_visit(v, m->square);
    crs_visits(v, m->s, 2 * SLOTS * m->n);
}

void crs_lbfgs_forget(crs_lbfgs *m) { m->count = m->next = 0; }

double *crs_lbfgs_step(const crs_lbfgs *m) { return m->s + m->next * m->n; }
double *crs_lbfgs_change(const crs_lbfgs *m) { return m->y + m->next * m->n; }

void crs_lbfgs_keep(crs_lbfgs *m)
{
    const double *s = crs_lbfgs_step(m), *y = crs_lbfgs_change(m);
    const double curve = crs_dot(m->n, s, y), square = crs_dot(m->n, y, y);
    if (!(curve > 1e-12 * crs_norm(m->n, s) * sqrt(square))) return;
    m->curve[m->next] = curve;
    m->square[m->next] = square;
    m->next = (m->next + 1) % SLOTS;
    m->count += m->count < CRS_LBFGS_PAIRS;
}

void crs_lbfgs_times(const crs_lbfgs *m, double *q)
{
    double a[SLOTS];
    for (int k = 1; k <= m->count; k++) { /* from the newest pair back */
        const int slot = (m->next + SLOTS - k) % SLOTS;
        a[slot] = crs_dot(m->n, m->s + slot * m->n, q) / m->curve[slot];
        axpy(m->n, -a[slot], m->y + slot * m->n, q);
    }
    if (m->count > 0) {
        const int newest = (m->next + SLOTS - 1) % SLOTS;
        const double scale = m->curve[newest] / m->square[newest];
        for (ptrdiff_t j = 0; j < m->n; j++) q[j] *= scale;
    }
    for (int k = m->count; k >= 1; k--) {
        const int slot = (m->next + SLOTS - k) % SLOTS;
        const double b = crs_dot(m->n, m->y + slot * m->n, q) / m->curve[slot];
        axpy(m->n, a[slot] - b, m->s + slot * m->n, q);
    }
}
