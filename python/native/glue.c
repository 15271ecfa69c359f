/* SPDX-License-Identifier: MIT
 * glue: what Python calls. A handle owns all that the library borrows, arguments are plain, and a
 * call that fails leaves its sentence to the thread that made it. */
#include "native.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local crease_error last;

const char *crpy_error_text(void) { return last.text; }
const char *crpy_error_code(void)
{
    static const char *const name[] = {
#define NAME(code, text) #code,
        CREASE_CODES(NAME)
#undef NAME
    };
    return name[last.code];
}

static bool fail(crease_code code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(last.text, sizeof last.text, format, list);
    va_end(list);
    last.code = code;
    return false;
}

struct crpy_entry {
    crease_spec spec;
    const crease_param *params; /* of the first numbers of the spec */
    const char *vector;         /* what the others are called */

    crease_reg reg; /* a regularizer, or */
    crease_set set; /* a set */

    double *weight, *lower, *upper;
    ptrdiff_t *start, *index;
    crease_groups groups;
    crease_bounds bounds;
    crease_row row;

    ptrdiff_t size; /* how many entries a point must have for the numbers given; 0: any */
};

/* A copy of an array in *to; NULL where there is none. */
static bool keep(const void *from, ptrdiff_t count, size_t width, void **to)
{
    *to = NULL;
    if (!from || count < 1) return true;
    *to = malloc((size_t)count * width);
    if (!*to)
        return fail(CREASE_NO_MEMORY, "out of memory: a copy of %td numbers is wanted", count);
    memcpy(*to, from, (size_t)count * width);
    return true;
}
static bool keep_numbers(const double *from, ptrdiff_t count, double **to)
{
    void *copy;
    const bool done = keep(from, count, sizeof *from, &copy);
    *to = copy;
    return done;
}
static bool keep_indices(const ptrdiff_t *from, ptrdiff_t count, ptrdiff_t **to)
{
    void *copy;
    const bool done = keep(from, count, sizeof *from, &copy);
    *to = copy;
    return done;
}

static crpy_entry *entry_new(const char *text)
{
    crpy_entry *a = calloc(1, sizeof *a);
    if (!a) {
        fail(CREASE_NO_MEMORY, "out of memory: an entry of the catalogue is wanted");
    } else if (!crease_spec_parse(text, &a->spec, &last)) {
        free(a);
        return NULL;
    }
    return a;
}

void crpy_entry_free(crpy_entry *a)
{
    if (!a) return;
    crease_spec_free(&a->spec);
    free(a->weight);
    free(a->lower);
    free(a->upper);
    free(a->start);
    free(a->index);
    free(a);
}

/* The numbers of the spec beyond the parameters are one for each entry of a point. */
static void describe(crpy_entry *a, const crease_param *params, const char *vector)
{
    a->params = params;
    a->vector = vector;
    if (vector) a->size = a->spec.count - crease_param_count(params);
}

static bool add_groups(crpy_entry *a, ptrdiff_t count, const ptrdiff_t *start,
                       const ptrdiff_t *index)
{
    const bool wanted = a->reg.ops->kind == CREASE_KIND_GROUPS;
    if (wanted != (count > 0))
        return fail(CREASE_BAD_ARGUMENT,
                    wanted ? "%s needs groups; give groups=[sizes] or labels=[one per entry]"
                           : "%s has no groups; leave groups and labels out, or use a penalty "
                             "whose name begins with group-",
                    a->spec.name);
    if (!wanted) return true;
    if (!keep_indices(start, count + 1, &a->start) || !keep_indices(index, start[count], &a->index))
        return false;
    a->groups = (crease_groups){ .count = count, .start = a->start, .index = a->index };
    a->reg.groups = &a->groups;
    a->size = start[count];
    return true;
}

static bool add_weights(crpy_entry *a, ptrdiff_t count, const double *weight)
{
    const crease_reg_kind kind = a->reg.ops->kind;
    const bool by_group = kind == CREASE_KIND_GROUPS;
    if (count == 0)
        return !a->vector || a->size > 0 ||
               fail(CREASE_BAD_ARGUMENT, "%s needs a number for every entry; write %s:a,b,...",
                    a->spec.name, a->spec.name);
    if (a->vector || !(by_group || kind == CREASE_KIND_ENTRIES || kind == CREASE_KIND_NONNEG))
        return fail(CREASE_UNSUPPORTED, "%s has no weights; leave weights out", a->spec.name);
    if (by_group && count != a->groups.count)
        return fail(CREASE_BAD_SHAPE,
                    "weights: %td given for the %td groups of %s; give one for each", count,
                    a->groups.count, a->spec.name);
    for (ptrdiff_t j = 0; j < count; j++)
        if (!(weight[j] >= 0 && weight[j] < INFINITY))
            return fail(CREASE_BAD_ARGUMENT, "weights[%td] is %g; give finite weights >= 0", j,
                        weight[j]);
    if (!keep_numbers(weight, count, &a->weight)) return false;
    a->reg.weight = a->weight;
    if (!by_group) a->size = count;
    return true;
}

static const crease_reg_entry *reg_entry(const char *name)
{
    int k = 0;
    while (strcmp(crease_reg_at(k)->name, name) != 0) k++; /* crease_reg_from_spec has found it */
    return crease_reg_at(k);
}

crpy_entry *crpy_reg_new(const char *text, ptrdiff_t weights, const double *weight,
                         ptrdiff_t groups, const ptrdiff_t *start, const ptrdiff_t *index)
{
    crpy_entry *a = entry_new(text);
    if (!a) return NULL;
    if (crease_reg_from_spec(&a->spec, &a->reg, &last)) {
        describe(a, crease_reg_params(reg_entry(a->spec.name)), a->reg.ops->vector);
        if (add_groups(a, groups, start, index) && add_weights(a, weights, weight)) return a;
    }
    crpy_entry_free(a);
    return NULL;
}

/* Bounds by arrays, which a box and a row on a box take. */
static bool add_bounds(crpy_entry *a, ptrdiff_t count, const double *lower, const double *upper)
{
    const crease_set plain = a->set;
    if (count == 0) return true;
    if (crease_param_count(a->params) < 2 || strcmp(a->params[0].name, "low") != 0)
        return fail(CREASE_UNSUPPORTED, "%s has no bounds low and high; leave them out",
                    a->spec.name);
    if (a->size > 0 && a->size != count)
        return fail(CREASE_BAD_SHAPE, "%s: %td numbers %s but %td bounds; give as many",
                    a->spec.name, a->size, a->vector, count);
    if (!keep_numbers(lower, count, &a->lower) || !keep_numbers(upper, count, &a->upper))
        return false;
    a->size = count;
    a->bounds = plain.ops->row ? plain.ops->row(&plain).box : plain.ops->bounds(&plain);
    if (a->lower) a->bounds.lower = a->lower;
    if (a->upper) a->bounds.upper = a->upper;
    if (plain.ops->row) {
        a->row = plain.ops->row(&plain);
        a->row.box = a->bounds;
        a->set = crease_box_hyperplane_array(&a->row);
    } else {
        a->set = crease_box_array(&a->bounds);
    }
    return true;
}

crpy_entry *crpy_set_new(const char *text, ptrdiff_t bounds, const double *lower,
                         const double *upper)
{
    crpy_entry *a = entry_new(text);
    if (!a) return NULL;
    if (crease_set_from_spec(&a->spec, &a->set, &last)) {
        describe(a, a->set.ops->params, a->set.ops->vector);
        if (add_bounds(a, bounds, lower, upper)) return a;
    }
    crpy_entry_free(a);
    return NULL;
}

const char *crpy_entry_name(const crpy_entry *a) { return a->spec.name; }
ptrdiff_t crpy_entry_count(const crpy_entry *a) { return a->spec.count; }
double crpy_entry_number(const crpy_entry *a, ptrdiff_t k) { return a->spec.value[k]; }
const char *crpy_entry_parameter(const crpy_entry *a, ptrdiff_t k)
{
    return k < crease_param_count(a->params) ? a->params[k].name : a->vector;
}

/* "[2, 0]", entry j of an array as Python writes it. */
static const char *place(const crease_space *s, ptrdiff_t j, char *out, size_t size)
{
    ptrdiff_t at[CREASE_MAX_ORDER];
    size_t used = 0;
    for (int k = s->order; k-- > 0; j /= s->dim[k]) at[k] = j % s->dim[k];
    for (int k = 0; k < s->order && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%td", k == 0 ? "[" : ", ", at[k]);
    if (used + 2 <= size) strcpy(out + used, "]");
    return out;
}

/* Does any number have the exponent of infinity and NaN? The loop is made for vector units. */
static bool odd(ptrdiff_t n, const double *x)
{
    const uint64_t exponent = UINT64_C(0x7ff) << 52;
    uint64_t any = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        uint64_t bits;
        memcpy(&bits, &x[j], sizeof bits);
        any |= (bits & exponent) == exponent;
    }
    return any;
}

static bool finite_in(const char *name, const crease_space *s, const double *x)
{
    char where[160];
    ptrdiff_t j = 0;
    if (!odd(crease_size(s), x)) return true;
    while (isfinite(x[j])) j++;
    return fail(CREASE_BAD_DATA, "%s%s is %g; give finite numbers", name,
                place(s, j, where, sizeof where), x[j]);
}

static bool finite_out(const crpy_entry *a, const crease_space *s, const double *x)
{
    return !odd(crease_size(s), x) ||
           fail(CREASE_NUMERICAL_FAILURE,
                "%s: the result is not finite: a decomposition failed or a number overflowed; "
                "rescale the data",
                a->spec.name);
}

/* The space of an array that is called `name`, if it has as many entries as the entry's data. */
static bool space_of(const crpy_entry *a, const char *name, int order, const ptrdiff_t *dim,
                     crease_space *s)
{
    *s = (crease_space){ .order = order };
    if (order < 1 || order > CREASE_MAX_ORDER)
        return fail(CREASE_BAD_SHAPE, "%s has %d dimensions; give an array of 1 to %d", name, order,
                    CREASE_MAX_ORDER);
    for (int k = 0; k < order; k++) {
        s->dim[k] = dim[k];
        if (dim[k] < 1)
            return fail(CREASE_BAD_SHAPE, "%s is empty; give an array with at least one entry",
                        name);
    }
    const ptrdiff_t n = crease_size(s);
    return a->size == 0 || a->size == n ||
           fail(CREASE_BAD_SHAPE, "%s has %td entries, but %s was made for %td", name, n,
                a->spec.name, a->size);
}

bool crpy_prox(const crpy_entry *r, double step, int order, const ptrdiff_t *dim, const void *v,
               void *x)
{
    crease_space s;
    return space_of(r, "v", order, dim, &s) && finite_in("v", &s, v) &&
           crease_prox(&r->reg, &s, step, v, x, &last) && finite_out(r, &s, x);
}

/* n doubles of work, never NULL for lack of need. */
static double *work_of(ptrdiff_t n)
{
    double *work = malloc((n > 0 ? (size_t)n : 1) * sizeof *work);
    if (!work) fail(CREASE_NO_MEMORY, "out of memory: work on %td numbers is wanted", n);
    return work;
}

static bool joint_prox(const crpy_entry *r, const crpy_entry *c, double step, const crease_space *s,
                       const double *v, double *x)
{
    double most = INFINITY;
    if (!crease_reg_check(&r->reg, s, &last) || !crease_set_check(&c->set, s, &last) ||
        !crease_joint_check(&r->reg, &c->set, s, &most, &last))
        return false;
    if (!(step > 0 && step < INFINITY))
        return fail(CREASE_BAD_ARGUMENT, "the step of a prox is %g; give a finite step > 0", step);
    if (!(step < most))
        return fail(CREASE_BAD_ARGUMENT,
                    "step is %g: the prox of %s over %s is exact only for steps below %g; give a "
                    "smaller one",
                    step, r->spec.name, c->spec.name, most);
    double *work = work_of(crease_joint_scratch(&r->reg, &c->set, s));
    if (work) crease_joint_prox(&r->reg, &c->set, s, step, v, x, work);
    free(work);
    return work;
}

bool crpy_prox_over(const crpy_entry *r, const crpy_entry *c, double step, int order,
                    const ptrdiff_t *dim, const void *v, void *x)
{
    crease_space s;
    return space_of(r, "v", order, dim, &s) && space_of(c, "v", order, dim, &s) &&
           finite_in("v", &s, v) && joint_prox(r, c, step, &s, v, x) && finite_out(r, &s, x);
}

/* A number of the library; NaN is a failure that has no sentence yet. */
static double number(const crpy_entry *a, bool done, double value)
{
    if (done && isnan(value))
        fail(CREASE_NUMERICAL_FAILURE,
             "%s: the result is not a number: a decomposition failed or a number overflowed; "
             "rescale the data",
             a->spec.name);
    return done ? value : NAN;
}

double crpy_value(const crpy_entry *r, int order, const ptrdiff_t *dim, const void *x)
{
    crease_space s;
    double value = NAN;
    const bool done = space_of(r, "x", order, dim, &s) && finite_in("x", &s, x) &&
                      crease_reg_value(&r->reg, &s, x, &value, &last);
    return number(r, done, value);
}

double crpy_dist(const crpy_entry *r, int order, const ptrdiff_t *dim, const void *x, const void *g)
{
    crease_space s;
    double dist = NAN;
    const bool done = space_of(r, "x", order, dim, &s) && finite_in("x", &s, x) &&
                      finite_in("g", &s, g) && crease_reg_dist(&r->reg, &s, x, g, &dist, &last);
    return number(r, done, dist);
}

bool crpy_project(const crpy_entry *c, int order, const ptrdiff_t *dim, const void *v, void *x)
{
    crease_space s;
    return space_of(c, "v", order, dim, &s) && finite_in("v", &s, v) &&
           crease_project(&c->set, &s, v, x, &last) && finite_out(c, &s, x);
}

/* Is <g, y> bounded below over the set? */
static bool bounded(const crpy_entry *c, const crease_space *s, const double *g)
{
    const ptrdiff_t n = crease_size(s);
    double most = 0;
    if (c->set.ops->compact) return true;
    double *minus = work_of(n);
    for (ptrdiff_t j = 0; minus && j < n; j++) minus[j] = -g[j];
    const bool done = minus && crease_support(&c->set, s, minus, &most, &last);
    free(minus);
    return done && (!isinf(most) || fail(CREASE_BAD_DATA,
                                         "<c, y> is unbounded below over %s for this c; use a "
                                         "bounded set",
                                         c->spec.name));
}

bool crpy_lmo(const crpy_entry *c, int order, const ptrdiff_t *dim, const void *g, void *y)
{
    crease_space s;
    return space_of(c, "c", order, dim, &s) && finite_in("c", &s, g) && bounded(c, &s, g) &&
           crease_lmo(&c->set, &s, g, y, &last) && finite_out(c, &s, y);
}

static bool joint_lmo(const crpy_entry *c, const crpy_entry *r, const crease_space *s,
                      const double *g, double *y)
{
    if (!crease_reg_check(&r->reg, s, &last) || !crease_set_check(&c->set, s, &last) ||
        !crease_lmo_with_check(&c->set, &r->reg, s, &last))
        return false;
    double *work = work_of(crease_lmo_with_scratch(&c->set, &r->reg, s));
    if (work) crease_lmo_with(&c->set, &r->reg, s, g, y, work);
    free(work);
    return work;
}

bool crpy_lmo_with(const crpy_entry *c, const crpy_entry *r, int order, const ptrdiff_t *dim,
                   const void *g, void *y)
{
    crease_space s;
    return space_of(c, "c", order, dim, &s) && space_of(r, "c", order, dim, &s) &&
           finite_in("c", &s, g) && joint_lmo(c, r, &s, g, y) && finite_out(c, &s, y);
}

double crpy_excess(const crpy_entry *c, int order, const ptrdiff_t *dim, const void *x)
{
    crease_space s;
    double excess = NAN;
    const bool done = space_of(c, "x", order, dim, &s) && finite_in("x", &s, x) &&
                      crease_excess(&c->set, &s, x, &excess, &last);
    return number(c, done, excess);
}
