/* SPDX-License-Identifier: MIT
 * tns: tensors as coordinates in text (FROSTT), a line "i j k value" per entry with indices from 1,
 * # comments; before them there may be a line "order" or "order entries" and one with the
 * dimensions. Entries without a line are missing, unless zeros are asked for. The comment "# shape
 * 10 20 30" is written and understood, where indices alone would not tell. */
#include "io/formats/io.h"

enum { WORDS = CREASE_MAX_ORDER + 1, LINE = 512 };

typedef struct {
    FILE *f;
    const char *name;
    long line;
    char text[LINE];
    double word[WORDS];
    int words;
    int order;
    crease_space shape, largest; /* as told, order 0: not; by the indices */
    ptrdiff_t count, room;
    const crease_watch *watch;
    double *entry; /* order indices from 0, the value, the line */
    crease_error *e;
} scanner;

static bool bad(const scanner *s, const char *what)
{
    return crs_fail(s->e, CREASE_BAD_DATA, "%.200s, line %ld: %s", s->name, s->line, what);
}

/* The numbers of the line; they end with it or at a comment. */
static bool split(scanner *s)
{
    static const char blanks[] = " \t\r\n";
    char *at = s->text;
    at[strcspn(at, "#")] = '\0';
    for (s->words = 0;; s->words++) {
        at += strspn(at, blanks);
        const size_t n = strcspn(at, blanks);
        if (n == 0) return true;
        if (s->words == WORDS) return bad(s, "it has more than 8 indices and a value");
        const bool last = !at[n];
        at[n] = '\0';
        if (!crs_parse_double(at, &s->word[s->words]))
            return crs_fail(s->e, CREASE_BAD_DATA,
                            "%.200s, line %ld: '%.40s' is not a number; write indices from 1 and a "
                            "value",
                            s->name, s->line, at);
        if (last) return s->words++, true;
        at += n + 1;
    }
}

/* "# shape 10 20 30" */
static void read_comment(scanner *s)
{
    crease_space shape = { .order = 0 };
    const char *at = s->text + 1;
    int used = 0;
    char word[12];
    long long dim;
    if (sscanf(at, "%11s%n", word, &used) != 1 || strcmp(word, "shape") != 0) return;
    for (at += used; shape.order < CREASE_MAX_ORDER; at += used)
        if (sscanf(at, "%lld%n", &dim, &used) != 1 || dim < 1)
            break;
        else
            shape.dim[shape.order++] = (ptrdiff_t)dim;
    if (shape.order > 0) s->shape = shape;
}

/* The next line with numbers; none: s->words = 0. */
static bool next_line(scanner *s)
{
    do {
        s->words = 0;
        if (!fgets(s->text, sizeof s->text, s->f))
            return !ferror(s->f) || crs_fail_read(s->name, 0, s->e);
        s->line++;
        const bool comment = s->text[0] == '#';
        if (!strchr(s->text, '\n') && !feof(s->f)) {
            if (!comment) return bad(s, "it is too long; write one entry per line");
            for (int c = 0; c != '\n' && c != EOF;) c = fgetc(s->f);
        }
        if (comment) read_comment(s);
        if (!split(s)) return false;
    } while (s->words == 0);
    return true;
}

static bool is_index(double x) { return x >= 1 && x <= 0x1p52 && x == floor(x); }

static bool add_entry(scanner *s)
{
    const int d = s->order;
    if (s->words != d + 1)
        return crs_fail(s->e, CREASE_BAD_DATA,
                        "%.200s, line %ld has %d numbers and the lines before it %d; give every "
                        "line the same indices and a value",
                        s->name, s->line, s->words, d + 1);
    if (!crs_grow(&s->entry, &s->room, (s->count + 1) * (d + 2), PTRDIFF_MAX / 16, s->e))
        return false;
    double *at = s->entry + s->count++ * (d + 2);
    for (int n = 0; n < d; n++) {
        if (!is_index(s->word[n]))
            return bad(s, "an index is no whole number from 1 on; count indices from 1");
        at[n] = s->word[n] - 1;
        if (at[n] >= (double)s->largest.dim[n]) s->largest.dim[n] = (ptrdiff_t)s->word[n];
    }
    if (isnan(s->word[d])) return bad(s, "the value is nan; leave the line out");
    at[d] = s->word[d];
    at[d + 1] = (double)s->line;
    return true;
}

typedef struct {
    double word[WORDS];
    int words;
    long line;
} kept;

static bool keep_line(scanner *s, kept *k)
{
    if (!next_line(s)) return false;
    memcpy(k->word, s->word, sizeof k->word);
    k->words = s->words;
    k->line = s->line;
    return true;
}

/* Are these "order [entries]" and the dimensions, with a line of one number more after them? */
static bool is_head(const kept *k)
{
    const int d = k[1].words;
    bool whole = k[0].words <= 2 && k[0].word[0] == d && d > 0 && d <= CREASE_MAX_ORDER &&
                 k[2].words == d + 1;
    for (int n = 0; whole && n < d; n++) whole = is_index(k[1].word[n]);
    return whole;
}

/* The first three lines: a head and an entry, or entries already. */
static bool read_head(scanner *s)
{
    kept first[3] = { { .words = 0 } };
    int from = 0;
    for (int k = 0; k < 3; k++)
        if (!keep_line(s, &first[k])) return false;
    if (is_head(first)) {
        s->shape = (crease_space){ .order = first[1].words };
        for (int n = 0; n < s->shape.order; n++) s->shape.dim[n] = (ptrdiff_t)first[1].word[n];
        from = 2;
    }
    s->order = from ? s->shape.order : first[0].words - 1;
    s->largest = (crease_space){ .order = s->order };
    s->line = first[from].line;
    if (first[from].words == 0) return bad(s, "the file holds no entries; give at least one");
    if (s->order == 0) return bad(s, "it has one number; write the indices and the value");
    for (int k = from; k < 3 && first[k].words > 0; k++) {
        memcpy(s->word, first[k].word, sizeof s->word);
        s->words = first[k].words;
        s->line = first[k].line;
        if (!add_entry(s)) return false;
    }
    return true;
}

static bool read_entries(scanner *s)
{
    enum { ENTRIES = 4096 }; /* between two looks */
    if (!read_head(s)) return false;
    for (;;) {
        if (!next_line(s)) return false;
        if (s->words == 0) break;
        if (!add_entry(s)) return false;
        if (s->count % ENTRIES == 0 && !crs_reads_on(s->watch, s->e)) return false;
    }
    return true;
}

static bool is_zero(const crs_asked *asked)
{
    return asked && asked->absent && strcmp(asked->absent, "zero") == 0;
}

/* The shape that was asked for or told, which must hold every index; else the largest ones. */
static bool decide_shape(const scanner *s, const crs_asked *asked, crease_space *shape)
{
    const bool given = asked && asked->shape.order > 0;
    crease_error why;
    *shape = given ? asked->shape : s->shape.order > 0 ? s->shape : s->largest;
    if (shape->order != s->order)
        return crs_fail(s->e, CREASE_BAD_SHAPE,
                        "%.200s has %d indices per entry but the shape has %d dimensions", s->name,
                        s->order, shape->order);
    for (int n = 0; n < s->order; n++)
        if (s->largest.dim[n] > shape->dim[n])
            return crs_fail(
                s->e, CREASE_BAD_SHAPE,
                "%.200s: an index of axis %d is %td but the shape has %td there; give a "
                "larger --shape",
                s->name, n, s->largest.dim[n], shape->dim[n]);
    if (!crease_space_check(shape, &why))
        return crs_fail(s->e, CREASE_BAD_DATA, "%.200s: %s", s->name, why.text);
    const double size = (double)crease_size(shape);
    if (crs_asked_list(asked, shape, s->count) && !is_zero(asked)) return true;
    if (!given && size > 1e6 && size > 1e4 * (double)s->count) /* a few bytes must not claim it */
        return crs_fail(s->e, CREASE_BAD_DATA,
                        "%.200s has %td entries in a tensor of %.3g; data so sparse are not for "
                        "dense models; if it is meant, give --shape",
                        s->name, s->count, size);
    return crs_memory_holds(s->name, shape, s->e);
}

static bool comes_again(const scanner *s, double line)
{
    return crs_fail(s->e, CREASE_BAD_DATA,
                    "%.200s, line %.0f: this entry was given before; leave one of them out, or add "
                    "them up",
                    s->name, line);
}

static ptrdiff_t place_of(const scanner *s, const crease_space *shape, const double *at)
{
    ptrdiff_t j = 0;
    for (int n = 0; n < s->order; n++) j = j * shape->dim[n] + (ptrdiff_t)at[n];
    return j;
}

/* The second line with the entry at this place */
static double second_line(const scanner *s, const crease_space *shape, ptrdiff_t place)
{
    const int d = s->order;
    bool before = false;
    for (ptrdiff_t k = 0; k < s->count; k++) {
        const double *at = s->entry + k * (d + 2);
        if (place_of(s, shape, at) != place) continue;
        if (before) return at[d + 1];
        before = true;
    }
    return NAN;
}

static bool to_list(const scanner *s, const crease_space *shape, crs_array *out)
{
    const int d = s->order;
    crs_listed_pairs from = { .count = s->count, .once = true };
    from.pair = crs_doubles(2 * s->count, "a list of entries", s->e);
    for (ptrdiff_t k = 0; from.pair && k < s->count; k++) {
        const double *at = s->entry + k * (d + 2);
        from.pair[2 * k] = (double)place_of(s, shape, at);
        from.pair[2 * k + 1] = at[d];
    }
    bool done = from.pair && crs_array_list(s->name, shape, &from, out, s->e);
    if (done && from.twice >= 0) done = comes_again(s, second_line(s, shape, from.twice));
    crs_free(from.pair);
    return done;
}

static bool fill_in(const scanner *s, crs_array *out)
{
    const int d = s->order;
    fill(crease_size(&out->shape), NAN, out->data);
    for (ptrdiff_t k = 0; k < s->count; k++) {
        const double *at = s->entry + k * (d + 2);
        const ptrdiff_t j = place_of(s, &out->shape, at);
        if (!isnan(out->data[j])) return comes_again(s, at[d + 1]);
        out->data[j] = at[d];
    }
    return true;
}

/* Entries without a line. */
static void fill_gaps(const scanner *s, bool zero, crs_array *out)
{
    const ptrdiff_t size = crease_size(&out->shape), absent = size - s->count;
    out->gaps = !zero && absent > 0;
    for (ptrdiff_t j = 0; zero && j < size; j++)
        if (isnan(out->data[j])) out->data[j] = 0;
    if (absent > 0)
        snprintf(out->notice, sizeof out->notice,
                 "%.70s: %td of %td entries have no line and are %s", s->name, absent, size,
                 zero ? "zeros" : "missing; --absent zero makes them zeros");
}

static bool read_tns(const crs_input *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    scanner in = { .f = s->f, .name = s->name, .watch = asked ? asked->watch : NULL, .e = e };
    const bool zero = is_zero(asked);
    crease_space shape;
    *out = (crs_array){ .data = NULL };
    bool done = read_entries(&in) && decide_shape(&in, asked, &shape);
    const bool list = done && !zero && crs_asked_list(asked, &shape, in.count);
    if (list) done = to_list(&in, &shape, out);
    if (done && !list) out->shape = shape;
    if (done && !list) out->data = crs_doubles(crease_size(&out->shape), "a tensor", e);
    done = done && (list || (out->data && fill_in(&in, out)));
    if (done) fill_gaps(&in, zero, out);
    crs_free(in.entry);
    if (!done) crs_array_free(out);
    return done;
}

typedef struct {
    FILE *f;
    const crease_space *shape;
    ptrdiff_t next;
} target;

static bool put_entries(void *self, ptrdiff_t count, const double *x)
{
    target *t = self;
    for (ptrdiff_t k = 0; k < count; k++) {
        ptrdiff_t index[CREASE_MAX_ORDER], j = t->next++;
        if (isnan(x[k])) continue;
        for (int n = t->shape->order - 1; n >= 0; n--)
            index[n] = j % t->shape->dim[n] + 1, j /= t->shape->dim[n];
        for (int n = 0; n < t->shape->order; n++)
            if (fprintf(t->f, "%td ", index[n]) < 0) return false;
        if (!crs_put_double(t->f, x[k]) || fputc('\n', t->f) == EOF) return false;
    }
    return true;
}

static bool put_all(FILE *f, const void *what)
{
    const crs_item *a = what;
    target t = { f, a->shape, 0 };
    if (fputs("# shape", f) == EOF) return false;
    for (int n = 0; n < a->shape->order; n++)
        if (fprintf(f, " %td", a->shape->dim[n]) < 0) return false;
    return fputc('\n', f) != EOF && crs_item_each(a, put_entries, &t);
}

static bool write_tns(const char *path, int count, const crs_item *item, crease_error *e)
{
    (void)count; /* one */
    return crease_space_check(item->shape, e) && crs_write_whole(path, put_all, item, NULL, e);
}

const crs_format crs_tns_format = {
    .name = "tns",
    .reads = "absent shape",
    .endings = ".tns",
    .text = "a tensor as coordinates in text (FROSTT); entries without a line are missing",
    .read = read_tns,
    .write = write_tns,
};
