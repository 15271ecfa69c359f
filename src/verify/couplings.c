/* SPDX-License-Identifier: MIT
 * couplings: grad f of the couplings of the catalogue, for the blocks that are asked for
 *
 * Here quadratics, distances, sums and callbacks; the others in losses.c, products.c and
 * tucker.inc. */
#include <crease/catalogue.h>

#include "verify/verify.h"

/* The pair (i, j) contributes Q x_j to g_i and, off the diagonal, Q'x_i to g_j. */
static bool quadratic(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_quadratic_data *q = f->data;
    for (int k = 0; k < q->count; k++) {
        const int i = q->row[k], j = q->col[k];
        const ptrdiff_t m = crease_size(&v->p->space[i]), n = crease_size(&v->p->space[j]);
        if (!g[i] && !g[j]) continue;
        for (ptrdiff_t r = 0; r < m; r++)
            for (ptrdiff_t c = 0; c < n; c++) {
                const num a = exact(q->matrix[k][r * n + c]);
                if (g[i]) gather(&g[i][r], a, exact(x[j][c]));
                if (i != j && g[j]) gather(&g[j][c], a, exact(x[i][r]));
            }
    }
    for (int i = 0; q->linear && i < q->blocks; i++)
        for (ptrdiff_t r = 0, m = crease_size(&v->p->space[i]); g[i] && q->linear[i] && r < m; r++)
            g[i][r] = add(g[i][r], exact(q->linear[i][r]));
    return true;
}

/* weight (x_a - x_b - d) in block a, its negative in block b */
static bool distance(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_distance_data *d = f->data;
    const ptrdiff_t n = g[d->a] || (d->b >= 0 && g[d->b]) ? crease_size(&v->p->space[d->a]) : 0;
    for (ptrdiff_t k = 0; k < n; k++) {
        num away = exact(x[d->a][k]);
        if (d->b >= 0) away = add(away, exact(-(real)x[d->b][k]));
        if (d->d) away = add(away, exact(-(real)d->d[k]));
        if (g[d->a]) gather(&g[d->a][k], exact(d->weight), away);
        if (d->b >= 0 && g[d->b]) gather(&g[d->b][k], exact(-(real)d->weight), away);
    }
    return true;
}

static bool sum(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_smooth_list *l = f->data;
    for (int k = 0; k < l->count; k++)
        if (!crs_add_gradient(v, &l->term[k], x, g)) return false;
    return true;
}

static bool callback(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_callback_smooth *c = f->data;
    v->trusted_callback = true;
    for (int i = 0; i < v->p->count; i++) {
        const ptrdiff_t n = crease_size(&v->p->space[i]);
        if (!g[i]) continue;
        double *own = crs_room(v, n, sizeof *own);
        if (!own) return false;
        c->grad(c->user, x, i, own);
        for (ptrdiff_t j = 0; j < n; j++) g[i][j] = add(g[i][j], exact(own[j]));
    }
    return true;
}

static const struct {
    const char *name;
    crs_gradient *add;
} rules[] = {
    { "least_squares", crs_loss_gradient },
    { "logistic", crs_loss_gradient },
    { "cauchy", crs_loss_gradient },
    { "welsch", crs_loss_gradient },
    { "geman", crs_loss_gradient },
    { "tukey", crs_loss_gradient },
    { "huber", crs_loss_gradient },
    { "lp_loss", crs_loss_gradient },
    { "quadratic", quadratic },
    { "squared_distance", distance },
    { "multilinear", crs_multilinear_gradient },
    { "matrix_factorization", crs_product_gradient },
    { "cp", crs_cp_gradient },
    { "tucker", crs_tucker_gradient },
    { "sum", sum },
    { "callback", callback },
};

static bool is_listed(const crease_smooth *f)
{
    for (int k = 0; k < crease_smooth_count(); k++)
        if (crease_smooth_at(k) == f->ops) return true;
    return false;
}

bool crs_add_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (strcmp(rules[k].name, f->ops->name) == 0 && is_listed(f))
            return rules[k].add(v, f, x, g);
    return crs_refuse(v, "the coupling '%s' is not one of the catalogue", f->ops->name);
}
