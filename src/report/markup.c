/* SPDX-License-Identifier: MIT
 * markup: text that grows, with everything that is not ours escaped; base64 */
#include "report/assets.h"

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

void crs_markup_free(crs_markup *m)
{
    crs_free(m->at);
    *m = (crs_markup){ .at = NULL };
}

static bool make_room(crs_markup *m, size_t more)
{
    if (m->failed) return false;
    if (m->length + more + 1 <= m->room) return true;
    const size_t room = 2 * (m->length + more) + 256;
    char *larger_one = crs_resize(m->at, room, 1);
    if (!larger_one) {
        m->failed = true;
        return false;
    }
    m->at = larger_one;
    m->room = room;
    return true;
}

void crs_mark_bytes(crs_markup *m, const char *bytes, size_t n)
{
    if (n == 0 || !make_room(m, n)) return;
    memcpy(m->at + m->length, bytes, n);
    m->length += n;
    m->at[m->length] = '\0';
}

void crs_mark_all(crs_markup *m, const crs_markup *from)
{
    if (from->failed) m->failed = true;
    crs_mark_bytes(m, from->at, from->length);
}

/* How many bytes the character at s has; 0: these bytes are no UTF-8, or no character to show. */
static size_t character(const unsigned char *s)
{
    if (s[0] < 0x80) return s[0] >= 0x20 && s[0] != 0x7F;
    const size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    for (size_t k = 1; k < n; k++)
        if ((s[k] & 0xC0) != 0x80) return 0;    /* the end of the text is such a byte */
    if (s[0] == 0xC2 && s[1] < 0xA0) return 0;  /* control */
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0;  /* too long */
    if (s[0] == 0xED && s[1] >= 0xA0) return 0; /* half of a pair */
    if (s[0] == 0xE2 && s[1] == 0x80 && s[2] >= 0xAA && s[2] <= 0xAE)
        return 0; /* turns text over */
    if (s[0] == 0xE2 && s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9) return 0;
    if (s[0] == 0xE2 && s[1] == 0x80 && (s[2] == 0xA8 || s[2] == 0xA9)) return 0; /* ends a line */
    if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
    return n;
}

static const char *entity(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void mark_text(crs_markup *m, const char *text)
{
    for (const char *at = text ? text : ""; *at;) {
        const size_t n = character((const unsigned char *)at);
        const char *instead = n == 0 ? replacement : entity(*at);
        if (instead)
            crs_mark_bytes(m, instead, strlen(instead));
        else
            crs_mark_bytes(m, at, n);
        at += n ? n : 1;
    }
}

void crs_mark_string(crs_markup *m, const char *text)
{
    crs_mark_bytes(m, "\"", 1);
    for (const char *at = text ? text : ""; *at;) {
        const size_t n = character((const unsigned char *)at);
        char code[16];
        if (n == 0) {
            crs_mark_bytes(m, replacement, 3);
        } else if (strchr("\"\\<>&'", *at)) {
            snprintf(code, sizeof code, "\\u%04x", (unsigned)(unsigned char)*at);
            crs_mark_bytes(m, code, 6);
        } else {
            crs_mark_bytes(m, at, n);
        }
        at += n ? n : 1;
    }
    crs_mark_bytes(m, "\"", 1);
}

void crs_mark_base64(crs_markup *m, const unsigned char *bytes, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!make_room(m, 4 * (n / 3 + 1))) return;
    for (size_t k = 0; k < n; k += 3) {
        const unsigned b = k + 1 < n ? bytes[k + 1] : 0, c = k + 2 < n ? bytes[k + 2] : 0;
        const unsigned all = (unsigned)bytes[k] << 16 | b << 8 | c;
        const char four[4] = { digit[all >> 18], digit[all >> 12 & 63],
                               k + 1 < n ? digit[all >> 6 & 63] : '=',
                               k + 2 < n ? digit[all & 63] : '=' };
        crs_mark_bytes(m, four, 4);
    }
}

/* One conversion that is not %s; spec holds its flags, width and precision without the letters. */
static void mark_number(crs_markup *m, char *spec, size_t n, const char *kind, va_list *list)
{
    char out[400];
    int length = 0;
    snprintf(spec + n, 8, "%s", kind);
    if (strcmp(kind, "d") == 0 || strcmp(kind, "c") == 0)
        /* NOLINTNEXTLINE(bugprone-branch-clone): the types differ */
        length = snprintf(out, sizeof out, spec, va_arg(*list, int));
    else if (strcmp(kind, "td") == 0)
        length = snprintf(out, sizeof out, spec, va_arg(*list, ptrdiff_t));
    else if (strcmp(kind, "zu") == 0)
        length = snprintf(out, sizeof out, spec, va_arg(*list, size_t));
    else
        length = snprintf(out, sizeof out, spec, va_arg(*list, double));
    if (length > 0 && (size_t)length < sizeof out) crs_mark_bytes(m, out, (size_t)length);
}

/* What begins with the % at `at`; returns where the format goes on. */
static const char *mark_one(crs_markup *m, const char *at, va_list *list)
{
    static const char *const kinds[] = { "td", "zu", "d", "c", "e", "f", "g" };
    char spec[32] = "%";
    const size_t n = 1 + strspn(at + 1, "+-#0123456789.");
    const char *rest = at + n;
    if (*rest == '%') crs_mark_bytes(m, "%", 1);
    if (*rest == 's') mark_text(m, va_arg(*list, const char *));
    for (size_t k = 0; n < 16 && k < sizeof kinds / sizeof *kinds; k++) {
        if (strncmp(rest, kinds[k], strlen(kinds[k])) != 0) continue;
        memcpy(spec, at, n);
        mark_number(m, spec, n, kinds[k], list);
        return rest + strlen(kinds[k]);
    }
    return *rest ? rest + 1 : rest;
}

void crs_mark_list(crs_markup *m, const char *format, va_list *list)
{
    while (*format) {
        const size_t plain = strcspn(format, "%");
        crs_mark_bytes(m, format, plain);
        format += plain;
        if (*format) format = mark_one(m, format, list);
    }
}

void crs_mark(crs_markup *m, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    crs_mark_list(m, format, &list);
    va_end(list);
}
