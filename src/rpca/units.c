/* SPDX-License-Identifier: MIT
 * units: data far from 1 in size are multiplied by a power of two, the settings with them, and what
 * was learned from them back. Powers of two are exact: the run is the one that the data would have
 * in their own unit, were doubles without an exponent's bounds. */
#include <float.h>
#include <stdlib.h>

#include "rpca/handle.h"
#include "smooth/fit.h"

enum {
    COPIED = 30,  /* up to this power cp by entries, which is the same in any unit, takes no copy */
    HIGHEST = 100 /* up to this power the engines count; and settings that no other unit can have
                     are taken as they are */
};

/* A setting whose number is in the unit of the data, in a way that differs from block to block. */
static const char *absolute(const crease_rpca_settings *s, const crease_options *o)
{
    const bool pcp = s->kind == CREASE_RPCA_PCP;
    crease_reg other;
    if (!o->relative) return "an eps that is not relative";
    if (o->mode == CREASE_MODE_PAPER) return "the recipe of paper mode";
    if (o->theta > 0) return "theta";
    if (o->h > 0) return "h";
    if (pcp && (o->beta > 0 || o->gamma > 0 || o->mu > 0)) return "beta, gamma or mu";
    if (s->penalty.ops && !crs_reg_rescale(&s->penalty, 1, &other)) return "this penalty";
    return NULL;
}

/* The largest entry may be HIGHEST above 1 and most of the others as far below. */
static bool fit_range(const crs_extent *a, const char *where, double value, int *k, crease_error *e)
{
    if (a->at < 0 || a->most - *k <= HIGHEST) return true;
    *k = a->most - HIGHEST;
    return *k - a->middle <= HIGHEST ||
           crs_fail(e, CREASE_BAD_DATA,
                    "%s is %g and half of the data are below 1e%d: no result can hold both; mark "
                    "such entries as missing, or cut them",
                    where, value, (int)lround(a->middle * log10(2)));
}

/* The extent of a source: by exponents, |t| < 2^exponent <= 2|t|, and where the largest is. */
enum { LOWEST = DBL_MIN_EXP - DBL_MANT_DIG, EXPONENTS = DBL_MAX_EXP - LOWEST + 1 };

static int exponent(double x)
{
    int k;
    frexp(x, &k);
    return k;
}

typedef struct {
    double largest;
    ptrdiff_t size;
} extent_look;

static void plan_extent(const void *args, const crease_space *shape, crs_total *sums)
{
    (void)args, (void)shape;
    crs_total_plan(sums, CRS_COUNT, EXPONENTS);
    crs_total_plan(sums, CRS_MOST, 1);
}

static bool add_extent(const void *args, void *room, const crs_slab *slab, int worker,
                       crs_total *sums, crease_error *e)
{
    const extent_look *a = args;
    const int64_t one = 1;
    (void)room, (void)worker, (void)e;
    for (ptrdiff_t j = 0, n = crease_size(&slab->shape); j < n; j++) {
        const double t = slab->t[j];
        if (t == 0 || !isfinite(t) || (slab->w && !slab->w[j])) continue;
        const int64_t from_end = a->size - slab->first - j;
        crs_total_count(sums, 0, exponent(t) - LOWEST, 1, &one);
        if (fabs(t) == a->largest) crs_total_count(sums, 1, 0, 1, &from_end);
    }
    return true;
}

static void visit_extent(crs_visitor *v, void *self)
{
    extent_look *a = self;
    crs_visit(v, *a);
}

const crs_job crs_extent_job = { .name = "extent",
                                 .size = sizeof(extent_look),
                                 .visit = visit_extent,
                                 .plan = plan_extent,
                                 .add = add_extent };

/* The same of observed entries that are all there is; most: the first of the largest. */
static void listed_extent(const crs_coordinates *t, double largest, crs_extent *a, double *most)
{
    int64_t count[EXPONENTS] = { 0 }, all = 0, below = 0;
    for (ptrdiff_t i = 0, k = 0; i < t->shape.dim[t->lead]; i++)
        for (; k < t->start[i + 1]; k++) {
            const double x = t->value[k];
            ptrdiff_t at[CREASE_MAX_ORDER];
            if (x == 0) continue;
            count[exponent(x) - LOWEST]++, all++;
            if (fabs(x) != largest) continue;
            const ptrdiff_t place = crs_coordinates_place(t, i, k, at);
            if (*most == 0 || place < a->at) a->at = place, *most = x;
        }
    for (a->middle = LOWEST; below + count[a->middle - LOWEST] <= all / 2; a->middle++)
        below += count[a->middle - LOWEST];
}

static bool source_extent(crs_source *t, crs_extent *a, double *most, crease_error *e)
{
    const extent_look args = { t->facts.largest, crease_size(&t->cut.shape) };
    crs_look l;
    int64_t all = 0, below = 0;
    *a = (crs_extent){ .at = -1 };
    *most = 0;
    if (!(args.largest > 0)) return true;
    a->at = 0;
    a->most = a->middle = exponent(args.largest);
    if (abs(a->most) <= CRS_ORDINARY) return true;
    if (crs_is_listed(t)) return listed_extent(t->listed, args.largest, a, most), true;
    if (!crs_look_once(&l, t, &crs_extent_job, &args, 1, NULL, e)) return false;
    const int64_t *count = l.sums.array[0].whole;
    a->at = args.size - (ptrdiff_t)l.sums.array[1].whole[0];
    for (int k = 0; k < EXPONENTS; k++) all += count[k];
    for (a->middle = LOWEST; below + count[a->middle - LOWEST] <= all / 2; a->middle++)
        below += count[a->middle - LOWEST];
    crs_look_close(&l);
    return crs_source_entries(t, 1, &a->at, most, NULL, e);
}

/* The power that the data, of which one is `most`, are divided by; 0: none. */
static bool choose(const crease_rpca_settings *s, const crease_options *o, crs_extent a,
                   double most, int *k, crease_error *e)
{
    const bool light = s->kind == CREASE_RPCA_CP && (!s->penalty.ops || crs_is_plain(&s->penalty));
    const char *own = absolute(s, o);
    char where[300] = "";
    if (a.at >= 0) crs_cp_place(&s->shape, a.at, where, sizeof where - 20);
    strcat(where, " of the tensor");
    *k = crs_extent_unit(&a, light ? COPIED : CRS_ORDINARY);
    if (!crs_extent_fits(&a, where, "the data", most, e) || !fit_range(&a, where, most, k, e))
        return false;
    if (*k == 0 || !own) return true;
    if (abs(*k) > HIGHEST)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%s is %g: data of this size are worked on in a unit of their own, which "
                        "%s does not allow; leave it out, or %s the data by 1e%d",
                        where, most, own, *k > 0 ? "divide" : "multiply",
                        (int)lround(abs(*k) * log10(2)));
    *k = 0;
    return true;
}

static void set_powers(crs_units *u, const crease_rpca_settings *s, int k)
{
    const int d = s->shape.order, share = s->kind == CREASE_RPCA_CP     ? d
                                          : s->kind == CREASE_RPCA_BALL ? 2
                                                                        : 1;
    u->data = k - k % share; /* so that X_n has a whole power */
    u->factor = share > 1 ? u->data / share : 0;
    u->value = s->kind == CREASE_RPCA_PCP ? u->data : 2 * u->data;
    u->factors = s->kind == CREASE_RPCA_PCP ? 0 : s->kind == CREASE_RPCA_BALL ? 2 : d;
}

static bool take_start(crs_units *u, const crease_rpca_settings *s, crease_error *e)
{
    for (int n = 0; s->factor && n < s->shape.order; n++) {
        const ptrdiff_t size = s->shape.dim[n] * s->rank;
        u->start[n] = crs_doubles(size, "a start in another unit", e);
        if (!u->start[n]) return false;
        crs_times_power(size, -u->factor, s->factor[n], u->start[n]);
    }
    return true;
}

static bool take_data(crs_units *u, const crease_rpca_settings *s, const double *tensor,
                      crease_error *e)
{
    u->size = crease_size(&s->shape);
    u->given = tensor;
    u->mask = s->mask;
    u->tensor = crs_doubles(u->size, "the data in another unit", e);
    if (!u->tensor) return false;
    crs_times_power(u->size, -u->data, tensor, u->tensor);
    return take_start(u, s, e);
}

/* alpha, alpha_N and learn are pure numbers. */
static bool change(crs_units *u, crease_rpca_settings *s, bool learns, crease_error *e)
{
    u->ridge = s->ridge;
    s->ridge = ldexp(s->ridge, 2 * u->factor - u->value);
    s->eta = ldexp(s->eta, -u->data);
    if (s->factor) s->factor = (const double *const *)u->start;
    if (!(s->ridge < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the ridge %g is out of all proportion to the data, which are of the size "
                        "1e%d; give a smaller one",
                        u->ridge, (int)lround(u->data * log10(2)));
    if (learns || s->kind == CREASE_RPCA_PCP) return true;
    u->penalty = s->penalty.ops ? s->penalty : crease_l1(1);
    return crs_reg_rescale(&u->penalty, ldexp(1, -u->data), &s->penalty) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "the parameters of %s are out of all proportion to the data, which are of the "
                    "size 1e%d; give them in the unit of the data",
                    crs_reg_name(&u->penalty), (int)lround(u->data * log10(2)));
}

bool crs_rpca_enter(crease_rpca *r, bool learns, const double *tensor, crease_error *e)
{
    int k;
    if (!crs_check_shape("robust PCA", &r->s.shape, e)) return false;
    const crs_extent a = crs_extent_of(crease_size(&r->s.shape), tensor, r->s.mask);
    if (!choose(&r->s, &r->o, a, a.at < 0 ? 0 : tensor[a.at], &k, e)) return false;
    if (k == 0) return true;
    crs_units *u = r->units = crs_alloc(1, sizeof *u);
    if (!u) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the data in another unit");
    set_powers(u, &r->s, k);
    return take_data(u, &r->s, tensor, e) && change(u, &r->s, learns, e);
}

/* A slab in another unit is a copy, while it is looked at. */
typedef struct {
    crs_slab given;
    double t[];
} copied;

static bool take_scaled(crs_source *s, ptrdiff_t k, crs_slab *out, crease_error *e)
{
    crs_units *u = (crs_units *)s;
    crs_slab slab;
    if (!u->from->ops->take(u->from, k, &slab, e)) return false;
    const ptrdiff_t n = crease_size(&slab.shape);
    copied *c = crs_alloc(sizeof *c + (size_t)n * sizeof *c->t, 1);
    if (!c) {
        u->from->ops->give(u->from, &slab);
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a slab in another unit");
    }
    c->given = slab;
    crs_times_power(n, -u->data, slab.t, c->t);
    *out = slab;
    out->t = c->t;
    return true;
}

static void give_scaled(crs_source *s, const crs_slab *slab)
{
    const crs_units *u = (const crs_units *)s;
    copied *c = (copied *)((char *)(uintptr_t)slab->t - offsetof(copied, t));
    u->from->ops->give(u->from, &c->given);
    crs_free(c);
}

static void close_scaled(crs_source *s) { (void)s; }

/* Values of their own beside the places of the others. */
static bool scale_list(crs_units *u, const crs_coordinates *t, crease_error *e)
{
    u->list = *t;
    u->list.value = crs_doubles(more(1, t->count), "the data in another unit", e);
    if (!u->list.value) return false;
    crs_times_power(t->count, -u->data, t->value, u->list.value);
    u->scaled.listed = &u->list;
    return true;
}

static void scale_source(crs_units *u, crs_source *t)
{
    static const crs_source_ops ops = { "scaled", take_scaled, give_scaled, close_scaled };
    u->from = t;
    u->scaled = *t;
    u->scaled.ops = &ops;
    crs_source_alone(&u->scaled);
    u->scaled.whole = NULL;
    u->scaled.seen = NULL;
    u->scaled.listed = NULL;
    u->scaled.facts.largest = ldexp(t->facts.largest, -u->data);
    u->scaled.facts.squares = ldexp(t->facts.squares, -2 * u->data);
}

bool crs_rpca_enter_on(crease_rpca *r, bool learns, crs_source *t, crease_error *e)
{
    crs_extent a;
    double most;
    int k;
    if (!source_extent(t, &a, &most, e) || !choose(&r->s, &r->o, a, most, &k, e)) return false;
    if (k == 0) return true;
    crs_units *u = r->units = crs_alloc(1, sizeof *u);
    if (!u) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the data in another unit");
    set_powers(u, &r->s, k);
    scale_source(u, t);
    if (crs_is_listed(t) && !scale_list(u, t->listed, e)) return false;
    return take_start(u, &r->s, e) && change(u, &r->s, learns, e);
}

void crs_units_free(crs_units *u)
{
    if (!u) return;
    for (int i = 0; i < CRS_RPCA_BLOCKS; i++) crs_free(u->block[i]);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(u->start[n]);
    crs_free(u->list.value);
    crs_free(u->multiplier);
    crs_free(u->row);
    crs_free(u->cut);
    crs_free(u->rhs);
    crs_free(u->tensor);
    crs_free(u);
}

static void own_settings(const crs_units *u, crease_rpca_settings *s)
{
    s->ridge = u->ridge;
    s->eta = ldexp(s->eta, u->data);
    if (u->penalty.ops)
        s->penalty = u->penalty;
    else if (s->penalty.ops && s->kind != CREASE_RPCA_PCP) {
        const crease_reg learned = s->penalty;
        crs_reg_rescale(&learned, ldexp(1, u->data), &s->penalty);
    }
}

static void own_ranks(const crs_units *u, crease_cp_rank_table *t)
{
    const int last = t ? t->judged.order - 1 : 0;
    for (ptrdiff_t k = 0; t && k < t->count; k++) {
        crease_cp_rank_row *r = &t->row[k];
        r->loss = ldexp(r->loss, 2 * u->data);
        r->objective = ldexp(r->objective, 2 * u->data);
        r->held_out = ldexp(r->held_out, u->data);
        r->fitted = ldexp(r->fitted, u->data);
        for (ptrdiff_t j = 0; j < t->judged.dim[last] * r->rank; j++)
            r->factor[last][j] = ldexp(r->factor[last][j], u->data);
    }
}

static bool own_facts(crs_units *u, crease_rpca_facts *f, crease_error *e)
{
    double *const size[] = { &f->threshold, &f->deviation, &f->learned_deviation,
                             &f->learned_threshold };
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) *size[k] = ldexp(*size[k], u->data);
    if (f->cuts == 0) return true;
    u->cut = crs_alloc((size_t)f->cuts, sizeof *u->cut);
    if (!u->cut) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the terms that were cut");
    for (ptrdiff_t k = 0; k < f->cuts; k++)
        u->cut[k] = (crease_cp_cut){ f->cut[k].reason, ldexp(f->cut[k].size, u->data),
                                     ldexp(f->cut[k].noise, u->data), f->cut[k].mode };
    f->cut = u->cut;
    return true;
}

static void own_support(const crs_units *u, crease_cp_fit *f)
{
    for (ptrdiff_t k = 0; f && f->support && k < f->terms; k++) {
        f->support[k].size = ldexp(f->support[k].size, u->data);
        f->support[k].gain = ldexp(f->support[k].gain, 2 * u->data);
        f->support[k].needed = ldexp(f->support[k].needed, 2 * u->data);
    }
}

static bool reserve(crease_rpca *r, const crease_problem *p, crease_error *e)
{
    crs_units *u = r->units;
    ptrdiff_t left, right;
    crease_rpca_rows(r, &left, &right);
    u->row = crs_doubles(right, "a row of the result", e);
    if (p) u->multiplier = crs_doubles(u->size, "the multiplier", e);
    if (p) u->rhs = crs_doubles(u->size, "the data", e);
    if (!u->row || (p && (!u->multiplier || !u->rhs))) return false;
    for (int i = 0, count = p ? p->count : r->s.shape.order + (r->tucker ? 1 : 0); i < count; i++) {
        const ptrdiff_t n = p           ? crease_size(&p->space[i])
                            : r->tucker ? crs_tucker_block_size(&r->s.shape, &r->s.ranks, i)
                                        : r->s.shape.dim[i] * r->s.rank;
        u->block[i] = crs_doubles(n, "a block in the unit of the data", e);
        if (!u->block[i]) return false;
    }
    return true;
}

/* The run's problem with the user's data, penalty and sets. */
static void set_problem(crease_rpca *r, const crease_problem *p)
{
    crs_units *u = r->units;
    u->problem = *p;
    u->problem.block = u->part;
    u->problem.rhs = u->rhs;
    u->sparse = r->s.penalty;
    crease_rpca_read(r, CREASE_RPCA_DATA, 0, r->s.shape.dim[0], u->rhs);
    for (int i = 0; i < p->count; i++) {
        u->part[i] = p->block[i];
        u->part[i].start = NULL;
        if (crs_is_kind(&p->block[i].reg, CREASE_KIND_SCALED))
            u->part[i].reg = crease_scaled(r->s.alpha, &u->sparse);
        if (!p->block[i].set) continue;
        u->inside[i] = *p->block[i].set;
        u->inside[i].par[0] = ldexp(u->inside[i].par[0], crs_block_power(u, i));
        u->part[i].set = &u->inside[i];
    }
}

static void blank_missing(const crs_units *u, double *tensor)
{
    for (ptrdiff_t j = 0; j < u->size; j++)
        if (isnan(tensor[j]) || (u->mask && u->mask[j] == 0)) tensor[j] = 0;
}

bool crs_rpca_leave(crease_rpca *r, double *tensor, crease_error *e)
{
    crs_units *u = r->units;
    const crease_problem *p = r->model ? crease_tucker_rpca_problem(r->model) : NULL;
    if (!u) return true;
    own_settings(u, &r->s);
    own_ranks(u, r->ranks);
    own_support(u, r->cp);
    if (!own_facts(u, &r->facts, e) || !reserve(r, p, e)) return false;
    if (!p && tensor) blank_missing(u, tensor);
    if (!p) return true;
    crs_free(u->tensor);
    u->tensor = NULL;
    set_problem(r, p);
    return true;
}

/* Of the largest residual the block is not known: as that of E, Z and B. */
crease_progress crs_rpca_own_progress(const crease_rpca *r, const crease_progress *now)
{
    const crs_units *u = r->units;
    return u ? crs_rescale(now, u->value, u->data) : *now;
}
