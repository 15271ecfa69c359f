/* SPDX-License-Identifier: MIT
 * couplings: grad f of the couplings of the catalogue, for the blocks that are asked for; products
 * of tensors with matrices are in tucker.inc
 *
 * A loss is f(x) = sum_j w_j phi(u_j), u = sum_k A_k x_k - rhs, with gradient A_k' (w o phi'(u)).
 * For logistic, u = rhs o (A x) and phi'(u) is multiplied by rhs. The error of phi'(u) is that of u
 * times the largest |phi''| nearby, plus the rounding of the formula.
 *
 * Also the size of the objective, for scales: f from the definitions, with the r_i. */
#include <crease/catalogue.h>

#include "verify/verify.h"

/* phi'(u) and the rounding of its formula */
static num rounded(real v) { return (num){ v, 8 * LDBL_EPSILON * fabsl(v) }; }
static num squares(const double *p, real u) { return (void)p, exact(u); }
static num logistic(const double *p, real u) { return (void)p, rounded(-1 / (1 + expl(u))); }
static num cauchy(const double *p, real u) { return (void)p, rounded(u / (1 + u * u)); }
static num geman(const double *p, real u)
{
    return (void)p, rounded(u / ((1 + u * u) * (1 + u * u)));
}
static num huber(const double *p, real u) { return exact(within(u, -(real)p[0], p[0])); }
static num lp_loss(const double *p, real u)
{
    return rounded(copysignl(p[0] * powl(fabsl(u), (real)p[0] - 1), u));
}

static num welsch(const double *p, real u) /* the exponent is off by u^2 roundings */
{
    const real v = u * expl(-u * u);
    return (void)p, (num){ v, v == 0 ? 0 : (8 + 2 * u * u) * LDBL_EPSILON * fabsl(v) };
}

static num tukey(const double *p, real u) /* s is off by two roundings of 1 */
{
    const real s = 1 - u * u;
    (void)p;
    if (s <= 0) return exact(0);
    return (num){ u * s * s, 8 * LDBL_EPSILON * fabsl(u * s) * (fabsl(s) + 1) };
}

/* The largest |phi''| on |u| >= m */
static real one(const double *p, real m) { return (void)p, (void)m, 1; }
static real logistic_bend(const double *p, real m) { return (void)p, expl(-m); }
static real cauchy_bend(const double *p, real m) { return (void)p, 1 / (1 + m * m); }
static real geman_bend(const double *p, real m) { return (void)p, 3 / ((1 + m * m) * (1 + m * m)); }
static real tukey_bend(const double *p, real m) { return (void)p, m < 1 ? 1 : 0; }
static real lp_bend(const double *p, real m)
{
    return p[0] * ((real)p[0] - 1) * powl(m, (real)p[0] - 2);
}
static real welsch_bend(const double *p, real m)
{
    return (void)p, m > 1 ? (1 + 2 * m * m) * expl(-m * m) : 1;
}

/* phi(u) */
static real square_value(const double *p, real u) { return (void)p, u * u / 2; }
static real cauchy_value(const double *p, real u) { return (void)p, log1pl(u * u) / 2; }
static real welsch_value(const double *p, real u) { return (void)p, -expm1l(-u * u) / 2; }
static real lp_loss_value(const double *p, real u) { return powl(fabsl(u), p[0]); }
static real geman_value(const double *p, real u)
{
    return (void)p, isinf(u) ? 0.5L : u * u / (1 + u * u) / 2;
}

static real logistic_value(const double *p, real u)
{
    return (void)p, positive(-u) + log1pl(expl(-fabsl(u)));
}

static real tukey_value(const double *p, real u)
{
    const real s = positive(1 - u * u);
    return (void)p, (1 - s * s * s) / 6;
}

static real huber_value(const double *p, real u)
{
    const real size = fabsl(u), delta = p[0];
    return size <= delta ? u * u / 2 : delta * (size - delta / 2);
}

typedef struct {
    const char *name;
    num (*slope)(const double *par, real u);
    real (*bend)(const double *par, real m);
    real (*value)(const double *par, real u);
} loss;

static const loss losses[] = {
    { "least_squares", squares, one, square_value },
    { "logistic", logistic, logistic_bend, logistic_value },
    { "cauchy", cauchy, cauchy_bend, cauchy_value },
    { "welsch", welsch, welsch_bend, welsch_value },
    { "geman", geman, geman_bend, geman_value },
    { "tukey", tukey, tukey_bend, tukey_value },
    { "huber", huber, one, huber_value },
    { "lp_loss", lp_loss, lp_bend, lp_loss_value },
};

static const loss *loss_named(const char *name)
{
    for (size_t k = 0; k < sizeof losses / sizeof *losses; k++)
        if (strcmp(losses[k].name, name) == 0) return &losses[k];
    return NULL;
}

/* phi'(w) for all |w - u| <= e; for |u|^p near 0 by
 * |sgn(u)|u|^s - sgn(w)|w|^s| <= 2^{1-s} |u - w|^s, s = p - 1. */
static num slope(const loss *l, const double *par, num u)
{
    const real p = par[0], nearest = positive(fabsl(u.v) - u.e);
    num out = l->slope(par, u.v);
    if (u.e == 0) return out;
    real spread = l->bend(par, nearest) * u.e;
    if (l->slope == lp_loss) spread = -bigger(-spread, -p * powl(2, 2 - p) * powl(u.e, p - 1));
    out.e += spread;
    return out;
}

static bool predict(crs_verifier *v, const crease_predictor *p, const double *const *x, num *u)
{
    for (int k = 0; k < p->count; k++) {
        const crease_space *dom = &v->p->space[p->block[k]];
        const num *in = crs_exact(v, crease_size(dom), x[p->block[k]]);
        if (!in || !crs_multiply(v, &p->map[k], dom, &p->range, false, in, u)) return false;
    }
    return true;
}

static bool loss_gradient(crs_verifier *v, const loss *l, const crease_smooth *f,
                          const double *const *x, num **g)
{
    const crease_predictor *p = f->data;
    const bool labels = l->slope == logistic;
    const ptrdiff_t m = crease_size(&p->range);
    bool wanted = false;
    for (int k = 0; k < p->count; k++) wanted = wanted || g[p->block[k]];
    if (!wanted) return true;
    num *u = crs_nums(v, m);
    if (!u || !predict(v, p, x, u)) return false;
    for (ptrdiff_t j = 0; j < m && crs_at_entry(v, j); j++) {
        const num rhs = exact(p->rhs ? p->rhs[j] : 0);
        u[j] = labels ? mul(rhs, slope(l, f->par, mul(rhs, u[j])))
                      : slope(l, f->par, add(u[j], neg(rhs)));
        if (p->weight) u[j] = p->weight[j] == 0 ? exact(0) : mul(exact(p->weight[j]), u[j]);
    }
    for (int k = 0; k < p->count; k++)
        if (g[p->block[k]] && !crs_multiply(v, &p->map[k], &v->p->space[p->block[k]], &p->range,
                                            true, u, g[p->block[k]]))
            return false;
    return true;
}

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
    const loss *l = is_listed(f) ? loss_named(f->ops->name) : NULL;
    if (l) return loss_gradient(v, l, f, x, g);
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

static bool is_never_negative(crs_verifier *v)
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
    const loss *l = loss_named(f->ops->name);
    num *u = crs_nums(v, m);
    if (!u || !predict(v, p, x, u)) return false;
    for (ptrdiff_t j = 0; j < m; j++) {
        const real rhs = p->rhs ? p->rhs[j] : 0, w = p->weight ? p->weight[j] : 1;
        *sum +=
            w == 0 ? 0 : w * l->value(f->par, l->slope == logistic ? rhs * u[j].v : u[j].v - rhs);
    }
    return true;
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
    if (loss_named(f->ops->name)) return loss_value(v, f, x, sum);
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
