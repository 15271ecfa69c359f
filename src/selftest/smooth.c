/* SPDX-License-Identifier: MIT
 * smooth: what every coupling promises, checked on random instances: gradients of its values,
 * constants that hold, exact block minimizers. All regions are balls, so that every constant is
 * finite. */
#include "selftest/sample.h"

/* A smooth coupling with its blocks and data. */
enum { CRS_BLOCKS = 5 };
typedef struct {
    crease_space space[CRS_BLOCKS];
    double radius[CRS_BLOCKS];
    crease_blocks blocks;
    crease_smooth f, inner[2];
    crease_map map[2];
    double number[CRS_MOST * CRS_MOST * 2], more[CRS_MOST * CRS_MOST], rhs[CRS_MOST];
    double weight[CRS_MOST];
    crease_power_data power;
    int index[CRS_BLOCKS], index2[CRS_BLOCKS];
    const double *matrix[3], *linear[CRS_BLOCKS];
    crease_predictor predictor;
    crease_quadratic_data quadratic;
    crease_distance_data distance, distance2;
    crease_multilinear_data multilinear;
    crease_factorization_data factorization;
    crease_cp_data cp;
    crease_tucker_data tucker;
    crease_callback_smooth callback;
    crease_smooth_list list;
} instance;

/* Blocks in balls of radius 2, 3, ... */
static void sample_blocks(instance *o, int count, const crease_space *space)
{
    for (int i = 0; i < count; i++) o->space[i] = space[i], o->radius[i] = 2 + i;
    o->blocks = (crease_blocks){ count, o->space, o->radius };
    for (int i = 0; i < CRS_BLOCKS; i++) o->index[i] = i;
}

/* u = A_1 x_1 + A_2 x_2 - rhs in three blocks, the third untouched; now and then A_2 = c I. */
static void predictor(draws *d, instance *o)
{
    const ptrdiff_t m = 1 + below(d, 5);
    const bool scaled = below(d, 3) == 0;
    const crease_space space[] = { crease_vector(1 + below(d, 4)),
                                   crease_vector(scaled ? m : 1 + below(d, 4)), crease_vector(2) };
    sample_blocks(o, 2 + (int)below(d, 2), space);
    o->map[0] = crease_dense(o->number);
    o->map[1] = scaled ? crease_identity(normal(d)) : crease_dense(o->more);
    o->predictor = (crease_predictor){ 1 + (int)below(d, 2),
                                       o->index,
                                       o->map,
                                       crease_vector(m),
                                       below(d, 4) ? o->rhs : NULL,
                                       below(d, 2) ? o->weight : NULL };
    for (int j = 0; j < CRS_MOST; j++) o->weight[j] = below(d, 4) ? spread(d, -2, 2) : 0;
}

/* Any loss: its parameters, and labels or counts where it takes them. */
static void sample_loss(draws *d, instance *o)
{
    const bool labels = o->f.ops->labels, counts = o->f.ops->counts;
    predictor(d, o);
    crs_sample_params(d, o->f.ops->params, 1, o->f.par);
    o->f.data = &o->predictor;
    if (!labels && !counts) return;
    for (int j = 0; j < CRS_MOST; j++)
        o->rhs[j] = counts ? (double)below(d, 5) : below(d, 2) ? 1 : -1;
    o->predictor.rhs = o->rhs;
}

/* Smoothed over at least a step of the differences times 1e4 */
static void sample_quantile(draws *d, instance *o)
{
    sample_loss(d, o);
    o->f.par[1] = uniform(d, 0.3, 3);
}

/* The mean stays above 1 on the region. */
static void sample_poisson_identity(draws *d, instance *o)
{
    crease_error e;
    o->f.par[0] = 1;
    sample_loss(d, o);
    o->f.par[0] = 1;
    for (int i = 0; i < o->blocks.count; i++) {
        double norm = 0;
        for (int k = 0; k < o->predictor.count; k++)
            if (o->predictor.block[k] == i &&
                crease_map_norm(&o->map[k], &o->space[i], &o->predictor.range, &norm, &e))
                o->f.par[0] += norm * o->radius[i];
    }
}

static void sample_polynomial(draws *d, instance *o)
{
    const int degree = (int)below(d, 9);
    double c[9];
    sample_loss(d, o);
    for (int k = 0; k <= degree; k++) c[k] = below(d, 4) ? normal(d) / (double)(1 << k) : 0;
    o->f = crease_polynomial(&o->predictor, degree, c);
}

/* u = A_1 x_1 + A_2 x_2, a matrix with labels for its rows */
static void sample_softmax(draws *d, instance *o)
{
    const ptrdiff_t rows = 1 + below(d, 3), classes = 1 + below(d, 3);
    predictor(d, o);
    o->map[1] = crease_dense(o->more);
    o->predictor.range = crease_matrix(rows, classes);
    o->predictor.rhs = o->rhs;
    for (ptrdiff_t i = 0; i < rows; i++) o->rhs[i] = (double)below(d, classes);
    o->f = crease_softmax(&o->predictor);
}

static void sample_norm_power(draws *d, instance *o)
{
    static const double power[] = { 1.2, 1.5, 2, 3, 4.5 };
    const crease_space space[] = { crease_vector(3), crease_vector(2) };
    sample_blocks(o, 2, space);
    o->power = (crease_power_data){ 0, normal(d), power[below(d, 5)], below(d, 2) ? o->rhs : NULL };
    o->f = crease_norm_power(&o->power);
}

/* Two or three blocks; Q_11 symmetric, indefinite or negative, Q_12 and sometimes Q_33. */
static void sample_quadratic(draws *d, instance *o)
{
    const crease_space space[] = { crease_vector(3), crease_vector(2), crease_vector(2) };
    const double shift = below(d, 2) ? -6 : 0;
    sample_blocks(o, 2 + (int)below(d, 2), space);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            o->number[3 * i + j] = o->number[3 * j + i] = (i == j) * shift + normal(d);
    o->rhs[4] = normal(d), o->rhs[5] = o->rhs[6] = normal(d), o->rhs[7] = normal(d);
    o->matrix[0] = o->number, o->matrix[1] = o->more, o->matrix[2] = o->rhs + 4;
    o->index[0] = 0, o->index[1] = 0, o->index[2] = 2;
    o->index2[0] = 0, o->index2[1] = 1, o->index2[2] = 2;
    for (int i = 0; i < CRS_BLOCKS; i++) o->linear[i] = i == 1 ? NULL : o->more + 8 * (i + 1);
    o->quadratic = (crease_quadratic_data){ o->blocks.count == 3 ? 3 : 1 + (int)below(d, 2),
                                            o->index,
                                            o->index2,
                                            o->matrix,
                                            below(d, 4) ? o->linear : NULL,
                                            o->blocks.count };
    o->f = crease_quadratic(&o->quadratic);
}

static void sample_squared_distance(draws *d, instance *o)
{
    const crease_space space[] = { crease_vector(3), crease_vector(3) };
    sample_blocks(o, 2, space);
    o->distance =
        (crease_distance_data){ 0, below(d, 3) ? 1 : -1, normal(d), below(d, 2) ? o->rhs : NULL };
    o->f = crease_squared_distance(&o->distance);
}

static crease_space small_shape(draws *d, int order)
{
    crease_space s = { .order = order };
    for (int n = 0; n < order; n++) s.dim[n] = 1 + below(d, order > 3 ? 2 : 3);
    return s;
}

static void sample_multilinear(draws *d, instance *o)
{
    const crease_space shape = small_shape(d, 2 + (int)below(d, 3));
    crease_space space[CRS_BLOCKS];
    for (int n = 0; n < shape.order; n++) space[n] = crease_vector(shape.dim[n]);
    sample_blocks(o, shape.order, space);
    o->multilinear = (crease_multilinear_data){ shape, o->number, o->index, normal(d), NULL };
    o->f = crease_multilinear(&o->multilinear);
}

static void sample_matrix_factorization(draws *d, instance *o)
{
    const ptrdiff_t m = 1 + below(d, 3), n = 1 + below(d, 4), rank = 1 + below(d, 3);
    const crease_space space[] = { crease_matrix(m, rank), crease_matrix(n, rank),
                                   crease_matrix(m, n) };
    const bool fixed = below(d, 2);
    sample_blocks(o, fixed ? 2 : 3, space);
    o->factorization = (crease_factorization_data){ 0, 1, fixed ? -1 : 2, o->number };
    o->f = crease_matrix_factorization(&o->factorization);
}

static void sample_cp(draws *d, instance *o)
{
    const crease_space shape = small_shape(d, 2 + (int)below(d, 3));
    const ptrdiff_t rank = 1 + below(d, 3);
    const bool fixed = below(d, 2);
    crease_space space[CRS_BLOCKS];
    for (int n = 0; n < shape.order; n++) space[n] = crease_matrix(shape.dim[n], rank);
    space[shape.order] = shape;
    sample_blocks(o, shape.order + !fixed, space);
    o->cp = (crease_cp_data){ .shape = shape,
                              .rank = rank,
                              .factor = o->index,
                              .z = fixed ? -1 : shape.order,
                              .target = o->number,
                              .ridge = below(d, 2) ? 0.5 : 0 };
    o->f = crease_cp(&o->cp);
}

static void sample_tucker(draws *d, instance *o)
{
    const crease_space shape = small_shape(d, 2 + (int)below(d, 2));
    crease_space core = { .order = shape.order }, space[CRS_BLOCKS];
    const bool fixed = below(d, 2);
    for (int n = 0; n < shape.order; n++) {
        core.dim[n] = 1 + below(d, 2);
        space[n] = crease_matrix(shape.dim[n], core.dim[n]);
    }
    space[shape.order] = core, space[shape.order + 1] = shape;
    sample_blocks(o, shape.order + 1 + !fixed, space);
    o->tucker =
        (crease_tucker_data){ shape,    core, o->index, shape.order, fixed ? -1 : shape.order + 1,
                              o->number };
    o->f = crease_tucker(&o->tucker);
}

static double cosine(void *user, const double *const *x)
{
    return (void)user, cos(x[0][0]) * x[0][1];
}

static void cosine_grad(void *user, const double *const *x, int i, double *g)
{
    (void)user;
    if (i != 0) return;
    g[0] -= sin(x[0][0]) * x[0][1];
    g[1] += cos(x[0][0]);
}

/* cos(a) b on a ball of radius 2: its Hessian has norm at most |b| + 1 <= 3. */
static void sample_smooth_callback(draws *d, instance *o)
{
    const crease_space space[] = { crease_vector(2) };
    (void)d;
    sample_blocks(o, 1, space);
    o->callback = (crease_callback_smooth){
        .value = cosine,
        .grad = cosine_grad,
        .constants = { .L = 3, .M = 3, .p = 2, .rho = 3, .lower = -2 },
    };
    o->f = crease_smooth_callback(&o->callback);
}

static void sample_smooth_sum(draws *d, instance *o)
{
    sample_squared_distance(d, o);
    o->distance2 = (crease_distance_data){ 1, -1, normal(d), o->more };
    o->inner[0] = o->f;
    o->inner[1] = crease_squared_distance(&o->distance2);
    o->list = (crease_smooth_list){ 2, o->inner };
    o->f = crease_smooth_sum(&o->list);
}

static const struct {
    const char *name;
    void (*draw)(draws *d, instance *o);
} own[] = {
    { "quadratic", sample_quadratic },
    { "squared_distance", sample_squared_distance },
    { "norm_power", sample_norm_power },
    { "quantile", sample_quantile },
    { "polynomial", sample_polynomial },
    { "poisson_identity", sample_poisson_identity },
    { "softmax", sample_softmax },
    { "multilinear", sample_multilinear },
    { "matrix_factorization", sample_matrix_factorization },
    { "cp", sample_cp },
    { "tucker", sample_tucker },
    { "callback", sample_smooth_callback },
    { "sum", sample_smooth_sum },
};

static bool draw_instance(draws *d, int entry, instance *out, crease_error *e)
{
    normals(d, CRS_MOST * CRS_MOST * 2, 1, out->number);
    normals(d, CRS_MOST * CRS_MOST, 1, out->more);
    normals(d, CRS_MOST, 1, out->rhs);
    out->f = (crease_smooth){ .ops = crease_smooth_at(entry) };
    size_t k = 0;
    while (k < sizeof own / sizeof *own && strcmp(own[k].name, out->f.ops->name) != 0) k++;
    if (k < sizeof own / sizeof *own)
        own[k].draw(d, out);
    else
        sample_loss(d, out);
    return crease_smooth_check(&out->f, &out->blocks, e);
}

enum { PLACE = 64 };

typedef struct {
    double block[CRS_BLOCKS][PLACE];
} point;

typedef struct {
    const instance *a;
    const crease_blocks *b;
    double *work;
} smooth_case;

static void pointers(const point *x, const double **p)
{
    for (int i = 0; i < CRS_BLOCKS; i++) p[i] = x->block[i];
}

static ptrdiff_t size(const smooth_case *c, int i) { return crease_size(&c->b->space[i]); }

static double value(const smooth_case *c, const point *x)
{
    const double *p[CRS_BLOCKS];
    pointers(x, p);
    return c->a->f.ops->value(&c->a->f, c->b, p, c->work);
}

/* A point of the region, blocks of norm up to their radius. */
static void draw_point(const smooth_case *c, draws *d, point *x)
{
    for (int i = 0; i < c->b->count; i++) {
        const ptrdiff_t n = size(c, i);
        normals(d, n, 1, x->block[i]);
        const double factor =
            c->b->radius[i] * uniform(d, 0, 1) / (1e-300 + crs_norm(n, x->block[i]));
        for (ptrdiff_t j = 0; j < n; j++) x->block[i][j] *= factor;
    }
}

static void grad(const smooth_case *c, const point *x, int i, double *g) /* g = grad_i f(x) */
{
    const double *p[CRS_BLOCKS];
    pointers(x, p);
    fill(size(c, i), 0, g);
    c->a->f.ops->grad(&c->a->f, c->b, p, i, g, c->work);
}

static void check_gradient(const smooth_case *c, draws *d, crs_report *out)
{
    point x;
    double g[PLACE];
    draw_point(c, d, &x);
    for (int i = 0; i < c->b->count; i++) {
        const ptrdiff_t j = below(d, size(c, i));
        const double at = x.block[i][j], h = 1e-5;
        grad(c, &x, i, g);
        x.block[i][j] = at + h;
        const double up = value(c, &x);
        x.block[i][j] = at - h;
        const double down = value(c, &x);
        x.block[i][j] = at;
        const double scale = 1 + crs_norm(size(c, i), g) + 1e-5 * (fabs(up) + fabs(down)) / h;
        crs_report_note(out, "gradient = central differences",
                        fabs((up - down) / (2 * h) - g[j]) / scale, 1e-5);
        if (!c->a->f.ops->touches(&c->a->f, i))
            crs_report_note(out, "untouched block, no gradient", crs_norm(size(c, i), g), 0);
    }
}

/* One pass gives what value and grad give, on top of what stands there. */
static void check_both(const smooth_case *c, draws *d, crs_report *out)
{
    point x, sum;
    const double *p[CRS_BLOCKS];
    double *g[CRS_BLOCKS], alone[PLACE];
    if (!c->a->f.ops->both) return;
    draw_point(c, d, &x);
    pointers(&x, p);
    for (int i = 0; i < CRS_BLOCKS; i++) fill(PLACE, (double)i, g[i] = sum.block[i]);
    const double f = c->a->f.ops->both(&c->a->f, c->b, p, g, c->work), whole = value(c, &x);
    crs_report_note(out, "value in one pass", fabs(f - whole) / (1 + fabs(whole)), 1e-12);
    for (int i = 0; i < c->b->count; i++) {
        grad(c, &x, i, alone);
        const double scale = 1 + crs_norm(size(c, i), alone);
        for (ptrdiff_t j = 0; j < size(c, i); j++)
            crs_report_note(out, "gradients in one pass",
                            fabs(g[i][j] - (double)i - alone[j]) / scale, 1e-12);
    }
}

/* Differences between two points of the region: along all blocks, or along one of them. */
typedef struct {
    double step2;          /* |y - x|^2 */
    double change2, last2; /* |grad f(y) - grad f(x)|^2, and of the last block alone */
    double inner, step_p;  /* <grad f(x), y - x>, |y - x|_p^p */
    double block2[CRS_BLOCKS];
} difference;

static difference compare(const smooth_case *c, const point *x, const point *y, double p)
{
    difference r = { 0 };
    double gx[PLACE], gy[PLACE];
    for (int i = 0; i < c->b->count; i++) {
        grad(c, x, i, gx);
        grad(c, y, i, gy);
        for (ptrdiff_t j = 0, n = size(c, i); j < n; j++) {
            const double s = y->block[i][j] - x->block[i][j];
            r.step2 += s * s;
            r.step_p += pow(fabs(s), p);
            r.inner += gx[j] * s;
            r.block2[i] += square(gy[j] - gx[j]);
        }
        r.change2 += r.block2[i];
    }
    r.last2 = r.block2[c->b->count - 1];
    return r;
}

static void check_constants(const smooth_case *c, draws *d, crs_report *out)
{
    point x, y;
    double block[CRS_BLOCKS];
    crease_constants k;
    crease_error e;
    const bool known = crease_smooth_constants(&c->a->f, c->b, c->b->count - 1, &k, block, &e);
    crs_report_note(out, "constants are given", !known, 0);
    if (!known) return;
    for (int trial = 0; trial < 10; trial++) {
        draw_point(c, d, &x);
        draw_point(c, d, &y);
        const double fx = value(c, &x), fy = value(c, &y), scale = 1 + fabs(fx) + fabs(fy);
        const difference r = compare(c, &x, &y, k.p);
        const double noise = 1e-12 * (1 + sqrt(r.change2));
        crs_report_note(out, "L", pos(sqrt(r.change2) - k.L * sqrt(r.step2) - noise), 0);
        crs_report_note(out, "M", pos(sqrt(r.last2) - k.M * sqrt(r.step2) - noise), 0);
        crs_report_note(out, "lower bound", pos(k.lower - fx) / scale, 1e-13);
        crs_report_note(out, "(p, rho)", pos(fy - fx - r.inner - k.rho / 2 * r.step_p) / scale,
                        1e-12);
        if (k.concave) crs_report_note(out, "concave", pos(fy - fx - r.inner) / scale, 1e-12);
        const int i = (int)below(d, c->b->count);
        for (int other = 0; other < c->b->count; other++)
            if (other != i) copy(size(c, other), x.block[other], y.block[other]);
        const difference one = compare(c, &x, &y, 2);
        crs_report_note(out, "L_i", pos(sqrt(one.block2[i]) - block[i] * sqrt(one.step2) - noise),
                        0);
        if (c->a->f.ops->curvature) {
            const double *p[CRS_BLOCKS];
            pointers(&x, p);
            const double here = c->a->f.ops->curvature(&c->a->f, c->b, p, i, c->work);
            crs_report_note(out, "curvature",
                            pos(sqrt(one.block2[i]) - here * sqrt(one.step2) - noise), 0);
        }
    }
}

static void check_nan(const smooth_case *c, draws *d, crs_report *out)
{
    point x;
    const int i = (int)below(d, c->b->count);
    draw_point(c, d, &x);
    if (!c->a->f.ops->touches(&c->a->f, i)) return;
    x.block[i][below(d, size(c, i))] = NAN;
    crs_report_note(out, "NaN in, NaN out", !isnan(value(c, &x)), 0);
}

/* f(.., y, ..) + (h/2)|y - v|^2 */
static double block_objective(const smooth_case *c, point *x, int i, double h, const double *v,
                              const double *y)
{
    double kept[PLACE], sum = 0;
    const ptrdiff_t n = size(c, i);
    copy(n, x->block[i], kept);
    copy(n, y, x->block[i]);
    for (ptrdiff_t j = 0; j < n; j++) sum += square(y[j] - v[j]);
    const double f = value(c, x) + h / 2 * sum;
    copy(n, kept, x->block[i]);
    return f;
}

static void check_argmin(const smooth_case *c, draws *d, crs_report *out)
{
    point x;
    const int i = (int)below(d, c->b->count);
    const ptrdiff_t n = size(c, i);
    const double h = spread(d, -2, 3), radius = below(d, 2) ? INFINITY : spread(d, -1, 1);
    double v[PLACE], y[PLACE], z[PLACE];
    const double *p[CRS_BLOCKS];
    draw_point(c, d, &x);
    normals(d, n, 1, v);
    pointers(&x, p);
    if (!c->a->f.ops->argmin ||
        !c->a->f.ops->argmin(&c->a->f, c->b, p, i, h, v, radius, NULL, c->work) ||
        !c->a->f.ops->argmin(&c->a->f, c->b, p, i, h, v, radius, y, c->work))
        return;
    const double found = block_objective(c, &x, i, h, v, y), length = crs_norm(n, y);
    crs_report_note(out, "block minimizer in its ball", pos(length - radius) / (1 + length), 1e-13);
    double best = found;
    for (int k = 0; k < 40; k++) {
        const double scale = (1 + length) * pow(10, uniform(d, -6, 0));
        for (ptrdiff_t j = 0; j < n; j++) z[j] = y[j] + scale * normal(d);
        const double far = crs_norm(n, z), factor = far > radius ? radius / far : 1;
        for (ptrdiff_t j = 0; j < n; j++) z[j] *= factor;
        best = smaller(best, block_objective(c, &x, i, h, v, z));
    }
    crs_report_note(out, "block minimizer against search", (found - best) / (1 + fabs(best)),
                    1e-12);
}

static void check_known(const instance *a, crs_report *out)
{
    const crease_block block[CRS_BLOCKS] = { { 0 } };
    crs_note_checker(out,
                     &(crease_problem){
                         .count = a->blocks.count, .space = a->space, .block = block, .f = a->f });
}

bool crs_selftest_smooth(int entry, long trials, uint64_t seed, crs_report *out, crease_error *e)
{
    draws d = { { seed, 3000 + (uint64_t)entry }, 0 };
    *out = (crs_report){ .kind = "coupling", .name = crease_smooth_at(entry)->name };
    for (long k = 0; k < trials; k++) {
        instance a;
        if (!draw_instance(&d, entry, &a, e)) return false;
        double *work = crs_doubles(crease_smooth_scratch(&a.f, &a.blocks), "the self-test", e);
        if (!work) return false;
        const smooth_case c = { &a, &a.blocks, work };
        check_gradient(&c, &d, out);
        check_both(&c, &d, out);
        check_constants(&c, &d, out);
        check_argmin(&c, &d, out);
        check_nan(&c, &d, out);
        if (k < CRS_ASKED) check_known(&a, out);
        crs_free(work);
    }
    return true;
}
