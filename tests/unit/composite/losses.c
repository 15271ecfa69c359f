/* SPDX-License-Identifier: MIT
 * losses: a composite has the value, the gradient and the second derivatives of every loss, with
 * weights, labels and counts */
#include "composite/composite.h"
#include "support/regional_losses.h"

/* f of one model through a composite, against f itself; phi'' against differences of the slopes */
static void compare(const crease_smooth *f, const crease_blocks *b, const point *x, bool loss)
{
    const crease_block block[3] = { { 0 } };
    const crease_problem p = { .count = b->count, .space = b->space, .block = block, .f = *f };
    crs_work work = { 0 };
    crease_error e = { 0 };
    crs_composite *c = crs_composite_new(&p, 1, &work, NULL, &e);
    double at[3 * N0], g[3 * N0], u[64], up[64], v[64], h[64], w[64];
    if (!c) fail_msg("%s: %s", f->ops->name, e.text);
    for (int i = 0; i < b->count; i++) copy(crease_size(&b->space[i]), x->entry[i], at + c->at[i]);
    const double here = crs_smooth_both(c, at, u, g), there = value_of(f, b, x);
    assert_close(here, there, 1e-13);
    assert_close(crs_smooth_part(c, at, u), there, 1e-13);
    for (int i = 0; i < b->count; i++) {
        const vector own = grad_of(f, b, x, i);
        const ptrdiff_t n = crease_size(&b->space[i]);
        assert_true(distance(n, own.entry, g + c->at[i]) <= 1e-13 * (1 + crs_norm(n, own.entry)));
    }
    assert_true((c->terms > 0) == loss);
    if (loss && crs_term_curve(&c->term[0], u, h))
        for (ptrdiff_t j = 0; j < c->rows; j++) {
            const double t = 0x1p-18;
            copy(c->rows, u, up);
            up[j] = u[j] + t;
            crs_term_slope(&c->term[0], up, v);
            up[j] = u[j] - t;
            crs_term_slope(&c->term[0], up, w);
            const bool jumps = strstr("huber quantile squared_hinge", f->ops->name);
            const double off = fabs((v[j] - w[j]) / (2 * t) - h[j]);
            assert_true(off <= 1e-5 * (1 + fabs(h[j])) || jumps);
        }
    crs_composite_free(c);
}

static void every_loss_is_what_it_is(void **state)
{
    draws d = { { 1, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 60; k++) {
        model m;
        regional r;
        point x;
        make_model(&d, 1 + k % 3, k % LOSSES, &m);
        if (k % 2) m.p.weight = m.weight;
        const crease_smooth f = make_loss(k % LOSSES, &m.p);
        draw_point(&d, &m.blocks, 0.5, &x);
        compare(&f, &m.blocks, &x, m.p.count < 3); /* the third repeats a block */
        const crease_smooth g = make_regional(&d, k % REGIONAL, 1 + k % 3, &r);
        draw_point(&d, &r.m.blocks, 0.2, &x);
        const bool loss = g.ops->family == CREASE_SMOOTH_LOSS;
        compare(&g, &r.m.blocks, &x, loss && r.m.p.count < 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_loss_is_what_it_is) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
