/* SPDX-License-Identifier: MIT
 * rows: the first two looks at rows, what can be wrong with them, and a design of p x p numbers
 *
 * The first look finds means and ranges; the second sums of squares and products about the means,
 * from which follow every model's own means, its spreads and its Gram matrix, whatever rows it
 * leaves out. */
#include "regress/rows.h"
#include "core/parallel.h"

enum { SAMPLE = 1 << 18 }; /* rows that the scale of a loss is taken from */

static void carve(void *self, crs_carver *c)
{
    crs_rows *r = self;
    const ptrdiff_t p = r->layout.p;
    r->facts.mean = carve_doubles(c, p, 1);
    r->facts.low = carve_doubles(c, p, 1);
    r->facts.high = carve_doubles(c, p, 1);
    r->facts.unit = carve_doubles(c, p, 1);
    r->center = carve_doubles(c, p + 1, 1);
    r->unit = carve_doubles(c, p + 1, 1);
}

static ptrdiff_t groups_of(const crs_rows *r)
{
    return r->share.folds > 0 ? r->share.folds + 1 : 1;
}

void crs_rows_close(crs_rows *r)
{
    if (!r) return;
    crs_free(r->memory);
    crs_free(r->sums);
    crs_free(r);
}

static bool check_columns(const crs_source *source, const crease_regression_rows *c,
                          crease_error *e)
{
    const crease_space *s = &source->cut.shape;
    const ptrdiff_t width = c->p + 1 + c->weighted + c->folded;
    if (s->order != 2 || c->p < 1 || s->dim[1] != width || s->dim[0] < 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "the source has %td rows of %td numbers; give at least 2, of %td columns "
                        "of X, y%s%s",
                        s->dim[0], s->order == 2 ? s->dim[1] : 0, c->p,
                        c->weighted ? ", a weight" : "", c->folded ? ", a fold" : "");
    if (c->p > CRS_ROWS_COLUMNS)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "X has %td columns, and rows in slabs are for at most %d, whose squares "
                        "and products fit into memory; leave columns out, or have X in memory",
                        c->p, CRS_ROWS_COLUMNS);
    if (!c->folded && (c->folds < 0 || c->folds == 1 || c->folds > s->dim[0]))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%d folds of %td rows; give a number of folds from 2 to %td", c->folds,
                        s->dim[0], s->dim[0]);
    return true;
}

/* One entry of the source, and its row */
static bool refuse_entry(const crs_rows *r, bool labels, crease_error *e)
{
    const crs_layout *l = &r->layout;
    const ptrdiff_t i = r->facts.bad / l->width, j = r->facts.bad % l->width;
    double x;
    if (!crs_source_entries(r->source, 1, &r->facts.bad, &x, NULL, e)) return false;
    const char *instead =
        isfinite(x) ? "rescale the column" : "give finite numbers, or leave the row out";
    if (j < l->p)
        return crs_fail(e, CREASE_BAD_DATA, "row %td, column %td of X is %g; %s", i + 1, j + 1, x,
                        instead);
    if (j == l->p && labels && isfinite(x))
        return crs_fail(e, CREASE_BAD_DATA,
                        "entry %td of y is %g; logistic regression takes labels 0 and 1, or -1 "
                        "and 1",
                        i + 1, x);
    if (j == l->p)
        return crs_fail(e, CREASE_BAD_DATA, "entry %td of y is %g; %s", i + 1, x,
                        isfinite(x) ? "rescale y" : instead);
    if (l->weighted && j == l->p + 1)
        return crs_fail(e, CREASE_BAD_DATA, "the weight of row %td is %g; give finite numbers >= 0",
                        i + 1, x);
    return crs_fail(e, CREASE_BAD_DATA,
                    "the fold of row %td is %g; number the folds 0, 1, 2, ..., and -1 the rows "
                    "that are never left out",
                    i + 1, x);
}

static bool check_labels(const crs_rows_facts *f, crease_error *e)
{
    if (f->zeros > 0 && f->minuses > 0)
        return crs_fail(e, CREASE_BAD_DATA,
                        "y has labels 0 and -1; logistic regression takes labels 0 and 1, or -1 "
                        "and 1");
    return (f->ones > 0 && f->ones < f->some) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "every entry of y with a weight is %s; logistic regression needs both classes",
                    f->ones > 0      ? "1"
                    : f->minuses > 0 ? "-1"
                                     : "0");
}

static bool check_facts(const crs_rows *r, const crease_regression_settings *s, crease_error *e)
{
    const crs_rows_facts *f = &r->facts;
    const bool labels = s->loss == CREASE_REGRESSION_LOGISTIC;
    if (f->bad >= 0) return refuse_entry(r, labels, e);
    if (f->some < 2)
        return crs_fail(e, CREASE_BAD_DATA, "%td row%s a positive weight; at least 2 must have one",
                        f->some, f->some == 1 ? " has" : "s have");
    if (labels) return check_labels(f, e);
    return f->y_most == 0 || f->y_most >= 1e-140 ||
           crs_fail(e, CREASE_BAD_DATA,
                    "the largest entry of y is %g, and the square of such a number is smaller than "
                    "a double can hold; rescale y",
                    f->y_most);
}

static bool survey(crs_rows *r, const crease_regression_settings *s, crease_error *e)
{
    const crs_rows_survey a = { .layout = r->layout,
                                .labels = s->loss == CREASE_REGRESSION_LOGISTIC };
    crs_look l;
    crs_watch_say(s->watch, "means of the columns");
    if (!crs_look_once(&l, r->source, &crs_rows_survey_job, &a, r->threads, s->watch, e))
        return false;
    crs_rows_read_facts(&l, &r->layout, &r->facts);
    crs_look_close(&l);
    return !crease_watch_over(s->watch) || crs_cut(e, "looking at the rows");
}

static bool add_products(crs_rows *r, const crease_regression_settings *s, crease_error *e)
{
    const crs_layout *l = &r->layout;
    const crs_rows_facts *f = &r->facts;
    const double y = f->y_most;
    crs_look look;
    for (ptrdiff_t j = 0; j < l->p; j++) {
        const double most = s->intercept ? 0 : fabs(f->mean[j]);
        r->center[j] = s->intercept ? f->mean[j] : 0;
        r->unit[j] = most > f->unit[j] ? ldexp(1, ilogb(most)) : f->unit[j];
    }
    r->center[l->p] = s->intercept ? f->y_mean : 0;
    r->unit[l->p] = y > 0 ? ldexp(1, ilogb(y)) : 1;
    const crs_rows_gram a = { .layout = *l,
                              .share = r->share,
                              .center = r->center,
                              .unit = r->unit,
                              .v_most = l->weighted ? f->v_most : 1 };
    crs_watch_say(s->watch, "products of the columns");
    if (!crs_look_once(&look, r->source, &crs_rows_gram_job, &a, r->threads, s->watch, e))
        return false;
    crs_total_read(&look.sums, 0, 0, groups_of(r) * packed(l->p + 2), r->sums);
    crs_look_close(&look);
    return !crease_watch_over(s->watch) || crs_cut(e, "looking at the rows");
}

/* Has every fold a row that counts? */
static bool check_folds(const crs_rows *r, crease_error *e)
{
    const ptrdiff_t q = r->layout.p + 2;
    for (int f = 0; f < r->share.folds; f++)
        if (!(r->sums[f * packed(q) + at_packed(q - 1, q - 1)] > 0))
            return crs_fail(e, CREASE_BAD_DATA,
                            "no row with a weight is of fold %d; number the folds 0, 1, 2, ... "
                            "without a gap, or take fewer",
                            f);
    return true;
}

static bool look(crs_rows *r, const crease_regression_rows *columns,
                 const crease_regression_settings *s, crease_error *e)
{
    if (!survey(r, s, e) || !check_facts(r, s, e)) return false;
    if (columns->folded) r->share.folds = (int)r->facts.folds;
    if (columns->folded && r->share.folds == 0)
        return crs_fail(e, CREASE_BAD_DATA,
                        "the fold of every row is -1, never left out; number some 0, 1, 2, ...");
    r->sums = crs_doubles(groups_of(r) * packed(r->layout.p + 2), "sums of products", e);
    return r->sums && add_products(r, s, e) && check_folds(r, e);
}

static crs_rows *open_rows(crs_source *source, const crease_regression_rows *columns,
                           const crease_regression_settings *s, crease_error *e)
{
    const crease_space *shape = &source->cut.shape;
    if (!check_columns(source, columns, e)) return NULL;
    crs_rows *r = crs_alloc(1, sizeof *r);
    if (!r) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a regression on rows"), NULL;
    *r = (crs_rows){ .source = source, .threads = s->threads };
    r->layout = (crs_layout){ shape->dim[0], columns->p, shape->dim[1], columns->weighted,
                              columns->folded };
    r->share = (crs_share){ columns->folded ? 0 : columns->folds, -1, 0, columns->seed };
    r->memory = carve_block(carve, r);
    if (!r->memory)
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the facts of %td columns", columns->p);
    if (r->memory && look(r, columns, s, e)) return r;
    crs_rows_close(r);
    return NULL;
}

/* Sums of the rows of a share, from those of all groups. */
static void select_sums(const crs_rows *r, const crs_share *s, double *out)
{
    const ptrdiff_t size = packed(r->layout.p + 2);
    fill(size, 0, out);
    for (ptrdiff_t g = 0; g < groups_of(r); g++)
        if (s->out < 0 || (g == s->out) == (s->only != 0)) axpy(size, 1, r->sums + g * size, out);
}

/* Means over the share, and squares and products about them, in place: over the weight. */
static void center_sums(ptrdiff_t p, bool intercept, double *a, double *mean)
{
    const ptrdiff_t one = p + 1;
    const double weight = a[at_packed(one, one)];
    for (ptrdiff_t j = 0; j <= p; j++) mean[j] = intercept ? a[at_packed(one, j)] / weight : 0;
    for (ptrdiff_t i = 0; i <= p; i++)
        for (ptrdiff_t j = 0; j <= i; j++) {
            const double t = a[at_packed(i, j)] / weight;
            const bool flat = i == j && t - mean[i] * mean[i] <= 1e-13 * t;
            a[at_packed(i, j)] = flat ? 0 : t - mean[i] * mean[j];
        }
}

/* Centre, spread and factor of the columns of X. */
static void set_columns(crease_regression *m, const double *a, const double *mean)
{
    const crs_rows_fit *f = m->on;
    const crs_rows *r = f->data;
    crs_design *d = &m->d;
    for (ptrdiff_t j = 0; j < d->p; j++) {
        const bool same = m->s.intercept && r->facts.low[j] == r->facts.high[j];
        const double size = same ? 0 : sqrt(a[at_packed(j, j)]);
        d->center[j] = r->center[j] + (same ? 0 : mean[j] * r->unit[j]);
        d->spread[j] = m->s.standardize && size > 0 ? size * r->unit[j] : 1;
        f->factor[j] = size > 0 ? 1 / d->spread[j] / d->c : 0;
    }
    d->y_center =
        d->loss->quadratic && m->s.intercept ? r->center[d->p] + mean[d->p] * r->unit[d->p] : 0;
}

bool crs_rows_columns(crease_regression *m, crease_error *e)
{
    crs_rows_fit *f = m->on;
    const crs_rows *r = f->data;
    const crs_design *d = &m->d;
    const ptrdiff_t p = d->p, cols = d->cols;
    double *a = crs_doubles(packed(p + 2), "sums of products", e);
    double *mean = crs_doubles(p + 1, "means", e);
    if (a && mean) {
        select_sums(r, &f->share, a);
        f->weight = a[at_packed(p + 1, p + 1)];
        center_sums(p, m->s.intercept, a, mean);
        set_columns(m, a, mean);
        const double y = r->unit[p] / d->c;
        for (ptrdiff_t i = 0; i < p; i++) {
            const double by = f->factor[i] * r->unit[i];
            for (ptrdiff_t j = 0; j < p; j++)
                f->gram[i * cols + j] = a[at_packed(i, j)] * by * f->factor[j] * r->unit[j];
            f->linear[i] = a[at_packed(p, i)] * by * y;
        }
        f->yy = a[at_packed(p, p)] * y * y;
        const double middle = d->loss->quadratic ? 0 : (r->center[p] + mean[p] * r->unit[p]) / d->c;
        f->far = d->loss->ops.labels ? 0 : f->yy + square(middle);
        for (ptrdiff_t j = 0; j < cols && cols > p; j++)
            f->gram[p * cols + j] = f->gram[j * cols + p] = j == p ? square(d->one / d->c) : 0;
    }
    crs_free(a);
    crs_free(mean);
    return a && mean;
}

/* The scale of a robust loss from up to SAMPLE rows, evenly spread. */
static bool sample_scale(const crs_rows *r, crease_regression_settings *s, crease_error *e)
{
    const crs_layout *l = &r->layout;
    const ptrdiff_t count = fewer(l->n, SAMPLE), each = 1 + l->weighted;
    ptrdiff_t *place = crs_alloc((size_t)(count * each), sizeof *place);
    double *value = crs_doubles(count * (each + 2), "a sample of y", e);
    double *y = value + count * each, *v = y + count;
    bool done = place && value;
    for (ptrdiff_t k = 0; done && k < count * each; k++) {
        const ptrdiff_t apart = l->n / count, i = k / each;
        place[k] = i * apart * l->width + l->p + k % each;
    }
    if (!place) crs_fail(e, CREASE_NO_MEMORY, "out of memory: a sample of y");
    done = done && crs_source_entries(r->source, count * each, place, value, NULL, e);
    for (ptrdiff_t k = 0; done && k < count; k++) {
        y[k] = value[k * each];
        v[k] = l->weighted ? value[k * each + 1] : 1;
    }
    s->row_weight = l->weighted ? v : NULL;
    done = done && crs_loss_scale(s, count, y, &s->loss_scale, e);
    s->row_weight = NULL;
    crs_free(place);
    crs_free(value);
    return done;
}

/* Is c given, or is there none? */
static bool is_scaled(const crease_regression_settings *s)
{
    static const double scale[] = {
#define X(id, text, meaning, loss, scale) scale,
        CREASE_REGRESSION_LOSSES(X)
#undef X
    };
    return s->loss_scale > 0 || scale[s->loss] == 0;
}

static bool take_columns(crease_regression_rows *own, const crease_regression_rows *given,
                         crease_error *e)
{
    *own = (crease_regression_rows){ .p = 0 };
    return crs_settings_take("rows", own, sizeof *own, given, e);
}

crease_regression *crease_regression_new_on(const crease_regression_settings *s,
                                            const crease_regression_rows *columns,
                                            crease_source *rows, crease_error *e)
{
    crease_regression_settings own = crease_regression_default();
    crease_regression_rows of;
    if (!crs_settings_take("regression", &own, sizeof own, s, e) || !take_columns(&of, columns, e))
        return NULL;
    if (own.row_weight)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the weights of rows in slabs are a column of the source; leave row_weight "
                        "NULL"),
               NULL;
    if (!own.penalty.ops) own.penalty = crease_l1(1);
    const ptrdiff_t n = crease_source_shape(rows)->dim[0];
    if (!crs_regression_check_settings(&own, n, of.p, e)) return NULL;
    crs_rows *data = open_rows(rows->slabs, &of, &own, e);
    if (!data) return NULL;
    const crs_share all = data->share;
    crease_regression *m = NULL;
    if (is_scaled(&own) || sample_scale(data, &own, e)) m = crs_rows_make(data, &all, &own, e);
    if (!m) return crs_rows_close(data), NULL;
    m->on->owner = true;
    return m;
}

double crease_regression_bytes_on(const crease_regression_rows *columns, ptrdiff_t path,
                                  int threads)
{
    const double p = (double)columns->p + 2, matrix = p * p;
    const double groups = columns->folds > 0 ? columns->folds + 1 : 1;
    const double workers = threads > 0 ? threads : crs_threads();
    const double looks = groups * workers * (128 * p + 1 * matrix + 1.5 * matrix);
    return 8 * (looks + groups * matrix / 2 + 14 * matrix + (double)path * 8 * p) + 0x1p20;
}
