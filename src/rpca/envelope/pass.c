/* SPDX-License-Identifier: MIT
 * pass: sum phi and all S_(n) M_n in one pass over T, and what else is known of a point
 *
 * The tensor is left x right, M = V K', V and K the Khatri-Rao products of the modes of the rows
 * and of the columns. A tile of r = T - M stays in cache, becomes s, and is multiplied into
 * y = S K, and with the other tiles of its panel into S'V; these small arrays yield S_(n) M_n.
 * Sums are made band by band and added in the bands' order, whichever thread works on which. */
#include "rpca/envelope/pass.h"
#include "core/parallel.h"

enum { PANEL = 32 }; /* rows that share one computation of Khatri-Rao rows */

static inline bool observed_at(const crs_envelope_piece *s, ptrdiff_t j)
{
    return !s->mask || s->mask[j];
}

static ptrdiff_t stride_of(const crs_envelope_kernel *k, ptrdiff_t rank)
{
    return (rank + k->lanes - 1) / k->lanes * k->lanes;
}

static bool check(const crs_envelope_settings *c, crease_error *e)
{
    if (!crs_cp_check_shape(&c->shape, c->rank, c->threads, e)) return false;
    return (c->alpha_noise > 0 && c->alpha_noise < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "robust CP: alpha_noise is %g; give a finite number > 0", c->alpha_noise);
}

static void carve_workers(crs_envelope_piece *s, crs_carver *m)
{
    const ptrdiff_t rank = s->c.rank, width = s->grid.width;
    s->worker = carve_bytes(m, s->c.threads, sizeof *s->worker);
    for (int k = 0; k < s->c.threads; k++) {
        worker_room w;
        w.panel = carve_doubles(m, PANEL, width);
        w.y = carve_doubles(m, PANEL, stride_of(s->kernel, rank));
        w.rows = carve_doubles(m, PANEL + 1, rank);
        w.histogram = carve_bytes(m, CRS_ENVELOPE_BINS, sizeof *w.histogram);
        if (m->base) s->worker[k] = w;
    }
}

static void carve_own(crs_envelope_piece *s, crs_carver *m)
{
    s->out = carve_bytes(m, 1, sizeof *s->out);
    for (int n = 0; n < s->c.shape.order; n++) {
        s->gradient[n] = carve_doubles(m, s->c.shape.dim[n], s->c.rank);
        s->marginal[n] = carve_doubles(m, s->c.shape.dim[n], 1);
    }
}

static void carve(crs_envelope_piece *s, crs_carver *m)
{
    const crs_cp_grid *g = &s->grid;
    const ptrdiff_t rank = s->c.rank, rows = g->blocks * CRS_TILE_ROWS;
    const ptrdiff_t *dim = s->c.shape.dim;
    s->y = carve_doubles(m, g->left, rank);
    s->wide = carve_doubles(m, g->right, stride_of(s->kernel, rank));
    s->columns = carve_doubles(m, g->chunks * g->width, rank);
    s->collected = carve_doubles(m, g->bands * g->chunks * g->width, rank);
    s->w = carve_doubles(m, g->right, rank);
    s->row_weights = carve_doubles(m, rows, 1);
    s->column_weights = carve_doubles(m, g->bands * g->chunks, g->width);
    s->sums = carve_doubles(m, g->bands, CRS_ENV_SUMS);
    s->fold = carve_doubles(m, more(g->left / dim[0], g->right / dim[g->split]), rank);
    s->gather = carve_doubles(m, 2 * (ptrdiff_t)s->c.threads, rank);
    carve_workers(s, m);
    if (s->several) carve_own(s, m);
}

/* Bands of one slab among several are fewer: their sums are added slab by slab. */
static void set_grid(crs_envelope_piece *s)
{
    enum { BANDS = 8 };
    s->grid = crs_cp_grid_of(&s->c.shape, s->c.rank, s->kernel->block, PANEL);
    if (s->several) s->grid.bands = fewer(s->grid.bands, BANDS);
}

ptrdiff_t crs_envelope_plan(crs_envelope_piece *s, const crs_envelope_settings *c, bool several,
                            crease_error *e)
{
    crs_carver count = { 0 };
    ptrdiff_t bytes;
    if (!check(c, e)) return -1;
    *s = (crs_envelope_piece){ .c = *c,
                               .kernel =
                                   c->kernel ? c->kernel : crs_envelope_kernel_of(c->instructions),
                               .several = several };
    set_grid(s);
    carve(s, &count);
    if (count.used >= 0 && crs_add_size(count.used, CRS_LINE, &bytes)) return bytes;
    crs_fail(e, CREASE_NO_MEMORY, "robust CP: more memory than can be addressed");
    return -1;
}

bool crs_envelope_give_memory(crs_envelope_piece *s, ptrdiff_t bytes, crease_error *e)
{
    s->memory = crs_alloc((size_t)bytes, 1);
    if (!s->memory)
        return crs_fail(e, CREASE_NO_MEMORY, "robust CP: out of memory: %td bytes needed", bytes);
    crs_large_pages(s->memory, (size_t)bytes);
    crs_carver m = carver_of(s->memory);
    carve(s, &m);
    return true;
}

void crs_envelope_look_at(crs_envelope_piece *s, const crs_slab *slab)
{
    bool other = false;
    for (int n = 0; n < slab->shape.order; n++)
        other = other || s->c.shape.dim[n] != slab->shape.dim[n];
    if (other) {
        crs_carver m = carver_of(s->memory);
        s->c.shape = slab->shape;
        set_grid(s);
        carve(s, &m);
    }
    s->T = slab->t;
    s->mask = slab->w;
    s->before = slab->first / s->grid.right;
}

crs_penalty_value crs_envelope_l1(double t, double c)
{
    return (crs_penalty_value){ .rho = &crs_l1, .par = { 1 }, .weight = 2 * c * t };
}

double crs_envelope_threshold(const crs_penalty_value *f, double c)
{
    if (f->rho == &crs_l1) return f->weight * f->par[0] / (2 * c);
    const double t = crs_dead_zone(f, 1 / (2 * c));
    return t < 0x1p-500 ? 0 : t; /* less is underflow, not a zone */
}

/* With alpha = 2c a penalty acts as the plain prox of rho; u^2 rho(y/u) has u times its threshold.
 */
crs_penalty_value crs_envelope_with_threshold(const crs_penalty_value *f, double t, double c)
{
    crs_penalty_value g = *f;
    g.weight = 2 * c;
    const double own = crs_envelope_threshold(&g, c);
    if (own > 0 && own < INFINITY) f->rho->rescale(f->par, t / own, g.par);
    return g;
}

/* MCP and SCAD while their prox is continuous. */
static void take_pieces(crs_envelope_rule *a, const crs_penalty_value *f)
{
    const double t = a->t * f->weight, lambda = f->par[0];
    const double room = f->rho == &crs_mcp    ? f->par[1] - t
                        : f->rho == &crs_scad ? f->par[1] - 1 - t
                                              : 0;
    a->piecewise = a->soft || room > 0;
    a->shoulder = a->end = 0x1p1022;
    if (a->soft || !a->piecewise) return;
    a->shoulder = a->dead + (f->rho == &crs_scad ? lambda : 0);
    a->end = f->par[1] * lambda;
    a->fall = t / room;
}

crs_envelope_rule crs_envelope_rule_of(const crs_penalty_value *f, double alpha_noise)
{
    crs_envelope_rule a = { .c = crs_noise_share(alpha_noise) };
    a.t = 1 / (2 * a.c);
    a.penalty = *f;
    a.soft = f->rho == &crs_l1;
    a.dead = a.soft ? a.t * f->weight * f->par[0] : crs_dead_zone(&a.penalty, a.t);
    take_pieces(&a, f);
    return a;
}

static double prox_of(const crs_envelope_rule *a, double r)
{
    return fabs(r) <= a->dead ? 0 : crs_scalar_prox(&a->penalty, a->t, r);
}

static double value(const crs_envelope_rule *a, double s, double e)
{
    return a->c * square(s) + (e == 0 ? 0 : crs_scalar_value(&a->penalty, e));
}

double crs_envelope_respond(const crs_envelope_rule *a, double r, double *s, double *w)
{
    const double e = prox_of(a, r);
    *s = r - e;
    *w = *s == r ? 1 : *s / r;
    return value(a, *s, e) / (2 * a->c);
}

/* s = r - e; a: what the entry adds to the sums */
static double entry(const crs_envelope_tile *t, double r, double *a)
{
    const double e = prox_of(t->next, r), s = r - e;
    const double judged = t->judge ? prox_of(t->judge, r) : e;
    const double phi = value(t->next, s, e);
    a[CRS_ENV_VALUE_NEXT] += phi;
    a[CRS_ENV_VALUE] += t->judge ? value(t->judge, r - judged, judged) : phi;
    a[CRS_ENV_SQUARES] += square(s);
    a[CRS_ENV_NONZERO] += e != 0;
    return s;
}

void crs_envelope_block(const crs_envelope_tile *t, ptrdiff_t first, int count)
{
    double a[CRS_ENV_SUMS] = { 0 };
    for (ptrdiff_t i = 0; i < t->rows; i++) {
        double row = 0;
        for (ptrdiff_t j = first; j < first + count; j++) {
            double *at = t->r + i * t->width + j;
            const double r = *at;
            if (t->mask && !t->mask[i * t->stride + j]) continue;
            *at = entry(t, r, a);
            const double w = *at == r ? 1 : *at / r;
            row += w;
            t->column[j] += w;
        }
        t->row[i] += row;
    }
    for (int k = 0; k < CRS_ENV_SUMS; k++) t->sums[k] += a[k];
}

static ptrdiff_t padded(const crs_envelope_piece *s)
{
    return s->grid.chunks * s->k.rank * s->grid.width;
}

/* Rows of the Khatri-Rao product of the rows' modes: those of all but the last, which seldom
 * change, times the last's. */
static void row_products(const crs_envelope_piece *s, ptrdiff_t row, ptrdiff_t count, double *to)
{
    const int last = s->grid.split - 1;
    const ptrdiff_t rank = s->k.rank, dim = s->c.shape.dim[last], end = row + count;
    double *left = to + PANEL * rank;
    for (ptrdiff_t i = row % dim; row < end; i = 0) {
        crs_khatri_rao(&s->k, (crs_modes){ 0, last, -1 }, row / dim, 1, left);
        for (; i < dim && row < end; i++, row++, to += rank) {
            const double *x = s->k.factor[last] + i * rank;
            for (ptrdiff_t r = 0; r < rank; r++) to[r] = left[r] * x[r];
        }
    }
}

/* The fractional part of row (sqrt(5) - 1)/2, times 2^32: spread evenly in any range of rows. */
static uint32_t place(ptrdiff_t row) { return (uint32_t)row * 0x9e3779b9u; }

/* What the pass over one band needs. */
typedef struct {
    crs_envelope_piece *s;
    const worker_room *w;
    double *collected, *column_weights;
    crs_envelope_tile tile;
} band_pass;

/* The tile of four rows from first + i on, at column `column`. */
static void place_tile(band_pass *p, ptrdiff_t first, ptrdiff_t i, ptrdiff_t column)
{
    const crs_envelope_piece *s = p->s;
    const crs_cp_grid *g = &s->grid;
    crs_envelope_tile *t = &p->tile;
    const ptrdiff_t row = first + i, at = row * g->right + column;
    t->rows = fewer(CRS_TILE_ROWS, g->left - row);
    t->columns = fewer(g->width, g->right - column);
    t->ahead = row + CRS_TILE_ROWS < g->left ? CRS_TILE_ROWS * g->right : 0;
    t->r = p->w->panel + i * g->width;
    t->row = s->row_weights + row;
    t->column = p->column_weights + column;
    t->t = s->T + at;
    if (s->mask) t->mask = s->mask + at;
    for (int k = 0; k < CRS_TILE_ROWS; k++)
        t->counted[k] = place(s->before + row + k) <= s->counted;
}

/* s in the panel, and its shares of y and S'V */
static void pass_panel(band_pass *p, ptrdiff_t row, ptrdiff_t count)
{
    crs_envelope_piece *s = p->s;
    const worker_room *w = p->w;
    const ptrdiff_t rank = s->k.rank, width = s->grid.width, stride = s->stride;
    row_products(s, row, count, w->rows);
    if (s->rows_wanted) fill(PANEL * stride, 0, w->y);
    fill(count, 0, s->row_weights + row);
    for (ptrdiff_t j = 0; j < s->grid.right; j += width) {
        for (ptrdiff_t i = 0; i < count; i += CRS_TILE_ROWS) {
            place_tile(p, row, i, j);
            s->kernel->low_rank(rank, w->rows + i * rank, s->columns + j * rank, &p->tile);
            s->kernel->envelope(&p->tile);
            if (s->rows_wanted)
                s->kernel->multiply(stride, s->wide + j * stride, &p->tile, w->y + i * stride);
        }
        if (s->columns_wanted)
            s->kernel->collect(count, rank, p->tile.columns, width, w->rows, w->panel,
                               p->collected + j * rank);
    }
    for (ptrdiff_t i = 0; s->rows_wanted && i < count; i++)
        for (ptrdiff_t r = 0; r < rank; r++) s->y[(row + i) * rank + r] = w->y[i * stride + r];
}

static void pass_band(void *self, ptrdiff_t band, int worker)
{
    crs_envelope_piece *s = self;
    const crs_cp_grid *g = &s->grid;
    const ptrdiff_t columns = g->chunks * g->width;
    double sums[CRS_ENV_SUMS] = { 0 };
    ptrdiff_t loud = 0;
    band_pass p = { .s = s, .w = s->worker + worker };
    ptrdiff_t row, end;
    p.tile = (crs_envelope_tile){ .stride = g->right, .width = g->width, .next = &s->next };
    p.tile.sums = sums;
    p.tile.loud = &loud;
    p.tile.histogram = p.w->histogram;
    p.tile.unit = 1 / s->unit;
    if (!s->same) p.tile.judge = &s->judge;
    p.column_weights = s->column_weights + band * columns;
    p.collected = s->collected + band * padded(s);
    fill(columns, 0, p.column_weights);
    if (s->columns_wanted) fill(padded(s), 0, p.collected);
    for (crs_cp_band(g, band, &row, &end); row < end; row += PANEL)
        pass_panel(&p, row, fewer(PANEL, end - row));
    copy(CRS_ENV_SUMS, sums, s->sums + band * CRS_ENV_SUMS);
}

static void set_point(crs_envelope_piece *s, ptrdiff_t rank, const double *const *factor)
{
    const ptrdiff_t width = s->grid.width, right = s->grid.right;
    s->k = (crs_kruskal){ .shape = s->c.shape, .rank = rank };
    for (int n = 0; n < s->c.shape.order; n++) s->k.factor[n] = factor[n];
    crs_khatri_rao(&s->k, (crs_modes){ s->grid.split, s->c.shape.order, -1 }, 0, right, s->w);
    s->stride = stride_of(s->kernel, rank);
    for (ptrdiff_t j = 0; j < right; j++)
        for (ptrdiff_t r = 0; r < s->stride; r++)
            s->wide[j * s->stride + r] = r < rank ? s->w[j * rank + r] : 0;
    for (ptrdiff_t j = 0; j < s->grid.chunks * width; j++)
        for (ptrdiff_t r = 0; r < rank; r++)
            s->columns[(j / width * rank + r) * width + j % width] =
                j < right ? s->w[j * rank + r] : 0;
}

/* marginal (I_n) = the sums of x over the modes from .. to-1 but n */
static void marginal(const crease_space *shape, int from, int to, int n, const double *x,
                     double *out)
{
    ptrdiff_t before = 1, after = 1;
    const ptrdiff_t dim = shape->dim[n];
    for (int j = from; j < n; j++) before *= shape->dim[j];
    for (int j = n + 1; j < to; j++) after *= shape->dim[j];
    fill(dim, 0, out);
    for (ptrdiff_t l = 0; l < before; l++)
        for (ptrdiff_t i = 0; i < dim; i++)
            for (ptrdiff_t k = 0; k < after; k++) out[i] += x[(l * dim + i) * after + k];
}

/* w = the collected sums, their rows side by side */
static void lay_out(const crs_envelope_piece *s)
{
    const ptrdiff_t rank = s->k.rank, width = s->grid.width;
    for (ptrdiff_t j = 0; j < s->grid.right; j++)
        for (ptrdiff_t r = 0; r < rank; r++)
            s->w[j * rank + r] = s->collected[(j / width * rank + r) * width + j % width];
}

static void fold_modes(crs_envelope_piece *s, crs_envelope_sums *out)
{
    const int order = s->c.shape.order, split = s->grid.split;
    crs_cp_gathering g = { .weigh = s->kernel->weigh, .k = s->k, .threads = s->c.threads };
    g.fold = s->fold;
    g.work = s->gather;
    if (s->columns_wanted) lay_out(s);
    for (int n = 0; n < order; n++) {
        const bool row = n < split;
        g.from = row ? 0 : split;
        g.to = row ? split : order;
        g.table = row ? s->y : s->w;
        if (out->gradient[n]) crs_cp_gather(&g, n, out->gradient[n]);
        if (out->marginal[n])
            marginal(&s->c.shape, g.from, g.to, n, row ? s->row_weights : s->column_weights,
                     out->marginal[n]);
    }
}

/* The bands' arrays of `size` added up into the first. */
static void add_bands(ptrdiff_t bands, ptrdiff_t size, double *x)
{
    for (ptrdiff_t band = 1; band < bands; band++) axpy(size, 1, x + band * size, x);
}

static void add_histograms(const crs_envelope_piece *s, ptrdiff_t *to)
{
    for (int k = 0; k < CRS_ENVELOPE_BINS; k++) to[k] = 0;
    for (int k = 0; k < s->c.threads; k++)
        for (int b = 0; b < CRS_ENVELOPE_BINS; b++) to[b] += s->worker[k].histogram[b];
}

static void want(crs_envelope_piece *s, const crs_envelope_sums *out)
{
    s->rows_wanted = s->columns_wanted = false;
    s->counted = out->every > 1 ? UINT32_MAX / (uint32_t)out->every : UINT32_MAX;
    for (int n = 0; n < s->c.shape.order; n++)
        if (out->gradient[n]) *(n < s->grid.split ? &s->rows_wanted : &s->columns_wanted) = true;
    for (int k = 0; k < s->c.threads; k++)
        memset(s->worker[k].histogram, 0, CRS_ENVELOPE_BINS * sizeof *s->worker[k].histogram);
}

void crs_envelope_pass(crs_envelope_piece *s, const crs_envelope_request *r, const crs_kruskal *k,
                       crs_envelope_sums *out)
{
    const crs_cp_grid *g = &s->grid;
    const double *a = s->sums;
    s->same = r->same;
    s->judge = crs_envelope_rule_of(&r->judge, s->c.alpha_noise);
    s->next = s->same ? s->judge : crs_envelope_rule_of(&r->next, s->c.alpha_noise);
    s->unit = r->unit;
    want(s, out);
    set_point(s, k->rank, k->factor);
    crs_parallel(s->c.threads, g->bands, pass_band, s);
    add_bands(g->bands, CRS_ENV_SUMS, s->sums);
    out->value = a[CRS_ENV_VALUE];
    out->value_next = a[CRS_ENV_VALUE_NEXT];
    out->squares = a[CRS_ENV_SQUARES];
    out->weights = 0;
    for (ptrdiff_t i = 0; i < g->left; i++) out->weights += s->row_weights[i];
    out->nonzeros = (ptrdiff_t)a[CRS_ENV_NONZERO];
    out->unit = s->unit;
    add_histograms(s, out->histogram);
    if (s->columns_wanted) add_bands(g->bands, padded(s), s->collected);
    add_bands(g->bands, g->chunks * g->width, s->column_weights);
    fold_modes(s, out);
}

/* Where bin b begins: eight equal steps per octave. */
static double edge(int b)
{
    if (b == 0) return 0;
    return ldexp(CRS_ENVELOPE_LEAST * (1 + b % 8 / 8.0), b / 8);
}

double crs_envelope_quantile(const crs_envelope_sums *a, double q)
{
    double total = 0, below = 0;
    for (int b = 0; b < CRS_ENVELOPE_BINS; b++) total += (double)a->histogram[b];
    if (!(total > 0 && q >= 0 && q <= 1)) return NAN;
    for (int b = 0; b < CRS_ENVELOPE_BINS - 1; b++) {
        const double here = (double)a->histogram[b];
        if (here > 0 && below + here >= q * total)
            return a->unit * (edge(b) + (edge(b + 1) - edge(b)) * pos(q * total - below) / here);
        below += here;
    }
    return INFINITY;
}

/* Entry j of the slab; m is M there. */
static double part_of(const crs_envelope_piece *s, crs_cp_part part, ptrdiff_t j, double m)
{
    const double c = s->next.c;
    if (part == CRS_CP_LOW_RANK) return m;
    if (!observed_at(s, j)) return part == CRS_CP_Z ? m : part == CRS_CP_B ? -m : 0;
    const double r = s->T[j] - m, e = prox_of(&s->next, r), rest = r - e;
    if (part == CRS_CP_E) return e;
    if (part == CRS_CP_Z) return m + c * rest;
    return part == CRS_CP_B ? c * rest / s->c.alpha_noise : 2 * c * rest;
}

void crs_envelope_read_slab(crs_envelope_piece *s, const crs_penalty_value *penalty,
                            const crs_kruskal *k, crs_cp_part part, double *out)
{
    s->next = crs_envelope_rule_of(penalty, s->c.alpha_noise);
    set_point(s, k->rank, k->factor);
    const ptrdiff_t right = s->grid.right, width = s->grid.width, rank = s->k.rank;
    double *kr = s->worker->rows;
    for (ptrdiff_t row = 0; row < s->grid.left; row++, out += right) {
        crs_khatri_rao(&s->k, (crs_modes){ 0, s->grid.split, -1 }, row, 1, kr);
        fill(right, 0, out);
        for (ptrdiff_t j = 0; j < right; j += width)
            for (ptrdiff_t r = 0; r < rank; r++)
                axpy(fewer(width, right - j), kr[r], s->columns + j * rank + r * width, out + j);
        for (ptrdiff_t j = 0; j < right; j++) out[j] = part_of(s, part, row * right + j, out[j]);
    }
}
