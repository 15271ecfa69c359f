/* SPDX-License-Identifier: MIT
 * csv: a table of numbers in text: comma, semicolon, tab or blanks between them, # comments, an
 * optional first row of names, an optional first column of names. Numbers have a decimal point in
 * every locale. One row or one column is a vector. */
#include "io/formats/io.h"

enum { CELL = 136 };

/* The cells still to come of a line. A delimiter ' ' stands for any run of blanks. */
typedef struct {
    const char *at, *end;
    char delimiter;
    bool more;
} cells_left;

static bool blank(char c) { return c == ' ' || c == '\t'; }

static void trim(const char **from, const char **to)
{
    while (*from < *to && blank(**from)) ++*from;
    while (*to > *from && blank((*to)[-1])) --*to;
}

/* Cuts the next line off [*at, end): without its end (LF, CR LF or CR), comment and outer blanks.
 * False when the quotes in it do not match. */
static bool next_line(const char **at, const char *end, const char **from, const char **to)
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

/* What separates cells on this line, outside quotes: the first of ; tab , blank that occurs. */
static char delimiter_of(const char *from, const char *to)
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

static cells_left cells_of(const char *from, const char *to, char delimiter)
{
    return (cells_left){ from, to, delimiter, from < to };
}

/* The next cell without outer blanks and quotes, cut to fit `out`; its length before that. */
static size_t next_cell(cells_left *c, char *out, size_t size)
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

void crs_names_free(crs_names *n)
{
    crs_free(n->name);
    crs_free(n->text);
    *n = (crs_names){ .text = NULL };
}

static ptrdiff_t count_cells(cells_left cells)
{
    ptrdiff_t count = 0;
    for (char cell[2]; cells.more; count++) next_cell(&cells, cell, sizeof cell);
    return count;
}

/* The cells of a row of names; free them after a failure too. All names with their ends are no
 * longer than the row and its own end. */
static bool read_names(const char *from, const char *to, crs_names *out, crease_error *e)
{
    cells_left cells = cells_of(from, to, delimiter_of(from, to));
    size_t room = (size_t)(to - from) + 1;
    *out = (crs_names){ .count = count_cells(cells), .text = crs_alloc(room, 1) };
    out->name = crs_alloc((size_t)out->count, sizeof *out->name);
    if (!out->text || !out->name)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the names of the columns");
    char *at = out->text;
    for (ptrdiff_t k = 0; k < out->count; k++) {
        out->name[k] = at;
        next_cell(&cells, at, room);
        const size_t used = strlen(at) + 1;
        at += used, room -= used;
    }
    return true;
}

typedef struct {
    const char *name;
    const char *at, *end; /* the text still to come */
    long line;
    bool named;       /* a row of names was met: */
    crs_names *names; /* NULL: they are not kept */
    bool missing;     /* cells without a number are nan */
    bool labelled;    /* the first column has names of rows, which are left out */
    ptrdiff_t rows, columns, count, room;
    double *data;
    crease_error *e;
} table;

static bool bad_cell(const table *t, ptrdiff_t column, const char *cell, const char *what)
{
    return crs_fail(t->e, CREASE_BAD_DATA, "%.200s, line %ld, column %td: '%.40s' %s", t->name,
                    t->line, column, cell, what);
}

static bool is_gap(const char *cell, size_t n) { return n == 0 || strcmp(cell, "NA") == 0; }

static bool number(const table *t, ptrdiff_t column, const char *cell, size_t n, double *value)
{
    if (t->missing && is_gap(cell, n)) return *value = NAN, true;
    if (n == 0)
        return crs_fail(t->e, CREASE_BAD_DATA,
                        "%.200s, line %ld, column %td: the cell is empty; give a number there, or "
                        "say --missing nan to rpca or apply",
                        t->name, t->line, column);
    if (is_gap(cell, n))
        return bad_cell(t, column, cell,
                        "is no number; give one there, or say --missing nan to rpca or apply");
    if (n >= CELL - 1 || strlen(cell) != n || !crs_parse_double(cell, value))
        return bad_cell(t, column, cell, "is not a number; write numbers as 1.5 or 1e-3");
    if (isinf(*value) && !strpbrk(cell, "nN"))
        return bad_cell(t, column, cell, "is beyond the range of double; rescale the data");
    return true;
}

/* Begins it like a number? "1,5" and "-x" are slips, not names. */
static bool like_number(const char *cell)
{
    double value;
    return strchr("0123456789+-.,", cell[0]) || crs_parse_double(cell, &value);
}

/* A row of names: no cell is a number or begins like one, and not all stand for missing ones. */
static bool is_names(const char *from, const char *to)
{
    cells_left cells = cells_of(from, to, delimiter_of(from, to));
    bool some = false;
    while (cells.more) {
        char cell[CELL];
        const size_t n = next_cell(&cells, cell, sizeof cell);
        if (n > 0 && like_number(cell)) return false;
        some = some || !is_gap(cell, n);
    }
    return some;
}

/* A first column of names: a name before a number in the first row of them. */
static bool has_label(const char *from, const char *to, char delimiter)
{
    cells_left cells = cells_of(from, to, delimiter);
    char first[CELL], second[CELL];
    const size_t n = next_cell(&cells, first, sizeof first);
    if (!cells.more || is_gap(first, n) || like_number(first)) return false;
    const size_t m = next_cell(&cells, second, sizeof second);
    return is_gap(second, m) || like_number(second);
}

static bool read_row(table *t, const char *from, const char *to, char delimiter)
{
    cells_left cells = cells_of(from, to, delimiter);
    ptrdiff_t column = 0;
    while (cells.more) {
        char cell[CELL];
        const size_t n = next_cell(&cells, cell, sizeof cell);
        if (++column == 1 && t->labelled) continue;
        if (!crs_grow(&t->data, &t->room, t->count + 1, PTRDIFF_MAX / 16, t->e)) return false;
        if (!number(t, column, cell, n, &t->data[t->count])) return false;
        t->count++;
    }
    column -= t->labelled;
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
        if (!next_line(&t->at, t->end, &from, &to))
            return crs_fail(t->e, CREASE_BAD_DATA,
                            "%.200s, line %ld: a quote is not closed on its line; close or remove "
                            "it",
                            t->name, t->line);
        if (from == to) continue;
        if (t->rows == 0 && !t->named && is_names(from, to)) {
            t->named = true;
            if (t->names && !read_names(from, to, t->names, t->e)) return false;
            continue;
        }
        if (!delimiter) {
            delimiter = delimiter_of(from, to);
            t->labelled = has_label(from, to, delimiter);
        }
        if (!read_row(t, from, to, delimiter)) return false;
    }
    return t->rows > 0 ||
           crs_fail(t->e, CREASE_BAD_DATA, "%.200s holds no numbers; give at least one", t->name);
}

/* The name of the column of names, or none at all: "" or what stands before the others. */
static void drop_first(crs_names *n)
{
    for (ptrdiff_t k = 1; k < n->count; k++) n->name[k - 1] = n->name[k];
    n->count--;
}

/* Names that are not those of the columns would be worse than none. */
static void match_names(const table *t, crs_array *out)
{
    crs_names *n = t->names;
    if (t->labelled)
        snprintf(out->notice, sizeof out->notice,
                 "%.100s: the first column holds names of rows; it is left out", t->name);
    if (n && t->labelled && n->count == t->columns + 1) drop_first(n);
    if (!n || n->count == 0 || n->count == t->columns) return;
    snprintf(out->notice, sizeof out->notice,
             "%.80s: the first row has %td name%s for %td column%s; they are left out", t->name,
             n->count, n->count == 1 ? "" : "s", t->columns, t->columns == 1 ? "" : "s");
    crs_names_free(n);
}

static bool read_csv(const crs_source *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    char *text;
    size_t n = 0;
    *out = (crs_array){ .data = NULL };
    table t = { .name = s->name, .e = e };
    if (asked) t.names = asked->names, t.missing = asked->missing;
    bool done = crs_slurp(s->f, s->name, &text, &n, e);
    if (done) {
        const size_t mark = n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
        t.at = text + mark;
        t.end = text + n;
        done = read_rows(&t);
    }
    crs_free(text);
    if (!done) {
        crs_free(t.data);
        if (t.names) crs_names_free(t.names);
        return false;
    }
    match_names(&t, out);
    out->data = t.data;
    out->shape =
        t.rows == 1 || t.columns == 1 ? crease_vector(t.count) : crease_matrix(t.rows, t.columns);
    return true;
}

const crs_format crs_csv_format = {
    .name = "csv",
    .reads = "columns drop",
    .endings = ".csv .tsv .txt",
    .text = "a table of numbers in text, with names of rows and columns",
    .read = read_csv,
};
