/* SPDX-License-Identifier: MIT
 * factored: the exact step of a free block in which f is quadratic, by one factor for all steps
 *
 * The minimizer of L_beta(.., x_i, ..) + (h/2)|x_i - x_i^k|^2 is x_i^k - H^{-1} grad_i L_beta(x^k),
 * H = Q_ii + beta A_i'A_i + h I for any A_i: H_i = h I in Step 1 of the ADMMs and of BCD, and
 * neither L_i nor |A_i| in the step. H is factored anew when beta or h change. */
#include "dense/dense.h"
#include "method/method.h"

enum { LARGEST = 512 }; /* the largest block that is factored */

struct crs_factored {
    double *Q, *G, *factor; /* Q_ii; A_i'A_i, NULL: c^2 I; of H */
    double beta, h;         /* of H; NaN: there is none yet */
    bool definite;
};

static bool is_free(const crease_problem *p, int i)
{
    const crease_reg *r = crs_reg_of(p, i);
    crease_reg_traits t;
    r->ops->traits(r, &p->space[i], INFINITY, &t);
    return t.lipschitz == 0 && crs_whole_size(&p->space[i]) <= LARGEST;
}

/* Where a coordinate is divided by a number there is nothing to factor. */
static bool takes(const crease_problem *p, int i, double map_scale)
{
    const crs_bend bend = crs_bend_of(p, i);
    return is_free(p, i) && bend != CRS_BEND_VARIES &&
           (bend == CRS_BEND_CONSTANT || isnan(map_scale));
}

bool crs_offers_factor(const crease_problem *p, int i, double map_scale, double h, bool *offers,
                       crease_error *e)
{
    const ptrdiff_t n = crease_size(&p->space[i]);
    *offers = false;
    if (p->block[i].set || !takes(p, i, map_scale)) return true;
    double *H = crs_doubles(n * n, "the factor of a block", e);
    const bool done = crs_together(p->space[i].comm, H, e) && crs_block_hessian(p, i, H, e);
    for (ptrdiff_t j = 0; done && j < n; j++) H[j * n + j] += h;
    if (done) *offers = crs_together(p->space[i].comm, crs_cholesky(n, H), NULL);
    crs_free(H);
    return done;
}

static bool wants(const crease_problem *p, const crease_analysis *a, int i)
{
    const bool exact = i == a->last ? a->exact_last : a->block[i].exact;
    return exact && takes(p, i, a->block[i].map_scale);
}

void crs_carve_factors(const crease_problem *p, const crease_analysis *a, crs_carver *c,
                       struct crs_factored **into)
{
    struct crs_factored *all = carve_bytes(c, p->count, sizeof *all);
    for (int i = 0; i < p->count; i++) {
        const ptrdiff_t n = wants(p, a, i) ? crease_size(&p->space[i]) : 0;
        const ptrdiff_t g = isnan(a->block[i].map_scale) ? n : 0;
        double *Q = carve_doubles(c, n, n), *G = carve_doubles(c, g, g);
        double *factor = carve_doubles(c, n, n);
        if (!all) continue;
        all[i] = (struct crs_factored){ n > 0 ? Q : NULL, g > 0 ? G : NULL, factor, NAN, NAN, 0 };
    }
    *into = all;
}

bool crs_prepare_factors(crs_state *st, crease_error *e)
{
    for (int i = 0; i < st->p->count; i++) {
        struct crs_factored *k = &st->factored[i];
        if (k->Q && !crs_block_hessian(st->p, i, k->Q, e)) return false;
        if (k->G && !crs_block_gram(st->p, i, k->G, e)) return false;
    }
    return true;
}

static void factor(const crs_state *st, int i, double h, struct crs_factored *k)
{
    const ptrdiff_t n = crease_size(&st->p->space[i]);
    const double c = st->a->last >= 0 ? st->a->block[i].map_scale : 0, beta = st->a->beta;
    const double on_diagonal = h + (k->G || c == 0 ? 0 : beta * c * c);
    if (k->beta == beta && k->h == h) return;
    k->beta = beta, k->h = h;
    copy(n * n, k->Q, k->factor);
    if (k->G) axpy(n * n, beta, k->G, k->factor);
    for (ptrdiff_t j = 0; j < n; j++) k->factor[j * n + j] += on_diagonal;
    k->definite = crs_together(st->p->space[i].comm, crs_cholesky(n, k->factor), NULL);
}

bool crs_factored_step(crs_state *st, int i, double h)
{
    struct crs_factored *k = &st->factored[i];
    const ptrdiff_t n = crease_size(&st->p->space[i]);
    if (!k->Q) return false;
    factor(st, i, h, k);
    if (!k->definite) return false;
    crs_lagrangian_grad(st, i, st->g);
    crs_cholesky_solve(n, k->factor, 1, st->g);
    for (ptrdiff_t j = 0; j < n; j++) st->y[j] = st->x[i][j] - st->g[j];
    const double radius = st->a->block[i].radius;
    if (i != st->a->last && crease_norm(&st->p->space[i], st->y) > radius) return false;
    crs_move_to(st, i, st->y);
    return true;
}
