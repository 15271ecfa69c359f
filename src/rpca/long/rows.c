/* SPDX-License-Identifier: MIT
 * rows: the rows of a long mode, slab by slab, for a given product K of the other factors
 *
 * A row is the minimizer that kernels/tall.inc comes to from the least squares solution, for a
 * penalty that is not convex by way of l1's with the same threshold: a function of K and of the
 * row's entries. Rows are worked on in pieces of fixed places, whose sums are added in order within
 * a band and a slab, and as integers across slabs. A process keeps the rows of its slabs and their
 * matrices where memory allows. */
#include "core/carve.h"
#include "core/parallel.h"
#include "rpca/long/long.h"

enum { BANDS = 16, PIECE = 64 };

/* What one process keeps of a slab. */
typedef struct {
    int64_t version; /* of K, 0: nothing */
    double *x, *factor;
    void *memory;
} kept;

/* The sums of a band, and what a thread has for a piece. */
typedef struct {
    double *out, *weight, *gram, *sums;
} band_sums;

typedef struct {
    double *x, *factor, *work;
    band_sums spare; /* of rows that are only found again */
} piece_room;

typedef struct {
    band_sums band[BANDS];
    piece_room *thread; /* so many as work on a slab */
    double *product, *change;
    double *diagonal;
    void *memory;
} worker_room;

typedef struct {
    const crs_envelope_kernel *kernel;
    ptrdiff_t columns, width, rank, slabs;
    int workers, threads;
    kept *kept;
    worker_room worker[];
} room;

static ptrdiff_t area_of(ptrdiff_t rank) { return rank * (rank + 1) / 2; }

static void carve_sums(const room *r, crs_carver *m, band_sums *b)
{
    b->out = carve_doubles(m, r->rank, r->width);
    b->weight = carve_doubles(m, r->width, 1);
    b->gram = carve_doubles(m, r->rank, r->rank);
    b->sums = carve_doubles(m, 2, 1);
}

static void carve_worker(const room *r, crs_carver *m, worker_room *w)
{
    for (int b = 0; b < BANDS; b++) carve_sums(r, m, &w->band[b]);
    w->product = carve_doubles(m, r->rank, r->width);
    w->change = carve_doubles(m, r->rank, r->width);
    w->diagonal = carve_doubles(m, r->rank, 1);
    w->thread = carve_bytes(m, r->threads, sizeof *w->thread);
    for (int k = 0; k < r->threads; k++) {
        piece_room p;
        p.x = carve_doubles(m, PIECE, r->rank);
        p.factor = carve_doubles(m, PIECE, area_of(r->rank));
        p.work = carve_doubles(m, 3 * CRS_TILE_ROWS, r->width);
        carve_sums(r, m, &p.spare);
        if (m->base) w->thread[k] = p;
    }
}

static void set_room(room *r, ptrdiff_t columns, ptrdiff_t rank, int threads)
{
    r->kernel = crs_envelope_kernel_at(0);
    r->columns = columns;
    r->rank = rank;
    r->width = (columns + r->kernel->lanes - 1) / r->kernel->lanes * r->kernel->lanes;
    r->threads = threads;
}

static void close_room(void *self)
{
    room *r = self;
    for (ptrdiff_t k = 0; r->kept && k < r->slabs; k++) crs_free(r->kept[k].memory);
    for (int k = 0; k < r->workers; k++) crs_free(r->worker[k].memory);
    crs_free(r->kept);
    crs_free(r);
}

static void *open_rows(const void *args, const crs_partition *cut, int workers, int threads,
                       crease_error *e)
{
    const crs_rows_args *a = args;
    room *r = crs_alloc(1, sizeof *r + (size_t)workers * sizeof *r->worker);
    if (!r) return crs_fail(e, CREASE_NO_MEMORY, "robust CP: out of memory: rows"), NULL;
    set_room(r, a->columns, a->rank, threads);
    r->workers = workers;
    r->slabs = cut->count;
    r->kept = crs_alloc((size_t)cut->count, sizeof *r->kept);
    bool done = r->kept;
    for (int k = 0; done && k < workers; k++) {
        crs_carver count = { 0 };
        carve_worker(r, &count, &r->worker[k]);
        void *memory = count.used < 0 ? NULL : crs_alloc((size_t)count.used + CRS_LINE, 1);
        crs_carver m = carver_of(memory);
        done = memory;
        if (done) carve_worker(r, &m, &r->worker[k]);
        r->worker[k].memory = memory;
    }
    if (done) return r;
    close_room(r);
    return crs_fail(e, CREASE_NO_MEMORY, "robust CP: out of memory: rows"), NULL;
}

/* Rows and their matrices are kept where they are fewer numbers than the entries. */
static bool keeps(ptrdiff_t columns, ptrdiff_t rank) { return rank + area_of(rank) <= columns; }

double crs_rows_bytes(const crease_space *shape, ptrdiff_t rank, int threads)
{
    const ptrdiff_t rows = shape->dim[0], columns = crease_size(shape) / more(1, rows);
    room r;
    worker_room w;
    set_room(&r, columns, rank, 1);
    crs_carver count = { 0 };
    carve_worker(&r, &count, &w);
    const double totals = 8.0 * CRS_TOTAL_DIGITS * (double)columns * (double)(rank + 1);
    const double held =
        keeps(columns, rank) ? 8.0 * (double)rows * (double)(rank + area_of(rank)) : 0;
    return count.used < 0 ? INFINITY : held + threads * ((double)count.used + totals);
}

/* Without memory for them they are found anew whenever they are needed. */
static void keep(const room *r, kept *k, ptrdiff_t rows)
{
    if (k->memory || !keeps(r->columns, r->rank)) return;
    const ptrdiff_t each = r->rank + area_of(r->rank);
    k->memory = crs_alloc((size_t)(rows * each), sizeof(double));
    k->x = k->memory;
    k->factor = k->x ? k->x + rows * r->rank : NULL;
}

/* What the pass over one slab needs. */
typedef struct {
    const crs_rows_args *a;
    const room *r;
    worker_room *w;
    const crs_slab *slab;
    kept *k;
    crs_envelope_rule rule, first;
    bool known; /* the rows that were kept are those of K */
} slab_pass;

static crs_tall_rows rows_at(const slab_pass *p, const piece_room *own, ptrdiff_t row)
{
    const room *r = p->r;
    const bool held = p->k->memory;
    return (crs_tall_rows){
        .rule = &p->rule,
        .ridge = p->a->nu / (2 * p->rule.c),
        .rank = r->rank,
        .columns = r->columns,
        .width = r->width,
        .y = p->w->product,
        .diagonal = p->w->diagonal,
        .t = p->slab->t + row * r->columns,
        .mask = p->slab->w ? p->slab->w + row * r->columns : NULL,
        .x = held ? p->k->x + row * r->rank : own->x,
        .factor = held ? p->k->factor + row * area_of(r->rank) : own->factor,
        .work = own->work,
    };
}

static void clear(const room *r, const band_sums *b)
{
    fill(r->rank * r->width, 0, b->out);
    fill(r->width, 0, b->weight);
    fill(r->rank * r->rank, 0, b->gram);
    fill(2, 0, b->sums);
}

static void add_to(crs_tall_rows *a, const band_sums *b)
{
    a->out = b->out;
    a->weight = b->weight;
    a->sums = b->sums;
}

/* The minimizers of `count` rows; what they add goes to b. */
static void find(const slab_pass *p, crs_tall_rows a, ptrdiff_t count, const piece_room *own,
                 const band_sums *b)
{
    const room *r = p->r;
    crs_gemm(false, true, count, r->rank, r->columns, 1, a.t, p->a->first, 0, a.x);
    add_to(&a, &own->spare);
    for (int k = 0; !p->rule.soft && k < 2; k++) { /* l1's; then as many steps as a call makes */
        a.rule = k == 0 ? &p->first : &p->rule;
        r->kernel->tall(&a, count);
    }
    add_to(&a, b);
    r->kernel->tall(&a, count);
    for (ptrdiff_t i = 0; i < count; i++)
        for (ptrdiff_t q = 0; q < r->rank; q++)
            axpy(r->rank, a.x[i * r->rank + q], a.x + i * r->rank, b->gram + q * r->rank);
}

static void pass_band(void *self, ptrdiff_t band, int worker)
{
    const slab_pass *p = self;
    const piece_room *own = &p->w->thread[worker];
    const band_sums *to = &p->w->band[band];
    const ptrdiff_t rows = p->slab->shape.dim[0], pieces = (rows + PIECE - 1) / PIECE;
    clear(p->r, to);
    clear(p->r, &own->spare);
    for (ptrdiff_t k = band * pieces / BANDS; k < (band + 1) * pieces / BANDS; k++) {
        const ptrdiff_t row = k * PIECE, count = fewer(PIECE, rows - row);
        crs_tall_rows a = rows_at(p, own, row);
        if (!p->known) find(p, a, count, own, p->a->change ? &own->spare : to);
        if (!p->a->change) continue;
        add_to(&a, to);
        a.change = p->w->change;
        p->r->kernel->tall(&a, count);
    }
}

/* rank x columns to rank x width, padded with 0 */
static void spread(const room *r, const double *from, double *to)
{
    for (ptrdiff_t q = 0; q < r->rank; q++)
        for (ptrdiff_t j = 0; j < r->width; j++)
            to[q * r->width + j] = j < r->columns ? from[q * r->columns + j] : 0;
}

static slab_pass begin(const crs_rows_args *a, room *r, int worker, const crs_slab *slab, kept *k)
{
    slab_pass p = { .a = a, .r = r, .w = &r->worker[worker], .slab = slab, .k = k };
    p.rule = crs_envelope_rule_of(&a->penalty, a->alpha_noise);
    const crs_penalty_value l1 = crs_envelope_l1(p.rule.dead, p.rule.c);
    p.first = crs_envelope_rule_of(&l1, a->alpha_noise);
    p.known = a->change && k->memory && k->version == a->version;
    spread(r, a->product, p.w->product);
    if (a->change) spread(r, a->change, p.w->change);
    for (ptrdiff_t q = 0; q < r->rank; q++) {
        const double *y = p.w->product + q * r->width;
        p.w->diagonal[q] = crs_dot(r->width, y, y);
    }
    return p;
}

static bool add_rows(const void *args, void *self, const crs_slab *slab, int worker,
                     crs_total *sums, crease_error *e)
{
    const crs_rows_args *a = args;
    room *r = self;
    kept *k = &r->kept[slab->index];
    (void)e;
    keep(r, k, slab->shape.dim[0]);
    slab_pass p = begin(a, r, worker, slab, k);
    crs_parallel(r->threads, BANDS, pass_band, &p);
    if (k->memory) k->version = a->version;
    const band_sums *b = p.w->band;
    for (int n = 1; n < BANDS; n++) {
        axpy(r->rank * r->width, 1, b[n].out, b->out);
        axpy(r->width, 1, b[n].weight, b->weight);
        axpy(r->rank * r->rank, 1, b[n].gram, b->gram);
        axpy(2, 1, b[n].sums, b->sums);
    }
    for (ptrdiff_t q = 0; q < r->rank; q++)
        crs_total_add(sums, CRS_ROWS_OUT, q * r->columns, r->columns, b->out + q * r->width);
    if (a->change) return true;
    crs_total_add(sums, CRS_ROWS_WEIGHT, 0, r->columns, b->weight);
    crs_total_add(sums, CRS_ROWS_GRAM, 0, r->rank * r->rank, b->gram);
    crs_total_add(sums, CRS_ROWS_VALUE, 0, 2, b->sums);
    return true;
}

static void plan_rows(const void *args, const crease_space *shape, crs_total *sums)
{
    const crs_rows_args *a = args;
    (void)shape;
    crs_total_plan(sums, CRS_SUM, a->rank * a->columns);
    crs_total_plan(sums, CRS_SUM, a->columns);
    crs_total_plan(sums, CRS_SUM, a->rank * a->rank);
    crs_total_plan(sums, CRS_SUM, 2);
}

static void visit_rows(crs_visitor *v, void *self)
{
    crs_rows_args *a = self;
    int changes = a->change != NULL;
    crs_visit(v, a->rank);
    crs_visit(v, a->columns);
    crs_visit_penalty(v, &a->penalty);
    crs_visit(v, a->alpha_noise);
    crs_visit(v, a->nu);
    crs_visit(v, a->version);
    crs_visit_array(v, a->product, a->rank * a->columns);
    crs_visit_array(v, a->first, a->rank * a->columns);
    crs_visit_choice(v, "changes", &changes);
    if (!changes) a->change = NULL;
    if (changes) crs_visit_array(v, a->change, a->rank * a->columns);
}

const crs_job crs_rows_job = { .name = "rows",
                               .size = sizeof(crs_rows_args),
                               .visit = visit_rows,
                               .plan = plan_rows,
                               .open = open_rows,
                               .close = close_room,
                               .add = add_rows };

/* Of a few slabs the rows as whole numbers, each added to nothing. */
typedef struct {
    crs_rows_args rows;
    ptrdiff_t slab, slabs; /* those that are wanted */
    ptrdiff_t first, size; /* where they begin in the factor, and room for their numbers */
} reading;

static void plan_reading(const void *args, const crease_space *shape, crs_total *sums)
{
    const reading *a = args;
    (void)shape;
    crs_total_plan(sums, CRS_COUNT, a->size);
}

static void *open_reading(const void *args, const crs_partition *cut, int workers, int threads,
                          crease_error *e)
{
    return open_rows(&((const reading *)args)->rows, cut, workers, threads, e);
}

static bool wants_reading(const void *args, const crs_partition *cut, ptrdiff_t k)
{
    const reading *a = args;
    (void)cut;
    return k >= a->slab && k < a->slab + a->slabs;
}

static bool add_reading(const void *args, void *self, const crs_slab *slab, int worker,
                        crs_total *sums, crease_error *e)
{
    const reading *a = args;
    room *r = self;
    const ptrdiff_t rows = slab->shape.dim[0], each = r->rank + area_of(r->rank);
    double *x = crs_doubles(rows * each, "the rows of a slab", e);
    if (!x) return false;
    kept own = { .x = x, .factor = x + rows * r->rank, .memory = x };
    slab_pass p = begin(&a->rows, r, worker, slab, &own);
    crs_parallel(r->threads, BANDS, pass_band, &p);
    const ptrdiff_t at = slab->from[0] * r->rank - a->first;
    memcpy(sums->array[0].whole + at, x, (size_t)(rows * r->rank) * sizeof *x);
    crs_free(x);
    return true;
}

static void visit_reading(crs_visitor *v, void *self)
{
    reading *a = self;
    visit_rows(v, &a->rows);
    crs_visit(v, a->slab);
    crs_visit(v, a->slabs);
    crs_visit(v, a->first);
    crs_visit(v, a->size);
}

const crs_job crs_rows_read_job = { .name = "read rows",
                                    .size = sizeof(reading),
                                    .visit = visit_reading,
                                    .plan = plan_reading,
                                    .open = open_reading,
                                    .close = close_room,
                                    .wants = wants_reading,
                                    .add = add_reading };

/* Slabs of about so many numbers at a time. */
enum { AT_ONCE = 1 << 20 };

bool crs_rows_read(crs_source *T, const crs_rows_args *a, int threads, crease_watch *watch,
                   double *out, crease_error *e)
{
    const crs_partition *cut = &T->cut;
    const ptrdiff_t each = cut->rows * a->rank, slabs = more(1, AT_ONCE / each);
    reading r = { .rows = *a, .slabs = slabs, .size = slabs * each };
    crs_look l;
    r.rows.change = NULL;
    if (!crs_look_open(&l, T, &crs_rows_read_job, &r, threads, e)) return false;
    bool done = true;
    for (; done && r.slab < cut->count; r.slab += slabs) {
        r.first = r.slab * each;
        done = crs_look_run(&l, &r, watch, e) && !crease_watch_over(watch);
        const ptrdiff_t left = cut->shape.dim[0] * a->rank - r.first;
        if (done)
            memcpy(out + r.first, l.sums.array[0].whole, (size_t)fewer(r.size, left) * sizeof *out);
    }
    crs_look_close(&l);
    return done;
}
