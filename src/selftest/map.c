/* SPDX-License-Identifier: MIT
 * map: what every linear map promises, checked on random instances: its adjoint, linearity, and
 * bounds on the safe side */
#include "selftest/sample.h"

/* A linear map with its spaces and data. */
typedef struct {
    crease_space dom, ran, between;
    crease_map A, inner[2];
    double number[CRS_MOST * CRS_MOST], more[CRS_MOST * CRS_MOST], scale[2];
    ptrdiff_t start[CRS_MOST + 1], col[CRS_MOST * CRS_MOST];
    crease_csr_matrix csr;
    crease_index_list list;
    crease_callback_map callback;
    crease_map_list terms;
    crease_map_pair pair;
    crease_space part[2];
    crease_map_parts parts;
    crease_matrix_pair matrices;
    crease_factored_matrix factors;
    crease_cosine *cosine;
    crease_kernel kernel;
} instance;

/* A shape of 1 to 3 dimensions with at most CRS_MOST entries, each length a multiple of `unit`. */
static crease_space small_shape(draws *d, ptrdiff_t unit)
{
    crease_space s = crease_vector(unit * (1 + below(d, CRS_MOST / unit)));
    while (s.order < 3 && below(d, 2)) {
        s.dim[s.order] = unit * (1 + below(d, 4));
        if (crease_size(&s) * s.dim[s.order] > CRS_MOST) break;
        s.order++;
    }
    return s;
}

static void sample_diagonal(draws *d, instance *o)
{
    if (below(d, 3) == 0) fill(CRS_MOST, normal(d), o->number);
    o->A = crease_diagonal(o->number);
}

/* Rows of 0 to 3 entries in any column, some of them twice. */
static void sample_csr(draws *d, instance *o)
{
    const ptrdiff_t rows = 1 + below(d, 6), cols = crease_size(&o->dom);
    ptrdiff_t used = 0;
    for (ptrdiff_t i = 0; i < rows; i++) {
        o->start[i] = used;
        for (ptrdiff_t k = below(d, 4); k > 0; k--) o->col[used++] = below(d, cols);
    }
    o->start[rows] = used;
    o->ran = crease_vector(rows);
    o->csr = (crease_csr_matrix){ rows, cols, o->start, o->col, o->number };
    o->A = crease_csr(&o->csr);
}

static void sample_mask(draws *d, instance *o)
{
    for (int j = 0; j < CRS_MOST; j++) o->number[j] = below(d, 3) > 0;
    o->A = crease_mask(o->number);
}

static void sample_selection(draws *d, instance *o)
{
    const ptrdiff_t n = crease_size(&o->dom), count = 1 + below(d, n);
    for (ptrdiff_t k = 0; k < count; k++) o->col[k] = below(d, n);
    if (below(d, 2)) crease_random_sample((crease_random){ d->r.seed, d->next }, n, count, o->col);
    o->list = (crease_index_list){ count, o->col };
    o->ran = crease_vector(count);
    o->A = crease_selection(&o->list);
}

static void sample_finite_difference(draws *d, instance *o)
{
    const int axis = (int)below(d, 2);
    o->dom = crease_matrix(2 + below(d, 2), 2 + below(d, 3));
    o->ran = o->dom;
    o->ran.dim[axis]--;
    o->A = crease_finite_difference(axis);
}

static void rotate(void *user, double a, const double *x, double *y)
{
    const double *c = user;
    y[0] += a * (c[0] * x[0] - c[1] * x[1]);
    y[1] += a * (c[1] * x[0] + c[0] * x[1]);
}

static void rotate_back(void *user, double a, const double *y, double *x)
{
    const double *c = user;
    x[0] += a * (c[0] * y[0] + c[1] * y[1]);
    x[1] += a * (c[0] * y[1] - c[1] * y[0]);
}

static void sample_map_callback(draws *d, instance *o)
{
    (void)d;
    o->dom = o->ran = crease_vector(2);
    o->callback = (crease_callback_map){ rotate, rotate_back, o->number, 0, 0 };
    o->A = crease_map_callback(&o->callback);
}

static void sample_map_sum(draws *d, instance *o)
{
    o->ran = o->dom;
    o->inner[0] = crease_dense(o->number);
    o->inner[1] = crease_identity(normal(d));
    o->scale[0] = normal(d), o->scale[1] = normal(d);
    o->terms = (crease_map_list){ 2, o->inner, below(d, 2) ? o->scale : NULL };
    o->A = crease_map_sum(&o->terms);
}

static void sample_composition(draws *d, instance *o)
{
    o->between = crease_vector(1 + below(d, 5));
    o->ran = crease_vector(1 + below(d, 5));
    o->inner[0] = crease_dense(o->number);
    o->inner[1] = crease_dense(o->more);
    o->pair = (crease_map_pair){ &o->inner[0], &o->inner[1], &o->between };
    o->A = crease_composition(&o->pair);
}

static void sample_map_scaled(draws *d, instance *o)
{
    o->ran = crease_vector(1 + below(d, 6));
    o->inner[0] = crease_dense(o->number);
    o->A = crease_map_scaled(normal(d), o->inner);
}

static void sample_transposed(draws *d, instance *o)
{
    o->ran = crease_vector(1 + below(d, 6));
    o->inner[0] = crease_dense(o->number);
    o->A = crease_transposed(o->inner);
}

static void sample_stack(draws *d, instance *o)
{
    o->part[0] = o->dom, o->part[1] = crease_vector(1 + below(d, 4));
    o->inner[0] = crease_identity(normal(d)), o->inner[1] = crease_dense(o->number);
    o->ran = crease_vector(crease_size(&o->part[0]) + crease_size(&o->part[1]));
    o->parts = (crease_map_parts){ 2, o->inner, o->part };
    o->A = crease_stack(&o->parts);
}

static void sample_side_by_side(draws *d, instance *o)
{
    o->part[0] = o->ran = o->dom, o->part[1] = crease_vector(1 + below(d, 4));
    o->inner[0] = crease_identity(normal(d)), o->inner[1] = crease_dense(o->number);
    o->dom = crease_vector(crease_size(&o->part[0]) + crease_size(&o->part[1]));
    o->parts = (crease_map_parts){ 2, o->inner, o->part };
    o->A = crease_side_by_side(&o->parts);
}

static void sample_gradient(draws *d, instance *o)
{
    ptrdiff_t rows = 0;
    o->dom = crease_matrix(1 + below(d, 3), 2 + below(d, 2)); /* 12 differences at most */
    for (int i = 0; i < 2; i++) rows += crease_size(&o->dom) / o->dom.dim[i] * (o->dom.dim[i] - 1);
    o->ran = crease_vector(rows);
    o->A = crease_gradient();
}

static void sample_kronecker(draws *d, instance *o)
{
    const ptrdiff_t a = 1 + below(d, 4), b = 1 + below(d, 4), m = 1 + below(d, 4),
                    n = 1 + below(d, 4);
    o->dom = crease_matrix(a, b), o->ran = crease_matrix(m, n);
    o->matrices = (crease_matrix_pair){ m, a, n, b, o->number, o->more };
    o->A = crease_kronecker(&o->matrices);
}

static void sample_low_rank(draws *d, instance *o)
{
    o->ran = crease_vector(1 + below(d, 6));
    o->factors = (crease_factored_matrix){ crease_size(&o->ran), crease_size(&o->dom),
                                           1 + below(d, 4), o->number, o->more };
    o->A = crease_low_rank(&o->factors);
}

static void sample_wavelet(draws *d, instance *o)
{
    const int levels = 1 + (int)below(d, 2);
    o->dom = o->ran = small_shape(d, (ptrdiff_t)1 << levels);
    o->A = crease_wavelet(levels);
}

static void sample_dct(draws *d, instance *o)
{
    o->dom = o->ran = small_shape(d, 1);
    o->cosine = crease_cosine_new(&o->dom, NULL);
    o->A = crease_dct(o->cosine);
}

static void sample_kernel(draws *d, instance *o, bool circular)
{
    crease_kernel *k = &o->kernel;
    o->dom = o->ran = small_shape(d, 1);
    *k = (crease_kernel){ .signal = o->dom, .shape = o->dom, .h = o->number, .circular = circular };
    for (int i = 0; i < o->dom.order; i++) {
        k->shape.dim[i] = 1 + below(d, o->dom.dim[i] + (circular ? 0 : 2));
        k->origin[i] = below(d, k->shape.dim[i]);
    }
    crease_kernel_prepare(k, NULL);
    o->A = crease_convolution(k);
}

static void sample_circular(draws *d, instance *o) { sample_kernel(d, o, true); }
static void sample_convolution(draws *d, instance *o) { sample_kernel(d, o, false); }

static void release(instance *o)
{
    crease_cosine_free(o->cosine);
    crease_kernel_release(&o->kernel);
    o->cosine = NULL;
}

/* Maps made of more than numbers, or of numbers that are not any. */
static const struct {
    const char *name;
    void (*draw)(draws *d, instance *o);
} own[] = {
    { "diagonal", sample_diagonal },
    { "csr", sample_csr },
    { "mask", sample_mask },
    { "selection", sample_selection },
    { "finite-difference", sample_finite_difference },
    { "callback", sample_map_callback },
    { "sum", sample_map_sum },
    { "composition", sample_composition },
    { "scaled", sample_map_scaled },
    { "transposed", sample_transposed },
    { "stack", sample_stack },
    { "side-by-side", sample_side_by_side },
    { "gradient", sample_gradient },
    { "kronecker", sample_kronecker },
    { "low-rank", sample_low_rank },
    { "wavelet", sample_wavelet },
    { "dct", sample_dct },
    { "circular-convolution", sample_circular },
    { "convolution", sample_convolution },
};

/* Any other: its parameters and, where it takes an array, random numbers; square or not. */
static void sample_numbers(draws *d, instance *o)
{
    if (below(d, 4)) o->ran = crease_vector(1 + below(d, 6));
    crs_sample_params(d, o->A.ops->params, crease_size(&o->dom), o->A.par);
    o->A.data = o->A.ops->vector ? o->number : NULL;
}

static bool draw_instance(draws *d, int entry, instance *out, crease_error *e)
{
    const crease_map_ops *ops = crease_map_at(entry);
    void (*draw)(draws * d, instance * o) = sample_numbers;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (strcmp(own[k].name, ops->name) == 0) draw = own[k].draw;
    for (int attempt = 0; attempt < 100; attempt++) {
        *out = (instance){ .A = { .ops = ops } };
        out->dom = out->ran = crease_vector(1 + below(d, 6));
        normals(d, CRS_MOST * CRS_MOST, 1, out->number);
        normals(d, CRS_MOST * CRS_MOST, 1, out->more);
        draw(d, out);
        if (crease_map_check(&out->A, &out->dom, &out->ran, e)) return true;
        release(out);
    }
    return false;
}

typedef struct {
    const instance *a;
    ptrdiff_t m, n;
    double *work;
} map_case;

static void apply(const map_case *c, const double *x, double *y) /* y = A x */
{
    fill(c->m, 0, y);
    c->a->A.ops->apply(&c->a->A, &c->a->dom, &c->a->ran, 1, x, y, c->work);
}

static void adjoint(const map_case *c, const double *y, double *x) /* x = A'y */
{
    fill(c->n, 0, x);
    c->a->A.ops->adjoint(&c->a->A, &c->a->dom, &c->a->ran, 1, y, x, c->work);
}

static void check_linear(const map_case *c, draws *d, crs_report *out)
{
    double x[CRS_MOST], z[CRS_MOST], y[CRS_MOST], Ax[CRS_MOST], Az[CRS_MOST], both[CRS_MOST],
        t[CRS_MOST];
    const double a = normal(d);
    normals(d, c->n, 1, x);
    normals(d, c->n, 1, z);
    normals(d, c->m, 1, y);
    apply(c, x, Ax);
    apply(c, z, Az);
    adjoint(c, y, t);
    const double size = 1 + crs_norm(c->m, Ax) * crs_norm(c->m, y);
    crs_report_note(out, "<Ax,y> = <x,A'y>",
                    fabs(crs_dot(c->m, Ax, y) - crs_dot(c->n, x, t)) / size, 1e-13);
    copy(c->m, Ax, both); /* A x + a A z, accumulated */
    c->a->A.ops->apply(&c->a->A, &c->a->dom, &c->a->ran, a, z, both, c->work);
    for (ptrdiff_t j = 0; j < c->n; j++) t[j] = x[j] + a * z[j];
    apply(c, t, y);
    double differ = 0;
    for (ptrdiff_t j = 0; j < c->m; j++) differ = larger(differ, fabs(both[j] - y[j]));
    crs_report_note(out, "linear, accumulating",
                    differ / (1 + crs_norm(c->m, Ax) + fabs(a) * crs_norm(c->m, Az)), 1e-13);
}

/* Power iteration approaches |A|_2 from below and, on c I - A A', lambda_min from above. */
static void check_bounds(const map_case *c, draws *d, crs_report *out)
{
    double norm = NAN, sigma = NAN, x[CRS_MOST], y[CRS_MOST], t[CRS_MOST], most = 0,
           least = INFINITY;
    crease_error e;
    const bool known = crease_map_norm(&c->a->A, &c->a->dom, &c->a->ran, &norm, &e) &&
                       crease_map_sigma_min(&c->a->A, &c->a->dom, &c->a->ran, &sigma, &e);
    crs_report_note(out, "bounds are given", !known, 0);
    normals(d, c->m, 1, y);
    for (int k = 0; k < 60; k++) {
        const double size = crs_norm(c->m, y);
        for (ptrdiff_t j = 0; j < c->m; j++) y[j] /= size;
        adjoint(c, y, x);
        most = larger(most, crs_norm(c->n, x));
        least = smaller(least, square(crs_norm(c->n, x)));
        apply(c, x, t);
        for (ptrdiff_t j = 0; j < c->m; j++)
            y[j] = k < 30 ? t[j] + 1e-12 * y[j] : (norm * norm + 1e-12) * y[j] - t[j];
        if (k == 30) normals(d, c->m, 1, y);
    }
    crs_report_note(out, "norm bound", pos(most - norm) / (1e-300 + norm), 1e-15);
    crs_report_note(out, "sigma_min bound",
                    larger(pos(sigma - least), pos(-sigma)) / (1e-300 + norm * norm), 1e-15);
}

static void check_identity(const map_case *c, crs_report *out)
{
    double factor, x[CRS_MOST], y[CRS_MOST], differ = 0;
    if (!crease_map_is_identity(&c->a->A, &c->a->dom, &c->a->ran, &factor)) return;
    for (ptrdiff_t j = 0; j < c->n; j++) {
        fill(c->n, 0, x);
        x[j] = 1;
        apply(c, x, y);
        for (ptrdiff_t i = 0; i < c->m; i++)
            differ = larger(differ, fabs(y[i] - (i == j ? factor : 0)));
    }
    crs_report_note(out, "c times the identity", c->m == c->n ? differ : INFINITY, 0);
}

/* (d I + beta A'A) x = v where there is a closed form: |d x + beta A'A x - v|, relative to |v| and
 * |d I + beta A'A| |x|. */
static void check_solve(const map_case *c, draws *d, crs_report *out)
{
    double v[CRS_MOST], x[CRS_MOST], Ax[CRS_MOST], t[CRS_MOST], work[4 * CRS_MOST + 4], off = 0,
                                                                                        norm = NAN;
    const double shift = spread(d, -3, 3), beta = below(d, 5) ? spread(d, -3, 3) : 0;
    crease_map_solver *s = crease_map_solver_new(&c->a->A, &c->a->dom, &c->a->ran, NULL);
    if (!s) return;
    crease_map_norm(&c->a->A, &c->a->dom, &c->a->ran, &norm, NULL);
    const bool fits = crease_map_solver_scratch(s) <= (ptrdiff_t)(sizeof work / sizeof *work);
    crs_report_note(out, "work of a solution", !fits, 0);
    normals(d, c->n, 1, v);
    fill(c->n, NAN, x);
    if (fits) crease_map_solve(s, shift, beta, v, x, work);
    crease_map_solver_free(s);
    apply(c, x, Ax);
    adjoint(c, Ax, t);
    const double size = crs_norm(c->n, v) + (shift + beta * norm * norm) * crs_norm(c->n, x);
    for (ptrdiff_t j = 0; j < c->n; j++) off = larger(off, fabs(shift * x[j] + beta * t[j] - v[j]));
    crs_report_note(out, "(dI + beta A'A) x = v", off / size, 1e-13);
}

static void check_known(const instance *a, crs_report *out)
{
    const crease_block block = { .map = a->A };
    crs_note_checker(
        out, &(crease_problem){ .count = 1, .space = &a->dom, .block = &block, .range = a->ran });
}

bool crs_selftest_map(int entry, long trials, uint64_t seed, crs_report *out, crease_error *e)
{
    draws d = { { seed, 2000 + (uint64_t)entry }, 0 };
    *out = (crs_report){ .kind = "map", .name = crease_map_at(entry)->name };
    for (long k = 0; k < trials; k++) {
        instance a;
        if (!draw_instance(&d, entry, &a, e)) return false;
        double *work = crs_doubles(crease_map_scratch(&a.A, &a.dom, &a.ran), "the self-test", e);
        if (!work) return release(&a), false;
        const map_case c = { &a, crease_size(&a.ran), crease_size(&a.dom), work };
        check_linear(&c, &d, out);
        check_bounds(&c, &d, out);
        check_identity(&c, out);
        check_solve(&c, &d, out);
        if (k < CRS_ASKED) check_known(&a, out);
        crs_free(work);
        release(&a);
    }
    return true;
}
