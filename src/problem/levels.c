/* SPDX-License-Identifier: MIT
 * levels: which blocks of a sweep may be updated at the same time
 *
 *     level(i) = 1 + the largest level of an earlier block that shares a term of f or a row of the
 *                constraint with i
 *
 * A step on block i reads and writes what belongs to i, to the terms of f that touch i and to the
 * rows that A_i reaches, and reads the blocks of those terms. Blocks of one level share none of
 * that, so that their steps commute to the bit, and two blocks that share something keep their
 * order (docs/theory.md, levels).
 *
 * A_i reaches the rows where A_i x is NaN for x = NaN. Functions of the user are called on the
 * caller's thread and in the order of the blocks: a block that needs one is a level of its own, and
 * so is one whose step looks at all of f. */
#include <crease/catalogue.h>

#include "core/carve.h"
#include "map/map.h"
#include "problem/problem.h"
#include "reg/reg.h"

static bool is_listed_coupling(const crease_smooth *f)
{
    bool found = false;
    for (int k = 0; k < crease_smooth_count(); k++) found = found || crease_smooth_at(k) == f->ops;
    return found;
}

static bool is_listed_set(const crease_set *c)
{
    bool found = false;
    for (int k = 0; k < crease_set_count(); k++) found = found || crease_set_at(k) == c->ops;
    return found && !c->ops->combined;
}

static bool is_listed_reg(const crease_reg *r)
{
    const crease_reg *base = crs_unscaled(r);
    bool found = false;
    for (int k = 0; k < crease_reg_count(); k++) {
        const crease_reg_entry *entry = crease_reg_at(k);
        found = found || (entry->ops == base->ops && entry->penalty == base->penalty);
    }
    return found;
}

/* The terms of f, those of sums in sums one by one; their number. */
static int terms_of(const crease_smooth *f, const crease_smooth **out)
{
    const crease_smooth_list *sum = f->ops->family == CREASE_SMOOTH_SUM ? f->data : NULL;
    int count = 0;
    if (sum) {
        for (int k = 0; k < sum->count; k++)
            count += terms_of(&sum->term[k], out ? out + count : NULL);
        return count;
    }
    if (out) *out = f;
    return 1;
}

static bool calls_user(const crease_smooth *f)
{
    const crease_smooth_family family = f->ops->family;
    const bool predicts = family == CREASE_SMOOTH_LOSS || family == CREASE_SMOOTH_PREDICTED;
    const crease_predictor *p = predicts ? f->data : NULL;
    for (int k = 0; p && k < p->count; k++)
        if (!crs_map_is_listed(&p->map[k])) return true;
    return family == CREASE_SMOOTH_CALLBACK;
}

/* What the levels are found with. */
typedef struct {
    const crease_problem *p;
    int last, terms;
    ptrdiff_t rows; /* of the constraint */
    const bool *whole;
    bool foreign; /* f has a table of the user's own, which any step may ask */
    const crease_smooth **term;
    int *of_term, *of_row; /* the largest level so far of a block that has it */
    double *x, *y, *work;  /* to look at maps */
} search;

static bool is_apart(const search *s, int i)
{
    const crease_block *b = &s->p->block[i];
    bool apart = s->foreign || (s->whole && s->whole[i]) || !is_listed_reg(crs_reg_of(s->p, i)) ||
                 (b->set && !is_listed_set(b->set)) ||
                 (crs_in_constraint(s->p, i) && !crs_map_is_listed(&b->map));
    for (int k = 0; !apart && k < s->terms; k++)
        apart = s->term[k]->ops->touches(s->term[k], i) && calls_user(s->term[k]);
    return apart;
}

/* The rows that A_i reaches go to `out`, NULL: are counted. A row that A_i' reads all the same has
 * all of them reached. */
static ptrdiff_t rows_of(const search *s, int i, ptrdiff_t *out)
{
    const ptrdiff_t n = crease_size(&s->p->space[i]);
    bool all = false;
    ptrdiff_t count = 0;
    if (!crs_in_constraint(s->p, i)) return 0;
    fill(n, NAN, s->x);
    fill(s->rows, 0, s->y);
    crs_apply(s->p, i, 1, s->x, s->y, s->work);
    for (ptrdiff_t j = 0; j < s->rows; j++) s->y[j] = isnan(s->y[j]) ? 0 : NAN;
    fill(n, 0, s->x);
    crs_adjoint(s->p, i, 1, s->y, s->x, s->work);
    for (ptrdiff_t j = 0; j < n; j++) all = all || isnan(s->x[j]);
    for (ptrdiff_t j = 0; j < s->rows; j++) {
        if (!all && isnan(s->y[j])) continue;
        if (out) out[count] = j;
        count++;
    }
    return count;
}

static int higher(int a, int b) { return a > b ? a : b; }

/* The level of block i, after those of the blocks before it; *top: the largest, *floor: the last of
 * a block apart. */
static int level_of(search *s, const crs_levels *l, int i, int *top, int *floor)
{
    int level = *floor;
    if (l->apart[i]) return *floor = *top = *top + 1;
    for (int k = 0; k < s->terms; k++)
        if (s->term[k]->ops->touches(s->term[k], i)) level = higher(level, s->of_term[k]);
    for (ptrdiff_t r = l->row_first[i]; r < l->row_first[i + 1]; r++)
        level = higher(level, s->of_row[l->row[r]]);
    level++;
    for (int k = 0; k < s->terms; k++)
        if (s->term[k]->ops->touches(s->term[k], i)) s->of_term[k] = level;
    for (ptrdiff_t r = l->row_first[i]; r < l->row_first[i + 1]; r++) s->of_row[l->row[r]] = level;
    *top = higher(*top, level);
    return level;
}

/* The blocks by level, in each by number; block i has level[i] = 1, 2, .. */
static void arrange(const search *s, crs_levels *l, const int *level)
{
    int at = 0;
    for (int k = 0; k < l->count; k++) {
        l->first[k] = at;
        for (int i = 0; i < s->p->count; i++)
            if (i != s->last && level[i] == k + 1) l->block[at++] = i;
        l->widest = higher(l->widest, at - l->first[k]);
    }
    l->first[l->count] = at;
}

static void find(search *s, crs_levels *l, int *level)
{
    const int N = s->p->count;
    int floor = 0;
    for (int i = 0; i < N; i++) l->apart[i] = i != s->last && is_apart(s, i);
    for (int i = 0; i < N; i++) {
        const bool has = i != s->last && !l->apart[i];
        l->row_first[i + 1] = l->row_first[i] + (has ? rows_of(s, i, &l->row[l->row_first[i]]) : 0);
    }
    for (int i = 0; i < N; i++)
        if (i != s->last) level[i] = level_of(s, l, i, &l->count, &floor);
    arrange(s, l, level);
}

typedef struct {
    search *s;
    crs_levels *l;
    int **level;
    ptrdiff_t reached; /* rows of all blocks */
} plan;

/* What is needed while they are found. */
static void carve_search(void *self, crs_carver *c)
{
    const plan *p = self;
    search *s = p->s;
    s->term = carve_bytes(c, s->terms, sizeof *s->term);
    s->of_term = carve_bytes(c, s->terms, sizeof *s->of_term);
    s->of_row = carve_bytes(c, s->rows, sizeof *s->of_row);
    *p->level = carve_bytes(c, s->p->count, sizeof **p->level);
    s->x = carve_doubles(c, crs_largest_block(s->p), 1);
    s->y = carve_doubles(c, s->rows, 1);
    s->work = carve_doubles(c, crs_problem_scratch(s->p), 1);
}

static void carve_levels(void *self, crs_carver *c)
{
    const plan *p = self;
    const int N = p->s->p->count;
    crs_levels made = { .count = 0 };
    made.block = carve_bytes(c, N, sizeof *made.block);
    made.first = carve_bytes(c, (ptrdiff_t)N + 1, sizeof *made.first);
    made.apart = carve_bytes(c, N, sizeof *made.apart);
    made.row_first = carve_bytes(c, (ptrdiff_t)N + 1, sizeof *made.row_first);
    made.row = carve_bytes(c, p->reached, sizeof *made.row);
    *p->l = made;
}

bool crs_levels_open(const crease_problem *p, int last, const bool *whole, crs_levels *l,
                     crease_error *e)
{
    search s = { .p = p, .last = last, .whole = whole };
    int *level = NULL;
    plan how = { &s, l, &level, 0 };
    *l = (crs_levels){ .count = 0 };
    s.terms = p->f.ops ? terms_of(&p->f, NULL) : 0;
    s.rows = p->range.order > 0 ? crease_size(&p->range) : 0;
    void *own = carve_block(carve_search, &how);
    if (own && s.terms > 0) terms_of(&p->f, s.term);
    for (int k = 0; own && k < s.terms; k++)
        s.foreign = s.foreign || !is_listed_coupling(s.term[k]);
    for (int i = 0; own && i < p->count; i++)
        if (i != last && !is_apart(&s, i)) how.reached += rows_of(&s, i, NULL);
    void *memory = own ? carve_block(carve_levels, &how) : NULL;
    if (memory) find(&s, l, level);
    l->memory = memory;
    crs_free(own);
    return memory ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: the levels of %d blocks", p->count);
}

void crs_levels_close(crs_levels *l)
{
    crs_free(l->memory);
    l->memory = NULL;
}
