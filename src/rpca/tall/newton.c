/* SPDX-License-Identifier: MIT
 * newton: Newton's method on the short factor of a tall matrix, the rows eliminated
 *
 * The rows of each slab are cut into bands of fixed places; what they yield is added in the order
 * of slabs and bands, whichever thread works on which, and wherever the slabs come from. F is in
 * units of 2c. Conjugate gradients are preconditioned by P_j = (sum_i max(w_ij, 0)/m) X'X,   w =
 * phi''/(2c), which changes with the basis of the terms as the Hessian does, so that no basis is
 * better than another. */
#include "core/carve.h"
#include "core/parallel.h"
#include "dense/dense.h"
#include "rpca/reduced/reduced.h"
#include "rpca/tall/tall.h"

enum { MOST_BANDS = 32, BAND = 128, MOST_CG = 40, MOST_HALVINGS = 12 };
static const double least_weight = 1e-3;

/* A point and its pass. */
typedef struct {
    double *x, *factor; /* rows x rank; rows x rank (rank+1)/2 */
    double *y, *g;      /* rank x width: Y', and the gradient */
    double *weight;     /* width */
    double value, squares;
} point;

struct crs_tall {
    crs_envelope_settings c;
    const crs_envelope_kernel *kernel;
    crs_source *T;
    ptrdiff_t rows, columns, width, bands; /* bands: of a slab */
    double *out, *weight, *sums;           /* of all slabs, then of the bands */
    double *work;                          /* of the workers */
    point at, trial;
    double *d, *r, *z, *p, *hp; /* rank x width */
    double *gram, *diagonal;    /* rank x rank; rank */
    void *memory;

    ptrdiff_t rank; /* of the run */
    crs_envelope_rule rule;
    double ridge;         /* nu/(2c) */
    const double *change; /* of the pass */
    point *on;
    crs_slab slab;
    bool cut; /* a pass was not completed: no more of them */
    crs_tall_run *run;
};

bool crs_tall_suits(const crease_space *shape, ptrdiff_t rank)
{
    return shape->order == 2 && rank <= CRS_TALL_MOST_RANK && shape->dim[1] <= 4000 / rank &&
           shape->dim[0] / 4 >= shape->dim[1];
}

static void carve(void *self, crs_carver *m)
{
    crs_tall *s = self;
    const ptrdiff_t rank = s->c.rank, size = rank * s->width;
    point *const points[] = { &s->at, &s->trial };
    double **const vectors[] = { &s->d, &s->r, &s->z, &s->p, &s->hp };
    s->out = carve_doubles(m, 1 + s->bands, size);
    s->weight = carve_doubles(m, 1 + s->bands, s->width);
    s->sums = carve_doubles(m, 1 + s->bands, 2);
    s->work = carve_doubles(m, s->c.threads, 3 * CRS_TILE_ROWS * s->width);
    for (int k = 0; k < 2; k++) {
        points[k]->x = carve_doubles(m, s->rows, rank);
        points[k]->factor = carve_doubles(m, s->rows, rank * (rank + 1) / 2);
        points[k]->y = carve_doubles(m, rank, s->width);
        points[k]->g = carve_doubles(m, rank, s->width);
        points[k]->weight = carve_doubles(m, s->width, 1);
    }
    for (int k = 0; k < 5; k++) *vectors[k] = carve_doubles(m, size, 1);
    s->gram = carve_doubles(m, rank, rank);
    s->diagonal = carve_doubles(m, rank, 1);
}

static crs_tall plan(const crs_envelope_settings *c)
{
    crs_tall s = { .c = *c,
                   .kernel = c->kernel ? c->kernel : crs_envelope_kernel_of(c->instructions) };
    s.rows = c->shape.dim[0];
    s.columns = c->shape.dim[1];
    s.width = (s.columns + s.kernel->lanes - 1) / s.kernel->lanes * s.kernel->lanes;
    s.bands = fewer(MOST_BANDS, (crs_partition_of(&c->shape).rows + BAND - 1) / BAND);
    return s;
}

ptrdiff_t crs_tall_bytes(const crs_envelope_settings *c)
{
    crs_tall s = plan(c);
    crs_carver count = { 0 };
    carve(&s, &count);
    return count.used < 0 ? -1 : count.used + CRS_LINE + (ptrdiff_t)sizeof s;
}

crs_tall *crs_tall_new(const crs_envelope_settings *c, crs_source *T)
{
    crs_tall *s = crs_alloc(1, sizeof *s);
    if (!s) return NULL;
    crs_envelope_settings own = *c;
    own.instructions = T->instructions;
    *s = plan(&own);
    s->T = T;
    s->memory = carve_block(carve, s);
    if (s->memory) return s;
    crs_free(s);
    return NULL;
}

void crs_tall_free(crs_tall *s)
{
    if (s) crs_free(s->memory);
    crs_free(s);
}

bool crs_tall_takes(const crs_tall *s, const crs_penalty_value *penalty)
{
    return crs_envelope_rule_of(penalty, s->c.alpha_noise).piecewise;
}

static ptrdiff_t size_of(const crs_tall *s) { return s->rank * s->width; }

static void pass_band(void *self, ptrdiff_t band, int worker)
{
    const crs_tall *s = self;
    const crs_slab *slab = &s->slab;
    const ptrdiff_t rows = slab->shape.dim[0], area = s->rank * (s->rank + 1) / 2;
    const ptrdiff_t quads = (rows + 3) / 4, first = band * quads / s->bands * 4;
    const ptrdiff_t end = fewer(rows, (band + 1) * quads / s->bands * 4);
    const ptrdiff_t row = slab->from[0] + first;
    const crs_tall_rows a = { .rule = &s->rule,
                              .ridge = s->ridge,
                              .rank = s->rank,
                              .columns = s->columns,
                              .width = s->width,
                              .y = s->on->y,
                              .diagonal = s->diagonal,
                              .t = slab->t + first * s->columns,
                              .mask = slab->w ? slab->w + first * s->columns : NULL,
                              .x = s->on->x + row * s->rank,
                              .factor = s->on->factor + row * area,
                              .work = s->work + worker * 3 * CRS_TILE_ROWS * s->width,
                              .change = s->change,
                              .out = s->out + (1 + band) * size_of(s),
                              .weight = s->weight + (1 + band) * s->width,
                              .sums = s->sums + 2 * (1 + band) };
    fill(size_of(s), 0, a.out);
    fill(s->width, 0, a.weight);
    fill(2, 0, a.sums);
    s->kernel->tall(&a, end - first);
}

/* False: it could not be had, or the watch is over. */
static bool pass_slab(crs_tall *s, ptrdiff_t k)
{
    if (k > 0 && crease_watch_over(s->run->watch)) return false;
    if (!s->T->ops->take(s->T, k, &s->slab, &s->run->failure)) return false;
    crs_parallel(s->c.threads, s->bands, pass_band, s);
    s->T->ops->give(s->T, &s->slab);
    for (ptrdiff_t band = 1; band <= s->bands; band++) {
        axpy(size_of(s), 1, s->out + band * size_of(s), s->out);
        axpy(s->width, 1, s->weight + band * s->width, s->weight);
        axpy(2, 1, s->sums + 2 * band, s->sums);
    }
    return true;
}

/* What a pass that is cut yields is not a number. */
static void pass(crs_tall *s, point *on, const double *change)
{
    s->on = on;
    s->change = change;
    fill(size_of(s), 0, s->out);
    fill(s->width, 0, s->weight);
    fill(2, 0, s->sums);
    for (ptrdiff_t k = 0; !s->cut && k < s->T->cut.count; k++) s->cut = !pass_slab(s, k);
    if (s->cut) {
        fill(size_of(s), NAN, s->out);
        fill(2, NAN, s->sums);
    } else {
        s->run->passes++;
    }
}

/* X, F and the gradient at Y */
static void solve_rows(crs_tall *s, point *p)
{
    for (ptrdiff_t q = 0; q < s->rank; q++)
        s->diagonal[q] = crs_dot(s->width, p->y + q * s->width, p->y + q * s->width);
    pass(s, p, NULL);
    p->value = s->sums[0] + s->ridge / 2 * crs_dot(size_of(s), p->y, p->y);
    p->squares = s->sums[1];
    copy(s->width, s->weight, p->weight);
    for (ptrdiff_t j = 0; j < size_of(s); j++) p->g[j] = s->ridge * p->y[j] - s->out[j];
}

/* hp = H p */
static void multiply(void *self, const double *p, double *hp)
{
    crs_tall *s = self;
    pass(s, &s->at, p);
    s->run->cg++;
    for (ptrdiff_t j = 0; j < size_of(s); j++) hp[j] = s->out[j] + s->ridge * p[j];
}

/* The factor of X'X + ridge I; where that is singular, of one a little larger */
static bool prepare(void *self)
{
    crs_tall *s = self;
    const ptrdiff_t R = s->rank;
    double trace = 0;
    for (double more = 0x1p-50; more < 1; more *= 16) {
        crs_gram(s->rows, R, s->at.x, s->gram);
        trace = 0;
        for (ptrdiff_t q = 0; q < R; q++) trace += s->gram[q * (R + 1)];
        for (ptrdiff_t q = 0; q < R; q++)
            s->gram[q * (R + 1)] += s->ridge + more * (s->gram[q * (R + 1)] + 0x1p-40 * trace);
        if (!(trace > 0 && trace < INFINITY)) return false;
        if (crs_cholesky(R, s->gram)) return true;
    }
    return false;
}

/* z = P^{-1} r; returns r'P^{-1}r */
static double precondition(const void *self, const double *r, double *z)
{
    const crs_tall *s = self;
    const ptrdiff_t R = s->rank, w = s->width;
    double mean = 0, column[CRS_TALL_MOST_RANK];
    for (ptrdiff_t j = 0; j < s->columns; j++) mean += s->at.weight[j] / (double)s->columns;
    for (ptrdiff_t j = 0; j < s->columns; j++) {
        const double weight = larger(s->at.weight[j], least_weight * mean) / (double)s->rows;
        for (ptrdiff_t q = 0; q < R; q++) column[q] = r[q * w + j];
        crs_cholesky_solve(R, s->gram, 1, column);
        for (ptrdiff_t q = 0; q < R; q++) z[q * w + j] = weight > 0 ? column[q] / weight : 0;
    }
    return crs_dot(size_of(s), r, z);
}

static bool over(const void *self)
{
    const crs_tall *s = self;
    return s->cut || s->run->passes >= s->run->most || crease_watch_over(s->run->watch);
}

static crs_reduced_at known(const point *p)
{
    return (crs_reduced_at){ p->value, p->squares, p->g };
}

static crs_reduced_at solve(void *self, double t)
{
    crs_tall *s = self;
    copy(s->rows * s->rank, s->at.x, s->trial.x);
    for (ptrdiff_t j = 0; j < size_of(s); j++) s->trial.y[j] = s->at.y[j] + t * s->d[j];
    solve_rows(s, &s->trial);
    return known(&s->trial);
}

static void accept(void *self)
{
    crs_tall *s = self;
    const point old = s->at;
    s->at = s->trial;
    s->trial = old;
}

static void take(crs_tall *s, const crs_tall_run *run)
{
    copy(s->rows * s->rank, run->x, s->at.x);
    fill(size_of(s), 0, s->at.y);
    fill(size_of(s), 0, s->trial.y);
    fill(size_of(s), 0, s->z);
    for (ptrdiff_t j = 0; j < s->columns; j++)
        for (ptrdiff_t q = 0; q < s->rank; q++) s->at.y[q * s->width + j] = run->y[j * s->rank + q];
}

static void give(const crs_tall *s, const crs_tall_run *run)
{
    copy(s->rows * s->rank, s->at.x, run->x);
    for (ptrdiff_t j = 0; j < s->columns; j++)
        for (ptrdiff_t q = 0; q < s->rank; q++) run->y[j * s->rank + q] = s->at.y[q * s->width + j];
}

bool crs_tall_descend(crs_tall *s, crs_tall_run *run)
{
    s->run = run;
    s->rank = run->rank;
    s->rule = crs_envelope_rule_of(&run->penalty, s->c.alpha_noise);
    s->ridge = run->nu / (2 * s->rule.c);
    run->passes = run->cg = 0;
    run->failure = (crease_error){ .code = CREASE_OK };
    s->cut = false;
    take(s, run);
    solve_rows(s, &s->at);
    const crs_reduced newton = { .self = s,
                                 .size = size_of(s),
                                 .most_cg = MOST_CG,
                                 .most_halvings = MOST_HALVINGS,
                                 .forcing_most = 0.1,
                                 .d = s->d,
                                 .r = s->r,
                                 .z = s->z,
                                 .p = s->p,
                                 .hp = s->hp,
                                 .prepare = prepare,
                                 .precondition = precondition,
                                 .multiply = multiply,
                                 .solve = solve,
                                 .accept = accept,
                                 .over = over };
    const bool moved = crs_reduced_descend(&newton, known(&s->at), run->steps, run->fall);
    give(s, run);
    return moved;
}
