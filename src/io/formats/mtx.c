/* SPDX-License-Identifier: MIT
 * mtx: Matrix Market files, "%%MatrixMarket matrix coordinate|array real|integer|pattern
 * general|symmetric|skew-symmetric"; indices count from 1, array entries run down the columns, a
 * symmetric file holds the lower triangle, the entries of a pattern are 1 (Boisvert, Pozo,
 * Remington 1996, NISTIR 5935). Entries without a line are zeros, unless they are to be missing. */
#include <ctype.h>
#include <stdlib.h>

#include "io/formats/io.h"

enum { LINE = 256, WORDS = 6 };

typedef struct {
    FILE *f;
    const char *name;
    long line;
    char text[LINE];
    char *word[WORDS];
    int words;
    bool sparse, pattern, symmetric, skew; /* skew: symmetric too, but for the sign */
    ptrdiff_t rows, cols, entries, filled, room;
    const crease_watch *watch;
    double *data; /* the entries so far: (row, column, value), or values down the columns */
    crease_error *e;
} scanner;

static bool bad(const scanner *s, const char *what)
{
    return crs_fail(s->e, CREASE_BAD_DATA, "%.200s, line %ld: %s", s->name, s->line, what);
}

/* The next line that is neither blank nor a comment, in words; none: s->words = 0. */
static bool next_line(scanner *s)
{
    for (s->words = 0; s->words == 0;) {
        if (!fgets(s->text, sizeof s->text, s->f))
            return !ferror(s->f) || crs_fail_read(s->name, (size_t)ftell(s->f), s->e);
        s->line++;
        const bool comment = s->text[0] == '%' && s->line > 1;
        bool whole = strchr(s->text, '\n') || feof(s->f);
        if (!whole && !comment) return bad(s, "it is too long; write one entry per line");
        while (!whole) { /* the rest of a long comment */
            char rest[LINE];
            if (!fgets(rest, sizeof rest, s->f)) break;
            whole = strchr(rest, '\n');
        }
        if (comment) continue;
        for (char *at = s->text; s->words < WORDS;) {
            at += strspn(at, " \t\r\n");
            if (!*at) break;
            s->word[s->words++] = at;
            at += strcspn(at, " \t\r\n");
            if (*at) *at++ = '\0';
        }
    }
    return true;
}

static bool says(char *word, const char *wanted)
{
    for (char *c = word; *c; c++) *c = (char)tolower((unsigned char)*c);
    return strcmp(word, wanted) == 0;
}

static bool read_banner(scanner *s)
{
    if (!next_line(s)) return false;
    if (s->words != 5 || !says(s->word[0], "%%matrixmarket") || !says(s->word[1], "matrix"))
        return bad(s, "it is no Matrix Market banner; begin with '%%MatrixMarket matrix "
                      "coordinate real general'");
    s->sparse = says(s->word[2], "coordinate");
    s->pattern = says(s->word[3], "pattern");
    s->skew = says(s->word[4], "skew-symmetric");
    s->symmetric = s->skew || says(s->word[4], "symmetric");
    if (!s->sparse && !says(s->word[2], "array"))
        return bad(s, "the format is neither coordinate nor array; use one of them");
    if (says(s->word[3], "complex"))
        return bad(s, "the entries are complex; write real ones, as the absolute values");
    if (!s->pattern && !says(s->word[3], "real") && !says(s->word[3], "integer"))
        return bad(s, "the entries are neither real nor integer nor a pattern; convert them");
    if (s->pattern && !s->sparse) return bad(s, "a pattern has coordinates; write array as real");
    if (!s->symmetric && !says(s->word[4], "general"))
        return bad(s, "the matrix is neither general nor symmetric; write all its entries as "
                      "general");
    return true;
}

static bool whole(const scanner *s, const char *word, double low, double high, ptrdiff_t *out)
{
    double v;
    if (!crs_parse_double(word, &v) || !(v >= low && v <= high && v == floor(v)))
        return crs_fail(s->e, CREASE_BAD_DATA,
                        "%.200s, line %ld: '%.40s' is no whole number from %g to %g", s->name,
                        s->line, word, low, high);
    *out = (ptrdiff_t)v;
    return true;
}

static bool read_sizes(scanner *s)
{
    ptrdiff_t all;
    if (!next_line(s)) return false;
    if (s->words != (s->sparse ? 3 : 2))
        return bad(s, s->sparse ? "the sizes are missing; write rows, columns and entries"
                                : "the sizes are missing; write rows and columns");
    if (!whole(s, s->word[0], 1, 0x1p53, &s->rows) || !whole(s, s->word[1], 1, 0x1p53, &s->cols))
        return false;
    if (s->symmetric && s->rows != s->cols)
        return bad(s, "a symmetric matrix has as many rows as columns; correct the sizes");
    if (!crs_mul_size(s->rows, s->cols, &all) || all > PTRDIFF_MAX / 32)
        return bad(s, "the matrix is larger than memory can address; correct the sizes");
    s->entries = s->skew ? (all - s->rows) / 2 : s->symmetric ? (all - s->rows) / 2 + s->rows : all;
    return !s->sparse || whole(s, s->word[2], 0, 0x1p48, &s->entries); /* duplicates add up */
}

static bool take_indices(scanner *s, ptrdiff_t *i, ptrdiff_t *j)
{
    if (!whole(s, s->word[0], 1, (double)s->rows, i) ||
        !whole(s, s->word[1], 1, (double)s->cols, j))
        return false;
    if (s->symmetric && *i < *j)
        return bad(s, "a symmetric file holds the lower triangle; swap row and column");
    if (s->skew && *i == *j)
        return bad(s, "the diagonal of a skew-symmetric matrix is 0; leave it out");
    return true;
}

static bool take(scanner *s)
{
    const int width = s->sparse ? 3 : 1;
    ptrdiff_t i = 1, j = 1;
    double v = 1;
    if (s->words != width - s->pattern)
        return bad(s, s->pattern  ? "write row and column"
                      : s->sparse ? "write row, column and value"
                                  : "write one value per line");
    if (s->sparse && !take_indices(s, &i, &j)) return false;
    if (!s->pattern && !crs_parse_double(s->word[width - 1], &v))
        return bad(s, "the value is not a number; write numbers as 1.5 or 1e-3");
    if (!isfinite(v)) return bad(s, "the value is not finite; give a finite number");
    if (!crs_grow(&s->data, &s->room, width * (s->filled + 1), width * s->entries, s->e))
        return false;
    double *at = s->data + width * s->filled++;
    if (s->sparse) at[0] = (double)(i - 1), at[1] = (double)(j - 1);
    at[width - 1] = v;
    return true;
}

static bool read_entries(scanner *s)
{
    enum { ENTRIES = 4096 }; /* between two looks */
    for (;;) {
        if (!next_line(s)) return false;
        if (s->words == 0) break;
        if (s->filled == s->entries) return bad(s, "there are more entries than the sizes say");
        if (!take(s)) return false;
        if (s->filled % ENTRIES == 0 && !crs_reads_on(s->watch, s->e)) return false;
    }
    return s->filled == s->entries ||
           crs_fail(s->e, CREASE_BAD_DATA,
                    "%.200s ends after %td of %td entries; add the others or correct the sizes",
                    s->name, s->filled, s->entries);
}

/* Down the columns, or down the lower triangle's, to row-major. */
static bool to_dense(const scanner *s, crs_mtx *out)
{
    const double *from = s->data;
    out->value = crs_doubles(s->rows * s->cols, "a matrix", s->e);
    if (!out->value) return false;
    for (ptrdiff_t j = 0; j < s->cols; j++)
        for (ptrdiff_t i = s->symmetric ? j + s->skew : 0; i < s->rows; i++, from++) {
            if (s->symmetric) out->value[j * s->cols + i] = s->skew ? -*from : *from;
            out->value[i * s->cols + j] = *from;
        }
    return true;
}

void crs_mtx_free(crs_mtx *m)
{
    crs_free(m->value);
    crs_free(m->start);
    crs_free(m->col);
    *m = (crs_mtx){ .value = NULL };
}

/* Puts one entry where its row goes on. */
static void put(crs_mtx *m, ptrdiff_t *next, ptrdiff_t i, ptrdiff_t j, double v)
{
    m->col[next[i]] = j;
    m->value[next[i]++] = v;
}

static void count_rows(ptrdiff_t count, const double *triple, double mirrored, crs_mtx *m,
                       ptrdiff_t *next)
{
    for (ptrdiff_t k = 0; k < count; k++) {
        const ptrdiff_t i = (ptrdiff_t)triple[3 * k], j = (ptrdiff_t)triple[3 * k + 1];
        m->start[i + 1]++;
        if (mirrored != 0 && i != j) m->start[j + 1]++;
    }
    for (ptrdiff_t i = 0; i < m->rows; i++) m->start[i + 1] += m->start[i], next[i] = m->start[i];
    for (ptrdiff_t k = 0; k < count; k++) {
        const ptrdiff_t i = (ptrdiff_t)triple[3 * k], j = (ptrdiff_t)triple[3 * k + 1];
        put(m, next, i, j, triple[3 * k + 2]);
        if (mirrored != 0 && i != j) put(m, next, j, i, mirrored * triple[3 * k + 2]);
    }
}

/* The rows of out, from `count` triples (row, column, value) in any order, mirrored with this sign
 * (0: not) when only the lower triangle is given: by counting. */
static bool compress(ptrdiff_t count, const double *triple, double mirrored, crs_mtx *out,
                     crease_error *e)
{
    const ptrdiff_t most = mirrored != 0 ? 2 * count : count;
    if (out->rows > 1000000 && out->rows / 64 > count) /* a few bytes must not claim it all */
        return crs_fail(e, CREASE_BAD_DATA,
                        "a sparse matrix has %td rows but only %td entries; leave empty rows out",
                        out->rows, count);
    out->start = crs_alloc((size_t)out->rows + 1, sizeof *out->start);
    out->col = crs_alloc((size_t)most, sizeof *out->col);
    out->value = crs_alloc((size_t)most, sizeof *out->value);
    ptrdiff_t *next = crs_alloc((size_t)out->rows, sizeof *next);
    const bool room = out->start && out->col && out->value && next;
    if (room) count_rows(count, triple, mirrored, out, next);
    crs_free(next);
    return room ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: a sparse matrix of %td entries", most);
}

bool crs_mtx_read(FILE *f, const char *name, const crease_watch *w, crs_mtx *out, crease_error *e)
{
    scanner s = { .f = f, .name = name, .watch = w, .e = e };
    *out = (crs_mtx){ .value = NULL };
    bool done = read_banner(&s) && read_sizes(&s) && read_entries(&s);
    if (done) {
        *out = (crs_mtx){ .sparse = s.sparse, .rows = s.rows, .cols = s.cols };
        const double mirrored = s.skew ? -1 : s.symmetric;
        done = s.sparse ? compress(s.filled, s.data, mirrored, out, e) : to_dense(&s, out);
    }
    crs_free(s.data);
    if (!done) crs_mtx_free(out);
    return done;
}

/* All entries of a sparse matrix; those that it does not name are `absent`. */
static bool expand(const char *name, double absent, crs_mtx *m, crease_error *e)
{
    if (!m->sparse) return true;
    if (m->rows > CRS_MOST_DENSE / m->cols)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s is a sparse %td x %td matrix, too large to write out; use it as a "
                        "linear map, or where entries without a line were not observed give rpca "
                        "--absent missing and --rank",
                        name, m->rows, m->cols);
    const ptrdiff_t rows = m->rows, cols = m->cols;
    double *all = crs_doubles(rows * cols, "a matrix", e);
    if (!all) return false;
    fill(rows * cols, absent, all);
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t k = m->start[i]; k < m->start[i + 1]; k++) {
            double *at = &all[i * cols + m->col[k]];
            *at = isnan(*at) ? m->value[k] : *at + m->value[k];
        }
    crs_mtx_free(m);
    *m = (crs_mtx){ .rows = rows, .cols = cols, .value = all };
    return true;
}

typedef struct {
    ptrdiff_t col, place;
    double value;
} cell;

static int by_column(const void *a, const void *b)
{
    const cell *s = a, *t = b;
    if (s->col != t->col) return s->col < t->col ? -1 : 1;
    return (s->place > t->place) - (s->place < t->place);
}

/* The columns of every row ascend, each once: entries of one place add up. */
static bool tidy_rows(crs_mtx *m, crease_error *e)
{
    ptrdiff_t most = 0, to = 0;
    for (ptrdiff_t i = 0; i < m->rows; i++)
        if (m->start[i + 1] - m->start[i] > most) most = m->start[i + 1] - m->start[i];
    cell *row = crs_alloc((size_t)most, sizeof *row);
    if (!row) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a row of %td entries", most);
    for (ptrdiff_t i = 0, k = 0; i < m->rows; i++) {
        const ptrdiff_t count = m->start[i + 1] - k;
        for (ptrdiff_t l = 0; l < count; l++, k++) row[l] = (cell){ m->col[k], k, m->value[k] };
        qsort(row, (size_t)count, sizeof *row, by_column);
        m->start[i] = to;
        for (ptrdiff_t l = 0; l < count; l++) {
            const bool again = l > 0 && row[l].col == row[l - 1].col;
            to -= again;
            m->col[to] = row[l].col;
            m->value[to] = (again ? m->value[to] : 0) + row[l].value;
            to++;
        }
    }
    m->start[m->rows] = to;
    crs_free(row);
    return true;
}

/* Does a sparse matrix stay so? */
static bool stays_sparse(const crs_mtx *m, const crs_asked *asked)
{
    return m->sparse && asked && asked->sparse && m->rows > 1 && m->cols > 1 &&
           3 * (double)m->start[m->rows] < (double)m->rows * (double)m->cols;
}

static void hand_over(crs_mtx *m, crs_array *out)
{
    out->shape = crease_matrix(m->rows, m->cols);
    out->value = m->value, out->start = m->start, out->col = m->col;
    m->value = NULL, m->start = m->col = NULL;
}

/* The entries that a sparse matrix names, and no other; m is emptied. */
static bool to_list(const char *name, crs_mtx *m, crs_array *out, crease_error *e)
{
    const crease_space shape = crease_matrix(m->rows, m->cols);
    crs_listed_pairs from = { .count = m->start[m->rows] };
    from.pair = crs_doubles(2 * from.count, "a list of entries", e);
    for (ptrdiff_t i = 0, k = 0; from.pair && i < m->rows; i++)
        for (; k < m->start[i + 1]; k++) {
            from.pair[2 * k] = (double)(i * m->cols + m->col[k]);
            from.pair[2 * k + 1] = m->value[k];
        }
    crs_mtx_free(m);
    const bool done = from.pair && crs_array_list(name, &shape, &from, out, e);
    crs_free(from.pair);
    return done;
}

/* Is it to be a list of entries, with those that it does not name missing? */
static bool stays_list(const crs_mtx *m, const crs_asked *asked, bool missing)
{
    const crease_space shape = crease_matrix(m->rows, m->cols);
    return m->sparse && missing && m->rows > 1 && m->cols > 1 &&
           crs_asked_list(asked, &shape, m->start[m->rows]);
}

static bool read_mtx(const crs_input *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    const bool missing = asked && asked->absent && strcmp(asked->absent, "missing") == 0;
    crs_mtx m;
    *out = (crs_array){ .data = NULL };
    bool done = crs_mtx_read(s->f, s->name, asked ? asked->watch : NULL, &m, e);
    const bool sparse = m.sparse, kept = done && !missing && stays_sparse(&m, asked);
    if (kept) {
        done = tidy_rows(&m, e);
        if (done) hand_over(&m, out);
        crs_mtx_free(&m);
        return done;
    }
    if (done && stays_list(&m, asked, missing)) {
        const ptrdiff_t rows = m.rows, cols = m.cols;
        if (!to_list(s->name, &m, out, e)) return false;
        snprintf(out->notice, sizeof out->notice,
                 "%.70s: %td of %td entries have no line and are missing", s->name,
                 rows * cols - out->list->count, rows * cols);
        return true;
    }
    done = done && expand(s->name, missing ? (double)NAN : 0, &m, e);
    if (done) {
        const bool vector = m.rows == 1 || m.cols == 1;
        out->shape = vector ? crease_vector(m.rows * m.cols) : crease_matrix(m.rows, m.cols);
        out->data = m.value;
        out->gaps = missing && sparse;
        m.value = NULL;
    }
    crs_mtx_free(&m);
    return done;
}

static bool list_mtx(const crs_input *s, crs_listing *out, crease_error *e)
{
    scanner in = { .f = s->f, .name = s->name, .e = e };
    if (!read_banner(&in)) return false;
    crs_inside m = { .name = "" };
    snprintf(m.type, sizeof m.type, "%s%s", in.sparse ? "sparse " : "",
             in.pattern ? "pattern" : "real");
    if (!read_sizes(&in)) return false;
    const bool vector = in.rows == 1 || in.cols == 1;
    m.shape = vector ? crease_vector(in.rows * in.cols) : crease_matrix(in.rows, in.cols);
    return crs_listing_add(out, &m, e);
}

/* What is found in an item before it is written, and where the writing is. */
typedef struct {
    FILE *f;
    ptrdiff_t cols, next, nonzero;
    bool finite;
} target;

static bool look(void *self, ptrdiff_t count, const double *x)
{
    target *t = self;
    for (ptrdiff_t k = 0; k < count; k++) {
        t->nonzero += x[k] != 0;
        t->finite = t->finite && isfinite(x[k]);
    }
    return true;
}

static bool put_coordinates(void *self, ptrdiff_t count, const double *x)
{
    target *t = self;
    for (ptrdiff_t k = 0; k < count; k++, t->next++)
        if (x[k] != 0 &&
            (fprintf(t->f, "%td %td ", t->next / t->cols + 1, t->next % t->cols + 1) < 0 ||
             !crs_put_double(t->f, x[k]) || fputc('\n', t->f) == EOF))
            return false;
    return true;
}

typedef struct {
    const crs_item *item;
    const double *columns; /* NULL: as coordinates */
    ptrdiff_t rows, cols, nonzero;
} matrix;

static bool put_matrix(FILE *f, const void *what)
{
    const matrix *m = what;
    target t = { .f = f, .cols = m->cols };
    if (!m->columns)
        return fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%td %td %td\n", m->rows,
                       m->cols, m->nonzero) > 0 &&
               crs_item_each(m->item, put_coordinates, &t);
    bool done =
        fprintf(f, "%%%%MatrixMarket matrix array real general\n%td %td\n", m->rows, m->cols) > 0;
    for (ptrdiff_t k = 0; done && k < m->rows * m->cols; k++)
        done = crs_put_double(f, m->columns[k]) && fputc('\n', f) != EOF;
    return done;
}

/* As coordinates where less than a third of the entries are not 0. */
static bool write_mtx(const char *path, int count, const crs_item *item, crease_error *e)
{
    (void)count; /* one */
    const crease_space *s = item->shape;
    target t = { .finite = true };
    if (!crease_space_check(s, e)) return false;
    if (s->order > 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%.200s: mtx holds matrices and the array has %d dimensions; write it as "
                        "tns or npz",
                        path, s->order);
    crs_item_each(item, look, &t);
    if (!t.finite)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s: mtx has no sign for entries that are missing or infinite; write "
                        "csv, tns or npz",
                        path);
    matrix m = { item, NULL, s->dim[0], s->order > 1 ? s->dim[1] : 1, t.nonzero };
    const bool sparse = 3 * (double)t.nonzero < (double)crease_size(s);
    double *columns = sparse ? NULL : crs_column_order(item, e);
    m.columns = columns;
    const bool done = (sparse || columns) && crs_write_whole(path, put_matrix, &m, NULL, e);
    crs_free(columns);
    return done;
}

/* The banner, in letters of any case. */
static bool is_mtx(const unsigned char *head, size_t n)
{
    static const char banner[] = "%%matrixmarket";
    size_t k = 0;
    while (k < n && banner[k] && tolower(head[k]) == banner[k]) k++;
    return !banner[k];
}

const crs_format crs_mtx_format = {
    .name = "mtx",
    .reads = "absent",
    .endings = ".mtx",
    .text = "a matrix of the Matrix Market, dense or sparse",
    .begins = is_mtx,
    .read = read_mtx,
    .list = list_mtx,
    .write = write_mtx,
};
