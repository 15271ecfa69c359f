/* SPDX-License-Identifier: MIT
 * composite: a problem taken apart: its terms with their matrices, its blocks by coordinates where
 * they are separable, its constraint as one more term
 *
 *     a loss of a linear predictor      phi(K x - rhs), or phi(rhs o K x) with labels
 *     (w/2)|x_a - x_b - d|^2            half a square, K = (I, -I)
 *     (1/2) x'Qx + q'x                  a form, and a part of the linear one
 *     anything else                     `rest` */
#include "composite/composite.h"

#include "certify/certify.h"
#include "core/carve.h"

typedef struct {
    int terms, parts, matrices, rest;
} tally;

static bool repeats_a_block(const crease_predictor *p)
{
    for (int k = 0; k < p->count; k++)
        for (int l = 0; l < k; l++)
            if (p->block[k] == p->block[l]) return true;
    return false;
}

static bool is_loss(const crease_smooth *f)
{
    return f->ops->family == CREASE_SMOOTH_LOSS && !repeats_a_block(f->data);
}

static const crease_smooth_list *list_of(const crease_smooth *f)
{
    return f->ops->family == CREASE_SMOOTH_SUM ? f->data : NULL;
}

static int form_parts(const crease_quadratic_data *q)
{
    int parts = 0;
    for (int k = 0; k < q->count; k++) parts += q->row[k] == q->col[k] ? 1 : 2;
    return parts;
}

static void count_up(const crease_smooth *f, tally *t)
{
    if (!f->ops) return;
    const crease_smooth_list *sum = list_of(f);
    for (int k = 0; sum && k < sum->count; k++) count_up(&sum->term[k], t);
    if (sum) return;
    int parts = 0;
    if (is_loss(f))
        parts = ((const crease_predictor *)f->data)->count;
    else if (f->ops == &crs_squared_distance_ops)
        parts = ((const crease_distance_data *)f->data)->b < 0 ? 1 : 2;
    else if (f->ops == &crs_quadratic_ops)
        parts = form_parts(f->data);
    else
        t->rest++;
    t->terms += parts > 0;
    t->parts += parts;
}

/* One block of memory; counting and carving are one walk. */
typedef struct {
    crs_composite *c;
    const crease_problem *p;
    tally t;
    crease_smooth *rest;
    crease_smooth_list *list;
    crease_block *block;
    crease_space *space;
} builder;

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

static ptrdiff_t room_for(const crease_problem *p)
{
    ptrdiff_t n = crs_problem_scratch(p);
    for (int i = 0; i < p->count; i++) {
        const crease_set *c = p->block[i].set;
        if (!c) continue;
        n = most(n, crease_set_scratch(c, &p->space[i]));
        if (crease_joint_check(crs_reg_of(p, i), c, &p->space[i], NULL, NULL))
            n = most(n, crease_joint_scratch(crs_reg_of(p, i), c, &p->space[i]));
    }
    return n;
}

static void carve(void *self, crs_carver *v)
{
    builder *b = self;
    crs_composite *c = b->c;
    const int N = b->p->count;
    const ptrdiff_t rows = c->rows + (b->p->range.order > 0 ? crease_size(&b->p->range) : 0);
    c->at = carve_bytes(v, N + 1, sizeof *c->at);
    c->separable = carve_bytes(v, N, sizeof *c->separable);
    c->spectral = carve_bytes(v, N, sizeof *c->spectral);
    c->oracle = carve_bytes(v, N, sizeof *c->oracle);
    c->step = carve_doubles(v, N, 1);
    c->by = carve_bytes(v, c->n, sizeof *c->by);
    c->term = carve_bytes(v, b->t.terms + 1, sizeof *c->term);
    c->unused = carve_bytes(v, b->t.parts + N, sizeof *c->unused);
    c->matrix = carve_bytes(v, b->t.parts + N, sizeof *c->matrix);
    b->rest = carve_bytes(v, b->t.rest + 1, sizeof *b->rest);
    b->list = carve_bytes(v, 1, sizeof *b->list);
    b->block = carve_bytes(v, N, sizeof *b->block);
    b->space = carve_bytes(v, N, sizeof *b->space);
    c->linear = carve_doubles(v, c->n, 1);
    c->start = carve_doubles(v, c->n, 1);
    c->point = carve_bytes(v, N, sizeof *c->point);
    c->into = carve_bytes(v, N, sizeof *c->into);
    c->room = carve_doubles(v, room_for(b->p), 1);
    c->certify_room = carve_doubles(v, crs_certify_room(b->p, false), 1);
    c->slope = carve_doubles(v, rows, 1);
}

void crs_add_part(crs_composite *c, crs_term *t, int block, ptrdiff_t row, const crs_matrix *K)
{
    if (!t->part) t->part = c->unused;
    crs_matrix *own = &c->matrix[c->matrices++];
    *own = *K;
    *c->unused++ = (crs_term_part){ block, row, own };
    t->parts++;
}

crs_term *crs_add_term(crs_composite *c, const crs_loss *loss, double weight, ptrdiff_t rows)
{
    crs_term *t = &c->term[c->terms++];
    *t = (crs_term){ .loss = loss, .weight = weight, .rows = rows, .at = c->rows };
    c->rows += rows;
    return t;
}

/* Rows whose weights are one number have that for the weight of the term, so that a square is known
 * for one whether it or what is in it was scaled. */
static void read_rows(crs_term *t, const crease_predictor *p)
{
    ptrdiff_t same = 0;
    t->rhs = p->rhs;
    while (p->weight && same < t->rows && p->weight[same] == p->weight[0]) same++;
    t->each = same < t->rows ? p->weight : NULL;
    t->weight = p->weight && !t->each && t->rows > 0 ? p->weight[0] : 1;
}

static bool add_loss(builder *b, const crease_smooth *f, crease_error *e)
{
    const crease_predictor *p = f->data;
    crs_term *t = crs_add_term(b->c, loss_of(f), 1, crease_size(&p->range));
    crs_matrix K;
    memcpy(t->par, f->par, sizeof t->par);
    read_rows(t, p);
    for (int k = 0; k < p->count; k++) {
        if (!crs_matrix_of_map(&p->map[k], &b->p->space[p->block[k]], &p->range, &K, e))
            return false;
        crs_add_part(b->c, t, p->block[k], 0, &K);
    }
    return true;
}

static void add_distance(builder *b, const crease_smooth *f)
{
    const crease_distance_data *d = f->data;
    const ptrdiff_t n = crease_size(&b->p->space[d->a]);
    crs_term *t = crs_add_term(b->c, &crs_least_squares, d->weight, n);
    crs_matrix K;
    t->rhs = d->d;
    crs_matrix_scalar(n, 1, &K);
    crs_add_part(b->c, t, d->a, 0, &K);
    if (d->b < 0) return;
    crs_matrix_scalar(n, -1, &K);
    crs_add_part(b->c, t, d->b, 0, &K);
}

/* Q (m x n, row after row), or its transpose, in columns. */
static bool add_form_part(builder *b, crs_term *t, int row, int col, const double *Q, bool turned,
                          crease_error *e)
{
    const ptrdiff_t m = crease_size(&b->p->space[row]), n = crease_size(&b->p->space[col]);
    crs_matrix K;
    if (!crs_matrix_dense(m, n, &K, e)) return false;
    for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t i = 0; i < m; i++) K.value[j * m + i] = turned ? Q[j * m + i] : Q[i * n + j];
    crs_add_part(b->c, t, col, b->c->at[row], &K);
    return true;
}

static bool add_quadratic(builder *b, const crease_smooth *f, crease_error *e)
{
    const crease_quadratic_data *q = f->data;
    crs_composite *c = b->c;
    for (int i = 0; q->linear && i < q->blocks; i++)
        if (q->linear[i]) axpy(crs_block_size(c, i), 1, q->linear[i], c->linear + c->at[i]);
    if (q->count == 0) return true;
    crs_term *t = crs_add_term(b->c, NULL, 1, c->n);
    for (int k = 0; k < q->count; k++) {
        if (!add_form_part(b, t, q->row[k], q->col[k], q->matrix[k], false, e)) return false;
        if (q->row[k] == q->col[k]) continue;
        if (!add_form_part(b, t, q->col[k], q->row[k], q->matrix[k], true, e)) return false;
    }
    return true;
}

static bool add_smooth(builder *b, const crease_smooth *f, crease_error *e)
{
    if (!f->ops) return true;
    const crease_smooth_list *sum = list_of(f);
    for (int k = 0; sum && k < sum->count; k++)
        if (!add_smooth(b, &sum->term[k], e)) return false;
    if (sum) return true;
    if (is_loss(f)) return add_loss(b, f, e);
    if (f->ops == &crs_quadratic_ops) return add_quadratic(b, f, e);
    if (f->ops == &crs_squared_distance_ops) {
        add_distance(b, f);
        return true;
    }
    b->rest[b->list->count++] = *f;
    return true;
}

static bool add_constraint(builder *b, crease_error *e)
{
    const crease_problem *p = b->p;
    crs_composite *c = b->c;
    crs_matrix K;
    if (p->range.order == 0) return true;
    crs_term *t = c->constraint = &c->term[c->terms]; /* the last, beyond those of f */
    *t = (crs_term){ .loss = &crs_least_squares, .weight = 1, .rows = crease_size(&p->range) };
    t->rhs = p->rhs;
    for (int i = 0; i < p->count; i++) {
        if (!crs_in_constraint(p, i)) continue;
        if (!crs_matrix_of_map(&p->block[i].map, &p->space[i], &p->range, &K, e)) return false;
        crs_add_part(c, t, i, 0, &K);
    }
    return true;
}

static void borrow_blocks(builder *b)
{
    crs_composite *c = b->c;
    const crease_problem *p = b->p;
    for (int i = 0; i < p->count; i++) {
        b->block[i] = p->block[i];
        b->block[i].map = (crease_map){ 0 };
        b->space[i] = p->space[i];
        c->at[i + 1] = c->at[i] + crease_size(&p->space[i]);
    }
    c->count = p->count;
    c->parts = (crease_problem){ .count = p->count, .space = b->space, .block = b->block };
}

static double term_entries(const crs_term *t)
{
    double sum = 0;
    for (int k = 0; t && k < t->parts; k++) sum += crs_matrix_entries(t->part[k].matrix);
    return sum;
}

/* Of a factorization: those of what it factorizes. */
/* Entries of the maps of a predictor */
static double map_entries(const builder *b, const crease_predictor *p)
{
    double sum = 0;
    for (int k = 0; k < p->count; k++) {
        crs_matrix K;
        if (!crs_matrix_of_map(&p->map[k], &b->p->space[p->block[k]], &p->range, &K, NULL))
            continue;
        sum += crs_matrix_entries(&K);
        crs_matrix_free(&K);
    }
    return sum;
}

static double data_entries(const builder *b, const crease_smooth *f)
{
    const crease_blocks blocks = crs_blocks(b->p);
    crease_cp_data cp;
    int factor[CREASE_MAX_ORDER];
    if (f->ops->family == CREASE_SMOOTH_LOSS || f->ops->family == CREASE_SMOOTH_PREDICTED)
        return map_entries(b, f->data);
    if (!f->ops->as_cp || !f->ops->as_cp(f, &blocks, &cp, factor)) return 0;
    return (double)crease_size(&cp.shape);
}

static bool fill_in(builder *b, uint64_t seed, crease_error *e)
{
    crs_composite *c = b->c;
    b->list->term = b->rest;
    if (!add_smooth(b, &b->p->f, e) || !add_constraint(b, e)) return false;
    if (b->list->count == 1) c->rest = b->rest[0];
    if (b->list->count > 1) c->rest = crease_smooth_sum(b->list);
    for (int k = 0; k < b->list->count; k++) c->rest_entries += data_entries(b, &b->rest[k]);
    for (int i = 0; i < c->count; i++) {
        crs_start_block(b->p, i, seed, true, c->start + c->at[i], c->room);
        if (!crs_describe_block(c, i, e)) return false;
    }
    for (int k = 0; k < c->terms; k++) c->work->unit += 2 * term_entries(&c->term[k]);
    c->work->unit += 2 * (term_entries(c->constraint) + c->rest_entries);
    return true;
}

void crs_composite_free(crs_composite *c)
{
    if (!c) return;
    for (int k = 0; k < c->matrices; k++) crs_matrix_free(&c->matrix[k]);
    crs_factors_free(c);
    for (int k = 0; c->term && k < c->terms; k++) crs_free(c->term[k].gram);
    if (c->constraint) crs_free(c->constraint->gram);
    crs_free(c->memory);
    crs_free(c);
}

static ptrdiff_t rows_of(const crease_problem *p, const crease_smooth *f, ptrdiff_t n)
{
    if (!f->ops) return 0;
    const crease_smooth_list *sum = list_of(f);
    ptrdiff_t rows = 0;
    for (int k = 0; sum && k < sum->count; k++) rows += rows_of(p, &sum->term[k], n);
    if (sum) return rows;
    if (is_loss(f)) return crease_size(&((const crease_predictor *)f->data)->range);
    if (f->ops == &crs_squared_distance_ops)
        return crease_size(&p->space[((const crease_distance_data *)f->data)->a]);
    return f->ops == &crs_quadratic_ops ? n : 0;
}

/* Memory for the blocks of b->p, `rows` of u and the terms that b counts. */
static bool begin(builder *b, ptrdiff_t rows, crs_work *work, crease_watch *watch, crease_error *e)
{
    crs_composite *c = b->c = crs_alloc(1, sizeof *c);
    if (c) {
        c->work = work;
        c->watch = watch;
        for (int i = 0; i < b->p->count; i++) c->n += crease_size(&b->p->space[i]);
        c->rows = rows;
        c->memory = carve_block(carve, b);
        c->rows = 0;
    }
    if (c && c->memory) {
        borrow_blocks(b);
        return true;
    }
    crs_composite_free(c);
    return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a problem taken apart");
}

crs_composite *crs_composite_new(const crease_problem *p, uint64_t seed, crs_work *work,
                                 crease_watch *watch, crease_error *e)
{
    builder b = { .p = p };
    ptrdiff_t n = 0;
    for (int i = 0; i < p->count; i++) n += crease_size(&p->space[i]);
    count_up(&p->f, &b.t);
    if (!begin(&b, rows_of(p, &p->f, n), work, watch, e)) return NULL;
    if (fill_in(&b, seed, e)) return b.c;
    crs_composite_free(b.c);
    return NULL;
}

/* Blocks as in `from`, without one. */
static crs_composite *without(const crs_composite *from, int dropped, const crs_room *room,
                              builder *b, crease_error *e)
{
    crease_problem p = from->parts;
    crease_block *block = crs_alloc((size_t)p.count, sizeof *block);
    crease_space *space = crs_alloc((size_t)p.count, sizeof *space);
    bool done = block && space;
    int count = 0;
    for (int i = 0; done && i < p.count; i++) {
        if (i == dropped) continue;
        block[count] = p.block[i], space[count] = p.space[i];
        if (room->reg && i == room->reg_of) block[count].reg = *room->reg, block[count].set = NULL;
        count++;
    }
    p.count = count;
    p.block = block, p.space = space;
    if (room->constraint > 0) p.range = (crease_space){ 1, { room->constraint }, NULL };
    b->p = &p;
    done = done && begin(b, room->rows, from->work, from->watch, e);
    crs_free(block);
    crs_free(space);
    if (!done && e && e->code == CREASE_OK)
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a reduced problem");
    return done ? b->c : NULL;
}

crs_composite *crs_composite_without(const crs_composite *from, int dropped, const crs_room *room,
                                     crease_error *e)
{
    builder b = { .t = { .terms = room->terms, .parts = room->parts } };
    crs_composite *c = without(from, dropped, room, &b, e);
    bool done = c;
    for (int i = 0, k = 0; done && i < from->count; i++) {
        const ptrdiff_t n = crs_block_size(from, i);
        if (i == dropped) continue;
        copy(n, from->start + from->at[i], c->start + c->at[k]);
        copy(n, from->linear + from->at[i], c->linear + c->at[k]);
        done = crs_describe_block(c, k++, e);
    }
    if (done) return c;
    crs_composite_free(c);
    return NULL;
}

/* What is not a matrix, of the terms in the order in which they were added. */
static void reread(crs_composite *c, const crease_smooth *f, int *at)
{
    const crease_smooth_list *sum = f->ops ? list_of(f) : NULL;
    for (int k = 0; sum && k < sum->count; k++) reread(c, &sum->term[k], at);
    if (!f->ops || sum) return;
    crs_term *t = &c->term[*at];
    if (is_loss(f)) {
        const crease_predictor *p = f->data;
        memcpy(t->par, f->par, sizeof t->par);
        read_rows(t, p);
        ++*at;
    } else if (f->ops == &crs_squared_distance_ops) {
        const crease_distance_data *d = f->data;
        t->rhs = d->d;
        t->weight = d->weight;
        ++*at;
    } else if (f->ops == &crs_quadratic_ops) {
        const crease_quadratic_data *q = f->data;
        for (int i = 0; q->linear && i < q->blocks; i++)
            if (q->linear[i]) axpy(crs_block_size(c, i), 1, q->linear[i], c->linear + c->at[i]);
        *at += q->count > 0;
    }
}

bool crs_composite_update(crs_composite *c, const crease_problem *p, crease_error *e)
{
    crease_block *block = (crease_block *)(uintptr_t)c->parts.block; /* its own */
    int at = 0;
    fill(c->n, 0, c->linear);
    reread(c, &p->f, &at);
    if (c->constraint) c->constraint->rhs = p->rhs;
    for (int i = 0; i < c->count; i++) {
        block[i].reg = p->block[i].reg;
        block[i].set = p->block[i].set;
        const bool keeps = c->factors && c->factors[i]; /* of a spectral block: they stay */
        if (!keeps && !crs_describe_block(c, i, e)) return false;
    }
    return true;
}
