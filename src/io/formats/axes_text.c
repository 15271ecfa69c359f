/* SPDX-License-Identifier: MIT
 * axes_text: axes as people write them on a command line, a dimension after the other:
 * NAME:UNIT:VALUES with commas between them. VALUES are FIRST..LAST at equal distances, a|b|c, or
 * @FILE with a line for each index; numbers alone are positions. Parts may be left out. */
#include "io/formats/io.h"

typedef struct {
    int n;
    ptrdiff_t length;
    crs_axis *axis;
    crease_error *e;
} spec;

static bool bad(const spec *s, const char *item, const char *how)
{
    return crs_fail(s->e, CREASE_BAD_ARGUMENT, "--axes: '%.80s' of axis %d: %s", item, s->n, how);
}

/* Positions where every word is a number, else labels; words are cut at `end` in place. */
static bool take_words(const spec *s, char *text, char end)
{
    const char **word = crs_alloc((size_t)s->length + 1, sizeof *word);
    double *at = crs_doubles(s->length + 1, "the positions of an axis", s->e);
    ptrdiff_t count = 0;
    bool numbers = true, done = word && at;
    if (!word) crs_fail(s->e, CREASE_NO_MEMORY, "out of memory: labels");
    for (char *here = text; done && here; count++) {
        char *next = strchr(here, end);
        if (next) *next = '\0';
        if (count > s->length) break;
        word[count] = here;
        numbers = numbers && crs_parse_double(here, &at[count]) && isfinite(at[count]);
        here = next ? next + 1 : NULL;
    }
    if (done && count != s->length)
        done = crs_fail(s->e, CREASE_BAD_SHAPE,
                        "--axes: axis %d has %s%td values and the data have length %td there; give "
                        "one for each index",
                        s->n, count > s->length ? "more than " : "",
                        count > s->length ? s->length : count, s->length);
    done = done && (numbers ? crs_axis_at(s->axis, count, at, s->e)
                            : crs_axis_labels(s->axis, count, word, s->e));
    crs_free(word);
    crs_free(at);
    return done;
}

/* A line for each index, from a plain file. */
static bool take_file(const spec *s, const char *path)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = crs_open(path, s->e);
    bool done = f && crs_slurp(f, path, &text, &n, s->e);
    if (f) fclose(f);
    if (done && memchr(text, '\0', n)) done = bad(s, path, "this is no file of text");
    if (done) {
        size_t to = 0;
        for (size_t k = 0; k < n; k++)
            if (text[k] != '\r') text[to++] = text[k];
        while (to > 0 && text[to - 1] == '\n') to--;
        text[to] = '\0'; /* there is room for one more */
    }
    done = done && take_words(s, text, '\n');
    crs_free(text);
    return done;
}

/* FIRST..LAST at equal distances */
static bool take_range(const spec *s, char *text, char *dots)
{
    double first, last;
    *dots = '\0';
    if (!crs_parse_double(text, &first) || !crs_parse_double(dots + 2, &last) || !isfinite(first) ||
        !isfinite(last))
        return bad(s, text, "write two finite numbers with .. between them, as 270..570");
    double *at = crs_doubles(s->length, "the positions of an axis", s->e);
    if (!at) return false;
    for (ptrdiff_t k = 0; k < s->length; k++) {
        const double t = s->length > 1 ? (double)k / (double)(s->length - 1) : 0;
        at[k] = k + 1 == s->length && k > 0 ? last : first + t * (last - first);
    }
    const bool done = crs_axis_at(s->axis, s->length, at, s->e);
    crs_free(at);
    return done;
}

static bool is_values(const char *text)
{
    return text[0] == '@' || strchr(text, '|') || strstr(text, "..");
}

static bool take_values(const spec *s, char *text)
{
    char *dots = strstr(text, "..");
    if (text[0] == '@') return take_file(s, text + 1);
    if (strchr(text, '|')) return take_words(s, text, '|');
    if (dots) return take_range(s, text, dots);
    if (s->length == 1) return take_words(s, text, '|');
    return bad(s, text, "write its values as 270..570, a|b|c or @FILE");
}

/* NAME:UNIT:VALUES, NAME:UNIT, NAME:VALUES or NAME */
static bool take_axis(const spec *s, char *item)
{
    char *unit = strchr(item, ':'), *values = NULL;
    if (unit) *unit++ = '\0';
    if (unit && is_values(unit) && !strchr(unit, ':'))
        values = unit, unit = NULL;
    else if (unit && (values = strchr(unit, ':')))
        *values++ = '\0';
    return crs_axis_name(s->axis, item, unit, s->e) &&
           (!values || !values[0] || take_values(s, values));
}

bool crs_axes_parse(const char *text, const crease_space *s, crs_axes *out, crease_error *e)
{
    int count = 1, n = 0;
    *out = (crs_axes){ .axis = { { .name = NULL } } };
    for (const char *c = text; *c; c++) count += *c == ',';
    if (count != s->order)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "--axes '%.100s' names %d dimension%s and the data have %d; give one for "
                        "each, with commas between them (an empty one says nothing)",
                        text, count, count == 1 ? "" : "s", s->order);
    char *copy = crs_alloc(strlen(text) + 1, 1);
    if (!copy) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the axes");
    strcpy(copy, text);
    bool done = true;
    for (char *here = copy; done && here; n++) {
        char *next = strchr(here, ',');
        if (next) *next++ = '\0';
        const spec one = { n, s->dim[n], &out->axis[n], e };
        done = take_axis(&one, here);
        here = next;
    }
    crs_free(copy);
    if (!done) crs_axes_free(out);
    return done;
}
