/* SPDX-License-Identifier: MIT
 * regression_deadline: fits that are ended by their caller or the clock, with the path so far */
#include "regress/regress.h"

bool crs_deadline_met(crs_deadline *d)
{
    return d && (atomic_load(&d->stop) || !(crs_now() < d->until));
}

void crease_regression_stop(crease_regression *m) { atomic_store(&m->own.stop, true); }

bool crease_regression_stopped(const crease_regression *m) { return m->own.ended; }

/* An ascending path was solved from its end: that becomes the front. */
void crs_regression_cut(crease_regression *m, ptrdiff_t solved)
{
    const ptrdiff_t first = m->s.ascending ? m->s.path - solved : 0;
    m->s.path = solved;
    m->deadline->ended = true;
    copy(solved, m->lambda + first, m->lambda);
    copy(solved * m->d.cols, m->point + first * m->d.cols, m->point);
    copy(solved * m->d.p, m->coef + first * m->d.p, m->coef);
    for (ptrdiff_t k = 0; k < solved; k++) {
        m->solution[k] = m->solution[first + k];
        m->solution[k].coef = m->coef + k * m->d.p;
        if (m->block) m->block[k] = m->block[first + k];
    }
}
