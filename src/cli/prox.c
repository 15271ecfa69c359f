/* SPDX-License-Identifier: MIT
 * prox: x minimizes r(x) + |x - v|^2/(2t), over a box, a ball or a set when one is given */
#include <limits.h>

#include "cli/cli.h"

typedef struct {
    crs_named_reg r;
    crs_named_set c; /* ops NULL: no set */
    crs_array v;
    double t;
    double *x, *g; /* g = (v - x)/t */
} job;

static bool read_step(const crs_args *a, double *t, crease_error *e)
{
    if (!crs_given(a, CRS_OPT_STEP))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the step is missing; add --step T with T > 0");
    if (!crs_option_number(a, CRS_OPT_STEP, 0, t, e)) return false;
    return (*t > 0 && *t < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "--step %g is outside its range: give a number in (0, inf)", *t);
}

/* At most one of --box, --ball and --set. */
static bool open_region(const crs_args *a, crs_named_set *c, crease_error *e)
{
    double low, high;
    const char *box = crs_given(a, CRS_OPT_BOX), *ball = crs_given(a, CRS_OPT_BALL),
               *set = crs_given(a, CRS_OPT_SET);
    if (!!box + !!ball + !!set > 1)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--box, --ball and --set exclude each other; give one");
    if (set) return crs_set_open(set, c, e);
    if (ball) {
        if (!crs_option_number(a, CRS_OPT_BALL, 0, &low, e)) return false;
        c->set = crease_l2_ball(low);
        return crease_param_check("--ball", c->set.ops->params, c->set.par, e);
    }
    if (!box) return true;
    if (!crs_option_number(a, CRS_OPT_BOX, 0, &low, e) ||
        !crs_option_number(a, CRS_OPT_BOX, 1, &high, e))
        return false;
    if (!(low <= high))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "--box %g %g is empty; give L <= U", low, high);
    c->set = crease_box(low, high);
    return true;
}

static bool joint_prox(job *b, crease_error *e)
{
    double most = INFINITY;
    const crease_space *s = &b->v.shape;
    if (!crease_joint_check(&b->r.reg, &b->c.set, s, &most, e)) return false;
    if (!(b->t < most))
        return crs_fail(
            e, CREASE_BAD_ARGUMENT,
            "--step %g: the prox of %s over %s is exact only for steps below %g; give a "
            "smaller one",
            b->t, b->r.spec.name, b->c.set.ops->name, most);
    double *work = crs_doubles(crease_joint_scratch(&b->r.reg, &b->c.set, s), "a joint prox", e);
    if (!work) return false;
    crease_joint_prox(&b->r.reg, &b->c.set, s, b->t, b->v.data, b->x, work);
    crs_free(work);
    return true;
}

static bool compute(job *b, crease_error *e)
{
    const ptrdiff_t n = crease_size(&b->v.shape);
    b->x = crs_doubles(2 * n, "a prox", e);
    if (!b->x) return false;
    b->g = b->x + n;
    if (!(b->c.set.ops ? joint_prox(b, e)
                       : crease_prox(&b->r.reg, &b->v.shape, b->t, b->v.data, b->x, e)))
        return false;
    for (ptrdiff_t j = 0; j < n; j++) b->g[j] = (b->v.data[j] - b->x[j]) / b->t;
    return crs_check_result(b->r.spec.name, n, b->x, e);
}

/* dist((v-x)/t, d(r + indicator)(x)): known without a set, and for a box where the entry says. */
static bool add_dist(const crs_args *a, job *b, crs_spot to, crease_error *e)
{
    const crease_reg *r = &b->r.reg;
    const crease_space *s = &b->v.shape;
    double dist = 0;
    if (!b->c.set.ops) {
        if (!crease_reg_dist(r, s, b->x, b->g, &dist, e)) return false;
        crs_put_number(to, "dist", dist);
    } else if (crs_given(a, CRS_OPT_BOX) && r->ops->dist_box) {
        const crease_bounds bounds = { .low = b->c.set.par[0], .high = b->c.set.par[1] };
        double *work = crs_doubles(crease_reg_scratch(r, s), "a distance", e);
        if (!work) return false;
        crs_put_number(to, "dist", r->ops->dist_box(r, s, &bounds, b->x, b->g, work));
        crs_free(work);
    } else {
        crs_put_null(to, "dist");
    }
    return true;
}

static bool print_json(const crs_args *a, job *b, crease_error *e)
{
    double value;
    const crease_reg *r = &b->r.reg;
    const ptrdiff_t n = crease_size(&b->v.shape);
    if (!crease_reg_value(r, &b->v.shape, b->x, &value, e)) return false;
    crs_document d;
    const crs_spot top = crs_document_begin(&d, "prox");
    crs_document_spell_odd(&d);
    crs_put_text(top, "entry", b->r.spec.name);
    const crs_spot par = crs_put_parameters(top, "parameters", b->r.params, r->par);
    if (r->weight)
        crs_put_numbers(par, r->ops->vector ? r->ops->vector : "weights",
                        r->groups ? r->groups->count : n, r->weight);
    crs_put_number(top, "step", b->t);
    if (b->c.set.ops) crs_put_text(top, "set", b->c.set.ops->name);
    crs_put_shape(top, "shape", &b->v.shape);
    crs_put_numbers(top, "x", n, b->x);
    crs_put_number(top, "value", value);
    if (add_dist(a, b, top, e)) return crs_document_print(&d, true, e);
    crs_document_free(&d);
    return false;
}

static bool run(const crs_args *a, crease_error *e)
{
    job b = { .t = 0 };
    bool done = crs_reg_open(a->word[0], &b.r, e) && read_step(a, &b.t, e) &&
                open_region(a, &b.c, e) && crs_read_point(a, 1, &b.v, e) &&
                (!b.c.set.ops || crs_set_fit(&b.c, &b.v.shape, e)) &&
                crs_reg_fit(a, &b.v.shape, &b.r, e) && compute(&b, e);
    if (done) crs_print_notice(a, &b.v);
    if (done && crs_given(a, CRS_OPT_JSON))
        done = print_json(a, &b, e);
    else if (done)
        crs_print_numbers(crease_size(&b.v.shape), b.x);
    crs_free(b.x);
    crs_array_free(&b.v);
    crs_set_close(&b.c);
    crs_reg_close(&b.r);
    return done;
}

const crs_verb crs_prox_verb = {
    .name = "prox",
    .words = "REG [-- NUMBER...]",
    .word = CRS_KIND_REGULARIZER,
    .least = 1,
    .most = INT_MAX,
    .text =
        "Minimize r(x) + |x-v|^2/(2t) over x. The regularizer r is an entry of 'crease list "
        "regularizers' with its parameters, as scad:1,3.7; v is given by numbers or by a file; "
        "x is printed one number per line. The minimizer is global for every step, convex or not; "
        "of equal ones the smallest is taken. With --json also r(x) and dist, the distance of "
        "(v-x)/t to the subdifferential of r at x, which is zero up to rounding.",
    .example = "crease prox scad:1,3.7 --step 1 -- 0.5 -2.5 5",
    .takes = CRS_LIST(CRS_TAKES(STEP), CRS_TAKES(BOX), CRS_TAKES(BALL), CRS_TAKES(SET),
                      CRS_TAKES(GROUPS), CRS_TAKES(WEIGHTS), CRS_TAKES(SHAPE), CRS_TAKES(INPUT),
                      CRS_TAKES(JSON)),
    .run = run,
};
