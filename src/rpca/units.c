/* SPDX-License-Identifier: MIT
 * units: data far from 1 in size are multiplied by a power of two, the settings with them, and the
 * answer back. Powers of two are exact: the run is the one that the data would have in their own
 * unit, were doubles without an exponent's bounds. */
#include <stdlib.h>

#include "rpca/units.h"

enum {
    BLOCKS = CREASE_MAX_ORDER + 4,
    COPIED = 30, /* up to this power cp by entries, which is the same in any unit, takes no copy */
    WIDE = 100   /* and settings that no other unit can have are taken as they are */
};

struct crs_units {
    int data, factor, value; /* powers of the data, the factors and the objective */
    int factors;             /* so many blocks are factors */
    ptrdiff_t size;
    double *tensor;             /* of the run */
    const double *given, *mask; /* the user's */
    crease_reg penalty;         /* the user's; ops NULL: it is learned */
    double ridge;
    double *start[CREASE_MAX_ORDER];
    double *block[BLOCKS], *multiplier; /* as last asked for */
    crease_residual residual[BLOCKS];
    crease_certificate certificate;

    crease_problem problem; /* the user's */
    crease_block part[BLOCKS];
    crease_set inside[BLOCKS];
    crease_reg sparse;
    double *rhs;
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

/* The power that the data are divided by; 0: none. */
static bool choose(const crease_rpca_settings *s, const crease_options *o, const double *tensor,
                   int *k, crease_error *e)
{
    const crs_extent a = crs_extent_of(crease_size(&s->shape), tensor, s->mask);
    const bool light = s->kind == CREASE_RPCA_CP && (!s->penalty.ops || crs_is_plain(&s->penalty));
    const char *own = absolute(s, o);
    char where[300] = "";
    if (a.at >= 0) crs_cp_place(&s->shape, a.at, where, sizeof where - 20);
    strcat(where, " of the tensor");
    *k = crs_extent_unit(&a, light ? COPIED : CRS_ORDINARY);
    if (!crs_extent_fits(&a, where, "the data", a.at < 0 ? 0 : tensor[a.at], e)) return false;
    if (*k == 0 || !own) return true;
    if (abs(*k) > WIDE)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%s is %g: data of this size are worked on in a unit of their own, which "
                        "%s does not allow; leave it out, or %s the data by 1e%d",
                        where, tensor[a.at], own, *k > 0 ? "divide" : "multiply",
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

static bool take_data(crs_units *u, const crease_rpca_settings *s, const double *tensor,
                      crease_error *e)
{
    u->size = crease_size(&s->shape);
    u->given = tensor;
    u->mask = s->mask;
    u->tensor = crs_doubles(u->size, "the data in another unit", e);
    if (!u->tensor) return false;
    crs_times_power(u->size, -u->data, tensor, u->tensor);
    for (int n = 0; s->factor && n < s->shape.order; n++) {
        const ptrdiff_t size = s->shape.dim[n] * s->rank;
        u->start[n] = crs_doubles(size, "a start in another unit", e);
        if (!u->start[n]) return false;
        crs_times_power(size, -u->factor, s->factor[n], u->start[n]);
    }
    return true;
}

/* alpha, alpha_N and learn are pure numbers. */
static bool change(crs_units *u, crease_rpca_settings *s, bool learns, crease_error *e)
{
    u->ridge = s->ridge;
    s->ridge = ldexp(s->ridge, 2 * u->factor - u->value);
    s->eta = ldexp(s->eta, -u->data);
    if (s->factor) s->factor = (const double *const *)u->start;
    if (learns || s->kind == CREASE_RPCA_PCP) return true;
    u->penalty = s->penalty.ops ? s->penalty : crease_l1(1);
    return crs_reg_rescale(&u->penalty, ldexp(1, -u->data), &s->penalty) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "the parameters of %s are out of all proportion to the data, which are of the "
                    "size 1e%d; give them in the unit of the data",
                    crs_reg_name(&u->penalty), (int)lround(u->data * log10(2)));
}

bool crs_units_enter(crease_rpca_settings *s, const crease_options *o, bool learns,
                     const double *tensor, crs_units **out, crease_error *e)
{
    int k;
    *out = NULL;
    if (!choose(s, o, tensor, &k, e)) return false;
    if (k == 0) return true;
    crs_units *u = *out = crs_alloc(1, sizeof *u);
    if (!u) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the data in another unit");
    set_powers(u, s, k);
    return take_data(u, s, tensor, e) && change(u, s, learns, e);
}

void crs_units_free(crs_units *u)
{
    if (!u) return;
    for (int i = 0; i < BLOCKS; i++) crs_free(u->block[i]);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(u->start[n]);
    crs_free(u->multiplier);
    crs_free(u->rhs);
    crs_free(u->tensor);
    crs_free(u);
}

double *crs_units_data(const crs_units *u) { return u->tensor; }

void crs_units_blank(const crs_units *u, double *tensor)
{
    for (ptrdiff_t j = 0; j < u->size; j++)
        if (isnan(tensor[j]) || (u->mask && u->mask[j] == 0)) tensor[j] = 0;
}

void crs_units_drop_data(crs_units *u)
{
    crs_free(u->tensor);
    u->tensor = NULL;
}

void crs_units_settings(const crs_units *u, crease_rpca_settings *s)
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

void crs_units_facts(const crs_units *u, crease_rpca_facts *f, crease_cp_rank_table *ranks)
{
    double *const size[] = { &f->threshold, &f->deviation, &f->learned_deviation,
                             &f->learned_threshold };
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) *size[k] = ldexp(*size[k], u->data);
    for (ptrdiff_t k = 0; ranks && k < ranks->count; k++) {
        crease_cp_rank_row *r = &ranks->row[k];
        double *const square[] = { &r->loss, &r->excess, &r->error, &r->objective };
        for (size_t i = 0; i < sizeof square / sizeof *square; i++)
            *square[i] = ldexp(*square[i], 2 * u->data);
        r->held_out = ldexp(r->held_out, u->data);
        r->fitted = ldexp(r->fitted, u->data);
    }
}

static int power_of(const crs_units *u, int i) { return i < u->factors ? u->factor : u->data; }

static int residual_power(const crs_units *u, int i, int setting)
{
    return setting == 1 ? u->value : u->value - power_of(u, i);
}

/* Of the largest residual the block is not known: that of E, Z and B. */
void crs_units_progress(const crs_units *u, crease_progress *p)
{
    p->objective = ldexp(p->objective, u->value);
    p->feasibility = ldexp(p->feasibility, u->data);
    p->worst = ldexp(p->worst, u->value - u->data);
    p->theta = ldexp(p->theta, 2 * u->data);
    p->potential = ldexp(p->potential, u->value);
    p->decrease = ldexp(p->decrease, u->value);
}

static crease_residual residual_in(crease_residual r, int power)
{
    r.residual = ldexp(r.residual, power);
    r.rounding = ldexp(r.rounding, power);
    r.scale = ldexp(r.scale, power);
    return r;
}

const crease_certificate *crs_units_certificate(crs_units *u, const crease_certificate *c)
{
    crease_certificate *own = &u->certificate;
    *own = *c;
    own->block = u->residual;
    own->objective = ldexp(c->objective, u->value);
    own->outside = ldexp(c->outside, u->data);
    own->feasibility = residual_in(c->feasibility, u->data);
    if (!isfinite(c->worst)) return own;
    own->worst = own->feasibility.residual;
    for (int i = 0; i < c->count; i++) {
        own->block[i] = residual_in(c->block[i], residual_power(u, i, c->block[i].setting));
        own->worst = larger(own->worst, own->block[i].residual);
    }
    return own;
}

static double **room_of(crs_units *u, int i) { return i < 0 ? &u->multiplier : &u->block[i]; }

bool crs_units_reserve(crs_units *u, int i, ptrdiff_t n, crease_error *e)
{
    return (*room_of(u, i) = crs_doubles(n, "a block in the data's unit", e));
}

const double *crs_units_block(crs_units *u, int i, ptrdiff_t n, const double *x)
{
    double *out = *room_of(u, i);
    if (!x) return NULL;
    crs_times_power(n, i < 0 ? u->value - u->data : power_of(u, i), x, out);
    return out;
}

void crs_units_part(const crs_units *u, crease_rpca_part part, ptrdiff_t n, double *out)
{
    if (part != CREASE_RPCA_SEEN) crs_times_power(n, u->data, out, out);
}

/* Not from T': small entries may be 0 there. */
void crs_units_tensor(const crs_units *u, ptrdiff_t first, ptrdiff_t n, double *out)
{
    for (ptrdiff_t j = 0; j < n; j++) out[j] = out[j] != 0 ? u->given[first + j] : 0;
}

void crs_units_noise(const crs_units *u, ptrdiff_t first, ptrdiff_t n, const double *lowrank,
                     double *out)
{
    for (ptrdiff_t j = 0; j < n; j++) out[j] = u->given[first + j] - lowrank[j] - out[j];
}

double *crs_units_problem(crs_units *u, const crease_problem *p, const crease_rpca_settings *s,
                          crease_error *e)
{
    u->problem = *p;
    u->problem.block = u->part;
    u->problem.rhs = u->rhs = crs_doubles(u->size, "the data", e);
    u->sparse = s->penalty;
    for (int i = 0; i < p->count; i++) {
        u->part[i] = p->block[i];
        u->part[i].start = NULL;
        if (crs_is_kind(&p->block[i].reg, CREASE_KIND_SCALED))
            u->part[i].reg = crease_scaled(s->alpha, &u->sparse);
        if (!p->block[i].set) continue;
        u->inside[i] = *p->block[i].set;
        u->inside[i].par[0] = ldexp(u->inside[i].par[0], power_of(u, i));
        u->part[i].set = &u->inside[i];
    }
    return u->rhs;
}

const crease_problem *crs_units_problem_of(const crs_units *u) { return &u->problem; }
