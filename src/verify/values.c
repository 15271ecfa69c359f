/* SPDX-License-Identifier: MIT
 * values: f(x) + sum_i r_i(x_i) from the definitions, for the scales of relative residuals, and
 * whether it is >= 0 by its form: losses, squares, penalties and their sums are */
#include "verify/verify.h"

static real squares(const double *p, real u) { return (void)p, u * u / 2; }
static real cauchy(const double *p, real u) { return (void)p, log1pl(u * u) / 2; }
static real welsch(const double *p, real u) { return (void)p, -expm1l(-u * u) / 2; }
static real lp_loss(const double *p, real u) { return powl(fabsl(u), p[0]); }
static real geman(const double *p, real u) { return (void)p, isinf(u) ? 0.5L : u * u / (1 + u * u) / 2; }

static real logistic(const double *p, real u)
{
    return (void)p, positive(-u) + log1pl(expl(-fabsl(u)));
}

static real tukey(const double *p, real u)
{
    const real s = positive(1 - u * u);
    return (void)p, (1 - s * s * s) / 6;
}

static real huber(const double *p, real u)
{
    const real size = fabsl(u), delta = p[0];
    return size <= delta ? u * u / 2 : delta * (size - delta / 2);
}

typedef real loss(const double *par, real u);

static loss *loss_named(const char *name)
{
    static const struct {
        const char *name;
        loss *value;
    } losses[] = {
        { "least_squares", squares }, { "logistic", logistic }, { "cauchy", cauchy },
        { "welsch", welsch },         { "geman", geman },       { "tukey", tukey },
        { "huber", huber },           { "lp_loss", lp_loss },
    };
    for (size_t k = 0; k < sizeof losses / sizeof *losses; k++)
        if (strcmp(losses[k].name, name) == 0) return losses[k].value;
    return NULL;
}

static bool is_named(const crease_smooth *f, const char *name)
{
    return strcmp(f->ops->name, name) == 0;
}

static bool is_misfit(const crease_smooth *f)
{
    return is_named(f, "cp") || is_named(f, "tucker") || is_named(f, "matrix_factorization");
}

static bool is_positive(const crease_smooth *f)
{
    if (!f->ops) return true;
    if (!crs_is_listed(f)) return false;
    if (loss_named(f->ops->name) || is_misfit(f)) return true;
    if (is_named(f, "squared_distance"))
        return ((const crease_distance_data *)f->data)->weight >= 0;
    if (is_named(f, "callback"))
        return ((const crease_callback_smooth *)f->data)->constants.lower >= 0;
    if (!is_named(f, "sum")) return false;
    const crease_smooth_list *l = f->data;
    bool all = true;
    for (int k = 0; k < l->count; k++) all = all && is_positive(&l->term[k]);
    return all;
}

bool crs_never_negative(crs_verifier *v)
{
    crs_known_reg k;
    for (int i = 0; i < v->p->count; i++)
        if (!crs_know_reg(v, &v->p->block[i].reg, &k) || !(k.factor >= 0)) return false;
    return is_positive(&v->p->f);
}

static bool loss_value(crs_verifier *v, const crease_smooth *f, const double *const *x, real *sum)
{
    const crease_predictor *p = f->data;
    const ptrdiff_t m = crease_size(&p->range);
    loss *phi = loss_named(f->ops->name);
    num *u = crs_nums(v, m);
    if (!u || !crs_predict(v, p, x, u)) return false;
    for (ptrdiff_t j = 0; j < m; j++) {
        const real rhs = p->rhs ? p->rhs[j] : 0;
        *sum += phi(f->par, phi == logistic ? rhs * u[j].v : u[j].v - rhs);
    }
    return true;
}

/* (weight/2)|x_a - x_b - d|^2 */
static real distance(const crs_verifier *v, const crease_distance_data *d, const double *const *x)
{
    real sum = 0;
    for (ptrdiff_t k = 0, n = crease_size(&v->p->space[d->a]); k < n; k++) {
        const real t = (real)x[d->a][k] - (d->b >= 0 ? x[d->b][k] : 0) - (d->d ? d->d[k] : 0);
        sum += t * t;
    }
    return d->weight * sum / 2;
}

static real ridge(const crease_cp_data *c, const double *const *x)
{
    real sum = 0;
    for (int n = 0; n < c->shape.order; n++)
        for (ptrdiff_t j = 0; j < c->shape.dim[n] * c->rank; j++)
            sum += (real)x[c->factor[n]][j] * x[c->factor[n]][j];
    return c->ridge * sum / 2;
}

static bool add_value(crs_verifier *v, const crease_smooth *f, const double *const *x, real *sum)
{
    real misfit = 0;
    if (!f->ops) return true;
    if (loss_named(f->ops->name)) return loss_value(v, f, x, sum);
    if (is_named(f, "squared_distance")) return *sum += distance(v, f->data, x), true;
    if (is_named(f, "callback")) {
        const crease_callback_smooth *c = f->data;
        v->trusted_callback = true;
        return *sum += c->value(c->user, x), true;
    }
    if (is_misfit(f)) {
        if (!crs_misfit(v, f, x, &misfit)) return false;
        return *sum += misfit + (is_named(f, "cp") ? ridge(f->data, x) : 0), true;
    }
    const crease_smooth_list *l = f->data;
    for (int k = 0; k < l->count; k++)
        if (!add_value(v, &l->term[k], x, sum)) return false;
    return true;
}

bool crs_objective(crs_verifier *v, const double *const *x, real *value)
{
    const crease_problem *p = v->p;
    void *mark = v->rooms;
    const bool doubled = v->doubled;
    crs_known_reg k;
    *value = 0;
    if (!add_value(v, &p->f, x, value)) return false;
    for (int i = 0; i < p->count; i++) {
        if (!crs_know_reg(v, &p->block[i].reg, &k)) return false;
        *value += crs_reg_value(&k, &p->space[i], x[i]);
    }
    v->doubled = doubled; /* a scale needs no more */
    crs_rooms_release(v, mark);
    return true;
}
