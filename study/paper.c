/* SPDX-License-Identifier: MIT
 * paper: the rows of the paper's tables, their printed figures, and one instance by one method
 *
 * H_i = (beta/2) I and beta = 4 (ADMM-g), H_i = (2 beta/5) I and beta = 5 (ADMM-m): delta = 2 in
 * both, and in proximal BCD, whose delta the paper does not say. The update of Z is printed with
 * 2 delta. theta_k = |x^{k+1} - x^k|^2 + |x^k - x^{k-1}|^2 over all blocks (multiplier excluded).
 * The calibrated rule needs |x|: a bound of it, grown by |dx| in each step, says when it is worth
 * computing. */
#include "study/paper.h"

#include "rpca/rpca.h"
#include "study/trial.h"

static const char *const names[][2] = {
#define X(id, name, title) { name, title },
    CRS_PAPER_METHOD_LIST(X)
#undef X
};

const char *crs_paper_name(crs_paper_method m) { return names[m][0]; }
const char *crs_paper_title(crs_paper_method m) { return names[m][1]; }

crs_paper_row crs_paper_row_at(int table, int row)
{
    static const ptrdiff_t rows[CRS_PAPER_ROWS][4] = {
#define PAPER_ROW(row, a, b, c, rank) [(row)-1] = { a, b, c, rank },
#include "study/paper.def"
#undef PAPER_ROW
    };
    const ptrdiff_t *r = rows[row - 1], rank = r[3];
    const ptrdiff_t guess = table == 1 ? rank : table == 2 ? rank + 1 : rank + (rank + 4) / 5;
    return (crs_paper_row){ table, row, { 3, { r[0], r[1], r[2] }, NULL }, rank, guess };
}

crs_paper_cell crs_paper_cell_at(int table, int row, crs_paper_method method)
{
    static const crs_paper_cell cells[CRS_PAPER_TABLES][CRS_PAPER_ROWS][CRS_PAPER_METHODS] = {
#define PAPER_CELL(table, row, method, iter, err, num, iter1, err1, num1, of1, iter2, err2, num2)  \
    [(table)-1][(row)-1][CRS_PAPER_##method] = { { iter, err, num, CRS_PAPER_INSTANCES },          \
                                                 { iter1, err1, num1, of1 },                       \
                                                 { iter2, err2, num2, 20 } },
#include "study/paper.def"
#undef PAPER_CELL
    };
    return cells[table - 1][row - 1][method];
}

crs_cp_settings crs_paper_settings(const crs_paper_row *row, crs_paper_method method)
{
    const ptrdiff_t *dim = row->shape.dim;
    const double delta = method == CRS_PAPER_BCD ? 0 : 2;
    crs_cp_settings c = { .shape = row->shape, .rank = row->rank, .method = CRS_CP_BCD };
    if (method == CRS_PAPER_ADMM_G) c.method = CRS_CP_ADMM_G, c.beta = 4; /* gamma = 1/beta */
    if (method == CRS_PAPER_ADMM_M) c.method = CRS_CP_ADMM_M, c.beta = 5; /* L = 2 alpha_N */
    c.h_factor = c.h_sparse = delta;
    c.h_z = 2 * delta;
    c.alpha_noise = 1;
    c.penalty.rho = crease_l1(1).penalty;
    c.penalty.par[0] = 1;
    c.penalty.weight = 2 / sqrt((double)more(dim[0], more(dim[1], dim[2])));
    c.threads = 1;
    return c;
}

static const double STOP = 1e-6, TRUE_NOISE = 0.001;

typedef struct {
    const crs_paper_row *row;
    const crs_paper_recipe *r;
    crease_cp_instance *truth;
    crs_cp_fused *f;
    double *x[3], *part, *work; /* start; a tensor; Gram matrices */
    double moves_before, bound; /* |dx|^2 of the step before; >= |x| */
} trial;

static void discard(trial *t)
{
    crs_cp_fused_free(t->f);
    crease_cp_instance_free(t->truth);
    for (int n = 0; n < 3; n++) crs_free(t->x[n]);
    crs_free(t->part);
    crs_free(t->work);
}

/* Independent seeds for every instance of every row, shared by tables 1 and 2. */
static uint64_t seed_of(const crs_paper_row *row, const crs_paper_recipe *r, int instance)
{
    const crease_random bits = { r->seed,
                                 (uint64_t)(row->row + CRS_PAPER_ROWS * (row->table > 2)) };
    return crease_random_bits(bits, (uint64_t)instance);
}

crease_cp_recipe crs_paper_instance(const crs_paper_row *row, const crs_paper_recipe *r,
                                    int instance)
{
    crease_cp_recipe recipe = crease_cp_recipe_default(&row->shape, row->true_rank);
    recipe.seed = seed_of(row, r, instance);
    recipe.outliers = r->calibrated ? 0.005 : 0.001;
    recipe.noise = TRUE_NOISE;
    return recipe;
}

static bool build(trial *t, crs_paper_method method, int instance, crease_error *e)
{
    const crs_cp_settings c = crs_paper_settings(t->row, method);
    const crease_cp_recipe recipe = crs_paper_instance(t->row, t->r, instance);
    if (!(t->truth = crease_cp_generate(&recipe, e)) ||
        !(t->f = crs_cp_fused_new(&c, t->truth->tensor, e)) ||
        !(t->part = crs_doubles(crease_size(&c.shape), "a tensor", e)) ||
        !(t->work = crs_doubles(2 * c.rank * c.rank + c.rank + crs_eigh_scratch(c.rank),
                                "Gram matrices", e)))
        return false;
    for (int n = 0; n < 3; n++) {
        const ptrdiff_t size = c.shape.dim[n] * c.rank;
        if (!(t->x[n] = crs_doubles(size, "a factor", e))) return false;
        crs_normals(recipe.seed, CRS_STREAM_START + (uint64_t)n, size, t->x[n]);
    }
    const ptrdiff_t size = crease_size(&c.shape);
    fill(size, 1, t->part);
    if (t->r->generic) crs_normals(recipe.seed, CRS_STREAM_Z, size, t->part);
    const double *const *factor = (const double *const *)t->x;
    return crs_cp_fused_start(t->f, factor, t->part, NULL, NULL, NULL, e);
}

static double part_norm2(trial *t, crs_cp_part part)
{
    const ptrdiff_t n = crease_size(&t->row->shape);
    ptrdiff_t left, right;
    crs_cp_fused_rows(t->f, &left, &right);
    crs_cp_fused_read(t->f, part, 0, left, t->part);
    return crs_dot(n, t->part, t->part);
}

static double norm(trial *t, bool with_b) /* |x| */
{
    double sum = part_norm2(t, CRS_CP_Z) + part_norm2(t, CRS_CP_E);
    if (with_b) sum += part_norm2(t, CRS_CP_B);
    for (int n = 0; n < 3; n++) {
        const double *x = crs_cp_fused_factor(t->f, n);
        sum += crs_dot(t->row->shape.dim[n] * t->row->rank, x, x);
    }
    return sqrt(sum);
}

static bool stops(trial *t, bool admm)
{
    const double moves = crs_cp_fused_statistics(t->f)->moves, moved = sqrt(moves);
    const double theta = moves + t->moves_before;
    t->moves_before = moves;
    if (!t->r->calibrated) return theta < STOP;
    t->bound += moved;
    if (!(moved < STOP * t->bound)) return false;
    t->bound = norm(t, admm);
    return moved < STOP * t->bound;
}

static double error_of(trial *t, crs_cp_part part)
{
    part_norm2(t, part); /* leaves the part there */
    return crease_relative_error(crease_size(&t->row->shape), t->part, t->truth->lowrank);
}

/* Rank of X_1'X_1 o X_2'X_2, of which the update of X_3 takes the pseudo-inverse. */
static ptrdiff_t gram_rank(trial *t)
{
    const ptrdiff_t n = t->row->rank;
    crs_kruskal k = { .shape = t->row->shape, .rank = n };
    double *gram = t->work, *values = gram + n * n, *work = values + n;
    ptrdiff_t rank = 0;
    for (int m = 0; m < 3; m++) k.factor[m] = crs_cp_fused_factor(t->f, m);
    crs_gram_except(&k, 2, gram, work);
    if (!crs_eigh(n, gram, values, NULL, work)) return -1;
    const double limit = crs_pinv_limit(n, values);
    for (ptrdiff_t j = 0; j < n; j++) rank += fabs(values[j]) > limit;
    return rank;
}

static bool run_instance(const crs_paper_row *row, const crs_paper_recipe *r,
                         crs_paper_method method, int instance, crs_paper_outcome *out,
                         crease_error *e)
{
    trial t = { .row = row, .r = r, .moves_before = INFINITY };
    const bool admm = method == CRS_PAPER_ADMM_G || method == CRS_PAPER_ADMM_M;
    const bool built = build(&t, method, instance, e);
    *out = (crs_paper_outcome){ 0 };
    if (built) t.bound = r->calibrated ? norm(&t, admm) : 0;
    while (built && !out->stopped && out->iterations < CRS_PAPER_MOST) {
        crs_cp_fused_step(t.f);
        out->iterations++;
        out->stopped = stops(&t, admm);
    }
    if (built) {
        out->error = error_of(&t, CRS_CP_LOW_RANK);
        out->error_z = error_of(&t, CRS_CP_Z);
        out->gram_rank = gram_rank(&t);
    }
    discard(&t);
    return built;
}

typedef struct {
    const crs_paper_row *row;
    const crs_paper_recipe *r;
    crs_paper_method method;
    crs_paper_outcome *out;
} batch;

static bool run_one(void *self, int k, crease_error *e)
{
    const batch *b = self;
    return run_instance(b->row, b->r, b->method, k, b->out + k, e);
}

bool crs_paper_runs(const crs_paper_row *row, const crs_paper_recipe *r, crs_paper_method method,
                    int count, int threads, crs_paper_outcome *out, crease_error *e)
{
    batch b = { row, r, method, out };
    return crs_trials(threads, count, run_one, &b, e);
}
