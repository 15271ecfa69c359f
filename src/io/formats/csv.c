/* SPDX-License-Identifier: MIT
 * csv: a table of numbers in text: comma, semicolon, tab or blanks between cells, # comments, an
 * optional first row and first column of names, which become axes. Numbers have a decimal point in
 * every locale; where commas do not separate cells, decimal commas are understood. One row or
 * column is a vector. A first row is names if no cell of it begins like a number, if the cell in
 * the corner is empty and the row below begins with a name, or if it is quoted and what follows is
 * not. A first column is names if its first cell is text or a date before a number, if it alone is
 * quoted, or if the row of names has nothing or nobody above it. */
#include "io/formats/io.h"

enum { CELL = 136 };

typedef struct {
    const char *from, *to; /* without outer blanks and quotes */
    bool quoted;
} cell;

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

static cells_left cells_of(const char *from, const char *to)
{
    return (cells_left){ from, to, delimiter_of(from, to), from < to };
}

static cell next_cell(cells_left *c)
{
    bool quoted = false;
    cell out = { .from = c->at, .to = c->at };
    for (; out.to < c->end && (quoted || *out.to != c->delimiter); out.to++)
        if (*out.to == '"') quoted = !quoted;
    c->more = out.to < c->end;
    c->at = out.to + c->more;
    while (c->delimiter == ' ' && c->more && c->at < c->end && *c->at == ' ') c->at++;
    trim(&out.from, &out.to);
    out.quoted = out.to - out.from >= 2 && out.from[0] == '"' && out.to[-1] == '"';
    if (out.quoted) out.from++, out.to--;
    return out;
}

/* Its text, a doubled quote as one, cut to fit; its length before that. */
static size_t text_of(const cell *c, char *out, size_t size)
{
    size_t n = 0, kept = 0;
    for (const char *at = c->from; at < c->to; at++, n++) {
        if (c->quoted && at[0] == '"' && at + 1 < c->to && at[1] == '"') at++;
        if (kept + 1 < size) out[kept++] = *at;
    }
    out[kept] = '\0';
    return n;
}

/* Its text without blanks inside quotes; false: too long for a number. */
static bool word_of(cell c, char out[CELL])
{
    trim(&c.from, &c.to);
    const size_t n = text_of(&c, out, CELL);
    return n < CELL - 1 && strlen(out) == n;
}

static bool is_gap(const char *word)
{
    static const char *const gap[] = { "", "NA", "N/A", "n/a", "#N/A", "null", "NULL", "?" };
    for (size_t k = 0; k < sizeof gap / sizeof *gap; k++)
        if (strcmp(word, gap[k]) == 0) return true;
    return false;
}

/* "2024-05-01", "12:30", "1/2/2024 13:00" */
static bool is_date(const char *word)
{
    double value;
    return word[0] >= '0' && word[0] <= '9' && strpbrk(word, "-/:") &&
           strspn(word, "0123456789-/:T .Z+") == strlen(word) && !crs_parse_double(word, &value);
}

/* Begins it like a number? "1,5" and "-x" are slips, not names. */
static bool like_number(const char *word)
{
    double value;
    return word[0] && !is_date(word) &&
           (strchr("0123456789+-.,", word[0]) || crs_parse_double(word, &value));
}

static bool is_name(const cell *c)
{
    char word[CELL];
    word_of(*c, word);
    return !is_gap(word) && !like_number(word);
}

typedef struct {
    cell *cell;
    ptrdiff_t count, room;
} cells;

typedef struct {
    const char *name;
    const crs_asked *asked; /* never NULL */
    const char *at, *end;   /* the text still to come */
    long number;            /* of the line */
    bool labelled;          /* a first column of names was met */
    bool comma, point;      /* decimal ones were met */
    cells header, label;    /* names of columns, all that the row has; names of rows */
    bool *keep;             /* of every column; NULL: all */
    ptrdiff_t rows, columns, width, count, room;
    double *data;
    crease_error *e;
} table;

static bool add_cell(table *t, cells *list, cell c)
{
    if (list->count == list->room) {
        const ptrdiff_t more = list->room ? 2 * list->room : 64;
        cell *moved = crs_resize(list->cell, (size_t)more, sizeof *moved);
        if (!moved) return crs_fail(t->e, CREASE_NO_MEMORY, "out of memory: names in a table");
        list->cell = moved;
        list->room = more;
    }
    list->cell[list->count++] = c;
    return true;
}

static bool bad_cell(const table *t, ptrdiff_t column, const char *word, const char *what)
{
    return crs_fail(t->e, CREASE_BAD_DATA, "%.200s, line %ld, column %td: '%.40s' %s", t->name,
                    t->number, column, word, what);
}

static bool bad_gap(const table *t, ptrdiff_t column, const char *word)
{
    return crs_fail(t->e, CREASE_BAD_DATA,
                    "%.200s, line %ld, column %td: %s%s%s; give a number there, or say --missing "
                    "nan to rpca or apply",
                    t->name, t->number, column, word[0] ? "'" : "the cell is empty", word,
                    word[0] ? "' is no number" : "");
}

/* "2,5" where commas do not separate cells. */
static bool with_comma(table *t, char delimiter, char *word, double *value)
{
    char *comma = strchr(word, ',');
    if (delimiter == ',' || !comma || strchr(word, '.')) return false;
    *comma = '.';
    if (strchr(comma, ',') || !crs_parse_double(word, value)) return *comma = ',', false;
    *comma = ',';
    return t->comma = true;
}

static bool number(table *t, const cell *c, char delimiter, ptrdiff_t column, double *value)
{
    char word[CELL];
    const bool fits = word_of(*c, word);
    if (fits && is_gap(word))
        return t->asked->missing ? (*value = NAN, true) : bad_gap(t, column, word);
    if (!fits || (!crs_parse_double(word, value) && !with_comma(t, delimiter, word, value)))
        return bad_cell(t, column, word,
                        "is not a number; write numbers as 1.5 or 1e-3, or leave a column of text "
                        "out by --drop");
    t->point = t->point || strchr(word, '.');
    if (t->comma && t->point)
        return bad_cell(t, column, word,
                        "and numbers before it have a decimal comma and a point; use one of them");
    if (isinf(*value) && !strpbrk(word, "nN"))
        return bad_cell(t, column, word, "is beyond the range of double; rescale the data");
    return true;
}

/* The next line with something on it; false at the end, or with quotes that do not match. */
static bool next_row(table *t, cell *l, bool *closed)
{
    *closed = true;
    while (t->at < t->end && *closed) {
        t->number++;
        *closed = next_line(&t->at, t->end, &l->from, &l->to);
        if (*closed && l->from < l->to) return true;
    }
    return false;
}

/* The row after this one, which stays to be read. */
static cells_left row_after(const table *t)
{
    table ahead = *t;
    cell l = { .from = NULL };
    bool closed;
    return next_row(&ahead, &l, &closed) ? cells_of(l.from, l.to) : (cells_left){ .more = false };
}

/* No cell is a number or begins like one, and not all stand for missing ones. */
static bool all_names(cells_left row)
{
    bool some = false;
    while (row.more) {
        const cell c = next_cell(&row);
        char word[CELL];
        word_of(c, word);
        if (like_number(word)) return false;
        some = some || !is_gap(word);
    }
    return some;
}

static bool all_quoted(cells_left row)
{
    while (row.more)
        if (!next_cell(&row).quoted) return false;
    return true;
}

/* Of a first row; see above. */
static bool is_header(const table *t, const cell *l)
{
    const cells_left row = cells_of(l->from, l->to);
    cells_left first = row, after = row_after(t);
    if (all_names(row)) return true;
    if (!after.more) return false;
    if (all_quoted(row) && !all_quoted(after)) return true;
    const cell corner = next_cell(&first), below = next_cell(&after);
    return corner.from == corner.to && first.more && after.more && is_name(&below);
}

static bool read_header(table *t, const cell *l)
{
    cells_left row = cells_of(l->from, l->to);
    while (row.more)
        if (!add_cell(t, &t->header, next_cell(&row))) return false;
    return true;
}

/* Of a first row of numbers; see above. Columns that are left out do not count. */
static bool has_label(const table *t, cells_left row)
{
    const cell first = next_cell(&row);
    const cells *h = &t->header;
    const bool corner = h->count == t->width && h->count > 1 && h->cell[0].from == h->cell[0].to;
    bool numbers = false, alone = row.more; /* of the others: one is a number, none is quoted */
    for (ptrdiff_t j = 1; row.more; j++) {
        const cell c = next_cell(&row);
        if (t->keep && !t->keep[j]) continue;
        numbers = numbers || !is_name(&c);
        alone = alone && !c.quoted;
    }
    return corner || (first.quoted && alone) || (is_name(&first) && numbers);
}

/* The column that a word means, from 0: one with that name, or a number from 1; else -1. */
static ptrdiff_t column_of(const table *t, const char *word)
{
    const ptrdiff_t shift = t->width - t->header.count == 1; /* nobody above the names of rows */
    double k;
    for (ptrdiff_t j = 0; j < t->header.count; j++) {
        char name[256];
        text_of(&t->header.cell[j], name, sizeof name);
        if (strcmp(name, word) == 0) return j + shift;
    }
    return crs_parse_double(word, &k) && k >= 1 && k <= (double)t->width && k == floor(k)
               ? (ptrdiff_t)k - 1
               : -1;
}

/* One of --columns and --drop: a name, a number from 1, or 3-7. */
static bool mark(table *t, const char *option, char *word, bool value)
{
    ptrdiff_t first = column_of(t, word), last = first;
    char *dash = strchr(word, '-');
    if (first < 0 && dash) {
        *dash = '\0';
        first = column_of(t, word);
        last = column_of(t, dash + 1);
        *dash = '-';
    }
    if (first < 0 || last < first)
        return crs_fail(t->e, CREASE_BAD_ARGUMENT,
                        "%s: %.150s has no column '%.60s'; give names in its first row, or numbers "
                        "from 1 to %td",
                        option, t->name, word, t->width);
    for (ptrdiff_t j = first; j <= last; j++) t->keep[j] = value;
    return true;
}

static bool mark_all(table *t, const char *option, const char *list, bool value)
{
    char word[256];
    while (*list) {
        const size_t n = strcspn(list, ",");
        if (n < sizeof word) memcpy(word, list, n);
        word[n < sizeof word ? n : 0] = '\0';
        if (!mark(t, option, word, value)) return false;
        list += n + (list[n] == ',');
    }
    return true;
}

/* Which columns stay; a first column of names stays as such unless it is dropped. */
static bool choose_columns(table *t, cells_left row)
{
    const char *columns = t->asked->columns, *drop = t->asked->drop;
    for (cells_left all = row; all.more; t->width++) next_cell(&all);
    if (!columns && !drop) return t->labelled = has_label(t, row), true;
    t->keep = crs_alloc((size_t)t->width, sizeof *t->keep);
    if (!t->keep) return crs_fail(t->e, CREASE_NO_MEMORY, "out of memory: columns of a table");
    for (ptrdiff_t j = 0; j < t->width; j++) t->keep[j] = !columns;
    if (columns && !mark_all(t, "--columns", columns, true)) return false;
    const bool wanted = t->keep[0];
    t->keep[0] = true;
    if (drop && !mark_all(t, "--drop", drop, false)) return false;
    t->labelled = t->keep[0] && has_label(t, row);
    t->keep[0] = t->keep[0] && (t->labelled || wanted);
    return true;
}

static bool read_row(table *t, const cell *l)
{
    cells_left row = cells_of(l->from, l->to);
    ptrdiff_t column = 0, kept = 0;
    if (t->rows == 0 && !choose_columns(t, row)) return false;
    for (; row.more; column++) {
        const cell c = next_cell(&row);
        if (column == 0 && t->labelled && !add_cell(t, &t->label, c)) return false;
        if ((column == 0 && t->labelled) || (t->keep && column < t->width && !t->keep[column]))
            continue;
        if (!crs_grow(&t->data, &t->room, t->count + 1, PTRDIFF_MAX / 16, t->e)) return false;
        if (!number(t, &c, row.delimiter, column + 1, &t->data[t->count])) return false;
        t->count++, kept++;
    }
    if (column != t->width)
        return crs_fail(t->e, CREASE_BAD_DATA,
                        "%.200s, line %ld has %td column%s but the lines before it have %td; give "
                        "every row the same number",
                        t->name, t->number, column - t->labelled,
                        column - t->labelled == 1 ? "" : "s", t->width - t->labelled);
    t->columns = kept;
    t->rows++;
    return true;
}

static bool read_rows(table *t)
{
    enum { ROWS = 256 }; /* between two looks */
    const double begun = (double)(t->end - t->at);
    cell l;
    bool closed;
    for (bool first = true; next_row(t, &l, &closed); first = false) {
        if (t->number % ROWS == 0) {
            crs_watch_part(t->asked->watch, begun - (double)(t->end - t->at), begun);
            if (!crs_reads_on(t->asked->watch, t->e)) return false;
        }
        const bool names = first && is_header(t, &l);
        if (!(names ? read_header(t, &l) : read_row(t, &l))) return false;
    }
    if (!closed)
        return crs_fail(t->e, CREASE_BAD_DATA,
                        "%.200s, line %ld: a quote is not closed on its line; close or remove it",
                        t->name, t->number);
    return t->count > 0 ||
           crs_fail(t->e, CREASE_BAD_DATA, "%.200s holds no numbers; give at least one", t->name);
}

/* Names as they are in axes: cells unquoted. To be freed by crs_words_free. */
static char **words_of(const table *t, ptrdiff_t count, const cell *c)
{
    char **word = crs_alloc((size_t)count, sizeof *word);
    bool done = word;
    for (ptrdiff_t k = 0; done && k < count; k++) {
        const size_t room = (size_t)(c[k].to - c[k].from) + 1;
        word[k] = crs_alloc(room, 1);
        if (word[k]) text_of(&c[k], word[k], room);
        done = word[k];
    }
    if (!done) crs_fail(t->e, CREASE_NO_MEMORY, "out of memory: names in a table");
    return word;
}

/* All numbers: positions. Those that only count, from 0 or from 1, say nothing. */
static bool are_positions(ptrdiff_t count, char *const *word, double *at, bool *counting)
{
    *counting = true;
    for (ptrdiff_t k = 0; k < count; k++) {
        if (!crs_parse_double(word[k], &at[k]) || !isfinite(at[k])) return false;
        *counting = *counting && at[k] == at[0] + (double)k && (at[0] == 0 || at[0] == 1);
    }
    return true;
}

static bool set_axis(const table *t, ptrdiff_t count, const cell *c, crs_axis *a)
{
    bool counting;
    char **word = words_of(t, count, c);
    double *at = crs_doubles(count, "the positions of an axis", t->e);
    bool done = word && at && (count == 0 || word[count - 1]);
    if (done && are_positions(count, word, at, &counting))
        done = counting || crs_axis_at(a, count, at, t->e);
    else if (done)
        done = crs_axis_labels(a, count, (const char *const *)word, t->e);
    crs_words_free(count, word);
    crs_free(at);
    return done;
}

/* Those of the columns that are kept: false where there are not as many as columns. */
static bool column_names(table *t, crs_array *out)
{
    cells *h = &t->header;
    ptrdiff_t kept = 0;
    const ptrdiff_t shift = t->width - h->count;
    if (h->count == 0 || !(shift == 0 || (shift == 1 && t->labelled))) {
        if (h->count > 0)
            snprintf(out->notice, sizeof out->notice,
                     "%.80s: the first row has %td name%s for %td column%s; they are left out",
                     t->name, h->count, h->count == 1 ? "" : "s", t->width,
                     t->width == 1 ? "" : "s");
        return false;
    }
    for (ptrdiff_t j = 0; j < h->count; j++) {
        const ptrdiff_t column = j + shift;
        if ((column == 0 && t->labelled) || (t->keep && !t->keep[column])) continue;
        h->cell[kept++] = h->cell[j];
    }
    return true;
}

/* What the cell above the names of rows calls them. */
static bool name_rows(table *t, crs_axis *a)
{
    char word[256];
    if (!t->labelled || t->header.count != t->width) return true;
    text_of(&t->header.cell[0], word, sizeof word);
    return !word[0] || crs_axis_name(a, word, NULL, t->e);
}

static bool set_axes(table *t, crs_array *out)
{
    crs_axis *rows = t->rows > 1 ? &out->axes.axis[0] : NULL;
    crs_axis *columns = rows && t->columns == 1 ? &out->column : &out->axes.axis[t->rows > 1];
    if (t->comma)
        snprintf(out->notice, sizeof out->notice, "%.100s: decimal commas were read as points",
                 t->name);
    if (rows && !name_rows(t, rows)) return false;
    const bool named = column_names(t, out);
    if (rows && t->labelled && !set_axis(t, t->rows, t->label.cell, rows)) return false;
    return !named || set_axis(t, t->columns, t->header.cell, columns);
}

static bool read_text(table *t, const char *text, size_t n, crs_array *out)
{
    const size_t mark = n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    t->at = text + mark;
    t->end = text + n;
    if (!read_rows(t) || !set_axes(t, out)) return false;
    out->data = t->data;
    out->shape = t->rows == 1 || t->columns == 1 ? crease_vector(t->count)
                                                 : crease_matrix(t->rows, t->columns);
    t->data = NULL;
    return true;
}

static bool read_csv(const crs_input *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    char *text;
    size_t n = 0;
    *out = (crs_array){ .data = NULL };
    table t = { .name = s->name,
                .e = e,
                .asked = asked ? asked : &(crs_asked){ .missing = false } };
    const bool done = crs_slurp(s->f, s->name, &text, &n, e) && read_text(&t, text, n, out);
    crs_free(text);
    crs_free(t.data);
    crs_free(t.keep);
    crs_free(t.header.cell);
    crs_free(t.label.cell);
    if (!done) crs_array_free(out);
    return done;
}

/* Always in quotes, so that names that are numbers are told from numbers; on one line. */
static bool put_name(FILE *f, const char *text)
{
    bool done = fputc('"', f) != EOF;
    for (; done && *text; text++)
        done = fputc(*text == '\n' || *text == '\r' ? ' ' : *text, f) != EOF &&
               (*text != '"' || fputc('"', f) != EOF);
    return done && fputc('"', f) != EOF;
}

static bool put_index(FILE *f, const crs_axis *a, ptrdiff_t k)
{
    if (a->label) return put_name(f, a->label[k]);
    return fputc('"', f) != EOF && crs_put_double(f, a->at[k]) && fputc('"', f) != EOF;
}

typedef struct {
    FILE *f;
    const crs_axis *rows, *columns; /* NULL: without names */
    const char *corner;
    ptrdiff_t width, next;
    char delimiter;
} target;

static bool put_header(const target *t)
{
    if (!t->columns) return true;
    if (t->rows && !(put_name(t->f, t->corner) && fputc(t->delimiter, t->f) != EOF)) return false;
    for (ptrdiff_t k = 0; k < t->width; k++)
        if ((k > 0 && fputc(t->delimiter, t->f) == EOF) || !put_index(t->f, t->columns, k))
            return false;
    return fputc('\n', t->f) != EOF;
}

static bool put_cells(void *self, ptrdiff_t count, const double *x)
{
    target *t = self;
    for (ptrdiff_t k = 0; k < count; k++, t->next++) {
        const ptrdiff_t row = t->next / t->width, column = t->next % t->width;
        if (column == 0 && t->rows &&
            !(put_index(t->f, t->rows, row) && fputc(t->delimiter, t->f) != EOF))
            return false;
        if (!crs_put_double(t->f, x[k]) ||
            fputc(column + 1 < t->width ? t->delimiter : '\n', t->f) == EOF)
            return false;
    }
    return true;
}

static bool put_table(FILE *f, char delimiter, const crs_item *a)
{
    const bool matrix = a->shape->order == 2;
    const crs_axis *axis = a->axes ? a->axes->axis : NULL;
    target t = { .f = f, .width = matrix ? a->shape->dim[1] : 1, .delimiter = delimiter };
    if (axis && axis[0].count) t.rows = &axis[0];
    if (axis && matrix && axis[1].count) t.columns = &axis[1];
    t.corner = t.rows && t.rows->name ? t.rows->name : "";
    return put_header(&t) && crs_item_each(a, put_cells, &t);
}

static bool put_commas(FILE *f, const void *what) { return put_table(f, ',', what); }

static bool put_tabs(FILE *f, const void *what) { return put_table(f, '\t', what); }

static bool write_csv(const char *path, int count, const crs_item *item, crease_error *e)
{
    (void)count; /* one */
    if (!crease_space_check(item->shape, e)) return false;
    if (item->shape->order > 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%.200s: a table has rows and columns and the array has %d dimensions; "
                        "write it as npz, or a slice of it",
                        path, item->shape->order);
    const bool tabs = strstr(path, ".tsv");
    return crs_write_whole(path, tabs ? put_tabs : put_commas, item, NULL, e);
}

const crs_format crs_csv_format = {
    .name = "csv",
    .reads = "columns drop",
    .endings = ".csv .tsv .txt",
    .text = "a table of numbers in text, with names of rows and columns",
    .read = read_csv,
    .write = write_csv,
};
