/* SPDX-License-Identifier: MIT
 * project: the nearest point of a set */
#include <limits.h>

#include "cli/cli.h"

static bool print_json(const crs_named_set *c, const crs_array *v, const double *x, double *gap,
                       crease_error *e)
{
    double excess;
    const ptrdiff_t n = crease_size(&v->shape);
    if (!crease_excess(&c->set, &v->shape, x, &excess, e)) return false;
    for (ptrdiff_t j = 0; j < n; j++) gap[j] = v->data[j] - x[j];
    crs_document d;
    const crs_spot top = crs_document_begin(&d, "project");
    crs_document_spell_odd(&d);
    crs_put_text(top, "entry", c->set.ops->name);
    const crs_spot par = crs_put_parameters(top, "parameters", c->set.ops->params, c->set.par);
    if (c->set.vec && c->set.ops->vector) crs_put_numbers(par, c->set.ops->vector, n, c->set.vec);
    crs_put_shape(top, "shape", &v->shape);
    crs_put_numbers(top, "x", n, x);
    crs_put_number(top, "distance", crease_norm(&v->shape, gap));
    crs_put_number(top, "excess", excess);
    return crs_document_print(&d, true, e);
}

static bool run(const crs_args *a, crease_error *e)
{
    crs_named_set c = { .set = { .ops = NULL } };
    crs_array v = { .data = NULL };
    double *x = NULL;
    bool done = crs_set_open(a->word[0], &c, e) && crs_read_point(a, 1, &v, e) &&
                crs_set_fit(&c, &v.shape, e);
    const ptrdiff_t n = done ? crease_size(&v.shape) : 0;
    done = done && (x = crs_doubles(2 * n, "a projection", e)) &&
           crease_project(&c.set, &v.shape, v.data, x, e) &&
           crs_check_result(c.set.ops->name, n, x, e);
    if (done) crs_print_notice(a, &v);
    if (done && crs_given(a, CRS_OPT_JSON))
        done = print_json(&c, &v, x, x + n, e);
    else if (done)
        crs_print_numbers(n, x);
    crs_free(x);
    crs_array_free(&v);
    crs_set_close(&c);
    return done;
}

const crs_verb crs_project_verb = {
    .name = "project",
    .words = "SET [-- NUMBER...]",
    .word = CRS_KIND_SET,
    .least = 1,
    .most = INT_MAX,
    .text =
        "Find the point of a set nearest to v. The set is an entry of 'crease list sets' with "
        "its parameters, as l1-ball:2; v is given by numbers or by a file; the point is printed "
        "one number per line. With --json also the distance |v-x| and excess, by how much x "
        "violates the inequalities of the set: zero up to rounding.",
    .example = "crease project simplex:1 -- 0.9 0.8 -0.3",
    .takes = CRS_LIST(CRS_TAKES(SHAPE), CRS_TAKES(INPUT), CRS_TAKES(JSON)),
    .run = run,
};
