/* SPDX-License-Identifier: MIT
 * verify: results of robust PCA judged from their data and arrays alone, a few rows at a time
 *
 * The checker rpca-cp has E from sparse.npy or sparse_entries.npy, Z from z.npy, the factors from
 * factor_n.npy and weights.npy, and B = T - E - Z. Without z.npy Z = M + c W o (T - E - M), M the
 * factors' product and c = alpha_N/(1 + alpha_N); rpca-tucker has core.npy in place of weights.
 * Then it is asked whether lowrank.npy is the model's, and lowrank + sparse + noise the data. */
#include "cli/rpca/rpca.h"
#include "core/parallel.h"

/* M = sum_r w_r prod_n X_n[i_n, r]; of a Tucker model M = P X_d', P = C x_1 X_1 ... */
typedef struct {
    crease_space shape;
    ptrdiff_t rank;
    double *const *factor;
    const double *weight; /* NULL: 1 each */
    double *front;        /* P; NULL: of cp */
    double *last;         /* the last factor by columns */
} terms;

static ptrdiff_t columns_of(const crease_rpca_settings *s, int n)
{
    return s->kind == CREASE_RPCA_CP ? s->rank : s->ranks.dim[n];
}

static void terms_close(terms *t)
{
    crs_free(t->front);
    crs_free(t->last);
}

static bool terms_open(terms *t, const crs_rpca_claim *c, double *const *factor,
                       const double *weight, crease_error *e)
{
    const crease_rpca_settings *s = &c->s;
    const int last = s->shape.order - 1;
    const ptrdiff_t rank = columns_of(s, last), n = s->shape.dim[last];
    *t = (terms){ .shape = s->shape, .rank = rank, .factor = factor, .weight = weight };
    if (c->core) {
        t->front = crs_tucker_expand(&s->shape, &s->ranks, last, (const double *const *)factor,
                                     c->core, e);
        if (!t->front) return false;
    }
    t->last = crs_doubles(rank * n, "the terms", e);
    for (ptrdiff_t k = 0; t->last && k < rank * n; k++)
        t->last[k % rank * n + k / rank] = factor[s->shape.order - 1][k];
    return t->last;
}

/* Entries first .. first + count - 1, whole fibres along the last mode. */
static void terms_read(const terms *t, ptrdiff_t first, ptrdiff_t count, double *out)
{
    const crease_space *s = &t->shape;
    const ptrdiff_t rank = t->rank, n = s->dim[s->order - 1];
    fill(count, 0, out);
    for (ptrdiff_t k = 0; k < count / n * rank; k++) {
        const ptrdiff_t r = k % rank;
        double w = t->front ? t->front[first / n * rank + k] : t->weight ? t->weight[r] : 1;
        for (ptrdiff_t at = first / n + k / rank, m = s->order - 2; !t->front && m >= 0;
             at /= s->dim[m--])
            w *= t->factor[m][at % s->dim[m] * rank + r];
        axpy(n, w, t->last + r * n, out + k / rank * n);
    }
}

typedef struct {
    const crs_rpca_claim *c;
    ptrdiff_t right, row;
    crs_part part[2];        /* Z, E */
    ptrdiff_t first_pair;    /* of E, where the last reading in order began */
    double *last[CRS_PARTS]; /* row `row` of each */
    terms model;             /* where Z is derived */
    double *factor[CREASE_MAX_ORDER];
    crease_error why;
} reader;

static void from_fit(const reader *r, crease_rpca_part part, ptrdiff_t row, double *out)
{
    ptrdiff_t left, width;
    crease_rpca_rows(r->c->fit, &left, &width);
    crease_rpca_read(r->c->fit, part, row, r->right / width, out);
}

/* T, 0 where it is missing, without its constants; and W. */
static bool load_data(reader *r, ptrdiff_t row)
{
    const crs_rpca_claim *c = r->c;
    const ptrdiff_t n = r->right;
    double *T = r->last[CRS_PART_T], *W = r->last[CRS_PART_W];
    if (c->fit) {
        from_fit(r, CREASE_RPCA_DATA, row, T);
        from_fit(r, CREASE_RPCA_SEEN, row, W);
    } else if (!crs_rpca_rows_next(c->rows, n, T, &r->why)) {
        return false;
    }
    if (c->center) crs_center_shift(c->center, -1, row * n, n, T);
    for (ptrdiff_t j = 0; !c->fit && j < n; j++) {
        W[j] = !isnan(T[j]);
        if (W[j] == 0) T[j] = 0;
    }
    return true;
}

/* Z = M + c W o (T - E - M) */
static void derive(const reader *r, ptrdiff_t row)
{
    const ptrdiff_t n = r->right;
    const double c = r->c->s.alpha_noise / (1 + r->c->s.alpha_noise);
    const double *E = r->last[CRS_PART_E], *T = r->last[CRS_PART_T], *W = r->last[CRS_PART_W];
    double *Z = r->last[CRS_PART_Z];
    terms_read(&r->model, row * n, n, Z);
    for (ptrdiff_t j = 0; j < n; j++)
        if (W[j] != 0) Z[j] += c * (T[j] - E[j] - Z[j]);
}

/* Rows are read in order, from any one on. */
static bool go_to(reader *r, ptrdiff_t row)
{
    const ptrdiff_t at = row * r->right;
    if (r->c->rows && !crs_rpca_rows_at(r->c->rows, at, &r->why)) return false;
    for (int k = CRS_PART_Z; k <= CRS_PART_E; k++)
        if (r->part[k].file.f && !crs_part_at(&r->part[k], at, &r->why)) return false;
    r->first_pair = crs_part_pairs(&r->part[CRS_PART_E]);
    return true;
}

static bool load(reader *r, ptrdiff_t row)
{
    static const crease_rpca_part own[] = { CREASE_RPCA_Z, CREASE_RPCA_SPARSE };
    if (row == r->row) return true;
    if (row != r->row + 1 && !go_to(r, row)) return false;
    if (!load_data(r, row)) return false;
    for (int k = CRS_PART_E; k >= CRS_PART_Z; k--) {
        crs_part *p = &r->part[k];
        if (p->file.f && !crs_part_next(p, r->right, r->last[k], &r->why)) return false;
        if (!r->c->folder) from_fit(r, own[k], row, r->last[k]);
    }
    for (int k = CRS_PART_E; k >= CRS_PART_Z && r->c->center; k--)
        if (r->part[k].file.f || !r->c->folder)
            crs_noise_times(r->c->center, -1, row * r->right, r->right, r->last[k]);
    if (r->model.last) derive(r, row);
    r->row = row;
    return true;
}

static bool read_row(void *user, crease_rpca_part part, ptrdiff_t row, double *out)
{
    reader *r = user;
    const int k = part == CREASE_RPCA_Z        ? CRS_PART_Z
                  : part == CREASE_RPCA_SPARSE ? CRS_PART_E
                  : part == CREASE_RPCA_SEEN   ? CRS_PART_W
                                               : CRS_PART_T;
    const double *T = r->last[CRS_PART_T], *E = r->last[CRS_PART_E], *Z = r->last[CRS_PART_Z];
    if (!load(r, row)) return false;
    if (part != CREASE_RPCA_B) return copy(r->right, r->last[k], out), true;
    for (ptrdiff_t j = 0; j < r->right; j++) out[j] = T[j] - E[j] - Z[j];
    return true;
}

/* Rows of `right` entries. */
static bool set_width(reader *r, ptrdiff_t right, crease_error *e)
{
    r->right = right;
    r->row = -1;
    for (int k = 0; k < CRS_PARTS; k++)
        if (!(r->last[k] = crs_doubles(right, "a row of the result", e))) return false;
    return true;
}

static bool open_files(const crs_rpca_claim *c, reader *r, crease_error *e)
{
    const crease_space *s = &c->s.shape;
    if (!c->folder) return true;
    return crs_part_open(c->folder, "sparse.npy", s, &r->part[CRS_PART_E], e) &&
           (c->parts & CRS_WRITE_Z ? crs_part_open(c->folder, "z.npy", s, &r->part[CRS_PART_Z], e)
                                   : terms_open(&r->model, c, r->factor, NULL, e));
}

/* The factors: the unit columns times the d-th root of the weights; a core has their sizes. */
static bool scale(const crs_rpca_claim *c, double *factor[CREASE_MAX_ORDER], crease_error *e)
{
    const crease_space *s = &c->s.shape;
    for (int n = 0; n < s->order; n++) {
        const ptrdiff_t size = s->dim[n] * columns_of(&c->s, n);
        factor[n] = crs_doubles(size, "a factor", e);
        for (ptrdiff_t j = 0; factor[n] && j < size; j++)
            factor[n][j] = c->core ? c->unit[n][j]
                                   : c->unit[n][j] * pow(c->weight[j % c->s.rank], 1.0 / s->order);
        if (!factor[n]) return false;
    }
    return true;
}

static bool open_parts(const crs_rpca_claim *c, reader *r, crease_error *e)
{
    *r = (reader){ .c = c };
    return scale(c, r->factor, e) && (c->list || open_files(c, r, e));
}

static void close_parts(reader *r)
{
    for (int k = 0; k < 2; k++) crs_part_close(&r->part[k]);
    for (int k = 0; k < CRS_PARTS; k++) crs_free(r->last[k]);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(r->factor[n]);
    terms_close(&r->model);
}

/* Rows over the first modes, as few rows and columns as there can be; a fit has its own, and a
 * Tucker model those over all modes but the last. */
static void set_rows(const crs_rpca_claim *c, ptrdiff_t *left, ptrdiff_t *right)
{
    const crease_space *s = &c->s.shape;
    const ptrdiff_t all = crease_size(s);
    *left = c->core ? all / s->dim[s->order - 1] : 1;
    for (ptrdiff_t n = c->core ? s->order : 0, first = s->dim[0]; n + 1 < s->order;
         first *= s->dim[++n])
        if (first + all / first < *left + all / *left) *left = first;
    *right = all / *left;
    if (c->fit) crease_rpca_rows(c->fit, left, right);
    if (c->left > 0) *left = c->left, *right = all / c->left;
}

static bool by_entries(const crease_reg *r)
{
    return r->ops == crease_l1(1).ops && !r->weight && !r->groups;
}

/* The tables of the check, eight rows of its parts, and slabs of the data. */
static bool suffices(const crs_rpca_claim *c, const crease_cp_claim *claim, crease_error *e)
{
    const double right = (double)claim->right, left = (double)claim->left;
    const crs_source *s = c->rows ? c->rows->source : NULL;
    double bytes = CRS_RPCA_OVERHEAD + 8 * right * (5 * 8 + CRS_PARTS);
    if (c->core) /* P, and three tables more of its size */
        bytes += (double)columns_of(&c->s, c->s.shape.order - 1) * (80 * left + 40 * right);
    bytes += (double)claim->rank * (16 * left + 40 * right);
    if (s) bytes += crs_stream_floor(&s->cut.shape, true);
    if (!c->rows || c->rows->memory == 0 || bytes <= c->rows->memory) return true;
    return crs_fail(e, CREASE_NO_MEMORY,
                    "the check takes up to %.3g MB and --memory allows %.3g MB; allow more",
                    bytes / 1e6, c->rows->memory / 1e6);
}

/* What the checker asks of the ranks; why: the reader's own sentence, OK: it has none. */
typedef struct {
    const crs_team *team;
    const crease_error *why;
} together;

/* Over ranks: do the entries of E that each has read follow those of the rank before? */
static bool has_all_pairs(const reader *r, const crease_checkers *with, crease_error *e)
{
    const crs_part *p = &r->part[CRS_PART_E];
    int64_t *at = crs_alloc((size_t)with->size, 2 * sizeof *at);
    bool follow = true;
    if (!with->agree(with->self, at, e)) return crs_free(at), false;
    at[2 * with->rank] = r->row < 0 ? 0 : 1 + r->first_pair; /* 0: no rows here */
    at[2 * with->rank + 1] = 1 + crs_part_pairs(p);
    with->add(with->self, at, 2 * with->size);
    int64_t next = 1;
    for (int k = 0; with->rank == 0 && k < with->size; k++) {
        if (at[2 * k] == 0) continue;
        follow = follow && at[2 * k] == next;
        next = at[2 * k + 1];
    }
    follow = follow && (with->rank > 0 || next == 1 + crs_part_all_pairs(p));
    crs_free(at);
    return follow || crs_fail(e, CREASE_BAD_DATA, "%.200s: the places do not ascend", p->path);
}

/* By entries: the checker's own loop over the rows, of every rank over its own. */
static bool check_rows(const crs_rpca_claim *c, reader *r, crease_verification *v, crease_error *e)
{
    const crease_checkers *with = c->with;
    crease_cp_claim claim = { .shape = c->s.shape,
                              .rank = c->s.rank,
                              .penalty = c->s.penalty,
                              .alpha = c->s.alpha,
                              .alpha_noise = c->s.alpha_noise,
                              .ridge = c->s.ridge,
                              .nonneg = c->s.nonneg,
                              .factor = (const double *const *)r->factor,
                              .read = read_row,
                              .user = r,
                              .threads = c->threads,
                              .watch = c->watch,
                              .with = with };
    set_rows(c, &claim.left, &claim.right);
    bool done = suffices(c, &claim, e) && set_width(r, claim.right, e);
    if (with) done = with->agree(with->self, done, e);
    if (!done) return false;
    if (with) ((together *)with->self)->why = &r->why;
    done = c->core ? crease_tucker_verify(&claim, &c->s.ranks, c->core, c->eps, c->relative, v, e)
                   : crease_cp_verify(&claim, c->eps, c->relative, v, e);
    if (with)
        ((together *)with->self)->why = NULL;
    else if (!done && e && r->why.code != CREASE_OK)
        *e = r->why;
    const bool ended = with && done && r->part[CRS_PART_E].pairs &&
                       (with->rank > 0 || v->verdict != CREASE_VERDICT_UNFINISHED);
    return done && (!ended || has_all_pairs(r, with, e));
}

static bool check_whole(const crs_rpca_claim *c, reader *r, crease_verification *v, crease_error *e)
{
    if (!set_width(r, crease_size(&c->s.shape), e)) return false;
    if (load(r, 0)) return crs_rpca_check_whole(c, r->factor, r->last, v, e);
    if (e) *e = r->why;
    return false;
}

/* The factors are the unit columns times the d-th root of the weights. */
bool crs_rpca_check(const crs_rpca_claim *c, crease_verification *v, crease_error *e)
{
    reader r;
    bool done = open_parts(c, &r, e);
    if (c->with) done = c->with->agree(c->with->self, done, e);
    if (done && c->list)
        done = crs_rpca_check_listed(c, r.factor, v, e);
    else if (done)
        done = by_entries(&c->s.penalty) ? check_rows(c, &r, v, e) : check_whole(c, &r, v, e);
    const size_t used = done ? strlen(v->text) : 0;
    if (done && (r.model.last || c->list))
        snprintf(v->text + used, sizeof v->text - used, "; derived: Z, B");
    const size_t now = done ? strlen(v->text) : 0;
    if (done && c->center && c->center->level)
        snprintf(v->text + now, sizeof v->text - now,
                 "; of the data divided by noise_levels_%d.npy", c->center->mode + 1);
    close_parts(&r);
    return done;
}

typedef struct {
    crs_judged *j; /* its scale grows by |T|^2 */
    const crs_rpca_claim *c;
    terms model;
    const crs_center_arrays *center;
} cp_arrays;

static bool cp_data(void *self, ptrdiff_t first, ptrdiff_t count, double *out, crease_error *e)
{
    const cp_arrays *a = self;
    if (!crs_rpca_rows_at(a->c->rows, first, e)) return false;
    if (!crs_rpca_rows_next(a->c->rows, count, out, e)) return false;
    crs_center_shift(a->center, -1, first, count, out);
    for (ptrdiff_t i = 0; i < count; i++)
        if (!isnan(out[i])) a->j->scale += square(out[i]);
    return true;
}

static void cp_model(void *self, ptrdiff_t first, ptrdiff_t count, double *out)
{
    const cp_arrays *a = self;
    terms_read(&a->model, first, count, out);
}

/* No entry of M, nor a term of it, is larger: the weights' sum, or |C| and the longest rows. */
static double size_of_model(const crs_rpca_claim *c)
{
    const crease_space core = c->s.ranks;
    double size = c->core ? crease_norm(&core, c->core) : 0;
    for (ptrdiff_t r = 0; !c->core && r < c->s.rank; r++) size += fabs(c->weight[r]);
    for (int n = 0; c->core && n < c->s.shape.order; n++) {
        const crease_space row = crease_vector(c->s.ranks.dim[n]);
        double longest = 0;
        for (ptrdiff_t i = 0; i < c->s.shape.dim[n]; i++)
            longest = larger(longest, crease_norm(&row, c->unit[n] + i * row.dim[0]));
        size *= longest;
    }
    return size;
}

/* The arrays in stretches, whose number follows from the shape: what one adds to objective and
 * scale; the first in which an entry is wrong, and what is. */
typedef struct {
    ptrdiff_t count, wrong; /* -1: none */
    int64_t *sum;           /* the bits of two numbers for each */
    char text[256];
} stretches;

static bool judge_stretch(const crs_rpca_arrays *a, stretches *all, ptrdiff_t s, crease_error *e)
{
    const ptrdiff_t n = a->shape.dim[a->shape.order - 1], fibres = crease_size(&a->shape) / n;
    crs_rpca_arrays own = *a;
    crs_judged one = *a->j;
    own.j = ((cp_arrays *)own.self)->j = &one;
    own.first = fibres * s / all->count * n;
    own.end = fibres * (s + 1) / all->count * n;
    one.v.verdict = CREASE_VERDICT_VALID;
    one.objective = one.scale = 0;
    if (!crs_rpca_judge(&own, e)) return false;
    memcpy(all->sum + 2 * s, &one.objective, sizeof(double));
    memcpy(all->sum + 2 * s + 1, &one.scale, sizeof(double));
    if (one.v.verdict != CREASE_VERDICT_INVALID) return true;
    snprintf(all->text, sizeof all->text, "%s", one.v.text);
    all->wrong = s;
    return true;
}

/* Every rank has judged its own; rank 0 knows what all have found. */
static void gather(const crs_team *t, stretches *all)
{
    enum { WORDS = sizeof all->text / 8 };
    int64_t first = all->wrong < 0 ? 0 : INT64_MAX - (int64_t)all->wrong, words[WORDS] = { 0 };
    const int64_t own = first;
    t->count(t->self, all->sum, 2 * all->count);
    t->max(t->self, &first, 1);
    if (first == 0) return;
    if (own == first) memcpy(words, all->text, sizeof words);
    t->count(t->self, words, WORDS);
    memcpy(all->text, words, sizeof words);
    all->wrong = (ptrdiff_t)(INT64_MAX - first);
}

static bool judge_stretches(const crs_rpca_arrays *a, const crs_team *t, crease_error *e)
{
    const ptrdiff_t size = crease_size(&a->shape), fibres = size / a->shape.dim[a->shape.order - 1];
    const int rank = t ? t->rank : 0, ranks = t ? t->size : 1;
    stretches all = { .count = more(1, fewer(fibres, size / CRS_WRITE_ALL)), .wrong = -1 };
    all.sum = crs_alloc((size_t)all.count, 2 * sizeof *all.sum);
    bool done = all.sum || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the arrays");
    for (ptrdiff_t s = all.count * rank / ranks;
         done && all.wrong < 0 && s < all.count * (rank + 1) / ranks; s++)
        done = judge_stretch(a, &all, s, e);
    if (t) done = crs_rpca_agree(t, done, e);
    if (t && done) gather(t, &all);
    for (ptrdiff_t s = 0; done && rank == 0 && s < all.count; s++) {
        double x[2];
        memcpy(x, all.sum + 2 * s, sizeof x);
        if (a->sum) a->j->objective += x[0];
        a->j->scale += x[1];
    }
    if (done && all.wrong >= 0) crs_judged_invalid(a->j, "%s", all.text);
    crs_free(all.sum);
    return done;
}

/* 1e-12 of the model's size is far above rounding. */
static bool judge_cp_arrays(crs_judged *j, const crs_rpca_claim *c, const crs_team *t,
                            crease_error *e)
{
    const double root = 2.0 / c->s.shape.order;
    cp_arrays own = { .j = j, .c = c, .center = c->center };
    crs_rpca_arrays a = { .j = j,
                          .shape = c->s.shape,
                          .data = cp_data,
                          .model = cp_model,
                          .self = &own,
                          .center = c->center,
                          .parts = c->parts };
    if (c->list) return crs_rpca_judge_listed(j, c, e);
    a.tolerance = 1e-12 * (crs_center_size(c->center) + size_of_model(c));
    if (by_entries(&c->s.penalty)) a.sum = c, j->objective = 0; /* and nu/2 |X_n|^2 of all modes */
    for (ptrdiff_t r = 0; a.sum && !c->core && r < c->s.rank; r++)
        j->objective += c->s.ridge / 2 * c->s.shape.order * pow(fabs(c->weight[r]), root);
    bool done = terms_open(&own.model, c, c->unit, c->weight, e);
    if (t) done = crs_rpca_agree(t, done, e);
    done = done && judge_stretches(&a, t, e);
    terms_close(&own.model);
    return done;
}

typedef struct {
    const json_t *settings;
    crs_named_reg penalty;
    crs_array weight, factor[CREASE_MAX_ORDER];
    crs_rpca_rows data;
    double *unit[CREASE_MAX_ORDER];
    char *path, *mask, *groups, *weights; /* where they are now; NULL: not a file */
    char penalty_hash[CRS_HASH];
    crs_center_arrays center; /* subtracted from the data */
    crs_rpca_claim claim;
} rpca_result;

static const char *text_of(const rpca_result *r, const char *key)
{
    return json_string_value(json_object_get(r->settings, key));
}

static bool number_of(const rpca_result *r, const char *key, double *x, crease_error *e)
{
    const json_t *v = json_object_get(r->settings, key);
    *x = json_number_value(v);
    return json_is_number(v) ||
           crs_fail(e, CREASE_BAD_DATA, "certificate.json has no number settings.%s; it is damaged",
                    key);
}

static bool ranks_of(const rpca_result *r, crease_space *ranks, crease_error *e)
{
    const json_t *list = json_object_get(r->settings, "ranks");
    bool good = json_array_size(list) >= 2 && json_array_size(list) <= CREASE_MAX_ORDER;
    *ranks = (crease_space){ .order = good ? (int)json_array_size(list) : 0 };
    for (int n = 0; n < ranks->order; n++) {
        const double rank = json_number_value(json_array_get(list, (size_t)n));
        good = good && rank >= 1 && rank < 0x1p40;
        ranks->dim[n] = good ? (ptrdiff_t)rank : 0;
    }
    return good || crs_fail(e, CREASE_BAD_DATA,
                            "certificate.json has no numbers settings.ranks; it is damaged");
}

/* The arrays that the certificate does not say are left to be derived. */
static unsigned parts_of(const json_t *derived)
{
    static const char *const name[] = { "lowrank", NULL, "noise", "z" };
    unsigned parts = ~0u;
    for (size_t k = 0; k < json_array_size(derived); k++)
        for (unsigned n = 0; n < 4; n++) {
            const char *text = json_string_value(json_array_get(derived, k));
            if (text && name[n] && strcmp(text, name[n]) == 0) parts &= ~(1u << n);
        }
    return parts;
}

/* The settings as they were written; nothing else in the document is believed. */
static bool read_settings(const crs_judged *j, bool tucker, rpca_result *r, crease_error *e)
{
    crease_rpca_settings *s = &r->claim.s;
    double rank = 0;
    *s = crease_rpca_default(&(crease_space){ .order = 2, .dim = { 1, 1 } });
    r->settings = json_object_get(j->certificate->document, "settings");
    if (tucker) s->kind = CREASE_RPCA_TUCKER;
    if ((tucker ? !ranks_of(r, &s->ranks, e) : !number_of(r, "rank", &rank, e)) ||
        !number_of(r, "alpha", &s->alpha, e) || !number_of(r, "alpha_noise", &s->alpha_noise, e) ||
        !number_of(r, "ridge", &s->ridge, e))
        return false;
    s->rank = rank >= 1 && rank < 0x1p40 ? (ptrdiff_t)rank : 0;
    s->nonneg = json_is_true(json_object_get(r->settings, "nonneg"));
    s->missing = json_is_true(json_object_get(r->settings, "missing"));
    r->claim.eps = j->eps;
    r->claim.parts = parts_of(json_object_get(j->certificate->document, "derived"));
    r->claim.relative = j->certificate->relative;
    if (tucker && (s->ridge != 0 || s->nonneg || text_of(r, "groups") || text_of(r, "weights")))
        return crs_fail(e, CREASE_BAD_DATA,
                        "certificate.json has a ridge, nonneg, groups or weights, which a Tucker "
                        "model has not; make the result anew");
    return crs_penalty_open(text_of(r, "penalty"), &r->penalty, e) &&
           crs_rpca_groups(text_of(r, "groups"), s, e);
}

/* Where a file of this role is now; true without one. */
static bool find(const crs_judged *j, const char *role, char **path, crease_error *e)
{
    const json_t *source = crs_certificate_data(j->certificate, role);
    if (source) *path = crs_find_source(j->certificate->folder, source, e);
    return !source || *path;
}

/* The data by the path in the certificate, or by --problem. */
static bool read_data(crs_judged *j, rpca_result *r, crease_error *e)
{
    const char *given = crs_given(j->a, CRS_OPT_PROBLEM);
    if (!find(j, "mask", &r->mask, e) || !find(j, "groups", &r->groups, e) ||
        !find(j, "weights", &r->weights, e) || (!given && !find(j, "data", &r->path, e)))
        return false;
    if (!given && !r->path)
        return crs_fail(e, CREASE_BAD_DATA, "certificate.json does not say where its data are");
    r->data = (crs_rpca_rows){ .path = given ? given : r->path, .mask = r->mask };
    if (!crs_option_bytes(j->a, CRS_OPT_MEMORY, 0, &r->data.memory, e)) return false;
    r->claim.rows = &r->data;
    r->claim.center = &r->center;
    const bool open = crs_rpca_rows_open(&r->data, crs_certificate_data(j->certificate, "data"),
                                         text_of(r, "merge"), &r->claim.s, e);
    r->claim.list = r->data.whole.list;
    return open && crs_center_read(j->certificate->folder, &r->claim.s.shape, &r->center, e);
}

/* The user's own groups and weights, by their text or their files. */
static bool fit_penalty(rpca_result *r, crease_error *e)
{
    crease_rpca_settings *s = &r->claim.s;
    if (s->groups == CREASE_GROUPS_GIVEN &&
        !crs_reg_fit_to(r->groups ? r->groups : text_of(r, "groups"),
                        r->weights ? r->weights : text_of(r, "weights"), &s->shape, &r->penalty, e))
        return false;
    crs_reg_hash(&r->penalty, r->penalty_hash);
    s->penalty = r->penalty.reg;
    return true;
}

static bool read_arrays(const char *folder, rpca_result *r, crease_error *e)
{
    const crease_rpca_settings *s = &r->claim.s;
    const bool cp = s->kind == CREASE_RPCA_CP;
    if (!crs_read_in(folder, cp ? "weights.npy" : "core.npy", &r->weight, e)) return false;
    bool fit =
        cp ? s->rank > 0 && crease_size(&r->weight.shape) == s->rank
           : s->ranks.order == s->shape.order && crease_space_equal(&r->weight.shape, &s->ranks);
    for (int n = 0; n < s->shape.order; n++) {
        char name[32];
        crs_factor_file(n, name);
        if (!crs_read_in(folder, name, &r->factor[n], e)) return false;
        const crease_space wanted = crease_matrix(s->shape.dim[n], fit ? columns_of(s, n) : 0);
        fit = fit && crease_space_equal(&r->factor[n].shape, &wanted);
        r->unit[n] = r->factor[n].data;
    }
    if (fit && cp) crs_noise_terms(&r->center, s->rank, r->unit, r->weight.data);
    r->claim.folder = folder;
    r->claim.unit = r->unit;
    r->claim.weight = cp ? r->weight.data : NULL;
    r->claim.core = cp ? NULL : r->weight.data;
    return fit || crs_fail(e, CREASE_BAD_SHAPE, "the factors and %s do not suit the data and rank",
                           cp ? "weights" : "core");
}

static bool name_blocks(crs_judged *j, const crease_rpca_settings *s, crease_error *e)
{
    const int order = s->shape.order;
    const char *rest = s->kind == CREASE_RPCA_CP ? "EZB" : "CEZB";
    if (!crs_judged_names(j, order + (int)strlen(rest), e)) return false;
    for (int i = 0; i < order; i++) snprintf(j->name[i], sizeof j->name[i], "X%d", i + 1);
    for (int i = 0; rest[i]; i++) snprintf(j->name[order + i], sizeof j->name[0], "%c", rest[i]);
    return true;
}

static void discard(rpca_result *r)
{
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_array_free(&r->factor[n]);
    crs_array_free(&r->weight);
    crs_rpca_rows_close(&r->data);
    crs_center_close(&r->center);
    crs_reg_close(&r->penalty);
    crs_free(r->path);
    crs_free(r->mask);
    crs_free(r->groups);
    crs_free(r->weights);
}

static bool read_result(crs_judged *j, bool tucker, rpca_result *r, crease_error *e)
{
    double threads;
    *r = (rpca_result){ .claim.watch = j->a->watch, .claim.objective = &j->objective };
    if (!crs_option_integer(j->a, CRS_OPT_THREADS, 1, 256, 0, &threads, e)) return false;
    r->claim.threads = (int)threads;
    if (threads > crs_threads() && (!j->a->team || j->a->team->rank == 0))
        crs_log_note(j->a, "--threads %.0f: %d can work at a time, and so many check", threads,
                     crs_threads());
    return read_settings(j, tucker, r, e) && read_data(j, r, e) && fit_penalty(r, e) &&
           read_arrays(j->certificate->folder, r, e);
}

/* Are the rows read from a file of several slabs, wherever one begins? */
static bool can_be_shared(const rpca_result *r)
{
    return !r->data.whole.data && !r->data.whole.list && !r->data.old &&
           by_entries(&r->claim.s.penalty) && crs_partition_of(&r->data.shape).count > 1;
}

static void checkers_tell(void *self, void *bytes, ptrdiff_t n)
{
    const crs_team *t = ((const together *)self)->team;
    t->tell(t->self, bytes, n);
}

static void checkers_add(void *self, int64_t *v, ptrdiff_t n)
{
    const crs_team *t = ((const together *)self)->team;
    t->count(t->self, v, n);
}

static bool checkers_agree(void *self, bool well, crease_error *e)
{
    const together *all = self;
    if (!well && e && all->why && all->why->code != CREASE_OK) *e = *all->why;
    return crs_rpca_agree(all->team, well, e);
}

/* The verdict, at rank 0. False on every rank where one of them fails; where rank 0 has no time to
 * end what they do, it goes on alone. */
static bool judge_together(crs_judged *j, rpca_result *r, const crs_team *t, bool arrays,
                           crease_error *e)
{
    together all = { t, NULL };
    const crease_checkers with = { .rank = t->rank,
                                   .size = t->size,
                                   .self = &all,
                                   .tell = checkers_tell,
                                   .add = checkers_add,
                                   .agree = checkers_agree };
    r->claim.with = &with;
    r->data.shared = true;
    bool done = crs_rpca_check(&r->claim, &j->v, e);
    r->claim.with = NULL;
    const bool late = done && t->rank == 0 && j->v.verdict == CREASE_VERDICT_UNFINISHED;
    if (!crs_rpca_agree(t, done && !late, late ? NULL : e)) {
        r->data.shared = false;
        return late && (!arrays || judge_cp_arrays(j, &r->claim, NULL, e));
    }
    return !arrays || (crs_rpca_rows_hash(&r->data, t, e) && judge_cp_arrays(j, &r->claim, t, e));
}

static bool check_rpca(crs_judged *j, bool tucker, crease_error *e)
{
    const crs_team *t = j->a->team;
    const crs_rpca_told told = { .folder = j->certificate->folder,
                                 .problem = crs_given(j->a, CRS_OPT_PROBLEM),
                                 .memory = crs_given(j->a, CRS_OPT_MEMORY),
                                 .threads = crs_given(j->a, CRS_OPT_THREADS),
                                 .eps = j->eps,
                                 .arrays = true };
    rpca_result r;
    bool done = read_result(j, tucker, &r, e) && name_blocks(j, &r.claim.s, e);
    if (done && t && t->size > 1 && can_be_shared(&r))
        done = crs_rpca_tell(t, &told, e) && crs_rpca_agree(t, true, e) &&
               judge_together(j, &r, t, true, e);
    else
        done = done && crs_rpca_check(&r.claim, &j->v, e) && judge_cp_arrays(j, &r.claim, NULL, e);
    j->constrained = true;
    if (done) {
        memcpy(j->hash, r.data.hash, sizeof j->hash);
        crs_judged_hash(j, "groups or weights", text_of(&r, "penalty_hash"), r.penalty_hash);
        crs_judged_source(j, "data", &r.data.shape, j->hash);
        crs_judged_source(j, "mask", &r.data.shape, NULL); /* its hash is in that of the data */
    }
    discard(&r);
    return done;
}

bool crs_check_rpca_cp(crs_judged *j, crease_error *e) { return check_rpca(j, false, e); }
bool crs_check_rpca_tucker(crs_judged *j, crease_error *e) { return check_rpca(j, true, e); }

static bool parse_told(const crs_rpca_told *told, crs_args *a, char **word, crease_error *e)
{
    const char *const text[] = { told->folder,  told->problem ? "--problem" : NULL,
                                 told->problem, told->memory ? "--memory" : NULL,
                                 told->memory,  told->threads ? "--threads" : NULL,
                                 told->threads };
    int count = 0;
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        if (text[k]) word[count++] = (char *)(uintptr_t)text[k]; /* which is not changed */
    return crs_args_parse(&crs_verify_verb, count, word, a, e);
}

bool crs_rpca_assist(const crs_team *t, const crs_rpca_told *told, crease_watch *watch,
                     bool *agreed, crease_verification *v, crease_error *e)
{
    char *word[8];
    int status = 0;
    crs_args a = { .status = &status, .watch = watch, .team = t };
    crs_certificate c = { .folder = NULL };
    rpca_result r = { .settings = NULL };
    crs_judged j = { .a = &a, .certificate = &c, .eps = told->eps, .objective = NAN };
    bool done = parse_told(told, &a, word, e) &&
                (told->certificate ? crs_certificate_told(told->folder, told->certificate, &c, e)
                                   : crs_certificate_read(told->folder, &c, e)) &&
                read_result(&j, strcmp(c.checker, "rpca-tucker") == 0, &r, e);
    if (done && !can_be_shared(&r))
        done = crs_fail(e, CREASE_UNSUPPORTED, "the data have other slabs than on rank 0");
    r.claim.left = told->left;
    done = *agreed = crs_rpca_agree(t, done, e);
    done = done && judge_together(&j, &r, t, told->arrays, e);
    discard(&r);
    crs_certificate_free(&c);
    if (done && v)
        *v = j.v;
    else
        crease_verification_free(&j.v);
    return done;
}
