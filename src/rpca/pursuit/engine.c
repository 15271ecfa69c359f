/* SPDX-License-Identifier: MIT
 * engine: the run of principal component pursuit: its memory, the data as it works on them, the
 * certificate of its point, what a checkpoint keeps */
#include "core/carve.h"
#include "core/parallel.h"
#include "dense/dense.h"
#include "rpca/kernels/kernels.h"
#include "rpca/pursuit/pursuit.h"

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

static ptrdiff_t work_size(ptrdiff_t n)
{
    const ptrdiff_t decompose = n * n + crs_eigh_scratch(n) + crs_qr_scratch(n);
    return most(decompose, crs_gram_proof_scratch(n));
}

static void carve_entries(const crs_pursuit *p, crs_carver *c, crs_pursuit_entries *o)
{
    o->start = carve_bytes(c, p->m + 1, sizeof *o->start);
    o->column = carve_bytes(c, p->room, sizeof *o->column);
    o->value = carve_doubles(c, p->room, 1);
}

static void carve_finish(crs_pursuit *p, crs_carver *c)
{
    const ptrdiff_t m = p->m, n = p->n, r = p->most;
    carve_entries(p, c, &p->outside);
    carve_entries(p, c, &p->other);
    p->U = carve_doubles(c, m, r);
    for (int k = 0; k < 4; k++) p->tangent[k] = carve_doubles(c, m, r);
    for (int k = 0; k < 4; k++) p->side[k] = carve_doubles(c, n, r);
    p->along = carve_doubles(c, p->room, 1);
    p->limit = carve_doubles(c, n, 1);
    p->small = carve_doubles(c, 5 * r * r + most(crs_svd_scratch(r, r), crs_qr_scratch(r)), 1);
    p->kept = carve_doubles(c, n + 1, r);
}

static void carve(void *self, crs_carver *c)
{
    crs_pursuit *p = self;
    const ptrdiff_t m = p->m, n = p->n;
    double **const whole[] = { &p->M, &p->Q, &p->spare, &p->L, &p->S, &p->Y };
    double **const square[] = { &p->V, &p->basis, &p->sum, &p->square };
    double **const tile[] = { &p->x, &p->l, &p->z };
    for (int k = 0; k < 6; k++) *whole[k] = carve_doubles(c, m, n);
    for (int k = 0; k < 4; k++) *square[k] = carve_doubles(c, n, n);
    for (int k = 0; k < 3; k++) *tile[k] = carve_doubles(c, p->tile, n);
    p->theta = carve_doubles(c, n, 1);
    p->values = carve_doubles(c, n, 1);
    p->proving = carve_doubles(c, 2 * n + p->tile, n);
    p->work = carve_doubles(c, work_size(n), 1);
    carve_finish(p, c);
}

/* m >= n, rows that stay in the cache, and room for the finish: a rank and entries that are few. */
static void measure(crs_pursuit *p, ptrdiff_t rows, ptrdiff_t columns)
{
    enum { CACHED = 1 << 15, FEW = 16 };
    p->wide = rows < columns;
    p->m = most(rows, columns);
    p->n = least(rows, columns);
    p->tile = least(p->m, most(FEW, least(512, CACHED / p->n)));
    p->most = least(p->n, most(FEW, p->n / 6));
    p->room = least(p->m, p->m / 3 + FEW) * p->n;
}

double crs_pursuit_bytes(ptrdiff_t rows, ptrdiff_t columns)
{
    crs_pursuit p = { .memory = NULL };
    crs_carver count = { 0 };
    measure(&p, rows, columns);
    carve(&p, &count);
    return count.used < 0 ? INFINITY : (double)count.used;
}

static void take_data(crs_pursuit *p, const double *T)
{
    const ptrdiff_t size = p->m * p->n;
    double peak = 0;
    for (ptrdiff_t j = 0; j < size; j++) peak = larger(peak, fabs(T[j]));
    p->power = peak > 0 ? ilogb(peak) : 0;
    p->peak = ldexp(peak, -p->power);
    if (p->wide)
        for (ptrdiff_t i = 0; i < p->m; i++)
            for (ptrdiff_t j = 0; j < p->n; j++)
                p->M[i * p->n + j] = ldexp(T[j * p->m + i], -p->power);
    else
        crs_times_power(size, -p->power, T, p->M);
    p->size = crs_norm(size, p->M);
    for (ptrdiff_t j = 0; j < size; j++) p->l1 += fabs(p->M[j]);
}

crs_pursuit *crs_pursuit_new(const crs_pursuit_settings *c, const double *T, crease_error *e)
{
    crs_pursuit *p = crs_alloc(1, sizeof *p);
    if (p) {
        p->c = *c;
        p->kernel = &crs_envelope_kernel_at(0)->pursuit;
        measure(p, c->rows, c->columns);
        p->memory = carve_block(carve, p);
        if (p->memory) crs_large_pages(p->memory, (size_t)crs_pursuit_bytes(c->rows, c->columns));
    }
    if (!p || !p->memory) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: pursuit of a %td x %td matrix", c->rows,
                 c->columns);
        crs_pursuit_free(p);
        return NULL;
    }
    p->gap = p->value = NAN;
    take_data(p, T);
    return p;
}

void crs_pursuit_free(crs_pursuit *p)
{
    if (p) crs_free(p->memory);
    crs_free(p);
}

static crs_advance step(void *self)
{
    crs_pursuit *p = self;
    const crs_advance said = crs_pursuit_step(p);
    p->run->progress.theta = NAN;
    p->run->progress.objective = ldexp(p->value, p->power);
    p->run->progress.worst_relative = p->proof.worst;
    return said;
}

static long evaluations(const void *self) { return ((const crs_pursuit *)self)->steps; }

static const double unit = 0x1p-53;

static crease_residual residual_of(double residual, double rounding, double scale)
{
    return (crease_residual){
        .setting = 2, .residual = residual + rounding, .rounding = rounding, .scale = scale
    };
}

static double relative(const crease_residual *r)
{
    return r->residual == 0 ? 0 : r->residual / r->scale;
}

/* In the unit of T: Y is a pure number. */
static void certify(void *self, crease_certificate *c)
{
    crs_pursuit *p = self;
    const crs_pursuit_proof *a = crs_pursuit_prove(p);
    const double size = ldexp(1, p->power), terms = p->size + a->low + a->sparse;
    *c = (crease_certificate){ .count = 2, .block = c->block };
    c->objective = size * (a->nuclear + p->c.lambda * a->l1);
    c->size = size * (a->low + p->c.lambda * a->l1);
    c->block[0] = residual_of(a->far, 4 * unit * a->y + a->defect, a->scale[0]);
    c->block[1] = residual_of(0, 4 * unit * a->y, a->scale[1]);
    c->feasibility = residual_of(size * a->off, 4 * unit * size * terms, size * a->scale[2]);
    const crease_residual *const all[] = { &c->block[0], &c->block[1], &c->feasibility };
    for (int k = 0; k < 3; k++) {
        c->worst = larger(c->worst, all[k]->residual);
        c->worst_relative = larger(c->worst_relative, relative(all[k]));
    }
}

static void keep(void *self) { crs_pursuit_keep(self); }

static void visit(crs_visitor *v, void *self)
{
    crs_pursuit *p = self;
    const ptrdiff_t size = p->m * p->n;
    crs_visit(v, p->b);
    crs_visit(v, p->b0);
    crs_visit(v, p->steps);
    crs_visit(v, p->moved);
    crs_visit(v, p->y);
    crs_visit(v, p->r);
    crs_visit(v, p->k);
    crs_visit(v, p->whole);
    crs_visit(v, p->next);
    crs_visit(v, p->ceiling);
    crs_visit(v, p->marked);
    crs_visit(v, p->mark);
    crs_visit(v, p->level);
    crs_visit(v, p->rank);
    crs_visit(v, p->top);
    crs_visit(v, p->again);
    crs_visit(v, p->gap);
    crs_visit(v, p->finished);
    crs_visit(v, p->proved);
    crs_visit(v, p->proof);
    crs_visits(v, p->Q, size);
    crs_visits(v, p->V, p->n * p->n);
    crs_visits(v, p->theta, p->n);
    crs_visits(v, p->basis, p->n * p->n);
    crs_visits(v, p->L, size);
    crs_visits(v, p->S, size);
    crs_visits(v, p->Y, size);
}

static const crs_engine engine = { .step = step,
                                   .evaluations = evaluations,
                                   .certify = certify,
                                   .keep = keep,
                                   .visit = visit,
                                   .at_end = true };

/* Options that other methods alone read choose these. */
bool crs_pursuit_suits(const crease_options *o)
{
    return o->mode == CREASE_MODE_PRACTICAL && o->relative &&
           (o->method == crease_options_default().method ||
            crs_method_at(o->method) == &crs_method_pursuit) &&
           crs_options_read(o, crs_method_pursuit.reads, "pursuit", NULL);
}

crease_solver *crs_pursuit_solver(crs_pursuit *p, const crease_problem *problem,
                                  const crease_options *o, crease_error *e)
{
    double *const x[] = { p->L, p->S };
    const crs_guest guest = { .engine = &engine,
                              .self = p,
                              .method = CREASE_METHOD_PURSUIT,
                              .theorem = "none on the number of steps: the certificate decides",
                              .x = x,
                              .lambda = p->Y };
    crease_solver *s = crs_guest_solver(problem, o, &guest, e);
    if (!s) return NULL;
    p->run = crs_solver_driver(s);
    p->c.watch = &p->run->watch;
    return s;
}
