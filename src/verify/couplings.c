/* SPDX-License-Identifier: MIT
 * couplings: grad f of the couplings of the catalogue, for the blocks that are asked for; losses
 * of a linear predictor are in losses.c, products of tensors with matrices in tucker.inc
 *
 * Also the size of the objective, for scales: f from the definitions, with the r_i. */
#include <crease/catalogue.h>

#include "verify/verify.h"

/* weight T(x_1, ..., x_d) and |Z - [[X_1, ..., X_d]]|^2: one pass over the entries of the tensor,
 * each adding its share to the gradients. */

/* Counts through a tensor, the last index fastest. */
static void step(const crease_space *s, ptrdiff_t *index)
{
    for (int n = s->order; n-- > 0;) {
        if (++index[n] < s->dim[n]) return;
        index[n] = 0;
    }
}

static bool multilinear(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_multilinear_data *m = f->data;
    const crease_space *s = &m->shape;
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    for (ptrdiff_t j = 0, size = crease_size(s); j < size && crs_at_entry(v, j);
         j++, step(s, index))
        for (int n = 0; n < s->order; n++) {
            if (!g[m->block[n]]) continue;
            num term = mul(exact(m->weight), exact(m->tensor[j]));
            for (int k = 0; k < s->order; k++)
                if (k != n) term = mul(term, exact(x[m->block[k]][index[k]]));
            num *at = &g[m->block[n]][index[n]];
            *at = add(*at, term);
        }
    return true;
}

/* prod_{n != skip} X_n[index_n, r] */
static num outer(const crease_cp_data *c, const double *const *x, const ptrdiff_t *index,
                 ptrdiff_t r, int skip)
{
    num p = exact(1);
    for (int n = 0; n < c->shape.order; n++)
        if (n != skip) p = mul(p, exact(x[c->factor[n]][index[n] * c->rank + r]));
    return p;
}

/* e = sum_r prod_n X_n[i_n, r] - Z; X_n[i_n, r] receives 2 e prod_{k != n} X_k, Z receives -2 e. */
static void add_fit(crs_verifier *v, const crease_cp_data *c, const double *const *x, num **g)
{
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    const double *z = c->z < 0 ? c->target : x[c->z];
    for (ptrdiff_t j = 0, size = crease_size(&c->shape); j < size && crs_at_entry(v, j);
         j++, step(&c->shape, index)) {
        num e = exact(-(real)z[j]);
        for (ptrdiff_t r = 0; r < c->rank; r++) e = add(e, outer(c, x, index, r, -1));
        e = mul(exact(2), e);
        if (c->z >= 0 && g[c->z]) g[c->z][j] = add(g[c->z][j], neg(e));
        for (int n = 0; n < c->shape.order; n++)
            for (ptrdiff_t r = 0; g[c->factor[n]] && r < c->rank; r++)
                gather(&g[c->factor[n]][index[n] * c->rank + r], e, outer(c, x, index, r, n));
    }
}

static bool cp(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_cp_data *c = f->data;
    bool wanted = c->z >= 0 && g[c->z];
    for (int n = 0; n < c->shape.order; n++) { /* (ridge/2)|X_n|^2 */
        num *to = g[c->factor[n]];
        wanted = wanted || to;
        for (ptrdiff_t j = 0, size = c->shape.dim[n] * c->rank; to && j < size; j++)
            gather(&to[j], exact(c->ridge), exact(x[c->factor[n]][j]));
    }
    if (wanted) add_fit(v, c, x, g);
    return true;
}

static real cp_misfit(crs_verifier *v, const crease_cp_data *c, const double *const *x)
{
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    const double *z = c->z < 0 ? c->target : x[c->z];
    real sum = 0;
    const ptrdiff_t size = crease_size(&c->shape);
    for (ptrdiff_t j = 0; j < size && crs_at_entry(v, j); j++, step(&c->shape, index)) {
        real e = -(real)z[j];
        for (ptrdiff_t r = 0; r < c->rank; r++) e += outer(c, x, index, r, -1).v;
        sum += e * e;
    }
    return sum;
}

/* The pair (i, j) contributes Q x_j to g_i and, off the diagonal, Q'x_i to g_j. */
static bool quadratic(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_quadratic_data *q = f->data;
    for (int k = 0; k < q->count; k++) {
        const int i = q->row[k], j = q->col[k];
        const ptrdiff_t m = crease_size(&v->p->space[i]), n = crease_size(&v->p->space[j]);
        if (!g[i] && !g[j]) continue;
        for (ptrdiff_t r = 0; r < m && crs_in_time(v); r++)
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
    for (ptrdiff_t k = 0; k < n && crs_at_entry(v, k); k++) {
        num away = exact(x[d->a][k]);
        if (d->b >= 0) away = add(away, exact(-(real)x[d->b][k]));
        if (d->d) away = add(away, exact(-(real)d->d[k]));
        if (g[d->a]) gather(&g[d->a][k], exact(d->weight), away);
        if (d->b >= 0 && g[d->b]) gather(&g[d->b][k], exact(-(real)d->weight), away);
    }
    return true;
}

/* w |z|^{p-1} z/|z|, z = x_a - d. As a map of z it has Lipschitz constant w max(p - 1, 1) times the
 * largest |z|^{p-2} nearby, and for p < 2 it is Hoelder of order p - 1 with the constant 2^{2-p} w.
 */
static bool power(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_power_data *d = f->data;
    const real p = d->power, w = d->weight;
    const ptrdiff_t n = crease_size(&v->p->space[d->a]);
    real *z = g[d->a] ? crs_reals(v, n) : NULL;
    if (!g[d->a]) return true;
    if (!z) return false;
    for (ptrdiff_t k = 0; k < n; k++) z[k] = (real)x[d->a][k] - (d->d ? d->d[k] : 0);
    const real size = crs_length(n, z), off = LDBL_EPSILON * size; /* of z, in norm */
    const real by = size > 0 ? w * powl(size, p - 1) / size : 0;
    const real near = p < 2 ? size - off : size + off;
    real spread = near > 0 ? fabsl(w) * bigger(p - 1, 1) * powl(near, p - 2) * off : INFINITY;
    if (p < 2) spread = -bigger(-spread, -fabsl(w) * powl(2, 2 - p) * powl(off, p - 1));
    const real rounding = (working_roundings(n) + 16 * (1 + p) * LDBL_EPSILON) * fabsl(by);
    for (ptrdiff_t k = 0; k < n && crs_at_entry(v, k); k++)
        g[d->a][k] = add(g[d->a][k], (num){ by * z[k], spread + rounding * fabsl(z[k]) });
    return true;
}

static real power_value(crs_verifier *v, const crease_power_data *d, const double *const *x)
{
    const ptrdiff_t n = crease_size(&v->p->space[d->a]);
    real *z = crs_reals(v, n);
    for (ptrdiff_t k = 0; z && k < n; k++) z[k] = (real)x[d->a][k] - (d->d ? d->d[k] : 0);
    return z ? d->weight * powl(crs_length(n, z), d->power) / d->power : NAN;
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
        if (!g[i] || (c->touches && !c->touches[i])) continue;
        double *own = crs_room(v, n, sizeof *own);
        if (!own) return false;
        c->grad(c->user, x, i, own);
        for (ptrdiff_t j = 0; j < n; j++) g[i][j] = add(g[i][j], exact(own[j]));
    }
    return true;
}

enum { LANES = 8, CHUNK = 256 };

/* How far apart two neighbours along mode n lie. */
static ptrdiff_t stride(const crease_space *s, int n)
{
    ptrdiff_t inner = 1;
    for (int k = n + 1; k < s->order; k++) inner *= s->dim[k];
    return inner;
}

static bool is_wanted(const crease_tucker_data *c, num **g)
{
    bool wanted = g[c->core] || (c->z >= 0 && g[c->z]);
    for (int n = 0; n < c->shape.order; n++) wanted = wanted || g[c->factor[n]];
    return wanted;
}

/* Every operation on numbers below the normal ones is off by 2^-1075 at most. Multiplied by nine
 * entries up to LARGEST, and summed 2^62 times, that does not add up to TINY. */
#define NUMBER   double
#define EPSILON  DBL_EPSILON
#define TINY     0x1p-500L
#define LARGEST  0x1p50
#define ABS      fabs
#define AS(name) name##_double
#include "verify/tucker.inc"
#undef NUMBER
#undef EPSILON
#undef TINY
#undef LARGEST
#undef ABS
#undef AS

#define NUMBER   long double
#define EPSILON  LDBL_EPSILON
#define TINY     0
#define LARGEST  LDBL_MAX
#define ABS      fabsl
#define AS(name) name##_extended
#include "verify/tucker.inc"

static bool tucker(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    return (v->coarse ? tucker_double : tucker_extended)(v, f, x, g);
}

static bool matrix_product(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    return (v->coarse ? product_double : product_extended)(v, f, x, g);
}

static real squares_of(const tensor_double *t)
{
    real sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(&t->shape); j < n; j++) sum += (real)t->a[j] * t->a[j];
    return sum;
}

static real tucker_misfit(crs_verifier *v, const crease_tucker_data *c, const double *const *x)
{
    const tensor_double core = copy_of_double(v, &c->core_shape, x[c->core], false);
    const tensor_double E = tucker_rest_double(v, c, x, &core);
    return v->no_memory ? 0 : squares_of(&E);
}

static real product_misfit(crs_verifier *v, const crease_factorization_data *m,
                           const double *const *x)
{
    const tensor_double X = copy_of_double(v, &v->p->space[m->x], x[m->x], false);
    const tensor_double Y = copy_of_double(v, &v->p->space[m->y], x[m->y], true);
    const tensor_double E = product_rest_double(v, m, x, &X, &Y);
    return v->no_memory ? 0 : squares_of(&E);
}

static bool misfit(crs_verifier *v, const crease_smooth *f, const double *const *x, real *sum)
{
    const real blur = v->blur;
    void *mark = v->rooms;
    *sum = strcmp(f->ops->name, "cp") == 0       ? cp_misfit(v, f->data, x)
           : strcmp(f->ops->name, "tucker") == 0 ? tucker_misfit(v, f->data, x)
                                                 : product_misfit(v, f->data, x);
    v->blur = blur;
    if (!v->no_memory) crs_rooms_release(v, mark);
    return !v->no_memory;
}

static const struct {
    const char *name;
    crs_gradient *add;
} rules[] = {
    { "quadratic", quadratic },
    { "squared_distance", distance },
    { "norm_power", power },
    { "multilinear", multilinear },
    { "matrix_factorization", matrix_product },
    { "cp", cp },
    { "tucker", tucker },
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
    if (is_listed(f) && crs_is_loss(f)) return crs_loss_gradient(v, f, x, g);
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (strcmp(rules[k].name, f->ops->name) == 0 && is_listed(f))
            return rules[k].add(v, f, x, g);
    return crs_refuse(v, "the coupling '%s' is not one of the catalogue", f->ops->name);
}

/* The values; losses, squares, penalties and their sums are >= 0 by their form. */
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
    if (!is_listed(f)) return false;
    if (crs_is_loss(f)) return crs_loss_positive(f);
    if (is_misfit(f)) return true;
    if (is_named(f, "squared_distance"))
        return ((const crease_distance_data *)f->data)->weight >= 0;
    if (is_named(f, "norm_power")) return ((const crease_power_data *)f->data)->weight >= 0;
    if (is_named(f, "callback")) { /* L = 0: nothing is declared, the lower bound included */
        const crease_constants *k = &((const crease_callback_smooth *)f->data)->constants;
        return k->L > 0 && k->lower >= 0;
    }
    if (!is_named(f, "sum")) return false;
    const crease_smooth_list *l = f->data;
    bool all = true;
    for (int k = 0; k < l->count; k++) all = all && is_positive(&l->term[k]);
    return all;
}

static bool is_never_negative(crs_verifier *v)
{
    crs_known_reg k;
    for (int i = 0; i < v->p->count; i++)
        if (!crs_know_reg(v, &v->p->block[i].reg, &k) || !(k.factor >= 0)) return false;
    return is_positive(&v->p->f);
}

/* (weight/2)|x_a - x_b - d|^2 */
static real distance_value(const crs_verifier *v, const crease_distance_data *d,
                           const double *const *x)
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
    real squared = 0;
    if (!f->ops) return true;
    if (crs_is_loss(f)) return crs_loss_value(v, f, x, sum);
    if (is_named(f, "norm_power")) return *sum += power_value(v, f->data, x), !v->no_memory;
    if (is_named(f, "squared_distance")) return *sum += distance_value(v, f->data, x), true;
    if (is_named(f, "callback")) {
        const crease_callback_smooth *c = f->data;
        v->trusted_callback = true;
        return *sum += c->value(c->user, x), true;
    }
    if (is_misfit(f)) {
        if (!misfit(v, f, x, &squared)) return false;
        return *sum += squared + (is_named(f, "cp") ? ridge(f->data, x) : 0), true;
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
    *value = NAN;
    if (!is_never_negative(v)) return !v->unsupported;
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
