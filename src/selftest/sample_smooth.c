/* SPDX-License-Identifier: MIT
 * sample_smooth: a random instance of each listed coupling; a new line in smooth/list.def asks
 * for one here, or in sample_losses.c. All regions are balls, so that every constant is finite. */
#include "selftest/sample_smooth.h"

void crs_sample_blocks(crs_smooth_sample *o, int count, const crease_space *space)
{
    for (int i = 0; i < count; i++) o->space[i] = space[i], o->radius[i] = 2 + i;
    o->blocks = (crease_blocks){ count, o->space, o->radius };
    for (int i = 0; i < CRS_BLOCKS; i++) o->index[i] = i;
}

/* Two or three blocks; Q_11 symmetric, indefinite or negative, Q_12 and sometimes Q_33. */
static void sample_quadratic(draws *d, crs_smooth_sample *o)
{
    const crease_space space[] = { crease_vector(3), crease_vector(2), crease_vector(2) };
    const double shift = below(d, 2) ? -6 : 0;
    crs_sample_blocks(o, 2 + (int)below(d, 2), space);
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

static void sample_squared_distance(draws *d, crs_smooth_sample *o)
{
    const crease_space space[] = { crease_vector(3), crease_vector(3) };
    crs_sample_blocks(o, 2, space);
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

static void sample_multilinear(draws *d, crs_smooth_sample *o)
{
    const crease_space shape = small_shape(d, 2 + (int)below(d, 3));
    crease_space space[CRS_BLOCKS];
    for (int n = 0; n < shape.order; n++) space[n] = crease_vector(shape.dim[n]);
    crs_sample_blocks(o, shape.order, space);
    o->multilinear = (crease_multilinear_data){ shape, o->number, o->index, normal(d) };
    o->f = crease_multilinear(&o->multilinear);
}

static void sample_matrix_factorization(draws *d, crs_smooth_sample *o)
{
    const ptrdiff_t m = 1 + below(d, 3), n = 1 + below(d, 4), rank = 1 + below(d, 3);
    const crease_space space[] = { crease_matrix(m, rank), crease_matrix(n, rank),
                                   crease_matrix(m, n) };
    const bool fixed = below(d, 2);
    crs_sample_blocks(o, fixed ? 2 : 3, space);
    o->factorization = (crease_factorization_data){ 0, 1, fixed ? -1 : 2, o->number };
    o->f = crease_matrix_factorization(&o->factorization);
}

static void sample_cp(draws *d, crs_smooth_sample *o)
{
    const crease_space shape = small_shape(d, 2 + (int)below(d, 3));
    const ptrdiff_t rank = 1 + below(d, 3);
    const bool fixed = below(d, 2);
    crease_space space[CRS_BLOCKS];
    for (int n = 0; n < shape.order; n++) space[n] = crease_matrix(shape.dim[n], rank);
    space[shape.order] = shape;
    crs_sample_blocks(o, shape.order + !fixed, space);
    o->cp = (crease_cp_data){ .shape = shape,
                              .rank = rank,
                              .factor = o->index,
                              .z = fixed ? -1 : shape.order,
                              .target = o->number,
                              .ridge = below(d, 2) ? 0.5 : 0 };
    o->f = crease_cp(&o->cp);
}

static void sample_tucker(draws *d, crs_smooth_sample *o)
{
    const crease_space shape = small_shape(d, 2 + (int)below(d, 2));
    crease_space core = { .order = shape.order }, space[CRS_BLOCKS];
    const bool fixed = below(d, 2);
    for (int n = 0; n < shape.order; n++) {
        core.dim[n] = 1 + below(d, 2);
        space[n] = crease_matrix(shape.dim[n], core.dim[n]);
    }
    space[shape.order] = core, space[shape.order + 1] = shape;
    crs_sample_blocks(o, shape.order + 1 + !fixed, space);
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
static void sample_smooth_callback(draws *d, crs_smooth_sample *o)
{
    const crease_space space[] = { crease_vector(2) };
    (void)d;
    crs_sample_blocks(o, 1, space);
    o->callback = (crease_callback_smooth){
        cosine, cosine_grad, NULL, { .L = 3, .M = 3, .p = 2, .rho = 3, .lower = -2 }, NULL
    };
    o->f = crease_smooth_callback(&o->callback);
}

static void sample_smooth_sum(draws *d, crs_smooth_sample *o)
{
    sample_squared_distance(d, o);
    o->distance2 = (crease_distance_data){ 1, -1, normal(d), o->more };
    o->inner[0] = o->f;
    o->inner[1] = crease_squared_distance(&o->distance2);
    o->list = (crease_smooth_list){ 2, o->inner };
    o->f = crease_smooth_sum(&o->list);
}

static void (*const sample[])(draws *d, crs_smooth_sample *o) = {
#define LOSS(symbol)   crs_sample_##symbol,
#define SMOOTH(symbol) sample_##symbol,
#include "smooth/list.def"
#undef LOSS
#undef SMOOTH
};

bool crs_sample_smooth(draws *d, int entry, crs_smooth_sample *out, crease_error *e)
{
    normals(d, CRS_MOST * CRS_MOST * 2, 1, out->number);
    normals(d, CRS_MOST * CRS_MOST, 1, out->more);
    normals(d, CRS_MOST, 1, out->rhs);
    sample[entry](d, out);
    return crease_smooth_check(&out->f, &out->blocks, e);
}
