/* SPDX-License-Identifier: MIT
 * evaluate: the pass over all slabs of a tensor
 *
 * A slab is a tensor of its own, whose factors are rows of the whole ones. Of several every one
 * adds what its pass yields to totals without an order; one alone is the pass itself. Where few
 * entries were observed, they alone are passed over. The first modes of the tensor may be one mode
 * of the model. */
#include "rpca/envelope/pass.h"
#include "rpca/observed/observed.h"
#include "rpca/rpca.h"

struct crs_envelope {
    crs_source *source;
    crs_envelope_request r;
    ptrdiff_t observed;
    crs_envelope_piece one;    /* of a tensor of one slab */
    crs_look look;             /* of any other */
    crs_observed_pass *listed; /* of one with few observed entries, which then does it alone */
};

const crs_envelope_kernel *crs_envelope_kernel_of(int instructions)
{
    const int slower = instructions - crs_instructions();
    return crs_envelope_kernel_at(slower > 0 ? slower : 0);
}

/* For the larger and the smaller slabs of a tensor alike */
static ptrdiff_t plan_slabs(crs_envelope_piece *s, const crs_envelope_settings *c,
                            const crs_partition *cut, crease_error *e)
{
    crs_envelope_settings own = *c;
    const crs_slab low = crs_slab_at(cut, cut->per - 1), top = crs_slab_at(cut, 0);
    own.shape = crs_slab_merged(&low, &c->shape).shape;
    const ptrdiff_t last = crs_envelope_plan(s, &own, true, e);
    own.shape = crs_slab_merged(&top, &c->shape).shape;
    const ptrdiff_t first = crs_envelope_plan(s, &own, true, e);
    return last < 0 || first < 0 ? -1 : more(last, first);
}

/* The geometric mean of the data, of some thousands of them, less its power of two: edges in this
 * unit lie at the same numbers of the data whatever unit these are in. */
static bool find_unit(crs_source *T, double *unit, crease_error *e)
{
    enum { MOST = 4096 };
    const ptrdiff_t n = crs_is_listed(T) ? T->listed->count : crease_size(&T->cut.shape),
                    step = (n + MOST - 1) / MOST;
    ptrdiff_t at[MOST], places = 0, count = 0;
    double value[MOST], sum = 0;
    for (ptrdiff_t j = 0; j < n; j += step) at[places++] = j;
    if (crs_is_listed(T))
        for (ptrdiff_t k = 0; k < places; k++) value[k] = T->listed->value[at[k]];
    else if (!crs_source_entries(T, places, at, value, NULL, e))
        return false;
    for (ptrdiff_t k = 0; k < places; k++)
        if (value[k] != 0 && isfinite(value[k])) sum += log2(fabs(value[k])), count++;
    const double mean = count > 0 ? sum / (double)count : 0;
    *unit = exp2(mean - floor(mean));
    return true;
}

static bool count_observed(crs_source *T, int threads, ptrdiff_t *observed, crease_error *e)
{
    *observed = crease_size(&T->cut.shape);
    if (T->whole && !T->facts.known) {
        for (ptrdiff_t j = *observed - 1; T->seen && j >= 0; j--) *observed -= T->seen[j] == 0;
        return true;
    }
    if (!crs_source_survey(T, threads, e)) return false;
    *observed -= T->facts.missing;
    return true;
}

ptrdiff_t crs_envelope_bytes(const crs_envelope_settings *c, crease_error *e)
{
    crs_envelope *s = NULL;
    crs_envelope_piece one;
    const ptrdiff_t alone = crs_envelope_plan(&one, c, false, e);
    if (alone < 0) return -1;
    const crs_partition cut = crs_partition_of(&c->shape);
    if (cut.count == 1) return alone + (ptrdiff_t)sizeof *s;
    ptrdiff_t own = plan_slabs(&one, c, &cut, e), rows = 0, totals;
    for (int n = 0; n < c->shape.order; n++) rows += c->shape.dim[n];
    if (own >= 0 && crs_mul_size(rows * CRS_TOTAL_DIGITS * 8, c->rank + 1, &totals) &&
        crs_add_size(own, totals, &own) && crs_mul_size(own, c->threads, &own))
        return own + (ptrdiff_t)sizeof *s;
    crs_fail(e, CREASE_NO_MEMORY, "robust CP: more memory than can be addressed");
    return -1;
}

static bool open_pass(crs_envelope *s, crs_source *T, ptrdiff_t bytes, crease_error *e)
{
    if (T->listed) {
        s->listed = crs_observed_open(&s->r.c, T->listed, false);
        return s->listed || crs_fail(e, CREASE_NO_MEMORY, "robust CP: out of memory");
    }
    return T->cut.count == 1 ? crs_envelope_give_memory(&s->one, bytes, e)
                             : crs_look_open(&s->look, T, &crs_pass_job, &s->r, s->r.c.threads, e);
}

crs_envelope *crs_envelope_new(const crs_envelope_settings *c, crs_source *T, crease_error *e)
{
    crs_envelope_piece planned;
    crs_envelope_settings own = *c;
    own.instructions = T->instructions;
    const ptrdiff_t bytes = crs_envelope_plan(&planned, &own, false, e);
    if (bytes < 0) return NULL;
    crs_envelope *s = crs_alloc(1, sizeof *s);
    if (!s) return crs_fail(e, CREASE_NO_MEMORY, "robust CP: out of memory"), NULL;
    *s = (crs_envelope){ .source = T, .r = { .c = own, .k = { .shape = c->shape } } };
    s->r.k.rank = c->rank;
    s->one = planned;
    if (open_pass(s, T, bytes, e) && find_unit(T, &s->r.unit, e) &&
        count_observed(T, c->threads, &s->observed, e))
        return s;
    crs_envelope_free(s);
    return NULL;
}

void crs_envelope_free(crs_envelope *s)
{
    if (!s) return;
    crs_free(s->one.memory);
    crs_observed_free(s->listed);
    if (s->look.job) crs_look_close(&s->look);
    crs_free(s);
}

/* Totals, then of every mode the gradient and the marginal */
enum { VALUE, VALUE_NEXT, SQUARES, WEIGHTS, NONZEROS, HISTOGRAM, MODES };

static void plan_sums(const void *args, const crease_space *shape, crs_total *sums)
{
    const crs_envelope_request *r = args;
    shape = &r->c.shape;
    for (int k = VALUE; k <= WEIGHTS; k++) crs_total_plan(sums, CRS_SUM, 1);
    crs_total_plan(sums, CRS_COUNT, 1);
    crs_total_plan(sums, CRS_COUNT, CRS_ENVELOPE_BINS);
    for (int n = 0; n < shape->order; n++) {
        crs_total_plan(sums, CRS_SUM, shape->dim[n] * r->c.rank);
        crs_total_plan(sums, CRS_SUM, shape->dim[n]);
    }
}

typedef struct {
    int workers;
    crs_envelope_piece worker[];
} pieces;

static void close_pieces(void *room)
{
    pieces *p = room;
    for (int k = 0; k < p->workers; k++) crs_free(p->worker[k].memory);
    crs_free(p);
}

static void *open_pieces(const void *args, const crs_partition *cut, int workers, int threads,
                         crease_error *e)
{
    const crs_envelope_request *r = args;
    crs_envelope_settings c = r->c;
    crs_envelope_piece planned;
    c.threads = threads;
    const ptrdiff_t bytes = plan_slabs(&planned, &c, cut, e);
    if (bytes < 0) return NULL;
    pieces *p = crs_alloc(1, sizeof *p + (size_t)workers * sizeof *p->worker);
    if (!p) return crs_fail(e, CREASE_NO_MEMORY, "robust CP: out of memory"), NULL;
    for (p->workers = 0; p->workers < workers; p->workers++) {
        p->worker[p->workers] = planned;
        if (!crs_envelope_give_memory(&p->worker[p->workers], bytes, e))
            return close_pieces(p), NULL;
    }
    return p;
}

static bool add_slab(const void *args, void *room, const crs_slab *given, int worker,
                     crs_total *sums, crease_error *e)
{
    const crs_envelope_request *r = args;
    const crs_slab merged = crs_slab_merged(given, &r->k.shape), *slab = &merged;
    crs_envelope_piece *s = &((pieces *)room)->worker[worker];
    crs_envelope_look_at(s, slab);
    const crs_kruskal k = crs_slab_kruskal(slab, &r->k);
    const ptrdiff_t rank = k.rank;
    crs_envelope_sums *out = s->out;
    int64_t count[CRS_ENVELOPE_BINS];
    (void)e;
    out->every = r->every;
    for (int n = 0; n < slab->shape.order; n++) {
        out->gradient[n] = r->gradient[n] ? s->gradient[n] : NULL;
        out->marginal[n] = r->marginal[n] ? s->marginal[n] : NULL;
    }
    crs_envelope_pass(s, r, &k, out);
    crs_total_add(sums, VALUE, 0, 1, &out->value);
    crs_total_add(sums, VALUE_NEXT, 0, 1, &out->value_next);
    crs_total_add(sums, SQUARES, 0, 1, &out->squares);
    crs_total_add(sums, WEIGHTS, 0, 1, &out->weights);
    for (int b = 0; b < CRS_ENVELOPE_BINS; b++) count[b] = out->histogram[b];
    crs_total_count(sums, HISTOGRAM, 0, CRS_ENVELOPE_BINS, count);
    count[0] = out->nonzeros;
    crs_total_count(sums, NONZEROS, 0, 1, count);
    for (int n = 0; n < slab->shape.order; n++) {
        const ptrdiff_t at = slab->from[n], rows = slab->shape.dim[n];
        const int array = MODES + 2 * n;
        if (out->gradient[n]) crs_total_add(sums, array, at * rank, rows * rank, out->gradient[n]);
        if (out->marginal[n]) crs_total_add(sums, array + 1, at, rows, out->marginal[n]);
    }
    return true;
}

static void visit_request(crs_visitor *v, void *self)
{
    crs_envelope_request *r = self;
    crs_visit(v, r->c.shape);
    crs_visit(v, r->c.rank);
    crs_visit(v, r->c.alpha_noise);
    crs_visit(v, r->c.threads);
    crs_visit(v, r->c.instructions);
    crs_visit_penalty(v, &r->judge);
    crs_visit_penalty(v, &r->next);
    crs_visit(v, r->same);
    crs_visit(v, r->gradient);
    crs_visit(v, r->marginal);
    crs_visit(v, r->every);
    crs_visit(v, r->unit);
    crs_visit_kruskal(v, &r->k);
}

const crs_job crs_pass_job = { .name = "pass",
                               .size = sizeof(crs_envelope_request),
                               .visit = visit_request,
                               .plan = plan_sums,
                               .open = open_pieces,
                               .close = close_pieces,
                               .add = add_slab };

static void read_sums(const crs_envelope *s, crs_envelope_sums *out)
{
    const crs_total *t = &s->look.sums;
    const crease_space *shape = &s->r.c.shape;
    out->value = crs_total_at(t, VALUE, 0);
    out->value_next = crs_total_at(t, VALUE_NEXT, 0);
    out->squares = crs_total_at(t, SQUARES, 0);
    out->weights = crs_total_at(t, WEIGHTS, 0);
    out->nonzeros = (ptrdiff_t)t->array[NONZEROS].whole[0];
    out->unit = s->r.unit;
    for (int b = 0; b < CRS_ENVELOPE_BINS; b++)
        out->histogram[b] = (ptrdiff_t)t->array[HISTOGRAM].whole[b];
    for (int n = 0; n < shape->order; n++) {
        const ptrdiff_t rows = shape->dim[n];
        const int array = MODES + 2 * n;
        if (out->gradient[n]) crs_total_read(t, array, 0, rows * s->r.k.rank, out->gradient[n]);
        if (out->marginal[n]) crs_total_read(t, array + 1, 0, rows, out->marginal[n]);
    }
}

static bool pass_alone(crs_envelope *s, crs_envelope_sums *out, crease_error *e)
{
    crs_slab slab;
    if (!s->source->ops->take(s->source, 0, &slab, e)) return false;
    const crs_slab merged = crs_slab_merged(&slab, &s->r.k.shape);
    crs_envelope_look_at(&s->one, &merged);
    crs_envelope_pass(&s->one, &s->r, &s->r.k, out);
    s->source->ops->give(s->source, &slab);
    return true;
}

bool crs_envelope_evaluate(crs_envelope *s, ptrdiff_t rank, const double *const *factor,
                           const crs_penalty_value *judge, const crs_penalty_value *next,
                           crs_envelope_sums *out, crease_error *e)
{
    crease_watch *watch = out->uncut ? NULL : s->r.c.watch;
    s->r.k.rank = rank;
    for (int n = 0; n < s->r.c.shape.order; n++) {
        s->r.k.factor[n] = factor[n];
        s->r.gradient[n] = out->gradient[n];
        s->r.marginal[n] = out->marginal[n];
    }
    s->r.judge = *judge;
    s->r.next = *next;
    s->r.same = judge == next;
    s->r.every = out->every;
    out->observed = s->observed;
    if (s->listed) {
        crs_observed_evaluate(s->listed, rank, factor, judge, next, s->r.unit, out);
        return true;
    }
    if (!s->look.job) return pass_alone(s, out, e);
    if (!crs_look_run(&s->look, &s->r, watch, e) || crease_watch_over(watch)) return false;
    read_sums(s, out);
    return true;
}

bool crs_envelope_read(crs_envelope *s, ptrdiff_t rank, const double *const *factor,
                       const crs_penalty_value *penalty, crs_cp_part part, double *out,
                       crease_error *e)
{
    crs_envelope_piece *p = s->look.job ? ((pieces *)s->look.room)->worker : &s->one;
    crs_kruskal k = { .shape = s->r.c.shape, .rank = rank };
    for (int n = 0; n < k.shape.order; n++) k.factor[n] = factor[n];
    for (ptrdiff_t j = 0; j < s->source->cut.count; j++) {
        crs_slab slab;
        if (!s->source->ops->take(s->source, j, &slab, e)) return false;
        const crs_slab merged = crs_slab_merged(&slab, &k.shape);
        const crs_kruskal own = crs_slab_kruskal(&merged, &k);
        crs_envelope_look_at(p, &merged);
        crs_envelope_read_slab(p, penalty, &own, part, out + slab.first);
        s->source->ops->give(s->source, &slab);
    }
    return true;
}
