/* SPDX-License-Identifier: MIT
 * grid: x with a square (d/2)|x|^2 - <y, x>, A x + c z = b with A = a times the differences of
 * neighbours in a grid of pixels, z with a prox: exact ADMM, its x by cosine transforms
 *
 *     x = (d I + beta A'A)^{-1} (y + A'(lambda + beta (b - c z))),
 *     z = prox_{r/(beta c^2)}((b - h + lambda/beta)/c),  h = 1.6 A x + 0.6 (c z - b),
 *     lambda -= beta (h + c z - b).
 *
 * A'A does not depend on the order of the differences: the cosine transform diagonalizes it,
 * (A'A)^ = 4 a^2 sum_i sin^2(pi k_i/(2 n_i)). c lambda is in dr(z); the residual of x is measured.
 * beta is balanced every 10 steps, at most 20 times.
 *
 * Boyd, Parikh, Chu, Peleato, Eckstein 2011, sections 3.4.1 to 3.4.3. */
#include "composite/cores.h"
#include "core/carve.h"

enum { BALANCE = 10, CHANGES = 20 };

typedef struct {
    crs_composite *c;
    const double *tolerance, *feasible;
    int x_block, z_block;
    const crs_matrix *A;
    double scale;            /* c */
    double a, d;             /* of A and of the square */
    ptrdiff_t high, wide, m; /* pixels, differences */
    crease_map_solver *solver;
    double *X, *lambda, *y, *v, *t, *h, *g, *u, *work;
    double beta, least, primal, dual, ratio, F;
    int changes;
    void *memory;
} grid;

static bool is_free(const crs_composite *c, int i)
{
    for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++) {
        const crs_coordinate *k = &c->by[j];
        if ((k->rho && k->rho != &crs_zero && k->weight > 0) || k->low > -INFINITY ||
            k->high < INFINITY)
            return false;
    }
    return c->separable[i];
}

/* One square of a multiple of x, and nothing of z. */
static bool is_square(const crs_composite *c, int x, int z)
{
    const crs_term *t = c->term;
    if (c->rest.ops || c->terms != 1 || t->loss != &crs_least_squares || t->each || t->parts != 1 ||
        t->part->block != x || t->part->matrix->kind != CRS_SCALAR)
        return false;
    for (ptrdiff_t j = c->at[z]; c->linear && j < c->at[z + 1]; j++)
        if (c->linear[j] != 0) return false;
    return t->weight > 0 && t->part->matrix->scale != 0;
}

/* The pixel from which every difference goes, and how far; false: A is no such matrix. */
static bool read_pairs(const crs_matrix *A, ptrdiff_t *first, ptrdiff_t *apart, double *a)
{
    *a = A->start[A->cols] > 0 ? fabs(A->value[0]) : 0;
    for (ptrdiff_t i = 0; i < A->rows; i++) first[i] = -1, apart[i] = 0;
    for (ptrdiff_t j = 0; j < A->cols; j++)
        for (ptrdiff_t k = A->start[j]; k < A->start[j + 1]; k++) {
            const ptrdiff_t i = A->row[k], up = A->value[k] > 0;
            if (apart[i] != 0 || fabs(A->value[k]) != *a) return false;
            if (first[i] < 0)
                first[i] = 2 * j + up;
            else if (first[i] % 2 == up)
                return false;
            else
                first[i] /= 2, apart[i] = j - first[i];
        }
    return *a > 0;
}

/* All differences of neighbours in rows of `wide` pixels, each once; seen has two places a pixel.
 */
static bool is_grid(const crs_matrix *A, ptrdiff_t wide, const ptrdiff_t *first,
                    const ptrdiff_t *apart, bool *seen)
{
    const ptrdiff_t n = A->cols, high = n / wide;
    if (wide < 3 || high * wide != n || A->rows != high * (wide - 1) + (high - 1) * wide)
        return false;
    for (ptrdiff_t j = 0; j < 2 * n; j++) seen[j] = false;
    for (ptrdiff_t i = 0; i < A->rows; i++) {
        const bool down = apart[i] == wide;
        if (!down && (apart[i] != 1 || first[i] % wide == wide - 1)) return false;
        if (seen[2 * first[i] + down]) return false;
        seen[2 * first[i] + down] = true;
    }
    return true;
}

/* The width of the grid whose differences A has; 0: it is none. */
static ptrdiff_t width_of(const crs_matrix *A, double *a)
{
    ptrdiff_t wide = 0;
    if (A->kind != CRS_SPARSE || A->rows < A->cols) return 0;
    ptrdiff_t *pairs = crs_alloc(2 * (size_t)A->rows, sizeof *pairs);
    bool *seen = crs_alloc(2 * (size_t)A->cols, sizeof *seen);
    if (pairs && seen && read_pairs(A, pairs, pairs + A->rows, a)) {
        for (ptrdiff_t i = 0; i < A->rows; i++)
            if (pairs[A->rows + i] > wide) wide = pairs[A->rows + i];
        if (!is_grid(A, wide, pairs, pairs + A->rows, seen)) wide = 0;
    }
    crs_free(pairs);
    crs_free(seen);
    return wide;
}

static bool read_parts(const crs_composite *c, grid *s)
{
    const crs_term *A = c->constraint;
    if (!A || c->count != 2 || A->parts != 2 || !crs_all_proxes(c)) return false;
    const int k = A->part[0].matrix->kind == CRS_SCALAR;
    const crs_term_part *x = &A->part[k], *z = &A->part[1 - k];
    if (z->matrix->kind != CRS_SCALAR || z->matrix->scale == 0 || x->block == z->block ||
        c->spectral[z->block] || !is_square(c, x->block, z->block) || !is_free(c, x->block))
        return false;
    s->x_block = x->block, s->z_block = z->block;
    s->A = x->matrix, s->scale = z->matrix->scale;
    s->m = A->rows;
    s->wide = width_of(x->matrix, &s->a);
    if (s->wide == 0) return false;
    s->high = s->A->cols / s->wide;
    s->d = c->term->weight * square(c->term->part->matrix->scale);
    return true;
}

static bool suits(const crs_composite *c)
{
    grid s = { 0 };
    return read_parts(c, &s);
}

static double rhs(const grid *s, ptrdiff_t j)
{
    return s->c->constraint->rhs ? s->c->constraint->rhs[j] : 0;
}

static double *x_of(const grid *s) { return s->X + s->c->at[s->x_block]; }
static double *z_of(const grid *s) { return s->X + s->c->at[s->z_block]; }

static void adjoint(const grid *s, const double *v, double *out)
{
    crs_matrix_adjoint(s->A, 1, v, out);
    s->c->work->entries += crs_matrix_entries(s->A);
}

/* d x - y - A'lambda */
static void measure(grid *s)
{
    const ptrdiff_t n = s->A->cols;
    double sum = 0;
    fill(n, 0, s->v);
    adjoint(s, s->lambda, s->v);
    for (ptrdiff_t j = 0; j < n; j++) sum += square(s->d * x_of(s)[j] - s->y[j] - s->v[j]);
    s->dual = sqrt(sum);
    s->ratio = larger(s->primal / *s->feasible, s->dual / s->tolerance[s->x_block]);
}

static void balance(grid *s)
{
    const double ratio = s->primal / *s->feasible / (s->dual / s->tolerance[s->x_block]);
    if (s->changes >= CHANGES || !(ratio < 0.5 || ratio > 2)) return;
    s->beta = larger(s->beta * clip(sqrt(ratio), 0.5, 2), s->least);
    s->changes++;
}

static void sweep(grid *s)
{
    const ptrdiff_t n = s->A->cols;
    const double c = s->scale, over = 1.6;
    double *z = z_of(s), sum = 0;
    for (ptrdiff_t i = 0; i < s->m; i++) s->t[i] = s->lambda[i] + s->beta * (rhs(s, i) - c * z[i]);
    copy(n, s->y, s->v);
    adjoint(s, s->t, s->v);
    crease_map_solve(s->solver, s->d, s->beta * square(s->a), s->v, x_of(s), s->work);
    fill(s->m, 0, s->g);
    crs_matrix_apply(s->A, 1, x_of(s), s->g);
    for (ptrdiff_t i = 0; i < s->m; i++) {
        s->h[i] = over * s->g[i] + (over - 1) * (c * z[i] - rhs(s, i));
        s->t[i] = (rhs(s, i) - s->h[i] + s->lambda[i] / s->beta) / c;
    }
    crs_prox_block(s->c, s->z_block, 1 / (s->beta * c * c), s->t, z);
    for (ptrdiff_t i = 0; i < s->m; i++) {
        s->lambda[i] -= s->beta * (s->h[i] + c * z[i] - rhs(s, i));
        sum += square(s->g[i] + c * z[i] - rhs(s, i));
    }
    s->primal = sqrt(sum);
    s->c->work->entries += crs_matrix_entries(s->A) + 5 * (double)n * log2((double)n);
}

static crs_core_state step(void *self)
{
    grid *s = self;
    if (s->ratio <= 1) measure(s); /* tolerances may have changed */
    if (s->ratio <= 1) return CRS_CORE_DONE;
    for (int k = 0; k < BALANCE; k++) {
        if (crease_watch_over(s->c->watch)) return CRS_CORE_STUCK;
        sweep(s);
    }
    measure(s);
    crs_products(s->c, s->X, s->u);
    s->F = crs_smooth_part(s->c, s->X, s->u) + crs_nonsmooth_part(s->c, s->X);
    if (!isfinite(s->ratio)) return CRS_CORE_STUCK;
    if (s->ratio <= 1) return CRS_CORE_DONE;
    balance(s);
    return CRS_CORE_GOES_ON;
}

static void stand(const void *self, crs_standing *out)
{
    const grid *s = self;
    *out = (crs_standing){ .x = s->X,
                           .multiplier = s->lambda,
                           .objective = s->F,
                           .ratio = s->ratio,
                           .feasibility = s->primal,
                           .beta = s->beta };
}

static void carve(void *self, crs_carver *v)
{
    grid *s = self;
    const ptrdiff_t n = s->A->cols;
    double **of_x[] = { &s->y, &s->v }, **of_z[] = { &s->lambda, &s->t, &s->h, &s->g };
    for (int k = 0; k < 2; k++) *of_x[k] = carve_doubles(v, n, 1);
    for (int k = 0; k < 4; k++) *of_z[k] = carve_doubles(v, s->m, 1);
    s->X = carve_doubles(v, s->c->n, 1);
    s->u = carve_doubles(v, s->c->rows, 1);
    s->work = carve_doubles(v, crease_map_solver_scratch(s->solver), 1);
}

static void grid_close(void *self)
{
    grid *s = self;
    if (!s) return;
    crease_map_solver_free(s->solver);
    crs_free(s->memory);
    crs_free(s);
}

/* y = w k rhs - q of (w/2)|k x - rhs|^2 + <q, x> */
static void begin(grid *s, const crs_task *task)
{
    const crs_term *t = s->c->term;
    const double *q = s->c->linear ? s->c->linear + s->c->at[s->x_block] : NULL;
    for (ptrdiff_t j = 0; j < s->A->cols; j++)
        s->y[j] = t->weight * t->part->matrix->scale * (t->rhs ? t->rhs[t->part->row + j] : 0) -
                  (q ? q[j] : 0);
    copy(s->c->n, task->start, s->X);
    fill(s->m, 0, s->lambda);
    if (task->multiplier) copy(s->m, task->multiplier, s->lambda);
    if (s->c->step[s->z_block] < INFINITY)
        s->least = 1.01 / (square(s->scale) * s->c->step[s->z_block]);
    s->beta = larger(task->beta > 0 ? task->beta : 3 * s->d / square(s->a), s->least);
    s->primal = s->dual = s->ratio = s->F = INFINITY;
}

static void *grid_open(const crs_task *task, crease_error *e)
{
    const crease_map differences = crease_gradient();
    grid *s = crs_alloc(1, sizeof *s);
    if (!s) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the pixels of a grid"), NULL;
    s->c = task->c, s->tolerance = task->tolerance, s->feasible = task->feasible;
    if (read_parts(s->c, s)) {
        const crease_space image = crease_matrix(s->high, s->wide), range = crease_vector(s->m);
        s->solver = crease_map_solver_new(&differences, &image, &range, NULL);
    }
    s->memory = s->solver ? carve_block(carve, s) : NULL;
    if (s->memory) {
        begin(s, task);
        return s;
    }
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: the pixels of a grid");
    grid_close(s);
    return NULL;
}

const crs_core crs_core_grid = {
    .name = "grid",
    .needs = "(w/2)|k x - d|^2 of a free x and A x + c z = b, A the differences of neighbours in a "
             "grid of pixels times a number",
    .patience = 40, /* its residuals go up and down, and transforms are cheap */
    .constrained = true,
    .suits = suits,
    .open = grid_open,
    .step = step,
    .stand = stand,
    .close = grid_close,
};
