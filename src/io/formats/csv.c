/* SPDX-License-Identifier: MIT
 * csv: a table of numbers in text: comma, semicolon, tab or blanks between them, # comments, an
 * optional first row of names. Numbers have a decimal point in every locale. One row or one
 * column is a vector. */
#include "io/formats/csv.h"

enum { CELL = 136 };

typedef struct {
    const char *name;
    const char *at, *end; /* the text still to come */
    long line;
    bool named;       /* a row of names was met: */
    crs_names *names; /* NULL: they are not kept */
    ptrdiff_t rows, columns, count, room;
    double *data;
    crease_error *e;
} table;

static bool slurp(FILE *f, const char *name, char **text, size_t *n, crease_error *e)
{
    size_t room = 0, got = 0;
    *text = NULL;
    do {
        if (*n + 1 >= room) {
            room = room ? 2 * room : 65536;
            char *moved = crs_resize(*text, room, 1);
            if (!moved)
                return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the text of %.200s", name);
            *text = moved;
        }
        got = fread(*text + *n, 1, room - *n, f);
        *n += got;
    } while (got > 0);
    return !ferror(f) || crs_fail_read(name, *n, e);
}

static bool bad_cell(const table *t, ptrdiff_t column, const char *cell, const char *what)
{
    return crs_fail(t->e, CREASE_BAD_DATA, "%.200s, line %ld, column %td: '%.40s' %s", t->name,
                    t->line, column, cell, what);
}

static bool number(const table *t, ptrdiff_t column, const char *cell, size_t n, double *value)
{
    if (n == 0)
        return crs_fail(t->e, CREASE_BAD_DATA,
                        "%.200s, line %ld, column %td: the cell is empty; give a number there",
                        t->name, t->line, column);
    if (n >= CELL - 1 || strlen(cell) != n || !crs_parse_double(cell, value))
        return bad_cell(t, column, cell, "is not a number; write numbers as 1.5 or 1e-3");
    if (isinf(*value) && !strpbrk(cell, "nN"))
        return bad_cell(t, column, cell, "is beyond the range of double; rescale the data");
    return true;
}

/* A row of names: no cell is a number, or begins like one ("1,5" is a slip, not a name). */
static bool is_names(const char *from, const char *to)
{
    crs_cells cells = crs_csv_cells(from, to, crs_csv_delimiter(from, to));
    bool some = false;
    while (cells.more) {
        char cell[CELL];
        double value;
        const size_t n = crs_csv_next(&cells, cell, sizeof cell);
        if (n > 0 && (strchr("0123456789+-.,", cell[0]) || crs_parse_double(cell, &value)))
            return false;
        some = some || n > 0;
    }
    return some;
}

static bool read_row(table *t, const char *from, const char *to, char delimiter)
{
    crs_cells cells = crs_csv_cells(from, to, delimiter);
    ptrdiff_t column = 0;
    while (cells.more) {
        char cell[CELL];
        const size_t n = crs_csv_next(&cells, cell, sizeof cell);
        if (!crs_grow(&t->data, &t->room, t->count + 1, PTRDIFF_MAX / 16, t->e)) return false;
        if (!number(t, ++column, cell, n, &t->data[t->count])) return false;
        t->count++;
    }
    if (t->rows > 0 && column != t->columns)
        return crs_fail(t->e, CREASE_BAD_DATA,
                        "%.200s, line %ld has %td column%s but the lines before it have %td; give "
                        "every row the same number",
                        t->name, t->line, column, column == 1 ? "" : "s", t->columns);
    t->columns = column;
    t->rows++;
    return true;
}

static bool read_rows(table *t)
{
    char delimiter = 0;
    while (t->at < t->end) {
        const char *from, *to;
        t->line++;
        if (!crs_csv_line(&t->at, t->end, &from, &to))
            return crs_fail(t->e, CREASE_BAD_DATA,
                            "%.200s, line %ld: a quote is not closed on its line; close or remove "
                            "it",
                            t->name, t->line);
        if (from == to) continue;
        if (t->rows == 0 && !t->named && is_names(from, to)) {
            t->named = true;
            if (t->names && !crs_csv_names(from, to, t->names, t->e)) return false;
            continue;
        }
        if (!delimiter) delimiter = crs_csv_delimiter(from, to);
        if (!read_row(t, from, to, delimiter)) return false;
    }
    return t->rows > 0 ||
           crs_fail(t->e, CREASE_BAD_DATA, "%.200s holds no numbers; give at least one", t->name);
}

/* Names that are not those of the columns would be worse than none. */
static void match_names(const table *t, crs_array *out)
{
    if (!t->names || t->names->count == 0 || t->names->count == t->columns) return;
    snprintf(out->notice, sizeof out->notice,
             "%.80s: the first row has %td name%s for %td column%s; they are left out", t->name,
             t->names->count, t->names->count == 1 ? "" : "s", t->columns,
             t->columns == 1 ? "" : "s");
    crs_names_free(t->names);
}

bool crs_read_csv(FILE *f, const char *name, crs_array *out, crease_error *e)
{
    return crs_read_csv_named(f, name, out, NULL, e);
}

bool crs_read_csv_named(FILE *f, const char *name, crs_array *out, crs_names *names,
                        crease_error *e)
{
    char *text;
    size_t n = 0;
    *out = (crs_array){ .data = NULL };
    table t = { .name = name, .names = names, .e = e };
    bool done = slurp(f, name, &text, &n, e);
    if (done) {
        const size_t mark = n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
        t.at = text + mark;
        t.end = text + n;
        done = read_rows(&t);
    }
    crs_free(text);
    if (!done) {
        crs_free(t.data);
        if (names) crs_names_free(names);
        return false;
    }
    match_names(&t, out);
    out->data = t.data;
    out->shape =
        t.rows == 1 || t.columns == 1 ? crease_vector(t.count) : crease_matrix(t.rows, t.columns);
    return true;
}
