/* SPDX-License-Identifier: MIT
 * axes: what people call the dimensions of an array and their indices */
#include <stdlib.h>

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

void crs_index_text(const crs_axis *a, ptrdiff_t index, char *out, size_t size)
{
    if (a->at && index < a->count)
        snprintf(out, size, "%.6g%s%s", a->at[index], a->unit ? " " : "", a->unit ? a->unit : "");
    else if (a->label && index < a->count)
        snprintf(out, size, "%s", a->label[index]);
    else
        snprintf(out, size, "%td", index + 1);
}

void crs_axis_text(const crs_axes *a, int n, ptrdiff_t index, char *out, size_t size)
{
    const crs_axis *x = &a->axis[n];
    char at[80];
    crs_index_text(x, index, at, sizeof at);
    if (x->name)
        snprintf(out, size, "%.60s %s", x->name, at);
    else
        snprintf(out, size, "axis %d %s%s", n, x->count ? "" : "index ", at);
}

void crs_axis_heading(const crs_axes *a, int n, char *out, size_t size)
{
    const crs_axis *x = &a->axis[n];
    if (!x->name)
        snprintf(out, size, "axis %d", n);
    else if (x->unit)
        snprintf(out, size, "%.60s (%.30s)", x->name, x->unit);
    else
        snprintf(out, size, "%.60s", x->name);
}

bool crs_axes_fit(const crs_axes *a, const crease_space *s, const char *what, crease_error *e)
{
    for (int n = 0; n < CREASE_MAX_ORDER; n++) {
        const crs_axis *x = &a->axis[n];
        char title[100];
        crs_axis_heading(a, n, title, sizeof title);
        if (n >= s->order && (x->name || x->count))
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "%.100s: there is an axis %d, and the data have %d dimension%s; name "
                            "one for each",
                            what, n, s->order, s->order == 1 ? "" : "s");
        if (n < s->order && x->count > 0 && x->count != s->dim[n])
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "%.100s: %s has %td label%s and the data have length %td there; give "
                            "one for each index of axis %d",
                            what, title, x->count, x->count == 1 ? "" : "s", s->dim[n], n);
    }
    return true;
}

void crs_axes_over(crs_axes *a, crs_axes *over, int order)
{
    for (int n = 0; n < order; n++) {
        if (!over->axis[n].name && !over->axis[n].count) continue;
        crs_axis_free(&a->axis[n]);
        a->axis[n] = over->axis[n];
        over->axis[n] = (crs_axis){ .name = NULL };
    }
    crs_axes_free(over);
}

/* Neither overlong nor a surrogate nor beyond U+10FFFF. */
bool crs_is_utf8(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const unsigned char first = *c++;
        const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        int more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        if (more > 0 && (first < 0xC2 || first > 0xF4 || *c < low || *c > high)) return false;
        for (; more > 0; more--, c++)
            if ((*c & 0xC0) != 0x80) return false;
    }
    return true;
}

/* Latin-1 as UTF-8: a byte beyond ASCII becomes two. */
static bool respell(char **text, bool *changed, crease_error *e)
{
    if (!*text) return true;
    for (char *c = *text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F) *c = ' ', *changed = true;
    if (crs_is_utf8(*text)) return true;
    char *wide = crs_alloc(2 * strlen(*text) + 1, 1), *to = wide;
    if (!wide) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a label");
    for (const char *c = *text; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte >= 0x80) *to++ = (char)(0xC0 | byte >> 6);
        *to++ = (char)(byte < 0x80 ? byte : 0x80 | (byte & 0x3F));
    }
    crs_free(*text);
    *text = wide;
    *changed = true;
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A label that is there twice; NULL: none is. */
static bool find_twice(const crs_axis *a, const char **twice, crease_error *e)
{
    *twice = NULL;
    if (!a->label) return true;
    const char **sorted = crs_alloc((size_t)a->count, sizeof *sorted);
    if (!sorted) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: labels");
    for (ptrdiff_t k = 0; k < a->count; k++) sorted[k] = a->label[k];
    qsort(sorted, (size_t)a->count, sizeof *sorted, by_text);
    for (ptrdiff_t k = 1; k < a->count && !*twice; k++)
        if (sorted[k][0] && strcmp(sorted[k - 1], sorted[k]) == 0) *twice = sorted[k];
    crs_free(sorted);
    return true;
}

static void tell(char *notice, size_t size, const char *text)
{
    const size_t used = strlen(notice);
    if (used + strlen(text) + 3 < size)
        snprintf(notice + used, size - used, "%s%s", used ? "; " : "", text);
}

bool crs_axes_tidy(crs_axes *a, int order, char *notice, size_t size, crease_error *e)
{
    for (int n = 0; n < order; n++) {
        crs_axis *x = &a->axis[n];
        const char *twice;
        char title[100], text[180];
        bool changed = false;
        if (!respell(&x->name, &changed, e) || !respell(&x->unit, &changed, e)) return false;
        for (ptrdiff_t k = 0; x->label && k < x->count; k++)
            if (!respell(&x->label[k], &changed, e)) return false;
        if (!find_twice(x, &twice, e)) return false;
        crs_axis_heading(a, n, title, sizeof title);
        snprintf(text, sizeof text, "labels of %.60s are no UTF-8 and were taken as Latin-1",
                 title);
        if (changed) tell(notice, size, text);
        if (!twice) continue;
        snprintf(text, sizeof text, "labels of %.60s repeat, as '%.40s'", title, twice);
        tell(notice, size, text);
    }
    return true;
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)); }

static bool same_text(const char *a, const char *b) { return !a || !b || strcmp(a, b) == 0; }

bool crs_axes_agree(const crs_axes *a, const crs_axes *b, int order, int skip, const char *one,
                    const char *other, char why[200])
{
    for (int n = 0; n < order; n++) {
        const crs_axis *x = &a->axis[n], *y = &b->axis[n];
        char title[100], p[48], q[48];
        if (!same_text(x->name, y->name))
            return snprintf(why, 200, "axis %d is '%.40s' in %s and '%.40s' in %s", n, x->name, one,
                            y->name, other),
                   false;
        crs_axis_heading(x->name ? a : b, n, title, sizeof title);
        if (!same_text(x->unit, y->unit))
            return snprintf(why, 200, "the unit of %.50s is '%.20s' in %s and '%.20s' in %s", title,
                            x->unit, one, y->unit, other),
                   false;
        const ptrdiff_t both = n == skip || !x->count || !y->count ? 0 : x->count;
        for (ptrdiff_t k = 0; k < both; k++) {
            if (k < y->count && (x->at && y->at         ? near(x->at[k], y->at[k])
                                 : x->label && y->label ? strcmp(x->label[k], y->label[k]) == 0
                                                        : false))
                continue;
            crs_index_text(x, k, p, sizeof p);
            crs_index_text(y, k, q, sizeof q);
            snprintf(why, 200, "index %td of %.50s is %s in %s and %s in %s", k + 1, title, p, one,
                     k < y->count ? q : "not there", other);
            return false;
        }
    }
    return true;
}

/* "342 nm, 283 nm" for every pair; too many are not worth their memory. */
static bool merge_labels(const crs_axes *a, const crease_space *s, int first, int count,
                         crs_axis *out, crease_error *e)
{
    enum { MOST = 1 << 20 };
    ptrdiff_t all = 1;
    bool known = false;
    for (int n = first; n < first + count; n++) {
        known = known || a->axis[n].count > 0;
        if (!crs_mul_size(all, s->dim[n], &all) || all > MOST) return true;
    }
    if (!known) return true;
    char **label = crs_alloc((size_t)all, sizeof *label);
    if (!label) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: labels");
    *out = (crs_axis){ .label = label, .count = all };
    for (ptrdiff_t k = 0; k < all; k++) {
        char text[200] = "";
        for (ptrdiff_t n = first, below = all; n < first + count; n++) {
            const size_t used = strlen(text);
            below /= s->dim[n];
            if (used) snprintf(text + used, sizeof text - used, ", ");
            crs_index_text(&a->axis[n], k / below % s->dim[n], text + strlen(text),
                           sizeof text - strlen(text));
        }
        label[k] = crs_alloc(strlen(text) + 1, 1);
        if (!label[k]) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: labels");
        strcpy(label[k], text);
    }
    return true;
}

bool crs_axes_merge(crs_axes *a, const crease_space *s, int first, int count, crease_error *e)
{
    crs_axis whole = { .name = NULL };
    char name[400] = "";
    bool named = false;
    for (int n = first; n < first + count; n++) {
        const size_t used = strlen(name);
        char title[100];
        crs_axis_heading(a, n, title, sizeof title);
        named = named || a->axis[n].name;
        snprintf(name + used, sizeof name - used, "%s%.48s", used ? " x " : "",
                 a->axis[n].name ? a->axis[n].name : title);
    }
    if (!merge_labels(a, s, first, count, &whole, e) ||
        (named && !crs_axis_name(&whole, name, NULL, e)))
        return crs_axis_free(&whole), false;
    for (int n = first; n < first + count; n++) crs_axis_free(&a->axis[n]);
    a->axis[first] = whole;
    for (int n = first + 1; n < CREASE_MAX_ORDER; n++) {
        const int from = n + count - 1;
        a->axis[n] = from < CREASE_MAX_ORDER ? a->axis[from] : (crs_axis){ .name = NULL };
    }
    return true;
}

void crs_axis_slice(crs_axis *a, ptrdiff_t first, ptrdiff_t step, ptrdiff_t count)
{
    const ptrdiff_t had = a->count;
    if (had == 0) return;
    for (ptrdiff_t k = 0; a->at && k < count; k++) a->at[k] = a->at[first + k * step];
    for (ptrdiff_t k = 0; a->label && k < count; k++) {
        char *kept = a->label[first + k * step]; /* exchanged, so that each is freed once */
        a->label[first + k * step] = a->label[k];
        a->label[k] = kept;
    }
    for (ptrdiff_t k = count; a->label && k < had; k++) crs_free(a->label[k]);
    a->count = count;
}
