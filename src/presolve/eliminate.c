/* SPDX-License-Identifier: MIT
 * eliminate: a free block x_j, r_j = 0, that the constraint determines
 *
 * (i)  A_j = c I:  x_j = (b - sum A_i x_i)/c. A term phi(K x_j - rhs) becomes one of the others,
 *      with the matrices -K A_i/c and rhs - K b/c. Back: lambda = grad_j f/c, so that c_j = 0, and
 *      the gradient of the reduced f is c_i = grad_i f - A_i'lambda: residuals are equal.
 * (ii) A_j dense, f = (w/2)|a x_j - d|^2 + f(others):  with y = b - A_j d/a - sum A_i x_i and
 *      A_j A_j' = U S U', U = (U1 U0), S1 > 0, S0 = 0, the least f is (w a^2/2)|S1^-1/2 U1'y|^2,
 * and U0'y = 0 remains. Back: q = U1 S1^-1 U1'y, x_j = d/a + A_j'q, lambda = w a^2 q + U0 lambda0.
 *      With <p, x_j> besides, d/a - p/(w a^2) takes the place of d/a, up to a constant.
 *
 * The constraint and block j are exact in both. */
#include <stdio.h>

#include "core/carve.h"
#include "dense/dense.h"
#include "presolve/presolve.h"

static bool is_free(const crs_composite *c, int j)
{
    const ptrdiff_t at = c->at[j];
    if (!c->separable[j]) return false;
    for (ptrdiff_t k = at; k < c->at[j + 1]; k++) {
        const crs_coordinate *by = &c->by[k];
        const bool penalized = by->rho && by->weight > 0 && by->rho != &crs_zero;
        if (penalized || by->low > -INFINITY || by->high < INFINITY) return false;
    }
    return true;
}

static const crs_term_part *part_of(const crs_term *t, int j)
{
    for (int k = 0; k < t->parts; k++)
        if (t->part[k].block == j) return &t->part[k];
    return NULL;
}

/* How many terms block j is in; -1 where one of them couples it to others. */
static int terms_of(const crs_composite *c, int j)
{
    int count = 0;
    for (int t = 0; t < c->terms; t++) {
        if (!c->term[t].loss && c->term[t].parts > 0) return -1;
        if (!part_of(&c->term[t], j)) continue;
        if (c->term[t].parts > 1) return -1;
        count++;
    }
    return count;
}

/* rhs - K b/c is the right-hand side of a moved term; labels and counts are none. */
static bool shiftable(const crs_composite *c, int j)
{
    const double *b = c->constraint->rhs;
    for (int t = 0; b && t < c->terms; t++) {
        const crs_loss *loss = part_of(&c->term[t], j) ? c->term[t].loss : NULL;
        if (loss && (loss->ops.labels || loss->ops.counts)) return false;
    }
    return true;
}

typedef struct {
    int j;
    double scale;  /* (i): A_j = scale I; (ii): the a of |a x_j - d| */
    double weight; /* (ii): w */
    ptrdiff_t m, positive;
    double *shift; /* (ii): d/a - p/(w a^2) */
    double *basis; /* (ii): row k of S^-1/2 U' or, beyond `positive`, of U0' */
    double *rhs;   /* of all new terms, one behind another */
    double *y, *q; /* vectors of the constraint */
    double *u;     /* (i): products of the terms of block j */
    void *memory;
} elimination;

/* to: K A_i times a, as sparse as it is. */
static bool product(const crs_matrix *K, const crs_matrix *A, double a, crs_matrix *to,
                    crease_error *e)
{
    double *column = crs_doubles(A->rows, "a product of maps", e);
    bool done = column && crs_matrix_dense(K->rows, A->cols, to, e);
    for (ptrdiff_t k = 0; done && k < A->cols; k++) {
        fill(A->rows, 0, column);
        crs_matrix_column(A, a, k, column);
        crs_matrix_apply(K, 1, column, to->value + k * K->rows);
    }
    crs_free(column);
    return done;
}

/* A copy of A times a. */
static bool scaled(const crs_matrix *A, double a, crs_matrix *to, crease_error *e)
{
    const ptrdiff_t count = A->kind == CRS_SPARSE  ? A->start[A->cols]
                            : A->kind == CRS_DENSE ? A->rows * A->cols
                                                   : A->cols;
    *to = *A;
    to->norm = A->norm * fabs(a);
    to->scale = A->scale * a;
    to->value = NULL, to->start = to->row = NULL;
    if (A->kind == CRS_SCALAR) return true;
    to->value = crs_doubles(count, "a map", e);
    if (A->kind == CRS_SPARSE) {
        to->start = crs_alloc((size_t)A->cols + 1, sizeof *to->start);
        to->row = crs_alloc((size_t)count + 1, sizeof *to->row);
    }
    if (!to->value || (A->kind == CRS_SPARSE && (!to->start || !to->row))) {
        crs_matrix_free(to);
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a map");
    }
    for (ptrdiff_t k = 0; k < count; k++) to->value[k] = a * A->value[k];
    if (A->kind == CRS_SPARSE) {
        memcpy(to->start, A->start, ((size_t)A->cols + 1) * sizeof *to->start);
        memcpy(to->row, A->row, (size_t)count * sizeof *to->row);
    }
    return true;
}

static bool reduced_matrix(const crs_matrix *K, const crs_matrix *A, double a, crs_matrix *to,
                           crease_error *e)
{
    if (K->kind == CRS_SCALAR) return scaled(A, a * K->scale, to, e);
    return product(K, A, a, to, e);
}

static int renumbered(int i, int j) { return j >= 0 && i > j ? i - 1 : i; }

bool crs_keep_term(const crs_term *t, int dropped, crs_composite *to, crease_error *e)
{
    crs_term *own = crs_add_term(to, t->loss, t->weight, t->rows);
    crs_matrix K;
    memcpy(own->par, t->par, sizeof own->par);
    own->rhs = t->rhs, own->each = t->each;
    for (int k = 0; k < t->parts; k++) {
        if (!scaled(t->part[k].matrix, 1, &K, e)) return false;
        crs_add_part(to, own, renumbered(t->part[k].block, dropped), t->part[k].row, &K);
    }
    return true;
}

/* phi(K x_j - rhs) in the other blocks of the constraint. */
static bool move_term(const crs_composite *c, const crs_term *t, const elimination *x, double **rhs,
                      crs_composite *to, crease_error *e)
{
    const crs_term *A = c->constraint;
    const crs_matrix *K = t->part[0].matrix;
    crs_term *own = crs_add_term(to, t->loss, t->weight, t->rows);
    crs_matrix product_of;
    memcpy(own->par, t->par, sizeof own->par);
    own->each = t->each;
    own->rhs = t->rhs;
    if (A->rhs) {
        own->rhs = *rhs;
        for (ptrdiff_t k = 0; k < t->rows; k++) (*rhs)[k] = t->rhs ? t->rhs[k] : 0;
        crs_matrix_apply(K, -1 / x->scale, A->rhs, *rhs);
        *rhs += t->rows;
    }
    for (int k = 0; k < A->parts; k++) {
        if (A->part[k].block == x->j) continue;
        if (!reduced_matrix(K, A->part[k].matrix, -1 / x->scale, &product_of, e)) return false;
        crs_add_part(to, own, renumbered(A->part[k].block, x->j), 0, &product_of);
    }
    return true;
}

static void rest_of_constraint(const crs_composite *c, int j, const double *X, double *y)
{
    const crs_term *A = c->constraint;
    for (ptrdiff_t k = 0; k < A->rows; k++) y[k] = A->rhs ? A->rhs[k] : 0;
    for (int k = 0; k < A->parts; k++)
        if (A->part[k].block != j)
            crs_matrix_apply(A->part[k].matrix, -1, X + c->at[A->part[k].block], y);
}

static void spread(const crs_reduction *r, const double *x, double *X)
{
    const elimination *own = r->data;
    const crs_composite *from = r->from, *to = r->to;
    for (int i = 0; i < from->count; i++)
        if (i != own->j)
            copy(crs_block_size(from, i), x + to->at[renumbered(i, own->j)], X + from->at[i]);
}

static void back_by_identity(const crs_reduction *r, const double *x, const double *lambda,
                             double *X, double *Lambda)
{
    const elimination *own = r->data;
    const crs_composite *c = r->from;
    double *xj = X + c->at[own->j];
    (void)lambda;
    spread(r, x, X);
    rest_of_constraint(c, own->j, X, own->y);
    for (ptrdiff_t k = 0; k < own->m; k++) xj[k] = own->y[k] / own->scale;
    copy(own->m, c->linear + c->at[own->j], Lambda);
    for (int t = 0; t < c->terms; t++) {
        const crs_term *term = &c->term[t];
        if (!part_of(term, own->j)) continue;
        fill(term->rows, 0, own->u);
        crs_matrix_apply(term->part[0].matrix, 1, xj, own->u);
        crs_term_slope(term, own->u, own->u);
        crs_matrix_adjoint(term->part[0].matrix, 1, own->u, Lambda);
    }
    for (ptrdiff_t k = 0; k < own->m; k++) Lambda[k] /= own->scale;
}

typedef struct {
    elimination *x;
    ptrdiff_t rows, longest, block, square;
} layout;

static void carve(void *self, crs_carver *v)
{
    const layout *l = self;
    l->x->rhs = carve_doubles(v, l->rows, 1);
    l->x->u = carve_doubles(v, l->longest, 1);
    l->x->y = carve_doubles(v, l->x->m, 1);
    l->x->q = carve_doubles(v, l->x->m, 1);
    l->x->shift = carve_doubles(v, l->block, 1);
    l->x->basis = carve_doubles(v, l->square, 1);
}

static void release(crs_reduction *r)
{
    elimination *own = r->data;
    if (own) crs_free(own->memory);
    crs_free(own);
}

static elimination *open_elimination(const crs_composite *c, int j, ptrdiff_t square,
                                     crs_reduction *out, crease_error *e)
{
    elimination *x = crs_alloc(1, sizeof *x);
    layout l = { .x = x, .block = crs_block_size(c, j), .square = square };
    out->kept = crs_alloc((size_t)c->count, sizeof *out->kept);
    out->data = x;
    out->release = release;
    for (int t = 0; t < c->terms; t++) {
        if (!part_of(&c->term[t], j)) continue;
        l.rows += c->term[t].rows;
        if (c->term[t].rows > l.longest) l.longest = c->term[t].rows;
    }
    l.rows += c->constraint->rows;
    if (x) {
        x->j = j;
        x->m = c->constraint->rows;
        x->memory = carve_block(carve, &l);
    }
    if (!x || !x->memory || !out->kept) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: an elimination");
        return NULL;
    }
    for (int i = 0; i < c->count - 1; i++) out->kept[i] = i < j ? i : i + 1;
    return x;
}

static int all_parts(const crs_composite *c)
{
    int parts = 0;
    for (int t = 0; t < c->terms; t++) parts += c->term[t].parts;
    return parts;
}

static bool by_identity(const crs_composite *c, int j, double scale, crs_reduction *out,
                        crease_error *e)
{
    char name[32];
    const int moved = terms_of(c, j), others = c->constraint->parts - 1;
    const crs_room room = { c->terms, all_parts(c) + moved * others, c->rows, 0, NULL, 0 };
    elimination *x = open_elimination(c, j, 0, out, e);
    if (!x) return false;
    x->scale = scale;
    out->to = crs_composite_without(c, j, &room, e);
    if (!out->to) return false;
    double *rhs = x->rhs;
    for (int t = 0; t < c->terms; t++) {
        const bool own = part_of(&c->term[t], j);
        if (own ? !move_term(c, &c->term[t], x, &rhs, out->to, e)
                : !crs_keep_term(&c->term[t], j, out->to, e))
            return false;
    }
    for (int k = 0; k < c->constraint->parts; k++) {
        const crs_term_part *A = &c->constraint->part[k];
        if (A->block != j)
            crs_matrix_adjoint(A->matrix, -1 / scale, c->linear + c->at[j],
                               out->to->linear + out->to->at[renumbered(A->block, j)]);
    }
    out->back = back_by_identity;
    snprintf(out->text, sizeof out->text,
             "block %s is free and stands in the constraint as %g times itself: eliminated",
             crs_block_name(&c->parts, j, name), scale);
    return true;
}

/* The one term of block j is (w/2)|a x_j - d|^2, w > 0. */
static const crs_term *half_square_of(const crs_composite *c, int j, double *a)
{
    const crs_term *found = NULL;
    for (int t = 0; t < c->terms; t++)
        if (part_of(&c->term[t], j)) found = &c->term[t];
    if (!found || found->loss != &crs_least_squares || found->each || !(found->weight > 0))
        return NULL;
    const crs_matrix *K = found->part[0].matrix;
    *a = K->scale;
    return K->kind == CRS_SCALAR && K->scale != 0 ? found : NULL;
}

/* Is A'v = 0 up to rounding, |v| = 1? */
static bool is_null(const crs_matrix *A, double norm, const double *v, double *work)
{
    fill(A->cols, 0, work);
    crs_matrix_adjoint(A, 1, v, work);
    return crs_norm(A->cols, work) <= 1e-12 * norm;
}

/* Rows of basis = S^-1/2 U' by falling eigenvalue, U0' at the end; A_j has m rows. False without a
 * sentence: a singular value is small and not zero, of which A_j A_j' knows too little. */
static bool split_rows(const crs_matrix *A, elimination *x, const double *value,
                       const double *vectors, double *work)
{
    const ptrdiff_t m = x->m;
    for (ptrdiff_t k = 0; k < m; k++) {
        const ptrdiff_t from = m - 1 - k;
        const double *v = vectors + from * m;
        const bool positive = value[from] > 1e-10 * value[m - 1];
        const double s = positive ? 1 / sqrt(value[from]) : 1;
        if (!positive && !is_null(A, sqrt(value[m - 1]), v, work)) return false;
        x->positive += positive;
        for (ptrdiff_t i = 0; i < m; i++) x->basis[k * m + i] = s * v[i];
    }
    return true;
}

static bool decompose(const crs_matrix *A, elimination *x, crease_error *e)
{
    const ptrdiff_t m = x->m, n = A->cols;
    double *gram = crs_doubles(2 * m * m + m, "an elimination", e);
    double *work = crs_doubles(crs_eigh_scratch(m) + n + 1, "an elimination", e);
    bool done = gram && work;
    if (done) { /* A->value is n x m, row after row, so A A' is its Gram matrix */
        double *vectors = gram + m * m, *value = vectors + m * m;
        crs_gram(n, m, A->value, gram);
        done = crs_eigh(m, gram, value, vectors, work);
        if (!done) crs_fail(e, CREASE_BAD_DATA, "an elimination failed");
        done = done && split_rows(A, x, value, vectors, work);
    }
    crs_free(gram);
    crs_free(work);
    return done;
}

/* The rows of the basis from `first` on, as many as t has, times the other maps and the right-hand
 * side. */
static bool project(const crs_composite *c, const elimination *x, ptrdiff_t first, crs_term *t,
                    crs_composite *to, crease_error *e)
{
    const ptrdiff_t rows = t->rows;
    double *rhs = x->rhs + first;
    const crs_term *A = c->constraint;
    const double *basis = x->basis + first * x->m;
    crs_matrix K;
    crs_gemv(false, rows, x->m, 1, basis, x->y, 0, rhs);
    t->rhs = rhs;
    for (int k = 0; k < A->parts; k++) {
        const crs_matrix *M = A->part[k].matrix;
        if (A->part[k].block == x->j) continue;
        if (!crs_matrix_dense(rows, M->cols, &K, e)) return false;
        double *column = crs_doubles(x->m, "an elimination", e);
        if (!column) {
            crs_matrix_free(&K);
            return false;
        }
        if (M->kind == CRS_DENSE) { /* K' (cols x rows) = M' basis' */
            crs_gemm(false, true, M->cols, rows, x->m, 1, M->value, basis, 0, K.value);
        } else {
            for (ptrdiff_t l = 0; l < M->cols; l++) {
                fill(x->m, 0, column);
                crs_matrix_column(M, 1, l, column);
                crs_gemv(false, rows, x->m, 1, basis, column, 0, K.value + l * rows);
            }
        }
        crs_free(column);
        to->work->entries += (double)rows * (double)x->m * (double)M->cols;
        crs_add_part(to, t, renumbered(A->part[k].block, x->j), 0, &K);
    }
    return true;
}

static void back_by_square(const crs_reduction *r, const double *x, const double *lambda, double *X,
                           double *Lambda)
{
    const elimination *own = r->data;
    const crs_composite *c = r->from;
    const crs_matrix *A = part_of(c->constraint, own->j)->matrix;
    const ptrdiff_t m = own->m, free_rows = m - own->positive;
    double *xj = X + c->at[own->j];
    spread(r, x, X);
    rest_of_constraint(c, own->j, X, own->y);
    crs_matrix_apply(A, -1, own->shift, own->y);
    fill(m, 0, Lambda);
    for (int pass = 0; pass < 2; pass++) { /* the second for what rounding left of the first */
        crs_gemv(false, own->positive, m, 1, own->basis, own->y, 0, own->q);
        crs_gemv(true, own->positive, m, 1, own->basis, own->q, 1, Lambda); /* q */
        fill(A->cols, 0, xj);
        crs_matrix_adjoint(A, 1, Lambda, xj);
        if (pass == 0) crs_matrix_apply(A, -1, xj, own->y);
    }
    axpy(A->cols, 1, own->shift, xj);
    for (ptrdiff_t k = 0; k < m; k++) Lambda[k] *= own->weight * square(own->scale);
    if (free_rows > 0)
        crs_gemv(true, free_rows, m, 1, own->basis + own->positive * m, lambda, 1, Lambda);
}

static bool by_square(const crs_composite *c, int j, const crs_term *t, double a,
                      crs_reduction *out, crease_error *e)
{
    char name[32];
    const crs_matrix *A = part_of(c->constraint, j)->matrix;
    const double *linear = c->linear + c->at[j];
    const ptrdiff_t m = c->constraint->rows;
    elimination *x = open_elimination(c, j, m * m, out, e);
    if (!x) return false;
    x->scale = a;
    x->weight = t->weight;
    for (ptrdiff_t k = 0; k < t->rows; k++)
        x->shift[k] = (t->rhs ? t->rhs[k] / a : 0) - linear[k] / (t->weight * square(a));
    if (!decompose(A, x, e)) return false;
    c->work->factorizations++;
    c->work->entries += (double)m * (double)m * ((double)A->cols / 2 + 4 * (double)m);
    for (ptrdiff_t k = 0; k < m; k++) x->y[k] = c->constraint->rhs ? c->constraint->rhs[k] : 0;
    crs_matrix_apply(A, -1, x->shift, x->y);
    const int others = c->constraint->parts - 1;
    const crs_room room = { c->terms, all_parts(c) + 2 * others, c->rows + m, m - x->positive, NULL,
                            0 };
    out->to = crs_composite_without(c, j, &room, e);
    if (!out->to) return false;
    for (int k = 0; k < c->terms; k++)
        if (&c->term[k] != t && !crs_keep_term(&c->term[k], j, out->to, e)) return false;
    crs_term *new = crs_add_term(out->to, &crs_least_squares, t->weight * a * a, x->positive);
    if (!project(c, x, 0, new, out->to, e)) return false;
    if (x->positive < m) {
        crs_term *rows = out->to->constraint = &out->to->term[out->to->terms];
        *rows = (crs_term){ .loss = &crs_least_squares, .weight = 1, .rows = m - x->positive };
        if (!project(c, x, x->positive, rows, out->to, e)) return false;
    }
    out->back = back_by_square;
    snprintf(out->text, sizeof out->text,
             "block %s is free with half a square: minimized out, %td of %td rows of the "
             "constraint remain",
             crs_block_name(&c->parts, j, name), m - x->positive, m);
    return true;
}

static bool has_columns(const crs_term *t)
{
    for (int k = 0; k < t->parts; k++)
        if (!crs_has_columns(t->part[k].matrix)) return false;
    return true;
}

static bool is_reducible(const crs_composite *c)
{
    if (!c->constraint || c->rest.ops || c->constraint->parts < 2) return false;
    for (int t = 0; t < c->terms; t++)
        if (!has_columns(&c->term[t])) return false;
    return has_columns(c->constraint);
}

bool crs_eliminate(const crs_composite *c, crs_reduction *out, crease_error *e)
{
    enum { MOST_ROWS = 3000 };
    double a;
    if (!is_reducible(c)) return false;
    for (int k = 0; k < c->constraint->parts; k++) {
        const crs_term_part *A = &c->constraint->part[k];
        if (!is_free(c, A->block) || terms_of(c, A->block) < 0) continue;
        if (A->matrix->kind == CRS_SCALAR && A->matrix->scale != 0 && shiftable(c, A->block))
            return by_identity(c, A->block, A->matrix->scale, out, e);
        const crs_term *t = terms_of(c, A->block) == 1 ? half_square_of(c, A->block, &a) : NULL;
        if (t && A->matrix->kind == CRS_DENSE && c->constraint->rows <= MOST_ROWS)
            return by_square(c, A->block, t, a, out, e);
    }
    return false;
}
