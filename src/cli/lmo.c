/* SPDX-License-Identifier: MIT
 * lmo: a point of a set that minimizes <c,y>, or <c,y> + r(y) */
#include <limits.h>

#include "cli/cli.h"

typedef struct {
    crs_named_set set;
    crs_named_reg reg; /* ops NULL: none */
    crs_array c;
    double *y, value, support; /* support = max <-c,y> over the set */
} job;

static bool generalized(job *b, crease_error *e)
{
    const crease_space *s = &b->c.shape;
    if (!crease_lmo_with_check(&b->set.set, &b->reg.reg, s, e)) return false;
    double *work =
        crs_doubles(crease_lmo_with_scratch(&b->set.set, &b->reg.reg, s), "a linear oracle", e);
    if (!work) return false;
    b->value = crease_lmo_with(&b->set.set, &b->reg.reg, s, b->c.data, b->y, work);
    crs_free(work);
    return true;
}

static bool plain(job *b, crease_error *e)
{
    const crease_space *s = &b->c.shape;
    double *minus = b->y + crease_size(s);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) minus[j] = -b->c.data[j];
    if (!crease_support(&b->set.set, s, minus, &b->support, e)) return false;
    if (isinf(b->support) && !b->set.set.ops->compact)
        return crs_fail(e, CREASE_BAD_DATA,
                        "<c,y> is unbounded below over %s for this c; use a bounded set",
                        b->set.set.ops->name);
    if (!crease_lmo(&b->set.set, s, b->c.data, b->y, e)) return false;
    b->value = crease_dot(s, b->c.data, b->y);
    return true;
}

static bool print_json(const job *b, crease_error *e)
{
    const crease_set *set = &b->set.set;
    const ptrdiff_t n = crease_size(&b->c.shape);
    crs_document d;
    const crs_spot top = crs_document_begin(&d, "lmo");
    crs_document_spell_odd(&d);
    crs_put_text(top, "entry", set->ops->name);
    const crs_spot par = crs_put_parameters(top, "parameters", set->ops->params, set->par);
    if (set->vec && set->ops->vector) crs_put_numbers(par, set->ops->vector, n, set->vec);
    if (b->reg.reg.ops) crs_put_text(top, "reg", b->reg.spec.name);
    crs_put_shape(top, "shape", &b->c.shape);
    crs_put_numbers(top, "x", n, b->y);
    crs_put_number(top, "value", b->value);
    if (b->reg.reg.ops)
        crs_put_null(top, "support");
    else
        crs_put_number(top, "support", b->support);
    return crs_document_print(&d, true, e);
}

static bool run(const crs_args *a, crease_error *e)
{
    job b = { .y = NULL };
    const char *reg = crs_given(a, CRS_OPT_REG);
    if (!reg && (crs_given(a, CRS_OPT_GROUPS) || crs_given(a, CRS_OPT_WEIGHTS)))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--groups and --weights belong to a regularizer; add --reg REG");
    bool done = crs_set_open(a->word[0], &b.set, e) && (!reg || crs_reg_open(reg, &b.reg, e)) &&
                crs_read_point(a, 1, &b.c, e) && crs_set_fit(&b.set, &b.c.shape, e) &&
                (!reg || crs_reg_fit(a, &b.c.shape, &b.reg, e));
    const ptrdiff_t n = done ? crease_size(&b.c.shape) : 0;
    done = done && (b.y = crs_doubles(2 * n, "a linear oracle", e)) &&
           (reg ? generalized(&b, e) : plain(&b, e)) &&
           crs_check_result(b.set.set.ops->name, n, b.y, e);
    if (done) crs_print_notice(a, &b.c);
    if (done && crs_given(a, CRS_OPT_JSON))
        done = print_json(&b, e);
    else if (done)
        crs_print_numbers(n, b.y);
    crs_free(b.y);
    crs_array_free(&b.c);
    crs_reg_close(&b.reg);
    crs_set_close(&b.set);
    return done;
}

const crs_verb crs_lmo_verb = {
    .name = "lmo",
    .words = "SET [-- NUMBER...]",
    .word = CRS_KIND_SET,
    .least = 1,
    .most = INT_MAX,
    .text = "Minimize <c,y> over a set. The set is an entry of 'crease list sets' with its "
            "parameters; c is given by numbers or by a file; the minimizer is printed one number "
            "per line. With --json also its value <c,y> and the support max <-c,y>, which is minus "
            "the value, or for some sets a rounding above it. With --reg the minimum of <c,y> + "
            "r(y) for the pairs that have a "
            "closed form.",
    .example = "crease lmo l1-ball:2 -- 0.5 -3 1",
    .takes = CRS_LIST(CRS_TAKES(REG), CRS_TAKES(GROUPS), CRS_TAKES(WEIGHTS), CRS_TAKES(SHAPE),
                      CRS_TAKES(INPUT), CRS_TAKES(JSON)),
    .run = run,
};
