/* SPDX-License-Identifier: MIT
 * csv_line: a line of text and its cells */
#include "io/formats/csv.h"

static bool blank(char c) { return c == ' ' || c == '\t'; }

static void trim(const char **from, const char **to)
{
    while (*from < *to && blank(**from)) ++*from;
    while (*to > *from && blank((*to)[-1])) --*to;
}

bool crs_csv_line(const char **at, const char *end, const char **from, const char **to)
{
    bool quoted = false;
    const char *c = *from = *at, *stop = NULL;
    for (; c < end && *c != '\n' && *c != '\r'; c++) {
        if (*c == '"' && !stop) quoted = !quoted;
        if (*c == '#' && !quoted && !stop) stop = c;
    }
    *to = stop ? stop : c;
    *at = c + (c < end) + (c + 1 < end && c[0] == '\r' && c[1] == '\n');
    while (*to > *from && (*to)[-1] == ' ') --*to;
    while (*from < *to && **from == ' ') ++*from;
    const char *first = *from, *last = *to; /* a tab at an end separates cells, tabs alone do not */
    trim(&first, &last);
    if (first == last) *from = *to;
    return !quoted;
}

char crs_csv_delimiter(const char *from, const char *to)
{
    static const char order[] = ";\t,";
    for (const char *wanted = order; *wanted; wanted++) {
        bool quoted = false;
        for (const char *c = from; c < to; c++) {
            if (*c == '"') quoted = !quoted;
            if (*c == *wanted && !quoted) return *wanted;
        }
    }
    return ' ';
}

crs_cells crs_csv_cells(const char *from, const char *to, char delimiter)
{
    return (crs_cells){ from, to, delimiter, from < to };
}

size_t crs_csv_next(crs_cells *c, char *out, size_t size)
{
    bool quoted = false;
    const char *from = c->at, *to = from;
    for (; to < c->end && (quoted || *to != c->delimiter); to++)
        if (*to == '"') quoted = !quoted;
    c->more = to < c->end;
    c->at = to + c->more;
    while (c->delimiter == ' ' && c->more && c->at < c->end && *c->at == ' ') c->at++;
    trim(&from, &to);
    if (to - from >= 2 && from[0] == '"' && to[-1] == '"') {
        from++, to--;
        trim(&from, &to);
    }
    const size_t n = (size_t)(to - from), kept = n < size ? n : size - 1;
    memcpy(out, from, kept);
    out[kept] = '\0';
    return n;
}
