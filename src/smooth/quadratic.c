/* SPDX-License-Identifier: MIT
 * quadratic: f(x) = (1/2) x'Qx + q'x, Q symmetric and possibly indefinite, given by blocks
 *
 * grad_i f = q_i + sum_j Q_ij x_j; a term (i, j), i != j, stands for Q_ij and for Q_ji = Q_ij'.
 * L = |Q|, L_i = |Q_ii|, M = |Q_last,:|, rho = max(lambda_max(Q), 0), from Gershgorin's discs
 * (exact for a diagonal matrix) and, while they are affordable, the computed eigenvalues with a
 * margin of 8 n 2^-52 |Q|; both are safe, the intersection is taken. */
#include "dense/dense.h"
#include "smooth/smooth.h"

enum {
    LARGEST_EIGH = 1500, /* the largest Hessian whose eigenvalues are computed */
    AFFORDABLE = 512     /* the largest block that is factored */
};

static const double *linear_of(const crease_quadratic_data *q, int i)
{
    return q->linear && i >= 0 && i < q->blocks ? q->linear[i] : NULL;
}

static bool check_matrix(const crease_quadratic_data *q, int k, ptrdiff_t m, ptrdiff_t n,
                         crease_error *e)
{
    const double *a = q->matrix[k];
    if (!a)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "quadratic: term %d has no matrix; give %td x %td numbers", k + 1, m, n);
    for (ptrdiff_t j = 0; j < m * n; j++)
        if (!isfinite(a[j]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "quadratic: entry (%td, %td) of the matrix of term %d is %g; give "
                            "finite numbers",
                            j / n + 1, j % n + 1, k + 1, a[j]);
    if (q->row[k] != q->col[k]) return true;
    for (ptrdiff_t r = 0; r < m; r++)
        for (ptrdiff_t c = 0; c < r; c++)
            if (a[r * n + c] != a[c * n + r])
                return crs_fail(e, CREASE_BAD_DATA,
                                "quadratic: the matrix of term %d, a diagonal block, is not "
                                "symmetric: entries (%td, %td) and (%td, %td) differ by %g; give "
                                "(Q + Q')/2",
                                k + 1, r + 1, c + 1, c + 1, r + 1, a[r * n + c] - a[c * n + r]);
    return true;
}

static bool check_linear(const crease_quadratic_data *q, const crease_blocks *b, crease_error *e)
{
    if (q->linear && (q->blocks < 0 || q->blocks > b->count))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "quadratic: the linear part has %d blocks but the problem has %d; give at "
                        "most one vector a block",
                        q->blocks, b->count);
    for (int i = 0; q->linear && i < q->blocks; i++)
        if (q->linear[i] && !crs_all_finite(crease_size(&b->space[i]), q->linear[i]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "quadratic: the linear part of block %d is not finite; give finite "
                            "numbers",
                            i + 1);
    return true;
}

static bool check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_quadratic_data *q = f->data;
    if (!q || q->count < 0 || (q->count > 0 && (!q->row || !q->col || !q->matrix)))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "quadratic: the terms are missing; give each a row block, a column block "
                        "and a matrix");
    for (int i = 0; i < b->count; i++)
        if (b->space[i].comm)
            return crs_fail(e, CREASE_UNSUPPORTED,
                            "quadratic: block %d is split over ranks; hold it whole on each",
                            i + 1);
    for (int k = 0; k < q->count; k++) {
        if (!crs_check_block("quadratic", b, q->row[k], e)) return false;
        if (!crs_check_block("quadratic", b, q->col[k], e)) return false;
        const ptrdiff_t m = crease_size(&b->space[q->row[k]]);
        if (!check_matrix(q, k, m, crease_size(&b->space[q->col[k]]), e)) return false;
    }
    return check_linear(q, b, e);
}

static bool touches(const crease_smooth *f, int i)
{
    const crease_quadratic_data *q = f->data;
    for (int k = 0; k < q->count; k++)
        if (q->row[k] == i || q->col[k] == i) return true;
    return linear_of(q, i) != NULL;
}

static double value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work)
{
    const crease_quadratic_data *q = f->data;
    double sum = 0;
    for (int k = 0; k < q->count; k++) {
        const int r = q->row[k], c = q->col[k];
        const ptrdiff_t m = crease_size(&b->space[r]), n = crease_size(&b->space[c]);
        crs_gemv(false, m, n, 1, q->matrix[k], x[c], 0, work);
        sum += (r == c ? 0.5 : 1) * crs_dot(m, x[r], work);
    }
    for (int i = 0; i < b->count; i++)
        if (linear_of(q, i)) sum += crs_dot(crease_size(&b->space[i]), linear_of(q, i), x[i]);
    return sum;
}

/* g += a (q_i + sum_{j != i} Q_ij x_j) */
static void cross(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                  double a, double *g)
{
    const crease_quadratic_data *q = f->data;
    const ptrdiff_t n = crease_size(&b->space[i]);
    for (int k = 0; k < q->count; k++) {
        const int r = q->row[k], c = q->col[k];
        if (r == c || (r != i && c != i)) continue;
        const int other = r == i ? c : r;
        const ptrdiff_t size = crease_size(&b->space[other]);
        const bool turn = c == i;
        crs_gemv(turn, turn ? size : n, turn ? n : size, a, q->matrix[k], x[other], 1, g);
    }
    if (linear_of(q, i)) axpy(n, a, linear_of(q, i), g);
}

static void grad(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work)
{
    const crease_quadratic_data *q = f->data;
    const ptrdiff_t n = crease_size(&b->space[i]);
    (void)work;
    for (int k = 0; k < q->count; k++)
        if (q->row[k] == i && q->col[k] == i) crs_gemv(false, n, n, 1, q->matrix[k], x[i], 1, g);
    cross(f, b, x, i, 1, g);
}

/* From here on the Hessian is that of block `only`, or of all blocks f touches when only < 0. */
static bool included(const crease_smooth *f, int only, int i)
{
    return only < 0 ? touches(f, i) : i == only;
}

/* Where block i starts in it; i = b->count: its size. */
static ptrdiff_t offset(const crease_smooth *f, const crease_blocks *b, int only, int i)
{
    ptrdiff_t n = 0;
    for (int j = 0; j < i; j++)
        if (included(f, only, j)) n += crease_size(&b->space[j]);
    return n;
}

ptrdiff_t crs_quadratic_rows(const crease_smooth *f, const crease_blocks *b)
{
    return offset(f, b, -1, b->count);
}

void crs_quadratic_apply(const crease_smooth *f, const crease_blocks *b, int i, const double *d,
                         double *u)
{
    const crease_quadratic_data *q = f->data;
    for (int k = 0; k < q->count; k++) {
        const int r = q->row[k], c = q->col[k];
        const ptrdiff_t m = crease_size(&b->space[r]), n = crease_size(&b->space[c]);
        if (c == i) crs_gemv(false, m, n, 1, q->matrix[k], d, 1, u + offset(f, b, -1, r));
        if (r == i && r != c) crs_gemv(true, m, n, 1, q->matrix[k], d, 1, u + offset(f, b, -1, c));
    }
}

double crs_quadratic_value_at(const crease_smooth *f, const crease_blocks *b,
                              const double *const *x, const double *u)
{
    double sum = 0;
    for (int i = 0; i < b->count; i++) {
        const ptrdiff_t n = crease_size(&b->space[i]);
        if (!touches(f, i)) continue;
        sum += crs_dot(n, x[i], u + offset(f, b, -1, i)) / 2;
        if (linear_of(f->data, i)) sum += crs_dot(n, linear_of(f->data, i), x[i]);
    }
    return sum;
}

void crs_quadratic_grad_at(const crease_smooth *f, const crease_blocks *b, const double *u, int i,
                           double *g)
{
    const ptrdiff_t n = crease_size(&b->space[i]);
    axpy(n, 1, u + offset(f, b, -1, i), g);
    if (linear_of(f->data, i)) axpy(n, 1, linear_of(f->data, i), g);
}

/* a += Q or Q'; Q is rows x columns, a has n numbers per row */
static void add(bool turn, ptrdiff_t rows, ptrdiff_t columns, const double *Q, ptrdiff_t n,
                double *a)
{
    for (ptrdiff_t r = 0; r < rows; r++)
        for (ptrdiff_t c = 0; c < columns; c++)
            a[turn ? c * n + r : r * n + c] += Q[r * columns + c];
}

/* Adds its rows Q_i,: of block i to a, size(i) x n; all its rows to a, n x n. */
static void rows_of(const crease_smooth *f, const crease_blocks *b, int only, int i, ptrdiff_t n,
                    double *a)
{
    const crease_quadratic_data *q = f->data;
    for (int k = 0; k < q->count; k++) {
        const int r = q->row[k], c = q->col[k];
        const ptrdiff_t rows = crease_size(&b->space[r]), columns = crease_size(&b->space[c]);
        if (r == i && included(f, only, c))
            add(false, rows, columns, q->matrix[k], n, a + offset(f, b, only, c));
        if (c == i && r != c && included(f, only, r))
            add(true, rows, columns, q->matrix[k], n, a + offset(f, b, only, r));
    }
}

static void hessian(const crease_smooth *f, const crease_blocks *b, int only, ptrdiff_t n,
                    double *a)
{
    for (int i = 0; i < b->count; i++)
        if (included(f, only, i)) rows_of(f, b, only, i, n, a + offset(f, b, only, i) * n);
}

void crs_quadratic_add_hessian(const crease_smooth *f, const crease_blocks *b, int i, double *H)
{
    rows_of(f, b, i, i, crease_size(&b->space[i]), H);
}

/* centre[j] += Q_jj, reach[j] += sum_{l != j} |Q_jl|, over the terms that are included */
static void discs(const crease_smooth *f, const crease_blocks *b, int only, double *centre,
                  double *reach)
{
    const crease_quadratic_data *q = f->data;
    for (int k = 0; k < q->count; k++) {
        const int r = q->row[k], c = q->col[k];
        if (!included(f, only, r) || !included(f, only, c)) continue;
        const ptrdiff_t m = crease_size(&b->space[r]), n = crease_size(&b->space[c]);
        const ptrdiff_t at_row = offset(f, b, only, r);
        const ptrdiff_t at_col = offset(f, b, only, c);
        for (ptrdiff_t j = 0; j < m * n; j++) {
            const double a = q->matrix[k][j];
            double *at = &centre[at_row + j / n], *around = &reach[at_row + j / n];
            const bool on_diagonal = r == c && j / n == j % n;
            /* a second matrix on the same block may round */
            *around += !on_diagonal ? fabs(a) : *at != 0 ? 0x1p-52 * (fabs(*at) + fabs(a)) : 0;
            *at += on_diagonal ? a : 0;
            if (r != c) reach[at_col + j % n] += fabs(a);
        }
    }
}

static bool gershgorin(const crease_smooth *f, const crease_blocks *b, int only, ptrdiff_t n,
                       double range[2], crease_error *e)
{
    double *centre = crs_doubles(2 * n, "the bounds of a quadratic", e);
    if (!centre) return false;
    double *reach = centre + n;
    discs(f, b, only, centre, reach);
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (ptrdiff_t j = 0; j < n; j++) {
        const double c = centre[j];
        const double r = reach[j] == 0 ? 0 : above(reach[j], (double)n) + 0x1p-52 * fabs(c);
        range[0] = smaller(range[0], c - r);
        range[1] = larger(range[1], c + r);
    }
    crs_free(centre);
    return true;
}

static bool eigenvalues(const crease_smooth *f, const crease_blocks *b, int only, ptrdiff_t n,
                        double range[2], crease_error *e)
{
    double *a = crs_doubles(n * n + n + crs_eigh_scratch(n), "the eigenvalues of a quadratic", e);
    if (!a) return false;
    hessian(f, b, only, n, a);
    double *w = a + n * n;
    if (crs_eigh(n, a, w, NULL, w + n)) {
        const double size = larger(fabs(w[0]), fabs(w[n - 1])), margin = 8 * (double)n * 0x1p-52;
        range[0] = larger(range[0], w[0] - margin * size);
        range[1] = smaller(range[1], w[n - 1] + margin * size);
    }
    crs_free(a);
    return true;
}

/* Its eigenvalues lie in [low, high]. */
static bool range(const crease_smooth *f, const crease_blocks *b, int only, double *low,
                  double *high, crease_error *e)
{
    const crease_quadratic_data *q = f->data;
    const ptrdiff_t n = q->count > 0 ? offset(f, b, only, b->count) : 0; /* or it is linear */
    double range[2] = { 0, 0 };
    if (n > 0 && !gershgorin(f, b, only, n, range, e)) return false;
    if (n > 1 && n <= LARGEST_EIGH && range[0] < range[1] && !eigenvalues(f, b, only, n, range, e))
        return false;
    *low = range[0];
    *high = range[1];
    return true;
}

/* q over the blocks f touches */
static void linear_part(const crease_smooth *f, const crease_blocks *b, double *g)
{
    for (int i = 0; i < b->count; i++)
        if (linear_of(f->data, i))
            copy(crease_size(&b->space[i]), linear_of(f->data, i), g + offset(f, b, -1, i));
}

/* y near -Q^{-1} q, g = Q y + q; a has room for n x n numbers */
static void solve_whole(const crease_smooth *f, const crease_blocks *b, ptrdiff_t n, double *a,
                        double *y, double *g)
{
    hessian(f, b, -1, n, a);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = -g[j];
    if (crs_cholesky(n, a)) crs_cholesky_solve(n, a, 1, y);
    if (!crs_all_finite(n, y)) fill(n, 0, y);
    fill(n * n, 0, a);
    hessian(f, b, -1, n, a);
    crs_gemv(false, n, n, 1, a, y, 1, g);
}

/* The bound for lambda_min(Q) >= low > 0, |Q| <= size. */
static bool definite_bound(const crease_smooth *f, const crease_blocks *b, double low, double size,
                           double *bound, crease_error *e)
{
    const ptrdiff_t n = offset(f, b, -1, b->count);
    const bool affordable = n <= LARGEST_EIGH;
    double *q = crs_doubles(3 * n + (affordable ? n * n : 0), "the bound of a quadratic", e);
    if (!q) return false;
    double *y = q + n, *g = y + n;
    linear_part(f, b, q);
    copy(n, q, g);
    if (affordable) solve_whole(f, b, n, g + n, y, g);
    /* rounding of g, and of f(y) = y'(g + q)/2 */
    const double slack = 4 * ((double)n + 4) * sqrt((double)n) * 0x1p-52;
    const double ny = crs_norm(n, y), nq = crs_norm(n, q);
    const double ng = crs_norm(n, g) + slack * (size * ny + nq);
    *bound = (crs_dot(n, y, g) + crs_dot(n, y, q)) / 2 - slack * ny * (size * ny + nq) -
             above(ng * ng / (2 * low), 8);
    crs_free(q);
    return true;
}

/* The bound from the radii; -INFINITY when one is missing. */
static double region_bound(const crease_smooth *f, const crease_blocks *b, double low)
{
    double bound = 0;
    for (int i = 0; i < b->count; i++) {
        const double r = radius_of(b, i);
        if (!touches(f, i)) continue;
        const double *linear = linear_of(f->data, i);
        const double slope = linear ? crs_norm(crease_size(&b->space[i]), linear) : 0;
        bound -= times(pos(-low) / 2, r * r) + times(slope, r);
    }
    return -above(-bound, 8.0 * b->count + 8);
}

/* 0 when Q >= 0 and q = 0; with lambda_min >= l > 0 and any y, f >= f(y) - |grad f(y)|^2 / (2 l),
 * taken at the computed solution of Q y = -q; on |x_i| <= r_i:
 * min(lambda_min, 0) sum_i r_i^2 / 2 - sum_i |q_i| r_i. */
static bool lower_bound(const crease_smooth *f, const crease_blocks *b, double low, double size,
                        double *lower, crease_error *e)
{
    *lower = region_bound(f, b, low);
    if (!(low > 0) || *lower == 0) return true;
    double bound;
    if (!definite_bound(f, b, low, size, &bound, e)) return false;
    *lower = larger(*lower, bound);
    return true;
}

static bool last_block(const crease_smooth *f, const crease_blocks *b, int last,
                       crease_constants *out, crease_error *e)
{
    const crease_quadratic_data *q = f->data;
    out->separable_last = true;
    for (int k = 0; k < q->count; k++)
        if ((q->row[k] == last) != (q->col[k] == last)) out->separable_last = false;
    out->quadratic_last = out->separable_last;
    if (!touches(f, last)) return true;

    const ptrdiff_t m = crease_size(&b->space[last]);
    const ptrdiff_t n = offset(f, b, -1, b->count);
    double *row = crs_doubles(m * n, "the last block of a quadratic", e);
    if (!row) return false;
    rows_of(f, b, -1, last, n, row);
    const bool ok = crs_norm_bound(m, n, row, &out->M, e);
    crs_free(row);
    out->M = smaller(out->M, out->L);
    return ok && (!out->quadratic_last || range(f, b, last, &out->last_low, &out->last_high, e));
}

static bool constants(const crease_smooth *f, const crease_blocks *b, int last,
                      crease_constants *out, double *block, crease_error *e)
{
    double low, high;
    for (int i = 0; block && i < b->count; i++) {
        if (!range(f, b, i, &low, &high, e)) return false;
        block[i] = larger(fabs(low), fabs(high));
    }
    if (!range(f, b, -1, &low, &high, e)) return false;
    *out = (crease_constants){
        .L = larger(fabs(low), fabs(high)), .p = 2, .rho = pos(high), .concave = high <= 0
    };
    return lower_bound(f, b, low, out->L, &out->lower, e) && last_block(f, b, last, out, e);
}

static bool has_curvature(const crease_quadratic_data *q, int i)
{
    for (int k = 0; k < q->count; k++)
        if (q->row[k] == i && q->col[k] == i) return true;
    return false;
}

static ptrdiff_t argmin_scratch(const crease_smooth *f, const crease_blocks *b)
{
    const crease_quadratic_data *q = f->data;
    ptrdiff_t most = 0;
    for (int i = 0; i < b->count; i++) {
        const ptrdiff_t n = crease_size(&b->space[i]);
        const bool factored = has_curvature(q, i) && n <= AFFORDABLE;
        const ptrdiff_t need = 3 * n + (factored ? 2 * n * n + crs_eigh_scratch(n) : 0);
        if (need > most) most = need;
    }
    return most;
}

static ptrdiff_t scratch(const crease_smooth *f, const crease_blocks *b)
{
    ptrdiff_t most = argmin_scratch(f, b);
    for (int i = 0; i < b->count; i++) {
        const ptrdiff_t n = crease_size(&b->space[i]);
        if (n > most) most = n;
    }
    return most;
}

/* The factor of Q_ii + h I in l; false unless it is safely positive definite. */
static bool factor(ptrdiff_t n, const double *a, double h, double *l)
{
    copy(n * n, a, l);
    for (ptrdiff_t j = 0; j < n; j++) l[j * n + j] += h;
    return crs_cholesky(n, l);
}

static bool in_eigenbasis(ptrdiff_t n, const double *a, const crs_step *t, const double *c,
                          double *work)
{
    const crease_space s = crease_vector(n);
    double *e = work, *d = e + n, *vectors = d + n;
    if (!crs_eigh(n, a, e, vectors, vectors + n * n)) return fill(n, NAN, t->y), true;
    for (ptrdiff_t j = 0; j < n; j++) e[j] += t->h;
    crs_gemv(false, n, n, 1, vectors, c, 0, d);
    if (!crs_ball_diagonal(&s, e, d, t->radius, d)) return false;
    crs_gemv(true, n, n, 1, vectors, d, 0, t->y);
    crs_into_ball(n, t->radius, t->y, t->y); /* which the rounding of the basis may leave */
    return true;
}

/* argmin over |y| <= R of (1/2) y'(Q_ii + h I) y - c'y, c = h v - q_i - sum_{j != i} Q_ij x_j: by
 * Cholesky when that is definite and the answer lies inside the ball; otherwise in the eigenbasis
 * of Q_ii, where it is a diagonal problem, exact for indefinite Q_ii too. */
static bool solve_block(ptrdiff_t n, const double *a, const crs_step *t, double *c, double *work)
{
    double *y = work, *l = y + n;
    const bool definite = factor(n, a, t->h, l);
    if (!t->y) return definite || t->radius < INFINITY;
    if (definite) {
        copy(n, c, y);
        crs_cholesky_solve(n, l, 1, y);
        if (crs_norm(n, y) <= t->radius) return copy(n, y, t->y), true;
    }
    if (!(t->radius < INFINITY) && !definite) return false;
    return in_eigenbasis(n, a, t, c, work);
}

static bool argmin(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                   double h, const double *v, double radius, double *y, double *work)
{
    const crease_space *s = &b->space[i];
    const ptrdiff_t n = crease_size(s);
    const crs_step t = { h, v, radius, y };
    const bool linear = !has_curvature(f->data, i);
    double *c = work, *a = c + n;
    if (!touches(f, i) || (!linear && n > AFFORDABLE)) return false;
    if (linear && !y) return h > 0 || radius < INFINITY;
    for (ptrdiff_t j = 0; y && j < n; j++) c[j] = h * v[j];
    if (y) cross(f, b, x, i, -1, c);
    if (linear) {
        fill(n, h, a);
        return crs_ball_diagonal(s, a, c, radius, y);
    }
    fill(n * n, 0, a);
    rows_of(f, b, i, i, n, a);
    return solve_block(n, a, &t, c, a + n * n);
}

const crease_smooth_ops crs_quadratic_ops = {
    .name = "quadratic",
    .formula = "(1/2) x'Qx + q'x",
    .data_text = "Q {\"x,y\": matrix}, q {block: array}; x,y with x != y adds x'Qy",
    .check = check,
    .scratch = scratch,
    .touches = touches,
    .value = value,
    .grad = grad,
    .constants = constants,
    .argmin = argmin,
};

crease_smooth crease_quadratic(const crease_quadratic_data *q)
{
    return (crease_smooth){ .ops = &crs_quadratic_ops, .data = q };
}
