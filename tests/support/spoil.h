/* SPDX-License-Identifier: MIT
 * spoil.h: ways to break a problem of fodder.h */
#ifndef CREASE_SPOIL_H
#define CREASE_SPOIL_H

#include "support/fodder.h"

static const double odd[] = { NAN,   INFINITY, -INFINITY, 1e308, -1e308, 1e-308, 5e-324,
                              1e150, -1e150,   1e-150,    1e20,  1e-20,  0,      -0.0,
                              -1,    1,        1e8,       -1e-8, 2.5,    1e300 };

static inline int pick(draws *d, int n) { return (int)uniform(d, 0, n); }
static inline double odd_number(draws *d) { return odd[pick(d, sizeof odd / sizeof *odd)]; }

static inline void spoil_numbers(fodder *f, draws *d)
{
    const int from = pick(d, f->used), to = from + 1 + pick(d, 8);
    const double factors[] = { 1e150, 1e-150, 1e8, 1e-8, 0, -1, 1e-300 };
    const double factor = factors[pick(d, 7)];
    switch (pick(d, 4)) {
    case 0:
        for (int k = 0; k < f->used; k++) f->pool[k] *= factor;
        break;
    case 1:
        for (int k = from; k < to && k < f->used; k++) f->pool[k] *= factor;
        break;
    case 2: /* equal rows and worse: a stretch repeats itself */
        for (int k = from; k < f->used; k++) f->pool[k] = f->pool[from + (k - from) % 3];
        break;
    default:
        f->pool[from] = odd_number(d);
    }
}

static inline void spoil_parameters(fodder *f, draws *d)
{
    const int i = pick(d, f->p.count);
    switch (pick(d, 5)) {
    case 0:
        f->block[i].reg.par[pick(d, 2)] = odd_number(d);
        break;
    case 1:
        f->set[i].par[pick(d, 2)] = odd_number(d);
        break;
    case 2:
        if (f->link[i] == SCALE) f->block[i].map = crease_identity(odd_number(d));
        break;
    case 3:
        f->term[0].weight = f->distance[0].weight = f->bilinear.weight = odd_number(d);
        break;
    default:
        f->lie = odd_number(d);
        f->own.constants.L = odd_number(d);
    }
}

static inline void spoil_shape(fodder *f, draws *d)
{
    crease_space *s = &f->space[pick(d, f->p.count)];
    switch (pick(d, 6)) {
    case 0:
        s->order = (int[]){ 0, -1, 9, 2 }[pick(d, 4)];
        break;
    case 1:
        s->dim[0] = (ptrdiff_t[]){ 0, -3, 1, 2, PTRDIFF_MAX }[pick(d, 5)];
        break;
    case 2:
        f->p.count = (int[]){ 0, -1, 1 }[pick(d, 3)];
        break;
    case 3:
        f->p.range = (crease_space){ 1, { (ptrdiff_t[]){ 0, 1, 2, -1 }[pick(d, 4)] }, NULL };
        break;
    case 4:
        f->block[0].map.ops = NULL;
        f->link[0] = NO_MAP;
        break;
    default:
        f->p.range.order = 0;
    }
}

static inline void spoil_options(fodder *f, draws *d)
{
    crease_options *o = &f->o;
    double *const numbers[] = { &o->eps, &o->beta, &o->gamma, &o->h, &o->mu, &o->theta };
    switch (pick(d, 4)) {
    case 0:
        *numbers[pick(d, 6)] = odd_number(d);
        break;
    case 1:
        o->method = (crease_method)(pick(d, 9) - 1);
        break;
    case 2:
        o->mode = (crease_mode)(pick(d, 5) - 1);
        break;
    default:
        o->certify_every = pick(d, 4) - 1;
        o->accelerate = pick(d, 3);
        o->line_search = pick(d, 2);
    }
}

/* One to three of them. */
static inline void spoil(fodder *f, uint64_t seed)
{
    draws d = { { seed, 99 }, 0 };
    for (int k = 1 + pick(&d, 3); k > 0 && f->p.count > 0; k--) {
        const int what = pick(&d, 8);
        if (what < 4) spoil_numbers(f, &d);
        if (what == 4 || what == 5) spoil_parameters(f, &d);
        if (what == 6) spoil_options(f, &d);
        if (what == 7) spoil_shape(f, &d);
    }
}

#endif
