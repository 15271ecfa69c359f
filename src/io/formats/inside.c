/* SPDX-License-Identifier: MIT
 * inside: which of several arrays in a file is meant: the one that is named, or the only one */
#include "io/formats/io.h"

/* Numbers of a type as "f8" or "b1", with dimensions that can be read. */
static bool is_array(const crs_inside *m)
{
    return m->shape.order > 0 && strchr("fuib", m->type[0]) && m->type[1] >= '0' &&
           m->type[1] <= '9';
}

/* Arrays of one entry and those inside of a struct ("a.b") are read when they are named. */
static bool is_plain(const crs_inside *m)
{
    bool one = true;
    for (int n = 0; n < m->shape.order; n++) one = one && m->shape.dim[n] == 1;
    return is_array(m) && !one && !strchr(m->name, '.');
}

/* "x (20 x 30), y (5)" */
static void name_all(const crs_listing *l, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; k < l->count && used + 1 < room; k++) {
        const crs_inside *m = &l->member[k];
        if (!is_array(m)) continue;
        used += (size_t)snprintf(out + used, room - used, "%s%.60s (", used ? ", " : "", m->name);
        for (int n = 0; n < m->shape.order && used + 1 < room; n++)
            used +=
                (size_t)snprintf(out + used, room - used, "%s%td", n ? " x " : "", m->shape.dim[n]);
        if (used + 1 < room) used += (size_t)snprintf(out + used, room - used, ")");
    }
}

static const crs_inside *named(const crs_listing *l, const char *wanted)
{
    for (int k = 0; k < l->count; k++) {
        const char *name = l->member[k].name;
        if (strcmp(name[0] == '/' ? name + 1 : name, wanted[0] == '/' ? wanted + 1 : wanted) == 0)
            return &l->member[k];
    }
    return NULL;
}

/* The only one that `fits`; how many there are. */
static int count_of(const crs_listing *l, bool (*fits)(const crs_inside *), const crs_inside **one)
{
    int count = 0;
    for (int k = 0; k < l->count; k++)
        if (fits(&l->member[k])) count++, *one = &l->member[k];
    return count;
}

static bool fail_kind(const crs_input *s, const crs_inside *m, crease_error *e)
{
    if (m->shape.order == 0)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.150s:%.100s is of type %s, or without dimensions; give an array of real "
                        "numbers with 1 to %d dimensions",
                        s->name, m->name, m->type, CREASE_MAX_ORDER);
    return crs_fail(e, CREASE_BAD_DATA,
                    "%.150s:%.100s is of type %s; give an array of real numbers", s->name, m->name,
                    m->type);
}

const crs_inside *crs_listing_pick(const crs_listing *l, const crs_input *s, crease_error *e)
{
    char all[180];
    const crs_inside *one = s->inner ? named(l, s->inner) : NULL;
    if (one) return is_array(one) || fail_kind(s, one, e) ? one : NULL;
    name_all(l, all, sizeof all);
    if (s->inner) {
        crs_fail(e, CREASE_NO_INPUT, "%.120s has no array %.60s; it has %s", s->name, s->inner,
                 all[0] ? all : "none");
        return NULL;
    }
    int count = count_of(l, is_plain, &one);
    if (count == 0) count = count_of(l, is_array, &one);
    if (count == 1) return one;
    if (count == 0)
        crs_fail(e, CREASE_BAD_DATA,
                 "%.150s holds no array of numbers with 1 to %d dimensions%s%.80s", s->name,
                 CREASE_MAX_ORDER, l->count ? "; it holds " : "",
                 l->count ? l->member[0].name : "");
    else
        crs_fail(e, CREASE_BAD_ARGUMENT, "%.100s holds %d arrays; name one, as %.60s:%.60s: %s",
                 s->name, count, s->name, one->name, all);
    return NULL;
}
