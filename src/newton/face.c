/* SPDX-License-Identifier: MIT
 * face: the free coordinates S of a point and the terms on them: columns, products, slopes
 *
 * By its matrices a term is diagonal (one entry a row at most: K'hK is a diagonal matrix), sparse,
 * dense, or a sparse quadratic form. The sparse ones stand one above the other in a stack whose
 * columns S are kept in both orders. */
#include "newton/newton.h"

static bool resize(ptrdiff_t **array, ptrdiff_t count)
{
    ptrdiff_t *grown = crs_resize(*array, (size_t)count + 1, sizeof **array);
    if (grown) *array = grown;
    return grown;
}

static bool resize_numbers(double **array, ptrdiff_t count)
{
    double *grown = crs_resize(*array, (size_t)count + 1, sizeof **array);
    if (grown) *array = grown;
    return grown;
}

static void lines_free(crs_lines *l)
{
    crs_free(l->start);
    crs_free(l->index);
    crs_free(l->value);
}

/* No line, and memory for so many. */
static bool lines_clear(crs_lines *l, ptrdiff_t lines, ptrdiff_t entries)
{
    l->count = 0;
    if (lines + 1 > l->lines) {
        if (!resize(&l->start, lines + 1)) return false;
        l->lines = lines + 1;
    }
    if (entries + 1 > l->room) {
        if (!resize(&l->index, entries) || !resize_numbers(&l->value, entries)) return false;
        l->room = entries + 1;
    }
    l->start[0] = l->start[1] = 0;
    return true;
}

/* Column j of a sparse a K at the end of the line that is open, its rows counted from `row`. */
static void lines_column(crs_lines *l, const crs_matrix *K, double a, ptrdiff_t j, ptrdiff_t row)
{
    ptrdiff_t *at = &l->start[l->count + 1];
    if (K->kind != CRS_SPARSE) {
        l->index[*at] = row + j;
        l->value[(*at)++] = a * (K->kind == CRS_SCALAR ? K->scale : K->value[j]);
        return;
    }
    for (ptrdiff_t k = K->start[j]; k < K->start[j + 1]; k++) {
        l->index[*at] = row + K->row[k];
        l->value[(*at)++] = a * K->value[k];
    }
}

/* That line is complete, and an empty one open. */
static void lines_close(crs_lines *l)
{
    l->count++;
    l->start[l->count + 1] = l->start[l->count];
}

/* The same matrix by its `across` other lines; indices ascend. */
static bool lines_turn(const crs_lines *a, ptrdiff_t across, crs_lines *out)
{
    const ptrdiff_t entries = a->start[a->count];
    if (!lines_clear(out, across, entries)) return false;
    out->count = across;
    ptrdiff_t *at = out->start;
    for (ptrdiff_t i = 0; i <= across; i++) at[i] = 0;
    for (ptrdiff_t k = 0; k < entries; k++) at[a->index[k] + 1]++;
    for (ptrdiff_t i = 0; i < across; i++) at[i + 1] += at[i];
    for (ptrdiff_t j = 0; j < a->count; j++)
        for (ptrdiff_t k = a->start[j]; k < a->start[j + 1]; k++) {
            const ptrdiff_t to = at[a->index[k]]++;
            out->index[to] = j;
            out->value[to] = a->value[k];
        }
    for (ptrdiff_t i = across; i > 0; i--) at[i] = at[i - 1];
    at[0] = 0;
    return true;
}

/* Every row of the term has one entry at most: K'hK is diagonal. */
static bool is_diagonal(const crs_term *t, double *count)
{
    fill(t->rows, 0, count);
    for (int k = 0; k < t->parts; k++) {
        const crs_matrix *K = t->part[k].matrix;
        double *mine = count + t->part[k].row;
        if (!crs_is_sparse(K)) return false;
        for (ptrdiff_t i = 0; K->kind != CRS_SPARSE && i < K->rows; i++) mine[i]++;
        for (ptrdiff_t e = 0; K->kind == CRS_SPARSE && e < K->start[K->cols]; e++)
            mine[K->row[e]]++;
    }
    for (ptrdiff_t i = 0; i < t->rows; i++)
        if (count[i] > 1) return false;
    return true;
}

static crs_role role_of(const crs_term *t, double *room)
{
    bool sparse = true;
    for (int k = 0; k < t->parts; k++) sparse = sparse && crs_is_sparse(t->part[k].matrix);
    if (!t->loss) return sparse ? CRS_IN_FORM : CRS_FULL;
    return is_diagonal(t, room) ? CRS_ON_DIAGONAL : sparse ? CRS_IN_STACK : CRS_FULL;
}

void crs_face_free(crs_face *s)
{
    if (!s) return;
    lines_free(&s->by_column);
    lines_free(&s->by_row);
    lines_free(&s->form);
    crs_free(s->role);
    crs_free(s->S);
    crs_free(s->rows);
    crs_free(s);
}

static bool set_up(crs_face *s)
{
    const crs_composite *c = s->c;
    const size_t n = (size_t)c->n, blocks = (size_t)c->count, rows = (size_t)c->rows;
    s->role = crs_alloc((size_t)c->terms + 1, sizeof *s->role);
    s->S = crs_alloc(3 * n + blocks + 1, sizeof *s->S);
    s->rows = crs_alloc(rows + n + 1, sizeof *s->rows);
    if (!s->role || !s->S || !s->rows) return false;
    s->column = s->S + n;
    s->place = s->column + n;
    s->first = s->place + n;
    s->block = s->rows + rows;
    for (ptrdiff_t j = 0; j < c->n; j++) s->place[j] = -1;
    for (int k = 0; k < c->terms; k++) {
        s->role[k] = role_of(&c->term[k], s->rows);
        s->dense = s->dense || s->role[k] == CRS_FULL;
        for (int p = 0; p < c->term[k].parts; p++)
            s->opaque = s->opaque || !crs_has_columns(c->term[k].part[p].matrix);
    }
    return true;
}

crs_face *crs_face_new(crs_composite *c, crease_error *e)
{
    crs_face *s = crs_alloc(1, sizeof *s);
    if (s) *s = (crs_face){ .c = c, .n = -1 };
    if (s && set_up(s)) return s;
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: the free coordinates");
    crs_face_free(s);
    return NULL;
}

/* The lines of all terms of one role on column j of S, closed; rows of a stack count on. */
static void add_column(crs_face *s, crs_role what, ptrdiff_t j, crs_lines *out)
{
    const crs_composite *c = s->c;
    ptrdiff_t row = 0;
    for (int k = 0; k < c->terms; k++) {
        const crs_term *t = &c->term[k];
        if (s->role[k] != what) continue;
        for (int p = 0; p < t->parts; p++) {
            const ptrdiff_t from = c->at[t->part[p].block], to = c->at[t->part[p].block + 1];
            if (j >= from && j < to)
                lines_column(out, t->part[p].matrix, t->loss ? 1 : t->weight, j - from,
                             row + t->part[p].row);
        }
        if (what == CRS_IN_STACK) row += t->rows;
    }
    lines_close(out);
}

double crs_face_entries(const crs_face *s, crs_role what)
{
    double sum = 0;
    for (int k = 0; k < s->c->terms; k++)
        for (int p = 0; s->role[k] == what && p < s->c->term[k].parts; p++) {
            const crs_term_part *part = &s->c->term[k].part[p];
            for (ptrdiff_t j = s->first[part->block]; j < s->first[part->block + 1]; j++)
                sum += (double)crs_matrix_column_entries(part->matrix, s->column[j]);
        }
    return sum;
}

static ptrdiff_t stack_rows(const crs_face *s)
{
    ptrdiff_t rows = 0;
    for (int k = 0; k < s->c->terms; k++)
        rows += s->role[k] == CRS_IN_STACK ? s->c->term[k].rows : 0;
    return rows;
}

/* Q_SS of the sparse quadratic forms: columns S of Q, of which the rows S are kept. */
static bool set_form(crs_face *s)
{
    const ptrdiff_t entries = (ptrdiff_t)crs_face_entries(s, CRS_IN_FORM);
    if (!lines_clear(&s->form, s->n, entries)) return false;
    crs_lines *f = &s->form;
    for (ptrdiff_t k = 0; k < s->n; k++) {
        const ptrdiff_t from = f->start[k];
        add_column(s, CRS_IN_FORM, s->S[k], f);
        ptrdiff_t to = from;
        for (ptrdiff_t e = from; e < f->start[k + 1]; e++) {
            const ptrdiff_t at = s->place[f->index[e]];
            if (at < 0) continue;
            f->index[to] = at;
            f->value[to++] = f->value[e];
        }
        f->start[k + 1] = f->start[k + 2] = to;
    }
    return true;
}

static bool forget(crs_face *s)
{
    for (ptrdiff_t k = 0; k < s->n; k++) s->place[s->S[k]] = -1;
    s->n = -1;
    return false;
}

void crs_face_forget(crs_face *s)
{
    bool form = false;
    for (int k = 0; k < s->c->terms; k++) form = form || s->role[k] == CRS_IN_FORM;
    if (form) forget(s);
}

bool crs_face_set(crs_face *s, ptrdiff_t count, const ptrdiff_t *S)
{
    const size_t size = (size_t)count * sizeof *S;
    if (count == s->n && memcmp(S, s->S, size) == 0) return true;
    forget(s);
    s->n = count;
    s->version++;
    memcpy(s->S, S, size);
    for (ptrdiff_t k = 0, i = 0; i < s->c->count; i++) {
        s->first[i] = k;
        for (; k < count && S[k] < s->c->at[i + 1]; k++) s->column[k] = S[k] - s->c->at[i];
        s->first[i + 1] = k;
    }
    for (ptrdiff_t k = 0; k < count; k++) s->place[S[k]] = k;
    const double stacked = crs_face_entries(s, CRS_IN_STACK);
    s->single = crs_face_entries(s, CRS_ON_DIAGONAL);
    s->entries = stacked + crs_face_entries(s, CRS_FULL) + crs_face_entries(s, CRS_IN_FORM);
    if (!lines_clear(&s->by_column, count, (ptrdiff_t)stacked) || !set_form(s)) return forget(s);
    for (ptrdiff_t k = 0; k < count; k++) add_column(s, CRS_IN_STACK, S[k], &s->by_column);
    if (lines_turn(&s->by_column, stack_rows(s), &s->by_row)) return true;
    return forget(s);
}

void crs_face_apply(crs_face *s, const crs_term_part *p, double a, const double *v, double *y)
{
    const ptrdiff_t from = s->first[p->block], count = s->first[p->block + 1] - from;
    if (crs_has_columns(p->matrix)) {
        crs_matrix_apply_columns(p->matrix, a, count, s->column + from, v + from, y + p->row);
        return;
    }
    fill(p->matrix->cols, 0, s->block);
    for (ptrdiff_t k = from; k < from + count; k++) s->block[s->column[k]] = v[k];
    crs_matrix_apply(p->matrix, a, s->block, y + p->row);
}

void crs_face_adjoint(crs_face *s, const crs_term_part *p, double a, const double *y, double *out)
{
    const ptrdiff_t from = s->first[p->block], count = s->first[p->block + 1] - from;
    if (crs_has_columns(p->matrix)) {
        crs_matrix_adjoint_columns(p->matrix, a, count, s->column + from, y + p->row, out + from);
        return;
    }
    fill(p->matrix->cols, 0, s->block);
    crs_matrix_adjoint(p->matrix, a, y + p->row, s->block);
    for (ptrdiff_t k = from; k < from + count; k++) out[k] += s->block[s->column[k]];
}

void crs_face_products(crs_face *s, double a, const double *d, double *u)
{
    const crs_composite *c = s->c;
    for (int q = 0; q < c->terms; q++)
        for (int p = 0; p < c->term[q].parts; p++)
            crs_face_apply(s, &c->term[q].part[p], a, d, u + c->term[q].at);
    c->work->entries += s->entries + s->single;
}

void crs_face_slope(crs_face *s, const double *u, double *g)
{
    const crs_composite *c = s->c;
    for (ptrdiff_t k = 0; k < s->n; k++) g[k] = c->linear ? c->linear[s->S[k]] : 0;
    for (int q = 0; q < c->terms; q++) {
        const crs_term *t = &c->term[q];
        for (ptrdiff_t k = 0; !t->loss && k < s->n; k++) g[k] += t->weight * u[t->at + s->S[k]];
        if (!t->loss) continue;
        crs_term_slope(t, u + t->at, s->rows);
        for (int p = 0; p < t->parts; p++) crs_face_adjoint(s, &t->part[p], 1, s->rows, g);
    }
    c->work->entries += s->entries + s->single;
}
