/* SPDX-License-Identifier: MIT
 * view: a composite problem with further terms in place of its constraint, on the same blocks and
 * matrices */
#include "composite/composite.h"

#include "core/carve.h"

typedef struct {
    crs_composite *view;
    ptrdiff_t longest;
    int terms;
} builder;

static void carve(void *self, crs_carver *v)
{
    builder *b = self;
    b->view->term = carve_bytes(v, b->terms, sizeof *b->view->term);
    b->view->slope = carve_doubles(v, b->longest, 1);
}

crs_composite *crs_composite_with(const crs_composite *c, int extra, const crs_term *more,
                                  crease_error *e)
{
    crs_composite *view = crs_alloc(1, sizeof *view);
    builder b = { .view = view, .terms = c->terms + extra };
    if (view) {
        *view = *c;
        for (int t = 0; t < b.terms; t++) {
            const crs_term *term = t < c->terms ? &c->term[t] : &more[t - c->terms];
            if (term->rows > b.longest) b.longest = term->rows;
        }
        view->matrices = 0; /* none is its own */
        view->constraint = NULL;
        view->borrows_factors = true;
        view->memory = carve_block(carve, &b);
    }
    if (!view || !view->memory) {
        crs_free(view);
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the terms of a problem");
        return NULL;
    }
    view->rows = 0;
    for (int t = 0; t < b.terms; t++) {
        view->term[t] = t < c->terms ? c->term[t] : more[t - c->terms];
        view->term[t].gram = NULL; /* its own, or handed over */
        view->term[t].at = view->rows;
        view->rows += view->term[t].rows;
    }
    view->terms = b.terms;
    return view;
}
