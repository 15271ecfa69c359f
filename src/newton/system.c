/* SPDX-License-Identifier: MIT
 * system: which linear solver for Newton's step on the free coordinates S,
 *
 *     H d = -g,  H = K_S'diag(phi'')K_S + D,  D = diag(rho'' + damp) and terms that are diagonal.
 *
 * In this order: without dense terms the sparse Cholesky factor if the analysis says that it is
 * cheap; Woodbury, (D + K'hK)^{-1} = D^{-1} - D^{-1}K'(h^{-1} + K D^{-1}K')^{-1}K D^{-1}, where the
 * rows are fewer than S and D > 0; with dense terms a dense factor where that is small, made of
 * cached products of columns (gram.c) for losses of constant curvature; else conjugate gradients,
 * preconditioned by the factor of the sparse part and the diagonal of the dense one. A factor that
 * does not exist is tried again with max(rho'', 0): the linear majorant of a concave rho, whose
 * step descends. */
#include "dense/dense.h"
#include "newton/newton.h"

typedef enum { NOTHING, OF_COLUMNS, OF_ROWS } pattern; /* of K_S'K_S or K_S K_S' */

struct crs_system {
    crs_composite *c;
    crs_face *f;
    const crs_newton_step *step;

    crs_lower lower;
    crs_factor *factor;
    pattern analysed; /* of the face of this version */
    long version;
    double flops;
    double dear; /* a pattern of so many columns was not cheap: smaller ones are asked again */

    double *h, *weight, *rows;   /* phi'' of all rows of u, of those of the stack; work */
    double *base, *diagonal;     /* D without rho'' and with it */
    double *pd;                  /* the diagonal of a preconditioner */
    double *square, *right, *cg; /* work, cg of 4 n numbers */
    double *H, *columns;         /* dense, with its factor; columns of a dense term */
    size_t held, columns_held;
};

void crs_system_free(crs_system *s)
{
    if (!s) return;
    crs_lower_free(&s->lower);
    crs_factor_free(s->factor);
    crs_free(s->h);
    crs_free(s->H);
    crs_free(s->columns);
    crs_free(s);
}

static bool set_up(crs_system *s, crease_error *e)
{
    const size_t n = (size_t)s->c->n, rows = (size_t)s->c->rows;
    s->h = crs_alloc(3 * rows + 9 * n + 1, sizeof *s->h);
    s->factor = s->h ? crs_factor_new(e) : NULL;
    if (!s->factor) return false;
    s->rows = s->h + rows;
    s->weight = s->rows + rows;
    s->base = s->weight + rows;
    s->diagonal = s->base + n;
    s->pd = s->diagonal + n;
    s->square = s->pd + n;
    s->right = s->square + n;
    s->cg = s->right + n;
    return true;
}

crs_system *crs_system_new(crs_face *f, crease_error *e)
{
    crs_system *s = crs_alloc(1, sizeof *s);
    if (s) *s = (crs_system){ .c = f->c, .f = f, .dear = INFINITY };
    if (s && set_up(s, e)) return s;
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: Newton's method");
    crs_system_free(s);
    return NULL;
}

/* phi'' of all terms, and what of H is diagonal whatever rho'' is. */
static void take_curvatures(crs_system *s)
{
    const crs_composite *c = s->c;
    ptrdiff_t row = 0;
    copy(s->f->n, s->step->damp, s->base);
    for (int q = 0; q < c->terms; q++) {
        const crs_term *t = &c->term[q];
        double *h = s->h + t->at;
        if (!t->loss) continue;
        crs_term_curve(t, s->step->u + t->at, h);
        if (s->f->role[q] == CRS_IN_STACK) {
            copy(t->rows, h, s->weight + row);
            row += t->rows;
        }
        for (int p = 0; s->f->role[q] == CRS_ON_DIAGONAL && p < t->parts; p++) {
            const ptrdiff_t from = s->f->first[t->part[p].block];
            crs_matrix_squares_columns(t->part[p].matrix, h + t->part[p].row,
                                       s->f->first[t->part[p].block + 1] - from,
                                       s->f->column + from, s->base + from);
        }
    }
}

/* D with rho'', or with max(rho'', 0); the largest entry. */
static double take_diagonal(crs_system *s, bool convex)
{
    double top = 0;
    for (ptrdiff_t k = 0; k < s->f->n; k++) {
        const double curve = s->step->curve[k];
        s->diagonal[k] = s->base[k] + (convex ? pos(curve) : curve);
        top = larger(top, fabs(s->diagonal[k]));
    }
    return top;
}

/* What is tried: rho'' as it is, then the majorant; a multiple of the largest entry is added. */
static const struct {
    bool convex;
    double shift;
} attempts[] = { { false, 1e-13 }, { true, 1e-12 }, { true, 1e-8 } };
enum { ATTEMPTS = 3 };

/* Products of K_S with itself cost no more than a few of its entries each. */
static bool is_light(const crs_system *s)
{
    return crs_lines_squares(&s->f->by_row) <=
           12 * larger(1, (double)s->f->by_row.start[s->f->by_row.count]);
}

static bool has_stack(const crs_system *s)
{
    return s->f->by_column.start[s->f->n] > 0 || s->f->form.start[s->f->n] > 0;
}

/* Is the factor of s->lower cheap? Its pattern is analysed once for an S. */
static bool is_cheap(crs_system *s, pattern of)
{
    const double most = 1e4 * larger(1, s->f->entries);
    if (s->analysed != of || s->version != s->f->version) {
        s->flops = crs_factor_analyse(s->factor, &s->lower);
        s->analysed = of;
        s->version = s->f->version;
        if (of == OF_COLUMNS) s->dear = s->flops <= most ? INFINITY : (double)s->f->n;
    }
    return s->flops <= most;
}

/* An analysis costs as much as many products: where one has failed, only for much smaller S. */
static bool is_worth_asking(const crs_system *s)
{
    const bool known = s->analysed == OF_COLUMNS && s->version == s->f->version;
    return known || (double)s->f->n <= 0.7 * s->dear;
}

/* The factor of the sparse part of H with this diagonal. */
static bool make_sparse(crs_system *s, const double *diagonal, double shift)
{
    const crs_lines *form = s->f->form.start[s->f->n] > 0 ? &s->f->form : NULL;
    crs_lower *A = &s->lower;
    double top = 0;
    if (!is_worth_asking(s)) return false;
    if (!crs_lower_product(A, &s->f->by_column, &s->f->by_row, s->weight, form, diagonal))
        return false;
    for (ptrdiff_t k = 0; k < s->f->n; k++) top = larger(top, fabs(A->value[A->start[k]]));
    for (ptrdiff_t k = 0; k < s->f->n; k++) A->value[A->start[k]] += shift * top;
    if (!is_cheap(s, OF_COLUMNS)) return false;
    s->c->work->factorizations++;
    return crs_factor_make(s->factor, A);
}

static bool by_sparse_factor(crs_system *s, double *d)
{
    if (!has_stack(s) || !is_light(s)) return false;
    for (int k = 0; k < ATTEMPTS && !crease_watch_over(s->c->watch); k++) {
        take_diagonal(s, attempts[k].convex);
        if (!make_sparse(s, s->diagonal, attempts[k].shift)) continue;
        for (ptrdiff_t j = 0; j < s->f->n; j++) d[j] = -s->step->g[j];
        return crs_factor_solve(s->factor, d);
    }
    return false;
}

/* out = H v */
static void curvature_times(void *self, const double *v, double *out)
{
    crs_system *s = self;
    const crs_composite *c = s->c;
    for (ptrdiff_t k = 0; k < s->f->n; k++) out[k] = s->diagonal[k] * v[k];
    if (has_stack(s)) {
        crs_lines_times(&s->f->by_row, v, s->rows);
        for (ptrdiff_t i = 0; i < s->f->by_row.count; i++) s->rows[i] *= s->weight[i];
        crs_lines_times(&s->f->by_column, s->rows, s->square);
        axpy(s->f->n, 1, s->square, out);
        crs_lines_times(&s->f->form, v, s->square);
        axpy(s->f->n, 1, s->square, out);
    }
    for (int q = 0; q < c->terms; q++) {
        const crs_term *t = &c->term[q];
        if (s->f->role[q] != CRS_FULL) continue;
        fill(t->rows, 0, s->rows);
        for (int p = 0; p < t->parts; p++) crs_face_apply(s->f, &t->part[p], 1, v, s->rows);
        for (ptrdiff_t k = 0; !t->loss && k < s->f->n; k++)
            out[k] += t->weight * s->rows[s->f->S[k]];
        if (!t->loss) continue;
        for (ptrdiff_t i = 0; i < t->rows; i++) s->rows[i] *= s->h[t->at + i];
        for (int p = 0; p < t->parts; p++) crs_face_adjoint(s->f, &t->part[p], 1, s->rows, out);
    }
    c->work->entries += 2 * s->f->entries;
}

static void by_diagonal(void *self, const double *v, double *out)
{
    const crs_system *s = self;
    for (ptrdiff_t k = 0; k < s->f->n; k++) out[k] = v[k] / s->pd[k];
}

static void by_factor(void *self, const double *v, double *out)
{
    crs_system *s = self;
    copy(s->f->n, v, out);
    if (!crs_factor_solve(s->factor, out)) fill(s->f->n, NAN, out);
}

static void by_rows(void *self, const double *v, double *out)
{
    crs_system *s = self;
    for (ptrdiff_t k = 0; k < s->f->n; k++) out[k] = v[k] / s->diagonal[k];
    crs_lines_times(&s->f->by_row, out, s->rows);
    if (!crs_factor_solve(s->factor, s->rows)) fill(s->f->by_row.count, NAN, s->rows);
    crs_lines_times(&s->f->by_column, s->rows, s->square);
    for (ptrdiff_t k = 0; k < s->f->n; k++) out[k] -= s->square[k] / s->diagonal[k];
    s->c->work->entries += 2 * (double)s->f->by_row.start[s->f->by_row.count];
}

static bool run_cg(crs_system *s, void (*precondition)(void *, const double *, double *),
                   double tolerance, int steps, double *d)
{
    double *b = s->right;
    const crs_cg cg = { s, curvature_times, precondition, tolerance, steps, s->cg, s->c->watch };
    for (ptrdiff_t k = 0; k < s->f->n; k++) b[k] = -s->step->g[k];
    return crs_cg_solve(&cg, s->f->n, b, d);
}

/* Woodbury's formula, mended by conjugate gradients where D is small against K'hK. */
static bool by_woodbury(crs_system *s, double *d)
{
    enum { MOST = 4000 };
    const ptrdiff_t rows = s->f->by_row.count;
    if (rows >= s->f->n || rows > MOST || s->f->form.start[s->f->n] > 0 || !has_stack(s))
        return false;
    take_diagonal(s, true);
    for (ptrdiff_t k = 0; k < s->f->n; k++) {
        if (!(s->diagonal[k] > 0)) return false;
        s->pd[k] = 1 / s->diagonal[k];
    }
    for (ptrdiff_t i = 0; i < rows; i++) {
        if (!(s->weight[i] >= 0)) return false;
        s->rows[i] = s->weight[i] > 1e-200 ? 1 / s->weight[i] : 1e200;
    }
    if (!crs_lower_product(&s->lower, &s->f->by_row, &s->f->by_column, s->pd, NULL, s->rows))
        return false;
    s->c->work->entries += 2 * (double)s->f->by_row.start[rows];
    if (!is_cheap(s, OF_ROWS)) return false;
    s->c->work->factorizations++;
    return crs_factor_make(s->factor, &s->lower) && run_cg(s, by_rows, 1e-8, 5, d);
}

/* Operations of a dense factor of H, products of columns that are not cached included. */
static double dense_cost(const crs_system *s)
{
    const double n = (double)s->f->n;
    double sum = n * n * n / 6;
    for (int q = 0; q < s->c->terms; q++) {
        const crs_term *t = &s->c->term[q];
        if (s->f->role[q] == CRS_FULL && t->loss && !t->loss->quadratic)
            sum += (double)t->rows * n * n / 2;
    }
    return sum;
}

static bool is_small(const crs_system *s)
{
    enum { FEW = 60, MOST = 6000 };
    const double share = s->f->by_column.start[s->f->n] > 0 ? 16 : 80;
    return !s->f->opaque && s->f->n <= MOST &&
           (s->f->n <= FEW || dense_cost(s) <= share * s->f->entries);
}

/* H += a Q_SS, the lower triangle, of a quadratic form. */
static void add_form(crs_system *s, const crs_term *t)
{
    for (ptrdiff_t k = 0; k < s->f->n; k++) {
        fill(t->rows, 0, s->rows);
        for (int p = 0; p < t->parts; p++) {
            const ptrdiff_t from = s->c->at[t->part[p].block];
            if (s->f->S[k] >= from && s->f->S[k] < s->c->at[t->part[p].block + 1])
                crs_matrix_column(t->part[p].matrix, t->weight, s->f->S[k] - from,
                                  s->rows + t->part[p].row);
        }
        for (ptrdiff_t l = k; l < s->f->n; l++) s->H[l * s->f->n + k] += s->rows[s->f->S[l]];
    }
}

/* Memory that grows and is not cleared. */
static bool hold(double **memory, size_t *held, size_t want)
{
    if (want <= *held) return true;
    double *grown = crs_resize(*memory, want, sizeof *grown);
    if (!grown) return false;
    *memory = grown;
    *held = want;
    return true;
}

/* H += K_S'diag(h)K_S for a dense term, some rows of it at a time. */
static bool add_squares(crs_system *s, const crs_term *t)
{
    enum { TILE = 64 };
    const ptrdiff_t n = s->f->n, m = t->rows;
    if (!hold(&s->columns, &s->columns_held, (size_t)n * (size_t)(2 * m + TILE))) return false;
    double *K = s->columns, *hK = K + n * m, *product = hK + n * m;
    fill(n * m, 0, K);
    for (int p = 0; p < t->parts; p++) {
        const crs_term_part *part = &t->part[p];
        for (ptrdiff_t k = s->f->first[part->block]; k < s->f->first[part->block + 1]; k++)
            crs_matrix_column(part->matrix, 1, s->f->column[k], K + k * m + part->row);
    }
    for (ptrdiff_t k = 0; k < n; k++)
        for (ptrdiff_t i = 0; i < m; i++) hK[k * m + i] = s->h[t->at + i] * K[k * m + i];
    for (ptrdiff_t k = 0; k < n && !crease_watch_over(s->c->watch); k += TILE) {
        const ptrdiff_t height = n - k < TILE ? n - k : TILE, width = k + height;
        crs_gemm(false, true, height, width, m, 1, hK + k * m, K, 0, product);
        for (ptrdiff_t i = 0; i < height; i++)
            axpy(width, 1, product + i * width, s->H + (k + i) * n);
    }
    s->c->work->entries += (double)m * (double)n * (double)n / 2;
    return !crease_watch_over(s->c->watch);
}

/* H without its diagonal D in memory of its own: the factor needs another copy. */
static bool fill_dense(crs_system *s)
{
    const ptrdiff_t n = s->f->n;
    if (!hold(&s->H, &s->held, 2 * (size_t)n * (size_t)n)) return false;
    fill(n * n, 0, s->H);
    for (int q = 0; q < s->c->terms; q++) {
        crs_term *t = &s->c->term[q];
        if (s->f->role[q] != CRS_FULL) continue;
        if (!t->loss)
            add_form(s, t);
        else if (t->loss->quadratic
                     ? !crs_gram_add(s->c, t, t->weight * t->loss->high, n, s->f->S, s->H)
                     : !add_squares(s, t))
            return false;
    }
    for (ptrdiff_t i = 0; i < s->f->by_row.count; i++) {
        const crs_lines *r = &s->f->by_row;
        for (ptrdiff_t e = r->start[i]; e < r->start[i + 1]; e++)
            for (ptrdiff_t f = r->start[i]; f <= e; f++)
                s->H[r->index[e] * n + r->index[f]] += s->weight[i] * r->value[e] * r->value[f];
    }
    for (ptrdiff_t k = 0; k < n; k++)
        for (ptrdiff_t e = s->f->form.start[k]; e < s->f->form.start[k + 1]; e++)
            if (s->f->form.index[e] >= k) s->H[s->f->form.index[e] * n + k] += s->f->form.value[e];
    return true;
}

static bool by_dense_factor(crs_system *s, double *d)
{
    const ptrdiff_t n = s->f->n;
    if (!fill_dense(s)) return false;
    double *L = s->H + n * n, top = 0;
    for (int k = 0; k < ATTEMPTS && !crease_watch_over(s->c->watch); k++) {
        take_diagonal(s, attempts[k].convex);
        copy(n * n, s->H, L);
        for (ptrdiff_t j = 0; j < n; j++) top = larger(top, s->H[j * n + j]);
        for (ptrdiff_t j = 0; j < n; j++)
            L[j * n + j] += s->diagonal[j] + attempts[k].shift * larger(top, 1e-300);
        s->c->work->factorizations++;
        s->c->work->entries += (double)n * (double)n * (double)n / 6;
        if (!crs_cholesky(n, L)) continue;
        for (ptrdiff_t j = 0; j < n; j++) d[j] = -s->step->g[j];
        crs_cholesky_solve(n, L, 1, d);
        return true;
    }
    return false;
}

static double entry_of(const crs_matrix *K, ptrdiff_t i, ptrdiff_t j)
{
    if (i < 0 || i >= K->rows) return 0;
    if (K->kind == CRS_DENSE) return K->value[j * K->rows + i];
    if (K->kind < CRS_SPARSE) return i != j ? 0 : K->kind == CRS_SCALAR ? K->scale : K->value[j];
    for (ptrdiff_t e = K->start[j]; e < K->start[j + 1]; e++)
        if (K->row[e] == i) return K->value[e];
    return 0;
}

void crs_curvatures(const crs_composite *c, const double *u, double *rows, double *q)
{
    fill(c->n, 0, q);
    for (int k = 0; k < c->terms; k++) {
        const crs_term *t = &c->term[k];
        if (t->loss) crs_term_curve(t, u + t->at, rows);
        for (int p = 0; p < t->parts; p++) {
            const crs_matrix *K = t->part[p].matrix;
            const ptrdiff_t at = c->at[t->part[p].block], row = t->part[p].row;
            c->work->entries += crs_matrix_entries(K) / 2;
            if (!crs_has_columns(K))
                for (ptrdiff_t j = 0; j < K->cols; j++) q[at + j] = INFINITY;
            else if (t->loss)
                crs_matrix_squares(K, rows + row, q + at);
            else
                for (ptrdiff_t j = 0; j < K->cols; j++)
                    q[at + j] += t->weight * entry_of(K, at + j - row, j);
        }
    }
}

/* pd += the diagonal of K'hK or of a quadratic form; of an operator a bound stands for it. */
static void add_part_squares(crs_system *s, const crs_term *t, const crs_term_part *part)
{
    const crs_matrix *K = part->matrix;
    const double *h = s->h + t->at + part->row;
    const ptrdiff_t from = s->f->first[part->block], to = s->f->first[part->block + 1];
    double high = 0;
    if (!crs_has_columns(K)) {
        for (ptrdiff_t i = 0; i < K->rows; i++) high = larger(high, t->loss ? h[i] : t->weight);
        if (isnan(K->norm)) return; /* nobody has asked for it yet */
        for (ptrdiff_t k = from; k < to; k++) s->pd[k] += high * square(K->norm);
        return;
    }
    for (ptrdiff_t k = from; !t->loss && k < to; k++)
        s->pd[k] += t->weight * entry_of(K, s->f->S[k] - part->row, s->f->column[k]);
    if (t->loss) crs_matrix_squares_columns(K, h, to - from, s->f->column + from, s->pd + from);
}

static void add_squares_of(crs_system *s, crs_role what)
{
    for (int q = 0; q < s->c->terms; q++)
        for (int p = 0; s->f->role[q] == what && p < s->c->term[q].parts; p++)
            add_part_squares(s, &s->c->term[q], &s->c->term[q].part[p]);
    s->c->work->entries += crs_face_entries(s->f, what) / 2;
}

static void lift(crs_system *s, double share)
{
    double top = 0;
    for (ptrdiff_t k = 0; k < s->f->n; k++) top = larger(top, s->pd[k]);
    const double least = top > 0 ? share * top : 1;
    for (ptrdiff_t k = 0; k < s->f->n; k++) s->pd[k] = larger(s->pd[k], least);
}

/* The preconditioner: a factor (true), or the diagonal pd alone. */
static bool prepare(crs_system *s)
{
    for (ptrdiff_t k = 0; k < s->f->n; k++) s->pd[k] = pos(s->diagonal[k]);
    add_squares_of(s, CRS_FULL);
    if (s->f->dense && has_stack(s) && is_light(s)) {
        lift(s, 1e-10);
        if (make_sparse(s, s->pd, 0)) return true;
    }
    add_squares_of(s, CRS_IN_STACK);
    add_squares_of(s, CRS_IN_FORM);
    lift(s, 1e-12);
    return false;
}

bool crs_system_solve(crs_system *s, const crs_newton_step *step, double *d)
{
    s->step = step;
    take_curvatures(s);
    if (!s->f->dense && by_sparse_factor(s, d)) return true;
    if (!s->f->dense && by_woodbury(s, d)) return true;
    if (s->f->dense && step->settled && is_small(s) && by_dense_factor(s, d)) return true;
    for (int convex = 0; convex < 2 && !crease_watch_over(s->c->watch); convex++) {
        take_diagonal(s, convex);
        if (run_cg(s, prepare(s) ? by_factor : by_diagonal, step->tolerance, step->steps, d)) break;
    }
    return !crease_watch_over(s->c->watch);
}
