/* SPDX-License-Identifier: MIT
 * words: numbers, members of documents and places on axes, as people read them */
#include "report/report.h"

static const char dash[] = "\xE2\x80\x93", minus[] = "\xE2\x88\x92", thin[] = "\xE2\x80\xAF";

/* The minus sign of a printed number becomes a true one. */
static const char *with_minus(const char *text, char out[CRS_DIGITS])
{
    snprintf(out, CRS_DIGITS, "%s%s", text[0] == '-' ? minus : "", text + (text[0] == '-'));
    return out;
}

/* "2.9·10⁻⁷" of the printed number m e k */
static const char *as_power(double x, int digits, char out[CRS_DIGITS])
{
    static const char *const raised[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits - 1, fabs(x));
    char *e = strchr(text, 'e');
    const int k = (int)strtol(e + 1, NULL, 10);
    *e = '\0';
    while (strchr(text, '.') && (e[-1] == '0' || e[-1] == '.')) *--e = '\0';
    const bool one = strcmp(text, "1") == 0;
    int n = snprintf(out, CRS_DIGITS, "%s%s%s10%s", x < 0 ? minus : "", one ? "" : text,
                     one ? "" : "·", k < 0 ? "⁻" : "");
    snprintf(text, sizeof text, "%d", abs(k));
    for (const char *at = text; *at && n < CRS_DIGITS - 4; at++)
        n += snprintf(out + n, (size_t)(CRS_DIGITS - n), "%s", raised[*at - '0']);
    return out;
}

const char *crs_power(int k, char out[CRS_DIGITS])
{
    return k == 0 ? snprintf(out, CRS_DIGITS, "1"), out : as_power(pow(10, k), 1, out);
}

const char *crs_digits(double x, int digits, char out[CRS_DIGITS])
{
    char text[64];
    if (x == 0) x = 0;
    if (!isfinite(x))
        return snprintf(out, CRS_DIGITS, "%s", isnan(x) ? dash : x > 0 ? "∞" : "−∞"), out;
    if (x != 0 && (fabs(x) < 1e-3 || fabs(x) >= 1e5) && fabs(x) != floor(fabs(x)))
        return as_power(x, digits, out);
    if (fabs(x) >= 1e5) return fabs(x) < 1e9 ? crs_count(x, out) : as_power(x, digits, out);
    if (x == 0) x = 0; /* not -0 */
    /* as many decimals as give the digits, which %g would cut from 1234.5 */
    const int before = x == 0 ? 1 : (int)floor(log10(fabs(x))) + 1;
    const int decimals = digits > before ? digits - before : 0;
    snprintf(text, sizeof text, "%.*f", decimals, x);
    if (strchr(text, '.'))
        for (char *end = text + strlen(text) - 1; *end == '0' || *end == '.'; *end-- = '\0')
            if (*end == '.') {
                *end = '\0';
                break;
            }
    return with_minus(text, out);
}

const char *crs_fixed(double x, int decimals, char out[CRS_DIGITS])
{
    char text[64];
    if (!isfinite(x) || fabs(x) >= 1e9) return crs_digits(x, 4, out);
    snprintf(text, sizeof text, "%.*f", decimals, x);
    if (strtod(text, NULL) == 0 && text[0] == '-') memmove(text, text + 1, strlen(text));
    return with_minus(text, out);
}

const char *crs_count(double x, char out[CRS_DIGITS])
{
    char text[64];
    if (!isfinite(x) || fabs(x) >= 1e15) return crs_digits(x, 3, out);
    const int n = snprintf(text, sizeof text, "%.0f", fabs(x));
    int used = snprintf(out, CRS_DIGITS, "%s", x < 0 ? minus : "");
    for (int k = 0; k < n && used < CRS_DIGITS - 8; k++)
        used += snprintf(out + used, (size_t)(CRS_DIGITS - used), "%c%s", text[k],
                         n > 4 && k + 1 < n && (n - k - 1) % 3 == 0 ? thin : "");
    return out;
}

const char *crs_share(double x, char out[CRS_DIGITS])
{
    char text[CRS_DIGITS];
    if (!isfinite(x)) return crs_digits(x, 3, out);
    const double percent = 100 * x;
    if (percent > 0 && percent < 0.001) return snprintf(out, CRS_DIGITS, "< 0.001 %%"), out;
    const double short_of = fabs(100 - percent);
    const int decimals = percent == 0 || percent == 100    ? 0
                         : percent < 0.1                   ? 3
                         : percent < 1                     ? 2
                         : percent > 50 && short_of < 0.01 ? 3
                         : percent > 50 && short_of < 1    ? 2
                                                           : 1;
    crs_fixed(percent, decimals, text);
    snprintf(out, CRS_DIGITS, "%.*s %%", CRS_DIGITS - 3, text);
    return out;
}

const char *crs_seconds(double x, char out[CRS_DIGITS])
{
    char text[CRS_DIGITS];
    if (isfinite(x) && x >= 100)
        snprintf(out, CRS_DIGITS, "%.0f min %.0f s", floor(x / 60), floor(x - 60 * floor(x / 60)));
    else if (isfinite(x) && x < 0.001)
        snprintf(out, CRS_DIGITS, "< 1 ms");
    else if (isfinite(x) && x < 0.1)
        snprintf(out, CRS_DIGITS, "%.*s ms", CRS_DIGITS - 4, crs_digits(1000 * x, 2, text));
    else
        snprintf(out, CRS_DIGITS, "%.*s s", CRS_DIGITS - 3, crs_digits(x, 2, text));
    return out;
}

const json_t *crs_json_at(const json_t *from, const char *path)
{
    char key[80];
    while (from && *path) {
        const size_t n = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)(n < sizeof key ? n : sizeof key - 1), path);
        from = json_object_get(from, key);
        path += n + (path[n] == '.');
    }
    return from;
}

double crs_json_number(const json_t *from, const char *path)
{
    const json_t *x = crs_json_at(from, path);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

const char *crs_json_words(const json_t *from, const char *path)
{
    return json_string_value(crs_json_at(from, path));
}

bool crs_json_shape(const json_t *from, const char *path, crease_space *s)
{
    const json_t *list = crs_json_at(from, path);
    const size_t n = json_array_size(list);
    crease_space out = { .order = (int)n };
    if (n == 0 || n > CREASE_MAX_ORDER) return false;
    for (size_t k = 0; k < n; k++) {
        const double x = json_number_value(json_array_get(list, k));
        if (!(x >= 1 && x <= 0x1p40 && x == floor(x))) return false;
        out.dim[k] = (ptrdiff_t)x;
    }
    *s = out;
    return crease_space_check(s, NULL);
}

const char *crs_axis_called(const crs_page *p, int n, char out[CRS_LABEL])
{
    const char *name = p->axes.axis[n].name;
    if (name)
        snprintf(out, CRS_LABEL, "%.80s", name);
    else
        snprintf(out, CRS_LABEL, "mode %d", n + 1);
    return out;
}

const char *crs_axis_title(const crs_page *p, int n, char out[CRS_LABEL])
{
    char name[CRS_LABEL];
    const char *unit = p->axes.axis[n].unit;
    crs_axis_called(p, n, name);
    snprintf(out, CRS_LABEL, unit ? "%.80s (%.40s)" : "%.80s", name, unit);
    return out;
}

const char *crs_axis_word(const crs_page *p, int n, ptrdiff_t k, char out[CRS_LABEL])
{
    const crs_axis *a = &p->axes.axis[n];
    if (k < a->count && a->label)
        snprintf(out, CRS_LABEL, "%.100s", a->label[k]);
    else if (k < a->count && a->at)
        crs_digits(a->at[k], 6, out);
    else
        snprintf(out, CRS_LABEL, "%td", k + 1);
    return out;
}

const char *crs_axis_place(const crs_page *p, int n, ptrdiff_t k, char out[CRS_LABEL])
{
    char name[CRS_LABEL], word[CRS_LABEL];
    const crs_axis *a = &p->axes.axis[n];
    const char *unit = a->at ? a->unit : NULL;
    crs_axis_called(p, n, name);
    crs_axis_word(p, n, k, word);
    snprintf(out, CRS_LABEL, "%.80s%s %.80s%s%.20s", name, a->name ? "" : " index", word,
             unit ? " " : "", unit ? unit : "");
    return out;
}

bool crs_axis_ordered(const crs_page *p, int n)
{
    return p->axes.axis[n].at && p->axes.axis[n].count > 0;
}
