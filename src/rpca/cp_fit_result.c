/* SPDX-License-Identifier: MIT
 * cp_fit_result: what a fit found */
#include "rpca/fit.h"

const double *crease_cp_fit_factor(const crease_cp_fit *f, int n) { return f->found[n]; }
const crease_certificate *crease_cp_fit_certificate(const crease_cp_fit *f) { return &f->best; }
crease_report crease_cp_fit_report(const crease_cp_fit *f) { return f->report; }
crease_progress crease_cp_fit_progress(const crease_cp_fit *f) { return f->progress; }
const crease_analysis *crease_cp_fit_analysis(const crease_cp_fit *f) { return f->a; }
crease_cp_fit_settings crease_cp_fit_used(const crease_cp_fit *f) { return f->s; }
const char *crease_cp_fit_engine(const crease_cp_fit *f) { return f->engine->name; }
ptrdiff_t crease_cp_fit_missing(const crease_cp_fit *f) { return f->missing; }
crease_cp_pilot crease_cp_fit_pilot(const crease_cp_fit *f) { return f->pilot; }
long crease_cp_fit_readings(const crease_cp_fit *f)
{
    const long run = f->engine->readings ? f->engine->readings(f->state) : f->report.iterations;
    return f->readings + f->pilot.readings + run;
}

bool crease_cp_fit_theta_stop(const crease_cp_fit *f) { return f->theta_stop; }

void crease_cp_fit_rows(const crease_cp_fit *f, ptrdiff_t *left, ptrdiff_t *right)
{
    *left = f->point.grid.left;
    *right = f->point.grid.right;
}

/* m and e become the part */
static void part_of(const crs_cp_point *p, crease_cp_part part, ptrdiff_t at, ptrdiff_t n,
                    const double *m, const double *e, double *out)
{
    const double c = noise_share(p), share = 1 / (1 + p->alpha_noise);
    for (ptrdiff_t j = 0; j < n; j++) {
        const double s = rest_at(p, at + j, m[j], e[j]);
        out[j] = part == CREASE_CP_LOWRANK  ? m[j]
                 : part == CREASE_CP_SPARSE ? e[j]
                 : part == CREASE_CP_SPLIT  ? m[j] + c * s
                                            : share * s;
    }
}

void crease_cp_fit_read(const crease_cp_fit *f, crease_cp_part part, ptrdiff_t first,
                        ptrdiff_t count, double *out)
{
    const crs_cp_point *p = &f->point;
    const ptrdiff_t right = p->grid.right, rows = p->grid.rows;
    double *m = f->room.workers, *e = m + rows * right, *kr = e + rows * right;
    for (ptrdiff_t at = first; at < first + count; at += rows, out += rows * right) {
        const ptrdiff_t now = fewer(rows, first + count - at), n = now * right, j = at * right;
        if (part == CREASE_CP_DATA) {
            copy(n, p->tensor + j, out);
        } else if (part == CREASE_CP_SEEN) {
            for (ptrdiff_t k = 0; k < n; k++) out[k] = !p->mask || p->mask[j + k];
        } else {
            crs_cp_panel(p, &f->room, at, now, kr, m, e);
            part_of(p, part, j, n, m, e, out);
        }
    }
}
