/* SPDX-License-Identifier: MIT
 * rows_jobs: what slabs of rows add up to: means and ranges of the columns and the first entry that
 * is of no use; squares and products of all columns, fold by fold; value, gradient and Hessian of
 * the loss
 *
 * A slab goes through matrices of a few rows. Its own sums are those of BLAS on one thread, in the
 * order of its rows, and are added to the totals once. */
#include <crease/random.h>

#include "regress/rows.h"

enum { BLOCK = 128 }; /* rows of a small matrix */
static const double LARGEST = 1e140;

static void visit_layout(crs_visitor *v, crs_layout *l)
{
    crs_visit(v, l->n);
    crs_visit(v, l->p);
    crs_visit(v, l->width);
    crs_visit(v, l->weighted);
    crs_visit(v, l->folded);
}

static void visit_share(crs_visitor *v, crs_share *s)
{
    crs_visit(v, s->folds);
    crs_visit(v, s->out);
    crs_visit(v, s->only);
    crs_visit(v, s->seed);
}

static int fold_of(const crs_layout *l, const crs_share *s, ptrdiff_t i, const double *row)
{
    if (s->folds == 0) return -1;
    if (l->folded) return (int)row[l->width - 1];
    return (int)(crease_random_bits((crease_random){ s->seed, 0 }, (uint64_t)i) %
                 (uint64_t)s->folds);
}

static double weight_of(const crs_layout *l, const double *row)
{
    return l->weighted ? row[l->p + 1] : 1;
}

/* Does row i count? */
static bool counts(const crs_layout *l, const crs_share *s, ptrdiff_t i, const double *row)
{
    if (!(weight_of(l, row) > 0)) return false;
    return s->out < 0 || (fold_of(l, s, i, row) == s->out) == (s->only != 0);
}

/* Memory of workers: so many doubles each. */
typedef struct {
    ptrdiff_t each;
    double *memory;
} room;

static void *open_room(ptrdiff_t each, int workers, crease_error *e)
{
    ptrdiff_t all;
    room *r = crs_mul_size(each, workers, &all) ? crs_alloc(1, sizeof *r) : NULL;
    double *memory = r ? crs_doubles(all, "sums over rows", e) : NULL;
    if (!memory) {
        crs_free(r);
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: sums over rows"), NULL;
    }
    *r = (room){ each, memory };
    return r;
}

static void close_room(void *of)
{
    room *r = of;
    crs_free(r->memory);
    crs_free(r);
}

static double *room_of(void *of, int worker)
{
    const room *r = of;
    double *own = r->memory + worker * r->each;
    fill(r->each, 0, own);
    return own;
}

/* ---- survey ---- */

enum { SUMS, WITHIN, RANGES, BAD, LABELS, SIZES };
enum { SOME, ONES, ZEROS, MINUSES };

static void visit_survey(crs_visitor *v, void *args)
{
    crs_rows_survey *a = args;
    visit_layout(v, &a->layout);
    crs_visit(v, a->labels);
}

static void plan_survey(const void *args, const crease_space *shape, crs_total *sums)
{
    const crs_rows_survey *a = args;
    (void)shape;
    crs_total_plan(sums, CRS_SUM, a->layout.p + 2);
    crs_total_plan(sums, CRS_SUM, a->layout.p);
    crs_total_plan(sums, CRS_MOST, 4 * a->layout.p);
    crs_total_plan(sums, CRS_MOST, 1);
    crs_total_plan(sums, CRS_COUNT, 4);
    crs_total_plan(sums, CRS_MOST, 3);
}

static void *open_survey(const void *args, const crs_partition *cut, int workers, int threads,
                         crease_error *e)
{
    const crs_rows_survey *a = args;
    (void)cut, (void)threads;
    return open_room(4 * a->layout.p + 2, workers, e);
}

/* The column of the first entry of a row that is of no use; -1: none. */
static ptrdiff_t bad_column(const crs_rows_survey *a, const double *row)
{
    const crs_layout *l = &a->layout;
    const double y = row[l->p], fold = row[l->width - 1];
    for (ptrdiff_t j = 0; j < l->width; j++)
        if (!(fabs(row[j]) <= LARGEST)) return j;
    if (a->labels && !(y == 1 || y == 0 || y == -1)) return l->p;
    if (l->weighted && !(row[l->p + 1] >= 0)) return l->p + 1;
    return l->folded && !(fold >= -1 && fold < 1e6 && fold == floor(fold)) ? l->width - 1 : -1;
}

/* Sums, least and largest of columns over the rows that count. */
typedef struct {
    double *sum, *low, *high, *square;
    int64_t label[4], size[3], bad;
} surveyed;

static void survey_row(const crs_layout *l, const double *row, surveyed *s)
{
    const double v = weight_of(l, row), y = row[l->p];
    s->size[0] = crs_ordered(larger(crs_unordered(s->size[0]), fabs(y)));
    s->size[1] = crs_ordered(larger(crs_unordered(s->size[1]), v));
    if (l->folded && row[l->width - 1] + 1 > (double)s->size[2])
        s->size[2] = (int64_t)row[l->width - 1] + 1;
    s->label[MINUSES] += y == -1;
    s->label[ZEROS] += y == 0;
    if (!(v > 0)) return;
    const bool first = s->label[SOME]++ == 0;
    s->label[ONES] += y == 1;
    for (ptrdiff_t j = 0; j < l->p; j++) {
        s->sum[j] += v * row[j];
        s->low[j] = first || row[j] < s->low[j] ? row[j] : s->low[j];
        s->high[j] = first || row[j] > s->high[j] ? row[j] : s->high[j];
    }
    s->sum[l->p] += v * y;
    s->sum[l->p + 1] += v;
}

/* Ends of a range as whole numbers whose largest is wanted; 0: there is none. */
static void add_ranges(const crs_layout *l, const surveyed *s, crs_total *sums)
{
    for (ptrdiff_t j = 0; j < l->p && s->label[SOME] > 0; j++) {
        const int64_t low = crs_ordered(fabs(s->low[j])), high = crs_ordered(fabs(s->high[j]));
        const int64_t key[4] = { s->high[j] >= 0 ? high + 1 : 0,
                                 s->high[j] >= 0 ? 0 : INT64_MAX - high,
                                 s->low[j] < 0 ? low + 1 : 0, s->low[j] < 0 ? 0 : INT64_MAX - low };
        crs_total_count(sums, RANGES, 4 * j, 4, key);
    }
}

static void add_squares(const crs_layout *l, const crs_slab *slab, const surveyed *s)
{
    const double all = s->sum[l->p + 1];
    for (ptrdiff_t i = 0; i < slab->shape.dim[0] && all > 0; i++) {
        const double *row = slab->t + i * l->width, v = weight_of(l, row);
        if (!(v > 0)) continue;
        for (ptrdiff_t j = 0; j < l->p; j++) s->square[j] += v * square(row[j] - s->sum[j] / all);
    }
}

static bool add_survey(const void *args, void *of, const crs_slab *slab, int worker,
                       crs_total *sums, crease_error *e)
{
    const crs_rows_survey *a = args;
    const crs_layout *l = &a->layout;
    double *own = room_of(of, worker);
    surveyed s = { own, own + l->p + 2, own + 2 * l->p + 2, own + 3 * l->p + 2, { 0 }, { 0 }, 0 };
    (void)e;
    for (ptrdiff_t i = 0; i < slab->shape.dim[0]; i++) {
        const double *row = slab->t + i * l->width;
        const ptrdiff_t bad = bad_column(a, row);
        if (bad >= 0 && s.bad == 0) s.bad = l->n * l->width - slab->first - i * l->width - bad;
        if (bad < 0) survey_row(l, row, &s);
    }
    add_squares(l, slab, &s);
    add_ranges(l, &s, sums);
    crs_total_add(sums, SUMS, 0, l->p + 2, s.sum);
    crs_total_add(sums, WITHIN, 0, l->p, s.square);
    crs_total_count(sums, BAD, 0, 1, &s.bad);
    crs_total_count(sums, LABELS, 0, 4, s.label);
    crs_total_count(sums, SIZES, 0, 3, s.size);
    return true;
}

const crs_job crs_rows_survey_job = { .name = "rows-survey",
                                      .size = sizeof(crs_rows_survey),
                                      .visit = visit_survey,
                                      .plan = plan_survey,
                                      .open = open_survey,
                                      .close = close_room,
                                      .add = add_survey };

static double high_of(const int64_t key[4])
{
    return key[0] > 0 ? crs_unordered(key[0] - 1) : -crs_unordered(INT64_MAX - key[1]);
}

static double low_of(const int64_t key[4])
{
    return key[2] > 0 ? -crs_unordered(key[2] - 1) : crs_unordered(INT64_MAX - key[3]);
}

void crs_rows_read_facts(const crs_look *look, const crs_layout *l, crs_rows_facts *f)
{
    const crs_total *t = &look->sums;
    const int64_t *label = t->array[LABELS].whole, *size = t->array[SIZES].whole;
    const ptrdiff_t rest = (ptrdiff_t)t->array[BAD].whole[0];
    f->bad = rest > 0 ? l->n * l->width - rest : -1;
    f->some = (ptrdiff_t)label[SOME], f->ones = (ptrdiff_t)label[ONES];
    f->zeros = (ptrdiff_t)label[ZEROS], f->minuses = (ptrdiff_t)label[MINUSES];
    f->y_most = crs_unordered(size[0]), f->v_most = crs_unordered(size[1]);
    f->folds = (ptrdiff_t)size[2];
    f->weight = crs_total_at(t, SUMS, l->p + 1);
    f->y_mean = crs_total_at(t, SUMS, l->p) / f->weight;
    for (ptrdiff_t j = 0; j < l->p && f->some > 0; j++) {
        const int64_t *key = t->array[RANGES].whole + 4 * j;
        f->low[j] = low_of(key), f->high[j] = high_of(key);
        f->mean[j] = f->low[j] == f->high[j]
                         ? f->low[j]
                         : clip(crs_total_at(t, SUMS, j) / f->weight, f->low[j], f->high[j]);
        const double range = f->high[j] - f->low[j];
        const double size_of = sqrt(crs_total_at(t, WITHIN, j) / f->weight);
        const double wide = size_of > 0x1p-20 * range ? size_of : 0x1p-10 * range;
        const double most = larger(fabs(f->low[j]), fabs(f->high[j]));
        const double near = range > 0 ? wide : most;
        f->unit[j] = near > 0 ? ldexp(1, ilogb(near)) : 1;
    }
}

/* ---- squares and products ---- */

static void visit_gram(crs_visitor *v, void *args)
{
    crs_rows_gram *a = args;
    visit_layout(v, &a->layout);
    visit_share(v, &a->share);
    crs_visit_array(v, a->center, a->layout.p + 1);
    crs_visit_array(v, a->unit, a->layout.p + 1);
    crs_visit(v, a->v_most);
}

static ptrdiff_t groups_of(const crs_rows_gram *a)
{
    return a->share.folds > 0 ? a->share.folds + 1 : 1;
}

static void plan_gram(const void *args, const crease_space *shape, crs_total *sums)
{
    const crs_rows_gram *a = args;
    (void)shape;
    crs_total_plan(sums, CRS_SUM, groups_of(a) * packed(a->layout.p + 2));
}

/* Of a group: a matrix of a few rows and the sums of a slab. */
static ptrdiff_t group_room(ptrdiff_t q) { return (BLOCK + q) * q; }

static void *open_gram(const void *args, const crs_partition *cut, int workers, int threads,
                       crease_error *e)
{
    const crs_rows_gram *a = args;
    const ptrdiff_t groups = groups_of(a);
    (void)cut, (void)threads;
    return open_room(groups * (group_room(a->layout.p + 2) + 1), workers, e);
}

/* The row as the sums take it, times the root of its weight. */
static void fill_row(const crs_rows_gram *a, const double *row, double *out)
{
    const crs_layout *l = &a->layout;
    const double root = l->weighted ? sqrt(row[l->p + 1] / a->v_most) : 1;
    for (ptrdiff_t j = 0; j <= l->p; j++) out[j] = (row[j] - a->center[j]) / a->unit[j] * root;
    out[l->p + 1] = root;
}

static void put_packed(crs_total *sums, int array, ptrdiff_t at, ptrdiff_t n, const double *g)
{
    for (ptrdiff_t i = 0; i < n; i++) crs_total_add(sums, array, at + packed(i), i + 1, g + i * n);
}

static bool add_gram(const void *args, void *of, const crs_slab *slab, int worker, crs_total *sums,
                     crease_error *e)
{
    const crs_rows_gram *a = args;
    const crs_layout *l = &a->layout;
    const ptrdiff_t q = l->p + 2, groups = groups_of(a);
    double *own = room_of(of, worker), *filled = own + groups * group_room(q);
    (void)e;
    for (ptrdiff_t i = 0; i < slab->shape.dim[0]; i++) {
        const double *row = slab->t + i * l->width;
        const int fold = fold_of(l, &a->share, slab->from[0] + i, row);
        const ptrdiff_t group = fold < 0 ? groups - 1 : fold;
        double *block = own + group * group_room(q);
        if (!(weight_of(l, row) > 0)) continue;
        fill_row(a, row, block + (ptrdiff_t)filled[group]++ * q);
        if (filled[group] < BLOCK) continue;
        crs_gram_grow(BLOCK, q, block, block + BLOCK * q);
        filled[group] = 0;
    }
    for (ptrdiff_t k = 0; k < groups; k++) {
        double *block = own + k * group_room(q);
        if (filled[k] > 0) crs_gram_grow((ptrdiff_t)filled[k], q, block, block + BLOCK * q);
        put_packed(sums, 0, k * packed(q), q, block + BLOCK * q);
    }
    return true;
}

const crs_job crs_rows_gram_job = { .name = "rows-gram",
                                    .size = sizeof(crs_rows_gram),
                                    .visit = visit_gram,
                                    .plan = plan_gram,
                                    .open = open_gram,
                                    .close = close_room,
                                    .add = add_gram };

/* ---- the loss at points ---- */

static void visit_points(crs_visitor *v, void *args)
{
    crs_rows_points *a = args;
    visit_layout(v, &a->layout);
    visit_share(v, &a->share);
    crs_visit(v, a->cols);
    crs_visit(v, a->count);
    crs_visit_array(v, a->center, a->layout.p);
    crs_visit_array(v, a->factor, a->layout.p);
    crs_visit_array(v, a->point, a->cols * a->count);
    crs_visit(v, a->one);
    crs_visit(v, a->y_center);
    crs_visit(v, a->y_factor);
    crs_visit(v, a->v_most);
    crs_visit(v, a->loss);
    crs_visit(v, a->hessian);
}

static void plan_points(const void *args, const crease_space *shape, crs_total *sums)
{
    const crs_rows_points *a = args;
    (void)shape;
    crs_total_plan(sums, CRS_SUM, 1);
    for (int part = CRS_POINTS_VALUE; part < CRS_POINTS_GRADIENT; part++)
        crs_total_plan(sums, CRS_SUM, a->count);
    crs_total_plan(sums, CRS_SUM, a->count * a->cols);
    crs_total_plan(sums, CRS_SUM, a->hessian ? packed(a->cols) : 0);
}

static void *open_points(const void *args, const crs_partition *cut, int workers, int threads,
                         crease_error *e)
{
    const crs_rows_points *a = args;
    const ptrdiff_t rows = 2 * a->cols + 2 * a->count + 2, square = a->cols * a->cols;
    (void)cut, (void)threads;
    return open_room(BLOCK * rows + a->count * (a->cols + 3) + (a->hessian ? 2 * square : 0) + 1,
                     workers, e);
}

/* A few rows at work. */
typedef struct {
    const crs_rows_points *a;
    ptrdiff_t filled;
    double *z, *bent, *e, *s, *y, *v; /* bent: z times the root of v phi'' */
    double *value, *square, *curve, *gradient, *up, *down, weight;
} points;

static points points_in(const crs_rows_points *a, double *own)
{
    points w = { .a = a, .z = own };
    const ptrdiff_t k = a->count, c = a->cols;
    w.bent = w.z + BLOCK * c;
    w.e = w.bent + BLOCK * c;
    w.s = w.e + BLOCK * k;
    w.y = w.s + BLOCK * k;
    w.v = w.y + BLOCK;
    w.value = w.v + BLOCK;
    w.square = w.value + k;
    w.curve = w.square + k;
    w.gradient = w.curve + k;
    w.up = w.gradient + k * c;
    w.down = w.up + (a->hessian ? c * c : 0);
    return w;
}

/* Rows whose phi'' has this sign. */
static void bend(points *w, const crs_loss *loss, double sign, double *to)
{
    static const double one[CREASE_PARS] = { 1 };
    const ptrdiff_t c = w->a->cols;
    ptrdiff_t rows = 0;
    for (ptrdiff_t i = 0; i < w->filled; i++) {
        const double u = loss->ops.labels ? w->y[i] * w->e[i] : w->e[i] - w->y[i];
        const double h = sign * w->v[i] * (loss->quadratic ? 1 : loss->curve(one, u));
        if (!(h > 0)) continue;
        for (ptrdiff_t j = 0; j < c; j++) w->bent[rows * c + j] = sqrt(h) * w->z[i * c + j];
        rows++;
    }
    if (rows > 0) crs_gram_grow(rows, c, w->bent, to);
}

static void flush(points *w)
{
    static const double one[CREASE_PARS] = { 1 };
    const crs_rows_points *a = w->a;
    const crs_loss *loss = crs_regression_loss_at((crease_regression_loss)a->loss);
    const ptrdiff_t k = a->count, c = a->cols, rows = w->filled;
    if (rows == 0) return;
    crs_gemm(false, true, rows, k, c, 1, w->z, a->point, 0, w->e);
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t m = 0; m < k; m++) {
            const double e = w->e[i * k + m], u = loss->ops.labels ? w->y[i] * e : e - w->y[i];
            const double slope = loss->slope(one, u);
            w->value[m] += w->v[i] * loss->value(one, u);
            w->square[m] += w->v[i] * square(slope);
            w->curve[m] += w->v[i] * (loss->quadratic ? 1 : loss->curve(one, u));
            w->s[i * k + m] = w->v[i] * (loss->ops.labels ? w->y[i] * slope : slope);
        }
    crs_gemm(true, false, k, c, rows, 1, w->s, w->z, 1, w->gradient);
    if (a->hessian) bend(w, loss, 1, w->up);
    if (a->hessian && loss->low < 0) bend(w, loss, -1, w->down);
    w->filled = 0;
}

static void take_row(points *w, const crs_loss *loss, const double *row)
{
    const crs_rows_points *a = w->a;
    const ptrdiff_t p = a->layout.p, i = w->filled++;
    double *z = w->z + i * a->cols;
    for (ptrdiff_t j = 0; j < p; j++) z[j] = (row[j] - a->center[j]) * a->factor[j];
    if (a->cols > p) z[p] = a->one;
    w->y[i] = loss->ops.labels ? (row[p] == 1 ? 1 : -1) : (row[p] - a->y_center) * a->y_factor;
    w->v[i] = weight_of(&a->layout, row) / a->v_most;
    w->weight += w->v[i];
    if (w->filled == BLOCK) flush(w);
}

static bool add_points(const void *args, void *of, const crs_slab *slab, int worker,
                       crs_total *sums, crease_error *e)
{
    const crs_rows_points *a = args;
    const crs_layout *l = &a->layout;
    const crs_loss *loss = crs_regression_loss_at((crease_regression_loss)a->loss);
    points w = points_in(a, room_of(of, worker));
    (void)e;
    for (ptrdiff_t i = 0; i < slab->shape.dim[0]; i++) {
        const double *row = slab->t + i * l->width;
        if (counts(l, &a->share, slab->from[0] + i, row)) take_row(&w, loss, row);
    }
    flush(&w);
    crs_total_add(sums, CRS_POINTS_WEIGHT, 0, 1, &w.weight);
    crs_total_add(sums, CRS_POINTS_VALUE, 0, a->count, w.value);
    crs_total_add(sums, CRS_POINTS_SQUARE, 0, a->count, w.square);
    crs_total_add(sums, CRS_POINTS_CURVE, 0, a->count, w.curve);
    crs_total_add(sums, CRS_POINTS_GRADIENT, 0, a->count * a->cols, w.gradient);
    if (!a->hessian) return true;
    axpy(a->cols * a->cols, -1, w.down, w.up);
    put_packed(sums, CRS_POINTS_HESSIAN, 0, a->cols, w.up);
    return true;
}

const crs_job crs_rows_points_job = { .name = "rows-points",
                                      .size = sizeof(crs_rows_points),
                                      .visit = visit_points,
                                      .plan = plan_points,
                                      .open = open_points,
                                      .close = close_room,
                                      .add = add_points };
