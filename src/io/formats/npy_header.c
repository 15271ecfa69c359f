/* SPDX-License-Identifier: MIT
 * npy_header: the header of a .npy file, a Python dictionary with exactly the keys descr,
 * fortran_order and shape, in any order */
#include "io/formats/npy.h"

typedef struct {
    const char *start, *at, *end;
    size_t base; /* the byte of the file at `start` */
    const char *name;
    crease_error *e;
} cursor;

static bool bad(const cursor *c, const char *what)
{
    return crs_fail(c->e, CREASE_BAD_DATA,
                    "%.200s: the .npy header is malformed at byte %zu: %s; write the file again "
                    "with numpy.save",
                    c->name, c->base + (size_t)(c->at - c->start), what);
}

static char peek(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t')) c->at++;
    return c->at < c->end ? *c->at : '\0';
}

static bool take(cursor *c, char wanted)
{
    if (peek(c) != wanted) return false;
    c->at++;
    return true;
}

static bool text(cursor *c, char *out, size_t size)
{
    const char quote = peek(c);
    size_t n = 0;
    if (quote != '\'' && quote != '"') return bad(c, "a text in quotes is missing");
    const char *from = ++c->at;
    while (from + n < c->end && from[n] != quote) n++;
    if (from + n == c->end) return bad(c, "a quote is not closed");
    if (n >= size || memchr(from, '\0', n)) return bad(c, "a text is too long");
    memcpy(out, from, n);
    out[n] = '\0';
    c->at = from + n + 1;
    return true;
}

static bool dtype(cursor *c, crs_npy_type *t)
{
    char descr[32] = "structured";
    if (peek(c) != '[' && !text(c, descr, sizeof descr)) return false;
    if (crs_npy_type_parse(descr, t)) return true;
    return crs_fail(c->e, CREASE_BAD_DATA,
                    "%.200s: the type of the items is '%s'; give real numbers of type f4, f8, i1 "
                    "to i8, u1 to u8 or b1, for example by a.astype('f8')",
                    c->name, descr);
}

static bool truth(cursor *c, bool *value)
{
    static const char *const word[] = { "False", "True" };
    peek(c);
    for (int k = 0; k < 2; k++) {
        const size_t n = strlen(word[k]);
        if ((size_t)(c->end - c->at) < n || memcmp(c->at, word[k], n) != 0) continue;
        c->at += n;
        *value = k == 1;
        return true;
    }
    return bad(c, "fortran_order is neither True nor False");
}

static bool dimension(cursor *c, ptrdiff_t *value)
{
    if (!(peek(c) >= '0' && peek(c) <= '9')) return bad(c, "a dimension is not a whole number");
    for (*value = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        const ptrdiff_t digit = *c->at - '0';
        if (!crs_mul_size(*value, 10, value) || !crs_add_size(*value, digit, value))
            return bad(c, "a dimension is too large");
    }
    return true;
}

static bool shape(cursor *c, crease_space *s)
{
    *s = (crease_space){ .order = 0 };
    if (!take(c, '(')) return bad(c, "the shape is not a tuple");
    while (!take(c, ')')) {
        if (s->order == CREASE_MAX_ORDER)
            return crs_fail(
                c->e, CREASE_BAD_DATA,
                "%.200s: the array has more than %d dimensions (byte %zu); make some of "
                "them one with numpy.reshape",
                c->name, CREASE_MAX_ORDER, c->base + (size_t)(c->at - c->start));
        if (!dimension(c, &s->dim[s->order])) return false;
        s->order++;
        if (peek(c) != ')' && !take(c, ',')) return bad(c, "the shape is not a tuple");
    }
    return true;
}

static bool entry(cursor *c, crs_npy_header *h, unsigned *seen)
{
    static const char *const keys[] = { "descr", "fortran_order", "shape" };
    char key[32];
    unsigned k = 0;
    if (!text(c, key, sizeof key)) return false;
    while (k < 3 && strcmp(key, keys[k]) != 0) k++;
    if (k == 3) return bad(c, "a key is not descr, fortran_order or shape");
    if (*seen & 1u << k) return bad(c, "a key appears twice");
    *seen |= 1u << k;
    if (!take(c, ':')) return bad(c, "a colon is missing");
    return k == 0 ? dtype(c, &h->type) : k == 1 ? truth(c, &h->fortran) : shape(c, &h->shape);
}

static bool usable(const cursor *c, const crease_space *s)
{
    crease_error why;
    if (s->order == 0)
        return crs_fail(c->e, CREASE_BAD_DATA,
                        "%.200s holds a single number without dimensions; give an array of 1 to 8 "
                        "dimensions",
                        c->name);
    for (int n = 0; n < s->order; n++)
        if (s->dim[n] == 0)
            return crs_fail(c->e, CREASE_BAD_DATA,
                            "%.200s holds an empty array (dimension %d is 0); give at least one "
                            "entry",
                            c->name, n + 1);
    return crease_space_check(s, &why) ||
           crs_fail(c->e, CREASE_BAD_DATA, "%.200s: %s", c->name, why.text);
}

bool crs_npy_header_parse(const char *from, size_t n, size_t base, const char *name,
                          crs_npy_header *h, crease_error *e)
{
    cursor c = { from, from, from + n, base, name, e };
    unsigned seen = 0;
    *h = (crs_npy_header){ .fortran = false };
    if (!take(&c, '{')) return bad(&c, "it does not begin with {");
    while (!take(&c, '}')) {
        if (!entry(&c, h, &seen)) return false;
        if (peek(&c) != '}' && !take(&c, ',')) return bad(&c, "a comma or } is missing");
    }
    peek(&c);
    if (c.at != c.end) return bad(&c, "something follows the closing }");
    if (seen != 7) return bad(&c, "one of descr, fortran_order and shape is missing");
    return usable(&c, &h->shape);
}
