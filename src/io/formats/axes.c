/* SPDX-License-Identifier: MIT
 * axes: what people call the dimensions of an array and their indices */
#include "io/formats/io.h"

enum { LONGEST = 4096 }; /* bytes of a name, a unit or a word */

static void free_indices(crs_axis *a)
{
    for (ptrdiff_t k = 0; a->label && k < a->count; k++) crs_free(a->label[k]);
    crs_free(a->label);
    crs_free(a->at);
    a->label = NULL;
    a->at = NULL;
    a->count = 0;
}

void crs_axis_free(crs_axis *a)
{
    free_indices(a);
    crs_free(a->name);
    crs_free(a->unit);
    *a = (crs_axis){ .name = NULL };
}

void crs_axes_free(crs_axes *a)
{
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_axis_free(&a->axis[n]);
}

/* A copy in *to, which is NULL for no text or an empty one. */
static bool keep(const char *text, char **to, crease_error *e)
{
    const size_t n = text ? strlen(text) : 0;
    *to = NULL;
    if (n == 0) return true;
    if (n > LONGEST)
        return crs_fail(e, CREASE_BAD_DATA, "the label '%.40s...' has %zu bytes; use at most %d",
                        text, n, LONGEST);
    *to = crs_alloc(n + 1, 1);
    if (!*to) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a label");
    memcpy(*to, text, n);
    return true;
}

bool crs_axis_name(crs_axis *a, const char *name, const char *unit, crease_error *e)
{
    char *called, *in = NULL;
    if (!keep(name, &called, e) || !keep(unit, &in, e)) return crs_free(called), false;
    crs_free(a->name);
    crs_free(a->unit);
    a->name = called;
    a->unit = in;
    return true;
}

bool crs_axis_at(crs_axis *a, ptrdiff_t count, const double *at, crease_error *e)
{
    for (ptrdiff_t k = 0; k < count; k++)
        if (!isfinite(at[k]))
            return crs_fail(e, CREASE_BAD_DATA, "the position of index %td is not finite", k);
    double *all = crs_doubles(count, "the positions of an axis", e);
    if (!all) return false;
    memcpy(all, at, (size_t)count * sizeof *all);
    free_indices(a);
    a->at = all;
    a->count = count;
    return true;
}

bool crs_axis_labels(crs_axis *a, ptrdiff_t count, const char *const *label, crease_error *e)
{
    crs_axis fresh = { .label = crs_alloc((size_t)count, sizeof *fresh.label) };
    bool done = fresh.label || crs_fail(e, CREASE_NO_MEMORY, "out of memory: labels");
    for (; done && fresh.count < count; fresh.count += done) {
        char **to = &fresh.label[fresh.count];
        const char *from = label[fresh.count];
        done = keep(from && *from ? from : " ", to, e);
        if (done && !(from && *from)) (*to)[0] = '\0';
    }
    if (!done) return free_indices(&fresh), false;
    free_indices(a);
    a->label = fresh.label;
    a->count = count;
    return true;
}

bool crs_axis_copy(const crs_axis *from, crs_axis *to, crease_error *e)
{
    *to = (crs_axis){ .name = NULL };
    const bool done =
        crs_axis_name(to, from->name, from->unit, e) &&
        (!from->at || crs_axis_at(to, from->count, from->at, e)) &&
        (!from->label || crs_axis_labels(to, from->count, (const char *const *)from->label, e));
    if (!done) crs_axis_free(to);
    return done;
}

bool crs_axes_copy(const crs_axes *from, int order, crs_axes *to, crease_error *e)
{
    *to = (crs_axes){ .axis = { { .name = NULL } } };
    for (int n = 0; n < order; n++)
        if (!crs_axis_copy(&from->axis[n], &to->axis[n], e)) return crs_axes_free(to), false;
    return true;
}

bool crs_axes_known(const crs_axes *a, int order)
{
    for (int n = 0; n < order; n++)
        if (a->axis[n].name || a->axis[n].count) return true;
    return false;
}

void crs_axis_text(const crs_axes *a, int n, ptrdiff_t index, char *out, size_t size)
{
    const crs_axis *x = &a->axis[n];
    char name[64];
    snprintf(name, sizeof name, "axis %d", n);
    if (x->name) snprintf(name, sizeof name, "%s", x->name);
    if (x->at && index < x->count)
        snprintf(out, size, "%s %.6g%s%s", name, x->at[index], x->unit ? " " : "",
                 x->unit ? x->unit : "");
    else if (x->label && index < x->count)
        snprintf(out, size, "%s %s", name, x->label[index]);
    else
        snprintf(out, size, "%s%s %td", name, x->name ? "" : " index", index);
}
