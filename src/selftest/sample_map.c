/* SPDX-License-Identifier: MIT
 * sample_map: a random instance of each listed map; a new line in map/list.def asks for one here */
#include "selftest/sample.h"

static void sample_zero_map(draws *d, crs_map_sample *o)
{
    o->ran = crease_vector(1 + below(d, 5));
    o->A = crease_zero_map();
}

static void sample_identity(draws *d, crs_map_sample *o) { o->A = crease_identity(normal(d)); }

static void sample_diagonal(draws *d, crs_map_sample *o)
{
    if (below(d, 3) == 0) fill(CRS_MOST, normal(d), o->number);
    o->A = crease_diagonal(o->number);
}

static void sample_dense(draws *d, crs_map_sample *o)
{
    o->ran = crease_vector(1 + below(d, 6));
    o->A = crease_dense(o->number);
}

/* Rows of 0 to 3 entries in any column, some of them twice. */
static void sample_csr(draws *d, crs_map_sample *o)
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

static void sample_mask(draws *d, crs_map_sample *o)
{
    for (int j = 0; j < CRS_MOST; j++) o->number[j] = below(d, 3) > 0;
    o->A = crease_mask(o->number);
}

static void sample_selection(draws *d, crs_map_sample *o)
{
    const ptrdiff_t n = crease_size(&o->dom), count = 1 + below(d, n);
    for (ptrdiff_t k = 0; k < count; k++) o->col[k] = below(d, n);
    if (below(d, 2)) crease_random_sample((crease_random){ d->r.seed, d->next }, n, count, o->col);
    o->list = (crease_index_list){ count, o->col };
    o->ran = crease_vector(count);
    o->A = crease_selection(&o->list);
}

static void sample_finite_difference(draws *d, crs_map_sample *o)
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

static void sample_map_callback(draws *d, crs_map_sample *o)
{
    (void)d;
    o->dom = o->ran = crease_vector(2);
    o->callback = (crease_callback_map){ rotate, rotate_back, o->number, 0, 0 };
    o->A = crease_map_callback(&o->callback);
}

static void sample_map_sum(draws *d, crs_map_sample *o)
{
    o->ran = o->dom;
    o->inner[0] = crease_dense(o->number);
    o->inner[1] = crease_identity(normal(d));
    o->scale[0] = normal(d), o->scale[1] = normal(d);
    o->terms = (crease_map_list){ 2, o->inner, below(d, 2) ? o->scale : NULL };
    o->A = crease_map_sum(&o->terms);
}

static void sample_composition(draws *d, crs_map_sample *o)
{
    o->between = crease_vector(1 + below(d, 5));
    o->ran = crease_vector(1 + below(d, 5));
    o->inner[0] = crease_dense(o->number);
    o->inner[1] = crease_dense(o->more);
    o->pair = (crease_map_pair){ &o->inner[0], &o->inner[1], &o->between };
    o->A = crease_composition(&o->pair);
}

static void (*const sample[])(draws *d, crs_map_sample *o) = {
#define MAP(symbol) sample_##symbol,
#include "map/list.def"
#undef MAP
};

bool crs_sample_map(draws *d, int entry, crs_map_sample *out, crease_error *e)
{
    out->dom = out->ran = crease_vector(1 + below(d, 6));
    normals(d, CRS_MOST * CRS_MOST, 1, out->number);
    normals(d, CRS_MOST * CRS_MOST, 1, out->more);
    sample[entry](d, out);
    return crease_map_check(&out->A, &out->dom, &out->ran, e);
}
