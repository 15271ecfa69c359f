/* SPDX-License-Identifier: MIT
 * gap: the certificate of a conditional gradient problem, -psi_S(x) */
#include "certify/certify.h"

void crs_certify_gap(const crease_problem *p, const double *const *x, crease_certificate *c,
                     double *room)
{
    const ptrdiff_t n = crs_largest_block(p);
    double *g = room, *y = g + n, *work = y + n, sum = 0, scale = 0;
    crs_certify_begin(p, x, c, room);
    for (int i = 0; i < p->count; i++) { /* <c,x> + r(x) - min_y <c,y> + r(y) */
        const crease_reg *r = crs_reg_of(p, i);
        const crease_set *set = p->block[i].set;
        const crease_space *s = &p->space[i];
        crs_grad(p, x, i, g, work);
        const double least = crease_lmo_with(set, r, s, g, y, work);
        const double here = crease_dot(s, g, x[i]) + r->ops->value(r, s, x[i], work);
        crease_residual *out = &c->block[i];
        *out = (crease_residual){ .setting = 1, .residual = pos(here - least) };
        out->scale = crease_norm(s, g) * set->ops->diameter(set, s, 2) + fabs(here) + fabs(least);
        out->rounding = 4 * CRS_UNIT * out->scale;
        out->residual += out->rounding;
        sum += out->residual;
        scale += out->scale;
    }
    c->worst = sum;
    c->worst_relative = sum == 0 ? 0 : sum / scale;
    crs_certify_finish(c);
}

bool crease_certify_gcg(const crease_problem *p, const double *const *x, double *psi,
                        crease_error *e)
{
    if (!crease_problem_check(p, e)) return false;
    for (int i = 0; i < p->count; i++) {
        if (!p->block[i].set)
            return crs_fail(e, CREASE_UNSUPPORTED, "block %d has no set; gcg needs compact sets",
                            i + 1);
        if (!crease_lmo_with_check(p->block[i].set, crs_reg_of(p, i), &p->space[i], e))
            return false;
    }
    crease_certificate c = { .block = crs_alloc((size_t)p->count, sizeof *c.block) };
    double *work = crs_doubles(crs_certify_room(p, true), "a certificate", e);
    const bool done = c.block && work;
    if (done) {
        crs_certify_gap(p, x, &c, work);
        *psi = -c.worst;
    } else {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a certificate of %d blocks", p->count);
    }
    crs_free(c.block);
    crs_free(work);
    return done;
}
