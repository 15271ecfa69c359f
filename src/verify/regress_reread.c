/* SPDX-License-Identifier: MIT
 * regress_reread: the design of a regression, and loss and gradient at all points of a path at
 * once, from readings of its rows
 *
 * Three readings: means and ranges; squares about the means, which get what the first left of them;
 * and e = z b, s = v phi'(e - y), g = z's of all points, with z_ij = (x_ij - mean_j)/(spread_j c)
 * made anew from x as it is needed, so that no copy of X is held. Numbers of a few rows are added
 * up in double, and these sums in long double; the second reading keeps what double loses.
 *
 * With u = 2^-53, r_j the root mean square of z_ij, off = a->off >= 64 u, and
 *     w_ij = |z_ij| + r_j/4 + |mean_j|/(16 spread_j c):
 *   mean_j is off by 2 u of the mean |x_ij - mean_j|, and rounded; spread_j by 2 u of itself, and
 *          z_ij by no more than off w_ij
 *   e_i    is off by `fine` (sum_j w_ij |b_j| + |y_i|), fine = off; or fine = 8 u, where z and the
 *          sum are in long double and the end is rounded
 *   g_j    by sum_i v_i w_ij (off |phi'_i| + |error of e_i|)/n, since |phi''| <= 1: at most
 *          wideness_j (off slope + fine reach), of the root mean squares wideness_j of w_ij,
 *          slope of phi'_i and reach of sum_j w_ij |b_j| + |y_i|. The last is at most that of y_i
 *          and the lesser of sum_j |b_j| wideness_j and |b| times the length of wideness where
 *          b is not 0 (Minkowski; Cauchy and Schwarz)
 *   loss   by fine reach (slope + fine reach), and the roundings of its own sum.
 * LEAST is added to what is multiplied, for what is too small to be rounded relatively. */
#include "core/carve.h"
#include "core/parallel.h"
#include "verify/regress.h"
#include "verify/verify.h"

#if defined(__GNUC__)
#define PREFETCH(x) __builtin_prefetch(x) /* the columns that are next: rows are far apart */
#else
#define PREFETCH(x) (void)(x)
#endif

enum { BLOCK = 512, STRETCH = 64, STRIP = 128, CHUNK = 128 };
static const double LEAST = 0x1p-480;

typedef crs_claimed_design design;
typedef crs_reread look;

static ptrdiff_t fewer_of(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

static void carve_columns(look *a, crs_carver *c)
{
    const ptrdiff_t n = a->cols, p = a->d.c->p;
    a->low = carve_doubles(c, p, 1);
    a->high = carve_doubles(c, p, 1);
    a->center = carve_doubles(c, n, 1);
    a->factor = carve_doubles(c, n, 1);
    a->linear = carve_doubles(c, n, CRS_REREAD_FEW);
    a->length = carve_doubles(c, CRS_REREAD_FEW, 1);
    a->some = carve_doubles(c, n, 2);
    a->weight = carve_doubles(c, n, 1);
    a->list = carve_bytes(c, n * a->panels, sizeof *a->list);
    a->b = carve_doubles(c, n, a->wide);
    a->g = carve_bytes(c, n * a->wide, sizeof(real));
    a->fine = carve_bytes(c, n, sizeof(real));
    a->sum = carve_bytes(c, n, sizeof(real));
    a->square = carve_bytes(c, n, sizeof(real));
    a->wideness = carve_bytes(c, n, sizeof(real));
    a->hess = carve_bytes(c, a->gram ? n * n : 0, sizeof(real));
}

static void carve(void *self, crs_carver *c)
{
    look *a = self;
    const ptrdiff_t k = a->count, longest = a->cols > BLOCK ? a->cols : BLOCK;
    const ptrdiff_t across = a->gram ? a->cols + CRS_TILE_COLUMNS : 0;
    carve_columns(a, c);
    a->read = carve_doubles(c, a->in ? BLOCK : 0, a->width);
    a->x = carve_bytes(c, BLOCK, sizeof *a->x);
    a->y = carve_doubles(c, BLOCK, 1);
    a->v = carve_doubles(c, BLOCK, 1);
    a->root = carve_doubles(c, BLOCK, 1);
    a->e = carve_doubles(c, BLOCK, a->wide);
    a->left = carve_doubles(c, longest, CRS_TILE_ROWS);
    a->z = carve_doubles(c, BLOCK, across);
    a->listed = carve_bytes(c, a->panels, sizeof *a->listed);
    a->norm = carve_doubles(c, k, 1);
    a->first = carve_doubles(c, k, 1);
    a->loss = carve_bytes(c, k, sizeof(real));
    a->slope = carve_bytes(c, k, sizeof(real));
    a->reach = carve_bytes(c, k, sizeof(real));
    a->curve = carve_bytes(c, k, sizeof(real));
}

static bool wants_gram(const look *a, const double *wanted)
{
    real slope, bend;
    bool any = false;
    for (ptrdiff_t k = 0; wanted && k < a->d.c->s.path; k++)
        any = any ||
              (!isnan(wanted[k]) && !crs_claimed_convex(&a->d, a->d.c->s.lambda[k], &slope, &bend));
    return any && a->d.squared && a->d.cols <= CRS_REREAD_GRAM;
}

static bool prepare(look *a, const double *wanted, crease_error *e)
{
    const crease_regression_claim *c = a->d.c;
    if (!crs_claimed_open(&a->d, e)) return false;
    a->gram = wants_gram(a, wanted);
    a->exact = wanted && !a->in;
    a->tile = crs_tile_at(0);
    a->width = c->p + 1 + (a->in && a->in->weighted);
    a->cols = a->d.cols;
    a->count = c->s.path + 1;
    a->panels = (a->count - 1) / CRS_TILE_COLUMNS + 1;
    a->wide = a->panels * CRS_TILE_COLUMNS;
    a->memory = carve_block(carve, a);
    if (!a->memory) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: checking rows");
    crs_large_pages(a->g, (size_t)(a->cols * a->wide) * sizeof *a->g);
    for (ptrdiff_t m = 0; m < c->s.path && a->cols > c->p; m++)
        a->first[m] = c->point[m * a->cols + c->p];
    return true;
}

/* ---- rows ---- */

/* Rows first .. first + rows - 1: where they are, y, and their weights as given. */
static bool fetch(look *a, ptrdiff_t first, ptrdiff_t rows, crease_error *e)
{
    const crease_regression_claim *c = a->d.c;
    if (a->in && !a->in->read(a->in->user, first, rows, a->read, e)) return false;
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double *row = a->in ? a->read + i * a->width : c->X + (first + i) * c->p;
        a->x[i] = row;
        a->y[i] = a->in ? row[c->p] : c->y[first + i];
        a->v[i] = a->in ? (a->in->weighted ? row[c->p + 1] : 1)
                        : (c->s.row_weight ? c->s.row_weight[first + i] : 1);
    }
    return true;
}

typedef void look_at(look *a, ptrdiff_t rows);

/* All rows, a few at a time; false with a sentence, or when the time was over. */
static bool read_all(look *a, look_at *at, crease_error *e)
{
    const ptrdiff_t n = a->d.c->n;
    for (ptrdiff_t i = 0; i < n; i += BLOCK) {
        const ptrdiff_t rows = fewer_of(n - i, BLOCK);
        if (crease_watch_over(a->d.c->s.watch)) return crs_cut(e, "checking the rows");
        if (!fetch(a, i, rows, e)) return false;
        at(a, rows);
    }
    return true;
}

/* ---- the design ---- */

/* A part of the rows and of the columns: few enough to add up in double. */
typedef struct {
    ptrdiff_t row, rows, column, columns;
} patch;

typedef void look_at_patch(look *a, const patch *p);

static void in_patches(look *a, ptrdiff_t rows, look_at_patch *at)
{
    const ptrdiff_t p = a->d.c->p;
    for (ptrdiff_t j = 0; j < p; j += STRIP)
        for (ptrdiff_t i = 0; i < rows; i += STRETCH)
            at(a, &(patch){ i, fewer_of(rows - i, STRETCH), j, fewer_of(p - j, STRIP) });
}

static void sum_patch(look *a, const patch *p)
{
    double sum[STRIP] = { 0 }, most[STRIP] = { 0 };
    double *low = a->low + p->column, *high = a->high + p->column;
    for (ptrdiff_t i = p->row; i < p->row + p->rows; i++) {
        const double *x = a->x[i] + p->column, v = a->v[i];
        for (ptrdiff_t j = 0; j < p->columns; j++) {
            const double size = fabs(x[j]);
            sum[j] += v * x[j];
            most[j] = size <= most[j] ? most[j] : size;
        }
        for (ptrdiff_t j = 0; j < p->columns && v > 0; j++) {
            low[j] = x[j] < low[j] ? x[j] : low[j];
            high[j] = x[j] > high[j] ? x[j] : high[j];
        }
    }
    for (ptrdiff_t j = 0; j < p->columns; j++) {
        a->d.center[p->column + j] += sum[j];
        a->d.most[p->column + j] = bigger(a->d.most[p->column + j], most[j]);
    }
}

static void look_at_means(look *a, ptrdiff_t rows)
{
    design *d = &a->d;
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double v = a->v[i];
        d->y_most = bigger(d->y_most, fabs(a->y[i]));
        a->sum[0] += v;
        d->y_center += (real)v * a->y[i];
        if (!(v >= 0 && v <= a->v_most)) a->v_most = v;
    }
    in_patches(a, rows, sum_patch);
}

/* sum += t; lost: what rounding takes from it (Knuth, Seminumerical algorithms, 4.2.2) */
static inline void add_up(double t, double *sum, double *lost)
{
    const double next = *sum + t, part = next - *sum;
    *lost += (*sum - (next - part)) + (t - part);
    *sum = next;
}

/* What is left of the mean, and the squares */
static void square_patch(look *a, const patch *p)
{
    double sum[STRIP] = { 0 }, lost[STRIP] = { 0 }, squares[STRIP] = { 0 }, less[STRIP] = { 0 };
    const double *center = a->center + p->column;
    for (ptrdiff_t i = p->row; i < p->row + p->rows; i++) {
        const double *x = a->x[i] + p->column, v = a->v[i];
        for (ptrdiff_t j = 0; j < p->columns; j++) {
            const double t = x[j] - center[j];
            add_up(v * t, &sum[j], &lost[j]);
            add_up(v * t * t, &squares[j], &less[j]);
        }
    }
    for (ptrdiff_t j = 0; j < p->columns; j++) {
        a->sum[p->column + j] += (real)sum[j] + lost[j];
        a->square[p->column + j] += (real)squares[j] + less[j];
    }
}

static void look_at_squares(look *a, ptrdiff_t rows) { in_patches(a, rows, square_patch); }

static bool is_left_out(const look *a, ptrdiff_t j)
{
    return a->d.c->s.intercept && a->low[j] == a->high[j];
}

/* sum v (x - mean)^2 = sum v (x - m)^2 - W (mean - m)^2 */
static void settle_column(look *a, ptrdiff_t j, real all)
{
    design *d = &a->d;
    const crease_regression_settings *s = &d->c->s;
    const real moved = s->intercept ? a->sum[j] / all : 0;
    const real squares = positive(a->square[j] - all * moved * moved);
    d->center[j] = s->intercept ? a->center[j] + moved : 0;
    d->spread[j] = s->standardize && !is_left_out(a, j) && squares > 0 ? sqrtl(squares / all) : 1;
    a->center[j] = (double)d->center[j];
    a->fine[j] = is_left_out(a, j) ? 0 : 1 / (d->spread[j] * s->loss_scale);
    a->factor[j] = (double)a->fine[j];
}

static bool find_design(look *a, crease_error *e)
{
    design *d = &a->d;
    const crease_regression_settings *s = &d->c->s;
    const ptrdiff_t p = d->c->p;
    double widest = 0;
    for (ptrdiff_t j = 0; j < p; j++) a->low[j] = INFINITY, a->high[j] = -INFINITY;
    if (!read_all(a, look_at_means, e)) return false;
    const real all = a->sum[0];
    if (!(all > 0 && all < INFINITY && a->v_most < INFINITY))
        return crs_fail(e, CREASE_BAD_DATA, "the weights of the rows are not numbers >= 0");
    a->total = (double)all;
    a->sum[0] = 0;
    d->y_center = d->centred ? d->y_center / all : 0;
    for (ptrdiff_t j = 0; j < p; j++) {
        a->center[j] = s->intercept ? (double)(d->center[j] / all) : 0;
        if (a->high[j] - a->low[j] > widest) widest = a->high[j] - a->low[j];
    }
    d->one = crs_claimed_one(s->standardize ? 0 : widest);
    if ((s->standardize || s->intercept) && !read_all(a, look_at_squares, e)) return false;
    for (ptrdiff_t j = 0; j < p; j++) settle_column(a, j, all);
    if (a->cols > p) a->fine[p] = d->one / s->loss_scale, a->factor[p] = (double)a->fine[p];
    return true;
}

bool crs_reread_open(look *a, const double *wanted, crease_error *e)
{
    return prepare(a, wanted, e) && find_design(a, e);
}

/* ---- loss and gradient ---- */

/* What rows are multiplied by, v and y of the rows that count, which move to the front; of the
 * squared loss the roots of v are in z and y. */
static ptrdiff_t keep_rows(look *a, ptrdiff_t rows)
{
    const design *d = &a->d;
    const real c = d->c->s.loss_scale, n = (real)d->c->n;
    const bool labels = d->c->s.loss == CREASE_REGRESSION_LOGISTIC;
    const bool weighted = a->in ? a->in->weighted : d->c->s.row_weight != NULL;
    ptrdiff_t used = 0;
    for (ptrdiff_t i = 0; i < rows; i++) {
        if (a->v[i] == 0) continue;
        const real v = weighted ? a->v[i] / (real)a->total * n : 1;
        const real root = d->squared && v != 1 ? sqrtl(v) : 1;
        a->x[used] = a->x[i];
        a->root[used] = (double)root;
        a->v[used] = d->squared ? 1 : (double)v;
        a->y[used++] =
            labels ? (a->y[i] == 1 ? 1 : -1) : (double)((a->y[i] - d->y_center) * root / c);
    }
    return used;
}

/* out (rows x width) = z of all rows and `width` columns from `first` on, 0 beyond the last */
static void pack_columns(const look *a, ptrdiff_t rows, ptrdiff_t first, ptrdiff_t width,
                         double *out)
{
    const ptrdiff_t p = a->d.c->p, own = fewer_of(width, p > first ? p - first : 0);
    const double *center = a->center + first, *factor = a->factor + first;
    for (ptrdiff_t i = 0; i < rows; i++, out += width) {
        const double *x = a->x[i] + first, root = a->root[i];
        PREFETCH(x + width);
        for (ptrdiff_t j = 0; j < own; j++) out[j] = (x[j] - center[j]) * factor[j] * root;
        for (ptrdiff_t j = own; j < width; j++) out[j] = first + j < a->cols ? factor[j] : 0;
    }
}

/* a->left (count x CRS_TILE_ROWS) = z of some rows in the columns that a panel's list names */
static void pack_rows(const look *a, ptrdiff_t first, ptrdiff_t rows, ptrdiff_t panel)
{
    const ptrdiff_t *list = a->list + panel * a->cols, p = a->d.c->p;
    for (ptrdiff_t r = 0; r < CRS_TILE_ROWS; r++) {
        const double *x = r < rows ? a->x[first + r] : NULL;
        const double root = x ? a->root[first + r] : 0;
        for (ptrdiff_t t = 0; t < a->listed[panel]; t++) {
            const ptrdiff_t j = list[t];
            const double from = j < p && x ? x[j] - a->center[j] : x ? 1 : 0;
            a->left[t * CRS_TILE_ROWS + r] = from * a->factor[j] * root;
        }
    }
}

/* c = sum_t left_t b_t' of any number of terms, CHUNK at a time */
static void multiply(const look *a, ptrdiff_t count, const double *b, double *c)
{
    enum { SIZE = CRS_TILE_ROWS * CRS_TILE_COLUMNS };
    double part[SIZE];
    a->tile(fewer_of(count, CHUNK), a->left, b, c);
    for (ptrdiff_t t = CHUNK; t < count; t += CHUNK) {
        a->tile(fewer_of(count - t, CHUNK), a->left + t * CRS_TILE_ROWS, b + t * CRS_TILE_COLUMNS,
                part);
        for (int k = 0; k < SIZE; k++) c[k] += part[k];
    }
}

typedef struct {
    double value, slope, curve;
} slopes;

static slopes loss_at(const design *d, double y, double e)
{
    const double t = e - y, far = fabs(t), q = 1 + t * t;
    if (d->c->s.loss == CREASE_REGRESSION_LOGISTIC) {
        const double m = y * e, less = exp(-fabs(m)),
                     p = m > 0 ? less / (1 + less) : 1 / (1 + less);
        return (slopes){ (m < 0 ? -m : 0) + log1p(less), -y * p, p * (1 - p) };
    }
    if (d->c->s.loss == CREASE_REGRESSION_CAUCHY)
        return (slopes){ log1p(t * t) / 2, t / q, (1 - t * t) / (q * q) };
    if (d->squared || far <= 1) return (slopes){ t * t / 2, t, 1 };
    return (slopes){ far - 0.5, copysign(1, t), 0 };
}

/* The images of all rows become slopes. */
static void take_slopes(look *a, ptrdiff_t rows)
{
    const design *d = &a->d;
    const bool labels = d->c->s.loss == CREASE_REGRESSION_LOGISTIC;
    for (ptrdiff_t m = 0; m < a->count; m++) {
        double *e = a->e + (m / CRS_TILE_COLUMNS * BLOCK) * CRS_TILE_COLUMNS + m % CRS_TILE_COLUMNS;
        double loss = 0, slope = 0, curve = 0;
        for (ptrdiff_t i = 0; i < rows; i++, e += CRS_TILE_COLUMNS) {
            const double v = a->v[i];
            const slopes at = loss_at(d, a->y[i], *e);
            *e = v * at.slope;
            loss += v * at.value;
            curve += v * at.curve;
            slope += *e * at.slope;
        }
        a->loss[m] += loss, a->slope[m] += slope, a->curve[m] += curve;
    }
    for (ptrdiff_t i = 0; i < rows && !labels; i++) a->squares += (real)a->v[i] * a->y[i] * a->y[i];
}

/* The images of a row under a panel's points, of z and sums in long double */
static void add_fine(const look *a, ptrdiff_t row, ptrdiff_t panel, double *e)
{
    const ptrdiff_t *list = a->list + panel * a->cols, p = a->d.c->p;
    const double *b = a->b + panel * a->cols * CRS_TILE_COLUMNS;
    real sum[CRS_TILE_COLUMNS] = { 0 };
    for (ptrdiff_t t = 0; t < a->listed[panel]; t++, b += CRS_TILE_COLUMNS) {
        const ptrdiff_t j = list[t];
        const real from = j < p ? a->x[row][j] - a->d.center[j] : 1;
        const real z = from * a->fine[j] * a->root[row];
        for (int m = 0; m < CRS_TILE_COLUMNS; m++) sum[m] += z * b[m];
    }
    for (int m = 0; m < CRS_TILE_COLUMNS; m++) e[m] = (double)sum[m];
}

static void add_images(look *a, ptrdiff_t rows)
{
    for (ptrdiff_t i = 0; i < rows && a->exact; i++)
        for (ptrdiff_t k = 0; k < a->panels; k++)
            add_fine(a, i, k, a->e + (k * BLOCK + i) * CRS_TILE_COLUMNS);
    if (a->exact) return;
    for (ptrdiff_t i = 0; i < rows; i += CRS_TILE_ROWS)
        for (ptrdiff_t k = 0; k < a->panels; k++) {
            pack_rows(a, i, fewer_of(rows - i, CRS_TILE_ROWS), k);
            multiply(a, a->listed[k], a->b + k * a->cols * CRS_TILE_COLUMNS,
                     a->e + (k * BLOCK + i) * CRS_TILE_COLUMNS);
        }
}

/* Those of CRS_TILE_ROWS columns, which are in a->left */
static void add_squares(look *a, ptrdiff_t rows, ptrdiff_t first)
{
    double sum[CRS_TILE_ROWS] = { 0 };
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t r = 0; r < CRS_TILE_ROWS; r++) {
            const double z = a->left[i * CRS_TILE_ROWS + r];
            sum[r] += a->v[i] * z * z;
        }
    for (ptrdiff_t r = 0; r < fewer_of(a->cols - first, CRS_TILE_ROWS); r++)
        a->sum[first + r] += sum[r];
}

/* to (rows of `stride`) += the products of a->left with `rows` rows of b */
static void add_products(const look *a, ptrdiff_t rows, ptrdiff_t first, const double *b,
                         ptrdiff_t columns, real *to, ptrdiff_t stride)
{
    double c[CRS_TILE_ROWS * CRS_TILE_COLUMNS];
    multiply(a, rows, b, c);
    for (ptrdiff_t r = 0; r < fewer_of(a->cols - first, CRS_TILE_ROWS); r++)
        for (ptrdiff_t k = 0; k < columns; k++) to[r * stride + k] += c[r * CRS_TILE_COLUMNS + k];
}

static void look_at_points(look *a, ptrdiff_t given)
{
    const ptrdiff_t n = a->cols, rows = keep_rows(a, given);
    const ptrdiff_t across = a->gram ? (n - 1) / CRS_TILE_COLUMNS + 1 : 0;
    add_images(a, rows);
    take_slopes(a, rows);
    for (ptrdiff_t k = 0; k < across; k++)
        pack_columns(a, rows, k * CRS_TILE_COLUMNS, CRS_TILE_COLUMNS,
                     a->z + k * BLOCK * CRS_TILE_COLUMNS);
    for (ptrdiff_t j = 0; j < n; j += CRS_TILE_ROWS) {
        pack_columns(a, rows, j, CRS_TILE_ROWS, a->left);
        add_squares(a, rows, j);
        for (ptrdiff_t k = 0; k < a->panels; k++)
            add_products(a, rows, j, a->e + k * BLOCK * CRS_TILE_COLUMNS, CRS_TILE_COLUMNS,
                         a->g + j * a->wide + k * CRS_TILE_COLUMNS, a->wide);
        for (ptrdiff_t k = 0; k < across; k++)
            add_products(a, rows, j, a->z + k * BLOCK * CRS_TILE_COLUMNS,
                         fewer_of(n - k * CRS_TILE_COLUMNS, CRS_TILE_COLUMNS),
                         a->hess + j * n + k * CRS_TILE_COLUMNS, n);
    }
}

/* The columns that are not 0 in all points of a panel, and what they are there. */
static void list_columns(look *a, ptrdiff_t panel)
{
    const ptrdiff_t first = panel * CRS_TILE_COLUMNS;
    const ptrdiff_t own = fewer_of(a->count - first, CRS_TILE_COLUMNS);
    double *b = a->b + panel * a->cols * CRS_TILE_COLUMNS;
    ptrdiff_t met = 0;
    for (ptrdiff_t j = 0; j < a->cols; j++) {
        bool any = false;
        for (ptrdiff_t m = 0; m < CRS_TILE_COLUMNS; m++) {
            b[m] = m < own ? crs_reread_point(a, j, first + m) : 0;
            any = any || b[m] != 0;
        }
        if (!any) continue;
        a->list[panel * a->cols + met++] = j;
        b += CRS_TILE_COLUMNS;
    }
    a->listed[panel] = met;
}

static void begin_points(look *a)
{
    ptrdiff_t most = BLOCK;
    for (ptrdiff_t k = 0; k < a->panels; k++) {
        list_columns(a, k);
        if (a->listed[k] > most) most = a->listed[k];
    }
    a->off = (real)(CHUNK + most / CHUNK + 64) * (DBL_EPSILON / 2);
    for (ptrdiff_t m = 0; m < a->count; m++) {
        real far = 0;
        for (ptrdiff_t j = 0; j < a->cols; j++) {
            const real b = crs_reread_point(a, j, m);
            if (b != 0) far += b * b;
        }
        a->norm[m] = upward(sqrtl(far));
        a->loss[m] = a->slope[m] = a->curve[m] = 0;
    }
    for (ptrdiff_t j = 0; j < a->cols * a->wide; j++) a->g[j] = 0;
    for (ptrdiff_t j = 0; j < a->cols; j++) a->sum[j] = 0;
    a->squares = 0;
}

/* The bound of what a column of z is multiplied by, at point m */
static real reach_of(const look *a, ptrdiff_t m)
{
    real sum = 0, wide = 0;
    for (ptrdiff_t j = 0; j < a->cols; j++) {
        const real b = crs_reread_point(a, j, m);
        if (b == 0) continue;
        sum += fabsl(b) * a->wideness[j];
        wide += a->wideness[j] * a->wideness[j];
    }
    const real product = a->norm[m] * sqrtl(wide);
    return product < sum ? product : sum;
}

/* Means over the rows, and roots of means */
static void end_points(look *a)
{
    const real rows = (real)a->d.c->n, share = 1 / rows;
    real wide = 0;
    for (ptrdiff_t j = 0; j < a->cols; j++) {
        a->square[j] = a->sum[j] / rows;
        a->wideness[j] =
            1.25L * sqrtl(a->square[j]) + fabsl((real)a->center[j] * a->factor[j]) / 16 + LEAST;
        wide += a->wideness[j] * a->wideness[j];
    }
    a->widest = sqrtl(wide);
    for (ptrdiff_t m = 0; m < a->count; m++) {
        a->loss[m] /= rows, a->curve[m] /= rows;
        a->slope[m] = sqrtl(a->slope[m] / rows) + LEAST;
        a->reach[m] = reach_of(a, m) + sqrtl(a->squares / rows) + LEAST;
    }
    for (ptrdiff_t j = 0; j < a->cols * a->wide; j++) a->g[j] *= share;
    for (ptrdiff_t j = 0; a->gram && j < a->cols * a->cols; j++) a->hess[j] /= rows;
    a->gram = false; /* once is enough */
}

bool crs_reread_points(look *a, crease_error *e)
{
    begin_points(a);
    if (!read_all(a, look_at_points, e)) return false;
    end_points(a);
    return true;
}

/* What an image may be off, over reach */
static real fine_of(const look *a) { return a->exact ? 4 * DBL_EPSILON : a->off; }

real crs_reread_doubt(const look *a, ptrdiff_t j, ptrdiff_t m)
{
    const real wideness = j < 0 ? a->widest : a->wideness[j];
    return wideness * (a->off * a->slope[m] + fine_of(a) * a->reach[m]);
}

real crs_reread_blur(const look *a, ptrdiff_t m)
{
    const real off = fine_of(a) * a->reach[m], own = (BLOCK + 64) * (DBL_EPSILON / 2);
    return off * (a->slope[m] + off) + own * a->loss[m];
}
